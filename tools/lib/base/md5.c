// SPDX-License-Identifier: GPL-2.0-only
#include "base/md5.h"

#include <string.h>

enum { BLOCK = 64, ROUNDS = 64 };

/* The whole part of 2^32 * |sin(i + 1)|. */
static const uint32_t sines[ROUNDS] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee,
	0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
	0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
	0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05,
	0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039,
	0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

/* By how many bits: for each 16 rounds four numbers that take turns. */
static const uint8_t turns[4][4] = {
	{ 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 },
};

static uint32_t rotate(uint32_t v, unsigned int bits)
{
	return v << bits | v >> (32 - bits);
}

/* Which of the block's words a round takes, and what it makes of the other three. */
static uint32_t mix(unsigned int round, uint32_t b, uint32_t c, uint32_t d,
		    unsigned int *word)
{
	switch (round / 16) {
	case 0:
		*word = round;
		return (b & c) | (~b & d);
	case 1:
		*word = (5 * round + 1) % 16;
		return (b & d) | (c & ~d);
	case 2:
		*word = (3 * round + 5) % 16;
		return b ^ c ^ d;
	default:
		*word = 7 * round % 16;
		return c ^ (b | ~d);
	}
}

static uint32_t get_u32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static void add_block(uint32_t state[4], const uint8_t *p)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	unsigned int i, word;

	for (i = 0; i < ROUNDS; i++) {
		uint32_t sum = a + mix(i, b, c, d, &word) + sines[i];

		sum += get_u32(p + 4 * word);
		a = d;
		d = c;
		c = b;
		b += rotate(sum, turns[i / 16][i % 4]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void md5(uint8_t digest[MD5_SIZE], const void *p, size_t size)
{
	uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	uint8_t tail[2 * BLOCK] = { 0 };
	const uint8_t *at = p;
	size_t left = size, end;
	unsigned int i;

	for (; left >= BLOCK; left -= BLOCK, at += BLOCK)
		add_block(state, at);
	if (left)
		memcpy(tail, at, left);
	tail[left] = 0x80;
	/* The last 8 bytes are how many bits there were. */
	end = left + 1 + 8 > BLOCK ? 2 * BLOCK : BLOCK;
	for (i = 0; i < 8; i++)
		tail[end - 8 + i] = (uint64_t)size * 8 >> 8 * i;
	add_block(state, tail);
	if (end > BLOCK)
		add_block(state, tail + BLOCK);
	for (i = 0; i < MD5_SIZE; i++)
		digest[i] = state[i / 4] >> 8 * (i % 4);
}
