// SPDX-License-Identifier: GPL-2.0-only
/* ssctr stf and report of a program that made its code itself. */
#include "cmd-sample.h"
#include "jit-build.h"

#include <inttypes.h>
#include <time.h>

static struct pdb_buf dump;
static uint32_t made_by; /* the process */

/* The small program lies in memory without a file, and in a jitdump. */
static void begin_jit_of(uint32_t pid, bool monotonic)
{
	char name[32];

	made_by = pid;
	snprintf(name, sizeof(name), "/jit-%" PRIu32 ".dump", pid);
	begin();
	rec.data.n = 0;
	rec.events[0].attr.use_clockid = monotonic;
	rec.events[0].attr.clockid = CLOCK_MONOTONIC;
	pdb_mmap2(&rec, pid, MAP_AT, 0x1000, 0, "//anon", 1);
	pdb_mmap2(&rec, pid, 0x70000, 0x1000, 0, name, 1);
	dump = (struct pdb_buf){ 0 };
	jitb_begin(&dump, 243, 0);
}

static void begin_jit(bool monotonic)
{
	begin_jit_of(5, monotonic);
}

static void write_dump(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/jit-%" PRIu32 ".dump", test_tmpdir(), made_by);
	CHECK(jitb_write(&dump, path));
	free(dump.p);
	write_files();
}

TEST(made_code_is_read_from_its_jitdump)
{
	begin_jit(true);
	jitb_load(&dump, 100, MAP_AT, 1, "made", code, sizeof(code));
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples without a break, of 1 used"));
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "  RET         made+0xe -> made+0x0\n"));
}

TEST(code_that_is_made_later_is_not_taken)
{
	static const uint16_t other[sizeof(code) / 2] = { 0x8082 };

	begin_jit(true);
	jitb_load(&dump, 100, MAP_AT, 1, "made", code, sizeof(code));
	jitb_load(&dump, 300, MAP_AT, 2, "other", other, sizeof(other));
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(5, 400, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples without a break"));
	open_trace("t.stf");
	check_loop(MODE);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

/* Until the sample before, it may have been the other code that ran there. */
TEST(code_that_took_the_place_of_other_code_is_known_from_the_next_sample_on)
{
	begin_jit(true);
	jitb_load(&dump, 100, MAP_AT, 1, "made", code, sizeof(code));
	jitb_load(&dump, 300, MAP_AT, 2, "made again", code, sizeof(code));
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(5, 400, MAP_AT + 0x02, 4, loop);
	add_sample(5, 500, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples without a break, of 3 used"));
	CHECK(strstr(run_err, "the code is not known: code that took the place of other code at its addresses since the sample before; record with a shorter period"));
}

TEST(so_is_a_file_that_took_the_place_of_another)
{
	begin();
	add_sample(5, 100, MAP_AT + 0x02, 4, loop);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, 0, "/y", 150);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 160);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(5, 300, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples without a break, of 3 used"));
	CHECK(strstr(run_err, "the code is not known: code that took the place of other code"));
}

TEST(a_file_s_code_that_the_program_may_have_changed_is_not_known)
{
	begin();
	add_sample(5, 100, MAP_AT + 0x02, 4, loop);
	pdb_mmap2_prot(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 150, NULL, 1,
		       PROT_READ | PROT_WRITE | PROT_EXEC);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 160);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples without a break, of 2 used"));
	CHECK(strstr(run_err, "the code is not known: code of a file that the program made writable, and may have changed"));
}

TEST(without_the_dump_s_clock_changed_code_is_not_known)
{
	begin_jit(false);
	jitb_load(&dump, 100, MAP_AT, 1, "made", code, sizeof(code));
	jitb_load(&dump, 300, MAP_AT, 2, "made again", code, sizeof(code));
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run_stf("", "t.stf"), 3);
	CHECK(strstr(run_err, "none of 1 samples could be used: the code is not known: code that a program made and changed; record with perf record -k mono"));
}

TEST(a_program_that_starts_another_leaves_its_dump_behind)
{
	begin_jit(true);
	jitb_load(&dump, 100, MAP_AT, 1, "made", code, sizeof(code));
	pdb_comm(&rec, PDB_MISC_EXEC, 5, "next", 150);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run_stf("", "t.stf"), 3);
}

