// SPDX-License-Identifier: GPL-2.0-only
#include "base/keeps.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool keeps_is_same(const char *output, const char *input)
{
	struct stat in, out;

	if (!strcmp(output, "-") ||
	    (strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in)))
		return false;
	return !stat(output, &out) && S_ISREG(out.st_mode) && in.st_dev == out.st_dev &&
	       in.st_ino == out.st_ino;
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
