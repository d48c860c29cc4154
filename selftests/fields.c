// SPDX-License-Identifier: GPL-2.0-only
/* What each record says besides source and target, and what it must not say. */
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caps.h"
#include "harness.h"
#include "place.h"
#include "sampler.h"
#include "transfer.h"
#include "work.h"

#define U		PERF_SAMPLE_BRANCH_USER
#define K		PERF_SAMPLE_BRANCH_KERNEL
#define ANY		PERF_SAMPLE_BRANCH_ANY
#define ANY_CALL	PERF_SAMPLE_BRANCH_ANY_CALL
#define TYPE_SAVE	PERF_SAMPLE_BRANCH_TYPE_SAVE
#define PRIV_SAVE	PERF_SAMPLE_BRANCH_PRIV_SAVE
#define NO_FLAGS	PERF_SAMPLE_BRANCH_NO_FLAGS
#define NO_CYCLES	PERF_SAMPLE_BRANCH_NO_CYCLES
#define HW_INDEX	PERF_SAMPLE_BRANCH_HW_INDEX

struct seen {
	uint64_t depth;
	uint64_t entries, deeper, torn;
	uint64_t types[16], cycles, flags, both, elsewhere, priv, wrong_priv;
	uint64_t index_beyond, indexes;	/* other than the one before */
	uint64_t index;
	bool indexed;
	uint64_t ecalls, loads;
};

static int priv_of(uint64_t pc)
{
	return in_kernel(pc) ? PERF_BR_PRIV_KERNEL : PERF_BR_PRIV_USER;
}

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	seen->torn += !sample->whole;
	seen->deeper += sample->nr > seen->depth;
	if (seen->indexed) {
		seen->index_beyond += sample->index != ~0ull &&
				      sample->index >= seen->depth;
		seen->indexes += sample->index != seen->index;
		seen->index = sample->index;
	}
	for (uint64_t i = 0; i < sample->nr; i++) {
		const struct perf_branch_entry *entry = &sample->entries[i];

		seen->entries++;
		seen->types[entry->type]++;
		seen->cycles += !!entry->cycles;
		seen->flags += entry->mispred || entry->predicted;
		seen->both += entry->mispred && entry->predicted;
		/* Transactions, speculation, "not taken": not here. */
		seen->elsewhere += entry->in_tx || entry->abort ||
				   entry->spec || entry->reserved ||
				   (entry->type != PERF_BR_EXTEND_ABI &&
				    entry->new_type);
		seen->priv += !!entry->priv;
		seen->wrong_priv += entry->priv &&
				    entry->priv != priv_of(entry->to ?:
							   entry->from);
	}
}

static void some_work(void)
{
	work(2000);
	work_syscalls(20);
}

FIXTURE(fields)
{
	struct seen seen;
};

FIXTURE_SETUP(fields)
{
	self->seen.depth = caps_branches();
	ASSERT_LT(0, self->seen.depth);
}

FIXTURE_TEARDOWN(fields)
{
}

#define record(_seen, _bits)						\
	do {								\
		struct sampler_recording __recording = {			\
			.attr = sampler_attr(_bits),			\
			.see = see,					\
			.data = _seen,					\
		};							\
									\
		__recording.attr.exclude_kernel = !((_bits) & K);	\
		(_seen)->indexed = (_bits) & HW_INDEX;			\
		ASSERT_EQ(0, sampler_record(&__recording, 1, 200,	\
					    some_work));		\
		EXPECT_EQ(0, (_seen)->torn);				\
		EXPECT_EQ(0, (_seen)->deeper);				\
		EXPECT_EQ(0, (_seen)->elsewhere);			\
		EXPECT_EQ(0, (_seen)->both);				\
		EXPECT_EQ(0, (_seen)->wrong_priv);			\
		EXPECT_LT(1000, (_seen)->entries);			\
	} while (0)

