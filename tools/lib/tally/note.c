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

/* Each source has a label, and one or more ranges of periods. */
static void note_sources(const struct cf_head *head, struct notes *notes)
{
	uint64_t periods = 0, sources = 0;
	size_t i;

	for (i = 0; i < head->nr_sources; i++) {
		const struct cf_source *s = &head->sources[i];

		periods += s->last - s->first + 1;
		sources += !i || memcmp(s[-1].label, s->label, sizeof(s->label));
	}
	notes_add(notes, periods, "recordings or periods were counted, of %" PRIu64 " sources",
		  sources);
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

void tally_note(const struct cf_head *head, struct notes *notes)
{
	size_t i;

	note_sources(head, notes);
	for (i = 0; i < head->nr_events; i++)
		note_event(&head->events[i], notes);
	notes_count(notes, head->lost, "events lost while recording");
	notes_count(notes, head->dropped, "samples left out by a limit of the collector");
	notes_count(notes, head->left_out, "transfers left out when files were merged");
	if (head->scaled)
		notes_add(notes, head->entries,
			  "transfers, whose number a weight or an age has changed");
}
