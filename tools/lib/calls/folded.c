// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks as lines of text, which flame graphs are made of. */
#include "calls/calls.h"
#include "base/plain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	char *text;
	uint64_t samples;
};

/* A name may hold what separates frames, and the number behind the last blank. */
static void put_name(FILE *file, const char *name)
{
	while (*name)
		name += plain_char(file, *name == ';' ? ":" : name);
}

static char *make_text(const struct calls *calls, const struct calls_stack *stack)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct calls_frame *f;
	uint32_t i, k;

	if (!file)
		return NULL;
	for (i = stack->nr; i-- > 0;) {
		f = &calls->frames[calls->chains[stack->first + i]];
		for (k = f->nr_lines; k-- > 0;) {
			put_name(file, calls->lines[f->first_line + k].name);
			if (i || k)
				fputc(';', file);
		}
	}
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}

static int by_text(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;

	return strcmp(a->text, b->text);
}

static void write_lines(const struct line *v, size_t nr, FILE *file)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		samples += v[i].samples;
		if (i + 1 < nr && !strcmp(v[i].text, v[i + 1].text))
			continue;
		fprintf(file, "%s %" PRIu64 "\n", v[i].text, samples);
		samples = 0;
	}
}

bool calls_folded(const struct calls *calls, FILE *file)
{
	struct line *v = calloc(calls->nr_stacks + 1, sizeof(*v));
	bool ok = v;
	size_t i;

	for (i = 0; i < calls->nr_stacks && ok; i++) {
		v[i] = (struct line){ make_text(calls, &calls->stacks[i]),
				      calls->stacks[i].samples };
		ok = v[i].text;
	}
	if (ok) {
		qsort(v, calls->nr_stacks, sizeof(*v), by_text);
		write_lines(v, calls->nr_stacks, file);
	}
	for (i = 0; v && i < calls->nr_stacks; i++)
		free(v[i].text);
	free(v);
	return ok;
}
