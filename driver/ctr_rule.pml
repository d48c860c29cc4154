/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rule of docs/driver.md, "Whose records", for spin. Names are those of ctr_cpu.c and
 * ctr_store.c. selftests/rule.sh checks it in several configurations, and that each of the
 * faults below, parts of the rule that are left out, is found.
 *
 * Control transfers have no numbers. One of them, any, has a mark. A sample shows that
 * one if the event may see it, and if the task is the one that made it; it may see it no
 * longer when a later one is missing. As this holds for any one, each sample is a run of
 * its own task's transfers, without a gap, since the event began.
 *
 * What a CPU does with interrupts off is one step, but for where it looks into what
 * others change.
 */
#define WHAT_A_TASK_LEFT_IS_NOT_EMPTIED			1
#define A_BUFFER_THAT_RAN_OVER_DOES_NOT_CUT		2
#define SPANS_OF_TWO_MOMENTS_ARE_ONE			3
#define WHAT_RAN_UNRECORDED_IS_NOT_NOTICED		4
#define THE_COUNT_OF_SWITCHES_IS_NOTED_IN_THE_EVENT	5
#define A_CHILD_IS_TOLD_BY_WHAT_IS_ITS_PARENTS		6
#define WHO_IS_GONE_KEEPS_A_STORE			7
#define A_STORE_IS_FREED_WHILE_SOMEBODY_HAS_FOUND_IT	8
#define A_STORE_THAT_IS_HELD_IS_REMOVED			9
#define AN_EVENT_TAKES_NO_NEW_MOMENT			10
#define AN_EVENT_BEGINS_BEFORE_THE_BUFFER_IS_PUT_AWAY	11
#define AN_EVENT_DOES_NOT_KNOW_THAT_IT_WAS_OFF		12
#define EACH_EVENT_BEGINS_WITH_ITS_TASK			13
#define NOTHING_IS_EXPECTED_OF_WHO_COMES		14
#define WHAT_NOBODY_WANTED_IS_SHOWN			15
#define EXEC_FORGETS_THE_BUFFER_ALONE			16
#define THE_END_OF_RECORDING_PUTS_NOTHING		17
#define STORES_ARE_GOT_AFTER_THE_END			18
#define A_CPU_COMES_BACK_AS_IF_RECORDING		19
#define A_HART_IS_NOT_SET_UP_AFTER_IDLE			20
#define AN_INTERRUPT_DOES_NOT_THAW			21
#define WHO_DROPS_THE_FREEZE_DOES_NOT_THAW		22
#define THE_REST_OF_A_SWITCH_IS_RECORDED		23
#define NOBODY_THAWS_FOR_WHO_ARRIVES			24
#define WHERE_NOTHING_IS_NO_NEW_MOMENT_IS_TAKEN		25
#define RECORDING_BEGINS_AT_AN_OLD_MOMENT		26
#define RECORDING_BEGINS_BEFORE_IT_IS_KNOWN_WHO_RUNS	27
#define REMOVING_AN_EVENT_STOPS_RECORDING		28
#define AN_HEIRS_EVENT_BEGINS_WITH_ITS_FIRST_TASK	29
#define WHO_ARRIVES_LATE_IS_NOT_CUT			30
#define WHOEVER_ENABLES_THE_PMU_LETS_A_TASK_ARRIVE	31
#define WHO_DROPS_THE_FREEZE_LETS_NOBODY_ARRIVE		32
#define WHO_BEGINS_TO_MAKE_RECORDS_IS_TAKEN_FOR_NOBODY	33
#define A_GUEST_READS_THE_RECORDS_OF_ITS_HOST		34
#define WHAT_A_GUEST_LEFT_IS_NOT_EMPTIED		35
#define WHAT_A_GUEST_FROZE_STAYS_FROZEN			36
#define AN_OVERFLOW_SHOWS_WHAT_A_GUEST_LEFT		37
#define RECORDING_BEGINS_IN_WHAT_A_GUEST_FROZE		38
#define WHAT_WAS_KEPT_IS_SHOWN				39
#define A_GUEST_READS_WHAT_WAS_KEPT			40
#define WHAT_A_GUEST_HAD_AT_THE_END_STAYS_LENT		41
#define A_STORE_THAT_IS_TAKEN_LATE_GOES_ON		42

/* What a configuration has, beside switches, migration and samples. */
byte fault;
byte task_filter;	/* of an event of each task; no event if 0 */
byte cpu_filter;	/* of an event of each CPU */
bit equal;		/* tasks inherited their events: perf swaps the contexts */
bit begins;		/* events are disabled and enabled */
bit forks;		/* fork, exec and exit */
bit shrinks;		/* memory is short at times */
bit ends;		/* the last event goes, and another comes */
bit harts;		/* go and come back, and lose their state in idle */
bit fills;		/* the buffer runs over */
bit others;		/* PMUs: the first task has events of them, and no event here */
bit guests;		/* of KVM, on harts that keep none of them off the buffer */
bit keeps;		/* the kernel's records are kept while nobody wants any */

c_decl {
	static int setting(const char *name)
	{
		const char *value = getenv(name);

		return value ? atoi(value) : 0;
	}
}

inline read_settings()
{
	c_code {
		now.fault = setting("fault");
		now.task_filter = setting("task_filter");
		now.cpu_filter = setting("cpu_filter");
		now.equal = setting("equal");
		now.begins = setting("begins");
		now.forks = setting("forks");
		now.shrinks = setting("shrinks");
		now.ends = setting("ends");
		now.harts = setting("harts");
		now.fills = setting("fills");
		now.others = setting("others");
		now.guests = setting("guests");
		now.keeps = setting("keeps");
	}
}

#define U 1		/* CTR_FILTER_U, and what a user's transfer is recorded by */
#define S 2		/* CTR_FILTER_S, with which the buffer freezes */
#define KEPT 4		/* by this nothing freezes, and nothing is shown */

