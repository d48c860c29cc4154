// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "stf/stf_struct.h"

struct stf_select {
	struct stf_select_opts opts;
	struct stf_pc_range *ranges;
	uint64_t windows; /* that have begun, also those that are not wanted */
	uint64_t taken; /* in this window so far */
	uint64_t since; /* instructions since the start */
	/* So many more are taken whatever they are; the numbers above include them. */
	uint64_t sure;
	bool open; /* the last window goes on */
	bool any; /* there are no filters */
};

/* --------------------------------------------------------------------- filters */

static bool in_ranges(const struct stf_select *select, uint64_t pc)
{
	const struct stf_pc_range *range = select->ranges;
	const struct stf_pc_range *end = range + select->opts.n_ranges;

	for (; range < end; range++)
		if (pc - range->start < range->size)
			return true;
	return false;
}

bool stf_select_passes(const struct stf_select *select, const struct stf_inst *inst)
{
	const struct stf_select_opts *opts = &select->opts;
	const struct stf_process *want = &opts->process;

	if (select->any)
		return true;
	return (!opts->modes || opts->modes >> inst->mode & 1) &&
	       (!opts->by_hart || inst->process.hart == want->hart) &&
	       (!opts->by_pid || inst->process.pid == want->pid) &&
	       (!opts->by_tid || inst->process.tid == want->tid) &&
	       (!opts->n_ranges || in_ranges(select, inst->pc));
}

/* --------------------------------------------------------------------- windows */

static bool has_event(struct stf_inst_iter *iter, uint64_t id)
{
	struct stf_record rec;
	bool found = false;

	stf_inst_iter_again(iter);
	while (!found && stf_inst_iter_record(iter, &rec) > 0)
		found = rec.desc == STF_EVENT && rec.event.id == id;
	stf_inst_iter_again(iter);
	return found;
}

static bool is_at(const struct stf_place *place, const struct stf_inst *inst,
		  struct stf_inst_iter *iter)
{
	switch (place->kind) {
	case STF_PLACE_PC:
		return inst->pc == place->value;
	case STF_PLACE_OPCODE:
		return inst->opcode == place->value;
	case STF_PLACE_EVENT:
		return inst->flags & (STF_INST_F_EVENT | STF_INST_F_MODE) &&
		       iter && has_event(iter, place->value);
	}
	return false;
}

static bool is_wanted(const struct stf_select *select)
{
	const struct stf_select_opts *opts = &select->opts;

	return select->windows >= opts->first_window &&
	       (!opts->last_window || select->windows <= opts->last_window);
}

static bool begins(const struct stf_select *select, const struct stf_inst *inst,
		   struct stf_inst_iter *iter)
{
	const struct stf_select_opts *opts = &select->opts;

	if (opts->every && select->since % opts->every)
		return false;
	return !opts->from.kind || is_at(&opts->from, inst, iter);
}

/* Returns whether a window begins here. */
static bool open_window(struct stf_select *select, const struct stf_inst *inst,
			struct stf_inst_iter *iter)
{
	if (select->open || !begins(select, inst, iter))
		return false;
	select->windows++;
	select->taken = 0;
	select->open = true;
	return true;
}

/* first: the window begins here. At `from`, it goes on to the next instruction at `to`. */
static bool ends(const struct stf_select *select, const struct stf_inst *inst,
		 struct stf_inst_iter *iter, bool first)
{
	const struct stf_select_opts *opts = &select->opts;

	if (opts->limit && select->taken >= opts->limit)
		return true;
	return opts->to.kind && !(first && opts->from.kind) && is_at(&opts->to, inst, iter);
}

/* All up to the last one of an open window, unless it depends on what they are. */
static uint64_t sure(const struct stf_select *select)
{
	const struct stf_select_opts *opts = &select->opts;

	if (!select->open || opts->to.kind || !select->any)
		return 0;
	return opts->limit ? opts->limit - select->taken - 1 : UINT64_MAX / 2;
}

enum stf_selected stf_select_decide(struct stf_select *select,
				    const struct stf_inst *inst,
				    struct stf_inst_iter *iter)
{
	const struct stf_select_opts *opts = &select->opts;
	bool first;

