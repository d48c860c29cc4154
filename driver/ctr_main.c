// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branch records of RISC-V harts with Ssctr for `perf record -b`.
 */
#define pr_fmt(fmt) "ssctr: " fmt

#include <linux/acpi.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/version.h>

#include "ctr_bpf.h"
#include "ctr_cpu.h"
#include "ctr_hook.h"
#include "ctr_oops.h"
#include "ctr_pmu.h"
#include "ctr_state.h"
#include "ctr_store.h"

/* Older ones let BPF programs replace an event's handler, and say exec too late. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error ssctr needs Linux 6.12 or newer
#endif

static unsigned int depth = CTR_MAX_ENTRIES;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "Most records to keep per hart: 16 to 256 (default: 256)");

static unsigned int tasks = 8192;
module_param(tasks, uint, 0444);
MODULE_PARM_DESC(tasks, "Most tasks whose records are kept while they are off the CPU (default: 8192)");

static bool bpf;
module_param(bpf, bool, 0444);
MODULE_PARM_DESC(bpf, "Give branch records to BPF programs, with the module ssctr_snapshot, which then stays loaded (default: no)");

static unsigned int oops;
module_param(oops, uint, 0444);
MODULE_PARM_DESC(oops, "Branches of the kernel to print when it oopses or panics: 1 to 256, 0 for none (default: 0)");

/* Is @name among the extensions that @cpu's device tree node lists? */
static bool of_has_extension(unsigned int cpu, const char *name)
{
	struct device_node *node = of_get_cpu_node(cpu, NULL);
	const char *isa, *at;
	bool has;

	if (!node)
		return false;
	has = of_property_match_string(node, "riscv,isa-extensions", name) >= 0;
	/* The older form: one string, rv64imafdc_zicsr_ssctr. */
	if (!has && !of_property_read_string(node, "riscv,isa", &isa)) {
		size_t len = strlen(name);

		for (at = isa; !has && (at = strstr(at, name)); at += len)
			has = at > isa && at[-1] == '_' &&
			      (at[len] == '_' || !at[len]);
	}
	of_node_put(node);
	return has;
}

/* With ACPI a module cannot see the ISA string: only the probe tells. */
static bool may_have_ctr(unsigned int cpu)
{
	return !acpi_disabled || of_has_extension(cpu, "ssctr") ||
	       of_has_extension(cpu, "smctr");
}

static const char *fault_text(unsigned int cpu, enum ctr_hw_fault fault)
{
	bool listed = !acpi_disabled || of_has_extension(cpu, "sscsrind") ||
		      of_has_extension(cpu, "smcsrind");

	switch (fault) {
	case CTR_HW_NO_SSCSRIND:
		if (!listed)
			return "it has no Sscsrind, by which records are read";
		fallthrough;
	case CTR_HW_NO_ACCESS:
		return "the firmware does not grant access to its records (mstateen0.CTR); OpenSBI 1.9 does";
	case CTR_HW_NO_MODES:
		return "it records neither U nor S mode";
	case CTR_HW_NO_DEPTH:
		return "it accepts no buffer depth";
	case CTR_HW_OK:
		break;
	}
	return "it has none";
}

/* The last reason that made a hart unusable, for the log. */
static DEFINE_PER_CPU(enum ctr_hw_fault, cpu_fault);

static int hotplug_online(unsigned int cpu)
{
	enum ctr_hw_fault fault;

	if (may_have_ctr(cpu)) {
		/* this_cpu_write() would call it with interrupts off, which lockdep is not told. */
		fault = ctr_cpu_online(depth);
		this_cpu_write(cpu_fault, fault);
	} else {
		ctr_cpu_lacks();
	}
	/* A hart that cannot be used does not keep the CPU from coming up. */
	return 0;
}

static int hotplug_offline(unsigned int cpu)
{
	ctr_cpu_offline();
	return 0;
}

static int cpu_pm_event(struct notifier_block *nb, unsigned long action,
			void *data)
{
	if (action == CPU_PM_EXIT)
		ctr_cpu_resume();
	return NOTIFY_OK;
}

