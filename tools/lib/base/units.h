/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes and times as users write them: 256M, 7d, 2026-11-25; shares as they read them. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/error.h"

#include <stdint.h>

/*
 * Parse a number of bytes. K, M, G and T stand for powers of 1024. Returns 0, or ERROR_USAGE
 * with a text.
 */
int units_bytes(const char *arg, uint64_t *bytes, struct error *error);

/*
 * Parse a span of time that is more than 0: seconds, or a number with s, m, h, d or w.
 * Returns 0, or ERROR_USAGE with a text.
 */
int units_span(const char *arg, double *seconds, struct error *error);

/*
 * Parse a point in time: a date like 2026-11-25 or 2026-11-25T13:00:00, both in UTC, or
 * seconds since 1970. Returns 0, or ERROR_USAGE with a text.
 */
int units_time(const char *arg, uint64_t *seconds, struct error *error);

/*
 * Returns a share from 0 to 1 in percent, for "%.1f": below 1 it is at most 99.9, so that
 * only the whole is shown as 100.0.
 */
double units_percent(double share);

#endif
