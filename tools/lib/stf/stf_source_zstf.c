// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "stf/stf_bytes.h"
#include "stf/stf_zstf.h"

/*
 * A zstd block shows at most 128 KiB and takes at least 4 bytes: what is said
 * to inflate to more than that cannot.
 */
#define MOST_PER_BLOCK (UINT64_C(128) << 10)
#define LEAST_BLOCK 4

struct zstf {
	struct stf_source src;
	struct stf_map map;
	uint64_t chunk_markers;
	uint64_t chunks;
	uint64_t end; /* of the last chunk */
	const uint8_t *index; /* the entries */
	uint64_t next; /* the chunk that more() shows next */
	uint64_t max;
	uint8_t *buf;
	uint64_t size;
	ZSTD_DCtx *dctx;
};

static uint64_t entry(const struct zstf *z, uint64_t nr, unsigned int field)
{
	return stf_get64(z->index + nr * ZSTF_ENTRY + field);
}

static int broken(struct zstf *z, const char *what)
{
	return stf_fail(z->src.err, STF_E_CONTAINER, "%s: chunk %" PRIu64
			" of the container %s", z->src.path, z->next, what);
}

/* The bytes of chunk z->next in the file; 0 if they are not where they can be. */
static uint64_t chunk_bytes(const struct zstf *z, uint64_t *offset)
{
	bool last = z->next + 1 == z->chunks;
	uint64_t end = last ? z->end :
			      entry(z, z->next + 1, ZSTF_ENTRY_OFFSET);

	*offset = entry(z, z->next, ZSTF_ENTRY_OFFSET);
	if (*offset < ZSTF_CHUNKS || end > z->end || *offset >= end)
		return 0;
	return end - *offset;
}

static int reserve(struct zstf *z, uint64_t size)
{
	if (size <= z->size)
		return 0;
	free(z->buf);
	z->size = 0;
	z->buf = malloc(size);
	if (!z->buf)
		return stf_fail(z->src.err, STF_E_NOMEM, "%s: no memory for %"
				PRIu64 " bytes", z->src.path, size);
	z->size = size;
	return 0;
}

/* Whether the chunk just read was as the container's header promises. */
static int check_chunk(struct zstf *z)
{
	const struct stf_window *win = &z->src.win;
	bool last = z->next == z->chunks;
	const char *what = NULL;

	if (win->markers > z->chunk_markers)
		what = "holds more instructions than the header says";
	else if (!last && win->markers < z->chunk_markers)
		what = "holds fewer instructions than the header says";
	else if (!last && win->marker_end != win->end)
		what = "does not end with an instruction";
	if (!what)
		return 0;
	z->next = z->src.chunk;
	return broken(z, what);
}

static int zstf_more(struct stf_source *src)
{
	struct zstf *z = (struct zstf *)src;
	uint64_t offset, size, bytes;
	struct stf_window *win = &src->win;
	size_t got;
	int err;

	if (win->start) {
		err = check_chunk(z);
		if (err)
			return err;
		if (z->next == z->chunks)
			return 0;
	}
	bytes = chunk_bytes(z, &offset);
	size = entry(z, z->next, ZSTF_ENTRY_SIZE);
	if (!bytes)
		return broken(z, "lies outside the file");
	if (!size || size / MOST_PER_BLOCK > bytes / LEAST_BLOCK)
		return broken(z, "has an impossible size in the index");
	if (size > z->max)
		return stf_fail(src->err, STF_E_NOMEM, "%s: chunk %" PRIu64
				" takes %" PRIu64 " bytes of memory, more than the limit of %"
				PRIu64, src->path, z->next, size, z->max);
	err = reserve(z, size);
	if (err)
		return err;
	got = ZSTD_decompressDCtx(z->dctx, z->buf, size, z->map.data + offset,
				  bytes);
	if (ZSTD_isError(got))
		return stf_fail(src->err, STF_E_CONTAINER, "%s: chunk %" PRIu64
				" of the container does not inflate: %s",
				src->path, z->next, ZSTD_getErrorName(got));
	if (got != size)
		return broken(z, "has another size than the index says");
	win->offset += (uint64_t)(win->end - win->start);
	win->start = win->pos = win->keep = z->buf;
	win->end = z->buf + size;
	win->marker_end = NULL;
	win->markers = 0;
	src->chunk = z->next++;
	return 1;
}

static void zstf_stats(const struct stf_source *src, struct stf_stats *stats)
{
	const struct zstf *z = (const struct zstf *)src;

	stats->container = STF_CONTAINER_ZSTF;
	stats->file_bytes = z->map.size;
	stats->chunks = z->chunks;
	stats->chunk_markers = z->chunk_markers;
}

static void zstf_close(struct stf_source *src)
{
	struct zstf *z = (struct zstf *)src;

	ZSTD_freeDCtx(z->dctx);
	free(z->buf);
	stf_unmap(z->map);
	free(z);
}

static const struct stf_source_ops zstf_ops = {
	.more = zstf_more,
	.stats = zstf_stats,
	.close = zstf_close,
};

/* The index fills the file from END to its last byte. */
static int open_index(struct zstf *z)
{
	const struct stf_map *map = &z->map;
	struct stf_error *err = z->src.err;
	const char *path = z->src.path;
	uint64_t rest;

	if (map->size < ZSTF_CHUNKS)
		return stf_fail(err, STF_E_CUT,
				"%s: cut inside the container's header", path);
	z->chunk_markers = stf_get64(map->data + ZSTF_MARKERS);
	z->end = stf_get64(map->data + ZSTF_END);
	if (!z->chunk_markers)
		return stf_fail(err, STF_E_CONTAINER,
				"%s: the container says 0 instructions per chunk",
				path);
	if (!z->end)
		return stf_fail(err, STF_E_CONTAINER,
				"%s: the container was not completed by its writer",
				path);
	if (z->end <= ZSTF_CHUNKS || z->end > map->size ||
	    map->size - z->end < ZSTF_INDEX_ENTRIES)
		return stf_fail(err, STF_E_CONTAINER,
				"%s: the container's index, at byte %" PRIu64
				" of %zu, is not in the file: is it cut short?",
				path, z->end, map->size);
	rest = map->size - z->end - ZSTF_INDEX_ENTRIES;
	z->chunks = stf_get64(map->data + z->end);
	z->index = map->data + z->end + ZSTF_INDEX_ENTRIES;
	if (!z->chunks || rest % ZSTF_ENTRY || z->chunks != rest / ZSTF_ENTRY)
		return stf_fail(err, STF_E_CONTAINER,
				"%s: the container's index of %" PRIu64
				" chunks does not end with the file", path,
				z->chunks);
	return 0;
}

struct stf_source *stf_source_zstf(struct stf_map map, const char *path,
				   uint64_t max_buffer, struct stf_error *err)
{
	struct zstf *z = calloc(1, sizeof(*z));

	if (!z) {
		stf_unmap(map);
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	z->src.ops = &zstf_ops;
	z->src.path = path;
	z->src.err = err;
	z->src.chunked = true;
	z->map = map;
	z->max = max_buffer;
	z->dctx = ZSTD_createDCtx();
	if (!z->dctx)
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
	if (!z->dctx || open_index(z)) {
		zstf_close(&z->src);
		return NULL;
	}
	return &z->src;
}
