// SPDX-License-Identifier: GPL-2.0-only
#include "collect/collect.h"
#include "samples/samples.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

enum {
	/* s between two looks at a machine that is idle, or that cannot record, or at a
	 * disk that is full */
	FIRST_LOOK = 1,
	LAST_LOOK = 60,
	/* a machine is idle if it has used less than this share of one CPU: 1 / 20 */
	IDLE = 20,
	/* s that the clock may be off without a jump */
	JUMP = 60,
	/* ns of the shortest wait: to look costs less than what is paid in meanwhile */
	LEAST_WAIT = COLLECT_LEAST_PERIOD / 2,
};

/* What became of the period so far. */
struct period {
	uint64_t began; /* ns since boot */
	uint64_t awake; /* ns that the machine had been awake then */
	uint64_t idle; /* ns in which it was idle, so that no turn was taken */
	uint64_t samples; /* that were counted */
	uint64_t outside; /* samples that were left out: see pd_is_outside() */
	uint64_t turns, cut, lost, lost_tracking, cost;
	uint64_t cpu_time; /* ns of all CPUs together */
	uint64_t blind; /* ns in which no turn could be recorded */
	bool busy; /* there was work to record */
};

struct collect {
	struct spool *spool;
	const struct collect_ops *ops;
	const struct collect_opts *opts;
	struct error *error;
	struct collect_budget budget;
	struct collect_time now, last;
	struct period period;
	uint64_t look; /* ns between two looks, if there is nothing to do; 0: there is */
	uint64_t next; /* ns since boot, when to look again; periods may end before that */
	uint64_t retry; /* ns since boot, when to write again; 0: the disk is good */
	int64_t clock; /* clock_of() after the start or the last jump */
	uint64_t steady_since; /* ns since boot, when that was */
	uint64_t blind_since; /* ns since boot; 0: turns can be recorded */
	uint64_t owed; /* ns of work in periods whose budget gave them no turn */
	char reason[sizeof(((struct error *)0)->text)]; /* that was told last */
	bool told_poor; /* and no turn was since */
	bool told_outside;
};

__attribute__((format(printf, 3, 0))) static void
print(const struct collect *c, void (*to)(void *arg, const char *line), const char *fmt,
      va_list ap)
{
	char line[1536];

	vsnprintf(line, sizeof(line), fmt, ap);
	to(c->ops->arg, line);
}

