/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wanted samples of a recording, and the code that they ran. This opens a perf.data
 * together with its address spaces and images, as the user's options say.
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
#include "samples/where.h"

struct samples_range {
	uint32_t first, last;
};

/* Why an event was off at times. */
#define SAMPLES_OFF                                                            \
	"another event, maybe somebody else's, had the counter or the branch records; record when nobody else does"

/* Why an event was never on. It does not tell which it is. */
#define SAMPLES_NEVER_ON                                                       \
	"the harts cannot count this event, or another event, maybe somebody else's, had the counter or the branch records; try the event cycles:u, and record when nobody else does"

/* Why an event, or one on a hart, was on and counted nothing. It does not tell which it is. */
#define SAMPLES_NO_COUNT                                                       \
	"no such code ran, or another event, maybe somebody else's, has the counter, which an emulated hart has once for each kind of event (docs/machine.md)"

/* Why a count is not whole: see coverage_lacks(). */
#define SAMPLES_LACK_CPUS                                                      \
	"CPUs were switched off or on while it was recorded, and what ran on them from then on is missing; record again"

/* What a note says about samples that pd_is_outside() says yes to. */
#define SAMPLES_OUTSIDE                                                        \
	"samples left out: their tasks are outside of the container (the PID namespace) in which was recorded, so it is not known which programs they ran; record outside of it, or start it with --pid=host"

/* Why a counts file has samples with transfers, and none of these. */
#define SAMPLES_LEFT_OUT                                                       \
	"`ssctr merge` left out all transfers; merge the files again with other options"

/* What a note says about samples with an empty branch stack. */
#define SAMPLES_EMPTY                                                          \
	"samples have an empty branch stack, which shows nothing of what ran (docs/trouble.md)"

/* What a note says about samples that pd_is_away() says no to. */
#define SAMPLES_AWAY                                                           \
	"samples left out: they were taken in a mode whose branches were not recorded, and show again what ran before it; let the event count the recorded mode alone (-e cycles:u or cycles:k), or record all modes (-b)"

/* Why a recording by `perf record --call-graph lbr` does not tell what ran. */
#define SAMPLES_CALL_STACKS                                                    \
	"the branch records are call stacks, which do not tell what ran; `ssctr callstacks` shows them; to learn what ran, record with `perf record -b`"

/* The same, as a note about some of the samples. */
#define SAMPLES_CALL_STACKS_LEFT_OUT                                           \
	"samples left out, because their branch records are call stacks, which do not tell what ran; `ssctr callstacks` shows them"

/* What a note says about samples of which no paths were made: samples_makes_path(). */
#define SAMPLES_AGAIN                                                          \
	"samples left out, because another event records all branches that their event records"

/* nr is 0: the list contains all numbers */
struct samples_list {
	struct samples_range *v;
	size_t nr, cap;
};

bool samples_in_list(const struct samples_list *list, uint32_t value);

/* Words as they were given, which are kept. nr 0: none. */
struct samples_words {
	const char **v;
	size_t nr, cap;
};

/* Which samples are wanted, and where their code is. */
struct samples_opts {
	/* root folder of the machine that recorded; NULL: "/" */
	const char *symfs;
	const char *kcore; /* NULL: the kcore of the recording, if it has one */
	const char *vmlinux; /* used if there is no kcore; NULL: none */
	/* the kernel's symbols; NULL: they are searched */
	const char *kallsyms;
	struct samples_words code; /* places for img_add_place() */
	struct samples_list pids, tids, cpus;
	/* lists of names of threads, of binaries and of functions, like "a,b" */
	struct samples_words comms, dsos, symbols;
	uint64_t time_from, time_to; /* ns */
	/* the same as shares of the recording's time, 0 to 1; to is 0: not asked for */
	double share_from, share_to;
	/* The share, 0 to 1, that must be usable. A smaller share is an error. */
	double least;
	bool allow_partial; /* a smaller share is not an error */
};

/* With a smaller share, more is to be had, which is said. As ORIGIN_ENOUGH for traces. */
#define SAMPLES_ENOUGH 0.9

/* All samples are wanted. */
#define SAMPLES_OPTS_INIT { .time_to = UINT64_MAX, .least = SAMPLES_ENOUGH }

/*
 * Returns the name of an option that may leave out samples: "--pid", ... NULL: none was
 * given.
 */
const char *samples_selects_by(const struct samples_opts *opts);

/* Returns whether these options may leave out samples. */
static inline bool samples_selects(const struct samples_opts *opts)
{
	return samples_selects_by(opts);
}

/* What distinguishes a sample from the others of its recording. */
struct samples_key {
	uint64_t time;
	uint64_t ip;
	uint64_t id; /* if the event has one */
	uint32_t tid;
	uint32_t cpu;
};

/* A sample that was read, and may still be found: see seek.c. */
struct samples_sought {
	struct pd_event ev;
	struct pd_block *held;
	bool found;
};

