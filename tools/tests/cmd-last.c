// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last: the points of a recording, and the paths before them. */
#include "cmd-hot.h"
#include "last/point.h"

static int last(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr last -i %s/perf.data --symfs %s %s", dir, dir, options);
}

enum { POINTS = 1 };

/* A recording with the event of the points beside the one that counted. */
static void begin_points(void)
{
	static const char *const names[] = { "cycles:u", LAST_EVENT };

	begin_program();
	pdb_event(&rec, PDB_BRANCH_SAMPLE | PERF_SAMPLE_RAW, PERF_SAMPLE_BRANCH_ANY);
	rec.events[POINTS].attr.type = PERF_TYPE_SOFTWARE;
	rec.events[POINTS].attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	name_events(names);
}

/* The ends of a branch, anywhere from where the program is mapped. */
struct wide_step {
	uint64_t from, to;
	unsigned int type;
};

static uint64_t now = 2; /* of the next event */

/* A point of a thread of process 5 after the first nr of these steps, at ip. */
static void add_wide_point(const struct last_point *point, uint32_t tid, uint64_t ip,
			   const struct wide_step *steps, unsigned int nr)
{
	uint8_t raw[sizeof(*point) + 4] = { 0 };
	uint64_t branches[64][3];
	unsigned int i;

	memcpy(raw, point, sizeof(*point));
	for (i = 0; i < nr; i++) {
		branches[i][0] = MAP_AT + steps[nr - 1 - i].from;
		branches[i][1] = MAP_AT + steps[nr - 1 - i].to;
		branches[i][2] = (uint64_t)steps[nr - 1 - i].type << 20;
	}
	pdb_sample(&rec, POINTS, &(struct pdb_sample){
		.ip = MAP_AT + ip, .time = now++, .pid = 5, .tid = tid, .cpu = 3,
		.raw = raw, .raw_size = sizeof(raw), .nr_branches = nr,
		.branches = (const uint64_t(*)[3])branches });
}

static void add_point(const struct last_point *point, uint32_t tid, uint64_t ip,
		      const struct step *steps, unsigned int nr)
{
	struct wide_step wide[64];
	unsigned int i;

	for (i = 0; i < nr; i++)
		wide[i] = (struct wide_step){ steps[i].from, steps[i].to, steps[i].type };
	add_wide_point(point, tid, ip, wide, nr);
}

/* SIGSEGV, where nothing is mapped, by a load. */
static const struct last_point segv = {
	.kind = LAST_SIGNAL, .number = 11, .value = 1, .addr = 0x77, .cause = 13
};
/* After an ecall. */
static const struct last_point exit_3 = { .kind = LAST_EXIT, .number = 3, .cause = 8 };
static const struct last_point enoent = {
	.kind = LAST_SYSCALL, .number = 56, .value = -2, .cause = 8
};

TEST(a_path_has_its_calls_and_returns_and_what_ended_it)
{
	begin_points();
	add_point(&segv, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("[5]: killed by SIGSEGV: nothing is mapped at address 0x77\n");
	CHECK_SHOWS("The last 3 branches before it, the newest last:\n\n"
		    "  caller: 1 instruction, calls\n"
		    "    main: 4 instructions, calls\n"
		    "      leaf: 1 instruction, returns\n"
		    "    main+0x8: 1 instruction, SIGSEGV\n"
		    "\nIt stopped at main+0x8 (/x): ");
}

/* Lines that were put before the one that ran move it. */
TEST(source_that_changed_after_the_build_is_told)
{
	const char *dir = test_tmpdir();
	char want[1024], path[512];
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "%s", test_path("x.c"));
	snprintf(want, sizeof(want), "other source: %s is newer than %s/x, so ", path, dir);
	file = fopen(path, "w");
	for (i = 1; i < 20; i++)
		fprintf(file, "line %d\n", i);
	CHECK(!fclose(file));
	begin_points();
	add_point(&segv, 5, 0x08, once, 3);
	write_files_with_lines(path);
	CHECK_EQ(run("touch -d '1 hour ago' %s", path), 0);
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("\nIt stopped at main+0x8, x.c:12 (/x): ");
	CHECK_SHOWS("\n  line 12\n");
	CHECK(!strstr(run_err, "other source"));
	CHECK_EQ(run("touch -d '1 hour' %s", path), 0);
	CHECK_EQ(last(""), 0);
	CHECK(strstr(run_err, want));
}

