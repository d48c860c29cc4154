// SPDX-License-Identifier: GPL-2.0-only
#include "timeline/timeline.h"
#include "base/array.h"
#include "base/text.h"
#include "image/demangle.h"
#include "origin/coverage.h"
#include "path/stitch.h"
#include "riscv/rv_insn.h"
#include "samples/shown.h"
#include "timeline/threads.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Why there is a gap. */
#define NOT_JOINED	"the samples are not known to overlap"

/* A function, or a binary where no function is known. */
struct function {
	const struct pd_dso *dso;
	const struct img_file *perf_map; /* of the process, where there is no file */
	uint64_t start;
	const char *name, *binary; /* as of path_code_symbol(), path_code_binary() */
	char *demangled; /* NULL: it is not */
};

struct timeline {
	struct samples *samples;
	enum timeline_axis axis;
	struct img_demangler *demangler; /* NULL: none is wanted, or there is none */
	struct path *path;
	struct path_stitch *stitch;
	struct timeline_threads threads;
	struct function *functions;
	size_t nr_functions, cap_functions;
	struct hash index;
	/* Of joined samples, in TIMELINE_TIME. */
	double ns, insns;
	struct shown shown;
	struct timeline_stats stats;
	bool failed, began;
	struct text text;
};

static const char *const axes[TIMELINE_NR_AXES] = { "instructions", "cycles", "time" };
static const char *const units[TIMELINE_NR_AXES] = { "instruction", "cycle", "ns" };

const char *timeline_axis_name(enum timeline_axis axis)
{
	return axes[axis];
}

/* --- functions --- */

/* Of one binary. Programs may make code at the same address, and each has a map of its own. */
static bool are_together(const struct function *a, const struct function *b)
{
	return a->dso == b->dso && a->perf_map == b->perf_map;
}

static uint32_t function_at(struct timeline *t, uint32_t pid, uint64_t pc)
{
	struct path_code *code = t->samples->code;
	const struct path_place place = path_code_place(code, pid, pc);
	struct function f = { .dso = place.dso, .perf_map = place.perf_map };
	uint64_t offset = 0;
	struct hash_slot *slot;
	uint32_t hash;
	bool known;

	known = path_code_symbol(code, &place, &f.name, &offset);
	f.start = known ? place.offset - offset : UINT64_MAX;
	hash = hash_u64(f.start + (uintptr_t)f.dso + (uintptr_t)f.perf_map);
	if (!hash_room(&t->index) || !array_room(&t->functions, t->nr_functions,
						 &t->cap_functions, sizeof(*t->functions))) {
		t->failed = true;
		return 0;
	}
	hash_for_each(&t->index, slot, hash) {
		const struct function *other = &t->functions[slot->number - 1];

		if (are_together(other, &f) && other->start == f.start)
			return slot->number - 1;
	}
	hash_put(&t->index, slot, hash, t->nr_functions);
	f.binary = path_code_binary(code, &place);
	if (known && t->demangler)
		f.demangled = img_demangle(t->demangler, f.name);
	t->functions[t->nr_functions] = f;
	return t->nr_functions++;
}

/* GCC splits functions: main.cold is a part of main. */
static bool is_part(const char *part, const char *whole)
{
	const size_t size = strlen(whole);

	return !strncmp(part, whole, size) && part[size] == '.';
}

static bool is_same(const struct timeline *t, uint32_t a, uint32_t b)
{
	const struct function *fa = &t->functions[a], *fb = &t->functions[b];

	return a == b || (are_together(fa, fb) &&
			  (is_part(fa->name, fb->name) || is_part(fb->name, fa->name)));
}

/* --- writing --- */

/* In microseconds, of which the unit of the axis is a thousandth. */
static void put_time(struct text *text, const char *name, uint64_t value)
{
	text_fmt(text, ",\"%s\":%" PRIu64 ".%03u", name, value / 1000,
		 (unsigned int)(value % 1000));
}

static void begin_event(struct timeline *t, const struct timeline_thread *thread,
			const char *phase, const char *name, uint64_t at)
{
	text_str(&t->text, t->began ? "," : "");
	text_line(&t->text);
	t->began = true;
	text_fmt(&t->text, "{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, phase,
		 thread->pid, thread->tid);
	text_json_str(&t->text, ",\"name\":", name);
	put_time(&t->text, "ts", at);
}

