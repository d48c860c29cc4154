// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr record: its options and its refusals. What it records is a matter of the
 * machine that can: see selftests/recorder.sh.
 */
#include "cmd-run.h"

#include <signal.h>

TEST(something_is_to_be_recorded)
{
	CHECK_EQ(run("ssctr record"), 2);
	CHECK_SAYS("a COMMAND, -p, -t, -a or -C");
	CHECK_EQ(run("ssctr record -a -p 1"), 2);
	CHECK_SAYS("-p and -t cannot be used together with -a or -C");
}

TEST(a_terminal_gets_no_recording)
{
	CHECK_EQ(run("ssctr record -o - true >%s", open_terminal()), 1);
	CHECK_SAYS("ssctr record: -o -: standard output is a terminal, and the output is binary");
	close_terminal();
}

TEST(a_commands_options_are_its_own)
{
	/* -l of ls is none of ours; the event is refused before. */
	CHECK_EQ(run("ssctr record -e nonsense ls -l"), 2);
	CHECK_SAYS("there is no event 'nonsense'");
	CHECK_EQ(run("ssctr record -l ls"), 2);
	CHECK_SAYS("unknown option '-l'");
}

TEST(what_makes_no_sense_is_a_usage_error)
{
	static const struct {
		const char *options, *says;
	} wrong[] = {
		{ "-c 0", "-c 0: the period must be at least 1" },
		{ "-F 0", "-F 0: the rate must be at least 1" },
		{ "-F fast", "-F: 'fast' is not a number" },
		{ "-c 5 -F 5", "-c and -F cannot be used together" },
		{ "-j any,nonsense", "there is no filter 'nonsense'" },
		{ "-j ''", "there is no filter ''" },
		{ "-j any_cal", "'any_cal' (did you mean any_call?)" },
		{ "-e cycels", "no event 'cycels' (did you mean cycles?)" },
		{ "-e instruction:u", "'instruction:u' (did you mean instructions?)" },
		{ "-e nonsense:x", "there is no event 'nonsense:x'; see" },
		{ "--depth 0", "--depth 0: the depth must be 1 to 256" },
		{ "--depth 257", "--depth 257: the depth must be 1 to 256" },
		{ "--for fun", "--for fun: unknown purpose; use stf or profile" },
		{ "-p 1,x", "-p 1,x: not a list of processes" },
		{ "-p 0", "-p 0: not a list of processes" },
		{ "-p ' 5'", "-p  5: not a list of processes" },
		{ "-p +1", "-p +1: not a list of processes" },
		{ "-p -1", "-p -1: not a list of processes" },
		{ "-p 1,", "-p 1,: not a list of processes" },
		{ "-p 1,+2", "-p 1,+2: not a list of processes" },
		{ "-t +1", "-t +1: not a list of threads" },
		{ "-t ''", "-t : not a list of threads" },
		{ "-t ,", "-t ,: not a list of threads" },
		{ "-C a", "-C a: not a list of CPUs" },
		{ "-C ''", "-C : not a list of CPUs" },
		{ "-m 3", "-m 3: the number of pages must be a power of two" },
		{ "-m 0", "-m 0: the number of pages must be a power of two" },
		{ "--duration 0", "--duration 0: not a number of seconds" },
		{ "--duration soon", "--duration soon: not a number" },
		{ "-e cycles/period=1", "no second /" },
		{ "--windows 5", "--windows 5: not SIZE/EVERY in instructions" },
		{ "--windows 3k/5k", "--windows 3k/5k: EVERY must be at least twice SIZE" },
		{ "--windows 1k/1M -c 5", "--windows cannot be used together with -e, -c and -F" },
		{ "--windows 1k/1M -F 5", "--windows cannot be used together with -e, -c and -F" },
		{ "--windows 1k/1M -e cycles", "--windows cannot be used together with -e, -c" },
		{ "--windows 1k/1M -j any_call", "because a window needs all branches" },
		{ "--windows 1k/1M --for profile", "together with --for profile" },
		{ "--windows 1k/1M --depth 7", "--depth 7: windows need a depth of at least 8" },
		{ "--windows-seed 5", "--windows-seed and --windows-places need --windows" },
		{ "--windows-places systematic", "need --windows SIZE/EVERY" },
		{ "--windows-places random", "need --windows SIZE/EVERY" },
		{ "--windows 1k/1M --windows-seed x", "--windows-seed: 'x' is not a number" },
		{ "--windows 1k/1M --windows-places x", "use random or systematic" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_EQ(run("ssctr record %s true", wrong[i].options), 2);
		CHECK_SAYS(wrong[i].says);
	}
}

/* Without libperf each is refused for that, with one line, too. */
static bool can_record(void)
{
	run("ssctr record -e cpu-clock true");
	return !strstr(run_err, "without libperf");
}

TEST(an_event_without_branch_stacks_is_refused)
{
	const char *dir = test_tmpdir();

	if (!can_record())
		test_skip("there is no libperf");
	CHECK_EQ(run("ssctr record -e cpu-clock -o %s/perf.data touch %s/ran",
		     dir, dir),
		 1);
	/* Or this machine lets nobody open events. */
	if (!strstr(run_err, "not allowed") &&
	    !strstr(run_err, "not implemented"))
		CHECK_SAYS(
			"cpu-clock: this event has no branch stacks; record it beside one that a hart counts, as in -e cycles:u,cpu-clock\n");
	/* Nothing is left, and the command has not run. */
	CHECK_EQ(run("ls %s", dir), 0);
	CHECK(!strstr(run_out, "perf.data") && !strstr(run_out, "ran"));
}

/* A signal waits for whoever has blocked it. Shells clear what is blocked. */
static int record_with_pending(int signal)
{
	char ssctr[1024];
	ssize_t n = readlink("/proc/self/exe", ssctr, sizeof(ssctr) - 8);
	int status;
	pid_t pid;

	CHECK(n > 0);
	ssctr[n] = 0;
	strcpy(strrchr(ssctr, '/'), "/ssctr");
	pid = fork();
	if (!pid) {
		sigset_t blocked;

		sigemptyset(&blocked);
		sigaddset(&blocked, signal);
		sigprocmask(SIG_BLOCK, &blocked, NULL);
		raise(signal);
		if (chdir(test_tmpdir()) || !freopen("said", "w", stderr))
			_exit(2);
		execl(ssctr, "ssctr", "record", "-e", "cpu-clock", "touch", "ran", NULL);
		_exit(2);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* What else goes wrong then, because the command's process was ended as well, is no reason. */
TEST(a_signal_before_it_begins_is_the_reason)
{
	if (!can_record())
		test_skip("there is no libperf");
	CHECK_EQ(record_with_pending(SIGTERM), 1);
	CHECK_EQ(run("cd %s && cat said >&2 && ls", test_tmpdir()), 0);
	CHECK_STR(run_err,
		  "ssctr record: ended by SIGTERM before the recording began, so the command was not run\n");
	CHECK(!strstr(run_out, "perf.data") && !strstr(run_out, "ran"));
}

TEST(a_process_that_is_not_there_is_told)
{
	if (!can_record())
		test_skip("there is no libperf");
	CHECK_EQ(run("cd %s; ssctr record -p 2147483000", test_tmpdir()), 1);
	CHECK_SAYS("process 2147483000: No such process");
	CHECK_EQ(run("cd %s; ssctr record -t 2147483000", test_tmpdir()), 1);
	CHECK_SAYS("there is no thread 2147483000");
}

TEST(an_output_that_cannot_be_written_is_told_before_anything_runs)
{
	const char *dir = test_tmpdir();

	if (!can_record())
		test_skip("there is no libperf");
	CHECK_EQ(run("ssctr record -o %s/no/perf.data touch %s/ran", dir, dir),
		 1);
	CHECK_SAYS("no/perf.data: No such file or directory");
	CHECK_EQ(run("ls %s/ran", dir), 2);
}

/* By its path, and where the shell finds it. It has not run then, and is what it was. */
TEST(the_program_that_is_run_is_not_replaced)
{
	static const char said[] = ": this is the program that is run, which would be lost; name another file\n";
	static const char *const commands[] = {
		"ssctr record -o prog ./prog", "ssctr record -o ./prog -- ./prog x",
		"ssctr record -o link ./prog", "PATH=$PWD:$PATH ssctr record -o prog prog",
		"ssctr last -o prog ./prog",
	};
	unsigned int i;

	CHECK_EQ(run("cd %s && printf '#!/bin/sh\\ntouch ran\\n' >prog && chmod +x prog && cp prog before && ln -s prog link", test_tmpdir()), 0);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		CHECK_EQ(run("cd %s && %s", test_tmpdir(), commands[i]), 1);
		CHECK_SAYS(said);
	}
	CHECK_EQ(run("cd %s && cmp prog before && ! ls ran", test_tmpdir()), 0);
	/* Another file of this name is none. */
	CHECK_EQ(run("cd %s && mkdir d && cp prog d/other && ssctr record -e nonsense -o other ./d/other", test_tmpdir()), 2);
	CHECK_SAYS("no event 'nonsense'");
}

/* What is opened first has its number then. */
TEST(standard_input_may_be_closed)
{
	const char *dir = test_tmpdir();

	if (!can_record())
		test_skip("there is no libperf");
	CHECK_EQ(run("ssctr record -o %s/no/perf.data true <&-", dir), 1);
	CHECK_SAYS("no/perf.data: No such file or directory");
}
