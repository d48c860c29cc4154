// SPDX-License-Identifier: GPL-2.0-only
#include "trace/output.h"
#include "base/array.h"

#include <stdlib.h>

struct output *outputs_get(struct outputs *outputs, uint32_t key)
{
	const uint32_t hash = hash_u64(key);
	struct output *output;
	struct hash_slot *slot;

	if (!hash_room(&outputs->by_key) ||
	    !array_room(&outputs->v, outputs->nr, &outputs->cap,
			sizeof(*outputs->v)))
		return NULL;
	hash_for_each(&outputs->by_key, slot, hash)
		if (outputs->v[slot->number - 1]->key == key)
			return outputs->v[slot->number - 1];
	output = calloc(1, sizeof(*output));
	if (!output)
		return NULL;
	output->key = key;
	hash_put(&outputs->by_key, slot, hash, outputs->nr);
	outputs->v[outputs->nr++] = output;
	return output;
}

void outputs_free(struct outputs *outputs)
{
	size_t i;

	for (i = 0; i < outputs->nr; i++) {
		struct output *output = outputs->v[i];

		if (output->runs.writer)
			stf_writer_abort(output->runs.writer);
		run_free(&output->runs);
		traps_free(&output->tail.notes);
		free(output->queue.v);
		free(output->path);
		free(output);
	}
	free(outputs->v);
	hash_free(&outputs->by_key);
}

int output_run(struct output *output, const struct run *what)
{
	return run_write(&output->runs, what, &output->queue);
}

int output_hold(struct output *output, const struct run *what,
		uint32_t pid, uint32_t tid)
{
	struct output_tail *tail = &output->tail;

	tail->waits = true;
	tail->pid = pid;
	tail->tid = tid;
	tail->event = what->event;
	tail->run = *what->run;
	tail->first_accesses = what->first_accesses;
	/* Those told since the sample before; this one's instruction comes next. */
	tail->last_accesses = what->run->end == PATH_END_IP ?
				      output->queue.nr - what->first_accesses :
				      0;
	return traps_copy(&tail->notes, what->notes, what->nr_notes) ?
		       STF_E_NOMEM :
		       0;
}

int output_flush(struct output *output)
{
	const struct output_tail *tail = &output->tail;
	const struct run what = {
		.run = &tail->run,
		.event = tail->event,
		.notes = tail->notes.v,
		.nr_notes = tail->notes.nr,
		.first_accesses = tail->first_accesses,
		.last_accesses = tail->last_accesses,
	};

	if (!tail->waits)
		return 0;
	output->tail.waits = false;
	return output_run(output, &what);
}

int output_end(struct output *output)
{
	int ret;

	if (output->tail.waits && output->tail.run.nr_insns)
		output->tail.last_accesses =
			output->queue.nr - output->tail.first_accesses;
	ret = output_flush(output);
	output->left_out += output->queue.nr;
	return ret;
}
