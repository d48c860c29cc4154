// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last --console: the path before a kernel died, from its log. */
#include "cmd-hot.h"
#include "kernel-build.h"

/*
 * The function before work has 00 to 08, and the one after it 18 to 20. One of the parcels
 * is another one.
 */
static void write_vmlinux_of(const char *after, unsigned int at, uint16_t parcel)
{
	static const uint8_t id[20] = { 0xab };
	struct dwb debug;
	unsigned int i;

	for (i = 0; i < SIZE / 2; i++)
		text[i] = 0x0505; /* c.addi a0, 1 */
	text[at / 2] = parcel;
	elf = (struct elfb){ .code = text, .code_size = sizeof(text), .build_id = id,
			     .build_id_size = 20 };
	add_function("_stext", 0, 0);
	add_function("before", 0, START);
	add_function("work", START, END - START);
	add_function(after, END, SIZE - END - 2);
	add_function("_etext", SIZE, 0);
	begin_debug(&debug, "/src/kernel.c");
	dwb_sections(&debug, &elf);
	CHECK(elfb_write(&elf, test_path("vmlinux")));
	dwb_free(&debug);
}

static void write_vmlinux_with(unsigned int at, uint16_t parcel)
{
	write_vmlinux_of("after", at, parcel);
}

static void write_vmlinux(void)
{
	write_vmlinux_with(0, 0x0505);
}

static void write_module(const char *name, bool has_next)
{
	struct modb module;
	struct dwb debug;
	unsigned int code;

	modb_begin(&module);
	modb_mark(&module);
	code = modb_code(&module, ".text", 4, text, SIZE);
	modb_symbol(&module, "", code, 0, 0);
	modb_symbol(&module, "work", code, START, END - START);
	if (has_next)
		modb_symbol(&module, "next", code, END, 4);
	begin_debug(&debug, "/src/module.c");
	modb_debug(&module, &debug, in_text);
	modb_finish(&module);
	CHECK(modb_write(&module, test_path(name)));
	modb_free(&module);
	dwb_free(&debug);
}

#define SAID "Unable to handle kernel paging request at virtual address 0077\n" \
	"Oops [#1]\nCPU: 2 UID: 0 PID: 12 Comm: tool Tainted: G\n"
#define HEAD(_n) "ssctr: the last " _n " branches on CPU 2, the newest last:\n"
#define CALL "ssctr:   before+0x4/0x8 -> work+0x0/0x10 (call)\n"
#define LOOP "ssctr:   work+0x8/0x10 -> work+0x4/0x10 (branch, 3 times)\n"
#define AWAY "ssctr:   work+0x8/0x10 -> after+0x0/0x8 (call)\n"
#define BACK "ssctr:   after+0x2/0x8 -> work+0xa/0x10 (return)\n"
#define TRAP "ssctr:   work+0xc/0x10 -> handler+0x0/0x178 (exception)\n" \
	"ssctr:   handler+0x10/0x178 -> fixup+0x0/0x80 (call)\n"
#define OOPS SAID "epc : work+0xc/0x10\n" HEAD("8") CALL LOOP AWAY BACK TRAP

static int last(const char *log, const char *options)
{
	write_text("log", log);
	return run("cd %s && ssctr last --console log %s", test_tmpdir(), options);
}

TEST(a_path_has_its_calls_and_ends_at_the_exception)
{
	CHECK_EQ(last(OOPS, ""), 0);
	CHECK_STR(run_out,
		  "tool[12] on CPU 2: Unable to handle kernel paging request at virtual address 0077\n"
		  "The last 6 branches before it, the newest last:\n\n"
		  "  before+0x4: calls\n"
		  "    work: branches\n"
		  "    2 times:\n"
		  "    | work+0x4: branches\n"
		  "    work+0x4: calls\n"
		  "      after: returns\n"
		  "    work+0xa: oops\n"
		  "\nIt stopped at work+0xc ([kernel])\n"
		  "The kernel handled the exception in 1 more branches.\n");
	CHECK_STR(run_err, "");
}

