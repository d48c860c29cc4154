// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/levels.h"
#include "base/file.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	/* bytes of memory that an open input and a thread take at most */
	FEED_BYTES = CF_CHUNK_MAX + 4096,
	THREAD_BYTES = 4 << 20,
	MIN_FAN_IN = 4,
	/*
	 * More inputs at once would need fewer rounds, but then the current steps of a group
	 * do not fit into the second cache. As machines do much the same, a group's result is
	 * little larger than its inputs are, and the next round is small. Only if there would
	 * be too many temporary files, more inputs are merged at once.
	 */
	MAX_FAN_IN = 32,
	ENOUGH = 4, /* items for a thread, that it is worth it */
};

/* An input, or a temporary file of inputs that were merged. */
struct item {
	const struct cf_levels_input *input; /* NULL: a temporary file */
	int fd; /* -1: it is closed */
	uint64_t size;
};

/* One round: each group of items becomes one item. */
struct round {
	struct cf_levels *levels;
	struct item *items, *merged;
	size_t nr_items, nr_groups, threads;
	/* for all threads: */
	pthread_mutex_t lock;
	size_t next; /* the group to be merged */
	int ret;
	struct error *error;
};

/* ----------------------------------------------------------------- a group */

static int open_input(const struct cf_levels *levels, const struct cf_levels_input *input,
		      struct cf_unpacker *unpacker, struct cf_feed *feed,
		      struct error *error)
{
	struct cf_head head;
	int ret;

	*feed = (struct cf_feed){
		.name = input->name,
		.factor = input->factor,
		.wanted = levels->wanted,
		.input = (uint32_t)(input - levels->inputs),
	};
	ret = cf_reader_open_as(&feed->reader, input->path, input->name, unpacker, error);
	if (ret)
		return ret;
	cf_reader_take_head(feed->reader, &head);
	feed->seed = cf_feed_seed(&head);
	feed->map = malloc(head.nr_binaries * sizeof(*feed->map));
	if (!feed->map)
		ret = error_nomem(error);
	else if (cf_reader_checksum(feed->reader) != input->checksum ||
		 !cf_sum_map(levels->sum, &head, feed->map))
		ret = error_set(error, ERROR_INPUT, "%s: changed while it was merged",
				input->name);
	cf_head_free(&head);
	return ret;
}

static int open_item(const struct cf_levels *levels, const struct item *item,
		     struct cf_unpacker *unpacker, struct cf_feed *feed,
		     struct error *error)
{
	if (item->input)
		return open_input(levels, item->input, unpacker, feed, error);
	cf_run_feed(item->fd, item->size, levels->sum->head.nr_binaries, unpacker, feed);
	return 0;
}

/* What became of a group. */
struct outcome {
	struct cf_left_out left_out;
	uint32_t failed;
};

/* Each input is in one group, and no other thread has it. */
static void note_gone(struct cf_levels *levels, const struct cf_feed *feed)
{
	if (feed->reader && !feed->remains)
		levels->inputs[feed->input].gone = cf_reader_head(feed->reader)->entries;
}

static int merge_items(struct cf_levels *levels, struct item *items, size_t nr,
		       const struct cf_sink *sink, struct outcome *outcome,
		       struct error *error)
{
	struct cf_feed *feeds = calloc(nr, sizeof(*feeds));
	struct cf_unpacker unpacker = { 0 };
	size_t i, opened;
	int ret = feeds ? 0 : error_nomem(error);

	*outcome = (struct outcome){ .failed = CF_NO_INPUT };
	for (opened = 0; !ret && opened < nr; opened++) {
		ret = open_item(levels, &items[opened], &unpacker, &feeds[opened], error);
		if (ret == ERROR_INPUT)
			outcome->failed = feeds[opened].input;
	}
	if (!ret)
		ret = cf_kway(feeds, nr, sink, &outcome->failed, error);
	for (i = 0; i < opened; i++) {
		cf_leave_out(&outcome->left_out, feeds[i].left_out.transfers,
			     feeds[i].left_out.weight);
		if (!ret)
			note_gone(levels, &feeds[i]);
		cf_feed_end(&feeds[i]);
	}
	cf_unpacker_free(&unpacker);
	free(feeds);
	return ret;
}

