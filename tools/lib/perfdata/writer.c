// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/writer.h"
#include "base/array.h"
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	TEXT_ALIGN = 64, /* of the texts in sections */
	MAX_RECORD = UINT16_MAX & ~7,
};

/* Bytes that grow. One that could not grow stays as it is, and has failed. */
struct buf {
	uint8_t *p;
	size_t size, room;
	bool failed;
};

struct event {
	const struct perf_event_attr *attr;
	const char *name;
	const uint64_t *ids;
	size_t nr_ids;
	uint64_t dropped; /* samples */
};

struct pdw {
	struct outfile out;
	const char *path;
	int fd;
	bool pipe;
	int failed; /* ERROR_*, of which *error has the text */
	int why; /* errno of this failure */
	struct error *error;
	struct event *events;
	size_t nr_events, cap_events;
	struct buf sections[PD_NR_SECTIONS];
	bool has[PD_NR_SECTIONS];
	uint32_t attr_size;
	uint64_t attrs_at, data_at, data_size; /* of a pipe, too: records come behind its header */
	bool drops; /* a full output is no failure */
	int full; /* errno; 0: it is not full */
	uint64_t held; /* the disk has place up to here */
};

static void put(struct buf *b, const void *p, size_t size)
{
	if (b->failed || !size)
		return;
	if (!array_cover(&b->p, b->size + size, &b->room, 1)) {
		b->failed = true;
		return;
	}
	memcpy(b->p + b->size, p, size);
	b->size += size;
}

static void put_zeros(struct buf *b, size_t size)
{
	static const uint8_t zeros[TEXT_ALIGN];

	for (; size > sizeof(zeros); size -= sizeof(zeros))
		put(b, zeros, sizeof(zeros));
	put(b, zeros, size);
}

