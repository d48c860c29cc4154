// SPDX-License-Identifier: GPL-2.0-only
#include "tracecut/group.h"
#include "stats/executed.h"
#include "stf/stf_process.h"

#include <string.h>

/* What is not copied, or is added, in the group that is written. */
struct plan {
	bool skip_force_pc; /* the header tells it */
	unsigned int skip_modes; /* so many MODE_CHANGEs, from the first on */
	/*
	 * So many MODE_CHANGEs before the first of the later records. One alone beside a
	 * trap would be the trap's: there are two then, and the first is the instruction's.
	 */
	unsigned int modes_due;
	uint8_t mode; /* of this instruction */
	bool repeats; /* leave out what only repeats the state before the group */
	const struct tcut_regs *regs; /* the registers of this state, or NULL */
	bool event_written, event_left_out; /* of this group, so far */
	bool leaves_user; /* an event leads to a mode of which the new trace has nothing */
	uint64_t back; /* where user mode goes on then */
};

static bool is_mode(const struct stf_record *rec)
{
	return rec->desc == STF_EVENT &&
	       rec->event.id == STF_EVENT_MODE_CHANGE;
}

static bool tells(const struct stf_record *rec, uint8_t *mode)
{
	if (!is_mode(rec) || !rec->event.n_fields ||
	    rec->event.fields[0] > STF_MODE_MACHINE)
		return false;
	*mode = (uint8_t)rec->event.fields[0];
	return true;
}

static unsigned int kind(const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_EVENT:
		return is_mode(rec) ? TCUT_DROP_MODES : TCUT_DROP_EVENTS;
	case STF_EVENT_PC_TARGET:
		return TCUT_DROP_TARGETS;
	case STF_INST_MEM_ACCESS:
	case STF_INST_MEM_CONTENT:
		return TCUT_DROP_MEMORY;
	case STF_BUS_MASTER_ACCESS:
	case STF_BUS_MASTER_CONTENT:
		return TCUT_DROP_BUS;
	case STF_INST_REG:
	case STF_INST_READY_REG:
		return TCUT_DROP_REGISTERS;
	case STF_PAGE_TABLE_WALK:
		return TCUT_DROP_WALKS;
	case STF_INST_MICROOP:
		return TCUT_DROP_MICROOPS;
	case STF_COMMENT:
		return TCUT_DROP_COMMENTS;
	case STF_PROCESS_ID_EXT:
		return TCUT_DROP_PROCESSES;
	}
	return 0;
}

uint64_t tcut_drop_features(unsigned int drop)
{
	const unsigned int all_events = TCUT_DROP_EVENTS | TCUT_DROP_MODES;
	uint64_t features = 0;

	if ((drop & all_events) == all_events)
		features |= STF_FEATURE_EVENT | STF_FEATURE_SYSTEMCALL_VALUE;
	if (drop & TCUT_DROP_REGISTERS)
		features |= STF_FEATURE_OPERAND_VALUE | STF_FEATURE_REG_STATE |
			    STF_FEATURE_INT_DIV_OPERAND_VALUE;
	if (drop & TCUT_DROP_WALKS)
		features |= STF_FEATURE_PTE | STF_FEATURE_PTE_ONLY |
			    STF_FEATURE_PTE_HW_AD;
	if (drop & TCUT_DROP_MICROOPS)
		features |= STF_FEATURE_MICROOP;
	if (drop & TCUT_DROP_PROCESSES)
		features |= STF_FEATURE_PROCESS_ID | STF_FEATURE_MULTI_THREAD;
	return features;
}

/*
 * The page is first used where this trace has its first use. A walk that is told ahead of
 * this use stays as far before it.
 */
static void renumber(struct stf_page_walk *walk, const struct tcut_out *out,
		     uint64_t index)
{
	uint64_t before = index - walk->first_index;
	bool ahead = walk->first_index > index;

	walk->first_index = out->written;
	if (ahead || (before <= index - out->window_start && before <= out->written))
		walk->first_index -= before;
}

/* In the first group of a trace that goes on: does a record tell nothing new? */
static bool is_known(const struct tcut_regs *regs, const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_FORCE_PC:
	case STF_PROCESS_ID_EXT:
		return true;
	case STF_INST_REG:
		return regs && rec->reg.operand == STF_REG_STATE &&
		       tcut_regs_has(regs, &rec->reg);
	}
	return false;
}

static struct stf_process renamed(const struct tcut_out *out,
				  const struct stf_process *old)
{
	struct stf_process process = *old;

	if (out->set_hart)
		process.hart = out->hart;
	if (out->set_pid)
		process.pid = out->pid;
	return process;
}

