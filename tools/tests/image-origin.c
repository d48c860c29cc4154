// SPDX-License-Identifier: GPL-2.0-only
/* Code that is not where the recording names it: perf's cache, the vdso, kcore. */
#include "base/buildid.h"
#include "elf-build.h"
#include "image/image.h"
#include "test.h"


static const uint16_t code[] = {
	0x0505,			/* c.addi a0, 1 */
	0x8082,			/* ret */
};
static const uint8_t id[20] = { 0xc0, 0xff, 0xee, 1, 2, 3, [19] = 9 };
static const uint8_t other_id[20] = { 0xba, 0xad };
static struct elfb elf;

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	return path;
}

/* Write the file with that build id, and the folders that it is in. */
static void write_elf(const char *name, const uint8_t *build_id)
{
	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = build_id,
			     .build_id_size = build_id ? 20 : 0 };
	CHECK(elfb_write(&elf, test_path(name)));
}

static struct img *img;

static void begin(void)
{
	static char cache[512];

	snprintf(cache, sizeof(cache), "%s", path_of("cache"));
	img = img_new(test_tmpdir());
	CHECK(img);
	img_set_release(img, "6.12-test");
	CHECK(img_add_place(img, cache));
}

static enum img_state state_of(const char *name)
{
	struct img_file *file = img_file(img, name, id, 20);
	uint64_t len;

	CHECK(file);
	CHECK_EQ(!img_code(file, ELFB_CODE, &len),
		 img_file_state(file) != IMG_OK);
	return img_file_state(file);
}

#define CACHED "cache/.build-id/c0/ffee0102030000000000000000000000000009/"

TEST(a_missing_file_is_taken_from_perfs_cache)
{
	begin();
	CHECK_EQ(state_of("/gone"), IMG_MISSING);
	img_free(img);
	write_elf(CACHED "elf", id);
	begin();
	CHECK_EQ(state_of("/gone"), IMG_OK);
	img_free(img);
}

TEST(a_file_of_another_build_gives_way_to_the_one_recorded)
{
	struct img_file *file;

	write_elf("x", other_id);
	begin();
	CHECK_EQ(state_of("/x"), IMG_BUILD_ID);
	file = img_file(img, "/x", id, 20);
	CHECK(strstr(img_file_error(file), "/x: another build"));
	/* There is one to name, but it is not the right one. */
	CHECK(!strstr(img_file_error(file), "name the file (build id"));
	img_free(img);
	write_elf(CACHED "elf", id);
	begin();
	CHECK_EQ(state_of("/x"), IMG_OK);
	img_free(img);
}

TEST(a_wrong_file_in_the_cache_is_not_taken)
{
	struct img_file *file;

	write_elf(CACHED "elf", other_id);
	begin();
	CHECK_EQ(state_of("/gone"), IMG_MISSING);
	/* What is said is about the file that the recording names. */
	file = img_file(img, "/gone", id, 20);
	CHECK(strstr(img_file_error(file), "/gone: No such file"));
	CHECK(strstr(img_file_error(file), "), or a folder that has it, with --code"));
	img_free(img);
}

TEST(the_vdso_is_in_perfs_cache)
{
	begin();
	CHECK_EQ(state_of("[vdso]"), IMG_VDSO);
	img_free(img);
	write_elf(CACHED "vdso", id);
	begin();
	CHECK_EQ(state_of("[vdso]"), IMG_OK);
	img_free(img);
}

TEST(the_vdso_is_among_the_kernels_modules)
{
	write_elf("usr/lib/modules/6.12-test/vdso/vdso64.so", id);
	begin();
	CHECK_EQ(state_of("[vdso]"), IMG_OK);
	img_free(img);
	write_elf("usr/lib/modules/6.12-test/vdso/vdso.so", other_id);
	begin();
	CHECK_EQ(state_of("[vdso]"), IMG_BUILD_ID);
	img_free(img);
}

