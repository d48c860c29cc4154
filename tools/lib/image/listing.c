// SPDX-License-Identifier: GPL-2.0-only
#include "image/listing.h"
#include "base/array.h"

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

/* What can be opened without waiting, and is a plain file. */
static int open_plain(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MAX_SIZE) {
		*size = st.st_size;
		return fd;
	}
	close(fd);
	return -1;
}

/* Below a folder, the whole path first, and at last its name alone. */
static int open_below(const char *folder, const char *path, size_t *size)
{
	char name[4096];
	int fd = -1;

	while (fd < 0 && *path) {
		path += strspn(path, "/");
		if ((size_t)snprintf(name, sizeof(name), "%s/%s", folder, path) <
		    sizeof(name))
			fd = open_plain(name, size);
		path += strcspn(path, "/");
	}
	return fd;
}

static int open_source(const struct img_listing *listing, const char *path, size_t *size)
{
	int fd = -1;
	size_t i;

	/* Who names a folder means it. */
	for (i = 0; i < listing->nr_folders && fd < 0; i++)
		fd = open_below(listing->folders[i], path, size);
	return fd < 0 ? open_plain(path, size) : fd;
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
	int fd = open_source(listing, source->path, &size);

	if (fd < 0)
		return;
	if (!read_text(source, fd, size) || !find_lines(source))
		source->nr = 0;
	close(fd);
}

static const struct source *find(struct img_listing *listing, const char *path)
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
