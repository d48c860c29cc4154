// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/merge.h"
#include "base/hex.h"
#include "countfile/levels.h"
#include "perfdata/space.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct merge {
	const struct cf_merge_opts *opts;
	struct cf_levels_input *inputs;
	struct cf_sum sum;
	bool *wanted; /* by the number of a binary; NULL: all are wanted */
	uint64_t at; /* the time at which nothing is old, if counts age */
	bool scales; /* a factor is not 1 */
	struct cf_merge_result *result;
	struct error *error;
};

/* A merged file without what its old version has would be the loss of it. */
static int keep_output(struct merge *m)
{
	struct error why = *m->error;

	return error_set(m->error, ERROR_INPUT,
			 "%s; it is also the output, so it stays as it is and nothing was merged: move it away, or name another output",
			 why.text);
}

/* An input that cannot be used. Returns 0, or the error if that is one. */
static int refuse(struct merge *m, uint32_t input, int ret)
{
	if (ret != ERROR_INPUT || m->opts->strict)
		return ret;
	if (m->opts->inputs[input].is_output)
		return keep_output(m);
	m->inputs[input].refused = true;
	m->result->refused++;
	m->opts->say(m->opts->arg, m->error->text);
	return 0;
}

/* ---------------------------------------------------- names that were asked for */

static bool has_build_id(const struct cf_selection *s, const struct cf_binary *b)
{
	char hex[2 * sizeof(b->build_id) + 1];
	size_t k;

	hex_text(hex, b->build_id, b->build_id_size);
	for (k = 0; k < s->nr_build_ids; k++)
		if (*hex && !strncasecmp(hex, s->build_ids[k], strlen(s->build_ids[k])))
			return true;
	return false;
}

static bool has_name(const struct cf_selection *s, const struct cf_binary *b)
{
	const char *slash = strrchr(b->name, '/');
	size_t k;

	for (k = 0; k < s->nr_names; k++)
		if (!strcmp(b->name, s->names[k]) ||
		    (b->kernel && !strcmp(s->names[k], "[kernel]")) ||
		    (cf_is_made(b) && !strcmp(s->names[k], pd_made_binary(b->name))) ||
		    (slash && !strcmp(slash + 1, s->names[k])))
			return true;
	return false;
}

/*
 * Of the names that a binary has in different inputs, the sum keeps one, and which one
 * depends on the other inputs. So the names of each input are compared.
 */
static void pick_binaries(const struct cf_selection *s, struct cf_head *head)
{
	size_t i;

	for (i = 0; i < head->nr_binaries; i++)
		head->binaries[i].picked = has_name(s, &head->binaries[i]) ||
					   has_build_id(s, &head->binaries[i]);
}

/* ------------------------------------------------------------------- heads */

static uint64_t fixed(double factor)
{
	return (uint64_t)llround(factor * (double)CF_FACTOR_ONE);
}

static uint64_t factor_of(const struct merge *m, uint32_t input,
			  const struct cf_head *head)
{
	double factor = m->opts->inputs[input].factor;

	if (m->opts->half_life > 0 && head->end < m->at)
		factor *= exp2(-(double)(m->at - head->end) / m->opts->half_life);
	return fixed(factor);
}

/* The head of one input must not take the memory of all. */
static int check_head(struct merge *m, uint32_t input, const struct cf_head *head)
{
	if (cf_head_bytes(head) < m->opts->memory / 4)
		return 0;
	return error_set(m->error, ERROR_INPUT,
			 "%s: its names and sources need more than a quarter of the memory (--memory)",
			 m->inputs[input].name);
}

/* Without a time there is no age. */
static int check_time(struct merge *m, uint32_t input, const struct cf_head *head)
{
	if (!m->opts->half_life || (head->end && !head->untimed))
		return 0;
	if (head->untimed)
		return error_set(m->error, ERROR_INPUT,
				 "%s: the time of some of its sources is not known, and --half-life needs that of all; merge those without a time by themselves, or use --weighted-input",
				 m->inputs[input].name);
	return error_set(m->error, ERROR_INPUT,
			 "%s: its time is not known, and --half-life needs it; record with `ssctr record` or `perf record -k mono`, or use --weighted-input",
			 m->inputs[input].name);
}

