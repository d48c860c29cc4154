// SPDX-License-Identifier: GPL-2.0-only
#include "trace/gather.h"
#include "base/array.h"
#include "path/stitch.h"
#include "riscv/rv_insn.h"

#include <stdlib.h>
#include <string.h>

/* A path that grows. */
struct stretch {
	struct path_run *runs;
	size_t nr_runs, cap_runs;
	struct path_transfer *transfers;
	size_t nr_transfers, cap_transfers;
	uint64_t length; /* instructions */
	uint64_t samples; /* those it is made of */
	uint64_t place, interval;
	uint32_t cpu, pid, tid;
};

/* What one event was opened for: a thread or a CPU. */
struct source {
	uint64_t id; /* the kernel's, of the event */
	struct stretch now, held; /* held: complete, and its weight is not known yet */
	bool is_held;
	bool running, complete;
	uint64_t samples; /* of the window at work */
	uint64_t holes[GATHER_NR_HOLES]; /* in samples, of the window at work */
	bool is_numbered;
	uint32_t number; /* only if is_numbered */
	uint32_t cpu, tid; /* of the last sample */
	uint64_t hw_idx; /* of the last sample of the window at work */
	struct path_stitch *stitch; /* of the samples of a window */
	uint64_t count; /* instructions before the last sample */
	uint64_t first; /* before the first one of the window at work */
	uint64_t interval; /* of the last sample between windows */
	bool has_interval;
	uint64_t weighed; /* the instructions that windows written stand for */
};

struct gather {
	struct windows windows;
	unsigned int period, depth;
	gather_write_t write;
	void *arg;
	struct source **v;
	size_t nr, cap;
	struct gather_stats stats;
};

struct gather *gather_new(const struct windows *windows, unsigned int period,
			  unsigned int depth, gather_write_t write, void *arg)
{
	struct gather *gather = calloc(1, sizeof(*gather));

	if (gather)
		*gather = (struct gather){ .windows = *windows,
					   .period = period,
					   .depth = depth,
					   .write = write,
					   .arg = arg };
	return gather;
}

static void free_stretch(struct stretch *s)
{
	free(s->runs);
	free(s->transfers);
}

void gather_free(struct gather *gather)
{
	size_t i;

	if (!gather)
		return;
	for (i = 0; i < gather->nr; i++) {
		free_stretch(&gather->v[i]->now);
		free_stretch(&gather->v[i]->held);
		path_stitch_free(gather->v[i]->stitch);
		free(gather->v[i]);
	}
	free(gather->v);
	free(gather);
}

/* NULL: out of memory. */
static struct source *source_of(struct gather *gather, uint64_t id)
{
	size_t i;

	for (i = 0; i < gather->nr; i++)
		if (gather->v[i]->id == id)
			return gather->v[i];
	if (!array_room(&gather->v, gather->nr, &gather->cap, sizeof(struct source *)))
		return NULL;
	gather->v[i] = calloc(1, sizeof(struct source));
	if (!gather->v[i])
		return NULL;
	gather->nr++;
	gather->v[i]->id = id;
	return gather->v[i];
}

/* --- complete windows --- */

static int write_held(struct gather *gather, struct source *source, uint64_t weight)
{
	const struct stretch *s = &source->held;
	struct gathered window = {
		.cpu = s->cpu, .pid = s->pid, .tid = s->tid, .place = s->place,
		.weight = weight, .length = s->length, .runs = s->runs,
		.nr_runs = s->nr_runs, .transfers = s->transfers,
	};

	if (!source->is_numbered)
		source->number = gather->stats.sources++;
	source->is_numbered = true;
	window.source = source->number;
	source->is_held = false;
	source->weighed += weight;
	gather->stats.insns += weight;
	if (weight > gather->windows.every)
		gather->stats.lent += weight - gather->windows.every;
	return gather->write(gather->arg, &window);
}

