// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks as pprof's profile.proto. */
#include "base/array.h"
#include "base/hex.h"
#include "calls/calls.h"
#include "pprof/pprof.h"

#include <stdlib.h>

/* The binaries that have a mapping. The first one has number 1. */
struct binaries {
	const struct pd_dso **v;
	size_t nr, cap;
};

/* All of the file, where it is in the file. What is in no file is in no mapping. */
static uint32_t mapping_of(struct pprof *p, struct binaries *binaries,
			   const struct pd_dso *dso)
{
	struct pprof_mapping mapping = { .limit = UINT64_MAX, .symbolized = true };
	char build_id[41];
	size_t i;

	if (!dso)
		return 0;
	for (i = 0; i < binaries->nr; i++)
		if (binaries->v[i] == dso)
			return i + 1;
	p->failed |= !array_room(&binaries->v, binaries->nr, &binaries->cap,
				 sizeof(*binaries->v));
	if (p->failed)
		return 0;
	binaries->v[binaries->nr++] = dso;
	hex_text(build_id, dso->build_id, dso->build_id_size);
	mapping.file = pprof_string(p, dso->name);
	mapping.build_id = pprof_string(p, build_id);
	return pprof_mapping(p, &mapping);
}

static void add_locations(struct pprof *p, const struct calls *calls)
{
	struct binaries binaries = { 0 };
	uint32_t k;
	size_t i;

	for (i = 0; i < calls->nr_frames; i++) {
		const struct calls_frame *f = &calls->frames[i];
		const struct calls_line *line = calls->lines + f->first_line;

		pprof_location(p, mapping_of(p, &binaries, f->at.dso), f->at.offset);
		for (k = 0; k < f->nr_lines; k++, line++)
			pprof_line(p,
				   pprof_function(p, line->name, line->symbol, line->path,
						  line->start),
				   line->line);
	}
	free(binaries.v);
}

/* Readers take the numbers as signed ones. */
static uint64_t as_signed(uint64_t number)
{
	return number < INT64_MAX ? number : INT64_MAX;
}

/* A frame is the location with the next number. */
static void add_samples(struct pprof *p, const struct calls *calls)
{
	uint32_t *locations = NULL, k;
	size_t i, cap = 0;

	for (i = 0; i < calls->nr_stacks && !p->failed; i++) {
		const struct calls_stack *s = &calls->stacks[i];
		const uint64_t values[PPROF_TYPES] = { s->samples, as_signed(s->events) };

		p->failed |= !array_cover(&locations, s->nr, &cap, sizeof(*locations));
		for (k = 0; k < s->nr && !p->failed; k++)
			locations[k] = calls->chains[s->first + k] + 1;
		pprof_sample(p, locations, s->nr, values);
	}
	free(locations);
}

bool calls_pprof(const struct calls *calls, const char *comment, FILE *file)
{
	const char *event = calls->event && !calls->several_events ? calls->event->name : NULL;
	struct pprof p = { 0 };
	struct pb message = { 0 };
	bool ok;

	pprof_type(&p, "samples", "count");
	pprof_type(&p, event ?: "events", "count");
	p.default_type = 1;
	p.period_type = p.types[1];
	/* The mean, which is the period itself if all samples have the same one. */
	if (!calls->several_events && calls->with_period)
		p.period = as_signed(calls->periods / calls->with_period);
	pprof_comment(&p, comment);
	add_locations(&p, calls);
	add_samples(&p, calls);
	ok = pprof_encode(&p, &message);
	if (ok)
		fwrite(message.v, 1, message.nr, file);
	free(message.v);
	pprof_free(&p);
	return ok;
}
