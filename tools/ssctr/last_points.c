// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last: which points of a recording are shown. */
#include "last.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* One process has one end: other threads die with the one that ended it. */
static bool is_end(const struct last_point *point)
{
	return point->kind == LAST_SIGNAL || point->kind == LAST_EXIT;
}

static bool has_ended(const struct last *last, uint32_t pid)
{
	size_t i;

	for (i = 0; i < last->nr; i++)
		if (last->v[i].pid == pid && is_end(&last->v[i].point))
			return true;
	return false;
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

static bool take_point(struct last *last, const struct pd_event *ev)
{
	struct last_shown shown = { .pid = ev->pid, .tid = ev->tid, .ip = ev->sample.ip };

	if (!last_read(&shown.point, ev))
		return true;
	if ((is_end(&shown.point) && has_ended(last, ev->pid)) ||
	    (last->nr == last->limit && is_less(last, &shown.point))) {
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
	if (path_is_kernel(shown.ip) && !shown.point.kernel_ip)
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
	source = path_code_source(last->rec.samples.code);
	last->path = path_new(&source);
	if (!last->path)
		return cmd_error(last->rec.cmd, "out of memory");
	while ((ret = rec_next(&last->rec, &ev, &error)) > 0)
		if (!take_point(last, &ev))
			return cmd_error(last->rec.cmd, "out of memory");
	return ret < 0 ? rec_error(&last->rec, &error) : CMD_OK;
}
