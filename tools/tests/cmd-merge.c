// SPDX-License-Identifier: GPL-2.0-only
/* ssctr merge, and ssctr info of what it makes. */
#include "cmd-many.h"
#include "countfile-build.h"

/* Counts files of so many machines, a.counts and so on. */
static void make_files(unsigned int nr, unsigned int steps)
{
	char name[] = "a.counts";
	struct content c;
	unsigned int i;

	for (i = 0; i < nr; i++, name[0]++) {
		content_make(&c, (uint8_t)i, 0, steps, 50);
		/* Of others, the events of their samples would be told to differ. */
		c.head.by_events = true;
		c.head.mixed = false;
		content_write(test_path(name), &c);
		content_free(&c);
	}
}

#define IN "cd %s && export TMPDIR=. && "

TEST(files_pipes_and_lists_of_files)
{
	make_files(4, 30);
	CHECK_EQ(run(IN "ssctr merge -o want.counts a.counts b.counts c.counts d.counts",
		     test_tmpdir()), 0);
	CHECK_PRINTS("");
	CHECK_EQ(run(IN "cat b.counts | ssctr merge -o - d.counts a.counts - c.counts | cmp - want.counts",
		     test_tmpdir()), 0);
	CHECK_PRINTS("");
	CHECK_EQ(run(IN "mkfifo p && { cat c.counts >p & ssctr merge -o got.counts a.counts p b.counts d.counts; } && cmp got.counts want.counts",
		     test_tmpdir()), 0);
	CHECK_EQ(run(IN "ls [b-d].counts | ssctr merge -o got.counts a.counts --files-from - && cmp got.counts want.counts",
		     test_tmpdir()), 0);
	CHECK_EQ(run(IN "ls ?.counts >list && ssctr merge --threads 3 --files-from list --memory 16M -o got.counts && cmp got.counts want.counts",
		     test_tmpdir()), 0);
	CHECK_EQ(run("ls -A %s | grep -v -e counts -e run", test_tmpdir()), 0);
	CHECK_STR(run_out, "list\np\n");
}

/* Not even the names before it: a part would look like the whole. */
TEST(a_list_with_nul_bytes_is_refused)
{
	make_files(3, 30);
	CHECK_EQ(run(IN "printf 'a.counts\\0b.counts\\0' | ssctr merge -o got.counts c.counts --files-from -",
		     test_tmpdir()), 1);
	CHECK_SAYS("--files-from -: there is a NUL byte; write one name in each line, as find -print does");
	CHECK_EQ(run(IN "printf 'a.counts\\n\\0\\n' >list && ssctr merge -o got.counts --files-from list",
		     test_tmpdir()), 1);
	CHECK_SAYS("--files-from list: there is a NUL byte; write one name in each line, as find -print does");
	CHECK_EQ(run("ls %s/got.counts", test_tmpdir()), 2);
}

TEST(the_output_can_be_an_input)
{
	make_files(3, 30);
	CHECK_EQ(run(IN "ssctr merge -o want.counts a.counts b.counts c.counts && ssctr merge -o a.counts a.counts b.counts && ssctr merge -o a.counts c.counts a.counts && cmp a.counts want.counts",
		     test_tmpdir()), 0);
}

/* Merge with b.counts into a.counts, which is damaged at its end, and is kept as it is. */
static void keeps_output(const char *input, const char *says)
{
	CHECK_EQ(run(IN "cp a.counts was && ssctr merge -o a.counts %s", test_tmpdir(), input), 1);
	CHECK(strstr(run_err, says));
	CHECK(!strstr(run_err, "could not be merged"));
	CHECK_EQ(run(IN "cmp a.counts was", test_tmpdir()), 0);
}

