// SPDX-License-Identifier: GPL-2.0-only
/* Merges of random counts files, compared with sums that are found by simple means. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
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
				       .say = note_refused };
}

static struct cf_input input_of(const char *name)
{
	char *path = strdup(test_path(name));

	return (struct cf_input){ path, path, 1, false };
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
	if (from->begin && (!to->begin || from->begin < to->begin))
		to->begin = from->begin;
	to->end = to->end > from->end ? to->end : from->end;
	to->depth = to->depth > from->depth ? to->depth : from->depth;
	to->samples += from->samples;
	to->empty += from->empty;
	to->lost += from->lost;
	to->dropped += from->dropped;
	to->flags |= from->flags;
	to->all_branches = from->all_branches && (first || to->all_branches);
	if (first)
		to->mixed = from->mixed;
	else if (from->mixed || from->by_events != to->by_events)
		to->mixed = true;
	to->by_events = from->by_events || to->mixed;
}

/* The time of some, but not of all. */
static bool is_untimed(const struct cf_head *sum, const struct cf_head *more, bool first)
{
	const bool none = first ? !more->end : !sum->end && !more->end;
	const bool all = (first || (sum->end && !sum->untimed)) && more->end;

	return !none && !all;
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
	to->head.untimed = is_untimed(&to->head, &from->head, first);
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
			c->head.sources[c->head.nr_sources - 1].last = p;
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

		const bool all_branches = one_of(4);

		nr = 1 + one_of(MAX_FILES - 1);
		for (i = 0; i < nr; i++) {
			struct content c;
			uint8_t machine = (uint8_t)one_of(3);
			char name[32];

			content_make(&c, machine, i, one_of(60), 1 + one_of(20));
			c.head.all_branches = all_branches;
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

/* ----------------------------------------------------------------- bad inputs */

/* Files of one machine each, "a.counts" and so on. */
static void make_files(unsigned int nr, unsigned int steps)
{
	char name[] = "a.counts";
	struct content c;
	unsigned int i;

	for (i = 0; i < nr; i++, name[0]++) {
		content_make(&c, (uint8_t)i, 0, steps, 50);
		content_write(test_path(name), &c);
		content_free(&c);
	}
}

/* Merge the files whose first letters these are. */
static int merge_as(const char *letters, const char *out, struct cf_merge_opts opts,
		    const double *factors)
{
	struct cf_input inputs[MAX_FILES];
	char name[] = "a.counts";
	size_t i, nr = strlen(letters);
	int ret;

	for (i = 0; i < nr; i++) {
		name[0] = letters[i];
		inputs[i] = input_of(name);
		inputs[i].factor = factors ? factors[i] : 1;
	}
	*refused = 0;
	opts.inputs = inputs;
	opts.nr = nr;
	ret = cf_merge(test_path(out), &opts, &result, &error);
	free_inputs(inputs, nr);
	return ret;
}

static int merge(const char *letters, const char *out)
{
	return merge_as(letters, out, options(NULL, 0), NULL);
}

TEST(a_damaged_file_costs_the_others_nothing)
{
	size_t size, i;
	uint8_t *v, was;

	make_files(3, 10);
	CHECK_EQ(merge("ac", "want.counts"), 0);
	v = bytes_of("b.counts", &size);
	for (i = 0; i < size; i += 1 + one_of(5)) {
		was = v[i];
		v[i] ^= (uint8_t)(1 + one_of(255));
		if (one_of(2))
			put_bytes("b.counts", v, size);
		else
			put_bytes("b.counts", v, i);
		v[i] = was;
		CHECK_EQ(merge("abc", "got.counts"), ERROR_PARTIAL);
		CHECK_STR(error.text, "1 of 3 files could not be merged");
		CHECK(strstr(refused, "b.counts: "));
		CHECK_EQ(result.merged, 2);
		same_bytes("got.counts", "want.counts");
	}
	free(v);
}

/* That is found only when its last step was read. */
TEST(a_file_with_wrong_sums_costs_the_others_nothing)
{
	size_t size;
	uint8_t *v;

	make_files(3, 30);
	CHECK_EQ(merge("ac", "want.counts"), 0);
	v = bytes_of("b.counts", &size);
	v[size - 32]++;
	put_sealed("b.counts", v, size);
	free(v);
	CHECK_EQ(merge("abc", "got.counts"), ERROR_PARTIAL);
	CHECK(strstr(refused, "b.counts: damaged: its steps are not those that it counts"));
	same_bytes("got.counts", "want.counts");
}

TEST(each_file_that_cannot_be_merged_is_named)
{
	size_t size;
	uint8_t *v;

	make_files(5, 10);
	v = bytes_of("b.counts", &size);
	v[8] = 9;
	put_sealed("b.counts", v, size);
	put_bytes("c.counts", "#!/bin/sh\n", 10);
	unlink(test_path("d.counts"));
	free(v);
	CHECK_EQ(merge("abcde", "got.counts"), ERROR_PARTIAL);
	CHECK_STR(error.text, "3 of 5 files could not be merged");
	CHECK(strstr(refused, "b.counts: has version 9 of the format"));
	CHECK(strstr(refused, "c.counts: not a counts file"));
	CHECK(strstr(refused, "d.counts: No such file"));
	CHECK_EQ(merge("bcd", "none.counts"), ERROR_INPUT);
	CHECK_STR(error.text, "no file could be merged");
	CHECK(access(test_path("none.counts"), F_OK));
}

/* c and e of the files a to f lack kinds of branches. */
static void make_mixed(void)
{
	char name[] = "a.counts";
	struct content c;

	for (; *name <= 'f'; name[0]++) {
		content_make(&c, (uint8_t)*name, 0, 20, 10);
		c.head.all_branches = *name != 'c' && *name != 'e';
		content_write(test_path(name), &c);
		content_free(&c);
	}
}

TEST(files_without_all_branches_are_not_merged_with_files_that_have_all)
{
	struct cf_merge_opts opts = options(NULL, 0);

	make_mixed();
	CHECK_EQ(merge("abdf", "want.counts"), 0);
	CHECK_EQ(merge("cabdef", "got.counts"), ERROR_PARTIAL);
	CHECK(strstr(refused, "c.counts: some kinds of branches were not recorded, and other inputs have all kinds; "));
	CHECK(strstr(refused, "e.counts: some kinds of branches were not recorded"));
	CHECK_EQ(result.refused, 2);
	same_bytes("got.counts", "want.counts");
	opts.strict = true;
	unlink(test_path("none.counts"));
	CHECK_EQ(merge_as("abc", "none.counts", opts, NULL), ERROR_INPUT);
	CHECK(access(test_path("none.counts"), F_OK));
}

TEST(all_trees_of_files_with_and_without_all_branches_give_the_same_bytes)
{
	make_mixed();
	CHECK_EQ(merge("abdf", "want.counts"), 0);
	CHECK_EQ(merge("ce", "x.counts"), 0);
	CHECK_EQ(merge("fxdab", "got.counts"), ERROR_PARTIAL);
	same_bytes("got.counts", "want.counts");
	CHECK_EQ(merge("cab", "x.counts"), ERROR_PARTIAL);
	CHECK_EQ(merge("fed", "y.counts"), ERROR_PARTIAL);
	CHECK_EQ(merge("yx", "got.counts"), 0);
	same_bytes("got.counts", "want.counts");
}

/* The file of this number, from a.counts on, of counts of one moment. 0: it is not known. */
static void make_dated(unsigned int i, uint64_t time, bool all_branches)
{
	char name[] = { (char)('a' + i), '.', 'c', 'o', 'u', 'n', 't', 's', 0 };
	struct content c;

	content_make(&c, (uint8_t)i, 0, 20, 10);
	c.head.begin = c.head.end = time;
	c.head.all_branches = all_branches;
	content_write(test_path(name), &c);
	content_free(&c);
}

/* c is the newest file. */
TEST(the_age_of_counts_does_not_depend_on_a_file_that_is_refused)
{
	struct cf_merge_opts opts = options(NULL, 0);
	unsigned int i;

	for (i = 0; i < 3; i++)
		make_dated(i, 1000 * (i + 1), i != 2);
	opts.half_life = 500;
	CHECK_EQ(merge_as("ab", "want.counts", opts, NULL), 0);
	CHECK_EQ(merge_as("cba", "got.counts", opts, NULL), ERROR_PARTIAL);
	same_bytes("got.counts", "want.counts");
}

/* Neither is it made old, nor does it make others old. */
TEST(a_merged_file_whose_times_are_partly_missing_cannot_age)
{
	struct cf_merge_opts opts = options(NULL, 0);
	unsigned int i;

	for (i = 0; i < 4; i++)
		make_dated(i, 1000 * i, true);
	/* a has no time, and d is the newest. */
	CHECK_EQ(merge("da", "x.counts"), 0);
	opts.half_life = 500;
	CHECK_EQ(merge_as("bc", "want.counts", opts, NULL), 0);
	CHECK_EQ(merge_as("bxc", "got.counts", opts, NULL), ERROR_PARTIAL);
	CHECK(strstr(refused, "/x.counts: the time of some of its sources is not known, and --half-life needs that of all; "));
	same_bytes("got.counts", "want.counts");
	CHECK_EQ(merge_as("bdc", "got.counts", opts, NULL), 0);
}

TEST(strict_merges_refuse_what_cannot_be_merged)
{
	struct cf_merge_opts opts = options(NULL, 0);

	opts.strict = true;
	make_files(3, 10);
	CHECK_EQ(merge_as("abc", "got.counts", opts, NULL), 0);
	unlink(test_path("got.counts"));
	put_bytes("b.counts", "", 0);
	CHECK_EQ(merge_as("abc", "got.counts", opts, NULL), ERROR_INPUT);
	CHECK(strstr(error.text, "b.counts: not a counts file"));
	CHECK(access(test_path("got.counts"), F_OK));
}

TEST(nothing_is_merged_twice)
{
	struct content c;

	make_files(2, 10);
	CHECK_EQ(merge("ab", "c.counts"), 0);
	CHECK_EQ(merge("ac", "got.counts"), ERROR_INPUT);
	CHECK(strstr(error.text, "a.counts and ") && strstr(error.text, "c.counts both have period 0 of the source 00000000000000000000000000000000;"));
	CHECK_EQ(merge("aa", "got.counts"), ERROR_INPUT);
	content_make(&c, 1, 5, 10, 10);
	c.head.sources->first = 2;
	content_write(test_path("d.counts"), &c);
	c.head.sources->first = 4;
	c.head.sources->last = 9;
	content_write(test_path("e.counts"), &c);
	content_free(&c);
	CHECK_EQ(merge("de", "got.counts"), ERROR_INPUT);
	CHECK(strstr(error.text, "both have the periods 4 to 5 of the source 0101"));
	CHECK(access(test_path("got.counts"), F_OK));
}

TEST(sums_that_do_not_fit_are_refused)
{
	struct content c;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		content_make(&c, (uint8_t)i, 0, 0, 1);
		content_add_step(&c, &(struct cf_step){ .seen = 1, .weight = UINT64_MAX / 2 + 2 });
		content_write(test_path(i ? "b.counts" : "a.counts"), &c);
		c.steps->weight = c.steps->timed = 1;
		c.steps->cycles = UINT64_MAX / 2 + 2;
		content_write(test_path(i ? "d.counts" : "c.counts"), &c);
		content_free(&c);
	}
	CHECK_EQ(merge("ab", "got.counts"), ERROR_INPUT);
	CHECK(strstr(error.text, "b.counts: the counts do not fit into 64 bits"));
	CHECK_EQ(merge("cd", "got.counts"), ERROR_INPUT);
	CHECK(strstr(error.text, "do not fit into 64 bits"));
}

/* They are of two steps. */
TEST(cycles_that_do_not_fit_together_are_refused)
{
	struct cf_step step = { .seen = 1, .timed = 1, .cycles = UINT64_MAX / 2 + 2 };
	struct content c;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		content_make(&c, (uint8_t)i, 0, 0, 1);
		step.type = (uint16_t)i;
		content_add_step(&c, &step);
		content_write(test_path(i ? "b.counts" : "a.counts"), &c);
		content_free(&c);
	}
	CHECK_EQ(merge("ab", "got.counts"), ERROR_INPUT);
	CHECK(strstr(error.text, "the counts of the steps do not fit into 64 bits"));
	CHECK(access(test_path("got.counts"), F_OK));
}

