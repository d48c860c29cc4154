// SPDX-License-Identifier: GPL-2.0-only
/*
 * What others do to the same PMU and the same harts, for the self-tests.
 *
 *   act=wrap     wrap the cpu PMU's event_init for as long as it is loaded;
 *                parameter `changed` counts attributes that came back changed
 *   act=handler  open a branch event with an overflow handler of its own, as
 *                KVM's virtual PMU does, and fail with what that returns
 *   act=idle     let each hart go through an idle state that loses its records'
 *                registers, and fail with -ECANCELED
 *   act=doze     the same, and the registers stay as they are
 *   act=stray    let each hart read no address, which the kernel mends, and fail with
 *                -ECANCELED
 *   act=online   let each hart that comes up have lost them, for as long as it is
 *                loaded
 *   act=between  open and close an event with branches on each hart that comes, before other
 *                modules hear of it, and on each that goes, after they have heard;
 *                parameters `opened` and `refused` count them
 *   act=linger   let the first event that the PMU of the kernel is asked for wait
 *                there, and be none of its own; parameter `lingers` is 1 meanwhile,
 *                until something else is written to it
 *   act=select   use siselect as an interrupt controller does for as long as it
 *                is loaded; parameter `moved` counts harts on which somebody left
 *                it elsewhere
 *   act=isa      note Ssctr among the extensions of all harts, as a kernel with the first
 *                of kvm-patches does that finds it, and fail with -ECANCELED
 *   act=oops     write to no address behind two calls and a loop of five rounds;
 *                what is written to parameter `give_up` panics, also after that
 *   act=null     call a function that is NULL
 *   act=untyped  write to no address, after the newest record became one of a hart that
 *                does not say types
 *   act=moved    write to no address on the first CPU, and go to the second one between
 *                the exception and die()
 *   act=warn     warn, and fail with -ECANCELED
 *   act=bug      BUG() behind a loop of five rounds, which panics
 *   act=overflow call a function that calls itself until no stack is left, which panics
 *   act=leave    write to no address when a guest of KVM has left that wrote records,
 *                before KVM says so, which panics
 *   act=unread   have constants, vmalloc's memory and a device's registers that nobody
 *                reads; parameter `unread` has their addresses, and what is written
 *                to it makes each be read once
 *   act=race     write to one variable on all harts at once, and fail with -ECANCELED
 */
#include <linux/completion.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/csr.h>

/* The harts' own names for these, not the module's: another witness. */
#define SCTRCTL		0x14e
#define SCTRSTATUS	0x14f
#define SISELECT	0x150
#define SIREG		0x151
#define SIREG2		0x152
#define SIREG3		0x153
#define SCTRDEPTH	0x15f
#define VSCTRCTL	0x24e
#define FROZEN		(1ul << 31)

/* RISCV_ISA_EXT_SSCTR of kvm-patches */
#define ISA_EXT_SSCTR	106

/* A record that nobody made: harts.sh looks for it. */
#define NOBODYS_SOURCE	0x5e5e5e5e00ul
#define NOBODYS_TARGET	0x5e5e5e5e40ul
#define TAKEN_BRANCH	5

/* A record that guests write: kvm_guest.S. */
#define GUESTS_ENTRY	0x204
#define GUESTS_SOURCE	(-0x1000ul + 1)

/* An index that no one else in the guest selects. */
#define SELECTED	0x2f7

static char *act = "wrap";
module_param(act, charp, 0444);
MODULE_PARM_DESC(act, "What to do: wrap, handler, idle, doze, stray, online, between, linger, select, isa, oops, null, untyped, moved, warn, bug, overflow, leave, unread or race");

static unsigned int changed;
module_param(changed, uint, 0444);
MODULE_PARM_DESC(changed, "Events whose attributes event_init changed");

static struct pmu *pmu;
static int (*original)(struct perf_event *event);

static int wrapper(struct perf_event *event)
{
	u64 sample_type = event->attr.sample_type;
	int err = original(event);

	if (event->attr.sample_type != sample_type)
		changed++;
	return err;
}

static void handler(struct perf_event *event, struct perf_sample_data *data,
		    struct pt_regs *regs)
{
}

static struct perf_event *open_event(int cpu, u64 sample_type, bool own_handler)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
		.sample_type = sample_type,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
				      PERF_SAMPLE_BRANCH_ANY,
		.disabled = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL,
						own_handler ? handler : NULL,
						NULL);
}

