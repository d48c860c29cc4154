// SPDX-License-Identifier: GPL-2.0-only
/* Assembly by LLVM's library, where there is one. */
#include <stdio.h>
#include <string.h>

#include "riscv/rv_disasm.h"
#include "test.h"

static struct rv_disasm *disasm(void)
{
	struct error error = { "" };
	struct rv_disasm *d = rv_disasm_new(&error);

	if (d)
		return d;
	CHECK(!strncmp(error.text, "no LLVM library was found", 25));
	test_skip("no LLVM library here");
}

/* What is in memory of the files of this name, in KiB. */
static unsigned long resident(const char *name)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[1024];
	unsigned long start, end, kib, sum = 0;
	bool found = false;

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			found = strstr(line, name);
		else if (found && sscanf(line, "Rss: %lu", &kib) == 1)
			sum += kib;
	}
	fclose(f);
	return sum;
}

/* Without this, it is 40 MiB. */
TEST(what_loading_needed_is_given_back)
{
	struct rv_disasm *d = disasm();
	char buf[64];

	CHECK_STR(rv_disasm_text(d, false, 0x1000, 0x73, 4, buf, sizeof(buf)), "ecall");
	CHECK(resident("/libLLVM") > 0);
	CHECK(resident("/libLLVM") < 20 << 10);
	rv_disasm_free(d);
}

TEST(instructions_of_both_lengths)
{
	struct rv_disasm *d = disasm();
	char buf[64];

	CHECK_STR(rv_disasm_text(d, false, 0x1000, 0x73, 4, buf, sizeof(buf)),
		  "ecall");
	/* The upper half is not the instruction's. */
	CHECK_STR(rv_disasm_text(d, false, 0x1000, 0xffff6398, 2, buf, sizeof(buf)),
		  "ld a4, 0(a5)");
	CHECK_STR(rv_disasm_text(d, false, 0x1000, 0xb, 4, buf, sizeof(buf)), "");
	rv_disasm_free(d);
}

TEST(the_same_bits_on_rv32)
{
	struct rv_disasm *d = disasm();
	char buf[64];

	CHECK_STR(rv_disasm_text(d, true, 0x1000, 0x6398, 2, buf, sizeof(buf)),
		  "flw fa4, 0(a5)");
	CHECK_STR(rv_disasm_text(d, false, 0x1000, 0x6398, 2, buf, sizeof(buf)),
		  "ld a4, 0(a5)");
	CHECK_STR(rv_disasm_text(d, true, 0x1000, 0x6398, 2, buf, sizeof(buf)),
		  "flw fa4, 0(a5)");
	rv_disasm_free(d);
	rv_disasm_free(NULL);
}

/* What was remembered is what an LLVM says that was not asked before. */
TEST(opcodes_that_come_again)
{
	static const uint64_t pcs[] = { 0x1000, 0x7fff96e38742 };
	enum { OPCODES = 300, ROUNDS = 3000 };
	struct rv_disasm *d = disasm(), *fresh = NULL;
	uint32_t opcodes[OPCODES];
	char buf[64], other[64];
	unsigned int i;

	for (i = 0; i < OPCODES; i++)
		opcodes[i] = (uint32_t)test_random();
	opcodes[0] = 0x00c60663; /* beq a2, a2, 12 */
	opcodes[1] = 0x00000517; /* auipc a0, 0 */
	for (i = 0; i < ROUNDS; i++) {
		uint32_t opcode = opcodes[i % 7 ? test_random() % OPCODES : i % 2];
		unsigned int size = (opcode & 3) == 3 ? 4 : 2;
		uint64_t pc = pcs[test_random() & 1];

		if (i % 100 == 0) {
			rv_disasm_free(fresh);
			fresh = disasm();
		}
		CHECK_STR(rv_disasm_text(d, false, pc, opcode, size, buf, sizeof(buf)),
			  rv_disasm_text(fresh, false, pc, opcode, size, other,
					 sizeof(other)));
	}
	rv_disasm_free(fresh);
	rv_disasm_free(d);
}

/* More opcodes than can be remembered, each of them twice. */
TEST(more_opcodes_than_places)
{
	enum { OPCODES = 40000, IMM = 2048 };
	struct rv_disasm *d = disasm();
	char buf[64], want[64];
	unsigned int i, rd;

	for (i = 0; i < 2 * OPCODES; i++) {
		rd = 8 + i / IMM % 2; /* s0 and s1 */
		snprintf(want, sizeof(want), "%s s%u, %u(a%u)",
			 i / IMM % 4 < 2 ? "ld" : "lw", rd - 8, i % IMM,
			 i / IMM / 4 % 5);
		CHECK_STR(rv_disasm_text(d, false, 0, i % IMM << 20 |
					 (10 + i / IMM / 4 % 5) << 15 |
					 (i / IMM % 4 < 2 ? 3u : 2u) << 12 |
					 rd << 7 | 3, 4, buf, sizeof(buf)), want);
	}
	rv_disasm_free(d);
}
