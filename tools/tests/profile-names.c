// SPDX-License-Identifier: GPL-2.0-only
/* Names that binary profiles refer to by number. */
#include "profile/names.h"

#include "test.h"

#include <stdlib.h>

TEST(names_are_numbered_by_the_alphabet_each_once)
{
	static const char *const v[] = { "main", "b", NULL, "main", "a", "b" };
	char other[] = "b";
	struct prof_names names = { 0 };
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++)
		CHECK(prof_names_add(&names, v[i]));
	prof_names_sort(&names);
	CHECK_EQ(names.nr, 3);
	CHECK_STR(names.v[0], "a");
	CHECK_STR(names.v[2], "main");
	CHECK_EQ(prof_name_index(&names, "a"), 0);
	CHECK_EQ(prof_name_index(&names, other), 1);
	CHECK_EQ(prof_name_index(&names, "main"), 2);
	free(names.v);
}

TEST(without_names_there_is_none)
{
	struct prof_names names = { 0 };

	prof_names_sort(&names);
	CHECK_EQ(names.nr, 0);
}

TEST(a_profile_s_names_are_those_of_its_functions_and_their_targets)
{
	struct prof_func funcs[] = { { .name = "g" }, { .name = "f" } };
	struct prof_target targets[] = { { .name = "h" }, { .name = "f" } };
	struct prof_samples samples = { .funcs = funcs, .nr_funcs = 2,
					.targets = targets, .nr_targets = 2 };
	struct prof_names names = { 0 };

	CHECK(prof_names_make(&names, &samples));
	CHECK_EQ(names.nr, 3);
	CHECK_STR(names.v[0], "f");
	CHECK_STR(names.v[2], "h");
	free(names.v);
}
