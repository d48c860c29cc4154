// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr info`: what an STF trace is, and how much of what is in it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ssctr.h"
#include "stf/stf.h"
#include "text.h"

static const struct cmd_opt options[] = {
	{ 'i', "input", "TRACE", "the trace; - is standard input" },
	{ 0 }
};

static const struct cmd cmd = {
	.name = "info",
	.usage = "[-i] TRACE",
	.about =
		"Print the header of an STF trace, and counts: records by kind, instructions,\n"
		"gaps (places where instructions are missing), taken branches, events, threads.\n"
		"The whole trace is read.",
	.example = "  ssctr info program.zstf",
	.opts = options,
};

/* More kinds of events than these are counted together. */
#define MAX_EVENTS 256

struct event_count {
	uint64_t id;
	uint64_t mode; /* of a MODE_CHANGE */
	uint64_t count;
};

/* Different threads, unsorted and with doubles until the list is full. */
struct threads {
	struct stf_process *v;
	size_t nr;
	size_t room;
};

struct info {
	struct stf_reader *reader;
	uint64_t records[256];
	uint64_t taken;
	uint64_t gaps;
	uint64_t size16;
	struct event_count events[MAX_EVENTS];
	unsigned int n_events;
	uint64_t other_events;
	struct threads threads;
	struct text text;
};

/* -------------------------------------------------------------------- threads */

static int by_thread(const void *a, const void *b)
{
	const struct stf_process *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->hart > y->hart) - (x->hart < y->hart);
}

static void sort_threads(struct threads *t)
{
	size_t i, n = 0;

	qsort(t->v, t->nr, sizeof(*t->v), by_thread);
	for (i = 0; i < t->nr; i++)
		if (!n || by_thread(&t->v[n - 1], &t->v[i]))
			t->v[n++] = t->v[i];
	t->nr = n;
}

static bool add_thread(struct threads *t, const struct stf_process *process)
{
	if (t->nr == t->room && t->nr)
		sort_threads(t);
	if (t->nr >= t->room / 2 + t->room / 4) {
		size_t room = t->room ? t->room * 2 : 64;
		void *v = realloc(t->v, room * sizeof(*t->v));

		if (!v)
			return false;
		t->v = v;
		t->room = room;
	}
	t->v[t->nr++] = *process;
	return true;
}

/* ------------------------------------------------------------------- counting */

static void count_event(struct info *info, const struct stf_event *event)
{
	bool mode_change = event->id == STF_EVENT_MODE_CHANGE &&
			   event->n_fields == 1;
	uint64_t mode = mode_change ? event->fields[0] : STF_MODE_UNKNOWN;
	unsigned int i;

	for (i = 0; i < info->n_events; i++)
		if (info->events[i].id == event->id &&
		    info->events[i].mode == mode)
			break;
	if (i == MAX_EVENTS) {
		info->other_events++;
		return;
	}
	if (i == info->n_events)
		info->events[info->n_events++] =
			(struct event_count){ event->id, mode, 0 };
	info->events[i].count++;
}

static void count_record(struct info *info, const struct stf_record *rec)
{
	info->records[rec->desc]++;
	if (rec->desc == STF_EVENT)
		count_event(info, &rec->event);
}

static int no_memory(void)
{
	return cmd_error(&cmd, "no memory");
}

static int failed(const struct info *info)
{
	return cmd_error(&cmd, "%s", stf_reader_error(info->reader));
}

static int count_insts(struct info *info)
{
	struct stf_inst_iter *iter = stf_inst_iter_new(info->reader);
	struct stf_record rec;
	struct stf_inst inst;
	bool first = true;
	int more;

	if (!iter)
		return no_memory();
	while ((more = stf_inst_iter_next(iter, &inst)) > 0) {
		info->taken += !!(inst.flags & STF_INST_F_TAKEN);
		info->gaps += !!(inst.flags & STF_INST_F_GAP);
		info->size16 += inst.size == 2;
		if (first || inst.flags & STF_INST_F_PROCESS) {
			if (!add_thread(&info->threads, &inst.process)) {
				stf_inst_iter_free(iter);
				return no_memory();
			}
			first = false;
		}
		if (!inst.flags) {
			info->records[inst.size == 2 ? STF_INST_16 :
						       STF_INST_32]++;
			continue;
		}
		while (stf_inst_iter_record(iter, &rec) > 0)
			count_record(info, &rec);
	}
	while (!more && stf_inst_iter_record(iter, &rec) > 0)
		count_record(info, &rec);
	stf_inst_iter_free(iter);
	return more < 0 ? failed(info) : CMD_OK;
}