/* For samples_find(): in their order. Those before `from` are not asked for any more. */
struct samples_seek {
	struct samples_sought *v;
	size_t from, nr, cap;
	size_t next; /* behind the one that was found last: most are shown in order */
};

struct samples {
	/* belongs to the caller, and must exist as long as this */
	const struct samples_opts *opts;
	/* belongs to the caller, and must exist as long as this */
	const char *path;
	struct pd *pd;
	struct pd_space *space;
	struct img *img;
	struct path_code *code;
	uint64_t filtered; /* samples that were left out */
	/* of these, those that were left out by another reader (samples_find()) */
	uint64_t passed_by;
	uint64_t latest; /* the time of the latest sample, of those that were left out, too */
	/* events whose samples are paths of user code and of the kernel: samples_makes_path() */
	const struct pd_attr *user, *kernel;
	/* of the returned samples, those of an event with branch stacks that have none */
	uint64_t empty;
	uint64_t away; /* those that are not returned, because pd_is_away() says so */
	bool shows_away; /* set by the caller, who shows each sample: they are returned, too */
	uint64_t outside; /* those that are not returned, because pd_is_outside() says so */
	struct comms comms;
	struct where where;
	uint64_t time_from, time_to; /* ns, as the options want it */
	struct coverage coverage;
	/* as the counts at the end tell it: events that found the ring buffers full */
	uint64_t found_full;
	bool tells_full; /* found_full is known */
	bool ended; /* everything was read */
	/* Called now and then while the recording is read. May be NULL. */
	void (*progress)(void *arg);
	void *progress_arg;
	/* Called for each FORK and EXIT event, in the order of time. May be NULL. */
	void (*task)(void *arg, const struct pd_event *ev);
	void *task_arg;
	/* Called for each sample that samples_next() leaves out. May be NULL. */
	void (*left_out)(void *arg, const struct pd_event *ev);
	void *left_out_arg;
	/* files that were found, and not given by the user */
	char *kcore, *kallsyms;
	struct samples_seek seek;
};

/*
 * Open a recording. It must be a recording of a RISC-V machine with branch stacks.
 * Returns 0, or ERROR_* with a text. Call samples_close() in either case.
 */
int samples_open(struct samples *s, const char *path,
		 const struct samples_opts *opts, struct error *error);

/* Read the next sample that is wanted. Returns 1, 0 at the end, or ERROR_* with a text. */
int samples_next(struct samples *s, struct pd_event *ev, struct error *error);

/*
 * Find a sample that another reader of the recording has read. Call this for its samples
 * in their order; those of one time may come in any. Returns 1 if the sample is wanted.
 * Returns 0 if it is not wanted, or if it was found before: perf shows a sample twice if it
 * has written it twice. Otherwise returns ERROR_* with a text. *ev is valid until the next
 * call. Do not call samples_next() for the same object.
 */
int samples_find(struct samples *s, const struct samples_key *key,
		 struct pd_event *ev, struct error *error);

/*
 * Read up to the end, to get the counts that are there. Returns 0, or ERROR_* with a
 * text.
 */
int samples_skip(struct samples *s, struct error *error);

/*
 * Returns whether transfers of all kinds were recorded. Otherwise straight lines may
 * contain transfers that were not recorded.
 */
bool samples_have_all_branches(const struct samples *s);

/*
 * Returns the filter for pd_next_kind(): of all kinds, or the kinds of the events for which not
 * all were recorded.
 */
uint64_t samples_filter(const struct samples *s);

/* Returns whether all samples have this field: PERF_SAMPLE_* of the kernel. */
bool samples_have(const struct samples *s, uint64_t field);

/*
 * Check whether the samples tell their CPUs. Returns 0, or ERROR_INPUT with a text that says
 * how to record them.
 */
int samples_check_cpus(const struct samples *s, struct error *error);

/*
 * Returns whether paths are to be made of this event's samples. Two events of one mode show
 * the same branches, so that only one is taken: that with the branches of user code and of
 * the kernel, whichever is sampled first; of several that have the same modes, the event that
 * had a sample first.
 */
bool samples_makes_path(struct samples *s, const struct pd_attr *attr);

/*
 * Returns the number of records that the hart's buffer can hold, or 0 if the recording
 * does not tell it.
 */
unsigned int samples_depth(const struct samples *s);

/*
 * Call this when everything is read. Returns how often an event happened where the wanted
 * samples are from. event is the number of the event. Returns 0 if the recording does not
 * tell it.
 */
uint64_t samples_count(const struct samples *s, unsigned int event);

/*
 * Returns the share of samples_count() that lies between the returned samples, 0 to 1, or
 * a negative number if it is not known.
 */
double samples_coverage(const struct samples *s, unsigned int event);

/*
 * Returns the smallest coverage of the events with branch stacks that happened. Like
 * samples_coverage().
 */
double samples_least_coverage(const struct samples *s);

/*
 * Returns how many samples were lost during the recording, as far as this is known now. If the
 * recording does not tell what was lost, records of other kinds count, too.
 */
