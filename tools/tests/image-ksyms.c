// SPDX-License-Identifier: GPL-2.0-only
/* The names of the kernel's functions: of which list or file, and which. */
#include "elf-build.h"
#include "image/image.h"
#include "test.h"


#define TEXT 0xffffffff80000000
#define MODULE 0xffffffff02000000

static const char list[] =
	"ffffffff80000000 T _text\n"
	"ffffffff80000000 t $x\n"
	"ffffffff80000100 t local\n"
	"ffffffff80000100 W weak\n"
	"ffffffff80000200 t .Llabel\n"
	"ffffffff80000240 D data\n"
	"ffffffff80000300 T last\n"
	"ffffffff02000000 t of_module\t[a_module]\n"
	"ffffffff02000010 T more\t[a_module]\n";
static const uint8_t id[20] = { 0xab, 1 }, other_id[20] = { 0xcd, 2 };

static struct img *img;
static struct img_kernel kernel;

static void begin(const char *symfs)
{
	img_free(img);
	img = img_new(symfs);
	CHECK(img);
	kernel = (struct img_kernel){ "_text", TEXT, id, sizeof(id) };
}

/* A file below the test's folder; its path is valid up to the next call. */
static const char *write_file(const char *name, const char *text, size_t size)
{
	const char *path = test_path(name);
	FILE *file = fopen(path, "w");

	CHECK(file && fwrite(text, 1, size, file) == size);
	CHECK(!fclose(file));
	return path;
}

static void use_list(const char *text)
{
	begin(NULL);
	CHECK(img_set_kallsyms(img, write_file("list", text, strlen(text))));
}

/* want: NULL: it has no name. */
static void check(int line, const char *module, uint64_t addr, const char *want,
		  uint64_t want_offset)
{
	const struct img_module own = { module, id, sizeof(id), MODULE };
	const char *name = "none";
	uint64_t offset = 0;
	bool known = img_kernel_symbol(img, &kernel, module ? &own : NULL, addr, &name, &offset);

	if (known != !!want ||
	    (want && (strcmp(name, want) || offset != want_offset)))
		test_fail(__FILE__, line, "0x%lx is %s+0x%lx", (long)addr, name,
			  (long)offset);
}

#define CHECK_NAME(...) check(__LINE__, __VA_ARGS__)

TEST(a_list_names_code_and_no_data_and_no_labels)
{
	use_list(list);
	CHECK_NAME(NULL, TEXT, "_text", 0);
	CHECK_NAME(NULL, TEXT + 0xfe, "_text", 0xfe);
	CHECK_NAME(NULL, TEXT + 0x100, "weak", 0);
	CHECK_NAME(NULL, TEXT + 0x2fe, "weak", 0x1fe);
	CHECK_NAME(NULL, TEXT + 0x304, "last", 4);
	CHECK_NAME(NULL, MODULE - 2, NULL, 0);
	CHECK_STR(img_kernel_names_error(img), "");
}

/* As include/asm-generic/vmlinux.lds.h makes them, and RISC-V's entry.S. */
TEST(a_label_of_the_linker_script_names_no_place_where_a_function_begins)
{
	use_list("ffffffff80000000 T _text\n"
		 "ffffffff80000000 T _stext\n"
		 "ffffffff80000000 T _trace_first\n"
		 "ffffffff80000100 T __lock_text_start\n"
		 "ffffffff80000100 T __sched_text_end\n"
		 "ffffffff80000100 T _raw_spin_lock\n"
		 "ffffffff80000200 T __cpuidle_text_start\n"
		 "ffffffff80000200 t cpu_idle_poll\n"
		 "ffffffff80000300 T ret_from_exception_end\n"
		 "ffffffff80000300 T ret_from_fork\n"
		 "ffffffff80000400 T __init_begin\n"
		 "ffffffff80000400 T _sinittext\n"
		 "ffffffff80000400 t set_reset_devices\n"
		 "ffffffff80000500 T queue_end\n"
		 "ffffffff80000600 T _etext\n");
	CHECK_NAME(NULL, TEXT + 4, "_trace_first", 4);
	CHECK_NAME(NULL, TEXT + 0x104, "_raw_spin_lock", 4);
	CHECK_NAME(NULL, TEXT + 0x204, "cpu_idle_poll", 4);
	CHECK_NAME(NULL, TEXT + 0x304, "ret_from_fork", 4);
	CHECK_NAME(NULL, TEXT + 0x404, "set_reset_devices", 4);
	/* A function may have such a name, too. */
	CHECK_NAME(NULL, TEXT + 0x504, "queue_end", 4);
	CHECK_NAME(NULL, TEXT + 0x604, "_etext", 4);
}

