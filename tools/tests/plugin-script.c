// SPDX-License-Identifier: GPL-2.0-only
/* The plug-ins of perf script, beside the command on the same recording. */
#include "windows-build.h"

/* build/tests/script-NAME is linked with the plug-in NAME: see judge/script.c. */

enum { MISPRED = 1, PRED = 2, CYCLES = 4 };

static int script(const char *plugin, const char *choice, const char *words)
{
	return run("cd %s && script-%s perf.data %s -- %s", test_tmpdir(),
		   plugin, choice, words);
}

static int command(const char *line)
{
	return run("cd %s && ssctr %s -i perf.data", test_tmpdir(), line);
}

static void check_same(int line, const char *ours, const char *theirs)
{
	if (run("cd %s && cmp %s %s", test_tmpdir(), ours, theirs))
		test_fail(__FILE__, line, "%s%s", run_out, run_err);
}

#define CHECK_SAME(_ours, _theirs) check_same(__LINE__, _ours, _theirs)

/* Two threads, more samples than are handed over at once. */
static void many_samples(void)
{
	uint64_t i;

	begin();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	for (i = 0; i < 40000; i++) {
		/* 5 loses its program in between, and has it again elsewhere. */
		if (i == 100)
			pdb_mmap2(&rec, 5, MAP_AT, 0x1000, 0, "/other", i);
		if (i == 1100)
			pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", i);
		if (i % 3)
			add_sample(5, i + 2, MAP_AT + 0x02, 4, loop);
		else
			add_sample(6, i + 2, MAP_AT + 0x02, i % 5, loop);
	}
	write_files();
}

TEST(a_profile_is_the_command_s)
{
	many_samples();
	CHECK_EQ(command("profile -b x -f bolt,profgen -o c"), 0);
	CHECK_EQ(script("profile", "", "-b x -f bolt,profgen -o p"), 0);
	CHECK_STR(run_out, "");
	CHECK_SAME("p.bolt", "c.bolt");
	CHECK_SAME("p.profgen", "c.profgen");
}

TEST(a_trace_is_the_command_s)
{
	many_samples();
	CHECK_EQ(command("stf --symfs . -o c.stf"), 0);
	CHECK_EQ(script("stf", "", "--symfs . -o p.stf"), 0);
	CHECK_SAME("p.stf", "c.stf");
	CHECK_EQ(command("stf --symfs . --split thread -o c.zstf"), 0);
	CHECK_EQ(script("stf", "", "--symfs . --split thread -o p.zstf"), 0);
	CHECK_SAME("p.tid5.zstf", "c.tid5.zstf");
	CHECK_SAME("p.tid6.zstf", "c.tid6.zstf");
}

/* The tables differ in the trace that they name. */
TEST(a_table_of_windows_is_the_command_s)
{
	two_windows(NAME(100), UINT32_MAX);
	CHECK_EQ(command("stf --symfs . -o c.stf"), 0);
	CHECK_EQ(script("stf", "", "--symfs . -o p.stf"), 0);
	CHECK_SAME("p.stf", "c.stf");
	CHECK_EQ(run("cd %s && sed 's/p.stf$/c.stf/' p.windows >p && cmp p c.windows", test_tmpdir()), 0);
	CHECK_EQ(script("stf", "", "--symfs . -o p.stf --windows-file w"), 0);
	CHECK_SAME("w", "p.windows");
}

TEST(a_table_that_is_not_of_the_trace_is_told_as_by_the_command)
{
	static char said[sizeof(run_err)];

	many_samples();
	write_text("t.windows", "old\n");
	CHECK_EQ(command("stf --symfs . -o t.stf"), 0);
	CHECK(strstr(run_err, "ssctr stf: t.windows: do not use it with this trace"));
	memcpy(said, run_err, sizeof(said));
	CHECK_EQ(script("stf", "", "--symfs . -o t.stf"), 0);
	CHECK_STR(run_err, said);
	CHECK_EQ(command("stf --symfs . -o t.stf --windows-file w"), 0);
	CHECK(strstr(run_err, "ssctr stf: --windows-file w: not written"));
	memcpy(said, run_err, sizeof(said));
	CHECK_EQ(script("stf", "", "--symfs . -o t.stf --windows-file w"), 0);
	CHECK_STR(run_err, said);
}

