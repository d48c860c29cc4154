// SPDX-License-Identifier: GPL-2.0-only
/* Paths through which signals came that no branch record shows. */
#include "path-build.h"

#define NOP 0x0001
#define RET 0x8082

static const uint16_t code[] = {
	NOP, NOP, NOP, RET,		/* 00: what is interrupted */
	NOP, NOP, RET,			/* 08: a handler */
	0x0893, 0x08b0, 0x0073, 0,	/* 0e: li a7, 139; ecall */
	NOP, RET,			/* 16 */
	NOP, NOP, NOP, RET,		/* 1a: a handler that is interrupted, too */
	NOP, NOP,			/* 22 */
	0x007f, 0, RET,			/* 26: what is not an instruction */
};

enum { AT = 0x10000 };

static struct memory memory = {
	.regions = { { AT, sizeof(code), code } },
	.nr = 1,
	.why = IMG_VDSO,
};

static struct path *path;
static const struct path_run *runs;
static int nr_runs;

/* A return leads to each of these lines, and the one at its end to the next. */
static void decode(uint64_t from, uint64_t line, uint64_t end, unsigned int flags,
		   const struct path_signal *signals, size_t nr)
{
	const struct path_transfer t[] = {
		{ AT + from, AT + line, PERF_BR_RET },
		{ AT + end, AT + 0x22, PERF_BR_RET },
	};

	path_free(path);
	path = memory_path(&memory);
	CHECK(path_set_signals(path, signals, nr));
	nr_runs = path_decode(path, 1, t, 2, AT + 0x24, flags);
	runs = path_runs(path);
}

static void check_run(unsigned int i, uint64_t pc, unsigned int nr_insns,
		      enum path_break why, bool connected)
{
	CHECK(i < (unsigned int)nr_runs);
	CHECK_EQ(runs[i].pc, AT + pc);
	CHECK_EQ(runs[i].nr_insns, nr_insns);
	CHECK_EQ(runs[i].why, why);
	CHECK_EQ(runs[i].connected, connected);
}

static void done(void)
{
	path_free(path);
	path = NULL;
}

TEST(a_signal_leads_from_its_place_into_its_handler)
{
	const struct path_signal signal = { AT + 4, AT + 8 };

	decode(0x18, 0, 0xc, 0, &signal, 1);
	CHECK_EQ(nr_runs, 4);
	check_run(0, 0x18, 1, PATH_OK, false);
	check_run(1, 0, 2, PATH_SIGNAL, true);
	check_run(2, 8, 3, PATH_OK, false);
	check_run(3, 0x22, 2, PATH_OK, true);
	CHECK_EQ(runs[2].end, PATH_END_BRANCH);
	CHECK(runs[2].target_shown);
	done();
}

TEST(a_signal_at_the_target_of_a_branch_hides_the_branch)
{
	const struct path_signal signal = { AT, AT + 8 };

	decode(0x18, 0, 0xc, 0, &signal, 1);
	CHECK_EQ(nr_runs, 3);
	check_run(0, 0, 0, PATH_SIGNAL, false);
	check_run(1, 8, 3, PATH_OK, false);
	done();
}

/* As SIGILL does. */
TEST(a_signal_at_a_target_that_is_not_an_instruction_leads_into_its_handler)
{
	const struct path_signal signal = { AT + 0x26, AT + 8 };

	decode(0x18, 0x26, 0xc, 0, &signal, 1);
	CHECK_EQ(nr_runs, 3);
	check_run(0, 0x26, 0, PATH_SIGNAL, false);
	check_run(1, 8, 3, PATH_OK, false);
	check_run(2, 0x22, 2, PATH_OK, true);
	done();
}

TEST(without_its_place_the_handler_is_shown_alone)
{
	const struct path_signal signal = { 0, AT + 8 };

	decode(0x18, 0, 0xc, 0, &signal, 1);
	CHECK_EQ(nr_runs, 3);
	check_run(0, 0, 0, PATH_SIGNAL, false);
	check_run(1, 8, 3, PATH_OK, false);
	done();
}

