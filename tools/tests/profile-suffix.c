// SPDX-License-Identifier: GPL-2.0-only
/* What is left of a name when its suffix is gone. */
#include "profile/suffix.h"

#include "test.h"

#include <stdio.h>

static const char *cut(const char *name, enum prof_compiler compiler)
{
	static char buf[64];

	snprintf(buf, sizeof(buf), "%.*s",
		 (int)prof_name_size(name, compiler), name);
	return buf;
}

/* Each name, and what is left of it. */
static void check(const char *const v[][2], size_t nr, enum prof_compiler compiler)
{
	size_t i;

	for (i = 0; i < nr; i++)
		CHECK_STR(cut(v[i][0], compiler), v[i][1]);
}

TEST(llvm_drops_its_own_suffix_and_that_of_a_part)
{
	static const char *const v[][2] = {
		{ "f", "f" },
		{ "f.llvm.123", "f" },
		{ "f.part.0", "f" },
		{ "f.part.0.llvm.9", "f" },
		{ "f.llvm.9.part.0", "f.llvm.9" },
		{ "f.llvm.9.cold", "f.llvm.9.cold" },
		{ "f.__uniq.5", "f.__uniq.5" },
		{ "f.__uniq.5.llvm.7", "f.__uniq.5" },
		{ "f.isra.0", "f.isra.0" },
		{ "f.constprop.0", "f.constprop.0" },
		{ "f.cold", "f.cold" },
		{ "f.resume", "f" },
		{ "f.destroy", "f" },
		{ "f.cleanup", "f" },
		{ "f.__uniq.5.llvm.7.resume", "f.__uniq.5" },
		{ "f.resume.llvm.7", "f" },
		{ "f.resume.0", "f.resume.0" },
		{ "f.actor", "f.actor" },
		{ "llvm.5", "llvm.5" },
		{ "", "" },
	};

	check(v, sizeof(v) / sizeof(*v), PROF_LLVM);
}

TEST(gcc_16_drops_all_that_its_passes_append)
{
	static const char *const v[][2] = {
		{ "f", "f" },
		{ "f.isra.0", "f" },
		{ "f.constprop.12", "f" },
		{ "f.part.0", "f" },
		{ "f.lto_priv.3", "f" },
		{ "f.isra.0.part.1.cold.2", "f" },
		{ "f.0", "f.0" },
		{ "f.0.isra.1", "f.0" },
		{ "f._omp_fn.0", "f._omp_fn.0" },
		{ "f._omp_fn.0.constprop.1", "f._omp_fn.0" },
		{ "f.cold", "f.cold" },
		{ "f.isra.x", "f.isra.x" },
		{ "f.destroy", "f.destroy" },
		{ "f.llvm.1", "f.llvm.1" },
		{ "", "" },
	};

	check(v, sizeof(v) / sizeof(*v), PROF_GCC_16);
}

/* Parts of coroutines and local functions have the name of what they are in, as all others. */
TEST(gcc_15_drops_all_from_the_first_dot_on)
{
	static const char *const v[][2] = {
		{ "f", "f" },
		{ "f.isra.0", "f" },
		{ "f.0", "f" },
		{ "f.0.isra.1", "f" },
		{ "_Z1fv.Frame.actor", "_Z1fv" },
		{ "_Z1fv.Frame.destroy", "_Z1fv" },
		{ "f._omp_fn.0", "f" },
		{ "", "" },
	};

	check(v, sizeof(v) / sizeof(*v), PROF_GCC_15);
}

TEST(parts_are_told_from_copies)
{
	CHECK(prof_name_is_part("f.part.0"));
	CHECK(prof_name_is_part("f.cold"));
	CHECK(prof_name_is_part("f.cold.3"));
	CHECK(prof_name_is_part("f.isra.0.part.0"));
	CHECK(!prof_name_is_part("f"));
	CHECK(!prof_name_is_part("f.isra.0"));
	CHECK(!prof_name_is_part("f.constprop.0"));
	CHECK(!prof_name_is_part("part.0x"));
	CHECK(!prof_name_is_part("cold"));
}

TEST(parts_of_coroutines_are_told_by_their_last_word)
{
	CHECK(prof_name_is_resumed("f.resume"));
	CHECK(prof_name_is_resumed("f.destroy"));
	CHECK(prof_name_is_resumed("f.cleanup"));
	CHECK(!prof_name_is_resumed("f.actor"));
	CHECK(!prof_name_is_resumed("f.resumed"));
	CHECK(!prof_name_is_resumed("resume"));
}
