/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test program: TEST(what_it_promises) { CHECK(...); }, any number of them,
 * linked with test.c, which has main() and prints KTAP. Run with a test's name
 * (or a part of it) to run that one alone.
 *
 * A failed CHECK prints where and what, and ends its test; the others go on.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

void test_add(struct test *test);

/* Print a KTAP diagnostic and leave the running test as failed. */
__attribute__((noreturn, format(printf, 3, 4))) void
test_fail(const char *file, int line, const char *fmt, ...);

/* Leave the running test as skipped. The reason is demanded. */
__attribute__((noreturn)) void test_skip(const char *reason);

/*
 * The seed of this run, printed with a failure: $TEST_SEED, or the time.
 * test_random() is a xorshift stream that starts from it in every test.
 */
uint64_t test_seed(void);
uint64_t test_random(void);

/*
 * For a test that is to be the same every time: the stream starts from @otherwise, unless
 * $TEST_SEED is set.
 */
void test_random_from(uint64_t otherwise);

/*
 * A folder of its own for the running test, removed after it. The text stays
 * valid until the test ends.
 */
const char *test_tmpdir(void);

/* The path of a file below it, whose folders are there then; up to the next call. */
const char *test_path(const char *name);

/*
 * The bytes that are allocated now. In a build without a sanitizer, what malloc() keeps in the
 * thread's cache is among them (glibc.malloc.tcache_count in $GLIBC_TUNABLES).
 */
size_t test_allocated(void);

#define TEST(_name)                                                            \
	static void test_##_name(void);                                        \
	static struct test test_struct_##_name = { #_name, test_##_name, NULL };\
	__attribute__((constructor)) static void test_ctor_##_name(void)       \
	{                                                                      \
		test_add(&test_struct_##_name);                                \
	}                                                                      \
	static void test_##_name(void)

#define CHECK(_cond)                                                           \
	do {                                                                   \
		if (!(_cond))                                                  \
			test_fail(__FILE__, __LINE__, "%s", #_cond);           \
	} while (0)

/* Integers of any kind; prints both in hexadecimal and decimal. */
#define CHECK_EQ(_got, _want)                                                  \
	do {                                                                   \
		unsigned long long _g = (unsigned long long)(_got);            \
		unsigned long long _w = (unsigned long long)(_want);           \
		if (_g != _w)                                                  \
			test_fail(__FILE__, __LINE__,                          \
				  "%s is 0x%llx (%lld), not 0x%llx (%lld)",    \
				  #_got, _g, (long long)_g, _w, (long long)_w);\
	} while (0)

#define CHECK_STR(_got, _want)                                                 \
	do {                                                                   \
		const char *_g = (_got), *_w = (_want);                        \
		if (!_g || strcmp(_g, _w))                                     \
			test_fail(__FILE__, __LINE__,                          \
				  "%s is \"%s\", not \"%s\"", #_got,           \
				  _g ? _g : "(null)", _w);                     \
	} while (0)

#endif
