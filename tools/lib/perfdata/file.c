// SPDX-License-Identifier: GPL-2.0-only
/* Opening a recording: a file, a directory of files, a pipe. */
#include "base/array.h"
#include "perfdata/internal.h"

#include <dirent.h>
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
};

const struct pd_file *pd_file_at(const struct pd *pd, const uint8_t *p)
{
	size_t i;

	for (i = 0; i < pd->nr_files; i++)
		if (p >= pd->files[i].map &&
		    p < pd->files[i].map + pd->files[i].size)
			return &pd->files[i];
	return NULL;
}

int pd_fail(struct pd *pd, int code, const uint8_t *where, const char *fmt, ...)
{
	const struct pd_file *file = pd_file_at(pd, where);
	char *text = pd->error.text;
	size_t n = 0;
	va_list ap;

	/* What is missing is so at a file's end. */
	if (!file && where)
		file = pd_file_at(pd, where - 1);
	if (where)
		n = snprintf(text, sizeof(pd->error.text),
			     "%s%sat offset 0x%" PRIx64 ": ",
			     file && file->name ? file->name : "",
			     file && file->name ? ": " : "",
			     file ? (uint64_t)(where - file->map) : pd->at);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(pd->error.text) - n, fmt, ap);
	va_end(ap);
	pd->failed = code;
	return code;
}

int pd_no_memory(struct pd *pd)
{
	return pd_fail(pd, PD_ENOMEM, NULL, "out of memory");
}

static struct pd_file *add_file(struct pd *pd, const uint8_t *map,
				uint64_t size, const char *name)
{
	struct pd_file *file;

	if (!array_room(&pd->files, pd->nr_files, &pd->cap_files,
			sizeof(*file)))
		return NULL;
	file = &pd->files[pd->nr_files++];
	*file = (struct pd_file){ .map = map, .size = size };
	if (name)
		file->name = strdup(name);
	return file;
}

/* name: inside a directory, for messages. */
static int map_file(struct pd *pd, int fd, uint64_t size, const char *name)
{
	struct pd_file *file;
	void *map;

	map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return pd_fail(pd, PD_EIO, NULL, "%s", strerror(errno));
	file = add_file(pd, map, size, name);
	if (!file) {
		munmap(map, size);
		return pd_no_memory(pd);
	}
	file->mapped = true;
	return 0;
}

static struct pd_stream *add_stream(struct pd *pd, const uint8_t *start,
				    uint64_t size)
{
	const struct pd_file *file = pd_file_at(pd, start);
	struct pd_stream *s;

	if (!array_room(&pd->streams, pd->nr_streams, &pd->cap_streams,
			sizeof(*s)))
		return NULL;
	s = &pd->streams[pd->nr_streams++];
	*s = (struct pd_stream){ .start = start, .pos = start };
	if (start)
		s->end = start + size;
	/* Only a file that we have mapped can be read again after giving it back. */
	if (file && file->mapped)
		s->held = start;
	return s;
}

/* Is (offset, size), as read at where, inside the file? */
static int check_section(struct pd *pd, const struct pd_file *file,
			 const uint8_t *where, const char *what)
{
	uint64_t offset = pd_file64(pd, where);
	uint64_t size = pd_file64(pd, where + 8);

	if (!pd_in_file(file, offset, size))
		return pd_fail(pd, PD_ECORRUPT, where,
			       "the %s of %" PRIu64 " bytes at 0x%" PRIx64
			       " reach beyond the file's end at 0x%" PRIx64
			       ": the file is cut short or damaged",
			       what, size, offset, file->size);
	return 0;
}

bool pd_is_recording(const char *path)
{
	char begin[PD_MAGIC_SIZE];
	struct stat st;
	bool is;
	int fd;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	is = fd >= 0 && read(fd, begin, sizeof(begin)) == sizeof(begin) && pd_is_magic(begin);
	if (fd >= 0)
		close(fd);
	return is;
}

/*
 * Which byte order, and how long a header. What is read from a pipe is of the
 * short kind, too: perf cannot go back to fill in a long one.
 */
static int read_magic(struct pd *pd, const uint8_t *p, uint64_t size,
		      uint64_t *header_size)
{
	if (size < PD_MAGIC_SIZE || !pd_is_magic(p))
		return pd_fail(
			pd, PD_EFORMAT, NULL,
			"is not a perf.data file: it does not start with \"PERFILE2\"");
	pd->swap = !memcmp(p, PD_MAGIC_SWAPPED, PD_MAGIC_SIZE);
	if (size < PD_PIPE_HEADER)
		return pd_fail(pd, PD_ECORRUPT, p, "cut short in its header");
	*header_size = pd_file64(pd, p + HEADER_SIZE);
	return 0;
}

