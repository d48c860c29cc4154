// SPDX-License-Identifier: GPL-2.0-only
/* What stands in an ELF file: segments, sections, symbols, build ids. */
#include "elf-build.h"
#include "image/elf.h"
#include "test.h"

static uint16_t code[64];
static const uint8_t id[20] = { 0xc0, 0xff, 0xee, [19] = 9 };
static struct elfb elf;
static Elf64_Phdr *headers;
static struct img_segments segments;

static void begin(void)
{
	elf_version(EV_CURRENT);
	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
}

static void add_symbol(const char *name, uint64_t offset, uint16_t section)
{
	elf.sections[elf.nr_symbols] = section;
	elf.symbols[elf.nr_symbols++] =
		(struct elfb_symbol){ name, ELFB_ADDR + offset, 4,
				      ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
}

static Elf *open_file(void)
{
	elfb_finish(&elf);
	return elf_memory((char *)elf.file, elf.size);
}

/* A file with room for nr program headers, all 0. */
static void begin_headers(unsigned int nr)
{
	begin();
	elfb_finish(&elf);
	((Elf64_Ehdr *)elf.file)->e_phnum = nr;
	headers = (Elf64_Phdr *)(elf.file + sizeof(Elf64_Ehdr));
	memset(headers, 0, nr * sizeof(*headers));
}

static void set_header(unsigned int i, uint32_t type, uint32_t flags,
		       uint64_t addr, uint64_t offset, uint64_t size)
{
	headers[i] = (Elf64_Phdr){ .p_type = type, .p_flags = flags,
				   .p_vaddr = addr, .p_offset = offset,
				   .p_filesz = size, .p_memsz = size + 0x100,
				   .p_align = 2 };
}

static bool read_segments(uint32_t flags)
{
	Elf *file = elf_memory((char *)elf.file, elf.size);
	bool done;

	free(segments.v);
	segments = (struct img_segments){ 0 };
	done = img_read_segments(&segments, file, flags);
	elf_end(file);
	return done;
}

static void check_segment(int line, size_t i, uint64_t addr, uint64_t offset,
			  uint64_t size)
{
	const struct img_segment *s = &segments.v[i];

	if (i >= segments.nr || s->addr != addr || s->offset != offset ||
	    s->size != size || s->section)
		test_fail(__FILE__, line, "of %zu", segments.nr);
}

#define CHECK_SEGMENT(...) check_segment(__LINE__, __VA_ARGS__)

TEST(segments_are_those_that_are_loaded_by_address)
{
	begin_headers(4);
	set_header(0, PT_LOAD, PF_R | PF_W, 0x5000, 0x300, 0x40);
	set_header(1, PT_NOTE, PF_R | PF_X, 0x2000, 0x340, 0x10);
	set_header(2, PT_LOAD, PF_R | PF_X, 0x3000, 0x200, 0x20);
	set_header(3, PT_LOAD, PF_X, 0x1000, 0x100, 0x80);
	CHECK(read_segments(PF_X));
	CHECK_EQ(segments.nr, 2);
	CHECK_SEGMENT(0, 0x1000, 0x100, 0x80);
	CHECK_SEGMENT(1, 0x3000, 0x200, 0x20);
	CHECK(read_segments(0));
	CHECK_EQ(segments.nr, 3);
	CHECK_SEGMENT(2, 0x5000, 0x300, 0x40);
}

TEST(a_segment_ends_where_the_file_does)
{
	begin_headers(3);
	set_header(0, PT_LOAD, PF_X, 0x1000, elf.size - 8, 0x100);
	set_header(1, PT_LOAD, PF_X, 0x2000, elf.size, 0x100);
	set_header(2, PT_LOAD, PF_X, 0x3000, 0, UINT64_MAX);
	CHECK(read_segments(PF_X));
	CHECK_EQ(segments.nr, 2);
	CHECK_SEGMENT(0, 0x1000, elf.size - 8, 8);
	CHECK_SEGMENT(1, 0x3000, 0, elf.size);
}

/* The sections are at the end of most files. */
TEST(a_file_that_was_cut_lacks_bytes)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		Elf *file;

		begin();
		elf.is32 = i;
		file = open_file();
		CHECK_EQ(img_missing_bytes(file), 0);
		elf_end(file);
		file = elf_memory((char *)elf.file, elf.size - 5);
		CHECK_EQ(img_missing_bytes(file), 5);
		elf_end(file);
		file = elf_memory((char *)elf.file, ELFB_CODE);
		CHECK_EQ(img_missing_bytes(file), elf.size - ELFB_CODE);
		elf_end(file);
	}
}

static uint64_t missing(void)
{
	Elf *file = elf_memory((char *)elf.file, elf.size);
	const uint64_t nr = img_missing_bytes(file);

	elf_end(file);
	return nr;
}

