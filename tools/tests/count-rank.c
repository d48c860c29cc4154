// SPDX-License-Identifier: GPL-2.0-only
/* Lists of what happened most often. */
#include "count/rank.h"
#include "test.h"

#include <stdlib.h>

TEST(the_most_frequent_comes_first_and_then_the_lower_number)
{
	static const struct {
		uint32_t other;
		uint64_t count;
	} v[] = { { 9, 2 }, { 9, 0 }, { 9, 7 }, { 9, 2 }, { 9, 1ull << 40 } };
	static const uint32_t order[] = { 4, 2, 0, 3 };
	struct count_list list;
	size_t i;

	CHECK(count_rank(&list, &v[0].count, 5, sizeof(*v)));
	CHECK_EQ(list.nr, 4);
	CHECK_EQ(list.sum, (1ull << 40) + 11);
	for (i = 0; i < list.nr; i++) {
		CHECK_EQ(list.v[i].number, order[i]);
		CHECK_EQ(list.v[i].count, v[order[i]].count);
	}
	free(list.v);
}

/* Whatever way something sorts by it, the order is the same. */
TEST(two_that_are_compared_the_other_way_round_compare_the_other_way)
{
	static const struct count_ranked v[] = { { 7, 1 }, { 7, 4 }, { 9, 2 } };

	CHECK_EQ(count_most_first(&v[0], &v[1]), -1);
	CHECK_EQ(count_most_first(&v[1], &v[0]), 1);
	CHECK_EQ(count_most_first(&v[0], &v[2]), 1);
	CHECK_EQ(count_most_first(&v[2], &v[0]), -1);
	CHECK_EQ(count_most_first(&v[0], &v[0]), 0);
}

TEST(a_list_of_nothing_is_one)
{
	const uint64_t none = 0;
	struct count_list list;

	CHECK(count_rank(&list, &none, 0, sizeof(none)));
	CHECK(list.v && !list.nr && !list.sum);
	free(list.v);
	CHECK(count_rank(&list, &none, 1, sizeof(none)));
	CHECK(list.v && !list.nr && !list.sum);
	free(list.v);
}
