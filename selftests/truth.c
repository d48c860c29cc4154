// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of this program for the judge: it runs code of many shapes on a machine
 * whose transfers are logged from outside, and leaves each sample as it came.
 *
 *   TRUTH_SAMPLES=N TRUTH_DIR=FOLDER TRUTH_PATIENCE=M truth
 *
 * N samples are taken of everything that user code does, and fewer of all else. A counter
 * that gave none in M turns of work starts anew: in a guest of KVM, which sets its counters
 * far ahead in between, QEMU swallows each second overflow.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"
#include "sampler.h"
#include "test.h"
#include "truth.h"
#include "truth_shapes.h"

#define USER	PERF_SAMPLE_BRANCH_USER
#define KERNEL	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY
#define TYPED	PERF_SAMPLE_BRANCH_TYPE_SAVE

struct recording {
	FILE *file;
	struct truth_header header;
	struct sampler sampler;
	unsigned int most;	/* samples to keep */
	unsigned int most_bare;	/* of them, such as have no two entries */
	unsigned int bare;
	unsigned int torn;
	bool anew;		/* it started, and kept no sample since */
};

static unsigned int setting(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static unsigned int wanted(void)
{
	return setting("TRUTH_SAMPLES", 10000);
}

static unsigned int depth(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/cpu/caps/branches", "r");
	unsigned int depth;

	CHECK(file);
	CHECK_EQ(fscanf(file, "%u", &depth), 1);
	fclose(file);
	return depth;
}

/* Of counter @config, in the file @name, logged as window @window. */
static void open_recording(struct recording *rec, const char *name,
			   unsigned int window, uint64_t config,
			   uint64_t branches)
{
	struct perf_event_attr attr = sampler_attr(branches | TYPED);
	const char *dir = getenv("TRUTH_DIR");
	char path[4096];

	*rec = (struct recording){
		.header = {
			.magic = TRUTH_MAGIC,
			.branch_sample_type = branches | TYPED,
			.window = window,
			.depth = depth(),
		},
	};
	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	rec->file = fopen(path, "wb");
	CHECK(rec->file);
	CHECK_EQ(fwrite(&rec->header, sizeof(rec->header), 1, rec->file), 1);

	attr.config = config;
	/* Not so short that the kernel throttles, and the log stays small. */
	attr.freq = 0;
	attr.sample_period = 20000;
	attr.sample_max_stack = 256;
	attr.exclude_kernel = !(branches & KERNEL);
	CHECK_EQ(sampler_open(&rec->sampler, &attr, 0, -1), 0);
}

static void keep(const struct sample *sample, void *data)
{
	struct truth_sample fixed = { .ip = sample->ip, .nr = sample->nr };
	struct recording *rec = data;

	rec->torn += !sample->whole;
	if (rec->header.nr == rec->most)
		return;
	if (sample->nr < 2 && rec->bare++ >= rec->most_bare)
		return;
	rec->header.nr++;
	rec->anew = false;
	CHECK_EQ(fwrite(&fixed, sizeof(fixed), 1, rec->file), 1);
	CHECK_EQ(fwrite(sample->entries, sizeof(*sample->entries), sample->nr,
			rec->file), sample->nr);
}

static void drain(struct recording *rec)
{
	sampler_drain(&rec->sampler, keep, rec);
}

static void finish(struct recording *rec)
{
	drain(rec);
	sampler_close(&rec->sampler);
	CHECK_EQ(rec->torn, 0);
	CHECK_EQ(fseek(rec->file, 0, SEEK_SET), 0);
	CHECK_EQ(fwrite(&rec->header, sizeof(rec->header), 1, rec->file), 1);
	CHECK_EQ(fclose(rec->file), 0);
	printf("# %u samples\n", rec->header.nr);
}

/* What a task does beside its work after every few rounds. */
typedef void (*pause_t)(unsigned int round);

static void start_anew(struct recording *rec)
{
	sampler_disable(&rec->sampler);
	/* The next sample shows what comes from here on. Callers are in no later one either. */
	if (rec->header.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		rec->header.partial = UINT32_MAX;
	if (rec->header.partial < UINT32_MAX && !rec->anew)
		rec->header.partial++;
	rec->anew = true;
	sampler_enable(&rec->sampler);
}

/* Until @least samples are there; a counter that lost its interrupt starts anew. */
static void run(struct recording *recs, unsigned int nr, unsigned int least,
		pause_t pause)
{
	uint64_t state = 88172645463325252ull;
	unsigned int patience = setting("TRUTH_PATIENCE", 1000);
	unsigned int idle = 0, round = 0, anew = 0, now, last = 0;

	for (;;) {
		for (int i = 0; i < 10; i++) {
			truth_shapes(&state);
			pause(round++);
		}
		now = UINT32_MAX;
		for (unsigned int i = 0; i < nr; i++) {
			drain(&recs[i]);
			if (recs[i].header.nr < now)
				now = recs[i].header.nr;
		}
		if (now >= least)
			break;
		idle = now == last ? idle + 1 : 0;
		last = now;
		if (idle < patience)
			continue;
		for (unsigned int i = 0; i < nr; i++)
			start_anew(&recs[i]);
		anew++;
		idle = 0;
	}
	if (anew)
		printf("# started anew %u times\n", anew);
}

/* By the others, the judge cannot be tried (truth_check.c). */
#define NOT_BARE	8

/* @recs have one window, which is of this hart or of this task. */
static void record_all(struct recording *recs, unsigned int nr,
		       unsigned int least, enum mark window, pause_t pause)
{
	uint64_t state = 0x9e3779b97f4a7c15ull;

	/* Code that the emulator sees for the first time is very slow. */
	for (int i = 0; i < 100; i++)
		truth_shapes(&state);
	/* What was recorded before ends with the task's turn. */
	sampler_sleep();
	mark(window, recs->header.window, 0);
	for (unsigned int i = 0; i < nr; i++) {
		recs[i].most = least + least / 2;
		recs[i].most_bare = least > NOT_BARE ? least - NOT_BARE : 0;
		sampler_enable(&recs[i].sampler);
	}
	run(recs, nr, least, pause);
	for (unsigned int i = 0; i < nr; i++)
		sampler_disable(&recs[i].sampler);
	mark(MARK_CLOSE, recs->header.window, 0);
	for (unsigned int i = 0; i < nr; i++)
		finish(&recs[i]);
}

static void record(const char *name, unsigned int window, unsigned int least,
		   uint64_t branches, pause_t pause)
{
	struct recording rec;

	open_recording(&rec, name, window, PERF_COUNT_HW_CPU_CYCLES, branches);
	record_all(&rec, 1, least, branches & KERNEL ? MARK_OPEN_HART :
		   MARK_OPEN_TASK, pause);
}

static void go_on(unsigned int round)
{
	(void)round;
}

static void record_here(const char *name, unsigned int window, uint64_t branches)
{
	sampler_pin(0, 0);
	record(name, window, wanted() / 10, branches, go_on);
}

TEST(everything_is_recorded)
{
	sampler_pin(0, 0);
	record("any", 1, wanted(), USER | ANY, go_on);
}

TEST(calls_are_recorded)
{
	record_here("any_call", 2, USER | PERF_SAMPLE_BRANCH_ANY_CALL);
}

TEST(conditional_branches_are_recorded)
{
	record_here("cond", 3, USER | PERF_SAMPLE_BRANCH_COND);
}

TEST(jumps_and_returns_are_recorded)
{
	record_here("ind_jump_any_ret", 4, USER | PERF_SAMPLE_BRANCH_IND_JUMP |
		    PERF_SAMPLE_BRANCH_ANY_RETURN);
}

static void yield(unsigned int round)
{
	if (round % 2)
		sched_yield();
}

/* Each finds its records again after the other's turn. */
TEST(two_tasks_that_take_turns_are_recorded)
{
	pid_t child;
	int status;

	sampler_pin(0, 0);
	child = fork();
	if (!child) {
		record("turns_a", 5, wanted() / 10, USER | ANY, yield);
		exit(0);
	}
	record("turns_b", 6, wanted() / 10, USER | ANY, yield);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

static void move_on(unsigned int round)
{
	if (round % 8 == 7)
		sampler_pin(0, round / 8 % 2);
}

TEST(call_stacks_are_recorded)
{
	record_here("call_stack", 8, USER | PERF_SAMPLE_BRANCH_CALL_STACK);
}

TEST(user_and_kernel_code_are_recorded)
{
	record_here("user_kernel", 9, USER | KERNEL | ANY);
}

TEST(kernel_code_is_recorded)
{
	record_here("kernel", 10, KERNEL | ANY);
}

/* Two events with one buffer: emulated harts want different counters for them. */
static void record_both(unsigned int window, enum mark mark, const char *name,
			uint64_t branches, const char *other, uint64_t others)
{
	struct recording recs[2];

	sampler_pin(0, 0);
	open_recording(&recs[0], name, window, PERF_COUNT_HW_CPU_CYCLES, branches);
	open_recording(&recs[1], other, window, PERF_COUNT_HW_INSTRUCTIONS, others);
	/* Some records are shown to the other event alone. */
	recs[0].header.partial = recs[1].header.partial = UINT32_MAX;
	record_all(recs, 2, wanted() / 10, mark, go_on);
}

TEST(two_events_with_different_filters_are_recorded)
{
	record_both(11, MARK_OPEN_TASK, "beside_cond",
		    USER | PERF_SAMPLE_BRANCH_ANY_CALL,
		    "beside_any_call", USER | PERF_SAMPLE_BRANCH_COND);
}

TEST(user_code_is_recorded_beside_kernel_code)
{
	record_both(12, MARK_OPEN_HART, "beside_kernel", USER | ANY,
		    "beside_user", KERNEL | ANY);
}

TEST(a_task_that_moves_between_cpus_is_recorded)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		test_skip("it takes two harts");
	record("moves", 7, wanted() / 10, USER | ANY, move_on);
}
