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
static void write_recording_with(bool times)
{
	unsigned int i;

	begin();
	if (times) {
		struct pdb_buf *feature = pdb_feature(&rec, 21);

		pdb_u64(feature, 10);
		pdb_u64(feature, 60);
	}
	for (i = 1; i <= 6; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + i, .time = 10 * i, .pid = 5 + i % 2,
			.cpu = i / 4, .nr_branches = 4, .branches = loop });
	event_id = rec.events[0].ids[1];
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
}

static void write_recording(void)
{
	write_recording_with(false);
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

/* The first sample was taken at 10 ns, and the last one at 60 ns. */
TEST(a_time_span_may_be_a_part_of_the_recording)
{
	write_recording_with(true);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "20%-60.0%"), 0);
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_NEXT(20);
	CHECK_NEXT(30);
	CHECK_NEXT(40);
	end(3);
}

TEST(a_recording_that_tells_no_times_has_no_parts)
{
	write_recording();
	CHECK_EQ(set(SAMPLES_OPT_TIME, "20%-60%"), 0);
	CHECK_EQ(samples_open(&s, path, &opts, &error), ERROR_INPUT);
	CHECK(strstr(error.text, ": the recording does not tell when it began and ended"));
	samples_close(&s);
	samples_opts_free(&opts);
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
	CHECK_STR(error.text, "--time 2,1: not two times like 12.5,13 or 10%-20%");
	CHECK_EQ(set(SAMPLES_OPT_TIME, "5"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "10%"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "20%-10%"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "20%-101%"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "%-10%"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_TIME, "10%-20"), ERROR_USAGE);
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

static int find_at(uint64_t time, uint64_t ip)
{
	const struct samples_key key = { .time = time, .ip = MAP_AT + ip, .tid = 5,
					 .cpu = 3, .id = event_id };

	return samples_find(&s, &key, &ev, &error);
}

/* As in a folder, of whose files perf has read another one first. */
TEST(samples_of_one_time_are_found_in_any_order)
{
	unsigned int i;

	begin();
	for (i = 0; i < 8; i++)
		add_sample(5, i < 5 ? 10 : 20, MAP_AT + i, 4, loop);
	event_id = rec.events[0].ids[1];
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	CHECK_EQ(find_at(10, 3), 1);
	CHECK_EQ(ev.sample.ip, MAP_AT + 3);
	CHECK_EQ(find_at(10, 1), 1);
	CHECK_EQ(ev.sample.ip, MAP_AT + 1);
	CHECK_EQ(pd_branch_at(&ev.sample, 3).to, MAP_AT);
	CHECK_EQ(find_at(10, 3), 0);
	CHECK_EQ(find_at(10, 4), 1);
	CHECK_EQ(find_at(10, 0), 1);
	CHECK_EQ(find_at(20, 6), 1);
	CHECK_EQ(find_at(20, 5), 1);
	CHECK_EQ(find_at(10, 2), ERROR_INPUT);
	/* The third of the first five, and the last. */
	CHECK_EQ(s.passed_by, 2);
	samples_close(&s);
}

/* nr samples at addresses from MAP_AT on; each `alike` of them have one time. */
static void open_many(unsigned int nr, unsigned int alike)
{
	unsigned int i;

	begin();
	for (i = 0; i < nr; i++)
		add_sample(5, 1 + i / alike, MAP_AT + i, 4, loop);
	event_id = rec.events[0].ids[1];
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
}

/* As perf filters them, or shows those of one file of a folder first. */
TEST(of_many_samples_of_one_time_the_search_goes_on_where_it_was)
{
	enum { NR = 2000 };
	unsigned int i;

	open_many(2 * NR, NR);
	for (i = 1; i < NR; i += 2) {
		CHECK_EQ(find_at(1, i), 1);
		CHECK_EQ(s.seek.next, i + 1);
	}
	for (i = 2; i < NR; i += 2) {
		CHECK_EQ(find_at(1, i), 1);
		CHECK_EQ(ev.sample.ip, MAP_AT + i);
	}
	CHECK_EQ(find_at(1, NR - 1), 0);
	CHECK_EQ(find_at(1, 1), 0);
	for (i = NR; i-- > 0;)
		CHECK_EQ(find_at(2, NR + i), 1);
	/* Nothing of the time before is left. */
	CHECK_EQ(s.seek.nr - s.seek.from, NR);
	CHECK_EQ(find_at(1, 5), ERROR_INPUT);
	CHECK_EQ(s.passed_by, 1);
	samples_close(&s);
}

TEST(only_the_samples_of_one_time_are_kept)
{
	enum { NR = 3000, ALIKE = 3 };
	unsigned int i;

	open_many(NR, ALIKE);
	for (i = 0; i < NR; i++) {
		/* One of each time is left out. */
		if (i % ALIKE != 1)
			CHECK_EQ(find_at(1 + i / ALIKE, i), 1);
		CHECK(s.seek.nr - s.seek.from <= ALIKE + 1);
		CHECK(s.seek.cap <= 64);
	}
	CHECK_EQ(s.passed_by, NR / ALIKE - 1);
	samples_close(&s);
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
	/* A thread may have had another name, too. */
	write_counted(UINT32_MAX, 0);
	CHECK_EQ(set(SAMPLES_OPT_COMM, "x"), 0);
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

/* --- by hart and thread --- */

static void lost_samples(uint64_t nr, uint64_t time)
{
	pdb_begin(&rec, PERF_RECORD_LOST_SAMPLES, 0);
	pdb_u64(&rec.data, nr);
	pdb_end_with_id(&rec, 0, 0, time);
}

static int lacking = -1; /* a hart that is lacking from some time on */

/*
 * Thread 5 ran on harts 0 and 1, and started 6 on hart 1, which has ended: the event was
 * opened for 5 on each hart, and counts with it what 6 did. Each sample stands for 100.
 */
static void write_parts(bool own_counts)
{
	static const struct {
		uint32_t tid, cpu;
		unsigned int samples;
	} ran[] = { { 5, 0, 6 }, { 5, 1, 3 }, { 6, 1, 1 } };
	unsigned int i, k;

	begin();
	rec.events[0].attr.read_format = PERF_FORMAT_ID;
	rec.events[0].attr.inherit = 1;
	rec.events[0].attr.inherit_stat = 1;
	for (i = 0; i < 3; i++)
		for (k = 0; k < ran[i].samples; k++)
			pdb_sample(&rec, 0, &(struct pdb_sample){
				.ip = MAP_AT, .time = 10 * i + k + 1,
				.pid = 5, .tid = ran[i].tid, .cpu = ran[i].cpu,
				.period = 100, .nr_branches = 4,
				.branches = loop });
	rec.cpu = 1;
	if (own_counts)
		pdb_count(&rec, 0, 6, 400, 100);
	pdb_count(&rec, 0, 5, 800, 0);
	rec.cpu = 0;
	pdb_count(&rec, 0, 5, 600, 0);
	/* As `ssctr record` tells it: none lost. */
	rec.cpu = lacking;
	if (lacking >= 0)
		lost_samples(0, 0);
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
}

static void read_all(void)
{
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	while (samples_next(&s, &ev, &error) > 0)
		;
}

static double share_of(enum coverage_kind kind, uint32_t number)
{
	const struct coverage_part *part;
	size_t at = 0;

	while ((part = samples_next_part(&s, kind, &at)))
		if (part->number == number)
			return coverage_share(part);
	return -1;
}

static unsigned int nr_parts(enum coverage_kind kind)
{
	unsigned int nr = 0;
	size_t at = 0;

	while (samples_next_part(&s, kind, &at))
		nr++;
	return nr;
}

TEST(coverage_is_known_of_each_hart_and_thread)
{
	write_parts(true);
	read_all();
	CHECK(samples_coverage(&s, 0) == 1000 / 1400.0);
	CHECK(share_of(COVERAGE_HART, 0) == 1);
	CHECK(share_of(COVERAGE_HART, 1) == 400 / 800.0);
	CHECK(share_of(COVERAGE_THREAD, 5) == 900 / 1000.0);
	CHECK(share_of(COVERAGE_THREAD, 6) == 100 / 400.0);
	samples_close(&s);
}

/* 6.12 writes none. Then what 6 did is in the count of 5. */
TEST(coverage_of_threads_is_not_known_without_their_counts)
{
	write_parts(false);
	read_all();
	CHECK(samples_coverage(&s, 0) == 1000 / 1400.0);
	CHECK(share_of(COVERAGE_HART, 1) == 400 / 800.0);
	CHECK(share_of(COVERAGE_THREAD, 5) < 0);
	CHECK(share_of(COVERAGE_THREAD, 6) < 0);
	samples_close(&s);
	CHECK_EQ(set(SAMPLES_OPT_TID, "6"), 0);
	CHECK(coverage() < 0);
}

/* The kernel may hand on an event to another thread, which tells no count then. */
TEST(the_count_that_no_thread_told_is_the_last_one_s)
{
	write_parts(false);
	begin();
	rec.events[0].attr.read_format = PERF_FORMAT_ID;
	rec.events[0].attr.inherit = rec.events[0].attr.inherit_stat = 1;
	pdb_task(&rec, PERF_RECORD_FORK, 0, 5, 6, 5, 1);
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 2,
						  .pid = 5, .period = 100,
						  .nr_branches = 4,
						  .branches = loop });
	pdb_count(&rec, 0, 5, 110, 100);
	pdb_count(&rec, 0, 5, 1000, 0);
	write_files();
	read_all();
	CHECK(share_of(COVERAGE_THREAD, 5) == 100 / 110.0);
	CHECK(share_of(COVERAGE_THREAD, 6) == 0);
	samples_close(&s);
}

