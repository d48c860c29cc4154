// SPDX-License-Identifier: GPL-2.0-only
/* Images: symbols of stripped files, in files of their own. */
#include "elf-build.h"
#include "image/image.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static uint16_t code[64];
static const uint8_t id[20] = { 0xc0, 0xff, 0xee, 1, 2, 3, [19] = 9 };
static const uint8_t other_id[20] = { 0xba, 0xad };
#define BY_ID "usr/lib/debug/.build-id/c0/ffee0102030000000000000000000000000009.debug"
#define IN_CACHE "cache/.build-id/c0/ffee0102030000000000000000000000000009/debug"

static struct elfb elf;

/* Write it to a name below the test's folder, and the folders that it is in. */
static void write_to(const char *name)
{
	CHECK(elfb_write(&elf, test_path(name)));
}

static void write_symbols(const char *name, const uint8_t *build_id,
			  uint64_t moved)
{
	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = build_id,
			     .build_id_size = build_id ? 20 : 0,
			     .moved = moved };
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		"hidden", ELFB_ADDR + moved + ELFB_CODE + 0x10, 0x10,
		ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
	};
	write_to(name);
}

/* link: the name in .gnu_debuglink, or NULL. */
static void write_stripped(const uint8_t *build_id, const char *link,
			   uint32_t crc)
{
	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = build_id,
			     .build_id_size = build_id ? 20 : 0,
			     .debuglink = link, .debuglink_crc = crc };
	write_to("bin/x");
}

/* Whether the stripped file's function has its name. */
static bool has_name(void)
{
	char cache[512];
	struct img_file *file;
	struct img *img;
	uint64_t from;
	const char *name;
	bool found;

	snprintf(cache, sizeof(cache), "%s/cache", test_tmpdir());
	img = img_new(test_tmpdir());
	CHECK(img_add_place(img, cache));
	file = img_file(img, "/bin/x", NULL, 0);
	CHECK_EQ(img_file_state(file), IMG_OK);
	found = img_symbol(file, ELFB_CODE + 0x14, &name, &from);
	if (found) {
		CHECK_STR(name, "hidden");
		CHECK_EQ(from, 4);
	}
	img_free(img);
	return found;
}

TEST(a_stripped_file_alone_has_no_names)
{
	write_stripped(id, "x.debug", 0);
	CHECK(!has_name());
}

TEST(symbols_are_found_by_build_id)
{
	write_symbols(BY_ID, id, 0);
	write_stripped(id, NULL, 0);
	CHECK(has_name());
}

TEST(symbols_are_found_in_perf_s_cache)
{
	write_symbols(IN_CACHE, id, 0);
	write_stripped(id, NULL, 0);
	CHECK(has_name());
}

/* Beside the stripped file itself, which --code may name as well. */
TEST(symbols_are_those_of_the_file_before_it_was_stripped)
{
	struct img *img = img_new(test_tmpdir());
	struct img_file *file;
	const char *name;
	uint64_t from;

	CHECK(img_add_place(img, test_path("bin")) && img_add_place(img, test_path("built")));
	write_symbols("built/y", id, 0);
	write_stripped(id, NULL, 0);
	file = img_file(img, "/bin/x", NULL, 0);
	CHECK(img_symbol(file, ELFB_CODE + 0x14, &name, &from));
	CHECK_STR(img_file_path(file), test_path("bin/x"));
	CHECK(!img_file_is_stripped(file));
	img_free(img);
}

TEST(a_file_is_stripped_if_nothing_has_its_symbols)
{
	struct img *img = img_new(test_tmpdir());

	write_stripped(id, NULL, 0);
	CHECK(img_file_is_stripped(img_file(img, "/bin/x", NULL, 0)));
	CHECK(!img_file_is_stripped(img_file(img, "/bin/none", NULL, 0)));
	img_free(img);
	img = img_new(test_tmpdir());
	write_symbols(BY_ID, id, 0);
	CHECK(!img_file_is_stripped(img_file(img, "/bin/x", NULL, 0)));
	img_free(img);
}

TEST(symbols_of_another_build_are_not_taken)
{
	write_symbols(BY_ID, other_id, 0);
	write_symbols("bin/x.debug", other_id, 0);
	write_stripped(id, "x.debug", elfb_crc(elf.file, elf.size));
	CHECK(!has_name());
}

TEST(symbols_are_found_by_debug_link)
{
	static const char *const places[] = { "bin/x.debug",
					      "bin/.debug/x.debug",
					      "usr/lib/debug/bin/x.debug" };
	char path[512];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		write_symbols(places[i], NULL, 0);
		write_stripped(NULL, "x.debug", elfb_crc(elf.file, elf.size));
		CHECK(has_name());
		snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), places[i]);
		CHECK(!remove(path));
		CHECK(!has_name());
	}
}

