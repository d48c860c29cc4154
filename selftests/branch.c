// SPDX-License-Identifier: GPL-2.0-only
/* What a recording of this task shows, held against this program's own code. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sampler.h"
#include "test.h"
#include "transfer.h"
#include "work.h"

#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY
#define TYPED	PERF_SAMPLE_BRANCH_TYPE_SAVE

extern const char __executable_start, etext;

/* What was seen, over all samples of a recording. */
struct seen {
	unsigned int samples, empty, user_samples;
	uint64_t entries, user, kernel, own_code, crossing;
	uint64_t types[16];
	uint64_t wrong;		/* entries that own code cannot have made */
	uint64_t torn;		/* records of a size that is not their fields' */
	uint64_t last;		/* a sum over the last stack */
	unsigned int same;	/* stacks that equal the one before */
	pid_t pid;		/* count only this one's; 0: all */
};

static bool in_kernel(uint64_t pc)
{
	return pc >> 63;
}

static bool in_own_code(uint64_t pc)
{
	return pc >= (uintptr_t)&__executable_start && pc < (uintptr_t)&etext;
}

static uint64_t sum_of(const struct sample *sample)
{
	uint64_t sum = sample->nr;

	for (uint64_t i = 0; i < sample->nr; i++)
		sum = sum * 31 + (sample->entries[i].from ^
				  sample->entries[i].to);
	return sum;
}

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	if (seen->pid && (pid_t)sample->pid != seen->pid)
		return;
	seen->samples++;
	seen->user_samples += sample->user;
	seen->torn += !sample->whole;
	seen->empty += !sample->nr;
	if (sample->nr) {
		seen->same += sum_of(sample) == seen->last;
		seen->last = sum_of(sample);
	}
	for (uint64_t i = 0; i < sample->nr; i++) {
		const struct perf_branch_entry *entry = &sample->entries[i];
		uint64_t target;
		int type;

		seen->entries++;
		seen->types[entry->type]++;
		seen->kernel += in_kernel(entry->from) || in_kernel(entry->to);
		seen->user += (entry->from && !in_kernel(entry->from)) ||
			      (entry->to && !in_kernel(entry->to));
		seen->crossing += in_kernel(entry->from) !=
				  in_kernel(entry->to);
		if (!in_own_code(entry->from) || in_kernel(entry->to) ||
		    !entry->to)
			continue;
		seen->own_code++;
		type = transfer_at(entry->from, &target);
		seen->wrong += type != entry->type ||
			       (target && target != entry->to);
	}
}

/* Record @slices of work in this task by @attr. */
static struct seen record_once(const struct perf_event_attr *attr, int slices)
{
	struct sampler sampler;
	struct seen seen = {};

	CHECK_EQ(sampler_open(&sampler, attr, 0, -1), 0);
	sampler_enable(&sampler);
	while (slices--) {
		work(2000);
		work_syscalls(20);
		sampler_drain(&sampler, see, &seen);
	}
	sampler_disable(&sampler);
	sampler_drain(&sampler, see, &seen);
	sampler_close(&sampler);
	printf("# %u samples, %u empty, %llu entries\n", seen.samples,
	       seen.empty, (unsigned long long)seen.entries);
	return seen;
}

static struct seen record(const struct perf_event_attr *attr, int slices)
{
	unsigned int tries = 0;
	struct seen seen;

	do {
		seen = record_once(attr, slices);
	} while (sampler_try_again(seen.samples, 10, &tries));
	CHECK(seen.samples >= 10);
	return seen;
}

static struct seen record_bits(uint64_t bits, bool kernel)
{
	struct perf_event_attr attr = sampler_attr(bits | TYPED);

	attr.exclude_kernel = !kernel;
	return record(&attr, 400);
}

TEST(user_records_are_transfers_of_the_code)
{
	struct seen seen = record_bits(U | ANY, false);

	CHECK_EQ(seen.wrong, 0);
	CHECK(seen.own_code > 1000);
}

TEST(user_recordings_leave_no_stack_empty)
{
	struct seen seen = record_bits(U | ANY, false);

	CHECK(seen.empty * 100 <= seen.samples);
}

