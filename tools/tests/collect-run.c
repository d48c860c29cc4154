// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr collect on a made-up machine: its clocks, loads, disks and kernels are what each
 * test says, so that a week takes no time.
 */
#include "test.h"

#include "collect/collect.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define HOUR (3600 * SECOND)

enum { MOST_FILES = 400 };

struct written {
	uint64_t number, begin, end, samples;
	uint64_t span; /* ns that they stand for */
};

struct sim {
	struct collect_time time;
	struct collect_opts opts;
	struct spool spool;
	double load; /* of all CPUs */
	uint64_t end; /* ns awake; then SIGTERM comes */
	/* Called before each wait. What it returns is what the wait returns. */
	unsigned int (*events)(struct sim *sim);
	double outside; /* of the samples */
	const char *broken; /* why turns cannot be recorded */
	bool full; /* the disk */
	uint64_t step; /* for events() */
	/* what became of it: */
	uint64_t counted; /* samples since clear() */
	uint64_t turns, tries, waits, cost;
	struct written files[MOST_FILES];
	unsigned int nr_files;
	char said[100000];
	char warned[100000]; /* the part of it that tells of faults */
};

static struct sim sim;
static struct error error;

static void now(void *arg, struct collect_time *time)
{
	(void)arg;
	*time = sim.time;
}

/* Time passes while the machine is awake. */
static void pass(uint64_t span)
{
	const uint64_t before = sim.time.boot / SECOND;

	sim.time.awake += span;
	sim.time.boot += span;
	sim.time.wall += sim.time.boot / SECOND - before;
	sim.time.idle += (double)span * sim.time.cpus * (1 - sim.load);
}

static void suspend(uint64_t span)
{
	const uint64_t before = sim.time.boot / SECOND;

	sim.time.boot += span;
	sim.time.wall += sim.time.boot / SECOND - before;
}

static unsigned int wait_for(void *arg, uint64_t span)
{
	unsigned int what;

	(void)arg;
	CHECK(span > 0);
	CHECK(++sim.waits < 2000000);
	/* To look at the machine is not for nothing. */
	sim.time.spent += 50000;
	sim.cost += 50000;
	what = sim.events ? sim.events(&sim) : 0;
	if (what)
		return what;
	if (sim.time.awake + span >= sim.end) {
		pass(sim.end - sim.time.awake);
		return COLLECT_END;
	}
	pass(span);
	return 0;
}

/* A CPU that works has 1e9 events a second, and a sample costs 20 us. */
static int turn(void *arg, const struct collect_sampling *how, struct collect_turn *turn,
		struct error *why)
{
	const uint64_t span = sim.opts.limits.turn;

	(void)arg;
	sim.tries++;
	if (sim.broken)
		return error_set(why, ERROR_INPUT, "%s", sim.broken);
	turn->span = span;
	turn->events = span * sim.load * sim.time.cpus;
	turn->samples = turn->events / how->distance;
	turn->outside = turn->samples * sim.outside;
	turn->own = 10000000;
	turn->counting = 15000 * turn->samples;
	turn->kernel = 5000 * turn->samples;
	sim.time.spent += turn->own + turn->counting;
	sim.cost += turn->own + turn->counting + turn->kernel;
	sim.counted += turn->samples - turn->outside;
	sim.turns++;
	pass(span);
	return 0;
}

static int write_file(void *arg, const char *path, const struct cf_source *source,
		      uint64_t begin, uint64_t end, uint64_t span, struct error *why)
{
	FILE *file;

	(void)arg;
	if (sim.full)
		return error_set(why, ERROR_OUTPUT, "%s: No space left on device", path);
	file = fopen(path, "we");
	CHECK(file);
	fprintf(file, "%01000d", 0);
	CHECK(!fclose(file));
	CHECK_EQ(source->first, source->last);
	CHECK(!memcmp(source->label, sim.spool.label, sizeof(source->label)));
	CHECK(sim.nr_files < MOST_FILES);
	sim.files[sim.nr_files++] = (struct written){ source->first, begin, end, sim.counted,
							span };
	sim.time.spent += 1000000;
	sim.cost += 1000000;
	return 0;
}

