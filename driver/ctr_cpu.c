// SPDX-License-Identifier: GPL-2.0-only
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ctr_cpu.h"
#include "ctr_store.h"
#include "ctr_trace.h"
#include "ctr_view.h"

/* No hart has more counters, so no more events are active at once. */
#define MAX_EVENTS 64

/*
 * The buffer holds what @task did since it came, or since put_away(), and nothing
 * else; @store has what it did before. All is this CPU's alone, with interrupts off.
 */
struct ctr_cpu {
	const struct task_struct *task;	/* runs here from the last switch on */
	struct ctr_store *store;	/* its, if it has one */
	u64 ctl;			/* what sctrctl holds, for events */
	u64 kept;			/* and while this is 0 */
	ctr_filter_t filter;		/* what is recorded: both of these */
	ctr_filter_t active_filter;	/* what the active events want together */
	ctr_filter_t expected;		/* what those of @task will want */
	u64 moment;			/* the last before these records */
	u16 index;			/* of the newest before these records; 0 if not recorded */
	s8 usable;			/* the hart: > 0; < 0: it is not; 0: not probed since it came */
	bool suspect;			/* it is, but its registers may be lost: they are being tried */
	bool recording;			/* and it is known who runs */
	bool arriving;			/* frozen until @task runs */
	bool clashing;			/* @expected does not fit who was active until then */
	bool vacant;			/* @task makes no records: come_back() looks */
	bool lent;			/* a guest of @task has had the buffer, or has it */
	bool tells_misp;		/* it was seen to set MISP */
	bool saw_misp;			/* in the last stack */
	unsigned int nr_events;
	struct ctr_hw hw;
	struct ctr_counts counts;
	struct perf_branch_stack *stack;/* what the last reader was given */
	struct ctr_view *view;		/* how it looked at it: one of these */
	struct ctr_view views[2];
	struct {
		struct perf_event *event;
		ctr_filter_t filter;
	} active[MAX_EVENTS];
};

static struct ctr_cpu __percpu *ctr_cpus;

/* Are the probes there that tell who runs? CPUs that come up find it here. */
static bool recording;

/*
 * Counted up when an event begins that is not to see what was recorded before. It and
 * each span of records have the moment at which they began. Who enables an event again and
 * again can count 32 bits through.
 */
static atomic64_t moments = ATOMIC64_INIT(0);

u64 ctr_cpu_new_moment(void)
{
	return atomic64_inc_return(&moments);
}

/* While no event wants records. */
static bool keeps_kernel;

