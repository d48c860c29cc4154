// SPDX-License-Identifier: GPL-2.0-only
/* No task is shown another's records, nor what it was before exec. */
#include <elf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sampler.h"
#include "test.h"
#include "work.h"

#define USER_ANY (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)

/* Each task's own code lies at an address of its own. */
#define PLACE_A	0x1000000000ull
#define PLACE_B	0x2000000000ull
#define PLACE_SIZE 4096

static bool is_at(uint64_t pc, uint64_t place)
{
	return pc >= place && pc < place + PLACE_SIZE;
}

/* A loop of a0 rounds, copied to @place. */
static void (*settle(uint64_t place))(uint64_t)
{
	static const uint32_t code[] = {
		0xfff50513,	/* 1: addi a0, a0, -1 */
		0xfe051ee3,	/*    bnez a0, 1b */
		0x00008067,	/*    ret */
	};
	void *at = mmap((void *)place, PLACE_SIZE,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	CHECK(at != MAP_FAILED);
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, (char *)at + sizeof(code));
	return (void (*)(uint64_t))at;
}

/* A child at PLACE_B that yields to us after every few branches. */
static pid_t start_neighbour(void)
{
	pid_t parent = getpid(), child = fork();
	void (*loop)(uint64_t);

	if (child)
		return child;
	loop = settle(PLACE_B);
	while (getppid() == parent) {
		loop(40);
		sched_yield();
	}
	_exit(0);
}

struct seen {
	pid_t self, neighbour;
	unsigned int samples, of_neighbour, of_others, others_filled;
	uint64_t own, leaked;
	unsigned int full;	/* stacks as deep as a reader takes by default */
	uint64_t torn;		/* neighbours in a stack that do not connect */
};

/* perf's kernel.perf_event_max_stack. */
#define FULL 127

/* From where an older branch led to, code goes straight to the next one. */
static bool connects(const struct perf_branch_entry *newer,
		     const struct perf_branch_entry *older)
{
	return older->to <= newer->from && newer->from - older->to < 4096;
}

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;
	uint64_t own = PLACE_A, other = PLACE_B;

	seen->samples++;
	if ((pid_t)sample->pid == seen->neighbour) {
		seen->of_neighbour++;
		own = PLACE_B;
		other = PLACE_A;
	} else if ((pid_t)sample->pid != seen->self) {
		seen->of_others++;
		seen->others_filled += !sample->pid && sample->nr;
		own = 0;
	}
	seen->full += sample->nr == FULL;
	for (uint64_t i = 0; i < sample->nr; i++) {
		uint64_t from = sample->entries[i].from;
		uint64_t to = sample->entries[i].to;

		seen->torn += i && !connects(&sample->entries[i - 1],
					     &sample->entries[i]);
		seen->own += own && is_at(from, own);
		seen->leaked += is_at(from, other) || is_at(to, other);
		if (!own)
			seen->leaked += is_at(from, PLACE_A) ||
					is_at(to, PLACE_A);
	}
}

/* Switch between the two places all the time under what is sampled. */
static struct seen take_turns_once(bool task, bool cpu)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	struct sampler of_task, of_cpu;
	struct seen seen = { .self = getpid() };
	void (*loop)(uint64_t) = settle(PLACE_A);
	int status;

	attr.exclude_kernel = 1;
	attr.sample_freq = 5000;
	sampler_pin(0, 0);
	seen.neighbour = start_neighbour();
	if (task) {
		CHECK_EQ(sampler_open(&of_task, &attr, 0, -1), 0);
		sampler_enable(&of_task);
	}
	if (cpu) {
		if (task)
			attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		CHECK_EQ(sampler_open(&of_cpu, &attr, -1, 0), 0);
		sampler_enable(&of_cpu);
	}
	for (int i = 0; i < 20000; i++) {
		loop(40);
		sched_yield();
		if (i % 20)
			continue;
		if (task)
			sampler_drain(&of_task, see, &seen);
		if (cpu)
			sampler_drain(&of_cpu, see, &seen);
	}
	if (task)
		sampler_close(&of_task);
	if (cpu)
		sampler_close(&of_cpu);
	kill(seen.neighbour, SIGKILL);
	waitpid(seen.neighbour, &status, 0);
	printf("# %u samples, %u full, %u of the neighbour, %u of others, %llu own records\n",
	       seen.samples, seen.full, seen.of_neighbour, seen.of_others,
	       (unsigned long long)seen.own);
	return seen;
}

