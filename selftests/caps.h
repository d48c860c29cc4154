/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of itself in small files. */
#ifndef SELFTESTS_CAPS_H
#define SELFTESTS_CAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static inline bool read_number(const char *path, uint64_t *number)
{
	FILE *file = fopen(path, "r");
	bool read = file && fscanf(file, "%lu", number) == 1;

	if (file)
		fclose(file);
	return read;
}

static inline bool write_number(const char *path, uint64_t number)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	fprintf(file, "%lu\n", number);
	return !fclose(file);
}

/* Entries of the deepest buffer of all harts; 0: nobody serves branch stacks. */
static inline uint64_t caps_branches(void)
{
	uint64_t depth = 0;

	read_number("/sys/bus/event_source/devices/cpu/caps/branches", &depth);
	return depth;
}

#endif
