// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr report: functions, source lines and inlined functions of the kernel and of its
 * modules, from recordings and from counts files.
 */
#include "cmd-hot.h"
#include "counts-build.h"
#include "kernel-build.h"

#define MODULE_AT (KERNEL_AT + 0x2000000)
#define LATE (SIZE + START) /* in the second section of a module */
#define BY_ID "usr/lib/debug/.build-id/ab/cd03" "0000000000000000000000000000000000.debug"

/* Of 20 bytes, and their number, as recordings have them. */
static const uint8_t id[24] = { 0xab, 0xcd, 3, [20] = 20 }, other_id[24] = { 0x11, [20] = 20 };

/* Linked at ELFB_ADDR, and not where the recording has it, as with KASLR. */
static void write_vmlinux(const char *name, const uint8_t *build_id)
{
	struct dwb debug;

	elf = (struct elfb){ .code = text, .code_size = sizeof(text), .build_id = build_id,
			     .build_id_size = 20 };
	add_function("_text", 0, START);
	add_function("work", START, END - START);
	begin_debug(&debug, "/src/kernel.c");
	dwb_sections(&debug, &elf);
	CHECK(elfb_write(&elf, test_path(name)));
	dwb_free(&debug);
}

/*
 * Its function `work` is where kernel-build.h says, and `late` has 4 bytes of the next
 * section, at the same distance. What runs only while it is loaded comes before both.
 */
static void write_module(const char *name, const uint8_t *build_id, bool debug_file)
{
	struct modb module;
	struct dwb debug;
	unsigned int init, section;

	modb_begin(&module);
	module.debug_file = debug_file;
	modb_build_id(&module, build_id);
	modb_mark(&module);
	init = modb_code(&module, ".init.text", 4, text, SIZE);
	section = modb_code(&module, ".text", 4, text, SIZE);
	modb_symbol(&module, "", section, 0, 0);
	modb_symbol(&module, "at_load", init, START, END - START);
	modb_symbol(&module, "work", section, START, END - START);
	section = modb_code(&module, ".text.late", 4, text, SIZE);
	modb_symbol(&module, "late", section, LATE - SIZE, 4);
	begin_debug(&debug, "/src/module.c");
	modb_debug(&module, &debug, in_text);
	modb_finish(&module);
	CHECK(modb_write(&module, test_path(name)));
	modb_free(&module);
	dwb_free(&debug);
}

static void begin_kernel(void)
{
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x10000, KERNEL_AT,
		 "[kernel.kallsyms]_text", 0);
}

/* A loop of step, in the kernel, or in the module of this name and build. */
static void record_build(const char *module, const uint8_t *build_id)
{
	const uint64_t at = module ? MODULE_AT : KERNEL_AT;
	const uint64_t branches[][3] = {
		{ at + LAST, at + START, PERF_BR_COND << 20 },
		{ at + INLINED, at + LAST, PERF_BR_COND << 20 },
		{ at + LAST, module ? at + LATE + 2 : at + START, PERF_BR_COND << 20 },
	};

	begin_kernel();
	if (module)
		pdb_mmap(&rec, PDB_MISC_KERNEL, -1, MODULE_AT, 0x1000, 0, module, 0);
	pdb_build_id(&rec, PDB_MISC_KERNEL, build_id, module ?: "[kernel.kallsyms]");
	add_sample(5, 1, at + START, 3, branches);
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, test_path("perf.data")));
	pdb_free(&rec);
}

static void record(const char *module)
{
	record_build(module, id);
}

static void report(const char *options)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("cd %s && ssctr report --raw --by edges --symfs %s %s", dir, dir, options), 0);
}

TEST(the_kernel_s_lines_are_those_of_its_vmlinux)
{
	record(NULL);
	write_vmlinux("vmlinux", id);
	report("--vmlinux vmlinux");
	CHECK_SHOWS("  work+0x8 (kernel.c:13) -> work+0x0 (kernel.c:11)\n");
	CHECK_SHOWS("  work+0x4 (kernel.c:31 in step) -> work+0x8 (kernel.c:13)\n");
}