/* More binaries than a quarter of the least memory can have. */
TEST(a_head_that_needs_too_much_memory_is_refused)
{
	enum { NR = 25000 };
	struct cf_merge_opts opts = options(NULL, 0);
	struct cf_source source = { .first = 7, .last = 7 };
	struct cf_head head = { .sources = &source, .nr_sources = 1, .nr_binaries = NR,
				.all_branches = true };
	struct cf_writer *w;
	unsigned int i;

	head.binaries = calloc(NR, sizeof(*head.binaries));
	CHECK(head.binaries);
	for (i = 0; i < NR; i++)
		CHECK(asprintf(&head.binaries[i].name, "%06u", i) > 0);
	make_files(2, 10);
	CHECK_EQ(merge("a", "want.counts"), 0);
	CHECK_EQ(cf_writer_open(&w, test_path("b.counts"), &head, &error), 0);
	CHECK_EQ(cf_writer_close(w, true, &error), 0);
	opts.memory = CF_MERGE_MEMORY_MIN;
	CHECK_EQ(merge_as("ab", "got.counts", opts, NULL), ERROR_PARTIAL);
	CHECK(strstr(refused, "b.counts: its names and sources need more than a quarter"));
	same_bytes("got.counts", "want.counts");
	opts.memory = CF_MERGE_MEMORY;
	CHECK_EQ(merge_as("ab", "got.counts", opts, NULL), 0);
	head.sources = NULL;
	cf_head_free(&head);
}

