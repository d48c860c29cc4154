// SPDX-License-Identifier: GPL-2.0-only
#include "collect/spool.h"
#include "base/array.h"
#include "base/hex.h"
#include "base/outfile.h"
#include "base/own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE "state"
#define SUFFIX ".counts"

enum { LABEL_DIGITS = 2 * SPOOL_LABEL };

static int failed(const struct spool *s, const char *name, int code, struct error *error)
{
	return error_set(error, code, "%s/%s: %s", s->path, name, own_strerror(errno));
}

void spool_name(const struct spool *s, uint64_t number, const char *suffix,
		char name[SPOOL_NAME])
{
	char label[LABEL_DIGITS + 1];

	hex_text(label, s->label, SPOOL_LABEL);
	snprintf(name, SPOOL_NAME, "%s-%010" PRIu64 "%s", label, number, suffix);
}

/* --- the state --- */

/* The state is on the disk, with its name, when this returns 0. */
static int write_state(const struct spool *s, bool runs, struct error *error)
{
	char path[PATH_MAX], label[LABEL_DIGITS + 1];
	struct outfile out;

	hex_text(label, s->label, SPOOL_LABEL);
	snprintf(path, sizeof(path), "%s/" STATE, s->path);
	if (outfile_open_inside(&out, path))
		return failed(s, STATE, ERROR_OUTPUT, error);
	fprintf(out.file, "ssctr-collect 1\nlabel %s\nnext %" PRIu64 "\nruns %d\nend\n",
		label, s->next + s->claimed, runs);
	if (outfile_commit(&out))
		return failed(s, STATE, ERROR_OUTPUT, error);
	return 0;
}

static bool parse_label(struct spool *s, const char *text)
{
	unsigned int i;

	if (strspn(text, "0123456789abcdef") < LABEL_DIGITS)
		return false;
	for (i = 0; i < SPOOL_LABEL; i++)
		if (sscanf(text + 2 * i, "%2hhx", &s->label[i]) != 1)
			return false;
	return true;
}

/* Returns whether the text is a whole state. */
static bool parse_state(struct spool *s, const char *text)
{
	char label[LABEL_DIGITS + 1];
	int runs, end = 0;

	if (sscanf(text, "ssctr-collect 1\nlabel %32[0-9a-f]\nnext %" SCNu64 "\nruns %d\nend%n",
		   label, &s->next, &runs, &end) != 3 || !end)
		return false;
	s->killed = runs;
	return parse_label(s, label);
}

/* Take the label and the number of the last process, or begin anew. */
static int read_state(struct spool *s, struct error *error)
{
	char text[256];
	const ssize_t n = own_read(text, sizeof(text), s->dir, STATE);

	if (n >= 0 && parse_state(s, text))
		return 0;
	if (n < 0 && errno != ENOENT)
		return failed(s, STATE, ERROR_INPUT, error);
	s->renamed = n >= 0;
	s->next = 0;
	if (getrandom(s->label, SPOOL_LABEL, 0) != SPOOL_LABEL)
		return error_set(error, ERROR_INPUT, "getrandom: %s", strerror(errno));
	return 0;
}

/* --- files --- */

struct file {
	uint64_t time; /* s since 1970, when it was written */
	uint64_t number;
	uint64_t size;
	bool own; /* it has the label of this folder */
	char name[SPOOL_NAME];
};

struct files {
	struct file *v;
	size_t nr, cap;
};

/* Returns whether the name is LABEL-NUMBER with this suffix, and stores the number. */
static bool parse_name(const char *name, const char *suffix, uint64_t *number)
{
	char *end;

	if (strlen(name) >= SPOOL_NAME ||
	    strspn(name, "0123456789abcdef") != LABEL_DIGITS || name[LABEL_DIGITS] != '-' ||
	    name[LABEL_DIGITS + 1] < '0' || name[LABEL_DIGITS + 1] > '9')
		return false;
	*number = strtoull(name + LABEL_DIGITS + 1, &end, 10);
	return !strcmp(end, suffix);
}