static int wrap(void)
{
	struct perf_event *event = open_event(0, 0, false);

	if (IS_ERR(event))
		return PTR_ERR(event);
	pmu = event->pmu;
	perf_event_release_kernel(event);
	original = pmu->event_init;
	WRITE_ONCE(pmu->event_init, wrapper);
	return 0;
}

static void lose_registers(void)
{
	unsigned long select, i;

	csr_write(SCTRCTL, 0);
	csr_write(SCTRDEPTH, 0);
	csr_write(SCTRSTATUS, FROZEN);
	select = csr_read(SISELECT);
	for (i = 0; i < 16; i++) {
		csr_write(SISELECT, 0x200 + i);
		csr_write(SIREG, NOBODYS_SOURCE | 1);
		csr_write(SIREG2, NOBODYS_TARGET);
		csr_write(SIREG3, TAKEN_BRANCH);
	}
	csr_write(SISELECT, select);
	/* Record guests, in both modes. By its number, as its name is another one since 7.3. */
	if (__riscv_isa_extension_available(NULL, 'h' - 'a'))
		csr_write(VSCTRCTL, 3);
}

static void idle(void *loses)
{
	if (cpu_pm_enter())
		return;
	if (loses)
		lose_registers();
	cpu_pm_exit();
}

static void stray(void *unused)
{
	unsigned long value;

	WARN_ON(copy_from_kernel_nofault(&value, (void *)sizeof(value), sizeof(value)) != -EFAULT);
}

/* The place of a PMU that no such machine has, before any that modules are given. */
#define BEFORE_OTHERS	CPUHP_AP_PERF_ARM_CCI_ONLINE

static bool awaits_harts;

static int online(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	lose_registers();
	local_irq_restore(flags);
	return 0;
}

static atomic_t opened, refused;
module_param_named(opened, opened.counter, int, 0444);
MODULE_PARM_DESC(opened, "Events with branches that were opened on harts on their way, by act=between");
module_param_named(refused, refused.counter, int, 0444);
MODULE_PARM_DESC(refused, "and that could not be");

static int between(unsigned int cpu)
{
	struct perf_event *event = open_event(cpu, PERF_SAMPLE_BRANCH_STACK, false);

	atomic_inc(IS_ERR(event) ? &refused : &opened);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	return 0;
}

static int lingers;
module_param(lingers, int, 0644);
MODULE_PARM_DESC(lingers, "Is somebody in the PMU's event_init because of act=linger?");

static int linger(struct perf_event *event)
{
	while (READ_ONCE(lingers) == 1)
		msleep(20);
	return -ENOENT;
}

/* In the place of the kernel's own function, once. */
static int divert(struct kprobe *probe, struct pt_regs *regs)
{
	if (cmpxchg(&lingers, 0, 1))
		return 0;
	instruction_pointer_set(regs, (unsigned long)linger);
	return 1;
}
NOKPROBE_SYMBOL(divert);

/* Behind what belongs to ftrace, where the stack is still the caller's. */
static struct kprobe diversion = {
	.symbol_name = "riscv_pmu_event_init",
	.offset = IS_ENABLED(CONFIG_DYNAMIC_FTRACE) ? 8 : 0,
	.pre_handler = divert,
};

static void select_index(void *index)
{
	csr_write(SISELECT, (unsigned long)index);
}

static void read_index(void *moved)
{
	if (csr_read(SISELECT) != SELECTED)
		atomic_inc(moved);
}

static int get_moved(char *buffer, const struct kernel_param *kp)
{
	atomic_t moved = ATOMIC_INIT(0);

	on_each_cpu(read_index, &moved, 1);
	return sysfs_emit(buffer, "%d\n", atomic_read(&moved));
}

static const struct kernel_param_ops moved_ops = { .get = get_moved };
module_param_cb(moved, &moved_ops, NULL, 0444);
MODULE_PARM_DESC(moved, "Harts whose siselect is not where act=select left it");

/* The virtual machine's clock, which the kernel reads at boot. */
#define REGISTERS	0x101000

/* What each would be taken for as an exception's source: an ecall, a load and so on. */
static const u32 constants[] = {
	0x00000073, 0x00100073, 0x00053503, 0x00a53023, 0x00a5252f, 0x00000013,
	0x00000073, 0x00100073, 0x00053503, 0x00a53023, 0x00a5252f, 0x00000013,
	0x00000073, 0x00100073, 0x00053503, 0x00a53023,
};

static u32 *memory;
static void __iomem *registers;

