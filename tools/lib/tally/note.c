// SPDX-License-Identifier: GPL-2.0-only
#include "tally/note.h"

#include <inttypes.h>
#include <string.h>

double tally_coverage(const struct cf_event *event)
{
	double share;

	if (event->unknown || !event->count)
		return -1;
	share = (double)event->covered / event->count;
	return share > 1 ? 1 : share;
}

double tally_least_coverage(const struct cf_head *head)
{
	double least = -1, share;
	size_t i;

	for (i = 0; i < head->nr_events; i++) {
		share = tally_coverage(&head->events[i]);
		if (share < 0)
			return -1;
		if (least < 0 || share < least)
			least = share;
	}
	return least;
}

uint64_t tally_periods(const struct cf_head *head)
{
	uint64_t periods = 0;
	size_t i;

	for (i = 0; i < head->nr_sources; i++)
		periods += head->sources[i].last - head->sources[i].first + 1;
	return periods;
}

/* Each source has a label, and one or more ranges of periods. */
uint64_t tally_sources(const struct cf_head *head)
{
	const struct cf_source *s = head->sources;
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < head->nr_sources; i++)
		nr += !i || memcmp(s[i - 1].label, s[i].label, sizeof(s->label));
	return nr;
}

static void note_event(const struct cf_event *event, struct notes *notes)
{
	const double share = tally_coverage(event);

	if (share >= 0)
		notes_add(notes, event->samples,
			  "samples of %s, which cover %.1f %% of its count of %" PRIu64,
			  event->name, 100 * share, event->count);
	else
		notes_add(notes, event->samples,
			  "samples of %s, whose coverage is not known of %" PRIu64 " of them",
			  event->name, event->unknown);
}

void tally_note_head(const struct cf_head *head, struct notes *notes)
{
	size_t i;

	notes_add(notes, tally_periods(head),
		  "recordings or periods were counted, of %" PRIu64 " sources",
		  tally_sources(head));
	for (i = 0; i < head->nr_events; i++)
		note_event(&head->events[i], notes);
	notes_count(notes, head->lost, "events lost while recording");
	notes_count(notes, head->dropped, "samples left out by a limit of the collector");
	notes_count(notes, head->left_out, "transfers left out when files were merged");
	if (head->scaled)
		notes_add(notes, head->entries,
			  "transfers, whose number a weight or an age has changed");
}
