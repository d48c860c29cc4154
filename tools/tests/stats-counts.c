// SPDX-License-Identifier: GPL-2.0-only
/* What is in a trace, counted. */
#include "stats/stats.h"
#include "stf-build.h"

static struct bytes in;
static struct stats stats;
static struct error error;

/* Of its content only one byte. */
/* What stats_read() returns for what was built. */
static int count(size_t size)
{
	struct stf_reader *reader;
	struct stf_record rec;
	int ret;

	stats_free(&stats);
	stats = (struct stats){ .n_events = 0 };
	write_file(in_tmpdir("t.stf"), in.v, size);
	reader = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	CHECK(reader);
	while (!stf_reader_params(reader)->header_ended)
		CHECK_EQ(stf_reader_next(reader, &rec), 1);
	ret = stats_read(&stats, reader, &error);
	stf_reader_close(reader);
	return ret;
}

TEST(instructions_by_kind)
{
	b_header(&in, FEATURES_RV64);
	b_event(&in, 0x4000000000000000, 1, 0);
	b_inst32(&in, 0x13);
	b_pc(&in, 31, 0x500);
	b_inst16(&in, 0xa001); /* c.j */
	b_pc(&in, 9, 0x900); /* a gap */
	b_inst16(&in, 1);
	b_inst16(&in, 1);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stats.file.instructions, 4);
	CHECK_EQ(stats.size16, 3);
	CHECK_EQ(stats.taken, 1);
	CHECK_EQ(stats.gaps, 1);
	CHECK_EQ(stats.classes[RV_CLASS_INTEGER], 3);
	CHECK_EQ(stats.classes[RV_CLASS_JUMP], 1);
	CHECK_EQ(stats.records[STF_INST_16], 3);
	CHECK_EQ(stats.records[STF_INST_32], 1);
	CHECK_EQ(stats.records[STF_INST_PC_TARGET], 1);
	CHECK_EQ(stats.records[STF_EVENT], 1);
}

TEST(records_of_the_header_are_the_caller_s)
{
	const struct stf_record rec = { .desc = STF_COMMENT };

	b_header(&in, FEATURES_RV64);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stats.records[STF_COMMENT], 0);
	CHECK_EQ(stats_record(&stats, &rec, &error), 0);
	CHECK_EQ(stats.records[STF_COMMENT], 1);
}

TEST(pages_are_counted_once)
{
	unsigned int n;

	b_header(&in, FEATURES_RV64);
	b_mem(&in, 0, 1, 1, 0); /* page 0 is one, too */
	for (n = 0; n < 4000; n++)
		b_mem(&in, (uint64_t)(n % 1500 + 1) << 20, 2, 1, 0);
	b_mem(&in, 0x1ffff, 2, 2, 0); /* on two pages */
	b_mem(&in, 0x2fffe, 2, 2, 0);
	b_mem(&in, 0x3ffff, 0, 2, 0);
	b_mem(&in, 0xffffffffffffffff, 1, 2, 0);
	b_inst16(&in, 0x6588);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stats.data.set.nr, 1 + 1500 + 2 + 3);
	CHECK(!stats.data.set.full);
	CHECK_EQ(stats.code.set.nr, 1);
	CHECK_EQ(stats.reads.count, 4001);
	CHECK_EQ(stats.reads.bytes, 8001);
	CHECK_EQ(stats.writes.count, 4);
	CHECK_EQ(stats.writes.bytes, 5);
}

TEST(pages_are_counted_up_to_a_number)
{
	struct stf_record rec = { .desc = STF_INST_MEM_ACCESS,
				  .mem_access = { .size = 1, .access = 1 } };
	uint64_t n;

	stats_free(&stats);
	stats = (struct stats){ .n_events = 0 };
	for (n = 0; n < (1 << 20) + 10; n++) {
		rec.mem_access.address = n << 12;
		CHECK_EQ(stats_record(&stats, &rec, &error), 0);
		CHECK_EQ(stats.data.set.full, n >= 1 << 20);
	}
	CHECK_EQ(stats.data.set.nr, 1 << 20);
	CHECK_EQ(stats.reads.count, n);
}