static void write_kcore(void)
{
	elf = (struct elfb){ .code = text, .code_size = sizeof(text),
			     .moved = KERNEL_AT - ELFB_ADDR - ELFB_CODE };
	CHECK(elfb_write(&elf, test_path("kcore")));
}

/* It has the code alone. */
TEST(the_kernel_s_names_and_lines_are_those_of_its_vmlinux_beside_a_kcore)
{
	record(NULL);
	write_vmlinux("vmlinux", id);
	write_kcore();
	report("--kcore kcore --vmlinux vmlinux");
	CHECK_SHOWS("  work+0x8 (kernel.c:13) -> work+0x0 (kernel.c:11)\n");
	CHECK(!strstr(run_err, "not used"));
	write_vmlinux("vmlinux", other_id);
	report("--kcore kcore --vmlinux vmlinux");
	CHECK(strstr(run_err, "not used: vmlinux: another kernel than the one that was recorded: "));
}

TEST(the_kernel_s_names_may_be_of_a_list_all_the_same)
{
	static const char list[] = "ffffffff80000000 T _text\nffffffff80000008 T listed\n";
	FILE *file = fopen(test_path("list"), "w");

	CHECK(file && fputs(list, file) >= 0 && !fclose(file));
	record(NULL);
	write_vmlinux("vmlinux", id);
	report("--vmlinux vmlinux --kallsyms list");
	CHECK_SHOWS("  listed+0x8 (kernel.c:13) -> listed+0x0 (kernel.c:11)\n");
}

static void annotate_fails(const char *options, const char *says)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("cd %s && ssctr annotate --symfs %s %s", dir, dir, options), 1);
	CHECK(strstr(run_err, says));
}

/* All of them are thread 0 of process 0. */
TEST(the_idle_thread_of_each_cpu_has_its_own_timeline)
{
	static const uint64_t branches[][3] = {
		{ KERNEL_AT + LAST, KERNEL_AT + START, PERF_BR_COND << 20 },
		{ KERNEL_AT + INLINED, KERNEL_AT + LAST, PERF_BR_COND << 20 },
	};
	const char *dir = test_tmpdir();
	unsigned int i;

	begin_kernel();
	pdb_build_id(&rec, PDB_MISC_KERNEL, id, "[kernel.kallsyms]");
	for (i = 0; i < 2; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = KERNEL_AT + START, .time = 1000 + i, .cpu = 3 + i,
			.period = 14, .nr_branches = 2, .branches = branches });
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, test_path("perf.data")));
	pdb_free(&rec);
	write_vmlinux("vmlinux", id);
	write_kcore();
	CHECK_EQ(run("cd %s && ssctr timeline --symfs %s --vmlinux vmlinux --kcore kcore", dir, dir), 0);
	CHECK_SHOWS("\"tid\":3,\"name\":\"thread_name\",\"ts\":0.000,\"args\":{\"name\":\"swapper/3\"}}");
	CHECK_SHOWS("\"tid\":4,\"name\":\"thread_name\",\"ts\":0.000,\"args\":{\"name\":\"swapper/4\"}}");
}

/* A list has names and no code, and --code finds programs. */
TEST(the_remedy_for_code_of_the_kernel_is_the_kernel_s)
{
	static const char list[] = "ffffffff80000000 T _text\nffffffff80000008 T listed\n";
	static const char lacks[] = "ssctr annotate: listed ([kernel]): the code is not known; name the kernel's code with --kcore or --vmlinux\n";
	FILE *file = fopen(test_path("list"), "w");

	CHECK(file && fputs(list, file) >= 0 && !fclose(file));
	record(NULL);
	annotate_fails("--kallsyms list", lacks);
	annotate_fails("--kallsyms list listed", lacks);
	annotate_fails("", "ssctr annotate: the names and the code of what ran are not known; name the kernel's file with --vmlinux\n");
}

