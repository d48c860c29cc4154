// SPDX-License-Identifier: GPL-2.0-only
/* The checker: a trace that keeps to all rules, and one that breaks each. */
#include "stf-build.h"
#include "stf/stf.h"

static struct bytes t;

enum {
	NOP = 0x13,
	LW = 0x00052503,
	FLH = 0x00051007,
	SW = 0x00a52023,
	JAL_8 = 0x0080006f,
	RET = 0x00008067,
	BEQ_16 = 0x00000863,
	VADD = 0x02008057,
	VAESDM = 0xa2402477, /* vaesdm.vv v8, v4 */
};

/* Header records that single tests leave out or replace. */
enum part {
	COMMENT = 1, ISA = 2, IEM = 4, INFO = 8, FEATURES = 16, PROCESS = 32,
	PC = 64, END = 128, ALL = 255,
};

static uint64_t features = FEATURES_RV64;

static void header(unsigned int parts)
{
	b_start(&t);
	if (parts & COMMENT)
		b_comment(&t, "hi");
	if (parts & ISA) {
		b8(&t, 4);
		b16(&t, 1);
	}
	if (parts & IEM) {
		b8(&t, 5);
		b16(&t, 2);
	}
	if (parts & INFO) {
		b8(&t, 6);
		b32(&t, 6);
		b16(&t, 0);
	}
	if (parts & FEATURES) {
		b8(&t, 7);
		b64(&t, features);
	}
	if (parts & PROCESS) {
		b8(&t, 8);
		b64(&t, 0);
		b32(&t, 0);
	}
	if (parts & PC)
		b_pc(&t, 9, START_PC);
	if (parts & END)
		b8(&t, 19);
}

static void event(uint64_t id, unsigned int n, uint64_t field)
{
	b8(&t, 100);
	b64(&t, id);
	b8(&t, n);
	while (n--)
		b64(&t, field);
}

/* The same with where it leads. */
static void trap(uint64_t id, unsigned int n, uint64_t field)
{
	event(id, n, field);
	b_pc(&t, 101, START_PC);
}

static void mode(void)
{
	event(STF_EVENT_MODE_CHANGE, 1, 0);
}

/* A header and the first instruction, all in order. */
static void begin(void)
{
	features = FEATURES_RV64;
	header(ALL);
	mode();
	b_inst32(&t, NOP);
}

static void access_of(unsigned int desc, unsigned int size, unsigned int type)
{
	b8(&t, desc);
	b64(&t, 0x1000);
	b16(&t, size);
	b16(&t, desc == 60 ? 0 : 1 /* CORE */);
	if (desc == 62)
		b32(&t, 0);
	b8(&t, type);
}

static struct stf_check check(int want)
{
	struct stf_check res = { .size = sizeof(res) };
	struct stf_reader *r;

	write_file(in_tmpdir("t.stf"), t.v, t.n);
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	CHECK(r);
	CHECK_EQ(stf_check(r, &res), want);
	stf_reader_close(r);
	return res;
}

/* This rule is broken n times, and no other is. */
static struct stf_found only(enum stf_rule rule, unsigned int n)
{
	struct stf_check res = check(0);
	unsigned int i;

	for (i = 0; i < STF_N_RULES; i++)
		if (i != rule && res.found[i].count)
			test_fail(__FILE__, __LINE__, "%s for %s",
				  stf_rule_name(i), stf_rule_name(rule));
	if (rule < STF_N_RULES && res.found[rule].count != n)
		test_fail(__FILE__, __LINE__, "%s: %d times",
			  stf_rule_name(rule), (int)res.found[rule].count);
	return res.found[rule < STF_N_RULES ? rule : 0];
}

TEST(a_good_trace_has_no_faults)
{
	begin();
	access_of(60, 4, 1);
	b_pc(&t, 61, 5);
	b_inst32(&t, LW);
	access_of(60, 16, 2);
	b_pc(&t, 61, 5);
	b_pc(&t, 61, 6);
	access_of(62, 8, 1);
	b_pc(&t, 63, 6);
	event(STF_EVENT_INTERRUPT | 5, 1, 0);
	b_pc(&t, 101, 0x9000);
	b_inst32(&t, SW);
	b_pc(&t, 31, 0x9008);
	b_inst32(&t, JAL_8);
	b_inst32(&t, BEQ_16);
	b_pc(&t, 31, 0x901c);
	b_inst32(&t, BEQ_16);
	b_pc(&t, 31, 0x40);
	b_inst32(&t, RET);
	only(STF_N_RULES, 0);
}

