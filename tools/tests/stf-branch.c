// SPDX-License-Identifier: GPL-2.0-only
/* Branches of a trace: their kinds by the opcode, and what they did. */
#include "riscv/rv_insn.h"
#include "stf-build.h"
#include "stf/stf.h"

enum {
	C_NOP = 1,
	BEQ_8 = 0x00000463, /* beq zero, zero, 8 */
	JAL_RA = 0x010000ef, /* jal ra, 16 */
	JALR_RA = 0x000300e7, /* jalr ra, 0(t1) */
	RET = 0x8082, /* c.jr ra */
	SRET = 0x10200073,
	CM_POPRET = 0xbe42,
};

static struct stf_branch branch;

static struct stf_inst made(uint32_t opcode, unsigned int flags)
{
	return (struct stf_inst){ .pc = 0x1000, .next_pc = 0x5000,
				  .opcode = opcode,
				  .size = (opcode & 3) == 3 ? 4 : 2,
				  .flags = (uint16_t)flags };
}

/* ------------------------------------------------------------------- kinds */

/* As the other decoder of this tree says. */
static void check_kind(uint32_t opcode, unsigned int rv_flags, bool taken)
{
	struct stf_inst inst = made(opcode, taken ? STF_INST_F_TAKEN : 0);
	struct rv_insn insn;
	uint64_t target;
	bool is;

	if (rv_decode_word(&insn, opcode, rv_flags) < 0)
		return;
	is = stf_inst_branch(&inst, rv_flags & RV_RV32 ? STF_IEM_RV32 :
							 STF_IEM_RV64, &branch);
	if (insn.xfer == RV_XFER_EXCEPTION)
		insn.xfer = RV_XFER_NONE;
	if (branch.kind != insn.xfer || is != (insn.xfer != RV_XFER_NONE))
		test_fail(__FILE__, __LINE__, "%x is a %s, not a %s", opcode,
			  stf_branch_name(branch.kind), rv_xfer_name(insn.xfer));
	if (!rv_target(&insn, inst.pc, &target))
		return;
	if (rv_flags & RV_RV32)
		target = (uint32_t)target;
	CHECK(branch.has_target);
	CHECK_EQ(branch.target, target);
}

TEST(kinds_of_all_opcodes_of_two_bytes)
{
	uint32_t opcode;

	for (opcode = 0; opcode < 0x10000; opcode++) {
		if ((opcode & 3) == 3)
			continue;
		check_kind(opcode, 0, false);
		check_kind(opcode, RV_RV32, false);
		check_kind(opcode, RV_ZCM, true);
	}
}