TEST(what_did_not_run_is_not_counted)
{
	struct last_point term = { .kind = LAST_SIGNAL, .number = 15, .cause = 1ull << 63 | 5 };

	begin_points();
	add_point(&term, 5, 0x0a, once, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("[5]: killed by SIGTERM\n");
	/* Of 0x08 and 0x0a the first. */
	CHECK_SHOWS("    main+0x8: 1 instruction, SIGTERM\n");
}

TEST(steps_that_repeat_are_shown_once)
{
	static const struct step steps[] = {
		{ 0x12, 0x00, 0, 0 }, { 0x06, 0x10, 0, 0 }, { 0x10, 0x08, 0, 0 },
		{ 0x0a, 0x04, 0, 0 }, { 0x06, 0x10, 0, 0 }, { 0x10, 0x08, 0, 0 },
		{ 0x0a, 0x04, 0, 0 }, { 0x06, 0x10, 0, 0 }, { 0x10, 0x08, 0, 0 },
		{ 0x0a, 0x04, 0, 0 },
	};

	begin_points();
	add_point(&segv, 5, 0x06, steps, sizeof(steps) / sizeof(*steps));
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("    main: 4 instructions, calls\n"
		    "      2 times:\n"
		    "      | leaf: 1 instruction, returns\n"
		    "    | main+0x8: 2 instructions, branches\n"
		    "    | main+0x4: 2 instructions, calls\n"
		    "      leaf: 1 instruction, returns\n"
		    "    main+0x8: 2 instructions, branches\n"
		    "    main+0x4: 2 instructions, SIGSEGV\n");
}

/* The kernel's page for probes, which process 5 has. */
enum { PROBES = 0x900000 };
static const uint64_t kernel = KERNEL_AT - MAP_AT;

static void begin_probed(void)
{
	begin_points();
	pdb_mmap2(&rec, 5, MAP_AT + PROBES, 0x1000, 0, "[uprobes]", 1);
}

/* The call tells where a return through the page led. */
TEST(a_return_with_a_probe_leads_to_its_caller)
{
	static const struct wide_step steps[] = {
		{ 0x12, 0x00, PERF_BR_CALL },	  { 0x06, 0x10, PERF_BR_CALL },
		{ 0x10, PROBES, PERF_BR_RET },	  { 0x0a, 0x04, PERF_BR_COND },
		{ 0x06, 0x10, PERF_BR_CALL },	  { 0x10, PROBES, PERF_BR_RET },
		{ 0x0a, 0x04, PERF_BR_COND },
	};

	begin_probed();
	add_wide_point(&segv, 5, 0x06, steps, 7);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("The last 7 branches before it, the newest last:\n\n"
		    "  caller: 1 instruction, calls\n"
		    "    main: 4 instructions, calls\n"
		    "      leaf: 1 instruction, returns\n"
		    "    main+0x8: 2 instructions, branches\n"
		    "    main+0x4: 2 instructions, calls\n"
		    "      leaf: 1 instruction, returns\n"
		    "    main+0x8: 2 instructions, branches\n"
		    "    main+0x4: 2 instructions, SIGSEGV\n\nIt stopped");
	/* The call may be older than all that is shown. */
	CHECK_EQ(last("--depth 2"), 0);
	CHECK_SHOWS("newest last:\n\n    leaf: 1 instruction, returns\n"
		    "  main+0x8: 2 instructions, branches\n");
}

/*
 * Who unwinds the stack reads what is at a return address, and nobody can read the page. Whose
 * probe it is is not known: another tracer may have set it.
 */
TEST(a_program_that_a_probe_killed_is_not_blamed)
{
	struct last_point point = segv;

	point.value = 2;
	point.addr = MAP_AT + PROBES;
	begin_probed();
	add_point(&point, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last("-n 0"), 0);
	CHECK_SHOWS("[5]: killed by SIGSEGV, which a probe at a return caused, and not the program\n");
	CHECK_SAYS("a probe at a return: it is of --returns or of another tracer; it replaces return");
	CHECK_EQ(last("--json"), 0);
	CHECK_SHOWS("which a probe at a return caused, and not the program\",\"");
	CHECK_SHOWS("\"notes\":[{\"kind\":\"a probe at a return\",\"text\":\"it is of");
	CHECK_EQ(run("cd %s && ssctr last -i perf.data --symfs . --html p && cat p", test_tmpdir()), 0);
	CHECK_SHOWS("which a probe at a return caused, and not the program</h2>");
	CHECK_SHOWS("it replaces return addresses");
}

/* Behind the page, or where nothing is mapped. */
TEST(a_program_that_dies_beside_a_probe_is_blamed)
{
	struct last_point beyond = segv;

	beyond.value = 2;
	beyond.addr = MAP_AT + PROBES + 0x1000;
	begin_probed();
	add_point(&beyond, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("[5]: killed by SIGSEGV: the access is not allowed at address");
	CHECK(!strstr(run_err, "--returns"));
}

/* Calls in between are of others. What is mapped above the page did not run there. */
TEST(a_return_without_its_call_is_hidden_by_its_probe)
{
	static const struct wide_step steps[] = {
		{ 0x06, 0x10, PERF_BR_CALL }, { 0x10, 0x08, PERF_BR_RET },
		{ 0x10, PROBES, PERF_BR_RET }, { PROBES + 0x100000, 0x04, PERF_BR_COND },
	};

	begin_probed();
	add_wide_point(&segv, 5, 0x06, steps, 4);
	write_files();
	CHECK_EQ(last("--depth 2"), 0);
	CHECK_SHOWS("    leaf: 1 instruction, returns\n"
		    "  [uprobes]: a probe hides where it returned to, and what ran then\n");
	CHECK_EQ(last("--json"), 0);
	CHECK_SHOWS("\"end\":\"a probe hides where it returned to, and what ran then\"");
}

/* The path of the kernel to the page and back is that of the probe, and not of the program. */
TEST(what_the_kernel_does_for_probes_is_left_out)
{
	const struct wide_step steps[] = {
		/* The end of what is before the instruction at 0x00. */
		{ kernel + 0x10, kernel + 0x20, PERF_BR_CALL },
		{ kernel + 0x30, PROBES + 8, PERF_BR_ERET },
		{ PROBES + 0xa, kernel, 0 },
		{ kernel + 0x30, 0x02, PERF_BR_ERET },
		/* The instruction at 0x04. */
		{ 0x04, kernel, 0 },
		{ kernel + 0x10, kernel + 0x20, PERF_BR_CALL },
		{ kernel + 0x30, PROBES + 8, PERF_BR_ERET },
		{ PROBES + 0xa, kernel, 0 },
		{ kernel + 0x10, kernel + 0x20, PERF_BR_CALL },
		{ kernel + 0x30, 0x06, PERF_BR_ERET },
		{ 0x06, 0x10, PERF_BR_CALL },
		/* The return. */
		{ 0x10, PROBES, PERF_BR_RET },
		{ PROBES, kernel, 0 },
		{ kernel + 0x10, kernel + 0x20, PERF_BR_CALL },
		{ kernel + 0x30, 0x08, PERF_BR_ERET },
		{ 0x0a, 0x04, PERF_BR_COND },
	};

	begin_probed();
	add_wide_point(&segv, 5, 0x06, steps, 16);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("The last 3 branches before it, the newest last:\n\n"
		    "  main+0x6: 1 instruction, calls\n"
		    "    leaf: 1 instruction, returns\n"
		    "  main+0x8: 2 instructions, branches\n"
		    "  main+0x4: 2 instructions, SIGSEGV\n\nIt stopped");
}

/* So did a fault, and a breakpoint whose signal has a handler. */
TEST(what_the_kernel_does_for_others_is_shown)
{
	const struct wide_step steps[] = {
		{ 0x06, kernel, 0 },
		{ kernel + 0x30, 0x06, PERF_BR_ERET },
		{ 0x06, 0x10, PERF_BR_CALL },
		{ 0x10, 0x08, PERF_BR_RET },
		{ 0x08, kernel, 0 },
		{ kernel + 0x30, PROBES + 8, PERF_BR_ERET },
		{ PROBES + 0xa, kernel, 0 },
		{ kernel + 0x30, 0x00, PERF_BR_ERET },
	};

	begin_probed();
	add_wide_point(&segv, 5, 0x04, steps, 8);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("The last 8 branches before it");
}

TEST(a_call_by_t0_calls)
{
	begin_points();
	call_by_t0();
	add_point(&segv, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("    main: 4 instructions, calls\n"
		    "      leaf: 1 instruction, returns\n");
}

TEST(calls_of_a_program_of_32_bits_call)
{
	begin_points();
	run_program32();
	add_point(&segv, 5, 0x04, once32, 2);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("  main+0x2: 1 instruction, calls\n"
		    "    leaf: 2 instructions, returns\n"
		    "  main+0x4: 1 instruction, SIGSEGV\n");
}

/* Handlers call from 06 and return from 16, and main had come to 08. */
TEST(where_a_signal_may_have_come_is_told)
{
	static const struct step before[] = {
		{ 0x10, 0x08, 0, 0 }, { 0x06, 0x16, 0, 0 }, { 0x16, 0x08, 0, 0 },
	};
	static const struct step beyond[] = { { 0x10, 0x08, 0, 0 }, { 0x16, 0x08, 0, 0 } };

	begin_points();
	add_point(&segv, 5, 0x08, before, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("main+0x8: a signal may have arrived in between\n");
	begin_points();
	add_point(&segv, 5, 0x08, beyond, 2);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("main+0x8: a signal may have arrived in between\n");
}

TEST(a_jump_to_nowhere_is_shown_to_its_end)
{
	static const struct step steps[] = { { 0x12, 0x00, 0, 0 }, { 0x06, 0x900000, 0, 0 } };

	begin_points();
	add_point(&segv, 5, 0x900000, steps, 2);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("    main: 4 instructions, calls\n"
		    "      0x910000: SIGSEGV\n"
		    "\nIt stopped at address 0x910000, where no code is mapped.\n");
}

/* Behind the return that led to it, nothing but the call ran. */
TEST(a_call_that_is_alone_in_its_line_is_shown)
{
	static const struct step steps[] = {
		{ 0x06, 0x10, 0, 0 }, { 0x10, 0x12, 0, 0 }, { 0x12, 0x900000, 0, 0 },
	};

	begin_points();
	add_point(&segv, 5, 0x900000, steps, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("  main+0x6: 1 instruction, calls\n"
		    "    leaf: 1 instruction, returns\n"
		    "  caller: 1 instruction, calls\n"
		    "    0x910000: SIGSEGV\n");
	CHECK_EQ(last("--json"), 0);
	CHECK_SHOWS("\"branches\":3,\"instructions\":3,");
	/* It may be all that was recorded. */
	CHECK_EQ(last("--depth 1"), 0);
	CHECK_SHOWS("  caller: 1 instruction, calls\n"
		    "    0x910000: SIGSEGV\n");
}

TEST(a_call_of_a_null_pointer_is_a_call_to_nowhere)
{
	static const struct wide_step steps[] = {
		{ 0x12, 0x00, PERF_BR_IND_CALL }, { 0x06, -MAP_AT, PERF_BR_IND_CALL },
	};

	begin_points();
	add_wide_point(&segv, 5, -MAP_AT, steps, 2);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("    main: 4 instructions, calls\n"
		    "      0x0: SIGSEGV\n"
		    "\nIt stopped at address 0x0, where no code is mapped.\n");
}

/* The library is not there; where it jumped to is not where it stopped. */
TEST(it_stopped_where_it_stopped_also_in_code_that_is_not_known)
{
	static const struct step steps[] = { { 0x12, 0x00, 0, 0 }, { 0x06, 0x900000, 0, 0 } };

	begin_points();
	pdb_mmap2(&rec, 5, MAP_AT + 0x900000, 0x1000, 0x5000, "/lib/y.so", 1);
	add_point(&segv, 5, 0x900010, steps, 2);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("\nIt stopped at y.so+0x5010 (/lib/y.so)\n");
}

/* A JIT's code is known by its name alone. */
TEST(it_stops_in_code_that_a_perf_map_names)
{
	static const struct step steps[] = { { 0x12, 0x00, 0, 0 }, { 0x06, 0x900000, 0, 0 } };

	begin_points();
	pdb_mmap2(&rec, 5, MAP_AT + 0x900000, 0x1000, 0, "//anon", 1);
	add_point(&segv, 5, 0x900010, steps, 2);
	write_files();
	CHECK_EQ(run("mkdir %s/tmp && echo '%x 100 jitted' >%s/tmp/perf-5.map", test_tmpdir(),
		     MAP_AT + 0x900000, test_tmpdir()), 0);
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("      jitted: ");
	CHECK_SHOWS("\nIt stopped at jitted+0x10 (//anon)\n");
}

TEST(a_name_with_a_plus_is_whole)
{
	static const struct last_point entry = { .kind = LAST_ENTRY, .cause = 3 };
	static const struct step steps[] = { { 0x12, 0x00, 0, 0 } };

	begin_points();
	elf.nr_symbols = 0;
	add_function("_Zpl3VecS_", 0x00, 0x10);
	add_function("leaf", 0x10, 2);
	add_function("caller", 0x12, 4);
	add_point(&entry, 5, 0x00, steps, 1);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("[5]: operator+(Vec, Vec) was called\n");
}

/* Nor does the title have what a terminal takes as a command. */
TEST(control_characters_of_names_are_not_printed)
{
	static const struct last_point entry = { .kind = LAST_ENTRY, .cause = 3 };
	static const struct step steps[] = { { 0x12, 0x00, 0, 0 } };

	begin_points();
	elf.nr_symbols = 0;
	add_function("ma\033[31m\nin", 0x00, 0x10);
	add_function("caller", 0x12, 4);
	add_point(&entry, 5, 0x00, steps, 1);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("[5]: ma?[31m?in was called\n");
	CHECK(!strchr(run_out, '\033'));
}

/* Those of two bytes are commands, too. */
TEST(control_characters_of_source_are_not_printed)
{
	static const struct last_point entry = { .kind = LAST_ENTRY, .cause = 3 };
	static const struct step steps[] = { { 0x12, 0x00, 0, 0 } };
	static const uint64_t at = ELFB_ADDR + ELFB_CODE;
	struct dwb debug = { 0 };
	FILE *file = fopen(test_path("x.c"), "w");

	fputs("int\033\xc2\x9b[31m\xc2\xa0\xc3\xa9;\n", file);
	CHECK(!fclose(file));
	begin_points();
	add_point(&entry, 5, 0x00, steps, 1);
	dwb_begin(&debug, test_path("x.c"), at, 0x12);
	dwb_row(&debug, at, 1, 0);
	dwb_finish(&debug, at + 0x12);
	dwb_sections(&debug, &elf);
	write_files();
	dwb_free(&debug);
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("\n  int?[31m\xc2\xa0\xc3\xa9;\n");
}

TEST(a_system_call_that_failed_has_its_name)
{
	begin_points();
	add_point(&enoent, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("the system call openat failed with ENOENT (No such file or directory)\n");
	CHECK_SHOWS("main+0x8: ENOENT\n");
}

/* The kernel's function do_work, which main called by the ecall at 08 in its loop. */
static void show_kernel_point(enum last_kind kind)
{
	static const struct step steps[] = { { 0x12, 0x00, 0, 0 }, { 0x0c, 0x04, 0, 0 } };
	static uint16_t code[sizeof(program) / sizeof(*program)];
	const struct last_point point = {
		.kind = kind, .value = -2, .cause = 8, .kernel_ip = KERNEL_AT + 0x104
	};

	begin_points();
	memcpy(code, program, sizeof(program));
	code[0x06 / 2] = 0x0001; /* c.nop */
	code[0x08 / 2] = 0x0073; /* ecall */
	code[0x0a / 2] = 0x0000;
	code[0x0c / 2] = 0xfd65; /* c.bnez a0, 0x04 */
	elf.code = code;
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x10000, KERNEL_AT,
		 "[kernel.kallsyms]_text", 0);
	add_point(&point, 5, 0x0c, steps, 2);
	write_files();
	write_text("list", "ffffffff80000000 T _text\nffffffff80000100 T do_work\n"
			   "ffffffff80000200 T next\n");
	CHECK_EQ(run("cd %s && ssctr last -i perf.data --symfs . --kallsyms list", test_tmpdir()),
		 0);
}

/* The instructions that ran are 04, 06 and 08. */
TEST(a_function_of_the_kernel_is_named_where_only_user_code_was_recorded)
{
	show_kernel_point(LAST_ENTRY);
	CHECK_SHOWS("[5]: do_work was called\n");
	CHECK_SHOWS("main+0x4: 3 instructions, entered\n\nIt stopped at main+0x8 (/x): ");
	show_kernel_point(LAST_RETURN);
	CHECK_SHOWS("[5]: do_work returned -2\n");
	CHECK_SHOWS("main+0x4: 3 instructions, returned -2\n\nIt stopped at main+0x8 (/x): ");
}

/* A number of the code, beside it, far from it, or none. */
static uint64_t any_address(void)
{
	static const uint64_t bases[] = { 0, 0, 0, 0x40, 0x900000, 1ull << 63, -MAP_AT };
	const uint64_t r = test_random();

	return bases[r % (sizeof(bases) / sizeof(*bases))] + (r >> 8) % 0x20;
}

TEST(whatever_is_recorded_is_shown_or_refused)
{
	static const int64_t values[] = { INT64_MIN, INT64_MAX, -1, -4096, 0, 1, 2 };
	unsigned int i, j;

	for (i = 0; i < 16; i++) {
		begin_points();
		for (j = 0; j < 64; j++) {
			const uint64_t r = test_random();
			struct last_point point = {
				.kind = r % (LAST_NR_KINDS + 1),
				.number = test_random(),
				.value = values[r / 16 % 7],
				.addr = test_random(),
				.cause = values[r / 256 % 7],
			};
			struct wide_step steps[16];
			unsigned int nr = 0;

			for (; nr < r / 4096 % 16; nr++)
				steps[nr] = (struct wide_step){ any_address(),
								any_address(),
								test_random() % 16 };
			add_wide_point(&point, 5 + j, any_address(), steps, nr);
		}
		write_files();
		CHECK_EQ(last("-n 0"), 0);
		CHECK_EQ(last("-n 0 --json"), 0);
	}
}

TEST(an_error_that_no_kernel_returns_is_a_number)
{
	const struct last_point odd = { .kind = LAST_SYSCALL, .number = 56, .value = INT64_MIN };

	begin_points();
	add_point(&odd, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("the system call openat failed with -9223372036854775808\n");
}

TEST(of_a_process_that_dies_one_thread_is_shown)
{
	begin_points();
	add_point(&segv, 6, 0x08, once, 3);
	add_point(&segv, 5, 0x0c, once, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("[6]: killed");
	CHECK(!strstr(run_out, "[5]: killed"));
	/* Nothing shows the other. */
	CHECK(!strstr(run_err, "not shown"));
	CHECK_EQ(last("-n 0 --json"), 0);
	CHECK_SHOWS("],\"others\":0,");
}

/* A point between them is the newest, and takes the place of the first end. */
TEST(a_thread_that_died_with_its_process_is_no_end_of_its_own)
{
	begin_points();
	add_point(&segv, 6, 0x08, once, 3);
	add_point(&enoent, 7, 0x08, once, 3);
	add_point(&segv, 5, 0x0c, once, 3);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("[7]: the system call");
	CHECK(!strstr(run_out, "[5]: killed"));
	CHECK(strstr(run_err, "1 more point is not shown: -n 0 shows all\n"));
}

/* Another process has the number of the first; a thread of the first is no process. */
TEST(a_process_with_the_number_of_one_that_died_has_its_own_end)
{
	begin_points();
	add_point(&segv, 6, 0x08, once, 3);
	pdb_task(&rec, PERF_RECORD_FORK, 0, 5, 8, 5, now++);
	add_point(&segv, 8, 0x0c, once, 3);
	pdb_task(&rec, PERF_RECORD_FORK, 0, 5, 5, 1, now++);
	add_point(&segv, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last("-n 0"), 0);
	CHECK_SHOWS("[6]: killed");
	CHECK(!strstr(run_out, "[8]: killed"));
	CHECK_SHOWS("[5]: killed");
}

TEST(the_newest_points_are_shown_in_their_order)
{
	begin_points();
	for (unsigned int tid = 5; tid < 9; tid++)
		add_point(&enoent, tid, 0x08, once, 3);
	write_files();
	CHECK_EQ(last("-n 2"), 0);
	CHECK(!strstr(run_out, "[6]: "));
	CHECK(strstr(run_out, "[7]: ") && strstr(run_out, "[8]: ") > strstr(run_out, "[7]: "));
	CHECK(strstr(run_err, "2 more points are not shown"));
	CHECK_EQ(last("-n 0"), 0);
	CHECK(strstr(run_out, "[5]: "));
}

/* The disassembler remembers the instruction. */
TEST(points_at_one_instruction_name_the_same_one)
{
	static const char stop[] = "\nIt stopped at main+0x8 (/x): ";
	const char *first, *second;
	size_t len;

	begin_points();
	add_point(&enoent, 5, 0x08, once, 3);
	add_point(&enoent, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last("-n 0"), 0);
	first = strstr(run_out, stop);
	CHECK(first);
	first += strlen(stop);
	second = strstr(first, stop);
	CHECK(second);
	second += strlen(stop);
	len = strcspn(first, "\n");
	CHECK(len > 1 && *first != ' ');
	CHECK_EQ(strncmp(first, second, len + 1), 0);
}

TEST(fewer_branches_are_shown_if_asked_for)
{
	begin_points();
	add_point(&segv, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last("--depth 1"), 0);
	CHECK_SHOWS("The last branch before it:\n");
	CHECK(!strstr(run_out, "caller"));
}

TEST(a_point_without_branches_says_so)
{
	begin_points();
	add_point(&exit_3, 5, 0x08, once, 0);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SHOWS("[5]: exited with status 3\nNo branch was recorded before it");
}

TEST(json_has_what_the_text_has)
{
	begin_points();
	add_point(&segv, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(last("--json"), 0);
	CHECK_SHOWS("\"kind\":\"signal\"");
	CHECK_SHOWS("\"number\":11,\"value\":1,\"addr\":\"0x77\",\"ip\":\"0x10008\",\"branches\":3,\"instructions\":7");
	CHECK_SHOWS("\"from\":{\"address\":\"0x10000\",\"function\":\"main\",\"binary\":\"/x\"}");
	CHECK_SHOWS("\"instructions\":4,\"depth\":1,\"end\":\"calls\",\"to\":\"0x10010\"");
	CHECK_SHOWS("],\"others\":0,\"lost\":0,\"read_to_end\":true,\"notes\":[]}\n");
}

TEST(a_page_has_what_the_text_has)
{
	char page[128];
	FILE *file;
	size_t n;

	begin_points();
	add_point(&segv, 5, 0x08, once, 3);
	write_files();
	snprintf(page, sizeof(page), "--html %s/last.html", test_tmpdir());
	CHECK_EQ(last(page), 0);
	file = fopen(page + 7, "r");
	CHECK(file);
	n = fread(run_out, 1, sizeof(run_out) - 1, file);
	run_out[n] = 0;
	fclose(file);
	CHECK_SHOWS("killed by SIGSEGV: nothing is mapped at address 0x77</h2>");
	CHECK_SHOWS("<td style=\"padding-left:2em\">main</td>");
	CHECK_SHOWS("<td style=\"padding-left:3em\">leaf</td>");
	CHECK_SHOWS("It stopped at main+0x8");
}

TEST(other_subcommands_read_the_recording)
{
	const char *dir = test_tmpdir();

	begin_points();
	add_point(&segv, 5, 0x08, once, 3);
	write_files();
	CHECK_EQ(run("ssctr timeline %s/perf.data --symfs %s", dir, dir), 0);
	CHECK_SHOWS("\"name\":\"leaf\"");
	CHECK(strstr(run_err, "records single points, and nothing between them"));
}

TEST(a_recording_without_points_is_told)
{
	begin_points();
	add_steps(once, 3);
	write_files();
	CHECK_EQ(last(""), 1);
	CHECK(strstr(run_err, "ssctr last: no process was killed"));
}

/* Somebody may have died. */
TEST(a_recording_of_something_else_is_refused)
{
	write_program();
	CHECK_EQ(last(""), 1);
	CHECK(strstr(run_err, "/perf.data: not a recording of `ssctr last -o`, so it does not tell whether a process died\n"));
	CHECK(!strstr(run_err, "no process was killed"));
	CHECK_EQ(last("--json"), 1);
	CHECK_STR(run_out, "");
}

TEST(messages_come_behind_the_report)
{
	static const char end[] = "1 more point is not shown: -n 0 shows all\n";

	begin_points();
	add_point(&segv, 6, 0x08, once, 3);
	add_point(&enoent, 7, 0x08, once, 3);
	write_files();
	CHECK_EQ(last("2>&1"), 0);
	CHECK(strlen(run_out) > sizeof(end));
	CHECK_STR(run_out + strlen(run_out) - strlen(end), end);
}

/* Whoever reads them gets a document, and no older page stays. */
TEST(the_list_of_a_recording_without_points_is_empty)
{
	begin_points();
	add_steps(once, 3);
	write_files();
	CHECK_EQ(last("--json"), 1);
	CHECK_STR(run_out, "{\"points\":[],\"others\":0,\"lost\":0,\"read_to_end\":true,\"notes\":[]}\n");
	write_text("page.html", "older");
	CHECK_EQ(run("cd %s && ssctr last -i perf.data --symfs . --html page.html", test_tmpdir()),
		 1);
	CHECK_EQ(run("cat %s/page.html", test_tmpdir()), 0);
	CHECK_SHOWS("<p>No process was killed, and no other point was reached.</p>");
}

static void lose(uint64_t nr)
{
	pdb_lost(&rec, 0, 5, nr, 99);
}

/* What was lost may have been a point. */
TEST(what_the_recording_lacks_is_told)
{
	begin_points();
	add_point(&segv, 5, 0x08, once, 3);
	lose(7);
	write_files();
	CHECK_EQ(last(""), 0);
	CHECK_SAYS("7 points or mappings were lost, because the buffers were full; choose fewer points");
	CHECK_EQ(last("--json"), 0);
	CHECK_SHOWS("],\"others\":0,\"lost\":7,\"read_to_end\":true,\"notes\":[{\"number\":7,\"text\":\"points or mappings were lost, ");
	CHECK_EQ(run("cd %s && ssctr last -i perf.data --symfs . --html p && cat p", test_tmpdir()), 0);
	CHECK_SHOWS("<li>7 points or mappings were lost, because the buffers were full; choose fewer points</li>\n");
	CHECK_EQ(run("cd %s && ssctr last -i perf.data --html p && cat p", test_tmpdir()), 0);
	CHECK_SHOWS("<li>not used: /x: ");
	CHECK_EQ(run("cd %s && ssctr last -i perf.data", test_tmpdir()), 0);
	CHECK(strstr(run_err, "\nnot used: /x: "));
	begin_points();
	add_steps(once, 3);
	lose(7);
	write_files();
	CHECK_EQ(last(""), 1);
	CHECK(strstr(run_err, "7 points or mappings were lost, "));
	CHECK(strstr(run_err, "ssctr last: no process was killed, and no other point was reached, as far as the recording tells\n"));
}

/* Without them, names may be wrong or missing. */
TEST(lost_records_of_mappings_are_lost_too)
{
	unsigned int i;

	begin_points();
	i = pdb_event(&rec, PDB_BRANCH_SAMPLE & ~(uint64_t)PERF_SAMPLE_BRANCH_STACK, 0);
	rec.events[i].attr.type = PERF_TYPE_SOFTWARE;
	rec.events[i].attr.config = PERF_COUNT_SW_DUMMY;
	add_steps(once, 3);
	lose(7);
	pdb_begin(&rec, PERF_RECORD_LOST_SAMPLES, 0);
	pdb_u64(&rec.data, 7);
	pdb_end_with_id(&rec, i, 0, 0);
	write_files();
	last("");
	CHECK(strstr(run_err, "7 points or mappings were lost"));
	last("--json");
	CHECK_SHOWS("\"lost\":7");
}

TEST(functions_can_be_named_as_people_write_them)
{
	begin_program();
	elf.nr_symbols = 0;
	add_function("_Z4twini", 0x00, 0x10);
	add_function("_Z4twinc", 0x10, 2);
	add_function("_ZN3Box4openEv", 0x12, 4);
	write_files();
	CHECK_EQ(run("ssctr last --at twin %s/x", test_tmpdir()), 1);
	CHECK(strstr(run_err, "ssctr last: --at twin: "));
	CHECK(strstr(run_err, "/x has several functions of this name; write the symbol of one: _Z4twini, _Z4twinc\n"));
	CHECK_EQ(run("ssctr last --returns %s/x:twin=3 true", test_tmpdir()), 1);
	CHECK(strstr(run_err, "ssctr last: --returns twin: "));
	CHECK_EQ(run("ssctr last --at Box::open --at 'twin(char)' %s/x", test_tmpdir()), 1);
	CHECK(!strstr(run_err, "several"));
}

TEST(options_that_contradict_each_other_are_told)
{
	static const char *const selections[] = { "--errno EINVAL", "--errno all", "--at x:f",
						  "--returns x:f", "-k", "-o y" };
	unsigned int i;

	CHECK_EQ(run("ssctr last"), 2);
	CHECK(strstr(run_err, "give a COMMAND or -p"));
	CHECK_EQ(run("ssctr last -i x -p 1"), 2);
	CHECK_EQ(run("ssctr last --json --html x -i y"), 2);
	for (i = 0; i < sizeof(selections) / sizeof(*selections); i++) {
		CHECK_EQ(run("ssctr last -i x %s", selections[i]), 2);
		CHECK(strstr(run_err, "-i: the recording has its points"));
		CHECK_EQ(run("ssctr last --console x %s", selections[i]), 2);
		CHECK(strstr(run_err, "--console: a log is read"));
	}
	CHECK_EQ(run("ssctr last -o - true"), 2);
	CHECK_EQ(run("ssctr last --errno ENOSUCH true"), 2);
	CHECK(strstr(run_err, "there is no error 'ENOSUCH'"));
	CHECK_EQ(run("ssctr last --errno ENOENT,EACCES,ENOTHER true"), 2);
	CHECK(strstr(run_err, "there is no error 'ENOTHER'"));
	/* The second of two names of one error. */
	CHECK_EQ(run("ssctr last --errno ENOTSUP,EWOULDBLOCK,EDEADLOCK,ENOTHER true"), 2);
	CHECK(strstr(run_err, "there is no error 'ENOTHER'"));
	CHECK_EQ(run("ssctr last --returns f= true"), 2);
	CHECK_EQ(run("ssctr last --at x: true"), 2);
	CHECK_EQ(run("ssctr last --at f -p 1,2"), 2);
	CHECK(strstr(run_err, "give the file, too: FILE:f"));
}
