// SPDX-License-Identifier: GPL-2.0-only
/* What stands for rings.c in a build that has no libperf. */
#include "recorder/rings.h"

#include <errno.h>

/* None looks at what it is given: there are no rings. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

const char *rings_missing(void)
{
	return "this ssctr was built without libperf; install linux-source and build it again, or build it with LIBPERF_SOURCE=FOLDER, a folder with the sources of a kernel";
}

int rings_open(struct rings **r, const struct rings_event *events,
	       unsigned int nr, const struct rings_target *target,
	       unsigned int pages, unsigned int *failed)
{
	*r = NULL;
	*failed = nr;
	return -ENOSYS;
}

void rings_close(struct rings *r)
{
}

const uint64_t *rings_ids(const struct rings *r, unsigned int i, size_t *nr)
{
	*nr = 0;
	return NULL;
}

int rings_fd(const struct rings *r, unsigned int i, unsigned int at, int *cpu)
{
	return -1;
}

bool rings_is_on(const struct rings *r, unsigned int i, int cpu)
{
	return false;
}

int rings_enable(struct rings *r, unsigned int i)
{
	return -ENOSYS;
}

void rings_disable(struct rings *r)
{
}

int rings_watch(struct rings *r, int fd)
{
	return -ENOSYS;
}

bool rings_wait(struct rings *r, int timeout)
{
	return false;
}

int rings_drain(struct rings *r, int (*write)(void *arg, const void *, size_t),
		void *arg)
{
	return -ENOSYS;
}

const struct rings_stats *rings_stats(const struct rings *r)
{
	static const struct rings_stats none;

	return &none;
}

int rings_counts(struct rings *r, unsigned int i, struct rings_count **counts,
		 size_t *nr)
{
	*counts = NULL;
	*nr = 0;
	return -EIO;
}
