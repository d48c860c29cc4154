// SPDX-License-Identifier: GPL-2.0-only
#include "tracecut/header.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* The text of a record in a header; NULL: this kind of record has none. */
static struct stf_text *text_of(struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_COMMENT:
	case STF_ISA_EXTENDED:
		return &rec->text;
	case STF_TRACE_INFO:
		return &rec->trace_info.text;
	case STF_CLOCK_ID:
		return &rec->clock.name;
	}
	return NULL;
}

bool tcut_header_add(struct tcut_header *header, const struct stf_record *rec)
{
	struct stf_record own = *rec;
	struct stf_text *text = text_of(&own);
	char *copy;

	if (!array_room(&header->v, header->nr, &header->cap, sizeof(own)))
		return false;
	if (text) {
		copy = malloc(text->size + 1);
		if (!copy)
			return false;
		memcpy(copy, text->data, text->size);
		text->data = copy;
	}
	header->v[header->nr++] = own;
	return true;
}

int tcut_header_read(struct tcut_header *header, struct stf_reader *reader,
		     const char *name, struct error *error)
{
	const struct stf_params *params = stf_reader_params(reader);
	struct stf_record rec;
	int more = 1;

	while (!params->header_ended && (more = stf_reader_next(reader, &rec)) > 0)
		if (!tcut_header_add(header, &rec))
			return error_nomem(error);
	if (more < 0)
		return error_set(error, ERROR_INPUT, "%s", stf_reader_error(reader));
	return more ? 0 : error_set(error, ERROR_INPUT,
				    "%s has no END_HEADER", name);
}

bool tcut_header_has_info(const struct tcut_header *header,
			  const struct stf_trace_info *info)
{
	size_t i;

	for (i = 0; i < header->nr; i++) {
		const struct stf_trace_info *other = &header->v[i].trace_info;

		if (header->v[i].desc == STF_TRACE_INFO &&
		    other->generator == info->generator &&
		    other->major == info->major && other->minor == info->minor &&
		    other->patch == info->patch &&
		    other->text.size == info->text.size &&
		    !memcmp(other->text.data, info->text.data, info->text.size))
			return true;
	}
	return false;
}

static bool is_known(const struct stf_process *process)
{
	return process->hart || process->pid || process->tid;
}

/* The record as it is to be written. False: it is not to be. */
static bool edited(struct stf_record *rec, const struct tcut_edit *edit)
{
	switch (rec->desc) {
	case STF_TRACE_INFO_FEATURE:
		rec->features = (rec->features & ~edit->remove) | edit->add;
		return true;
	case STF_FORCE_PC:
		rec->pc = edit->pc;
		return true;
	case STF_PROCESS_ID_EXT:
		if (!edit->moved)
			return true;
		rec->process = edit->process;
		return is_known(&rec->process);
	case STF_ISA_EXTENDED:
		return !edit->isa;
	}
	return true;
}

static int write_text(struct stf_writer *writer, uint8_t desc, const char *text)
{
	struct stf_record rec = { .desc = desc };

	rec.text = (struct stf_text){ text, (uint32_t)strlen(text) };
	return stf_write(writer, &rec);
}

static int write_tool(const struct tcut_header *header, const struct tcut_edit *edit,
		      struct stf_writer *writer)
{
	struct stf_record rec = { .desc = STF_TRACE_INFO };

	rec.trace_info = (struct stf_trace_info){
		.generator = edit->generator,
		.text = { edit->tool, (uint32_t)strlen(edit->tool) },
	};
	return tcut_header_has_info(header, &rec.trace_info) ?
		       0 : stf_write(writer, &rec);
}

static bool has_pc(const struct tcut_header *header)
{
	size_t i;

	for (i = 0; i < header->nr; i++)
		if (header->v[i].desc == STF_FORCE_PC)
			return true;
	return false;
}

/* What comes at its end. The writer demands a FORCE_PC, which may be behind the read one. */
static int write_more(const struct tcut_header *header, const struct tcut_edit *edit,
		      struct stf_writer *writer)
{
	const char *const *comment;
	int err = 0;

	if (!has_pc(header))
		err = stf_write_force_pc(writer, edit->pc);
	if (!err)
		err = write_tool(header, edit, writer);
	for (comment = edit->comments; !err && *comment; comment++)
		err = write_text(writer, STF_COMMENT, *comment);
	if (!err && edit->isa)
		err = write_text(writer, STF_ISA_EXTENDED, edit->isa);
	return err;
}

int tcut_header_write(const struct tcut_header *header,
		      const struct tcut_edit *edit, struct stf_writer *writer)
{
	struct stf_record rec;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < header->nr; i++) {
		rec = header->v[i];
		if (rec.desc == STF_END_HEADER)
			err = write_more(header, edit, writer);
		if (!err && edited(&rec, edit))
			err = stf_write(writer, &rec);
	}
	return err;
}

void tcut_header_free(struct tcut_header *header)
{
	size_t i;

	for (i = 0; i < header->nr; i++) {
		struct stf_text *text = text_of(&header->v[i]);

		if (text)
			free((char *)text->data);
	}
	free(header->v);
	*header = (struct tcut_header){ 0 };
}