TEST(every_kind_of_jump_is_seen_with_its_type)
{
	struct seen seen = record_bits(U | ANY, false);

	CHECK(seen.types[PERF_BR_COND]);
	CHECK(seen.types[PERF_BR_UNCOND]);
	CHECK(seen.types[PERF_BR_IND]);
	CHECK(seen.types[PERF_BR_CALL]);
	CHECK(seen.types[PERF_BR_IND_CALL]);
	CHECK(seen.types[PERF_BR_RET]);
}

TEST(user_recordings_show_no_kernel_address)
{
	struct seen seen = record_bits(U | ANY, false);

	CHECK_EQ(seen.kernel, 0);
}

TEST(user_branches_of_a_kernel_event_show_no_kernel_address)
{
	struct seen seen = record_bits(U | ANY, true);

	CHECK_EQ(seen.kernel, 0);
	CHECK_EQ(seen.wrong, 0);
}

TEST(kernel_recordings_show_no_user_address)
{
	struct seen seen = record_bits(K | ANY, true);

	CHECK_EQ(seen.user, 0);
	CHECK(seen.kernel > 100);
}

TEST(both_modes_are_recorded_together)
{
	struct seen seen = record_bits(U | K | ANY, true);

	CHECK(seen.own_code > 100);
	CHECK(seen.kernel > 100);
	CHECK(seen.crossing > 10);
	CHECK_EQ(seen.wrong, 0);
}

TEST(system_calls_are_told_from_other_exceptions)
{
	struct seen seen = record_bits(U | K | ANY, true);

	CHECK(seen.types[PERF_BR_SYSCALL]);
	CHECK(seen.types[PERF_BR_ERET]);
}

/* A buffer that froze and was never thawed shows the same thing for ever. */
TEST(kernel_recordings_go_on_after_each_overflow)
{
	struct seen seen = record_bits(U | K | ANY, true);

	CHECK(seen.same * 10 < seen.samples);
}

/* Its overflows freeze the buffer too, and never reach a branch handler. */
TEST(a_plain_event_beside_does_not_stop_recording)
{
	struct perf_event_attr attr = sampler_attr(0);
	struct sampler plain;
	struct seen seen;

	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	attr.sample_freq = 4000;
	CHECK_EQ(sampler_open(&plain, &attr, 0, -1), 0);
	sampler_enable(&plain);
	seen = record_bits(U | K | ANY, true);
	sampler_close(&plain);
	CHECK(seen.same * 10 < seen.samples);
	CHECK(seen.empty * 100 <= seen.samples);
}

TEST(a_user_event_beside_a_kernel_event_sees_no_kernel_address)
{
	struct perf_event_attr attr = sampler_attr(U | K | ANY);
	struct sampler other;
	struct seen seen;

	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	CHECK_EQ(sampler_open(&other, &attr, 0, -1), 0);
	sampler_enable(&other);
	seen = record_bits(U | ANY, false);
	sampler_close(&other);
	CHECK_EQ(seen.kernel, 0);
	CHECK_EQ(seen.wrong, 0);
}

static struct seen record_child_once(bool backward)
{
	struct perf_event_attr attr = sampler_attr(U | ANY | TYPED);
	struct sampler sampler;
	struct seen seen = {};
	pid_t child;
	int status;

	attr.exclude_kernel = 1;
	attr.inherit = 1;
	attr.write_backward = backward;
	sampler_pin(0, 0);
	CHECK_EQ(sampler_open(&sampler, &attr, 0, 0), 0);
	sampler_enable(&sampler);
	child = fork();
	if (!child) {
		work(200000);
		_exit(0);
	}
	seen.pid = child;
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	if (!backward)
		sampler_drain(&sampler, see, &seen);
	else
		seen.samples = sampler.ring->data_head != 0;
	sampler_close(&sampler);
	return seen;
}

static void record_child(bool backward)
{
	unsigned int tries = 0;
	struct seen seen;

	do {
		seen = record_child_once(backward);
	} while (sampler_try_again(seen.samples, 1, &tries));
	CHECK(seen.samples);
	if (!backward) {
		CHECK(seen.own_code > 1000);
		CHECK_EQ(seen.wrong, 0);
	}
}

