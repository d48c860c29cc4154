// SPDX-License-Identifier: GPL-2.0-only
/* ssctr stf: perf samples to STF. */
#include "recording.h"
#include "path/stitch.h"
#include "riscv/rv_insn.h"
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_OUTPUT = 'o',
	OPT_VERBOSE = 'v',
	OPT_GENERATOR = 0x100,
	OPT_STITCH,
};

static const struct cmd_opt options[] = {
	REC_OPTS,
	{ OPT_OUTPUT, "output", "TRACE",
	  "the trace to write: .zstf compressed, else plain" },
	{ OPT_GENERATOR, "generator", "ID",
	  "the generator's number in the header (default: 1)" },
	{ OPT_STITCH, "stitch", "WHEN",
	  "join samples that overlap: auto, always, never" },
	{ OPT_VERBOSE, "verbose", NULL, "name each break of a path" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "stf",
	.usage = "[-i perf.data] -o TRACE [option]...",
	.about =
		"Write the instructions that a recording's branch stacks show as an STF\n"
		"trace. Each sample is a path from its oldest branch to the instruction at\n"
		"which it was taken; between paths the trace has a FORCE_PC. Samples whose\n"
		"period is below the number of records overlap, and are joined to one path;\n"
		"record with -j any,u,hw_index, which tells loops apart. Where the period\n"
		"does not prove the overlap, --stitch always says that you know of it.",
	.example =
		"  ssctr stf -i perf.data --symfs /srv/riscv-root -o trace.zstf",
	.opts = options,
};

/*
 * The end of a sample's path is held back until it is known whether the next
 * sample goes on there.
 */
struct tail {
	bool waits;
	uint32_t pid, tid;
	unsigned int event;
	struct path_run run;
	struct trap_notes notes; /* of the run */
};

struct work {
	struct rec rec;
	struct path *path;
	struct path_stitch *stitch;
	enum path_stitch_mode stitch_mode;
	struct tail tail;
	struct trace trace;
	struct side *side;
	struct side_history *history;
	struct trap_notes notes; /* of the sample at work */
	const char *output;
	bool verbose;
	uint64_t used, unbroken, away, transfers;
	uint64_t asides; /* side events */
	uint64_t no_stack; /* of an event without branch stacks */
	uint64_t partial; /* of an event that does not record all branches */
	uint64_t empty;
	uint64_t joined; /* samples that go on where the one before ended */
	uint64_t ambiguous;
	uint64_t breaks[PATH_NR_BREAKS];
	uint64_t unknown[IMG_NR_STATES];
};

/* A path needs every taken branch: what a filter left out would look untaken. */
static bool records_paths(const struct pd_attr *attr)
{
	return attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY &&
	       !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

static void tell_break(const struct work *w, const struct pd_event *ev,
		       const struct path_run *run)
{
	fprintf(stderr,
		"sample at offset 0x%" PRIx64 " (%" PRIu32 "/%" PRIu32
		"), from 0x%" PRIx64 ": %s",
		ev->offset, ev->pid, ev->tid, run->pc,
		path_break_text(run->why));
	if (run->why == PATH_UNKNOWN_CODE) {
		struct path_place place =
			path_code_place(w->rec.code, ev->pid, run->pc);

		fprintf(stderr, ": %s", img_state_text(run->unknown));
		if (place.dso)
			fprintf(stderr, " (%s)", place.dso->name);
	}
	fputc('\n', stderr);
}

static int write_run(struct work *w, const struct path_run *run,
		     unsigned int event, const struct trap_note *notes,
		     unsigned int nr_notes)
{
	const struct trace_run what = { run, path_transfers(w->path), event,
					notes, nr_notes };

	if (!trace_run(&w->trace, &what))
		return 0;
	return cmd_error(&cmd, "%s", stf_writer_error(w->trace.writer));
}

/* The tail's run, or as much of it as run says. */
static int write_tail(struct work *w, const struct path_run *run)
{
	return write_run(w, run, w->tail.event, w->tail.notes.v,
			 w->tail.notes.nr);
}

/* Write what is held back: nothing goes on there. */
static int flush_tail(struct work *w)
{
	if (!w->tail.waits)
		return 0;
	w->tail.waits = false;
	return write_tail(w, &w->tail.run);
}

/* The size of a run's last instruction. */
static unsigned int last_size(const struct path_run *run)
{
	unsigned int at = 0, size = 0;

	for (; at < run->size; at += size)
		size = rv_insn_size(run->code[at] | run->code[at + 1] << 8);
	return size;
}

/*
 * Go on where the tail ends: at the instruction at which its sample was taken,
 * which is not written twice, or, where that is not known, at the start of the
 * last straight line. Returns the runs, or a negative number.
 */
static int go_on(struct work *w, const struct pd_event *ev, int nr,
		 unsigned int flags)
{
	struct path_run run = w->tail.run;
	bool interrupted = run.end == PATH_END_IP;
	uint64_t pc = run.pc;
	int ret;

	if (interrupted) {
		run.size -= last_size(&run);
		run.nr_insns--;
		run.end = PATH_END_CUT;
		pc += run.size;
	}
	ret = path_decode_sample_on(w->path, ev->pid, pc,
				    interrupted && run.nr_insns ?
					    true :
					    run.connected,
				    &ev->sample, nr, flags);
	if (ret < 0)
		return cmd_error(&cmd, "out of memory"), -1;
	/* The branch before the tail must not lose the instruction at its target. */
	if (!path_runs(w->path)->nr_insns)
		return flush_tail(w) ? -1 : ret;
	w->tail.waits = false;
	if (!interrupted)
		return ret;
	path_set_interrupted(w->path);
	return run.nr_insns && write_tail(w, &run) ? -1 : ret;
}

/*
 * Where the path would go on after its last run: at the interrupted instruction,
 * or after the first of a line of which more is not known. 0: nowhere.
 */
static uint64_t end_of(const struct path_run *run)
{
	if (run->has_transfer)
		return 0;
	return run->pc + run->size -
	       (run->end == PATH_END_IP ? last_size(run) : 0);
}

/* What the recording has lost so far, by any count that grows. */
static uint64_t lost_so_far(const struct work *w)
{
	const struct pd_stats *stats = pd_stats(w->rec.pd);

	return stats->lost + stats->lost_samples + stats->throttled +
	       stats->late;
}

/* Sets how many of the sample's transfers the path has, in *nr_transfers. */
static int decode(struct work *w, const struct pd_event *ev,
		  unsigned int *nr_transfers)
{
	unsigned int flags =
		pd_attr_has_kernel_branches(ev->attr) ? PATH_KERNEL : 0;
	struct tail *tail = &w->tail;
	uint64_t end = 0;
	int new, nr;

	new = path_stitch_sample(w->stitch, ev, lost_so_far(w));
	if (new == PD_ENOMEM)
		return cmd_error(&cmd, "out of memory"), -1;
	w->ambiguous += new == PATH_STITCH_AMBIGUOUS;
	*nr_transfers = new >= 0 ? (unsigned int)new : ev->sample.nr_branches;
	if (new >= 0 && tail->waits && tail->pid == ev->pid &&
	    tail->tid == ev->tid) {
		trace_process(&w->trace, ev->cpu, ev->pid, ev->tid);
		w->joined++;
		w->transfers += new;
		return go_on(w, ev, new, flags);
	}
	if (flush_tail(w))
		return -1;
	trace_process(&w->trace, ev->cpu, ev->pid, ev->tid);
	if (new >= 0)
		end = *path_stitch_end(w->stitch);
	if (end) {
		/* Another thread was written meanwhile. */
		w->joined++;
		w->transfers += new;
		nr = path_decode_sample_on(w->path, ev->pid, end, false,
					   &ev->sample, new, flags);
	} else {
		*nr_transfers = ev->sample.nr_branches;
		w->transfers += *nr_transfers;
		nr = path_decode_sample(w->path, ev->pid, &ev->sample, flags);
	}
	if (nr < 0)
		cmd_error(&cmd, "out of memory");
	return nr;
}

/* Keep what the sample says of the time beside its stack. CMD_OK or CMD_FAIL. */
static int take_side_event(struct work *w, const struct pd_event *ev)
{
	struct side_event side;

	if (!side_read(w->side, ev, &side)) {
		w->no_stack++;
		return CMD_OK;
	}
	w->asides++;
	if (side_history_add(w->history, ev->tid, &side, lost_so_far(w)))
		return cmd_error(&cmd, "out of memory");
	return CMD_OK;
}

static int match_traps(struct work *w, const struct pd_event *ev,
		       unsigned int nr_runs, unsigned int nr_transfers)
{
	const struct trap_path path = {
		.runs = path_runs(w->path),
		.nr_runs = nr_runs,
		.transfers = path_transfers(w->path),
		.nr_transfers = nr_transfers,
		.ip = ev->sample.ip,
		.kernel = pd_attr_has_kernel_branches(ev->attr),
	};

	if (!traps_match(&w->notes, &path,
			 side_history_find(w->history, ev->tid,
					   lost_so_far(w)),
			 side_has(w->side, SIDE_SYSCALL_END)))
		return CMD_OK;
	return cmd_error(&cmd, "out of memory");
}

/* Hold the path's last run back. */
static int keep_tail(struct work *w, const struct pd_event *ev,
		     const struct path_run *run,
		     const struct trap_note *notes, unsigned int nr_notes)
{
	struct tail *tail = &w->tail;

	tail->waits = true;
	tail->pid = ev->pid;
	tail->tid = ev->tid;
	tail->event = ev->attr->index;
	tail->run = *run;
	if (!traps_copy(&tail->notes, notes, nr_notes))
		return CMD_OK;
	return cmd_error(&cmd, "out of memory");
}

/* Returns 0, or CMD_FAIL, which was reported. */
static int take_sample(struct work *w, const struct pd_event *ev)
{
	const struct path_run *runs;
	unsigned int nr_transfers;
	int i, nr, breaks = 0;

	if (!ev->sample.has_branches) {
		return take_side_event(w, ev);
	}
	if (!records_paths(ev->attr)) {
		w->partial++;
		return 0;
	}
	if (!ev->sample.nr_branches) {
		w->empty++;
		return 0;
	}
	nr = decode(w, ev, &nr_transfers);
	if (nr < 0 || match_traps(w, ev, nr, nr_transfers))
		return CMD_FAIL;
	w->used++;
	runs = path_runs(w->path);
	for (i = 0; i < nr; i++) {
		const struct path_run *run = &runs[i];
		const struct trap_note *notes;
		unsigned int nr_notes = traps_of_run(&w->notes, i, &notes);

		if (i == nr - 1 && !run->has_transfer) {
			if (keep_tail(w, ev, run, notes, nr_notes))
				return CMD_FAIL;
		} else if (write_run(w, run, ev->attr->index, notes,
				     nr_notes)) {
			return CMD_FAIL;
		}
		if (run->end == PATH_END_AWAY)
			w->away++;
		if (run->why == PATH_OK)
			continue;
		breaks++;
		w->breaks[run->why]++;
		if (run->why == PATH_UNKNOWN_CODE)
			w->unknown[run->unknown]++;
		if (w->verbose)
			tell_break(w, ev, run);
	}
	*path_stitch_end(w->stitch) = nr ? end_of(&runs[nr - 1]) : 0;
	w->unbroken += !breaks;
	return 0;
}

static void count(uint64_t n, const char *what)
{
	if (n)
		fprintf(stderr, "%12" PRIu64 " %s\n", n, what);
}

static void summarize(const struct work *w)
{
	unsigned int i;

	fprintf(stderr, "%12" PRIu64 " samples used\n", w->used);
	count(w->empty, "samples with an empty branch stack");
	count(w->no_stack, "samples of an event without branch stacks");
	count(w->partial,
	      "samples whose branch filter leaves out branches; record with -b or -j any");
	count(w->joined, "samples joined to the one before");
	count(w->ambiguous,
	      "samples that overlap in more than one way; record with -j any,u,hw_index");
	fprintf(stderr, "%12" PRIu64 " transfers\n", w->transfers);
	fprintf(stderr, "%12" PRIu64 " instructions\n", w->trace.insns);
	if (w->used)
		fprintf(stderr,
			"%12" PRIu64 " samples without a break (%.1f %%)\n",
			w->unbroken, 100.0 * w->unbroken / w->used);
	count(w->asides, "events beside the branch stacks");
	count(w->trace.syscalls, "system calls");
	count(w->trace.unknown_syscalls, "system calls whose number is not known; record -e raw_syscalls:* too");
	count(w->away, "samples taken in a mode that was not recorded");
	count(w->trace.guessed_causes, "traps whose cause is not known");
	for (i = 0; i < PATH_NR_BREAKS; i++)
		if (i != PATH_UNKNOWN_CODE && w->breaks[i])
			fprintf(stderr, "%12" PRIu64 " breaks: %s\n",
				w->breaks[i], path_break_text(i));
	for (i = 0; i < IMG_NR_STATES; i++)
		if (w->unknown[i])
			fprintf(stderr, "%12" PRIu64 " breaks: %s: %s\n",
				w->unknown[i],
				path_break_text(PATH_UNKNOWN_CODE),
				img_state_text(i));
	rec_summary(&w->rec);
}

/* Why there is no instruction at all. */
static int nothing(const struct work *w)
{
	uint64_t samples = w->used + w->empty + w->no_stack + w->partial;

	if (!samples)
		return cmd_error(
			&cmd, "%s: no samples%s", w->rec.path,
			w->rec.filtered ? " that the options let through" : "");
	if (w->used)
		return cmd_error(
			&cmd,
			"%s: the code of none of %" PRIu64
			" samples could be read; name the root folder of the machine that recorded with --symfs",
			w->rec.path, w->used);
	if (w->partial)
		return cmd_error(
			&cmd,
			"%s: the branch filter leaves out branches, so paths cannot be found; record with `perf record -b COMMAND`",
			w->rec.path);
	return cmd_error(&cmd, "%s: all branch stacks are empty", w->rec.path);
}

static int convert(struct work *w)
{
	char made_by[512], made_on[256];
	const char *const comments[] = { made_by, made_on, NULL };
	struct path_source source;
	struct stf_error err;
	struct pd_event ev;
	int ret;

	ret = rec_open(&w->rec);
	if (ret)
		return ret;
	source = path_code_source(w->rec.code);
	w->path = path_new(&source);
	w->stitch = path_stitch_new(w->stitch_mode, rec_depth(&w->rec));
	w->history = side_history_new();
	ret = side_new(&w->side, w->rec.pd);
	if (ret == PD_ECORRUPT)
		return cmd_error(
			&cmd,
			"%s: the formats of its tracepoints are damaged",
			w->rec.path);
	if (ret || !w->path || !w->stitch || !w->history)
		return cmd_error(&cmd, "out of memory");
	snprintf(made_by, sizeof(made_by), "ssctr %s stf, from %s",
		 SSCTR_VERSION, w->rec.path);
	snprintf(made_on, sizeof(made_on),
		 "sampled branch records (Ssctr, perf) of %s, Linux %s, %s",
		 pd_text(w->rec.pd, PD_HOSTNAME),
		 pd_text(w->rec.pd, PD_OSRELEASE), pd_text(w->rec.pd, PD_ARCH));
	w->trace.header.comments = comments;
	if (!strncmp(pd_text(w->rec.pd, PD_ARCH), "riscv32", 7))
		w->trace.header.iem = STF_IEM_RV32;
	w->trace.writer = stf_writer_open(w->output, NULL, &err);
	if (!w->trace.writer)
		return cmd_error(&cmd, "%s", err.text);
	while ((ret = rec_next(&w->rec, &ev)) > 0)
		if (take_sample(w, &ev))
			break;
	if (!ret)
		ret = flush_tail(w);
	if (!ret && !w->trace.started) {
		ret = nothing(w);
		rec_summary(&w->rec);
	}
	if (ret) {
		stf_writer_abort(w->trace.writer);
		return CMD_FAIL;
	}
	if (stf_writer_close(w->trace.writer, &err))
		return cmd_error(&cmd, "%s", err.text);
	summarize(w);
	return CMD_OK;
}

static bool stitch_mode(const char *name, enum path_stitch_mode *mode)
{
	static const char *const names[] = {
		[PATH_STITCH_AUTO] = "auto",
		[PATH_STITCH_ALWAYS] = "always",
		[PATH_STITCH_NEVER] = "never",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		*mode = i;
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

int cmd_stf(int argc, char **argv)
{
	struct work w = {
		.trace.header = {
			.size = sizeof(struct stf_header),
			.generator = STF_GEN_QEMU,
			.gen_text = "ssctr stf " SSCTR_VERSION,
			.features = STF_FEATURE_EVENT | STF_FEATURE_SAMPLING |
				    STF_FEATURE_PROCESS_ID,
		},
	};
	struct cmd_opts opts;
	uint64_t number;
	int id, ret = CMD_OK;

	rec_init(&w.rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		switch (id) {
		case OPT_OUTPUT:
			w.output = opts.arg;
			break;
		case OPT_VERBOSE:
			w.verbose = true;
			break;
		case OPT_GENERATOR:
			if (!cmd_opts_u64(&opts, &number))
				ret = CMD_USAGE;
			else if (!number || number >= 255)
				ret = cmd_usage(&cmd,
						"--generator %s: not 1 to 254",
						opts.arg);
			else
				w.trace.header.generator = number;
			break;
		case OPT_STITCH:
			if (!stitch_mode(opts.arg, &w.stitch_mode))
				ret = cmd_usage(
					&cmd,
					"--stitch %s: not auto, always or never",
					opts.arg);
			break;
		default:
			ret = rec_option(&w.rec, &opts, id);
		}
	}
	if (!ret && id == CMD_OPT_EXIT)
		return opts.status;
	if (!ret && opts.argc)
		ret = cmd_usage(&cmd, "%s: give the recording with -i",
				opts.argv[0]);
	if (!ret && !w.output)
		ret = cmd_usage(&cmd, "give the trace to write with -o");
	if (!ret)
		ret = convert(&w);
	path_free(w.path);
	path_stitch_free(w.stitch);
	side_free(w.side);
	side_history_free(w.history);
	traps_free(&w.notes);
	traps_free(&w.tail.notes);
	rec_close(&w.rec);
	return ret;
}
