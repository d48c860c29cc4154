// SPDX-License-Identifier: GPL-2.0-only
/* Which threads have a wanted name. */
#include "samples/comms.h"
#include "test.h"

#include <linux/perf_event.h>

static const char *lists[] = { "one,a_name_of_17_char", "two" };

static struct comms begin(void)
{
	return (struct comms){ .lists = lists, .nr_lists = 2 };
}

static void name(struct comms *comms, uint32_t tid, const char *name)
{
	CHECK(comms_event(comms, &(struct pd_event){
		.type = PERF_RECORD_COMM, .tid = tid, .comm.name = name }));
}

static void start(struct comms *comms, uint32_t parent, uint32_t tid)
{
	CHECK(comms_event(comms, &(struct pd_event){
		.type = PERF_RECORD_FORK, .tid = tid, .task.ptid = parent }));
}

static void happens(struct comms *comms, uint32_t type, uint32_t tid)
{
	CHECK(comms_event(comms, &(struct pd_event){ .type = type, .tid = tid }));
}

TEST(a_thread_is_wanted_while_it_has_a_wanted_name)
{
	struct comms comms = begin();

	CHECK(!comms_want(&comms, 5));
	name(&comms, 5, "one");
	name(&comms, 6, "two");
	name(&comms, 7, "ones");
	CHECK(comms_want(&comms, 5));
	CHECK(comms_want(&comms, 6));
	CHECK(!comms_want(&comms, 7));
	CHECK(!comms_want(&comms, 8));
	name(&comms, 5, "on");
	name(&comms, 7, "two");
	CHECK(!comms_want(&comms, 5));
	CHECK(comms_want(&comms, 7));
	comms_free(&comms);
}

TEST(a_child_has_its_parents_name_until_it_has_its_own)
{
	struct comms comms = begin();

	name(&comms, 5, "one");
	start(&comms, 5, 6);
	start(&comms, 6, 7);
	CHECK(comms_want(&comms, 6));
	CHECK(comms_want(&comms, 7));
	name(&comms, 6, "sh");
	CHECK(!comms_want(&comms, 6));
	CHECK(comms_want(&comms, 7));
	/* The number may be of another thread later. */
	start(&comms, 6, 5);
	CHECK(!comms_want(&comms, 5));
	comms_free(&comms);
}

/* The kernel keeps 15 characters. */
TEST(a_long_name_is_known_by_what_is_left_of_it)
{
	struct comms comms = begin();

	name(&comms, 5, "a_name_of_17_ch");
	CHECK(comms_want(&comms, 5));
	/* perf's own records of what runs already may have all of it. */
	name(&comms, 5, "a_name_of_17_char");
	CHECK(comms_want(&comms, 5));
	name(&comms, 5, "a_name_of_17_c");
	CHECK(!comms_want(&comms, 5));
	comms_free(&comms);
}

TEST(a_list_is_also_one_name)
{
	static const char *one[] = { "worker b,\"<x>", "a,b,c" };
	struct comms comms = { .lists = one, .nr_lists = 2 };

	name(&comms, 5, "worker b,\"<x>");
	name(&comms, 6, "worker b");
	name(&comms, 7, "b");
	name(&comms, 8, "a,b,c");
	name(&comms, 9, "a,b");
	name(&comms, 10, "worker b,\"<x>,");
	CHECK(comms_want(&comms, 5));
	CHECK(comms_want(&comms, 6));
	CHECK(comms_want(&comms, 7));
	CHECK(comms_want(&comms, 8));
	CHECK(!comms_want(&comms, 9));
	CHECK(!comms_want(&comms, 10));
	comms_free(&comms);
}

TEST(idle_harts_run_swapper)
{
	static const char *idle[] = { "swapper" };
	struct comms comms = { .lists = idle, .nr_lists = 1 };

	CHECK(comms_want(&comms, 0));
	CHECK(!comms_want(&comms, 1));
	comms_free(&comms);
	comms = begin();
	CHECK(!comms_want(&comms, 0));
	comms_free(&comms);
}

