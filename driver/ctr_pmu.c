// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) "ssctr: " fmt

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "ctr_cpu.h"
#include "ctr_hook.h"
#include "ctr_pmu.h"
#include "ctr_store.h"
#include "ctr_trace.h"

/* The functions of a PMU that this module replaces. */
struct ctr_pmu_ops {
	int (*event_init)(struct perf_event *event);
	int (*add)(struct perf_event *event, int flags);
	void (*del)(struct perf_event *event, int flags);
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);
	void (*pmu_enable)(struct pmu *pmu);
};

static struct pmu *ctr_pmu;
static struct ctr_pmu_ops original;

/* How many run ctr_pmu_event_init(), the one replaced function that sleeps. */
static atomic_t inside = ATOMIC_INIT(0);

static atomic_t refused = ATOMIC_INIT(0);

/* perf's own two handlers; the core does not export them. */
static perf_overflow_handler_t output_forward, output_backward;

/* Do events that only count record, too? Snapshots are taken without a sample. */
static bool counting_records;

/* Is caps_group in the PMU's folder? */
static bool has_caps;

/* Is another module wrapped around this one? Then ours must stay. */
static atomic_t pinned = ATOMIC_INIT(0);

/* event_init leaves the parsed filter where the PMU below keeps nothing. */
static ctr_filter_t event_filter(const struct perf_event *event)
{
	return event->hw.branch_reg.config;
}

/* Events of other PMUs have something else in that place. */
static bool is_ctr_event(const struct perf_event *event)
{
	return event->pmu == ctr_pmu && event_filter(event);
}

/*
 * A sample without a stack lacks hw_idx, which its readers expect if it was asked for. Newer
 * kernels write to nr, hence one for each CPU. It stays 0, so that an NMI may come at any time.
 */
static DEFINE_PER_CPU(struct perf_branch_stack, none) = { .hw_idx = -1ULL };

/* @nmi: nothing can be read. */
static struct perf_branch_stack *read_stack(struct perf_event *event, bool nmi)
{
	return (nmi ? NULL : ctr_cpu_read(event, event_filter(event))) ?: this_cpu_ptr(&none);
}

/*
 * The stack of a sample that was prepared for a BPF program. If the program has asked for
 * it, it is there; if not, there is one of no entries: one u64. Take that back, or the
 * record's size is wrong. The rest of the sample, the user's stack above all, has taken
 * what it likes of 64 KiB: leave out the oldest records that there is no room for.
 */
static noinline void save_late(struct perf_event *event, struct perf_sample_data *data, bool nmi)
{
	const u64 size = sizeof(struct perf_event_header) + event->header_size +
			 event->id_header_size + data->dyn_size + sizeof(u64);
	const u64 room = ALIGN_DOWN(U16_MAX, sizeof(u64));
	struct perf_branch_stack *stack;

	if (data->br_stack || size > room)
		return;
	stack = read_stack(event, nmi);
	data->sample_flags &= ~PERF_SAMPLE_BRANCH_STACK;
	data->dyn_size -= sizeof(u64);
	stack->nr = min(stack->nr, (room - size) / sizeof(*stack->entries));
	perf_sample_save_brstack(data, event, stack, NULL);
}

static __always_inline void save_stack(struct perf_event *event,
				       struct perf_sample_data *data, bool nmi)
{
	if (unlikely(data->sample_flags & PERF_SAMPLE_BRANCH_STACK))
		save_late(event, data, nmi);
	else
		perf_sample_save_brstack(data, event, read_stack(event, nmi), NULL);
}

void ctr_pmu_save_stack(struct perf_event *event, struct perf_sample_data *data)
{
	if (is_ctr_event(event))
		save_stack(event, data, false);
}

static void ctr_pmu_overflow(struct perf_event *event,
			     struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	save_stack(event, data, in_nmi());
	if (is_write_backward(event))
		output_backward(event, data, regs);
	else
		output_forward(event, data, regs);
}

