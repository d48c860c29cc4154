// SPDX-License-Identifier: GPL-2.0-only
/* Which time an instruction faulted that the path has more than once. */
#include "path-build.h"
#include "trace/faults.h"

static const uint16_t code[] = {
	0x3023, 0x00b5,		/* 00: sd a1, 0(a0) */
	0x0513, 0x0405,		/* 04: addi a0, a0, 64 */
	0x1ce3, 0xfec5,		/* 08: bne a0, a2, 00 */
	0x0001,			/* 0c: c.nop */
	0x618c,			/* 0e: c.ld a1, 0(a1) */
	0x0001,			/* 10: c.nop */
	0x8082,			/* 12: ret */
};

enum { AT = 0x10000, TURNS = 5, A0 = 10, A1 = 11, ALL = -2 };
#define KERNEL_AT 0xffffffff80000000

static struct memory memory = { .regions = { { AT, sizeof(code), code } },
				.nr = 1, .why = IMG_VDSO };
static struct path *path;
static struct faults_path of;
static struct side_fault ring[SIDE_HISTORY_DEPTH];
static struct side_faults faults = { .cap = SIDE_HISTORY_DEPTH, .v = ring };
static struct faults_result result;

/* TURNS turns of the loop from its start on, and on to ip. */
static void decode(uint64_t ip)
{
	struct path_transfer t[TURNS - 1];
	unsigned int i;

	for (i = 0; i < TURNS - 1; i++)
		t[i] = (struct path_transfer){ AT + 0x08, AT, PERF_BR_COND };
	path_free(path);
	path = memory_path(&memory);
	of = (struct faults_path){
		.nr_runs = path_decode_on(path, 1, AT, true, t, TURNS - 1, ip, 0),
	};
	of.runs = path_runs(path);
	faults.nr = faults.fresh = 0;
}

static struct rv_regs regs_at(uint64_t a0)
{
	struct rv_regs regs = { .known = ALL };

	regs.x[A0] = a0;
	return regs;
}

static struct side_fault *add(uint64_t pc, uint64_t addr)
{
	struct side_fault *fault = &ring[faults.nr++ % SIDE_HISTORY_DEPTH];

	*fault = (struct side_fault){ .pc = AT + pc, .addr = addr };
	faults.fresh++;
	return fault;
}

static void find(void)
{
	CHECK_EQ(faults_find(&result, &of, &faults), 0);
}

static void done(void)
{
	path_free(path);
	path = NULL;
}

/* A fault in that turn of the loop, 0 the first. */
static void check_found(int line, unsigned int i, unsigned int run,
			unsigned int offset, uint64_t addr)
{
	if (i >= result.nr || result.v[i].run != run ||
	    result.v[i].offset != offset || result.v[i].addr != addr)
		test_fail(__FILE__, line,
			  "%u found, %u open; run %u offset %u address %lx",
			  result.nr, result.open, result.v[i].run,
			  result.v[i].offset, (unsigned long)result.v[i].addr);
}

#define CHECK_FOUND(...) check_found(__LINE__, __VA_ARGS__)

TEST(what_runs_once_faults_there)
{
	decode(AT + 0x12);
	add(0x0e, 0x8000);
	find();
	CHECK_EQ(result.nr, 1);
	CHECK_FOUND(0, TURNS - 1, 0x0e, 0x8000);
	/* No fault, nothing found. */
	faults.fresh = 0;
	find();
	CHECK_EQ(result.nr + result.open + result.later, 0);
	done();
}

TEST(the_interrupted_instruction_may_have_faulted)
{
	decode(AT + 0x0e);
	add(0x0e, 0x8000);
	find();
	CHECK_EQ(result.nr, 1);
	CHECK_FOUND(0, TURNS - 1, 0x0e, 0x8000);
	done();
}

TEST(in_a_loop_it_is_not_certain)
{
	decode(AT + 0x12);
	add(0x00, 0x8000);
	find();
	CHECK_EQ(result.nr, 0);
	CHECK_EQ(result.open, 1);
	done();
}

/* The loop adds 64 to a0, which is 0x7f00 at its start. */
TEST(registers_tell_the_turn)
{
	unsigned int turn;

	for (turn = 0; turn < TURNS; turn++) {
		const uint64_t a0 = 0x7f00 + 64 * turn;

		/* By those before, or by those behind. */
		decode(AT + 0x12);
		of.before = regs_at(0x7f00);
		add(0x00, a0)->regs = regs_at(a0);
		find();
		CHECK_FOUND(0, turn, 0, a0);
		of.before.known = 0;
		of.after = regs_at(0x7f00 + 64 * TURNS);
		find();
		CHECK_FOUND(0, turn, 0, a0);
		/* Neither: it is open. */
		of.after.known = 0;
		find();
		CHECK_EQ(result.open, 1);
		done();
	}
}