static int check_memory(const struct merge *m)
{
	if (cf_sum_bytes(&m->sum) < m->opts->memory / 2)
		return 0;
	return error_set(m->error, ERROR_NOMEM,
			 "the names and sources of all files take more than half of the memory (--memory)");
}

static void note_distance(struct merge *m, const struct cf_head *head, uint64_t factor)
{
	const struct cf_event *event = head->events;
	struct cf_merge_result *result = m->result;
	double distance;

	if (head->by_events || head->scaled || factor != CF_FACTOR_ONE || head->nr_events != 1 ||
	    !event->covered || event->unknown)
		return;
	distance = (double)event->covered / event->samples;
	if (!result->least_distance || distance < result->least_distance)
		result->least_distance = distance;
	if (distance > result->most_distance)
		result->most_distance = distance;
}

static int add_head(struct merge *m, uint32_t input, struct cf_unpacker *unpacker)
{
	struct cf_levels_input *in = &m->inputs[input];
	struct cf_reader *reader;
	struct cf_head head;
	struct error why;
	int ret;

	ret = cf_reader_open_as(&reader, in->path, in->name, unpacker, m->error);
	if (!ret)
		ret = check_head(m, input, cf_reader_head(reader)) ?:
		      check_time(m, input, cf_reader_head(reader));
	if (ret) {
		cf_reader_close(reader);
		return refuse(m, input, ret);
	}
	in->checksum = cf_reader_checksum(reader);
	cf_reader_take_head(reader, &head);
	cf_reader_close(reader);
	in->filtered = !head.all_branches;
	in->factor = factor_of(m, input, &head);
	m->scales |= in->factor != CF_FACTOR_ONE;
	note_distance(m, &head, in->factor);
	pick_binaries(&m->opts->selection, &head);
	ret = cf_sum_add(&m->sum, &head, input, in->factor, &why);
	cf_head_free(&head);
	if (ret)
		error_set(m->error, ret, "%s: %s", in->name, why.text);
	else
		ret = check_memory(m);
	return ret;
}

/* The end of the newest input. What cannot be read or has no age is told later. */
static void find_newest(struct merge *m)
{
	struct cf_unpacker unpacker = { 0 };
	const struct cf_head *head;
	struct cf_reader *reader;
	struct error unused;
	size_t i;

	m->at = 0;
	for (i = 0; i < m->opts->nr; i++) {
		if (m->inputs[i].refused ||
		    cf_reader_open_as(&reader, m->inputs[i].path, m->inputs[i].name,
				      &unpacker, &unused))
			continue;
		head = cf_reader_head(reader);
		if (!head->untimed && head->end > m->at)
			m->at = head->end;
		cf_reader_close(reader);
	}
	cf_unpacker_free(&unpacker);
}

static int overlap_error(const struct merge *m, const struct cf_overlap *overlap)
{
	const struct cf_source *s = &overlap->shared;
	char label[2 * sizeof(s->label) + 1], periods[64];

	hex_text(label, s->label, sizeof(s->label));
	if (s->first == s->last)
		snprintf(periods, sizeof(periods), "period %" PRIu64, s->first);
	else
		snprintf(periods, sizeof(periods), "the periods %" PRIu64 " to %" PRIu64,
			 s->first, s->last);
	return error_set(m->error, ERROR_INPUT,
			 "%s and %s both have %s of the source %s; leave out one of them, so that nothing is counted twice",
			 m->inputs[overlap->inputs[0]].name,
			 m->inputs[overlap->inputs[1]].name, periods, label);
}

/* Returns false if out of memory. */
static bool rename_binary(struct cf_binary *b, const struct cf_whole *whole)
{
	const struct cf_binary *found = bsearch(b, whole->binaries, whole->nr_binaries,
						sizeof(*found), cf_order_binaries);

	return !found || !strcmp(found->name, b->name) || cf_sum_rename(b, found->name);
}

static int join_parts(struct merge *m)
{
	const struct cf_whole *whole = m->opts->whole;
	struct cf_head *head = &m->sum.head;
	size_t i;

	cf_sum_join(&m->sum, &whole->source);
	head->begin = whole->begin;
	head->end = whole->end;
	head->untimed = false;
	for (i = CF_FIRST_BINARY; i < head->nr_binaries; i++)
		if (!rename_binary(&head->binaries[i], whole))
			return error_nomem(m->error);
	return 0;
}

