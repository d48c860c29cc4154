// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/levels.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
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
	OTHER_FILES = 64, /* that the program has open */
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
	size_t nr_items, nr_groups;
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
	unsigned int want = round->levels->threads - 1, nr = 0;
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

/* *items becomes fewer, of which each is a temporary file. */
static int merge_round(struct cf_levels *levels, struct item **items, size_t *nr,
		       size_t nr_groups, struct error *error)
{
	struct round round = {
		.levels = levels,
		.items = *items,
		.merged = calloc(nr_groups, sizeof(*round.merged)),
		.nr_items = *nr,
		.nr_groups = nr_groups,
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

/* How many more files the program can open. */
static size_t open_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > INT32_MAX)
		return INT32_MAX;
	return limit.rlim_cur > OTHER_FILES ? limit.rlim_cur - OTHER_FILES : 0;
}

/* How many of nr items each thread merges at once. */
static size_t fan_in(const struct cf_levels *levels, size_t threads, size_t nr)
{
	/* One half is for inputs, and the other one for temporary files. */
	size_t half = open_files() / 2, memory = levels->memory / threads, most;
	size_t each = FEED_BYTES + 4 * levels->sum->head.nr_binaries;
	size_t wanted = half ? nr / half + 1 : nr;

	most = memory > THREAD_BYTES ? (memory - THREAD_BYTES) / each : 0;
	most = most < half / threads ? most : half / threads;
	wanted = wanted > MAX_FAN_IN ? wanted : MAX_FAN_IN;
	most = most < wanted ? most : wanted;
	return most > MIN_FAN_IN ? most : MIN_FAN_IN;
}

/* Returns how many groups the next round has, or 0 if there is no need for a round. */
static size_t groups_of(const struct cf_levels *levels, size_t nr, bool first)
{
	size_t threads = levels->threads, most, groups;
	/* All processors work if each has enough to do. */
	bool parallel = first && threads > 1 && nr >= 4 * threads;

	if (!parallel && nr <= fan_in(levels, 1, nr))
		return 0;
	most = fan_in(levels, threads, nr);
	groups = (nr + most - 1) / most;
	/* No thread waits for the last group. */
	return parallel ? (groups + threads - 1) / threads * threads : groups;
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
	size_t nr, groups;
	bool first = true;
	int ret = 0;

	levels->left_out = (struct cf_left_out){ 0 };
	levels->failed = CF_NO_INPUT;
	items = all_inputs(levels, &nr);
	if (!items)
		return error_nomem(error);
	while (!ret && (groups = groups_of(levels, nr, first))) {
		ret = merge_round(levels, &items, &nr, groups, error);
		first = false;
	}
	if (!ret) {
		ret = merge_items(levels, items, nr, sink, &outcome, error);
		add_outcome(levels, &outcome);
	}
	close_items(items, nr);
	free(items);
	return ret;
}
