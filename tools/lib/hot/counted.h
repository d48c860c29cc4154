/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is hot by a counts file. A counts file has no mappings. So this makes an address
 * space in which each of its binaries is mapped once.
 *
 *	hot_counted_open(&counted, reader, &opts, &error);
 *	hot_begin(&hot, counted.code, HOT_SUMS | ...);
 *	hot_counted_add(&counted, &hot, &error);
 *	hot_find(&hot);
 */
#ifndef HOT_COUNTED_H
#define HOT_COUNTED_H

#include "countfile/countfile.h"
#include "hot/hot.h"
#include "samples/samples.h"

struct hot_counted {
	struct cf_reader *reader;
	struct pd_space *space;
	struct img *img;
	struct path_code *code;
	struct path_place *starts; /* by binary: the place of offset 0 */
	/* Kernels of other builds than the one whose functions have names. */
	unsigned int nr_nameless;
	/* Transfers whose two ends are in memory without a file. */
	uint64_t unplaced;
	/* The weight of the lines without a length there (cf_lacks_length()). */
	uint64_t lacking;
};

/*
 * Make the address space. reader has read nothing yet, belongs to the caller, and must
 * exist as long as *counted. opts says where code is. Returns 0, or ERROR_* with a text.
 * Call hot_counted_close() in either case.
 */
int hot_counted_open(struct hot_counted *counted, struct cf_reader *reader,
		     const struct samples_opts *opts, struct error *error);

/*
 * Add all steps to *hot, which was begun with HOT_SUMS. Returns 0, or ERROR_* with a text.
 */
int hot_counted_add(struct hot_counted *counted, struct hot *hot,
		    struct error *error);

void hot_counted_close(struct hot_counted *counted);

#endif