/*
 * A shell starts another process, and that one is left: its count comes with the event that was
 * opened for the shell. It belongs to the process, whoever the samples are wanted of.
 */
TEST(the_last_one_s_count_is_of_its_own_process)
{
	static const struct {
		const char *pid;
		double share;
	} chosen[] = { { "5", 100 / 110.0 }, { "7", 300 / 890.0 }, { "5,7", 400 / 1000.0 } };
	unsigned int i;

	write_parts(false);
	begin();
	rec.events[0].attr.read_format = PERF_FORMAT_ID;
	rec.events[0].attr.inherit = rec.events[0].attr.inherit_stat = 1;
	pdb_task(&rec, PERF_RECORD_FORK, 0, 7, 7, 5, 1);
	for (i = 0; i < 4; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT, .time = 2 + i, .pid = i ? 7 : 5, .period = 100,
			.nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, 5, 110, 100);
	pdb_count(&rec, 0, 5, 1000, 0);
	write_files();
	for (i = 0; i < 3; i++) {
		opts = (struct samples_opts)SAMPLES_OPTS_INIT;
		CHECK_EQ(set(SAMPLES_OPT_PID, chosen[i].pid), 0);
		read_all();
		CHECK(samples_coverage(&s, 0) == chosen[i].share);
		samples_close(&s);
		samples_opts_free(&opts);
	}
}

