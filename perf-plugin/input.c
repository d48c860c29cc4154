// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf does not tell a plug-in what it reads. But it has the recording open, and the
 * words of its command line say how the user named it.
 */
#include "input.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "PERFILE2", in both byte orders. */
static bool is_recording(int fd)
{
	char magic[8];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
}

/* Of a directory that perf record made, the file with the header is open. */
static void leave_directory(char *path)
{
	static const char *const others[] = { "data.0", "kcore_dir" };
	char *slash = strrchr(path, '/'), other[PATH_MAX];
	unsigned int i;

	if (!slash || slash == path || strcmp(slash, "/data"))
		return;
	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(other, sizeof(other), "%.*s/%s", (int)(slash - path),
			 path, others[i]);
		if (!access(other, F_OK)) {
			*slash = 0;
			return;
		}
	}
}

static bool is_same(const char *path, const struct stat *st)
{
	struct stat other;

	return !stat(path, &other) && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

/* The word, its part after "=", or after the letter of an option. */
static const char *part_that_is(const char *word, const struct stat *st)
{
	const char *value = strchr(word, '=');

	if (is_same(word, st))
		return word;
	if (value && is_same(value + 1, st))
		return value + 1;
	if (word[0] == '-' && word[1] && word[1] != '-' && is_same(word + 2, st))
		return word + 2;
	return NULL;
}

/*
 * How the user named it for perf, and not for the plug-in. NULL: not at all, or it is not
 * known.
 */
static char *name_given(const struct stat *st)
{
	FILE *f = fopen("/proc/self/cmdline", "r");
	char *word = NULL, *name = NULL;
	bool dlarg = false;
	size_t room = 0;

	while (f && !name && getdelim(&word, &room, 0, f) > 0) {
		const char *part = dlarg || !strncmp(word, "--dlarg=", 8) ?
					   NULL : part_that_is(word, st);

		if (part)
			name = strdup(part);
		dlarg = !strcmp(word, "--dlarg");
	}
	free(word);
	if (f)
		fclose(f);
	return name;
}

/* The absolute path of the recording that is open as fd. */
static bool recording_at(int fd, char *path, size_t room)
{
	char link[sizeof("/proc/self/fd/") + 11];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_recording(fd))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, room - 1);
	if (n <= 0)
		return false;
	path[n] = 0;
	leave_directory(path);
	return true;
}

/* What is known of a recording that is open: the larger, the surer perf reads it. */
enum likeness { NONE, GONE, OPEN, DEFAULT, NAMED };

/* The kernel says it behind the path of a file that was removed. */
static bool take_deleted(char *path)
{
	static const char deleted[] = " (deleted)";
	const size_t n = strlen(path), end = sizeof(deleted) - 1;

	if (n <= end || strcmp(path + n - end, deleted) || !access(path, F_OK))
		return false;
	path[n - end] = 0;
	return true;
}

/* Its name goes into *name if it is more likely than what was found before. */
static enum likeness judge(int fd, enum likeness before, char **name)
{
	char path[PATH_MAX], *given = NULL;
	enum likeness now = OPEN;
	struct stat st;

	if (!recording_at(fd, path, sizeof(path)))
		return before;
	if (take_deleted(path))
		now = GONE;
	else if (stat(path, &st))
		return before;
	else
		given = name_given(&st);
	if (given) {
		now = NAMED;
	} else if (now != GONE && is_same("perf.data", &st)) {
		now = DEFAULT;
		strcpy(path, "perf.data");
	}
	if (now <= before) {
		free(given);
		return before;
	}
	free(*name);
	*name = given ? given : strdup(path);
	return now;
}

/* perf may have got other recordings with its first descriptors, as from a shell. */
char *input_find(bool *is_gone)
{
	DIR *dir = opendir("/proc/self/fd");
	enum likeness found = NONE;
	char *name = NULL;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			found = judge(atoi(e->d_name), found, &name);
	if (dir)
		closedir(dir);
	*is_gone = found == GONE;
	return name;
}
