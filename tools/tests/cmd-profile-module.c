// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile: modules of the kernel, which are not linked. */
#include "cmd-sample.h"
#include "module-build.h"

/* main and load are in .text, away in .text.unlikely, which is aligned to 32. */
enum { TEXT_SIZE = 0x18, AWAY = 0x20, END = 0x24, MODULE_AT = 0x2156000 };

#define AT(_offset) (ELFB_ADDR + ELFB_CODE + (_offset))
#define IN_MODULE(_offset) (KERNEL_AT + MODULE_AT + (_offset))

static const uint8_t id[24] = { 0xab, 0xcd, 3, [20] = 20 };
static struct modb module;
static unsigned int text, unlikely;

/* From load, which main calls, over away back to main. */
static const uint64_t trip[][3] = {
	{ 0x0e, 0x00, PERF_BR_RET << 20 },
	{ AWAY, 0x0a, PERF_BR_IND << 20 },
	{ 0x16, AWAY, PERF_BR_RET << 20 },
	{ 0x06, 0x12, PERF_BR_CALL << 20 },
	{ 0x0e, 0x00, PERF_BR_RET << 20 },
};

enum { NR_TRIP = sizeof(trip) / sizeof(*trip) };

/* The same of a program that is linked, and of a module. */
static void begin_debug(struct dwb *debug)
{
	uint32_t inner;

	*debug = (struct dwb){ 0 };
	dwb_begin(debug, "/src/x.c", AT(0), END);
	inner = dwb_abstract(debug, "inner", 20);
	dwb_function(debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_inlined(debug, inner, AT(0x0a), 4, 13, 2);
	dwb_leave(debug);
	dwb_leave(debug);
	dwb_function(debug, "load", "load", 30, AT(0x12), 6);
	dwb_leave(debug);
	dwb_function(debug, "away", "away", 40, AT(AWAY), 4);
	dwb_leave(debug);
	dwb_row(debug, AT(0x00), 11, 0);
	dwb_row(debug, AT(0x02), 12, 4);
	dwb_row(debug, AT(0x06), 12, 6);
	dwb_row(debug, AT(0x0a), 21, 0);
	dwb_row(debug, AT(0x0e), 14, 0);
	dwb_row(debug, AT(0x12), 31, 0);
	dwb_row(debug, AT(AWAY), 41, 2);
	dwb_finish(debug, AT(END));
}

/* The places of both: .text's symbol is the first one, .text.unlikely's next. */
static unsigned int place(uint64_t addr, uint64_t *behind)
{
	*behind = addr - AT(addr < AT(AWAY) ? 0 : AWAY);
	return addr < AT(AWAY) ? 1 : 2;
}

static void add_code(void)
{
	static const uint8_t init[0x40];

	/* What does not stay is between. */
	modb_code(&module, ".init.text", 2, init, sizeof(init));
	text = modb_code(&module, ".text", 2, code, TEXT_SIZE);
	modb_code(&module, ".init.text.more", 2, init, sizeof(init));
	unlikely = modb_code(&module, ".text.unlikely", 32,
			     (const uint8_t *)code + TEXT_SIZE, 4);
	modb_code(&module, ".plt", 64, init, 1);
}

static void add_debug_of(const char *away)
{
	struct dwb debug;

	modb_symbol(&module, "", text, 0, 0);
	modb_symbol(&module, "", unlikely, 0, 0);
	modb_symbol(&module, "main", text, 0, 0x12);
	modb_symbol(&module, "load", text, 0x12, 6);
	modb_symbol(&module, away, unlikely, 0, 4);
	begin_debug(&debug);
	modb_debug(&module, &debug, place);
	dwb_free(&debug);
}

static void add_debug(void)
{
	add_debug_of("away");
}

static void write_module(const char *name)
{
	char path[512];

	modb_finish(&module);
	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	CHECK(modb_write(&module, path));
	modb_free(&module);
}

static void begin_module(void)
{
	modb_begin(&module);
	modb_build_id(&module, id);
	modb_mark(&module);
	add_code();
}

/* The trip from where the code is, and the recording as it is named. */
static void write_recording(const char *name)
{
	const uint64_t at = strcmp(name, "/x") ? IN_MODULE(0) : MAP_AT;
	uint64_t moved[NR_TRIP][3];
	char path[512];
	unsigned int i;

	for (i = 0; i < NR_TRIP; i++) {
		moved[i][0] = at + trip[i][0];
		moved[i][1] = at + trip[i][1];
		moved[i][2] = trip[i][2];
	}
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	if (at == MAP_AT)
		pdb_mmap2(&rec, 5, at, 0x1000, ELFB_CODE, name, 1);
	else
		pdb_mmap(&rec, PDB_MISC_KERNEL, -1, at, 0x50000, 0, name, 0);
	add_sample(5, 1, at + 2, NR_TRIP, (const uint64_t (*)[3])moved);
	pdb_build_id(&rec, PDB_MISC_KERNEL, id, "[x_y]");
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, path));
	pdb_free(&rec);
}

