// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile from counts files: the same bytes as from the recordings. */
#include "countfile/merge.h"
#include "counts-build.h"
#include "dwarf-build.h"

#include <unistd.h>

#define AT(_offset) (ELFB_ADDR + ELFB_CODE + (_offset))
#define FORMATS "llvm,llvm-ext,gcov,bolt,profgen"

static struct dwb debug;

/* The small program with lines, so that it has profiles of all formats. */
static void begin_lines(void)
{
	begin();
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(0), 0x1c);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_function(&debug, "load", "load", 30, AT(0x12), 0x0a);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 0);
	dwb_row(&debug, AT(0x0a), 13, 0);
	dwb_row(&debug, AT(0x10), 15, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_finish(&debug, AT(0x1c));
	dwb_sections(&debug, &elf);
}

static void write_random(const char *name, unsigned int nr)
{
	begin_lines();
	write_walk(name, nr);
	dwb_free(&debug);
}

enum { NR = 5, ROUNDS = 12 };

/* Recordings r0 to r4, of which some are small, with their counts files. */
static void write_all(void)
{
	char name[8], counts[16];
	unsigned int i;

	for (i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "r%u", i);
		snprintf(counts, sizeof(counts), "r%u.counts", i);
		write_random(name, i ? 1 + test_random() % 60 : 400);
		write_counts(name, counts);
	}
}

/* "-i A --merge B ..." of all in a random order; counts: so often of a hundred a counts file. */
static const char *all_inputs(char *text, size_t size, unsigned int counts)
{
	unsigned int order[NR], i, k, len = 0;

	for (i = 0; i < NR; i++) {
		k = test_random() % (i + 1);
		order[i] = order[k];
		order[k] = i;
	}
	for (i = 0; i < NR; i++)
		len += snprintf(text + len, size - len, " %s r%u%s", i ? "--merge" : "-i",
				order[i], test_random() % 100 < counts ? ".counts" : "");
	return text;
}

static void check_profile(const char *options, const char *inputs, const char *out)
{
	if (run("cd %s && ssctr profile --symfs . --allow-partial -f " FORMATS " %s %s -o %s",
		test_tmpdir(), options, inputs, out))
		test_fail(__FILE__, __LINE__, "%s: %s", inputs, run_err);
}

static void check_orders(const char *options, unsigned int counts)
{
	char inputs[512];
	unsigned int i;

	check_profile(options, "-i r0 --merge r1 --merge r2 --merge r3 --merge r4", "one");
	for (i = 0; i < ROUNDS; i++) {
		check_profile(options, all_inputs(inputs, sizeof(inputs), counts), "two");
		if (run("cd %s && for f in one.*; do cmp $f two.${f#one.} || exit; done && ls one.* | wc -l",
			test_tmpdir()))
			test_fail(__FILE__, __LINE__, "%s: %s", inputs, run_out);
		CHECK_STR(run_out, "5\n");
	}
}

TEST(recordings_have_one_profile_in_every_order)
{
	write_all();
	check_orders("-b x", 0);
}

TEST(counts_files_have_the_profile_of_their_recordings)
{
	write_all();
	check_orders("-b x", 100);
}

TEST(code_that_is_not_mapped_has_no_other_weights_in_counts_files)
{
	walk_unmapped = true;
	write_all();
	check_orders("-b x", 100);
	check_orders("-b lib", 50);
	walk_unmapped = false;
}

TEST(counts_files_and_recordings_can_be_mixed)
{
	write_all();
	check_orders("-b lib", 50);
}

TEST(counts_files_have_raw_counts_too)
{
	write_all();
	check_orders("-b x --raw", 70);
}

TEST(all_binaries_of_counts_files_have_their_profiles)
{
	char inputs[512];

	write_all();
	check_profile("--all", "-i r0 --merge r1 --merge r2 --merge r3 --merge r4", "one");
	check_profile("--all", all_inputs(inputs, sizeof(inputs), 100), "two");
	/* Memory without a file is no binary there. */
	CHECK_EQ(run("cd %s && sed -i 's/one/two/; /^..anon/d' one/summary && "
		     "grep -c '^recording r[0-4]: .* coverage ' one/summary && "
		     "grep -c '^recording r[0-4].counts: .* coverage ' two/summary && "
		     "sed -i '/^recording /d' one/summary two/summary && "
		     "diff -r one two && ls one | wc -l", test_tmpdir()), 0);
	CHECK_STR(run_out, "5\n5\n11\n");
}

/* --- merged files --- */

enum { TREES = 100 };

