// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) "ssctr: " fmt

#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "ctr_cpu.h"
#include "ctr_hook.h"
#include "ctr_store.h"

static void forget(void)
{
	unsigned long flags;

	local_irq_save(flags);
	ctr_cpu_exec();
	local_irq_restore(flags);
}

/*
 * Before perf says that the task is another program: from then on its addresses are
 * those of that one.
 */
static void sched_prepare_exec(void *data, struct task_struct *task,
			       struct linux_binprm *bprm)
{
	forget();
}

/* And what the kernel did for it in between. */
static void sched_process_exec(void *data, struct task_struct *task,
			       pid_t old_pid, struct linux_binprm *bprm)
{
	forget();
}

static void sched_process_free(void *data, struct task_struct *task)
{
	ctr_store_drop(task);
}

/* Tracepoints are not exported: found by name. Those of KVM come and go with it. */
static struct {
	const char *name;
	void *probe;
	bool may_lack;
	struct tracepoint *tp;		/* changed under hook_lock */
} hooks[] = {
	{ .name = "sched_switch", .probe = ctr_cpu_sched_switch },
	{ .name = "sched_prepare_exec", .probe = sched_prepare_exec },
	{ .name = "sched_process_exec", .probe = sched_process_exec },
	{ .name = "sched_process_free", .probe = sched_process_free },
	{ .name = "irq_handler_exit", .probe = ctr_cpu_irq_handler_exit },
	{ .name = "kvm_entry", .probe = ctr_cpu_kvm_entry, .may_lack = true },
	{ .name = "kvm_exit", .probe = ctr_cpu_kvm_exit, .may_lack = true },
};

/* Kernels differ in which of theirs may be used. */
static struct workqueue_struct *queue;

static DEFINE_MUTEX(hook_lock);
static bool active;			/* changed under hook_lock */
static atomic_t users = ATOMIC_INIT(0);

static void unhook(unsigned int nr)
{
	while (nr--)
		if (hooks[nr].tp)
			tracepoint_probe_unregister(hooks[nr].tp, hooks[nr].probe,
						    NULL);
	tracepoint_synchronize_unregister();
}

static int hook_one(unsigned int nr)
{
	int err;

	if (!hooks[nr].tp)
		return 0;
	err = tracepoint_probe_register(hooks[nr].tp, hooks[nr].probe, NULL);
	if (err)
		pr_err_ratelimited("nothing is recorded: no probe in tracepoint %s (%d)\n",
				   hooks[nr].name, err);
	return err;
}

static int hook(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = hook_one(i);
		if (!err)
			continue;
		unhook(i);
		return err;
	}
	return 0;
}

/* Have the probes there or not, as the number of users says. */
static int update(void)
{
	bool wanted = atomic_read(&users);
	int err = 0;

	lockdep_assert_held(&hook_lock);
	if (wanted == active)
		return 0;
	if (wanted) {
		err = hook();
		if (err)
			return err;
		ctr_store_prepare();
	} else {
		ctr_cpu_record(false);
		unhook(ARRAY_SIZE(hooks));
		ctr_store_drop_all();
	}
	WRITE_ONCE(active, wanted);
	if (wanted)
		ctr_cpu_record(true);
	return 0;
}

static void update_later(struct work_struct *work);
static DECLARE_DELAYED_WORK(later, update_later);

static void update_later(struct work_struct *work)
{
	int err;

	mutex_lock(&hook_lock);
	err = update();
	mutex_unlock(&hook_lock);
	/* Events wait for it. */
	if (err)
		mod_delayed_work(queue, &later, HZ);
}

int ctr_hook_get(bool locked)
{
	int err;

	/*
	 * Who changes the kernel's code waits for the CPUs that come up, and these
	 * wait for the context of a group's leader, or of a parent.
	 */
	if (locked) {
		if (atomic_inc_return(&users) == 1 || !ctr_hook_active())
			mod_delayed_work(queue, &later, 0);
		return 0;
	}

	mutex_lock(&hook_lock);
	atomic_inc(&users);
	err = update();
	if (err)
		atomic_dec(&users);
	mutex_unlock(&hook_lock);
	return err;
}

void ctr_hook_put(void)
{
	/* As perf's own hooks do: who records once may do so again. */
	if (atomic_dec_and_test(&users))
		mod_delayed_work(queue, &later, HZ);
}

bool ctr_hook_active(void)
{
	return READ_ONCE(active);
}

static void find_hook(struct tracepoint *tp, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(tp->name, hooks[i].name))
			hooks[i].tp = tp;
}

/* KVM is a module. Nothing of it runs before this, or after it. */
static void module_hook(unsigned int nr, struct tracepoint *tp, bool coming)
{
	if (!hooks[nr].may_lack || strcmp(tp->name, hooks[nr].name))
		return;
	/* Another module's of the same name is not the one that is hooked. */
	if (coming && !hooks[nr].tp) {
		hooks[nr].tp = tp;
		/* Without it, guests would read what is recorded. */
		if (active && hook_one(nr))
			ctr_cpu_record(false);
	} else if (!coming && hooks[nr].tp == tp) {
		if (active)
			tracepoint_probe_unregister(tp, hooks[nr].probe, NULL);
		hooks[nr].tp = NULL;
	}
}

static int module_event(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = ((struct tp_module *)data)->mod;
	unsigned int i, nr;

	if (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&hook_lock);
	for (i = 0; i < mod->num_tracepoints; i++)
		for (nr = 0; nr < ARRAY_SIZE(hooks); nr++)
			module_hook(nr, tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]),
				    state == MODULE_STATE_COMING);
	mutex_unlock(&hook_lock);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_event,
};

int ctr_hook_init(void)
{
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(find_hook, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (hooks[i].tp || hooks[i].may_lack)
			continue;
		pr_err("refused: the kernel has no tracepoint %s\n",
		       hooks[i].name);
		return -ENODEV;
	}
	queue = alloc_workqueue("ssctr", WQ_UNBOUND, 0);
	if (!queue)
		return -ENOMEM;
	err = register_tracepoint_module_notifier(&module_notifier);
	if (err)
		destroy_workqueue(queue);
	return err;
}

void ctr_hook_exit(void)
{
	cancel_delayed_work_sync(&later);
	/* While KVM's probes are there: the notifier takes them away. */
	mutex_lock(&hook_lock);
	update();
	mutex_unlock(&hook_lock);
	unregister_tracepoint_module_notifier(&module_notifier);
	destroy_workqueue(queue);
}
