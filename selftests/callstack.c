// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call stack shows the calls that have not returned, all of them and no other:
 * a chain of known functions appears in it call by call, whatever happens below.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "caps.h"
#include "harness.h"
#include "place.h"
#include "sampler.h"
#include "transfer.h"
#include "work.h"

#define U		PERF_SAMPLE_BRANCH_USER
#define ANY		PERF_SAMPLE_BRANCH_ANY
#define CALL_STACK	PERF_SAMPLE_BRANCH_CALL_STACK

void chain_1(void (*bottom)(void));
void dive(uint64_t depth);
extern const char dive_call[], place_loop[], place_loop_end[];
extern const char chain_2[], chain_3[], chain_4[], chain_5[], chain_6[],
	chain_7[], chain_8[];
extern const char chain_call_1[], chain_call_2[], chain_call_3[],
	chain_call_4[], chain_call_5[], chain_call_6[], chain_call_7[],
	chain_call_8[];

/* Newest first; what the C compiler made is of no known place. */
struct call {
	const void *from, *to;
};

static void bottom(void);

static const struct call expected[] = {
	{ NULL, place_loop },
	{ chain_call_8, bottom },
	{ chain_call_7, chain_8 },
	{ chain_call_6, chain_7 },
	{ chain_call_5, chain_6 },
	{ chain_call_4, chain_5 },
	{ chain_call_3, chain_4 },
	{ chain_call_2, chain_3 },
	{ chain_call_1, chain_2 },
	{ NULL, chain_1 },
};

#define LENGTH (sizeof(expected) / sizeof(expected[0]))

struct seen {
	unsigned int samples, whole, wrong;
	uint64_t depth, dived;
	pid_t pid;
};

static bool is_call(const struct perf_branch_entry *entry,
		    const struct call *call)
{
	return (!call->from || entry->from == (uintptr_t)call->from) &&
	       entry->to == (uintptr_t)call->to;
}

/* In the loop the whole chain is above us. */
static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;
	bool wrong = !sample->whole || sample->nr > LENGTH;

	if (sample->pid != seen->pid || sample->ip < (uintptr_t)place_loop ||
	    sample->ip >= (uintptr_t)place_loop_end)
		return;
	for (uint64_t i = 0; i < sample->nr && i < LENGTH; i++)
		wrong = wrong || !is_call(&sample->entries[i], &expected[i]);
	seen->samples++;
	seen->whole += sample->nr == LENGTH;
	if (!wrong || seen->wrong++ > 2)
		return;
	for (uint64_t i = 0; i < sample->nr; i++)
		ksft_print_msg("%llx to %llx\n", sample->entries[i].from,
			       sample->entries[i].to);
}

/* What is done at the bottom of the chain, besides the loop. */
static void (*meanwhile)(int round);

/* Those that began and ended meanwhile. */
static unsigned int events_beside;

static void bottom(void)
{
	for (int i = 0; i < 100; i++) {
		meanwhile(i);
		((void (*)(uint64_t))place_loop)(5000);
	}
}

static void do_nothing(int round)
{
}

static void make_calls(int round)
{
	work(10);
}

static void make_system_calls(int round)
{
	for (int i = 0; i < 3; i++)
		syscall(SYS_getppid);
}

static void sleep_a_little(int round)
{
	usleep(1);
}

static void yield(int round)
{
	sched_yield();
}

static void move(int round)
{
	sampler_pin(0, round % nr_cpus());
}

/* perf shares out the counters of the CPU anew, and takes all events away for that. */
static void count(int round)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.size = sizeof(attr),
		.pinned = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd >= 0)
		close(fd);
	events_beside += fd >= 0;
}

static void begin_another(int round)
{
	struct perf_event_attr attr = sampler_attr(U | CALL_STACK);
	struct sampler sampler;

	if (sampler_open(&sampler, &attr, 0, -1))
		return;
	sampler_enable(&sampler);
	sampler_close(&sampler);
	events_beside++;
}

FIXTURE(callstack)
{
	struct perf_event_attr attr;
	struct seen seen;
	uint64_t *turns;
	pid_t neighbour;
};

FIXTURE_VARIANT(callstack)
{
	void (*meanwhile)(int round);
	bool neighbour, beside, events;
	int cpus;
};

#define VARIANT(_name, ...)						\
	FIXTURE_VARIANT_ADD(callstack, _name) { __VA_ARGS__ }

VARIANT(alone, .meanwhile = do_nothing);
VARIANT(between_calls, .meanwhile = make_calls);
VARIANT(between_system_calls, .meanwhile = make_system_calls);
VARIANT(between_naps, .meanwhile = sleep_a_little);
VARIANT(while_events_of_the_cpu_come_and_go, .meanwhile = count, .events = true);
VARIANT(while_other_call_stacks_come_and_go, .meanwhile = begin_another, .events = true);
VARIANT(beside_a_task, .meanwhile = yield, .neighbour = true);
VARIANT(on_many_cpus, .meanwhile = move, .neighbour = true, .cpus = 2);
VARIANT(beside_an_event_of_the_other_cpu, .meanwhile = move, .beside = true,
	.cpus = 2);

FIXTURE_SETUP(callstack)
{
	self->attr = sampler_attr(U | CALL_STACK);
	self->attr.freq = 0;
	self->attr.sample_period = 50000;
	self->seen.pid = getpid();
	self->seen.depth = caps_branches();
	ASSERT_EQ(0, sampler_pin(0, 0));
	if (!variant->neighbour)
		return;
	self->turns = mmap(NULL, sizeof(*self->turns), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->turns);
	self->neighbour = fork();
	if (!self->neighbour) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		place_move(PLACE(1), self->turns);
	}
}

