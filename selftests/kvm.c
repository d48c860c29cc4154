// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that has a guest of KVM, and is recorded: the guest reads nothing of it, and
 * nothing of the guest stands in its samples. Wants a hart with the H extension, and the
 * kernel's module kvm.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kvm_guest.h"
#include "harness.h"
#include "sampler.h"
#include "work.h"

#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY

#define CORE_REG(_name)							\
	(KVM_REG_RISCV | KVM_REG_SIZE_U64 | KVM_REG_RISCV_CORE |	\
	 KVM_REG_RISCV_CORE_REG(regs._name))

FIXTURE(kvm)
{
	int kvm, vm, vcpu;
	struct kvm_run *run;
	char *memory;
	struct sampler sampler;
};

FIXTURE_VARIANT(kvm)
{
	uint64_t modes;
};

FIXTURE_VARIANT_ADD(kvm, user) { .modes = U };
FIXTURE_VARIANT_ADD(kvm, user_and_kernel) { .modes = U | K };

static int set_register(int vcpu, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	return ioctl(vcpu, KVM_SET_ONE_REG, &reg);
}

/* 0, or what ioctl says. */
static int get_register(int vcpu, uint64_t id, uint64_t *value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)value };

	return ioctl(vcpu, KVM_GET_ONE_REG, &reg) ? errno : 0;
}

FIXTURE_SETUP(kvm)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = GUEST_START,
		.memory_size = GUEST_SIZE,
	};
	struct perf_event_attr attr = sampler_attr(variant->modes | ANY);

	self->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (self->kvm < 0)
		SKIP(return, "the machine has no KVM");
	self->vm = ioctl(self->kvm, KVM_CREATE_VM, 0);
	ASSERT_LE(0, self->vm);
	self->memory = mmap(NULL, GUEST_SIZE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->memory);
	memcpy(self->memory, guest_begin, guest_end - guest_begin);
	region.userspace_addr = (uintptr_t)self->memory;
	ASSERT_EQ(0, ioctl(self->vm, KVM_SET_USER_MEMORY_REGION, &region));
	self->vcpu = ioctl(self->vm, KVM_CREATE_VCPU, 0);
	ASSERT_LE(0, self->vcpu);
	self->run = mmap(NULL, ioctl(self->kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
			 PROT_READ | PROT_WRITE, MAP_SHARED, self->vcpu, 0);
	ASSERT_NE(MAP_FAILED, self->run);
	ASSERT_EQ(0, set_register(self->vcpu, CORE_REG(pc), GUEST_START));
	ASSERT_EQ(0, set_register(self->vcpu, CORE_REG(a0), GUEST_START + GUEST_TRIES));

	attr.exclude_kernel = !(variant->modes & K);
	attr.exclude_guest = 0;
	attr.freq = 0;
	attr.sample_period = 5000;
	ASSERT_EQ(0, sampler_open(&self->sampler, &attr, 0, -1));
	sampler_enable(&self->sampler);
}

FIXTURE_TEARDOWN(kvm)
{
	if (self->kvm < 0)
		return;
	sampler_close(&self->sampler);
	close(self->vcpu);
	close(self->vm);
	close(self->kvm);
}

/* Jumps before and behind the system call. It returns as ioctl() of the kernel does. */
asm("	.option	push\n"
    "	.option	norvc\n"
    "	.type	enter, @function\n"
    "enter:	li	a7, 29\n"
    "before:	j	1f\n"
    "	nop\n"
    "1:	ecall\n"
    "after:	j	2f\n"
    "	nop\n"
    "2:	ret\n"
    "	.size	enter, . - enter\n"
    "	.option	pop\n");
long enter(int fd, unsigned long request, unsigned long argument);
extern const char before[], after[];

/* What this program answers for a register that KVM asks it for. */
#define OF_HOST	(~0ull)

/* Have the guest do @what, until it calls. */
static bool run(FIXTURE_DATA(kvm) *self, uint64_t what)
{
	long err;

	/* The first time it begins with this, and then it is the answer to its call. */
	set_register(self->vcpu, CORE_REG(a1), what);
	self->run->riscv_sbi.ret[1] = what;
	do {
		err = enter(self->vcpu, KVM_RUN, 0);
		/* Where KVM emulates them, they are none of the hart's. */
		self->run->riscv_csr.ret_value = OF_HOST;
	} while (err == -EINTR || err == -EAGAIN ||
		 (!err && self->run->exit_reason == KVM_EXIT_RISCV_CSR));
	if (!err && self->run->exit_reason == KVM_EXIT_RISCV_SBI &&
	    self->run->riscv_sbi.extension_id == GUEST_CALL)
		return true;
	ksft_print_msg("KVM_RUN gives %ld, reason %u\n", err, self->run->exit_reason);
	return false;
}

static bool in_guest(uint64_t pc)
{
	return pc - GUEST_START < GUEST_SIZE;
}

/* What the guest was told, by its mode. */
struct told {
	const char *mode;
	unsigned int answered, trapped;
	unsigned int records;	/* that are its host's */
};

