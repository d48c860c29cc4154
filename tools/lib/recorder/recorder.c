// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/recorder.h"
#include "base/array.h"
#include "base/file.h"
#include "last/sample.h"
#include "perfdata/writer.h"
#include "recorder/command.h"
#include "recorder/header.h"
#include "recorder/hotplug.h"
#include "recorder/mapped.h"
#include "recorder/pacer.h"
#include "recorder/refused.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES = 10 };

struct rcd {
	const struct rcd_opts *opts;
	struct rcd_events *events;
	struct error *error;
	struct rings *rings;
	const struct rcd_command *command; /* NULL, or without a process: none */
	struct points *points; /* NULL: samples are taken by the events */
	struct pacers *pacers; /* NULL: no windows */
	struct perf_event_attr points_attr; /* of their samples in the file */
	struct rcd_known *known; /* the caller's, or own_known */
	struct rcd_known own_known;
	struct rcd_files files; /* that are mapped */
	struct pdw *w;
	unsigned int pages; /* of a ring */
	int wake; /* what rcd_wait() also waits for */
	bool alone; /* all threads that were followed are gone */
	uint64_t times[2]; /* ns: started, ended */
	uint64_t lost; /* by the kernel's own count */
	uint64_t lost_tracking; /* of them, what is no sample */
	uint64_t enabled, running; /* ns, of events with branch stacks */
	uint64_t count; /* of them */
	uint64_t dropped; /* because the output was full */
	struct hotplug hotplug;
	/* CPUs that are lacking from some time on: those that went off, and those that came. */
	int *lacking;
	size_t nr_lacking, cap_lacking;
	unsigned int cpus_off;
	/* Of the output, after the end. */
	int full; /* errno */
	uint64_t size;
};

uint64_t rcd_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

int rcd_new(struct rcd **out, const struct rcd_opts *opts,
	    struct rcd_events *events, struct error *error)
{
	struct rcd *rcd;

	*out = NULL;
	if (rings_missing())
		return error_set(error, ERROR_INPUT, "%s", rings_missing());
	rcd = calloc(1, sizeof(*rcd));
	if (!rcd)
		return error_nomem(error);
	*rcd = (struct rcd){
		.opts = opts, .events = events, .error = error, .pages = rcd_pages(opts),
		.hotplug = HOTPLUG_INIT
	};
	rcd->known = opts->known ? opts->known : &rcd->own_known;
	rcd->w = pdw_open(opts->output, error);
	if (!rcd->w) {
		free(rcd);
		return ERROR_OUTPUT;
	}
	*out = rcd;
	return 0;
}

/* --- opening --- */

static int find_threads(const struct rcd *rcd, pid_t command,
			struct rcd_pids *tids)
{
	const struct rcd_opts *opts = rcd->opts;
	size_t i;

	tids->nr = 0;
	if (!rcd_attaches(opts) && !rcd_add_pid(tids, command))
		return error_nomem(rcd->error);
	for (i = 0; i < opts->pids.nr; i++) {
		int ret = rcd_threads(tids, opts->pids.v[i]);

		if (ret)
			return error_set(rcd->error, ERROR_INPUT,
					 "process %d: %s",
					 (int)opts->pids.v[i], strerror(-ret));
	}
	for (i = 0; i < opts->tids.nr; i++) {
		if (rcd_process_of(opts->tids.v[i]) < 0)
			return error_set(rcd->error, ERROR_INPUT,
					 "there is no thread %d",
					 (int)opts->tids.v[i]);
		if (!rcd_add_pid(tids, opts->tids.v[i]))
			return error_nomem(rcd->error);
	}
	/* Each event of a thread that is named twice would be counted twice. */
	return rcd_each_pid_once(tids) ? 0 : error_nomem(rcd->error);
}

