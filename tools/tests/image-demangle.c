// SPDX-License-Identifier: GPL-2.0-only
/* The names of C++ and Rust functions, as the ABIs' examples and c++filt have them. */
#include "base/library.h"
#include "image/demangle.h"
#include "test.h"

#include <stdlib.h>

static void check(int line, struct img_demangler *demangler, const char *symbol, const char *want)
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

	if (!library_open("libstdc++.so.6"))
		test_skip("no C++ library here");
	CHECK_NAME("_ZN12_GLOBAL__N_11A3runEi", "(anonymous namespace)::A::run(int)");
	CHECK_NAME("_Z3addIiET_S0_S0_", "int add<int>(int, int)");
	CHECK_NAME("_ZNSt6vectorIiSaIiEE9push_backERKi",
		   "std::vector<int, std::allocator<int> >::push_back(int const&)");
	CHECK_NAME("_Z3runv.part.0", "run() [clone .part.0]");
	CHECK_NAME("_Z3runv@plt", "run()@plt");
	img_demangler_free(demangler);
}

/* Of RFC 2603 and rustc's book, and of rustc 1.95. */
TEST(names_of_rust_are_those_of_the_source)
{
	struct img_demangler *demangler = img_demangler_new();

	if (!library_open_llvm())
		test_skip("no LLVM library here");
	CHECK_NAME("_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function");
	CHECK_NAME("_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
		   "<std::path::PathBuf>::new");
	CHECK_NAME("_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>");
	CHECK_NAME("_RNCNvCs1234_7mycrate4main0@plt", "mycrate::main::{closure#0}@plt");
	img_demangler_free(demangler);
}

TEST(other_names_stay)
{
	struct img_demangler *demangler = img_demangler_new();

	CHECK_NAME("main", NULL);
	CHECK_NAME("i", NULL); /* which is int, as a type */
	CHECK_NAME("_Z", NULL);
	CHECK_NAME("_R", NULL);
	CHECK_NAME("_RNv", NULL);
	CHECK_NAME("_Reset", NULL);
	CHECK_NAME("_ZN1", NULL);
	CHECK_NAME("", NULL);
	img_demangler_free(demangler);
	img_demangler_free(NULL);
}

TEST(a_word_names_a_function_by_either_name)
{
	static const struct {
		const char *symbol, *demangled, *word;
		bool is;
	} names[] = {
		{ "main", NULL, "main", true },
		{ "main.cold", NULL, "main", true },
		{ "main_loop", NULL, "main", false },
		{ "mai", NULL, "main", false },
		{ "main", NULL, "main.cold", false },
		{ "_Z3runi", "run(int)", "run", true },
		{ "_Z3runi", "run(int)", "run(int)", true },
		{ "_Z3runi", "run(int)", "_Z3runi", true },
		{ "_Z3runi", "run(int)", "ru", false },
		{ "_Z4runsi", "runs(int)", "run", false },
		{ "_Z3runIiEvT_", "void run<int>(int)", "run<int>", true },
		{ "_Z3runIiEvT_", "void run<int>(int)", "void", false },
		{ "int J.run(int)", NULL, "J.run", true },
		{ "int J.run(int)", NULL, "int J.run(int)", true },
		{ "int J.run(int, int (int))", NULL, "int", false },
		{ "int J.run(int)", NULL, "run", false },
		{ "J.run(int)", NULL, "J.run", true },
		{ "run", NULL, "", false },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		CHECK_EQ(img_is_named(names[i].symbol, names[i].demangled, names[i].word,
				      strlen(names[i].word)), names[i].is);
	/* Of a list, the first word alone. */
	CHECK(img_is_named("main", NULL, "main,run", 4));
}

/* Once for each address of a symbol; what is not mangled is the symbol itself. */
TEST(a_name_is_kept_by_its_symbol)
{
	struct img_demangler *demangler = img_demangler_new();
	static const char symbol[] = "_Z3runv", plain[] = "main";
	const char *name;

	if (!library_open("libstdc++.so.6"))
		test_skip("no C++ library here");
	name = img_demangled(demangler, symbol);
	CHECK_STR(name, "run()");
	CHECK(img_demangled(demangler, plain) == plain);
	CHECK(img_demangled(demangler, symbol) == name);
	img_demangler_free(demangler);
}
