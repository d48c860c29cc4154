// SPDX-License-Identifier: GPL-2.0-only
#include "image/listing.h"
#include "base/array.h"
#include "base/md5.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No source that people write is larger. */
enum { MAX_SIZE = 64 << 20 };

struct source {
	char *path;
	char *found; /* where it was found; NULL: nowhere */
	bool refused; /* there is one that may not be shown */
	struct timespec time; /* of its last change */
	bool compared;
	char *binary; /* that was built from another one; NULL: none is known */
	bool certain; /* its MD5 tells it */
	char *text; /* NULL: there is none */
	size_t size;
	size_t *lines; /* where each begins, and the end */
	size_t nr;
};

struct img_listing {
	const char **folders;
	size_t nr_folders, cap_folders;
	struct source *sources;
	size_t nr, cap;
};

struct img_listing *img_listing_new(void)
{
	return calloc(1, sizeof(struct img_listing));
}

void img_listing_free(struct img_listing *listing)
{
	size_t i;

	if (!listing)
		return;
	for (i = 0; i < listing->nr; i++) {
		free(listing->sources[i].path);
		free(listing->sources[i].found);
		free(listing->sources[i].binary);
		free(listing->sources[i].text);
		free(listing->sources[i].lines);
	}
	free(listing->sources);
	free(listing->folders);
	free(listing);
}

bool img_listing_add(struct img_listing *listing, const char *folder)
{
	if (!array_room(&listing->folders, listing->nr_folders, &listing->cap_folders,
			sizeof(*listing->folders)))
		return false;
	listing->folders[listing->nr_folders++] = folder;
	return true;
}

/*
 * The debug information is another's as often as not, and names any file. What root alone may read
 * is in no page because of it, nor what a group may.
 */
static bool may_be_shown(const struct stat *st)
{
	return st->st_mode & S_IROTH || (st->st_uid == getuid() && st->st_uid);
}

/*
 * What can be opened without waiting, and is a plain file. meant: the caller named the folder, and
 * not the debug information alone.
 */
static int open_plain(struct source *source, const char *path, bool meant, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MAX_SIZE) {
		source->refused = !meant && !may_be_shown(&st);
		if (!source->refused) {
			source->found = strdup(path);
			source->time = st.st_mtim;
			*size = st.st_size;
			return fd;
		}
	}
	close(fd);
	return -1;
}

/* Whether a path leads out of the folder that it is below. */
static bool has_dots(const char *path)
{
	while ((path = strstr(path, "/..")))
		if (path[3] == '/')
			return true;
		else
			path += 3;
	return false;
}

/* Below a folder, the whole path first, and at last its name alone. */
static int open_below(struct source *source, const char *folder, size_t *size)
{
	const char *path = source->path;
	char name[4096];
	int fd = -1;

	while (fd < 0 && *path) {
		path += strspn(path, "/");
		if ((size_t)snprintf(name, sizeof(name), "%s/%s", folder, path) <
		    sizeof(name))
			fd = open_plain(source, name, !has_dots(name + strlen(folder)), size);
		path += strcspn(path, "/");
	}
	return fd;
}

static int open_source(const struct img_listing *listing, struct source *source, size_t *size)
{
	int fd = -1;
	size_t i;

	/* Who names a folder means it. */
	for (i = 0; i < listing->nr_folders && fd < 0; i++)
		fd = open_below(source, listing->folders[i], size);
	return fd < 0 ? open_plain(source, source->path, false, size) : fd;
}

static bool read_text(struct source *source, int fd, size_t size)
{
	ssize_t n;

	source->text = malloc(size + 1);
	while (source->text && source->size < size) {
		n = read(fd, source->text + source->size, size - source->size);
		if (n <= 0)
			break;
		source->size += n;
	}
	return source->text;
}

static bool find_lines(struct source *source)
{
	const char *p = source->text, *end = source->text + source->size;
	size_t cap = 0;

	while (p) {
		if (!array_room(&source->lines, source->nr, &cap, sizeof(*source->lines)))
			return false;
		source->lines[source->nr++] = p - source->text;
		p = p < end ? memchr(p, '\n', end - p) : NULL;
		p = p ? p + 1 : NULL;
	}
	return true;
}

static void load(const struct img_listing *listing, struct source *source)
{
	size_t size;
	int fd = open_source(listing, source, &size);

	if (fd < 0)
		return;
	if (!read_text(source, fd, size) || !find_lines(source))
		source->nr = 0;
	close(fd);
}

static struct source *find(struct img_listing *listing, const char *path)
{
	struct source *source;
	size_t i;

	for (i = 0; i < listing->nr; i++)
		if (!strcmp(listing->sources[i].path, path))
			return &listing->sources[i];
	if (!array_room(&listing->sources, listing->nr, &listing->cap,
			sizeof(*listing->sources)))
		return NULL;
	source = &listing->sources[listing->nr];
	*source = (struct source){ .path = strdup(path) };
	if (!source->path)
		return NULL;
	listing->nr++;
	load(listing, source);
	return source;
}

const char *img_listing_line(struct img_listing *listing, const char *path,
			     unsigned int line, size_t *size)
{
	const struct source *source = find(listing, path);
	const char *start, *newline;
	size_t left;

	if (!source || !line || line > source->nr)
		return NULL;
	start = source->text + source->lines[line - 1];
	left = source->text + source->size - start;
	newline = left ? memchr(start, '\n', left) : NULL;
	*size = newline ? (size_t)(newline - start) : left;
	/* What follows the last newline is a line only if it is not empty. */
	return left ? start : NULL;
}

bool img_listing_refuses(struct img_listing *listing, const char *path)
{
	const struct source *source = find(listing, path);

	return source && source->refused;
}

const char *img_listing_next_refused(const struct img_listing *listing, size_t *at)
{
	while (*at < listing->nr)
		if (listing->sources[(*at)++].refused)
			return listing->sources[*at - 1].path;
	return NULL;
}

/* --- whether it is what was built --- */

bool img_listing_is_new(struct img_listing *listing, const char *path)
{
	const struct source *source = find(listing, path);

	return source && source->found && !source->compared;
}

/* Archives keep whole seconds, so of a file that came out of one no more is known. */
static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec > b->tv_sec;
	return b->tv_nsec && a->tv_nsec > b->tv_nsec;
}

void img_listing_compare(struct img_listing *listing, const char *path,
			 const struct img_built *built)
{
	struct source *source = find(listing, path);
	uint8_t digest[MD5_SIZE];
	struct stat st;
	bool differs;

	if (!source || !source->text || source->compared)
		return;
	source->compared = true;
	source->certain = built->has_md5;
	if (built->has_md5) {
		md5(digest, source->text, source->size);
		differs = memcmp(digest, built->md5, MD5_SIZE);
	} else {
		differs = !stat(built->path, &st) && is_newer(&source->time, &st.st_mtim);
	}
	if (differs)
		source->binary = strdup(built->path);
}

bool img_listing_next_other(const struct img_listing *listing, size_t *at,
			    struct img_other_source *other)
{
	while (*at < listing->nr) {
		const struct source *source = &listing->sources[(*at)++];

		*other = (struct img_other_source){ source->found, source->binary,
						    source->certain };
		if (source->found && source->binary)
			return true;
	}
	return false;
}