int ctr_cpu_init(bool keep)
{
	int cpu;

	keeps_kernel = keep;

	ctr_cpus = alloc_percpu(struct ctr_cpu);
	if (!ctr_cpus)
		return -ENOMEM;

	for_each_possible_cpu(cpu) {
		struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

		cc->view = cc->views;
		cc->stack = kzalloc_node(struct_size(cc->stack, entries,
						     CTR_MAX_ENTRIES),
					 GFP_KERNEL, cpu_to_node(cpu));
		if (!cc->stack) {
			ctr_cpu_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void ctr_cpu_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu_ptr(ctr_cpus, cpu)->stack);
	free_percpu(ctr_cpus);
	ctr_cpus = NULL;
}

/* Threads of the kernel do not. */
static __always_inline bool runs_user_code(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

static __always_inline bool may_own(const struct ctr_cpu *cc,
				    const struct task_struct *task)
{
	return (cc->filter & CTR_FILTER_S) || runs_user_code(task);
}

/*
 * While kernel code is recorded, what is done here would be: whoever touches the buffer
 * freezes it first. Returns whether it is to be thawed then.
 */
static bool freeze(const struct ctr_cpu *cc)
{
	if (!(cc->ctl & CTR_CTL_S) || ctr_hw_frozen())
		return false;
	ctr_hw_freeze();
	return true;
}

static void thaw(bool frozen)
{
	if (frozen)
		ctr_hw_thaw();
}

/* The frozen buffer, whose @index is noted. */
static void clear(struct ctr_cpu *cc)
{
	ctr_hw_clear();
	cc->counts.clears++;
}

/* The frozen buffer. */
static void empty(struct ctr_cpu *cc)
{
	cc->index = ctr_hw_index();
	clear(cc);
}

/* Copy the @nr records of the buffer, oldest first, to where the task's are. */
static __always_inline void copy_records(struct ctr_store *store, unsigned long nr)
{
	unsigned long size = store->size, at, rest;

	nr = min(nr, size);
	at = ctr_store_add(store, nr);
	rest = at + nr > size ? at + nr - size : 0;
	ctr_hw_get_entries(&store->entries[at], nr, rest);
	ctr_hw_get_entries(store->entries, rest, 0);
}

/*
 * The rule: what is in the buffer goes behind what its task has, as recorded by
 * @filter, and the buffer is empty. It is frozen meanwhile. Returns the task's store,
 * which is not @cc's any more, or NULL if it has none.
 */
static __always_inline struct ctr_store *put_away(struct ctr_cpu *cc,
						  ctr_filter_t filter)
{
	unsigned long nr, index = ctr_hw_index(), old = cc->index;
	unsigned long select = ctr_hw_open();
	struct ctr_store *store = cc->store;

	/* A program that asks for a snapshot in the midst of this finds none. */
	WRITE_ONCE(cc->store, NULL);
	barrier();
	cc->index = cc->ctl ? index : 0;
	if (!cc->ctl)
		nr = 0;
	else if (cc->filter & CTR_FILTER_CALL_STACK)
		nr = ctr_hw_count_calls(cc->hw.depth);
	else
		nr = ctr_hw_count(cc->hw.depth, old, index);

	if (!store && nr && filter && may_own(cc, cc->task))
		store = ctr_store_take(cc->task);
	if (store) {
		/*
		 * What comes before these is not known if the buffer was full. And it
		 * has all of a call stack.
		 */
		if (nr == cc->hw.depth || (filter & CTR_FILTER_CALL_STACK))
			ctr_store_cut(store);
		ctr_store_begin(store, filter, cc->moment, cc->tells_misp, nr);
		copy_records(store, nr);
		/* It has counted branches of the kernel, which is not told where none is recorded. */
		store->index = cc->filter & ~filter & CTR_FILTER_S ? 0 : cc->index;
		trace_ssctr_save(cc->task->pid, nr);
		cc->counts.saves++;
	} else if (nr) {
		cc->counts.drops++;
	}
	ctr_hw_close(select);
	if (nr)
		clear(cc);
	return store;
}

/* The same, and the task goes on. */
static void put_away_and_go_on(struct ctr_cpu *cc, ctr_filter_t filter)
{
	struct ctr_store *store = put_away(cc, filter);

	/* Not before all is in it. */
	barrier();
	WRITE_ONCE(cc->store, store);
}

/* perf did not say so when @task ran: what that did until here is missing. */
static void arrive_late(struct ctr_cpu *cc)
{
	if (likely(!cc->arriving))
		return;
	cc->arriving = false;
	if (cc->store)
		ctr_store_cut(cc->store);
}

/* A call stack goes on in the buffer: returns take from it. The store has one. */
static void restore_calls(struct ctr_cpu *cc)
{
	struct ctr_store *store = cc->store;
	unsigned int i, nr = min(store->spans[0].nr, cc->hw.depth);
	bool frozen = freeze(cc);
	unsigned long select = ctr_hw_open();

	for (i = 0; i < nr; i++)
		ctr_hw_put_entry(i, ctr_store_at(store, i));
	ctr_hw_close(select);
	thaw(frozen);
	cc->counts.restores++;
}

/*
 * A hart may let its guest read and write the buffer, and nothing says for certain
 * whether it does: while a guest runs there is nothing of its host in it, and what it
 * leaves there is nobody's.
 */
static void lend(struct ctr_cpu *cc)
{
	if (cc->ctl) {
		/* Until take_back(): the way to the guest is code of the host's. */
		freeze(cc);
		arrive_late(cc);
		put_away_and_go_on(cc, cc->filter);
	} else if (cc->kept) {
		ctr_hw_control(0);
	}
	ctr_hw_clear();
	cc->lent = true;
}

static void take_back(struct ctr_cpu *cc)
{
	if (likely(!cc->lent))
		return;
	freeze(cc);
	ctr_hw_clear();
	ctr_hw_set_index(cc->index);
	/* Not before: a program that asks for a snapshot would be shown the guest's. */
	barrier();
	cc->lent = false;
	/* There were none if all had returned. */
	if (cc->store && (ctr_store_filter(cc->store) & CTR_FILTER_CALL_STACK))
		restore_calls(cc);
	if (!cc->ctl && cc->kept)
		ctr_hw_control(cc->kept);
	ctr_hw_thaw();
}

/*
 * What was recorded until here was recorded by the filter until here. A call stack cannot be
 * divided so: who goes on with it by @filter needs its callers in the buffer. They have not
 * returned, and so they are no past.
 */
static void settle(struct ctr_cpu *cc, ctr_filter_t filter)
{
	bool frozen;

	/* In the midst of a switch the next task did nothing yet. */
	if (cc->usable <= 0 || cc->task != current ||
	    (cc->filter & filter & CTR_FILTER_CALL_STACK))
		return;
	take_back(cc);
	frozen = freeze(cc);
	put_away_and_go_on(cc, cc->ctl ? cc->filter : 0);
	thaw(frozen);
}

/* Make the hart record by @filter. */
static void control(struct ctr_cpu *cc, ctr_filter_t filter)
{
	u64 ctl = 0;

	if (cc->recording)
		ctl = ctr_filter_sctrctl(filter, cc->hw.writable);
	cc->filter = filter;
	cc->vacant = false;
	if (ctl == cc->ctl)
		return;
	/* What a switch left there when recording ended in its midst is nobody's, nor is the index. */
	if (!cc->ctl) {
		if (cc->kept)
			ctr_hw_control(0);
		ctr_hw_set_index(cc->index);
		clear(cc);
	}
	/* change_task() thaws what begins in the midst of a switch. */
	if (cc->task != current && (ctl & ~cc->ctl & CTR_CTL_S))
		ctr_hw_freeze();
	ctr_hw_control(ctl ?: cc->kept);
	/* Nobody else thaws a hart that does not freeze any more. */
	if (cc->ctl & ~ctl & CTR_CTL_S) {
		ctr_hw_thaw();
		/* In the midst of a switch who arrives missed nothing yet. */
		if (cc->task != current)
			cc->arriving = false;
	}
	cc->ctl = ctl;
	if (!ctl)
		cc->index = 0;
}

static ctr_filter_t wanted(const struct ctr_cpu *cc)
{
	return cc->expected | cc->active_filter;
}

/* Make the hart record what is wanted now. */
static void apply(struct ctr_cpu *cc)
{
	if (wanted(cc) != cc->filter)
		control(cc, wanted(cc));
}

static void update_active(struct ctr_cpu *cc)
{
	ctr_filter_t filter = 0;
	unsigned int i;

	for (i = 0; i < cc->nr_events; i++)
		filter |= cc->active[i].filter;
	cc->active_filter = filter;
	apply(cc);
}

/* Call stacks and logs of transfers are not recorded together. */
static __always_inline bool fits_cpu(const struct ctr_cpu *cc, ctr_filter_t filter)
{
	unsigned int i;

	if (filter == cc->filter)
		return true;
	for (i = 0; i < cc->nr_events; i++)
		if (!cc->active[i].event->ctx->task &&
		    !ctr_filter_fit(cc->active[i].filter, filter))
			return false;
	return true;
}

/* @next runs here from now on. The buffer is empty. */
static __always_inline void come(struct ctr_cpu *cc, const struct task_struct *next)
{
	struct ctr_store *store = NULL;
	ctr_filter_t expected = 0;

	cc->task = next;
	cc->moment = atomic64_read(&moments);
	if (!may_own(cc, next)) {
		/* It makes no records: all stays as it is for who comes after it. */
		cc->expected = cc->filter;
		/* But a thread of a user's process may have events, and shows the index. */
		if (cc->ctl && next->perf_event_ctxp) {
			cc->index = 0;
			ctr_hw_set_index(0);
		}
		/* A call stack is put back, and who traces sees all. */
		cc->vacant = cc->ctl && !(cc->filter & CTR_FILTER_CALL_STACK) &&
			     !trace_ssctr_restore_enabled();
		return;
	}

	/*
	 * perf removes the events of the task before after this and adds those of
	 * @next, or swaps them without a word. Recording goes on from here by what
	 * @next was recorded by, so that nothing of it is missed until then.
	 */
	if (cc->recording)
		store = ctr_store_get(next);
	if (store && fits_cpu(cc, ctr_store_filter(store)))
		expected = ctr_store_filter(store);
	/* Each task has the index of its own records, on whatever hart. */
	cc->index = expected ? store->index : 0;
	if (cc->ctl)
		ctr_hw_set_index(cc->index);
	cc->store = store;
	cc->expected = expected;
	cc->clashing = !ctr_filter_fit(expected, cc->active_filter);
	apply(cc);
	if (!cc->ctl) {
		cc->index = 0;
		return;
	}
	if (expected & CTR_FILTER_CALL_STACK)
		restore_calls(cc);
	cc->counts.switches++;
	if (trace_ssctr_restore_enabled())
		trace_ssctr_restore(next->pid, cc->store ? ctr_store_nr(cc->store) : 0);
}

/* The task that runs here leaves. */
static __always_inline void leave(struct ctr_cpu *cc)
{
	struct ctr_store *store = cc->store;

	/* What no event asked for is not expected the next time. */
	if (cc->ctl)
		store = put_away(cc, cc->active_filter);
	else if (store)
		ctr_store_cut(store);
	cc->store = NULL;
	if (!store)
		return;
	/*
	 * What no event asked for is shown to nobody, nor is what was before it. Who has ended does
	 * not come back, but may be there until its parent asks for it.
	 */
	if (!cc->active_filter || READ_ONCE(store->task->__state) == TASK_DEAD)
		ctr_store_cut(store);
	ctr_store_put(store);
}

/*
 * No overflow freezes it: nobody would thaw it. Without the probes guests would read
 * what is kept, too.
 */
static u64 kept_ctl(const struct ctr_cpu *cc)
{
	ctr_filter_t filter;

	if (!keeps_kernel || !cc->recording ||
	    ctr_filter_parse(PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_ANY, &filter))
		return 0;
	return ctr_filter_sctrctl(filter, cc->hw.writable) & ~CTR_CTL_LCOFIFRZ;
}

enum ctr_hw_fault ctr_cpu_online(unsigned int max_depth)
{
	struct ctr_cpu *cc;
	enum ctr_hw_fault fault;
	unsigned long flags;

	local_irq_save(flags);
	cc = this_cpu_ptr(ctr_cpus);
	fault = ctr_hw_probe(&cc->hw, max_depth);
	ctr_store_fit(cc->hw.depth);
	/* Others read it, and what was probed behind it. */
	smp_store_release(&cc->usable, fault == CTR_HW_OK ? 1 : -1);
	cc->ctl = 0;
	cc->recording = cc->usable > 0 && READ_ONCE(recording);
	cc->kept = kept_ctl(cc);
	if (cc->kept)
		ctr_hw_control(cc->kept);
	cc->task = current;
	cc->moment = atomic64_read(&moments);
	cc->arriving = false;
	cc->clashing = false;
	cc->lent = false;
	cc->expected = 0;
	/* Events may have come before this. */
	control(cc, wanted(cc));
	local_irq_restore(flags);
	return fault;
}

void ctr_cpu_lacks(void)
{
	smp_store_release(&this_cpu_ptr(ctr_cpus)->usable, -1);
}

/* The hart goes (0), or failed (-1): it records nothing from here on, whatever is active on it. */
static void retire(struct ctr_cpu *cc, s8 usable)
{
	smp_store_release(&cc->usable, usable);
	cc->recording = false;
	cc->ctl = 0;
	cc->index = 0;
	cc->kept = 0;
	cc->vacant = false;
	leave(cc);
}

void ctr_cpu_offline(void)
{
	struct ctr_cpu *cc;
	unsigned long flags;
	bool was_usable;

	local_irq_save(flags);
	cc = this_cpu_ptr(ctr_cpus);
	was_usable = cc->usable > 0;
	/* First: what traps there is looked at by ctr_cpu_peek(). */
	retire(cc, 0);
	if (was_usable)
		ctr_hw_reset(&cc->hw);
	local_irq_restore(flags);
}

void ctr_cpu_resume(void)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (cc->usable <= 0)
		return;
	/* Whoever was here, by rights the idle task, lost what was in the buffer. */
	if (cc->store)
		ctr_store_cut(cc->store);
	/* Not by @usable, by which other CPUs tell which events they may open here. */
	cc->suspect = true;
	if (ctr_hw_reset(&cc->hw)) {
		cc->index = cc->ctl ? ctr_hw_index() : 0;
		ctr_hw_control(cc->ctl ?: cc->kept);
	} else {
		/* Nor is access granted any more, as the firmware did at boot. */
		retire(cc, -1);
	}
	cc->suspect = false;
}

unsigned int ctr_cpu_depth(unsigned int cpu)
{
	const struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

	return smp_load_acquire(&cc->usable) > 0 ? cc->hw.depth : 0;
}

bool ctr_cpu_serves(unsigned int cpu, ctr_filter_t filter)
{
	const struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);
	const s8 usable = smp_load_acquire(&cc->usable);

	if (usable <= 0)
		return !usable;
	return (cc->hw.types || !ctr_filter_wants_types(filter)) &&
	       ctr_filter_sctrctl(filter, cc->hw.writable);
}