/* A module that is whole, and a recording of it under that name. */
static void make_module(const char *file, const char *recorded)
{
	begin_module();
	add_debug();
	write_module(file);
	write_recording(recorded);
}

static int profile(const char *file, const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr profile --raw -i %s/perf.data -b %s/%s -o %s/out %s && cat %s/out",
		   dir, dir, file, dir, options, dir);
}

/* Totals are by bytes; the oldest transfer of the stack has no line before it. */
static const char profile_text[] =
	"main:16:2\n"
	" 1: 1\n"
	" 2.2: 1\n"
	" 2.3: 1 load:1\n"
	" 4: 2 main:2\n"
	" 3.1: inner:4\n"
	"  1: 1\n"
	"load:6:1\n"
	" 1: 1 away:1\n"
	"away:4:1\n"
	" 1.1: 1\n";

TEST(a_module_has_the_lines_of_its_relocated_debug_information)
{
	make_module("x-y.ko", "[x_y]");
	CHECK_EQ(profile("x-y.ko", ""), 0);
	CHECK_STR(run_out, profile_text);
	CHECK(!strstr(run_err, "left out"));
	CHECK(!strstr(run_err, "by its name"));
}

/* As of a kernel with CONFIG_DEBUG_INFO_COMPRESSED_ZSTD. */
TEST(the_debug_information_of_a_module_may_be_compressed)
{
	static const unsigned int forms[] = { ELFCOMPRESS_ZLIB, ELFB_ZSTD };
	size_t i;

	for (i = 0; i < 2; i++) {
		begin_module();
		module.form = forms[i];
		add_debug();
		write_module("x-y.ko");
		write_recording("[x_y]");
		CHECK_EQ(profile("x-y.ko", ""), 0);
		CHECK_STR(run_out, profile_text);
	}
	begin_module();
	module.form = 99;
	add_debug();
	write_module("x-y.ko");
	CHECK_EQ(profile("x-y.ko", ""), 1);
	CHECK(strstr(run_err, "compressed in a form that ssctr does not know (ch_type 99)"));
}

TEST(among_all_binaries_a_module_has_the_formats_by_line)
{
	const char *dir = test_tmpdir();

	make_module("x-y.ko", "/x-y.ko");
	CHECK_EQ(run("cd %s && ssctr profile --all --raw --symfs . -f bolt,llvm -o all", dir), 0);
	CHECK_EQ(run("cd %s && ls all && cat all/*.llvm && "
		     "grep -c '^/x-y.ko: -f bolt: .*needs addresses' all/summary", dir), 0);
	CHECK(strstr(run_out, "summary\nx-y.ko"));
	CHECK(strstr(run_out, profile_text));
	CHECK(!strstr(run_out, ".bolt"));
}

/* What its symbol says: to come there is not to enter the function. */
TEST(a_part_of_a_function_in_another_section_is_known_by_its_symbol)
{
	begin_module();
	add_debug_of("away.cold");
	write_module("x-y.ko");
	write_recording("[x_y]");
	CHECK_EQ(profile("x-y.ko", ""), 0);
	CHECK(strstr(run_out, "load:6:1\n 1: 1\naway:4:0\n 1.1: 1\n"));
}

/* What was built, recorded as [x_y], makes no profile, and this line says why. */
static void check_reason(const char *why)
{
	write_module("x-y.ko");
	write_recording("[x_y]");
	CHECK_EQ(profile("x-y.ko", ""), 1);
	CHECK(strstr(run_err, why));
}

TEST(a_module_whose_plt_is_before_its_code_is_refused)
{
	modb_begin(&module);
	modb_mark(&module);
	modb_code(&module, ".plt", 64, "", 1);
	add_code();
	check_reason("x-y.ko: has its .plt before its code");
}

/*
 * The linker puts the same code to the same places: all formats agree. But samples of the
 * kernel are weighed in another way than those of a program.
 */
