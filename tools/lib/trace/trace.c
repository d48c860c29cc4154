// SPDX-License-Identifier: GPL-2.0-only
#include "trace/trace.h"
#include "base/array.h"
#include "base/keeps.h"
#include "base/units.h"
#include "origin/coverage.h"
#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"
#include "side/history.h"
#include "trace/gather.h"
#include "trace/output.h"
#include "trace/rows.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct trace {
	struct trace_opts opts;
	struct samples *samples;
	struct error *error;
	struct path *path;
	struct path_stitch *stitch;
	struct outputs outputs;
	struct stf_header header; /* of each */
	struct side *side;
	struct masters masters;
	struct side_history *history;
	struct trap_notes notes; /* of the sample at work */
	struct outcome outcome;
	uint64_t wanted; /* samples that are to become paths */
	double used; /* of them, by the parts of each */
	uint32_t first_cpu; /* of those that became paths */
	bool several_cpus;
	const struct pd_attr *seen; /* the event that was looked at last */
	/* of the event that records windows; NULL: none */
	const struct pd_attr *windowed;
	struct windows windows;
	struct gather *gather;
	struct gather_stats gathered; /* when all is read */
	struct rows rows; /* the windows that are written */
	struct missing *missing; /* by struct pd_dso.id */
	size_t nr_missing;
	char why[1024]; /* not more could be used */
};

/* A file whose code is not known. */
struct missing {
	const struct img_file *file;
	uint64_t breaks;
};

/* A text for STF_E_*, which output's writer has. Returns 0 for none. */
static int check(const struct trace *t, const struct output *output, int error)
{
	if (!error)
		return 0;
	if (error == STF_E_NOMEM)
		return error_nomem(t->error);
	return error_set(t->error, ERROR_OUTPUT, "%s",
			 stf_writer_error(output->runs.writer));
}

/* The sample's path: the number of its runs, or ERROR_*. */
static int decode(struct trace *t, struct output *output,
		  const struct pd_event *ev, struct path_stitched *found)
{
	/* Where another thread was written meanwhile, it starts anew. */
	const bool same = output->pid == ev->pid && output->tid == ev->tid;
	int nr = check(t, output, output_flush(output));

	if (nr)
		return nr;
	run_process(&output->runs, ev->cpu, ev->pid, ev->tid);
	nr = path_stitch_decode(t->stitch, t->path, ev,
				samples_losses(t->samples), same, found);
	if (nr < 0)
		return error_nomem(t->error);
	t->outcome.ambiguous += found->ambiguous;
	t->outcome.joined += found->joined;
	t->outcome.new_transfers += found->nr_new;
	output->pid = ev->pid;
	output->tid = ev->tid;
	return nr;
}

/* The output that a sample or a side event belongs to. NULL: out of memory. */
static struct output *output_of(struct trace *t, const struct pd_event *ev)
{
	const uint32_t keys[] = { 0, ev->cpu, ev->tid };
	struct output *output = outputs_get(&t->outputs, keys[t->opts.split]);

	if (!output)
		error_nomem(t->error);
	return output;
}

/* An access of another hart, if its instruction says which. 0 or ERROR_*. */
static int take_access(struct trace *t, const struct pd_event *ev, uint64_t pc,
		       uint64_t addr)
{
	struct path_source source = path_code_source(t->samples->code);
	struct rv_mem mem = { RV_MEM_NONE, 0 };
	struct output *output = output_of(t, ev);
	struct path_window window;
	uint32_t opcode = 0;

	if (!output)
		return ERROR_NOMEM;
	if (source.code(source.arg, ev->pid, pc, &window) == IMG_OK &&
	    window.size - (pc - window.start) >= 4) {
		memcpy(&opcode, window.code + (pc - window.start), 4);
		mem = rv_mem_of(opcode, rv_insn_size(opcode), window.rv32 ? RV_RV32 : 0);
	}
	if (mem.way == RV_MEM_NONE || !mem.bytes) {
		t->outcome.unknown_accesses++;
		return 0;
	}
	if (!masters_add_hart(&output->queue, ev->cpu, addr,
			      mem.way == RV_MEM_LOAD ? STF_ACCESS_READ :
						       STF_ACCESS_WRITE,
			      mem.bytes))
		return 0;
	return error_nomem(t->error);
}

static int take_dma(struct trace *t, const struct pd_event *ev,
		    const struct side_dma *dma)
{
	struct output *output = output_of(t, ev);

	if (!output)
		return ERROR_NOMEM;
	if (!masters_add_dma(&t->masters, &output->queue, dma))
		return 0;
	return error_nomem(t->error);
}

