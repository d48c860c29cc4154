// SPDX-License-Identifier: GPL-2.0-only
/* The sections after the events: one for each bit set in the header. */
#include "base/array.h"
#include "base/cursor.h"
#include "perfdata/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { FEATURE_BITS = 256 };

/* A build id record: a header, s32 pid, 24 bytes with the id, and a name. */
enum {
	BUILD_ID_AT = 12,
	BUILD_ID_SIZE_AT = BUILD_ID_AT + 20,
	BUILD_ID_NAME_AT = BUILD_ID_AT + 24,
};

/* A section, or what is left of it. */
struct section {
	struct pd *pd;
	unsigned int bit;
	struct cursor c;
};

/* u32 bytes, and as many bytes with at least one NUL at their end. */
static const uint8_t *take_text(struct section *s, uint32_t *size)
{
	*size = cursor_u32(&s->c);
	return cursor_take(&s->c, *size <= INT32_MAX ? *size : UINT64_MAX);
}

/* 0, or PD_ECORRUPT if the section was too short. */
static int end_section(const struct section *s)
{
	if (!s->c.cut)
		return 0;
	return pd_fail(s->pd, PD_ECORRUPT, s->c.end,
		       "a text in header section %u reaches beyond its section",
		       s->bit);
}

/* Append to a text that grows, behind what stands between two. Returns 0 or PD_ENOMEM. */
static int append(struct pd *pd, struct pd_text_buf *to, char between, const uint8_t *p, size_t n)
{
	n = strnlen((const char *)p, n);
	if (!array_cover(&to->p, to->n + n + 2, &to->room, 1))
		return pd_no_memory(pd);
	if (to->n)
		to->p[to->n++] = between;
	memcpy(to->p + to->n, p, n);
	to->n += n;
	to->p[to->n] = 0;
	return 0;
}

/* So many texts. */
static int read_texts(struct section *s, uint32_t nr, enum pd_text text)
{
	uint32_t size;

	s->pd->texts[text].n = 0;
	if (text == PD_CMDLINE)
		s->pd->command.n = 0;
	while (nr-- && !s->c.cut) {
		const uint8_t *p = take_text(s, &size);

		if (!s->c.cut && (append(s->pd, &s->pd->texts[text], ' ', p, size) ||
				  (text == PD_CMDLINE &&
				   append(s->pd, &s->pd->command, 0, p, size))))
			return PD_ENOMEM;
	}
	return end_section(s);
}

/* A count, and as many pairs of name and value. */
static int read_caps(struct section *s)
{
	uint32_t nr = cursor_u32(&s->c), name_size, value_size;

	while (nr-- && !s->c.cut) {
		const uint8_t *name = take_text(s, &name_size);
		const uint8_t *value = take_text(s, &value_size);
		char pair[256];

		if (s->c.cut)
			break;
		snprintf(pair, sizeof(pair), "%.*s=%.*s", (int)name_size,
			 (const char *)name, (int)value_size,
			 (const char *)value);
		if (append(s->pd, &s->pd->texts[PD_CPU_CAPS], ' ', (uint8_t *)pair,
			   strlen(pair)))
			return PD_ENOMEM;
	}
	return end_section(s);
}

/* PMU after PMU: its capabilities, and its name behind them. */
static int read_pmu_caps(struct section *s)
{
	uint32_t nr = cursor_u32(&s->c), size;

	while (nr-- && !s->c.cut) {
		int ret = read_caps(s);

		if (ret)
			return ret;
		take_text(s, &size);
	}
	return end_section(s);
}

/* The events once more, with the names that they were asked for by. */
static int read_event_desc(struct section *s)
{
	uint32_t nr = cursor_u32(&s->c), attr_size = cursor_u32(&s->c), i;

	for (i = 0; i < nr && !s->c.cut; i++) {
		uint32_t nr_ids, size;
		const uint8_t *name, *ids;
		struct pd_attr *attr;

		cursor_take(&s->c, attr_size);
		nr_ids = cursor_u32(&s->c);
		name = take_text(s, &size);
		ids = cursor_array(&s->c, nr_ids, 8);
		if (s->c.cut)
			break;
		/* The order is the same, but a pipe may not have all of them. */
		attr = nr_ids ? pd_find_id(s->pd, pd_file64(s->pd, ids)) : NULL;
		if (!attr && i < s->pd->nr_attrs)
			attr = s->pd->attrs[i];
		if (attr && pd_name_attr(s->pd, attr, name, size))
			return PD_ENOMEM;
	}
	return end_section(s);
}

