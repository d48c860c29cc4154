// SPDX-License-Identifier: GPL-2.0-only
#include "export/otlp.h"
#include "base/hex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields, by message, of opentelemetry-proto 1.11.0. */
enum {
	REQUEST_RESOURCE_PROFILES = 1, REQUEST_DICTIONARY = 2,

	RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPE = 2,
	RESOURCE_ATTRIBUTE = 1,
	SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILE = 2,
	SCOPE_NAME = 1, SCOPE_VERSION = 2,
	KEY_VALUE_KEY = 1, KEY_VALUE_VALUE = 2,
	ANY_STRING = 1, ANY_ARRAY = 5, ARRAY_VALUE = 1,

	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_TIME = 3,
	PROFILE_DURATION = 4, PROFILE_PERIOD_TYPE = 5, PROFILE_PERIOD = 6,
	PROFILE_ID = 7, PROFILE_ATTRIBUTES = 11,
	VALUE_TYPE = 1, VALUE_UNIT = 2,
	SAMPLE_STACK = 1, SAMPLE_VALUES = 4,

	DICTIONARY_MAPPING = 1, DICTIONARY_LOCATION = 2, DICTIONARY_FUNCTION = 3,
	DICTIONARY_LINK = 4, DICTIONARY_STRING = 5, DICTIONARY_ATTRIBUTE = 6,
	DICTIONARY_STACK = 7,
	MAPPING_START = 1, MAPPING_LIMIT = 2, MAPPING_OFFSET = 3, MAPPING_FILE = 4,
	MAPPING_ATTRIBUTES = 5,
	LOCATION_MAPPING = 1, LOCATION_ADDRESS = 2, LOCATION_LINE = 3,
	LOCATION_ATTRIBUTES = 4,
	LINE_FUNCTION = 1, LINE_NUMBER = 2,
	FUNCTION_NAME = 1, FUNCTION_SYMBOL = 2, FUNCTION_FILE = 3,
	FUNCTION_START = 4,
	LINK_TRACE = 1, LINK_SPAN = 2,
	ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2,
	STACK_LOCATIONS = 1,

	RESPONSE_PARTIAL = 1, PARTIAL_REJECTED = 1, PARTIAL_TEXT = 2,
};

/* Messages by their depth. */
struct otlp {
	struct export_profile *profile;
	struct pprof *pprof;
	struct pb dictionary, part, inner, value;
	uint32_t nr_attributes; /* the first one stands for none */
	uint32_t native, kernel; /* attributes of locations; 0: not there yet */
	uint32_t *build_ids; /* attributes, by string; 0: not there yet */
};

/* The element with number 0 of each table stands for none. */
static void put_nothing(struct otlp *o)
{
	static const uint8_t zeros[16];

	pb_bytes(&o->dictionary, DICTIONARY_MAPPING, NULL, 0);
	pb_bytes(&o->dictionary, DICTIONARY_LOCATION, NULL, 0);
	pb_bytes(&o->dictionary, DICTIONARY_FUNCTION, NULL, 0);
	pb_bytes(&o->dictionary, DICTIONARY_ATTRIBUTE, NULL, 0);
	pb_bytes(&o->dictionary, DICTIONARY_STACK, NULL, 0);
	pb_bytes(&o->part, LINK_TRACE, zeros, 16);
	pb_bytes(&o->part, LINK_SPAN, zeros, 8);
	pb_message(&o->dictionary, DICTIONARY_LINK, &o->part);
	o->nr_attributes = 1;
}

/* Returns its number. The value is in o->value. */
static uint32_t put_attribute(struct otlp *o, const char *key)
{
	struct pb attribute = { 0 };

	pb_number(&attribute, ATTRIBUTE_KEY, pprof_string(o->pprof, key));
	pb_message(&attribute, ATTRIBUTE_VALUE, &o->value);
	pb_message(&o->dictionary, DICTIONARY_ATTRIBUTE, &attribute);
	free(attribute.v);
	return o->nr_attributes++;
}

static uint32_t put_text_attribute(struct otlp *o, const char *key, const char *text)
{
	pb_text(&o->value, ANY_STRING, text);
	return put_attribute(o, key);
}

/* A field that is an array with one number. */
static void put_one(struct otlp *o, unsigned int field, uint32_t number)
{
	pb_varint(&o->inner, number);
	pb_message(&o->part, field, &o->inner);
}

/* The attribute of a build id. Both forms of a kernel's addresses have the same one. */
static uint32_t build_id_of(struct otlp *o, uint32_t build_id)
{
	uint32_t *attribute = &o->build_ids[build_id];

	if (!*attribute)
		*attribute = put_text_attribute(o, "process.executable.build_id.gnu",
						pprof_text(o->pprof, build_id));
	return *attribute;
}

