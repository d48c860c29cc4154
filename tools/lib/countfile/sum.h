/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of a merged file: the sum of the heads of its inputs. */
#ifndef COUNTFILE_SUM_H
#define COUNTFILE_SUM_H

#include "base/hash.h"
#include "countfile/countfile.h"

/* A factor is a number of CF_FACTOR_ONE. */
#define CF_FACTOR_ONE (UINT64_C(1) << 32)

/* A source, and which input has it. */
struct cf_sum_source {
	struct cf_source source;
	uint32_t input;
};

/* Set all members to 0 first. */
struct cf_sum {
	/* The head, without sources and with unsorted binaries until cf_sum_finish(). */
	struct cf_head head;
	size_t cap_binaries, cap_events;
	struct hash binaries, events;
	struct cf_sum_source *sources;
	size_t nr_sources, cap_sources;
	size_t nr; /* heads */
};

/*
 * Add the head of an input, with its counts times a factor. The numbers of inputs are for
 * cf_sum_finish(). Returns 0, ERROR_NOMEM, or ERROR_INPUT with a text that does not name the
 * file. The sum can then not be used any more.
 */
int cf_sum_add(struct cf_sum *sum, const struct cf_head *head, uint32_t input,
	       uint64_t factor, struct error *error);

/* Give a binary of the sum another name, which is copied. Returns false if out of memory. */
bool cf_sum_rename(struct cf_binary *b, const char *name);

/* Make all heads that were added parts of one period of a source. */
void cf_sum_join(struct cf_sum *sum, const struct cf_source *source);

/* Two inputs that have the same period of a source. */
struct cf_overlap {
	uint32_t inputs[2];
	struct cf_source shared;
};

/*
 * Make sum->head whole. Returns 0, ERROR_NOMEM, or ERROR_INPUT if there is an overlap, which is
 * stored. The caller says what it is.
 */
int cf_sum_finish(struct cf_sum *sum, struct cf_overlap *overlap);

/*
 * Store which binary of the sum each binary of an input is. The sum is finished and has the
 * head of the input. Returns false if it has not.
 */
bool cf_sum_map(const struct cf_sum *sum, const struct cf_head *head, uint32_t *map);

/* Both return about how many bytes of memory it takes. */
size_t cf_sum_bytes(const struct cf_sum *sum);
size_t cf_head_bytes(const struct cf_head *head);

void cf_sum_free(struct cf_sum *sum);

#endif
