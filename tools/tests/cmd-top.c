// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr top` on a terminal of its own, with a pipe that the test writes into. */
#include "cmd-sample.h"
#include "jit-build.h"
#include "refuse-call.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

enum { ROWS = 20, COLUMNS = 90, PATIENCE = 600 /* s */ };

static int terminal = -1, fifo = -1;
static pid_t top, recorder;
static bool refuses_signalfd;
static const char *typed_ahead; /* before there is anything to show */
static char seen[1 << 20]; /* what the terminal was sent */
static size_t nr_seen, found; /* up to where it was waited for */

static void type(const char *keys)
{
	CHECK_EQ(write(terminal, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* More of what is sent; false: the terminal is left, or nothing came for long. */
static bool look(void)
{
	struct pollfd file = { .fd = terminal, .events = POLLIN };
	ssize_t n;

	if (poll(&file, 1, PATIENCE * 1000) != 1)
		return false;
	CHECK(nr_seen < sizeof(seen) - 1);
	n = read(terminal, seen + nr_seen, sizeof(seen) - 1 - nr_seen);
	if (n <= 0)
		return false;
	nr_seen += n;
	seen[nr_seen] = 0;
	return true;
}

/* Until the text was sent, behind what was waited for before. */
static void wait_for(int line, const char *text)
{
	const time_t limit = time(NULL) + PATIENCE;
	const char *at;

	while (!(at = strstr(seen + found, text)))
		if (!look() || time(NULL) > limit)
			test_fail(__FILE__, line, "no \"%s\" in: %s", text, seen);
	found = at - seen + strlen(text);
}

#define WAIT_FOR(_text) wait_for(__LINE__, _text)

/* Shell commands on a terminal of that kind. */
static void start(const char *kind, const char *fmt, ...)
{
	const struct winsize size = { .ws_row = ROWS, .ws_col = COLUMNS };
	char command[1024], full[2048], self[1024];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	va_list ap;

	CHECK(n > 0);
	self[n] = 0;
	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(full, sizeof(full), "PATH=%s:$PATH; TERM=%s; export TERM; %s",
		 dirname(self), kind, command);
	nr_seen = found = 0;
	seen[0] = 0;
	top = forkpty(&terminal, NULL, NULL, &size);
	CHECK(top >= 0);
	if (!top) {
		if (refuses_signalfd)
			refuse_call(SYS_signalfd4);
		execl("/bin/sh", "sh", "-c", full, NULL);
		_exit(127);
	}
}

/* It has ended, and the terminal is as it was. Returns its exit status. */
static int end(void)
{
	int status;

	while (look())
		;
	CHECK_EQ(waitpid(top, &status, 0), top);
	close(terminal);
	if (strstr(seen, "Sanitizer") || strstr(seen, "runtime error"))
		test_fail(__FILE__, __LINE__, "%s", seen);
	if (strstr(seen, "\033[?1049h"))
		CHECK(strstr(seen, "\033[?1049l"));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void put_in_pipe(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/part", test_tmpdir());
	CHECK(pdb_write(&rec, path));
	CHECK_EQ(run("cat %s >&%d", path, fifo), 0);
	pdb_free(&rec);
}

/* What has been built of the recording goes into the pipe. */
static void send(void)
{
	pdb_finish_pipe(&rec);
	put_in_pipe();
}

/* Later records of the same recording, without its head. */
static void begin_more(void)
{
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
}

static void send_more(void)
{
	pdb_put(&rec.file, rec.data.p, rec.data.n);
	put_in_pipe();
}

static void add_loops(unsigned int nr)
{
	static uint64_t time;

	while (nr--)
		add_sample(5, ++time, MAP_AT, 4, loop);
	pdb_round(&rec);
	pdb_round(&rec);
}

/* A recording into a pipe that stays open, and who shows it, with these options. */
static void show(const char *options, unsigned int samples)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	CHECK(elfb_write(&elf, path));
	snprintf(path, sizeof(path), "%s/pipe", test_tmpdir());
	CHECK_EQ(mkfifo(path, 0600), 0);
	start("xterm", "exec ssctr top --input %s --symfs %s %s", path, test_tmpdir(), options);
	if (typed_ahead)
		type(typed_ahead);
	fifo = open(path, O_WRONLY);
	CHECK(fifo >= 0);
	add_loops(samples);
	send();
}

/* --- the process that records: it stands still, and the test writes in its place --- */

/* The pipe into which it writes is the last thing that it has got. */
static void take_pipe(void)
{
	char path[64], target[64];
	struct stat st;
	int fd;

	for (fd = 63; fd > 2; fd--) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", recorder, fd);
		if (!stat(path, &st) && S_ISFIFO(st.st_mode))
			break;
	}
	snprintf(target, sizeof(target), "/proc/%d/fd/%d", recorder, fd);
	fifo = open(target, O_WRONLY);
	CHECK(fifo >= 0);
}

/* Start it, and stop its recorder as soon as this is there. */
static void start_recorder(void)
{
	unsigned long pid;
	char path[128];
	int status;

	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	CHECK(elfb_write(&elf, path));
	start("xterm", "read line; exec ssctr top -d 0.2 --symfs %s -a -e cpu-clock", test_tmpdir());
	if (ptrace(PTRACE_SEIZE, top, 0, PTRACE_O_TRACEFORK)) {
		kill(top, SIGKILL);
		end();
		test_skip("processes cannot be traced here");
	}
	type("\n");
	CHECK_EQ(waitpid(top, &status, 0), top);
	CHECK_EQ(status >> 8, SIGTRAP | PTRACE_EVENT_FORK << 8);
	CHECK(!ptrace(PTRACE_GETEVENTMSG, top, 0, &pid));
	recorder = pid;
	CHECK_EQ(waitpid(recorder, &status, __WALL), recorder);
	take_pipe();
	CHECK(!ptrace(PTRACE_DETACH, top, 0, 0));
}

/* A line of what the kernel says of it. */
static void ask(const char *fmt, void *value)
{
	char line[128];
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/status", recorder);
	file = fopen(line, "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, fmt, value) == 1)
			break;
	fclose(file);
}

/* It closes its pipe before it can be waited for. */
static void wait_for_death(void)
{
	const time_t limit = time(NULL) + PATIENCE;
	char state = 0;

	for (ask("State: %c", &state); state != 'Z'; ask("State: %c", &state)) {
		CHECK(time(NULL) < limit);
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	}
}

/* It goes on, but only to the signal that waits for it or that it gets now. */
static void end_recorder(int nr)
{
	if (nr)
		CHECK(!kill(recorder, nr));
	if (nr == SIGKILL)
		CHECK_EQ(waitpid(recorder, NULL, __WALL), recorder);
	else
		CHECK(!ptrace(PTRACE_DETACH, recorder, 0, 0));
	if (nr)
		wait_for_death();
	close(fifo);
}

static void show_recorder(void)
{
	begin();
	start_recorder();
	add_loops(7);
	send();
	WAIT_FOR("28 transfers in 7 samples");
}

TEST(a_recorder_that_is_killed_is_told)
{
	static const struct {
		int nr;
		const char *says;
	} all[] = {
		{ SIGKILL, "ssctr top: the process that recorded was killed by SIGKILL\r\n" },
		{ SIGTERM, "ssctr top: the process that recorded was killed by SIGTERM\r\n" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		show_recorder();
		end_recorder(all[i].nr);
		WAIT_FOR("ended");
		type("q");
		CHECK_EQ(end(), 1);
		CHECK(strstr(seen, all[i].says));
	}
}

static bool is_pending(int nr)
{
	unsigned long long shared = 0;

	ask("ShdPnd: %llx", &shared);
	return shared >> (nr - 1) & 1;
}

static void wait_for_signal(int nr)
{
	const time_t limit = time(NULL) + PATIENCE;

	while (!is_pending(nr) && time(NULL) < limit)
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	CHECK(is_pending(nr));
}

/* Ctrl-C is sent to both. */
TEST(a_recorder_that_was_to_end_is_not_told)
{
	static const struct {
		const char *key;
		int nr;
	} all[] = { { "q", SIGTERM }, { "\003", SIGINT } };
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		show_recorder();
		type(all[i].key);
		wait_for_signal(all[i].nr);
		end_recorder(0);
		CHECK_EQ(end(), 0);
		CHECK(!strstr(seen, "killed"));
	}
}

/* It has come to where it takes signals, before it opens its events. */
static void show_recorder_that_begins(void)
{
	struct __ptrace_syscall_info call = { 0 };
	int status;

	begin();
	start_recorder();
	CHECK(!ptrace(PTRACE_SETOPTIONS, recorder, 0, PTRACE_O_TRACESYSGOOD));
	do {
		CHECK(!ptrace(PTRACE_SYSCALL, recorder, 0, 0));
		CHECK_EQ(waitpid(recorder, &status, __WALL), recorder);
		CHECK(WIFSTOPPED(status));
		CHECK(ptrace(PTRACE_GET_SYSCALL_INFO, recorder, sizeof(call), &call) > 0);
	} while (call.op != PTRACE_SYSCALL_INFO_ENTRY || call.entry.nr != SYS_signalfd4);
	/* What it writes ends without counts. */
	pdb_feature_text(&rec, PDB_VERSION, "ssctr 0.1");
	send();
	WAIT_FOR("the first interval");
}

static void want_libperf(void)
{
	run("ssctr record -e cpu-clock true");
	if (strstr(run_err, "without libperf"))
		test_skip("there is no libperf");
}

TEST(who_quits_before_the_recorder_has_begun_is_told_nothing)
{
	static const struct {
		const char *key;
		int nr;
	} all[] = { { "q", SIGTERM }, { "\003", SIGINT } };
	unsigned int i;

	want_libperf();
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		show_recorder_that_begins();
		type(all[i].key);
		wait_for_signal(all[i].nr);
		end_recorder(0);
		CHECK_EQ(end(), 0);
		CHECK_STR(strstr(seen, "\033[?1049l"), "\033[?1049l");
	}
}

/* Nothing will be to see, so no key is waited for, and nothing else is said. */
TEST(a_recorder_that_others_end_before_it_has_begun_is_told)
{
	want_libperf();
	show_recorder_that_begins();
	end_recorder(SIGTERM);
	CHECK_EQ(end(), 1);
	CHECK_STR(strstr(seen, "ssctr top: the process"),
		  "ssctr top: the process that recorded was killed by SIGTERM\r\n");
	CHECK(!strstr(seen, "ended"));
}

/* Before there is anything to show. */
TEST(a_recorder_that_is_killed_at_its_begin_is_told)
{
	begin();
	start_recorder();
	end_recorder(SIGKILL);
	pdb_free(&rec);
	CHECK_EQ(end(), 1);
	CHECK(strstr(seen, "ssctr top: the process that recorded was killed by SIGKILL\r\n"));
	CHECK(!strstr(seen, "\033[?1049h"));
}

TEST(without_a_way_to_take_signals_nothing_is_drawn)
{
	want_refusals();
	begin();
	refuses_signalfd = true;
	show("", 7);
	refuses_signalfd = false;
	CHECK_EQ(end(), 1);
	close(fifo);
	CHECK(strstr(seen, "ssctr top: signalfd: Too many open files"));
	CHECK(!strstr(seen, "\033[?1049h"));
}

/* --- what is shown --- */

TEST(functions_are_shown_while_somebody_records)
{
	begin();
	show("-d 0.2", 7);
	/* Each stack has four transfers, of which two enter main and one load. */
	WAIT_FOR("28 transfers in 7 samples");
	WAIT_FOR("\033[7mfunctions\033[m");
	CHECK(strstr(seen, "main (/x)") && strstr(seen, "load (/x)"));
	/* An interval later nothing has happened. */
	WAIT_FOR("0 transfers in 0 samples");
	type("q");
	CHECK_EQ(end(), 0);
	close(fifo);
}

static void add_made(uint64_t at)
{
	static const uint64_t made[][3] = {
		{ 0x90006, 0x90000, 0 }, { 0x90006, 0x90000, 0 },
		{ 0x90026, 0x90020, 0 }, { 0x90026, 0x90020, 0 },
	};

	add_sample(6, at, 0x90000, 4, made);
	pdb_round(&rec);
	pdb_round(&rec);
}

/* What was compiled runs until this is shown. */
static void make_until(const char *edge)
{
	static uint64_t at = 1;
	unsigned int i;

	for (i = 0; i < 100 && !strstr(seen, edge); i++) {
		begin_more();
		add_made(++at);
		send_more();
		WAIT_FOR(" transfers in 1 samples");
		WAIT_FOR("space: stop");
	}
	CHECK(strstr(seen, edge));
}

/* A program lists what it compiled. */
static void compile(const char *line, const char *edge)
{
	CHECK_EQ(run("mkdir -p %s/tmp && echo '%s' >>%s/tmp/perf-6.map", test_tmpdir(), line,
		     test_tmpdir()), 0);
	make_until(edge);
}

TEST(code_that_is_compiled_later_has_its_names)
{
	begin();
	pdb_mmap2(&rec, 6, 0x90000, 0x1000, 0, "//anon", 1);
	add_made(1);
	show("-d 0.2 --by edges", 0);
	WAIT_FOR("4 transfers in 1 samples");
	WAIT_FOR("//anon+0x6 -> //anon+0x0");
	compile("90000 10 first", "first+0x6 -> first+0x0");
	compile("90020 10 later", "later+0x6 -> later+0x0");
	type("q");
	CHECK_EQ(end(), 0);
	close(fifo);
}

TEST(code_that_is_written_to_a_jitdump_later_has_its_names)
{
	static const uint8_t bytes[0x10] = { 0 };
	struct pdb_buf dump = { 0 };
	char path[512];

	begin();
	pdb_mmap2(&rec, 6, 0x90000, 0x1000, 0, "//anon", 1);
	pdb_mmap2(&rec, 6, 0x70000, 0x1000, 0, "/jit-6.dump", 1);
	snprintf(path, sizeof(path), "%s/jit-6.dump", test_tmpdir());
	jitb_begin(&dump, 243, 1);
	jitb_load(&dump, 1, 0x90000, 1, "first", bytes, sizeof(bytes));
	CHECK(jitb_write(&dump, path));
	add_made(1);
	show("-d 0.2 --by edges", 0);
	WAIT_FOR("first+0x6 -> first+0x0");
	WAIT_FOR("space: stop");
	CHECK(strstr(seen, "//anon+0x26 -> //anon+0x20"));
	jitb_load(&dump, 1, 0x90020, 2, "later", bytes, sizeof(bytes));
	CHECK(jitb_write(&dump, path));
	make_until("later+0x6 -> later+0x0");
	free(dump.p);
	type("q");
	CHECK_EQ(end(), 0);
	close(fifo);
}

/* As V8 lists the functions of its library. */
TEST(a_list_that_grows_keeps_the_names_that_files_have_from_it)
{
	static const uint64_t away[][3] = { { MAP_AT + 0x18, MAP_AT, 0 } };
	unsigned int i;

	begin();
	CHECK_EQ(run("mkdir -p %s/tmp && echo '10018 4 Builtin:away' >%s/tmp/perf-5.map",
		     test_tmpdir(), test_tmpdir()), 0);
	for (i = 0; i < 4; i++) {
		if (i)
			begin_more();
		CHECK_EQ(run("echo '9%u000 10 more' >>%s/tmp/perf-5.map", i, test_tmpdir()), 0);
		add_sample(5, 1 + i, MAP_AT + 0x02, 1, away);
		pdb_round(&rec);
		pdb_round(&rec);
		if (i)
			send_more();
		else
			show("-d 0.2 --by edges", 0);
		WAIT_FOR("1 transfers in 1 samples");
		WAIT_FOR("Builtin:away+0x0 -> main");
	}
	type("q");
	CHECK_EQ(end(), 0);
	close(fifo);
}

/* Each screen is of an interval; these lines are of all. */
TEST(what_is_to_be_known_of_the_samples_is_said_in_the_end)
{
	static const char *const lines[] = {
		" 2 samples of different events were added up, such as ",
		" 1 samples of the event, whose coverage is not known: its end was not waited for",
	};
	const char *behind;
	unsigned int i;

	begin();
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	rec.events[1].attr.config = PERF_COUNT_HW_BRANCH_MISSES;
	for (i = 0; i < 2; i++)
		pdb_sample(&rec, i, &(struct pdb_sample){ .ip = MAP_AT, .time = 1, .pid = 5,
			.cpu = 3, .nr_branches = 4, .branches = loop });
	show("-d 0.2", 0);
	WAIT_FOR("8 transfers in 2 samples");
	type("q");
	CHECK_EQ(end(), 0);
	behind = strstr(seen, "\033[?1049l");
	for (i = 0; i < 2; i++)
		if (!strstr(behind, lines[i]))
			test_fail(__FILE__, __LINE__, "%s", behind);
	/* It was we who left. */
	CHECK(!strstr(behind, "killed"));
	close(fifo);
}

/* It comes through a pipe, and takes no room on a disk. */
TEST(room_on_the_disk_is_no_remedy_for_what_is_not_written)
{
	begin();
	pdb_lost(&rec, 0, 5, 40, 1);
	pdb_count(&rec, 0, UINT32_MAX, 4000, 0);
	show("-d 0.2", 0);
	close(fifo);
	WAIT_FOR("ended");
	type("q");
	end();
	CHECK(strstr(seen, "40 events were lost: record with larger buffers (-m) or a longer period (-c)\r\n"));
}

/* A recording that has ended. */
static void show_ended(const char *options)
{
	begin();
	show(options, 7);
	close(fifo);
	WAIT_FOR("ended");
}

TEST(keys_choose_what_is_shown)
{
	show_ended("-d 0.2");
	type("e");
	WAIT_FOR("main+0x6 -> load+0x0");
	WAIT_FOR("\033[7medges\033[m");
	type("c");
	WAIT_FOR("main -> load");
	type("b");
	WAIT_FOR("\033[7mbranches\033[m");
	type("q");
	CHECK_EQ(end(), 0);
}

TEST(keys_that_come_together_all_count)
{
	show_ended("-d 0.2");
	type("le");
	WAIT_FOR("\033[7medges\033[m");
	type("bq");
	CHECK_EQ(end(), 0);
	/* Both were drawn at once. */
	CHECK(!strstr(seen, "\033[7mloops\033[m"));
}

/* Arrows, function keys and the like, and letters with Alt, as different terminals send them. */
TEST(keys_that_send_sequences_are_passed)
{
	static const char *const sequences[] = {
		"\033[A", "\033OA", "\033[24;5~", "\033[c", "\033Oc", "\033[[c", "\033c",
		"\033[1;5c", "\033\033[c", "\033\033Oc",
	};
	unsigned int i;
	char keys[32];

	show_ended("-d 0.2 --by edges");
	for (i = 0; i < sizeof(sequences) / sizeof(*sequences); i++) {
		snprintf(keys, sizeof(keys), "%c%s", i % 2 ? 'e' : 'b', sequences[i]);
		type(keys);
		WAIT_FOR(i % 2 ? "\033[7medges\033[m" : "\033[7mbranches\033[m");
	}
	/* A key by itself. */
	type("\033");
	WAIT_FOR("ended");
	type("q");
	CHECK_EQ(end(), 0);
	CHECK(!strstr(seen, "\033[7mcalls\033[m"));
}

/* More than are taken at once. */
TEST(a_sequence_is_passed_wherever_it_is_read)
{
	char keys[128] = "";
	unsigned int i;

	show_ended("-d 0.2");
	for (i = 0; i < 20; i++)
		strcat(keys, "\033[1;c");
	type(keys);
	type("q");
	CHECK_EQ(end(), 0);
	CHECK(!strstr(seen, "\033[7mcalls\033[m"));
}

TEST(what_is_typed_before_the_first_screen_counts)
{
	begin();
	typed_ahead = "eq";
	show("-d 0.2", 7);
	typed_ahead = NULL;
	CHECK_EQ(end(), 0);
	close(fifo);
	CHECK(strstr(seen, "\033[7medges\033[m"));
}

TEST(a_section_is_named_to_begin_with)
{
	begin();
	show("-d 0.2 --by calls", 3);
	WAIT_FOR("main -> load");
	type("q");
	CHECK_EQ(end(), 0);
	close(fifo);
}

/* An interval later nothing more has happened. */
static void stop_and_go_on(void)
{
	type(" ");
	WAIT_FOR("paused");
	type(" ");
	WAIT_FOR("0 transfers in 0 samples");
}

TEST(it_stops_and_goes_on)
{
	begin();
	show("-d 0.2", 7);
	WAIT_FOR("28 transfers in 7 samples");
	stop_and_go_on();
	type("q");
	CHECK_EQ(end(), 0);
	close(fifo);
}

TEST(the_terminal_s_size_is_kept_to)
{
	const struct winsize small = { .ws_row = 4, .ws_col = 12 };
	unsigned int i;

	begin();
	show("-d 0.2", 7);
	WAIT_FOR("28 transfers in 7 samples");
	close(fifo);
	WAIT_FOR("ended");
	CHECK_EQ(ioctl(terminal, TIOCSWINSZ, &small), 0);
	WAIT_FOR("\033[H\033[7m28 transfers\033[m\033[K\r\n");
	/* Two rows of the text, and the foot, which no new line follows. */
	for (i = 0; i < 2; i++)
		WAIT_FOR("\033[m\033[K\r\n");
	WAIT_FOR("edges  \033[7mfunct\033[m\033[K");
	type("q");
	CHECK_EQ(end(), 0);
}

TEST(an_interrupt_ends_it_and_the_terminal_is_as_before)
{
	begin();
	show("", 7);
	WAIT_FOR("the first interval");
	type("\003");
	CHECK_EQ(end(), 0);
	close(fifo);
}

TEST(a_quit_signal_leaves_the_terminal_as_before)
{
	begin();
	show("", 7);
	WAIT_FOR("the first interval");
	type("\034");
	CHECK_EQ(end(), 0);
	close(fifo);
}

/* As under nohup. */
TEST(an_ignored_hangup_does_not_end_it)
{
	begin();
	signal(SIGHUP, SIG_IGN);
	show("-d 0.2", 7);
	signal(SIGHUP, SIG_DFL);
	WAIT_FOR("28 transfers in 7 samples");
	CHECK_EQ(kill(top, SIGHUP), 0);
	stop_and_go_on();
	type("q");
	CHECK_EQ(end(), 0);
	close(fifo);
}

TEST(without_a_terminal_it_says_so)
{
	CHECK_EQ(run("TERM=xterm ssctr top --input - </dev/null"), 2);
	CHECK_SAYS("standard output is not a terminal; use `ssctr record` and `ssctr report`");
	start("dumb", "ssctr top --input - </dev/null");
	CHECK_EQ(end(), 2);
	CHECK(strstr(seen, "this terminal cannot be drawn on (TERM=dumb)"));
}

TEST(a_recording_that_makes_no_sense_is_named)
{
	start("xterm", "echo nonsense | ssctr top --input -");
	CHECK_EQ(end(), 1);
	CHECK(strstr(seen, "ssctr top: -: ") && !strstr(seen, "\033[?1049h"));
}

TEST(what_the_recorder_could_not_do_is_said)
{
	start("xterm", "ssctr top -e nonsense true");
	CHECK_EQ(end(), 2);
	CHECK(strstr(seen, "ssctr top: -e: there is no event 'nonsense'"));
	CHECK(!strstr(seen, "\033[?1049h"));
}

/* The kernel then tells nobody how a child ended. */
TEST(ignored_ends_of_children_are_no_matter)
{
	start("xterm", "exec env --ignore-signal=CHLD ssctr top -e nonsense true");
	CHECK_EQ(end(), 2);
	CHECK(strstr(seen, "ssctr top: -e: there is no event 'nonsense'"));
}

TEST(what_makes_no_sense_is_a_usage_error)
{
	static const struct {
		const char *options, *says;
	} wrong[] = {
		{ "-d 0", "--delay 0: not a number of seconds" },
		{ "-d soon", "--delay soon: not a number of seconds" },
		{ "--by heat", "--by heat: not one of edges, functions" },
		{ "--input - true", "either --input, or what is to be recorded" },
		{ "--input - -a", "either --input, or what is to be recorded" },
		{ "--input /etc/passwd", "--input /etc/passwd: not a pipe" },
		{ "-c 5 -F 5", "-c and -F cannot be used together" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_EQ(run("ssctr top %s", wrong[i].options), 2);
		CHECK_SAYS(wrong[i].says);
	}
}
