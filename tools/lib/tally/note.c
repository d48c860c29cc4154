// SPDX-License-Identifier: GPL-2.0-only
#include "tally/note.h"
#include "base/units.h"
#include "count/count.h"
#include "samples/samples.h"

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

/* Is at least half of what is missing lost, as far as samples tell their period? */
static bool is_lost(const struct cf_head *head, const struct cf_event *event)
{
	const double missing = event->count - event->covered;

	return head->lost && (head->lost >= event->samples ||
			      (double)event->covered / event->samples * head->lost >= missing / 2);
}

/* Why samples are missing, as far as the file tells, and what helps. */
static const char *cause_of(const struct cf_head *head, const struct cf_event *event)
{
	return is_lost(head, event) ?
		       "; the rest is missing: record with larger buffers (-m) or a longer period (-c), and with room on the disk" :
		       "; the rest is missing, and a counts file does not tell why; record once where it was counted, and `ssctr report` tells the reason and the remedy (docs/trouble.md)";
}

static void note_event(const struct cf_head *head, const struct cf_event *event,
		       struct notes *notes)
{
	const double share = tally_coverage(event);

	if (share >= 0)
		notes_add(notes, event->samples,
			  "samples of %s, which cover %.1f %% of its count of %" PRIu64 "%s",
			  event->name, units_percent(share), event->count,
			  share < SAMPLES_ENOUGH ? cause_of(head, event) : "");
	else if (event->unknown && event->unknown < event->samples)
		notes_add(notes, event->samples,
			  "samples of %s, whose coverage is not known, because %" PRIu64 " of them are from recordings without a count of all that happened; record with `ssctr record`",
			  event->name, event->unknown);
	else
		notes_add(notes, event->samples,
			  "samples of %s, whose coverage is not known: the recordings have no count of all that happened; record with `ssctr record`",
			  event->name);
}

void tally_note_head(const struct cf_head *head, struct notes *notes)
{
	const uint64_t periods = tally_periods(head), sources = tally_sources(head);
	size_t i;

	notes_add(notes, periods, "%s counted, of %" PRIu64 " source%s",
		  periods == 1 ? "recording or period was" : "recordings or periods were", sources,
		  sources == 1 ? "" : "s");
	for (i = 0; i < head->nr_events; i++)
		note_event(head, &head->events[i], notes);
	notes_count(notes, head->empty, SAMPLES_EMPTY);
	notes_count(notes, head->lost, "events lost while recording");
	notes_count(notes, head->dropped, "samples left out by a limit of the collector");
	notes_count(notes, head->left_out, "transfers left out when files were merged");
	if (head->mixed)
		notes_add(notes, head->entries,
			  "transfers of files of ssctr collect, where they stand for events, and of recordings, where they stand for samples: shares of the two together say nothing; merge each kind by itself");
	if (head->scaled)
		notes_add(notes, head->entries,
			  "transfers, whose number a weight or an age has changed");
}

void tally_note_lacking(const struct cf_head *head, uint64_t weight, struct notes *notes)
{
	notes_count(notes, count_transfers(weight, head->weight, head->entries),
		    "transfers, %.1f %% of all by weight, lead to memory without a file, but the file does not tell how much ran there: the shares are those of the rest; count the recordings again",
		    units_percent((double)weight / (double)head->weight));
}
