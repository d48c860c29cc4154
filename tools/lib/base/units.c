// SPDX-License-Identifier: GPL-2.0-only
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Returns a number in decimal digits, or sets errno. */
static uint64_t number(const char *arg, char **end)
{
	errno = isdigit((unsigned char)*arg) ? 0 : EINVAL;
	*end = (char *)arg;
	return errno ? 0 : strtoull(arg, end, 10);
}

int units_bytes(const char *arg, uint64_t *bytes, struct error *error)
{
	static const char letters[] = "KMGT";
	const char *letter;
	unsigned int bits;
	uint64_t n;
	char *end;

	n = number(arg, &end);
	letter = *end ? strchr(letters, *end == 'k' ? 'K' : *end) : NULL;
	bits = letter ? 10 * (unsigned int)(letter - letters + 1) : 0;
	if (errno || (*end && (!letter || end[1])) || n > UINT64_MAX >> bits)
		return error_set(error, ERROR_USAGE,
				 "'%s' is not a size; use a number of bytes, or a number like 256M",
				 arg);
	*bytes = n << bits;
	return 0;
}

int units_span(const char *arg, double *seconds, struct error *error)
{
	static const struct {
		char letter;
		double seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 },
		      { 'w', 7 * 86400 }, { 0, 1 } };
	double n = 0;
	char *end = (char *)arg;
	unsigned int i;

	if (isdigit((unsigned char)*arg) || *arg == '.')
		n = strtod(arg, &end);
	for (i = 0; units[i].letter && units[i].letter != *end; i++)
		;
	if (!(n > 0) || n > 1e9 || (*end && (!units[i].letter || end[1])))
		return error_set(error, ERROR_USAGE,
				 "'%s' is not a time; use a number of seconds, or a number like 7d, 12h or 30m",
				 arg);
	*seconds = n * units[i].seconds;
	return 0;
}

int units_time(const char *arg, uint64_t *seconds, struct error *error)
{
	static const char *const forms[] = { "%Y-%m-%d", "%Y-%m-%dT%H:%M",
					     "%Y-%m-%dT%H:%M:%S" };
	const char *rest;
	struct tm tm;
	unsigned int i;
	char *end;

	*seconds = number(arg, &end);
	if (!errno && !*end)
		return 0;
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		tm = (struct tm){ 0 };
		rest = strptime(arg, forms[i], &tm);
		if (!rest || (*rest && strcmp(rest, "Z")) || timegm(&tm) < 0)
			continue;
		*seconds = (uint64_t)timegm(&tm);
		return 0;
	}
	return error_set(error, ERROR_USAGE,
			 "'%s' is not a point in time; use a date like 2026-11-25 or 2026-11-25T13:00, in UTC, or seconds since 1970",
			 arg);
}

double units_percent(double share)
{
	return share < 1 && share > 0.999 ? 99.9 : 100 * share;
}
