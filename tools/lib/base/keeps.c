// SPDX-License-Identifier: GPL-2.0-only
#include "base/keeps.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_at(const struct stat *st, const struct stat *place)
{
	return st->st_dev == place->st_dev && st->st_ino == place->st_ino;
}

/* Whether a file is in a folder, by whatever names. */
static bool is_in(const char *path, const struct stat *folder)
{
	char *real = realpath(path, NULL);
	struct stat st;
	bool in = real && !stat(dirname(real), &st) && is_at(&st, folder);

	free(real);
	return in;
}

bool keeps_is_same(const char *output, const char *input)
{
	struct stat in, out;

	if (!strcmp(output, "-") ||
	    (strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in)))
		return false;
	if (stat(output, &out) || !S_ISREG(out.st_mode))
		return false;
	return is_at(&out, &in) || (S_ISDIR(in.st_mode) && is_in(output, &in));
}

int keeps_input(const char *option, const char *output, const char *input,
		struct error *error)
{
	if (!output || !input || !keeps_is_same(output, input))
		return 0;
	return error_set(error, ERROR_OUTPUT,
			 "%s %s: this is the input, which would be lost; name another file",
			 option, output);
}

int keeps_terminal(const char *output, struct error *error)
{
	if (strcmp(output, "-") || !isatty(STDOUT_FILENO))
		return 0;
	return error_set(error, ERROR_OUTPUT,
			 "-o -: standard output is a terminal, and the output is binary; use a pipe or name a file");
}
