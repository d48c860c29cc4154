// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr stf, of a recording of windows. The program is known to the instruction, so what is
 * expected is counted by hand.
 */
#include "windows-build.h"

/* The event of another thread of process 5, which has this id. */
static void count_of(uint32_t tid, unsigned int number, uint64_t count)
{
	rec.cpu = number;
	pdb_count(&rec, 0, tid, count, 0);
	rec.cpu = 0;
}

/* Two more threads: 6 has two places but no complete window, and 7 did not come to its place. */
static void windows_of_one_thread_of_three(void)
{
	const uint64_t id = 100;
	unsigned int i;

	begin_windows(NAME(100));
	for (i = 0; i < 3; i++)
		rec.events[0].ids[i] = id + 10 * i;
	rec.events[0].nr_ids = 3;
	rec.events[0].ids[1] = id;
	window(300, 9, UINT32_MAX);
	window(2500, 9, UINT32_MAX);
	rec.events[0].ids[1] = id + 10;
	sample_of(6, 500, 700);
	for (i = 0; i < 3; i++)
		sample_of(6, 530 + 20 * i, 20);
	sample_of(6, 99000, 700);
	count_of(5, 0, 3456);
	count_of(6, 1, 99500);
	count_of(7, 2, 44);
	write_files();
}

static char *table(const char *name)
{
	static char text[2048];
	char path[128];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	return text;
}

/* Instructions from number `from` on, as they ran. */
static void check_ran(uint64_t from, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
		CHECK_EQ(inst.pc, pc_of(from + i));
		CHECK_EQ(!!(inst.flags & STF_INST_F_FORCE_PC), !i);
	}
}

/*
 * The sample before instruction 330 has 16 of the 141 branches before it. The oldest is
 * instruction 293. The one before 2530 has 16 of 1084, from instruction 2494 on. Each window
 * stands for its interval, and the first one for the interval without one, too.
 */
TEST(windows_are_written_with_what_they_stand_for)
{
	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 windows of 100 instructions, which stand for 3456\n"));
	CHECK(strstr(run_err, " 200 instructions\n"));
	CHECK(!strstr(run_err, "left out"));
	CHECK(!strstr(run_err, "cover"));
	CHECK(!strncmp(table("t.windows"), "ssctr-windows 1\nsource /", 24));
	CHECK_STR(strstr(table("t.windows"), "/t.stf"),
		  "/t.stf\nunit instructions\ncut-options\n"
		  "size 100\nchoice random\nseed 1\nwarmup 0\nevery 1000\nleft-out 0\n"
		  "# phase NUMBER INTERVALS LENGTH SPREAD\nphase 0 2 3456 0\n"
		  "# window NUMBER START LENGTH PHASE WEIGHT WARMUP\n"
		  "window 0 0 100 0 0.578703703704 0\nwindow 1 100 100 0 0.421296296296 0\n"
		  "# recorded NUMBER START LENGTH INSTRUCTIONS PLACE SOURCE PID TID CPU\n"
		  "recorded 0 0 100 2000 293 0 5 5 3\nrecorded 1 100 100 1456 2494 0 5 5 3\n");
	open_trace("t.stf");
	check_ran(293, 100);
	check_ran(2494, 100);
	close_trace();
}

/* In the group of its first instruction. */
TEST(a_comment_tells_of_each_window)
{
	static const char *const texts[] = {
		"ssctr window 0: weight 2000, place 293, thread 5",
		"ssctr window 1: weight 1456, place 2494, thread 5",
	};
	unsigned int insns = 0, comments = 0;
	struct stf_record r;

	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	open_trace("t.stf");
	stf_inst_iter_free(iter);
	while (stf_reader_next(reader, &r) == 1) {
		insns += r.desc == STF_INST_32 || r.desc == STF_INST_16;
		if (r.desc != STF_COMMENT || !memmem(r.text.data, r.text.size, " window ", 8))
			continue;
		CHECK_EQ(r.text.size, strlen(texts[comments]));
		CHECK(!memcmp(r.text.data, texts[comments], r.text.size));
		CHECK_EQ(insns, 100 * comments);
		comments++;
	}
	CHECK_EQ(comments, 2);
	stf_reader_close(reader);
}