static bool is_noted(const char *text)
{
	struct notes notes = { 0 };
	bool found = false;
	size_t i;

	samples_note(&s, &notes);
	samples_note_coverage(&s, &notes);
	for (i = 0; i < notes.nr; i++)
		found |= !!strstr(notes.v[i].text, text);
	notes_free(&notes);
	return found;
}

#define TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static void count_on(uint32_t tid, uint32_t cpu, uint64_t count, uint64_t enabled,
		     uint64_t running)
{
	rec.cpu = cpu;
	rec.enabled = enabled;
	rec.running = running;
	pdb_count(&rec, 0, tid, count, 0);
}

static void begin_with_times(unsigned int samples)
{
	unsigned int i;

	write_parts(false);
	begin();
	rec.events[0].attr.read_format = PERF_FORMAT_ID | TIMES;
	for (i = 0; i < samples; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 2 + i, .pid = 5,
							  .period = 100, .nr_branches = 4,
							  .branches = loop });
}

/* 400 were counted on hart 0 in half of the time, and on hart 1 in all of it. */
TEST(what_happened_while_an_event_was_off_is_missing)
{
	begin_with_times(8);
	count_on(UINT32_MAX, 0, 400, 1000, 500);
	count_on(UINT32_MAX, 1, 400, 1000, 1000);
	write_files();
	read_all();
	CHECK_EQ(samples_count(&s, 0), 1066);
	CHECK(samples_coverage(&s, 0) == 800 / 1066.0);
	CHECK_EQ(coverage_find(&s.coverage, COVERAGE_HART, 0, 0)->count, 800);
	CHECK_EQ(coverage_find(&s.coverage, COVERAGE_HART, 0, 1)->count, 400);
	CHECK(is_noted("which cover 75.0 % of its count of 1066; the rest is missing; it was on for 75.0 % of its time, because another event, "));
	CHECK(!is_noted("the counter interrupted late"));
	samples_close(&s);
}

/* A thread's events are all enabled, and only that of the hart is on where it runs. */
TEST(the_events_of_a_thread_are_on_in_turns)
{
	begin_with_times(8);
	count_on(5, 0, 500, 1000, 600);
	count_on(5, 1, 300, 1000, 400);
	count_on(6, 2, 0, 70, 70);
	write_files();
	read_all();
	CHECK_EQ(samples_count(&s, 0), 800);
	CHECK(samples_coverage(&s, 0) == 1);
	samples_close(&s);
}

