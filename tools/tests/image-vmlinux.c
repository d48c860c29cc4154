// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's code from its file: what is given of it, and what is not. */
#include "elf-build.h"
#include "image/image.h"
#include "test.h"

/* A small kernel: text of single instructions and what may be changed in it. */
enum {
	TRACED = 0x08,
	KEY = 0x14,
	ALTERNATIVE = 0x20,
	CONSTANT = 0x30,
	TEXT_END = 0x48,
	MOVED = 0x2000000,
};

#define AT (ELFB_ADDR + ELFB_CODE)

static struct blob {
	uint16_t text[TEXT_END / 2];
	struct {
		int32_t code, other;
		uint16_t vendor, size;
		uint32_t id;
	} alternatives[1];
	struct {
		int32_t code, target;
		int64_t key;
	} keys[1];
	uint64_t traced[2];
	int32_t constants[2];
} blob;

#define LIST_AT(_list) (offsetof(struct blob, _list))

static struct elfb elf;
static struct img *img;
static struct img_kernel kernel;
static const uint8_t id[20] = { 0xab, 1 }, other_id[20] = { 0xcd, 2 };

static void add_symbol(const char *name, uint64_t offset)
{
	elf.symbols[elf.nr_symbols++] =
		(struct elfb_symbol){ name, AT + offset, 0, 0 };
}

static void remove_symbol(const char *name)
{
	unsigned int i;

	for (i = 0; i < elf.nr_symbols; i++)
		if (!strcmp(elf.symbols[i].name, name))
			elf.symbols[i].name = "removed";
}

/* A sound kernel, which ran MOVED bytes above its file's addresses. */
static void begin(void)
{
	unsigned int i;

	blob = (struct blob){
		.alternatives = { { .code = ALTERNATIVE -
					    (int)LIST_AT(alternatives),
				    .size = 4 } },
		.keys = { { .code = KEY - (int)LIST_AT(keys) } },
		.traced = { 0, AT + TRACED },
		.constants = { CONSTANT - (int)LIST_AT(constants), 0 },
	};
	blob.constants[1] = blob.constants[0] - 4;
	for (i = 0; i < TEXT_END / 2; i++)
		blob.text[i] = 0x0505;	/* c.addi a0, 1 */
	for (i = 0; i < 4; i++)
		blob.text[TRACED / 2 + i] = 0x0001;	/* c.nop */
	elf = (struct elfb){ .code = &blob, .code_size = sizeof(blob),
			     .build_id = id, .build_id_size = sizeof(id),
			     .extra = "runtime_ptr_x",
			     .extra_addr = AT + LIST_AT(constants),
			     .extra_size = sizeof(blob.constants) };
	add_symbol("_stext", 0);
	add_symbol("_etext", TEXT_END);
	add_symbol("__alt_start", LIST_AT(alternatives));
	add_symbol("__alt_end", LIST_AT(keys));
	add_symbol("__start___jump_table", LIST_AT(keys));
	add_symbol("__stop___jump_table", LIST_AT(traced));
	add_symbol("__start_mcount_loc", LIST_AT(traced));
	add_symbol("__stop_mcount_loc", LIST_AT(constants));
	add_symbol("__start_runtime_ptr_x", LIST_AT(constants));
	add_symbol("__start_runtimes", 0); /* no list */
	add_symbol("apply_boot_alternatives", 0);
	add_symbol("jump_label_init", 0);
	add_symbol("ftrace_init", 0);
	kernel = (struct img_kernel){ "_stext", AT + MOVED, id, sizeof(id) };
}

static void use(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/vmlinux", test_tmpdir());
	CHECK(elfb_write(&elf, path));
	img = img_new(NULL);
	CHECK(img && img_set_vmlinux(img, path));
}