static void ctr_pmu_event_destroy(struct perf_event *event)
{
	/* Not for those who may not open an event of that task. */
	if (event->hw.branch_reg.reg)
		ctr_store_drop_empty(event->hw.target);
	ctr_hook_put();
	module_put(THIS_MODULE);
}

/* Of a task's child. A fork that fails after this has no other end. */
static void ctr_pmu_inherited_destroy(struct perf_event *event)
{
	if (READ_ONCE(event->hw.target->__state) == TASK_NEW)
		ctr_store_drop(event->hw.target);
}

static void ctr_pmu_counting_destroy(struct perf_event *event)
{
	module_put(THIS_MODULE);
}

/*
 * Call the original, which refuses branch stacks, without it seeing the bit. An event that
 * has an end of its own is refused, as it gets one of ours.
 */
static __always_inline int original_event_init(struct perf_event *event)
{
	int err;

	event->attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	err = original.event_init(event);
	/* On every way out: children clone their parent's attributes. */
	event->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	/* The core calls destroy only for events that were initialised. */
	if (!err && event->destroy) {
		event->destroy(event);
		event->destroy = NULL;
		err = -EOPNOTSUPP;
	}
	return err;
}

/*
 * Is there a hart on which @event can be served? A task may come to one that cannot:
 * its samples there have no stack. perf opens a task's event once for each CPU, so
 * that what is for one CPU may still follow a task.
 */
static bool is_served(const struct perf_event *event, ctr_filter_t filter)
{
	unsigned int cpu;

	/* perf itself refuses what is for a CPU that is offline, and says so. */
	if (event->cpu >= 0 && !(event->attach_state & PERF_ATTACH_TASK))
		return !cpu_online(event->cpu) || ctr_cpu_serves(event->cpu, filter);
	for_each_online_cpu(cpu)
		if (ctr_cpu_serves(cpu, filter))
			return true;
	return false;
}

static bool fits(const struct perf_event *event, ctr_filter_t filter)
{
	return !is_ctr_event(event) ||
	       ctr_filter_fit(event_filter(event), filter);
}

/* The events of a group are active together, or never. */
static bool fits_group(const struct perf_event *event, ctr_filter_t filter)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (leader == event)
		return true;
	if (!fits(leader, filter))
		return false;
	for_each_sibling_event(sibling, leader)
		if (!fits(sibling, filter))
			return false;
	return true;
}

/* Can @event, a new one, have what it asks for? */
static int check_event(const struct perf_event *event, ctr_filter_t filter)
{
	/* Who handles overflows by himself is not served, nor is his context. */
	if (event->overflow_handler != output_forward &&
	    event->overflow_handler != output_backward)
		return -EOPNOTSUPP;
	if (!is_served(event, filter))
		return -EOPNOTSUPP;
	return fits_group(event, filter) ? 0 : -EINVAL;
}

/* What a task does before it leaves a CPU is kept, in memory of its own. */
static __always_inline bool make_store(const struct perf_event *event)
{
	return event->hw.target && ctr_store_make(event->hw.target);
}

/* In each fork, for each event. */
static __always_inline int serve_event(struct perf_event *event, ctr_filter_t filter)
{
	int err = original_event_init(event);

	if (err)
		return err;
	ctr_cpu_init_event(event);
	event->hw.branch_reg.config = filter;
	event->overflow_handler = ctr_pmu_overflow;
	return 0;
}

/* Notes whether the task has got a store for it. */
static int serve_new_event(struct perf_event *event, ctr_filter_t filter)
{
	bool made = make_store(event);
	int err = serve_event(event, filter);

	if (err && made)
		ctr_store_drop_empty(event->hw.target);
	event->hw.branch_reg.reg = made;
	return err;
}

/* One that counts in a sampled group has the bit, but no samples. */
static int open_counting(struct perf_event *event)
{
	int err;

	/* Its copies need the module, too, which hides the bit, and have it as long as this. */
	if (!event->parent && !try_module_get(THIS_MODULE))
		return -EOPNOTSUPP;
	err = original_event_init(event);
	if (event->parent)
		return err;
	if (err)
		module_put(THIS_MODULE);
	else
		event->destroy = ctr_pmu_counting_destroy;
	return err;
}

