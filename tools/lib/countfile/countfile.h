/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts files: what the branch stacks of many recordings and machines counted, by build
 * id and address. ssctr-counts(5) describes the format.
 *
 * A counts file has a head, then steps, then sampled addresses. All three are sorted, and
 * each key comes once. So files are merged in one pass, with memory for one buffer per
 * file. All numbers are sums. So a merge is associative and commutative: the same sources
 * give the same bytes, in whatever order and in however many turns they were merged.
 */
#ifndef COUNTFILE_H
#define COUNTFILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CF_VERSION = 1,
	/* in place of a binary: nothing known is mapped there; the offset is 0 */
	CF_NOWHERE = 0,
	CF_KERNEL = 1, /* like CF_NOWHERE, at an address of the kernel */
	CF_FIRST_BINARY = 2,
	CF_MAX_BINARIES = 1 << 22,
};

/* The end of the line is not known, or it is in another binary. */
#define CF_NO_LINE INT32_MIN

/*
 * A binary. If it has a build id, the build id identifies it. Otherwise its name does. If
 * the offsets have another meaning (symbol), it is another binary.
 */
struct cf_binary {
	/*
	 * Not empty. If several names have one build id: the first of them by strcmp(). A
	 * recording has the first one by which the file was found when it was counted, if
	 * there is one. A merge opens no files, and takes the first one of its inputs.
	 * CF_NOWHERE and CF_KERNEL have the names "[unknown]" and "[kernel]".
	 */
	char *name;
	uint8_t build_id[20];
	unsigned int build_id_size; /* 0: not known */
	bool kernel; /* the kernel, one of its modules, or code that it makes */
	bool picked; /* by what was asked for, or because it is used. No file has this */
	/*
	 * NULL: offsets are offsets in the file. Otherwise they are distances from this
	 * symbol of the kernel plus PROF_FROM_SYMBOL.
	 */
	char *symbol;
};

/*
 * Returns whether a binary is code that the kernel makes, such as a BPF program. It has the name
 * of its function, while modules have one in brackets or a path.
 */
static inline bool cf_is_made(const struct cf_binary *b)
{
	return b->kernel && !b->symbol && !b->build_id_size && *b->name != '[' && *b->name != '/';
}

/*
 * The periods of one machine. Each period of a machine is counted once, so that no file
 * is merged twice. A recording is one period, numbered 0, of a source with the label that
 * its contents give.
 */
struct cf_source {
	uint8_t label[16]; /* opaque */
	uint64_t first, last; /* the numbers of the periods, both included */
};

/* An event that was sampled. */
struct cf_event {
	char *name; /* as perf names it: "instructions:u" */
	uint64_t samples;
	/* how often it happened between the samples that are there (samples/coverage.h) */
	uint64_t covered;
	uint64_t count; /* how often it happened, by the kernel's own count */
	uint64_t unknown; /* samples of sources that do not tell one of the two */
};

struct cf_head {
	struct cf_source *sources; /* sorted by label and first; neighbours are joined */
	size_t nr_sources;
	struct cf_binary *binaries; /* CF_NOWHERE, CF_KERNEL, then sorted by identity */
	size_t nr_binaries;
	struct cf_event *events; /* sorted by name */
	size_t nr_events;
	/*
	 * the time of the oldest source's start and of the newest one's end, s since 1970;
	 * 0: it is not known of any source
	 */
	uint64_t begin, end;
	bool untimed; /* it is not known of some sources, but of others */
	uint32_t depth; /* transfers of the deepest stack */
	uint64_t samples; /* with a branch stack */
	uint64_t empty; /* of these, with no transfer in it; at least so many, if binaries were selected */
	uint64_t entries; /* the transfers in all stacks: the sum of cf_step.seen */
	uint64_t weight; /* the sum of the weights of all steps */
	uint64_t lost; /* samples that were lost */
	uint64_t dropped; /* samples that a bound left out, for instance of a budget */
	/* The transfers and the weight of steps that the rules of a merge left out. */
	uint64_t left_out, left_out_weight;
	uint64_t flags; /* the flags of all transfers, combined with OR */
	bool all_branches; /* transfers of all kinds were recorded, in all sources */
	bool scaled; /* an age or a factor has changed the counts */
	/*
	 * Weights stand for events, so that those of all times and machines have one unit: they
	 * are multiplied by the events that a sample stands for, and divided by CF_EVENTS.
	 * Otherwise they stand for samples.
	 */
	bool by_events;
	bool mixed; /* by_events, but the weights of some sources stand for samples */
};

