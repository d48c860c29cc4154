// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording from its beginning to its end, of an event of the kernel's own, as the
 * machine that builds has no branch records; why one cannot begin; and the command
 * that it may be of.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perfdata/perfdata.h"
#include "recorder/command.h"
#include "recorder/recorder.h"
#include "recorder/refused.h"
#include "recorder/rings.h"
#include "test.h"

static struct rcd_opts opts;
static struct rcd_events events;
static struct notes notes;
static struct error error;

/* Page faults of user code, without stacks, as rcd_plan() would have them. */
static void begin(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	opts = (struct rcd_opts)RCD_OPTS_INIT;
	opts.output = path;
	opts.period = 1;
	opts.events[opts.nr_events++] = "page-faults:u";
	CHECK_EQ(rcd_plan(&events, &opts, &notes, &error), 0);
	events.v[0].attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	events.v[0].attr.branch_sample_type = 0;
}

static void end(struct rcd *rcd)
{
	rcd_free(rcd);
	rcd_free_events(&events);
	notes_free(&notes);
}

static bool is_there(void)
{
	return !access(opts.output, F_OK);
}

static void start(struct rcd_command *c, const char *first, const char *second,
		  const char *third)
{
	const char *argv[] = { first, second, third, NULL };
	sigset_t mask;

	sigemptyset(&mask);
	CHECK_EQ(rcd_command_start(c, (char **)argv, &mask, RCD_PRINTS, &error), 0);
}

static int wait_for(struct rcd_command *c)
{
	while (!rcd_command_ended(c))
		usleep(1000);
	return rcd_command_end(c);
}

static struct rcd *open_for(const struct rcd_command *command)
{
	struct rcd *rcd;

