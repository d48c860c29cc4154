// SPDX-License-Identifier: GPL-2.0-only
/* ssctr record: what is to be recorded. */
#include "record.h"

#include "recorder/rings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	OPT_EVENT = 'e',
	OPT_COUNT = 'c',
	OPT_FREQ = 'F',
	OPT_FILTER = 'j',
	OPT_PID = 'p',
	OPT_TID = 't',
	OPT_ALL = 'a',
	OPT_CPU = 'C',
	OPT_NO_INHERIT = 'i',
	OPT_PAGES = 'm',
	OPT_OUTPUT = 'o',
	OPT_QUIET = 'q',
	OPT_FOR = 0x100,
	OPT_DEPTH,
	OPT_DURATION,
};

enum {
	FREQ = 4000,
	PAGES = 128,
	MAX_PAGES = 1 << 18,
	MAX_DEPTH = 256,
};

static const struct opt options[] = {
	{ OPT_EVENT, "event", "LIST", "what to sample by (default: cycles)" },
	{ OPT_COUNT, "count", "N", "a sample each N events" },
	{ OPT_FREQ, "freq", "N", "N samples a second (default: 4000), or max" },
	{ OPT_FILTER, "branch-filter", "LIST",
	  "which branches: any, u, k, any_call, any_ret, cond, ind_call, ..." },
	{ OPT_DEPTH, "depth", "N", "at most N branches in a sample" },
	{ OPT_FOR, "for", "WHAT", "record what that takes: stf, profile" },
	{ OPT_PID, "pid", "LIST", "processes that run" },
	{ OPT_TID, "tid", "LIST", "threads that run" },
	{ OPT_ALL, "all-cpus", NULL, "all that runs" },
	{ OPT_CPU, "cpu", "LIST", "all that runs on these harts: 0,2-3" },
	{ OPT_NO_INHERIT, "no-inherit", NULL,
	  "not the threads and processes that they start" },
	{ OPT_DURATION, "duration", "SECONDS", "end after that time" },
	{ OPT_PAGES, "mmap-pages", "N",
	  "pages of a hart's ring, a power of two (default: 128)" },
	{ OPT_OUTPUT, "output", "FILE",
	  "the recording (default: perf.data), - for a pipe" },
	{ OPT_QUIET, "quiet", NULL, "say nothing but errors" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "record",
	.usage = "[option]... [--] COMMAND [ARGUMENT]...",
	.about =
		"Record the branches of a command, of processes or of the whole system, in the\n"
		"form of perf record -b, which perf report, perf script and the other\n"
		"subcommands read. The first event that a hart counts is sampled with branch\n"
		"stacks; tracepoints and events of the kernel's own go beside it without.",
	.example =
		"  ssctr record --for profile -- ./program\n"
		"  ssctr record -a --duration 10\n"
		"  ssctr record --for stf -e instructions:u -c 100 -o - -- ./program |\n"
		"      ssctr stf -i - -o trace.zstf",
	.opts = options,
	.takes_command = true,
};

enum use { FOR_ALL, FOR_STF, FOR_PROFILE };

/* What the options say that becomes part of the events. */
struct wishes {
	const char *events[16];
	unsigned int nr_events;
	uint64_t period, freq;
	uint64_t branches;
	uint64_t depth;
	enum use use;
};

/* Beside the branches of a trace; each is left out where it may not be opened. */
static const char *const side_events[] = {
	"raw_syscalls:sys_enter", "raw_syscalls:sys_exit",
	"irq:irq_handler_entry",  "dma:dma_map_*",
	"dma:dma_sync_*",
};

/* A file that holds a number. 0 if it cannot be read. */
static uint64_t read_number(const char *path)
{
	unsigned long long value = 0;
	FILE *f = fopen(path, "re");

	if (!f || fscanf(f, "%llu", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

static bool parse_list(struct record_list *list, const char *s)
{
	char *end;

	do {
		long value;

		errno = 0;
		value = strtol(s, &end, 10);
		list->v = realloc(list->v, (list->nr + 1) * sizeof(*list->v));
		if (end == s || errno || value <= 0 || value > INT32_MAX ||
		    (*end && *end != ',') || !list->v)
			return false;
		list->v[list->nr++] = value;
		s = end + 1;
	} while (*end);
	return true;
}

static int parse_freq(struct wishes *wishes, const struct cmd_opts *opts)
{
	if (!strcmp(opts->arg, "max")) {
		wishes->freq = UINT64_MAX;
		return CMD_OK;
	}
	if (!cmd_opts_u64(opts, &wishes->freq))
		return CMD_USAGE;
	return wishes->freq ? CMD_OK : cmd_usage(&cmd, "-F 0 takes no sample");
}

static int parse_use(struct wishes *wishes, const char *arg)
{
	if (!strcmp(arg, "stf"))
		wishes->use = FOR_STF;
	else if (!strcmp(arg, "profile"))
		wishes->use = FOR_PROFILE;
	else
		return cmd_usage(&cmd, "--for %s: stf or profile", arg);
	return CMD_OK;
}

static int parse_pages(struct record_plan *plan, const struct cmd_opts *opts)
{
	uint64_t n;

	if (!cmd_opts_u64(opts, &n))
		return CMD_USAGE;
	if (!n || n & (n - 1) || n > MAX_PAGES)
		return cmd_usage(&cmd, "-m %s: a power of two up to %d",
				 opts->arg, MAX_PAGES);
	plan->pages = n;
	return CMD_OK;
}

static int parse_duration(struct record_plan *plan, const char *arg)
{
	char *end;

	plan->duration = strtod(arg, &end);
	if (end == arg || *end || !(plan->duration > 0) || plan->duration > 1e9)
		return cmd_usage(&cmd, "--duration %s: no number of seconds",
				 arg);
	return CMD_OK;
}

static int parse_filter(struct wishes *wishes, const char *arg)
{
	char bad[64];

	wishes->branches = rcd_branch_filter(arg, bad, sizeof(bad));
	return wishes->branches ?
		       CMD_OK :
		       cmd_usage(&cmd, "-j: there is no filter '%s'", bad);
}

static int take(struct record_plan *plan, struct wishes *wishes,
		const struct cmd_opts *opts, int id)
{
	switch (id) {
	case OPT_EVENT:
		if (wishes->nr_events == 16)
			return cmd_usage(&cmd, "too many -e; take a list");
		wishes->events[wishes->nr_events++] = opts->arg;
		return CMD_OK;
	case OPT_COUNT:
		if (!cmd_opts_u64(opts, &wishes->period))
			return CMD_USAGE;
		return wishes->period ? CMD_OK :
					cmd_usage(&cmd, "-c 0 takes no sample");
	case OPT_FREQ:
		return parse_freq(wishes, opts);
	case OPT_FILTER:
		return parse_filter(wishes, opts->arg);
	case OPT_DEPTH:
		if (!cmd_opts_u64(opts, &wishes->depth))
			return CMD_USAGE;
		return wishes->depth && wishes->depth <= MAX_DEPTH ?
			       CMD_OK :
			       cmd_usage(&cmd, "--depth %s: 1 to %d", opts->arg,
					 MAX_DEPTH);
	case OPT_FOR:
		return parse_use(wishes, opts->arg);
	case OPT_PID:
		return parse_list(&plan->pids, opts->arg) ?
			       CMD_OK :
			       cmd_usage(&cmd, "-p %s: no list of processes",
					 opts->arg);
	case OPT_TID:
		return parse_list(&plan->tids, opts->arg) ?
			       CMD_OK :
			       cmd_usage(&cmd, "-t %s: no list of threads",
					 opts->arg);
	case OPT_ALL:
		plan->all = true;
		return CMD_OK;
	case OPT_CPU:
		plan->cpus = opts->arg;
		return opts->arg[strspn(opts->arg, "0123456789,-")] ||
				       !*opts->arg ?
			       cmd_usage(&cmd, "-C %s: no list of harts",
					 opts->arg) :
			       CMD_OK;
	case OPT_NO_INHERIT:
		plan->inherit = false;
		return CMD_OK;
	case OPT_DURATION:
		return parse_duration(plan, opts->arg);
	case OPT_PAGES:
		return parse_pages(plan, opts);
	case OPT_QUIET:
		plan->quiet = true;
		return CMD_OK;
	default:
		plan->output = opts->arg;
		return CMD_OK;
	}
}

static int check(const struct record_plan *plan, const struct wishes *wishes)
{
	if (wishes->period && wishes->freq)
		return cmd_usage(&cmd, "either -c or -F");
	if (record_is_of_cpus(plan) && (plan->pids.nr || plan->tids.nr))
		return cmd_usage(&cmd, "either -p and -t, or -a and -C");
	if (!record_attaches(plan) && !plan->command)
		return cmd_usage(
			&cmd,
			"what is to be recorded: a COMMAND, -p, -t, -a or -C");
	return CMD_OK;
}

/* Samples a second: not more than the kernel takes. */
static uint64_t rate(const struct record_plan *plan, uint64_t freq)
{
	uint64_t most =
		read_number("/proc/sys/kernel/perf_event_max_sample_rate");

	if (!most || freq <= most)
		return freq;
	if (freq != UINT64_MAX && freq != FREQ && !plan->quiet)
		fprintf(stderr,
			"-F %llu is more than kernel.perf_event_max_sample_rate: %llu\n",
			(unsigned long long)freq, (unsigned long long)most);
	return most;
}

static uint64_t branches(const struct wishes *wishes)
{
	if (wishes->branches)
		return wishes->branches;
	if (wishes->use == FOR_STF)
		return PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE |
		       PERF_SAMPLE_BRANCH_PRIV_SAVE |
		       PERF_SAMPLE_BRANCH_HW_INDEX;
	return PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE;
}

/* Stacks as deep as the hart has them: kernels cut them at 127 otherwise. */
static unsigned int depth(const struct wishes *wishes)
{
	uint64_t has = read_number(RCD_PMUS "/cpu/caps/branches");

	if (wishes->depth)
		return wishes->depth;
	return wishes->use && has <= MAX_DEPTH ? has : 0;
}

static bool is_fault(const struct rcd_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE &&
	       (e->attr.config == PERF_COUNT_SW_PAGE_FAULTS ||
		e->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		e->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

/* Events of the kernel's clocks come by the nanosecond. */
static bool is_clock(const struct rcd_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE &&
	       (e->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		e->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

static void configure(const struct record_plan *plan,
		      const struct wishes *wishes, struct rcd_event *e,
		      bool stack, bool beside)
{
	struct perf_event_attr *attr = &e->attr;

	attr->disabled = 1;
	attr->inherit = plan->inherit && !record_is_of_cpus(plan);
	attr->enable_on_exec = !record_attaches(plan);
	attr->sample_id_all = 1;
	attr->sample_type = RECORD_SAMPLE_TYPE;
	attr->read_format = PERF_FORMAT_ID | 1u << 4; /* PERF_FORMAT_LOST */
	attr->use_clockid = 1; /* that of jitdumps */
	attr->clockid = CLOCK_MONOTONIC;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (is_fault(e))
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (stack) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = branches(wishes);
		attr->sample_max_stack = depth(wishes);
	}
	if (e->has_period)
		return;
	if (wishes->period && !beside) {
		attr->sample_period = wishes->period;
	} else if (attr->type == PERF_TYPE_TRACEPOINT ||
		   (beside && !is_clock(e))) {
		attr->sample_period = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq =
			rate(plan, wishes->freq ? wishes->freq : FREQ);
	}
}

/* Which events tell of mappings and tasks: the first, of its own tasks. */
static int add_tracking(struct record_plan *plan, const struct wishes *wishes)
{
	struct rcd_event *e;
	char why[256];

	if (record_attaches(plan)) {
		if (rcd_add_events(&plan->events, "dummy:u", why))
			return cmd_error(&cmd, "out of memory");
		plan->nr_asked = plan->events.nr;
		e = &plan->events.v[plan->events.nr - 1];
		configure(plan, wishes, e, false, true);
	} else {
		e = &plan->events.v[0];
	}
	e->attr.mmap = e->attr.mmap2 = e->attr.build_id = 1;
	e->attr.comm = e->attr.comm_exec = e->attr.task = 1;
	return CMD_OK;
}

static void add_side_events(struct record_plan *plan,
			    const struct wishes *wishes)
{
	unsigned int i = plan->events.nr, k;
	char why[256];

	for (k = 0; k < sizeof(side_events) / sizeof(*side_events); k++)
		rcd_add_events(&plan->events, side_events[k], why);
	/* Where the kernel tells of faults with their instruction. */
	if (rcd_add_events(&plan->events, "exceptions:page_fault_*", why))
		rcd_add_events(&plan->events, "page-faults", why);
	for (; i < plan->events.nr; i++)
		configure(plan, wishes, &plan->events.v[i], false, true);
}

static int add_events(struct record_plan *plan, struct wishes *wishes)
{
	bool hardware = false, stack = false;
	unsigned int i;
	char why[256];

	/* Neither profiles nor traces are of the kernel unless one asks for it. */
	if (!wishes->nr_events)
		wishes->events[wishes->nr_events++] =
			wishes->use ? "cycles:u" : "cycles";
	for (i = 0; i < wishes->nr_events; i++) {
		const char *failed =
			rcd_add_events(&plan->events, wishes->events[i], why);

		if (failed)
			return cmd_usage(&cmd, "-e: %s", failed);
	}
	for (i = 0; i < plan->events.nr; i++)
		hardware |= rcd_is_hardware(&plan->events.v[i]);
	for (i = 0; i < plan->events.nr; i++) {
		struct rcd_event *e = &plan->events.v[i];
		bool takes = hardware ? rcd_is_hardware(e) : !stack;

		configure(plan, wishes, e, takes, hardware && !takes);
		stack |= takes;
	}
	plan->nr_asked = plan->events.nr;
	i = add_tracking(plan, wishes);
	if (i)
		return i;
	if (wishes->use == FOR_STF)
		add_side_events(plan, wishes);
	return CMD_OK;
}

int cmd_record(int argc, char **argv)
{
	struct record_plan plan = { .cmd = &cmd,
				    .argc = argc,
				    .argv = argv,
				    .inherit = true,
				    .pages = PAGES,
				    .output = "perf.data" };
	struct wishes wishes = { .nr_events = 0 };
	struct cmd_opts opts;
	int id, status = CMD_OK;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!status && (id = cmd_opts_next(&opts)) >= 0)
		status = take(&plan, &wishes, &opts, id);
	if (!status && id == CMD_OPT_EXIT) {
		status = opts.status;
		goto out;
	}
	plan.command = opts.argc && !status ? opts.argv : NULL;
	if (!status)
		status = check(&plan, &wishes);
	if (!status)
		status = add_events(&plan, &wishes);
	if (!status && rings_missing())
		status = cmd_error(&cmd, "%s", rings_missing());
	if (!status)
		status = record_run(&plan);
out:
	rcd_free_events(&plan.events);
	free(plan.pids.v);
	free(plan.tids.v);
	return status;
}
