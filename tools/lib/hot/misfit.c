// SPDX-License-Identifier: GPL-2.0-only
#include "hot/misfit.h"
#include "base/notes.h"
#include "hot/internal.h"
#include "path/path.h"
#include "riscv/rv_insn.h"

enum fit { FIT_UNKNOWN, FIT_YES, FIT_NO };

/* Can the instruction at the source of the edge be its branch? Anything can be trapped. */
static enum fit fit_of(const struct hot *hot, const struct hot_edge *e)
{
	const struct path_place *at = &hot->places[e->from].at;
	struct rv_insn insn;
	const uint8_t *bytes;
	uint64_t len;

	if (!is_of(e->type, CALLS | JUMPS | RETURNS))
		return FIT_UNKNOWN;
	bytes = path_code_bytes(hot->code, at, &len);
	if (!bytes)
		return FIT_UNKNOWN;
	if (rv_decode(&insn, bytes, len, path_code_flags(hot->code, at)) < 0)
		return FIT_NO;
	if (e->type == PERF_BR_COND)
		return insn.xfer == RV_XFER_BRANCH ? FIT_YES : FIT_NO;
	return insn.xfer > RV_XFER_BRANCH ? FIT_YES : FIT_NO;
}

/* The kernel changes its own code, and so do programs that make theirs. */
static const struct pd_dso *file_of(const struct hot *hot, const struct hot_edge *e)
{
	const struct path_place *at = &hot->places[e->from].at;

	return at->dso && !at->perf_map && *at->dso->name == '/' && !path_is_kernel(at->offset) ?
		       at->dso : NULL;
}

/* A counts file has build ids, and not how they became known. */
static bool is_rewritten(const struct hot *hot, const struct pd_dso *dso)
{
	return dso->rewritten && !(hot->how & HOT_SUMS);
}

/* The edges of a file stand together, in the order of their sources. */
void hot_note_misfits(const struct hot *hot, struct notes *notes)
{
	const struct pd_dso *dso;
	size_t i = 0;

	while (i < hot->nr_edges) {
		uint64_t nr[] = { [FIT_UNKNOWN] = 0, [FIT_YES] = 0, [FIT_NO] = 0 };
		double share;

		dso = file_of(hot, &hot->edges[i]);
		do
			nr[dso ? fit_of(hot, &hot->edges[i]) : FIT_UNKNOWN] += hot->edges[i].count;
		while (++i < hot->nr_edges && file_of(hot, &hot->edges[i]) == dso);
		share = (double)nr[FIT_NO] / ((double)nr[FIT_NO] + (double)nr[FIT_YES]);
		if (nr[FIT_NO] && share >= IMG_LEAST_MISFITS)
			notes_add(notes, hot_transfers(hot, nr[FIT_NO]),
				  "transfers (%.1f %% of those from %s) %s", 100 * share, dso->name,
				  img_misfit_text(is_rewritten(hot, dso)));
	}
}
