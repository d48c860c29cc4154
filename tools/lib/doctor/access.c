// SPDX-License-Identifier: GPL-2.0-only
#include "doctor/access.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_ADMIN = 21, CAP_PERF = 38 };

/* The process's effective capabilities, one bit each. */
static uint64_t caps_of(const char *status)
{
	const char *caps = strstr(status, "\nCapEff:");

	return caps ? strtoull(caps + strlen("\nCapEff:"), NULL, 16) : 0;
}

/* Debian's level 3 is a check of its own, which CAP_PERFMON does not pass. */
bool doctor_privileged(const char *status, int level)
{
	const uint64_t caps = caps_of(status);

	return caps >> CAP_ADMIN & 1 ||
	       (caps >> CAP_PERF & 1 && doctor_access(level) != DOCTOR_ACCESS_NOTHING);
}
