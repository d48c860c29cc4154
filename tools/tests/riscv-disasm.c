// SPDX-License-Identifier: GPL-2.0-only
/* Assembly by LLVM's library, where there is one. */
#include "riscv/rv_disasm.h"
#include "test.h"

static struct rv_disasm *disasm(bool rv32)
{
	struct error error = { "" };
	struct rv_disasm *d = rv_disasm_new(rv32, &error);

	if (d)
		return d;
	CHECK(!strncmp(error.text, "no LLVM library was found", 25));
	test_skip("no LLVM library here");
}

TEST(instructions_of_both_lengths)
{
	struct rv_disasm *d = disasm(false);
	char buf[64];

	CHECK_STR(rv_disasm_text(d, 0x1000, 0x73, 4, buf, sizeof(buf)),
		  "ecall");
	/* The upper half is not the instruction's. */
	CHECK_STR(rv_disasm_text(d, 0x1000, 0xffff6398, 2, buf, sizeof(buf)),
		  "ld a4, 0(a5)");
	CHECK_STR(rv_disasm_text(d, 0x1000, 0xb, 4, buf, sizeof(buf)), "");
	rv_disasm_free(d);
}

TEST(the_same_bits_on_rv32)
{
	struct rv_disasm *d = disasm(true);
	char buf[64];

	CHECK_STR(rv_disasm_text(d, 0x1000, 0x6398, 2, buf, sizeof(buf)),
		  "flw fa4, 0(a5)");
	rv_disasm_free(d);
	rv_disasm_free(NULL);
}
