// SPDX-License-Identifier: GPL-2.0-only
#include "collect/machine.h"
#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* The second number of /proc/uptime, which is in s. */
static uint64_t idle_ns(void)
{
	char line[64];
	double idle;

	file_line(line, sizeof(line), "/proc/uptime");
	return sscanf(line, "%*s %lf", &idle) == 1 ? idle * SECOND : 0;
}

void collect_machine_now(struct collect_time *now)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*now = (struct collect_time){
		.awake = clock_ns(CLOCK_MONOTONIC),
		.boot = clock_ns(CLOCK_BOOTTIME),
		.wall = time(NULL),
		.idle = idle_ns(),
		.spent = collect_machine_spent(),
		.cpus = cpus > 0 ? cpus : 1,
	};
}

static uint64_t time_of(int who)
{
	struct rusage usage = { 0 };

	getrusage(who, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * UINT64_C(1000);
}

uint64_t collect_machine_spent(void)
{
	return time_of(RUSAGE_SELF) + time_of(RUSAGE_CHILDREN);
}

uint64_t collect_machine_switches(void)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t switches = 0;
	char *line = NULL;
	size_t room = 0;

	while (file && !switches && getline(&line, &room, file) > 0)
		sscanf(line, "ctxt %" SCNu64, &switches);
	free(line);
	if (file)
		fclose(file);
	return switches;
}
