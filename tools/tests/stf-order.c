// SPDX-License-Identifier: GPL-2.0-only
/* What the writer lets through and what it refuses. */
#include <stdlib.h>
#include <unistd.h>

#include "stf-build.h"
#include "stf/stf.h"

static const char *const comments[] = { "made by a test", NULL };

static struct stf_header header(void)
{
	return (struct stf_header){ .size = sizeof(struct stf_header),
				    .comments = comments,
				    .generator = STF_GEN_QEMU,
				    .gen_text = "test",
				    .pc = START_PC };
}

static struct stf_writer *open_writer(void)
{
	struct stf_writer *w = stf_writer_open(in_tmpdir("t.stf"), NULL, NULL);

	CHECK(w);
	return w;
}

/* Whatever it is made of, a record with this descriptor. */
static int put(struct stf_writer *w, unsigned int desc)
{
	static const uint64_t mode;
	struct stf_record rec = { .desc = (uint8_t)desc };

	switch (desc) {
	case STF_VERSION:
		rec.version = (struct stf_version){ 1, 6 };
		break;
	case STF_VLEN_CONFIG:
		rec.vlen = 128;
		break;
	case STF_PROTOCOL_ID:
		rec.protocol = STF_PROTOCOL_TILELINK;
		break;
	case STF_EVENT:
		rec.event.id = STF_EVENT_MODE_CHANGE;
		rec.event.n_fields = 1;
		rec.event.fields = &mode;
		break;
	case STF_TRANSACTION:
		rec.transaction.tilelink.channel = STF_TL_E;
		break;
	}
	return stf_write(w, &rec);
}

/*
 * Write records with these descriptors, 0 at the end, after a header of
 * instructions. Returns what the last one got; the others have to be taken.
 */
static int last_of(const uint8_t *descs)
{
	struct stf_writer *w = open_writer();
	struct stf_header hdr = header();
	int ret;

	ret = stf_write_header(w, &hdr);
	for (; !ret && *descs; descs++) {
		ret = put(w, *descs);
		if (ret && descs[1])
			test_fail(__FILE__, __LINE__, "descriptor %u: %s",
				  *descs, stf_writer_error(w));
	}
	stf_writer_abort(w);
	return ret;
}

#define TAKES(...)                                                             \
	CHECK_EQ(last_of((const uint8_t[]){ __VA_ARGS__, 0 }), 0)
#define REFUSES(...)                                                           \
	CHECK_EQ(last_of((const uint8_t[]){ __VA_ARGS__, 0 }), STF_E_ORDER)

TEST(groups_rise)
{
	TAKES(31, 40, 41, 50, 60, 61, 62, 63, 100, 101, 230, 240);
	TAKES(241, 31, 240, 31, 241);
	REFUSES(41, 40);
	REFUSES(41, 31);
	REFUSES(60, 61, 50);
	REFUSES(60, 61, 31);
	REFUSES(62, 63, 60);
	REFUSES(100, 62);
	REFUSES(100, 31);
	REFUSES(230, 100);
	REFUSES(230, 31);
}

TEST(some_may_repeat)
{
	TAKES(31, 31);
	TAKES(40, 40, 40);
	TAKES(60, 61, 60, 61, 60, 61);
	TAKES(62, 63, 62, 63);
	TAKES(60, 61, 61, 61);
	TAKES(62, 63, 63);
	TAKES(100, 100, 100, 101);
	TAKES(100, 101, 100, 101);
	TAKES(50, 50);
	TAKES(230, 230);
}

TEST(the_exceptions_from_rising)
{
	TAKES(60, 61, 40);
	TAKES(62, 63, 40);
	TAKES(50, 40);
	TAKES(40, 31);
	TAKES(50, 31);
	REFUSES(60, 61, 40, 31, 60, 61, 31);
	REFUSES(100, 40);
	REFUSES(60, 61, 100, 60);
}

TEST(content_follows_access_at_once)
{
	REFUSES(60, 240);
	REFUSES(60, 60);
	REFUSES(60, 3);
	REFUSES(60, 9);
	REFUSES(60, 63);
	REFUSES(62, 61);
	REFUSES(62, 8);
	REFUSES(62, 62);
	REFUSES(61);
	REFUSES(63);
	REFUSES(60, 61, 63);
	REFUSES(31, 61);
}

TEST(comment_process_and_force_pc_stand_anywhere)
{
	TAKES(3, 8, 9, 31, 3, 40, 9, 60, 61, 8, 60, 61, 3, 100, 9, 101, 8, 240);
	TAKES(100, 3, 101);
	REFUSES(100, 3, 60);
}

