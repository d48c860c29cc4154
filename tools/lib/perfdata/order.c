// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "perfdata/internal.h"

#include <stdlib.h>

int pd_order_add(struct pd_order *order, const struct pd_entry *entry)
{
	if (order->nr == order->cap) {
		if (!array_room(&order->v, order->nr, &order->cap,
				sizeof(*order->v)))
			return PD_ENOMEM;
		free(order->tmp);
		order->tmp = NULL;
	}
	if (entry->time > order->max)
		order->max = entry->time;
	order->v[order->nr] = *entry;
	order->v[order->nr++].round = order->round;
	return 0;
}

static size_t run_end(const struct pd_entry *v, size_t i, size_t nr)
{
	while (++i < nr && v[i - 1].time <= v[i].time)
		;
	return i;
}

/* Merge a[0..na) and a[na..n) to out; equal times stay in their order. */
static void merge(const struct pd_entry *a, size_t na, size_t n,
		  struct pd_entry *out)
{
	size_t i = 0, j = na;

	while (i < na && j < n)
		*out++ = a[j].time < a[i].time ? a[j++] : a[i++];
	memcpy(out, a + i, (na - i) * sizeof(*a));
	memcpy(out + (na - i), a + j, (n - j) * sizeof(*a));
}

/*
 * A natural merge sort: a round is a few sorted runs, one for each ring buffer,
 * so it is sorted in a few passes.
 */
static int sort(struct pd_order *order)
{
	size_t nr = order->nr;

	if (!nr)
		return 0;
	while (run_end(order->v, 0, nr) < nr) {
		struct pd_entry *v = order->v;
		size_t i = 0;

		if (!order->tmp)
			order->tmp = malloc(order->cap * sizeof(*v));
		if (!order->tmp)
			return PD_ENOMEM;
		while (i < nr) {
			size_t middle = run_end(v, i, nr);
			size_t end = middle < nr ? run_end(v, middle, nr) : nr;

			merge(v + i, middle - i, end - i, order->tmp + i);
			i = end;
		}
		order->v = order->tmp;
		order->tmp = v;
	}
	return 0;
}

bool pd_order_same(const struct pd_entry *a, const struct pd_entry *b)
{
	uint16_t size;

	memcpy(&size, a->rec + 6, sizeof(size));
	return !memcmp(a->rec, b->rec, PD_HEADER_SIZE) &&
	       !memcmp(a->rec, b->rec, size);
}

/*
 * The entries of one time and one round, from last on, and those of the same time of the round
 * before, [before, last). The next copy is most likely one of at.
 */
struct same_time {
	uint64_t time;
	uint32_t round;
	size_t before, at, last;
};

/* @entry comes next, behind nr others. */
static void follow_time(struct same_time *same, size_t nr, const struct pd_entry *entry)
{
	const bool goes_on = same->time == entry->time;

	if (goes_on && same->round == entry->round)
		return;
	same->before = goes_on && same->round + 1 == entry->round ? same->last : nr;
	same->at = same->before;
	same->last = nr;
	same->time = entry->time;
	same->round = entry->round;
}

/* Is @entry a copy of one of the round before? Copies have the order of their originals. */
static bool is_again(struct same_time *same, const struct pd_entry *v,
		     const struct pd_entry *entry)
{
	size_t left = same->last - same->before;

	for (; left; left--) {
		const struct pd_entry *original = &v[same->at++];

		if (same->at == same->last)
			same->at = same->before;
		if (pd_order_same(original, entry))
			return true;
	}
	return false;
}

/* Of what is ready; that of one time is ready at once. */
static void drop_copies(struct pd_order *order, struct pd_blocks *blocks,
			uint64_t *again)
{
	struct pd_entry *v = order->v;
	struct same_time same = { 0 };
	size_t kept = 0, i;

	for (i = 0; i < order->ready; i++) {
		follow_time(&same, kept, &v[i]);
		if (is_again(&same, v, &v[i])) {
			pd_block_put(blocks, v[i].block);
			++*again;
		} else {
			if (kept < i)
				v[kept] = v[i];
			kept++;
		}
	}
	if (kept == i)
		return;
	memmove(v + kept, v + i, (order->nr - i) * sizeof(*v));
	order->nr -= i - kept;
	order->ready = kept;
}

/* Drop what is delivered, and sort the others. */
static int settle(struct pd_order *order)
{
	if (order->next) {
		order->nr -= order->next;
		memmove(order->v, order->v + order->next,
			order->nr * sizeof(*order->v));
	}
	order->next = 0;
	order->ready = 0;
	return sort(order);
}

/* Make ready what is not newer. */
static void release(struct pd_order *order, struct pd_blocks *blocks,
		    uint64_t *again, uint64_t limit)
{
	size_t low = 0, high = order->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order->v[middle].time <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	order->ready = low;
	drop_copies(order, blocks, again);
}

int pd_order_round(struct pd_order *order, struct pd_blocks *blocks,
		   uint64_t *again)
{
	uint64_t limit = order->limit;

	order->limit = order->max;
	order->round++;
	if (settle(order))
		return PD_ENOMEM;
	release(order, blocks, again, limit);
	return 0;
}

int pd_order_half(struct pd_order *order, struct pd_blocks *blocks,
		  uint64_t *again)
{
	if (settle(order))
		return PD_ENOMEM;
	if (order->nr)
		release(order, blocks, again, order->v[order->nr / 2].time);
	return 0;
}

int pd_order_end(struct pd_order *order, struct pd_blocks *blocks,
		 uint64_t *again)
{
	if (settle(order))
		return PD_ENOMEM;
	release(order, blocks, again, UINT64_MAX);
	return 0;
}

void pd_order_free(struct pd_order *order, struct pd_blocks *blocks)
{
	for (; order->next < order->nr; order->next++)
		pd_block_put(blocks, order->v[order->next].block);
	free(order->v);
	free(order->tmp);
}