/*
 * In pipe mode the events are described by the first records. Take these, so that
 * they are known when the recording has been opened.
 */
static int start_pipe(struct pd *pd, struct pd_stream *s)
{
	struct pd_entry entry;
	int ret;

	pd->pipe_mode = true;
	for (;;) {
		uint32_t type;

		ret = pd_stream_next(pd, s, &entry);
		if (ret < 0)
			return ret;
		if (!ret)
			return pd_fail(pd, PD_ECORRUPT, NULL,
				       pd->stats.unfinished ?
					       "the recording ends in its header: its writer was killed, or its output was cut" :
					       "the recording holds no events");
		type = pd_get32(entry.rec);
		if (type < PD_USER_FIRST || type == PD_USER_FINISHED_ROUND)
			break;
		ret = pd_user_record(pd, s, entry.rec);
		pd_block_put(&pd->blocks, entry.block);
		if (ret)
			return ret;
	}
	if (!pd->nr_attrs) {
		pd_block_put(&pd->blocks, entry.block);
		return pd_fail(pd, PD_ECORRUPT, entry.rec,
			       "the recording describes no event");
	}
	s->head = entry;
	return 0;
}

static int start_file(struct pd *pd, const struct pd_file *file)
{
	const uint8_t *map = file->map, *data = map + HEADER_DATA;
	uint64_t header_size, size;
	struct pd_stream *s;
	int ret;

	ret = read_magic(pd, map, file->size, &header_size);
	if (ret)
		return ret;
	if (header_size == PD_PIPE_HEADER) {
		s = add_stream(pd, map, file->size);
		if (!s)
			return pd_no_memory(pd);
		s->pos += PD_PIPE_HEADER;
		s->offset = PD_PIPE_HEADER;
		return start_pipe(pd, s);
	}
	if (header_size < PD_FILE_HEADER)
		return pd_fail(pd, PD_ECORRUPT, map + HEADER_SIZE,
			       "a header of %" PRIu64 " bytes, not %d",
			       header_size, PD_FILE_HEADER);
	if (file->size < PD_FILE_HEADER)
		return pd_fail(pd, PD_ECORRUPT, map, "cut short in its header");
	ret = check_section(pd, file, map + HEADER_ATTRS, "event descriptions");
	if (ret)
		return ret;
	ret = check_section(pd, file, data, "events");
	if (ret)
		return ret;
	size = pd_file64(pd, data + 8);
	/* A writer that was killed has not come to the size, nor to what follows. */
	if (!size) {
		size = file->size - pd_file64(pd, data);
		pd->stats.unfinished = true;
	}
	if (!size)
		return pd_fail(
			pd, PD_ECORRUPT, data,
			"the file holds no events: perf record did not end as it should; record again");
	ret = pd_read_attrs(pd, file, map + pd_file64(pd, map + HEADER_ATTRS),
			    pd_file64(pd, map + HEADER_ATTRS + 8),
			    pd_file64(pd, map + HEADER_ATTR_SIZE));
	if (ret)
		return ret;
	s = add_stream(pd, map + pd_file64(pd, data), size);
	if (!s)
		return pd_no_memory(pd);
	s->offset = s->start - map;
	if (pd->stats.unfinished)
		return 0;
	return pd_read_features(pd, file, map + HEADER_FEATURES, s->end - map);
}

/*
 * A file of a directory has no rounds. It is sorted, or, where one thread of perf
 * wrote the buffers of several harts, made of sorted pieces: each becomes a
 * stream of its own, so that merging them is all that is left to do.
 */