static void add_file(const struct spool *s, struct files *files, int dir, const char *name,
		     const char *suffix)
{
	char label[LABEL_DIGITS + 1];
	struct stat st;
	struct file *f;
	uint64_t number;

	if (!parse_name(name, suffix, &number) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode) ||
	    !array_room(&files->v, files->nr, &files->cap, sizeof(*files->v)))
		return;
	hex_text(label, s->label, SPOOL_LABEL);
	f = &files->v[files->nr++];
	*f = (struct file){ .time = st.st_mtime, .number = number, .size = st.st_size,
			    .own = !strncmp(name, label, LABEL_DIGITS) };
	strcpy(f->name, name);
}

/* The oldest first. The clock may have jumped, but the number has not. */
static int by_age(const void *va, const void *vb)
{
	const struct file *a = va, *b = vb;

	if (a->own != b->own)
		return a->own - b->own;
	if (!a->own && a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* What a killed process left. Of a whole file, the number is never used again. */
static void take_stock(struct spool *s, const struct files *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++)
		if (files->v[i].own && files->v[i].number >= s->next)
			s->next = files->v[i].number + 1;
}

/* Of other names, the folder may have files that are none of the collector's. */
static bool is_leftover(const struct spool *s, const char *name)
{
	char target[SPOOL_NAME], own[SPOOL_NAME];
	uint64_t number;
	size_t size;

	if (!outfile_is_leftover(name, &size) || size >= sizeof(target))
		return false;
	memcpy(target, name, size);
	target[size] = 0;
	if (!strcmp(target, STATE))
		return true;
	if (!parse_name(target, SUFFIX, &number))
		return false;
	spool_name(s, number, SUFFIX, own);
	return !strcmp(target, own);
}

/* Read the names in a folder. The caller closes it. NULL: it cannot be read. */
static DIR *list_files(const struct spool *s, const char *folder, const char *suffix,
		       struct files *files)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		add_file(s, files, dirfd(dir), e->d_name, suffix);
	if (files->nr)
		qsort(files->v, files->nr, sizeof(*files->v), by_age);
	return dir;
}

