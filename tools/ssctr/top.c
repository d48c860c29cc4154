// SPDX-License-Identifier: GPL-2.0-only
/* ssctr top: what is hot while it runs, on a terminal. */
#include "record.h"
#include "recorder/recorder.h"
#include "recording.h"
#include "report.h"
#include "screen.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPT_DELAY = 'd', OPT_INPUT = 0x2000, OPT_BY };

enum { NS = 1000000000, TURNS = 8 /* looks at the rings in an interval */ };

static const struct opt options[] = {
	RCD_OPTS,
	{ OPT_DELAY, "delay", "SECONDS", "show a new interval every SECONDS (default: 2)" },
	{ OPT_BY, "by", "SECTION",
	  "show SECTION first: edges, functions, loops, branches, targets or calls (default: functions)" },
	{ OPT_INPUT, "input", "FILE",
	  "read FILE, a pipe that another program records into, or - for standard input" },
	REC_HOW_OPTS,
	SAMPLES_CODE_OPTS,
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "top",
	.usage = "[option]... [--] [COMMAND [ARGUMENT]...]",
	.about =
		"Show on a terminal what runs most, while it runs. ssctr top records a command, or\n"
		"the processes or CPUs that you select; without any of these, all CPUs. Each screen\n"
		"shows one interval. Press a key to select what it shows:\n"
		"  f  functions   l  loops   b  branches\n"
		"  e  edges       t  targets of indirect branches   c  calls\n"
		"Press the space bar to stop the screen and to let it go on, and q to quit.\n"
		"The command reads from and prints to /dev/null.",
	.example = "  ssctr top\n"
		   "  ssctr top --by loops -- ./program\n"
		   "  ssh board ssctr record -q -a -o - | ssctr top --input -",
	.opts = options,
	.takes_command = true,
};

/* A process that records into a pipe; what it says waits for the terminal. */
struct recorder {
	pid_t pid; /* 0: none */
	int pipe, says;
	bool asked; /* it was still there when it was asked to end */
};

/* What is counted, and what is shown: the interval before. */
struct top {
	struct rec rec;
	struct screen screen;
	struct report reports[2];
	unsigned int counts; /* which of them is counted */
	unsigned int section; /* HOT_EDGES, ... */
	uint64_t delay, began, due; /* ns */
	double span; /* s, of what is shown */
	bool shows, paused, ended, quits, failed, left;
	int signals;
	int quits_by; /* the signal that the terminal sends to the recorder, too; 0: none */
	sigset_t before;
	struct recorder recorder;
	char pipe[32]; /* of the recorder */
};

/* --- the screen --- */

static void draw_head(struct top *top)
{
	const struct report *report = &top->reports[!top->counts];
	const char *state = "";
	char head[256];

	if (top->paused)
		state = "  paused";
	else if (top->ended)
		state = "  ended";
	if (!top->shows)
		snprintf(head, sizeof(head), "the first interval is not over yet%s", state);
	else
		snprintf(head, sizeof(head),
			 "%" PRIu64 " transfers in %" PRIu64
			 " samples of %.1f s, %" PRIu64 " events lost so far%s",
			 report->hot.transfers, report->hot.samples, top->span,
			 samples_lost(&top->rec.samples), state);
	screen_row(&top->screen, head, 0, strlen(head));
	putc('\n', top->screen.out);
}

static void draw_body(struct top *top, unsigned int rows)
{
	struct report *report = &top->reports[!top->counts];
	char *text = NULL;
	size_t size;
	FILE *file;

	report->limit = rows;
	file = open_memstream(&text, &size);
	if (file && top->shows)
		report_section_text(report, top->section, file);
	if (file && !fclose(file))
		screen_lines(&top->screen, text, rows);
	free(text);
}

/* The sections' names are the keys, and the one that is shown is marked. */
static void draw_foot(struct top *top)
{
	size_t from = 0, to = 0;
	char foot[128] = "";
	unsigned int i;

	for (i = 0; i < HOT_NR_LISTS; i++) {
		const size_t at = strlen(foot);

		snprintf(foot + at, sizeof(foot) - at, "%s  ", report_sections[i].name);
		if (i == top->section) {
			from = at;
			to = at + strlen(report_sections[i].name);
		}
	}
	strcat(foot, " space: stop   q: quit");
	screen_row(&top->screen, foot, from, to);
}