/* More samples come than a window needs. None of them begins another one. */
TEST(a_window_may_be_shorter_than_its_period)
{
	two_windows(NAME(15), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 windows of 15 instructions, which stand for 3456\n"));
	CHECK(strstr(table("t.windows"), "\nrecorded 0 0 16 2000 293 0 5 5 3\n"
					 "recorded 1 16 16 1456 2494 0 5 5 3\n"));
	open_trace("t.stf");
	check_ran(293, 16);
	check_ran(2494, 16);
	close_trace();
}

/* Instruction 293 + 94 is a call. Its target must be there. */
TEST(a_window_does_not_end_with_a_taken_branch)
{
	two_windows(NAME(95), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(table("t.windows"), "\nrecorded 0 0 96 2000 "));
	CHECK(strstr(table("t.windows"), "\nrecorded 1 96 95 1456 "));
	open_trace("t.stf");
	check_ran(293, 96);
	check_ran(2494, 95);
	close_trace();
}

/*
 * Between two of its samples are 40 instructions, which could have 40 branches. Neither the
 * 97 instructions before it nor the 96 behind it are enough.
 */
TEST(a_window_with_a_hole_is_left_out)
{
	two_windows(NAME(100), 4);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 windows of 100 instructions, which stand for 3456\n"));
	CHECK(strstr(run_err, " 1 windows left out, because they have a hole"));
	CHECK(strstr(table("t.windows"), "\nleft-out 1\n"));
	CHECK(strstr(table("t.windows"), "\nrecorded 0 0 100 3456 2494 0 5 5 3\n"));
}

/*
 * In 231 instructions are 99 branches, which is three times the buffer and three. So the
 * records and their index are as if there were three. The count says that there are more:
 * neither the 197 instructions before nor the 196 behind are enough.
 */
TEST(equal_records_do_not_prove_that_nothing_is_missing)
{
	unsigned int i;

	begin_windows(NAME(300));
	window(300, 9, UINT32_MAX);
	for (i = 0; i < 9; i++)
		sample(490 + 231 + 20 * i, 20);
	write_files();
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 1, "none of 1 windows is complete");
}

/*
 * In 20 instructions are 8 or 9 branches, and a sample shows 8 of them. The window of the
 * third interval stands for all. It is complete after five samples.
 */
TEST(a_window_whose_samples_show_too_little_says_so)
{
	begin_windows(NAME(100));
	shown = 8;
	window(300, 9, UINT32_MAX);
	shown = STACK;
	window(2500, 9, UINT32_MAX);
	pdb_count(&rec, 0, 5, 3456, 0);
	write_files();
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 windows of 100 instructions, which stand for 3456\n"));
	CHECK(strstr(run_err, " 2456 of these instructions, 71.1 %, ran in intervals without a complete window"));
	CHECK(strstr(run_err, " 1 windows left out, because more branches than a sample shows"));
	CHECK(!strstr(run_err, "have a hole"));
	/* What is left out is not counted. */
	CHECK(strstr(run_err, " 5 samples used\n"));
	CHECK(strstr(run_err, " 43 transfers\n"));
	CHECK(strstr(run_err, " 100 instructions\n"));
	CHECK_EQ(run("cd %s && ssctr dump t.stf | grep -c -- '->'", test_tmpdir()), 0);
	CHECK_STR(run_out, "43\n");
}

TEST(windows_whose_samples_show_too_little_are_no_trace)
{
	begin_windows(NAME(100));
	shown = 8;
	window(300, 9, UINT32_MAX);
	window(2500, 9, UINT32_MAX);
	shown = STACK;
	write_files();
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 1,
		      "none of 2 windows is complete, because more branches than a sample shows were taken between two samples; record with a larger --depth, or without it");
	CHECK(!strstr(run_err, "samples are missing"));
}

/* Behind it are instructions enough. */
TEST(a_window_may_begin_behind_a_hole)
{
	two_windows(NAME(100), 1);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	/* The sample before instruction 370, the first behind it, shows them from 333 on. */
	CHECK(strstr(table("t.windows"), "\nrecorded 0 0 100 2000 333 0 5 5 3\n"));
	open_trace("t.stf");
	check_ran(333, 100);
	check_ran(2494, 100);
	close_trace();
}

