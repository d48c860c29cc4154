// SPDX-License-Identifier: GPL-2.0-only
#include "base/hash.h"

#include <stdlib.h>

enum { START = 64 };

bool hash_grow(struct hash *h)
{
	size_t nr = h->slots ? h->mask + 1 : 0, i;
	struct hash more = { .nr = h->nr };

	if (h->nr >= UINT32_MAX / 2)
		return false;
	more.mask = (nr ? 2 * nr : START) - 1;
	more.slots = calloc(more.mask + 1, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (i = 0; i < nr; i++) {
		struct hash_slot *slot = hash_first(&more, h->slots[i].hash);

		if (!h->slots[i].number)
			continue;
		while (slot->number)
			slot = hash_next(&more, slot);
		*slot = h->slots[i];
	}
	free(h->slots);
	*h = more;
	return true;
}

void hash_free(struct hash *h)
{
	free(h->slots);
	*h = (struct hash){ 0 };
}

/* FNV-1a. */
uint32_t hash_bytes(uint32_t begin, const void *p, size_t size)
{
	const uint8_t *byte = p, *end = byte + size;
	uint32_t hash = begin ^ 2166136261u;

	while (byte < end)
		hash = (hash ^ *byte++) * 16777619u;
	return hash;
}
