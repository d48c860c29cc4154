// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stf/stf_bytes.h"
#include "stf/stf_pool.h"
#include "stf/stf_quick.h"
#include "stf/stf_struct.h"
#include "stf/stf_values.h"

#define DEFAULT_MARKERS 100000
#define DEFAULT_LEVEL 3
#define MAX_LEVEL 19

/* How much of a plain trace is collected for one write(). */
#define PLAIN_FILL ((size_t)256 << 10)

/* The trace cannot be completed any more. The text is already there. */
static int lose(struct stf_writer *writer, int code)
{
	writer->failed = code;
	writer->quick_end = 0;
	return code;
}

/* ------------------------------------------------------------------ the buffer */

/* Put the first size bytes of the buffer, and move up the rest. */
static int put(struct stf_writer *writer, size_t size)
{
	const uint8_t *rest = writer->buf + size;
	struct stf_sink *sink = writer->sink;
	int err;

	err = sink->ops->put(sink, &writer->buf, &writer->room, size,
			     writer->chunk_pc);
	if (err)
		return lose(writer, err);
	writer->put += size;
	writer->len -= size;
	writer->quick_end = writer->room - STF_QUICK_ROOM;
	if (writer->len)
		memmove(writer->buf, rest, writer->len);
	return 0;
}

/*
 * Put the chunk if it is full: not before the opcode comes that has no room in
 * it, so that records after the last opcode of a trace do not need a chunk of
 * their own.
 */
static int close_chunk(struct stf_writer *writer)
{
	if (writer->markers < writer->full)
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
		return lose(writer, stf_no_memory(&writer->err, writer->path));
	}
	writer->buf = buf;
	writer->room = room;
	writer->quick_end = room - STF_QUICK_ROOM;
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
	case STF_ISA:
		writer->riscv = rec->isa == STF_ISA_RISCV;
		break;
	case STF_TRACE_INFO_FEATURE:
		stf_codec_features(&writer->codec, rec->features);
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
	const char *path = writer->path;

	switch (code) {
	case STF_E_ORDER:
		return stf_fail(&writer->err, code,
				"%s: %s may not stand here: %s", path,
				stf_desc_words(rec->desc), why);
	case STF_E_DESC:
		return stf_fail(&writer->err, STF_E_VALUE,
				"%s: unknown record descriptor %u", path,
				rec->desc);
	}
	return stf_fail(&writer->err, code, "%s: %s: %s cannot be written",
			path, stf_desc_words(rec->desc), writer->codec.fault);
}

int stf_refuse_value(struct stf_writer *writer, enum stf_desc desc, const char *field,
		     uint64_t value)
{
	return stf_fail(&writer->err, STF_E_VALUE,
			"%s: %s: the format does not define %s %" PRIu64,
			writer->path, stf_desc_words(desc), field, value);
}

/*
 * The most frequent records, where there is room and nothing to refuse, without
 * the detours of stf_measure() and stf_encode(). Returns the length in bytes, or
 * 0 if the record is for write_any().
 */
static inline unsigned int quick(struct stf_writer *writer,
				 const struct stf_record *rec, uint8_t *p)
{
	unsigned int length = stf_quick_put(&writer->order, rec, p);

	if (!length)
		return 0;
	if (rec->desc >= STF_INST_32) {
		if (writer->markers >= writer->full)
			return 0;
		take_opcode(writer, length - 1);
		writer->group = writer->len + length;
		writer->markers++;
		writer->instructions++;
	} else if (rec->desc == STF_INST_PC_TARGET) {
		writer->target = rec->pc;
		writer->has_target = true;
	}
	stf_order_took(&writer->order, rec->desc);
	return length;
}

/* The number of bytes of a record, or why none is written. */
static int64_t measure(struct stf_writer *writer, const struct stf_record *rec)
{
	/* Nobody could read the trace. */
	if (rec->desc == STF_VERSION && !stf_version_known(&rec->version)) {
		writer->codec.fault = "the version";
		return STF_E_VALUE;
	}
	return stf_measure(&writer->codec, rec);
}