static void clear(void *arg)
{
	(void)arg;
	sim.counted = 0;
}

/* A sample is two hundred bytes. */
static size_t bytes(void *arg)
{
	(void)arg;
	return sim.counted * 200;
}

static void say(void *arg, const char *line)
{
	(void)arg;
	CHECK(strlen(sim.said) + strlen(line) + 2 < sizeof(sim.said));
	strcat(strcat(sim.said, line), "\n");
}

static void warn(void *arg, const char *line)
{
	say(arg, line);
	strcat(strcat(sim.warned, line), "\n");
}

static void set_up(unsigned int cpus, double load, uint64_t end)
{
	memset(&sim, 0, sizeof(sim));
	sim.time = (struct collect_time){ .awake = 50 * SECOND, .boot = 100 * SECOND,
					  
					  .wall = time(NULL), .cpus = cpus };
	sim.load = load;
	sim.end = sim.time.awake + end;
	sim.opts = (struct collect_opts){
		.limits = { .share = 0.005, .period = HOUR, .turn = SECOND, .samples = 100000 },
		.memory = 1 << 30,
		.seed = test_random(),
	};
}

static int try_run(void)
{
	const struct collect_ops ops = { .now = now, .wait = wait_for, .turn = turn,
					 .write = write_file, .clear = clear, .bytes = bytes,
					 .say = say, .warn = warn };
	char path[4096];
	int ret;

	snprintf(path, sizeof(path), "%s/counts", test_tmpdir());
	CHECK_EQ(spool_open(&sim.spool, path, &error), 0);
	ret = collect_run(&sim.spool, &ops, &sim.opts, &error);
	spool_close(&sim.spool, !ret);
	return ret;
}