/* Static keys: 4 bytes each from the start of work on are changed. */
static void write_changed_vmlinux(unsigned int nr_keys)
{
	static struct {
		uint16_t text[SIZE / 2];
		struct {
			int32_t code, target;
			int64_t key;
		} keys[2];
	} kernel;
	const uint64_t keys_at = (char *)kernel.keys - (char *)&kernel;
	unsigned int i;

	elf = (struct elfb){ .code = &kernel, .code_size = sizeof(kernel), .build_id = id,
			     .build_id_size = 20 };
	for (i = 0; i < nr_keys; i++)
		kernel.keys[i].code = START + 4 * i - (keys_at + i * sizeof(kernel.keys[i]));
	add_function("_text", 0, 0);
	add_function("_stext", 0, START);
	add_function("work", START, END - START);
	add_function("_etext", SIZE, 0);
	add_function("jump_label_init", LAST, 0);
	add_function("__start___jump_table", keys_at, 0);
	add_function("__stop___jump_table", keys_at + nr_keys * sizeof(*kernel.keys), 0);
	CHECK(elfb_write(&elf, test_path("vmlinux")));
}

/* The same branch, twice, in the kernel or in a module that is told to be there. */
static void record_branch(const char *module, uint64_t from, uint64_t to)
{
	const uint64_t branches[][3] = { { from, to, PERF_BR_COND << 20 }, { from, to, PERF_BR_COND << 20 } };

	begin_kernel();
	if (module)
		pdb_mmap(&rec, PDB_MISC_KERNEL, -1, MODULE_AT, 0x1000, 0, module, 0);
	pdb_build_id(&rec, PDB_MISC_KERNEL, id, "[kernel.kallsyms]");
	add_sample(5, 1, to, 2, branches);
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, test_path("perf.data")));
	pdb_free(&rec);
}

static void annotate(const char *options)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("cd %s && ssctr annotate --raw --symfs %s --vmlinux vmlinux %s", dir, dir,
		     options), 0);
}

/* Of the function, the changed place, +0x4 and +0x8 ran once each. */
TEST(code_goes_on_behind_what_the_kernel_changes)
{
	record(NULL);
	write_changed_vmlinux(1);
	annotate("work");
	CHECK_SHOWS("\n         1  ~33.3%       +0x0  4 bytes that the kernel changes  ; from +0x8\n");
	CHECK_SHOWS("\n         1   33.3%       +0x4  ");
	CHECK_SHOWS("\n         -       -       +0x6  ");
	CHECK_SHOWS("\n         1   33.3%       +0x8  ");
	CHECK(strstr(run_err, " 1 places shown without their instructions, because the kernel changes these at run time and its file does not tell them; record with perf record --kcore\n"));
	annotate("--json work");
	CHECK_SHOWS("\"instructions\":[{\"offset\":0,\"changed\":4,\"runs\":1,");
	CHECK_SHOWS("},{\"offset\":4,\"opcode\":\"0000\",");
	CHECK_EQ(run("cd %s && ssctr report --raw --symfs . --vmlinux vmlinux --html page && cat page",
		     test_tmpdir()), 0);
	CHECK_SHOWS("<td>+0x0</td><td>4 bytes that the kernel changes</td><td>from +0x8</td>");
	CHECK_SHOWS("<td>+0x8</td>");
	CHECK_SHOWS("1 places shown without their instructions");
}

/* Not where control came from and went to, if it was in the midst of them. */
TEST(changed_places_are_told_apart_by_what_is_known_of_them)
{
	record(NULL);
	write_changed_vmlinux(2);
	annotate("work");
	CHECK_SHOWS("       +0x0  4 bytes that the kernel changes  ; from +0x8\n");
	CHECK_SHOWS("       +0x4  4 bytes that the kernel changes  ; to +0x8\n");
}

/* All of work, once: what the kernel writes in 8 bytes, and 4 instructions of 2 bytes. */
TEST(what_the_kernel_changes_counts_as_instructions_of_4_bytes)
{
	record_branch(NULL, KERNEL_AT + END - 2, KERNEL_AT + START);
	write_changed_vmlinux(2);
	annotate("work");
	CHECK_SHOWS("\n         1  ~33.3%       +0x0  8 bytes that the kernel changes  ; from +0xe\n");
	CHECK_SHOWS("\n         1   16.7%       +0x8  ");
	CHECK_SHOWS("\n         1   16.7%       +0xe  ");
}