TEST(event_target_needs_an_event_in_its_group)
{
	REFUSES(101);
	REFUSES(31, 101);
	TAKES(100, 101);
	REFUSES(100, 101, 240, 101);
	REFUSES(100, 240, 101);
}

TEST(header_records_stay_in_the_header)
{
	static const uint8_t only[] = { 1, 2, 4, 5, 6, 7, 10, 11, 12, 13, 19 };
	unsigned int i;

	for (i = 0; i < sizeof(only); i++)
		REFUSES(only[i]);
}

TEST(instructions_are_no_transactions)
{
	REFUSES(250);
	REFUSES(251);
}

TEST(unknown_descriptors_are_refused)
{
	CHECK_EQ(last_of((const uint8_t[]){ 20, 0 }), STF_E_VALUE);
	CHECK_EQ(last_of((const uint8_t[]){ 255, 0 }), STF_E_VALUE);
}

/* ------------------------------------------------------------------ the header */

/* Like last_of(), from the very first record on. */
static int last_of_header(const uint8_t *descs)
{
	struct stf_writer *w = open_writer();
	int ret = 0;

	for (; !ret && *descs; descs++) {
		ret = put(w, *descs);
		if (ret && descs[1])
			test_fail(__FILE__, __LINE__, "descriptor %u: %s",
				  *descs, stf_writer_error(w));
	}
	stf_writer_abort(w);
	return ret;
}

#define HEADER_TAKES(...)                                                      \
	CHECK_EQ(last_of_header((const uint8_t[]){ __VA_ARGS__, 0 }), 0)
#define HEADER_REFUSES(...)                                                    \
	CHECK_EQ(last_of_header((const uint8_t[]){ __VA_ARGS__, 0 }),          \
		 STF_E_ORDER)

TEST(identifier_and_version_come_first)
{
	HEADER_REFUSES(2);
	HEADER_REFUSES(3);
	HEADER_REFUSES(240);
	HEADER_REFUSES(1, 1);
	HEADER_REFUSES(1, 3);
	HEADER_TAKES(1, 2);
}

TEST(a_version_that_nobody_reads_is_refused)
{
	static const struct stf_version bad[] = { { 0, 0 }, { 1, 1 }, { 2, 0 } };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct stf_writer *w = open_writer();
		struct stf_record rec = { .desc = STF_VERSION, .version = bad[i] };

		CHECK_EQ(put(w, STF_IDENTIFIER), 0);
		CHECK_EQ(stf_write(w, &rec), STF_E_VALUE);
		CHECK(strstr(stf_writer_error(w), "VERSION: the version cannot be written"));
		CHECK_EQ(put(w, STF_VERSION), 0);
		stf_writer_abort(w);
	}
}

/*
 * The records of the short way through stf_write(), before the writer has a
 * buffer: found by fuzzing under clang's sanitizer, which minds an offset from
 * NULL.
 */
TEST(frequent_records_are_refused_as_the_first)
{
	static const uint8_t frequent[] = {
		STF_INST_PC_TARGET, STF_INST_REG, STF_INST_MEM_ACCESS,
		STF_INST_MEM_CONTENT, STF_INST_32, STF_INST_16,
	};
	unsigned int i;

	for (i = 0; i < sizeof(frequent); i++) {
		struct stf_writer *w = open_writer();
		struct stf_stats stats = { .size = sizeof(stats) };

		CHECK_EQ(put(w, frequent[i]), STF_E_ORDER);
		CHECK(strstr(stf_writer_error(w), "starts with IDENTIFIER"));
		CHECK_EQ(put(w, STF_IDENTIFIER), 0);
		stf_writer_stats(w, &stats);
		CHECK_EQ(stats.trace_bytes, 4);
		stf_writer_abort(w);
	}
}

TEST(the_rest_of_the_header_has_any_order)
{
	HEADER_TAKES(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 19);
	HEADER_TAKES(1, 2, 13, 10, 9, 8, 7, 6, 4, 5, 3, 19);
	HEADER_REFUSES(1, 2, 5); /* before ISA */
	HEADER_REFUSES(1, 2, 3, 31);
	HEADER_REFUSES(1, 2, 3, 240);
	HEADER_REFUSES(1, 2, 3, 100);
}

