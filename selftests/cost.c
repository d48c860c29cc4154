// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module has to do in one situation, over and over, on a machine with one
 * hart whose QEMU counts (qemu/plugin/cost.c):
 *
 *   cost SITUATION NUMBER TEXT END
 *
 * TEXT and END are the module's code, NUMBER is what the counts are written under.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"
#include "sampler.h"
#include "test.h"

#define USER	PERF_SAMPLE_BRANCH_USER
#define ANY	PERF_SAMPLE_BRANCH_ANY

/* This is no test program, but what it shares with them fails through this. */
void test_fail(const char *source, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "%s:%d: ", source, line);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(1);
}

/* As many taken branches as @n says, less one. */
static void loop(uint64_t n)
{
	asm volatile("1:	addi	%0, %0, -1\n"
		     "	bnez	%0, 1b\n"
		     : "+r" (n) : : "memory");
}

static void nothing(const struct sample *sample, void *data)
{
	(void)sample, (void)data;
}

/* Children have it, too; or all tasks of the CPU. */
static bool inherit, of_cpu;

/* With @branches 0 one that wants no branch stack. */
static void open_event(struct sampler *sampler, uint64_t branches)
{
	struct perf_event_attr attr = sampler_attr(branches);
	int err;

	attr.inherit = inherit;

	if (!branches)
		attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	attr.exclude_kernel = 1;
	attr.freq = 0;
	attr.sample_period = 1 << 20;
	attr.sample_max_stack = 256;
	err = sampler_open(sampler, &attr, of_cpu ? -1 : 0,
			   of_cpu || inherit ? 0 : -1);
	if (err) {
		fprintf(stderr, "cost: no event: %s\n", strerror(-err));
		exit(1);
	}
	sampler_enable(sampler);
}

/* Two tasks that do something and then wake the other, in turns. */
struct turns {
	int there[2], back[2];
	pid_t partner;
};

static void give(const int ends[2])
{
	if (write(ends[1], "", 1) != 1)
		exit(1);
}

static void wait_for(const int ends[2])
{
	char byte;

	if (read(ends[0], &byte, 1) != 1)
		exit(1);
}

static void start_partner(struct turns *turns, uint64_t branches, uint64_t work)
{
	struct sampler sampler;

	CHECK(!pipe(turns->there) && !pipe(turns->back));
	turns->partner = fork();
	if (turns->partner)
		return;
	if (branches)
		open_event(&sampler, branches);
	for (;;) {
		wait_for(turns->there);
		loop(work);
		give(turns->back);
	}
}

/* A task that is recorded, but sleeps. */
static pid_t start_sleeper(uint64_t branches)
{
	pid_t child = fork();
	struct sampler sampler;

	if (child)
		return child;
	open_event(&sampler, branches);
	loop(100);
	for (;;)
		pause();
}

static void stop(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* The first rounds are not counted. */
#define ROUNDS	100
#define WARM	25

/* With @beside, a second event of that filter. */
static void overflow(unsigned int number, uint64_t branches, uint64_t beside)
{
	struct sampler sampler, other;

	open_event(&sampler, branches);
	if (beside)
		open_event(&other, beside);
	for (int i = 0; i < ROUNDS; i++) {
		if (i == WARM)
			mark(MARK_COUNT, number, 0);
		loop(2000000);
		sampler_drain(&sampler, nothing, NULL);
		if (beside)
			sampler_drain(&other, nothing, NULL);
	}
	mark(MARK_STOP, 0, 0);
}

static void take_turns(unsigned int number, uint64_t branches, uint64_t work)
{
	struct sampler sampler;
	struct turns turns;

	/* Heirs have their parent's event, and all tasks of a CPU its own. */
	if (branches && (inherit || of_cpu))
		open_event(&sampler, branches);
	start_partner(&turns, inherit || of_cpu ? 0 : branches, work);
	if (branches && !inherit && !of_cpu)
		open_event(&sampler, branches);
	for (int i = 0; i < ROUNDS; i++) {
		if (i == WARM)
			mark(MARK_COUNT, number, 0);
		loop(work);
		give(turns.there);
		wait_for(turns.back);
	}
	mark(MARK_STOP, 0, 0);
	stop(turns.partner);
}

/* Tasks begin and end that are followed by @nr events. */
static void fork_and_exit(unsigned int number, unsigned int nr)
{
	struct sampler samplers[128];
	pid_t child;

	inherit = true;
	for (unsigned int i = 0; i < nr; i++)
		open_event(&samplers[i], USER | ANY);
	for (int i = 0; i < ROUNDS; i++) {
		if (i == WARM)
			mark(MARK_COUNT, number, 1);
		child = fork();
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	mark(MARK_STOP, 0, 0);
}

static void go_idle(unsigned int number)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (i == WARM)
			mark(MARK_COUNT, number, 0);
		loop(100);
		usleep(100);
	}
	mark(MARK_STOP, 0, 0);
}

int main(int argc, char **argv)
{
	unsigned int number = argc == 5 ? strtoul(argv[2], NULL, 0) : 0;
	const char *what = argc == 5 ? argv[1] : "";
	/* Who is woken waits for his turn: no switch comes earlier than another time. */
	struct sched_param fifo = { .sched_priority = 1 };
	struct sampler sampler;
	pid_t sleeper;

	CHECK(!sched_setscheduler(0, SCHED_FIFO, &fifo));
	if (argc == 5)
		mark(MARK_TEXT, strtoull(argv[3], NULL, 16),
		     strtoull(argv[4], NULL, 16));
	if (!strcmp(what, "overflow")) {
		overflow(number, USER | ANY, 0);
	} else if (!strcmp(what, "two-filters")) {
		overflow(number, USER | ANY, USER | PERF_SAMPLE_BRANCH_COND);
	} else if (!strcmp(what, "heirs")) {
		inherit = true;
		take_turns(number, USER | ANY, 8);
	} else if (!strcmp(what, "of-cpu")) {
		of_cpu = true;
		take_turns(number, USER | ANY, 8);
	} else if (!strcmp(what, "fork-1")) {
		fork_and_exit(number, 1);
	} else if (!strcmp(what, "fork-128")) {
		fork_and_exit(number, 128);
	} else if (!strcmp(what, "turns")) {
		take_turns(number, USER | ANY, 8);
	} else if (!strcmp(what, "turns-full")) {
		take_turns(number, USER | ANY, 1000);
	} else if (!strcmp(what, "turns-calls")) {
		take_turns(number, USER | PERF_SAMPLE_BRANCH_CALL_STACK, 8);
	} else if (!strcmp(what, "idle")) {
		open_event(&sampler, USER | ANY);
		go_idle(number);
	} else if (!strcmp(what, "idle-calls")) {
		open_event(&sampler, USER | PERF_SAMPLE_BRANCH_CALL_STACK);
		go_idle(number);
	} else if (!strcmp(what, "others")) {
		sleeper = start_sleeper(USER | ANY);
		usleep(10000);
		take_turns(number, 0, 8);
		stop(sleeper);
	} else if (!strcmp(what, "plain")) {
		open_event(&sampler, 0);
		go_idle(number);
	} else if (!strcmp(what, "unused")) {
		take_turns(number, 0, 8);
	} else if (!strcmp(what, "unused-idle")) {
		go_idle(number);
	} else {
		fprintf(stderr, "usage: cost SITUATION NUMBER TEXT END\n");
		return 1;
	}
	return 0;
}
