// SPDX-License-Identifier: GPL-2.0-only
/* A recording as one opens and filters it. */
#include "cmd-sample.h"
#include "samples/options.h"

static struct samples s;
static struct samples_opts opts;
static struct error error;
static struct pd_event ev;
static char path[128];
static uint64_t event_id;

/* Two processes on two harts, in turns, at times 10, 20, ... 60. */
static void write_recording(void)
{
	unsigned int i;

	begin();
	for (i = 1; i <= 6; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + i, .time = 10 * i, .pid = 5 + i % 2,
			.cpu = i / 4, .nr_branches = 4, .branches = loop });
	event_id = rec.events[0].ids[1];
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
}

static int set(int id, const char *arg)
{
	return samples_option(&opts, id, arg, &error);
}

static void check_next(int line, uint64_t time)
{
	if (samples_next(&s, &ev, &error) != 1 || ev.time != time)
		test_fail(__FILE__, line, "at %lu: %s", (long)ev.time,
			  error.text);
}

#define CHECK_NEXT(_time) check_next(__LINE__, _time)

static void end(uint64_t filtered)
{
	CHECK_EQ(samples_next(&s, &ev, &error), 0);
	CHECK_EQ(s.filtered, filtered);
	samples_close(&s);
	samples_opts_free(&opts);
}

TEST(all_samples_come_unless_told)
{
	unsigned int i;

	write_recording();
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	for (i = 1; i <= 6; i++)
		CHECK_NEXT(10 * i);
	end(0);
}

TEST(each_list_lets_its_own_through)
{
	write_recording();
	CHECK_EQ(set(SAMPLES_OPT_PID, "6"), 0);
	CHECK_EQ(set(SAMPLES_OPT_CPU, "0-0,7"), 0);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "0.000000020,"), 0);
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_NEXT(30);
	CHECK_EQ(ev.pid, 6);
	end(5);
}

TEST(both_ends_of_a_time_span_are_in_it)
{
	write_recording();
	CHECK_EQ(set(SAMPLES_OPT_TIME, "0.00000003,0.000000050"), 0);
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_NEXT(30);
	CHECK_NEXT(40);
	CHECK_NEXT(50);
	end(3);
}

TEST(a_time_span_may_be_one_moment)
{
	write_recording();
	CHECK_EQ(set(SAMPLES_OPT_TIME, "0.00000003,0.00000003"), 0);
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_NEXT(30);
	end(5);
}

TEST(what_is_no_list_or_time_is_named)
{
	write_recording();
	CHECK_EQ(set(SAMPLES_OPT_PID, "4-2"), ERROR_USAGE);
	CHECK_STR(error.text, "--pid 4-2: not a list like 1,4-7");
	CHECK_EQ(set(SAMPLES_OPT_TID, "1,"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_CPU, "-1"), ERROR_USAGE);
	CHECK_STR(error.text, "--cpu -1: not a list like 0,2-3");
	CHECK_EQ(set(SAMPLES_OPT_CPU, "4294967296"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "2,1"), ERROR_USAGE);
	CHECK_STR(error.text, "--time 2,1: not two times like 12.5,13");
	CHECK_EQ(set(SAMPLES_OPT_TIME, "5"), ERROR_USAGE);
	samples_opts_free(&opts);
}

static int find(unsigned int i)
{
	const struct samples_key key = { .ip = MAP_AT + i, .time = 10 * i,
					 .tid = 5 + i % 2, .cpu = i / 4,
					 .id = event_id };

	return samples_find(&s, &key, &ev, &error);
}

/* perf shows what it has written twice twice; its filters leave some out. */
TEST(what_somebody_else_found_is_found)
{
	write_recording();
	CHECK_EQ(set(SAMPLES_OPT_TIME, ",0.000000050"), 0);
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_EQ(find(2), 1);
	CHECK_EQ(ev.time, 20);
	CHECK_EQ(find(2), 0);
	CHECK_EQ(find(2), 0);
	CHECK_EQ(find(3), 1);
	CHECK_EQ(ev.time, 30);
	CHECK_EQ(find(6), 0);
	CHECK_EQ(find(6), 0);
	CHECK_EQ(s.filtered, 4);
	samples_close(&s);
	samples_opts_free(&opts);
}