TEST(few_header_records_repeat)
{
	HEADER_TAKES(1, 2, 3, 3, 3);
	HEADER_TAKES(1, 2, 6, 6);
	HEADER_TAKES(1, 2, 12, 12);
	HEADER_REFUSES(1, 2, 2);
	HEADER_REFUSES(1, 2, 4, 4);
	HEADER_REFUSES(1, 2, 4, 5, 5);
	HEADER_REFUSES(1, 2, 7, 7);
	HEADER_REFUSES(1, 2, 8, 8);
	HEADER_REFUSES(1, 2, 9, 9);
	HEADER_REFUSES(1, 2, 10, 10);
	HEADER_REFUSES(1, 2, 11, 11);
	HEADER_REFUSES(1, 2, 13, 13);
}

TEST(what_readers_demand_has_to_be_there)
{
	HEADER_REFUSES(1, 2, 19);
	/* A COMMENT is demanded by the specification alone. */
	CHECK_EQ(last_of_header((const uint8_t[]){ 1, 2, 4, 5, 6, 7, 9, 19, 0 }), 0);
	HEADER_REFUSES(1, 2, 3, 6, 7, 9, 19);
	HEADER_REFUSES(1, 2, 3, 4, 6, 7, 9, 19);
	HEADER_REFUSES(1, 2, 3, 4, 5, 7, 9, 19);
	HEADER_REFUSES(1, 2, 3, 4, 5, 6, 9, 19);
	HEADER_REFUSES(1, 2, 3, 4, 5, 6, 7, 19);
	HEADER_TAKES(1, 2, 3, 4, 5, 6, 7, 9, 19);
}

TEST(transactions_need_a_protocol_and_no_pc)
{
	HEADER_TAKES(1, 2, 3, 4, 5, 6, 7, 11, 19, 251, 251, 250, 3, 250);
	/* As the reference library makes them. */
	HEADER_TAKES(1, 2, 6, 7, 11, 12, 19, 250);
	HEADER_REFUSES(1, 2, 6, 11, 19);
	HEADER_REFUSES(1, 2, 7, 11, 19);
	HEADER_REFUSES(1, 2, 3, 4, 5, 6, 7, 11, 19, 240);
	HEADER_REFUSES(1, 2, 3, 4, 5, 6, 7, 11, 19, 31);
}

/* The reference library's example: generator 0x40, neither ISA nor INST_IEM. */
TEST(transactions_are_copied_byte_by_byte)
{
	static uint8_t copy[4096];
	static struct bytes in;
	struct stf_writer *w;
	struct stf_reader *r;
	struct stf_record rec;

	b_start(&in);
	b8(&in, 6);
	b32(&in, 0x140);
	b16(&in, 2);
	btext(&in, "ex");
	b8(&in, 7);
	b64(&in, STF_FEATURE_TRANSACTIONS);
	b8(&in, 11);
	b8(&in, 1);
	b8(&in, 12);
	b8(&in, 1);
	b16(&in, 3);
	btext(&in, "clk");
	b8(&in, 19);
	b8(&in, 250);
	b64(&in, 1);
	b64(&in, 2);
	b8(&in, 1);
	b16(&in, 0);
	b8(&in, 5);
	b64(&in, 0x99);
	write_file(in_tmpdir("in.stf"), in.v, in.n);
	r = stf_reader_open(in_tmpdir("in.stf"), NULL, NULL);
	w = open_writer();
	CHECK(r);
	while (stf_reader_next(r, &rec) == 1)
		if (stf_write(w, &rec))
			test_fail(__FILE__, __LINE__, "%s", stf_writer_error(w));
	CHECK_STR(stf_reader_error(r), "");
	stf_reader_close(r);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(read_file(in_tmpdir("t.stf"), copy, sizeof(copy)), in.n);
	CHECK(!memcmp(copy, in.v, in.n));
}

