/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as pprof knows it: samples with values at call stacks of locations, and what
 * the locations are in. pprof_encode() writes it as pprof's profile.proto, version 3.
 *
 *	pprof_type(&p, "samples", "count");
 *	location = pprof_location(&p, 0, address);
 *	pprof_line(&p, pprof_function(&p, "main", "main", "x.c", 10), 12);
 *	pprof_sample(&p, &location, 1, &value);
 *	pprof_encode(&p, &message);
 *	pprof_free(&p);
 *
 * Everything has a number: strings from 0 on, and the others from 1 on. All functions that
 * add something do nothing once memory was missing (failed).
 */
#ifndef PPROF_H
#define PPROF_H

#include "base/hash.h"
#include "base/protobuf.h"

enum { PPROF_TYPES = 3 /* the most values of a sample */ };

struct pprof_type {
	uint32_t type, unit; /* strings */
};

struct pprof_mapping {
	/* addresses, and the offset in the file at which the first one is */
	uint64_t start, limit, offset;
	uint32_t file, build_id; /* strings; build_id 0: not known */
	bool kernel; /* it is the kernel or one of its modules */
	bool symbolized; /* its locations have their functions */
};

struct pprof_function {
	uint32_t name, symbol, file; /* strings */
	uint32_t start; /* the line where it is declared; 0: not known */
};

struct pprof_line {
	uint32_t function;
	uint32_t line; /* 0: not known */
};

/* Its lines are of the innermost function first. */
struct pprof_location {
	uint32_t mapping; /* 0: none */
	uint32_t nr_lines;
	size_t first_line; /* in lines */
	uint64_t address;
};

struct pprof_sample {
	size_t first; /* in frames; the innermost frame comes first */
	uint32_t nr;
	uint64_t values[PPROF_TYPES];
};

/* Set all members to 0 first. */
struct pprof {
	char *text; /* all strings, each with a NUL */
	size_t nr_text, cap_text;
	size_t *strings; /* where they are in text */
	size_t nr_strings, cap_strings;
	struct hash string_index;
	struct pprof_function *functions;
	size_t nr_functions, cap_functions;
	struct hash function_index;
	struct pprof_mapping *mappings;
	size_t nr_mappings, cap_mappings;
	struct pprof_location *locations;
	size_t nr_locations, cap_locations;
	struct pprof_line *lines;
	size_t nr_lines, cap_lines;
	uint32_t *frames; /* locations */
	size_t nr_frames, cap_frames;
	struct pprof_sample *samples;
	size_t nr_samples, cap_samples;

	struct pprof_type types[PPROF_TYPES];
	unsigned int nr_types;
	unsigned int default_type; /* index in types: what viewers show first */
	/* The caller sets what is known of these: */
	struct pprof_type period_type; /* what is counted between two samples */
	uint64_t period; /* how often it happens between them; 0: not known */
	uint64_t time, duration; /* ns; time since 1970 */
	uint32_t *comments; /* strings */
	size_t nr_comments, cap_comments;
	bool failed; /* out of memory */
};

/* Return a number. A string is copied. Equal strings and functions have one number. */
uint32_t pprof_string(struct pprof *p, const char *s);
uint32_t pprof_function(struct pprof *p, const char *name, const char *symbol,
			const char *file, uint32_t start);

/* Return the number of a new one. mapping 0: it is in none. */
uint32_t pprof_mapping(struct pprof *p, const struct pprof_mapping *mapping);
uint32_t pprof_location(struct pprof *p, uint32_t mapping, uint64_t address);

/* Add a line to the newest location. */
void pprof_line(struct pprof *p, uint32_t function, uint32_t line);

/* Add a sample of nr locations, the innermost first, with a value for each type. */
void pprof_sample(struct pprof *p, const uint32_t *locations, uint32_t nr,
		  const uint64_t *values);

/* Add a type of values. There are at most PPROF_TYPES of them. */
void pprof_type(struct pprof *p, const char *type, const char *unit);

/* Add a comment, which pprof shows. */
void pprof_comment(struct pprof *p, const char *comment);

/* Returns the text of a string, valid until the next string is added. */
const char *pprof_text(const struct pprof *p, uint32_t string);

/*
 * Append the protocol buffer to *out, without compression. Returns false if out of memory,
 * also earlier.
 */
bool pprof_encode(struct pprof *p, struct pb *out);

void pprof_free(struct pprof *p);

#endif
