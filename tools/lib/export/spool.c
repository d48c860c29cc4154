// SPDX-License-Identifier: GPL-2.0-only
#include "export/spool.h"
#include "base/array.h"
#include "base/outfile.h"
#include "base/own.h"
#include "export/body.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const struct export_spool *spool, const char *name, struct error *error)
{
	return error_set(error, ERROR_OUTPUT, "%s%s%s: %s", spool->path, *name ? "/" : "",
			 name, own_strerror(errno));
}

/* NUMBER-BEGIN-END and the suffix. */
static char *name_of(const struct export_spool *spool, const struct export_spool_item *item)
{
	char *name;

	return asprintf(&name, "%012" PRIu64 "-%" PRIu64 "-%" PRIu64 "%s", item->number,
			item->begin, item->end, spool->suffix) < 0 ? NULL : name;
}

static bool parse_name(const struct export_spool *spool, const char *name,
		       struct export_spool_item *item)
{
	char *its = NULL;
	bool same;
	int n = 0;

	*item = (struct export_spool_item){ 0 };
	if (sscanf(name, "%" SCNu64 "-%" SCNu64 "-%" SCNu64 "%n", &item->number,
		   &item->begin, &item->end, &n) != 3)
		return false;
	/* Only as they are written here. */
	its = name_of(spool, item);
	same = its && !strcmp(its, name);
	free(its);
	return same;
}

/* What a process that was killed has left. */
static bool is_leftover(const struct export_spool *spool, const char *name)
{
	struct export_spool_item item;
	char *target;
	size_t size;
	bool is;

	if (!outfile_is_leftover(name, &size))
		return false;
	target = strndup(name, size);
	is = target && parse_name(spool, target, &item);
	free(target);
	return is;
}

static bool add_item(struct export_spool *spool, const struct export_spool_item *item)
{
	if (!array_room(&spool->items, spool->nr, &spool->cap, sizeof(*item)))
		return false;
	spool->items[spool->nr++] = *item;
	return true;
}

