// SPDX-License-Identifier: GPL-2.0-only
#include "base/notes.h"
#include "base/array.h"
#include "base/plain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

static void add(struct notes *notes, struct note note, const char *fmt, va_list ap)
{
	if (vasprintf(&note.text, fmt, ap) < 0)
		return;
	if (array_room(&notes->v, notes->nr, &notes->cap, sizeof(*notes->v)))
		notes->v[notes->nr++] = note;
	else
		free(note.text);
}

void notes_add(struct notes *notes, uint64_t number, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(notes, (struct note){ .number = number }, fmt, ap);
	va_end(ap);
}

void notes_say(struct notes *notes, const char *kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(notes, (struct note){ .kind = kind }, fmt, ap);
	va_end(ap);
}

void notes_write(const struct notes *notes, FILE *file)
{
	size_t i;

	for (i = 0; i < notes->nr; i++) {
		if (notes->v[i].kind)
			fprintf(file, "%s: ", notes->v[i].kind);
		else
			fprintf(file, "%12" PRIu64 " ", notes->v[i].number);
		plain_line(file, notes->v[i].text);
	}
}

void notes_json(const struct notes *notes, struct text *text)
{
	size_t i;

	text_str(text, ",\"notes\":[");
	for (i = 0; i < notes->nr; i++) {
		const struct note *note = &notes->v[i];

		text_str(text, i ? ",{" : "{");
		if (note->kind)
			text_json_str(text, "\"kind\":", note->kind);
		else
			text_json_dec(text, "\"number\":", note->number);
		text_json_str(text, ",\"text\":", note->text);
		text_str(text, "}");
	}
	text_str(text, "]");
}

void notes_free(struct notes *notes)
{
	while (notes->nr)
		free(notes->v[--notes->nr].text);
	free(notes->v);
	*notes = (struct notes){ 0 };
}
