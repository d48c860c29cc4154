// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reference model, section "Transfer Type Filtering": which instruction is which
 * type, and what each filter bit does. Encodings by the unprivileged specification.
 */
#include "model-build.h"
#include "riscv/rv_insn.h"

enum { RA = 1, T0 = 5 };

static uint32_t jalr(unsigned int rd, unsigned int rs1)
{
	return rs1 << 15 | rd << 7 | 0x67;
}

static uint32_t jal(unsigned int rd)
{
	return rd << 7 | 0x6f;
}

/* 100 1 rs1 00000 10, and with 0 for c.jr */
static uint32_t c_jalr(unsigned int rs1)
{
	return 0x9002 | rs1 << 7;
}

static uint32_t c_jr(unsigned int rs1)
{
	return 0x8002 | rs1 << 7;
}

static enum model_effect retire(struct model *m, uint32_t insn, bool taken,
				unsigned int flags)
{
	return model_step(m, &(struct model_insn){ .pc = 0x1000,
						   .next = 0x2000,
						   .insn = insn,
						   .flags = flags,
						   .taken = taken });
}

/* What an instruction of U-mode is recorded as, with all recorded. */
static unsigned int type_of(uint32_t insn, bool taken, unsigned int flags)
{
	struct model m;

	start(&m, CTR_CTL_U | CTR_CTL_NTBREN);
	if (retire(&m, insn, taken, flags) != MODEL_RECORDED)
		return 0;
	CHECK_EQ(entry_of(&m, 0).source, 0x1001);
	CHECK_EQ(entry_of(&m, 0).target, 0x2000);
	return entry_of(&m, 0).data & 0xf;
}

/* The table "Control Transfer Type Definitions" with the opcodes, a test a row. */
TEST(indirect_call_jalr_x1)
{
	unsigned int rs;

	for (rs = 0; rs < 32; rs++)
		CHECK_EQ(type_of(jalr(RA, rs), 0, 0), rs == T0 ? 12 : 8);
}

TEST(indirect_call_jalr_x5)
{
	unsigned int rs;

	for (rs = 0; rs < 32; rs++)
		CHECK_EQ(type_of(jalr(T0, rs), 0, 0), rs == RA ? 12 : 8);
}

TEST(indirect_call_c_jalr)
{
	unsigned int rs;

	for (rs = 1; rs < 32; rs++)
		CHECK_EQ(type_of(c_jalr(rs), 0, 0), rs == T0 ? 12 : 8);
}

TEST(direct_call_jal_x1)
{
	CHECK_EQ(type_of(jal(RA), 0, 0), 9);
}

TEST(direct_call_jal_x5)
{
	CHECK_EQ(type_of(jal(T0), 0, 0), 9);
}

TEST(direct_call_c_jal)
{
	CHECK_EQ(type_of(0x2001, 0, RV_RV32), 9);
	CHECK_EQ(type_of(0x2001, 0, 0), 0); /* c.addiw on RV64 */
}

/* 101 000 index 10; indices from 32 on are cm.jalt */
TEST(direct_call_cm_jalt)
{
	CHECK_EQ(type_of(0xa002 | 32 << 2, 0, RV_ZCM), 9);
	CHECK_EQ(type_of(0xa002 | 255 << 2, 0, RV_ZCM), 9);
}

TEST(indirect_jump_jalr_x0)
{
	unsigned int rs;

	for (rs = 0; rs < 32; rs++)
		CHECK_EQ(type_of(jalr(0, rs), 0, 0),
			 rs == RA || rs == T0 ? 13 : 10);
}

TEST(indirect_jump_c_jr)
{
	unsigned int rs;

	for (rs = 1; rs < 32; rs++)
		CHECK_EQ(type_of(c_jr(rs), 0, 0),
			 rs == RA || rs == T0 ? 13 : 10);
}

TEST(direct_jump_jal_x0)
{
	CHECK_EQ(type_of(jal(0), 0, 0), 11);
}

TEST(direct_jump_c_j)
{
	CHECK_EQ(type_of(0xa001, 0, 0), 11);
}