void ctr_cpu_state(unsigned int cpu, struct ctr_cpu_state *state)
{
	const struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

	state->depth = ctr_cpu_depth(cpu);
	state->writable = cc->hw.writable;
	/* The CPU goes on meanwhile. */
	state->ctl = data_race(cc->ctl);
	state->nr_events = data_race(cc->nr_events);
	data_race(state->counts = cc->counts);
}

/* On each CPU: who runs there is known from here on, or not any more. */
static void start_anew(void *data)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);
	/* A guest was free to freeze what was not recorded. */
	bool frozen = freeze(cc) || (cc->usable > 0 && !cc->ctl);

	cc->recording = cc->usable > 0 && READ_ONCE(recording);
	cc->kept = kept_ctl(cc);
	/* The probe at the end of a guest's time may be gone by then. */
	cc->lent = false;
	cc->task = current;
	cc->moment = atomic64_read(&moments);
	cc->expected = 0;
	if (cc->ctl)
		empty(cc);
	thaw(frozen);
	control(cc, wanted(cc));
	/* From here on guests are free to read it, if this was the end. */
	if (cc->usable > 0 && !cc->ctl) {
		ctr_hw_control(0);
		ctr_hw_clear();
		ctr_hw_control(cc->kept);
	}
	if (cc->store)
		ctr_store_put(cc->store);
	cc->store = NULL;
}

