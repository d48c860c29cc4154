// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stf/stf_bytes.h"
#include "stf/stf_order.h"
#include "stf/stf_pool.h"
#include "stf/stf_struct.h"

#define DEFAULT_MAX_BUFFER (UINT64_C(1) << 30)

int stf_reader_fail(struct stf_reader *reader, enum stf_err code,
		    const char *fmt, ...)
{
	const struct stf_source *src = reader->src;
	const struct stf_window *win = &src->win;
	uint64_t in_window = (uint64_t)(win->pos - win->start);
	char place[64], what[200];
	va_list ap;

	if (src->chunks)
		snprintf(place, sizeof(place), "in chunk %" PRIu64 " at byte %"
			 PRIu64, src->chunk, in_window);
	else
		snprintf(place, sizeof(place), "at byte %" PRIu64,
			 win->offset + in_window);
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	reader->failed = stf_fail(&reader->err, code, "%s: %s: %s",
				  reader->path, place, what);
	return reader->failed;
}

/*
 * Show more bytes. Returns 1, 0 at the trace's end, or an error, with which the
 * reader has then failed.
 */
static int show_more(struct stf_reader *reader)
{
	int more = reader->src->ops->more(reader->src);

	if (more < 0)
		reader->failed = more;
	return more;
}

static int bad_record(struct stf_reader *reader, int code)
{
	unsigned int desc = *reader->src->win.pos;

	switch (code) {
	case STF_E_CUT:
		return stf_reader_fail(reader, code,
				       "the trace ends inside %s",
				       stf_desc_words(desc));
	case STF_E_DESC:
		return stf_reader_fail(reader, code,
				       "unknown record descriptor %u", desc);
	}
	return stf_reader_fail(reader, code, "%s: undefined value of %s",
			       stf_desc_words(desc), reader->codec.fault);
}

static int check_version(struct stf_reader *reader,
			 const struct stf_version *version)
{
	if (stf_version_known(version))
		return 0;
	return stf_reader_fail(reader, STF_E_VERSION,
			       "STF version %" PRIu32 ".%" PRIu32
			       " is not supported, only 1.2 to 1.x",
			       version->major, version->minor);
}

static int note_clock(struct stf_reader *reader, const struct stf_clock *clock)
{
	struct stf_text *own;
	char *name = malloc((size_t)clock->name.size + 1);

	if (!reader->clocks)
		reader->clocks = calloc(UINT8_MAX + 1, sizeof(*reader->clocks));
	if (!name || !reader->clocks) {
		free(name);
		return reader->failed = stf_no_memory(&reader->err, reader->path);
	}
	memcpy(name, clock->name.data, clock->name.size);
	own = &reader->clocks[clock->id];
	free((char *)own->data);
	*own = (struct stf_text){ name, clock->name.size };
	return 0;
}

static void free_clocks(struct stf_reader *reader)
{
	unsigned int i;

	for (i = 0; reader->clocks && i <= UINT8_MAX; i++)
		free((char *)reader->clocks[i].data);
	free(reader->clocks);
}

/*
 * Keep what later records depend on. Header records behind the header change
 * nothing: those of the group that they stand in were read without them, and
 * have to be the same when they are read again.
 */
static int note(struct stf_reader *reader, const struct stf_record *rec)
{
	struct stf_params *params = &reader->params;
	struct stf_codec *codec = &reader->codec;

	if (rec->desc == STF_END_HEADER)
		params->header_ended = true;
	if (params->header_ended || reader->in_body)
		return 0;
	switch (rec->desc) {
	case STF_VERSION:
		params->version = rec->version;
		return check_version(reader, &rec->version);
	case STF_ISA:
		params->isa = rec->isa;
		break;
	case STF_INST_IEM:
		params->iem = rec->iem;
		break;
	case STF_TRACE_INFO:
		params->mem_bits |= rec->trace_info.generator == STF_GEN_DROMAJO;
		break;
	case STF_TRACE_INFO_FEATURE:
		params->features = rec->features;
		stf_codec_features(codec, rec->features);
		break;
	case STF_VLEN_CONFIG:
		params->vlen = codec->vlen = rec->vlen;
		break;
	case STF_PROTOCOL_ID:
		params->protocol = codec->protocol = rec->protocol;
		break;
	case STF_CLOCK_ID:
		return note_clock(reader, &rec->clock);
	case STF_PROCESS_ID_EXT:
		reader->process = rec->process;
		break;
	case STF_FORCE_PC:
		reader->pc = rec->pc;
		reader->has_pc = true;
		break;
	}
	return 0;
}

