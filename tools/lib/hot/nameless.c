// SPDX-License-Identifier: GPL-2.0-only
#include "hot/nameless.h"
#include "base/notes.h"
#include "hot/internal.h"
#include "path/path.h"

#include <stdlib.h>

/* Libraries of distributions are stripped. What runs in them by the way is not worth a line. */
static const double least = 0.05;

/* Which ran a lot if programs ask for the time. If it is of another build, a line tells that. */
static bool lacks_vdso(const struct hot *hot, const struct path_place *at)
{
	uint64_t len;

	return at->dso && !at->perf_map && path_code_state(hot->code, at, &len) == IMG_VDSO;
}

static void note(const struct hot *hot, uint32_t function, uint64_t count, uint64_t all,
		 struct notes *notes)
{
	const struct hot_function *f = &hot->functions[function];
	const struct path_place *at = &hot->places[f->first].at;
	const char *path;

	if (f->known || !count || (double)count < least * (double)all)
		return;
	/* Counts files have their own line of this. */
	if (!at->dso && !at->perf_map && !(hot->how & HOT_SUMS) && !path_is_kernel(at->offset)) {
		notes_add(notes, hot_transfers(hot, count),
			  "transfers (%.1f %%) are of code without names, because the recording does not tell what is mapped there; record the program from its start, without --no-timestamp, --synth=no, --tail-synthesize, --overwrite and --switch-output",
			  100 * (double)count / (double)all);
		return;
	}
	if (lacks_vdso(hot, at)) {
		notes_add(notes, hot_transfers(hot, count),
			  "transfers (%.1f %%) are of code without names, because the file of the vdso is not known; read the recording on the machine that made it, install the package with the debug information of its kernel, or name its vdso.so with --code",
			  100 * (double)count / (double)all);
		return;
	}
	path = path_code_stripped(hot->code, at);
	if (path)
		notes_add(notes, hot_transfers(hot, count),
			  "transfers (%.1f %%) are of functions without names, because %s is stripped; %s, or install its package of debug information",
			  100 * (double)count / (double)all, path,
			  img_has_packed_symbols(path) ?
				  "its symbols are in .gnu_debugdata, which ssctr does not read: unpack this section, and name the unpacked file with --code (docs/trouble.md)" :
				  "name a file that has its symbols with --code");
}

void hot_note_nameless(const struct hot *hot, struct notes *notes)
{
	uint64_t *counts = calloc(hot->nr_functions + 1, sizeof(*counts)), all = 0;
	size_t i;

	if (!counts)
		return;
	for (i = 0; i < hot->nr_edges; i++) {
		counts[function_of(hot, hot->edges[i].from)] += hot->edges[i].count;
		all += hot->edges[i].count;
	}
	for (i = 0; i < hot->nr_functions; i++)
		note(hot, i, counts[i], all, notes);
	free(counts);
}
