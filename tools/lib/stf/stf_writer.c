// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_writer.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_MARKERS 100000
#define DEFAULT_LEVEL 3
#define MAX_LEVEL 19

/* How much of a plain trace is collected for one write(). */
#define PLAIN_FILL ((size_t)256 << 10)

static const char *name_of(unsigned int desc)
{
	const char *name = stf_desc_name(desc);

	return name ? name : "a record of unknown kind";
}

/* The trace cannot be completed any more. The text is already there. */
static int lose(struct stf_writer *writer, int code)
{
	writer->failed = code;
	return code;
}

/* ------------------------------------------------------------------ the buffer */

/* Put the first size bytes of the buffer, and move up the rest. */
static int put(struct stf_writer *writer, size_t size)
{
	struct stf_sink *sink = writer->sink;
	int err;

	err = sink->ops->put(sink, writer->buf, size, writer->chunk_pc);
	if (err)
		return lose(writer, err);
	writer->put += size;
	writer->len -= size;
	writer->group = 0;
	if (writer->len)
		memmove(writer->buf, writer->buf + size, writer->len);
	return 0;
}

/*
 * Put the chunk if it is full: not before the opcode comes that has no room in
 * it, so that records after the last opcode of a trace do not need a chunk of
 * their own.
 */
static int close_chunk(struct stf_writer *writer)
{
	uint64_t full = writer->sink->chunk_markers;

	if (!full || writer->markers < full)
		return 0;
	writer->markers = 0;
	return put(writer, writer->group);
}

static int reserve(struct stf_writer *writer, uint64_t size)
{
	size_t room = writer->room;
	uint8_t *buf;
	int err;

	if (!writer->sink->chunk_markers && writer->len &&
	    writer->len + size > PLAIN_FILL) {
		err = put(writer, writer->len);
		if (err)
			return err;
	}
	if (size <= room - writer->len)
		return 0;
	while (size > room - writer->len) {
		if (room > SIZE_MAX / 2)
			break;
		room = room ? room * 2 : PLAIN_FILL;
	}
	buf = realloc(writer->buf, room);
	if (!buf || size > room - writer->len) {
		free(buf ? buf : writer->buf);
		writer->buf = NULL;
		stf_fail(&writer->err, STF_E_NOMEM, "%s: no memory",
			 writer->sink->file.path);
		return lose(writer, STF_E_NOMEM);
	}
	writer->buf = buf;
	writer->room = room;
	return 0;
}

/* ----------------------------------------------------------------- one record */

/* The opcode in the record is the next instruction, at writer->pc. */
static void take_opcode(struct stf_writer *writer, unsigned int size)
{
	if (!writer->markers)
		writer->chunk_pc = writer->pc;
	writer->pc = writer->has_target ? writer->target : writer->pc + size;
	writer->has_target = false;
}

/* Keep what later records and the container depend on. */
static void note(struct stf_writer *writer, const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_TRACE_INFO_FEATURE:
		writer->codec.event64 = rec->features & STF_FEATURE_EVENT64;
		break;
	case STF_VLEN_CONFIG:
		writer->codec.vlen = rec->vlen;
		break;
	case STF_PROTOCOL_ID:
		writer->codec.protocol = rec->protocol;
		break;
	case STF_FORCE_PC:
		writer->pc = rec->pc;
		writer->has_pc = true;
		break;
	case STF_INST_PC_TARGET:
	case STF_EVENT_PC_TARGET:
		writer->target = rec->pc;
		writer->has_target = true;
		break;
	case STF_INST_32:
		take_opcode(writer, 4);
		break;
	case STF_INST_16:
		take_opcode(writer, 2);
		break;
	}
}

static int refuse(struct stf_writer *writer, int code,
		  const struct stf_record *rec, const char *why)
{
	const char *path = writer->sink->file.path;

	switch (code) {
	case STF_E_ORDER:
		return stf_fail(&writer->err, code,
				"%s: %s may not stand here: %s", path,
				name_of(rec->desc), why);
	case STF_E_DESC:
		return stf_fail(&writer->err, STF_E_VALUE,
				"%s: unknown record descriptor %u", path,
				rec->desc);
	}
	return stf_fail(&writer->err, code, "%s: %s: %s cannot be written",
			path, name_of(rec->desc), writer->codec.fault);
}