/* The path of the thread's last sample may wait for it. 0 or ERROR_NOMEM. */
static int take_fault(struct trace *t, const struct pd_event *ev,
		      const struct side_fault *fault)
{
	struct output *output = output_of(t, ev);

	if (!output)
		return ERROR_NOMEM;
	if (output->pid != ev->pid || output->tid != ev->tid)
		return 0;
	return output_fault(output, fault) ? ERROR_NOMEM : 0;
}

/* No path goes through it. 0 or ERROR_NOMEM. */
static int take_signal(struct trace *t, const struct pd_event *ev,
		       const struct side_signal *side)
{
	const struct path_signal signal = { side->pc, side->handler };

	if (!signal.handler)
		return 0;
	t->outcome.signals++;
	return path_stitch_signal(t->stitch, ev, &signal) ? error_nomem(t->error) : 0;
}

/* See side_regs(): of harts of 32 bits, no register is known. */
static bool lacks_regs(const struct trace *t, const struct pd_attr *attr)
{
	const bool has = attr->sample_type & PERF_SAMPLE_REGS_USER &&
			 (uint32_t)attr->sample_regs_user == UINT32_MAX;

	return !has && !t->header.iem;
}

static bool is_elsewhere(const struct trace *t, const struct pd_event *ev)
{
	return t->opts.primary_cpu != PD_NO_ID && ev->cpu != t->opts.primary_cpu;
}

/*
 * Keep what the sample says of the time beside its stack, and of memory. 0 or
 * ERROR_NOMEM.
 */
static int take_side_event(struct trace *t, const struct pd_event *ev)
{
	const bool addressed = ev->attr->sample_type & PERF_SAMPLE_ADDR &&
			       ev->sample.addr;
	struct side_event side;

	if (!side_read(t->side, ev, &side)) {
		if (addressed && is_elsewhere(t, ev))
			return take_access(t, ev, ev->sample.ip,
					   ev->sample.addr);
		t->outcome.no_stack++;
		return 0;
	}
	t->outcome.asides++;
	if (side.kind == SIDE_DMA)
		return take_dma(t, ev, &side.dma);
	if (side.kind == SIDE_FAULT && is_elsewhere(t, ev))
		return take_access(t, ev, side.fault.pc, side.fault.addr);
	t->outcome.told_faults += side.kind == SIDE_FAULT;
	t->outcome.lacks_regs |= side.kind == SIDE_FAULT && lacks_regs(t, ev->attr);
	/* They are assigned to the path by their order, so that none may be missing. */
	if (side_extent(t->side, side.kind) != SIDE_ALL_EVENTS ||
	    (side.kind == SIDE_SYSCALL_END &&
	     side_extent(t->side, SIDE_SYSCALL) != SIDE_ALL_EVENTS))
		return 0;
	if (side.kind == SIDE_SIGNAL)
		return take_signal(t, ev, &side.signal);
	if (side.kind == SIDE_FAULT && take_fault(t, ev, &side.fault))
		return error_nomem(t->error);
	if (side_history_add(t->history, ev->tid, &side, samples_losses(t->samples)))
		return error_nomem(t->error);
	return 0;
}

static int match_traps(struct trace *t, const struct pd_event *ev,
		       unsigned int nr_runs, unsigned int nr_transfers,
		       bool joined)
{
	const struct rv_regs none = { .known = 0 };
	struct side_thread *thread =
		side_history_find(t->history, ev->tid, samples_losses(t->samples));
	enum side_level level = SIDE_AHEAD;
	struct trap_path path = {
		.runs = path_runs(t->path),
		.nr_runs = nr_runs,
		.transfers = path_transfers(t->path),
		.nr_transfers = nr_transfers,
		.ip = ev->sample.ip,
		.kernel = pd_attr_has_kernel_branches(ev->attr),
		.joined = joined,
		.now = side_regs(&ev->sample),
		.before = thread ? thread->regs : none,
	};

	path.after = path_next(t->path)->pc == ev->sample.ip ? path.now : none;
	if (traps_match(&t->notes, &path, thread,
			side_extent(t->side, SIDE_SYSCALL_END) == SIDE_ALL_EVENTS))
		return error_nomem(t->error);
	if (t->notes.missed_syscall)
		side_history_miss(thread);
	if (!path_is_kernel(ev->sample.ip))
		level = SIDE_USER;
	else if (t->notes.level)
		level = SIDE_LEVEL;
	if (side_extent(t->side, SIDE_SYSCALL) == SIDE_ALL_EVENTS &&
	    side_history_count(t->history, ev->tid, samples_losses(t->samples), level))
		return error_nomem(t->error);
	t->outcome.lacks_regs |= lacks_regs(t, ev->attr);
	t->outcome.uncertain_syscalls |= t->notes.uncertain_syscalls;
	t->outcome.open_faults += t->notes.open_faults;
	t->outcome.apart_faults += t->notes.apart_faults;
	t->outcome.early_faults += t->notes.early_faults;
	if (side_has(t->side, SIDE_FAULT) &&
	    side_history_sample(t->history, ev->tid, samples_losses(t->samples),
				t->notes.later_faults, &path.after))
		return error_nomem(t->error);
	return 0;
}

