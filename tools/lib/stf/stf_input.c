// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 6 }; /* that tell a container */

/* A file and memory are read by calls, too, which are the library's own. */
struct raw {
	struct stf_input in;
	struct stf_read_calls calls;
	uint64_t at; /* the offset of the next bytes */
	int fd; /* a copy, or -1 */
	uint64_t start; /* where in the file the trace starts */
	uint8_t head[HEAD_BYTES]; /* read already, and not handed out yet */
	size_t n_head;
};

static int64_t fd_read(void *user, void *buf, size_t n)
{
	return read(((struct raw *)user)->fd, buf, n);
}

static int64_t fd_read_at(void *user, void *buf, size_t n, uint64_t offset)
{
	const struct raw *raw = user;

	return pread(raw->fd, buf, n, (off_t)(raw->start + offset));
}

static int64_t memory_read_at(void *user, void *buf, size_t n, uint64_t offset)
{
	const struct stf_input *in = user;

	if (offset >= in->size)
		return 0;
	if (n > in->size - offset)
		n = (size_t)(in->size - offset);
	memcpy(buf, in->memory + offset, n);
	return (int64_t)n;
}

/* In a stream the bytes at `offset` are the next ones. */
static int64_t call(const struct stf_read_calls *calls, void *buf, size_t n,
		    uint64_t offset)
{
	int64_t ret;

	do {
		ret = calls->read_at ?
			      calls->read_at(calls->user, buf, n, offset) :
			      calls->read(calls->user, buf, n);
	} while (ret < 0 && errno == EINTR);
	return ret;
}

static int64_t next(struct raw *raw, void *buf, size_t n)
{
	int64_t ret = call(&raw->calls, buf, n, raw->at);

	if (ret < 0)
		return stf_fail_errno(raw->in.err, "%s", raw->in.path);
	raw->at += (uint64_t)ret;
	return ret;
}

static int64_t raw_read(struct stf_input *in, void *buf, size_t size)
{
	struct raw *raw = (struct raw *)in;
	int64_t n;

	if (raw->n_head) {
		n = (int64_t)(size < raw->n_head ? size : raw->n_head);
		memcpy(buf, raw->head, (size_t)n);
		raw->n_head -= (size_t)n;
		memmove(raw->head, raw->head + n, raw->n_head);
	} else {
		n = next(raw, buf, size);
	}
	if (n > 0)
		in->bytes_read += (uint64_t)n;
	return n;
}

static int64_t raw_read_at(struct stf_input *in, void *buf, size_t size,
			   uint64_t offset)
{
	const struct stf_read_calls *calls = &((struct raw *)in)->calls;
	size_t done = 0;

	while (done < size) {
		int64_t n = call(calls, (char *)buf + done, size - done,
				 offset + done);

		if (n < 0)
			return n;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

static void raw_close(struct stf_input *in)
{
	struct raw *raw = (struct raw *)in;

	if (raw->fd >= 0)
		close(raw->fd);
	free(raw);
}

static int open_fd(struct raw *raw, const struct stf_origin *from)
{
	struct stat st;
	off_t start;

	if (from->path)
		raw->fd = open(from->path, O_RDONLY | O_CLOEXEC);
	else /* A copy, so that it is closed like any other. */
		raw->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
	if (raw->fd < 0)
		return stf_fail_errno(raw->in.err, "%s", raw->in.path);
	raw->calls.user = raw;
	raw->calls.read = fd_read;
	start = lseek(raw->fd, 0, SEEK_CUR);
	if (fstat(raw->fd, &st) || !S_ISREG(st.st_mode) || start > st.st_size)
		return 0;
	raw->start = (uint64_t)start;
	raw->calls.read_at = fd_read_at;
	raw->calls.length = (uint64_t)(st.st_size - start);
	raw->in.any_thread = true;
	return 0;
}

struct stf_input *stf_input_open(const struct stf_origin *from, const char *path,
				 struct stf_error *err)
{
	struct raw *raw = calloc(1, sizeof(*raw));

	if (!raw) {
		stf_no_memory(err, path);
		return NULL;
	}
	raw->in = (struct stf_input){ .read = raw_read, .close = raw_close,
				      .err = err, .path = path };
	raw->fd = -1;
	if (from->calls) {
		raw->calls = *from->calls;
	} else if (from->memory) {
		raw->in.memory = from->memory;
		raw->calls.user = raw;
		raw->calls.read_at = memory_read_at;
		raw->calls.length = from->size;
	} else if (open_fd(raw, from)) {
		free(raw);
		return NULL;
	}
	if (raw->calls.read_at) {
		raw->in.read_at = raw_read_at;
		raw->in.size = raw->calls.length;
	}
	return &raw->in;
}

int stf_input_container(struct stf_input *in)
{
	static const struct {
		enum stf_container container;
		uint8_t n;
		uint8_t magic[HEAD_BYTES];
	} kinds[] = {
		{ STF_CONTAINER_ZSTF, 4, { 'Z', 'S', 'T', 'F' } },
		{ STF_CONTAINER_ZSTD, 4, { 0x28, 0xb5, 0x2f, 0xfd } },
		{ STF_CONTAINER_GZ, 2, { 0x1f, 0x8b } },
		{ STF_CONTAINER_XZ, 6, { 0xfd, '7', 'z', 'X', 'Z', 0 } },
	};
	struct raw *raw = (struct raw *)in;
	unsigned int i;
	int64_t n = 1;

	while (n && raw->n_head < HEAD_BYTES) {
		n = next(raw, raw->head + raw->n_head, HEAD_BYTES - raw->n_head);
		if (n < 0)
			return (int)n;
		raw->n_head += (size_t)n;
	}
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (raw->n_head >= kinds[i].n &&
		    !memcmp(raw->head, kinds[i].magic, kinds[i].n))
			return (int)kinds[i].container;
	/* A frame that decoders skip, as pzstd begins: bits 0 to 3 are the user's. */
	if (raw->n_head >= 4 && (raw->head[0] & 0xf0) == 0x50 &&
	    !memcmp(raw->head + 1, "\x2a\x4d\x18", 3))
		return STF_CONTAINER_ZSTD;
	return STF_CONTAINER_PLAIN;
}