TEST(the_place_is_that_of_the_first)
{
	struct stf_found f;
	size_t at;

	begin();
	b_inst16(&t, 1);
	at = t.n;
	b_inst32(&t, LW);
	b_inst32(&t, LW);
	f = only(STF_RULE_MEM_MISSING, 2);
	CHECK_EQ(f.offset, at);
	CHECK_EQ(f.record, 13);
	CHECK_EQ(f.instruction, 2);
	CHECK_EQ(f.pc, START_PC + 6);
}

static void without(unsigned int part, enum stf_rule rule)
{
	features = FEATURES_RV64;
	header(ALL & ~part);
	mode();
	b_inst32(&t, NOP);
	only(rule, 1);
}

TEST(header_records_that_are_missing)
{
	without(COMMENT, STF_RULE_NO_COMMENT);
	without(INFO, STF_RULE_NO_TRACE_INFO);
	without(PROCESS, STF_RULE_NO_PROCESS);
	without(PC, STF_RULE_NO_FORCE_PC);
	header(ALL);
	b_inst32(&t, NOP);
	only(STF_RULE_NO_MODE, 1);
	header(ALL & ~ISA);
	mode();
	b_inst32(&t, NOP);
	CHECK_EQ(check(0).found[STF_RULE_NO_ISA].count, 1);
	CHECK_EQ(check(0).found[STF_RULE_IEM_BEFORE_ISA].count, 1);
	header(ALL & ~IEM);
	mode();
	b_inst32(&t, NOP);
	CHECK_EQ(check(0).found[STF_RULE_NO_IEM].count, 1);
	header(ALL & ~FEATURES);
	b_inst32(&t, NOP);
	CHECK_EQ(check(0).found[STF_RULE_NO_FEATURES].count, 1);
	header(ALL & ~END);
	b_inst32(&t, NOP);
	CHECK_EQ(check(0).found[STF_RULE_NO_END_HEADER].count, 1);
	CHECK_EQ(check(0).found[STF_RULE_HEADER_FOREIGN].count, 1);
}

/* A header with more in it, put together by the caller. */
static void finish(void)
{
	b8(&t, 19);
	mode();
	b_inst32(&t, NOP);
}

static void open_header(void)
{
	features = FEATURES_RV64;
	header(ALL & ~END);
}

TEST(header_records_that_are_wrong)
{
	open_header();
	b8(&t, 10);
	b32(&t, 128);
	b8(&t, 10);
	b32(&t, 128);
	finish();
	only(STF_RULE_HEADER_TWICE, 1);
	begin();
	b8(&t, 5);
	b16(&t, 2);
	b_inst32(&t, NOP);
	only(STF_RULE_HEADER_LATE, 1);
	open_header();
	b8(&t, 3);
	b32(&t, 1);
	b8(&t, 0);
	finish();
	only(STF_RULE_COMMENT_NUL, 1);
	open_header();
	b8(&t, 6);
	b32(&t, 99);
	b16(&t, 0);
	finish();
	only(STF_RULE_GENERATOR_VALUE, 1);
	features = FEATURES_RV64 | UINT64_C(1) << 60;
	header(ALL);
	mode();
	b_inst32(&t, NOP);
	only(STF_RULE_FEATURE_VALUE, 1);
	features = FEATURES_RV64 & ~0x20u;
	header(ALL);
	mode();
	b_inst32(&t, NOP);
	only(STF_RULE_FEATURE_RV64, 1);
	features = FEATURES_RV64 | 0x100000;
	header(ALL);
	mode();
	b_inst32(&t, NOP);
	only(STF_RULE_FEATURE_TRANSACTIONS, 1);
	open_header();
	b8(&t, 12);
	b8(&t, 0);
	b16(&t, 0);
	finish();
	CHECK_EQ(check(0).found[STF_RULE_CLOCK_VALUE].count, 1);
	CHECK_EQ(check(0).found[STF_RULE_CLOCK_FOREIGN].count, 1);
	header(COMMENT);
	b8(&t, 4);
	b16(&t, 0);
	b8(&t, 5);
	b16(&t, 3);
	CHECK_EQ(check(0).found[STF_RULE_ISA_VALUE].count, 1);
	CHECK_EQ(check(0).found[STF_RULE_IEM_VALUE].count, 1);
}