TEST(a_module_s_function_is_one_where_the_recording_has_that_module)
{
	use_list(list);
	CHECK_NAME("[a_module]", MODULE + 2, "of_module", 2);
	CHECK_NAME("/lib/modules/6/a-module.ko.xz", MODULE + 0x10, "more", 0);
	CHECK_NAME("[another]", MODULE + 2, NULL, 0);
	CHECK_NAME(NULL, MODULE + 2, NULL, 0);
	CHECK_NAME("[a_module]", TEXT + 4, NULL, 0);
}

/* As with KASLR, or by System.map. Where its modules were then is not known. */
TEST(a_list_of_another_boot_is_moved_to_where_the_kernel_was)
{
	use_list(list);
	kernel.addr += 0x4000000;
	CHECK_NAME(NULL, TEXT + 0x4000104, "weak", 4);
	CHECK_NAME(NULL, TEXT + 0x104, NULL, 0);
	CHECK_NAME("[a_module]", MODULE + 2, NULL, 0);
	CHECK_NAME("[a_module]", MODULE + 0x4000002, NULL, 0);
	CHECK_STR(img_kernel_names_error(img),
		  "the functions of the module [a_module] (build id ab01000000000000000000000000000000000000) have no names; name the file of a module, which must not be compressed, or a folder that has it, with --code");
	CHECK_NAME("[another]", MODULE + 2, NULL, 0);
	CHECK(strstr(img_kernel_names_error(img),
		     "0000), and those of 1 more modules, have no names; "));
	img_kernel_symbol(img, &kernel, &(struct img_module){ .name = "[kernel 11223344]" }, MODULE,
			  &(const char *){ NULL }, &(uint64_t){ 0 });
	CHECK(strstr(img_kernel_names_error(img), " of 1 more modules, "));
}

TEST(a_module_without_a_build_id_has_no_file_to_name)
{
	use_list(list);
	CHECK_NAME(NULL, TEXT, "_text", 0);
	img_kernel_symbol(img, &kernel, &(struct img_module){ .name = "[x]" }, MODULE,
			  &(const char *){ NULL }, &(uint64_t){ 0 });
	CHECK_STR(img_kernel_names_error(img),
		  "the functions of the module [x] have no names: the recording does not have the build id by which the file of a module is known");
}

TEST(a_list_without_addresses_is_told)
{
	use_list("0000000000000000 T _text\n0000000000000000 t other\n");
	CHECK_NAME(NULL, TEXT, NULL, 0);
	CHECK(strstr(img_kernel_names_error(img), "/list: has no addresses; read /proc/kallsyms as root"));
}

TEST(each_reason_for_missing_names_is_told_as_it_is)
{
	use_list("ffffffff80000000 T _start\nffffffff80000100 t other\n");
	CHECK_NAME(NULL, TEXT, NULL, 0);
	CHECK(strstr(img_kernel_names_error(img), "/list: does not have the symbol by which the recording tells where the kernel was"));
	use_list(list);
	kernel.symbol = NULL;
	CHECK_NAME(NULL, TEXT, NULL, 0);
	CHECK_STR(img_kernel_names_error(img),
		  "the kernel's functions have no names: the recording does not tell where the kernel was; record as root, with the sysctl kernel.kptr_restrict at 0 or 1, and an event that counts the kernel, too");
	begin("/nowhere");
	CHECK(img_set_vmlinux(img, "/not/there"));
	kernel.build_id_size = 0;
	CHECK_NAME(NULL, TEXT, NULL, 0);
	CHECK_STR(img_kernel_names_error(img),
		  "the kernel's functions have no names: the recording does not have the kernel's build id, by which its file is known; name a copy of its /proc/kallsyms with --kallsyms");
}

