/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write a perf.data. A file is complete, or it does not exist. "-" has the form for
 * pipes, in which records contain what a file has in its header.
 *
 *	w = pdw_open(path, &error);
 *	pdw_add_event(w, &attr, "cycles:u", ids, nr_ids);
 *	pdw_add_text(w, PD_SEC_HOSTNAME, name);
 *	ret = pdw_start(w);
 *	while (...)
 *		ret = pdw_write(w, records, size);
 *	ret = pdw_close(w, ret == 0);
 *
 * Functions that return an int return 0, ERROR_OUTPUT or ERROR_NOMEM. The error that was
 * passed to pdw_open() has the text of the first failure. After a failure, all later
 * calls fail, too.
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
 * Create the file. If path is "-", write to standard output in the form for pipes. path
 * and error must exist as long as the object. Returns NULL on failure, and *error has the
 * reason.
 */
struct pdw *pdw_open(const char *path, struct error *error);

/*
 * Add an event. Call this before pdw_start(). The arguments must exist until pdw_start(),
 * and ids until pdw_close().
 * The first attr->size bytes of attr are used.
 */
int pdw_add_event(struct pdw *w, const struct perf_event_attr *attr,
		  const char *name, const uint64_t *ids, size_t nr_ids);

/*
 * Append data to a section of the header. The section EVENT_DESC is written without a
 * call. What is added after pdw_start() is only in files. A section that is added with 0
 * bytes exists and is empty.
 */
int pdw_add(struct pdw *w, enum pd_section section, const void *data,
	    size_t size);
int pdw_add_u32(struct pdw *w, enum pd_section section, uint32_t value);
int pdw_add_text(struct pdw *w, enum pd_section section, const char *text);

/*
 * Add a build id of size bytes to the section of build ids. It belongs to the kernel, or
 * to a module or file with the name that its mapping has.
 */
int pdw_add_build_id(struct pdw *w, bool kernel, const char *name,
		     const uint8_t *id, size_t size);

/* Write what stands before the records. Call this when all events are added. */
int pdw_start(struct pdw *w);

/*
 * From now on, an output that takes no more is no failure: the disk is full, or nobody
 * reads the pipe any more. What fits is kept, and place for the end of the file is held
 * free. If the end still does not fit, pdw_close() fails, but the file stays under its
 * temporary name, and can be read as that of a killed writer. Records that come later are
 * dropped, and pdw_write() returns 0. SIGPIPE must be ignored.
 */
void pdw_drop_when_full(struct pdw *w);

/* Returns 0, or the errno with which the output refused a record. */
int pdw_full(const struct pdw *w);

/* Returns how many samples of event i were dropped. Their first word is their id. */
uint64_t pdw_dropped(const struct pdw *w, size_t i);

/* Write records that tell of the end. They may use the place that was held free. */
int pdw_write_last(struct pdw *w, const void *records, size_t size);

/* Write whole records, as the kernel made them. */
int pdw_write(struct pdw *w, const void *records, size_t size);

/*
 * Write a record that consists of a header only: PD_USER_FINISHED_ROUND or
 * PD_USER_FINISHED_INIT.
 */
int pdw_mark(struct pdw *w, uint32_t type);

/* Returns the number of bytes of records so far. */
uint64_t pdw_size(const struct pdw *w);

/* Returns the number of bytes that the whole recording would have if it were closed now. */
uint64_t pdw_whole_size(const struct pdw *w);

/*
 * Complete the file, or remove it if keep is false. keep may be true after ERROR_OUTPUT, too,
 * so that pdw_drop_when_full() can keep what fits. Frees w in every case. w may be NULL.
 */
int pdw_close(struct pdw *w, bool keep);

#endif