/* The count of the next sample says that it belongs to another window. */
TEST(a_window_whose_first_sample_is_lost_is_found)
{
	unsigned int i;

	begin_windows(NAME(100));
	window(300, 9, UINT32_MAX);
	for (i = 0; i < 9; i++)
		sample(2530 + 20 * i, 20);
	pdb_count(&rec, 0, 5, 3456, 0);
	write_files();
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(!strstr(run_err, "left out"));
	CHECK(strstr(table("t.windows"), "\nrecorded 0 0 100 2000 293 0 5 5 3\n"
					 "recorded 1 100 100 1456 2494 0 5 5 3\n"));
}

/*
 * Samples of one window may be as far apart as it is long, here 330 and 430. The one behind
 * the hole shows the instructions from 394 on.
 */
TEST(a_hole_as_long_as_the_window_does_not_begin_another)
{
	unsigned int i;

	begin_windows(NAME(100));
	sample(300, 700);
	sample(330, 20);
	for (i = 0; i < 5; i++)
		sample(430 + 20 * i, 20);
	pdb_count(&rec, 0, 5, 3456, 0);
	write_files();
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(!strstr(run_err, "left out"));
	CHECK(strstr(run_err, " 1 windows of 100 instructions, which stand for 3456\n"));
}

/* The recorder ends a window behind its sixth sample, however late the samples come. */
TEST(samples_that_come_late_do_not_begin_another_window)
{
	unsigned int i;

	begin_windows(NAME(100));
	sample(300, 700);
	for (i = 0; i < 6; i++)
		sample(330 + 200 * i, 20);
	pdb_count(&rec, 0, 5, 3456, 0);
	write_files();
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 1, "none of 1 windows is complete");
}

TEST(without_a_complete_window_there_is_no_trace)
{
	begin_windows(NAME(100));
	window(300, 3, UINT32_MAX);
	pdb_count(&rec, 0, 5, 370 + 19, 0);
	write_files();
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 1,
		      "none of 1 windows is complete, because what was recorded ended in them");
	CHECK(!table("t.windows"));
}

/* Six samples were due before the next place, or before the end. */
static void late_window(uint32_t told, bool at_end)
{
	begin_windows(NAME(100));
	if (told == PERF_RECORD_LOST_SAMPLES)
		rec.events[0].attr.read_format |= PDB_FORMAT_LOST;
	window(300, 3, UINT32_MAX);
	if (told == PERF_RECORD_LOST)
		pdb_lost(&rec, 0, 5, 6, 1400);
	if (told == PERF_RECORD_LOST_SAMPLES) {
		pdb_begin(&rec, PERF_RECORD_LOST_SAMPLES, 0);
		pdb_u64(&rec.data, 6);
		pdb_end_with_id(&rec, 0, 0, 0);
	}
	if (told == PERF_RECORD_THROTTLE) {
		pdb_begin(&rec, PERF_RECORD_THROTTLE, 0);
		pdb_u64(&rec.data, 1400);
		pdb_u64(&rec.data, rec.events[0].ids[0]);
		pdb_u64(&rec.data, 0);
		pdb_end_with_id(&rec, 0, 5, 1400);
	}
	if (!at_end)
		sample(1234, 700);
	pdb_count(&rec, 0, 5, 1234, 0);
	write_files();
}

TEST(that_samples_of_a_window_did_not_come_is_told)
{
	static const struct {
		uint32_t told;
		const char *text;
	} reasons[] = {
		{ 0, "none of 1 windows is complete, because the counter interrupted late, or not at all, as emulated counters do; emulate with --icount" },
		{ PERF_RECORD_LOST, "none of 1 windows is complete, because samples are missing; record with larger ring buffers (-m)" },
		{ PERF_RECORD_LOST_SAMPLES, "none of 1 windows is complete, because the output of the recorder took no more; record with room on the disk" },
		{ PERF_RECORD_THROTTLE, "none of 1 windows is complete, because the kernel throttled the sampling; record with a larger --depth" },
	};
	unsigned int i;

	for (i = 0; i < 8; i++) {
		late_window(reasons[i / 2].told, i % 2);
		CHECK_REFUSED(run_stf_whole("", "t.stf"), 1, reasons[i / 2].text);
	}
}