enum { MANY = 300 };

/* The periods of a machine, "many0.counts" and so on. */
static void make_many(struct cf_input inputs[MANY])
{
	struct content c;
	char name[32];
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many%u.counts", i);
		content_make(&c, 0, i, 10, 10);
		content_write(test_path(name), &c);
		content_free(&c);
		inputs[i] = input_of(name);
	}
}

static int merge_many(const struct cf_input inputs[MANY], const char *out, unsigned int threads,
		      rlim_t files)
{
	struct cf_merge_opts opts = options(inputs, MANY);
	struct rlimit limit;
	rlim_t before;
	int ret;

	CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
	before = limit.rlim_cur;
	limit.rlim_cur = files;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	opts.threads = threads;
	*refused = 0;
	ret = cf_merge(test_path(out), &opts, &result, &error);
	limit.rlim_cur = before;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	return ret;
}

/* Two hundred is less than most of these numbers of threads have open together. */
TEST(few_open_files_are_enough_for_any_number_of_threads)
{
	static const unsigned int threads[] = { 1, 2, 8, 32, 256 };
	struct cf_input inputs[MANY];
	unsigned int i;

	make_many(inputs);
	CHECK_EQ(merge_many(inputs, "want.counts", 1, 1024), 0);
	for (i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		if (merge_many(inputs, "got.counts", threads[i], 200) ||
		    merge_many(inputs, "less.counts", threads[i], 64))
			test_fail(__FILE__, __LINE__, "%u threads: %s", threads[i], error.text);
		same_bytes("got.counts", "want.counts");
		same_bytes("less.counts", "want.counts");
	}
	free_inputs(inputs, MANY);
}