#define TASKS 2
#define CPUS 2
#define EVENTS 4	/* one of each task's context, one of each CPU */
#define SPANS 2		/* CTR_STORE_SPANS */
#define NONE 7

#define idle(c) (TASKS + (c))	/* its thread of the kernel, which has no context */
#define filter_of(x) ((x) < TASKS -> task_filter : cpu_filter)

mtype = { GONE, FREE, HELD, DEAD };

typedef span_t {
	byte filter;
	byte moment;
	bit marked;
	bit foreign
};

typedef store_t {
	mtype state = GONE;	/* no memory */
	bit stale;		/* its task left a CPU without it: switches differ */
	byte nr_spans;
	span_t spans[SPANS]	/* newest first */
};

typedef event_t {
	bit on;			/* enabled */
	byte at = NONE;		/* the CPU where it is active */
	bit ran;		/* it began: extra_reg.config is a time */
	bit off;		/* it was off since: extra_reg.config differs from time_off() */
	bit heir;		/* parent */
	byte since;		/* last_tag */
	byte noted = NONE	/* for a fault alone */
};

typedef task_t {
	bit alive;
	bit leaves;		/* for good */
	byte cpu = NONE;
	byte context
};

typedef cpu_t {
	byte current;		/* who runs */
	byte next = NONE;	/* who comes, in the midst of a switch */
	bit found;		/* its store was, but is not got */
	bit probed;		/* its probe does more than to note who comes */
	/* struct ctr_cpu */
	byte task;
	byte store = NONE;
	byte ctl;
	byte expected;
	byte moment;
	bit online;
	bit recording;
	bit arriving;
	bit vacant;
	bit lent;
	/* the hart */
	byte sctrctl;
	bit frozen;
	bit nr;			/* are there records of the host? */
	bit foreign;		/* or some that no event may see: a guest's, or kept ones */
	bit over;		/* more than it has room for */
	bit marked;		/* is that one among them? */
	byte knows		/* which events had begun when these records began */
};

cpu_t cpus[CPUS];
store_t stores[TASKS];
task_t tasks[TASKS];
event_t events[EVENTS];
byte moments;
bit hooked;			/* are the probes there? */

/* The transfer that has a mark: whose, by what it is recorded. */
byte mark_of = NONE;
byte mark_by;

/* Sets of events. Those that have begun, that may see it, and that have to. */
byte began;
byte may_see;
byte must_see;

/* Those of a step alone: 0 after it. */
byte t, x, i, v, who, by, st;
bit shown, known;
bit blind;			/* somebody else has the lock of the context of who comes */

#define bit_of(x) (1 << (x))
#define wants(c, x) (events[x].at == (c) -> filter_of(x) : 0)
#define active_filter(c) (wants(c, 0) | wants(c, 1) | wants(c, 2) | wants(c, 3))
#define filter(c) (cpus[c].expected | active_filter(c))
#define may_own(c, who) ((filter(c) & S) || (who) < TASKS)
#define covers(recorded, wanted) ((recorded) && !((wanted) & ~(recorded)))
#define busy(c) (cpus[c].next != NONE)
#define has_records(c) (cpus[c].ctl && (cpus[c].nr || cpus[c].foreign))
#define kept(c) (keeps && cpus[c].online -> KEPT : 0)
/* A task's context may have events of other PMUs alone. */
#define is_served(who) ((who) < TASKS && task_filter && !((who) == 0 && others))
#define has_context(who) (is_served(who) || ((who) == 0 && others))
#define is_announced(who) (is_served(who) || (blind && has_context(who)))
/* Frozen by a switch, to a task of which perf says nothing to the PMU. */
#define is_late(c) (cpus[c].arriving && !is_served(cpus[c].task))
#define may_be_frozen(c) (is_late(c) && cpus[c].task == cpus[c].current && (cpus[c].ctl & S))

/* Where not, one of them is as good as the other to have the mark. */
#define tasks_differ (equal || forks || ends || others)

/* Whose context has event x, and on which CPU is it? */
#define task_of(x) (tasks[0].context == (x) -> 0 : 1)
#define cpu_of(x) ((x) < TASKS -> tasks[task_of(x)].cpu : (x) - TASKS)

/* Which events can be shown what @who does? */
#define sees(who) (equal || (who) >= TASKS -> 15 : 12 | bit_of(tasks[who].context))

/* What the task has done so far is lost, as docs/driver.md says that it may be. */
inline lose(loser)
{
	if
	:: mark_of == (loser) ->
		may_see = 0;
		must_see = 0
	:: else
	fi
}

/* ctr_store_cut() */
inline ctr_store_cut()
{
	stores[st].nr_spans = 0;
	i = 0;
	do
	:: i < SPANS ->
		stores[st].spans[i].filter = 0;
		stores[st].spans[i].moment = 0;
		stores[st].spans[i].marked = 0;
		stores[st].spans[i].foreign = 0;
		i++
	:: else -> break
	od
}

inline clear()
{
	cpus[c].nr = 0;
	cpus[c].foreign = 0;
	cpus[c].over = 0;
	cpus[c].marked = 0
}

#define is_marked(s) (stores[s].spans[0].marked || stores[s].spans[1].marked)

inline done()
{
	t = 0;
	x = 0;
	i = 0;
	v = 0;
	who = 0;
	by = 0;
	st = 0;
	shown = 0;
	known = 0
}

/*
 * The end of each step. Once the mark is nowhere, another transfer can have it. What
 * makes no difference any more is forgotten: spans behind which nothing is asked for, and
 * moments that nobody has; the others matter by their order alone.
 */
