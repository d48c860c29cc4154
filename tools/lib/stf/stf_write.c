// SPDX-License-Identifier: BSD-2-Clause
/* Writing single kinds of records, and the header as a whole. */
#include <string.h>

#include "stf/stf_writer.h"

/* Only the members in use are set: a whole record would be cleared each time. */
#define RECORD(_rec, _desc)                                                    \
	struct stf_record _rec;                                                \
	_rec.desc = (_desc)

static struct stf_text text_of(const char *s)
{
	size_t n = s ? strlen(s) : 0;

	return (struct stf_text){ s, n > UINT32_MAX ? UINT32_MAX : (uint32_t)n };
}

int stf_write_comment(struct stf_writer *writer, const char *text)
{
	RECORD(rec, STF_COMMENT);

	rec.text = text_of(text);
	return stf_write(writer, &rec);
}

int stf_write_process(struct stf_writer *writer, uint32_t hart, uint32_t pid,
		      uint32_t tid)
{
	RECORD(rec, STF_PROCESS_ID_EXT);

	rec.process = (struct stf_process){ hart, pid, tid };
	return stf_write(writer, &rec);
}

static int write_pc(struct stf_writer *writer, enum stf_desc desc, uint64_t pc)
{
	RECORD(rec, desc);

	rec.pc = pc;
	return stf_write(writer, &rec);
}

int stf_write_force_pc(struct stf_writer *writer, uint64_t pc)
{
	return write_pc(writer, STF_FORCE_PC, pc);
}

int stf_write_event_target(struct stf_writer *writer, uint64_t pc)
{
	return write_pc(writer, STF_EVENT_PC_TARGET, pc);
}

static int write_content(struct stf_writer *writer, enum stf_desc desc,
			 uint64_t content)
{
	RECORD(rec, desc);

	rec.content = content;
	return stf_write(writer, &rec);
}

int stf_write_mem(struct stf_writer *writer, const struct stf_mem_access *access,
		  uint64_t content)
{
	RECORD(rec, STF_INST_MEM_ACCESS);
	int err;

	rec.mem_access = *access;
	err = stf_write(writer, &rec);
	return err ? err : write_content(writer, STF_INST_MEM_CONTENT, content);
}

int stf_write_bus(struct stf_writer *writer, const struct stf_bus_access *access,
		  uint64_t content)
{
	RECORD(rec, STF_BUS_MASTER_ACCESS);
	int err;

	rec.bus_access = *access;
	err = stf_write(writer, &rec);
	return err ? err :
		     write_content(writer, STF_BUS_MASTER_CONTENT, content);
}

int stf_write_event(struct stf_writer *writer, uint64_t id,
		    const uint64_t *fields, uint8_t n_fields)
{
	RECORD(rec, STF_EVENT);

	rec.event = (struct stf_event){ id, n_fields, fields };
	return stf_write(writer, &rec);
}

int stf_write_mode_change(struct stf_writer *writer, enum stf_mode mode)
{
	uint64_t field = mode;

	return stf_write_event(writer, STF_EVENT_MODE_CHANGE, &field, 1);
}

/* ------------------------------------------------------------------ the header */

static int write_plain(struct stf_writer *writer, enum stf_desc desc)
{
	RECORD(rec, desc);

	return stf_write(writer, &rec);
}

static int write_version(struct stf_writer *writer)
{
	RECORD(rec, STF_VERSION);

	rec.version = (struct stf_version){ STF_VERSION_MAJOR,
					    STF_VERSION_MINOR };
	return stf_write(writer, &rec);
}

static int write_u16(struct stf_writer *writer, enum stf_desc desc,
		     uint16_t value)
{
	RECORD(rec, desc);

	if (desc == STF_ISA)
		rec.isa = value;
	else
		rec.iem = value;
	return stf_write(writer, &rec);
}

static int write_trace_info(struct stf_writer *writer,
			    const struct stf_header *hdr)
{
	RECORD(rec, STF_TRACE_INFO);

	rec.trace_info = (struct stf_trace_info){
		.generator = hdr->generator,
		.major = hdr->gen_major,
		.minor = hdr->gen_minor,
		.patch = hdr->gen_patch,
		.text = text_of(hdr->gen_text),
	};
	return stf_write(writer, &rec);
}

static int write_features(struct stf_writer *writer, uint64_t features,
			  uint16_t iem)
{
	RECORD(rec, STF_TRACE_INFO_FEATURE);

	if (iem == STF_IEM_RV64)
		features |= STF_FEATURE_RV64 | STF_FEATURE_EVENT64;
	rec.features = features;
	return stf_write(writer, &rec);
}

static int write_vlen(struct stf_writer *writer, uint32_t vlen)
{
	RECORD(rec, STF_VLEN_CONFIG);

	rec.vlen = vlen;
	return stf_write(writer, &rec);
}

static int write_isa_string(struct stf_writer *writer, const char *string)
{
	RECORD(rec, STF_ISA_EXTENDED);

	rec.text = text_of(string);
	return stf_write(writer, &rec);
}

static int write_comments(struct stf_writer *writer,
			  const char *const *comments)
{
	int err = 0;

	for (; !err && *comments; comments++)
		err = stf_write_comment(writer, *comments);
	return err;
}

static int write_process(struct stf_writer *writer,
			 const struct stf_process *process)
{
	return process ? stf_write_process(writer, process->hart, process->pid,
					   process->tid) : 0;
}

int stf_write_header(struct stf_writer *writer, const struct stf_header *hdr)
{
	uint16_t isa = hdr->isa ? hdr->isa : STF_ISA_RISCV;
	uint16_t iem = hdr->iem ? hdr->iem : STF_IEM_RV64;
	int err;

	if (hdr->size < sizeof(*hdr) || !hdr->comments || !hdr->comments[0])
		return stf_fail(&writer->err, STF_E_INVAL,
				"%s: a bad argument to stf_write_header()",
				writer->sink->file.path);
	err = write_plain(writer, STF_IDENTIFIER);
	if (!err)
		err = write_version(writer);
	if (!err)
		err = write_comments(writer, hdr->comments);
	if (!err)
		err = write_u16(writer, STF_ISA, isa);
	if (!err)
		err = write_u16(writer, STF_INST_IEM, iem);
	if (!err)
		err = write_trace_info(writer, hdr);
	if (!err)
		err = write_features(writer, hdr->features, iem);
	if (!err && hdr->vlen)
		err = write_vlen(writer, hdr->vlen);
	if (!err && hdr->isa_string)
		err = write_isa_string(writer, hdr->isa_string);
	if (!err)
		err = write_process(writer, hdr->process);
	if (!err)
		err = stf_write_force_pc(writer, hdr->pc);
	if (!err)
		err = write_plain(writer, STF_END_HEADER);
	if (!err)
		err = write_process(writer, hdr->process);
	return err;
}