/* No file is left out because of it, and the number of the message is no more than needed. */
TEST(too_few_open_files_are_an_error_that_says_how_many_are_enough)
{
	struct cf_input inputs[MANY];
	unsigned int needed = 0;

	make_many(inputs);
	CHECK(merge_many(inputs, "got.counts", 8, 12) != ERROR_PARTIAL);
	CHECK_STR(refused, "");
	CHECK_EQ(sscanf(error.text, "to merge 300 files, at least %u files must be open", &needed),
		 1);
	CHECK(strstr(error.text, "the limit is 12: raise it with `ulimit -n`"));
	/* 300 files in groups of 18 give 17 temporary files, and one group is open. */
	CHECK(needed > 18 + 17 && needed < 64);
	CHECK(merge_many(inputs, "got.counts", 8, needed - 1));
	CHECK_EQ(merge_many(inputs, "got.counts", 8, needed), 0);
	CHECK_EQ(merge_many(inputs, "want.counts", 1, 1024), 0);
	same_bytes("got.counts", "want.counts");
	free_inputs(inputs, MANY);
}

/* ------------------------------------------------------- factors, age and rules */

TEST(a_whole_factor_multiplies)
{
	struct content c;
	double three = 3;
	size_t i;

	content_make(&c, 1, 0, 200, 30);
	content_write(test_path("a.counts"), &c);
	CHECK_EQ(merge_as("a", "got.counts", options(NULL, 0), &three), 0);
	for (i = 0; i < c.nr_steps; i++) {
		c.steps[i].seen *= 3;
		c.steps[i].weight *= 3;
		c.steps[i].cycles *= 3;
		c.steps[i].timed *= 3;
	}
	for (i = 0; i < c.nr_samples; i++)
		c.samples[i].count *= 3;
	for (i = 0; i < c.head.nr_events; i++) {
		c.head.events[i].samples *= 3;
		c.head.events[i].covered *= 3;
		c.head.events[i].count *= 3;
		c.head.events[i].unknown *= 3;
	}
	c.head.samples *= 3;
	c.head.empty *= 3;
	c.head.lost *= 3;
	c.head.dropped *= 3;
	c.head.scaled = true;
	for (i = 2; i < ALL_BINARIES; i++)
		c.has[i] = false;
	for (i = 0; i < c.nr_steps; i++)
		c.has[c.steps[i].from_binary] = c.has[c.steps[i].to_binary] = true;
	for (i = 0; i < c.nr_samples; i++)
		c.has[c.samples[i].binary] = true;
	content_check(test_path("got.counts"), &c);
	content_free(&c);
}

