// SPDX-License-Identifier: GPL-2.0-only
/* Code in places that the user names: files, folders, roots and caches by build id. */
#include "elf-build.h"
#include "image/image.h"
#include "test.h"

#include <unistd.h>

static const uint16_t code[] = {
	0x0505,			/* c.addi a0, 1 */
	0x8082,			/* ret */
};
static const uint8_t id[20] = { 0xc0, 0xff, 0xee, 1, 2, 3, [19] = 9 };
static const uint8_t other_id[20] = { 0xba, 0xad };
static struct elfb elf;
static struct img *img;

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	return path;
}

/* Write the file with that build id, and the folders that it is in. */
static void write_elf(const char *name, const uint8_t *build_id)
{
	elf.code = code;
	elf.code_size = sizeof(code);
	elf.build_id = build_id;
	elf.build_id_size = build_id ? 20 : 0;
	CHECK(elfb_write(&elf, test_path(name)));
}

/* Nothing is where the recording names it. */
static void begin(const char *place)
{
	elf = (struct elfb){ 0 };
	img = img_new("/nowhere");
	CHECK(img);
	CHECK(img_add_place(img, path_of(place)));
}

static struct img_file *look(const char *name, const uint8_t *build_id)
{
	struct img_file *file = img_file(img, name, build_id, build_id ? 20 : 0);

	CHECK(file);
	return file;
}

static void check_found(int line, const char *name, const uint8_t *build_id,
			bool by_name)
{
	struct img_file *file = look(name, build_id);
	unsigned int size;

	if (img_file_state(file) != IMG_OK)
		test_fail(__FILE__, line, "%s", img_file_error(file));
	if (!*img_file_by_name(file) == by_name ||
	    (build_id && !by_name && !img_file_build_id(file, &size)))
		test_fail(__FILE__, line, "said: %s", img_file_by_name(file));
	img_free(img);
}

#define CHECK_FOUND(...) check_found(__LINE__, __VA_ARGS__)

TEST(a_file_is_taken_by_its_build_id_whatever_its_name_is)
{
	begin("renamed");
	write_elf("renamed", id);
	CHECK_FOUND("/root/program", id, false);
}

/* Copies, of which one was deleted, or is in another mount namespace. */
TEST(a_build_that_ran_under_several_names_is_found_by_any_of_them)
{
	struct img_file *before, *after;
	uint64_t len;

	begin("nothing");
	img_free(img);
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		"main", ELFB_ADDR + ELFB_CODE, sizeof(code), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
	};
	write_elf("there", id);
	write_elf("replaced", other_id);
	img = img_new(test_tmpdir());
	CHECK(img);
	before = look("/gone", id);
	img_file_add_samples(before, 7);
	CHECK_EQ(img_file_state(before), IMG_MISSING);
	CHECK(img_file_state(look("/there", id)) == IMG_OK);
	after = look("/replaced", id);
	CHECK_EQ(img_file_state(before), IMG_OK);
	CHECK_EQ(img_file_state(after), IMG_OK);
	CHECK_EQ(img_file_samples(before), 7);
	CHECK(!strcmp(img_file_error(before), "") && !strcmp(img_file_error(after), ""));
	CHECK(!memcmp(img_code(before, ELFB_CODE, &len), code, sizeof(code)));
	CHECK_EQ(img_file_state(look("/gone", other_id)), IMG_MISSING);
	img_free(img);
}

/* As the kernel names a file that was replaced, for which a copy is named. */
TEST(a_file_that_was_deleted_is_found_by_its_name)
{
	begin("old/x.so");
	write_elf("old/x.so", NULL);
	CHECK_FOUND("/lib/x.so (deleted)", NULL, true);
	begin("old");
	CHECK_FOUND("/lib/x.so (deleted)", NULL, true);
	begin("root");
	write_elf("root/lib/x.so", NULL);
	CHECK_FOUND("/lib/x.so (deleted)", NULL, true);
}

TEST(a_folder_has_the_file_of_that_build_id_among_others)
{
	begin("flat");
	write_elf("flat/program", other_id);
	write_elf("flat/renamed", id);
	CHECK_FOUND("/root/program", id, false);
}

TEST(a_root_folder_has_files_by_their_whole_names)
{
	begin("root");
	write_elf("root/usr/bin/program", id);
	CHECK_FOUND("/usr/bin/program", id, false);
}

/* The recording was made outside of a chroot, or has the place of a container's files. */
TEST(a_root_folder_may_be_that_of_a_container)
{
	begin("root");
	write_elf("root/usr/bin/program", id);
	CHECK_FOUND("/srv/chroot/usr/bin/program", id, false);
	/* No build id tells that it is not another program. */
	begin("root");
	CHECK_EQ(img_file_state(look("/srv/chroot/usr/bin/program", NULL)), IMG_MISSING);
	CHECK_EQ(img_file_state(look("/srv/chroot/usr/bin/program", other_id)), IMG_MISSING);
	img_free(img);
}