/* From 1c to the return the code leads straight on, but the handler may have begun anew. */
TEST(a_handler_that_may_have_begun_anew_breaks_the_path)
{
	const struct path_signal known = { AT + 0x1e, AT + 0x1a };
	const struct path_signal open = { 0, AT + 0x1a };
	const struct path_signal *each[] = { &known, &open };

	for (int i = 0; i < 2; i++) {
		decode(0x18, 0x1c, 0x20, 0, each[i], 1);
		CHECK_EQ(nr_runs, 3);
		check_run(0, 0x1c, 0, PATH_SIGNAL, false);
		check_run(1, 0x20, 1, PATH_OK, false);
		check_run(2, 0x22, 2, PATH_OK, true);
		done();
	}
}

TEST(a_signal_that_came_elsewhere_breaks_nothing)
{
	/* Before the line; and for a handler that does not lead to its end. */
	static const struct path_signal signals[] = { { AT + 2, AT + 0x1a },
						      { AT + 0x1e, AT + 8 } };

	for (int i = 0; i < 2; i++) {
		decode(0x18, 0x1c, 0x20, 0, &signals[i], 1);
		CHECK_EQ(nr_runs, 3);
		check_run(1, 0x1c, 3, PATH_OK, true);
		done();
	}
}

/* The second one came when the first one's handler had begun. */
TEST(a_signal_may_come_in_a_handler_that_began_on_the_line)
{
	static const struct path_signal signals[] = { { AT + 0x1e, AT },
						      { AT + 2, AT + 0x1a } };

	decode(0x18, 0x1c, 0x20, 0, signals, 2);
	check_run(0, 0x1c, 0, PATH_SIGNAL, false);
	done();
}

/* At 04, it came on the line, or in the first one's handler, which began at 02. */
TEST(what_ran_before_a_signal_is_not_known_if_it_may_have_come_in_a_handler)
{
	static const struct path_signal signals[] = { { AT + 2, AT }, { AT + 4, AT + 8 } };

	decode(0x18, 0, 0xc, 0, signals, 2);
	CHECK_EQ(nr_runs, 3);
	check_run(0, 0, 0, PATH_SIGNAL, false);
	check_run(1, 8, 3, PATH_OK, false);
	check_run(2, 0x22, 2, PATH_OK, true);
	done();
}

TEST(of_two_handlers_none_is_certain)
{
	static const struct path_signal signals[] = { { AT + 4, AT + 8 },
						      { AT + 4, AT + 0xa } };

	decode(0x18, 0, 0xc, 0, signals, 2);
	CHECK_EQ(nr_runs, 3);
	check_run(0, 0, 0, PATH_SIGNAL, false);
	check_run(1, 0xc, 1, PATH_OK, false);
	done();
}

/* It returns into another one, or to what that had interrupted. */
TEST(what_a_handler_returned_to_is_not_shown_as_a_start)
{
	const struct path_signal signal = { 0, AT + 0x1a };

	decode(0x18, 0xe, 0x20, 0, &signal, 1);
	check_run(0, 0xe, 0, PATH_SIGNAL_RETURN, false);
	check_run(1, 0x20, 1, PATH_OK, false);
	decode(0x18, 0xe, 0x20, 0, NULL, 0);
	check_run(0, 0xe, 0, PATH_SIGNAL_RETURN, false);
	check_run(1, 0x20, 1, PATH_OK, false);
	done();
}

TEST(with_the_kernels_records_signals_have_their_own)
{
	const struct path_signal signal = { 0, AT + 0x1a };

	decode(0x18, 0x1c, 0x20, PATH_KERNEL, &signal, 1);
	check_run(1, 0x1c, 3, PATH_OK, true);
	done();
}

/* No code of the vdso is known, and a handler's return leads out of it. */
TEST(a_handler_returns_through_a_vdso_that_is_not_known)
{
	static const struct path_signal signals[] = { { 0, AT + 0x1a }, { 0, AT } };

	for (int i = 0; i < 2; i++) {
		decode(0x18, 0x1000, 0x20, 0, &signals[i], i);
		check_run(0, 0x1000, 0, PATH_SIGNAL_RETURN, false);
		check_run(1, 0x20, 1, PATH_OK, false);
	}
	done();
}