/* Not inline: there would be more to save on the short way. */
static __attribute__((noinline)) int write_any(struct stf_writer *writer,
					       const struct stf_record *rec)
{
	const char *why;
	int64_t size;
	int err;

	if (writer->failed)
		return writer->failed;
	why = stf_order_check(&writer->order, rec->desc);
	if (why)
		return refuse(writer, STF_E_ORDER, rec, why);
	size = measure(writer, rec);
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

/* With a constant descriptor little of quick() is left. */
static inline int write_record(struct stf_writer *writer,
			       const struct stf_record *rec)
{
	unsigned int length = 0;

	if (writer->len < writer->quick_end)
		length = quick(writer, rec, writer->buf + writer->len);
	if (!length)
		return write_any(writer, rec);
	writer->len += length;
	writer->records++;
	return 0;
}

int stf_write(struct stf_writer *writer, const struct stf_record *rec)
{
	return write_record(writer, rec);
}

int stf_write_pc_target(struct stf_writer *writer, uint64_t pc)
{
	struct stf_record rec;

	rec.desc = STF_INST_PC_TARGET;
	rec.pc = pc;
	return write_record(writer, &rec);
}

/* The instruction has another size than RISC-V's of this opcode. */
static __attribute__((noinline)) int write_odd(struct stf_writer *writer, uint32_t opcode,
					       unsigned int size)
{
	struct stf_record rec;

	rec.desc = size == 4 ? STF_INST_32 : STF_INST_16;
	rec.opcode = opcode;
	if (size != 4 && size != 2)
		return stf_fail(&writer->err, STF_E_VALUE,
				"%s: an instruction of %u bytes cannot be written",
				writer->path, size);
	if (writer->riscv)
		return stf_refuse_value(writer, rec.desc,
					"a RISC-V instruction of this size with opcode",
					opcode);
	return stf_write(writer, &rec);
}

int stf_write_inst(struct stf_writer *writer, uint32_t opcode,
		   unsigned int size)
{
	struct stf_record rec;

	rec.opcode = opcode;
	if (size == 4 && stf_width_defined(opcode, 4)) {
		rec.desc = STF_INST_32;
		return write_record(writer, &rec);
	}
	if (size == 2 && stf_width_defined(opcode, 2)) {
		rec.desc = STF_INST_16;
		return write_record(writer, &rec);
	}
	return write_odd(writer, opcode, size);
}

/* Bytes of the instruction that starts with this one; 0: more than four. */
static inline unsigned int length_of(uint8_t first)
{
	if (~first & 3)
		return 2;
	return ~first & 0x1f ? 4 : 0;
}

static inline uint8_t *put_opcode(uint8_t *p, const uint8_t *code,
				  unsigned int length)
{
	if (length == 2) {
		*p = STF_INST_16;
		memcpy(p + 1, code, 2);
		return p + 1 + 2;
	}
	*p = STF_INST_32;
	memcpy(p + 1, code, 4);
	return p + 1 + 4;
}

/*
 * What quick() would take of stf_write_code()'s code, or nothing where there may be
 * too many instructions. Returns the bytes taken.
 */
static inline size_t quick_code(struct stf_writer *writer, const uint8_t *code,
				size_t size, const uint64_t *target)
{
	const size_t end = size < 4 ? 0 : size - 3; /* of those with four bytes */
	uint8_t *const start = writer->buf + writer->len;
	unsigned int length = 0;
	uint8_t *p = start;
	size_t at = 0;
	uint64_t nr;

	/* Each is a byte longer in the trace, and has two at least. */
	if (writer->len >= writer->quick_end ||
	    size / 2 * 3 > writer->quick_end - writer->len ||
	    size / 2 > writer->full - writer->markers ||
	    !stf_order_quick(&writer->order, STF_INST_32) ||
	    (target && !stf_order_quick(&writer->order, STF_INST_PC_TARGET)))
		return 0;
	while (at < end) {
		length = length_of(code[at]);
		if (!length)
			break;
		p = put_opcode(p, code + at, length);
		at += length;
	}
	if (size - at == 2 && length_of(code[at]) == 2) {
		length = 2;
		p = put_opcode(p, code + at, length);
		at += length;
	}
	nr = (uint64_t)(p - start) - at;
	if (!nr)
		return 0;
	if (!writer->markers)
		writer->chunk_pc = writer->pc;
	/* The first one may have a target already. */
	if (writer->has_target)
		writer->pc = writer->target - length_of(*code);
	writer->has_target = false;
	writer->pc += at;
	if (target && at == size) {
		p -= 1 + length;
		*p = STF_INST_PC_TARGET;
		stf_put64(p + 1, *target);
		p = put_opcode(p + 1 + 8, code + at - length, length);
		writer->pc = *target;
		writer->records++;
	}
	stf_order_took(&writer->order, STF_INST_32);
	writer->len += (size_t)(p - start);
	writer->group = writer->len;
	writer->markers += nr;
	writer->instructions += nr;
	writer->records += nr;
	return at;
}

/* The instruction at the start of size bytes. Returns its size, or STF_E_*. */
static int write_one(struct stf_writer *writer, const uint8_t *code, size_t size,
		     const uint64_t *target)
{
	const unsigned int length = length_of(*code);
	int err = 0;

	if (!length || size < length)
		return stf_fail(&writer->err, STF_E_VALUE,
				"%s: an instruction that is cut short or longer than 4 bytes cannot be written",
				writer->path);
	if (target && length == size)
		err = stf_write_pc_target(writer, *target);
	if (!err)
		err = stf_write_inst(writer,
				     length == 2 ? stf_get16(code) :
						   stf_get32(code),
				     length);
	return err ? err : (int)length;
}

/* Where the buffer or the chunk ends, or a group has more rules than quick_code(). */
static __attribute__((noinline)) int write_code(struct stf_writer *writer,
						const uint8_t *code, size_t size,
						const uint64_t *target)
{
	size_t done;
	int ret;

	for (; size; code += done, size -= done) {
		ret = write_one(writer, code, size, target);
		if (ret < 0)
			return ret;
		done = (size_t)ret;
		done += quick_code(writer, code + done, size - done, target);
	}
	return 0;
}

int stf_write_code(struct stf_writer *writer, const void *code, size_t size,
		   const uint64_t *target)
{
	size_t done = quick_code(writer, code, size, target);

	if (done == size && done)
		return 0;
	/* There is no instruction that could lead there. */
	if (!size && target)
		return stf_bad_argument(&writer->err, __func__);
	return write_code(writer, (const uint8_t *)code + done, size - done,
			  target);
}

/* ----------------------------------------------------------- open and close */

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), e = strlen(end);

	return n >= e && !strcmp(name + n - e, end);
}

