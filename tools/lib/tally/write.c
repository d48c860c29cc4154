// SPDX-License-Identifier: GPL-2.0-only
/*
 * From what was counted to a file: addresses of memory without a file become nowhere, of
 * which only the lengths of lines stay, the binaries that are the same become one, and the
 * rest is sorted.
 */
#include "tally/internal.h"
#include "tally/sort.h"

#include <stdlib.h>
#include <string.h>

struct write {
	const struct tally *tally;
	struct cf_head head;
	struct cf_binary *named; /* see tally_name_binaries() */
	size_t nr_named;
	uint32_t *index; /* in head.binaries, by number */
	bool *used; /* by number */
	struct tally_entry *order; /* of steps */
	double scale; /* of weights */
	uint64_t weight; /* the sum of all of them */
	uint64_t least; /* steps that were seen less often are left out */
};

/* --- binaries --- */

static uint32_t nowhere_for(const struct prof_binary *b)
{
	return b->kernel ? CF_KERNEL : CF_NOWHERE;
}

static void find_used(struct write *w)
{
	const struct tally *tally = w->tally;
	size_t i;

	for (i = 0; i < tally->counts.nr_steps; i++) {
		w->used[count_number_of(tally->counts.steps[i].from)] = true;
		w->used[count_number_of(tally->counts.steps[i].to)] = true;
	}
	for (i = 0; i < tally->nr_ips; i++)
		w->used[count_number_of(tally->ips[i].place)] = true;
}

static struct cf_binary binary_of(const struct prof_binary *b)
{
	struct cf_binary cf = { .name = b->name, .symbol = b->symbol, .kernel = b->kernel,
				.build_id_size = b->build_id_size };

	memcpy(cf.build_id, b->build_id, sizeof(cf.build_id));
	return cf;
}

static int by_identity(const void *va, const void *vb)
{
	const struct cf_binary *a = va, *b = vb;

	return cf_compare_binaries(a, b) ?: strcmp(a->name, b->name);
}

/* Does it lead to the file, also below a root folder? A copy that ran elsewhere may be gone. */
static bool leads_to_file(const struct tally *tally, const struct cf_binary *b)
{
	const struct img_file *file;
	const char *path;
	size_t size;

	if (b->kernel || !tally->places.img)
		return false;
	file = img_file(tally->places.img, b->name, b->build_id, b->build_id_size);
	path = file && img_file_state(file) == IMG_OK ? img_file_path(file) : NULL;
	size = path ? strlen(path) : 0;
	return size >= strlen(b->name) && !strcmp(path + size - strlen(b->name), b->name);
}

size_t tally_name_binaries(const struct tally *tally, struct cf_binary *v)
{
	const struct prof_places *places = &tally->places;
	size_t i, k, nr = 0;

	for (i = PROF_FIRST_BINARY; i < places->nr_binaries; i++)
		if (!prof_is_private(&places->binaries[i]))
			v[nr++] = binary_of(&places->binaries[i]);
	qsort(v, nr, sizeof(*v), by_identity);
	/* Of several names, the first one stays that leads to the file, or else the first one. */
	for (i = k = 0; i < nr; i++)
		if (!k || cf_compare_binaries(&v[k - 1], &v[i]))
			v[k++] = v[i];
		else if (!leads_to_file(tally, &v[k - 1]) && leads_to_file(tally, &v[i]))
			v[k - 1] = v[i];
	return k;
}

static const struct cf_binary *find_in(const struct cf_binary *v, size_t nr,
				       const struct prof_binary *b)
{
	const struct cf_binary key = binary_of(b);

	return bsearch(&key, v, nr, sizeof(*v), cf_order_binaries);
}

/* Those that are used, sorted; the strings still belong to the places. */
static void list_binaries(struct write *w)
{
	const struct prof_places *places = &w->tally->places;
	struct cf_binary *v = w->head.binaries;
	size_t i, nr = CF_FIRST_BINARY;
	struct cf_binary *b;

	v[CF_NOWHERE] = (struct cf_binary){ .name = (char *)"[unknown]" };
	v[CF_KERNEL] = (struct cf_binary){ .name = (char *)"[kernel]", .kernel = true };
	w->nr_named = tally_name_binaries(w->tally, w->named);
	for (i = PROF_FIRST_BINARY; i < places->nr_binaries; i++) {
		if (!w->used[i] || prof_is_private(&places->binaries[i]))
			continue;
		b = (struct cf_binary *)find_in(w->named, w->nr_named, &places->binaries[i]);
		b->picked = true;
	}
	for (i = 0; i < w->nr_named; i++)
		if (w->named[i].picked)
			v[nr++] = w->named[i];
	w->head.nr_binaries = nr;
}

