// SPDX-License-Identifier: GPL-2.0-only
/* A recording as a file: its header, the events asked for, and their ids. */
#include "perfdata/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The start of the file: five of its fields are (offset, size) pairs. */
enum {
	HEADER_MAGIC = 0,
	HEADER_SIZE = 8,
	HEADER_ATTR_SIZE = 16,
	HEADER_ATTRS = 24,
	HEADER_DATA = 40,
	HEADER_EVENT_TYPES = 56, /* no longer used */
	HEADER_FEATURES = 72, /* 256 bits */
	HEADER_END = 104,
	PIPE_HEADER_END = 16,
};

static const char magic[8] = "PERFILE2";
static const char magic_swapped[8] = "2ELIFREP";

int pd_fail(struct pd *pd, int code, const uint8_t *where, const char *fmt, ...)
{
	size_t n = 0;
	va_list ap;

	if (where)
		n = snprintf(pd->error, sizeof(pd->error),
			     "at offset 0x%" PRIx64 ": ",
			     (uint64_t)(where - pd->map));
	va_start(ap, fmt);
	vsnprintf(pd->error + n, sizeof(pd->error) - n, fmt, ap);
	va_end(ap);
	pd->failed = code;
	return code;
}

static int map_file(struct pd *pd, const char *path)
{
	struct stat st;
	void *map;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return pd_fail(pd, PD_EIO, NULL, "%s", strerror(errno));
	if (fstat(fd, &st)) {
		close(fd);
		return pd_fail(pd, PD_EIO, NULL, "%s", strerror(errno));
	}
	if (S_ISDIR(st.st_mode)) {
		close(fd);
		return pd_fail(
			pd, PD_EUNSUPPORTED, NULL,
			"is a folder, as `perf record --threads` writes; record without --threads");
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return pd_fail(
			pd, PD_EUNSUPPORTED, NULL,
			"is not a file; record to a file with `perf record -o FILE`");
	}
	if (!st.st_size) {
		close(fd);
		return pd_fail(pd, PD_EFORMAT, NULL, "is empty");
	}
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return pd_fail(pd, PD_EIO, NULL, "%s", strerror(errno));
	pd->map = map;
	pd->size = st.st_size;
	pd->mapped = true;
	return 0;
}

/* Is (offset, size), as read at where, inside the file? */
static int check_section(struct pd *pd, const uint8_t *where, const char *what)
{
	uint64_t offset = pd_get64(where), size = pd_get64(where + 8);

	if (offset > pd->size || size > pd->size - offset)
		return pd_fail(pd, PD_ECORRUPT, where,
			       "the %s of %" PRIu64 " bytes at 0x%" PRIx64
			       " reach beyond the file's end at 0x%" PRIx64
			       ": the file is cut short or damaged",
			       what, size, offset, pd->size);
	return 0;
}

static unsigned int count(uint64_t bits)
{
	return __builtin_popcountll(bits);
}

/* Where the kernel puts a record's id and time, as sample_type tells. */
static void place_fields(struct pd_attr *attr)
{
	const uint64_t id = PERF_SAMPLE_ID, identifier = PERF_SAMPLE_IDENTIFIER,
		       time = PERF_SAMPLE_TIME,
		       tail_id = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	const uint64_t before_time =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	const uint64_t type = attr->sample_type;

	attr->id_in_sample = attr->time_in_sample = -1;
	attr->id_from_end = attr->time_from_end = -1;
	if (type & identifier)
		attr->id_in_sample = 0;
	else if (type & id)
		attr->id_in_sample = 8 * count(type & (before_time | time |
						       PERF_SAMPLE_ADDR));
	if (type & time)
		attr->time_in_sample = 8 * count(type & before_time);
	if (!attr->sample_id_all)
		return;
	attr->sample_id_size = 8 * count(type & (PERF_SAMPLE_TID | time | id |
						 tail_id | identifier));
	if (type & identifier)
		attr->id_from_end = 8;
	else if (type & id)
		attr->id_from_end = 8 * (1 + count(type & tail_id));
	if (type & time)
		attr->time_from_end =
			8 * (1 + count(type & (id | tail_id | identifier)));
}