TEST(an_output_that_cannot_be_used_as_an_input_stays_as_it_is)
{
	static const char damaged[] = "a.counts: damaged: its checksum is wrong; it is cut or changed; it is also the output, so it stays as it is and nothing was merged: move it away, or name another output\n";

	make_files(2, 30);
	CHECK_EQ(run(IN "printf xy | dd of=a.counts bs=1 seek=300 conv=notrunc && ln -s a.counts link",
		     test_tmpdir()), 0);
	keeps_output("a.counts b.counts", damaged);
	keeps_output("b.counts link", "link: damaged: ");
	keeps_output("--weighted-input 2,a.counts b.counts", damaged);
	keeps_output("--no-kernel b.counts a.counts", damaged);
	keeps_output("- b.counts <a.counts", "standard input: damaged: ");
	CHECK_EQ(run(IN "ls b.counts a.counts >list", test_tmpdir()), 0);
	keeps_output("--files-from list", damaged);
	CHECK_EQ(run(IN "echo hello >a.counts", test_tmpdir()), 0);
	keeps_output("b.counts a.counts",
		     "-o a.counts: this is also an input, which cannot be read as a counts file and would be lost; name another file\n");
}

/* It stays, whatever is written into it; but a recording is not written into. */
TEST(a_folder_with_the_output_in_it_is_told_like_any_other)
{
	make_files(1, 30);
	CHECK_EQ(run(IN "mkdir f && echo old >f/got.counts && ssctr merge -o f/got.counts a.counts f", test_tmpdir()), 3);
	CHECK(strstr(run_err, "f: is a folder without a file `data`, so not one of perf's\n"));
	CHECK_EQ(run(IN "cmp f/got.counts a.counts && : >f/data && ssctr merge -o f/got.counts a.counts f",
		     test_tmpdir()), 1);
	CHECK(strstr(run_err, "-o f/got.counts: this is also an input, "));
}

TEST(what_cannot_be_merged_is_named_and_counted)
{
	make_files(3, 30);
	CHECK_EQ(run(IN "ssctr merge -o want.counts a.counts c.counts && head -c 200 b.counts >x && mv x b.counts && ssctr merge -o got.counts a.counts b.counts c.counts away",
		     test_tmpdir()), 3);
	CHECK(strstr(run_err, "ssctr merge: b.counts: damaged: "));
	CHECK(strstr(run_err, "ssctr merge: away: "));
	CHECK(strstr(run_err, "ssctr merge: 2 of 4 inputs could not be merged; the output has the others\n"));
	CHECK_EQ(run(IN "cmp got.counts want.counts", test_tmpdir()), 0);
	CHECK_EQ(run(IN "ssctr merge --strict -o none.counts a.counts b.counts c.counts", test_tmpdir()), 1);
	CHECK_SAYS("ssctr merge: b.counts: damaged: ");
	CHECK_EQ(run(IN "ssctr merge --strict -o none.counts a.counts away", test_tmpdir()), 1);
	CHECK_SAYS("ssctr merge: away: ");
	CHECK_EQ(run(IN "ssctr merge -o none.counts b.counts", test_tmpdir()), 1);
	CHECK(strstr(run_err, "ssctr merge: no file could be merged\n"));
	CHECK_EQ(run(IN "ssctr merge -o none.counts - </dev/null", test_tmpdir()), 1);
	CHECK(strstr(run_err, "ssctr merge: standard input: neither a counts file nor a recording\n"));
	CHECK_EQ(run(IN "echo hello | ssctr merge -o none.counts a.counts -", test_tmpdir()), 3);
	CHECK(strstr(run_err, "ssctr merge: standard input: neither a counts file nor a recording\n"));
	CHECK_EQ(run(IN "rm none.counts", test_tmpdir()), 0);
	CHECK_EQ(run("ls %s/none.counts", test_tmpdir()), 2);
}

/* Without the capabilities by which root may read all files. */
TEST(what_may_not_be_read_is_named_and_costs_the_others_nothing)
{
	make_files(3, 30);
	CHECK_EQ(run(IN "ssctr merge -o want.counts a.counts c.counts && mkfifo p && chmod 0 b.counts p && "
		     "setpriv --inh-caps=-all --bounding-set=-all ssctr merge -o got.counts a.counts b.counts p c.counts",
		     test_tmpdir()), 3);
	CHECK(strstr(run_err, "ssctr merge: b.counts: Permission denied\n"));
	CHECK(strstr(run_err, "ssctr merge: p: Permission denied\n"));
	CHECK(strstr(run_err, "ssctr merge: 2 of 4 inputs could not be merged; the output has the others\n"));
	CHECK_EQ(run(IN "cmp got.counts want.counts", test_tmpdir()), 0);
}

