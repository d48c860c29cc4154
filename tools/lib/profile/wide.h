/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Discriminators of more than 24 bits, of which libdw keeps only these: LLVM's
 * flow-sensitive ones, and those that have the number of a pseudo-probe.
 */
#ifndef PROFILE_WIDE_H
#define PROFILE_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prof_wide_row {
	uint64_t addr;
	uint32_t discriminator;
};

/* All 0 before the first; the caller frees v. */
struct prof_wide {
	struct prof_wide_row *v; /* by address */
	size_t nr, cap;
};

/*
 * Add those of a unit, whose table of lines begins the size bytes at p; swap: they are
 * of the other byte order. What is damaged ends it. False: out of memory.
 */
bool prof_wide_read(struct prof_wide *wide, const void *p, size_t size, bool swap);

/* The discriminator of the row at an address, of which that much is known. */
uint32_t prof_wide_find(const struct prof_wide *wide, uint64_t addr,
			uint32_t discriminator);

#endif
