/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Profiles that wait to be sent: files in a folder, oldest first. Each file is there as a
 * whole or not at all, also after SIGKILL. Its name tells its place in the order, and the
 * time of the profile. Other files in the folder are left alone. The folder is one by
 * own_folder() (base/own.h), and no link in it is followed.
 */
#ifndef EXPORT_SPOOL_H
#define EXPORT_SPOOL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define EXPORT_SPOOL_ASIDE ".unreadable"

struct export_spool_item {
	uint64_t number; /* the order in which they came */
	uint64_t begin, end; /* s since 1970 */
	uint64_t size; /* bytes */
};

/* Nobody else uses the folder as long as it is open. */
struct export_spool {
	const char *path; /* belongs to the caller */
	const char *suffix; /* of the names; the same */
	int fd;
	struct export_spool_item *items; /* the oldest first */
	size_t nr, cap;
};

/*
 * Open the folder, which is created if it is missing, and wait until nobody else uses it.
 * Only files with names that end in suffix belong to the spool. Returns 0, or ERROR_* with
 * a text. Call export_spool_close() in either case.
 */
int export_spool_open(struct export_spool *spool, const char *path, const char *suffix,
	       struct error *error);

/*
 * Add size bytes, which are then on the disk. If the newest item has the same time and the
 * same bytes, nothing is added. If the spool would have more than limit bytes, the oldest
 * items are removed first, and *dropped grows by their number. Returns 0, ERROR_INPUT if
 * the bytes are more than limit, or ERROR_OUTPUT if they cannot be written.
 */
int export_spool_add(struct export_spool *spool, const struct export_spool_item *item,
		     const void *bytes, uint64_t limit, uint64_t *dropped, struct error *error);

/*
 * Read items[at], which is a whole file of gzip if its name says so. The caller frees *bytes.
 * Returns 0, ERROR_INPUT with a text if this item cannot be read, or another ERROR_* if nothing
 * can be read for now.
 */
int export_spool_read(const struct export_spool *spool, size_t at, uint8_t **bytes,
		      struct error *error);

/*
 * Let items[at] be none any more. Its file has EXPORT_SPOOL_ASIDE behind its name then.
 * Returns 0, or ERROR_* with a text.
 */
int export_spool_set_aside(struct export_spool *spool, size_t at, struct error *error);

/* Remove items[at]. Returns 0, or ERROR_OUTPUT if it is still there. */
int export_spool_remove(struct export_spool *spool, size_t at, struct error *error);

void export_spool_close(struct export_spool *spool);

#endif
