/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording's branch stacks tell of the program: its hottest edges,
 * functions, loops, indirect branches and calls, and its hardest branches.
 *
 *	hot_begin(&hot, code, HOT_WEIGHED | HOT_ALL);
 *	while (...)
 *		hot_count(&hot, &ev);
 *	hot_find(&hot);
 *	... hot.lists[HOT_EDGES] ...
 *	hot_free(&hot);
 */
#ifndef HOT_H
#define HOT_H

#include "base/hash.h"
#include "count/count.h"
#include "count/rank.h"
#include "path/code.h"
#include "riscv/rv_insn.h"

/* A function; where none is known all of a binary, or of what lies in none. */
struct hot_function {
	const char *name; /* its symbol's */
	char *demangled; /* after hot_demangle(), as people write it; NULL: as the symbol is */
	const char *binary;
	bool known;
	uint32_t first, last; /* of its places; those of unknown functions may lie between */
	uint64_t entries; /* by calls, and by jumps from other functions */
	/* Of all instructions that ran, without what it calls; 0 to 1; 0 without HOT_ALL. */
	double share;
};

/* Within a binary, the smaller number is the lower address. */
struct hot_place {
	struct path_place at;
	uint32_t function;
	uint64_t offset; /* from its start, or in its binary */
	/* Straight lines within the function that began here, and that ended. */
	uint64_t begun, ended;
	size_t first; /* of the edges from here, up to the next place's first */
};

/* All transfers of one type between two places. */
struct hot_edge {
	uint32_t from, to;
	uint32_t type; /* recorded, or else as the instruction says; 0: unknown */
	uint64_t count;
	uint64_t followed; /* of them, by another one in their stack */
	uint64_t mispredicted;
	uint64_t cycles; /* since the transfers before, summed up */
	uint64_t timed; /* how many have cycles */
};

/* In place of a loop: there is none. */
#define HOT_NO_LOOP UINT32_MAX

/* How much is known of how often a loop's head runs for each entry. */
enum hot_known {
	HOT_NOTHING,
	HOT_AT_LEAST, /* low: no entry was seen */
	HOT_ESTIMATED, /* the mean, with what it lies between in 19 of 20 cases */
	HOT_COUNTED, /* of runs of which the stacks have all, from entry to exit */
};

/*
 * The trips of a loop. Runs are counted if they are short enough for the stacks: then
 * none was seen, not even a part of one, that is longer than the longest of these.
 */
struct hot_trips {
	enum hot_known known;
	double mean, low, high; /* high: the same as low if all were alike */
	/* If they are counted, each weighed by what hides it: */
	uint64_t runs; /* how many were seen */
	uint32_t least, lower, median, upper, most; /* with the quartiles */
};

/*
 * A loop: places of a function of which each was gone to from each other, within the
 * function. The head is where control comes to it most often from elsewhere. It is as
 * compilers see it, so that the test of a loop that is tested first is its head, and a
 * block that was moved out of the way is in the loop that it is of.
 *
 * Counted of the transfers that another one follows in their stack, since only of
 * these it is known what ran after them.
 */
struct hot_loop {
	uint32_t head; /* a place of the body */
	uint32_t first, last; /* of it */
	uint32_t outer; /* the loop that it is in, or HOT_NO_LOOP */
	uint32_t depth; /* in how many it is */
	uint64_t iterations; /* how often the head ran */
	uint64_t entries;
	double share; /* of all instructions that ran, with the loops in it; 0 to 1 */
	struct hot_trips trips;
};

/*
 * A conditional branch that was taken at least once, with the lines that another
 * transfer follows in their stack: of these it is known which way it went.
 */
struct hot_branch {
	uint32_t edge; /* its place and its target */
	uint64_t taken, passed; /* how often it was, and was not */
	uint64_t mispredicted; /* of all that were recorded */
	/* Mispredicted, or where the recording does not tell, the rarer way. */
	uint64_t hard;
};

/* An indirect jump or call and its targets, but no return: these go back. */
struct hot_site {
	uint32_t from;
	uint32_t type;
	uint64_t count;
	size_t first, nr; /* of struct hot.targets */
};

struct hot_call {
	uint32_t from, to; /* functions */
	uint64_t count;
};

/* What there are lists of, the most frequent first. */
enum {
	HOT_EDGES,
	HOT_FUNCTIONS, /* counted by entries, in the order of their shares; those that ran */
	HOT_LOOPS, /* counted by iterations, in the order of their shares */
	HOT_BRANCHES, /* by how hard they are; all of them */
	HOT_SITES,
	HOT_CALLS,
	HOT_NR_LISTS,
};

