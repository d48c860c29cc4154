// SPDX-License-Identifier: GPL-2.0-only
/* Paths: every reason to break, what is still shown, and how it goes on. */
#include "path-build.h"

static const uint16_t code[] = {
	0x0505,			/* 00: c.addi a0, 1 */
	0x8513, 0x0015,		/* 02: addi a0, a1, 1 */
	0xa011,			/* 06: c.j 0x0a */
	0x0001,			/* 08: c.nop */
	0x0505,			/* 0a: c.addi a0, 1 */
	0x0463, 0x00b5,		/* 0c: beq a0, a1, 0x14 */
	0x0001,			/* 10: c.nop */
	0x8082,			/* 12: ret */
	0x0505,			/* 14: c.addi a0, 1 */
	0x0000,			/* 16: c.unimp */
	0x0505,			/* 18: c.addi a0, 1 */
	0x0073, 0x0000,		/* 1a: ecall */
	0x8082,			/* 1e: ret */
	0x0505,			/* 20: c.addi a0, 1 */
	0x001f, 0, 0,		/* 22: the start of a 48-bit instruction */
	0x8082,			/* 28: ret */
	0x0505,			/* 2a: c.addi a0, 1 */
	0x0537, 0x8082,		/* 2c: lui a0, 0x80820 */
	0x8513,			/* 30: the first half of an addi */
};

/* ret alone, in a page of its own. */
static const uint16_t alone[] = {
	0x8082,			/* 00: ret */
};

enum { AT = 0x10000, ALONE = 0x20000, NOWHERE = 0x30000 };
#define KERNEL_AT 0xffffffff80000000

static struct memory memory = {
	.regions = { { AT, sizeof(code), code },
		     { ALONE, sizeof(alone), alone },
		     { KERNEL_AT, sizeof(code), code } },
	.nr = 3,
	.why = IMG_MISSING,
};

static struct path *path;
static const struct path_run *runs;
static int nr_runs;

static void decode(const struct path_transfer *t, size_t nr, uint64_t ip,
		   unsigned int flags)
{
	path_free(path);
	path = memory_path(&memory);
	nr_runs = path_decode(path, 1, t, nr, ip, flags);
	runs = path_runs(path);
}

/* Where it goes on. */
static void check_next(uint64_t pc, unsigned int again, bool connected)
{
	const struct path_next *next = path_next(path);

	CHECK_EQ(next->pc, pc);
	CHECK_EQ(next->again, again);
	CHECK_EQ(next->connected, connected);
}

static void done(void)
{
	path_free(path);
	path = NULL;
}

/*
 * From target to source there is no line, for the reason why. Nothing of it is shown,
 * not even at target, where a signal may have come, nor the return that leads there.
 * The return at source and what follows are whole.
 */
static void check_line(int line, uint64_t target, uint64_t source,
		       enum path_break why, unsigned int flags)
{
	const struct path_transfer t[] = {
		{ AT + 0x12, target, PERF_BR_RET },
		{ source, AT + 0x00, PERF_BR_RET },
	};

	decode(t, 2, AT + 0x02, flags);
	if (nr_runs != 3 || runs[0].why != why)
		test_fail(__FILE__, line, "%d runs, %s", nr_runs,
			  path_break_text(runs[0].why));
	CHECK_EQ(runs[0].end, PATH_END_BREAK);
	CHECK_EQ(runs[0].nr_insns, 0);
	CHECK_EQ(runs[1].pc, source);
	CHECK_EQ(runs[1].nr_insns, 1);
	CHECK_EQ(runs[1].end, PATH_END_BRANCH);
	CHECK_EQ(runs[1].transfer, 1);
	CHECK(!runs[1].connected);
	CHECK_EQ(runs[2].pc, AT);
	CHECK_EQ(runs[2].nr_insns, 2);
	CHECK_EQ(runs[2].end, PATH_END_IP);
	CHECK_EQ(runs[2].why, PATH_OK);
	done();
}

