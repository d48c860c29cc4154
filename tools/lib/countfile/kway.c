// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/kway.h"

#include <stdlib.h>

/* A heap of the inputs that have a current item. The smallest one is the first. */
struct heap {
	struct cf_feed **v;
	size_t nr;
	int (*next)(struct cf_feed *feed, struct error *error);
	int (*compare)(const struct cf_feed *a, const struct cf_feed *b);
	uint32_t *failed;
	struct error *error;
};

static int compare_steps(const struct cf_feed *a, const struct cf_feed *b)
{
	return cf_compare_steps(&a->step, &b->step);
}

static int compare_samples(const struct cf_feed *a, const struct cf_feed *b)
{
	return cf_compare_samples(&a->sample, &b->sample);
}

static void sift_down(struct heap *heap, size_t i)
{
	struct cf_feed *feed = heap->v[i];
	size_t child;

	while ((child = 2 * i + 1) < heap->nr) {
		if (child + 1 < heap->nr &&
		    heap->compare(heap->v[child + 1], heap->v[child]) < 0)
			child++;
		if (heap->compare(feed, heap->v[child]) <= 0)
			break;
		heap->v[i] = heap->v[child];
		i = child;
	}
	heap->v[i] = feed;
}

/* Returns 1, 0 after the last item, or ERROR_*. */
static int next(struct heap *heap, struct cf_feed *feed)
{
	int ret = heap->next(feed, heap->error);

	if (ret == ERROR_INPUT)
		*heap->failed = feed->input;
	return ret;
}

/* Each input gets its first item. */
static int begin(struct heap *heap, struct cf_feed *feeds, size_t nr)
{
	size_t i;
	int ret;

	heap->nr = 0;
	for (i = 0; i < nr; i++) {
		ret = next(heap, &feeds[i]);
		if (ret < 0)
			return ret;
		if (ret)
			heap->v[heap->nr++] = &feeds[i];
	}
	for (i = heap->nr / 2; i-- > 0;)
		sift_down(heap, i);
	return 0;
}

/* The first input gets its next item, or leaves the heap. */
static int advance(struct heap *heap)
{
	int ret = next(heap, heap->v[0]);

	if (ret < 0)
		return ret;
	if (!ret)
		heap->v[0] = heap->v[--heap->nr];
	if (heap->nr)
		sift_down(heap, 0);
	return 0;
}

static int add_step(struct cf_step *to, const struct cf_step *from, struct error *error)
{
	if (__builtin_add_overflow(to->seen, from->seen, &to->seen) ||
	    __builtin_add_overflow(to->weight, from->weight, &to->weight) ||
	    __builtin_add_overflow(to->cycles, from->cycles, &to->cycles))
		return error_set(error, ERROR_INPUT,
				 "the counts of a step do not fit into 64 bits");
	to->timed += from->timed;
	if (from->length > to->length)
		to->length = from->length;
	return 0;
}

static int merge_steps(struct heap *heap, const struct cf_sink *sink)
{
	struct cf_step step;
	int ret = 0;

	while (!ret && heap->nr) {
		step = heap->v[0]->step;
		ret = advance(heap);
		while (!ret && heap->nr && !cf_compare_steps(&heap->v[0]->step, &step)) {
			ret = add_step(&step, &heap->v[0]->step, heap->error);
			if (!ret)
				ret = advance(heap);
		}
		if (!ret)
			ret = sink->step(sink->arg, &step, heap->error);
	}
	return ret;
}

static int merge_samples(struct heap *heap, const struct cf_sink *sink)
{
	struct cf_sample sample;
	int ret = 0;

	while (!ret && heap->nr) {
		sample = heap->v[0]->sample;
		ret = advance(heap);
		while (!ret && heap->nr &&
		       !cf_compare_samples(&heap->v[0]->sample, &sample)) {
			if (__builtin_add_overflow(sample.count,
						   heap->v[0]->sample.count, &sample.count))
				return error_set(heap->error, ERROR_INPUT,
						 "the counts of a sample do not fit into 64 bits");
			ret = advance(heap);
		}
		if (!ret)
			ret = sink->sample(sink->arg, &sample, heap->error);
	}
	return ret;
}

int cf_kway(struct cf_feed *feeds, size_t nr, const struct cf_sink *sink,
	    uint32_t *failed, struct error *error)
{
	struct heap heap = {
		.v = malloc(nr * sizeof(*heap.v)),
		.next = cf_feed_step,
		.compare = compare_steps,
		.failed = failed,
		.error = error,
	};
	int ret = heap.v ? begin(&heap, feeds, nr) : error_nomem(error);

	if (!ret)
		ret = merge_steps(&heap, sink);
	heap.next = cf_feed_sample;
	heap.compare = compare_samples;
	if (!ret)
		ret = begin(&heap, feeds, nr);
	if (!ret)
		ret = merge_samples(&heap, sink);
	free(heap.v);
	return ret;
}
