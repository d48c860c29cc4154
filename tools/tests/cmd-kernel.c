// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report: source lines and inlined functions of the kernel and of its modules. */
#include "cmd-hot.h"
#include "kernel-build.h"

#define MODULE_AT (KERNEL_AT + 0x2000000)
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

static void write_module(const char *name, const uint8_t *build_id, bool debug_file)
{
	struct modb module;
	struct dwb debug;

	modb_begin(&module);
	module.debug_file = debug_file;
	modb_build_id(&module, build_id);
	modb_mark(&module);
	modb_symbol(&module, "", modb_code(&module, ".text", 4, text, SIZE), 0, 0);
	begin_debug(&debug, "/src/module.c");
	modb_debug(&module, &debug, in_text);
	modb_finish(&module);
	CHECK(modb_write(&module, test_path(name)));
	modb_free(&module);
	dwb_free(&debug);
}

/* A loop of step, in the kernel, or in the module of this name. */
static void record(const char *module)
{
	const uint64_t at = module ? MODULE_AT : KERNEL_AT;
	const uint64_t branches[][3] = {
		{ at + LAST, at + START, PERF_BR_COND << 20 },
		{ at + INLINED, at + LAST, PERF_BR_COND << 20 },
		{ at + LAST, at + START, PERF_BR_COND << 20 },
	};

	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x10000, KERNEL_AT,
		 "[kernel.kallsyms]_text", 0);
	if (module)
		pdb_mmap(&rec, PDB_MISC_KERNEL, -1, MODULE_AT, 0x1000, 0, module, 0);
	pdb_build_id(&rec, PDB_MISC_KERNEL, id, module ?: "[kernel.kallsyms]");
	add_sample(5, 1, at + START, 3, branches);
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, test_path("perf.data")));
	pdb_free(&rec);
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


TEST(a_module_s_lines_are_those_of_its_debug_information)
{
	record("/lib/modules/x-y.ko");
	write_module("lib/modules/x-y.ko", id, false);
	report("");
	CHECK_SHOWS("(module.c:31 in step)");
}

/* As distributions have it. */
TEST(a_module_s_lines_are_found_by_build_id)
{
	record("/lib/modules/x-y.ko.xz");
	write_module(BY_ID, id, true);
	report("");
	CHECK_SHOWS("(module.c:31 in step)");
	record("[x_y]");
	report("");
	CHECK_SHOWS("(module.c:31 in step)");
}

TEST(a_module_of_another_build_has_no_lines)
{
	record("/lib/modules/x-y.ko");
	write_module("lib/modules/x-y.ko", other_id, false);
	report("");
	CHECK(!strstr(run_out, "module.c"));
}