/* One of many came on the line. The others came elsewhere, with its handler and with another. */
TEST(of_many_signals_the_one_that_came_on_the_line_is_found)
{
	enum { NR = 7 };
	struct path_signal signals[NR];

	for (int at = 0; at < NR; at++) {
		for (int i = 0; i < NR; i++)
			signals[i] = (struct path_signal){ AT + 0x16, AT + (i % 2 ? 0x1a : 8) };
		signals[at] = (struct path_signal){ AT + 4, AT + 8 };
		decode(0x18, 0, 0xc, 0, signals, NR);
		CHECK_EQ(nr_runs, 4);
		check_run(1, 0, 2, PATH_SIGNAL, true);
		check_run(2, 8, 3, PATH_OK, false);
		done();
	}
}

static unsigned int nr_asked;

static enum img_state count_asked(void *arg, uint32_t pid, uint64_t addr, struct path_window *w)
{
	nr_asked++;
	return memory_code(arg, pid, addr, w);
}

/* What is not known is asked for each time that it is looked at. */
TEST(the_signals_of_a_handler_share_one_look_at_its_code)
{
	static const struct path_transfer t[] = {
		{ AT + 0x18, AT + 0x1c, PERF_BR_RET },
		{ AT + 0x20, AT + 0x22, PERF_BR_RET },
	};
	const struct path_source source = { count_asked, &memory };
	struct path_signal signals[PATH_STITCH_SIGNALS];
	unsigned int of_one;

	for (int i = 0; i < PATH_STITCH_SIGNALS; i++)
		signals[i] = (struct path_signal){ AT + 0x1e, AT - 0x100 };
	path = path_new(&source);
	CHECK(path_set_signals(path, signals, 1));
	CHECK(path_decode(path, 1, t, 2, AT + 0x24, 0) > 0);
	of_one = nr_asked;
	CHECK(path_set_signals(path, signals, PATH_STITCH_SIGNALS));
	CHECK(path_decode(path, 1, t, 2, AT + 0x24, 0) > 0);
	CHECK_EQ(nr_asked, 2 * of_one);
	done();
}

/* --- between samples --- */

static struct pd_branch stack[4];
static unsigned int nr_stack;

static int stitch(struct path_stitch *s, uint64_t ip, struct path_stitched *found)
{
	nr_runs = stitch_sample(s, path, ip, 8, stack, nr_stack, found);
	runs = path_runs(path);
	return nr_runs;
}

/* With another number of cycles each time. */
static void branch(uint64_t from, uint64_t to)
{
	memmove(stack + 1, stack, nr_stack++ * sizeof(*stack));
	stack[0] = (struct pd_branch){ AT + from, AT + to, nr_stack << 4 };
}

/* The loop from 1c to the return. */
static void turn(void)
{
	branch(0x20, 0x1c);
}

static void signal_comes(struct path_stitch *s)
{
	stitch_signal(s, AT + 0x1e, AT + 0x1a);
}

TEST(a_signal_is_between_the_two_samples_that_it_came_between)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, 16, NULL);
	struct path_stitched found;

	path = memory_path(&memory);
	nr_stack = 0;
	turn();
	stitch(s, AT + 0x1c, &found);
	signal_comes(s);
	turn();
	stitch(s, AT + 0x1c, &found);
	CHECK(found.joined);
	check_run(0, 0x1c, 0, PATH_SIGNAL, false);
	turn();
	stitch(s, AT + 0x1c, &found);
	CHECK(found.joined);
	check_run(0, 0x1c, 3, PATH_OK, true);
	path_stitch_free(s);
	done();
}