TEST_F(fields, type_save_tells_types)
{
	record(&self->seen, U | ANY | TYPE_SAVE);
	EXPECT_EQ(0, self->seen.types[PERF_BR_UNKNOWN]);
	EXPECT_LT(0, self->seen.types[PERF_BR_COND]);
	EXPECT_LT(0, self->seen.types[PERF_BR_UNCOND]);
	EXPECT_LT(0, self->seen.types[PERF_BR_IND]);
	EXPECT_LT(0, self->seen.types[PERF_BR_CALL]);
	EXPECT_LT(0, self->seen.types[PERF_BR_IND_CALL]);
	EXPECT_LT(0, self->seen.types[PERF_BR_RET]);
}

TEST_F(fields, priv_save_tells_every_records_mode)
{
	record(&self->seen, U | K | ANY | PRIV_SAVE);
	EXPECT_EQ(self->seen.entries, self->seen.priv);
}

/*
 * QEMU's harts tell neither prediction nor cycles, so that the next two see no
 * fault of the module's: tools/tests/ctr-*.c does, with records that have both.
 */
TEST_F(fields, no_flags_tells_no_prediction)
{
	record(&self->seen, U | ANY | NO_FLAGS);
	EXPECT_EQ(0, self->seen.flags);
}

TEST_F(fields, no_cycles_tells_no_cycles)
{
	record(&self->seen, U | ANY | NO_CYCLES);
	EXPECT_EQ(0, self->seen.cycles);
}

TEST_F(fields, hw_index_is_a_place_in_the_buffer)
{
	record(&self->seen, U | ANY | HW_INDEX);
	EXPECT_EQ(0, self->seen.index_beyond);
	/* Unless it is not known, it moves. */
	if (self->seen.index != ~0ull)
		EXPECT_LT(10, self->seen.indexes);
}

struct told {
	uint64_t samples, known;
};

static void see_told(const struct sample *sample, void *data)
{
	struct told *told = data;

	told->samples++;
	told->known += sample->index != ~0ull;
}

/* How many records of the kernel there were, for one: its event is there before. */
TEST_F(fields, hw_index_tells_nothing_of_what_others_record)
{
	struct told user = {}, alone = {};
	struct sampler_recording recordings[] = {
		{ .attr = sampler_attr(K | ANY_CALL) },
		{ .attr = sampler_attr(U | ANY | HW_INDEX), .see = see_told, .data = &user },
	};

	recordings[0].attr.exclude_kernel = 0;
	recordings[1].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	ASSERT_EQ(0, sampler_record(recordings, 2, 200, some_work));
	EXPECT_EQ(0, user.known);
	/* Alone it is told, from the next switch on. */
	sampler_sleep();
	recordings[1].data = &alone;
	recordings[1].samples = 0;
	recordings[1].attr.branch_sample_type |= NO_FLAGS | NO_CYCLES;
	ASSERT_EQ(0, sampler_record(&recordings[1], 1, 200, some_work));
	ksft_print_msg("known of %llu of %llu samples\n", (unsigned long long)alone.known,
		       (unsigned long long)alone.samples);
	EXPECT_LE(alone.samples * 0.9, alone.known);
}

/*
 * Two samples with no branch between them show the same, on one hart: one that
 * comes to another is not shown what it did before until that is fetched.
 */
struct stack {
	uint64_t ip, index, nr, first, compared, other_stack, other_index;
};

static void see_straight(const struct sample *sample, void *data)
{
	struct stack *last = data;
	uint64_t first = sample->nr ? sample->entries[0].from : 0;

	if (is_straight(sample->ip) && is_straight(last->ip)) {
		last->compared++;
		if (sample->nr != last->nr || first != last->first) {
			last->other_stack++;
			ksft_print_msg("%llu records from %#llx, then %llu from %#llx\n",
				       (unsigned long long)last->nr,
				       (unsigned long long)last->first,
				       (unsigned long long)sample->nr,
				       (unsigned long long)first);
		}
		last->other_index += sample->index != last->index;
	}
	last->ip = sample->ip;
	last->index = sample->index;
	last->nr = sample->nr;
	last->first = first;
}