static void add_outcome(struct cf_levels *levels, const struct outcome *outcome)
{
	cf_leave_out(&levels->left_out, outcome->left_out.transfers,
		     outcome->left_out.weight);
	if (levels->failed == CF_NO_INPUT)
		levels->failed = outcome->failed;
}

/* ----------------------------------------------------------------- a round */

static void close_items(struct item *items, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!items[i].input && items[i].fd >= 0)
			close(items[i].fd);
}

/* Its part of the items, which belong to it alone. */
static int merge_group(struct round *round, size_t group, struct outcome *outcome,
		       struct error *error)
{
	size_t first = round->nr_items * group / round->nr_groups;
	size_t end = round->nr_items * (group + 1) / round->nr_groups;
	struct cf_run run = { 0 };
	struct cf_sink sink;
	int ret = cf_run_begin(&run, &sink, error);

	*outcome = (struct outcome){ .failed = CF_NO_INPUT };
	if (!ret)
		ret = merge_items(round->levels, round->items + first, end - first, &sink,
				  outcome, error);
	if (!ret)
		ret = cf_run_end(&run, error);
	cf_out_free(&run.out);
	close_items(round->items + first, end - first);
	round->merged[group] = (struct item){ .fd = run.fd, .size = run.size };
	return ret;
}

static void *merge_groups(void *arg)
{
	struct round *round = arg;
	struct outcome outcome;
	struct error error;
	size_t group;
	int ret;

	pthread_mutex_lock(&round->lock);
	while (!round->ret && round->next < round->nr_groups) {
		group = round->next++;
		pthread_mutex_unlock(&round->lock);
		ret = merge_group(round, group, &outcome, &error);
		pthread_mutex_lock(&round->lock);
		if (!round->ret && ret) {
			round->ret = ret;
			*round->error = error;
		}
		add_outcome(round->levels, &outcome);
	}
	pthread_mutex_unlock(&round->lock);
	return NULL;
}

/* This thread works, too. If no thread can be made, it works alone. */
static int run_round(struct round *round)
{
	size_t want = round->threads - 1, nr = 0;
	pthread_t *threads = calloc(want + 1, sizeof(*threads));

	while (threads && nr < want &&
	       !pthread_create(&threads[nr], NULL, merge_groups, round))
		nr++;
	merge_groups(round);
	while (nr)
		pthread_join(threads[--nr], NULL);
	free(threads);
	return round->ret;
}

/* How a round is done. */
struct plan {
	size_t threads, groups;
};

/* *items becomes fewer, of which each is a temporary file. */
static int merge_round(struct cf_levels *levels, struct item **items, size_t *nr,
		       const struct plan *plan, struct error *error)
{
	const size_t nr_groups = plan->groups;
	struct round round = {
		.levels = levels,
		.items = *items,
		.merged = calloc(nr_groups, sizeof(*round.merged)),
		.nr_items = *nr,
		.nr_groups = nr_groups,
		.threads = plan->threads,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.error = error,
	};
	size_t i;
	int ret;

	if (!round.merged)
		return error_nomem(error);
	for (i = 0; i < nr_groups; i++)
		round.merged[i].fd = -1;
	ret = run_round(&round);
	/* Those of the groups that were not merged. */
	if (round.next < nr_groups)
		close_items(*items + *nr * round.next / nr_groups,
			    *nr - *nr * round.next / nr_groups);
	free(*items);
	*items = round.merged;
	*nr = nr_groups;
	return ret;
}

/* --------------------------------------------------------------------- all */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* How many items each thread can merge at once with the memory that there is. */
static size_t memory_fan_in(const struct cf_levels *levels, size_t threads)
{
	const size_t memory = levels->memory / threads;
	const size_t each = FEED_BYTES + 4 * levels->sum->head.nr_binaries;

	return larger(memory > THREAD_BYTES ? (memory - THREAD_BYTES) / each : 0, MIN_FAN_IN);
}

/* If each thread has enough to do, none waits for the last group. */
static struct plan plan_of(size_t threads, size_t nr, size_t fan_in)
{
	struct plan plan = { threads, (nr + fan_in - 1) / fan_in };

	if (nr >= ENOUGH * threads)
		plan.groups = (plan.groups + threads - 1) / threads * threads;
	return plan;
}

/*
 * How many files a round of inputs has open: those of a group in each thread, and a
 * temporary file of each group.
 */