void ctr_cpu_record(bool on)
{
	WRITE_ONCE(recording, on);
	on_each_cpu(start_anew, NULL, true);
}

/*
 * How long @event's context ran while the event was off. It is the context's time less
 * the event's, which the core brought up to date just now, so that it does not matter
 * which task the context belongs to by now: perf swaps them.
 */
static u64 time_off(const struct perf_event *event)
{
	return event->tstamp - event->total_time_enabled;
}

/*
 * Was @event on all the time since it began? Where each task has counts of its own,
 * perf swaps the events' times back when it swaps the contexts, and they tell nothing.
 */
static bool goes_on(const struct perf_event *event)
{
	if (event->attr.inherit_stat)
		return event->hw.extra_reg.config != CTR_CPU_NEVER_BEGAN;
	return event->hw.extra_reg.config == time_off(event);
}

/* Does @event count its context's time, as what is on does whether it is active or not? */
static bool is_on(const struct perf_event *event)
{
	return event->state >= PERF_EVENT_STATE_INACTIVE &&
	       event->group_leader->state >= PERF_EVENT_STATE_INACTIVE;
}

static void begin_at(struct perf_event *event, u64 moment)
{
	event->hw.extra_reg.config = time_off(event);
	WRITE_ONCE(event->hw.last_tag, moment);
}

