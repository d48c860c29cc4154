// SPDX-License-Identifier: GPL-2.0-only
/* Which events a recording takes, and how they are to be opened. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "recorder/plan.h"
#include "test.h"

static struct rcd_opts opts;
static struct rcd_events events;
static struct notes notes;
static struct error error;

static void begin(void)
{
	opts = (struct rcd_opts)RCD_OPTS_INIT;
}

static int plan(void)
{
	rcd_free_events(&events);
	notes_free(&notes);
	return rcd_plan(&events, &opts, &notes, &error);
}

static void plan_of(const char *list)
{
	opts.nr_events = 0;
	if (list)
		opts.events[opts.nr_events++] = list;
	if (plan())
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

static const struct perf_event_attr *attr_of(const char *name)
{
	size_t i;

	for (i = 0; i < events.nr; i++)
		if (!strcmp(events.v[i].name, name))
			return &events.v[i].attr;
	test_fail(__FILE__, __LINE__, "no event %s", name);
}

static bool has_stack(const char *name)
{
	return attr_of(name)->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

static void end(void)
{
	rcd_free_events(&events);
	notes_free(&notes);
}

TEST(without_a_word_only_the_modes_whose_branches_are_recorded_count)
{
	begin();
	opts.branches = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	plan_of(NULL);
	CHECK(attr_of("cycles:u")->exclude_kernel);
	opts.branches = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL;
	plan_of(NULL);
	CHECK(attr_of("cycles:k")->exclude_user);
	opts.branches |= PERF_SAMPLE_BRANCH_USER;
	plan_of(NULL);
	CHECK(!attr_of("cycles")->exclude_user);
	/* A thread has its calls in the kernel, too. */
	opts.branches = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER;
	plan_of(NULL);
	CHECK(!attr_of("cycles")->exclude_kernel);
	end();
}

TEST(without_a_word_it_is_cycles_of_a_command)
{
	const struct perf_event_attr *attr;

	begin();
	plan_of(NULL);
	CHECK_EQ(events.nr, 1);
	attr = attr_of("cycles");
	CHECK(has_stack("cycles"));
	CHECK_EQ(attr->branch_sample_type,
		 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE);
	CHECK(attr->freq && attr->sample_freq > 0 && attr->sample_freq <= 4000);
	CHECK(attr->disabled && attr->enable_on_exec && attr->inherit);
	CHECK(attr->mmap && attr->mmap2 && attr->comm && attr->task && attr->ksymbol);
	CHECK(attr->sample_id_all && attr->use_clockid);
	CHECK_EQ(attr->clockid, CLOCK_MONOTONIC);
	CHECK(attr->sample_type & PERF_SAMPLE_IDENTIFIER);
	CHECK_EQ(notes.nr, 0);
	end();
}

/* The first that the hart counts; where none does, the first. */
TEST(one_event_has_the_stacks)
{
	begin();
	plan_of("faults,cycles:u,instructions:u");
	CHECK(!has_stack("faults"));
	CHECK(has_stack("cycles:u") && has_stack("instructions:u"));
	plan_of("faults,cs");
	CHECK(has_stack("faults") && !has_stack("cs"));
	end();
}

TEST(what_stands_beside_is_recorded_each_time)
{
	begin();
	opts.period = 100000;
	plan_of("cycles,faults,cpu-clock");
	CHECK_EQ(attr_of("cycles")->sample_period, 100000);
	CHECK_EQ(attr_of("faults")->sample_period, 1);
	CHECK(attr_of("faults")->sample_type & PERF_SAMPLE_ADDR);
	CHECK(!(attr_of("cycles")->sample_type & PERF_SAMPLE_ADDR));
	/* It comes by the nanosecond. */
	CHECK(attr_of("cpu-clock")->freq);
	plan_of("faults");
	CHECK_EQ(attr_of("faults")->sample_period, 100000);
	plan_of("faults/period=7/");
	CHECK_EQ(attr_of("faults/period=7/")->sample_period, 7);
	end();
}

TEST(a_use_says_what_nobody_else_does)
{
	begin();
	opts.use = RCD_FOR_STF;
	plan_of(NULL);
	CHECK(attr_of("cycles:u")->exclude_kernel);
	CHECK_EQ(attr_of("cycles:u")->branch_sample_type,
		 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE |
			 PERF_SAMPLE_BRANCH_PRIV_SAVE |
			 PERF_SAMPLE_BRANCH_HW_INDEX);
	CHECK(!events.v[0].optional);
	/* Faults by whichever name this machine has for them. */
	CHECK(events.nr > 1);
	CHECK(events.v[events.nr - 1].optional);
	opts.use = RCD_FOR_PROFILE;
	opts.depth = 77;
	opts.branches = PERF_SAMPLE_BRANCH_ANY_CALL;
	plan_of(NULL);
	CHECK_EQ(events.nr, 1);
	CHECK_EQ(attr_of("cycles:u")->branch_sample_type,
		 PERF_SAMPLE_BRANCH_ANY_CALL);
	CHECK_EQ(attr_of("cycles:u")->sample_max_stack, 77);
	end();
}

