// SPDX-License-Identifier: GPL-2.0-only
/* Paths: every kind of transfer, and what a whole path looks like. */
#include "path-build.h"

/*
 * At 0x10000. Words of two halves are one instruction of 32 bits; halves that
 * stand alone are compressed ones.
 */
static const uint16_t code[] = {
	0x0505,			/* 00: c.addi a0, 1 */
	0x8513, 0x0015,		/* 02: addi a0, a1, 1 */
	0x0463, 0x00b5,		/* 06: beq a0, a1, 0x0e */
	0xc119,			/* 0a: c.beqz a0, 0x10 */
	0x0001,			/* 0c: c.nop */
	0x0001,			/* 0e: c.nop */
	0x00ef, 0x0100,		/* 10: jal ra, 0x20 */
	0xa019,			/* 14: c.j 0x1a */
	0x0073, 0x0000,		/* 16: ecall */
	0x0067, 0x0005,		/* 1a: jalr zero, 0(a0) */
	0x0001,			/* 1e: c.nop */
	0x0505,			/* 20: c.addi a0, 1 */
	0x9502,			/* 22: c.jalr a0 */
	0x8082,			/* 24: ret */
	0x8367, 0x000e,		/* 26: jalr t1, 0(t4) */
	0x82e7, 0x0000,		/* 2a: jalr t0, 0(ra) */
	0x0073, 0x1020,		/* 2e: sret */
	0x0073, 0x0010,		/* 32: ebreak */
	0x9002,			/* 36: c.ebreak */
	0x0505,			/* 38: c.addi a0, 1 */
	0x2583, 0x0005,		/* 3a: lw a1, 0(a0) */
	0x0505,			/* 3e: c.addi a0, 1 */
};

/* At 0x20000. */
static const uint16_t a7_code[] = {
	0x0893, 0x0400,		/* 00: li a7, 64 */
	0x48fd,			/* 04: c.li a7, 31 */
	0x0505,			/* 06: c.addi a0, 1 */
	0x88a3, 0x00a5,		/* 08: sb a0, 17(a1) */
	0x8082,			/* 0c: ret */
};

enum { AT = 0x10000, A7_AT = 0x20000 };
#define KERNEL_AT 0xffffffff80000000

static struct memory memory = {
	.regions = { { AT, sizeof(code), code },
		     { KERNEL_AT, sizeof(code), code },
		     { A7_AT, sizeof(a7_code), a7_code } },
	.nr = 3,
	.why = IMG_UNMAPPED,
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

static void done(void)
{
	path_free(path);
	path = NULL;
}

/* One transfer of any kind, and the instruction after it as ip: two runs. */
static void check_single(uint64_t from, uint64_t to, unsigned int type,
			 enum path_end end, unsigned int size)
{
	const struct path_transfer t = { from, to, type };

