// SPDX-License-Identifier: GPL-2.0-only
/* The sections after the events: one for each bit set in the header. */
#include "perfdata/internal.h"

#include <stdio.h>
#include <stdlib.h>

/* perf's numbers of the features that are read here. */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CPUID = 9,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_PMU_CAPS = 31,
	FEATURE_BITS = 256,
};

/* A build id record: a header, s32 pid, 24 bytes with the id, and a name. */
enum {
	BUILD_ID_AT = 12,
	BUILD_ID_SIZE_AT = BUILD_ID_AT + 20,
	BUILD_ID_NAME_AT = BUILD_ID_AT + 24,
	MISC_BUILD_ID_SIZE = 1 << 15,
};

/* What is left of a section. A field that does not fit empties it for good. */
struct section {
	struct pd *pd;
	const uint8_t *p, *end;
	bool cut;
};

static const uint8_t *take(struct section *s, uint64_t n)
{
	const uint8_t *p = s->p;

	if (s->cut || n > (uint64_t)(s->end - p)) {
		s->cut = true;
		return NULL;
	}
	s->p += n;
	return p;
}

static uint32_t take32(struct section *s)
{
	const uint8_t *p = take(s, 4);

	return p ? pd_file32(s->pd, p) : 0;
}

/* u32 bytes, and as many bytes with at least one NUL at their end. */
static const uint8_t *take_text(struct section *s, uint32_t *size)
{
	*size = take32(s);
	return take(s, *size);
}

static int cut_short(const struct section *s, unsigned int bit)
{
	return pd_fail(s->pd, PD_ECORRUPT, s->end,
		       "a text in header section %u reaches beyond its section",
		       bit);
}

/* Append to a text that may be there already, behind a blank. 0 or PD_E*. */
static int append(struct pd *pd, enum pd_text text, const uint8_t *p, size_t n)
{
	char *old = pd->texts[text], *new;
	size_t len = old ? strlen(old) : 0;

	n = strnlen((const char *)p, n);
	new = realloc(old, len + n + 2);
	if (!new)
		return pd_no_memory(pd);
	pd->texts[text] = new;
	if (len)
		new[len++] = ' ';
	memcpy(new + len, p, n);
	new[len + n] = 0;
	return 0;
}

static int read_text(struct section *s, unsigned int bit, enum pd_text text)
{
	uint32_t size;
	const uint8_t *p = take_text(s, &size);

	if (s->cut)
		return cut_short(s, bit);
	free(s->pd->texts[text]);
	s->pd->texts[text] = NULL;
	return append(s->pd, text, p, size);
}

/* A count, and as many texts. */
static int read_words(struct section *s, unsigned int bit, enum pd_text text)
{
	uint32_t nr = take32(s), size;

	free(s->pd->texts[text]);
	s->pd->texts[text] = NULL;
	while (nr-- && !s->cut) {
		const uint8_t *p = take_text(s, &size);

		if (!s->cut && append(s->pd, text, p, size))
			return PD_ENOMEM;
	}
	return s->cut ? cut_short(s, bit) : 0;
}

/* A count, and as many pairs of name and value. */
static int read_caps(struct section *s, unsigned int bit)
{
	uint32_t nr = take32(s), name_size, value_size;

	while (nr-- && !s->cut) {
		const uint8_t *name = take_text(s, &name_size);
		const uint8_t *value = take_text(s, &value_size);
		char pair[256];

		if (s->cut)
			break;
		snprintf(pair, sizeof(pair), "%.*s=%.*s", (int)name_size,
			 (const char *)name, (int)value_size,
			 (const char *)value);
		if (append(s->pd, PD_CPU_CAPS, (uint8_t *)pair, strlen(pair)))
			return PD_ENOMEM;
	}
	return s->cut ? cut_short(s, bit) : 0;
}