/* The code from `from` to `to` is given as one, and no more. */
static void check_code(int line, uint64_t from, uint64_t to)
{
	uint64_t start, size, at;
	const uint8_t *code;

	for (at = from; at < to; at += 2)
		if (img_kernel_code(img, &kernel, AT + MOVED + at, &start,
				    &size, &code) ||
		    start != AT + MOVED + from || size != to - from ||
		    memcmp(code, (uint8_t *)&blob + from, size))
			test_fail(__FILE__, line, "at 0x%x", (int)at);
}

static void check_state(int line, uint64_t from, uint64_t to,
			enum img_state want)
{
	uint64_t start, size, at;
	const uint8_t *code;

	for (at = from; at < to; at += 2) {
		enum img_state state = img_kernel_code(
			img, &kernel, AT + MOVED + at, &start, &size, &code);

		if (state != want)
			test_fail(__FILE__, line, "%d at 0x%x", state, (int)at);
	}
}

#define CHECK_CODE(...) check_code(__LINE__, __VA_ARGS__)
#define CHECK_STATE(...) check_state(__LINE__, __VA_ARGS__)

/* It gives no code at all, and says why. */
static void check_refused(int line, enum img_state state, const char *why)
{
	use();
	check_state(line, 0, TEXT_END, state);
	if (!strstr(img_file_error(img_file_at(img, 0)), why))
		test_fail(__FILE__, line, "\"%s\"",
			  img_file_error(img_file_at(img, 0)));
	img_free(img);
}

#define CHECK_REFUSED(...) check_refused(__LINE__, __VA_ARGS__)

TEST(code_that_the_kernel_may_change_is_not_given)
{
	begin();
	use();
	CHECK_CODE(0, TRACED);
	CHECK_STATE(TRACED, TRACED + 8, IMG_PATCHED);
	CHECK_CODE(TRACED + 8, KEY);
	CHECK_STATE(KEY, KEY + 4, IMG_PATCHED);
	CHECK_CODE(KEY + 4, ALTERNATIVE);
	CHECK_STATE(ALTERNATIVE, ALTERNATIVE + 4, IMG_PATCHED);
	CHECK_CODE(ALTERNATIVE + 4, CONSTANT);
	CHECK_STATE(CONSTANT, CONSTANT + 16, IMG_PATCHED);
	CHECK_CODE(CONSTANT + 16, TEXT_END);
	img_free(img);
}

TEST(what_the_kernel_changes_is_told_whole)
{
	uint64_t start, size;
	const uint8_t *code;

	begin();
	use();
	CHECK_EQ(img_kernel_code(img, &kernel, AT + MOVED + TRACED + 6, &start, &size, &code),
		 IMG_PATCHED);
	CHECK_EQ(start, AT + MOVED + TRACED);
	CHECK_EQ(size, 8);
	img_free(img);
}

TEST(what_is_not_the_kernels_text_is_not_given)
{
	begin();
	use();
	CHECK_STATE(TEXT_END, sizeof(blob), IMG_MODULE);
	CHECK_STATE(-(uint64_t)16, -(uint64_t)2, IMG_MODULE);
	/* Nor where the file has it. */
	CHECK_STATE(-(uint64_t)MOVED, TEXT_END - (uint64_t)MOVED, IMG_MODULE);
	img_free(img);
}

TEST(the_kernel_s_lists_are_beside_its_code)
{
	begin();
	elf.flags = PF_R | PF_W;
	use();
	CHECK_STATE(KEY, KEY + 4, IMG_PATCHED);
	CHECK_CODE(0, TRACED);
	img_free(img);
}

TEST(nops_of_either_size_make_room_for_a_call)
{
	static const uint32_t nops[4] = { 0x13, 0x13, 0x13, 0x00010013 };

	begin();
	memcpy(&blob.text[TRACED / 2], nops, 12);
	use();
	CHECK_STATE(TRACED, TRACED + 12, IMG_PATCHED);
	CHECK_CODE(0, TRACED);
	img_free(img);
}

