// SPDX-License-Identifier: GPL-2.0-only
/*
 * What BPF programs are given: by bpf_read_branch_records() the stack of the sample that
 * perf writes, by bpf_get_branch_snapshot() the buffer as it was. The module is loaded
 * with bpf=1 (bpf.sh).
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harness.h"
#include "sampler.h"
#include "work.h"

#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY

/*
 * What the programs write: in the first page how often they ran, behind it the answers of
 * the last times.
 */
#define HEAD		4096
#define SLOTS		256
#define SLOT_SHIFT	13

struct answer {
	int64_t size;		/* in bytes, or a negative code */
	struct perf_branch_entry entries[256];
};

/* A period at which no sample is taken. */
#define SELDOM		(1ull << 40)

#define ENTRIES_SIZE	sizeof(((struct answer *)0)->entries)

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int make_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = HEAD + (SLOTS << SLOT_SHIFT),
		.max_entries = 1,
		.map_flags = BPF_F_MMAPABLE,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

/* Instructions of BPF's machine. */
#define INSN(_code, _dst, _src, _off, _imm)				\
	((struct bpf_insn){ .code = (_code), .dst_reg = (_dst),	\
			    .src_reg = (_src), .off = (_off), .imm = (_imm) })
#define MOVE(_dst, _src) INSN(BPF_ALU64 | BPF_MOV | BPF_X, _dst, _src, 0, 0)
#define ADD(_dst, _src)	INSN(BPF_ALU64 | BPF_ADD | BPF_X, _dst, _src, 0, 0)
#define WITH(_op, _dst, _imm) INSN(BPF_ALU64 | (_op) | BPF_K, _dst, 0, 0, _imm)
#define LOAD(_dst, _src) INSN(BPF_LDX | BPF_MEM | BPF_DW, _dst, _src, 0, 0)
#define STORE(_dst, _off, _src) INSN(BPF_STX | BPF_MEM | BPF_DW, _dst, _src, _off, 0)
#define CALL(_helper)	INSN(BPF_JMP | BPF_CALL, 0, 0, 0, _helper)
#define EXIT()		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* Ends with 1, so that perf goes on with the sample, unless it holds. */
#define GO_ON_IF(_op, _dst, _imm)					\
	INSN(BPF_JMP | (_op) | BPF_K, _dst, 0, 2, _imm),		\
	WITH(BPF_MOV, 0, 1), EXIT()

