// SPDX-License-Identifier: GPL-2.0-only
/* The short ways of reader and writer do what the long ones do. */
#include "stf-trace.h"
#include "stf/stf_order.h"

/* In every state that a group can be in, by any records up to three. */
TEST(a_quick_yes_is_a_slow_yes)
{
	static const uint8_t kinds[] = { 3, 8, 9, 31, 40, 41, 50, 60, 61, 62, 63,
					 100, 101, 230, 240, 241 };
	enum { N = sizeof(kinds) };
	unsigned int i, k, yes = 0;

	for (i = 0; i < N * N * N; i++) {
		struct stf_order order = { .header_ended = true, .in_insts = true };
		unsigned int path[] = { i / (N * N), i / N % N, i % N };

		for (k = 0; k < 3; k++) {
			if (stf_order_check(&order, kinds[path[k]]))
				break;
			stf_order_take(&order, kinds[path[k]]);
		}
		for (k = 0; k < N; k++) {
			struct stf_order slow = order, fast = order;

			if (!stf_order_quick(&order, kinds[k]))
				continue;
			CHECK(!stf_order_check(&order, kinds[k]));
			stf_order_take(&slow, kinds[k]);
			stf_order_took(&fast, kinds[k]);
			CHECK(slow.last == fast.last && slow.prev == fast.prev &&
			      slow.event == fast.event);
			yes++;
		}
	}
	CHECK(yes > 1000);
}

TEST(nothing_is_quick_in_the_header_or_among_transactions)
{
	struct stf_order order = { 0 };

	CHECK(!stf_order_quick(&order, STF_INST_32));
	order.header_ended = order.transactions = true;
	CHECK(!stf_order_quick(&order, STF_INST_32));
}

static uint64_t read_in_batches(const char *path, unsigned int n)
{
	struct stf_reader *r = stf_reader_open(path, NULL, NULL);
	struct stf_record recs[100];
	struct stf_stats stats = { .size = sizeof(stats) };
	uint64_t sum = 0, records = 0;
	int got, i;

	CHECK(r);
	while ((got = stf_reader_read(r, recs, n)) > 0) {
		CHECK(got <= (int)n);
		for (i = 0; i < got; i++)
			add_fields(&sum, &recs[i]);
		records += (uint64_t)got;
	}
	CHECK_EQ(got, 0);
	stf_reader_stats(r, &stats);
	CHECK_EQ(stats.records, records);
	stf_reader_close(r);
	return sum;
}

TEST(batches_of_any_size_hold_the_same_records)
{
	static const char *const names[] = { "t.stf", "t.zstf" };
	unsigned int i, n;

	for (i = 0; i < 2; i++) {
		struct result want;

		write_samples(names[i], 2);
		want = read_all(in_tmpdir(names[i]));
		for (n = 1; n < 100; n += 7)
			CHECK_EQ(read_in_batches(in_tmpdir(names[i]), n),
				 want.sum);
	}
}

/* -------------------------------------------------------- code as it is in memory */

enum { CODE = 700000, LINE = 60 };

static uint8_t code[CODE];

/* Instructions of both lengths, none longer; the last one ends with the code. */
static void make_code(void)
{
	size_t at;

	for (at = 0; at < CODE; at += 2) {
		const bool wide = at + 4 <= CODE && test_random() & 1;
		uint32_t opcode = (uint32_t)test_random();

		opcode = wide ? (opcode & ~0x1cu) | 3 : (opcode & ~3u) | 1;
		memcpy(code + at, &opcode, wide ? 4 : 2);
		at += wide ? 2 : 0;
	}
}

/* One by one what stf_write_code() writes at once. */
static void write_singly(struct stf_writer *w, const uint8_t *p, size_t size,
			 const uint64_t *target)
{
	size_t at = 0;

	while (at < size) {
		const unsigned int length = (p[at] & 3) == 3 ? 4 : 2;
		uint32_t opcode = 0;

		memcpy(&opcode, p + at, length);
		at += length;
		if (at == size && target)
			CHECK_EQ(stf_write_pc_target(w, *target), 0);
		CHECK_EQ(stf_write_inst(w, opcode, length), 0);
	}
}

