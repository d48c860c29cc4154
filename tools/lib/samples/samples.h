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
#include "samples/comms.h"
#include "samples/coverage.h"

struct samples_range {
	uint32_t first, last;
};

/* nr 0: all. */
struct samples_list {
	struct samples_range *v;
	size_t nr, cap;
};

bool samples_in_list(const struct samples_list *list, uint32_t value);

/* Which samples, and where their code is. */
struct samples_opts {
	const char *symfs; /* root folder of the machine that recorded; NULL: "/" */
	const char *kcore; /* NULL: the recording's own, if it has one */
	const char *vmlinux; /* where there is no kcore; NULL: none */
	const char *kallsyms; /* the kernel's symbols; NULL: found, if they can be */
	const char **code; /* places, as img_add_place() takes them */
	size_t nr_code, cap_code;
	struct samples_list pids, tids, cpus;
	const char **comms; /* lists of names of threads */
	size_t nr_comms, cap_comms;
	uint64_t time_from, time_to; /* ns */
	/* Of what there was to have, this share is the least that passes for all. */
	double least;
	bool allow_partial; /* make of less what can be made of it */
};

/* All of them. */
#define SAMPLES_OPTS_INIT { .time_to = UINT64_MAX, .least = 0.9 }

/* What tells a sample from the others of its recording. */
struct samples_key {
	uint64_t time;
	uint64_t ip;
	uint64_t id; /* where the event has one */
	uint32_t tid;
	uint32_t cpu;
};

struct samples {
	const struct samples_opts *opts; /* the caller's, and as long as this */
	const char *path; /* the same */
	struct pd *pd;
	struct pd_space *space;
	struct img *img;
	struct path_code *code;
	uint64_t filtered; /* samples that were left out */
	uint64_t passed_by; /* of them, by others than the options */
	struct comms comms;
	struct coverage coverage;
	bool ended; /* all was read */
	/* Called now and then while the recording is read; NULL: nothing is. */
	void (*progress)(void *arg);
	void *progress_arg;
	char *kcore, *kallsyms; /* found, not given */
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

/*
 * Once all is read: how often an event happened where the samples are from that were
 * wanted, by the event's number. 0: the recording does not tell.
 */
uint64_t samples_count(const struct samples *s, unsigned int event);

/*
 * The share of that which lies between the samples that were returned, 0 to 1. Negative:
 * it is not known.
 */
double samples_coverage(const struct samples *s, unsigned int event);

/* The least of the events with branch stacks that happened; as above. */
double samples_least_coverage(const struct samples *s);

/* How many events were lost while it was recorded, as far as that is known by now. */
uint64_t samples_lost(const struct samples *s);

/*
 * What there is of an event in all, as it was returned and as it was counted. NULL:
 * neither.
 */
const struct coverage_part *samples_of_event(const struct samples *s,
					     unsigned int event);

/* What is to be said behind "no samples". Returns text. */
const char *samples_none(const struct samples *s, char *text, size_t size);

/* Is it one of these? */
bool samples_has_stacks(const struct samples *s, unsigned int event);

/*
 * The next hart or thread of such an event that has a coverage of its own; *at is 0 for
 * the first. NULL: there is no more.
 */
const struct coverage_part *samples_next_part(const struct samples *s,
					      enum coverage_kind kind,
					      size_t *at);

/* The same of each event with branch stacks, with what to do where it is little. */
void samples_note_coverage(const struct samples *s, struct notes *notes);

/*
 * Is what could be used of so many samples enough? Returns 0 if it is, or if the options
 * allow less; else ERROR_PARTIAL with a text that names the share, why, and what to do.
 */
int samples_check_used(const struct samples_opts *opts, const char *path,
		       uint64_t samples, double share, const char *why,
		       struct error *error);

/* The same as a note, where the options allow less. */
void samples_note_used(const struct samples_opts *opts, uint64_t samples,
		       double share, const char *why, struct notes *notes);

/* What was lost or left out, in numbers. */
void samples_note(const struct samples *s, struct notes *notes);

/*
 * What is noted, and behind it what was lost or left out, as lines; then one for each file
 * that could not be used, with why, or was taken by its name alone, and one where the
 * kernel's functions were asked for and have no names.
 */
void samples_write_notes(const struct samples *s, struct notes *notes,
			 FILE *file);

/*
 * The same places for an img of one's own, and at last perf's cache of this user, .debug
 * in $HOME. False: out of memory.
 */
bool samples_add_places(struct img *img, const struct samples_opts *opts);

/*
 * A file that a user names: below symfs, as it is, or in one of the places. To be freed;
 * NULL: out of memory. The name itself, where there is no such file.
 */
char *samples_find_file(const struct samples_opts *opts, const char *name);

void samples_close(struct samples *s);

#endif