static int get_unread(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%lx %lx %lx\n", (unsigned long)constants,
			  (unsigned long)memory, (unsigned long)registers);
}

static int set_unread(const char *value, const struct kernel_param *kp)
{
	if (!memory)
		return -ENODEV;
	READ_ONCE(constants[0]);
	READ_ONCE(memory[0]);
	readl(registers);
	return 0;
}

static const struct kernel_param_ops unread_ops = {
	.get = get_unread,
	.set = set_unread,
};
module_param_cb(unread, &unread_ops, NULL, 0600);
MODULE_PARM_DESC(unread, "Addresses of what nobody reads with act=unread");

static int have_unread(void)
{
	registers = ioremap(REGISTERS, PAGE_SIZE);
	if (!registers)
		return -ENOMEM;
	memory = vmalloc(PAGE_SIZE);
	if (!memory) {
		iounmap(registers);
		return -ENOMEM;
	}
	memcpy(memory, constants, sizeof(constants));
	return 0;
}

static noinline __noclone void fall(int *at, int rounds)
{
	OPTIMIZER_HIDE_VAR(rounds);
	while (rounds--)
		barrier();
	WRITE_ONCE(*at, rounds);
}

/* The branches of an interrupt are not to be the last ones. */
static noinline __noclone int give_up(const char *text, const struct kernel_param *param)
{
	local_irq_disable();
	panic("ssctr_test gives up");
}

static const struct kernel_param_ops give_up_ops = { .set = give_up };
module_param_cb(give_up, &give_up_ops, NULL, 0200);
MODULE_PARM_DESC(give_up, "What is written panics");

static noinline __noclone void stumble(int *at)
{
	fall(at, 5);
	/* Not a jump to it. */
	barrier();
}

static noinline __noclone void call(void (*function)(void))
{
	OPTIMIZER_HIDE_VAR(function);
	function();
	/* Not a jump to it. */
	barrier();
}

/* No frame is so large that it steps over the page that guards the stack. */
static noinline __noclone int descend(int times)
{
	volatile char frame[256];

	frame[0] = times;
	return (times ? descend(times - 1) : 0) + frame[0];
}

/* One that has two callers becomes another function, so this is not fall(). */
static noinline __noclone void turn(int rounds)
{
	OPTIMIZER_HIDE_VAR(rounds);
	while (rounds--)
		barrier();
}

static void write_nowhere(void)
{
	int *nowhere = NULL;

	OPTIMIZER_HIDE_VAR(nowhere);
	WRITE_ONCE(*nowhere, 1);
}

/* In the place of KVM's function, when what the guest wrote is there. */
static int divert_to_death(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long select = csr_read(SISELECT), source;

	csr_write(SISELECT, GUESTS_ENTRY);
	source = csr_read(SIREG);
	csr_write(SISELECT, select);
	if (source != GUESTS_SOURCE)
		return 0;
	instruction_pointer_set(regs, (unsigned long)write_nowhere);
	return 1;
}
NOKPROBE_SYMBOL(divert_to_death);

static struct kprobe leaving = {
	.symbol_name = "kvm_riscv_vcpu_sync_interrupts",
	.offset = IS_ENABLED(CONFIG_DYNAMIC_FTRACE) ? 8 : 0,
	.pre_handler = divert_to_death,
};

/* The newest record becomes a return to user code that does not say that it is one. */
static void leave_untyped(void)
{
	unsigned long select = csr_read(SISELECT);

	csr_set(SCTRSTATUS, FROZEN);
	csr_write(SISELECT, 0x200);
	csr_write(SIREG2, NOBODYS_TARGET);
	csr_write(SIREG3, 0);
	csr_write(SISELECT, select);
	csr_clear(SCTRSTATUS, FROZEN);
	write_nowhere();
}

static struct task_struct *mover;
static int divert_to_move(struct kprobe *probe, struct pt_regs *regs);

/* The kernel calls it before die(), where a task may be preempted. */
static struct kprobe reporting = {
	.symbol_name = "bust_spinlocks",
	.pre_handler = divert_to_move,
};

static void move(int yes)
{
	void (*original)(int) = (void *)reporting.addr;

	set_cpus_allowed_ptr(current, cpumask_of(1));
	original(yes);
}

static int divert_to_move(struct kprobe *probe, struct pt_regs *regs)
{
	if (current != mover)
		return 0;
	mover = NULL;
	instruction_pointer_set(regs, (unsigned long)move);
	return 1;
}
NOKPROBE_SYMBOL(divert_to_move);

