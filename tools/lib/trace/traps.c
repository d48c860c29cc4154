// SPDX-License-Identifier: GPL-2.0-only
#include "trace/traps.h"
#include "base/array.h"
#include "riscv/rv_insn.h"
#include "trace/faults.h"
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
 * code it has. In the kernel it may be on its way there, or long done. Without the
 * kernel's transfers, one may have been told that is behind the path.
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
	bool level; /* see is_level() */
	bool syscalls; /* can still be told apart */
	bool interrupts;
	unsigned int nr_syscalls, nr_faults; /* met so far */
	size_t certain; /* so many notes are before the first uncertain system call */
	unsigned int transfer; /* those from here on were looked at */
};

static int note_syscall(struct match *m, uint32_t run, uint32_t offset)
{
	const unsigned int nr = m->nr_syscalls++;
	const uint64_t *known = side_ring_at(m->thread->syscalls, nr);

	if (!m->syscalls || !known)
		return 0;
	if (add(m->notes, run, offset, SIDE_SYSCALL, known[0]))
		return PD_ENOMEM;
	if (m->level && nr < m->thread->certain)
		m->certain = m->notes->nr;
	return 0;
}

static bool has_all(const struct rv_regs *regs)
{
	return regs->known == (uint32_t)~1;
}

/*
 * Is it one fault, by its registers, where they are known? They are the user's: those
 * of two faults of the kernel may be the same.
 */
static bool is_same(const struct rv_regs *a, const struct rv_regs *b)
{
	return has_all(a) && has_all(b) && rv_regs_agree(a, b);
}

static bool is_other(const struct rv_regs *a, const struct rv_regs *b)
{
	return has_all(a) && has_all(b) && !rv_regs_agree(a, b);
}

/* The kernel has not come back: the fault may be told, or be on its way. */
static int note_pending(struct match *m, uint32_t run, uint32_t offset,
			uint64_t pc)
{
	const struct rv_regs *now = &m->path->now;
	const struct side_fault *last = side_fault_at(&m->thread->faults, 0);
	bool told = !last || (last->pc == pc && !is_other(&last->regs, now));

	/* One that came after it is not the kernel's way back. */
	if (m->notes->pending.pc || m->nr_faults)
		return 0;
	if (last && told && !path_is_kernel(pc) && is_same(&last->regs, now)) {
		m->nr_faults = 1;
		return add(m->notes, run, offset, SIDE_FAULT, last->addr);
	}
	/* Nor is it certain then which was told of those before. */
	if (told)
		m->nr_faults = SIDE_HISTORY_DEPTH;
	m->notes->pending =
		(struct trap_pending){ pc, run, offset, told, *now };
	return 0;
}