/* The innermost function ends here. */
static void pop(struct timeline *t, struct timeline_thread *thread)
{
	const struct timeline_frame *frame = &thread->v[--thread->nr];
	const struct function *f = &t->functions[frame->function];

	begin_event(t, thread, "X", f->demangled ?: f->name, frame->begun);
	put_time(&t->text, "dur", thread->now - frame->begun);
	text_json_str(&t->text, ",\"cat\":", f->binary);
	text_str(&t->text, "}");
	t->stats.calls++;
}

static void push(struct timeline *t, struct timeline_thread *thread, uint32_t function,
		 uint64_t begun)
{
	thread->lost = false;
	t->failed |= !timeline_push(thread, function, begun);
}

static void end_all(struct timeline *t, struct timeline_thread *thread)
{
	while (thread->nr)
		pop(t, thread);
}

/* What ran next is not known. Returns false if nothing was known before, either. */
static bool gap(struct timeline *t, struct timeline_thread *thread, const char *why)
{
	if (thread->lost)
		return false;
	thread->lost = true;
	end_all(t, thread);
	begin_event(t, thread, "i", "gap", thread->now);
	text_json_str(&t->text, ",\"s\":\"t\",\"args\":{\"why\":", why);
	text_str(&t->text, "}}");
	thread->tail = 0;
	t->stats.gaps++;
	return true;
}

/* --- transfers --- */

enum kind { JUMP, CALL, RETURN };

static enum kind kind_of(const struct path_run *run)
{
	struct rv_insn insn;

	if (run->end == PATH_END_TRAP)
		return CALL;
	if (run->end == PATH_END_TRAP_RETURN)
		return RETURN;
	if (rv_decode(&insn, run->code + run->size - run->source_size, run->source_size,
		      run->rv32 ? RV_RV32 : 0) < 0)
		return JUMP;
	if (rv_is_call(&insn))
		return CALL;
	return insn.xfer == RV_XFER_RETURN ? RETURN : JUMP;
}

/*
 * Back into a function that called. One that was not seen to be called has run since the
 * path began.
 */
static void come_back(struct timeline *t, struct timeline_thread *thread, uint32_t to)
{
	size_t i = thread->nr;

	while (i && !is_same(t, thread->v[i - 1].function, to))
		i--;
	if (!thread->nr) {
		push(t, thread, to, thread->began);
		return;
	}
	while (i && thread->nr > i)
		pop(t, thread);
	if (i)
		return;
	/* No function that is known to run: a coroutine, for instance. */
	pop(t, thread);
	push(t, thread, to, thread->now);
}

static void follow(struct timeline *t, struct timeline_thread *thread, enum kind kind,
		   uint64_t pc)
{
	const uint32_t to = function_at(t, thread->pid, pc);

	if (t->failed)
		return;
	if (kind == CALL) {
		push(t, thread, to, thread->now);
	} else if (kind == RETURN) {
		if (thread->nr)
			pop(t, thread);
		come_back(t, thread, to);
	} else if (!is_same(t, thread->v[thread->nr - 1].function, to)) {
		/* A tail call: it returns to who called this one. */
		pop(t, thread);
		push(t, thread, to, thread->now);
	}
}

/* --- samples --- */

/* A path as it goes on the axis. */
struct walk {
	struct timeline_thread *thread;
	const struct pd_event *ev;
	unsigned int nr_transfers;
	bool joined;
	uint64_t insns, done; /* in all, and so far */
	uint64_t from, to; /* TIMELINE_TIME: ns */
};

static uint64_t insns_of(const struct path_run *run)
{
	/* The interrupted one has not executed. */
	return run->nr_insns - (run->end == PATH_END_IP);
}

/*
 * How far a run leads by the cycles of its record. They are those since the record before,
 * of which a sample in between may have shown the first instructions.
 */
static uint64_t cycles_of(struct timeline *t, const struct walk *walk,
			  const struct path_run *run)
{
	struct timeline_thread *thread = walk->thread;
	const uint64_t tail = thread->tail;
	uint64_t cycles;

	if (!run->has_transfer) {
		thread->tail += insns_of(run);
		return insns_of(run);
	}
	thread->tail = 0;
	cycles = pd_branch_cycles(pd_branch_at(&walk->ev->sample,
					       walk->nr_transfers - 1 - run->transfer).flags);
	t->stats.timed += !!cycles;
	t->stats.untimed += !cycles;
	if (!cycles)
		return insns_of(run);
	return cycles > tail ? cycles - tail : 0;
}

