/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a tally: counting (tally) and writing (write). */
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
	/* when it was recorded, ns since 1970; begin 0: not known */
	uint64_t begin, end;
	bool all_branches;
};

#endif