TEST(what_is_no_list_is_told)
{
	static const char *const texts[] = { "what?\n", "ffffffff80000000\n",
					     "ffffffff80000000 T\n", "\n",
					     "1ffffffff80000000 T _text\n" };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		use_list(texts[i]);
		CHECK_NAME(NULL, TEXT, NULL, 0);
		CHECK(strstr(img_kernel_names_error(img), "/list: does not have the form of /proc/kallsyms"));
	}
	begin(NULL);
	CHECK(img_set_kallsyms(img, "/not/there"));
	CHECK_NAME(NULL, TEXT, NULL, 0);
	CHECK_STR(img_kernel_names_error(img), "/not/there: No such file or directory");
}

TEST(a_list_that_ends_anywhere_is_read)
{
	char text[sizeof(list)] = "";
	size_t n;

	for (n = 0; n < sizeof(list); n++) {
		memcpy(text, list, n);
		use_list(text);
		img_kernel_symbol(img, &kernel, &(struct img_module){ .name = "[a_module]" }, MODULE + 2,
				  &(const char *){ NULL }, &(uint64_t){ 0 });
	}
}

TEST(perf_s_cache_has_lists_by_build_id)
{
	char place[128];

	snprintf(place, sizeof(place), "%s/debug", test_tmpdir());
	write_file("debug/.build-id/ab/01000000000000000000000000000000000000/kallsyms",
		   list, strlen(list));
	begin("/nowhere");
	CHECK(img_add_place(img, place));
	CHECK_NAME(NULL, TEXT + 0x100, "weak", 0);
	begin("/nowhere");
	CHECK(img_add_place(img, place));
	kernel.build_id = other_id;
	CHECK_NAME(NULL, TEXT + 0x100, NULL, 0);
	CHECK(strstr(img_kernel_names_error(img), "the kernel's functions have no names: "));
}

/* A list does not tell its build: it is of the kernel that was asked for first. */
TEST(one_list_names_two_boots_of_a_build_and_no_other_build)
{
	use_list(list);
	CHECK_NAME(NULL, TEXT + 0x104, "weak", 4);
	kernel.addr = TEXT + 0x4000000;
	CHECK_NAME(NULL, TEXT + 0x4000104, "weak", 4);
	kernel.addr = TEXT;
	CHECK_NAME("[a_module]", MODULE + 2, "of_module", 2);
	CHECK_STR(img_kernel_names_error(img), "");
	kernel.build_id = other_id;
	CHECK_NAME(NULL, TEXT + 0x104, NULL, 0);
	CHECK(strstr(img_kernel_names_error(img),
		     "the functions of 1 of 2 kernels have no names; the first one has the build id cd02000000000000000000000000000000000000: read the recording as root"));
	kernel.build_id = id;
	CHECK_NAME(NULL, TEXT + 0x104, "weak", 4);
}

/* Of a kernel that ran 0x2000000 above the addresses of its file. */
static const char *write_build(const char *name, const uint8_t *build_id, const char *function)
{
	static const uint16_t code[16] = { 0x8082 };
	static char path[256];
	static struct elfb elf;

	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = build_id, .build_id_size = sizeof(id),
			     .nr_symbols = 2 };
	elf.symbols[0] = (struct elfb_symbol){ "_text", ELFB_ADDR + ELFB_CODE,
					       0, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE) };
	elf.symbols[1] = (struct elfb_symbol){ function,
					       ELFB_ADDR + ELFB_CODE + 8, 8,
					       ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	snprintf(path, sizeof(path), "%s", write_file(name, "", 0));
	CHECK(elfb_write(&elf, path));
	return path;
}

static const char *write_vmlinux(const char *name)
{
	return write_build(name, id, "function");
}