uint64_t samples_lost(const struct samples *s);

/*
 * Returns whether most of samples_lost() was dropped by the recorder, because its output took
 * no more, as a full disk. Larger buffers do not help then.
 */
bool samples_were_dropped(const struct samples *s);

/* What helps then, and otherwise. */
#define SAMPLES_ROOM    "record with room on the disk"
#define SAMPLES_BUFFERS "record with larger buffers (-m)"

/*
 * If the samples cover less than --least says, and some of them were lost, returns what helps.
 * Otherwise returns NULL.
 */
const char *samples_loss_remedy(const struct samples *s);

/*
 * Returns how many other records were lost, of mappings, processes and threads, if the
 * recording tells it. Some code may then be taken for that of another file.
 */
uint64_t samples_lost_tracking(const struct samples *s);

/*
 * Returns a count that has grown if anything was lost since it was asked for the last time,
 * as path_stitch_sample() needs it. It counts all kinds of loss, some of them twice.
 */
uint64_t samples_losses(const struct samples *s);

/*
 * Returns all that is known of an event: the returned samples and the counts. Returns
 * NULL if there is neither.
 */
const struct coverage_part *samples_of_event(const struct samples *s,
					     unsigned int event);

/*
 * Write a text that explains why there are no samples, to follow "no samples". Returns
 * text.
 */
const char *samples_none(const struct samples *s, char *text, size_t size);

/* Returns whether the event has branch stacks. */
bool samples_has_stacks(const struct samples *s, unsigned int event);

/*
 * Returns the next hart or thread that has a coverage of its own, of an event with branch
 * stacks. It has none if the options select only a part of its samples, or no samples of it.
 * *at is 0 for the first call. Returns NULL if there are no more.
 */
const struct coverage_part *samples_next_part(const struct samples *s,
					      enum coverage_kind kind,
					      size_t *at);

/*
 * Add a note with the coverage of each event with branch stacks. If the coverage is low,
 * the note says what to do. Samples with an empty stack cover what the event counted, but
 * show nothing of it. So their number is a note, too.
 */
void samples_note_coverage(const struct samples *s, struct notes *notes);

/*
 * Add a note if the samples are of events that count different things. This is for those who add
 * up the samples of all events with branch stacks.
 */
void samples_note_events(const struct samples *s, struct notes *notes);

/*
 * Check whether the used share of the samples is enough. Returns 0 if it is enough, or if
 * the options allow less. Otherwise returns ERROR_PARTIAL with a text that names the
 * share, the reason why, and what to do.
 */
int samples_check_used(const struct samples_opts *opts, const char *path,
		       uint64_t samples, double share, const char *why,
		       struct error *error);

/* Add the same text as a note, if the options allow less. */
void samples_note_used(const struct samples_opts *opts, uint64_t samples,
		       double share, const char *why, struct notes *notes);

/*
 * The file at path is a counts file. Returns ERROR_INPUT with a text if the options may
 * leave out samples, because it has none. Otherwise returns 0.
 */
int samples_refuse_selection(const struct samples_opts *opts, const char *path,
			     struct error *error);

/*
 * Add notes with the numbers of what was lost or left out, and those of samples_note_files().
 * Last, say why code that programs made has no names, if they are shown.
 */
void samples_note(const struct samples *s, struct notes *notes);

/*
 * Add a note for each file that could not be used, with the reason, and for each file that
 * was accepted because of its name. Of many, add those with the most samples, and how many
 * more there are. If the kernel's functions have no names, say so.
 */
void samples_note_files(const struct img *img, struct notes *notes);

/* Add samples_note(), and write the notes to a file, one line each. */
void samples_write_notes(const struct samples *s, struct notes *notes,
			 FILE *file);

/* Write only samples_note_files(). */
void samples_write_files(const struct img *img, FILE *file);

/* Returns 0 if the places of the options are there, or ERROR_INPUT with a text. */
int samples_check_places(const struct samples_opts *opts, struct error *error);

/*
 * Add the places of the options to another img, and after them perf's cache of this user,
 * .debug in $HOME. Returns false if out of memory.
 */
bool samples_add_places(struct img *img, const struct samples_opts *opts);

/*
 * Find a file that the user names: below symfs, at its path, or in one of the places.
 * Returns its path, which the caller frees. Returns the name itself if there is no such
 * file. Returns NULL if out of memory.
 */
char *samples_find_file(const struct samples_opts *opts, const char *name);

void samples_close(struct samples *s);

/* --- for the other files of this component --- */

/* Read the next sample, wanted or not. Returns like samples_next(). */
int samples_read_any(struct samples *s, struct pd_event *ev, struct error *error);

/* Take a sample if it is wanted. Returns 1, 0, or ERROR_NOMEM with a text. */
int samples_take(struct samples *s, const struct pd_event *ev, struct error *error);

/* Let go of what samples_find() has read. */
void samples_end_seek(struct samples *s);

#endif
