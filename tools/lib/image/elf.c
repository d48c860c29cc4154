// SPDX-License-Identifier: GPL-2.0-only
#include "image/elf.h"
#include "base/array.h"
#include "base/buildid.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Bytes of all notes of a file, of which the build id is one of the first. */
	MAX_NOTES = 1 << 20,
	/* Headers of one kind. libelf takes 15 MB for so many sections. */
	MAX_HEADERS = 1 << 16,
};

static uint64_t number(const uint8_t *p, size_t n, bool big_endian)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < n; i++)
		value = value << 8 | p[big_endian ? i : n - 1 - i];
	return value;
}

#define NUMBER_IN(_p, _type, _field, _big)                                     \
	number((_p) + offsetof(_type, _field), sizeof(((_type *)0)->_field), _big)

/* Of a header of the file, which is in a form of 32 or of 64 bits. */
#define HEADER_NUMBER(_file, _at, _type, _field)                               \
	((_file)[EI_CLASS] == ELFCLASS32 ?                                     \
		 NUMBER_IN((_file) + (_at), Elf32_##_type, _field,             \
			   (_file)[EI_DATA] == ELFDATA2MSB) :                  \
		 NUMBER_IN((_file) + (_at), Elf64_##_type, _field,             \
			   (_file)[EI_DATA] == ELFDATA2MSB))

/*
 * More headers than fit into the numbers of 16 bits at the start of the file are counted in
 * section 0, where libelf believes any number that the file's size allows.
 */
static bool has_few_headers(const uint8_t *file, size_t size)
{
	uint64_t at;

	if (size < sizeof(Elf64_Ehdr))
		return true;
	at = HEADER_NUMBER(file, 0, Ehdr, e_shoff);
	return !at || at > size || size - at < sizeof(Elf64_Shdr) ||
	       (HEADER_NUMBER(file, at, Shdr, sh_size) <= MAX_HEADERS &&
		HEADER_NUMBER(file, at, Shdr, sh_info) <= MAX_HEADERS);
}

Elf *img_open_elf(const uint8_t *file, size_t size, const char **why)
{
	Elf *elf;

	*why = "a damaged ELF file, which has more than 65536 section headers";
	if (!has_few_headers(file, size))
		return NULL;
	*why = "not an ELF file";
	/* libelf only reads, though its argument is not const; libdw may write. */
	elf = elf_memory((char *)file, size);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

bool img_next_header(Elf *elf, size_t *at, uint32_t type, GElf_Phdr *ph)
{
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	while (*at < nr)
		if (gelf_getphdr(elf, (*at)++, ph) && ph->p_type == type)
			return true;
	return false;
}

bool img_add_segment(struct img_segments *segments, uint64_t addr,
		     uint64_t offset, uint64_t size, const char *section)
{
	if (!array_room(&segments->v, segments->nr, &segments->cap,
			sizeof(*segments->v)))
		return false;
	segments->v[segments->nr++] =
		(struct img_segment){ addr, offset, size, section };
	return true;
}

bool img_read_segments(struct img_segments *segments, Elf *elf, uint32_t flags)
{
	size_t at = 0, nr, size;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &nr) || !elf_rawfile(elf, &size))
		return false;
	while (img_next_header(elf, &at, PT_LOAD, &ph)) {
		if ((ph.p_flags & flags) != flags || ph.p_offset >= size)
			continue;
		/* The copy of a machine's memory may be cut short. */
		if (ph.p_filesz > size - ph.p_offset)
			ph.p_filesz = size - ph.p_offset;
		if (!img_add_segment(segments, ph.p_vaddr, ph.p_offset,
				     ph.p_filesz, NULL))
			return false;
	}
	if (segments->nr)
		qsort(segments->v, segments->nr, sizeof(*segments->v),
		      array_order);
	return true;
}

static uint64_t end_at(uint64_t at, uint64_t size)
{
	return at + size < at ? UINT64_MAX : at + size;
}

uint64_t img_missing_bytes(Elf *elf)
{
	uint64_t end = 0, last;
	Elf_Scn *scn = NULL;
	size_t at = 0, size;
	bool has_code;
	GElf_Ehdr eh;
	GElf_Phdr ph;
	GElf_Shdr sh;

	/* The copy of a machine's memory may be cut short. */
	if (!elf_rawfile(elf, &size) || !gelf_getehdr(elf, &eh) || eh.e_type == ET_CORE)
		return 0;
	if (eh.e_shoff)
		end = end_at(eh.e_shoff, (uint64_t)eh.e_shnum * eh.e_shentsize);
	/* A debug file may have the program's headers of segments, and not their bytes. */
	has_code = img_has_code(elf);
	while (has_code && img_next_header(elf, &at, PT_LOAD, &ph)) {
		last = end_at(ph.p_offset, ph.p_filesz);
		end = last > end ? last : end;
	}
	/*
	 * Go's linker puts the table of sections first, and what they have behind all else. A size
	 * that is none is damage.
	 */
	while ((scn = img_next_section(elf, scn, &sh))) {
		last = end_at(sh.sh_offset, sh.sh_size);
		if (sh.sh_type != SHT_NOBITS && last < UINT64_MAX && last > end)
			end = last;
	}
	return end > size ? end - size : 0;
}

