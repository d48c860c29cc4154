// SPDX-License-Identifier: GPL-2.0-only
/* Many records that are written at once are written as one by one. */
#include <stdlib.h>

#include "stf-trace.h"

enum { RECORDS = 3000, TRIALS = 60, MANY = 1 << 20 };

static struct stf_record recs[RECORDS];
static const uint64_t field = 3;
static const uint64_t vector[2] = { 1, 2 };

static struct stf_reg random_reg(void)
{
	uint64_t r = test_random();
	struct stf_reg reg = { .number = r & 31, .type = 1 + (r >> 8) % 4,
			       .operand = 1 + (r >> 12) % 3, .value = r };

	if (reg.type == STF_REG_VEC) {
		reg.n_words = 2;
		reg.vector = vector;
	}
	if (r % 50 == 0)
		reg.type = 16; /* cannot be written */
	return reg;
}

/* Any record, as often as not where the rules refuse it. */
static struct stf_record random_record(unsigned int wild)
{
	static const uint8_t all[] = { 241, 241, 241, 240, 240, 31, 60, 61, 40, 41, 62, 63,
				       100, 101, 3, 8, 9, 230, 4, 250, 99 };
	uint64_t r = test_random();
	struct stf_record rec = { .desc = all[r % (wild ? sizeof(all) : 9)] };

	r >>= 8;
	switch (rec.desc) {
	case STF_INST_16:
		rec.opcode = r & 0xffff;
		if (wild && r % 40 == 0)
			rec.opcode = 0x10000; /* too large */
		break;
	case STF_INST_32:
		rec.opcode = (uint32_t)r;
		break;
	case STF_INST_MEM_ACCESS:
		rec.mem_access = (struct stf_mem_access){ r, 8, 1, 1 + (r & 1) };
		break;
	case STF_BUS_MASTER_ACCESS:
		rec.bus_access = (struct stf_bus_access){ r, 8, 3, 1, 0, 1 };
		break;
	case STF_INST_REG:
		rec.reg = random_reg();
		break;
	case STF_EVENT:
		rec.event = (struct stf_event){ 8, 1, &field };
		break;
	case STF_COMMENT:
		rec.text = (struct stf_text){ "x", 1 };
		break;
	default:
		rec.content = r;
	}
	return rec;
}

static struct stf_writer *open_out(const char *name, uint64_t markers)
{
	static const char *const comments[] = { "made by a test", NULL };
	const struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
					.generator = STF_GEN_QEMU, .vlen = 128,
					.pc = START_PC };
	const struct stf_writer_opts opts = { .size = sizeof(opts),
					      .chunk_markers = markers };
	struct stf_writer *w = stf_writer_open(in_tmpdir(name), &opts, NULL);

	CHECK(w);
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	return w;
}

/* The errors of all records that are refused, each with its number. */
static uint64_t sum_error(uint64_t sum, unsigned int i, int err, const struct stf_writer *w)
{
	const char *text = strchr(stf_writer_error(w), ':');

	CHECK(text);
	for (sum = sum * 31 + i; *text; text++)
		sum = sum * 31 + (unsigned char)*text;
	return sum * 31 + (uint64_t)(int64_t)err;
}

static uint64_t one_by_one(struct stf_writer *w, uint64_t *pc)
{
	uint64_t errors = 0;
	unsigned int i;
	int err;

	for (i = 0; i < RECORDS; i++) {
		err = stf_write(w, &recs[i]);
		if (err)
			errors = sum_error(errors, i, err, w);
	}
	stf_writer_pc(w, pc);
	return errors;
}

static uint64_t records_of(const struct stf_writer *w)
{
	struct stf_stats stats = { .size = sizeof(stats) };

	stf_writer_stats(w, &stats);
	return stats.records;
}