static int write_mode(struct tcut_out *out, struct plan *plan)
{
	int err = 0;

	while (!err && plan->modes_due) {
		plan->modes_due--;
		err = stf_write_mode_change(out->writer, plan->mode);
	}
	out->mode = plan->mode;
	return err;
}

bool tcut_is_mapping(const struct stf_record *rec, struct origin_mapping *mapping)
{
	struct origin_line line;

	return rec->desc == STF_COMMENT &&
	       origin_line(&line, rec->text.data, rec->text.size) == ORIGIN_MAP &&
	       origin_read_mapping(mapping, &line);
}

/* A mapping belongs to the process that the new trace has in place of the old one. */
static bool is_new_mapping(const struct tcut_out *out, const struct stf_record *rec,
			   struct origin_mapping *mapping)
{
	if (!tcut_is_mapping(rec, mapping))
		return false;
	if (out->set_pid && mapping->pid != ORIGIN_ALL)
		mapping->pid = out->pid;
	return true;
}

bool tcut_group_maps(struct tcut_out *out, const struct stf_inst *inst,
		     struct stf_inst_iter *iter)
{
	struct origin_mapping mapping;
	struct stf_record rec;
	bool ok = true;

	if (!(inst->flags & STF_INST_F_COMMENT))
		return true;
	while (ok && stf_inst_iter_record(iter, &rec) > 0)
		if (is_new_mapping(out, &rec, &mapping))
			ok = origin_tell_add(out->tell, &mapping);
	stf_inst_iter_again(iter);
	return ok;
}

/* The group is copied with what it tells. */
static void told_maps(struct tcut_out *out, const struct stf_inst *inst,
		      struct stf_inst_iter *iter)
{
	struct origin_mapping mapping;
	struct stf_record rec;

	if (!(inst->flags & STF_INST_F_COMMENT))
		return;
	while (stf_inst_iter_record(iter, &rec) > 0)
		if (is_new_mapping(out, &rec, &mapping))
			origin_tell_told(out->tell, &mapping, out->written);
	stf_inst_iter_again(iter);
}

bool tcut_is_of_the_whole(const struct stf_record *rec)
{
	struct origin_line line;

	return rec->desc == STF_COMMENT &&
	       origin_line(&line, rec->text.data, rec->text.size) == ORIGIN_COVERAGE;
}

static int copy_mapping(struct tcut_out *out, const struct stf_record *rec,
			const struct origin_mapping *mapping)
{
	if (mapping->pid == ORIGIN_ALL)
		return stf_write(out->writer, rec);
	origin_write_mapping(out->tell->line, mapping);
	return stf_write_comment(out->writer, out->tell->line);
}

static bool is_dropped(const struct tcut_out *out, const struct stf_record *rec)
{
	return kind(rec) & out->drop || (is_mode(rec) && out->user) ||
	       (out->partial && tcut_is_of_the_whole(rec));
}

/* A target goes where its EVENT does: readers need one before it. */
static bool is_left_out(const struct tcut_out *out, struct plan *plan,
			const struct stf_record *rec)
{
	bool leave = is_dropped(out, rec);
	uint8_t mode;

	if (!leave && plan->skip_modes && tells(rec, &mode)) {
		plan->skip_modes--;
		leave = true;
	}
	if (rec->desc == STF_EVENT) {
		plan->event_left_out |= leave;
		plan->event_written |= !leave;
	}
	return leave || (rec->desc == STF_FORCE_PC && plan->skip_force_pc) ||
	       (rec->desc == STF_EVENT_PC_TARGET && plan->event_left_out &&
		!plan->event_written);
}

static int copy_record(struct tcut_out *out, struct plan *plan,
		       struct stf_record *rec, uint64_t index)
{
	struct origin_mapping mapping;
	uint8_t mode;
	int err = 0;

	if (is_left_out(out, plan, rec))
		return 0;
	if (rec->desc == STF_PROCESS_ID_EXT)
		rec->process = renamed(out, &rec->process);
	if (plan->repeats && is_known(plan->regs, rec))
		return 0;
	if (plan->modes_due && rec->desc >= STF_EVENT)
		err = write_mode(out, plan);
	if (rec->desc == STF_PAGE_TABLE_WALK)
		renumber(&rec->page_walk, out, index);
	if (rec->desc == STF_EVENT_PC_TARGET && plan->leaves_user)
		rec->pc = plan->back;
	if (rec->desc == STF_PROCESS_ID_EXT)
		out->process = rec->process;
	if (tells(rec, &mode))
		out->mode = mode;
	if (!err && out->set_pid && is_new_mapping(out, rec, &mapping))
		return copy_mapping(out, rec, &mapping);
	return err ? err : stf_write(out->writer, rec);
}

/* The MODE_CHANGEs of a group, and whether it has the target of an event. */
struct changes {
	unsigned int nr;
	uint8_t first;
	bool target;
};