	if (rings_missing())
		test_skip("there is no libperf");
	if (rcd_new(&rcd, &opts, &events, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	if (rcd_open(rcd, command, &notes)) {
		rcd_free(rcd);
		test_skip(error.text);
	}
	return rcd;
}

/* How often its event happened, by the counts at the file's end. */
static uint64_t happened;
static uint64_t last_wall; /* when the last sample was taken */

static char names[2][17]; /* what the command was called, before it was executed and then */

static void count(struct pd *pd, unsigned int *samples, unsigned int *execs)
{
	struct pd_event ev;
	int ret;

	*samples = *execs = 0;
	happened = 0;
	*names[0] = *names[1] = 0;
	while ((ret = pd_next(pd, &ev)) > 0) {
		if (ev.type == PERF_RECORD_SAMPLE) {
			++*samples;
			CHECK(pd_wall_time(pd, ev.time, &last_wall));
		}
		if (ev.type == PERF_RECORD_COMM) {
			*execs += ev.comm.exec;
			snprintf(names[ev.comm.exec], sizeof(names[0]), "%s", ev.comm.name);
		}
		if (ev.type == PERF_RECORD_READ && !ev.time) {
			CHECK(ev.read.id && ev.cpu != PD_NO_ID);
			happened += ev.read.count;
		}
	}
	CHECK_EQ(ret, 0);
}

TEST(a_command_is_recorded)
{
	static const char *words[] = { "record", "sh" };
	const uint64_t before = (uint64_t)time(NULL);
	unsigned int samples, execs;
	struct rcd_command c;
	struct stat st;
	uint64_t wall;
	struct rcd *rcd;
	struct pd *pd;
	int pipes[2];

	begin("perf.data");
	opts.words = (char **)words;
	opts.nr_words = 2;
	CHECK(!pipe(pipes));
	CHECK(!symlink("/bin/sh", test_path("a-shell-of-many-names")));
	start(&c, test_path("a-shell-of-many-names"), "-c", "exit 7");
	rcd = open_for(&c);
	CHECK_EQ(rcd_start(rcd, pipes[0]), 0);
	CHECK(!is_there());
	CHECK_EQ(rcd_command_go(&c, &error), 0);
	while (rcd_wait(rcd, 1000))
		CHECK_EQ(rcd_drain(rcd), 0);
	rcd_stop(rcd);
	CHECK_EQ(rcd_drain(rcd), 0);
	CHECK_EQ(wait_for(&c), 7);
	CHECK_EQ(rcd_finish(rcd), 0);
	CHECK(!stat(opts.output, &st));
	CHECK_EQ(rcd_size(rcd), st.st_size);
	CHECK_EQ(pd_open(&pd, opts.output), 0);
	CHECK_STR(pd_text(pd, PD_CMDLINE), "ssctr record sh");
	CHECK_STR(pd_attr(pd, 0)->name, "page-faults:u");
	CHECK(*pd_text(pd, PD_HOSTNAME) && *pd_text(pd, PD_ARCH));
	/* time(2) may be behind by a tick. */
	CHECK(pd_wall_start(pd, &wall));
	CHECK(wall / 1000000000 >= before && wall / 1000000000 <= (uint64_t)time(NULL) + 1);
	count(pd, &samples, &execs);
	CHECK(samples > 0);
	CHECK(last_wall >= wall && last_wall / 1000000000 <= (uint64_t)time(NULL) + 1);
	CHECK_EQ(samples, rcd_stats(rcd).samples);
	/* The period is 1. */
	CHECK(happened >= samples);
	CHECK_EQ(execs, 1);
	/* It has the name that the kernel gives it then. */
	CHECK_STR(names[1], "a-shell-of-many");
	CHECK_STR(names[0], "a-shell-of-many");
	CHECK_EQ(rcd_stats(rcd).lost, 0);
	CHECK(rcd_span(rcd) > 0);
	pd_close(pd);
	close(pipes[0]);
	close(pipes[1]);
	end(rcd);
}

/* Copy a program. No program header of the copy has its notes, so that sections alone do. */
static void copy_without_notes(const char *from, const char *to)
{
	static char bytes[1 << 21];
	const Elf64_Ehdr *eh = (void *)bytes;
	Elf64_Phdr *ph;
	FILE *f = fopen(from, "r");
	size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	int i;

	CHECK(n > sizeof(*eh) && n < sizeof(bytes) && !fclose(f));
	ph = (Elf64_Phdr *)(bytes + eh->e_phoff);
	for (i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_NOTE)
			ph[i].p_type = PT_NULL;
	f = fopen(to, "w");
	CHECK(f && fwrite(bytes, 1, n, f) == n && !fclose(f) && !chmod(to, 0700));
}

/* What the kernel does not find in a mapping, as of Go programs. */
TEST(a_build_id_in_a_section_alone_is_recorded)
{
	char program[256];
	unsigned int found = 0;
	struct rcd_command c;
	struct pd_event ev;
	struct rcd *rcd;
	struct pd *pd;

	snprintf(program, sizeof(program), "%s/go", test_tmpdir());
	copy_without_notes("/bin/true", program);
	begin("perf.data");
	start(&c, program, NULL, NULL);
	rcd = open_for(&c);
	CHECK_EQ(rcd_start(rcd, -1), 0);
	CHECK_EQ(rcd_command_go(&c, &error), 0);
	while (rcd_wait(rcd, 1000))
		CHECK_EQ(rcd_drain(rcd), 0);
	CHECK_EQ(rcd_drain(rcd), 0);
	CHECK_EQ(wait_for(&c), 0);
	CHECK_EQ(rcd_finish(rcd), 0);
	CHECK_EQ(pd_open(&pd, opts.output), 0);
	while (pd_next(pd, &ev) > 0)
		if (ev.type == PERF_RECORD_MMAP && !strcmp(ev.mmap.name, program))
			found = ev.mmap.build_id_size;
	pd_close(pd);
	end(rcd);
	CHECK_EQ(found, 20);
}

/* What the rings had is more than what a full output has taken. */
TEST(the_size_is_that_of_what_was_written)
{
	enum { MOST = 16 << 10 };
	const struct rlimit small = { MOST, MOST };
	struct rcd_command c;
	struct rcd *rcd;

	begin("perf.data");
	start(&c, "sh", "-c",
	      "for i in 1 2 3 4 5 6 7 8 9 10; do ls /; done >/dev/null");
	rcd = open_for(&c);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!setrlimit(RLIMIT_FSIZE, &small));
	CHECK_EQ(rcd_start(rcd, -1), 0);
	CHECK_EQ(rcd_command_go(&c, &error), 0);
	while (rcd_wait(rcd, 1000))
		CHECK_EQ(rcd_drain(rcd), 0);
	CHECK_EQ(rcd_drain(rcd), 0);
	CHECK_EQ(wait_for(&c), 0);
	CHECK(rcd_full(rcd) == EFBIG);
	CHECK(rcd_size(rcd) > 0 && rcd_size(rcd) <= MOST);
	rcd_finish(rcd);
	CHECK(rcd_dropped(rcd) > 0);
	CHECK(rcd_size(rcd) > 0 && rcd_size(rcd) <= MOST);
	end(rcd);
}

static pid_t stubborn;
static volatile sig_atomic_t let_go;

static void end_stubborn(int nr)
{
	(void)nr;
	let_go = 1;
	kill(stubborn, SIGKILL);
}

/* Else Ctrl-C would wait for a command that ignores SIGTERM, which may take it for ever. */
TEST(signals_come_while_a_command_takes_long_to_end)
{
	struct rcd_command c;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, end_stubborn);
	start(&c, "sh", "-c", "trap '' TERM; kill -s USR1 $PPID; exec sleep 100");
	stubborn = c.pid;
	CHECK_EQ(rcd_command_go(&c, &error), 0);
	do
		sigpending(&set);
	while (!sigismember(&set, SIGUSR1));
	CHECK_EQ(rcd_command_end(&c), 0);
	CHECK(let_go);
}