__attribute__((format(printf, 2, 3))) static void say(const struct collect *c,
						      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(c, c->ops->say, fmt, ap);
	va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void warn(const struct collect *c,
						       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(c, c->ops->warn, fmt, ap);
	va_end(ap);
}

/* --- time --- */

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* Returns when the machine was booted, in s since 1970. It changes if the clock jumps. */
static int64_t clock_of(const struct collect_time *time)
{
	return (int64_t)time->wall - (int64_t)(time->boot / SECOND);
}

static void set_clock(struct collect *c)
{
	c->clock = clock_of(&c->now);
	c->steady_since = c->now.boot;
}

static void watch_clock(struct collect *c)
{
	const int64_t jump = clock_of(&c->now) - c->clock;

	if (jump >= -JUMP && jump <= JUMP)
		return;
	warn(c, "the clock has jumped by %" PRId64 " s: files are removed by age only after it has been steady for a period",
	     jump);
	set_clock(c);
}

/* Take the time, pay for what this process did, but for what a turn tells, and pay in. */
static void look(struct collect *c, uint64_t told)
{
	uint64_t span, cost;

	c->last = c->now;
	c->ops->now(c->ops->arg, &c->now);
	watch_clock(c);
	span = since(c->now.awake, c->last.awake);
	cost = since(since(c->now.spent, c->last.spent), told);
	collect_budget_spend(&c->budget, cost);
	collect_budget_pay(&c->budget, span, c->now.cpus);
	c->period.cpu_time += span * c->now.cpus;
	c->period.cost += cost;
}

/* Has the machine done nothing since the last look? */
static bool is_idle(const struct collect *c)
{
	const uint64_t span = since(c->now.awake, c->last.awake);
	const uint64_t idle = since(c->now.idle, c->last.idle);

	return span * c->now.cpus < idle + span / IDLE;
}

/* As look(), where a turn may follow: none does if the machine was idle. */
static void look_for_work(struct collect *c)
{
	look(c, 0);
	if (is_idle(c))
		c->period.idle += since(c->now.awake, c->last.awake);
}

/* Look less and less often. */
static void rest(struct collect *c)
{
	c->look = c->look ? 2 * c->look : FIRST_LOOK * SECOND;
	if (c->look > LAST_LOOK * SECOND)
		c->look = LAST_LOOK * SECOND;
	c->next = c->now.boot + c->look;
}

/* --- periods --- */

static void begin_period(struct collect *c)
{
	c->ops->clear(c->ops->arg);
	c->period = (struct period){ .began = c->now.boot, .awake = c->now.awake };
	collect_budget_period(&c->budget);
}

struct job {
	const struct collect *c;
	struct cf_source source;
	uint64_t begin, end, span;
};

/* The ns of the period in which there was work, so that turns could be taken. */
static uint64_t time_of_work(const struct collect *c)
{
	return since(since(c->now.awake, c->period.awake), c->period.idle);
}

static int write_counts(void *arg, const char *path, struct error *error)
{
	struct job *job = arg;
	const struct collect_ops *ops = job->c->ops;

	/* Here they are those of the file's name. */
	memcpy(job->source.label, job->c->spool->label, SPOOL_LABEL);
	job->source.first = job->source.last = job->c->spool->next;
	return ops->write(ops->arg, path, &job->source, job->begin, job->end, job->span, error);
}

/* The clock may have jumped since the period began, so the end tells the beginning. */
static int write_file(struct collect *c, char name[SPOOL_NAME], struct error *error)
{
	const uint64_t length = since(c->now.boot, c->period.began) / SECOND;
	struct job job = { .c = c,
			   .end = c->now.wall,
			   .begin = since(c->now.wall, length),
			   .span = time_of_work(c) + c->owed };

	return spool_write(c->spool, name, write_counts, &job, error);
}

/*
 * Remove old files. After the start and after a jump of the clock, their ages are not
 * believed until the clock has been steady for a period.
 */
static void rotate(struct collect *c)
{
	const bool steady = since(c->now.boot, c->steady_since) >= c->opts->limits.period;
	const struct spool_keep keep = { .now = c->now.wall,
					 .age = steady ? c->opts->keep_age : 0,
					 .size = c->opts->keep_size };
	const unsigned int nr = spool_rotate(c->spool, &keep);

	if (c->ops->rotate)
		c->ops->rotate(c->ops->arg, &keep);
	if (nr)
		say(c, "removed %u old file%s", nr, nr == 1 ? "" : "s");
}

static bool is_full(const struct collect *c)
{
	return c->ops->bytes(c->ops->arg) > c->opts->memory;
}

/* Is the period as long as the user asked for? */
static bool has_whole_length(const struct collect *c)
{
	return since(c->now.boot, c->period.began) >= c->opts->limits.period;
}

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * part / of : 0;
}

/* The ns of the period since which no turn can be recorded. */
static uint64_t blind_now(const struct collect *c)
{
	const uint64_t began = c->period.began;

	if (!c->blind_since)
		return 0;
	return since(c->now.boot, began > c->blind_since ? began : c->blind_since);
}

/* What the period has, and what it lacks. */
static void tell(struct collect *c, const char *name)
{
	const struct period *p = &c->period;
	const uint64_t blind = p->blind + blind_now(c);
	char more[384] = "";
	size_t at = 0;

	if (is_full(c) && !has_whole_length(c))
		at += snprintf(more + at, sizeof(more) - at,
			       ", written early because of its size");
	if (p->cut)
		at += snprintf(more + at, sizeof(more) - at,
			       ", %" PRIu64 " turn%s ended early because of too many samples",
			       p->cut, p->cut == 1 ? "" : "s");
	if (p->outside)
		at += snprintf(more + at, sizeof(more) - at,
			       ", %" PRIu64 " samples of tasks outside of the container left out",
			       p->outside);
	if (p->lost)
		at += snprintf(more + at, sizeof(more) - at, ", %" PRIu64 " samples lost", p->lost);
	if (p->lost_tracking)
		at += snprintf(more + at, sizeof(more) - at,
			       ", %" PRIu64 " records of mappings, processes and threads lost",
			       p->lost_tracking);
	if (blind >= SECOND)
		snprintf(more + at, sizeof(more) - at, ", not recorded for %" PRIu64 " s",
			 blind / SECOND);
	say(c, "%s: %" PRIu64 " samples in %" PRIu64 " turns, cost %.3f %% of the CPUs%s", name,
	    p->samples, p->turns, percent(p->cost, p->cpu_time), more);
}