	decode(&t, 1, to, PATH_KERNEL);
	CHECK_EQ(nr_runs, 2);
	CHECK_EQ(runs[0].pc, from);
	CHECK_EQ(runs[0].nr_insns, 1);
	CHECK_EQ(runs[0].size, size);
	CHECK_EQ(runs[0].end, end);
	CHECK_EQ(runs[0].why, PATH_OK);
	CHECK(runs[0].has_transfer && runs[0].target_shown);
	CHECK_EQ(runs[0].transfer, 0);
	CHECK(!runs[0].connected);
	CHECK_EQ(runs[1].pc, to);
	CHECK(runs[1].connected);
	CHECK_EQ(runs[1].end, PATH_END_IP);
	CHECK_EQ(runs[1].nr_insns, 1);
	CHECK(!runs[1].has_transfer);
	done();
}

TEST(taken_branch)
{
	check_single(AT + 0x06, AT + 0x0e, PERF_BR_COND, PATH_END_BRANCH, 4);
	check_single(AT + 0x0a, AT + 0x10, PERF_BR_COND, PATH_END_BRANCH, 2);
	check_single(AT + 0x0a, AT + 0x10, PERF_BR_UNKNOWN, PATH_END_BRANCH, 2);
}

TEST(direct_jump_and_call)
{
	check_single(AT + 0x14, AT + 0x1a, PERF_BR_UNCOND, PATH_END_BRANCH, 2);
	check_single(AT + 0x10, AT + 0x20, PERF_BR_CALL, PATH_END_BRANCH, 4);
}

TEST(indirect_jump_call_and_return)
{
	check_single(AT + 0x1a, AT + 0x38, PERF_BR_IND, PATH_END_BRANCH, 4);
	check_single(AT + 0x22, AT + 0x02, PERF_BR_IND_CALL, PATH_END_BRANCH,
		     2);
	check_single(AT + 0x24, AT + 0x14, PERF_BR_RET, PATH_END_BRANCH, 2);
	check_single(AT + 0x24, AT + 0x14, PERF_BR_UNKNOWN, PATH_END_BRANCH, 2);
}

TEST(plt_stub_and_coroutine_swap)
{
	/* Their perf type is the driver's choice among the unconditional ones. */
	check_single(AT + 0x26, AT + 0x20, PERF_BR_IND, PATH_END_BRANCH, 4);
	check_single(AT + 0x26, AT + 0x20, PERF_BR_IND_CALL, PATH_END_BRANCH,
		     4);
	check_single(AT + 0x2a, AT + 0x14, PERF_BR_RET, PATH_END_BRANCH, 4);
}

TEST(system_call_and_breakpoint)
{
	check_single(AT + 0x16, KERNEL_AT, PERF_BR_SYSCALL, PATH_END_TRAP, 4);
	check_single(AT + 0x16, KERNEL_AT, PERF_BR_UNKNOWN, PATH_END_TRAP, 4);
	check_single(AT + 0x32, KERNEL_AT, PERF_BR_UNKNOWN, PATH_END_TRAP, 4);
	check_single(AT + 0x36, KERNEL_AT, PERF_BR_UNKNOWN, PATH_END_TRAP, 2);
}

TEST(interrupt_and_fault_at_any_instruction)
{
	check_single(AT + 0x00, KERNEL_AT, PERF_BR_IRQ, PATH_END_TRAP, 2);
	check_single(AT + 0x06, KERNEL_AT, PERF_BR_IRQ, PATH_END_TRAP, 4);
	check_single(AT + 0x24, KERNEL_AT, PERF_BR_IRQ, PATH_END_TRAP, 2);
	check_single(AT + 0x3a, KERNEL_AT, PD_BR_FAULT_DATA, PATH_END_TRAP, 4);
	check_single(KERNEL_AT + 0x3a, KERNEL_AT, PERF_BR_IRQ, PATH_END_TRAP,
		     4);
	/* Without a type: from user code only a trap leads into the kernel. */
	check_single(AT + 0x06, KERNEL_AT, PERF_BR_UNKNOWN, PATH_END_TRAP, 4);
	/* A fault in the kernel itself. */
	check_single(KERNEL_AT + 0x3a, KERNEL_AT, PERF_BR_UNKNOWN,
		     PATH_END_TRAP, 4);
}

TEST(trap_return)
{
	check_single(KERNEL_AT + 0x2e, AT, PERF_BR_ERET, PATH_END_TRAP_RETURN,
		     4);
	check_single(KERNEL_AT + 0x2e, AT, PERF_BR_UNKNOWN,
		     PATH_END_TRAP_RETURN, 4);
}

TEST(untaken_branches_pass)
{
	const struct path_transfer t[] = {
		{ AT + 0x24, AT + 0x00, PERF_BR_RET },
		{ AT + 0x10, AT + 0x20, PERF_BR_CALL },
	};

	decode(t, 2, AT + 0x22, 0);
	CHECK_EQ(nr_runs, 3);
	/* c.addi, addi, beq, c.beqz, c.nop, c.nop, and the jal itself. */
	CHECK_EQ(runs[1].pc, AT);
	CHECK_EQ(runs[1].nr_insns, 7);
	CHECK_EQ(runs[1].size, 0x14);
	CHECK(runs[1].code == (const uint8_t *)code);
	CHECK_EQ(runs[1].transfer, 1);
	CHECK_EQ(runs[2].nr_insns, 2);
	CHECK_EQ(runs[2].size, 4);
	CHECK_EQ(runs[2].end, PATH_END_IP);
	done();
}

TEST(target_that_is_the_next_source)
{
	const struct path_transfer t[] = {
		{ AT + 0x1a, AT + 0x24, PERF_BR_IND },
		{ AT + 0x24, AT + 0x14, PERF_BR_RET },
		{ AT + 0x14, AT + 0x1a, PERF_BR_UNCOND },
		{ AT + 0x1a, AT + 0x1a, PERF_BR_IND },
	};
	int i;

	decode(t, 4, AT + 0x1a, 0);
	CHECK_EQ(nr_runs, 5);
	for (i = 0; i < 5; i++) {
		CHECK_EQ(runs[i].why, PATH_OK);
		CHECK_EQ(runs[i].nr_insns, 1);
		CHECK_EQ(runs[i].connected, i > 0);
	}
	CHECK_EQ(runs[3].end, PATH_END_BRANCH);
	CHECK_EQ(runs[4].end, PATH_END_IP);
	done();
}

TEST(system_calls_pass_where_the_kernel_is_not_recorded)
{
	const struct path_transfer t[] = {
		{ AT + 0x24, AT + 0x16, PERF_BR_RET },
		{ AT + 0x1a, AT + 0x32, PERF_BR_IND },
	};

	/* Through ecall to the jalr; then through both breakpoints to ip. */
	decode(t, 2, AT + 0x3a, 0);
	CHECK_EQ(nr_runs, 3);
	CHECK_EQ(runs[1].why, PATH_OK);
	CHECK_EQ(runs[1].nr_insns, 2);
	CHECK_EQ(runs[2].why, PATH_OK);
	CHECK_EQ(runs[2].nr_insns, 4);
	done();
}

TEST(a_line_says_whether_it_calls_the_kernel)
{
	const struct path_transfer t[] = {
		{ AT + 0x24, AT + 0x16, PERF_BR_RET },
		{ AT + 0x1a, AT + 0x36, PERF_BR_IND },
		{ AT + 0x3e, KERNEL_AT, PERF_BR_IRQ },
		{ KERNEL_AT + 0x2e, AT + 0x16, PERF_BR_ERET },
	};

	/* The last ecall is the source, where the sample was taken. */
	decode(t, 4, AT + 0x16, 0);
	CHECK_EQ(runs[0].calls, false);
	CHECK_EQ(runs[1].calls, true);
	CHECK_EQ(runs[2].calls, true);
	CHECK_EQ(runs[nr_runs - 1].calls, false);
	CHECK_EQ(runs[nr_runs - 1].end, PATH_END_IP);
	done();
}

TEST(a_run_says_how_long_its_source_is)
{
	const struct path_transfer t[] = {
		{ AT + 0x24, AT + 0x00, PERF_BR_RET },
		{ AT + 0x10, AT + 0x20, PERF_BR_CALL },
		{ AT + 0x22, AT + 0x1e, PERF_BR_IND_CALL },
	};

	decode(t, 3, AT + 0x1e, 0);
	CHECK_EQ(nr_runs, 4);
	CHECK_EQ(runs[0].source_size, 2);
	CHECK_EQ(runs[0].size, 2);
	CHECK_EQ(runs[1].source_size, 4);
	CHECK_EQ(runs[1].size, 0x14);
	CHECK_EQ(runs[2].source_size, 2);
	CHECK_EQ(runs[2].size, 4);
	CHECK_EQ(runs[3].source_size, 2);
	CHECK_EQ(runs[3].size, 2);
	done();
}

TEST(a_line_says_where_it_last_writes_a7)
{
	const struct path_transfer t[] = {
		{ AT + 0x24, A7_AT, PERF_BR_RET },
		{ A7_AT + 0x0c, A7_AT + 0x06, PERF_BR_RET },
		{ A7_AT + 0x0c, A7_AT, PERF_BR_RET },
	};

	decode(t, 3, A7_AT + 0x04, 0);
	CHECK_EQ(nr_runs, 4);
	/* A store has other bits where its register would be. */
	CHECK_EQ(runs[1].a7_at, 4);
	CHECK_EQ(runs[2].a7_at, 6); /* behind the line: nowhere */
	/* That at which the sample was taken is no part of it. */
	CHECK_EQ(runs[3].a7_at, 0);
	CHECK_EQ(runs[3].size, 6);
	done();
}

TEST(sample_in_a_mode_that_is_not_recorded)
{
	const struct path_transfer t = { AT + 0x24, AT + 0x00, PERF_BR_RET };

	decode(&t, 1, KERNEL_AT, 0);
	/* Nothing is known to have run behind the return. */
	CHECK_EQ(nr_runs, 1);
	CHECK_EQ(runs[0].end, PATH_END_AWAY);
	CHECK_EQ(runs[0].why, PATH_OK);
	CHECK_EQ(runs[0].pc, AT);
	CHECK_EQ(runs[0].nr_insns, 0);
	done();
}

TEST(no_transfers_no_runs)
{
	decode(NULL, 0, AT, 0);
	CHECK_EQ(nr_runs, 0);
	done();
}

TEST(branch_stack_is_turned_to_oldest_first)
{
	static const struct pd_branch stack[] = {
		{ AT + 0x10, AT + 0x20, PERF_BR_CALL << 20 },
		{ AT + 0x24, AT + 0x00, PERF_BR_RET << 20 },
	};
	const struct pd_sample sample = {
		.ip = AT + 0x20, .has_branches = true, .nr_branches = 2,
		.branches = (const uint8_t *)stack,
	};

	path = memory_path(&memory);
	nr_runs = path_decode_sample(path, 1, &sample, 0);
	CHECK_EQ(nr_runs, 3);
	CHECK_EQ(path_transfers(path)[0].from, AT + 0x24);
	CHECK_EQ(path_transfers(path)[0].type, PERF_BR_RET);
	CHECK_EQ(path_transfers(path)[1].to, AT + 0x20);
	CHECK_EQ(path_runs(path)[1].nr_insns, 7);
	done();
}
