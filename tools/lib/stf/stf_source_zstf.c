// SPDX-License-Identifier: BSD-2-Clause
/*
 * The chunked container. Chunks are read and decompressed ahead by threads, into
 * a ring of slots of which the reader sees one at a time.
 */
#include "stf/stf_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "stf/stf_bytes.h"
#include "stf/stf_pool.h"
#include "stf/stf_zstf.h"

/*
 * A zstd block shows at most 128 KiB and takes at least 4 bytes: what is said
 * to inflate to more than that cannot.
 */
#define MOST_PER_BLOCK (UINT64_C(128) << 10)
#define LEAST_BLOCK 4

struct zstf {
	struct stf_source src;
	uint64_t end; /* of the last chunk */
	uint8_t *index; /* the entries, as on disk */
	uint64_t max;

	uint64_t next; /* the chunk that more() shows next */
	uint64_t ahead; /* the chunk that is handed in next */
	unsigned int threads;
	ZSTD_DCtx *dctx[STF_POOL_MAX]; /* one for each thread, at least one */
	struct stf_pool *pool;
};

static uint64_t entry(const struct zstf *z, uint64_t nr, unsigned int field)
{
	return stf_get64(z->index + nr * ZSTF_ENTRY + field);
}

static int broken(struct zstf *z, const char *what)
{
	return stf_fail(z->src.in->err, STF_E_CONTAINER, "%s: chunk %" PRIu64
			" of the container %s", z->src.in->path, z->next, what);
}

static int no_memory(struct zstf *z, uint64_t size)
{
	return stf_fail(z->src.in->err, STF_E_NOMEM, "%s: no memory for %" PRIu64
			" bytes", z->src.in->path, size);
}

/* -------------------------------------------------------------------- the jobs */

static void fetch(struct zstf *z, struct stf_slot *slot)
{
	int64_t n = z->src.in->read_at(z->src.in, slot->in, slot->in_size, slot->offset);

	slot->read_errno = n < 0 ? errno : 0;
	slot->cut = n >= 0 && (uint64_t)n < slot->in_size;
}

static void inflate(void *user, struct stf_slot *slot, unsigned int worker)
{
	struct zstf *z = user;
	const uint8_t *from = slot->in;

	if (z->src.in->memory)
		from = z->src.in->memory + slot->offset;
	else if (z->src.in->any_thread)
		fetch(z, slot);
	if (!slot->read_errno && !slot->cut)
		slot->got = ZSTD_decompressDCtx(z->dctx[worker], slot->out,
						slot->out_size, from,
						slot->in_size);
}

/* The bytes of a chunk in the file; 0 if they are not where they can be. */
static uint64_t chunk_bytes(const struct zstf *z, uint64_t nr, uint64_t *offset)
{
	bool last = nr + 1 == z->src.chunks;
	uint64_t end = last ? z->end : entry(z, nr + 1, ZSTF_ENTRY_OFFSET);

	*offset = entry(z, nr, ZSTF_ENTRY_OFFSET);
	if (*offset < ZSTF_CHUNKS || end > z->end || *offset >= end)
		return 0;
	return end - *offset;
}

static bool possible(uint64_t bytes, uint64_t size)
{
	return bytes && size && size / MOST_PER_BLOCK <= bytes / LEAST_BLOCK;
}

/* Hand in the chunk z->ahead. Returns 1, 0 if it has to wait, or an error. */
static int submit(struct zstf *z)
{
	struct stf_slot *slot = stf_pool_slot(z->pool);
	uint64_t offset, bytes = chunk_bytes(z, z->ahead, &offset);
	uint64_t size = entry(z, z->ahead, ZSTF_ENTRY_SIZE);
	bool needed = z->ahead == z->next;

	if (!possible(bytes, size) || size > z->max) {
		if (!needed)
			return 0;
		if (!bytes)
			return broken(z, "lies outside the file");
		if (!possible(bytes, size))
			return broken(z, "has an impossible size in the index");
		return stf_fail(z->src.in->err, STF_E_NOMEM, "%s: chunk %" PRIu64
				" takes %" PRIu64 " bytes of memory, more than the limit of %"
				PRIu64, z->src.in->path, z->next, size, z->max);
	}
	if (!needed && stf_pool_too_much(z->pool, slot, bytes + size))
		return 0;
	if (!stf_pool_grow(z->pool, slot, z->src.in->memory ? 0 : bytes, size))
		return needed ? no_memory(z, size) : 0;
	slot->offset = offset;
	slot->in_size = bytes;
	slot->out_size = size;
	if (!z->src.in->memory && !z->src.in->any_thread)
		fetch(z, slot);
	z->ahead++;
	stf_pool_submit(z->pool);
	return 1;
}

