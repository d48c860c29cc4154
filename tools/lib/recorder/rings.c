// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/rings.h"

#include <internal/evlist.h>
#include <internal/evsel.h>
#include <internal/mmap.h>
#include <internal/xyarray.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct rings {
	struct perf_evlist *list;
	struct perf_evsel **events;
	unsigned int nr;
	struct perf_cpu_map *cpus;
	struct perf_thread_map *threads;
	struct rings_stats stats;
};

const char *rings_missing(void)
{
	return NULL;
}

/* What libperf has to say is told by errno. */
static int be_quiet(enum libperf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static struct perf_evsel *new_event(const struct rings_event *e)
{
	struct perf_event_attr attr = { 0 };
	struct perf_evsel *evsel;

	/* The caller's structure and libperf's may be of different kernels. */
	memcpy(&attr, e->attr,
	       e->attr->size < sizeof(attr) ? e->attr->size : sizeof(attr));
	evsel = perf_evsel__new(&attr);
	if (evsel)
		evsel->system_wide = e->everywhere;
	return evsel;
}

static bool are_online(const struct perf_cpu_map *cpus)
{
	struct perf_cpu_map *online = perf_cpu_map__new(NULL);
	bool all = cpus && online;
	int i;

	for (i = 0; all && i < (int)perf_cpu_map__nr(cpus); i++)
		all = perf_cpu_map__has(online, perf_cpu_map__cpu(cpus, i));
	perf_cpu_map__put(online);
	return all;
}

static int set_up(struct rings *r, const struct rings_event *events,
		  unsigned int nr, const struct rings_target *target)
{
	r->list = perf_evlist__new();
	r->events = calloc(nr, sizeof(*r->events));
	/* For libperf, an empty list is any CPU. NULL is all CPUs. */
	r->cpus = perf_cpu_map__new(target->any_cpu ? "" : target->cpus);
	r->threads = perf_thread_map__new_array(
		target->tids ? target->nr_tids : 1, (pid_t *)target->tids);
	if (!r->list || !r->events || !r->threads)
		return -ENOMEM;
	if (!target->any_cpu && !are_online(r->cpus))
		return -ENODEV;
	/* Or else libperf of 7.x opens events on all CPUs that are online. */
	r->list->has_user_cpus = true;
	for (r->nr = 0; r->nr < nr; r->nr++) {
		r->events[r->nr] = new_event(&events[r->nr]);
		if (!r->events[r->nr])
			return -ENOMEM;
		perf_evlist__add(r->list, r->events[r->nr]);
	}
	perf_evlist__set_maps(r->list, r->cpus, r->threads);
	return 0;
}

/* Event i, for all threads, on the CPU that is at this place of its list. */
static int open_at(struct rings *r, unsigned int i, unsigned int at)
{
	struct perf_evsel *evsel = r->events[i];
	const int cpu = perf_cpu_map__cpu(evsel->cpus, at).cpu,
		  threads = perf_thread_map__nr(evsel->threads);
	int thread, *fd;

	for (thread = 0; thread < threads; thread++) {
		fd = xyarray__entry(evsel->fd, at, thread);
		*fd = syscall(SYS_perf_event_open, &evsel->attr,
			      perf_thread_map__pid(evsel->threads, thread), cpu, -1, 0);
		if (*fd < 0)
			return -errno;
	}
	return 0;
}

/* The same of all events that have counts of each thread, or of all that do not. */
static int open_kind(struct rings *r, bool of_threads, unsigned int at, unsigned int *failed)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < r->nr && !ret; i++) {
		const struct perf_evsel *evsel = r->events[i];

		if (evsel->attr.inherit_stat != of_threads ||
		    at >= (unsigned int)perf_cpu_map__nr(evsel->cpus))
			continue;
		ret = open_at(r, i, at);
		if (ret)
			*failed = i;
	}
	return ret;
}

/*
 * Where events have counts of each thread, the kernel swaps those of two threads when it
 * swaps the threads' contexts: those of the first event of both, of the second, and so on,
 * whichever events these are. The thread for which events were opened has them as they were
 * opened. Its heirs have them by CPU, then by the address of their PMU, and only then as
 * they were opened. So they are opened CPU by CPU, and on each, first those with counts of
 * each thread. These are of the hart's PMU, which the kernel allocates, so that its address
 * is below those of the other PMUs, which are variables. How heirs sort the other events
 * does not matter: their counts stay where they are.
 */
static int open_all(struct rings *r, unsigned int *failed)
{
	unsigned int i, at, cpus = 0;
	int ret = 0;

	for (i = 0; i < r->nr; i++) {
		struct perf_evsel *evsel = r->events[i];
		const unsigned int nr = perf_cpu_map__nr(evsel->cpus);

		if (perf_evsel__alloc_fd(evsel, nr, perf_thread_map__nr(evsel->threads)))
			return -ENOMEM;
		if (cpus < nr)
			cpus = nr;
	}
	for (at = 0; at < cpus && !ret; at++)
		ret = open_kind(r, true, at, failed) ?: open_kind(r, false, at, failed);
	return ret;
}

int rings_open(struct rings **out, const struct rings_event *events,
	       unsigned int nr, const struct rings_target *target,
	       unsigned int pages, unsigned int *failed)
{
	struct rings *r = calloc(1, sizeof(*r));
	int ret;

	libperf_init(be_quiet);
	*out = NULL;
	*failed = nr;
	if (!r)
		return -ENOMEM;
	ret = set_up(r, events, nr, target) ?: open_all(r, failed);
	if (!ret && perf_evlist__mmap(r->list, pages))
		ret = errno ? -errno : -ENOMEM;
	if (ret) {
		rings_close(r);
		return ret;
	}
	*out = r;
	return 0;
}