static struct seen take_turns(bool task, bool cpu)
{
	unsigned int tries = 0;
	struct seen seen;

	do {
		seen = take_turns_once(task, cpu);
	} while (sampler_try_again(seen.samples, 21, &tries));
	CHECK(seen.samples > 20);
	CHECK(seen.own);
	return seen;
}

TEST(task_events_show_no_other_task)
{
	struct seen seen = take_turns(true, false);

	CHECK_EQ(seen.leaked, 0);
	CHECK_EQ(seen.of_neighbour, 0);
}

/* Forty branches a turn: a stack of 127 holds those of several turns. */
TEST(task_events_find_their_records_again)
{
	struct seen seen = take_turns(true, false);

	CHECK(seen.full * 10 >= seen.samples * 9);
	CHECK_EQ(seen.torn, 0);
}

TEST(task_events_find_their_records_again_beside_a_cpu_event)
{
	struct seen seen = take_turns(true, true);

	CHECK_EQ(seen.torn, 0);
}

/* From one CPU to the other every few branches. */
TEST(task_events_find_their_records_on_another_cpu)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	void (*loop)(uint64_t) = settle(PLACE_A);
	struct seen seen = { .self = getpid() };
	unsigned int tries = 0;
	struct sampler sampler;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		test_skip("it takes two harts");
	attr.exclude_kernel = 1;
	attr.sample_freq = 10000;
	do {
		CHECK_EQ(sampler_open(&sampler, &attr, 0, -1), 0);
		sampler_enable(&sampler);
		for (int i = 0; i < 2000; i++) {
			sampler_pin(0, i % 2);
			loop(20);
			sampler_drain(&sampler, see, &seen);
		}
		sampler_close(&sampler);
	} while (sampler_try_again(seen.samples, 20, &tries));
	printf("# %u samples, %u full\n", seen.samples, seen.full);
	CHECK(seen.samples >= 20);
	CHECK(seen.full * 10 >= seen.samples * 9);
	CHECK_EQ(seen.torn, 0);
}

TEST(cpu_events_show_each_task_its_own)
{
	struct seen seen = take_turns(false, true);

	CHECK_EQ(seen.leaked, 0);
	CHECK(seen.of_neighbour);
}

TEST(task_and_cpu_events_together_show_each_task_its_own)
{
	struct seen seen = take_turns(true, true);

	CHECK_EQ(seen.leaked, 0);
}

TEST(idle_samples_show_no_tasks_records)
{
	struct seen seen = take_turns(false, true);

	CHECK_EQ(seen.others_filled, 0);
}

/*
 * Code without a branch, to see what the buffer held before it: nothing in it
 * pushes older records out.
 */
#define PLACE_STRAIGHT	0x3000000000ull
#define NOPS		(4u << 20)

static const uint16_t nop = 0x0001;
static const uint16_t ret = 0x8082;

static bool is_straight(uint64_t pc)
{
	return pc >= PLACE_STRAIGHT && pc < PLACE_STRAIGHT + NOPS * sizeof(nop);
}

static void fill_nops(uint16_t *at)
{
	for (unsigned int i = 0; i < NOPS; i++)
		at[i] = nop;
}

