// SPDX-License-Identifier: GPL-2.0-only
/* The names of C++ and Rust functions, as the ABIs' examples and c++filt have them. */
#include "base/library.h"
#include "image/demangle.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#define HASH "17h05af221e174051e9E"

/* A symbol of two parts. */
static const char *rust(const char *a, const char *b)
{
	static char symbol[256];

	snprintf(symbol, sizeof(symbol), "_ZN%zu%s%zu%s" HASH, strlen(a), a, strlen(b), b);
	return symbol;
}

/*
 * rustc's older form, by what rustc_symbol_mangling::legacy writes: `..` for ::, words
 * between $ for what a symbol cannot have, and a _ before a $ that would come first.
 */
TEST(names_of_rust_in_the_older_form_have_no_hash)
{
	struct img_demangler *demangler = img_demangler_new();

	CHECK_NAME("_ZN4work5total" HASH, "work::total");
	CHECK_NAME("_ZN1a1b" HASH, "a::b");
	CHECK_NAME("_ZN62_$LT$work..geometry..Rect$u20$as$u20$work..geometry..Shape$GT$4name" HASH,
		   "<work::geometry::Rect as work::geometry::Shape>::name");
	CHECK_NAME(rust("main", "_$u7b$$u7b$closure$u7d$$u7d$"), "main::{{closure}}");
	CHECK_NAME(rust("foo..impl$u20$Bar$LT$K$C$V$C$$RF$A$GT$", "run"),
		   "foo::impl Bar<K,V,&A>::run");
	CHECK_NAME(rust("Bar$LT$$u5b$u32$u3b$$u20$4$u5d$$GT$", "new"), "Bar<[u32; 4]>::new");
	CHECK_NAME(rust("_$BP$const$u20$T", "null"), "*const T::null");
	CHECK_NAME(rust("_$LT$$LP$A$C$B$RP$$GT$", "d"), "<(A,B)>::d");
	CHECK_NAME(rust("_$LT$T$u20$$u2b$$u20$$u27$static$GT$", "_x"), "<T + 'static>::_x");
	CHECK_NAME(rust("foo", "$SP$local"), "foo::@local");
	CHECK_NAME(rust("foo", "a.b..c...d"), "foo::a.b::c::.d");
	CHECK_NAME(rust("foo", "gr$uf6$$udf$"), "foo::gr\xc3\xb6\xc3\x9f");
	CHECK_NAME(rust("foo", "$u6f22$$u1f980$"), "foo::\xe6\xbc\xa2\xf0\x9f\xa6\x80");
	img_demangler_free(demangler);
}

/* What compilers append is shown as of C++, but for the number that LLVM makes names unique by. */
TEST(what_is_appended_to_names_of_rust_stays)
{
	struct img_demangler *demangler = img_demangler_new();

	CHECK_NAME("_ZN4work5total" HASH ".llvm.18120539504683536336", "work::total");
	CHECK_NAME("_ZN4work5total" HASH ".cold", "work::total [clone .cold]");
	CHECK_NAME("_ZN4work5total" HASH ".llvm.3A7.cold.1", "work::total [clone .cold.1]");
	CHECK_NAME("_ZN4work5total" HASH "@plt", "work::total@plt");
	if (!library_open_llvm())
		test_skip("no LLVM library here");
	CHECK_NAME("_RNvCskwGfYPst2Cb_3foo16example_function.llvm.77", "foo::example_function");
	CHECK_NAME("_RNvCskwGfYPst2Cb_3foo16example_function.cold",
		   "foo::example_function [clone .cold]");
	img_demangler_free(demangler);
}

/* A control character would go to the terminal. */
TEST(what_means_nothing_in_names_of_rust_stays)
{
	struct img_demangler *demangler = img_demangler_new();

	CHECK_NAME(rust("foo", "$XX$a"), "foo::$XX$a");
	CHECK_NAME(rust("foo", "a$RF."), "foo::a$RF.");
	CHECK_NAME(rust("foo", "$u1b$"), "foo::$u1b$");
	CHECK_NAME(rust("foo", "$u9b$"), "foo::$u9b$");
	CHECK_NAME(rust("foo", "$ud800$"), "foo::$ud800$");
	CHECK_NAME(rust("foo", "$u110000$"), "foo::$u110000$");
	CHECK_NAME(rust("foo", "$u$"), "foo::$u$");
	img_demangler_free(demangler);
}