/* Lines of code in both files, with records of the first group before some. */
static void write_both(struct stf_writer *a, struct stf_writer *b, size_t size)
{
	size_t at = 0, end;

	while (at < size) {
		uint64_t pc = test_random(), pc_a = 0, pc_b = 0;
		const uint64_t *target = test_random() & 1 ? &pc : NULL;
		/* One that is longer than any buffer. */
		size_t limit = at + (at ? 2 + test_random() % LINE : size / 2);

		for (end = at; end < size && end < limit;)
			end += (code[end] & 3) == 3 ? 4 : 2;
		switch (test_random() % 8) {
		case 0:
			CHECK_EQ(stf_write_force_pc(a, pc), 0);
			CHECK_EQ(stf_write_force_pc(b, pc), 0);
			break;
		case 1:
			if (end - at < 8)
				break;
			CHECK_EQ(stf_write_mode_change(a, STF_MODE_USER), 0);
			CHECK_EQ(stf_write_mode_change(b, STF_MODE_USER), 0);
			CHECK_EQ(stf_write_event_target(a, pc), 0);
			CHECK_EQ(stf_write_event_target(b, pc), 0);
			break;
		}
		CHECK_EQ(stf_write_code(a, code + at, end - at, target), 0);
		write_singly(b, code + at, end - at, target);
		CHECK(stf_writer_pc(a, &pc_a) && stf_writer_pc(b, &pc_b));
		CHECK_EQ(pc_a, pc_b);
		at = end;
	}
}

static void check_same(const char *a, const char *b)
{
	static uint8_t bytes_a[3 * CODE], bytes_b[3 * CODE];
	size_t n = read_file(in_tmpdir(a), bytes_a, sizeof(bytes_a));

	CHECK(n && n < sizeof(bytes_a));
	CHECK_EQ(read_file(in_tmpdir(b), bytes_b, sizeof(bytes_b)), n);
	CHECK(!memcmp(bytes_a, bytes_b, n));
}

TEST(code_at_once_is_what_its_instructions_are_one_by_one)
{
	static const struct {
		const char *a, *b;
		uint64_t markers;
		size_t size;
	} kinds[] = { { "a.stf", "b.stf", 0, CODE },
		      { "a.zstf", "b.zstf", 1000, CODE },
		      { "c.zstf", "d.zstf", 1, 4000 } };
	struct stf_stats stats_a = { .size = sizeof(stats_a) }, stats_b = stats_a;
	unsigned int i;

	make_code();
	for (i = 0; i < 3; i++) {
		struct stf_writer *a = start(kinds[i].a, kinds[i].markers);
		struct stf_writer *b = start(kinds[i].b, kinds[i].markers);

		write_both(a, b, kinds[i].size);
		stf_writer_stats(a, &stats_a);
		stf_writer_stats(b, &stats_b);
		CHECK_EQ(stats_a.records, stats_b.records);
		CHECK_EQ(stats_a.instructions, stats_b.instructions);
		CHECK_EQ(stats_a.trace_bytes, stats_b.trace_bytes);
		CHECK_EQ(stf_writer_close(a, NULL), 0);
		CHECK_EQ(stf_writer_close(b, NULL), 0);
		check_same(kinds[i].a, kinds[i].b);
	}
}

TEST(code_that_is_cut_or_too_long_is_written_up_to_there)
{
	static const uint8_t cut[] = { 0x01, 0x00, 0x13, 0x05 };
	static const uint8_t longer[] = { 0x01, 0x00, 0x01, 0x00, 0x1f, 0x00,
					  0x00, 0x00, 0x00, 0x00 };
	struct stf_writer *w = start("t.stf", 0);
	const uint64_t target = 0x1000;
	struct stf_stats stats = { .size = sizeof(stats) };

	/* No room is made before there was something to write. */
	CHECK_EQ(stf_write_code(w, cut, 2, NULL), 0);
	CHECK_EQ(stf_write_code(w, cut, 4, &target), STF_E_VALUE);
	CHECK(strstr(stf_writer_error(w), "cut short"));
	CHECK_EQ(stf_write_code(w, longer, sizeof(longer), &target),
		 STF_E_VALUE);
	CHECK_EQ(stf_write_code(w, longer, 1, NULL), STF_E_VALUE);
	CHECK_EQ(stf_write_code(w, longer, 0, NULL), 0);
	CHECK_EQ(stf_write_code(w, longer, 0, &target), STF_E_INVAL);
	CHECK_STR(stf_writer_error(w), "a bad argument to stf_write_code()");
	stf_writer_stats(w, &stats);
	CHECK_EQ(stats.instructions, 4);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(read_insts(in_tmpdir("t.stf")), 0);
}

TEST(code_keeps_the_rules_of_its_first_group)
{
	static const uint8_t insn[] = { 0x01, 0x00 };
	struct stf_writer *w = start("t.stf", 0);
	const uint64_t target = 0x1000;

	/* The target would come after the event, or between access and content. */
	CHECK_EQ(stf_write_mode_change(w, STF_MODE_USER), 0);
	CHECK_EQ(stf_write_code(w, insn, 2, &target), STF_E_ORDER);
	CHECK_EQ(stf_write_code(w, insn, 2, NULL), 0);
	CHECK_EQ(stf_write_code(w, insn, 2, &target), 0);
	stf_writer_abort(w);
}