static int list(struct export_spool *spool, DIR *dir, struct error *error)
{
	struct export_spool_item item;
	struct dirent *entry;
	struct stat st;

	while ((entry = readdir(dir))) {
		if (is_leftover(spool, entry->d_name))
			unlinkat(spool->fd, entry->d_name, 0);
		if (!parse_name(spool, entry->d_name, &item) ||
		    fstatat(spool->fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		item.size = st.st_size;
		if (!add_item(spool, &item))
			return error_nomem(error);
	}
	/* By their numbers, which come first. */
	if (spool->nr)
		qsort(spool->items, spool->nr, sizeof(*spool->items), array_order);
	return 0;
}

int export_spool_open(struct export_spool *spool, const char *path, const char *suffix,
	       struct error *error)
{
	DIR *dir;
	int ret;

	*spool = (struct export_spool){ .path = path, .suffix = suffix, .fd = -1 };
	if (mkdir(path, 0700) && errno != EEXIST)
		return failed(spool, "", error);
	spool->fd = own_folder(path, false, error);
	if (spool->fd < 0)
		return ERROR_OUTPUT;
	while (flock(spool->fd, LOCK_EX))
		if (errno != EINTR)
			return failed(spool, "", error);
	dir = opendir(path);
	if (!dir)
		return failed(spool, "", error);
	ret = list(spool, dir, error);
	closedir(dir);
	return ret;
}

/* aside: NULL: it is removed. */
static int take_out(struct export_spool *spool, size_t at, const char *aside,
		    struct error *error)
{
	char *name = name_of(spool, &spool->items[at]), *to = NULL;
	int ret = 0;

	if (!name || (aside && asprintf(&to, "%s%s", name, aside) < 0)) {
		free(name);
		return error_nomem(error);
	}
	if ((to ? renameat(spool->fd, name, spool->fd, to) : unlinkat(spool->fd, name, 0)) &&
	    errno != ENOENT)
		ret = failed(spool, name, error);
	free(to);
	free(name);
	if (!ret)
		memmove(spool->items + at, spool->items + at + 1,
			(--spool->nr - at) * sizeof(*spool->items));
	return ret;
}

int export_spool_remove(struct export_spool *spool, size_t at, struct error *error)
{
	return take_out(spool, at, NULL, error);
}

int export_spool_set_aside(struct export_spool *spool, size_t at, struct error *error)
{
	return take_out(spool, at, EXPORT_SPOOL_ASIDE, error);
}

static int make_room(struct export_spool *spool, uint64_t size, uint64_t limit,
		     uint64_t *dropped, struct error *error)
{
	uint64_t all = size;
	int ret = 0;
	size_t i;

	for (i = 0; i < spool->nr; i++)
		all += spool->items[i].size;
	while (!ret && all > limit) {
		all -= spool->items[0].size;
		ret = export_spool_remove(spool, 0, error);
		*dropped += !ret;
	}
	return ret;
}

static int write_bytes(const struct export_spool *spool, const char *name, const void *bytes,
		       uint64_t size, struct error *error)
{
	struct outfile out;
	char *path;
	int ret = 0;

	if (asprintf(&path, "%s/%s", spool->path, name) < 0)
		return error_nomem(error);
	if (outfile_open_inside(&out, path)) {
		ret = failed(spool, name, error);
	} else {
		fwrite(bytes, 1, size, out.file);
		if (outfile_commit(&out))
			ret = failed(spool, name, error);
	}
	free(path);
	return ret;
}

/* What is the fault of an item, and not of the system, costs the others nothing. */
static int cannot_read(const struct export_spool *spool, const char *name, FILE *file,
		       struct error *error)
{
	const bool ended = file && feof(file);

	if (!ended && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
		return failed(spool, name, error);
	return error_set(error, ERROR_INPUT, "%s/%s: %s", spool->path, name,
			 ended ? "its end is missing" : own_strerror(errno));
}

static int read_item(const struct export_spool *spool, const struct export_spool_item *item,
		     uint8_t **bytes, struct error *error)
{
	char *name = name_of(spool, item);
	FILE *file = NULL;
	int fd, ret = 0;

	*bytes = malloc(item->size + 1);
	if (!name || !*bytes) {
		ret = error_nomem(error);
	} else {
		fd = own_file(spool->fd, name);
		file = fd < 0 ? NULL : fdopen(fd, "r");
		if (!file || fread(*bytes, 1, item->size, file) != item->size)
			ret = cannot_read(spool, name, file, error);
	}
	if (file)
		fclose(file);
	free(name);
	return ret;
}

/* Who fills the folder by other means, or a file system that fails, may have cut it. */
static int check_item(const struct export_spool *spool, const struct export_spool_item *item,
		      const uint8_t *bytes, struct error *error)
{
	char *name, *path = NULL;
	int ret;

	if (!body_is_gzip(spool->suffix))
		return 0;
	name = name_of(spool, item);
	ret = !name || asprintf(&path, "%s/%s", spool->path, name) < 0 ?
		      error_nomem(error) : body_check(bytes, item->size, path, error);
	free(path);
	free(name);
	return ret;
}

int export_spool_read(const struct export_spool *spool, size_t at, uint8_t **bytes,
		      struct error *error)
{
	const struct export_spool_item *item = &spool->items[at];

	return read_item(spool, item, bytes, error) ?: check_item(spool, item, *bytes, error);
}

/* Is this the newest item? Then who added it was killed before it could tell. */
static bool is_newest(const struct export_spool *spool, const struct export_spool_item *item,
		      const void *bytes)
{
	const struct export_spool_item *last;
	uint8_t *its = NULL;
	bool same;

	if (!spool->nr)
		return false;
	last = &spool->items[spool->nr - 1];
	if (last->begin != item->begin || last->end != item->end || last->size != item->size)
		return false;
	same = !read_item(spool, last, &its, &(struct error){ 0 }) &&
	       !memcmp(its, bytes, item->size);
	free(its);
	return same;
}

int export_spool_add(struct export_spool *spool, const struct export_spool_item *item,
		     const void *bytes, uint64_t limit, uint64_t *dropped, struct error *error)
{
	struct export_spool_item new = *item;
	char *name;
	int ret;

	if (new.size > limit)
		return error_set(error, ERROR_INPUT,
				 "%s: the profile has %" PRIu64 " bytes, which is more than the limit of the spool, %" PRIu64,
				 spool->path, new.size, limit);
	if (is_newest(spool, item, bytes))
		return 0;
	ret = make_room(spool, new.size, limit, dropped, error);
	if (ret)
		return ret;
	new.number = spool->nr ? spool->items[spool->nr - 1].number + 1 : 1;
	name = name_of(spool, &new);
	ret = name ? write_bytes(spool, name, bytes, new.size, error) : error_nomem(error);
	free(name);
	return ret ?: add_item(spool, &new) ? 0 : error_nomem(error);
}

void export_spool_close(struct export_spool *spool)
{
	/* This gives the lock back, too. */
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->items);
	*spool = (struct export_spool){ .fd = -1 };
}