TEST(vmlinux_adds_lines_inlined_functions_instructions_and_code)
{
	write_vmlinux();
	CHECK_EQ(last(OOPS, "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("  before+0x4: calls\n"
		    "    work (kernel.c:11-13): 5 instructions, branches\n"
		    "    2 times:\n"
		    "    | step in work+0x4 (kernel.c:31): 3 instructions, branches\n"
		    "    step in work+0x4 (kernel.c:31): 3 instructions, calls\n"
		    "      after: 2 instructions, returns\n"
		    "    work+0xa (kernel.c:13): 2 instructions, oops\n"
		    "\nIt stopped at work+0xc, kernel.c:13 ([kernel]): ");
	CHECK_STR(run_err, "vmlinux: 2 of 5 functions have no source lines, because they are not in this file or have another size there\n");
}

TEST(a_file_s_name_is_no_command_to_the_terminal)
{
	write_vmlinux();
	CHECK_EQ(run("cd %s && mv vmlinux 'vm\033linux'", test_tmpdir()), 0);
	CHECK_EQ(last(OOPS, "--vmlinux vm*linux"), 0);
	CHECK_SAYS("vm?linux: 2 of 5 functions");
}

TEST(code_that_is_not_straight_has_no_number_of_instructions)
{
	write_vmlinux();
	CHECK_EQ(last(OOPS, "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("work (kernel.c:11-13): 5 instructions, branches\n");
	write_vmlinux_with(START + 2, 0x8082); /* c.jr ra */
	CHECK_EQ(last(OOPS, "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("work (kernel.c:11-13): branches\n");
	/* Of a size of 4, over the instruction that branches. */
	write_vmlinux_with(START + 6, 0x0513);
	CHECK_EQ(last(OOPS, "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("work (kernel.c:11-13): branches\n");
}

TEST(a_vmlinux_of_another_kernel_is_refused)
{
	write_vmlinux();
	CHECK_EQ(last(HEAD("1") "ssctr:   work+0x4/0x14 -> work+0x0/0x14 (jump)\n",
		      "--vmlinux vmlinux"), 1);
	CHECK_STR(run_out, "");
	CHECK_STR(run_err, "ssctr last: vmlinux: this is another kernel than that of the log; no function has the size that the log tells\n");
}

TEST(a_function_of_another_size_has_no_line)
{
	write_vmlinux();
	CHECK_EQ(last(HEAD("1") "ssctr:   work+0x4/0x14 -> before+0x0/0x8 (jump)\n",
		      "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("  work+0x4: jumps\n");
	CHECK_STR(run_err, "vmlinux: 1 of 2 functions have no source lines, because they are not in this file or have another size there\n");
}

/* As static functions of a header are, which each file has. */
TEST(a_function_that_is_there_twice_has_no_line)
{
	static const char told[] = "vmlinux: 1 of %d functions have no source lines, because this file has several functions with the same name and size\n";
	char says[256];

	write_vmlinux_of("before", 0, 0x0505);
	CHECK_EQ(last(HEAD("1") CALL, "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("  before+0x4: calls\n");
	snprintf(says, sizeof(says), told, 2);
	CHECK_STR(run_err, says);
	/* It is this kernel all the same. */
	CHECK_EQ(last(HEAD("1") "ssctr:   before+0x4/0x8 -> before+0x0/0x8 (jump)\n",
		      "--vmlinux vmlinux"), 0);
	snprintf(says, sizeof(says), told, 1);
	CHECK_STR(run_err, says);
}

#define IN_MODULE HEAD("2") "ssctr:   work+0x8/0xff8 [my_mod] -> work+0x4/0xff8 [my_mod] (jump)\n" \
	"ssctr:   work+0x6/0xff8 [my_mod] -> work+0x4/0xff8 [my_mod] (jump)\n"

TEST(a_module_has_lines_from_its_file_or_a_folder)
{
	static const char *const names[] = { "my_mod.ko", "my-mod.ko", "my_mod.ko.debug",
					     "my-mod.ko.debug" };
	char options[64];
	size_t i;

	for (i = 0; i < 2 * sizeof(names) / sizeof(*names); i++) {
		write_module(names[i / 2], false);
		snprintf(options, sizeof(options), "--code %s", i & 1 ? "." : names[i / 2]);
		CHECK_EQ(last(IN_MODULE, options), 0);
		CHECK_SHOWS("  work+0x8 (module.c:13): jumps\n"
			    "  step in work+0x4 (module.c:31): jumps\n"
			    "\nIt stopped at step in work+0x6, module.c:31 (my_mod)\n");
		CHECK_STR(run_err, "");
		unlink(test_path(names[i / 2]));
	}
}

/* The kernel tells the names of modules with '_' alone. Their files have what their authors chose. */
TEST(a_module_is_found_in_a_folder_also_if_its_file_has_both_kinds_of_dashes)
{
	write_module("my-own_mod.ko", false);
	CHECK_EQ(last(HEAD("1") "ssctr:   work+0x8/0xff8 [my_own_mod] -> work+0x4/0xff8 [my_own_mod] (jump)\n",
		      "--code ."), 0);
	CHECK_SHOWS("  work+0x8 (module.c:13): jumps\n");
}

TEST(a_function_of_a_module_has_its_size_up_to_the_next_one)
{
	write_module("my_mod.ko", true);
	CHECK_EQ(last(IN_MODULE, "--code my_mod.ko"), 0);
	CHECK_SHOWS("  work+0x8: jumps\n");
	CHECK_STR(run_err, "my_mod.ko: 1 of 1 functions have no source lines, because they are not in this file or have another size there, or are gone after loading\n");
	CHECK_EQ(last(HEAD("1") "ssctr:   work+0x8/0x10 [my_mod] -> work+0x4/0x10 [my_mod] (jump)\n",
		      "--code my_mod.ko"), 0);
	CHECK_SHOWS("  work+0x8 (module.c:13): jumps\n");
}

TEST(functions_of_one_name_are_each_found_in_their_file)
{
	write_vmlinux();
	write_module("my_mod.ko", false);
	CHECK_EQ(last(HEAD("3") "ssctr:   work+0x8/0x10 -> work+0x8/0xff8 [my_mod] (jump)\n"
		      "ssctr:   work+0xa/0xff8 [my_mod] -> work+0x4/0x14 (jump)\n"
		      "ssctr:   work+0x6/0x14 -> work+0x6/0x10 [gone] (jump)\n",
		      "--vmlinux vmlinux --code ."), 0);
	CHECK_SHOWS("  work+0x8 (kernel.c:13): jumps\n"
		    "  work+0x8 (module.c:13): jumps\n"
		    "  work+0x4: jumps\n");
	CHECK_STR(run_err, "vmlinux: 1 of 2 functions have no source lines, because they are not in this file or have another size there\n");
}

TEST(missing_lines_are_told_and_leave_a_gap)
{
	CHECK_EQ(last(SAID "epc : work+0xc/0x10\n" HEAD("8") CALL
		      "ssctr:   work+0x8/0x10 -> wo\n" AWAY BACK TRAP, ""), 0);
	CHECK_SHOWS("    work: what ran next is missing in the log\n"
		    "    work+0x8: calls\n"
		    "      after: returns\n");
	CHECK_SHOWS("The log lacks 3 of the 8 branches, so some of the code that looks straight may not be.\n");
}

#define GAP "    work: what ran next is missing in the log\n" \
	"    after+0x2: returns\n"

/* Code can run from one function into the next, and an exception without a record looks so. */
TEST(straight_code_leads_into_the_next_function_only_if_the_code_shows_it)
{
	CHECK_EQ(last(HEAD("6") CALL BACK, ""), 0);
	CHECK_SHOWS(GAP);
	CHECK_EQ(last(HEAD("2") CALL BACK, ""), 0);
	CHECK_SHOWS(GAP);
	write_vmlinux();
	CHECK_EQ(last(HEAD("2") CALL BACK, "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("    work (kernel.c:11): 10 instructions, returns\n");
	write_vmlinux_with(START + 2, 0x8082); /* c.jr ra */
	CHECK_EQ(last(HEAD("2") CALL BACK, "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("what ran next is missing in the log\n");
}

TEST(no_straight_code_leads_from_user_code_or_a_module_into_the_kernel)
{
	CHECK_EQ(last(HEAD("2") "ssctr:   work+0x4/0x10 -> user code (return from a trap)\n" BACK, ""), 0);
	CHECK_SHOWS("  user code: what ran next is missing in the log\n");
	CHECK_EQ(last(HEAD("2") "ssctr:   work+0x4/0x10 -> after+0x0/0x8 [my_mod] (call)\n" BACK, ""), 0);
	CHECK_SHOWS("    after: what ran next is missing in the log\n");
}

#define ILLEGAL(_epc) "Oops - illegal instruction [#1]\nepc : " _epc "\n"
#define HANDLED "ssctr:   handler+0x2a/0x178 -> handler+0x80/0x178 (branch)\n" \
	"ssctr:   handler+0x90/0x178 -> fixup+0x0/0x80 (call)\n"

/* The firmware took it first, and no record has it. */
TEST(an_exception_without_a_record_ends_the_path)
{
	CHECK_EQ(last(ILLEGAL("work+0xc/0x10") HEAD("8") CALL LOOP AWAY BACK HANDLED, ""), 0);
	CHECK_SHOWS("The last 6 branches before it, the newest last:\n");
	CHECK_SHOWS("      after: returns\n"
		    "    work+0xa: oops\n"
		    "\nIt stopped at work+0xc ([kernel])\n"
		    "The kernel handled the exception in 2 more branches.\n");
	/* Of several that it may be, it is the newest. */
	CHECK_EQ(last(ILLEGAL("work+0xa/0x10") HEAD("8") CALL AWAY BACK HANDLED BACK HANDLED, ""), 0);
	CHECK_SHOWS("The last 6 branches before it");
	CHECK_SHOWS("    after+0x2: returns\n"
		    "    work+0xa: 1 instruction, oops\n"
		    "\nIt stopped at work+0xa ([kernel])\n"
		    "The kernel handled the exception in 2 more branches.\n");
}

TEST(an_exception_where_the_path_does_not_lead_is_not_its_end)
{
	static const char *const logs[] = {
		/* The path came behind it, or to another function. */
		ILLEGAL("work+0x8/0x10") HEAD("5") CALL AWAY BACK HANDLED,
		ILLEGAL("after+0xe/0x10") HEAD("5") CALL AWAY BACK HANDLED,
		/* It went on from it. */
		ILLEGAL("work+0x4/0x10") HEAD("2") CALL AWAY,
		ILLEGAL("work+0xc/0x10") HEAD("3") CALL AWAY BACK,
		/* A line is missing in between. */
		ILLEGAL("work+0xc/0x10") HEAD("9") AWAY BACK LOOP,
		ILLEGAL("work+0xc/0x10") HEAD("6") CALL AWAY BACK "ssctr:   wo\n" HANDLED,
		ILLEGAL("work+0xc/0x10") HEAD("2") HANDLED,
	};
	size_t i;

	for (i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		CHECK_EQ(last(logs[i], ""), 0);
		CHECK_SHOWS("The exception is not among the branches,");
	}
}

TEST(code_that_leads_from_the_exception_into_the_next_function_went_on)
{
	write_vmlinux();
	CHECK_EQ(last(ILLEGAL("work+0xc/0x10") HEAD("2") CALL BACK, "--vmlinux vmlinux"), 0);
	CHECK_SHOWS("The exception is not among the branches,");
}

TEST(an_exception_that_is_missing_is_told)
{
	CHECK_EQ(last(SAID "epc : other+0xc/0x10\n" HEAD("1") CALL, ""), 0);
	CHECK_SHOWS("The exception is not among the branches, so the newest of them are those by which the kernel handled it.\n");
	CHECK_EQ(last(SAID HEAD("1") CALL, ""), 0);
	CHECK_SHOWS("The log does not tell which instruction raised the exception,");
	CHECK_EQ(last(CALL, ""), 0);
	CHECK_SHOWS("the kernel: it died\n");
	CHECK_SHOWS("The log lacks the line that tells how many branches there were.\n");
}

TEST(the_exception_is_the_newest_of_its_instruction)
{
	CHECK_EQ(last(SAID "epc : work+0xc/0x10\n" HEAD("6") TRAP CALL TRAP CALL, ""), 0);
	CHECK_SHOWS("The last 3 branches before it");
	CHECK_SHOWS("The kernel handled the exception in 2 more branches.\n");
}

TEST(the_exception_may_be_the_oldest_record)
{
	CHECK_EQ(last(SAID "epc : work+0xc/0x10\n" HEAD("2") TRAP, ""), 0);
	CHECK_SHOWS("No branch before it is known:\n\n"
		    "  work+0xc: oops\n"
		    "\nIt stopped at work+0xc ([kernel])\n");
}

TEST(a_call_through_null_stops_where_no_code_is)
{
	CHECK_EQ(last("Unable to handle kernel NULL pointer dereference at virtual address 0000\n"
		      "epc : 0x0\n"
		      " ra : work+0xc/0x10\n"
		      "epc : 0000000000000000 ra : ffffffff02417134 sp : ff2000000024be40\n"
		      HEAD("3") CALL "ssctr:   work+0xa/0x10 -> 0x0 (call)\n"
		      "ssctr:   0x0 -> handler+0x0/0x178 (exception)\n", ""), 0);
	CHECK_SHOWS("The last 2 branches before it");
	CHECK_SHOWS("    work: calls\n"
		    "      0x0: oops\n"
		    "\nIt stopped at 0x0 ([unknown])\n");
}

TEST(how_much_user_code_ran_is_not_known)
{
	CHECK_EQ(last(HEAD("5") "ssctr:   work+0xc/0x10 -> user code (return from a trap)\n"
		      "ssctr:   user code -> work+0x0/0x10 (exception)\n" LOOP, ""), 0);
	CHECK_SHOWS("    work+0xc: returns from the trap\n"
		    "  user code: traps\n"
		    "    work: branches\n");
}

TEST(all_reports_are_shown_or_the_last_ones)
{
	CHECK_EQ(last(OOPS "Kernel panic - not syncing: why\n" HEAD("1") CALL, ""), 0);
	CHECK_SHOWS("tool[12] on CPU 2: Unable to handle");
	CHECK_SHOWS("\nthe kernel on CPU 2: Kernel panic - not syncing: why\n"
		    "The last branch before it:\n\n"
		    "  before+0x4: calls\n"
		    "\nIt stopped at before+0x4 ([kernel])\n");
	CHECK_EQ(last(OOPS "Kernel panic - not syncing: why\n" HEAD("1") CALL, "-n 1"), 0);
	CHECK(!strstr(run_out, "tool[12]"));
	CHECK_STR(run_err, "1 more point is not shown: -n 0 shows all\n");
}

TEST(the_depth_bounds_the_branches)
{
	CHECK_EQ(last(OOPS, "--depth 1"), 0);
	CHECK_SHOWS("The last branch before it:\n\n"
		    "    after: returns\n"
		    "  work+0xa: oops\n");
}

TEST(json_has_what_the_text_has)
{
	CHECK_EQ(last(OOPS, "--json | python3 -m json.tool >/dev/null"), 0);
	CHECK_EQ(last(OOPS, "--json"), 0);
	CHECK_SHOWS("{\"points\":[\n{\"kind\":\"oops\",\"what\":\"tool[12] on CPU 2: Unable to handle kernel paging request at virtual address 0077\","
		    "\"comm\":\"tool\",\"pid\":12,\"cpu\":2,\"missing\":0,\"unread\":0,\"after\":1,\"branches\":6,");
	CHECK_SHOWS("{\"from\":{\"function\":\"work+0xa\",\"binary\":\"[kernel]\"},\"last\":{\"function\":\"work+0xc\",\"binary\":\"[kernel]\"},\"depth\":1,\"end\":\"oops\"}");
	write_vmlinux();
	CHECK_EQ(last(OOPS, "--json --vmlinux vmlinux"), 0);
	CHECK_SHOWS("{\"from\":{\"address\":\"0x40100c\",\"function\":\"work+0x4\",\"inlined\":\"step\",\"binary\":\"[kernel]\",\"file\":\"/src/kernel.c\",\"line\":31}");
}

TEST(a_page_has_what_the_text_has)
{
	char page[1 << 16];

	CHECK_EQ(last(OOPS, "--html page"), 0);
	run_read(test_path("page"), page, sizeof(page));
	CHECK(!strstr(page, "<td class=\"n\">0</td>"));
	CHECK(strstr(page, "It stopped at work+0xc"));
	CHECK(strstr(page, "The kernel handled the exception in 1 more branches."));
}

TEST(a_log_comes_by_a_pipe)
{
	write_text("log", OOPS);
	CHECK_EQ(run("ssctr last --console - <%s", test_path("log")), 0);
	CHECK_SHOWS("It stopped at work+0xc");
}

TEST(what_cannot_be_is_refused)
{
	CHECK_EQ(last("a line\n", ""), 1);
	CHECK_STR(run_err, "ssctr last: log: no branches of a kernel that died are in this log; the module prints them if it is loaded with oops=64\n");
	CHECK_EQ(run("ssctr last --console /none"), 1);
	CHECK_STR(run_err, "ssctr last: /none: No such file or directory\n");
	CHECK_EQ(run("ssctr last --console /"), 1);
	CHECK_STR(run_err, "ssctr last: /: Is a directory\n");
	CHECK_EQ(last(OOPS, "-- true"), 2);
	CHECK_EQ(last(OOPS, "-i x"), 2);
	CHECK_EQ(last(OOPS, "-o x"), 2);
	CHECK_EQ(last(OOPS, "--kallsyms log"), 2);
	CHECK_EQ(last(OOPS, "--vmlinux log"), 1);
	CHECK_EQ(last(OOPS, "--vmlinux none"), 1);
}