/*
 * Those of a thread that runs already, when only the event of hart 0 is: the thread was on hart 0
 * then, or on hart 1.
 */
TEST(events_of_a_thread_are_not_enabled_at_once)
{
	static const uint64_t running[][2] = { { 900, 400 }, { 700, 300 } };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin_with_times(8);
		count_on(5, 0, 500, 1300, running[i][0]);
		count_on(5, 1, 300, 1000, running[i][1]);
		write_files();
		read_all();
		CHECK_EQ(samples_count(&s, 0), 800);
		CHECK(samples_coverage(&s, 0) == 1);
		samples_close(&s);
	}
}

/* In half of the time, another event had the counter. */
TEST(events_of_a_thread_are_off_in_turns)
{
	begin_with_times(8);
	count_on(5, 0, 400, 1050, 250);
	count_on(5, 1, 400, 1000, 250);
	write_files();
	read_all();
	CHECK_EQ(samples_count(&s, 0), 1600);
	CHECK(is_noted("it was on for 50.0 % of its time"));
	samples_close(&s);
}

TEST(an_event_that_was_never_on_says_so)
{
	char why[512];

	begin_with_times(0);
	count_on(5, 0, 0, 1000, 0);
	count_on(5, 1, 0, 1000, 0);
	write_files();
	read_all();
	/* No recording tells whether the harts could count it if they had nothing else to do. */
	CHECK(is_noted("because the harts cannot count this event, or another event, maybe somebody else's, had the counter"));
	CHECK(strstr(samples_none(&s, why, sizeof(why)),
		     ", because the harts cannot count this event, or another event, "));
	samples_close(&s);
}

/* As if the code did not run, or another event had the counter. */
TEST(an_event_that_counts_nothing_says_so)
{
	char why[512];

	begin_with_times(0);
	count_on(5, 0, 0, 1000, 1000);
	write_files();
	read_all();
	CHECK(is_noted("which counted nothing: no such code ran, or another event, "));
	CHECK(strstr(samples_none(&s, why, sizeof(why)), ", and the event counted nothing: "));
	CHECK(strstr(why, ", or the program is set-uid (docs/trouble.md)"));
	samples_close(&s);
}

TEST(a_hart_that_counts_nothing_is_named)
{
	begin_with_times(8);
	count_on(UINT32_MAX, 0, 800, 1000, 1000);
	count_on(UINT32_MAX, 3, 0, 1000, 1000);
	count_on(UINT32_MAX, 2, 0, 1000, 1000);
	write_files();
	read_all();
	CHECK(is_noted("on 2 of 3 harts, such as hart 2, where it counted nothing: "));
	CHECK(samples_coverage(&s, 0) == 1);
	samples_close(&s);
}

/* The task was not there. */
TEST(of_a_task_no_such_hart_is_named)
{
	begin_with_times(8);
	count_on(5, 0, 800, 1000, 1000);
	count_on(5, 1, 0, 1000, 0);
	write_files();
	read_all();
	CHECK(!is_noted("where it counted nothing"));
	samples_close(&s);
}

/* What ran there is counted in part, or not at all, as on a hart that was not there before. */
TEST(without_a_hart_the_counts_are_not_whole)
{
	char why[512];

	for (lacking = 1; lacking <= 2; lacking++) {
		write_parts(true);
		read_all();
		CHECK(samples_coverage(&s, 0) < 0 && !samples_count(&s, 0));
		CHECK(share_of(COVERAGE_HART, 0) == 1);
		CHECK(share_of(COVERAGE_HART, 1) == (lacking == 1 ? -1 : 400 / 800.0));
		CHECK(share_of(COVERAGE_THREAD, 5) < 0);
		CHECK(is_noted("coverage is not known: CPUs were switched off or on "));
		CHECK_EQ(samples_lost(&s), 0);
		samples_close(&s);
	}
	lacking = -1;
	write_recording();
	begin();
	lost_samples(0, 0);
	write_files();
	read_all();
	CHECK_STR(samples_none(&s, why, sizeof(why)), ": " SAMPLES_LACK_CPUS);
	samples_close(&s);
}

/* With a time, it is the kernel's, and with a number, it is of samples. */
TEST(with_lost_samples_the_counts_are_whole)
{
	write_recording();
	begin();
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 1,
						  .pid = 5, .period = 100 });
	lost_samples(0, 7);
	lost_samples(2, 0);
	pdb_count(&rec, 0, UINT32_MAX, 200, 0);
	write_files();
	read_all();
	CHECK(samples_coverage(&s, 0) == 0.5);
	samples_close(&s);
}

