// SPDX-License-Identifier: GPL-2.0-only
/* Random traces that are joined, against the instructions that each of them has. */
#include "trace-random.h"
#include "tracejoin/tracejoin.h"

enum { TRIALS = 40, MAX_PARTS = 8 };

static struct trace whole, joined, parts[3];

/* Paths of the parts, p0 to p7, in the test's folder. */
static const char *path(unsigned int i)
{
	static char paths[MAX_PARTS][300];

	sprintf(paths[i], "%s/p%u.%s", test_tmpdir(), i, i & 1 ? "zstf" : "stf");
	return paths[i];
}

static int join(const char *to, unsigned int nr, struct tjoin_opts *opts,
		struct tjoin_result *result)
{
	static const char *const none[] = { NULL };
	struct stf_writer *writer = stf_writer_open(to, NULL, NULL);
	const char *paths[MAX_PARTS];
	struct error error;
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++)
		paths[i] = path(i);
	opts->paths = paths;
	opts->nr = nr;
	opts->comments = none;
	opts->reader.size = sizeof(opts->reader);
	*result = (struct tjoin_result){ 0 };
	CHECK(writer);
	ret = tjoin_run(opts, writer, result, &error);
	if (ret) {
		stf_writer_abort(writer);
		test_fail(__FILE__, __LINE__, "%s", error.text);
	}
	CHECK(!stf_writer_close(writer, NULL));
	return ret;
}

/* Cut a trace into pieces at random places. Returns where each of them begins. */
static unsigned int cut_up(const char *from, unsigned int n, unsigned int nr,
			   unsigned int *starts)
{
	struct tcut_opts opts = { 0 };
	struct tcut_result result;
	unsigned int i, start = 0;

	for (i = 0; i < nr; i++) {
		starts[i] = start;
		opts.windows.start = start;
		opts.windows.limit = i + 1 < nr ? 1 + one_of((n - start) / 2) : n;
		CHECK_EQ(cut(from, path(i), &opts, &result), 0);
		start += (unsigned int)result.instructions;
	}
	return start;
}

/*
 * All records are those of the trace. Where a piece begins, the state may be told in other
 * records, but the instruction has it.
 */
TEST(the_pieces_of_a_trace_become_the_trace)
{
	unsigned int starts[MAX_PARTS + 1], trial, nr, i, next;
	struct tjoin_opts opts = { 0 };
	struct tjoin_result result;
	char a[300], b[300];

	for (trial = 0; trial < TRIALS; trial++) {
		make_told(file(a, "a.stf"), 0, true, true);
		read_trace(a, &whole);
		nr = 1 + one_of(MAX_PARTS);
		CHECK_EQ(cut_up(a, whole.n, nr, starts), whole.n);
		starts[nr] = whole.n;
		join(file(b, "b.stf"), nr, &opts, &result);
		CHECK_EQ(result.instructions, whole.n);
		CHECK(!result.no_mode);
		read_trace(b, &joined);
		CHECK_EQ(joined.n, whole.n);
		for (i = next = 0; i < joined.n; i++) {
			const struct seen *s = &joined.v[i], *want = &whole.v[i];

			same_inst(&s->inst, &want->inst);
			CHECK_EQ(s->inst.next_pc, want->inst.next_pc);
			CHECK_EQ(s->inst.flags & STF_INST_F_GAP,
				 want->inst.flags & STF_INST_F_GAP);
			CHECK_EQ(s->work, want->work);
			CHECK(!memcmp(s->known, want->known, sizeof(s->known)));
			if (i == starts[next])
				next++;
			else
				CHECK_EQ(s->records, want->records);
		}
	}
}

/* Behind another thread, which the iterator knows, there may be a gap or none. */
static void begins(const struct seen *s, const struct stf_inst *before)
{
	bool gap = s->inst.flags & STF_INST_F_GAP;
	bool follows = !before || before->next_pc == s->inst.pc;

	if (follows || !memcmp(&before->process, &s->inst.process, sizeof(before->process)))
		CHECK_EQ(!gap, follows);
}

