// SPDX-License-Identifier: GPL-2.0-only
/* A profile as pprof's profile.proto, version 3. */
#include "pprof/pprof.h"

#include <stdlib.h>

/* Fields, by message. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
	PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12, PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14,

	VALUE_TYPE = 1, VALUE_UNIT = 2,

	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2,

	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_OFFSET = 4,
	MAPPING_FILE = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINED = 10,

	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,

	LINE_FUNCTION = 1, LINE_NUMBER = 2,

	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYMBOL = 3, FUNCTION_FILE = 4,
	FUNCTION_START = 5,
};

/* The message, and those in it that are being made. */
struct encoder {
	struct pb *all;
	struct pb part, inner;
};

static void put_type(struct encoder *e, unsigned int field, const struct pprof_type *type)
{
	pb_number(&e->part, VALUE_TYPE, type->type);
	pb_number(&e->part, VALUE_UNIT, type->unit);
	pb_message(e->all, field, &e->part);
}

static void put_about(struct encoder *e, const struct pprof *p)
{
	size_t i;

	for (i = 0; i < p->nr_types; i++)
		put_type(e, PROFILE_SAMPLE_TYPE, &p->types[i]);
	if (p->period_type.type)
		put_type(e, PROFILE_PERIOD_TYPE, &p->period_type);
	pb_number(e->all, PROFILE_PERIOD, p->period);
	pb_number(e->all, PROFILE_TIME, p->time);
	pb_number(e->all, PROFILE_DURATION, p->duration);
	for (i = 0; i < p->nr_comments; i++)
		pb_number(e->all, PROFILE_COMMENT, p->comments[i]);
	/* Otherwise, viewers show the last one. */
	if (p->default_type + 1 < p->nr_types)
		pb_number(e->all, PROFILE_DEFAULT_TYPE, p->types[p->default_type].type);
}

static void put_sample(struct encoder *e, const struct pprof *p,
		       const struct pprof_sample *sample)
{
	uint32_t i;

	for (i = 0; i < sample->nr; i++)
		pb_varint(&e->inner, p->frames[sample->first + i]);
	pb_message(&e->part, SAMPLE_LOCATION, &e->inner);
	for (i = 0; i < p->nr_types; i++)
		pb_varint(&e->inner, sample->values[i]);
	pb_message(&e->part, SAMPLE_VALUE, &e->inner);
	pb_message(e->all, PROFILE_SAMPLE, &e->part);
}

static void put_mapping(struct encoder *e, const struct pprof_mapping *m, size_t id)
{
	pb_number(&e->part, MAPPING_ID, id);
	pb_number(&e->part, MAPPING_START, m->start);
	pb_number(&e->part, MAPPING_LIMIT, m->limit);
	pb_number(&e->part, MAPPING_OFFSET, m->offset);
	pb_number(&e->part, MAPPING_FILE, m->file);
	pb_number(&e->part, MAPPING_BUILD_ID, m->build_id);
	pb_number(&e->part, MAPPING_HAS_FUNCTIONS, m->symbolized);
	pb_number(&e->part, MAPPING_HAS_FILES, m->symbolized);
	pb_number(&e->part, MAPPING_HAS_LINES, m->symbolized);
	pb_number(&e->part, MAPPING_HAS_INLINED, m->symbolized);
	pb_message(e->all, PROFILE_MAPPING, &e->part);
}

static void put_location(struct encoder *e, const struct pprof *p,
			 const struct pprof_location *l, size_t id)
{
	const struct pprof_line *line = p->lines + l->first_line;
	uint32_t i;

	pb_number(&e->part, LOCATION_ID, id);
	pb_number(&e->part, LOCATION_MAPPING, l->mapping);
	pb_number(&e->part, LOCATION_ADDRESS, l->address);
	for (i = 0; i < l->nr_lines; i++, line++) {
		pb_number(&e->inner, LINE_FUNCTION, line->function);
		pb_number(&e->inner, LINE_NUMBER, line->line);
		pb_message(&e->part, LOCATION_LINE, &e->inner);
	}
	pb_message(e->all, PROFILE_LOCATION, &e->part);
}

static void put_function(struct encoder *e, const struct pprof_function *f, size_t id)
{
	pb_number(&e->part, FUNCTION_ID, id);
	pb_number(&e->part, FUNCTION_NAME, f->name);
	pb_number(&e->part, FUNCTION_SYMBOL, f->symbol);
	pb_number(&e->part, FUNCTION_FILE, f->file);
	pb_number(&e->part, FUNCTION_START, f->start);
	pb_message(e->all, PROFILE_FUNCTION, &e->part);
}

bool pprof_encode(struct pprof *p, struct pb *out)
{
	struct encoder e = { .all = out };
	size_t i;

	/* So that there is at least the empty string. */
	pprof_string(p, "");
	if (p->failed)
		return false;
	put_about(&e, p);
	for (i = 0; i < p->nr_samples; i++)
		put_sample(&e, p, &p->samples[i]);
	for (i = 0; i < p->nr_mappings; i++)
		put_mapping(&e, &p->mappings[i], i + 1);
	for (i = 0; i < p->nr_locations; i++)
		put_location(&e, p, &p->locations[i], i + 1);
	for (i = 0; i < p->nr_functions; i++)
		put_function(&e, &p->functions[i], i + 1);
	for (i = 0; i < p->nr_strings; i++)
		pb_text(out, PROFILE_STRING, pprof_text(p, i));
	free(e.part.v);
	free(e.inner.v);
	return !out->failed;
}