static void read_attr(struct pd_attr *attr, const uint8_t *p, uint64_t size)
{
	struct perf_event_attr raw = { 0 };

	/* Fields that are younger than the recording are absent, that is 0. */
	memcpy(&raw, p, size < sizeof(raw) ? size : sizeof(raw));
	attr->type = raw.type;
	attr->config = raw.config;
	attr->sample_type = raw.sample_type;
	attr->read_format = raw.read_format;
	attr->branch_sample_type = raw.branch_sample_type;
	attr->exclude_user = raw.exclude_user;
	attr->exclude_kernel = raw.exclude_kernel;
	attr->sample_id_all = raw.sample_id_all;
	place_fields(attr);
}

static void add_id(struct pd *pd, uint64_t id, const struct pd_attr *attr)
{
	size_t i = id & pd->ids_mask;

	while (pd->ids[i].attr && pd->ids[i].id != id)
		i = (i + 1) & pd->ids_mask;
	pd->ids[i] = (struct pd_id){ id, attr };
}

const struct pd_attr *pd_find_id(const struct pd *pd, uint64_t id)
{
	size_t i;

	if (!pd->ids)
		return NULL;
	i = id & pd->ids_mask;
	while (pd->ids[i].attr && pd->ids[i].id != id)
		i = (i + 1) & pd->ids_mask;
	return pd->ids[i].attr;
}

static int read_ids(struct pd *pd, const uint8_t *attrs, uint64_t attr_size)
{
	size_t slots = 64;
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < pd->nr_attrs; i++) {
		const uint8_t *where = attrs + (i + 1) * attr_size - 16;
		int ret = check_section(pd, where, "ids of an event");

		if (ret)
			return ret;
		total += pd_get64(where + 8) / 8;
		/* Sections may overlap in a damaged file: not more than fit. */
		if (total > pd->size / 8)
			return pd_fail(pd, PD_ECORRUPT, where,
				       "more event ids than the file can hold");
	}
	while (slots < 2 * total)
		slots *= 2;
	pd->ids = calloc(slots, sizeof(*pd->ids));
	if (!pd->ids)
		return pd_fail(pd, PD_ENOMEM, NULL, "out of memory");
	pd->ids_mask = slots - 1;
	for (i = 0; i < pd->nr_attrs; i++) {
		const uint8_t *where = attrs + (i + 1) * attr_size - 16;
		const uint8_t *id = pd->map + pd_get64(where);
		uint64_t n = pd_get64(where + 8) / 8;

		for (; n; n--, id += 8)
			add_id(pd, pd_get64(id), &pd->attrs[i]);
	}
	return 0;
}

static int read_attrs(struct pd *pd, const uint8_t *attrs, uint64_t size,
		      uint64_t attr_size)
{
	const uint8_t *where = pd->map + HEADER_ATTR_SIZE;
	unsigned int i;

	if (attr_size < PERF_ATTR_SIZE_VER0 + 16 || attr_size > 4096 ||
	    size % attr_size)
		return pd_fail(pd, PD_ECORRUPT, where,
			       "event descriptions of %" PRIu64
			       " bytes do not fill %" PRIu64 " bytes",
			       attr_size, size);
	if (!size)
		return pd_fail(pd, PD_ECORRUPT, where,
			       "the file describes no event");
	pd->nr_attrs = size / attr_size;
	pd->attrs = calloc(pd->nr_attrs, sizeof(*pd->attrs));
	if (!pd->attrs)
		return pd_fail(pd, PD_ENOMEM, NULL, "out of memory");
	pd->ordered = true;
	for (i = 0; i < pd->nr_attrs; i++) {
		struct pd_attr *attr = &pd->attrs[i], *first = &pd->attrs[0];

		read_attr(attr, attrs + i * attr_size, attr_size - 16);
		attr->index = i;
		if (!attr->sample_id_all || attr->time_in_sample < 0)
			pd->ordered = false;
		if (attr->id_in_sample != first->id_in_sample ||
		    attr->id_from_end != first->id_from_end ||
		    (i && attr->id_in_sample < 0))
			return pd_fail(
				pd, PD_EUNSUPPORTED, attrs + i * attr_size,
				"the samples of events 0 and %u cannot be told apart: their ids are at different places",
				i);
	}
	return read_ids(pd, attrs, attr_size);
}