static void index_binaries(struct write *w)
{
	const struct prof_places *places = &w->tally->places;
	const struct cf_binary *v = w->head.binaries;
	size_t i;

	for (i = 0; i < places->nr_binaries; i++) {
		w->index[i] = nowhere_for(&places->binaries[i]);
		if (i < PROF_FIRST_BINARY || !w->used[i] || prof_is_private(&places->binaries[i]))
			continue;
		w->index[i] = find_in(v + CF_FIRST_BINARY, w->head.nr_binaries - CF_FIRST_BINARY,
				      &places->binaries[i]) - v;
	}
}

/* --- steps --- */

/* The offset in the binary with this index. */
static uint64_t offset_in(uint32_t binary, count_place place)
{
	return binary < CF_FIRST_BINARY ? 0 : count_offset_of(place & ~COUNT_MISPREDICTED);
}

static struct cf_step step_at(const struct write *w, uint32_t i)
{
	const struct counts *counts = &w->tally->counts;
	const struct count_detail *d = &counts->details[i];
	const struct count_step *s = &counts->steps[i];
	struct cf_step cf = {
		.from_binary = w->index[count_number_of(s->from)],
		.to_binary = w->index[count_number_of(s->to)],
		.line = s->line,
		.type = d->type,
		.mispredicted = s->from & COUNT_MISPREDICTED,
		.youngest = d->youngest,
		.seen = d->seen,
		.weight = tally_scaled(s->count, w->scale),
		.cycles = d->cycles,
		.timed = d->timed,
	};

	cf.from = offset_in(cf.from_binary, s->from);
	cf.to = offset_in(cf.to_binary, s->to);
	cf.length = cf.line == CF_NO_LINE ? 0 : s->length;
	return cf;
}

/* Binaries have 22 bits, offsets have 40, and types have few. */
static struct tally_entry entry_of(const struct cf_step *s, uint32_t number)
{
	const uint64_t binaries = (uint64_t)s->from_binary << 22 | s->to_binary;
	const uint64_t line = (uint32_t)s->line ^ UINT32_C(1) << 31;

	return (struct tally_entry){
		{ binaries << 20 | s->from >> 20, (s->from & 0xfffff) << 40 | s->to,
		  line << 32 | s->type << 2 | s->mispredicted << 1 | s->youngest },
		number
	};
}

static void add_step(struct cf_step *to, const struct cf_step *step)
{
	to->seen += step->seen;
	to->weight += step->weight;
	to->cycles += step->cycles;
	to->timed += step->timed;
	if (to->length < step->length)
		to->length = step->length;
}

static void sort_steps(struct write *w)
{
	const size_t nr = w->tally->counts.nr_steps;
	struct cf_step step;
	size_t i;

	for (i = 0; i < nr; i++) {
		step = step_at(w, i);
		w->order[i] = entry_of(&step, i);
	}
	tally_sort(w->order, nr);
}

/* Store the step from *at on, which may be there several times. Returns false at the end. */
static bool next_step(const struct write *w, size_t *at, struct cf_step *step)
{
	const size_t nr = w->tally->counts.nr_steps;
	const struct tally_entry *first = &w->order[*at];
	struct cf_step next;

	if (*at >= nr)
		return false;
	*step = step_at(w, first->number);
	while (++*at < nr && tally_entries_are_equal(first, &w->order[*at])) {
		next = step_at(w, w->order[*at].number);
		add_step(step, &next);
	}
	return true;
}

static void count_left_out(struct write *w)
{
	const struct counts *counts = &w->tally->counts;
	struct cf_head *head = &w->head;
	struct cf_step step;
	size_t at = 0;

	head->left_out = head->left_out_weight = 0;
	while (w->least > 1 && next_step(w, &at, &step)) {
		if (step.seen >= w->least)
			continue;
		head->left_out += step.seen;
		head->left_out_weight += step.weight;
	}
	head->entries = counts->entries - head->left_out;
	head->weight = w->weight - head->left_out_weight;
}

static int write_steps(const struct write *w, struct cf_writer *writer, struct error *error)
{
	struct cf_step step;
	size_t at = 0;
	int ret = 0;

	while (!ret && next_step(w, &at, &step))
		if (step.seen >= w->least)
			ret = cf_write_step(writer, &step, error);
	return ret;
}

/* --- samples --- */

static struct cf_sample sample_at(const struct write *w, uint32_t i)
{
	const struct tally_ip *ip = &w->tally->ips[i];
	const uint32_t binary = w->index[count_number_of(ip->place)];

	return (struct cf_sample){ binary, offset_in(binary, ip->place), ip->count };
}

