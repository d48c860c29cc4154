// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report, annotate and diff from counts files: what the recordings say. */
#include "countfile-build.h"
#include "counts-build.h"

static void write_random_in(bool files, unsigned int nr)
{
	walk_in_files = files;
	begin();
	write_walk("r", nr);
	write_counts("r", "c");
}

static void write_random(unsigned int nr)
{
	write_random_in(true, nr);
}

/*
 * Both print the same, but for what the script takes out of it, and for the order of what
 * is as frequent as each other.
 */
static void check_same(const char *command, const char *options, const char *script)
{
	if (run("cd %s && ssctr %s --symfs . -i r %s >one && ssctr %s --symfs . -i c %s >two && "
		"for f in one two; do sed '%s; s/},{/}\\n{/g' $f | sort >$f.cut; done && diff one.cut two.cut && [ -s one.cut ]",
		test_tmpdir(), command, options, command, options, script))
		test_fail(__FILE__, __LINE__, "%s %s: %s%s", command, options, run_out, run_err);
}

TEST(edges_functions_sites_calls_and_branches_are_those_of_the_recording)
{
	write_random(300);
	check_same("report", "--by edges -n 1000", "");
	check_same("report", "--by edges -n 1000 --raw", "");
	check_same("report", "--by functions", "");
	check_same("report", "--by branches", "");
	check_same("report", "--by targets -n 1000", "");
	check_same("report", "--by calls", "");
}

/* Of which a counts file has no addresses, but how much ran. */
TEST(code_without_a_file_has_the_share_that_it_has_in_the_recording)
{
	write_random_in(false, 300);
	check_same("report", "--by functions", "s/of [0-9]* kinds//; s,//anon,[unknown],");
	check_same("report", "--by functions --raw", "s/of [0-9]* kinds//; s,//anon,[unknown],");
	check_same("report", "--by functions --json",
		   "s/of [0-9]* kinds//; s,//anon,[unknown],; s/,\"coverage_by_hart\":.*\"coverage_by_thread\":[^]]*\\]//; s/,\"lost\":.*//");
	check_same("report", "--by calls -n 1000", "s/of [0-9]* kinds//; s,//anon,[unknown],");
}

/* Its writer may be gone when the counts are read. */
TEST(a_named_pipe_is_read_like_standard_input)
{
	static const char *const commands[] = { "report --symfs . -i", "annotate --symfs . -i",
						"info", "profile --symfs . -b x -f bolt -o - -i" };
	unsigned int i;

	write_random(30);
	CHECK_EQ(run("cd %s && mkfifo p", test_tmpdir()), 0);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (run("cd %s && ssctr %s - <c >want && { timeout 60 cat c >p & timeout 60 ssctr %s p >got; } && cmp got want && [ -s want ]",
			test_tmpdir(), commands[i], commands[i]))
			test_fail(__FILE__, __LINE__, "%s: %s", commands[i], run_err);
	CHECK_EQ(run("cd %s && { timeout 60 cat r >p & timeout 60 ssctr report -i p; }", test_tmpdir()), 1);
	CHECK_SAYS("-: is a recording made as a file, which cannot be read from a pipe");
}

TEST(commands_are_not_in_a_counts_file)
{
	write_random(300);
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c --by commands,edges", test_tmpdir()), 1);
	CHECK(strstr(run_err, "a counts file does not tell which commands ran; leave out `commands` of --by"));
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c", test_tmpdir()), 0);
	CHECK(strstr(run_out, " functions"));
}

TEST(all_memory_without_a_file_is_no_branch)
{
	write_random_in(false, 300);
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c --by edges,branches,targets,loops -n 1000",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "-> [unknown]\n") && strstr(run_out, "  [unknown] -> "));
	CHECK(!strstr(run_out, "[unknown]+0x") && !strstr(run_out, "[unknown] -> [unknown]"));
	CHECK(strstr(run_err, " transfers within memory without a file, which a counts file has no addresses of"));
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c --json | grep -o '\"[^\"]*unknown][^}]*'",
		     test_tmpdir()), 0);
	CHECK(!strstr(run_out, "offset"));
}

