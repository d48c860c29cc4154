// SPDX-License-Identifier: GPL-2.0-only
/* The file of windows and the table of values: what is written is read, damage is answered. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "windows/file.h"
#include "phases/simpoint.h"
#include "test.h"

static struct windows_interval v[] = {
	{ .start = 0, .length = 100, .stratum = 0, .chosen = true },
	{ .start = 100, .length = 101, .stratum = 1 },
	{ .start = 201, .length = 99, .stratum = 1, .chosen = true },
	{ .start = 300, .length = 100, .stratum = 0 },
};

static struct windows_plan plan;
static struct error error;
static char *text;

static void write_again(void)
{
	size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	CHECK(file);
	windows_file_write(&plan, file);
	fclose(file);
}

static void make(void)
{
	plan = (struct windows_plan){
		.source = "a trace.zstf", .unit = "instructions", .filter = "--user",
		.size = 100, .warmup = 150, .choice = WINDOWS_CHOICE_RANDOM, .seed = 3, .repeated = -1, .v = v, .nr = 4, .nr_strata = 2,
	};
	plan.strata[0].spread = 0.25;
	windows_add_up(&plan);
	write_again();
}

static const char *const expected =
	"ssctr-windows 1\nsource a trace.zstf\nunit instructions\ncut-options --user\n"
	"size 100\nchoice random\nseed 3\nwarmup 150\n"
	"# phase NUMBER INTERVALS LENGTH SPREAD\nphase 0 2 200 0.25\nphase 1 2 200 0\n"
	"# window NUMBER START LENGTH PHASE WEIGHT WARMUP\n"
	"window 0 0 100 0 0.5 0\nwindow 2 201 99 1 0.5 150\n"
	"# interval NUMBER START LENGTH PHASE CHOSEN\n"
	"interval 0 0 100 0 1\ninterval 1 100 101 1 0\n"
	"interval 2 201 99 1 1\ninterval 3 300 100 0 0\n";

static int read_text(struct windows_plan *got, const char *from, size_t size)
{
	FILE *file = fmemopen((void *)from, size ?: 1, "r");
	int ret;

	CHECK(file);
	if (!size)
		fgetc(file);
	*error.text = 0;
	ret = windows_file_read(got, file, "w", &error);
	fclose(file);
	return ret;
}

TEST(the_form_of_the_file)
{
	make();
	CHECK_STR(text, expected);
}

static void same_intervals(const struct windows_plan *got)
{
	size_t i;

	CHECK_EQ(got->nr, 4);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(got->v[i].start, v[i].start);
		CHECK_EQ(got->v[i].length, v[i].length);
		CHECK_EQ(got->v[i].stratum, v[i].stratum);
		CHECK_EQ(got->v[i].chosen, v[i].chosen);
		CHECK_EQ(got->v[i].samples, v[i].samples);
		CHECK_EQ(got->v[i].from, v[i].from);
		CHECK_EQ(got->v[i].to, v[i].to);
	}
}

/* The last interval of a run may be one instruction. */
TEST(a_small_weight_is_not_0)
{
	v[2].length = 1;
	v[3].length = UINT64_C(3000000000);
	v[3].stratum = 1;
	v[3].chosen = true;
	make();
	CHECK(strstr(text, "\nwindow 2 201 1 1 3.3333"));
	v[2].length = 99;
	v[3] = (struct windows_interval){ .start = 300, .length = 100 };
}

TEST(what_is_written_is_read)
{
	struct windows_plan got;

	make();
	CHECK_EQ(read_text(&got, text, strlen(text)), 0);
	CHECK_STR(got.source, plan.source);
	CHECK_STR(got.unit, plan.unit);
	CHECK_STR(got.filter, plan.filter);
	CHECK_EQ(got.size, 100);
	CHECK_EQ(got.seed, 3);
	CHECK_EQ(got.warmup, 150);
	CHECK_EQ(got.choice, WINDOWS_CHOICE_RANDOM);
	CHECK_EQ(got.repeated, -1);
	same_intervals(&got);
	CHECK(!memcmp(got.strata, plan.strata, sizeof(plan.strata)));
	CHECK_EQ(got.length, 400);
	CHECK_EQ(got.windows, 2);
	windows_file_free(&got);
}

