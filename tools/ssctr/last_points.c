// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last: which points of a recording are shown. */
#include "last.h"
#include "base/array.h"
#include "last/probes.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* One process has one end: other threads die with the one that ended it. */
static bool is_end(const struct last_point *point)
{
	return point->kind == LAST_SIGNAL || point->kind == LAST_EXIT;
}

/* A process that had an end. *slot is where it is, or would be. */
static struct last_process *find_ended(const struct last *last, uint32_t pid,
				       struct hash_slot **slot)
{
	const uint32_t hash = hash_u64(pid);

	hash_for_each(&last->by_pid, *slot, hash)
		if (last->processes[(*slot)->number - 1].pid == pid)
			return &last->processes[(*slot)->number - 1];
	return NULL;
}

/* Also if its end is not shown any more. NULL: out of memory. */
static struct last_process *room_for_ended(struct last *last, uint32_t pid)
{
	const size_t nr = last->by_pid.nr;
	struct last_process *process;
	struct hash_slot *slot;

	if (!hash_room(&last->by_pid) ||
	    !array_room(&last->processes, nr, &last->cap_processes, sizeof(*last->processes)))
		return NULL;
	process = find_ended(last, pid, &slot);
	if (process)
		return process;
	hash_put(&last->by_pid, slot, hash_u64(pid), nr);
	last->processes[nr] = (struct last_process){ .pid = pid };
	return &last->processes[nr];
}

/* Another process may have the number of one that ended. */
static void begin_process(void *arg, const struct pd_event *ev)
{
	struct last *last = arg;
	struct last_process *process;
	struct hash_slot *slot;

	if (ev->type != PERF_RECORD_FORK || ev->pid == ev->task.ppid || !last->by_pid.nr)
		return;
	process = find_ended(last, ev->pid, &slot);
	if (process)
		process->ended = false;
}

static void drop(struct last *last, size_t i)
{
	free(last->v[i].steps.v);
	memmove(&last->v[i], &last->v[i + 1], (--last->nr - i) * sizeof(*last->v));
	last->others++;
}

/* A shell ends with a status because its command was killed: the first is the matter. */
static void make_room(struct last *last)
{
	size_t i;

	for (i = 0; i < last->nr; i++)
		if (last->v[i].point.kind == LAST_EXIT)
			break;
	drop(last, i < last->nr ? i : 0);
}

static bool is_less(const struct last *last, const struct last_point *point)
{
	return point->kind == LAST_EXIT && last->nr &&
	       last->v[last->nr - 1].point.kind != LAST_EXIT;
}

/* The kernel's functions by which it runs BPF programs at tracepoints and at returns. */
static bool runs_programs(const struct last *last, const struct path_place *place)
{
	const char *name;
	uint64_t offset;

	return path_code_symbol(last->rec.samples.code, place, &name, &offset) &&
	       (!strncmp(name, "__bpf_trace_", 12) || strstr(name, "rethook_trampoline") ||
		!strcmp(name, "__kretprobe_trampoline"));
}

/* What is on the way to the program that took the branches is no part of what was before. */
static void leave_out_program(const struct last *last, struct last_steps *steps)
{
	size_t i = steps->nr;

	while (i && !runs_programs(last, &steps->v[i - 1].at))
		i--;
	while (i > 1 && runs_programs(last, &steps->v[i - 2].at))
		i--;
	if (i < 2)
		return;
	steps->nr = i - 1;
	steps->v[i - 2].end = LAST_STOPS;
}

/*
 * A probe at a return replaces the return address by that of the kernel's page, which nobody can
 * read. Those that unwind the stack read what is at return addresses.
 */
static bool is_by_probe(const struct last *last, const struct last_shown *shown)
{
	const struct last_point *point = &shown->point;

	return point->kind == LAST_SIGNAL && point->number == SIGSEGV &&
	       point->value == SEGV_ACCERR &&
	       last_is_of_probes(last->rec.samples.code, shown->pid, point->addr);
}

static bool take_point(struct last *last, const struct pd_event *ev)
{
	struct last_shown shown = { .pid = ev->pid, .tid = ev->tid, .ip = ev->sample.ip };
	struct last_process *process;

	if (!last_read(&shown.point, ev))
		return true;
	if (is_end(&shown.point)) {
		process = room_for_ended(last, ev->pid);
		if (!process || process->ended)
			return process;
		process->ended = true;
		shown.by_probe = is_by_probe(last, &shown);
		last->by_probe |= shown.by_probe;
	}
	if (last->nr == last->limit && is_less(last, &shown.point)) {
		last->others++;
		return true;
	}
	if (last->nr == last->limit)
		make_room(last);
	snprintf(shown.comm, sizeof(shown.comm), "%s",
		 comms_name(&last->rec.samples.comms, ev->tid));
	if (last_find_steps(&shown.steps, last->path, last->rec.samples.code, ev,
			    &shown.point, last->depth) ||
	    !array_room(&last->v, last->nr, &last->cap, sizeof(*last->v))) {
		free(shown.steps.v);
		return false;
	}
	shown.function = path_code_place(last->rec.samples.code, ev->pid, shown.point.kernel_ip);
	if (path_is_kernel(shown.ip) && !last_enters_kernel(&shown.point))
		leave_out_program(last, &shown.steps);
	last->v[last->nr++] = shown;
	return true;
}

int last_read_points(struct last *last)
{
	struct path_source source;
	struct error error;
	struct pd_event ev;
	int ret = rec_open(&last->rec);

	if (ret)
		return ret;
	last->rec.samples.comms.named = true;
	last->rec.samples.task = begin_process;
	last->rec.samples.task_arg = last;
	source = path_code_source(last->rec.samples.code);
	last->path = path_new(&source);
	if (!last->path)
		return cmd_error(last->rec.cmd, "out of memory");
	while ((ret = rec_next(&last->rec, &ev, &error)) > 0)
		if (!take_point(last, &ev))
			return cmd_error(last->rec.cmd, "out of memory");
	return ret < 0 ? rec_error(&last->rec, &error) : CMD_OK;
}