TEST(where_tasks_run_already_a_dummy_tells_of_them)
{
	begin();
	CHECK(rcd_add_pid(&opts.pids, 1));
	plan_of("cycles");
	CHECK_EQ(events.nr, 2);
	CHECK(!attr_of("cycles")->mmap && !attr_of("cycles")->enable_on_exec);
	CHECK(attr_of("dummy:u")->mmap && attr_of("dummy:u")->comm);
	CHECK(!has_stack("dummy:u"));
	CHECK(attr_of("cycles")->inherit);
	opts.inherit = false;
	plan_of("cycles");
	CHECK(!attr_of("cycles")->inherit);
	free(opts.pids.v);
	/* CPUs have no children. */
	begin();
	opts.all = true;
	plan_of("cycles");
	CHECK(attr_of("dummy:u")->mmap && !attr_of("cycles")->inherit);
	end();
}

TEST(more_samples_than_the_kernel_takes_are_noted)
{
	if (access("/proc/sys/kernel/perf_event_max_sample_rate", R_OK))
		test_skip("this kernel has no events");
	begin();
	opts.freq = 4000000000u;
	plan_of("cycles,instructions");
	CHECK(attr_of("cycles")->sample_freq < opts.freq);
	CHECK_EQ(notes.nr, 2);
	CHECK(strstr(notes.v[0].text, "-F 4000000000: more than"));
	CHECK_EQ(notes.v[0].number, attr_of("cycles")->sample_freq);
	/* As many as may be is what was asked for. */
	opts.freq = UINT64_MAX;
	plan_of("cycles");
	CHECK_EQ(notes.nr, 0);
	CHECK(attr_of("cycles")->sample_freq < UINT32_MAX);
	end();
}

TEST(an_event_that_is_not_there_is_told)
{
	begin();
	opts.events[0] = "cycles";
	opts.events[1] = "nonsense";
	opts.nr_events = 2;
	CHECK_EQ(plan(), ERROR_USAGE);
	CHECK_STR(error.text, "there is no event 'nonsense'");
	end();
}

/* Its period is changed all the time, which the kernel does for no event of heirs. */
TEST(windows_need_one_event_of_user_code)
{
	const struct perf_event_attr *attr;

	begin();
	opts.use = RCD_FOR_STF;
	opts.windows = (struct windows){ .size = 200000, .every = 50000000, .seed = 1 };
	CHECK_EQ(plan(), 0);
	CHECK_EQ(events.nr, 1);
	attr = &events.v[0].attr;
	CHECK(!strncmp(events.v[0].name, "windows/size=200000,every=50000000,period=", 42));
	CHECK_EQ(attr->type, PERF_TYPE_HARDWARE);
	CHECK_EQ(attr->config, PERF_COUNT_HW_INSTRUCTIONS);
	CHECK(attr->exclude_kernel && !attr->inherit && !attr->freq);
	CHECK_EQ(attr->sample_period, 50000000);
	CHECK_EQ(attr->wakeup_events, 1);
	CHECK_EQ(attr->sample_type, RCD_SAMPLE_TYPE | PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK);
	CHECK_EQ(attr->branch_sample_type,
		 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE |
			 PERF_SAMPLE_BRANCH_PRIV_SAVE | PERF_SAMPLE_BRANCH_HW_INDEX);
	CHECK(attr->sample_max_stack > 0);
	opts.depth = 40;
	CHECK_EQ(plan(), 0);
	CHECK_EQ(events.v[0].attr.sample_max_stack, 40);
	/* On each hart, the buffer has more records than that. */
	opts.depth = 4;
	CHECK_EQ(plan(), 0);
	CHECK(strstr(events.v[0].name, ",period=5,"));
	end();
}

TEST(rings_have_room_for_a_window)
{
	begin();
	CHECK_EQ(rcd_pages(&opts), 128);
	opts.windows = (struct windows){ .size = 200000, .every = 50000000 };
	CHECK(rcd_pages(&opts) > 128);
	/* Smaller samples, but more of them. */
	opts.depth = 4;
	CHECK(rcd_pages(&opts) >= 200000 / 5 * (128 + 4 * 24) / 4096);
	opts.pages = 4;
	CHECK_EQ(rcd_pages(&opts), 4);
}
