// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are not where the recording names them: in a file, a folder, a root folder
 * or a cache by build id that the user knows. First by build id, then by name.
 */
#include "image/internal.h"
#include "base/array.h"
#include "perfdata/space.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in a place that is one, or in the folder itself. */
struct place_file {
	char *path;
	uint8_t build_id[IMG_BUILD_ID_MAX];
	unsigned int build_id_size; /* 0: none */
	bool has_code; /* or else the debug information of one that has */
	bool has_symbols; /* that others do not need */
};

struct img_place {
	char *path;
	bool listed;
	struct place_file *files;
	size_t nr, cap;
};

/* FOLDER/.build-id means the cache or the debug files that are in FOLDER. */
static char *copy_place(const char *path)
{
	static const char name[] = ".build-id";
	const size_t n = sizeof(name) - 1;
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		len--;
	if (len < n || strncmp(path + len - n, name, n))
		return strdup(path);
	len -= n;
	if (!len)
		return strdup(".");
	return path[len - 1] == '/' ? strndup(path, len) : strdup(path);
}

bool img_add_place(struct img *img, const char *path)
{
	struct img_place *place;

	if (!array_room(&img->places, img->nr_places, &img->cap_places,
			sizeof(*img->places)))
		return false;
	place = &img->places[img->nr_places];
	*place = (struct img_place){ .path = copy_place(path) };
	img->nr_places += !!place->path;
	return place->path;
}