/* A shorter period would lose more. */
TEST(that_all_samples_were_lost_is_told)
{
	char why[512];

	write_recording();
	begin();
	lost_samples(40, 0);
	pdb_count(&rec, 0, UINT32_MAX, 4000, 0);
	write_files();
	read_all();
	CHECK_STR(samples_none(&s, why, sizeof(why)),
		  ": 40 were lost; record with larger buffers (-m) or a longer period (-c), and with room on the disk");
	CHECK(is_noted("40 events were lost: ") && !is_noted("the counter interrupted late"));
	samples_close(&s);
}

/* 40 samples were lost, and so many of them found the ring buffers full: the output took the rest. */
static void write_dropped(uint64_t full)
{
	write_recording();
	begin();
	rec.events[0].attr.read_format = PERF_FORMAT_ID | PDB_FORMAT_LOST;
	lost_samples(40, 0);
	rec.lost = full;
	pdb_count(&rec, 0, UINT32_MAX, 4000, 0);
	write_files();
	read_all();
}

TEST(what_helps_against_losses_is_what_lost_most)
{
	char why[512];

	write_dropped(19);
	CHECK(samples_were_dropped(&s));
	CHECK_STR(samples_loss_remedy(&s), "record with room on the disk");
	CHECK_STR(samples_none(&s, why, sizeof(why)),
		  ": 40 were lost; record with room on the disk, because the output took no more");
	CHECK(is_noted("; 40 events were lost: record with room on the disk, "));
	samples_close(&s);
	write_dropped(20);
	CHECK(!samples_were_dropped(&s));
	CHECK_STR(samples_loss_remedy(&s), "record with larger buffers (-m)");
	CHECK(is_noted("; 40 events were lost: record with larger buffers (-m) "));
	samples_close(&s);
}

/* An option may leave out nothing, and still ask for a count of its own. */
TEST(lost_events_hide_the_counts_of_threads)
{
	write_parts(false);
	begin();
	rec.events[0].attr.read_format = PERF_FORMAT_ID;
	rec.events[0].attr.inherit = rec.events[0].attr.inherit_stat = 1;
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 2,
						  .pid = 5, .period = 100,
						  .nr_branches = 4,
						  .branches = loop });
	pdb_lost(&rec, 0, 5, 3, 70);
	pdb_count(&rec, 0, 5, 1000, 0);
	write_files();
	CHECK_EQ(set(SAMPLES_OPT_PID, "5"), 0);
	read_all();
	CHECK_EQ(s.filtered, 0);
	CHECK(samples_coverage(&s, 0) < 0);
	CHECK(is_noted("is not known: events were lost, so it is not known what each thread counted; leave out --pid and --tid"));
	samples_close(&s);
	samples_opts_free(&opts);
}

static double coverage_of(int id, const char *arg, bool lacks)
{
	double share;

	lacking = lacks ? 1 : -1;
	write_parts(true);
	lacking = -1;
	CHECK_EQ(set(id, arg), 0);
	read_all();
	share = samples_coverage(&s, 0);
	samples_close(&s);
	samples_opts_free(&opts);
	return share;
}

TEST(coverage_is_of_the_harts_or_threads_that_were_chosen)
{
	CHECK(coverage_of(SAMPLES_OPT_CPU, "1", false) == 400 / 800.0);
	CHECK(coverage_of(SAMPLES_OPT_TID, "6", false) == 100 / 400.0);
	CHECK(coverage_of(SAMPLES_OPT_PID, "5", false) == 1000 / 1400.0);
	CHECK(coverage_of(SAMPLES_OPT_PID, "7", false) < 0);
	/* Without all of hart 1. */
	CHECK(coverage_of(SAMPLES_OPT_CPU, "0", true) == 1);
	CHECK(coverage_of(SAMPLES_OPT_CPU, "1", true) < 0);
	CHECK(coverage_of(SAMPLES_OPT_TID, "6", true) < 0);
}

TEST(the_harts_and_threads_that_lack_most_are_named)
{
	write_parts(true);
	read_all();
	CHECK(is_noted("which cover 71.4 % of its count of 1400; the rest is missing; "
		       "the counter interrupted late"));
	CHECK(is_noted("of them on hart 1, which cover 50.0 % of its count of 800"));
	CHECK(is_noted("of them in thread 6, which cover 25.0 % of its count of 400"));
	CHECK(!is_noted("on hart 0"));
	CHECK(!is_noted("thread 5"));
	samples_close(&s);
}

