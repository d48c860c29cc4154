/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions and source lines for the locations of a profile, from files of this machine.
 */
#ifndef EXPORT_NAMES_H
#define EXPORT_NAMES_H

#include "base/notes.h"
#include "countfile/countfile.h"
#include "image/demangle.h"
#include "image/image.h"
#include "pprof/pprof.h"

struct export_names {
	struct img *img; /* set by the caller; NULL: nothing is named */
	struct img_demangler *demangler; /* NULL: symbols stay as they are */
	const struct cf_head *head;
	struct img_file **files; /* by binary; NULL: not opened yet, or none */
	uint64_t nr_nameless_in_modules; /* places */
};

/* Begin. Returns false if out of memory. Call export_names_end() in either case. */
bool export_names_begin(struct export_names *names, struct img *img, bool demangle,
			const struct cf_head *head);

/*
 * Add the functions at an offset of a binary to the newest location, the innermost one
 * first, if they are known. addr is the address of the place, and base that of the symbol of
 * a kernel.
 */
void export_names_add(struct export_names *names, struct pprof *p, uint32_t binary,
		      uint64_t offset, uint64_t addr, uint64_t base);

/* End. A note tells how many binaries have no names. */
void export_names_end(struct export_names *names, struct notes *notes);

#endif
