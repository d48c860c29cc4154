// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every kind of record, byte for byte as the STF reference library has it, in
 * both directions: bytes made by hand are read, and written again.
 */
#include "stf-build.h"
#include "stf/stf.h"

static struct bytes in, out;
static struct stf_record rec;

/* The file made of `in`, opened, at its record number skip. */
static struct stf_reader *open_in(unsigned int skip,
				  const struct stf_reader_opts *opts)
{
	const char *path = in_tmpdir("in.stf");
	struct stf_reader *r;
	struct stf_error err;

	write_file(path, in.v, in.n);
	r = stf_reader_open(path, opts, &err);
	if (!r)
		test_fail(__FILE__, __LINE__, "%s", err.text);
	while (skip--)
		CHECK_EQ(stf_reader_next(r, &rec), 1);
	return r;
}

/* Read all of `in` and write it: what comes out has to be `in`. */
static void rewritten_is_the_same(const struct stf_writer_opts *wopts,
				  const struct stf_reader_opts *ropts)
{
	struct stf_reader *r = open_in(0, ropts);
	struct stf_writer *w;
	int more, err = 0;

	w = stf_writer_open(in_tmpdir("out.stf"), wopts, NULL);
	CHECK(w);
	while (!err && (more = stf_reader_next(r, &rec)) > 0)
		err = stf_write(w, &rec);
	if (err)
		test_fail(__FILE__, __LINE__, "%s", stf_writer_error(w));
	if (more < 0)
		test_fail(__FILE__, __LINE__, "%s", stf_reader_error(r));
	stf_reader_close(r);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	out.n = read_file(in_tmpdir("out.stf"), out.v, sizeof(out.v));
	CHECK_EQ(out.n, in.n);
	CHECK(!memcmp(in.v, out.v, in.n));
}

enum { HEADER_RECORDS = 9 };

/* Read the one body record of `in` into rec, close its group, write it again. */
static struct stf_reader *body_record(unsigned int desc)
{
	struct stf_reader *r;

	b_inst16(&in, 1);
	rewritten_is_the_same(NULL, NULL);
	r = open_in(HEADER_RECORDS, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, desc);
	return r;
}

#define CHECK_TEXT(_text, _want)                                               \
	do {                                                                   \
		CHECK_EQ((_text).size, strlen(_want));                         \
		CHECK(!memcmp((_text).data, (_want), strlen(_want)));          \
	} while (0)

TEST(header_records)
{
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	rewritten_is_the_same(NULL, NULL);
	r = open_in(0, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_IDENTIFIER);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_VERSION);
	CHECK_EQ(rec.version.major, 1);
	CHECK_EQ(rec.version.minor, 6);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_COMMENT);
	CHECK_TEXT(rec.text, "hello");
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_ISA);
	CHECK_EQ(rec.isa, STF_ISA_RISCV);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_INST_IEM);
	CHECK_EQ(rec.iem, STF_IEM_RV64);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_TRACE_INFO);
	CHECK_EQ(rec.trace_info.generator, STF_GEN_SPIKE);
	CHECK_EQ(rec.trace_info.major, 2);
	CHECK_EQ(rec.trace_info.minor, 3);
	CHECK_EQ(rec.trace_info.patch, 4);
	CHECK_TEXT(rec.trace_info.text, "maker");
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_TRACE_INFO_FEATURE);
	CHECK_EQ(rec.features, 0x80020);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_FORCE_PC);
	CHECK_EQ(rec.pc, START_PC);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_END_HEADER);
	CHECK_EQ(stf_reader_next(r, &rec), 0);
	CHECK_EQ(stf_reader_params(r)->features, 0x80020);
	CHECK_EQ(stf_reader_params(r)->iem, STF_IEM_RV64);
	CHECK(stf_reader_params(r)->header_ended);
	stf_reader_close(r);
}

TEST(rarer_header_records)
{
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	in.n--; /* END_HEADER */
	b8(&in, 8);
	b32(&in, 1);
	b32(&in, 22);
	b32(&in, 333);
	b8(&in, 10);
	b32(&in, 256);
	b8(&in, 13);
	b32(&in, 8);
	btext(&in, "rv64imac");
	b8(&in, 19);
	rewritten_is_the_same(NULL, NULL);
	r = open_in(HEADER_RECORDS - 1, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_PROCESS_ID_EXT);
	CHECK_EQ(rec.process.hart, 1);
	CHECK_EQ(rec.process.pid, 22);
	CHECK_EQ(rec.process.tid, 333);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_VLEN_CONFIG);
	CHECK_EQ(rec.vlen, 256);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_ISA_EXTENDED);
	CHECK_TEXT(rec.text, "rv64imac");
	stf_reader_close(r);
}