TEST(a_module_has_the_profile_of_its_linked_form)
{
	static uint8_t linked[END];
	const char *dir = test_tmpdir();
	struct dwb debug;
	char path[512];

	memcpy(linked, code, TEXT_SIZE);
	memcpy(linked + AWAY, (const uint8_t *)code + TEXT_SIZE, 4);
	begin();
	pdb_free(&rec);
	elf.code = linked;
	elf.code_size = sizeof(linked);
	add_function("away", AWAY, 4);
	begin_debug(&debug);
	dwb_sections(&debug, &elf);
	snprintf(path, sizeof(path), "%s/x", dir);
	CHECK(elfb_write(&elf, path));
	dwb_free(&debug);
	write_recording("/x");
	CHECK_EQ(run("cd %s && ssctr profile --raw -b x -f llvm,llvm-ext,gcov -o linked",
		     dir), 0);

	make_module("x_y.ko", "[x_y]");
	CHECK_EQ(run("cd %s && ssctr profile --raw -b x_y.ko -f llvm,llvm-ext,gcov -o module",
		     dir), 0);
	CHECK_EQ(run("cd %s && for f in llvm llvm-ext gcov; do cmp linked.$f module.$f || exit; done",
		     dir), 0);
}

TEST(a_module_is_found_by_the_path_of_its_file_too)
{
	make_module("x-y.ko", "/lib/modules/6.12.0/kernel/x/x-y.ko.xz");
	CHECK_EQ(profile("x-y.ko", ""), 0);
	CHECK_STR(run_out, profile_text);
	CHECK(strstr(run_err, "used because of its name"));
}

TEST(another_build_of_a_module_is_refused)
{
	static const uint8_t other[20] = { 0xee };

	modb_begin(&module);
	modb_build_id(&module, other);
	modb_mark(&module);
	add_code();
	add_debug();
	check_reason(
		"not the build of [x_y] that was recorded: the build ids are ee");
}

TEST(a_module_that_did_not_run_is_told)
{
	make_module("x.ko", "[xy]");
	CHECK_EQ(profile("x.ko", ""), 1);
	CHECK(strstr(run_err, "x.ko: no transfer in it was recorded; most are in [xy]"));
}

TEST(what_is_by_address_is_not_made_of_a_module)
{
	static const char *const formats[] = { "bolt", "profgen" };
	size_t i;

	begin_module();
	write_module("x-y.ko");
	write_recording("[x_y]");
	for (i = 0; i < 2; i++) {
		CHECK_EQ(run("ssctr profile -i %s/perf.data -b %s/x-y.ko -o - -f %s",
			     test_tmpdir(), test_tmpdir(), formats[i]), 1);
		CHECK(strstr(run_err, formats[i]));
		CHECK(strstr(run_err, "a kernel module has none before it is loaded"));
	}
}

TEST(a_stripped_module_has_its_lines_from_its_debug_file)
{
	const char *dir = test_tmpdir();

	begin_module();
	check_reason("no debug information");

	modb_begin(&module);
	module.debug_file = true;
	modb_build_id(&module, id);
	modb_mark(&module);
	add_code();
	add_debug();
	write_module("debug");
	CHECK_EQ(run("d=%s/usr/lib/debug/.build-id/ab; mkdir -p $d && "
		     "mv %s/debug $d/cd03%034d.debug", dir, dir, 0), 0);
	CHECK_EQ(run("cd %s && ssctr profile --raw -b /x-y.ko --symfs %s -o -", dir,
		     dir), 0);
	CHECK_STR(run_out, profile_text);
}

TEST(a_debug_file_alone_is_told_from_the_module)
{
	modb_begin(&module);
	module.debug_file = true;
	modb_mark(&module);
	add_code();
	add_debug();
	check_reason("has no code, because it is the debug file of a module");
}

TEST(an_object_file_is_no_module)
{
	modb_begin(&module);
	add_code();
	add_debug();
	check_reason("x-y.ko: an object file, which is not linked yet");
}

TEST(a_compressed_module_is_to_be_unpacked)
{
	write_recording("[x_y]");
	CHECK_EQ(run("cd %s && echo xz >x-y.ko.xz && ssctr profile -b x-y.ko.xz -o out",
		     test_tmpdir()), 1);
	CHECK(strstr(run_err, "x-y.ko.xz: a compressed module; unpack it first"));
}

/* A section that is longer than the file, or aligned to what is no power of two. */
TEST(a_damaged_module_is_told)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin_module();
		if (i)
			module.sections[text].sh_size = UINT64_MAX - 8;
		else
			module.sections[text].sh_addralign = 3;
		check_reason("x-y.ko: a damaged ELF file");
	}
}