/* TRACE.zstf becomes TRACE.cpu3.zstf, or TRACE.tid17.zstf. NULL: no memory. */
static char *path_of(const struct trace *t, uint32_t key)
{
	const size_t stem = tracefile_stem(t->opts.path);
	char *path;

	if (t->opts.split == TRACE_SPLIT_NONE)
		return strdup(t->opts.path);
	if (asprintf(&path, "%.*s.%s%" PRIu32 "%s", (int)stem, t->opts.path,
		     t->opts.split == TRACE_SPLIT_CPU ? "cpu" : "tid", key,
		     t->opts.path + stem) < 0)
		return NULL;
	return path;
}

/* What of the recording the trace can hold, if not all. */
static bool add_part(const struct trace *t, struct output *output)
{
	const char *what = t->opts.split == TRACE_SPLIT_THREAD ? "in thread" :
								 "on hart";
	const bool filtered = samples_selects(t->samples->opts);

	if (t->opts.split || t->opts.primary_cpu != PD_NO_ID)
		return about_add(
			&output->about,
			"a part of the recording: what ran %s %" PRIu32 "%s",
			what, t->opts.split ? output->key : t->opts.primary_cpu,
			filtered ? ", and of that what options select" : "");
	return !filtered || about_add(&output->about,
				      "a part of the recording: what options select");
}

/* At the first sample, because a pipe may tell of its origin late. */
static bool add_comments(const struct trace *t, struct output *output)
{
	const struct pd *pd = t->samples->pd;
	struct about *about = &output->about;

	return about_add(about, "ssctr %s stf, from %s", SSCTR_VERSION,
			 t->samples->path) &&
	       about_add(about,
			 "sampled branch records (Ssctr, perf) of %s, Linux %s, %s",
			 pd_text(pd, PD_HOSTNAME), pd_text(pd, PD_OSRELEASE),
			 pd_text(pd, PD_ARCH)) &&
	       add_part(t, output) &&
	       (!(side_has(t->side, SIDE_DMA) || t->opts.primary_cpu != PD_NO_ID) ||
		about_add(about, "%s", masters_legend)) &&
	       about_recording(about, t->samples);
}

/* What the header says, and where the code of these runs is. 0 or ERROR_NOMEM. */
static int describe(const struct trace *t, struct output *output, uint32_t pid,
		    const struct path_run *runs, unsigned int nr_runs)
{
	if (!output->about.nr) {
		output->runs.header = t->header;
		if (!add_comments(t, output))
			return error_nomem(t->error);
		output->runs.header.comments = output->about.v;
	}
	return about_runs(&output->map, &output->runs.tell, t->samples, pid,
			  runs, nr_runs) ?
		       0 : error_nomem(t->error);
}

static int open_trace(struct trace *t, struct output *output)
{
	struct stf_writer_opts opts = { .size = sizeof(opts) };
	int ret;

	/* Each of several compresses in a thread of its own. */
	if (t->opts.split != TRACE_SPLIT_NONE)
		opts.threads = 1;
	output->path = path_of(t, output->key);
	if (!output->path)
		return error_nomem(t->error);
	ret = keeps_input("-o", output->path, t->samples->path, t->error);
	if (ret)
		return ret;
	output->runs.masters = &t->masters;
	ret = tracefile_open(&output->file, output->path, &opts, t->error);
	output->runs.writer = output->file.writer;
	return ret;
}

/* Write a path's runs; the end is held back until more is told of it. */
static int write_runs(struct trace *t, struct output *output,
		      const struct pd_event *ev, unsigned int nr,
		      unsigned int nr_transfers)
{
	struct output_path path = {
		.event = ev->attr->index,
		.runs = path_runs(t->path),
		.nr_runs = nr,
		.transfers = path_transfers(t->path),
		.nr_transfers = nr_transfers,
		.notes = &t->notes,
	};
	unsigned int held;
	int ret = 0;

	if (!output->runs.writer)
		ret = open_trace(t, output);
	if (!ret)
		ret = describe(t, output, ev->pid, path.runs, nr);
	if (ret)
		return ret;
	/* Behind the last one with instructions there may be breaks. */
	while (path.nr_runs && !path.runs[path.nr_runs - 1].nr_insns)
		path.nr_runs--;
	held = t->notes.pending.pc ? t->notes.pending.run :
				     path.nr_runs - !!path.nr_runs;
	return check(t, output, output_path(output, &path, held));
}