static int add_heads(struct merge *m)
{
	struct cf_unpacker unpacker = { 0 };
	uint32_t i;
	int ret = 0;

	cf_sum_free(&m->sum);
	m->scales = false;
	if (m->opts->half_life > 0 && !m->opts->at)
		find_newest(m);
	for (i = 0; !ret && i < m->opts->nr; i++)
		if (!m->inputs[i].refused)
			ret = add_head(m, i, &unpacker);
	cf_unpacker_free(&unpacker);
	return ret;
}

/* Returns whether some inputs, but not all, lack kinds of branches. */
static bool is_mixed(const struct merge *m)
{
	size_t i, nr = 0;

	for (i = 0; i < m->opts->nr; i++)
		nr += !m->inputs[i].refused && m->inputs[i].filtered;
	return nr && nr < m->sum.nr;
}

/*
 * With one such input, what ran could not be told from the sum any more. Those with all
 * branches remain, whatever the order and the steps in which inputs are merged.
 */
static int refuse_filtered(struct merge *m)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < m->opts->nr; i++) {
		if (m->inputs[i].refused || !m->inputs[i].filtered)
			continue;
		error_set(m->error, ERROR_INPUT,
			  "%s: some kinds of branches were not recorded, and other inputs have all kinds; merge it only with inputs like it, or record all branches",
			  m->inputs[i].name);
		ret = refuse(m, i, ERROR_INPUT);
	}
	return ret;
}

static int sum_heads(struct merge *m)
{
	struct cf_overlap overlap;
	int ret = add_heads(m);

	/* The parts of a period stay together. */
	if (!ret && !m->opts->whole && is_mixed(m))
		ret = refuse_filtered(m) ?: add_heads(m);
	if (ret)
		return ret;
	if (!m->sum.nr)
		return error_set(m->error, ERROR_INPUT, "no file could be merged");
	ret = m->opts->whole ? join_parts(m) : 0;
	if (ret)
		return ret;
	ret = cf_sum_finish(&m->sum, &overlap);
	if (ret == ERROR_NOMEM)
		return error_nomem(m->error);
	return ret ? overlap_error(m, &overlap) : 0;
}

/* --------------------------------------------------------------- selection */

static bool is_wanted(const struct cf_selection *s, const struct cf_binary *b)
{
	if (b->kernel && s->no_kernel)
		return false;
	return (!s->nr_names && !s->nr_build_ids) || b->picked;
}

static bool selects(const struct cf_selection *s)
{
	return s->nr_names || s->nr_build_ids || s->no_kernel;
}

static int select_binaries(struct merge *m)
{
	const struct cf_selection *s = &m->opts->selection;
	const struct cf_head *head = &m->sum.head;
	size_t i, nr = 0;

	free(m->wanted);
	m->wanted = NULL;
	if (!selects(s))
		return 0;
	m->wanted = calloc(head->nr_binaries, sizeof(*m->wanted));
	if (!m->wanted)
		return error_nomem(m->error);
	for (i = 0; i < head->nr_binaries; i++) {
		m->wanted[i] = is_wanted(s, &head->binaries[i]);
		nr += m->wanted[i] && i >= CF_KERNEL;
	}
	if (nr)
		return 0;
	return error_set(m->error, ERROR_NOTHING, "no file has such a binary");
}

/* ------------------------------------------------------------------ output */

/* Where merged items go, if what they are is known before. */
static int write_step(void *arg, const struct cf_step *step, struct error *error)
{
	return cf_write_step(arg, step, error);
}

static int write_sample(void *arg, const struct cf_sample *sample, struct error *error)
{
	return cf_write_sample(arg, sample, error);
}

/* Each thread needs memory for what it writes. */
static unsigned int threads_of(const struct cf_merge_opts *opts)
{
	size_t most = opts->memory / (CF_MERGE_MEMORY_MIN / 2);

	return opts->threads < most ? opts->threads : (unsigned int)most;
}

static int run_levels(struct merge *m, const struct cf_sink *sink,
		      struct cf_left_out *left_out, uint32_t *failed)
{
	size_t used = cf_sum_bytes(&m->sum);
	struct cf_levels levels = {
		.inputs = m->inputs,
		.nr_inputs = m->opts->nr,
		.sum = &m->sum,
		.wanted = m->wanted,
		.memory = m->opts->memory - used,
		.threads = threads_of(m->opts),
	};
	int ret = cf_levels_run(&levels, sink, m->error);

