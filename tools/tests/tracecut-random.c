// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of random traces, against the instructions of the whole trace that belong to them.
 * The whole trace is read by the iterator, which has tests of its own.
 */
#include <stdio.h>
#include <stdlib.h>

#include "stf/stf.h"
#include "stf-build.h"
#include "tracecut/tracecut.h"

enum { MAX_INSTS = 3000, N_REGS = 8, TRIALS = 60 };

struct seen {
	struct stf_inst inst;
	uint64_t records; /* a hash of the records of its group */
	bool known[N_REGS]; /* the states in its group */
	uint64_t regs[N_REGS];
};

struct trace {
	unsigned int n;
	struct seen v[MAX_INSTS];
};

static struct trace whole, part, again;

static unsigned int one_of(unsigned int n)
{
	return (unsigned int)(test_random() % n);
}

/* ------------------------------------------------------------- a random trace */

static void put(struct stf_writer *w, const struct stf_record *rec)
{
	if (stf_write(w, rec))
		test_fail(__FILE__, __LINE__, "%s", stf_writer_error(w));
}

static void put_reg(struct stf_writer *w, uint8_t operand)
{
	struct stf_record rec = { .desc = STF_INST_REG };

	rec.reg = (struct stf_reg){ .number = (uint16_t)one_of(N_REGS),
				    .type = STF_REG_INT,
				    .operand = operand,
				    .value = test_random() };
	put(w, &rec);
}

static void put_trap(struct stf_writer *w, bool target)
{
	const uint64_t field = 1;

	if (one_of(2))
		CHECK(!stf_write_mode_change(w, one_of(2) ? STF_MODE_SUPERVISOR :
							    STF_MODE_USER));
	CHECK(!stf_write_event(w, STF_FAULT_USER_ECALL, &field, 1));
	if (target)
		CHECK(!stf_write_event_target(w, 0x40000 + 2 * one_of(1000)));
}

static void put_group(struct stf_writer *w, bool modes)
{
	const struct stf_mem_access access = { 0x1000, 8, 0, STF_ACCESS_READ };
	unsigned int kind = one_of(30);

	if (kind == 0) {
		CHECK(!stf_write_force_pc(w, 0x10000 + 2 * one_of(1000)));
		if (modes && one_of(2))
			CHECK(!stf_write_mode_change(w, STF_MODE_USER));
	} else if (kind == 1) {
		CHECK(!stf_write_process(w, 0, 7 + one_of(2), 7 + one_of(3)));
	} else if (kind == 2) {
		CHECK(!stf_write_comment(w, "here"));
	} else if (kind < 6) {
		CHECK(!stf_write_pc_target(w, 0x20000 + 2 * one_of(1000)));
	} else if (kind < 9) {
		CHECK(!stf_write_mem(w, &access, test_random()));
	} else if (kind < 14) {
		put_reg(w, STF_REG_SOURCE);
		put_reg(w, STF_REG_DEST);
	} else if (kind < 16 && modes) {
		put_trap(w, one_of(2));
	}
	if (one_of(2))
		CHECK(!stf_write_inst(w, 0x13, 4));
	else
		CHECK(!stf_write_inst(w, 1, 2));
}

static void make(const char *path, uint64_t chunk, bool modes)
{
	static const char *const comments[] = { "made for a test", NULL };
	const struct stf_writer_opts opts = { .size = sizeof(opts),
					      .chunk_markers = chunk,
					      .threads = STF_NO_THREADS };
	const struct stf_header header = {
		.size = sizeof(header), .comments = comments,
		.generator = STF_GEN_QEMU, .pc = 0x10000,
		.features = STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID |
			    (modes ? 0 : STF_FEATURE_OPERAND_VALUE),
	};
	struct stf_writer *w = stf_writer_open(path, &opts, NULL);
	unsigned int n = 200 + one_of(MAX_INSTS - 200);

	CHECK(w && !stf_write_header(w, &header));
	while (n--)
		put_group(w, modes);
	CHECK(!stf_writer_close(w, NULL));
}

/* ------------------------------------------------------------------ reading */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
}

