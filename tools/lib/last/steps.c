// SPDX-License-Identifier: GPL-2.0-only
#include "last/steps.h"
#include "base/array.h"
#include "last/probes.h"
#include "riscv/rv_insn.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* The steps that may repeat together. */
enum { MAX_LOOP = 16 };

/* Of the instruction that branched or jumped, at the start of len bytes. */
static enum last_end end_by(const uint8_t *code, uint64_t len, unsigned int flags)
{
	struct rv_insn insn;

	if (!code || rv_decode(&insn, code, len, flags) < 0)
		return LAST_JUMPS;
	if (rv_is_call(&insn))
		return LAST_CALLS;
	if (insn.xfer == RV_XFER_RETURN)
		return LAST_RETURNS;
	return insn.xfer == RV_XFER_BRANCH ? LAST_BRANCHES : LAST_JUMPS;
}

/* The same by the record, where there is no code. */
static enum last_end end_by_type(unsigned int type)
{
	switch (type) {
	case PERF_BR_COND:
		return LAST_BRANCHES;
	case PERF_BR_CALL:
	case PERF_BR_IND_CALL:
		return LAST_CALLS;
	case PERF_BR_RET:
		return LAST_RETURNS;
	case PERF_BR_UNCOND:
	case PERF_BR_IND:
		return LAST_JUMPS;
	case PERF_BR_ERET:
	case PERF_BR_SYSRET:
		return LAST_TRAP_RETURNS;
	default:
		return type ? LAST_TRAPS : LAST_JUMPS;
	}
}

static enum last_end end_of(const struct path_run *run)
{
	switch (run->end) {
	case PATH_END_TRAP:
		return LAST_TRAPS;
	case PATH_END_TRAP_RETURN:
		return LAST_TRAP_RETURNS;
	case PATH_END_IP:
	case PATH_END_AWAY:
		return LAST_STOPS;
	default:
		return run->source_size ? end_by(run->code + run->size - run->source_size,
						 run->source_size, run->rv32 ? RV_RV32 : 0) :
					  LAST_BREAKS;
	}
}

static bool are_equal(const struct last_step *a, const struct last_step *b)
{
	return a->pc == b->pc && a->last == b->last && a->to == b->to && a->end == b->end &&
	       a->depth == b->depth && a->why == b->why;
}

static bool repeats(const struct last_step *v, size_t nr, size_t loop)
{
	size_t i;

	for (i = 0; i < loop && 2 * loop <= nr; i++)
		if (!are_equal(&v[i], &v[loop + i]))
			return false;
	return 2 * loop <= nr;
}

/* The fewest steps at the start of these that repeat; 1: none does. */
static unsigned int find_loop(const struct last_step *v, size_t nr, unsigned int *times)
{
	unsigned int loop = 1;

	while (loop <= MAX_LOOP && !repeats(v, nr, loop))
		loop++;
	*times = 1;
	if (loop > MAX_LOOP)
		return 1;
	while (repeats(v, nr, loop)) {
		v += loop;
		nr -= loop;
		++*times;
	}
	return loop;
}

static void fold(struct last_steps *steps)
{
	struct last_step *v = steps->v;
	size_t from = 0, to = 0, i;

	while (from < steps->nr) {
		unsigned int times, loop = find_loop(&v[from], steps->nr - from, &times);

		for (i = 0; i < loop; i++)
			v[to + i] = v[from + i];
		v[to].loop = loop;
		v[to].times = times;
		to += loop;
		from += (size_t)loop * times;
	}
	steps->nr = to;
}

/* How deep each is, where the outermost is 0. */
static void find_depths(struct last_steps *steps)
{
	int depth = 0, least = 0;
	size_t i;

	for (i = 0; i < steps->nr; i++) {
		struct last_step *s = &steps->v[i];

		s->depth = depth;
		if (s->end == LAST_CALLS || s->end == LAST_TRAPS)
			depth++;
		if (s->end == LAST_RETURNS || s->end == LAST_TRAP_RETURNS)
			depth--;
		if (depth < least)
			least = depth;
	}
	for (i = 0; i < steps->nr; i++)
		steps->v[i].depth -= least;
}

void last_fold_steps(struct last_steps *steps)
{
	find_depths(steps);
	fold(steps);
}

/* Where the code is not known, the records tell where it went. */
static void add_record(struct last_step *s, const struct path_transfer *t)
{
	if (t->from < s->pc)
		return;
	/* Where the oldest began is not known. */
	if (!s->pc)
		s->pc = t->from;
	s->end = end_by_type(t->type);
	s->last = t->from;
	s->to = t->to;
}

/*
 * Branch records of user code do not show that a signal's handler began. Then the code does not
 * lead to the next branch.
 */