/*
 * Whether its layout depends on the header. None of these goes the short way, so
 * that all ways of reading agree on where the header ends.
 */
static bool needs_header(const struct stf_record *rec)
{
	return rec->desc == STF_EVENT || rec->desc == STF_TRANSACTION ||
	       (rec->desc == STF_INST_REG && rec->reg.type == STF_REG_VEC);
}

/*
 * STFReserveEndRecord, the last record of a trace by the specification 1.3. It tells nothing,
 * and the reference library and the draft do not have it.
 */
enum { RESERVE_END = 255 };

/* Does the window end here, or with a record that may end the trace? */
static bool may_be_the_end(const struct stf_window *win)
{
	return win->pos == win->end ||
	       (win->end - win->pos == 1 && *win->pos == RESERVE_END);
}

int stf_reader_step(struct stf_reader *reader, struct stf_record *rec)
{
	struct stf_window *win = &reader->src->win;
	int64_t n;
	int more;

	if (reader->failed)
		return reader->failed;
	for (;;) {
		n = STF_E_CUT;
		if (win->pos != win->end)
			n = stf_decode(&reader->codec, win->pos,
				       (size_t)(win->end - win->pos), rec,
				       &reader->scratch);
		if (n > 0)
			break;
		if (n != STF_E_CUT && !may_be_the_end(win))
			return bad_record(reader, (int)n);
		more = show_more(reader);
		if (more < 0)
			return more;
		if (!more)
			return may_be_the_end(win) ?
				       0 : bad_record(reader, STF_E_CUT);
	}
	if (rec->desc <= STF_END_HEADER) {
		int err = note(reader, rec);

		if (err)
			return err;
	} else if (needs_header(rec)) {
		reader->in_body = true;
	}
	win->pos += n;
	reader->records++;
	if (stf_is_marker(rec->desc))
		stf_reader_marker(reader);
	return 1;
}

/* The longest that quick() takes, and what it may read. */
enum { QUICK_ROOM = 14 };

/*
 * The records that nearly all of a trace is made of, when they lie in the window
 * as a whole, without the detours of stf_decode(): one well-predicted branch
 * each, and lengths that are constants, so that the processor knows the next
 * record's place as soon as it has guessed this one's kind. Returns the length
 * in bytes, or 0 if the record is for stf_reader_step().
 */
static inline unsigned int quick(const uint8_t *p, struct stf_record *rec)
{
	rec->desc = *p;
	switch (*p) {
	case STF_INST_16:
		rec->opcode = stf_get16(p + 1);
		return 1 + 2;
	case STF_INST_32:
		rec->opcode = stf_get32(p + 1);
		return 1 + 4;
	case STF_INST_MEM_ACCESS:
		rec->mem_access.address = stf_get64(p + 1);
		rec->mem_access.size = stf_get16(p + 9);
		rec->mem_access.attributes = stf_get16(p + 11);
		rec->mem_access.access = p[13];
		return 1 + 8 + 2 + 2 + 1;
	case STF_INST_MEM_CONTENT:
		rec->content = stf_get64(p + 1);
		return 1 + 8;
	case STF_INST_PC_TARGET:
		rec->pc = stf_get64(p + 1);
		return 1 + 8;
	case STF_INST_REG:
		if ((p[3] & 0xf) == STF_REG_VEC)
			return 0;
		rec->reg.number = stf_get16(p + 1);
		rec->reg.type = p[3] & 0xf;
		rec->reg.operand = p[3] >> 4;
		rec->reg.value = stf_get64(p + 4);
		rec->reg.n_words = 0;
		rec->reg.vector = NULL;
		return 1 + 2 + 1 + 8;
	}
	return 0;
}

