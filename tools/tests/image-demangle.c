// SPDX-License-Identifier: GPL-2.0-only
/* The names of C++ functions, as the ABI's examples and c++filt have them. */
#include "image/demangle.h"
#include "test.h"

#include <stdlib.h>

static void check(int line, const struct img_demangler *demangler,
		  const char *symbol, const char *want)
{
	char *name = img_demangle(demangler, symbol);

	if (!name != !want || (name && strcmp(name, want)))
		test_fail(__FILE__, line, "%s is %s", symbol, name ? name : "none");
	free(name);
}

#define CHECK_NAME(...) check(__LINE__, demangler, __VA_ARGS__)

TEST(names_are_those_of_the_source)
{
	struct img_demangler *demangler = img_demangler_new();

	if (!demangler)
		test_skip("no C++ library here");
	CHECK_NAME("_ZN12_GLOBAL__N_11A3runEi", "(anonymous namespace)::A::run(int)");
	CHECK_NAME("_Z3addIiET_S0_S0_", "int add<int>(int, int)");
	CHECK_NAME("_ZNSt6vectorIiSaIiEE9push_backERKi",
		   "std::vector<int, std::allocator<int> >::push_back(int const&)");
	CHECK_NAME("_Z3runv.part.0", "run() [clone .part.0]");
	CHECK_NAME("_Z3runv@plt", "run()@plt");
	img_demangler_free(demangler);
}

TEST(other_names_stay)
{
	struct img_demangler *demangler = img_demangler_new();

	if (!demangler)
		test_skip("no C++ library here");
	CHECK_NAME("main", NULL);
	CHECK_NAME("i", NULL); /* which is int, as a type */
	CHECK_NAME("_Z", NULL);
	CHECK_NAME("_ZN1", NULL);
	CHECK_NAME("", NULL);
	img_demangler_free(demangler);
	img_demangler_free(NULL);
}