/* Else a recorder would wait for a signal until its next ring is half full. */
TEST(a_file_that_can_be_read_ends_the_waiting)
{
	struct rcd *rcd;
	int pipes[2];

	begin("perf.data");
	rcd_free_events(&events);
	CHECK(rcd_add_pid(&opts.pids, getpid()));
	CHECK_EQ(rcd_plan(&events, &opts, &notes, &error), 0);
	events.v[0].attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	events.v[0].attr.branch_sample_type = 0;
	rcd = open_for(NULL);
	CHECK(!pipe(pipes));
	CHECK_EQ(write(pipes[1], "", 1), 1);
	CHECK_EQ(rcd_start(rcd, pipes[0]), 0);
	/* If it does not, this test shall not wait for ever. */
	alarm(100);
	CHECK(rcd_wait(rcd, -1));
	alarm(0);
	CHECK_EQ(rcd_drain(rcd), 0);
	close(pipes[0]);
	close(pipes[1]);
	free(opts.pids.v);
	end(rcd);
	CHECK(!is_there());
}

/* By the header of the file: the events of all threads and CPUs. */
static uint64_t count_opened(void)
{
	uint64_t head[5], section[2], nr = 0, i; /* magic, size, attr_size, attrs */
	FILE *file = fopen(opts.output, "r");

	CHECK(file && fread(head, sizeof(head), 1, file) == 1);
	for (i = 1; i <= head[4] / head[2]; i++) {
		/* Behind each attr is where its ids are. */
		CHECK(!fseek(file, head[3] + i * head[2] - sizeof(section), SEEK_SET));
		CHECK_EQ(fread(section, sizeof(section), 1, file), 1);
		nr += section[1] / sizeof(uint64_t);
	}
	CHECK(!fclose(file));
	return nr;
}