static int count_transactions(struct info *info)
{
	struct stf_record rec;
	int more;

	while ((more = stf_reader_next(info->reader, &rec)) > 0)
		count_record(info, &rec);
	return more < 0 ? failed(info) : CMD_OK;
}

/* ------------------------------------------------------------------- printing */

static void print_text(struct info *info, const char *label,
		       const struct stf_text *text)
{
	struct text *line = &info->text;

	text_str(line, label);
	text_quoted(line, text->data, text->size);
	text_line(line);
	text_flush(line);
}

static void print_trace_info(struct info *info,
			     const struct stf_trace_info *trace_info)
{
	const char *name = stf_generator_name(trace_info->generator);

	printf("generator        %s (%u) %u.%u.%u\n", name ? name : "unknown",
	       trace_info->generator, trace_info->major, trace_info->minor,
	       trace_info->patch);
	print_text(info, "                 ", &trace_info->text);
}

static void print_features(uint64_t features)
{
	unsigned int i;

	printf("features         0x%" PRIx64, features);
	for (i = 0; i < 64; i++) {
		uint64_t bit = UINT64_C(1) << i;
		const char *name = stf_feature_name(bit);

		if (features & bit && name)
			printf(" %s", name);
		else if (features & bit)
			printf(" 0x%" PRIx64, bit);
	}
	printf("\n");
}

static const char *isa_name(unsigned int isa)
{
	static const char *const names[] = {
		[STF_ISA_RISCV] = "RISC-V", [STF_ISA_ARM] = "Arm",
		[STF_ISA_X86] = "x86", [STF_ISA_POWER] = "Power",
	};

	return isa && isa <= STF_ISA_POWER ? names[isa] : "unknown";
}

static void print_header_record(struct info *info, const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_VERSION:
		printf("version          %" PRIu32 ".%" PRIu32 "\n",
		       rec->version.major, rec->version.minor);
		break;
	case STF_COMMENT:
		print_text(info, "comment          ", &rec->text);
		break;
	case STF_ISA:
		printf("isa              %s (%u)\n", isa_name(rec->isa),
		       rec->isa);
		break;
	case STF_INST_IEM:
		printf("encoding         %s (%u)\n",
		       rec->iem == STF_IEM_RV64 ? "RV64" :
		       rec->iem == STF_IEM_RV32 ? "RV32" : "unknown", rec->iem);
		break;
	case STF_TRACE_INFO:
		print_trace_info(info, &rec->trace_info);
		break;
	case STF_TRACE_INFO_FEATURE:
		print_features(rec->features);
		break;
	case STF_PROCESS_ID_EXT:
		printf("process          hart %" PRIu32 ", pid %" PRIu32
		       ", tid %" PRIu32 "\n", rec->process.hart,
		       rec->process.pid, rec->process.tid);
		break;
	case STF_FORCE_PC:
		printf("first pc         0x%" PRIx64 "\n", rec->pc);
		break;
	case STF_VLEN_CONFIG:
		printf("vlen             %" PRIu32 " bits\n", rec->vlen);
		break;
	case STF_PROTOCOL_ID:
		printf("protocol         %s (%u)\n",
		       rec->protocol == STF_PROTOCOL_TILELINK ? "TileLink" :
								"unknown",
		       rec->protocol);
		break;
	case STF_CLOCK_ID:
		printf("clock %-10u ", rec->clock.id);
		print_text(info, "", &rec->clock.name);
		break;
	case STF_ISA_EXTENDED:
		print_text(info, "isa string       ", &rec->text);
		break;
	}
}

static int print_header(struct info *info)
{
	const struct stf_params *params = stf_reader_params(info->reader);
	struct stf_record rec;
	int more = 1;

	while (!params->header_ended) {
		more = stf_reader_next(info->reader, &rec);
		if (more <= 0)
			break;
		count_record(info, &rec);
		print_header_record(info, &rec);
	}
	if (!more)
		return cmd_error(&cmd, "the trace has no END_HEADER");
	return more < 0 ? failed(info) : CMD_OK;
}

