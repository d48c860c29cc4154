// SPDX-License-Identifier: GPL-2.0-only
/* ssctr record: options, signals and the terminal. */
#include "ssctr.h"

#include "recorder/command.h"
#include "recorder/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { OPT_FOR = OPT_NO_LETTER, OPT_DEPTH, OPT_DURATION };

static const struct opt options[] = {
	{ 'e', "event", "LIST", "what to sample by (default: cycles)" },
	{ 'c', "count", "N", "a sample each N events" },
	{ 'F', "freq", "N", "N samples a second (default: 4000), or max" },
	{ 'j', "branch-filter", "LIST",
	  "which branches: any, u, k, any_call, any_ret, cond, ind_call, ..." },
	{ OPT_DEPTH, "depth", "N", "at most N branches in a sample" },
	{ OPT_FOR, "for", "WHAT", "record what that takes: stf, profile" },
	{ 'p', "pid", "LIST", "processes that run" },
	{ 't', "tid", "LIST", "threads that run" },
	{ 'a', "all-cpus", NULL, "all that runs" },
	{ 'C', "cpu", "LIST", "all that runs on these harts: 0,2-3" },
	{ 'i', "no-inherit", NULL,
	  "not the threads and processes that they start" },
	{ OPT_DURATION, "duration", "SECONDS", "end after that time" },
	{ 'm', "mmap-pages", "N",
	  "pages of a hart's ring, a power of two (default: 128)" },
	{ 'o', "output", "FILE",
	  "the recording (default: perf.data), - for a pipe" },
	{ 'q', "quiet", NULL, "say nothing but errors" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "record",
	.usage = "[option]... [--] COMMAND [ARGUMENT]...",
	.about =
		"Record the branches of a command, of processes or of the whole system, in the\n"
		"form of perf record -b, which perf report, perf script and the other\n"
		"subcommands read. The first event that a hart counts is sampled with branch\n"
		"stacks; tracepoints and events of the kernel's own go beside it without.",
	.example =
		"  ssctr record --for profile -- ./program\n"
		"  ssctr record -a --duration 10\n"
		"  ssctr record --for stf -e instructions:u -c 100 -o - -- ./program |\n"
		"      ssctr stf -i - -o trace.zstf",
	.opts = options,
	.takes_command = true,
};

/* What the options say. */
struct wishes {
	struct rcd_opts opts;
	double duration; /* seconds; 0: no end */
	bool quiet;
};

static int parse_list(struct rcd_pids *list, const struct cmd_opts *words,
		      int id)
{
	const char *s = words->arg;
	char *end;

	do {
		long value;

		errno = 0;
		value = strtol(s, &end, 10);
		if (end == s || errno || value <= 0 || value > INT32_MAX ||
		    (*end && *end != ',') || !rcd_add_pid(list, value))
			return cmd_usage(&cmd, "-%c %s: no list of %s", id,
					 words->arg,
					 id == 'p' ? "processes" : "threads");
		s = end + 1;
	} while (*end);
	return CMD_OK;
}

static int parse_use(struct rcd_opts *opts, const char *arg)
{
	if (!strcmp(arg, "stf"))
		opts->use = RCD_FOR_STF;
	else if (!strcmp(arg, "profile"))
		opts->use = RCD_FOR_PROFILE;
	else
		return cmd_usage(&cmd, "--for %s: stf or profile", arg);
	return CMD_OK;
}

static int parse_freq(struct rcd_opts *opts, const struct cmd_opts *words)
{
	if (!strcmp(words->arg, "max")) {
		opts->freq = UINT64_MAX;
		return CMD_OK;
	}
	if (!cmd_opts_u64(words, &opts->freq))
		return CMD_USAGE;
	return opts->freq ? CMD_OK : cmd_usage(&cmd, "-F 0 takes no sample");
}

static int parse_pages(struct rcd_opts *opts, const struct cmd_opts *words)
{
	uint64_t n;

	if (!cmd_opts_u64(words, &n))
		return CMD_USAGE;
	if (!n || n & (n - 1) || n > RCD_MAX_PAGES)
		return cmd_usage(&cmd, "-m %s: a power of two up to %d",
				 words->arg, RCD_MAX_PAGES);
	opts->pages = n;
	return CMD_OK;
}

static int parse_duration(struct wishes *wishes, const char *arg)
{
	char *end;

	wishes->duration = strtod(arg, &end);
	if (end == arg || *end || !(wishes->duration > 0) ||
	    wishes->duration > 1e9)
		return cmd_usage(&cmd, "--duration %s: no number of seconds",
				 arg);
	return CMD_OK;
}

static int parse_filter(struct rcd_opts *opts, const char *arg)
{
	struct error error;

	opts->branches = rcd_branch_filter(arg, &error);
	return opts->branches ? CMD_OK : cmd_usage(&cmd, "-j: %s", error.text);
}

static int take(struct wishes *wishes, const struct cmd_opts *words, int id)
{
	struct rcd_opts *opts = &wishes->opts;
	const char *arg = words->arg;

	switch (id) {
	case 'e':
		if (opts->nr_events == RCD_MAX_LISTS)
			return cmd_usage(&cmd, "too many -e; take a list");
		opts->events[opts->nr_events++] = arg;
		return CMD_OK;
	case 'c':
		if (!cmd_opts_u64(words, &opts->period))
			return CMD_USAGE;
		return opts->period ? CMD_OK :
				      cmd_usage(&cmd, "-c 0 takes no sample");
	case 'F':
		return parse_freq(opts, words);
	case 'j':
		return parse_filter(opts, arg);
	case OPT_DEPTH:
		if (!cmd_opts_u64(words, &opts->depth))
			return CMD_USAGE;
		return opts->depth && opts->depth <= RCD_MAX_DEPTH ?
			       CMD_OK :
			       cmd_usage(&cmd, "--depth %s: 1 to %d", arg,
					 RCD_MAX_DEPTH);
	case OPT_FOR:
		return parse_use(opts, arg);
	case 'p':
		return parse_list(&opts->pids, words, id);
	case 't':
		return parse_list(&opts->tids, words, id);
	case 'a':
		opts->all = true;
		return CMD_OK;
	case 'C':
		opts->cpus = arg;
		return arg[strspn(arg, "0123456789,-")] || !*arg ?
			       cmd_usage(&cmd, "-C %s: no list of harts", arg) :
			       CMD_OK;
	case 'i':
		opts->inherit = false;
		return CMD_OK;
	case OPT_DURATION:
		return parse_duration(wishes, arg);
	case 'm':
		return parse_pages(opts, words);
	case 'q':
		wishes->quiet = true;
		return CMD_OK;
	default:
		opts->output = arg;
		return CMD_OK;
	}
}

static int check(const struct rcd_opts *opts, bool command)
{
	if (opts->period && opts->freq)
		return cmd_usage(&cmd, "either -c or -F");
	if (rcd_is_of_cpus(opts) && (opts->pids.nr || opts->tids.nr))
		return cmd_usage(&cmd, "either -p and -t, or -a and -C");
	if (!rcd_attaches(opts) && !command)
		return cmd_usage(
			&cmd,
			"what is to be recorded: a COMMAND, -p, -t, -a or -C");
	return CMD_OK;
}

/* --- running --- */

enum { NS = 1000000000 };

/* A recording, until it ends. */
struct run {
	const struct wishes *wishes;
	struct rcd *rcd;
	struct rcd_command command;
	sigset_t signals_before;
	int signal_fd;
	int ended_by; /* a signal, or 0 */
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
		stats.bytes / 1000000);
	run->shown = time;
	run->shown_samples = stats.samples;
}