static void run(void)
{
	if (try_run())
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

/* How often a text was told. */
static unsigned int told(const char *text)
{
	const char *at = sim.said;
	unsigned int nr = 0;

	while ((at = strstr(at, text))) {
		at += strlen(text);
		nr++;
	}
	return nr;
}

static unsigned int files_on_disk(void)
{
	char path[4096];
	struct dirent *e;
	unsigned int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/counts", test_tmpdir());
	dir = opendir(path);
	CHECK(dir);
	while ((e = readdir(dir)))
		nr += strstr(e->d_name, ".counts") != NULL;
	closedir(dir);
	return nr;
}

/* --- periods --- */

TEST(each_period_has_a_file_with_the_next_number)
{
	unsigned int i;

	set_up(4, 1, 10 * HOUR + HOUR / 2);
	run();
	CHECK_EQ(sim.nr_files, 11);
	CHECK_EQ(files_on_disk(), 11);
	for (i = 0; i < 11; i++) {
		CHECK_EQ(sim.files[i].number, i);
		CHECK(sim.files[i].samples >= 30000 && sim.files[i].samples < 150000);
		/* A turn may be in the way, so that a period is a second longer. */
		CHECK(sim.files[i].end - sim.files[i].begin >= (i < 10 ? 3600 : 1700));
		CHECK(sim.files[i].end - sim.files[i].begin <= 3603);
		CHECK(sim.files[i].span >= (i < 10 ? HOUR : 1700 * SECOND));
		CHECK(sim.files[i].span <= 3603 * SECOND);
		if (i)
			CHECK(sim.files[i].begin >= sim.files[i - 1].end - 1 &&
			      sim.files[i].begin <= sim.files[i - 1].end + 1);
	}
	CHECK(sim.cost < 0.005 * 4 * 10.5 * HOUR);
	CHECK_EQ(told("samples in"), 11);
	CHECK_EQ(told("not recorded"), 0);
}

TEST(a_new_process_goes_on_with_the_numbers)
{
	set_up(4, 1, HOUR + HOUR / 2);
	run();
	CHECK_EQ(sim.files[1].number, 1);
	set_up(4, 1, HOUR);
	run();
	CHECK_EQ(sim.files[0].number, 2);
}

static unsigned int write_after_ten_minutes(struct sim *s)
{
	if (s->step || s->time.awake < 650 * SECOND)
		return 0;
	s->step = 1;
	return COLLECT_WRITE;
}

TEST(sighup_writes_at_once)
{
	set_up(4, 1, HOUR / 2);
	sim.events = write_after_ten_minutes;
	run();
	CHECK_EQ(sim.nr_files, 2);
	CHECK(sim.files[0].end - sim.files[0].begin >= 600);
	CHECK(sim.files[0].end - sim.files[0].begin < 700);
}

/* The file is written at once, so no turn has noticed it. */
static unsigned int swap_the_folder(struct sim *s)
{
	char away[4096];

	if (s->step || s->time.awake < 600 * SECOND)
		return 0;
	s->step = 1;
	snprintf(away, sizeof(away), "%s.away", s->spool.path);
	CHECK(!rename(s->spool.path, away) && !mkdir(s->spool.path, 0755));
	return COLLECT_WRITE;
}

/* That both are those of the spool is looked at when the file is written. */
TEST(in_another_folder_a_file_has_the_label_and_the_number_of_its_name)
{
	set_up(4, 1, HOUR / 2);
	sim.events = swap_the_folder;
	run();
	CHECK_EQ(sim.nr_files, 2);
	CHECK_EQ(sim.files[0].number, 0);
	CHECK_EQ(sim.files[1].number, 1);
}

TEST(with_once_there_is_one_turn_and_its_file)
{
	set_up(4, 1, HOUR);
	sim.opts.once = true;
	run();
	CHECK_EQ(sim.turns, 1);
	CHECK_EQ(sim.nr_files, 1);
}

TEST(with_once_what_cannot_be_recorded_is_an_error)
{
	set_up(4, 1, HOUR);
	sim.opts.once = true;
	sim.broken = "cycles: this machine has no such event";
	CHECK_EQ(try_run(), ERROR_INPUT);
	CHECK_STR(error.text, sim.broken);
	CHECK_EQ(files_on_disk(), 0);
}

/* --- an idle machine --- */

TEST(an_idle_machine_is_looked_at_once_a_minute_and_never_recorded)
{
	set_up(1, 0.001, 24 * HOUR);
	run();
	CHECK_EQ(sim.turns, 0);
	CHECK_EQ(sim.nr_files, 0);
	/* And some more often at first, but not for the ends of periods that have nothing. */
	CHECK(sim.waits >= 24 * 60 && sim.waits < 24 * 60 + 10);
}

static unsigned int work_in_the_second_hour(struct sim *s)
{
	s->load = s->time.awake > HOUR + 50 * SECOND && s->time.awake < 2 * HOUR ? 1 : 0;
	return 0;
}

TEST(work_is_noticed_within_two_minutes)
{
	set_up(4, 0, 3 * HOUR);
	sim.events = work_in_the_second_hour;
	run();
	CHECK_EQ(sim.nr_files, 1);
	CHECK(sim.turns > 80);
	CHECK(sim.files[0].samples > 20000);
}

/* --- clocks --- */

static unsigned int sleep_eight_hours(struct sim *s)
{
	if (!s->step++)
		return 0;
	if (s->step == 20)
		suspend(8 * HOUR);
	return 0;
}

TEST(a_suspended_machine_pays_nothing_in_and_its_period_ends)
{
	set_up(4, 1, 2 * HOUR);
	sim.events = sleep_eight_hours;
	run();
	/* What was before it, and two hours less a few minutes after it. */
	CHECK_EQ(sim.nr_files, 3);
	CHECK(sim.files[0].end - sim.files[0].begin >= 8 * 3600);
	CHECK(sim.files[1].end - sim.files[1].begin <= 3603);
	/* While it was suspended, nothing ran. */
	CHECK(sim.files[0].span < HOUR && sim.files[0].span + sim.files[1].span +
					  sim.files[2].span > 2 * HOUR - 10 * SECOND);
	CHECK(sim.cost < 0.005 * 4 * 2 * HOUR);
	CHECK_EQ(told("jumped"), 0);
}

/* In the middle of the third hour, for a week; it is right again two hours later. */
static unsigned int jump_and_back(struct sim *s)
{
	const uint64_t passed = s->time.awake - 50 * SECOND;

	if (!s->step && passed > 5 * HOUR / 2) {
		s->time.wall += 7 * 86400;
		s->step = 1;
	} else if (s->step == 1 && passed > 11 * HOUR / 4) {
		s->time.wall -= 7 * 86400;
		s->step = 2;
	}
	return 0;
}

TEST(a_clock_that_jumps_ahead_for_a_while_removes_nothing)
{
	set_up(4, 1, 6 * HOUR);
	sim.opts.keep_age = 86400;
	sim.events = jump_and_back;
	run();
	CHECK_EQ(files_on_disk(), 6);
}

static unsigned int jump_ahead(struct sim *s)
{
	if (!s->step && s->time.awake > 5 * HOUR / 2) {
		s->time.wall += 7 * 86400;
		s->step = 1;
	}
	return 0;
}

/* The third file is written after the jump, with which the fourth agrees. */
TEST(a_clock_that_jumped_ahead_for_good_is_believed_a_period_later)
{
	set_up(4, 1, 4 * HOUR);
	sim.opts.keep_age = 86400;
	sim.events = jump_ahead;
	run();
	CHECK_EQ(sim.nr_files, 4);
	CHECK_EQ(told("the clock has jumped by 604800 s"), 1);
	CHECK_EQ(files_on_disk(), 1);
}

static bool passed_since_start(const struct sim *s, uint64_t span)
{
	return s->time.awake >= 50 * SECOND + span;
}

/* And two files soon after it. */
static unsigned int jump_ahead_and_write_twice(struct sim *s)
{
	const uint64_t minutes[] = { 150, 151, 152 };

	if (s->step == 3 || !passed_since_start(s, minutes[s->step] * 60 * SECOND))
		return 0;
	if (s->step++)
		return COLLECT_WRITE;
	s->time.wall += 7 * 86400;
	return 0;
}

TEST(files_that_are_written_soon_after_a_jump_do_not_make_the_clock_steady)
{
	set_up(4, 1, 11 * HOUR / 4);
	sim.opts.keep_age = 86400;
	sim.events = jump_ahead_and_write_twice;
	run();
	CHECK_EQ(sim.nr_files, 5);
	CHECK_EQ(files_on_disk(), 5);
	CHECK_EQ(told("the clock has jumped by 604800 s"), 1);
}

/* Three files are there. */
static unsigned int write_after_two_turns(struct sim *s)
{
	if (s->step == 1) {
		s->step = 2;
		CHECK_EQ(files_on_disk(), 4);
	}
	if (s->step || s->turns < 2)
		return 0;
	s->step = 1;
	return COLLECT_WRITE;
}

TEST(the_clock_of_the_start_is_believed_a_period_later)
{
	set_up(4, 1, 3 * HOUR);
	run();
	CHECK_EQ(files_on_disk(), 3);
	/* Files have the true time, which is a month ago for this machine. */
	set_up(4, 1, 3 * HOUR / 2);
	sim.time.wall += 30 * 86400;
	sim.opts.keep_age = 14 * 86400;
	sim.events = write_after_two_turns;
	run();
	CHECK_EQ(sim.step, 2);
	CHECK_EQ(sim.nr_files, 3);
	CHECK_EQ(files_on_disk(), 1);
	CHECK_EQ(told("jumped"), 0);
}

static unsigned int jump_back(struct sim *s)
{
	if (!s->step && s->time.awake > 3 * HOUR / 2) {
		s->time.wall -= 1000000;
		s->step = 1;
	}
	return 0;
}

TEST(a_clock_that_jumps_back_repeats_no_number_and_no_time_is_negative)
{
	unsigned int i;

	set_up(4, 1, 4 * HOUR);
	sim.events = jump_back;
	run();
	CHECK_EQ(sim.nr_files, 4);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(sim.files[i].number, i);
		CHECK(sim.files[i].end >= sim.files[i].begin);
		CHECK(sim.files[i].end - sim.files[i].begin <= 3603);
	}
	CHECK_EQ(told("the clock has jumped by -1000000 s"), 1);
}