/* The sums of a file. */
static struct cf_head totals_of(const char *name, uint64_t *sampled)
{
	struct cf_sample sample;
	struct cf_reader *r;
	struct cf_step step;
	struct cf_head head;

	*sampled = 0;
	CHECK_EQ(cf_reader_open(&r, test_path(name), &error), 0);
	head = *cf_reader_head(r);
	while (cf_read_step(r, &step, &error) > 0)
		CHECK(step.seen && step.timed <= step.seen);
	while (cf_read_sample(r, &sample, &error) > 0)
		*sampled += sample.count;
	cf_reader_close(r);
	return head;
}

static bool about(uint64_t got, double want)
{
	return fabs((double)got - want) < 0.05 * want;
}

/* Also if nearly all counts are 1. */
TEST(a_fraction_is_right_on_the_whole)
{
	const double factor = 0.3;
	struct cf_head head;
	struct content c;
	uint64_t sampled, was = 0;
	unsigned int i;

	content_make(&c, 1, 0, 0, 1);
	memset(c.has, 1, sizeof(c.has));
	for (i = 0; i < 8000; i++) {
		content_add_step(&c, &(struct cf_step){ 2, 2, i, i + 4, 8, 1, .seen = 1,
							.weight = 1000, .timed = 1,
							.cycles = 10 });
		content_add_sample(&c, &(struct cf_sample){ 3, i, 1 + i % 2 });
		was += 1 + i % 2;
	}
	content_write(test_path("a.counts"), &c);
	content_free(&c);
	CHECK_EQ(merge_as("a", "b.counts", options(NULL, 0), &factor), 0);
	head = totals_of("b.counts", &sampled);
	CHECK(about(head.entries, 8000 * factor) && head.scaled);
	CHECK(about(head.weight, 8e6 * factor));
	CHECK(about(sampled, (double)was * factor));
	CHECK_EQ(head.weight, 1000 * head.entries);
}

/* Another file of the same steps keeps other ones of them. */
TEST(fractions_of_many_files_are_right_for_each_step)
{
	const double factors[20] = { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,
				     0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 };
	char name[] = "a.counts";
	struct cf_reader *r;
	struct cf_step step;
	struct content c;
	unsigned int i, k, nr = 0;

	for (k = 0; k < 20; k++, name[0]++) {
		content_make(&c, (uint8_t)k, 0, 0, 1);
		c.has[2] = true;
		for (i = 0; i < 100; i++)
			content_add_step(&c, &(struct cf_step){ 2, 2, i, i, .seen = 1 });
		content_write(test_path(name), &c);
		content_free(&c);
	}
	CHECK_EQ(merge_as("abcdefghijklmnopqrst", "got.counts", options(NULL, 0), factors), 0);
	CHECK_EQ(cf_reader_open(&r, test_path("got.counts"), &error), 0);
	for (; cf_read_step(r, &step, &error) > 0; nr++)
		CHECK(step.seen > 1 && step.seen < 19);
	CHECK_EQ(nr, 100);
	cf_reader_close(r);
}