static void put_mappings(struct otlp *o)
{
	const struct pprof *p = o->pprof;
	size_t i;

	o->build_ids = calloc(p->nr_strings + 1, sizeof(*o->build_ids));
	o->pprof->failed |= !o->build_ids;
	for (i = 0; i < p->nr_mappings && !p->failed; i++) {
		const struct pprof_mapping *m = &p->mappings[i];

		pb_number(&o->part, MAPPING_START, m->start);
		pb_number(&o->part, MAPPING_LIMIT, m->limit);
		pb_number(&o->part, MAPPING_OFFSET, m->offset);
		pb_number(&o->part, MAPPING_FILE, m->file);
		if (m->build_id)
			put_one(o, MAPPING_ATTRIBUTES, build_id_of(o, m->build_id));
		pb_message(&o->dictionary, DICTIONARY_MAPPING, &o->part);
	}
}

/* What kind of code it is. */
static uint32_t frame_type(struct otlp *o, bool kernel)
{
	uint32_t *number = kernel ? &o->kernel : &o->native;

	if (!*number)
		*number = put_text_attribute(o, "profile.frame.type",
					     kernel ? "kernel" : "native");
	return *number;
}

static void put_locations(struct otlp *o)
{
	const struct pprof *p = o->pprof;
	uint32_t k;
	size_t i;

	for (i = 0; i < p->nr_locations; i++) {
		const struct pprof_location *l = &p->locations[i];
		const bool kernel = l->mapping ? p->mappings[l->mapping - 1].kernel :
				    o->profile->places[i].binary == CF_KERNEL;

		pb_number(&o->part, LOCATION_MAPPING, l->mapping);
		pb_number(&o->part, LOCATION_ADDRESS, l->address);
		for (k = 0; k < l->nr_lines; k++) {
			pb_number(&o->inner, LINE_FUNCTION, p->lines[l->first_line + k].function);
			pb_number(&o->inner, LINE_NUMBER, p->lines[l->first_line + k].line);
			pb_message(&o->part, LOCATION_LINE, &o->inner);
		}
		put_one(o, LOCATION_ATTRIBUTES, frame_type(o, kernel));
		pb_message(&o->dictionary, DICTIONARY_LOCATION, &o->part);
	}
}

static void put_functions(struct otlp *o)
{
	const struct pprof *p = o->pprof;
	size_t i;

	for (i = 0; i < p->nr_functions; i++) {
		pb_number(&o->part, FUNCTION_NAME, p->functions[i].name);
		pb_number(&o->part, FUNCTION_SYMBOL, p->functions[i].symbol);
		pb_number(&o->part, FUNCTION_FILE, p->functions[i].file);
		pb_number(&o->part, FUNCTION_START, p->functions[i].start);
		pb_message(&o->dictionary, DICTIONARY_FUNCTION, &o->part);
	}
}

/* No two samples have the same stack. */
static void put_stacks(struct otlp *o)
{
	const struct pprof *p = o->pprof;
	uint32_t k;
	size_t i;

	for (i = 0; i < p->nr_samples; i++) {
		for (k = 0; k < p->samples[i].nr; k++)
			pb_varint(&o->inner, p->frames[p->samples[i].first + k]);
		pb_message(&o->part, STACK_LOCATIONS, &o->inner);
		pb_message(&o->dictionary, DICTIONARY_STACK, &o->part);
	}
}

static void put_strings(struct otlp *o)
{
	size_t i;

	for (i = 0; i < o->pprof->nr_strings; i++)
		pb_text(&o->dictionary, DICTIONARY_STRING, pprof_text(o->pprof, i));
}

/* --- profiles --- */

static void put_type(struct otlp *o, unsigned int field, const struct pprof_type *type)
{
	pb_number(&o->inner, VALUE_TYPE, type->type);
	pb_number(&o->inner, VALUE_UNIT, type->unit);
	pb_message(&o->part, field, &o->inner);
}

static void put_samples(struct otlp *o, unsigned int type)
{
	const struct pprof *p = o->pprof;
	size_t i;

	for (i = 0; i < p->nr_samples; i++) {
		if (!p->samples[i].values[type])
			continue;
		pb_number(&o->inner, SAMPLE_STACK, i + 1);
		pb_varint(&o->value, p->samples[i].values[type]);
		pb_message(&o->inner, SAMPLE_VALUES, &o->value);
		pb_message(&o->part, PROFILE_SAMPLE, &o->inner);
	}
}

static uint32_t put_comments(struct otlp *o)
{
	const struct pprof *p = o->pprof;
	size_t i;

	for (i = 0; i < p->nr_comments; i++) {
		pb_text(&o->part, ANY_STRING, pprof_text(p, p->comments[i]));
		pb_message(&o->inner, ARRAY_VALUE, &o->part);
	}
	pb_message(&o->value, ANY_ARRAY, &o->inner);
	return put_attribute(o, "pprof.profile.comment");
}