static uint64_t count_transfers(const struct stretch *s)
{
	uint64_t nr = 0;
	size_t i;

	/* What is cut has no source. */
	for (i = 0; i < s->nr_runs; i++)
		nr += s->runs[i].has_transfer && s->runs[i].source_size;
	return nr;
}

/* The window before it stands for all up to its interval. */
static int hold(struct gather *gather, struct source *source)
{
	const struct stretch before = source->held;
	const uint64_t start = source->now.interval * gather->windows.every;
	int ret = 0;

	gather->stats.complete++;
	gather->stats.samples += source->now.samples;
	gather->stats.transfers += count_transfers(&source->now);
	source->complete = true;
	/* Only a damaged recording has two in an interval, or goes back. */
	if (source->is_held)
		ret = write_held(gather, source,
				 start > source->weighed ? start - source->weighed : 0);
	source->held = source->now;
	source->now = before;
	source->is_held = true;
	return ret;
}

/* --- a window that grows --- */

static void start_anew(struct stretch *s)
{
	s->nr_runs = 0;
	s->nr_transfers = 0;
	s->length = 0;
	s->samples = 0;
}

/* Leave out the last instruction, which a sample has interrupted. */
static void leave_out_last(struct path_run *run)
{
	run->size -= run->source_size;
	run->source_size = 0;
	run->nr_insns--;
	run->end = PATH_END_AWAY;
}

/* Leave out all instructions behind the first nr. */
static void cut(struct path_run *run, uint64_t nr)
{
	uint32_t opcode, size = 0;
	uint64_t i;

	if (run->nr_insns <= nr)
		return;
	for (i = 0; i < nr; i++)
		size += rv_load(run->code + size, &opcode);
	run->size = size;
	run->source_size = 0;
	run->nr_insns = nr;
	run->end = PATH_END_AWAY;
}

/* Returns false if out of memory. */
static bool add_run(struct stretch *s, const struct path_run *from, uint64_t size)
{
	struct path_run run = *from;

	if (run.end == PATH_END_IP)
		leave_out_last(&run);
	cut(&run, size > s->length ? size - s->length : 1);
	if (!run.nr_insns)
		return true;
	if (!array_room(&s->runs, s->nr_runs, &s->cap_runs, sizeof(*s->runs)))
		return false;
	run.connected = s->nr_runs;
	run.transfer += s->nr_transfers;
	s->runs[s->nr_runs++] = run;
	s->length += run.nr_insns;
	return true;
}

/*
 * Long enough? A taken branch must not be the last instruction, because readers expect its
 * target behind it.
 */
static bool is_complete(const struct stretch *s, uint64_t size)
{
	return s->length >= size && !s->runs[s->nr_runs - 1].source_size;
}

static uint64_t count_executed(const struct path_run *runs, unsigned int nr)
{
	uint64_t insns = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		insns += runs[i].nr_insns - (runs[i].end == PATH_END_IP);
	return insns;
}

/*
 * Add the path of a sample, before which there were `count` instructions. Where it has a
 * break, the stretch starts anew. Returns false if out of memory.
 */
static bool add_path(struct stretch *s, const struct path *path, unsigned int nr_runs,
		     unsigned int nr_transfers, uint64_t size, uint64_t count)
{
	const struct path_run *runs = path_runs(path);
	unsigned int i;

	for (i = 0; i < nr_runs && !is_complete(s, size); i++) {
		/* It only says why nothing is shown. */
		if (!runs[i].nr_insns)
			continue;
		if (!runs[i].connected)
			s->nr_runs = s->length = s->samples = 0;
		if (!s->nr_runs)
			s->place = count - count_executed(runs + i, nr_runs - i);
		if (!add_run(s, &runs[i], size))
			return false;
	}
	if (!array_cover(&s->transfers, s->nr_transfers + nr_transfers, &s->cap_transfers,
			 sizeof(*s->transfers)))
		return false;
	memcpy(s->transfers + s->nr_transfers, path_transfers(path),
	       nr_transfers * sizeof(*s->transfers));
	s->nr_transfers += nr_transfers;
	return true;
}

