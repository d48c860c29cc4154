/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A receiver of profiles: export.py answers as it is told, and keeps what came. Each
 * counts file has samples of its own number, by which a profile is known again.
 */
#ifndef TESTS_EXPORT_RECEIVER_H
#define TESTS_EXPORT_RECEIVER_H

#include "export-build.h"

/* Start a receiver with these answers. Its URL is in $URL of all commands. */
static inline void serve(const char *answers)
{
	CHECK_EQ(run("cd %s && rm -rf in && mkdir in", test_tmpdir()), 0);
	if (run("python3 -c ''"))
		test_skip("there is no python3 here");
	CHECK_EQ(run("python3 tools/tests/export.py serve %s %s >%s 2>&1 & echo $! >%s",
		     in_tmp("in"), answers, in_tmp("server"), in_tmp("pid")), 0);
	if (run("i=0; while [ ! -s %s ]; do sleep 0.05; i=$((i + 1)); [ $i -lt 6000 ] || exit 1; done",
		in_tmp("in/port")))
		test_fail(__FILE__, __LINE__, "the receiver did not start");
}

/* When it has ended, nobody listens at its port. Its parent need not ask how it ended. */
static inline void stop(void)
{
	CHECK_EQ(run("pid=$(cat %s) && kill $pid && "
		     "while grep -qs '^State:[[:space:]]*[^[:space:]ZX]' /proc/$pid/status; do "
		     "sleep 0.02; done", in_tmp("pid")), 0);
}

/* A counts file, below the test's folder. */
static inline void make_counts(const char *name, unsigned int nr)
{
	begin_counts();
	hand.head.begin = 1000 + nr;
	hand.head.end = 2000 + nr;
	hand.head.sources->first = hand.head.sources->last = nr;
	add_sample(2, 0x1000, nr);
	end_counts(name);
}

/* What the receiver has written of all requests. */
static inline const char *requests(void)
{
	CHECK_EQ(run("cat %s 2>&-; true", in_tmp("in/log")), 0);
	return run_out;
}

/* The numbers of the profiles that came, in their order. */
static inline const char *arrived(const char *format)
{
	static char all[1024];
	const int status = run("python3 tools/tests/export.py check %s $(ls -v %s/body-*) >%s",
			       format, in_tmp("in"), in_tmp("said"));

	if (status == 77)
		test_skip("there is no protoc, no python3-protobuf or no schema here");
	if (status)
		test_fail(__FILE__, __LINE__, "%s", run_err);
	CHECK_EQ(run("sed -n 's/^samples .* //p' %s | paste -sd ' '", in_tmp("said")), 0);
	snprintf(all, sizeof(all), "%.*s", (int)strcspn(run_out, "\n"), run_out);
	return all;
}

#endif