static struct notifier_block cpu_pm_notifier = {
	.notifier_call = cpu_pm_event,
	/* Before the PMU's own, which starts the counters again. */
	.priority = 1,
};

/* @return 0 if a hart can be used, or why there is nothing to do. */
static int check_harts(void)
{
	unsigned int cpu, listed = 0, first = 0;
	enum ctr_hw_fault fault;

	for_each_online_cpu(cpu) {
		if (ctr_cpu_depth(cpu))
			return 0;
		if (may_have_ctr(cpu) && !listed++)
			first = cpu;
	}
	fault = per_cpu(cpu_fault, first);
	/* With ACPI nothing tells what is not there from what is not granted. */
	if (!acpi_disabled && fault == CTR_HW_NO_ACCESS)
		pr_err("refused: no hart lets its records be read: either it has no Ssctr, or the firmware does not grant access (mstateen0.CTR); OpenSBI 1.9 does\n");
	else if (listed)
		pr_err("refused: hart of CPU %u has records, but %s\n", first,
		       fault_text(first, fault));
	else
		pr_err("refused: no hart has Ssctr (neither ssctr nor smctr is in the device tree)\n");
	return -ENODEV;
}

/* What the harts have, once nothing else can be the reason to refuse: one line. */
static void tell_harts(void)
{
	unsigned int cpu, usable = 0, most = 0;

	for_each_online_cpu(cpu) {
		usable += !!ctr_cpu_depth(cpu);
		most = max(most, ctr_cpu_depth(cpu));
	}
	pr_info("branch records on %u of %u CPUs, %u deep\n", usable,
		num_online_cpus(), most);
}

static enum cpuhp_state hotplug_state;

static int __init ssctr_init(void)
{
	int err;

	if (depth < CTR_DEPTH_ENTRIES(0)) {
		pr_err("refused: depth=%u, a buffer has at least %u records\n",
		       depth, CTR_DEPTH_ENTRIES(0));
		return -EINVAL;
	}

	if (oops > CTR_MAX_ENTRIES) {
		pr_err("refused: oops=%u, a buffer has at most %u records\n", oops,
		       CTR_MAX_ENTRIES);
		return -EINVAL;
	}

	err = ctr_store_init(tasks);
	if (err)
		return err;
	err = ctr_cpu_init(oops);
	if (err)
		goto exit_store;

	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/riscv/ssctr:online",
				hotplug_online, hotplug_offline);
	if (err < 0)
		goto free_cpus;
	hotplug_state = err;

	err = check_harts();
	if (err)
		goto remove_state;
	err = cpu_pm_register_notifier(&cpu_pm_notifier);
	if (err)
		goto remove_state;
	err = ctr_hook_init();
	if (err)
		goto unregister_pm;
	if (bpf)
		err = ctr_bpf_init();
	if (err)
		goto exit_hook;
	if (oops)
		err = ctr_oops_init(oops);
	if (err)
		goto exit_bpf;
	/* The last that may fail: events that were opened keep only a module that stays. */
	err = ctr_pmu_attach(bpf);
	if (err)
		goto exit_oops;
	ctr_state_init();
	tell_harts();
	return 0;

exit_oops:
	if (oops)
		ctr_oops_exit();
exit_bpf:
	if (bpf)
		ctr_bpf_exit();
exit_hook:
	ctr_hook_exit();
unregister_pm:
	cpu_pm_unregister_notifier(&cpu_pm_notifier);
remove_state:
	cpuhp_remove_state(hotplug_state);
free_cpus:
	ctr_cpu_exit();
exit_store:
	ctr_store_exit();
	return err;
}

static void __exit ssctr_exit(void)
{
	ctr_state_exit();
	ctr_pmu_detach();
	if (oops)
		ctr_oops_exit();
	if (bpf)
		ctr_bpf_exit();
	ctr_hook_exit();
	cpu_pm_unregister_notifier(&cpu_pm_notifier);
	cpuhp_remove_state(hotplug_state);
	ctr_cpu_exit();
	ctr_store_exit();
}

/* Built in, it comes after the PMU that it serves. */
late_initcall(ssctr_init);
module_exit(ssctr_exit);

MODULE_DESCRIPTION("Branch records of RISC-V harts (Ssctr) for perf");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1");
