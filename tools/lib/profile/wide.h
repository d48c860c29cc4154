/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Discriminators with more than 24 bits. libdw reads only 24 bits. The flow-sensitive
 * discriminators of LLVM are longer, and so are those that contain the number of a
 * pseudo-probe.
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

/* Set all members to 0 first. The caller frees v. */
struct prof_wide {
	struct prof_wide_row *v; /* ordered by address */
	size_t nr, cap;
};

/*
 * Add the discriminators of a unit. Its line table begins at p and has at most size
 * bytes. swap means that it has the other byte order. Damaged data end the reading.
 * Returns false if out of memory.
 */
bool prof_wide_read(struct prof_wide *wide, const void *p, size_t size, bool swap);

/*
 * Returns the full discriminator of the row at an address. discriminator is the part that
 * is known.
 */
uint32_t prof_wide_find(const struct prof_wide *wide, uint64_t addr,
			uint32_t discriminator);

#endif
