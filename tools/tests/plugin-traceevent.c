// SPDX-License-Identifier: GPL-2.0-only
/* What libtraceevent prints of the module's tracepoints with our plug-in. */
#include "test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

/* The plug-in is linked with this program. */
int tep_plugin_loader(struct tep_handle *tep);
void tep_plugin_unloader(struct tep_handle *tep);

enum { ID = 77, BODY = 8 };

#define FIELD(_type, _name, _at, _size, _signed)                               \
	"\tfield:" _type " " _name ";\toffset:" #_at ";\tsize:" #_size         \
	";\tsigned:" #_signed ";\n"

/* As format files in events/ssctr of tracefs have it. */
static const char *format_of(const char *name, const char *fields)
{
	static char format[2048];

	snprintf(format, sizeof(format),
		 "name: %s\nID: %d\nformat:\n"
		 FIELD("unsigned short", "common_type", 0, 2, 0)
		 FIELD("unsigned char", "common_flags", 2, 1, 0)
		 FIELD("unsigned char", "common_preempt_count", 3, 1, 0)
		 FIELD("int", "common_pid", 4, 4, 1) "\n%s\n"
		 "print fmt: \"pid=%%d\", REC->common_pid\n", name, ID, fields);
	return format;
}

static void check_prints(int line, const char *name, const char *fields,
			 const void *body, unsigned int size, const char *want)
{
	struct tep_handle *tep = tep_alloc();
	uint8_t data[64] = { ID };
	struct tep_record record = { .data = data, .size = BODY + size };
	const char *format = format_of(name, fields);
	struct tep_event *event = NULL;
	struct trace_seq s;

	memcpy(data + BODY, body, size);
	tep_plugin_loader(tep);
	if (tep_parse_format(tep, &event, format, strlen(format), "ssctr"))
		test_fail(__FILE__, line, "the format is not taken");
	trace_seq_init(&s);
	tep_print_event(tep, &s, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&s);
	if (strcmp(s.buffer, want))
		test_fail(__FILE__, line, "\"%s\", not \"%s\"", s.buffer, want);
	trace_seq_destroy(&s);
	tep_plugin_unloader(tep);
	tep_free(tep);
}

#define CHECK_TELLS(_name, _fields, _want, ...)                                \
	do {                                                                   \
		const int32_t _body[] = { __VA_ARGS__ };                       \
		check_prints(__LINE__, _name, _fields, _body, sizeof(_body),   \
			     _want);                                           \
	} while (0)

#define SAVE                                                                   \
	FIELD("pid_t", "pid", 8, 4, 1)                                         \
	FIELD("unsigned int", "nr", 12, 4, 0)
#define RESTORE                                                                \
	FIELD("pid_t", "pid", 8, 4, 1)                                         \
	FIELD("unsigned int", "kept", 12, 4, 0)
#define SNAPSHOT                                                               \
	FIELD("pid_t", "pid", 8, 4, 1)                                         \
	FIELD("unsigned int", "nr", 12, 4, 0)                                  \
	FIELD("unsigned int", "hw_idx", 16, 4, 0)
#define REFUSE                                                                 \
	FIELD("u64", "branch_sample_type", 8, 8, 0)                            \
	FIELD("int", "cpu", 16, 4, 1)                                          \
	FIELD("int", "err", 20, 4, 1)

TEST(save_says_what_was_copied)
{
	CHECK_TELLS("ssctr_save", SAVE, "3 records of pid 12 copied", 12, 3);
}

TEST(restore_says_with_how_many_it_comes)
{
	CHECK_TELLS("ssctr_restore", RESTORE, "pid 12 comes with 35 records",
		    12, 35);
}

TEST(snapshot_says_where_the_newest_record_is)
{
	CHECK_TELLS("ssctr_snapshot", SNAPSHOT,
		    "sample of pid 12 with 32 records, the newest at index 31",
		    12, 32, 31);
	CHECK_TELLS("ssctr_snapshot", SNAPSHOT,
		    "sample of pid 12 with 32 records", 12, 32, -1);
}

TEST(refuse_says_what_in_words_of_perf)
{
	CHECK_TELLS("ssctr_refuse", REFUSE,
		    "event with -j u,any,hw_index on CPU 1 refused: EOPNOTSUPP",
		    PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY |
			    PERF_SAMPLE_BRANCH_HW_INDEX,
		    0, 1, -EOPNOTSUPP);
	CHECK_TELLS("ssctr_refuse", REFUSE,
		    "event with -j counter,0x8000000000000 refused: EINVAL",
		    1 << 19, 1 << 19, -1, -EINVAL);
}

/* Each word is that of the kernel's bit. */
TEST(refuse_knows_all_kinds_of_branches)
{
	static const struct {
		unsigned int type;
		const char *word;
	} kinds[] = {
		{ PERF_SAMPLE_BRANCH_KERNEL, "k" },
		{ PERF_SAMPLE_BRANCH_HV, "hv" },
		{ PERF_SAMPLE_BRANCH_ANY_CALL, "any_call" },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, "any_ret" },
		{ PERF_SAMPLE_BRANCH_IND_CALL, "ind_call" },
		{ PERF_SAMPLE_BRANCH_ABORT_TX, "abort_tx" },
		{ PERF_SAMPLE_BRANCH_IN_TX, "in_tx" },
		{ PERF_SAMPLE_BRANCH_NO_TX, "no_tx" },
		{ PERF_SAMPLE_BRANCH_COND, "cond" },
		{ PERF_SAMPLE_BRANCH_CALL_STACK, "stack" },
		{ PERF_SAMPLE_BRANCH_IND_JUMP, "ind_jmp" },
		{ PERF_SAMPLE_BRANCH_CALL, "call" },
		{ PERF_SAMPLE_BRANCH_NO_FLAGS, "no_flags" },
		{ PERF_SAMPLE_BRANCH_NO_CYCLES, "no_cycles" },
		{ PERF_SAMPLE_BRANCH_TYPE_SAVE, "save_type" },
		{ PERF_SAMPLE_BRANCH_PRIV_SAVE, "priv" },
	};
	char want[64];
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		snprintf(want, sizeof(want),
			 "event with -j %s on CPU 0 refused: EPERM",
			 kinds[i].word);
		CHECK_TELLS("ssctr_refuse", REFUSE, want, (int)kinds[i].type, 0,
			    0, -EPERM);
	}
}

TEST(a_record_of_another_form_is_printed_by_its_own_format)
{
	CHECK_TELLS("ssctr_save", FIELD("int", "other", 8, 4, 1), "pid=0", 0);
}