/* What the options leave out is not missing, and hart 1 counted more than thread 6. */
TEST(what_was_not_chosen_does_not_lack_anything)
{
	static const struct {
		int option;
		const char *arg, *noted;
		unsigned int harts, threads;
	} chosen[] = {
		{ SAMPLES_OPT_TID, "6", "which cover 25.0 % of its count of 400", 0, 1 },
		{ SAMPLES_OPT_PID, "5", "of them in thread 6, which cover 25.0 % of its count", 0, 2 },
		{ SAMPLES_OPT_CPU, "1", "which cover 50.0 % of its count of 800", 1, 0 },
		{ SAMPLES_OPT_TIME, "0,1", "coverage is not known", 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(chosen) / sizeof(*chosen); i++) {
		write_parts(true);
		CHECK_EQ(set(chosen[i].option, chosen[i].arg), 0);
		read_all();
		CHECK(is_noted(chosen[i].noted));
		CHECK_EQ(is_noted("of them in thread"), chosen[i].threads > 1);
		CHECK(!is_noted("of them on hart"));
		CHECK_EQ(nr_parts(COVERAGE_HART), chosen[i].harts);
		CHECK_EQ(nr_parts(COVERAGE_THREAD), chosen[i].threads);
		samples_close(&s);
		samples_opts_free(&opts);
	}
}

/* Half of all is there. */
TEST(a_hart_that_lacks_a_hundredth_more_than_all_is_named)
{
	static const uint64_t covered[][2] = { { 5100, 4900 }, { 5099, 4901 } };
	unsigned int i, cpu;

	for (i = 0; i < 2; i++) {
		begin();
		rec.events[0].attr.read_format = PERF_FORMAT_ID;
		for (cpu = 0; cpu < 2; cpu++)
			pdb_sample(&rec, 0, &(struct pdb_sample){
				.ip = MAP_AT, .time = 1 + cpu, .pid = 5, .cpu = cpu,
				.period = covered[i][cpu], .nr_branches = 4,
				.branches = loop });
		for (rec.cpu = 0; rec.cpu < 2; rec.cpu++)
			pdb_count(&rec, 0, UINT32_MAX, 10000, 0);
		write_files();
		snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
		opts = (struct samples_opts)SAMPLES_OPTS_INIT;
		read_all();
		CHECK(samples_coverage(&s, 0) == 0.5);
		CHECK_EQ(is_noted("of them on hart 1, which cover 49.0 % of its count of 10000"), !i);
		CHECK(!is_noted("on hart 0"));
		samples_close(&s);
	}
}

TEST(a_warning_begins_where_the_options_say)
{
	write_parts(true);
	CHECK_EQ(set(SAMPLES_OPT_LEAST, "71"), 0);
	read_all();
	CHECK(is_noted("which cover 71.4 % of its count of 1400"));
	CHECK(!is_noted("missing"));
	samples_close(&s);
	CHECK_EQ(set(SAMPLES_OPT_LEAST, "100.5"), ERROR_USAGE);
	CHECK_STR(error.text, "--least 100.5: not a number from 0 to 100");
	CHECK_EQ(set(SAMPLES_OPT_LEAST, "-1"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_LEAST, "x"), ERROR_USAGE);
	CHECK_EQ(set(SAMPLES_OPT_LEAST, "5 "), ERROR_USAGE);
}

TEST(the_coverage_of_no_branch_stacks_is_not_known)
{
	begin();
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	read_all();
	CHECK(samples_least_coverage(&s) == -1);
	samples_close(&s);
}

TEST(an_event_that_happened_without_a_sample_is_not_covered)
{
	char text[256];

	write_recording();
	begin();
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 1,
						  .pid = 5, .period = 100,
						  .nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, 100, 0);
	pdb_count(&rec, 1, UINT32_MAX, 4000, 0);
	write_files();
	read_all();
	CHECK(samples_coverage(&s, 0) == 1);
	CHECK(samples_least_coverage(&s) == 0);
	CHECK(is_noted("which cover 0.0 % of its count of 4000; the rest is missing"));
	CHECK(strstr(samples_none(&s, text, sizeof(text)),
		     ", though the event happened 4000 times"));
	samples_close(&s);
	/* A shorter period does not help against empty stacks. */
	write_recording();
	begin();
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 1,
						  .pid = 5, .period = 100 });
	pdb_count(&rec, 0, UINT32_MAX, 100, 0);
	write_files();
	read_all();
	CHECK(is_noted("samples have an empty branch stack, which shows nothing of what ran"));
	CHECK(strstr(samples_none(&s, text, sizeof(text)), ": all 1 branch stacks are empty, because their tasks "));
	samples_close(&s);
}