static unsigned int jump_to_1970(struct sim *s)
{
	s->time.wall = s->time.boot / SECOND % 100;
	return 0;
}

TEST(a_clock_near_1970_is_no_underflow)
{
	set_up(4, 1, 2 * HOUR);
	sim.events = jump_to_1970;
	run();
	CHECK_EQ(sim.nr_files, 2);
	CHECK_EQ(sim.files[0].begin, 0);
}

/* --- what goes wrong --- */

static unsigned int fill_the_disk(struct sim *s)
{
	const uint64_t passed = s->time.awake - 50 * SECOND;

	s->full = passed > HOUR / 2 && passed < 2 * HOUR + HOUR / 4;
	return 0;
}

TEST(what_a_full_disk_does_not_take_is_written_later)
{
	set_up(4, 1, 3 * HOUR);
	sim.events = fill_the_disk;
	run();
	CHECK_EQ(told("No space left on device"), 1);
	CHECK_EQ(sim.files[0].number, 0);
	CHECK(sim.files[0].samples > 150000); /* of two hours and a quarter */
	CHECK(sim.files[0].end - sim.files[0].begin >= 2 * 3600 + 900);
	/* A minute in which the disk still fills, one to the next try, and one to wake up. */
	CHECK(sim.files[0].end - sim.files[0].begin <= 2 * 3600 + 900 + 190);
	CHECK_EQ(sim.nr_files, 2);
}