static void count_told(const struct guest_try *try, struct told *told)
{
	for (unsigned int i = 0; i < GUEST_READS; i++) {
		if (try[i].cause || try[i].value == OF_HOST)
			told->trapped++;
		else
			told->answered++;
	}
	try += GUEST_REGISTERS;
	for (unsigned int i = 0; i < GUEST_ENTRIES; i++, try += 4) {
		uint64_t source = try[1].value, target = try[2].value;

		/* Where KVM keeps what a guest wrote, it finds that again. */
		if (source == OF_HOST || source == (uint64_t)GUEST_FORGED ||
		    !(source | target | try[3].value) ||
		    ((!source || in_guest(source)) && (!target || in_guest(target))))
			continue;
		if (told->records++ < 3)
			ksft_print_msg("%s reads %llx -> %llx\n", told->mode,
				       (unsigned long long)source,
				       (unsigned long long)target);
	}
}

TEST_F(kvm, a_guest_reads_no_record_of_its_host)
{
	const struct guest_try *tries = (const void *)(self->memory + GUEST_TRIES);
	struct told told[2] = { { .mode = "VS" }, { .mode = "VU" } };
	int rounds = ask("SSCTR_ROUNDS", 3) * 4;
	uint64_t seldom = 1ull << 40;

	/* An overflow would end the guest's time before it reads. */
	ASSERT_EQ(0, ioctl(self->sampler.fd, PERF_EVENT_IOC_PERIOD, &seldom));
	/* While no event is on, a module with oops=N records the kernel. */
	sampler_disable(&self->sampler);
	usleep(1000);
	for (int i = 0; i < rounds; i++) {
		if (i == rounds / 2)
			sampler_enable(&self->sampler);
		work(100);
		ASSERT_TRUE(run(self, GUEST_READ | GUEST_WRITE));
		for (int mode = 0; mode < 2; mode++)
			count_told(tries + mode * GUEST_READS, &told[mode]);
	}
	for (int mode = 0; mode < 2; mode++) {
		ksft_print_msg("%s: %u reads answered, %u trapped, %u records of the host\n",
			       told[mode].mode, told[mode].answered,
			       told[mode].trapped, told[mode].records);
		EXPECT_EQ(rounds * GUEST_READS, told[mode].answered + told[mode].trapped);
		EXPECT_EQ(0, told[mode].records);
	}
	/* Users have no such registers. */
	EXPECT_EQ(0, told[1].answered);
}

/* Those of kvm-patches, which no header has yet. */
#define CTR_REG(_nr)								\
	(KVM_REG_RISCV | KVM_REG_SIZE_U64 | KVM_REG_RISCV_CSR | 0x30000 | (_nr))
#define ISA_SSCTR	(KVM_REG_RISCV | KVM_REG_SIZE_U64 | KVM_REG_RISCV_ISA_EXT | 78)
#define SCTRCTL		CTR_REG(0)
#define SCTRDEPTH	CTR_REG(2)

/* A stock KVM has none of them. */
TEST_F(kvm, a_host_reads_and_sets_what_its_guest_records)
{
	const struct guest_try *tries = (const void *)(self->memory + GUEST_TRIES);
	uint64_t value = ~0ull, depth;
	int other, err = get_register(self->vcpu, SCTRCTL, &value);

	if (err) {
		EXPECT_EQ(ENOENT, err);
		return;
	}
	EXPECT_EQ(0, value);
	ASSERT_EQ(0, get_register(self->vcpu, SCTRDEPTH, &depth));
	EXPECT_EQ(0, set_register(self->vcpu, SCTRDEPTH, depth));
	EXPECT_EQ(-1, set_register(self->vcpu, SCTRDEPTH, depth ^ 1));
	EXPECT_EQ(0, set_register(self->vcpu, SCTRCTL, 3));
	ASSERT_TRUE(run(self, GUEST_READ));
	EXPECT_EQ(3, tries[0].value);
	EXPECT_EQ(depth, tries[2].value);
	EXPECT_EQ(0, get_register(self->vcpu, SCTRCTL, &value));
	EXPECT_EQ(3, value);
	/* A guest that is not to have them. */
	other = ioctl(self->vm, KVM_CREATE_VCPU, 1);
	EXPECT_EQ(0, set_register(other, ISA_SSCTR, 0));
	EXPECT_EQ(ENOENT, get_register(other, SCTRCTL, &value));
	close(other);
	ksft_print_msg("sctrctl of the guest is read and set\n");
}

/* So many of a stack's newest entries have an older one, also where a hart has 32. */
#define STACK	20

/* What the samples of the host show. */
struct shown {
	unsigned int samples, full;
	unsigned int guests;	/* records with an address of the guest's */
	unsigned int met;	/* jumps behind the call of the guest */
	unsigned int whole;	/* of which the jump before the call is the next older one */
};

