// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/plan.h"
#include "base/file.h"
#include "last/sample.h"
#include "recorder/tracefs.h"

#include <stdlib.h>
#include <time.h>

enum { FREQ = 4000 };

/* Beside the branches of a trace; each is left out where it may not be opened. */
static const char *const side_events[] = {
	"raw_syscalls:sys_enter", "raw_syscalls:sys_exit",
	"irq:irq_handler_entry",  "dma:dma_map_*",
	"dma:dma_sync_*",
};

/* A file that holds a number. 0 if it cannot be read. */
static uint64_t read_number(const char *path)
{
	char text[32];

	file_line(text, sizeof(text), "%s", path);
	return strtoull(text, NULL, 10);
}

/* Samples a second: not more than the kernel takes. */
static uint64_t rate(const struct rcd_opts *opts, struct notes *notes)
{
	uint64_t most =
		read_number("/proc/sys/kernel/perf_event_max_sample_rate");
	uint64_t freq = opts->freq ? opts->freq : FREQ;

	if (!most || freq <= most)
		return freq;
	if (freq != UINT64_MAX && freq != FREQ)
		notes_add(
			notes, most,
			"-F %llu: more than kernel.perf_event_max_sample_rate, which is %llu",
			(unsigned long long)freq, (unsigned long long)most);
	return most;
}

static uint64_t branches(const struct rcd_opts *opts)
{
	if (opts->branches)
		return opts->branches;
	if (opts->use == RCD_FOR_STF)
		return PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE |
		       PERF_SAMPLE_BRANCH_PRIV_SAVE |
		       PERF_SAMPLE_BRANCH_HW_INDEX;
	return PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE;
}

/* Stacks as deep as the hart has them: kernels cut them at 127 otherwise. */
static unsigned int depth(const struct rcd_opts *opts)
{
	uint64_t has = read_number(RCD_PMUS "/cpu/caps/branches");

	if (opts->depth)
		return opts->depth;
	return opts->use && has <= RCD_MAX_DEPTH ? has : 0;
}

/* Sets of the kernel's own events. Those of its clocks come by the nanosecond. */
#define SW(_id) (1u << PERF_COUNT_SW_##_id)
static const uint32_t faults = SW(PAGE_FAULTS) | SW(PAGE_FAULTS_MIN) |
			       SW(PAGE_FAULTS_MAJ);
static const uint32_t clocks = SW(CPU_CLOCK) | SW(TASK_CLOCK);

/* All that there are: by them a trace tells which time an instruction faulted. */
static void take_regs(struct perf_event_attr *attr)
{
#if defined(__riscv) && __riscv_xlen == 64
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user = UINT32_MAX;
#else
	(void)attr;
#endif
}

static bool is_one_of(uint32_t set, const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config < 32 &&
	       set >> attr->config & 1;
}

static void configure(const struct rcd_opts *opts, struct rcd_event *e,
		      bool stack, bool beside, struct notes *notes)
{
	struct perf_event_attr *attr = &e->attr;

	attr->disabled = 1;
	attr->inherit = opts->inherit && !rcd_is_of_cpus(opts) && !rcd_has_windows(opts);
	attr->enable_on_exec = !rcd_attaches(opts);
	attr->sample_id_all = 1;
	attr->sample_type = RCD_SAMPLE_TYPE;
	attr->read_format = RCD_READ_FORMAT;
	attr->use_clockid = 1; /* that of jitdumps */
	attr->clockid = CLOCK_MONOTONIC;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (is_one_of(faults, attr))
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (stack) {
		/* Each thread that ends tells its own count. */
		attr->inherit_stat = attr->inherit;
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = branches(opts);
		attr->sample_max_stack = depth(opts);
		if (opts->use == RCD_FOR_STF)
			take_regs(attr);
	}
	if (e->has_period)
		return;
	if (opts->period && !beside) {
		attr->sample_period = opts->period;
	} else if (attr->type == PERF_TYPE_TRACEPOINT ||
		   (beside && !is_one_of(clocks, attr))) {
		attr->sample_period = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = rate(opts, notes);
	}
}

/*
 * Neither profiles nor traces are of the kernel unless one asks for it. And samples in a mode whose
 * branches are not recorded are of no use: pd_is_away(). Call stacks are of use there.
 */
static const char *default_event(const struct rcd_opts *opts)
{
	const uint64_t modes = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL |
			       PERF_SAMPLE_BRANCH_HV;
	const uint64_t of = opts->branches & PERF_SAMPLE_BRANCH_CALL_STACK ?
				    0 : opts->branches & modes;

	if (of == PERF_SAMPLE_BRANCH_KERNEL)
		return "cycles:k";
	return opts->use || of == PERF_SAMPLE_BRANCH_USER ? "cycles:u" : "cycles";
}

/* Those that were asked for, in which one has the stacks. */
static int add_asked(struct rcd_events *events, const struct rcd_opts *opts,
		     struct notes *notes, struct error *error)
{
	bool hardware = false, stack = false;
	int ret = 0;
	size_t i;

	if (!opts->nr_events)
		ret = rcd_add_events(events, default_event(opts), error);
	for (i = 0; i < opts->nr_events && !ret; i++)
		ret = rcd_add_events(events, opts->events[i], error);
	for (i = 0; i < events->nr; i++)
		hardware |= rcd_is_hardware(&events->v[i]);
	for (i = 0; i < events->nr && !ret; i++) {
		struct rcd_event *e = &events->v[i];
		bool takes = hardware ? rcd_is_hardware(e) : !stack;

		configure(opts, e, takes, hardware && !takes, notes);
		stack |= takes;
	}
	return ret;
}