/* Nothing that was before is a part of what comes. Returns false if out of memory. */
static bool forget(const struct gather *gather, struct source *source)
{
	path_stitch_free(source->stitch);
	/* The counts say which samples overlap, and say more than the period. */
	source->stitch = path_stitch_new(PATH_STITCH_ALWAYS, gather->depth, NULL);
	start_anew(&source->now);
	return source->stitch;
}

/* Samples that were due behind the window's last one, in these instructions. */
static uint64_t count_due(const struct gather *gather, const struct source *source,
			  uint64_t insns)
{
	const uint64_t came = (source->count - source->first) / gather->period + 1;
	const uint64_t all = windows_samples(&gather->windows, gather->period);
	const uint64_t due = all > came ? all - came : 0, most = insns / gather->period;

	return due < most ? due : most;
}

/* The window at work is over. At least `since` instructions ran after its last sample. */
static void end(struct gather *gather, struct source *source, uint64_t since)
{
	enum gather_hole hole, worst = GATHER_MISSING;

	if (source->running && !source->complete) {
		source->holes[GATHER_MISSING] += count_due(gather, source, since);
		for (hole = 0; hole < GATHER_NR_HOLES; hole++)
			if (source->holes[hole] > source->holes[worst])
				worst = hole;
		gather->stats.incomplete++;
		gather->stats.holes[worst]++;
	}
	source->running = false;
}

/* Where a mode was not recorded, nothing was to be had. */
static void note_breaks(struct source *source, const struct path *path, unsigned int nr)
{
	const struct path_run *runs = path_runs(path);
	bool signal = false, broken = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const enum path_break why = runs[i].why;
		const bool is_signal = why == PATH_SIGNAL || why == PATH_SIGNAL_RETURN;

		signal |= is_signal;
		broken |= !is_signal && why != PATH_OK && why != PATH_NO_SOURCE &&
			  why != PATH_NO_TARGET;
	}
	source->holes[GATHER_SIGNAL] += signal;
	source->holes[GATHER_BROKEN] += broken;
}

/* The next sample of a window. It overlaps with the one before if it joins. */
static int grow(struct gather *gather, struct source *source, struct path *path,
		const struct pd_event *ev, uint64_t lost, unsigned int *nr_runs)
{
	struct stretch *s = &source->now;
	struct path_stitched found;
	int nr;

	nr = path_stitch_decode(source->stitch, path, ev, lost, true, &found);
	if (nr < 0)
		return nr;
	*nr_runs = nr;
	note_breaks(source, path, nr);
	if (!found.joined)
		start_anew(s);
	s->cpu = ev->cpu;
	s->pid = ev->pid;
	s->tid = ev->tid;
	if (!add_path(s, path, nr, found.nr_transfers, gather->windows.size, source->count))
		return PD_ENOMEM;
	s->samples++;
	return is_complete(s, gather->windows.size) ? hold(gather, source) : 0;
}

/* Is it certain that fewer branches than the buffer holds were taken since? */
static bool fits(const struct gather *gather, const struct source *source,
		 const struct pd_event *ev, uint64_t since)
{
	const struct stretch *s = &source->now;
	const uint64_t nr = ev->sample.nr_branches;

	if (s->pid != ev->pid || s->tid != ev->tid || !pd_attr_counts_its_branches(ev->attr))
		return false;
	/* The index of the newest record tells how many are new, but of one hart alone. */
	return since < nr || (since < gather->depth && s->cpu == ev->cpu &&
			      ev->sample.hw_idx < gather->depth);
}

/*
 * All branches since the last sample were in the buffer, as fits() knows. Were more of them
 * taken than the sample shows?
 */