TEST(a_child_runs_the_code_that_its_parent_made)
{
	begin_jit(true);
	jitb_load(&dump, 100, MAP_AT, 1, "made", code, sizeof(code));
	pdb_task(&rec, PERF_RECORD_FORK, 0, 6, 6, 5, 150);
	add_sample(6, 200, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples without a break, of 1 used"));
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
}

/* A map is not believed where the file has a name. */
TEST(a_perf_map_names_neither_files_nor_the_kernel)
{
	static const uint64_t call[][3] = {
		{ KERNEL_AT + 0x10, MAP_AT + 0x0e, 0 },
		{ MAP_AT + 0x0a, KERNEL_AT, 0 },
	};

	begin();
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(5, 300, MAP_AT + 0x0e, 2, call);
	write_files();
	CHECK_EQ(run("mkdir %s/tmp && { echo '10000 100 wrong' && echo 'ffffffff80000000 100 wrong'; } >%s/tmp/perf-5.map",
		     test_tmpdir(), test_tmpdir()), 0);
	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "main+0xe -> main+0x0\n"));
	CHECK(strstr(run_out, "main+0xa -> [kernel]"));
	CHECK(!strstr(run_out, "wrong"));
}

/* Beside a jitdump, the code of files is read from the files. */
TEST(a_jitdump_names_no_code_of_files)
{
	begin();
	pdb_mmap2(&rec, 5, 0x70000, 0x1000, 0, "/jit-5.dump", 1);
	dump = (struct pdb_buf){ 0 };
	jitb_begin(&dump, 243, 0);
	jitb_load(&dump, 100, MAP_AT, 1, "wrong", code, sizeof(code));
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "main+0xe -> main+0x0\n"));
	CHECK(!strstr(run_out, "wrong"));
}

/* Of memory without a file, with these lines in the perf map of process 5. */
static int report_by_map(const char *map, const char *options)
{
	const char *dir = test_tmpdir();

	write_files();
	CHECK_EQ(run("mkdir %s/tmp && printf '%s' >%s/tmp/perf-5.map", dir, map, dir), 0);
	return run("ssctr report -i %s/perf.data --symfs %s %s", dir, dir, options);
}

static void begin_made(void)
{
	begin();
	rec.data.n = 0;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, 0, "//anon", 1);
}

/* main has a name, and away has none; process 6 has the file elsewhere, and no list. */
static void begin_listed_file(void)
{
	static const uint64_t away[][3] = { { MAP_AT + 0x18, MAP_AT, 0 } };
	static const uint64_t other[][3] = { { 0x50018, 0x50000, 0 } };

	begin();
	pdb_mmap2(&rec, 6, 0x50000, 0x1000, ELFB_CODE, "/x", 1);
	pdb_mmap2(&rec, 5, 0x70000, 0x1000, 0, "/jit-5.dump", 1);
	add_sample(5, 200, MAP_AT + 0x02, 1, away);
	add_sample(6, 300, 0x50002, 1, other);
}

static void check_listed_file(void)
{
	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s --by edges", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "100.0%"));
	CHECK(strstr(run_out, " Builtin:away+0x0 -> main+0x0\n"));
	CHECK(!strstr(run_out, "wrong"));
}

TEST(a_jitdump_names_code_of_a_file_that_has_no_name)
{
	begin_listed_file();
	dump = (struct pdb_buf){ 0 };
	jitb_begin(&dump, 243, 0);
	jitb_load(&dump, 100, MAP_AT, 1, "wrong", code, 0x10);
	jitb_load(&dump, 100, MAP_AT + 0x18, 2, "Builtin:away", code, 4);
	write_dump();
	check_listed_file();
	/* Without the file, the names are there all the same. */
	CHECK_EQ(run("rm %s/x", test_tmpdir()), 0);
	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s --by edges", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, " Builtin:away+0x0 -> "));
}