TEST(an_overlap_is_refused)
{
	make_files(2, 30);
	CHECK_EQ(run(IN "ssctr merge -o c.counts a.counts b.counts; ssctr merge -o d.counts c.counts a.counts",
		     test_tmpdir()), 1);
	CHECK_SAYS("ssctr merge: c.counts and a.counts both have period 0 of the source 00000000000000000000000000000000; leave out one of them, so that nothing is counted twice");
}

TEST(a_factor_that_leaves_nothing_is_told)
{
	make_files(9, 30);
	CHECK_EQ(run(IN "ssctr merge --threads 2 -o got.counts --weighted-input 1e-10,b.counts [ac-i].counts",
		     test_tmpdir()), 0);
	CHECK(strstr(run_err, "ssctr merge: b.counts: none of its "));
	CHECK(strstr(run_err, " transfers is left, because they were multiplied by 1e-10; use a larger factor\n"));
	CHECK(!strstr(strstr(run_err, "none of its") + 1, "none of its"));
	CHECK_EQ(run(IN "ssctr merge -o got.counts --weighted-input 0.5,b.counts a.counts", test_tmpdir()), 0);
	CHECK_PRINTS("");
}

/* A counts file with a sample in so many cycles. */
static void write_sampled(const char *name, uint8_t label, uint64_t distance, bool by_events)
{
	struct content c;

	content_make(&c, label, 0, 20, 10);
	while (c.head.nr_events)
		free(c.head.events[--c.head.nr_events].name);
	c.head.events[c.head.nr_events++] = (struct cf_event){
		.name = strdup("cycles:u"), .samples = 100, .covered = 100 * distance,
		.count = 101 * distance,
	};
	c.head.by_events = by_events;
	c.head.mixed = false;
	content_write(test_path(name), &c);
	content_free(&c);
}

TEST(samples_that_stand_for_other_numbers_of_events_are_told)
{
	write_sampled("a.counts", 1, 100000, false);
	write_sampled("b.counts", 2, 250000, false);
	write_sampled("c.counts", 3, 2000000, false);
	write_sampled("d.counts", 4, 50, true);
	CHECK_EQ(run(IN "ssctr merge -o got.counts a.counts b.counts d.counts", test_tmpdir()), 0);
	CHECK_PRINTS("");
	CHECK_EQ(run(IN "ssctr merge -o got.counts a.counts b.counts c.counts", test_tmpdir()), 0);
	CHECK_SAYS("3 inputs, of which one has a sample in 100000 events and one in 2000000");
	CHECK_EQ(run(IN "ssctr merge -o got.counts a.counts b.counts --weighted-input 20,c.counts",
		     test_tmpdir()), 0);
	CHECK_PRINTS("");
}

TEST(wrong_options_are_named)
{
	static const struct {
		const char *options, *says;
	} wrong[] = {
		{ "a.counts", "no output is given; name it with -o" },
		{ "-o x", "no input is given; name the files to merge" },
		{ "-o x a --memory 1M", "--memory 1M: use at least 16M" },
		{ "-o x a --memory much", "--memory: 'much' is not a size" },
		{ "-o x a --threads 0", "--threads 0: use 1 to 256" },
		{ "-o x a --half-life 0", "--half-life: '0' is not a time" },
		{ "-o x a --half-life 1d --at now", "--at: 'now' is not a point in time" },
		{ "-o x a --at 5", "--at needs --half-life" },
		{ "-o x --weighted-input 0,a", "--weighted-input 0,a: use a number above 0, a comma and a file" },
		{ "-o x --weighted-input 1,", "--weighted-input 1,: use a number" },
		{ "-o x --weighted-input a", "--weighted-input a: use a number" },
		{ "-o x a --dso a,,b", "--dso: 'a,,b' has an empty word" },
		{ "-o x a --build-id ''", "--build-id: '' has an empty word" },
		{ "-o x a --build-id xyz", "--build-id: 'xyz' is not a build id" },
		{ "-o x a --drop-below few", "--drop-below: " },
	};
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_EQ(run("ssctr merge %s", wrong[i].options), 2);
		CHECK_SAYS(wrong[i].says);
	}
}

/* ------------------------------------------------------------------ recordings */