/*
 * @event is not to see what was recorded until here; others are. For a task that is recorded
 * on all CPUs perf has an event for each of them. Those that are on by now see what the task
 * does from here on, too, on whatever CPU that is: they begin with @event, before perf swaps
 * the context or its times with another task's. perf holds the context's lock.
 */
static noinline void begin(struct ctr_cpu *cc, struct perf_event *event, ctr_filter_t filter)
{
	struct perf_event *other;

	if (cc->task == current)
		arrive_late(cc);
	settle(cc, filter);
	cc->moment = ctr_cpu_new_moment();
	begin_at(event, cc->moment);
	if (!event->ctx->task)
		return;
	/* The PMU's others have no filter, and are not this module's. */
	list_for_each_entry(other, &event->ctx->event_list, event_entry)
		if (other->pmu == event->pmu && other->hw.branch_reg.config == filter &&
		    is_on(other) && !goes_on(other))
			begin_at(other, cc->moment);
}

int ctr_cpu_may_add(ctr_filter_t filter)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (WARN_ON_ONCE(cc->nr_events >= MAX_EVENTS))
		return -ENOSPC;
	/* Active events fit each other. */
	if (cc->nr_events && !ctr_filter_fit(cc->active[0].filter, filter)) {
		cc->counts.unfit++;
		return -EAGAIN;
	}
	return 0;
}

/*
 * In the midst of a switch perf adds the events of a cgroup, with which the task that
 * comes may have been recorded before. Where nobody was, it came without what it has. While
 * the probes are not there, nothing tells who comes, and @cc->task may be gone for long.
 */
static noinline void come_with_cgroup(struct ctr_cpu *cc)
{
	if (cc->recording && !cc->ctl && !cc->store)
		come(cc, cc->task);
}

void ctr_cpu_add(struct perf_event *event, ctr_filter_t filter)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (unlikely(cc->task != current))
		come_with_cgroup(cc);
	/*
	 * An event that was on all the time goes on. perf adds those that come with
	 * their task before that runs, and @expected has their filter.
	 */
	if (!goes_on(event))
		begin(cc, event, filter);
	else if (!ctr_filter_covers(cc->filter, filter))
		settle(cc, filter);
	if (!ctr_filter_fit(cc->expected, filter)) {
		/* Calls were put back for who comes, which are no log. */
		if (cc->task != current)
			ctr_cpu_exec();
		cc->expected = 0;
	}

	cc->active[cc->nr_events].event = event;
	cc->active[cc->nr_events].filter = filter;
	cc->nr_events++;
	update_active(cc);
	/* A frozen buffer may have nobody else to thaw it. */
	if ((cc->ctl & CTR_CTL_S) && !cc->arriving)
		ctr_hw_thaw();
}

void ctr_cpu_del(struct perf_event *event)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);
	unsigned int i;

	for (i = 0; i < cc->nr_events; i++) {
		if (cc->active[i].event != event)
			continue;
		/*
		 * Not with its task. It may be added again right away, as all are
		 * when the core shares out the counters anew: recording goes on.
		 */
		if (cc->task == current) {
			settle(cc, cc->active[i].filter);
			cc->expected |= cc->active[i].filter;
		}
		cc->active[i] = cc->active[--cc->nr_events];
		update_active(cc);
		return;
	}
}

/* perf has an entry in @ctx for each PMU that an event of it belongs to. */
static bool has_events_of(const struct perf_event_context *ctx, const struct pmu *pmu)
{
	const struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &ctx->pmu_ctx_list, pmu_ctx_entry)
		if (pmu_ctx->pmu == pmu)
			return true;
	return false;
}

