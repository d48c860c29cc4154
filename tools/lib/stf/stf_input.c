// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stf/stf_bytes.h"
#include "stf/stf_zstf.h"

struct raw {
	struct stf_input in;
	int fd;
	uint8_t head[STF_FORMAT_BYTES];
	size_t n_head;
};

enum stf_format stf_format(const uint8_t *p, size_t n)
{
	static const struct {
		enum stf_format format;
		uint8_t n;
		uint8_t magic[STF_FORMAT_BYTES];
	} formats[] = {
		{ STF_FORMAT_ZSTF, 4, { 'Z', 'S', 'T', 'F' } },
		{ STF_FORMAT_ZSTD, 4, { 0x28, 0xb5, 0x2f, 0xfd } },
		{ STF_FORMAT_GZ, 2, { 0x1f, 0x8b } },
		{ STF_FORMAT_XZ, 6, { 0xfd, '7', 'z', 'X', 'Z', 0 } },
	};
	unsigned int i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (n >= formats[i].n &&
		    !memcmp(p, formats[i].magic, formats[i].n))
			return formats[i].format;
	return STF_FORMAT_PLAIN;
}

static ssize_t read_retry(int fd, void *buf, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, buf, size);
	} while (n < 0 && errno == EINTR);
	return n;
}

ssize_t stf_read_fully(int fd, void *buf, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read_retry(fd, (char *)buf + done, size - done);

		if (n < 0)
			return n;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static ssize_t raw_read(struct stf_input *in, void *buf, size_t size)
{
	struct raw *raw = (struct raw *)in;
	ssize_t n;

	if (raw->n_head) {
		if (size > raw->n_head)
			size = raw->n_head;
		memcpy(buf, raw->head, size);
		raw->n_head -= size;
		memmove(raw->head, raw->head + size, raw->n_head);
		in->bytes_read += size;
		return (ssize_t)size;
	}
	n = read_retry(raw->fd, buf, size);
	if (n < 0)
		return stf_fail_errno(in->err, "%s", in->path);
	in->bytes_read += (uint64_t)n;
	return n;
}

static void raw_close(struct stf_input *in)
{
	struct raw *raw = (struct raw *)in;

	close(raw->fd);
	free(raw);
}

struct stf_input *stf_input_fd(int fd, const uint8_t *head, size_t n,
			       const char *path, struct stf_error *err)
{
	struct raw *raw = calloc(1, sizeof(*raw));

	if (!raw) {
		close(fd);
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	raw->in = (struct stf_input){ .read = raw_read, .close = raw_close,
				      .err = err, .path = path };
	raw->fd = fd;
	memcpy(raw->head, head, n);
	raw->n_head = n;
	return &raw->in;
}