/* Code that is not known is some file's, as a rule. False: out of memory. */
static bool count_missing(struct trace *t, const struct pd_event *ev,
			  uint64_t pc)
{
	const struct path_place place =
		path_code_place(t->samples->code, ev->pid, pc);
	const struct pd_dso *dso = place.dso;

	/* The kernel's is in no file of its mappings. */
	if (!dso || path_is_kernel(pc))
		return true;
	if (!array_cover(&t->missing, dso->id, &t->nr_missing,
			 sizeof(*t->missing)))
		return false;
	t->missing[dso->id].file = img_file(t->samples->img, dso->name,
					    dso->build_id, dso->build_id_size);
	t->missing[dso->id].breaks++;
	return t->missing[dso->id].file;
}

/* Where a mode was not recorded, or a signal came, nothing was to be had. */
static bool is_missing(enum path_break why)
{
	return why != PATH_OK && why != PATH_NO_SOURCE && why != PATH_NO_TARGET &&
	       why != PATH_SIGNAL && why != PATH_SIGNAL_RETURN;
}

/* 0 or ERROR_NOMEM. */
static int count_runs(struct trace *t, struct output *output,
		      const struct pd_event *ev, unsigned int nr, bool joined)
{
	const struct path_run *runs = path_runs(t->path);
	unsigned int i, breaks = 0, missing = 0;
	uint64_t insns = 0;

	for (i = 0; i < nr; i++) {
		const struct path_run *run = &runs[i];

		/* The interrupted one has not executed. */
		insns += run->nr_insns - (run->end == PATH_END_IP);
		t->outcome.transfers += run->has_transfer;
		if (run->end == PATH_END_AWAY)
			t->outcome.away++;
		if (run->why == PATH_OK)
			continue;
		breaks++;
		missing += is_missing(run->why);
		t->outcome.breaks[run->why]++;
		if (run->why == PATH_UNKNOWN_CODE) {
			t->outcome.unknown[run->unknown]++;
			if (!count_missing(t, ev, run->pc))
				return error_nomem(t->error);
		}
		if (t->opts.on_break)
			t->opts.on_break(t->opts.arg, ev, run);
	}
	t->outcome.unbroken += !breaks;
	t->used += nr ? 1 - (double)missing / nr : 1;
	return shown_add(&output->shown, t->stitch, ev, insns, joined) ? 0 :
									 error_nomem(t->error);
}

static double share_used(const struct trace *t)
{
	return t->wanted ? t->used / t->wanted : 1;
}

/* --- windows --- */

/* The first instruction of a window names it. */
static int write_window(void *arg, const struct gathered *window)
{
	struct trace *t = arg;
	struct output *output = outputs_get(&t->outputs, 0);
	struct run_writer *out = &output->runs;
	char text[128];
	size_t i;
	int ret = 0;

	snprintf(text, sizeof(text),
		 TRACE_WINDOW "%zu: weight %" PRIu64 ", place %" PRIu64 ", thread %" PRIu32,
		 t->rows.nr, window->weight, window->place, window->tid);
	if (!rows_add(&t->rows, out->insns, window))
		return error_nomem(t->error);
	run_process(out, window->cpu, window->pid, window->tid);
	out->comment = text;
	for (i = 0; i < window->nr_runs && !ret; i++) {
		const struct run what = { .run = &window->runs[i],
					  .transfers = window->transfers };

		ret = check(t, output, run_write(out, &what, &output->queue));
	}
	out->comment = NULL;
	return ret;
}

/* Returns whether the event records windows. The name of an event may come late. */
static int find_windows(struct trace *t, const struct pd_attr *attr)
{
	unsigned int period;

	t->seen = attr;
	if (t->windowed || !windows_read_name(&t->windows, &period, attr->name))
		return 0;
	if (t->opts.split || t->opts.primary_cpu != PD_NO_ID)
		return error_set(t->error, ERROR_USAGE,
				 "%s: a recording of windows; --split and --primary-cpu cannot be used with it",
				 t->samples->path);
	t->windowed = attr;
	t->gather = gather_new(&t->windows, period, samples_depth(t->samples), write_window, t);
	return t->gather ? 0 : error_nomem(t->error);
}

static int take_window_sample(struct trace *t, const struct pd_event *ev)
{
	struct output *output = output_of(t, ev);
	unsigned int nr = 0;
	int ret;

	if (!output)
		return ERROR_NOMEM;
	ret = gather_sample(t->gather, t->path, ev, samples_losses(t->samples), &nr);
	if (ret == PD_ENOMEM)
		return error_nomem(t->error);
	if (ret || !nr)
		return ret;
	ret = describe(t, output, ev->pid, path_runs(t->path), nr);
	if (ret)
		return ret;
	t->wanted++;
	t->outcome.used++;
	/* Windows do not overlap. */
	return count_runs(t, output, ev, nr, true);
}

