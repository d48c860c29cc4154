/* SPDX-License-Identifier: GPL-2.0-only */
/* Data that is read from its front to its end, and may be cut short. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is left. Behind a field that does not fit there is nothing for good. */
struct cursor {
	const uint8_t *p, *end;
	bool swap; /* numbers are of the other byte order */
	bool cut; /* something did not fit */
};

/* Are there size bytes left? Else nothing is from now on. */
static inline bool cursor_has(struct cursor *c, uint64_t size)
{
	if (size <= (uint64_t)(c->end - c->p))
		return true;
	c->p = c->end;
	c->cut = true;
	return false;
}

/* The next size bytes; NULL if there are not so many. */
static inline const uint8_t *cursor_take(struct cursor *c, uint64_t size)
{
	const uint8_t *p = c->p;

	if (!cursor_has(c, size))
		return NULL;
	c->p += size;
	return p;
}

/* They are copied; to is as it was if there are not so many. */
static inline void cursor_copy(struct cursor *c, void *to, size_t size)
{
	if (!cursor_has(c, size))
		return;
	memcpy(to, c->p, size);
	c->p += size;
}

/* nr elements of size bytes each, whatever nr is. */
static inline const uint8_t *cursor_array(struct cursor *c, uint64_t nr,
					  unsigned int size)
{
	return cursor_take(c, nr > UINT64_MAX / size ? UINT64_MAX : nr * size);
}

/* The next number; 0 if it is cut. */
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

/* What numbers of LEB128 begin with: 7 bits a byte, of 64 bits at most. */
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

/* A number of as many bytes as it needs; 0 if it is cut, or has more than 64 bits. */
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

	/* The last byte's highest bit is the sign. */
	return last & 0x40 && bits < 64 ? v | UINT64_MAX << bits : v;
}

#endif