inline tidy()
{
	if
	:: mark_of != NONE && !must_see && !cpus[0].marked && !cpus[1].marked &&
	   !is_marked(0) && !is_marked(1) ->
		mark_of = NONE;
		mark_by = 0;
		may_see = 0
	:: else
	fi;
	i = 0;
	do
	:: i < TASKS ->
		if
		:: stores[i].nr_spans > 1 && !stores[i].spans[1].marked ->
			stores[i].nr_spans = 1;
			stores[i].spans[1].filter = 0;
			stores[i].spans[1].moment = 0;
			stores[i].spans[1].foreign = 0
		:: else
		fi;
		if
		:: !stores[i].spans[0].filter || !is_marked(i) -> stores[i].spans[0].moment = 0
		:: else
		fi;
		i++
	:: else -> break
	od;
	v = 0;
	do
	:: v < moments ->
		known = (cpus[0].moment == v && cpus[0].task < TASKS) ||
			(cpus[1].moment == v && cpus[1].task < TASKS);
		i = 0;
		do
		:: i < EVENTS ->
			known = known || (events[i].since == v && !events[i].off &&
					   (events[i].ran || events[i].heir));
			i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < TASKS * SPANS ->
			known = known || (stores[i / SPANS].spans[i % SPANS].filter &&
					  is_marked(i / SPANS) &&
					  stores[i / SPANS].spans[i % SPANS].moment == v);
			i++
		:: else -> break
		od;
		if
		:: known -> v++
		:: else ->
			moments--;
			cpus[0].moment = cpus[0].moment - (cpus[0].moment > v);
			cpus[1].moment = cpus[1].moment - (cpus[1].moment > v);
			i = 0;
			do
			:: i < EVENTS ->
				events[i].since = events[i].since - (events[i].since > v);
				i++
			:: else -> break
			od;
			i = 0;
			do
			:: i < TASKS * SPANS ->
				stores[i / SPANS].spans[i % SPANS].moment =
					stores[i / SPANS].spans[i % SPANS].moment -
					(stores[i / SPANS].spans[i % SPANS].moment > v);
				i++
			:: else -> break
			od
		fi
	:: else -> break
	od;
	done()
}

/* The second half of ctr_store_get(): it was found. */
inline ctr_store_get()
{
	/* Who reads the state of one that is freed reads what is not its own. */
	assert(stores[st].state != GONE);
	if
	:: stores[st].state == FREE ->
		stores[st].state = HELD;
		cpus[c].store = st;
		if
		:: fault == WHAT_RAN_UNRECORDED_IS_NOT_NOTICED
		:: fault == THE_COUNT_OF_SWITCHES_IS_NOTED_IN_THE_EVENT &&
		   events[tasks[st].context].noted == st
		:: fault == THE_COUNT_OF_SWITCHES_IS_NOTED_IN_THE_EVENT &&
		   events[tasks[st].context].noted != st -> ctr_store_cut()
		:: fault != WHAT_RAN_UNRECORDED_IS_NOT_NOTICED &&
		   fault != THE_COUNT_OF_SWITCHES_IS_NOTED_IN_THE_EVENT &&
		   stores[st].stale -> ctr_store_cut()
		:: else
		fi;
		stores[st].stale = 0
	:: else
	fi
}

/* It may have been made since the task came. There may be no spare. */
inline ctr_store_take()
{
	if
	:: stores[st].state == FREE ->
		ctr_store_get();
		/* What its task did since it came here was not recorded. */
		if
		:: fault != A_STORE_THAT_IS_TAKEN_LATE_GOES_ON -> ctr_store_cut()
		:: else
		fi
	:: stores[st].state == GONE && !shrinks ->
		stores[st].state = HELD;
		cpus[c].store = st
	:: else
	fi
}

/* ctr_store_put() */
inline ctr_store_put()
{
	stores[cpus[c].store].stale = 0;
	stores[cpus[c].store].state = FREE;
	cpus[c].store = NONE
}

/* ctr_store_begin(): the buffer of @c goes behind what is in @s. */
inline ctr_store_begin()
{
	if
	:: stores[st].nr_spans && stores[st].spans[0].filter == by &&
	   (stores[st].spans[0].moment == cpus[c].moment ||
	    fault == SPANS_OF_TWO_MOMENTS_ARE_ONE) ->
		stores[st].spans[0].marked = stores[st].spans[0].marked || cpus[c].marked;
		stores[st].spans[0].foreign = stores[st].spans[0].foreign ||
					      (cpus[c].ctl && cpus[c].foreign)
	:: !stores[st].nr_spans && !has_records(c)
	:: else ->
		/* The oldest is forgotten where there are too many. */
		if
		:: stores[st].nr_spans < SPANS -> stores[st].nr_spans++
		:: else ->
			if
			:: stores[st].spans[SPANS - 1].marked -> lose(cpus[c].task)
			:: else
			fi
		fi;
		stores[st].spans[1].filter = stores[st].spans[0].filter;
		stores[st].spans[1].moment = stores[st].spans[0].moment;
		stores[st].spans[1].marked = stores[st].spans[0].marked;
		stores[st].spans[1].foreign = stores[st].spans[0].foreign;
		stores[st].spans[0].filter = by;
		stores[st].spans[0].moment = cpus[c].moment;
		stores[st].spans[0].marked = cpus[c].marked;
		stores[st].spans[0].foreign = cpus[c].ctl && cpus[c].foreign
	fi
}

/* As recorded by the filter @by. */
inline put_away()
{
	if
	:: has_records(c) && by && cpus[c].store == NONE && cpus[c].task < TASKS ->
		st = cpus[c].task;
		ctr_store_take()
	:: else
	fi;
	if
	:: cpus[c].store != NONE ->
		/* Nothing is used after it was freed. */
		st = cpus[c].store;
		assert(stores[st].state == HELD);
		if
		:: cpus[c].over && fault != A_BUFFER_THAT_RAN_OVER_DOES_NOT_CUT ->
			ctr_store_cut()
		:: else
		fi;
		ctr_store_begin()
	:: cpus[c].store == NONE && has_records(c) -> lose(cpus[c].task)
	:: else
	fi;
	if
	:: cpus[c].ctl && fault != WHAT_A_TASK_LEFT_IS_NOT_EMPTIED -> clear()
	:: else
	fi
}

