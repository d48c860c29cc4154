// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) "ssctr: " fmt

#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "ctr_cpu.h"
#include "ctr_hook.h"
#include "ctr_oops.h"

/*
 * What was taken when the kernel began to die, until it is printed: on its way there the
 * kernel's own report fills the buffer.
 */
struct last {
	struct pt_regs *regs;				/* of the exception, if it was one */
	unsigned long pc;				/* that it was at */
	u64 moment;					/* of the taking: a later one has more */
	struct task_struct *owner;			/* who takes them, or dies and has them */
	unsigned int nr;
	const char *lacks;				/* why there are none */
	struct ctr_entry entries[CTR_MAX_ENTRIES];	/* newest first */
	/* For print_entry(): little may be left of the stack. */
	char from[KSYM_SYMBOL_LEN];
	char to[KSYM_SYMBOL_LEN];
};

static struct last __percpu *lasts;
static atomic64_t moments = ATOMIC64_INIT(0);
static unsigned int most;

/* Who oopsed may panic for that, which tells nothing new. */
static struct {
	const struct task_struct *task;
	u64 start;
} told;

/* ftrace's call is the instruction at the place that it tells, or the next one. */
#define CALL_SIZE	4

/*
 * The records that the hook made itself: up to its breakpoint or its call, which is at @place.
 * They are all there is of a buffer of @depth that has no room for that.
 */
static unsigned int count_own(const struct ctr_entry *entries, unsigned int nr,
			      unsigned int depth, unsigned long place)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (ctr_entry_from(&entries[i]) - place <= CALL_SIZE)
			return i + 1;
	return nr < depth ? 0 : nr;
}

static bool is_of_kernel(const struct ctr_entry *entry)
{
	return (ctr_entry_from(entry) | ctr_entry_to(entry)) >> 63;
}

/* A hart need not say types (ctrdata.TYPE). */
static bool may_be(const struct ctr_entry *entry, enum ctr_type type)
{
	return ctr_entry_type(entry) == type || ctr_entry_type(entry) == CTR_TYPE_NONE;
}

/* The newest record of the exception at @pc, from @entries[own] on, or @own if it is not there. */
static unsigned int find_exception(const struct ctr_entry *entries, unsigned int own,
				   unsigned int nr, unsigned long pc)
{
	unsigned int i;

	for (i = own; i < nr; i++)
		if (may_be(&entries[i], CTR_TYPE_EXCEPTION) &&
		    ctr_entry_from(&entries[i]) == pc)
			return i;
	return own;
}

/*
 * Keep what is worth printing of the buffer. An event may have had user code. @place is
 * where the hook is. How an exception was handled leaves what was before it its room.
 */
static void take(struct last *last, unsigned long place, struct pt_regs *regs)
{
	unsigned int i, nr, own, end, room = most;

	/* For who looks for them while they are read, and for what fails in that. */
	WRITE_ONCE(last->regs, NULL);
	last->nr = 0;
	last->lacks = "they cannot be read";
	nr = ctr_cpu_peek(last->entries);
	own = count_own(last->entries, nr, ctr_cpu_depth(raw_smp_processor_id()), place);

	WRITE_ONCE(last->pc, regs ? instruction_pointer(regs) : 0);
	WRITE_ONCE(last->moment, atomic64_inc_return(&moments));
	WRITE_ONCE(last->regs, regs);
	end = regs ? find_exception(last->entries, own, nr, last->pc) : own;
	if (!nr)
		last->lacks = "it records none";
	else if (own == nr && is_of_kernel(last->entries))
		last->lacks = "the buffer had room for those of the report alone";
	else
		last->lacks = "an event of user code alone was";
	for (i = own; i < nr && room; i++) {
		if (!is_of_kernel(&last->entries[i]))
			continue;
		last->entries[last->nr++] = last->entries[i];
		room -= i >= end;
	}
}

/* The kernel dies of something that is known. */
static bool is_told(void)
{
	return told.task == current && told.start == current->start_boottime;
}

static bool claim(struct last *last)
{
	return !cmpxchg(&last->owner, NULL, current);
}

static void release(struct last *last)
{
	smp_store_release(&last->owner, NULL);
}

/* Take the records of this CPU for the current task, or return NULL if another has them. */
static struct last *claim_and_take(unsigned long place, struct pt_regs *regs)
{
	struct last *last = this_cpu_ptr(lasts);

	if (!claim(last))
		return NULL;
	take(last, place, regs);
	return last;
}

/* Of the exception that the kernel may die of. */
static void take_early(const struct kprobe *probe, unsigned long of)
{
	struct last *last = NULL;

	if (!is_told())
		last = claim_and_take((unsigned long)probe->addr, (struct pt_regs *)of);
	if (last)
		release(last);
}
NOKPROBE_SYMBOL(take_early);

/* The search for what mends an exception is long: the records are taken before it. */
static int before_search(struct kprobe *probe, struct pt_regs *regs)
{
	take_early(probe, regs->a0);
	return 0;
}
NOKPROBE_SYMBOL(before_search);

