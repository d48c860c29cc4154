// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols of stripped files: in files of their own, found by build id or by the
 * name in .gnu_debuglink, where distributions and perf put them.
 */
#include "image/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Is dir/name the file's own? crc: NULL where its build id has to tell. */
static bool try_file(struct img_file *file, const char *dir, const char *name,
		     const uint32_t *crc)
{
	struct img_file *debug = file->debug;
	unsigned int size, own_size;
	const uint8_t *id, *own;
	bool same;

	if (!img_map_file(debug, dir, name))
		return false;
	debug->elf = elf_memory((char *)debug->map, debug->size);
	if (!debug->elf || elf_kind(debug->elf) != ELF_K_ELF) {
		drop(debug);
		return false;
	}
	own = img_find_build_id(file->elf, &own_size);
	id = img_find_build_id(debug->elf, &size);
	if (own && id)
		same = own_size == size && !memcmp(own, id, size);
	else
		same = crc && checksum(debug->map, debug->size) == *crc;
	if (!same)
		drop(debug);
	return same;
}

static bool try_build_id(struct img_file *file)
{
	char hex[2 * 64 + 1], path[2 * 64 + 64];
	unsigned int size;
	const uint8_t *id = img_find_build_id(file->elf, &size);
	const struct img *img = file->img;

	if (!id || size < 2 || size > 64)
		return false;
	img_print_build_id(hex, id, size);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug",
		 hex, hex + 2);
	if (try_file(file, img->symfs, path, NULL))
		return true;
	snprintf(path, sizeof(path), "/.build-id/%.2s/%s/debug", hex, hex + 2);
	return img->build_id_dir &&
	       try_file(file, img->build_id_dir, path, NULL);
}

/* Beside the file, in .debug there, and below /usr/lib/debug. */
static bool try_debuglink(struct img_file *file)
{
	static const char *const forms[] = { "%.*s%s", "%.*s.debug/%s",
					     "/usr/lib/debug%.*s%s" };
	const char *slash = strrchr(file->name, '/'), *name;
	int folder = slash ? slash + 1 - file->name : 0;
	unsigned int i;
	uint32_t crc;

	name = debuglink(file, &crc);
	for (i = 0; name && i < sizeof(forms) / sizeof(*forms); i++) {
		bool found;
		char *path;

		if (asprintf(&path, forms[i], folder, file->name, name) < 0)
			return false;
		found = try_file(file, file->img->symfs, path, &crc);
		free(path);
		if (found)
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
