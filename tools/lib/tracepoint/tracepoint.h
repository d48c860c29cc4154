/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of tracepoints. A recording contains the kernel's format files, which
 * libtraceevent reads. A field is searched once, by its name. After that, it is read from
 * each sample by its offset.
 */
#ifndef TRACEPOINT_H
#define TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp;

/* The place of a field in the raw data of a sample. */
struct tp_field {
	uint32_t offset;
	uint8_t size; /* bytes; for an array, the bytes of one element */
	bool is_signed;
	/* the data are at another place; the field has their place and size */
	bool is_array;
	bool is_relative; /* this place counts from the end of the field */
	bool swap; /* the recording has the other byte order */
};

/*
 * Read the formats. data has size bytes, which perf records as the tracing data
 * (pd_tracing_data()). They are not needed after the call. size may be 0: no tracepoint
 * is known then. Returns 0 and sets *tp. Otherwise returns ERROR_INPUT if the data are
 * damaged or cut short, or ERROR_NOMEM, with NULL in *tp.
 */
int tp_new(struct tp **tp, const void *data, size_t size);

/* tp may be NULL. */
void tp_free(struct tp *tp);

/*
 * Store the names of the tracepoint with this number. Returns false if there is no
 * description of it. The texts are valid as long as tp.
 */
bool tp_name(const struct tp *tp, uint64_t id, const char **system,
	     const char **name);

/* Find a field of the tracepoint with this number. Returns false if it has no such field. */
bool tp_find_field(struct tp *tp, uint64_t id, const char *name,
		   struct tp_field *field);

/*
 * Read a number from the raw data of a sample. Returns false if the data are too short,
 * or if the field is not a number of up to 8 bytes.
 */
bool tp_number(const struct tp_field *field, const uint8_t *raw,
	       uint32_t raw_size, uint64_t *value);

/*
 * Find the bytes of an array or of a text in the raw data. *size is in bytes. Returns
 * false if the field is not an array, or if it reaches beyond the data.
 */
bool tp_array(const struct tp_field *field, const uint8_t *raw,
	      uint32_t raw_size, const uint8_t **array, uint32_t *size);

/*
 * Returns element i of an array of numbers. array must have at least (i + 1) *
 * field->size bytes.
 */
uint64_t tp_element(const struct tp_field *field, const uint8_t *array,
		    uint32_t i);

#endif
