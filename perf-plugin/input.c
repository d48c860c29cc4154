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

/* The file that is open, by its absolute path. */
static bool open_recording(char *path, size_t room)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir))) {
		char link[sizeof("/proc/self/fd/") + sizeof(e->d_name)];
		struct stat st;
		ssize_t n;
		int fd = atoi(e->d_name);

		if (e->d_name[0] == '.' || fstat(fd, &st) ||
		    !S_ISREG(st.st_mode) || !is_recording(fd))
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%s", e->d_name);
		n = readlink(link, path, room - 1);
		if (n <= 0)
			continue;
		path[n] = 0;
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
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

/* How the user named it. NULL: not at all, or it is not known. */
static char *name_given(const struct stat *st)
{
	FILE *f = fopen("/proc/self/cmdline", "r");
	char *word = NULL, *name = NULL;
	const char *part;
	size_t room = 0;

	while (f && !name && getdelim(&word, &room, 0, f) > 0) {
		part = part_that_is(word, st);
		if (part)
			name = strdup(part);
	}
	free(word);
	if (f)
		fclose(f);
	return name;
}

char *input_find(void)
{
	char path[PATH_MAX], *name;
	struct stat st;

	if (!open_recording(path, sizeof(path)))
		return NULL;
	leave_directory(path);
	if (stat(path, &st))
		return NULL;
	name = name_given(&st);
	if (name)
		return name;
	/* perf's own default. */
	return strdup(is_same("perf.data", &st) ? "perf.data" : path);
}
