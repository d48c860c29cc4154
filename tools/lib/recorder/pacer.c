// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/pacer.h"
#include "recorder/plan.h"
#include "base/array.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_PATIENCE = 1, MOST_PATIENCE = 8 }; /* ms */

/* The words of a sample behind its header, by RCD_SAMPLE_TYPE. */
enum { ID, IP, TID, TIME, CPU, PERIOD, NR_WORDS };

struct pacer {
	uint64_t id; /* the kernel's */
	int fd;
	uint64_t left; /* samples that the window still needs; 0: no window runs */
	uint64_t interval; /* of the place that it waits for, or of the window that runs */
};

struct pacers {
	const struct windows *windows;
	struct pacer *v;
	size_t nr, cap;
	uint64_t period; /* in a window */
	size_t nr_running;
	bool took; /* a sample of a window, since it was asked last */
	int patience;
	uint64_t begun, passed, others;
};

/* Returns 0 or -1 with errno set. Of a thread that has ended it does not matter. */
static int set_period(const struct pacer *pacer, uint64_t period)
{
	return ioctl(pacer->fd, PERF_EVENT_IOC_PERIOD, &period);
}

static int add(struct pacers *p, int fd, struct error *error)
{
	struct pacer *pacer;

	if (!array_room(&p->v, p->nr, &p->cap, sizeof(*p->v)))
		return error_nomem(error);
	pacer = &p->v[p->nr];
	*pacer = (struct pacer){ .fd = fd };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &pacer->id) ||
	    set_period(pacer, windows_wait(p->windows, p->nr++, 0, p->period)))
		return error_set(error, ERROR_INPUT, "the windows cannot be started: %s",
				 strerror(errno));
	return 0;
}

int pacers_new(struct pacers **out, const struct rings *rings, const struct windows *windows,
	       unsigned int period, struct error *error)
{
	struct pacers *p = calloc(1, sizeof(*p));
	int ret = 0, fd, cpu;

	*out = p;
	if (!p)
		return error_nomem(error);
	p->windows = windows;
	p->period = period;
	p->patience = LEAST_PATIENCE;
	while (!ret && (fd = rings_fd(rings, 0, p->nr, &cpu)) >= 0)
		ret = add(p, fd, error);
	return ret;
}

void pacers_free(struct pacers *p)
{
	if (!p)
		return;
	free(p->v);
	free(p);
}

static struct pacer *find(const struct pacers *p, uint64_t id)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		if (p->v[i].id == id)
			return &p->v[i];
	return NULL;
}

static void begin(struct pacers *p, struct pacer *pacer)
{
	if (set_period(pacer, p->period))
		return;
	pacer->left = windows_samples(p->windows, p->period);
	p->nr_running++;
	p->begun++;
}

/* The window has all that it needs, and some samples more. */
static void end(struct pacers *p, struct pacer *pacer)
{
	const uint32_t number = pacer - p->v;
	uint64_t count[RCD_READ_WORDS], interval;

	p->nr_running--;
	if (read(pacer->fd, count, sizeof(count)) < (ssize_t)sizeof(*count))
		return;
	set_period(pacer, windows_wait(p->windows, number, *count, p->period));
	interval = windows_next(p->windows, number, *count) / p->windows->every;
	if (interval > pacer->interval)
		p->passed += interval - pacer->interval - 1;
	pacer->interval = interval;
}

/* All samples of a window have its period. Some come after it has ended. */
static void pass(struct pacers *p, struct pacer *pacer)
{
	p->took = true;
	if (pacer->left && !--pacer->left)
		end(p, pacer);
}

void pacers_take(struct pacers *p, const void *record)
{
	struct perf_event_header header;
	uint64_t words[NR_WORDS];
	struct pacer *pacer;

	memcpy(&header, record, sizeof(header));
	p->others += header.type == PERF_RECORD_FORK;
	if (header.type != PERF_RECORD_SAMPLE || header.size < sizeof(header) + sizeof(words))
		return;
	memcpy(words, (const uint8_t *)record + sizeof(header), sizeof(words));
	pacer = find(p, words[ID]);
	if (!pacer)
		return;
	if (words[PERIOD] == p->period)
		pass(p, pacer);
	else if (!pacer->left)
		begin(p, pacer);
}

int pacers_patience(struct pacers *p)
{
	if (!p->nr_running)
		return -1;
	/* A thread that sleeps needs no more. */
	p->patience = p->took ? LEAST_PATIENCE : 2 * p->patience;
	if (p->patience > MOST_PATIENCE)
		p->patience = MOST_PATIENCE;
	p->took = false;
	return p->patience;
}

uint64_t pacers_others(const struct pacers *p)
{
	return p->others;
}

uint64_t pacers_begun(const struct pacers *p)
{
	return p->begun;
}

uint64_t pacers_passed(const struct pacers *p)
{
	return p->passed;
}