TEST(a_full_disk_at_the_end_is_an_error)
{
	set_up(4, 1, HOUR / 2);
	sim.full = true;
	CHECK_EQ(try_run(), ERROR_OUTPUT);
	CHECK(strstr(error.text, "No space left on device"));
	CHECK_EQ(files_on_disk(), 0);
}

TEST(memory_has_a_bound_also_while_the_disk_is_full)
{
	set_up(4, 1, 24 * HOUR);
	sim.full = true;
	sim.opts.memory = 50000 * 200;
	CHECK_EQ(try_run(), ERROR_OUTPUT);
	CHECK(sim.counted > 50000 && sim.counted < 55000);
	/* No more than a look a minute. */
	CHECK(sim.waits < sim.turns + 24 * 60 * 2);
	CHECK_EQ(told("No space left on device"), 1);
}

static unsigned int fill_the_disk_for_a_day(struct sim *s)
{
	s->full = s->time.awake < 50 * SECOND + 24 * HOUR;
	return 0;
}

/* The memory is full after an hour or two at the most. */
TEST(that_nothing_is_counted_because_of_a_full_disk_is_told)
{
	const char *line;
	unsigned int blind;

	set_up(4, 1, 26 * HOUR);
	sim.opts.memory = 50000 * 200;
	sim.events = fill_the_disk_for_a_day;
	run();
	CHECK_EQ(told("cannot record: the counts have used up the memory"), 1);
	CHECK_EQ(told("records again; nothing was recorded for "), 1);
	line = strstr(sim.said, ", not recorded for ");
	CHECK(line && sscanf(line, ", not recorded for %u s", &blind) == 1);
	CHECK(blind > 22 * 3600 && blind < 24 * 3600);
	/* A day is no early end of an hour. */
	line = strstr(sim.said, "-0000000000.counts: ");
	CHECK(line && !memmem(line, strcspn(line, "\n"), "written early", strlen("written early")));
}

TEST(counts_that_take_too_much_memory_are_written_early)
{
	set_up(4, 1, 2 * HOUR);
	sim.opts.memory = 20000 * 200;
	run();
	CHECK(sim.nr_files > 4);
	CHECK(sim.files[0].samples > 20000 && sim.files[0].samples < 25000);
	CHECK(told("written early because of its size") >= 4);
}