/* A program of nothing else that exits with status 0. Returns its path. */
static const char *write_straight_program(void)
{
	static const uint32_t exit_0[] = {
		0x00000513,	/* li a0, 0 */
		0x05d00893,	/* li a7, 93 (exit) */
		0x00000073,	/* ecall */
	};
	static char path[128];
	size_t size = 4096 + NOPS * sizeof(nop) + sizeof(exit_0);
	char *image = calloc(1, size);
	Elf64_Ehdr *header = (Elf64_Ehdr *)image;
	Elf64_Phdr *load = (Elf64_Phdr *)(header + 1);
	FILE *file;

	*header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = PLACE_STRAIGHT,
		.e_phoff = sizeof(*header),
		.e_ehsize = sizeof(*header),
		.e_phentsize = sizeof(*load),
		.e_phnum = 1,
	};
	*load = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = 4096,
		.p_vaddr = PLACE_STRAIGHT,
		.p_filesz = size - 4096,
		.p_memsz = size - 4096,
		.p_align = 4096,
	};
	fill_nops((uint16_t *)(image + 4096));
	memcpy(image + size - sizeof(exit_0), exit_0, sizeof(exit_0));

	snprintf(path, sizeof(path), "%s/straight", test_tmpdir());
	file = fopen(path, "w");
	CHECK(file);
	CHECK_EQ(fwrite(image, 1, size, file), size);
	CHECK_EQ(fclose(file), 0);
	CHECK_EQ(chmod(path, 0755), 0);
	free(image);
	return path;
}

/* What samples in the straight code show of PLACE_A. */
struct straight_seen {
	unsigned int samples;
	uint64_t before;
};

static void see_straight(const struct sample *sample, void *data)
{
	struct straight_seen *seen = data;

	if (!is_straight(sample->ip))
		return;
	seen->samples++;
	for (uint64_t i = 0; i < sample->nr; i++)
		seen->before += is_at(sample->entries[i].from, PLACE_A) ||
				is_at(sample->entries[i].to, PLACE_A);
}

/* An event of the whole CPU, which records but is not looked at. */
static void record_beside(struct sampler *beside)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);

	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	CHECK_EQ(sampler_open(beside, &attr, -1, 0), 0);
	sampler_enable(beside);
}

/*
 * What is seen of a child that runs at PLACE_A and then executes a program that
 * makes no branch, by an event that starts before or with the program.
 */
static struct straight_seen record_exec_once(bool on_exec, bool beside)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	const char *program = write_straight_program();
	struct sampler sampler, of_cpu;
	struct straight_seen seen = {};
	int go[2], status;
	pid_t child;
	char byte;

	attr.sample_freq = 10000;
	attr.exclude_kernel = 1;
	attr.enable_on_exec = on_exec;
	/* A switch between us and the child would clear the buffer as well. */
	sampler_pin(0, sysconf(_SC_NPROCESSORS_ONLN) - 1);
	CHECK_EQ(pipe(go), 0);
	child = fork();
	if (!child) {
		void (*loop)(uint64_t) = settle(PLACE_A);

		sampler_pin(0, 0);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		loop(10000);
		execl(program, program, NULL);
		_exit(127);
	}
	if (beside)
		record_beside(&of_cpu);
	CHECK_EQ(sampler_open(&sampler, &attr, child, -1), 0);
	if (!on_exec)
		sampler_enable(&sampler);
	CHECK_EQ(write(go[1], "", 1), 1);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	sampler_drain(&sampler, see_straight, &seen);
	sampler_close(&sampler);
	if (beside)
		sampler_close(&of_cpu);
	close(go[0]);
	close(go[1]);
	printf("# %u samples in the program\n", seen.samples);
	return seen;
}

static struct straight_seen record_exec(bool on_exec, bool beside)
{
	unsigned int tries = 0;
	struct straight_seen seen;

	do {
		seen = record_exec_once(on_exec, beside);
	} while (sampler_try_again(seen.samples, 3, &tries));
	CHECK(seen.samples >= 3);
	return seen;
}

