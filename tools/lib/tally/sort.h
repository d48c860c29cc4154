/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sort what a tally has: hundreds of thousands of steps, whose order three words tell. A library's
 * qsort() took a tenth of the instructions of counting a recording.
 */
#ifndef TALLY_SORT_H
#define TALLY_SORT_H

#include <stddef.h>
#include <stdint.h>

enum { TALLY_KEY_WORDS = 3 };

/* The key has all that decides what comes first, and its first word decides most. */
struct tally_entry {
	uint64_t key[TALLY_KEY_WORDS];
	uint32_t number;
};

/* Returns less than 0, 0 or more, as memcmp() does. */
static inline int tally_compare_entries(const struct tally_entry *a, const struct tally_entry *b)
{
	unsigned int i;

	for (i = 0; i < TALLY_KEY_WORDS - 1 && a->key[i] == b->key[i]; i++)
		;
	return a->key[i] < b->key[i] ? -1 : a->key[i] > b->key[i];
}

/* In place. Which of several equal entries comes first is not determined. */
void tally_sort(struct tally_entry *v, size_t nr);

#endif