/* From one time to another one, counted from the start. */
static void be_without_module(struct sim *s, uint64_t from, uint64_t to)
{
	const uint64_t passed = s->time.awake - 50 * SECOND;

	s->broken = passed > from && passed < to ?
			    "cycles: this machine does not record branches" : NULL;
}

static unsigned int unload_the_module(struct sim *s)
{
	be_without_module(s, HOUR / 4, HOUR / 2);
	return 0;
}

TEST(a_module_that_was_unloaded_is_waited_for)
{
	set_up(4, 1, HOUR);
	sim.events = unload_the_module;
	run();
	CHECK_EQ(told("cannot record: cycles: this machine does not record branches"), 1);
	CHECK_EQ(told("records again"), 1);
	CHECK(sim.tries - sim.turns >= 14 && sim.tries - sim.turns <= 22);
	CHECK_EQ(sim.nr_files, 1);
	/* 900 s, and up to a minute before and after it. */
	CHECK(told(", not recorded for 8") + told(", not recorded for 9") == 1);
}

/* So that --quiet can leave out what is not a fault. */
TEST(files_that_are_written_and_removed_are_no_fault)
{
	set_up(4, 1, 3 * HOUR);
	sim.opts.keep_size = 1500;
	run();
	CHECK_EQ(told("samples in"), 3);
	CHECK_EQ(told("removed 1 old file"), 2);
	CHECK_STR(sim.warned, "");
}

TEST(a_fault_and_its_end_are_told_apart_from_the_rest)
{
	set_up(4, 1, HOUR);
	sim.events = unload_the_module;
	run();
	CHECK(!strncmp(sim.warned, "cannot record: ", strlen("cannot record: ")));
	CHECK(strstr(sim.warned, "\nrecords again; "));
	CHECK(!strstr(sim.warned, "samples in"));
	set_up(4, 1, HOUR / 2);
	sim.full = true;
	CHECK_EQ(try_run(), ERROR_OUTPUT);
	CHECK(strstr(sim.warned, "No space left on device"));
}

/* Periods that end meanwhile have no samples, and the budget is not why. */
TEST(a_module_that_is_away_for_many_periods_is_no_matter_of_the_budget)
{
	set_up(4, 1, HOUR);
	sim.opts.limits.period = 60 * SECOND;
	sim.events = unload_the_module;
	run();
	CHECK_EQ(told("no turn in this period"), 0);
	/* 900 s, and up to a minute before and after it. */
	CHECK(told("records again; nothing was recorded for 8") +
		      told("records again; nothing was recorded for 9") == 1);
}

static unsigned int unload_the_module_for_good(struct sim *s)
{
	be_without_module(s, 600 * SECOND, UINT64_MAX);
	return 0;
}

TEST(an_end_tells_for_how_long_nothing_was_recorded)
{
	set_up(4, 1, 1250 * SECOND);
	sim.events = unload_the_module_for_good;
	run();
	CHECK_EQ(told("records again"), 0);
	/* 650 s, less up to a minute until that was noticed. */
	CHECK(told("nothing was recorded for 6") + told("nothing was recorded for 5") == 1);
}

/* Ten minutes without anything to record, and ten more. A period is shorter than a look. */
static unsigned int begin_to_work(struct sim *s)
{
	if (s->time.awake > 650 * SECOND) {
		s->load = 1;
		s->broken = NULL;
	}
	return 0;
}

static void check_short_periods(double load, const char *broken)
{
	set_up(4, load, 1250 * SECOND);
	sim.opts.limits.period = 30 * SECOND;
	sim.opts.limits.share = 0.1;
	sim.broken = broken;
	sim.events = begin_to_work;
	run();
	/* Two minutes may pass until that is noticed. */
	CHECK(sim.nr_files >= 16 && sim.nr_files <= 21);
}

TEST(what_begins_to_work_is_noticed_with_short_periods_too)
{
	check_short_periods(0, NULL);
	CHECK_EQ(told("cannot record"), 0);
}

TEST(a_module_that_comes_is_noticed_with_short_periods_too)
{
	check_short_periods(1, "no branch records");
	CHECK_EQ(told("records again"), 1);
}

