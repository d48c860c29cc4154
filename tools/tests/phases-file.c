// SPDX-License-Identifier: GPL-2.0-only
/* The file of windows and the table of values: what is written is read, damage is answered. */
#include <stdio.h>
#include <stdlib.h>

#include "phases/file.h"
#include "phases/simpoint.h"
#include "test.h"

static struct phases_interval v[] = {
	{ .start = 0, .length = 100, .stratum = 0, .chosen = true },
	{ .start = 100, .length = 101, .stratum = 1 },
	{ .start = 201, .length = 99, .stratum = 1, .chosen = true },
	{ .start = 300, .length = 100, .stratum = 0 },
};

static struct phases_plan plan;
static struct error error;
static char *text;

static void make(void)
{
	size_t size;
	FILE *file;

	plan = (struct phases_plan){
		.source = "a trace.zstf", .unit = "instructions", .filter = "--user",
		.size = 100, .random = true, .seed = 3, .v = v, .nr = 4, .nr_strata = 2,
	};
	plan.strata[0].spread = 0.25;
	phases_plan_add_up(&plan);
	free(text);
	file = open_memstream(&text, &size);
	CHECK(file);
	phases_file_write(&plan, file);
	fclose(file);
}

static const char *const expected =
	"ssctr-windows 1\nsource a trace.zstf\nunit instructions\ncut-options --user\n"
	"size 100\nchoice random\nseed 3\n"
	"# phase NUMBER INTERVALS LENGTH SPREAD\nphase 0 2 200 0.25\nphase 1 2 200 0\n"
	"# window INTERVAL START LENGTH PHASE WEIGHT\n"
	"window 0 0 100 0 0.500000000\nwindow 2 201 99 1 0.500000000\n"
	"# interval NUMBER START LENGTH PHASE CHOSEN\n"
	"interval 0 0 100 0 1\ninterval 1 100 101 1 0\n"
	"interval 2 201 99 1 1\ninterval 3 300 100 0 0\n";

static int read_text(struct phases_plan *got, const char *from, size_t size)
{
	FILE *file = fmemopen((void *)from, size ?: 1, "r");
	int ret;

	CHECK(file);
	if (!size)
		fgetc(file);
	*error.text = 0;
	ret = phases_file_read(got, file, "w", &error);
	fclose(file);
	return ret;
}

TEST(the_form_of_the_file)
{
	make();
	CHECK_STR(text, expected);
}

static void same_intervals(const struct phases_plan *got)
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

TEST(what_is_written_is_read)
{
	struct phases_plan got;

	make();
	CHECK_EQ(read_text(&got, text, strlen(text)), 0);
	CHECK_STR(got.source, plan.source);
	CHECK_STR(got.unit, plan.unit);
	CHECK_STR(got.filter, plan.filter);
	CHECK_EQ(got.size, 100);
	CHECK_EQ(got.seed, 3);
	CHECK(got.random);
	same_intervals(&got);
	CHECK(!memcmp(got.strata, plan.strata, sizeof(plan.strata)));
	CHECK_EQ(got.length, 400);
	CHECK_EQ(got.windows, 2);
	phases_file_free(&got);
}

TEST(recordings_have_samples_and_times)
{
	struct phases_plan got;

	v[2].samples = 7;
	v[2].from = 1500000001;
	v[2].to = 2000000000;
	make();
	CHECK(strstr(text, "window 2 201 99 1 0.500000000 1.500000001 2.000000000\n"));
	CHECK_EQ(read_text(&got, text, strlen(text)), 0);
	same_intervals(&got);
	phases_file_free(&got);
	v[2].samples = v[2].from = v[2].to = 0;
}

/* The phases tell how much there must be. Only the end of the last line may be missing. */
TEST(a_file_that_is_cut_or_changed_is_answered)
{
	struct phases_plan got;
	size_t n, size;
	char *copy;
	int ret;

	make();
	size = strlen(text);
	for (n = 0; n < size; n++) {
		ret = read_text(&got, text, n);
		CHECK(ret ? *error.text : n == size - 1);
		phases_file_free(&got);
	}
	copy = malloc(size);
	for (n = 0; n < 20000; n++) {
		memcpy(copy, text, size);
		copy[test_random() % size] ^= 1 << test_random() % 8;
		ret = read_text(&got, copy, size);
		CHECK(ret ? *error.text : got.nr && got.windows);
		phases_file_free(&got);
	}
	free(copy);
}

static void check_refused(const char *from, const char *to, const char *says)
{
	struct phases_plan got;
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
	phases_file_free(&got);
}

TEST(what_is_no_file_of_windows)
{
	check_refused("ssctr-windows 1", "0 1", "w: it is not a file of windows");
	check_refused("ssctr-windows 1", "ssctr-windows 2", "line 1: this version");
	check_refused("choice random", "choice good", "neither random nor");
	check_refused("interval 1 ", "interval 2 ", "line 16: it is not an interval");
	check_refused("101 1 0", "0 1 0", "it is not an interval");
	check_refused("101 1 0", "102 1 0", "its intervals are not those of its phases");
	check_refused("101 1 0", "101 2 0", "it is not an interval");
	check_refused("phase 1 2 200 0", "phase 1 2 200 inf", "the spread is not a number");
	check_refused("phase 1 2 200 0", "phase 1 2 200 0\nphase 2 1 1 1", "its intervals are not those of its phases");
	check_refused("interval 0 0 100 0 1", "interval 0 0 100 0 0", "no interval is a window");
	check_refused("seed 3", "seed", "it is not a file of windows");
	check_refused("# phase", "phases", "it begins with an unknown word");
}

/* --- the table --- */

static struct phases_value values[4];

static int read_table(const char *table)
{
	FILE *file = fmemopen((void *)table, strlen(table), "r");
	int ret;

	make();
	CHECK(file);
	memset(values, 0, sizeof(values));
	ret = phases_table_read(values, &plan, file, "t", &error);
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

static void check_written(void (*write)(const struct phases_plan *, FILE *), const char *want)
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
	check_written(phases_simpoint_weights, "0.500000000 0\n0.500000000 1\n");
	check_written(phases_simpoint_starts, "0\n100\n201\n300\n");
	/* With two windows of a phase, each window has a number of its own. */
	v[3].chosen = true;
	phases_plan_add_up(&plan);
	check_written(phases_simpoint_points, "0 0\n2 1\n3 2\n");
	check_written(phases_simpoint_weights, "0.250000000 0\n0.500000000 1\n0.250000000 2\n");
	v[3].chosen = false;
}