TEST(vlen_has_bounds)
{
	static const uint32_t bad[] = { 0, 63, 65537, 0xffffffff };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct stf_reader *r;

		b_start(&in);
		b8(&in, 10);
		b32(&in, bad[i]);
		r = open_in(2, NULL);
		CHECK_EQ(stf_reader_next(r, &rec), STF_E_VALUE);
		stf_reader_close(r);
	}
}

TEST(pc_records)
{
	static const unsigned int descs[] = { 9, 31 };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		b_header(&in, FEATURES_RV64);
		b_pc(&in, descs[i], 0x8877665544332211);
		stf_reader_close(body_record(descs[i]));
		CHECK_EQ(rec.pc, 0x8877665544332211);
	}
}

TEST(opcodes)
{
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	b8(&in, 240);
	b32(&in, 0x00112233);
	r = body_record(240);
	CHECK_EQ(rec.opcode, 0x00112233);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_INST_16);
	CHECK_EQ(rec.opcode, 1);
	CHECK_EQ(stf_reader_next(r, &rec), 0);
	stf_reader_close(r);
}

TEST(scalar_registers)
{
	b_header(&in, FEATURES_RV64);
	b8(&in, 40);
	b16(&in, 0x342);
	b8(&in, 3 << 4 | 4); /* DEST, CSR */
	b64(&in, 0x1122334455667788);
	stf_reader_close(body_record(40));
	CHECK_EQ(rec.reg.number, 0x342);
	CHECK_EQ(rec.reg.type, STF_REG_CSR);
	CHECK_EQ(rec.reg.operand, STF_REG_DEST);
	CHECK_EQ(rec.reg.value, 0x1122334455667788);
}

TEST(vector_registers_are_whole_words)
{
	struct stf_reader *r;
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	in.n--;
	b8(&in, 10);
	b32(&in, 160);
	b8(&in, 19);
	b8(&in, 40);
	b16(&in, 31);
	b8(&in, 2 << 4 | 3); /* SOURCE, VEC */
	for (i = 0; i < 3; i++)
		b64(&in, 0xa0 + i);
	b_inst16(&in, 1);
	rewritten_is_the_same(NULL, NULL);
	r = open_in(HEADER_RECORDS + 1, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.reg.type, STF_REG_VEC);
	CHECK_EQ(rec.reg.n_words, 3);
	CHECK_EQ(rec.reg.vector[0], 0xa0);
	CHECK_EQ(rec.reg.vector[2], 0xa2);
	stf_reader_close(r);
}

TEST(a_vector_register_needs_vlen)
{
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	b8(&in, 40);
	b16(&in, 31);
	b8(&in, 2 << 4 | 3);
	b64(&in, 0);
	r = open_in(HEADER_RECORDS, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), STF_E_VALUE);
	stf_reader_close(r);
}

TEST(ready_registers)
{
	b_header(&in, FEATURES_RV64);
	b8(&in, 41);
	b16(&in, 0x1234);
	stf_reader_close(body_record(41));
	CHECK_EQ(rec.ready_reg, 0x1234);
}

TEST(page_table_walks)
{
	unsigned int i;
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	b8(&in, 50);
	b64(&in, 0x3fff0000);
	b64(&in, 42);
	b32(&in, 4096);
	b8(&in, 3);
	for (i = 0; i < 3; i++) {
		b64(&in, 0x80000000 + i);
		b64(&in, 0xcf + i);
	}
	r = body_record(50);
	CHECK_EQ(rec.page_walk.va, 0x3fff0000);
	CHECK_EQ(rec.page_walk.first_index, 42);
	CHECK_EQ(rec.page_walk.page_size, 4096);
	CHECK_EQ(rec.page_walk.n_ptes, 3);
	CHECK_EQ(rec.page_walk.ptes[2].address, 0x80000002);
	CHECK_EQ(rec.page_walk.ptes[2].value, 0xd1);
	stf_reader_close(r);
}

