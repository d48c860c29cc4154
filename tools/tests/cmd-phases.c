// SPDX-License-Identifier: GPL-2.0-only
/* ssctr phases and ssctr estimate, as people and scripts use them. */
#include <math.h>
#include <stdlib.h>

#include "cmd-sample.h"
#include "phases-program.h"

/* A program of about 200,000 instructions. */
static void make_trace(void)
{
	static struct prog p;
	char path[200];

	snprintf(path, sizeof(path), "%s/t.zstf", test_tmpdir());
	prog_plan(&p, 3);
	prog_write(&p, path, 200000);
}

static int phases(const char *options)
{
	return run("cd %s && ssctr phases %s", test_tmpdir(), options);
}

static int estimate(const char *options)
{
	return run("cd %s && ssctr estimate %s", test_tmpdir(), options);
}

TEST(windows_of_a_trace)
{
	make_trace();
	CHECK_EQ(phases("--interval 1000 --windows 12 -o w.txt t.zstf"), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, "of 1000 instructions\n"));
	CHECK(strstr(run_out, "windows      12, 6.0"));
	CHECK_EQ(run("cd %s && grep -c ^window w.txt", test_tmpdir()), 0);
	CHECK_PRINTS("12\n");
	/* All weights are 1 together. */
	CHECK_EQ(run("cd %s && awk '$1 == \"window\" { s += $6 } END { printf \"%%.6f\\n\", s }' w.txt", test_tmpdir()), 0);
	CHECK_PRINTS("1.000000\n");
}

