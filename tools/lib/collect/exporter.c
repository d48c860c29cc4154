// SPDX-License-Identifier: GPL-2.0-only
#include "collect/exporter.h"
#include "base/outfile.h"
#include "base/own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	AGAIN = 600, /* s from a failure to the next try */
	LAST = 20, /* s for what is left at the end, and for each receiver that fails more: */
	LAST_OTHERS = 1,
};

/* What else can happen to profiles. */
enum event { UNREADABLE, GONE, DROPPED, SET_ASIDE, REFUSED, LEFT_OUT, WARNED, NR_EVENTS };

/* What a child tells. */
struct answer {
	bool whole; /* it has told all */
	char failure[EXPORT_NR_FORMATS][512]; /* "": all was exported */
	char news[EXPORT_NR_FORMATS][NR_EVENTS][384]; /* "": nothing */
};

struct exporter {
	struct exporter_opts opts;
	const struct spool *spool;
	char *folder; /* DIR/export */
	pid_t child; /* 0: none */
	struct answer *answer; /* of the child, whose memory it is, too */
	bool due; /* there may be something to do */
	bool last; /* this process does not try again */
	uint64_t next[EXPORT_NR_FORMATS]; /* as read_next() said last */
	bool failing[EXPORT_NR_FORMATS];
	bool lost; /* the receiver did not get or take a profile, or not all of it */
	uint64_t died_at[EXPORT_NR_FORMATS]; /* number of a file plus 1; 0: of none */
	uint64_t again; /* s, when to try again */
};

static const char *const names[EXPORT_NR_FORMATS] = { "pprof", "otlp" };
static const char *const suffixes[EXPORT_NR_FORMATS] = { ".pb.gz", ".otlp.gz" };

static bool is_folder(const struct exporter *e, unsigned int format)
{
	return e->opts.out[format] && !export_is_url(e->opts.out[format]);
}

static void say(const struct exporter *e, const char *line)
{
	e->opts.say(e->opts.arg, line);
}

/* --- where it is: the number of the next file --- */

/* The file has the name that the next counts file would have. */
static int write_next(const struct exporter *e, unsigned int format, uint64_t number,
		      struct error *error)
{
	char path[4096], name[SPOOL_NAME];
	struct outfile out;

	spool_name(e->spool, number, "", name);
	snprintf(path, sizeof(path), "%s/%s.next", e->folder, names[format]);
	if (outfile_open_inside(&out, path))
		return error_set(error, ERROR_OUTPUT, "%s: %s", path, own_strerror(errno));
	fprintf(out.file, "%s\n", name);
	if (outfile_commit(&out))
		return error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	return 0;
}

/* Returns false if it is not known. With a new label, the numbers begin anew. */
static bool read_next(const struct exporter *e, unsigned int format, uint64_t *number)
{
	char path[4096], text[SPOOL_NAME + 1], own[SPOOL_NAME];

	snprintf(path, sizeof(path), "%s/%s.next", e->folder, names[format]);
	if (own_read(text, sizeof(text), AT_FDCWD, path) < 0)
		return false;
	text[strcspn(text, "\n")] = 0;
	if (sscanf(text, "%*32[0-9a-f]-%" SCNu64, number) != 1)
		return false;
	spool_name(e->spool, *number, "", own);
	if (strcmp(own, text))
		*number = 0;
	return true;
}

static int make_folder(const char *path, mode_t mode, struct error *error)
{
	struct stat st;

	if (mkdir(path, mode) && errno != EEXIST)
		return error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		return error_set(error, ERROR_OUTPUT,
				 "%s: profiles go into a folder or to a URL, and this is a file",
				 path);
	return 0;
}

/* What waits to be sent is in a folder of this process alone, below that of the spool. */
static int make_own_folder(const struct exporter *e, struct error *error)
{
	return make_folder(e->folder, 0700, error) ?:
	       own_folder_check(e->folder, true, error);
}

/* --- in the child --- */

/* It needs none of what the collector may do. Returns 0, or ERROR_INPUT with a text. */
static int drop_capabilities(struct error *error)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { 0 };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!syscall(SYS_capset, &header, none))
		return 0;
	return error_set(error, ERROR_INPUT, "cannot give up capabilities: %s", strerror(errno));
}

