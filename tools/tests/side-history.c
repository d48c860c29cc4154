// SPDX-License-Identifier: GPL-2.0-only
/* What threads did lately, beside their branches. */
#include "side/history.h"
#include "test.h"

static struct side_history *history;

static void syscall_of(uint32_t tid, uint64_t number)
{
	const struct side_event event = { .kind = SIDE_SYSCALL,
					  .syscall = number };

	CHECK_EQ(side_history_add(history, tid, &event, 0), 0);
}

static void interrupt_of(uint32_t tid, unsigned int cause)
{
	const struct side_event event = { .kind = SIDE_INTERRUPT,
					  .cause = cause };

	CHECK_EQ(side_history_add(history, tid, &event, 0), 0);
}

/* The thread's system call, 0 the youngest. */
static uint64_t syscall_at(uint32_t tid, unsigned int i)
{
	const struct side_thread *thread = side_history_find(history, tid, 0);
	const uint64_t *entry;

	CHECK(thread);
	entry = side_ring_at(thread->syscalls, i);
	CHECK(entry);
	return entry[0];
}

/* So many that their places collide and wrap around; all are freed. */
TEST(each_of_many_threads_has_its_own)
{
	uint32_t tid;

	history = side_history_new();
	for (tid = 1; tid <= 2000; tid++)
		syscall_of(tid, 3 * tid);
	for (tid = 1; tid <= 2000; tid++) {
		CHECK_EQ(syscall_at(tid, 0), 3 * tid);
		CHECK_EQ(side_history_find(history, tid, 0)->tid, tid);
	}
	CHECK(!side_history_find(history, 2001, 0));
	side_history_free(history);
}

/* One thread in each place, so that the last one is in use, too. */
TEST(no_place_is_forgotten_when_all_are_freed)
{
	uint32_t tid;

	for (tid = 0; tid < 64; tid++) {
		history = side_history_new();
		syscall_of(tid, 1);
		side_history_free(history);
	}
}

TEST(the_youngest_are_kept)
{
	unsigned int i;

	history = side_history_new();
	for (i = 0; i < SIDE_HISTORY_DEPTH + 5; i++)
		syscall_of(7, i + 1000);
	for (i = 0; i < SIDE_HISTORY_DEPTH; i++)
		CHECK_EQ(syscall_at(7, i), 1000 + SIDE_HISTORY_DEPTH + 4 - i);
	CHECK(!side_ring_at(side_history_find(history, 7, 0)->syscalls,
			    SIDE_HISTORY_DEPTH));
	side_history_free(history);
}

TEST(what_was_not_told_is_not_there)
{
	const struct side_thread *thread;

	history = side_history_new();
	CHECK(!side_history_find(history, 7, 0));
	syscall_of(7, 1);
	thread = side_history_find(history, 7, 0);
	CHECK(thread && thread->in_syscall);
	CHECK(!side_ring_at(thread->syscalls, 1));
	CHECK(!side_fault_at(&thread->faults, 0));
	CHECK_EQ(thread->cause, 0);
	side_history_free(history);
}

static void syscall_ends_of(uint32_t tid, uint64_t number)
{
	const struct side_event event = { .kind = SIDE_SYSCALL_END, .syscall = number };

	CHECK_EQ(side_history_add(history, tid, &event, 0), 0);
}

static unsigned int certain_of(uint32_t tid)
{
	return side_history_find(history, tid, 0)->certain;
}

/* As of a call that seccomp denies. The first end of a thread may be from before the recording. */
TEST(a_call_without_a_start_has_the_number_of_its_end)
{
	history = side_history_new();
	syscall_ends_of(7, 9);
	CHECK(!side_history_find(history, 7, 0)->syscalls);
	syscall_of(7, 1);
	syscall_ends_of(7, 1);
	syscall_of(7, 2);
	syscall_ends_of(7, 2);
	CHECK_EQ(syscall_at(7, 0), 2);
	CHECK_EQ(certain_of(7), 2);
	/* Others may be missing before it. */
	syscall_ends_of(7, 3);
	CHECK_EQ(syscall_at(7, 0), 3);
	CHECK_EQ(syscall_at(7, 1), 2);
	CHECK_EQ(certain_of(7), 1);
	syscall_of(7, 4);
	syscall_ends_of(7, 4);
	CHECK_EQ(syscall_at(7, 0), 4);
	CHECK_EQ(syscall_at(7, 1), 3);
	CHECK_EQ(certain_of(7), 2);
	CHECK_EQ(side_history_find(history, 7, 0)->fresh_syscalls, 4);
	CHECK_EQ(side_history_missed(history), 0);
	side_history_free(history);
}

