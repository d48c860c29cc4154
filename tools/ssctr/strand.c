// SPDX-License-Identifier: GPL-2.0-only
#include "strand.h"

#include <stdlib.h>

static bool grow(struct strands *strands)
{
	unsigned int i, j, cap = strands->cap ? 2 * strands->cap : 16;
	struct strand **v, **slots;

	v = realloc(strands->v, cap * sizeof(*v));
	if (!v)
		return false;
	strands->v = v;
	slots = calloc(2 * cap, sizeof(*slots));
	if (!slots)
		return false;
	for (i = 0; i < strands->nr; i++) {
		j = v[i]->key & (2 * cap - 1);
		while (slots[j])
			j = (j + 1) & (2 * cap - 1);
		slots[j] = v[i];
	}
	free(strands->slots);
	strands->slots = slots;
	strands->mask = 2 * cap - 1;
	strands->cap = cap;
	return true;
}

struct strand *strands_get(struct strands *strands, uint32_t key)
{
	struct strand *strand;
	unsigned int i;

	if (strands->nr == strands->cap && !grow(strands))
		return NULL;
	for (i = key & strands->mask; strands->slots[i];
	     i = (i + 1) & strands->mask)
		if (strands->slots[i]->key == key)
			return strands->slots[i];
	strand = calloc(1, sizeof(*strand));
	if (!strand)
		return NULL;
	strand->key = key;
	strands->slots[i] = strand;
	strands->v[strands->nr++] = strand;
	return strand;
}

void strands_free(struct strands *strands)
{
	unsigned int i;

	for (i = 0; i < strands->nr; i++) {
		struct strand *strand = strands->v[i];

		if (strand->trace.writer)
			stf_writer_abort(strand->trace.writer);
		trace_free(&strand->trace);
		traps_free(&strand->tail.notes);
		free(strand->queue.v);
		free(strand->path);
		free(strand);
	}
	free(strands->v);
	free(strands->slots);
}

int strand_run(struct strand *strand, const struct trace_run *what)
{
	return trace_run(&strand->trace, what, &strand->queue);
}

int strand_hold(struct strand *strand, const struct trace_run *what,
		uint32_t pid, uint32_t tid)
{
	struct strand_tail *tail = &strand->tail;

	tail->waits = true;
	tail->pid = pid;
	tail->tid = tid;
	tail->event = what->event;
	tail->run = *what->run;
	tail->first_accesses = what->first_accesses;
	/* Those told since the sample before; this one's instruction comes next. */
	tail->last_accesses = what->run->end == PATH_END_IP ?
				      strand->queue.nr - what->first_accesses :
				      0;
	return traps_copy(&tail->notes, what->notes, what->nr_notes) ?
		       STF_E_NOMEM :
		       0;
}

int strand_flush(struct strand *strand)
{
	const struct strand_tail *tail = &strand->tail;
	const struct trace_run what = {
		.run = &tail->run,
		.event = tail->event,
		.notes = tail->notes.v,
		.nr_notes = tail->notes.nr,
		.first_accesses = tail->first_accesses,
		.last_accesses = tail->last_accesses,
	};

	if (!tail->waits)
		return 0;
	strand->tail.waits = false;
	return strand_run(strand, &what);
}

int strand_end(struct strand *strand)
{
	int ret;

	if (strand->tail.waits && strand->tail.run.nr_insns)
		strand->tail.last_accesses =
			strand->queue.nr - strand->tail.first_accesses;
	ret = strand_flush(strand);
	strand->left_out += strand->queue.nr;
	return ret;
}
