// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that were built against the header of version 0.1, and against one that is
 * newer than the library. The structures here are copies of that first header's: they
 * are not to be changed when it is.
 */
#include <stddef.h>
#include <stdlib.h>

#include "stf-trace.h"
#include "stf/stf_struct.h"

struct first_error {
	int code;
	char text[320];
};

struct first_reader_opts {
	size_t size;
	bool spec_initiators;
	unsigned int event_bits;
	uint64_t max_buffer;
	unsigned int threads;
};

struct first_writer_opts {
	size_t size;
	enum stf_container container;
	uint64_t chunk_markers;
	int level;
	bool spec_initiators;
	unsigned int event_bits;
	unsigned int threads;
};

struct first_header {
	size_t size;
	const char *const *comments;
	uint16_t isa;
	uint16_t iem;
	uint8_t generator;
	uint8_t gen_major;
	uint8_t gen_minor;
	uint8_t gen_patch;
	const char *gen_text;
	uint64_t features;
	uint32_t vlen;
	const char *isa_string;
	const struct stf_process *process;
	uint64_t pc;
};

struct first_params {
	struct stf_version version;
	uint16_t isa;
	uint16_t iem;
	uint64_t features;
	uint32_t vlen;
	uint8_t protocol;
	bool header_ended;
};

struct first_stats {
	size_t size;
	enum stf_container container;
	uint64_t file_bytes;
	uint64_t trace_bytes;
	uint64_t chunks;
	uint64_t chunk_markers;
	uint64_t records;
	uint64_t instructions;
	bool recovered;
};

struct first_inst {
	uint64_t index;
	uint64_t pc;
	uint64_t next_pc;
	uint32_t opcode;
	uint8_t size;
	uint8_t mode;
	uint16_t flags;
	struct stf_process process;
};

struct first_found {
	uint64_t count;
	uint64_t offset;
	uint64_t record;
	uint64_t instruction;
	uint64_t pc;
};

enum { FIRST_RULES = 51 };

struct first_check {
	size_t size;
	uint8_t last_desc;
	struct first_found found[FIRST_RULES];
};

struct first_read_calls {
	size_t size;
	void *user;
	int64_t (*read)(void *user, void *buf, size_t n);
	int64_t (*read_at)(void *user, void *buf, size_t n, uint64_t offset);
	uint64_t length;
};

struct first_write_calls {
	size_t size;
	void *user;
	int64_t (*write)(void *user, const void *data, size_t n);
	int64_t (*write_at)(void *user, const void *data, size_t n,
			    uint64_t offset);
};

/* ------------------------------------------------------------------ the layouts */