#define CHECK_LINE(...) check_line(__LINE__, __VA_ARGS__)

TEST(line_with_an_unconditional_jump)
{
	CHECK_LINE(AT + 0x00, AT + 0x12, PATH_JUMP, 0);
	/* At its very start. */
	CHECK_LINE(AT + 0x06, AT + 0x12, PATH_JUMP, 0);
}

TEST(line_that_starts_with_a_branch_and_breaks)
{
	CHECK_LINE(AT + 0x0c, AT + 0x1e, PATH_JUMP, 0);
}

TEST(line_backwards)
{
	CHECK_LINE(AT + 0x14, AT + 0x12, PATH_BACKWARDS, 0);
}

TEST(line_into_another_mode)
{
	CHECK_LINE(AT + 0x14, KERNEL_AT + 0x12, PATH_OTHER_MODE, PATH_KERNEL);
	CHECK_LINE(KERNEL_AT + 0x14, AT + 0x12, PATH_OTHER_MODE, PATH_KERNEL);
}

TEST(line_with_what_never_runs)
{
	CHECK_LINE(AT + 0x14, AT + 0x1e, PATH_TRAP, 0);
}

TEST(line_with_a_system_call_where_the_kernel_is_recorded)
{
	CHECK_LINE(AT + 0x18, AT + 0x1e, PATH_TRAP, PATH_KERNEL);
}

TEST(line_with_no_instruction)
{
	CHECK_LINE(AT + 0x20, AT + 0x28, PATH_UNDEFINED, 0);
	CHECK_LINE(AT + 0x22, AT + 0x28, PATH_UNDEFINED, 0);
}

TEST(line_in_unknown_code)
{
	CHECK_LINE(NOWHERE, AT + 0x12, PATH_UNKNOWN_CODE, 0);
	CHECK_LINE(AT + 0x30, AT + 0x12, PATH_UNKNOWN_CODE, 0);
}

TEST(line_that_leaves_known_code)
{
	CHECK_LINE(AT + 0x18, ALONE, PATH_UNKNOWN_CODE, 0);
	/* Into a file that is mapped right behind it. */
	memory.regions[3] = (struct region){ ALONE + 2, sizeof(alone), alone };
	memory.nr = 4;
	CHECK_LINE(ALONE, ALONE + 2, PATH_UNKNOWN_CODE, 0);
	memory.nr = 3;
}

TEST(line_too_long)
{
	static uint16_t nops[PATH_MAX_LINE / 2 + 8];
	size_t i;

	for (i = 0; i < sizeof(nops) / 2; i++)
		nops[i] = 0x0001;	/* c.nop */
	nops[PATH_MAX_LINE / 2] = 0x8082;	/* ret */
	nops[PATH_MAX_LINE / 2 + 1] = 0x8082;
	memory.regions[3] = (struct region){ 0x1000000, sizeof(nops), nops };
	memory.nr = 4;
	CHECK_LINE(0x1000000, 0x1000002 + PATH_MAX_LINE, PATH_TOO_FAR, 0);
	memory.nr = 3;
}

TEST(source_not_recorded)
{
	const struct path_transfer t[] = {
		{ AT + 0x12, AT + 0x00, PERF_BR_RET },
		{ 0, AT + 0x0a, PERF_BR_IRQ },
	};

	decode(t, 2, AT + 0x0c, 0);
	CHECK_EQ(nr_runs, 2);
	CHECK_EQ(runs[0].why, PATH_NO_SOURCE);
	CHECK_EQ(runs[0].nr_insns, 0);
	CHECK_EQ(runs[1].pc, AT + 0x0a);
	CHECK_EQ(runs[1].why, PATH_OK);
	CHECK_EQ(runs[1].nr_insns, 2);
	CHECK(!runs[1].connected);
	done();
}