/* The checksum stands behind it, at a multiple of four bytes. */
TEST(the_name_in_a_debug_link_may_have_any_length)
{
	static const char longest[] = "bin/linked.debug";
	char name[sizeof(longest)];
	size_t len;

	for (len = strlen("bin/l"); len < sizeof(longest); len++) {
		snprintf(name, sizeof(name), "%.*s", (int)len, longest);
		write_symbols(name, NULL, 0);
		write_stripped(NULL, name + strlen("bin/"), elfb_crc(elf.file, elf.size));
		CHECK(has_name());
	}
}

/* Then nothing but the checksum tells. */
TEST(a_debug_link_may_lead_from_or_to_a_file_without_a_build_id)
{
	write_symbols("bin/x.debug", id, 0);
	write_stripped(NULL, "x.debug", elfb_crc(elf.file, elf.size));
	CHECK(has_name());
	write_symbols("bin/x.debug", NULL, 0);
	write_stripped(other_id, "x.debug", elfb_crc(elf.file, elf.size));
	CHECK(has_name());
}

TEST(a_debug_link_with_another_checksum_is_not_followed)
{
	write_symbols("bin/x.debug", NULL, 0);
	write_stripped(NULL, "x.debug", elfb_crc(elf.file, elf.size) + 1);
	CHECK(!has_name());
}

/* With holes, it takes no room on the disk, and its checksum would take minutes or hours. */
TEST(a_debug_link_to_a_file_that_is_too_large_is_told)
{
	struct img_file *file;
	struct rlimit limit;
	struct img *img;
	const char *name;
	uint64_t from;

	write_symbols("bin/x.debug", NULL, 0);
	signal(SIGXFSZ, SIG_IGN);
	if (truncate(test_path("bin/x.debug"), (INT64_C(16) << 30) + 1))
		test_skip("no files of this size here");
	CHECK(!getrlimit(RLIMIT_AS, &limit));
	if (limit.rlim_cur < UINT64_C(17) << 30)
		test_skip("ulimit -v lets no file of this size be mapped");
	write_stripped(NULL, "x.debug", 0);
	img = img_new(test_tmpdir());
	file = img_file(img, "/bin/x", NULL, 0);
	CHECK(!img_symbol(file, ELFB_CODE + 0x14, &name, &from));
	CHECK(strstr(img_file_unnamed(file), "/bin/x: names and source lines of "));
	CHECK(strstr(img_file_unnamed(file), "/bin/x.debug, to which its .gnu_debuglink leads, because this file is larger than 16 GiB"));
	img_free(img);
	CHECK_EQ(unlink(test_path("bin/x.debug")), 0);
}

TEST(a_debug_link_leads_into_no_other_folder)
{
	write_symbols("x.debug", NULL, 0);
	write_stripped(NULL, "../x.debug", elfb_crc(elf.file, elf.size));
	CHECK(!has_name());
}

TEST(a_debug_link_leads_to_the_folder_of_a_file_that_is_named_without)
{
	struct img *img = img_new(NULL);
	int back = open(".", O_RDONLY);
	uint64_t from;
	const char *name;

	write_symbols("bin/x.debug", NULL, 0);
	write_stripped(NULL, "x.debug", elfb_crc(elf.file, elf.size));
	CHECK(back >= 0 && !chdir(test_tmpdir()) && !chdir("bin"));
	CHECK(img_symbol(img_open(img, "x"), ELFB_CODE + 0x14, &name, &from));
	CHECK(!fchdir(back) && !close(back));
	img_free(img);
}

/* As with --code FILE; the name and the checksum have to fit. */
TEST(a_debug_link_leads_to_a_file_that_is_a_place_itself)
{
	static const char *const names[] = { "apart/x.debug", "apart/y.debug" };
	unsigned int i, wrong;
	struct img *img;
	const char *name;
	uint64_t from;

	for (i = 0; i < 2; i++)
		for (wrong = 0; wrong < 2; wrong++) {
			write_symbols(names[i], NULL, 0);
			write_stripped(NULL, "x.debug", elfb_crc(elf.file, elf.size) + wrong);
			img = img_new(test_tmpdir());
			CHECK(img_add_place(img, test_path(names[i])));
			CHECK_EQ(img_symbol(img_file(img, "/bin/x", NULL, 0), ELFB_CODE + 0x14,
					    &name, &from), !i && !wrong);
			img_free(img);
		}
}

TEST(a_prelinked_file_has_its_symbols_elsewhere)
{
	write_symbols(BY_ID, id, 0x123000);
	write_stripped(id, NULL, 0);
	CHECK(has_name());
}