static void remove_leftovers(const struct spool *s)
{
	DIR *dir = opendir(s->path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (is_leftover(s, e->d_name))
			unlinkat(s->dir, e->d_name, 0);
	if (dir)
		closedir(dir);
}

/* --- open, write, close --- */

static int lock(struct spool *s, struct error *error)
{
	s->dir = own_folder(s->path, false, error);
	if (s->dir < 0)
		return ERROR_OUTPUT;
	if (flock(s->dir, LOCK_EX | LOCK_NB))
		return error_set(error, ERROR_OUTPUT,
				 "%s: another ssctr collect uses this folder; choose another one with -d",
				 s->path);
	return 0;
}

static void close_folder(struct spool *s)
{
	if (s->dir >= 0)
		close(s->dir);
	s->dir = -1;
}

static bool is_folder(const struct spool *s)
{
	struct stat own, its;

	return s->dir >= 0 && !fstat(s->dir, &own) && !stat(s->path, &its) &&
	       own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

/* Take the folder that has the name now, with what is in it. */
static int enter(struct spool *s, struct error *error)
{
	const struct spool was = *s;
	struct files files = { 0 };
	DIR *dir;
	int ret = lock(s, error) ?: read_state(s, error);

	if (!ret) {
		/* A copy may be older. */
		if (!memcmp(was.label, s->label, SPOOL_LABEL) && s->next < was.next)
			s->next = was.next;
		s->claimed = false;
		remove_leftovers(s);
		dir = list_files(s, s->path, SUFFIX, &files);
		if (dir)
			closedir(dir);
		take_stock(s, &files);
		ret = write_state(s, true, error);
	}
	free(files.v);
	/* The state that could not be locked or read is not ours to write. */
	if (ret)
		close_folder(s);
	return ret;
}

/* What was removed is not made again: it may come back, as a disk that is mounted. */
int spool_hold(struct spool *s, struct error *error)
{
	if (is_folder(s))
		return 0;
	close_folder(s);
	return enter(s, error);
}

int spool_open(struct spool *s, const char *path, struct error *error)
{
	*s = (struct spool){ .path = strdup(path), .dir = -1 };
	if (!s->path)
		return error_nomem(error);
	if (mkdir(s->path, 0755) && errno != EEXIST)
		return error_set(error, ERROR_OUTPUT, "%s: %s", s->path, strerror(errno));
	return enter(s, error);
}

/* Mark the number as used. */
static int claim(struct spool *s, struct error *error)
{
	int ret;

	if (s->claimed)
		return 0;
	s->claimed = true;
	ret = write_state(s, true, error);
	/* The state may be there all the same, which does no harm. */
	s->claimed = !ret;
	return ret;
}

/* What has the name of the next file is replaced, but a link is not followed. */
static int check_next(const struct spool *s, const char *name, struct error *error)
{
	struct stat st;

	if (fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) || S_ISREG(st.st_mode))
		return 0;
	errno = ELOOP;
	return failed(s, name, ERROR_OUTPUT, error);
}

int spool_write(struct spool *s, char name[SPOOL_NAME],
		int (*write)(void *arg, const char *path, struct error *error), void *arg,
		struct error *error)
{
	char *path;
	int ret;

	ret = spool_hold(s, error);
	if (ret)
		return ret;
	spool_name(s, s->next, SUFFIX, name);
	if (asprintf(&path, "%s/%s", s->path, name) < 0)
		return error_nomem(error);
	ret = check_next(s, name, error) ?: claim(s, error) ?: write(arg, path, error);
	free(path);
	if (ret)
		return ret;
	s->next++;
	s->claimed = false;
	return 0;
}

static bool is_too_old(const struct file *f, const struct spool_keep *keep)
{
	return keep->age && f->time < keep->now && keep->now - f->time > keep->age;
}

/* The files of other labels are the first ones in the order by_age(). */
static size_t count_others(const struct files *files)
{
	size_t nr = 0;

	while (nr < files->nr && !files->v[nr].own)
		nr++;
	return nr;
}

static unsigned int rotate(const struct spool *s, const char *folder, const char *suffix,
			   bool others, const struct spool_keep *keep)
{
	struct files files = { 0 };
	DIR *dir = list_files(s, folder, suffix, &files);
	const size_t first = others ? 0 : count_others(&files);
	unsigned int removed = 0;
	uint64_t size = 0;
	size_t i;

	for (i = first; i < files.nr; i++)
		size += files.v[i].size;
	for (i = first; i + 1 < files.nr; i++) {
		const struct file *f = &files.v[i];

		if (!is_too_old(f, keep) && !(keep->size && size > keep->size))
			continue;
		if (unlinkat(dirfd(dir), f->name, 0))
			continue;
		size -= f->size;
		removed++;
	}
	free(files.v);
	if (dir)
		closedir(dir);
	return removed;
}

/* The folder belongs to one machine, so another label is one that it has had. */
unsigned int spool_rotate(const struct spool *s, const struct spool_keep *keep)
{
	return rotate(s, s->path, SUFFIX, true, keep);
}

unsigned int spool_rotate_in(const struct spool *s, const char *folder, const char *suffix,
			     const struct spool_keep *keep)
{
	return rotate(s, folder, suffix, false, keep);
}

bool spool_has_older(const struct spool *s, uint64_t number)
{
	struct files files = { 0 };
	DIR *dir = list_files(s, s->path, SUFFIX, &files);
	const size_t first = count_others(&files);
	const bool has = first < files.nr && files.v[first].number < number;

	free(files.v);
	if (dir)
		closedir(dir);
	return has;
}

void spool_close(struct spool *s, bool ended)
{
	struct error error;

	/* If this fails, the next process says that this one was killed. */
	if (is_folder(s) && ended)
		write_state(s, false, &error);
	close_folder(s);
	free(s->path);
	*s = (struct spool){ .dir = -1 };
}
