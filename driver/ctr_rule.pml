/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rule of docs/driver.md, "Whose records", for spin. Names are those of ctr_cpu.c and
 * ctr_store.c. Tasks make transfers, which are numbered; a buffer and a span are the
 * numbers that they hold. What a sample shows is asserted to be all of the task's own,
 * without a gap, since its event began.
 *
 * selftests/rule.sh checks it, and that each FAULT, a rule left out, is found.
 */
#ifndef FAULT
#define FAULT 0
#endif
#ifndef STEPS
#define STEPS 3		/* transfers of a task */
#endif

#ifndef MOMENTS
#define MOMENTS 2	/* events that begin late */
#endif

#define TASKS 2
#define CPUS 2
#define SPANS 2		/* as CTR_STORE_SPANS */
#define NONE 7

mtype = { FREE, HELD, DEAD };

typedef span_t {
	byte first;	/* the last transfer before it */
	byte last;
	byte moment;
	bool recorded;	/* its filter: all or nothing */
};

typedef store_t {
	bool there;	/* in its bucket */
	mtype state;
	bool stale;	/* the task's count of switches is not the store's */
	byte nr;
	span_t at[SPANS];	/* newest first */
};

/* perf's: a context has one event; tasks that are forked have equal ones, and swap. */
typedef context_t {
	bool on;
	bool ran;	/* total_time_running */
	byte off;	/* how long it ran while its event was off */
	byte time_off;	/* as the event noted it */
	byte since;
	byte from[TASKS];	/* what each task had done when it was on */
};

typedef task_t {
	byte done;	/* transfers */
	byte program;	/* those before exec */
	byte cpu;
	byte context;
	bool gone;
};

typedef cpu_t {
	byte current;	/* who runs: NONE is a thread of the kernel */
	byte task;	/* the same, as ctr_cpu knows it */
	bool holds;	/* store of it */
	bool ctl;	/* records */
	bool wanted;
	bool expected;
	byte moment;
	byte first;	/* the last transfer before those in the buffer */
	byte last;
	byte whose;	/* whose they are: only to assert it */
};

store_t stores[TASKS];
task_t tasks[TASKS];
context_t contexts[TASKS];
cpu_t cpus[CPUS];
byte moments;
bool recording = true;

#define tasks_done(who) ((who) == NONE -> 0 : tasks[(who) % TASKS].done)

/* The buffer of CPU c goes behind what task t has. */
inline put_away(hart, who, by)
{
	/* In the first stay its store was not there yet. */
	if
	:: !cpus[hart].holds && by && cpus[hart].first != cpus[hart].last &&
	   who != NONE && stores[who].there && stores[who].state == FREE ->
		stores[who].state = HELD;
		cpus[hart].holds = true;
		if
		:: FAULT != 4 && stores[who].stale ->
			stores[who].nr = 0
		:: else
		fi
	:: else
	fi;
	if
	:: cpus[hart].holds ->
		assert(stores[who].there && stores[who].state == HELD);
		if
		:: stores[who].nr && stores[who].at[0].recorded == by &&
		   (FAULT == 2 || stores[who].at[0].moment == cpus[hart].moment) ->
			if
			:: cpus[hart].first != cpus[hart].last ->
				stores[who].at[0].last = cpus[hart].last
			:: else
			fi
		:: else ->
			if
			:: stores[who].nr || cpus[hart].first != cpus[hart].last ->
				if
				:: stores[who].nr ->
					stores[who].at[1].first = stores[who].at[0].first;
					stores[who].at[1].last = stores[who].at[0].last;
					stores[who].at[1].moment = stores[who].at[0].moment;
					stores[who].at[1].recorded = stores[who].at[0].recorded;
					stores[who].nr = 2
				:: else ->
					stores[who].nr = 1
				fi;
				stores[who].at[0].first = cpus[hart].first;
				stores[who].at[0].last = cpus[hart].last;
				stores[who].at[0].moment = cpus[hart].moment;
				stores[who].at[0].recorded = by
			:: else
			fi
		fi
	:: else
	fi;
	if
	:: FAULT == 1
	:: else ->
		cpus[hart].first = tasks_done(who);
		cpus[hart].last = tasks_done(who)
	fi
}

inline apply(hart)
{
	cpus[hart].ctl = recording && (cpus[hart].wanted || cpus[hart].expected)
}

inline settle(hart)
{
	if
	:: cpus[hart].task == cpus[hart].current && cpus[hart].task != NONE && FAULT != 5 ->
		put_away(hart, cpus[hart].task, cpus[hart].ctl)
	:: else
	fi
}

inline leave(hart)
{
	if
	:: cpus[hart].task == NONE
	:: else ->
		if
		:: cpus[hart].ctl && (cpus[hart].wanted || FAULT == 9) ->
			put_away(hart, cpus[hart].task, true)
		:: cpus[hart].ctl && !cpus[hart].wanted && FAULT != 9 ->
			put_away(hart, cpus[hart].task, false)
		:: !cpus[hart].ctl && cpus[hart].holds && FAULT != 3 ->
			stores[cpus[hart].task].nr = 0
		:: else
		fi;
		if
		:: cpus[hart].holds ->
			stores[cpus[hart].task].stale = false;
			stores[cpus[hart].task].state = FREE;
			cpus[hart].holds = false
		:: else
		fi
	fi
}

