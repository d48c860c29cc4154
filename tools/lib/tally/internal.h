/* SPDX-License-Identifier: GPL-2.0-only */
/* The components of a tally: counting (tally), writing (write), and writing early (spill). */
#ifndef TALLY_INTERNAL_H
#define TALLY_INTERNAL_H

#include "base/hash.h"
#include "profile/places.h"
#include "tally/tally.h"

/* How many samples fell on a place. */
struct tally_ip {
	count_place place;
	uint64_t count;
};

struct tally {
	const struct samples_opts *opts;
	struct prof_places places;
	struct counts counts;
	struct tally_ip *ips; /* each place once */
	size_t nr_ips, cap_ips;
	struct hash by_ip;
	struct cf_event *events; /* each name once */
	size_t nr_events, cap_events;
	uint64_t depth; /* transfers of the deepest stack */
	uint64_t lost, dropped;
	/* The events that a sample in memory stands for, 0: none; and see tally_was_part(). */
	double each, part;
	uint64_t call_stacks; /* samples that were left out: count_is_call_stack() */
	/* when it was recorded, ns since 1970; begin 0: not known */
	uint64_t begin, end;
	bool all_branches;
	size_t memory; /* bytes that the counts may take; 0: any */
	int *parts; /* temporary counts files of what was counted before */
	size_t nr_parts, cap_parts;
	uint64_t spilled; /* samples in the parts */
};

/* Returns a weight, 0 or more, times a factor. Nothing that ran becomes nothing. */
static inline uint64_t tally_scaled(uint64_t weight, double factor)
{
	const double scaled = weight * factor + 0.5;

	if (factor == 1 || !weight)
		return weight;
	return scaled < 1 ? 1 : scaled < 0x1p63 ? (uint64_t)scaled : (uint64_t)1 << 63;
}

/* Write all that is in memory, as tally_write() does. */
int tally_write_counts(const struct tally *tally, const char *path,
		       const struct cf_source *source, uint64_t begin, uint64_t end,
		       uint64_t most, struct error *error);

/*
 * Store the binaries, each once and sorted by identity, with the names that they have in a
 * counts file. v has room for all of places. Returns how many there are. The strings belong
 * to the places.
 */
size_t tally_name_binaries(const struct tally *tally, struct cf_binary *v);

/* Returns whether the counts take the memory that they may take. */
bool tally_is_full(const struct tally *tally);

/*
 * Write what is in memory into one more part, and forget it. Returns 0, or ERROR_* with a
 * text.
 */
int tally_spill(struct tally *tally, struct error *error);

/* Close the parts, which removes them. */
void tally_close_parts(struct tally *tally);

#endif