FIXTURE_TEARDOWN(callstack)
{
	if (!self->neighbour)
		return;
	kill(self->neighbour, SIGKILL);
	waitpid(self->neighbour, NULL, 0);
}

/* Not on every hart. */
#define open_or_skip(_sampler, _attr)					\
	do {								\
		int __err = sampler_open(_sampler, _attr, 0, -1);	\
									\
		if (__err == -EOPNOTSUPP)				\
			SKIP(return, "no hart has RASEMU");		\
		ASSERT_EQ(0, __err);					\
	} while (0)

TEST_F(callstack, is_the_chain_of_calls)
{
	struct perf_event_attr any = sampler_attr(U | ANY);
	struct sampler sampler, beside;

	if (nr_cpus() < variant->cpus)
		SKIP(return, "it takes two harts");
	any.config = PERF_COUNT_HW_INSTRUCTIONS;
	meanwhile = variant->meanwhile;
	for (int i = 0; self->seen.samples < 200; i++) {
		ASSERT_GT(MANY, i);
		if (variant->beside) {
			ASSERT_EQ(0, sampler_open(&beside, &any, -1, 1));
			sampler_enable(&beside);
		}
		open_or_skip(&sampler, &self->attr);
		sampler_enable(&sampler);
		chain_1(bottom);
		sampler_disable(&sampler);
		sampler_drain(&sampler, see, &self->seen);
		sampler_close(&sampler);
		if (variant->beside)
			sampler_close(&beside);
	}
	TH_LOG("%u samples, %u whole", self->seen.samples, self->seen.whole);
	EXPECT_EQ(0, self->seen.wrong);
	/* The other event has its CPU for itself: the chain begins anew there. */
	if (!variant->beside)
		EXPECT_EQ(self->seen.samples, self->seen.whole);
	if (variant->neighbour)
		EXPECT_LT(100, *self->turns);
	if (variant->events)
		EXPECT_LT(100, events_beside);
}

/* More calls than there is room for: the newest are there. */
static void see_dive(const struct sample *sample, void *data)
{
	struct seen *seen = data;
	bool wrong = !sample->whole;

	if (sample->ip < (uintptr_t)place_loop ||
	    sample->ip >= (uintptr_t)place_loop_end)
		return;
	seen->samples++;
	for (uint64_t i = 1; i < sample->nr && i <= seen->dived; i++)
		wrong = wrong ||
			sample->entries[i].from != (uintptr_t)dive_call ||
			sample->entries[i].to != (uintptr_t)dive;
	seen->wrong += wrong;
	seen->whole += sample->nr >= seen->dived ||
		       sample->nr == (seen->depth < 127 ? seen->depth : 127);
}

TEST(a_call_stack_has_the_newest_calls)
{
	static const uint64_t depths[] = { 0, 1, 10, 15, 16, 31, 32, 100, 126,
					   127, 254, 255, 256, 1000 };
	struct perf_event_attr attr = sampler_attr(U | CALL_STACK);

	attr.freq = 0;
	attr.sample_period = 20000;
	attr.sample_max_stack = 127;
	for (unsigned int i = 0; i < 14; i++) {
		struct seen seen = { .dived = depths[i],
				     .depth = caps_branches() };

		for (int try = 0; seen.samples < 20; try++) {
			struct sampler sampler;

			ASSERT_GT(MANY, try);
			open_or_skip(&sampler, &attr);
			sampler_enable(&sampler);
			for (int j = 0; j < 20; j++)
				dive(depths[i]);
			sampler_disable(&sampler);
			sampler_drain(&sampler, see_dive, &seen);
			sampler_close(&sampler);
		}
		EXPECT_EQ(0, seen.wrong) TH_LOG("%lu deep", depths[i]);
		EXPECT_EQ(seen.samples, seen.whole)
			TH_LOG("%lu deep", depths[i]);
	}
}

/* A hart records the one or the other: perf lets the events take turns. */
static void see_any(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	seen->samples++;
	for (uint64_t i = 1; i < sample->nr; i++)
		seen->wrong += !straight(sample->entries[i].to,
					 sample->entries[i - 1].from);
}

TEST(call_stacks_and_branches_take_turns)
{
	struct seen calls = { .pid = getpid() }, branches = {};
	struct perf_event_attr attr = sampler_attr(U | CALL_STACK);
	struct perf_event_attr any = sampler_attr(U | ANY);

	any.config = PERF_COUNT_HW_INSTRUCTIONS;
	meanwhile = make_calls;
	for (int i = 0; calls.samples < 50 || branches.samples < 50; i++) {
		struct sampler one, other;

		ASSERT_GT(MANY, i);
		open_or_skip(&one, &attr);
		ASSERT_EQ(0, sampler_open(&other, &any, 0, -1));
		sampler_enable(&one);
		sampler_enable(&other);
		for (int j = 0; j < 10; j++)
			chain_1(bottom);
		sampler_drain(&one, see, &calls);
		sampler_drain(&other, see_any, &branches);
		sampler_close(&one);
		sampler_close(&other);
	}
	TH_LOG("%u and %u samples, %u whole", calls.samples, branches.samples,
	       calls.whole);
	EXPECT_EQ(0, branches.wrong);
	/* One that got its turn in the midst of the chain has its end only. */
	EXPECT_LE(enough(1), calls.whole);
	EXPECT_EQ(0, calls.wrong);
}

TEST_HARNESS_MAIN
