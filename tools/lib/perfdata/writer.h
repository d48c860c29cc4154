/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a perf.data: a file that is there whole or not at all, or the form for
 * pipes, where what a file has in its header comes as records.
 *
 *	ret = pdw_open(&w, path);
 *	pdw_add_event(w, &attr, "cycles:u", ids, nr_ids);
 *	pdw_add_text(w, PDW_HOSTNAME, name);
 *	ret = pdw_start(w);
 *	while (...)
 *		ret = pdw_write(w, records, size);
 *	ret = pdw_close(w, ret == 0);
 *
 * Functions that return an int return 0, or -1 with errno set; after a failure all
 * fail again with the same errno.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;
struct pdw;

/* The sections of the header, by perf's numbers. */
enum pdw_section {
	PDW_TRACING_DATA = 1,
	PDW_BUILD_ID = 2,
	PDW_HOSTNAME = 3,
	PDW_OSRELEASE = 4,
	PDW_VERSION = 5,
	PDW_ARCH = 6,
	PDW_NRCPUS = 7,
	PDW_TOTAL_MEM = 10,
	PDW_CMDLINE = 11,
	PDW_EVENT_DESC = 12, /* written by itself */
	PDW_BRANCH_STACK = 15, /* empty: samples have branch stacks */
	PDW_SAMPLE_TIME = 21,
	PDW_CLOCKID = 23,
	PDW_CPU_PMU_CAPS = 28,
	PDW_NR_SECTIONS,
};

/*
 * Create the file, or write to standard output ("-") in the form for pipes. NULL
 * with errno set on failure.
 */
struct pdw *pdw_open(const char *path);

/* Before pdw_start(). The name and the ids are copied; attr->size bytes count. */
int pdw_add_event(struct pdw *w, const struct perf_event_attr *attr,
		  const char *name, const uint64_t *ids, size_t nr_ids);

/*
 * Append to a section of the header; what is added after pdw_start() is only in
 * files. A section that is added with no bytes is there, and empty.
 */
int pdw_add(struct pdw *w, enum pdw_section section, const void *data,
	    size_t size);
int pdw_add_u32(struct pdw *w, enum pdw_section section, uint32_t value);
int pdw_add_text(struct pdw *w, enum pdw_section section, const char *text);

/*
 * A build id of size bytes for the section of these: of the kernel, or of a module
 * or a file by the name that its mapping has.
 */
int pdw_add_build_id(struct pdw *w, bool kernel, const char *name,
		     const uint8_t *id, size_t size);

/* All events are known: write what stands before the records. */
int pdw_start(struct pdw *w);

/* Whole records, as the kernel made them. */
int pdw_write(struct pdw *w, const void *records, size_t size);

/*
 * A record of a kind that has a header alone: PERF_RECORD_FINISHED_ROUND,
 * FINISHED_INIT.
 */
enum { PDW_FINISHED_ROUND = 68, PDW_FINISHED_INIT = 82 };
int pdw_mark(struct pdw *w, uint32_t type);

/* Bytes of records so far. */
uint64_t pdw_size(const struct pdw *w);

/*
 * Complete the file, or drop it if it is not to be kept. Frees w in every case;
 * NULL is allowed. 0, or -1 with errno of the first failure.
 */
int pdw_close(struct pdw *w, bool keep);

#endif
