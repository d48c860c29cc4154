// SPDX-License-Identifier: BSD-2-Clause
/* Writing single kinds of records, and the header as a whole. */
#include <string.h>

#include "stf/stf_struct.h"
#include "stf/stf_values.h"
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

	if (!stf_access_defined(access->access))
		return stf_refuse_value(writer, rec.desc, "access", access->access);
	rec.mem_access = *access;
	err = stf_write(writer, &rec);
	return err ? err : write_content(writer, STF_INST_MEM_CONTENT, content);
}

int stf_write_bus(struct stf_writer *writer, const struct stf_bus_access *access,
		  uint64_t content)
{
	RECORD(rec, STF_BUS_MASTER_ACCESS);
	int err;

	if (!stf_access_defined(access->access))
		return stf_refuse_value(writer, rec.desc, "access", access->access);
	if (!stf_initiator_defined(access->initiator))
		return stf_refuse_value(writer, rec.desc, "initiator",
					access->initiator);
	rec.bus_access = *access;
	err = stf_write(writer, &rec);
	return err ? err :
		     write_content(writer, STF_BUS_MASTER_CONTENT, content);
}

int stf_write_event(struct stf_writer *writer, uint64_t id,
		    const uint64_t *fields, uint8_t n_fields)
{
	RECORD(rec, STF_EVENT);

	if (writer->riscv && id != STF_EVENT_MODE_CHANGE && stf_event_fields(id) < 0)
		return stf_refuse_value(writer, rec.desc, "id", id);
	rec.event = (struct stf_event){ id, n_fields, fields };
	return stf_write(writer, &rec);
}

int stf_write_mode_change(struct stf_writer *writer, enum stf_mode mode)
{
	uint64_t field = mode;

	return stf_write_event(writer, STF_EVENT_MODE_CHANGE, &field, 1);
}

/* ------------------------------------------------------------------ the header */

struct header {
	struct stf_writer *writer;
	struct stf_record rec;
	int err; /* of the first record that was refused */
};

/* Write the record, whose members are set, unless one before was refused. */
static void add(struct header *h, enum stf_desc desc)
{
	h->rec.desc = desc;
	if (!h->err)
		h->err = stf_write(h->writer, &h->rec);
}

static void add_process(struct header *h, const struct stf_process *process)
{
	if (!process)
		return;
	h->rec.process = *process;
	add(h, STF_PROCESS_ID_EXT);
}

/* Which instructions the trace has. One of transactions may have none. */
static void add_isa(struct header *h, uint16_t isa, uint16_t iem)
{
	h->rec.isa = isa;
	if (isa)
		add(h, STF_ISA);
	h->rec.iem = iem;
	if (iem)
		add(h, STF_INST_IEM);
}

static uint64_t features_of(const struct stf_header *hdr, uint16_t iem)
{
	uint64_t features = hdr->features;

	if (iem == STF_IEM_RV64)
		features |= STF_FEATURE_RV64 | STF_FEATURE_EVENT64;
	if (hdr->protocol)
		features |= STF_FEATURE_TRANSACTIONS;
	return features;
}

/* Of which kind the trace is: where its first instruction is, or its transactions. */
static void add_kind(struct header *h, const struct stf_header *hdr)
{
	size_t i;

	if (!hdr->protocol) {
		h->rec.pc = hdr->pc;
		add(h, STF_FORCE_PC);
		return;
	}
	h->rec.protocol = hdr->protocol;
	add(h, STF_PROTOCOL_ID);
	for (i = 0; i < hdr->n_clocks; i++) {
		h->rec.clock = hdr->clocks[i];
		add(h, STF_CLOCK_ID);
	}
}

static void add_all(struct header *h, const struct stf_header *hdr, uint16_t isa,
		    uint16_t iem)
{
	const char *const *comment;

	add(h, STF_IDENTIFIER);
	h->rec.version = (struct stf_version){ STF_VERSION_MAJOR,
					       STF_VERSION_MINOR };
	add(h, STF_VERSION);
	for (comment = hdr->comments; *comment; comment++) {
		h->rec.text = text_of(*comment);
		add(h, STF_COMMENT);
	}
	add_isa(h, isa, iem);
	h->rec.trace_info = (struct stf_trace_info){
		.generator = hdr->generator,
		.major = hdr->gen_major,
		.minor = hdr->gen_minor,
		.patch = hdr->gen_patch,
		.text = text_of(hdr->gen_text),
	};
	add(h, STF_TRACE_INFO);
	h->rec.features = features_of(hdr, iem);
	add(h, STF_TRACE_INFO_FEATURE);
	if (hdr->vlen) {
		h->rec.vlen = hdr->vlen;
		add(h, STF_VLEN_CONFIG);
	}
	if (hdr->isa_string) {
		h->rec.text = text_of(hdr->isa_string);
		add(h, STF_ISA_EXTENDED);
	}
	add_process(h, hdr->process);
	add_kind(h, hdr);
	add(h, STF_END_HEADER);
	add_process(h, hdr->process);
}

/* Generators are programs, of which some may be newer than this library. */
static int check_values(struct stf_writer *writer, const struct stf_header *hdr,
			uint16_t isa, uint16_t iem)
{
	size_t i;

	if (!stf_isa_defined(isa) && (isa || !hdr->protocol))
		return stf_refuse_value(writer, STF_ISA, "ISA", isa);
	if (!stf_iem_defined(iem) && (iem || !hdr->protocol))
		return stf_refuse_value(writer, STF_INST_IEM, "the encoding", iem);
	if (!hdr->generator)
		return stf_refuse_value(writer, STF_TRACE_INFO, "generator", 0);
	if (!stf_features_defined(hdr->features))
		return stf_refuse_value(writer, STF_TRACE_INFO_FEATURE,
					"all bits of the features", hdr->features);
	for (i = 0; hdr->protocol && i < hdr->n_clocks; i++)
		if (!stf_clock_defined(hdr->clocks[i].id))
			return stf_refuse_value(writer, STF_CLOCK_ID, "clock", 0);
	return 0;
}

int stf_write_header(struct stf_writer *writer, const struct stf_header *hdr)
{
	struct header h = { .writer = writer };
	struct stf_header own = { 0 };
	uint16_t isa, iem;

	h.err = stf_struct_take(&own, sizeof(own),
				STF_SIZE_TO(struct stf_header, pc), hdr,
				__func__, &writer->err);
	if (h.err)
		return h.err;
	if (!own.comments || !own.comments[0])
		return stf_bad_argument(&writer->err, __func__);
	isa = own.isa || own.protocol ? own.isa : STF_ISA_RISCV;
	iem = own.iem || own.protocol ? own.iem : STF_IEM_RV64;
	h.err = check_values(writer, &own, isa, iem);
	if (!h.err)
		add_all(&h, &own, isa, iem);
	return h.err;
}
