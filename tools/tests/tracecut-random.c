// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of random traces, against the instructions of the whole trace that belong to them.
 * The whole trace is read by the iterator, which has tests of its own.
 */
#include "trace-random.h"
#include "tracecut/tracecut.h"

enum { TRIALS = 60 };

static struct trace whole, part, again;

/* -------------------------------------------------------------------- tests */

/*
 * Does this instruction, the second of a window, tell the mode that the one before it
 * changed? It does if the mode of the first one is not known.
 */
static bool comes_later(const struct seen *s, unsigned int i)
{
	return i == 1 && s[-1].inst.mode == STF_MODE_UNKNOWN &&
	       s[-1].inst.flags & STF_INST_F_MODE;
}

TEST(a_window_has_the_instructions_of_the_trace)
{
	const uint16_t state = STF_INST_F_FORCE_PC | STF_INST_F_GAP |
			       STF_INST_F_PROCESS | STF_INST_F_MODE |
			       STF_INST_F_OTHER;
	char a[300], b[300];
	struct tcut_opts opts = { 0 };
	struct tcut_result result;
	unsigned int trial, i;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, "a.stf"), 0, true);
		read_trace(a, &whole);
		opts.windows.start = one_of(whole.n);
		opts.windows.limit = 1 + one_of(whole.n);
		CHECK_EQ(cut(a, file(b, "b.stf"), &opts, &result), 0);
		read_trace(b, &part);
		CHECK_EQ(part.n, result.instructions);
		CHECK_EQ(result.ended_inside, opts.windows.start +
						      opts.windows.limit > whole.n);
		CHECK_EQ(part.n, result.ended_inside ?
					 whole.n - opts.windows.start :
					 opts.windows.limit);
		for (i = 0; i < part.n; i++) {
			const struct seen *s = &whole.v[opts.windows.start + i];

			same_inst(&part.v[i].inst, &s->inst);
			CHECK_EQ(part.v[i].inst.next_pc, s->inst.next_pc);
			if (i && !comes_later(s, i)) {
				CHECK_EQ(part.v[i].records, s->records);
				CHECK_EQ(part.v[i].inst.flags, s->inst.flags);
			} else {
				CHECK_EQ(part.v[i].inst.flags & ~state,
					 s->inst.flags & ~state);
			}
		}
	}
}

TEST(a_cut_of_a_cut_is_the_cut)
{
	char a[300], b[300], c[300], d[300];
	struct tcut_opts opts = { 0 };
	struct tcut_result result;
	unsigned int trial, i, start;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, "a.stf"), 0, true);
		read_trace(a, &whole);
		opts.windows.start = start = one_of(whole.n - 100);
		opts.windows.limit = 100;
		CHECK_EQ(cut(a, file(b, "b.stf"), &opts, &result), 0);
		opts.windows.start = one_of(90);
		opts.windows.limit = 10;
		CHECK_EQ(cut(b, file(c, "c.stf"), &opts, &result), 0);
		opts.windows.start += start;
		CHECK_EQ(cut(a, file(d, "d.stf"), &opts, &result), 0);
		read_trace(c, &part);
		read_trace(d, &again);
		CHECK_EQ(part.n, 10);
		CHECK_EQ(again.n, 10);
		for (i = 0; i < 10; i++) {
			same_inst(&part.v[i].inst, &again.v[i].inst);
			CHECK_EQ(part.v[i].records, again.v[i].records);
		}
	}
}

TEST(a_window_begins_with_the_registers)
{
	char a[300], b[300];
	struct tcut_opts opts = { .windows.limit = 1 };
	struct tcut_result result;
	unsigned int trial, i;
	struct seen want;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, "a.stf"), 0, false);
		opts.windows.start = 1 + one_of(199);
		CHECK_EQ(cut(a, file(b, "b.stf"), &opts, &result), 0);
		regs_before(a, opts.windows.start, &want);
		read_trace(b, &part);
		for (i = 1; i < N_REGS; i++) {
			CHECK_EQ(part.v[0].known[i], want.known[i]);
			if (want.known[i])
				CHECK_EQ(part.v[0].regs[i], want.regs[i]);
		}
	}
}