TEST(exec_forgets_what_was_before)
{
	CHECK_EQ(record_exec(false, false).before, 0);
}

TEST(enable_on_exec_shows_nothing_from_before)
{
	CHECK_EQ(record_exec(true, false).before, 0);
}

TEST(enable_on_exec_beside_a_cpu_event_shows_nothing_from_before)
{
	CHECK_EQ(record_exec(true, true).before, 0);
}

/* The same in this program. */
static void (*settle_straight(void))(void)
{
	size_t size = (NOPS + 1) * sizeof(nop);
	uint16_t *code = mmap((void *)PLACE_STRAIGHT, size,
			      PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	CHECK(code != MAP_FAILED);
	fill_nops(code);
	code[NOPS] = ret;
	__builtin___clear_cache((char *)code, (char *)code + size);
	return (void (*)(void))code;
}

static void say(int fd)
{
	CHECK_EQ(write(fd, "", 1), 1);
}

static void hear(int fd)
{
	char byte;

	CHECK_EQ(read(fd, &byte, 1), 1);
}

/*
 * While a task sleeps, the last event ends under which it left the CPU, and nobody
 * follows its coming back. An event of its own finds it all the same.
 */
static void see_filled(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	seen->samples++;
	seen->own += !!sample->nr;
}

TEST(an_event_is_filled_after_another_ended_in_the_tasks_sleep)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	void (*loop)(uint64_t) = settle(PLACE_A);
	struct seen seen = {};
	int ours[2], theirs[2], status;
	struct sampler sampler;
	pid_t child;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		test_skip("it takes two harts");
	attr.exclude_kernel = 1;
	attr.sample_freq = 10000;
	CHECK_EQ(pipe(ours), 0);
	CHECK_EQ(pipe(theirs), 0);
	child = fork();
	if (!child) {
		sampler_pin(0, 1);
		for (int i = 0; i < 40; i++) {
			CHECK_EQ(sampler_open(&sampler, &attr, -1, 0), 0);
			sampler_enable(&sampler);
			say(ours[1]);
			hear(theirs[0]);
			usleep(1000);
			sampler_close(&sampler);
			usleep(1000);
			say(ours[1]);
		}
		_exit(0);
	}
	sampler_pin(0, 0);
	for (int i = 0; i < 40; i++) {
		hear(ours[0]);
		loop(100000);
		say(theirs[1]);
		hear(ours[0]);
		CHECK_EQ(sampler_open(&sampler, &attr, 0, -1), 0);
		sampler_enable(&sampler);
		loop(3000000);
		sampler_drain(&sampler, see_filled, &seen);
		sampler_close(&sampler);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	printf("# %u samples, %llu of them filled\n", seen.samples,
	       (unsigned long long)seen.own);
	CHECK(seen.samples >= 10);
	CHECK(seen.own * 100 >= seen.samples * 97ull);
}

/*
 * A task that was elsewhere has done there what this CPU knows nothing of. With
 * @tracked the task has an event of its own, too, which does not run.
 */
static void go_elsewhere(bool tracked)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	void (*straight)(void) = settle_straight();
	void (*loop)(uint64_t) = settle(PLACE_A);
	struct straight_seen seen = {};
	struct sampler sampler, idle;
	unsigned int tries = 0;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		test_skip("it takes two harts");
	attr.sample_freq = 10000;
	attr.exclude_kernel = 1;
	if (tracked)
		CHECK_EQ(sampler_open(&idle, &attr, 0, -1), 0);
	do {
		CHECK_EQ(sampler_open(&sampler, &attr, -1, 0), 0);
		sampler_enable(&sampler);
		for (int i = 0; i < 20; i++) {
			sampler_pin(0, 0);
			loop(10000);
			sampler_pin(0, 1);
			loop(10);
			sampler_pin(0, 0);
			straight();
			sampler_drain(&sampler, see_straight, &seen);
		}
		sampler_close(&sampler);
	} while (sampler_try_again(seen.samples, 3, &tries));
	if (tracked)
		sampler_close(&idle);
	printf("# %u samples in the straight code\n", seen.samples);
	CHECK(seen.samples >= 3);
	CHECK_EQ(seen.before, 0);
}

