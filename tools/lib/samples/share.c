// SPDX-License-Identifier: GPL-2.0-only
/* How much of what there was to have is there, and what to do where it is little. */
#include "samples/samples.h"
#include "base/units.h"
#include "windows/windows.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

/* Which of the parts are wanted; COVERAGE_EVENT: all. False: it cannot be told. */
static bool wanted_kind(const struct samples *s, enum coverage_kind *kind)
{
	const struct samples_opts *opts = s->opts;
	const bool harts = opts->cpus.nr, threads = opts->pids.nr || opts->tids.nr;

	*kind = harts ? COVERAGE_HART : threads ? COVERAGE_THREAD : COVERAGE_EVENT;
	return !s->passed_by && !(harts && threads) && !s->time_from &&
	       s->time_to == UINT64_MAX && !opts->comms.nr && !opts->dsos.nr &&
	       !opts->symbols.nr;
}

static bool is_wanted(const struct samples *s, const struct coverage_part *part)
{
	const struct samples_opts *opts = s->opts;

	if (part->kind == COVERAGE_HART)
		return samples_in_list(&opts->cpus, part->number);
	return samples_in_list(&opts->pids, part->pid) &&
	       samples_in_list(&opts->tids, part->number);
}

uint64_t samples_count(const struct samples *s, unsigned int event)
{
	const struct coverage *c = &s->coverage;
	enum coverage_kind kind;
	uint64_t count = 0;
	size_t i;

	if (!wanted_kind(s, &kind))
		return 0;
	for (i = 0; i < c->nr_parts; i++) {
		const struct coverage_part *part = &c->parts[i];

		if (part->kind != kind || part->event != event ||
		    (kind != COVERAGE_EVENT && !is_wanted(s, part)))
			continue;
		if (!part->counted)
			return 0;
		count += part->count;
	}
	return count;
}

const struct coverage_part *samples_of_event(const struct samples *s,
					     unsigned int event)
{
	return coverage_find(&s->coverage, COVERAGE_EVENT, event, 0);
}

/* Are there windows alone, whatever the periods of their samples add up to? */
static bool has_windows(const struct samples *s, unsigned int event)
{
	unsigned int period;
	struct windows windows;

	return windows_read_name(&windows, &period, pd_attr(s->pd, event)->name);
}

double samples_coverage(const struct samples *s, unsigned int event)
{
	const struct coverage_part *all = samples_of_event(s, event);
	struct coverage_part part = { .counted = true };

	/* Some counts may be there, but not all. */
	if (pd_stats(s->pd)->unfinished || has_windows(s, event))
		return -1;
	if (all)
		part = *all;
	/* Other harts than one that lacks have a count of their own. */
	part.counted |= part.lacks;
	part.count = samples_count(s, event);
	return coverage_share(&part);
}

bool samples_has_stacks(const struct samples *s, unsigned int event)
{
	const struct coverage_part *all = samples_of_event(s, event);

	return all && (all->samples || all->count) &&
	       pd_attr(s->pd, event)->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* A sample of cycles is not worth what one of cache misses is. */
static bool counts_the_same(const struct pd_attr *a, const struct pd_attr *b)
{
	return a->type == b->type && a->config == b->config;
}

void samples_note_events(const struct samples *s, struct notes *notes)
{
	const struct pd_attr *first = NULL, *other = NULL, *attr;
	uint64_t nr = 0;
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(s->pd); i++) {
		attr = pd_attr(s->pd, i);
		if (!samples_has_stacks(s, i) || !samples_of_event(s, i)->samples)
			continue;
		first = first ?: attr;
		/* Call stacks are not added to what ran. */
		if (pd_attr_has_call_stacks(attr) != pd_attr_has_call_stacks(first))
			continue;
		nr += samples_of_event(s, i)->samples;
		if (!other && !counts_the_same(attr, first))
			other = attr;
	}
	if (other)
		notes_add(notes, nr,
			  "samples of different events were added up, such as %s and %s, so that the shares are those of neither; record one event, for example with -e %s",
			  first->name ?: "?", other->name ?: "?", first->name ?: "cycles:u");
}

double samples_least_coverage(const struct samples *s)
{
	double least = 2, share;
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(s->pd); i++) {
		share = samples_has_stacks(s, i) ? samples_coverage(s, i) : least;
		if (share < least)
			least = share;
	}
	return least > 1 ? -1 : least;
}

