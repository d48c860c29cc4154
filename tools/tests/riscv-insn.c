// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expected values: the tables of the CTR specification, "Transfer Type
 * Filtering", and encodings as LLVM's assembler made them.
 */
#include "test.h"
#include "riscv/rv_insn.h"

enum { RV64 = 0 };

static struct rv_insn decode(uint32_t word, unsigned int flags)
{
	struct rv_insn insn = { .size = 99 };

	CHECK(rv_decode_word(&insn, word, flags) == insn.size);
	return insn;
}

static unsigned int xfer(uint32_t word)
{
	return decode(word, RV64).xfer;
}

static int32_t offset(uint32_t word)
{
	struct rv_insn insn = decode(word, RV64);

	CHECK(insn.has_offset);
	return insn.offset;
}

/* -------------------------------------------------------------------- length */

TEST(length_follows_the_low_bits)
{
	CHECK_EQ(rv_insn_size(0x0000), 2);
	CHECK_EQ(rv_insn_size(0x8082), 2);
	CHECK_EQ(rv_insn_size(0x0001), 2);
	CHECK_EQ(rv_insn_size(0x0013), 4);
	CHECK_EQ(rv_insn_size(0x0073), 4);
	CHECK_EQ(rv_insn_size(0x001f), 6);
	CHECK_EQ(rv_insn_size(0xffdf), 6);
	CHECK_EQ(rv_insn_size(0x003f), 8);
	CHECK_EQ(rv_insn_size(0x007f), 10);
	CHECK_EQ(rv_insn_size(0x107f), 12);
	CHECK_EQ(rv_insn_size(0x607f), 22);
	CHECK_EQ(rv_insn_size(0x707f), 0);
	CHECK_EQ(rv_insn_size(0xffff), 0);
}

TEST(instructions_that_begin_are_counted)
{
	static const uint8_t code[] = {
		0x13, 0, 0, 0, /* nop */
		0x01, 0, /* c.nop */
		0x1f, 0, 0, 0, 0, 0, /* 6 bytes */
		0x01, 0,
		0x7f, 0x70, /* reserved */
		0x01, 0,
	};

	CHECK_EQ(rv_count_insns(code, 0), 0);
	CHECK_EQ(rv_count_insns(code, 1), 0);
	CHECK_EQ(rv_count_insns(code, 2), 1);
	CHECK_EQ(rv_count_insns(code, 5), 1);
	CHECK_EQ(rv_count_insns(code, 6), 2);
	CHECK_EQ(rv_count_insns(code, 8), 3);
	CHECK_EQ(rv_count_insns(code, 14), 4);
	CHECK_EQ(rv_count_insns(code, sizeof(code)), 4);
}

TEST(code_runs_on_up_to_a_jump_or_to_what_is_none)
{
	static const uint8_t code[] = {
		0x13, 0, 0, 0, /* nop */
		0x73, 0, 0, 0, /* ecall */
		0x63, 0x04, 0, 0, /* beqz zero, 8 */
		0x6f, 0, 0, 0, /* j 0 */
		0x01, 0, /* c.nop */
		0x1f, 0, 0, 0, 0, 0, /* 6 bytes */
		0x01, 0,
	};

	CHECK_EQ(rv_run_on(code, 0, sizeof(code), 0), 0);
	CHECK_EQ(rv_run_on(code, 4, sizeof(code), 0), 4);
	/* The instruction at the end is not looked at. */
	CHECK_EQ(rv_run_on(code, 12, sizeof(code), 0), 12);
	CHECK_EQ(rv_run_on(code, 10, sizeof(code), 0), 12);
	CHECK_EQ(rv_run_on(code, 16, sizeof(code), 0), 12);
	CHECK_EQ(rv_run_on(code + 16, 8, 10, 0), 2);
}

TEST(longer_instructions_are_refused)
{
	static const uint8_t code[24] = { 0x1f };
	struct rv_insn insn = { .raw = 7 };

	CHECK_EQ(rv_decode(&insn, code, sizeof(code), RV64), RV_E_LONG);
	CHECK_EQ(rv_decode_word(&insn, 0xffffffff, RV64), RV_E_LONG);
	CHECK_EQ(insn.raw, 7);
}

