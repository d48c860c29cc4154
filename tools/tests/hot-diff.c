// SPDX-License-Identifier: GPL-2.0-only
/* When the trips of a loop are said to have changed. */
#include "hot/diff.h"
#include "test.h"

#include <math.h>

static bool differ(double low_a, double high_a, double low_b, double high_b)
{
	const struct hot_trips a = { .known = HOT_ESTIMATED, .low = low_a, .high = high_a };
	const struct hot_trips b = { .known = HOT_COUNTED, .low = low_b, .high = high_b };
	const bool is = hot_trips_differ(&a, &b);

	CHECK_EQ(hot_trips_differ(&b, &a), is);
	return is;
}

TEST(trips_differ_if_nothing_is_in_both_ranges)
{
	CHECK(differ(2, 3, 4, 5));
	CHECK(differ(4, 5, 2, 3));
	CHECK(!differ(2, 4, 3, 5));
	CHECK(!differ(3, 5, 2, 4));
	CHECK(!differ(2, 5, 3, 4));
	CHECK(!differ(2, 3, 3, 4));
	CHECK(!differ(3, 3, 3, 3));
	CHECK(differ(10, INFINITY, 2, 9));
	CHECK(!differ(10, INFINITY, 2, 11));
}

TEST(trips_of_which_nothing_is_known_do_not_differ)
{
	const struct hot_trips none = { .known = HOT_NOTHING };
	const struct hot_trips two = { .known = HOT_COUNTED, .low = 2, .high = 2 };

	CHECK(!hot_trips_differ(&none, &two));
	CHECK(!hot_trips_differ(&two, &none));
}