TEST(memory_accesses)
{
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	b_access(&in, 0x3fff0008, 8, 0xabcd, 2);
	b8(&in, 61);
	b64(&in, 0x99);
	r = body_record(60);
	CHECK_EQ(rec.mem_access.address, 0x3fff0008);
	CHECK_EQ(rec.mem_access.size, 8);
	CHECK_EQ(rec.mem_access.attributes, 0xabcd);
	CHECK_EQ(rec.mem_access.access, STF_ACCESS_WRITE);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_INST_MEM_CONTENT);
	CHECK_EQ(rec.content, 0x99);
	stf_reader_close(r);
}

static void b_bus(unsigned int initiator)
{
	b8(&in, 62);
	b64(&in, 0x81000000);
	b16(&in, 512);
	b8(&in, initiator);
	b8(&in, 7);
	b32(&in, 0x01020304);
	b8(&in, 1);
	b8(&in, 63);
	b64(&in, 0x77);
}

TEST(bus_accesses)
{
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	b_bus(3);
	r = body_record(62);
	CHECK_EQ(rec.bus_access.address, 0x81000000);
	CHECK_EQ(rec.bus_access.size, 512);
	CHECK_EQ(rec.bus_access.initiator, STF_INITIATOR_DMA);
	CHECK_EQ(rec.bus_access.index, 7);
	CHECK_EQ(rec.bus_access.attributes, 0x01020304);
	CHECK_EQ(rec.bus_access.access, STF_ACCESS_READ);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_BUS_MASTER_CONTENT);
	CHECK_EQ(rec.content, 0x77);
	stf_reader_close(r);
}

TEST(initiators_by_the_specification_count_from_0)
{
	struct stf_writer_opts wopts = { .size = sizeof(wopts),
					 .spec_initiators = true };
	struct stf_reader_opts ropts = { .size = sizeof(ropts),
					 .spec_initiators = true };
	static const unsigned int want[] = {
		STF_INITIATOR_CORE, STF_INITIATOR_GPU, STF_INITIATOR_DMA,
		STF_INITIATOR_PCIE, STF_INITIATOR_SRIO, STF_INITIATOR_ICN,
		STF_INITIATOR_ACCEL,
	};
	struct stf_reader *r;
	unsigned int i;

	for (i = 0; i < 7; i++) {
		b_header(&in, FEATURES_RV64);
		b_bus(i);
		b_inst16(&in, 1);
		rewritten_is_the_same(&wopts, &ropts);
		r = open_in(HEADER_RECORDS, &ropts);
		CHECK_EQ(stf_reader_next(r, &rec), 1);
		CHECK_EQ(rec.bus_access.initiator, want[i]);
		stf_reader_close(r);
	}
	b_header(&in, FEATURES_RV64);
	b_bus(7);
	r = open_in(HEADER_RECORDS, &ropts);
	CHECK_EQ(stf_reader_next(r, &rec), STF_E_VALUE);
	stf_reader_close(r);
}

TEST(event_ids_may_have_a_size_that_the_trace_does_not_say)
{
	unsigned int bits;

	for (bits = 32; bits <= 64; bits += 32) {
		struct stf_writer_opts wopts = { .size = sizeof(wopts),
						 .event_bits = bits };
		struct stf_reader_opts ropts = { .size = sizeof(ropts),
						 .event_bits = bits };
		struct stf_reader *r;

		b_header(&in, bits == 32 ? FEATURES_RV64 : FEATURES_RV32);
		b8(&in, 100);
		b32(&in, 13);
		if (bits == 64)
			b32(&in, 0x80000000);
		else
			in.v[in.n - 1] = 0x80;
		b8(&in, 1);
		b64(&in, 7);
		b_inst16(&in, 1);
		rewritten_is_the_same(&wopts, &ropts);
		r = open_in(HEADER_RECORDS, &ropts);
		CHECK_EQ(stf_reader_next(r, &rec), 1);
		CHECK_EQ(rec.event.id, STF_EVENT_INTERRUPT |
				       STF_INT_COUNTER_OVERFLOW);
		CHECK_EQ(rec.event.fields[0], 7);
		stf_reader_close(r);
	}
}

TEST(events_with_64_bit_ids)
{
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	b8(&in, 100);
	b64(&in, 0x800000000000000d);
	b8(&in, 2);
	b64(&in, 0x11);
	b64(&in, 0x22);
	b_pc(&in, 101, 0x8000);
	r = body_record(100);
	CHECK_EQ(rec.event.id, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW);
	CHECK_EQ(rec.event.n_fields, 2);
	CHECK_EQ(rec.event.fields[0], 0x11);
	CHECK_EQ(rec.event.fields[1], 0x22);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_EVENT_PC_TARGET);
	CHECK_EQ(rec.pc, 0x8000);
	stf_reader_close(r);
}

