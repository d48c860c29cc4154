/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives counts files to continuous profilers: as profiles of pprof or of OTLP, in files or
 * by HTTP.
 *
 *	export_write("a.counts", "a.pb.gz", &opts, &notes, &error);
 *	export_send("a.counts", &opts, &target, &result, &notes, &error);
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "export/profile.h"

enum export_format { EXPORT_PPROF, EXPORT_OTLP, EXPORT_NR_FORMATS };

struct export_opts {
	enum export_format format;
	struct export_naming naming;
	const char *service; /* OTLP: the attribute service.name */
};

/*
 * Write the profile of a counts file to a file, which is there as a whole or not at all,
 * also after the machine failed. A name that ends in .gz compresses it. Notes are added about
 * the coverage of the counts, and about what is not in the profile. Returns 0, or ERROR_*
 * with a text that names the file.
 */
int export_write(const char *counts, const char *path, const struct export_opts *opts,
		 struct notes *notes, struct error *error);

/*
 * The same in a folder, where the user did not give the name: no link is followed
 * (outfile_open_inside()).
 */
int export_write_inside(const char *counts, const char *path, const struct export_opts *opts,
			struct notes *notes, struct error *error);

/* Returns whether a name is a URL of http:// or https://. */
bool export_is_url(const char *name);

/* What a target has by default: bytes, s and s. */
enum { EXPORT_SPOOL_LIMIT = 64 << 20, EXPORT_TIMEOUT = 10, EXPORT_PATIENCE = 60, EXPORT_OTHERS = 3 };

/* Where profiles are sent. */
struct export_target {
	/* export_is_url(); {begin} and {end} stand for the profile's time in s */
	const char *url;
	const char *headers; /* a file with a header in each line; NULL: none */
	const char *ca; /* a file of certificates to trust; NULL: those of this machine */
	/*
	 * A folder for profiles that cannot be sent now. It has at most spool_limit bytes
	 * for each format. NULL: they are not kept.
	 */
	const char *spool;
	uint64_t spool_limit;
	unsigned int timeout; /* s that a request may take */
	unsigned int patience; /* s to try again after the last profile was taken */
	/* Profiles in the spool that are tried, once each, behind one at which the receiver fails. */
	unsigned int others;
};

struct export_result {
	uint64_t sent;
	uint64_t refused; /* the receiver will never take them; they are gone */
	char refusal[512]; /* why it did not take the first of them */
	uint64_t dropped; /* the oldest, for which the spool had no room */
	uint64_t unreadable; /* in the spool; they are set aside there */
	char why[512]; /* the first of them cannot be read */
	uint64_t waiting; /* in the spool */
	uint64_t retry_after; /* s that the receiver asks to wait; 0: it does not ask */
	bool in_vain; /* the receiver was away for longer than the patience */
	/* OTLP: profiles that the receiver left out of what it took, and why the last ones */
	uint64_t rejected;
	char said[160];
	char warning[160]; /* OTLP: what it said last when it left out nothing */
};

/*
 * Send the profile of a counts file, after all that wait in the spool. counts may be NULL
 * to send these alone. Notes are added as by export_write(). A profile goes into the spool
 * first, and stays there until the receiver has taken or refused it. So a process that is
 * killed loses none. It may leave one that the receiver has already taken, and that the
 * next call sends again. OTLP's profile_id is then the same. If the receiver fails at a
 * profile in the spool, the next ones are tried once each, and those behind one that is taken.
 *
 * If the receiver does not answer, or asks to wait, this call tries again for some time.
 * Returns 0 if nothing is left to be sent, or ERROR_* with a text. *result is set in either
 * case, and tells what was refused before.
 */
int export_send(const char *counts, const struct export_opts *opts,
		const struct export_target *target, struct export_result *result,
		struct notes *notes, struct error *error);

/*
 * Put the profile of a counts file into the spool, and on the disk, and send nothing. A
 * call that was killed can be repeated: what already waits as the newest one is not added
 * again. Returns 0, ERROR_INPUT with a text if the file cannot be read or its profile is
 * larger than the spool may be, or another ERROR_* if a later call may succeed. *result is
 * set in either case.
 */
int export_keep(const char *counts, const struct export_opts *opts,
		const struct export_target *target, struct export_result *result,
		struct notes *notes, struct error *error);

#endif