const char *samples_loss_remedy(const struct samples *s)
{
	const double share = samples_least_coverage(s);

	if (!samples_lost(s) || share < 0 || share >= s->opts->least)
		return NULL;
	return samples_were_dropped(s) ? SAMPLES_ROOM : SAMPLES_BUFFERS;
}

/* To follow a number of samples that were lost, and a sign. */
static const char *how_not_to_lose(const struct samples *s)
{
	if (samples_were_dropped(s))
		return SAMPLES_ROOM ", because the output took no more";
	/* A pipe has no size, and its reader no disk. */
	return pd_size(s->pd) ?
		       SAMPLES_BUFFERS " or a longer period (-c), and with room on the disk" :
		       SAMPLES_BUFFERS " or a longer period (-c)";
}

const struct coverage_part *samples_next_part(const struct samples *s,
					      enum coverage_kind kind,
					      size_t *at)
{
	enum coverage_kind wanted;

	/* The samples of a hart are a part of it if a thread was chosen, and its count is not. */
	if (!wanted_kind(s, &wanted) || (wanted != COVERAGE_EVENT && wanted != kind))
		return NULL;
	while (*at < s->coverage.nr_parts) {
		const struct coverage_part *part = &s->coverage.parts[(*at)++];

		if (part->kind == kind && is_wanted(s, part) &&
		    samples_has_stacks(s, part->event) && coverage_share(part) >= 0)
			return part;
	}
	return NULL;
}

/* Why samples are missing, as far as the recording tells, and what helps. */
static void find_cause(const struct samples *s, const struct coverage_part *all,
		       uint64_t missing, char *text, size_t size)
{
	const uint64_t lost = samples_lost(s),
		       throttled = pd_stats(s->pd)->throttled;
	const double period =
		all->samples ? (double)all->covered / all->samples : 0;
	const bool ended = coverage_of_ends(&s->coverage, all) > missing / 2.0;
	const bool off = (1 - all->on) * samples_count(s, all->event) > missing / 2.0;
	int n = 0;

	*text = 0;
	if (all->on < 0.995)
		n = snprintf(text, size,
			     "; it was on for %.1f %% of its time, because " SAMPLES_OFF,
			     units_percent(all->on));
	if (lost && n < (int)size)
		n += snprintf(text + n, size - n,
			      "; %" PRIu64 " events were lost: %s", lost, how_not_to_lose(s));
	if (throttled && n < (int)size)
		n += snprintf(text + n, size - n,
			      "; the kernel throttled the sampling %" PRIu64 " times: record with a longer period (-c) or a lower rate (-F)",
			      throttled);
	if (ended && n < (int)size)
		n += snprintf(text + n, size - n,
			      "; %" PRIu64 " threads ended before their next sample: record the whole system (-a), or with a shorter period (-c)",
			      s->coverage.threads_ended);
	/* What is not there may be too little to be the reason, as far as samples tell their period. */
	if ((lost && lost >= all->samples) || (s->outside && !all->samples))
		return;
	/* Those outside have a note of their own. */
	if (!throttled && !ended && !off && (lost + s->outside) * period < missing / 2.0 &&
	    n < (int)size)
		snprintf(text + n, size - n,
			 "; the counter interrupted late, or not at all, as emulated counters do: emulate with --icount, or record with a longer period (-c)");
}