/* The kernel's count, of the thread that was followed or of the hart. */
static uint64_t count_windowed(void *arg, uint32_t cpu, uint32_t tid)
{
	const struct trace *t = arg;
	const struct coverage *c = &t->samples->coverage;
	const struct coverage_part *part =
		coverage_find(c, COVERAGE_THREAD, t->windowed->index, tid);

	if (!part || !part->counted)
		part = coverage_find(c, COVERAGE_HART, t->windowed->index, cpu);
	return part && part->counted ? part->count : 0;
}

/* The threads or CPUs, whichever were recorded, that executed something. */
static uint64_t count_executing(const struct trace *t, enum coverage_kind kind)
{
	const struct coverage *c = &t->samples->coverage;
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < c->nr_parts; i++)
		nr += c->parts[i].kind == kind && c->parts[i].event == t->windowed->index &&
		      c->parts[i].counted && c->parts[i].count;
	return nr;
}

/* Where not even the first place was reached, there is no sample. The counts tell of it. */
static void add_bare(struct trace *t, struct gather_stats *stats)
{
	const uint64_t ran = samples_count(t->samples, t->windowed->index);
	const uint64_t known = stats->insns + stats->bare_insns;
	const uint64_t executing = count_executing(t, COVERAGE_THREAD) ?:
					   count_executing(t, COVERAGE_HART);

	/* The options may leave out whole threads. */
	if (t->samples->filtered || ran <= known)
		return;
	stats->bare_insns += ran - known;
	stats->bare = executing > stats->sources ? executing - stats->sources : 1;
}

#define SHALLOW                                                                         \
	"more branches than a sample shows were taken between two samples; record with a " \
	"larger --depth, or without it"

static const char *why_missing(const struct trace *t)
{
	if (samples_were_dropped(t->samples))
		return "the output of the recorder took no more; " SAMPLES_ROOM;
	if (samples_lost(t->samples))
		return "samples are missing; record with larger ring buffers (-m)";
	if (pd_stats(t->samples->pd)->throttled)
		return "the kernel throttled the sampling; record with a larger --depth, or raise kernel.perf_event_max_sample_rate";
	return "the counter interrupted late, or not at all, as emulated counters do; emulate with --icount";
}

static const char *why_incomplete(const struct trace *t, enum gather_hole hole)
{
	switch (hole) {
	case GATHER_MISSING:
		return why_missing(t);
	case GATHER_SIGNAL:
		return "signals arrived in them; record shorter windows (--windows)";
	case GATHER_BROKEN:
		return t->why;
	case GATHER_SHALLOW:
		return SHALLOW;
	case GATHER_SWITCH:
		return "other threads ran in them; record shorter windows (--windows)";
	default:
		return "what was recorded ended in them; record shorter windows (--windows)";
	}
}

/* No window is complete: why, of how many of them, most of them first. */
static int none_is_complete(const struct trace *t)
{
	const struct gather_stats *stats = &t->gathered;
	uint64_t holes[GATHER_NR_HOLES];
	char why[sizeof(t->error->text)] = "";
	unsigned int i, worst;
	int n = 0;

	memcpy(holes, stats->holes, sizeof(holes));
	for (;;) {
		for (i = worst = 0; i < GATHER_NR_HOLES; i++)
			if (holes[i] > holes[worst])
				worst = i;
		if (!holes[worst] || n >= (int)sizeof(why))
			break;
		if (holes[worst] == stats->incomplete)
			n = snprintf(why, sizeof(why), ", because %s", why_incomplete(t, worst));
		else
			n += snprintf(why + n, sizeof(why) - n, "%s %" PRIu64 " because %s",
				      n ? ";" : ":", holes[worst], why_incomplete(t, worst));
		holes[worst] = 0;
	}
	return error_set(t->error, ERROR_NOTHING, "%s: none of %" PRIu64 " windows is complete%s",
			 t->samples->path, stats->begun, why);
}

static int end_windows(struct trace *t)
{
	struct gather_stats *stats = &t->gathered;
	int ret;

	if (!t->gather)
		return 0;
	ret = gather_end(t->gather, count_windowed);
	*stats = *gather_stats(t->gather);
	add_bare(t, stats);
	if (!ret && !stats->begun)
		return error_set(t->error, ERROR_NOTHING,
				 "%s: the recording has no window, because what was recorded ended before the first one",
				 t->samples->path);
	return !ret && !stats->complete ? none_is_complete(t) : ret;
}

/* All is written before the trace gets its name, and the name comes after that. */
static int write_rows(struct trace *t)
{
	if (!t->gather)
		return 0;
	return rows_write(&t->rows, t->opts.path, &t->windows, &t->gathered, t->error);
}