/* Milliseconds until there is something to do that no ring tells of. */
static int patience(const struct run *run, uint64_t time)
{
	uint64_t until = run->terminal ? run->shown + NS : UINT64_MAX;

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
		show(run, rcd_now());
	} while (more && !ret);
	return ret;
}

/* From here on signals are read when there is time. */
static int take_signals(struct run *run, struct error *error)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	sigset_t signals;
	unsigned int i;

	sigemptyset(&signals);
	for (i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		sigaddset(&signals, taken[i]);
	sigprocmask(SIG_BLOCK, &signals, &run->signals_before);
	run->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	return run->signal_fd < 0 ? error_set(error, ERROR_INPUT,
					      "signalfd: %s", strerror(errno)) :
				    0;
}

static void print_notes(const struct wishes *wishes, struct notes *notes)
{
	size_t i;

	for (i = 0; i < notes->nr && !wishes->quiet; i++)
		fprintf(stderr, "%s\n", notes->v[i].text);
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

/* All up to the complete file. command: NULL: none. Returns 0 or ERROR_*. */
static int record(struct run *run, struct rcd_events *events, char **command,
		  struct error *error)
{
	const struct wishes *wishes = run->wishes;
	struct notes notes = { 0 };
	int ret = rcd_plan(events, &wishes->opts, &notes, error);

	print_notes(wishes, &notes);
	if (!ret)
		ret = take_signals(run, error);
	if (!ret)
		ret = rcd_new(&run->rcd, &wishes->opts, events, error);
	if (!ret && command)
		ret = rcd_command_start(&run->command, command,
					&run->signals_before,
					!strcmp(wishes->opts.output, "-"),
					error);
	if (ret)
		return ret;
	ret = rcd_open(run->rcd, run->command.pid, &notes);
	print_notes(wishes, &notes);
	if (!ret)
		ret = rcd_start(run->rcd, run->signal_fd);
	if (ret)
		return ret;
	run->shown = rcd_now();
	run->spent = spent();
	if (wishes->duration)
		run->ends = run->shown + (uint64_t)(wishes->duration * NS);
	if (command)
		ret = rcd_command_go(&run->command, error);
	return ret ?: loop(run) ?: rcd_finish(run->rcd);
}

static void tell(const struct run *run)
{
	const struct rings_stats stats = rcd_stats(run->rcd);
	const struct rcd_opts *opts = &run->wishes->opts;

	if (run->terminal)
		fputs("\r\033[K", stderr);
	if (run->wishes->quiet)
		return;
	fprintf(stderr, "%12" PRIu64 " samples in %.3f s, %.1f MB to %s\n",
		stats.samples, (double)rcd_span(run->rcd) / NS,
		(double)stats.bytes / 1e6,
		strcmp(opts->output, "-") ? opts->output : "standard output");
	fprintf(stderr, "%12.3f s of a hart's time to write them\n",
		spent() - run->spent);
	if (stats.lost)
		fprintf(stderr,
			"%12" PRIu64
			" events lost: take larger rings (-m %u) or fewer samples (-c, -F)\n",
			stats.lost, 4 * opts->pages);
	if (stats.throttled)
		fprintf(stderr,
			"%12" PRIu64
			" times the kernel throttled the sampling: take fewer samples (-c, -F)\n",
			stats.throttled);
	if (!stats.samples)
		fputs("no sample came: `ssctr doctor` tells whether counters interrupt\n",
		      stderr);
}

/* After SIGINT or SIGTERM it ends by that signal, with the recording complete. */
static int run(const struct wishes *wishes, char **command)
{
	struct run run = { .wishes = wishes, .signal_fd = -1 };
	struct rcd_events events = { 0 };
	struct error error;
	int ret, status;

	run.terminal = !wishes->quiet && isatty(STDERR_FILENO);
	ret = record(&run, &events, command, &error);
	/* Not behind the line that shows how far it is. */
	if (ret && run.terminal && run.shown)
		fputc('\n', stderr);
	if (!ret)
		tell(&run);
	else if (ret == ERROR_USAGE)
		ret = cmd_usage(&cmd, "-e: %s", error.text);
	else
		ret = cmd_error(&cmd, "%s", error.text);
	rcd_free(run.rcd);
	rcd_free_events(&events);
	status = rcd_command_end(&run.command);
	if (!ret && run.ended_by) {
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
	struct wishes wishes = { .opts = RCD_OPTS_INIT };
	struct cmd_opts words;
	int id, status = CMD_OK;

	wishes.opts.nr_words = argc;
	wishes.opts.words = argv;
	cmd_opts_init(&words, &cmd, argc, argv);
	while (!status && (id = cmd_opts_next(&words)) >= 0)
		status = take(&wishes, &words, id);
	if (!status && id == CMD_OPT_EXIT)
		status = words.status;
	else if (!status)
		status = check(&wishes.opts, words.argc) ?:
			 run(&wishes, words.argc ? words.argv : NULL);
	free(wishes.opts.pids.v);
	free(wishes.opts.tids.v);
	return status;
}
