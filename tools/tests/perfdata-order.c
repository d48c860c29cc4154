// SPDX-License-Identifier: GPL-2.0-only
/* perf.data: events come in the order in which they happened. */
#include "perfdata-build.h"
#include "perfdata/perfdata.h"
#include "test.h"

/* A sample whose ip is its number. */
static void put(struct pdb *b, uint64_t time, uint64_t number)
{
	pdb_sample(b, 0, &(struct pdb_sample){ .ip = number, .time = time });
}

static void open_built(struct pd **pd, struct pdb *b)
{
	pdb_finish(b);
	if (pd_open_memory(pd, b->file.p, b->file.n))
		test_fail(__FILE__, __LINE__, "%s", pd_error(*pd));
}

static void check_order(struct pdb *b, const uint64_t *want, size_t nr)
{
	struct pd_event ev;
	struct pd *pd;
	size_t i;

	open_built(&pd, b);
	for (i = 0; i < nr; i++) {
		CHECK_EQ(pd_next(pd, &ev), 1);
		CHECK_EQ(ev.sample.ip, want[i]);
	}
	CHECK_EQ(pd_next(pd, &ev), 0);
	pd_close(pd);
	pdb_free(b);
}

#define CHECK_ORDER(_b, ...)                                                   \
	check_order(_b, (const uint64_t[]){ __VA_ARGS__ },                     \
		    sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

TEST(without_rounds_all_is_sorted)
{
	struct pdb b = { 0 };

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	put(&b, 30, 3);
	put(&b, 10, 1);
	put(&b, 20, 2);
	put(&b, 5, 0);
	CHECK_ORDER(&b, 0, 1, 2, 3);
}

TEST(equal_times_keep_the_order_of_the_file)
{
	struct pdb b = { 0 };

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	put(&b, 20, 3);
	put(&b, 10, 1);
	put(&b, 20, 4);
	put(&b, 10, 2);
	put(&b, 20, 5);
	CHECK_ORDER(&b, 1, 2, 3, 4, 5);
}

TEST(a_round_may_hold_what_belongs_before_the_last_one_ended)
{
	struct pdb b = { 0 };

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	/* Buffer 0 is read up to 30, buffer 1 up to 40, and so on. */
	put(&b, 10, 1);
	put(&b, 30, 3);
	put(&b, 20, 2);
	put(&b, 50, 6);
	pdb_round(&b);
	put(&b, 40, 4);
	put(&b, 70, 8);
	put(&b, 45, 5);
	put(&b, 60, 7);
	pdb_round(&b);
	put(&b, 80, 9);
	CHECK_ORDER(&b, 1, 2, 3, 4, 5, 6, 7, 8, 9);
}

TEST(nothing_waits_longer_than_two_rounds)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;
	uint64_t i;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	for (i = 1; i <= 100; i++) {
		put(&b, i, i);
		pdb_round(&b);
	}
	open_built(&pd, &b);
	for (i = 1; i <= 98; i++) {
		CHECK_EQ(pd_next(pd, &ev), 1);
		CHECK_EQ(ev.sample.ip, i);
		/* Event i leaves when round i + 1 ends. */
		CHECK_EQ(pd_position(pd), (i + 1) * (b.data.n / 100));
	}
	pd_close(pd);
	pdb_free(&b);
}

TEST(events_of_time_0_come_at_once)
{
	struct pdb b = { 0 };

	/* perf makes up events for what ran before, without a time. */
	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	put(&b, 10, 3);
	put(&b, 0, 1);
	put(&b, 0, 2);
	put(&b, 5, 4);
	CHECK_ORDER(&b, 1, 2, 4, 3);
}

TEST(events_of_time_0_do_not_wait_for_the_end_of_a_round)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	put(&b, 0, 1);
	put(&b, 10, 2);
	open_built(&pd, &b);
	CHECK_EQ(pd_next(pd, &ev), 1);
	CHECK_EQ(ev.sample.ip, 1);
	CHECK_EQ(pd_position(pd), b.data.n / 2);
	pd_close(pd);
	pdb_free(&b);
}

TEST(without_times_the_file_is_the_order)
{
	struct pdb b = { 0 };

	pdb_event(&b, PERF_SAMPLE_IP | PERF_SAMPLE_TID, 0);
	put(&b, 0, 7);
	put(&b, 0, 3);
	put(&b, 0, 5);
	CHECK_ORDER(&b, 7, 3, 5);
}