void rings_close(struct rings *r)
{
	unsigned int i;

	if (!r)
		return;
	if (r->list) {
		perf_evlist__munmap(r->list);
		perf_evlist__close(r->list);
	}
	/* What libperf of some kernels leaves behind, and others count on. */
	for (i = 0; i < r->nr; i++) {
		perf_evsel__free_id(r->events[i]);
		perf_cpu_map__put(r->events[i]->cpus);
		perf_thread_map__put(r->events[i]->threads);
		r->events[i]->cpus = NULL;
		r->events[i]->threads = NULL;
	}
	perf_evlist__delete(r->list);
	perf_cpu_map__put(r->cpus);
	perf_thread_map__put(r->threads);
	free(r->events);
	free(r);
}

const uint64_t *rings_ids(const struct rings *r, unsigned int i, size_t *nr)
{
	*nr = r->events[i]->ids;
	return (const uint64_t *)r->events[i]->id;
}

int rings_fd(const struct rings *r, unsigned int i, unsigned int at, int *cpu)
{
	const struct perf_evsel *evsel = r->events[i];
	const unsigned int threads = perf_thread_map__nr(evsel->threads);

	if (at >= perf_cpu_map__nr(evsel->cpus) * threads)
		return -1;
	*cpu = perf_cpu_map__cpu(evsel->cpus, at / threads).cpu;
	return *(const int *)xyarray__entry(evsel->fd, at / threads, at % threads);
}

bool rings_is_on(const struct rings *r, unsigned int i, int cpu)
{
	return perf_cpu_map__has(r->events[i]->cpus, (struct perf_cpu){ cpu });
}

int rings_enable(struct rings *r, unsigned int i)
{
	return perf_evsel__enable(r->events[i]) ? -errno : 0;
}

/*
 * The CPUs in the reverse of the order in which rings_enable() takes them. So while the event of
 * the last one was on for a task, those of the others were, too, and each CPU had one.
 */
void rings_disable(struct rings *r)
{
	unsigned int i;
	int cpu;

	for (i = 0; i < r->nr; i++)
		for (cpu = perf_cpu_map__nr(r->events[i]->cpus) - 1; cpu >= 0; cpu--)
			perf_evsel__disable_cpu(r->events[i], cpu);
}

int rings_watch(struct rings *r, int fd)
{
	int ret = perf_evlist__add_pollfd(r->list, fd, NULL, POLLIN,
					  fdarray_flag__nonfilterable);

	return ret < 0 ? ret : 0;
}

bool rings_wait(struct rings *r, int timeout)
{
	if (perf_evlist__poll(r->list, timeout) <= 0)
		return true;
	return perf_evlist__filter_pollfd(r->list, POLLERR | POLLHUP) != 0;
}

static void count(struct rings_stats *stats, const union perf_event *ev)
{
	switch (ev->header.type) {
	case PERF_RECORD_SAMPLE:
		stats->samples++;
		break;
	case PERF_RECORD_LOST:
		stats->lost += ev->lost.lost;
		break;
	case PERF_RECORD_THROTTLE:
		stats->throttled++;
		break;
	}
}

/*
 * perf_mmap__read_event() looks at the ring's head again for each record, so that a
 * ring that fills quickly would never be empty: map->end is the head of this round.
 * perf_mmap__read_done() is not for rings like these: it passes by what was written
 * since the last record was read.
 */
static int drain(struct rings *r, struct perf_mmap *map,
		 int (*write)(void *arg, const void *, size_t), void *arg)
{
	const uint8_t *from = NULL, *to = NULL;
	uint64_t head;
	int ret = 0;

	if (perf_mmap__read_init(map))
		return 0;
	head = map->end;
	while (!ret && map->start < head) {
		const union perf_event *ev = perf_mmap__read_event(map);

		if (!ev)
			break;
		count(&r->stats, ev);
		if ((const uint8_t *)ev != to) {
			if (from != to)
				ret = write(arg, from, to - from);
			from = (const uint8_t *)ev;
		}
		to = (const uint8_t *)ev + ev->header.size;
	}
	if (!ret && from != to)
		ret = write(arg, from, to - from);
	perf_mmap__consume(map);
	return ret;
}

int rings_drain(struct rings *r, int (*write)(void *arg, const void *, size_t),
		void *arg)
{
	struct perf_mmap *map;
	int ret = 0;

	perf_evlist__for_each_mmap(r->list, map, false)
	{
		ret = drain(r, map, write, arg);
		if (ret)
			break;
	}
	return ret;
}

const struct rings_stats *rings_stats(const struct rings *r)
{
	return &r->stats;
}

int rings_counts(struct rings *r, unsigned int i, struct rings_count **counts,
		 size_t *nr)
{
	struct perf_evsel *evsel = r->events[i];
	const int cpus = perf_cpu_map__nr(evsel->cpus),
		  threads = perf_thread_map__nr(evsel->threads);
	struct perf_counts_values values;
	int cpu, thread, ret = 0;

	*nr = 0;
	*counts = calloc((size_t)cpus * threads, sizeof(**counts));
	if (!*counts)
		return -ENOMEM;
	for (cpu = 0; cpu < cpus; cpu++)
		for (thread = 0; thread < threads; thread++) {
			if (perf_evsel__read(evsel, cpu, thread, &values)) {
				ret = -EIO;
				continue;
			}
			(*counts)[(*nr)++] = (struct rings_count){
				.id = values.id,
				.count = values.val,
				.lost = values.lost,
				.enabled = values.ena,
				.running = values.run,
				.cpu = perf_cpu_map__cpu(evsel->cpus, cpu).cpu,
				.tid = perf_thread_map__pid(evsel->threads,
							    thread),
			};
		}
	return ret;
}