/* A sample before instruction number `insn` whose records do not fit the code. */
static void stray(uint64_t insn)
{
	uint64_t stack[STACK][3];
	unsigned int i;

	for (i = 0; i < STACK; i++) {
		stack[i][0] = stack[i][1] = MAP_AT + 1;
		stack[i][2] = 0;
	}
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = pc_of(insn), .time = 1000 + insn, .pid = 5, .tid = 5, .cpu = 3,
		.period = 20, .count = insn, .hw_idx = (branches_before(insn) - 1) % DEPTH,
		.nr_branches = STACK, .branches = (const uint64_t (*)[3])stack });
}

/*
 * The window of the first interval has a break, and 97 instructions before and behind it. It does
 * not explain why the other two have only four samples.
 */
TEST(each_reason_is_told_with_the_number_of_its_windows)
{
	unsigned int i;

	begin_windows(NAME(100));
	sample(300, 700);
	for (i = 0; i < 9; i++)
		i == 4 ? stray(330 + 20 * i) : sample(330 + 20 * i, 20);
	pdb_lost(&rec, 0, 5, 12, 1600);
	window(1500, 4, UINT32_MAX);
	window(2500, 4, UINT32_MAX);
	pdb_count(&rec, 0, 5, 3456, 0);
	write_files();
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 1,
		      "none of 3 windows is complete: 2 because samples are missing; record with larger ring buffers (-m); 1 because code and records do not fit (");
}

/* On a CPU, two threads in turns. */
TEST(a_window_of_one_thread_ends_where_another_one_comes)
{
	unsigned int i;

	begin_windows(NAME(100));
	sample(300, 700);
	for (i = 0; i < 9; i++)
		sample_of(5 + i % 2, 330 + 20 * i, 20);
	sample(1234, 700);
	write_files();
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 1,
		      "none of 1 windows is complete, because other threads ran in them; record shorter windows (--windows)");
}

TEST(windows_of_code_that_is_not_there_name_the_file)
{
	const char *dir = test_tmpdir();

	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run("mkdir %s/none", dir), 0);
	CHECK_REFUSED(run("ssctr stf -i %s/perf.data --symfs %s/none -o %s/t.stf", dir, dir, dir),
		      1, "none of 2 windows is complete, because");
	CHECK(strstr(run_err, ": No such file or directory; name a file with the name "));
	CHECK(!strstr(run_err, "samples are missing"));
}

TEST(a_recording_without_windows_says_so)
{
	begin_windows(NAME(100));
	sample(300, 700);
	write_files();
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 1, "the recording has no window, because what was recorded ended before the first one");
}

/* Its count comes last, and is missing if the recorder was killed. */
TEST(without_a_count_the_last_sample_is_the_end)
{
	begin_windows(NAME(100));
	window(300, 9, UINT32_MAX);
	sample(1234, 700);
	write_files();
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(table("t.windows"), "\nrecorded 0 0 100 1234 293 0 5 5 3\n"));
}

TEST(the_table_has_the_name_that_is_given)
{
	char options[256];

	two_windows(NAME(100), UINT32_MAX);
	snprintf(options, sizeof(options), "--windows-file %s/other", test_tmpdir());
	CHECK_EQ(run_stf_whole(options, "t.zstf"), 0);
	CHECK(table("other"));
	CHECK(!table("t.windows"));
	CHECK_EQ(run("ssctr stf -i %s/perf.data --symfs %s -o - >%s/t.stf", test_tmpdir(),
		     test_tmpdir(), test_tmpdir()),
		 0);
	CHECK(!table("t.windows"));
	snprintf(options, sizeof(options), "--windows-file %s/none/other", test_tmpdir());
	CHECK_EQ(run_stf_whole(options, "t2.stf"), 1);
	CHECK(strstr(run_err, "/none/other: No such file"));
}

/* -o run.zstf names it without saying so. */
TEST(the_table_does_not_replace_the_recording)
{
	const char *dir = test_tmpdir();

	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run("cd %s && cp perf.data run.windows && ssctr stf -i run.windows --symfs . -o ./run.zstf",
		     dir), 1);
	CHECK_SAYS("--windows-file ./run.windows: this is the input, which would be lost; name another file");
	CHECK_EQ(run("cd %s && cmp perf.data run.windows && ! test -e run.zstf", dir), 0);
	CHECK_EQ(run("cd %s && ssctr stf -i run.windows --symfs . -o - --windows-file other >run.zstf",
		     dir), 0);
	CHECK(table("other"));
}

