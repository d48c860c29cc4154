// SPDX-License-Identifier: GPL-2.0-only
/* ssctr collect: options, signals, and what is told. */
#include "base/file.h"
#include "base/own.h"
#include "base/plain.h"
#include "collect/collect.h"
#include "collect/exporter.h"
#include "collect/machine.h"
#include "collect/notify.h"
#include "collect/turn.h"
#include "signals.h"
#include "ssctr.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum {
	OPT_BUDGET = OPT_NO_LETTER,
	OPT_PERIOD,
	OPT_SAMPLES,
	OPT_TURN,
	OPT_KEEP,
	OPT_KEEP_SIZE,
	OPT_SIZE,
	OPT_ONCE,
	OPT_PPROF,
	OPT_OTLP,
	OPT_HEADERS,
	OPT_CA,
	OPT_TIMEOUT,
	OPT_SERVICE,
	OPT_NAMES,
};

#define SECOND UINT64_C(1000000000)
#define FOLDER "/var/lib/ssctr-collect"

enum {
	MEMORY = 12 << 20, /* that the counts of a period may take */
	LEAST_SIZE = 4000, /* bytes of a file that may have no step */
	MOST_TIMEOUT = 86400, /* s */
	SLACK = 100000000, /* ns that a wait may be longer, to share a wakeup with others */
};

