// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `ssctr stf` knows of a recording, in the trace: written, read back, and still right
 * in a part of the trace.
 */
#include "cmd-sample.h"
#include "origin/origin.h"

static const uint8_t id[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
				11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
#define ID "0102030405060708090a0b0c0d0e0f1011121314"

static void put_text(struct pdb_buf *body, const char *s)
{
	pdb_u32(body, (uint32_t)((strlen(s) + 8) & ~7u));
	pdb_text(body, s);
}

/* Process 5 runs /x at MAP_AT; process 6 runs it at another address. */
static void begin_two(void)
{
	begin();
	elf.build_id = id;
	elf.build_id_size = sizeof(id);
	pdb_free(&rec);
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	rec.events[0].attr.sample_period = 1000;
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
	pdb_mmap2_id(&rec, 6, 2 * MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
}

static void describe(void)
{
	struct pdb_buf *body;

	pdb_feature_text(&rec, 3, "board");
	pdb_feature_text(&rec, 4, "6.12.1");
	pdb_feature_text(&rec, 6, "riscv64");
	body = pdb_feature(&rec, 11);
	pdb_u32(body, 3);
	put_text(body, "perf");
	put_text(body, "record");
	put_text(body, "-b");
}

/* main calls load, in process 6. */
static const uint64_t other[][3] = {
	{ 2 * MAP_AT + 0x16, 2 * MAP_AT + 0x0a, PERF_BR_RET << 20 },
	{ 2 * MAP_AT + 0x06, 2 * MAP_AT + 0x12, PERF_BR_CALL << 20 },
};

static void make(const char *name)
{
	begin_two();
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	add_sample(6, 4, 2 * MAP_AT + 0x0a, 2, other);
	describe();
	write_files();
	CHECK_EQ(run_stf("", name), 0);
}

/* All comments of the form, each with the number of its instruction; -1: in the header. */
static char lines[4096];

static void add_line(long index, const struct stf_record *r)
{
	size_t n = strlen(lines);

	if (r->desc == STF_COMMENT && !memcmp(r->text.data, "ssctr ", 6) &&
	    r->text.data[6] > '9')
		snprintf(lines + n, sizeof(lines) - n, "%ld %.*s\n", index,
			 (int)r->text.size - 6, r->text.data + 6);
}

static void read_lines(const char *name)
{
	const struct stf_params *params;
	struct stf_record r;

	lines[0] = 0;
	open_trace(name);
	stf_inst_iter_free(iter);
	params = stf_reader_params(reader);
	while (!params->header_ended && stf_reader_next(reader, &r) == 1)
		add_line(-1, &r);
	iter = stf_inst_iter_new(reader, sizeof(inst));
	while (stf_inst_iter_next(iter, &inst) == 1)
		while (stf_inst_iter_record(iter, &r) == 1)
			add_line((long)inst.index, &r);
	close_trace();
}

TEST(the_recording_and_the_mappings_are_told)
{
	make("t.stf");
	read_lines("t.stf");
	CHECK_STR(lines,
		  "-1 origin 1\n-1 command perf record -b\n-1 host board\n"
		  "-1 kernel 6.12.1\n-1 arch riscv64\n-1 event 0 period 1000 \n"
		  "0 map 5 0x10000 0x11000 0x1000 " ID " /x\n"
		  "10 map 6 0x20000 0x21000 0x1000 " ID " /x\n");
}

TEST(a_mapping_that_takes_the_place_of_another_is_told)
{
	begin();
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	/* Of the first sample after it, the code is not known. */
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x2", 4);
	add_sample(5, 5, MAP_AT + 0x02, 4, loop);
	add_sample(5, 6, MAP_AT + 0x02, 4, loop);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 7);
	add_sample(5, 8, MAP_AT + 0x02, 4, loop);
	add_sample(5, 9, MAP_AT + 0x02, 4, loop);
	/* The same again is nothing new. */
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 10);
	add_sample(5, 11, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cp %s/x %s/x2", test_tmpdir(), test_tmpdir()), 0);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	read_lines("t.stf");
	CHECK(strstr(lines, "\n0 map 5 0x10000 0x11000 0x1000 - /x\n"
			    "10 map 5 0x10000 0x11000 0x1000 - /x2\n"
			    "20 map 5 0x10000 0x11000 0x1000 - /x\n"));
	CHECK(!strstr(lines, "\n30 "));
}

/*
 * Many processes run files with long names, each another name of x. Process 5 then executes x2,
 * for which there is no room.
 */
TEST(a_program_for_which_there_is_no_room_does_not_get_the_names_of_another_one)
{
	enum { LONGEST = 3000 };
	char name[LONGEST + 4];
	unsigned int i, len;

	begin();
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	for (i = 0; i < 2 * ORIGIN_MAX_FILE_BYTES / LONGEST; i++) {
		name[0] = '/';
		for (len = 1; len < LONGEST - 2 * i; len += 2)
			memcpy(name + len, "./", 2);
		strcpy(name + len, "x");
		pdb_mmap2(&rec, 1000 + i, MAP_AT, 0x1000, ELFB_CODE, name, 4 + 2 * i);
		add_sample(1000 + i, 5 + 2 * i, MAP_AT + 0x02, 4, loop);
	}
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x2", 5000);
	add_sample(5, 5001, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cp %s/x %s/x2", test_tmpdir(), test_tmpdir()), 0);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 traces with more files than a trace tells; the functions of further files have no names\n"));
	CHECK_EQ(run("cd %s && ssctr dump --symbols trace --symfs . --limit 1 t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "  main"));
	CHECK_EQ(run("cd %s && ssctr dump --symbols trace --symfs . t.stf | tail -n 1", test_tmpdir()), 0);
	CHECK(strstr(run_out, "  U  -"));
}

/* The mapping grows, and main is then in the part that was not told; load is not. */
TEST(a_mapping_that_grows_is_told_where_it_has_grown)
{
	static const uint64_t in_load[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x12, PERF_BR_RET << 20 },
	};
	static const uint64_t ret[][3] = {
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0e, PERF_BR_RET << 20 },
	};

	begin();
	pdb_free(&rec);
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2(&rec, 5, MAP_AT + 0x10, 0x1000, ELFB_CODE + 0x10, "/x", 1);
	add_sample(5, 2, MAP_AT + 0x12, 1, ret + 1);
	pdb_mmap2(&rec, 5, MAP_AT, 0x10, ELFB_CODE, "/x", 3);
	add_sample(5, 4, MAP_AT + 0x16, 1, in_load);
	add_sample(5, 5, MAP_AT + 0x02, 2, ret);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	read_lines("t.stf");
	/* One instruction, three, and the third sample. */
	CHECK(strstr(lines, "\n0 map 5 0x10010 0x11010 0x1010 - /x\n"
			    "4 map 5 0x10000 0x11010 0x1000 - /x\n"));
}