TEST(without_times_of_all_records_the_file_is_the_order)
{
	struct pdb b = { 0 };

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	b.events[0].attr.sample_id_all = 0;
	put(&b, 30, 1);
	put(&b, 10, 2);
	put(&b, 20, 3);
	CHECK_ORDER(&b, 1, 2, 3);
}

TEST(late_events_are_delivered_and_counted)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	put(&b, 10, 1);
	pdb_round(&b);
	put(&b, 20, 2);
	pdb_round(&b);
	pdb_round(&b);
	put(&b, 15, 3);
	open_built(&pd, &b);
	while (pd_next(pd, &ev) == 1)
		;
	CHECK_EQ(pd_stats(pd)->samples, 3);
	CHECK_EQ(pd_stats(pd)->late, 1);
	pd_close(pd);
	pdb_free(&b);
}

/* What came between perf's two looks at the buffer: at the end of one round and again. */
TEST(what_perf_writes_twice_counts_once)
{
	struct pdb b = { 0 };

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	put(&b, 10, 1);
	put(&b, 20, 2);
	put(&b, 30, 3);
	put(&b, 5, 4);
	put(&b, 20, 5);
	pdb_round(&b);
	put(&b, 20, 2);
	put(&b, 30, 3);
	put(&b, 40, 6);
	pdb_round(&b);
	put(&b, 40, 6);
	CHECK_ORDER(&b, 4, 1, 2, 5, 3, 6);
}

TEST(what_perf_writes_twice_is_counted)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	put(&b, 10, 1);
	put(&b, 20, 2);
	pdb_round(&b);
	put(&b, 10, 1);
	put(&b, 20, 2);
	open_built(&pd, &b);
	while (pd_next(pd, &ev) == 1)
		;
	CHECK_EQ(pd_stats(pd)->samples, 2);
	CHECK_EQ(pd_stats(pd)->again, 2);
	pd_close(pd);
	pdb_free(&b);
}

/* A clock may be so coarse; perf itself writes nothing twice within a round. */
TEST(equal_records_of_one_round_or_of_distant_ones_are_all_delivered)
{
	struct pdb b = { 0 };

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	put(&b, 10, 1);
	put(&b, 10, 1);
	pdb_round(&b);
	put(&b, 20, 2);
	pdb_round(&b);
	put(&b, 10, 1);
	CHECK_ORDER(&b, 1, 1, 1, 2);
}

/* What perf tells of before the recording has one time, and may be very much. */
TEST(copies_are_found_among_many_records_of_one_time)
{
	enum { MANY = 30000, COPIES = 3 };
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;
	int i;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	for (i = 0; i < MANY; i++)
		put(&b, 10, i);
	pdb_round(&b);
	for (i = MANY - COPIES; i < MANY; i++)
		put(&b, 10, i);
	put(&b, 10, MANY);
	put(&b, 10, 0);
	open_built(&pd, &b);
	for (i = 0; i <= MANY; i++) {
		CHECK_EQ(pd_next(pd, &ev), 1);
		CHECK_EQ(ev.sample.ip, i);
	}
	CHECK_EQ(pd_next(pd, &ev), 0);
	CHECK_EQ(pd_stats(pd)->again, COPIES + 1);
	pd_close(pd);
	pdb_free(&b);
}

TEST(random_buffers_come_out_sorted)
{
	enum { BUFFERS = 5, ROUNDS = 40 };
	uint64_t time[BUFFERS] = { 0 }, now = 0, last = 0, sum = 0, seen = 0;
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;
	int round, i, ret;

	/*
	 * Buffers are read one after another while time goes on: each holds
	 * what came since it was read last, up to the moment it is read.
	 */
	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < BUFFERS; i++) {
			now += test_random() % 1000;
			while ((time[i] += 1 + test_random() % 200) < now) {
				put(&b, time[i], time[i] * BUFFERS + i);
				sum += time[i];
			}
			time[i] = now;
		}
		pdb_round(&b);
	}
	open_built(&pd, &b);
	while ((ret = pd_next(pd, &ev)) == 1) {
		CHECK_EQ(ev.sample.ip / BUFFERS, ev.time);
		CHECK(ev.time >= last);
		last = ev.time;
		seen += ev.time;
	}
	CHECK_EQ(ret, 0);
	CHECK_EQ(seen, sum);
	CHECK_EQ(pd_stats(pd)->late, 0);
	pd_close(pd);
	pdb_free(&b);
}
