// SPDX-License-Identifier: GPL-2.0-only
/* Images: which files are code, which are not and why, and what is in them. */
#include "elf-build.h"
#include "image/image.h"
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint16_t code[] = {
	0x0505,			/* c.addi a0, 1 */
	0x8082,			/* ret */
};
static const uint8_t id[20] = { 0xc0, 0xff, 0xee, 1, 2, 3, [19] = 9 };
static struct elfb elf;

/* Write the file "/x" of a symfs, which is the test's folder. */
static void write_elf(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	elf.code = code;
	elf.code_size = sizeof(code);
	CHECK(elfb_write(&elf, path));
}

/* What becomes of a file under a name in the recording, with its build id. */
static void check_state(const char *name, const uint8_t *build_id,
			unsigned int size, enum img_state state,
			const char *error)
{
	struct img *img = img_new(test_tmpdir());
	struct img_file *file = img_file(img, name, build_id, size);
	uint64_t len;

	CHECK(file);
	CHECK_EQ(img_file_state(file), state);
	if (!strstr(img_file_error(file), error))
		test_fail(__FILE__, __LINE__, "%s", img_file_error(file));
	if (*error)
		CHECK(strstr(img_file_error(file), name));
	CHECK_EQ(!img_code(file, ELFB_CODE, &len), state != IMG_OK);
	img_free(img);
}

TEST(code_is_found_by_file_offset)
{
	struct img_file *file;
	const uint8_t *p;
	struct img *img;
	uint64_t len;

	elf = (struct elfb){ 0 };
	write_elf();
	img = img_new(test_tmpdir());
	file = img_file(img, "/x", NULL, 0);
	CHECK_EQ(img_file_state(file), IMG_OK);
	CHECK_STR(img_file_error(file), "");
	CHECK_EQ(img_file_bits(file), 64);
	p = img_code(file, ELFB_CODE, &len);
	CHECK(p && !memcmp(p, code, sizeof(code)));
	CHECK_EQ(len, elf.size - ELFB_CODE);
	p = img_code(file, elf.size - 1, &len);
	CHECK(p && len == 1);
	CHECK(!img_code(file, elf.size, &len));
	CHECK(!img_code(file, UINT64_MAX, &len));
	img_free(img);
}

TEST(a_file_is_opened_once)
{
	struct img_file *file;
	char name[32];
	struct img *img;
	int i;

	elf = (struct elfb){ 0 };
	write_elf();
	img = img_new(test_tmpdir());
	file = img_file(img, "/x", NULL, 0);
	for (i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "/missing-%d", i);
		CHECK(img_file(img, name, NULL, 0));
		CHECK(img_file(img, name, NULL, 0));
	}
	CHECK(img_file(img, "/x", NULL, 0) == file);
	CHECK(img_file(img, "/x", id, 20) != file);
	CHECK_EQ(img_nr_files(img), 502);
	CHECK(img_file_at(img, 0) == file);
	img_free(img);
}

/* img_file() takes the names of mappings, of which these are no files. */
TEST(a_file_is_opened_by_any_name)
{
	int back = open(".", O_RDONLY);
	struct img *img = img_new("/nowhere");

	elf = (struct elfb){ 0 };
	write_elf();
	CHECK(back >= 0 && !chdir(test_tmpdir()));
	CHECK_EQ(img_file_state(img_file(img, "x", NULL, 0)), IMG_ANON);
	CHECK_EQ(img_file_state(img_open(img, "x")), IMG_OK);
	CHECK_EQ(img_file_state(img_open(img, "none")), IMG_MISSING);
	CHECK_STR(img_file_error(img_file_at(img, 2)),
		  "none: No such file or directory");
	CHECK(!fchdir(back) && !close(back));
	img_free(img);
}

TEST(build_ids_have_to_agree)
{
	static const uint8_t other[20] = { 0xbe, 0xef };

	elf = (struct elfb){ .build_id = id, .build_id_size = 20 };
	write_elf();
	check_state("/x", NULL, 0, IMG_OK, "");
	check_state("/x", id, 20, IMG_OK, "");
	check_state("/x", other, 20, IMG_BUILD_ID, "another build");
	check_state("/x", id, 8, IMG_BUILD_ID, "another build");
}

TEST(short_build_ids_may_be_filled_up)
{
	/* A file's id of 8 bytes; recordings have it with 8 and with 20. */
	static const uint8_t filled[20] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	elf = (struct elfb){ .build_id = filled, .build_id_size = 8 };
	write_elf();
	check_state("/x", filled, 8, IMG_OK, "");
	check_state("/x", filled, 20, IMG_OK, "");
}

TEST(a_file_without_build_id_is_taken)
{
	elf = (struct elfb){ 0 };
	write_elf();
	check_state("/x", id, 20, IMG_OK, "");
}

