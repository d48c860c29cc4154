// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_sink.h"

#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "stf/stf_bytes.h"
#include "stf/stf_zstf.h"

struct zstf {
	struct stf_sink sink;
	ZSTD_CCtx *cctx;
	uint64_t end; /* offset after the last chunk */
	uint8_t *index; /* N and the entries, as on disk */
	size_t index_size; /* bytes in use */
	size_t index_room;
	uint8_t *buf; /* a compressed chunk, and the index behind it */
	size_t room;
};

static int no_memory(struct zstf *z)
{
	return stf_fail(z->sink.err, STF_E_NOMEM, "%s: no memory",
			z->sink.file.path);
}

static int reserve(struct zstf *z, uint8_t **buf, size_t *room, size_t size)
{
	uint8_t *p;

	if (size <= *room)
		return 0;
	size += size / 2;
	p = realloc(*buf, size);
	if (!p)
		return no_memory(z);
	*buf = p;
	*room = size;
	return 0;
}

static int add_entry(struct zstf *z, uint64_t size, uint64_t pc)
{
	uint8_t *entry;
	int err;

	err = reserve(z, &z->index, &z->index_room, z->index_size + ZSTF_ENTRY);
	if (err)
		return err;
	entry = z->index + z->index_size;
	stf_put64(entry + ZSTF_ENTRY_OFFSET, z->end);
	stf_put64(entry + ZSTF_ENTRY_PC, z->sink.chunks ? pc : 0);
	stf_put64(entry + ZSTF_ENTRY_SIZE, size);
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
static int zstf_put(struct stf_sink *sink, const uint8_t *data, size_t size,
		    uint64_t pc)
{
	struct zstf *z = (struct zstf *)sink;
	size_t bound = ZSTD_compressBound(size), n;
	int err;

	err = add_entry(z, size, pc);
	if (!err)
		err = reserve(z, &z->buf, &z->room, bound + z->index_size);
	if (err)
		return err;
	n = ZSTD_compress2(z->cctx, z->buf, bound, data, size);
	if (ZSTD_isError(n))
		return stf_fail(sink->err, STF_E_NOMEM, "%s: cannot compress: %s",
				sink->file.path, ZSTD_getErrorName(n));
	memcpy(z->buf + n, z->index, z->index_size);
	err = put_end(z, 0);
	if (!err)
		err = stf_file_write_at(&sink->file, z->end, z->buf,
					n + z->index_size);
	z->end += n;
	if (!err)
		err = put_end(z, z->end);
	sink->file.size = z->end + z->index_size;
	return err;
}

static void zstf_close(struct stf_sink *sink)
{
	struct zstf *z = (struct zstf *)sink;

	ZSTD_freeCCtx(z->cctx);
	free(z->index);
	free(z->buf);
	free(z);
}

static const struct stf_sink_ops zstf_ops = {
	.put = zstf_put,
	.close = zstf_close,
};

static int start(struct zstf *z, int level)
{
	uint8_t header[ZSTF_CHUNKS] = "ZSTF";

	if (lseek(z->sink.file.fd, 0, SEEK_CUR) < 0)
		return stf_fail(z->sink.err, STF_E_INVAL,
				"%s: a .zstf is written to a file only, not to a pipe",
				z->sink.file.path);
	z->cctx = ZSTD_createCCtx();
	if (!z->cctx || reserve(z, &z->index, &z->index_room, 4096))
		return no_memory(z);
	ZSTD_CCtx_setParameter(z->cctx, ZSTD_c_compressionLevel, level);
	/* Four bytes a chunk, and no damage goes unseen. */
	ZSTD_CCtx_setParameter(z->cctx, ZSTD_c_checksumFlag, 1);
	z->index_size = ZSTF_INDEX_ENTRIES;
	z->end = ZSTF_CHUNKS;
	stf_put64(header + ZSTF_MARKERS, z->sink.chunk_markers);
	return stf_file_write_at(&z->sink.file, 0, header, sizeof(header));
}

struct stf_sink *stf_sink_zstf(const char *path, uint64_t chunk_markers,
			       int level, struct stf_error *err)
{
	struct zstf *z = calloc(1, sizeof(*z));

	if (!z) {
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	z->sink.ops = &zstf_ops;
	z->sink.err = err;
	z->sink.chunk_markers = chunk_markers;
	if (stf_file_open(&z->sink.file, path, err)) {
		free(z);
		return NULL;
	}
	if (start(z, level)) {
		stf_file_close(&z->sink.file);
		zstf_close(&z->sink);
		return NULL;
	}
	return &z->sink;
}