/* Without the line, it is not known whether any instructions are repeated. */
TEST(that_nothing_is_repeated_is_known)
{
	static const int64_t numbers[] = { 0, 17, INT64_MAX };
	struct windows_plan got;
	unsigned int i;
	char line[64];

	for (i = 0; i < 3; i++) {
		make();
		plan.repeated = numbers[i];
		write_again();
		snprintf(line, sizeof(line), "\nwarmup 150\nrepeated %" PRId64 "\n", numbers[i]);
		CHECK(strstr(text, line));
		CHECK_EQ(read_text(&got, text, strlen(text)), 0);
		CHECK_EQ(got.repeated, numbers[i]);
		windows_file_free(&got);
	}
	memcpy(strstr(text, "9223372036854775807"), "9223372036854775808", 19);
	CHECK_EQ(read_text(&got, text, strlen(text)), ERROR_INPUT);
	CHECK_STR(error.text, "w: line 9: it has no number");
	windows_file_free(&got);
}

TEST(recordings_have_samples_and_times)
{
	struct windows_plan got;

	v[2].samples = 7;
	v[2].from = 1500000001;
	v[2].to = 2000000000;
	make();
	CHECK(strstr(text, "window 2 201 99 1 0.5 150 1.500000001 2.000000000\n"));
	CHECK_EQ(read_text(&got, text, strlen(text)), 0);
	same_intervals(&got);
	windows_file_free(&got);
	v[2].samples = v[2].from = v[2].to = 0;
}

/* The phases tell how much there must be. Only the end of the last line may be missing. */
TEST(a_file_that_is_cut_or_changed_is_answered)
{
	struct windows_plan got;
	size_t n, size;
	char *copy;
	int ret;

	make();
	size = strlen(text);
	for (n = 0; n < size; n++) {
		ret = read_text(&got, text, n);
		CHECK(ret ? *error.text : n == size - 1);
		windows_file_free(&got);
	}
	copy = malloc(size);
	for (n = 0; n < 20000; n++) {
		memcpy(copy, text, size);
		copy[test_random() % size] ^= 1 << test_random() % 8;
		ret = read_text(&got, copy, size);
		CHECK(ret ? *error.text : got.nr && got.windows);
		windows_file_free(&got);
	}
	free(copy);
}

static void check_refused(const char *from, const char *to, const char *says)
{
	struct windows_plan got;
	char changed[2000], *at;

	make();
	if (strstr(says, "is a window"))
		memcpy(strstr(text, "99 1 1"), "99 1 0", 6);
	strcpy(changed, text);
	at = strstr(changed, from);
	CHECK(at);
	memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
	memcpy(at, to, strlen(to));
	CHECK_EQ(read_text(&got, changed, strlen(changed)), ERROR_INPUT);
	if (!strstr(error.text, says))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	windows_file_free(&got);
}

TEST(what_is_no_file_of_windows)
{
	check_refused("ssctr-windows 1", "0 1", "w: it is not a file of windows");
	check_refused("ssctr-windows 1", "ssctr-windows 2", "line 1: this version");
	check_refused("choice random", "choice good", "not random, representative or systematic");
	check_refused("interval 1 ", "interval 2 ", "line 17: it is not an interval");
	check_refused("101 1 0", "0 1 0", "it is not an interval");
	check_refused("101 1 0", "102 1 0", "its intervals are not those of its phases");
	check_refused("101 1 0", "101 2 0", "it is not an interval");
	check_refused("phase 1 2 200 0", "phase 1 2 200 inf", "the spread is not a number");
	check_refused("phase 1 2 200 0", "phase 1 2 200 0\nphase 2 1 1 1", "its intervals are not those of its phases");
	check_refused("interval 0 0 100 0 1", "interval 0 0 100 0 0", "no interval is a window");
	check_refused("seed 3", "seed", "line 7: it has no number");
	check_refused("# phase", "phases", "it begins with an unknown word");
}

/* --- recorded windows --- */

static struct windows_interval windows[] = {
	{ .start = 0, .length = 100, .chosen = true },
	{ .start = 100, .length = 101, .chosen = true },
	{ .start = 201, .length = 99, .chosen = true },
};

static struct windows_recorded records[] = {
	{ .weight = 1500, .place = 20, .source = 0, .pid = 7, .tid = 8, .cpu = 2 },
	{ .weight = 2000, .place = 900, .source = 1, .pid = 7, .tid = 9, .cpu = UINT32_MAX },
	{ .weight = 500, .place = 1800, .source = 0, .pid = 7, .tid = 8, .cpu = 3 },
};