static void note_windows(const struct trace *t, struct notes *notes)
{
	const struct gather_stats *stats = &t->gathered;
	const uint64_t shallow = stats->holes[GATHER_SHALLOW];

	notes_add(notes, stats->complete,
		  "windows of %" PRIu64 " instructions, which stand for %" PRIu64,
		  t->windows.size, stats->insns);
	/* Behind the last window there may be a part of an interval. */
	if (stats->incomplete || stats->lent >= t->windows.every)
		notes_count(notes, stats->lent,
			    "of these instructions, %.1f %%, ran in intervals without a complete window, so the weights are right only if the complete windows are like them",
			    units_percent((double)stats->lent / (double)stats->insns));
	notes_count(notes, shallow, "windows left out, because " SHALLOW);
	notes_count(notes, stats->incomplete - shallow,
		    "windows left out, because they have a hole or the program ended");
	notes_count(notes, stats->bare_insns,
		    "instructions for which no window stands, of %" PRIu64
		    " threads or CPUs without a complete window; record with a smaller EVERY or larger ring buffers (-m)",
		    stats->bare);
}

int trace_sample(struct trace *t, const struct pd_event *ev)
{
	struct path_stitched found;
	struct output *output;
	int nr, ret;

	if (ev->attr != t->seen) {
		ret = find_windows(t, ev->attr);
		if (ret)
			return ret;
	}
	if (ev->attr == t->windowed)
		return take_window_sample(t, ev);
	if (!ev->sample.has_branches)
		return take_side_event(t, ev);
	if (!pd_attr_has_paths(ev->attr)) {
		t->outcome.partial++;
		return 0;
	}
	if (!samples_makes_path(t->samples, ev->attr)) {
		t->outcome.again++;
		return 0;
	}
	if (is_elsewhere(t, ev)) {
		t->outcome.not_primary++;
		return 0;
	}
	t->wanted++;
	if (!ev->sample.nr_branches) {
		t->outcome.empty++;
		return 0;
	}
	output = output_of(t, ev);
	if (!output)
		return ERROR_NOMEM;
	nr = decode(t, output, ev, &found);
	if (nr < 0)
		return nr;
	ret = match_traps(t, ev, nr, found.nr_transfers, found.joined);
	if (ret)
		return ret;
	if (!t->outcome.used)
		t->first_cpu = ev->cpu;
	t->several_cpus |= ev->cpu != t->first_cpu;
	t->outcome.used++;
	return write_runs(t, output, ev, nr, found.nr_transfers) ?:
		       count_runs(t, output, ev, nr, found.joined);
}

/* The file whose code is missed most, as one line; NULL: none. */
static const char *most_missing(const struct trace *t)
{
	const char *text = NULL;
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < t->nr_missing; i++) {
		const struct missing *m = &t->missing[i];

		if (m->breaks <= most || !*img_file_error(m->file))
			continue;
		most = m->breaks;
		text = img_file_error(m->file);
	}
	return text;
}

/* What most of that comes from that could not be used. */
static void find_why(struct trace *t)
{
	const struct outcome *outcome = &t->outcome;
	const char *begin = "", *what = "all branch stacks are empty", *end = "";
	uint64_t most = outcome->empty, files = 0;
	unsigned int i;

	if (outcome->used)
		what = "branch stacks are empty";
	for (i = PATH_OK + 1; i < PATH_NR_BREAKS; i++) {
		if (i == PATH_UNKNOWN_CODE || !is_missing(i) ||
		    outcome->breaks[i] <= most)
			continue;
		most = outcome->breaks[i];
		begin = "code and records do not fit (";
		what = path_break_text(i);
		end = ")";
	}
	for (i = 0; i < IMG_NR_STATES; i++) {
		if (i >= IMG_MISSING && i <= IMG_BUILD_ID)
			files += outcome->unknown[i];
		if (outcome->unknown[i] <= most)
			continue;
		most = outcome->unknown[i];
		begin = "the code is not known: ";
		what = img_state_text(i);
		end = "";
	}
	if (files >= most && most_missing(t)) {
		begin = end = "";
		what = most_missing(t);
	}
	snprintf(t->why, sizeof(t->why), "%s%s%s", begin, what, end);
}

/* Why there is no instruction at all. */
static int nothing(const struct trace *t)
{
	const struct outcome *outcome = &t->outcome;
	char why[256];

	if (t->wanted)
		return error_set(t->error, ERROR_PARTIAL,
				 "%s: none of %" PRIu64 " samples could be used: %s",
				 t->samples->path, t->wanted, t->why);
	if (outcome->partial)
		return error_set(
			t->error, ERROR_NOTHING,
			"%s: the branch filter leaves out branches, so paths cannot be found; record with `perf record -b COMMAND`",
			t->samples->path);
	if (outcome->not_primary)
		return error_set(
			t->error, ERROR_NOTHING,
			"%s: no samples that the options select: %" PRIu64
			" are of other CPUs than %" PRIu32 " (--primary-cpu)",
			t->samples->path, outcome->not_primary, t->opts.primary_cpu);
	return error_set(t->error, ERROR_NOTHING, "%s: no samples%s",
			 t->samples->path,
			 samples_none(t->samples, why, sizeof(why)));
}

