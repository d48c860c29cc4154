/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of a counts file as bytes: fields with a tag and a size. */
#ifndef COUNTFILE_HEAD_H
#define COUNTFILE_HEAD_H

#include "countfile/countfile.h"

/*
 * Check what each head promises: order, ranges, and that each thing comes once. Returns NULL,
 * or what is wrong: "the sources".
 */
const char *cf_head_check(const struct cf_head *head);

/*
 * Store the bytes of a head, which the caller frees, and the number of its fields. Returns
 * false if out of memory.
 */
bool cf_head_encode(const struct cf_head *head, char **bytes, size_t *size,
		    uint32_t *fields);

/*
 * Read a head of so many fields from bytes. Call cf_head_free() in each case. Returns 0, or
 * ERROR_* with a text that does not name the file.
 */
int cf_head_decode(struct cf_head *head, const uint8_t *bytes, size_t size,
		   uint32_t nr_fields, struct error *error);

#endif
