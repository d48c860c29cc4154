// SPDX-License-Identifier: GPL-2.0-only
/* The lines of the module in logs of kernels that died, in all that may be around them. */
#include "console/log.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct con_log con;

static int read_log(const char *text, size_t size)
{
	FILE *file = fmemopen((void *)text, size, "r");
	struct error error;
	int ret;

	con_log_free(&con);
	con = (struct con_log){ 0 };
	CHECK(file);
	ret = con_log_read(&con, file, "x", &error);
	fclose(file);
	return ret;
}

static int read_text(const char *text)
{
	return read_log(text, strlen(text));
}

static const struct con_function *function_of(uint32_t place)
{
	return &con.functions[con.places[place].function];
}

#define HEAD(_n) "ssctr: the last " _n " branches on CPU 3, the newest last:\n"
#define CALL "ssctr:   one+0x10/0x20 -> two+0x0/0x44 [mod] (call)\n"
#define LOOP "ssctr:   two+0x8/0x44 [mod] -> two+0x4/0x44 [mod] (jump, 5 times)\n"
#define TRAP "ssctr:   two+0xc/0x44 [mod] -> handler+0x0/0x178 (exception)\n"

TEST(a_line_is_two_places_and_what_led_from_one_to_the_other)
{
	const struct con_report *report;

	CHECK_EQ(read_text(HEAD("7") CALL LOOP TRAP), 0);
	CHECK_EQ(con.nr, 1);
	report = &con.reports[0];
	CHECK_EQ(report->cpu, 3);
	CHECK_EQ(report->said, 7);
	CHECK_EQ(report->nr, 3);
	CHECK_EQ(report->nr_records, 7);
	CHECK_EQ(con_missing(report), 0);
	CHECK_STR(function_of(report->v[0].from)->name, "one");
	CHECK_STR(function_of(report->v[0].from)->module, "");
	CHECK_EQ(function_of(report->v[0].from)->size, 0x20);
	CHECK_EQ(con.places[report->v[0].from].offset, 0x10);
	CHECK_STR(function_of(report->v[0].to)->name, "two");
	CHECK_STR(function_of(report->v[0].to)->module, "mod");
	CHECK_EQ(report->v[0].end, LAST_CALLS);
	CHECK_EQ(report->v[1].times, 5);
	CHECK_EQ(report->v[2].end, LAST_TRAPS);
	/* one, two, handler; one+10, two, two+8, two+4, two+c, handler */
	CHECK_EQ(con.nr_functions, 3);
	CHECK_EQ(con.nr_places, 6);
}

TEST(each_type_of_the_module_ends_code_in_its_way)
{
	static const struct {
		const char *type;
		enum last_end end;
	} types[] = {
		{ "exception", LAST_TRAPS }, { "interrupt", LAST_TRAPS },
		{ "return from a trap", LAST_TRAP_RETURNS }, { "branch", LAST_BRANCHES },
		{ "call", LAST_CALLS }, { "jump", LAST_JUMPS },
		{ "return and call", LAST_JUMPS }, { "return", LAST_RETURNS },
		{ "transfer", LAST_JUMPS },
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		snprintf(text, sizeof(text), HEAD("2")
			 "ssctr:   a+0x0/0x8 -> b+0x0/0x8 (%s, 2 times)\n", types[i].type);
		CHECK_EQ(read_text(text), 0);
		CHECK_EQ(con.reports[0].nr_records, 2);
		CHECK_EQ(con.reports[0].v[0].end, types[i].end);
	}
}

/* As often as a hart has records. */
TEST(a_loop_ran_from_once_to_256_times)
{
	static const struct {
		const char *times;
		bool is_read;
	} rows[] = {
		{ "0", false }, { "1", true }, { "256", true }, { "257", false }, { "", false },
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), HEAD("256")
			 "ssctr:   a+0x4/0x8 -> a+0x0/0x8 (jump, %s times)\n", rows[i].times);
		CHECK_EQ(read_text(text), 0);
		CHECK_EQ(con.reports[0].nr, rows[i].is_read);
		CHECK_EQ(con.reports[0].nr_unread, !rows[i].is_read);
		if (rows[i].is_read)
			CHECK_EQ(con.reports[0].v[0].times, atoi(rows[i].times));
	}
}