static bool shows_too_little(const struct gather *gather, const struct source *source,
			     const struct pd_event *ev)
{
	const uint64_t depth = gather->depth, now = ev->sample.hw_idx;

	if (source->now.cpu != ev->cpu || now >= depth || source->hw_idx >= depth)
		return false;
	return (now + depth - source->hw_idx) % depth >= ev->sample.nr_branches;
}

/* No sample shows what was before this one, `since` instructions after the last one. */
static void note_hole(const struct gather *gather, struct source *source,
		      const struct pd_event *ev, uint64_t since)
{
	const uint64_t periods = since / gather->period;

	if (source->now.tid != ev->tid && periods < 2)
		source->holes[GATHER_SWITCH]++;
	else
		source->holes[GATHER_MISSING] += periods > 1 ? periods - 1 : 1;
}

static uint64_t count_of(const struct pd_event *ev)
{
	uint64_t count = 0;

	if (ev->sample.nr_read)
		memcpy(&count, ev->sample.read, sizeof(count));
	return count;
}

/*
 * Must a sample belong to another window than the one before it, `since` instructions ago? The
 * sample at the place of that window may be lost. A window may be shorter than its period. The
 * recorder ends it behind its last sample, and not before, however late the samples come. Each
 * interval has one window at most.
 */
static bool is_of_another(const struct gather *gather, const struct source *source,
			  uint64_t count)
{
	const uint64_t samples = windows_samples(&gather->windows, gather->period);

	return source->samples >= samples && count / gather->windows.every > source->now.interval &&
	       count - source->count > samples * gather->period;
}

int gather_sample(struct gather *gather, struct path *path, const struct pd_event *ev,
		  uint64_t lost, unsigned int *nr_runs)
{
	struct source *source = source_of(gather, ev->sample.id);
	const uint64_t count = count_of(ev), every = gather->windows.every;
	uint64_t since;
	bool first;

	*nr_runs = 0;
	if (!source)
		return PD_ENOMEM;
	since = count - source->count;
	source->cpu = ev->cpu;
	source->tid = ev->tid;
	if (ev->sample.period != gather->period || is_of_another(gather, source, count))
		end(gather, source, since);
	source->count = count;
	if (ev->sample.period != gather->period) {
		source->interval = count / every;
		source->has_interval = true;
		return 0;
	}
	first = !source->running;
	if (first) {
		gather->stats.begun++;
		source->running = true;
		source->complete = false;
		source->first = count;
		source->samples = 0;
		memset(source->holes, 0, sizeof(source->holes));
		source->now.interval = source->has_interval ? source->interval : count / every;
		source->has_interval = false;
	}
	source->samples++;
	if (source->complete)
		return 0;
	if (!first && fits(gather, source, ev, since)) {
		source->holes[GATHER_SHALLOW] += shows_too_little(gather, source, ev);
	} else {
		if (!first)
			note_hole(gather, source, ev, since);
		if (!forget(gather, source))
			return PD_ENOMEM;
	}
	source->hw_idx = ev->sample.hw_idx;
	return grow(gather, source, path, ev, lost, nr_runs);
}

/* --- the end --- */

/* Its last window stands for the rest, if it has one. */
static int end_source(struct gather *gather, struct source *source, uint64_t all)
{
	source->holes[GATHER_ENDED]++;
	end(gather, source, all - source->count);
	if (source->is_held)
		return write_held(gather, source,
				  all > source->weighed ? all - source->weighed : 0);
	gather->stats.bare++;
	gather->stats.bare_insns += all;
	return 0;
}

int gather_end(struct gather *gather, gather_total_t total)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < gather->nr && !ret; i++) {
		struct source *source = gather->v[i];
		const uint64_t all = total(gather->arg, source->cpu, source->tid);

		ret = end_source(gather, source, all > source->count ? all : source->count);
	}
	return ret;
}

const struct gather_stats *gather_stats(const struct gather *gather)
{
	return &gather->stats;
}
