// SPDX-License-Identifier: GPL-2.0-only
/* ssctr stf: perf samples to STF. */
#include "recording.h"
#include "path/stitch.h"
#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"
#include "strand.h"
#include "tally.h"

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
	OPT_PRIMARY_CPU,
	OPT_SPLIT,
};

/* Accesses that may wait for an instruction after them. */
enum { MAX_WAITING = 1 << 20 };

static const struct opt options[] = {
	REC_OPTS,
	{ OPT_OUTPUT, "output", "TRACE",
	  "the trace to write: .zstf compressed, else plain" },
	{ OPT_GENERATOR, "generator", "ID",
	  "the generator's number in the header (default: 1)" },
	{ OPT_STITCH, "stitch", "WHEN",
	  "join samples that overlap: auto, always, never" },
	{ OPT_PRIMARY_CPU, "primary-cpu", "N",
	  "the hart that the trace is of; others are bus masters" },
	{ OPT_SPLIT, "split", "BY",
	  "a trace for each: cpu, thread; TRACE.cpu0.zstf, ..." },
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

enum split { SPLIT_NONE, SPLIT_CPU, SPLIT_THREAD };

struct work {
	struct rec rec;
	struct path *path;
	struct path_stitch *stitch;
	enum path_stitch_mode stitch_mode;
	struct strands strands;
	struct stf_header header; /* of each trace */
	enum split split;
	uint32_t primary_cpu; /* PD_NO_ID: none */
	struct side *side;
	struct masters masters;
	struct side_history *history;
	struct trap_notes notes; /* of the sample at work */
	const char *output;
	bool verbose;
	struct tally tally;
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

static int stf_fails(const struct strand *strand, int error)
{
	if (!error)
		return CMD_OK;
	return cmd_error(&cmd, "%s",
			 error == STF_E_NOMEM ?
				 "out of memory" :
				 stf_writer_error(strand->trace.writer));
}

static int flush_tail(struct strand *strand)
{
	return stf_fails(strand, strand_flush(strand));
}

/*
 * Go on where the tail ends: at the instruction at which its sample was taken,
 * which is not written twice, or, where that is not known, at the start of the
 * last straight line. Sets how many accesses wait for the path's first instruction.
 * Returns the runs, or a negative number.
 */
static int go_on(struct work *w, struct strand *strand,
		 const struct pd_event *ev, int nr, unsigned int flags,
		 unsigned int *accesses)
{
	struct strand_tail *tail = &strand->tail;
	struct path_run run = tail->run;
	bool interrupted = run.end == PATH_END_IP;
	struct trace_run what = { .run = &run,
				  .event = tail->event,
				  .notes = tail->notes.v,
				  .nr_notes = tail->notes.nr,
				  .first_accesses = tail->first_accesses };
	uint64_t pc = run.pc;
	int ret;

	if (interrupted) {
		run.size -= run.source_size;
		run.source_size = 0;
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
		return flush_tail(strand) ? -1 : ret;
	tail->waits = false;
	if (interrupted || run.interrupted)
		path_set_interrupted(w->path);
	*accesses = tail->first_accesses + tail->last_accesses;
	if (!interrupted || !run.nr_insns)
		return ret;
	*accesses = tail->last_accesses;
	return stf_fails(strand, strand_run(strand, &what)) ? -1 : ret;
}

/*
 * Where the path would go on after its last run: at the interrupted instruction,
 * or after the first of a line of which more is not known. 0: nowhere.
 */
static uint64_t end_of(const struct path_run *run)
{
	if (run->has_transfer)
		return 0;
	return run->pc + run->size - run->source_size;
}

/* What the recording has lost so far, by any count that grows. */
static uint64_t lost_so_far(const struct work *w)
{
	const struct pd_stats *stats = pd_stats(w->rec.pd);

	return stats->lost + stats->lost_samples + stats->throttled +
	       stats->late;
}

/*
 * The sample's path: the number of its runs, or a negative one. Sets how many of
 * its transfers it has, and how many accesses wait for its first instruction.
 */
static int decode(struct work *w, struct strand *strand,
		  const struct pd_event *ev, unsigned int *nr_transfers,
		  unsigned int *accesses)
{
	unsigned int flags =
		pd_attr_has_kernel_branches(ev->attr) ? PATH_KERNEL : 0;
	struct strand_tail *tail = &strand->tail;
	uint64_t end = 0;
	int new, nr;

	new = path_stitch_sample(w->stitch, ev, lost_so_far(w));
	if (new == PD_ENOMEM)
		return cmd_error(&cmd, "out of memory"), -1;
	w->tally.ambiguous += new == PATH_STITCH_AMBIGUOUS;
	*nr_transfers = new >= 0 ? (unsigned int)new : ev->sample.nr_branches;
	if (new >= 0 && tail->waits && tail->pid == ev->pid &&
	    tail->tid == ev->tid) {
		trace_process(&strand->trace, ev->cpu, ev->pid, ev->tid);
		w->tally.joined++;
		w->tally.transfers += new;
		return go_on(w, strand, ev, new, flags, accesses);
	}
	if (flush_tail(strand))
		return -1;
	trace_process(&strand->trace, ev->cpu, ev->pid, ev->tid);
	if (new >= 0)
		end = *path_stitch_end(w->stitch);
	if (end) {
		/* Another thread was written meanwhile. */
		w->tally.joined++;
		w->tally.transfers += new;
		nr = path_decode_sample_on(w->path, ev->pid, end, false,
					   &ev->sample, new, flags);
	} else {
		*nr_transfers = ev->sample.nr_branches;
		w->tally.transfers += *nr_transfers;
		nr = path_decode_sample(w->path, ev->pid, &ev->sample, flags);
	}
	if (nr < 0)
		cmd_error(&cmd, "out of memory");
	return nr;
}

/* The strand that a sample or a side event belongs to. NULL: reported. */
static struct strand *strand_of(struct work *w, const struct pd_event *ev)
{
	const uint32_t keys[] = { 0, ev->cpu, ev->tid };
	struct strand *strand = strands_get(&w->strands, keys[w->split]);

	if (!strand)
		cmd_error(&cmd, "out of memory");
	return strand;
}

/* An access of another hart, if its instruction says which. CMD_OK or CMD_FAIL. */
static int take_access(struct work *w, const struct pd_event *ev, uint64_t pc,
		       uint64_t addr)
{
	struct path_source source = path_code_source(w->rec.code);
	struct rv_mem mem = { RV_MEM_NONE, 0 };
	struct strand *strand = strand_of(w, ev);
	struct path_window window;
	uint32_t opcode = 0;

	if (!strand)
		return CMD_FAIL;
	if (source.code(source.arg, ev->pid, pc, &window) == IMG_OK &&
	    window.size - (pc - window.start) >= 4) {
		memcpy(&opcode, window.code + (pc - window.start), 4);
		mem = rv_mem_of(opcode, rv_insn_size(opcode), 0);
	}
	if (mem.way == RV_MEM_NONE || !mem.bytes) {
		w->tally.unknown_accesses++;
		return CMD_OK;
	}
	if (!masters_add_hart(&strand->queue, ev->cpu, addr,
			      mem.way == RV_MEM_LOAD ? STF_ACCESS_READ :
						       STF_ACCESS_WRITE,
			      mem.bytes))
		return CMD_OK;
	return cmd_error(&cmd, "out of memory");
}

static int take_dma(struct work *w, const struct pd_event *ev,
		    const struct side_dma *dma)
{
	struct strand *strand = strand_of(w, ev);

	if (!strand)
		return CMD_FAIL;
	/* Nothing is sampled there any more, and memory has an end. */
	if (strand->queue.nr > MAX_WAITING) {
		strand->left_out += dma->nr;
		return CMD_OK;
	}
	if (!masters_add_dma(&w->masters, &strand->queue, dma))
		return CMD_OK;
	return cmd_error(&cmd, "out of memory");
}

static bool is_elsewhere(const struct work *w, const struct pd_event *ev)
{
	return w->primary_cpu != PD_NO_ID && ev->cpu != w->primary_cpu;
}

/*
 * Keep what the sample says of the time beside its stack, and of memory. CMD_OK or
 * CMD_FAIL.
 */
static int take_side_event(struct work *w, const struct pd_event *ev)
{
	const bool addressed = ev->attr->sample_type & PERF_SAMPLE_ADDR &&
			       ev->sample.addr;
	struct side_event side;

	if (!side_read(w->side, ev, &side)) {
		if (addressed && is_elsewhere(w, ev))
			return take_access(w, ev, ev->sample.ip,
					   ev->sample.addr);
		w->tally.no_stack++;
		return CMD_OK;
	}
	w->tally.asides++;
	if (side.kind == SIDE_DMA)
		return take_dma(w, ev, &side.dma);
	if (side.kind == SIDE_FAULT && is_elsewhere(w, ev))
		return take_access(w, ev, side.fault.pc, side.fault.addr);
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

/* TRACE.zstf becomes TRACE.cpu3.zstf, or TRACE.tid17.zstf. NULL: no memory. */
static char *path_of(const struct work *w, uint32_t key)
{
	static const char *const endings[] = { ".zstf", ".stf.gz", ".stf.xz",
					       ".stf", "" };
	size_t size = strlen(w->output), n = 0;
	unsigned int i;
	char *path;

	if (w->split == SPLIT_NONE)
		return strdup(w->output);
	for (i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		n = strlen(endings[i]);
		if (n < size && !strcmp(w->output + size - n, endings[i]))
			break;
	}
	if (asprintf(&path, "%.*s.%s%" PRIu32 "%s", (int)(size - n), w->output,
		     w->split == SPLIT_CPU ? "cpu" : "tid", key,
		     w->output + size - n) < 0)
		return NULL;
	return path;
}

static int open_trace(struct work *w, struct strand *strand)
{
	struct stf_writer_opts opts = { .size = sizeof(opts) };
	struct stf_error err;

	/* Each of several compresses in a thread of its own. */
	if (w->split != SPLIT_NONE)
		opts.threads = 1;
	strand->path = path_of(w, strand->key);
	if (!strand->path)
		return cmd_error(&cmd, "out of memory");
	strand->trace.header = w->header;
	strand->trace.masters = &w->masters;
	strand->trace.writer = stf_writer_open(strand->path, &opts, &err);
	if (!strand->trace.writer)
		return cmd_error(&cmd, "%s", err.text);
	return CMD_OK;
}

/* Write a path's runs; the last one is held back if more can follow it. */
static int write_runs(struct work *w, struct strand *strand,
		      const struct pd_event *ev, unsigned int nr,
		      unsigned int accesses)
{
	const struct path_run *runs = path_runs(w->path);
	unsigned int i;
	int ret = 0;

	if (!strand->trace.writer && open_trace(w, strand))
		return CMD_FAIL;
	for (i = 0; i < nr && !ret; i++) {
		struct trace_run what = {
			.run = &runs[i],
			.transfers = path_transfers(w->path),
			.event = ev->attr->index,
			.first_accesses = i ? 0 : accesses,
		};

		what.nr_notes = traps_of_run(&w->notes, i, &what.notes);
		if (i == nr - 1 && !runs[i].has_transfer)
			ret = strand_hold(strand, &what, ev->pid, ev->tid);
		else
			ret = strand_run(strand, &what);
	}
	return stf_fails(strand, ret);
}

static void count_breaks(struct work *w, const struct pd_event *ev,
			 unsigned int nr)
{
	const struct path_run *runs = path_runs(w->path);
	unsigned int i, breaks = 0;

	for (i = 0; i < nr; i++) {
		const struct path_run *run = &runs[i];

		if (run->end == PATH_END_AWAY)
			w->tally.away++;
		if (run->why == PATH_OK)
			continue;
		breaks++;
		w->tally.breaks[run->why]++;
		if (run->why == PATH_UNKNOWN_CODE)
			w->tally.unknown[run->unknown]++;
		if (w->verbose)
			tell_break(w, ev, run);
	}
	w->tally.unbroken += !breaks;
}

/* Returns 0, or CMD_FAIL, which was reported. */
static int take_sample(struct work *w, const struct pd_event *ev)
{
	unsigned int nr_transfers, accesses = 0;
	struct strand *strand;
	int nr;

	if (!ev->sample.has_branches)
		return take_side_event(w, ev);
	if (!records_paths(ev->attr)) {
		w->tally.partial++;
		return 0;
	}
	if (is_elsewhere(w, ev)) {
		w->tally.not_primary++;
		return 0;
	}
	if (!ev->sample.nr_branches) {
		w->tally.empty++;
		return 0;
	}
	strand = strand_of(w, ev);
	if (!strand)
		return CMD_FAIL;
	nr = decode(w, strand, ev, &nr_transfers, &accesses);
	if (nr < 0 || match_traps(w, ev, nr, nr_transfers))
		return CMD_FAIL;
	w->tally.used++;
	if (write_runs(w, strand, ev, nr, accesses))
		return CMD_FAIL;
	count_breaks(w, ev, nr);
	*path_stitch_end(w->stitch) = nr ? end_of(path_runs(w->path) + nr - 1) :
					   0;
	return 0;
}

static void summarize(struct work *w)
{
	struct tally *tally = &w->tally;
	unsigned int i;

	tally->left_out = w->masters.left_out;
	for (i = 0; i < w->strands.nr; i++) {
		const struct strand *strand = w->strands.v[i];

		tally->insns += strand->trace.insns;
		tally->syscalls += strand->trace.syscalls;
		tally->unknown_syscalls += strand->trace.unknown_syscalls;
		tally->guessed_causes += strand->trace.guessed_causes;
		tally->accesses += strand->trace.accesses;
		tally->left_out += strand->left_out;
	}
	tally_print(tally);
	rec_summary(&w->rec);
}

/* Why there is no instruction at all. */
static int nothing(const struct work *w)
{
	const struct tally *tally = &w->tally;
	uint64_t samples = tally->used + tally->empty + tally->no_stack +
			   tally->partial;

	if (!samples)
		return cmd_error(
			&cmd, "%s: no samples%s", w->rec.path,
			w->rec.filtered ? " that the options let through" : "");
	if (tally->used)
		return cmd_error(
			&cmd,
			"%s: the code of none of %" PRIu64
			" samples could be read; name the root folder of the machine that recorded with --symfs",
			w->rec.path, tally->used);
	if (tally->partial)
		return cmd_error(
			&cmd,
			"%s: the branch filter leaves out branches, so paths cannot be found; record with `perf record -b COMMAND`",
			w->rec.path);
	return cmd_error(&cmd, "%s: all branch stacks are empty", w->rec.path);
}

/* To tell harts apart the samples have to say theirs. */
static int check_cpus(const struct work *w)
{
	unsigned int i;

	if (w->split != SPLIT_CPU && w->primary_cpu == PD_NO_ID)
		return CMD_OK;
	for (i = 0; i < pd_nr_attrs(w->rec.pd); i++)
		if (!(pd_attr(w->rec.pd, i)->sample_type & PERF_SAMPLE_CPU))
			return cmd_error(
				&cmd,
				"%s: its samples do not say on which hart they were taken; record with -a or --sample-cpu",
				w->rec.path);
	return CMD_OK;
}

/* Write what is held back. CMD_OK or CMD_FAIL. */
static int end_traces(struct work *w)
{
	unsigned int i;
	int ret = CMD_OK;

	for (i = 0; i < w->strands.nr && !ret; i++) {
		struct strand *strand = w->strands.v[i];

		if (strand->trace.writer)
			ret = stf_fails(strand, strand_end(strand));
		else
			strand->left_out += strand->queue.nr;
	}
	return ret;
}

/* Complete the traces, each under its name. CMD_OK or CMD_FAIL. */
static int close_traces(struct work *w)
{
	struct stf_error err;
	unsigned int i;
	int ret = CMD_OK;

	for (i = 0; i < w->strands.nr && !ret; i++) {
		struct strand *strand = w->strands.v[i];
		struct stf_writer *writer = strand->trace.writer;

		/* One of which no code is known is no trace. */
		if (!strand->trace.started)
			continue;
		strand->trace.writer = NULL;
		if (stf_writer_close(writer, &err))
			ret = cmd_error(&cmd, "%s", err.text);
	}
	return ret;
}

static bool has_instructions(const struct work *w)
{
	unsigned int i;

	for (i = 0; i < w->strands.nr; i++)
		if (w->strands.v[i]->trace.started)
			return true;
	return false;
}

static int open_all(struct work *w)
{
	struct path_source source;
	int ret = rec_open(&w->rec);

	if (ret)
		return ret;
	ret = check_cpus(w);
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
	return CMD_OK;
}

static int convert(struct work *w)
{
	char made_by[512], made_on[256];
	const char *const comments[] = { made_by, made_on, masters_legend,
					 NULL };
	const char *const without_masters[] = { made_by, made_on, NULL };
	struct pd_event ev;
	int ret = open_all(w);

	if (ret)
		return ret;
	snprintf(made_by, sizeof(made_by), "ssctr %s stf, from %s",
		 SSCTR_VERSION, w->rec.path);
	snprintf(made_on, sizeof(made_on),
		 "sampled branch records (Ssctr, perf) of %s, Linux %s, %s",
		 pd_text(w->rec.pd, PD_HOSTNAME),
		 pd_text(w->rec.pd, PD_OSRELEASE), pd_text(w->rec.pd, PD_ARCH));
	w->header.comments =
		side_has(w->side, SIDE_DMA) || w->primary_cpu != PD_NO_ID ?
			comments :
			without_masters;
	if (!strncmp(pd_text(w->rec.pd, PD_ARCH), "riscv32", 7))
		w->header.iem = STF_IEM_RV32;
	/* What cannot be written is told before all is read. */
	if (w->split == SPLIT_NONE) {
		struct strand *strand = strands_get(&w->strands, 0);

		if (!strand)
			return cmd_error(&cmd, "out of memory");
		if (open_trace(w, strand))
			return CMD_FAIL;
	}
	while ((ret = rec_next(&w->rec, &ev)) > 0)
		if (take_sample(w, &ev))
			break;
	if (!ret)
		ret = end_traces(w);
	if (!ret && !has_instructions(w)) {
		ret = nothing(w);
		rec_summary(&w->rec);
	}
	if (ret)
		return CMD_FAIL;
	ret = close_traces(w);
	if (!ret)
		summarize(w);
	return ret;
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

int cmd_stf_of(const struct rec_chooser *chooser, int argc, char **argv)
{
	struct work w = {
		.primary_cpu = PD_NO_ID,
		.header = {
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

	rec_init(&w.rec, &cmd, chooser);
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
				w.header.generator = number;
			break;
		case OPT_PRIMARY_CPU:
			if (!cmd_opts_u64(&opts, &number))
				ret = CMD_USAGE;
			else if (number >= PD_NO_ID)
				ret = cmd_usage(&cmd,
						"--primary-cpu %s: not a hart",
						opts.arg);
			else
				w.primary_cpu = number;
			break;
		case OPT_SPLIT:
			if (!strcmp(opts.arg, "cpu"))
				w.split = SPLIT_CPU;
			else if (!strcmp(opts.arg, "thread"))
				w.split = SPLIT_THREAD;
			else
				ret = cmd_usage(&cmd,
						"--split %s: not cpu or thread",
						opts.arg);
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
	if (!ret && w.split && !strcmp(w.output, "-"))
		ret = cmd_usage(&cmd,
				"--split: several traces need a name, not -");
	if (!ret && w.split && w.primary_cpu != PD_NO_ID)
		ret = cmd_usage(&cmd,
				"--split: all harts or threads, not --primary-cpu");
	if (!ret)
		ret = convert(&w);
	path_free(w.path);
	path_stitch_free(w.stitch);
	side_free(w.side);
	side_history_free(w.history);
	traps_free(&w.notes);
	strands_free(&w.strands);
	masters_free(&w.masters);
	rec_close(&w.rec);
	return ret;
}

int cmd_stf(int argc, char **argv)
{
	return cmd_stf_of(NULL, argc, argv);
}
