// SPDX-License-Identifier: GPL-2.0-only
#include "console/steps.h"
#include "base/array.h"
#include "riscv/rv_insn.h"

struct walk {
	struct last_steps *steps;
	const struct con_log *log;
	const struct con_names *names;
	uint32_t at; /* the place where it went on, or CON_NOWHERE */
	uint64_t to_skip; /* the oldest transfers */
};

/* Whether code stands there, an address alone does not tell. */
static bool is_in_function(const struct con_log *log, uint32_t place)
{
	return log->places[place].function < CON_USER;
}

/* The instructions of straight code, with the last. 0: not known. */
static uint32_t count_insns(const struct con_names *names, uint32_t from, uint32_t last)
{
	uint64_t start, end, len, at = 0;
	uint32_t nr = 1;
	const uint8_t *code;

	if (!names || !con_names_file(names, from, &start) ||
	    con_names_file(names, from, &start) != con_names_file(names, last, &end) ||
	    end < start)
		return 0;
	code = con_names_code(names, from, &len);
	while (code && start + at < end) {
		struct rv_insn insn;
		const int size = at < len ? rv_decode(&insn, code + at, len - at, 0) : -1;

		/* It would not have got to the last one. */
		if (size < 0 || (insn.xfer != RV_XFER_NONE && insn.xfer != RV_XFER_BRANCH))
			return 0;
		at += insn.size;
		nr++;
	}
	return code && start + at == end && at < len ? nr : 0;
}

static bool add(struct walk *walk, uint32_t from, uint32_t last, uint32_t nr_insns, uint32_t to,
		enum last_end end)
{
	struct last_steps *steps = walk->steps;
	struct last_step *s;

	if (!array_room(&steps->v, steps->nr, &steps->cap, sizeof(*s)))
		return false;
	s = &steps->v[steps->nr++];
	*s = (struct last_step){
		.pc = (uint64_t)from + 1,
		.last = (uint64_t)last + 1,
		.to = to == CON_NOWHERE ? 0 : (uint64_t)to + 1,
		.end = end,
		.nr_insns = nr_insns,
		.loop = 1,
		.times = 1,
		.at.offset = from,
		.last_at.offset = last,
	};
	steps->nr_insns += nr_insns;
	return true;
}

/*
 * Can straight code lead from one place to the other? From one function into the next only
 * if their code shows it: an exception that no record has looks the same.
 */
static bool is_straight(const struct walk *walk, uint32_t from, uint32_t last)
{
	const struct con_place *a = &walk->log->places[from], *b = &walk->log->places[last];

	if (a->function == b->function)
		return a->offset <= b->offset;
	return count_insns(walk->names, from, last);
}

/* The code up to a place. Where it began is not known at first, and behind a gap. */
static bool go_to(struct walk *walk, uint32_t last, bool after_gap, uint32_t to,
		  enum last_end end)
{
	uint32_t from = walk->at, nr_insns = 0;

	if (from != CON_NOWHERE && (after_gap || !is_straight(walk, from, last))) {
		if (!add(walk, from, from, 0, CON_NOWHERE, LAST_LOST))
			return false;
		from = CON_NOWHERE;
	}
	walk->at = to;
	if (from == CON_NOWHERE)
		from = last;
	else if (from != last)
		nr_insns = count_insns(walk->names, from, last);
	else
		nr_insns = is_in_function(walk->log, from);
	return add(walk, from, last, nr_insns, to, end);
}

static bool go(struct walk *walk, const struct con_transfer *t)
{
	uint32_t i;

	for (i = 0; i < t->times; i++) {
		if (walk->to_skip) {
			walk->to_skip--;
			walk->at = t->to;
			continue;
		}
		if (!go_to(walk, t->from, t->after_gap && !i, t->to, t->end))
			return false;
		walk->steps->nr_transfers++;
	}
	return true;
}

static bool is_exception(const struct con_report *report, size_t i)
{
	return report->v[i].end == LAST_TRAPS && report->v[i].from == report->epc;
}

/*
 * The firmware takes illegal instructions and misaligned accesses first, and hands them over
 * without a record. The path then leads to the instruction, and the next transfer is one of
 * the handler, where straight code does not lead.
 */
static bool is_handed_over(const struct walk *walk, const struct con_report *report, size_t i)
{
	const struct con_place *places = walk->log->places;
	const uint32_t at = report->v[i - 1].to, next = report->v[i].from, epc = report->epc;

	return !report->v[i].after_gap && places[at].function == places[epc].function &&
	       places[at].offset <= places[epc].offset &&
	       places[at].function != places[next].function && !is_straight(walk, at, next);
}

/*
 * The first transfer behind the path to the instruction of the report: the newest exception
 * of it, or the first one of what handled it. nr: it is not known.
 */
static size_t find_exception(const struct walk *walk, const struct con_report *report)
{
	size_t i;

	if (report->epc == CON_NOWHERE)
		return report->nr;
	for (i = report->nr; i--;)
		if (is_exception(report, i))
			return i;
	for (i = report->nr; i-- > 1;)
		if (is_handed_over(walk, report, i))
			return i;
	return report->nr;
}

static uint64_t count_records(const struct con_report *report, size_t from, size_t to)
{
	uint64_t nr = 0;

	for (; from < to; from++)
		nr += report->v[from].times;
	return nr;
}

bool con_find_steps(struct last_steps *steps, const struct con_log *log,
		    const struct con_report *report, const struct con_names *names,
		    uint64_t most, struct con_left *left)
{
	struct walk walk = { steps, log, names, CON_NOWHERE, 0 };
	const size_t end = find_exception(&walk, report);
	const uint64_t before = count_records(report, 0, end);
	size_t i;

	walk.to_skip = before > most ? before - most : 0;
	*left = (struct con_left){ .has_exception = end < report->nr };
	if (left->has_exception)
		left->after = count_records(report, end, report->nr) -
			      is_exception(report, end);
	for (i = 0; i < end; i++)
		if (!go(&walk, &report->v[i]))
			return false;
	if (left->has_exception &&
	    !go_to(&walk, report->epc, report->v[end].after_gap, CON_NOWHERE, LAST_STOPS))
		return false;
	last_fold_steps(steps);
	return true;
}