TEST(a_filter_that_lets_no_branch_through_is_named)
{
	char text[256];

	write_recording();
	begin();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
						PERF_SAMPLE_BRANCH_TYPE_SAVE;
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 1,
						  .pid = 5, .period = 100 });
	write_files();
	read_all();
	CHECK(strstr(samples_none(&s, text, sizeof(text)),
		     ": all 1 branch stacks are empty, because the filter names no kind of branches; "));
	samples_close(&s);
}

/* Six samples of 100, of 1000: with lost events or throttling, and how many. */
static void write_lossy(uint32_t type, uint64_t number)
{
	unsigned int i;

	write_counted(UINT32_MAX, 0);
	begin();
	for (i = 1; i <= 6; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + i, .time = 10 * i, .pid = 5,
			.period = 100, .nr_branches = 4, .branches = loop });
	pdb_begin(&rec, type, 0);
	pdb_u64(&rec.data, 0);
	pdb_u64(&rec.data, number);
	if (type == PERF_RECORD_THROTTLE)
		pdb_u64(&rec.data, 0);
	pdb_end_with_id(&rec, 0, 5, 70);
	pdb_count(&rec, 0, UINT32_MAX, 1000, 0);
	write_files();
	read_all();
}

TEST(what_is_missing_is_put_down_to_what_was_lost)
{
	write_lossy(PERF_RECORD_LOST, 4);
	CHECK(is_noted("60.0 % of its count of 1000; the rest is missing; 4 events were lost: record with larger buffers (-m)"));
	CHECK(!is_noted("the counter interrupted late"));
	samples_close(&s);
	write_lossy(PERF_RECORD_LOST, 1);
	CHECK(is_noted("1 events were lost"));
	CHECK(is_noted("the counter interrupted late"));
	samples_close(&s);
	write_lossy(PERF_RECORD_THROTTLE, 4);
	CHECK(is_noted("the kernel throttled the sampling 1 times: record with a longer period (-c)"));
	samples_close(&s);
}

/* Six samples of 100, of 1000, and so many of tasks outside of the container. */
static void write_outside(unsigned int nr)
{
	unsigned int i;

	begin();
	for (i = 0; i < 6 + nr; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + i, .time = 1 + i, .pid = i < 6 ? 5 : 0,
			.period = 100, .nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, 1000, 0);
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	read_all();
}

TEST(what_is_missing_is_put_down_to_tasks_outside_if_they_are_enough)
{
	write_outside(2);
	CHECK(is_noted("60.0 % of its count of 1000"));
	CHECK(!is_noted("the counter interrupted late"));
	samples_close(&s);
	write_outside(1);
	CHECK(is_noted("samples left out: their tasks are outside of the container"));
	CHECK(is_noted("the counter interrupted late"));
	samples_close(&s);
}

/* Samples of these periods, of 1000: and how many threads ended. tid: the one that was opened. */
static void write_ends_of(const uint64_t *periods, unsigned int nr, uint32_t tid,
			  unsigned int threads)
{
	unsigned int i;

	begin();
	for (i = 0; i < nr; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + i, .time = 1 + i, .pid = 5,
			.period = periods[i], .nr_branches = 4, .branches = loop });
	for (i = 0; i < threads; i++)
		pdb_task(&rec, PERF_RECORD_EXIT, 0, 100 + i, 100 + i, 5, 70 + i);
	pdb_count(&rec, 0, tid, 1000, 0);
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	read_all();
}

static void write_ends(uint32_t tid, unsigned int threads)
{
	static const uint64_t periods[] = { 100, 100, 100, 100, 100, 100 };

	write_ends_of(periods, 6, tid, threads);
}

/*
 * 8 of the 10 periods are the first ones of a rate, and cover 8 of 600. What is missing are 400.
 * Two ends lack about 296 / 2 * 2 = 296, more than half of this, and not 600 / 10 / 2 * 2 = 60.
 * One lacks 148.
 */
