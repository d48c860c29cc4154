// SPDX-License-Identifier: GPL-2.0-only
/*
 * plugin_ssctr.so: the module's tracepoints (driver/ctr_trace.h) in words, for all
 * that print by libtraceevent: perf, trace-cmd.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#define PLUGIN_API __attribute__((visibility("default")))

PLUGIN_API int TEP_PLUGIN_LOADER(struct tep_handle *tep);
PLUGIN_API void TEP_PLUGIN_UNLOADER(struct tep_handle *tep);

/* The words of perf record's -j, by rising bit. */
static const char *const branch_words[] = {
	"u",	   "k",	   "hv",    "any",   "any_call", "any_ret",
	"ind_call", "abort_tx", "in_tx", "no_tx", "cond",	"stack",
	"ind_jmp", "call", "no_flags", "no_cycles", "save_type", "hw_index",
	"priv",	   "counter",
};

/*
 * 0, or nonzero if the record has no such field. A printer that returns nonzero
 * leaves it to the format's own way of printing.
 */
static int field(struct trace_seq *s, struct tep_record *record,
		 struct tep_event *event, const char *name,
		 unsigned long long *value)
{
	return tep_get_field_val(s, event, name, record, value, 0);
}

static int print_save(struct trace_seq *s, struct tep_record *record,
		      struct tep_event *event, void *context)
{
	unsigned long long pid, nr;

	(void)context;
	if (field(s, record, event, "pid", &pid) ||
	    field(s, record, event, "nr", &nr))
		return -1;
	trace_seq_printf(s, "%u records of pid %d copied", (unsigned int)nr,
			 (int)pid);
	return 0;
}

static int print_restore(struct trace_seq *s, struct tep_record *record,
			 struct tep_event *event, void *context)
{
	unsigned long long pid, kept;

	(void)context;
	if (field(s, record, event, "pid", &pid) ||
	    field(s, record, event, "kept", &kept))
		return -1;
	trace_seq_printf(s, "pid %d comes with %u records", (int)pid,
			 (unsigned int)kept);
	return 0;
}

static int print_snapshot(struct trace_seq *s, struct tep_record *record,
			  struct tep_event *event, void *context)
{
	unsigned long long pid, nr, index;

	(void)context;
	if (field(s, record, event, "pid", &pid) ||
	    field(s, record, event, "nr", &nr) ||
	    field(s, record, event, "hw_idx", &index))
		return -1;
	trace_seq_printf(s, "sample of pid %d with %u records", (int)pid,
			 (unsigned int)nr);
	/* As an unsigned int; all ones: not known. */
	if ((unsigned int)index != ~0u)
		trace_seq_printf(s, ", the newest at index %u",
				 (unsigned int)index);
	return 0;
}

static void print_branch_type(struct trace_seq *s, unsigned long long type)
{
	const unsigned int nr = sizeof(branch_words) / sizeof(*branch_words);
	const char *comma = "";
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!(type >> i & 1))
			continue;
		trace_seq_printf(s, "%s%s", comma, branch_words[i]);
		comma = ",";
	}
	if (type >> nr)
		trace_seq_printf(s, "%s%#llx", comma, type >> nr << nr);
}

static int print_refuse(struct trace_seq *s, struct tep_record *record,
			struct tep_event *event, void *context)
{
	unsigned long long type, cpu, err;
	const char *name;

	(void)context;
	if (field(s, record, event, "branch_sample_type", &type) ||
	    field(s, record, event, "cpu", &cpu) ||
	    field(s, record, event, "err", &err))
		return -1;
	trace_seq_puts(s, "event with -j ");
	print_branch_type(s, type);
	if ((int)cpu >= 0)
		trace_seq_printf(s, " on CPU %d", (int)cpu);
	/* Of the machine that recorded, where common errors have equal numbers. */
	name = strerrorname_np(-(int)err);
	trace_seq_puts(s, " refused: ");
	if (name)
		trace_seq_puts(s, name);
	else
		trace_seq_printf(s, "%d", (int)err);
	return 0;
}

static const struct {
	const char *name;
	tep_event_handler_func print;
} events[] = {
	{ "ssctr_save", print_save },
	{ "ssctr_restore", print_restore },
	{ "ssctr_snapshot", print_snapshot },
	{ "ssctr_refuse", print_refuse },
};

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	unsigned int i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		tep_register_event_handler(tep, -1, "ssctr", events[i].name,
					   events[i].print, NULL);
	return 0;
}

void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	unsigned int i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		tep_unregister_event_handler(tep, -1, "ssctr", events[i].name,
					     events[i].print, NULL);
}