TEST(path_may_start_at_a_target)
{
	const struct path_transfer t = { 0, AT + 0x0a, PERF_BR_IRQ };

	decode(&t, 1, AT + 0x0c, 0);
	CHECK_EQ(nr_runs, 1);
	CHECK_EQ(runs[0].why, PATH_OK);
	CHECK_EQ(runs[0].pc, AT + 0x0a);
	CHECK_EQ(runs[0].end, PATH_END_IP);
	done();
}

TEST(target_not_recorded)
{
	const struct path_transfer t[] = {
		{ AT + 0x12, AT + 0x0a, PERF_BR_RET },
		{ AT + 0x0c, 0, PERF_BR_IRQ },
		{ AT + 0x12, AT + 0x00, PERF_BR_RET },
	};

	decode(t, 3, AT + 0x02, 0);
	/* The interrupted beq is known to be where it came; then a break. */
	CHECK_EQ(runs[1].end, PATH_END_TRAP);
	CHECK_EQ(runs[1].why, PATH_OK);
	CHECK_EQ(runs[1].nr_insns, 2);
	CHECK(!runs[1].target_shown);
	CHECK_EQ(runs[2].why, PATH_NO_TARGET);
	CHECK_EQ(runs[2].nr_insns, 0);
	CHECK_EQ(runs[3].pc, AT + 0x12);
	CHECK_EQ(runs[3].end, PATH_END_BRANCH);
	CHECK_EQ(nr_runs, 5);
	done();
}

TEST(youngest_target_not_recorded)
{
	const struct path_transfer t[] = {
		{ AT + 0x12, AT + 0x0a, PERF_BR_RET },
		{ AT + 0x12, 0, PERF_BR_UNKNOWN },
	};

	decode(t, 2, AT + 0x02, 0);
	CHECK_EQ(nr_runs, 4);
	/* The return leads nowhere that can be shown: the run ends before it. */
	CHECK_EQ(runs[1].end, PATH_END_CUT);
	CHECK_EQ(runs[1].nr_insns, 3);
	CHECK_EQ(runs[1].why, PATH_OK);
	CHECK_EQ(runs[2].why, PATH_NO_TARGET);
	CHECK_EQ(runs[3].pc, AT + 0x02);
	CHECK_EQ(runs[3].end, PATH_END_IP);
	done();
}

/* No return changes the mode: address 0 is where it led. */
TEST(a_return_to_address_0_has_a_target)
{
	const struct path_transfer t[] = {
		{ AT + 0x12, AT + 0x0a, PERF_BR_RET },
		{ AT + 0x12, 0, PERF_BR_RET },
		{ AT + 0x12, 0, PERF_BR_RET },
	};

	decode(t, 3, 0, 0);
	CHECK_EQ(nr_runs, 4);
	CHECK_EQ(runs[2].why, PATH_UNKNOWN_CODE);
	CHECK_EQ(runs[2].unknown, IMG_MISSING);
	CHECK_EQ(runs[3].why, PATH_UNKNOWN_CODE);
	CHECK_EQ(runs[3].pc, 0);
	done();
}

/* The record of a transfer that the code at its source does not bear out. */
static void check_record(int line, uint64_t from, uint64_t to,
			 unsigned int type, enum path_break why)
{
	const struct path_transfer t[] = {
		{ AT + 0x12, AT + 0x0a, PERF_BR_RET },
		{ from, to, type },
	};

	decode(t, 2, to, 0);
	if (nr_runs != 2 || runs[0].why != why)
		test_fail(__FILE__, line, "%d runs, %s", nr_runs,
			  path_break_text(runs[0].why));
	/* Where the line ends is told by that record alone: it is broken, too. */
	CHECK_EQ(runs[0].pc, AT + 0x0a);
	CHECK_EQ(runs[0].nr_insns, 0);
	CHECK_EQ(runs[0].end, PATH_END_BREAK);
	/* Where it led is shown; nothing leads there. */
	CHECK_EQ(runs[1].pc, to);
	CHECK(!runs[1].connected);
	CHECK_EQ(runs[1].why, PATH_OK);
	done();
}