TEST(a_kernel_that_changes_nothing_needs_no_lists)
{
	unsigned int i;

	begin();
	for (i = 2; i < elf.nr_symbols; i++)
		elf.symbols[i].name = "removed";
	elf.extra = NULL;
	use();
	CHECK_CODE(0, TEXT_END);
	img_free(img);
}

TEST(a_list_that_is_missing_refuses_all)
{
	static const char *const names[][2] = {
		{ "__alt_start", "__alt_end" },
		{ "__start___jump_table", "__stop___jump_table" },
		{ "__start_mcount_loc", "__stop_mcount_loc" },
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		begin();
		remove_symbol(names[i][0]);
		remove_symbol(names[i][1]);
		CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
		begin();
		remove_symbol(names[i][1]);
		CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
	}
}

TEST(a_list_of_another_form_refuses_all)
{
	begin();
	blob.alternatives[0].code = 0x70000000;
	CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
	begin();
	blob.keys[0].code = -0x70000000;
	CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
	begin();
	elf.symbols[3].value -= 4;
	CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
	begin();
	blob.constants[0] = 0x70000000;
	CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
	/* No nops, so that something else is done there. */
	begin();
	blob.traced[0] = AT;
	CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
}

TEST(a_list_that_is_filled_in_at_boot_refuses_all)
{
	begin();
	blob.traced[1] = 0;
	CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
}

TEST(constants_of_an_unknown_kind_refuse_all)
{
	begin();
	elf.extra = "runtime_other_x";
	CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
	begin();
	elf.extra = NULL;
	CHECK_REFUSED(IMG_KERNEL, "have an unknown form");
}

TEST(a_shift_by_a_constant_is_one_instruction)
{
	begin();
	elf.extra = "runtime_shift_x";
	use();
	CHECK_STATE(CONSTANT, CONSTANT + 4, IMG_PATCHED);
	CHECK_CODE(CONSTANT + 4, TEXT_END);
	img_free(img);
}

TEST(the_build_ids_have_to_be_known_and_agree)
{
	begin();
	elf.build_id = other_id;
	CHECK_REFUSED(IMG_BUILD_ID, "is cd02");
	CHECK_REFUSED(IMG_BUILD_ID, ", not ab01");
	begin();
	elf.build_id_size = 0;
	CHECK_REFUSED(IMG_BUILD_ID, "has no build id");
	begin();
	elf.build_id_size = 0;
	elf.empty_build_id = true;
	CHECK_REFUSED(IMG_BUILD_ID, "has no build id");
	begin();
	kernel.build_id_size = 0;
	CHECK_REFUSED(IMG_KERNEL, "the recording does not tell");
	begin();
	kernel.symbol = NULL;
	CHECK_REFUSED(IMG_KERNEL, "the recording does not tell");
}

/* Longer ones than all that linkers make. */
TEST(build_ids_may_have_up_to_64_bytes)
{
	static const uint8_t longest[65] = { 0xab, [63] = 1, [64] = 2 };

	begin();
	elf.build_id = kernel.build_id = longest;
	elf.build_id_size = kernel.build_id_size = 64;
	use();
	CHECK_CODE(CONSTANT + 16, TEXT_END);
	img_free(img);
	elf.build_id_size = kernel.build_id_size = 65;
	CHECK_REFUSED(IMG_BUILD_ID, "has no build id");
}

TEST(a_file_without_symbols_or_code_is_refused)
{
	begin();
	elf.nr_symbols = 0;
	CHECK_REFUSED(IMG_KERNEL, "no symbol table");
	begin();
	elf.symbols[1].value = AT + 0x100000;
	CHECK_REFUSED(IMG_KERNEL, "has no code");
}

TEST(a_vmlinux_that_cannot_be_read_says_why)
{
	begin();
	img = img_new(NULL);
	CHECK(img_set_vmlinux(img, "/nowhere/vmlinux"));
	CHECK_STATE(0, 2, IMG_MISSING);
	CHECK(strstr(img_file_error(img_file_at(img, 0)), "No such file"));
	img_free(img);
}