static const struct opt options[] = {
	{ 'd', "dir", "DIR",
	  "write the files into DIR (default: $STATE_DIRECTORY, or " FOLDER ")" },
	{ OPT_BUDGET, "budget", "PERCENT",
	  "take at most this share of the time of all CPUs (default: 0.5%)" },
	{ OPT_PERIOD, "period", "TIME",
	  "write a file every TIME, such as 10m, 1h or 1d (default: 1h)" },
	{ OPT_SAMPLES, "samples", "N",
	  "take about N samples a period, if the budget allows it (default: 100000)" },
	{ OPT_TURN, "turn", "TIME", "record for TIME in each turn (default: 1s)" },
	{ 'e', "event", "EVENT", "sample this event (default: cycles)" },
	{ OPT_KEEP, "keep", "AGE", "remove files that are older than AGE (default: 14d)" },
	{ OPT_KEEP_SIZE, "keep-size", "SIZE",
	  "remove the oldest files if all files together have more than SIZE bytes (default: 500M)" },
	{ OPT_SIZE, "size", "SIZE",
	  "leave out rare steps if a file would have more than SIZE bytes (default: 1M)" },
	{ OPT_ONCE, "once", NULL, "record one turn, write its file and end" },
	{ OPT_PPROF, "pprof", "OUT",
	  "export each file as a profile for pprof, too; OUT is a folder, or a URL to send it to, in which {begin} and {end} become its time" },
	{ OPT_OTLP, "otlp", "OUT",
	  "export each file as OTLP profiles, too; OUT is as above, for instance http://HOST:4318/v1development/profiles" },
	{ OPT_HEADERS, "headers", "FILE",
	  "send the HTTP headers in FILE, too, one in each line; this is the place for a secret" },
	{ OPT_CA, "ca", "FILE", "trust the certificates in FILE, and not those of this machine" },
	{ OPT_TIMEOUT, "timeout", "TIME", "give up a request after TIME (default: 10s)" },
	{ OPT_SERVICE, "service", "NAME",
	  "set the attribute service.name of OTLP profiles (default: ssctr)" },
	{ OPT_NAMES, "names", NULL,
	  "name functions and lines in profiles, by the files of this machine" },
	{ 'q', "quiet", NULL, "print only what goes wrong, and when it works again" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "collect",
	.usage = "[option]...",
	.about =
		"Record the whole machine all the time, at a bounded cost. ssctr collect records in\n"
		"short turns, counts each turn and removes its recording. Each period it writes one\n"
		"counts file, which `ssctr merge`, `ssctr profile` and `ssctr report` read. The\n"
		"files have addresses of code and counts, and no names of tasks or command lines.\n"
		"While the machine is idle, nothing is recorded.\n\n"
		"SIGTERM writes what the period has so far and ends. SIGHUP writes it and goes on.",
	.example = "  systemctl enable --now ssctr-collect\n"
		   "  ssctr collect -d counts --budget 1% --period 10m\n"
		   "  ssctr collect -d counts --once\n"
		   "  ssctr collect --otlp http://collector:4318/v1development/profiles",
	.opts = options,
};

/* What the options say, and what the service consists of. */
struct service {
	struct collect_opts opts;
	struct turns_opts turn;
	const char *dir;
	uint64_t size; /* bytes of a file */
	char *folder; /* for the turns' recordings */
	bool quiet;
	struct spool spool;
	struct turns *turns;
	struct exporter_opts export;
	struct exporter *exporter; /* NULL: nothing is exported */
	int signals;
};

/* --- what the collector needs --- */

static void now(void *arg, struct collect_time *time)
{
	(void)arg;
	collect_machine_now(time);
}

static unsigned int take_signals(int fd)
{
	struct signalfd_siginfo info;
	unsigned int what = 0;

	while (read(fd, &info, sizeof(info)) == sizeof(info))
		what |= info.ssi_signo == SIGHUP ? COLLECT_WRITE : COLLECT_END;
	return what;
}

static void go_on_exporting(struct service *s)
{
	struct timespec ts;

	if (!s->exporter)
		return;
	clock_gettime(CLOCK_BOOTTIME, &ts);
	exporter_step(s->exporter, ts.tv_sec);
}

static unsigned int wait_for(void *arg, uint64_t span)
{
	struct service *s = arg;
	const struct timespec timeout = { span / SECOND, span % SECOND };
	struct pollfd file = { .fd = s->signals, .events = POLLIN };

	notify_send("WATCHDOG=1");
	go_on_exporting(s);
	ppoll(&file, 1, &timeout, NULL);
	return take_signals(s->signals);
}

static int turn(void *arg, const struct collect_sampling *how, struct collect_turn *turn,
		struct error *error)
{
	struct service *s = arg;

	return spool_hold(&s->spool, error) ?: turns_take(s->turns, how, turn, error);
}

/* A file that is written early because of its size has its part of what a period may have. */
static uint64_t largest(const struct service *s, uint64_t span)
{
	const uint64_t period = s->opts.limits.period / SECOND;
	const double share = period ? (double)span / period : 1;

	if (tally_bytes(turns_tally(s->turns)) <= s->opts.memory || share >= 1)
		return s->size;
	return s->size * share + 1;
}

static int write_counts(void *arg, const char *path, const struct cf_source *source,
			uint64_t begin, uint64_t end, uint64_t span, struct error *error)
{
	const struct service *s = arg;
	int ret;

	turns_stand_for(s->turns, span);
	ret = tally_write(turns_tally(s->turns), path, source, begin, end,
			  largest(s, end - begin), error);
	if (!ret && s->exporter)
		exporter_written(s->exporter);
	return ret;
}

static void rotate(void *arg, const struct spool_keep *keep)
{
	const struct service *s = arg;

	if (s->exporter)
		exporter_rotate(s->exporter, keep);
}

static void clear(void *arg)
{
	const struct service *s = arg;

	turns_clear(s->turns);
}

static size_t bytes(void *arg)
{
	const struct service *s = arg;

	return tally_bytes(turns_tally(s->turns));
}

static void say(void *arg, const char *line)
{
	const struct service *s = arg;

	if (!s->quiet)
		plain_line(stderr, line);
}

static void warn(void *arg, const char *line)
{
	(void)arg;
	plain_line(stderr, line);
}

static void status(void *arg, const char *line)
{
	char text[256];

	(void)arg;
	snprintf(text, sizeof(text), "STATUS=%s", line);
	notify_send(text);
}

/* --- options --- */

/* A number, and one of the units: "90", "1.5h". Returns false if it is not above 0. */
static bool parse_unit(const char *arg, const char *units, const double *factors,
		       double *value)
{
	const char *unit;
	char *end;

	*value = strtod(arg, &end);
	if (end == arg || !(*value > 0) || !(*value < 1e15))
		return false;
	if (!*end)
		return true;
	unit = strchr(units, *end);
	if (!unit || end[1])
		return false;
	*value *= factors[unit - units];
	return true;
}

static int parse_time(const char *name, const char *arg, uint64_t *seconds_or_ns,
		      uint64_t unit)
{
	static const double factors[] = { 1, 60, 3600, 86400 };
	double value;

	if (!parse_unit(arg, "smhd", factors, &value) || value > 1e9 || value * unit < 1)
		return cmd_usage(&cmd, "--%s %s: not a time such as 30s, 10m, 1h or 14d", name,
				 arg);
	*seconds_or_ns = value * unit;
	return CMD_OK;
}

static int parse_size(const char *name, const char *arg, uint64_t *bytes)
{
	static const double factors[] = { 1e3, 1e3, 1e6, 1e9, 1e12 };
	double value;

	if (!parse_unit(arg, "kKMGT", factors, &value))
		return cmd_usage(&cmd, "--%s %s: not a size such as 500M or 2G", name, arg);
	*bytes = value;
	return CMD_OK;
}

static int parse_budget(const char *arg, double *share)
{
	static const double factors[] = { 1 };
	double value;

	if (!parse_unit(arg, "%", factors, &value) || value > 100)
		return cmd_usage(&cmd, "--budget %s: not a share of the CPUs' time such as 0.5%%",
				 arg);
	*share = value / 100;
	return CMD_OK;
}

static int take_output(const char **out, const char *name, const char *arg)
{
	if (!strcmp(arg, "-"))
		return cmd_usage(&cmd, "--%s '%s': use a folder or a URL", name, arg);
	*out = arg;
	return CMD_OK;
}

static int take_timeout(struct exporter_opts *export, const char *arg)
{
	uint64_t seconds;

	if (parse_time("timeout", arg, &seconds, 1))
		return CMD_USAGE;
	if (seconds > MOST_TIMEOUT)
		return cmd_usage(&cmd, "--timeout %s: use at most 1d", arg);
	export->timeout = seconds;
	return CMD_OK;
}

static int take_export(struct exporter_opts *export, const char *arg, int id)
{
	switch (id) {
	case OPT_PPROF:
		return take_output(&export->out[EXPORT_PPROF], "pprof", arg);
	case OPT_OTLP:
		return take_output(&export->out[EXPORT_OTLP], "otlp", arg);
	case OPT_HEADERS:
		export->headers = arg;
		break;
	case OPT_CA:
		export->ca = arg;
		break;
	case OPT_TIMEOUT:
		return take_timeout(export, arg);
	case OPT_SERVICE:
		export->service = arg;
		break;
	case OPT_NAMES:
		export->names = true;
		break;
	}
	return CMD_OK;
}

static int take(struct service *s, const struct cmd_opts *words, int id)
{
	struct collect_limits *limits = &s->opts.limits;

	switch (id) {
	case 'd':
		s->dir = words->arg;
		return CMD_OK;
	case OPT_BUDGET:
		return parse_budget(words->arg, &limits->share);
	case OPT_PERIOD:
		return parse_time("period", words->arg, &limits->period, SECOND);
	case OPT_SAMPLES:
		if (!cmd_opts_u64(words, &limits->samples))
			return CMD_USAGE;
		return limits->samples ? CMD_OK : cmd_usage(&cmd, "--samples 0: the number must be at least 1");
	case OPT_TURN:
		return parse_time("turn", words->arg, &limits->turn, SECOND);
	case 'e':
		s->turn.event = words->arg;
		return CMD_OK;
	case OPT_KEEP:
		return parse_time("keep", words->arg, &s->opts.keep_age, 1);
	case OPT_KEEP_SIZE:
		return parse_size("keep-size", words->arg, &s->opts.keep_size);
	case OPT_SIZE:
		return parse_size("size", words->arg, &s->size);
	case OPT_ONCE:
		s->opts.once = true;
		return CMD_OK;
	case 'q':
		s->quiet = true;
		return CMD_OK;
	default:
		return take_export(&s->export, words->arg, id);
	}
}

static bool exports(const struct service *s)
{
	return s->export.out[EXPORT_PPROF] || s->export.out[EXPORT_OTLP];
}

static bool sends(const struct service *s)
{
	unsigned int i;

	for (i = 0; i < EXPORT_NR_FORMATS; i++)
		if (s->export.out[i] && export_is_url(s->export.out[i]))
			return true;
	return false;
}

static int check(struct service *s, int operands)
{
	const struct collect_limits *limits = &s->opts.limits;

	if (operands)
		return cmd_usage(&cmd, "ssctr collect records the whole machine, and no command");
	if (limits->period < COLLECT_LEAST_PERIOD)
		return cmd_usage(&cmd, "--period: this is too short for a turn; use 2s or more");
	if (s->size < LEAST_SIZE)
		return cmd_usage(&cmd, "--size: this is too small for what describes the counts; use 4k or more");
	if (limits->turn > limits->period / 2)
		return cmd_usage(&cmd, "--turn: a turn must be shorter than half a period");
	if (!exports(s) && (s->export.names || s->export.service))
		return cmd_usage(&cmd, "--names and --service need --pprof or --otlp");
	if (!sends(s) && (s->export.headers || s->export.ca || s->export.timeout))
		return cmd_usage(&cmd, "--headers, --ca and --timeout need a URL after --pprof or --otlp");
	return CMD_OK;
}

/* --- run --- */

/* What can be read by others lies in the spool, and the recordings beside it or in /run. */
static int open_all(struct service *s, struct error *error)
{
	const char *runtime = getenv("RUNTIME_DIRECTORY");
	int ret = spool_open(&s->spool, s->dir, error);

	if (ret)
		return ret;
	if (runtime && own_folder_check(runtime, false, error))
		return ERROR_OUTPUT;
	if (asprintf(&s->folder, "%s/turn", runtime ? runtime : s->dir) < 0)
		return error_nomem(error);
	s->turn.folder = s->folder;
	s->turn.length = s->opts.limits.turn;
	s->turn.wake = s->signals;
	ret = turns_new(&s->turns, &s->turn, error) ?: turns_try(s->turns, error);
	if (ret || !exports(s))
		return ret;
	s->export.say = warn;
	s->export.service = s->export.service ?: "ssctr";
	return exporter_new(&s->exporter, &s->export, &s->spool, error);
}

/* Returns 0, or ERROR_OUTPUT with a text if what was asked for once could not be exported. */
static int end_exporting(struct service *s, struct error *error)
{
	if (!s->exporter || exporter_end(s->exporter) || !s->opts.once)
		return 0;
	return error_set(error, ERROR_OUTPUT, "%s: its counts were written, but not all of them exported",
			 s->dir);
}

static void greet(struct service *s)
{
	char line[256];

	if (s->spool.killed)
		warn(s, "the last ssctr collect did not end by itself: what it had counted since its last file is lost");
	if (s->spool.renamed)
		warn(s, "the file \"state\" was damaged: this machine has a new label");
	snprintf(line, sizeof(line), "collects into %s", s->dir);
	say(s, line);
	notify_send("READY=1");
}

static int run(struct service *s)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, 0 };
	const struct collect_ops ops = { .arg = s, .now = now, .wait = wait_for, .turn = turn,
					 .write = write_counts, .clear = clear, .bytes = bytes,
					 .rotate = rotate, .say = say, .warn = warn,
					 .status = status };
	struct error error;
	bool began, ended;
	int ret;

	/* Who reads the lines may go away, as a logger that is started anew. */
	signal(SIGPIPE, SIG_IGN);
	/* A signal ends the turn that runs, and is looked at after it. */
	s->signals = signals_open(taken, NULL);
	if (s->signals < 0)
		return cmd_error(&cmd, "signalfd: %s", strerror(errno));
	/* Users can cut what their programs have mapped. */
	file_survive_cuts();
	prctl(PR_SET_TIMERSLACK, SLACK);
	if (getrandom(&s->opts.seed, sizeof(s->opts.seed), 0) < 0)
		s->opts.seed = getpid();
	ret = open_all(s, &error);
	began = !ret;
	if (began) {
		greet(s);
		ret = collect_run(&s->spool, &ops, &s->opts, &error);
	}
	notify_send("STOPPING=1");
	/* Who could not begin has told nobody that the last one was killed. */
	ended = began ? !ret : !s->spool.killed;
	if (began && !ret)
		ret = end_exporting(s, &error);
	spool_close(&s->spool, ended);
	exporter_free(s->exporter);
	turns_free(s->turns);
	free(s->folder);
	if (ret == ERROR_USAGE)
		return cmd_usage(&cmd, "-e: %s", error.text);
	return ret ? cmd_error(&cmd, "%s", error.text) : CMD_OK;
}

int cmd_collect(int argc, char **argv)
{
	struct service s = {
		.opts = { .limits = { .share = 0.005, .period = 3600 * SECOND, .turn = SECOND,
				      .samples = 100000 },
			  .keep_age = 14 * 86400, .keep_size = 500000000, .memory = MEMORY },
		.turn = { .event = "cycles" },
		.size = 1000000,
		.spool = { .dir = -1 },
	};
	struct cmd_opts words;
	int id, ret = CMD_OK;

	s.dir = getenv("STATE_DIRECTORY");
	if (!s.dir)
		s.dir = FOLDER;
	cmd_opts_init(&words, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&words)) >= 0)
		ret = take(&s, &words, id);
	if (!ret && id == CMD_OPT_EXIT)
		return words.status;
	return ret ?: check(&s, words.argc) ?: run(&s);
}