#define CHECK_RECORD(...) check_record(__LINE__, __VA_ARGS__)

TEST(source_that_is_no_transfer)
{
	CHECK_RECORD(AT + 0x10, AT + 0x14, PERF_BR_UNKNOWN,
		     PATH_NOT_A_TRANSFER);
	CHECK_RECORD(AT + 0x10, AT + 0x14, PERF_BR_CALL, PATH_NOT_A_TRANSFER);
}

TEST(type_that_the_instruction_is_not)
{
	CHECK_RECORD(AT + 0x0c, AT + 0x14, PERF_BR_CALL, PATH_NOT_A_TRANSFER);
	CHECK_RECORD(AT + 0x12, AT + 0x14, PERF_BR_COND, PATH_NOT_A_TRANSFER);
	CHECK_RECORD(AT + 0x12, AT + 0x14, PERF_BR_ERET, PATH_NOT_A_TRANSFER);
}

TEST(direct_target_that_the_instruction_does_not_have)
{
	CHECK_RECORD(AT + 0x0c, AT + 0x10, PERF_BR_COND, PATH_OTHER_TARGET);
	CHECK_RECORD(AT + 0x0c, AT + 0x18, PERF_BR_UNKNOWN, PATH_OTHER_TARGET);
}

TEST(source_inside_an_instruction)
{
	/* The second half of the lui reads as a ret. */
	CHECK_LINE(AT + 0x2a, AT + 0x2e, PATH_MISALIGNED, 0);
	CHECK_LINE(AT + 0x2c, AT + 0x2e, PATH_MISALIGNED, 0);
}

TEST(odd_source)
{
	CHECK_RECORD(AT + 0x13, AT + 0x14, PERF_BR_RET, PATH_MISALIGNED);
}

TEST(oldest_source_that_cannot_be)
{
	const struct path_transfer t = { AT + 0x00, AT + 0x0a, PERF_BR_CALL };

	decode(&t, 1, AT + 0x0a, 0);
	CHECK_EQ(nr_runs, 2);
	CHECK_EQ(runs[0].why, PATH_NOT_A_TRANSFER);
	CHECK_EQ(runs[0].nr_insns, 0);
	CHECK_EQ(runs[1].pc, AT + 0x0a);
	CHECK(!runs[1].connected);
	done();
}

TEST(unknown_code_says_why)
{
	const struct path_transfer t[] = {
		{ AT + 0x12, AT + 0x0a, PERF_BR_RET },
		{ AT + 0x12, NOWHERE, PERF_BR_RET },
		{ NOWHERE + 8, AT + 0x0a, PERF_BR_RET },
	};

	decode(t, 3, AT + 0x0c, 0);
	CHECK_EQ(runs[1].end, PATH_END_CUT);
	CHECK_EQ(runs[2].why, PATH_UNKNOWN_CODE);
	CHECK_EQ(runs[2].unknown, IMG_MISSING);
	CHECK_EQ(runs[2].nr_insns, 0);
	CHECK_EQ(runs[3].pc, AT + 0x0a);
	CHECK_EQ(runs[3].end, PATH_END_IP);
	CHECK_EQ(nr_runs, 4);
	done();
}

