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
		struct stf_order order = { .header_ended = true };
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
	struct stf_stats stats;
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