TEST(missing_and_other_files)
{
	char path[128];
	FILE *f;

	check_state("/none", NULL, 0, IMG_MISSING, "No such file or directory");
	snprintf(path, sizeof(path), "%s/text", test_tmpdir());
	f = fopen(path, "w");
	CHECK(f && fputs("no code at all", f) >= 0 && !fclose(f));
	check_state("/text", NULL, 0, IMG_NOT_ELF, "not an ELF file");
	snprintf(path, sizeof(path), "%s/fifo", test_tmpdir());
	CHECK(!mkfifo(path, 0600));
	check_state("/fifo", NULL, 0, IMG_NOT_ELF, "not an ELF file");
	snprintf(path, sizeof(path), "%s/empty", test_tmpdir());
	f = fopen(path, "w");
	CHECK(f && !fclose(f));
	check_state("/empty", NULL, 0, IMG_NOT_ELF, "not an ELF file");
	check_state("/", NULL, 0, IMG_MISSING, "a folder, and not a file; name a file");
}

TEST(code_of_another_machine_says_how_to_give_the_one_that_ran)
{
	elf = (struct elfb){ .machine = EM_X86_64 };
	write_elf();
	check_state("/x", NULL, 0, IMG_NOT_RISCV, "--code");
}

TEST(what_is_no_file_is_not_opened)
{
	check_state("//anon", NULL, 0, IMG_ANON, "");
	check_state("[heap]", NULL, 0, IMG_ANON, "");
	check_state("[stack]", NULL, 0, IMG_ANON, "");
	check_state("anon_inode:[perf_event]", NULL, 0, IMG_ANON, "");
	check_state("/memfd:jit (deleted)", NULL, 0, IMG_ANON, "");
	check_state("[vdso]", NULL, 0, IMG_VDSO, "");
	check_state("[kernel.kallsyms]_text", NULL, 0, IMG_KERNEL, "");
}

/* The number of section headers is in the first one, where e_shnum has no room for it. */
static void write_sections(bool is32, uint32_t nr)
{
	char path[128];
	FILE *f;

	elf = (struct elfb){ .is32 = is32, .nr_symbols = 1,
			     .symbols = { { "f", ELFB_ADDR, 4, 0 } } };
	write_elf();
	if (is32) {
		Elf32_Ehdr *eh = (Elf32_Ehdr *)elf.file;

		eh->e_shnum = 0;
		((Elf32_Shdr *)(elf.file + eh->e_shoff))->sh_size = nr;
	} else {
		Elf64_Ehdr *eh = (Elf64_Ehdr *)elf.file;

		eh->e_shnum = 0;
		((Elf64_Shdr *)(elf.file + eh->e_shoff))->sh_size = nr;
	}
	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	f = fopen(path, "w");
	CHECK(f && fwrite(elf.file, elf.size, 1, f) == 1 && !fclose(f));
	CHECK(!truncate(path, elf.size + (uint64_t)nr * sizeof(Elf64_Shdr)));
}

/* Anybody can make such a file, which is small on the disk, and memory is taken for each. */
TEST(a_file_of_more_sections_than_any_program_has_is_refused)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		write_sections(i, 1 << 16);
		check_state("/x", NULL, 0, IMG_OK, "");
		write_sections(i, (1 << 16) + 1);
		check_state("/x", NULL, 0, IMG_NOT_ELF, "more than 65536 section headers");
	}
}

TEST(elf_cut_or_changed_is_code_or_refused)
{
	static const struct elfb_symbol symbols[] = {
		{ "f", ELFB_ADDR + ELFB_CODE, 4,
		  ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) },
	};
	char path[128];
	size_t at, n;

	elf = (struct elfb){ .build_id = id, .build_id_size = 20,
			     .nr_symbols = 1, .nr_plt = 1, .plt = { "puts" },
			     .plt_addr = ELFB_ADDR + ELFB_CODE,
			     .dynamic = true };
	memcpy(elf.symbols, symbols, sizeof(symbols));
	write_elf();
	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	/* The headers, byte by byte, and the sections after the code. */
	for (at = 0; at < elf.size; at++) {
		uint8_t old = elf.file[at];
		const char *name;
		struct img_file *file;
		struct img *img;
		uint64_t offset, len;
		FILE *f;

		if (at == ELFB_NOTE + 64)
			at = ELFB_CODE;
		n = at % 5 ? elf.size : at + 1;
		elf.file[at] = at & 1 ? 0xff : 1 + test_random() % 255;
		f = fopen(path, "w");
		CHECK(f && fwrite(elf.file, n, 1, f) && !fclose(f));
		elf.file[at] = old;
		img = img_new(test_tmpdir());
		file = img_file(img, "/x", id, 20);
		CHECK(file);
		if (img_file_state(file) == IMG_OK) {
			const uint8_t *p = img_code(file, n - 1, &len);

			CHECK(p && len == 1);
			if (img_symbol(file, ELFB_CODE, &name, &offset))
				CHECK(strlen(name) < elf.size);
		} else {
			CHECK(*img_file_error(file));
		}
		img_free(img);
	}
}
