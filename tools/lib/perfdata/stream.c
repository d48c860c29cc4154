// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Pages of a mapped file that have been read are given back in pieces, so that
 * memory does not grow with the file. Records that still wait are read again from
 * the file's cache, if they are older than KEEP.
 */
enum { PIECE = 512 << 10, KEEP = 1 << 20 };

/* What else is in the first page is of the same file, and can be read again. */
static void give_back(struct pd_stream *s)
{
	const uintptr_t offset = sysconf(_SC_PAGESIZE) - 1;
	uintptr_t from = (uintptr_t)s->held & ~offset;
	uintptr_t to = ((uintptr_t)s->pos - KEEP) & ~offset;

	madvise((void *)from, to - from, MADV_DONTNEED);
	s->held = (const uint8_t *)to;
}

static size_t buffered(const struct pd_stream *s)
{
	return s->in ? s->in->used - s->in_pos : 0;
}

/* Have n bytes of a pipe in one piece, or as many as there are. 0 or PD_E*. */
static int fill(struct pd *pd, struct pd_stream *s, size_t n)
{
	while (buffered(s) < n && !s->eof) {
		struct pd_block *in = s->in;
		ssize_t got;

		if (!in || PD_BLOCK_SIZE - s->in_pos < n) {
			in = pd_block_get(&pd->blocks);
			if (!in)
				return pd_no_memory(pd);
			in->used = buffered(s);
			if (in->used)
				memcpy(in->data, s->in->data + s->in_pos,
				       in->used);
			pd_block_put(&pd->blocks, s->in);
			s->in = in;
			s->in_pos = 0;
		}
		if (pd->wait && !pd->wait(pd->wait_arg, pd->fd)) {
			pd->stats.unfinished = pd->stats.left = true;
			s->eof = true;
			break;
		}
		got = read(pd->fd, in->data + in->used,
			   PD_BLOCK_SIZE - in->used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pd_fail(pd, PD_EIO, NULL, "%s", strerror(errno));
		s->eof = !got;
		in->used += got;
	}
	return 0;
}

/* What is left, as far as that is known: of a pipe, at most n. 0 or PD_E*. */
static int look(struct pd *pd, struct pd_stream *s, size_t n,
		const uint8_t **p, uint64_t *left)
{
	int ret;

	if (s->start) {
		*p = s->pos;
		*left = s->end - s->pos;
		return 0;
	}
	ret = fill(pd, s, n);
	if (ret)
		return ret;
	*p = s->in ? s->in->data + s->in_pos : NULL;
	*left = buffered(s);
	return 0;
}

/*
 * Have the header of a later record come from memory. Where it is, is known only if the records
 * until there are as long as the last one. A wrong address does no harm.
 */
static void fetch_header(const struct pd_stream *s, uint64_t size)
{
	enum { AHEAD = 4 };

	__builtin_prefetch((const void *)((uintptr_t)s->pos + AHEAD * size));
}

static void advance(struct pd_stream *s, uint64_t n)
{
	s->offset += n;
	if (!s->start) {
		s->in_pos += n;
		return;
	}
	s->pos += n;
	fetch_header(s, n);
	if (s->held && s->pos - s->held > KEEP + PIECE)
		give_back(s);
}

/*
 * Something is not whole. If the writer was killed, this is the end. A pipe does not tell
 * how long it is, so nothing else can have happened to it.
 */
static int cut(struct pd *pd, const uint8_t *p, const char *what)
{
	pd->stats.unfinished |= pd->pipe_mode;
	return pd->stats.unfinished ? 0 : pd_fail(pd, PD_ECORRUPT, p, "%s", what);
}

int pd_stream_read(struct pd *pd, struct pd_stream *s, void *buf, uint64_t size)
{
	uint8_t *to = buf;

	while (size) {
		const uint8_t *p;
		uint64_t left;
		int ret = look(pd, s, 1, &p, &left);

		if (ret)
			return ret;
		if (s->start ? left < size : !left) {
			advance(s, left);
			return cut(pd, p,
				   "data that follow a record reach beyond the events' end") ?: 1;
		}
		if (left > size)
			left = size;
		if (to) {
			memcpy(to, p, left);
			to += left;
		}
		advance(s, left);
		size -= left;
	}
	return 0;
}

/* The next record as it is in the file. */
static int take_outer(struct pd *pd, struct pd_stream *s, struct pd_entry *entry)
{
	static const char what[] = "the events are cut short inside a record";
	const uint8_t *p;
	uint64_t left;
	uint16_t size;
	int ret;

	pd->at = s->offset;
	ret = look(pd, s, PD_HEADER_SIZE, &p, &left);
	if (ret || !left)
		return ret;
	if (left < PD_HEADER_SIZE)
		return cut(pd, p, what);
	/* No record is of such a type. */
	if (pd_is_magic(p))
		return pd_fail(pd, PD_EUNSUPPORTED, p, PD_ANOTHER);
	size = pd_file16(pd, p + 6);
	/* Of a file that was not closed in time, a system that crashed leaves zeros. */
	if (!size && pd->stats.unfinished)
		return 0;
	if (size < PD_HEADER_SIZE)
		return pd_fail(pd, PD_ECORRUPT, p,
			       "a record of type %u says it has %u bytes",
			       pd_file32(pd, p), size);
	ret = look(pd, s, size, &p, &left);
	if (ret)
		return ret;
	if (left < size)
		return cut(pd, p, what);
	*entry = (struct pd_entry){ .rec = p, .block = pd_block_ref(s->in), .at = pd->at };
	advance(s, size);
	return 1;
}

static int begin_compressed(struct pd *pd, struct pd_stream *s,
			    const struct pd_entry *entry, uint32_t type)
{
	const uint8_t *p = entry->rec + PD_HEADER_SIZE;
	uint64_t size = pd_file16(pd, entry->rec + 6) - PD_HEADER_SIZE;

	if (type == PD_USER_COMPRESSED2) {
		if (size < 8 || pd_file64(pd, p) > size - 8)
			return pd_fail(
				pd, PD_ECORRUPT, entry->rec,
				"a compressed record is shorter than it says");
		size = pd_file64(pd, p);
		p += 8;
	}
	if (!s->zstd) {
		s->zstd = ZSTD_createDStream();
		if (!s->zstd)
			return pd_no_memory(pd);
	}
	s->input = (ZSTD_inBuffer){ p, size, 0 };
	s->input_block = pd_block_ref(entry->block);
	s->input_at = entry->at;
	return 0;
}

/* Decompress some more, behind what is left of the block. 0 or PD_E*. */
static int inflate_some(struct pd *pd, struct pd_stream *s)
{
	ZSTD_outBuffer to;
	size_t ret;

	if (!s->out || s->out->used == PD_BLOCK_SIZE) {
		struct pd_block *out = pd_block_get(&pd->blocks);

		if (!out)
			return pd_no_memory(pd);
		if (s->out) {
			out->used = s->out->used - s->out_pos;
			memcpy(out->data, s->out->data + s->out_pos, out->used);
			pd_block_put(&pd->blocks, s->out);
		}
		s->out = out;
		s->out_pos = 0;
	}
	to = (ZSTD_outBuffer){ s->out->data, PD_BLOCK_SIZE, s->out->used };
	ret = ZSTD_decompressStream(s->zstd, &to, &s->input);
	if (ZSTD_isError(ret))
		return pd_fail(pd, PD_ECORRUPT, s->input.src,
			       "compressed records are damaged: %s",
			       ZSTD_getErrorName(ret));
	s->out->used = to.pos;
	s->draining = to.pos == to.size;
	return 0;
}

/* The next record out of a compressed one: 1, 0 if all are out, PD_E*. */
static int take_inner(struct pd *pd, struct pd_stream *s, struct pd_entry *entry)
{
	pd->at = s->input_at;
	for (;;) {
		size_t left = s->out ? s->out->used - s->out_pos : 0;
		int ret;

		if (left >= PD_HEADER_SIZE) {
			const uint8_t *p = s->out->data + s->out_pos;
			uint16_t size = pd_file16(pd, p + 6);

			if (size < PD_HEADER_SIZE)
				return pd_fail(
					pd, PD_ECORRUPT, p,
					"a compressed record of type %u says it has %u bytes",
					pd_file32(pd, p), size);
			if (size <= left) {
				*entry = (struct pd_entry){
					.rec = p, .block = pd_block_ref(s->out),
					.at = s->input_at
				};
				s->out_pos += size;
				return 1;
			}
		}
		if (s->input.pos == s->input.size && !s->draining) {
			pd_block_put(&pd->blocks, s->input_block);
			s->input_block = NULL;
			return 0;
		}
		ret = inflate_some(pd, s);
		if (ret)
			return ret;
	}
}

/* A copy of the record in this machine's byte order takes its place. */
static int swap(struct pd *pd, struct pd_entry *entry)
{
	uint16_t size = pd_file16(pd, entry->rec + 6), misc;
	struct pd_block *block = pd->swapped;
	uint32_t type = pd_file32(pd, entry->rec);
	uint8_t *p;

	if (!block || PD_BLOCK_SIZE - block->used < size) {
		pd_block_put(&pd->blocks, block);
		block = pd->swapped = pd_block_get(&pd->blocks);
		if (!block)
			return pd_no_memory(pd);
	}
	p = block->data + block->used;
	block->used += size;
	misc = pd_file16(pd, entry->rec + 4);
	memcpy(p, entry->rec, size);
	memcpy(p, &type, 4);
	memcpy(p + 4, &misc, 2);
	memcpy(p + 6, &size, 2);
	if (type < PD_USER_FIRST)
		pd_swap_record(pd, p);
	pd_block_put(&pd->blocks, entry->block);
	*entry = (struct pd_entry){ .rec = p, .block = pd_block_ref(block), .at = entry->at };
	return 0;
}

int pd_stream_next(struct pd *pd, struct pd_stream *s, struct pd_entry *entry)
{
	uint32_t type;
	int ret;

	for (;;) {
		ret = take_inner(pd, s, entry);
		if (!ret)
			ret = take_outer(pd, s, entry);
		if (ret <= 0)
			break;
		type = pd_file32(pd, entry->rec);
		if (type != PD_USER_COMPRESSED && type != PD_USER_COMPRESSED2)
			break;
		ret = begin_compressed(pd, s, entry, type);
		pd_block_put(&pd->blocks, entry->block);
		if (ret)
			return ret;
	}
	if (!ret && s->out && s->out_pos < s->out->used)
		return cut(
			pd, NULL,
			"the compressed events are cut short inside a record");
	if (ret > 0 && pd->swap && swap(pd, entry))
		return PD_ENOMEM;
	return ret;
}

void pd_stream_close(struct pd *pd, struct pd_stream *s)
{
	pd_block_put(&pd->blocks, s->in);
	pd_block_put(&pd->blocks, s->input_block);
	pd_block_put(&pd->blocks, s->out);
	pd_block_put(&pd->blocks, s->head.block);
	ZSTD_freeDStream(s->zstd);
}