/* The options that are the command's own, too. */
TEST(breaks_are_told_as_by_the_command)
{
	static const uint64_t gap[][3] = {
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ 0x500000, MAP_AT + 0x00, PERF_BR_IND << 20 },
		{ MAP_AT + 0x18, 0x500000, PERF_BR_IND << 20 },
	};
	static char said[sizeof(run_err)];

	begin();
	add_sample(5, 1, MAP_AT + 0x12, 3, gap);
	write_files();
	CHECK_EQ(command("stf -v --symfs . --allow-partial -o c.stf"), 0);
	CHECK(strstr(run_err, "sample at offset 0x"));
	memcpy(said, run_err, sizeof(said));
	CHECK_EQ(script("stf", "", "-v --symfs . --allow-partial -o p.stf"), 0);
	CHECK_STR(run_err, said);
}

TEST(what_is_said_is_the_command_s)
{
	static char said[sizeof(run_err)];

	many_samples();
	CHECK_EQ(command("profile -b x -f bolt -o c"), 0);
	memcpy(said, run_err, sizeof(said));
	CHECK_EQ(script("profile", "", "-b x -f bolt -o p"), 0);
	CHECK_STR(run_err, said);
}

TEST(perf_s_choice_of_samples_is_followed)
{
	many_samples();
	CHECK_EQ(command("profile --tid 6 -b x -f bolt -o c"), 0);
	CHECK_EQ(script("profile", "only=6", "-b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
	CHECK_EQ(script("profile", "only=6", "--tid 5 -b x -f bolt -o q"), 1);
	CHECK(strstr(run_err, "no sample that the options select"));
}

/* Samples of thread 5 that are the same but for their time, and mean another file. */
TEST(samples_are_told_apart_by_their_time)
{
	many_samples();
	CHECK_EQ(command("profile --time 0.000001102, -b x -f bolt -o c"), 0);
	CHECK_EQ(script("profile", "from=1102", "-b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
	CHECK_EQ(command("profile --time 0,0.000001101 -b x -f bolt -o d"), 0);
	CHECK_EQ(run("cd %s && ! cmp -s c d", test_tmpdir()), 0);
}

TEST(what_was_written_twice_is_taken_once)
{
	many_samples();
	CHECK_EQ(command("profile -b x -f bolt -o c"), 0);
	CHECK_EQ(script("profile", "twice=40000", "-b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
	CHECK_EQ(script("profile", "twice=3", "-b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
}

/* Two events at one time and place. */
TEST(samples_are_told_apart_by_their_event)
{
	begin();
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	pdb_sample(&rec, 1, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 1, .pid = 5, .cpu = 3,
		.nr_branches = 1, .branches = loop });
	write_files();
	CHECK_EQ(command("profile -b x -f bolt -o c"), 0);
	CHECK_EQ(script("profile", "", "-b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
}

/* As of `perf record -e '{cycles,instructions,...}:S'`: perf shows them once for each event. */
TEST(a_sample_of_a_group_is_taken_once)
{
	uint64_t i;

	begin();
	rec.events[0].attr.sample_type |= PERF_SAMPLE_READ;
	rec.events[0].attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
					 PERF_FORMAT_TOTAL_TIME_ENABLED;
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	for (i = 0; i < 10; i++) {
		/* Of another event, at the same time and place. */
		pdb_sample(&rec, 1, &(struct pdb_sample){
			.ip = MAP_AT + 0x02, .time = i, .pid = 5, .cpu = 3,
			.nr_branches = 1, .branches = loop });
		add_sample(5, i, MAP_AT + 0x02, 4, loop);
	}
	write_files();
	CHECK_EQ(command("profile -b x -f bolt -o c"), 0);
	CHECK_EQ(script("profile", "", "-b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
	CHECK_EQ(script("profile", "until=18", "-b x -f bolt -o q"), 1);
	CHECK_SAYS("perf script stopped before its end");
}

TEST(other_recordings_are_merged)
{
	many_samples();
	CHECK_EQ(run("cd %s && mv perf.data other", test_tmpdir()), 0);
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(command("profile --merge other -b x -f bolt -o c"), 0);
	CHECK_EQ(script("profile", "", "--merge other -b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
}

/* The lines of each recording, in another order: perf's own comes last. */
TEST(what_is_said_of_merged_recordings_is_the_command_s)
{
	many_samples();
	CHECK_EQ(run("cd %s && mv perf.data other", test_tmpdir()), 0);
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && ssctr merge other -o counts", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr profile --merge other -b x -f bolt -o c -i perf.data 2>&1 | sort >c.said && "
		     "grep -c 'samples of the event' c.said && "
		     "script-profile perf.data -- --merge other -b x -f bolt -o p 2>&1 | sort | cmp - c.said",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "2\n");
	CHECK_EQ(run("cd %s && script-profile perf.data -- --merge counts -b x -f bolt -o p", test_tmpdir()), 0);
	CHECK(strstr(run_err, " 1 recording or period was counted, of 1 source\n"));
}

TEST(a_recording_is_not_replaced)
{
	many_samples();
	CHECK_EQ(run("cd %s && cp perf.data before && cp perf.data p.bolt", test_tmpdir()), 0);
	CHECK_EQ(script("profile", "", "-b x -f bolt -o perf.data"), 1);
	CHECK_SAYS("-o perf.data: this is the input, which would be lost; name another file\n");
	CHECK_EQ(script("profile", "", "--merge p.bolt -b x -f bolt,profgen -o p"), 1);
	CHECK_SAYS("-o p.bolt: this is the input, which would be lost; name another file\n");
	CHECK_SAME("perf.data", "before");
	CHECK_SAME("p.bolt", "before");
}

TEST(an_event_that_is_no_sample_of_branches_is_passed_by)
{
	begin();
	pdb_event(&rec, PDB_BRANCH_SAMPLE & ~PERF_SAMPLE_BRANCH_STACK, 0);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	pdb_sample(&rec, 1, &(struct pdb_sample){ .ip = MAP_AT, .time = 2,
						  .pid = 5, .cpu = 3 });
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(command("profile -b x -f bolt -o c"), 0);
	CHECK_EQ(script("profile", "", "-b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
}

TEST(a_perf_that_stops_early_leaves_no_profile)
{
	many_samples();
	CHECK_EQ(script("profile", "until=39999", "-b x -f bolt -o out"), 1);
	CHECK_SAYS("perf script stopped before its end");
	/* Copies do not make up for what is missing. */
	CHECK_EQ(script("profile", "twice=3 until=39999", "-b x -f bolt -o out"), 1);
	CHECK_SAYS("perf script stopped before its end");
	CHECK_EQ(run("ls %s/out*", test_tmpdir()), 2);
}

TEST(samples_of_virtual_machines_are_passed_by)
{
	many_samples();
	CHECK_EQ(command("profile -b x -f bolt -o c"), 0);
	CHECK_EQ(script("profile", "guest=3", "-b x -f bolt -o p"), 0);
	CHECK_SAME("p", "c");
	CHECK_EQ(script("profile", "guest=3 until=39999", "-b x -f bolt -o out"), 1);
	CHECK_SAYS("perf script stopped before its end");
}

TEST(too_little_that_could_be_used_has_the_command_s_status)
{
	many_samples();
	CHECK_EQ(script("stf", "", "--symfs . --code nothing -o p.stf"), 1);
	CHECK_SAYS("nothing: No such file or directory");
	CHECK_EQ(run("mkdir %s/flat && mv %s/x %s/flat", test_tmpdir(),
		     test_tmpdir(), test_tmpdir()), 0);
	CHECK_EQ(script("stf", "", "--symfs . -o p.stf"), 3);
	CHECK_SAYS("/x: No such file or directory; name a file with the name x, or a folder that has it, with --code; or record with `ssctr record`, which tells the build id of a file that has one (link it with -Wl,--build-id)");
	CHECK_EQ(run("ls %s/p.stf*", test_tmpdir()), 2);
	CHECK_EQ(script("stf", "", "--symfs . --code flat -o p.stf"), 0);
	CHECK_EQ(script("profile", "", "-b /x --code flat -f bolt -o p"), 0);
	CHECK_EQ(script("profile", "", "-b /flat/x --code . -f bolt -o p"), 0);
}

TEST(a_bad_option_is_told_at_the_start)
{
	many_samples();
	CHECK_EQ(script("profile", "", "-f nothing -b x -o p"), 2);
	CHECK_SAYS("--format nothing");
	CHECK_SAYS("; see `--dlarg --help`\n");
	CHECK_EQ(script("profile", "", "-b x -i perf.data -o p"), 2);
	CHECK_SAYS("perf script reads the recording");
}

TEST(help_is_printed_and_nothing_else_happens)
{
	many_samples();
	CHECK_EQ(script("stf", "", "--help"), 0);
	CHECK(strstr(run_out, "perf script --dlfilter ssctr-stf.so"));
	CHECK(strstr(run_out, "--windows-file"));
	CHECK_STR(run_err, "");
}

TEST(a_program_that_is_not_there_is_told_at_the_start)
{
	many_samples();
	CHECK_EQ(script("profile", "", "-b y -f bolt -o p"), 1);
	CHECK_SAYS("y: No such file");
}

TEST(an_output_that_cannot_be_written_ends_perf)
{
	many_samples();
	CHECK_EQ(script("stf", "", "--symfs . -o nowhere/p.stf"), 1);
	CHECK_SAYS("nowhere/p.stf");
}

TEST(the_recording_is_not_overwritten_by_a_trace)
{
	many_samples();
	CHECK_EQ(run("cd %s && cp perf.data was && ln -s perf.data link", test_tmpdir()), 0);
	CHECK_EQ(script("stf", "", "--symfs . -o link"), 1);
	CHECK_SAYS("ssctr stf: -o link: this is the input, which would be lost; name another file");
	CHECK_EQ(script("stf", "", "--symfs . -o p.stf --windows-file perf.data"), 1);
	CHECK_SAYS("ssctr stf: --windows-file perf.data: this is the input");
	CHECK_SAME("perf.data", "was");
	CHECK_EQ(run("ls %s/p.stf*", test_tmpdir()), 2);
}

/* The recording has process 5. */
TEST(the_recording_is_not_overwritten_by_one_of_several_traces)
{
	many_samples();
	CHECK_EQ(run("cd %s && cp perf.data t.tid5.stf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && script-stf t.tid5.stf -- --symfs . --split thread -o t.stf", test_tmpdir()), 1);
	CHECK_SAYS("ssctr stf: -o t.tid5.stf: this is the input, which would be lost; name another file");
	CHECK_SAME("perf.data", "t.tid5.stf");
	CHECK_EQ(run("cd %s && ls | grep tid", test_tmpdir()), 0);
	CHECK_PRINTS("t.tid5.stf\n");
}

TEST(a_terminal_gets_no_trace)
{
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && script-stf perf.data -- --symfs . -o - >%s", test_tmpdir(),
		     open_terminal()), 1);
	CHECK_SAYS("ssctr stf: -o -: standard output is a terminal");
	close_terminal();
	CHECK_STR(run_out, "");
}

TEST(a_pipe_is_refused)
{
	many_samples();
	CHECK_EQ(run("cd %s && cat perf.data | script-profile - -- -b x -o p",
		     test_tmpdir()), 1);
	CHECK_SAYS("write the recording to a file");
}

/* perf has it open, but nobody can name it any more. */
TEST(a_recording_that_was_removed_is_told)
{
	many_samples();
	CHECK_EQ(run("cd %s && exec 3<perf.data && rm perf.data && "
		     "script-profile /proc/self/fd/3 -- -b x -o p", test_tmpdir()), 1);
	CHECK_SAYS("perf.data: this recording was removed or replaced after perf script had opened it; begin again\n");
	CHECK(!strstr(run_err, "pipe"));
}

/* A shell's, say, which perf got with its first descriptors. */
TEST(a_recording_that_is_open_by_chance_is_not_taken)
{
	many_samples();
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --symfs . -o c.stf && "
		     "cp perf.data a.data && printf PERFILE2 >other.data", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && script-stf a.data -- --symfs . -o p.stf 3<other.data",
		     test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && script-stf perf.data -- --symfs . -o p.stf 3<other.data",
		     test_tmpdir()), 0);
	CHECK_SAME("p.stf", "c.stf");
}

TEST(a_recording_that_is_a_folder_is_found)
{
	many_samples();
	CHECK_EQ(run("cd %s && mkdir -p d/kcore_dir && mv perf.data d/data && "
		     "ssctr stf -i d --symfs . -o c.stf", test_tmpdir()), 0);
	/* perf is given the folder, and has its header open. */
	CHECK_EQ(run("cd %s && script-stf d/data -- --symfs . -o p.stf && "
		     "ssctr dump -r p.stf | grep -c 'from .*/d\"'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "1\n");
}

/* The assembly, which not every machine has, is cut out. */
TEST(brstackinsn_shows_the_instructions_of_each_range)
{
	static const uint64_t stack[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x0a,
		  PERF_BR_RET << 20 | 8 << CYCLES | MISPRED },
		{ MAP_AT + 0x06, MAP_AT + 0x12,
		  PERF_BR_CALL << 20 | 1 << CYCLES | PRED },
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
	};

	begin();
	add_sample(5, 1000000002, MAP_AT + 0x0a, 3, stack);
	write_files();
	CHECK_EQ(run("cd %s && script-brstackinsn perf.data -- --symfs . >out && "
		     "sed -E 's/^(\t *[0-9a-f]+ +[0-9a-f]+) [^#]*/\\1 /; s/ +/ /g' out",
		     test_tmpdir()), 0);
	CHECK_STR(run_out,
		  "a long thread's 5/5 [003] 1.000000002:: 1000a main+0xa (/x)\n"
		  " main+0xe (/x):\n"
		  "\t 1000e 8082 # RET -> 10000 main (/x)\n"
		  " main (/x):\n"
		  "\t 10000 0505 \n"
		  "\t 10002 00b50463 \n"
		  "\t 10006 00c000ef # CALL PRED 1 cycles 3.00 IPC -> 10012 load (/x)\n"
		  " load (/x):\n"
		  "\t 10012 00052583 \n"
		  "\t 10016 8082 # RET MISPRED 8 cycles 0.25 IPC -> 1000a main+0xa (/x)\n"
		  " main+0xa (/x):\n"
		  "\t 1000a 00000073 # the sample\n");
}

/*
 * Nothing proves an instruction at the target of the newest branch. Such a sample is shown, too, if
 * the event counts the kernel.
 */
TEST(brstackinsn_shows_the_newest_branches_of_a_sample_in_the_kernel)
{
	static const uint64_t stack[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
	};

	begin();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	rec.events[0].attr.exclude_kernel = 0;
	add_sample(5, 2, UINT64_C(0xffffffff80001000), 2, stack);
	write_files();
	CHECK_EQ(run("cd %s && script-brstackinsn perf.data -- --symfs . | "
		     "sed -E '1d; s/^(\t *[0-9a-f]+ +[0-9a-f]+) [^#]*/\\1 /; s/ +/ /g'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out,
		  " main+0x6 (/x):\n"
		  "\t 10006 00c000ef # CALL -> 10012 load (/x)\n"
		  " load (/x):\n"
		  "\t 10012 00052583 \n"
		  "\t 10016 8082 # RET -> 1000a main+0xa (/x)\n"
		  "\t... the sample was taken in a mode that was not recorded\n");
}

TEST(brstackinsn_shows_a_sample_without_branches)
{
	begin();
	add_sample(5, 1000000002, MAP_AT + 0x0a, 0, NULL);
	write_files();
	CHECK_EQ(run("cd %s && script-brstackinsn perf.data -- --symfs .",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "5/5 [003] 1.000000002:: 1000a main+0xa (/x)\n"));
}

TEST(brstackinsn_prints_no_control_characters)
{
	begin();
	add_function("ma\033[31m\xc2\x9bin", 0x0a, 4);
	add_sample(5, 2, MAP_AT + 0x0a, 0, NULL);
	write_files();
	CHECK_EQ(run("cd %s && script-brstackinsn perf.data comm=\"$(printf 'a\\033b')\" -- --symfs .",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "a?b 5/5 [003] 0.000000002:: 1000a ma?[31m?in (/x)\n"));
}

TEST(brstackinsn_names_a_gap)
{
	static const uint64_t stack[][3] = {
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ 0x500000, MAP_AT + 0x00, PERF_BR_IND << 20 },
		{ MAP_AT + 0x18, 0x500000, PERF_BR_IND << 20 },
	};

	begin();
	add_sample(5, 2, MAP_AT + 0x12, 3, stack);
	write_files();
	CHECK_EQ(run("cd %s && script-brstackinsn perf.data -- --symfs . | "
		     "grep -A1 '[.][.][.]'", test_tmpdir()), 0);
	CHECK_STR(run_out, "\t... the code is not known: nothing mapped\n"
			   "    main (/x):\n");
}