/* PMU after PMU: its capabilities, and its name behind them. */
static int read_pmu_caps(struct section *s, unsigned int bit)
{
	uint32_t nr = take32(s), size;

	while (nr-- && !s->cut) {
		int ret = read_caps(s, bit);

		if (ret)
			return ret;
		take_text(s, &size);
	}
	return s->cut ? cut_short(s, bit) : 0;
}

/* The events once more, with the names that they were asked for by. */
static int read_event_desc(struct section *s, unsigned int bit)
{
	uint32_t nr = take32(s), attr_size = take32(s), i;

	for (i = 0; i < nr && !s->cut; i++) {
		uint32_t nr_ids, size;
		const uint8_t *name, *ids;
		struct pd_attr *attr;

		take(s, attr_size);
		nr_ids = take32(s);
		name = take_text(s, &size);
		ids = take(s, 8 * (uint64_t)nr_ids);
		if (s->cut)
			break;
		/* The order is the same, but a pipe may not have all of them. */
		attr = nr_ids ? pd_find_id(s->pd, pd_file64(s->pd, ids)) : NULL;
		if (!attr && i < s->pd->nr_attrs)
			attr = s->pd->attrs[i];
		if (attr && pd_name_attr(s->pd, attr, name, size))
			return PD_ENOMEM;
	}
	return s->cut ? cut_short(s, bit) : 0;
}

static int read_tracing_data(struct section *s)
{
	struct pd *pd = s->pd;
	uint64_t size = s->end - s->p;
	uint8_t *data = malloc(size ? size : 1);

	if (!data)
		return pd_no_memory(pd);
	memcpy(data, s->p, size);
	free(pd->tracing_data);
	pd->tracing_data = data;
	pd->tracing_data_size = size;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pd_named_id *)a)->name,
		      ((const struct pd_named_id *)b)->name);
}

int pd_add_build_id(struct pd *pd, const uint8_t *rec, uint16_t misc,
		    uint16_t size)
{
	struct pd_named_id *v = pd->build_ids, *id;
	unsigned int id_size = PD_BUILD_ID_MAX;

	if (size <= BUILD_ID_NAME_AT ||
	    !memchr(rec + BUILD_ID_NAME_AT, 0, size - BUILD_ID_NAME_AT))
		return pd_fail(pd, PD_ECORRUPT, rec,
			       "a build id record of %u bytes is damaged",
			       size);
	if (misc & MISC_BUILD_ID_SIZE)
		id_size = rec[BUILD_ID_SIZE_AT];
	if (id_size > PD_BUILD_ID_MAX)
		return pd_fail(pd, PD_ECORRUPT, rec, "a build id of %u bytes",
			       id_size);
	/* Room is made at the powers of two. */
	if (!(pd->nr_build_ids & (pd->nr_build_ids - 1))) {
		v = realloc(v, (2 * pd->nr_build_ids + 1) * sizeof(*v));
		if (!v)
			return pd_no_memory(pd);
		pd->build_ids = v;
	}
	id = &v[pd->nr_build_ids];
	id->size = id_size;
	memcpy(id->build_id, rec + BUILD_ID_AT, id_size);
	id->name = strdup((const char *)rec + BUILD_ID_NAME_AT);
	if (!id->name)
		return pd_no_memory(pd);
	pd->nr_build_ids++;
	pd->build_ids_sorted = false;
	return 0;
}

static int read_build_ids(struct pd *pd, const uint8_t *p, uint64_t size)
{
	const uint8_t *end = p + size;

	while (p < end) {
		uint16_t n = 0;
		int ret;

		if (end - p >= PD_HEADER_SIZE)
			n = pd_file16(pd, p + 6);
		if (n < PD_HEADER_SIZE || n > end - p)
			return pd_fail(pd, PD_ECORRUPT, p,
				       "the list of build ids is cut short");
		ret = pd_add_build_id(pd, p, pd_file16(pd, p + 4), n);
		if (ret)
			return ret;
		p += n;
	}
	return 0;
}