static noinline int open_event(struct perf_event *event)
{
	ctr_filter_t filter;
	int err;

	err = ctr_filter_parse(event->attr.branch_sample_type, &filter);
	if (err)
		return err;
	if (!is_sampling_event(event) && !counting_records)
		return open_counting(event);
	err = check_event(event, filter);
	if (err)
		return err;

	if (!try_module_get(THIS_MODULE))
		return -EOPNOTSUPP;
	/* perf holds locks then: its leader's or its parent's. */
	err = ctr_hook_get(event->group_leader != event || event->parent);
	if (err)
		goto put_module;
	err = serve_new_event(event, filter);
	if (err)
		goto put_hook;
	event->destroy = ctr_pmu_event_destroy;
	return 0;

put_hook:
	ctr_hook_put();
put_module:
	module_put(THIS_MODULE);
	return err;
}

static int branch_event_init(struct perf_event *event)
{
	const struct perf_event *parent = event->parent;
	int err;

	if (!parent || !is_ctr_event(parent))
		return open_event(event);
	/* perf keeps the parent, and so the references that it has, as long as this. */
	make_store(event);
	err = serve_event(event, event_filter(parent));
	if (!err && event->hw.target)
		event->destroy = ctr_pmu_inherited_destroy;
	return err;
}

/*
 * An event that only counts starts its counter 2^63 - 1 before the overflow. QEMU
 * cannot set a timer so far ahead. It keeps the rest of the time in a field that it
 * never clears, and the next event on that counter loses its first overflow to it:
 * the event takes no sample for as long as the machine has been up. So the module
 * starts such a counter nearer to its overflow, on every machine, because nothing
 * tells QEMU from a hart. A hart comes to that overflow after days, and the count
 * goes on across it, as it does where counters have fewer bits. 2^52 leaves room
 * for the 10 bits by which QEMU's -icount may shift it.
 */
#define COUNT_PERIOD_MAX (1ull << 52)

static void limit_count_period(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (is_sampling_event(event) || hw->sample_period <= COUNT_PERIOD_MAX)
		return;
	hw->sample_period = COUNT_PERIOD_MAX;
	hw->last_period = COUNT_PERIOD_MAX;
	local64_set(&hw->period_left, COUNT_PERIOD_MAX);
}

static int ctr_pmu_event_init(struct perf_event *event)
{
	int err;

	atomic_inc(&inside);
	if (has_branch_stack(event)) {
		err = branch_event_init(event);
		/* Not those of another PMU, which the core only asks about. */
		if (err && err != -ENOENT) {
			atomic_inc(&refused);
			trace_ssctr_refuse(event->attr.branch_sample_type,
					   event->cpu, err);
		}
	} else {
		err = original.event_init(event);
	}
	if (!err)
		limit_count_period(event);
	atomic_dec(&inside);
	return err;
}

unsigned int ctr_pmu_refused(void)
{
	return atomic_read(&refused);
}

static int ctr_pmu_add(struct perf_event *event, int flags)
{
	int err;

	if (!is_ctr_event(event))
		return original.add(event, flags);

	err = ctr_cpu_may_add(event_filter(event));
	if (!err)
		err = original.add(event, flags);
	if (!err)
		ctr_cpu_add(event, event_filter(event));
	return err;
}

static void ctr_pmu_del(struct perf_event *event, int flags)
{
	original.del(event, flags);
	if (is_ctr_event(event))
		ctr_cpu_del(event);
}

/*
 * perf starts what it throttled, but the PMU's driver does not stop it for that. Asked to start
 * a counter that runs, OpenSBI 1.9 sets the counter up anew, with its interrupt disabled (OF), and
 * then refuses: no sample comes until a switch. What runs needs no start.
 */
static void ctr_pmu_start(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		original.start(event, flags);
}

