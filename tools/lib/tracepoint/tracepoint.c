// SPDX-License-Identifier: GPL-2.0-only
#include "tracepoint/tracepoint.h"
#include "base/cursor.h"
#include "base/error.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

/*
 * A field's line in a format file. libtraceevent trusts its input, and falls over
 * what no kernel writes: it sees only lines that are of this form.
 */
#define WORD "[A-Za-z_][A-Za-z0-9_]*"
#define NUMBER "[0-9]{1,5}"
static const char field_form[] =
	"^\tfield:(" WORD "(\\[\\])?[ *]+)+" WORD "(\\[[A-Za-z0-9_]*\\])?;"
	"\toffset:" NUMBER ";\tsize:" NUMBER ";(\tsigned:[01];)?$";
enum { LINE_MAX_BYTES = 256 };

struct tp {
	struct tep_handle *tep;
	regex_t field;
	bool swap;
};

static uint64_t load(const uint8_t *p, unsigned int size, bool swap)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (uint64_t)p[swap ? size - 1 - i : i] << 8 * i;
	return value;
}

static unsigned int take_byte(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 1);

	return p ? *p : 0;
}

/* A text with its NUL. NULL: there is none. */
static const char *take_text(struct cursor *c)
{
	const uint8_t *nul = memchr(c->p, 0, c->end - c->p);

	if (!nul) {
		c->cut = true;
		return NULL;
	}
	return (const char *)cursor_take(c, nul + 1 - c->p);
}

/* A name, and a u64 with the size of what follows. */
static void skip_header_file(struct cursor *c, const char *name)
{
	const char *text = take_text(c);

	if (text && strcmp(text, name))
		c->cut = true;
	cursor_take(c, cursor_u64(c));
}

/* The next line, without its end. False: none is left, or it is too long. */
static bool next_line(struct cursor *c, char *line)
{
	const uint8_t *nl = memchr(c->p, '\n', c->end - c->p);
	size_t n = nl ? nl - c->p : 0;

	if (!nl || n >= LINE_MAX_BYTES)
		return false;
	memcpy(line, c->p, n);
	line[n] = 0;
	c->p = nl + 1;
	return true;
}

/*
 * A format file: name, ID, "format:", the fields, and how to print them, which is
 * not needed. What is not understood is left out: whoever needs it is told then.
 * Returns 0 or ERROR_NOMEM.
 */
static int add_event(struct tp *tp, const char *system, struct cursor c)
{
	char line[LINE_MAX_BYTES], name[65], *text;
	unsigned int id;
	size_t n, room = c.end - c.p + 64;

	if (!next_line(&c, line) ||
	    sscanf(line, "name: %64[A-Za-z0-9_]", name) != 1 ||
	    !next_line(&c, line) || sscanf(line, "ID: %9u", &id) != 1 ||
	    !next_line(&c, line) || strcmp(line, "format:"))
		return 0;
	text = malloc(room);
	if (!text)
		return ERROR_NOMEM;
	n = snprintf(text, room, "name: %s\nID: %u\nformat:\n", name, id);
	while (next_line(&c, line))
		if (!line[0] || !regexec(&tp->field, line, 0, NULL, 0))
			n += snprintf(text + n, room - n, "%s\n", line);
	n += snprintf(text + n, room - n, "\nprint fmt: \"\"\n");
	tep_parse_event(tp->tep, text, n, system);
	free(text);
	return 0;
}

static int read_systems(struct tp *tp, struct cursor *c)
{
	uint64_t systems, events;

	for (systems = cursor_u32(c); systems && !c->cut; systems--) {
		const char *system = take_text(c);

		for (events = cursor_u32(c); events && !c->cut; events--) {
			uint64_t size = cursor_u64(c);
			const uint8_t *format = cursor_take(c, size);

			if (format && add_event(tp, system,
						(struct cursor){ .p = format,
								 .end = c->p }))
				return ERROR_NOMEM;
		}
	}
	return c->cut ? ERROR_INPUT : 0;
}