/* By the name that reports show for them. */
TEST(threads_without_a_known_name_can_be_wanted)
{
	static const char *unknown[] = { "one,[unknown]" };
	struct comms comms = { .lists = unknown, .nr_lists = 1 };

	name(&comms, 5, "two");
	name(&comms, 6, "");
	start(&comms, 7, 8);
	name(&comms, 9, "two");
	happens(&comms, PERF_RECORD_EXIT, 9);
	CHECK(!comms_want(&comms, 0));
	CHECK(!comms_want(&comms, 5));
	CHECK(comms_want(&comms, 6));
	CHECK(comms_want(&comms, 7));
	CHECK(comms_want(&comms, 8));
	CHECK(!comms_want(&comms, 9));
	happens(&comms, PERF_RECORD_MMAP, 9);
	CHECK(comms_want(&comms, 9));
	comms_free(&comms);
}

TEST(without_a_list_all_are_wanted)
{
	struct comms comms = { 0 };

	name(&comms, 5, "one");
	CHECK(comms_want(&comms, 5));
	CHECK(comms_want(&comms, 6));
	CHECK_EQ(comms.nr, 0);
	comms_free(&comms);
}

/* Whether they are wanted or not. */
TEST(threads_have_the_last_name_that_they_took)
{
	struct comms comms = { .named = true };
	unsigned int i;

	CHECK_STR(comms_name(&comms, 5), "");
	name(&comms, 5, "sh");
	name(&comms, 5, "a_name_of_17_char");
	CHECK_STR(comms_name(&comms, 5), "a_name_of_17_ch");
	/* So many that the table moves. */
	for (i = 6; i < 100; i++)
		start(&comms, i - 1, i);
	CHECK_STR(comms_name(&comms, 99), "a_name_of_17_ch");
	CHECK_STR(comms_name(&comms, 100), "");
	CHECK_STR(comms_name(&comms, 0), "swapper");
	comms_free(&comms);
}

/* The FORK and COMM of the second one may be lost. */
TEST(a_thread_does_not_have_the_name_of_one_that_ended_before)
{
	struct comms comms = begin();

	comms.named = true;
	name(&comms, 5, "one");
	happens(&comms, PERF_RECORD_MMAP, 5);
	happens(&comms, PERF_RECORD_EXIT, 5);
	/* Samples of its last moments. */
	CHECK_STR(comms_name(&comms, 5), "one");
	CHECK(comms_want(&comms, 5));
	happens(&comms, PERF_RECORD_MMAP, 6);
	CHECK_STR(comms_name(&comms, 5), "one");
	happens(&comms, PERF_RECORD_MMAP, 5);
	CHECK_STR(comms_name(&comms, 5), "");
	CHECK(!comms_want(&comms, 5));
	/* A name that it takes is its own. */
	happens(&comms, PERF_RECORD_EXIT, 5);
	name(&comms, 5, "two");
	happens(&comms, PERF_RECORD_MMAP, 5);
	CHECK_STR(comms_name(&comms, 5), "two");
	comms_free(&comms);
}

/* Linux writes an EXIT for it, too, and another one at its end. */
TEST(the_start_of_a_set_uid_program_is_no_end)
{
	struct comms comms = begin();

	comms.named = true;
	CHECK(comms_event(&comms, &(struct pd_event){
		.type = PERF_RECORD_COMM, .tid = 5, .comm = { "one", true } }));
	happens(&comms, PERF_RECORD_EXIT, 5);
	happens(&comms, PERF_RECORD_MMAP, 5);
	CHECK_STR(comms_name(&comms, 5), "one");
	CHECK(comms_want(&comms, 5));
	happens(&comms, PERF_RECORD_EXIT, 5);
	happens(&comms, PERF_RECORD_MMAP, 5);
	CHECK_STR(comms_name(&comms, 5), "");
	CHECK(!comms_want(&comms, 5));
	comms_free(&comms);
}

TEST(many_threads_are_told_apart)
{
	struct comms comms = begin();
	uint32_t i;

	for (i = 1; i < 5000; i++)
		name(&comms, i, i % 3 ? "one" : "three");
	for (i = 1; i < 5000; i++)
		CHECK_EQ(comms_want(&comms, i), i % 3 > 0);
	comms_free(&comms);
}