/* What one tells of its registers tells more of the others. */
TEST(one_fault_leads_to_the_next)
{
	decode(AT + 0x12);
	add(0x00, 0x8000)->regs = regs_at(0x8000);
	add(0x00, 0x8080)->regs = regs_at(0x8080);
	add(0x0e, 0x9000)->regs = regs_at(0x80c0);
	find();
	CHECK_EQ(result.nr, 3);
	CHECK_FOUND(0, 2, 0, 0x8000);
	CHECK_FOUND(1, 4, 0, 0x8080);
	CHECK_FOUND(2, 4, 0x0e, 0x9000);
	done();
}

TEST(a_fault_in_each_turn_is_in_its_turn)
{
	unsigned int i;

	decode(AT + 0x12);
	for (i = 0; i < TURNS; i++)
		add(0x00, 0x8000 + 0x1000 * i);
	find();
	CHECK_EQ(result.nr, TURNS);
	for (i = 0; i < TURNS; i++)
		CHECK_FOUND(i, i, 0, 0x8000 + 0x1000 * i);
	done();
}

/* The instruction was fetched, then it stored over the end of a page. */
TEST(an_instruction_may_fault_more_than_once)
{
	decode(AT + 0x12);
	add(0x0e, AT + 0x0e);
	add(0x0e, 0x8ffc);
	add(0x0e, 0x9000);
	find();
	CHECK_EQ(result.nr, 3);
	CHECK_FOUND(0, TURNS - 1, 0x0e, AT + 0x0e);
	CHECK_FOUND(1, TURNS - 1, 0x0e, 0x8ffc);
	CHECK_FOUND(2, TURNS - 1, 0x0e, 0x9000);
	/* In a loop that may have been one turn or two. */
	decode(AT + 0x12);
	add(0x00, 0x8000);
	add(0x00, 0x8040);
	add(0x00, 0xa000);
	add(0x00, 0xb000);
	add(0x00, 0xc000);
	find();
	CHECK_EQ(result.nr, 0);
	CHECK_EQ(result.open, TURNS);
	done();
}

/* What lies in a break may have been any instruction. */
TEST(what_may_have_been_in_a_break_is_not_certain)
{
	decode(AT + 0x02);
	CHECK_EQ(of.runs[of.nr_runs - 2].why, PATH_MISALIGNED);
	add(0x04, 0x8000);
	find();
	CHECK_EQ(result.nr, 0);
	CHECK_EQ(result.open + result.later, 1);
	done();
}

/* Taken in the kernel: how far the last line ran is not known. */
TEST(what_may_be_behind_the_end_comes_later)
{
	decode(KERNEL_AT);
	add(0x0e, 0x8000);
	add(0x10, 0x9000);
	find();
	CHECK_EQ(result.nr, 0);
	CHECK_EQ(result.later, 2);
	/* One of the kernel's own is none of them. */
	decode(KERNEL_AT);
	add(0x0e, 0x8000);
	add(KERNEL_AT - AT, 0x9000);
	find();
	CHECK_EQ(result.later, 2);
	/* What is before the end for certain is not. */
	decode(KERNEL_AT);
	of.before = regs_at(0x7f00);
	add(0x00, 0x7f40)->regs = regs_at(0x7f40);
	add(0x0e, 0x9000)->regs = regs_at(0x8040);
	find();
	CHECK_EQ(result.later, 1);
	done();
}

TEST(what_cannot_be_is_not_believed)
{
	decode(AT + 0x12);
	add(0x0e, 0x8000);
	add(0x0c, 0x9000);
	find();
	CHECK_EQ(result.nr, 0);
	CHECK_EQ(result.open, 2);
	/* Registers that the path cannot lead to. */
	decode(AT + 0x12);
	of.before = regs_at(0x7f00);
	add(0x00, 0x9001)->regs = regs_at(0x9001);
	find();
	CHECK_EQ(result.nr, 0);
	CHECK_EQ(result.open, 1);
	done();
}

TEST(more_than_are_kept_are_open)
{
	unsigned int i;

	decode(AT + 0x12);
	for (i = 0; i <= SIDE_HISTORY_DEPTH; i++)
		add(0x0e, 0x8000);
	find();
	CHECK_EQ(result.nr, 0);
	CHECK_EQ(result.open, SIDE_HISTORY_DEPTH + 1);
	done();
}