static void draw(struct top *top)
{
	unsigned int rows = top->screen.rows;

	if (!screen_begin(&top->screen)) {
		top->failed = true;
		return;
	}
	draw_head(top);
	if (rows > 2)
		draw_body(top, rows - 2);
	draw_foot(top);
	if (!screen_show(&top->screen))
		top->failed = true;
}

/* --- intervals --- */

static void begin_interval(struct top *top)
{
	struct report *report = &top->reports[top->counts];
	unsigned int how = top->section == HOT_LOOPS ? HOT_TRIPS_TOO : 0;

	hot_free(&report->hot);
	report->rec = &top->rec;
	report->filtered = !samples_have_all_branches(&top->rec.samples);
	memcpy(report->sections, report_sections, sizeof(report_sections));
	/* What ran between calls alone is not known. */
	if (!report->filtered)
		how |= HOT_ALL | (top->rec.how.raw ? 0 : HOT_WEIGHED);
	hot_begin(&report->hot, top->rec.samples.code, how);
	top->began = rcd_now();
	top->due = top->began + top->delay;
}

static void end_interval(struct top *top)
{
	struct hot *hot = &top->reports[top->counts].hot;

	if (!top->paused) {
		/* The interval that is shown is not drawn again. */
		path_code_refresh(top->rec.samples.code);
		if (!hot_find(hot)) {
			top->shows = false;
			top->failed = true;
			return;
		}
		if (!top->rec.how.mangled)
			hot_demangle(hot);
		top->span = (double)(rcd_now() - top->began) / NS;
		top->shows = true;
		top->counts = !top->counts;
	}
	begin_interval(top);
}

/* --- keys and signals --- */

static void press(struct top *top, char key)
{
	unsigned int i;

	if (key == 'q')
		top->quits = true;
	if (key == ' ')
		top->paused = !top->paused;
	for (i = 0; i < HOT_NR_LISTS; i++)
		if (key == *report_sections[i].name)
			top->section = i;
}

static void take_keys(struct top *top)
{
	char keys[SCREEN_KEYS];
	size_t i, nr = screen_keys(&top->screen, keys);

	for (i = 0; i < nr; i++)
		press(top, keys[i]);
}