TEST(nothing_is_written_if_nothing_could_be_recorded)
{
	set_up(4, 1, 3 * HOUR);
	sim.broken = "cycles: not allowed";
	run();
	CHECK_EQ(sim.nr_files, 0);
	CHECK_EQ(told("cannot record"), 1);
	CHECK(sim.tries < 200);
}

/* Counters that never interrupt. */
static unsigned int no_events(struct sim *s)
{
	s->opts.limits.turn = 0;
	return 0;
}

TEST(turns_without_samples_are_told)
{
	set_up(4, 1, HOUR);
	sim.events = no_events;
	run();
	CHECK_EQ(sim.nr_files, 0);
	CHECK(told("no samples in") == 1);
}

/* How many samples the lines of files tell. */
static uint64_t told_samples(void)
{
	const char *at = sim.said;
	uint64_t samples = 0;

	while ((at = strstr(at, ".counts: "))) {
		at += strlen(".counts: ");
		samples += strtoull(at, NULL, 10);
	}
	return samples;
}

TEST(samples_of_tasks_outside_of_the_container_are_told_once_and_are_not_in_a_file)
{
	set_up(4, 1, 2 * HOUR + HOUR / 2);
	sim.outside = 0.25;
	run();
	CHECK_EQ(sim.nr_files, 3);
	CHECK_EQ(told_samples(), sim.files[0].samples + sim.files[1].samples + sim.files[2].samples);
	CHECK_EQ(told(" samples of tasks outside of the container left out\n"), 3);
	CHECK_EQ(told("start it with --pid=host"), 1);
	CHECK_EQ(told("no samples"), 0);
}

TEST(that_all_tasks_are_outside_of_the_container_is_told)
{
	set_up(4, 1, HOUR);
	sim.outside = 1;
	run();
	CHECK_EQ(sim.nr_files, 0);
	CHECK_EQ(told("start it with --pid=host"), 1);
	CHECK_EQ(told("ssctr doctor"), 0);
	set_up(4, 1, HOUR);
	sim.outside = sim.opts.once = 1;
	CHECK_EQ(try_run(), ERROR_NOTHING);
	CHECK(strstr(error.text, "their tasks are outside of the container"));
}

/*
 * A budget that pays for a turn every few periods. It is said once for each time that
 * there were none, and not of an idle machine.
 */
TEST(a_period_that_its_budget_gave_no_turn_is_told)
{
	set_up(1, 1, 2 * HOUR);
	sim.opts.limits.period = 60 * SECOND;
	sim.opts.limits.share = 0.001;
	run();
	CHECK(sim.turns > 5);
	CHECK(told("no turn in this period") > 5);
	CHECK(told("no turn in this period") <= sim.turns + 1);
	set_up(1, 0.001, 2 * HOUR);
	sim.opts.limits.period = 60 * SECOND;
	sim.opts.limits.share = 0.001;
	run();
	CHECK_EQ(told("no turn in this period"), 0);
}

/* Else a machine whose budget is small for its periods would have too small a share of a sum. */
TEST(periods_without_a_turn_are_in_what_the_next_file_stands_for)
{
	uint64_t span = 0;
	unsigned int i;

	set_up(1, 1, 2 * HOUR);
	sim.opts.limits.period = 60 * SECOND;
	sim.opts.limits.share = 0.001;
	run();
	CHECK(sim.nr_files > 50 && sim.nr_files < 110);
	for (i = 0; i < sim.nr_files; i++)
		span += sim.files[i].span;
	/* The periods after the last file are in none. */
	CHECK(span <= 2 * HOUR && span >= HOUR * 3 / 2);
}

static unsigned int work_for_six_minutes(struct sim *s)
{
	s->load = s->time.awake % HOUR < 6 * 60 * SECOND ? 1 : 0;
	return 0;
}

