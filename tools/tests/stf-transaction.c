// SPDX-License-Identifier: GPL-2.0-only
/* Transactions with their groups, read and written. The bytes are those of the specification. */
#include <stdlib.h>

#include "stf-build.h"
#include "stf/stf.h"

static struct bytes in;

/* As the reference library begins such a trace: without ISA and INST_IEM. */
static void b_head(bool comment)
{
	b_start(&in);
	if (comment) {
		b8(&in, 3);
		b32(&in, 2);
		btext(&in, "hi");
	}
	b8(&in, 6);
	b32(&in, 0x140); /* generator 0x40, version 1.0.0 */
	b16(&in, 2);
	btext(&in, "ex");
	b8(&in, 7);
	b64(&in, 0x100000); /* TRANSACTIONS */
	b8(&in, 11);
	b8(&in, 1); /* TileLink */
	b8(&in, 12);
	b8(&in, 1);
	b16(&in, 3);
	btext(&in, "cpu");
	b8(&in, 12);
	b8(&in, 255);
	b16(&in, 0);
	b8(&in, 19);
}

static void b_dependency(uint64_t id, uint64_t delta, unsigned int clock)
{
	b8(&in, 251);
	b64(&in, id);
	b64(&in, delta);
	b8(&in, clock);
}

/* A transaction in channel A with two bytes of data and 9 bits of mask, without metadata. */
static void b_channel_a(uint64_t id, unsigned int n_meta)
{
	b8(&in, 250);
	b64(&in, id);
	b64(&in, 5); /* cycle delta */
	b8(&in, 1); /* clock */
	b16(&in, n_meta);
}

static void b_tilelink_a(void)
{
	b8(&in, 1); /* channel A */
	b8(&in, 4); /* code */
	b8(&in, 2); /* param */
	b8(&in, 3); /* size */
	b64(&in, 0x77); /* source */
	b16(&in, 2);
	b16(&in, 0xbbaa);
	b64(&in, 0x80001000); /* address */
	b16(&in, 9);
	b16(&in, 0x01ff);
}

static void b_channel_e(uint64_t id)
{
	b8(&in, 250);
	b64(&in, id);
	b64(&in, 1);
	b8(&in, 1);
	b16(&in, 0);
	b8(&in, 5);
	b64(&in, 0x99);
}

/* ---------------------------------------------------------------------- reading */

static struct stf_reader *reader;
static struct stf_transaction_iter *iter;
static struct stf_transaction_group group;

static void open_in(void)
{
	struct stf_error err;

	reader = stf_reader_open_memory(in.v, in.n, NULL, &err);
	if (!reader)
		test_fail(__FILE__, __LINE__, "%s", err.text);
	iter = stf_transaction_iter_new(reader);
	CHECK(iter);
	group = (struct stf_transaction_group){ .size = sizeof(group) };
}

static void close_in(void)
{
	stf_transaction_iter_free(iter);
	stf_reader_close(reader);
}

static bool is_text(const struct stf_text *text, const char *want)
{
	return text && text->size == strlen(want) && !memcmp(text->data, want, text->size);
}

TEST(a_transaction_comes_with_its_group)
{
	b_head(false);
	b_comment(&in, "first");
	b_dependency(7, 3, 1);
	b_dependency(8, 4, 255);
	b_channel_a(0x1000, 2);
	b8(&in, 0); /* a byte of metadata */
	b8(&in, 0x12);
	b8(&in, 3); /* a word of 64 bits */
	b64(&in, 0x123456789abcdef0);
	b_tilelink_a();
	open_in();
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK_EQ(group.index, 0);
	CHECK_EQ(group.transaction.id, 0x1000);
	CHECK_EQ(group.transaction.cycle_delta, 5);
	CHECK_EQ(group.transaction.clock, 1);
	CHECK_EQ(group.transaction.n_meta, 2);
	CHECK_EQ(group.meta[0].type, 0);
	CHECK_EQ(group.meta[0].value, 0x12);
	CHECK_EQ(group.meta[1].type, 3);
	CHECK_EQ(group.meta[1].value, 0x123456789abcdef0);
	CHECK_EQ(group.transaction.tilelink.channel, STF_TL_A);
	CHECK_EQ(group.transaction.tilelink.source, 0x77);
	CHECK_EQ(group.transaction.tilelink.data_size, 2);
	CHECK_EQ(group.transaction.tilelink.data[1], 0xbb);
	CHECK_EQ(group.transaction.tilelink.address, 0x80001000);
	CHECK_EQ(group.transaction.tilelink.mask_bits, 9);
	CHECK_EQ(group.transaction.tilelink.mask[1], 0x01);
	CHECK_EQ(group.n_dependencies, 2);
	CHECK_EQ(group.dependencies[0].id, 7);
	CHECK_EQ(group.dependencies[0].cycle_delta, 3);
	CHECK_EQ(group.dependencies[1].id, 8);
	CHECK_EQ(group.dependencies[1].clock, 255);
	CHECK_EQ(group.n_comments, 1);
	CHECK(is_text(&group.comments[0], "first"));
	CHECK(!group.has_process);
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 0);
	close_in();
}