TEST(user_code_and_bare_addresses_are_places)
{
	const struct con_report *report;

	CHECK_EQ(read_text(HEAD("1") "ssctr:   user code -> 0xffffffff80001234 (exception)\n"), 0);
	report = &con.reports[0];
	CHECK_EQ(con.places[report->v[0].from].function, CON_USER);
	CHECK_EQ(con.places[report->v[0].to].function, CON_ADDRESS);
	CHECK_EQ(con.places[report->v[0].to].offset, 0xffffffff80001234);
}

/* What dmesg, serial consoles, journals and pstore put before the text. */
static const char *const prefixes[] = {
	"", "<0>", "[   14.315563] ", "<0>[   14.315563] ", "[   14.315563][  T143] ",
	"[   14.315563][    C1] ", "[Wed Nov 25 09:42:12 2026] ", "kern  :emerg : [   14.315563] ",
	"Nov 25 09:42:12 host kernel: ", "2026-11-25T09:42:12,315563+00:00 ",
	"0,812,14315563,-;",
};

TEST(lines_may_have_any_prefix_and_either_end)
{
	static const char *const lines[] = { HEAD("7"), CALL, LOOP, TRAP };
	char text[2048];
	size_t i, k;

	for (i = 0; i < 2 * sizeof(prefixes) / sizeof(*prefixes); i++) {
		*text = 0;
		for (k = 0; k < 4; k++) {
			strcat(text, prefixes[i / 2]);
			strcat(text, lines[k]);
			if (i & 1)
				strcpy(text + strlen(text) - 1, "\r\n");
		}
		CHECK_EQ(read_text(text), 0);
		CHECK_EQ(con.nr, 1);
		CHECK_EQ(con.reports[0].nr_records, 7);
	}
}

/* dmesg --color=always, and what less puts behind a line */
TEST(lines_may_have_colours)
{
	CHECK_EQ(read_text("\33[32m[   14.3] \33[0m\33[33mssctr: \33[0mthe last 2 branches on CPU 3, the newest last:\n"
			   "\33[32m[   14.3] \33[0m\33[33mssctr: \33[0m\33[1;31m  one+0x10/0x20 -> two+0x0/0x44 [mod] (call)\33[0m\n"
			   "\33[1mssctr:   two+0x8/0x44 [mod] -> two+0x4/0x44 [mod] (jump)\33[m\33[K\r\n"), 0);
	CHECK_EQ(con.nr, 1);
	CHECK_EQ(con.reports[0].cpu, 3);
	CHECK_EQ(con.reports[0].nr_records, 2);
	CHECK_EQ(con.reports[0].nr_unread, 0);
}

/* A byte that begins none is a blank, as others are. */
TEST(a_colour_that_is_cut_is_none)
{
	static const char *const logs[] = {
		"\33" HEAD("1") CALL, "\33[1; " HEAD("1") CALL, HEAD("1") CALL "\33",
		HEAD("1") CALL "\33[", HEAD("1") CALL "\33[1",
	};
	size_t i;

	for (i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		CHECK_EQ(read_text(logs[i]), 0);
		CHECK_EQ(con.reports[0].nr_records, 1);
	}
	CHECK_EQ(read_text("\33[1[ T12] " HEAD("1")), 0);
	CHECK_STR(con.reports[0].caller, "T12");
}

TEST(lines_of_others_in_between_do_not_matter)
{
	CHECK_EQ(read_text("boot\n" HEAD("7") CALL "watchdog: BUG: soft lockup - CPU#1 stuck\n"
			   LOOP "ssctr: branch records on 2 of 2 CPUs, 256 deep\n" TRAP "end\n"), 0);
	CHECK_EQ(con.nr, 1);
	CHECK_EQ(con_missing(&con.reports[0]), 0);
	CHECK_EQ(con.reports[0].nr_unread, 0);
}