/* Bits 31 and 30 on disk are 63 and 62 to the caller. */
TEST(events_with_32_bit_ids)
{
	static const struct {
		uint32_t disk;
		uint64_t id;
	} ids[] = {
		{ 0x8, STF_FAULT_USER_ECALL },
		{ 0x8000000d, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW },
		{ 0x40000001, STF_EVENT_SPECIAL | 1 },
		{ 0xffffffff, STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL |
			      0x3fffffff },
	};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		b_header(&in, FEATURES_RV32);
		b8(&in, 100);
		b32(&in, ids[i].disk);
		b8(&in, 0);
		stf_reader_close(body_record(100));
		CHECK_EQ(rec.event.id, ids[i].id);
	}
}

TEST(mode_changes)
{
	unsigned int mode;
	struct stf_reader *r;

	for (mode = 0; mode < 4; mode++) {
		b_header(&in, mode & 1 ? FEATURES_RV32 : FEATURES_RV64);
		b8(&in, 100);
		if (mode & 1)
			b32(&in, 0x40000000);
		else
			b64(&in, 0x4000000000000000);
		b8(&in, 1);
		b64(&in, mode);
		r = body_record(100);
		CHECK_EQ(rec.event.id, STF_EVENT_MODE_CHANGE);
		CHECK_EQ(rec.event.fields[0], mode);
		stf_reader_close(r);
	}
}

TEST(microops)
{
	b_header(&in, FEATURES_RV64);
	b8(&in, 230);
	b8(&in, 4);
	b32(&in, 0xdeadbeef);
	stf_reader_close(body_record(230));
	CHECK_EQ(rec.microop.size, 4);
	CHECK_EQ(rec.microop.opcode, 0xdeadbeef);
}

/* ------------------------------------------------------------- transactions */

enum { TRANSACTION_HEADER_RECORDS = HEADER_RECORDS + 2 };

/* The fixed part of a TRANSACTION with a number of metadata; its content follows. */
static void b_transaction_fixed(unsigned int n_meta)
{
	b8(&in, 250);
	b64(&in, 0x1000);
	b64(&in, 0x20);
	b8(&in, 9);
	b16(&in, n_meta);
}

static void b_tilelink(unsigned int channel)
{
	unsigned int i;

	b8(&in, channel);
	if (channel <= 4) {
		b8(&in, 4); /* code */
		b8(&in, 5); /* param */
		b8(&in, 6); /* size */
		b64(&in, 0x77);
		b16(&in, 3);
		for (i = 0; i < 3; i++)
			b8(&in, 0xd0 + i);
	}
	if (channel <= 3)
		b64(&in, 0x88);
	if (channel <= 2) {
		b16(&in, 9);
		b8(&in, 0xff);
		b8(&in, 0x01);
	}
	if (channel >= 4)
		b64(&in, 0x99);
}

TEST(transaction_headers)
{
	struct stf_reader *r;

	b_transaction_header(&in);
	rewritten_is_the_same(NULL, NULL);
	r = open_in(HEADER_RECORDS - 1, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_PROTOCOL_ID);
	CHECK_EQ(rec.protocol, STF_PROTOCOL_TILELINK);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_CLOCK_ID);
	CHECK_EQ(rec.clock.id, 9);
	CHECK_TEXT(rec.clock.name, "cpu");
	stf_reader_close(r);
}

TEST(tilelink_channels)
{
	unsigned int channel;

	for (channel = 1; channel <= 5; channel++) {
		const struct stf_tilelink *tl = &rec.transaction.tilelink;
		struct stf_reader *r;

		b_transaction_header(&in);
		b_transaction_fixed(0);
		b_tilelink(channel);
		rewritten_is_the_same(NULL, NULL);
		r = open_in(TRANSACTION_HEADER_RECORDS, NULL);
		CHECK_EQ(stf_reader_next(r, &rec), 1);
		CHECK_EQ(rec.desc, STF_TRANSACTION);
		CHECK_EQ(rec.transaction.id, 0x1000);
		CHECK_EQ(rec.transaction.cycle_delta, 0x20);
		CHECK_EQ(rec.transaction.clock, 9);
		CHECK_EQ(rec.transaction.n_meta, 0);
		CHECK_EQ(tl->channel, channel);
		CHECK_EQ(tl->code, channel <= 4 ? 4 : 0);
		CHECK_EQ(tl->param, channel <= 4 ? 5 : 0);
		CHECK_EQ(tl->size, channel <= 4 ? 6 : 0);
		CHECK_EQ(tl->source, channel <= 4 ? 0x77 : 0);
		CHECK_EQ(tl->data_size, channel <= 4 ? 3 : 0);
		CHECK(channel > 4 || tl->data[2] == 0xd2);
		CHECK_EQ(tl->address, channel <= 3 ? 0x88 : 0);
		CHECK_EQ(tl->mask_bits, channel <= 2 ? 9 : 0);
		CHECK(channel > 2 || tl->mask[1] == 0x01);
		CHECK_EQ(tl->sink, channel >= 4 ? 0x99 : 0);
		stf_reader_close(r);
	}
}

