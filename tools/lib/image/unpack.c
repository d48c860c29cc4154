// SPDX-License-Identifier: GPL-2.0-only
#include "image/unpack.h"
#include "base/array.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Older headers lack it. */
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/*
 * No debug information is so much larger than its file. What could be, since 4 bytes can stand
 * for 128 KiB, would take all memory.
 */
enum { SMALL = 64 << 20, TIMES = 32 };

static bool has_room(const struct img_unpacked *unpacked, Elf *elf, uint64_t size)
{
	size_t of_file = 0;
	uint64_t most;

	elf_rawfile(elf, &of_file);
	most = SMALL + (uint64_t)of_file * TIMES;
	return size <= most && unpacked->size <= most - size;
}

/* NULL: the bytes are not such frames of this size, or out of memory. */
static void *decompress(const void *bytes, size_t nr, uint64_t size)
{
	void *p;

	/* Each block has at most 128 KiB, and takes at least four bytes. */
	if (size / (1 << 15) > nr)
		return NULL;
	p = malloc(size ?: 1);
	if (p && ZSTD_decompress(p, size, bytes, nr) == size)
		return p;
	free(p);
	return NULL;
}

/* libelf returns the same object whenever it is asked for the bytes of a section. */
static void put(Elf_Data *data, void *bytes, const GElf_Chdr *header)
{
	data->d_buf = bytes;
	data->d_size = header->ch_size;
	data->d_type = ELF_T_BYTE;
	data->d_align = header->ch_addralign;
}

/* False: the section is damaged, or out of memory. */
static bool unpack(struct img_unpacked *unpacked, Elf *elf, Elf_Scn *scn, GElf_Shdr *sh,
		   const GElf_Chdr *header)
{
	Elf_Data *raw = elf_rawdata(scn, NULL), *data = elf_getdata(scn, NULL);
	const size_t start = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
	void *bytes;

	if (!raw || !data || raw->d_size < start ||
	    !array_room(&unpacked->v, unpacked->nr, &unpacked->cap, sizeof(*unpacked->v)))
		return false;
	bytes = decompress((char *)raw->d_buf + start, raw->d_size - start, header->ch_size);
	if (!bytes)
		return false;
	unpacked->v[unpacked->nr++] = bytes;
	sh->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	sh->sh_size = header->ch_size;
	sh->sh_addralign = header->ch_addralign;
	put(raw, bytes, header);
	put(data, bytes, header);
	return gelf_update_shdr(scn, sh);
}

/* libelf and libdw do not unpack what has no bytes. */
static void hide(Elf_Scn *scn, GElf_Shdr *sh)
{
	sh->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	sh->sh_type = SHT_NOBITS;
	gelf_update_shdr(scn, sh);
}

static void unpack_section(struct img_unpacked *unpacked, Elf *elf, Elf_Scn *scn, GElf_Shdr *sh,
			   const GElf_Chdr *header)
{
	if (header->ch_type != ELFCOMPRESS_ZSTD && header->ch_type != ELFCOMPRESS_ZLIB) {
		unpacked->unknown = header->ch_type;
		return;
	}
	if (!has_room(unpacked, elf, header->ch_size)) {
		unpacked->damaged = true;
		hide(scn, sh);
		return;
	}
	if (header->ch_type == ELFCOMPRESS_ZLIB || unpack(unpacked, elf, scn, sh, header))
		unpacked->size += header->ch_size;
	else
		unpacked->damaged = true;
}

/* The form before SHF_COMPRESSED: "ZLIB", the size with its highest byte first, and the bytes. */
static bool get_old_header(Elf_Scn *scn, GElf_Chdr *header)
{
	const Elf_Data *raw = elf_rawdata(scn, NULL);
	uint64_t size;

	if (!raw || !raw->d_buf || raw->d_size < 4 + sizeof(size) || memcmp(raw->d_buf, "ZLIB", 4))
		return false;
	memcpy(&size, (const char *)raw->d_buf + 4, sizeof(size));
	*header = (GElf_Chdr){ .ch_type = ELFCOMPRESS_ZLIB, .ch_size = be64toh(size) };
	return true;
}

static bool get_header(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, GElf_Chdr *header)
{
	const char *name = img_section_name(elf, sh);

	if (sh->sh_type == SHT_NOBITS)
		return false;
	/* libdw also reads .gnu.debuglto_.debug_info, and the like. */
	if (sh->sh_flags & SHF_COMPRESSED)
		return strstr(name, ".debug_") && gelf_getchdr(scn, header);
	return !strncmp(name, ".zdebug_", 8) && get_old_header(scn, header);
}

void img_unpack(struct img_unpacked *unpacked, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Chdr header;
	GElf_Shdr sh;

	while ((scn = img_next_section(elf, scn, &sh)))
		if (get_header(elf, scn, &sh, &header))
			unpack_section(unpacked, elf, scn, &sh, &header);
}

void img_unpacked_free(struct img_unpacked *unpacked)
{
	while (unpacked->nr)
		free(unpacked->v[--unpacked->nr]);
	free(unpacked->v);
	*unpacked = (struct img_unpacked){ 0 };
}