/* The kernel's symbols, formats of printk and names of tasks follow: unused. */
static int read_data(struct tp *tp, struct cursor *c)
{
	static const char magic[] = "\27\10Dtracing";
	const uint8_t *p = cursor_take(c, sizeof(magic) - 1);
	uint64_t nr;

	if (!p || memcmp(p, magic, sizeof(magic) - 1))
		return ERROR_INPUT;
	take_text(c); /* a version */
	c->swap = take_byte(c) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	tp->swap = c->swap;
	tep_set_file_bigendian(tp->tep, c->swap ? TEP_BIG_ENDIAN :
						  TEP_LITTLE_ENDIAN);
	tep_set_long_size(tp->tep, take_byte(c));
	cursor_take(c, 4); /* the size of a page */
	skip_header_file(c, "header_page");
	skip_header_file(c, "header_event");
	for (nr = cursor_u32(c); nr && !c->cut; nr--) /* of ftrace's own */
		cursor_take(c, cursor_u64(c));
	return read_systems(tp, c);
}

int tp_new(struct tp **out, const void *data, size_t size)
{
	struct cursor c = { .p = data, .end = (const uint8_t *)data + size };
	struct tp *tp = calloc(1, sizeof(*tp));
	int ret = 0;

	*out = NULL;
	if (!tp)
		return ERROR_NOMEM;
	/* What is wrong with a format is not the user's to repair. */
	tep_set_loglevel(TEP_LOG_NONE);
	if (regcomp(&tp->field, field_form, REG_EXTENDED | REG_NOSUB)) {
		free(tp);
		return ERROR_NOMEM;
	}
	tp->tep = tep_alloc();
	if (!tp->tep)
		ret = ERROR_NOMEM;
	else if (size)
		ret = read_data(tp, &c);
	if (ret)
		tp_free(tp);
	else
		*out = tp;
	return ret;
}

void tp_free(struct tp *tp)
{
	if (!tp)
		return;
	tep_free(tp->tep);
	regfree(&tp->field);
	free(tp);
}

bool tp_name(const struct tp *tp, uint64_t id, const char **system,
	     const char **name)
{
	const struct tep_event *event = tep_find_event(tp->tep, id);

	if (!event)
		return false;
	*system = event->system;
	*name = event->name;
	return true;
}

/* The library does not know all of C's names for numbers. */
static unsigned int element_size(struct tp *tp, const struct tep_format_field *f)
{
	if (f->elementsize)
		return f->elementsize;
	if (strstr(f->type, "long"))
		return tep_get_long_size(tp->tep);
	return strstr(f->type, "short") ? 2 : strstr(f->type, "int") ? 4 : 0;
}

bool tp_find_field(struct tp *tp, uint64_t id, const char *name,
		   struct tp_field *field)
{
	struct tep_event *event = tep_find_event(tp->tep, id);
	const struct tep_format_field *f =
		event ? tep_find_any_field(event, name) : NULL;
	unsigned int size;

	if (!f || f->offset < 0)
		return false;
	*field = (struct tp_field){
		.offset = f->offset,
		.is_signed = f->flags & TEP_FIELD_IS_SIGNED,
		.is_array = f->flags & TEP_FIELD_IS_DYNAMIC,
		.is_relative = f->flags & TEP_FIELD_IS_RELATIVE,
		.swap = tp->swap,
	};
	size = field->is_array ? element_size(tp, f) : (unsigned int)f->size;
	/* Texts and structures of fixed size are no numbers. */
	field->size = size <= 8 && (field->is_array || !f->arraylen) ? size : 0;
	return true;
}

static uint64_t number(const struct tp_field *field, const uint8_t *p)
{
	uint64_t v = load(p, field->size, field->swap);
	unsigned int unused = 64 - 8 * field->size;

	return field->is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) :
				  v;
}

bool tp_number(const struct tp_field *field, const uint8_t *raw,
	       uint32_t raw_size, uint64_t *value)
{
	if (field->is_array || !field->size || field->offset > raw_size ||
	    field->size > raw_size - field->offset)
		return false;
	*value = number(field, raw + field->offset);
	return true;
}

bool tp_array(const struct tp_field *field, const uint8_t *raw,
	      uint32_t raw_size, const uint8_t **array, uint32_t *size)
{
	uint64_t place, at;

	if (!field->is_array || field->offset > raw_size ||
	    4 > raw_size - field->offset)
		return false;
	/* The size in the upper half, the place in the lower. */
	place = load(raw + field->offset, 4, field->swap);
	at = place & 0xffff;
	if (field->is_relative)
		at += field->offset + 4;
	*size = place >> 16;
	if (at > raw_size || *size > raw_size - at)
		return false;
	*array = raw + at;
	return true;
}

uint64_t tp_element(const struct tp_field *field, const uint8_t *array,
		    uint32_t i)
{
	return number(field, array + (size_t)i * field->size);
}