/*
 * Was there work in a whole period, and is the budget still too small for a turn? If turns
 * failed, this was told.
 */
static bool was_poor(const struct collect *c)
{
	return c->period.busy && !c->period.turns && !c->blind_since &&
	       !collect_budget_pays(&c->budget) && has_whole_length(c);
}

/* Once, until there is a turn again: short periods would repeat it all the time. */
static void tell_poor(struct collect *c)
{
	if (!c->told_poor)
		warn(c, "no turn in this period, because the budget did not pay for one; use a longer --period or a larger --budget, or some periods have no samples");
	c->told_poor = true;
}

/* Who ends a period, or the process, before the budget has paid for a turn is told when it will. */
static void tell_no_turn(const struct collect *c)
{
	const uint64_t wait = collect_budget_wait(&c->budget, c->now.awake, c->now.cpus);

	if (c->period.turns || c->blind_since || has_whole_length(c) ||
	    (is_idle(c) && !c->period.busy))
		return;
	say(c, "no turn yet: the budget pays for the next one after about %" PRIu64 " s more",
	    wait / SECOND + 1);
}

/* Why a period has no samples, or, once, why its samples are not those of all tasks. */
static void tell_missing(struct collect *c)
{
	const struct period *p = &c->period;

	if (p->turns && !p->samples && !p->outside)
		warn(c, "no samples in %" PRIu64 " turns: `ssctr doctor` tells whether counters interrupt",
		     p->turns);
	if (!p->outside || (p->samples && c->told_outside))
		return;
	warn(c, "%s%" PRIu64 " " SAMPLES_OUTSIDE, p->samples ? "" : "no samples: all ", p->outside);
	c->told_outside = true;
}

/* Write the file if there is something to write. Returns 0, or ERROR_* with a text. */
static int end_period(struct collect *c)
{
	char name[SPOOL_NAME];
	struct error error;
	int ret;

	tell_missing(c);
	if (was_poor(c))
		tell_poor(c);
	if (!c->period.samples) {
		/* What ran is in the shares of a sum by the turns that come later. */
		if (!c->period.turns && !c->blind_since)
			c->owed += time_of_work(c);
		begin_period(c);
		return 0;
	}
	ret = write_file(c, name, &error);
	if (ret) {
		if (!c->retry)
			warn(c, "%s; the counts stay in memory, and are written when this is possible",
			     error.text);
		c->retry = c->now.boot + LAST_LOOK * SECOND;
		*c->error = error;
		return ret;
	}
	c->retry = c->owed = 0;
	tell(c, name);
	rotate(c);
	begin_period(c);
	return 0;
}

static bool is_over(const struct collect *c)
{
	if (c->retry)
		return c->now.boot >= c->retry;
	return has_whole_length(c) || is_full(c);
}

/* --- turns --- */

static void cannot_record(struct collect *c, const char *why)
{
	if (!c->blind_since)
		c->blind_since = c->now.boot;
	if (strcmp(c->reason, why))
		warn(c, "cannot record: %s; waiting until it works again", why);
	snprintf(c->reason, sizeof(c->reason), "%s", why);
	rest(c);
}

static void turn_worked(struct collect *c)
{
	c->look = c->next = 0;
	if (!c->blind_since)
		return;
	c->period.blind += blind_now(c);
	warn(c, "records again; nothing was recorded for %" PRIu64 " s",
	     since(c->now.boot, c->blind_since) / SECOND);
	c->blind_since = 0;
	c->reason[0] = 0;
}