TEST(a_perf_map_names_code_of_a_file_that_has_no_name)
{
	begin_listed_file();
	write_files();
	CHECK_EQ(run("mkdir %s/tmp && printf '10000 10 wrong\\n10018 100000 Builtin:away\\n' >%s/tmp/perf-5.map",
		     test_tmpdir(), test_tmpdir()), 0);
	check_listed_file();
}

TEST(report_names_code_by_a_perf_map)
{
	begin_made();
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("10000 100 named\\n", "--raw"), 0);
	CHECK(strstr(run_out, "  RET         named+0xe -> named+0x0\n"));
}

/* A perf map has no code. */
TEST(report_says_that_shares_of_unknown_code_are_approximate)
{
	static const uint64_t back[][3] = {
		{ MAP_AT + 0x0e, MAP_AT, (uint64_t)PERF_BR_COND << 20 },
		{ MAP_AT + 0x0e, MAP_AT, (uint64_t)PERF_BR_COND << 20 },
		{ MAP_AT + 0x0e, MAP_AT, (uint64_t)PERF_BR_COND << 20 },
	};
	static const char said[] =
		"100.0 % of what ran is in functions with loops whose code is not known;\nthe shares of these loops are approximate";

	begin_made();
	add_sample(5, 200, MAP_AT + 0x02, 3, back);
	CHECK_EQ(report_by_map("10000 100 named\n", "--by loops"), 0);
	CHECK(strstr(run_out, said));
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --by loops --json", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, ",\"unread_share\":1.000000,"));
	begin();
	add_sample(5, 200, MAP_AT + 0x02, 3, back);
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --by loops", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(!strstr(run_out, "code is not known"));
}

TEST(a_child_s_code_is_named_by_the_perf_map_of_its_parent)
{
	begin_made();
	pdb_task(&rec, PERF_RECORD_FORK, 0, 6, 6, 5, 150);
	pdb_task(&rec, PERF_RECORD_FORK, 0, 7, 7, 6, 160);
	add_sample(7, 200, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("10000 100 named\\n", "--raw"), 0);
	CHECK(strstr(run_out, "  RET         named+0xe -> named+0x0\n"));
}

TEST(a_program_that_a_child_starts_is_not_named_by_its_parent)
{
	begin_made();
	pdb_task(&rec, PERF_RECORD_FORK, 0, 6, 6, 5, 150);
	pdb_comm(&rec, PDB_MISC_EXEC, 6, "next", 160);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, 0, "//anon", 170);
	add_sample(6, 200, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("10000 100 wrong\\n", "--raw"), 0);
	CHECK(!strstr(run_out, "wrong"));
}

/* A loop in code that was made at another address. */
static void add_loop_at(uint64_t at, uint64_t time)
{
	uint64_t branches[4][3];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		branches[i][0] = loop[i][0] - MAP_AT + at;
		branches[i][1] = loop[i][1] - MAP_AT + at;
		branches[i][2] = loop[i][2];
	}
	add_sample(5, time, at + 2, 4, (const uint64_t (*)[3])branches);
}

/* Made at three places: what has a tenth of all that ran under the name is shown of it. */
static void record_made_again(unsigned int times)
{
	unsigned int i;

	begin_jit(true);
	for (i = 0; i < 3; i++)
		jitb_load(&dump, 100, MAP_AT + 0x100 * i, 1 + i, "made", code, sizeof(code));
	for (i = 0; i < times; i++)
		add_loop_at(MAP_AT + 0x100, 200 + i);
	add_loop_at(MAP_AT, 300);
	add_loop_at(MAP_AT + 0x200, 310);
	write_dump();
}

static int run_there(const char *command)
{
	return run("cd %s && ssctr %s", test_tmpdir(), command);
}

