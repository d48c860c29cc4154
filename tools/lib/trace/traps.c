// SPDX-License-Identifier: GPL-2.0-only
#include "trace/traps.h"
#include "base/array.h"
#include "riscv/rv_insn.h"
#include "trace/syscall.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#define ECALL 0x73u

static int add(struct trap_notes *notes, uint32_t run, uint32_t offset,
	       enum side_kind kind, uint64_t value)
{
	if (!array_room(&notes->v, notes->nr, &notes->cap, sizeof(*notes->v)))
		return PD_ENOMEM;
	notes->v[notes->nr++] =
		(struct trap_note){ run, offset, kind, value };
	return 0;
}

/*
 * Has the path's last system call been told when the sample was taken? In user
 * code it has. In the kernel it may be on its way there, or long done.
 */
static bool is_level(const struct trap_path *path,
		     const struct side_thread *thread, bool tells_ends)
{
	unsigned int i;

	if (!path_is_kernel(path->ip))
		return true;
	if (!path->kernel)
		return false;
	for (i = path->nr_transfers; i-- > 0;) {
		const struct path_transfer *t = &path->transfers[i];

		if (t->to && !path_is_kernel(t->to))
			return true;
		if (t->type == PERF_BR_SYSCALL)
			return tells_ends && thread->in_syscall;
	}
	return true;
}

/* What is matched, from the sample back. */
struct match {
	struct trap_notes *notes;
	const struct trap_path *path;
	const struct side_thread *thread;
	bool syscalls; /* can still be told apart */
	bool interrupts;
	unsigned int nr_syscalls, nr_faults; /* met so far */
	unsigned int transfer; /* those from here on were looked at */
};

static int note_syscall(struct match *m, uint32_t run, uint32_t offset)
{
	const uint64_t *known =
		side_ring_at(m->thread->syscalls, m->nr_syscalls++);

	if (!m->syscalls || !known)
		return 0;
	return add(m->notes, run, offset, SIDE_SYSCALL, known[0]);
}

/*
 * Faults are told by their instruction; others may lie in between. One from which
 * the kernel has not come back may not have been told when the sample was taken.
 */
static int note_fault(struct match *m, uint32_t run, uint32_t offset,
		      uint32_t transfer)
{
	const struct path_transfer *t = m->path->transfers;
	const uint64_t pc = t[transfer].from, *known;
	unsigned int i = transfer + 1;

	while (i < m->path->nr_transfers && t[i].to != pc)
		i++;
	if (i == m->path->nr_transfers)
		return 0;
	i = m->nr_faults;

	while ((known = side_ring_at(m->thread->faults, i))) {
		i++;
		if (known[0] != pc)
			continue;
		m->nr_faults = i;
		return add(m->notes, run, offset, SIDE_FAULT, known[1]);
	}
	return 0;
}

/* The transfer at the end of a run, and those that the path could not show. */
static int match_transfers(struct match *m, const struct path_run *run,
			   uint32_t index)
{
	const struct path_transfer *t = m->path->transfers;
	uint32_t last;

	while (m->transfer > run->transfer + 1) {
		m->transfer--;
		m->nr_syscalls += t[m->transfer].type == PERF_BR_SYSCALL;
		m->interrupts &= t[m->transfer].type != PERF_BR_IRQ;
	}
	m->transfer = run->transfer;
	t += run->transfer;
	if (run->end != PATH_END_TRAP)
		return 0;
	last = run->size - run->source_size;
	if (t->type == PERF_BR_SYSCALL)
		return note_syscall(m, index, last);
	if (t->type == PERF_BR_IRQ) {
		bool known = m->interrupts && m->thread->cause;

		/* One interrupt may have several handlers: older ones are not. */
		m->interrupts = false;
		return known ? add(m->notes, index, last, SIDE_INTERRUPT,
				   m->thread->cause) :
			       0;
	}
	return note_fault(m, index, last, run->transfer);
}

/* System calls in straight line, the youngest first. */
static int match_line(struct match *m, const struct path_run *run,
		      uint32_t index)
{
	uint32_t at, opcode, end = run->size;
	unsigned int nr = 0, skip, i;
	int ret = 0;

	/* One at the end has not run yet, or is a transfer of its own. */
	if (run->end == PATH_END_IP || run->end == PATH_END_TRAP)
		end -= run->source_size;
	for (at = 0; at < end; at += rv_load(run->code + at, &opcode))
		if (rv_load(run->code + at, &opcode) == 4 && opcode == ECALL)
			nr++;
	for (i = nr; i-- > 0 && !ret;) {
		skip = i;
		for (at = 0;; at += rv_load(run->code + at, &opcode))
			if (rv_load(run->code + at, &opcode) == 4 &&
			    opcode == ECALL && !skip--)
				break;
		ret = note_syscall(m, index, at);
	}
	return ret;
}

static int match_run(struct match *m, uint32_t index)
{
	const struct path_run *run = &m->path->runs[index];
	int ret = 0;

	if (run->why && !m->path->kernel)
		m->syscalls = false;
	if (run->has_transfer)
		ret = match_transfers(m, run, index);
	if (!ret && !m->path->kernel && m->syscalls)
		ret = match_line(m, run, index);
	return ret;
}

/* Does the code say another number than the side event? */
static bool disagrees(const struct trap_path *path, const struct trap_note *note)
{
	uint64_t number;

	return syscall_of_line(path->runs[note->run].code, note->offset,
			       &number) &&
	       number != note->value;
}

/* One that disagrees shows that they were not counted right. */
static void check(struct trap_notes *notes, const struct trap_path *path)
{
	unsigned int i, nr = 0;
	bool drop = false;

	for (i = 0; i < notes->nr; i++)
		drop |= notes->v[i].kind == SIDE_SYSCALL &&
			disagrees(path, &notes->v[i]);
	for (i = 0; i < notes->nr; i++)
		if (!drop || notes->v[i].kind != SIDE_SYSCALL)
			notes->v[nr++] = notes->v[i];
	notes->nr = nr;
}

int traps_match(struct trap_notes *notes, const struct trap_path *path,
		const struct side_thread *thread, bool tells_ends)
{
	struct match m = { .notes = notes,
			   .path = path,
			   .thread = thread,
			   .interrupts = true,
			   .transfer = path->nr_transfers };
	unsigned int i;

	notes->nr = 0;
	if (!thread || (!thread->syscalls && !thread->faults && !thread->cause))
		return 0;
	m.syscalls = thread->syscalls && is_level(path, thread, tells_ends);
	for (i = path->nr_runs; i-- > 0;)
		if (match_run(&m, i))
			return PD_ENOMEM;
	for (i = 0; i < notes->nr / 2; i++) {
		struct trap_note note = notes->v[i];

		notes->v[i] = notes->v[notes->nr - 1 - i];
		notes->v[notes->nr - 1 - i] = note;
	}
	check(notes, path);
	return 0;
}

unsigned int traps_of_run(const struct trap_notes *notes, uint32_t run,
			  const struct trap_note **first)
{
	unsigned int i = 0, end;

	while (i < notes->nr && notes->v[i].run < run)
		i++;
	*first = notes->v + i;
	for (end = i; end < notes->nr && notes->v[end].run == run;)
		end++;
	return end - i;
}

int traps_copy(struct trap_notes *to, const struct trap_note *from,
	       unsigned int nr)
{
	to->nr = 0;
	for (; nr; nr--, from++)
		if (add(to, from->run, from->offset, from->kind, from->value))
			return PD_ENOMEM;
	return 0;
}

void traps_free(struct trap_notes *notes)
{
	free(notes->v);
}