TEST(a_refused_record_leaves_no_trace)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();
	struct stf_stats before = { .size = sizeof(before) }, after = before;

	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(put(w, 41), 0);
	stf_writer_stats(w, &before);
	CHECK_EQ(put(w, 31), STF_E_ORDER);
	CHECK(strstr(stf_writer_error(w), "INST_PC_TARGET may not stand here"));
	stf_writer_stats(w, &after);
	CHECK_EQ(after.trace_bytes, before.trace_bytes);
	CHECK_EQ(put(w, 240), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

TEST(a_trace_ends_after_an_opcode)
{
	struct stf_header hdr = header();
	struct stf_writer *w;
	struct stf_error err;

	w = open_writer();
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(put(w, 31), 0);
	CHECK_EQ(stf_writer_close(w, &err), STF_E_ORDER);
	CHECK(strstr(err.text, "no opcode"));
	CHECK(access(in_tmpdir("t.stf"), F_OK));
	w = open_writer();
	CHECK_EQ(put(w, 1), 0);
	CHECK_EQ(stf_writer_close(w, &err), STF_E_ORDER);
	CHECK(strstr(err.text, "header"));
	CHECK(access(in_tmpdir("t.stf"), F_OK));
}

TEST(comments_may_follow_the_last_opcode)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();

	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(put(w, 240), 0);
	CHECK_EQ(stf_write_comment(w, "the end"), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

/* -------------------------------------------------------------------- values */

static int write_event(struct stf_writer *w, uint64_t id, uint64_t field,
		       uint8_t n)
{
	const uint64_t fields[2] = { field, field };
	const struct stf_record rec = { .desc = STF_EVENT,
					.event = { id, n, fields } };

	return stf_write(w, &rec);
}

TEST(mode_changes_have_one_mode_of_four)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();

	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(write_event(w, STF_EVENT_MODE_CHANGE, 4, 1), STF_E_VALUE);
	CHECK_EQ(write_event(w, STF_EVENT_MODE_CHANGE, 0, 0), STF_E_VALUE);
	CHECK_EQ(write_event(w, STF_EVENT_MODE_CHANGE, 0, 2), STF_E_VALUE);
	CHECK_EQ(stf_write_mode_change(w, STF_MODE_UNKNOWN), STF_E_VALUE);
	CHECK_EQ(stf_write_mode_change(w, STF_MODE_MACHINE), 0);
	stf_writer_abort(w);
}

TEST(event_ids_fit_their_trace)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();
	uint64_t big = STF_EVENT_INTERRUPT | UINT64_C(1) << 30;

	hdr.iem = STF_IEM_RV32;
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(write_event(w, big, 0, 0), STF_E_VALUE);
	CHECK_EQ(write_event(w, STF_EVENT_INTERRUPT | 0x3fffffff, 0, 0), 0);
	stf_writer_abort(w);
	w = open_writer();
	hdr.iem = STF_IEM_RV64;
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(write_event(w, big, 0, 0), 0);
	stf_writer_abort(w);
}

TEST(accel_exists_in_the_specification_only)
{
	struct stf_bus_access bus = { .initiator = STF_INITIATOR_ACCEL,
				      .access = STF_ACCESS_READ };
	struct stf_writer_opts opts = { .size = sizeof(opts) };
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();

	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(stf_write_bus(w, &bus, 0), STF_E_VALUE);
	bus.initiator = STF_INITIATOR_ICN;
	CHECK_EQ(stf_write_bus(w, &bus, 0), 0);
	stf_writer_abort(w);
	opts.spec_initiators = true;
	w = stf_writer_open(in_tmpdir("t.stf"), &opts, NULL);
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	bus.initiator = STF_INITIATOR_INVALID;
	CHECK_EQ(stf_write_bus(w, &bus, 0), STF_E_VALUE);
	bus.initiator = STF_INITIATOR_ACCEL;
	CHECK_EQ(stf_write_bus(w, &bus, 0), 0);
	stf_writer_abort(w);
}

TEST(opcodes_have_2_or_4_bytes)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();

	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(stf_write_inst(w, 0x1f, 6), STF_E_VALUE);
	CHECK_EQ(stf_write_inst(w, 0x10001, 2), STF_E_VALUE);
	CHECK_EQ(stf_write_inst(w, 0x13, 4), 0);
	CHECK_EQ(stf_write_inst(w, 0x1, 2), 0);
	stf_writer_abort(w);
}

TEST(texts_fit_their_length)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();
	static char longest[65537];

	memset(longest, 'x', 65536);
	hdr.gen_text = longest;
	CHECK_EQ(stf_write_header(w, &hdr), STF_E_VALUE);
	stf_writer_abort(w);
	w = open_writer();
	longest[65535] = 0;
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	stf_writer_abort(w);
}

/* ------------------------------------------------- values that are not defined */

/* The last call refused a value, in these words, and has written nothing. */
static void refused(int line, struct stf_writer *w, int ret, uint64_t records,
		    const char *words)
{
	struct stf_stats stats = { .size = sizeof(stats) };

	stf_writer_stats(w, &stats);
	if (ret != STF_E_VALUE || stats.records != records ||
	    !strstr(stf_writer_error(w), words))
		test_fail(__FILE__, line, "%d, %d records: %s", ret,
			  (int)stats.records, stf_writer_error(w));
}