TEST(what_is_not_in_the_recording_is_an_error)
{
	write_recording();
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_EQ(find(4), 1);
	CHECK_EQ(find(1), ERROR_INPUT);
	CHECK(strstr(error.text, "shows samples that are not in it"));
	samples_close(&s);
}

TEST(the_rest_can_be_skipped)
{
	write_recording();
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_EQ(find(2), 1);
	CHECK_EQ(find(2), 0);
	CHECK_EQ(samples_skip(&s, &error), 0);
	CHECK_EQ(s.filtered, 5);
	CHECK_EQ(pd_stats(s.pd)->samples, 6);
	samples_close(&s);
}

TEST(what_cannot_be_opened_is_named)
{
	write_recording();
	CHECK_EQ(samples_open(&s, "/nothing", &opts, &error), ERROR_INPUT);
	CHECK_STR(error.text, "/nothing: No such file or directory");
	samples_close(&s);
	opts.symfs = "/nowhere";
	CHECK_EQ(samples_open(&s, path, &opts, &error), ERROR_INPUT);
	CHECK_STR(error.text, "/nowhere: No such file or directory");
	samples_close(&s);
}

TEST(a_filter_of_branches_is_known)
{
	begin();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK(!samples_have_all_branches(&s));
	CHECK_EQ(samples_depth(&s), 0);
	samples_close(&s);
}

static void count_call(void *arg)
{
	(*(unsigned int *)arg)++;
}

TEST(progress_is_told_by_the_end_at_the_latest)
{
	unsigned int calls = 0;

	write_recording();
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	s.progress = count_call;
	s.progress_arg = &calls;
	while (samples_next(&s, &ev, &error) > 0)
		;
	CHECK_EQ(calls, 1);
	samples_close(&s);
}

TEST(notes_tell_what_was_left_out)
{
	struct notes notes = { 0 };

	write_recording();
	CHECK_EQ(set(SAMPLES_OPT_PID, "5"), 0);
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_EQ(samples_skip(&s, &error), 0);
	samples_note(&s, &notes);
	CHECK_EQ(notes.nr, 1);
	CHECK_EQ(notes.v[0].number, 6);
	CHECK_STR(notes.v[0].text, "samples left out by the options");
	notes_free(&notes);
	samples_close(&s);
	samples_opts_free(&opts);
}

/* Six samples, each after 100 of the event, which happened 640 times in all. */
static void write_counted(uint32_t tid, uint64_t time)
{
	unsigned int i;

	begin();
	for (i = 1; i <= 6; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + i, .time = 10 * i, .pid = 5,
			.period = 100, .nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, tid, 640, time);
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
}

static double coverage(void)
{
	double share;

	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	while (samples_next(&s, &ev, &error) > 0)
		;
	share = samples_coverage(&s, 0);
	CHECK(share == samples_least_coverage(&s));
	samples_close(&s);
	samples_opts_free(&opts);
	return share;
}

TEST(coverage_is_what_lies_between_the_samples)
{
	write_counted(UINT32_MAX, 0);
	CHECK(coverage() == 600 / 640.0);
}

TEST(coverage_is_not_known_without_a_count_of_all)
{
	write_recording();
	CHECK(coverage() < 0);
	write_counted(5, 70);
	CHECK(coverage() < 0);
}

TEST(coverage_is_not_known_of_what_was_chosen)
{
	write_counted(UINT32_MAX, 0);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "0.00000002,"), 0);
	CHECK(coverage() < 0);
}

TEST(coverage_is_never_more_than_all)
{
	write_counted(UINT32_MAX, 0);
	begin();
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 1,
						  .pid = 5, .period = 100 });
	pdb_count(&rec, 0, UINT32_MAX, 99, 0);
	write_files();
	CHECK(coverage() == 1);
}