/* One moment by two clocks. Other versions are left alone. */
static int read_clock_data(struct section *s)
{
	uint32_t version = cursor_u32(&s->c);
	uint64_t wall, time;

	cursor_u32(&s->c); /* which clock; the events tell it, too */
	wall = cursor_u64(&s->c);
	time = cursor_u64(&s->c);
	if (version == PD_CLOCK_DATA_VERSION && !s->c.cut) {
		s->pd->moment.wall = wall;
		s->pd->moment.time = time;
	}
	return version == PD_CLOCK_DATA_VERSION ? end_section(s) : 0;
}

int pd_new_tracing_data(struct pd *pd, uint64_t size)
{
	free(pd->tracing_data);
	pd->tracing_data = malloc(size ? size : 1);
	pd->tracing_data_size = pd->tracing_data ? size : 0;
	return pd->tracing_data ? 0 : pd_no_memory(pd);
}

static int read_tracing_data(struct pd *pd, const uint8_t *p, uint64_t size)
{
	int ret = pd_new_tracing_data(pd, size);

	if (!ret)
		memcpy(pd->tracing_data, p, size);
	return ret;
}

/* Sets the slot of the name. NULL: it has no build id yet. There is room for one more. */
static const struct pd_named_id *find_build_id(const struct pd *pd, const char *name,
					       uint32_t hash, struct hash_slot **slot)
{
	hash_for_each(&pd->build_ids_hash, *slot, hash) {
		const struct pd_named_id *id = &pd->build_ids[(*slot)->number - 1];

		if (!strcmp(id->name, name))
			return id;
	}
	return NULL;
}

static uint32_t hash_of_name(const char *name)
{
	return hash_bytes(0, name, strlen(name));
}

/* perf inject damages the list if it reads a pipe. All else is of use without it. */
int pd_add_build_id(struct pd *pd, const uint8_t *rec, uint16_t misc,
		    uint16_t size)
{
	unsigned int id_size = PD_BUILD_ID_MAX;
	struct pd_named_id *id;
	struct hash_slot *slot;
	uint32_t hash;

	if (size > BUILD_ID_NAME_AT && misc & PD_MISC_BUILD_ID_SIZE)
		id_size = rec[BUILD_ID_SIZE_AT];
	if (size <= BUILD_ID_NAME_AT || id_size > PD_BUILD_ID_MAX ||
	    !memchr(rec + BUILD_ID_NAME_AT, 0, size - BUILD_ID_NAME_AT)) {
		pd->stats.bad_build_ids = true;
		return 0;
	}
	if (!hash_room(&pd->build_ids_hash) ||
	    !array_room(&pd->build_ids, pd->nr_build_ids, &pd->cap_build_ids,
			sizeof(*id)))
		return pd_no_memory(pd);
	id = &pd->build_ids[pd->nr_build_ids];
	id->size = id_size;
	memcpy(id->build_id, rec + BUILD_ID_AT, id_size);
	id->name = strdup((const char *)rec + BUILD_ID_NAME_AT);
	if (!id->name)
		return pd_no_memory(pd);
	/* The last one that is told for a name is the one to use from here on. */
	hash = hash_of_name(id->name);
	if (find_build_id(pd, id->name, hash, &slot))
		slot->number = pd->nr_build_ids + 1;
	else
		hash_put(&pd->build_ids_hash, slot, hash, pd->nr_build_ids);
	pd->nr_build_ids++;
	return 0;
}

/* Where a record is damaged, it is not sure where the next one starts. */
static int read_build_ids(struct pd *pd, const uint8_t *p, uint64_t size)
{
	const uint8_t *end = p + size;
	int ret = 0;

	while (p < end && !ret && !pd->stats.bad_build_ids) {
		uint16_t n = end - p < PD_HEADER_SIZE ? 0 : pd_file16(pd, p + 6);

		if (n > end - p)
			n = 0;
		ret = pd_add_build_id(pd, p, n ? pd_file16(pd, p + 4) : 0, n);
		p += n;
	}
	return ret;
}