#define CHECK_REFUSED(_w, _call, _words)                                       \
	do {                                                                   \
		struct stf_stats _stats = { .size = sizeof(_stats) };          \
									       \
		stf_writer_stats(_w, &_stats);                                 \
		refused(__LINE__, _w, _call, _stats.records, _words);          \
	} while (0)

TEST(functions_for_a_record_refuse_values_that_are_not_defined)
{
	struct stf_mem_access mem = { .size = 8 };
	struct stf_bus_access bus = { .size = 8, .initiator = STF_INITIATOR_DMA };
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();

	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_REFUSED(w, stf_write_mem(w, &mem, 0), "INST_MEM_ACCESS: the format does not define access 0");
	mem.access = 77;
	CHECK_REFUSED(w, stf_write_mem(w, &mem, 0), "define access 77");
	bus.access = 3;
	CHECK_REFUSED(w, stf_write_bus(w, &bus, 0), "BUS_MASTER_ACCESS: the format does not define access 3");
	bus.access = STF_ACCESS_WRITE;
	bus.initiator = STF_INITIATOR_INVALID;
	CHECK_REFUSED(w, stf_write_bus(w, &bus, 0), "define initiator 0");
	CHECK_REFUSED(w, stf_write_event(w, 99, NULL, 0), "EVENT: the format does not define id 99");
	CHECK_REFUSED(w, stf_write_event(w, STF_EVENT_SPECIAL | 1, NULL, 0), "define id 4611686018427387905");
	CHECK_REFUSED(w, stf_write_inst(w, 0x1, 4), "INST_32: ");
	CHECK_REFUSED(w, stf_write_inst(w, 0x13, 2), "INST_16: ");
	mem.access = STF_ACCESS_WRITE;
	CHECK_EQ(stf_write_mem(w, &mem, 0), 0);
	CHECK_EQ(stf_write_event(w, STF_EVENT_INTERRUPT | STF_INT_PLATFORM_0, NULL, 0), 0);
	CHECK_EQ(stf_write_inst(w, 0x23, 4), 0);
	stf_writer_abort(w);
}

#define CHECK_HEADER_REFUSED(_hdr, _words)                                     \
	do {                                                                   \
		struct stf_writer *_w = open_writer();                         \
									       \
		CHECK_REFUSED(_w, stf_write_header(_w, _hdr), _words);         \
		stf_writer_abort(_w);                                          \
	} while (0)

TEST(a_header_refuses_values_that_are_not_defined)
{
	const struct stf_clock clock = { 0 };
	struct stf_header hdr = header();

	hdr.isa = 77;
	CHECK_HEADER_REFUSED(&hdr, "ISA: the format does not define ISA 77");
	hdr.isa = 0;
	hdr.iem = 66;
	CHECK_HEADER_REFUSED(&hdr, "INST_IEM: the format does not define the encoding 66");
	hdr.iem = 0;
	hdr.features = UINT64_C(1) << 50;
	CHECK_HEADER_REFUSED(&hdr, "TRACE_INFO_FEATURE: ");
	hdr.features = 0;
	hdr.generator = 0;
	CHECK_HEADER_REFUSED(&hdr, "TRACE_INFO: the format does not define generator 0");
	hdr.generator = STF_GEN_QEMU;
	hdr.protocol = STF_PROTOCOL_TILELINK;
	hdr.clocks = &clock;
	hdr.n_clocks = 1;
	CHECK_HEADER_REFUSED(&hdr, "CLOCK_ID: the format does not define clock 0");
}

/* It may be newer than the library, or another processor's. */
TEST(what_only_others_define_is_no_fault)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();

	hdr.generator = 200;
	hdr.isa = STF_ISA_ARM;
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(stf_write_event(w, 99, NULL, 0), 0);
	CHECK_EQ(stf_write_inst(w, 0xe3a00000, 4), 0);
	stf_writer_abort(w);
}

