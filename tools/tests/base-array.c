// SPDX-License-Identifier: GPL-2.0-only
/* Arrays that grow, and elements found by their hash. */
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "test.h"

TEST(what_is_in_an_array_stays_when_it_grows)
{
	uint32_t *v = NULL;
	size_t nr = 0, cap = 0;

	for (; nr < 10000; nr++) {
		CHECK(array_room(&v, nr, &cap, sizeof(*v)));
		CHECK(nr < cap);
		v[nr] = nr * 3;
	}
	while (nr--)
		CHECK_EQ(v[nr], nr * 3);
	free(v);
}

TEST(an_array_by_numbers_is_zero_where_nothing_was_put)
{
	uint64_t *v = NULL;
	size_t cap = 0, i;

	CHECK(array_cover(&v, 5, &cap, sizeof(*v)));
	v[5] = 7;
	CHECK(array_cover(&v, 5000, &cap, sizeof(*v)));
	CHECK(cap > 5000);
	for (i = 0; i < cap; i++)
		CHECK_EQ(v[i], i == 5 ? 7 : 0);
	free(v);
}

TEST(what_covers_a_number_is_found_in_what_is_sorted_by_it)
{
	struct {
		uint64_t start;
		char other;
	} v[] = { { UINT64_MAX, 4 }, { 7, 2 }, { 3, 1 }, { 7, 3 } };
	const size_t size = sizeof(*v);

	qsort(v, 4, size, array_order);
	CHECK_EQ(v[0].other, 1);
	CHECK_EQ(v[1].other + v[2].other, 5);
	CHECK_EQ(v[3].other, 4);
	CHECK_EQ(array_upto(v, 4, size, 2), 0);
	CHECK_EQ(array_upto(v, 4, size, 3), 1);
	CHECK_EQ(array_upto(v, 4, size, 6), 1);
	CHECK_EQ(array_upto(v, 4, size, 7), 3);
	CHECK_EQ(array_upto(v, 4, size, UINT64_MAX - 1), 3);
	CHECK_EQ(array_upto(v, 4, size, UINT64_MAX), 4);
	CHECK_EQ(array_upto(NULL, 0, size, 7), 0);
}

/* Every key is there once; half of them share a hash with another one. */
TEST(each_element_is_found_by_its_hash_and_its_key)
{
	enum { NR = 5000 };
	static uint64_t keys[NR];
	struct hash h = { 0 };
	struct hash_slot *slot;
	unsigned int i, k, found;

	for (i = 0; i < NR; i++) {
		uint32_t hash = hash_u64(i / 2);

		keys[i] = test_random();
		CHECK(hash_room(&h));
		hash_for_each(&h, slot, hash)
			CHECK(keys[slot->number - 1] != keys[i]);
		hash_put(&h, slot, hash, i);
	}
	CHECK_EQ(h.nr, NR);
	for (k = 0; k < NR; k++) {
		found = 0;
		hash_for_each(&h, slot, hash_u64(k / 2))
			found += keys[slot->number - 1] == keys[k];
		CHECK_EQ(found, 1);
	}
	hash_free(&h);
	CHECK_EQ(h.nr, 0);
}

TEST(a_hash_that_is_not_there_finds_nothing)
{
	struct hash h = { 0 };
	struct hash_slot *slot;

	CHECK(hash_room(&h));
	hash_for_each(&h, slot, 17)
		CHECK(false);
	hash_put(&h, slot, 17, 0);
	CHECK(hash_room(&h));
	hash_for_each(&h, slot, 18)
		CHECK(false);
	hash_free(&h);
}

TEST(the_hash_of_bytes_depends_on_each_and_on_what_came_before)
{
	const uint8_t a[] = { 1, 2, 3 }, b[] = { 1, 2, 4 };

	CHECK(hash_bytes(0, a, 3) != hash_bytes(0, b, 3));
	CHECK(hash_bytes(0, a, 2) == hash_bytes(0, b, 2));
	CHECK(hash_bytes(hash_bytes(0, a, 3), b, 3) != hash_bytes(0, b, 3));
}