static uint64_t advanced(struct timeline *t, const struct walk *walk,
			 const struct path_run *run)
{
	if (t->axis == TIMELINE_TIME)
		return walk->insns ? walk->from + (walk->to - walk->from) * walk->done / walk->insns :
				     walk->to;
	return walk->thread->now +
	       (t->axis == TIMELINE_CYCLES ? cycles_of(t, walk, run) : insns_of(run));
}

static void walk_run(struct timeline *t, struct walk *walk, const struct path_run *run,
		     bool first)
{
	struct timeline_thread *thread = walk->thread;
	uint64_t to;

	if (run->nr_insns && !run->connected && thread->nr && !thread->away)
		gap(t, thread,
		    first ? NOT_JOINED : "code and records do not fit");
	if (run->nr_insns && !thread->nr) {
		thread->began = thread->now;
		push(t, thread, function_at(t, thread->pid, run->pc), thread->now);
	} else if (run->nr_insns && !run->connected) {
		/* Back from the kernel, or in a handler of a signal. */
		follow(t, thread, JUMP, run->pc);
	}
	if (t->failed)
		return;
	thread->away &= !run->nr_insns;
	walk->done += insns_of(run);
	thread->now = advanced(t, walk, run);
	if (run->has_transfer && run->nr_insns) {
		to = path_transfers(t->path)[run->transfer].to;
		/* What runs in a mode that was not recorded comes back. */
		if (to)
			follow(t, thread, kind_of(run), to);
		else
			thread->away = true;
	}
	thread->away |= run->end == PATH_END_AWAY;
	if (t->failed || run->why == PATH_OK)
		return;
	if (run->why == PATH_NO_SOURCE || run->why == PATH_NO_TARGET) {
		thread->away = true;
		return;
	}
	if (gap(t, thread, path_break_text(run->why)) && run->why == PATH_UNKNOWN_CODE)
		t->stats.unknown[run->unknown]++;
}

/* When the path began, by the clock. */
static void set_times(struct timeline *t, struct walk *walk)
{
	const struct timeline_thread *thread = walk->thread;
	const uint64_t time = walk->ev->time == PD_NO_TIME ? 0 : walk->ev->time;
	double length = walk->insns;

	walk->to = time > thread->now ? time : thread->now;
	walk->from = thread->now;
	if (walk->joined) {
		t->ns += time - thread->sampled;
		t->insns += walk->insns;
		return;
	}
	if (t->insns)
		length *= t->ns / t->insns;
	if (length < (double)(walk->to - walk->from))
		walk->from = walk->to - (uint64_t)length;
}

/* Idle threads all have the numbers 0 and 0, so that the one of CPU N is N of process 0. */
static uint32_t track_of(const struct pd_event *ev)
{
	return ev->pid || ev->tid || ev->cpu == PD_NO_ID ? ev->tid : ev->cpu;
}

bool timeline_sample(struct timeline *t, const struct pd_event *ev)
{
	struct walk walk = { .ev = ev };
	struct path_stitched found;
	const struct path_run *runs;
	unsigned int i;
	int nr;

	if (!ev->sample.has_branches || !ev->sample.nr_branches)
		return true;
	if (!pd_attr_has_paths(ev->attr)) {
		t->stats.partial++;
		return true;
	}
	if (!samples_makes_path(t->samples, ev->attr)) {
		t->stats.again++;
		return true;
	}
	walk.thread = timeline_thread(&t->threads, ev->pid, track_of(ev));
	nr = walk.thread ? path_stitch_decode(t->stitch, t->path, ev,
					      samples_losses(t->samples), true, &found) :
			   PD_ENOMEM;
	if (nr < 0)
		return false;
	walk.joined = found.joined;
	walk.nr_transfers = found.nr_transfers;
	runs = path_runs(t->path);
	for (i = 0; i < (unsigned int)nr; i++)
		walk.insns += insns_of(&runs[i]);
	walk.thread->away &= walk.joined;
	if (t->axis == TIMELINE_TIME) {
		set_times(t, &walk);
		if (!walk.joined && walk.thread->nr) {
			gap(t, walk.thread, NOT_JOINED);
			walk.thread->now = walk.from;
		}
		if (!walk.thread->nr)
			walk.thread->now = walk.from;
	}
	for (i = 0; i < (unsigned int)nr; i++)
		walk_run(t, &walk, &runs[i], !i);
	walk.thread->sampled = ev->time;
	t->stats.samples++;
	t->stats.joined += walk.joined;
	t->stats.instructions += walk.insns;
	return shown_add(&t->shown, t->stitch, ev, walk.insns, walk.joined) && !t->failed;
}