TEST(callers_keep_two_reports_apart)
{
	CHECK_EQ(read_text("[ 1.0][  T12] " HEAD("7") "[ 1.0][  C1] " HEAD("2")
			   "[ 1.1][  T12] " CALL "[ 1.1][  C1] " TRAP
			   "[ 1.2][  T12] " LOOP "[ 1.2][  C1] " CALL "[ 1.3][  T12] " TRAP), 0);
	CHECK_EQ(con.nr, 2);
	CHECK_EQ(con.reports[0].nr_records, 7);
	CHECK_EQ(con.reports[1].nr_records, 2);
}

TEST(a_cut_line_is_counted_and_leaves_a_gap)
{
	const struct con_report *report;

	CHECK_EQ(read_text(HEAD("7") CALL "ssctr:   two+0x8/0x44 [mod] -> two+0x4/0x4\n" TRAP), 0);
	report = &con.reports[0];
	CHECK_EQ(report->nr_unread, 1);
	CHECK_EQ(con_missing(report), 5);
	CHECK(!report->v[0].after_gap);
	CHECK(report->v[1].after_gap);
}

TEST(a_report_without_its_first_line_is_one)
{
	CHECK_EQ(read_text(CALL TRAP), 0);
	CHECK_EQ(con.nr, 1);
	CHECK_EQ(con.reports[0].said, 0);
	CHECK_EQ(con.reports[0].cpu, -1);
	CHECK_EQ(con.reports[0].nr_records, 2);
}

TEST(more_than_a_report_has_is_of_the_next_one)
{
	CHECK_EQ(read_text(HEAD("2") CALL TRAP CALL LOOP), 0);
	CHECK_EQ(con.nr, 2);
	CHECK_EQ(con.reports[0].nr_records, 2);
	CHECK_EQ(con.reports[1].nr_records, 6);
}

/* The first of them is missing, or damaged, and so is the number that it tells. */
TEST(a_report_has_at_most_256_records)
{
	static const char *const heads[] = { "", HEAD("257"), HEAD("4000000000") };
	char text[257 * sizeof(CALL) + 128];
	size_t i, k;

	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		strcpy(text, heads[i]);
		for (k = 0; k < 257; k++)
			strcat(text, CALL);
		CHECK_EQ(read_text(text), 0);
		CHECK_EQ(con.nr, 2);
		CHECK_EQ(con.reports[0].said, 0);
		CHECK_EQ(con.reports[0].nr_records, 256);
		CHECK_EQ(con.reports[1].nr_records, 1);
	}
	CHECK_EQ(read_text(HEAD("256") CALL), 0);
	CHECK_EQ(con_missing(&con.reports[0]), 255);
}

static unsigned int count_functions_named(const char *name)
{
	uint32_t number = con_functions_named(&con, name);
	unsigned int nr = 0;

	for (; number != CON_NOWHERE; number = con.functions[number].next) {
		CHECK_STR(con.functions[number].name, name);
		nr++;
	}
	return nr;
}

/* To find one of them, no others are searched. */
TEST(functions_of_one_name_are_one_list)
{
	con_log_free(&con);
	con = (struct con_log){ 0 };
	CHECK_EQ(count_functions_named("one"), 0);
	CHECK_EQ(read_text(HEAD("5") CALL LOOP "ssctr:   one+0x4/0x44 -> one+0x4/0x20 [mod] (jump)\n"
			   CALL "ssctr:   one+0x4/0x20 [other] -> mod+0x0/0x8 (jump)\n"), 0);
	CHECK_EQ(con.nr_functions, 6);
	CHECK_EQ(count_functions_named("one"), 4);
	CHECK_EQ(count_functions_named("two"), 1);
	CHECK_EQ(count_functions_named("mod"), 1);
	CHECK_EQ(count_functions_named("other"), 0);
	CHECK_EQ(count_functions_named("none"), 0);
	/* "", one, two, mod, other */
	CHECK_EQ(con.nr_words, 5);
}

