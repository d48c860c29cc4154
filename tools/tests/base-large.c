// SPDX-License-Identifier: GPL-2.0-only
#include "base/large.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

enum { MIB = 1 << 20 };

TEST(what_was_used_stays_from_size_to_size)
{
	static const size_t sizes[] = { 1, 4096, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 9 * MIB };
	uint8_t *p = NULL;
	size_t used = 0, i, k;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		p = large_grow(p, used, sizes[i]);
		CHECK(p);
		for (k = 0; k < used; k++)
			CHECK_EQ(p[k], (uint8_t)(k * 7 + 3));
		for (used = sizes[i]; k < used; k++)
			p[k] = (uint8_t)(k * 7 + 3);
	}
	large_free(p, used);
}

TEST(new_memory_is_0)
{
	static const size_t sizes[] = { 5, 4096, 2 * MIB, 3 * MIB };
	size_t i, k;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *p = large_new(sizes[i]);

		CHECK(p);
		for (k = 0; k < sizes[i]; k++)
			CHECK(!p[k]);
		memset(p, 1, sizes[i]);
		large_free(p, sizes[i]);
	}
}

TEST(large_memory_begins_where_a_large_page_does)
{
	void *p = large_new(3 * MIB);

	CHECK(p && !((uintptr_t)p % (2 * MIB)));
	p = large_grow(p, 3 * MIB, 5 * MIB);
	CHECK(p && !((uintptr_t)p % (2 * MIB)));
	large_free(p, 5 * MIB);
}