TEST(code_that_a_program_makes_again_under_one_name_is_one_function)
{
	record_made_again(38);
	CHECK_EQ(run_there("report --raw --symfs . --by functions,calls"), 0);
	CHECK(strstr(run_out, "; 1 functions\n"));
	CHECK(strstr(run_out, "  100.0%  made (/jit-5.dump)\n"));
	CHECK(strstr(run_out, " calls between 1 pairs of functions\n"));
	CHECK(strstr(run_out, "  100.0%  made -> made\n"));
	CHECK_EQ(run_there("report --raw --symfs . --by functions --json"), 0);
	CHECK(strstr(run_out, ",\"share\":1.000000,\"binary\":\"/jit-5.dump\",\"function\":\"made\"}]"));
	CHECK_EQ(run_there("report --raw --symfs . --html page && grep '<summary' page"), 0);
	CHECK_STR(run_out, "<summary>made (/jit-5.dump): 100.0%, of which the hottest of 3 codes is shown</summary>\n");
	CHECK_EQ(run_there("diff --all --symfs . perf.data perf.data"), 0);
	CHECK(strstr(run_out, "\n0 of 1 functions changed\n"));
	CHECK(strstr(run_out, " 100.0%   100.0%     +0.0  made (/jit-5.dump)\n"));
}

TEST(a_perf_map_s_functions_of_one_name_are_one)
{
	begin_made();
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("10000 12 made\n10012 6 made\n", "--raw --by functions"), 0);
	CHECK(strstr(run_out, "; 1 functions\n"));
	CHECK(strstr(run_out, "  100.0%  made (//anon)\n"));
}

TEST(annotate_shows_the_hottest_code_of_one_name)
{
	record_made_again(38);
	CHECK_EQ(run_there("annotate --raw --symfs . made"), 0);
	CHECK(!strncmp(run_out, "made (/jit-5.dump): 95.0% ", 26));
	CHECK(!strstr(run_out, "\nmade ("));
	CHECK(strstr(run_err, "ssctr annotate: made (/jit-5.dump): 2 of the 3 codes with this name are left out: 5.0% of all that ran\n"));
	CHECK_EQ(run_there("annotate --raw --symfs . -n 5"), 0);
	CHECK(!strncmp(run_out, "made (/jit-5.dump): 95.0% ", 26));
	CHECK(!strstr(run_out, "\nmade ("));
	CHECK(strstr(run_err, ": 2 of the 3 codes with this name are left out: 5.0% of all that ran\n"));
}

TEST(annotate_shows_all_codes_of_one_name_that_are_hot)
{
	record_made_again(1);
	CHECK_EQ(run_there("annotate --raw --symfs . made | grep -c '^made (/jit-5.dump): 33.3%'"), 0);
	CHECK_STR(run_out, "3\n");
	CHECK(!strstr(run_err, "left out"));
}

/* The jitdumps' own names have the numbers of the processes. */
TEST(made_code_of_two_runs_is_compared_by_its_names)
{
	uint32_t pid;

	for (pid = 5; pid < 7; pid++) {
		begin_jit_of(pid, true);
		jitb_load(&dump, 100, MAP_AT, 1, "made", code, sizeof(code));
		add_sample(pid, 200, MAP_AT + 0x02, 4, loop);
		write_dump();
		CHECK_EQ(run("mv %s/perf.data %s/%" PRIu32 ".data", test_tmpdir(), test_tmpdir(),
			     pid), 0);
	}
	CHECK_EQ(run("cd %s && ssctr diff --all --symfs . 5.data 6.data", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\n0 of 1 functions changed\n"));
	CHECK(strstr(run_out, " 100.0%   100.0%     +0.0  made (/jit-6.dump)\n"));
}

TEST(what_perf_maps_do_not_name_is_one_line)
{
	const char *at;

	begin_made();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, 0, "//anon", 1);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(6, 300, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("10000 10 named\\n", "--by functions"), 0);
	at = strstr(run_out, "  //anon\n");
	CHECK(at && !strstr(at + 1, "  //anon\n"));
}

/* Two pieces of code are where one sample is, and one where the other is. */
TEST(report_says_that_times_of_a_jitdump_cannot_be_compared)
{
	begin_jit(false);
	jitb_load(&dump, 100, MAP_AT, 1, "made", code, 0x10);
	jitb_load(&dump, 100, MAP_AT + 0x12, 2, "only", code + 9, 6);
	jitb_load(&dump, 300, MAP_AT, 3, "made again", code, 0x10);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(5, 400, MAP_AT + 0x12, 4, loop);
	write_dump();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(strstr(run_err, "\nnot named: 50.0 % of the samples, in code that programs made, most of them in process 5: "));
	CHECK(strstr(run_err, "record with `perf record -k mono` or `ssctr record`\n"));
	CHECK(!strstr(run_err, ".map"));
}

TEST(report_says_that_the_names_of_made_code_are_missing)
{
	begin_made();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, 0, "//anon", 1);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(6, 300, MAP_AT + 0x02, 4, loop);
	add_sample(6, 400, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("10000 10 named\\n", ""), 0);
	CHECK(strstr(run_err, "\nnot named: 66.7 % of the samples, in code that programs made, most of them in process 6: its list /tmp/perf-6.map is missing; "));
	CHECK(strstr(run_err, " with --code, or let the program write a jitdump (docs/report.md)\n"));
	CHECK(!strstr(strstr(run_err, "not named") + 1, "not named"));
	/* A trace has no names. */
	CHECK_EQ(run_stf("", "t.stf"), 3);
	CHECK(!strstr(run_err, "not named"));
}