TEST(registers_begin_another_report_if_lines_are_missing)
{
	CHECK_EQ(read_text(HEAD("7") CALL "Unable to handle kernel paging request\n"
			   "epc : two+0xc/0x44 [mod]\n" TRAP), 0);
	CHECK_EQ(con.nr, 2);
	CHECK_EQ(con.reports[0].nr_records, 1);
	CHECK_EQ(con.reports[1].nr_records, 1);
	CHECK_EQ(con.reports[1].epc, con.reports[1].v[0].from);
}

#define OOPS                                                                          \
	"Unable to handle kernel NULL pointer dereference at virtual address 0000\n"  \
	"Oops [#1]\n"                                                                 \
	"CPU: 1 UID: 0 PID: 143 Comm: my tool Tainted: G           OE       7.2.11\n" \
	"epc : two+0xc/0x44 [mod]\n"                                                  \
	" ra : one+0x14/0x20\n"                                                       \
	"epc : ffffffff02345678 ra : ffffffff02345690 sp : ff20000000013c30\n"

TEST(what_the_kernel_said_belongs_to_the_report)
{
	const struct con_report *report;

	CHECK_EQ(read_text(OOPS HEAD("7") CALL LOOP TRAP), 0);
	report = &con.reports[0];
	CHECK_STR(report->what,
		  "Unable to handle kernel NULL pointer dereference at virtual address 0000");
	CHECK_STR(report->comm, "my tool");
	CHECK_EQ(report->pid, 143);
	CHECK_EQ(report->epc, report->v[2].from);
	CHECK(!report->panicked);
}

TEST(a_warning_before_it_does_not_count)
{
	CHECK_EQ(read_text("WARNING: CPU: 1 PID: 9 at mm/x.c:1\nCPU: 1 PID: 9 Comm: other Tainted\n"
			   "epc : one+0x0/0x20\n" OOPS HEAD("7") CALL LOOP TRAP), 0);
	CHECK_EQ(con.reports[0].pid, 143);
	CHECK_EQ(con.reports[0].epc, con.reports[0].v[2].from);
}

#define UNABLE "Unable to handle kernel paging request at virtual address 0077"
#define ILLEGAL "Oops - illegal instruction [#2]"

TEST(registers_are_those_behind_the_word_oops)
{
	CHECK_EQ(read_text(UNABLE "\nepc : one+0x0/0x20\nOops [#1]\n"
			   "epc : two+0xc/0x44 [mod]\n" HEAD("7") CALL LOOP TRAP), 0);
	CHECK_STR(con.reports[0].what, UNABLE);
	CHECK_EQ(con.reports[0].epc, con.reports[0].v[2].from);
}

TEST(a_report_has_the_words_of_its_own_death)
{
	static const struct {
		const char *before, *what;
	} rows[] = {
		{ "BUG: sleeping function called from invalid context at x.c:1\n" ILLEGAL, ILLEGAL },
		{ "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [other:7]\n" ILLEGAL, ILLEGAL },
		{ "BUG: sleeping function called from invalid context at x.c:1", "" },
		{ UNABLE "\nOops [#2]", UNABLE },
		{ "kernel BUG at x.c:1!\nKernel BUG [#2]", "kernel BUG at x.c:1!" },
		{ "Oops [#2]", "Oops [#2]" },
		{ "Kernel BUG [#2]", "Kernel BUG [#2]" },
		/* The first had no list. */
		{ UNABLE "\nOops [#1]\n" ILLEGAL, ILLEGAL },
		{ UNABLE "\n" ILLEGAL, ILLEGAL },
		{ UNABLE "\nOops [#1]\nKernel BUG [#2]", "Kernel BUG [#2]" },
		{ "kernel BUG at x.c:1!\nKernel BUG [#1]\nOops [#2]", "Oops [#2]" },
		{ "kernel BUG at x.c:1!\nKernel BUG [#1]\n" UNABLE "\nOops [#2]", UNABLE },
		{ ILLEGAL "\nOops [#3]", "Oops [#3]" },
		{ "Kernel panic - not syncing: why\nOops [#2]", "Oops [#2]" },
		{ "Unable to handle swap header version 2", "" },
	};
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "%s\n" HEAD("1") CALL, rows[i].before);
		CHECK_EQ(read_text(text), 0);
		CHECK_STR(con.reports[0].what, rows[i].what);
		CHECK(!con.reports[0].panicked);
	}
}