/* path: NULL if the trace has none. */
enum stf_container stf_container_by_name(const char *path)
{
	static const struct {
		const char *end;
		enum stf_container container;
	} names[] = {
		{ ".zstf", STF_CONTAINER_ZSTF },
		{ ".gz", STF_CONTAINER_GZ },
		{ ".xz", STF_CONTAINER_XZ },
	};
	unsigned int i;

	for (i = 0; path && i < sizeof(names) / sizeof(names[0]); i++)
		if (ends_in(path, names[i].end))
			return names[i].container;
	return STF_CONTAINER_PLAIN;
}

static struct stf_sink *open_sink(struct stf_writer *writer,
				  const struct stf_writer_opts *opts)
{
	if (writer->container != STF_CONTAINER_ZSTF)
		return stf_sink_stream(&writer->file, writer->container);
	return stf_sink_zstf(&writer->file,
			     opts->chunk_markers ? opts->chunk_markers :
						   DEFAULT_MARKERS,
			     opts->level ? opts->level : DEFAULT_LEVEL,
			     stf_threads(opts->threads));
}

static int start(struct stf_writer *writer, const char *function,
		 const struct stf_target *to,
		 const struct stf_writer_opts *passed)
{
	struct stf_writer_opts opts = { 0 };
	struct stf_error *err = &writer->err;
	int ret;

	ret = stf_struct_take(&opts, sizeof(opts),
			      STF_SIZE_TO(struct stf_writer_opts, threads),
			      passed, function, err);
	if (ret)
		return ret;
	if (!to->name || (to->calls && !to->calls->write) || opts.level < 0 ||
	    opts.level > MAX_LEVEL ||
	    !stf_codec_event_bits(&writer->codec, opts.event_bits))
		return stf_bad_argument(err, function);
	writer->codec.spec_initiators = opts.spec_initiators;
	writer->path = strdup(opts.name ? opts.name : to->name);
	if (!writer->path)
		return stf_no_memory(err, function);
	writer->container = opts.container ? opts.container :
					      stf_container_by_name(to->path);
	if (writer->container == STF_CONTAINER_ZSTD)
		return stf_fail(err, STF_E_INVAL,
				"%s: this container can only be read",
				writer->path);
	if (writer->container > STF_CONTAINER_ZSTD)
		return stf_fail(err, STF_E_INVAL,
				"%s: a container of the number %d is not known",
				writer->path, (int)writer->container);
	ret = stf_file_open(&writer->file, to, writer->path, err);
	if (ret)
		return ret;
	writer->sink = open_sink(writer, &opts);
	if (!writer->sink)
		return err->code;
	writer->full = writer->sink->chunk_markers ?
			       writer->sink->chunk_markers : UINT64_MAX;
	return 0;
}