/* Was it for branch stacks, and never on? */
static bool was_never_on(const struct samples *s, unsigned int event)
{
	const struct coverage_part *all = samples_of_event(s, event);

	return all && all->counted && !all->on &&
	       pd_attr(s->pd, event)->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* Was it on, and has neither samples nor a count? */
static bool is_empty(const struct coverage_part *part)
{
	return part->counted && part->on && !part->count && !part->samples;
}

/* Was it for branch stacks, on, and counted nothing? */
static bool counted_nothing(const struct samples *s, unsigned int event)
{
	const struct coverage_part *all = samples_of_event(s, event);

	return all && is_empty(all) &&
	       pd_attr(s->pd, event)->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

const char *samples_none(const struct samples *s, char *text, size_t size)
{
	/* Of any event with branch stacks. */
	bool never_on = false, no_count = false, lacks = false, no_kinds = true;
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(s->pd); i++) {
		if (samples_has_stacks(s, i) && samples_count(s, i) > most)
			most = samples_count(s, i);
		never_on |= was_never_on(s, i);
		no_count |= counted_nothing(s, i);
		no_kinds &= !samples_has_stacks(s, i) || !pd_attr_has_kinds(pd_attr(s->pd, i));
		lacks |= samples_of_event(s, i) && samples_of_event(s, i)->lacks;
	}
	snprintf(text, size, "%s",
		 s->filtered ? " that the options select" : "");
	if (never_on)
		snprintf(text, size, ", because " SAMPLES_NEVER_ON);
	else if (s->outside && !s->empty)
		snprintf(text, size, ": all %" PRIu64 " " SAMPLES_OUTSIDE, s->outside);
	else if (s->away && !s->empty)
		snprintf(text, size, ": all %" PRIu64 " " SAMPLES_AWAY, s->away);
	else if (lacks && !s->filtered && !s->empty)
		snprintf(text, size, ": " SAMPLES_LACK_CPUS);
	else if (samples_lost(s) && !s->filtered && !s->empty)
		snprintf(text, size, ": %" PRIu64 " were lost; %s", samples_lost(s),
			 how_not_to_lose(s));
	else if (s->empty && no_kinds)
		snprintf(text, size,
			 ": all %" PRIu64 " branch stacks%s are empty, because the filter names no kind of branches; record with -j any and what it names",
			 s->empty, s->filtered ? " that the options select" : "");
	/* Those that came tell more than those that did not. */
	else if (s->empty)
		snprintf(text, size,
			 ": all %" PRIu64 " branch stacks%s are empty, because their tasks had just begun, or ran on harts without Ssctr (docs/trouble.md)",
			 s->empty, s->filtered ? " that the options select" : "");
	else if (most && !s->filtered)
		snprintf(text, size,
			 ", though the event happened %" PRIu64 " times; record with a shorter period (-c), or with --icount on an emulated machine",
			 most);
	else if (no_count && !s->filtered)
		snprintf(text, size,
			 ", and the event counted nothing: " SAMPLES_NO_COUNT
			 ", or the program is set-uid (docs/trouble.md)");
	return text;
}

/* Why there is no count of what the options select, where all has one. */
static const char *why_no_part_is_known(const struct samples *s)
{
	enum coverage_kind kind;

	/* See coverage_end(): a thread whose end was lost would have another's count. */
	if (wanted_kind(s, &kind) && kind == COVERAGE_THREAD && pd_stats(s->pd)->lost)
		return "events were lost, so it is not known what each thread counted; leave out --pid and --tid, or record with larger buffers (-m)";
	return "there is no count of what was left out";
}

static const char *why_not_known(const struct samples *s,
				 const struct coverage_part *all)
{
	size_t at = 0;

	if (pd_stats(s->pd)->left)
		return "its end was not waited for";
	if (pd_stats(s->pd)->unfinished && !pd_stats(s->pd)->no_last_round)
		return "its writer was killed before it wrote the counts";
	if (all->lacks)
		return SAMPLES_LACK_CPUS;
	if (s->filtered || (all->counted && samples_selects(s->opts)))
		return why_no_part_is_known(s);
	if (samples_next_part(s, COVERAGE_THREAD, &at))
		return "perf writes no count for one thread; record with `ssctr record`";
	return "perf writes no count for the event; record with `ssctr record`";
}

/* What harts or threads lack more of than all do, most first. */
static void note_parts(const struct samples *s, const struct coverage_part *all,
		       enum coverage_kind kind, struct notes *notes)
{
	enum { MOST = 3 };
	const double share = samples_coverage(s, all->event);
	uint64_t below = UINT64_MAX;
	unsigned int nr;

	for (nr = 0; nr < MOST; nr++) {
		const struct coverage_part *part, *worst = NULL;
		uint64_t missing, most = all->count / 100;
		size_t at = 0;

		while ((part = samples_next_part(s, kind, &at))) {
			missing = part->count > part->covered ?
					  part->count - part->covered : 0;
			if (part->event != all->event || missing >= below ||
			    missing <= most ||
			    coverage_share(part) > share - 0.01)
				continue;
			worst = part;
			most = missing;
		}
		if (!worst)
			return;
		below = most;
		notes_add(notes, worst->samples,
			  "of them %s %" PRIu32 ", which cover %.1f %% of its count of %" PRIu64,
			  kind == COVERAGE_HART ? "on hart" : "in thread",
			  worst->number, units_percent(coverage_share(worst)),
			  worst->count);
	}
}

/*
 * Harts on which an event of all that runs there counted nothing, beside others. Of a task's
 * events it tells only where the task did not run.
 */
static void note_empty_harts(const struct samples *s, unsigned int event, const char *name,
			     struct notes *notes)
{
	const struct coverage *c = &s->coverage;
	unsigned int nr = 0, nr_harts = 0;
	uint32_t first = 0;
	size_t i;

	if (coverage_is_of_threads(c, event))
		return;
	for (i = 0; i < c->nr_parts; i++) {
		const struct coverage_part *part = &c->parts[i];

		if (part->kind != COVERAGE_HART || part->event != event || !is_wanted(s, part))
			continue;
		nr_harts++;
		if (!is_empty(part))
			continue;
		if (!nr++ || part->number < first)
			first = part->number;
	}
	if (nr)
		notes_add(notes, 0,
			  "samples of %s on %u of %u harts, such as hart %" PRIu32 ", where it counted nothing: " SAMPLES_NO_COUNT,
			  name, nr, nr_harts, first);
}

static void note_event(const struct samples *s, unsigned int event,
		       struct notes *notes)
{
	const struct pd_attr *attr = pd_attr(s->pd, event);
	const double share = samples_coverage(s, event);
	const struct coverage_part *all = samples_of_event(s, event);
	const char *name = attr->name ? attr->name : "the event";
	const uint64_t count = samples_count(s, event);
	char cause[768] = "";

	if (share < 0) {
		notes_add(notes, all->samples,
			  "samples of %s, whose coverage is not known: %s",
			  name,
			  attr->type == PERF_TYPE_SOFTWARE &&
					  attr->config == PERF_COUNT_SW_BPF_OUTPUT ?
				  "`ssctr last` records single points, and nothing between them" :
				  why_not_known(s, all));
		return;
	}
	if (share < s->opts->least)
		find_cause(s, all, (1 - share) * count, cause, sizeof(cause));
	notes_add(notes, all->samples,
		  "samples of %s, which cover %.1f %% of its count of %" PRIu64 "%s%s",
		  name, units_percent(share), count,
		  *cause ? "; the rest is missing" : "", cause);
	note_parts(s, all, COVERAGE_HART, notes);
	note_empty_harts(s, event, name, notes);
	note_parts(s, all, COVERAGE_THREAD, notes);
}

void samples_note_coverage(const struct samples *s, struct notes *notes)
{
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(s->pd); i++) {
		const char *name = pd_attr(s->pd, i)->name;

		if (was_never_on(s, i))
			notes_add(notes, 0, "samples of %s, because " SAMPLES_NEVER_ON,
				  name ? name : "an event");
		if (counted_nothing(s, i) && !s->filtered)
			notes_add(notes, 0, "samples of %s, which counted nothing: " SAMPLES_NO_COUNT,
				  name ? name : "an event");
		if (!samples_has_stacks(s, i))
			continue;
		if (has_windows(s, i))
			notes_add(notes, samples_of_event(s, i)->samples,
				  "samples in windows (--windows) and at their places; what ran between the windows was only counted");
		else
			note_event(s, i, notes);
	}
	notes_count(notes, s->empty, SAMPLES_EMPTY);
	notes_count(notes, s->away, SAMPLES_AWAY);
	notes_count(notes, s->outside, SAMPLES_OUTSIDE);
}

/* --- what could be used --- */

int samples_check_used(const struct samples_opts *opts, const char *path,
		       uint64_t samples, double share, const char *why,
		       struct error *error)
{
	if (share >= opts->least || opts->allow_partial)
		return 0;
	return error_set(
		error, ERROR_PARTIAL,
		"%s: only %.1f %% of what %" PRIu64
		" samples show could be used, but %.1f %% are needed: %s; --allow-partial writes the output anyway",
		path, units_percent(share), samples, 100 * opts->least, why);
}

void samples_note_used(const struct samples_opts *opts, uint64_t samples,
		       double share, const char *why, struct notes *notes)
{
	if (share < opts->least)
		notes_add(notes, samples,
			  "samples, of which only %.1f %% could be used: %s",
			  units_percent(share), why);
}