static void put32(struct buf *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void put64(struct buf *b, uint64_t v)
{
	put(b, &v, sizeof(v));
}

static void put_header(struct buf *b, uint32_t type, uint16_t misc,
		       uint16_t size)
{
	const struct perf_event_header header = { type, misc, size };

	put(b, &header, sizeof(header));
}

static size_t aligned(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

/* u32 bytes, and as many: the text, and at least one NUL. */
static void put_text(struct buf *b, const char *text)
{
	size_t n = strlen(text), size = aligned(n + 1, TEXT_ALIGN);

	put32(b, size);
	put(b, text, n);
	put_zeros(b, size - n);
}

/* The first failure is told. */
static int fail(struct pdw *w, int error)
{
	if (w->failed)
		return w->failed;
	w->why = error;
	w->failed = error == ENOMEM ? error_nomem(w->error) :
				      error_set(w->error, ERROR_OUTPUT, "%s: %s", w->path,
						strerror(error));
	return w->failed;
}

static int checked(struct pdw *w, const struct buf *b)
{
	return b->failed ? fail(w, ENOMEM) : w->failed;
}

/* 0 or errno. */
static int try_write(const struct pdw *w, const void *data, size_t size)
{
	const uint8_t *p = data;

	while (size) {
		ssize_t n = write(w->fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EIO;
		p += n;
		size -= n;
	}
	return 0;
}

static int write_all(struct pdw *w, const void *data, size_t size)
{
	int error = w->failed ? 0 : try_write(w, data, size);

	return error ? fail(w, error) : w->failed;
}

/* What was written in part only is no part of the records. */
static int append(struct pdw *w, const void *records, size_t size)
{
	if (!write_all(w, records, size))
		w->data_size += size;
	return w->failed;
}

/* Write what was put together, and let it go. */
static int write_buf(struct pdw *w, struct buf *b)
{
	int ret = checked(w, b);

	if (!ret)
		ret = write_all(w, b->p, b->size);
	free(b->p);
	*b = (struct buf){ 0 };
	return ret;
}

struct pdw *pdw_open(const char *path, struct error *error)
{
	struct pdw *w = calloc(1, sizeof(*w));

	if (!w) {
		error_nomem(error);
		return NULL;
	}
	w->path = path;
	w->error = error;
	/* As perf's: it has addresses of the kernel, and what others run. */
	if (outfile_open_private(&w->out, path)) {
		fail(w, errno);
		free(w);
		return NULL;
	}
	/* Its records can be read, if the writer does not come to the end. */
	outfile_stays(&w->out);
	w->fd = fileno(w->out.file);
	/* What cannot go back to its header takes the form that has none. */
	w->pipe = lseek(w->fd, 0, SEEK_CUR) < 0 || !strcmp(path, "-");
	return w;
}

int pdw_add_event(struct pdw *w, const struct perf_event_attr *attr,
		  const char *name, const uint64_t *ids, size_t nr_ids)
{
	if (!array_room(&w->events, w->nr_events, &w->cap_events,
			sizeof(*w->events)))
		return fail(w, ENOMEM);
	w->events[w->nr_events++] = (struct event){ attr, name, ids, nr_ids, 0 };
	w->attr_size = w->events[0].attr->size;
	return 0;
}

int pdw_add(struct pdw *w, enum pd_section section, const void *data,
	    size_t size)
{
	w->has[section] = true;
	put(&w->sections[section], data, size);
	return checked(w, &w->sections[section]);
}

int pdw_add_u32(struct pdw *w, enum pd_section section, uint32_t value)
{
	return pdw_add(w, section, &value, sizeof(value));
}

int pdw_add_text(struct pdw *w, enum pd_section section, const char *text)
{
	w->has[section] = true;
	put_text(&w->sections[section], text);
	return checked(w, &w->sections[section]);
}

int pdw_add_build_id(struct pdw *w, bool kernel, const char *name,
		     const uint8_t *id, size_t size)
{
	struct buf *b = &w->sections[PD_SEC_BUILD_ID];
	/* 36 bytes stand before it, and records are multiples of 8. */
	size_t n = aligned(strlen(name) + 1, TEXT_ALIGN) + 4;
	uint8_t field[24] = { 0 };
	int32_t nobody = -1;

	if (size > PD_BUILD_ID_MAX)
		return fail(w, EINVAL);
	memcpy(field, id, size);
	field[20] = size;
	w->has[PD_SEC_BUILD_ID] = true;
	put_header(b, 0,
		   PD_MISC_BUILD_ID_SIZE | (kernel ? PERF_RECORD_MISC_KERNEL :
						  PERF_RECORD_MISC_USER),
		   36 + n);
	put(b, &nobody, sizeof(nobody));
	put(b, field, sizeof(field));
	put(b, name, strlen(name));
	put_zeros(b, n - strlen(name));
	return checked(w, b);
}

/* The events once more, with their names. */
static void put_event_desc(struct pdw *w, struct buf *b)
{
	size_t i;

	put32(b, w->nr_events);
	put32(b, w->attr_size);
	for (i = 0; i < w->nr_events; i++) {
		const struct event *e = &w->events[i];

		put(b, e->attr, e->attr->size);
		put32(b, e->nr_ids);
		put_text(b, e->name);
		put(b, e->ids, 8 * e->nr_ids);
	}
}

/*
 * The fixed header: magic, size, size of an event, what lies where, and a bit for each
 * of the sections behind the records.
 */
static void put_file_header(const struct pdw *w, uint64_t bits, struct buf *b)
{
	const uint32_t attr_size = w->attr_size + 16;

	put(b, "PERFILE2", 8);
	put64(b, PD_FILE_HEADER);
	put64(b, attr_size);
	put64(b, w->attrs_at);
	put64(b, w->nr_events * attr_size);
	put64(b, w->data_at);
	put64(b, w->data_size);
	put_zeros(b, 16); /* types of events: none since long */
	put64(b, bits);
	put_zeros(b, 24);
}

/* Its header is that of perf's own until the end: what a killed writer leaves is read. */
static int start_file(struct pdw *w)
{
	struct buf b = { 0 };
	uint64_t at = PD_FILE_HEADER;
	size_t i;

	w->attrs_at = PD_FILE_HEADER;
	for (i = 0; i < w->nr_events; i++)
		w->attrs_at += 8 * w->events[i].nr_ids;
	w->data_at = w->attrs_at + w->nr_events * (w->attr_size + 16);
	put_file_header(w, 0, &b);
	for (i = 0; i < w->nr_events; i++)
		put(&b, w->events[i].ids, 8 * w->events[i].nr_ids);
	for (i = 0; i < w->nr_events; i++) {
		const struct event *e = &w->events[i];

		put(&b, e->attr, e->attr->size);
		put64(&b, at);
		put64(&b, 8 * e->nr_ids);
		at += 8 * e->nr_ids;
	}
	return write_buf(w, &b);
}

/* A record has no room for more: of an event with very many ids, say. */
static bool put_record(struct buf *b, uint32_t type, const struct buf *body)
{
	size_t size = aligned(body->size, 8);

	if (size + 8 > MAX_RECORD)
		return false;
	put_header(b, type, 0, size + 8);
	put(b, body->p, body->size);
	put_zeros(b, size - body->size);
	b->failed |= body->failed;
	return true;
}

static bool put_event_records(struct buf *b, const struct event *e)
{
	struct buf body = { 0 };
	bool fits;

	put(&body, e->attr, e->attr->size);
	put(&body, e->ids, 8 * e->nr_ids);
	fits = put_record(b, PD_USER_ATTR, &body);
	body.size = 0;
	put64(&body, PD_UPDATE_NAME);
	put64(&body, e->nr_ids ? e->ids[0] : 0);
	put(&body, e->name, strlen(e->name) + 1);
	put_record(b, PD_USER_EVENT_UPDATE, &body);
	free(body.p);
	return fits;
}

/* Behind the record, and filled up to 8. */
static void put_tracing_data(struct buf *b, const struct buf *data)
{
	size_t size = aligned(data->size, 8);

	put_header(b, PD_USER_TRACING_DATA, 0, 16);
	put32(b, size);
	put32(b, 0);
	put(b, data->p, data->size);
	put_zeros(b, size - data->size);
}

static int start_pipe(struct pdw *w)
{
	struct buf b = { 0 }, body = { 0 };
	bool fits = true;
	unsigned int i;

	put(&b, "PERFILE2", 8);
	put64(&b, PD_PIPE_HEADER);
	for (i = 0; i < w->nr_events; i++)
		fits &= put_event_records(&b, &w->events[i]);
	for (i = PD_SEC_HOSTNAME; i < PD_NR_SECTIONS; i++) {
		if (!w->sections[i].size)
			continue;
		body.size = 0;
		put64(&body, i);
		put(&body, w->sections[i].p, w->sections[i].size);
		put_record(&b, PD_USER_FEATURE, &body);
	}
	free(body.p);
	if (w->has[PD_SEC_TRACING_DATA])
		put_tracing_data(&b, &w->sections[PD_SEC_TRACING_DATA]);
	/* They are whole records already, but for their type. */
	for (i = 0; i + 8 <= w->sections[PD_SEC_BUILD_ID].size;) {
		struct perf_event_header *header =
			(void *)(w->sections[PD_SEC_BUILD_ID].p + i);

		header->type = PD_USER_BUILD_ID;
		i += header->size;
	}
	put(&b, w->sections[PD_SEC_BUILD_ID].p, w->sections[PD_SEC_BUILD_ID].size);
	if (!fits)
		fail(w, E2BIG);
	w->data_at = b.size;
	return write_buf(w, &b);
}

int pdw_start(struct pdw *w)
{
	struct buf *desc = &w->sections[PD_SEC_EVENT_DESC];

	if (!w->nr_events)
		return fail(w, EINVAL);
	put_event_desc(w, desc);
	w->has[PD_SEC_EVENT_DESC] = true;
	if (checked(w, desc))
		return w->failed;
	return w->pipe ? start_pipe(w) : start_file(w);
}

void pdw_drop_when_full(struct pdw *w)
{
	w->drops = true;
}

int pdw_full(const struct pdw *w)
{
	return w->full;
}

uint64_t pdw_dropped(const struct pdw *w, size_t i)
{
	return w->events[i].dropped;
}

/* What the end of the file may take: its sections, and records of counts and losses. */
static uint64_t size_of_end(const struct pdw *w)
{
	enum { RECORDS = 256, MORE = 4096 }; /* bytes for each id, and for the rest */
	uint64_t size = MORE;
	size_t i;

	for (i = 0; i < PD_NR_SECTIONS; i++)
		size += 16 + w->sections[i].size;
	for (i = 0; i < w->nr_events; i++)
		size += RECORDS * (1 + w->events[i].nr_ids);
	return size;
}

/*
 * Hold place on the disk for the next records, and for the end of the file. Returns 0 or
 * errno. Where the file system cannot do it, the records themselves will tell.
 */
static int hold(struct pdw *w, size_t size)
{
	/* Not much at once: meanwhile the rings fill. */
	enum { STEP = 1 << 16 };
	const uint64_t at = w->data_at + w->data_size;
	const uint64_t least = size + size_of_end(w);

	if (w->pipe || at + least <= w->held)
		return 0;
	if (!fallocate(w->fd, FALLOC_FL_KEEP_SIZE, at, least + STEP)) {
		w->held = at + least + STEP;
		return 0;
	}
	if (errno != ENOSPC && errno != EDQUOT)
		return 0;
	if (fallocate(w->fd, FALLOC_FL_KEEP_SIZE, at, least))
		return errno;
	w->held = at + least;
	return 0;
}

/*
 * Of what could be written behind the records, nothing stays. That also gives up the place
 * for the end. Returns 0 or errno.
 */
static int cut(const struct pdw *w)
{
	const off_t at = w->data_at + w->data_size;

	return ftruncate(w->fd, at) || lseek(w->fd, at, SEEK_SET) < 0 ? errno : 0;
}

/* The output takes no more. The place for the end is held before another program takes it. */
static void end_here(struct pdw *w, int error)
{
	w->full = error;
	if (w->pipe)
		return;
	error = cut(w);
	if (error)
		fail(w, error);
	else if (w->held) /* The end itself will tell if it fails. */
		fallocate(w->fd, FALLOC_FL_KEEP_SIZE, w->data_at + w->data_size,
			  size_of_end(w));
}

/* Write, or find that the output is full. */
static int write_or_end(struct pdw *w, const void *p, size_t size)
{
	int error = hold(w, size);

	if (!error)
		error = try_write(w, p, size);
	if (error)
		end_here(w, error);
	else
		w->data_size += size;
	return w->failed;
}

static void drop(struct pdw *w, const struct perf_event_header *header)
{
	uint64_t id;
	size_t i, k;

	if (header->type != PERF_RECORD_SAMPLE || header->size < sizeof(*header) + 8)
		return;
	memcpy(&id, header + 1, sizeof(id));
	for (i = 0; i < w->nr_events; i++)
		for (k = 0; k < w->events[i].nr_ids; k++)
			w->events[i].dropped += w->events[i].ids[k] == id;
}

/* As many of the records as there is place for. */
static int write_some(struct pdw *w, const uint8_t *p, size_t size)
{
	const uint8_t *end = p + size;
	struct perf_event_header header;

	for (; p < end && !w->failed; p += header.size) {
		memcpy(&header, p, sizeof(header));
		if (!w->full)
			write_or_end(w, p, header.size);
		if (w->full)
			drop(w, (const void *)p);
	}
	return w->failed;
}

int pdw_write(struct pdw *w, const void *records, size_t size)
{
	if (!w->drops || w->failed)
		return append(w, records, size);
	if (!w->full && !hold(w, size)) {
		write_or_end(w, records, size);
		if (!w->full)
			return w->failed;
	}
	return write_some(w, records, size);
}

int pdw_write_last(struct pdw *w, const void *records, size_t size)
{
	if (w->full && w->pipe)
		return w->failed;
	if (w->drops && w->pipe)
		return write_or_end(w, records, size);
	return append(w, records, size);
}

int pdw_mark(struct pdw *w, uint32_t type)
{
	const struct perf_event_header header = { type, 0, sizeof(header) };

	return pdw_write(w, &header, sizeof(header));
}

uint64_t pdw_size(const struct pdw *w)
{
	return w->data_size;
}

uint64_t pdw_whole_size(const struct pdw *w)
{
	uint64_t size = w->data_at + w->data_size;
	unsigned int i;

	for (i = 0; i < PD_NR_SECTIONS && !w->pipe; i++)
		size += w->has[i] ? 16 + w->sections[i].size : 0;
	return size;
}

/* The table of the sections behind the records, the sections, and the header. */
static int finish_file(struct pdw *w)
{
	struct buf b = { 0 };
	uint64_t at = w->data_at + w->data_size, bits = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < PD_NR_SECTIONS; i++) {
		at += w->has[i] ? 16 : 0;
		bits |= (uint64_t)w->has[i] << i;
	}
	for (i = 0; i < PD_NR_SECTIONS; i++) {
		if (!w->has[i])
			continue;
		put64(&b, at);
		put64(&b, w->sections[i].size);
		at += w->sections[i].size;
	}
	for (i = 0; i < PD_NR_SECTIONS; i++)
		put(&b, w->sections[i].p, w->sections[i].size);
	ret = write_buf(w, &b);
	if (ret)
		return ret;
	/* The place that was held free, and that nothing took. */
	if (w->held && ftruncate(w->fd, lseek(w->fd, 0, SEEK_CUR)))
		return fail(w, errno);
	put_file_header(w, bits, &b);
	if (lseek(w->fd, 0, SEEK_SET) < 0)
		fail(w, errno);
	return write_buf(w, &b);
}

/* The records fit, and the end does not: they stay as those of a killed writer. */
static void leave(struct pdw *w)
{
	char *name;

	if (cut(w))
		return;
	name = outfile_leave(&w->out);
	error_set(w->error, w->failed,
		  "%s: %s; its end is missing, and what fits stays in %s", w->path,
		  strerror(w->why), name);
	free(name);
}

int pdw_close(struct pdw *w, bool keep)
{
	size_t i;
	int ret;

	if (!w)
		return 0;
	if (keep && !w->pipe && !w->failed)
		finish_file(w);
	if (keep && w->failed == ERROR_OUTPUT && w->drops && w->out.temporary)
		leave(w);
	/* What is dropped may have an error that was told already. */
	if (w->out.file && outfile_close(&w->out, keep && !w->failed) && keep)
		fail(w, errno);
	for (i = 0; i < PD_NR_SECTIONS; i++)
		free(w->sections[i].p);
	free(w->events);
	ret = w->failed;
	free(w);
	return ret;
}