static int split_stream(struct pd *pd, size_t index)
{
	const uint8_t *p = pd->streams[index].start, *start = p;
	const uint8_t *end = pd->streams[index].end;
	const uint64_t offset = pd->streams[index].offset;
	uint64_t last = 0, time;

	while (end - p >= (ptrdiff_t)PD_HEADER_SIZE) {
		uint32_t type = pd_file32(pd, p);
		uint16_t size = pd_file16(pd, p + 6);

		/* What is damaged or compressed is one piece with the rest. */
		if (size < PD_HEADER_SIZE || size > end - p || pd->swap ||
		    type == PD_USER_COMPRESSED || type == PD_USER_COMPRESSED2 ||
		    type == PD_USER_AUXTRACE)
			break;
		time = PD_NO_TIME;
		if (type < PD_USER_FIRST)
			pd_record_attr(pd, p, &time);
		if (time != PD_NO_TIME && time) {
			if (time < last) {
				pd->streams[index].end = p;
				index = pd->nr_streams;
				if (!add_stream(pd, p, end - p))
					return pd_no_memory(pd);
				pd->streams[index].offset = offset + (p - start);
			}
			last = time;
		}
		p += size;
	}
	return 0;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	int x = atoi((*a)->d_name + 5), y = atoi((*b)->d_name + 5);

	return x < y ? -1 : x > y;
}

/* perf's names of the files in a directory: data.0, data.1, ... */
static int is_data(const struct dirent *entry)
{
	const char *name = entry->d_name;

	return !strncmp(name, "data.", 5) && name[5] &&
	       !name[5 + strspn(name + 5, "0123456789")];
}

static int open_in(struct pd *pd, int dir, const char *name)
{
	struct stat st;
	int fd, ret = 0;

	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st))
		ret = pd_fail(pd, PD_EIO, NULL, "%s: %s", name,
			      strerror(errno));
	else if (!S_ISREG(st.st_mode))
		ret = pd_fail(pd, PD_EFORMAT, NULL, "%s is not a file", name);
	else if (st.st_size)
		ret = map_file(pd, fd, st.st_size, name);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int start_dir(struct pd *pd, int dir)
{
	struct dirent **names;
	struct stat st;
	int ret, i, nr;

	if (fstatat(dir, "data", &st, 0))
		return pd_fail(
			pd, PD_EFORMAT, NULL,
			"is a folder without a file `data`, so not one of perf's");
	ret = open_in(pd, dir, "data");
	if (ret)
		return ret;
	if (!pd->nr_files)
		return pd_fail(pd, PD_EFORMAT, NULL, "data is empty");
	ret = start_file(pd, &pd->files[0]);
	if (ret)
		return ret;
	if (!fstatat(dir, "kcore_dir", &st, 0) && S_ISDIR(st.st_mode) &&
	    asprintf(&pd->kcore_dir, "%s/kcore_dir", pd->dir) < 0) {
		pd->kcore_dir = NULL;
		return pd_no_memory(pd);
	}
	nr = scandirat(dir, ".", &names, is_data, by_number);
	if (nr < 0)
		return pd_fail(pd, PD_EIO, NULL, "%s", strerror(errno));
	for (i = 0; i < nr; i++) {
		size_t before = pd->nr_files;

		if (!ret)
			ret = open_in(pd, dir, names[i]->d_name);
		free(names[i]);
		if (!ret && pd->nr_files > before &&
		    !add_stream(pd, pd->files[before].map,
				pd->files[before].size))
			ret = pd_no_memory(pd);
	}
	free(names);
	if (ret || pd->nr_streams == 1 || !pd->ordered)
		return ret;
	for (i = 0, nr = pd->nr_streams; !ret && i < nr; i++)
		ret = split_stream(pd, i);
	return ret;
}