	if (select->sure) {
		select->sure--;
		return STF_SELECT_TAKE;
	}
	if (inst->index < opts->start || !stf_select_passes(select, inst) ||
	    stf_select_is_done(select))
		return STF_SELECT_SKIP;
	first = open_window(select, inst, iter);
	select->since++;
	if (!select->open)
		return STF_SELECT_SKIP;
	select->taken++;
	if (ends(select, inst, iter, first))
		select->open = false;
	if (!is_wanted(select))
		return STF_SELECT_SKIP;
	select->sure = sure(select);
	select->taken += select->sure;
	select->since += select->sure;
	return first ? STF_SELECT_BEGIN : STF_SELECT_TAKE;
}

uint64_t stf_select_sure(const struct stf_select *select)
{
	return select->sure;
}

void stf_select_skip(struct stf_select *select, uint64_t n)
{
	select->sure -= n < select->sure ? n : select->sure;
}

uint64_t stf_select_window(const struct stf_select *select)
{
	return select->windows;
}

bool stf_select_is_inside(const struct stf_select *select)
{
	return select->open && is_wanted(select);
}

/* Can a window begin after the end of another one? */
static bool repeats(const struct stf_select_opts *opts)
{
	return opts->every || opts->from.kind || opts->first_window ||
	       opts->last_window;
}

bool stf_select_is_done(const struct stf_select *select)
{
	const struct stf_select_opts *opts = &select->opts;

	if (select->open || !select->windows)
		return false;
	return !repeats(opts) ||
	       (opts->last_window && select->windows >= opts->last_window);
}

int stf_select_next(struct stf_select *select, struct stf_inst_iter *iter,
		    struct stf_inst *inst, const struct stf_group **group)
{
	int more;

	do {
		if (stf_select_is_done(select))
			return 0;
		more = group ? stf_inst_iter_next_group(iter, inst, group) :
			       stf_inst_iter_next(iter, inst);
		if (more <= 0)
			return more;
	} while (stf_select_decide(select, inst, iter) == STF_SELECT_SKIP);
	return 1;
}

/* ------------------------------------------------------------------ new and free */

static const char *contradiction(const struct stf_select_opts *opts)
{
	if (opts->from.kind > STF_PLACE_EVENT || opts->to.kind > STF_PLACE_EVENT)
		return "this kind of place does not exist";
	if (opts->every && opts->from.kind)
		return "both `every` and `from` say where windows begin";
	if (opts->every && (!opts->limit || opts->limit > opts->every))
		return "`every` needs a limit that is not larger";
	if (opts->last_window && opts->last_window < opts->first_window)
		return "the last window is before the first";
	if (opts->n_ranges && !opts->ranges)
		return "the ranges are missing";
	return NULL;
}

static bool copy_ranges(struct stf_select *select)
{
	const struct stf_select_opts *opts = &select->opts;

	if (!opts->n_ranges)
		return true;
	select->ranges = calloc(opts->n_ranges, sizeof(*select->ranges));
	if (select->ranges)
		memcpy(select->ranges, opts->ranges,
		       opts->n_ranges * sizeof(*select->ranges));
	return select->ranges;
}

static int start(struct stf_select *select, const struct stf_select_opts *passed,
		 struct stf_error *err)
{
	static const char function[] = "stf_select_new";
	struct stf_select_opts *opts = &select->opts;
	const char *wrong;
	int ret;

	ret = stf_struct_take(opts, sizeof(*opts),
			      STF_SIZE_TO(struct stf_select_opts, last_window),
			      passed, function, err);
	if (ret)
		return ret;
	wrong = contradiction(opts);
	if (wrong)
		return stf_fail(err, STF_E_INVAL, "%s(): %s", function, wrong);
	if (!copy_ranges(select))
		return stf_no_memory(err, function);
	select->any = !opts->modes && !opts->by_hart && !opts->by_pid &&
		      !opts->by_tid && !opts->n_ranges;
	return 0;
}

struct stf_select *stf_select_new(const struct stf_select_opts *opts,
				  struct stf_error *err)
{
	struct stf_select *select = calloc(1, sizeof(*select));

	if (err)
		*err = (struct stf_error){ 0 };
	if (!select) {
		stf_no_memory(err, __func__);
		return NULL;
	}
	if (!start(select, opts, err))
		return select;
	stf_select_free(select);
	return NULL;
}

void stf_select_free(struct stf_select *select)
{
	if (!select)
		return;
	free(select->ranges);
	free(select);
}
