// SPDX-License-Identifier: GPL-2.0-only
/* Merges of random counts files, compared with sums that are found by simple means. */
#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "countfile-build.h"
#include "countfile/merge.h"

enum { MAX_FILES = 40 };

static struct error error;
static struct cf_merge_result result;
static char refused[4096];

static void note_refused(void *arg, const char *why)
{
	(void)arg;
	strcat(refused, why);
	strcat(refused, "\n");
}

static struct cf_merge_opts options(const struct cf_input *inputs, size_t nr)
{
	return (struct cf_merge_opts){ .inputs = inputs,
				       .nr = nr,
				       .memory = one_of(2) ? CF_MERGE_MEMORY_MIN :
							     CF_MERGE_MEMORY,
				       .threads = 1 + one_of(3),
				       .refused = note_refused };
}

static struct cf_input input_of(const char *name)
{
	char *path = strdup(test_path(name));

	return (struct cf_input){ path, path, 1 };
}

static void free_inputs(struct cf_input *inputs, size_t nr)
{
	while (nr)
		free((char *)inputs[--nr].path);
}

/* ------------------------------------------------------------------ the model */

static void add_event(struct cf_head *to, const struct cf_event *from)
{
	struct cf_event *e = NULL;
	size_t i;

	for (i = 0; i < to->nr_events; i++)
		if (!strcmp(to->events[i].name, from->name))
			e = &to->events[i];
	if (!e) {
		e = &to->events[to->nr_events++];
		*e = (struct cf_event){ .name = strdup(from->name) };
	}
	e->samples += from->samples;
	e->covered += from->covered;
	e->count += from->count;
	e->unknown += from->unknown;
}

static int by_event_name(const void *a, const void *b)
{
	return strcmp(((const struct cf_event *)a)->name,
		      ((const struct cf_event *)b)->name);
}

static void add_head(struct cf_head *to, const struct cf_head *from, bool first)
{
	size_t i;

	for (i = 0; i < from->nr_events; i++)
		add_event(to, &from->events[i]);
	qsort(to->events, to->nr_events, sizeof(*to->events), by_event_name);
	to->begin = !first && to->begin < from->begin ? to->begin : from->begin;
	to->end = to->end > from->end ? to->end : from->end;
	to->depth = to->depth > from->depth ? to->depth : from->depth;
	to->samples += from->samples;
	to->empty += from->empty;
	to->lost += from->lost;
	to->dropped += from->dropped;
	to->flags |= from->flags;
	to->all_branches = from->all_branches && (first || to->all_branches);
}

/* The sum of the contents, with sources that the caller sets. */
static void add_content(struct content *to, const struct content *from, bool first)
{
	unsigned int b;
	size_t i;

	if (first) {
		*to = (struct content){ 0 };
		to->head.events = calloc(ALL_EVENTS, sizeof(*to->head.events));
		CHECK(to->head.events);
	}
	add_head(&to->head, &from->head, first);
	for (b = 0; b < ALL_BINARIES; b++) {
		if (from->has[b] && (!to->has[b] || strcmp(from->names[b], to->names[b]) < 0))
			to->names[b] = from->names[b];
		to->has[b] |= from->has[b];
	}
	for (i = 0; i < from->nr_steps; i++)
		content_add_step(to, &from->steps[i]);
	for (i = 0; i < from->nr_samples; i++)
		content_add_sample(to, &from->samples[i]);
}

/* The periods that each of three machines has, as ranges. */
static void set_sources(struct content *c, bool has[3][MAX_FILES])
{
	struct cf_source *s;
	unsigned int m, p;

	c->head.sources = calloc(3 * MAX_FILES, sizeof(*s));
	CHECK(c->head.sources);
	for (m = 0; m < 3; m++)
		for (p = 0; p < MAX_FILES; p++) {
			if (!has[m][p])
				continue;
			if (!p || !has[m][p - 1]) {
				s = &c->head.sources[c->head.nr_sources++];
				memset(s->label, (int)m, sizeof(s->label));
				s->first = p;
			}
			s->last = p;
		}
}

/* ---------------------------------------------------------------- merge trees */

/* Merge parts of the inputs, and then the results, until one file is left. */
static void merge_tree(struct cf_input *inputs, size_t nr, const char *out)
{
	unsigned int round = 0;
	struct cf_merge_opts opts;
	char name[32];
	size_t n, i;

	do {
		n = one_of(3) ? 1 + one_of((unsigned int)nr) : nr;
		/* Any n of them, in any order. */
		for (i = 0; i < n; i++) {
			size_t j = i + one_of((unsigned int)(nr - i));
			struct cf_input t = inputs[i];

			inputs[i] = inputs[j];
			inputs[j] = t;
		}
		opts = options(inputs, n);
		snprintf(name, sizeof(name), "part%u.counts", round++);
		if (cf_merge(test_path(n == nr ? out : name), &opts, &result, &error))
			test_fail(__FILE__, __LINE__, "%s", error.text);
		CHECK_EQ(result.merged, n);
		free_inputs(inputs, n);
		memmove(inputs, inputs + n, (nr - n) * sizeof(*inputs));
		nr -= n;
		if (nr)
			inputs[nr++] = input_of(name);
	} while (nr);
}

static void same_bytes(const char *a, const char *b)
{
	char command[600];

	snprintf(command, sizeof(command), "cmp '%s' ", test_path(a));
	strcat(strcat(strcat(command, "'"), test_path(b)), "'");
	CHECK_EQ(system(command), 0);
}

/* 100 trees: ten of each of ten sets of files. */
TEST(all_merge_trees_give_the_same_bytes_which_are_the_sum)
{
	unsigned int trial, tree, i, nr;

	for (trial = 0; trial < 10; trial++) {
		struct cf_input inputs[MAX_FILES];
		bool has[3][MAX_FILES] = { { false } };
		struct content all;

		nr = 1 + one_of(MAX_FILES - 1);
		for (i = 0; i < nr; i++) {
			struct content c;
			uint8_t machine = (uint8_t)one_of(3);
			char name[32];

			content_make(&c, machine, i, one_of(60), 1 + one_of(20));
			has[machine][i] = true;
			snprintf(name, sizeof(name), "in%u.counts", i);
			content_write(test_path(name), &c);
			add_content(&all, &c, !i);
			content_free(&c);
		}
		set_sources(&all, has);
		for (tree = 0; tree < 10; tree++) {
			for (i = 0; i < nr; i++) {
				char name[32];

				snprintf(name, sizeof(name), "in%u.counts", i);
				inputs[i] = input_of(name);
			}
			merge_tree(inputs, nr, tree ? "tree.counts" : "all.counts");
			if (tree)
				same_bytes("tree.counts", "all.counts");
		}
		content_check(test_path("all.counts"), &all);
		content_free(&all);
	}
}