/* A transfer and the line that it began. */
struct hot_step {
	uint32_t from, to; /* places */
	uint32_t end; /* of the line, or HOT_NO_PLACE */
	uint32_t type;
	uint32_t length; /* instructions of the line; 0: not known */
};

/* Places, none twice. */
struct hot_set {
	struct path_place *v;
	size_t nr, cap;
	struct hash index;
	bool failed; /* out of memory */
};

struct hot {
	struct path_code *code;
	unsigned int how; /* enum hot_how */
	uint64_t samples; /* that have transfers */
	uint64_t transfers;
	uint64_t weight; /* of all of them; hot_transfers() */
	double insns; /* that ran, by the counts of their lines; 0 without HOT_ALL */
	uint64_t mispredicted;
	bool has_predictions; /* the recording tells predicted from mispredicted */
	bool has_cycles;
	/* All by number: */
	struct hot_place *places;
	struct hot_function *functions;
	struct hot_edge *edges; /* by source, target and type */
	struct hot_loop *loops;
	struct hot_branch *branches;
	struct hot_site *sites;
	struct hot_call *calls;
	size_t nr_places, nr_functions, nr_edges, nr_loops, nr_branches, nr_sites, nr_calls;
	struct count_ranked *targets; /* edges, site by site */
	struct count_list lists[HOT_NR_LISTS];

	/* Until hot_find(): what is counted, and the regions that it is counted in. */
	struct counts counts;
	struct hot_set regions; /* by their first bytes */
	struct count_stacks stacks;
	struct hot_step *steps; /* by the numbers that they were counted by */
	size_t nr_steps;

	/* Of places: the innermost loop, or HOT_NO_LOOP; and lines that went on. */
	uint32_t *in_loop;
	uint64_t *passed;
};

/* How it is counted: flags of hot_begin(). */
enum hot_how {
	/* All counts are weights (count/weigh.h), and not numbers of recorded transfers. */
	HOT_WEIGHED = 1 << 0,
	/* No kind of branch is left out: what lies between two transfers ran. */
	HOT_ALL = 1 << 1,
	/* Loops' shares and trips are wanted: stacks are kept and walked through. */
	HOT_TRIPS_TOO = 1 << 2,
};

/* code has to outlive *hot, which must not be moved. how: enum hot_how. */
void hot_begin(struct hot *hot, struct path_code *code, unsigned int how);

/* Give C++ functions the names of the source, where there is a library for that. */
void hot_demangle(struct hot *hot);

/* A function's name, as it is to be shown. */
static inline const char *hot_name(const struct hot *hot, uint32_t function)
{
	return hot->functions[function].demangled ?: hot->functions[function].name;
}

/* How many of the recorded transfers a count stands for; 0 only for 0. */
uint64_t hot_transfers(const struct hot *hot, uint64_t count);

/* Count a sample's branch stack. False: out of memory. */
bool hot_count(struct hot *hot, const struct pd_event *ev);

/* Nothing can be counted after it. False: out of memory. */
bool hot_find(struct hot *hot);

void hot_free(struct hot *hot);

/* An instruction of a function. */
struct hot_insn {
	uint64_t offset; /* from the function's start */
	struct rv_insn insn;
	uint64_t runs; /* between transfers that are both in one stack */
	uint64_t taken; /* transfers from it */
	const struct hot_edge *edge; /* the most frequent of them; NULL: none */
	uint64_t came; /* transfers to it, after hot_sources() */
	const struct hot_edge *source; /* the most frequent of them; NULL: none */
	uint32_t place; /* its own; HOT_NO_PLACE: no transfer and no line begins or ends there */
};

/* In place of a place: there is none. */
#define HOT_NO_PLACE UINT32_MAX

/*
 * The code of a function from one offset to another, the last instruction's, whether it
 * ran or not, as far as it is known and v has room. Returns how many instructions.
 */
size_t hot_code(const struct hot *hot, uint32_t function, uint64_t first, uint64_t last,
		struct hot_insn *v, size_t room);

/* Tell where control came from to the nr instructions of hot_code(). */
void hot_sources(const struct hot *hot, uint32_t function, struct hot_insn *v, size_t nr);

/* An address of a function. */
static inline struct path_place hot_address(const struct hot *hot, uint32_t function,
					    uint64_t offset)
{
	const struct hot_place *p = &hot->places[hot->functions[function].first];
	struct path_place at = p->at;

	at.offset += offset - p->offset;
	return at;
}

/*
 * Of an instruction of hot_code() that is a conditional branch: how often it was taken, and
 * not taken, as in struct hot_branch. False: it is none.
 */
bool hot_ways(const struct hot *hot, const struct hot_insn *insn, uint64_t *taken,
	      uint64_t *passed);

#endif