static void make_recorded(void)
{
	plan = (struct windows_plan){
		.source = "w.zstf", .unit = "instructions", .filter = "", .size = 100,
		.choice = WINDOWS_CHOICE_SYSTEMATIC, .seed = UINT64_MAX, .v = windows, .nr = 3,
		.recorded = records, .nr_strata = 1, .every = 1000, .left_out = 3, .repeated = -1,
	};
	windows_add_up(&plan);
	write_again();
}

TEST(the_form_of_recorded_windows)
{
	make_recorded();
	CHECK_STR(text, "ssctr-windows 1\nsource w.zstf\nunit instructions\ncut-options\n"
			"size 100\nchoice systematic\nseed 18446744073709551615\nwarmup 0\n"
			"every 1000\nleft-out 3\n"
			"# phase NUMBER INTERVALS LENGTH SPREAD\nphase 0 3 4000 0\n"
			"# window NUMBER START LENGTH PHASE WEIGHT WARMUP\n"
			"window 0 0 100 0 0.375 0\nwindow 1 100 101 0 0.5 0\n"
			"window 2 201 99 0 0.125 0\n"
			"# recorded NUMBER START LENGTH INSTRUCTIONS PLACE SOURCE PID TID CPU\n"
			"recorded 0 0 100 1500 20 0 7 8 2\n"
			"recorded 1 100 101 2000 900 1 7 9 -1\n"
			"recorded 2 201 99 500 1800 0 7 8 3\n");
}

TEST(recorded_windows_are_read)
{
	struct windows_plan got;
	size_t i;

	make_recorded();
	CHECK_EQ(read_text(&got, text, strlen(text)), 0);
	CHECK_EQ(got.choice, WINDOWS_CHOICE_SYSTEMATIC);
	CHECK_EQ(got.seed, UINT64_MAX);
	CHECK_EQ(got.every, 1000);
	CHECK_EQ(got.left_out, 3);
	CHECK_EQ(got.nr, 3);
	CHECK_EQ(got.windows, 3);
	CHECK_EQ(got.length, 4000);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(got.v[i].start, windows[i].start);
		CHECK_EQ(got.v[i].length, windows[i].length);
		CHECK(got.v[i].chosen);
		CHECK(!memcmp(&got.recorded[i], &records[i], sizeof(records[i])));
	}
	windows_file_free(&got);
}

TEST(damaged_recorded_windows_are_answered)
{
	struct windows_plan got;
	size_t n, size;
	char *copy;
	int ret;

	make_recorded();
	size = strlen(text);
	for (n = 0; n < size; n++) {
		ret = read_text(&got, text, n);
		CHECK(ret ? *error.text : n == size - 1);
		windows_file_free(&got);
	}
	copy = malloc(size);
	for (n = 0; n < 20000; n++) {
		memcpy(copy, text, size);
		copy[test_random() % size] ^= 1 << test_random() % 8;
		ret = read_text(&got, copy, size);
		CHECK(ret ? *error.text : got.nr && got.windows && got.length);
		windows_file_free(&got);
	}
	free(copy);
}

/* The first threads or CPUs have the first windows. All must stand for something. */
TEST(what_is_no_file_of_recorded_windows)
{
	static const struct {
		const char *head, *windows, *says;
	} wrong[] = {
		{ "phase 0 1 9 0", "recorded 0 0 5 9 0 1 1 1 1", "not a recorded window" },
		{ "phase 0 1 9 0", "recorded 1 0 5 9 0 0 1 1 1", "not a recorded window" },
		{ "phase 0 1 9 0", "recorded 0 0 0 9 0 0 1 1 1", "not a recorded window" },
		{ "phase 0 1 9 0", "recorded 0 0 5 9 0 0 1 1", "not a recorded window" },
		{ "phase 0 1 9 0", "recorded 0 0 5 9 0 0 1 1 -2", "not a recorded window" },
		{ "# no phase", "recorded 0 0 5 9 0 0 1 1 1", "not a recorded window" },
		{ "phase 0 1 0 0", "recorded 0 0 5 0 0 0 1 1 1", "it is damaged or cut off" },
		{ "phase 0 2 9 0", "recorded 0 0 5 9 0 0 1 1 1", "it is damaged or cut off" },
		{ "phase 0 1 5 0", "interval 0 0 5 0 1", "it is damaged or cut off" },
		{ "phase 0 2 14 0", "interval 0 0 5 0 1\nrecorded 1 0 5 9 0 0 1 1 1",
		  "not a recorded window" },
		{ "phase 0 2 14 0", "recorded 0 0 5 9 0 0 1 1 1\ninterval 1 0 5 0 1",
		  "not an interval" },
		{ "every x", "", "it has no number" },
	};
	struct windows_plan got;
	char file[400];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		sprintf(file, "ssctr-windows 1\nsource\nunit instructions\ncut-options\nsize 5\n"
			      "choice systematic\nseed 1\nwarmup 0\n%s\n%s\n",
			wrong[i].head, wrong[i].windows);
		CHECK_EQ(read_text(&got, file, strlen(file)), ERROR_INPUT);
		if (!strstr(error.text, wrong[i].says))
			test_fail(__FILE__, __LINE__, "%zu: %s", i, error.text);
		windows_file_free(&got);
	}
}