/* The last instruction of work alone ran. */
TEST(what_the_kernel_changes_and_did_not_run_is_left_out)
{
	record_branch(NULL, KERNEL_AT + END - 2, KERNEL_AT + END - 2);
	write_changed_vmlinux(1);
	annotate("work");
	CHECK_SHOWS("\n                               5 instructions that did not run, and 4 bytes that the kernel changes\n");
	CHECK(!strstr(run_err, "places shown"));
}

/* Not a circle: the option that was given does not help. */
TEST(the_remedy_for_code_of_a_module_is_another_recording)
{
	write_text("list", "ffffffff80000000 T _text\nffffffff82000000 t listed\t[x_y]\n");
	record_branch("[x_y]", MODULE_AT + LAST, MODULE_AT + LAST);
	write_changed_vmlinux(1);
	annotate_fails("--kallsyms list --vmlinux vmlinux listed",
		       "ssctr annotate: listed ([x_y]): the code is not known; the kernel's file does not have it; record with perf record --kcore\n");
}

TEST(a_kernel_s_file_that_cannot_be_used_says_why)
{
	write_text("list", "ffffffff80000000 T _text\nffffffff80000008 T listed\n");
	record(NULL);
	write_vmlinux("vmlinux", other_id);
	annotate_fails("--kallsyms list --vmlinux vmlinux listed",
		       "ssctr annotate: listed ([kernel]): the code is not known; vmlinux: another kernel than the one that was recorded: ");
	annotate_fails("--vmlinux vmlinux",
		       "ssctr annotate: the names and the code of what ran are not known; vmlinux: another kernel than the one that was recorded: ");
}

TEST(the_kernel_s_vmlinux_is_found_by_build_id)
{
	record(NULL);
	write_vmlinux(BY_ID, id);
	report("");
	CHECK_SHOWS("  work+0x4 (kernel.c:31 in step) -> work+0x8 (kernel.c:13)\n");
}

TEST(a_vmlinux_of_another_build_has_no_lines)
{
	record(NULL);
	write_vmlinux("vmlinux", other_id);
	report("--vmlinux vmlinux");
	CHECK(!strstr(run_out, "kernel.c"));
}


#define IN_STEP "  work+0x4 (module.c:31 in step) -> work+0x8 (module.c:13)\n"
#define TO_LATE "  work+0x8 (module.c:13) -> late+0x2\n"

/* Of a recording, and of what it counted. */
static void check_both(const char *options, const char *const *shown, unsigned int nr)
{
	unsigned int i, k;
	char text[256];

	snprintf(text, sizeof(text), "%s", options);
	for (i = 0; i < 2; i++) {
		report(text);
		for (k = 0; k < nr; k++)
			CHECK_SHOWS(shown[k]);
		write_counts("perf.data", "c");
		snprintf(text, sizeof(text), "%s -i c", options);
	}
}

