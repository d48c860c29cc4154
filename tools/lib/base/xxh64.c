// SPDX-License-Identifier: GPL-2.0-only
#include "base/xxh64.h"

#include <endian.h>
#include <string.h>

#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME_3 UINT64_C(0x165667b19e3779f9)
#define PRIME_4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME_5 UINT64_C(0x27d4eb2f165667c5)

static uint64_t turn(uint64_t v, unsigned int bits)
{
	return v << bits | v >> (64 - bits);
}

static uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static uint64_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint64_t mix(uint64_t lane, uint64_t word)
{
	return turn(lane + word * PRIME_2, 31) * PRIME_1;
}

void xxh64_begin(struct xxh64 *x)
{
	*x = (struct xxh64){
		.lanes = { PRIME_1 + PRIME_2, PRIME_2, 0, -PRIME_1 },
	};
}

/* Whole stripes of 32 bytes. */
static void add_stripes(struct xxh64 *x, const uint8_t *p, size_t size)
{
	uint64_t a = x->lanes[0], b = x->lanes[1];
	uint64_t c = x->lanes[2], d = x->lanes[3];

	for (; size; p += 32, size -= 32) {
		a = mix(a, load64(p));
		b = mix(b, load64(p + 8));
		c = mix(c, load64(p + 16));
		d = mix(d, load64(p + 24));
	}
	x->lanes[0] = a;
	x->lanes[1] = b;
	x->lanes[2] = c;
	x->lanes[3] = d;
}

void xxh64_add(struct xxh64 *x, const void *p, size_t size)
{
	const uint8_t *bytes = p;
	size_t has = x->size % 32, n;

	x->size += size;
	if (has) {
		n = size < 32 - has ? size : 32 - has;
		memcpy(x->rest + has, bytes, n);
		if (has + n < 32)
			return;
		add_stripes(x, x->rest, 32);
		bytes += n;
		size -= n;
	}
	add_stripes(x, bytes, size & ~(size_t)31);
	memcpy(x->rest, bytes + (size & ~(size_t)31), size % 32);
}

static uint64_t join_lanes(const struct xxh64 *x)
{
	uint64_t v = turn(x->lanes[0], 1) + turn(x->lanes[1], 7) +
		     turn(x->lanes[2], 12) + turn(x->lanes[3], 18);
	unsigned int i;

	for (i = 0; i < 4; i++)
		v = (v ^ mix(0, x->lanes[i])) * PRIME_1 + PRIME_4;
	return v;
}

uint64_t xxh64_end(const struct xxh64 *x)
{
	uint64_t v = x->size < 32 ? PRIME_5 : join_lanes(x);
	const uint8_t *p = x->rest, *end = p + x->size % 32;

	v += x->size;
	for (; end - p >= 8; p += 8)
		v = turn(v ^ mix(0, load64(p)), 27) * PRIME_1 + PRIME_4;
	for (; end - p >= 4; p += 4)
		v = turn(v ^ load32(p) * PRIME_1, 23) * PRIME_2 + PRIME_3;
	for (; p < end; p++)
		v = turn(v ^ *p * PRIME_5, 11) * PRIME_1;
	v = (v ^ v >> 33) * PRIME_2;
	v = (v ^ v >> 29) * PRIME_3;
	return v ^ v >> 32;
}
