/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples of a recording that are wanted, and the code that they ran: a perf.data
 * with its address spaces and images, opened as a user names them.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "base/error.h"
#include "base/notes.h"
#include "image/image.h"
#include "path/code.h"
#include "perfdata/perfdata.h"
#include "perfdata/space.h"

struct samples_range {
	uint32_t first, last;
};

/* nr 0: all. */
struct samples_list {
	struct samples_range *v;
	size_t nr, cap;
};

/* Which samples, and where their code is. */
struct samples_opts {
	const char *symfs; /* root folder of the machine that recorded; NULL: "/" */
	const char *kcore; /* NULL: the recording's own, if it has one */
	const char *vmlinux; /* where there is no kcore; NULL: none */
	const char *build_id_dir; /* NULL: .debug in $HOME */
	struct samples_list pids, tids, cpus;
	uint64_t time_from, time_to; /* ns */
};

/* All of them. */
#define SAMPLES_OPTS_INIT { .time_to = UINT64_MAX }

/* What tells a sample from the others of its recording. */
struct samples_key {
	uint64_t time;
	uint64_t ip;
	uint64_t id; /* where the event has one */
	uint32_t tid;
	uint32_t cpu;
};

/* What was returned of an event. */
struct samples_event {
	uint64_t samples;
	uint64_t covered; /* how often the event happened between them */
	bool unknown; /* a sample does not say its period */
};

struct samples {
	const struct samples_opts *opts; /* the caller's, and as long as this */
	const char *path; /* the same */
	struct pd *pd;
	struct pd_space *space;
	struct img *img;
	struct path_code *code;
	uint64_t filtered; /* samples that were left out */
	/* By struct pd_attr.index; there may be room for more, without samples. */
	struct samples_event *events;
	size_t nr_events;
	/* Called now and then while the recording is read; NULL: nothing is. */
	void (*progress)(void *arg);
	void *progress_arg;
	char *kcore, *build_id_dir; /* found, not given */
	/* Of samples_find(): the next sample, and the key of the one before. */
	struct pd_event next;
	bool has_next;
	struct samples_key passed;
};

/*
 * Open a recording, which has to be of a RISC-V machine and to hold branch stacks.
 * Returns 0 or ERROR_*, with a text; samples_close() in either case.
 */
int samples_open(struct samples *s, const char *path,
		 const struct samples_opts *opts, struct error *error);

/* The next sample that is wanted: 1, 0 at the end, or ERROR_* with a text. */
int samples_next(struct samples *s, struct pd_event *ev, struct error *error);

/*
 * The sample that somebody else who reads the recording has found next. Returns 1, 0
 * if it is not wanted or was found before, since perf shows twice what it has written
 * twice, or ERROR_* with a text. Not to be mixed with samples_next().
 */
int samples_find(struct samples *s, const struct samples_key *key,
		 struct pd_event *ev, struct error *error);

/* Read to the end, for what is counted there. Returns 0 or ERROR_* with a text. */
int samples_skip(struct samples *s, struct error *error);

/*
 * Were transfers of all kinds recorded? Where some were not, straight lines seem to
 * run over them.
 */
bool samples_have_all_branches(const struct samples *s);

/* How many branch records the hart has, 0 if the recording does not say. */
unsigned int samples_depth(const struct samples *s);

/* Where perf's cache of files by build id is; NULL: not known. */
const char *samples_build_id_dir(const struct samples *s);

/*
 * Once all is read: the share of what an event counted that lies between the samples
 * that were returned, 0 to 1, by the event's number. Negative: it is not known, as the
 * recording does not tell the count, or samples were left out.
 */
double samples_coverage(const struct samples *s, unsigned int event);

/* The least of the events with branch stacks that have samples; as above. */
double samples_least_coverage(const struct samples *s);

/* A share below this is too little to be passed by without a word. */
#define SAMPLES_COVERED 0.9

/* The same of each event with branch stacks, with what to do where it is little. */
void samples_note_coverage(const struct samples *s, struct notes *notes);

/* What was lost or left out, in numbers. */
void samples_note(const struct samples *s, struct notes *notes);

/* Which files could not be used, and why: the i-th text, NULL behind the last. */
const char *samples_not_used(const struct samples *s, unsigned int i);

void samples_close(struct samples *s);

#endif