/* As files of older versions are, and merges with them. */
TEST(shares_without_lengths_are_told)
{
	struct content c;

	content_make(&c, 1, 1, 0, 1);
	memset(c.has, 0, sizeof(c.has));
	c.has[0] = c.has[1] = c.has[2] = true;
	c.names[2] = "/bin/a";
	c.head.all_branches = true;
	content_add_step(&c, &(struct cf_step){ 0, 0, .line = CF_NO_LINE, .seen = 30, .weight = 300 });
	content_add_step(&c, &(struct cf_step){ 2, 2, 4, 8, 6, .seen = 10, .weight = 100, .length = 3 });
	content_write(test_path("c"), &c);
	content_free(&c);
	CHECK_EQ(run("cd %s && ssctr report -i c --by functions", test_tmpdir()), 0);
	CHECK(strstr(run_out, "  100.0%  /bin/a\n"));
	CHECK(strstr(run_err, "          30 transfers, 75.0 % of all by weight, lead to memory without a file, but the file does not tell how much ran there: the shares are those of the rest; count the recordings again\n"));
}

/* The trips that a recording tells are counted, or have a range. */
TEST(loops_are_those_of_the_recording_and_say_what_is_missing)
{
	static const char script[] =
		"/^A counts file has no stacks/d; /^$/d; s/^\\( *[0-9]* *[0-9.]*% *[0-9]*\\) .*  /\\1 /";

	write_random(300);
	check_same("report", "--by loops", script);
	check_same("report", "--by loops --raw", script);
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c --by loops", test_tmpdir()), 0);
	CHECK(strstr(run_out, "A counts file has no stacks, so the trips are means, and their range is not known.\n"));
	CHECK(strstr(run_out, "mean only"));
}

TEST(json_has_no_ranges_harts_and_threads)
{
	write_random(300);
	check_same("report", "--json --by edges,functions,branches,targets,calls",
		   "s/,\"coverage_by_hart\":.*\"coverage_by_thread\":[^]]*\\]//; s/,\"lost\":.*//");
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c --json", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\"trips_are\":\"mean\",\"trips\":"));
	CHECK(!strstr(run_out, "trips_low") && !strstr(run_out, "coverage_by"));
}

TEST(the_page_says_what_a_counts_file_does_not_have)
{
	write_random(300);
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c --html page && cat page", test_tmpdir()), 0);
	CHECK(strstr(run_out, "<dt>not in it</dt><dd>call stacks, threads, and how far trip counts vary</dd>"));
	CHECK(strstr(run_out, "<dt>counted</dt><dd>1 recording or period of 1 source</dd>"));
	CHECK(strstr(run_out, "<h2>Code</h2>"));
	CHECK(!strstr(run_out, "<h2>Call stacks</h2>"));
}

TEST(annotated_code_is_that_of_the_recording)
{
	write_random(300);
	check_same("annotate", "--no-demangle main load", "s/ran, ~*[0-9.]* trips .*/ran/");
}