TEST(a_cache_has_files_by_build_id_in_either_form)
{
	begin("cache");
	write_elf("cache/.build-id/c0/ffee0102030000000000000000000000000009/elf",
		  id);
	CHECK_FOUND("/root/program", id, false);
	begin("links");
	write_elf("links/.build-id/c0/ffee0102030000000000000000000000000009", id);
	CHECK_FOUND("/root/program", id, false);
}

/* perf and packages of debug information call it so. */
TEST(a_folder_of_build_ids_may_itself_be_named)
{
	static const char *const places[] = { "cache/.build-id", "cache/.build-id//" };
	unsigned int i;
	char cwd[512];

	for (i = 0; i < 2; i++) {
		begin(places[i]);
		write_elf("cache/.build-id/c0/ffee0102030000000000000000000000000009/elf", id);
		CHECK_FOUND("/root/program", id, false);
	}
	CHECK(getcwd(cwd, sizeof(cwd)) && !chdir(path_of("cache")));
	img = img_new("/nowhere");
	CHECK(img && img_add_place(img, ".build-id"));
	CHECK_FOUND("/root/program", id, false);
	CHECK(!chdir(cwd));
	/* That is another name. */
	begin("cache/x.build-id");
	write_elf("cache/x.build-id/program", other_id);
	CHECK_FOUND("/root/program", other_id, false);
}

/* Of several places the second has it by its build id, the first a namesake. */
TEST(a_build_id_in_any_place_is_worth_more_than_a_name)
{
	begin("first");
	CHECK(img_add_place(img, path_of("second")));
	write_elf("first/program", NULL);
	write_elf("first/root/program", NULL);
	write_elf("second/x", id);
	CHECK_FOUND("/root/program", id, false);
}

TEST(what_has_no_build_id_is_taken_by_its_name_and_said_to_be)
{
	begin("flat");
	write_elf("flat/program", NULL);
	CHECK_FOUND("/root/program", id, true);
	begin("flat");
	write_elf("flat/program", id);
	CHECK_FOUND("/root/program", NULL, true);
	begin("flat/program");
	write_elf("flat/program", NULL);
	CHECK_FOUND("/root/program", NULL, true);
}

TEST(the_note_names_both_files)
{
	begin("flat");
	write_elf("flat/program", NULL);
	CHECK(strstr(img_file_by_name(look("/root/program", id)),
		     "/flat/program: used for /root/program because of its name"));
	img_free(img);
}

TEST(a_namesake_of_another_build_is_named_and_not_taken)
{
	struct img_file *file;

	begin("flat");
	write_elf("flat/program", other_id);
	file = look("/root/program", id);
	CHECK_EQ(img_file_state(file), IMG_BUILD_ID);
	CHECK(strstr(img_file_error(file), "/flat/program: another build"));
	img_free(img);
}

static void write_text(const char *name)
{
	FILE *f = fopen(test_path(name), "w");

	CHECK(f && fputs("no code at all", f) >= 0 && !fclose(f));
}

static void check_refused(const uint8_t *build_id, enum img_state state, const char *why)
{
	struct img_file *file = look("/root/program", build_id);

	CHECK_EQ(img_file_state(file), state);
	CHECK_STR(img_file_error(file), why);
	img_free(img);
}

/* Where it was recorded, it would have the same. */
TEST(a_namesake_that_cannot_be_used_is_named_with_the_reason)
{
	char why[600];

	write_text("text/program");
	snprintf(why, sizeof(why), "%s: not an ELF file", path_of("text/program"));
	begin("text");
	check_refused(NULL, IMG_NOT_ELF, why);
	begin("text/program");
	check_refused(id, IMG_NOT_ELF, why);
	begin("flat");
	elf.machine = EM_X86_64;
	write_elf("flat/program", id);
	snprintf(why, sizeof(why),
		 "%s: not RISC-V code; name the file that ran, or a folder that has it, with --code",
		 path_of("flat/program"));
	check_refused(id, IMG_NOT_RISCV, why);
}

TEST(a_namesake_that_cannot_be_used_does_not_end_the_search)
{
	begin("text");
	write_text("text/program");
	CHECK(img_add_place(img, path_of("flat")));
	write_elf("flat/program", NULL);
	CHECK_FOUND("/root/program", NULL, true);
}