/* Merge files of the test's folder into one, which takes the place of the first. */
static void merge(char (*names)[24], unsigned int nr)
{
	struct cf_input inputs[NR];
	struct cf_merge_opts opts = { .inputs = inputs, .nr = nr, .memory = CF_MERGE_MEMORY_MIN,
				      .threads = 1, .strict = true };
	struct cf_merge_result result;
	static unsigned int number;
	struct error error;
	char paths[NR][256], out[256];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", test_tmpdir(), names[i]);
		inputs[i] = (struct cf_input){ paths[i], names[i], 1, false };
	}
	snprintf(names[0], sizeof(names[0]), "merged.%u", number++);
	snprintf(out, sizeof(out), "%s/%s", test_tmpdir(), names[0]);
	if (cf_merge(out, &opts, &result, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

/* Merge all, some at a time, in a random order. name gets the name of the last file. */
static void merge_all(char *name)
{
	unsigned int i, k, n, nr = NR;
	char names[NR][24], other[24];

	for (i = 0; i < NR; i++)
		snprintf(names[i], sizeof(names[i]), "r%u.counts", i);
	while (nr > 1) {
		for (i = 0; i < nr; i++) {
			k = test_random() % (i + 1);
			memcpy(other, names[i], sizeof(other));
			memcpy(names[i], names[k], sizeof(other));
			memcpy(names[k], other, sizeof(other));
		}
		n = 2 + test_random() % (nr - 1);
		merge(names + nr - n, n);
		nr -= n - 1;
	}
	memcpy(name, names[0], sizeof(names[0]));
}

TEST(every_tree_of_merges_has_the_profile_of_one_pass)
{
	char name[24], first[24], inputs[64];
	unsigned int i;

	write_all();
	merge_all(first);
	for (i = 1; i < TREES; i++) {
		merge_all(name);
		CHECK_EQ(run("cd %s && cmp %s %s", test_tmpdir(), first, name), 0);
	}
	snprintf(inputs, sizeof(inputs), "-i %s", first);
	for (i = 0; i < 2; i++) {
		check_profile(i ? "-b x --raw" : "-b x",
			      "-i r0 --merge r1 --merge r2 --merge r3 --merge r4", "one");
		check_profile(i ? "-b x --raw" : "-b x", inputs, "two");
		CHECK_EQ(run("cd %s && for f in one.*; do cmp $f two.${f#one.} || exit; done",
			     test_tmpdir()), 0);
	}
}

/* --- large counts --- */

/* The counts of a recording of so many samples, multiplied until they almost need 64 bits. */
static void write_large(const char *recording, const char *out, unsigned int nr)
{
	write_random(recording, nr);
	write_counts(recording, "c");
	CHECK_EQ(run("cd %s && ssctr merge --weighted-input 1000000,c -o d && "
		     "weight=$(ssctr info d --json | grep -o '\"weight\":[0-9]*' | head -n 1) && "
		     "ssctr merge --weighted-input $((9000000000000000000 / ${weight#*:} * 2)),d -o %s",
		     test_tmpdir(), out), 0);
}

TEST(totals_that_need_more_than_64_bits_are_the_largest_number)
{
	write_large("r", "large", 100);
	CHECK_EQ(run("cd %s && ssctr profile -i large -b x -f llvm -o - 2>&- | "
		     "sed -n 's/^main:\\([0-9]*\\):.*/\\1/p'", test_tmpdir()), 0);
	CHECK_STR(run_out, "18446744073709551615\n");
}

/* LLVM cuts weights of branches to 32 bits. What does not need so many is as it was counted. */
TEST(counts_for_clang_fit_into_weights_of_branches_and_relate_as_before)
{
	write_large("r", "large", 100);
	CHECK_EQ(run("cd %s && for f in large c; do ssctr profile -i $f -b x -f llvm -o $f.llvm && "
		     "awk -F: '/^[^ ]/ { f = $1; next } { print f $1 + 0, $2 + 0 }' $f.llvm | "
		     "sort >$f.lines || exit; done && "
		     "paste large.lines c.lines | awk '{ big[NR] = $2; small[NR] = $4; bad += $1 != $3;"
		     " if ($2 > most) { most = $2; its = $4 } }"
		     " END { for (i = 1; i <= NR; i++) { d = big[i] / most - small[i] / its;"
		     " bad += d > 1e-6 || d < -1e-6 }"
		     " print (NR > 3), bad + 0, (most < 2 ^ 31), (most > 2 ^ 29) }'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "1 0 1 1\n");
	CHECK_EQ(run("cd %s && ssctr profile --raw -i large -b x -f llvm -o - | "
		     "awk '$2 > 2 ^ 32 { n++ } END { print (n > 0) }'", test_tmpdir()), 0);
	CHECK_STR(run_out, "1\n");
}

TEST(counts_that_do_not_fit_into_64_bits_together_are_refused)
{
	write_large("r", "large", 100);
	write_large("s", "other", 101);
	CHECK_EQ(run("cd %s && ssctr profile -i large --merge other -b x -f llvm -o out", test_tmpdir()), 1);
	CHECK(strstr(run_err, "other: its counts and those before it do not fit into 64 bits; give them smaller weights\n"));
}

/* --- what is told --- */

TEST(the_notes_say_what_was_counted)
{
	begin_lines();
	rec.events[0].attr.read_format = PERF_FORMAT_ID;
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 3, .pid = 5,
		.period = 70, .nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, 100, 0);
	write_files();
	dwb_free(&debug);
	write_counts("perf.data", "c");
	CHECK_EQ(run("cd %s && ssctr profile --raw -i c -b x -f profgen -o -", test_tmpdir()), 0);
	CHECK_STR(run_out, "3\n1000-1006:1\n100a-100e:1\n1012-1016:1\n"
			   "3\n1006->1012:1\n100e->1000:2\n1016->100a:1\n");
	CHECK(strstr(run_err, "           1 samples, which are few: code that takes 100 % of the time may be missing"));
	CHECK(strstr(run_err, "\n           4 transfers, of which\n"));
	CHECK(strstr(run_err, "           1 recording or period was counted, of 1 source\n"));
	CHECK(strstr(run_err, "           1 samples of an event without a name, which cover 70.0 % of its count of 100; the rest is missing, and a counts file does not tell why; "));
}

TEST(options_that_choose_samples_are_refused_in_a_line)
{
	static const char *const options[] = { "--time 1,2", "--time 10%-20%", "--pid 1", "--tid 1",
					       "--cpu 0", "--comm a", "--dso x", "--symbol main" };
	size_t i, len;

	write_random("r", 3);
	write_counts("r", "c");
	for (i = 0; i < sizeof(options) / sizeof(*options); i++) {
		CHECK_EQ(run("cd %s && ssctr profile -i c -b x %s -o out", test_tmpdir(),
			     options[i]), 1);
		len = strcspn(options[i], " ");
		CHECK(strstr(run_err, "c: a counts file has no samples from which "));
		CHECK(!strncmp(strstr(run_err, "which ") + 6, options[i], len));
		CHECK(strchr(run_err, '\n') == run_err + strlen(run_err) - 1);
	}
}

TEST(a_counts_file_of_some_kinds_of_branches_is_refused)
{
	begin_lines();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	dwb_free(&debug);
	write_counts("perf.data", "c");
	CHECK_EQ(run("cd %s && ssctr profile -i c -b x -o out", test_tmpdir()), 1);
	CHECK(strstr(run_err, "c: some kinds of branches were not recorded"));
}

TEST(a_counts_file_without_the_program_is_told)
{
	write_random("r", 30);
	write_counts("r", "c");
	begin_lines();
	rec.data.n = 0;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/other", 1);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	dwb_free(&debug);
	write_counts("perf.data", "d");
	CHECK_EQ(run("cd %s && ssctr profile --allow-partial -i c --merge d -b x -o out", test_tmpdir()), 0);
	CHECK(strstr(run_err, " 1 recordings without a transfer in x: d\n"));
}

TEST(a_damaged_counts_file_is_refused_and_leaves_nothing)
{
	char path[256];
	long size, at;
	FILE *f;

	write_random("r", 20);
	write_counts("r", "c");
	snprintf(path, sizeof(path), "%s/c", test_tmpdir());
	f = fopen(path, "r");
	CHECK(f && !fseek(f, 0, SEEK_END));
	size = ftell(f);
	fclose(f);
	for (at = 0; at < size; at += 1 + size / 20) {
		CHECK_EQ(run("cd %s && head -c %ld c >cut; ssctr profile -i r --merge cut -b x -o out",
			     test_tmpdir(), at), 1);
		CHECK_EQ(run("ls %s/out", test_tmpdir()), 2);
	}
}

TEST(other_commands_say_what_reads_counts_files)
{
	write_random("r", 3);
	write_counts("r", "c");
	CHECK_EQ(run("cd %s && ssctr stf -i c -o t.stf", test_tmpdir()), 1);
	CHECK(strstr(run_err, "it is a counts file, which `ssctr profile`, `report`, `annotate`, `diff`, `merge` and `export` read\n"));
}