/* To tell harts apart the samples have to say theirs. */
static int check_cpus(const struct trace *t)
{
	if (t->opts.split != TRACE_SPLIT_CPU && t->opts.primary_cpu == PD_NO_ID)
		return 0;
	return samples_check_cpus(t->samples, t->error);
}

/* Write what is held back. 0 or ERROR_*. */
static int end_traces(struct trace *t)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < t->outputs.nr && !ret; i++) {
		struct output *output = t->outputs.v[i];

		if (output->runs.writer)
			ret = check(t, output, output_end(output));
		else
			output->left_out += output->queue.nr;
	}
	return ret;
}

/* The kernel's count of what the trace is of: of all, a hart or a thread. 0: not known. */
static uint64_t count_of(const struct trace *t, const struct output *output,
			 const struct pd_attr *event)
{
	static const enum coverage_kind kinds[] = {
		COVERAGE_EVENT, COVERAGE_HART, COVERAGE_THREAD
	};
	enum coverage_kind kind = kinds[t->opts.split];
	uint32_t number = output->key;
	const struct coverage_part *part;

	if (t->opts.primary_cpu != PD_NO_ID) {
		kind = COVERAGE_HART;
		number = t->opts.primary_cpu;
	}
	if (kind == COVERAGE_EVENT)
		return samples_count(t->samples, event->index);
	/* Nobody counted what of a hart or thread the options select. */
	if (t->samples->filtered)
		return 0;
	part = coverage_find(&t->samples->coverage, kind, event->index, number);
	return coverage_share(part) < 0 ? 0 : part->count;
}

/* What ran where the traces are from, and which part of it they hold. */
static void sum_up(struct trace *t)
{
	const struct pd_attr *event = shown_event(t->samples);
	unsigned int i;

	if (!event)
		return;
	for (i = 0; i < t->outputs.nr; i++)
		t->outcome.held += shown_insns(&t->outputs.v[i]->shown, t->samples, event);
	t->outcome.ran = t->opts.primary_cpu == PD_NO_ID ?
				 samples_count(t->samples, event->index) :
				 count_of(t, t->outputs.v[0], event);
}

/* So that it stays with each trace. ssctr info reads it. */
static int write_coverage(struct trace *t)
{
	const struct pd_attr *event = shown_event(t->samples);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < t->outputs.nr && !ret; i++) {
		struct output *output = t->outputs.v[i];
		const uint64_t count = event ? count_of(t, output, event) : 0;
		struct origin_coverage held = { .share = -1,
						.repeated = (int64_t)output->shown.older };
		char text[128];

		if (!output->runs.started || (!count && !held.repeated))
			continue;
		if (count)
			held.share = origin_share(
				shown_insns(&output->shown, t->samples, event), count);
		origin_write_coverage(text, sizeof(text), &held, count);
		ret = check(t, output,
			    stf_write_comment(output->runs.writer, text));
	}
	return ret;
}

/* Complete the traces, each under its name. 0 or ERROR_*. */
static int close_traces(struct trace *t)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < t->outputs.nr && !ret; i++) {
		struct output *output = t->outputs.v[i];

		/* One of which no code is known is no trace. */
		if (output->runs.started)
			ret = tracefile_close(&output->file, true, t->error);
	}
	return ret;
}

static bool has_instructions(const struct trace *t)
{
	unsigned int i;

	for (i = 0; i < t->outputs.nr; i++)
		if (t->outputs.v[i]->runs.started)
			return true;
	return false;
}

static int begin(struct trace *t)
{
	const struct pd *pd = t->samples->pd;
	struct path_source source;
	struct output *output;
	int ret = check_cpus(t) ?: rows_name(&t->rows, t->opts.windows_path, t->opts.path,
					    t->samples->path, t->error);

	if (ret)
		return ret;
	source = path_code_source(t->samples->code);
	t->path = path_new(&source);
	t->stitch = path_stitch_new(t->opts.stitch, samples_depth(t->samples), t->samples->pd);
	t->history = side_history_new();
	ret = side_new(&t->side, t->samples->pd);
	if (ret == PD_ECORRUPT)
		return error_set(
			t->error, ERROR_INPUT,
			"%s: the formats of its tracepoints are damaged",
			t->samples->path);
	if (ret || !t->path || !t->stitch || !t->history)
		return error_nomem(t->error);
	t->samples->task = path_stitch_task;
	t->samples->task_arg = t->stitch;
	if (!strncmp(pd_text(pd, PD_ARCH), "riscv32", 7))
		t->header.iem = STF_IEM_RV32;
	if (t->opts.split != TRACE_SPLIT_NONE)
		return 0;
	/* What cannot be written is told before all is read. */
	output = outputs_get(&t->outputs, 0);
	return output ? open_trace(t, output) : error_nomem(t->error);
}