/* All samples were taken 2 ns after the kernel has started. */
static void make_recording_at(const char *name, unsigned int samples, uint64_t seconds)
{
	begin_program();
	while (samples--)
		ADD_STEPS(once);
	if (seconds)
		pdb_clock_data(&rec, 1, seconds * 1000000000 - 1);
	write_files();
	CHECK_EQ(run(IN "mv perf.data %s", test_tmpdir(), name), 0);
}

/* A recording as x.data, by the program /x. */
static void make_recording(const char *name, unsigned int samples)
{
	make_recording_at(name, samples, 1700000000);
}

TEST(a_name_is_no_command_to_the_terminal_that_shows_the_progress)
{
	const char *terminal;

	make_recording("a\033.data", 3);
	terminal = open_terminal();
	CHECK_EQ(run(IN "TERM=xterm ssctr merge --symfs . -o got.counts a*.data 2>%s", test_tmpdir(),
		     terminal), 0);
	close_terminal();
	CHECK_SHOWS("\ra?.data: ");
}

TEST(recordings_are_counted)
{
	make_recording("a.data", 3);
	make_recording("b.data", 5);
	CHECK_EQ(run(IN "ssctr merge --symfs . -o a.counts a.data && ssctr merge --symfs . -o b.counts b.data && ssctr merge -o want.counts a.counts b.counts",
		     test_tmpdir()), 0);
	CHECK_EQ(run(IN "ssctr merge --symfs . -o got.counts b.data a.data && cmp got.counts want.counts && ssctr merge --symfs . -o got.counts a.counts b.data && cmp got.counts want.counts",
		     test_tmpdir()), 0);
	CHECK_EQ(run(IN "ssctr info -j got.counts | grep -o '\"samples\":8,\"empty\":0' && ssctr info -j got.counts | grep -o '\"begin\":1699999999,\"end\":1700000000'",
		     test_tmpdir()), 0);
	CHECK_EQ(run(IN "ssctr merge --symfs . -o got.counts a.data a.counts", test_tmpdir()), 1);
	CHECK(strstr(run_err, "a.data and a.counts both have period 0 of the source "));
	CHECK_EQ(run(IN "cat a.data | ssctr merge --symfs . -o got.counts - b.data && ssctr info -j got.counts | grep -o '\"samples\":8,'",
		     test_tmpdir()), 0);
}

TEST(a_recording_is_not_replaced_by_its_counts)
{
	make_recording("a.data", 3);
	CHECK_EQ(run(IN "cp a.data was && ln a.data same && ssctr merge --symfs . -o same a.data",
		     test_tmpdir()), 1);
	CHECK_SAYS("ssctr merge: -o same: this is also an input, which cannot be read as a counts file and would be lost; name another file");
	CHECK_EQ(run(IN "cmp a.data was && cmp same was", test_tmpdir()), 0);
}

