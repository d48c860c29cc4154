// SPDX-License-Identifier: GPL-2.0-only
#include "tally/sort.h"

static uint64_t word_of(const struct tally_entry *entry, unsigned int word)
{
	return entry->key[word];
}

#define RADIX_SORT sort_entries
#define RADIX_ITEM struct tally_entry
#define RADIX_WORDS TALLY_KEY_WORDS
#define RADIX_KEY word_of
#include "base/radix.h"

void tally_sort(struct tally_entry *v, size_t nr)
{
	sort_entries(v, nr);
}
