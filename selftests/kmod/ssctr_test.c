// SPDX-License-Identifier: GPL-2.0-only
/*
 * What other modules do to the same PMU, for the self-tests.
 *
 *   act=wrap     wrap the cpu PMU's event_init for as long as it is loaded
 *   act=handler  open a branch event with an overflow handler of its own, as
 *                KVM's virtual PMU does, and fail with what that returns
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

static char *act = "wrap";
module_param(act, charp, 0444);
MODULE_PARM_DESC(act, "What to do: wrap or handler");

static struct pmu *pmu;
static int (*original)(struct perf_event *event);

static int wrapper(struct perf_event *event)
{
	return original(event);
}

static void handler(struct perf_event *event, struct perf_sample_data *data,
		    struct pt_regs *regs)
{
}

static struct perf_event *open_event(u64 sample_type, bool own_handler)
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

	return perf_event_create_kernel_counter(&attr, 0, NULL,
						own_handler ? handler : NULL,
						NULL);
}

static int __init ssctr_test_init(void)
{
	struct perf_event *event;

	if (!strcmp(act, "handler")) {
		event = open_event(PERF_SAMPLE_BRANCH_STACK, true);
		if (IS_ERR(event))
			return PTR_ERR(event);
		perf_event_release_kernel(event);
		return -EEXIST;
	}

	event = open_event(0, false);
	if (IS_ERR(event))
		return PTR_ERR(event);
	pmu = event->pmu;
	perf_event_release_kernel(event);
	original = pmu->event_init;
	WRITE_ONCE(pmu->event_init, wrapper);
	return 0;
}

static void __exit ssctr_test_exit(void)
{
	WRITE_ONCE(pmu->event_init, original);
	synchronize_rcu();
	synchronize_rcu_tasks();
}

module_init(ssctr_test_init);
module_exit(ssctr_test_exit);

MODULE_DESCRIPTION("A neighbour of ssctr on the same PMU, for its self-tests");
MODULE_LICENSE("GPL");
