// SPDX-License-Identifier: GPL-2.0-only
/* Sizes and times as users write them. */
#include "base/units.h"
#include "test.h"

#include <stdio.h>

static struct error error;

static uint64_t bytes(const char *arg)
{
	uint64_t n = 0;

	CHECK_EQ(units_bytes(arg, &n, &error), 0);
	return n;
}

TEST(sizes)
{
	CHECK_EQ(bytes("0"), 0);
	CHECK_EQ(bytes("1000"), 1000);
	CHECK_EQ(bytes("3K"), 3072);
	CHECK_EQ(bytes("3k"), 3072);
	CHECK_EQ(bytes("256M"), UINT64_C(268435456));
	CHECK_EQ(bytes("2G"), UINT64_C(2147483648));
	CHECK_EQ(bytes("1T"), UINT64_C(1099511627776));
	CHECK_EQ(bytes("16777215T"), UINT64_C(0xffffff0000000000));
}

TEST(what_is_no_size)
{
	static const char *const wrong[] = { "", "M", "-1", "+1", "1m", "1KB", "1.5G", " 1",
					     "16777216T", "18446744073709551616", "0x10" };
	uint64_t n;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK_EQ(units_bytes(wrong[i], &n, &error), ERROR_USAGE);
	CHECK_STR(error.text, "'0x10' is not a size; use a number of bytes, or a number like 256M");
}

static double span(const char *arg)
{
	double n = 0;

	CHECK_EQ(units_span(arg, &n, &error), 0);
	return n;
}

TEST(spans)
{
	CHECK(span("90") == 90);
	CHECK(span("1.5") == 1.5);
	CHECK(span("2s") == 2);
	CHECK(span("3m") == 180);
	CHECK(span("12h") == 43200);
	CHECK(span("7d") == 604800);
	CHECK(span(".5w") == 302400);
}

TEST(what_is_no_span)
{
	static const char *const wrong[] = { "", "0", "d", "-1", "1y", "7days", "nan", "inf",
					     "1e99", " 1" };
	double n;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK_EQ(units_span(wrong[i], &n, &error), ERROR_USAGE);
}

static uint64_t time_of(const char *arg)
{
	uint64_t n = 0;

	CHECK_EQ(units_time(arg, &n, &error), 0);
	return n;
}

/* By date -u -d. */
TEST(points_in_time)
{
	CHECK_EQ(time_of("1795564800"), 1795564800);
	CHECK_EQ(time_of("2026-11-25"), 1795564800);
	CHECK_EQ(time_of("2026-11-25T13:05"), 1795611900);
	CHECK_EQ(time_of("2026-11-25T13:05:07Z"), 1795611907);
	CHECK_EQ(time_of("1970-01-01"), 0);
}

static const char *percent(double share)
{
	static char text[16];

	snprintf(text, sizeof(text), "%.1f", units_percent(share));
	return text;
}

TEST(what_is_no_point_in_time)
{
	static const char *const wrong[] = { "", "now", "2026-13-01", "2026-11-25 13:00",
					     "2026-11-25T", "-5", "1969-01-01" };
	uint64_t n;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK_EQ(units_time(wrong[i], &n, &error), ERROR_USAGE);
}

TEST(only_the_whole_is_a_hundred_percent)
{
	CHECK_STR(percent(1), "100.0");
	CHECK_STR(percent(0.99999), "99.9");
	CHECK_STR(percent(0.9994), "99.9");
	CHECK_STR(percent(0.9984), "99.8");
	CHECK_STR(percent(0), "0.0");
}