/* fd is taken over. */
static int start_fd(struct pd *pd, int fd)
{
	uint8_t header[PD_PIPE_HEADER];
	uint64_t header_size;
	struct pd_stream *s;
	size_t n = 0;
	int ret;

	pd->fd = fd;
	while (n < sizeof(header)) {
		ssize_t got = read(fd, header + n, sizeof(header) - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pd_fail(pd, PD_EIO, NULL, "%s", strerror(errno));
		if (!got)
			break;
		n += got;
	}
	if (!n)
		return pd_fail(pd, PD_EFORMAT, NULL, "is empty");
	ret = read_magic(pd, header, n, &header_size);
	if (ret)
		return ret;
	if (header_size != PD_PIPE_HEADER)
		return pd_fail(
			pd, PD_EUNSUPPORTED, NULL,
			"is a recording made as a file, which cannot be read from a pipe; give the file itself");
	s = add_stream(pd, NULL, 0);
	if (!s)
		return pd_no_memory(pd);
	s->offset = PD_PIPE_HEADER;
	return start_pipe(pd, s);
}

static int open_path(struct pd *pd, const char *path)
{
	struct stat st;
	int fd, ret;

	if (!strcmp(path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		ret = pd_fail(pd, PD_EIO, NULL, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	if (S_ISDIR(st.st_mode)) {
		pd->dir = strdup(path);
		ret = pd->dir ? start_dir(pd, fd) : pd_no_memory(pd);
	} else if (!S_ISREG(st.st_mode)) {
		return start_fd(pd, fd);
	} else if (!st.st_size) {
		ret = pd_fail(pd, PD_EFORMAT, NULL, "is empty");
	} else {
		ret = map_file(pd, fd, st.st_size, NULL);
		if (!ret)
			ret = start_file(pd, &pd->files[0]);
	}
	close(fd);
	return ret;
}

static struct pd *new(struct pd **out)
{
	struct pd *pd = calloc(1, sizeof(*pd));

	*out = pd;
	if (pd)
		pd->fd = -1;
	return pd;
}

int pd_open(struct pd **out, const char *path)
{
	struct pd *pd = new(out);

	return pd ? open_path(pd, path) : PD_ENOMEM;
}

int pd_open_memory(struct pd **out, const void *data, size_t size)
{
	struct pd *pd = new(out);

	if (!pd)
		return PD_ENOMEM;
	if (!size)
		return pd_fail(pd, PD_EFORMAT, NULL, "is empty");
	if (!add_file(pd, data, size, NULL))
		return pd_no_memory(pd);
	return start_file(pd, &pd->files[0]);
}

bool pd_span(const struct pd *pd, uint64_t *first, uint64_t *last)
{
	*first = pd->first;
	*last = pd->last;
	return pd->last > pd->first;
}

bool pd_wall_start(const struct pd *pd, uint64_t *wall)
{
	*wall = pd->moment.wall;
	return pd->moment.wall;
}

bool pd_wall_time(const struct pd *pd, uint64_t time, uint64_t *wall)
{
	/* The time can be before the moment. Then both differences wrap around. */
	*wall = pd->moment.wall + (time - pd->moment.time);
	return pd->moment.wall && time != PD_NO_TIME;
}

void pd_set_wait(struct pd *pd, bool (*wait)(void *arg, int fd), void *arg)
{
	pd->wait = wait;
	pd->wait_arg = arg;
}

void pd_close(struct pd *pd)
{
	size_t i;

	if (!pd)
		return;
	for (i = 0; i < pd->nr_streams; i++)
		pd_stream_close(pd, &pd->streams[i]);
	pd_order_free(&pd->order, &pd->blocks);
	pd_block_put(&pd->blocks, pd->current);
	pd_block_put(&pd->blocks, pd->swapped);
	pd_blocks_free(&pd->blocks);
	for (i = 0; i < pd->nr_files; i++) {
		if (pd->files[i].mapped)
			munmap((void *)pd->files[i].map, pd->files[i].size);
		free(pd->files[i].name);
	}
	for (i = 0; i < pd->nr_attrs; i++) {
		free(pd->attrs[i]->name);
		free(pd->attrs[i]);
	}
	for (i = 0; i < pd->nr_build_ids; i++)
		free(pd->build_ids[i].name);
	for (i = 0; i < PD_NR_TEXTS; i++)
		free(pd->texts[i].p);
	free(pd->command.p);
	if (pd->fd >= 0)
		close(pd->fd);
	free(pd->files);
	free(pd->streams);
	free(pd->heap);
	free(pd->same_time);
	free(pd->attrs);
	free(pd->ids);
	hash_free(&pd->ids_hash);
	free(pd->build_ids);
	hash_free(&pd->build_ids_hash);
	free(pd->tracing_data);
	free(pd->kcore_dir);
	free(pd->dir);
	free(pd);
}

const char *pd_error(const struct pd *pd)
{
	return pd ? pd->error.text : "out of memory";
}

/* Bytes of all streams, or those that were read. A pipe has no size. */
static uint64_t bytes(const struct pd *pd, bool all)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < pd->nr_streams; i++) {
		const struct pd_stream *s = &pd->streams[i];

		if (s->start)
			n += (all ? s->end : s->pos) - s->start;
		else if (!all)
			n += s->offset;
	}
	return n;
}

uint64_t pd_position(const struct pd *pd)
{
	return bytes(pd, false);
}

uint64_t pd_size(const struct pd *pd)
{
	return bytes(pd, true);
}

const struct pd_stats *pd_stats(const struct pd *pd)
{
	return &pd->stats;
}

const char *pd_kcore_dir(const struct pd *pd)
{
	return pd->kcore_dir;
}