TEST(the_first_periods_of_a_rate_do_not_make_the_ends_small)
{
	static const uint64_t periods[] = { 1, 1, 1, 1, 1, 1, 1, 1, 296, 296 };

	write_ends_of(periods, 10, 5, 2);
	CHECK(is_noted("60.0 % of its count of 1000; the rest is missing; 2 threads ended before their next sample: record the whole system (-a)"));
	CHECK(!is_noted("the counter interrupted late"));
	samples_close(&s);
	write_ends_of(periods, 10, 5, 1);
	CHECK(!is_noted("threads ended"));
	CHECK(is_noted("the counter interrupted late"));
	samples_close(&s);
}

/* What is missing of 1000, after samples of which each has the period that the kernel chose last. */
TEST(a_short_thread_lacks_up_to_the_period_that_its_rate_came_to)
{
	static const struct {
		uint64_t periods[5];
		unsigned int nr;
		bool ended;
	} all[] = {
		/* 240, where the next period would have been 226 * 226 / 181 = 282 */
		{ { 92, 116, 145, 181, 226 }, 5, true },
		/* 290, and the same */
		{ { 42, 116, 145, 181, 226 }, 5, false },
		/* 809: what begins with next to nothing does not go on so */
		{ { 1, 190 }, 2, false },
		/* 230, where the rate is there: the next period is no shorter */
		{ { 520, 250 }, 2, true },
	};
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		write_ends_of(all[i].periods, all[i].nr, 5, 1);
		CHECK_EQ(is_noted("1 threads ended before their next sample"), all[i].ended);
		CHECK_EQ(is_noted("the counter interrupted late"), !all[i].ended);
		samples_close(&s);
	}
}

TEST(what_is_missing_is_put_down_to_threads_that_ended)
{
	write_ends(5, 8);
	CHECK(is_noted("60.0 % of its count of 1000; the rest is missing; 8 threads ended before their next sample: record the whole system (-a)"));
	CHECK(!is_noted("the counter interrupted late"));
	samples_close(&s);
	/* Too few. */
	write_ends(5, 3);
	CHECK(!is_noted("threads ended"));
	CHECK(is_noted("the counter interrupted late"));
	samples_close(&s);
	/* Those that ended were not wanted. */
	write_ends(5, 8);
	samples_close(&s);
	CHECK_EQ(set(SAMPLES_OPT_PID, "5"), 0);
	read_all();
	CHECK(is_noted("60.0 % of its count of 1000; the rest is missing"));
	CHECK(!is_noted("threads ended"));
	samples_close(&s);
	samples_opts_free(&opts);
	/* What a hart counts goes on with the next thread. */
	write_ends(UINT32_MAX, 8);
	CHECK(!is_noted("threads ended"));
	CHECK(is_noted("the counter interrupted late"));
	samples_close(&s);
}

/* Two mappings of one name, of the files with these numbers, or with build ids. */
static void write_files_of_one_name(uint8_t one, uint8_t other, bool ids)
{
	static const uint8_t id[2][20] = { { 1 }, { 2 } };

	begin();
	pdb_mmap2_of(&rec, 5, 0x100000, 0x1000, 0, "/bin/x", 2, ids ? id[0] : NULL, one);
	pdb_mmap2_of(&rec, 6, 0x100000, 0x1000, 0, "/bin/x", 3, ids ? id[1] : NULL, other);
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 1, .time = 10, .pid = 5,
		.period = 100, .nr_branches = 4, .branches = loop });
	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	CHECK_EQ(samples_open(&s, path, &opts, &error), 0);
	while (samples_next(&s, &ev, &error) > 0)
		;
}

TEST(one_name_of_two_files_is_told)
{
	write_files_of_one_name(1, 2, false);
	CHECK(is_noted("several files, so code may have the names of another file; the first is /bin/x; record with `perf record --buildid-mmap` or `ssctr record`, which tell the build id of a file that has one (link it with -Wl,--build-id), or do not replace files while they run"));
	samples_close(&s);
	write_files_of_one_name(1, 1, false);
	CHECK(!is_noted("several files"));
	samples_close(&s);
	/* Then it is known which file each of them is. */
	write_files_of_one_name(1, 2, true);
	CHECK(!is_noted("several files"));
	samples_close(&s);
}

/* perf record -s: what ended has a count, and not the thread that perf started. */
TEST(counts_of_threads_alone_say_nothing_of_all)
{
	write_counted(5, 70);
	read_all();
	CHECK(samples_coverage(&s, 0) < 0);
	CHECK(share_of(COVERAGE_THREAD, 5) == 600 / 640.0);
	CHECK(is_noted("is not known: perf writes no count for one thread"));
	samples_close(&s);
}