TEST(the_table_and_the_trace_are_two_files)
{
	static const char *const paths[][2] = { { "z.zstf", "z.zstf" }, { "z.zstf", "./z.zstf" }, { "-", "-" } };
	unsigned int i;

	two_windows(NAME(100), UINT32_MAX);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(run("cd %s && ssctr stf -i perf.data --symfs . -o %s --windows-file %s", test_tmpdir(),
			     paths[i][0], paths[i][1]), 2);
		CHECK(strstr(run_err, "-o and --windows-file name the same file"));
		CHECK_STR(run_out, "");
	}
}

TEST(a_table_that_is_not_written_is_told)
{
	begin();
	add_sample(5, 2, MAP_AT + 2, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && ssctr stf --allow-partial -i perf.data --symfs . -o t.stf --windows-file nn",
		     test_tmpdir()), 0);
	CHECK(strstr(run_err, "--windows-file nn: not written, because the recording has no windows\n"));
	CHECK(!table("nn"));
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!strstr(run_err, "windows"));
}

/* Two words for one file, and a link that stands where the table has its name by default. */
TEST(the_table_does_not_replace_the_trace)
{
	const char *dir = test_tmpdir();

	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --symfs . -o t2.stf --windows-file $PWD/t2.stf", dir), 2);
	CHECK(strstr(run_err, "-o and --windows-file name the same file"));
	CHECK_EQ(run("cd %s && ! ls t2.stf* && echo old >t.stf && ln -s t.stf t.windows", dir), 0);
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --symfs . -o t.stf", dir), 1);
	CHECK_SAYS("ssctr stf: t.stf and t.windows are one file; name another one with --windows-file");
	CHECK_STR(table("t.stf"), "old\n");
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --symfs . -o no/t.stf --windows-file none/t.stf", dir), 1);
	CHECK_SAYS("no/t.stf: No such file or directory");
}

/* Neither a table without its trace is there, nor one that is not of the trace beside it. */
TEST(without_its_trace_there_is_no_table)
{
	const char *dir = test_tmpdir();

	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --symfs . -o /dev/full --windows-file x.windows",
		     dir), 1);
	CHECK(!table("x.windows"));
	write_text("x.windows", "old\n");
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --symfs . -o /dev/full --windows-file x.windows",
		     dir), 1);
	CHECK_STR(table("x.windows"), "old\n");
	write_text("t.zstf", "old\n");
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --symfs . -o t.zstf --windows-file /dev/full",
		     dir), 1);
	CHECK_SAYS("/dev/full: No space left on device");
	CHECK_STR(table("t.zstf"), "old\n");
}

TEST(a_table_of_an_earlier_trace_is_told)
{
	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "s.zstf"), 0);
	CHECK(!strstr(run_err, "s.windows"));
	begin();
	add_sample(5, 2, MAP_AT + 2, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "s.zstf"), 0);
	CHECK(strstr(run_err, "/s.windows: do not use it with this trace, because the recording has no windows\n"));
}

TEST(windows_are_of_one_trace)
{
	two_windows(NAME(100), UINT32_MAX);
	CHECK_REFUSED(run_stf_whole("--split thread", "t.stf"), 1,
		      "--split and --primary-cpu cannot be used with it");
}

/* The values are 2 and 5 in windows that stand for 2000 and 1456 instructions. */
TEST(the_whole_run_is_estimated_from_recorded_windows)
{
	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && printf '0 200\\n1 500\\n' >v.txt && ssctr estimate --counts --error 999 t.windows v.txt",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, "windows          2 of 2 have a value, 0 were left out\n"));
	CHECK(strstr(run_out, "mean             3.26389, by instructions\n"));
	CHECK(strstr(run_out, " in 3456 instructions\n"));
	CHECK_EQ(run("cd %s && ssctr estimate --error 999 -o more t.windows v.txt", test_tmpdir()), 1);
	CHECK_SAYS("-o more: not written, because recorded windows cannot be added to");
}

