// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands in the documentation that any machine can run, with the sanitised
 * command: selftests/words.sh says which.
 */
#include "cmd-sample.h"
#include "dwarf-build.h"

#include <sys/stat.h>

#define PAGES "README.md CONTRIBUTING.md docs/*.md docs/man/*.[145]"

static void write_recording(const char *name, unsigned int samples)
{
	unsigned int i;
	char path[160];

	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/program", 1);
	for (i = 0; i < samples; i++)
		add_sample(5, 2 + i, MAP_AT + 2, 4, loop);
	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	pdb_clock_data(&rec, 1, UINT64_C(1700000000000000000));
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, path));
	pdb_free(&rec);
}

/* What the pages call perf.data, ROOT/program, spike.csv and so on. */
static void write_what_pages_name(void)
{
	const char *dir = test_tmpdir();
	struct dwb debug = { 0 };
	char path[160];

	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
	add_function("main", 0x00, 0x10);
	add_function("load", 0x12, 6);
	dwb_begin(&debug, "/src/program.c", ELFB_ADDR + ELFB_CODE, sizeof(code));
	dwb_function(&debug, "main", "main", 10, ELFB_ADDR + ELFB_CODE, 0x12);
	dwb_leave(&debug);
	dwb_row(&debug, ELFB_ADDR + ELFB_CODE, 11, 0);
	dwb_finish(&debug, ELFB_ADDR + ELFB_CODE + sizeof(code));
	dwb_sections(&debug, &elf);
	snprintf(path, sizeof(path), "%s/ROOT", dir);
	CHECK(!mkdir(path, 0755));
	snprintf(path, sizeof(path), "%s/ROOT/program", dir);
	CHECK(elfb_write(&elf, path));
	dwb_free(&debug);

	write_recording("perf.data", 1);
	write_recording("other.data", 2);
	write_recording("long.data", 1000);
	write_text("spike.csv",
		   "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
		   "1,10000,100000ef,0,0,0,0,0\n"
		   "1,10100,8082,0,0,0,0,0\n"
		   "1,10004,ffdff06f,0,0,0,0,0\n");
	write_text("data.csv", "DRETIRE,DTYPE,DADDR,DSIZE,DATA\n");
	/*
	 * The windows of the pages are in these traces: the rows are a loop, which has many
	 * rounds in a trace.
	 */
	CHECK(!run("cd %s && awk 'NR == 1; NR > 1 { rows = rows $0 RS } END { for (i = 0; i < 3000; i++) printf \"%%s\", rows }' spike.csv >long.csv &&"
		   " ssctr csv long.csv -o trace.zstf && ssctr stf -i long.data --symfs ROOT -o program.zstf && rm long.csv long.data",
		   dir));
}

TEST(every_block_says_where_it_is_run)
{
	if (run("selftests/words.sh marks " PAGES))
		test_fail(__FILE__, __LINE__, "%s%s", run_out, run_err);
}

TEST(blocks_for_any_machine_run)
{
	write_what_pages_name();
	if (run("selftests/words.sh host %s " PAGES, test_tmpdir()))
		test_fail(__FILE__, __LINE__, "%s%s", run_out, run_err);
	/* What was found to be run is no mistake of the script's. */
	CHECK(strstr(run_out, " model_"));
	CHECK(strstr(run_out, " trace_"));
	CHECK(strstr(run_out, " ssctr-csv_1_"));
}