TEST(counts_are_halved_for_each_half_life)
{
	const double factors[] = { 1, 0.25, 0.5 };
	const uint64_t ends[] = { 5000000, 5000000 - 200, 5000000 - 100 };
	struct cf_merge_opts opts = options(NULL, 0);
	char name[] = "a.counts";
	struct content c;
	unsigned int i;

	for (i = 0; i < 3; i++, name[0]++) {
		content_make(&c, (uint8_t)i, 0, 100, 30);
		c.head.end = ends[i];
		content_write(test_path(name), &c);
		content_free(&c);
	}
	CHECK_EQ(merge_as("abc", "want.counts", opts, factors), 0);
	opts.half_life = 100;
	CHECK_EQ(merge_as("cab", "got.counts", opts, NULL), 0);
	same_bytes("got.counts", "want.counts");
	opts.at = 5000000;
	CHECK_EQ(merge_as("bca", "got.counts", opts, NULL), 0);
	same_bytes("got.counts", "want.counts");
	/* An input that ends later is not old. */
	opts.at = 1;
	CHECK_EQ(merge_as("abc", "got.counts", opts, NULL), 0);
	CHECK_EQ(merge("abc", "want.counts"), 0);
	same_bytes("got.counts", "want.counts");
}

static bool is_selected(unsigned int binary, bool no_kernel)
{
	return no_kernel ? binary != 1 && binary < 10 : binary == 3 || binary == 8;
}

/* As many samples as fell in what is left, or as many stacks as its transfers fill. */
static void apply_samples(struct content *c)
{
	uint64_t fell = 0, entries = 0, stacks = 0;
	size_t i;

	for (i = 0; i < c->nr_samples; i++)
		fell += c->samples[i].count;
	for (i = 0; i < c->nr_steps; i++)
		entries += c->steps[i].seen;
	while (stacks * (c->head.depth ?: 1) < entries)
		stacks++;
	if (fell < stacks)
		fell = stacks;
	/* The empty ones may be among those that are gone. */
	while (c->head.samples > fell) {
		c->head.samples--;
		c->head.empty -= !!c->head.empty;
	}
	while (c->head.empty && c->head.empty + stacks > c->head.samples)
		c->head.empty--;
}

/* Leave out by hand what the rules leave out. */
static void apply_rules(struct content *c, bool select, bool no_kernel, uint64_t below)
{
	bool has[ALL_BINARIES] = { true, true };
	size_t i, nr = 0;

	for (i = 0; i < c->nr_steps; i++) {
		const struct cf_step *s = &c->steps[i];

		if (s->seen < below || (select && !is_selected(s->from_binary, no_kernel) &&
					!is_selected(s->to_binary, no_kernel))) {
			c->head.left_out += s->seen;
			c->head.left_out_weight += s->weight;
			continue;
		}
		has[s->from_binary] = has[s->to_binary] = true;
		c->steps[nr++] = *s;
	}
	c->nr_steps = nr;
	for (i = nr = 0; i < c->nr_samples; i++)
		if (!select || is_selected(c->samples[i].binary, no_kernel)) {
			has[c->samples[i].binary] = true;
			c->samples[nr++] = c->samples[i];
		}
	c->nr_samples = nr;
	memcpy(c->has, has, sizeof(has));
	if (select)
		apply_samples(c);
}

static const char *const names[] = { "b", "none" };
static const char *const ids[] = { "08080808", "ffff" };

