// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ways in which programs die, for ssctr last: crash WAY [WINDOW]. Each goes through a loop and some
 * calls first, so that there is something to see.
 */
#include <assert.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

static volatile long sum;
static int window; /* of a child in the log of the plug-in `transfers` */

static __attribute__((noinline)) void add_up(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

static __attribute__((noinline)) int read_at(volatile int *p)
{
	return *p;
}

static __attribute__((noinline)) int null_pointer(void)
{
	add_up(5);
	return read_at(NULL);
}

static __attribute__((noinline)) long deeper(long n)
{
	volatile char room[512];

	room[n & 511] = 1;
	return n < 0 ? 0 : deeper(n + 1) + room[(n + 1) & 511];
}

static int stack_overflow(void)
{
	return deeper(0);
}

static int abort_in_library(void)
{
	/* The compiler is not to see that they are the same. */
	void *p = malloc(10), *volatile same = p;

	add_up(3);
	free(p);
	free(same);
	return 0;
}

static int failed_assert(void)
{
	add_up(4);
	assert(sum == -1);
	return 0;
}

static int illegal(void)
{
	add_up(4);
	__asm__ volatile(".word 0");
	return 0;
}

static int from_outside(void)
{
	if (!fork()) {
		usleep(50000);
		return kill(getppid(), SIGTERM);
	}
	for (;;)
		add_up(1000);
}

static int wrong_call(void)
{
	int (*volatile function)(void) = (int (*)(void))0x1234560;

	add_up(2);
	return function();
}

static int after_munmap(void)
{
	int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*p = 1;
	add_up(2);
	munmap(p, 4096);
	return read_at(p);
}

static void *run(void *way)
{
	return (void *)(long)((int (*)(void))way)();
}

static int in_thread(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, run, null_pointer);
	pthread_join(thread, &result);
	return (long)result;
}

static void *idle(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Threads that live until their process ends them. */
static void begin_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&thread, NULL, idle, NULL);
}

static int exit_with_threads(void)
{
	begin_threads();
	add_up(2);
	return 0;
}

/* The program that takes the place of these threads dies itself. */
static int exec_with_threads(void)
{
	begin_threads();
	add_up(2);
	return execl("/proc/self/exe", "crash", "null", NULL);
}

static int killed_with_threads(void)
{
	begin_threads();
	add_up(2);
	return kill(getpid(), SIGKILL);
}

static int in_child(void)
{
	int status;

	if (!fork()) {
		/* Under this window it is logged from here on. */
		mark(MARK_OPEN_TASK, window, 0);
		_exit(null_pointer());
	}
	wait(&status);
	return 0;
}

static int status_3(void)
{
	add_up(2);
	return 3;
}

static __attribute__((noinline)) int parse(const char *text)
{
	add_up(3);
	return *text == '-' ? -1 : 0;
}

static int open_nothing(void)
{
	if (open("/does/not/exist", O_RDONLY) < 0)
		sum++;
	add_up(500);
	return parse("1") + parse("-") + 1;
}

/* It reads what is at its return address, and at those of its callers. */
static __attribute__((noinline)) int unwind(void)
{
	void *at[8];

	add_up(2);
	return backtrace(at, sizeof(at) / sizeof(*at)) <= 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} ways[] = {
	{ "null", null_pointer },   { "stack", stack_overflow }, { "abort", abort_in_library },
	{ "assert", failed_assert }, { "illegal", illegal },	 { "outside", from_outside },
	{ "call", wrong_call },	    { "munmap", after_munmap },	 { "thread", in_thread },
	{ "child", in_child },	    { "exit", status_3 },	 { "errno", open_nothing },
	{ "ends", exit_with_threads }, { "exec", exec_with_threads },
	{ "killed", killed_with_threads }, { "unwind", unwind },
};

int main(int argc, char **argv)
{
	window = argc > 2 ? *argv[2] : 0;
	for (size_t i = 0; argc >= 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, argv[1]))
			return ways[i].run();
	fputs("crash: give one of its ways\n", stderr);
	return 2;
}