/* A breakpoint is a BUG(), and its place is searched for and printed, or only a WARN(). */
static int before_report(struct kprobe *probe, struct pt_regs *regs)
{
	take_early(probe, regs->a1);
	return 0;
}
NOKPROBE_SYMBOL(before_report);

static bool is_of(const struct last *last, struct pt_regs *of)
{
	return READ_ONCE(last->regs) == of && READ_ONCE(last->pc) == instruction_pointer(of);
}

/*
 * What was taken of the exception @of of the current task, or NULL. The task may have moved to
 * another CPU since. Exceptions that it had at the same place before were mended.
 */
static struct last *claim_taken(struct pt_regs *of)
{
	struct last *found = NULL, *last;
	int cpu;

	for_each_possible_cpu(cpu) {
		last = per_cpu_ptr(lasts, cpu);
		if (is_of(last, of) &&
		    (!found || READ_ONCE(last->moment) > READ_ONCE(found->moment)))
			found = last;
	}
	if (!found || !claim(found))
		return NULL;
	/* Other exceptions may be taken there at any time. */
	if (is_of(found, of))
		return found;
	release(found);
	return NULL;
}
NOKPROBE_SYMBOL(claim_taken);

static int before_die(struct kprobe *probe, struct pt_regs *regs)
{
	struct pt_regs *of = (struct pt_regs *)regs->a0;

	/* Not all are searched for. */
	if (!is_told() && !(of && claim_taken(of)))
		claim_and_take((unsigned long)probe->addr, of);
	return 0;
}
NOKPROBE_SYMBOL(before_die);

static struct kprobe probes[] = {
	{ .symbol_name = "fixup_exception", .pre_handler = before_search },
#ifdef CONFIG_GENERIC_BUG
	{ .symbol_name = "report_bug", .pre_handler = before_report },
#endif
	{ .symbol_name = "die", .pre_handler = before_die },
};

static const char *type_text(const struct ctr_entry *entry)
{
	static const char *const texts[CTR_TYPE_COUNT] = {
		[CTR_TYPE_EXCEPTION] = "exception",
		[CTR_TYPE_INTERRUPT] = "interrupt",
		[CTR_TYPE_TRAP_RETURN] = "return from a trap",
		[CTR_TYPE_TAKEN] = "branch",
		[CTR_TYPE_IND_CALL] = "call",
		[CTR_TYPE_DIR_CALL] = "call",
		[CTR_TYPE_IND_JUMP] = "jump",
		[CTR_TYPE_DIR_JUMP] = "jump",
		[CTR_TYPE_CO_SWAP] = "return and call",
		[CTR_TYPE_RETURN] = "return",
		[CTR_TYPE_IND_LINK_JUMP] = "jump",
		[CTR_TYPE_DIR_LINK_JUMP] = "jump",
	};

	return texts[ctr_entry_type(entry)] ?: "transfer";
}

/*
 * What traps came from and returned to is user code, of which no address is printed. It is
 * the kernel that calls or jumps to any other low address, for instance to NULL. @older is
 * the record before, or NULL.
 */
static bool is_from_user(const struct ctr_entry *entry, const struct ctr_entry *older)
{
	return !(ctr_entry_from(entry) >> 63) &&
	       (!older || may_be(older, CTR_TYPE_TRAP_RETURN) ||
		ctr_entry_to(older) != ctr_entry_from(entry));
}

static bool is_to_user(const struct ctr_entry *entry)
{
	return !(ctr_entry_to(entry) >> 63) && may_be(entry, CTR_TYPE_TRAP_RETURN);
}

static void name_place(u64 address, bool is_user, char *text, size_t size)
{
	if (is_user)
		snprintf(text, size, "user code");
	else
		snprintf(text, size, "%pS", (void *)address);
}

static void print_entry(struct last *last, const struct ctr_entry *entry,
			const struct ctr_entry *older, unsigned int times)
{
	char repeated[24] = "";

	name_place(ctr_entry_from(entry), is_from_user(entry, older), last->from,
		   sizeof(last->from));
	name_place(ctr_entry_to(entry), is_to_user(entry), last->to, sizeof(last->to));
	if (times > 1)
		snprintf(repeated, sizeof(repeated), ", %u times", times);
	pr_emerg("  %s -> %s (%s%s)\n", last->from, last->to, type_text(entry), repeated);
}

static bool are_equal(const struct ctr_entry *one, const struct ctr_entry *other)
{
	return one->source == other->source && one->target == other->target &&
	       ctr_entry_type(one) == ctr_entry_type(other);
}

/* Those of @cpu. */
static void print_last(struct last *last, int cpu)
{
	unsigned int i, times = 1;

	if (last->nr)
		pr_emerg("the last %u branches on CPU %d, the newest last:\n", last->nr, cpu);
	else
		pr_emerg("no branch of the kernel was recorded on CPU %d: %s\n", cpu,
			 last->lacks);
	for (i = last->nr; i--; times++) {
		if (i && are_equal(&last->entries[i], &last->entries[i - 1]))
			continue;
		print_entry(last, &last->entries[i],
			    i + 1 < last->nr ? &last->entries[i + 1] : NULL, times);
		times = 0;
	}
	told.task = current;
	told.start = current->start_boottime;
}

