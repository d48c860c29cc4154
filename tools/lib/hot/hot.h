/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the branch stacks of a recording tell about the program: its most frequent edges,
 * functions, loops, indirect branches and calls, and the conditional branches that are
 * hardest to predict.
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

/*
 * A function. If no function is known: a whole binary, or all code that lies in no
 * binary.
 */
struct hot_function {
	const char *name; /* the name of its symbol */
	/*
	 * After hot_demangle(): the name as people write it. NULL: the same as the
	 * symbol.
	 */
	char *demangled;
	const char *binary;
	bool known;
	bool has_namesake; /* a function of another binary has the same name */
	/*
	 * The numbers of its first and its last place. Places of unknown functions may
	 * lie in between.
	 */
	uint32_t first, last;
	/* how often calls, and jumps from other functions, entered it */
	uint64_t entries;
	/*
	 * The share of all instructions that ran, 0 to 1, without the functions that it
	 * calls. 0 without HOT_ALL.
	 */
	double share;
	/*
	 * A program may make code of one name again and again. In the lists, such functions
	 * are one row, together. row is the number of the one in which most instructions ran, and
	 * next that of the one with the next lower share, or HOT_NO_FUNCTION. Any other function
	 * is a row of its own.
	 */
	uint32_t row, next;
	/* Of the row: how many functions there are, and their sums. Others than `row` have 0. */
	struct {
		uint32_t nr;
		uint64_t entries;
		double share;
	} sum;
};

/* The number of a function where there is no function. */
#define HOT_NO_FUNCTION UINT32_MAX

/*
 * A place: an address independent of processes. Within a binary, a smaller number is a
 * lower address.
 */
struct hot_place {
	struct path_place at;
	uint32_t function;
	bool goes_on; /* a straight line led on from here into another function */
	uint64_t offset; /* bytes from the start of its function or binary */
	/*
	 * How many straight lines began here, and how many ended here. If a line led on into
	 * another function, each of them has its part, as if it were a line.
	 */
	uint64_t begun, ended;
	/* How many straight lines of another function led on into this one here. */
	uint64_t fallen;
	/*
	 * The first of the edges that begin here. They reach up to the `first` of the
	 * next place.
	 */
	size_t first;
	/* The same of those that end here, in `into` of struct hot. */
	size_t into;
};

/* All transfers of one type between two places. */
struct hot_edge {
	uint32_t from, to;
	/*
	 * The recorded type. If none was recorded, the type of the instruction. 0:
	 * unknown.
	 */
	uint32_t type;
	uint64_t count;
	/* those that another transfer in their stack follows, and the mispredicted of them */
	uint64_t followed, followed_missed;
	uint64_t mispredicted;
	uint64_t cycles; /* the sum of the cycles since the transfers before */
	uint64_t timed; /* how many of the transfers have cycles */
};

/* The number of a loop where there is no loop. */
#define HOT_NO_LOOP UINT32_MAX

/* What is known about the trip count of a loop: how often its head runs for each entry. */
enum hot_known {
	HOT_NOTHING,
	/* only a lower limit (low), because no entry was seen, or no exit */
	HOT_AT_LEAST,
	/* only the mean, because there are sums and no stacks */
	HOT_MEAN,
	/* the mean, and the interval that holds it in 19 of 20 cases */
	HOT_ESTIMATED,
	/* from complete runs, whose entry and exit are in a stack */
	HOT_COUNTED,
};

/*
 * The trip counts of a loop. Runs are counted if they are short enough for the stacks. In
 * this case, no run or part of a run was seen that is longer than the longest counted
 * run, and the counted runs explain how often the head ran.
 */
struct hot_trips {
	enum hot_known known;
	/* high is equal to low if all runs were alike */
	double mean, low, high;
	/*
	 * If they are counted. Each run is weighed, to correct that a long run is seen
	 * as a whole less often:
	 */
	uint64_t runs; /* how many runs were seen */
	/* lower and upper are the quartiles */
	uint32_t least, lower, median, upper, most;
};

/*
 * A loop: places of one function. From each of them, control went to each other one
 * within the function. The head is the place to which control comes most often from
 * outside of the loop. The loop has the form that compilers use. If a loop tests its
 * condition first, the test is its head. A block that the compiler moved behind the
 * function's end still belongs to its loop.
 *
 * If more than one entry in ten is neither at the most frequent place nor at the second one,
 * the loop has many heads: all places to which control comes from outside. Interpreters have
 * such loops.
 *
 * Only transfers that another transfer in their stack follows are counted, because only
 * for these it is known what ran after them.
 */