TEST(the_names_that_a_child_lacks_may_be_those_of_its_parent)
{
	begin_made();
	pdb_task(&rec, PERF_RECORD_FORK, 0, 6, 6, 5, 150);
	add_sample(6, 200, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s", test_tmpdir(), test_tmpdir()), 0);
	CHECK(strstr(run_err, "in process 6: its list /tmp/perf-6.map, or /tmp/perf-5.map of its parent, is missing; copy it"));
}

TEST(report_says_that_a_perf_map_does_not_have_all)
{
	begin_made();
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("20000 10 other\\n", ""), 0);
	CHECK(strstr(run_err, "not named: 100.0 % of the samples, "));
	CHECK(strstr(run_err, "neither its jitdump nor its perf map has it"));
}

TEST(report_says_that_a_perf_map_has_several_names_for_an_address)
{
	static const char map[] = "10000 10 old\\n10000 100 new\\n10040 10 new\\n20000 10 a\\n20000 10 b\\n";

	begin_made();
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(5, 300, MAP_AT + 0x12, 4, loop);
	CHECK_EQ(report_by_map(map, "--json"), 0);
	CHECK(strstr(run_err, "\nnames may be wrong: 50.0 % of the samples, in code that programs made, most of them in process 5: its list /tmp/perf-5.map has several names for 2 addresses, and only the last name is shown; let the program write a jitdump, and record with `perf record -k mono` or `ssctr record` (docs/report.md)\n"));
	CHECK(!strstr(run_err, "not named"));
}

TEST(a_name_that_a_perf_map_repeats_is_one)
{
	begin_made();
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("10000 10 new\\n10000 100 new\\n20000 10 a\\n20000 10 b\\n", ""), 0);
	CHECK(!strstr(run_err, "names may be wrong"));
}

/* Of a child, the list of its parent is named. */
TEST(the_list_with_several_names_may_be_that_of_the_parent)
{
	begin_made();
	pdb_task(&rec, PERF_RECORD_FORK, 0, 6, 6, 5, 150);
	add_sample(6, 200, MAP_AT + 0x02, 4, loop);
	CHECK_EQ(report_by_map("10000 100 old\\n10000 100 new\\n", ""), 0);
	CHECK(strstr(run_err, "\nnames may be wrong: 100.0 % of the samples, in code that programs made, most of them in process 5: its list /tmp/perf-5.map has several names for 1 address, "));
}

/* It may be a program as well as what a JIT made. */
TEST(report_says_that_a_file_in_memory_has_no_build_id)
{
	begin();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, 0, "/memfd:x (deleted)", 1);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	add_sample(6, 300, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s", test_tmpdir(), test_tmpdir()), 0);
	CHECK(strstr(run_err, "\nnot named: 50.0 % of the samples, in files in memory (/memfd:...), most of them in process 6: if this is a program, the recording does not tell its build id; record with `ssctr record`, "));
	CHECK(!strstr(run_err, "code that programs made"));
}

