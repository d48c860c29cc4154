// SPDX-License-Identifier: GPL-2.0-only
/* Groups copied at once are what their records are one by one. */
#include <stdlib.h>

#include "stf-trace.h"

enum { INSTS = 20000, MANY = 4 << 20 };

/* A trace with all that a plain group can have, and now and then what it cannot. */
static void write_group(struct stf_writer *w)
{
	struct stf_record reg = { .desc = STF_INST_REG };
	struct stf_mem_access mem = { test_random(), 8, 0, 1 };
	uint64_t kinds = test_random();

	if (kinds % 101 == 0)
		CHECK_EQ(stf_write_force_pc(w, test_random()), 0);
	if (kinds % 103 == 0)
		CHECK_EQ(stf_write_comment(w, "between"), 0);
	if (kinds % 107 == 0)
		CHECK_EQ(stf_write_process(w, 0, 1, (uint32_t)kinds), 0);
	reg.reg = (struct stf_reg){ .number = 5, .type = STF_REG_INT,
				    .operand = STF_REG_SOURCE,
				    .value = kinds };
	if (kinds & 0x10000)
		CHECK_EQ(stf_write(w, &reg), 0);
	if (!(kinds & 0x60000))
		CHECK_EQ(stf_write_pc_target(w, 0x1000 + (kinds & 0xffe)), 0);
	else if (kinds & 0x80000)
		CHECK_EQ(stf_write_mem(w, &mem, kinds), 0);
	if (kinds % 109 == 0)
		CHECK_EQ(stf_write_mode_change(w, STF_MODE_USER), 0);
	CHECK_EQ(kinds & 1 ? stf_write_inst(w, 0x13, 4) :
			     stf_write_inst(w, 1, 2), 0);
}

static void write_random(const char *name, uint64_t markers)
{
	struct stf_writer *w = start(name, markers);
	unsigned int i;

	for (i = 0; i < INSTS; i++)
		write_group(w);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

struct copy {
	struct stf_reader *reader;
	struct stf_inst_iter *iter;
	struct stf_writer *writer;
	uint64_t groups; /* that stf_write_groups() has copied */
};

static void copy_header(struct copy *c, const char *to, uint64_t markers)
{
	struct stf_writer_opts opts = { .size = sizeof(opts),
					.chunk_markers = markers };
	struct stf_record rec;

	CHECK(c->reader);
	c->writer = stf_writer_open(in_tmpdir(to), &opts, NULL);
	CHECK(c->writer);
	do {
		CHECK_EQ(stf_reader_next(c->reader, &rec), 1);
		CHECK_EQ(stf_write(c->writer, &rec), 0);
	} while (rec.desc != STF_END_HEADER);
	c->iter = stf_inst_iter_new(c->reader, sizeof(struct stf_inst));
	CHECK(c->iter);
}

static void copy_records(struct copy *c)
{
	struct stf_record rec;

	while (stf_inst_iter_record(c->iter, &rec) > 0)
		CHECK_EQ(stf_write(c->writer, &rec), 0);
}

/* Copy up to n groups at once, which must be the next ones, and then one by records. */
static int copy_some(struct copy *c, uint64_t n, uint64_t *index)
{
	uint64_t done = stf_write_groups(c->writer, c->iter, n, NULL);
	struct stf_inst inst;
	uint64_t pc;
	int more;

	CHECK(done <= n);
	c->groups += done;
	*index += done;
	more = stf_inst_iter_next(c->iter, &inst);
	if (more <= 0)
		return more;
	CHECK_EQ(inst.index, *index);
	if (!(inst.flags & STF_INST_F_FORCE_PC)) {
		CHECK(stf_writer_pc(c->writer, &pc));
		CHECK_EQ(pc, inst.pc);
	}
	++*index;
	copy_records(c);
	return 1;
}

static void finish(struct copy *c)
{
	stf_inst_iter_free(c->iter);
	stf_reader_close(c->reader);
}

/* n: 0: any number at once, also none. */
static uint64_t copy_trace(const char *from, const char *to, uint64_t markers,
			   uint64_t n)
{
	struct stf_stats in = { .size = sizeof(in) }, out = in;
	struct copy c = { .reader = stf_reader_open(in_tmpdir(from), NULL, NULL) };
	uint64_t index = 0;
	int more;

	copy_header(&c, to, markers);
	do
		more = copy_some(&c, n ? n : test_random() % 50, &index);
	while (more > 0);
	CHECK_EQ(more, 0);
	copy_records(&c); /* behind the last opcode */
	stf_reader_stats(c.reader, &in);
	stf_writer_stats(c.writer, &out);
	CHECK_EQ(in.records, out.records);
	CHECK_EQ(in.instructions, out.instructions);
	CHECK_EQ(in.trace_bytes, out.trace_bytes);
	CHECK_EQ(stf_writer_close(c.writer, NULL), 0);
	finish(&c);
	return c.groups;
}

static void check_same(const char *a, const char *b)
{
	static uint8_t bytes_a[MANY], bytes_b[MANY];
	size_t n = read_file(in_tmpdir(a), bytes_a, sizeof(bytes_a));

	CHECK(n && n < sizeof(bytes_a));
	CHECK_EQ(read_file(in_tmpdir(b), bytes_b, sizeof(bytes_b)), n);
	CHECK(!memcmp(bytes_a, bytes_b, n));
}

TEST(a_copy_of_groups_has_the_bytes_of_the_trace)
{
	static const struct {
		const char *a, *b;
		uint64_t markers;
	} kinds[] = { { "a.stf", "b.stf", 0 },
		      { "a.zstf", "b.zstf", 1000 },
		      { "c.zstf", "d.zstf", 7 } };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		write_random(kinds[i].a, kinds[i].markers);
		CHECK(copy_trace(kinds[i].a, kinds[i].b, kinds[i].markers,
				 UINT64_MAX) > INSTS / 2);
		check_same(kinds[i].a, kinds[i].b);
		CHECK(copy_trace(kinds[i].a, kinds[i].b, kinds[i].markers, 0));
		check_same(kinds[i].a, kinds[i].b);
	}
	/* From one container to the other, where other places are chunks' ends. */
	copy_trace("a.zstf", "e.zstf", 333, UINT64_MAX);
	copy_trace("e.zstf", "e.stf", 0, UINT64_MAX);
	copy_trace("a.zstf", "f.stf", 0, 1);
	check_same("e.stf", "f.stf");
}