static void tell_status(const struct collect *c)
{
	char line[128];

	if (!c->ops->status)
		return;
	snprintf(line, sizeof(line), "%" PRIu64 " samples in %" PRIu64 " turns of this period",
		 c->period.samples, c->period.turns);
	c->ops->status(c->ops->arg, line);
}

/* Returns 0, or ERROR_* with a text, which has been told. */
static int take_turn(struct collect *c, struct error *error)
{
	const struct collect_sampling how = collect_budget_sampling(&c->budget, c->now.cpus);
	struct collect_turn turn = { 0 };
	int ret = c->ops->turn(c->ops->arg, &how, &turn, error);

	if (ret) {
		look(c, 0);
		cannot_record(c, error->text);
		return ret;
	}
	look(c, turn.own + turn.counting);
	collect_budget_turn(&c->budget, &turn, c->now.awake);
	c->period.cost += turn.own + turn.counting + turn.kernel;
	turn_worked(c);
	c->told_poor = false;
	c->period.turns++;
	c->period.cut += turn.cut;
	c->period.samples += since(turn.samples, turn.outside);
	c->period.outside += turn.outside;
	c->period.lost += turn.lost;
	c->period.lost_tracking += turn.lost_tracking;
	tell_status(c);
	return 0;
}

/* With the disk full and the memory, too, there is nothing to do but to wait. */
static bool can_count(const struct collect *c)
{
	return !c->retry || !is_full(c);
}

/* Returns the ns to wait until the next look. */
static uint64_t plan(struct collect *c)
{
	uint64_t wait = collect_budget_wait(&c->budget, c->now.awake, c->now.cpus);
	const uint64_t end = c->period.began + c->opts->limits.period;

	if (c->next > c->now.boot + wait)
		wait = c->next - c->now.boot;
	/* A period without a turn has nothing to write, and ends with the next look. */
	if (!c->retry && c->period.turns && end < c->now.boot + wait)
		wait = since(end, c->now.boot);
	if (wait < LEAST_WAIT)
		return LEAST_WAIT;
	return wait < LAST_LOOK * SECOND ? wait : LAST_LOOK * SECOND;
}

static void step(struct collect *c)
{
	struct error error;

	look_for_work(c);
	if (is_over(c))
		end_period(c);
	if (c->now.boot < c->next)
		return;
	c->period.busy |= !is_idle(c);
	if (is_idle(c))
		rest(c);
	else if (collect_budget_wait(&c->budget, c->now.awake, c->now.cpus))
		return;
	else if (!can_count(c))
		cannot_record(c, "the counts have used up the memory that they may take, and cannot be written");
	else
		take_turn(c, &error);
}

static int once(struct collect *c)
{
	int ret = take_turn(c, c->error);

	if (!ret && !c->period.samples && c->period.outside)
		return error_set(c->error, ERROR_NOTHING, "no samples: all %" PRIu64 " " SAMPLES_OUTSIDE,
				 c->period.outside);
	if (!ret && !c->period.samples)
		return error_set(c->error, ERROR_NOTHING,
				 "no samples: nothing ran, or `ssctr doctor` tells why");
	return ret ?: end_period(c);
}

int collect_run(struct spool *spool, const struct collect_ops *ops,
		const struct collect_opts *opts, struct error *error)
{
	struct collect c = { .spool = spool, .ops = ops, .opts = opts, .error = error };
	unsigned int what = 0;

	ops->now(ops->arg, &c.now);
	c.last = c.now;
	set_clock(&c);
	collect_budget_init(&c.budget, &opts->limits, c.now.awake, opts->seed);
	begin_period(&c);
	if (opts->once)
		return once(&c);
	while (!(what & COLLECT_END)) {
		what = ops->wait(ops->arg, plan(&c));
		if (!what)
			step(&c);
		else if (what & COLLECT_WRITE) {
			look_for_work(&c);
			tell_no_turn(&c);
			end_period(&c);
		}
	}
	look_for_work(&c);
	if (c.blind_since)
		warn(&c, "nothing was recorded for %" PRIu64 " s before this end",
		     since(c.now.boot, c.blind_since) / SECOND);
	tell_no_turn(&c);
	return end_period(&c);
}