/* Faults are told by their instruction; others may lie in between. */
static int note_fault(struct match *m, uint32_t run, uint32_t offset,
		      uint32_t transfer)
{
	const struct path_transfer *t = m->path->transfers;
	const uint64_t pc = t[transfer].from;
	const struct side_fault *known;
	unsigned int i = transfer + 1;

	while (i < m->path->nr_transfers && t[i].to != pc)
		i++;
	if (i == m->path->nr_transfers)
		return note_pending(m, run, offset, pc);
	i = m->nr_faults;

	while ((known = side_fault_at(&m->thread->faults, i))) {
		i++;
		if (known->pc != pc)
			continue;
		m->nr_faults = i;
		return add(m->notes, run, offset, SIDE_FAULT, known->addr);
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

/* Is it known how many system calls the path has, and were told, since the sample before? */
static bool is_counted(const struct match *m)
{
	return m->path->joined && m->syscalls && m->thread->counted;
}

/*
 * Has the path a system call that no event told? Between two samples in user code, each of
 * its calls has its event. Calls before a break are not counted at all.
 */
static bool misses_syscall(const struct match *m)
{
	return is_counted(m) && !m->path->kernel &&
	       m->nr_syscalls > m->thread->fresh_syscalls;
}

/* Does the code say another number than the side event? */
static bool disagrees(const struct trap_path *path, const struct trap_note *note)
{
	uint64_t number;

	return syscall_of_line(path->runs[note->run].code, note->offset,
			       &number) &&
	       number != note->value;
}

/*
 * One that is missing, or disagrees, shows that they were not counted right. The first ones
 * are uncertain unless the counts agree.
 */
static void check(struct trap_notes *notes, const struct trap_path *path, size_t uncertain)
{
	bool drop = notes->missed_syscall;
	unsigned int i, nr = 0;

	for (i = 0; i < notes->nr; i++)
		drop |= notes->v[i].kind == SIDE_SYSCALL &&
			disagrees(path, &notes->v[i]);
	for (i = 0; i < notes->nr; i++) {
		const bool is_call = notes->v[i].kind == SIDE_SYSCALL;
		const bool leave = is_call && i < uncertain && !notes->level;

		notes->uncertain_syscalls |= leave;
		if (!leave && !(is_call && drop))
			notes->v[nr++] = notes->v[i];
	}
	notes->nr = nr;
	notes->level &= !drop;
}

/* Where in the path's order it belongs. */
static int insert(struct trap_notes *notes, const struct trap_note *note)
{
	size_t at;

	if (add(notes, 0, 0, SIDE_NONE, 0))
		return PD_ENOMEM;
	for (at = notes->nr - 1; at && notes->v[at - 1].run > note->run; at--)
		notes->v[at] = notes->v[at - 1];
	notes->v[at] = *note;
	return 0;
}

/* Faults that left no record. */
static int add_faults(struct trap_notes *notes, const struct trap_path *path,
		      const struct side_thread *thread)
{
	const struct side_faults *faults = &thread->faults;
	const struct faults_path of = { path->runs, path->nr_runs, path->before,
					path->after };
	struct faults_result found;
	unsigned int i;

	if (!path->joined) {
		*(thread->sampled ? &notes->apart_faults : &notes->early_faults) =
			faults->fresh;
		return 0;
	}
	if (faults_find(&found, &of, faults))
		return PD_ENOMEM;
	notes->open_faults = found.open;
	notes->later_faults = found.later;
	for (i = 0; i < found.nr; i++) {
		const struct trap_note note = { found.v[i].run,
						found.v[i].offset, SIDE_FAULT,
						found.v[i].addr };

		if (insert(notes, &note))
			return PD_ENOMEM;
	}
	return 0;
}

int traps_resolve(struct trap_notes *notes, struct trap_pending *pending,
		  const struct side_fault *fault)
{
	const struct trap_note note = { pending->run, pending->offset,
					SIDE_FAULT, fault->addr };
	const bool same = !path_is_kernel(fault->pc) &&
			  is_same(&fault->regs, &pending->regs);
	const bool is = fault->pc == pending->pc &&
			!is_other(&fault->regs, &pending->regs) &&
			(same || !pending->told);

	if (!pending->pc)
		return 0;
	pending->pc = 0;
	return is ? insert(notes, &note) : 0;
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
	notes->open_faults = notes->later_faults = 0;
	notes->apart_faults = notes->early_faults = 0;
	notes->pending.pc = 0;
	notes->missed_syscall = notes->level = notes->uncertain_syscalls = false;
	if (!thread)
		return 0;
	m.level = is_level(path, thread, tells_ends);
	m.syscalls = thread->syscalls;
	for (i = path->nr_runs; i-- > 0;)
		if (match_run(&m, i))
			return PD_ENOMEM;
	for (i = 0; i < notes->nr / 2; i++) {
		struct trap_note note = notes->v[i];

		notes->v[i] = notes->v[notes->nr - 1 - i];
		notes->v[notes->nr - 1 - i] = note;
	}
	notes->missed_syscall = misses_syscall(&m);
	notes->level = is_counted(&m) && m.nr_syscalls == thread->fresh_syscalls;
	check(notes, path, notes->nr - m.certain);
	return path->kernel ? 0 : add_faults(notes, path, thread);
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

int traps_copy(struct trap_notes *to, const struct trap_notes *from,
	       uint32_t first)
{
	size_t i;

	to->nr = 0;
	for (i = 0; i < from->nr; i++) {
		const struct trap_note *n = &from->v[i];

		if (n->run >= first &&
		    add(to, n->run - first, n->offset, n->kind, n->value))
			return PD_ENOMEM;
	}
	return 0;
}

void traps_free(struct trap_notes *notes)
{
	free(notes->v);
}