/* If memory is short, the collector is worth more. */
static void die_first(void)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "we");

	if (!file)
		return;
	fputs("1000", file);
	fclose(file);
}

static unsigned int timeout_of(const struct exporter *e)
{
	return e->opts.timeout ?: EXPORT_TIMEOUT;
}

/* The s that the last process may take. */
static unsigned int last_of(const struct exporter *e)
{
	unsigned int i, nr = 0;

	for (i = 0; i < EXPORT_NR_FORMATS; i++)
		nr += e->opts.out[i] && export_is_url(e->opts.out[i]);
	return LAST + nr * (1 + LAST_OTHERS) * timeout_of(e);
}

static struct export_target target_of(const struct exporter *e, unsigned int format,
				      bool last)
{
	return (struct export_target){
		.url = e->opts.out[format], .headers = e->opts.headers, .ca = e->opts.ca,
		.spool = e->folder, .spool_limit = EXPORT_SPOOL_LIMIT, .timeout = timeout_of(e),
		.patience = last ? 0 : EXPORT_PATIENCE,
		.others = last ? LAST_OTHERS : EXPORT_OTHERS,
	};
}

static __attribute__((format(printf, 4, 5))) void
set_news(struct answer *answer, unsigned int format, enum event event, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(answer->news[format][event], sizeof(answer->news[format][event]), fmt, ap);
	va_end(ap);
}

/* What happened to the files that were kept, together. */
struct kept {
	uint64_t dropped, gone, unreadable;
	bool noted; /* the number of the next one is on the disk */
	char why[256]; /* the first one cannot be read */
};

static void tell_kept(const struct exporter *e, unsigned int format, const struct kept *kept,
		      struct answer *answer)
{
	if (kept->dropped)
		set_news(answer, format, DROPPED,
			 "%" PRIu64 " profiles dropped, the oldest first, because %s has no room for more",
			 kept->dropped, e->folder);
	if (kept->gone)
		set_news(answer, format, GONE,
			 "%" PRIu64 " counts files were removed before they were exported (%s)",
			 kept->gone, names[format]);
	if (kept->unreadable == 1)
		set_news(answer, format, UNREADABLE, "not exported: %s", kept->why);
	else if (kept->unreadable)
		set_news(answer, format, UNREADABLE, "%" PRIu64 " files not exported; the first: %s",
			 kept->unreadable, kept->why);
}

/* Export a file to a folder, or put it into the spool. */
static int keep(const struct exporter *e, const struct export_opts *opts,
		const char *counts, uint64_t number, struct kept *kept, struct error *error)
{
	const struct export_target target = target_of(e, opts->format, false);
	char path[4096], name[SPOOL_NAME];
	struct export_result result;
	struct notes notes = { 0 };
	int ret;

	if (is_folder(e, opts->format)) {
		spool_name(e->spool, number, suffixes[opts->format], name);
		snprintf(path, sizeof(path), "%s/%s", e->opts.out[opts->format], name);
		ret = export_write_inside(counts, path, opts, &notes, error);
	} else {
		ret = export_keep(counts, opts, &target, &result, &notes, error);
		kept->dropped += result.dropped;
	}
	notes_free(&notes);
	return ret;
}

/* The number was written at the begin. Who cannot read it does not know what is left. */
static int find_next(const struct exporter *e, unsigned int format, uint64_t *number,
		     struct error *error)
{
	errno = 0;
	if (read_next(e, format, number))
		return 0;
	return error_set(error, ERROR_OUTPUT, "%s/%s.next: %s", e->folder, names[format],
			 errno ? own_strerror(errno) : "there is no number in it");
}

static void path_of(const struct exporter *e, uint64_t number, char path[4096])
{
	char name[SPOOL_NAME];

	spool_name(e->spool, number, ".counts", name);
	snprintf(path, 4096, "%s/%s", e->spool->path, name);
}

static bool is_gone(const struct exporter *e, uint64_t number)
{
	char path[4096];

	path_of(e, number, path);
	return access(path, F_OK) && errno == ENOENT;
}

/* They are noted at once, so that they are counted once. */
static int pass_gone(const struct exporter *e, unsigned int format, uint64_t *number,
		     struct kept *kept, struct error *error)
{
	const uint64_t first = *number;
	int ret;

