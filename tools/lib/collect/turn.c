// SPDX-License-Identifier: GPL-2.0-only
#include "collect/turn.h"
#include "base/own.h"
#include "collect/machine.h"
#include "collect/notify.h"
#include "recorder/recorder.h"
#include "samples/samples.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The recording, and what begins like this. */
#define RECORDING "turn.data"

enum {
	/* All rings together have at most this many pages, and each at least the fewest. */
	ALL_PAGES = 1024,
	FEWEST_PAGES = 8,
	MOST_BYTES = 16 << 20, /* of a recording; then the turn ends */
	/*
	 * Processor time in ns. The module takes 210 + 31 * depth instructions for a sample,
	 * and at most 250 + 11 * depth for a switch between tasks (docs/driver-cost.md). An
	 * instruction counts as 1 ns. perf's own work for a sample comes on top.
	 */
	OF_SAMPLE = 3000,
	OF_ENTRY = 40,
	OF_SWITCH = 250,
	OF_SWITCHED_ENTRY = 11,
};

#define ALIVE UINT64_C(60000000000) /* ns between two signs of life */

struct turns {
	struct turns_opts opts;
	struct rcd_opts record;
	struct rcd_event *planned; /* their periods change */
	size_t nr_planned;
	struct rcd_events events; /* the same, or less of them if not all are allowed */
	struct samples_opts samples;
	struct rcd_known known;
	struct tally *tally;
	uint64_t span; /* ns of the turns that it counts */
	char *path; /* of the recording */
	char word[8], *words[1]; /* the command line in the recording's header */
};

/* --- begin and end --- */

/* Remove recordings, also those that are not complete. Returns 0, or ERROR_* with a text. */
static int clear(const char *folder, struct error *error)
{
	const int fd = own_folder(folder, true, error);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (fd < 0)
		return ERROR_OUTPUT;
	if (!dir) {
		close(fd);
		return error_nomem(error);
	}
	while ((e = readdir(dir)))
		if (!strncmp(e->d_name, RECORDING, strlen(RECORDING)))
			unlinkat(fd, e->d_name, 0);
	closedir(dir);
	return 0;
}

/* Make the folder, or remove what is left in it. */
static int prepare(const char *folder, struct error *error)
{
	if (mkdir(folder, 0700) && errno != EEXIST)
		return error_set(error, ERROR_OUTPUT, "%s: %s", folder, strerror(errno));
	return clear(folder, error);
}

static unsigned int pages(unsigned int cpus)
{
	unsigned int pages = RCD_PAGES;

	while (pages > FEWEST_PAGES && pages * cpus > ALL_PAGES)
		pages /= 2;
	return pages;
}

int turns_new(struct turns **out, const struct turns_opts *opts, struct error *error)
{
	struct turns *t = calloc(1, sizeof(*t));
	struct notes notes = { 0 };
	int ret;

	*out = t;
	if (!t)
		return error_nomem(error);
	if (asprintf(&t->path, "%s/" RECORDING, opts->folder) < 0) {
		t->path = NULL;
		return error_nomem(error);
	}
	t->opts = *opts;
	t->samples = (struct samples_opts)SAMPLES_OPTS_INIT;
	strcpy(t->word, "collect");
	t->words[0] = t->word;
	t->record = (struct rcd_opts){
		.events = { opts->event },
		.nr_events = 1,
		.period = 1, /* of each turn, see turns_take() */
		.use = RCD_FOR_PROFILE,
		.all = true,
		.output = t->path,
		.known = &t->known,
		.nr_words = 1,
		.words = t->words,
	};
	ret = prepare(opts->folder, error) ?:
	      rcd_plan(&t->events, &t->record, &notes, error);
	notes_free(&notes);
	ret = ret ?: tally_new(&t->tally, &t->samples, error);
	if (ret)
		return ret;
	t->nr_planned = t->events.nr;
	t->planned = malloc(t->nr_planned * sizeof(*t->planned));
	if (!t->planned)
		return error_nomem(error);
	memcpy(t->planned, t->events.v, t->nr_planned * sizeof(*t->planned));
	return 0;
}

struct tally *turns_tally(struct turns *t)
{
	return t->tally;
}

void turns_stand_for(struct turns *t, uint64_t span)
{
	tally_was_part(t->tally, t->span && t->span < span ? (double)t->span / span : 1);
}

void turns_clear(struct turns *t)
{
	tally_clear(t->tally);
	t->span = 0;
}

void turns_free(struct turns *t)
{
	if (!t)
		return;
	tally_free(t->tally);
	rcd_free_events(&t->events);
	free(t->planned);
	rcd_known_free(&t->known);
	free(t->path);
	free(t);
}

/* --- record --- */

static bool is_woken(int fd)
{
	struct pollfd wake = { .fd = fd, .events = POLLIN };

	return poll(&wake, 1, 0) > 0;
}

/*
 * Open the events of a recording. A CPU may go while that is done, so it is tried twice.
 */
static int open_recording(struct turns *t, struct rcd **rcd, struct error *error)
{
	struct notes notes = { 0 };
	unsigned int tries = 0;
	int ret;

	t->record.pages = pages(sysconf(_SC_NPROCESSORS_ONLN));
	do {
		/* What was not allowed the last time may be by now. */
		memcpy(t->events.v, t->planned, t->nr_planned * sizeof(*t->planned));
		t->events.nr = t->nr_planned;
		rcd_free(*rcd);
		ret = rcd_new(rcd, &t->record, &t->events, error);
		if (!ret)
			ret = rcd_open(*rcd, NULL, &notes);
	} while (ret && !tries++);
	notes_free(&notes);
	return ret;
}