/* Returns how many events were opened, and stores how many threads were there before. */
static uint64_t record_self(unsigned int nr_pids, unsigned int nr_tids, unsigned int *nr_told)
{
	struct pd_event ev;
	struct rcd *rcd;
	struct pd *pd;

	begin("perf.data");
	rcd_free_events(&events);
	while (nr_pids--)
		CHECK(rcd_add_pid(&opts.pids, getpid()));
	while (nr_tids--)
		CHECK(rcd_add_pid(&opts.tids, getpid()));
	CHECK_EQ(rcd_plan(&events, &opts, &notes, &error), 0);
	events.v[0].attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	events.v[0].attr.branch_sample_type = 0;
	rcd = open_for(NULL);
	CHECK_EQ(rcd_start(rcd, -1), 0);
	rcd_stop(rcd);
	CHECK_EQ(rcd_drain(rcd), 0);
	CHECK_EQ(rcd_finish(rcd), 0);
	CHECK_EQ(pd_open(&pd, opts.output), 0);
	for (*nr_told = 0; pd_next(pd, &ev) > 0;)
		*nr_told += ev.type == PERF_RECORD_FORK;
	pd_close(pd);
	free(opts.pids.v);
	free(opts.tids.v);
	end(rcd);
	return count_opened();
}

TEST(a_thread_that_is_named_twice_is_recorded_once)
{
	unsigned int nr_told;
	const uint64_t once = record_self(1, 0, &nr_told);

	CHECK(once > 0);
	CHECK_EQ(nr_told, 1);
	CHECK_EQ(record_self(2, 0, &nr_told), once);
	CHECK_EQ(nr_told, 1);
	CHECK_EQ(record_self(1, 2, &nr_told), once);
	CHECK_EQ(nr_told, 1);
}

/* No kernel has an event of this type. */
static void add_bad_event(bool optional)
{
	CHECK_EQ(rcd_add_events(&events, "dummy:u", &error), 0);
	events.v[events.nr - 1].attr.type = 0x7ffffff0;
	events.v[events.nr - 1].attr.disabled = 1;
	strcpy(events.v[events.nr - 1].name, "bad");
	events.v[events.nr - 1].optional = optional;
}

TEST(what_nobody_asked_for_is_left_out)
{
	struct rcd_command c;
	struct rcd *rcd;

	begin("perf.data");
	add_bad_event(true);
	start(&c, "true", NULL, NULL);
	rcd = open_for(&c);
	CHECK_EQ(events.nr, 1);
	CHECK_EQ(notes.nr, 1);
	CHECK(strstr(notes.v[0].text, "not recorded: bad: "));
	end(rcd);
	CHECK_EQ(rcd_command_end(&c), 0);
}

TEST(what_was_asked_for_is_not)
{
	struct rcd_command c;
	struct rcd *rcd;

	if (rings_missing())
		test_skip("there is no libperf");
	begin("perf.data");
	add_bad_event(false);
	start(&c, "true", NULL, NULL);
	CHECK_EQ(rcd_new(&rcd, &opts, &events, &error), 0);
	CHECK_EQ(rcd_open(rcd, &c, &notes), ERROR_INPUT);
	if (!strstr(error.text, "not allowed") &&
	    !strstr(error.text, "not implemented"))
		CHECK_STR(
			error.text,
			"bad: this machine has no such event; `ssctr doctor` tells what it has");
	end(rcd);
	CHECK_EQ(rcd_command_end(&c), 0);
	CHECK(!is_there());
}

TEST(a_file_that_cannot_be_made_is_told)
{
	struct rcd *rcd;

	if (rings_missing())
		test_skip("there is no libperf");
	begin("no/such/folder");
	CHECK_EQ(rcd_new(&rcd, &opts, &events, &error), ERROR_OUTPUT);
	CHECK(!rcd);
	CHECK(strstr(error.text, "no/such/folder: No such file or directory"));
	end(NULL);
}

