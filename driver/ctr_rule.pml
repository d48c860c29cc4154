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

#define TASKS 2
#define CPUS 2
#define SPANS 2		/* as CTR_STORE_SPANS */
#define NONE 7

mtype = { FREE, HELD, DEAD };

typedef span {
	byte first;	/* the last transfer before it */
	byte last;
	byte moment;
	bool recorded;	/* its filter: all or nothing */
};

typedef store {
	bool there;	/* in its bucket */
	mtype state;
	byte switches;
	byte nr;
	span at[SPANS];	/* newest first */
};

/* perf's: a context has one event; tasks that are forked have equal ones, and swap. */
typedef context {
	bool enabled;
	bool ran;	/* total_time_running */
	byte off;	/* how long it ran while its event was off */
	byte time_off;	/* as the event noted it */
	byte since;
	byte from[TASKS];	/* what each task had done when it was enabled */
};

typedef task {
	byte done;	/* transfers */
	byte program;	/* those before exec */
	byte switches;
	byte cpu;
	byte context;
	bool gone;
};

typedef cpu {
	byte current;	/* who runs: NONE is a thread of the kernel */
	byte task;	/* the same, as ctr_cpu knows it */
	bool holds;	/* store of it */
	bool ctl;	/* records */
	bool active;
	bool expected;
	byte moment;
	byte first;	/* the last transfer before those in the buffer */
	byte last;
	byte of;	/* whose they are: only to assert it */
};

store stores[TASKS];
task tasks[TASKS];
context contexts[TASKS];
cpu cpus[CPUS];
byte moments;
bool recording = true;

/* The buffer of CPU c goes behind what task t has. */
inline put_away(c, t, filter)
{
	/* In the first stay its store was not there yet. */
	if
	:: !cpus[c].holds && filter && cpus[c].first != cpus[c].last &&
	   t != NONE && stores[t].there && stores[t].state == FREE ->
		stores[t].state = HELD;
		cpus[c].holds = true;
		if
		:: FAULT != 4 && stores[t].switches != tasks[t].switches ->
			stores[t].nr = 0
		:: else
		fi
	:: else
	fi;
	if
	:: cpus[c].holds ->
		assert(stores[t].there && stores[t].state == HELD);
		if
		:: stores[t].nr && stores[t].at[0].recorded == filter &&
		   (FAULT == 2 || stores[t].at[0].moment == cpus[c].moment) ->
			if
			:: cpus[c].first != cpus[c].last ->
				stores[t].at[0].last = cpus[c].last
			:: else
			fi
		:: else ->
			if
			:: stores[t].nr || cpus[c].first != cpus[c].last ->
				if
				:: stores[t].nr ->
					stores[t].at[1].first = stores[t].at[0].first;
					stores[t].at[1].last = stores[t].at[0].last;
					stores[t].at[1].moment = stores[t].at[0].moment;
					stores[t].at[1].recorded = stores[t].at[0].recorded;
					stores[t].nr = 2
				:: else ->
					stores[t].nr = 1
				fi;
				stores[t].at[0].first = cpus[c].first;
				stores[t].at[0].last = cpus[c].last;
				stores[t].at[0].moment = cpus[c].moment;
				stores[t].at[0].recorded = filter
			:: else
			fi
		fi
	:: else
	fi;
	if
	:: FAULT == 1
	:: else ->
		cpus[c].first = tasks_done(t);
		cpus[c].last = tasks_done(t)
	fi
}

#define tasks_done(t) ((t) == NONE -> 0 : tasks[(t) % TASKS].done)

inline apply(c)
{
	cpus[c].ctl = recording && (cpus[c].active || cpus[c].expected)
}

inline settle(c)
{
	if
	:: cpus[c].task == cpus[c].current && cpus[c].task != NONE && FAULT != 5 ->
		put_away(c, cpus[c].task, cpus[c].ctl)
	:: else
	fi
}

inline leave(c)
{
	if
	:: cpus[c].task == NONE
	:: else ->
		if
		:: cpus[c].ctl && (cpus[c].active || FAULT == 9) ->
			put_away(c, cpus[c].task, true)
		:: cpus[c].ctl && !cpus[c].active && FAULT != 9 ->
			put_away(c, cpus[c].task, false)
		:: !cpus[c].ctl && cpus[c].holds && FAULT != 3 ->
			stores[cpus[c].task].nr = 0
		:: else
		fi;
		if
		:: cpus[c].holds ->
			stores[cpus[c].task].switches = tasks[cpus[c].task].switches;
			stores[cpus[c].task].state = FREE;
			cpus[c].holds = false
		:: else
		fi
	fi
}

