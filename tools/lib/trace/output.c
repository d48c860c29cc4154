// SPDX-License-Identifier: GPL-2.0-only
#include "trace/output.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

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
	struct error unused;
	size_t i;

	for (i = 0; i < outputs->nr; i++) {
		struct output *output = outputs->v[i];

		tracefile_close(&output->file, false, &unused);
		run_free(&output->runs);
		about_free(&output->about);
		traps_free(&output->tail.notes);
		shown_free(&output->shown);
		free(output->tail.runs);
		free(output->tail.transfers);
		free(output->queue.v);
		free(output->path);
		free(output);
	}
	free(outputs->v);
	hash_free(&outputs->by_key);
}

/* The runs of a path from one to another; last: the one with accesses. */
static int write_runs(struct output *output, const struct output_path *path,
		      unsigned int i, unsigned int end, unsigned int last)
{
	int ret = 0;

	for (; i < end && !ret; i++) {
		struct run what = {
			.run = &path->runs[i],
			.transfers = path->transfers,
			.event = path->event,
			.accesses = i == last ? output->tail.accesses : 0,
		};

		what.nr_notes = traps_of_run(path->notes, i, &what.notes);
		ret = run_write(&output->runs, &what, &output->queue);
	}
	return ret;
}

int output_path(struct output *output, const struct output_path *path,
		unsigned int held)
{
	struct output_tail *tail = &output->tail;
	const unsigned int nr = path->nr_runs - held;
	int ret = write_runs(output, path, 0, held, path->nr_runs);

	if (ret)
		return ret;
	if (!array_cover(&tail->runs, nr, &tail->cap_runs,
			 sizeof(*tail->runs)) ||
	    !array_cover(&tail->transfers, path->nr_transfers,
			 &tail->cap_transfers, sizeof(*tail->transfers)) ||
	    traps_copy(&tail->notes, path->notes, held))
		return STF_E_NOMEM;
	if (nr)
		memcpy(tail->runs, path->runs + held, nr * sizeof(*tail->runs));
	/* Most runs that are held back have no transfer. */
	if (nr > 1)
		memcpy(tail->transfers, path->transfers,
		       path->nr_transfers * sizeof(*tail->transfers));
	tail->nr_runs = nr;
	tail->event = path->event;
	tail->fault = path->notes->pending;
	tail->fault.run -= held;
	/* Those told since the sample before, if what comes next is certain. */
	tail->accesses = nr && tail->runs[nr - 1].end == PATH_END_IP ?
				 output->queue.nr :
				 0;
	return 0;
}

int output_fault(struct output *output, const struct side_fault *fault)
{
	struct output_tail *tail = &output->tail;

	if (!tail->nr_runs)
		return 0;
	return traps_resolve(&tail->notes, &tail->fault, fault) ? STF_E_NOMEM : 0;
}

int output_flush(struct output *output)
{
	struct output_tail *tail = &output->tail;
	const struct output_path path = {
		.event = tail->event,
		.runs = tail->runs,
		.nr_runs = tail->nr_runs,
		.transfers = tail->transfers,
		.notes = &tail->notes,
	};

	tail->nr_runs = 0;
	return write_runs(output, &path, 0, path.nr_runs, path.nr_runs - 1);
}

int output_end(struct output *output)
{
	int ret;

	if (output->tail.nr_runs)
		output->tail.accesses = output->queue.nr;
	ret = output_flush(output);
	output->left_out += output->queue.nr;
	return ret;
}