	*left_out = levels.left_out;
	*failed = levels.failed;
	return ret;
}

static int merge_plain(struct merge *m, const char *output, uint32_t *failed)
{
	struct cf_left_out left_out;
	struct cf_writer *writer;
	struct error unused;
	int ret = cf_writer_open(&writer, output, &m->sum.head, m->error);

	*failed = CF_NO_INPUT;
	if (ret)
		return ret;
	ret = run_levels(m, &(struct cf_sink){ write_step, write_sample, writer },
			 &left_out, failed);
	if (!ret) {
		m->result->steps = cf_writer_totals(writer)->steps;
		m->result->samples = cf_writer_totals(writer)->samples;
		return cf_writer_close(writer, true, m->error);
	}
	cf_writer_close(writer, false, &unused);
	return ret;
}

/* A merge whose sums are known only at the end. */
struct thinned {
	struct cf_run run;
	struct cf_sink sink; /* into the run */
	uint64_t drop_below;
	struct cf_left_out left_out;
	bool *used; /* by the number of a binary */
};

static int thin_step(void *arg, const struct cf_step *step, struct error *error)
{
	struct thinned *t = arg;

	if (step->seen < t->drop_below) {
		cf_leave_out(&t->left_out, step->seen, step->weight);
		return 0;
	}
	t->used[step->from_binary] = true;
	t->used[step->to_binary] = true;
	return t->sink.step(t->sink.arg, step, error);
}

static int thin_sample(void *arg, const struct cf_sample *sample, struct error *error)
{
	struct thinned *t = arg;

	t->used[sample->binary] = true;
	return t->sink.sample(t->sink.arg, sample, error);
}

/*
 * Leave out the binaries that are not used any more. map gets the new numbers. The order of
 * the others stays, and so does the order of the steps.
 */
static void drop_binaries(struct cf_head *head, const bool *used, uint32_t *map)
{
	size_t i, nr = CF_FIRST_BINARY;

	for (i = 0; i < head->nr_binaries; i++) {
		if (i < CF_FIRST_BINARY) {
			map[i] = (uint32_t)i;
		} else if (used[i]) {
			map[i] = (uint32_t)nr;
			head->binaries[nr++] = head->binaries[i];
		} else {
			free(head->binaries[i].name);
			free(head->binaries[i].symbol);
		}
	}
	head->nr_binaries = nr;
}

/*
 * The samples of the binaries that are left: those that fell in them, or as many as it takes to
 * have all their transfers, if that is more. No file tells which stacks had which transfers.
 */
static void count_samples(struct cf_head *head, uint64_t sampled)
{
	const uint64_t depth = head->depth ?: 1;
	const uint64_t least = head->entries / depth + (head->entries % depth != 0);
	const uint64_t left = sampled > least ? sampled : least;
	const uint64_t gone = left < head->samples ? head->samples - left : 0;

	head->samples -= gone;
	/* Those that are gone may be the empty ones: so many are left at least. */
	head->empty -= gone < head->empty ? gone : head->empty;
	if (head->samples < least)
		head->empty = 0;
	else if (head->empty > head->samples - least)
		head->empty = head->samples - least;
}

/* Copy the run, which is whole, into the file. */
static int write_thinned(struct merge *m, const char *output, struct thinned *t,
			 uint32_t *map)
{
	struct cf_head *head = &m->sum.head;
	struct cf_unpacker unpacker = { 0 };
	struct cf_writer *writer;
	struct cf_feed feed;
	struct error unused;
	uint32_t failed;
	int ret;

	head->entries = t->run.out.totals.entries;
	head->weight = t->run.out.totals.weight;
	if (m->wanted)
		count_samples(head, t->run.out.totals.sampled);
	cf_run_feed(t->run.fd, t->run.size, head->nr_binaries, &unpacker, &feed);
	feed.map = map;
	drop_binaries(head, t->used, map);
	ret = cf_writer_open(&writer, output, head, m->error);
	if (!ret) {
		ret = cf_kway(&feed, 1,
			      &(struct cf_sink){ write_step, write_sample, writer },
			      &failed, m->error);
		if (ret)
			cf_writer_close(writer, false, &unused);
		else
			ret = cf_writer_close(writer, true, m->error);
	}
	feed.map = NULL;
	cf_feed_end(&feed);
	cf_unpacker_free(&unpacker);
	return ret;
}