/* What is left of them in the new trace. */
static struct changes changes_of(const struct tcut_out *out, const struct stf_inst *inst,
				 struct stf_inst_iter *iter)
{
	struct changes changes = { 0 };
	struct plan plan = { 0 };
	struct stf_record rec;
	uint8_t mode;

	if (!(inst->flags & (STF_INST_F_MODE | STF_INST_F_EVENT_TARGET)))
		return changes;
	while (stf_inst_iter_record(iter, &rec) > 0) {
		if (is_left_out(out, &plan, &rec))
			continue;
		if (tells(&rec, &mode) && !changes.nr++)
			changes.first = mode;
		changes.target |= rec.desc == STF_EVENT_PC_TARGET;
	}
	stf_inst_iter_again(iter);
	return changes;
}

/*
 * Does the group itself say in which mode its instruction is? It does at the start of a
 * trace and with a FORCE_PC, unless its only MODE_CHANGE belongs to a trap (stf.h).
 */
static bool tells_mode(const struct changes *changes)
{
	return changes->nr && (!changes->target || changes->nr > 1);
}

/*
 * Which MODE_CHANGEs are added or left out, so that the instruction has the same mode in
 * the new trace. starts: it is the first one there, or has a FORCE_PC. Returns whether
 * its mode is to be told, which needs one of these.
 */
static bool plan_modes(const struct tcut_out *out, const struct stf_inst *inst,
		       struct stf_inst_iter *iter, bool begins, bool starts,
		       struct plan *plan)
{
	struct changes changes = changes_of(out, inst, iter);
	bool told = starts && tells_mode(&changes);

	/* It is the mode in which the new trace goes on. */
	if (plan->repeats) {
		plan->skip_modes = tells_mode(&changes);
		return false;
	}
	/* What would tell a mode that is not known comes with the next group instead. */
	if (inst->mode == STF_MODE_UNKNOWN && told)
		plan->skip_modes = changes.nr;
	if (inst->mode == STF_MODE_UNKNOWN || out->drop & TCUT_DROP_MODES)
		return false;
	if (inst->mode == (told ? changes.first : out->mode) &&
	    (told || !begins || out->user))
		return false;
	plan->modes_due = 1 + (changes.target && !changes.nr);
	return true;
}

/*
 * Which target an event gets that leads out of user mode, if nothing else is taken. Readers
 * need one behind each event, and `ssctr stf` writes this one where nothing tells another:
 * what the event stopped comes again.
 */
static void plan_target(const struct tcut_out *out, const struct stf_inst *inst,
			struct stf_inst_iter *iter, struct plan *plan)
{
	uint8_t mode = STF_MODE_USER;
	struct stf_record rec;

	if (!out->user || !(inst->flags & STF_INST_F_MODE) ||
	    !(inst->flags & STF_INST_F_EVENT_TARGET))
		return;
	plan->back = inst->pc;
	if (!stats_interrupted(iter, inst, out->rv_flags))
		plan->back += inst->size;
	while (stf_inst_iter_record(iter, &rec) > 0) {
		tells(&rec, &mode);
		if (rec.desc == STF_INST_PC_TARGET)
			plan->back = rec.pc;
	}
	stf_inst_iter_again(iter);
	plan->leaves_user = mode != STF_MODE_USER;
}

/* must: the process is told even if it is the same as before. */
static int write_process(struct tcut_out *out, const struct stf_inst *inst,
			 bool must)
{
	struct stf_process p = renamed(out, &inst->process);
	bool known = p.hart || p.pid || p.tid;

	if (out->drop & TCUT_DROP_PROCESSES || inst->flags & STF_INST_F_PROCESS)
		return 0;
	if (stf_same_process(&p, &out->process) && !(must && known))
		return 0;
	out->process = p;
	return stf_write_process(out->writer, p.hart, p.pid, p.tid);
}

/* What comes before the group, so that its reader knows where it is. */
static int write_state(struct tcut_out *out, const struct stf_inst *inst,
		       struct stf_inst_iter *iter, bool begins, bool force_pc,
		       const struct tcut_regs *regs)
{
	const char *mapping = NULL;
	int err = 0;

	if (out->tell->maps.nr && !(out->drop & TCUT_DROP_COMMENTS)) {
		told_maps(out, inst, iter);
		mapping = origin_tell_due(out->tell, inst->process.pid, inst->pc,
					  out->written, out->written);
	}
	if (force_pc)
		err = stf_write_force_pc(out->writer, inst->pc);
	if (!err)
		err = write_process(out, inst, begins || mapping);
	if (!err && mapping)
		err = stf_write_comment(out->writer, mapping);
	if (!err && begins && inst->index && regs &&
	    !(out->drop & TCUT_DROP_REGISTERS))
		err = tcut_regs_write(regs, out->writer);
	return err;
}