TEST(direct_jump_cm_jt)
{
	CHECK_EQ(type_of(0xa002, 0, RV_ZCM), 11);
	CHECK_EQ(type_of(0xa002 | 31 << 2, 0, RV_ZCM), 11);
}

TEST(co_routine_swap_jalr_x1_x5)
{
	CHECK_EQ(type_of(jalr(RA, T0), 0, 0), 12);
}

TEST(co_routine_swap_jalr_x5_x1)
{
	CHECK_EQ(type_of(jalr(T0, RA), 0, 0), 12);
}

TEST(co_routine_swap_c_jalr_x5)
{
	CHECK_EQ(type_of(c_jalr(T0), 0, 0), 12);
}

TEST(return_and_other_indirect_jump_jalr_of_other_rd)
{
	unsigned int rd, rs;

	for (rd = 2; rd < 32; rd++)
		for (rs = 0; rs < 32 && rd != T0; rs++)
			CHECK_EQ(type_of(jalr(rd, rs), 0, 0),
				 rs == RA || rs == T0 ? 13 : 14);
}

TEST(return_c_jr)
{
	CHECK_EQ(type_of(c_jr(RA), 0, 0), 13);
	CHECK_EQ(type_of(c_jr(T0), 0, 0), 13);
}

/* 101 111 10 rlist spimm 10; 101 111 00 for cm.popretz */
TEST(return_cm_popret)
{
	CHECK_EQ(type_of(0xbe02 | 4 << 4, 0, RV_ZCM), 13);
	CHECK_EQ(type_of(0xbc02 | 15 << 4, 0, RV_ZCM), 13);
}

TEST(other_direct_jump_jal)
{
	unsigned int rd;

	for (rd = 2; rd < 32; rd++)
		if (rd != T0)
			CHECK_EQ(type_of(jal(rd), 0, 0), 15);
}

/* The table "Control Transfer Type Definitions" with the encodings: the others. */
TEST(exception_is_1)
{
	struct model m;

	start(&m, CTR_CTL_U | CTR_CTL_S);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, 8), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 1, 0x1000ull, 0x2000);
}

TEST(interrupt_is_2)
{
	struct model m;

	start(&m, CTR_CTL_U | CTR_CTL_S);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, 5), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 2, 0x1000ull, 0x2000);
}

TEST(trap_return_is_3)
{
	CHECK_EQ(type_of(0x10200073, 0, 0), 3); /* sret */
	CHECK_EQ(type_of(0x30200073, 0, 0), 3); /* mret */
	CHECK_EQ(type_of(0x70200073, 0, 0), 3); /* mnret */
}

TEST(not_taken_branch_is_4)
{
	unsigned int funct3;

	for (funct3 = 0; funct3 < 8; funct3++)
		CHECK_EQ(type_of(0x63 | funct3 << 12, false, 0),
			 funct3 == 2 || funct3 == 3 ? 0 : 4);
	CHECK_EQ(type_of(0xc001, false, 0), 4);
	CHECK_EQ(type_of(0xe001, false, 0), 4);
}

TEST(taken_branch_is_5)
{
	unsigned int funct3;

	for (funct3 = 0; funct3 < 8; funct3++)
		CHECK_EQ(type_of(0x63 | funct3 << 12, true, 0),
			 funct3 == 2 || funct3 == 3 ? 0 : 5);
	CHECK_EQ(type_of(0xc001, true, 0), 5); /* c.beqz */
	CHECK_EQ(type_of(0xe001, true, 0), 5); /* c.bnez */
}

TEST(other_instructions_transfer_nothing)
{
	CHECK_EQ(type_of(0x13, true, 0), 0); /* nop */
	CHECK_EQ(type_of(0x1, true, 0), 0); /* c.nop */
	CHECK_EQ(type_of(0x8082 | 1 << 2, true, 0), 0); /* c.mv */
	CHECK_EQ(type_of(0xffff, true, 0), 0); /* no instruction */
	CHECK_EQ(type_of(0x7b200073, true, 0), 0); /* dret */
	CHECK_EQ(type_of(0x100073, true, 0), 0); /* ebreak, into Debug Mode */
}

/* --- the filter bits --- */