TEST(rules_leave_out_steps_and_tell_how_many)
{
	unsigned int trial, i;

	for (trial = 0; trial < 20; trial++) {
		bool has[3][MAX_FILES] = { { true }, { true }, { true } };
		bool select = one_of(3), no_kernel = one_of(2);
		struct cf_merge_opts opts = options(NULL, 0);
		char name[] = "a.counts";
		struct content all;

		for (i = 0; i < 3; i++, name[0]++) {
			struct content c;

			content_make(&c, (uint8_t)i, 0, 100, 20);
			c.has[3] = c.has[8] = true;
			content_write(test_path(name), &c);
			add_content(&all, &c, !i);
			content_free(&c);
		}
		set_sources(&all, has);
		opts.drop_below = one_of(2) ? one_of(6) : 0;
		if (select && no_kernel)
			opts.selection.no_kernel = true;
		else if (select)
			opts.selection = (struct cf_selection){ names, 2, ids, 2, false };
		if (!select && opts.drop_below < 2)
			opts.drop_below = 2;
		CHECK_EQ(merge_as("abc", "got.counts", opts, NULL), 0);
		apply_rules(&all, select, no_kernel, opts.drop_below);
		content_check(test_path("got.counts"), &all);
		CHECK_EQ(result.left_out, all.head.left_out);
		CHECK_EQ(result.steps, all.nr_steps);
		CHECK_EQ(result.samples, all.nr_samples);
		content_free(&all);
	}
}

/* The build id tells the binary, whatever its names are. */
TEST(a_binary_is_kept_from_all_inputs_if_one_of_them_has_the_name)
{
	static const char *const called[] = { "/usr/bin/svc", "/usr/bin/del", "/var/zzz" };
	static const char *const svc[] = { "svc" };
	static const char *const orders[] = { "abc", "bca", "cab", "ab", "ca" };
	struct cf_merge_opts by_name = options(NULL, 0), by_id = by_name;
	char name[] = "a.counts";
	struct content c;
	unsigned int i;

	for (i = 0; i < 3; i++, name[0]++) {
		content_make(&c, (uint8_t)i, 0, 100, 20);
		c.has[8] = true;
		c.names[8] = called[i];
		content_write(test_path(name), &c);
		content_free(&c);
	}
	by_name.selection = (struct cf_selection){ .names = svc, .nr_names = 1 };
	by_id.selection = (struct cf_selection){ .build_ids = ids, .nr_build_ids = 1 };
	for (i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		CHECK_EQ(merge_as(orders[i], "want.counts", by_id, NULL), 0);
		CHECK_EQ(merge_as(orders[i], "got.counts", by_name, NULL), 0);
		same_bytes("got.counts", "want.counts");
	}
	CHECK_EQ(merge_as("bc", "got.counts", by_name, NULL), ERROR_NOTHING);
}

TEST(a_selection_of_nothing_is_an_error)
{
	struct cf_merge_opts opts = options(NULL, 0);

	opts.selection = (struct cf_selection){ names + 1, 1, NULL, 0, false };
	make_files(2, 10);
	CHECK_EQ(merge_as("ab", "got.counts", opts, NULL), ERROR_NOTHING);
	CHECK(access(test_path("got.counts"), F_OK));
}

/* -------------------------------------------------------------------- the disk */

TEST(a_full_disk_leaves_no_file_behind)
{
	struct cf_merge_opts opts = options(NULL, 0);
	struct rlimit limit;
	unsigned int i;
	int ret;

	setenv("TMPDIR", test_tmpdir(), 1);
	make_files(16, 200);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &limit));
	for (i = 0; i < 4; i++) {
		opts.threads = 1 + i % 2;
		opts.drop_below = i & 2;
		limit.rlim_cur = 4096;
		CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
		ret = merge_as("abcdefghijklmnop", "got.counts", opts, NULL);
		limit.rlim_cur = limit.rlim_max;
		CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
		CHECK_EQ(ret, ERROR_OUTPUT);
		CHECK(strstr(error.text, "cannot write "));
		CHECK_EQ(system("[ $(ls \"$TMPDIR\" | wc -l) = 16 ]"), 0);
	}
	setenv("TMPDIR", "/nowhere", 1);
	opts.drop_below = 2;
	CHECK_EQ(merge_as("ab", "got.counts", opts, NULL), ERROR_OUTPUT);
	CHECK(strstr(error.text, "cannot write a temporary file in /nowhere: "));
}