TEST(children_inherit_their_parents_recording)
{
	record_child(false);
}

TEST(backward_rings_are_written_backward)
{
	record_child(true);
}

static int open_error(const struct perf_event_attr *attr)
{
	struct sampler sampler;
	int err = sampler_open(&sampler, attr, 0, -1);

	if (!err)
		sampler_close(&sampler);
	return -err;
}

static int bits_error(uint64_t bits)
{
	struct perf_event_attr attr = sampler_attr(bits);

	attr.exclude_kernel = 1;
	return open_error(&attr);
}

TEST(what_cannot_be_done_is_refused_in_perfs_words)
{
	CHECK_EQ(bits_error(K | PERF_SAMPLE_BRANCH_CALL_STACK), EOPNOTSUPP);
	CHECK_EQ(bits_error(U | ANY | PERF_SAMPLE_BRANCH_CALL_STACK), EINVAL);
	CHECK_EQ(bits_error(U | ANY | PERF_SAMPLE_BRANCH_ABORT_TX), EINVAL);
	CHECK_EQ(bits_error(U | ANY | PERF_SAMPLE_BRANCH_COUNTERS), EINVAL);
}

/* The original refuses this one after the module has changed its attributes. */
TEST(an_event_the_pmu_does_not_know_is_refused_as_ever)
{
	struct perf_event_attr attr = sampler_attr(U | ANY);
	int plain, branches;

	attr.config = PERF_COUNT_HW_MAX + 1;
	branches = open_error(&attr);
	attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	plain = open_error(&attr);
	CHECK(plain);
	CHECK_EQ(branches, plain);
}

TEST(plain_events_are_served_as_ever)
{
	struct perf_event_attr attr = sampler_attr(0);

	attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	CHECK_EQ(open_error(&attr), 0);
}

/* A program on the event has the sample prepared before the module's handler. */
TEST(a_bpf_program_on_the_event_leaves_the_records_whole)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insn_cnt = 2,
		.insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL",
	};
	struct perf_event_attr attr = sampler_attr(U | ANY | TYPED);
	struct sampler sampler;
	unsigned int tries = 0;
	struct seen seen = {};
	int prog;

	attr.exclude_kernel = 1;
	prog = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	CHECK(prog >= 0);
	do {
		CHECK_EQ(sampler_open(&sampler, &attr, 0, -1), 0);
		CHECK_EQ(ioctl(sampler.fd, PERF_EVENT_IOC_SET_BPF, prog), 0);
		sampler_enable(&sampler);
		for (int i = 0; i < 200; i++) {
			work(2000);
			sampler_drain(&sampler, see, &seen);
		}
		sampler_close(&sampler);
	} while (sampler_try_again(seen.samples, 10, &tries));
	close(prog);
	CHECK(seen.samples >= 10);
	CHECK_EQ(seen.torn, 0);
	CHECK_EQ(seen.wrong, 0);
	CHECK(seen.own_code > 1000);
}

TEST(two_events_each_get_their_own_view)
{
	struct perf_event_attr attr = sampler_attr(U | TYPED |
						   PERF_SAMPLE_BRANCH_COND);
	unsigned int tries = 0;
	struct sampler cond;
	struct seen rets, conds = {};

	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.exclude_kernel = 1;
	do {
		CHECK_EQ(sampler_open(&cond, &attr, 0, -1), 0);
		sampler_enable(&cond);
		rets = record_bits(U | PERF_SAMPLE_BRANCH_ANY_RETURN, false);
		sampler_drain(&cond, see, &conds);
		sampler_close(&cond);
	} while (sampler_try_again(conds.samples, 1, &tries));
	CHECK_EQ(rets.types[PERF_BR_RET], rets.entries);
	CHECK_EQ(conds.types[PERF_BR_COND], conds.entries);
	CHECK(conds.entries && rets.entries);
	CHECK_EQ(rets.wrong + conds.wrong, 0);
}
