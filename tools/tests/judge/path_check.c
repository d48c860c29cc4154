// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is a trace true? Holds an STF trace that was made of perf's samples against the
 * log of all that the machine executed meanwhile.
 *
 *   path_check LOG WINDOW TRACE SAMPLES BREAKS [joined] [faults=N] [addresses=N]
 *
 * LOG is what the plug-in `transfers` wrote, WINDOW the number under which it logged
 * the program, of which the trace must hold at least SAMPLES samples. Processes that
 * the program starts have windows of their own: NUMBER,NUMBER...
 *
 * A unit of the trace is what stands between two FORCE_PCs. Each of its instructions
 * must have been executed right after the one before it, with that opcode, in that
 * mode, leading to where it leads; a COUNTER_OVERFLOW must stand at an instruction
 * before which that interrupt was taken, each at another one, in their order; traps
 * and system calls must stand where they were. A unit without a sample at its end is
 * where a path broke, or its sample was taken in a mode not recorded: there must be no
 * more than BREAKS of these. If samples overlap, and so must be joined, a unit ends
 * only where a sample was lost, or more was executed until the next one than the hart
 * has records for.
 *
 * A page fault must stand where it was, with its address if it has one. With faults=N
 * the trace has to hold N of 100 that the log has, with their addresses; with
 * addresses=N so many of those of user code that it holds have to have one.
 *
 * When all of this holds, the judge itself is tried: it must not believe units with
 * an opcode changed, a target shifted, an instruction left out, a fault with another
 * address, or one at another instruction.
 */
#include <inttypes.h>

#include "executed.h"
#include "log.h"
#include "trace.h"

#define NO_EVENT	UINT64_MAX
#define SRET		0x10200073

/* The records of this machine's harts, and how far back they show with signals. */
#define RECORDS		256
#define DEPTH		(RECORDS + 32)

/* --- what the trace says --- */

struct item {
	uint64_t pc, next;
	uint64_t event;		/* or NO_EVENT */
	uint64_t addr;		/* that a page fault was for, if it has one */
	uint32_t opcode;
	uint8_t size, mode;
	bool leads;		/* its next one is told: a branch, a trap */
	bool sampled;		/* COUNTER_OVERFLOW */
	bool waits;		/* and has not executed yet */
	bool has_addr;
	bool faults;		/* and comes again at once */
	bool starts;		/* after a FORCE_PC */
};

struct thread {
	uint32_t tid;
	struct item *items;
	size_t nr, room;
};

static struct thread threads[64];
static unsigned int nr_threads;

static struct thread *find_thread(uint32_t tid)
{
	for (unsigned int i = 0; i < nr_threads; i++)
		if (threads[i].tid == tid)
			return &threads[i];
	if (nr_threads == sizeof(threads) / sizeof(*threads)) {
		fprintf(stderr, "too many threads\n");
		exit(2);
	}
	threads[nr_threads] = (struct thread){ .tid = tid };
	return &threads[nr_threads++];
}

static bool is_page_fault(uint64_t event)
{
	return event == STF_FAULT_INST_PAGE_FAULT ||
	       event == STF_FAULT_LOAD_PAGE_FAULT ||
	       event == STF_FAULT_STORE_PAGE_FAULT;
}

static void read_events(struct stf_inst_iter *iter, struct item *item)
{
	struct stf_record rec;

	while (stf_inst_iter_record(iter, &rec) > 0) {
		if (rec.desc != STF_EVENT || rec.event.id == STF_EVENT_MODE_CHANGE)
			continue;
		if (rec.event.id == (STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW)) {
			item->sampled = true;
			continue;
		}
		item->event = rec.event.id;
		if (!is_page_fault(item->event))
			continue;
		/* That of fetching has no other address than the instruction's. */
		item->has_addr = rec.event.n_fields > 2 ||
				 item->event == STF_FAULT_INST_PAGE_FAULT;
		item->addr = rec.event.n_fields > 2 ? rec.event.fields[2] : item->pc;
	}
}

/*
 * Is the new item the one before, which was interrupted by a sample and now executes?
 * It is counted as one then.
 */
static bool is_again(struct thread *thread)
{
	struct item *item = &thread->items[thread->nr], *before = item - 1;

	if (!thread->nr || !before->waits || item->starts ||
	    item->pc != before->pc)
		return false;
	item->starts = before->starts;
	item->sampled = true;
	*before = *item;
	return true;
}