/* Who has them prints them, where the report is. */
static void print_lasts(void)
{
	struct last *last;
	int cpu;

	for_each_possible_cpu(cpu) {
		last = per_cpu_ptr(lasts, cpu);
		if (READ_ONCE(last->owner) != current)
			continue;
		print_last(last, cpu);
		release(last);
	}
}

static int at_die(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == DIE_OOPS)
		print_lasts();
	return NOTIFY_DONE;
}

static int at_panic(struct notifier_block *nb, unsigned long action, void *data)
{
	print_lasts();
	return NOTIFY_DONE;
}

static struct notifier_block die_notifier = { .notifier_call = at_die };
static struct notifier_block panic_notifier = {
	.notifier_call = at_panic,
	/* Others may stop the machine. */
	.priority = INT_MAX,
};

/* Some kernels keep the first instructions of a function for ftrace alone. */
#define BEHIND_FTRACE	8

static int add_probe(struct kprobe *probe)
{
	int err;

	probe->addr = NULL;
	probe->offset = 0;
	err = register_kprobe(probe);
	if (err == -EINVAL) {
		probe->addr = NULL;
		probe->offset = BEHIND_FTRACE;
		err = register_kprobe(probe);
	}
	return err;
}

static void remove_probes(unsigned int nr)
{
	while (nr--)
		unregister_kprobe(&probes[nr]);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* handle_bad_stack(), or 0. */
static unsigned long overflow;

/*
 * Who panics may be on the stack of those whose own has overflowed. The kernel takes each
 * trap there for one more overflow if the stack's address has a certain bit: a breakpoint
 * would come again and again. ftrace calls without a trap.
 */
static void before_end(unsigned long place, unsigned long caller, struct ftrace_ops *ops,
		       struct ftrace_regs *regs)
{
	struct pt_regs *of = NULL;
	unsigned long flags;

	local_irq_save(flags);
	if (place - overflow <= CALL_SIZE)
		of = (struct pt_regs *)ftrace_regs_get_argument(regs, 0);
	if (!is_told())
		claim_and_take(place, of);
	local_irq_restore(flags);
}

/* It cannot be registered while ftrace is switched off, and keeps it on. */
static struct ftrace_ops end_ops = {
	.func = before_end,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/* A function may not be exported: a probe that is never armed finds it. 0: there is none. */
static unsigned long find_function(const char *name)
{
	struct kprobe probe = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };

	if (add_probe(&probe))
		return 0;
	unregister_kprobe(&probe);
	return (unsigned long)probe.addr - probe.offset;
}

static int hook_end(void)
{
	/* Others than panic() begin with vpanic(), in kernels that have it. */
	const unsigned long vpanic = find_function("vpanic");
	int err;

	overflow = find_function("handle_bad_stack");
	err = ftrace_set_filter_ip(&end_ops, (unsigned long)panic, 0, 0);
	if (!err && vpanic)
		err = ftrace_set_filter_ip(&end_ops, vpanic, 0, 0);
	if (!err && overflow)
		err = ftrace_set_filter_ip(&end_ops, overflow, 0, 0);
	if (!err)
		err = register_ftrace_function(&end_ops);
	if (err)
		ftrace_free_filter(&end_ops);
	return err;
}

static void unhook_end(void)
{
	unregister_ftrace_function(&end_ops);
	ftrace_free_filter(&end_ops);
}
#else
static int hook_end(void)
{
	return -EOPNOTSUPP;
}

static void unhook_end(void)
{
}
#endif

static bool hooks_end;

int ctr_oops_init(unsigned int max)
{
	unsigned int nr;
	int err = 0;

	most = max;
	lasts = alloc_percpu(struct last);
	if (!lasts)
		return -ENOMEM;
	for (nr = 0; nr < ARRAY_SIZE(probes); nr++) {
		err = add_probe(&probes[nr]);
		if (err) {
			pr_err("refused: oops=%u wants a kprobe at %s (%d)\n", max,
			       probes[nr].symbol_name, err);
			goto remove;
		}
	}
	/* Guests of KVM are kept off what is recorded by the probes there. */
	err = ctr_hook_get(false);
	if (err)
		goto remove;
	err = hook_end();
	hooks_end = !err;
	if (err)
		pr_warn("oops=%u: no branches of stack overflows, and of panics without an exception, as the kernel cannot trace panic() (%d)\n",
			max, err);
	register_die_notifier(&die_notifier);
	atomic_notifier_chain_register(&panic_notifier_list, &panic_notifier);
	return 0;

remove:
	remove_probes(nr);
	free_percpu(lasts);
	return err;
}

void ctr_oops_exit(void)
{
	unregister_die_notifier(&die_notifier);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_notifier);
	if (hooks_end)
		unhook_end();
	ctr_hook_put();
	remove_probes(ARRAY_SIZE(probes));
	free_percpu(lasts);
}