TEST(a_branch_that_leads_nowhere_is_not_shown_nor_what_leads_to_it)
{
	/*
	 * To a ret, to the next ret, ..., to unknown code: none of them can be
	 * shown with the instruction at its target.
	 */
	const struct path_transfer t[] = {
		{ AT + 0x28, AT + 0x18, PERF_BR_RET },
		{ AT + 0x1e, AT + 0x12, PERF_BR_RET },
		{ AT + 0x12, ALONE, PERF_BR_RET },
		{ ALONE, NOWHERE, PERF_BR_RET },
	};

	decode(t, 4, NOWHERE + 8, 0);
	CHECK_EQ(nr_runs, 3);
	CHECK_EQ(runs[0].end, PATH_END_BRANCH);
	CHECK_EQ(runs[1].pc, AT + 0x18);
	CHECK_EQ(runs[1].end, PATH_END_CUT);
	CHECK_EQ(runs[1].nr_insns, 2);
	CHECK_EQ(runs[2].why, PATH_UNKNOWN_CODE);
	CHECK_EQ(runs[2].nr_insns, 0);
	done();
}

TEST(a_branch_that_leads_nowhere_is_shown_if_asked_for)
{
	/* A line of three instructions, and two returns that each are alone in theirs. */
	const struct path_transfer t[] = {
		{ AT + 0x28, AT + 0x18, PERF_BR_RET },
		{ AT + 0x1e, AT + 0x12, PERF_BR_RET },
		{ AT + 0x12, ALONE, PERF_BR_RET },
		{ ALONE, NOWHERE, PERF_BR_RET },
	};

	decode(t, 4, NOWHERE + 8, PATH_ALL_SOURCES);
	CHECK_EQ(nr_runs, 5);
	CHECK_EQ(runs[1].nr_insns, 3);
	CHECK_EQ(runs[2].pc, AT + 0x12);
	CHECK_EQ(runs[2].nr_insns, 1);
	CHECK(runs[2].target_shown);
	CHECK_EQ(runs[3].pc, ALONE);
	CHECK_EQ(runs[3].nr_insns, 1);
	CHECK_EQ(runs[3].end, PATH_END_BRANCH);
	CHECK(!runs[3].target_shown);
	CHECK_EQ(runs[4].why, PATH_UNKNOWN_CODE);
	done();
	/* The only record of all, too. */
	decode(&t[3], 1, NOWHERE + 8, PATH_ALL_SOURCES);
	CHECK_EQ(nr_runs, 2);
	CHECK_EQ(runs[0].pc, ALONE);
	CHECK_EQ(runs[0].nr_insns, 1);
	done();
}

/* The interrupted instruction is known all the same, and the path goes on there. */
TEST(tail_breaks_for_the_same_reasons)
{
	const struct path_transfer t[] = {
		{ AT + 0x1e, AT + 0x10, PERF_BR_RET },
		{ AT + 0x12, AT + 0x00, PERF_BR_RET },
	};

	decode(t, 2, AT + 0x0a, 0);
	CHECK_EQ(nr_runs, 4);
	CHECK_EQ(runs[1].end, PATH_END_CUT);
	CHECK_EQ(runs[1].nr_insns, 1);
	CHECK_EQ(runs[2].why, PATH_JUMP);
	CHECK_EQ(runs[2].nr_insns, 0);
	CHECK_EQ(runs[2].end, PATH_END_BREAK);
	CHECK_EQ(runs[3].pc, AT + 0x0a);
	CHECK_EQ(runs[3].end, PATH_END_IP);
	CHECK(!runs[3].connected);
	check_next(AT + 0x0a, 0, true);
	decode(t, 2, AT + 0x04, 0);
	CHECK_EQ(runs[2].why, PATH_MISALIGNED);
	decode(t, 2, AT - 2, 0);
	CHECK_EQ(runs[2].why, PATH_BACKWARDS);
	decode(t, 2, ALONE, 0);
	CHECK_EQ(runs[2].why, PATH_UNKNOWN_CODE);
	/* The jump itself was about to run: that is no break. */
	decode(t, 2, AT + 0x06, 0);
	CHECK_EQ(nr_runs, 3);
	CHECK_EQ(runs[2].why, PATH_OK);
	CHECK_EQ(runs[2].end, PATH_END_IP);
	CHECK_EQ(runs[2].nr_insns, 3);
	check_next(AT + 0x06, 0, true);
	done();
}