/*
 * Is perf going to enable the PMU when @task runs? It does if an event of the context is the
 * PMU's, in whatever state. Who has the lock changes the list. If it is not told, and perf
 * does not, @task arrives late.
 */
static bool is_announced(const struct ctr_cpu *cc, const struct task_struct *task)
{
	struct perf_event_context *ctx = READ_ONCE(task->perf_event_ctxp);
	bool has;

	if (!ctx || !data_race(ctx->nr_events))
		return false;
	if (!cc->nr_events || !raw_spin_trylock(&ctx->lock))
		return true;
	has = has_events_of(ctx, cc->active[0].event->pmu);
	raw_spin_unlock(&ctx->lock);
	return has;
}

/*
 * Is @pmu enabled because the current task has come? perf has the lock of its context then, and
 * is in no interrupt. It may not have it otherwise, and another CPU may be changing the list.
 */
static bool is_served(const struct pmu *pmu)
{
	struct perf_event_context *ctx = READ_ONCE(current->perf_event_ctxp);
	unsigned long flags;
	bool has;

	if (in_hardirq() || !ctx || !data_race(ctx->nr_events))
		return false;
	if (!raw_spin_trylock_irqsave(&ctx->lock, flags))
		return true;
	has = has_events_of(ctx, pmu);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return has;
}

static noinline void change_task(struct ctr_cpu *cc,
				 const struct task_struct *next)
{
	freeze(cc);
	cc->vacant = false;
	arrive_late(cc);
	/* Who came when nothing was recorded may be gone for long. */
	if (cc->store || (cc->ctl && may_own(cc, cc->task)))
		leave(cc);
	come(cc, next);
	/* The rest of the switch is code of the kernel that the task before runs. */
	cc->arriving = (cc->ctl & CTR_CTL_S) && is_announced(cc, next);
	thaw((cc->ctl & CTR_CTL_S) && !cc->arriving);
}

/*
 * @next comes where nobody made records: nothing is to be left, and the buffer is empty. If
 * it makes none either, or it was the last who did, and comes back to what it left, then
 * nothing is to be changed. Returns whether it is so.
 */
static __always_inline bool come_back(struct ctr_cpu *cc,
				      const struct task_struct *next)
{
	struct ctr_store *store;

	if (runs_user_code(next)) {
		store = ctr_store_find(next);
		if (!store || ctr_store_filter(store) != cc->filter ||
		    store->index != cc->index ||
		    store->switches != ctr_store_switches(next) ||
		    !ctr_store_seize(store))
			return false;
		cc->store = store;
		cc->vacant = false;
		cc->counts.switches++;
	} else if (next->perf_event_ctxp) {
		return false;
	}
	cc->task = next;
	cc->moment = atomic64_read(&moments);
	return true;
}

/*
 * perf has swapped the contexts of two tasks, and the one that comes has those events now
 * whose time it was with the other: call stacks where logs of transfers were, or the other
 * way round. What it was recorded by until here has nothing for them.
 */
static noinline void end_clash(struct ctr_cpu *cc)
{
	cc->clashing = false;
	if (!cc->nr_events || ctr_filter_fit(cc->expected, cc->active_filter))
		return;
	ctr_cpu_exec();
	cc->expected = 0;
	apply(cc);
}

/* perf says that it has given @pmu's counters to @task. */
static noinline void arrive(struct ctr_cpu *cc, const struct pmu *pmu)
{
	if (cc->task != current)
		return;
	if (cc->clashing)
		end_clash(cc);
	if (!cc->arriving)
		return;
	/* It may be for another reason. */
	if (!is_served(pmu))
		arrive_late(cc);
	cc->arriving = false;
	ctr_hw_thaw();
}

void ctr_cpu_enable(const struct pmu *pmu)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (unlikely(cc->arriving || cc->clashing))
		arrive(cc, pmu);
}

void notrace ctr_cpu_sched_switch(void *data, bool preempt,
				  struct task_struct *prev,
				  struct task_struct *next,
				  unsigned int prev_state)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	/* Nobody is recorded, and who has no events is not going to be. */
	if (likely(!cc->ctl && !cc->store && !next->perf_event_ctxp))
		cc->task = next;
	else if (!cc->vacant || !come_back(cc, next))
		change_task(cc, next);
}

void ctr_cpu_exec(void)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);
	bool frozen = freeze(cc);

	if (cc->store)
		ctr_store_cut(cc->store);
	if (cc->ctl)
		empty(cc);
	thaw(frozen);
}

void notrace ctr_cpu_irq_handler_exit(void *data, int irq,
				      struct irqaction *action, int ret)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (likely(!(cc->ctl & CTR_CTL_S)) || !ctr_hw_frozen())
		return;
	arrive_late(cc);
	ctr_hw_thaw();
	cc->counts.thaws++;
}

void notrace ctr_cpu_kvm_entry(void *data, struct kvm_vcpu *vcpu)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (cc->usable > 0)
		lend(cc);
}

