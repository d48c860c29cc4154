// SPDX-License-Identifier: BSD-2-Clause
/*
 * The chunked container. Chunks are compressed by threads, and written here in
 * their order.
 */
#include "stf/stf_sink.h"

#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "stf/stf_bytes.h"
#include "stf/stf_pool.h"
#include "stf/stf_zstf.h"

/* Chunks wait for those before them rather than take more than this. */
#define AHEAD_BYTES (UINT64_C(32) << 20)

/* One chunk. The thread that has the job touches nothing else. */
struct slot {
	uint8_t *in;
	uint64_t in_room;
	size_t size; /* of the chunk */
	uint64_t pc;
	uint8_t *out;
	uint64_t out_room;
	size_t got; /* what ZSTD_compress2() returned */
};

struct zstf {
	struct stf_sink sink;
	uint64_t end; /* offset after the last chunk */
	uint8_t *index; /* N and the entries, as on disk */
	size_t index_size; /* bytes in use */
	size_t index_room;
	uint64_t submitted; /* jobs handed in */
	uint64_t written; /* jobs taken back */
	uint64_t room; /* bytes of all slots' buffers */
	unsigned int n_slots;
	struct slot *slots;
	ZSTD_CCtx **cctx; /* one for each thread, at least one */
	struct stf_pool *pool;
};

static int no_memory(struct zstf *z)
{
	return stf_fail(z->sink.err, STF_E_NOMEM, "%s: no memory",
			z->sink.file.path);
}

static void compress(void *user, unsigned int nr, unsigned int worker)
{
	struct zstf *z = user;
	struct slot *slot = &z->slots[nr];

	slot->got = ZSTD_compress2(z->cctx[worker], slot->out, slot->out_room,
				   slot->in, slot->size);
}

/* ------------------------------------------------------------------- the file */

static int add_entry(struct zstf *z, const struct slot *slot)
{
	uint8_t *entry;

	if (z->index_size + ZSTF_ENTRY > z->index_room) {
		size_t room = z->index_room * 2;
		uint8_t *p = realloc(z->index, room);

		if (!p)
			return no_memory(z);
		z->index = p;
		z->index_room = room;
	}
	entry = z->index + z->index_size;
	stf_put64(entry + ZSTF_ENTRY_OFFSET, z->end);
	stf_put64(entry + ZSTF_ENTRY_PC, z->sink.chunks ? slot->pc : 0);
	stf_put64(entry + ZSTF_ENTRY_SIZE, slot->size);
	z->index_size += ZSTF_ENTRY;
	stf_put64(z->index, ++z->sink.chunks);
	return 0;
}

static int put_end(struct zstf *z, uint64_t end)
{
	uint8_t bytes[8];

	stf_put64(bytes, end);
	return stf_file_write_at(&z->sink.file, ZSTF_END, bytes, sizeof(bytes));
}

/*
 * The chunk goes over the old index and the new index behind it, so that the
 * file is whole again when END is written.
 */
static int write_chunk(struct zstf *z, const struct slot *slot)
{
	struct stf_file *file = &z->sink.file;
	int err;

	if (ZSTD_isError(slot->got))
		return stf_fail(z->sink.err, STF_E_NOMEM,
				"%s: cannot compress: %s", file->path,
				ZSTD_getErrorName(slot->got));
	err = add_entry(z, slot);
	if (!err)
		err = put_end(z, 0);
	if (!err)
		err = stf_file_write_at(file, z->end, slot->out, slot->got);
	z->end += slot->got;
	if (!err)
		err = stf_file_write_at(file, z->end, z->index, z->index_size);
	if (!err)
		err = put_end(z, z->end);
	file->size = z->end + z->index_size;
	return err;
}

/* Write the oldest chunk that is not written yet, when it is compressed. */
static int write_oldest(struct zstf *z)
{
	stf_pool_wait(z->pool, z->written);
	return write_chunk(z, &z->slots[z->written++ % z->n_slots]);
}

static int zstf_finish(struct stf_sink *sink)
{
	struct zstf *z = (struct zstf *)sink;
	int err = 0;

	while (!err && z->written < z->submitted)
		err = write_oldest(z);
	return err;
}

/* ------------------------------------------------------------------ the chunks */

/* Whether the chunk has to wait for a slot, or for memory. */
static bool must_wait(const struct zstf *z, size_t bytes)
{
	const struct slot *slot = &z->slots[z->submitted % z->n_slots];

	if (z->submitted == z->written)
		return false;
	return z->submitted - z->written == z->n_slots ||
	       z->room - slot->in_room - slot->out_room + bytes > AHEAD_BYTES;
}