/* A guest of who runs here is about to. Who is recorded is frozen until take_back(). */
inline lend()
{
	if
	:: cpus[c].ctl ->
		cpus[c].frozen = cpus[c].frozen || (cpus[c].ctl & S);
		arrive_late();
		if
		:: fault != A_GUEST_READS_THE_RECORDS_OF_ITS_HOST ->
			by = filter(c);
			put_away()
		:: else
		fi
	:: !cpus[c].ctl && fault != A_GUEST_READS_WHAT_WAS_KEPT ->
		cpus[c].sctrctl = 0;
		clear()
	:: else
	fi;
	cpus[c].lent = 1
}

inline take_back()
{
	if
	:: cpus[c].lent ->
		cpus[c].lent = 0;
		if
		:: fault != WHAT_A_GUEST_LEFT_IS_NOT_EMPTIED -> clear()
		:: else
		fi;
		cpus[c].sctrctl = (cpus[c].ctl -> cpus[c].ctl : kept(c));
		if
		:: fault != WHAT_A_GUEST_FROZE_STAYS_FROZEN -> cpus[c].frozen = 0
		:: else
		fi
	:: else
	fi
}

inline settle()
{
	if
	:: cpus[c].online && cpus[c].task == cpus[c].current ->
		take_back();
		by = (cpus[c].ctl -> filter(c) : 0);
		put_away()
	:: else
	fi
}

inline apply()
{
	v = (cpus[c].online && cpus[c].recording -> filter(c) : 0);
	if
	:: v != cpus[c].ctl ->
		if
		:: fault != WHO_BEGINS_TO_MAKE_RECORDS_IS_TAKEN_FOR_NOBODY ->
			cpus[c].vacant = 0
		:: else
		fi;
		if
		:: !cpus[c].ctl && fault != WHAT_WAS_KEPT_IS_SHOWN -> clear()
		:: else
		fi;
		cpus[c].sctrctl = (v -> v : kept(c));
		if
		:: (cpus[c].ctl & ~v & S) && fault != WHO_DROPS_THE_FREEZE_DOES_NOT_THAW ->
			cpus[c].frozen = 0;
			/* Nothing is missed of who comes. */
			if
			:: cpus[c].task != cpus[c].current &&
			   fault != WHO_DROPS_THE_FREEZE_LETS_NOBODY_ARRIVE ->
				cpus[c].arriving = 0
			:: else
			fi
		:: else
		fi;
		cpus[c].ctl = v
	:: else
	fi
}

inline leave()
{
	if
	:: cpus[c].ctl ->
		by = active_filter(c);
		put_away()
	:: !cpus[c].ctl && cpus[c].store != NONE ->
		st = cpus[c].store;
		ctr_store_cut()
	:: else
	fi;
	if
	:: cpus[c].store != NONE -> ctr_store_put()
	:: else
	fi
}

/* It does not see what is before. */
inline begin_anew(event)
{
	may_see = may_see & ~bit_of(event);
	must_see = must_see & ~bit_of(event)
}

/* @x is not to see what was recorded until here; others are. */
inline begin()
{
	if
	:: fault == AN_EVENT_BEGINS_BEFORE_THE_BUFFER_IS_PUT_AWAY
	:: else -> settle()
	fi;
	events[x].off = 0;
	if
	:: fault != AN_EVENT_TAKES_NO_NEW_MOMENT &&
	   (fault != WHERE_NOTHING_IS_NO_NEW_MOMENT_IS_TAKEN || x >= TASKS ||
	    (cpus[c].store != NONE && stores[cpus[c].store].nr_spans)) ->
		moments++;
		cpus[c].moment = moments;
		cpus[c].knows = began & sees(cpus[c].current)
	:: else
	fi;
	events[x].since = cpus[c].moment
}

/* ctr_cpu_add() */
inline ctr_cpu_add()
{
	if
	:: fault == EACH_EVENT_BEGINS_WITH_ITS_TASK ||
	   (!events[x].ran && (!events[x].heir ||
			       fault == AN_HEIRS_EVENT_BEGINS_WITH_ITS_FIRST_TASK)) ||
	   (events[x].off && fault != AN_EVENT_DOES_NOT_KNOW_THAT_IT_WAS_OFF) ->
		begin()
	:: else ->
		if
		:: !covers(filter(c), filter_of(x)) -> settle()
		:: else
		fi
	fi;
	if
	:: !(began & bit_of(x)) ->
		begin_anew(x);
		began = began | bit_of(x);
		cpus[c].knows = cpus[c].knows | bit_of(x)
	:: else
	fi;
	events[x].ran = 1;
	events[x].at = c;
	apply();
	if
	:: (cpus[c].ctl & S) && !cpus[c].arriving -> cpus[c].frozen = 0
	:: else
	fi
}

/* ctr_cpu_del() */
inline ctr_cpu_del()
{
	if
	:: cpus[c].task == cpus[c].current ->
		settle();
		/* It may be added again right away. */
		cpus[c].expected = (fault != REMOVING_AN_EVENT_STOPS_RECORDING ->
				    cpus[c].expected | filter_of(x) : 0)
	:: else
	fi;
	events[x].at = NONE;
	apply()
}

/* What runs where an event is not active is not seen by that, nor what is before. */
inline unwatched(runs)
{
	x = 0;
	do
	:: x < EVENTS ->
		if
		:: mark_of == runs && (!covers(active_filter(c), filter_of(x)) ||
				       !cpus[c].online || !cpus[c].recording) ->
			must_see = must_see & ~bit_of(x)
		:: else
		fi;
		x++
	:: else -> break
	od
}