static bool read_trace(const char *path)
{
	struct stf_inst_iter *iter;
	struct stf_reader *reader;
	struct stf_inst inst;
	int ret;

	iter = open_trace(path, &reader);
	while ((ret = stf_inst_iter_next(iter, &inst)) > 0) {
		struct thread *thread = find_thread(inst.process.tid);
		struct item *item;

		thread->items = grow(thread->items, thread->nr, &thread->room,
				     sizeof(*item));
		item = &thread->items[thread->nr];
		*item = (struct item){
			.pc = inst.pc, .next = inst.next_pc,
			.opcode = inst.opcode, .size = inst.size,
			.mode = inst.mode, .event = NO_EVENT,
			.leads = inst.flags & STF_INST_F_TAKEN,
			.starts = !thread->nr || inst.flags & STF_INST_F_FORCE_PC,
		};
		if (inst.flags & STF_INST_F_EVENT)
			read_events(iter, item);
		item->waits = item->sampled && item->event == NO_EVENT;
		item->faults = is_page_fault(item->event) &&
			       inst.next_pc == inst.pc;
		/* A system call of user code alone goes on behind it. */
		if (inst.flags & STF_INST_F_EVENT_TARGET && !item->sampled &&
		    !item->faults && inst.next_pc != inst.pc + inst.size)
			item->leads = true;
		if (!is_again(thread))
			thread->nr++;
	}
	if (ret < 0)
		printf("# %s\n", stf_reader_error(reader));
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
	return !ret;
}

/* --- the one against the other --- */

/* How far a unit's instructions were found in a stream. */
/* Units are followed again to mark what they tell. */
static bool marks;

struct place {
	uint32_t step;		/* the next one */
	uint64_t pc;		/* of the next instruction, or NOWHERE */
	uint32_t sample;	/* the step of the last sample's interrupt, or NONE */
	uint32_t first;		/* of the first one's */
};

static bool fits_event(const struct item *item, uint32_t cause)
{
	uint64_t number = cause & ~TRANSFER_LOG_INTERRUPT;

	if (!(cause & TRANSFER_LOG_INTERRUPT))
		return item->event == number;
	/* What stands for one that nothing told of. */
	return item->event == (STF_EVENT_INTERRUPT | number) ||
	       item->event == (STF_EVENT_INTERRUPT | STF_INT_PLATFORM_0);
}

static bool fits_fault(const struct item *item, const struct step *step)
{
	const uint64_t addr = step->insn == STF_FAULT_INST_PAGE_FAULT ?
				      step->from : step->addr;

	return item->event == step->insn && (!item->has_addr || item->addr == addr);
}

/*
 * Traps before @item at @place, after which it was executed, or not: the sample's first,
 * then its fault's. Returns why that was not so, or NULL.
 */
static const char *pass_pauses(const struct stream *stream, struct place *place,
			       const struct item *item)
{
	uint32_t after = place->sample;
	bool found = !item->sampled;

	for (; place->step < stream->nr; place->step++) {
		const struct step *step = &stream->steps[place->step];

		if (step->from != place->pc || step->kind != STEP_PAUSE)
			break;
		if (found && item->faults && fits_fault(item, step)) {
			if (marks)
				stream->told[place->step] = true;
			place->step++;
			return step->to == step->from ? NULL : "it did not come back";
		}
		if (!found && step->insn == LCOFI &&
		    (after == NONE || place->step > after)) {
			found = true;
			place->sample = place->step;
			/* It did not come back at once. */
			if (step->to != step->from)
				place->pc = NOWHERE;
		}
		if (step->to != step->from)
			break;
	}
	return !found ? "no sample was taken there" :
	       item->faults ? "it did not fault there, or not for that address" :
	       NULL;
}