static int read_header(struct pd *pd)
{
	const uint8_t *map = pd->map;
	const uint8_t *attrs, *data = map + HEADER_DATA;
	uint64_t header_size;
	int ret;

	if (pd->size < 8 ||
	    (memcmp(map, magic, 8) && memcmp(map, magic_swapped, 8)))
		return pd_fail(
			pd, PD_EFORMAT, NULL,
			"is not a perf.data file: it does not start with \"PERFILE2\"");
	if (!memcmp(map, magic_swapped, 8))
		return pd_fail(
			pd, PD_EUNSUPPORTED, NULL,
			"was recorded on a machine of the other byte order, which is not read yet");
	if (pd->size < PIPE_HEADER_END)
		return pd_fail(pd, PD_ECORRUPT, map, "cut short in its header");
	header_size = pd_get64(map + HEADER_SIZE);
	if (header_size == PIPE_HEADER_END)
		return pd_fail(
			pd, PD_EUNSUPPORTED, NULL,
			"is in perf's pipe format, which is not read yet; turn it into a file with `perf inject -i THIS -o FILE`");
	if (header_size < HEADER_END)
		return pd_fail(pd, PD_ECORRUPT, map + HEADER_SIZE,
			       "a header of %" PRIu64 " bytes, not %d",
			       header_size, HEADER_END);
	if (pd->size < HEADER_END)
		return pd_fail(pd, PD_ECORRUPT, map, "cut short in its header");
	ret = check_section(pd, map + HEADER_ATTRS, "event descriptions");
	if (ret)
		return ret;
	if (!pd_get64(data + 8))
		return pd_fail(
			pd, PD_ECORRUPT, data,
			"the file holds no events: perf record did not end as it should; record again");
	ret = check_section(pd, data, "events");
	if (ret)
		return ret;
	attrs = map + pd_get64(map + HEADER_ATTRS);
	ret = read_attrs(pd, attrs, pd_get64(map + HEADER_ATTRS + 8),
			 pd_get64(map + HEADER_ATTR_SIZE));
	if (ret)
		return ret;
	pd->data = map + pd_get64(data);
	pd->data_end = pd->data + pd_get64(data + 8);
	pd->pos = pd->data;
	return pd_read_features(pd, map + HEADER_FEATURES, pd->data_end - map);
}

int pd_open(struct pd **out, const char *path)
{
	struct pd *pd = calloc(1, sizeof(*pd));
	int ret;

	*out = pd;
	if (!pd)
		return PD_ENOMEM;
	ret = map_file(pd, path);
	return ret ? ret : read_header(pd);
}

int pd_open_memory(struct pd **out, const void *data, size_t size)
{
	struct pd *pd = calloc(1, sizeof(*pd));

	*out = pd;
	if (!pd)
		return PD_ENOMEM;
	pd->map = data;
	pd->size = size;
	return size ? read_header(pd) :
		      pd_fail(pd, PD_EFORMAT, NULL, "is empty");
}

void pd_close(struct pd *pd)
{
	if (!pd)
		return;
	if (pd->mapped)
		munmap((void *)pd->map, pd->size);
	pd_order_free(&pd->order);
	free(pd->attrs);
	free(pd->ids);
	free(pd->build_ids);
	free(pd->hostname);
	free(pd->osrelease);
	free(pd->arch);
	free(pd);
}

const char *pd_error(const struct pd *pd)
{
	return pd ? pd->error : "out of memory";
}

uint64_t pd_position(const struct pd *pd)
{
	return pd->pos - pd->data;
}

uint64_t pd_size(const struct pd *pd)
{
	return pd->data_end - pd->data;
}

const struct pd_stats *pd_stats(const struct pd *pd)
{
	return &pd->stats;
}

unsigned int pd_nr_attrs(const struct pd *pd)
{
	return pd->nr_attrs;
}

const struct pd_attr *pd_attr(const struct pd *pd, unsigned int index)
{
	return &pd->attrs[index];
}

bool pd_attr_has_kernel_branches(const struct pd_attr *attr)
{
	const uint64_t modes = PERF_SAMPLE_BRANCH_USER |
			       PERF_SAMPLE_BRANCH_KERNEL |
			       PERF_SAMPLE_BRANCH_HV;

	/* Without a mode in the filter, the kernel takes the event's own. */
	if (attr->branch_sample_type & modes)
		return attr->branch_sample_type & PERF_SAMPLE_BRANCH_KERNEL;
	return !attr->exclude_kernel;
}
