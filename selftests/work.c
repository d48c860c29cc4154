// SPDX-License-Identifier: GPL-2.0-only
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

#define NOINLINE __attribute__((noinline, noclone))

static NOINLINE uint64_t leaf(uint64_t x)
{
	return x * 6364136223846793005ull + 1442695040888963407ull;
}

static NOINLINE uint64_t other(uint64_t x)
{
	return x & 1 ? x ^ (x >> 17) : x + 3;
}

static NOINLINE uint64_t recurse(uint64_t x, unsigned int depth)
{
	return depth ? recurse(leaf(x), depth - 1) + 1 : x;
}

static NOINLINE uint64_t choose(uint64_t x)
{
	switch (x >> 60) {
	case 0: return x + 11;
	case 1: return x ^ 0x5555;
	case 2: return x * 3;
	case 3: return ~x;
	case 4: return x - 7;
	case 5: return x << 1;
	case 6: return x >> 1;
	case 7: return x * 5 + 1;
	default: return leaf(x);
	}
}

uint64_t work(unsigned int rounds)
{
	static uint64_t (*volatile const table[])(uint64_t) = { leaf, other,
								choose };
	uint64_t x = 88172645463325252ull;

	for (unsigned int i = 0; i < rounds; i++) {
		x = leaf(x);
		x = table[i % 3](x);
		x = recurse(x, i % 8);
	}
	return x;
}

void work_syscalls(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		syscall(SYS_getppid);
}