inline come(hart, who)
{
	cpus[hart].task = who;
	cpus[hart].moment = moments;
	if
	:: who == NONE ->
		cpus[hart].expected = cpus[hart].ctl
	:: else ->
		cpus[hart].expected = false;
		if
		:: recording && stores[who].there &&
		   (stores[who].state == FREE || FAULT == 8) ->
			stores[who].state = HELD;
			cpus[hart].holds = true;
			if
			:: FAULT != 4 && stores[who].stale ->
				stores[who].nr = 0
			:: else
			fi;
			cpus[hart].expected = (stores[who].nr && stores[who].at[0].recorded)
		:: else
		fi;
		apply(hart);
		if
		:: FAULT != 1 || !cpus[hart].ctl ->
			cpus[hart].first = tasks[who].done;
			cpus[hart].last = tasks[who].done;
			cpus[hart].whose = who
		:: else
		fi
	fi
}

inline begin(hart, ctx)
{
	settle(hart);
	if
	:: FAULT == 6
	:: else ->
		if
		:: cpus[hart].holds && stores[cpus[hart].task].nr ->
			moments++;
			cpus[hart].moment = moments
		:: else
		fi
	fi;
	contexts[ctx].time_off = contexts[ctx].off;
	contexts[ctx].since = cpus[hart].moment
}

/* pmu->add and ->del */
inline add(hart, ctx)
{
	if
	:: !contexts[ctx].ran || (contexts[ctx].time_off != contexts[ctx].off && FAULT != 7) ->
		begin(hart, ctx)
	:: else ->
		if
		:: !cpus[hart].ctl -> settle(hart)
		:: else
		fi
	fi;
	contexts[ctx].ran = true;
	cpus[hart].wanted = true;
	apply(hart)
}

inline del(hart)
{
	if
	:: cpus[hart].task == cpus[hart].current ->
		settle(hart);
		cpus[hart].expected = false
	:: else
	fi;
	cpus[hart].wanted = false;
	apply(hart)
}

/* The task that runs on c makes a transfer. */
inline transfer(hart)
{
	tasks[cpus[hart].current].done++;
	if
	:: !contexts[tasks[cpus[hart].current].context].on ->
		contexts[tasks[cpus[hart].current].context].off++
	:: else
	fi;
	if
	:: cpus[hart].ctl ->
		/* The buffer is one task's: this is what may not fail. */
		assert(cpus[hart].first == cpus[hart].last ||
		       cpus[hart].whose == cpus[hart].current);
		cpus[hart].whose = cpus[hart].current;
		assert(cpus[hart].last + 1 == tasks[cpus[hart].current].done);
		cpus[hart].last = tasks[cpus[hart].current].done
	:: else ->
		/* An empty buffer stays behind what its task does. */
		if
		:: cpus[hart].first == cpus[hart].last ->
			cpus[hart].first = tasks[cpus[hart].current].done;
			cpus[hart].last = tasks[cpus[hart].current].done
		:: else
		fi
	fi
}

/* What the event of the task that runs on c is shown. */
inline sample(hart)
{
	byte seen;
	t = cpus[hart].current;
	x = tasks[t].context;
	if
	:: cpus[hart].wanted && cpus[hart].task == t && contexts[x].on ->
		seen = cpus[hart].first;
		assert(cpus[hart].last == tasks[t].done);
		assert(cpus[hart].first == cpus[hart].last || cpus[hart].whose == t);
		assert(seen >= contexts[x].from[t] || cpus[hart].first == cpus[hart].last);
		if
		:: cpus[hart].holds && stores[t].nr > 0 && stores[t].at[0].recorded &&
		   stores[t].at[0].moment >= contexts[x].since ->
			assert(stores[t].state == HELD);
			assert(stores[t].at[0].last == seen);
			seen = stores[t].at[0].first;
			assert(seen >= contexts[x].from[t]);
			assert(seen >= tasks[t].program);
			if
			:: stores[t].nr > 1 && stores[t].at[1].recorded &&
			   stores[t].at[1].moment >= contexts[x].since ->
				assert(stores[t].at[1].last == seen);
				seen = stores[t].at[1].first;
				assert(seen >= contexts[x].from[t]);
				assert(seen >= tasks[t].program)
			:: else
			fi
		:: else
		fi
	:: else
	fi;
	seen = 0
}

