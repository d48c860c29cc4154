/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace says about its origin: comments of the form "ssctr KEY VALUE". Readers that
 * do not know the form skip them, as all comments. ssctr-trace-comments(5) describes it.
 *
 * This component knows the lines. maps.h knows what mappings the lines have told, and
 * names.h finds the functions in the mapped files.
 */
#ifndef ORIGIN_ORIGIN_H
#define ORIGIN_ORIGIN_H

#include "origin/maps.h"

enum {
	ORIGIN_VERSION = 1,
	/* The longest line, with its NUL. Longer ones are not of this form. */
	ORIGIN_LINE_MAX = ORIGIN_NAME_MAX + 256,
	/* More events than this number are left out. */
	ORIGIN_MAX_EVENTS = 64,
};

enum origin_key {
	ORIGIN_NONE = 0, /* the comment does not have the form, or the key is not known */
	ORIGIN_FORM, /* the version of the form */
	ORIGIN_COMMAND, /* the command line that recorded */
	ORIGIN_HOST, /* the name of the machine */
	ORIGIN_KERNEL, /* the release of its kernel */
	ORIGIN_ARCH, /* the output of `uname -m` */
	ORIGIN_EVENT, /* a perf event: struct origin_event */
	ORIGIN_MAP, /* a mapping: struct origin_mapping */
	ORIGIN_COVERAGE, /* how much of what ran the trace holds: struct origin_coverage */
	ORIGIN_N_KEYS,
};

/* Returns the name of a key, which is the word in the line. */
const char *origin_key_name(enum origin_key key);

struct origin_line {
	enum origin_key key;
	const char *value; /* the rest of the comment, without a NUL */
	size_t size;
};

/* Returns the key, and stores the line. The value points into the comment. */
enum origin_key origin_line(struct origin_line *line, const char *comment,
			    size_t size);

/* A perf event that took samples. */
struct origin_event {
	/* the number that the field of its COUNTER_OVERFLOW events has */
	uint64_t number;
	bool frequency; /* the period is a frequency: samples in a second */
	uint64_t period;
	const char *name; /* not terminated; size 0: not known */
	size_t size;
};

/* How much of what ran a trace holds. */
struct origin_coverage {
	double share; /* 0 to 1; negative: not known */
	/* instructions that the trace shows more than once; negative: not known */
	int64_t repeated;
};

#define ORIGIN_COVERAGE_UNKNOWN { .share = -1, .repeated = -1 }

/* These return false if the value is not valid. Names point into the value. */
bool origin_read_event(struct origin_event *event, const struct origin_line *line);
bool origin_read_mapping(struct origin_mapping *mapping,
			 const struct origin_line *line);
bool origin_read_coverage(struct origin_coverage *coverage, const struct origin_line *line);

/* Write the line of a mapping into text, which has ORIGIN_LINE_MAX bytes. */
void origin_write_mapping(char *text, const struct origin_mapping *mapping);

/* Write the line of a coverage. ran: the instructions that ran, if the share is known. */
void origin_write_coverage(char *text, size_t size, const struct origin_coverage *coverage,
			   uint64_t ran);

/* All that the lines of a trace have told. Set all members to 0 first. */
struct origin {
	uint64_t version; /* 0: the trace does not tell its origin in this form */
	char *texts[ORIGIN_N_KEYS]; /* of the keys whose value is a text; NULL: not told */
	struct origin_event events[ORIGIN_MAX_EVENTS]; /* their names belong to this */
	unsigned int nr_events;
	bool has_coverage;
	struct origin_coverage coverage; /* if has_coverage is set */
	struct origin_maps maps;
};

/*
 * Take a comment of the trace. Returns its key, or ERROR_NOMEM. Lines of a version that is
 * newer than ORIGIN_VERSION have no key.
 */
int origin_take(struct origin *origin, const char *comment, size_t size);

/* Returns the coverage that the lines have told. */
struct origin_coverage origin_coverage(const struct origin *origin);

void origin_free(struct origin *origin);

#endif