static size_t files_of(const struct plan *plan, size_t nr)
{
	return plan->threads * ((nr + plan->groups - 1) / plan->groups) + plan->groups;
}

/* Groups as large as there are groups have the fewest files open. */
static size_t frugal_fan_in(size_t threads, size_t nr)
{
	size_t fan_in = MIN_FAN_IN;

	while (threads * fan_in * fan_in < nr)
		fan_in++;
	return fan_in;
}

static struct plan frugal_plan(const struct cf_levels *levels, size_t threads, size_t nr)
{
	return plan_of(threads, nr,
		       smaller(frugal_fan_in(threads, nr), memory_fan_in(levels, threads)));
}

size_t cf_levels_files(size_t nr)
{
	const struct plan plan = plan_of(1, nr, frugal_fan_in(1, nr));

	return files_of(&plan, nr);
}

/* A round of inputs, by as many threads as the open files allow. */
static int plan_first(const struct cf_levels *levels, size_t threads, size_t nr,
		      struct plan *plan, struct error *error)
{
	const size_t limit = file_limit(), open = file_nr_open();

	for (; threads; threads--) {
		*plan = plan_of(threads, nr, smaller(memory_fan_in(levels, threads), MAX_FAN_IN));
		if (open + files_of(plan, nr) > limit)
			*plan = frugal_plan(levels, threads, nr);
		if (open + files_of(plan, nr) <= limit)
			return 0;
	}
	return error_set(error, ERROR_INPUT,
			 "to merge %zu files, at least %zu files must be open at the same time, and the limit is %zu: raise it with `ulimit -n`, or merge the files in several steps",
			 nr, open + files_of(plan, nr), limit);
}

/* The temporary files are open already, so each thread opens only the one that it writes. */
static void plan_next(const struct cf_levels *levels, size_t nr, struct plan *plan)
{
	const size_t limit = file_limit(), open = file_nr_open();
	size_t fan_in;

	plan->threads = smaller(levels->threads, limit > open ? limit - open : 1);
	fan_in = smaller(memory_fan_in(levels, plan->threads), MAX_FAN_IN);
	plan->groups = (nr + fan_in - 1) / fan_in;
}

/* The plan has 0 groups if there is no need for a round. Returns 0, or an error. */
static int plan_round(const struct cf_levels *levels, size_t nr, bool first,
		      struct plan *plan, struct error *error)
{
	const size_t threads = levels->threads;
	/* All processors work if each has enough to do. */
	const bool parallel = first && threads > 1 && nr >= ENOUGH * threads;
	const bool fits = nr <= smaller(memory_fan_in(levels, 1), MAX_FAN_IN);

	*plan = (struct plan){ 0 };
	if (!parallel && fits && (!first || nr + file_nr_open() <= file_limit()))
		return 0;
	if (first)
		return plan_first(levels, threads, nr, plan, error);
	plan_next(levels, nr, plan);
	return 0;
}

static struct item *all_inputs(const struct cf_levels *levels, size_t *nr)
{
	struct item *items = calloc(levels->nr_inputs ?: 1, sizeof(*items));
	size_t i;

	*nr = 0;
	for (i = 0; items && i < levels->nr_inputs; i++)
		if (!levels->inputs[i].refused)
			items[(*nr)++] = (struct item){ &levels->inputs[i], -1, 0 };
	return items;
}

int cf_levels_run(struct cf_levels *levels, const struct cf_sink *sink,
		  struct error *error)
{
	struct outcome outcome;
	struct item *items;
	struct plan plan;
	bool first = true;
	size_t nr;
	int ret = 0;

	levels->left_out = (struct cf_left_out){ 0 };
	levels->failed = CF_NO_INPUT;
	items = all_inputs(levels, &nr);
	if (!items)
		return error_nomem(error);
	ret = plan_round(levels, nr, first, &plan, error);
	while (!ret && plan.groups) {
		first = false;
		ret = merge_round(levels, &items, &nr, &plan, error) ?:
		      plan_round(levels, nr, first, &plan, error);
	}
	if (!ret) {
		ret = merge_items(levels, items, nr, sink, &outcome, error);
		add_outcome(levels, &outcome);
	}
	close_items(items, nr);
	free(items);
	return ret;
}