TEST_F(fields, without_a_branch_index_and_stack_stay)
{
	struct perf_event_attr attr = sampler_attr(U | ANY | HW_INDEX);
	void (*straight_code)(void) = place_straight(PLACE_NOPS);
	struct stack last = {};

	ASSERT_NE(NULL, straight_code);
	ASSERT_EQ(0, sampler_pin(0, 0));
	attr.sample_freq = 10000;
	for (int i = 0; last.compared < 50; i++) {
		struct sampler sampler;

		ASSERT_GT(MANY, i);
		ASSERT_EQ(0, sampler_open(&sampler, &attr, 0, -1));
		sampler_enable(&sampler);
		for (int j = 0; j < 10; j++) {
			work(10);
			straight_code();
			sampler_drain(&sampler, see_straight, &last);
			last.ip = 0;
		}
		sampler_close(&sampler);
	}
	EXPECT_EQ(0, last.other_stack);
	EXPECT_EQ(0, last.other_index);
}

static long times_preempted(void)
{
	struct rusage usage = {};

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/* So many calls of the kernel, recorded for an event that is gone afterwards, and a switch. */
static int record_calls(const struct perf_event_attr *kernel, int nr_calls)
{
	struct sampler sampler;

	if (sampler_open(&sampler, kernel, 0, -1))
		return -1;
	sampler_enable(&sampler);
	while (nr_calls--)
		getppid();
	sampler_close(&sampler);
	sampler_sleep();
	return 0;
}

/*
 * Nor does it later, by how far it went: after so many calls of the kernel a user's index is the
 * same. The first switch after that sets it. From the return of sampler_sleep() to straight code there are always as many branches, if
 * no other task came earlier. Returns -1 if one did, or if no sample was there.
 */
static uint64_t index_after_calls(struct sampler *user, const struct perf_event_attr *kernel,
				  int nr_calls, void (*straight_code)(void))
{
	long preempted = times_preempted();
	struct stack last = {};

	sampler_drain(user, see_straight, &last);
	if (record_calls(kernel, nr_calls))
		return -2;
	straight_code();
	last.ip = 0;
	sampler_drain(user, see_straight, &last);
	if (times_preempted() != preempted)
		return -1;
	return is_straight(last.ip) ? last.index : -1;
}

TEST_F(fields, hw_index_tells_nothing_of_what_others_recorded)
{
	struct perf_event_attr attr = sampler_attr(U | ANY | HW_INDEX);
	struct perf_event_attr kernel = sampler_attr(K | ANY_CALL);
	void (*straight_code)(void) = place_straight(PLACE_NOPS);
	const struct sched_param before_others = { .sched_priority = 1 };
	uint64_t index, first = -1;
	struct sampler sampler;
	int seen = 0;

	ASSERT_NE(NULL, straight_code);
	ASSERT_EQ(0, sampler_pin(0, 0));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &before_others));
	kernel.exclude_kernel = 0;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.sample_freq = 10000;
	ASSERT_EQ(0, sampler_open(&sampler, &attr, 0, -1));
	sampler_enable(&sampler);
	for (int i = 0; seen < 8; i++) {
		ASSERT_GT(MANY, i);
		index = index_after_calls(&sampler, &kernel, seen + 1, straight_code);
		ASSERT_NE(-2ull, index);
		if (index == ~0ull)
			continue;
		if (!seen++)
			first = index;
		EXPECT_EQ(first, index);
	}
	sampler_close(&sampler);
}

struct newcomer {
	pid_t pid;
	uint64_t index;
	bool seen;
};

static void see_newcomer(const struct sample *sample, void *data)
{
	struct newcomer *task = data;

	if (task->seen || sample->pid != task->pid || !is_straight(sample->ip))
		return;
	task->seen = true;
	task->index = sample->index;
}

static void loop(unsigned long rounds)
{
	asm volatile("1:	addi	%0, %0, -1\n"
		     "	bnez	%0, 1b"
		     : "+r"(rounds));
}

