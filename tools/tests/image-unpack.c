// SPDX-License-Identifier: GPL-2.0-only
/* Images: sections of debug information that are compressed. */
#include "elf-build.h"
#include "image/unpack.h"
#include "test.h"

static const uint8_t code[64];
static struct elfb elf;
static Elf *file;
static struct img_unpacked unpacked;

static const char text[] = "some bytes that come again: some bytes that come again";

/* Three sections in this form, of which the second one is .debug_info. */
static void begin(unsigned int form)
{
	unsigned int i;

	elf_version(EV_CURRENT);
	elf = (struct elfb){ .code = code, .code_size = sizeof(code), .form = form };
	for (i = 0; i < 3; i++)
		elf.debug[i] = (struct elfb_bytes){ text, sizeof(text) - i };
	elfb_finish(&elf);
}

static Elf_Scn *find(const char *name, GElf_Shdr *sh)
{
	return img_find_section(file, SHT_NULL, name, sh);
}

/* Changes the header of a section's bytes. */
static Elf64_Chdr *header(const char *name)
{
	GElf_Shdr sh;

	file = elf_memory((char *)elf.file, elf.size);
	CHECK(find(name, &sh));
	elf_end(file);
	return (Elf64_Chdr *)(elf.file + sh.sh_offset);
}

static void open_file(void)
{
	file = elf_memory((char *)elf.file, elf.size);
	img_unpack(&unpacked, file);
}

static void close_file(void)
{
	elf_end(file);
	img_unpacked_free(&unpacked);
}

/* Whether libelf finds it as it was before it was compressed. */
static bool is_plain(const char *name, size_t size)
{
	GElf_Shdr sh;
	Elf_Scn *scn = find(name, &sh);
	Elf_Data *data = elf_getdata(scn, NULL), *raw = elf_rawdata(scn, NULL);

	return !(sh.sh_flags & SHF_COMPRESSED) && sh.sh_size == size && sh.sh_addralign == 1 &&
	       data->d_size == size && !memcmp(data->d_buf, text, size) &&
	       raw->d_size == size && !memcmp(raw->d_buf, text, size);
}

TEST(what_zstd_has_compressed_is_as_it_was)
{
	begin(ELFB_ZSTD);
	open_file();
	CHECK(is_plain(".debug_abbrev", sizeof(text)));
	CHECK(is_plain(".debug_info", sizeof(text) - 1));
	CHECK(is_plain(".debug_line", sizeof(text) - 2));
	CHECK_EQ(unpacked.nr, 3);
	CHECK(!unpacked.damaged && !unpacked.unknown);
	close_file();
}

/* libelf unpacks it. */
TEST(what_is_not_compressed_by_zstd_stays)
{
	static const unsigned int forms[] = { 0, ELFCOMPRESS_ZLIB };
	GElf_Shdr sh;
	size_t i;

	for (i = 0; i < 2; i++) {
		begin(forms[i]);
		open_file();
		CHECK(find(".debug_info", &sh));
		CHECK_EQ(sh.sh_flags, i ? SHF_COMPRESSED : 0);
		CHECK_EQ(unpacked.nr, 0);
		CHECK(!unpacked.damaged && !unpacked.unknown);
		close_file();
	}
}

TEST(an_unknown_form_is_told_by_its_number)
{
	begin(ELFB_ZSTD);
	header(".debug_info")->ch_type = 99;
	open_file();
	CHECK_EQ(unpacked.unknown, 99);
	CHECK(!unpacked.damaged);
	CHECK(is_plain(".debug_abbrev", sizeof(text)));
	close_file();
}