TEST(kinds_whose_feature_is_clear)
{
	begin();
	b8(&t, 230);
	b8(&t, 4);
	b32(&t, 0);
	b_inst32(&t, NOP);
	only(STF_RULE_FEATURE_CLEAR, 1);
	features = FEATURES_RV64 | 0x100;
	header(ALL);
	access_of(60, 4, 1);
	b_pc(&t, 61, 5);
	mode();
	b_inst32(&t, LW);
	only(STF_RULE_FEATURE_PTE, 1);
	begin();
	b_inst32(&t, VADD);
	b_inst32(&t, VAESDM);
	only(STF_RULE_NO_VLEN, 2);
}

TEST(the_order_in_a_group)
{
	begin();
	mode();
	b_pc(&t, 31, START_PC + 12);
	b_inst32(&t, JAL_8);
	only(STF_RULE_GROUP_ORDER, 1);
	begin();
	mode();
	only(STF_RULE_GROUP_OPEN, 1);
	begin();
	access_of(60, 4, 1);
	b_inst32(&t, LW);
	only(STF_RULE_MEM_NO_CONTENT, 1);
	begin();
	b_pc(&t, 61, 1);
	b_inst32(&t, NOP);
	only(STF_RULE_MEM_NO_ACCESS, 1);
	begin();
	access_of(60, 32, 1);
	b_pc(&t, 61, 1);
	b_inst32(&t, LW);
	only(STF_RULE_MEM_CONTENTS, 1);
	/* Between contents, as the writer takes it. */
	begin();
	access_of(60, 16, 1);
	b_pc(&t, 61, 1);
	b_comment(&t, "between");
	b_pc(&t, 61, 2);
	access_of(62, 16, 1);
	b_pc(&t, 63, 1);
	b_pc(&t, 9, START_PC);
	b_pc(&t, 63, 2);
	b_inst32(&t, LW);
	only(STF_N_RULES, 0);
	begin();
	access_of(60, 16, 1);
	b_pc(&t, 61, 1);
	b_comment(&t, "behind the only one");
	b_inst32(&t, LW);
	only(STF_RULE_MEM_CONTENTS, 1);
	begin();
	access_of(62, 4, 1);
	b_inst32(&t, NOP);
	only(STF_RULE_BUS_NO_CONTENT, 1);
	begin();
	b_pc(&t, 63, 1);
	b_inst32(&t, NOP);
	only(STF_RULE_BUS_NO_ACCESS, 1);
	begin();
	access_of(62, 4, 1);
	b_pc(&t, 63, 1);
	b_pc(&t, 63, 1);
	b_inst32(&t, NOP);
	only(STF_RULE_BUS_CONTENTS, 1);
	begin();
	b_pc(&t, 101, 0x100);
	b_inst32(&t, NOP);
	only(STF_RULE_EVENT_TARGET_ALONE, 1);
}

TEST(reserved_values)
{
	begin();
	access_of(60, 4, 3);
	b_pc(&t, 61, 1);
	trap(13, 3, 0);
	b_inst32(&t, LW);
	only(STF_RULE_MEM_TYPE, 1);
	begin();
	access_of(62, 4, 0);
	b_pc(&t, 63, 1);
	b_inst32(&t, NOP);
	only(STF_RULE_BUS_TYPE, 1);
	begin();
	b8(&t, 62);
	b64(&t, 0);
	b16(&t, 4);
	b8(&t, 0);
	b8(&t, 0);
	b32(&t, 0);
	b8(&t, 1);
	b_pc(&t, 63, 1);
	b_inst32(&t, NOP);
	only(STF_RULE_BUS_INITIATOR, 1);
	begin();
	b8(&t, 40);
	b16(&t, 1);
	b8(&t, 0x15); /* STATE, type 5 */
	b64(&t, 0);
	b_inst32(&t, NOP);
	only(STF_RULE_REG_TYPE, 1);
	begin();
	b8(&t, 40);
	b16(&t, 1);
	b8(&t, 0x41);
	b64(&t, 0);
	b_inst32(&t, NOP);
	only(STF_RULE_REG_OPERAND, 1);
	begin();
	b8(&t, 40);
	b16(&t, 33);
	b8(&t, 0x11);
	b64(&t, 0);
	b_inst32(&t, NOP);
	only(STF_RULE_REG_NUMBER, 1);
}