TEST(a_refusal_says_what_helps)
{
	static const struct {
		int code;
		bool stack;
		const char *says;
	} refusals[] = {
		{ EOPNOTSUPP, true, "x: this machine, or one of the CPUs, does not record branches" },
		{ EOPNOTSUPP, false, "x: Operation not supported" },
		{ EACCES, true,
		  "x: not allowed; kernel.perf_event_paranoid is " },
		{ EPERM, false, "x: not allowed; " },
		{ ENOENT, false, "x: this machine has no such event" },
		{ ENODEV, false, "x: this machine has no such event" },
		{ EINVAL, true,
		  "x: the kernel refuses this event, or its filter (-j);" },
		{ EINVAL, false, "x: the kernel refuses this event;" },
		{ EMFILE, false, "ulimit -n" },
		{ ESRCH, false, "the process or thread to record has ended" },
		{ ENOSYS, false, "x: Function not implemented" },
	};
	static const struct {
		int code;
		const char *says;
	} rings[] = {
		{ EPERM, "-m 128: more pages than" },
		{ ENODEV, "-C 7: each of these CPUs has to be online, and to be named once; online are: 0" },
		{ ENOMEM, "-m 128: not enough memory" },
		{ EBADF, "the ring buffers cannot be mapped: Bad file descriptor" },
	};
	struct rcd_event e = { .name = "x" };
	unsigned int i;

	opts = (struct rcd_opts)RCD_OPTS_INIT;
	opts.cpus = "7";
	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		e.attr.sample_type =
			refusals[i].stack ? PERF_SAMPLE_BRANCH_STACK : 0;
		CHECK_EQ(rcd_refused(&opts, &e, refusals[i].code, &error),
			 ERROR_INPUT);
		if (!strstr(error.text, refusals[i].says))
			test_fail(__FILE__, __LINE__, "%s: %s",
				  refusals[i].says, error.text);
	}
	for (i = 0; i < sizeof(rings) / sizeof(*rings); i++) {
		rcd_refused(&opts, NULL, rings[i].code, &error);
		if (!strstr(error.text, rings[i].says))
			test_fail(__FILE__, __LINE__, "%s: %s", rings[i].says,
				  error.text);
	}
}

TEST(only_who_records_cpus_is_told_of_some_that_do_not_record)
{
	struct rcd_event e = { .attr.sample_type = PERF_SAMPLE_BRANCH_STACK, .name = "x" };

	opts = (struct rcd_opts)RCD_OPTS_INIT;
	CHECK_EQ(rcd_refused(&opts, &e, EOPNOTSUPP, &error), ERROR_INPUT);
	CHECK(strstr(error.text, "x: this machine does not record branches"));
	opts.all = true;
	CHECK_EQ(rcd_refused(&opts, &e, EOPNOTSUPP, &error), ERROR_INPUT);
	CHECK(strstr(error.text, "or one of the CPUs,"));
}

/* No hart, and no filter, has branches for them. */
TEST(an_event_that_never_has_branches_is_recorded_beside_another)
{
	static const unsigned int types[] = { PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT };
	struct rcd_event e = { .attr.sample_type = PERF_SAMPLE_BRANCH_STACK, .name = "cs" };
	unsigned int i;

	opts = (struct rcd_opts)RCD_OPTS_INIT;
	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		e.attr.type = types[i];
		CHECK_EQ(rcd_refused(&opts, &e, EOPNOTSUPP, &error), ERROR_INPUT);
		CHECK_STR(error.text, "cs: this event has no branch stacks; record it beside one that a hart counts, as in -e cycles:u,cs");
	}
}

#define OTHER "this setting is not the reason; a container (by seccomp, "

static void check_advice(const struct rcd_event *e, int level, enum doctor_rights rights,
			 const char *says)
{
	CHECK_EQ(rcd_not_allowed(&opts, e, level, rights, &error), ERROR_INPUT);
	if (!strstr(error.text, says))
		test_fail(__FILE__, __LINE__, "%s: %s", says, error.text);
}

