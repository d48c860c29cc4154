/* SPDX-License-Identifier: GPL-2.0-only */
/* Which file is mapped, as MMAP2 records tell it: by its inode, or better by its build id. */
#ifndef RECORDER_MAPPED_H
#define RECORDER_MAPPED_H

#include "base/hash.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RCD_MISC_BUILD_ID = 1 << 14, /* in header.misc: the file is known by it */
	RCD_BUILD_ID_MAX = 20,
};

union rcd_file {
	struct {
		uint8_t size, unused[3];
		uint8_t id[RCD_BUILD_ID_MAX];
	} build_id;
	struct {
		uint32_t major, minor;
		uint64_t inode, generation;
	} inode;
};

/* The files whose build ids were looked for. Set all members to 0 first. */
struct rcd_files {
	struct rcd_known_file *v;
	size_t nr, cap;
	struct hash index;
};

void rcd_files_free(struct rcd_files *files);

/*
 * Take the file's build id in the place of its inode. maps is the file /proc/PID/maps in
 * which the kernel knows what is mapped at the address; -1: it was asked already. path is
 * the name of the mapping. Returns whether the file has one.
 */
bool rcd_find_build_id(struct rcd_files *files, union rcd_file *file, int maps, uint64_t address,
		       const char *path);

/*
 * Store the name of what is mapped at an address, as it is, and not as the lines of
 * /proc/PID/maps have it. maps is this file. Returns false if the kernel does not tell it.
 */
bool rcd_ask_name(int maps, uint64_t address, char *name, size_t size);

/* An MMAP2 record. What follows the name ends it. */
struct rcd_mapping {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	union rcd_file file;
	uint32_t prot, flags;
	char name[PATH_MAX + 256];
};

/*
 * Copy a record of the kernel with the build id that the kernel did not find. Returns
 * false if the record is of something else, or the file has none: *out is then undefined.
 */
bool rcd_add_build_id(struct rcd_files *files, struct rcd_mapping *out, const void *record);

#endif