TEST(callers_keep_the_words_of_two_deaths_apart)
{
	CHECK_EQ(read_text("[ 1.0][  T12] " UNABLE "\n[ 1.0][   C1] " ILLEGAL "\n"
			   "[ 1.1][  T12] CPU: 0 UID: 0 PID: 12 Comm: tool Tainted: G\n"
			   "[ 1.1][   C1] CPU: 1 UID: 0 PID: 9 Comm: other Tainted: G\n"
			   "[ 1.2][  T12] epc : two+0xc/0x44 [mod]\n[ 1.2][   C1] epc : one+0x0/0x20\n"
			   "[ 1.3][   C1] " HEAD("1") "[ 1.3][  T12] " HEAD("1")
			   "[ 1.4][   C1] " CALL "[ 1.4][  T12] " TRAP), 0);
	CHECK_EQ(con.nr, 2);
	CHECK_STR(con.reports[0].what, ILLEGAL);
	CHECK_STR(con.reports[0].comm, "other");
	CHECK_EQ(con.reports[0].pid, 9);
	CHECK_EQ(con.places[con.reports[0].epc].offset, 0);
	CHECK_STR(con.reports[1].what, UNABLE);
	CHECK_STR(con.reports[1].comm, "tool");
	CHECK_EQ(con.reports[1].epc, con.reports[1].v[0].from);
}

/* Those who said something the longest ago are forgotten. */
TEST(any_number_of_callers_may_die)
{
	static char text[1 << 17];
	size_t at = 0, i;

	for (i = 0; i < 1000; i++)
		at += sprintf(text + at, "[ 1.0][ T%zu] " ILLEGAL "\n", i);
	at += sprintf(text + at, "[ 1.0][ T12] " HEAD("1") "[ 1.0] " HEAD("1"));
	for (i = 938; i < 1000; i++)
		at += sprintf(text + at, "[ 1.0][ T%zu] " HEAD("1"), i);
	CHECK_EQ(read_text(text), 0);
	CHECK_EQ(con.nr, 64);
	for (i = 0; i < con.nr; i++) {
		CHECK_STR(con.reports[i].what, i < 2 ? "" : ILLEGAL);
		CHECK_EQ(con.reports[i].epc, CON_NOWHERE);
	}
}

/* The name of a module is no caller. */
TEST(a_caller_stands_before_the_text)
{
	CHECK_EQ(read_text(HEAD("2") "ssctr:   two+0x8/0x44 [T1] -> two+0x4/0x44 [C2] (jump)\n" CALL), 0);
	CHECK_EQ(con.nr, 1);
	CHECK_STR(con.reports[0].caller, "");
	CHECK_EQ(con.reports[0].nr_records, 2);
	CHECK_EQ(read_text("epc : two+0xc/0x44 [T1]\n" HEAD("1")), 0);
	CHECK(con.reports[0].epc != CON_NOWHERE);
	/* util-linux writes a blank in between. */
	CHECK_EQ(read_text("[   14.3] [    T12] " HEAD("1")), 0);
	CHECK_STR(con.reports[0].caller, "T12");
}