/* --- the table --- */

static struct windows_value values[4];

static int read_table(const char *table)
{
	FILE *file = fmemopen((void *)table, strlen(table), "r");
	int ret;

	make();
	CHECK(file);
	memset(values, 0, sizeof(values));
	ret = windows_table_read(values, &plan, file, "t", &error);
	fclose(file);
	return ret;
}

TEST(tables_of_values)
{
	static const char *const tables[] = {
		"0 1.5\n2 -3e2\n", "window,value\n0,1.5\n2,-3e2\n", "# mine\n\n2\t-3e2 # good\n0;1.5",
		"0, 1.5,\r\n 2 , -3e2\r\n",
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		CHECK_EQ(read_table(tables[i]), 0);
		CHECK(values[0].known && values[0].mean == 1.5);
		CHECK(values[2].known && values[2].mean == -300);
		CHECK(!values[1].known && !values[3].known);
	}
}

/* Spreadsheets begin a file with the byte-order mark of UTF-8. */
TEST(a_table_can_begin_with_a_byte_order_mark)
{
	static const char *const tables[] = {
		"\xef\xbb\xbf" "0,1.5\n2,-3e2\n", "\xef\xbb\xbfwindow,value\n0,1.5\n2,-3e2\n",
		"\xef\xbb\xbf# mine\n0 1.5\n2 -300\n",
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		CHECK_EQ(read_table(tables[i]), 0);
		CHECK(values[0].known && values[0].mean == 1.5);
		CHECK(values[2].known && values[2].mean == -300);
	}
	CHECK_EQ(read_table("0 1.5\n\xef\xbb\xbf" "2 1\n"), ERROR_INPUT);
}

TEST(tables_with_mistakes)
{
	static const struct {
		const char *table, *says;
	} wrong[] = {
		{ "0 1\n1 1\n", "t: line 2: the first column is not the number of a window" },
		{ "0 1\n4 1\n", "line 2: the first column is not the number" },
		{ "0 1\nx 1\n", "line 2: the first column is not the number" },
		{ "0 1\n0 2\n", "line 2: this window has a value already" },
		{ "0\n", "the second column is not a number" },
		{ "0 nan\n", "the second column is not a number" },
		{ "0 1 2\n", "the second column is not a number, or not the last column" },
		{ "0 1x\n", "the second column is not a number" },
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_EQ(read_table(wrong[i].table), ERROR_INPUT);
		if (!strstr(error.text, wrong[i].says))
			test_fail(__FILE__, __LINE__, "%s", error.text);
	}
}

/* --- SimPoint's formats --- */

static void check_written(void (*write)(const struct windows_plan *, FILE *), const char *want)
{
	char *got;
	size_t size;
	FILE *file = open_memstream(&got, &size);

	CHECK(file);
	write(&plan, file);
	fclose(file);
	CHECK_STR(got, want);
	free(got);
}

TEST(formats_of_simpoint)
{
	make();
	check_written(phases_simpoint_points, "0 0\n2 1\n");
	check_written(phases_simpoint_weights, "0.5 0\n0.5 1\n");
	check_written(phases_simpoint_starts, "0\n100\n201\n300\n");
	/* With two windows of a phase, each window has a number of its own. */
	v[3].chosen = true;
	windows_add_up(&plan);
	check_written(phases_simpoint_points, "0 0\n2 1\n3 2\n");
	check_written(phases_simpoint_weights, "0.25 0\n0.5 1\n0.25 2\n");
	v[3].chosen = false;
}
