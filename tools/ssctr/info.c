// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr info`: what an STF trace is, and how much of what is in it. */
#include <stdlib.h>

#include "info.h"
#include "layout.h"
#include "riscv/rv_insn.h"
#include "ssctr.h"

static const struct opt options[] = {
	{ 'i', "input", "TRACE", "the trace; - is standard input" },
	{ 'j', "json", NULL, "one JSON object" },
	LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "info",
	.usage = "[options] [-i] TRACE",
	.about =
		"Print the header of an STF trace, and counts: records by kind, instructions,\n"
		"gaps (places where instructions are missing), taken branches, the instruction\n"
		"mix, memory accesses and the pages that data and code lie on, events, threads,\n"
		"and how well it is compressed. The whole trace is read.",
	.example = "  ssctr info program.zstf",
	.opts = options,
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

	if (!t->nr)
		return;
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

/* Returns false if there is no memory. */
static bool count_access(struct info *info, const struct stf_mem_access *access)
{
	struct accesses *count = access->access == STF_ACCESS_WRITE ?
					 &info->writes : &info->reads;

	count->count++;
	count->bytes += access->size;
	return pages_touch(&info->data, access->address, access->size);
}

static bool count_record(struct info *info, const struct stf_record *rec)
{
	info->records[rec->desc]++;
	if (rec->desc == STF_INST_MEM_ACCESS)
		return count_access(info, &rec->mem_access);
	if (rec->desc == STF_EVENT)
		count_event(info, &rec->event);
	return true;
}

static int no_memory(void)
{
	return cmd_error(&cmd, "no memory");
}

static int failed(const struct info *info)
{
	return cmd_error(&cmd, "%s", stf_reader_error(info->reader));
}

/* Returns false if there is no memory. */
static bool count_inst(struct info *info, const struct stf_inst *inst,
		       struct stf_inst_iter *iter, unsigned int rv_flags)
{
	struct stf_record rec;

	info->classes[rv_class(inst->opcode, rv_flags)]++;
	info->taken += !!(inst->flags & STF_INST_F_TAKEN);
	info->gaps += !!(inst->flags & STF_INST_F_GAP);
	info->size16 += inst->size == 2;
	if (!pages_touch(&info->code, inst->pc, inst->size))
		return false;
	if ((!inst->index || inst->flags & STF_INST_F_PROCESS) &&
	    !add_thread(&info->threads, &inst->process))
		return false;
	if (!inst->flags) {
		info->records[inst->size == 2 ? STF_INST_16 : STF_INST_32]++;
		return true;
	}
	while (stf_inst_iter_record(iter, &rec) > 0)
		if (!count_record(info, &rec))
			return false;
	return true;
}

static int count_insts(struct info *info)
{
	struct stf_inst inst;
	struct stf_inst_iter *iter = stf_inst_iter_new(info->reader, sizeof(inst));
	bool rv32 = stf_reader_params(info->reader)->iem == STF_IEM_RV32;
	struct stf_record rec;
	bool ok = true;
	int more = 1;

	if (!iter)
		return no_memory();
	while (ok && (more = stf_inst_iter_next(iter, &inst)) > 0)
		ok = count_inst(info, &inst, iter, rv32 ? RV_RV32 : 0);
	while (ok && !more && stf_inst_iter_record(iter, &rec) > 0)
		ok = count_record(info, &rec);
	stf_inst_iter_free(iter);
	if (!ok)
		return no_memory();
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

static void count_threads(struct info *info)
{
	struct threads *t = &info->threads;
	size_t i;

	sort_threads(t);
	for (i = 0; i < t->nr; i++) {
		bool new_pid = !i || t->v[i].pid != t->v[i - 1].pid;

		info->n_pids += new_pid;
		info->n_tids += new_pid || t->v[i].tid != t->v[i - 1].tid;
	}
}

/* ---------------------------------------------------------------- the command */

static int read_header(struct info *info, bool json)
{
	const struct stf_params *params = stf_reader_params(info->reader);
	struct stf_record rec;
	int more = 1;

	while (!params->header_ended) {
		more = stf_reader_next(info->reader, &rec);
		if (more <= 0)
			break;
		count_record(info, &rec);
		if (json)
			info_json_header(info, &rec);
		else
			info_text_header(info, &rec);
	}
	if (!more)
		return cmd_error(&cmd, "the trace has no END_HEADER");
	return more < 0 ? failed(info) : CMD_OK;
}

static int info_trace(struct info *info, bool json)
{
	int ret;

	ret = read_header(info, json);
	if (ret)
		return ret;
	if (stf_reader_params(info->reader)->protocol)
		ret = count_transactions(info);
	else
		ret = count_insts(info);
	count_threads(info);
	info->stats.size = sizeof(info->stats);
	stf_reader_stats(info->reader, &info->stats);
	/* What was read before a fault is told as well. */
	if (json)
		info_json(info);
	else
		info_text(info);
	return ret;
}

int cmd_info(int argc, char **argv)
{
	struct stf_reader_opts reader_opts = { .size = sizeof(reader_opts) };
	const char *input = NULL;
	struct stf_error err;
	struct cmd_opts opts;
	struct info *info;
	bool json = false;
	int id, ret;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		if (id == 'j')
			json = true;
		else if (id == 'i')
			input = opts.arg;
		else if (!layout_option(&opts, id, &reader_opts))
			return CMD_USAGE;
	}
	if (id == CMD_OPT_EXIT)
		return opts.status;
	input = cmd_opts_input(&opts, input);
	if (!input)
		return CMD_USAGE;
	info = calloc(1, sizeof(*info));
	if (!info)
		return no_memory();
	info->reader = stf_reader_open(input, &reader_opts, &err);
	if (info->reader)
		ret = info_trace(info, json);
	else
		ret = cmd_error(&cmd, "%s", err.text);
	stf_reader_close(info->reader);
	free(info->threads.v);
	pages_free(&info->data);
	pages_free(&info->code);
	free(info);
	return ret;
}
