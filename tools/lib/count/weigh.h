/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The weight of a line of a branch stack. With these weights, the sum for a line is in
 * proportion to how often the line ran.
 *
 * A line is the code from the target of a transfer to the next transfer. A line is in the
 * stack of each sample that falls into the depth - 1 lines after it. Therefore, a line is
 * seen more often if the lines after it take longer. Two weights correct this:
 *
 *	1 / (what these lines take)
 *		The lines up to the line of the sample are known. What the other
 *		lines take is expected from what was learnt.
 *	1 / (depth * what the line of the sample takes)
 *		Samples in the first instructions of lines are distributed evenly
 *		over everything that ran.
 *
 * The first weight varies little, but it is wrong if the expectation is wrong. The second
 * weight varies more, but it needs only the length of one line. The sum of the first
 * weight and twice the second weight has a smaller error than either of them. This was
 * tried with ten programs and depths of 16 to 127 (docs/profile.md).
 *
 * In the kernel, a sample that is due while interrupts are off is taken when they are on
 * again. Some lines then have many samples that belong to other lines. There, only the
 * first weight is used, three times.
 *
 * The lengths of the lines after a transfer are learnt from the stacks: what the next 1
 * to depth - 1 lines take. They are learnt for the target of the newest transfer alone,
 * and for this target together with the transfers that led to it. If there are more of
 * these than fit, those are kept in which most of the time was spent lately.
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
	/* contexts of a target: with few and with many transfers */
	WEIGH_ORDERS = 2,
	WEIGH_KNOTS = 4, /* how many numbers of lines have learnt lengths */
	/* transfers before a target that are a part of its context */
	WEIGH_CONTEXT = 6,
	WEIGH_ONE = 1 << 20, /* the weight of a line that takes 1 */
	WEIGH_MOST = 3 * WEIGH_ONE, /* the highest weight of a line */
	WEIGH_BATCH = 64, /* the most lines in one call */
	WEIGH_LANES = 4, /* lines are read and written in groups of this size */
	WEIGH_EARLY = 1 << 12, /* lines of stacks; before so many, little was learnt */
};

/* One number for each knot, or for as many lines. */
typedef float weigh_vec __attribute__((vector_size(4 * WEIGH_LANES)));

struct weigh_line {
	/* the source and the target of the transfer that leads to it */
	uint64_t from, to;
	/* the keys of the contexts in which it is learnt */
	uint64_t keys[WEIGH_ORDERS];
	uint32_t rows[WEIGH_ORDERS]; /* and their rows' numbers */
	unsigned int nr_keys;
	uint32_t end; /* what this line and the newer lines of the stack take */
};

/* What was seen in a context, weighed by stack. The mean for a knot is num / den. */
struct weigh_row {
	weigh_vec num, den;
};

/* In what a stack ended: what is expected depends on it. */
struct weigh_context {
	uint64_t keys[WEIGH_ORDERS]; /* of the contexts of its newest target */
	unsigned int nr;
};

/* Set all members to 0 before the first stack. */
struct weigh {
	/* A table with open addressing, of 1 << bits slots: a key, or 0, and the row's number. */
	uint64_t *keys;
	uint16_t *numbers;
	unsigned int bits;
	struct weigh_row *rows;
	size_t nr_rows;
	uint32_t depth; /* the depth of the deepest stack so far */
	/* rising numbers of lines, from 1 to depth - 1 */
	uint32_t knots[WEIGH_KNOTS];
	uint64_t stacks;

	/* The state of the current stack: */
	struct weigh_context context;
	float own; /* the second weight */
	float one; /* the first weight of lines that take 1 */
	/* what the lines after the next one take, seen and expected */
	float takes;
	/* what each line of a knot takes of the expected sum */
	float step[WEIGH_KNOTS];
	/* how many lines are expected, beginning with the sample's own line */
	uint32_t ahead;
	unsigned int knot; /* the knot up to which the last of them reaches */
	bool learns;
	uint32_t seen; /* what the lines of the stack take so far */
	struct weigh_line *v; /* the lines, if it learns from this stack */
	size_t nr, cap;
};

/*
 * Begin a stack of nr_stack transfers, at least 2. to is the target of the newest
 * transfer. from has the sources of the newest transfer and of those before. This call
 * fetches what is known about them into the cache, so that weigh_begin() need not wait
 * for the memory. Returns false if out of memory.
 */
bool weigh_seek(struct weigh *w, uint64_t to, const uint64_t *from, size_t distance,
		unsigned int nr, uint32_t nr_stack);

/* Returns whether little was learnt yet, so that the weights of the stack are less exact. */
static inline bool weigh_is_early(const struct weigh *w)
{
	return w->stacks * w->depth < WEIGH_EARLY;
}

/*
 * Continue the stack. mean is what its lines take on average. This is the expectation
 * where nothing was learnt. late means that the sample may have been due in another line
 * than the one in which it was taken.
 *
 * A stack of which w->context was kept can be weighed again, when more was learnt: store its
 * context, and call this function and weigh_lines(). Stacks in between must not have been
 * deeper.
 */
void weigh_begin(struct weigh *w, float mean, bool late);

/*
 * Compute the weights of the next nr lines, at most WEIGH_BATCH. lengths has what these
 * lines take: instructions, or cycles if the event of the samples counts cycles. Each
 * length is less than 2^31. The arrays lengths and weights must have a multiple of
 * WEIGH_LANES elements.
 */
void weigh_lines(struct weigh *w, const uint32_t *lengths, unsigned int nr,
		 uint32_t *weights);

/*
 * Note the next line of a stack to learn from. from and to are the transfer that leads to
 * it. The highest bit of from does not matter.
 */
static inline void weigh_note(struct weigh *w, uint64_t from, uint64_t to,
			      uint32_t length)
{
	w->seen += length;
	w->v[w->nr++] = (struct weigh_line){ .from = from, .to = to, .end = w->seen };
}

/* End the stack and learn from it. */
void weigh_end(struct weigh *w);

/* Returns the size in bytes of what was learnt. */
size_t weigh_bytes(const struct weigh *w);

void weigh_free(struct weigh *w);

#endif