static int load_insns(int type, const struct bpf_insn *insns, unsigned int nr)
{
	union bpf_attr attr = {
		.prog_type = type,
		.insn_cnt = nr,
		.insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

/*
 * Load a program that keeps in @map what @helper says when this process runs it. @three
 * are the arguments, of which r6 is the context and r7 the room for entries.
 */
static int load(int type, int map, int helper, const struct bpf_insn three[3])
{
	struct bpf_insn insns[] = {
		MOVE(6, 1),
		CALL(BPF_FUNC_get_current_pid_tgid),
		WITH(BPF_RSH, 0, 32),
		GO_ON_IF(BPF_JEQ, 0, getpid()),
		/* r0 = the map's value */
		INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		MOVE(2, 10),
		WITH(BPF_ADD, 2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		GO_ON_IF(BPF_JNE, 0, 0),
		/* One run more, and r7 = the entries of the slot whose turn it is. */
		MOVE(7, 0),
		LOAD(8, 7),
		MOVE(9, 8),
		WITH(BPF_ADD, 9, 1),
		STORE(7, 0, 9),
		WITH(BPF_AND, 8, SLOTS - 1),
		WITH(BPF_LSH, 8, SLOT_SHIFT),
		WITH(BPF_ADD, 7, HEAD + 8),
		ADD(7, 8),
		WITH(BPF_MOV, 4, 0),
		three[0], three[1], three[2],
		CALL(helper),
		STORE(7, -8, 0),
		WITH(BPF_MOV, 0, 1),
		EXIT(),
	};

	return load_insns(type, insns, sizeof(insns) / sizeof(*insns));
}

FIXTURE(bpf)
{
	int map;
	char *shared;
	struct perf_event_attr attr;
	struct sampler sampler;
	int program, link;
};

FIXTURE_VARIANT(bpf)
{
	uint64_t modes;
};

FIXTURE_VARIANT_ADD(bpf, user) { .modes = U };
FIXTURE_VARIANT_ADD(bpf, user_and_kernel) { .modes = U | K };

FIXTURE_SETUP(bpf)
{
	self->map = make_map();
	if (self->map < 0 && errno == ENOSYS)
		SKIP(return, "the kernel has no BPF");
	ASSERT_LE(0, self->map);
	self->shared = mmap(NULL, HEAD + (SLOTS << SLOT_SHIFT), PROT_READ,
			    MAP_SHARED, self->map, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	self->attr = sampler_attr(variant->modes | ANY);
	self->attr.exclude_kernel = !(variant->modes & K);
	self->attr.freq = 0;
	self->attr.sample_period = 20000;
}

FIXTURE_TEARDOWN(bpf)
{
}

static uint64_t runs_of(const char *shared)
{
	return *(volatile const uint64_t *)shared;
}

static const struct answer *answer_of(const char *shared, uint64_t run)
{
	return (const void *)(shared + HEAD + ((run % SLOTS) << SLOT_SHIFT));
}

/* How perf's samples and the program's answers compare, in their order. */
struct comparison {
	const char *shared;
	uint64_t run;
	unsigned int same, other;
	uint64_t entries;
};

static void compare(const struct sample *sample, void *data)
{
	struct comparison *seen = data;
	const struct answer *answer = answer_of(seen->shared, seen->run++);
	size_t size = sample->nr * sizeof(*sample->entries);

	if (sample->whole && answer->size == (int64_t)size &&
	    !memcmp(answer->entries, sample->entries, size))
		seen->same++;
	else if (seen->other++ < 5)
		ksft_print_msg("perf has %llu entries, the program %lld bytes\n",
			       (unsigned long long)sample->nr,
			       (long long)answer->size);
	seen->entries += sample->nr;
}

TEST_F(bpf, a_program_on_the_event_reads_what_perf_writes)
{
	static const struct bpf_insn three[] = {
		MOVE(1, 6), MOVE(2, 7), WITH(BPF_MOV, 3, ENTRIES_SIZE),
	};
	uint64_t wanted = ask("SSCTR_RECORDS", 2000) / 2;
	struct comparison seen = { .shared = self->shared };
	bool few;
	int program;

	program = load(BPF_PROG_TYPE_PERF_EVENT, self->map,
		       BPF_FUNC_read_branch_records, three);
	ASSERT_LE(0, program);
	ASSERT_EQ(0, sampler_open(&self->sampler, &self->attr, 0, -1));
	ASSERT_EQ(0, ioctl(self->sampler.fd, PERF_EVENT_IOC_SET_BPF, program));
	for (int i = 0; seen.same + seen.other < wanted; i++) {
		ASSERT_GT(MANY + wanted, i);
		seen.run = runs_of(self->shared);
		sampler_enable(&self->sampler);
		work(2000);
		work_syscalls(2);
		sampler_disable(&self->sampler);
		/* What found no room in the ring is the newest. */
		few = runs_of(self->shared) - seen.run <= SLOTS;
		sampler_drain(&self->sampler, few ? compare : NULL, &seen);
	}
	sampler_close(&self->sampler);
	EXPECT_EQ(0, seen.other);
	EXPECT_LE(seen.same * enough(16), seen.entries);
	close(program);
}

/* A program that asks for nothing, so that perf writes the sample as ever. */
static int load_idle(void)
{
	const struct bpf_insn insns[] = { WITH(BPF_MOV, 0, 1), EXIT() };

	return load_insns(BPF_PROG_TYPE_PERF_EVENT, insns, sizeof(insns) / sizeof(*insns));
}

struct sizes {
	unsigned int whole, others;
};

/* A sample of a branch stack and of the user's stack: does its size say what is in it? */
static void add_up(const struct sample *sample, void *data)
{
	const char *at = (const char *)(sample->entries + sample->there);
	struct sizes *sizes = data;
	uint64_t size = 8, stack;

	memcpy(&stack, at, 8);
	if (stack)
		size += stack + 8;
	if (at + size == sample->end)
		sizes->whole++;
	else
		sizes->others++;
}

/* The user's stack takes all that a sample can hold, before the records are there. */
TEST_F(bpf, a_sample_is_no_larger_than_a_record_can_be)
{
	volatile char deep[100000];
	struct sizes sizes = {};
	int program = load_idle();

	deep[0] = deep[sizeof(deep) - 1] = 1;
	ASSERT_LE(0, program);
	self->attr.sample_type |= PERF_SAMPLE_STACK_USER;
	self->attr.sample_stack_user = 65528;
	ASSERT_EQ(0, sampler_open(&self->sampler, &self->attr, 0, -1));
	ASSERT_EQ(0, ioctl(self->sampler.fd, PERF_EVENT_IOC_SET_BPF, program));
	for (int i = 0; !sizes.others && sizes.whole < 20; i++) {
		ASSERT_GT(MANY, i);
		sampler_enable(&self->sampler);
		work(100);
		sampler_disable(&self->sampler);
		sampler_drain(&self->sampler, add_up, &sizes);
	}
	sampler_close(&self->sampler);
	EXPECT_EQ(0, sizes.others);
	EXPECT_EQ(1, deep[0]);
	close(program);
}

/* Two jumps and a system call, of which it is known where they stand. */
asm("	.option	push\n"
    "	.option	norvc\n"
    "	.type	hops, @function\n"
    "hops:	j	1f\n"
    "	nop\n"
    "1:	j	2f\n"
    "	nop\n"
    "2:	li	a7, 173\n"
    "	ecall\n"
    "	ret\n"
    "	.size	hops, . - hops\n"
    "	.option	pop\n");
long hops(void);

static const struct bpf_insn room[] = {
	MOVE(1, 7), WITH(BPF_MOV, 2, ENTRIES_SIZE), WITH(BPF_MOV, 3, 0),
};

static int load_snapshot(int map)
{
	return load(BPF_PROG_TYPE_RAW_TRACEPOINT, map,
		    BPF_FUNC_get_branch_snapshot, room);
}

static int attach_to(const char *tracepoint, int program)
{
	union bpf_attr attr = {
		.raw_tracepoint = {
			.name = (uintptr_t)tracepoint,
			.prog_fd = program,
		},
	};

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* Run @program at each system call. */
static int attach(int program)
{
	return attach_to("sys_enter", program);
}

/* An event of @period, which records, and the program that is told of it. */
static bool begin_snapshots(FIXTURE_DATA(bpf) *self, uint64_t period)
{
	self->attr.sample_period = period;
	self->program = load_snapshot(self->map);
	if (self->program < 0 || sampler_open(&self->sampler, &self->attr, 0, -1))
		return false;
	sampler_enable(&self->sampler);
	self->link = attach(self->program);
	return self->link >= 0;
}

static void end_snapshots(FIXTURE_DATA(bpf) *self)
{
	close(self->link);
	close(self->program);
	sampler_close(&self->sampler);
}

/* What the program was told in the midst of hops(). */
static const struct answer *snapshot_in_hops(const char *shared)
{
	uint64_t run = runs_of(shared);

	hops();
	return answer_of(shared, run);
}

static int count_entries(const struct answer *answer)
{
	return answer->size < 0 ? answer->size :
				  answer->size / (int)sizeof(*answer->entries);
}

/* Do the two jumps stand there one behind the other, the newest first? */
static int find_hops(const struct answer *answer)
{
	const struct perf_branch_entry *at = answer->entries;
	uint64_t start = (uintptr_t)hops;

	for (int i = 0; i + 1 < count_entries(answer); i++)
		if (at[i].from == start + 8 && at[i].to == start + 16 &&
		    at[i + 1].from == start && at[i + 1].to == start + 8)
			return i;
	return -1;
}

/* An interrupt in between may leave no room: one snapshot of so many shows them. */
static int sees_hops(const char *shared, int tries)
{
	while (tries--)
		if (find_hops(snapshot_in_hops(shared)) >= 0)
			return 1;
	return 0;
}

TEST_F(bpf, a_snapshot_ends_with_what_was_just_executed)
{
	int at, found = 0;

	ASSERT_TRUE(begin_snapshots(self, SELDOM));
	for (int i = 0; i < 100; i++) {
		work(100);
		at = find_hops(snapshot_in_hops(self->shared));
		/* Nothing of the user's code is newer, but for the system call itself. */
		found += at >= 0 && (at <= 1 || (variant->modes & K));
	}
	/* An interrupt in between is newer, too, and leaves the user's code no room. */
	EXPECT_LE(enough(variant->modes & K ? 80 : 98), found);
	end_snapshots(self);
}

/* As the kernel's own test of snapshots opens its events. */
TEST_F(bpf, an_event_that_only_counts_records_for_snapshots)
{
	ASSERT_TRUE(begin_snapshots(self, 0));
	EXPECT_LE(variant->modes & K ? enough(1) : 1, sees_hops(self->shared, 100));
	end_snapshots(self);
}

/* What was recorded before the task left its CPU is behind what was recorded since. */
TEST_F(bpf, a_snapshot_goes_on_with_what_was_put_away)
{
	const struct answer *answer;
	int found = 0;

	ASSERT_TRUE(begin_snapshots(self, SELDOM));
	for (int i = 0; i < 100 && !(variant->modes & K); i++) {
		struct answer later;

		hops();
		usleep(1000);
		/* The newest pair, and behind it the one from before it slept. */
		answer = snapshot_in_hops(self->shared);
		if (find_hops(answer) < 0)
			continue;
		later.size = answer->size - (find_hops(answer) + 2) * sizeof(*later.entries);
		memcpy(later.entries, answer->entries + find_hops(answer) + 2, later.size);
		found += find_hops(&later) >= 0;
	}
	if (!(variant->modes & K)) {
		EXPECT_LE(enough(95), found);
	}
	end_snapshots(self);
}

/* Where the kernel put the program. */
static int find_program(int program, uint64_t *start, uint32_t *size)
{
	struct bpf_prog_info info = {
		.nr_jited_ksyms = 1,
		.jited_ksyms = (uintptr_t)start,
		.nr_jited_func_lens = 1,
		.jited_func_lens = (uintptr_t)size,
	};
	union bpf_attr attr = {
		.info = {
			.bpf_fd = program,
			.info_len = sizeof(info),
			.info = (uintptr_t)&info,
		},
	};

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

TEST_F(bpf, a_snapshot_wastes_no_more_than_two_entries)
{
	const struct answer *answer;
	uint64_t start = 0;
	uint32_t size = 0;
	int wasted, tries = 0;

	ASSERT_TRUE(begin_snapshots(self, SELDOM));
	ASSERT_EQ(0, find_program(self->program, &start, &size));
	do {
		ASSERT_GT(20, tries++);
		answer = snapshot_in_hops(self->shared);
		/*
		 * Newer than what the program did itself. One that is interpreted is a part of
		 * the interpreter, whose branches are many.
		 */
		for (wasted = 0; wasted < count_entries(answer); wasted++)
			if (answer->entries[wasted].to - start < size)
				break;
		ksft_print_msg("%d of %d entries\n", wasted, count_entries(answer));
		/* An interrupt in the midst fills the buffer. */
	} while (size && variant->modes & K && enough(1) && wasted == count_entries(answer));
	if (size && (variant->modes & K) && enough(1)) {
		EXPECT_LT(0, wasted);
		EXPECT_GE(2, wasted);
	}
	end_snapshots(self);
}

TEST_F(bpf, a_snapshot_of_what_is_not_recorded_is_refused)
{
	int program = load_snapshot(self->map), link;

	ASSERT_LE(0, program);
	link = attach(program);
	ASSERT_LE(0, link);
	EXPECT_EQ(-ENOENT, snapshot_in_hops(self->shared)->size);
	close(link);
	close(program);
}

/* The hart goes on until the task leaves it, as the event might come again right away. */
TEST_F(bpf, no_snapshot_shows_what_is_after_the_last_event)
{
	int refused = 0;

	self->attr.sample_period = SELDOM;
	self->program = load_snapshot(self->map);
	ASSERT_LE(0, self->program);
	self->link = attach(self->program);
	ASSERT_LE(0, self->link);
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, sampler_open(&self->sampler, &self->attr, 0, -1));
		sampler_enable(&self->sampler);
		work(100);
		sampler_close(&self->sampler);
		refused += snapshot_in_hops(self->shared)->size == -ENOENT;
	}
	EXPECT_EQ(20, refused);
	close(self->link);
	close(self->program);
}

/*
 * 6.12 takes the events from a task before it says that the task ends. One that another task
 * takes the place of in between has nothing that is shown: then another child ends.
 */
TEST_F(bpf, a_snapshot_of_a_task_that_ends_shows_what_it_did)
{
	const struct answer *answer;
	int status = 0, tries = 20;
	pid_t child;

	do {
		answer = answer_of(self->shared, runs_of(self->shared));
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			self->attr.sample_period = SELDOM;
			if (attach_to("sched_process_exit", load_snapshot(self->map)) < 0 ||
			    sampler_open(&self->sampler, &self->attr, 0, -1))
				_exit(1);
			sampler_enable(&self->sampler);
			hops();
			_exit(0);
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(0, status);
	} while (answer->size == -ENOENT && --tries);
	EXPECT_LT(0, answer->size);
	/* The kernel's own branches may leave no room. */
	if (!(variant->modes & K)) {
		EXPECT_LE(0, find_hops(answer));
	}
}

static volatile bool done;

static void *hop_on(void *unused)
{
	while (!done)
		hops();
	return NULL;
}

/* The program calls what the kernel told it, whether the module is there or not. */
TEST_F(bpf, a_program_outlives_the_module)
{
	const char *path = getenv("SSCTR_KO");
	int rounds = ask("SSCTR_ROUNDS", 3), reloads = ask("SSCTR_RELOADS", rounds * rounds);
	int program = load_snapshot(self->map), link, module;
	pthread_t other;

	ASSERT_NE(NULL, path);
	module = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, module);
	ASSERT_LE(0, program);
	link = attach(program);
	ASSERT_LE(0, link);
	self->attr.sample_period = SELDOM;
	ASSERT_EQ(0, pthread_create(&other, NULL, hop_on, NULL));
	/* Each takes seconds on an emulated hart. */
	for (int i = 0; i < reloads && i < rounds * rounds; i++) {
		ASSERT_EQ(0, sampler_open(&self->sampler, &self->attr, 0, -1));
		sampler_enable(&self->sampler);
		hops();
		sampler_close(&self->sampler);
		ASSERT_EQ(0, syscall(SYS_delete_module, "ssctr", 0));
		hops();
		ASSERT_EQ(0, syscall(SYS_finit_module, module, "bpf=1", 0));
	}
	done = true;
	pthread_join(other, NULL);
	EXPECT_EQ(-ENOENT, snapshot_in_hops(self->shared)->size);
	ASSERT_EQ(0, sampler_open(&self->sampler, &self->attr, 0, -1));
	sampler_enable(&self->sampler);
	EXPECT_LE(variant->modes & K ? enough(1) : 1,
		  sees_hops(self->shared, variant->modes & K ? 100 : 1));
	sampler_close(&self->sampler);
	close(link);
	close(program);
}

/* A program that reads the branches of the event's samples, and the samples that it sees. */
static bool sample_once(FIXTURE_DATA(bpf) *self, int program)
{
	self->attr.sample_period = 20000;
	if (sampler_open(&self->sampler, &self->attr, 0, -1) ||
	    ioctl(self->sampler.fd, PERF_EVENT_IOC_SET_BPF, program))
		return false;
	sampler_enable(&self->sampler);
	work(200);
	sampler_close(&self->sampler);
	return true;
}

/*
 * Through each round one program stays attached. One is detached before the module goes.
 * One is left over: it is detached, and attached anew, while the module is away. One was of
 * an event, which holds the module while it is open.
 */
TEST_F(bpf, programs_come_and_go_with_the_module)
{
	static const struct bpf_insn three[] = {
		MOVE(1, 6), MOVE(2, 7), WITH(BPF_MOV, 3, ENTRIES_SIZE),
	};
	const char *path = getenv("SSCTR_KO");
	/* More with all branches recorded, which takes all ways through the module. */
	int rounds = variant->modes & K ? ask("SSCTR_RELOADS", 2) : 2;
	int module, stays, left, sampled;
	pthread_t other;

	ASSERT_NE(NULL, path);
	module = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, module);
	self->program = load_snapshot(self->map);
	sampled = load(BPF_PROG_TYPE_PERF_EVENT, self->map,
		       BPF_FUNC_read_branch_records, three);
	ASSERT_LE(0, self->program);
	ASSERT_LE(0, sampled);
	stays = attach(self->program);
	left = attach(self->program);
	ASSERT_LE(0, stays);
	ASSERT_LE(0, left);
	done = false;
	ASSERT_EQ(0, pthread_create(&other, NULL, hop_on, NULL));
	for (int i = 0; i < rounds; i++) {
		self->link = attach(self->program);
		ASSERT_LE(0, self->link);
		ASSERT_TRUE(sample_once(self, sampled));
		close(self->link);
		hops();
		ASSERT_EQ(0, syscall(SYS_delete_module, "ssctr", 0));
		close(left);
		left = attach(self->program);
		ASSERT_LE(0, left);
		hops();
		ASSERT_EQ(0, syscall(SYS_finit_module, module, "bpf=1", 0));
	}
	done = true;
	pthread_join(other, NULL);
	ksft_print_msg("%d rounds, %llu runs of programs\n", rounds,
		       (unsigned long long)runs_of(self->shared));
	EXPECT_LT(4 * rounds, runs_of(self->shared));
	close(left);
	close(stays);
	close(sampled);
	close(self->program);
	close(module);
}

TEST_HARNESS_MAIN
