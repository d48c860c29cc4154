/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts files made by hand, and profiles of them. */
#ifndef TESTS_EXPORT_BUILD_H
#define TESTS_EXPORT_BUILD_H

#include "cmd-run.h"
#include "countfile-build.h"

#include <linux/perf_event.h>

/* Paths below the test's folder. */
static inline const char *in_tmp(const char *name)
{
	static char paths[4][256];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", test_tmpdir(), name);
	return path;
}

/* Print what a profile has, as lines; skip the test where there is no schema. */
static inline void check_profile(const char *format, const char *name, const char *filter)
{
	const int status = run("python3 tools/tests/export.py check %s %s >%s", format,
			       in_tmp(name), in_tmp("said"));

	if (status == 77 || status == 127)
		test_skip("there is no protoc, no python3-protobuf or no schema here");
	if (status)
		test_fail(__FILE__, __LINE__, "%s", run_err);
	CHECK_EQ(run("LC_ALL=C grep -E '%s' %s | LC_ALL=C sort", filter, in_tmp("said")), 0);
}

static struct content hand;

/* One binary, number 2, called /x; and the head that goes with it. */
static inline void begin_counts(void)
{
	content_free(&hand);
	hand.has[0] = hand.has[1] = hand.has[2] = true;
	hand.names[0] = "[unknown]";
	hand.names[1] = "[kernel]";
	hand.names[2] = "/x";
	hand.head.sources = calloc(1, sizeof(*hand.head.sources));
	CHECK(hand.head.sources);
	memset(hand.head.sources->label, 0xab, 16);
	hand.head.nr_sources = 1;
	hand.head.begin = 1700000000;
	hand.head.end = 1700000060;
	hand.head.depth = 32;
	hand.head.samples = 10;
	hand.head.all_branches = true;
}

static inline void add_event(const char *name, uint64_t samples, uint64_t covered, uint64_t count)
{
	hand.head.events = realloc(hand.head.events, 4 * sizeof(*hand.head.events));
	CHECK(hand.head.events);
	hand.head.events[hand.head.nr_events++] =
		(struct cf_event){ strdup(name), samples, covered, count, 0 };
}

static inline void add_sample(uint32_t binary, uint64_t offset, uint64_t count)
{
	content_add_sample(&hand, &(struct cf_sample){ binary, offset, count });
}

static inline void add_call(uint64_t from, uint64_t to, uint32_t length, uint64_t seen)
{
	content_add_step(&hand, &(struct cf_step){
		.from_binary = 2, .from = from, .to_binary = 2, .to = to, .line = 8,
		.type = PERF_BR_CALL, .seen = seen, .weight = seen, .length = length });
}

static inline void end_counts(const char *name)
{
	content_write(in_tmp(name), &hand);
	content_free(&hand);
}

static inline void make_simple(const char *name)
{
	begin_counts();
	add_event("instructions:u", 10, 10000, 20000);
	add_sample(2, 0x1000, 7);
	add_sample(2, 0x1010, 3);
	add_call(0x1002, 0x1010, 5, 4);
	end_counts(name);
}

#endif
