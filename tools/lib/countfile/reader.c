// SPDX-License-Identifier: GPL-2.0-only
#include "base/tempfile.h"
#include "base/xxh64.h"
#include "countfile/file.h"
#include "countfile/head.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PIECE = 1 << 18 }; /* bytes that are read at once for the checksum */

struct cf_reader {
	struct cf_head head;
	struct cf_in in;
	struct cf_unpacker unpacker; /* its own, if it shares none */
	char *name;
	uint64_t checksum, size;
	/* by the last chunk */
	uint64_t steps, samples, sampled;
};

static bool begins_like_one(int fd)
{
	char magic[8];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, CF_MAGIC, sizeof(magic));
}

/* The same of a pipe, whose content stays there. Its writer may have written less yet. */
static bool pipe_begins_like_one(int fd)
{
	char magic[8];
	int copy[2];
	ssize_t n;

	if (pipe2(copy, O_CLOEXEC))
		return false;
	n = tee(fd, copy[1], sizeof(magic), 0);
	if (n > 0)
		n = read(copy[0], magic, sizeof(magic));
	close(copy[0]);
	close(copy[1]);
	return n > 0 && !memcmp(magic, CF_MAGIC, (size_t)n);
}

/*
 * A pipe that this process has open, such as /dev/fd/63. If a named pipe were opened and
 * closed, its writer would have nobody to write to.
 */
static bool is_open_pipe(const char *path, const struct stat *st)
{
	struct statfs fs;

	return S_ISFIFO(st->st_mode) && !statfs(path, &fs) && fs.f_type == PIPEFS_MAGIC;
}

bool cf_is_countfile(const char *path)
{
	struct stat st;
	bool is;
	int fd;

	if (!strcmp(path, "-"))
		return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ?
			       pipe_begins_like_one(STDIN_FILENO) :
			       begins_like_one(STDIN_FILENO);
	if (stat(path, &st) || (!S_ISREG(st.st_mode) && !is_open_pipe(path, &st)))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	is = fd >= 0 && (S_ISFIFO(st.st_mode) ? pipe_begins_like_one(fd) : begins_like_one(fd));
	if (fd >= 0)
		close(fd);
	return is;
}

static int not_one(struct error *error, const char *name)
{
	return error_set(error, ERROR_INPUT, "%s: not a counts file", name);
}

/* --------------------------------------------------------------- the whole */

/* The reader gets a temporary file with the content of the pipe. */
static int keep_pipe(struct cf_reader *r, struct error *error)
{
	int pipe = r->in.fd;

	r->in.fd = tempfile_copy(pipe);
	if (r->in.fd < 0)
		error_set(error, ERROR_OUTPUT,
			  "%s cannot be copied to a temporary file in %s: %s",
			  r->in.name, tempfile_folder(), strerror(errno));
	close(pipe);
	return r->in.fd < 0 ? ERROR_OUTPUT : 0;
}

static int check_start(const struct cf_reader *r, const uint8_t *start,
		       struct error *error)
{
	uint32_t version = cf_get32(start + 8);

	if (version == CF_VERSION && !cf_get32(start + 12))
		return 0;
	if (version > CF_VERSION)
		return error_set(error, ERROR_INPUT,
				 "%s: has version %u of the format, and this ssctr reads version %u; use a newer ssctr",
				 r->in.name, version, CF_VERSION);
	return cf_damaged(error, r->in.name, "its start is wrong");
}

/* Compute the checksum of all but the last bytes, and compare both. */
static int check_sum(struct cf_reader *r, uint8_t *bytes, struct error *error)
{
	uint8_t start[CF_START], end[CF_CHECKSUM];
	uint64_t at, last = r->size - CF_CHECKSUM;
	struct xxh64 sum;
	size_t n;
	int ret;

	xxh64_begin(&sum);
	for (at = 0; at < last; at += n) {
		n = last - at < PIECE ? last - at : PIECE;
		ret = cf_read_at(r->in.fd, at, bytes, n, r->in.name, error);
		if (ret)
			return ret;
		if (!at && memcmp(bytes, CF_MAGIC, 8))
			return not_one(error, r->in.name);
		if (!at)
			memcpy(start, bytes, sizeof(start));
		xxh64_add(&sum, bytes, n);
	}
	ret = cf_read_at(r->in.fd, last, end, sizeof(end), r->in.name, error);
	if (ret)
		return ret;
	r->checksum = cf_get64(end);
	if (r->checksum != xxh64_end(&sum))
		return cf_damaged(error, r->in.name,
				  "its checksum is wrong; it is cut or changed");
	return check_start(r, start, error);
}

static int read_head(struct cf_reader *r, struct error *error)
{
	uint8_t header[CF_CHUNK_HEADER], *bytes;
	struct cf_chunk chunk;
	struct error why;
	int ret = cf_read_at(r->in.fd, CF_START, header, sizeof(header), r->in.name,
			     error);

	if (ret)
		return ret;
	cf_chunk_get(&chunk, header);
	r->in.at = CF_START + CF_CHUNK_HEADER;
	if (!cf_is_tag(chunk.tag, "HEAD") || chunk.size > CF_HEAD_MAX ||
	    chunk.stored > r->in.end - r->in.at ||
	    chunk.size / CF_CHUNK_RATIO >= chunk.stored)
		return cf_damaged(error, r->in.name, "its head is wrong");
	bytes = malloc(chunk.size ?: 1);
	if (!bytes)
		return error_nomem(error);
	ret = cf_unpack(r->in.unpacker, &chunk, r->in.fd, r->in.at, bytes, r->in.name,
			error);
	if (!ret) {
		ret = cf_head_decode(&r->head, bytes, chunk.size, chunk.items, &why);
		if (ret)
			error_set(error, ret, "%s: %s", r->in.name, why.text);
	}
	free(bytes);
	r->in.at += chunk.stored;
	r->in.nr_binaries = (uint32_t)r->head.nr_binaries;
	return ret;
}