int stf_write(struct stf_writer *writer, const struct stf_record *rec)
{
	const char *why;
	int64_t size;
	int err;

	if (writer->failed)
		return writer->failed;
	why = stf_order_check(&writer->order, rec->desc);
	if (why)
		return refuse(writer, STF_E_ORDER, rec, why);
	size = stf_measure(&writer->codec, rec);
	if (size < 0)
		return refuse(writer, (int)size, rec, "");
	if (stf_is_marker(rec->desc)) {
		err = close_chunk(writer);
		if (err)
			return err;
	}
	err = reserve(writer, (uint64_t)size);
	if (err)
		return err;
	stf_encode(&writer->codec, rec, writer->buf + writer->len);
	writer->len += (size_t)size;
	writer->records++;
	stf_order_take(&writer->order, rec->desc);
	note(writer, rec);
	if (stf_is_marker(rec->desc)) {
		writer->group = writer->len;
		writer->markers++;
		writer->instructions++;
	}
	return 0;
}

/* ----------------------------------------------------------- open and close */

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), e = strlen(end);

	return n >= e && !strcmp(name + n - e, end);
}

static struct stf_sink *open_sink(const char *path,
				  const struct stf_writer_opts *opts,
				  struct stf_error *err)
{
	enum stf_container container = opts->container;

	if (container == STF_CONTAINER_AUTO)
		container = ends_in(path, ".zstf") ? STF_CONTAINER_ZSTF :
						     STF_CONTAINER_PLAIN;
	if (container == STF_CONTAINER_PLAIN)
		return stf_sink_plain(path, err);
	return stf_sink_zstf(path,
			     opts->chunk_markers ? opts->chunk_markers :
						   DEFAULT_MARKERS,
			     opts->level ? opts->level : DEFAULT_LEVEL, err);
}

struct stf_writer *stf_writer_open(const char *path,
				   const struct stf_writer_opts *opts,
				   struct stf_error *err)
{
	static const struct stf_writer_opts defaults = {
		.size = sizeof(defaults),
	};
	struct stf_writer *writer;
	struct stf_error unused;

	if (!err)
		err = &unused;
	err->code = 0;
	err->text[0] = 0;
	if (!opts)
		opts = &defaults;
	if (!path || opts->size < sizeof(*opts) || opts->level < 0 ||
	    opts->level > MAX_LEVEL) {
		stf_fail(err, STF_E_INVAL, "a bad argument to stf_writer_open()");
		return NULL;
	}
	writer = calloc(1, sizeof(*writer));
	if (!writer) {
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	writer->codec.spec_initiators = opts->spec_initiators;
	writer->sink = open_sink(path, opts, &writer->err);
	if (!writer->sink) {
		*err = writer->err;
		free(writer);
		return NULL;
	}
	return writer;
}

void stf_writer_abort(struct stf_writer *writer)
{
	if (!writer)
		return;
	stf_file_close(&writer->sink->file);
	writer->sink->ops->close(writer->sink);
	free(writer->buf);
	free(writer);
}

static int complete(struct stf_writer *writer)
{
	const char *why;
	int err;

	if (writer->failed)
		return writer->failed;
	why = stf_order_end(&writer->order);
	if (why)
		return stf_fail(&writer->err, STF_E_ORDER,
				"%s: the trace may not end here: %s",
				writer->sink->file.path, why);
	err = writer->len ? put(writer, writer->len) : 0;
	return err ? err : stf_file_commit(&writer->sink->file);
}

int stf_writer_close(struct stf_writer *writer, struct stf_error *err)
{
	int ret = complete(writer);

	if (err) {
		*err = writer->err;
		err->code = ret;
	}
	stf_writer_abort(writer);
	return ret;
}

bool stf_writer_pc(const struct stf_writer *writer, uint64_t *pc)
{
	if (writer->has_pc)
		*pc = writer->pc;
	return writer->has_pc;
}

const char *stf_writer_error(const struct stf_writer *writer)
{
	return writer->err.text;
}

void stf_writer_stats(const struct stf_writer *writer, struct stf_stats *stats)
{
	const struct stf_sink *sink = writer->sink;

	*stats = (struct stf_stats){
		.container = sink->chunk_markers ? STF_CONTAINER_ZSTF :
						   STF_CONTAINER_PLAIN,
		.file_bytes = sink->file.size,
		.trace_bytes = writer->put + writer->len,
		.chunks = sink->chunks,
		.chunk_markers = sink->chunk_markers,
		.records = writer->records,
		.instructions = writer->instructions,
	};
}
