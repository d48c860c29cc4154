/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers that are the same on all machines (splitmix64). The state is a seed, and
 * every number is good as a seed.
 */
#ifndef PHASES_RANDOM_H
#define PHASES_RANDOM_H

#include <stdint.h>

static inline uint64_t phases_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint64_t phases_random(uint64_t *state)
{
	return phases_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Returns a number below n, which is not 0. */
static inline uint64_t phases_random_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)((unsigned __int128)phases_random(state) * n >> 64);
}

/* Returns 53 of the bits as a number from 0 to below 1. */
static inline double phases_unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

#endif
