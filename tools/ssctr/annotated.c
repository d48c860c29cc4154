// SPDX-License-Identifier: GPL-2.0-only
#include "annotated.h"
#include "base/plain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool annotated_read(struct annotated *code, const struct hot *hot, uint32_t function)
{
	const uint64_t last = hot->places[hot->functions[function].last].offset;
	size_t i;

	*code = (struct annotated){ .function = function,
				    .start = hot_address(hot, function, 0) };
	code->v = calloc(last / 2 + 1, sizeof(*code->v));
	if (!code->v)
		return false;
	code->nr = hot_code(hot, function, 0, last, code->v, last / 2 + 1);
	for (i = 0; i < code->nr; i++) {
		code->runs += code->v[i].runs * hot_nr_insns(&code->v[i]);
		if (code->v[i].runs > code->most)
			code->most = code->v[i].runs;
		code->nr_changed += code->v[i].changed && code->v[i].runs;
	}
	return true;
}

struct path_place annotated_place(const struct annotated *code, const struct hot_insn *insn)
{
	struct path_place at = code->start;

	at.offset += insn->offset;
	return at;
}

/* Its transfers, the most frequent first; up to max. Returns how many. */
static size_t find_targets(const struct hot *hot, const struct hot_insn *insn,
			const struct hot_edge **v, size_t max)
{
	const struct hot_edge *e, *end;
	size_t nr = 0, i;

	if (!insn->edge)
		return 0;
	e = hot->edges + hot->places[insn->place].first;
	end = hot->edges + hot->places[insn->place + 1].first;
	for (; e < end; e++) {
		for (i = nr; i && v[i - 1]->count < e->count; i--)
			if (i < max)
				v[i] = v[i - 1];
		if (i < max)
			v[i] = e;
		nr += nr < max;
	}
	return nr;
}

const struct hot_loop *annotated_loop(const struct hot *hot, const struct hot_insn *insn)
{
	const uint32_t place = insn->place;
	const uint32_t loop = place == HOT_NO_PLACE ? HOT_NO_LOOP : hot->in_loop[place];

	/* A loop is the innermost one of its head. */
	return loop != HOT_NO_LOOP && hot->loops[loop].head == place ? &hot->loops[loop] : NULL;
}

bool annotated_next_line(const struct hot *hot, const struct annotated *code,
			 const struct hot_insn *insn, struct annotated_line *line)
{
	const struct path_place at = annotated_place(code, insn);
	/* The second tells whether the first one was inlined. */
	struct img_frame v[2];
	const size_t nr = path_code_frames(hot->code, &at, v, 2);

	if (!nr || (line->path && line->number == v[0].line && !strcmp(line->path, v[0].path)))
		return false;
	*line = (struct annotated_line){ v[0].path, v[0].line, nr > 1 ? v[0].name : NULL };
	return true;
}

/* Where a direct branch leads, as people say it if it went there. */
static char *name_target(const struct hot *hot, const struct annotated *code,
			 const struct hot_insn *insn, uint64_t target)
{
	struct path_place at = code->start;
	const char *name = NULL;
	char *text = NULL;
	uint64_t offset;
	bool known;
	int n;

	at.offset += target;
	known = path_code_symbol(hot->code, &at, &name, &offset);
	if (known && insn->edge && hot->places[insn->edge->to].offset == offset)
		name = hot_name(hot, hot->places[insn->edge->to].function);
	if (!known || offset == target)
		n = asprintf(&text, "+0x%" PRIx64, target);
	else if (offset)
		n = asprintf(&text, "%s+0x%" PRIx64, name, offset);
	else
		n = asprintf(&text, "%s", name);
	return n < 0 ? NULL : text;
}

char *annotated_insn(const struct annotated *code, const struct hot *hot,
		     struct rv_disasm *disasm, const struct hot_insn *insn)
{
	char buf[128], *operand, *target, *text = NULL;
	uint64_t to;

	if (insn->changed)
		return asprintf(&text, "%" PRIu64 " bytes that the kernel changes",
				insn->changed) < 0 ? NULL : text;
	if (!disasm)
		return asprintf(&text, "%0*" PRIx32, 2 * insn->insn.size,
				insn->insn.raw) < 0 ? NULL : text;
	text = strdup(rv_disasm_text(disasm, insn->rv32, insn->offset, insn->insn.raw,
				     insn->insn.size, buf, sizeof(buf)));
	/* It is the last operand, a number. */
	operand = text && rv_target(&insn->insn, insn->offset, &to) ? strrchr(text, ' ') : NULL;
	if (!operand)
		return text;
	*operand = 0;
	target = name_target(hot, code, insn, to);
	operand = NULL;
	if (!target || asprintf(&operand, "%s %s", text, target) < 0)
		operand = NULL;
	free(target);
	free(text);
	return operand;
}