TEST(the_kernel_is_a_binary_that_can_be_named)
{
	static const struct step into[] = { { 0x12, 0x00, 0, 0 }, { 0x06, 0x10, 0, 0 } };
	static const uint64_t kernel[][3] = {
		{ 0xffffffff80001000, 0xffffffff80002000, 0 },
		{ 0xffffffff80002010, 0xffffffff80001000, 0 },
	};

	begin_program();
	ADD_STEPS(into);
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = 0xffffffff80002004, .time = 2, .pid = 5, .tid = 5, .cpu = 3,
		.nr_branches = 2, .branches = kernel });
	pdb_clock_data(&rec, 1, 1699999999);
	write_files();
	CHECK_EQ(run(IN "ssctr merge --symfs . -o a.counts perf.data && ssctr merge --dso '[kernel]' -o k.counts a.counts && ssctr report --raw --by functions k.counts",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "2 transfers of 1 kinds in 1 samples\n"));
	CHECK(strstr(run_out, "[kernel]"));
	CHECK_EQ(run(IN "ssctr info k.counts", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nsamples          1\n"));
}

/* The counter of user code interrupted in the kernel, of which no transfer was recorded. */
TEST(samples_whose_transfers_are_left_out_do_not_have_empty_stacks)
{
	static const char *const commands[] = { "report", "diff k.counts",
						"profile -b x -f bolt -o p -i" };
	unsigned int i;

	begin_program();
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = 0xffffffff80002004, .time = 1, .pid = 5, .tid = 5, .cpu = 3,
		.nr_branches = 4, .branches = loop });
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT, .time = 2, .pid = 5, .tid = 5, .cpu = 3 });
	write_files();
	CHECK_EQ(run(IN "ssctr merge --symfs . -o a.counts perf.data && ssctr info a.counts", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nsamples          2, 1 of them with an empty branch stack\ntransfers        4\n"));
	CHECK_EQ(run(IN "ssctr merge --dso '[kernel]' -o k.counts a.counts && ssctr info k.counts", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nsamples          1\ntransfers        0\n"));
	for (i = 0; i < 3; i++) {
		CHECK_EQ(run(IN "ssctr %s k.counts", test_tmpdir(), commands[i]), 1);
		CHECK(strstr(run_err, ": k.counts: `ssctr merge` left out all transfers; merge the files again with other options\n"));
	}
}

TEST(a_copy_and_a_pipe_of_a_recording_give_the_same_bytes)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		make_recording_at("a.data", 3, i ? 1700000000 : 0);
		CHECK_EQ(run(IN "touch -d @1500000000 a.data && ssctr merge --symfs . -o want.counts a.data && cat a.data >b.data && ssctr merge --symfs . -o got.counts b.data && cmp got.counts want.counts && ssctr merge --symfs . -o - - <a.data | cmp - want.counts && cat a.data | ssctr merge --symfs . -o - - | cmp - want.counts",
			     test_tmpdir()), 0);
	}
}

TEST(a_recording_that_does_not_tell_its_time_cannot_age)
{
	make_recording_at("a.data", 3, 0);
	make_recording("b.data", 5);
	CHECK_EQ(run(IN "ssctr merge --symfs . -o a.counts a.data && ssctr info a.counts | grep ^time",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "time             not known\n");
	CHECK_EQ(run(IN "ssctr export --pprof a.pb a.counts", test_tmpdir()), 0);
	CHECK(strstr(run_err, " 1 profile without a time, "));
	CHECK_EQ(run(IN "ssctr merge --symfs . -o got.counts a.data b.data && ssctr info got.counts | grep ^time",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "time             2023-11-14 22:13:19 to 2023-11-14 22:13:20 UTC, of the sources whose time is known\n");
	CHECK_EQ(run(IN "ssctr info --json got.counts | grep -c '\"times_missing\":true'", test_tmpdir()), 0);
	CHECK_EQ(run(IN "ssctr merge -o two.counts --half-life 7d got.counts", test_tmpdir()), 1);
	CHECK(strstr(run_err, "ssctr merge: got.counts: the time of some of its sources is not known, and --half-life needs that of all; "));
	CHECK_EQ(run(IN "ssctr merge --symfs . -o got.counts --half-life 7d a.data b.data", test_tmpdir()), 3);
	CHECK(strstr(run_err, "ssctr merge: a.data: its time is not known, and --half-life needs it; "));
	CHECK_EQ(run(IN "ssctr merge --symfs . -o want.counts b.data && cmp got.counts want.counts",
		     test_tmpdir()), 0);
}

TEST(a_recording_without_branch_stacks_is_told)
{
	make_recording("a.data", 0);
	CHECK_EQ(run(IN "ssctr merge --symfs . -o a.counts a.data", test_tmpdir()), 0);
	CHECK(strstr(run_err, "ssctr merge: a.data: no sample has a branch stack\n"));
	CHECK_EQ(run(IN "ssctr info -j a.counts | grep -o '\"samples\":0,'", test_tmpdir()), 0);
}

/* With so many samples of random transfers within the 4 KiB that are mapped. */
static void make_random(const char *name, unsigned int samples)
{
	uint64_t stack[32][3];
	unsigned int i, k;

	begin_program();
	for (i = 0; i < samples; i++) {
		for (k = 0; k < 32; k++) {
			stack[k][0] = MAP_AT + 2 * (test_random() % 2048);
			stack[k][1] = MAP_AT + 2 * (test_random() % 2048);
			stack[k][2] = COND << 20;
		}
		add_sample(5, 2 + i, MAP_AT, 32, (const uint64_t (*)[3])stack);
	}
	write_files();
	CHECK_EQ(run(IN "mv perf.data %s", test_tmpdir(), name), 0);
}

TEST(the_number_of_threads_changes_nothing)
{
	char name[] = "a.data";
	unsigned int i;

	for (i = 0; i < 9; i++, name[0]++)
		make_random(name, 1 + one_of(400));
	/* One is damaged, and one is something else. */
	CHECK_EQ(run(IN "head -c 300 c.data >x && mv x c.data && echo hello >f.data && ssctr merge --symfs . --threads 1 -o want.counts [a-i].data away 2>want.err; test $? = 3",
		     test_tmpdir()), 0);
	CHECK_EQ(run(IN "for n in 2 3 9 100; do ssctr merge --symfs . --threads $n -o got.counts [a-i].data away 2>got.err; test $? = 3 && cmp got.counts want.counts && cmp got.err want.err || exit 1; done",
		     test_tmpdir()), 0);
	CHECK_EQ(run(IN "grep -c 'ssctr merge: c.data: ' want.err && grep -c 'ssctr merge: f.data: ' want.err && grep '^[a-i].data:$' want.err | tr -d '\\n'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "1\n1\na.data:b.data:d.data:e.data:g.data:h.data:i.data:");
	CHECK_EQ(run(IN "for d in a b d e g h i; do ssctr merge --symfs . -o $d.counts $d.data || exit 1; done && ssctr merge -o got.counts a.counts b.counts d.counts e.counts g.counts h.counts i.counts && cmp got.counts want.counts",
		     test_tmpdir()), 0);
}

/* Each recording that was counted is an open file until the end. */
TEST(too_few_open_files_are_an_error_before_anything_is_counted)
{
	unsigned int needed = 0;

	write_threads("a", "b");
	CHECK_EQ(run(IN "for i in $(seq 60); do cp perf.data $i.data; printf $i >>$i.data; done && "
		     "ssctr merge --symfs . -o want.counts *[0-9].data", test_tmpdir()), 0);
	CHECK_EQ(run(IN "ulimit -n 48; ssctr merge --symfs . -o none.counts *[0-9].data", test_tmpdir()), 1);
	CHECK_SAYS(", and the limit is 48: raise it");
	CHECK_EQ(sscanf(run_err, "ssctr merge: to count 60 recordings, at least %u files must be open",
			&needed), 1);
	/* They are merged in 8 groups of 8. */
	CHECK(needed > 60 + 8 + 8 && needed < 100);
	CHECK_EQ(run(IN "ulimit -n %u; ssctr merge --symfs . -o got.counts *[0-9].data && cmp got.counts want.counts",
		     test_tmpdir(), needed), 0);
}

/* 200,000 different steps need more than 16 MiB. */
TEST(a_small_memory_gives_the_same_bytes)
{
	make_random("a.data", 6500);
	make_random("b.data", 300);
	CHECK_EQ(run(IN "ssctr merge --symfs . -o want.counts a.data b.data && ssctr merge --symfs . --memory 16M -o got.counts b.data a.data && cmp got.counts want.counts",
		     test_tmpdir()), 0);
	/* Also with a factor, which changes steps by their sums. */
	CHECK_EQ(run(IN "ssctr merge --symfs . -o want.counts --weighted-input .4,a.data b.data && ssctr merge --symfs . --memory 16M -o got.counts --weighted-input .4,a.data b.data && cmp got.counts want.counts",
		     test_tmpdir()), 0);
	/* No file can be larger than 64 KiB. */
	CHECK_EQ(run(IN "ulimit -f 128; ssctr merge --symfs . --memory 16M -o none.counts a.data b.data 2>err; echo $? $(wc -l <err) && cat err && ls none.counts",
		     test_tmpdir()), 2);
	CHECK_STR(run_out, "1 1\nssctr merge: cannot write a temporary file in .: File too large\n");
}

/* ------------------------------------------------------------------- ssctr info */

/* covered: of 1000 events. begin: s since 1970; 0: it is not known. */
static void make_told_of(uint64_t covered, uint64_t begin)
{
	struct content c;

	content_make(&c, 0xab, 5, 0, 1);
	memset(c.has, 0, sizeof(c.has));
	c.has[0] = c.has[1] = c.has[2] = c.has[6] = true;
	c.names[2] = "/bin/a";
	c.names[6] = "/bin/b";
	cf_head_free(&(struct cf_head){ .events = c.head.events, .nr_events = c.head.nr_events });
	c.head.events = calloc(1, sizeof(*c.head.events));
	c.head.nr_events = 1;
	c.head.events[0] = (struct cf_event){ strdup("cycles:u"), 10, covered, 1000, 0 };
	c.head.sources->first = 3;
	c.head.begin = begin;
	c.head.end = begin ? begin + 3600 : 0;
	c.head.depth = 32;
	c.head.samples = 12;
	c.head.empty = 2;
	c.head.lost = 4;
	c.head.dropped = c.head.flags = 0;
	c.head.all_branches = true;
	content_add_step(&c, &(struct cf_step){ 2, 2, 4, 8, 6, .seen = 7, .weight = 300 });
	content_add_step(&c, &(struct cf_step){ 2, 6, 4, 8, 6, .seen = 9, .weight = 100 });
	content_add_sample(&c, &(struct cf_sample){ 6, 8, 10 });
	content_write(test_path("a.counts"), &c);
	content_free(&c);
}

static void make_told(void)
{
	make_told_of(900, 1700000000);
}

TEST(an_age_that_leaves_nothing_is_told)
{
	make_told();
	CHECK_EQ(run(IN "ssctr merge -o got.counts --half-life 1s --at 2026-11-25 a.counts", test_tmpdir()), 0);
	CHECK_SAYS("1 inputs with nothing left, because they are too old for --half-life");
	CHECK_EQ(run(IN "ssctr merge -o got.counts --half-life 1s a.counts", test_tmpdir()), 0);
	CHECK_PRINTS("");
}

TEST(info_shows_what_a_counts_file_has)
{
	make_told();
	CHECK_EQ(run("cd %s && ssctr info a.counts | sed '/^size/d'", test_tmpdir()), 0);
	CHECK_PRINTS("counts file      version 1\n"
		     "sources          1\n"
		     "                 abababababababababababababababab periods 3 to 5\n"
		     "time             2023-11-14 22:13:20 to 2023-11-14 23:13:20 UTC\n"
		     "event            \"cycles:u\"\n"
		     "                 10 samples, which cover 90.0 % of 1000\n"
		     "depth            32\n"
		     "samples          12, 2 of them with an empty branch stack\n"
		     "transfers        16\n"
		     "different        2 steps, 1 addresses of samples\n"
		     "lost             4 samples\n"
		     "binaries         2, by their share of the instructions that ran\n"
		     "         75.0 %  \"/bin/a\"\n"
		     "         25.0 %  \"/bin/b\"\n"
		     "                   build id 06060606060606060606060606060606\n");
}

/* As in a report: a few long lines are as much as many short ones. */
TEST(info_shares_are_those_of_the_instructions_as_in_a_report)
{
	struct content c;

	content_make(&c, 1, 1, 0, 1);
	memset(c.has, 0, sizeof(c.has));
	c.has[0] = c.has[1] = c.has[2] = c.has[3] = true;
	c.names[2] = "/bin/a";
	c.names[3] = "/bin/b";
	c.head.all_branches = true;
	content_add_step(&c, &(struct cf_step){ 2, 2, 4, 8, 6, .seen = 9, .weight = 100, .length = 3 });
	content_add_step(&c, &(struct cf_step){ 2, 3, 4, 8, 98, .seen = 1, .weight = 10, .length = 45 });
	content_add_step(&c, &(struct cf_step){ 0, 0, .line = 20, .seen = 1, .weight = 10, .length = 25 });
	content_write(test_path("a.counts"), &c);
	CHECK_EQ(run("cd %s && ssctr info a.counts | sed '1,/^binaries/d'", test_tmpdir()), 0);
	CHECK_PRINTS("         45.0 %  \"/bin/b\"\n         30.0 %  \"/bin/a\"\n         25.0 %  \"[unknown]\"\n");
	CHECK_EQ(run("cd %s && ssctr report a.counts --by functions 2>notes | sed '1,/ function$/d; s/^ *[0-9]*//'",
		     test_tmpdir()), 0);
	CHECK_PRINTS("   45.0%  /bin/b\n   30.0%  /bin/a\n   25.0%  [unknown]\n");
	c.head.all_branches = false;
	content_write(test_path("a.counts"), &c);
	CHECK_EQ(run("cd %s && ssctr info a.counts", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nbinaries         3, by their share of what ran, which is not known\n            -    \"/bin/b\"\n"));
	content_free(&c);
}

TEST(info_says_what_is_not_in_the_shares)
{
	struct content c;

	content_make(&c, 1, 1, 0, 1);
	content_add_step(&c, &(struct cf_step){ 0, 0, .line = CF_NO_LINE, .seen = 3, .weight = 30 });
	content_add_step(&c, &(struct cf_step){ 1, 0, .line = 6, .seen = 1, .weight = 10, .length = 3 });
	content_write(test_path("a.counts"), &c);
	content_free(&c);
	CHECK_EQ(run("cd %s && ssctr info a.counts", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nnot in shares    75.0 % of the transfers by weight, to memory without a file whose lines have no length; count the recordings again\n"));
}

TEST(info_prints_json)
{
	make_told();
	CHECK_EQ(run("cd %s && ssctr info --json a.counts | sed 's/\"file_bytes\":[0-9]*,//'",
		     test_tmpdir()), 0);
	CHECK_PRINTS("{\"version\":1,\"sources\":[{\"label\":\"abababababababababababababababab\",\"first\":3,\"last\":5}],"
		     "\"events\":[{\"name\":\"cycles:u\",\"samples\":10,\"covered\":900,\"count\":1000,\"unknown\":0,\"coverage\":0.900000}],"
		     "\"begin\":1700000000,\"end\":1700003600,\"times_missing\":false,\"depth\":32,\"samples\":12,\"empty\":2,\"addresses\":1,\"steps\":2,"
		     "\"transfers\":16,\"weight\":400,\"lost\":4,\"dropped\":0,\"left_out\":0,\"left_out_weight\":0,\"not_in_shares_weight\":0,"
		     "\"all_branches\":true,\"scaled\":false,\"by_events\":false,\"mixed\":false,\"binaries\":["
		     "{\"name\":\"/bin/a\",\"kernel\":false,\"transfers\":7,\"weight\":300,\"share\":0.750000,\"samples\":0},"
		     "{\"name\":\"/bin/b\",\"build_id\":\"06060606060606060606060606060606\",\"kernel\":false,\"transfers\":9,\"weight\":100,\"share\":0.250000,\"samples\":10}]}\n");
}

/* As recordings of perf, which do not tell when they were made. */
TEST(info_prints_null_for_a_time_that_is_not_known)
{
	make_told_of(899, 0);
	CHECK_EQ(run("cd %s && ssctr info --json a.counts", test_tmpdir()), 0);
	CHECK(strstr(run_out, ",\"begin\":null,\"end\":null,\"times_missing\":true,\"depth\":32,"));
	CHECK_EQ(run("cd %s && ssctr info a.counts", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\ntime             not known\n"));
	CHECK(strstr(run_out, "10 samples, which cover 89.9 % of 1000; the rest is missing (docs/trouble.md)\n"));
}

TEST(info_reads_a_pipe)
{
	make_files(2, 30);
	CHECK_EQ(run(IN "ssctr merge -o c.counts a.counts b.counts && ssctr info -j c.counts | sed 's/\"file_bytes\":[0-9]*,//' >want && ssctr merge -o - a.counts b.counts | ssctr info -j - | cmp - want && ssctr info -j - <c.counts | cmp - want",
		     test_tmpdir()), 0);
	CHECK_PRINTS("");
}

TEST(info_names_a_damaged_counts_file)
{
	make_told();
	CHECK_EQ(run("cd %s && head -c 100 a.counts >b.counts; ssctr info b.counts", test_tmpdir()), 1);
	CHECK_SAYS("ssctr info: b.counts: damaged: ");
}

TEST(what_the_rules_leave_out_is_told)
{
	make_told();
	CHECK_EQ(run("cd %s && TMPDIR=. ssctr merge -o b.counts --drop-below 8 a.counts", test_tmpdir()), 0);
	CHECK_STR(run_err, "           7 transfers that the options leave out\n");
	CHECK_EQ(run("cd %s && ssctr info b.counts | grep -e left -e ^transfers", test_tmpdir()), 0);
	CHECK_PRINTS("transfers        9\n"
		     "left out         7 transfers, when files were merged\n");
}