/*
 * Without flags, perf stops what it throttles. Since Linux 7 this is a whole group, in an overflow
 * whose handler then starts all counters again: what perf noted as stopped would run, uncounted
 * and without samples. So nothing is stopped.
 */
static void ctr_pmu_stop(struct perf_event *event, int flags)
{
	if (flags)
		original.stop(event, flags);
}

static void ctr_pmu_enable(struct pmu *pmu)
{
	original.pmu_enable(pmu);
	ctr_cpu_enable(pmu);
}

static bool is_ours(const struct pmu *pmu)
{
	return READ_ONCE(pmu->event_init) == ctr_pmu_event_init &&
	       READ_ONCE(pmu->add) == ctr_pmu_add &&
	       READ_ONCE(pmu->del) == ctr_pmu_del &&
	       READ_ONCE(pmu->start) == ctr_pmu_start &&
	       READ_ONCE(pmu->stop) == ctr_pmu_stop &&
	       READ_ONCE(pmu->pmu_enable) == ctr_pmu_enable;
}

/* Not before ours are there. */
static bool is_wrapped(const struct pmu *pmu)
{
	return !is_ours(pmu) && READ_ONCE(pmu->event_init) != original.event_init;
}

static void set_ops(struct pmu *pmu, const struct ctr_pmu_ops *ops)
{
	WRITE_ONCE(pmu->add, ops->add);
	WRITE_ONCE(pmu->del, ops->del);
	WRITE_ONCE(pmu->start, ops->start);
	WRITE_ONCE(pmu->stop, ops->stop);
	WRITE_ONCE(pmu->pmu_enable, ops->pmu_enable);
	/* The hooks are there before any branch event that needs them. */
	smp_store_release(&pmu->event_init, ops->event_init);
}

/*
 * Whoever wraps the PMU after us calls us for as long as it is loaded, and puts
 * our functions back when it goes. In between this module must not go away.
 */
static int module_event(struct notifier_block *nb, unsigned long state,
			void *data)
{
	if (is_ours(ctr_pmu)) {
		if (atomic_xchg(&pinned, 0))
			module_put(THIS_MODULE);
	} else if (state == MODULE_STATE_LIVE && is_wrapped(ctr_pmu) &&
		   !atomic_xchg(&pinned, 1)) {
		if (!try_module_get(THIS_MODULE))
			atomic_set(&pinned, 0);
	}
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_event,
};

/*
 * A counter of the kernel's own shows its PMU and the handler it was given. NULL
 * if the kernel has none of that kind.
 */
static struct perf_event *open_counter(u32 type, u64 config, bool backward)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.write_backward = backward,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(),
						 NULL, NULL, NULL);
	return IS_ERR(event) ? NULL : event;
}

static perf_overflow_handler_t learn_handler(bool backward)
{
	perf_overflow_handler_t handler = NULL;
	struct perf_event *event;

	event = open_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, backward);
	if (event) {
		handler = event->overflow_handler;
		perf_event_release_kernel(event);
	}
	return handler;
}

/* The PMU cpu, if it serves this event. */
static struct pmu *pmu_of(u32 type, u64 config)
{
	struct perf_event *event = open_counter(type, config, false);
	struct pmu *pmu = NULL;

	if (!event)
		return NULL;
	if (event->pmu->name && !strcmp(event->pmu->name, "cpu"))
		pmu = event->pmu;
	perf_event_release_kernel(event);
	return pmu;
}

static struct pmu *find_pmu(void)
{
	return pmu_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) ?:
	       pmu_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

/* Raw events are taken without asking whether a counter has them. */
static const char *why_no_pmu(void)
{
	if (!output_forward || !output_backward)
		return "the kernel opens no software event, which shows how it writes samples";
	if (pmu_of(PERF_TYPE_RAW, 0))
		return "the PMU named cpu counts neither cycles nor instructions, because the firmware has no counter for them (device tree: riscv,event-to-mhpmcounters)";
	return "the kernel has no PMU named cpu; it wants firmware with the SBI PMU extension";
}

