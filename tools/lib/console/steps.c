// SPDX-License-Identifier: GPL-2.0-only
#include "console/steps.h"
#include "base/array.h"
#include "riscv/rv_insn.h"

struct walk {
	struct last_steps *steps;
	const struct con_log *log;
	const struct con_report *report;
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
 * Can straight code lead from one place to the other? If all lines are there, it did, also
 * from one function into the next.
 */
static bool is_straight(const struct walk *walk, uint32_t from, uint32_t last)
{
	const struct con_place *a = &walk->log->places[from], *b = &walk->log->places[last];

	if (a->function == b->function)
		return a->offset <= b->offset;
	return !walk->report->nr_unread && !con_missing(walk->report);
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

/* The exception of the report: the newest of its instruction. nr: there is none. */
static size_t find_exception(const struct con_report *report)
{
	size_t i = report->nr;

	while (i--)
		if (report->v[i].end == LAST_TRAPS && report->v[i].from == report->epc)
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
	const size_t end = find_exception(report);
	const uint64_t before = count_records(report, 0, end);
	struct walk walk = { steps, log, report, names, CON_NOWHERE,
			     before > most ? before - most : 0 };
	size_t i;

	*left = (struct con_left){ .has_exception = end < report->nr };
	if (left->has_exception)
		left->after = count_records(report, end, report->nr) - 1;
	for (i = 0; i < end; i++)
		if (!go(&walk, &report->v[i]))
			return false;
	if (left->has_exception &&
	    !go_to(&walk, report->epc, report->v[end].after_gap, CON_NOWHERE, LAST_STOPS))
		return false;
	last_fold_steps(steps);
	return true;
}
