/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a line of a branch stack stands for, so that the weights of all that were seen
 * of it are in proportion to how often it ran.
 *
 * A line is the code from a transfer's target to the next transfer. It is seen by each
 * sample that falls into the depth - 1 lines after it, so the more often the longer these
 * take. Two weights put that right:
 *
 *	1 / (what these lines take)		of which those up to the sample's own are
 *						seen, and the others expected;
 *	1 / (depth * what the sample's own line takes)
 *						since the samples in the first instructions
 *						of lines fall evenly on all that ran.
 *
 * The first varies little, and is wrong where it expects the wrong; the second varies more,
 * and needs only the length of one line. The first and twice the second are less wrong than
 * either: of ten programs that was tried with depths of 16 to 127 (docs/profile.md).
 *
 * In the kernel a sample that is due while interrupts are off is taken when they are on
 * again, so that some lines have many samples that fell into others: there the first
 * weight is alone, three times.
 *
 * What follows a transfer is learnt from the stacks: what the next 1 to depth - 1 lines
 * take, by the newest transfer's target alone and by what led to it, too.
 *
 *	weigh_seek(w, ...), weigh_begin(w, ...);
 *	for all lines, from the newest whole one on, some at a time:
 *		weigh_lines(w, ...), and if (w->learns) for each weigh_note(w, ...);
 *	weigh_end(w);
 */
#ifndef COUNT_WEIGH_H
#define COUNT_WEIGH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WEIGH_ORDERS = 2, /* contexts of a target, from the least to the most */
	WEIGH_KNOTS = 4, /* numbers of lines whose lengths are learnt */
	WEIGH_CONTEXT = 6, /* transfers before a target that are looked at */
	WEIGH_ONE = 1 << 20, /* the weight of what takes 1 */
	WEIGH_MOST = 3 * WEIGH_ONE, /* of one line */
	WEIGH_BATCH = 64, /* the most lines at a time */
	WEIGH_LANES = 4, /* what is read and written of lines is a multiple of this */
};

/* A number for each of the knots, or for as many lines. */
typedef float weigh_vec __attribute__((vector_size(4 * WEIGH_LANES)));

struct weigh_line {
	uint64_t from, to; /* the transfer's that leads to it */
	uint32_t end; /* what it and those after it take */
};

/* What was seen, each weighed by its stack; the mean of what a knot takes is num / den. */
struct weigh_row {
	uint64_t key; /* 0: none */
	weigh_vec num, den;
};

/* All 0 before the first stack. */
struct weigh {
	struct weigh_row *rows; /* open addressing */
	unsigned int rows_bits;
	size_t nr_rows;
	uint32_t depth; /* of the deepest stack so far */
	uint32_t knots[WEIGH_KNOTS]; /* rising, of 1 to depth - 1 lines */
	uint64_t stacks;

	/* Of the stack at work: */
	uint64_t keys[WEIGH_ORDERS];
	unsigned int nr_keys;
	float own; /* the second weight */
	float one; /* the first, of what takes 1 */
	float takes; /* what the lines after the next one take, seen and expected */
	float step[WEIGH_KNOTS]; /* how much of what is expected each line of a knot is */
	uint32_t ahead; /* lines that are expected, from the sample's own on */
	unsigned int knot; /* the last of them is up to this one */
	bool learns;
	uint32_t seen; /* what its lines take */
	struct weigh_line *v; /* the lines, if it learns from them */
	size_t nr, cap;
};

/*
 * A stack of nr_stack transfers, at least 2: the target of the newest, and the sources of
 * it and of those before. What is known of it comes from memory until weigh_begin(). False:
 * out of memory.
 */
bool weigh_seek(struct weigh *w, uint64_t to, const uint64_t *from,
		unsigned int nr, uint32_t nr_stack);

/*
 * mean: what its lines take, which is expected to go on where nothing was learnt. late: the
 * sample may have been due in another line than it was taken in.
 */
void weigh_begin(struct weigh *w, float mean, bool late);

/*
 * The weights of the next lines, at most WEIGH_BATCH, by what these take: instructions, or
 * cycles if the samples are by these, each less than 2^31. lengths, and the room for
 * weights, go on up to a multiple of WEIGH_LANES.
 */
void weigh_lines(struct weigh *w, const uint32_t *lengths, unsigned int nr,
		 uint32_t *weights);

/* The next line of a stack to learn from, by the transfer that leads to it. */
static inline void weigh_note(struct weigh *w, uint64_t from, uint64_t to,
			      uint32_t length)
{
	w->seen += length;
	w->v[w->nr++] = (struct weigh_line){ from, to, w->seen };
}

/* That was all of it; learn from it. */
void weigh_end(struct weigh *w);

void weigh_free(struct weigh *w);

#endif
