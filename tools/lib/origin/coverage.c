// SPDX-License-Identifier: GPL-2.0-only
#include "origin/coverage.h"
#include "base/units.h"

#include <stdio.h>

#define WHERE " to get more (docs/trace.md, Without gaps)"

/* To follow a share, where it is not known whether samples were lost. */
static const char *get_more(double share)
{
	return share < ORIGIN_ENOUGH ?
		       "; record with a shorter period, or with larger buffers (-m) if samples were lost," WHERE :
		       "";
}

struct origin_coverage origin_coverage_behind(struct stf_inst_iter *iter)
{
	struct origin_line line;
	struct stf_record rec;
	struct origin_coverage coverage = ORIGIN_COVERAGE_UNKNOWN;

	while (stf_inst_iter_record(iter, &rec) > 0)
		if (rec.desc == STF_COMMENT &&
		    origin_line(&line, rec.text.data, rec.text.size) == ORIGIN_COVERAGE &&
		    !origin_read_coverage(&coverage, &line))
			coverage = (struct origin_coverage)ORIGIN_COVERAGE_UNKNOWN;
	return coverage;
}

const char *origin_coverage_text(char *text, size_t size, double share)
{
	if (share < 0)
		snprintf(text, size, "not known");
	else
		snprintf(text, size, "%.1f %% of what ran%s", units_percent(share),
			 get_more(share));
	return text;
}

void origin_note_coverage(const struct origin_coverage *coverage, uint64_t instructions,
			  struct notes *notes)
{
	if (coverage->share < 0)
		notes_add(notes, instructions,
			  "instructions of a trace that does not tell its share of what ran");
	else
		notes_add(notes, instructions,
			  "instructions of a trace that holds %.1f %% of what ran%s",
			  units_percent(coverage->share), get_more(coverage->share));
	if (coverage->repeated > 0)
		notes_add(notes, (uint64_t)coverage->repeated,
			  "of these instructions " ORIGIN_REPEATED);
}

void origin_note_held(uint64_t held, uint64_t ran, double least, const char *remedy,
		      struct notes *notes)
{
	const double share = origin_share(held, ran);
	char more[256] = "";

	/* More samples would only be lost, too. */
	if (share < least)
		snprintf(more, sizeof(more), "%s%s" WHERE,
			 remedy ? "; samples were lost, so " : "; ",
			 remedy ?: "record with a shorter period");
	if (ran)
		notes_add(notes, ran, "instructions ran, of which the output holds %.1f %%%s",
			  units_percent(share), more);
}