/* Execute @item at @place. Returns why that was not so, or NULL. */
static const char *execute(const struct stream *stream, struct place *place,
			   const struct item *item)
{
	const struct step *step = &stream->steps[place->step];

	if (place->pc == NOWHERE)
		return "what follows was executed elsewhere";
	if (place->step == stream->nr || step->from != item->pc) {
		place->pc += item->size;
		if (item->leads)
			return "a branch was not taken";
		return item->event == NO_EVENT ? NULL : "nothing was raised";
	}
	place->step++;
	place->pc = step->to;
	if (step->kind == STEP_TRANSFER)
		return item->leads && item->next == step->to ? NULL :
			"a branch went elsewhere";
	if (step->kind == STEP_TRAP) {
		if (!item->leads || item->next != step->to)
			return "a trap went elsewhere";
		if (!is_page_fault(step->insn))
			return fits_event(item, step->insn) ? NULL :
				"a trap had another cause";
		if (marks)
			stream->told[place->step - 1] = item->has_addr;
		return fits_fault(item, step) ? NULL :
			"a fault had another cause or address";
	}
	if (item->leads)
		return "a branch was not taken";
	if (is_jump(step))
		place->pc = NOWHERE;
	return step->insn == NO_CAUSE || fits_event(item, step->insn) ? NULL :
		"a system call is missing";
}

static const char *follow(const struct stream *stream, struct place *place,
			  const struct item *items, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct item *item = &items[i];
		const char *why;
		uint32_t at;
		bool last;

		if (place->pc == NOWHERE)
			return "what follows was executed elsewhere";
		if (item->pc != place->pc)
			return "another instruction was executed";
		if (item->mode != (item->pc >> 63 ? STF_MODE_SUPERVISOR :
						    STF_MODE_USER))
			return "it was executed in another mode";
		at = place->step < stream->nr ? stream->steps[place->step].at :
						NONE;
		if (item->opcode != code_at(item->pc, at))
			return "the code was another";
		/* A sample's has not been executed. */
		last = i == nr - 1 && item->waits;
		why = pass_pauses(stream, place, item);
		if (why)
			return why;
		/* Nor is it told where one leads that returns from a trap to a break. */
		if (last || (i == nr - 1 && item->opcode == SRET && !item->leads))
			return NULL;
		if (item->faults)
			continue;
		why = execute(stream, place, item);
		if (why)
			return why;
	}
	return NULL;
}

/* Go in, amid the line after jump @jump - 1, where @pc is. */
static bool enter(const struct stream *stream, struct place *place,
		  uint32_t jump, uint64_t pc)
{
	uint32_t step = jump ? stream->jumps[jump - 1] + 1 : 0;
	uint64_t start = jump ? stream->steps[step - 1].to : stream->start;

	if (pc < start)
		return false;
	while (step < stream->nr && stream->steps[step].from < pc) {
		if (is_jump(&stream->steps[step]))
			return false;
		step++;
	}
	place->step = step;
	place->pc = pc;
	return true;
}

static uint32_t start_of(const struct stream *stream, uint32_t jump)
{
	return jump ? stream->jumps[jump - 1] + 1 : 0;
}

struct unit {
	const struct item *items;
	size_t nr;
	size_t sample;		/* the first item that is a sample, or nr */
	uint32_t leading;	/* of the items before that one */
};

static void cover(const struct stream *stream, uint32_t first, uint32_t end)
{
	for (uint32_t jump = first; jump < stream->rank[end]; jump++)
		stream->covered[jump] = true;
}

/* @unit, which starts on the line after jump @jump - 1, is in the trace. */
static void hold(const struct stream *stream, uint32_t jump, const struct unit *unit)
{
	uint64_t nr = unit->nr - unit->items[unit->nr - 1].waits, first;
	struct place place;

	/* What faulted stands there once more. */
	for (size_t i = 0; i < unit->nr; i++)
		nr -= unit->items[i].faults;
	if (!enter(stream, &place, jump, unit->items[0].pc))
		return;
	first = insn_at(stream, place.step, place.pc);
	if (first + nr <= stream->nr_insns)
		memset(stream->held + first, true, nr);
}

/*
 * What @unit, which starts after jump @jump - 1 and has its first sample after step
 * @sample, tells.
 */
static void mark(const struct stream *stream, const struct unit *unit, uint32_t jump,
		 uint32_t sample)
{
	struct place place = { .sample = sample };

	marks = true;
	if (enter(stream, &place, jump, unit->items[0].pc))
		follow(stream, &place, unit->items, unit->nr);
	marks = false;
}

static struct unit unit_of(const struct item *items, size_t nr)
{
	struct unit unit = { .items = items, .nr = nr };

	while (unit.sample < nr && !items[unit.sample].sampled)
		unit.leading += items[unit.sample++].leads;
	return unit;
}