int pd_read_feature(struct pd *pd, unsigned int bit, const uint8_t *p,
		    uint64_t size)
{
	struct section s = {
		pd, bit, { .p = p, .end = p + size, .swap = pd->swap }
	};

	switch (bit) {
	case PD_SEC_TRACING_DATA:
		return read_tracing_data(pd, p, size);
	case PD_SEC_BUILD_ID:
		return read_build_ids(pd, p, size);
	case PD_SEC_HOSTNAME:
		return read_texts(&s, 1, PD_HOSTNAME);
	case PD_SEC_OSRELEASE:
		return read_texts(&s, 1, PD_OSRELEASE);
	case PD_SEC_VERSION:
		return read_texts(&s, 1, PD_VERSION);
	case PD_SEC_ARCH:
		return read_texts(&s, 1, PD_ARCH);
	case PD_SEC_CPUID:
		return read_texts(&s, 1, PD_CPUID);
	case PD_SEC_CMDLINE:
		return read_texts(&s, cursor_u32(&s.c), PD_CMDLINE);
	case PD_SEC_EVENT_DESC:
		return read_event_desc(&s);
	case PD_SEC_SAMPLE_TIME:
		pd->first = cursor_u64(&s.c);
		pd->last = cursor_u64(&s.c);
		return end_section(&s);
	case PD_SEC_CLOCK_DATA:
		return read_clock_data(&s);
	case PD_SEC_CPU_PMU_CAPS:
		return read_caps(&s);
	case PD_SEC_PMU_CAPS:
		return read_pmu_caps(&s);
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
	const unsigned int hostname = PD_SEC_HOSTNAME;
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

/*
 * Does another recording follow what ends at `end`? Files that were joined are one behind the
 * other, with zeros in between if a tool has filled up blocks.
 */
static int check_behind(struct pd *pd, const struct pd_file *file, const uint8_t *end)
{
	enum { MOST_ZEROS = 4096 };
	const uint8_t *behind = file->map + file->size;
	unsigned int zeros = 0;

	while (end < behind && !*end && zeros++ < MOST_ZEROS)
		end++;
	if (behind - end < PD_MAGIC_SIZE || !pd_is_magic(end))
		return 0;
	return pd_fail(pd, PD_EUNSUPPORTED, end, PD_ANOTHER);
}

int pd_read_features(struct pd *pd, const struct pd_file *file,
		     const uint8_t *in, uint64_t data_end)
{
	const uint8_t *section = file->map + data_end, *end = section;
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
		if (!pd_in_file(file, offset, size))
			return pd_fail(
				pd, PD_ECORRUPT, section,
				"header section %u reaches beyond the file's end: the file is cut short or damaged",
				i);
		ret = pd_read_feature(pd, i, file->map + offset, size);
		if (ret)
			return ret;
		section += 16;
		if (end < file->map + offset + size)
			end = file->map + offset + size;
	}
	return check_behind(pd, file, end < section ? section : end);
}

const char *pd_text(const struct pd *pd, enum pd_text text)
{
	return pd->texts[text].n ? pd->texts[text].p : "";
}

const char *pd_command(const struct pd *pd, size_t *size)
{
	*size = pd->command.n ? pd->command.n + 1 : 0;
	return *size ? pd->command.p : "";
}

const uint8_t *pd_tracing_data(const struct pd *pd, size_t *size)
{
	*size = pd->tracing_data_size;
	return pd->tracing_data_size ? pd->tracing_data : NULL;
}

const uint8_t *pd_build_id(const struct pd *pd, const char *name, unsigned int *size)
{
	const struct pd_named_id *found;
	struct hash_slot *slot;

	found = pd->nr_build_ids ? find_build_id(pd, name, hash_of_name(name), &slot) : NULL;
	if (!found)
		return NULL;
	*size = found->size;
	return found->build_id;
}

const char *pd_next_build_id(const struct pd *pd, size_t *at, const uint8_t **build_id,
			     unsigned int *size)
{
	const struct pd_named_id *id;

	if (*at == pd->nr_build_ids)
		return NULL;
	id = &pd->build_ids[(*at)++];
	*build_id = id->build_id;
	*size = id->size;
	return id->name;
}