TEST(nothing_of_a_group_stays_for_the_next)
{
	b_head(false);
	b_process(&in, 1, 2, 3);
	b_comment(&in, "first");
	b_dependency(7, 3, 1);
	b_channel_e(1);
	b_channel_e(2);
	b_dependency(1, 0, 1);
	b_channel_e(3);
	open_in();
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK(group.has_process);
	CHECK_EQ(group.process.hart, 1);
	CHECK_EQ(group.process.tid, 3);
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK_EQ(group.index, 1);
	CHECK_EQ(group.transaction.id, 2);
	CHECK_EQ(group.n_comments + group.n_dependencies, 0);
	CHECK(!group.has_process);
	CHECK_EQ(group.process.pid, 2);
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK_EQ(group.n_dependencies, 1);
	CHECK_EQ(group.dependencies[0].id, 1);
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 0);
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 0);
	close_in();
}

/* The comment of the header is none of the first group. Its process goes on. */
static void first_group(void)
{
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK_EQ(group.n_comments, 1);
	CHECK(is_text(&group.comments[0], "of the group"));
	CHECK_EQ(group.transaction.id, 1);
	CHECK_EQ(group.index, 0);
	CHECK_EQ(group.process.pid, 5);
	CHECK(!group.has_process);
	close_in();
}

TEST(the_header_is_no_part_of_a_group)
{
	struct stf_record rec;

	b_head(true);
	in.n--;
	b_process(&in, 4, 5, 6);
	b8(&in, 19);
	b_comment(&in, "of the group");
	b_channel_e(1);
	open_in();
	first_group();
	reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	CHECK(reader);
	do
		CHECK_EQ(stf_reader_next(reader, &rec), 1);
	while (rec.desc != STF_END_HEADER);
	iter = stf_transaction_iter_new(reader);
	first_group();
}

TEST(the_header_names_clocks)
{
	b_head(false);
	b_channel_e(1);
	open_in();
	CHECK(!stf_reader_clock(reader, 1));
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK(is_text(stf_reader_clock(reader, group.transaction.clock), "cpu"));
	CHECK(is_text(stf_reader_clock(reader, 255), ""));
	CHECK(!stf_reader_clock(reader, 2));
	close_in();
}

TEST(comments_after_the_last_transaction)
{
	b_head(false);
	b_channel_e(1);
	b_comment(&in, "the end");
	open_in();
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 0);
	CHECK_EQ(group.n_comments, 1);
	CHECK(is_text(&group.comments[0], "the end"));
	CHECK_EQ(group.transaction.id, 0);
	close_in();
}

TEST(a_trace_that_ends_inside_a_group)
{
	b_head(false);
	b_channel_e(1);
	b_dependency(1, 0, 1);
	open_in();
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK_EQ(stf_transaction_iter_next(iter, &group), STF_E_CUT);
	CHECK(strstr(stf_reader_error(reader), "inside a transaction's group"));
	CHECK_EQ(stf_transaction_iter_next(iter, &group), STF_E_CUT);
	close_in();
}

TEST(a_trace_of_instructions_is_refused)
{
	b_header(&in, FEATURES_RV64);
	b_inst16(&in, 1);
	open_in();
	CHECK_EQ(stf_transaction_iter_next(iter, &group), STF_E_ORDER);
	CHECK(strstr(stf_reader_error(reader), "instructions"));
	close_in();
}

/* A program whose structure ends earlier gets what it has room for. */
TEST(nothing_is_written_behind_the_structure)
{
	b_head(false);
	b_process(&in, 1, 2, 3);
	b_channel_e(1);
	open_in();
	group.size = offsetof(struct stf_transaction_group, has_process);
	group.process.hart = 77;
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
	CHECK_EQ(group.transaction.id, 1);
	CHECK_EQ(group.process.hart, 77);
	CHECK_EQ(group.size, offsetof(struct stf_transaction_group, has_process));
	close_in();
}

