/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers that are the same on all machines (splitmix64). The state is a seed, and
 * every number is good as a seed.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint64_t random_next(uint64_t *state)
{
	return random_mix(*state += RANDOM_STEP);
}

/* Returns a number below n, which is not 0. */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)((unsigned __int128)random_next(state) * n >> 64);
}

/* Returns 53 of the bits as a number from 0 to below 1. */
static inline double random_unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

#endif
