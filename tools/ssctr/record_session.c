// SPDX-License-Identifier: GPL-2.0-only
/* ssctr record: from opening the events to the end of the recording. */
#include "record.h"

#include "perfdata/writer.h"
#include "record_command.h"
#include "recorder/rings.h"
#include "recorder/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000, TRIES = 10 };

struct session {
	struct record_plan *plan;
	struct rings *rings;
	struct pdw *w;
	struct record_command command;
	sigset_t signals, signals_before;
	int signal_fd;
	int ended_by; /* a signal, or 0 */
	uint64_t started, ends, shown; /* ns; ends 0: never */
	uint64_t shown_samples;
	bool terminal;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS + ts.tv_nsec;
}

/* --- what is followed --- */

struct tids {
	pid_t *v;
	unsigned int nr;
};

static bool add_tids(struct tids *tids, const pid_t *v, unsigned int nr)
{
	pid_t *more = realloc(tids->v, (tids->nr + nr) * sizeof(*v));

	if (!more)
		return false;
	memcpy(more + tids->nr, v, nr * sizeof(*v));
	tids->v = more;
	tids->nr += nr;
	return true;
}

static int find_threads(const struct session *s, struct tids *tids)
{
	const struct record_plan *plan = s->plan;
	unsigned int i;

	tids->nr = 0;
	if (!record_attaches(plan) && !add_tids(tids, &s->command.pid, 1))
		return cmd_error(plan->cmd, "out of memory");
	for (i = 0; i < plan->pids.nr; i++) {
		pid_t *v;
		int nr = rcd_threads(plan->pids.v[i], &v);
		bool added;

		if (nr < 0)
			return cmd_error(plan->cmd, "process %d: %s",
					 (int)plan->pids.v[i], strerror(errno));
		added = add_tids(tids, v, nr);
		free(v);
		if (!added)
			return cmd_error(plan->cmd, "out of memory");
	}
	for (i = 0; i < plan->tids.nr; i++)
		if (rcd_process_of(plan->tids.v[i]) < 0)
			return cmd_error(plan->cmd, "there is no thread %d",
					 (int)plan->tids.v[i]);
	if (plan->tids.nr && !add_tids(tids, plan->tids.v, plan->tids.nr))
		return cmd_error(plan->cmd, "out of memory");
	return CMD_OK;
}

/* --- opening --- */

static void leave_out(struct record_plan *plan, unsigned int i, int error)
{
	struct rcd_events *events = &plan->events;

	if (!plan->quiet)
		fprintf(stderr, "without %s: %s\n", events->v[i].name,
			strerror(error));
	memmove(&events->v[i], &events->v[i + 1],
		(--events->nr - i) * sizeof(*events->v));
}

/* An event that did not say which modes may do without the kernel's. */
static bool see_less(struct rcd_event *e)
{
	if (e->has_modes || e->attr.exclude_kernel ||
	    e->attr.type == PERF_TYPE_TRACEPOINT)
		return false;
	e->attr.exclude_kernel = 1;
	e->attr.exclude_hv = 1;
	if (strlen(e->name) + 2 < sizeof(e->name))
		strcat(e->name, ":u");
	return true;
}

static int try_open(struct session *s, const struct tids *tids,
		    unsigned int *failed)
{
	struct record_plan *plan = s->plan;
	const bool system = record_is_of_cpus(plan);
	const struct rings_target target = { system ? NULL : tids->v, tids->nr,
					     plan->cpus };
	struct rings_event *v = calloc(plan->events.nr, sizeof(*v));
	unsigned int i;
	int ret;

	if (!v)
		return -ENOMEM;
	for (i = 0; i < plan->events.nr; i++) {
		v[i].attr = &plan->events.v[i].attr;
		v[i].everywhere = plan->cpus && v[i].attr->mmap;
	}
	ret = rings_open(&s->rings, v, plan->events.nr, &target, plan->pages,
			 failed);
	free(v);
	return ret;
}

/*
 * Threads may end and begin between being found and being opened. What is not
 * allowed is tried with less, and what was not asked for is left out.
 */
static int open_events(struct session *s)
{
	struct record_plan *plan = s->plan;
	struct tids tids = { NULL, 0 };
	unsigned int failed, tries = 0;
	int error, status;

	do {
		struct rcd_event *e;

		status = find_threads(s, &tids);
		if (status)
			break;
		error = -try_open(s, &tids, &failed);
		if (!error)
			break;
		e = failed < plan->events.nr ? &plan->events.v[failed] : NULL;
		if (error == ESRCH && ++tries < TRIES)
			continue;
		if (e && (error == EACCES || error == EPERM) && see_less(e))
			continue;
		if (e && failed >= plan->nr_asked) {
			leave_out(plan, failed, error);
			continue;
		}
		status = record_refused(plan, e, error);
	} while (!status);
	free(tids.v);
	return status;
}

