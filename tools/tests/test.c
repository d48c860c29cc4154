// SPDX-License-Identifier: GPL-2.0-only
#include "test.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct test *tests, **last = &tests;
static jmp_buf leave;
static const char *skipped;
static uint64_t seed, state;
static char tmpdir[64];

enum { PASSED, FAILED, SKIPPED };

void test_add(struct test *test)
{
	*last = test;
	last = &test->next;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n# TEST_SEED=%" PRIu64 "\n", seed);
	longjmp(leave, FAILED);
}

void test_skip(const char *reason)
{
	skipped = reason;
	longjmp(leave, SKIPPED);
}

uint64_t test_seed(void)
{
	return seed;
}

/* Seeds that are near each other are to differ, and none is to give zeros. */
static void begin_stream(void)
{
	state = seed * 0x9e3779b97f4a7c15ull | 1;
}

uint64_t test_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

void test_random_from(uint64_t otherwise)
{
	if (!getenv("TEST_SEED"))
		seed = otherwise;
	begin_stream();
}

const char *test_tmpdir(void)
{
	if (!tmpdir[0]) {
		const char *parent = getenv("TMPDIR");

		snprintf(tmpdir, sizeof(tmpdir), "%s/ssctr-test-XXXXXX",
			 parent ? parent : "/tmp");
		if (!mkdtemp(tmpdir))
			test_fail(__FILE__, __LINE__, "no temporary folder");
	}
	return tmpdir;
}

const char *test_path(const char *name)
{
	static char path[512];
	char *p;

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	for (p = path + strlen(tmpdir) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		CHECK(!mkdir(path, 0777) || errno == EEXIST);
		*p = '/';
	}
	return path;
}

/* Of the sanitizer, whose header is not everywhere. NULL in a build without it. */
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

size_t test_allocated(void)
{
	const struct mallinfo2 info = mallinfo2();

	return __sanitizer_get_current_allocated_bytes ?
		       __sanitizer_get_current_allocated_bytes() :
		       info.uordblks + info.hblkhd;
}

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int run(struct test *test)
{
	int how;

	begin_stream();
	how = setjmp(leave);
	if (!how)
		test->run();
	if (tmpdir[0])
		nftw(tmpdir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	tmpdir[0] = 0;
	return how;
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : "";
	const char *env = getenv("TEST_SEED");
	int count = 0, nr = 0, failed = 0;
	struct test *test;

	/* Whoever runs the tests in the background may have them ignored. */
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	/*
	 * This program looks for leaks at its end. Each run of the command would take
	 * twice as long by it: those do where somebody asks for it.
	 */
	setenv("ASAN_OPTIONS", "detect_leaks=0", false);
	seed = env ? strtoull(env, NULL, 0) : (uint64_t)time(NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (test = tests; test; test = test->next)
		count += !!strstr(test->name, only);
	printf("KTAP version 1\n1..%d\n", count);
	for (test = tests; test; test = test->next) {
		int how;

		if (!strstr(test->name, only))
			continue;
		how = run(test);
		failed += how == FAILED;
		printf("%s %d %s", how == FAILED ? "not ok" : "ok", ++nr,
		       test->name);
		if (how == SKIPPED)
			printf(" # SKIP %s", skipped);
		putchar('\n');
		/* Whoever only asks whether there is one need not wait for the others. */
		if (failed && getenv("TEST_FIRST_FAILURE"))
			break;
	}
	/* A name that no test has is no success. */
	return failed || !count ? EXIT_FAILURE : EXIT_SUCCESS;
}