	while (*number < e->spool->next && is_gone(e, *number))
		++*number;
	if (*number == first)
		return 0;
	ret = write_next(e, format, *number, error);
	if (!ret && !spool_has_older(e->spool, first))
		kept->gone += *number - first;
	return ret;
}

/* Is it there, and no link? If not, errno is set. */
static bool is_there(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return false;
	errno = ELOOP;
	return !S_ISLNK(st.st_mode);
}

/* A file that cannot be read is told, and left out. */
static int keep_next(const struct exporter *e, const struct export_opts *opts,
		     uint64_t number, struct kept *kept, struct error *error)
{
	char path[4096];
	int ret;

	path_of(e, number, path);
	if (!is_there(path))
		return error_set(error, ERROR_OUTPUT, "%s: %s", path, own_strerror(errno));
	ret = keep(e, opts, path, number, kept, error);
	if (ret == ERROR_INPUT) {
		if (!kept->unreadable++)
			snprintf(kept->why, sizeof(kept->why), "%.250s", error->text);
		ret = 0;
	}
	if (ret)
		return ret;
	ret = write_next(e, opts->format, number + 1, error);
	kept->noted = !ret;
	return ret;
}

/* All files up to the newest one. */
static int keep_all(const struct exporter *e, const struct export_opts *opts,
		    struct kept *kept, struct error *error)
{
	uint64_t number;
	int ret = find_next(e, opts->format, &number, error);

	while (!ret && number < e->spool->next) {
		ret = pass_gone(e, opts->format, &number, kept, error);
		if (!ret && number < e->spool->next)
			ret = keep_next(e, opts, number++, kept, error);
	}
	return ret;
}

static int send_all(const struct exporter *e, const struct export_opts *opts, bool last,
		    struct answer *answer, struct error *error)
{
	const struct export_target target = target_of(e, opts->format, last);
	struct export_result result;
	struct notes notes = { 0 };
	int ret = export_send(NULL, opts, &target, &result, &notes, error);

	if (result.unreadable)
		set_news(answer, opts->format, SET_ASIDE,
			 "%" PRIu64 " profiles that waited cannot be read, and are not sent; the first: %s",
			 result.unreadable, result.why);
	if (result.refused)
		set_news(answer, opts->format, REFUSED,
			 "the receiver refused %" PRIu64 " profiles, which are not sent again: %s",
			 result.refused, result.refusal);
	if (result.rejected)
		set_news(answer, opts->format, LEFT_OUT,
			 "the receiver left out %" PRIu64 " profiles%s%s", result.rejected,
			 *result.said ? ": " : "", result.said);
	if (*result.warning)
		set_news(answer, opts->format, WARNED, "the receiver says: %s", result.warning);
	notes_free(&notes);
	return ret;
}

static int export_format(const struct exporter *e, struct export_opts *opts, bool last,
			 struct answer *answer, struct error *error)
{
	struct kept kept = { .noted = true };
	int ret;

	opts->naming.named = e->opts.names;
	if (!opts->naming.img)
		opts->naming.img = img_new(NULL);
	if (!opts->naming.img)
		return error_nomem(error);
	ret = keep_all(e, opts, &kept, error);
	tell_kept(e, opts->format, &kept, answer);
	/* What is not noted as kept will be kept again, and is not to be sent twice. */
	if (!is_folder(e, opts->format) && kept.noted)
		ret = send_all(e, opts, last, answer, error) ?: ret;
	return ret;
}

static void work(const struct exporter *e, bool last, struct answer *answer)
{
	struct export_opts opts = { .service = e->opts.service };
	struct error error;
	const int barred = drop_capabilities(&error);
	unsigned int i;

	for (i = 0; i < EXPORT_NR_FORMATS; i++) {
		opts.format = i;
		if (e->opts.out[i] &&
		    (barred ?: export_format(e, &opts, last, answer, &error)))
			snprintf(answer->failure[i], sizeof(answer->failure[i]), "%.500s",
				 error.text);
	}
	img_free(opts.naming.img);
}

/*
 * Everything that the collector has open is closed, also the lock of its folder. Signals
 * end this process, and so does the end of the collector.
 */
static _Noreturn void child(const struct exporter *e, pid_t parent, bool last)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, "ssctr-export");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (last)
		alarm(last_of(e));
	die_first();
	work(e, last, e->answer);
	e->answer->whole = true;
	_exit(0);
}

/* --- in the collector --- */