inline arrive_late()
{
	if
	:: cpus[c].arriving ->
		if
		:: cpus[c].store != NONE && fault != WHO_ARRIVES_LATE_IS_NOT_CUT ->
			st = cpus[c].store;
			ctr_store_cut()
		:: else
		fi;
		cpus[c].arriving = 0
	:: else
	fi
}

inline ctr_cpu_enable()
{
	if
	:: cpus[c].arriving && cpus[c].task == cpus[c].current ->
		/* It ran already. */
		if
		:: is_late(c) && fault != WHOEVER_ENABLES_THE_PMU_LETS_A_TASK_ARRIVE ->
			arrive_late()
		:: else
		fi;
		cpus[c].arriving = 0;
		cpus[c].frozen = 0
	:: else
	fi
}

/* The first half of the probe in sched_switch, until the store of who comes is found. */
inline change_task()
{
	t = cpus[c].current;
	who = cpus[c].next;
	/* Every freeze was thawed, or is going to be. */
	assert(!cpus[c].frozen || may_be_frozen(c) || !cpus[c].ctl);
	if
	:: t < TASKS && stores[t].state != GONE -> stores[t].stale = 1
	:: else
	fi;
	unwatched(t);
	if
	:: hooked && !cpus[c].ctl && cpus[c].store == NONE && !has_context(who) ->
		cpus[c].task = who
	:: hooked && (cpus[c].ctl || cpus[c].store != NONE || has_context(who)) ->
		cpus[c].probed = 1;
		if
		/* come_back(): there is nothing to freeze, and nothing to leave. */
		:: cpus[c].vacant
		:: else ->
			cpus[c].frozen = cpus[c].frozen || (cpus[c].ctl & S);
			arrive_late();
			if
			:: cpus[c].store != NONE || (cpus[c].ctl && may_own(c, cpus[c].task)) ->
				/* Who is asked what it was may be gone, if it was another. */
				assert(cpus[c].task == t);
				leave()
			:: else
			fi
		fi;
		cpus[c].vacant = 0;
		if
		:: fault == THE_COUNT_OF_SWITCHES_IS_NOTED_IN_THE_EVENT && t < TASKS ->
			events[tasks[t].context].noted = t
		:: else
		fi;
		cpus[c].task = who;
		cpus[c].moment = (who < TASKS -> moments : 0);
		cpus[c].knows = began & sees(who);
		cpus[c].found = who < TASKS && stores[who % TASKS].state != GONE &&
				stores[who % TASKS].state != DEAD && cpus[c].online &&
				(cpus[c].recording || fault == STORES_ARE_GOT_AFTER_THE_END)
	:: else
	fi
}

/* Its second half, and what perf does after it. */
inline arrive()
{
	t = cpus[c].current;
	who = cpus[c].next;
	if
	:: cpus[c].probed && !may_own(c, who) ->
		/* It makes no records. */
		cpus[c].expected = filter(c);
		cpus[c].vacant = cpus[c].ctl != 0;
		cpus[c].frozen = 0
	:: cpus[c].probed && may_own(c, who) ->
		cpus[c].expected = 0;
		if
		:: cpus[c].found ->
			st = who;
			if
			:: fault == A_CHILD_IS_TOLD_BY_WHAT_IS_ITS_PARENTS &&
			   !events[tasks[who].context].ran && stores[1 - who].state == FREE ->
				st = 1 - who
			:: else
			fi;
			ctr_store_get()
		:: else
		fi;
		if
		:: cpus[c].store != NONE && fault != NOTHING_IS_EXPECTED_OF_WHO_COMES ->
			cpus[c].expected = stores[cpus[c].store].spans[0].filter
		:: else
		fi;
		apply();
		/* Thawed here, or when the one who comes runs. */
		cpus[c].arriving = (cpus[c].ctl & S) && is_announced(who);
		cpus[c].frozen = cpus[c].arriving && fault != THE_REST_OF_A_SWITCH_IS_RECORDED
	:: else
	fi;
	cpus[c].found = 0;
	cpus[c].probed = 0;
	/* The rest of the switch is code of the kernel, and not of the one who comes. */
	assert(cpus[c].frozen || !(cpus[c].sctrctl & S) || !is_announced(who));
	if
	:: equal && t < TASKS && who < TASKS && !tasks[t].leaves ->
		/* Equal contexts are swapped: no del, no add. */
		x = tasks[t].context;
		tasks[t].context = tasks[who].context;
		tasks[who].context = x;
		cpus[c].current = who
	:: else ->
		if
		:: t < TASKS && events[tasks[t].context].at == c ->
			x = tasks[t].context;
			ctr_cpu_del()
		:: else
		fi;
		cpus[c].current = who;
		if
		:: who < TASKS && events[tasks[who].context].on ->
			x = tasks[who].context;
			ctr_cpu_add()
		:: else
		fi
	fi;
	if
	:: is_served(who) && fault != NOBODY_THAWS_FOR_WHO_ARRIVES -> ctr_cpu_enable()
	:: else
	fi;
	/* It runs without being recorded. */
	if
	:: cpus[c].frozen && mark_of == who -> must_see = 0
	:: else
	fi;
	if
	:: t < TASKS -> tasks[t].cpu = NONE
	:: else
	fi;
	unwatched(who);
	cpus[c].next = NONE
}

/* @x was off while time passed: it is to begin anew. */
inline was_off()
{
	events[x].off = events[x].ran || events[x].heir;
	if
	:: fault != AN_EVENT_DOES_NOT_KNOW_THAT_IT_WAS_OFF -> events[x].since = 0
	:: else
	fi;
	began = began & ~bit_of(x);
	cpus[0].knows = cpus[0].knows & ~bit_of(x);
	cpus[1].knows = cpus[1].knows & ~bit_of(x);
	begin_anew(x)
}