TEST(transaction_metadata)
{
	struct stf_meta meta;
	struct stf_reader *r;
	const uint8_t *p;
	size_t n;

	b_transaction_header(&in);
	b8(&in, 251);
	b64(&in, 0xfff);
	b64(&in, 0x3);
	b8(&in, 9);
	b_transaction_fixed(4);
	b8(&in, 0);
	b8(&in, 0x12);
	b8(&in, 1);
	b16(&in, 0x1234);
	b8(&in, 2);
	b32(&in, 0x12345678);
	b8(&in, 3);
	b64(&in, 0x123456789abcdef0);
	b_tilelink(5);
	rewritten_is_the_same(NULL, NULL);
	r = open_in(TRANSACTION_HEADER_RECORDS, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.desc, STF_TRANSACTION_DEPENDENCY);
	CHECK_EQ(rec.dependency.id, 0xfff);
	CHECK_EQ(rec.dependency.cycle_delta, 3);
	CHECK_EQ(rec.dependency.clock, 9);
	CHECK_EQ(stf_reader_next(r, &rec), 1);
	CHECK_EQ(rec.transaction.n_meta, 4);
	p = rec.transaction.meta;
	n = rec.transaction.meta_size;
	CHECK_EQ(n, 2 + 3 + 5 + 9);
	CHECK_EQ(stf_meta_get(p, n, &meta), 2);
	CHECK_EQ(meta.value, 0x12);
	CHECK_EQ(stf_meta_get(p + 2, n - 2, &meta), 3);
	CHECK_EQ(meta.value, 0x1234);
	CHECK_EQ(stf_meta_get(p + 5, n - 5, &meta), 5);
	CHECK_EQ(meta.value, 0x12345678);
	CHECK_EQ(stf_meta_get(p + 10, n - 10, &meta), 9);
	CHECK_EQ(meta.value, 0x123456789abcdef0);
	CHECK_EQ(stf_meta_get(p + 10, 8, &meta), STF_E_CUT);
	stf_reader_close(r);
}

/* Body bytes that no layout covers. */
static void is_bad_value(const char *what)
{
	struct stf_reader *r = open_in(TRANSACTION_HEADER_RECORDS, NULL);

	CHECK_EQ(stf_reader_next(r, &rec), STF_E_VALUE);
	if (!strstr(stf_reader_error(r), what))
		test_fail(__FILE__, __LINE__, "%s", stf_reader_error(r));
	stf_reader_close(r);
}

TEST(undefined_values_of_transactions)
{
	b_transaction_header(&in);
	b_transaction_fixed(0);
	b_tilelink(6);
	is_bad_value("channel");
	b_transaction_header(&in);
	b_transaction_fixed(1);
	b8(&in, 4);
	b64(&in, 0);
	is_bad_value("metadata");
}

