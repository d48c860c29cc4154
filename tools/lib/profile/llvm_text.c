// SPDX-License-Identifier: GPL-2.0-only
#include "profile/llvm.h"
#include "base/plain.h"

#include <inttypes.h>

/*
 * The names of C functions are as the debug information has them. A newline would begin another
 * record, and so would a blank at the start, behind which counts stand; a # hides the line.
 */
static bool can_write(const char *name)
{
	if (!*name || *name == ' ' || *name == '#')
		return false;
	for (; *name; name++)
		if (plain_control(name))
			return false;
	return true;
}

static void write_loc(struct prof_loc loc, FILE *file)
{
	fprintf(file, "%" PRIu32, loc.offset);
	if (loc.discriminator)
		fprintf(file, ".%" PRIu32, loc.discriminator);
	fputs(": ", file);
}

static void write_func(const struct prof_samples *s, const struct prof_func *f,
		       int depth, FILE *file)
{
	uint32_t i, k;

	fprintf(file, "%s:%" PRIu64, f->name, f->total);
	if (!depth)
		fprintf(file, ":%" PRIu64, f->head);
	fputc('\n', file);
	for (i = 0; i < f->nr_body; i++) {
		const struct prof_body *b = &s->bodies[f->body + i];

		fprintf(file, "%*s", depth + 1, "");
		write_loc(b->loc, file);
		fprintf(file, "%" PRIu64, b->count);
		for (k = 0; k < b->nr_targets; k++)
			if (can_write(s->targets[b->targets + k].name))
				fprintf(file, " %s:%" PRIu64, s->targets[b->targets + k].name,
					s->targets[b->targets + k].count);
		fputc('\n', file);
	}
	for (i = 0; i < f->nr_children; i++) {
		const struct prof_func *child = &s->funcs[f->children + i];

		if (!can_write(child->name))
			continue;
		fprintf(file, "%*s", depth + 1, "");
		write_loc(child->call, file);
		write_func(s, child, depth + 1, file);
	}
	if (s->by_probe)
		fprintf(file, "%*s!CFGChecksum: %" PRIu64 "\n", depth + 1, "",
			f->checksum);
}

int prof_write_llvm(const struct prof_samples *samples, FILE *file)
{
	size_t i;

	for (i = 0; i < samples->nr_top; i++)
		if (can_write(samples->funcs[i].name))
			write_func(samples, &samples->funcs[i], 0, file);
	return 0;
}

size_t prof_llvm_unwritten(const struct prof_samples *samples)
{
	size_t i, nr = 0;

	for (i = 0; i < samples->nr_funcs; i++)
		nr += !can_write(samples->funcs[i].name);
	for (i = 0; i < samples->nr_targets; i++)
		nr += !can_write(samples->targets[i].name);
	return nr;
}
