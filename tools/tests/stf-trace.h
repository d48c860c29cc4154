/* SPDX-License-Identifier: GPL-2.0-only */
/* Small traces by the library's writer, and reading any file to its end. */
#ifndef TESTS_STF_TRACE_H
#define TESTS_STF_TRACE_H

#include <unistd.h>

#include "stf-build.h"
#include "stf/stf.h"

static inline struct stf_writer *start_threads(const char *name,
					       uint64_t chunk_markers,
					       unsigned int threads)
{
	static const char *const comments[] = { "made by a test", NULL };
	struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
				  .generator = STF_GEN_QEMU, .pc = START_PC };
	struct stf_writer_opts opts = { .size = sizeof(opts),
					.chunk_markers = chunk_markers,
					.threads = threads };
	struct stf_error err;
	struct stf_writer *w;

	w = stf_writer_open(in_tmpdir(name), &opts, &err);
	if (!w)
		test_fail(__FILE__, __LINE__, "%s", err.text);
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	return w;
}

static inline struct stf_writer *start(const char *name, uint64_t chunk_markers)
{
	return start_threads(name, chunk_markers, 0);
}

/* n instructions, of 4 and 2 bytes by turns. */
static inline void write_insts(struct stf_writer *w, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		CHECK_EQ(stf_write_inst(w, i % 2 ? 1 : 0x13, i % 2 ? 2 : 4), 0);
}

struct result {
	int end; /* 0 or the error */
	uint64_t insts;
	uint64_t records;
	uint64_t sum; /* over all fields */
	char text[400];
};

static inline void add_fields(uint64_t *sum, const struct stf_record *rec)
{
	const char *text;
	uint64_t value;
	unsigned int i;

	*sum = *sum * 31 + rec->desc;
	for (i = 0; stf_record_field(rec, i, &value, &text); i++)
		*sum = *sum * 31 + value;
}

/* Read to the end and close. Without a reader *err says why there is none. */
static inline struct result read_opened(struct stf_reader *r,
					const struct stf_error *err)
{
	struct result res = { 0 };
	struct stf_record rec;

	if (!r) {
		CHECK(err->code < 0 && err->text[0]);
		res.end = err->code;
		strcpy(res.text, err->text);
		return res;
	}
	while ((res.end = stf_reader_next(r, &rec)) > 0) {
		res.records++;
		add_fields(&res.sum, &rec);
		res.insts += rec.desc == 240 || rec.desc == 241;
	}
	strcpy(res.text, stf_reader_error(r));
	CHECK(!res.end == !res.text[0]);
	stf_reader_close(r);
	return res;
}

static inline struct result read_all(const char *path)
{
	struct stf_error err;
	struct stf_reader *r = stf_reader_open(path, NULL, &err);

	return read_opened(r, &err);
}

/* The same by instructions: only whether it ends well. */
/* The same by kind, with a step back now and then. */
static inline int read_groups(const char *path)
{
	struct stf_reader *r = stf_reader_open(path, NULL, NULL);
	const struct stf_group *group;
	struct stf_inst_iter *iter;
	struct stf_replay *replay;
	struct stf_inst inst;
	unsigned int n = 0;
	int end;

	if (!r)
		return -1;
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	CHECK(iter);
	replay = stf_replay_new(iter, 7);
	CHECK(replay);
	while ((end = stf_replay_next(replay, &inst, &group)) > 0)
		if (++n % 10 == 0)
			CHECK(stf_replay_back(replay, inst.index - 6));
	stf_replay_free(replay);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	return end;
}

static inline int read_insts(const char *path)
{
	struct stf_reader *r = stf_reader_open(path, NULL, NULL);
	struct stf_inst_iter *iter;
	struct stf_record rec;
	struct stf_inst inst;
	int end;

	if (!r)
		return -1;
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	CHECK(iter);
	while ((end = stf_inst_iter_next(iter, &inst)) > 0)
		while (stf_inst_iter_record(iter, &rec) > 0)
			;
	CHECK(!end == !*stf_reader_error(r));
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	CHECK_EQ(read_groups(path), end);
	return end;
}

/* A trace with most kinds of records, small. */
static inline void write_samples(const char *name, uint64_t chunk_markers)
{
	struct stf_bus_access bus = { 0x1000, 64, STF_INITIATOR_DMA, 1, 0, 2 };
	struct stf_mem_access mem = { 0x2000, 8, 0, 1 };
	struct stf_writer *w = start(name, chunk_markers);
	uint64_t field = 7;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		CHECK_EQ(stf_write_process(w, 0, 1, i), 0);
		CHECK_EQ(stf_write_force_pc(w, 0x1000), 0);
		CHECK_EQ(stf_write_pc_target(w, 0x2000), 0);
		CHECK_EQ(stf_write_mem(w, &mem, 3), 0);
		CHECK_EQ(stf_write_bus(w, &bus, 4), 0);
		CHECK_EQ(stf_write_event(w, 8, &field, 1), 0);
		CHECK_EQ(stf_write_mode_change(w, STF_MODE_SUPERVISOR), 0);
		CHECK_EQ(stf_write_event_target(w, 0x3000), 0);
		CHECK_EQ(stf_write_inst(w, 0x73, 4), 0);
		CHECK_EQ(stf_write_inst(w, 1, 2), 0);
	}
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

/* What the writer calls a file until it is complete. */
static inline const char *temporary_name(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s.part-%ld.0", in_tmpdir(name),
		 (long)getpid());
	return path;
}

#endif
