/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random STF traces, and what the iterator, which has tests of its own, reads of them. A
 * record of most kinds is in them, and groups that tell modes in each way.
 */
#ifndef TESTS_TRACE_RANDOM_H
#define TESTS_TRACE_RANDOM_H

#include <stdio.h>
#include <stdlib.h>

#include "stf/stf.h"
#include "test.h"
#include "tracecut/tracecut.h"

enum { MAX_INSTS = 3000, N_REGS = 8, ECALL = 0x73 };

struct seen {
	struct stf_inst inst;
	uint64_t records; /* a hash of the records of its group */
	uint64_t work; /* the same without those that tell the state before it */
	bool known[N_REGS]; /* the states in its group */
	uint64_t regs[N_REGS];
	uint64_t branch; /* the INST_PC_TARGET, or 0 */
	uint8_t mode_behind; /* to which its MODE_CHANGEs lead, or STF_MODE_UNKNOWN */
};

struct trace {
	unsigned int n;
	struct seen v[MAX_INSTS];
};

static inline unsigned int one_of(unsigned int n)
{
	return (unsigned int)(test_random() % n);
}

/* ------------------------------------------------------------- a random trace */

static inline void put(struct stf_writer *w, const struct stf_record *rec)
{
	if (stf_write(w, rec))
		test_fail(__FILE__, __LINE__, "%s", stf_writer_error(w));
}

static inline void put_reg(struct stf_writer *w, uint8_t operand)
{
	struct stf_record rec = { .desc = STF_INST_REG };

	rec.reg = (struct stf_reg){ .number = (uint16_t)one_of(N_REGS),
				    .type = STF_REG_INT,
				    .operand = operand,
				    .value = test_random() };
	put(w, &rec);
}

static inline void put_trap(struct stf_writer *w, bool target)
{
	const uint64_t field = 1;

	if (one_of(2))
		CHECK(!stf_write_mode_change(w, one_of(2) ? STF_MODE_SUPERVISOR :
							    STF_MODE_USER));
	CHECK(!stf_write_event(w, STF_FAULT_USER_ECALL, &field, 1));
	if (target)
		CHECK(!stf_write_event_target(w, 0x40000 + 2 * one_of(1000)));
}

/* Its MODE_CHANGE is the only event to which the target belongs. */
static inline void put_trap_return(struct stf_writer *w)
{
	CHECK(!stf_write_mode_change(w, one_of(2) ? STF_MODE_SUPERVISOR : STF_MODE_USER));
	CHECK(!stf_write_event_target(w, 0x10000 + 2 * one_of(1000)));
}

static inline void put_group(struct stf_writer *w, bool modes)
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
		if (!one_of(3))
			CHECK(!stf_write_pc_target(w, 0x20000 + 2 * one_of(1000)));
		put_trap(w, one_of(2));
	} else if (kind == 16 && modes) {
		put_trap_return(w);
	}
	if (kind == 15)
		CHECK(!stf_write_inst(w, ECALL, 4));
	else if (one_of(2))
		CHECK(!stf_write_inst(w, 0x13, 4));
	else
		CHECK(!stf_write_inst(w, 1, 2));
}

/*
 * told: the trace begins with the process and the mode. Of a trace with an index, nobody
 * has to know all registers, so that a part of it can be read alone.
 */
static inline void make_told(const char *path, uint64_t chunk, bool modes, bool told)
{
	const struct stf_process process = { 0, 7, 7 };
	static const char *const comments[] = { "made for a test", NULL };
	const struct stf_writer_opts opts = { .size = sizeof(opts),
					      .chunk_markers = chunk,
					      .threads = STF_NO_THREADS };
	const struct stf_header header = {
		.size = sizeof(header), .comments = comments,
		.generator = STF_GEN_QEMU, .pc = 0x10000,
		.features = STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID |
			    (chunk ? 0 : STF_FEATURE_OPERAND_VALUE),
		.process = told ? &process : NULL,
	};
	struct stf_writer *w = stf_writer_open(path, &opts, NULL);
	unsigned int n = 200 + one_of(MAX_INSTS - 210);

	CHECK(w && !stf_write_header(w, &header));
	if (told) {
		CHECK(!stf_write_mode_change(w, STF_MODE_USER));
		CHECK(!stf_write_inst(w, 0x13, 4));
	}
	while (n--)
		put_group(w, modes);
	CHECK(!stf_writer_close(w, NULL));
}

static inline void make(const char *path, uint64_t chunk, bool modes)
{
	make_told(path, chunk, modes, false);
}

/* ------------------------------------------------------------------ reading */

static inline uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
}

static inline bool is_state(const struct stf_record *rec)
{
	return rec->desc == STF_COMMENT || rec->desc == STF_FORCE_PC ||
	       rec->desc == STF_PROCESS_ID_EXT ||
	       (rec->desc == STF_EVENT && rec->event.id == STF_EVENT_MODE_CHANGE) ||
	       (rec->desc == STF_INST_REG && rec->reg.operand == STF_REG_STATE);
}

static inline void see_record(struct seen *s, const struct stf_record *rec)
{
	uint64_t value, hash = rec->desc;
	const char *text;
	unsigned int i;

	for (i = 0; stf_record_field(rec, i, &value, &text); i++)
		hash = mix(hash, value);
	s->records = mix(s->records, hash);
	if (!is_state(rec))
		s->work = mix(s->work, hash);
	if (rec->desc == STF_INST_PC_TARGET)
		s->branch = rec->pc;
	if (rec->desc == STF_EVENT && rec->event.id == STF_EVENT_MODE_CHANGE)
		s->mode_behind = (uint8_t)rec->event.fields[0];
	if (rec->desc == STF_INST_REG && rec->reg.operand == STF_REG_STATE) {
		s->known[rec->reg.number] = true;
		s->regs[rec->reg.number] = rec->reg.value;
	}
}

static inline void read_trace(const char *path, struct trace *trace)
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
		*s = (struct seen){ .mode_behind = STF_MODE_UNKNOWN };
		if (stf_inst_iter_next(iter, &s->inst) <= 0)
			break;
		while (stf_inst_iter_record(iter, &rec) > 0)
			see_record(s, &rec);
	}
	CHECK_STR(stf_reader_error(reader), "");
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

static inline char *file(char *buf, const char *name)
{
	sprintf(buf, "%s/%s", test_tmpdir(), name);
	return buf;
}

static inline void same_inst(const struct stf_inst *a, const struct stf_inst *b)
{
	CHECK_EQ(a->pc, b->pc);
	CHECK_EQ(a->opcode, b->opcode);
	CHECK_EQ(a->mode, b->mode);
	CHECK_EQ(a->process.pid, b->process.pid);
	CHECK_EQ(a->process.tid, b->process.tid);
}

/* What the trace has told of the registers before instruction i, by counting back. */
static inline void regs_before(const char *path, uint64_t before, struct seen *want)
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

static inline int cut(const char *from, const char *to, const struct tcut_opts *opts,
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
	own.windows.size = sizeof(own.windows);
	*result = (struct tcut_result){ 0 };
	ret = tcut_run(&own, reader, writer, result, &error);
	stf_reader_close(reader);
	if (ret)
		stf_writer_abort(writer);
	else
		CHECK(!stf_writer_close(writer, NULL));
	return ret;
}

#endif