TEST(code_that_ends_inside_an_instruction_is_cut)
{
	static const uint8_t code[] = { 0x73, 0x00, 0x20, 0x30 };
	struct rv_insn insn;
	size_t len;

	for (len = 0; len < 4; len++)
		CHECK_EQ(rv_decode(&insn, code, len, RV64), RV_E_CUT);
	CHECK_EQ(rv_decode(&insn, code, 4, RV64), 4);
	CHECK_EQ(insn.raw, 0x30200073);
}

TEST(a_compressed_one_needs_two_bytes_only)
{
	static const uint8_t code[] = { 0x82, 0x80, 0xff };
	struct rv_insn insn;

	CHECK_EQ(rv_decode(&insn, code, 2, RV64), 2);
	CHECK_EQ(insn.raw, 0x8082);
	CHECK_EQ(rv_decode(&insn, code, 3, RV64), 2);
	CHECK_EQ(insn.raw, 0x8082);
}

/* ------------------------------------------------------- the table of opcodes */

static uint32_t jalr(unsigned int rd, unsigned int rs)
{
	return 0x67 | rd << 7 | rs << 15;
}

static uint32_t jal(unsigned int rd)
{
	return 0x6f | rd << 7;
}

static bool x1_or_x5(unsigned int reg)
{
	return reg == 1 || reg == 5;
}

/* The rows of the table that a JALR matches; exactly one has to. */
static unsigned int jalr_rows(unsigned int rd, unsigned int rs)
{
	unsigned int rows = 0;

	if (rd == 1 && rs != 5)
		rows |= 1 << RV_XFER_IND_CALL;
	if (rd == 5 && rs != 1)
		rows |= 1 << RV_XFER_IND_CALL;
	if (rd == 0 && !x1_or_x5(rs))
		rows |= 1 << RV_XFER_IND_JUMP;
	if ((rd == 1 && rs == 5) || (rd == 5 && rs == 1))
		rows |= 1 << RV_XFER_CO_SWAP;
	if (x1_or_x5(rs) && !x1_or_x5(rd))
		rows |= 1 << RV_XFER_RETURN;
	if (!x1_or_x5(rs) && rd != 0 && !x1_or_x5(rd))
		rows |= 1 << RV_XFER_IND_LINK;
	return rows;
}

TEST(jalr_of_every_pair_of_registers)
{
	unsigned int rd, rs;

	for (rd = 0; rd < 32; rd++)
		for (rs = 0; rs < 32; rs++)
			CHECK_EQ(1u << xfer(jalr(rd, rs)), jalr_rows(rd, rs));
}

static bool calls(uint32_t word)
{
	struct rv_insn insn = decode(word, RV64);

	return rv_is_call(&insn);
}

/* Whatever a hart's stack of return addresses makes of `jalr ra, t0`. */
TEST(a_call_links_ra_by_any_register_and_t0_by_any_but_ra)
{
	unsigned int rd, rs;

	for (rd = 0; rd < 32; rd++)
		for (rs = 0; rs < 32; rs++)
			CHECK_EQ(calls(jalr(rd, rs)), rd == 1 || (rd == 5 && rs != 1));
	CHECK(calls(0x9282)); /* c.jalr t0 */
	CHECK(calls(jal(1)) && calls(jal(5)) && !calls(jal(6)));
}

TEST(jalr_immediates_do_not_matter)
{
	CHECK_EQ(xfer(0x008080e7), RV_XFER_IND_CALL); /* jalr ra, 8(ra) */
	CHECK_EQ(xfer(jalr(0, 1) | 0xfffu << 20), RV_XFER_RETURN);
}

TEST(jalr_with_another_funct3_is_reserved)
{
	unsigned int funct3;

	for (funct3 = 1; funct3 < 8; funct3++)
		CHECK_EQ(xfer(jalr(0, 1) | funct3 << 12), RV_XFER_NONE);
}

TEST(jal_of_every_register)
{
	unsigned int rd;

	for (rd = 0; rd < 32; rd++)
		CHECK_EQ(xfer(jal(rd)), rd == 0 ? RV_XFER_DIR_JUMP :
					x1_or_x5(rd) ? RV_XFER_DIR_CALL :
						       RV_XFER_DIR_LINK);
}

TEST(conditional_branches)
{
	static const unsigned int funct3[] = { 0, 1, 4, 5, 6, 7 };
	unsigned int i;

	for (i = 0; i < 6; i++)
		CHECK_EQ(xfer(0x63 | funct3[i] << 12), RV_XFER_BRANCH);
	CHECK_EQ(xfer(0x63 | 2 << 12), RV_XFER_NONE);
	CHECK_EQ(xfer(0x63 | 3 << 12), RV_XFER_NONE);
}