TEST(names_of_cxx_are_not_those_of_rust)
{
	struct img_demangler *demangler = img_demangler_new();

	if (!library_open("libstdc++.so.6"))
		test_skip("no C++ library here");
	CHECK_NAME("_ZN4work5totalEv", "work::total()");
	CHECK_NAME("_ZN4work" HASH "v", "work::h05af221e174051e9()");
	CHECK_NAME("_ZN4work17h05af221e174051egE", "work::h05af221e174051eg");
	CHECK_NAME("_ZN4work17H05AF221E174051E9E", "work::H05AF221E174051E9");
	CHECK_NAME("_ZN4work16h05af221e174051eE", "work::h05af221e174051e");
	CHECK_NAME("_ZN" HASH, "h05af221e174051e9");
	CHECK_NAME("_ZN99999999999999999999a" HASH, NULL);
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
		{ "_Z3runIiEvT_", "void run<int>(int)", "run<int>(int)", true },
		{ "_Z3runIiEvT_", "void run<int>(int)", "void run<int>", true },
		{ "_Z3runIiEvT_", "void run<int>(int)", "run", true },
		{ "_Z3runIiEvT_", "void run<int>(int)", "run(int)", true },
		{ "_Z3runIiEvT_", "void run<int>(int)", "run<long>", false },
		{ "_Z3runIiEvT_", "void run<int>(int)", "run<", false },
		{ "_Z3runIiEvT_", "void run<int>(int)", "ru", false },
		{ "x", "n::V<n::W<int> >::get(int)", "n::V::get", true },
		{ "x", "n::V<n::W<int> >::get(int)", "n::V<n::W<int> >::get", true },
		{ "x", "n::V<n::W<int> >::get(int)", "n::V", false },
		{ "x", "n::V<n::W<int> >::get(int)", "n::W", false },
		{ "x", "n::V<n::W<int> >::get(int)", "get", false },
		{ "x", "long n::Q::m<long>(long) [clone .isra.0]", "n::Q::m", true },
		{ "x", "unsigned long f<&A::operator->, (1>2)>(int)", "f", true },
		{ "x", "decltype ({parm#1}+(1)) f<int>(int)", "f", true },
		{ "x", "decltype ({parm#1}+(1)) f<int>(int)", "decltype", false },
		{ "x", "int (anonymous namespace)::f<int>(int)", "(anonymous namespace)::f", true },
		{ "x", "(anonymous namespace)::f(int)", "(anonymous namespace)::f", true },
		{ "x", "n::Q::operator bool() const", "n::Q::operator bool", true },
		{ "x", "n::Q::operator bool() const", "bool", false },
		{ "x", "bool n::operator< <int>(int)", "n::operator< <int>", true },
		{ "x", "n::operator<(n::A, n::A)", "n::operator<", true },
		{ "x", "n::operator<(n::A, n::A)", "n::operator", false },
		/* What stands in a function is another one. */
		{ "x", "f<int>(int)::{lambda()#1}::operator()() const", "f<int>", false },
		{ "x", "f(int) const::{lambda()#1}::operator()() const", "f", false },
		{ "x", "f(int)::{lambda()#1}::operator()() const",
		  "f(int)::{lambda()#1}::operator()", true },
		/* Rust. */
		{ "x", "r::fold::<u64>", "r::fold", true },
		{ "x", "r::fold::<u64>", "r::fold::<u64>", true },
		{ "x", "r::fold::<u32, r::main::{closure#0}>", "r::fold", true },
		{ "x", "r::fold::<u64>", "r", false },
		{ "x", "<r::A as r::T>::get", "<r::A as r::T>::get", true },
		{ "x", "<r::A as r::T>::get", "::get", false },
		/* Names of a JIT. */
		{ "LazyCompile:*foo x.js:3", NULL, "x.js:3", false },
		{ "a<b", NULL, "a", false },
		{ "f((a", NULL, "f", true },
		{ "int J.run(int)", NULL, "J.run", true },
		{ "int J.run(int)", NULL, "int J.run(int)", true },
		{ "int J.run(int, int (int))", NULL, "int", false },
		{ "int J.run(int)", NULL, "run", false },
		{ "J.run(int)", NULL, "J.run", true },
		{ "run", NULL, "", false },
		{ "_ZN1a1b" HASH ".cold", "a::b [clone .cold]", "a::b", true },
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