/* A function of another module? Its symbol then carries the module's name. */
static bool in_module(const void *function, char name[KSYM_SYMBOL_LEN])
{
	sprint_symbol(name, (unsigned long)function);
	return strchr(name, '[');
}

/*
 * caps/branches in the PMU's folder: perf takes it for the most entries that a
 * stack can have, and enlarges its tables by it.
 */
static ssize_t branches_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	unsigned int cpu, most = 0;

	for_each_possible_cpu(cpu)
		most = max(most, ctr_cpu_depth(cpu));
	return sysfs_emit(buf, "%u\n", most);
}

static DEVICE_ATTR_RO(branches);

static struct attribute *caps_attrs[] = {
	&dev_attr_branches.attr,
	NULL
};

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
};

/* The original functions again, and nobody inside ours. */
static void give_back(void)
{
	/*
	 * The notifier pins this module while another one that was loaded later
	 * is wrapped around it. One that wrapped by itself at some other time is
	 * waited for: going without it would leave it calling freed memory.
	 */
	while (!is_ours(ctr_pmu)) {
		pr_warn_once("another module has wrapped the cpu PMU; waiting until it is unloaded\n");
		msleep(100);
	}
	set_ops(ctr_pmu, &original);

	/*
	 * add, del, start, stop and the overflow handler run with interrupts off, and who has
	 * read the old event_init may not have counted itself in yet, or may be
	 * on its last instructions: both are over after the grace periods.
	 */
	synchronize_rcu();
	synchronize_rcu_tasks();
	while (atomic_read(&inside))
		msleep(20);
	synchronize_rcu();
	synchronize_rcu_tasks();
}

int ctr_pmu_attach(bool counting)
{
	static const struct ctr_pmu_ops ours = {
		.event_init = ctr_pmu_event_init,
		.add = ctr_pmu_add,
		.del = ctr_pmu_del,
		.start = ctr_pmu_start,
		.stop = ctr_pmu_stop,
		.pmu_enable = ctr_pmu_enable,
	};
	struct pmu *pmu;
	char *name;
	int err;

	output_forward = learn_handler(false);
	output_backward = learn_handler(true);
	pmu = find_pmu();
	if (!output_forward || !output_backward || !pmu) {
		pr_err("refused: %s\n", why_no_pmu());
		return -ENODEV;
	}
	if (pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) {
		pr_err("refused: the PMU has no counter-overflow interrupt (Sscofpmf), so nothing can be sampled\n");
		return -EOPNOTSUPP;
	}

	name = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	if (in_module(pmu->event_init, name) || in_module(pmu->add, name) ||
	    in_module(pmu->del, name) || in_module(pmu->start, name) ||
	    in_module(pmu->stop, name) || in_module(pmu->pmu_enable, name)) {
		pr_err("refused: the cpu PMU is already wrapped by %s; unload that module first\n",
		       name);
		kfree(name);
		return -EBUSY;
	}
	kfree(name);

	ctr_pmu = pmu;
	counting_records = counting;
	original.event_init = pmu->event_init;
	original.add = pmu->add;
	original.del = pmu->del;
	original.start = pmu->start;
	original.stop = pmu->stop;
	original.pmu_enable = pmu->pmu_enable;
	err = register_module_notifier(&module_notifier);
	if (err)
		return err;
	/* They are called with interrupts off, by CPUs that must see the original ones. */
	synchronize_rcu();
	set_ops(pmu, &ours);
	/* perf works without it. */
	if (pmu->dev && !sysfs_create_group(&pmu->dev->kobj, &caps_group))
		has_caps = true;
	else
		pr_warn("no caps/branches in the PMU's folder\n");
	return 0;
}

void ctr_pmu_detach(void)
{
	if (has_caps)
		sysfs_remove_group(&ctr_pmu->dev->kobj, &caps_group);
	unregister_module_notifier(&module_notifier);
	give_back();
}