static int zstf_put(struct stf_sink *sink, const uint8_t *data, size_t size,
		    uint64_t pc)
{
	struct zstf *z = (struct zstf *)sink;
	size_t bound = ZSTD_compressBound(size);
	struct slot *slot;
	int err;

	/* What is ready is written at once: a killed writer leaves it. */
	while (z->written < z->submitted &&
	       (must_wait(z, size + bound) ||
		stf_pool_done(z->pool, z->written))) {
		err = write_oldest(z);
		if (err)
			return err;
	}
	slot = &z->slots[z->submitted % z->n_slots];
	if (!zstf_grow(&z->room, &slot->in, &slot->in_room, size) ||
	    !zstf_grow(&z->room, &slot->out, &slot->out_room, bound))
		return no_memory(z);
	memcpy(slot->in, data, size);
	slot->size = size;
	slot->pc = pc;
	z->submitted++;
	stf_pool_submit(z->pool);
	if (z->n_slots > 1)
		return 0;
	return write_oldest(z);
}

static void zstf_close(struct stf_sink *sink)
{
	struct zstf *z = (struct zstf *)sink;
	unsigned int i;

	stf_pool_free(z->pool);
	for (i = 0; z->slots && i < z->n_slots; i++) {
		free(z->slots[i].in);
		free(z->slots[i].out);
	}
	free(z->slots);
	for (i = 0; z->cctx && i < z->n_slots; i++)
		ZSTD_freeCCtx(z->cctx[i]);
	free(z->cctx);
	free(z->index);
	free(z);
}

static const struct stf_sink_ops zstf_ops = {
	.put = zstf_put,
	.finish = zstf_finish,
	.close = zstf_close,
};

static ZSTD_CCtx *new_cctx(int level)
{
	ZSTD_CCtx *cctx = ZSTD_createCCtx();

	if (!cctx)
		return NULL;
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, level);
	/* Four bytes a chunk, and no damage goes unseen. */
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, 1);
	return cctx;
}

static int open_slots(struct zstf *z, int level, unsigned int threads)
{
	unsigned int i;

	/* One slot for each thread, and one to fill meanwhile. */
	z->n_slots = threads + 1;
	z->slots = calloc(z->n_slots, sizeof(*z->slots));
	z->cctx = calloc(z->n_slots, sizeof(*z->cctx));
	if (!z->slots || !z->cctx)
		return no_memory(z);
	for (i = 0; i < threads || i < 1; i++) {
		z->cctx[i] = new_cctx(level);
		if (!z->cctx[i])
			return no_memory(z);
	}
	z->pool = stf_pool_new(threads, z->n_slots, compress, z);
	return z->pool ? 0 : no_memory(z);
}

static int start(struct zstf *z, int level, unsigned int threads)
{
	uint8_t header[ZSTF_CHUNKS] = "ZSTF";
	enum { FIRST_ROOM = 4096 };

	if (lseek(z->sink.file.fd, 0, SEEK_CUR) < 0)
		return stf_fail(z->sink.err, STF_E_INVAL,
				"%s: a .zstf is written to a file only, not to a pipe",
				z->sink.file.path);
	z->index = malloc(FIRST_ROOM);
	if (!z->index)
		return no_memory(z);
	z->index_room = FIRST_ROOM;
	z->index_size = ZSTF_INDEX_ENTRIES;
	z->end = ZSTF_CHUNKS;
	stf_put64(header + ZSTF_MARKERS, z->sink.chunk_markers);
	if (open_slots(z, level, threads))
		return STF_E_NOMEM;
	return stf_file_write_at(&z->sink.file, 0, header, sizeof(header));
}

struct stf_sink *stf_sink_zstf(const char *path, uint64_t chunk_markers,
			       int level, unsigned int threads,
			       struct stf_error *err)
{
	struct zstf *z = calloc(1, sizeof(*z));

	if (!z) {
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	z->sink.ops = &zstf_ops;
	z->sink.container = STF_CONTAINER_ZSTF;
	z->sink.err = err;
	z->sink.chunk_markers = chunk_markers;
	if (stf_file_open(&z->sink.file, path, err)) {
		free(z);
		return NULL;
	}
	if (start(z, level, threads)) {
		stf_file_close(&z->sink.file);
		zstf_close(&z->sink);
		return NULL;
	}
	return &z->sink;
}
