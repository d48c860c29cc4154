// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/chunk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

enum {
	LEVEL = 3,
	PLAIN_BELOW = 64, /* bytes; zstd would save nothing */
};

int cf_damaged(struct error *error, const char *name, const char *fmt, ...)
{
	char why[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return error_set(error, ERROR_INPUT, "%s: damaged: %s", name, why);
}

bool cf_tag_is_text(const void *tag)
{
	const uint8_t *p = tag;
	unsigned int i;

	for (i = 0; i < CF_TAG; i++)
		if (p[i] < '0' || p[i] > 'z')
			return false;
	return true;
}

void cf_chunk_get(struct cf_chunk *chunk, const uint8_t header[CF_CHUNK_HEADER])
{
	memcpy(chunk->tag, header, CF_TAG);
	chunk->items = cf_get32(header + 4);
	chunk->size = cf_get32(header + 8);
	chunk->stored = cf_get32(header + 12);
}

static bool make_room(uint8_t **v, size_t *cap, size_t size)
{
	uint8_t *more;

	if (size <= *cap)
		return true;
	more = realloc(*v, size);
	if (!more)
		return false;
	*v = more;
	*cap = size;
	return true;
}

bool cf_pack(struct cf_packer *packer, const char *tag, uint32_t items,
	     const void *bytes, size_t size)
{
	size_t room = ZSTD_compressBound(size), stored;

	if (!packer->ctx)
		packer->ctx = ZSTD_createCCtx();
	if (!packer->ctx ||
	    !make_room(&packer->out, &packer->cap, CF_CHUNK_HEADER + room))
		return false;
	stored = ZSTD_compressCCtx(packer->ctx, packer->out + CF_CHUNK_HEADER, room,
				   bytes, size, packer->level ?: LEVEL);
	/* Readers refuse what becomes much larger. */
	if (size < PLAIN_BELOW || ZSTD_isError(stored) || stored >= size ||
	    size / CF_CHUNK_RATIO >= stored) {
		memcpy(packer->out + CF_CHUNK_HEADER, bytes, size);
		stored = size;
	}
	memcpy(packer->out, tag, CF_TAG);
	cf_put32(packer->out + 4, items);
	cf_put32(packer->out + 8, (uint32_t)size);
	cf_put32(packer->out + 12, (uint32_t)stored);
	packer->size = CF_CHUNK_HEADER + stored;
	return true;
}

void cf_packer_free(struct cf_packer *packer)
{
	ZSTD_freeCCtx(packer->ctx);
	free(packer->out);
	*packer = (struct cf_packer){ 0 };
}

int cf_read_at(int fd, uint64_t at, void *bytes, size_t size, const char *name,
	       struct error *error)
{
	uint8_t *p = bytes;
	ssize_t n;

	for (; size; p += n, at += (size_t)n, size -= (size_t)n) {
		do
			n = pread(fd, p, size, (off_t)at);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return error_set(error, ERROR_INPUT, "%s: %s", name,
					 strerror(errno));
		if (!n)
			return cf_damaged(error, name, "it is cut");
	}
	return 0;
}

int cf_unpack(struct cf_unpacker *unpacker, const struct cf_chunk *chunk, int fd,
	      uint64_t at, uint8_t *bytes, const char *name, struct error *error)
{
	size_t n;
	int ret;

	if (chunk->stored == chunk->size)
		return cf_read_at(fd, at, bytes, chunk->size, name, error);
	if (chunk->stored > chunk->size ||
	    chunk->size / CF_CHUNK_RATIO >= chunk->stored)
		return cf_damaged(error, name, "the size of a chunk is wrong");
	if (!unpacker->ctx)
		unpacker->ctx = ZSTD_createDCtx();
	if (!unpacker->ctx || !make_room(&unpacker->in, &unpacker->cap, chunk->stored))
		return error_nomem(error);
	ret = cf_read_at(fd, at, unpacker->in, chunk->stored, name, error);
	if (ret)
		return ret;
	n = ZSTD_decompressDCtx(unpacker->ctx, bytes, chunk->size, unpacker->in,
				chunk->stored);
	return n == chunk->size ? 0 :
				  cf_damaged(error, name,
					     "a chunk cannot be decompressed");
}

void cf_unpacker_free(struct cf_unpacker *unpacker)
{
	ZSTD_freeDCtx(unpacker->ctx);
	free(unpacker->in);
	*unpacker = (struct cf_unpacker){ 0 };
}