/* Which events tell of mappings and tasks: the first, of its own tasks. */
static int add_tracking(struct rcd_events *events, const struct rcd_opts *opts,
			struct notes *notes, struct error *error)
{
	struct perf_event_attr *attr = &events->v[0].attr;

	if (rcd_attaches(opts)) {
		int ret = rcd_add_events(events, "dummy:u", error);

		if (ret)
			return ret;
		configure(opts, &events->v[events->nr - 1], false, true, notes);
		attr = &events->v[events->nr - 1].attr;
	}
	attr->mmap = attr->mmap2 = attr->build_id = 1;
	attr->comm = attr->comm_exec = attr->task = 1;
	/* Code that the kernel makes, such as BPF programs. */
	attr->ksymbol = 1;
	return 0;
}

static void add_side_events(struct rcd_events *events,
			    const struct rcd_opts *opts, struct notes *notes)
{
	size_t i = events->nr, regs, k;
	struct error why;

	if (rcd_tracepoints_hidden())
		notes_add(notes, 0, "not recorded: tracepoints: " RCD_TRACEPOINTS_HIDDEN);
	for (k = 0; k < sizeof(side_events) / sizeof(*side_events); k++)
		rcd_add_events(events, side_events[k], &why);
	/* What interrupts user code comes with its registers. */
	regs = events->nr;
	rcd_add_events(events, "signal:signal_deliver", &why);
	/* Where the kernel tells of faults with their instruction. */
	if (rcd_add_events(events, "exceptions:page_fault_*", &why))
		rcd_add_events(events, "page-faults", &why);
	for (; i < events->nr; i++) {
		configure(opts, &events->v[i], false, true, notes);
		if (i >= regs)
			take_regs(&events->v[i].attr);
		events->v[i].optional = true;
	}
}

/*
 * The hart records while an event with branch stacks counts. Another event takes what is
 * written at the points, on all CPUs.
 */
static int add_points(struct rcd_events *events, const struct rcd_opts *opts,
		      struct notes *notes, struct error *error)
{
	struct rcd_event e = {
		.attr = { .size = sizeof(e.attr),
			  .type = PERF_TYPE_SOFTWARE,
			  .config = PERF_COUNT_SW_BPF_OUTPUT },
		.name = LAST_EVENT,
	};
	struct perf_event_attr *counts;
	int ret = rcd_add_events(events, opts->points->has_kernel ? "cycles" : "cycles:u",
				 error);

	if (ret)
		return ret;
	counts = &events->v[0].attr;
	configure(opts, &events->v[0], true, false, notes);
	counts->freq = 0;
	counts->sample_period = 0;
	configure(opts, &e, false, true, notes);
	e.attr.sample_type = LAST_OPENED_TYPE;
	e.attr.inherit = 0;
	e.attr.enable_on_exec = 0;
	e.attr.wakeup_events = 1;
	return rcd_add_event(events, &e, error);
}

/* How many records the buffer holds. */
static unsigned int buffer_depth(void)
{
	enum { LEAST = 16 }; /* of any hart */
	const uint64_t has = read_number(RCD_PMUS "/cpu/caps/branches");

	return has && has <= RCD_MAX_DEPTH ? has : LEAST;
}

/* Code has at most one transfer in two instructions, but for loops that do nothing. */
static unsigned int windows_depth(const struct rcd_opts *opts)
{
	return opts->depth ? opts->depth : buffer_depth() / 2;
}

unsigned int rcd_windows_dense(const struct rcd_opts *opts)
{
	return windows_period(buffer_depth(), windows_depth(opts));
}

/* The one event of windows. Its period is changed at each end of a window. */
static int add_windows(struct rcd_events *events, const struct rcd_opts *opts,
		       struct notes *notes, struct error *error)
{
	struct rcd_opts whole = *opts;
	struct perf_event_attr *attr;
	struct rcd_event *e;
	int ret = rcd_add_events(events, "instructions:u", error);

	if (ret)
		return ret;
	whole.use = RCD_FOR_STF;
	whole.period = opts->windows.every;
	e = &events->v[0];
	attr = &e->attr;
	configure(&whole, e, true, false, notes);
	windows_name(&opts->windows, rcd_windows_dense(opts), e->name, sizeof(e->name));
	attr->sample_type |= PERF_SAMPLE_READ;
	/* These are for faults, which nobody records. */
	attr->sample_type &= ~PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user = 0;
	attr->sample_max_stack = windows_depth(opts);
	attr->wakeup_events = 1;
	return 0;
}

unsigned int rcd_pages(const struct rcd_opts *opts)
{
	if (opts->pages)
		return opts->pages;
	if (!rcd_has_windows(opts))
		return RCD_PAGES;
	return windows_pages(&opts->windows, rcd_windows_dense(opts), windows_depth(opts));
}

static int add_events(struct rcd_events *events, const struct rcd_opts *opts,
		      struct notes *notes, struct error *error)
{
	if (opts->points)
		return add_points(events, opts, notes, error);
	if (rcd_has_windows(opts))
		return add_windows(events, opts, notes, error);
	return add_asked(events, opts, notes, error);
}

int rcd_plan(struct rcd_events *events, const struct rcd_opts *opts,
	     struct notes *notes, struct error *error)
{
	int ret = add_events(events, opts, notes, error);

	if (!ret)
		ret = add_tracking(events, opts, notes, error);
	/* What stands beside the branches would come all the time. */
	if (!ret && opts->use == RCD_FOR_STF && !rcd_has_windows(opts))
		add_side_events(events, opts, notes);
	return ret;
}
