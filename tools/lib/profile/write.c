// SPDX-License-Identifier: GPL-2.0-only
#include "profile/write.h"
#include "riscv/rv_insn.h"

#include <inttypes.h>

void prof_write_profgen(const struct prof *prof, FILE *file)
{
	/* Where they lead when they leave is of no use there. */
	uint64_t base = prof->code->text_base, nr = 0;
	const struct prof_branch *b;
	size_t i, inside = 0;

	fprintf(file, "%zu\n", prof->nr_ranges);
	for (i = 0; i < prof->nr_ranges; i++) {
		const struct prof_range *r = &prof->ranges[i];

		fprintf(file, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n",
			r->start - base, r->end - base, r->count);
	}
	for (i = 0; i < prof->nr_branches; i++) {
		nr += prof->branches[i].to != PROF_OUTSIDE;
		inside += prof->branches[i].from != PROF_OUTSIDE;
	}
	fprintf(file, "%" PRIu64 "\n", nr);
	/* All that is outside has the address 1, and so comes first. */
	for (b = prof->branches + inside; b < prof->branches + prof->nr_branches;
	     b++)
		fprintf(file, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n",
			1 - base, b->to - base, b->count);
	for (b = prof->branches; b < prof->branches + inside; b++)
		if (b->to != PROF_OUTSIDE)
			fprintf(file, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n",
				b->from - base, b->to - base, b->count);
}

void prof_write_autofdo(const struct prof *prof, FILE *file)
{
	uint64_t nr = 0;
	size_t i;

	fprintf(file, "%zu\n", prof->nr_ranges);
	for (i = 0; i < prof->nr_ranges; i++) {
		const struct prof_range *r = &prof->ranges[i];

		fprintf(file, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", r->start,
			r->end, r->count);
	}
	fprintf(file, "%zu\n", prof->nr_ips);
	for (i = 0; i < prof->nr_ips; i++)
		fprintf(file, "%" PRIx64 ":%" PRIu64 "\n", prof->ips[i].addr,
			prof->ips[i].count);
	for (i = 0; i < prof->nr_branches; i++)
		nr += prof->branches[i].from != PROF_OUTSIDE &&
		      prof->branches[i].to != PROF_OUTSIDE;
	fprintf(file, "%" PRIu64 "\n", nr);
	for (i = 0; i < prof->nr_branches; i++) {
		const struct prof_branch *b = &prof->branches[i];

		if (b->from != PROF_OUTSIDE && b->to != PROF_OUTSIDE)
			fprintf(file, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n",
				b->from, b->to, b->count);
	}
}

/* Does the branch come from the function that it leads into? */
static bool stays_inside(const struct prof *prof, const struct prof_trace *t)
{
	const struct prof_symbol *s = prof_code_symbol(prof->code, t->to);

	return s && t->from >= s->start && t->from < s->end;
}

/*
 * Branches, and straight lines by where they were entered from: by F, a branch of
 * the same function, or by f, a call or a return. All versions read these.
 */
void prof_write_bolt(const struct prof *prof, FILE *file)
{
	size_t i;

	for (i = 0; i < prof->nr_branches; i++) {
		const struct prof_branch *b = &prof->branches[i];

		if (b->from == PROF_OUTSIDE)
			fprintf(file, "B X:0 %" PRIx64, b->to);
		else if (b->to == PROF_OUTSIDE)
			fprintf(file, "B %" PRIx64 " X:0", b->from);
		else
			fprintf(file, "B %" PRIx64 " %" PRIx64, b->from, b->to);
		fprintf(file, " %" PRIu64 " %" PRIu64 "\n", b->count,
			b->mispredicted);
	}
	for (i = 0; i < prof->nr_traces; i++) {
		const struct prof_trace *t = &prof->traces[i];

		if (t->end != PROF_OUTSIDE)
			fprintf(file,
				"%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n",
				stays_inside(prof, t) ? 'F' : 'f', t->to,
				t->end, t->count);
	}
}