static void take_signals(struct top *top)
{
	struct signalfd_siginfo info;

	while (read(top->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			screen_measure(&top->screen);
		else
			top->quits_by = info.ssi_signo;
	}
	top->quits |= top->quits_by != 0;
}

static bool goes_on(const struct top *top)
{
	return !top->quits && !top->failed;
}

/* Once: a second signal may come when the recorder has left its own way to end. */
static void end_recorder(struct recorder *r)
{
	siginfo_t end = { 0 };

	if (r->pid <= 0)
		return;
	r->asked = !waitid(P_PID, r->pid, &end, WEXITED | WNOHANG | WNOWAIT) && !end.si_pid;
	kill(r->pid, SIGTERM);
}

/*
 * The terminal and the signals are as they were, and the recorder ends. It may wait for its
 * command, which may ignore that it is to end.
 */
static void leave(struct top *top)
{
	if (top->left)
		return;
	top->left = true;
	screen_close(&top->screen);
	sigprocmask(SIG_SETMASK, &top->before, NULL);
	end_recorder(&top->recorder);
}

/*
 * The terminal's turn, until fd can be read; -1: until somebody ends it. The rest of what our
 * own recorder writes is read then: the counts of the events come last.
 */
static bool turn(void *arg, int fd)
{
	struct top *top = arg;
	bool ready = false;

	while (goes_on(top) && !ready) {
		struct pollfd files[] = {
			{ .fd = top->screen.keys, .events = POLLIN },
			{ .fd = top->signals, .events = POLLIN },
			{ .fd = fd, .events = POLLIN },
		};
		const uint64_t now = rcd_now();
		int wait = -1;

		if (!top->ended && now >= top->due) {
			end_interval(top);
			draw(top);
			continue;
		}
		if (!top->ended)
			wait = (top->due - now) / 1000000 + 1;
		if (poll(files, 3, wait) < 0 && errno != EINTR)
			top->failed = true;
		if (files[1].revents)
			take_signals(top);
		if (files[0].revents & POLLIN) {
			take_keys(top);
		} else if (files[0].revents) {
			top->quits = true;
			top->quits_by = SIGHUP;
		}
		if (files[0].revents || files[1].revents)
			draw(top);
		ready = files[2].revents;
	}
	if (!goes_on(top))
		leave(top);
	return !top->failed && (!top->quits || top->recorder.pid > 0);
}

/* Then nothing will be to see: it could not begin, or nothing ran. What it said tells which. */
static bool showed_nothing(const struct top *top)
{
	return top->recorder.pid > 0 && !top->shows && !top->paused;
}

static int show(struct top *top)
{
	struct error error;
	struct pd_event ev;
	int ret;

	pd_set_wait(top->rec.samples.pd, turn, top);
	begin_interval(top);
	draw(top);
	while ((ret = rec_next(&top->rec, &ev, &error)) > 0)
		if (goes_on(top) && !hot_count(&top->reports[top->counts].hot, &ev))
			top->failed = true;
	if (ret < 0 && goes_on(top)) {
		leave(top);
		return rec_error(&top->rec, &error);
	}
	/* What came since the last screen. */
	top->failed |= !hot_settle(&top->reports[top->counts].hot);
	if (goes_on(top) && top->reports[top->counts].hot.counts.samples)
		end_interval(top);
	top->ended = true;
	if (goes_on(top) && !showed_nothing(top)) {
		draw(top);
		turn(top, -1);
	}
	leave(top);
	return top->failed ? cmd_error(&cmd, "out of memory, or the terminal is gone") :
			     CMD_OK;
}

/* --- who records --- */

static int start(struct recorder *r, struct record *wishes, char **command)
{
	int ends[2];

	r->says = memfd_create("messages", MFD_CLOEXEC);
	if (r->says < 0 || pipe(ends))
		return cmd_error(&cmd, "%s", strerror(errno));
	r->pid = fork();
	if (!r->pid) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(r->says, STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		/* By this one leave() ends it, whatever started us ignores. */
		signal(SIGTERM, SIG_DFL);
		_exit(record_run(&cmd, wishes, command));
	}
	close(ends[1]);
	r->pipe = ends[0];
	return r->pid > 0 ? CMD_OK : cmd_error(&cmd, "%s", strerror(errno));
}

/* How the recorder has ended, as an exit status. A signal is told, unless it was to end so. */
static int judge(const struct recorder *r, int quits_by, int status)
{
	const int nr = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	const char *name = sigabbrev_np(nr);

	if (!nr)
		return WEXITSTATUS(status);
	if ((nr == SIGTERM && r->asked) || nr == quits_by)
		return CMD_OK;
	return cmd_error(&cmd, "the process that recorded was killed by %s%s",
			 name ? "SIG" : "a signal", name ?: "");
}

/*
 * After end_recorder(): wait until it has ended, with its command. Returns its exit status; what
 * it said is printed.
 */
static int stop(const struct recorder *r, int quits_by)
{
	char buf[4096];
	ssize_t n;
	int status = 0;

	if (r->pid <= 0)
		return CMD_OK;
	while ((n = read(r->pipe, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		;
	waitpid(r->pid, &status, 0);
	close(r->pipe);
	lseek(r->says, 0, SEEK_SET);
	while ((n = read(r->says, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, n, stderr);
	close(r->says);
	return judge(r, quits_by, status);
}

/*
 * Did the recorder end before it had begun, because it was asked to, or with an error, which
 * it told? Then what it wrote has no end, and nothing is to be known of it.
 */
static bool never_began(const struct top *top, int status)
{
	return top->recorder.pid > 0 && (top->quits ? status == CMD_OK : !top->shows && status) &&
	       pd_stats(top->rec.samples.pd)->unfinished;
}

static int run(struct top *top, struct record *wishes, char **command)
{
	static const int taken[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH, 0 };
	struct recorder *recorder = &top->recorder;
	struct notes notes = { 0 };
	struct error error;
	int ret = CMD_OK, status;

	if (screen_open(&top->screen, &error))
		return cmd_usage(&cmd, "%s; use `ssctr record` and `ssctr report`", error.text);
	if (!top->rec.path) {
		ret = start(recorder, wishes, command);
		snprintf(top->pipe, sizeof(top->pipe), "/dev/fd/%d", recorder->pipe);
		top->rec.path = top->pipe;
	}
	if (ret)
		return ret;
	ret = samples_open(&top->rec.samples, top->rec.path, &top->rec.opts, &error);
	if (ret) {
		/* If the recorder could not begin, it says why. */
		end_recorder(recorder);
		status = stop(recorder, 0);
		return status ? status : rec_error(&top->rec, &error);
	}
	/* The recorder has them as they were. */
	top->signals = signals_open(taken, &top->before);
	if (top->signals < 0) {
		ret = cmd_error(&cmd, "signalfd: %s", strerror(errno));
		leave(top);
		stop(recorder, 0);
		return ret;
	}
	screen_enter(&top->screen);
	ret = show(top);
	status = stop(recorder, top->quits_by);
	if (!ret && !never_began(top, status)) {
		samples_note_events(&top->rec.samples, &notes);
		rec_summary(&top->rec, &notes);
	}
	return ret ? ret : status;
}

static int parse_delay(struct top *top, const char *arg)
{
	char *end;
	double delay = strtod(arg, &end);

	if (end == arg || *end || !(delay >= 0.1) || delay > 86400)
		return cmd_usage(&cmd, "--delay %s: not a number of seconds from 0.1 to 86400",
				 arg);
	top->delay = delay * NS;
	return CMD_OK;
}

static int parse_section(struct top *top, const char *arg)
{
	unsigned int i;

	for (i = 0; i < HOT_NR_LISTS; i++) {
		top->section = i;
		if (!strcmp(report_sections[i].name, arg))
			return CMD_OK;
	}
	return cmd_usage(&cmd,
			 "--by %s: not one of edges, functions, loops, branches, targets, calls",
			 arg);
}

static int take(struct top *top, struct record *wishes, const struct cmd_opts *words, int id)
{
	switch (id) {
	case OPT_DELAY:
		return parse_delay(top, words->arg);
	case OPT_BY:
		return parse_section(top, words->arg);
	case OPT_INPUT:
		top->rec.path = words->arg;
		return CMD_OK;
	default:
		if (rec_has_option(id))
			return rec_option(&top->rec, words, id);
		return record_option(&cmd, &wishes->opts, id, words->arg);
	}
}

static int check(const struct top *top, struct record *wishes, bool command)
{
	struct error error;
	struct stat st;

	if (rcd_check_opts(&wishes->opts, &error))
		return cmd_usage(&cmd, "%s", error.text);
	if (top->rec.path && (command || rcd_attaches(&wishes->opts)))
		return cmd_usage(&cmd, "either --input, or what is to be recorded");
	if (top->rec.path && strcmp(top->rec.path, "-") && !stat(top->rec.path, &st) &&
	    !S_ISFIFO(st.st_mode))
		return cmd_usage(&cmd, "--input %s: not a pipe; `ssctr report` shows a recording",
				 top->rec.path);
	/* Nothing is named: all that runs. */
	wishes->opts.all |= !command && !rcd_attaches(&wishes->opts);
	return CMD_OK;
}

int cmd_top(int argc, char **argv)
{
	struct record wishes = { .opts = RCD_OPTS_INIT,
				 .prints = RCD_PRINTS_NOTHING,
				 .quiet = true,
				 .may_not_begin = true };
	struct top top = { .screen = { .keys = -1 },
			    .section = HOT_FUNCTIONS, .delay = 2 * (uint64_t)NS };
	struct cmd_opts words;
	int id, ret = CMD_OK;

	wishes.opts.output = "-";
	wishes.opts.nr_words = argc;
	wishes.opts.words = argv;
	rec_init(&top.rec, &cmd);
	cmd_opts_init(&words, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&words)) >= 0)
		ret = take(&top, &wishes, &words, id);
	wishes.turn = top.delay / 1000000 / TURNS;
	if (!ret && id == CMD_OPT_EXIT)
		ret = words.status;
	else if (!ret)
		ret = check(&top, &wishes, words.argc) ?:
		      run(&top, &wishes, words.argc ? words.argv : NULL);
	screen_close(&top.screen);
	hot_free(&top.reports[0].hot);
	hot_free(&top.reports[1].hot);
	rcd_opts_free(&wishes.opts);
	rec_close(&top.rec);
	return ret;
}