/*
 * The unit of weights that stand for events. A year of full load on a thousand harts fits
 * into 64 bits, and an hour of a hart that is nearly idle is still told apart.
 */
#define CF_EVENTS 0x1p32

/* A transfer and the line after it, up to the source of the next transfer. */
struct cf_step {
	/* the key, in the order in which steps are sorted: */
	uint32_t from_binary, to_binary; /* index in binaries */
	uint64_t from, to; /* offsets */
	int32_t line; /* bytes from to to the next source, or CF_NO_LINE */
	uint16_t type; /* the result of pd_branch_type() */
	bool mispredicted;
	bool youngest; /* the newest transfer of its stack */
	/* the counts: */
	uint64_t seen; /* how many transfers; at least 1 */
	uint64_t weight; /* the sum of the weights of their lines (count/weigh.h) */
	uint64_t cycles; /* the sum of the cycles since the transfers before */
	uint64_t timed; /* how many of the transfers have cycles; 0: cycles is 0 */
	uint32_t length; /* instructions of the line; 0: not known. The largest is kept. */
};

/*
 * Returns whether a line lies in memory without a file and has no length. All such lines are
 * so in files of older versions of ssctr.
 */
static inline bool cf_lacks_length(const struct cf_step *step)
{
	return step->to_binary < CF_FIRST_BINARY && step->line == CF_NO_LINE && !step->youngest;
}

/* Where samples fell. */
struct cf_sample {
	uint32_t binary;
	uint64_t offset;
	uint64_t count; /* at least 1 */
};

/* Compare the identities or keys. Returns less than, equal to or greater than 0. */
int cf_compare_binaries(const struct cf_binary *a, const struct cf_binary *b);
int cf_compare_steps(const struct cf_step *a, const struct cf_step *b);
int cf_compare_samples(const struct cf_sample *a, const struct cf_sample *b);

/* cf_compare_binaries() for qsort() and bsearch(). */
int cf_order_binaries(const void *a, const void *b);

/* Free what a head has. */
void cf_head_free(struct cf_head *head);

/* --- write --- */

struct cf_writer;

/*
 * Create a counts file, which is complete or does not exist, also after the machine failed.
 * "-" is standard output. The head is written at once, and not needed afterwards. Returns
 * 0, or ERROR_* with NULL in *writer and a text.
 */
int cf_writer_open(struct cf_writer **writer, const char *path,
		   const struct cf_head *head, struct error *error);

/*
 * Write the next step, or the next sample. Steps come before samples. Both are sorted by
 * their keys, and each key comes once. Both return 0, ERROR_OUTPUT with a text, or
 * ERROR_INPUT if a counts file cannot have this item here.
 */
int cf_write_step(struct cf_writer *writer, const struct cf_step *step,
		  struct error *error);
int cf_write_sample(struct cf_writer *writer, const struct cf_sample *sample,
		    struct error *error);

/*
 * Complete the file, or remove it if keep is false. Frees the writer, which may be NULL.
 * Returns 0, ERROR_OUTPUT with a text, or ERROR_INPUT if the steps are not those that the
 * head counts (entries, weight). The file is then removed, too.
 */
int cf_writer_close(struct cf_writer *writer, bool keep, struct error *error);

/*
 * The same, but a file of more than most bytes (0: any number) is removed, and 1 returned.
 * Nobody has seen it then.
 */
int cf_writer_close_within(struct cf_writer *writer, bool keep, uint64_t most,
			   struct error *error);

/* --- read --- */

struct cf_reader;

/*
 * Returns whether a file begins like a counts file. It need not be one. "-" is standard
 * input. From a pipe, nothing is taken. Named pipes are not looked at, as that takes what is
 * in them.
 */
bool cf_is_countfile(const char *path);

/*
 * Open a counts file and check it as a whole: its checksum, its version and its head. "-"
 * is standard input. The content of a pipe is copied to a temporary file first. Returns 0,
 * or ERROR_* with NULL in *reader and a text that names the file.
 */
int cf_reader_open(struct cf_reader **reader, const char *path,
		   struct error *error);

/* Returns the head. It is valid until cf_reader_close(). */
const struct cf_head *cf_reader_head(const struct cf_reader *reader);

/*
 * Read the next step, or the next sample. Steps come before samples. Both return 1, 0
 * after the last one, or ERROR_* with a text.
 */
int cf_read_step(struct cf_reader *reader, struct cf_step *step,
		 struct error *error);
int cf_read_sample(struct cf_reader *reader, struct cf_sample *sample,
		   struct error *error);

/* reader may be NULL. */
void cf_reader_close(struct cf_reader *reader);

#endif
