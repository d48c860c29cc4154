// SPDX-License-Identifier: GPL-2.0-only
/* The sections after the events: one for each bit set in the header. */
#include "perfdata/internal.h"

#include <stdio.h>
#include <stdlib.h>

/* perf's numbers of the features that are read here. */
enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_BITS = 256,
};

/* A build id record: a header, s32 pid, 24 bytes with the id, and a name. */
enum {
	BUILD_ID_AT = 12,
	BUILD_ID_SIZE_AT = BUILD_ID_AT + 20,
	BUILD_ID_NAME_AT = BUILD_ID_AT + 24,
	BUILD_ID_MAX = 20,
	MISC_BUILD_ID_SIZE = 1 << 15,
};

/* u32 bytes, and as many bytes with at least one NUL at their end. */
static int read_string(struct pd *pd, const uint8_t *p, uint64_t size,
		       char **text)
{
	uint32_t n;

	if (size < 4 || pd_get32(p) > size - 4)
		return pd_fail(
			pd, PD_ECORRUPT, p,
			"a text in the header reaches beyond its section");
	n = pd_get32(p);
	free(*text);
	*text = strndup((const char *)p + 4, n);
	if (!*text)
		return pd_fail(pd, PD_ENOMEM, NULL, "out of memory");
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pd_named_id *)a)->name,
		      ((const struct pd_named_id *)b)->name);
}

static int read_build_ids(struct pd *pd, const uint8_t *p, uint64_t size)
{
	const uint8_t *end = p + size;
	size_t cap = pd->nr_build_ids;

	while (p < end) {
		struct pd_named_id *v;
		unsigned int id_size = BUILD_ID_MAX;
		uint16_t n;

		if (end - p < PD_HEADER_SIZE)
			return pd_fail(pd, PD_ECORRUPT, p,
				       "the list of build ids is cut short");
		n = pd_get16(p + 6);
		if (n <= BUILD_ID_NAME_AT || n > end - p ||
		    !memchr(p + BUILD_ID_NAME_AT, 0, n - BUILD_ID_NAME_AT))
			return pd_fail(
				pd, PD_ECORRUPT, p,
				"a build id record of %u bytes is damaged", n);
		if (pd_get16(p + 4) & MISC_BUILD_ID_SIZE)
			id_size = p[BUILD_ID_SIZE_AT];
		if (id_size > BUILD_ID_MAX)
			return pd_fail(pd, PD_ECORRUPT, p,
				       "a build id of %u bytes", id_size);
		if (pd->nr_build_ids == cap) {
			cap = cap ? 2 * cap : 64;
			v = realloc(pd->build_ids, cap * sizeof(*v));
			if (!v)
				return pd_fail(pd, PD_ENOMEM, NULL,
					       "out of memory");
			pd->build_ids = v;
		}
		pd->build_ids[pd->nr_build_ids++] =
			(struct pd_named_id){ (const char *)p +
						      BUILD_ID_NAME_AT,
					      p + BUILD_ID_AT, id_size };
		p += n;
	}
	if (pd->nr_build_ids)
		qsort(pd->build_ids, pd->nr_build_ids, sizeof(*pd->build_ids),
		      by_name);
	return 0;
}

static int read_feature(struct pd *pd, unsigned int feature, const uint8_t *p,
			uint64_t size)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		return read_build_ids(pd, p, size);
	case FEATURE_HOSTNAME:
		return read_string(pd, p, size, &pd->hostname);
	case FEATURE_OSRELEASE:
		return read_string(pd, p, size, &pd->osrelease);
	case FEATURE_ARCH:
		return read_string(pd, p, size, &pd->arch);
	default:
		return 0;
	}
}

int pd_read_features(struct pd *pd, const uint8_t *bitmap, uint64_t data_end)
{
	const uint8_t *section = pd->map + data_end;
	unsigned int i;

	for (i = 0; i < FEATURE_BITS; i++) {
		uint64_t offset, size;
		int ret;

		if (!(bitmap[i / 8] >> i % 8 & 1))
			continue;
		if (pd->map + pd->size - section < 16)
			return pd_fail(
				pd, PD_ECORRUPT, section,
				"the table of header sections is cut short");
		offset = pd_get64(section);
		size = pd_get64(section + 8);
		if (offset > pd->size || size > pd->size - offset)
			return pd_fail(
				pd, PD_ECORRUPT, section,
				"header section %u reaches beyond the file's end: the file is cut short or damaged",
				i);
		ret = read_feature(pd, i, pd->map + offset, size);
		if (ret)
			return ret;
		section += 16;
	}
	return 0;
}

static const char *text(const char *s)
{
	return s ? s : "";
}

const char *pd_hostname(const struct pd *pd)
{
	return text(pd->hostname);
}

const char *pd_osrelease(const struct pd *pd)
{
	return text(pd->osrelease);
}

const char *pd_arch(const struct pd *pd)
{
	return text(pd->arch);
}

const uint8_t *pd_build_id(const struct pd *pd, const char *name,
			   unsigned int *size)
{
	const struct pd_named_id key = { name, NULL, 0 }, *found;

	if (!pd->nr_build_ids)
		return NULL;
	found = bsearch(&key, pd->build_ids, pd->nr_build_ids, sizeof(key),
			by_name);
	if (!found)
		return NULL;
	*size = found->size;
	return found->build_id;
}