/* A refused record is skipped. */
static uint64_t at_once(struct stf_writer *w, unsigned int most, uint64_t *pc)
{
	uint64_t errors = 0, before;
	unsigned int i, n, done;
	int err;

	for (i = 0; i < RECORDS; i += done) {
		n = 1 + (unsigned int)(test_random() % most);
		if (n > RECORDS - i)
			n = RECORDS - i;
		before = records_of(w);
		err = stf_write_records(w, &recs[i], n);
		done = (unsigned int)(records_of(w) - before);
		CHECK_EQ(done == n, !err);
		if (err)
			errors = sum_error(errors, i + done++, err, w);
	}
	stf_writer_pc(w, pc);
	return errors;
}

/* The last group has to be complete, with the content of an access. */
static void close_out(struct stf_writer *w)
{
	const struct stf_record contents[] = { { .desc = STF_INST_MEM_CONTENT },
					       { .desc = STF_BUS_MASTER_CONTENT } };

	stf_write(w, &contents[0]);
	stf_write(w, &contents[1]);
	CHECK_EQ(stf_write_inst(w, 1, 2), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

static void same_files(const char *a, const char *b)
{
	static uint8_t va[MANY], vb[MANY];
	size_t n = read_file(in_tmpdir(a), va, sizeof(va));

	CHECK_EQ(read_file(in_tmpdir(b), vb, sizeof(vb)), n);
	CHECK(!memcmp(va, vb, n));
}

static void compare(const char *a, const char *b, uint64_t markers, unsigned int most)
{
	struct stf_writer *wa = open_out(a, markers), *wb = open_out(b, markers);
	uint64_t pc_a = 0, pc_b = 0, errors = one_by_one(wa, &pc_a);

	CHECK_EQ(at_once(wb, most, &pc_b), errors);
	CHECK_EQ(pc_a, pc_b);
	CHECK_EQ(records_of(wa), records_of(wb));
	close_out(wa);
	close_out(wb);
	same_files(a, b);
}

TEST(random_records)
{
	unsigned int trial, i, wild;

	for (trial = 0; trial < TRIALS; trial++) {
		wild = trial % 3;
		for (i = 0; i < RECORDS; i++)
			recs[i] = random_record(wild);
		compare("a.stf", "b.stf", 0, 1 + trial * 7);
		compare("a.zstf", "b.zstf", 1 + test_random() % 200, 1 + trial * 7);
	}
}

/* The buffer of a plain trace is written in between. */
TEST(more_than_a_buffer_has)
{
	struct stf_writer *w = open_out("long.stf", 0);
	struct stf_stats stats = { .size = sizeof(stats) };
	unsigned int i;

	for (i = 0; i < RECORDS; i++)
		recs[i] = (struct stf_record){ .desc = STF_INST_32, .opcode = i << 2 | 3 };
	for (i = 0; i < 100; i++)
		CHECK_EQ(stf_write_records(w, recs, RECORDS), 0);
	stf_writer_stats(w, &stats);
	CHECK_EQ(stats.instructions, 100 * RECORDS);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(read_insts(in_tmpdir("long.stf")), 0);
}

TEST(no_records)
{
	struct stf_writer *w = open_out("none.stf", 0);

	CHECK_EQ(stf_write_records(w, NULL, 0), 0);
	stf_writer_abort(w);
}

/* Also the header. */
TEST(a_whole_trace)
{
	struct stf_writer *w;
	struct stf_reader *r;
	unsigned int n = 0;

	write_samples("in.stf", 0);
	r = stf_reader_open(in_tmpdir("in.stf"), NULL, NULL);
	w = stf_writer_open(in_tmpdir("out.stf"), NULL, NULL);
	CHECK(r && w);
	while (stf_reader_next(r, &recs[n]) > 0) {
		/* Their data end with the next call. */
		CHECK_EQ(stf_write_records(w, &recs[n], 1), 0);
		n++;
	}
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	stf_reader_close(r);
	same_files("in.stf", "out.stf");
}