struct hot_loop {
	uint32_t head; /* the number of a place in the loop */
	bool many_heads; /* then head is the most frequent one */
	uint32_t first, last; /* the first and the last place of the loop */
	uint32_t outer; /* the loop that contains this one, or HOT_NO_LOOP */
	uint32_t depth; /* the number of loops that contain it */
	uint64_t iterations; /* how often the head ran, or all heads */
	uint64_t entries;
	/*
	 * The share of all instructions that ran, 0 to 1, with the loops that it
	 * contains.
	 */
	double share;
	struct hot_trips trips;
};

/*
 * A conditional branch that was taken at least once. Only lines that another transfer in
 * their stack follows are counted, because only for these it is known which way the
 * branch went.
 */
struct hot_branch {
	uint32_t edge; /* the edge with its place and its target */
	uint64_t taken, passed; /* how often it was taken, and not taken */
	uint64_t mispredicted; /* of `taken` */
	/*
	 * How often it was mispredicted. If the recording does not tell this: how often
	 * it went the less frequent way.
	 */
	uint64_t hard;
};

/*
 * An indirect jump or call, and its targets. Returns are not included, because they only
 * go back.
 */
struct hot_site {
	uint32_t from;
	uint32_t type;
	uint64_t count;
	size_t first, nr; /* in targets of struct hot */
};

struct hot_call {
	uint32_t from, to; /* numbers of functions that are rows */
	uint64_t count;
};

/* The lists, each with the most frequent first. */
enum {
	HOT_EDGES, /* without those whose two ends are not known; the sum has them */
	/* the rows; the count is the entries, the order is by share; only those that ran */
	HOT_FUNCTIONS,
	HOT_LOOPS, /* the count is the iterations, the order is by share */
	HOT_BRANCHES, /* all of them, the hardest to predict first */
	HOT_SITES,
	HOT_CALLS,
	HOT_NR_LISTS,
};

/* A transfer and the straight line that it began. */
struct hot_step {
	uint32_t from, to; /* numbers of places */
	uint32_t end; /* the end of the line, or HOT_NO_PLACE */
	uint32_t type;
	uint32_t length; /* the instructions of the line; 0: not known */
};

/* The part that one function has of a straight line which leads through several ones. */
struct hot_part {
	uint32_t step; /* the number of the step with the line */
	uint32_t to, end; /* as in struct hot_step */
	double length; /* not a whole number if the code is not known */
	bool comes, goes_on; /* from the function before, and into the next one */
};

/* A set of places. Each place is in it once. */
struct hot_set {
	struct path_place *v;
	size_t nr, cap;
	struct hash index;
	bool failed; /* out of memory */
};

struct hot {
	struct path_code *code;
	unsigned int how; /* enum hot_how */
	uint64_t samples; /* samples with transfers */
	uint64_t empty; /* samples without, which are not among samples nor call_stacks */
	uint64_t call_stacks; /* samples that were left out: count_is_call_stack() */
	uint64_t transfers;
	uint64_t weight; /* the weight of all transfers; see hot_transfers() */
	/* The instructions that ran, from the counts of their lines. 0 without HOT_ALL. */
	double insns;
	/*
	 * The share of all instructions that ran in functions with loops whose code is not known,
	 * 0 to 1. How long their lines are is estimated.
	 */
	double unread;
	uint64_t mispredicted;
	/* the recording tells which transfers were mispredicted */
	bool has_predictions;
	bool has_cycles;
	/* These arrays are indexed by number: */
	struct hot_place *places;
	struct hot_function *functions;
	struct hot_edge *edges; /* ordered by source, target and type */
	uint32_t *into; /* the numbers of the edges, ordered by target */
	struct hot_loop *loops;
	struct hot_branch *branches;
	struct hot_site *sites;
	struct hot_call *calls;
	size_t nr_places, nr_functions, nr_edges, nr_loops, nr_branches, nr_sites, nr_calls;
	/* the edges of the sites, one site after the other */
	struct count_ranked *targets;
	struct count_list lists[HOT_NR_LISTS];

	/* Only until hot_find(): what is counted, and the regions in which it is counted. */
	struct counts counts;
	struct hot_set regions; /* the regions, by their first bytes */
	struct count_stacks stacks;
	/* indexed by the numbers under which they were counted */
	struct hot_step *steps;
	size_t nr_steps;
	struct hot_part *parts; /* ordered by step */
	size_t nr_parts;

	/*
	 * For each place: the innermost loop, or HOT_NO_LOOP, whether the place is a head of
	 * it, whether it may be in loops that are not known, and the number of lines that went
	 * on there.
	 */
	uint32_t *in_loop;
	bool *is_head;
	bool *unsure;
	uint64_t *passed;
};