/* Behind a sample in user code, each end belongs to a call that began after it. */
TEST(a_sample_in_user_code_tells_that_a_thread_is_in_no_call)
{
	enum side_level level;

	for (level = SIDE_AHEAD; level <= SIDE_USER; level++) {
		history = side_history_new();
		syscall_of(7, 1);
		CHECK_EQ(side_history_count(history, 7, 0, level), 0);
		syscall_of(8, 1);
		CHECK_EQ(side_history_count(history, 8, 1, level), 0);
		CHECK(side_history_find(history, 8, 1)->counted == (level != SIDE_AHEAD));
		side_history_free(history);

		history = side_history_new();
		CHECK_EQ(side_history_count(history, 7, 0, level), 0);
		syscall_ends_of(7, 2);
		CHECK(!!side_history_find(history, 7, 0)->syscalls == (level == SIDE_USER));
		side_history_free(history);
	}
}

/* A call that is restarted has a start more than the program has calls. */
TEST(calls_are_counted_anew_behind_a_restart)
{
	history = side_history_new();
	syscall_of(7, 1);
	syscall_ends_of(7, 1);
	CHECK_EQ(side_history_count(history, 7, 0, SIDE_USER), 0);
	syscall_of(7, 115);
	syscall_ends_of(7, 115);
	CHECK(side_history_find(history, 7, 0)->counted);
	syscall_of(7, 128);
	CHECK(!side_history_find(history, 7, 0)->counted);
	CHECK_EQ(certain_of(7), 1);
	CHECK(!side_ring_at(side_history_find(history, 7, 0)->syscalls, 1));
	side_history_free(history);
}

TEST(calls_before_one_that_no_event_told_are_forgotten)
{
	history = side_history_new();
	syscall_of(7, 1);
	syscall_ends_of(7, 1);
	side_history_miss(side_history_find(history, 7, 0));
	CHECK_EQ(side_history_missed(history), 1);
	CHECK(!side_ring_at(side_history_find(history, 7, 0)->syscalls, 0));
	CHECK_EQ(certain_of(7), 0);
	/* Of this one, nothing is left to forget. */
	side_history_miss(side_history_find(history, 7, 0));
	CHECK_EQ(side_history_missed(history), 1);
	syscall_of(7, 3);
	CHECK_EQ(syscall_at(7, 0), 3);
	CHECK(!side_ring_at(side_history_find(history, 7, 0)->syscalls, 1));
	side_history_free(history);
}

/* On each CPU, starts are recorded later than ends, or no longer when ends still are. */
TEST(what_the_recorder_itself_calls_while_it_switches_events_is_no_miss)
{
	const struct side_event disable = { .kind = SIDE_SYSCALL, .syscall = 29,
					    .switches = true };

	history = side_history_new();
	syscall_of(7, 122);
	side_history_miss(side_history_find(history, 7, 0));
	CHECK_EQ(side_history_missed(history), 1);
	/* All others have each call. */
	syscall_of(8, 122);
	CHECK_EQ(side_history_add(history, 7, &disable, 0), 0);
	CHECK_EQ(side_history_missed(history), 0);
	side_history_miss(side_history_find(history, 8, 0));
	CHECK_EQ(side_history_missed(history), 1);
	side_history_free(history);
}

