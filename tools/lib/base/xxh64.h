/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * XXH64, with the seed 0: a checksum of 64 bits that is nearly as fast as memory. It finds
 * damage. It does not protect against an attacker.
 */
#ifndef BASE_XXH64_H
#define BASE_XXH64_H

#include <stddef.h>
#include <stdint.h>

struct xxh64 {
	uint64_t lanes[4];
	uint64_t size; /* of all bytes so far */
	uint8_t rest[32]; /* the last size % 32 bytes */
};

void xxh64_begin(struct xxh64 *x);

/* Add bytes. They may be cut into pieces anywhere. */
void xxh64_add(struct xxh64 *x, const void *p, size_t size);

/* Returns the checksum of all bytes so far. */
uint64_t xxh64_end(const struct xxh64 *x);

#endif