TEST(an_estimate_says_what_recorded_windows_lack)
{
	two_windows("windows/size=100,every=1000,period=20,places=systematic,seed=1/", UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && printf '0 2\\n1 5\\n' >v.txt && ssctr estimate t.windows v.txt",
		     test_tmpdir()), 0);
	CHECK(strstr(run_err, "the windows are at systematic places, so the interval is a guess"));
	two_windows(NAME(100), 4);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && echo 0 2 | ssctr estimate t.windows -", test_tmpdir()), 0);
	CHECK(strstr(run_err, "1 recorded windows were not complete; complete ones of the same thread or CPU, if there are any, stand for"));
	CHECK(strstr(run_err, "the error is not known, because only one window has a value"));
}

/* 3456 of 103000 instructions are in a thread with windows. */
TEST(threads_without_a_window_are_told)
{
	windows_of_one_thread_of_three();
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 windows of 100 instructions, which stand for 3456\n"));
	CHECK(strstr(run_err, " 99544 instructions for which no window stands, of 2 threads or CPUs without a complete window; record with "));
	CHECK(strstr(table("t.windows"), "\nwarmup 0\ncoverage 0.0335534\nevery 1000\nleft-out 1\n"));
	CHECK_EQ(run("cd %s && printf '0 2\\n1 5\\n' >v.txt && ssctr estimate t.windows v.txt",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ncoverage         3.4 % of what ran\n"));
	CHECK(strstr(run_err, "the windows are from 3.4 % of what ran; the result says nothing about the rest"));
	CHECK_EQ(run_stf_whole("--tid 5", "t.stf"), 0);
	CHECK(!strstr(run_err, "no window stands"));
	CHECK(!strstr(table("t.windows"), "coverage"));
}

/* If the recorder was killed, there are no counts. */
TEST(without_counts_threads_without_a_window_are_told)
{
	begin_windows(NAME(100));
	rec.events[0].ids[2] = 110;
	rec.events[0].nr_ids = 3;
	window(300, 9, UINT32_MAX);
	rec.events[0].ids[1] = 110;
	sample_of(6, 3000, 700);
	rec.events[0].ids[1] = 101;
	write_files();
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(run_err, " 3000 instructions for which no window stands, of 1 threads or CPUs without "));
}

/* Smaller intervals: a hundred times as many windows for a tenth of the error. */
TEST(an_estimate_says_with_what_to_record)
{
	two_windows(NAME(1), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && printf '0 100\\n1 101\\n' >v.txt && ssctr estimate --json t.windows v.txt",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "\"more_windows\":"));
	CHECK_EQ(run("cd %s && ssctr estimate --error 1 t.windows v.txt", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nrecord with      --windows 1/"));
}

/* In place of 2 windows of 100 instructions, one in each 1000, there can be 10: one in each 200. */
TEST(an_error_for_which_too_few_windows_fit)
{
	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && printf '0 2\n1 5\n' >v.txt && ssctr estimate t.windows v.txt",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nwindows more     all 8 that are left are too few for +- 3 %\n"));
	CHECK(!strstr(run_out, "record with"));
	CHECK_SAYS("+- 3 % cannot be reached with windows of 100 instructions, because at most half of a run can be in windows; record smaller windows, or allow a larger error");
	CHECK_EQ(run("cd %s && ssctr estimate --json t.windows v.txt", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\"more_windows\":null}"));
	CHECK_EQ(run("cd %s && ssctr estimate -o more t.windows v.txt", test_tmpdir()), 1);
	CHECK(strstr(run_err, "-o more: not written, because no windows make the error small enough"));
}

TEST(a_recorded_window_is_cut_by_its_number)
{
	unsigned int i;

	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && ssctr cut --window t.windows:1 -o w.stf t.stf", test_tmpdir()), 0);
	open_trace("w.stf");
	for (i = 0; i < 100; i++) {
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
		CHECK_EQ(inst.pc, pc_of(2494 + i));
	}
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	close_trace();
}

/* Each byte of the counts and periods may be wrong, and none leads to a crash. */
TEST(a_damaged_recording_has_an_answer)
{
	char path[128];
	unsigned int i;

	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	for (i = 0; i < 25; i++) {
		FILE *file;
		long size;

		two_windows(NAME(100), UINT32_MAX);
		file = fopen(path, "r+");
		CHECK(file && !fseek(file, 0, SEEK_END));
		size = ftell(file);
		fseek(file, test_random() % size, SEEK_SET);
		fputc(test_random(), file);
		fclose(file);
		CHECK(run_stf_whole("", "t.stf") <= 3);
	}
}