TEST(the_advice_is_about_what_was_refused)
{
	static const struct {
		int level;
		enum doctor_rights rights;
		bool all, kernel;
		const char *says;
	} asked[] = {
		{ 3, DOCTOR_RIGHTS_NONE, false, false,
		  "is 3: only root can use perf; run as root, or: sysctl" },
		{ 4, DOCTOR_RIGHTS_NONE, true, true, "is 4: only root can use perf; " },
		{ 2, DOCTOR_RIGHTS_NONE, true, false,
		  "is 2: only root can record whole CPUs (-a, -C)" },
		{ 1, DOCTOR_RIGHTS_NONE, true, false,
		  "is 1: only root can record whole CPUs (-a, -C)" },
		{ 2, DOCTOR_RIGHTS_NONE, false, true,
		  "is 2: only root can record the kernel's code" },
		{ 2, DOCTOR_RIGHTS_NONE, false, false, OTHER },
		{ 1, DOCTOR_RIGHTS_NONE, false, true, OTHER },
		{ -1, DOCTOR_RIGHTS_NONE, true, true, OTHER },
		/* Who is root is not told to become it. */
		{ 3, DOCTOR_RIGHTS_ALL, false, false, OTHER },
		{ 2, DOCTOR_RIGHTS_ALL, true, true, OTHER },
		{ 2, DOCTOR_RIGHTS_CONTAINED, true, false,
		  "is 2: only root can record whole CPUs (-a, -C); record as root, or record your own processes; you are root only in a user namespace " },
		{ 3, DOCTOR_RIGHTS_CONTAINED, false, false,
		  "kernel.perf_event_paranoid=2 (1: the kernel's code too, 0: whole CPUs); you are root only in a user namespace " },
		{ 2, DOCTOR_RIGHTS_CONTAINED, false, false, OTHER },
	};
	struct rcd_event e = { .name = "x" };
	unsigned int i;

	opts = (struct rcd_opts)RCD_OPTS_INIT;
	for (i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		opts.all = asked[i].all;
		e.attr.exclude_kernel = !asked[i].kernel;
		check_advice(&e, asked[i].level, asked[i].rights, asked[i].says);
	}
}

TEST(branches_of_the_kernel_are_refused_to_events_of_user_code)
{
	static const struct {
		int level;
		enum doctor_rights rights;
		bool stack;
		uint64_t branches;
		const char *says;
	} asked[] = {
		{ 2, DOCTOR_RIGHTS_NONE, true, PERF_SAMPLE_BRANCH_KERNEL,
		  "is 2: only root can record the kernel's branches; record as root, or remove k and hv from the filter (-j)" },
		{ 2, DOCTOR_RIGHTS_NONE, true, PERF_SAMPLE_BRANCH_HV,
		  "is 2: only root can record the kernel's branches" },
		{ 1, DOCTOR_RIGHTS_NONE, true, PERF_SAMPLE_BRANCH_KERNEL, OTHER },
		{ 2, DOCTOR_RIGHTS_ALL, true, PERF_SAMPLE_BRANCH_KERNEL, OTHER },
		{ 2, DOCTOR_RIGHTS_NONE, true, 0, OTHER },
		/* The kernel does not look at the filter of an event without branches. */
		{ 2, DOCTOR_RIGHTS_NONE, false, PERF_SAMPLE_BRANCH_KERNEL, OTHER },
	};
	struct rcd_event e = { .name = "x" };
	unsigned int i;

	opts = (struct rcd_opts)RCD_OPTS_INIT;
	e.attr.exclude_kernel = 1;
	for (i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		e.attr.sample_type = asked[i].stack ? PERF_SAMPLE_BRANCH_STACK : 0;
		e.attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | asked[i].branches;
		check_advice(&e, asked[i].level, asked[i].rights, asked[i].says);
	}
}

TEST(a_command_waits_until_it_may_start)
{
	char script[300];
	struct rcd_command c;

	begin("ran");
	snprintf(script, sizeof(script), "echo >%s", opts.output);
	start(&c, "sh", "-c", script);
	CHECK(!rcd_command_ended(&c));
	/* Nothing came of the recording. */
	CHECK_EQ(rcd_command_end(&c), 0);
	CHECK(!is_there());
	start(&c, "sh", "-c", script);
	CHECK_EQ(rcd_command_go(&c, &error), 0);
	CHECK_EQ(wait_for(&c), 0);
	CHECK(is_there());
	end(NULL);
}