void img_free_places(struct img *img)
{
	size_t i, k;

	for (i = 0; i < img->nr_places; i++) {
		for (k = 0; k < img->places[i].nr; k++)
			free(img->places[i].files[k].path);
		free(img->places[i].files);
		free(img->places[i].path);
	}
	free(img->places);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* Takes the path, which is NULL without memory. */
static void add_file(struct img_place *place, char *path)
{
	struct img_file file = { .name = path };
	struct img_symbols symbols;
	struct place_file *found;
	const uint8_t *id;

	if (!path || !is_file(path) ||
	    !array_room(&place->files, place->nr, &place->cap,
			sizeof(*place->files))) {
		free(path);
		return;
	}
	found = &place->files[place->nr++];
	*found = (struct place_file){ .path = path };
	img_open_file(&file, path);
	if (file.elf && file.state == IMG_OK) {
		found->has_code = img_has_code(file.elf);
		found->has_symbols = img_open_symbols(&symbols, file.elf, SHT_SYMTAB);
		id = img_find_build_id(file.elf, &found->build_id_size);
		if (!id || found->build_id_size > IMG_BUILD_ID_MAX)
			found->build_id_size = 0;
		if (found->build_id_size)
			memcpy(found->build_id, id, found->build_id_size);
	}
	img_close_file(&file);
}

/* What a place holds is looked at when it is needed for the first time. */
static void list(struct img_place *place)
{
	DIR *dir = place->listed ? NULL : opendir(place->path);
	struct dirent *e;
	char *path;

	if (!place->listed && !dir)
		add_file(place, strdup(place->path));
	place->listed = true;
	while (dir && (e = readdir(dir)))
		if (asprintf(&path, "%s/%s", place->path, e->d_name) >= 0)
			add_file(place, path);
	if (dir)
		closedir(dir);
}

/* How a file is known to be the one that was recorded. */
enum known { BY_ID, BY_NAME };

/* Is it what is looked for? Then the file becomes it. */
static bool try_path(struct img_file *file, const char *path, enum known how)
{
	struct img_file other = {
		.img = file->img,
		.name = file->name,
		.build_id_size = file->build_id_size,
		.samples = file->samples,
		.lent = file->lent,
	};
	unsigned int size;
	bool has_id;

	memcpy(other.build_id, file->build_id, sizeof(other.build_id));
	img_open_file(&other, path);
	if (other.state == IMG_OK && other.elf && !img_has_code(other.elf))
		other.state = IMG_NOT_ELF;
	has_id = other.build_id_size && other.elf &&
		 img_find_build_id(other.elf, &size);
	if (other.state == IMG_OK && has_id == (how == BY_ID)) {
		img_close_file(file);
		*file = other;
		/* A jitdump has no build id, and the process has named it. */
		if (how == BY_NAME && other.elf && asprintf(&file->by_name,
			     "%s: used for %s because of its name; no build id tells whether it is the file that ran",
			     path, file->name) < 0)
			file->by_name = NULL;
		return true;
	}
	/* The name is right, and the file is not: worth more than "not there". */
	if (how == BY_NAME && other.error && file->state == IMG_MISSING) {
		img_close_file(file);
		file->state = other.state;
		file->error = other.error;
		other.error = NULL;
	}
	img_close_file(&other);
	return false;
}

/* Could it not be opened, though it has the name of a file? Nothing was read from it then. */
static bool is_missed(const struct img_file *file)
{
	return file->state >= IMG_MISSING && file->state <= IMG_BUILD_ID && !file->debug &&
	       !file->source;
}

void img_share_copies(struct img_file *file)
{
	struct img *img = file->img;
	size_t i;

	for (i = 0; i < img->nr && file->build_id_size; i++) {
		struct img_file *other = img->files[i];

		if (other->build_id_size != file->build_id_size ||
		    memcmp(other->build_id, file->build_id, file->build_id_size))
			continue;
		if (is_missed(file) && other->state == IMG_OK && other->path)
			try_path(file, other->path, BY_ID);
		else if (is_missed(other) && file->state == IMG_OK && file->path)
			try_path(other, file->path, BY_ID);
	}
}

static bool is_named(const char *path, const char *name)
{
	const char *own = basename(path), *its = basename(name);
	const size_t len = pd_name_length(its);

	/* As the kernel installs it. */
	if (!strcmp(name, "[vdso]") && (!strcmp(own, "vdso.so") || !strcmp(own, "vdso64.so")))
		return true;
	return !strncmp(own, its, len) && !own[len];
}

static bool try_in(struct img_file *file, const char *folder, const char *name,
		   enum known how)
{
	char *path;
	bool found;

	name += name[0] == '/';
	if (asprintf(&path, "%s/%.*s", folder, (int)pd_name_length(name), name) < 0)
		return false;
	/* In perf's cache, a folder has the name of a program. */
	found = is_file(path) && !access(path, R_OK) && try_path(file, path, how);
	free(path);
	return found;
}

/*
 * Before the name that a file has in its container or chroot, the recording may have where
 * this was. The build id then tells whether a file is the one.
 */
static bool try_below(struct img_file *file, const char *folder, enum known how)
{
	const char *name = file->name;

	do {
		if (try_in(file, folder, name, how))
			return true;
		name = strchr(name + 1, '/');
	} while (name && how == BY_ID);
	return false;
}

/* DIR/.build-id/ab/cdef.../elf is perf's; where files have one build, .../cdef... */
static bool try_cache(struct img_file *file, const struct img_place *place)
{
	const char *kind = file->name[0] == '[' ? "vdso" : "elf";
	char hex[2 * IMG_BUILD_ID_MAX + 1], name[sizeof(hex) + 32];

	img_print_build_id(hex, file->build_id, file->build_id_size);
	snprintf(name, sizeof(name), ".build-id/%.2s/%s/%s", hex, hex + 2, kind);
	if (try_in(file, place->path, name, BY_ID))
		return true;
	snprintf(name, sizeof(name), ".build-id/%.2s/%s", hex, hex + 2);
	return try_in(file, place->path, name, BY_ID);
}

static bool has_id(const struct place_file *found, const uint8_t *id,
		   unsigned int size)
{
	return size && found->build_id_size &&
	       img_same_build_id(found->build_id, found->build_id_size, id, size);
}

static bool try_place(struct img_file *file, struct img_place *place,
		      enum known how)
{
	size_t i;

	if ((how == BY_ID && try_cache(file, place)) ||
	    try_below(file, place->path, how))
		return true;
	list(place);
	for (i = 0; i < place->nr; i++) {
		const struct place_file *found = &place->files[i];
		bool fits = how == BY_ID ?
				    has_id(found, file->build_id,
					   file->build_id_size) :
				    is_named(found->path, file->name);

		if (fits && try_path(file, found->path, how))
			return true;
	}
	return false;
}

void img_look_in_places(struct img_file *file)
{
	struct img *img = file->img;
	enum known how;
	size_t i;

	for (how = file->build_id_size ? BY_ID : BY_NAME; how <= BY_NAME; how++)
		for (i = 0; i < img->nr_places; i++)
			if (try_place(file, &img->places[i], how))
				return;
}

/* The file number n, of those that have code or of the others. n becomes less by those that fit. */
static const char *find_debug(struct img_place *place, bool code, size_t *n, const uint8_t *id,
			      unsigned int size)
{
	size_t i;

	list(place);
	for (i = 0; i < place->nr; i++) {
		const struct place_file *found = &place->files[i];

		if (found->has_code == code && (!code || found->has_symbols) &&
		    has_id(found, id, size) && !(*n)--)
			return found->path;
	}
	return NULL;
}

const char *img_debug_place(struct img *img, size_t *at, const uint8_t *id,
			    unsigned int size)
{
	size_t i, n = *at;
	const char *path;

	for (i = 0; i < 2 * img->nr_places; i++) {
		path = find_debug(&img->places[i % img->nr_places], i >= img->nr_places, &n, id,
				  size);
		if (path) {
			++*at;
			return path;
		}
	}
	return NULL;
}

const char *img_place_with_id(struct img *img, const uint8_t *id, unsigned int size)
{
	size_t i, k;

	for (i = 0; i < img->nr_places; i++) {
		struct img_place *place = &img->places[i];

		list(place);
		for (k = 0; k < place->nr; k++)
			if (has_id(&place->files[k], id, size))
				return place->files[k].path;
	}
	return NULL;
}

const char *img_folder(const struct img *img, size_t i)
{
	if (!i)
		return img->symfs;
	return i <= img->nr_places ? img->places[i - 1].path : NULL;
}