static const char *dump(const char *options, const char *name)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("ssctr dump --symbols trace --symfs %s %s %s/%s", dir, options,
		     dir, name), 0);
	CHECK_STR(run_err, "");
	return run_out;
}

TEST(dump_names_the_functions_of_each_process)
{
	make("t.zstf");
	dump("", "t.zstf");
	CHECK(strstr(run_out, " 1000e      8082  U  main+0xe"));
	CHECK(strstr(run_out, " 10012  00052583  U  load\n"));
	CHECK(strstr(run_out, " 20012  00052583  U  load\n"));
	CHECK(!strstr(run_out, "ssctr map"));
	dump("--json --start 11 --limit 1", "t.zstf");
	CHECK(strstr(run_out, ",\"symbol\":\"load\",\"symbol_offset\":0,\"file\":\"/x\""));
}

TEST(dump_says_what_it_cannot_name)
{
	const char *dir = test_tmpdir();

	make("t.stf");
	CHECK_EQ(run("ssctr dump --symbols trace --symfs / --limit 1 %s/t.stf", dir), 0);
	CHECK(strstr(run_out, "  8082  U  -"));
	CHECK_SAYS("not named: //x: No such file or directory");
	CHECK_EQ(run("ssctr dump --symbols trace --symfs / --code %s --limit 1 %s/t.stf",
		     dir, dir), 0);
	CHECK(strstr(run_out, "main+0xe"));
	CHECK_EQ(run("ssctr dump --symbols trace --find main %s/t.stf", dir), 2);
	CHECK_SAYS("--find main: --symbols trace cannot find a symbol; name its ELF file, with --symbols ELF[@ADDRESS]");
	CHECK_EQ(run("ssctr dump --symbols trace --code /nonexistent %s/t.stf", dir), 1);
	CHECK_SAYS("/nonexistent: No such file or directory");
}

TEST(a_trace_that_does_not_tell_its_mappings)
{
	const char *dir = test_tmpdir();

	make("t.stf");
	CHECK_EQ(run("cd %s && ssctr csv t.stf -o t.csv 2>/dev/null && ssctr csv t.csv -o u.stf; ssctr dump --symbols trace u.stf",
		     dir), 1);
	CHECK_SAYS("--symbols trace: u.stf does not tell which files were mapped; name the program with --symbols ELF");
}

TEST(info_prints_the_origin)
{
	make("t.stf");
	CHECK_EQ(run("ssctr info %s/t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ncommand          \"perf record -b\"\n"
			      "host             \"board\"\n"
			      "kernel           \"6.12.1\"\n"
			      "arch             \"riscv64\"\n"
			      "event 0          \"\"\n"
			      "                 period 1000\n"));
	CHECK(strstr(run_out, "\nfiles            1\n                 \"/x\"\n"
			      "                   build id " ID "\n"));
	CHECK_EQ(run("ssctr info --json %s/t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, ",\"origin\":{\"version\":1,\"command\":\"perf record -b\","
			      "\"host\":\"board\",\"kernel\":\"6.12.1\",\"arch\":\"riscv64\","
			      "\"events\":[{\"number\":0,\"period\":1000,\"name\":\"\"}],"
			      "\"files\":[{\"name\":\"/x\",\"build_id\":\"" ID "\"}]}"));
}

