// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loaded for good: there is no exit.
 */
#define pr_fmt(fmt) "ssctr_snapshot: " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>

#include "ctr_snapshot.h"

static ctr_snapshot_t *served;

/*
 * Nothing but a jump, which is recorded: the less there is in front of it, the more of
 * the buffer is what the program is after.
 */
static int snapshot(struct perf_branch_entry *entries, unsigned int max)
{
	ctr_snapshot_t *function = READ_ONCE(served);

	return likely(function) ? function(entries, max) : 0;
}

int ctr_snapshot_serve(ctr_snapshot_t *function)
{
	if (function && cmpxchg(&served, NULL, function))
		return -EBUSY;
	if (!function)
		WRITE_ONCE(served, NULL);
	return 0;
}
EXPORT_SYMBOL_GPL(ctr_snapshot_serve);

typedef unsigned long lookup_t(const char *name);

/*
 * What is not exported is found as a debugger would: a probe is told where its symbol
 * stands. No instruction is at an odd address, so this one is refused after that, and
 * nothing of it stays.
 */
static lookup_t *find_lookup(void)
{
	struct kprobe probe = {
		.symbol_name = "kallsyms_lookup_name",
		.offset = 1,
	};

	if (!register_kprobe(&probe)) {
		unregister_kprobe(&probe);
		return NULL;
	}
	return probe.addr ? (lookup_t *)((void *)probe.addr - 1) : NULL;
}

static int __init snapshot_init(void)
{
	lookup_t *lookup = find_lookup();
	struct static_call_key *key = NULL;
	void *none;

	/* Without static calls of the architecture's a key is a pointer to a function. */
	if (lookup && !IS_ENABLED(CONFIG_HAVE_STATIC_CALL))
		key = (void *)lookup("__SCK__perf_snapshot_branch_stack");
	if (!key) {
		pr_err("refused: this kernel's bpf_get_branch_snapshot() cannot be served\n");
		return -EOPNOTSUPP;
	}
	none = (void *)lookup("__static_call_return0");
	if (!none || cmpxchg(&key->func, none, (void *)snapshot) != none) {
		pr_err("refused: somebody serves bpf_get_branch_snapshot() already\n");
		return -EBUSY;
	}
	pr_info("programs that are loaded from here on can have branch snapshots; this module stays\n");
	return 0;
}
module_init(snapshot_init);

MODULE_DESCRIPTION("Branch snapshots of RISC-V harts (Ssctr) for BPF programs");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1");