/* From its first instruction to straight code a child always has as many branches. */
static void see_child(const struct perf_event_attr *attr, unsigned long rounds,
		      void (*straight_code)(void), struct newcomer *child)
{
	struct sampler sampler;

	*child = (struct newcomer){ .pid = -1 };
	if (sampler_open(&sampler, attr, 0, 0))
		return;
	sampler_enable(&sampler);
	loop(rounds);
	child->pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child->pid) {
		straight_code();
		_exit(0);
	}
	waitpid(child->pid, NULL, 0);
	sampler_drain(&sampler, see_newcomer, child);
	sampler_close(&sampler);
}

/* Nor is it that of who ran before, for a task that was not recorded before. */
TEST_F(fields, hw_index_of_a_new_task_tells_nothing_of_the_one_before)
{
	static const unsigned long rounds[] = { 10, 11, 77, 150 };
	struct perf_event_attr attr = sampler_attr(U | ANY | HW_INDEX);
	void (*straight_code)(void) = place_straight(PLACE_NOPS);
	struct newcomer child;
	uint64_t first = -1;
	int seen = 0;

	ASSERT_NE(NULL, straight_code);
	ASSERT_EQ(0, sampler_pin(0, 0));
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.freq = 0;
	attr.sample_period = 20000;
	attr.inherit = 1;
	for (int i = 0; seen < 8; i++) {
		ASSERT_GT(MANY, i);
		see_child(&attr, rounds[seen % 4], straight_code, &child);
		ASSERT_LT(0, child.pid);
		if (!child.seen)
			continue;
		if (!seen++)
			first = child.index;
		EXPECT_EQ(first, child.index);
	}
}

/* Nor is it what a hart counted for an event that was gone before this one was opened. */
static uint64_t index_behind_calls(const struct perf_event_attr *user,
				   const struct perf_event_attr *kernel, int nr_calls,
				   void (*straight_code)(void))
{
	struct newcomer task = { .pid = getpid() };
	struct sampler sampler;

	if (record_calls(kernel, nr_calls) || sampler_open(&sampler, user, 0, -1))
		return -2;
	sampler_enable(&sampler);
	straight_code();
	sampler_drain(&sampler, see_newcomer, &task);
	sampler_close(&sampler);
	return task.seen ? task.index : -1;
}

TEST_F(fields, hw_index_of_a_new_event_tells_nothing_of_one_before)
{
	struct perf_event_attr attr = sampler_attr(U | ANY | HW_INDEX);
	struct perf_event_attr kernel = sampler_attr(K | ANY_CALL);
	void (*straight_code)(void) = place_straight(PLACE_NOPS);
	uint64_t index, first = -1;
	int seen = 0;

	ASSERT_NE(NULL, straight_code);
	ASSERT_EQ(0, sampler_pin(0, 0));
	kernel.exclude_kernel = 0;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.freq = 0;
	attr.sample_period = 20000;
	for (int i = 0; seen < 8; i++) {
		ASSERT_GT(MANY, i);
		index = index_behind_calls(&attr, &kernel, 5 * (seen + 1), straight_code);
		ASSERT_NE(-2ull, index);
		if (index == ~0ull)
			continue;
		if (!seen++)
			first = index;
		EXPECT_EQ(first, index);
	}
}

/* Two instructions that trap: a system call, and a page that is not there. */
extern const char trap_ecall[], trap_load[];
void trap_here(int unused, const char *at);

static char *hole;

asm(".pushsection .text\n"
    ".option push\n"
    ".option norvc\n"
    ".globl trap_here\n"
    "trap_here:\n"
    "	li	a7, 173\n"		/* getppid */
    ".globl trap_ecall\n"
    "trap_ecall:\n"
    "	ecall\n"
    ".globl trap_load\n"
    "trap_load:\n"
    "	lw	a0, 0(a1)\n"
    "	ret\n"
    ".option pop\n"
    ".popsection\n");

static void fall_into_traps(void)
{
	for (int i = 0; i < 10; i++) {
		madvise(hole, 4096, MADV_DONTNEED);
		trap_here(0, hole);
	}
}

