// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols of stripped files: in files of their own, found by build id or by the
 * name in .gnu_debuglink, where distributions and perf put them. What several such files
 * share is in one more, which .gnu_debugaltlink names.
 */
#include "image/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of a file up to this size, the checksum is computed, which takes less than a minute. No debug
 * information is so large, and a file with holes may be larger than the disk.
 */
#define MOST_CHECKED (UINT64_C(16) << 30)

/* The name and the checksum of the file with the symbols; NULL: none. */
static const char *debuglink(const struct img_file *file, uint32_t *crc)
{
	GElf_Shdr sh;
	Elf_Scn *scn = img_find_section(file->elf, SHT_PROGBITS,
					".gnu_debuglink", &sh);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t n;

	if (!data || !data->d_buf)
		return NULL;
	/* The name, its NUL up to a multiple of 4, and the checksum. */
	n = strnlen(data->d_buf, data->d_size) / 4 * 4 + 4;
	if (n + 4 > data->d_size || strchr(data->d_buf, '/'))
		return NULL;
	memcpy(crc, (char *)data->d_buf + n, 4);
	return data->d_buf;
}

/* The checksum of .gnu_debuglink: CRC-32 as in Ethernet, bits reflected. */
static uint32_t checksum(const uint8_t *p, uint64_t size)
{
	uint32_t table[256], crc = UINT32_MAX;
	unsigned int i, bit;

	for (i = 0; i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^
				   (table[i] & 1 ? 0xedb88320 : 0);
	}
	while (size--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
	return ~crc;
}

static void drop(struct img_file *debug)
{
	elf_end(debug->elf);
	debug->elf = NULL;
	img_unmap_file(debug);
}

/* The file's own, or if it is missing, the one of the recording. */
static const uint8_t *build_id_of(const struct img_file *file, unsigned int *size)
{
	if (file->elf)
		return img_find_build_id(file->elf, size);
	*size = file->build_id_size;
	return *size ? file->build_id : NULL;
}

/* file: whose .gnu_debuglink led to the one that is open. */
static bool has_checksum(struct img_file *file, uint32_t crc)
{
	const struct img_file *debug = file->debug;

	if (debug->size <= MOST_CHECKED)
		return checksum(debug->map, debug->size) == crc;
	if (!file->unnamed &&
	    asprintf(&file->unnamed,
		     "%s: names and source lines of %s, to which its .gnu_debuglink leads, because this file is larger than 16 GiB",
		     file->path ?: file->name, debug->path) < 0)
		file->unnamed = NULL;
	return false;
}

/* Is dir/name the file's own? crc: NULL where its build id has to tell. */
static bool try_file(struct img_file *file, const char *dir, const char *name,
		     const uint32_t *crc)
{
	struct img_file *debug = file->debug;
	unsigned int size, own_size;
	const uint8_t *id, *own;
	const char *why;
	bool same;

	if (!img_map_file(debug, dir, name))
		return false;
	debug->elf = img_open_elf(debug->map, debug->size, &why);
	if (!debug->elf || img_missing_bytes(debug->elf)) {
		drop(debug);
		return false;
	}
	own = build_id_of(file, &own_size);
	id = img_find_build_id(debug->elf, &size);
	if (own && id)
		same = own_size == size && !memcmp(own, id, size);
	else
		same = crc && has_checksum(file, *crc);
	if (!same)
		drop(debug);
	return same;
}

static bool try_build_id(struct img_file *file)
{
	static const char *const forms[] = {
		"/usr/lib/debug/.build-id/%.2s/%s.debug",
		"/.build-id/%.2s/%s.debug",
		"/.build-id/%.2s/%s/debug",
	};
	char hex[2 * 64 + 1], name[2 * 64 + 64];
	unsigned int size, i;
	const uint8_t *id = build_id_of(file, &size);
	const char *folder, *path;
	size_t at = 0;

	if (!id || size < 2 || size > 64)
		return false;
	img_print_build_id(hex, id, size);
	while ((folder = img_folder(file->img, at++)))
		/* A root folder has no caches by itself. */
		for (i = 0; i < (at > 1 ? 3 : 1); i++) {
			snprintf(name, sizeof(name), forms[i], hex, hex + 2);
			if (try_file(file, folder, name, NULL))
				return true;
		}
	for (at = 0; (path = img_debug_place(file->img, &at, id, size));)
		if (try_file(file, "", path, NULL))
			return true;
	return false;
}

static bool try_form(struct img_file *file, const char *folder,
		     const char *form, int len, const char *name,
		     const uint32_t *crc)
{
	bool found;
	char *path;

	if (asprintf(&path, form, len, file->name, name) < 0)
		return false;
	found = try_file(file, folder, path, crc);
	free(path);
	return found;
}

/* A place may be the file itself. */
static bool try_place(struct img_file *file, const char *place, const char *name,
		      const uint32_t *crc)
{
	return !strcmp(basename(place), name) && try_file(file, "", place, crc);
}

/* Beside the file, in .debug there, below /usr/lib/debug, in a flat folder, and the place itself. */
static bool try_debuglink(struct img_file *file)
{
	static const char *const forms[] = { "%.*s%s", "%.*s.debug/%s",
					     "/usr/lib/debug%.*s%s",
					     "/%.*s%s" };
	const char *slash = strrchr(file->name, '/'), *name, *folder;
	int len = slash ? slash + 1 - file->name : 0;
	unsigned int i;
	size_t at = 0;
	uint32_t crc;

	name = debuglink(file, &crc);
	while (name && (folder = img_folder(file->img, at++))) {
		for (i = 0; i < (at > 1 ? 4 : 3); i++)
			if (try_form(file, folder, forms[i], i < 3 ? len : 0,
				     name, &crc))
				return true;
		if (at > 1 && try_place(file, folder, name, &crc))
			return true;
	}
	return false;
}

/* Where the executable part begins; files that were prelinked were moved. */
static uint64_t code_address(Elf *elf)
{
	GElf_Phdr ph;
	size_t at = 0;

	while (img_next_header(elf, &at, PT_LOAD, &ph))
		if (ph.p_flags & PF_X)
			return ph.p_vaddr;
	return 0;
}

struct Elf *img_debug_elf(struct img_file *file, uint64_t *moved)
{
	if (file->state != IMG_OK || !file->elf)
		return NULL;
	if (!file->debug) {
		file->debug = calloc(1, sizeof(*file->debug));
		if (!file->debug)
			return NULL;
		if (!try_build_id(file))
			try_debuglink(file);
	}
	if (!file->debug->elf)
		return NULL;
	*moved = code_address(file->elf) - code_address(file->debug->elf);
	return file->debug->elf;
}

bool img_lacks_debug_file(const struct img_file *file, const char **name)
{
	uint32_t crc;
	GElf_Shdr sh;

	if (!file->debug || file->debug->elf)
		return false;
	*name = debuglink(file, &crc);
	return *name || (file->elf && !img_find_section(file->elf, SHT_SYMTAB, ".symtab", &sh));
}

/*
 * Of a module, Debian's packages have the debug file by the module's name, without the suffix of
 * its compression. A place may be a folder on the way there.
 */
static bool try_module_name(struct img_file *file)
{
	const char *suffix = strstr(basename(file->name), ".ko"), *folder, *below;
	bool found = false;
	size_t at = 0;
	char *path;

	if (*file->name != '/' || !suffix ||
	    asprintf(&path, "/usr/lib/debug%.*s", (int)(suffix + 3 - file->name), file->name) < 0)
		return false;
	while (!found && (folder = img_folder(file->img, at++)))
		for (below = path; !found && below; below = at > 1 ? strchr(below + 1, '/') : NULL)
			found = try_file(file, folder, below, NULL);
	free(path);
	return found;
}

bool img_open_debug_file(struct img_file *file)
{
	struct img_file other = { .img = file->img, .name = file->name,
				  .build_id_size = file->build_id_size };
	struct img_file debug = { 0 };
	bool found;

	memcpy(other.build_id, file->build_id, sizeof(other.build_id));
	other.debug = &debug;
	found = (try_build_id(&other) || try_module_name(&other)) && debug.path;
	if (found) {
		img_close_file(file);
		img_open_file(file, debug.path);
		found = file->state == IMG_OK;
	}
	img_close_file(&debug);
	return found;
}

bool img_open_alt_file(struct img *img, struct img_file *alt, const char *name,
		       const uint8_t *id, unsigned int size)
{
	struct img_file other = { .img = img, .debug = alt };
	const char *folder, *base = strrchr(name, '/'), *path;
	size_t at = 0;

	if (size > sizeof(other.build_id))
		return false;
	other.build_id_size = size;
	memcpy(other.build_id, id, size);
	if (try_build_id(&other))
		return true;
	/* Below all folders, and in those that are no root folders. */
	while (name[0] == '/' && (folder = img_folder(img, at++)))
		if (try_file(&other, folder, name, NULL) ||
		    (at > 1 && try_file(&other, folder, base, NULL)))
			return true;
	path = img_place_with_id(img, id, size);
	return path && try_file(&other, "", path, NULL);
}
