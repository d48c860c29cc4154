// SPDX-License-Identifier: GPL-2.0-only
/* The name of a trace, without the ending that selects its container. */
#include "test.h"
#include "tracefile/tracefile.h"

TEST(the_stem_is_what_stands_before_the_ending)
{
	CHECK_EQ(tracefile_stem("a.zstf"), 1);
	CHECK_EQ(tracefile_stem("a.stf"), 1);
	CHECK_EQ(tracefile_stem("a.stf.gz"), 1);
	CHECK_EQ(tracefile_stem("a.stf.xz"), 1);
	CHECK_EQ(tracefile_stem("a.b.zstf"), 3);
	CHECK_EQ(tracefile_stem("d/a.stf"), 3);
}

TEST(a_name_without_such_an_ending_is_all_stem)
{
	CHECK_EQ(tracefile_stem("a"), 1);
	CHECK_EQ(tracefile_stem("a.gz"), 4);
	CHECK_EQ(tracefile_stem("a.stf.zst"), 9);
	CHECK_EQ(tracefile_stem(""), 0);
}

TEST(a_name_that_is_only_an_ending_is_all_stem)
{
	CHECK_EQ(tracefile_stem(".zstf"), 5);
	CHECK_EQ(tracefile_stem(".stf"), 4);
	/* It is the ending of a name. */
	CHECK_EQ(tracefile_stem(".stf.gz"), 7);
}