/* A few kB that stand for more than a file of this size has: two of three fit. */
TEST(what_would_take_all_memory_is_told)
{
	enum { MUCH = 30 << 20 };
	char *zeros = calloc(1, MUCH);
	unsigned int i;

	CHECK(zeros);
	elf_version(EV_CURRENT);
	elf = (struct elfb){ .code = code, .code_size = sizeof(code), .form = ELFB_ZSTD };
	for (i = 0; i < 3; i++)
		elf.debug[i] = (struct elfb_bytes){ zeros, MUCH };
	elfb_finish(&elf);
	CHECK(elf.size < 64 << 10);
	open_file();
	CHECK(unpacked.damaged);
	CHECK_EQ(unpacked.nr, 2);
	close_file();
	free(zeros);
}

/* libelf unpacks zlib, and this not. */
TEST(what_would_take_all_memory_is_hidden)
{
	static const unsigned int forms[] = { ELFCOMPRESS_ZLIB, ELFB_ZSTD };
	GElf_Shdr sh;
	size_t i;

	for (i = 0; i < 2; i++) {
		begin(forms[i]);
		header(".debug_info")->ch_size = 1 << 30;
		open_file();
		CHECK(unpacked.damaged);
		CHECK(find(".debug_info", &sh));
		CHECK_EQ(sh.sh_type, SHT_NOBITS);
		CHECK(!(sh.sh_flags & SHF_COMPRESSED));
		CHECK(find(".debug_line", &sh));
		CHECK_EQ(sh.sh_type, SHT_PROGBITS);
		close_file();
	}
}

/* As GCC names it before the link, and libdw reads it. */
TEST(debug_information_has_the_same_bound_by_another_name)
{
	static const char name[] = ".debug_abbrev", other[] = ".gnu.debuglto_";
	GElf_Shdr sh;

	begin(ELFCOMPRESS_ZLIB);
	header(name)->ch_size = 1 << 30;
	/* The name of the next section stands behind this one. */
	memcpy(memmem(elf.file, elf.size, name, sizeof(name)), other, sizeof(name));
	open_file();
	CHECK(find(".gnu.debuglto_.debug_info", &sh));
	CHECK_EQ(sh.sh_type, SHT_NOBITS);
	CHECK(unpacked.damaged);
	close_file();
}

/* Before SHF_COMPRESSED. */
TEST(an_older_form_has_the_same_bound)
{
	static const uint8_t sizes[][13] = { "ZLIB\0\0\0\0\0\0\0\1", "ZLIB\0\0\0\1\0\0\0" };
	static const char name[] = ".debug_abbrev";
	GElf_Shdr sh;
	size_t i;

	for (i = 0; i < 2; i++) {
		begin(0);
		elf.debug[0] = (struct elfb_bytes){ sizes[i], sizeof(sizes[i]) };
		elfb_finish(&elf);
		memcpy(memmem(elf.file, elf.size, name, sizeof(name)), ".zdebug_info",
		       sizeof(".zdebug_info"));
		open_file();
		CHECK(find(".zdebug_info", &sh));
		CHECK_EQ(sh.sh_type, i ? SHT_NOBITS : SHT_PROGBITS);
		CHECK_EQ(unpacked.damaged, i);
		close_file();
	}
}

/* Each byte set to 0xff in turn, and sizes that are not those of the bytes. */
TEST(what_is_damaged_is_told)
{
	static const uint64_t sizes[] = { 0, sizeof(text) - 2, sizeof(text), 1 << 20,
					  UINT64_C(1) << 40, UINT64_MAX };
	uint8_t *at;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin(ELFB_ZSTD);
		header(".debug_info")->ch_size = sizes[i];
		open_file();
		CHECK(unpacked.damaged);
		CHECK_EQ(unpacked.nr, 2);
		close_file();
	}
	for (i = 0; i < sizeof(Elf64_Chdr) + 16; i++) {
		begin(ELFB_ZSTD);
		at = (uint8_t *)header(".debug_info") + i;
		*at = 0xff;
		open_file();
		close_file();
	}
	begin(ELFB_ZSTD);
	*(uint8_t *)(header(".debug_info") + 1) = 0xff;
	open_file();
	CHECK(unpacked.damaged);
	close_file();
}