static void see_record(struct seen *s, const struct stf_record *rec)
{
	const char *text;
	unsigned int i;
	uint64_t value;

	s->records = mix(s->records, rec->desc);
	for (i = 0; stf_record_field(rec, i, &value, &text); i++)
		s->records = mix(s->records, value);
	if (rec->desc == STF_INST_REG && rec->reg.operand == STF_REG_STATE) {
		s->known[rec->reg.number] = true;
		s->regs[rec->reg.number] = rec->reg.value;
	}
}

static void read_trace(const char *path, struct trace *trace)
{
	struct stf_reader *reader = stf_reader_open(path, NULL, NULL);
	struct stf_inst_iter *iter;
	struct stf_record rec;
	struct seen *s;

	CHECK(reader);
	iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	CHECK(iter);
	for (trace->n = 0;; trace->n++) {
		CHECK(trace->n < MAX_INSTS);
		s = &trace->v[trace->n];
		*s = (struct seen){ 0 };
		if (stf_inst_iter_next(iter, &s->inst) <= 0)
			break;
		while (stf_inst_iter_record(iter, &rec) > 0)
			see_record(s, &rec);
	}
	CHECK_STR(stf_reader_error(reader), "");
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

static int cut(const char *from, const char *to, const struct tcut_opts *opts,
	       struct tcut_result *result)
{
	static const char *const none[] = { NULL };
	struct tcut_opts own = *opts;
	struct stf_reader *reader = stf_reader_open(from, NULL, NULL);
	struct stf_writer *writer = stf_writer_open(to, NULL, NULL);
	struct error error;
	int ret;

	CHECK(reader && writer);
	own.comments = none;
	*result = (struct tcut_result){ 0 };
	ret = tcut_run(&own, reader, writer, result, &error);
	stf_reader_close(reader);
	if (ret)
		stf_writer_abort(writer);
	else
		CHECK(!stf_writer_close(writer, NULL));
	return ret;
}

static char *file(char *buf, const char *name)
{
	sprintf(buf, "%s/%s", test_tmpdir(), name);
	return buf;
}

/* -------------------------------------------------------------------- tests */

static void same_inst(const struct stf_inst *a, const struct stf_inst *b)
{
	CHECK_EQ(a->pc, b->pc);
	CHECK_EQ(a->opcode, b->opcode);
	CHECK_EQ(a->mode, b->mode);
	CHECK_EQ(a->process.pid, b->process.pid);
	CHECK_EQ(a->process.tid, b->process.tid);
}

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

/* What the trace has told of the registers before instruction i, by counting back. */
static void regs_before(const char *path, uint64_t before, struct seen *want)
{
	struct stf_reader *reader = stf_reader_open(path, NULL, NULL);
	struct stf_inst_iter *iter =
		stf_inst_iter_new(reader, sizeof(struct stf_inst));
	struct stf_process process = { 0 };
	struct stf_record rec;
	struct stf_inst inst;

	CHECK(iter);
	for (*want = (struct seen){ 0 };;) {
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
		if (memcmp(&process, &inst.process, sizeof(process)) ||
		    inst.flags & STF_INST_F_GAP)
			memset(want->known, 0, sizeof(want->known));
		process = inst.process;
		if (inst.index == before)
			break;
		while (stf_inst_iter_record(iter, &rec) > 0)
			if (rec.desc == STF_INST_REG) {
				want->known[rec.reg.number] = true;
				want->regs[rec.reg.number] = rec.reg.value;
			}
	}
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
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

static bool passes(const struct tcut_windows *w, const struct stf_inst *inst)
{
	return (!w->user || inst->mode == STF_MODE_USER) &&
	       (!w->by_tid || inst->process.tid == w->process.tid);
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
		opts.windows.user = one_of(2);
		opts.windows.by_tid = !opts.windows.user || one_of(2);
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
	uint64_t n;
	char a[300];
	unsigned int trial;

	for (trial = 0; trial < TRIALS; trial++) {
		make(file(a, one_of(2) ? "a.stf" : "a.zstf"), 1 + one_of(300), true);
		read_trace(a, &whole);
		reader = stf_reader_open(a, NULL, NULL);
		CHECK(reader);
		CHECK_EQ(tcut_count(reader, &n, &error), 0);
		CHECK_EQ(n, whole.n);
		stf_reader_close(reader);
	}
}