/* As Debian has it. */
TEST(the_vdso_is_in_the_debug_information_of_the_kernel)
{
	write_elf("usr/lib/debug/lib/modules/6.12-test/vdso/vdso.so", id);
	begin();
	CHECK_EQ(state_of("[vdso]"), IMG_OK);
	img_free(img);
}

/* perf does not record its build id. */
TEST(the_vdso_is_a_file_of_its_usual_name_in_a_place)
{
	write_elf("copies/vdso.so", id);
	write_elf("others/other.so", id);
	begin();
	CHECK(img_add_place(img, test_path("others")));
	CHECK_EQ(img_file_state(img_file(img, "[vdso]", NULL, 0)), IMG_VDSO);
	img_free(img);
	begin();
	CHECK(img_add_place(img, test_path("copies/vdso.so")));
	CHECK_EQ(img_file_state(img_file(img, "[vdso]", NULL, 0)), IMG_OK);
	img_free(img);
}

/* It is of the machine on which the tests run, and has the build id alone. */
TEST(this_process_s_own_vdso_is_used_only_if_it_is_risc_v_code)
{
	struct img_file *file;
	uint8_t own[20];

	if (buildid_of_vdso(own, sizeof(own)) != sizeof(own))
		test_skip("this kernel maps no vdso");
	begin();
	file = img_file(img, "[vdso]", own, sizeof(own));
#ifdef __riscv
	CHECK_EQ(img_file_state(file), IMG_OK);
#else
	CHECK_EQ(img_file_state(file), IMG_VDSO);
#endif
	CHECK_STR(img_file_error(file), "");
	img_free(img);
}

TEST(the_kernel_is_found_by_address_in_kcore)
{
	const uint64_t at = ELFB_ADDR + ELFB_CODE;
	uint64_t start, size;
	const uint8_t *p;

	begin();
	CHECK_EQ(img_kernel_code(img, NULL, at, &start, &size, &p), IMG_KERNEL);
	write_elf("kcore", NULL);
	CHECK(img_set_kcore(img, path_of("kcore")));
	CHECK_EQ(img_kernel_code(img, NULL, at, &start, &size, &p), IMG_OK);
	CHECK(start <= at && at - start + sizeof(code) <= size);
	CHECK(!memcmp(p + (at - start), code, sizeof(code)));
	CHECK_EQ(img_kernel_code(img, NULL, at + 0x100000, &start, &size, &p),
		 IMG_UNMAPPED);
	CHECK_EQ(img_kernel_code(img, NULL, 0, &start, &size, &p), IMG_UNMAPPED);
	img_free(img);
}

TEST(what_kcore_has_is_code_whatever_its_flags_are)
{
	uint64_t start, size;
	const uint8_t *p;

	begin();
	write_elf("kcore", NULL);
	elf.flags = PF_R | PF_W;
	CHECK(elfb_write(&elf, path_of("kcore")));
	CHECK(img_set_kcore(img, path_of("kcore")));
	CHECK_EQ(img_kernel_code(img, NULL, ELFB_ADDR + ELFB_CODE, &start, &size,
				 &p), IMG_OK);
	img_free(img);
}

TEST(a_kcore_that_cannot_be_read_says_why)
{
	uint64_t start, size;
	const uint8_t *p;

	begin();
	CHECK(img_set_kcore(img, path_of("kcore")));
	CHECK_EQ(img_kernel_code(img, NULL, 1, &start, &size, &p), IMG_MISSING);
	CHECK(strstr(img_file_error(img_file_at(img, 0)), "kcore: No such"));
	img_free(img);
}

TEST(a_folder_for_kcore_is_refused_with_the_file_to_name)
{
	begin();
	CHECK(img_set_kcore(img, "/"));
	CHECK_STR(img_file_error(img_file_at(img, 0)),
		  "/: a folder, and not a file; name a copy of /proc/kcore with --kcore, such as kcore_dir/kcore in a recording of `perf record --kcore`");
	img_free(img);
}