static struct unit unit_at(const struct thread *thread, size_t first)
{
	size_t end = first + 1;

	while (end < thread->nr && !thread->items[end].starts)
		end++;
	return unit_of(&thread->items[first], end - first);
}

/*
 * The first place of @unit with its first sample after step @after (NONE: anywhere).
 * Returns the jump before which it starts, or NONE; @why is of the try that came
 * furthest.
 */
static uint32_t find_unit(const struct stream *stream, const struct unit *unit,
			  uint32_t after, struct place *place, const char **why)
{
	uint64_t pc = unit->items[unit->sample].pc;

	*why = "no such sample was taken";
	for (size_t i = after == NONE ? 0 : after + 1; i < stream->nr; i++) {
		const struct step *step = &stream->steps[i];
		uint32_t jump;

		if (step->kind != STEP_PAUSE || step->insn != LCOFI ||
		    step->from != pc || stream->rank[i] < unit->leading)
			continue;
		jump = stream->rank[i] - unit->leading;
		place->sample = i ? i - 1 : NONE;
		if (!enter(stream, place, jump, unit->items[0].pc))
			continue;
		*why = follow(stream, place, unit->items, unit->nr);
		place->first = i;
		if (!*why)
			return jump;
	}
	return NONE;
}

/*
 * The last place of @unit, which has no sample, whose end is not after step @end.
 * It starts not before what a sample at step @after (or NONE) shows. Returns as
 * find_unit().
 */
static uint32_t find_piece(const struct stream *stream, const struct unit *unit,
			   uint32_t after, uint32_t end, struct place *place)
{
	uint32_t first = after == NONE ? 0 : stream->rank[after];
	uint32_t jump = stream->rank[end] + 1;

	while (jump-- && jump + DEPTH >= first) {
		place->sample = NONE;
		if (enter(stream, place, jump, unit->items[0].pc) &&
		    !follow(stream, place, unit->items, unit->nr) &&
		    place->step <= end)
			return jump;
	}
	return NONE;
}

enum { LIES = 5 };

struct verdict {
	bool tells;		/* what is wrong first */
	bool joined;		/* samples that overlap must be */
	uint64_t units, samples, pieces, wrong;
	uint64_t late;		/* pieces that are not before what follows */
	uint64_t gaps;		/* between units, and nothing was lost there */
	uint64_t longest;	/* transfers in one unit */
	uint64_t faults, with_addr;
	uint64_t user_faults, user_with_addr; /* those of user code */
	uint64_t tried[LIES], believed[LIES];
};

static void tell(const struct unit *unit, const char *why)
{
	printf("# a unit of %zu instructions, %#" PRIx64 " to %#" PRIx64 ": %s\n",
	       unit->nr, unit->items[0].pc, unit->items[unit->nr - 1].pc, why);
}

static void count_unit(struct verdict *verdict, const struct unit *unit)
{
	uint64_t transfers = 0;

	for (size_t i = 0; i < unit->nr; i++) {
		transfers += unit->items[i].leads;
		verdict->faults += is_page_fault(unit->items[i].event);
		verdict->with_addr += unit->items[i].has_addr;
		if (unit->items[i].mode == STF_MODE_USER) {
			verdict->user_faults += is_page_fault(unit->items[i].event);
			verdict->user_with_addr += unit->items[i].has_addr;
		}
		verdict->samples += unit->items[i].sampled;
	}
	verdict->units++;
	if (transfers > verdict->longest)
		verdict->longest = transfers;
}

/*
 * Pieces from @first up to item @end, of samples after step @after, which stand
 * before step @limit. @sample is the first one after them.
 */
static void place_pieces(const struct stream *stream, const struct thread *thread,
			 size_t first, size_t end, uint32_t after, uint32_t limit,
			 uint32_t sample, struct verdict *verdict)
{
	while (end > first) {
		size_t start = end - 1;
		struct place place;
		struct unit unit;
		uint32_t jump;

		while (start > first && !thread->items[start].starts)
			start--;
		unit = unit_at(thread, start);
		verdict->pieces++;
		count_unit(verdict, &unit);
		jump = find_piece(stream, &unit, after, limit, &place);
		if (jump == NONE) {
			/* Of a sample that was taken in another mode. */
			jump = find_piece(stream, &unit, after, sample,
					  &place);
			verdict->late += jump != NONE;
		}
		if (jump == NONE) {
			if (!verdict->wrong++ && verdict->tells)
				tell(&unit, "it was not executed before the sample");
		} else {
			if (verdict->tells) {
				cover(stream, jump, place.step);
				hold(stream, jump, &unit);
				mark(stream, &unit, jump, NONE);
			}
			limit = start_of(stream, jump);
		}
		end = start;
	}
}