/* The number of the n-th instruction in user mode, or that of all if there are fewer. */
static unsigned int user_inst(const struct trace *trace, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < trace->n; i++)
		if (trace->v[i].inst.mode == STF_MODE_USER && !n--)
			break;
	return i;
}

/* The registers are left out: other modes tell some, too. */
TEST(a_cut_of_user_mode_is_user_mode_of_a_cut)
{
	char a[300], b[300], c[300], d[300];
	struct tcut_opts window, user = { .windows.modes = 1 << STF_MODE_USER,
					  .drop = TCUT_DROP_REGISTERS };
	struct tcut_result result;
	unsigned int trial, i, start;

	for (trial = 0; trial < TRIALS; trial++) {
		make_told(file(a, "a.stf"), 0, true, true);
		read_trace(a, &whole);
		CHECK_EQ(cut(a, file(b, "b.stf"), &user, &result), 0);
		start = one_of((unsigned int)result.instructions);
		window = (struct tcut_opts){ .windows.start = start, .windows.limit = 10 };
		CHECK_EQ(cut(b, file(c, "c.stf"), &window, &result), 0);
		window = user;
		window.windows.limit = 10;
		window.windows.start = user_inst(&whole, start);
		CHECK_EQ(cut(a, file(d, "d.stf"), &window, &result), 0);
		read_trace(c, &part);
		read_trace(d, &again);
		CHECK_EQ(part.n, result.instructions);
		CHECK_EQ(again.n, part.n);
		for (i = 0; i < part.n; i++) {
			same_inst(&part.v[i].inst, &again.v[i].inst);
			CHECK_EQ(part.v[i].records, again.v[i].records);
		}
	}
}

static bool passes(const struct stf_select_opts *w, const struct stf_inst *inst)
{
	return (!w->modes || inst->mode == STF_MODE_USER) &&
	       (!w->by_tid || inst->process.tid == w->process.tid);
}

/* Did an event come in the place of this instruction? */
static bool was_stopped(const struct seen *s)
{
	return s->inst.flags & STF_INST_F_EVENT && !s->branch && s->inst.opcode != ECALL;
}

/*
 * Where user mode leads behind an instruction, if nothing else is taken: not where other modes
 * begin, and not to the target of a MODE_CHANGE, which is left out with it.
 */
static uint64_t user_leads_to(const struct seen *s)
{
	const uint16_t flags = s->inst.flags;
	bool stays = s->mode_behind == STF_MODE_UNKNOWN || s->mode_behind == STF_MODE_USER;

	if (flags & STF_INST_F_EVENT_TARGET && flags & STF_INST_F_EVENT) {
		if (stays)
			return s->inst.next_pc;
		if (was_stopped(s))
			return s->inst.pc;
	}
	return s->branch ? s->branch : s->inst.pc + s->inst.size;
}

TEST(in_user_mode_the_pc_is_told_only_where_something_is_missing)
{
	struct tcut_opts opts = { .windows.modes = 1 << STF_MODE_USER };
	struct tcut_result result;
	unsigned int trial, i, n;
	char a[300], b[300];
	bool needed;

	for (trial = 0; trial < TRIALS; trial++) {
		make_told(file(a, "a.stf"), 0, true, true);
		read_trace(a, &whole);
		CHECK_EQ(cut(a, file(b, "b.stf"), &opts, &result), 0);
		read_trace(b, &part);
		for (n = i = 0; i < whole.n; i++) {
			const struct stf_inst *inst = &whole.v[i].inst;

			if (inst->mode != STF_MODE_USER)
				continue;
			CHECK(n < part.n);
			CHECK_EQ(part.v[n].inst.next_pc, user_leads_to(&whole.v[i]));
			needed = n && part.v[n - 1].inst.next_pc != inst->pc;
			CHECK_EQ(!!(part.v[n].inst.flags & STF_INST_F_FORCE_PC),
				 needed || inst->flags & STF_INST_F_FORCE_PC);
			n++;
		}
		CHECK_EQ(n, part.n);
	}
}