static void leave_out(struct rcd_events *events, size_t i, int error,
		      struct notes *notes)
{
	notes_add(notes, 0, "not recorded: %s: %s", events->v[i].name,
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

/* Rings that nobody asked for may be smaller, if the user may not have more. */
static bool take_less(struct rcd *rcd)
{
	if (rcd->opts->pages || rcd->pages <= RCD_PAGES)
		return false;
	rcd->pages /= 2;
	return true;
}

/* 0, or a negative errno, with *failed as of rings_open(). */
static int try_open(struct rcd *rcd, const struct rcd_pids *tids,
		    unsigned int *failed)
{
	const struct rcd_opts *opts = rcd->opts;
	const struct rings_target target = {
		.tids = rcd_is_of_cpus(opts) ? NULL : tids->v,
		.nr_tids = tids->nr,
		.cpus = opts->cpus,
		.any_cpu = rcd_has_windows(opts) && !rcd_is_of_cpus(opts),
	};
	struct rings_event *v = calloc(rcd->events->nr, sizeof(*v));
	size_t i;
	int ret;

	*failed = rcd->events->nr;
	if (!v)
		return -ENOMEM;
	for (i = 0; i < rcd->events->nr; i++) {
		v[i].attr = &rcd->events->v[i].attr;
		v[i].everywhere = rcd_is_of_bpf(v[i].attr) ||
				  (opts->cpus && v[i].attr->mmap);
	}
	do {
		ret = rings_open(&rcd->rings, v, rcd->events->nr, &target, rcd->pages,
				 failed);
	} while (ret == -EPERM && *failed == rcd->events->nr && take_less(rcd));
	free(v);
	return ret;
}

/*
 * Threads may end and begin between being found and being opened. What is not
 * allowed is tried with less, and what was not asked for is left out.
 */
static int open_events(struct rcd *rcd, pid_t command, struct rcd_pids *tids,
		       struct notes *notes)
{
	unsigned int failed, tries = 0;

	for (;;) {
		int ret = find_threads(rcd, command, tids), error;
		struct rcd_event *e = NULL;

		if (ret)
			return ret;
		error = -try_open(rcd, tids, &failed);
		if (!error)
			return 0;
		if (failed < rcd->events->nr)
			e = &rcd->events->v[failed];
		if (error == ESRCH && ++tries < TRIES)
			continue;
		if (e && (error == EACCES || error == EPERM) && see_less(e))
			continue;
		if (!e || !e->optional)
			return rcd_refused(rcd->opts, e, error, rcd->error);
		leave_out(rcd->events, failed, error, notes);
	}
}

static int follow(struct rcd *rcd, pid_t command)
{
	const struct rcd_pids *pids = &rcd->opts->pids;
	int ret = rcd_attaches(rcd->opts) ? 0 :
					    points_follow(rcd->points, command, rcd->error);
	size_t i;

	for (i = 0; i < pids->nr && !ret; i++)
		ret = points_follow(rcd->points, pids->v[i], rcd->error);
	return ret;
}

/* Let the program that runs at the points write into the rings. */
static int open_points(struct rcd *rcd, pid_t command)
{
	unsigned int event = 0, at = 0;
	int ret = 0, fd, cpu;

	while (!rcd_is_of_bpf(&rcd->events->v[event].attr))
		event++;
	while (!ret && (fd = rings_fd(rcd->rings, event, at++, &cpu)) >= 0)
		ret = points_write_to(rcd->points, cpu, fd, rcd->error);
	return ret ?: follow(rcd, command);
}

/* A thread's only event, or what is on named CPUs, is where it is to be. */
static bool wants_all_cpus(const struct rcd_opts *opts)
{
	return !opts->cpus && (opts->all || !rcd_has_windows(opts));
}

int rcd_open(struct rcd *rcd, const struct rcd_command *of, struct notes *notes)
{
	const pid_t command = of ? of->pid : 0;
	struct rcd_pids tids = { 0 };
	int ret;

	rcd->command = of;
	/* An event takes a file for each thread on each hart. */
	file_raise_limit();
	/* Before it is read which CPUs are online. */
	if (wants_all_cpus(rcd->opts))
		hotplug_listen(&rcd->hotplug);
	ret = rcd->opts->points ? points_new(&rcd->points, rcd->opts->points, rcd->error) : 0;
	if (!ret)
		ret = open_events(rcd, command, &tids, notes);
	free(tids.v);
	if (!ret && rcd->points)
		ret = open_points(rcd, command);
	if (!ret && rcd_has_windows(rcd->opts))
		ret = pacers_new(&rcd->pacers, rcd->rings, &rcd->opts->windows,
				 rcd_windows_dense(rcd->opts), rcd->error);
	return ret;
}

/* --- starting --- */

/* As the file has it: the samples of points have what the program wrote. */
static const struct perf_event_attr *attr_of(struct rcd *rcd, unsigned int event)
{
	const struct rcd_event *v = rcd->events->v;

	if (!rcd_is_of_bpf(&v[event].attr))
		return &v[event].attr;
	rcd->points_attr = v[event].attr;
	rcd->points_attr.sample_type = LAST_SAMPLE_TYPE;
	rcd->points_attr.branch_sample_type = v[0].attr.branch_sample_type;
	rcd->points_attr.sample_regs_user = UINT32_MAX;
	rcd->points_attr.exclude_kernel = v[0].attr.exclude_kernel;
	rcd->points_attr.exclude_hv = v[0].attr.exclude_hv;
	return &rcd->points_attr;
}

static int start_file(struct rcd *rcd)
{
	const struct rcd_events *events = rcd->events;
	int ret = 0;
	size_t i;

	for (i = 0; i < events->nr && !ret; i++) {
		size_t nr;
		const uint64_t *ids = rings_ids(rcd->rings, i, &nr);

		ret = pdw_add_event(rcd->w, attr_of(rcd, i),
				    events->v[i].name, ids, nr);
	}
	return ret ?: rcd_add_header(rcd->w, rcd->opts, events, rcd->known, rcd->error) ?:
		      pdw_start(rcd->w);
}

/* Those that the user named, and those of the threads. */
static int write_named_processes(struct rcd_past *past, const struct rcd_opts *opts)
{
	struct rcd_pids pids = { 0 };
	bool ok = true;
	int ret = 0;
	size_t i;

	for (i = 0; i < opts->pids.nr && ok; i++)
		ok = rcd_add_pid(&pids, rcd_process_of(opts->pids.v[i]));
	for (i = 0; i < opts->tids.nr && ok; i++)
		ok = rcd_add_pid(&pids, rcd_process_of(opts->tids.v[i]));
	if (!ok || !rcd_each_pid_once(&pids))
		ret = error_nomem(past->error);
	for (i = 0; i < pids.nr && !ret; i++)
		ret = rcd_write_process(past, pids.v[i]);
	free(pids.v);
	return ret;
}

/* What was there before. Its mappings are followed from before it is read. */
static int write_past(struct rcd *rcd)
{
	const struct rcd_opts *opts = rcd->opts;
	struct rcd_past past = { .w = rcd->w,
				 .error = rcd->error,
				 .known = rcd->known,
				 .trailer = RCD_TRAILER,
				 .files = &rcd->files };
	bool kernel = false;
	int ret = 0;
	size_t i;

	/* Samples of user code, too, may have branches of the kernel. */
	for (i = 0; i < rcd->events->nr; i++) {
		const struct perf_event_attr *attr = &rcd->events->v[i].attr;

		kernel |= !attr->exclude_kernel ||
			  attr->branch_sample_type & PERF_SAMPLE_BRANCH_KERNEL;
	}
	/* Where nothing else is of the kernel, the function at a point is. */
	for (i = 0; opts->points && i < opts->points->nr_probes; i++)
		kernel |= !opts->points->probes[i].path;
	if (kernel)
		ret = rcd_write_kernel(&past);
	if (!ret && rcd_is_of_cpus(opts))
		ret = rcd_write_processes(&past);
	if (!ret)
		ret = write_named_processes(&past, opts);
	/* The first samples come before the kernel gives it this name, when it is executed. */
	if (!ret && rcd->command && rcd->command->pid)
		ret = rcd_write_name(&past, rcd->command->pid, rcd->command->pid,
				     basename(rcd->command->name));
	return ret ?: pdw_mark(rcd->w, PD_USER_FINISHED_INIT);
}

static int not_started(const struct rcd *rcd, int error)
{
	return error ? error_set(rcd->error, ERROR_INPUT,
				 "the events cannot be started: %s",
				 strerror(-error)) :
		       0;
}

/*
 * Start the event that tells of mappings, or the others. Those of a command start
 * by themselves when it is executed.
 */
static int enable(struct rcd *rcd, bool tracking)
{
	int error = 0;
	size_t i;

	for (i = 0; i < rcd->events->nr && !error; i++) {
		const struct perf_event_attr *attr = &rcd->events->v[i].attr;

		if (!attr->enable_on_exec && attr->mmap == tracking)
			error = rings_enable(rcd->rings, i);
	}
	return not_started(rcd, error);
}

/*
 * A window begins when the recorder runs. On a CPU that the recorded task shares with it,
 * that would be at the end of the task's time. Not every user may.
 */
static void come_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
}

int rcd_start(struct rcd *rcd, int wake)
{
	int ret = start_file(rcd) ?: enable(rcd, true) ?: write_past(rcd) ?:
		  enable(rcd, false) ?:
		  (rcd->points ? points_start(rcd->points, rcd->error) : 0) ?:
		  not_started(rcd, rings_watch(rcd->rings, wake));

	if (!ret)
		pdw_drop_when_full(rcd->w);
	if (rcd->pacers)
		come_first();
	rcd->wake = wake;
	rcd->times[0] = rcd_now();
	return ret;
}

/* --- running --- */

/* For as long as the caller wants, but not for what the rings have. */
static void wait_apart(const struct rcd *rcd, int timeout)
{
	struct pollfd wake = { .fd = rcd->wake, .events = POLLIN };

	poll(&wake, 1, timeout);
}

/*
 * Each sample of a window wakes up who waits for the rings. So nobody does while a window
 * runs: the rings are looked at when some time is over.
 */
bool rcd_wait(struct rcd *rcd, int timeout)
{
	const int patience = rcd->pacers ? pacers_patience(rcd->pacers) : -1;

	if (patience >= 0 && (timeout < 0 || timeout > patience))
		timeout = patience;
	if (patience >= 0 || rcd->alone)
		wait_apart(rcd, timeout);
	/* From then on, the rings would end each wait at once. */
	if (!rcd->alone && !rings_wait(rcd->rings, patience < 0 ? timeout : 0))
		rcd->alone = true;
	return !rcd->alone;
}

static void add_lacking(struct rcd *rcd, int cpu)
{
	/* Without memory, the file cannot be completed either. */
	if (array_room(&rcd->lacking, rcd->nr_lacking, &rcd->cap_lacking,
		       sizeof(*rcd->lacking)))
		rcd->lacking[rcd->nr_lacking++] = cpu;
	else
		rcd->hotplug.no_memory = true;
}

/* Where the kernel has taken an event away, the time for which it was enabled stands still. */
static void find_cpus_off(struct rcd *rcd)
{
	struct rings_count *before = NULL, *after = NULL;
	size_t i, nr, again;

	/* Windows and points are not on all the time, wherever they are. */
	if (!rcd_is_of_cpus(rcd->opts) || rcd->pacers || rcd->points)
		return;
	if (!rings_counts(rcd->rings, 0, &before, &nr) &&
	    !rings_counts(rcd->rings, 0, &after, &again) && nr == again)
		for (i = 0; i < nr; i++)
			if (before[i].enabled && before[i].enabled == after[i].enabled)
				add_lacking(rcd, before[i].cpu);
	rcd->cpus_off = rcd->nr_lacking;
	free(before);
	free(after);
}

static void find_cpus_on(struct rcd *rcd)
{
	size_t i;

	if (!wants_all_cpus(rcd->opts))
		return;
	hotplug_end(&rcd->hotplug);
	for (i = 0; i < rcd->hotplug.nr; i++)
		if (!rings_is_on(rcd->rings, 0, rcd->hotplug.cpus[i]))
			add_lacking(rcd, rcd->hotplug.cpus[i]);
}

void rcd_stop(struct rcd *rcd)
{
	find_cpus_off(rcd);
	find_cpus_on(rcd);
	rings_disable(rcd->rings);
}

/* In whole pieces, but for mappings whose build id the kernel did not find. */
static int write_records(void *arg, const void *p, size_t size)
{
	const uint8_t *from = p, *at = p, *end = at + size;
	struct rcd_mapping mapping;
	struct rcd *rcd = arg;
	int ret = 0;

	for (; at < end && !ret; at += size) {
		size = ((const struct perf_event_header *)at)->size;
		if (!rcd_add_build_id(&rcd->files, &mapping, at))
			continue;
		if (at > from)
			ret = pdw_write(rcd->w, from, at - from);
		ret = ret ?: pdw_write(rcd->w, &mapping, size);
		from = at + size;
	}
	return ret || from == end ? ret : pdw_write(rcd->w, from, end - from);
}

/* The same, where samples are what the program at the points wrote. */
static int write_points(void *arg, const void *p, size_t size)
{
	uint64_t sample[LAST_SAMPLE_WORDS];
	const uint8_t *at = p, *end = at + size;
	struct rcd *rcd = arg;
	int ret = 0;

	while (at < end && !ret) {
		const struct perf_event_header *header = (const void *)at;

		if (header->type != PERF_RECORD_SAMPLE) {
			ret = write_records(rcd, at, header->size);
		} else {
			size = last_make_sample(sample, at, header->size);
			if (size)
				ret = pdw_write(rcd->w, sample, size);
		}
		at += header->size;
	}
	return ret;
}

/* The same, where windows begin and end. */
static int write_windows(void *arg, const void *p, size_t size)
{
	const uint8_t *at = p, *end = at + size;
	struct rcd *rcd = arg;

	for (; at < end; at += ((const struct perf_event_header *)at)->size)
		pacers_take(rcd->pacers, at);
	return write_records(rcd, p, size);
}

static int drain(struct rcd *rcd)
{
	if (rcd->pacers)
		return rings_drain(rcd->rings, write_windows, rcd);
	return rings_drain(rcd->rings, rcd->points ? write_points : write_records, rcd);
}

int rcd_drain(struct rcd *rcd)
{
	const uint64_t before = pdw_size(rcd->w);
	int ret = drain(rcd);

	hotplug_take(&rcd->hotplug);
	if (!ret && pdw_size(rcd->w) != before)
		ret = pdw_mark(rcd->w, PD_USER_FINISHED_ROUND);
	return ret;
}

struct rings_stats rcd_stats(const struct rcd *rcd)
{
	struct rings_stats stats = *rings_stats(rcd->rings);

