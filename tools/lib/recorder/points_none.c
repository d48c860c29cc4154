// SPDX-License-Identifier: GPL-2.0-only
/* What stands for points.c in a build without the BPF program. */
#include "recorder/points.h"

/* None but the first is ever called. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int points_new(struct points **points, const struct points_opts *opts, struct error *error)
{
	*points = NULL;
	return error_set(error, ERROR_INPUT,
			 "this ssctr was built without its BPF program; install clang and libbpf-dev on a RISC-V machine and build it again there");
}

void points_free(struct points *points)
{
}

int points_follow(struct points *points, pid_t pid, struct error *error)
{
	return ERROR_INPUT;
}

int points_write_to(struct points *points, int cpu, int fd, struct error *error)
{
	return ERROR_INPUT;
}

int points_start(struct points *points, struct error *error)
{
	return ERROR_INPUT;
}
