// SPDX-License-Identifier: BSD-2-Clause
/*
 * The chunked container. Chunks are read and decompressed ahead by threads, into
 * a ring of slots of which the reader sees one at a time.
 */
#include "stf/stf_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
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

/* Chunks are not read ahead if their buffers would be more than this. */
#define AHEAD_BYTES (UINT64_C(32) << 20)

/* One chunk. The thread that has the job touches nothing else. */
struct slot {
	uint64_t offset;
	uint64_t bytes; /* compressed */
	uint64_t size; /* uncompressed */
	uint8_t *in;
	uint64_t in_room;
	uint8_t *out;
	uint64_t out_room;
	int read_errno; /* it could not be read */
	bool cut; /* the file has become shorter */
	size_t got; /* what ZSTD_decompressDCtx() returned */
};

struct zstf {
	struct stf_source src;
	int fd;
	uint64_t file_size;
	uint64_t chunk_markers;
	uint64_t chunks;
	uint64_t end; /* of the last chunk */
	uint8_t *index; /* the entries, as on disk */
	bool recovered; /* the index was made from the chunks */
	uint64_t max;

	uint64_t next; /* the chunk that more() shows next */
	uint64_t ahead; /* the chunk that is handed in next */
	uint64_t shown; /* jobs taken back */
	uint64_t submitted; /* jobs handed in */
	uint64_t room; /* bytes of all slots' buffers */
	unsigned int threads;
	unsigned int n_slots;
	struct slot *slots;
	ZSTD_DCtx **dctx; /* one for each thread, at least one */
	struct stf_pool *pool;
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

static int no_memory(struct zstf *z, uint64_t size)
{
	return stf_fail(z->src.err, STF_E_NOMEM, "%s: no memory for %" PRIu64
			" bytes", z->src.path, size);
}

/* pread(2) until size bytes are there or the file ends; -1 with errno. */
static ssize_t read_at(int fd, void *buf, uint64_t size, uint64_t offset)
{
	uint64_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)buf + done, size - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return n;
		if (!n)
			break;
		done += (uint64_t)n;
	}
	return (ssize_t)done;
}

/* -------------------------------------------------------------------- the jobs */

static void inflate(void *user, unsigned int nr, unsigned int worker)
{
	struct zstf *z = user;
	struct slot *slot = &z->slots[nr];
	ssize_t n = read_at(z->fd, slot->in, slot->bytes, slot->offset);

	slot->read_errno = n < 0 ? errno : 0;
	slot->cut = n >= 0 && (uint64_t)n < slot->bytes;
	if (!slot->read_errno && !slot->cut)
		slot->got = ZSTD_decompressDCtx(z->dctx[worker], slot->out,
						slot->size, slot->in,
						slot->bytes);
}

/* The bytes of a chunk in the file; 0 if they are not where they can be. */
static uint64_t chunk_bytes(const struct zstf *z, uint64_t nr, uint64_t *offset)
{
	bool last = nr + 1 == z->chunks;
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
	struct slot *slot = &z->slots[z->submitted % z->n_slots];
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
		return stf_fail(z->src.err, STF_E_NOMEM, "%s: chunk %" PRIu64
				" takes %" PRIu64 " bytes of memory, more than the limit of %"
				PRIu64, z->src.path, z->next, size, z->max);
	}
	if (!needed && z->room - slot->in_room - slot->out_room + bytes + size >
			       AHEAD_BYTES)
		return 0;
	if (!zstf_grow(&z->room, &slot->in, &slot->in_room, bytes) ||
	    !zstf_grow(&z->room, &slot->out, &slot->out_room, size))
		return needed ? no_memory(z, size) : 0;
	slot->offset = offset;
	slot->bytes = bytes;
	slot->size = size;
	z->ahead++;
	z->submitted++;
	stf_pool_submit(z->pool);
	return 1;
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