static enum path_break why_of(const struct path_run *run, bool kernel)
{
	const unsigned int misleads = 1 << PATH_BACKWARDS | 1 << PATH_JUMP | 1 << PATH_TRAP |
				      1 << PATH_MISALIGNED | 1 << PATH_UNDEFINED |
				      1 << PATH_TOO_FAR;

	return !kernel && misleads >> run->why & 1 ? PATH_SIGNAL : run->why;
}

static bool add(struct last_steps *steps, const struct path *path, const struct path_run *run,
		bool kernel)
{
	const struct path_transfer *t = path_transfers(path) + run->transfer;
	const bool leads_to_transfer = run->transfer < steps->nr_transfers;
	struct last_step *s;

	if (!array_room(&steps->v, steps->nr, &steps->cap, sizeof(*s)))
		return false;
	s = &steps->v[steps->nr++];
	*s = (struct last_step){
		.pc = run->pc,
		.last = run->pc + run->size - run->source_size,
		.nr_insns = run->nr_insns,
		.end = end_of(run),
		.why = why_of(run, kernel),
		.loop = 1,
		.times = 1,
	};
	if (run->has_transfer)
		s->to = t->to;
	else if (run->why == PATH_UNKNOWN_CODE && leads_to_transfer)
		add_record(s, t);
	steps->nr_insns += s->nr_insns;
	return true;
}

/* Where a return led to the page of the probes, and not from there to where it belongs. */
static void find_hidden(struct last_steps *steps, struct path_code *code, uint32_t pid)
{
	struct last_step *s;

	for (s = steps->v; s < steps->v + steps->nr; s++) {
		if (s->end == LAST_STOPS || path_is_kernel(s->pc) || path_is_kernel(s->to) ||
		    !last_is_of_probes(code, pid, s->pc))
			continue;
		s->end = LAST_HIDDEN;
		s->last = s->pc;
		s->to = 0;
	}
}

/* The last step ends at the point. What is at ip has run only if it is the point. */
static void finish(struct last_steps *steps, const struct pd_event *ev,
		   const struct last_point *point)
{
	enum { ECALL_SIZE = 4 };
	const uint64_t ip = ev->sample.ip;
	struct last_step *s = steps->nr ? &steps->v[steps->nr - 1] : NULL;

	/* There may be no code at all where it went, or none that is known. */
	if (s && s->end == LAST_BREAKS && s->why == PATH_UNKNOWN_CODE) {
		s->last = ip;
		if (s->pc == ip)
			s->end = LAST_STOPS;
	}
	if (!s || s->end != LAST_STOPS)
		return;
	s->last = ip;
	if (last_is_at_ip(point) || !s->nr_insns)
		return;
	s->nr_insns--;
	steps->nr_insns--;
	if (s->nr_insns && !path_is_kernel(ip) && last_is_after_ecall(point))
		s->last = ip - ECALL_SIZE;
}

/* While the addresses are what they were at the point. */
static void find_places(struct last_steps *steps, struct path_code *code, uint32_t pid)
{
	size_t i;

	for (i = 0; i < steps->nr; i++) {
		steps->v[i].at = path_code_place(code, pid, steps->v[i].pc);
		steps->v[i].last_at = path_code_place(code, pid, steps->v[i].last);
	}
}

/* NULL: out of memory. */
static struct pd_branch *copy_branches(const struct pd_sample *sample)
{
	const size_t size = sample->nr_branches * sizeof(struct pd_branch);
	struct pd_branch *copy = malloc(size ?: 1);

	if (copy && size)
		memcpy(copy, sample->branches, size);
	return copy;
}

int last_find_steps(struct last_steps *steps, struct path *path, struct path_code *code,
		    const struct pd_event *ev, const struct last_point *point, uint64_t most)
{
	/* A call that leads to where no code is: it is what people want to see. */
	const bool kernel = pd_attr_has_kernel_branches(ev->attr);
	const unsigned int flags = PATH_ALL_SOURCES | (kernel ? PATH_KERNEL : 0);
	struct pd_sample sample = ev->sample;
	struct pd_branch *branches = copy_branches(&sample);
	int nr, i;

	if (!branches)
		return PD_ENOMEM;
	sample.nr_branches = last_leave_out_probes(branches, sample.nr_branches, sample.ip, code,
						   ev->pid);
	sample.branches = (const uint8_t *)branches;
	if (sample.nr_branches > most)
		sample.nr_branches = most;
	steps->nr = 0;
	steps->nr_insns = 0;
	steps->nr_transfers = sample.nr_branches;
	nr = path_decode_sample(path, ev->pid, &sample, flags);
	free(branches);
	for (i = 0; i < nr; i++)
		if (!add(steps, path, &path_runs(path)[i], kernel))
			return PD_ENOMEM;
	if (nr < 0)
		return nr;
	finish(steps, ev, point);
	find_hidden(steps, code, ev->pid);
	last_fold_steps(steps);
	find_places(steps, code, ev->pid);
	return 0;
}