static void check_vmlinux(int line)
{
	check(line, NULL, TEXT + 10, "function", 2);
	check(line, "[a_module]", TEXT + 10, NULL, 0);
}

TEST(vmlinux_has_names_where_it_is_given_or_in_a_place_or_a_package)
{
	char dir[128];

	begin("/nowhere");
	CHECK(img_set_vmlinux(img, write_vmlinux("vmlinux")));
	check_vmlinux(__LINE__);
	snprintf(dir, sizeof(dir), "%s/place", test_tmpdir());
	write_vmlinux("place/any-name");
	begin("/nowhere");
	CHECK(img_add_place(img, dir));
	check_vmlinux(__LINE__);
	snprintf(dir, sizeof(dir), "%s/root", test_tmpdir());
	write_vmlinux("root/usr/lib/debug/boot/vmlinux-6.12");
	begin(dir);
	img_set_release(img, "6.12");
	check_vmlinux(__LINE__);
}

/* As two distributions have it; and in a root folder without any. */
TEST(packages_may_have_vmlinux_in_three_places)
{
	static const char *const places[] = {
		"boot/usr/lib/debug/boot/vmlinux-6.12",
		"debug/usr/lib/debug/lib/modules/6.12/vmlinux",
		"modules/usr/lib/modules/6.12/vmlinux",
	};
	char dir[128];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		write_vmlinux(places[i]);
		snprintf(dir, sizeof(dir), "%s/%.*s", test_tmpdir(),
			 (int)strcspn(places[i], "/"), places[i]);
		begin(dir);
		img_set_release(img, "6.12");
		check_vmlinux(__LINE__);
		begin(dir);
		img_set_release(img, "6.13");
		CHECK_NAME(NULL, TEXT + 10, NULL, 0);
		/* A place may be such a root folder, too. */
		begin("/nowhere");
		CHECK(img_add_place(img, dir));
		img_set_release(img, "6.12");
		check_vmlinux(__LINE__);
	}
}

/* As files of a fleet ask for them, which are of several kernels. */
TEST(each_kernel_has_the_names_of_its_own_vmlinux)
{
	struct img_file *file;
	uint64_t linked;
	char dir[128];

	snprintf(dir, sizeof(dir), "%s/builds", test_tmpdir());
	write_build("builds/one", id, "function");
	write_build("builds/other", other_id, "another");
	begin("/nowhere");
	CHECK(img_add_place(img, dir));
	CHECK_NAME(NULL, TEXT + 10, "function", 2);
	kernel.build_id = other_id;
	CHECK_NAME(NULL, TEXT + 10, "another", 2);
	file = img_kernel_file(img, &kernel, NULL, TEXT + 10, &linked);
	CHECK(file && strstr(img_file_path(file), "/builds/other"));
	kernel.addr = TEXT + 0x1000;
	CHECK_NAME(NULL, TEXT + 0x1000 + 10, "another", 2);
	CHECK_EQ(img_kernel_file(img, &kernel, NULL, TEXT + 0x1000 + 10, &linked), file);
	CHECK_EQ(linked, ELFB_ADDR + ELFB_CODE + 10);
	kernel.build_id = id;
	kernel.addr = TEXT;
	CHECK_NAME(NULL, TEXT + 10, "function", 2);
	CHECK(!img_kernel_is_nameless(img, &kernel));
	CHECK_STR(img_kernel_names_error(img), "");
}

TEST(vmlinux_of_another_build_has_no_names)
{
	begin("/nowhere");
	CHECK(img_set_vmlinux(img, write_vmlinux("vmlinux")));
	kernel.build_id = other_id;
	CHECK_NAME(NULL, TEXT + 10, NULL, 0);
	CHECK(strstr(img_kernel_names_error(img),
		     "/vmlinux is of another build, or has no symbols; name the vmlinux with the build id cd02000000000000000000000000000000000000, or a copy"));
	begin("/nowhere");
	CHECK(img_set_vmlinux(img, write_vmlinux("vmlinux")));
	kernel.build_id_size = 0;
	CHECK_NAME(NULL, TEXT + 10, NULL, 0);
	img_free(img);
	img = NULL;
}
