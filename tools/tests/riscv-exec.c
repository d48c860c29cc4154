// SPDX-License-Identifier: GPL-2.0-only
/* What instructions do to registers whose values are known. */
#include "riscv/rv_exec.h"
#include "riscv/rv_insn.h"
#include "test.h"

enum { PC = 0x10000, RA = 1, SP = 2, A0 = 10, A1 = 11, A2 = 12, ALL = -2 };

static struct rv_regs regs;

static void execute(uint32_t opcode)
{
	regs = (struct rv_regs){ .known = ALL };
	regs.x[RA] = 0x1234;
	regs.x[SP] = 0x7fff0000;
	regs.x[A0] = 0xf23456789abcdef1;
	regs.x[A1] = 0x8765432187654321;
	regs.x[A2] = 36;
	rv_exec(&regs, PC, opcode, rv_insn_size(opcode));
}

TEST(what_a0_becomes)
{
	static const struct {
		uint32_t opcode;
		uint64_t value;
	} rows[] = {
		{ 0xffb58513, 0x876543218765431c },	/* addi a0, a1, -5 */
		{ 0x0075a513, 0x1 },	/* slti a0, a1, 7 */
		{ 0xfff5b513, 0x1 },	/* sltiu a0, a1, -1 */
		{ 0xfff5c513, 0x789abcde789abcde },	/* xori a0, a1, -1 */
		{ 0x0705e513, 0x8765432187654371 },	/* ori a0, a1, 0x70 */
		{ 0x07f5f513, 0x21 },	/* andi a0, a1, 0x7f */
		{ 0x02459513, 0x7654321000000000 },	/* slli a0, a1, 36 */
		{ 0x0245d513, 0x8765432 },	/* srli a0, a1, 36 */
		{ 0x4245d513, 0xfffffffff8765432 },	/* srai a0, a1, 36 */
		{ 0x0015851b, 0xffffffff87654322 },	/* addiw a0, a1, 1 */
		{ 0x0045951b, 0x76543210 },	/* slliw a0, a1, 4 */
		{ 0x0045d51b, 0x8765432 },	/* srliw a0, a1, 4 */
		{ 0x4045d51b, 0xfffffffff8765432 },	/* sraiw a0, a1, 4 */
		{ 0x00c58533, 0x8765432187654345 },	/* add a0, a1, a2 */
		{ 0x40c58533, 0x87654321876542fd },	/* sub a0, a1, a2 */
		{ 0x00c59533, 0x7654321000000000 },	/* sll a0, a1, a2 */
		{ 0x00c5a533, 0x1 },	/* slt a0, a1, a2 */
		{ 0x00c5b533, 0x0 },	/* sltu a0, a1, a2 */
		{ 0x00c5c533, 0x8765432187654305 },	/* xor a0, a1, a2 */
		{ 0x00c5d533, 0x8765432 },	/* srl a0, a1, a2 */
		{ 0x40c5d533, 0xfffffffff8765432 },	/* sra a0, a1, a2 */
		{ 0x00c5e533, 0x8765432187654325 },	/* or a0, a1, a2 */
		{ 0x00c5f533, 0x20 },	/* and a0, a1, a2 */
		{ 0x00c5853b, 0xffffffff87654345 },	/* addw a0, a1, a2 */
		{ 0x40c5853b, 0xffffffff876542fd },	/* subw a0, a1, a2 */
		{ 0x00c5953b, 0x76543210 },	/* sllw a0, a1, a2 */
		{ 0x00c5d53b, 0x8765432 },	/* srlw a0, a1, a2 */
		{ 0x40c5d53b, 0xfffffffff8765432 },	/* sraw a0, a1, a2 */
		{ 0x02c58533, 0xa3d70b70a3d70a4 },	/* mul a0, a1, a2 */
		{ 0x02c5853b, 0xa3d70a4 },	/* mulw a0, a1, a2 */
		{ 0x80000537, 0xffffffff80000000 },	/* lui a0, 0x80000 */
		{ 0x00001517, 0x11000 },	/* auipc a0, 1 */
		{ 0x0000056f, 0x10004 },	/* jal a0, . */
		{ 0x00058567, 0x10004 },	/* jalr a0, 0(a1) */
		{ 0x1fe8, 0x7fff03fc },	/* c.addi4spn a0, sp, 1020 */
		{ 0x1575, 0xf23456789abcdeee },	/* c.addi a0, -3 */
		{ 0x3575, 0xffffffff9abcdeee },	/* c.addiw a0, -3 */
		{ 0x5565, 0xfffffffffffffff9 },	/* c.li a0, -7 */
		{ 0x7505, 0xfffffffffffe1000 },	/* c.lui a0, 0xfffe1 */
		{ 0x9105, 0x791a2b3c },	/* c.srli a0, 33 */
		{ 0x9505, 0xfffffffff91a2b3c },	/* c.srai a0, 33 */
		{ 0x9971, 0xf23456789abcdef0 },	/* c.andi a0, -4 */
		{ 0x8d0d, 0x6acf135713579bd0 },	/* c.sub a0, a1 */
		{ 0x8d2d, 0x755115591dd99dd0 },	/* c.xor a0, a1 */
		{ 0x8d4d, 0xf77557799ffddff1 },	/* c.or a0, a1 */
		{ 0x8d6d, 0x8224422082244221 },	/* c.and a0, a1 */
		{ 0x9d0d, 0x13579bd0 },	/* c.subw a0, a1 */
		{ 0x9d2d, 0x22222212 },	/* c.addw a0, a1 */
		{ 0x1506, 0x3579bde200000000 },	/* c.slli a0, 33 */
		{ 0x852e, 0x8765432187654321 },	/* c.mv a0, a1 */
		{ 0x952e, 0x7999999a22222212 },	/* c.add a0, a1 */
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		execute(rows[i].opcode);
		if (regs.known != (uint32_t)ALL || regs.x[A0] != rows[i].value)
			test_fail(__FILE__, __LINE__, "%x: %lx, known %x",
				  rows[i].opcode, (unsigned long)regs.x[A0],
				  regs.known);
		CHECK_EQ(regs.x[A1], 0x8765432187654321);
	}
}