/* Go's linker puts the table before them. */
TEST(a_file_whose_table_of_sections_is_not_at_its_end_lacks_bytes_of_sections)
{
	Elf64_Shdr *sh;

	begin();
	elf_end(open_file());
	sh = (Elf64_Shdr *)(elf.file + ((Elf64_Ehdr *)elf.file)->e_shoff) + 1;
	CHECK_EQ(missing(), 0);
	sh->sh_offset = elf.size - 3;
	sh->sh_size = 10;
	CHECK_EQ(missing(), 7);
	sh->sh_type = SHT_NOBITS;
	CHECK_EQ(missing(), 0);
}

TEST(a_file_without_sections_lacks_bytes_of_its_segments)
{
	begin_headers(2);
	((Elf64_Ehdr *)elf.file)->e_shoff = 0;
	((Elf64_Ehdr *)elf.file)->e_shnum = 0;
	set_header(0, PT_LOAD, PF_X, 0x1000, elf.size - 8, 0x100);
	CHECK_EQ(missing(), 0xf8);
	set_header(1, PT_LOAD, PF_W, 0x3000, 0, UINT64_MAX);
	CHECK_EQ(missing(), UINT64_MAX - elf.size);
	/* The memory of a machine is as much as fitted. */
	((Elf64_Ehdr *)elf.file)->e_type = ET_CORE;
	CHECK_EQ(missing(), 0);
	/* A debug file has no code, whatever its segments are. */
	begin();
	elf.debug_file = true;
	elfb_finish(&elf);
	headers = (Elf64_Phdr *)(elf.file + sizeof(Elf64_Ehdr));
	set_header(0, PT_LOAD, PF_X, 0x1000, elf.size - 8, 0x100);
	CHECK_EQ(missing(), 0);
}

TEST(an_address_is_in_the_segment_that_has_its_byte)
{
	begin_headers(2);
	set_header(0, PT_LOAD, PF_X, 0x1000, 0x100, 0x80);
	set_header(1, PT_LOAD, PF_X, UINT64_MAX - 0x7f, 0x200, 0x80);
	CHECK(read_segments(0));
	CHECK(!img_segment_at(&segments, 0xfff));
	CHECK(img_segment_at(&segments, 0x1000) == &segments.v[0]);
	CHECK(img_segment_at(&segments, 0x107f) == &segments.v[0]);
	CHECK(!img_segment_at(&segments, 0x1080));
	CHECK(img_segment_at(&segments, UINT64_MAX) == &segments.v[1]);
}

TEST(headers_outside_of_the_file_are_damage)
{
	begin_headers(1);
	((Elf64_Ehdr *)elf.file)->e_phoff = elf.size + 8;
	CHECK(!read_segments(0));
	CHECK_EQ(segments.nr, 0);
}

TEST(headers_of_one_type_come_in_their_order)
{
	GElf_Phdr ph;
	size_t at = 0;
	Elf *file;

	begin_headers(4);
	set_header(0, PT_NOTE, 0, 0, 1, 0);
	set_header(1, PT_LOAD, 0, 0, 2, 0);
	set_header(3, PT_NOTE, 0, 0, 3, 0);
	file = elf_memory((char *)elf.file, elf.size);
	CHECK(img_next_header(file, &at, PT_NOTE, &ph));
	CHECK_EQ(ph.p_offset, 1);
	CHECK(img_next_header(file, &at, PT_NOTE, &ph));
	CHECK_EQ(ph.p_offset, 3);
	CHECK(!img_next_header(file, &at, PT_NOTE, &ph));
	elf_end(file);
}

TEST(sections_are_found_by_type_and_name)
{
	GElf_Shdr sh;
	Elf *file;

	begin();
	add_symbol("f", ELFB_CODE, 0);
	elf.extra = "mine";
	elf.extra_addr = ELFB_ADDR + ELFB_CODE;
	elf.extra_size = 12;
	file = open_file();
	CHECK(img_find_section(file, SHT_PROGBITS, "mine", &sh));
	CHECK_EQ(sh.sh_size, 12);
	CHECK_STR(img_section_name(file, &sh), "mine");
	CHECK(img_find_section(file, SHT_NULL, "mine", &sh));
	CHECK(!img_find_section(file, SHT_SYMTAB, "mine", &sh));
	CHECK(img_find_section(file, SHT_SYMTAB, NULL, &sh));
	CHECK_STR(img_section_name(file, &sh), ".symtab");
	CHECK(!img_find_section(file, SHT_NULL, "none", &sh));
	sh.sh_name = 1 << 20;
	CHECK_STR(img_section_name(file, &sh), "");
	elf_end(file);
}

TEST(symbols_that_are_defined_and_have_a_name)
{
	struct img_symbols symbols;
	GElf_Sym sym;
	Elf *file;

	begin();
	add_symbol("f", 0x10, 0);
	add_symbol("", 0x20, 0);
	add_symbol("absolute", 0x30, SHN_ABS);
	file = open_file();
	CHECK(!img_open_symbols(&symbols, file, SHT_DYNSYM));
	CHECK(img_open_symbols(&symbols, file, SHT_SYMTAB));
	symbols.moved = 0x1000;
	CHECK_STR(img_next_symbol(&symbols, &sym), "f");
	CHECK_EQ(sym.st_value, ELFB_ADDR + 0x1010);
	CHECK_STR(img_next_symbol(&symbols, &sym), "absolute");
	CHECK(!img_next_symbol(&symbols, &sym));
	/* What a relocation is for may be anywhere. */
	CHECK_STR(img_symbol_number(&symbols, 1, &sym), "f");
	CHECK(!img_symbol_number(&symbols, 2, &sym));
	CHECK(!img_symbol_number(&symbols, 4, &sym));
	CHECK(!img_symbol_number(&symbols, -1, &sym));
	elf_end(file);
}