/* Whether the chunk just read was as the container's header promises. */
static int check_chunk(struct zstf *z)
{
	const struct stf_window *win = &z->src.win;
	bool last = z->next == z->src.chunks;
	const char *what = NULL;

	if (win->markers > z->src.chunk_markers)
		what = "holds more instructions than the header says";
	else if (!last && win->markers < z->src.chunk_markers)
		what = "holds fewer instructions than the header says";
	else if (!last && win->marker_end != win->end)
		what = "does not end with an instruction";
	if (!what)
		return 0;
	z->next = z->src.chunk;
	return broken(z, what);
}

static int check_slot(struct zstf *z, const struct stf_slot *slot)
{
	const char *path = z->src.in->path;

	if (slot->read_errno) {
		errno = slot->read_errno;
		return stf_fail_errno(z->src.in->err, "%s", path);
	}
	if (slot->cut)
		return broken(z, "lies outside the file");
	if (ZSTD_isError(slot->got))
		return stf_fail(z->src.in->err, STF_E_CONTAINER, "%s: chunk %" PRIu64
				" of the container does not inflate: %s", path,
				z->next, ZSTD_getErrorName(slot->got));
	if (slot->got != slot->out_size)
		return broken(z, "has another size than the index says");
	return 0;
}

static int zstf_more(struct stf_source *src)
{
	struct zstf *z = (struct zstf *)src;
	struct stf_window *win = &src->win;
	const struct stf_slot *slot;
	int ret = 1;

	if (win->start) {
		ret = check_chunk(z);
		if (ret)
			return ret;
	}
	if (z->next == z->src.chunks)
		return 0;
	do {
		ret = z->ahead < z->src.chunks ? submit(z) : 0;
	} while (ret > 0 && z->threads && stf_pool_slot(z->pool));
	if (ret < 0)
		return ret;
	slot = stf_pool_take(z->pool);
	ret = check_slot(z, slot);
	if (ret)
		return ret;
	win->offset += (uint64_t)(win->end - win->start);
	win->start = win->pos = win->keep = slot->out;
	win->end = slot->out + slot->out_size;
	win->marker_end = NULL;
	win->markers = 0;
	src->chunk_pc = entry(z, z->next, ZSTF_ENTRY_PC);
	src->chunk = z->next++;
	return 1;
}

static int zstf_seek(struct stf_source *src, uint64_t chunk, uint64_t *pc)
{
	struct zstf *z = (struct zstf *)src;
	struct stf_window *win = &src->win;
	uint64_t i;

	if (chunk >= z->src.chunks || (z->src.recovered && chunk))
		return STF_E_INVAL;
	while (stf_pool_jobs(z->pool))
		stf_pool_take(z->pool);
	z->next = z->ahead = chunk;
	*win = (struct stf_window){ 0 };
	for (i = 0; i < chunk; i++)
		win->offset += entry(z, i, ZSTF_ENTRY_SIZE);
	*pc = entry(z, chunk, ZSTF_ENTRY_PC);
	return 0;
}

static void zstf_close(struct stf_source *src)
{
	struct zstf *z = (struct zstf *)src;
	unsigned int i;

	stf_pool_free(z->pool);
	for (i = 0; i < STF_POOL_MAX; i++)
		ZSTD_freeDCtx(z->dctx[i]);
	free(z->index);
	z->src.in->close(z->src.in);
	free(z);
}

static const struct stf_source_ops zstf_ops = {
	.more = zstf_more,
	.seek = zstf_seek,
	.close = zstf_close,
};

/* -------------------------------------------------------------------- opening */

static int read_exactly(struct zstf *z, void *buf, uint64_t size,
			uint64_t offset)
{
	int64_t n = z->src.in->read_at(z->src.in, buf, size, offset);

	if (n < 0)
		return stf_fail_errno(z->src.in->err, "%s", z->src.in->path);
	if ((uint64_t)n < size)
		return stf_fail(z->src.in->err, STF_E_CUT,
				"%s: cut at byte %" PRIu64, z->src.in->path,
				offset + (uint64_t)n);
	return 0;
}

/* The index fills the file from END to its last byte. */
static int read_index(struct zstf *z)
{
	struct stf_error *err = z->src.in->err;
	const char *path = z->src.in->path;
	uint8_t count[ZSTF_INDEX_ENTRIES];
	uint64_t rest;
	int ret;

	if (z->end <= ZSTF_CHUNKS || z->end > z->src.in->size ||
	    z->src.in->size - z->end < ZSTF_INDEX_ENTRIES)
		return stf_fail(err, STF_E_CONTAINER,
				"%s: the container's index, at byte %" PRIu64
				" of %" PRIu64 ", is not in the file: is it cut short?",
				path, z->end, z->src.in->size);
	ret = read_exactly(z, count, sizeof(count), z->end);
	if (ret)
		return ret;
	rest = z->src.in->size - z->end - ZSTF_INDEX_ENTRIES;
	z->src.chunks = stf_get64(count);
	if (!z->src.chunks || rest % ZSTF_ENTRY || z->src.chunks != rest / ZSTF_ENTRY)
		return stf_fail(err, STF_E_CONTAINER,
				"%s: the container's index of %" PRIu64
				" chunks does not end with the file", path,
				z->src.chunks);
	z->index = malloc(rest);
	if (!z->index)
		return no_memory(z, rest);
	return read_exactly(z, z->index, rest, z->end + ZSTF_INDEX_ENTRIES);
}