static struct stf_writer *open_writer(const char *function,
				      const struct stf_target *to,
				      const struct stf_writer_opts *opts,
				      struct stf_error *err)
{
	struct stf_writer *writer = calloc(1, sizeof(*writer));
	int ret;

	if (!writer) {
		stf_no_memory(err, function);
		return NULL;
	}
	writer->file.fd = -1;
	ret = start(writer, function, to, opts);
	if (err)
		*err = writer->err;
	if (!ret)
		return writer;
	stf_writer_abort(writer);
	return NULL;
}

struct stf_writer *stf_writer_open(const char *path,
				   const struct stf_writer_opts *opts,
				   struct stf_error *err)
{
	struct stf_target to = { .name = path, .path = path };

	if (path && !strcmp(path, "-"))
		to = (struct stf_target){ .name = "(stdout)",
					  .fd = STDOUT_FILENO };
	return open_writer(__func__, &to, opts, err);
}

struct stf_writer *stf_writer_open_fd(int fd, const struct stf_writer_opts *opts,
				      struct stf_error *err)
{
	struct stf_target to = { .name = "(descriptor)", .fd = fd };

	return open_writer(__func__, &to, opts, err);
}

struct stf_writer *stf_writer_open_calls(const struct stf_write_calls *calls,
					 const struct stf_writer_opts *opts,
					 struct stf_error *err)
{
	struct stf_write_calls own = { 0 };
	struct stf_target to = { .name = "(calls)", .calls = &own };

	if (stf_struct_take(&own, sizeof(own),
			    STF_SIZE_TO(struct stf_write_calls, write_at), calls,
			    __func__, err))
		return NULL;
	return open_writer(__func__, &to, opts, err);
}

void stf_writer_abort(struct stf_writer *writer)
{
	if (!writer)
		return;
	stf_file_close(&writer->file);
	if (writer->sink)
		writer->sink->ops->close(writer->sink);
	free(writer->buf);
	free(writer->meta);
	free(writer->path);
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
				writer->path, why);
	err = writer->len ? put(writer, writer->len) : 0;
	if (!err)
		err = writer->sink->ops->finish(writer->sink);
	return err ? err : stf_file_commit(&writer->file);
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
	const struct stf_stats all = {
		.container = writer->container,
		.file_bytes = writer->file.size,
		.trace_bytes = writer->put + writer->len,
		.chunks = sink->chunks,
		.chunk_markers = sink->chunk_markers,
		.records = writer->records,
		.instructions = writer->instructions,
	};

	stf_struct_give(stats, &all, sizeof(all));
}