static void look(const struct sample *sample, void *data)
{
	struct shown *shown = data;

	shown->samples++;
	shown->full += sample->nr > 0;
	for (uint64_t i = 0; i < sample->nr; i++) {
		const struct perf_branch_entry *at = &sample->entries[i];

		shown->guests += in_guest(at->from) || in_guest(at->to);
		if (at->from != (uintptr_t)after || i >= STACK)
			continue;
		shown->met++;
		shown->whole += i + 1 < sample->nr && at[1].from == (uintptr_t)before;
	}
}

/* Have the guest do @what until there are samples enough. */
static struct shown run_and_look(FIXTURE_DATA(kvm) *self, bool kernel, uint64_t what)
{
	struct shown shown = {};

	/* Few stacks reach back that far where the kernel is recorded. */
	for (int i = 0; shown.met < 200 && (!kernel || shown.samples < 1000); i++) {
		if (i == 10 * MANY || !run(self, what))
			break;
		work(1);
		sampler_drain(&self->sampler, look, &shown);
	}
	ksft_print_msg("%u samples, %u with records, %u with the guest's; %u of %u went on\n",
		       shown.samples, shown.full, shown.guests, shown.whole, shown.met);
	return shown;
}

TEST_F(kvm, a_host_is_shown_nothing_of_its_guest)
{
	struct shown shown = run_and_look(self, variant->modes & K, GUEST_WRITE);

	EXPECT_LT(20, shown.samples);
	EXPECT_EQ(0, shown.guests);
	/* The guest stops no recording. */
	EXPECT_LE(shown.samples * 0.99, shown.full);
}

TEST_F(kvm, a_host_s_records_go_on_behind_its_guest)
{
	struct shown shown = run_and_look(self, variant->modes & K, 0);

	EXPECT_LT(20, shown.samples);
	EXPECT_EQ(0, shown.guests);
	EXPECT_LE(shown.samples * 0.99, shown.full);
	/* Where the kernel is recorded, its branches lie in between. */
	if (!(variant->modes & K)) {
		EXPECT_LE(100, shown.met);
		EXPECT_EQ(shown.met, shown.whole);
	}
}

/* Have the guest run in the midst of calls that have not returned. */
static void __attribute__((noinline, used)) call_guest(FIXTURE_DATA(kvm) *self)
{
	sampler_enable(&self->sampler);
	run(self, 0);
}

/*
 * Run the guest again and again with no call in between. All calls since the event began
 * have returned by then. The one of return_and_run() has not, and is shown if the event went on
 * from the time before.
 */
asm("	.option	push\n"
    "	.option	norvc\n"
    "	.type	return_and_run, @function\n"
    "return_and_run:\n"
    "	addi	sp, sp, -32\n"
    "	sd	ra, 0(sp)\n"
    "	sd	s0, 8(sp)\n"
    "	sd	s1, 16(sp)\n"
    "	mv	s0, a1\n"
    "	mv	s1, a2\n"
    "	call	call_guest\n"
    "returned:\n"
    "	li	t0, 20000\n"
    "1:	addi	t0, t0, -1\n"
    "	bnez	t0, 1b\n"
    "	mv	a0, s0\n"
    "	li	a1, 0xae80\n"		/* KVM_RUN */
    "	li	a2, 0\n"
    "	li	a7, 29\n"
    "	ecall\n"
    "	addi	s1, s1, -1\n"
    "	bnez	s1, returned\n"
    "stopped:\n"
    "	ld	ra, 0(sp)\n"
    "	ld	s0, 8(sp)\n"
    "	ld	s1, 16(sp)\n"
    "	addi	sp, sp, 32\n"
    "	ret\n"
    "	.size	return_and_run, . - return_and_run\n"
    "	.option	pop\n");
void return_and_run(FIXTURE_DATA(kvm) *self, int vcpu, unsigned long times);
extern const char returned[], stopped[];

struct returns {
	unsigned int samples;
	uint64_t calls;
};

static void look_for_calls(const struct sample *sample, void *data)
{
	struct returns *returns = data;

	if (sample->ip < (uintptr_t)returned || sample->ip >= (uintptr_t)stopped)
		return;
	returns->samples++;
	for (uint64_t i = 0; i < sample->nr; i++)
		returns->calls += sample->entries[i].to != (uintptr_t)return_and_run;
}

TEST_F(kvm, a_guest_brings_back_no_call_that_has_returned)
{
	struct perf_event_attr attr = sampler_attr(U | PERF_SAMPLE_BRANCH_CALL_STACK);
	struct returns returns = {};

	if (variant->modes & K)
		return;
	attr.freq = 0;
	attr.sample_period = 50000;
	sampler_close(&self->sampler);
	ASSERT_EQ(0, sampler_open(&self->sampler, &attr, 0, -1));
	for (int i = 0; returns.samples < 100 && i < MANY; i++) {
		return_and_run(self, self->vcpu, 50);
		sampler_disable(&self->sampler);
		sampler_drain(&self->sampler, look_for_calls, &returns);
	}
	ksft_print_msg("%u samples behind the guest, %llu calls\n", returns.samples,
		       (unsigned long long)returns.calls);
	EXPECT_LE(100, returns.samples);
	EXPECT_EQ(0, returns.calls);
}

TEST_HARNESS_MAIN