/* The writer takes as many bytes as the pieces of metadata have, no others. */
TEST(metadata_has_the_length_of_its_pieces)
{
	static const uint8_t meta[] = { 0, 0x12, 1, 0x34, 0x12, 0 };
	static const struct {
		unsigned int n_meta, meta_size;
		int want;
	} rows[] = {
		{ 2, 5, 0 },	{ 2, 4, STF_E_VALUE },
		{ 2, 6, STF_E_VALUE },	{ 1, 2, 0 },
		{ 1, 5, STF_E_VALUE },	{ 3, 5, STF_E_VALUE },
		{ 0, 1, STF_E_VALUE },	{ 0, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct stf_writer *w;
		struct stf_reader *r;

		b_transaction_header(&in);
		b_transaction_fixed(0);
		b_tilelink(5);
		r = open_in(0, NULL);
		w = stf_writer_open(in_tmpdir("out.stf"), NULL, NULL);
		CHECK(w);
		while (stf_reader_next(r, &rec) == 1 &&
		       rec.desc != STF_TRANSACTION)
			CHECK_EQ(stf_write(w, &rec), 0);
		rec.transaction.meta = meta;
		rec.transaction.n_meta = rows[i].n_meta;
		rec.transaction.meta_size = rows[i].meta_size;
		CHECK_EQ(stf_write(w, &rec), rows[i].want);
		if (rows[i].want)
			CHECK(strstr(stf_writer_error(w), "metadata"));
		stf_writer_close(w, NULL);
		stf_reader_close(r);
	}
}

TEST(a_transaction_needs_a_protocol)
{
	struct stf_reader *r;

	b_header(&in, FEATURES_RV64);
	b_transaction_fixed(0);
	b_tilelink(5);
	r = open_in(HEADER_RECORDS, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), STF_E_VALUE);
	stf_reader_close(r);
}

/* -------------------------------------------------------------- faulty input */

TEST(unknown_descriptors_are_named_with_their_place)
{
	static const uint8_t bad[] = { 0, 14, 18, 20, 64, 102, 229, 242, 255 };
	unsigned int i;
	char want[80];

	for (i = 0; i < sizeof(bad); i++) {
		struct stf_reader *r;

		b_header(&in, FEATURES_RV64);
		snprintf(want, sizeof(want),
			 "in.stf: at byte %zu: unknown record descriptor %u",
			 in.n, bad[i]);
		b8(&in, bad[i]);
		b64(&in, 0);
		r = open_in(HEADER_RECORDS, NULL);
		CHECK_EQ(stf_reader_next(r, &rec), STF_E_DESC);
		CHECK(strstr(stf_reader_error(r), want));
		CHECK_EQ(stf_reader_next(r, &rec), STF_E_DESC);
		stf_reader_close(r);
	}
}

/* Specification 1.3, STFReserveEndRecord: "the last record of a trace", of one byte. */
TEST(the_reserved_end_ends_a_trace)
{
	struct stf_reader *r;
	unsigned int end;

	for (end = 0; end < 3; end++) {
		b_header(&in, FEATURES_RV64);
		b_inst32(&in, 0x13);
		b8(&in, 255);
		if (end == 1)
			b8(&in, 255);
		if (end == 2)
			b_inst32(&in, 0x13);
		r = open_in(HEADER_RECORDS, NULL);
		CHECK_EQ(stf_reader_next(r, &rec), 1);
		CHECK_EQ(rec.desc, STF_INST_32);
		CHECK_EQ(stf_reader_next(r, &rec), end ? STF_E_DESC : 0);
		CHECK_EQ(stf_reader_next(r, &rec), end ? STF_E_DESC : 0);
		stf_reader_close(r);
	}
}

TEST(a_second_identifier_has_to_be_one)
{
	struct stf_reader *r;

	b_start(&in);
	b8(&in, 1);
	btext(&in, "STX");
	r = open_in(2, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), STF_E_VALUE);
	stf_reader_close(r);
}

TEST(lengths_beyond_the_end_are_cut)
{
	struct stf_reader *r;

	b_start(&in);
	b8(&in, 3);
	b32(&in, 0xffffffff);
	btext(&in, "short");
	r = open_in(2, NULL);
	CHECK_EQ(stf_reader_next(r, &rec), STF_E_CUT);
	stf_reader_close(r);
}

TEST(versions_1_2_and_later_of_1_are_taken)
{
	static const struct {
		uint32_t major, minor;
		int err;
	} versions[] = {
		{ 1, 2, 0 }, { 1, 5, 0 }, { 1, 7, 0 }, { 1, 1, STF_E_VERSION },
		{ 0, 9, STF_E_VERSION }, { 2, 0, STF_E_VERSION },
	};
	struct stf_reader *r;
	struct stf_error err;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		b_header(&in, FEATURES_RV64);
		in.v[5] = (uint8_t)versions[i].major;
		in.v[9] = (uint8_t)versions[i].minor;
		write_file(in_tmpdir("in.stf"), in.v, in.n);
		r = stf_reader_open(in_tmpdir("in.stf"), NULL, &err);
		CHECK_EQ(err.code, versions[i].err);
		CHECK(!r == !!err.code);
		stf_reader_close(r);
	}
}