TEST(compressed_branches)
{
	CHECK_EQ(xfer(0xcd7d), RV_XFER_BRANCH); /* c.beqz a0 */
	CHECK_EQ(xfer(0xf081), RV_XFER_BRANCH); /* c.bnez s1 */
}

TEST(compressed_jumps_of_every_register)
{
	unsigned int rs;

	for (rs = 1; rs < 32; rs++) {
		CHECK_EQ(xfer(0x8002 | rs << 7), x1_or_x5(rs) ?
			 RV_XFER_RETURN : RV_XFER_IND_JUMP); /* c.jr */
		CHECK_EQ(xfer(0x9002 | rs << 7), rs == 5 ?
			 RV_XFER_CO_SWAP : RV_XFER_IND_CALL); /* c.jalr */
	}
	CHECK_EQ(xfer(0x8002), RV_XFER_NONE); /* reserved */
}

TEST(c_mv_and_c_add_are_no_jumps)
{
	CHECK_EQ(xfer(0x852e), RV_XFER_NONE); /* c.mv a0, a1 */
	CHECK_EQ(xfer(0x952e), RV_XFER_NONE); /* c.add a0, a1 */
	CHECK_EQ(xfer(0x902e), RV_XFER_NONE); /* a hint */
}

TEST(c_j_is_a_direct_jump)
{
	CHECK_EQ(xfer(0xaffd), RV_XFER_DIR_JUMP);
}

TEST(c_jal_is_one_on_rv32_alone)
{
	struct rv_insn insn = decode(0x2811, RV_RV32);

	CHECK_EQ(insn.xfer, RV_XFER_DIR_CALL);
	CHECK_EQ(insn.offset, 20);
	CHECK_EQ(xfer(0x2505), RV_XFER_NONE); /* c.addiw a0, 1 */
	CHECK(!decode(0x2811, RV64).has_offset);
}

TEST(table_jumps_need_the_option)
{
	unsigned int index;

	for (index = 0; index < 256; index++) {
		uint32_t word = 0xa002 | index << 2;
		struct rv_insn insn = decode(word, RV_ZCM);

		CHECK_EQ(insn.xfer, index < 32 ? RV_XFER_DIR_JUMP :
						 RV_XFER_DIR_CALL);
		CHECK(!insn.has_offset);
		CHECK(!rv_is_indirect(&insn));
		CHECK_EQ(xfer(word), RV_XFER_NONE); /* c.fsdsp */
	}
}

TEST(popret_returns_with_the_option)
{
	unsigned int rlist, low;

	for (rlist = 0; rlist < 16; rlist++) {
		unsigned int want = rlist < 4 ? RV_XFER_NONE : RV_XFER_RETURN;

		low = rlist << 4 | 2;
		CHECK_EQ(decode(0xbe00 | low, RV_ZCM).xfer, want);
		CHECK_EQ(decode(0xbc00 | low, RV_ZCM).xfer, want);
		CHECK_EQ(decode(0xba00 | low, RV_ZCM).xfer, RV_XFER_NONE);
		CHECK_EQ(decode(0xb800 | low, RV_ZCM).xfer, RV_XFER_NONE);
		CHECK_EQ(xfer(0xbe00 | low), RV_XFER_NONE);
	}
	CHECK_EQ(decode(0xac62, RV_ZCM).xfer, RV_XFER_NONE); /* cm.mva01s */
}

TEST(trap_returns)
{
	CHECK_EQ(xfer(0x30200073), RV_XFER_TRAP_RETURN); /* mret */
	CHECK_EQ(xfer(0x10200073), RV_XFER_TRAP_RETURN); /* sret */
	CHECK_EQ(xfer(0x70200073), RV_XFER_TRAP_RETURN); /* mnret */
	CHECK_EQ(xfer(0x7b200073), RV_XFER_TRAP_RETURN); /* dret */
	CHECK_EQ(xfer(0x10500073), RV_XFER_NONE); /* wfi */
	CHECK_EQ(xfer(0x12000073), RV_XFER_NONE); /* sfence.vma */
	CHECK_EQ(xfer(0x10400073), RV_XFER_NONE); /* sctrclr */
}