size_t annotated_left_out(const struct annotated *code, size_t at)
{
	enum { FEW = 3 };
	size_t nr = 0;

	while (at + nr < code->nr && !code->v[at + nr].runs)
		nr++;
	return nr > FEW ? nr : 0;
}

void annotated_put_left_out(FILE *file, const struct annotated *code, size_t at, size_t nr)
{
	uint64_t changed = 0;
	size_t i, insns = 0;

	for (i = at; i < at + nr; i++) {
		changed += code->v[i].changed;
		insns += !code->v[i].changed;
	}
	fprintf(file, "%zu instructions that did not run", insns);
	if (changed)
		fprintf(file, ", and %" PRIu64 " bytes that the kernel changes", changed);
}

void annotated_note_changed(size_t nr_changed, struct notes *notes)
{
	notes_count(notes, nr_changed,
		    "places shown without their instructions, because the kernel changes these at run time and its file does not tell them; record with perf record --kcore");
}

/* --- what it did --- */

enum { TARGETS = 3 }; /* of an indirect branch */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_place(FILE *file, const struct hot *hot, const struct annotated *code,
		      uint32_t place)
{
	const struct hot_place *p = &hot->places[place];

	if (p->function != code->function)
		plain_put(file, hot_name(hot, p->function));
	if (p->function == code->function || p->offset)
		fprintf(file, "+0x%" PRIx64, p->offset);
}

/* What an instruction did: parts, with a comma between them. */
struct remark {
	FILE *file;
	const struct hot *hot;
	const struct annotated *code;
	bool any;
};

static void begin_part(struct remark *r)
{
	fputs(r->any ? ", " : "", r->file);
	r->any = true;
}

/* One of all transfers of or to an instruction. */
static void put_one_of(const struct remark *r, uint32_t place, uint64_t count,
		       uint64_t all)
{
	put_place(r->file, r->hot, r->code, place);
	if (count < all)
		fprintf(r->file, " %.1f%%", percent(count, all));
}

static void put_ways(struct remark *r, const struct hot_insn *insn)
{
	uint64_t taken, passed;

	if (!hot_ways(r->hot, insn, &taken, &passed) || !(taken + passed))
		return;
	begin_part(r);
	if (taken)
		fprintf(r->file, "taken %.1f%%", percent(taken, taken + passed));
	else
		fputs("never taken", r->file);
}

static void put_targets(struct remark *r, const struct hot_insn *insn)
{
	const struct hot_edge *v[TARGETS];
	/* A direct one's stands in the instruction. */
	size_t i, nr = insn->insn.has_offset ? 0 : find_targets(r->hot, insn, v, TARGETS);
	uint64_t rest = nr ? insn->taken : 0;

	for (i = 0; i < nr; i++) {
		begin_part(r);
		if (!i)
			fputs("to ", r->file);
		put_one_of(r, v[i]->to, v[i]->count, insn->taken);
		rest -= v[i]->count;
	}
	if (rest) {
		begin_part(r);
		fprintf(r->file, "elsewhere %.1f%%", percent(rest, insn->taken));
	}
}

static void put_recorded(struct remark *r, const struct hot_insn *insn)
{
	uint64_t missed = 0, cycles = 0, timed = 0, all = 0;
	const struct hot_edge *e, *end;

	if (!insn->edge)
		return;
	end = r->hot->edges + r->hot->places[insn->place + 1].first;
	for (e = r->hot->edges + r->hot->places[insn->place].first; e < end; e++) {
		all += e->count;
		missed += e->mispredicted;
		cycles += e->cycles;
		timed += e->timed;
	}
	if (r->hot->has_predictions) {
		begin_part(r);
		fprintf(r->file, "mispredicted %.1f%%", percent(missed, all));
	}
	if (timed) {
		begin_part(r);
		fprintf(r->file, "%.1f cycles", (double)cycles / (double)timed);
	}
}

char *annotated_remark(const struct annotated *code, const struct hot *hot,
		       const struct hot_insn *insn)
{
	char *text = NULL;
	size_t size;
	struct remark r = { open_memstream(&text, &size), hot, code, false };

	if (!r.file)
		return NULL;
	put_ways(&r, insn);
	put_targets(&r, insn);
	put_recorded(&r, insn);
	if (insn->source) {
		begin_part(&r);
		fputs("from ", r.file);
		put_one_of(&r, insn->source->from, insn->source->count, insn->came);
	}
	if (!fclose(r.file))
		return text;
	free(text);
	return NULL;
}