/* Who runs makes a transfer, which @kind records. */
inline transfer(kind, mark, overrun)
{
	t = cpus[c].current;
	/* Every freeze was thawed, or is going to be. */
	assert(!cpus[c].frozen || may_be_frozen(c) || !cpus[c].ctl);
	if
	:: (cpus[c].sctrctl & KEPT) && (kind) == S && !cpus[c].frozen ->
		cpus[c].nr = 1;
		cpus[c].foreign = 1
	:: else
	fi;
	if
	:: (cpus[c].sctrctl & (kind)) && !cpus[c].frozen ->
		if
		:: overrun ->
			/* The oldest goes. What is before it cannot be seen any more. */
			cpus[c].over = 1;
			if
			:: !cpus[c].marked -> lose(t)
			:: else
			fi
		:: else
		fi;
		cpus[c].nr = 1;
		if
		:: mark && mark_of == NONE ->
			mark_of = t;
			mark_by = kind;
			cpus[c].marked = 1;
			may_see = 0;
			x = 0;
			do
			:: x < EVENTS ->
				if
				:: (filter_of(x) & (kind)) && (began & sees(t) & bit_of(x)) ->
					may_see = may_see | bit_of(x)
				:: else
				fi;
				x++
			:: else -> break
			od;
			must_see = may_see & cpus[c].knows;
			unwatched(t)
		:: else
		fi
	:: else ->
		/* Whoever wanted this one sees nothing from before it. */
		x = 0;
		do
		:: x < EVENTS ->
			if
			:: mark_of == t && (filter_of(x) & (kind)) ->
				may_see = may_see & ~bit_of(x);
				if
				:: events[x].at != c || !cpus[c].recording || !cpus[c].online ||
				   cpus[c].frozen ->
					must_see = must_see & ~bit_of(x)
				:: else
				fi
			:: else
			fi;
			x++
		:: else -> break
		od
	fi;
	/* What is off while its task runs begins anew. */
	if
	:: t < TASKS && !events[tasks[t].context].on ->
		x = tasks[t].context;
		was_off()
	:: else
	fi
}

/* ctr_cpu_read() for each event that is active here */
inline sample()
{
	t = cpus[c].current;
	if
	:: active_filter(c) && cpus[c].ctl ->
		if
		:: fault != AN_OVERFLOW_SHOWS_WHAT_A_GUEST_LEFT -> take_back()
		:: else
		fi;
		arrive_late()
	:: else
	fi;
	x = 0;
	do
	:: x < EVENTS && events[x].at == c && cpus[c].ctl ->
		shown = 0;
		if
		:: cpus[c].task == t && may_own(c, t) ->
			/* Nothing of a guest, and nothing that was kept. */
			assert(!cpus[c].foreign);
			shown = cpus[c].marked && (mark_by & filter_of(x));
			if
			:: cpus[c].store != NONE && !cpus[c].over ->
				assert(stores[cpus[c].store].state == HELD);
				i = 0;
				do
				:: i < stores[cpus[c].store].nr_spans &&
				   (covers(stores[cpus[c].store].spans[i].filter, filter_of(x)) ||
				    fault == WHAT_NOBODY_WANTED_IS_SHOWN) &&
				   stores[cpus[c].store].spans[i].moment >= events[x].since ->
					assert(!stores[cpus[c].store].spans[i].foreign);
					shown = shown || (stores[cpus[c].store].spans[i].marked &&
							  (mark_by & filter_of(x)));
					i++
				:: else -> break
				od
			:: else
			fi
		:: else
		fi;
		/* Its own task's, since it began, with nothing missing after it. */
		assert(!shown || (mark_of == t && (may_see & bit_of(x))));
		/* And none is lost. */
		assert(shown || mark_of != t || !(must_see & bit_of(x)));
		x++
	:: x < EVENTS && !(events[x].at == c && cpus[c].ctl) -> x++
	:: else -> break
	od
}

/* The overflow: the hart freezes when it takes the trap. */
inline trap()
{
	cpus[c].frozen = cpus[c].frozen || (cpus[c].sctrctl & S)
}

inline irq_handler_exit()
{
	if
	:: (cpus[c].ctl & S) && fault != AN_INTERRUPT_DOES_NOT_THAW ->
		arrive_late();
		cpus[c].frozen = 0
	:: else
	fi
}

/* ctr_cpu_exec() */
inline ctr_cpu_exec()
{
	t = cpus[c].current;
	if
	:: hooked && cpus[c].store != NONE && fault != EXEC_FORGETS_THE_BUFFER_ALONE ->
		st = cpus[c].store;
		ctr_store_cut()
	:: else
	fi;
	if
	:: hooked && cpus[c].ctl -> clear()
	:: else
	fi;
	lose(t)
}

inline no_event()
{
	events[x].on = 0;
	events[x].ran = 0;
	events[x].heir = 1;
	events[x].noted = NONE;
	was_off();
	events[x].since = 0
}

/*
 * It sees what its parent sees: perf may swap it to the parent's task. What becomes of
 * that if the parent is off, or one of them was, is left out: nobody forks with @begins. So is
 * a parent that never began, as on a CPU to which its task did not come yet.
 */
inline ctr_cpu_init_event(parent)
{
	events[x].on = events[parent].on;
	events[x].off = 0;
	events[x].since = events[parent].since;
	began = began | bit_of(x);
	cpus[c].knows = cpus[c].knows | ((cpus[c].knows & bit_of(parent)) -> bit_of(x) : 0);
	may_see = may_see | ((may_see & bit_of(parent)) -> bit_of(x) : 0);
	must_see = must_see | ((must_see & bit_of(parent)) -> bit_of(x) : 0)
}

inline fork(child)
{
	tasks[child].alive = 1;
	stores[child].state = FREE;
	x = tasks[child].context;
	i = tasks[cpus[c].current].context;
	if
	:: task_filter -> ctr_cpu_init_event(i)
	:: else
	fi
}