/* Its start may have been lost. */
TEST(an_end_without_a_start_behind_a_loss_is_that_of_a_call_before_it)
{
	const struct side_event start = { .kind = SIDE_SYSCALL, .syscall = 63 };
	const struct side_event stop = { .kind = SIDE_SYSCALL_END, .syscall = 63 };
	const struct side_thread *thread;

	history = side_history_new();
	CHECK_EQ(side_history_add(history, 7, &start, 0), 0);
	CHECK_EQ(side_history_add(history, 7, &stop, 1), 0);
	thread = side_history_find(history, 7, 1);
	CHECK(!side_ring_at(thread->syscalls, 0));
	CHECK_EQ(thread->certain, 0);
	CHECK_EQ(side_history_add(history, 7, &start, 1), 0);
	CHECK_EQ(side_history_add(history, 7, &stop, 1), 0);
	CHECK_EQ(side_history_add(history, 7, &stop, 1), 0);
	CHECK(side_ring_at(thread->syscalls, 1));
	CHECK(!side_ring_at(thread->syscalls, 2));
	CHECK_EQ(thread->certain, 1);
	side_history_free(history);
}

static uint64_t fault_at(uint32_t tid, unsigned int i)
{
	const struct side_thread *thread = side_history_find(history, tid, 0);
	const struct side_fault *fault = side_fault_at(&thread->faults, i);

	return fault ? fault->pc : 0;
}

TEST(the_youngest_faults_are_kept_and_what_a_sample_leaves_of_them)
{
	const struct rv_regs regs = { .known = 2, .x[1] = 77 };
	const struct side_thread *thread;
	struct side_event fault = { .kind = SIDE_FAULT };
	unsigned int nr, i;

	history = side_history_new();
	for (nr = 1; nr <= SIDE_HISTORY_DEPTH + 5; nr++) {
		fault.fault.pc = nr;
		CHECK_EQ(side_history_add(history, 7, &fault, 0), 0);
		for (i = 0; i < nr && i < SIDE_HISTORY_DEPTH; i++)
			CHECK_EQ(fault_at(7, i), nr - i);
		CHECK_EQ(fault_at(7, i), 0);
	}
	thread = side_history_find(history, 7, 0);
	CHECK_EQ(thread->faults.fresh, SIDE_HISTORY_DEPTH + 5);
	CHECK_EQ(side_history_sample(history, 7, 0, 3, &regs), 0);
	thread = side_history_find(history, 7, 0);
	CHECK_EQ(thread->faults.fresh, 3);
	CHECK_EQ(thread->regs.x[1], 77);
	/* A loss makes forget these, too. */
	CHECK_EQ(side_history_add(history, 7, &fault, 1), 0);
	thread = side_history_find(history, 7, 1);
	CHECK_EQ(thread->faults.fresh, 1);
	CHECK_EQ(thread->regs.known, 0);
	side_history_free(history);
}

TEST(a_loss_makes_all_forget)
{
	const struct side_event fault = { .kind = SIDE_FAULT,
					  .fault = { .pc = 0x1000,
						     .addr = 0x2000 } };
	const struct side_thread *thread;

	history = side_history_new();
	syscall_of(7, 1);
	interrupt_of(7, 5);
	syscall_of(8, 2);
	CHECK(!side_history_find(history, 7, 1));
	CHECK_EQ(side_history_add(history, 7, &fault, 1), 0);
	thread = side_history_find(history, 7, 1);
	CHECK(thread && !thread->in_syscall);
	CHECK(!side_ring_at(thread->syscalls, 0));
	CHECK_EQ(thread->cause, 0);
	CHECK_EQ(side_fault_at(&thread->faults, 0)->pc, 0x1000);
	CHECK_EQ(side_fault_at(&thread->faults, 0)->addr, 0x2000);
	CHECK(!side_history_find(history, 8, 1));
	side_history_free(history);
}

/* Counter overflow, which takes the samples, freezes the stack: cause 13. */
TEST(the_last_interrupt_is_not_the_one_that_took_the_sample)
{
	history = side_history_new();
	interrupt_of(7, 5);
	interrupt_of(7, 13);
	CHECK_EQ(side_history_find(history, 7, 0)->cause, 5);
	interrupt_of(7, 9);
	CHECK_EQ(side_history_find(history, 7, 0)->cause, 9);
	side_history_free(history);
}