TEST(a_panic_is_known_by_its_words)
{
	CHECK_EQ(read_text(OOPS HEAD("7") CALL LOOP TRAP
			   "[ 2.0] Kernel panic - not syncing: sysrq triggered crash\n"
			   "CPU: 1 UID: 0 PID: 1 Comm: sh Not tainted\n" HEAD("1") CALL
			   "---[ end Kernel panic - not syncing: sysrq triggered crash ]---\n"), 0);
	CHECK_EQ(con.nr, 2);
	CHECK(con.reports[1].panicked);
	CHECK_STR(con.reports[1].what, "Kernel panic - not syncing: sysrq triggered crash");
	CHECK_STR(con.reports[1].comm, "sh");
	CHECK_EQ(con.reports[1].epc, CON_NOWHERE);
}

TEST(a_report_may_tell_that_nothing_was_recorded)
{
	CHECK_EQ(read_text("ssctr: no branch of the kernel was recorded on CPU 2: an event of user code alone was\n"), 0);
	CHECK(con.reports[0].none);
	CHECK_EQ(con.reports[0].cpu, 2);
	CHECK_STR(con.reports[0].why, "an event of user code alone was");
	CHECK_EQ(read_text("ssctr: no branch of the kernel was recorded on CPU 2\n"), 0);
	CHECK(con.reports[0].none);
	CHECK_STR(con.reports[0].why, "");
}

TEST(a_log_without_reports_is_an_error)
{
	CHECK_EQ(read_text("ssctr: branch records on 2 of 2 CPUs, 256 deep\n"), ERROR_NOTHING);
	CHECK_EQ(read_text("\n"), ERROR_NOTHING);
}

TEST(the_number_of_reports_is_bounded)
{
	const size_t one = strlen(HEAD("1") CALL);
	char *text = malloc(1002 * one + 1);
	unsigned int i;

	CHECK(text);
	for (i = 0; i < 1002; i++)
		strcpy(text + i * one, HEAD("1") CALL);
	CHECK_EQ(read_log(text, 1002 * one), 0);
	CHECK_EQ(con.nr, 1000);
	CHECK_EQ(con.nr_dropped, 2);
	free(text);
}

TEST(reports_that_are_dropped_take_no_memory)
{
	static const char line[] = "ssctr:   new+0x4/0x8 -> new+0x0/0x8 (jump)\n";
	const size_t one = strlen(HEAD("1") CALL);
	char *text = malloc(1001 * one + sizeof(line));
	unsigned int i;

	CHECK(text);
	for (i = 0; i < 1001; i++)
		strcpy(text + i * one, HEAD("1") CALL);
	strcpy(text + 1001 * one, line);
	CHECK_EQ(read_text(text), 0);
	CHECK_EQ(con.nr, 1000);
	CHECK_EQ(con.nr_functions, 2);
	CHECK_EQ(con.nr_places, 2);
	free(text);
}

#define WHOLE OOPS "[   14.3][  T143] " HEAD("7") "[   14.3][  T143] " CALL LOOP TRAP

static void check_bounds(void)
{
	size_t i, k;

	for (i = 0; i < con.nr; i++)
		for (k = 0; k < con.reports[i].nr; k++) {
			CHECK(con.reports[i].v[k].from < con.nr_places);
			CHECK(con.reports[i].v[k].to < con.nr_places);
		}
}

TEST(a_log_can_end_anywhere)
{
	size_t size;

	for (size = 1; size < strlen(WHOLE); size++) {
		int ret = read_log(WHOLE, size);

		CHECK(ret == 0 || ret == ERROR_NOTHING);
		check_bounds();
	}
}

TEST(any_byte_can_be_wrong)
{
	char text[sizeof(WHOLE)];
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		memcpy(text, WHOLE, sizeof(text));
		text[test_random() % (sizeof(text) - 1)] = test_random();
		text[test_random() % (sizeof(text) - 1)] = test_random();
		CHECK(read_log(text, sizeof(text) - 1) <= 0);
		check_bounds();
	}
}

