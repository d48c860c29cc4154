// SPDX-License-Identifier: GPL-2.0-only
#include "profile/write.h"
#include "riscv/rv_insn.h"

#include <inttypes.h>
#include <string.h>

/* The digits of a number, before end. Returns where they begin. */
static char *put_digits(char *end, uint64_t number, unsigned int base)
{
	do
		*--end = "0123456789abcdef"[number % base];
	while (number /= base);
	return end;
}

/*
 * A line of "FROM-TO:COUNT", or with "->". Hundreds of thousands of them are what
 * takes longest to write, so it is not for fprintf(), nor for struct text, which
 * needs twice the instructions for five pieces.
 */
static void put_counted(FILE *file, uint64_t from, const char *between,
			uint64_t to, uint64_t count)
{
	char line[64], *end = line + sizeof(line), *p = end;
	size_t len = strlen(between);

	*--p = '\n';
	p = put_digits(p, count, 10);
	*--p = ':';
	p = put_digits(p, to, 16);
	p = memcpy(p - len, between, len);
	p = put_digits(p, from, 16);
	fwrite(p, end - p, 1, file);
}

static void write_ranges(const struct prof *prof, uint64_t base, FILE *file)
{
	size_t i;

	fprintf(file, "%zu\n", prof->nr_ranges);
	for (i = 0; i < prof->nr_ranges; i++) {
		const struct prof_range *r = &prof->ranges[i];

		put_counted(file, r->start - base, "-", r->end - base,
			    r->count);
	}
}

void prof_write_profgen(const struct prof *prof, FILE *file)
{
	uint64_t base = prof->code->text_base, nr = 0;
	struct prof_branch b;
	size_t at;

	write_ranges(prof, base, file);
	/* Where they lead when they leave is of no use there. */
	for (at = 0; prof_next_branch(prof, &at, &b);)
		nr += b.to != PROF_OUTSIDE;
	fprintf(file, "%" PRIu64 "\n", nr);
	/* All that is outside has the address 1, and so comes first. */
	for (at = 0; prof_next_branch(prof, &at, &b);)
		if (b.from == PROF_OUTSIDE)
			put_counted(file, 1 - base, "->", b.to - base, b.count);
	for (at = 0; prof_next_branch(prof, &at, &b);)
		if (b.from != PROF_OUTSIDE && b.to != PROF_OUTSIDE)
			put_counted(file, b.from - base, "->", b.to - base,
				    b.count);
}

/* Does the branch come from the function that it leads into? */
static bool stays_inside(const struct prof *prof, const struct prof_trace *t)
{
	const struct img_symbol *s = prof_code_symbol(prof->code, t->to);

	return s && t->from >= s->start && t->from < s->end;
}

/*
 * Branches, and straight lines by where they were entered from: by F, a branch of
 * the same function, or by f, a call or a return. All versions read these.
 */
void prof_write_bolt(const struct prof *prof, FILE *file)
{
	struct prof_branch b;
	struct prof_trace t;
	size_t at;

	for (at = 0; prof_next_branch(prof, &at, &b);) {
		if (b.from == PROF_OUTSIDE)
			fprintf(file, "B X:0 %" PRIx64, b.to);
		else if (b.to == PROF_OUTSIDE)
			fprintf(file, "B %" PRIx64 " X:0", b.from);
		else
			fprintf(file, "B %" PRIx64 " %" PRIx64, b.from, b.to);
		fprintf(file, " %" PRIu64 " %" PRIu64 "\n", b.count,
			b.mispredicted);
	}
	for (at = 0; prof_next_trace(prof, &at, &t);)
		if (t.end != PROF_OUTSIDE)
			fprintf(file,
				"%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n",
				stays_inside(prof, &t) ? 'F' : 'f', t.to, t.end,
				t.count);
}
