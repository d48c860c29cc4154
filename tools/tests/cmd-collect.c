// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr collect on a machine that has no branch records: its options, and that it says
 * so. What it does on one that has them: see selftests/collect.sh.
 */
#include "cmd-run.h"
#include "refuse-call.h"
#include "test.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void refuses(const char *options, const char *text)
{
	CHECK_EQ(run("ssctr collect -d %s/counts %s", test_tmpdir(), options), 2);
	CHECK_STR(run_out, "");
	if (!strstr(run_err, text))
		test_fail(__FILE__, __LINE__, "%s: %s", options, run_err);
	/* Nothing was begun. */
	CHECK(access(test_path("counts/state"), F_OK));
}

TEST(budgets_are_shares)
{
	refuses("--budget 0", "--budget 0: not a share of the CPUs' time such as 0.5%");
	refuses("--budget -1%", "--budget -1%: not a share");
	refuses("--budget 101%", "--budget 101%: not a share");
	refuses("--budget 1h", "--budget 1h: not a share");
	refuses("--budget x", "--budget x: not a share");
}

TEST(times_have_units)
{
	refuses("--period 0", "--period 0: not a time such as 30s, 10m, 1h or 14d");
	refuses("--period 5x", "--period 5x: not a time");
	refuses("--period 5mm", "--period 5mm: not a time");
	refuses("--period ''", "--period : not a time");
	refuses("--period nan", "--period nan: not a time");
	refuses("--period 1e99d", "--period 1e99d: not a time");
	refuses("--turn x", "--turn x: not a time");
	refuses("--keep 1y", "--keep 1y: not a time");
}

TEST(sizes_have_units)
{
	refuses("--keep-size 0", "--keep-size 0: not a size such as 500M or 2G");
	refuses("--keep-size 5B", "--keep-size 5B: not a size");
	refuses("--size 0", "--size 0: not a size such as 500M or 2G");
	refuses("--size 3999", "--size: this is too small for what describes the counts; use 4k or more");
}

TEST(a_turn_fits_into_a_period)
{
	refuses("--period 10s --turn 6s", "--turn: a turn must be shorter than half a period");
	refuses("--period 1s --turn 0.1s", "--period: this is too short for a turn; use 2s or more");
	refuses("--period 1.9s --turn 0.1s", "--period: this is too short for a turn; use 2s or more");
}

TEST(numbers_of_samples)
{
	refuses("--samples 0", "--samples 0: the number must be at least 1");
	refuses("--samples x", "'x'");
}

TEST(there_is_no_command)
{
	refuses("./program", "ssctr collect records the whole machine, and no command");
}

TEST(an_unknown_event)
{
	CHECK_EQ(run("ssctr collect -d %s/counts -e nonsense", test_tmpdir()), 2);
	CHECK(strstr(run_err, "-e: "));
	CHECK(strstr(run_err, "nonsense"));
}

/* One line, and what was begun is not taken for a killed process. */
TEST(a_machine_that_cannot_record)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		/* No event that this machine has has branch stacks. */
		CHECK_EQ(run("ssctr collect -d %s/counts --once -e page-faults", test_tmpdir()), 1);
		CHECK(strchr(run_err, '\n') == run_err + strlen(run_err) - 1);
		CHECK(!strncmp(run_err, "ssctr collect: ", 15));
	}
	CHECK(!access(test_path("counts/state"), F_OK));
	CHECK_EQ(run("ls %s/counts/turn", test_tmpdir()), 0);
	CHECK_STR(run_out, "");
}

/* It would remove what is there, and write recordings. */
TEST(a_link_in_place_of_the_folder_of_turns_is_refused)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("mkdir %s/counts %s/etc && ln -s ../etc %s/counts/turn && >%s/etc/turn.data.mine",
		     dir, dir, dir, dir), 0);
	CHECK_EQ(run("ssctr collect -d %s/counts --once -e page-faults", dir), 1);
	CHECK(strstr(run_err, "counts/turn: Not a directory\n"));
	CHECK_EQ(run("ls %s/etc", dir), 0);
	CHECK_STR(run_out, "turn.data.mine\n");
	CHECK_EQ(run("mkdir -m 777 %s/run && RUNTIME_DIRECTORY=%s/run ssctr collect -d %s/counts --once -e page-faults",
		     dir, dir, dir), 1);
	CHECK(strstr(run_err, "/run: other users can write into the folder"));
}