/* As V8 names it: the end looks like that of a line. */
TEST(annotate_takes_the_names_that_programs_give)
{
	const char *dir = test_tmpdir();

	begin_jit(true);
	jitb_load(&dump, 100, MAP_AT, 1, "JS:*made :3:22", code, 0x10);
	jitb_load(&dump, 100, MAP_AT + 0x12, 2, "int J.load(int)", code + 9, 6);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run("ssctr annotate -i %s/perf.data --symfs %s 'JS:*made :3:22' J.load", dir,
		     dir), 0);
	CHECK(!strncmp(run_out, "JS:*made :3:22 (/jit-5.dump): ", 30));
	CHECK(strstr(run_out, "\nint J.load(int) (/jit-5.dump): "));
}

/* Each process has its own map. */
TEST(a_timeline_names_the_code_of_two_processes_at_one_address)
{
	static const uint64_t called[][3] = {
		{ 0x90010, MAP_AT + 0x0e, 0 }, { MAP_AT + 0x0a, 0x90000, 0 },
		{ MAP_AT + 0x0e, MAP_AT, 0 },
	};
	const char *dir = test_tmpdir();

	begin();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	pdb_mmap2(&rec, 5, 0x90000, 0x1000, 0, "//anon", 1);
	pdb_mmap2(&rec, 6, 0x90000, 0x1000, 0, "//anon", 1);
	add_sample(5, 200, MAP_AT + 0x0e, 3, called);
	add_sample(6, 300, MAP_AT + 0x0e, 3, called);
	write_files();
	CHECK_EQ(run("mkdir %s/tmp && echo '90000 100 first' >%s/tmp/perf-5.map && echo '90000 100 second' >%s/tmp/perf-6.map",
		     dir, dir, dir), 0);
	CHECK_EQ(run("ssctr timeline -i %s/perf.data --symfs %s", dir, dir), 0);
	CHECK(strstr(run_out, "\"pid\":5,\"tid\":5,\"name\":\"first\""));
	CHECK(strstr(run_out, "\"pid\":6,\"tid\":6,\"name\":\"second\""));
}

TEST(stf_says_that_a_jitdump_has_the_code)
{
	begin_made();
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 3);
	CHECK(strstr(run_err, "the code is not known: memory without a file; a program that makes code can write it to a jitdump (docs/report.md)"));
}

/* As after `perf inject -j`, which makes a file of each function. */
TEST(lines_about_files_are_the_ten_with_the_most_samples)
{
	uint64_t branch[1][3] = { { 0, 0, (uint64_t)PERF_BR_RET << 20 } };
	unsigned int i, k, lines = 0;
	const char *at;
	char name[32];

	begin();
	for (i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "/jitted-5-%u.so", i);
		pdb_mmap2(&rec, 5, 0x100000 + i * 0x1000, 0x1000, 0, name, 1);
	}
	for (i = 0; i < 30; i++) {
		branch[0][0] = 0x100010 + i * 0x1000;
		branch[0][1] = 0x100000 + i * 0x1000;
		for (k = 0; k <= i; k++)
			add_sample(5, 200 + 30 * i + k, 0x100000 + i * 0x1000, 1, branch);
	}
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s", test_tmpdir(), test_tmpdir()), 0);
	for (at = run_err; (at = strstr(at, "not used: ")); at++)
		lines++;
	CHECK_EQ(lines, 11);
	CHECK(strstr(run_err, "/jitted-5-29.so: No such file"));
	CHECK(strstr(run_err, "/jitted-5-20.so: No such file"));
	CHECK(strstr(run_err, "(link it with -Wl,--build-id)\nnot used: and 20 more files\n"));
}

TEST(a_jitdump_in_another_place_is_not_one_by_name)
{
	begin_jit(true);
	jitb_load(&dump, 100, MAP_AT, 1, "made", code, sizeof(code));
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	write_dump();
	CHECK_EQ(run("mkdir %s/empty && ssctr report --raw -i %s/perf.data --symfs %s/empty --code %s",
		     test_tmpdir(), test_tmpdir(), test_tmpdir(), test_tmpdir()), 0);
	CHECK(strstr(run_out, "made+0xe -> made+0x0\n"));
	CHECK(!strstr(run_err, "by name"));
}
