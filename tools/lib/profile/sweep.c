// SPDX-License-Identifier: GPL-2.0-only
#include "profile/sweep.h"
#include "base/array.h"

#include <stdlib.h>

/* Where the count of the instructions changes. */
struct prof_sweep_end {
	uint64_t addr;
	uint64_t add; /* modulo 2^64 */
	int opens; /* how many more ranges cover what follows */
};

static bool add(struct prof_sweep *sweep, uint64_t start, uint64_t end,
		uint64_t count)
{
	if (!array_room(&sweep->v, sweep->nr + 1, &sweep->cap,
			sizeof(*sweep->v)))
		return false;
	sweep->v[sweep->nr++] = (struct prof_sweep_end){ start, count, 1 };
	sweep->v[sweep->nr++] = (struct prof_sweep_end){ end, -count, -1 };
	return true;
}

bool prof_sweep_add_ranges(struct prof_sweep *sweep, const struct prof *prof)
{
	size_t i;

	for (i = 0; i < prof->nr_ranges; i++) {
		const struct prof_range *r = &prof->ranges[i];

		if (!add(sweep, r->start,
			 r->end + prof_code_insn_size(prof->code, r->end),
			 r->count))
			return false;
	}
	return true;
}

bool prof_sweep_add(struct prof_sweep *sweep, uint64_t start, uint64_t end)
{
	return add(sweep, start, end, 0);
}

/* The instructions between two addresses, decoded from the first on. */
static bool run_line(const struct prof_code *code, uint64_t start, uint64_t end,
		     uint64_t count, prof_insn_fn fn, void *arg)
{
	unsigned int size;

	for (; start < end; start += size) {
		size = prof_code_insn_size(code, start);
		if (!size)
			break;
		if (!fn(arg, start, size, count))
			return false;
	}
	return true;
}

bool prof_sweep_run(struct prof_sweep *sweep, const struct prof_code *code,
		    prof_insn_fn fn, void *arg)
{
	const struct prof_sweep_end *v = sweep->v;
	uint64_t count = 0;
	int open = 0;
	size_t i;

	if (sweep->nr)
		qsort(sweep->v, sweep->nr, sizeof(*sweep->v), array_order);
	for (i = 0; i < sweep->nr; i++) {
		count += v[i].add;
		open += v[i].opens;
		if (!open || i + 1 == sweep->nr || v[i + 1].addr == v[i].addr)
			continue;
		if (!run_line(code, v[i].addr, v[i + 1].addr, count, fn, arg))
			return false;
	}
	return true;
}

void prof_sweep_free(struct prof_sweep *sweep)
{
	free(sweep->v);
	*sweep = (struct prof_sweep){ 0 };
}