/* Dromajo's, of which a few are in bytes. */
TEST(sizes_of_accesses_in_bits)
{
	unsigned int dromajo;

	for (dromajo = 0; dromajo < 2; dromajo++) {
		b_header(&in, FEATURES_RV64);
		if (dromajo)
			in.v[GENERATOR_AT] = STF_GEN_DROMAJO;
		b_mem(&in, 0x1ff8, 64, 1, 0);
		b_inst16(&in, 0x6398); /* c.ld */
		b_mem(&in, 0x1ff8, 8, 1, 0); /* in bytes */
		b_inst16(&in, 0x6398);
		b_mem(&in, 0x1fff, 8, 2, 0);
		b_inst32(&in, 0xb50023); /* sb */
		b_mem(&in, 0x1ffc, 4, 2, 0); /* in bytes */
		b_inst32(&in, 0xb52023); /* sw */
		b_mem(&in, 0x1ffc, 32, 1, 0);
		b_mem(&in, 0x1ffc, 4, 1, 0);
		b_inst32(&in, 0x3a005073); /* without memory */
		CHECK_EQ(count(in.n), 0);
		CHECK_EQ(stats.reads.count, 4);
		CHECK_EQ(stats.reads.bytes, dromajo ? 8 + 8 + 4 + 4 : 108);
		CHECK_EQ(stats.writes.bytes, dromajo ? 1 + 4 : 12);
		CHECK_EQ(stats.data.set.nr, dromajo ? 1 : 2);
	}
}

TEST(threads_are_counted_once)
{
	unsigned int n;

	b_header(&in, FEATURES_RV64);
	for (n = 0; n < 5000; n++) {
		b_process(&in, n % 3, n % 50, n % 200);
		b_inst16(&in, 1);
	}
	b_process(&in, 0, UINT32_MAX, UINT32_MAX);
	b_inst16(&in, 1);
	/* The same number in another process. */
	b_process(&in, 0, 1000, 0);
	b_inst16(&in, 1);
	b_process(&in, 0, 1001, 0);
	b_inst16(&in, 1);
	b_process(&in, 0, 1000, 0x80000000);
	b_inst16(&in, 1);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stats.pids.nr, 50 + 3);
	CHECK_EQ(stats.tids.nr, 200 + 4);
}

TEST(kinds_of_events)
{
	unsigned int n;

	b_header(&in, FEATURES_RV64);
	for (n = 0; n < 2; n++) {
		b_event(&in, 0x4000000000000000, 1, n);
		b_event(&in, 8, 0, 0);
		b_inst16(&in, 1);
	}
	for (n = 0; n < 300; n++) {
		b_event(&in, 0x1000 + n, 0, 0);
		b_inst16(&in, 1);
	}
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stats.n_events, STATS_MAX_EVENTS);
	CHECK_EQ(stats.events[0].mode, STF_MODE_USER);
	CHECK_EQ(stats.events[0].count, 1);
	CHECK_EQ(stats.events[1].id, 8);
	CHECK_EQ(stats.events[1].count, 2);
	CHECK_EQ(stats.events[2].mode, STF_MODE_SUPERVISOR);
	CHECK_EQ(stats.events[255].id, 0x1000 + 252);
	CHECK_EQ(stats.other_events, 300 - 253);
}

TEST(what_came_before_a_fault_is_counted)
{
	b_header(&in, FEATURES_RV64);
	b_inst16(&in, 1);
	b_inst32(&in, 0x13);
	CHECK_EQ(count(in.n - 1), ERROR_INPUT);
	CHECK(strstr(error.text, "t.stf: "));
	CHECK_EQ(stats.file.instructions, 1);
	CHECK_EQ(stats.size16, 1);
	stats_free(&stats);
}