static int take_slot(struct zstf *z, const struct slot *slot)
{
	const char *path = z->src.path;

	if (slot->read_errno) {
		errno = slot->read_errno;
		return stf_fail_errno(z->src.err, "%s", path);
	}
	if (slot->cut)
		return broken(z, "lies outside the file");
	if (ZSTD_isError(slot->got))
		return stf_fail(z->src.err, STF_E_CONTAINER, "%s: chunk %" PRIu64
				" of the container does not inflate: %s", path,
				z->next, ZSTD_getErrorName(slot->got));
	if (slot->got != slot->size)
		return broken(z, "has another size than the index says");
	return 0;
}

static int zstf_more(struct stf_source *src)
{
	struct zstf *z = (struct zstf *)src;
	struct stf_window *win = &src->win;
	const struct slot *slot;
	int ret = 1;

	if (win->start) {
		ret = check_chunk(z);
		if (ret)
			return ret;
	}
	if (z->next == z->chunks)
		return 0;
	do {
		ret = z->ahead < z->chunks ? submit(z) : 0;
	} while (ret > 0 && z->threads &&
		 z->submitted < z->shown + z->n_slots);
	if (ret < 0)
		return ret;
	slot = &z->slots[z->shown % z->n_slots];
	stf_pool_wait(z->pool, z->shown++);
	ret = take_slot(z, slot);
	if (ret)
		return ret;
	win->offset += (uint64_t)(win->end - win->start);
	win->start = win->pos = win->keep = slot->out;
	win->end = slot->out + slot->size;
	win->marker_end = NULL;
	win->markers = 0;
	src->chunk = z->next++;
	return 1;
}

static int zstf_seek(struct stf_source *src, uint64_t chunk, uint64_t *pc)
{
	struct zstf *z = (struct zstf *)src;
	struct stf_window *win = &src->win;
	uint64_t i;

	if (chunk >= z->chunks || (z->recovered && chunk))
		return STF_E_INVAL;
	while (z->shown < z->submitted)
		stf_pool_wait(z->pool, z->shown++);
	z->next = z->ahead = chunk;
	*win = (struct stf_window){ 0 };
	for (i = 0; i < chunk; i++)
		win->offset += entry(z, i, ZSTF_ENTRY_SIZE);
	*pc = entry(z, chunk, ZSTF_ENTRY_PC);
	return 0;
}

static void zstf_stats(const struct stf_source *src, struct stf_stats *stats)
{
	const struct zstf *z = (const struct zstf *)src;

	stats->container = STF_CONTAINER_ZSTF;
	stats->file_bytes = z->file_size;
	stats->chunks = z->chunks;
	stats->chunk_markers = z->chunk_markers;
	stats->recovered = z->recovered;
}

static void zstf_close(struct stf_source *src)
{
	struct zstf *z = (struct zstf *)src;
	unsigned int i;

	stf_pool_free(z->pool);
	for (i = 0; z->slots && i < z->n_slots; i++) {
		free(z->slots[i].in);
		free(z->slots[i].out);
	}
	free(z->slots);
	for (i = 0; z->dctx && i < z->n_slots; i++)
		ZSTD_freeDCtx(z->dctx[i]);
	free(z->dctx);
	free(z->index);
	close(z->fd);
	free(z);
}

static const struct stf_source_ops zstf_ops = {
	.more = zstf_more,
	.seek = zstf_seek,
	.stats = zstf_stats,
	.close = zstf_close,
};

/* -------------------------------------------------------------------- opening */

static int read_exactly(struct zstf *z, void *buf, uint64_t size,
			uint64_t offset)
{
	ssize_t n = read_at(z->fd, buf, size, offset);

	if (n < 0)
		return stf_fail_errno(z->src.err, "%s", z->src.path);
	if ((uint64_t)n < size)
		return stf_fail(z->src.err, STF_E_CUT,
				"%s: cut at byte %" PRIu64, z->src.path,
				offset + (uint64_t)n);
	return 0;
}