#define KERNEL_MAP_OF(_id) "ssctr map - 0xffffffff80000000 0xffffffff80010000 0xffffffff80000000 " _id " [kernel.kallsyms]_text"
#define KERNEL_MAP KERNEL_MAP_OF("-")

/* A trace that begins at an address of the kernel; the caller closes it. */
static struct stf_writer *begin_in_kernel(const char *name, const char *map, uint64_t pc)
{
	const char *comments[] = { "ssctr origin 1", NULL };
	const struct stf_header header = { .size = sizeof(header), .comments = comments,
					   .generator = STF_GEN_QEMU, .pc = pc };
	struct stf_writer *w = stf_writer_open(test_path(name), NULL, NULL);

	CHECK(w && !stf_write_header(w, &header) && !stf_write_comment(w, map));
	write_text("list", "ffffffff80000000 T _text\nffffffff80000010 T work\n"
			   "ffffffff80000020 T rest\nffffffff02000010 t of_module\t[a_module]\n");
	return w;
}

static void dump_kernel(const char *name)
{
	CHECK_EQ(run("cd %s && ssctr dump --symbols trace --kallsyms list %s", test_tmpdir(), name),
		 0);
}

TEST(functions_of_the_kernel_are_those_of_a_list)
{
	struct stf_writer *w = begin_in_kernel("k.stf", KERNEL_MAP, KERNEL_AT + 0x12);

	CHECK(!stf_write_inst(w, 1, 2) && !stf_writer_close(w, NULL));
	dump_kernel("k.stf");
	CHECK(strstr(run_out, "  -  work+0x2\n"));
}

/* The message about missing names tells the option, which the subcommands then have. */
TEST(functions_of_the_kernel_are_those_of_its_file)
{
	struct stf_writer *w = begin_in_kernel("k.stf", KERNEL_MAP_OF(ID), KERNEL_AT + 0x12);
	const char *dir = test_tmpdir();

	CHECK(!stf_write_inst(w, 1, 2) && !stf_writer_close(w, NULL));
	elf = (struct elfb){ .code = code, .code_size = sizeof(code), .build_id = id,
			     .build_id_size = sizeof(id) };
	add_function("_text", 0, 0);
	add_function("work", 0x10, 4);
	CHECK(elfb_write(&elf, test_path("vmlinux")));
	CHECK_EQ(run("cd %s && ssctr stat --by functions --symfs %s k.stf", dir, dir), 0);
	CHECK(strstr(run_err, "or its vmlinux with --vmlinux"));
	CHECK_EQ(run("cd %s && ssctr stat --by functions --symfs %s --vmlinux vmlinux k.stf", dir, dir), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, "  work ([kernel])\n"));
	CHECK_EQ(run("cd %s && ssctr dump --symbols trace --vmlinux vmlinux k.stf", dir), 0);
	CHECK(strstr(run_out, "  -  work+0x2\n"));
}

/* A build can be at another address after each boot. */
TEST(a_joined_trace_has_the_names_of_each_boot)
{
	const char *map = "ssctr map - 0xffffffff81000000 0xffffffff81010000 0xffffffff81000000 - [kernel.kallsyms]_text";
	struct stf_writer *w = begin_in_kernel("k.stf", KERNEL_MAP, KERNEL_AT + 0x12);

	CHECK(!stf_write_inst(w, 1, 2) && !stf_writer_close(w, NULL));
	w = begin_in_kernel("l.stf", map, KERNEL_AT + 0x1000024);
	CHECK(!stf_write_inst(w, 1, 2) && !stf_writer_close(w, NULL));
	CHECK_EQ(run("cd %s && ssctr join -o j.stf k.stf l.stf", test_tmpdir()), 0);
	dump_kernel("j.stf");
	CHECK(strstr(run_out, "  -  work+0x2\n"));
	CHECK(strstr(run_out, "  -  rest+0x4  gap"));
}

/* Only what ran is told: the kernel's own mapping comes later, with its first instruction. */
TEST(a_trace_that_begins_in_a_module_has_the_kernel_s_names)
{
	struct stf_writer *w =
		begin_in_kernel("m.stf",
				"ssctr map - 0xffffffff02000000 0xffffffff02001000 0x0 - [a_module]",
				0xffffffff02000012);

	CHECK(!stf_write_pc_target(w, KERNEL_AT + 0x12) && !stf_write_inst(w, 0x6f, 4));
	CHECK(!stf_write_comment(w, KERNEL_MAP) && !stf_write_inst(w, 1, 2));
	CHECK(!stf_writer_close(w, NULL));
	dump_kernel("m.stf");
	CHECK(strstr(run_out, "  -  work+0x2\n"));
	CHECK_STR(run_err, "ssctr dump: not named: the functions of the module [a_module] have no names: "
			   "the recording does not have the build id by which the file of a module is known\n");
}

static int stat_of(const char *options, const char *name)
{
	const char *dir = test_tmpdir();

	return run("ssctr stat --by functions --symfs %s %s %s/%s", dir, options, dir, name);
}

