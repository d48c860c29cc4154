// SPDX-License-Identifier: BSD-2-Clause
/*
 * The chunked container. Chunks are compressed by threads, and written here in
 * their order.
 */
#include "stf/stf_sink.h"

#include <stdlib.h>
#include <zstd.h>

#include "stf/stf_bytes.h"
#include "stf/stf_pool.h"
#include "stf/stf_zstf.h"

struct zstf {
	struct stf_sink sink;
	uint64_t end; /* offset after the last chunk */
	uint64_t indexed; /* where the last index in the file was written, its END */
	bool has_index; /* the file is whole: this index is there */
	uint8_t *index; /* N and the entries, as on disk */
	size_t index_size; /* bytes in use */
	size_t index_room;
	unsigned int threads;
	ZSTD_CCtx *cctx[STF_POOL_MAX]; /* one for each thread, at least one */
	struct stf_pool *pool;
};

static int no_memory(struct zstf *z)
{
	return stf_no_memory(z->sink.file->err, z->sink.file->path);
}

static void compress(void *user, struct stf_slot *slot, unsigned int worker)
{
	struct zstf *z = user;

	slot->got = ZSTD_compress2(z->cctx[worker], slot->out, slot->out_room,
				   slot->in, slot->in_size);
}

/* ------------------------------------------------------------------- the file */

static int add_entry(struct zstf *z, const struct stf_slot *slot)
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
	stf_put64(entry + ZSTF_ENTRY_SIZE, slot->in_size);
	z->index_size += ZSTF_ENTRY;
	stf_put64(z->index, ++z->sink.chunks);
	return 0;
}

static int put_end(struct zstf *z, uint64_t end)
{
	uint8_t bytes[8];

	stf_put64(bytes, end);
	return stf_file_write_at(z->sink.file, bytes, sizeof(bytes), ZSTF_END);
}

/* The file is whole again when END is written. */
static int write_index(struct zstf *z)
{
	struct stf_file *file = z->sink.file;
	int err = stf_file_write_at(file, z->index, z->index_size, z->end);

	file->size = z->end + z->index_size;
	if (err)
		return err;
	z->indexed = z->end;
	z->has_index = true;
	return put_end(z, z->end);
}

/*
 * The chunk goes over the old index. A new one is written behind it if the chunks since
 * then are as long as it is: all but the last one together are not longer than the chunks.
 */
static int write_chunk(struct zstf *z, const struct stf_slot *slot)
{
	struct stf_file *file = z->sink.file;
	int err;

	if (ZSTD_isError(slot->got))
		return stf_fail(file->err, STF_E_NOMEM,
				"%s: cannot compress: %s", file->path,
				ZSTD_getErrorName(slot->got));
	err = add_entry(z, slot);
	if (!err && z->has_index)
		err = put_end(z, 0);
	z->has_index = false;
	if (!err)
		err = stf_file_write_at(file, slot->out, slot->got, z->end);
	z->end += slot->got;
	file->size = z->end;
	if (!err && z->end - z->indexed >= z->index_size)
		err = write_index(z);
	return err;
}

static int write_chunks(struct zstf *z)
{
	int err = 0;

	while (!err && stf_pool_jobs(z->pool))
		err = write_chunk(z, stf_pool_take(z->pool));
	return err;
}

static int zstf_finish(struct stf_sink *sink)
{
	struct zstf *z = (struct zstf *)sink;
	int err = write_chunks(z);

	if (!err && z->sink.chunks && !z->has_index)
		err = write_index(z);
	return err;
}

/* ------------------------------------------------------------------ the chunks */

/* Whether the chunk has to wait for a slot, or for memory. */
static bool must_wait(struct zstf *z, size_t bytes)
{
	const struct stf_slot *slot = stf_pool_slot(z->pool);

	return !slot || stf_pool_too_much(z->pool, slot, bytes);
}

static int zstf_put(struct stf_sink *sink, uint8_t **buf, size_t *room,
		    size_t size, uint64_t pc)
{
	struct zstf *z = (struct zstf *)sink;
	size_t bound = ZSTD_compressBound(size);
	struct stf_slot *slot;
	int err;

	/* What is ready is written at once: a killed writer leaves it. */
	while (stf_pool_jobs(z->pool) &&
	       (must_wait(z, *room + bound) || stf_pool_done(z->pool))) {
		err = write_chunk(z, stf_pool_take(z->pool));
		if (err)
			return err;
	}
	slot = stf_pool_slot(z->pool);
	if (!stf_pool_grow(z->pool, slot, *room, bound))
		return no_memory(z);
	stf_pool_swap(z->pool, slot, buf, room);
	slot->in_size = size;
	slot->pc = pc;
	stf_pool_submit(z->pool);
	return z->threads ? 0 : write_chunks(z);
}

static void zstf_close(struct stf_sink *sink)
{
	struct zstf *z = (struct zstf *)sink;
	unsigned int i;

	stf_pool_free(z->pool);
	for (i = 0; i < STF_POOL_MAX; i++)
		ZSTD_freeCCtx(z->cctx[i]);
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

/* One slot for each thread, and one to fill meanwhile. */
static int open_pool(struct zstf *z, int level)
{
	unsigned int i;

	for (i = 0; i < z->threads || i < 1; i++) {
		z->cctx[i] = new_cctx(level);
		if (!z->cctx[i])
			return no_memory(z);
	}
	z->pool = stf_pool_new(z->threads, z->threads + 1, compress, z);
	return z->pool ? 0 : no_memory(z);
}

static int start(struct zstf *z, int level)
{
	struct stf_file *file = z->sink.file;
	uint8_t header[ZSTF_CHUNKS] = "ZSTF";
	enum { FIRST_ROOM = 4096 };

	if (!file->calls.write_at)
		return stf_fail(file->err, STF_E_INVAL,
				"%s: %s", file->path, file->why_stream);
	z->index = calloc(1, FIRST_ROOM);
	if (!z->index)
		return no_memory(z);
	z->index_room = FIRST_ROOM;
	z->index_size = ZSTF_INDEX_ENTRIES;
	z->end = z->indexed = ZSTF_CHUNKS;
	stf_put64(header + ZSTF_MARKERS, z->sink.chunk_markers);
	if (open_pool(z, level))
		return STF_E_NOMEM;
	return stf_file_write_at(file, header, sizeof(header), 0);
}

struct stf_sink *stf_sink_zstf(struct stf_file *file, uint64_t chunk_markers,
			       int level, unsigned int threads)
{
	struct zstf *z = calloc(1, sizeof(*z));

	if (!z) {
		stf_no_memory(file->err, file->path);
		return NULL;
	}
	z->sink.ops = &zstf_ops;
	z->sink.file = file;
	z->sink.chunk_markers = chunk_markers;
	z->threads = threads;
	if (start(z, level)) {
		zstf_close(&z->sink);
		return NULL;
	}
	return &z->sink;
}