/* The scheduler: c changes to task n, or to NONE. */
inline change(hart, next)
{
	p = cpus[hart].current;
	if
	:: p != NONE -> stores[p].stale = true
	:: else
	fi;
	/* The probe comes first, and perf after it. */
	leave(hart);
	come(hart, next);
	if
	:: p != NONE && next != NONE && contexts[tasks[p].context].on &&
	   contexts[tasks[next % TASKS].context].on && cpus[hart].wanted &&
	   contexts[tasks[next % TASKS].context].ran ->
		/* Equal contexts are swapped: no del, no add. */
		x = tasks[p].context;
		tasks[p].context = tasks[next % TASKS].context;
		tasks[next % TASKS].context = x;
		cpus[hart].current = next
	:: else ->
		if
		:: cpus[hart].wanted -> del(hart)
		:: else
		fi;
		cpus[hart].current = next;
		if
		:: next != NONE && contexts[tasks[next % TASKS].context].on ->
			add(hart, tasks[next % TASKS].context)
		:: else
		fi
	fi;
	if
	:: p != NONE -> tasks[p].cpu = NONE
	:: else
	fi;
	if
	:: next != NONE -> tasks[next % TASKS].cpu = hart
	:: else
	fi
}

proctype run_cpu(byte c)
{
	byte p, n, t, x;

	do
	:: atomic {
		/* Another task comes, which does not run. */
		n = 0;
		do
		:: n < TASKS - 1 -> n++
		:: break
		od;
		if
		:: tasks[n].cpu == NONE && !tasks[n].gone -> change(c, n)
		:: else
		fi;
		p = 0; x = 0
	   }
	:: atomic { cpus[c].current != NONE -> change(c, NONE); p = 0; x = 0 }
	:: atomic {
		cpus[c].current != NONE && tasks[cpus[c].current].done < STEPS ->
		transfer(c);
		sample(c);
		t = 0; x = 0
	   }
	:: atomic {
		/* Its event is disabled, or on. */
		cpus[c].current != NONE && contexts[tasks[cpus[c].current].context].on ->
		del(c);
		contexts[tasks[cpus[c].current].context].on = false
	   }
	:: atomic {
		cpus[c].current != NONE && moments < MOMENTS &&
		!contexts[tasks[cpus[c].current].context].on ->
		x = tasks[cpus[c].current].context;
		contexts[x].on = true;
		t = 0;
		do
		:: t < TASKS -> contexts[x].from[t] = tasks[t].done; t++
		:: else -> break
		od;
		add(c, x);
		t = 0; x = 0
	   }
	:: atomic {
		/* exec */
		cpus[c].current != NONE && tasks[cpus[c].current].done > tasks[cpus[c].current].program ->
		t = cpus[c].current;
		tasks[t].program = tasks[t].done;
		if
		:: cpus[c].holds && FAULT != 10 -> stores[t].nr = 0
		:: else
		fi;
		cpus[c].first = tasks[t].done;
		cpus[c].last = tasks[t].done;
		t = 0
	   }
	:: atomic {
		/* exit: for good, once it has left */
		cpus[c].current == NONE ->
		t = 0;
		do
		:: t < TASKS - 1 -> t++
		:: break
		od;
		if
		:: !tasks[t].gone && tasks[t].cpu == NONE && tasks[t].done == STEPS ->
			tasks[t].gone = true;
			if
			:: stores[t].there ->
				assert(stores[t].state == FREE);
				stores[t].there = false;
				stores[t].state = DEAD
			:: else
			fi
		:: else
		fi;
		t = 0
	   }
	:: atomic { tasks[0].gone && tasks[1].gone && cpus[c].current == NONE -> break }
	od
}

/* Memory is short; and a task that has no store gets one. */
proctype shrink()
{
	byte t;

	do
	:: atomic {
		t = 0;
		do
		:: t < TASKS - 1 -> t++
		:: break
		od;
		if
		:: stores[t].there && (stores[t].state == FREE || FAULT == 11) ->
			stores[t].there = false;
			stores[t].state = DEAD
		:: else
		fi;
		t = 0
	   }
	:: break
	od
}

/* The last event goes, and recording ends on one CPU after the other. */
proctype stop()
{
	byte c;

	atomic { recording = false; c = 0 };
	do
	:: c < CPUS ->
		atomic {
			if
			:: cpus[c].holds ->
				stores[cpus[c].task % TASKS].state = FREE;
				cpus[c].holds = false
			:: else
			fi;
			cpus[c].expected = false;
			cpus[c].first = tasks_done(cpus[c].task);
			cpus[c].last = tasks_done(cpus[c].task);
			apply(c);
			c++
		}
	:: else -> break
	od;
	/* ctr_store_drop_all() */
	atomic {
		assert(stores[0].state != HELD || FAULT == 12);
		assert(stores[1].state != HELD);
		stores[0].there = false;
		stores[1].there = false
	}
}

init {
	byte i;

	atomic {
		i = 0;
		do
		:: i < TASKS ->
			tasks[i].cpu = NONE;
			tasks[i].context = i;
			contexts[i].on = true;
			stores[i].there = true;
			stores[i].state = FREE;
			i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < CPUS ->
			cpus[i].current = NONE;
			cpus[i].task = NONE;
			run run_cpu(i);
			i++
		:: else -> break
		od;
		run shrink();
		run stop()
	}
}
