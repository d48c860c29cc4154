// SPDX-License-Identifier: GPL-2.0-only
/* What a subcommand reads is not lost, whichever option names the output. */
#include "cmd-hot.h"

/* The file is said to be this. */
static void keeps_what(const char *command, const char *option, const char *file, const char *what)
{
	const char *dir = test_tmpdir();
	char said[160];

	CHECK_EQ(run("cd %s && cp %s before", dir, file), 0);
	if (run("cd %s && ssctr %s", dir, command) != 1)
		test_fail(__FILE__, __LINE__, "%s: not refused: %s", command, run_err);
	snprintf(said, sizeof(said), "%s %s: this is %s, which would be lost; name another file\n",
		 option, file, what);
	CHECK_SAYS(said);
	CHECK_EQ(run("cd %s && cmp %s before", dir, file), 0);
}

static void keeps(const char *command, const char *option, const char *file)
{
	keeps_what(command, option, file, "the input");
}

TEST(a_recording)
{
	write_program();
	keeps("report --symfs . --html perf.data perf.data", "--html", "perf.data");
	keeps("timeline --symfs . perf.data -o perf.data", "-o", "perf.data");
	keeps("callstacks --symfs . perf.data -o perf.data", "-o", "perf.data");
	keeps("profile --symfs . -b x -f bolt -o perf.data -i perf.data", "-o", "perf.data");
	CHECK_EQ(run("cd %s && cp perf.data b.data", test_tmpdir()), 0);
	keeps("diff --symfs . --html b.data perf.data b.data", "--html", "b.data");
	keeps("profile --symfs . -b x -f bolt -o b.data -i perf.data --merge b.data", "-o", "b.data");
	keeps("stf --symfs . --allow-partial -i perf.data -o t.stf --windows-file perf.data",
	      "--windows-file", "perf.data");
}

/* Process 5 and hart 3 are in the recording. */
TEST(a_recording_with_the_name_of_one_of_several_traces)
{
	write_program();
	CHECK_EQ(run("cd %s && cp perf.data t.tid5.stf && cp perf.data t.cpu3.stf", test_tmpdir()), 0);
	keeps("stf --symfs . --allow-partial --split thread -i t.tid5.stf -o t.stf", "-o",
	      "t.tid5.stf");
	keeps("stf --symfs . --allow-partial --split cpu -i t.cpu3.stf -o t.stf", "-o",
	      "t.cpu3.stf");
}

TEST(a_program)
{
	write_program();
	keeps("profile --symfs . -b x -f bolt -o x -i perf.data", "-o", "x");
}

TEST(what_a_profile_is_made_of_by_the_names_of_its_files)
{
	const char *dir = test_tmpdir();

	write_program();
	CHECK_EQ(run("cd %s && mkdir d bin && cp perf.data p.bolt && cp perf.data d/summary && ln x bin/x", dir), 0);
	keeps("profile --symfs . -b x -f profgen,bolt -o p -i p.bolt", "-o", "p.bolt");
	keeps("profile --symfs . --all -f bolt -o d -i d/summary", "-o", "d/summary");
	keeps("profile --symfs . -b /x -f bolt -o bin/x -i perf.data", "-o", "bin/x");
	CHECK_EQ(run("cd %s && mkdir e && cp perf.data e/x.bolt", dir), 0);
	keeps("profile --symfs . --all -f bolt -o e -i e/x.bolt", "-o", "e/x.bolt");
	/* And what standard input comes from. */
	CHECK_EQ(run("cd %s && cp perf.data c2 && ssctr profile --symfs . -i - -b x -f bolt -o c2 <c2", dir), 1);
	CHECK_SAYS("-o c2: this is the input, which would be lost");
	CHECK_EQ(run("cd %s && cmp perf.data c2 && ls p.* d e", dir), 0);
	CHECK_STR(run_out, "p.bolt\n\nd:\nsummary\n\ne:\nx.bolt\n");
}

/* The profile has no use for them, but they cannot be made again. */
TEST(a_recording_and_counts_that_a_profile_would_replace)
{
	write_program();
	CHECK_EQ(run("cd %s && cp perf.data b.data && cp perf.data q.bolt && ssctr merge --symfs . -o c perf.data", test_tmpdir()), 0);
	keeps_what("profile --symfs . -b x -f bolt -o b.data -i perf.data", "-o", "b.data", "a recording");
	keeps_what("profile --symfs . -b x -f profgen,bolt -o q -i perf.data", "-o", "q.bolt",
		   "a recording");
	keeps_what("profile --symfs . -b x -f bolt -o c -i perf.data", "-o", "c", "a counts file");
	/* An older profile can be replaced. */
	CHECK_EQ(run("cd %s && echo old >p && ssctr profile --symfs . -b x -f bolt -o p -i perf.data && ! grep old p", test_tmpdir()), 0);
}

/* As perf record --threads makes it. */
TEST(a_recording_that_a_merge_would_replace)
{
	write_program();
	CHECK_EQ(run("cd %s && cp perf.data b.data && ssctr merge --symfs . -o c perf.data", test_tmpdir()), 0);
	keeps_what("merge -o b.data c", "-o", "b.data", "a recording");
	keeps_what("merge --symfs . -o b.data perf.data", "-o", "b.data", "a recording");
	/* Other counts can be replaced. */
	CHECK_EQ(run("cd %s && echo old >p && ssctr merge -o p c && ssctr merge -o p c && cmp c p", test_tmpdir()), 0);
}

TEST(a_file_of_a_recording_that_is_a_folder)
{
	const char *dir = test_tmpdir();

	write_program();
	CHECK_EQ(run("cd %s && mkdir f && cp perf.data f/data && : >f/data.0", dir), 0);
	keeps("stf --symfs . -i f -o f/data", "-o", "f/data");
	keeps("stf --symfs . -i f -o f/../f/data.0", "-o", "f/../f/data.0");
	keeps("profile --symfs . -b x -f bolt -o f/data -i f", "-o", "f/data");
	CHECK_EQ(run("cd %s && cmp perf.data f/data", dir), 0);
}

TEST(a_trace_and_its_data)
{
	static const char *const same[] = { "-o b.csv -d b.csv", "-o b.csv -d ./b.csv",
					    "-o - -d -" };
	unsigned int i;

	write_text("a.csv", "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n1,10,1,0,0,0,0,0\n");
	write_text("d.csv", "VALID,TYPE,ADDRESS,SIZE,DATA\n");
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o a.stf", test_tmpdir()), 0);
	keeps("csv a.stf -o b.csv -d a.stf", "--data", "a.stf");
	keeps("csv a.csv --data d.csv -o ./d.csv", "-o", "./d.csv");
	for (i = 0; i < 2 * sizeof(same) / sizeof(same[0]); i++) {
		if (i & 1)
			write_text("b.csv", "old");
		CHECK_EQ(run("cd %s && ssctr csv a.stf %s", test_tmpdir(), same[i / 2]), 2);
		CHECK_SAYS("-o and --data name the same file");
		CHECK_STR(run_out, "");
		CHECK_EQ(run("cd %s && %s", test_tmpdir(),
			     i & 1 ? "grep -x old b.csv && rm b.csv" : "test ! -e b.csv"), 0);
	}
	write_text("w.txt", "no windows\n");
	keeps("cut --window w.txt:0 -o w.txt a.stf", "-o", "w.txt");
}

TEST(a_list_of_files)
{
	write_text("list", "none.counts\n");
	keeps("merge --files-from list -o list", "-o", "list");
}