/* Of what quick() takes nothing else is as short. */
static inline bool is_opcode(unsigned int length)
{
	return length <= 1 + 4;
}

int stf_reader_next(struct stf_reader *reader, struct stf_record *rec)
{
	struct stf_window *win = &reader->src->win;
	const uint8_t *p = win->pos;
	unsigned int length;

	if (win->end - p >= QUICK_ROOM && !reader->failed) {
		length = quick(p, rec);
		if (length) {
			win->pos += length;
			reader->records++;
			if (is_opcode(length))
				stf_reader_marker(reader);
			return 1;
		}
	}
	win->keep = win->pos;
	return stf_reader_step(reader, rec);
}

int stf_reader_read(struct stf_reader *reader, struct stf_record *recs,
		    unsigned int n)
{
	struct stf_window *win = &reader->src->win;
	const uint8_t *p = win->pos, *marker_end = win->marker_end;
	struct stf_record *rec = recs, *end = recs + n;
	uint64_t markers = 0;

	/* The window may be shorter than QUICK_ROOM. */
	if (win->end - p >= QUICK_ROOM && !reader->failed) {
		const uint8_t *last = win->end - QUICK_ROOM;

		for (; rec < end && p <= last; rec++) {
			unsigned int length = quick(p, rec);

			if (!length)
				break;
			p += length;
			if (is_opcode(length)) {
				marker_end = p;
				markers++;
			}
		}
		win->pos = p;
		win->marker_end = marker_end;
		win->markers += markers;
		reader->records += (uint64_t)(rec - recs);
		reader->instructions += markers;
	}
	if (rec != recs)
		return (int)(rec - recs);
	win->keep = win->pos;
	return stf_reader_step(reader, recs);
}

/* -------------------------------------------------------------------- opening */

/* The identifier and the version are there and as they should be. */
static int check_start(struct stf_reader *reader)
{
	static const uint8_t start[] = { STF_IDENTIFIER, 'S', 'T', 'F' };
	enum { ENOUGH = sizeof(start) + 1 + 8 };
	struct stf_window *win = &reader->src->win;
	struct stf_version version;
	size_t n;
	int more;

	do {
		more = show_more(reader);
		if (more < 0)
			return more;
		n = (size_t)(win->end - win->start);
	} while (more && n < ENOUGH);
	if (!n)
		return stf_fail(&reader->err, STF_E_CUT, "%s: the trace is empty",
				reader->path);
	if (memcmp(win->pos, start, n < sizeof(start) ? n : sizeof(start)))
		return stf_fail(&reader->err, STF_E_NOT_STF,
				"%s: not an STF trace: it does not start with the bytes 01 'STF'",
				reader->path);
	if (n < ENOUGH)
		return stf_reader_fail(reader, STF_E_CUT,
				       "the trace ends inside its header");
	if (win->pos[sizeof(start)] != STF_VERSION)
		return stf_reader_fail(reader, STF_E_NOT_STF,
				       "VERSION does not follow IDENTIFIER");
	version.major = stf_get32(win->pos + sizeof(start) + 1);
	version.minor = stf_get32(win->pos + sizeof(start) + 5);
	return check_version(reader, &version);
}

static struct stf_source *open_source(struct stf_input *in, uint64_t max_buffer,
				      unsigned int threads)
{
	int container = stf_input_container(in);

	if (container < 0) {
		in->close(in);
		return NULL;
	}
	if (container == STF_CONTAINER_ZSTF && in->read_at)
		return stf_source_zstf(in, max_buffer, threads);
	in = stf_input_unpack(in, container);
	return in ? stf_source_stream(in, container, max_buffer) : NULL;
}