/* What the rules left out is added to what was left out before. */
static int add_left_out(struct merge *m, const struct cf_left_out *left_out)
{
	struct cf_head *head = &m->sum.head;

	m->result->left_out += left_out->transfers;
	m->result->left_out_weight += left_out->weight;
	if (!__builtin_add_overflow(head->left_out, left_out->transfers, &head->left_out) &&
	    !__builtin_add_overflow(head->left_out_weight, left_out->weight,
				    &head->left_out_weight))
		return 0;
	return error_set(m->error, ERROR_INPUT,
			 "the counts that were left out do not fit into 64 bits");
}

static int merge_thinned(struct merge *m, const char *output, uint32_t *failed)
{
	size_t nr = m->sum.head.nr_binaries;
	struct thinned t = { .run.fd = -1,
			     .drop_below = m->opts->drop_below,
			     .used = calloc(nr, sizeof(*t.used)) };
	uint32_t *map = malloc(nr * sizeof(*map));
	struct cf_left_out left_out = { 0 };
	int ret = t.used && map ? cf_run_begin(&t.run, &t.sink, m->error) :
				  error_nomem(m->error);

	*failed = CF_NO_INPUT;
	if (!ret)
		ret = run_levels(m, &(struct cf_sink){ thin_step, thin_sample, &t },
				 &left_out, failed);
	if (!ret)
		ret = cf_run_end(&t.run, m->error);
	if (!ret)
		ret = add_left_out(m, &left_out) ?: add_left_out(m, &t.left_out);
	m->result->steps = t.run.out.totals.steps;
	m->result->samples = t.run.out.totals.samples;
	if (!ret)
		ret = write_thinned(m, output, &t, map);
	cf_out_free(&t.run.out);
	if (t.run.fd >= 0)
		close(t.run.fd);
	free(t.used);
	free(map);
	return ret;
}

/* --------------------------------------------------------------------- all */

/* An input whose content is wrong is found in the middle. Then all begins anew without it. */
static int merge_all(struct merge *m, const char *output)
{
	uint32_t failed;
	int ret;

	do {
		failed = CF_NO_INPUT;
		ret = sum_heads(m);
		if (!ret)
			ret = select_binaries(m);
		if (ret)
			return ret;
		if (m->wanted || m->opts->drop_below > 1 || m->scales)
			ret = merge_thinned(m, output, &failed);
		else
			ret = merge_plain(m, output, &failed);
		if (failed == CF_NO_INPUT || ret != ERROR_INPUT)
			return ret;
		ret = refuse(m, failed, ret);
	} while (!ret);
	return ret;
}

/* Inputs with transfers of which there are none in the output. */
static void say_gone(struct merge *m)
{
	struct error what;
	size_t i;

	for (i = 0; i < m->opts->nr; i++) {
		const struct cf_input *in = &m->opts->inputs[i];

		if (m->inputs[i].refused || !m->inputs[i].gone)
			continue;
		if (in->factor == 1) {
			m->result->aged++;
			continue;
		}
		error_set(&what, ERROR_NOTHING,
			  "%s: none of its %" PRIu64 " transfers is left, because they were multiplied by %g; use a larger factor",
			  in->name, m->inputs[i].gone, in->factor);
		m->opts->say(m->opts->arg, what.text);
	}
}

int cf_merge(const char *output, const struct cf_merge_opts *opts,
	     struct cf_merge_result *result, struct error *error)
{
	struct merge m = {
		.opts = opts,
		.inputs = calloc(opts->nr ?: 1, sizeof(*m.inputs)),
		.at = opts->at,
		.result = result,
		.error = error,
	};
	size_t i;
	int ret;

	*result = (struct cf_merge_result){ 0 };
	if (!m.inputs)
		return error_nomem(error);
	for (i = 0; i < opts->nr; i++) {
		m.inputs[i].path = opts->inputs[i].path;
		m.inputs[i].name = opts->inputs[i].name;
	}
	ret = merge_all(&m, output);
	if (!ret)
		say_gone(&m);
	result->merged = opts->nr - result->refused;
	if (!ret && result->refused)
		ret = error_set(error, ERROR_PARTIAL,
				"%zu of %zu files could not be merged", result->refused,
				opts->nr);
	cf_sum_free(&m.sum);
	free(m.wanted);
	free(m.inputs);
	return ret;
}