	if (stats.lost < rcd->lost)
		stats.lost = rcd->lost;
	return stats;
}

int rcd_full(const struct rcd *rcd)
{
	return rcd->w ? pdw_full(rcd->w) : rcd->full;
}

uint64_t rcd_size(const struct rcd *rcd)
{
	return rcd->w ? pdw_whole_size(rcd->w) : rcd->size;
}

uint64_t rcd_dropped(const struct rcd *rcd)
{
	return rcd->dropped;
}

uint64_t rcd_lost_tracking(const struct rcd *rcd)
{
	return rcd->lost_tracking;
}

unsigned int rcd_cpus_off(const struct rcd *rcd)
{
	return rcd->cpus_off;
}

unsigned int rcd_cpus_on(const struct rcd *rcd)
{
	return rcd->nr_lacking - rcd->cpus_off;
}

bool rcd_never_on(const struct rcd *rcd)
{
	return rcd->enabled && !rcd->running;
}

bool rcd_counted_nothing(const struct rcd *rcd)
{
	return rcd->running && !rcd->count;
}

uint64_t rcd_windows(const struct rcd *rcd)
{
	return rcd->pacers ? pacers_begun(rcd->pacers) : 0;
}

uint64_t rcd_windows_passed(const struct rcd *rcd)
{
	return rcd->pacers ? pacers_passed(rcd->pacers) : 0;
}

uint64_t rcd_windowless(const struct rcd *rcd)
{
	return rcd->pacers && !rcd_is_of_cpus(rcd->opts) ? pacers_others(rcd->pacers) : 0;
}

uint64_t rcd_span(const struct rcd *rcd)
{
	return rcd->times[1] - rcd->times[0];
}

/* --- the end --- */

/*
 * A record without a time, which tells what became of an event: as it was opened on a
 * CPU, or as a whole.
 */
static int write_end(struct rcd *rcd, uint32_t type,
		     const struct rings_count *count, const uint64_t *words,
		     unsigned int nr)
{
	enum { MOST = 1 + RCD_READ_WORDS, TRAILER = RCD_TRAILER / 8 };
	struct {
		struct perf_event_header header;
		uint64_t words[MOST + TRAILER];
	} rec = { .header = { type, 0, 8 * (1 + nr + TRAILER) } };

	memcpy(rec.words, words, nr * sizeof(*words));
	/* TID, TIME, CPU, IDENTIFIER. */
	rec.words[nr + 2] = (uint32_t)count->cpu;
	rec.words[nr + 3] = count->id;
	return pdw_write_last(rcd->w, &rec, rec.header.size);
}

/*
 * What the kernel counted: readers tell by it how much of what happened lies between the
 * samples. It is as a thread's that ends, but for the time, so that perf's readers take
 * no harm.
 */
static int write_count(struct rcd *rcd, const struct rings_count *count)
{
	const pid_t pid = count->tid < 0 ? -1 : rcd_process_of(count->tid);
	/* A thread that has ended has no process any more: it may have been one. */
	const uint64_t task = (uint64_t)(uint32_t)count->tid << 32 |
			      (uint32_t)(pid < 0 ? count->tid : pid);
	/* As RCD_READ_FORMAT has it. */
	const uint64_t words[1 + RCD_READ_WORDS] = { task,	     count->count,
						     count->enabled, count->running,
						     count->id,	     count->lost };

	return write_end(rcd, PERF_RECORD_READ, count, words, 1 + RCD_READ_WORDS);
}

/* It takes no samples: only the records of mappings and tasks are its own. */
static bool is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

/*
 * Of a CPU that is lacking, samples are lost, and nobody knows how many: none, it says, which
 * perf's readers add to what was lost. id: of the event.
 */
static int write_lacking(struct rcd *rcd, uint64_t id)
{
	const uint64_t none = 0;
	int ret = 0;
	size_t i;

	for (i = 0; i < rcd->nr_lacking && !ret; i++)
		ret = write_end(rcd, PERF_RECORD_LOST_SAMPLES,
				&(struct rings_count){ .id = id, .cpu = rcd->lacking[i] },
				&none, 1);
	return ret;
}

static int write_event(struct rcd *rcd, unsigned int event)
{
	struct rings_count *counts;
	size_t i, nr;
	uint64_t lost = 0;
	int ret = 0, known = rings_counts(rcd->rings, event, &counts, &nr);
	const uint64_t dropped = pdw_dropped(rcd->w, event);

	for (i = 0; i < nr && !ret; i++) {
		lost += counts[i].lost;
		if (rcd->events->v[event].attr.sample_type & PERF_SAMPLE_BRANCH_STACK) {
			rcd->enabled += counts[i].enabled;
			rcd->running += counts[i].running;
			rcd->count += counts[i].count;
		}
		/*
		 * Where nothing happened there is nothing to tell, but once. Points are
		 * no part of what is counted.
		 */
		if (!known && !rcd->points && (!i || counts[i].count || counts[i].enabled))
			ret = write_count(rcd, &counts[i]);
	}
	rcd->lost += lost;
	if (is_dummy(&rcd->events->v[event].attr))
		rcd->lost_tracking += lost;
	/* What could not be written, as perf tells it. */
	rcd->dropped += dropped;
	lost += dropped;
	if (lost && !ret && nr)
		ret = write_end(rcd, PERF_RECORD_LOST_SAMPLES, &counts[0],
				&lost, 1);
	if (!ret && nr && !is_dummy(&rcd->events->v[event].attr))
		ret = write_lacking(rcd, counts[0].id);
	free(counts);
	return known == -ENOMEM ? error_nomem(rcd->error) : ret;
}

static int write_counts(struct rcd *rcd)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < rcd->events->nr && !ret; i++)
		ret = write_event(rcd, i);
	if (!ret && rcd->hotplug.no_memory)
		ret = error_nomem(rcd->error);
	/* In a pipe, it tells that all counts are there. */
	return ret ?: pdw_mark(rcd->w, PD_USER_FINISHED_ROUND);
}

int rcd_finish(struct rcd *rcd)
{
	struct pdw *w = rcd->w;
	int ret;

	rcd->times[1] = rcd_now();
	ret = write_counts(rcd) ?: pdw_add(w, PD_SEC_SAMPLE_TIME, rcd->times,
					 sizeof(rcd->times));
	rcd->full = pdw_full(w);
	rcd->size = pdw_whole_size(w);
	rcd->w = NULL;
	/* Where the counts do not fit, the samples stay. */
	return pdw_close(w, !ret || ret == ERROR_OUTPUT) ?: ret;
}

void rcd_free(struct rcd *rcd)
{
	if (!rcd)
		return;
	pdw_close(rcd->w, false);
	points_free(rcd->points);
	pacers_free(rcd->pacers);
	rings_close(rcd->rings);
	hotplug_free(&rcd->hotplug);
	free(rcd->lacking);
	rcd_known_free(&rcd->own_known);
	rcd_files_free(&rcd->files);
	free(rcd);
}
