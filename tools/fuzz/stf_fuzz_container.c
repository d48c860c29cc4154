// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a container. Compressed data hardly ever survives a change, so
 * that most inputs are instructions to make a .zstf here: its markers per chunk,
 * its chunks' contents, and up to one number of its index that is wrong. An
 * input that starts as a container does is taken as it is.
 */
#include <string.h>
#include <zstd.h>

#include "fuzz.h"

enum { HEADER = 20, MOST_CHUNKS = 16, ROOM = 1 << 16 };

struct input {
	const uint8_t *p, *end;
};

static uint64_t take(struct input *in, unsigned int n)
{
	uint64_t v = 0;

	while (n-- && in->p < in->end)
		v = v << 8 | *in->p++;
	return v;
}

static void put64(uint8_t *p, uint64_t v)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static size_t compress(uint8_t *to, size_t room, const uint8_t *from, size_t n)
{
	static ZSTD_CCtx *ctx;
	size_t size;

	if (!ctx)
		ctx = ZSTD_createCCtx();
	demand(ctx, "there is memory");
	size = ZSTD_compressCCtx(ctx, to, room, from, n, 1);
	demand(!ZSTD_isError(size), "a chunk can be compressed");
	return size;
}

/* Returns the container's size. */
static size_t make_container(uint8_t *file, struct input *in)
{
	uint64_t markers = take(in, 1), wrong = take(in, 1);
	uint64_t value = wrong & 0x80 ? take(in, 1 + (wrong & 7)) : 0;
	size_t at = HEADER, index, n = 0;
	uint64_t entry[MOST_CHUNKS][3];

	while (n < MOST_CHUNKS && (in->p < in->end || !n)) {
		size_t size = take(in, 2), left;
		uint64_t pc = take(in, 1);

		left = (size_t)(in->end - in->p);
		size = size < left ? size : left;
		entry[n][0] = at;
		entry[n][1] = pc;
		entry[n++][2] = size;
		at += compress(file + at, ROOM - at, in->p, size);
		in->p += size;
	}
	memcpy(file, "ZSTF", 4);
	put64(file + 4, markers);
	put64(file + 12, at);
	index = at;
	put64(file + at, n);
	memcpy(file + at + 8, entry, n * sizeof(entry[0]));
	at += 8 + n * sizeof(entry[0]);
	if (wrong & 0x80) {
		/* Header, index, or (bits 3 to 6) cut at the end. */
		size_t words = (at - index) / 8;
		size_t which = value % (words + 2);

		if (which < 2)
			put64(file + 4 + 8 * which, take(in, 8) ^ value);
		else
			put64(file + index + 8 * (which - 2), value >> 8);
		at -= wrong >> 3 & 15;
	}
	return at;
}

static bool is_container(const uint8_t *data, size_t size)
{
	return size >= 8 && (!memcmp(data, "ZSTF", 4) ||
			     !memcmp(data, "\x28\xb5\x2f\xfd", 4) ||
			     !memcmp(data, "\x1f\x8b\x08", 3) ||
			     !memcmp(data, "\xfd" "7zXZ", 5));
}

static struct fuzz_end read_records(struct stf_reader *r)
{
	struct stf_record recs[16];
	struct fuzz_end end;
	int more;

	if (!r)
		return (struct fuzz_end){ .code = 1 };
	while ((more = stf_reader_read(r, recs, 16)) > 0)
		;
	end = fuzz_end(r, more);
	stf_reader_close(r);
	return end;
}

/* Forward and back, as far as the container can be sought. */
static void jump(uint64_t index)
{
	struct stf_reader *r = fuzz_open(0, false);
	struct stf_inst_iter *iter;
	struct stf_inst inst;
	unsigned int i;

	if (!r)
		return;
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	demand(iter, "there is memory");
	for (i = 0; i < 4; i++) {
		if (stf_inst_iter_seek(iter, index) > 0 &&
		    stf_inst_iter_next(iter, &inst) > 0)
			demand(inst.index == index, "a jump arrives");
		index = i & 1 ? index * 3 + 1 : index / 2;
	}
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	static uint8_t made[ROOM + 1024];
	struct fuzz_end alone, other;
	size_t modulus = size;

	if (size > 8192)
		return -1;
	if (!is_container(data, size)) {
		size = make_container(made, &in);
		data = made;
	}
	fuzz_file(data, size);
	alone = read_records(fuzz_open(0, false));
	other = read_records(fuzz_open_memory(data, size, false));
	demand(same_end(&alone, &other), "memory reads as a file does");
	/* Threads take long to start: not every time. */
	if (modulus % 16 == 0) {
		other = read_records(fuzz_open(2, false));
		demand(same_end(&alone, &other),
		       "threads read what is read without");
	}
	jump(modulus % 29);
	return 0;
}