static int start(struct stf_reader *reader, const char *function,
		 const struct stf_origin *from,
		 const struct stf_reader_opts *passed)
{
	struct stf_reader_opts opts = { 0 };
	struct stf_error *err = &reader->err;
	struct stf_input *in;
	int ret;

	ret = stf_struct_take(&opts, sizeof(opts),
			      STF_SIZE_TO(struct stf_reader_opts, threads),
			      passed, function, err);
	if (ret)
		return ret;
	if (!from->name ||
	    (from->calls && !from->calls->read && !from->calls->read_at) ||
	    !stf_codec_event_bits(&reader->codec, opts.event_bits))
		return stf_bad_argument(err, function);
	reader->codec.spec_initiators = opts.spec_initiators;
	reader->path = strdup(opts.name ? opts.name : from->name);
	if (!reader->path)
		return stf_no_memory(err, function);
	in = stf_input_open(from, reader->path, err);
	if (!in)
		return err->code;
	reader->src = open_source(in, opts.max_buffer ? opts.max_buffer :
							DEFAULT_MAX_BUFFER,
				  stf_threads(opts.threads));
	return reader->src ? check_start(reader) : err->code;
}

static struct stf_reader *open_reader(const char *function,
				      const struct stf_origin *from,
				      const struct stf_reader_opts *opts,
				      struct stf_error *err)
{
	struct stf_reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader) {
		stf_no_memory(err, function);
		return NULL;
	}
	ret = start(reader, function, from, opts);
	if (err)
		*err = reader->err;
	if (!ret)
		return reader;
	stf_reader_close(reader);
	return NULL;
}

struct stf_reader *stf_reader_open(const char *path,
				   const struct stf_reader_opts *opts,
				   struct stf_error *err)
{
	struct stf_origin from = { .name = path, .path = path };

	if (path && !strcmp(path, "-"))
		from = (struct stf_origin){ .name = "(stdin)",
					    .fd = STDIN_FILENO };
	return open_reader(__func__, &from, opts, err);
}

struct stf_reader *stf_reader_open_fd(int fd, const struct stf_reader_opts *opts,
				      struct stf_error *err)
{
	struct stf_origin from = { .name = "(descriptor)", .fd = fd };

	return open_reader(__func__, &from, opts, err);
}

struct stf_reader *stf_reader_open_memory(const void *data, size_t size,
					  const struct stf_reader_opts *opts,
					  struct stf_error *err)
{
	struct stf_origin from = { .name = data || !size ? "(memory)" : NULL,
				   .memory = data ? data : "", .size = size };

	return open_reader(__func__, &from, opts, err);
}

struct stf_reader *stf_reader_open_calls(const struct stf_read_calls *calls,
					 const struct stf_reader_opts *opts,
					 struct stf_error *err)
{
	struct stf_read_calls own = { 0 };
	struct stf_origin from = { .name = "(calls)", .calls = &own };

	if (stf_struct_take(&own, sizeof(own),
			    STF_SIZE_TO(struct stf_read_calls, length), calls,
			    __func__, err))
		return NULL;
	return open_reader(__func__, &from, opts, err);
}

void stf_reader_close(struct stf_reader *reader)
{
	if (!reader)
		return;
	if (reader->src)
		reader->src->ops->close(reader->src);
	free_clocks(reader);
	free(reader->path);
	free(reader);
}

const char *stf_reader_error(const struct stf_reader *reader)
{
	return reader->err.text;
}

const struct stf_params *stf_reader_params(const struct stf_reader *reader)
{
	return &reader->params;
}

const struct stf_text *stf_reader_clock(const struct stf_reader *reader, uint8_t id)
{
	if (!reader->clocks || !reader->clocks[id].data)
		return NULL;
	return &reader->clocks[id];
}

void stf_reader_stats(const struct stf_reader *reader, struct stf_stats *stats)
{
	const struct stf_source *src = reader->src;
	const struct stf_window *win = &src->win;
	const struct stf_stats all = {
		.container = src->container,
		.file_bytes = src->chunks ? src->in->size : src->in->bytes_read,
		.trace_bytes = win->offset + (uint64_t)(win->pos - win->start),
		.chunks = src->chunks,
		.chunk_markers = src->chunk_markers,
		.records = reader->records,
		.instructions = reader->instructions,
		.recovered = src->recovered,
	};

	stf_struct_give(stats, &all, sizeof(all));
}
