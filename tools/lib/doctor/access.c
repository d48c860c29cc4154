// SPDX-License-Identifier: GPL-2.0-only
#include "doctor/access.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool doctor_privileged(const char *status)
{
	enum { CAP_ADMIN = 21, CAP_PERF = 38 };
	const char *caps = strstr(status, "\nCapEff:");
	uint64_t set = 0;

	if (caps)
		set = strtoull(caps + strlen("\nCapEff:"), NULL, 16);
	return set >> CAP_ADMIN & 1 || set >> CAP_PERF & 1;
}
