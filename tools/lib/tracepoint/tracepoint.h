/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of tracepoints, as a recording describes them: it holds the kernel's
 * format files, which libtraceevent reads. A field is looked up once, by name; a
 * sample is then read by offset.
 */
#ifndef TRACEPOINT_H
#define TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp;

/* Where a field is in a sample's raw data. */
struct tp_field {
	uint32_t offset;
	uint8_t size; /* bytes; of an array, those of an element */
	bool is_signed;
	bool is_array; /* elsewhere in the data: its place and size stand here */
	bool is_relative; /* that place is counted from the field's end */
	bool swap; /* the recording is of the other byte order */
};

/*
 * data, of size bytes, is what perf records as the tracing data, see
 * pd_tracing_data(); it is not needed afterwards. size may be 0: no tracepoint is
 * known then. Returns 0 with *tp set, ERROR_INPUT if it is damaged or cut short, or
 * ERROR_NOMEM, with *tp NULL.
 */
int tp_new(struct tp **tp, const void *data, size_t size);

/* NULL is allowed. */
void tp_free(struct tp *tp);

/*
 * What the tracepoint with that number is called: false if it is not described.
 * The texts are valid as long as tp.
 */
bool tp_name(const struct tp *tp, uint64_t id, const char **system,
	     const char **name);

/* A field of the tracepoint with that number: false if it has no such field. */
bool tp_find_field(struct tp *tp, uint64_t id, const char *name,
		   struct tp_field *field);

/*
 * A number out of a sample's raw data. False: the data does not reach so far, or
 * the field is no number of up to 8 bytes.
 */
bool tp_number(const struct tp_field *field, const uint8_t *raw,
	       uint32_t raw_size, uint64_t *value);

/*
 * The bytes of an array or a text, inside raw. False: the field is no array, or
 * reaches beyond the data.
 */
bool tp_array(const struct tp_field *field, const uint8_t *raw,
	      uint32_t raw_size, const uint8_t **array, uint32_t *size);

/* Element i of an array of numbers. (i + 1) * field->size bytes are there. */
uint64_t tp_element(const struct tp_field *field, const uint8_t *array,
		    uint32_t i);

#endif
