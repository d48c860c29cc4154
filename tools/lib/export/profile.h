/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile of a counts file, as continuous profilers know profiles.
 *
 * Its samples have three values:
 *
 *	samples		the samples that fell on an address, which is the whole stack
 *	instructions	the instructions of the straight lines that began at an address
 *	calls		the calls from an address to another one, a stack of the two
 *
 * The sums of the last two are corrected by weights, as all counts of branch stacks are
 * (count/weigh.h). So their shares are right, and they add up to what all branch stacks
 * had.
 *
 * An address is an offset in a file plus EXPORT_BASE, as if the file had been mapped there.
 * Who knows the file and its segments finds the symbol by that, in the usual way. In a module
 * of the kernel, it is the distance from where that was loaded. Addresses of the kernel itself
 * are distances from its symbol plus EXPORT_KERNEL.
 */
#ifndef EXPORT_PROFILE_H
#define EXPORT_PROFILE_H

#include "base/error.h"
#include "base/md5.h"
#include "base/notes.h"
#include "countfile/countfile.h"
#include "image/image.h"
#include "pprof/pprof.h"

/* Not 0, because readers take a mapping at 0 for one of all addresses. */
#define EXPORT_BASE UINT64_C(0x10000)
/* Where Linux is linked on RISC-V. */
#define EXPORT_KERNEL UINT64_C(0xffffffff80000000)

/*
 * Memory is bounded by these. If there are more, the profile tells what was left out. The
 * calls with the highest counts stay. Of addresses, instructions and samples decide together,
 * each by its share. Lines to one address come from many places. So an address that was left
 * out while reading, and comes again, has lost its earlier instructions.
 */
enum {
	EXPORT_MOST_PLACES = 160000, /* with instructions or samples */
	EXPORT_MOST_CALLS = 40000, /* from one address to another one */
};

enum { EXPORT_SAMPLES, EXPORT_INSTRUCTIONS, EXPORT_CALLS, EXPORT_NR_VALUES };

/* A place in a binary. The location with the next number is its own. */
struct export_place {
	uint32_t binary;
	uint64_t offset;
	uint64_t samples;
	uint64_t executed; /* weights of lines, each multiplied by its instructions */
};

struct export_profile {
	struct pprof pprof;
	const struct cf_head *head; /* of the reader, which must exist as long */
	struct export_place *places;
	size_t nr_places, cap_places;
	struct hash place_index;
	uint32_t *mappings; /* by binary; 0: it has none */
	/* the same for the same sources and totals, so that a receiver knows it again */
	uint8_t id[MD5_SIZE];
};

/* Where the names of functions come from. */
struct export_naming {
	struct img *img; /* the files of this machine; NULL: none is looked into */
	bool named; /* functions have names; otherwise, the receiver finds them */
	bool mangled; /* names stay as the linker knows them */
};

/*
 * Read all steps and samples of a counts file. Notes are added about the coverage of the
 * counts, and about what is not in the profile. Returns 0, or ERROR_* with a text. Call
 * export_profile_free() in either case.
 */
int export_profile_read(struct export_profile *profile, struct cf_reader *reader,
			const struct export_naming *naming, struct notes *notes,
			struct error *error);

void export_profile_free(struct export_profile *profile);

#endif