static void print_size(const struct info *info)
{
	struct stf_stats stats;

	stf_reader_stats(info->reader, &stats);
	if (stats.container == STF_CONTAINER_ZSTF) {
		printf("container        .zstf: %" PRIu64 " chunk%s of up to %"
		       PRIu64 " instructions\n", stats.chunks,
		       stats.chunks == 1 ? "" : "s", stats.chunk_markers);
		printf("size             %" PRIu64 " bytes, %" PRIu64
		       " uncompressed (%.1f times)\n", stats.file_bytes,
		       stats.trace_bytes,
		       (double)stats.trace_bytes / (double)stats.file_bytes);
	} else {
		printf("container        none\n");
		printf("size             %" PRIu64 " bytes\n",
		       stats.trace_bytes);
	}
	if (stats.instructions)
		printf("per instruction  %.2f bytes, %.2f uncompressed\n",
		       (double)stats.file_bytes / (double)stats.instructions,
		       (double)stats.trace_bytes / (double)stats.instructions);
}

static void print_events(const struct info *info)
{
	char name[STF_EVENT_NAME_MAX];
	unsigned int i;

	if (info->n_events)
		printf("events\n");
	for (i = 0; i < info->n_events; i++) {
		const struct event_count *event = &info->events[i];
		const char *mode = stf_mode_name((unsigned int)event->mode);

		printf("%16" PRIu64 "  %s%s%s\n", event->count,
		       stf_event_name(event->id, name), mode ? " " : "",
		       mode ? mode : "");
	}
	if (info->other_events)
		printf("%16" PRIu64 "  of other kinds\n", info->other_events);
}

static void print_threads(struct info *info)
{
	struct threads *t = &info->threads;
	size_t i, pids = 0, tids = 0;

	if (!info->records[STF_PROCESS_ID_EXT])
		return;
	sort_threads(t);
	for (i = 0; i < t->nr; i++) {
		bool new_pid = !i || t->v[i].pid != t->v[i - 1].pid;

		pids += new_pid;
		tids += new_pid || t->v[i].tid != t->v[i - 1].tid;
	}
	printf("processes        %zu\n", pids);
	printf("threads          %zu\n", tids);
}

static void print_counts(struct info *info)
{
	struct stf_stats stats;
	unsigned int i;

	stf_reader_stats(info->reader, &stats);
	printf("records          %" PRIu64 "\n", stats.records);
	for (i = 0; i < 256; i++)
		if (info->records[i])
			printf("%16" PRIu64 "  %s\n", info->records[i],
			       stf_desc_name(i));
	if (info->records[STF_TRANSACTION])
		return;
	printf("instructions     %" PRIu64 ", %" PRIu64 " of them of 16 bits\n",
	       stats.instructions, info->size16);
	printf("taken branches   %" PRIu64 "\n", info->taken);
	printf("gaps             %" PRIu64 "\n", info->gaps);
	print_threads(info);
	print_events(info);
}

/* ---------------------------------------------------------------- the command */

static int info_trace(struct info *info)
{
	int ret;

	ret = print_header(info);
	if (ret)
		return ret;
	if (stf_reader_params(info->reader)->protocol)
		ret = count_transactions(info);
	else
		ret = count_insts(info);
	/* What was read before a fault is told as well. */
	print_size(info);
	print_counts(info);
	return ret;
}

int cmd_info(int argc, char **argv)
{
	const char *input = NULL;
	struct stf_error err;
	struct cmd_opts opts;
	struct info *info;
	int id, ret;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0)
		input = opts.arg;
	if (id == CMD_OPT_EXIT)
		return opts.status;
	input = cmd_opts_input(&opts, input);
	if (!input)
		return CMD_USAGE;
	info = calloc(1, sizeof(*info));
	if (!info)
		return no_memory();
	info->reader = stf_reader_open(input, NULL, &err);
	if (info->reader)
		ret = info_trace(info);
	else
		ret = cmd_error(&cmd, "%s", err.text);
	stf_reader_close(info->reader);
	free(info->threads.v);
	free(info);
	return ret;
}
