// SPDX-License-Identifier: GPL-2.0-only
#include "origin/coverage.h"
#include "base/units.h"
#include "origin/origin.h"

#include <stdio.h>

double origin_coverage_behind(struct stf_inst_iter *iter)
{
	struct origin_line line;
	struct stf_record rec;
	double share = -1;

	while (stf_inst_iter_record(iter, &rec) > 0)
		if (rec.desc == STF_COMMENT &&
		    origin_line(&line, rec.text.data, rec.text.size) == ORIGIN_COVERAGE &&
		    !origin_read_coverage(&share, &line))
			share = -1;
	return share;
}

const char *origin_coverage_text(char *text, size_t size, double share)
{
	if (share < 0)
		snprintf(text, size, "not known");
	else
		snprintf(text, size, "%.1f %% of what ran%s", units_percent(share),
			 share < ORIGIN_ENOUGH ? ORIGIN_GET_MORE : "");
	return text;
}

void origin_note_coverage(double share, uint64_t instructions,
			  struct notes *notes)
{
	if (share < 0)
		notes_add(notes, instructions,
			  "instructions of a trace that does not tell its share of what ran");
	else
		notes_add(notes, instructions,
			  "instructions of a trace that holds %.1f %% of what ran%s",
			  units_percent(share), share < ORIGIN_ENOUGH ? ORIGIN_GET_MORE : "");
}
