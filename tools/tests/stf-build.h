/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * STF traces byte by byte, by the layouts of the specification and without the
 * writer under test.
 */
#ifndef TESTS_STF_BUILD_H
#define TESTS_STF_BUILD_H

#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "test.h"

struct bytes {
	size_t n;
	uint8_t v[1 << 17];
};

static inline void b8(struct bytes *b, unsigned int v)
{
	CHECK(b->n < sizeof(b->v));
	b->v[b->n++] = (uint8_t)v;
}

static inline void b16(struct bytes *b, unsigned int v)
{
	b8(b, v & 0xff);
	b8(b, v >> 8 & 0xff);
}

static inline void b32(struct bytes *b, uint32_t v)
{
	b16(b, v & 0xffff);
	b16(b, v >> 16);
}

static inline void b64(struct bytes *b, uint64_t v)
{
	b32(b, (uint32_t)v);
	b32(b, (uint32_t)(v >> 32));
}

static inline void btext(struct bytes *b, const char *s)
{
	while (*s)
		b8(b, (unsigned char)*s++);
}

enum {
	FEATURES_RV64 = 0x80020, /* RV64, EVENT64 */
	FEATURES_RV32 = 0,
	START_PC = 0x10000,
	GENERATOR_AT = 30, /* of a b_header() */
};

/* IDENTIFIER, VERSION 1.6. */
static inline void b_start(struct bytes *b)
{
	b->n = 0;
	b8(b, 1);
	btext(b, "STF");
	b8(b, 2);
	b32(b, 1);
	b32(b, 6);
}

/* A header as a producer writes it, with the first PC at START_PC. */
static inline void b_header(struct bytes *b, uint64_t features)
{
	b_start(b);
	b8(b, 3);
	b32(b, 5);
	btext(b, "hello");
	b8(b, 4);
	b16(b, 1);
	b8(b, 5);
	b16(b, features & 0x20 ? 2 : 1);
	b8(b, 6);
	b8(b, 6);
	b8(b, 2);
	b8(b, 3);
	b8(b, 4);
	b16(b, 5);
	btext(b, "maker");
	b8(b, 7);
	b64(b, features);
	b8(b, 9);
	b64(b, START_PC);
	b8(b, 19);
}

/* The same for registers of vectors that have 128 bits. */
static inline void b_vector_header(struct bytes *b)
{
	b_header(b, FEATURES_RV64);
	b->n--;
	b8(b, 10);
	b32(b, 128);
	b8(b, 19);
}

/* The same for TileLink's transactions, with clock 9. */
static inline void b_transaction_header(struct bytes *b)
{
	b_header(b, 0x100000);
	b->n--;
	b8(b, 11);
	b8(b, 1);
	b8(b, 12);
	b8(b, 9);
	b16(b, 3);
	btext(b, "cpu");
	b8(b, 19);
}

/* TRANSACTION 2, two ticks of clock 9 later: channel E with a sink, without metadata. */
static inline void b_transaction(struct bytes *b)
{
	b8(b, 250);
	b64(b, 2);
	b64(b, 2);
	b8(b, 9);
	b16(b, 0);
	b8(b, 5);
	b64(b, 0x99);
}

static inline void b_inst16(struct bytes *b, unsigned int opcode)
{
	b8(b, 241);
	b16(b, opcode);
}

static inline void b_inst32(struct bytes *b, uint32_t opcode)
{
	b8(b, 240);
	b32(b, opcode);
}

/* A record that is one u64: FORCE_PC 9, INST_PC_TARGET 31, ... */
static inline void b_pc(struct bytes *b, unsigned int desc, uint64_t pc)
{
	b8(b, desc);
	b64(b, pc);
}

static inline void b_comment(struct bytes *b, const char *text)
{
	b8(b, 3);
	b32(b, (uint32_t)strlen(text));
	btext(b, text);
}

/* An access of type 1 (read) or 2 (write), without its content. */
static inline void b_access(struct bytes *b, uint64_t address, unsigned int size,
			    unsigned int attributes, unsigned int type)
{
	b8(b, 60);
	b64(b, address);
	b16(b, size);
	b16(b, attributes);
	b8(b, type);
}

/* One with its content. */
static inline void b_mem(struct bytes *b, uint64_t address, unsigned int size,
			 unsigned int type, uint64_t content)
{
	b_access(b, address, size, 0, type);
	b_pc(b, 61, content);
}

static inline void b_process(struct bytes *b, uint32_t hart, uint32_t pid, uint32_t tid)
{
	b8(b, 8);
	b32(b, hart);
	b32(b, pid);
	b32(b, tid);
}

/* An EVENT with a 64-bit id, and n times the same field. */
static inline void b_event(struct bytes *b, uint64_t id, unsigned int n, uint64_t field)
{
	b8(b, 100);
	b64(b, id);
	b8(b, n);
	while (n--)
		b64(b, field);
}

/* The path of a file in the test's folder; valid until the next call. */
static inline const char *in_tmpdir(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	return path;
}

static inline void write_file(const char *path, const void *data, size_t n)
{
	size_t done;
	FILE *f;

	/* Some file systems flush a file that is written over. */
	remove(path);
	f = fopen(path, "wb");
	CHECK(f);
	done = fwrite(data, 1, n, f);
	CHECK(!fclose(f) && done == n);
}

static inline size_t read_file(const char *path, void *data, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	CHECK(f);
	n = fread(data, 1, room, f);
	fclose(f);
	CHECK(n < room);
	return n;
}

/* Where a container's numbers stand; see z_chunk(). */
enum { Z_MARKERS = 4, Z_END = 12, Z_CHUNKS = 20 };

struct zstf {
	struct bytes b;
	unsigned int n;
	uint64_t offset[16], pc[16], size[16];
};

static inline void z_start(struct zstf *z, uint64_t markers)
{
	z->b.n = 0;
	z->n = 0;
	btext(&z->b, "ZSTF");
	b64(&z->b, markers);
	b64(&z->b, 0);
}

/* Add records as one chunk whose first instruction is at pc. */
static inline void z_chunk(struct zstf *z, const uint8_t *data, size_t n,
			   uint64_t pc)
{
	size_t got;

	CHECK(z->n < 16);
	z->offset[z->n] = z->b.n;
	z->pc[z->n] = pc;
	z->size[z->n++] = n;
	got = ZSTD_compress(z->b.v + z->b.n, sizeof(z->b.v) - z->b.n, data, n,
			    3);
	CHECK(!ZSTD_isError(got));
	z->b.n += got;
}

static inline void z_index(struct zstf *z)
{
	struct bytes *b = &z->b;
	size_t end = b->n;
	unsigned int i;

	b64(b, z->n);
	for (i = 0; i < z->n; i++) {
		b64(b, z->offset[i]);
		b64(b, z->pc[i]);
		b64(b, z->size[i]);
	}
	for (i = 0; i < 8; i++)
		b->v[Z_END + i] = (uint8_t)(end >> 8 * i);
}

#endif
