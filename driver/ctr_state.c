// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "ctr_cpu.h"
#include "ctr_hook.h"
#include "ctr_pmu.h"
#include "ctr_state.h"
#include "ctr_store.h"

static struct dentry *folder;

/*
 * A line a CPU, with the figures' names above. The counts are those of the CPU, and
 * may be in the midst of a change.
 */
static int state_show(struct seq_file *file, void *data)
{
	unsigned int cpu;

	seq_printf(file, "hooked %u\ntasks %u\nrefused %u\n",
		   ctr_hook_active(), ctr_store_count(), ctr_pmu_refused());
	seq_puts(file, "cpu depth writable sctrctl events samples entries switches clears saves restores drops thaws unfit\n");
	for_each_online_cpu(cpu) {
		struct ctr_cpu_state state;

		ctr_cpu_state(cpu, &state);
		seq_printf(file, "%u %u %#llx %#llx %u %llu %llu %llu %llu %llu %llu %llu %llu %llu\n",
			   cpu, state.depth, state.writable, state.ctl,
			   state.nr_events, state.counts.samples,
			   state.counts.entries, state.counts.switches,
			   state.counts.clears, state.counts.saves,
			   state.counts.restores, state.counts.drops,
			   state.counts.thaws, state.counts.unfit);
	}
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(state);

void ctr_state_init(void)
{
	folder = debugfs_create_dir("ssctr", NULL);
	debugfs_create_file("state", 0400, folder, NULL, &state_fops);
}

void ctr_state_exit(void)
{
	debugfs_remove(folder);
}
