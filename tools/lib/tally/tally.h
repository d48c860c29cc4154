/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the samples of recordings into a counts file.
 *
 *	tally_new(&tally, &opts, &error);
 *	for each recording of the period:
 *		tally_add(tally, &samples, &error);
 *	tally_write(tally, "OUT", &source, begin, end, 0, &error);
 *	tally_free(tally);
 */
#ifndef TALLY_H
#define TALLY_H

#include "countfile/countfile.h"
#include "samples/samples.h"

struct tally;

/* opts says where code is, and must exist as long as the tally. Returns 0 or ERROR_*. */
int tally_new(struct tally **tally, const struct samples_opts *opts,
	      struct error *error);

/*
 * Let the counts take at most this many bytes of memory, about. What is more becomes
 * temporary files. The counts are the same. 0: they take what they need.
 */
void tally_limit(struct tally *tally, size_t memory);

/* Count all samples that the recording still has. Returns 0, or ERROR_* with a text. */
int tally_add(struct tally *tally, struct samples *samples,
	      struct error *error);

/*
 * Let the weights stand for events (cf_head.by_events): each sample that is added from now on
 * stands for so many. Without this call they stand for samples.
 */
void tally_by_events(struct tally *tally, double events);

/*
 * Samples were taken in this share of the time alone, above 0 and at most 1, so that each
 * stands for more of the events. For tally_by_events(), and until tally_clear().
 */
void tally_was_part(struct tally *tally, double share);

/* Returns the bytes of memory that the counts take. */
size_t tally_bytes(const struct tally *tally);

/* Returns the number of samples with a branch stack since the last tally_clear(). */
uint64_t tally_samples(const struct tally *tally);

/* Returns the number of samples that were left out, because their stacks are call stacks. */
uint64_t tally_call_stacks(const struct tally *tally);

/*
 * Write a line for each file whose code would tell the weights of lines, but could not be
 * read. Lines without code have another weight.
 */
void tally_write_files(const struct tally *tally, FILE *file);

/*
 * Store when the first recording began and when the last sample was taken, in s since
 * 1970. Both are 0 if no recording tells it: perf tells it only with -k.
 */
void tally_times(const struct tally *tally, uint64_t *begin, uint64_t *end);

/* Add samples that a bound left out. */
void tally_dropped(struct tally *tally, uint64_t samples);

/*
 * Write a counts file of all that was counted. begin and end are s since 1970, or 0 if they
 * are not known. If the file has more than `most` bytes (0: any number), it is written again
 * without the steps that were seen once, then without those seen less than 4, 8 ... times,
 * and its head tells what was left out. It can only be larger still by its binaries and
 * samples. Returns 0, or ERROR_* with a text. The tally stays as it was. A tally with
 * a limit takes no `most`, and can only be cleared or freed then.
 */
int tally_write(struct tally *tally, const char *path,
		const struct cf_source *source, uint64_t begin, uint64_t end, uint64_t most,
		struct error *error);

/* Forget all counts, and what was learnt to weigh them. */
void tally_clear(struct tally *tally);

/* tally may be NULL. */
void tally_free(struct tally *tally);

/*
 * Store the source that stands for a recording: period 0 of a label that its contents
 * give. Returns 0, or ERROR_INPUT with a text.
 */
int tally_source_of_file(const char *path, struct cf_source *source,
			 struct error *error);

#endif
