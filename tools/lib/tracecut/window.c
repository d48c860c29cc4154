// SPDX-License-Identifier: GPL-2.0-only
#include "tracecut/window.h"

bool tcut_passes(const struct tcut_windows *windows, const struct stf_inst *inst)
{
	const struct stf_process *want = &windows->process;

	return (!windows->user || inst->mode == STF_MODE_USER) &&
	       (!windows->by_hart || inst->process.hart == want->hart) &&
	       (!windows->by_pid || inst->process.pid == want->pid) &&
	       (!windows->by_tid || inst->process.tid == want->tid);
}

static bool has_event(struct stf_inst_iter *iter, uint64_t id)
{
	struct stf_record rec;
	bool found = false;

	while (!found && stf_inst_iter_record(iter, &rec) > 0)
		found = rec.desc == STF_EVENT && rec.event.id == id;
	stf_inst_iter_again(iter);
	return found;
}

static bool is_at(const struct tcut_place *place, const struct stf_inst *inst,
		  struct stf_inst_iter *iter)
{
	switch (place->kind) {
	case TCUT_PC:
		return inst->pc == place->value;
	case TCUT_OPCODE:
		return inst->opcode == place->value;
	case TCUT_EVENT:
		return inst->flags & (STF_INST_F_EVENT | STF_INST_F_MODE) &&
		       has_event(iter, place->value);
	case TCUT_NOWHERE:
		break;
	}
	return false;
}

static bool is_wanted(const struct tcut_windows *w,
		      const struct tcut_progress *progress)
{
	return progress->windows >= w->first_window &&
	       (!w->last_window || progress->windows <= w->last_window);
}

bool tcut_repeats(const struct tcut_windows *w)
{
	return w->every || w->from.kind || w->first_window || w->last_window;
}

static bool begins(const struct tcut_windows *w,
		   const struct tcut_progress *progress,
		   const struct stf_inst *inst, struct stf_inst_iter *iter)
{
	if (w->every && progress->since % w->every)
		return false;
	return !w->from.kind || is_at(&w->from, inst, iter);
}

bool tcut_is_inside(const struct tcut_windows *w,
		    const struct tcut_progress *progress)
{
	return progress->open && is_wanted(w, progress);
}

bool tcut_is_done(const struct tcut_windows *w,
		  const struct tcut_progress *progress)
{
	if (progress->open || !progress->windows)
		return false;
	return !tcut_repeats(w) ||
	       (w->last_window && progress->windows >= w->last_window);
}

/* Returns whether a window begins here. */
static bool open_window(const struct tcut_windows *w,
			struct tcut_progress *progress,
			const struct stf_inst *inst, struct stf_inst_iter *iter)
{
	if (progress->open || !begins(w, progress, inst, iter))
		return false;
	progress->windows++;
	progress->taken = 0;
	progress->open = true;
	return true;
}

static bool has_filter(const struct tcut_windows *w)
{
	return w->user || w->by_hart || w->by_pid || w->by_tid;
}

/* All up to the last one of an open window, unless it depends on what they are. */
static uint64_t sure(const struct tcut_windows *w,
		     const struct tcut_progress *progress)
{
	if (!progress->open || w->to.kind || has_filter(w))
		return 0;
	return w->limit ? w->limit - progress->taken - 1 : UINT64_MAX / 2;
}

enum tcut_verdict tcut_decide(const struct tcut_windows *w,
			      struct tcut_progress *progress,
			      const struct stf_inst *inst,
			      struct stf_inst_iter *iter)
{
	bool first = open_window(w, progress, inst, iter);

	progress->since++;
	if (!progress->open)
		return TCUT_SKIP;
	progress->taken++;
	if ((w->limit && progress->taken >= w->limit) ||
	    (w->to.kind && is_at(&w->to, inst, iter)))
		progress->open = false;
	if (!is_wanted(w, progress))
		return TCUT_SKIP;
	progress->sure = sure(w, progress);
	progress->taken += progress->sure;
	progress->since += progress->sure;
	return first ? TCUT_BEGIN : TCUT_TAKE;
}