/*
 * The first place of @unit after step @after before which there are also its
 * sample's other pieces, from item @pieces up to @first. A short unit fits at many
 * places. Returns as find_unit().
 */
static uint32_t find_sample(const struct stream *stream, const struct thread *thread,
			    const struct unit *unit, size_t pieces, size_t first,
			    uint32_t after, struct place *place, const char **why)
{
	uint32_t from = after, jump;
	struct verdict trial;

	do {
		jump = find_unit(stream, unit, from, place, why);
		if (jump == NONE && from != after)
			break;
		if (jump == NONE || pieces == first)
			return jump;
		trial = (struct verdict){};
		place_pieces(stream, thread, pieces, first, after,
			     start_of(stream, jump), place->first, &trial);
		if (!trial.wrong)
			return jump;
		from = place->first;
	} while (true);
	/* It fits, but nowhere do they. */
	return find_unit(stream, unit, after, place, why);
}

/* What the judge must not believe of a unit that is true, up to its first sample. */
static void try_judge(const struct stream *stream, const struct unit *unit,
		      uint32_t after, struct verdict *verdict)
{
	struct item *items = allocate(unit->sample + 1, sizeof(*items));
	size_t at = 1 + (verdict->units + verdict->tried[0]) * 7919 % unit->sample;
	size_t nr, i;

	for (int lie = 0; lie < LIES; lie++) {
		struct unit changed = { items, unit->sample + 1, unit->sample,
					unit->leading };
		struct place place;
		const char *why;

		memcpy(items, unit->items, changed.nr * sizeof(*items));
		switch (lie) {
		case 0:
			items[at].opcode ^= 1 << 9;
			break;
		case 1:
			for (i = 0; i < unit->sample && !items[i].leads; i++)
				;
			if (i == unit->sample)
				continue;
			items[i].next += 2;
			break;
		case 3:
		case 4:
			for (i = 0; i < unit->sample && !items[i].faults; i++)
				;
			if (i + 1 >= unit->sample || !items[i].has_addr)
				continue;
			/* The one after it is the same, and executes. */
			if (lie == 3) {
				items[i].addr ^= 8;
				items[i].event ^= 2 * (items[i].event ==
						       STF_FAULT_INST_PAGE_FAULT);
			} else {
				items[i + 1] = items[i];
				items[i] = unit->items[i + 1];
			}
			break;
		default:
			/* A fault need not be told. */
			if (at >= unit->sample || items[at].faults)
				continue;
			nr = unit->sample - at;
			changed.leading -= items[at].leads;
			memmove(&items[at], &items[at + 1], nr * sizeof(*items));
			changed.sample--;
			changed.nr--;
		}
		verdict->tried[lie]++;
		verdict->believed[lie] += find_unit(stream, &changed, after,
						    &place, &why) != NONE;
	}
	free(items);
}

/* The same with what lies between two samples of a unit, here and there. */
static void try_parts(const struct stream *stream, const struct unit *unit,
		      uint32_t after, struct verdict *verdict)
{
	const size_t apart = unit->nr / 32;
	size_t next = 0;

	for (size_t first = 0; first < unit->nr;) {
		struct unit part = unit_of(&unit->items[first], unit->nr - first);

		if (part.sample == part.nr)
			return;
		if (first >= next && part.sample > 2) {
			try_judge(stream, &part, after, verdict);
			next = first + apart;
		}
		first += part.sample + 1;
	}
}

/*
 * Nothing was lost between the samples at these steps, and the second one shows all
 * that was executed since the first, with no signal in between.
 */
static bool overlap(const struct stream *stream, uint32_t before, uint32_t step)
{
	const uint32_t first = before;

	if (before == NONE || stream->rank[step] - stream->rank[before] >= RECORDS)
		return false;
	/* The kernel may go on elsewhere from the first one's interrupt itself. */
	for (; before < step; before++)
		if (stream->steps[before].kind == STEP_PAUSE &&
		    ((before > first && stream->steps[before].insn == LCOFI) ||
		     is_jump(&stream->steps[before])))
			return false;
	return true;
}