/* --- writing --- */

static int output_failed(const struct session *s)
{
	return cmd_error(s->plan->cmd, "%s: %s", s->plan->output,
			 strerror(errno));
}

static int start_file(struct session *s)
{
	const struct record_plan *plan = s->plan;
	unsigned int i;

	for (i = 0; i < plan->events.nr; i++) {
		size_t nr;
		const uint64_t *ids = rings_ids(s->rings, i, &nr);

		if (pdw_add_event(s->w, &plan->events.v[i].attr,
				  plan->events.v[i].name, ids, nr))
			return output_failed(s);
	}
	if (record_header(plan, s->w) || pdw_start(s->w))
		return output_failed(s);
	return CMD_OK;
}

/* What was there before. Its mappings are followed from before it is read. */
static int write_past(struct session *s)
{
	const struct record_plan *plan = s->plan;
	struct rcd_past past = { .w = s->w, .trailer = RECORD_TRAILER };
	bool kernel = false;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < plan->events.nr; i++)
		kernel |= !plan->events.v[i].attr.exclude_kernel;
	if (kernel)
		ret = rcd_write_kernel(&past);
	if (!ret && record_is_of_cpus(plan))
		ret = rcd_write_processes(&past);
	for (i = 0; i < plan->pids.nr && !ret; i++)
		ret = rcd_write_process(&past, plan->pids.v[i]);
	for (i = 0; i < plan->tids.nr && !ret; i++)
		ret = rcd_write_process(&past, rcd_process_of(plan->tids.v[i]));
	rcd_past_end(&past);
	if (ret || pdw_mark(s->w, PDW_FINISHED_INIT))
		return output_failed(s);
	return CMD_OK;
}

static int write_records(void *arg, const void *p, size_t size)
{
	struct session *s = arg;

	return pdw_write(s->w, p, size);
}

static int drain(struct session *s)
{
	const uint64_t before = pdw_size(s->w);

	if (rings_drain(s->rings, write_records, s) ||
	    (pdw_size(s->w) != before && pdw_mark(s->w, PDW_FINISHED_ROUND)))
		return output_failed(s);
	return CMD_OK;
}

/* What the kernel could not write, as perf tells it: without a time. */
static int write_lost(struct session *s, uint64_t *all)
{
	unsigned int i;

	*all = 0;
	for (i = 0; i < s->plan->events.nr; i++) {
		struct {
			struct perf_event_header header;
			uint64_t lost, tid, time, cpu, id;
		} rec = { .header = { PERF_RECORD_LOST_SAMPLES, 0,
				      sizeof(rec) } };
		size_t nr;
		const uint64_t *ids = rings_ids(s->rings, i, &nr);

		rec.lost = rings_lost_samples(s->rings, i);
		rec.id = nr ? ids[0] : 0;
		*all += rec.lost;
		if (rec.lost && pdw_write(s->w, &rec, sizeof(rec)))
			return output_failed(s);
	}
	return CMD_OK;
}

/* --- running --- */

static void show(struct session *s, uint64_t time)
{
	const struct rings_stats *stats = rings_stats(s->rings);
	const uint64_t span = time - s->shown;

	if (!s->terminal || span < NS)
		return;
	fprintf(stderr,
		"\r%" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64
		" a second, %" PRIu64 " MB\033[K",
		stats->samples, stats->lost,
		(stats->samples - s->shown_samples) * NS / span,
		stats->bytes / 1000000);
	s->shown = time;
	s->shown_samples = stats->samples;
}

/* Milliseconds until there is something to do that no ring tells of. */
static int patience(const struct session *s, uint64_t time)
{
	uint64_t until = s->terminal ? s->shown + NS : UINT64_MAX;

	if (s->ends && s->ends < until)
		until = s->ends;
	if (until == UINT64_MAX)
		return -1;
	if (until <= time)
		return 0;
	until = (until - time) / 1000000 + 1;
	return until < INT32_MAX ? (int)until : INT32_MAX;
}

/* Is there a reason to end? */
static bool read_signals(struct session *s)
{
	struct signalfd_siginfo info;
	bool ends = false;

	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			s->ended_by = info.ssi_signo;
		ends |= info.ssi_signo != SIGCHLD ||
			record_command_ended(&s->command);
	}
	return ends;
}

static int loop(struct session *s)
{
	bool more = true;
	int status;

	do {
		uint64_t time = now();

		if (s->ends && time >= s->ends)
			more = false;
		if (more && !rings_wait(s->rings, patience(s, time)) &&
		    !s->command.pid)
			more = false;
		if (read_signals(s))
			more = false;
		if (!more)
			rings_disable(s->rings);
		status = drain(s);
		show(s, now());
	} while (more && !status);
	return status;
}

/*
 * Start the event that tells of mappings, or the others. Those of a command start
 * by themselves when it is executed.
 */
