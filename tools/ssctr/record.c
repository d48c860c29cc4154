// SPDX-License-Identifier: GPL-2.0-only
/* ssctr record: options, signals and the terminal. */
#include "record.h"

#include "base/plain.h"
#include "recorder/recorder.h"
#include "samples/samples.h"
#include "screen.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { OPT_FOR = OPT_NO_LETTER, OPT_DURATION };

static const struct opt options[] = {
	RCD_OPTS,
	RCD_WINDOWS_OPTS,
	{ OPT_FOR, "for", "WHAT",
	  "record what a trace (stf) or a profile (profile) needs; the default event is then cycles:u" },
	{ OPT_DURATION, "duration", "SECONDS", "stop after this time" },
	{ 'o', "output", "FILE",
	  "write the recording to FILE, or - for a pipe (default: perf.data)" },
	{ 'q', "quiet", NULL, "print only errors, and that CPUs were switched off or on" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "record",
	.usage = "[option]... [--] COMMAND [ARGUMENT]...\n"
		 "       ssctr record -p LIST|-t LIST|-a|-C LIST [option]... [[--] COMMAND ...]",
	.about =
		"Record the branches of a command, of processes or of the whole system. The\n"
		"recording has the form that perf record -b writes. perf report, perf script and\n"
		"the other subcommands of ssctr read it. Events that a hart counts have branch\n"
		"stacks. Tracepoints and software events are recorded beside such an event,\n"
		"without branch stacks: -e cycles:u,page-faults.",
	.example =
		"  ssctr record --for profile -- ./program\n"
		"  ssctr record -a --duration 10\n"
		"  ssctr record --windows 200k/50M -- ./program\n"
		"  ssctr record --for stf -e instructions:u -c 100 -o - -- ./program |\n"
		"      ssctr stf -i - -o trace.zstf",
	.opts = options,
	.takes_command = true,
};

static int parse_use(struct rcd_opts *opts, const char *arg)
{
	if (!strcmp(arg, "stf"))
		opts->use = RCD_FOR_STF;
	else if (!strcmp(arg, "profile"))
		opts->use = RCD_FOR_PROFILE;
	else
		return cmd_usage(&cmd, "--for %s: unknown purpose; use stf or profile", arg);
	return CMD_OK;
}

static int parse_duration(struct record *wishes, const char *arg)
{
	char *end;

	wishes->duration = strtod(arg, &end);
	if (end == arg || *end || !(wishes->duration > 0) ||
	    wishes->duration > 1e9)
		return cmd_usage(&cmd, "--duration %s: not a number of seconds",
				 arg);
	return CMD_OK;
}

static int take(struct record *wishes, const struct cmd_opts *words, int id)
{
	switch (id) {
	case OPT_FOR:
		return parse_use(&wishes->opts, words->arg);
	case OPT_DURATION:
		return parse_duration(wishes, words->arg);
	case 'q':
		wishes->quiet = true;
		return CMD_OK;
	case 'o':
		wishes->opts.output = words->arg;
		return CMD_OK;
	default:
		return record_option(&cmd, &wishes->opts, id, words->arg);
	}
}

int record_option(const struct cmd *by, struct rcd_opts *opts, int id, const char *arg)
{
	struct error error;

	switch (rcd_option(opts, id, arg, &error)) {
	case 0:
		return CMD_OK;
	case ERROR_USAGE:
		return cmd_usage(by, "%s", error.text);
	default:
		return cmd_error(by, "%s", error.text);
	}
}

/* --- running --- */

enum { NS = 1000000000 };

/* A recording, until it ends. */
struct run {
	const struct record *wishes;
	struct rcd *rcd;
	struct rcd_command command;
	sigset_t signals_before;
	int signal_fd;
	int ended_by; /* a signal, or 0 */
	bool full; /* the output takes no more */
	uint64_t ends, shown; /* ns; ends 0: never */
	uint64_t shown_samples;
	double spent; /* s of a hart's time, before it began */
	bool terminal;
};

static void show(struct run *run, uint64_t time)
{
	const struct rings_stats stats = rcd_stats(run->rcd);
	const uint64_t span = time - run->shown;

	if (!run->terminal || span < NS)
		return;
	fprintf(stderr,
		"\r%" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64
		" a second, %" PRIu64 " MB\033[K",
		stats.samples, stats.lost,
		(stats.samples - run->shown_samples) * NS / span,
		rcd_size(run->rcd) / 1000000);
	run->shown = time;
	run->shown_samples = stats.samples;
}

/* Milliseconds until there is something to do that no ring tells of. */
static int patience(const struct run *run, uint64_t time)
{
	uint64_t until = run->terminal ? run->shown + NS : UINT64_MAX;

	if (run->wishes->turn)
		until = time + run->wishes->turn * UINT64_C(1000000);
	if (run->ends && run->ends < until)
		until = run->ends;
	if (until == UINT64_MAX)
		return -1;
	if (until <= time)
		return 0;
	until = (until - time) / 1000000 + 1;
	return until < INT32_MAX ? (int)until : INT32_MAX;
}

/* Is there a reason to end? */
static bool read_signals(struct run *run)
{
	struct signalfd_siginfo info;
	bool ends = false;

	while (read(run->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			run->ended_by = info.ssi_signo;
		ends |= info.ssi_signo != SIGCHLD ||
			rcd_command_ended(&run->command);
	}
	return ends;
}

/* Tell once that the output is full. Without a command, there is nothing to go on for. */
static void check_full(struct run *run)
{
	const int full = rcd_full(run->rcd);
	const char *output = run->wishes->opts.output;

	if (!full || run->full)
		return;
	run->full = true;
	if (run->terminal)
		fputs("\r\033[K", stderr);
	cmd_error(&cmd, "%s: %s: the recording ends here%s",
		  strcmp(output, "-") ? output : "standard output", strerror(full),
		  run->command.pid ? ", and the command goes on" : "");
	if (!run->command.pid)
		run->ends = rcd_now();
}

static int loop(struct run *run)
{
	bool more = true;
	int ret;

	do {
		uint64_t time = rcd_now();

		if (run->ends && time >= run->ends)
			more = false;
		if (more && !rcd_wait(run->rcd, patience(run, time)) &&
		    !run->command.pid)
			more = false;
		if (read_signals(run))
			more = false;
		if (!more)
			rcd_stop(run->rcd);
		ret = rcd_drain(run->rcd);
		check_full(run);
		show(run, rcd_now());
	} while (more && !ret);
	return ret;
}

/* From here on signals are read when there is time. */
static int take_signals(struct run *run, struct error *error)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, 0 };

	run->signal_fd = signals_open(taken, &run->signals_before);
	return run->signal_fd < 0 ? error_set(error, ERROR_INPUT,
					      "signalfd: %s", strerror(errno)) :
				    0;
}