/* The index fills the file from END to its last byte. */
static int read_index(struct zstf *z)
{
	struct stf_error *err = z->src.err;
	const char *path = z->src.path;
	uint8_t count[ZSTF_INDEX_ENTRIES];
	uint64_t rest;
	int ret;

	if (z->end <= ZSTF_CHUNKS || z->end > z->file_size ||
	    z->file_size - z->end < ZSTF_INDEX_ENTRIES)
		return stf_fail(err, STF_E_CONTAINER,
				"%s: the container's index, at byte %" PRIu64
				" of %" PRIu64 ", is not in the file: is it cut short?",
				path, z->end, z->file_size);
	ret = read_exactly(z, count, sizeof(count), z->end);
	if (ret)
		return ret;
	rest = z->file_size - z->end - ZSTF_INDEX_ENTRIES;
	z->chunks = stf_get64(count);
	if (!z->chunks || rest % ZSTF_ENTRY || z->chunks != rest / ZSTF_ENTRY)
		return stf_fail(err, STF_E_CONTAINER,
				"%s: the container's index of %" PRIu64
				" chunks does not end with the file", path,
				z->chunks);
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
		ssize_t n = *room ? read_at(z->fd, *buf, *room, offset) : 0;
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
	if (!(z->chunks & (z->chunks - 1)))
		p = realloc(p, (z->chunks ? z->chunks * 2 : 1) * ZSTF_ENTRY);
	if (!p)
		return false;
	z->index = p;
	p += z->chunks++ * ZSTF_ENTRY;
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

	z->recovered = true;
	while (ok && (frame = whole_frame(z, offset, &buf, &room, &size))) {
		ok = add_entry(z, offset, size);
		offset += frame;
	}
	free(buf);
	if (!ok)
		return no_memory(z, z->chunks * ZSTF_ENTRY * 2);
	z->end = offset;
	if (!z->chunks)
		return stf_fail(z->src.err, STF_E_CONTAINER,
				"%s: the container was not completed by its writer, and holds no whole chunk",
				z->src.path);
	return 0;
}

static int open_index(struct zstf *z)
{
	uint8_t header[ZSTF_CHUNKS];
	struct stat st;
	int ret;

	if (fstat(z->fd, &st))
		return stf_fail_errno(z->src.err, "%s", z->src.path);
	z->file_size = (uint64_t)st.st_size;
	if (z->file_size < ZSTF_CHUNKS)
		return stf_fail(z->src.err, STF_E_CUT,
				"%s: cut inside the container's header",
				z->src.path);
	ret = read_exactly(z, header, sizeof(header), 0);
	if (ret)
		return ret;
	z->chunk_markers = stf_get64(header + ZSTF_MARKERS);
	z->end = stf_get64(header + ZSTF_END);
	if (!z->chunk_markers)
		return stf_fail(z->src.err, STF_E_CONTAINER,
				"%s: the container says 0 instructions per chunk",
				z->src.path);
	return z->end ? read_index(z) : recover(z);
}

/* Two slots more than threads: the one shown, and one that is ready. */
static int open_slots(struct zstf *z)
{
	unsigned int i;

	if (z->threads > z->chunks - 1)
		z->threads = (unsigned int)(z->chunks - 1);
	z->n_slots = z->threads + 2;
	z->slots = calloc(z->n_slots, sizeof(*z->slots));
	z->dctx = calloc(z->n_slots, sizeof(*z->dctx));
	if (!z->slots || !z->dctx)
		return no_memory(z, sizeof(*z->slots) * z->n_slots);
	for (i = 0; i < z->threads || i < 1; i++) {
		z->dctx[i] = ZSTD_createDCtx();
		if (!z->dctx[i])
			return no_memory(z, 0);
	}
	z->pool = stf_pool_new(z->threads, z->n_slots, inflate, z);
	return z->pool ? 0 : no_memory(z, 0);
}

struct stf_source *stf_source_zstf(int fd, const char *path,
				   uint64_t max_buffer, unsigned int threads,
				   struct stf_error *err)
{
	struct zstf *z = calloc(1, sizeof(*z));

	if (!z) {
		close(fd);
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	z->src.ops = &zstf_ops;
	z->src.path = path;
	z->src.err = err;
	z->src.chunked = true;
	z->fd = fd;
	z->max = max_buffer;
	z->threads = threads > STF_POOL_MAX ? STF_POOL_MAX : threads;
	if (open_index(z) || open_slots(z)) {
		zstf_close(&z->src);
		return NULL;
	}
	return &z->src;
}