static struct stf_check checked(const char *path)
{
	struct stf_check check = { .size = sizeof(check) };
	struct stf_reader *reader = stf_reader_open(path, NULL, NULL);

	CHECK(reader);
	CHECK_EQ(stf_check(reader, &check), 0);
	stf_reader_close(reader);
	return check;
}

TEST(a_part_has_no_fault_that_the_trace_has_not)
{
	char a[300], b[300];
	struct tcut_opts opts = { 0 };
	struct tcut_result result;
	struct stf_check of_a, of_b;
	unsigned int trial, rule;

	for (trial = 0; trial < TRIALS; trial++) {
		make_told(file(a, "a.stf"), 0, true, true);
		opts.windows.modes = one_of(2) ? 1 << STF_MODE_USER : 0;
		opts.windows.start = one_of(100);
		CHECK_EQ(cut(a, file(b, "b.stf"), &opts, &result), 0);
		of_a = checked(a);
		of_b = checked(b);
		for (rule = 0; rule < STF_N_RULES; rule++)
			if (rule != STF_RULE_TARGET_SKIPPED)
				CHECK(of_b.found[rule].count <= of_a.found[rule].count);
	}
}

TEST(filters_leave_what_they_name)
{
	char a[300], b[300];
	struct tcut_opts opts = { 0 };
	struct tcut_result result;
	unsigned int trial, i, n;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, "a.stf"), 0, true);
		read_trace(a, &whole);
		opts.windows.modes = one_of(2) ? 1 << STF_MODE_USER : 0;
		opts.windows.by_tid = !opts.windows.modes || one_of(2);
		opts.windows.process.tid = 7 + one_of(3);
		if (cut(a, file(b, "b.stf"), &opts, &result) == ERROR_NOTHING)
			part.n = 0;
		else
			read_trace(b, &part);
		for (n = i = 0; i < whole.n; i++) {
			if (!passes(&opts.windows, &whole.v[i].inst))
				continue;
			CHECK(n < part.n);
			same_inst(&part.v[n].inst, &whole.v[i].inst);
			n++;
		}
		CHECK_EQ(n, part.n);
	}
}

/* What an event stopped is left out with it. */
TEST(what_is_left_out_changes_no_path_and_no_mode)
{
	static const unsigned int drops[] = { TCUT_DROP_EVENTS, TCUT_DROP_MODES,
					      TCUT_DROP_EVENTS | TCUT_DROP_MODES };
	char a[300], b[300];
	struct tcut_opts opts = { 0 };
	struct tcut_result result;
	unsigned int trial, i, n;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, "a.stf"), 0, true);
		read_trace(a, &whole);
		opts.drop = drops[trial % 3];
		opts.windows.start = one_of(2) ? one_of(whole.n) : 0;
		if (cut(a, file(b, "b.stf"), &opts, &result) == ERROR_NOTHING)
			part.n = 0;
		else
			read_trace(b, &part);
		for (n = 0, i = (unsigned int)opts.windows.start; i < whole.n; i++) {
			struct stf_inst want = whole.v[i].inst;

			if (opts.drop & TCUT_DROP_EVENTS && was_stopped(&whole.v[i]))
				continue;
			if (opts.drop & TCUT_DROP_MODES)
				want.mode = STF_MODE_UNKNOWN;
			CHECK(n < part.n);
			same_inst(&part.v[n++].inst, &want);
		}
		CHECK_EQ(n, part.n);
	}
}