TEST(kinds_of_opcodes_of_four_bytes)
{
	static const uint32_t major[] = { 0x63, 0x67, 0x6f, 0x73 };
	static const uint32_t system[] = { 0x00000073, 0x00100073, 0x10200073,
					   0x30200073, 0x70200073, 0x7b200073,
					   0x10500073, 0xc0001073 };
	unsigned int i;

	for (i = 0; i < 400000; i++) {
		uint32_t opcode = (uint32_t)test_random() | 3;

		if (i % 2)
			opcode = (opcode & ~0x7fu) | major[i / 2 % 4];
		check_kind(opcode, 0, false);
		check_kind(opcode, RV_RV32, true);
	}
	for (i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		check_kind(system[i], 0, false);
}

TEST(names_of_kinds)
{
	CHECK_STR(stf_branch_name(STF_BRANCH_CO_SWAP), "co-routine swap");
	CHECK_STR(stf_branch_name(STF_BRANCH_OTHER_DIRECT), "other direct jump");
	CHECK_STR(stf_branch_name(STF_BRANCH_NONE), "none");
	CHECK(!stf_branch_name(1) && !stf_branch_name(16));
}

/* ---------------------------------------------------------------- outcomes */

static void look(uint32_t opcode, unsigned int flags)
{
	struct stf_inst inst = made(opcode, flags);

	CHECK(stf_inst_branch(&inst, STF_IEM_RV64, &branch));
}

TEST(a_branch_is_taken_or_not)
{
	look(BEQ_8, 0);
	CHECK(!branch.taken && !branch.interrupted && branch.has_target);
	CHECK_EQ(branch.target, 0x1008);
	look(BEQ_8, STF_INST_F_TAKEN);
	CHECK(branch.taken && !branch.interrupted);
	CHECK_EQ(branch.target, 0x1008);
}

TEST(an_event_hides_the_outcome)
{
	look(BEQ_8, STF_INST_F_EVENT | STF_INST_F_EVENT_TARGET);
	CHECK(!branch.taken && branch.interrupted);
	CHECK_EQ(branch.target, 0x1008);
	look(JALR_RA, STF_INST_F_EVENT);
	CHECK(!branch.taken && branch.interrupted && !branch.has_target);
	CHECK_EQ(branch.target, 0);
	/* Taken, and then interrupted at its target. */
	look(BEQ_8, STF_INST_F_TAKEN | STF_INST_F_EVENT | STF_INST_F_EVENT_TARGET);
	CHECK(branch.taken && !branch.interrupted);
	CHECK_EQ(branch.target, 0x1008);
	look(JALR_RA, STF_INST_F_TAKEN | STF_INST_F_EVENT | STF_INST_F_EVENT_TARGET);
	CHECK(branch.taken && !branch.has_target);
}

TEST(targets_of_indirect_jumps_are_in_the_trace)
{
	look(RET, STF_INST_F_TAKEN);
	CHECK_EQ(branch.kind, STF_BRANCH_RETURN);
	CHECK(branch.has_target);
	CHECK_EQ(branch.target, 0x5000);
}

/* Some producers write them without INST_PC_TARGET. */
TEST(a_trap_return_is_taken_by_either_target)
{
	look(SRET, STF_INST_F_MODE | STF_INST_F_EVENT_TARGET);
	CHECK_EQ(branch.kind, STF_BRANCH_TRAP_RETURN);
	CHECK(branch.taken);
	CHECK_EQ(branch.target, 0x5000);
	look(SRET, STF_INST_F_TAKEN);
	CHECK(branch.taken);
	look(SRET, STF_INST_F_EVENT | STF_INST_F_EVENT_TARGET);
	CHECK(!branch.taken && branch.interrupted);
}

TEST(the_same_opcode_stores_or_returns)
{
	struct stf_inst inst = made(CM_POPRET, 0);

	CHECK(!stf_inst_branch(&inst, STF_IEM_RV64, &branch));
	CHECK_EQ(branch.kind, STF_BRANCH_NONE);
	look(CM_POPRET, STF_INST_F_TAKEN);
	CHECK_EQ(branch.kind, STF_BRANCH_RETURN);
	CHECK_EQ(branch.target, 0x5000);
}

/* --------------------------------------------------------------- iteration */

TEST(only_branches_are_returned)
{
	static struct bytes in;
	struct stf_inst_iter *iter;
	struct stf_reader *reader;
	struct stf_inst inst;

	b_header(&in, FEATURES_RV64);
	b_inst16(&in, C_NOP);
	b_inst32(&in, BEQ_8);
	b_inst16(&in, C_NOP);
	b_pc(&in, 31, START_PC + 24);
	b_inst32(&in, JAL_RA);
	/* A trap follows the call. */
	b_pc(&in, 31, 0x7000);
	b8(&in, 100);
	b64(&in, STF_EVENT_INTERRUPT | 5);
	b8(&in, 0);
	b_pc(&in, 101, 0x8000);
	b_inst32(&in, JALR_RA);
	b_inst16(&in, C_NOP);
	reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	iter = stf_inst_iter_new(reader, sizeof(inst));
	CHECK_EQ(stf_inst_iter_next_branch(iter, &inst, &branch), 1);
	CHECK_EQ(inst.index, 1);
	CHECK_EQ(branch.kind, STF_BRANCH_CONDITIONAL);
	CHECK(!branch.taken);
	CHECK_EQ(stf_inst_iter_next_branch(iter, &inst, &branch), 1);
	CHECK_EQ(inst.index, 3);
	CHECK_EQ(branch.kind, STF_BRANCH_DIRECT_CALL);
	CHECK_EQ(branch.target, START_PC + 24);
	CHECK_EQ(stf_inst_iter_next_branch(iter, &inst, &branch), 1);
	CHECK_EQ(branch.kind, STF_BRANCH_INDIRECT_CALL);
	CHECK(branch.taken && branch.has_target);
	CHECK_EQ(branch.target, 0x7000);
	CHECK_EQ(inst.next_pc, 0x8000);
	CHECK_EQ(stf_inst_iter_next_branch(iter, &inst, &branch), 0);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

TEST(rv32_has_other_opcodes)
{
	static struct bytes in;
	struct stf_inst_iter *iter;
	struct stf_reader *reader;
	struct stf_inst inst;

	b_header(&in, FEATURES_RV32);
	b_pc(&in, 31, START_PC - 2);
	b_inst16(&in, 0x3ffd); /* c.jal -2; on RV64, c.addiw */
	reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	iter = stf_inst_iter_new(reader, sizeof(inst));
	CHECK_EQ(stf_inst_iter_next_branch(iter, &inst, &branch), 1);
	CHECK_EQ(branch.kind, STF_BRANCH_DIRECT_CALL);
	CHECK_EQ(branch.target, START_PC - 2);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}