TEST(a_command_that_cannot_be_executed_is_told)
{
	struct rcd_command c;

	start(&c, "/no/such/program", NULL, NULL);
	CHECK_EQ(rcd_command_go(&c, &error), ERROR_INPUT);
	CHECK_STR(error.text, "/no/such/program: No such file or directory");
	CHECK_EQ(c.why, ENOENT);
	CHECK_EQ(wait_for(&c), 127);
}

TEST(without_files_for_its_pipes_a_command_is_not_blamed)
{
	const char *argv[] = { "/the/program", NULL };
	struct rlimit before, less;
	struct rcd_command c;
	sigset_t mask;
	int fd = dup(0), ret;

	close(fd);
	sigemptyset(&mask);
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
	less = (struct rlimit){ fd + 2, before.rlim_max };
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &less), 0);
	ret = rcd_command_start(&c, (char **)argv, &mask, RCD_PRINTS, &error);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	CHECK_EQ(ret, ERROR_INPUT);
	CHECK_STR(error.text,
		  "/the/program was not run: Too many open files; raise `ulimit -n`");
	CHECK_EQ(dup(0), fd);
	close(fd);
}

TEST(a_command_that_is_killed_while_it_waits_is_told)
{
	struct rcd_command c;

	signal(SIGPIPE, SIG_IGN);
	start(&c, "/the/program", NULL, NULL);
	kill(c.pid, SIGKILL);
	while (!rcd_command_ended(&c))
		usleep(1000);
	CHECK_EQ(rcd_command_go(&c, &error), ERROR_INPUT);
	CHECK_STR(error.text,
		  "/the/program was not run, because its process was killed before");
	rcd_command_end(&c);
}

static const char *hides(const char *name)
{
	struct rcd_command c = { .name = name };
	const char *what = rcd_command_hides(&c);

	return what ? what : "";
}

/* Root, and another user, own the program, and are those who record. */
TEST(programs_whose_events_the_kernel_ends_are_known)
{
	const uid_t me = geteuid(), other = 65534;
	const gid_t group = getegid();
	const char *path = test_path("bin/program");
	char *before = strdup(getenv("PATH"));
	int fd = creat(path, 0755);
	char folders[600];

	CHECK(before && fd >= 0 && !close(fd));
	CHECK(!setenv("PATH", "/no/such/folder:/bin", 1));
	CHECK_STR(hides("program"), "");
	CHECK_STR(hides("/no/such/program"), "");
	snprintf(folders, sizeof(folders), "%s:%s/bin", path, test_tmpdir());
	CHECK(!chmod(path, 06755));
	/* One's own gives no other rights. */
	CHECK_STR(hides(path), "");
	if (me) {
		setenv("PATH", before, 1);
		free(before);
		test_skip("only root can be another user");
	}
	CHECK(!setenv("PATH", folders, 1));
	CHECK(!chmod(test_tmpdir(), 0755));
	CHECK(!seteuid(other));
	CHECK_STR(hides(path), "is set-uid");
	CHECK(!seteuid(0) && !chown(path, other, 0) && !chmod(path, 06755));
	CHECK_STR(hides(path), "is set-uid");
	CHECK(!chmod(path, 02755));
	CHECK_STR(hides(path), "");
	CHECK(!setegid(other));
	CHECK_STR(hides(path), "is set-gid");
	CHECK(!chmod(path, 02745));
	CHECK_STR(hides(path), "");
	CHECK(!setegid(group) && !chown(path, 0, 0) && !chmod(path, 0711));
	CHECK_STR(hides(path), "");
	CHECK(!seteuid(other));
	CHECK_STR(hides(path), "cannot be read");
	/* As the shell finds it. */
	CHECK_STR(hides("program"), "cannot be read");
	CHECK(!seteuid(0) && !setenv("PATH", before, 1));
	free(before);
}

TEST(a_commands_status_is_its_own)
{
	struct rcd_command c;

	start(&c, "sh", "-c", "kill -9 $$");
	CHECK_EQ(rcd_command_go(&c, &error), 0);
	CHECK_EQ(wait_for(&c), 128 + SIGKILL);
}