TEST(other_records_are_not_copied_as_groups)
{
	write_samples("a.stf", 0);
	copy_trace("a.stf", "b.stf", 0, UINT64_MAX);
	check_same("a.stf", "b.stf");
}

/* Instructions from START_PC on, of 4 and 2 bytes by turns; the first one was read. */
static struct copy start_copy(void)
{
	struct stf_writer *w = start("insts.stf", 0);
	struct stf_inst inst;
	struct copy c = { 0 };

	write_insts(w, 20);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	c.reader = stf_reader_open(in_tmpdir("insts.stf"), NULL, NULL);
	copy_header(&c, "t.stf", 0);
	CHECK_EQ(stf_inst_iter_next(c.iter, &inst), 1);
	return c;
}

TEST(a_copy_stops_at_the_number_and_at_the_end_of_the_range)
{
	struct stf_pc_range range = { START_PC + 4, 2 };
	struct copy c = start_copy();
	struct stf_inst inst;

	copy_records(&c);
	CHECK_EQ(stf_write_groups(c.writer, c.iter, 0, NULL), 0);
	CHECK_EQ(stf_write_groups(c.writer, c.iter, 10, &range), 1);
	CHECK_EQ(stf_write_groups(c.writer, c.iter, 10, &range), 0);
	CHECK_EQ(stf_inst_iter_next(c.iter, &inst), 1);
	CHECK_EQ(inst.pc, START_PC + 6);
	CHECK_EQ(inst.index, 2);
	stf_writer_abort(c.writer);
	finish(&c);
}

TEST(nothing_is_copied_to_another_pc_or_into_an_open_group)
{
	struct copy c = start_copy();
	const uint64_t next = START_PC + 4;

	/* The first instruction is not written. */
	CHECK_EQ(stf_write_groups(c.writer, c.iter, 1, NULL), 0);
	CHECK_EQ(stf_write_force_pc(c.writer, next), 0);
	CHECK_EQ(stf_write_groups(c.writer, c.iter, 1, NULL), 0);
	CHECK_EQ(stf_write_pc_target(c.writer, next), 0);
	CHECK_EQ(stf_write_groups(c.writer, c.iter, 1, NULL), 0);
	CHECK_EQ(stf_write_inst(c.writer, 1, 2), 0);
	CHECK_EQ(stf_write_groups(c.writer, c.iter, 1, NULL), 1);
	stf_writer_abort(c.writer);
	finish(&c);
}

/* Returns how a trace in memory ends, and how many instructions it has until there. */
static int read_to_end(const uint8_t *bytes, size_t n, bool at_once,
		       uint64_t *insts)
{
	struct copy c = { .reader = stf_reader_open_memory(bytes, n, NULL, NULL) };
	struct stf_inst inst;
	int more = 0;

	copy_header(&c, "t.stf", 0);
	*insts = 0;
	do {
		if (at_once)
			*insts += stf_write_groups(c.writer, c.iter, MANY, NULL);
		more = stf_inst_iter_next(c.iter, &inst);
		*insts += more > 0;
		copy_records(&c);
	} while (more > 0);
	stf_writer_abort(c.writer);
	finish(&c);
	return more;
}

TEST(a_trace_that_is_cut_at_any_byte_ends_in_the_same_way)
{
	struct stf_writer *w = start("a.stf", 0);
	uint8_t bytes[20000], *cut;
	size_t header, n;
	uint64_t one, many;
	struct stf_stats stats = { .size = sizeof(stats) };
	unsigned int i;

	stf_writer_stats(w, &stats);
	header = (size_t)stats.trace_bytes;
	for (i = 0; i < 100; i++)
		write_group(w);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	n = read_file(in_tmpdir("a.stf"), bytes, sizeof(bytes));
	CHECK(n > header && n < sizeof(bytes));
	for (; n > header; n--) {
		/* Of this size, so that the sanitizer sees what lies behind it. */
		cut = malloc(n);
		CHECK(cut);
		memcpy(cut, bytes, n);
		CHECK_EQ(read_to_end(cut, n, true, &many),
			 read_to_end(cut, n, false, &one));
		CHECK_EQ(many, one);
		free(cut);
	}
}