/* As those of a logger that has ended. The status is that of the error, and of no signal. */
TEST(lines_that_nobody_reads_do_not_end_it)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("mkfifo %s/p && exec 3<>%s/p 4>%s/p 3<&- && "
		     "ssctr collect -d %s/counts --once -e page-faults 2>&4", dir, dir, dir, dir), 1);
}

/* Nothing but SIGKILL would end it. */
TEST(without_a_way_to_take_signals_it_does_not_begin)
{
	const char *dir = test_tmpdir();
	int status;

	want_refusals();
	if (!fork()) {
		if (!refuse_call(SYS_signalfd4))
			_exit(1);
		status = run("ssctr collect -d %s/counts --once -e page-faults", dir);
		_exit(status == 1 && !strcmp(run_err, "ssctr collect: signalfd: Too many open files\n") ?
			      0 : 1);
	}
	CHECK(wait(&status) > 0);
	CHECK_EQ(status, 0);
}

static bool state_says(const char *text)
{
	CHECK_EQ(run("cat %s/counts/state", test_tmpdir()), 0);
	return strstr(run_out, text);
}

/* Nobody was told of the kill yet. */
TEST(a_start_that_fails_leaves_it_to_the_next_one_to_tell_of_a_kill)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("ssctr collect -d %s/counts --once -e page-faults", dir), 1);
	CHECK(state_says("\nruns 0\n"));
	CHECK_EQ(run("sed -i 's/^runs 0/runs 1/' %s/counts/state", dir), 0);
	CHECK_EQ(run("ssctr collect -d %s/counts --once -e page-faults", dir), 1);
	CHECK(state_says("\nruns 1\n"));
}

TEST(recordings_are_private)
{
	struct stat st;

	run("ssctr collect -d %s/counts --once -e page-faults", test_tmpdir());
	CHECK(!stat(test_path("counts/turn"), &st));
	CHECK_EQ(st.st_mode & 0777, 0700);
}

TEST(the_folders_of_a_unit)
{
	const char *dir = test_tmpdir();

	run("mkdir %s/run && STATE_DIRECTORY=%s/lib RUNTIME_DIRECTORY=%s/run ssctr collect --once -e page-faults",
	    dir, dir, dir);
	CHECK(!access(test_path("lib/state"), F_OK));
	CHECK(!access(test_path("run/turn"), F_OK));
	CHECK(access(test_path("lib/turn"), F_OK));
}

TEST(a_folder_that_cannot_be_made)
{
	CHECK_EQ(run("ssctr collect -d /nonexistent/counts --once"), 1);
	CHECK_STR(run_err, "ssctr collect: /nonexistent/counts: No such file or directory\n");
}

TEST(profiles_go_into_a_folder_or_to_a_url)
{
	refuses("--pprof -", "--pprof '-': use a folder or a URL");
	refuses("--otlp ''", "--otlp '': give the name of a folder, or a URL");
	refuses("-d ''", "--dir '': give the name of a folder");
	refuses("--names", "--names and --service need --pprof or --otlp");
	refuses("--service x", "--names and --service need --pprof or --otlp");
	refuses("--pprof out --headers x", "--headers, --ca and --timeout need a URL after --pprof or --otlp");
	refuses("--pprof out --timeout 20s", "--headers, --ca and --timeout need a URL after --pprof or --otlp");
	refuses("--pprof http://a/ --timeout 0", "--timeout 0: not a time such as 30s, 10m, 1h or 14d");
	refuses("--pprof http://a/ --timeout 2d", "--timeout 2d: use at most 1d");
	refuses("--pprof out --ca x", "--headers, --ca and --timeout need a URL after --pprof or --otlp");
}