void notrace ctr_cpu_kvm_exit(void *data, struct kvm_cpu_trap *trap)
{
	unsigned long flags;

	local_irq_save(flags);
	take_back(this_cpu_ptr(ctr_cpus));
	local_irq_restore(flags);
}

/*
 * Read the parcel of code at @pc, without faulting a page in. User code chooses what
 * stands there: a jump to any address leaves a record of the exception that it raised
 * with that address as its source. So nothing in the kernel is read for it.
 */
static bool read_code(u64 pc, u16 *parcel)
{
	return current->mm &&
	       !copy_from_user_nofault(parcel, (const void __user *)pc,
				       sizeof(*parcel));
}

/* The cause of the exception that the instruction at @pc raised. */
static enum ctr_cause cause_at(u64 pc)
{
	u16 parcels[2] = {};

	if (!pc || !read_code(pc, &parcels[0]))
		return CTR_CAUSE_UNKNOWN;
	if ((parcels[0] & 3) == 3 && !read_code(pc + 2, &parcels[1]))
		return CTR_CAUSE_UNKNOWN;
	return ctr_cause_of(parcels[0] | (u32)parcels[1] << 16);
}

/* Those that ctr_view_quick() leaves. Returns whether the record is shown. */
static noinline bool show_closely(struct ctr_cpu *cc, u64 source, u64 target,
				  u64 data, struct perf_branch_entry *perf)
{
	struct ctr_entry entry = { source, target, data };
	struct ctr_entry_context context = cc->view->context;

	cc->saw_misp |= ctr_entry_mispredicted(&entry);
	if (!ctr_filter_pass(cc->view->filter, &entry))
		return false;
	if (ctr_entry_type(&entry) == CTR_TYPE_EXCEPTION)
		context.cause = cause_at(ctr_entry_from(&entry));
	ctr_entry_to_perf(&entry, &context, perf);
	return true;
}

/* The registers one by one, so that no copy of the entry is made in memory. */
static __always_inline bool show(struct ctr_cpu *cc,
				 const struct ctr_entry *entry,
				 struct perf_branch_entry *perf)
{
	return likely(ctr_view_quick(cc->view, entry, perf)) ||
	       show_closely(cc, entry->source, entry->target, entry->data, perf);
}

/*
 * What an event with @filter is shown of records whose hart was, or was not, seen to set
 * MISP. Two are at hand, for events that take turns.
 */
static void use_view(struct ctr_cpu *cc, ctr_filter_t filter, bool tells_misp)
{
	if (cc->view->filter == filter &&
	    cc->view->context.tells_misp == tells_misp)
		return;
	cc->view = &cc->views[cc->view == cc->views];
	ctr_view_set(cc->view, filter, tells_misp);
}

/*
 * Fill @stack up to @max from this hart's buffer. No more are read than can be
 * shown: each costs a few CSR accesses. Returns whether there were no more, so that
 * what was put away comes next.
 */
static bool append_buffer(struct ctr_cpu *cc, struct perf_branch_stack *stack,
			  unsigned int max)
{
	struct perf_branch_entry *next = stack->entries, *end = next + max;
	unsigned int i, depth = cc->hw.depth;
	unsigned long select = ctr_hw_open();
	struct ctr_entry entry;

	cc->saw_misp = false;
	for (i = 0; i < depth && next < end; i++) {
		if (!ctr_hw_entry(i, &entry))
			break;
		if (show(cc, &entry, next))
			next++;
	}
	ctr_hw_close(select);
	stack->nr = next - stack->entries;
	/* From the next stack on, what is not mispredicted is predicted. */
	if (cc->saw_misp)
		cc->tells_misp = true;
	return i < depth && next < end;
}

/* And from what the task did before, as far as nothing is missing in between. */
static void append_store(struct ctr_cpu *cc, struct perf_branch_stack *stack,
			 unsigned int max, ctr_filter_t filter, u64 since)
{
	const struct ctr_store *store = cc->store;
	const struct ctr_entry *entry;
	unsigned int i, at = 0, end = 0;

	for (i = 0; i < store->nr_spans; i++) {
		const struct ctr_span *span = &store->spans[i];

		if (!ctr_filter_covers(span->filter, filter) ||
		    span->moment < since)
			return;
		use_view(cc, filter, span->tells_misp);
		end = min(end + span->nr, store->size);
		for (; at < end && stack->nr < max; at++) {
			entry = ctr_store_at(store, at);
			if (ctr_entry_valid(entry))
				stack->nr += show(cc, entry,
						  &stack->entries[stack->nr]);
		}
	}
}