Elf_Scn *img_next_section(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh)
{
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh))
			return scn;
	return NULL;
}

const char *img_section_name(Elf *elf, const GElf_Shdr *sh)
{
	const char *name = NULL;
	size_t strings;

	if (!elf_getshdrstrndx(elf, &strings))
		name = elf_strptr(elf, strings, sh->sh_name);
	return name ? name : "";
}

Elf_Scn *img_find_section(Elf *elf, uint32_t type, const char *name,
			  GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = img_next_section(elf, scn, sh)))
		if ((type == SHT_NULL || sh->sh_type == type) &&
		    (!name || !strcmp(img_section_name(elf, sh), name)))
			return scn;
	return NULL;
}

bool img_open_symbols(struct img_symbols *symbols, Elf *elf, uint32_t type)
{
	GElf_Shdr sh;
	Elf_Scn *scn = img_find_section(elf, type, NULL, &sh);

	*symbols = (struct img_symbols){ .elf = elf };
	if (!scn)
		return false;
	symbols->strings = sh.sh_link;
	symbols->data = elf_getdata(scn, NULL);
	if (!symbols->data)
		return false;
	symbols->nr = symbols->data->d_size /
		      gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	return true;
}

const char *img_symbol_number(const struct img_symbols *symbols, int number,
			      GElf_Sym *sym)
{
	const char *name = NULL;

	if (gelf_getsym(symbols->data, number, sym))
		name = elf_strptr(symbols->elf, symbols->strings, sym->st_name);
	return name && name[0] ? name : NULL;
}

const char *img_next_symbol(struct img_symbols *symbols, GElf_Sym *sym)
{
	while (symbols->next < symbols->nr) {
		const char *name =
			img_symbol_number(symbols, symbols->next++, sym);

		if (name && sym->st_shndx != SHN_UNDEF) {
			sym->st_value += symbols->moved;
			return name;
		}
	}
	return NULL;
}

/*
 * Among the notes at an offset of the file; NULL: none. Anybody may have made the file, and
 * a file with holes is larger than the disk. So no more than *left bytes are searched.
 */
static const uint8_t *build_id_at(Elf *elf, uint64_t offset, uint64_t n, uint64_t align,
				  uint64_t *left, unsigned int *size)
{
	size_t file_size, id_size;
	const char *file = elf_rawfile(elf, &file_size);
	const uint8_t *id;

	if (!file || offset > file_size || n > file_size - offset)
		return NULL;
	if (n > *left)
		n = *left;
	*left -= n;
	id = buildid_in_notes(file + offset, n, align, &id_size);
	if (id)
		*size = id_size;
	return id;
}

const uint8_t *img_find_build_id(Elf *elf, unsigned int *size)
{
	const uint8_t *id = NULL;
	Elf_Scn *scn = NULL;
	uint64_t left = MAX_NOTES;
	size_t at = 0;
	GElf_Phdr ph;
	GElf_Shdr sh;

	while (!id && img_next_header(elf, &at, PT_NOTE, &ph))
		id = build_id_at(elf, ph.p_offset, ph.p_filesz, ph.p_align, &left, size);
	/* A module of the kernel has sections alone. The headers of a Go program have Go's id. */
	while (!id && (scn = img_next_section(elf, scn, &sh)))
		if (sh.sh_type == SHT_NOTE)
			id = build_id_at(elf, sh.sh_offset, sh.sh_size, sh.sh_addralign, &left,
					 size);
	return id;
}

bool img_has_code(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = img_next_section(elf, scn, &sh)))
		if (sh.sh_flags & SHF_EXECINSTR && sh.sh_type == SHT_NOBITS)
			return false;
	return true;
}

bool img_is_unlinked(Elf *elf)
{
	GElf_Ehdr eh;

	return gelf_getehdr(elf, &eh) && eh.e_type == ET_REL;
}

bool img_same_build_id(const uint8_t *a, unsigned int a_size, const uint8_t *b,
		       unsigned int b_size)
{
	unsigned int i;

	for (i = 0; i < a_size || i < b_size; i++)
		if ((i < a_size ? a[i] : 0) != (i < b_size ? b[i] : 0))
			return false;
	return true;
}

void img_print_build_id(char *text, const uint8_t *id, unsigned int size)
{
	static const char digits[] = "0123456789abcdef";

	for (; size; size--, id++) {
		*text++ = digits[*id >> 4];
		*text++ = digits[*id & 15];
	}
	*text = 0;
}