TEST(interrupted_instruction_cut_by_the_end_of_the_code)
{
	const struct path_transfer t = { AT + 0x12, AT + 0x2a, PERF_BR_RET };

	decode(&t, 1, AT + 0x30, 0);
	CHECK_EQ(nr_runs, 1);
	CHECK_EQ(runs[0].why, PATH_UNKNOWN_CODE);
	CHECK_EQ(runs[0].nr_insns, 0);
	done();
}

/* What is cut at the end comes again, when it is known what ran behind it. */
TEST(a_path_that_was_cut_goes_on_before_what_was_cut)
{
	const struct path_transfer t[] = {
		{ AT + 0x1e, AT + 0x10, PERF_BR_RET },
		{ AT + 0x12, AT + 0x28, PERF_BR_RET },
		{ AT + 0x28, AT + 0x00, PERF_BR_RET },
	};

	/* The second return leads to the third alone: neither is shown. */
	decode(t, 3, KERNEL_AT, 0);
	CHECK_EQ(nr_runs, 3);
	CHECK_EQ(runs[1].end, PATH_END_CUT);
	CHECK_EQ(runs[1].nr_insns, 1);
	CHECK_EQ(runs[2].end, PATH_END_AWAY);
	check_next(AT + 0x12, 2, true);
	nr_runs = path_decode_on(path, 1, AT + 0x12, true, t + 1, 2, AT + 0x02, 0);
	runs = path_runs(path);
	CHECK_EQ(nr_runs, 3);
	CHECK(runs[0].connected);
	CHECK_EQ(runs[0].pc, AT + 0x12);
	CHECK_EQ(runs[0].end, PATH_END_BRANCH);
	CHECK_EQ(runs[2].end, PATH_END_IP);
	check_next(AT + 0x02, 0, true);
	/* Still away, and nothing new. */
	nr_runs = path_decode_on(path, 1, AT + 0x12, true, t + 1, 2, KERNEL_AT, 0);
	CHECK_EQ(nr_runs, 1);
	check_next(AT + 0x12, 2, true);
	path_decode_on(path, 1, AT + 0x02, true, NULL, 0, KERNEL_AT, 0);
	check_next(AT + 0x02, 0, true);
	/* Nothing leads to where a path begins. */
	decode(t + 1, 2, KERNEL_AT, 0);
	check_next(AT + 0x12, 2, false);
	done();
}

/* What cannot be shown does not come again. */
TEST(a_path_goes_on_behind_a_source_that_is_not_known)
{
	const struct path_transfer t = { NOWHERE, AT + 0x10, PERF_BR_RET };

	decode(&t, 1, KERNEL_AT, 0);
	check_next(AT + 0x10, 0, false);
	done();
}

TEST(rv32_jumps_and_links_where_rv64_adds)
{
	static const uint16_t both[] = {
		0x2801,		/* 00: c.jal 0x10 on RV32, c.addiw a6, 0 on RV64 */
		0x0001,		/* 02: c.nop */
		0x8082,		/* 04: ret */
	};
	const struct path_transfer t[] = {
		{ 0x404, 0x400, PERF_BR_RET }, { 0x404, 0x400, PERF_BR_RET },
	};
	struct memory m = { .regions = { { 0x400, sizeof(both), both } },
			    .nr = 1 };

	path = memory_path(&m);
	CHECK_EQ(path_decode(path, 1, t, 2, 0x400, 0), 3);
	CHECK_EQ(path_runs(path)[1].why, PATH_OK);
	path_free(path);
	m.rv32 = true;
	path = memory_path(&m);
	path_decode(path, 1, t, 2, 0x400, 0);
	CHECK_EQ(path_runs(path)[0].why, PATH_JUMP);
	done();
}

TEST(every_reason_has_a_text)
{
	int i;

	for (i = 0; i < PATH_NR_BREAKS; i++)
		CHECK(path_break_text(i) && *path_break_text(i));
}