/*
 * Process 5 runs 7 instructions of main and 2 of load, process 6 runs 1 and 2, and each has one
 * more of main, at which the sample was taken. load is called twice. The return that leads from
 * main to its start does not enter it.
 */
TEST(stat_counts_functions_of_all_processes)
{
	make("t.zstf");
	CHECK_EQ(stat_of("", "t.zstf"), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, "\nFunctions\n"
			      "    instructions    share      entries  function\n"
			      "               8  66.67 %            0  main (/x)\n"
			      "               4  33.33 %            2  load (/x)\n"));
	CHECK_EQ(stat_of("--csv", "t.zstf"), 0);
	CHECK(strstr(run_out, "\nfunctions,\"main (/x)\",instructions,8\n"
			      "functions,\"main (/x)\",entries,0\n"
			      "functions,\"load (/x)\",instructions,4\n"
			      "functions,\"load (/x)\",entries,2\n"));
	CHECK_EQ(stat_of("--json --limit 1", "t.zstf"), 0);
	CHECK(strstr(run_out, ",\"n_functions\":2,\"further_functions\":0,\"functions\":["
			      "{\"name\":\"main\",\"file\":\"/x\",\"instructions\":8,\"entries\":0}]}"));
}

/* Two threads run work at once: what the other one ran before says nothing. */
TEST(a_thread_enters_a_function_while_another_is_in_it)
{
	struct stf_writer *w = begin_in_kernel("k.stf", KERNEL_MAP, KERNEL_AT + 0x10);
	unsigned int tid;

	for (tid = 1; tid <= 2; tid++)
		CHECK(!stf_write_process(w, 0, 1, tid) &&
		      !stf_write_force_pc(w, KERNEL_AT + 0x10) && !stf_write_inst(w, 1, 2));
	CHECK(!stf_write_process(w, 0, 1, 1) && !stf_write_force_pc(w, KERNEL_AT + 0x12) &&
	      !stf_write_inst(w, 1, 2) && !stf_writer_close(w, NULL));
	CHECK_EQ(run("cd %s && ssctr stat --by functions --kallsyms list k.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "gaps             0 within the trace\n"));
	CHECK(strstr(run_out, "               3 100.00 %            2  work ("));
}

TEST(stat_tells_in_which_file_a_region_lies)
{
	make("t.zstf");
	CHECK_EQ(run("ssctr stat --by regions %s/t.zstf", test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, "           10000          5       1               9             0             0  /x\n"
			      "           20000          6       1               3             0             0  /x\n"));
	CHECK_EQ(run("ssctr stat --csv --by regions %s/t.zstf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nregions,0x20000/6,file,\"/x\"\n"));
}

TEST(stat_says_which_file_has_no_names)
{
	make("t.stf");
	CHECK_EQ(run("cd %s && ssctr stat --by functions --symfs / t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "              12 100.00 %            0  [unknown] (/x)\n"));
	CHECK_SAYS("not named: //x: No such file or directory");
}

TEST(without_symfs_one_line_tells_how_many_files_have_no_names)
{
	const char *dir = test_tmpdir();

	begin_two();
	pdb_mmap2_id(&rec, 7, MAP_AT, 0x1000, ELFB_CODE, "/y", 1, id);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	add_sample(7, 4, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cp %s/x %s/y", dir, dir), 0);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK_EQ(run("ssctr stat --by functions %s/t.stf", dir), 0);
	CHECK_STR(run_err, "ssctr stat: not named: 2 files; name with --symfs a folder that has the files of the machine that recorded. The first file: /x: No such file or directory; name the file (build id 0102030405060708090a0b0c0d0e0f1011121314), or a folder that has it, with --code\n");
	CHECK_EQ(run("ssctr dump --symbols trace %s/t.stf", dir), 0);
	CHECK_STR(run_err, "ssctr dump: not named: 2 files; name with --symfs a folder that has the files of the machine that recorded. The first file: /x: No such file or directory; name the file (build id 0102030405060708090a0b0c0d0e0f1011121314), or a folder that has it, with --code\n");
	CHECK_EQ(run("ssctr dump --symbols trace --limit 1 %s/t.stf", dir), 0);
	CHECK_STR(run_err, "ssctr dump: not named: /x: No such file or directory; name the file (build id 0102030405060708090a0b0c0d0e0f1011121314), or a folder that has it, with --code\n");
}

TEST(stat_needs_names_for_functions)
{
	const char *dir = test_tmpdir();

	make("t.stf");
	CHECK_EQ(run("cd %s && ssctr csv t.stf -o t.csv && ssctr csv t.csv -o u.stf", dir), 0);
	CHECK_EQ(run("cd %s && ssctr stat --by functions u.stf", dir), 1);
	CHECK_SAYS("u.stf does not tell which files were mapped; name the program with --symbols ELF");
	CHECK_EQ(run("cd %s && ssctr stat --by functions --symbols x@0x%lx u.stf", dir,
		     (unsigned long)MAP_AT - (unsigned long)ELFB_ADDR - ELFB_CODE), 0);
	CHECK(strstr(run_out, "  main (x)\n"));
	/* A report of everything leaves them out. */
	CHECK_EQ(run("cd %s && ssctr stat --csv u.stf 2>&1 | grep functions", dir), 1);
}

/* An instruction of main at this offset, which branches, jumps or calls to its start. */
static void put_main(struct stf_writer *w, uint32_t opcode, bool taken)
{
	if (taken)
		CHECK(!stf_write_pc_target(w, MAP_AT));
	CHECK(!stf_write_inst(w, opcode, 4));
}

TEST(what_enters_a_function)
{
	const char *comments[] = { "ssctr origin 1",
		"ssctr map 0 0x10000 0x11000 0x1000 - /x", NULL };
	const struct stf_header header = { .size = sizeof(header), .comments = comments,
					   .generator = STF_GEN_QEMU, .pc = MAP_AT };
	const uint64_t source = 0;
	struct stf_writer *w;

	begin();
	write_files();
	w = stf_writer_open(test_path("e.stf"), NULL, NULL);
	CHECK(w && !stf_write_header(w, &header));
	put_main(w, 0x13, false); /* the first instruction of the trace enters */
	put_main(w, 0x63, true); /* a branch */
	put_main(w, 0x6f, true); /* and a jump to itself do not */
	put_main(w, 0xef, true); /* a call of itself does: twice by now */
	/* Interrupted after the call: it stands there again, and enters once. */
	CHECK(!stf_write_event(w, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW,
			       &source, 1));
	CHECK(!stf_write_event_target(w, MAP_AT));
	put_main(w, 0x13, false);
	put_main(w, 0x13, false);
	/* Nobody knows what led here. */
	CHECK(!stf_write_force_pc(w, MAP_AT));
	put_main(w, 0x13, false);
	CHECK(!stf_writer_close(w, NULL));
	CHECK_EQ(stat_of("", "e.stf"), 0);
	CHECK(strstr(run_out, "               6 100.00 %            3  main (/x)\n"));
}

/* main ends where next begins, and main's last instruction leads straight into it. */
TEST(a_function_ends_where_the_next_one_begins)
{
	const char *comments[] = { "ssctr origin 1",
		"ssctr map 0 0x10000 0x11000 0x1000 - /x", NULL };
	const struct stf_header header = { .size = sizeof(header), .comments = comments,
					   .generator = STF_GEN_QEMU, .pc = MAP_AT };
	struct stf_writer *w;
	unsigned int i;

	begin();
	add_function("next", 0x10, 2);
	write_files();
	w = stf_writer_open(test_path("e.stf"), NULL, NULL);
	CHECK(w && !stf_write_header(w, &header));
	for (i = 0; i < 6; i++)
		CHECK(!stf_write_inst(w, 0x13, 4));
	CHECK(!stf_writer_close(w, NULL));
	CHECK_EQ(stat_of("", "e.stf"), 0);
	CHECK(strstr(run_out, "               4  66.67 %            1  main (/x)\n"
			      "               1  16.67 %            0  load (/x)\n"
			      "               1  16.67 %            1  next (/x)\n"));
}

/* An address is in one file in process 5, and in another one in process 6. */
TEST(the_same_address_in_two_processes_is_two_functions)
{
	const char *comments[] = { "ssctr origin 1",
		"ssctr map 5 0x10000 0x11000 0x1000 - /x",
		"ssctr map 6 0x10000 0x11000 0x1000 - /x2", NULL };
	const struct stf_header header = { .size = sizeof(header), .comments = comments,
					   .generator = STF_GEN_QEMU, .pc = MAP_AT,
					   .features = STF_FEATURE_PROCESS_ID };
	struct stf_writer *w;

	begin();
	write_files();
	CHECK_EQ(run("cp %s/x %s/x2", test_tmpdir(), test_tmpdir()), 0);
	w = stf_writer_open(test_path("e.stf"), NULL, NULL);
	CHECK(w && !stf_write_header(w, &header));
	CHECK(!stf_write_process(w, 0, 5, 5));
	CHECK(!stf_write_inst(w, 0x13, 4));
	CHECK(!stf_write_process(w, 0, 6, 6));
	CHECK(!stf_write_inst(w, 0x13, 4));
	CHECK(!stf_write_inst(w, 0x13, 4));
	CHECK(!stf_writer_close(w, NULL));
	CHECK_EQ(stat_of("", "e.stf"), 0);
	CHECK(strstr(run_out, "               2  66.67 %            0  main (/x2)\n"
			      "               1  33.33 %            1  main (/x)\n"));
}

TEST(a_part_has_the_mappings_that_it_needs)
{
	const char *dir = test_tmpdir();

	make("t.stf");
	CHECK_EQ(run("cd %s && ssctr cut --start 3 --limit 4 -o a.stf t.stf", dir), 0);
	read_lines("a.stf");
	CHECK(strstr(lines, "\n0 map 5 0x10000 "));
	CHECK(!strstr(lines, "map 6"));
	CHECK_EQ(run("cd %s && ssctr cut --last 2 -o b.stf t.stf", dir), 0);
	read_lines("b.stf");
	CHECK(!strstr(lines, "map 5"));
	CHECK(strstr(lines, "\n0 map 6 0x20000 0x21000 "));
	/* Both, and the first one again in a window of its own: told once. */
	CHECK_EQ(run("cd %s && ssctr cut --every 4 --limit 2 -o c.stf t.stf", dir), 0);
	read_lines("c.stf");
	CHECK(strstr(lines, "\n0 map 5 0x10000 "));
	CHECK(strstr(lines, "map 6 0x20000 "));
	CHECK_EQ(run("cd %s && ssctr cut -o d.stf c.stf && ssctr dump d.stf >d; ssctr dump c.stf | cmp - d",
		     dir), 0);
	CHECK_EQ(run("cd %s && ssctr cut --drop comments -o e.stf t.stf", dir), 0);
	read_lines("e.stf");
	CHECK(!strstr(lines, "map"));
}

/*
 * Instructions whose mapping is not among the comments of the 100,000 instructions before
 * them, or of their own groups.
 */
static unsigned int count_untold(const char *name, uint64_t *instructions)
{
	uint64_t told[2] = { UINT64_MAX, UINT64_MAX };
	unsigned int untold = 0;
	struct stf_record r;

	open_trace(name);
	while (stf_inst_iter_next(iter, &inst) == 1) {
		const unsigned int which = inst.pc >= 2 * MAP_AT;

		while (stf_inst_iter_record(iter, &r) == 1)
			if (r.desc == STF_COMMENT &&
			    !memcmp(r.text.data, "ssctr map ", 10))
				told[r.text.data[10] == '6'] = inst.index;
		untold += told[which] == UINT64_MAX ||
			  inst.index - told[which] > 100000;
	}
	*instructions = inst.index + 1;
	close_trace();
	return untold;
}

TEST(a_long_trace_tells_its_mappings_again)
{
	const char *dir = test_tmpdir();
	unsigned int i, start;
	uint64_t all;

	begin_two();
	for (i = 0; i < 32000; i++) {
		if (i / 9000 % 2)
			add_sample(6, 4 + i, 2 * MAP_AT + 0x0a, 2, other);
		else
			add_sample(5, 4 + i, MAP_AT + 0x02, 4, loop);
	}
	write_files();
	CHECK_EQ(run_stf("", "t.zstf"), 0);
	CHECK_EQ(count_untold("t.zstf", &all), 0);
	CHECK(all > 200000);
	/* By the index, far from the places where they were told first. */
	for (start = 0; start + 5000 < all; start += 30011) {
		CHECK_EQ(run("cd %s && ssctr cut --start %u --limit 5000 -o w.stf t.zstf",
			     dir, start), 0);
		/* The mode is not repeated. */
		CHECK(!strstr(run_err, "process"));
		CHECK_EQ(count_untold("w.stf", &(uint64_t){ 0 }), 0);
		dump("", "w.stf");
		CHECK(!strstr(run_out, "  U  -") && !strstr(run_out, "  -  -"));
		CHECK_EQ(run("cd %s && ssctr dump --symbols trace --symfs . --start %u --limit 50 t.zstf",
			     dir, start), 0);
		CHECK(strstr(run_out, "  load\n"));
		CHECK(!strstr(run_out, "  U  -") && !strstr(run_out, "  -  -"));
	}
}

/* --- how much of what ran it holds --- */

/* Samples of nine instructions each, and the one at which the sample was taken. */
static void record_some(unsigned int nr, uint64_t config, uint64_t count)
{
	unsigned int i;

	begin();
	rec.events[0].attr.type = PERF_TYPE_HARDWARE;
	rec.events[0].attr.config = config;
	for (i = 0; i < nr; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x02, .time = 2 + i, .pid = 5, .cpu = 3,
			.period = count / nr, .nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, count, 0);
	write_files();
}

static void record_one(uint64_t config, uint64_t count)
{
	record_some(1, config, count);
}

/* No sample is missing, and yet the trace holds a half. */
TEST(the_trace_holds_less_than_the_samples_cover)
{
	record_one(PERF_COUNT_HW_INSTRUCTIONS, 18);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "          10 instructions\n"
			      "           1 instructions that did not execute, because an event stopped them\n"
			      "          18 instructions ran, of which the output holds 50.0 %; record with a shorter period"));
	CHECK(strstr(run_err, ", which cover 100.0 % of its count of 18\n"));
	CHECK_EQ(run_stf("--least 40", "t.stf"), 0);
	CHECK(strstr(run_err, ", of which the output holds 50.0 %\n"));
	CHECK_EQ(run_stf("--split thread", "t.stf"), 0);
	CHECK(strstr(run_err, ", of which the output holds 50.0 %; "));
	CHECK_EQ(run_stf("--primary-cpu 3", "t.stf"), 0);
	CHECK(strstr(run_err, " instructions, whose share of what ran is not known; "));
	/* No other recording would tell it. */
	record_some(2, PERF_COUNT_HW_INSTRUCTIONS, 36);
	CHECK_EQ(run_stf("--time 0,0.000000002", "t.stf"), 0);
	CHECK(strstr(run_err, "          10 instructions, whose share of what ran is not known\n"));
	/* This selects all samples. There is no count of it, either. */
	CHECK_EQ(run_stf("--time 0,1", "t.stf"), 0);
	CHECK(strstr(run_err, "          20 instructions, whose share of what ran is not known\n"));
	record_one(PERF_COUNT_HW_CPU_CYCLES, 18);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "          10 instructions, whose share of what ran is not known; "));
}

/* The whole line: it once ended within the name of the page. */
#define SHARE_OF_WHAT_RAN                                                      \
	" of what ran; record with a shorter period, or with larger buffers (-m) if samples were lost, to get more (docs/trace.md, Without gaps)\n"

TEST(stat_says_what_share_of_what_ran_it_counts)
{
	record_one(PERF_COUNT_HW_INSTRUCTIONS, 18);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && ssctr stat --by mix t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ncoverage         50.0 %" SHARE_OF_WHAT_RAN));
	CHECK_EQ(run("cd %s && ssctr stat --by mix --json t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "{\"read_to_end\":true,\"coverage\":0.500000,"));
	CHECK_EQ(run("cd %s && ssctr stat --by mix --csv t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ntrace,all,coverage,0.500000\n"));
	CHECK_EQ(run("cd %s && ssctr info t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ncoverage         50.0 %" SHARE_OF_WHAT_RAN));
	/* A part of it does not tell that share. */
	CHECK_EQ(run("cd %s && ssctr cut --limit 8 -o c.stf t.stf && ssctr stat --by mix --csv c.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ntrace,all,coverage,\n"));
	CHECK_EQ(run("cd %s && head -c -2 t.stf >c.stf; ssctr info --json c.stf", test_tmpdir()), 1);
	CHECK(strstr(run_out, ",\"read_to_end\":false,") && strstr(run_out, ",\"coverage\":null,"));
	CHECK_EQ(run("cd %s && ssctr info c.stf", test_tmpdir()), 1);
	CHECK(strstr(run_out, "\nThe trace has a fault, or its end is missing. The counts end there.\n"));
}

TEST(an_estimate_says_of_what_share_it_is)
{
	record_one(PERF_COUNT_HW_INSTRUCTIONS, 18);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && ssctr phases --interval 2 --windows 2 --phases 1 -o w t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ncoverage     50.0 %" SHARE_OF_WHAT_RAN));
	CHECK_EQ(run("cd %s && ssctr phases --interval 2 --windows 2 --phases 1 --json t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, ",\"coverage\":0.500000,"));
	/* Of a part of the trace, it is not known. This is all of it. */
	CHECK_EQ(run("cd %s && ssctr phases --interval 2 --windows 2 --phases 1 --pid 5 t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ncoverage     50.0 % of what ran; "));
	CHECK_EQ(run("cd %s && awk '/^window/ { print $2, 1 }' w >v && ssctr estimate w v", test_tmpdir()), 0);
	CHECK_SAYS("the windows are from 50.0 % of what ran; the result says nothing about the rest");
	CHECK(strstr(run_out, "\ncoverage         50.0 %" SHARE_OF_WHAT_RAN));
	CHECK_EQ(run("cd %s && ssctr estimate --json w v", test_tmpdir()), 0);
	CHECK(strstr(run_out, ",\"coverage\":0.500000,"));
	/* Nobody knows it: nothing is warned of. */
	CHECK_EQ(run("cd %s && grep -v ^coverage w >u; ssctr estimate --json u v", test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, ",\"coverage\":null,"));
	CHECK_EQ(run("cd %s && sed 's/^coverage.*/coverage 2/' w >u; ssctr estimate u v", test_tmpdir()), 1);
	CHECK_SAYS("u: line 9: the coverage is not a number from 0 to 1");
}

TEST(what_is_made_from_a_trace_says_what_share_it_is)
{
	record_one(PERF_COUNT_HW_INSTRUCTIONS, 18);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && ssctr csv t.stf -o t.csv", test_tmpdir()), 0);
	CHECK_SAYS("10 instructions of a trace that holds 50.0 % of what ran; record with a shorter period");
	CHECK_EQ(run("cd %s && ssctr champsim t.stf -o t.champsim", test_tmpdir()), 0);
	CHECK(strstr(run_err, "9 instructions of a trace that holds 50.0 % of what ran; record with a shorter period"));
	CHECK_EQ(run("cd %s && ssctr champsim --limit 8 t.stf -o t.champsim", test_tmpdir()), 0);
	CHECK(strstr(run_err, "           8 instructions\n"));
}

TEST(a_csv_does_not_mark_gaps_which_is_said)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("--stitch never", "t.stf"), 0);
	CHECK_EQ(run("cd %s && ssctr csv t.stf -o t.csv", test_tmpdir()), 0);
	CHECK(strstr(run_err, "          20 instructions of a trace that does not tell its share of what ran\n"
			      "           1 gaps, which the CSV does not mark: "));
}