static int read_done(struct cf_reader *r, struct error *error)
{
	uint8_t bytes[CF_CHUNK_HEADER + CF_DONE_SIZE], *done = bytes + CF_CHUNK_HEADER;
	struct cf_chunk chunk;
	int ret = cf_read_at(r->in.fd, r->in.end, bytes, sizeof(bytes), r->in.name, error);

	if (ret)
		return ret;
	cf_chunk_get(&chunk, bytes);
	if (!cf_is_tag(chunk.tag, "DONE") || chunk.items != 1 || chunk.size != CF_DONE_SIZE ||
	    chunk.stored != CF_DONE_SIZE)
		return cf_damaged(error, r->in.name, "its end is wrong");
	r->steps = cf_get64(done);
	r->samples = cf_get64(done + 8);
	r->sampled = cf_get64(done + 16);
	return 0;
}

static int check_whole(struct cf_reader *r, uint8_t *bytes, struct error *error)
{
	struct stat st;
	int ret = 0;

	if (fstat(r->in.fd, &st))
		return error_set(error, ERROR_INPUT, "%s: %s", r->in.name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_set(error, ERROR_INPUT, "%s: not a counts file, but a folder",
				 r->in.name);
	if (!S_ISREG(st.st_mode)) {
		ret = keep_pipe(r, error);
		if (ret || fstat(r->in.fd, &st))
			return ret ?: error_set(error, ERROR_INPUT, "%s: %s", r->in.name,
						strerror(errno));
	}
	r->size = (uint64_t)st.st_size;
	if (r->size < CF_FILE_MIN)
		return begins_like_one(r->in.fd) ?
			       cf_damaged(error, r->in.name, "it is cut") :
			       not_one(error, r->in.name);
	r->in.end = r->size - CF_CHECKSUM - CF_DONE_SIZE - CF_CHUNK_HEADER;
	ret = check_sum(r, bytes, error);
	if (!ret)
		ret = read_head(r, error);
	return ret ?: read_done(r, error);
}

static int open_file(struct cf_reader *r, const char *path, struct error *error)
{
	uint8_t *bytes;
	int ret;

	r->in.fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				       fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	/* It is not the file's fault if this program has too many open ones. */
	if (r->in.fd < 0)
		return error_set(error, errno == EMFILE || errno == ENFILE ? ERROR_NOMEM :
									     ERROR_INPUT,
				 "%s: %s", r->in.name, strerror(errno));
	bytes = malloc(PIECE);
	ret = bytes ? check_whole(r, bytes, error) : error_nomem(error);
	free(bytes);
	return ret;
}

int cf_reader_open_as(struct cf_reader **reader, const char *path, const char *name,
		      struct cf_unpacker *unpacker, struct error *error)
{
	struct cf_reader *r = calloc(1, sizeof(*r));
	int ret;

	*reader = NULL;
	if (!r)
		return error_nomem(error);
	r->name = strdup(name);
	r->in.name = r->name;
	r->in.unpacker = unpacker ?: &r->unpacker;
	r->in.fd = -1;
	ret = r->name ? open_file(r, path, error) : error_nomem(error);
	if (ret)
		cf_reader_close(r);
	else
		*reader = r;
	return ret;
}

int cf_reader_open(struct cf_reader **reader, const char *path, struct error *error)
{
	const char *name = strcmp(path, "-") ? path : "standard input";

	return cf_reader_open_as(reader, path, name, NULL, error);
}

/* ------------------------------------------------------------------- items */

const struct cf_head *cf_reader_head(const struct cf_reader *reader)
{
	return &reader->head;
}

uint64_t cf_reader_checksum(const struct cf_reader *reader)
{
	return reader->checksum;
}

void cf_reader_take_head(struct cf_reader *reader, struct cf_head *head)
{
	*head = reader->head;
	reader->head = (struct cf_head){ .entries = head->entries,
					 .weight = head->weight };
}

int cf_read_step(struct cf_reader *reader, struct cf_step *step, struct error *error)
{
	const struct cf_totals *totals = &reader->in.totals;
	int ret = cf_in_step(&reader->in, step, error);

	if (ret || (totals->steps == reader->steps &&
		    totals->entries == reader->head.entries &&
		    totals->weight == reader->head.weight))
		return ret;
	return cf_damaged(error, reader->in.name, "its steps are not those that it counts");
}

int cf_read_sample(struct cf_reader *reader, struct cf_sample *sample,
		   struct error *error)
{
	const struct cf_totals *totals = &reader->in.totals;
	struct cf_step step;
	int ret;

	while (!reader->in.samples && (ret = cf_read_step(reader, &step, error)))
		if (ret < 0)
			return ret;
	ret = cf_in_sample(&reader->in, sample, error);
	if (ret || (totals->samples == reader->samples &&
		    totals->sampled == reader->sampled))
		return ret;
	return cf_damaged(error, reader->in.name,
			  "its samples are not those that it counts");
}

void cf_reader_close(struct cf_reader *reader)
{
	if (!reader)
		return;
	if (reader->in.fd >= 0)
		close(reader->in.fd);
	cf_in_free(&reader->in);
	cf_unpacker_free(&reader->unpacker);
	cf_head_free(&reader->head);
	free(reader->name);
	free(reader);
}