TEST(a_recording_and_its_counts_do_not_differ)
{
	write_random(300);
	CHECK_EQ(run("cd %s && ssctr diff --symfs . r c", test_tmpdir()), 0);
	CHECK(strstr(run_out, "old: ") && strstr(run_out, "\n0 of "));
	CHECK(strstr(run_out, "loops changed\n"));
	CHECK_EQ(run("cd %s && ssctr diff --symfs . --html page c c && grep -c 'counts file' page",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "2\n");
}

TEST(memory_without_a_file_does_not_differ_from_that_of_the_recording)
{
	write_random_in(false, 300);
	CHECK_EQ(run("cd %s && ssctr diff --symfs . --json r c | grep -c unknown", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr diff --symfs . r c", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\n0 of ") && !strstr(run_out, "//anon"));
}

TEST(the_notes_say_what_was_counted)
{
	write_random(30);
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c", test_tmpdir()), 0);
	CHECK(strstr(run_err, "           1 recording or period was counted, of 1 source\n"));
	CHECK(strstr(run_err, "          30 samples of an event without a name, whose coverage is not known: the recordings have no count of all that happened; record with `ssctr record`\n"));
	CHECK(strstr(run_out, "coverage not known\n"));
}

TEST(who_reads_traces_is_told_that_it_is_a_counts_file)
{
	write_random(30);
	CHECK_EQ(run("cd %s && ssctr stat c", test_tmpdir()), 1);
	CHECK_SAYS("'STF'; it is a counts file, which `ssctr profile`, `report`, `annotate`, `diff`, `merge` and `export` read");
}

TEST(options_that_choose_samples_are_refused)
{
	write_random(3);
	CHECK_EQ(run("cd %s && ssctr report -i c --tid 5", test_tmpdir()), 1);
	CHECK_STR(run_err, "ssctr report: c: a counts file has no samples from which --tid could choose; leave the option out, or use recordings\n");
}

TEST(counts_of_calls_alone_have_no_loops)
{
	begin();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	write_walk("r", 50);
	write_counts("r", "c");
	check_same("report", "-n 1000 --by edges,loops,branches,calls",
		   "/^kinds of branches/d");
	CHECK_EQ(run("cd %s && ssctr report --symfs . -i c --by calls", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nkinds of branches recorded: not all\n"));
}

/* Of two kernels, one has names; both are there. */
TEST(kernels_of_two_builds_are_two_binaries)
{
	static const uint64_t stack[][3] = { { KERNEL_AT + 0x2010, KERNEL_AT + 0x2020, 0 },
					     { KERNEL_AT + 0x2010, KERNEL_AT + 0x2020, 0 } };
	static const char *const names[] = { "k0", "k1" };
	static const uint8_t ids[2][20] = { { 1 }, { 2 } }, code_of_two[0x1100];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin();
		pdb_begin(&rec, PERF_RECORD_MMAP2, PDB_MISC_KERNEL | PDB_MISC_MMAP_BUILD_ID);
		pdb_u32(&rec.data, -1);
		pdb_u32(&rec.data, 0);
		pdb_u64(&rec.data, KERNEL_AT);
		pdb_u64(&rec.data, 0x100000);
		pdb_u64(&rec.data, KERNEL_AT + 0x1000);
		pdb_put(&rec.data, "\24\0\0", 4);
		pdb_put(&rec.data, ids[i], 20);
		pdb_u32(&rec.data, 5);
		pdb_u32(&rec.data, 2);
		pdb_text(&rec.data, "[kernel.kallsyms]_text");
		pdb_end_with_id(&rec, 0, -1, 1);
		add_sample(5, 2, KERNEL_AT, 2, stack);
		write_files();
		CHECK_EQ(run("cd %s && mv perf.data %s", test_tmpdir(), names[i]), 0);
	}
	CHECK_EQ(run("cd %s && : >list && ssctr diff --kallsyms list k0 k1", test_tmpdir()), 1);
	CHECK_SAYS("--kallsyms list: the recordings are of two kernels, and the list is of one; name a folder that has the vmlinux of both with --code");
	CHECK_EQ(run("cd %s && ssctr diff --kallsyms list k0 k0", test_tmpdir()), 0);
	write_counts_of(names, 2, "c");
	CHECK_EQ(run("cd %s && ssctr report -i c --by edges --json", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\"binary\":\"[kernel]\""));
	CHECK(strstr(run_out, "\"binary\":\"[kernel 02000000]\""));
	CHECK(strstr(run_err, " 1 kernels of other builds, whose functions have no names here\n"));
	/* A file tells which of them it is of, and a list does not. */
	elf = (struct elfb){ .code = code_of_two, .code_size = sizeof(code_of_two),
			     .build_id = ids[1], .build_id_size = 20 };
	add_function("_text", 0, 0x10);
	add_function("of_two", 0x1000, 0x100);
	CHECK(elfb_write(&elf, test_path("vmlinux")));
	CHECK_EQ(run("cd %s && ssctr report -i c --by edges --vmlinux vmlinux", test_tmpdir()), 0);
	CHECK(strstr(run_out, " of_two+0x10 -> of_two+0x20\n"));
	/* 0x1010 behind _text, as if this were where Linux is linked. */
	CHECK(strstr(run_out, " [kernel 01000000]+0xffffffff80001010 -> [kernel 01000000]+0xffffffff80001020\n"));
	write_text("list", "ffffffff80000000 T _text\nffffffff80001000 T listed\n");
	CHECK_EQ(run("cd %s && ssctr report -i c --by edges --kallsyms list", test_tmpdir()), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("--kallsyms list: the counts file has 2 kernels, and a list does not tell which of them it is of; select one with `ssctr merge --build-id`, or use --vmlinux");
	CHECK_EQ(run("cd %s && ssctr merge -o one --build-id 02 c && ssctr report -i one --by edges --kallsyms list",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, " listed+0x10 -> listed+0x20\n"));
}
