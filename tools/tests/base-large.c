// SPDX-License-Identifier: GPL-2.0-only
#include "base/large.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

enum { MIB = 1 << 20 };

TEST(what_was_used_stays_from_size_to_size)
{
	static const size_t sizes[] = { 1, 4096, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 9 * MIB };
	uint8_t *p = NULL;
	size_t used = 0, i, k;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		p = large_realloc(p, used, sizes[i]);
		CHECK(p);
		for (k = 0; k < used; k++)
			CHECK_EQ(p[k], (uint8_t)(k * 7 + 3));
		for (used = sizes[i]; k < used; k++)
			p[k] = (uint8_t)(k * 7 + 3);
	}
	free(p);
}

TEST(large_memory_begins_where_a_large_page_does)
{
	void *p = large_realloc(NULL, 0, 3 * MIB);

	CHECK(p && !((uintptr_t)p % (2 * MIB)));
	free(p);
}
