// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call stacks as pprof's profile.proto, version 3. Only what is used of protocol buffers is
 * here: numbers of variable length, and fields that have a length and bytes.
 */
#include "base/array.h"
#include "calls/calls.h"

#include <stdlib.h>
#include <string.h>

/* Fields, by message. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
	PROFILE_PERIOD_TYPE = 11, PROFILE_COMMENT = 13,

	VALUE_TYPE = 1, VALUE_UNIT = 2,

	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2,

	MAPPING_ID = 1, MAPPING_LIMIT = 3, MAPPING_FILE = 5, MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINED = 10,

	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,

	LINE_FUNCTION = 1, LINE_NUMBER = 2,

	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYMBOL = 3, FUNCTION_FILE = 4,
};

/* A message that is being made. */
struct message {
	uint8_t *v;
	size_t nr, cap;
	bool failed; /* out of memory */
};

static void put_byte(struct message *m, uint8_t byte)
{
	m->failed |= !array_room(&m->v, m->nr, &m->cap, 1);
	if (!m->failed)
		m->v[m->nr++] = byte;
}

static void put_varint(struct message *m, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_byte(m, value | 0x80);
	put_byte(m, value);
}

static void put_number(struct message *m, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	put_varint(m, field << 3);
	put_varint(m, value);
}

static void put_bytes(struct message *m, unsigned int field, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	size_t i;

	put_varint(m, field << 3 | 2);
	put_varint(m, size);
	for (i = 0; i < size; i++)
		put_byte(m, p[i]);
}

/* It is empty then. */
static void put_message(struct message *m, unsigned int field, struct message *inner)
{
	m->failed |= inner->failed;
	put_bytes(m, field, inner->v, inner->nr);
	inner->nr = 0;
}

/* Strings have numbers, and each is there once. */
struct strings {
	const char **v;
	size_t nr, cap;
	struct hash index;
};

/* One of pprof's functions: strings, by number. */
struct function {
	uint32_t name, symbol, file;
};

struct pprof {
	const struct calls *calls;
	struct message all, part, inner;
	struct strings strings;
	struct function *functions; /* by number, from 1 */
	size_t nr_functions, cap_functions;
	struct hash function_index;
	const struct pd_dso **mappings; /* by number, from 1; all that is in none is in no mapping */
	size_t nr_mappings, cap_mappings;
};

static uint64_t string_of(struct pprof *p, const char *s)
{
	const uint32_t hash = hash_bytes(0, s, strlen(s));
	struct strings *t = &p->strings;
	struct hash_slot *slot;

	p->all.failed |= !hash_room(&t->index) ||
			 !array_room(&t->v, t->nr, &t->cap, sizeof(*t->v));
	if (p->all.failed)
		return 0;
	hash_for_each(&t->index, slot, hash)
		if (!strcmp(t->v[slot->number - 1], s))
			return slot->number - 1;
	hash_put(&t->index, slot, hash, t->nr);
	t->v[t->nr] = s;
	return t->nr++;
}

static uint64_t mapping_of(struct pprof *p, const struct pd_dso *dso)
{
	size_t i;

	for (i = 0; dso && i < p->nr_mappings; i++)
		if (p->mappings[i] == dso)
			return i + 1;
	p->all.failed |= !array_room(&p->mappings, p->nr_mappings, &p->cap_mappings,
				     sizeof(*p->mappings));
	if (!dso || p->all.failed)
		return 0;
	p->mappings[p->nr_mappings++] = dso;
	return p->nr_mappings;
}

static uint64_t function_of(struct pprof *p, const struct calls_line *line)
{
	const struct function f = { string_of(p, line->name), string_of(p, line->symbol),
				    string_of(p, line->path) };
	const uint32_t hash = hash_bytes(0, &f, sizeof(f));
	struct hash_slot *slot;

	p->all.failed |= !hash_room(&p->function_index) ||
			 !array_room(&p->functions, p->nr_functions, &p->cap_functions,
				     sizeof(f));
	if (p->all.failed)
		return 0;
	hash_for_each(&p->function_index, slot, hash)
		if (!memcmp(&p->functions[slot->number - 1], &f, sizeof(f)))
			return slot->number;
	hash_put(&p->function_index, slot, hash, p->nr_functions);
	p->functions[p->nr_functions] = f;
	return ++p->nr_functions;
}

static void put_type(struct pprof *p, unsigned int field, const char *type, const char *unit)
{
	put_number(&p->part, VALUE_TYPE, string_of(p, type));
	put_number(&p->part, VALUE_UNIT, string_of(p, unit));
	put_message(&p->all, field, &p->part);
}

