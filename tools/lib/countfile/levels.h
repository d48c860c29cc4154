/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merge any number of inputs with a bounded number of open ones. Groups of inputs become
 * temporary files, several at the same time, and these are merged in turn.
 */
#ifndef COUNTFILE_LEVELS_H
#define COUNTFILE_LEVELS_H

#include "countfile/kway.h"

/* A counts file to be merged. */
struct cf_levels_input {
	const char *path, *name; /* name is for messages */
	uint64_t checksum; /* that the file had when its head was read */
	uint64_t factor;
	bool refused; /* it is not merged */
	bool filtered; /* some kinds of branches were not recorded */
	/* The result: so many transfers, of which the factor has left none. */
	uint64_t gone;
};

struct cf_levels {
	struct cf_levels_input *inputs;
	size_t nr_inputs;
	const struct cf_sum *sum; /* of the heads of the inputs that are not refused */
	const bool *wanted; /* as in struct cf_rules */
	size_t memory; /* bytes that the open inputs may take */
	unsigned int threads; /* at least 1 */
	/* The result: */
	struct cf_left_out left_out;
	uint32_t failed; /* the input that is the reason of an error, or CF_NO_INPUT */
};

/*
 * Merge all inputs that are not refused into the sink, which only this thread calls. Returns
 * 0, or ERROR_* with a text.
 */
int cf_levels_run(struct cf_levels *levels, const struct cf_sink *sink,
		  struct error *error);

/* Returns how many files are open at the same time to merge so many, if memory is not short. */
size_t cf_levels_files(size_t nr);

/* A temporary file, by a sink that writes it. Set all members to 0 first. */
struct cf_run {
	struct cf_out out;
	int fd; /* valid after cf_run_begin(), and closed by the caller */
	uint64_t size;
};

/* *sink is valid as long as *run. Both return 0, or ERROR_* with a text. */
int cf_run_begin(struct cf_run *run, struct cf_sink *sink, struct error *error);
int cf_run_end(struct cf_run *run, struct error *error);

/* Begin to read a temporary file. */
void cf_run_feed(int fd, uint64_t size, size_t nr_binaries, struct cf_unpacker *unpacker,
		 struct cf_feed *feed);

#endif