TEST(one_that_came_before_a_sample_of_the_kernel_may_show_behind_it)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, 16, NULL);
	struct path_stitched found;

	path = memory_path(&memory);
	nr_stack = 0;
	turn();
	stitch(s, AT + 0x1c, &found);
	signal_comes(s);
	stitch(s, 0xffffffff80000000, &found);
	turn();
	stitch(s, AT + 0x1c, &found);
	CHECK(found.joined);
	check_run(0, 0x1c, 0, PATH_SIGNAL, false);
	path_stitch_free(s);
	done();
}

TEST(a_stack_that_stands_alone_may_have_any_of_the_newest_signals)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_NEVER, 16, NULL);
	struct path_stitched found;
	int i;

	path = memory_path(&memory);
	nr_stack = 0;
	turn();
	turn();
	for (i = 0; i < 2 * PATH_STITCH_SIGNALS; i++)
		signal_comes(s);
	for (i = 0; i < 2; i++) {
		stitch(s, AT + 0x1c, &found);
		CHECK(!found.joined);
		check_run(0, 0x1c, 0, PATH_SIGNAL, false);
	}
	path_stitch_free(s);
	done();
}

/* How often the path of the last sample has the instruction. */
static unsigned int times_shown(uint64_t pc)
{
	unsigned int nr = 0;
	int i;

	for (i = 0; i < nr_runs; i++)
		nr += runs[i].nr_insns && AT + pc - runs[i].pc < runs[i].size;
	return nr;
}

/*
 * A signal comes to the first instruction behind a branch. The sample is taken where what
 * the handler returned to cannot be shown. In another sample, more is known.
 */
static void check_handler_once(int line, uint64_t handler, uint64_t leads_to, uint64_t ip,
			       bool returns)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, 16, NULL);
	const bool begins = handler != 0xc;
	struct path_stitched found;

	path = memory_path(&memory);
	nr_stack = 0;
	branch(0x18, 0);
	branch(0xc, leads_to);
	stitch_signal(s, AT, AT + handler);
	stitch(s, ip, &found);
	if (times_shown(handler) != begins || times_shown(0xc))
		test_fail(__FILE__, line, "what the first sample shows is another path");
	if (returns)
		branch(6, 0x22);
	stitch(s, AT + 0x24, &found);
	CHECK(found.joined);
	if (begins && times_shown(handler))
		test_fail(__FILE__, line, "the handler began twice");
	if (times_shown(0xc) != !returns)
		test_fail(__FILE__, line, "its end is shown %u times", times_shown(0xc));
	path_stitch_free(s);
	done();
}

#define CHECK_HANDLER_ONCE(...) check_handler_once(__LINE__, __VA_ARGS__)

TEST(a_handler_runs_once_if_a_sample_is_taken_where_it_returns)
{
	CHECK_HANDLER_ONCE(8, 0x1000, AT + 0x1004, true);
}

TEST(a_handler_runs_once_if_a_sample_of_the_kernel_hides_its_end)
{
	CHECK_HANDLER_ONCE(8, 0x22, 0xffffffff80000000, false);
}

TEST(a_handler_that_ends_at_once_is_shown_when_its_end_is)
{
	CHECK_HANDLER_ONCE(0xc, 0x22, 0xffffffff80000000, false);
}

/* Where it goes on after a sample that hides what the handler leads to. */
static void check_next(uint64_t handler, uint64_t pc, unsigned int again, bool connected)
{
	const struct path_signal signal = { AT, AT + handler };
	const struct path_transfer t[] = {
		{ AT + 0x18, AT, PERF_BR_RET },
		{ AT + 0xc, AT + 0x1000, PERF_BR_RET },
	};

	path = memory_path(&memory);
	CHECK(path_set_signals(path, &signal, 1));
	path_decode(path, 1, t, 2, AT + 0x1004, 0);
	CHECK_EQ(path_next(path)->pc, AT + pc);
	CHECK_EQ(path_next(path)->again, again);
	CHECK_EQ(path_next(path)->connected, connected);
	done();
}

TEST(a_path_goes_on_behind_the_handlers_line_that_stands)
{
	check_next(8, 0xc, 1, true);
}

TEST(a_path_goes_back_to_the_branch_if_nothing_stands_of_the_handler)
{
	check_next(0xc, 0x18, 2, false);
}