static int enable(struct session *s, bool tracking)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->plan->events.nr && !ret; i++) {
		const struct perf_event_attr *attr = &s->plan->events.v[i].attr;

		if (!attr->enable_on_exec && attr->mmap == tracking)
			ret = rings_enable(s->rings, i);
	}
	return ret;
}

static int record(struct session *s)
{
	const struct record_plan *plan = s->plan;
	int status = start_file(s), error;

	if (status)
		return status;
	error = enable(s, true);
	if (!error) {
		status = write_past(s);
		if (status)
			return status;
		error = enable(s, false);
	}
	if (!error)
		error = rings_watch(s->rings, s->signal_fd);
	if (error)
		return cmd_error(plan->cmd, "the events cannot be started: %s",
				 strerror(-error));
	s->started = s->shown = now();
	if (plan->duration)
		s->ends = s->started + (uint64_t)(plan->duration * NS);
	if (plan->command) {
		error = record_command_go(&s->command);
		if (error)
			return cmd_error(plan->cmd, "%s: %s", plan->command[0],
					 strerror(error));
	}
	return loop(s);
}

/* --- the end --- */

static void tell(const struct session *s, uint64_t lost, uint64_t time)
{
	const struct rings_stats *stats = rings_stats(s->rings);
	struct rusage own;
	double spent;

	if (s->terminal)
		fputs("\r\033[K", stderr);
	if (s->plan->quiet)
		return;
	getrusage(RUSAGE_SELF, &own);
	spent = own.ru_utime.tv_sec + own.ru_stime.tv_sec +
		(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6;
	fprintf(stderr, "%12" PRIu64 " samples in %.3f s, %.1f MB to %s\n",
		stats->samples, (double)(time - s->started) / NS,
		(double)stats->bytes / 1e6,
		strcmp(s->plan->output, "-") ? s->plan->output :
					       "standard output");
	fprintf(stderr, "%12.3f s of a hart's time to write them\n", spent);
	if (lost < stats->lost)
		lost = stats->lost;
	if (lost)
		fprintf(stderr,
			"%12" PRIu64
			" events lost: take larger rings (-m %u) or fewer samples (-c, -F)\n",
			lost, 4 * s->plan->pages);
	if (stats->throttled)
		fprintf(stderr,
			"%12" PRIu64
			" times the kernel throttled the sampling: take fewer samples (-c, -F)\n",
			stats->throttled);
	if (!stats->samples)
		fputs("no sample came: `ssctr doctor` tells whether counters interrupt\n",
		      stderr);
}

static int finish(struct session *s, int status)
{
	const uint64_t time = now();
	uint64_t lost = 0, times[2] = { s->started, time };

	if (!status)
		status = write_lost(s, &lost);
	if (!status && pdw_add(s->w, PDW_SAMPLE_TIME, times, sizeof(times)))
		status = output_failed(s);
	if (pdw_close(s->w, !status) && !status)
		status = output_failed(s);
	s->w = NULL;
	if (!status)
		tell(s, lost, time);
	return status;
}

static int set_up(struct session *s)
{
	const struct record_plan *plan = s->plan;
	struct rlimit files;

	sigemptyset(&s->signals);
	sigaddset(&s->signals, SIGINT);
	sigaddset(&s->signals, SIGTERM);
	sigaddset(&s->signals, SIGHUP);
	sigaddset(&s->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &s->signals, &s->signals_before);
	s->signal_fd = signalfd(-1, &s->signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (s->signal_fd < 0)
		return cmd_error(plan->cmd, "signalfd: %s", strerror(errno));
	s->w = pdw_open(plan->output);
	if (!s->w)
		return output_failed(s);
	if (plan->command &&
	    record_command_start(&s->command, plan->command,
				 &s->signals_before,
				 !strcmp(plan->output, "-")))
		return cmd_error(plan->cmd, "%s: %s", plan->command[0],
				 strerror(errno));
	/* An event takes a file for each thread on each hart. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return open_events(s);
}

int record_run(struct record_plan *plan)
{
	struct session s = { .plan = plan, .signal_fd = -1 };
	int status, ended;

	s.terminal = !plan->quiet && isatty(STDERR_FILENO);
	status = set_up(&s);
	if (!status)
		status = record(&s);
	if (status && s.terminal && s.shown)
		fputc('\n', stderr);
	if (!status)
		status = finish(&s, status);
	pdw_close(s.w, false);
	rings_close(s.rings);
	ended = record_command_end(&s.command);
	if (s.signal_fd >= 0)
		close(s.signal_fd);
	if (!status && s.ended_by) {
		signal(s.ended_by, SIG_DFL);
		raise(s.ended_by);
	}
	sigprocmask(SIG_SETMASK, &s.signals_before, NULL);
	return status ? status : ended;
}