/* How the samples are counted. These are flags for hot_begin(). */
enum hot_how {
	/* All counts are weights (count/weigh.h) and not numbers of recorded transfers. */
	HOT_WEIGHED = 1 << 0,
	/*
	 * The recording has branches of all kinds. Therefore, all code between two
	 * transfers ran.
	 */
	HOT_ALL = 1 << 1,
	/* The trip counts of loops are needed. The stacks are kept for this. */
	HOT_TRIPS_TOO = 1 << 2,
	/* There are no samples: hot_add() adds what was counted elsewhere. */
	HOT_SUMS = 1 << 3,
};

/*
 * Returns whether it is known where a place is. A counts file has no addresses of memory
 * without a file, so all of that memory is one place.
 */
static inline bool hot_has_address(const struct hot *hot, uint32_t place)
{
	return !(hot->how & HOT_SUMS) || hot->places[place].at.dso;
}

/*
 * Begin to count. code must exist as long as *hot, and *hot must not be moved. how is
 * enum hot_how.
 */
void hot_begin(struct hot *hot, struct path_code *code, unsigned int how);

/*
 * Give C++ and Rust functions their names in the source, if this machine has the libraries
 * for it.
 */
void hot_demangle(struct hot *hot);

/* Returns the name of a function as it is shown to the user. */
static inline const char *hot_name(const struct hot *hot, uint32_t function)
{
	return hot->functions[function].demangled ?: hot->functions[function].name;
}

/*
 * Returns the share of all instructions that ran in code without known functions, 0 to 1. The
 * loops of this code are not found.
 */
double hot_unnamed(const struct hot *hot);

/*
 * Returns the number of recorded transfers that a count stands for. It is 0 only if count
 * is 0.
 */
uint64_t hot_transfers(const struct hot *hot, uint64_t count);

/*
 * Count the branch stack of a sample, which may wait for the next ones. hot_settle() counts those
 * that wait. Call it before you read hot->counts; hot_find() does so itself. Both return false if
 * out of memory.
 */
bool hot_count(struct hot *hot, const struct pd_event *ev);
bool hot_settle(struct hot *hot);

/*
 * Add a step that was counted elsewhere: its count, its length, and its line and
 * misprediction as in struct count_step. Only with HOT_SUMS. Returns false if out of
 * memory.
 */
bool hot_add(struct hot *hot, struct path_place from, struct path_place to,
	     const struct count_step *step, const struct count_detail *detail);

/*
 * Compute everything from the counts. Do not count more samples after this. Returns false
 * if out of memory.
 */
bool hot_find(struct hot *hot);

void hot_free(struct hot *hot);

/* An instruction of a function, or code of it that the kernel changes at run time. */
struct hot_insn {
	uint64_t offset; /* bytes from the start of the function */
	/*
	 * If not 0: the kernel changes so many bytes, and which instructions ran there is not
	 * known. insn is all 0 then. Control comes to their start alone, and goes elsewhere from
	 * the last one that ran.
	 */
	uint64_t changed;
	struct rv_insn insn;
	bool rv32; /* of a program of 32 bits */
	/* how often it ran, between two transfers of one stack */
	uint64_t runs;
	uint64_t taken; /* how many transfers began at it */
	/* the most frequent of these transfers; NULL: none */
	const struct hot_edge *edge;
	uint64_t came; /* how many transfers led to it */
	/* the most frequent of these transfers; NULL: none */
	const struct hot_edge *source;
	/* Its place. HOT_NO_PLACE: no transfer and no straight line begins or ends here. */
	uint32_t place;
};

/* The number of a place where there is no place. */
#define HOT_NO_PLACE UINT32_MAX

/*
 * Store the code of a function in v, from the instruction at offset first to the one at
 * offset last, whether it ran or not. What the kernel changes is there, too. The code can end
 * earlier, if it is not known or if v is full. Returns the number of instructions. room is the
 * number of elements of v.
 */
size_t hot_code(const struct hot *hot, uint32_t function, uint64_t first, uint64_t last,
		struct hot_insn *v, size_t room);

/*
 * Returns how many instructions this stands for. In code that the kernel changes, this is an
 * estimate: Linux 6.12 to 7.2 write instructions of 4 bytes there, and no others.
 */
uint64_t hot_nr_insns(const struct hot_insn *insn);

/* Returns the place at an offset in a function. */
static inline struct path_place hot_address(const struct hot *hot, uint32_t function,
					    uint64_t offset)
{
	const struct hot_place *p = &hot->places[hot->functions[function].first];
	struct path_place at = p->at;

	at.offset += offset - p->offset;
	return at;
}

/*
 * For a conditional branch that hot_code() has stored: store how often it was taken and
 * not taken, as in struct hot_branch. Returns false if the instruction is not a
 * conditional branch.
 */
bool hot_ways(const struct hot *hot, const struct hot_insn *insn, uint64_t *taken,
	      uint64_t *passed);

#endif