TEST(symbols_that_are_needed_are_not_defined)
{
	struct img_symbols symbols;
	GElf_Sym sym;
	Elf *file;

	begin();
	add_symbol("f", 0x10, 0);
	elf.plt_addr = ELFB_ADDR + ELFB_CODE;
	elf.plt[elf.nr_plt++] = "puts";
	file = open_file();
	CHECK(img_open_symbols(&symbols, file, SHT_DYNSYM));
	CHECK_STR(img_symbol_number(&symbols, 2, &sym), "puts");
	CHECK_STR(img_next_symbol(&symbols, &sym), "f");
	CHECK(!img_next_symbol(&symbols, &sym));
	elf_end(file);
}

static void check_id(int line, Elf *file, bool there)
{
	unsigned int size = 0;
	const uint8_t *own = img_find_build_id(file, &size);

	if (there ? !own || size != 20 || memcmp(own, id, 20) : !!own)
		test_fail(__FILE__, line, "%u bytes", size);
	elf_end(file);
}

TEST(the_build_id_is_in_a_note)
{
	begin();
	check_id(__LINE__, open_file(), false);
	begin();
	elf.build_id = id;
	elf.build_id_size = 20;
	check_id(__LINE__, open_file(), true);
}

/* As Go's linker writes it: the headers' notes are others, and one section has the build id. */
TEST(a_note_that_no_program_header_has_is_found_in_its_section)
{
	static const struct {
		Elf64_Nhdr head;
		char name[4], text[4];
	} go = { { 4, 4, 4 }, "Go", "id" };
	Elf64_Ehdr *eh = (Elf64_Ehdr *)elf.file;
	Elf64_Phdr *note = (Elf64_Phdr *)(eh + 1) + 1;

	begin();
	elf.build_id = id;
	elf.build_id_size = 20;
	elf.section_build_id = true;
	elfb_finish(&elf);
	memcpy(elf.file + ELFB_NOTE + 64, &go, sizeof(go));
	note->p_type = PT_NOTE;
	note->p_offset = ELFB_NOTE + 64;
	note->p_filesz = sizeof(go);
	check_id(__LINE__, elf_memory((char *)elf.file, elf.size), true);
	/* As in modules of the kernel. */
	eh->e_phnum = 0;
	check_id(__LINE__, elf_memory((char *)elf.file, elf.size), true);
}

/* A user's file may have any number of notes, and be small on the disk. */
TEST(a_build_id_is_looked_for_in_the_first_million_bytes_of_notes)
{
	enum { NOTES = 1 << 20 };
	/* Not at a word, so that libelf would copy them. */
	const uint64_t at = ELFB_SIZE_MAX + 1;
	const Elf64_Nhdr own = { 4, sizeof(id), NT_GNU_BUILD_ID };
	uint8_t *file = calloc(1, at + 2 * NOTES);
	unsigned int i;

	CHECK(file);
	begin_headers(1);
	set_header(0, PT_NOTE, PF_R, 0, at, 2 * NOTES);
	memcpy(file, elf.file, elf.size);
	((Elf64_Ehdr *)file)->e_shoff = 0;
	((Elf64_Ehdr *)file)->e_shnum = 0;
	for (i = 0; i < 2; i++) {
		const uint64_t size = sizeof(own) + 4 + sizeof(id);
		const uint64_t last = at + NOTES - size + 4 * i;
		const Elf64_Nhdr other = { 0, last - at - sizeof(other), 1 };

		memcpy(file + at, &other, sizeof(other));
		memcpy(file + last, &own, sizeof(own));
		memcpy(file + last + sizeof(own), "GNU", 4);
		memcpy(file + last + sizeof(own) + 4, id, sizeof(id));
		check_id(__LINE__, elf_memory((char *)file, at + 2 * NOTES), !i);
	}
	free(file);
}

TEST(a_build_id_may_be_filled_up_with_zeroes)
{
	static const uint8_t a[] = { 1, 2, 0, 0 }, b[] = { 1, 2, 0, 3 };

	CHECK(img_same_build_id(a, 4, a, 4));
	CHECK(img_same_build_id(a, 4, b, 2));
	CHECK(img_same_build_id(b, 3, a, 4));
	CHECK(!img_same_build_id(a, 4, b, 4));
	CHECK(!img_same_build_id(a, 1, b, 4));
}

TEST(a_build_id_is_printed_in_hexadecimal)
{
	char text[9] = "";

	img_print_build_id(text, (const uint8_t[]){ 0x01, 0xa0, 0xff }, 3);
	CHECK_STR(text, "01a0ff");
	img_print_build_id(text, NULL, 0);
	CHECK_STR(text, "");
}