TEST(records_from_before_another_cpu_are_not_shown)
{
	go_elsewhere(false);
}

TEST(records_kept_before_another_cpu_are_not_shown)
{
	go_elsewhere(true);
}

/* The buffer was in use when the event came: its records are not the event's. */
TEST(enabling_shows_nothing_from_before)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	void (*straight)(void) = settle_straight();
	void (*loop)(uint64_t) = settle(PLACE_A);
	struct straight_seen seen = {};
	struct sampler sampler, of_cpu;

	attr.sample_freq = 10000;
	attr.exclude_kernel = 1;
	sampler_pin(0, 0);
	record_beside(&of_cpu);
	CHECK_EQ(sampler_open(&sampler, &attr, 0, -1), 0);
	for (int i = 0; i < 20; i++) {
		loop(10000);
		sampler_enable(&sampler);
		straight();
		sampler_disable(&sampler);
		sampler_drain(&sampler, see_straight, &seen);
	}
	sampler_close(&sampler);
	sampler_close(&of_cpu);
	printf("# %u samples in the straight code\n", seen.samples);
	CHECK(seen.samples >= 3);
	CHECK_EQ(seen.before, 0);
}

/* What parent and child share: which round of straight code the child is in. */
struct phase {
	volatile uint64_t round;	/* odd: in straight code */
};

static void run_rounds(struct phase *phase, void (*loop)(uint64_t),
		       void (*straight)(void))
{
	for (;;) {
		loop(10000);
		phase->round++;
		straight();
		phase->round++;
	}
}

/* A task for the child to be switched with. */
static pid_t start_rival(void)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			sched_yield();
	return child;
}

/*
 * An event that is enabled and disabled at any time, also while its task is off
 * the CPU or has just come back, beside another that records all the time. What it
 * shows in straight code, when all of its life was there, was there before it.
 */
TEST(enabling_at_any_time_shows_nothing_from_before)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	void (*straight)(void) = settle_straight();
	void (*loop)(uint64_t) = settle(PLACE_A);
	struct straight_seen seen = {}, skipped = {};
	struct sampler sampler, always;
	unsigned int rounds = 0;
	pid_t child, rival;
	struct phase *phase;
	int status;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		test_skip("it takes two harts");
	phase = mmap(NULL, sizeof(*phase), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(phase != MAP_FAILED);
	sampler_pin(0, 0);
	rival = start_rival();
	child = fork();
	if (!child)
		run_rounds(phase, loop, straight);
	sampler_pin(0, 1);

	attr.sample_freq = 10000;
	attr.exclude_kernel = 1;
	CHECK_EQ(sampler_open(&sampler, &attr, child, -1), 0);
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.sample_freq = 100;
	CHECK_EQ(sampler_open(&always, &attr, child, -1), 0);
	sampler_enable(&always);
	for (int i = 0; i < 3000; i++) {
		uint64_t round;
		bool within;

		usleep(test_random() % 1500);
		round = phase->round;
		sampler_enable(&sampler);
		usleep(test_random() % 1500);
		sampler_disable(&sampler);
		within = round % 2 && phase->round == round;
		rounds += within;
		sampler_drain(&sampler, see_straight,
			      within ? &seen : &skipped);
	}
	kill(child, SIGKILL);
	kill(rival, SIGKILL);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(waitpid(rival, &status, 0), rival);
	sampler_close(&sampler);
	sampler_close(&always);
	printf("# %u lives in straight code, %u samples\n", rounds, seen.samples);
	CHECK(seen.samples >= 10);
	CHECK_EQ(seen.before, 0);
}
