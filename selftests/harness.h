/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's test harness, as these tests use it. Include it in programs only. */
#ifndef SELFTESTS_HARNESS_H
#define SELFTESTS_HARNESS_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kselftest_harness.h"

/*
 * A day. How long a test takes is a matter of the machine, and who runs the tests
 * sets a limit that fits the machine: qemu/vm run, or the kernel's runner.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 86400

/*
 * How much of it, from the environment: a few seconds' worth unless told
 * otherwise.
 *   SSCTR_RECORDS  records in which a leak is looked for
 *   SSCTR_ROUNDS   rounds of what is done again and again
 *   SSCTR_RELOADS  times that the module goes and comes while BPF programs use it
 *   SSCTR_OPENS    events opened with attributes at random
 *   SSCTR_SEED     what these begin with, to have them again
 *   SSCTR_DEBUG    1 on a kernel that looks for faults (debug.sh): its own code
 *                  fills the buffer between what a test wants to see
 */
static inline unsigned long long ask(const char *name,
				     unsigned long long otherwise)
{
	const char *value = getenv(name);

	return value && *value ? strtoull(value, NULL, 0) : otherwise;
}

/* How many of something to demand: none on a kernel that has no room for it. */
static inline unsigned long long enough(unsigned long long nr)
{
	return ask("SSCTR_DEBUG", 0) ? 0 : nr;
}

/* What ends when it has seen enough is done at most so often, and needs a few times. */
#define MANY 10000

static inline int nr_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/* Into a pipe that another process waits at. */
static inline void say(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(1);
}

static inline void hear(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		_exit(1);
}

/* Wait until a process of one thread sleeps, as it does where it hears. False: it has ended. */
static inline bool wait_asleep(pid_t pid)
{
	char path[32], state;
	FILE *file;
	int read;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		usleep(1000);
		file = fopen(path, "r");
		read = file ? fscanf(file, "%*d (%*[^)]) %c", &state) : 0;
		if (file)
			fclose(file);
	} while (read == 1 && state != 'S' && state != 'Z');
	return read == 1 && state == 'S';
}

/* xorshift. Print the seed with what depends on it. */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline uint64_t random_seed(void)
{
	uint64_t seed = ask("SSCTR_SEED", time(NULL));

	ksft_print_msg("SSCTR_SEED=%llu\n", (unsigned long long)seed);
	return seed * 0x9e3779b97f4a7c15ull | 1;
}

#endif