TEST(windows_at_equal_distances)
{
	char a[300], b[300];
	struct tcut_opts opts = { 0 };
	struct tcut_result result;
	unsigned int trial, i, n;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, "a.stf"), 0, true);
		read_trace(a, &whole);
		opts.windows.start = one_of(100);
		opts.windows.every = 10 + one_of(50);
		opts.windows.limit = 1 + one_of(10);
		CHECK_EQ(cut(a, file(b, "b.stf"), &opts, &result), 0);
		read_trace(b, &part);
		for (n = 0, i = (unsigned int)opts.windows.start; i < whole.n; i++) {
			uint64_t in = (i - opts.windows.start) %
				      opts.windows.every;

			if (in >= opts.windows.limit)
				continue;
			CHECK(n < part.n);
			same_inst(&part.v[n].inst, &whole.v[i].inst);
			if (!in && n && opts.windows.limit < opts.windows.every)
				CHECK(part.v[n].inst.flags & STF_INST_F_FORCE_PC);
			n++;
		}
		CHECK_EQ(n, part.n);
		CHECK_EQ(result.windows, (whole.n - opts.windows.start +
					  opts.windows.every - 1) /
						 opts.windows.every);
	}
}

/*
 * By the index, a part is the same, and with `near`, it is or the result says what is not
 * known. In these traces, most chunks tell a process, and few tell the mode.
 */
TEST(the_index_of_a_zstf_changes_nothing_unseen)
{
	struct tcut_opts opts = { .windows.limit = 50 };
	char a[300], b[300], c[300];
	struct tcut_result near, all;
	unsigned int trial, i, unseen = 0;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, "a.zstf"), 32, true);
		read_trace(a, &whole);
		opts.windows.start = one_of(whole.n);
		opts.near = false;
		CHECK_EQ(cut(a, file(b, "b.stf"), &opts, &all), 0);
		opts.near = true;
		CHECK_EQ(cut(a, file(c, "c.stf"), &opts, &near), 0);
		CHECK(!all.no_mode && !all.no_process);
		read_trace(b, &again);
		read_trace(c, &part);
		CHECK_EQ(again.n, all.instructions);
		CHECK_EQ(part.n, again.n);
		unseen += near.no_mode || near.no_process;
		for (i = 0; i < part.n; i++) {
			same_inst(&again.v[i].inst,
				  &whole.v[opts.windows.start + i].inst);
			CHECK_EQ(part.v[i].inst.pc, again.v[i].inst.pc);
			CHECK_EQ(part.v[i].inst.next_pc, again.v[i].inst.next_pc);
			if (!near.no_mode)
				CHECK_EQ(part.v[i].inst.mode, again.v[i].inst.mode);
			if (!near.no_process)
				CHECK_EQ(part.v[i].inst.process.tid,
					 again.v[i].inst.process.tid);
		}
	}
	CHECK(unseen && unseen < TRIALS);
}

/* Without a single option, nothing but the comment is new. */
TEST(all_of_a_trace_is_copied_as_it_is)
{
	char a[300], b[300];
	struct tcut_opts opts = { 0 };
	struct tcut_result result;
	unsigned int i;

	make(file(a, "a.stf"), 0, true);
	CHECK_EQ(cut(a, file(b, "b.zstf"), &opts, &result), 0);
	read_trace(a, &whole);
	read_trace(b, &part);
	CHECK_EQ(part.n, whole.n);
	for (i = 0; i < part.n; i++) {
		same_inst(&part.v[i].inst, &whole.v[i].inst);
		CHECK_EQ(part.v[i].records, whole.v[i].records);
	}
}

TEST(the_last_instruction_is_counted_by_the_index)
{
	struct stf_reader *reader;
	struct error error;
	uint64_t n, end;
	char a[300];
	unsigned int trial;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, one_of(2) ? "a.stf" : "a.zstf"), 1 + one_of(300), true);
		read_trace(a, &whole);
		reader = stf_reader_open(a, NULL, NULL);
		CHECK(reader);
		CHECK_EQ(tcut_count(reader, NULL, UINT64_MAX, &n, &end, &error), 0);
		CHECK_EQ(n, whole.n);
		CHECK_EQ(end, whole.n);
		stf_reader_close(reader);
	}
}