static void set_failing(struct exporter *e, unsigned int format, const char *why)
{
	char line[640];
	size_t at = 0;

	if (e->failing[format] == (*why != 0))
		return;
	e->failing[format] = *why;
	if (*why)
		at = snprintf(line, sizeof(line), "cannot export (%s): %s; ", names[format], why);
	if (*why && e->last)
		snprintf(line + at, sizeof(line) - at, "the next ssctr collect tries again");
	else if (*why)
		snprintf(line + at, sizeof(line) - at, "trying again every %d minutes", AGAIN / 60);
	else
		snprintf(line, sizeof(line), "exports again (%s)", names[format]);
	say(e, line);
}

static void take_answer(struct exporter *e, const struct answer *answer)
{
	unsigned int i, event;

	for (i = 0; i < EXPORT_NR_FORMATS; i++) {
		if (!e->opts.out[i])
			continue;
		for (event = 0; event < NR_EVENTS; event++)
			if (*answer->news[i][event])
				say(e, answer->news[i][event]);
		e->lost |= *answer->news[i][SET_ASIDE] || *answer->news[i][REFUSED] ||
			   *answer->news[i][LEFT_OUT];
		set_failing(e, i, answer->failure[i]);
	}
}

static void all_failed(struct exporter *e, const char *why)
{
	unsigned int i;

	for (i = 0; i < EXPORT_NR_FORMATS; i++)
		if (e->opts.out[i])
			set_failing(e, i, why);
}

static bool is_failing(const struct exporter *e)
{
	return e->failing[0] || e->failing[1];
}

/* A file at whose profile the process died twice is left out: the reason is in what it names. */
static void pass_deadly(struct exporter *e)
{
	char line[SPOOL_NAME + 64], name[SPOOL_NAME];
	unsigned int format;
	struct error error;
	uint64_t number;

	for (format = 0; format < EXPORT_NR_FORMATS; format++) {
		if (!e->opts.out[format] || !read_next(e, format, &number) ||
		    number >= e->spool->next)
			continue;
		if (e->died_at[format] != number + 1) {
			e->died_at[format] = number + 1;
			continue;
		}
		if (write_next(e, format, number + 1, &error))
			continue;
		spool_name(e->spool, number, ".counts", name);
		snprintf(line, sizeof(line), "not exported: %s, at which the process died twice", name);
		say(e, line);
	}
}

/* What the profile of a file can cause, also if the system has no memory for it. */
static bool is_by_file(int nr)
{
	return nr == SIGSEGV || nr == SIGBUS || nr == SIGILL || nr == SIGFPE || nr == SIGABRT ||
	       nr == SIGKILL;
}

/* Who stops the service may end its processes in any order. */
static bool is_asked_to_end(int nr)
{
	return nr == SIGTERM || nr == SIGINT || nr == SIGHUP;
}

/* The child was ended by this signal, or ended without an answer. */
static void take_end(struct exporter *e, int nr)
{
	char why[64];

	if (is_asked_to_end(nr)) {
		e->due = true;
		return;
	}
	if (nr == SIGALRM)
		snprintf(why, sizeof(why), "it was not done after %u s", last_of(e));
	else
		snprintf(why, sizeof(why), "the process was ended by signal %d", nr);
	all_failed(e, why);
	if (is_by_file(nr))
		pass_deadly(e);
}

static void remember(struct exporter *e)
{
	unsigned int i;

	for (i = 0; i < EXPORT_NR_FORMATS; i++)
		if (e->opts.out[i])
			read_next(e, i, &e->next[i]);
}

/* Returns false if the child still runs. */
static bool reap(struct exporter *e, int how)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(e->child, &status, how)) < 0 && errno == EINTR)
		;
	if (!pid)
		return false;
	if (e->answer->whole)
		take_answer(e, e->answer);
	else
		take_end(e, pid > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	e->child = 0;
	remember(e);
	return true;
}

/* Somebody has removed what is in the folder. What waited there is lost, and nothing else. */
static void restore(struct exporter *e)
{
	char path[4096], line[4096 + 128];
	bool done = false, waited = false;
	struct error error;
	unsigned int i;

	for (i = 0; i < EXPORT_NR_FORMATS; i++) {
		snprintf(path, sizeof(path), "%s/%s.next", e->folder, names[i]);
		if (!e->opts.out[i] || !access(path, F_OK) || errno != ENOENT)
			continue;
		done |= !make_own_folder(e, &error) &&
			!write_next(e, i, e->next[i], &error);
		waited |= !is_folder(e, i);
	}
	snprintf(line, sizeof(line), "the files in %s were removed%s", e->folder,
		 waited ? "; profiles that were not yet sent are lost" : "");
	if (done)
		say(e, line);
}