TEST(traces_one_after_another)
{
	struct tjoin_opts opts = { 0 };
	struct tjoin_result result;
	unsigned int trial, p, i, n;
	char b[300];

	for (trial = 0; trial < TRIALS; trial++) {
		for (p = 0; p < 2; p++) {
			make_told(path(p), 0, true, one_of(2));
			read_trace(path(p), &parts[p]);
			if (parts[p].n > MAX_INSTS / 2)
				p--;
		}
		join(file(b, "b.zstf"), 2, &opts, &result);
		read_trace(b, &joined);
		CHECK_EQ(joined.n, parts[0].n + parts[1].n);
		for (n = p = 0; p < 2; p++)
			for (i = 0; i < parts[p].n; i++, n++) {
				const struct seen *want = &parts[p].v[i];
				struct seen *s = &joined.v[n];

				if (want->inst.mode == STF_MODE_UNKNOWN)
					s->inst.mode = STF_MODE_UNKNOWN;
				same_inst(&s->inst, &want->inst);
				CHECK_EQ(s->inst.next_pc, want->inst.next_pc);
				CHECK_EQ(s->work, want->work);
				/* The registers of the other trace are not its own. */
				CHECK(!memcmp(s->known, want->known, sizeof(s->known)));
				if (i)
					CHECK_EQ(s->records, want->records);
				else
					begins(s, p ? &joined.v[n - 1].inst : NULL);
			}
		/* It is told if the second one seems to have the mode of the first. */
		i = parts[0].n;
		CHECK_EQ(!!result.no_mode,
			 parts[1].v[0].inst.mode == STF_MODE_UNKNOWN &&
				 joined.v[i - 1].inst.mode != STF_MODE_UNKNOWN);
	}
}

/* The part and the instruction in it that come next, by turns of so many instructions. */
struct turns {
	unsigned int nr, part, left, more;
	uint64_t slice;
	unsigned int done[3];
};

static bool is_done(const struct turns *t, unsigned int part)
{
	return t->done[part] == parts[part].n;
}

/* Is the last one a taken branch, whose target is due? */
static bool is_due(const struct turns *t)
{
	unsigned int done = t->done[t->part];

	return t->more && done && parts[t->part].v[done - 1].inst.flags & STF_INST_F_TAKEN;
}

static void next_turn(struct turns *t)
{
	if (!is_done(t, t->part) && (t->left || is_due(t))) {
		t->more -= !t->left;
		t->left -= !!t->left;
		return;
	}
	do
		t->part = (t->part + 1) % t->nr;
	while (is_done(t, t->part));
	t->left = (unsigned int)t->slice - 1;
	t->more = (unsigned int)t->slice;
}

/* The registers that the trace has told before instruction i, as cuts tell them. */
static void check_regs(unsigned int part, unsigned int i, const struct seen *s)
{
	struct seen want;
	unsigned int r;

	regs_before(path(part), i, &want);
	for (r = 0; r < N_REGS; r++) {
		CHECK_EQ(s->known[r], want.known[r]);
		if (want.known[r])
			CHECK_EQ(s->regs[r], want.regs[r]);
	}
}

TEST(traces_take_turns)
{
	struct tjoin_opts opts = { .number = TJOIN_HARTS };
	struct tjoin_result result;
	unsigned int trial, p, n, last;
	struct turns turns;
	char b[300];

	for (trial = 0; trial < TRIALS; trial++) {
		turns = (struct turns){ .nr = 2 + one_of(2),
					.slice = 1 + one_of(trial & 1 ? 10 : 300) };
		for (p = 0; p < turns.nr; p++)
			do {
				make_told(path(p), 0, true, true);
				read_trace(path(p), &parts[p]);
			} while (parts[p].n > MAX_INSTS / 3);
		opts.slice = turns.slice;
		join(file(b, "b.stf"), turns.nr, &opts, &result);
		read_trace(b, &joined);
		turns.left = turns.more = (unsigned int)turns.slice;
		for (last = n = 0; n < joined.n; n++) {
			const struct seen *s = &joined.v[n], *want;

			next_turn(&turns);
			p = turns.part;
			want = &parts[p].v[turns.done[p]];
			CHECK_EQ(s->inst.process.hart, p);
			same_inst(&s->inst, &want->inst);
			CHECK_EQ(s->inst.next_pc, want->inst.next_pc);
			CHECK_EQ(s->work, want->work);
			if (p != last && turns.done[p] && !one_of(20))
				check_regs(p, turns.done[p], s);
			turns.done[p]++;
			last = p;
		}
		for (p = 0; p < turns.nr; p++)
			CHECK(is_done(&turns, p));
	}
}

TEST(each_process_has_its_number)
{
	struct tjoin_opts opts = { .number = TJOIN_PROCESSES };
	struct tjoin_result result;
	unsigned int p, i, n;
	char b[300];

	for (p = 0; p < 2; p++)
		do {
			make(path(p), 0, false);
			read_trace(path(p), &parts[p]);
		} while (parts[p].n > MAX_INSTS / 2);
	join(file(b, "b.stf"), 2, &opts, &result);
	read_trace(b, &joined);
	for (n = p = 0; p < 2; p++)
		for (i = 0; i < parts[p].n; i++, n++) {
			CHECK_EQ(joined.v[n].inst.process.pid, p + 1);
			CHECK_EQ(joined.v[n].inst.process.tid,
				 parts[p].v[i].inst.process.tid);
		}
	CHECK_EQ(n, joined.n);
}