TEST(what_always_traps)
{
	static const uint32_t words[] = {
		0x00000073, /* ecall */
		0x00100073, /* ebreak */
		0x9002, /* c.ebreak */
		0xc0001073, /* unimp */
		0x0000, /* c.unimp */
	};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct rv_insn insn = decode(words[i], RV64);

		CHECK(rv_always_traps(&insn));
		CHECK(!rv_never_falls_through(&insn));
		CHECK(!rv_is_jump(&insn));
	}
}

TEST(what_never_falls_through)
{
	static const uint32_t words[] = {
		0x0020006f, /* j */
		0x00008067, /* ret */
		0x000500e7, /* jalr a0 */
		0xa009, /* c.j */
		0x8082, /* c.jr ra */
		0x9502, /* c.jalr a0 */
		0x30200073, /* mret */
		0x10200073, /* sret */
	};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct rv_insn insn = decode(words[i], RV64);

		CHECK(rv_never_falls_through(&insn));
	}
}

TEST(what_falls_through)
{
	static const uint32_t words[] = {
		0x00b50863, /* beq */
		0xcd7d, /* c.beqz */
		0x00000013, /* nop */
		0x0001, /* c.nop */
		0x10500073, /* wfi */
	};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct rv_insn insn = decode(words[i], RV64);

		CHECK(!rv_never_falls_through(&insn));
		CHECK(!rv_always_traps(&insn));
	}
}

TEST(indirect_are_those_whose_target_is_not_in_the_opcode)
{
	unsigned int rd, rs;

	for (rd = 0; rd < 32; rd++) {
		struct rv_insn insn = decode(jal(rd), RV64);

		CHECK(!rv_is_indirect(&insn));
		for (rs = 0; rs < 32; rs++) {
			insn = decode(jalr(rd, rs), RV64);
			CHECK(rv_is_indirect(&insn));
			CHECK(!insn.has_offset);
		}
	}
}

/* ----------------------------------------------------------------- immediates */

TEST(offsets_of_branches)
{
	CHECK_EQ(offset(0x00b50863), 16);
	CHECK_EQ(offset(0xfeb518e3), -16);
	CHECK_EQ(offset(0x7eb54fe3), 4094);
	CHECK_EQ(offset(0x80b55063), -4096);
	CHECK_EQ(offset(0x00946163), 2);
	CHECK_EQ(offset(0x40947063), 1024);
}

TEST(offsets_of_jal)
{
	CHECK_EQ(offset(0x7ffff0ef), 1048574);
	CHECK_EQ(offset(0x800002ef), -1048576);
	CHECK_EQ(offset(0x0020006f), 2);
	CHECK_EQ(offset(0x0010006f), 2048);
	CHECK_EQ(offset(0x0000156f), 4096);
}

TEST(offsets_of_c_j)
{
	CHECK_EQ(offset(0xaffd), 2046);
	CHECK_EQ(offset(0xb001), -2048);
	CHECK_EQ(offset(0xa009), 2);
	CHECK_EQ(offset(0xa011), 4);
	CHECK_EQ(offset(0xa021), 8);
	CHECK_EQ(offset(0xa801), 16);
	CHECK_EQ(offset(0xa005), 32);
	CHECK_EQ(offset(0xa081), 64);
	CHECK_EQ(offset(0xa041), 128);
	CHECK_EQ(offset(0xa201), 256);
	CHECK_EQ(offset(0xa401), 512);
	CHECK_EQ(offset(0xa101), 1024);
}

TEST(offsets_of_c_beqz)
{
	CHECK_EQ(offset(0xcd7d), 254);
	CHECK_EQ(offset(0xf081), -256);
	CHECK_EQ(offset(0xc109), 2);
	CHECK_EQ(offset(0xc501), 8);
	CHECK_EQ(offset(0xc105), 32);
	CHECK_EQ(offset(0xc121), 64);
}

/*
 * An encoder that knows nothing but the manual's way of writing immediates:
 * "12|10:5" from bit 31 downwards.
 */
static uint32_t scatter(const char *how, unsigned int top, uint32_t imm)
{
	uint32_t word = 0;
	unsigned int hi, lo;

	while (*how) {
		hi = 0;
		while (*how >= '0' && *how <= '9')
			hi = hi * 10 + (unsigned int)(*how++ - '0');
		lo = hi;
		if (*how == ':') {
			lo = 0;
			for (how++; *how >= '0' && *how <= '9'; how++)
				lo = lo * 10 + (unsigned int)(*how - '0');
		}
		do
			word |= (imm >> hi & 1) << top--;
		while (hi-- > lo);
		if (*how)
			how++;
	}
	return word;
}

