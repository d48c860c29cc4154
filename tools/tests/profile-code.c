// SPDX-License-Identifier: GPL-2.0-only
/* The code of a binary that a profile is made for. */
#include "elf-build.h"
#include "profile/binary.h"
#include "test.h"

enum { AT = ELFB_ADDR + ELFB_CODE };

static struct prof_code code;

static void open_code(const void *bytes, size_t size)
{
	struct elfb elf = { .code = bytes, .code_size = size };
	const struct samples_opts nowhere = SAMPLES_OPTS_INIT;
	const char *path = test_path("x"), *why;

	CHECK(elfb_write(&elf, path));
	why = prof_code_open(&code, path, &nowhere);
	if (why)
		test_fail(__FILE__, __LINE__, "%s", why);
}

TEST(the_last_instruction_has_a_size_and_one_that_is_cut_has_none)
{
	/* The file is filled up to eights: nop, c.nop, ret; and ret, three times, half a nop. */
	static const uint8_t whole[] = { 0x13, 0, 0, 0, 1, 0, 0x82, 0x80 };
	static const uint8_t part[] = { 0x82, 0x80, 0x82, 0x80, 0x82, 0x80, 0x13, 0 };

	open_code(whole, sizeof(whole));
	CHECK_EQ(prof_code_insn_size(&code, AT), 4);
	CHECK_EQ(prof_code_insn_size(&code, AT + 6), 2);
	CHECK_EQ(prof_code_insn_size(&code, AT + 7), 0);
	CHECK_EQ(prof_code_insn_size(&code, AT + 8), 0);
	prof_code_close(&code);
	open_code(part, sizeof(part));
	CHECK_EQ(prof_code_insn_size(&code, AT + 4), 2);
	CHECK_EQ(prof_code_insn_size(&code, AT + 6), 0);
	prof_code_close(&code);
}

TEST(a_call_of_what_is_far_away_is_direct)
{
	static const uint32_t insns[] = {
		0x00000097, /* 00: auipc ra, 0 */
		0x000080e7, /* 04: jalr ra, 0(ra) */
		0x000500e7, /* 08: jalr ra, 0(a0) */
		0x00000317, /* 0c: auipc t1, 0 */
		0x00030067, /* 10: jalr zero, 0(t1) */
		0x00000317, /* 14: auipc t1, 0 */
		0x00050067, /* 18: jalr zero, 0(a0) */
		0x00008067, /* 1c: ret */
		0x0000006f, /* 20: jal zero, 0 */
		0x9502, /* 24: c.jalr a0 */
	};

	open_code(insns, sizeof(insns));
	CHECK(!prof_code_is_indirect(&code, AT));
	CHECK(!prof_code_is_indirect(&code, AT + 0x04));
	CHECK(prof_code_is_indirect(&code, AT + 0x08));
	CHECK(!prof_code_is_indirect(&code, AT + 0x10));
	CHECK(prof_code_is_indirect(&code, AT + 0x18));
	CHECK(!prof_code_is_indirect(&code, AT + 0x1c));
	CHECK(!prof_code_is_indirect(&code, AT + 0x20));
	CHECK(prof_code_is_indirect(&code, AT + 0x24));
	prof_code_close(&code);
}
