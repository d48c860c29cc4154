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
 * What follows a transfer is learnt from the stacks: what the next 1 to depth - 1 lines take, by the newest transfer's target alone and by what led to it, too.
 *
 *	weigh_begin(w, ...);
 *	for each line, from the newest whole one on:
 *		weight = weigh_next(w), weigh_line(w, ...);
 *	weigh_end(w);
 */
#ifndef COUNT_WEIGH_H
#define COUNT_WEIGH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WEIGH_KNOTS = 6, /* numbers of lines whose lengths are learnt */
	WEIGH_CONTEXT = 6, /* transfers before a target that are looked at */
	WEIGH_ONE = 1 << 20, /* the weight of what takes 1 */
	WEIGH_MOST = 3 * WEIGH_ONE, /* of one line */
};

struct weigh_line {
	uint64_t from, to; /* the transfer's that leads to it */
	uint32_t end; /* what it and those after it take */
};

struct weigh_row {
	uint64_t key; /* 0: none */
	/* Of what was seen from here on, each weighed by its stack: see term_of(). */
	float sum[WEIGH_KNOTS], nr[WEIGH_KNOTS];
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
	float own; /* the second weight */
	float seen, expected; /* what the lines after the next one take */
	float step[WEIGH_KNOTS]; /* how much of what is expected each line of a knot is */
	uint32_t ahead; /* lines that are expected, from the sample's own on */
	unsigned int knot; /* the last of them is up to this one */
	bool learns;
	struct weigh_line *v; /* the lines, if it learns from them */
	size_t nr, cap;
};

/*
 * A stack of nr_stack transfers, at least 2: the target of the newest, the sources of it
 * and of those before, and about what its lines take in the mean, which is expected to go
 * on where nothing was learnt. False: out of memory.
 */
bool weigh_begin(struct weigh *w, uint64_t to, const uint64_t *from,
		 unsigned int nr, uint32_t nr_stack, float mean);

/* That was all of it; learn from it. */
void weigh_end(struct weigh *w);

void weigh_free(struct weigh *w);

/* What the next line stands for. */
static inline uint32_t weigh_next(struct weigh *w)
{
	const float takes = w->seen + w->expected;

	/* What is left of large numbers may be less than what is left of lines. */
	return (uint32_t)(w->own + WEIGH_ONE / (takes > 1 ? takes : 1));
}

/* What it takes: instructions, or cycles if the samples are by these. */
static inline void weigh_line(struct weigh *w, uint64_t from, uint64_t to,
			      uint32_t length)
{
	w->seen += length;
	w->expected -= w->step[w->knot];
	w->ahead--;
	while (w->knot && w->ahead == w->knots[w->knot - 1])
		w->knot--;
	if (w->learns)
		w->v[w->nr++] = (struct weigh_line){ from, to, (uint32_t)w->seen };
}

#endif