/*
 * As find_unit(), but where the program repeats itself, the first place at which
 * @unit has to start a path.
 */
static uint32_t find_start(const struct stream *stream, const struct unit *unit,
			   uint32_t after, struct place *place, const char **why)
{
	uint32_t from = after, found = NONE;
	struct place trial;

	do {
		uint32_t jump = find_unit(stream, unit, from, &trial, why);

		if (jump == NONE)
			break;
		from = trial.first;
		if (found != NONE && overlap(stream, after, from))
			continue;
		*place = trial;
		found = jump;
	} while (overlap(stream, after, from));
	return found;
}

static void judge_thread(const struct stream *stream, const struct thread *thread,
			 size_t most, struct verdict *verdict)
{
	uint32_t before = NONE, after = NONE;
	size_t pieces = 0, first, next;

	for (first = 0; first < thread->nr && verdict->units < most; first = next) {
		struct unit unit = unit_at(thread, first);
		struct place place = {};
		const char *why;
		uint32_t jump;

		next = first + unit.nr;
		if (unit.sample == unit.nr)
			continue;
		count_unit(verdict, &unit);
		jump = verdict->joined ?
			find_start(stream, &unit, after, &place, &why) :
			find_sample(stream, thread, &unit, pieces, first, after,
				    &place, &why);
		if (jump == NONE) {
			if (!verdict->wrong++ && verdict->tells)
				tell(&unit, why);
			pieces = next;
			continue;
		}
		if (verdict->units % 8 == 1)
			try_parts(stream, &unit, after, verdict);
		verdict->gaps += overlap(stream, after, place.first);
		before = after;
		after = place.sample;
		if (verdict->tells) {
			cover(stream, jump, after);
			hold(stream, jump, &unit);
			mark(stream, &unit, jump,
			     place.first ? place.first - 1 : NONE);
		}
		place_pieces(stream, thread, pieces, first, before,
			     start_of(stream, jump), place.first, verdict);
		pieces = next;
	}
	place_pieces(stream, thread, pieces, first, after, stream->nr, stream->nr,
		     verdict);
}

/* The stream that holds most of the thread's first units. */
static const struct stream *stream_of(const struct thread *thread)
{
	const struct stream *best = &streams[0];
	uint64_t fewest = UINT64_MAX;

	for (unsigned int i = 0; nr_streams > 1 && i < nr_streams; i++) {
		struct verdict verdict = {};
		uint64_t wrong;

		judge_thread(&streams[i], thread, 20, &verdict);
		wrong = verdict.wrong;
		if (wrong < fewest) {
			fewest = wrong;
			best = &streams[i];
		}
	}
	return best;
}

static void add_verdict(struct verdict *sum, const struct verdict *verdict)
{
	sum->units += verdict->units;
	sum->samples += verdict->samples;
	sum->pieces += verdict->pieces;
	sum->wrong += verdict->wrong;
	sum->late += verdict->late;
	sum->gaps += verdict->gaps;
	if (verdict->longest > sum->longest)
		sum->longest = verdict->longest;
	sum->faults += verdict->faults;
	sum->with_addr += verdict->with_addr;
	sum->user_faults += verdict->user_faults;
	sum->user_with_addr += verdict->user_with_addr;
	for (int i = 0; i < LIES; i++) {
		sum->tried[i] += verdict->tried[i];
		sum->believed[i] += verdict->believed[i];
	}
}