static const struct {
	unsigned int type, bit;
	uint64_t field;
} inhibits[] = {
	/* "Machine Control Transfer Records Control Register Format" */
	{ 1, 33, CTR_CTL_EXCINH },
	{ 2, 34, CTR_CTL_INTRINH },
	{ 3, 35, CTR_CTL_TRETINH },
	{ 5, 37, CTR_CTL_TKBRINH },
	{ 8, 40, CTR_CTL_INDCALLINH },
	{ 9, 41, CTR_CTL_DIRCALLINH },
	{ 10, 42, CTR_CTL_INDJMPINH },
	{ 11, 43, CTR_CTL_DIRJMPINH },
	{ 12, 44, CTR_CTL_CORSWAPINH },
	{ 13, 45, CTR_CTL_RETINH },
	{ 14, 46, CTR_CTL_INDLJMPINH },
	{ 15, 47, CTR_CTL_DIRLJMPINH },
};

#define NR_INHIBITS (sizeof(inhibits) / sizeof(inhibits[0]))

TEST(each_inhibit_bit_stops_its_type_alone)
{
	unsigned int bit, type;

	for (bit = 0; bit < NR_INHIBITS; bit++) {
		CHECK_EQ(inhibits[bit].field, 1ull << inhibits[bit].bit);
		for (type = 0; type < NR_INHIBITS; type++) {
			struct model m;

			start(&m, CTR_CTL_U | inhibits[bit].field);
			CHECK_EQ(go(&m, inhibits[type].type, MODEL_U, 2, 4),
				 bit == type ? MODEL_NOTHING : MODEL_RECORDED);
			CHECK_EQ(wrptr(&m), bit == type ? 0 : 1);
		}
	}
}

/* "record all control transfers": all but the opt-in. */
TEST(all_but_not_taken_branches_are_recorded_by_default)
{
	unsigned int type;

	for (type = 0; type < NR_INHIBITS; type++) {
		struct model m;

		start(&m, CTR_CTL_U);
		CHECK_EQ(go(&m, inhibits[type].type, MODEL_U, 2, 4),
			 MODEL_RECORDED);
		CHECK_EQ(go(&m, CTR_TYPE_NOT_TAKEN, MODEL_U, 2, 4),
			 MODEL_NOTHING);
	}
}

TEST(ntbren_enables_not_taken_branches)
{
	struct model m;

	start(&m, CTR_CTL_U | 1ull << 36);
	CHECK_EQ(go(&m, CTR_TYPE_NOT_TAKEN, MODEL_U, 2, 6), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 4, 2ull, 6);
	/* and leaves the others alone */
	CHECK_EQ(go(&m, CTR_TYPE_TAKEN, MODEL_U, 2, 8), MODEL_RECORDED);
}

/* A filter that the hart does not have does not filter. */
TEST(filters_are_optional)
{
	const struct model_hart hart = { .control = CTR_CTL_RETINH, .depths = 1,
					 .types = true, .cce_bits = -1 };
	struct model m;

	model_init(&m, &hart);
	model_write_csr(&m, CTR_CSR_SCTRCTL, ~0ull);
	CHECK_EQ(go(&m, CTR_TYPE_RETURN, MODEL_U, 2, 6), MODEL_NOTHING);
	CHECK_EQ(go(&m, CTR_TYPE_TAKEN, MODEL_U, 2, 6), MODEL_RECORDED);
	CHECK_EQ(go(&m, CTR_TYPE_NOT_TAKEN, MODEL_U, 2, 6), MODEL_NOTHING);
}

/* CTR has no type for what the base encoding leaves to longer instructions. */
TEST(what_is_longer_than_32_bits_is_no_transfer)
{
	for (unsigned int size = 0; size < 8; size++) {
		uint32_t insn = size << 12 | 0x1f;

		CHECK_EQ(type_of(jal(RA), 0, 0), 9);
		CHECK_EQ(type_of(insn, 0, 0), 0);
		CHECK_EQ(type_of(insn | 0x20, 0, 0), 0);
		CHECK_EQ(type_of(insn | 0x60, 0, 0), 0);
	}
}