/* The privileged specification reserves 14 and 17; 18 and 19 have a meaning. */
TEST(causes_that_are_reserved)
{
	begin();
	trap(17, 3, 0);
	b_inst32(&t, NOP);
	only(STF_RULE_EVENT_ID, 1);
	begin();
	trap(18, 3, 0);
	trap(19, 3, 0);
	b_inst32(&t, NOP);
	only(STF_N_RULES, 0);
}

TEST(events)
{
	begin();
	trap(14, 3, 0);
	b_inst32(&t, NOP);
	only(STF_RULE_EVENT_ID, 1);
	begin();
	trap(13, 2, 0);
	b_inst32(&t, NOP);
	only(STF_RULE_EVENT_FIELDS, 1);
	begin();
	event(STF_EVENT_MODE_CHANGE, 1, 4);
	b_inst32(&t, NOP);
	only(STF_RULE_MODE_VALUE, 1);
}

TEST(memory_that_does_not_fit_the_instruction)
{
	begin();
	b_inst32(&t, FLH);
	only(STF_RULE_MEM_MISSING, 1);
	begin();
	b_inst32(&t, SW);
	only(STF_RULE_MEM_MISSING, 1);
	begin();
	access_of(60, 4, 1);
	b_pc(&t, 61, 1);
	b_inst32(&t, NOP);
	only(STF_RULE_MEM_FOREIGN, 1);
	begin();
	access_of(60, 4, 1);
	b_pc(&t, 61, 1);
	b_inst32(&t, SW);
	only(STF_RULE_MEM_DIRECTION, 1);
	/* c.lbu a0, 0(a0); c.lh; c.sb; c.sh; hlv.b a0, (a0); hsv.b a0, (a0) */
	begin();
	b_inst16(&t, 0x8108);
	b_inst16(&t, 0x8548);
	b_inst16(&t, 0x8908);
	b_inst16(&t, 0x8d08);
	b_inst32(&t, 0x60054573);
	b_inst32(&t, 0x62a54073);
	only(STF_RULE_MEM_MISSING, 6);
	begin();
	access_of(60, 1, 1);
	b_pc(&t, 61, 1);
	b_inst16(&t, 0x8908);
	only(STF_RULE_MEM_DIRECTION, 1);
	/* c.sspush ra, of Zicfiss, is a c.mop.1 that does nothing on other harts. */
	begin();
	access_of(60, 8, 2);
	b_pc(&t, 61, 1);
	b_inst16(&t, 0x6081);
	b_inst16(&t, 0x6081);
	only(STF_N_RULES, 0);
	begin();
	mode();
	b_inst32(&t, LW);
	only(STF_RULE_MEM_MISSING, 1);
	/* What trapped did not get to its memory. */
	begin();
	trap(13, 3, 0);
	b_inst32(&t, LW);
	only(STF_N_RULES, 0);
}

TEST(flow_that_does_not_fit_the_instruction)
{
	begin();
	b_inst32(&t, RET);
	only(STF_RULE_JUMP_NO_TARGET, 1);
	begin();
	mode();
	b_inst32(&t, RET);
	only(STF_RULE_JUMP_NO_TARGET, 1);
	begin();
	b_pc(&t, 31, 0x8000);
	b_inst32(&t, NOP);
	only(STF_RULE_TARGET_FOREIGN, 1);
	begin();
	b_pc(&t, 31, START_PC + 4 + 10);
	b_inst32(&t, JAL_8);
	only(STF_RULE_TARGET_WRONG, 1);
	begin();
	b_inst32(&t, 0x1);
	only(STF_RULE_INST_WIDTH, 1);
}

