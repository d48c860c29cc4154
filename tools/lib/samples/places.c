// SPDX-License-Identifier: GPL-2.0-only
/* Where files are that a recording or a user names. */
#include "samples/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool samples_add_places(struct img *img, const struct samples_opts *opts)
{
	const char *home = getenv("HOME");
	bool ok = true;
	char *cache;
	size_t i;

	for (i = 0; ok && i < opts->code.nr; i++)
		ok = img_add_place(img, opts->code.v[i]);
	if (!ok || !home)
		return ok;
	if (asprintf(&cache, "%s/.debug", home) < 0)
		return false;
	ok = img_add_place(img, cache);
	free(cache);
	return ok;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

/* FOLDER/NAME, if there is such a file. */
static char *in_folder(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return NULL;
	if (is_file(path))
		return path;
	free(path);
	return NULL;
}

char *samples_find_file(const struct samples_opts *opts, const char *name)
{
	const char *base = basename(name);
	char *path = NULL;
	size_t i;

	if (opts->symfs && name[0] == '/')
		path = in_folder(opts->symfs, name + 1);
	if (!path && is_file(name))
		return strdup(name);
	for (i = 0; i < opts->code.nr && !path; i++) {
		const char *place = opts->code.v[i];

		if (!strcmp(basename(place), base) && is_file(place))
			return strdup(place);
		path = in_folder(place, name) ?: in_folder(place, base);
	}
	return path ?: strdup(name);
}
