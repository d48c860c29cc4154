// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of this program for the judge: it runs code of many shapes on a machine
 * whose transfers are logged from outside, and leaves each sample as it came.
 *
 *   TRUTH_SAMPLES=N TRUTH_DIR=FOLDER truth
 *
 * N samples are taken of everything that user code does, and fewer of all else.
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
	unsigned int torn;
};

static unsigned int wanted(void)
{
	const char *text = getenv("TRUTH_SAMPLES");

	return text ? strtoul(text, NULL, 0) : 10000;
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

/* In the file @name, logged as window @window. */
static void start(struct recording *rec, const char *name, unsigned int window,
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

	/* Not so short that the kernel throttles, and the log stays small. */
	attr.freq = 0;
	attr.sample_period = 20000;
	attr.sample_max_stack = 256;
	attr.exclude_kernel = !(branches & KERNEL);
	CHECK_EQ(sampler_open(&rec->sampler, &attr, 0, -1), 0);
	mark(branches & KERNEL ? MARK_OPEN_HART : MARK_OPEN_TASK, window, 0);
	sampler_enable(&rec->sampler);
}

static void keep(const struct sample *sample, void *data)
{
	struct truth_sample fixed = { .ip = sample->ip, .nr = sample->nr };
	struct recording *rec = data;

	rec->torn += !sample->whole;
	CHECK_EQ(fwrite(&fixed, sizeof(fixed), 1, rec->file), 1);
	CHECK_EQ(fwrite(sample->entries, sizeof(*sample->entries), sample->nr,
			rec->file), sample->nr);
}

static void drain(struct recording *rec)
{
	rec->header.nr += sampler_drain(&rec->sampler, keep, rec);
}

static void finish(struct recording *rec)
{
	sampler_disable(&rec->sampler);
	mark(MARK_CLOSE, rec->header.window, 0);
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

/* Until @nr samples are there; a counter that lost its interrupt starts anew. */
static void run(struct recording *rec, unsigned int nr, pause_t pause)
{
	uint64_t state = 88172645463325252ull;
	unsigned int last = 0, idle = 0, round = 0;

	while (rec->header.nr < nr) {
		for (int i = 0; i < 10; i++) {
			truth_shapes(&state);
			pause(round++);
		}
		drain(rec);
		idle = rec->header.nr == last ? idle + 1 : 0;
		last = rec->header.nr;
		if (idle < 1000)
			continue;
		printf("# no sample for long: once more\n");
		sampler_disable(&rec->sampler);
		sampler_enable(&rec->sampler);
		idle = 0;
	}
}

static void record(const char *name, unsigned int window, unsigned int nr,
		   uint64_t branches, pause_t pause)
{
	uint64_t state = 0x9e3779b97f4a7c15ull;
	struct recording rec;

	/* Code that the emulator sees for the first time is very slow. */
	for (int i = 0; i < 100; i++)
		truth_shapes(&state);
	/* What was recorded before ends with the task's turn. */
	usleep(1000);
	start(&rec, name, window, branches);
	run(&rec, nr, pause);
	finish(&rec);
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

TEST(a_task_that_moves_between_cpus_is_recorded)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		test_skip("it takes two harts");
	record("moves", 7, wanted() / 10, USER | ANY, move_on);
}