#define SAME(_name, _member)                                                   \
	_Static_assert(offsetof(struct first_##_name, _member) ==              \
			       offsetof(struct stf_##_name, _member) &&        \
		       sizeof(((struct first_##_name *)0)->_member) <=         \
			       sizeof(((struct stf_##_name *)0)->_member),     \
		       #_name "." #_member " has moved")

/* What has got members is longer: else they are where an older one has none. */
#define GROWN(_name, _member)                                                  \
	_Static_assert(offsetof(struct stf_##_name, _member) >=                \
			       sizeof(struct first_##_name),                   \
		       #_name "." #_member " is in the padding of the first")

SAME(error, code);
SAME(error, text);
_Static_assert(sizeof(struct first_error) == sizeof(struct stf_error), "error");
SAME(reader_opts, size);
SAME(reader_opts, spec_initiators);
SAME(reader_opts, event_bits);
SAME(reader_opts, max_buffer);
SAME(reader_opts, threads);
GROWN(reader_opts, name);
SAME(writer_opts, size);
SAME(writer_opts, container);
SAME(writer_opts, chunk_markers);
SAME(writer_opts, level);
SAME(writer_opts, spec_initiators);
SAME(writer_opts, event_bits);
SAME(writer_opts, threads);
GROWN(writer_opts, name);
SAME(header, size);
SAME(header, comments);
SAME(header, isa);
SAME(header, iem);
SAME(header, generator);
SAME(header, gen_major);
SAME(header, gen_minor);
SAME(header, gen_patch);
SAME(header, gen_text);
SAME(header, features);
SAME(header, vlen);
SAME(header, isa_string);
SAME(header, process);
SAME(header, pc);
SAME(params, version);
SAME(params, isa);
SAME(params, iem);
SAME(params, features);
SAME(params, vlen);
SAME(params, protocol);
SAME(params, header_ended);
SAME(stats, size);
SAME(stats, container);
SAME(stats, file_bytes);
SAME(stats, trace_bytes);
SAME(stats, chunks);
SAME(stats, chunk_markers);
SAME(stats, records);
SAME(stats, instructions);
SAME(stats, recovered);
SAME(inst, index);
SAME(inst, pc);
SAME(inst, next_pc);
SAME(inst, opcode);
SAME(inst, size);
SAME(inst, mode);
SAME(inst, flags);
SAME(inst, process);
SAME(found, count);
SAME(found, offset);
SAME(found, record);
SAME(found, instruction);
SAME(found, pc);
_Static_assert(sizeof(struct first_found) == sizeof(struct stf_found), "found");
SAME(check, size);
SAME(check, found);
SAME(read_calls, user);
SAME(read_calls, read);
SAME(read_calls, read_at);
SAME(read_calls, length);
SAME(write_calls, user);
SAME(write_calls, write);
SAME(write_calls, write_at);
_Static_assert(STF_EVENT_NAME_MAX == 40 && STF_META_MAX == 9, "a buffer");
_Static_assert(STF_RULE_FEATURE_TRANSACTIONS == FIRST_RULES - 1 &&
	       STF_RULE_NO_COMMENT == 0 && STF_RULE_EVENT_ID == 40, "a rule");

/* Sizes of a record, of all its kinds with more than one member, and of elements. */
#if defined(__LP64__)
#define SIZE(_name, _bytes)                                                    \
	_Static_assert(sizeof(struct stf_##_name) == (_bytes), #_name)

SIZE(record, 104);
_Static_assert(offsetof(struct stf_record, content) == 8, "the union");
SIZE(text, 16);
SIZE(version, 8);
SIZE(trace_info, 24);
SIZE(process, 12);
SIZE(clock, 24);
SIZE(reg, 32);
SIZE(pte, 16);
SIZE(page_walk, 32);
SIZE(mem_access, 16);
SIZE(bus_access, 24);
SIZE(event, 24);
SIZE(microop, 8);
SIZE(tilelink, 56);
SIZE(transaction, 88);
SIZE(dependency, 24);
SIZE(meta, 16);
SIZE(page, 40);
SIZE(pc_range, 16);
SIZE(place, 16);
#endif

/* ---------------------------------------------------------- an older program */

/* What lies behind a structure of the program, and is none of the library's. */
enum { BEHIND = 256, CANARY = 0xa5 };

/* n bytes with canaries behind them. */
static void *with_canaries(size_t n)
{
	uint8_t *p = malloc(n + BEHIND);

	CHECK(p);
	memset(p, CANARY, n + BEHIND);
	return p;
}

static void canaries_live(const void *p, size_t n)
{
	unsigned int i;

	for (i = 0; i < BEHIND; i++)
		CHECK_EQ(((const uint8_t *)p)[n + i], CANARY);
}

/* A trace that an older program writes, with its options and its header. */
static void write_old(const char *name)
{
	static const char *const comments[] = { "old", NULL };
	struct first_writer_opts *opts = with_canaries(sizeof(*opts));
	struct first_header *hdr = with_canaries(sizeof(*hdr));
	struct first_error *err = with_canaries(sizeof(*err));
	struct first_stats *stats = with_canaries(sizeof(*stats));
	struct stf_writer *w;

	*opts = (struct first_writer_opts){ .size = sizeof(*opts),
					    .chunk_markers = 4 };
	*hdr = (struct first_header){ .size = sizeof(*hdr), .comments = comments,
				      .generator = 1, .pc = START_PC };
	w = stf_writer_open(in_tmpdir(name), (void *)opts, (void *)err);
	CHECK(w);
	CHECK_EQ(err->code, 0);
	CHECK_EQ(stf_write_header(w, (void *)hdr), 0);
	CHECK_EQ(stf_write_mode_change(w, STF_MODE_USER), 0);
	write_insts(w, 10);
	stats->size = sizeof(*stats);
	stf_writer_stats(w, (void *)stats);
	CHECK_EQ(stats->size, sizeof(*stats));
	CHECK_EQ(stats->instructions, 10);
	canaries_live(stats, sizeof(*stats));
	CHECK_EQ(stf_writer_close(w, (void *)err), 0);
	canaries_live(err, sizeof(*err));
	free(opts);
	free(hdr);
	free(err);
	free(stats);
}

static struct stf_reader *open_old(const char *name)
{
	struct first_reader_opts *opts = with_canaries(sizeof(*opts));
	struct first_error *err = with_canaries(sizeof(*err));
	struct stf_reader *r;

	*opts = (struct first_reader_opts){ .size = sizeof(*opts) };
	r = stf_reader_open(in_tmpdir(name), (void *)opts, (void *)err);
	CHECK(r);
	CHECK_EQ(err->code, 0);
	canaries_live(err, sizeof(*err));
	free(opts);
	free(err);
	return r;
}

TEST(an_older_program_writes)
{
	write_old("t.stf");
	CHECK_EQ(read_all(in_tmpdir("t.stf")).insts, 10);
	write_old("t.zstf");
	CHECK_EQ(read_all(in_tmpdir("t.zstf")).insts, 10);
}

TEST(an_older_program_reads_records)
{
	enum { N = 3, SIZE = N * sizeof(struct stf_record) };
	struct stf_record *recs = with_canaries(SIZE);
	struct first_stats *stats = with_canaries(sizeof(*stats));
	const struct first_params *params;
	struct stf_reader *r;
	unsigned int insts = 0;
	int n, i;

	write_old("t.zstf");
	r = open_old("t.zstf");
	while ((n = stf_reader_read(r, recs, N)) > 0)
		for (i = 0; i < n; i++)
			insts += recs[i].desc == 240 || recs[i].desc == 241;
	CHECK_EQ(n, 0);
	CHECK_EQ(insts, 10);
	canaries_live(recs, SIZE);
	stats->size = sizeof(*stats);
	stf_reader_stats(r, (void *)stats);
	CHECK_EQ(stats->size, sizeof(*stats));
	CHECK_EQ(stats->chunks, 3);
	CHECK_EQ(stats->chunk_markers, 4);
	CHECK_EQ(stats->instructions, 10);
	CHECK(!stats->recovered);
	canaries_live(stats, sizeof(*stats));
	params = (const void *)stf_reader_params(r);
	CHECK(params->iem == 2 && params->header_ended);
	stf_reader_close(r);
	free(recs);
	free(stats);
}

/* Of every kind, and by every function that fills a record. */
TEST(no_record_takes_more_than_its_place)
{
	struct stf_record *rec = with_canaries(sizeof(*rec));
	struct stf_inst_iter *iter;
	struct first_inst inst;
	struct stf_reader *r;

	write_samples("t.stf", 0);
	r = open_old("t.stf");
	while (stf_reader_next(r, rec) > 0)
		canaries_live(rec, sizeof(*rec));
	stf_reader_close(r);
	r = open_old("t.stf");
	iter = stf_inst_iter_new(r, sizeof(inst));
	CHECK(iter);
	while (stf_inst_iter_next(iter, (void *)&inst) > 0)
		while (stf_inst_iter_record(iter, rec) > 0)
			canaries_live(rec, sizeof(*rec));
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	free(rec);
}

TEST(an_older_program_reads_instructions)
{
	struct first_inst *inst = with_canaries(sizeof(*inst));
	struct stf_inst_iter *iter;
	struct stf_reader *r;
	unsigned int n = 0;

	write_old("t.zstf");
	r = open_old("t.zstf");
	iter = stf_inst_iter_new(r, sizeof(*inst));
	CHECK(iter);
	while (stf_inst_iter_next(iter, (void *)inst) > 0) {
		CHECK_EQ(inst->index, n);
		CHECK_EQ(inst->pc, START_PC + n / 2 * 6 + (n & 1) * 4);
		CHECK_EQ(inst->size, n & 1 ? 2 : 4);
		CHECK_EQ(inst->mode, STF_MODE_USER);
		canaries_live(inst, sizeof(*inst));
		n++;
	}
	CHECK_EQ(n, 10);
	CHECK_EQ(stf_inst_iter_seek(iter, 7), 1);
	CHECK_EQ(stf_inst_iter_next(iter, (void *)inst), 1);
	CHECK_EQ(inst->index, 7);
	canaries_live(inst, sizeof(*inst));
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	free(inst);
}

TEST(an_older_program_checks)
{
	struct first_check *check = with_canaries(sizeof(*check));
	struct stf_reader *r;

	write_old("t.stf");
	r = open_old("t.stf");
	check->size = sizeof(*check);
	CHECK_EQ(stf_check(r, (void *)check), 0);
	CHECK_EQ(check->size, sizeof(*check));
	CHECK_EQ(check->found[STF_RULE_NO_PROCESS].count, 1);
	CHECK_EQ(check->found[STF_RULE_NO_COMMENT].count, 0);
	canaries_live(check, sizeof(*check));
	stf_reader_close(r);
	free(check);
}

/* As little as a program likes to know. */
TEST(statistics_of_any_length)
{
	struct stf_stats *stats = with_canaries(sizeof(*stats));
	size_t n, all = offsetof(struct stf_stats, recovered) + 1;
	struct stf_reader *r;

	write_old("t.stf");
	r = open_old("t.stf");
	for (n = sizeof(n); n <= all; n++) {
		memset(stats, CANARY, sizeof(*stats));
		stats->size = n;
		stf_reader_stats(r, stats);
		canaries_live(stats, sizeof(*stats));
		CHECK_EQ(stats->size, n);
		CHECK_EQ(((uint8_t *)stats)[n], CANARY);
		if (n >= offsetof(struct stf_stats, file_bytes))
			CHECK_EQ(stats->container, STF_CONTAINER_PLAIN);
	}
	stf_reader_close(r);
	free(stats);
}

TEST(less_than_the_first_version_is_refused)
{
	static const char *const comments[] = { "x", NULL };
	struct stf_reader_opts ropts = { .size = sizeof(size_t) };
	struct stf_writer_opts wopts = { .size = sizeof(size_t) };
	struct stf_read_calls rcalls = { .size = sizeof(size_t) };
	struct stf_write_calls wcalls = { .size = sizeof(size_t) };
	struct stf_header hdr = { .size = offsetof(struct stf_header, pc),
				  .comments = comments };
	struct stf_check check = { .size = sizeof(struct first_check) - 1 };
	struct stf_error err;
	struct stf_reader *r;
	struct stf_writer *w;

	write_old("t.stf");
	CHECK(!stf_reader_open(in_tmpdir("t.stf"), &ropts, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK_STR(err.text, "a bad argument to stf_reader_open()");
	CHECK(!stf_writer_open(in_tmpdir("w.stf"), &wopts, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK(!stf_reader_open_calls(&rcalls, NULL, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK(!stf_writer_open_calls(&wcalls, NULL, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	w = stf_writer_open(in_tmpdir("w.stf"), NULL, NULL);
	CHECK_EQ(stf_write_header(w, &hdr), STF_E_INVAL);
	stf_writer_abort(w);
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	CHECK(!stf_inst_iter_new(r, offsetof(struct stf_inst, process)));
	CHECK_STR(stf_reader_error(r),
		  "a bad argument to stf_inst_iter_new()");
	CHECK_EQ(stf_check(r, &check), STF_E_INVAL);
	stf_reader_close(r);
}

/* A size that nobody set. */
TEST(a_size_beyond_all_reason_is_refused)
{
	struct stf_reader_opts opts = { .size = SIZE_MAX };
	struct stf_error err;

	write_old("t.stf");
	CHECK(!stf_reader_open(in_tmpdir("t.stf"), &opts, &err));
	CHECK_STR(err.text, "a bad argument to stf_reader_open()");
}

/* ----------------------------------------------------------- a newer program */

#define NEWER(_name)                                                           \
	struct newer_##_name {                                                 \
		struct stf_##_name first;                                      \
		uint64_t more[4];                                              \
	}

NEWER(reader_opts);
NEWER(writer_opts);
NEWER(header);
NEWER(read_calls);
NEWER(write_calls);

static void library_is_older(const char *text, const char *function)
{
	CHECK(!strncmp(text, function, strlen(function)));
	CHECK(strstr(text, "the library libstf is older than the program"));
}

TEST(a_newer_program_reads_as_long_as_it_asks_for_nothing_new)
{
	struct newer_reader_opts opts = { .first.size = sizeof(opts) };
	struct stf_error err;
	struct stf_reader *r;

	write_old("t.stf");
	r = stf_reader_open(in_tmpdir("t.stf"), &opts.first, &err);
	CHECK(r);
	stf_reader_close(r);
	opts.more[3] = UINT64_C(1) << 63;
	CHECK(!stf_reader_open(in_tmpdir("t.stf"), &opts.first, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	library_is_older(err.text, "stf_reader_open()");
	opts = (struct newer_reader_opts){ .first.size = sizeof(opts) };
	opts.more[0] = 1;
	CHECK(!stf_reader_open(in_tmpdir("t.stf"), &opts.first, &err));
	library_is_older(err.text, "stf_reader_open()");
}

TEST(a_newer_program_writes_as_long_as_it_asks_for_nothing_new)
{
	static const char *const comments[] = { "new", NULL };
	struct newer_writer_opts opts = { .first.size = sizeof(opts) };
	struct newer_header hdr = { .first.size = sizeof(hdr),
				    .first.comments = comments,
				    .first.generator = STF_GEN_QEMU };
	struct stf_error err;
	struct stf_writer *w;

	w = stf_writer_open(in_tmpdir("t.stf"), &opts.first, &err);
	CHECK(w);
	hdr.more[0] = 1;
	CHECK_EQ(stf_write_header(w, &hdr.first), STF_E_INVAL);
	library_is_older(stf_writer_error(w), "stf_write_header()");
	hdr.more[0] = 0;
	CHECK_EQ(stf_write_header(w, &hdr.first), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	opts.more[0] = 1;
	CHECK(!stf_writer_open(in_tmpdir("t.stf"), &opts.first, &err));
	library_is_older(err.text, "stf_writer_open()");
}

static int64_t no_bytes(void *user, void *buf, size_t n)
{
	(void)user, (void)buf, (void)n;
	return 0;
}

static int64_t all_bytes(void *user, const void *data, size_t n)
{
	(void)user, (void)data;
	return (int64_t)n;
}

TEST(newer_calls_are_refused_only_if_there_are_any)
{
	struct newer_read_calls rcalls = { .first = { .size = sizeof(rcalls),
						      .read = no_bytes } };
	struct newer_write_calls wcalls = { .first = { .size = sizeof(wcalls),
						       .write = all_bytes } };
	struct stf_error err;
	struct stf_writer *w;

	CHECK(!stf_reader_open_calls(&rcalls.first, NULL, &err));
	CHECK_STR(err.text, "(calls): the trace is empty");
	rcalls.more[0] = 1;
	CHECK(!stf_reader_open_calls(&rcalls.first, NULL, &err));
	library_is_older(err.text, "stf_reader_open_calls()");
	w = stf_writer_open_calls(&wcalls.first, NULL, &err);
	CHECK(w);
	stf_writer_abort(w);
	wcalls.more[0] = 1;
	CHECK(!stf_writer_open_calls(&wcalls.first, NULL, &err));
	library_is_older(err.text, "stf_writer_open_calls()");
}

/* What an older library does not know stays as it was. */
TEST(a_newer_program_gets_what_there_is)
{
	struct { struct stf_stats first; uint64_t more; } stats = {
		.first.size = sizeof(stats), .more = 7 };
	struct { struct stf_check first; uint64_t more; } check = {
		.first.size = sizeof(check), .more = 7 };
	struct { struct stf_inst first; uint64_t more; } inst = { .more = 7 };
	struct stf_inst_iter *iter;
	struct stf_reader *r;

	write_old("t.stf");
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	iter = stf_inst_iter_new(r, sizeof(inst));
	CHECK(iter);
	CHECK_EQ(stf_inst_iter_next(iter, &inst.first), 1);
	CHECK_EQ(inst.first.pc, START_PC);
	CHECK_EQ(inst.more, 7);
	stf_inst_iter_free(iter);
	stf_reader_stats(r, &stats.first);
	CHECK_EQ(stats.first.instructions, 1);
	CHECK_EQ(stats.more, 7);
	stf_reader_close(r);
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	CHECK_EQ(stf_check(r, &check.first), 0);
	CHECK_EQ(check.first.found[STF_RULE_NO_PROCESS].count, 1);
	CHECK_EQ(check.more, 7);
	stf_reader_close(r);
}

/* --------------------------------------------------------- how they are copied */

struct three {
	size_t size;
	uint32_t a, b, c, d;
};

TEST(what_a_program_does_not_have_is_0)
{
	const struct three passed = { offsetof(struct three, c), 1, 2, 3, 4 };
	struct three own = { 0 };
	struct stf_error err;

	CHECK_EQ(stf_struct_take(&own, sizeof(own),
				 STF_SIZE_TO(struct three, a), &passed, "f",
				 &err), 0);
	CHECK(own.a == 1 && own.b == 2 && !own.c && !own.d);
	own = (struct three){ 0 };
	CHECK_EQ(stf_struct_take(&own, sizeof(own),
				 STF_SIZE_TO(struct three, c), &passed, "f",
				 &err), STF_E_INVAL);
	CHECK_STR(err.text, "a bad argument to f()");
	CHECK_EQ(stf_struct_take(&own, sizeof(own), sizeof(own), NULL, "f",
				 &err), 0);
	CHECK(!own.a);
}

TEST(what_a_program_has_no_room_for_is_not_given)
{
	const struct three own = { sizeof(own), 1, 2, 3, 4 };
	struct three got = { offsetof(struct three, c), 9, 9, 9, 9 };

	stf_struct_give(&got, &own, sizeof(own));
	CHECK_EQ(got.size, offsetof(struct three, c));
	CHECK(got.a == 1 && got.b == 2 && got.c == 9 && got.d == 9);
	got = (struct three){ .size = 0, .a = 9 };
	stf_struct_give(&got, &own, sizeof(own));
	CHECK(!got.size && got.a == 9);
}
