/* SPDX-License-Identifier: GPL-2.0-only */
/* Read data from the front to the end. The data may be cut short. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is left of the data. After a field that does not fit, nothing is left. */
struct cursor {
	const uint8_t *p, *end;
	bool swap; /* numbers have the other byte order */
	bool cut; /* a field did not fit */
};

/* Returns whether size bytes are left. If not, nothing is left from now on. */
static inline bool cursor_has(struct cursor *c, uint64_t size)
{
	if (size <= (uint64_t)(c->end - c->p))
		return true;
	c->p = c->end;
	c->cut = true;
	return false;
}

/* Returns the next size bytes, or NULL if fewer bytes are left. */
static inline const uint8_t *cursor_take(struct cursor *c, uint64_t size)
{
	const uint8_t *p = c->p;

	if (!cursor_has(c, size))
		return NULL;
	c->p += size;
	return p;
}

/* Copy the next size bytes. *to does not change if fewer bytes are left. */
static inline void cursor_copy(struct cursor *c, void *to, size_t size)
{
	if (!cursor_has(c, size))
		return;
	memcpy(to, c->p, size);
	c->p += size;
}

/*
 * Returns nr elements of size bytes each, or NULL if they are not there. nr can be any
 * number.
 */
static inline const uint8_t *cursor_array(struct cursor *c, uint64_t nr,
					  unsigned int size)
{
	return cursor_take(c, nr > UINT64_MAX / size ? UINT64_MAX : nr * size);
}

/* Returns the next number, or 0 if the data are cut. */
static inline uint32_t cursor_u32(struct cursor *c)
{
	uint32_t v = 0;

	cursor_copy(c, &v, sizeof(v));
	return c->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	uint64_t v = 0;

	cursor_copy(c, &v, sizeof(v));
	return c->swap ? __builtin_bswap64(v) : v;
}

/* The common part of the LEB128 numbers: 7 bits in each byte, at most 64 bits. */
static inline uint64_t cursor_leb(struct cursor *c, unsigned int *bits,
				  uint8_t *last)
{
	uint64_t v = 0;

	*bits = 0;
	do {
		if (*bits > 63)
			c->end = c->p; /* no number is that long */
		*last = 0;
		cursor_copy(c, last, 1);
		v |= *bits > 63 ? 0 : (uint64_t)(*last & 0x7f) << *bits;
		*bits += 7;
	} while (*last & 0x80);
	return c->cut ? 0 : v;
}

/*
 * Returns a number that has as many bytes as it needs. Returns 0 if it is cut or has more
 * than 64 bits.
 */
static inline uint64_t cursor_uleb(struct cursor *c)
{
	unsigned int bits;
	uint8_t last;

	return cursor_leb(c, &bits, &last);
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	unsigned int bits;
	uint8_t last;
	uint64_t v = cursor_leb(c, &bits, &last);

	/* The highest of the 7 bits in the last byte is the sign. */
	return last & 0x40 && bits < 64 ? v | UINT64_MAX << bits : v;
}

#endif