/*
 * The length of the frame at an offset, its uncompressed size in *size; 0 if
 * there is no whole frame. *buf grows with the frames.
 */
static uint64_t whole_frame(struct zstf *z, uint64_t offset, uint8_t **buf,
			    uint64_t *room, uint64_t *size)
{
	for (;;) {
		int64_t n = *room ? z->src.in->read_at(z->src.in, *buf, *room, offset) :
				    0;
		size_t frame = n > 0 ? ZSTD_findFrameCompressedSize(*buf, (size_t)n) : 0;
		uint8_t *p;

		if (n < 0)
			return 0;
		if (*room && !ZSTD_isError(frame)) {
			*size = ZSTD_getFrameContentSize(*buf, (size_t)n);
			return *size < ZSTD_CONTENTSIZE_ERROR ? frame : 0;
		}
		if (*room && (uint64_t)n < *room)
			return 0;
		p = realloc(*buf, *room ? *room * 2 : 1 << 20);
		if (!p || *room > z->max) {
			*buf = p ? p : *buf;
			return 0;
		}
		*buf = p;
		*room = *room ? *room * 2 : 1 << 20;
	}
}

static bool add_entry(struct zstf *z, uint64_t offset, uint64_t size)
{
	uint8_t *p = z->index;

	/* Room grows in powers of two. */
	if (!(z->src.chunks & (z->src.chunks - 1)))
		p = realloc(p, (z->src.chunks ? z->src.chunks * 2 : 1) * ZSTF_ENTRY);
	if (!p)
		return false;
	z->index = p;
	p += z->src.chunks++ * ZSTF_ENTRY;
	stf_put64(p + ZSTF_ENTRY_OFFSET, offset);
	stf_put64(p + ZSTF_ENTRY_PC, 0);
	stf_put64(p + ZSTF_ENTRY_SIZE, size);
	return true;
}

/*
 * The writer was killed while it replaced the index: take all the chunks that
 * are whole.
 */
static int recover(struct zstf *z)
{
	uint64_t offset = ZSTF_CHUNKS, room = 0, size, frame;
	uint8_t *buf = NULL;
	bool ok = true;

	z->src.recovered = true;
	while (ok && (frame = whole_frame(z, offset, &buf, &room, &size))) {
		ok = add_entry(z, offset, size);
		offset += frame;
	}
	free(buf);
	if (!ok)
		return no_memory(z, z->src.chunks * ZSTF_ENTRY * 2);
	z->end = offset;
	if (!z->src.chunks)
		return stf_fail(z->src.in->err, STF_E_CONTAINER,
				"%s: the container was not completed by its writer, and holds no whole chunk",
				z->src.in->path);
	return 0;
}

static int open_index(struct zstf *z)
{
	uint8_t header[ZSTF_CHUNKS];
	int ret;

	if (z->src.in->size < ZSTF_CHUNKS)
		return stf_fail(z->src.in->err, STF_E_CUT,
				"%s: cut inside the container's header",
				z->src.in->path);
	ret = read_exactly(z, header, sizeof(header), 0);
	if (ret)
		return ret;
	z->src.chunk_markers = stf_get64(header + ZSTF_MARKERS);
	z->end = stf_get64(header + ZSTF_END);
	if (!z->src.chunk_markers)
		return stf_fail(z->src.in->err, STF_E_CONTAINER,
				"%s: the container says 0 instructions per chunk",
				z->src.in->path);
	return z->end ? read_index(z) : recover(z);
}

/* Two slots more than threads: the one shown, and one that is ready. */
static int open_pool(struct zstf *z)
{
	unsigned int i;

	if (z->threads > z->src.chunks - 1)
		z->threads = (unsigned int)(z->src.chunks - 1);
	for (i = 0; i < z->threads || i < 1; i++) {
		z->dctx[i] = ZSTD_createDCtx();
		if (!z->dctx[i])
			return stf_no_memory(z->src.in->err, z->src.in->path);
	}
	z->pool = stf_pool_new(z->threads, z->threads + 2, inflate, z);
	return z->pool ? 0 : stf_no_memory(z->src.in->err, z->src.in->path);
}

struct stf_source *stf_source_zstf(struct stf_input *in, uint64_t max_buffer,
				   unsigned int threads)
{
	struct zstf *z = calloc(1, sizeof(*z));

	if (!z) {
		stf_no_memory(in->err, in->path);
		in->close(in);
		return NULL;
	}
	z->src.ops = &zstf_ops;
	z->src.container = STF_CONTAINER_ZSTF;
	z->src.in = in;
	z->max = max_buffer;
	z->threads = threads;
	if (open_index(z) || open_pool(z)) {
		zstf_close(&z->src);
		return NULL;
	}
	return &z->src;
}
