// SPDX-License-Identifier: GPL-2.0-only
/* What others have counted, to be added to what is counted here. */
#include "profile/internal.h"
#include "tally/note.h"

#include <stdlib.h>
#include <string.h>

static int check_head(struct prof_job *job, const struct cf_head *head)
{
	if (!head->all_branches)
		job->filtered_by = job->recording;
	return samples_refuse_selection(job->opts.samples, job->recording, job->error) ?:
	       samples_check_places(job->opts.samples, job->error);
}

/* The numbers of the file's binaries. NULL: out of memory. The caller frees them. */
static unsigned int *number_binaries(struct prof_job *job, const struct cf_head *head)
{
	unsigned int *numbers = calloc(head->nr_binaries, sizeof(*numbers));
	size_t i;

	for (i = CF_FIRST_BINARY; numbers && i < head->nr_binaries; i++) {
		const struct cf_binary *b = &head->binaries[i];
		struct prof_binary like = { .name = b->name, .kernel = b->kernel,
					    .symbol = b->symbol, .made = cf_is_made(b),
					    .build_id_size = b->build_id_size };

		memcpy(like.build_id, b->build_id, sizeof(like.build_id));
		numbers[i] = prof_places_add(&job->places, &like);
		if (!numbers[i]) {
			free(numbers);
			return NULL;
		}
		/* It is not told how the build id became known. */
		job->places.binaries[numbers[i]].doubtful = true;
	}
	if (numbers)
		numbers[CF_KERNEL] = PROF_KERNEL;
	return numbers;
}

static count_place place_of(const unsigned int *numbers, uint32_t binary, uint64_t offset)
{
	return (offset & COUNT_OFFSET_MASK) |
	       (count_place)numbers[binary] << COUNT_OFFSET_BITS;
}

static bool add_step(struct prof_job *job, const unsigned int *numbers,
		     const struct cf_step *s)
{
	struct count_step step = {
		.from = place_of(numbers, s->from_binary, s->from),
		.to = place_of(numbers, s->to_binary, s->to),
		.count = job->opts.raw ? s->seen : s->weight,
		.line = s->line,
	};

	/* With weights, the newest transfer of a stack is not counted. */
	if (s->youngest && !step.count)
		return true;
	if (s->mispredicted)
		step.from |= COUNT_MISPREDICTED;
	return count_add(&job->counts, &step, NULL);
}

/* The weight is the sum of all counts, so each sum of some of them fits if it does. */
static int add_head(struct prof_job *job, const struct cf_head *head)
{
	struct counts *counts = &job->counts;

	counts->samples += head->samples;
	counts->empty += head->empty;
	counts->entries += head->entries;
	counts->flags |= head->flags;
	if (job->depth < head->depth)
		job->depth = head->depth;
	if (__builtin_add_overflow(counts->weight,
				   job->opts.raw ? head->entries : head->weight,
				   &counts->weight))
		return error_set(job->error, ERROR_INPUT,
				 "%s: its counts and those before it do not fit into 64 bits; give them smaller weights",
				 job->recording);
	return 0;
}

/* Of a file, prof_job_open() has done it. */
static int check_sources(struct prof_job *job, const struct cf_head *head, const char *path)
{
	if (prof_inputs_is_file(path))
		return 0;
	return prof_inputs_count(&job->inputs, path, head->sources, head->nr_sources,
				 job->error) ?:
	       prof_inputs_check(&job->inputs, job->error);
}

int prof_job_add_counts(struct prof_job *job, struct cf_reader *reader,
			const char *path)
{
	const struct cf_head *head = cf_reader_head(reader);
	struct notes notes = { 0 };
	unsigned int *numbers;
	struct cf_step step;
	int ret;

	job->recording = path;
	ret = check_head(job, head) ?: check_sources(job, head, path);
	if (ret)
		return ret;
	numbers = number_binaries(job, head);
	if (!numbers)
		return error_nomem(job->error);
	/* The lengths of lines are needed to weigh them, which is done. */
	job->counts.code = NULL;
	while ((ret = cf_read_step(reader, &step, job->error)) > 0)
		if (!add_step(job, numbers, &step)) {
			ret = error_nomem(job->error);
			break;
		}
	if (!ret)
		ret = add_head(job, head);
	tally_note_head(head, &notes);
	prof_job_keep_notes(job, &notes);
	prof_job_look_for_part(job, numbers, head->nr_binaries);
	free(numbers);
	return ret;
}