/* perf's share of an exit */
inline exit_events()
{
	t = cpus[c].current;
	x = tasks[t].context;
	if
	:: events[x].at == c -> ctr_cpu_del()
	:: else
	fi;
	if
	:: task_filter -> no_event()
	:: else
	fi;
	tasks[t].leaves = 1
}

/* remove(): under the bucket's lock, and not one that is held */
inline remove()
{
	if
	:: stores[st].state == FREE ||
	   (stores[st].state == HELD && fault == A_STORE_THAT_IS_HELD_IS_REMOVED) ->
		stores[st].state = DEAD;
		stores[st].stale = 0;
		if
		:: is_marked(st) -> lose(st)
		:: else
		fi;
		ctr_store_cut()
	:: else
	fi
}

/* After the grace period: nobody is left who has found it. */
#define has_found(c, s) (cpus[c].found && cpus[c].next == (s))
#define may_reclaim(s) (stores[s].state == DEAD && \
			((!has_found(0, s) && !has_found(1, s)) || \
			 fault == A_STORE_IS_FREED_WHILE_SOMEBODY_HAS_FOUND_IT))

inline start_anew(on)
{
	cpus[c].recording = on;
	/* Nobody may be there any more when the guest has left. */
	if
	:: fault != WHAT_A_GUEST_HAD_AT_THE_END_STAYS_LENT -> cpus[c].lent = 0
	:: else
	fi;
	cpus[c].task = cpus[c].current;
	if
	:: fault != RECORDING_BEGINS_AT_AN_OLD_MOMENT ->
		cpus[c].moment = (cpus[c].current < TASKS -> moments : 0)
	:: else
	fi;
	cpus[c].knows = began & sees(cpus[c].current);
	cpus[c].expected = 0;
	lose(cpus[c].current);
	if
	:: cpus[c].ctl -> clear()
	:: !cpus[c].ctl && cpus[c].online &&
	   fault != RECORDING_BEGINS_IN_WHAT_A_GUEST_FROZE -> cpus[c].frozen = 0
	:: else
	fi;
	apply();
	if
	:: cpus[c].store != NONE && fault != THE_END_OF_RECORDING_PUTS_NOTHING -> ctr_store_put()
	:: else
	fi
}

inline ctr_cpu_offline()
{
	cpus[c].frozen = 0;
	cpus[c].sctrctl = 0;
	clear();
	lose(cpus[c].current);
	cpus[c].online = 0;
	if
	:: fault != A_CPU_COMES_BACK_AS_IF_RECORDING ->
		cpus[c].ctl = 0;
		cpus[c].vacant = 0
	:: else
	fi;
	leave()
}

inline ctr_cpu_online()
{
	cpus[c].online = 1;
	cpus[c].sctrctl = kept(c);
	cpus[c].task = cpus[c].current;
	cpus[c].arriving = 0;
	cpus[c].expected = 0;
	apply()
}

/* ctr_cpu_resume(), after the hart lost its registers */
inline ctr_cpu_resume()
{
	cpus[c].frozen = 0;
	clear();
	lose(cpus[c].current);
	if
	:: cpus[c].online && fault != A_HART_IS_NOT_SET_UP_AFTER_IDLE ->
		cpus[c].sctrctl = (cpus[c].ctl -> cpus[c].ctl : kept(c))
	:: else -> cpus[c].sctrctl = 0
	fi
}

proctype run_cpu(byte c)
{
	byte n;
	bit mark, overrun;

	do
	:: atomic {
		/* Somebody else comes, who does not run, or the thread of the kernel. */
		if
		:: tasks[0].alive && !tasks[0].leaves && tasks[0].cpu == NONE -> n = 0
		:: tasks[1].alive && !tasks[1].leaves && tasks[1].cpu == NONE -> n = 1
		:: cpus[c].current != idle(c) -> n = idle(c)
		fi;
		d_step {
			if
			:: n < TASKS -> tasks[n].cpu = c
			:: else
			fi;
			cpus[c].next = n;
			n = 0;
			change_task();
			tidy()
		}
	   };
	   atomic {
		if
		:: others -> blind = 1
		:: blind = 0
		fi;
		d_step { arrive(); blind = 0; tidy() }
	   }
	:: atomic {
		/* Threads of the kernel run no user code. */
		if
		:: cpus[c].current < TASKS -> n = U
		:: keeps || ((task_filter | cpu_filter) & S) -> n = S
		fi;
		if
		:: mark_of == NONE && (cpus[c].sctrctl & n) &&
		   (cpus[c].current != 1 || tasks_differ) -> mark = 1
		:: mark = 0
		fi;
		if
		:: fills && cpus[c].nr && !cpus[c].over -> overrun = 1
		:: overrun = 0
		fi;
		d_step {
			transfer(n, mark, overrun);
			tidy();
			n = 0;
			mark = 0;
			overrun = 0
		}
	   }
	:: d_step { cpus[c].ctl & S -> trap() };
	   d_step { sample(); irq_handler_exit(); tidy() }
	:: d_step { !(cpus[c].ctl & S) -> sample(); tidy() }
	/* Events without branch stacks come and go. */
	:: d_step { others && cpus[c].arriving -> ctr_cpu_enable(); tidy() }
	/*
	 * KVM runs a guest with interrupts off, and lets no other task in until it says that
	 * the guest has left. What the host does in between is not recorded.
	 */
	:: atomic {
		guests && cpus[c].current < TASKS ->
		d_step {
			if
			:: hooked && cpus[c].online -> lend()
			:: else
			fi;
			assert(!cpus[c].nr);
			tidy()
		}
		if
		:: cpus[c].foreign = 1
		:: cpus[c].frozen = 1
		:: skip
		fi
	   };
	   if
	   :: d_step { hooked && cpus[c].ctl -> sample(); tidy() }
	   :: skip
	   fi;
	   d_step {
		if
		:: hooked -> take_back()
		:: else
		fi;
		tidy()
	   }
	:: d_step { forks && cpus[c].current < TASKS -> ctr_cpu_exec(); tidy() }
	:: d_step {
		/* One stays, to fork. */
		forks && cpus[c].current < TASKS && tasks[1 - cpus[c].current].alive &&
		!tasks[0].leaves && !tasks[1].leaves ->
		exit_events();
		tidy()
	   }
	:: d_step {
		forks && cpus[c].current < TASKS && !tasks[cpus[c].current].leaves &&
		!tasks[1 - cpus[c].current].alive &&
		(stores[1 - cpus[c].current].state == GONE ||
		 stores[1 - cpus[c].current].state == FREE) ->
		fork(1 - cpus[c].current);
		tidy()
	   }
	:: d_step { harts && cpus[c].current == idle(c) && cpus[c].online -> ctr_cpu_offline(); tidy() }
	:: d_step { harts && cpus[c].current == idle(c) && !cpus[c].online -> ctr_cpu_online(); tidy() }
	:: d_step { harts && cpus[c].current == idle(c) -> ctr_cpu_resume(); tidy() }
	od
}