struct trace *trace_open(const struct trace_opts *opts, struct samples *samples,
			 struct error *error)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t) {
		error_nomem(error);
		return NULL;
	}
	t->opts = *opts;
	t->samples = samples;
	t->error = error;
	t->header = (struct stf_header){
		.size = sizeof(t->header),
		.generator = opts->generator,
		.gen_text = "ssctr stf " SSCTR_VERSION,
		.features = STF_FEATURE_EVENT | STF_FEATURE_SAMPLING |
			    STF_FEATURE_PROCESS_ID,
	};
	if (!begin(t))
		return t;
	trace_free(t);
	return NULL;
}

int trace_close(struct trace *t)
{
	int ret;

	find_why(t);
	ret = end_windows(t) ?: end_traces(t);
	if (!ret)
		ret = has_instructions(t) ?
			      samples_check_used(t->samples->opts,
						 t->samples->path, t->wanted,
						 share_used(t), t->why,
						 t->error) :
			      nothing(t);
	if (!ret && !t->gather) {
		sum_up(t);
		ret = write_coverage(t);
	}
	return ret ?: write_rows(t) ?: close_traces(t) ?: rows_close(&t->rows, true, t->error);
}

bool trace_lacks_table(const struct trace *t, struct error *why)
{
	struct stat st;

	if (t->gather || !t->rows.path)
		return false;
	if (!stat(t->rows.path, &st) && S_ISREG(st.st_mode))
		error_set(why, ERROR_NOTHING,
			  "%s: do not use it with this trace, because the recording has no windows",
			  t->rows.path);
	else if (t->opts.windows_path)
		error_set(why, ERROR_NOTHING,
			  "--windows-file %s: not written, because the recording has no windows",
			  t->rows.path);
	else
		return false;
	return true;
}

void trace_note(const struct trace *t, struct notes *notes)
{
	struct outcome outcome = t->outcome;
	size_t i;

	outcome.left_out = t->masters.left_out;
	outcome.unknown_memory = t->masters.unknown;
	/* What one CPU wrote is in the file in its order. */
	if (!samples_have(t->samples, PERF_SAMPLE_TIME) &&
	    (t->several_cpus || t->first_cpu == PD_NO_ID))
		outcome.unordered = outcome.used;
	outcome.has_signals = side_extent(t->side, SIDE_SIGNAL);
	outcome.has_faults = side_extent(t->side, SIDE_FAULT);
	outcome.has_syscalls = side_history_missed(t->history) ?
					SIDE_SOME_EVENTS :
					side_extent(t->side, SIDE_SYSCALL);
	for (i = 0; i < t->outputs.nr; i++) {
		const struct output *output = t->outputs.v[i];

		outcome.insns += output->runs.insns + output->runs.faulted;
		outcome.interrupted += output->runs.interrupted;
		outcome.older += output->shown.older;
		/* On a machine of 32 bits, all have as many. */
		if (!t->header.iem)
			outcome.misread += output->runs.misread;
		outcome.faults += output->runs.faults;
		outcome.bare_faults += output->runs.bare_faults;
		outcome.syscalls += output->runs.syscalls;
		outcome.unknown_syscalls += output->runs.unknown_syscalls;
		outcome.guessed_causes += output->runs.guessed_causes;
		outcome.accesses += output->runs.accesses;
		outcome.left_out += output->left_out;
		outcome.untold += output->runs.tell.maps.files_full;
	}
	if (t->gather) {
		note_windows(t, notes);
		outcome.used = t->gathered.samples;
		outcome.transfers = t->gathered.transfers;
	}
	outcome.never_joined = t->opts.stitch == PATH_STITCH_NEVER;
	outcome.windows = t->gather;
	outcome.remedy = samples_loss_remedy(t->samples);
	outcome.uncountable = t->samples->filtered || samples_selects(t->samples->opts) ||
			      pd_stats(t->samples->pd)->unfinished;
	outcome.modes = !t->samples->kernel ? ":u" : t->samples->user ? "" : ":k";
	outcome_note(&outcome, t->samples->opts->least, notes);
	samples_note_used(t->samples->opts, t->wanted, share_used(t), t->why,
			  notes);
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	t->samples->task = NULL;
	path_free(t->path);
	path_stitch_free(t->stitch);
	side_free(t->side);
	side_history_free(t->history);
	traps_free(&t->notes);
	outputs_free(&t->outputs);
	masters_free(&t->masters);
	gather_free(t->gather);
	rows_free(&t->rows);
	free(t->missing);
	free(t);
}