static void die_elsewhere(void)
{
	local_irq_enable();
	set_cpus_allowed_ptr(current, cpumask_of(0));
	WRITE_ONCE(mover, current);
	write_nowhere();
}

static void give_in(void)
{
	turn(5);
	BUG();
}

static DECLARE_COMPLETION(dying);

static int call_and_die(void *function)
{
	complete(&dying);
	local_irq_disable();
	call(function);
	return 0;
}

/* A thread does it: a module whose init has died cannot be unloaded. */
static int __init die_of(void (*function)(void))
{
	struct task_struct *thread = kthread_create(call_and_die, function, "ssctr_%s", act);

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	get_task_struct(thread);
	wake_up_process(thread);
	wait_for_completion(&dying);
	kthread_stop(thread);
	put_task_struct(thread);
	return 0;
}

static unsigned long raced;

/* What a kernel that looks for races has to find. */
static noinline __noclone void race(void *unused)
{
	unsigned int i;

	for (i = 0; i < 1000000; i++) {
		raced++;
		barrier();
	}
}

/* The symbol is not for modules: any probe learns where those are found. */
static int __init note_isa(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);
	unsigned long *isa;
	int err = register_kprobe(&probe);

	if (err)
		return err;
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	isa = (unsigned long *)lookup("riscv_isa");
	if (!isa)
		return -ENOENT;
	set_bit(ISA_EXT_SSCTR, isa);
	return -ECANCELED;
}

static int __init ssctr_test_init(void)
{
	struct perf_event *event;

	if (!strcmp(act, "unread"))
		return have_unread();
	if (!strcmp(act, "wrap"))
		return wrap();
	if (!strcmp(act, "isa"))
		return note_isa();
	if (!strcmp(act, "oops")) {
		/* An interrupt would have records of its own. */
		local_irq_disable();
		stumble(NULL);
	}
	if (!strcmp(act, "null"))
		return die_of(NULL);
	if (!strcmp(act, "untyped"))
		return die_of(leave_untyped);
	if (!strcmp(act, "moved")) {
		int err = register_kprobe(&reporting);

		if (err)
			return err;
		err = die_of(die_elsewhere);
		unregister_kprobe(&reporting);
		return err;
	}
	if (!strcmp(act, "warn")) {
		WARN_ON(1);
		return -ECANCELED;
	}
	if (!strcmp(act, "bug"))
		return die_of(give_in);
	if (!strcmp(act, "overflow")) {
		local_irq_disable();
		descend(INT_MAX);
	}
	if (!strcmp(act, "select")) {
		on_each_cpu(select_index, (void *)SELECTED, 1);
		return 0;
	}
	if (!strcmp(act, "leave"))
		return register_kprobe(&leaving);
	if (!strcmp(act, "linger"))
		return register_kprobe(&diversion);
	if (!strcmp(act, "idle") || !strcmp(act, "doze")) {
		on_each_cpu(idle, strcmp(act, "doze") ? act : NULL, 1);
		return -ECANCELED;
	}
	if (!strcmp(act, "stray")) {
		on_each_cpu(stray, NULL, 1);
		return -ECANCELED;
	}
	if (!strcmp(act, "race")) {
		on_each_cpu(race, NULL, 1);
		return -ECANCELED;
	}
	if (!strcmp(act, "online") || !strcmp(act, "between")) {
		const bool is_between = !strcmp(act, "between");
		int err = cpuhp_setup_state_nocalls(BEFORE_OTHERS, "ssctr_test:online",
						    is_between ? between : online,
						    is_between ? between : NULL);

		awaits_harts = !err;
		return err;
	}
	if (strcmp(act, "handler"))
		return -EINVAL;
	event = open_event(0, PERF_SAMPLE_BRANCH_STACK, true);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return -ECANCELED;
}

static void __exit ssctr_test_exit(void)
{
	if (memory) {
		vfree(memory);
		iounmap(registers);
	}
	if (leaving.addr)
		unregister_kprobe(&leaving);
	if (diversion.addr)
		unregister_kprobe(&diversion);
	if (awaits_harts)
		cpuhp_remove_state_nocalls(BEFORE_OTHERS);
	if (!original)
		return;
	WRITE_ONCE(pmu->event_init, original);
	synchronize_rcu();
	synchronize_rcu_tasks();
}

module_init(ssctr_test_init);
module_exit(ssctr_test_exit);

MODULE_DESCRIPTION("A neighbour of ssctr on the same PMU, for its self-tests");
MODULE_LICENSE("GPL");