static int32_t random_offset(unsigned int width)
{
	uint32_t imm = (uint32_t)test_random() & ((1u << width) - 2);

	return imm >> (width - 1) ? (int32_t)(imm - (1u << width)) :
				    (int32_t)imm;
}

TEST(any_offset_survives_encoding)
{
	unsigned int n;

	for (n = 0; n < 20000; n++) {
		uint32_t rest = (uint32_t)test_random();
		int32_t imm;
		uint32_t u;

		imm = random_offset(13);
		u = (uint32_t)imm;
		CHECK_EQ(offset(scatter("12|10:5", 31, u) |
				scatter("4:1|11", 11, u) | 0x63 |
				(rest & 0x01ff8000)), imm);
		imm = random_offset(21);
		u = (uint32_t)imm;
		CHECK_EQ(offset(scatter("20|10:1|11|19:12", 31, u) | 0x6f |
				(rest & 0xf80)), imm);
		imm = random_offset(12);
		u = (uint32_t)imm;
		CHECK_EQ(offset(scatter("11|4|9:8|10|6|7|3:1|5", 12, u) |
				0xa001), imm);
		imm = random_offset(9);
		u = (uint32_t)imm;
		CHECK_EQ(offset(scatter("8|4:3", 12, u) |
				scatter("7:6|2:1|5", 6, u) |
				(rest & 0x2380) | 0xc001), imm);
	}
}

TEST(targets_are_relative_to_the_pc)
{
	struct rv_insn insn = decode(0xfeb518e3, RV64); /* bne -16 */
	uint64_t target = 0;

	CHECK(rv_target(&insn, 0x1000, &target));
	CHECK_EQ(target, 0xff0);
	CHECK(rv_target(&insn, 8, &target));
	CHECK_EQ(target, UINT64_MAX - 7);
	insn = decode(0x8082, RV64);
	CHECK(!rv_target(&insn, 0x1000, &target));
	CHECK_EQ(target, UINT64_MAX - 7);
}

TEST(any_bytes_decode_without_harm)
{
	unsigned int n;

	for (n = 0; n < 100000; n++) {
		uint64_t r = test_random();
		uint8_t code[4];
		struct rv_insn insn;
		size_t len = r >> 32 & 3;
		int size;

		memcpy(code, &r, sizeof(code));
		size = rv_decode(&insn, code, 1 + len, r >> 34 & 3);
		if (size < 0)
			continue;
		CHECK(size == 2 || size == 4);
		CHECK(insn.xfer < 16);
		CHECK(insn.has_offset == (insn.xfer == RV_XFER_BRANCH ||
					  (rv_is_jump(&insn) &&
					   !rv_is_indirect(&insn) &&
					   (insn.raw & 0xe003) != 0xa002)));
		CHECK(!insn.has_offset || !(insn.offset & 1));
	}
}

TEST(types_have_names)
{
	CHECK_STR(rv_xfer_name(RV_XFER_IND_CALL), "indirect call");
	CHECK_STR(rv_xfer_name(RV_XFER_RETURN), "return");
	CHECK_STR(rv_xfer_name(RV_XFER_NONE), "");
	CHECK_STR(rv_xfer_name(16), "");
}

/* -------------------------------------------------------------- the quick look */

/* For each first parcel, whatever follows it and whatever the hart has. */
TEST(what_runs_on_is_no_transfer_but_a_branch)
{
	static const uint32_t highs[] = { 0, 0x0010, 0x1020, 0x3020, 0x7020,
					  0x7b20, 0xc000, 0xffff };
	uint32_t parcel, yes = 0;
	unsigned int i, flags;

	for (parcel = 0; parcel <= UINT16_MAX; parcel++) {
		if (!rv_runs_on(parcel))
			continue;
		yes++;
		for (i = 0; i < 8; i++) {
			for (flags = 0; flags < 4; flags++) {
				struct rv_insn insn =
					decode(highs[i] << 16 | parcel, flags);

				CHECK_EQ(insn.size, (parcel & 3) == 3 ? 4 : 2);
				CHECK(insn.xfer == RV_XFER_NONE ||
				      insn.xfer == RV_XFER_BRANCH);
			}
		}
	}
	/* Nearly all do: an addi and a c.ld, to name two. */
	CHECK(yes > 45000);
	CHECK(rv_runs_on(0x0513));
	CHECK(rv_runs_on(0x6108));
}