/* A copy that was interrupted has the build id of the file. */
TEST(a_copy_that_is_not_whole_is_told_and_gives_way_to_one_that_is)
{
	char why[600];
	FILE *f;

	begin("cut");
	write_elf("cut/program", id);
	f = fopen(path_of("cut/program"), "w");
	CHECK(f && fwrite(elf.file, elf.size - 100, 1, f) == 1 && !fclose(f));
	snprintf(why, sizeof(why),
		 "%s: an incomplete copy, at whose end 100 bytes are missing; name the whole file, or a folder that has it, with --code",
		 path_of("cut/program"));
	check_refused(id, IMG_CUT, why);
	begin("cut/program");
	check_refused(NULL, IMG_CUT, why);
	/* In the same place, or in another one. */
	begin("cut");
	write_elf("cut/other", id);
	CHECK_FOUND("/root/program", id, false);
	CHECK(!remove(path_of("cut/other")));
	begin("cut");
	write_elf("flat/program", id);
	CHECK(img_add_place(img, path_of("flat")));
	CHECK_FOUND("/root/program", id, false);
	/* Where it was recorded, too. */
	begin("flat");
	img_free(img);
	img = img_new(test_path("cut"));
	CHECK(img_add_place(img, path_of("flat")));
	CHECK_FOUND("/program", id, false);
}

TEST(what_is_nowhere_is_named_with_the_way_to_give_it)
{
	struct img_file *file;

	begin("flat");
	write_elf("flat/else", other_id);
	file = look("/root/program", id);
	CHECK_EQ(img_file_state(file), IMG_MISSING);
	CHECK_STR(img_file_error(file),
		  "/nowhere/root/program: No such file or directory; name the file (build id c0ffee0102030000000000000000000000000009), or a folder that has it, with --code");
	img_free(img);
}

/* As perf record -p tells of a program that was deleted. Nothing else tells the file. */
TEST(without_a_build_id_the_name_of_the_file_is_told)
{
	begin("flat");
	write_elf("flat/else", NULL);
	CHECK_STR(img_file_error(look("/tmp/p (deleted)", NULL)),
		  "/nowhere/tmp/p (deleted): No such file or directory; name a file with the name p, or a folder that has it, with --code; or record with `ssctr record`, which tells the build id of a file that has one (link it with -Wl,--build-id)");
	/* It never has one. */
	CHECK_STR(img_file_error(look("/tmp/jit-7.dump", NULL)),
		  "/nowhere/tmp/jit-7.dump: No such file or directory; name a file with the name jit-7.dump, or a folder that has it, with --code");
	img_free(img);
}

/* As ~/.debug of perf has them, with a folder for each build in them. */
TEST(a_folder_with_the_name_of_the_file_is_not_the_file)
{
	begin("debug");
	write_elf("debug/root/program/0000/elf", other_id);
	check_refused(NULL, IMG_MISSING,
		      "/nowhere/root/program: No such file or directory; name a file with the name program, or a folder that has it, with --code; or record with `ssctr record`, which tells the build id of a file that has one (link it with -Wl,--build-id)");
	begin("debug");
	write_elf("flat/program", NULL);
	CHECK(img_add_place(img, path_of("flat")));
	CHECK_FOUND("/root/program", NULL, true);
}

TEST(a_program_that_runs_from_memory_is_a_file_if_it_has_a_build_id)
{
	struct img_file *file;

	begin("flat");
	write_elf("flat/program", id);
	CHECK_FOUND("/memfd:hidden (deleted)", id, false);
	begin("else");
	file = look("/memfd:hidden (deleted)", id);
	CHECK_EQ(img_file_state(file), IMG_MISSING);
	CHECK(strstr(img_file_error(file), "name the file (build id c0ffee0102030000000000000000000000000009), or a folder"));
	CHECK_EQ(img_file_state(look("/memfd:hidden (deleted)", NULL)), IMG_ANON);
	CHECK(!img_is_anonymous("/memfd:hidden (deleted)", 20));
	CHECK(img_is_anonymous("/memfd:doublemapper", 0));
	img_free(img);
}

static void add_symbol(void)
{
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		"hidden", ELFB_ADDR + ELFB_CODE, 4,
		ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
	};
}

TEST(debug_information_is_not_taken_for_code)
{
	begin("flat");
	add_symbol();
	elf.debug_file = true;
	write_elf("flat/program", id);
	CHECK(img_file_state(look("/root/program", id)) != IMG_OK);
	img_free(img);
}

TEST(a_place_may_be_where_the_symbols_are)
{
	static const char *const places[] = {
		"flat/any", "usr/lib/debug/.build-id/c0/ffee0102030000000000000000000000000009.debug",
		".build-id/c0/ffee0102030000000000000000000000000009.debug",
		".build-id/c0/ffee0102030000000000000000000000000009.debug",
	};
	static const char *const folders[] = { "flat", "", "", ".build-id" };
	const char *name;
	uint64_t from;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		begin("bin");
		CHECK(img_add_place(img, path_of(folders[i])));
		write_elf("bin/program", id);
		add_symbol();
		elf.debug_file = true;
		write_elf(places[i], id);
		CHECK(img_symbol(look("/root/program", id), ELFB_CODE, &name,
				 &from));
		CHECK_STR(name, "hidden");
		img_free(img);
		CHECK(!remove(path_of(places[i])));
	}
}

TEST(a_place_that_is_not_there_does_no_harm)
{
	begin("gone");
	CHECK_EQ(img_file_state(look("/root/program", id)), IMG_MISSING);
	img_free(img);
}