/* No turn shows the hours of idling, so that the turns do not stand for them. */
TEST(the_turns_of_six_minutes_of_work_stand_for_six_minutes)
{
	uint64_t span = 0;
	unsigned int i;

	set_up(2, 1, 20 * HOUR);
	sim.events = work_for_six_minutes;
	run();
	CHECK(sim.turns > 100);
	for (i = 0; i < sim.nr_files; i++)
		span += sim.files[i].span;
	/* Work is noticed after a minute at most, and its end as well. */
	CHECK(span >= 20 * 5 * 60 * SECOND && span <= 20 * 8 * 60 * SECOND);
}

TEST(a_budget_that_pays_for_a_turn_says_nothing)
{
	set_up(4, 1, 10 * HOUR);
	run();
	CHECK_EQ(sim.nr_files, 10);
	CHECK_EQ(told("no turn in this period"), 0);
}

static unsigned int rest_after_an_hour(struct sim *s)
{
	s->load = s->time.awake < HOUR + 50 * SECOND ? 1 : 0.001;
	return 0;
}

TEST(a_period_that_begins_with_work_and_goes_on_without_is_not_poor)
{
	set_up(1, 1, 2 * HOUR + 60 * SECOND);
	sim.events = rest_after_an_hour;
	run();
	CHECK(sim.turns > 5);
	CHECK_EQ(told("no turn in this period"), 0);
}

TEST(a_period_that_ends_early_is_not_poor)
{
	set_up(1, 1, HOUR + 5 * SECOND);
	run();
	CHECK(sim.turns > 5);
	CHECK_EQ(told("no turn in this period"), 0);
}

static unsigned int write_now(struct sim *s)
{
	if (s->step++)
		return 0;
	pass(SECOND);
	return COLLECT_WRITE;
}

TEST(an_end_before_the_first_turn_is_told)
{
	set_up(1, 1, 4 * SECOND);
	sim.events = write_now;
	run();
	CHECK(!sim.turns && !sim.nr_files);
	CHECK_EQ(told("no turn yet: the budget pays for the next one after about "), 2);
	set_up(1, 0.001, 4 * SECOND);
	run();
	CHECK_STR(sim.said, "");
}

/* --- CPUs --- */

static unsigned int plug(struct sim *s)
{
	s->time.cpus = 1 + s->time.awake / (600 * SECOND) * 7 % 16;
	return 0;
}

TEST(cpus_that_come_and_go_stay_within_the_budget)
{
	set_up(1, 1, 10 * HOUR);
	sim.events = plug;
	run();
	CHECK_EQ(sim.nr_files, 10);
	CHECK(sim.cost < 0.005 * 16 * 10 * HOUR);
}

/* Each look takes a second, of which no turn knows. */
static unsigned int look_long(struct sim *s)
{
	s->time.spent += SECOND;
	s->cost += SECOND;
	return 0;
}

TEST(what_is_spent_between_the_turns_is_paid_for_by_fewer_turns)
{
	uint64_t turns;

	set_up(4, 1, 10 * HOUR);
	run();
	turns = sim.turns;
	set_up(4, 1, 10 * HOUR);
	sim.events = look_long;
	run();
	CHECK(sim.turns < turns / 10);
}

/* --- a week --- */

static unsigned int office_hours(struct sim *s)
{
	const unsigned int hour = s->time.awake / HOUR % 24;

	s->load = hour < 8 || hour > 18 ? 0.001 : 0.1 + (test_random() % 90) / 100.0;
	return 0;
}

TEST(after_a_week_there_are_the_files_that_are_to_be_kept)
{
	unsigned int i;

	set_up(8, 0, 7 * 24 * HOUR);
	sim.events = office_hours;
	sim.opts.keep_size = 50 * 1000;
	run();
	CHECK(sim.nr_files >= 7 * 11 && sim.nr_files <= 7 * 12 + 1);
	for (i = 0; i < sim.nr_files; i++)
		CHECK_EQ(sim.files[i].number, i);
	CHECK_EQ(files_on_disk(), 50);
	CHECK(sim.cost < 0.005 * 8 * 7 * 11 * HOUR);
	CHECK_EQ(told("removed 1 old file\n"), sim.nr_files - 50);
}