static void see_traps(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	for (uint64_t i = 0; i < sample->nr; i++) {
		const struct perf_branch_entry *entry = &sample->entries[i];

		seen->entries++;
		if (entry->from == (uintptr_t)trap_ecall) {
			seen->ecalls++;
			seen->elsewhere += entry->type != PERF_BR_SYSCALL;
		}
		if (entry->from == (uintptr_t)trap_load &&
		    entry->type != PERF_BR_IRQ) {
			seen->loads++;
			seen->both += entry->type != PERF_BR_EXTEND_ABI ||
				      entry->new_type !=
						PERF_BR_NEW_FAULT_DATA;
		}
		if (!in_kernel(entry->from) && in_kernel(entry->to) &&
		    entry->from && entry->type == PERF_BR_ERET)
			seen->wrong_priv++;
		if (in_kernel(entry->from) && entry->to &&
		    !in_kernel(entry->to) && entry->type != PERF_BR_ERET)
			seen->wrong_priv++;
	}
}

TEST_F(fields, system_calls_are_told_from_faults)
{
	struct sampler_recording recording = {
		.attr = sampler_attr(U | K | PERF_SAMPLE_BRANCH_ANY_CALL |
				     PERF_SAMPLE_BRANCH_ANY_RETURN | TYPE_SAVE),
		.see = see_traps,
		.data = &self->seen,
	};

	recording.attr.exclude_kernel = 0;
	hole = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, hole);
	ASSERT_EQ(0, sampler_record(&recording, 1, 500, fall_into_traps));
	EXPECT_LE(enough(10), self->seen.ecalls);
	EXPECT_LE(enough(10), self->seen.loads);
	EXPECT_EQ(0, self->seen.elsewhere);
	EXPECT_EQ(0, self->seen.both);
	EXPECT_EQ(0, self->seen.wrong_priv);
}

/* As many instructions of the kernel, which are of all kinds. */
#define JUMPS	256

static uint64_t kernel_text;
static sigjmp_buf back;

static void come_back(int signal)
{
	siglongjmp(back, 1);
}

static void jump_into_the_kernel(void)
{
	static volatile unsigned int i;

	for (i = 0; i < JUMPS; i++)
		if (!sigsetjmp(back, 1))
			((void (*)(void))(kernel_text + 4 * i))();
}

static void see_jumps(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	for (uint64_t i = 0; i < sample->nr; i++) {
		const struct perf_branch_entry *entry = &sample->entries[i];

		if (entry->from - kernel_text >= 4 * JUMPS)
			continue;
		seen->entries++;
		/* What each kind of instruction would be taken for. */
		seen->elsewhere += entry->type == PERF_BR_SYSCALL ||
				   entry->type == PERF_BR_EXTEND_ABI;
	}
}

TEST_F(fields, what_user_code_jumps_to_in_the_kernel_is_not_read)
{
	struct sampler_recording recording = {
		.attr = sampler_attr(U | K | PERF_SAMPLE_BRANCH_ANY_CALL | TYPE_SAVE),
		.see = see_jumps,
		.data = &self->seen,
	};
	char line[256];
	FILE *symbols = fopen("/proc/kallsyms", "r");

	ASSERT_NE(NULL, symbols);
	while (fgets(line, sizeof(line), symbols))
		if (strstr(line, " _stext\n"))
			sscanf(line, "%lx", &kernel_text);
	fclose(symbols);
	ASSERT_NE(0, kernel_text);
	/* Behind the first instructions, which run only at boot. */
	kernel_text += 0x10000;

	ASSERT_NE(SIG_ERR, signal(SIGSEGV, come_back));
	recording.attr.exclude_kernel = 0;
	/*
	 * On a busy machine most samples are taken where the signal is handled. On a kernel
	 * that looks for races none has room for what was before its checks.
	 */
	for (int i = 0; self->seen.entries < 100 && (i < 20 || enough(1)); i++) {
		ASSERT_GT(MANY, i);
		ASSERT_EQ(0, sampler_record(&recording, 1, 200, jump_into_the_kernel));
	}
	signal(SIGSEGV, SIG_DFL);
	EXPECT_EQ(0, self->seen.elsewhere);
}

TEST_HARNESS_MAIN
