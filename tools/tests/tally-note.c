// SPDX-License-Identifier: GPL-2.0-only
/* What the head of a counts file says, in notes. */
#include "tally/note.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static struct cf_source sources[] = {
	{ { 1 }, 0, 0 }, { { 2 }, 3, 5 }, { { 2 }, 7, 7 }, { { 3 }, 0, 9 },
};
static struct cf_event events[] = {
	{ (char *)"cycles:u", 10, 50, 100, 0 },
	{ (char *)"instructions:u", 20, 90, 100, 0 },
};
static struct cf_head head;
static char *text;

static void begin(void)
{
	head = (struct cf_head){ .sources = sources, .nr_sources = 4, .events = events,
				 .nr_events = 2, .entries = 77 };
	events[0].unknown = 0;
}

static void write_notes(void)
{
	struct notes notes = { 0 };
	size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	CHECK(file);
	tally_note_head(&head, &notes);
	notes_write(&notes, file);
	notes_free(&notes);
	fclose(file);
}

TEST(sources_are_told_by_their_labels_and_periods)
{
	begin();
	CHECK_EQ(tally_periods(&head), 1 + 3 + 1 + 10);
	CHECK_EQ(tally_sources(&head), 3);
	write_notes();
	CHECK(strstr(text, "          15 recordings or periods were counted, of 3 sources\n"));
}

/* The periods of the samples may add up to more than the kernel counted. */
TEST(no_more_than_all_is_covered)
{
	const struct cf_event more = { (char *)"cycles:u", 10, 101, 100, 0 };

	CHECK(tally_coverage(&more) == 1);
}

TEST(the_least_coverage_is_that_of_all_events)
{
	begin();
	CHECK(tally_coverage(&events[1]) == 0.9);
	CHECK(tally_least_coverage(&head) == 0.5);
	events[0].unknown = 1;
	CHECK(tally_coverage(&events[0]) == -1 && tally_least_coverage(&head) == -1);
	write_notes();
	CHECK(strstr(text, "          10 samples of cycles:u, whose coverage is not known, because 1 of them are from recordings without a count of all that happened; record with `ssctr record`\n"));
	CHECK(strstr(text, "          20 samples of instructions:u, which cover 90.0 % of its count of 100\n"));
}

TEST(what_is_missing_is_told)
{
	begin();
	write_notes();
	CHECK(!strstr(text, "stand for"));
	CHECK(!strstr(text, "lost") && !strstr(text, "left out") && !strstr(text, "age"));
	head.lost = 1;
	head.dropped = 2;
	head.left_out = 3;
	head.scaled = true;
	head.by_events = head.mixed = true;
	write_notes();
	CHECK(strstr(text, "           1 events lost while recording\n"));
	CHECK(strstr(text, "           2 samples left out by a limit of the collector\n"));
	CHECK(strstr(text, "           3 transfers left out when files were merged\n"));
	CHECK(strstr(text, "          77 transfers of files of ssctr collect, where they stand for events, and of recordings, where they stand for samples"));
	CHECK(strstr(text, "          77 transfers, whose number a weight or an age has changed\n"));
	free(text);
	text = NULL;
}

/* Whether the kernel throttled the event, or tasks were outside of a container, for example. */
TEST(a_reason_that_the_file_does_not_tell_is_not_made_up)
{
	static const char unknown[] = "10 samples of cycles:u, which cover 50.0 % of its count of 100; the rest is missing, and a counts file does not tell why; ";

	begin();
	write_notes();
	CHECK(strstr(text, unknown));
	CHECK(!strstr(text, "late") && !strstr(text, "(-m)"));
	/* One of 10 samples that cover 50 does not explain it. */
	head.lost = 1;
	write_notes();
	CHECK(strstr(text, unknown) && !strstr(text, "(-m)"));
	free(text);
	text = NULL;
}

TEST(samples_that_were_lost_have_a_remedy)
{
	begin();
	write_notes();
	CHECK(strstr(text, "which cover 90.0 % of its count of 100\n"));
	/* Ten samples cover 50, so that 5 are at least half of the 50 that are missing. */
	head.lost = 5;
	write_notes();
	CHECK(strstr(text, "10 samples of cycles:u, which cover 50.0 % of its count of 100; the rest is missing: record with larger buffers (-m) or a longer period (-c), and with room on the disk\n"));
	free(text);
	text = NULL;
}
