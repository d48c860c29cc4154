/* SPDX-License-Identifier: GPL-2.0-only */
/* Sort what a tally has: hundreds of thousands of steps, whose order three words tell. */
#ifndef TALLY_SORT_H
#define TALLY_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TALLY_KEY_WORDS = 3 };

/* The key has all that decides what comes first, and its first word decides most. */
struct tally_entry {
	uint64_t key[TALLY_KEY_WORDS];
	uint32_t number;
};

static inline bool tally_entries_are_equal(const struct tally_entry *a, const struct tally_entry *b)
{
	return !memcmp(a->key, b->key, sizeof(a->key));
}

/* In place. Which of several equal entries comes first is not determined. */
void tally_sort(struct tally_entry *v, size_t nr);

#endif