inline come(c, t)
{
	cpus[c].task = t;
	cpus[c].moment = moments;
	if
	:: t == NONE ->
		cpus[c].expected = cpus[c].ctl
	:: else ->
		cpus[c].expected = false;
		if
		:: recording && stores[t].there &&
		   (stores[t].state == FREE || FAULT == 8) ->
			stores[t].state = HELD;
			cpus[c].holds = true;
			if
			:: FAULT != 4 && stores[t].switches != tasks[t].switches ->
				stores[t].nr = 0
			:: else
			fi;
			cpus[c].expected = (stores[t].nr && stores[t].at[0].recorded)
		:: else
		fi;
		apply(c);
		if
		:: FAULT != 1 || !cpus[c].ctl ->
			cpus[c].first = tasks[t].done;
			cpus[c].last = tasks[t].done;
			cpus[c].of = t
		:: else
		fi
	fi
}

inline begin(c, x)
{
	settle(c);
	if
	:: FAULT == 6
	:: else ->
		if
		:: cpus[c].holds && stores[cpus[c].task].nr ->
			moments++;
			cpus[c].moment = moments
		:: else
		fi
	fi;
	contexts[x].time_off = contexts[x].off;
	contexts[x].since = cpus[c].moment
}

/* pmu->add and ->del */
inline add(c, x)
{
	if
	:: !contexts[x].ran || (contexts[x].time_off != contexts[x].off && FAULT != 7) ->
		begin(c, x)
	:: else ->
		if
		:: !cpus[c].ctl -> settle(c)
		:: else
		fi
	fi;
	contexts[x].ran = true;
	cpus[c].active = true;
	apply(c)
}

inline del(c)
{
	if
	:: cpus[c].task == cpus[c].current ->
		settle(c);
		cpus[c].expected = false
	:: else
	fi;
	cpus[c].active = false;
	apply(c)
}

/* The task that runs on c makes a transfer. */
inline transfer(c)
{
	tasks[cpus[c].current].done++;
	if
	:: !contexts[tasks[cpus[c].current].context].enabled ->
		contexts[tasks[cpus[c].current].context].off++
	:: else
	fi;
	if
	:: cpus[c].ctl ->
		/* The buffer is one task's: this is what may not fail. */
		assert(cpus[c].first == cpus[c].last ||
		       cpus[c].of == cpus[c].current);
		cpus[c].of = cpus[c].current;
		assert(cpus[c].last + 1 == tasks[cpus[c].current].done);
		cpus[c].last = tasks[cpus[c].current].done
	:: else ->
		/* An empty buffer stays behind what its task does. */
		if
		:: cpus[c].first == cpus[c].last ->
			cpus[c].first = tasks[cpus[c].current].done;
			cpus[c].last = tasks[cpus[c].current].done
		:: else
		fi
	fi
}

/* What the event of the task that runs on c is shown. */
inline sample(c)
{
	byte seen;
	t = cpus[c].current;
	x = tasks[t].context;
	if
	:: cpus[c].active && cpus[c].task == t && contexts[x].enabled ->
		seen = cpus[c].first;
		assert(cpus[c].last == tasks[t].done);
		assert(cpus[c].first == cpus[c].last || cpus[c].of == t);
		assert(seen >= contexts[x].from[t] || cpus[c].first == cpus[c].last);
		if
		:: cpus[c].holds && stores[t].nr > 0 && stores[t].at[0].recorded &&
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
inline change(c, n)
{
	p = cpus[c].current;
	if
	:: p != NONE -> tasks[p].switches++
	:: else
	fi;
	/* The probe comes first, and perf after it. */
	leave(c);
	come(c, n);
	if
	:: p != NONE && n != NONE && contexts[tasks[p].context].enabled &&
	   contexts[tasks[n % TASKS].context].enabled && cpus[c].active &&
	   contexts[tasks[n % TASKS].context].ran ->
		/* Equal contexts are swapped: no del, no add. */
		x = tasks[p].context;
		tasks[p].context = tasks[n % TASKS].context;
		tasks[n % TASKS].context = x;
		cpus[c].current = n
	:: else ->
		if
		:: cpus[c].active -> del(c)
		:: else
		fi;
		cpus[c].current = n;
		if
		:: n != NONE && contexts[tasks[n % TASKS].context].enabled ->
			add(c, tasks[n % TASKS].context)
		:: else
		fi
	fi;
	if
	:: p != NONE -> tasks[p].cpu = NONE
	:: else
	fi;
	if
	:: n != NONE -> tasks[n % TASKS].cpu = c
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
		/* Its event is disabled, or enabled. */
		cpus[c].current != NONE && contexts[tasks[cpus[c].current].context].enabled ->
		del(c);
		contexts[tasks[cpus[c].current].context].enabled = false
	   }
	:: atomic {
		cpus[c].current != NONE && !contexts[tasks[cpus[c].current].context].enabled ->
		x = tasks[cpus[c].current].context;
		contexts[x].enabled = true;
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
				stores[cpus[c].task % TASKS].switches =
					tasks[cpus[c].task % TASKS].switches;
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
			contexts[i].enabled = true;
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