int turns_try(struct turns *t, struct error *error)
{
	struct rcd *rcd = NULL;
	int ret = open_recording(t, &rcd, error);

	rcd_free(rcd);
	return ret;
}

/* Is the turn over before its time? */
static bool is_over(const struct turns *t, struct rcd *rcd,
		    const struct collect_sampling *how, struct collect_turn *turn)
{
	const struct rings_stats stats = rcd_stats(rcd);

	turn->cut = stats.samples > how->most || rcd_size(rcd) > MOST_BYTES;
	return turn->cut || rcd_full(rcd) || is_woken(t->opts.wake);
}

/* Write samples until the turn is over. What that takes is part of turn->counting. */
static int follow(struct turns *t, struct rcd *rcd, const struct collect_sampling *how,
		  struct collect_turn *turn)
{
	const uint64_t begin = rcd_now(), end = begin + t->opts.length;
	const uint64_t before = collect_machine_spent();
	uint64_t now, alive = begin;
	int ret = 0;

	while (!ret && (now = rcd_now()) < end && !is_over(t, rcd, how, turn)) {
		/* systemd waits for a sign of life (WatchdogSec in ssctr-collect.service). */
		if (now - alive > ALIVE) {
			notify_send("WATCHDOG=1");
			alive = now;
		}
		rcd_wait(rcd, (end - now < ALIVE ? end - now : ALIVE) / 1000000 + 1);
		ret = rcd_drain(rcd);
	}
	rcd_stop(rcd);
	turn->span = rcd_now() - begin;
	ret = ret ?: rcd_drain(rcd);
	turn->counting += collect_machine_spent() - before;
	return ret;
}

static void set_distance(struct turns *t, uint64_t distance)
{
	size_t i;

	for (i = 0; i < t->nr_planned; i++)
		if (t->planned[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			t->planned[i].attr.sample_period = distance;
}

static int record(struct turns *t, const struct collect_sampling *how,
		  struct collect_turn *turn, struct error *error)
{
	struct rcd *rcd = NULL;
	int ret;

	set_distance(t, how->distance);
	/* It may have been removed, with whatever else was old there. */
	ret = prepare(t->opts.folder, error) ?: open_recording(t, &rcd, error) ?:
	      rcd_start(rcd, t->opts.wake);
	if (!ret) {
		ret = follow(t, rcd, how, turn) ?: rcd_finish(rcd);
		turn->samples = rcd_stats(rcd).samples;
		/* What fits is the beginning of the turn, which stands for nothing else. */
		if (!ret && rcd_full(rcd))
			ret = error_set(error, ERROR_OUTPUT, "%s: %s", t->opts.folder,
					strerror(rcd_full(rcd)));
	}
	rcd_free(rcd);
	return ret;
}

/* --- count --- */

static uint64_t kernel_cost(uint64_t samples, uint64_t switches, unsigned int depth)
{
	return samples * (OF_SAMPLE + (uint64_t)OF_ENTRY * depth) +
	       switches * (OF_SWITCH + (uint64_t)OF_SWITCHED_ENTRY * depth);
}

/*
 * A turn that ended early, because of too many samples, stands for one of the full length: its
 * samples stand for more.
 */
static void weigh(struct turns *t, const struct collect_sampling *how,
		  const struct collect_turn *turn)
{
	const bool is_short = turn->cut && turn->span && turn->span < t->opts.length;

	tally_by_events(t->tally, is_short ? (double)how->events * t->opts.length / turn->span :
					     (double)how->events);
}

/* Returns the depth of the stacks in *depth. */
static int count(struct turns *t, struct collect_turn *turn, unsigned int *depth,
		 struct error *error)
{
	const uint64_t before = collect_machine_spent();
	const uint64_t counted = tally_samples(t->tally);
	struct samples samples;
	int ret = samples_open(&samples, t->path, &t->samples, error);

	if (!ret) {
		ret = tally_add(t->tally, &samples, error);
		/* To what was counted in part, nothing can be added. */
		if (ret == ERROR_NOMEM) {
			turns_clear(t);
			tally_dropped(t->tally, counted);
		}
	}
	if (!ret) {
		turn->events = samples_count(&samples, 0);
		turn->outside = samples.outside;
		turn->lost = samples_lost(&samples);
		turn->lost_tracking = samples_lost_tracking(&samples);
		*depth = samples_depth(&samples);
	}
	samples_close(&samples);
	turn->counting += collect_machine_spent() - before;
	return ret;
}

int turns_take(struct turns *t, const struct collect_sampling *how,
	       struct collect_turn *turn, struct error *error)
{
	const uint64_t before = collect_machine_spent();
	const uint64_t switches = collect_machine_switches();
	uint64_t switches_now;
	struct error ignored;
	unsigned int depth = 0;
	int ret;

	*turn = (struct collect_turn){ 0 };
	ret = record(t, how, turn, error);
	if (!ret && turn->samples) {
		weigh(t, how, turn);
		ret = count(t, turn, &depth, error);
	}
	if (!ret)
		t->span += turn->cut ? t->opts.length : turn->span;
	if (ret && turn->samples)
		tally_dropped(t->tally, turn->samples);
	clear(t->opts.folder, &ignored);
	/* Either number may be 0, where it could not be read. */
	switches_now = collect_machine_switches();
	turn->kernel = kernel_cost(turn->samples,
				   switches_now > switches ? switches_now - switches : 0, depth);
	turn->own = collect_machine_spent() - before - turn->counting;
	return ret;
}