static void print_notes(const struct record *wishes, struct notes *notes)
{
	size_t i;

	for (i = 0; i < notes->nr && !wishes->quiet; i++)
		plain_line(stderr, notes->v[i].text);
	notes_free(notes);
}

/* Seconds of a hart's time that this process has taken. */
static double spent(void)
{
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	return own.ru_utime.tv_sec + own.ru_stime.tv_sec +
	       (own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6;
}

/* Where a signal came, it is the reason why nothing begins, also if it ended the command, too. */
static int check_signals(struct run *run, int ret, struct error *error)
{
	read_signals(run);
	if (!run->ended_by)
		return ret;
	return error_set(error, ERROR_INPUT, "ended by SIG%s before the recording began%s",
			 sigabbrev_np(run->ended_by),
			 run->command.started ? ", so the command was not run" : "");
}

/* All up to the complete file. command: NULL: none. Returns 0 or ERROR_*. */
static int record(struct run *run, struct rcd_events *events, char **command,
		  struct error *error)
{
	const struct record *wishes = run->wishes;
	struct notes notes = { 0 };
	int ret;

	if (command && rcd_command_is(command[0], wishes->opts.output))
		return error_set(error, ERROR_OUTPUT,
				 "-o %s: this is the program that is run, which would be lost; name another file",
				 wishes->opts.output);
	ret = rcd_plan(events, &wishes->opts, &notes, error);
	print_notes(wishes, &notes);
	if (!ret)
		ret = take_signals(run, error);
	if (!ret)
		ret = rcd_new(&run->rcd, &wishes->opts, events, error);
	if (!ret && command)
		ret = rcd_command_start(&run->command, command,
					&run->signals_before,
					wishes->prints,
					error);
	if (ret)
		return ret;
	ret = rcd_open(run->rcd, &run->command, &notes);
	print_notes(wishes, &notes);
	if (!ret)
		ret = rcd_start(run->rcd, run->signal_fd);
	ret = check_signals(run, ret, error);
	if (ret)
		return ret;
	run->shown = rcd_now();
	run->spent = spent();
	if (wishes->duration)
		run->ends = run->shown + (uint64_t)(wishes->duration * NS);
	if (command)
		ret = rcd_command_go(&run->command, error);
	ret = ret ?: loop(run) ?: rcd_finish(run->rcd);
	check_full(run);
	return ret;
}

static void tell_windows(const struct run *run)
{
	const uint64_t nr = rcd_windows(run->rcd), others = rcd_windowless(run->rcd);
	const uint64_t passed = rcd_windows_passed(run->rcd);

	if (!rcd_has_windows(&run->wishes->opts))
		return;
	fprintf(stderr, "%12" PRIu64 " windows, at the places of --windows-seed %" PRIu64 "\n",
		nr, run->wishes->opts.windows.seed);
	if (passed)
		fprintf(stderr,
			"%12" PRIu64
			" intervals have no window, because their place had passed when the window before them ended: use a larger EVERY (--windows)\n",
			passed);
	if (others)
		fprintf(stderr,
			"%12" PRIu64
			" threads or processes began later, and have no windows, nor has what they started: use -a, or -p when they run\n",
			others);
	if (!nr)
		fputs("no window was recorded, because too few instructions ran: use a shorter interval\n",
		      stderr);
}

/* With -q, too: there is no way to make the recording whole, but to make it again. */
static void tell_cpus(const struct rcd *rcd)
{
	const unsigned int off = rcd_cpus_off(rcd), on = rcd_cpus_on(rcd);

	if (off)
		fprintf(stderr,
			"%12u CPUs were switched off, and what ran on them later is not recorded: start a new recording\n",
			off);
	if (on)
		fprintf(stderr,
			"%12u CPUs came online, and what ran on them is not recorded: start a new recording\n",
			on);
}

/* What the command is that the kernel lets nobody record as a task; NULL: nothing. */
static const char *hides(const struct run *run)
{
	return run->command.name && !rcd_attaches(&run->wishes->opts) ?
		       rcd_command_hides(&run->command) : NULL;
}

static void tell_hidden(const char *command, const char *hidden)
{
	fputs("no samples were taken, because ", stderr);
	plain_put(stderr, command);
	fprintf(stderr,
		" %s: when a task starts such a program, the kernel ends the task's events; record the whole system as root (-a)\n",
		hidden);
}

static void tell(const struct run *run)
{
	/* How to take fewer samples. */
	const char *fewer = rcd_has_windows(&run->wishes->opts) ? "a larger --depth" : "-c, -F";
	const struct rings_stats stats = rcd_stats(run->rcd);
	const struct rcd_opts *opts = &run->wishes->opts;
	const uint64_t tracking = rcd_lost_tracking(run->rcd);
	const char *hidden = stats.samples ? NULL : hides(run);

	if (run->terminal)
		fputs("\r\033[K", stderr);
	if (run->wishes->quiet) {
		tell_cpus(run->rcd);
		return;
	}
	fprintf(stderr, "%12" PRIu64 " samples in %.3f s, %.1f MB to ",
		stats.samples - rcd_dropped(run->rcd), (double)rcd_span(run->rcd) / NS,
		(double)rcd_size(run->rcd) / 1e6);
	plain_line(stderr, strcmp(opts->output, "-") ? opts->output : "standard output");
	fprintf(stderr, "%12.3f s of CPU time to write them\n",
		spent() - run->spent);
	tell_windows(run);
	if (stats.lost > tracking)
		fprintf(stderr,
			"%12" PRIu64
			" events lost: use larger ring buffers (-m %u) or take fewer samples (%s)\n",
			stats.lost - tracking, 4 * rcd_pages(opts), fewer);
	if (tracking)
		fprintf(stderr,
			"%12" PRIu64
			" records of mappings, processes and threads lost, so code may have no name or a wrong one: use larger ring buffers (-m %u)\n",
			tracking, 4 * rcd_pages(opts));
	if (run->full)
		fprintf(stderr,
			"%12" PRIu64
			" samples dropped, because the output took no more\n",
			rcd_dropped(run->rcd));
	if (stats.throttled)
		fprintf(stderr,
			"%12" PRIu64
			" times the kernel throttled the sampling: take fewer samples (%s)\n",
			stats.throttled, fewer);
	tell_cpus(run->rcd);
	if (rcd_never_on(run->rcd))
		fputs("no samples were taken, because " SAMPLES_NEVER_ON "\n", stderr);
	else if (hidden)
		tell_hidden(run->command.name, hidden);
	else if (!stats.samples && rcd_counted_nothing(run->rcd))
		fputs("no samples were taken, and the event counted nothing: " SAMPLES_NO_COUNT "; `ssctr doctor` tells more\n",
		      stderr);
	else if (!stats.samples && !rcd_has_windows(opts))
		fputs("no samples were taken: `ssctr doctor` tells whether counters interrupt; a program that is set-uid, or that you cannot read, is recorded only by -a\n",
		      stderr);
}

int record_run(const struct cmd *by, const struct record *wishes, char **command)
{
	struct run run = { .wishes = wishes, .signal_fd = -1 };
	struct rcd_events events = { 0 };
	void (*at_sigpipe)(int) = signal(SIGPIPE, SIG_IGN);
	struct error error;
	int ret, status;

	run.terminal = !wishes->quiet && screen_has(STDERR_FILENO);
	ret = record(&run, &events, command, &error);
	/* Not behind the line that shows how far it is. */
	if (ret && run.terminal && run.shown)
		fputc('\n', stderr);
	if (!ret)
		tell(&run);
	else if (run.ended_by && !run.shown && wishes->may_not_begin)
		ret = CMD_OK;
	else if (ret == ERROR_USAGE)
		ret = cmd_usage(by, "-e: %s", error.text);
	else
		ret = cmd_error(by, "%s", error.text);
	/* As shells have it. */
	if (run.command.why)
		ret = run.command.why == ENOENT ? 127 : 126;
	rcd_free(run.rcd);
	rcd_free_events(&events);
	status = rcd_command_end(&run.command);
	if (!status && run.full)
		status = CMD_PARTIAL;
	signal(SIGPIPE, at_sigpipe);
	if (wishes->goes_on) {
		*wishes->goes_on = status;
		status = CMD_OK;
	} else if (!ret && run.ended_by) {
		signal(run.ended_by, SIG_DFL);
		raise(run.ended_by);
	}
	if (run.signal_fd >= 0) {
		close(run.signal_fd);
		sigprocmask(SIG_SETMASK, &run.signals_before, NULL);
	}
	return ret ? ret : status;
}

int cmd_record(int argc, char **argv)
{
	struct record wishes = { .opts = RCD_OPTS_INIT };
	struct cmd_opts words;
	struct error error;
	int id, status = CMD_OK;

	wishes.opts.nr_words = argc;
	wishes.opts.words = argv;
	wishes.opts.windows.seed = rcd_now();
	cmd_opts_init(&words, &cmd, argc, argv);
	while (!status && (id = cmd_opts_next(&words)) >= 0)
		status = take(&wishes, &words, id);
	/* Standard output is the recording's. */
	if (!strcmp(wishes.opts.output, "-"))
		wishes.prints = RCD_PRINTS_TO_STDERR;
	if (!status && id == CMD_OPT_EXIT)
		status = words.status;
	else if (!status && !rcd_attaches(&wishes.opts) && !words.argc)
		status = cmd_usage(&cmd,
				   "nothing to record is given; give a COMMAND, -p, -t, -a or -C");
	else if (!status && rcd_check_opts(&wishes.opts, &error))
		status = cmd_usage(&cmd, "%s", error.text);
	else if (!status && !cmd_takes_binary(&cmd, wishes.opts.output))
		status = CMD_FAIL;
	else if (!status)
		status = record_run(&cmd, &wishes, words.argc ? words.argv : NULL);
	rcd_opts_free(&wishes.opts);
	return status;
}