/* c.j and c.beqz, by the offsets that the assembler gave them. */
TEST(targets_of_compressed_branches)
{
	begin();
	b_pc(&t, 31, START_PC + 4 - 2);
	b_inst16(&t, 0xbffd); /* c.j -2 */
	b_pc(&t, 31, START_PC + 4);
	b_inst16(&t, 0xa009); /* c.j +2 */
	b_pc(&t, 31, START_PC + 4 - 32);
	b_inst16(&t, 0xd165); /* c.beqz a0, -32 */
	only(STF_N_RULES, 0);
}

/* stf_extract writes a target for each event that is no MODE_CHANGE. */
TEST(events_without_a_target)
{
	begin();
	event(8, 1, 0);
	b_inst32(&t, 0x73);
	b_inst32(&t, NOP);
	only(STF_RULE_EVENT_NO_TARGET, 1);
	begin();
	event(STF_EVENT_INTERRUPT | 5, 1, 0);
	trap(8, 1, 0);
	b_inst32(&t, 0x73);
	only(STF_RULE_EVENT_NO_TARGET, 1);
	begin();
	trap(8, 1, 0);
	trap(8, 1, 0);
	b_inst32(&t, 0x73);
	mode();
	trap(8, 1, 0);
	b_inst32(&t, 0x73);
	only(STF_N_RULES, 0);
}

/* stf_branch_dump stops where the next instruction is elsewhere. */
TEST(taken_branches_whose_target_does_not_follow)
{
	begin();
	b_pc(&t, 31, START_PC + 12);
	b_inst32(&t, JAL_8);
	b_pc(&t, 9, 0x9000);
	b_inst32(&t, NOP);
	b_pc(&t, 9, START_PC);
	b_inst32(&t, NOP);
	only(STF_RULE_TARGET_SKIPPED, 1);
	begin();
	b_pc(&t, 31, START_PC + 12);
	mode();
	b_inst32(&t, JAL_8);
	b_pc(&t, 9, 0x9000);
	b_inst32(&t, NOP);
	only(STF_RULE_TARGET_SKIPPED, 1);
	begin();
	b_pc(&t, 31, START_PC + 12);
	b_inst32(&t, JAL_8);
	b_pc(&t, 9, START_PC + 12);
	b_inst32(&t, NOP);
	b_pc(&t, 31, 0x40);
	trap(STF_EVENT_INTERRUPT | 13, 1, 0);
	b_inst32(&t, RET);
	b_pc(&t, 9, 0x9000);
	b_inst32(&t, NOP);
	b_pc(&t, 31, 0x40); /* the end is no other place */
	b_inst32(&t, RET);
	only(STF_N_RULES, 0);
}

/* 0xbcbe is c.fsdsp fa5, 120(sp), and would be cm.popretz on a hart with Zcmp. */
TEST(stores_that_readers_take_for_returns)
{
	begin();
	b_inst16(&t, 0xbcbe);
	b_inst16(&t, 0xbe02);
	b_inst16(&t, 0xa022); /* other c.fsdsp */
	b_inst16(&t, 0xb802);
	b_inst16(&t, 0xbd02);
	only(STF_RULE_FSDSP_POPRET, 2);
	begin();
	access_of(60, 8, 2);
	b_pc(&t, 61, 1);
	b_inst16(&t, 0xbcbe);
	trap(STF_EVENT_INTERRUPT | 13, 1, 0);
	b_inst16(&t, 0xbcbe);
	only(STF_N_RULES, 0);
}

/* A header as Dromajo and then stf_extract make it. */
static void begin_dromajo(void)
{
	features = FEATURES_RV64;
	header(ALL & ~(INFO | END));
	b8(&t, 6);
	b32(&t, 12);
	b16(&t, 0);
	b8(&t, 6);
	b32(&t, 7);
	b16(&t, 0);
	b8(&t, 19);
	mode();
	b_inst32(&t, NOP);
}