/* --- the whole --- */

/* The name that it has at the end: a shell becomes a program. */
static void name_thread(struct timeline *t, const struct timeline_thread *thread)
{
	const char *name = comms_name(&t->samples->comms, thread->tid);
	char idle[32];

	if (!thread->pid) {
		snprintf(idle, sizeof(idle), "%s/%" PRIu32, comms_name(&t->samples->comms, 0),
			 thread->tid);
		name = idle;
	}
	if (!*name)
		return;
	begin_event(t, thread, "M", "thread_name", 0);
	text_json_str(&t->text, ",\"args\":{\"name\":", name);
	text_str(&t->text, "}}");
}

struct timeline *timeline_new(struct samples *samples, enum timeline_axis axis,
			      bool demangle, FILE *file)
{
	struct timeline *t = calloc(1, sizeof(*t));
	struct path_source source;

	if (!t)
		return NULL;
	t->samples = samples;
	t->axis = axis;
	t->text.file = file;
	samples->comms.named = true;
	path_code_show_names(samples->code);
	source = path_code_source(samples->code);
	t->path = path_new(&source);
	t->stitch = path_stitch_new(PATH_STITCH_AUTO, samples_depth(samples), samples->pd);
	if (!t->path || !t->stitch) {
		timeline_free(t);
		return NULL;
	}
	samples->task = path_stitch_task;
	samples->task_arg = t->stitch;
	if (demangle)
		t->demangler = img_demangler_new();
	text_str(&t->text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return t;
}

/* Of what ran; negative: not known. */
static double share_shown(struct timeline *t)
{
	const struct pd_attr *event = shown_event(t->samples);

	t->stats.older = t->shown.older;
	if (!event)
		return -1;
	t->stats.ran = samples_count(t->samples, event->index);
	t->stats.shown = shown_insns(&t->shown, t->samples, event);
	return origin_share(t->stats.shown, t->stats.ran);
}

/* Who opens the timeline does not see what was told when it was made. */
static void write_notes(struct timeline *t)
{
	struct notes notes = { 0 };

	samples_note_coverage(t->samples, &notes);
	samples_note(t->samples, &notes);
	text_json_dec(&t->text, ",\"lost\":", samples_lost(t->samples));
	notes_json(&notes, &t->text);
	notes_free(&notes);
}

bool timeline_end(struct timeline *t)
{
	size_t i;

	for (i = 0; i < t->threads.nr; i++) {
		end_all(t, &t->threads.v[i]);
		name_thread(t, &t->threads.v[i]);
	}
	text_line(&t->text);
	text_json_str(&t->text, "],\"otherData\":{\"unit\":", units[t->axis]);
	text_json_str(&t->text, ",\"recording\":", t->samples->path);
	text_json_dec(&t->text, ",\"gaps\":", t->stats.gaps);
	text_json_dec(&t->text, ",\"empty_samples\":", t->samples->empty);
	text_json_share(&t->text, ",\"coverage\":", share_shown(t));
	write_notes(t);
	text_str(&t->text, "}}");
	text_line(&t->text);
	text_flush(&t->text);
	return !t->failed;
}

const struct timeline_stats *timeline_stats(const struct timeline *t)
{
	return &t->stats;
}

void timeline_free(struct timeline *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr_functions; i++)
		free(t->functions[i].demangled);
	free(t->functions);
	hash_free(&t->index);
	timeline_threads_free(&t->threads);
	shown_free(&t->shown);
	img_demangler_free(t->demangler);
	t->samples->task = NULL;
	path_free(t->path);
	path_stitch_free(t->stitch);
	free(t);
}