/* Cut at each byte: an end or an error, and all transactions before it. */
TEST(cut_traces)
{
	size_t n, head;
	int more;

	b_head(true);
	head = in.n;
	b_comment(&in, "x");
	b_dependency(1, 2, 1);
	b_channel_a(2, 1);
	b8(&in, 2);
	b32(&in, 9);
	b_tilelink_a();
	for (n = in.n; n > head; n--) {
		in.n = n - 1;
		open_in();
		more = stf_transaction_iter_next(iter, &group);
		/* A comment may be the last record. */
		CHECK(more == STF_E_CUT ||
		      (!more && (in.n == head || in.n == head + 6)));
		close_in();
	}
}

/* ---------------------------------------------------------------------- writing */

static struct stf_writer *writer;

static void open_out(const char *name, uint64_t markers)
{
	const struct stf_writer_opts opts = { .size = sizeof(opts),
					      .chunk_markers = markers };

	writer = stf_writer_open(in_tmpdir(name), &opts, NULL);
	CHECK(writer);
}

static void write_head(void)
{
	static const char *const comments[] = { "hi", NULL };
	static const struct stf_clock clocks[] = { { 1, { "cpu", 3 } },
						   { 255, { NULL, 0 } } };
	const struct stf_header hdr = {
		.size = sizeof(hdr),
		.comments = comments,
		.generator = STF_GEN_STF_TRANSACTION_EXAMPLE,
		.gen_major = 1,
		.gen_text = "ex",
		.protocol = STF_PROTOCOL_TILELINK,
		.clocks = clocks,
		.n_clocks = 2,
	};

	CHECK_EQ(stf_write_header(writer, &hdr), 0);
}

static void is_written(const char *name)
{
	static uint8_t got[4096];
	size_t n, i;

	CHECK_EQ(stf_writer_close(writer, NULL), 0);
	n = read_file(in_tmpdir(name), got, sizeof(got));
	for (i = 0; i < n && i < in.n && got[i] == in.v[i]; i++)
		;
	if (i < in.n || n != in.n)
		test_fail(__FILE__, __LINE__, "byte %zu of %zu, not %zu", i, n, in.n);
}

TEST(the_bytes_of_a_written_trace)
{
	static const struct stf_meta meta[] = { { 1, 0x1234 }, { 2, 0x87654321 } };
	static const struct stf_dependency dependencies[] = { { 7, 3, 1 }, { 8, 4, 255 } };
	static const struct stf_text comment = { "first", 5 };
	static const uint8_t data[] = { 0xaa, 0xbb }, mask[] = { 0xff, 0x01 };
	struct stf_transaction_group out = {
		.size = sizeof(out),
		.transaction = { .id = 0x1000, .cycle_delta = 5, .clock = 1, .n_meta = 2,
				 .tilelink = { .channel = STF_TL_A, .code = 4, .param = 2,
					       .size = 3, .source = 0x77,
					       .address = 0x80001000,
					       .data_size = 2, .data = data,
					       .mask_bits = 9, .mask = mask } },
		.meta = meta,
		.n_dependencies = 2,
		.dependencies = dependencies,
		.n_comments = 1,
		.comments = &comment,
		.has_process = true,
		.process = { 1, 2, 3 },
	};

	b_head(true);
	b_process(&in, 1, 2, 3);
	b_comment(&in, "first");
	b_dependency(7, 3, 1);
	b_dependency(8, 4, 255);
	b_channel_a(0x1000, 2);
	b8(&in, 1);
	b16(&in, 0x1234);
	b8(&in, 2);
	b32(&in, 0x87654321);
	b_tilelink_a();
	open_out("w.stf", 0);
	write_head();
	CHECK_EQ(stf_write_transaction(writer, &out), 0);
	is_written("w.stf");
}