/* What a reader has read can be written, whatever the values are. */
TEST(values_that_are_not_defined_are_copied)
{
	static const struct stf_record recs[] = {
		{ .desc = STF_INST_REG, .reg = { .number = 999, .type = 9, .operand = 0 } },
		{ .desc = STF_INST_MEM_ACCESS, .mem_access = { .access = 77 } },
		{ .desc = STF_INST_MEM_CONTENT },
		{ .desc = STF_EVENT, .event = { .id = 99 } },
		{ .desc = STF_INST_32, .opcode = 0x1 },
	};
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();
	struct stf_check check = { .size = sizeof(check) };
	struct stf_reader *r;

	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(stf_write_records(w, recs, 5), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	CHECK(r && !stf_check(r, &check));
	CHECK_EQ(check.found[STF_RULE_REG_TYPE].count, 1);
	CHECK_EQ(check.found[STF_RULE_REG_OPERAND].count, 1);
	CHECK_EQ(check.found[STF_RULE_MEM_TYPE].count, 1);
	CHECK_EQ(check.found[STF_RULE_EVENT_ID].count, 1);
	CHECK_EQ(check.found[STF_RULE_INST_WIDTH].count, 1);
	stf_reader_close(r);
}

/* ------------------------------------------------------------------ the helper */

TEST(the_header_is_complete_and_in_order)
{
	static const uint8_t want[] = {
		1, 2, 3, 3, 4, 5, 6, 7, 10, 13, 8, 9, 19, 8,
	};
	static const char *const two[] = { "one", "two", NULL };
	struct stf_process process = { 1, 2, 3 };
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();
	struct stf_record rec;
	struct stf_reader *r;
	unsigned int i;

	hdr.comments = two;
	hdr.vlen = 128;
	hdr.isa_string = "rv64gcv";
	hdr.process = &process;
	hdr.features = STF_FEATURE_SAMPLING;
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	CHECK(r);
	for (i = 0; i < sizeof(want); i++) {
		CHECK_EQ(stf_reader_next(r, &rec), 1);
		CHECK_EQ(rec.desc, want[i]);
	}
	CHECK_EQ(stf_reader_next(r, &rec), 0);
	CHECK_EQ(stf_reader_params(r)->features, 0x800a0);
	CHECK_EQ(stf_reader_params(r)->version.minor, 6);
	CHECK_EQ(stf_reader_params(r)->isa, STF_ISA_RISCV);
	CHECK_EQ(stf_reader_params(r)->iem, STF_IEM_RV64);
	stf_reader_close(r);
}

TEST(rv32_keeps_32_bit_events)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();
	struct stf_record rec;
	struct stf_reader *r;

	hdr.iem = STF_IEM_RV32;
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	while (stf_reader_next(r, &rec) > 0)
		;
	CHECK_EQ(stf_reader_params(r)->features, 0);
	stf_reader_close(r);
}

TEST(a_header_needs_a_comment)
{
	static const char *const none[] = { NULL };
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();

	hdr.comments = none;
	CHECK_EQ(stf_write_header(w, &hdr), STF_E_INVAL);
	hdr.comments = NULL;
	CHECK_EQ(stf_write_header(w, &hdr), STF_E_INVAL);
	stf_writer_abort(w);
}

TEST(the_writer_knows_the_next_pc)
{
	struct stf_header hdr = header();
	struct stf_writer *w = open_writer();
	uint64_t pc = 1;

	CHECK(!stf_writer_pc(w, &pc));
	CHECK_EQ(pc, 1);
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK(stf_writer_pc(w, &pc));
	CHECK_EQ(pc, START_PC);
	CHECK_EQ(stf_write_inst(w, 0x13, 4), 0);
	CHECK_EQ(stf_write_inst(w, 0x1, 2), 0);
	CHECK(stf_writer_pc(w, &pc) && pc == START_PC + 6);
	CHECK_EQ(stf_write_pc_target(w, 0x500), 0);
	CHECK(stf_writer_pc(w, &pc) && pc == START_PC + 6);
	CHECK_EQ(stf_write_inst(w, 0x1, 2), 0);
	CHECK(stf_writer_pc(w, &pc) && pc == 0x500);
	CHECK_EQ(stf_write_inst(w, 0x1, 2), 0);
	CHECK(stf_writer_pc(w, &pc) && pc == 0x502);
	CHECK_EQ(stf_write_force_pc(w, 0x600), 0);
	CHECK(stf_writer_pc(w, &pc) && pc == 0x600);
	CHECK_EQ(write_event(w, 8, 0, 0), 0);
	CHECK_EQ(stf_write_event_target(w, 0x700), 0);
	CHECK_EQ(stf_write_inst(w, 0x73, 4), 0);
	CHECK(stf_writer_pc(w, &pc) && pc == 0x700);
	stf_writer_abort(w);
}