#define CHECK_BOTH(_options, ...) \
	check_both(_options, (const char *const[]){ __VA_ARGS__ }, \
		   sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

TEST(a_module_s_names_and_lines_are_those_of_its_file)
{
	record("/lib/modules/x-y.ko");
	write_module("lib/modules/x-y.ko", id, false);
	CHECK_BOTH("", IN_STEP, TO_LATE);
}

/* As distributions have it. */
TEST(a_module_s_names_and_lines_are_found_by_build_id)
{
	record("/lib/modules/x-y.ko.xz");
	write_module(BY_ID, id, true);
	CHECK_BOTH("", IN_STEP, TO_LATE);
	record("[x_y]");
	CHECK_BOTH("", IN_STEP, TO_LATE);
}

/* Debian's package of debug information has no links by build id for modules. */
TEST(a_module_s_names_and_lines_are_found_below_the_folder_of_debug_files)
{
	static const char file[] = "root/usr/lib/debug/lib/modules/7/kernel/x-y.ko";
	static const char *const options[] = {
		"--symfs root", "--code root", "--code root/usr/lib/debug/lib/modules/7",
	};
	unsigned int i;

	record("/lib/modules/7/kernel/x-y.ko.xz");
	write_module(file, id, true);
	for (i = 0; i < 3; i++)
		CHECK_BOTH(options[i], IN_STEP, TO_LATE);
	write_module(file, other_id, true);
	report("--symfs root");
	CHECK(!strstr(run_out, "module.c"));
}

/* Not one that nobody sees elsewhere: it was loaded anywhere. */
TEST(a_place_in_a_module_without_names_is_the_distance_from_where_it_was_loaded)
{
	record("/lib/modules/x-y.ko");
	write_module("lib/modules/x-y.ko", other_id, false);
	CHECK_BOTH("", "  /lib/modules/x-y.ko+0xc -> /lib/modules/x-y.ko+0x10\n",
		   "  /lib/modules/x-y.ko+0x10 -> /lib/modules/x-y.ko+0x2a\n");
	CHECK_BOTH("--json", "\"to\":{\"binary\":\"/lib/modules/x-y.ko\",\"offset\":42}");
}

/* A counts file does not have the addresses that a list does. */
TEST(a_module_that_has_no_names_is_told_where_the_kernel_has_some)
{
	FILE *file = fopen(test_path("list"), "w");

	CHECK(file && fputs("ffffffff80000000 T _text\nffffffff82000000 t of_list\t[x_y]\n",
			    file) >= 0 && !fclose(file));
	record("[x_y]");
	report("--kallsyms list");
	CHECK_SHOWS("  of_list+0xc -> of_list+0x10\n");
	CHECK(!strstr(run_err, "not named"));
	write_counts("perf.data", "c");
	report("--kallsyms list -i c");
	CHECK_SHOWS("  [x_y]+0xc -> [x_y]+0x10\n");
	CHECK(strstr(run_err, "not named: the functions of the module [x_y] (build id abcd030000000000000000000000000000000000) have no names; name the file of a module, which must not be compressed, or a folder that has it, with --code\n"));
	write_module("x-y.ko", id, false);
	report("--kallsyms list --code x-y.ko -i c");
	CHECK_SHOWS(IN_STEP);
	CHECK(!strstr(run_err, "not named"));
}

TEST(two_builds_of_a_module_have_their_own_names)
{
	static const char *const both[] = { "one", "two" };

	record("[x_y]");
	CHECK_EQ(run("cd %s && mv perf.data one", test_tmpdir()), 0);
	record_build("[x_y]", other_id);
	CHECK_EQ(run("cd %s && mv perf.data two", test_tmpdir()), 0);
	write_module("x-y.ko", other_id, false);
	write_counts_of(both, 2, "c");
	report("--code x-y.ko -i c");
	CHECK_SHOWS(IN_STEP);
	CHECK_SHOWS("  [x_y] [abcd0300]+0xc -> [x_y] [abcd0300]+0x10\n");
}

#define BPF UINT64_C(0xffffffff78000000)

static void add_program(uint64_t at, bool removed, const char *name, uint64_t time)
{
	pdb_ksymbol(&rec, at, 0x100, removed, name, time);
}

/* A loop of so many instructions in a program. */
static void add_loop(uint64_t time, uint64_t at)
{
	const uint64_t branches[][3] = {
		{ at + 0x20, at + 0x10, PERF_BR_COND << 20 },
		{ at + 0x20, at + 0x10, PERF_BR_COND << 20 },
	};

	add_sample(5, time, at + 0x10, 2, branches);
}

/*
 * perf tells what was loaded before at time 0. One program takes the place of another, and a
 * third one is loaded at two addresses.
 */
static void record_programs(void)
{
	begin_kernel();
	add_program(BPF, false, "bpf_prog_01_one", 0);
	add_loop(10, BPF);
	add_program(BPF, true, "bpf_prog_01_one", 20);
	add_program(BPF, false, "bpf_prog_02_two", 30);
	add_loop(40, BPF);
	add_loop(50, BPF);
	add_program(BPF + 0x100, false, "bpf_prog_03_three", 60);
	add_loop(70, BPF + 0x100);
	add_program(BPF + 0x100, true, "bpf_prog_03_three", 80);
	add_program(BPF + 0x200, false, "bpf_prog_03_three", 90);
	add_loop(100, BPF + 0x200);
	add_loop(110, BPF + 0x200);
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, test_path("perf.data")));
	pdb_free(&rec);
}