/* The first group of the first trace has all that it needs, but for a new name. */
static int write_first(struct tcut_out *out, const struct stf_inst *inst,
		       struct stf_inst_iter *iter)
{
	told_maps(out, inst, iter);
	if (out->set_hart || out->set_pid)
		return write_process(out, inst, true);
	if (!(out->drop & TCUT_DROP_PROCESSES))
		out->process = inst->process;
	return 0;
}

static bool follows(const struct tcut_out *out, const struct stf_inst *inst)
{
	uint64_t pc;

	return stf_writer_pc(out->writer, &pc) && pc == inst->pc;
}

bool tcut_group_goes_on(const struct tcut_out *out, const struct stf_inst *inst)
{
	struct stf_process process = renamed(out, &inst->process);

	return follows(out, inst) && stf_same_process(&process, &out->process) &&
	       (inst->mode == STF_MODE_UNKNOWN || inst->mode == out->mode);
}

/* Does its reader know all that it needs, as for most instructions? */
static bool is_plain(const struct tcut_out *out, const struct stf_inst *inst,
		     bool begins)
{
	return !inst->flags && !begins && out->written &&
	       inst->index == out->next &&
	       inst->mode == out->mode && follows(out, inst) &&
	       (!out->tell->maps.nr ||
		origin_tell_is_known(out->tell, inst->process.pid, inst->pc,
				     out->written));
}

/* As it is in the input, which may be a simulator's that breaks the rules. */
static int copy_opcode(struct tcut_out *out, const struct stf_inst *inst)
{
	struct stf_record rec;

	rec.desc = inst->size == 4 ? STF_INST_32 : STF_INST_16;
	rec.opcode = inst->opcode;
	return stf_write(out->writer, &rec);
}

static int write_group(struct tcut_out *out, const struct stf_inst *inst,
		       struct stf_inst_iter *iter, bool begins,
		       const struct tcut_regs *regs)
{
	bool first = !inst->index && !out->written;
	struct plan plan = { .mode = inst->mode,
			     .skip_force_pc = !out->written && !first,
			     .repeats = !inst->index && !first && !begins,
			     .regs = regs };
	struct stf_record rec;
	bool tell, forced, force_pc;
	int err = 0;

	if (begins)
		out->window_start = inst->index;
	forced = inst->flags & STF_INST_F_FORCE_PC;
	force_pc = out->written && !forced && (begins || !follows(out, inst));
	tell = plan_modes(out, inst, iter, begins, !out->written || forced || force_pc,
			  &plan);
	force_pc |= tell && out->written && !forced;
	plan_target(out, inst, iter, &plan);
	err = first ? write_first(out, inst, iter) :
		      write_state(out, inst, iter, begins, force_pc, regs);
	if (!err && !inst->flags && !tell)
		err = copy_opcode(out, inst);
	else
		while (!err && stf_inst_iter_record(iter, &rec) > 0)
			err = copy_record(out, &plan, &rec, inst->index);
	return err;
}

int tcut_group_write(struct tcut_out *out, const struct stf_inst *inst,
		     struct stf_inst_iter *iter, bool begins,
		     const struct tcut_regs *regs)
{
	int err;

	if (is_plain(out, inst, begins))
		err = copy_opcode(out, inst);
	else
		err = write_group(out, inst, iter, begins, regs);
	out->written++;
	out->next = inst->index + 1;
	return err;
}

uint64_t tcut_group_copy(struct tcut_out *out, const struct stf_inst *inst,
			 struct stf_inst_iter *iter, uint64_t n)
{
	const struct origin_tell *tell = out->tell;
	struct stf_pc_range range = { 0, UINT64_MAX };
	uint64_t done;

	if (out->drop & (TCUT_DROP_MEMORY | TCUT_DROP_REGISTERS) ||
	    inst->flags & STF_INST_F_MODE || inst->mode != out->mode ||
	    inst->index + 1 != out->next)
		return 0;
	if (tell->maps.nr) {
		if (inst->process.pid != tell->pid || out->written >= tell->due)
			return 0;
		range.start = tell->start;
		range.size = tell->end - tell->start;
		if (n > tell->due - out->written)
			n = tell->due - out->written;
	}
	done = stf_write_groups(out->writer, iter, n, &range);
	out->written += done;
	out->next += done;
	return done;
}

int tcut_group_rest(struct tcut_out *out, struct stf_inst_iter *iter)
{
	struct plan plan = { 0 };
	struct stf_record rec;
	int err = 0;

	while (!err && stf_inst_iter_record(iter, &rec) > 0)
		err = copy_record(out, &plan, &rec, 0);
	return err;
}