/* Each kind of value is a profile of its own, with an id of its own. */
static void put_profile(struct otlp *o, unsigned int type, uint32_t comments,
			struct pb *scope)
{
	const struct pprof *p = o->pprof;
	uint8_t all[MD5_SIZE + 1], id[MD5_SIZE];

	memcpy(all, o->profile->id, MD5_SIZE);
	all[MD5_SIZE] = type;
	md5(id, all, sizeof(all));
	put_type(o, PROFILE_SAMPLE_TYPE, &p->types[type]);
	put_samples(o, type);
	pb_fixed64(&o->part, PROFILE_TIME, p->time);
	pb_number(&o->part, PROFILE_DURATION, p->duration);
	if (p->period_type.type)
		put_type(o, PROFILE_PERIOD_TYPE, &p->period_type);
	pb_number(&o->part, PROFILE_PERIOD, p->period);
	pb_bytes(&o->part, PROFILE_ID, id, MD5_SIZE);
	put_one(o, PROFILE_ATTRIBUTES, comments);
	pb_message(scope, SCOPE_PROFILES_PROFILE, &o->part);
}

static void put_resource_text(struct otlp *o, const char *key, const char *text)
{
	pb_text(&o->inner, KEY_VALUE_KEY, key);
	pb_text(&o->value, ANY_STRING, text);
	pb_message(&o->inner, KEY_VALUE_VALUE, &o->value);
	pb_message(&o->part, RESOURCE_ATTRIBUTE, &o->inner);
}

/* The machine, if all is of one: by the label, which tells nothing about it. */
static void put_instance(struct otlp *o)
{
	const struct cf_head *head = o->profile->head;
	char text[2 * sizeof(head->sources[0].label) + 1];
	size_t i;

	for (i = 0; i < head->nr_sources; i++)
		if (memcmp(head->sources[i].label, head->sources[0].label,
			   sizeof(head->sources[i].label)))
			return;
	if (!head->nr_sources)
		return;
	hex_text(text, head->sources[0].label, sizeof(head->sources[0].label));
	put_resource_text(o, "service.instance.id", text);
}

static void put_resource(struct otlp *o, const char *service, struct pb *out)
{
	const uint32_t comments = put_comments(o);
	struct pb resource = { 0 }, scope = { 0 };
	unsigned int type;

	put_resource_text(o, "service.name", service);
	put_instance(o);
	put_resource_text(o, "host.arch", "riscv64");
	pb_message(&resource, RESOURCE_PROFILES_RESOURCE, &o->part);
	pb_text(&o->part, SCOPE_NAME, "ssctr");
	pb_text(&o->part, SCOPE_VERSION, SSCTR_VERSION);
	pb_message(&scope, SCOPE_PROFILES_SCOPE, &o->part);
	for (type = 0; type < o->pprof->nr_types; type++)
		put_profile(o, type, comments, &scope);
	pb_message(&resource, RESOURCE_PROFILES_SCOPE, &scope);
	pb_message(out, REQUEST_RESOURCE_PROFILES, &resource);
	free(resource.v);
	free(scope.v);
}

bool export_otlp(struct export_profile *profile, const char *service, struct pb *out)
{
	struct otlp o = { .profile = profile, .pprof = &profile->pprof };

	put_nothing(&o);
	put_resource(&o, service, out);
	put_mappings(&o);
	put_locations(&o);
	put_functions(&o);
	put_stacks(&o);
	/* The last, because those before have added some. */
	put_strings(&o);
	pb_message(out, REQUEST_DICTIONARY, &o.dictionary);
	free(o.build_ids);
	free(o.dictionary.v);
	free(o.part.v);
	free(o.inner.v);
	free(o.value.v);
	return !profile->pprof.failed && !out->failed;
}

/* --- answers --- */

/* Of what the receiver says, only what can be printed. */
static void take_text(struct export_otlp_answer *answer, const struct pb_field *field)
{
	size_t i, n = 0;

	for (i = 0; i < field->number && n + 1 < sizeof(answer->text); i++)
		if (field->bytes[i] >= ' ' && field->bytes[i] < 0x7f)
			answer->text[n++] = field->bytes[i];
	answer->text[n] = 0;
}

void export_otlp_answer(struct export_otlp_answer *answer, const uint8_t *bytes,
			size_t size)
{
	const uint8_t *end = bytes + size, *p, *inner_end;
	struct pb_field field, inner;

	*answer = (struct export_otlp_answer){ 0 };
	while (pb_next(&bytes, end, &field)) {
		if (field.nr != RESPONSE_PARTIAL || !field.bytes)
			continue;
		p = field.bytes;
		inner_end = p + field.number;
		while (pb_next(&p, inner_end, &inner)) {
			if (inner.nr == PARTIAL_REJECTED && !inner.bytes)
				answer->rejected = inner.number;
			else if (inner.nr == PARTIAL_TEXT && inner.bytes)
				take_text(answer, &inner);
		}
	}
}