/* If the program asks for it, also a trace of transactions says what its harts are. */
TEST(a_header_with_a_protocol_can_have_an_isa)
{
	static const char *const comments[] = { "hi", NULL };
	const struct stf_header hdr = {
		.size = sizeof(hdr),
		.comments = comments,
		.isa = STF_ISA_RISCV,
		.iem = STF_IEM_RV64,
		.generator = STF_GEN_QEMU,
		.protocol = STF_PROTOCOL_TILELINK,
	};
	const struct stf_params *params;
	struct stf_record rec;

	open_out("isa.stf", 0);
	CHECK_EQ(stf_write_header(writer, &hdr), 0);
	CHECK_EQ(stf_writer_close(writer, NULL), 0);
	reader = stf_reader_open(in_tmpdir("isa.stf"), NULL, NULL);
	CHECK(reader);
	while (stf_reader_next(reader, &rec) > 0)
		CHECK(rec.desc != STF_FORCE_PC);
	params = stf_reader_params(reader);
	CHECK_EQ(params->isa, STF_ISA_RISCV);
	CHECK_EQ(params->iem, STF_IEM_RV64);
	CHECK_EQ(params->protocol, STF_PROTOCOL_TILELINK);
	CHECK_EQ(params->features, STF_FEATURE_TRANSACTIONS | STF_FEATURE_RV64 |
					   STF_FEATURE_EVENT64);
	stf_reader_close(reader);
}

TEST(a_group_that_was_read_is_written_as_it_was)
{
	b_head(true);
	b_process(&in, 4, 5, 6);
	b_comment(&in, "");
	b_dependency(9, 1, 1);
	b_channel_a(1, 1);
	b8(&in, 0);
	b8(&in, 1);
	b_tilelink_a();
	b_channel_e(2);
	open_in();
	open_out("copy.stf", 0);
	write_head();
	while (stf_transaction_iter_next(iter, &group) > 0)
		CHECK_EQ(stf_write_transaction(writer, &group), 0);
	CHECK_STR(stf_reader_error(reader), "");
	close_in();
	is_written("copy.stf");
}

/* In a container, a transaction counts as an opcode does. */
TEST(chunks_of_transactions)
{
	struct stf_transaction_group out = {
		.size = sizeof(out),
		.transaction = { .clock = 1, .tilelink.channel = STF_TL_E },
	};
	struct stf_stats stats = { .size = sizeof(stats) };
	uint64_t i;

	open_out("t.zstf", 4);
	write_head();
	for (i = 0; i < 10; i++) {
		out.transaction.id = i;
		CHECK_EQ(stf_write_transaction(writer, &out), 0);
	}
	CHECK_EQ(stf_writer_close(writer, NULL), 0);
	reader = stf_reader_open(in_tmpdir("t.zstf"), NULL, NULL);
	CHECK(reader);
	stf_reader_stats(reader, &stats);
	CHECK_EQ(stats.chunks, 3);
	iter = stf_transaction_iter_new(reader);
	for (i = 0; i < 10; i++) {
		CHECK_EQ(stf_transaction_iter_next(iter, &group), 1);
		CHECK_EQ(group.index, i);
		CHECK_EQ(group.transaction.id, i);
	}
	CHECK_EQ(stf_transaction_iter_next(iter, &group), 0);
	close_in();
}

TEST(what_cannot_be_written_is_refused)
{
	static const struct stf_meta meta = { 4, 0 };
	static const struct stf_dependency dependency = { 1, 1, 1 };
	struct stf_transaction_group out = {
		.size = sizeof(out),
		.transaction = { .n_meta = 1, .tilelink.channel = STF_TL_E },
		.meta = &meta,
	};

	open_out("bad.stf", 0);
	write_head();
	CHECK_EQ(stf_write_transaction(writer, &out), STF_E_VALUE);
	CHECK(strstr(stf_writer_error(writer), "metadata"));
	out.transaction.n_meta = 0;
	out.transaction.tilelink.channel = 6;
	CHECK_EQ(stf_write_transaction(writer, &out), STF_E_VALUE);
	CHECK(strstr(stf_writer_error(writer), "channel"));
	out.size = 8;
	CHECK_EQ(stf_write_transaction(writer, &out), STF_E_INVAL);
	/* What was refused left nothing. */
	out.size = sizeof(out);
	out.transaction.tilelink.channel = STF_TL_E;
	out.n_dependencies = 1;
	out.dependencies = &dependency;
	CHECK_EQ(stf_write_transaction(writer, &out), 0);
	CHECK_EQ(stf_writer_close(writer, NULL), 0);
}

TEST(a_trace_of_instructions_takes_no_transactions)
{
	static const char *const comments[] = { "hi", NULL };
	const struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
					.generator = STF_GEN_QEMU, .pc = START_PC };
	struct stf_transaction_group out = {
		.size = sizeof(out), .transaction.tilelink.channel = STF_TL_E };

	open_out("inst.stf", 0);
	CHECK_EQ(stf_write_header(writer, &hdr), 0);
	CHECK_EQ(stf_write_transaction(writer, &out), STF_E_ORDER);
	stf_writer_abort(writer);
}
