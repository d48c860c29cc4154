/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pieces of a counts file. A chunk has a tag, and bytes that zstd may have compressed.
 * How many bytes a chunk may take in memory depends on how many it has in the file.
 */
#ifndef COUNTFILE_CHUNK_H
#define COUNTFILE_CHUNK_H

#include "base/cursor.h"
#include "base/error.h"

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	CF_TAG = 4, /* bytes */
	CF_CHUNK_HEADER = 16, /* bytes: the tag, then three numbers */
	CF_CHUNK_MAX = 1 << 16, /* bytes of steps or samples in a chunk */
	CF_HEAD_MAX = 1 << 30, /* bytes of the chunk with the head */
	CF_CHUNK_RATIO = 32, /* no chunk becomes larger than so many times its size */
};

/* Numbers of a file are little-endian. */
static inline void cf_put32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void cf_put64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint32_t cf_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t cf_get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/* Returns whether both tags are the same. */
static inline bool cf_is_tag(const void *a, const char *b)
{
	return !memcmp(a, b, CF_TAG);
}

/* Returns whether a reader that does not know this tag may skip what it stands for. */
static inline bool cf_is_optional(const void *tag)
{
	return *(const uint8_t *)tag >= 'a' && *(const uint8_t *)tag <= 'z';
}

/* Returns whether a tag can be printed. */
bool cf_tag_is_text(const void *tag);

struct cf_chunk {
	char tag[CF_TAG];
	uint32_t items; /* how many steps, samples or fields */
	uint32_t size; /* bytes in memory */
	uint32_t stored; /* bytes in the file, without this header */
};

void cf_chunk_get(struct cf_chunk *chunk, const uint8_t header[CF_CHUNK_HEADER]);

/* Makes chunks. Set all members to 0 first. */
struct cf_packer {
	void *ctx; /* of zstd */
	int level; /* of zstd; 0: the one of counts files */
	uint8_t *out; /* the last chunk, with its header */
	size_t size, cap;
};

/* Store a chunk of these bytes in packer->out. Returns false if out of memory. */
bool cf_pack(struct cf_packer *packer, const char *tag, uint32_t items,
	     const void *bytes, size_t size);

void cf_packer_free(struct cf_packer *packer);

/* Reads chunks. Several files can share it. Set all members to 0 first. */
struct cf_unpacker {
	void *ctx; /* of zstd */
	uint8_t *in;
	size_t cap;
};

/*
 * Read what a chunk has into bytes, which has room for chunk->size. It begins at this
 * offset of the file. Returns 0, or ERROR_* with a text that begins with `name`.
 */
int cf_unpack(struct cf_unpacker *unpacker, const struct cf_chunk *chunk, int fd,
	      uint64_t at, uint8_t *bytes, const char *name, struct error *error);

void cf_unpacker_free(struct cf_unpacker *unpacker);

/*
 * Read size bytes at an offset. Returns 0, or ERROR_INPUT with a text, also if the file
 * has fewer bytes.
 */
int cf_read_at(int fd, uint64_t at, void *bytes, size_t size, const char *name,
	       struct error *error);

/* Set the text for a damaged file. Returns ERROR_INPUT. */
int cf_damaged(struct error *error, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