TEST(sizes_in_bits)
{
	unsigned int size;

	begin_dromajo();
	for (size = 4; size <= 64; size *= 2) {
		access_of(60, size, 1);
		b_pc(&t, 61, 5);
		b_inst32(&t, LW);
	}
	access_of(60, 128, 1);
	b_pc(&t, 61, 5);
	b_pc(&t, 61, 6);
	b_inst32(&t, LW);
	only(STF_N_RULES, 0);
	access_of(60, 128, 1);
	b_pc(&t, 61, 5);
	b_inst32(&t, LW);
	only(STF_RULE_MEM_CONTENTS, 1);
}

/* A trace of transactions with this header. */
static struct stf_check check_transactions(unsigned int parts)
{
	header(parts);
	b8(&t, 6);
	b32(&t, 0x40);
	b16(&t, 0);
	b8(&t, 7);
	b64(&t, STF_FEATURE_TRANSACTIONS);
	b8(&t, 11);
	b8(&t, 1);
	b8(&t, 19);
	b8(&t, 250);
	b64(&t, 1);
	b64(&t, 2);
	b8(&t, 9);
	b16(&t, 0);
	b8(&t, 5);
	b64(&t, 0x99);
	return check(0);
}

/* The example of the reference library: generator 0x40, neither ISA nor INST_IEM. */
TEST(transactions_need_no_isa)
{
	struct stf_check res = check_transactions(COMMENT);
	unsigned int i;

	for (i = 0; i < STF_N_RULES; i++)
		if (res.found[i].count)
			test_fail(__FILE__, __LINE__, "%s", stf_rule_name(i));
	CHECK_STR(stf_generator_name(0x40), "STF_TRANSACTION_EXAMPLE");
	CHECK(!stf_generator_name(0x41) && !stf_generator_name(15));
}

static struct zstf z;

static uint64_t wrong_pcs_of_index(void)
{
	struct stf_check res = { .size = sizeof(res) };
	struct stf_reader *r;

	z_index(&z);
	r = stf_reader_open_memory(z.b.v, z.b.n, NULL, NULL);
	CHECK(r);
	CHECK_EQ(stf_check(r, &res), 0);
	stf_reader_close(r);
	return res.found[STF_RULE_INDEX_PC].count;
}

/* A chunk that begins with a FORCE_PC needs no PC in the index. */
TEST(the_index_has_the_pc_of_each_chunk)
{
	struct bytes forced = { .n = 0 }, *more = &forced;
	size_t n;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		b_header(&t, FEATURES_RV64);
		b_inst32(&t, NOP);
		n = t.n;
		b_inst16(&t, 1);
		more->n = 0;
		b_pc(more, 9, 0x500);
		b_inst32(more, NOP);
		z_start(&z, 1);
		z_chunk(&z, t.v, n, 0);
		z_chunk(&z, t.v + n, t.n - n, START_PC + (i & 1 ? 6 : 4));
		z_chunk(&z, more->v, more->n, i & 2 ? 0x500 : 0);
		CHECK_EQ(wrong_pcs_of_index(), i & 1);
	}
}

TEST(transactions_in_a_trace_of_instructions)
{
	begin();
	b8(&t, 251);
	b64(&t, 0);
	b64(&t, 0);
	b8(&t, 1);
	CHECK_EQ(check(0).found[STF_RULE_KIND_MIXED].count, 1);
}

TEST(a_trace_that_cannot_be_read_is_checked_up_to_there)
{
	begin();
	b_inst32(&t, RET);
	b8(&t, 200);
	CHECK_EQ(check(STF_E_DESC).found[STF_RULE_JUMP_NO_TARGET].count, 1);
}

TEST(every_rule_has_a_name_and_a_text)
{
	unsigned int i, k;

	for (i = 0; i < STF_N_RULES; i++) {
		CHECK(stf_rule_name(i) && stf_rule_text(i));
		for (k = 0; k < i; k++)
			CHECK(strcmp(stf_rule_name(i), stf_rule_name(k)));
	}
	CHECK_STR(stf_rule_name(STF_RULE_NO_COMMENT), "NO_COMMENT");
	CHECK_STR(stf_rule_name(STF_RULE_FEATURE_TRANSACTIONS),
		  "FEATURE_TRANSACTIONS");
	CHECK(!stf_rule_name(STF_N_RULES) && !stf_rule_text(STF_N_RULES));
}
