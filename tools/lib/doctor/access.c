// SPDX-License-Identifier: GPL-2.0-only
#include "doctor/access.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_ADMIN = 21, CAP_PERF = 38 };

/* The process's effective capabilities, one bit each. */
static uint64_t caps_of(const char *status)
{
	const char *caps = strstr(status, "\nCapEff:");

	return caps ? strtoull(caps + strlen("\nCapEff:"), NULL, 16) : 0;
}

/* All users, by their own numbers. perf asks for capabilities in this namespace alone. */
static bool is_first_namespace(const char *uid_map)
{
	unsigned int inside, outside, nr;

	return sscanf(uid_map, "%u %u %u", &inside, &outside, &nr) != 3 ||
	       (!inside && !outside && nr == UINT32_MAX);
}

/* Debian's level 3 is a check of its own, which CAP_PERFMON does not pass. */
enum doctor_rights doctor_rights(const char *status, const char *uid_map, int level)
{
	const uint64_t caps = caps_of(status);

	if (!(caps >> CAP_ADMIN & 1) &&
	    (!(caps >> CAP_PERF & 1) || doctor_access(level) == DOCTOR_ACCESS_NOTHING))
		return DOCTOR_RIGHTS_NONE;
	return is_first_namespace(uid_map) ? DOCTOR_RIGHTS_ALL : DOCTOR_RIGHTS_CONTAINED;
}
