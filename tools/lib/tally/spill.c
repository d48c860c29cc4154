// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tally that needs more memory than it may have writes what it counted into a temporary
 * counts file, a part, and goes on with nothing counted. In the end the parts are merged.
 * What it learnt to weigh lines stays, so the counts do not depend on the memory.
 */
#include "base/array.h"
#include "base/tempfile.h"
#include "countfile/merge.h"
#include "tally/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of memory for each step and for each sampled address, also while they are sorted. */
enum { STEP_BYTES = 112, IP_BYTES = 48 };

bool tally_is_full(const struct tally *tally)
{
	return tally->memory &&
	       tally->counts.nr_steps * STEP_BYTES + tally->nr_ips * IP_BYTES >= tally->memory;
}

/* What is in a part is forgotten. The binaries stay, because places refer to them. */
static void forget(struct tally *tally)
{
	tally->spilled += tally->counts.samples;
	count_forget(&tally->counts);
	while (tally->nr_events)
		free(tally->events[--tally->nr_events].name);
	tally->nr_ips = 0;
	hash_free(&tally->by_ip);
	tally->depth = tally->lost = tally->dropped = 0;
}

int tally_spill(struct tally *tally, struct error *error)
{
	const struct cf_source nobody = { 0 };
	char path[TEMPFILE_PATH];
	int fd, ret;

	if (!array_room(&tally->parts, tally->nr_parts, &tally->cap_parts,
			sizeof(*tally->parts)))
		return error_nomem(error);
	fd = tempfile_open();
	if (fd < 0)
		return tempfile_error(error);
	tally->parts[tally->nr_parts++] = fd;
	tempfile_path(fd, path);
	ret = tally_write_counts(tally, path, &nobody, 0, 0, 0, error);
	if (!ret)
		forget(tally);
	return ret;
}

void tally_close_parts(struct tally *tally)
{
	while (tally->nr_parts)
		close(tally->parts[--tally->nr_parts]);
	free(tally->parts);
	tally->parts = NULL;
}

/* They are not refused, because that is an error (strict). */
static int merge_parts(const struct tally *tally, const char *path,
		       const struct cf_whole *whole, struct error *error)
{
	struct cf_input *inputs = calloc(tally->nr_parts, sizeof(*inputs));
	char (*paths)[TEMPFILE_PATH] = calloc(tally->nr_parts, sizeof(*paths));
	struct cf_merge_opts opts = { .inputs = inputs,
				      .nr = tally->nr_parts,
				      .memory = tally->memory,
				      .threads = 1,
				      .whole = whole,
				      .strict = true };
	struct cf_merge_result result;
	size_t i;
	int ret;

	if (opts.memory < CF_MERGE_MEMORY_MIN)
		opts.memory = CF_MERGE_MEMORY_MIN;
	for (i = 0; inputs && paths && i < tally->nr_parts; i++) {
		tempfile_path(tally->parts[i], paths[i]);
		inputs[i] = (struct cf_input){ paths[i], "a temporary file", 1, false };
	}
	ret = inputs && paths ? cf_merge(path, &opts, &result, error) : error_nomem(error);
	free(inputs);
	free(paths);
	return ret;
}

int tally_write(struct tally *tally, const char *path,
		const struct cf_source *source, uint64_t begin, uint64_t end, uint64_t most,
		struct error *error)
{
	struct cf_whole whole = { .source = *source, .begin = begin, .end = end };
	struct cf_binary *named;
	int ret;

	if (!tally->nr_parts)
		return tally_write_counts(tally, path, source, begin, end, most, error);
	ret = tally_spill(tally, error);
	if (ret)
		return ret;
	/* The merge has this memory now. */
	count_free(&tally->counts);
	/* A part may have been written before a name was known. */
	whole.binaries = named = calloc(tally->places.nr_binaries + 1, sizeof(*named));
	if (!named)
		return error_nomem(error);
	whole.nr_binaries = tally_name_binaries(tally, named);
	ret = merge_parts(tally, path, &whole, error);
	free(named);
	return ret;
}