TEST(bpf_programs_have_their_names_and_shares)
{
	record_programs();
	CHECK_BOTH("", "         2   16.7%  COND        bpf_prog_01_one+0x20 -> bpf_prog_01_one+0x10\n",
		   "         4   33.3%  COND        bpf_prog_02_two+0x20 -> bpf_prog_02_two+0x10\n",
		   "         6   50.0%  COND        bpf_prog_03_three+0x20 -> bpf_prog_03_three+0x10\n");
	CHECK(!strstr(run_err, "not named"));
	CHECK_BOTH("--by functions", "16.7%  bpf_prog_01_one ([bpf])\n", "33.3%  bpf_prog_02_two ([bpf])\n",
		   "50.0%  bpf_prog_03_three ([bpf])\n");
	CHECK_BOTH("--json", "\"binary\":\"[bpf]\",\"function\":\"bpf_prog_02_two\"");
	report("--dso '[bpf]' --symbol bpf_prog_02_two");
	CHECK(strstr(run_out, "4  100.0%") && !strstr(run_out, "_one"));
}

TEST(recordings_do_not_have_the_code_of_bpf_programs)
{
	record_programs();
	annotate_fails("--vmlinux x bpf_prog_01_one", "ssctr annotate: bpf_prog_01_one ([bpf]): the code is not known; recordings do not have the code of BPF programs, nor other code that the kernel makes\n");
	/* A copy of the kernel's memory has what was there at its time. */
	elf = (struct elfb){ .code = text, .code_size = sizeof(text),
			     .moved = BPF - ELFB_ADDR - ELFB_CODE };
	CHECK(elfb_write(&elf, test_path("kcore")));
	annotate_fails("--kcore kcore bpf_prog_01_one", "recordings do not have the code of BPF programs");
	CHECK_EQ(run("cd %s && ssctr stf --kcore kcore -o x", test_tmpdir()), 3);
	CHECK(strstr(run_err, "the code is not known: code of BPF programs, or other code that the kernel makes, which recordings do not have"));
}

/* As another process loads it while a command is recorded. */
TEST(code_of_the_kernel_of_which_nothing_is_told_has_a_line)
{
	begin_kernel();
	add_loop(10, BPF);
	add_loop(20, BPF);
	add_program(BPF, false, "bpf_prog_01_one", 30);
	add_loop(40, BPF);
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, test_path("perf.data")));
	pdb_free(&rec);
	report("");
	CHECK(strstr(run_err, "not named: 66.7 % of the samples, in modules or BPF programs of which the recording does not tell: they may have been loaded while it ran; record as root with -a, after they are loaded (docs/report.md)\n"));
}

TEST(bpf_programs_are_no_binaries_whose_files_are_missing)
{
	record_programs();
	write_counts("perf.data", "c");
	CHECK(run("cd %s && ssctr profile --all -o all", test_tmpdir()));
	CHECK_STR(run_err, "ssctr profile: perf.data: only code that the kernel made ran, such as BPF programs, and recordings do not have it\n");
	CHECK(run("cd %s && ssctr profile --all -i c -o all", test_tmpdir()));
	CHECK(!strstr(run_err, "bpf_prog"));
	CHECK_EQ(run("cd %s && ssctr merge -o d c --dso '[bpf]'", test_tmpdir()), 0);
}

TEST(bpf_programs_of_a_counts_file_are_exported_with_their_names)
{
	record_programs();
	write_counts("perf.data", "c");
	CHECK_EQ(run("cd %s && ssctr export --pprof p.pb --names c", test_tmpdir()), 0);
	CHECK(!strstr(run_err, "without names"));
}
