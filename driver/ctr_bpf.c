// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) "ssctr: " fmt

#include <linux/bpf_perf_event.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "ctr_bpf.h"
#include "ctr_cpu.h"
#include "ctr_pmu.h"
#include "ctr_snapshot.h"

/*
 * perf runs a program before it calls an event's overflow handler, so that the sample has
 * no branch stack yet. The helper by which the program asks for it is where it is put
 * in: nobody else pays. What is in the sample then is what perf writes, too.
 *
 * The probe's breakpoint counts as an NMI. An interrupt that is one already may be in
 * the midst of anything.
 */
static int before_read(struct kprobe *probe, struct pt_regs *regs)
{
	struct bpf_perf_event_data_kern *context = (void *)regs->a0;

	if ((preempt_count() & NMI_MASK) <= NMI_OFFSET)
		ctr_pmu_save_stack(context->event, context->data);
	return 0;
}

static struct kprobe read_probe = {
	.symbol_name = "bpf_read_branch_records",
	.pre_handler = before_read,
};

static ctr_snapshot_serve_t *serve;

static void end_snapshots(void)
{
	serve(NULL);
	symbol_put(ctr_snapshot_serve);
	/* Who has read the function may be on the way to it, or inside. */
	synchronize_rcu();
	synchronize_rcu_tasks();
}

int ctr_bpf_init(void)
{
	int err;

	request_module("ssctr_snapshot");
	serve = symbol_get(ctr_snapshot_serve);
	err = serve ? serve(ctr_cpu_snapshot) : -ENOENT;
	if (err) {
		pr_err("refused: bpf=1 wants the module ssctr_snapshot, loaded before this one (%d)\n",
		       err);
		if (serve)
			symbol_put(ctr_snapshot_serve);
		return err;
	}
	err = register_kprobe(&read_probe);
	if (err) {
		pr_err("refused: bpf=1 wants a kprobe at bpf_read_branch_records (%d)\n",
		       err);
		end_snapshots();
	}
	return err;
}

void ctr_bpf_exit(void)
{
	unregister_kprobe(&read_probe);
	end_snapshots();
}