#define REPEATED " instructions are shown more than once, because samples overlap that were not joined; make the trace without --stitch never, and record without losses (-m) and with a shorter period (-c), or with a much longer one\n"

/* Two samples: five instructions ran since the first, and the path of the second has nine. */
static void record_twice(void)
{
	unsigned int i;

	begin();
	rec.events[0].attr.type = PERF_TYPE_HARDWARE;
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	for (i = 0; i < 2; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x02, .time = 2 + i, .pid = 5, .cpu = 3,
			.period = 5, .nr_branches = 4, .branches = loop });
}

static void shows(const char *command, const char *text)
{
	CHECK_EQ(run("cd %s && %s 2>&1", test_tmpdir(), command), 0);
	if (!strstr(run_out, text))
		test_fail(__FILE__, __LINE__, "%s: %s", command, run_out);
}

static void lacks(const char *command, const char *text)
{
	CHECK_EQ(run("cd %s && %s 2>&1", test_tmpdir(), command), 0);
	if (strstr(run_out, text))
		test_fail(__FILE__, __LINE__, "%s: %s", command, run_out);
}

TEST(each_reader_says_what_is_shown_more_than_once)
{
	record_twice();
	pdb_count(&rec, 0, UINT32_MAX, 14, 0);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	shows("grep -ao 'ssctr coverage.*repeated' t.stf", "ssctr coverage 1.000000 of 14 instructions, 4 repeated");
	shows("ssctr info t.stf", "\nrepeated         4" REPEATED);
	shows("ssctr info --json t.stf", ",\"coverage\":1.000000,\"repeated\":4,");
	shows("ssctr stat --by mix t.stf", "\nrepeated         4" REPEATED);
	shows("ssctr stat --by mix --json t.stf", ",\"coverage\":1.000000,\"repeated\":4,");
	shows("ssctr stat --by mix --csv t.stf", "\ntrace,all,repeated,4\n");
	shows("ssctr csv t.stf -o t.csv", " 4 of these" REPEATED);
	shows("ssctr champsim t.stf -o t.cs", " 4 of these" REPEATED);
	shows("ssctr model t.stf", "model: 4" REPEATED);
	shows("ssctr phases --interval 2 --windows 2 --phases 1 -o w t.stf", "\nrepeated     4" REPEATED);
	shows("ssctr phases --interval 2 --phases 1 --json t.stf", ",\"coverage\":1.000000,\"repeated\":4,");
	shows("awk '/^window/ { print $2, 1 }' w >v && ssctr estimate w v",
	      "the result is of a trace in which 4" REPEATED);
	shows("ssctr estimate w v", "\nrepeated         4 instructions, shown more than once\n");
	shows("ssctr estimate --json w v", ",\"coverage\":1.000000,\"repeated\":4,");
}