int main(int argc, char **argv)
{
	static const char *const lies[LIES] = { "an opcode changed", "a target shifted",
						"an instruction left out",
						"a fault's address changed",
						"a fault after its instruction" };
	uint64_t covered = 0, jumps = 0, held = 0, insns = 0, steps = 0, samples = 0, faults = 0, told = 0;
	unsigned int least_faults = 0, least_addrs = 0;
	bool believed = true, tried = true, joined = false, whole;
	struct verdict sum = {};
	const char *name;
	struct log log;

	for (int i = 6; i < argc; i++) {
		joined |= !strcmp(argv[i], "joined");
		sscanf(argv[i], "faults=%u", &least_faults);
		sscanf(argv[i], "addresses=%u", &least_addrs);
	}
	if (argc < 6) {
		fprintf(stderr, "usage: path_check LOG WINDOW TRACE SAMPLES BREAKS [joined] [faults=N] [addresses=N]\n");
		return 2;
	}
	log = open_log(argv[1]);
	name = strrchr(argv[3], '/') ? strrchr(argv[3], '/') + 1 : argv[3];
	if (!read_executed(&log, argv[2])) {
		fprintf(stderr, "%s: window %s is empty\n", argv[1], argv[2]);
		return 2;
	}
	for (unsigned int i = 0; i < nr_streams; i++) {
		believed = believed && believe(&streams[i]);
		steps += streams[i].nr;
		for (size_t j = 0; j < streams[i].nr; j++)
		{
			const struct step *step = &streams[i].steps[j];

			samples += step->kind == STEP_PAUSE && step->insn == LCOFI;
			faults += step->kind != STEP_TRANSFER &&
				  is_page_fault(step->insn);
		}
	}
	report(believed && steps, name, "the log is a path through the code");
	whole = read_trace(argv[3]);
	report(whole, name, "the trace reads to its end");
	for (unsigned int i = 0; i < nr_threads; i++) {
		struct verdict verdict = { .tells = true, .joined = joined };

		judge_thread(stream_of(&threads[i]), &threads[i], SIZE_MAX, &verdict);
		add_verdict(&sum, &verdict);
	}
	for (unsigned int i = 0; i < nr_streams; i++) {
		jumps += streams[i].nr_jumps;
		for (uint32_t j = 0; j < streams[i].nr_jumps; j++)
			covered += streams[i].covered[j];
		insns += streams[i].nr_insns;
		for (uint64_t j = 0; j < streams[i].nr_insns; j++)
			held += streams[i].held[j];
		for (size_t j = 0; j < streams[i].nr; j++)
			told += streams[i].told[j];
	}
	printf("# %s: %" PRIu64 " samples of %" PRIu64 " interrupts, %u threads; %" PRIu64 " units, %" PRIu64 " of them broken or cut, %" PRIu64 " late\n",
	       name, sum.samples, samples, nr_threads, sum.units, sum.pieces, sum.late);
	printf("# %" PRIu64 " of %" PRIu64 " executed transfers are in the trace (%.1f %%), at most %" PRIu64 " in one unit\n",
	       covered, jumps, jumps ? 100.0 * covered / jumps : 0, sum.longest);
	printf("# %" PRIu64 " of %" PRIu64 " executed instructions are in the trace: %.6f\n",
	       held, insns, insns ? (double)held / insns : 0);
	printf("# page faults: %" PRIu64 " in the log, %" PRIu64 " of them in the trace with their address; %" PRIu64 " in units of the trace, %" PRIu64 " of them with an address; %" PRIu64 " of user code, %" PRIu64 " with an address\n",
	       faults, told, sum.faults, sum.with_addr, sum.user_faults,
	       sum.user_with_addr);
	if (sum.wrong)
		printf("# %" PRIu64 " units are not true\n", sum.wrong);
	whole = report(!sum.wrong && sum.units, name,
		       "each path was executed exactly so, with its events");
	report(sum.samples >= strtoull(argv[4], NULL, 0), name,
	       "there are as many samples as expected");
	report(sum.pieces <= strtoull(argv[5], NULL, 0), name,
	       "no path breaks without a reason");
	if (joined) {
		printf("# %" PRIu64 " units, %" PRIu64 " of them start though nothing was lost\n",
		       sum.units, sum.gaps);
		report(!sum.gaps, name, "there is no gap but where samples were lost");
	}
	if (least_faults)
		report(faults && told * 100 >= faults * least_faults, name,
		       "the page faults are there, each at its instruction with its address");
	if (least_addrs)
		report(sum.user_faults &&
		       sum.user_with_addr * 100 >= sum.user_faults * least_addrs,
		       name, "the page faults of user code that are there have their addresses");
	for (int i = 0; i < LIES; i++) {
		printf("# units with %s: %" PRIu64 " of %" PRIu64 " believed\n",
		       lies[i], sum.believed[i], sum.tried[i]);
		tried = tried && (sum.tried[i] || (i >= 3 && told < 500)) &&
			sum.believed[i] <= sum.tried[i] / 100;
	}
	report(whole && tried, name, "traces that are not true are told from those that are");
	printf("1..%u\n", nr_tests);
	return 0;
}