/* Memory is short; a grace period ends; an event that is opened makes a store. */
proctype memory(byte s)
{
	do
	:: d_step { shrinks && stores[s].state != GONE -> st = s; remove(); tidy() }
	:: d_step { may_reclaim(s) -> stores[s].state = GONE }
	:: d_step {
		(shrinks || ends) && tasks[s].alive && stores[s].state == GONE ->
		stores[s].state = FREE
	   }
	:: d_step {
		/* sched_process_free */
		tasks[s].leaves && tasks[s].cpu == NONE ->
		tasks[s].alive = 0;
		tasks[s].leaves = 0;
		assert(stores[s].state != HELD);
		if
		:: hooked && fault != WHO_IS_GONE_KEEPS_A_STORE ->
			st = s;
			remove()
		:: else
		fi;
		lose(s);
		tidy()
	   }
	od
}

/* The user enables and disables an event. perf does it on the CPU that has it. */
proctype user(byte e)
{
	byte c;

	do
	:: d_step {
		(e >= TASKS || (tasks[task_of(e)].alive && !tasks[task_of(e)].leaves)) &&
		(cpu_of(e) == NONE || !busy(cpu_of(e))) ->
		x = e;
		c = cpu_of(e);
		events[x].on = !events[x].on;
		if
		:: events[x].on && c != NONE -> ctr_cpu_add()
		:: !events[x].on && c != NONE && events[x].at == c -> ctr_cpu_del()
		:: else
		fi;
		/* The time of a CPU's context goes on. */
		if
		:: !events[x].on && x >= TASKS -> was_off()
		:: else
		fi;
		if
		:: c != NONE -> ctr_cpu_enable()
		:: else
		fi;
		c = 0;
		tidy()
	   }
	od
}

/* The last event is gone, and with @ends another first one comes: update() */
proctype hook()
{
	byte c;

	do
	:: d_step { !busy(0) -> c = 0; start_anew(0); tidy() };
	   d_step { !busy(1) -> c = 1; start_anew(0); c = 0; tidy() };
	   /* Until all probes are done. */
	   d_step { !busy(0) && !busy(1) -> hooked = keeps };
	   /* ctr_store_drop_all() */
	   d_step { st = 0; remove(); tidy() };
	   d_step {
		st = 1;
		remove();
		tidy();
		assert(stores[0].state != HELD && stores[1].state != HELD)
	   };
	   hooked = 1;
	   if
	   :: fault == RECORDING_BEGINS_BEFORE_IT_IS_KNOWN_WHO_RUNS ->
		cpus[0].recording = 1;
		cpus[1].recording = 1
	   :: else
	   fi;
	   d_step { !busy(0) -> c = 0; start_anew(1); tidy() };
	   d_step { !busy(1) -> c = 1; start_anew(1); c = 0; tidy() }
	od
}

init {
	byte c;

	d_step {
		read_settings();
		tasks[0].alive = 1;
		tasks[1].alive = !forks;
		tasks[1].context = 1;
		stores[0].state = (task_filter -> FREE : GONE);
		stores[1].state = (task_filter && !forks -> FREE : GONE);
		events[0].on = task_filter && !others;
		events[1].on = task_filter && !forks;
		events[2].on = cpu_filter != 0;
		events[3].on = cpu_filter != 0;
		if
		:: equal ->
			/* The first began, and the other is its heir. */
			events[0].ran = 1;
			events[1].heir = 1;
			events[1].off = forks;
			began = (forks -> 1 : 3)
		:: else
		fi;
		cpus[0].current = idle(0);
		cpus[1].current = idle(1);
		cpus[0].task = idle(0);
		cpus[1].task = idle(1);
		cpus[0].online = 1;
		cpus[1].online = 1;
		cpus[0].recording = 1;
		cpus[1].recording = 1;
		cpus[0].sctrctl = kept(0);
		cpus[1].sctrctl = kept(1);
		hooked = 1;
		if
		:: cpu_filter ->
			c = 0;
			x = 2;
			ctr_cpu_add();
			c = 1;
			x = 3;
			ctr_cpu_add();
			c = 0
		:: else
		fi
	};
	atomic {
		run run_cpu(0);
		run run_cpu(1);
		run memory(0);
		run memory(1);
		if
		:: begins && task_filter && !others -> run user(0); run user(1)
		:: begins && task_filter && others -> run user(1)
		:: else
		fi;
		if
		:: begins && cpu_filter -> run user(2); run user(3)
		:: else
		fi;
		if
		:: ends -> run hook()
		:: else
		fi
	}
}