TEST(what_other_registers_become)
{
	execute(0x7141); /* c.addi16sp sp, -496 */
	CHECK_EQ(regs.x[SP], 0x7fff0000 - 496);
	execute(0x9502); /* c.jalr a0 */
	CHECK_EQ(regs.x[RA], PC + 2);
	CHECK_EQ(regs.known, (uint32_t)ALL);
}

/* The first instruction of a function with a shadow stack. */
TEST(what_saves_the_return_address_leaves_it)
{
	execute(0x6081); /* c.sspush ra */
	CHECK_EQ(regs.x[RA], 0x1234);
}

TEST(what_is_not_known_any_more)
{
	static const struct {
		uint32_t opcode, lost;
	} rows[] = {
		{ 0x02c5c533, 1 << A0 },	/* div a0, a1, a2 */
		{ 0x0005b503, 1 << A0 },	/* ld a0, 0(a1) */
		{ 0xc0002573, 1 << A0 },	/* csrr a0, cycle */
		{ 0x00c5b52f, 1 << A0 | 1 << A1 }, /* amoadd.d, or a pair's */
		{ 0xe2050553, 1 << A0 },	/* fmv.x.d a0, fa0 */
		{ 0x00000073, 1 << A0 },	/* ecall */
		{ 0x60051513, 1 << A0 },	/* clz a0, a0 */
		{ 0x9d75, 1 << A0 },		/* c.not a0 */
		{ 0x6188, 1 << A0 },		/* c.ld a0, 0(a1) */
		{ 0x4188, 1 << A0 },		/* c.lw a0, 0(a1) */
		{ 0x6502, 1 << A0 },		/* c.ldsp a0, 0(sp) */
		{ 0x4502, 1 << A0 },		/* c.lwsp a0, 0(sp) */
		{ 0x00100073, ALL },		/* ebreak */
		{ 0x9002, ALL },		/* c.ebreak */
		{ 0x0005c50b, ALL },		/* custom-0 */
		{ 0x00158013, 0 },		/* addi x0, a1, 1 */
		{ 0x00b50063, 0 },		/* beq a0, a1, . */
		{ 0x00a5b023, 0 },		/* sd a0, 0(a1) */
		{ 0x0005b507, 0 },		/* fld fa0, 0(a1) */
		{ 0x00a5b027, 0 },		/* fsd fa0, 0(a1) */
		{ 0x0ff0000f, 0 },		/* fence */
		{ 0x8502, 0 },			/* c.jr a0 */
		{ 0xe02a, 0 },			/* c.sdsp a0, 0(sp) */
		{ 0xe188, 0 },			/* c.sd a0, 0(a1) */
		{ 0x2188, 0 },			/* c.fld fa0, 0(a1) */
		{ 0x2502, 0 },			/* c.fldsp fa0, 0(sp) */
		{ 0xa001, 0 },			/* c.j . */
		{ 0xc101, 0 },			/* c.beqz a0, . */
		{ 0x0001, 0 },			/* c.nop */
		{ 0x6081, 0 },			/* c.sspush ra */
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		execute(rows[i].opcode);
		if (regs.known != (ALL & ~rows[i].lost))
			test_fail(__FILE__, __LINE__, "%x: known %x",
				  rows[i].opcode, regs.known);
		CHECK_EQ(regs.x[0], 0);
	}
}

TEST(what_comes_of_what_is_not_known)
{
	static const uint32_t of_a1[] = {
		0xffb58513, 0x00c58533, 0x00c5853b, 0x02c58533, 0x852e, 0x952e,
		0x8d0d, 0x9d2d,
	};
	size_t i;

	for (i = 0; i < sizeof(of_a1) / sizeof(*of_a1); i++) {
		regs = (struct rv_regs){ .known = ALL & ~(1 << A1) };
		rv_exec(&regs, PC, of_a1[i], rv_insn_size(of_a1[i]));
		CHECK_EQ(regs.known, (uint32_t)(ALL & ~(1 << A0 | 1 << A1)));
	}
	/* A constant makes it known again. */
	rv_exec(&regs, PC, 0x5565, 2);
	CHECK_EQ(regs.known, (uint32_t)(ALL & ~(1 << A1)));
	CHECK_EQ(regs.x[A0], -7);
}

TEST(registers_agree_where_both_are_known)
{
	struct rv_regs a = { .known = 1 << A0 | 1 << A1 }, b = a;

	CHECK(rv_regs_agree(&a, &b));
	b.x[A2] = 1;
	CHECK(rv_regs_agree(&a, &b));
	b.x[A0] = 1;
	CHECK(!rv_regs_agree(&a, &b));
	b.known = 1 << A1;
	CHECK(rv_regs_agree(&a, &b));
}
