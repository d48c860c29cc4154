/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the subcommands that read a recording share: its options, the samples
 * they let through, and the code these ran.
 */
#ifndef SSCTR_RECORDING_H
#define SSCTR_RECORDING_H

#include "ssctr.h"

#include "image/image.h"
#include "path/code.h"
#include "perfdata/perfdata.h"
#include "perfdata/space.h"

struct rec_range {
	uint32_t first, last;
};

/* A list like 1,4-7; nr 0 is all. */
struct rec_list {
	struct rec_range *v;
	unsigned int nr;
};

/* What tells a sample from the others of its recording. */
struct rec_key {
	uint64_t time;
	uint64_t ip;
	uint64_t id; /* where the event has one */
	uint32_t tid;
	uint32_t cpu;
	char comm[16]; /* the thread's name, where it was asked for; else "" */
};

/*
 * Who chooses samples beside the options: perf script, for its plug-ins. next()
 * waits for the next sample that is to be used, in the order of the recording.
 * Returns 1, or 0 if there are no more.
 */
struct rec_chooser {
	const char *path; /* of the recording */
	int (*next)(void *arg, struct rec_key *key);
	/* All is read: samples were in the recording. Is that as it should be? */
	bool (*end)(void *arg, uint64_t samples);
	void *arg;
};

struct rec {
	const struct cmd *cmd;
	const char *path;
	const char *symfs;
	const char *kcore;
	const char *vmlinux;
	char *kcore_path; /* of the recording's own, if it has one */
	char *build_id_dir;
	struct rec_list pids, tids, cpus;
	uint64_t time_from, time_to; /* ns */
	const struct rec_chooser *chooser; /* of the recording; NULL: nobody */
	struct rec_key chosen; /* the sample returned last, or the next one */
	struct rec_key passed; /* the one before */
	bool has_chosen, chose_all;
	struct pd *pd;
	struct pd_space *space;
	struct img *img;
	struct path_code *code;
	uint64_t filtered; /* samples that the options left out */
	bool terminal;
	unsigned int percent; /* shown last */
};

enum {
	REC_OPT_INPUT = 'i',
	REC_OPT_SYMFS = 0x1000,
	REC_OPT_KCORE,
	REC_OPT_VMLINUX,
	REC_OPT_BUILD_ID_DIR,
	REC_OPT_PID,
	REC_OPT_TID,
	REC_OPT_CPU,
	REC_OPT_TIME,
};

/* The first entries of a subcommand's option table. */
/* clang-format off */
#define REC_OPTS                                                               \
	{ REC_OPT_INPUT, "input", "FILE",                                      \
	  "the recording (default: perf.data)" },                              \
	{ REC_OPT_SYMFS, "symfs", "DIR",                                       \
	  "root folder of the machine that recorded" },                        \
	{ REC_OPT_KCORE, "kcore", "FILE",                                      \
	  "a copy of its /proc/kcore, for the kernel's code" },                \
	{ REC_OPT_VMLINUX, "vmlinux", "FILE",                                  \
	  "the kernel's file, where there is no kcore; leaves gaps" },         \
	{ REC_OPT_BUILD_ID_DIR, "buildid-dir", "DIR",                          \
	  "perf's cache of files by build id (default: ~/.debug)" },           \
	{ REC_OPT_PID, "pid", "LIST", "only these processes: 1,4-7" },         \
	{ REC_OPT_TID, "tid", "LIST", "only these threads" },                  \
	{ REC_OPT_CPU, "cpu", "LIST", "only these harts" },                    \
	{ REC_OPT_TIME, "time", "A,B",                                         \
	  "only from A to B, in seconds as perf script prints them" }
/* clang-format on */

/* chooser may be NULL; it is asked for the first recording that is opened. */
void rec_init(struct rec *rec, const struct cmd *cmd,
	      const struct rec_chooser *chooser);

/* Take the option just returned. CMD_OK, or CMD_USAGE, which was reported. */
int rec_option(struct rec *rec, const struct cmd_opts *opts, int id);

/*
 * Open the recording, which has to be of a RISC-V machine and to hold branch
 * stacks. CMD_OK, or CMD_FAIL, which was reported.
 */
int rec_open(struct rec *rec);

/*
 * The next sample that the options let through. Returns 1, 0 at the end, or -1
 * after an error, which was reported.
 */
int rec_next(struct rec *rec, struct pd_event *ev);

/*
 * Were transfers of all kinds recorded? Where some were not, straight lines seem
 * to run over them. To be asked after rec_open().
 */
bool rec_has_all_branches(const struct rec *rec);

/* How many branch records the hart has, 0 if the recording does not say. */
unsigned int rec_depth(const struct rec *rec);

/* To stderr: what was lost or left out, and the files that could not be used. */
void rec_summary(const struct rec *rec);

/* Leave the recording, but not the options: another one may be opened. */
void rec_end(struct rec *rec);

void rec_close(struct rec *rec);

/* The subcommands that plug-ins of perf script are made of, with its choice. */
int cmd_profile_of(const struct rec_chooser *chooser, int argc, char **argv);
int cmd_stf_of(const struct rec_chooser *chooser, int argc, char **argv);

#endif