static int write_samples(struct write *w, struct tally_entry *order, struct cf_writer *writer,
			 struct error *error)
{
	const size_t nr = w->tally->nr_ips;
	struct cf_sample sample, next;
	int ret = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		sample = sample_at(w, i);
		order[i] = (struct tally_entry){ { sample.binary, sample.offset }, i };
	}
	tally_sort(order, nr);
	for (i = 0; !ret && i < nr; i++) {
		next = sample_at(w, order[i].number);
		if (!i) {
			sample = next;
		} else if (!cf_compare_samples(&sample, &next)) {
			sample.count += next.count;
		} else {
			ret = cf_write_sample(writer, &sample, error);
			sample = next;
		}
	}
	return !ret && nr ? cf_write_sample(writer, &sample, error) : ret;
}

/* --- the whole --- */

static int by_name(const void *va, const void *vb)
{
	const struct cf_event *a = va, *b = vb;

	return strcmp(a->name, b->name);
}

/* What a weight in memory is in the file. */
static double scale_of(const struct tally *tally)
{
	if (!tally->each)
		return 1;
	return tally->each / (tally->part ?: 1) / CF_EVENTS;
}

static uint64_t sum_weights(const struct write *w)
{
	const struct counts *counts = &w->tally->counts;
	uint64_t sum = 0;
	size_t i;

	if (w->scale == 1)
		return counts->weight;
	for (i = 0; i < counts->nr_steps; i++)
		sum += tally_scaled(counts->steps[i].count, w->scale);
	return sum;
}

/* All but the binaries. */
static void fill_head(struct write *w)
{
	const struct tally *tally = w->tally;
	const struct counts *counts = &tally->counts;
	struct cf_head *head = &w->head;

	head->nr_sources = 1;
	head->nr_events = tally->nr_events;
	if (tally->nr_events)
		memcpy(head->events, tally->events,
		       tally->nr_events * sizeof(*head->events));
	qsort(head->events, head->nr_events, sizeof(*head->events), by_name);
	head->depth = tally->depth;
	head->samples = counts->samples;
	head->empty = counts->empty;
	head->entries = counts->entries;
	head->weight = w->weight = sum_weights(w);
	head->lost = tally->lost;
	head->dropped = tally->dropped;
	head->flags = counts->flags;
	head->all_branches = tally->all_branches;
	head->by_events = tally->each;
}

/* Returns 1 if it would have more than most bytes (0: any number), and is not written. */
static int write_once(struct write *w, const char *path, uint64_t most, struct error *error)
{
	const size_t nr = w->tally->nr_ips;
	struct tally_entry *order = malloc((nr + 1) * sizeof(*order));
	struct cf_writer *writer;
	int ret;

	if (!order)
		return error_nomem(error);
	count_left_out(w);
	ret = cf_writer_open(&writer, path, &w->head, error);
	if (!ret) {
		ret = write_steps(w, writer, error);
		if (!ret)
			ret = write_samples(w, order, writer, error);
		if (!ret)
			ret = cf_writer_close_within(writer, true,
						     w->head.entries ? most : 0, error);
		else
			cf_writer_close(writer, false, &(struct error){ 0 });
	}
	free(order);
	return ret;
}

/* What is too large is written again, without rare steps, before it gets its name. */
static int write_all(struct write *w, const char *path, uint64_t most, struct error *error)
{
	int ret;

	find_used(w);
	list_binaries(w);
	index_binaries(w);
	fill_head(w);
	sort_steps(w);
	w->least = 1;
	do {
		ret = write_once(w, path, most, error);
		w->least *= 2;
	} while (ret > 0);
	return ret;
}

int tally_write_counts(const struct tally *tally, const char *path,
		       const struct cf_source *source, uint64_t begin, uint64_t end,
		       uint64_t most, struct error *error)
{
	const size_t nr = tally->places.nr_binaries, nr_steps = tally->counts.nr_steps;
	struct cf_source own = *source;
	struct write w = { .tally = tally, .scale = scale_of(tally) };
	int ret;

	w.index = calloc(nr + 1, sizeof(*w.index));
	w.used = calloc(nr + 1, sizeof(*w.used));
	w.order = malloc((nr_steps + 1) * sizeof(*w.order));
	w.head = (struct cf_head){ .sources = &own, .begin = begin, .end = end };
	w.named = calloc(nr + 1, sizeof(*w.named));
	w.head.binaries = calloc(nr + CF_FIRST_BINARY, sizeof(*w.head.binaries));
	w.head.events = malloc((tally->nr_events + 1) * sizeof(*w.head.events));
	if (w.index && w.used && w.order && w.named && w.head.binaries && w.head.events)
		ret = write_all(&w, path, most, error);
	else
		ret = error_nomem(error);
	free(w.index);
	free(w.used);
	free(w.order);
	free(w.named);
	free(w.head.binaries);
	free(w.head.events);
	return ret;
}