int pd_read_feature(struct pd *pd, unsigned int bit, const uint8_t *p,
		    uint64_t size)
{
	struct section s = { pd, p, p + size, false };

	switch (bit) {
	case FEATURE_TRACING_DATA:
		return read_tracing_data(&s);
	case FEATURE_BUILD_ID:
		return read_build_ids(pd, p, size);
	case FEATURE_HOSTNAME:
		return read_text(&s, bit, PD_HOSTNAME);
	case FEATURE_OSRELEASE:
		return read_text(&s, bit, PD_OSRELEASE);
	case FEATURE_VERSION:
		return read_text(&s, bit, PD_VERSION);
	case FEATURE_ARCH:
		return read_text(&s, bit, PD_ARCH);
	case FEATURE_CPUID:
		return read_text(&s, bit, PD_CPUID);
	case FEATURE_CMDLINE:
		return read_words(&s, bit, PD_CMDLINE);
	case FEATURE_EVENT_DESC:
		return read_event_desc(&s, bit);
	case FEATURE_CPU_PMU_CAPS:
		return read_caps(&s, bit);
	case FEATURE_PMU_CAPS:
		return read_pmu_caps(&s, bit);
	default:
		return 0;
	}
}

/*
 * The header's bits in the file's order of bytes, as words of the machine that
 * recorded: of 64 bits, or of 32 where that was what it had.
 */
static void turn_bitmap(const struct pd *pd, const uint8_t *in, uint8_t *out)
{
	const unsigned int hostname = FEATURE_HOSTNAME;
	unsigned int i;

	memcpy(out, in, FEATURE_BITS / 8);
	if (!pd->swap)
		return;
	for (i = 0; i < FEATURE_BITS / 8; i++)
		out[i] = in[i ^ 7];
	/* Every perf records the host's name. */
	if (!(out[hostname / 8] >> hostname % 8 & 1))
		for (i = 0; i < FEATURE_BITS / 8; i++)
			out[i] = in[i ^ 3];
}

int pd_read_features(struct pd *pd, const struct pd_file *file,
		     const uint8_t *in, uint64_t data_end)
{
	const uint8_t *section = file->map + data_end;
	uint8_t bitmap[FEATURE_BITS / 8];
	unsigned int i;

	turn_bitmap(pd, in, bitmap);
	for (i = 0; i < FEATURE_BITS; i++) {
		uint64_t offset, size;
		int ret;

		if (!(bitmap[i / 8] >> i % 8 & 1))
			continue;
		if (file->map + file->size - section < 16)
			return pd_fail(
				pd, PD_ECORRUPT, section,
				"the table of header sections is cut short");
		offset = pd_file64(pd, section);
		size = pd_file64(pd, section + 8);
		if (offset > file->size || size > file->size - offset)
			return pd_fail(
				pd, PD_ECORRUPT, section,
				"header section %u reaches beyond the file's end: the file is cut short or damaged",
				i);
		ret = pd_read_feature(pd, i, file->map + offset, size);
		if (ret)
			return ret;
		section += 16;
	}
	return 0;
}

const char *pd_text(const struct pd *pd, enum pd_text text)
{
	return pd->texts[text] ? pd->texts[text] : "";
}

const uint8_t *pd_tracing_data(const struct pd *pd, size_t *size)
{
	*size = pd->tracing_data_size;
	return pd->tracing_data_size ? pd->tracing_data : NULL;
}

const uint8_t *pd_build_id(struct pd *pd, const char *name, unsigned int *size)
{
	const struct pd_named_id key = { .name = (char *)name }, *found;

	if (!pd->nr_build_ids)
		return NULL;
	if (!pd->build_ids_sorted)
		qsort(pd->build_ids, pd->nr_build_ids, sizeof(*pd->build_ids),
		      by_name);
	pd->build_ids_sorted = true;
	found = bsearch(&key, pd->build_ids, pd->nr_build_ids, sizeof(key),
			by_name);
	if (!found)
		return NULL;
	*size = found->size;
	return found->build_id;
}