/* It is that of the whole trace, as the share. */
TEST(a_part_does_not_know_what_is_shown_more_than_once)
{
	record_twice();
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	shows("ssctr info --json t.stf", ",\"coverage\":null,\"repeated\":4,");
	shows("ssctr csv t.stf -o t.csv", " 4 of these" REPEATED);
	shows("ssctr cut -o c.stf t.stf && ssctr info --json c.stf", ",\"repeated\":4,");
	shows("ssctr join -o c.stf t.stf && ssctr info --json c.stf", ",\"repeated\":4,");
	shows("ssctr cut --limit 8 -o c.stf t.stf && ssctr info --json c.stf", ",\"repeated\":null,");
	lacks("ssctr info c.stf", "\nrepeated ");
	shows("ssctr phases --interval 2 --phases 1 --json c.stf", ",\"repeated\":null,");
	lacks("ssctr phases --interval 2 --phases 1 -o - c.stf", "\nrepeated");
	shows("ssctr join -o j.stf c.stf t.stf && ssctr info --json j.stf", ",\"repeated\":null,");
	CHECK_EQ(run_stf("--split thread", "t.stf"), 0);
	shows("ssctr info --json t.tid5.stf", ",\"repeated\":4,");
}

TEST(a_trace_without_repeats_says_so)
{
	record_one(PERF_COUNT_HW_INSTRUCTIONS, 18);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	shows("ssctr info --json t.stf", ",\"coverage\":0.500000,\"repeated\":0,");
	lacks("ssctr info t.stf", "\nrepeated ");
	lacks("ssctr csv t.stf -o t.csv", "more than once");
	lacks("ssctr phases --interval 2 --phases 1 t.stf", "repeated");
	shows("ssctr phases --interval 2 --phases 1 --json t.stf", ",\"repeated\":0,");
	shows("ssctr phases --interval 2 --windows 2 --phases 1 -o - t.stf | tee w", "\nrepeated 0\n");
	shows("awk '/^window/ { print $2, 1 }' w >v && ssctr estimate --json w v", ",\"repeated\":0,");
	lacks("ssctr estimate w v", "repeated");
	lacks("ssctr estimate w v", "more than once");
	/* Files of older versions tell only what is more than none. */
	shows("sed /^repeated/d w >w2 && ssctr estimate --json w2 v", ",\"repeated\":null,");
}