/* The same instructions, by their number and their PCs. */
TEST(windows_can_be_cut)
{
	make_trace();
	CHECK_EQ(phases("--interval 1000 --windows 6 -o w.txt t.zstf"), 0);
	CHECK_EQ(run("cd %s && awk '$1 == \"window\" { print $2, $3, $4 }' w.txt | while read n start length; do\n"
		     "ssctr cut --start $start --limit $length -o w$n.zstf t.zstf || exit\n"
		     "ssctr dump --start $start --limit $length t.zstf | awk '{ print $3, $4 }' >want\n"
		     "ssctr dump w$n.zstf | awk '{ print $3, $4 }' | cmp - want || exit\n"
		     "ssctr info w$n.zstf | grep -q \"^instructions  *$length\" || exit\ndone",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
}

/* By number, they are the same as by start and length. */
TEST(windows_are_cut_by_their_numbers)
{
	make_trace();
	CHECK_EQ(phases("--interval 1000 --windows 6 --warmup 1500 -o w.txt t.zstf"), 0);
	CHECK_EQ(run("cd %s && awk '$1 == \"window\" { print $2, $3 - $7, $4 + $7, $7 }' w.txt | while read n start length warmup; do\n"
		     "[ $warmup = 1500 ] || [ $start = 0 ] || exit\n"
		     "ssctr cut --window w.txt:$n -o a.stf t.zstf || exit\n"
		     "ssctr cut --start $start --limit $length -o b.stf t.zstf || exit\n"
		     "ssctr dump a.stf >a; ssctr dump b.stf >b; cmp a b && [ -s a ] || exit\ndone",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
}

/* The file says that only user mode counts. */
TEST(a_window_is_cut_with_the_filters_of_its_file)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr phases --interval 1000 --windows 2 -o - t.zstf | sed 's/^cut-options.*/cut-options --user --tid 12/' >w.txt", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && n=$(awk '$1 == \"window\" { print $2; exit }' w.txt) && ssctr cut --window w.txt:$n -o a.stf t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("no instruction is selected; --user takes");
	CHECK_EQ(run("cd %s && sed -i 's/^cut-options.*/cut-options --comm x/' w.txt && n=$(awk '$1 == \"window\" { print $2; exit }' w.txt) && ssctr cut --window w.txt:$n -o a.stf t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("w.txt: unknown cut-options: --comm x");
}

TEST(windows_that_cannot_be_cut)
{
	static const struct {
		const char *options, *says;
		int status;
	} wrong[] = {
		{ "w.txt", "--window w.txt: use FILE:N, the number of a window", 2 },
		{ "w.txt:", "--window w.txt:: use FILE:N", 2 },
		{ "w.txt:1x", "--window w.txt:1x: '1x' is not a number", 2 },
		{ "w.txt:0 --limit 5", "--window cannot be used with --start, --limit", 2 },
		{ "w.txt:0 --user", "--window cannot be used with --user, --hart", 2 },
		{ "w.txt:0 --hart 0", "--window cannot be used with --user, --hart", 2 },
		{ "w.txt:0 --pid 1", "--window cannot be used with --user, --hart", 2 },
		{ "w.txt:0 --tid 1", "--window cannot be used with --user, --hart", 2 },
		{ "w.txt:0 --pc 0x0-0x9", "--window cannot be used with --user, --hart", 2 },
		{ "w.txt:99999", "w.txt: there is no window 99999", 1 },
		{ "none:1", "none: No such file or directory", 1 },
		{ "t.zstf:1", "t.zstf: it is not a file of windows", 1 },
		{ "samples.txt:0", "samples.txt: its windows are parts of a recording", 1 },
	};
	size_t i;

	make_trace();
	CHECK_EQ(phases("--interval 1000 --windows 2 -o w.txt t.zstf"), 0);
	CHECK_EQ(run("cd %s && sed 's/^unit .*/unit cycles:u/' w.txt >samples.txt", test_tmpdir()), 0);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_EQ(run("cd %s && ssctr cut --window %s -o a.stf t.zstf", test_tmpdir(),
			     wrong[i].options), wrong[i].status);
		CHECK_SAYS(wrong[i].says);
	}
}

TEST(the_same_seed_makes_the_same_files)
{
	make_trace();
	CHECK_EQ(phases("--interval 1000 -o a.txt --simpoint a t.zstf"), 0);
	CHECK_EQ(phases("--interval 1000 -o b.txt --simpoint b t.zstf"), 0);
	CHECK_EQ(run("cd %s && cmp a.txt b.txt && for f in bb bb.interval simpoints weights labels; do cmp a.$f b.$f || exit; done",
		     test_tmpdir()), 0);
	CHECK_EQ(phases("--interval 1000 --seed 5 -o b.txt t.zstf"), 0);
	CHECK_EQ(run("cd %s && cmp -s a.txt b.txt", test_tmpdir()), 1);
}

/* Each line of .bb adds up to the length of its interval. */
TEST(files_of_simpoint)
{
	make_trace();
	CHECK_EQ(phases("--interval 1000 --representative --simpoint s -o w.txt t.zstf"), 0);
	CHECK(strstr(run_out, ", the most typical of each phase\n"));
	CHECK_EQ(run("cd %s && sed 's/^T//; s/:[0-9]*:/ /g' s.bb | awk '{ s = 0; for (i = 1; i <= NF; i++) s += $i; print s }' >got\n"
		     "awk '$1 == \"interval\" { print $4 }' w.txt | cmp - got &&\n"
		     "awk '$1 == \"interval\" { print $3 }' w.txt | cmp - s.bb.interval &&\n"
		     "awk '$1 == \"window\" { print $2, $5 }' w.txt | cmp - s.simpoints &&\n"
		     "awk '$1 == \"window\" { print $6, $5 }' w.txt | cmp - s.weights &&\n"
		     "awk '$1 == \"interval\" { print $5 }' w.txt >want && cut -d ' ' -f 1 s.labels | cmp - want",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
}

TEST(the_file_on_standard_output)
{
	make_trace();
	CHECK_EQ(phases("-o - t.zstf"), 0);
	CHECK(!strncmp(run_out, "ssctr-windows 1\nsource t.zstf\n", 30));
}

TEST(json)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr phases --json --interval 10000 --phases 3 --windows 6 t.zstf | python3 -c '\n"
		     "import json, sys\n"
		     "j = json.load(sys.stdin)\n"
		     "assert len(j[\"phases\"]) == 3 and len(j[\"windows\"]) == 6\n"
		     "assert sum(p[\"length\"] for p in j[\"phases\"]) == j[\"length\"]\n"
		     "assert len(j[\"phase_of_interval\"]) == sum(p[\"intervals\"] for p in j[\"phases\"])\n"
		     "assert j[\"phase_of_interval\"][j[\"windows\"][0][\"interval\"]] == j[\"windows\"][0][\"phase\"]'",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
}

/* Each of 20,000 weights is 0.00005. */
TEST(weights_add_up_in_json)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr phases --json --interval 10 --windows 200000 --max-phases 3 t.zstf | python3 -c '\n"
		     "import json, sys\n"
		     "w = [w[\"weight\"] for w in json.load(sys.stdin)[\"windows\"]]\n"
		     "assert len(w) > 10000 and abs(sum(w) - 1) < 1e-7, sum(w)'", test_tmpdir()), 0);
	CHECK_STR(run_err, "");
}

TEST(windows_of_one_hart_of_a_trace)
{
	make_trace();
	CHECK_EQ(phases("--interval 1000 --windows 2 --hart 0 -o w.txt t.zstf"), 0);
	CHECK_EQ(run("cd %s && grep -x 'cut-options --hart 0' w.txt && n=$(awk '$1 == \"window\" { print $2; exit }' w.txt) && ssctr cut --window w.txt:$n -o a.stf t.zstf", test_tmpdir()), 0);
	CHECK_EQ(phases("--hart 9 t.zstf"), 1);
	CHECK_SAYS("no instruction is selected");
}

TEST(options_with_mistakes)
{
	static const struct {
		const char *options, *says;
	} wrong[] = {
		{ "--interval 0", "--interval 0: use 1 to" },
		{ "--windows 0", "--windows 0: use 1 to 262144" },
		{ "--dimensions 65", "--dimensions 65: use 1 to 64" },
		{ "--phases 2 --max-phases 3", "--phases and --max-phases both" },
		{ "--phases 5 --windows 9", "--windows must be at least twice --phases" },
		{ "--representative --windows 9", "--representative chooses one window" },
		{ "--warmup 10 --user", "--warmup cannot be used with --user" },
		{ "--json -o -", "--json cannot be used with -o -" },
		{ "--comm x", "is a trace; --cpu, --comm, --dso, --symbol and --time are for recordings" },
		{ "--cpu 0", "and --hart is for traces" },
		{ "--hart x", "--hart: 'x' is not a number" },
		{ "--pid 1-3", "is a trace, for which this option takes one number" },
		{ "--seed x", "--seed: 'x' is not a number" },
	};
	size_t i;

	make_trace();
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char options[200];

		snprintf(options, sizeof(options), "%s t.zstf", wrong[i].options);
		CHECK_EQ(phases(options), 2);
		CHECK_SAYS(wrong[i].says);
	}
}

TEST(failures_leave_no_files)
{
	make_trace();
	CHECK_EQ(phases("--pid 77 -o w.txt --simpoint s t.zstf"), 1);
	CHECK_SAYS("no instruction is selected; `ssctr info t.zstf` prints how many");
	CHECK_EQ(run("cd %s && head -c 9000 t.zstf >cut.zstf && ssctr phases -o w.txt --simpoint s cut.zstf", test_tmpdir()), 1);
	CHECK_EQ(phases("-o w.txt --simpoint none/s t.zstf"), 1);
	CHECK_SAYS("none/s.bb: No such file or directory");
	CHECK_EQ(phases("-o none/w.txt t.zstf"), 1);
	CHECK_SAYS("none/w.txt: No such file or directory");
	CHECK_EQ(run("cd %s && ls | grep -v -e zstf -e run", test_tmpdir()), 1);
	CHECK_EQ(phases("-o /dev/full t.zstf"), 1);
	CHECK_SAYS("/dev/full: No space left on device");
	CHECK_EQ(run("cd %s && ln -s /dev/full full.bb && ssctr phases --interval 10 --simpoint full t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("ssctr phases: cannot write full.bb: No space left on device");
	CHECK_EQ(phases("nothing.zstf"), 1);
	CHECK_SAYS("nothing.zstf: No such file or directory");
	CHECK_EQ(phases("- <t.zstf >/dev/full"), 1);
	CHECK_SAYS("No space left on device");
}

/* All of them, or none: also if the one that cannot be written is the last one. */
TEST(files_of_simpoint_are_written_together)
{
	make_trace();
	CHECK_EQ(run("cd %s && mkdir s.weights && ssctr phases --simpoint s -o w.txt t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("s.weights: Is a directory");
	CHECK_EQ(run("cd %s && ln -s /dev/full f.labels && ssctr phases --simpoint f -o w.txt t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("cannot write f.labels: No space left on device");
	CHECK_EQ(run("cd %s && echo old >k.bb && ssctr phases --simpoint k -o /dev/full t.zstf", test_tmpdir()), 1);
	CHECK_EQ(run("cd %s && cat k.bb && ls | grep -v -e zstf -e run", test_tmpdir()), 0);
	CHECK_PRINTS("old\nf.labels\nk.bb\ns.weights\n");
}

TEST(a_file_is_not_written_twice)
{
	make_trace();
	CHECK_EQ(run("cd %s && mkdir so && ssctr phases --simpoint so/z -o ./so/../so/z.weights t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("so/z.weights and ./so/../so/z.weights are one file; name another one");
	CHECK_EQ(run("cd %s && touch z.labels && ln -s z.labels z.bb && ssctr phases --simpoint z t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("z.bb and z.labels are one file; name another one");
	CHECK_EQ(run("cd %s && ls so", test_tmpdir()), 0);
	CHECK_PRINTS("");
}

/* --- estimates --- */

/* Value 0.5 in one half of the windows and 1.5 in the other. */
static void make_table(void)
{
	make_trace();
	CHECK_EQ(phases("--interval 1000 --windows 20 -o w.txt t.zstf"), 0);
	CHECK_EQ(run("cd %s && awk '$1 == \"window\" { print $2, 0.5 + n++ %% 2 }' w.txt >v.txt", test_tmpdir()), 0);
}

static double number_after(const char *name)
{
	char *at = strstr(run_out, name);

	CHECK(at);
	return atof(at + strlen(name));
}

TEST(an_estimate)
{
	make_table();
	CHECK_EQ(estimate("w.txt v.txt"), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, "windows          20 of 20 have a value"));
	CHECK(fabs(number_after("\nmean             ") - 1) < 0.3);
	CHECK(number_after("\n95 % interval    ") < 1);
	CHECK(number_after("\nwindows more     ") > 50);
}

TEST(an_interval_is_named_by_its_confidence)
{
	make_table();
	CHECK_EQ(estimate("--confidence 99.99999 w.txt v.txt"), 0);
	CHECK(strstr(run_out, "\n99.99999 % interval    "));
	CHECK_EQ(estimate("--confidence 99.9 w.txt v.txt"), 0);
	CHECK(strstr(run_out, "\n99.9 % interval    "));
}

TEST(counts_are_divided_by_lengths)
{
	double mean;

	make_table();
	CHECK_EQ(estimate("--json w.txt v.txt"), 0);
	mean = number_after("\"mean\":");
	CHECK_EQ(run("cd %s && awk 'NR == FNR { if ($1 == \"window\") n[$2] = $4; next } { print $1 \",\" $2 * n[$1] }' w.txt v.txt >c.csv", test_tmpdir()), 0);
	CHECK_EQ(estimate("--json --counts w.txt c.csv"), 0);
	CHECK(fabs(number_after("\"mean\":") - mean) < 1e-6);
	CHECK(fabs(number_after("\"total\":") - mean * number_after("\"length\":")) < 1);
}

/* The second phase of two-phase sampling: the new windows are those that were asked for. */
TEST(more_windows_for_a_smaller_error)
{
	char want[32];

	make_table();
	CHECK_EQ(estimate("--error 20 -o more.txt w.txt v.txt"), 0);
	snprintf(want, sizeof(want), "%d\n", 20 + (int)number_after("\nwindows more     "));
	CHECK_EQ(run("cd %s && grep -c ^window more.txt", test_tmpdir()), 0);
	CHECK_PRINTS(want);
	CHECK_EQ(run("cd %s && grep ^window w.txt | cut -d ' ' -f 2-4 | sort >a; grep ^window more.txt | cut -d ' ' -f 2-4 | sort >b; comm -23 a b", test_tmpdir()), 0);
	CHECK_PRINTS("");
	/* With the same values all over, there is nothing to do. */
	CHECK_EQ(run("cd %s && awk '$1 == \"window\" { print $2, 0.5 + n++ %% 2 }' more.txt | ssctr estimate --error 40 more.txt -", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nwindows more     0 for +- 40 %\n"));
}

TEST(what_an_estimate_lacks_is_told)
{
	make_table();
	CHECK_EQ(run("cd %s && head -n 18 v.txt | ssctr estimate w.txt -", test_tmpdir()), 0);
	CHECK(strstr(run_err, "2 windows have no value and are left out"));
	CHECK_EQ(run("cd %s && head -n 1 v.txt | ssctr estimate w.txt -", test_tmpdir()), 0);
	CHECK(strstr(run_err, "the error is not known, because only one window has a value"));
	CHECK(strstr(run_out, "with an error that is not known"));
	CHECK_EQ(phases("--interval 1000 --representative -o r.txt t.zstf"), 0);
	CHECK_EQ(run("cd %s && awk '$1 == \"window\" { print $2, 1 }' r.txt | ssctr estimate --json r.txt -", test_tmpdir()), 0);
	CHECK_SAYS("the error is not known, because the windows are representative and not random");
	CHECK(strstr(run_out, "\"mean\":1,\"half\":null,\"low\":null"));
	CHECK_EQ(run("cd %s && ssctr estimate w.txt /dev/null", test_tmpdir()), 1);
	CHECK_SAYS("/dev/null: no window has a value");
}

/* The intervals of all windows but every second one are lost for the estimate. */
TEST(an_error_that_cannot_be_reached)
{
	make_trace();
	CHECK_EQ(phases("--interval 1000 --windows 100000 -o all.txt t.zstf"), 0);
	CHECK_EQ(run("cd %s && awk '$1 == \"window\" && n++ %% 2 { print $2, 1 + n * 7919 %% 13 / 10 }' all.txt >half.txt", test_tmpdir()), 0);
	CHECK_EQ(estimate("--error 1 all.txt half.txt"), 0);
	CHECK(strstr(run_out, "\nwindows more     0 are left for +- 1 %\n"));
	CHECK(strstr(run_err, "+- 1 % cannot be reached, because windows without a value leave too few others"));
	CHECK_EQ(estimate("--error 1 --json all.txt half.txt"), 0);
	CHECK(strstr(run_out, "\"more_windows\":null"));
	CHECK_EQ(estimate("--error 1 -o more.txt all.txt half.txt"), 1);
	CHECK(strstr(run_err, "-o more.txt: not written, because no windows make the error small enough"));
	CHECK_EQ(run("ls %s/more.txt", test_tmpdir()), 2);
	CHECK_EQ(estimate("--error 50 all.txt half.txt"), 0);
	CHECK(strstr(run_out, "\nwindows more     0 for +- 50 %\n"));
}

TEST(estimates_with_mistakes)
{
	make_table();
	CHECK_EQ(estimate("w.txt"), 2);
	CHECK_SAYS("give two files: the windows and the table of values");
	CHECK_EQ(estimate("--error 0 w.txt v.txt"), 2);
	CHECK_SAYS("--error 0: not a number of percent above 0 and below 1000");
	CHECK_EQ(estimate("--confidence 100 w.txt v.txt"), 2);
	CHECK_SAYS("--confidence 100: not a number of percent above 0 and below 99.9999999");
	CHECK_EQ(estimate("--confidence 99.99999999999 w.txt v.txt"), 2);
	CHECK_EQ(estimate("- - <w.txt"), 2);
	CHECK_SAYS("standard input can be only one of the two files");
	CHECK_EQ(estimate("-o - --json w.txt v.txt"), 2);
	CHECK_SAYS("--json cannot be used with -o -");
	CHECK_STR(run_out, "");
	CHECK_EQ(estimate("v.txt w.txt"), 1);
	CHECK_SAYS("v.txt: it is not a file of windows, as `ssctr phases -o` and `ssctr stf` write it");
	CHECK_EQ(estimate("w.txt w.txt"), 1);
	CHECK_SAYS("w.txt: line 2: the first column is not the number of a window");
	CHECK_EQ(estimate("none v.txt"), 1);
	CHECK_SAYS("none: No such file or directory");
	CHECK_EQ(estimate("-o /dev/full w.txt v.txt"), 1);
	CHECK_SAYS("/dev/full: No space left on device");
}

/* --- recordings --- */

enum { SAMPLES = 400, PERIOD = 1000 };

/* It runs the loop through 0x02 to 0x0a, or that through 0x12. */
static const uint64_t near_loop[][3] = {
	{ MAP_AT + 0x02, MAP_AT + 0x0a, PERF_BR_COND << 20 },
	{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
	{ MAP_AT + 0x02, MAP_AT + 0x0a, PERF_BR_COND << 20 },
	{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
	{ MAP_AT + 0x02, MAP_AT + 0x0a, PERF_BR_COND << 20 },
};

/* Samples of two loops in turn, 100 of each. */
static void make_recording(bool freq)
{
	unsigned int i;

	begin();
	rec.events[0].attr.freq = freq;
	rec.events[0].attr.sample_period = PERIOD;
	for (i = 0; i < SAMPLES; i++) {
		bool other = i / 100 % 2;

		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x0a, .time = UINT64_C(1000000000) + i * 1000000,
			.pid = 5, .cpu = i % 5 == 4 ? 2 : 3, .period = PERIOD,
			.nr_branches = other ? 5 : 4,
			.branches = other ? near_loop : loop });
	}
	write_files();
}

TEST(phases_of_a_recording)
{
	make_recording(false);
	CHECK_EQ(phases("--symfs . --interval 20000 --windows 4 --phases 2 -o w.txt --simpoint s perf.data"), 0);
	CHECK(strstr(run_out, "intervals    20 of 20000 "));
	CHECK(strstr(run_out, "\nphases       2\n"));
	CHECK_EQ(run("cd %s && awk '$1 == \"interval\" { printf \"%%s\", $5 }' w.txt", test_tmpdir()), 0);
	CHECK_PRINTS("00000111110000011111");
	CHECK_EQ(run("cd %s && sed -n 's/^interval 1 //p' w.txt", test_tmpdir()), 0);
	CHECK_PRINTS("20000 20000 0 0 20 1020000000 1039000000\n");
	CHECK_EQ(run("cd %s && wc -l <s.bb", test_tmpdir()), 0);
	CHECK_PRINTS("20\n");
}

/* main's two lines in the second loop have 2 instructions each, so each has half. */
TEST(vectors_of_a_recording_are_instructions)
{
	make_recording(false);
	CHECK_EQ(phases("--symfs . --interval 100000 --simpoint s perf.data"), 0);
	CHECK_EQ(run("cd %s && sed -n 2p s.bb | tr ' ' '\\n' | cut -d : -f 3 | sort -u", test_tmpdir()), 0);
	CHECK_PRINTS("\n50000\n");
}

/* Whatever the name of the event is. */
TEST(windows_of_a_recording_are_not_cut)
{
	make_trace();
	make_recording(false);
	CHECK_EQ(phases("--symfs . --interval 100000 --representative -o w.txt perf.data"), 0);
	CHECK_EQ(run("cd %s && sed -i 's/^unit .*/unit instructions/' w.txt && n=$(awk '$1 == \"window\" { print $2; exit }' w.txt) && ssctr cut --window w.txt:$n -o a.stf t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("w.txt: its windows are parts of a recording, and not of a trace");
}

/* As those of a trace do. One sample in five is of CPU 2. */
TEST(starts_count_what_the_options_leave_out)
{
	make_recording(false);
	CHECK_EQ(phases("--symfs . --interval 20000 --time 1.1,1.2 -o w.txt perf.data"), 0);
	CHECK_EQ(run("cd %s && awk '$1 == \"interval\" { print $3, $4 }' w.txt", test_tmpdir()), 0);
	CHECK_PRINTS("100000 20000\n120000 20000\n140000 20000\n160000 20000\n180000 20000\n200000 1000\n");
	CHECK_EQ(phases("--symfs . --interval 20000 -o w.txt perf.data"), 0);
	CHECK_EQ(run("cd %s && sed -n 's/^interval 5 //p' w.txt | cut -d ' ' -f 1", test_tmpdir()), 0);
	CHECK_PRINTS("100000\n");
	CHECK_EQ(phases("--symfs . --interval 20000 --cpu 2 -o w.txt perf.data"), 0);
	CHECK_EQ(run("cd %s && awk '$1 == \"interval\" { print $3, $4 }' w.txt | head -n 2", test_tmpdir()), 0);
	CHECK_PRINTS("4000 20000\n104000 20000\n");
}

TEST(a_recording_without_a_period_needs_a_length)
{
	make_recording(false);
	begin();
	rec.events[0].attr.sample_period = 0;
	add_sample(5, 10, MAP_AT + 0x0a, 4, loop);
	write_files();
	CHECK_EQ(phases("--symfs . perf.data"), 1);
	CHECK_SAYS("perf.data was recorded without a fixed period; say with --interval how long an interval is");
}

TEST(too_few_samples_are_told)
{
	make_recording(false);
	CHECK_EQ(phases("--symfs . --interval 5000 perf.data"), 0);
	CHECK(strstr(run_err, "400 samples in 80 intervals\n"));
	CHECK(strstr(run_err, "79 intervals have fewer than 20 samples, so that their phases are not certain; record with -c 250, or use --interval 20000\n"));
	CHECK_EQ(phases("--symfs . perf.data"), 0);
	CHECK(strstr(run_out, "intervals    4 of 100000 "));
	CHECK(!strstr(run_err, "fewer"));
}

/* As a tracepoint, which is sampled before the program runs. */
TEST(phases_are_of_the_event_with_branch_stacks)
{
	unsigned int other, i;

	begin();
	rec.events[0].attr.sample_period = PERIOD;
	other = pdb_event(&rec, PDB_BRANCH_SAMPLE & ~PERF_SAMPLE_BRANCH_STACK, 0);
	rec.events[other].attr.freq = 1;
	pdb_sample(&rec, other, &(struct pdb_sample){
		.ip = MAP_AT, .time = 5, .pid = 5, .cpu = 3, .period = 1 });
	for (i = 0; i < SAMPLES; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x0a, .time = 10 + i, .pid = 5, .cpu = 3,
			.period = PERIOD, .nr_branches = 4, .branches = loop });
	write_files();
	CHECK_EQ(phases("--symfs . perf.data"), 0);
	CHECK(strstr(run_out, "intervals    4 of 100000 "));
	CHECK(strstr(run_err, " 1 samples of other events left out\n"));
}

TEST(what_a_recording_must_have)
{
	make_recording(true);
	CHECK_EQ(phases("--symfs . perf.data"), 1);
	CHECK_SAYS("was recorded at a rate, without a fixed period; say with --interval how long an interval is");
	CHECK_EQ(phases("--symfs . --user perf.data"), 2);
	CHECK_SAYS("perf.data is a recording; --user is for traces");
	CHECK_EQ(phases("--symfs . --hart 0 perf.data"), 2);
	CHECK_SAYS("perf.data is a recording; --hart is for traces. Use --cpu");
	CHECK_EQ(phases("--symfs . --interval 1000 --pid 6 perf.data"), 1);
	CHECK_SAYS("no branch stack in any sample");
}