static void put_samples(struct pprof *p)
{
	const struct calls *calls = p->calls;
	uint32_t k;
	size_t i;

	for (i = 0; i < calls->nr_stacks; i++) {
		const struct calls_stack *s = &calls->stacks[i];

		for (k = 0; k < s->nr; k++)
			put_varint(&p->inner, calls->chains[s->first + k] + 1);
		put_message(&p->part, SAMPLE_LOCATION, &p->inner);
		put_varint(&p->inner, s->samples);
		put_varint(&p->inner, s->events);
		put_message(&p->part, SAMPLE_VALUE, &p->inner);
		put_message(&p->all, PROFILE_SAMPLE, &p->part);
	}
}

static void put_locations(struct pprof *p)
{
	const struct calls *calls = p->calls;
	uint32_t k;
	size_t i;

	for (i = 0; i < calls->nr_frames; i++) {
		const struct calls_frame *f = &calls->frames[i];

		put_number(&p->part, LOCATION_ID, i + 1);
		put_number(&p->part, LOCATION_MAPPING, mapping_of(p, f->at.dso));
		put_number(&p->part, LOCATION_ADDRESS, f->at.offset);
		for (k = 0; k < f->nr_lines; k++) {
			const struct calls_line *line = &calls->lines[f->first_line + k];

			put_number(&p->inner, LINE_FUNCTION, function_of(p, line));
			put_number(&p->inner, LINE_NUMBER, line->line);
			put_message(&p->part, LOCATION_LINE, &p->inner);
		}
		put_message(&p->all, PROFILE_LOCATION, &p->part);
	}
}

static void put_functions(struct pprof *p)
{
	size_t i;

	for (i = 0; i < p->nr_functions; i++) {
		put_number(&p->part, FUNCTION_ID, i + 1);
		put_number(&p->part, FUNCTION_NAME, p->functions[i].name);
		put_number(&p->part, FUNCTION_SYMBOL, p->functions[i].symbol);
		put_number(&p->part, FUNCTION_FILE, p->functions[i].file);
		put_message(&p->all, PROFILE_FUNCTION, &p->part);
	}
}

static void put_mappings(struct pprof *p, char (*ids)[41])
{
	size_t i;
	unsigned int k;

	for (i = 0; i < p->nr_mappings; i++) {
		const struct pd_dso *dso = p->mappings[i];

		for (k = 0; k < dso->build_id_size; k++)
			sprintf(ids[i] + 2 * k, "%02x", dso->build_id[k]);
		put_number(&p->part, MAPPING_ID, i + 1);
		/* All of the file, where it is in the file. */
		put_number(&p->part, MAPPING_LIMIT, UINT64_MAX);
		put_number(&p->part, MAPPING_FILE, string_of(p, dso->name));
		put_number(&p->part, MAPPING_BUILD_ID, string_of(p, ids[i]));
		put_number(&p->part, MAPPING_HAS_FUNCTIONS, 1);
		put_number(&p->part, MAPPING_HAS_FILES, 1);
		put_number(&p->part, MAPPING_HAS_LINES, 1);
		put_number(&p->part, MAPPING_HAS_INLINED, 1);
		put_message(&p->all, PROFILE_MAPPING, &p->part);
	}
}

bool calls_pprof(const struct calls *calls, const char *comment, FILE *file)
{
	struct pprof p = { .calls = calls };
	char (*ids)[41] = NULL;
	bool ok;
	size_t i;

	/* The first string has to be empty. */
	string_of(&p, "");
	put_type(&p, PROFILE_SAMPLE_TYPE, "samples", "count");
	put_type(&p, PROFILE_SAMPLE_TYPE, calls->event ?: "events", "count");
	put_type(&p, PROFILE_PERIOD_TYPE, calls->event ?: "events", "count");
	put_number(&p.all, PROFILE_COMMENT, string_of(&p, comment));
	put_samples(&p);
	put_locations(&p);
	put_functions(&p);
	ids = calloc(p.nr_mappings + 1, sizeof(*ids));
	p.all.failed |= !ids;
	if (!p.all.failed)
		put_mappings(&p, ids);
	for (i = 0; i < p.strings.nr && !p.all.failed; i++)
		put_bytes(&p.all, PROFILE_STRING, p.strings.v[i], strlen(p.strings.v[i]));
	ok = !p.all.failed && !p.part.failed && !p.inner.failed;
	if (ok)
		fwrite(p.all.v, 1, p.all.nr, file);
	free(p.functions);
	hash_free(&p.function_index);
	free(ids);
	free(p.all.v);
	free(p.part.v);
	free(p.inner.v);
	free(p.strings.v);
	hash_free(&p.strings.index);
	free(p.mappings);
	return ok;
}