static void start(struct exporter *e, bool last)
{
	const pid_t self = getpid();

	restore(e);
	*e->answer = (struct answer){ .whole = false };
	e->child = fork();
	if (!e->child)
		child(e, self, last);
	if (e->child < 0) {
		all_failed(e, strerror(errno));
		e->child = 0;
		return;
	}
	e->due = false;
}

void exporter_written(struct exporter *e)
{
	e->due = true;
}

void exporter_step(struct exporter *e, uint64_t now)
{
	if (e->child && !reap(e, WNOHANG))
		return;
	if (!e->due && !(is_failing(e) && now >= e->again))
		return;
	e->again = now + AGAIN;
	start(e, false);
}

void exporter_rotate(const struct exporter *e, const struct spool_keep *keep)
{
	unsigned int i;

	for (i = 0; i < EXPORT_NR_FORMATS; i++)
		if (is_folder(e, i))
			spool_rotate_in(e->spool, e->opts.out[i], suffixes[i], keep);
}

bool exporter_end(struct exporter *e)
{
	e->last = true;
	/* It may wait for a receiver, and what it has done is done. */
	if (e->child && !reap(e, WNOHANG)) {
		kill(e->child, SIGTERM);
		reap(e, 0);
	}
	if (e->due || is_failing(e))
		start(e, true);
	if (e->child)
		reap(e, 0);
	return !e->due && !is_failing(e) && !e->lost;
}

/* --- begin --- */

/* A profile of a file of the spool, or the number of the next one. */
static bool is_own(const struct exporter *e, unsigned int format, const char *name, size_t size)
{
	char next[SPOOL_NAME], profile[SPOOL_NAME] = "";
	uint64_t number;

	snprintf(next, sizeof(next), "%s.next", names[format]);
	if (sscanf(name, "%*32[0-9a-f]-%" SCNu64, &number) == 1)
		spool_name(e->spool, number, suffixes[format], profile);
	return (size == strlen(next) && !memcmp(name, next, size)) ||
	       (size == strlen(profile) && !memcmp(name, profile, size));
}

/* What a process that was killed did not complete. */
static void remove_leftovers(const struct exporter *e, unsigned int format, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t size;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (outfile_is_leftover(entry->d_name, &size) &&
		    is_own(e, format, entry->d_name, size))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

static int begin_format(struct exporter *e, unsigned int format, struct error *error)
{
	uint64_t number;
	int ret = 0;

	remove_leftovers(e, format, e->folder);
	if (is_folder(e, format)) {
		ret = make_folder(e->opts.out[format], 0755, error);
		remove_leftovers(e, format, e->opts.out[format]);
	}
	if (!ret && !read_next(e, format, &number))
		ret = write_next(e, format, e->spool->next, error);
	return ret;
}

int exporter_new(struct exporter **out, const struct exporter_opts *opts,
		 const struct spool *spool, struct error *error)
{
	struct exporter *e = calloc(1, sizeof(*e));
	unsigned int i;
	int ret;

	*out = e;
	if (!e)
		return error_nomem(error);
	e->opts = *opts;
	e->spool = spool;
	e->answer = mmap(NULL, sizeof(*e->answer), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (e->answer == MAP_FAILED) {
		e->answer = NULL;
		return error_nomem(error);
	}
	if (asprintf(&e->folder, "%s/export", spool->path) < 0) {
		e->folder = NULL;
		return error_nomem(error);
	}
	ret = make_own_folder(e, error);
	for (i = 0; !ret && i < EXPORT_NR_FORMATS; i++)
		if (opts->out[i])
			ret = begin_format(e, i, error);
	remember(e);
	/* What the last process has left, and whether it can be exported at all. */
	e->due = true;
	return ret;
}

void exporter_free(struct exporter *e)
{
	if (!e)
		return;
	if (e->answer)
		munmap(e->answer, sizeof(*e->answer));
	free(e->folder);
	free(e);
}
