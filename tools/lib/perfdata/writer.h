/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a perf.data: a file that is there whole or not at all, or the form for
 * pipes, where what a file has in its header comes as records.
 *
 *	w = pdw_open(path, &error);
 *	pdw_add_event(w, &attr, "cycles:u", ids, nr_ids);
 *	pdw_add_text(w, PD_SEC_HOSTNAME, name);
 *	ret = pdw_start(w);
 *	while (...)
 *		ret = pdw_write(w, records, size);
 *	ret = pdw_close(w, ret == 0);
 *
 * Functions that return an int return 0, ERROR_OUTPUT or ERROR_NOMEM. What went wrong
 * first is told by the error that was given to pdw_open(), and after it all fail again.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include "base/error.h"
#include "perfdata/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;
struct pdw;

/*
 * Create the file, or write to standard output ("-") in the form for pipes. Path and
 * error have to outlive it. NULL: *error says why not.
 */
struct pdw *pdw_open(const char *path, struct error *error);

/* Before pdw_start(), until which all has to stay. Of attr, attr->size bytes count. */
int pdw_add_event(struct pdw *w, const struct perf_event_attr *attr,
		  const char *name, const uint64_t *ids, size_t nr_ids);

/*
 * Append to a section of the header, of which EVENT_DESC is written by itself. What is
 * added after pdw_start() is only in files. A section that is added with no bytes is
 * there, and empty.
 */
int pdw_add(struct pdw *w, enum pd_section section, const void *data,
	    size_t size);
int pdw_add_u32(struct pdw *w, enum pd_section section, uint32_t value);
int pdw_add_text(struct pdw *w, enum pd_section section, const char *text);

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

/* A record that has a header alone: PD_USER_FINISHED_ROUND, PD_USER_FINISHED_INIT. */
int pdw_mark(struct pdw *w, uint32_t type);

/* Bytes of records so far. */
uint64_t pdw_size(const struct pdw *w);

/*
 * Complete the file, or drop it if it is not to be kept. Frees w in every case;
 * NULL is allowed.
 */
int pdw_close(struct pdw *w, bool keep);

#endif
