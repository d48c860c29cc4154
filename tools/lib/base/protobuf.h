/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Protocol buffers, as far as profiles need them: numbers, fixed numbers of 64 bits, and
 * fields that have a length and bytes.
 *
 *	pb_number(&inner, 1, 5);
 *	pb_message(&outer, 3, &inner);
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message that is being made. Set all members to 0 first. The caller frees v. */
struct pb {
	uint8_t *v;
	size_t nr, cap;
	bool failed; /* out of memory; nothing more is added then */
};

/* Add a number without a field, for an element of a packed array. */
void pb_varint(struct pb *m, uint64_t value);

/* Add a number. 0 is left out, because this is what a missing field means. */
void pb_number(struct pb *m, unsigned int field, uint64_t value);
void pb_fixed64(struct pb *m, unsigned int field, uint64_t value);

/* Add bytes that are no field, for instance compressed ones. */
void pb_append(struct pb *m, const void *bytes, size_t size);

/* Add a field of bytes, also an empty one. */
void pb_bytes(struct pb *m, unsigned int field, const void *bytes, size_t size);

/*
 * Add a text, also an empty one. Bytes that are not UTF-8 become U+FFFD, because readers
 * refuse a message with them.
 */
void pb_text(struct pb *m, unsigned int field, const char *s);

/* Add a message or a packed array, also an empty one. inner is empty after that. */
void pb_message(struct pb *m, unsigned int field, struct pb *inner);

/* A field that was read. */
struct pb_field {
	unsigned int nr;
	uint64_t number; /* of a field with bytes: how many */
	const uint8_t *bytes; /* NULL: a number */
};

/*
 * Read the next field of a message from *p on. Returns false after the last field, and if
 * the message is damaged.
 */
bool pb_next(const uint8_t **p, const uint8_t *end, struct pb_field *field);

#endif