struct perf_branch_stack *ctr_cpu_read(struct perf_event *event,
				       ctr_filter_t filter)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);
	struct perf_branch_stack *stack = cc->stack;
	/* Newer kernels cut the stack to what its reader said it can take. */
	unsigned int max = min_t(unsigned int, cc->hw.depth, event->attr.sample_max_stack);

	if (!cc->ctl)
		return NULL;

	/* Overflows of a guest's time come before KVM says that it has left. */
	take_back(cc);
	/*
	 * An overflow that was noticed without a trap of its own, behind another
	 * interrupt, froze nothing ("Freeze"). Thawed as all are, when the
	 * interrupt is done.
	 */
	if (cc->ctl & CTR_CTL_S)
		ctr_hw_freeze();
	arrive_late(cc);

	stack->nr = 0;
	/* It counts all that is recorded. What others asked for is none of this event's business. */
	if (ctr_filter_covers(filter, cc->filter))
		stack->hw_idx = ctr_hw_index() & (cc->hw.depth - 1);
	else
		stack->hw_idx = -1ULL;
	/* A kernel thread's sample is not shown what user code did before it. */
	if (cc->task != current || !may_own(cc, current))
		return stack;

	use_view(cc, filter, cc->tells_misp);
	if (append_buffer(cc, stack, max) && cc->store &&
	    !(cc->filter & CTR_FILTER_CALL_STACK))
		append_store(cc, stack, max, filter, event->hw.last_tag);
	cc->counts.samples++;
	cc->counts.entries += stack->nr;
	trace_ssctr_snapshot(current->pid, stack->nr, stack->hw_idx);
	return stack;
}

/* What was put away, as far as nothing is missing in between, from @entries[nr] on. */
static unsigned int snapshot_store(const struct ctr_cpu *cc, const struct ctr_store *store,
				   struct perf_branch_entry *entries, unsigned int nr,
				   unsigned int max)
{
	struct ctr_entry_context context = {};
	unsigned int i, at = 0, end = 0;

	for (i = 0; i < store->nr_spans; i++) {
		const struct ctr_span *span = &store->spans[i];

		if (!ctr_filter_covers(span->filter, cc->filter))
			break;
		context.tells_misp = span->tells_misp;
		end = min(end + span->nr, store->size);
		for (; at < end && nr < max; at++)
			if (ctr_entry_valid(ctr_store_at(store, at)))
				ctr_entry_to_perf(ctr_store_at(store, at), &context,
						  &entries[nr++]);
	}
	return nr;
}

/* All of the buffer, to @entries, of a hart that may have lost it since it was last idle. */
static unsigned int read_all(const struct ctr_cpu *cc, struct ctr_entry *entries)
{
	unsigned long select;
	unsigned int nr = 0;
	bool frozen;

	if (!ctr_hw_try_freeze(&frozen))
		return 0;
	if (ctr_hw_reaches_entries()) {
		select = ctr_hw_open();
		while (nr < cc->hw.depth && ctr_hw_entry(nr, &entries[nr]))
			nr++;
		ctr_hw_close(select);
	}
	if (!frozen)
		ctr_hw_thaw();
	return nr;
}

unsigned int ctr_cpu_peek(struct ctr_entry *entries)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);
	unsigned int nr;

	/*
	 * Whoever looks for what mends a trap of ctr_hw_reset(), or of this, calls this. And
	 * before take_back(), the records are those of a guest.
	 */
	if (cc->usable <= 0 || cc->suspect || cc->lent)
		return 0;
	cc->suspect = true;
	nr = read_all(cc, entries);
	cc->suspect = false;
	return nr;
}

/*
 * Behind the last event the hart goes on until the next switch, and nobody asked for that.
 * But perf takes the events from a task that ends before some kernels say that it does
 * (6.12): who looks then is shown what they recorded.
 */
static bool is_shown(const struct ctr_cpu *cc)
{
	return cc->ctl && (cc->nr_events || (current->flags & PF_EXITING));
}

int ctr_cpu_snapshot(struct perf_branch_entry *entries, unsigned int max)
{
	struct ctr_entry_context context = {};
	const struct ctr_store *store;
	unsigned long flags, select;
	struct ctr_entry entry;
	unsigned int nr = 0;
	struct ctr_cpu *cc;
	bool frozen;

	local_irq_save(flags);
	cc = this_cpu_ptr(ctr_cpus);
	frozen = freeze(cc);
	/* It may be in the midst of what else is here: it only looks, and not for long. */
	if (!is_shown(cc) || cc->lent || cc->task != current || !may_own(cc, current))
		goto out;
	context.tells_misp = cc->tells_misp;
	max = min_t(unsigned int, max, cc->hw.depth);
	select = ctr_hw_open();
	while (nr < max && ctr_hw_entry(nr, &entry))
		ctr_entry_to_perf(&entry, &context, &entries[nr++]);
	ctr_hw_close(select);
	store = READ_ONCE(cc->store);
	if (nr < max && store && !(cc->filter & CTR_FILTER_CALL_STACK))
		nr = snapshot_store(cc, store, entries, nr, max);
out:
	thaw(frozen);
	local_irq_restore(flags);
	return nr;
}
