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
 * A line that is written from its end to its start. Hundreds of thousands of lines are
 * what takes longest to write, so they are not for fprintf(), nor for struct text, which
 * needs twice the instructions.
 */
struct line {
	char text[96];
	char *p; /* where the line begins */
};

static void begin_line(struct line *line)
{
	line->p = line->text + sizeof(line->text);
	*--line->p = '\n';
}

static void put(struct line *line, const char *text)
{
	const size_t len = strlen(text);

	line->p = memcpy(line->p - len, text, len);
}

static void put_number(struct line *line, uint64_t number, unsigned int base)
{
	line->p = put_digits(line->p, number, base);
}

static void end_line(struct line *line, FILE *file)
{
	fwrite(line->p, line->text + sizeof(line->text) - line->p, 1, file);
}

/* A line of "FROM-TO:COUNT", or with "->". */
static void put_counted(FILE *file, uint64_t from, const char *between,
			uint64_t to, uint64_t count)
{
	struct line line;

	begin_line(&line);
	put_number(&line, count, 10);
	put(&line, ":");
	put_number(&line, to, 16);
	put(&line, between);
	put_number(&line, from, 16);
	end_line(&line, file);
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

/* An address of a branch, or what stands for all that is outside. */
static void put_end(struct line *line, uint64_t addr)
{
	if (addr == PROF_OUTSIDE)
		put(line, "X:0");
	else
		put_number(line, addr, 16);
}

static void put_branch(FILE *file, const struct prof_branch *b)
{
	struct line line;

	begin_line(&line);
	put_number(&line, b->mispredicted, 10);
	put(&line, " ");
	put_number(&line, b->count, 10);
	put(&line, " ");
	put_end(&line, b->to);
	put(&line, " ");
	put_end(&line, b->from);
	put(&line, "B ");
	end_line(&line, file);
}

static void put_trace(FILE *file, const char *how, const struct prof_trace *t)
{
	struct line line;

	begin_line(&line);
	put_number(&line, t->count, 10);
	put(&line, " ");
	put_number(&line, t->end, 16);
	put(&line, " ");
	put_number(&line, t->to, 16);
	put(&line, how);
	end_line(&line, file);
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

	for (at = 0; prof_next_branch(prof, &at, &b);)
		put_branch(file, &b);
	for (at = 0; prof_next_trace(prof, &at, &t);)
		if (t.end != PROF_OUTSIDE)
			put_trace(file, stays_inside(prof, &t) ? "F " : "f ", &t);
}
