// SPDX-License-Identifier: GPL-2.0-only
/* What instructions do to a7; the encodings are an assembler's. */
#include "riscv/rv_reg.h"
#include "test.h"

static int64_t value;

static enum rv_effect on(uint32_t opcode, unsigned int reg)
{
	value = -1000;
	return rv_effect_on(opcode, (opcode & 3) == 3 ? 4 : 2, reg, &value);
}

static void check_sets(int line, uint32_t opcode, unsigned int reg,
		       int64_t want)
{
	if (on(opcode, reg) != RV_SETS || value != want)
		test_fail(__FILE__, line, "0x%x sets %ld", opcode, (long)value);
}

#define CHECK_SETS(...) check_sets(__LINE__, __VA_ARGS__)

TEST(li_and_lui_set_a_constant)
{
	CHECK_SETS(0x04000893, RV_A7, 64); /* li a7, 64 */
	CHECK_SETS(0xfff00893, RV_A7, -1); /* li a7, -1 */
	CHECK_SETS(0x08b00893, RV_A7, 139); /* li a7, 139 */
	CHECK_SETS(0x48fd, RV_A7, 31); /* c.li a7, 31 */
	CHECK_SETS(0x5881, RV_A7, -32); /* c.li a7, -32 */
	CHECK_SETS(0x800008b7, RV_A7, -2147483648ll); /* lui a7, 0x80000 */
	CHECK_SETS(0x6885, RV_A7, 4096); /* c.lui a7, 1 */
	CHECK_SETS(0x78fd, RV_A7, -4096); /* c.lui a7, -1 */
	CHECK_SETS(0x4501, 10, 0); /* c.li a0, 0 */
}

TEST(what_writes_the_register_changes_it)
{
	static const uint32_t writers[] = {
		0x00150893, /* addi a7, a0, 1 */
		0x00058893, /* mv a7, a1 */
		0x00053883, /* ld a7, 0(a0) */
		0x00b508b3, /* add a7, a0, a1 */
		0x00000897, /* auipc a7, 0 */
		0x300028f3, /* csrr a7, mstatus */
		0x100528af, /* lr.w a7, (a0) */
		0x008008ef, /* jal a7, +8 */
		0x00004893, /* xori a7, zero, 0 */
		0x88aa,	    /* c.mv a7, a0 */
		0x98aa,	    /* c.add a7, a0 */
		0x0885,	    /* c.addi a7, 1 */
		0x2885,	    /* c.addiw a7, 1 */
		0x088a,	    /* c.slli a7, 2 */
		0x48a2,	    /* c.lwsp a7, 8(sp) */
		0x68a2,	    /* c.ldsp a7, 8(sp) */
	};
	unsigned int i;

	for (i = 0; i < sizeof(writers) / sizeof(*writers); i++)
		CHECK_EQ(on(writers[i], RV_A7), RV_CHANGES);
}

TEST(what_only_looks_so_keeps_it)
{
	static const uint32_t others[] = {
		0x00000073, /* ecall */
		0x00a538a3, /* sd a0, 17(a0) */
		0x00b508e3, /* beq a0, a1, +2064 */
		0x00053887, /* fld fa7, 0(a0) */
		0x00a538a7, /* fsd fa0, 17(a0) */
		0x04000813, /* li a6, 64 */
		0x8882,	    /* c.jr a7 */
		0x9882,	    /* c.jalr a7 */
		0xb8c5,	    /* c.j */
		0xc8c6,	    /* c.swsp a7, 80(sp) */
		0xe8c6,	    /* c.sdsp a7, 80(sp) */
		0x28a2,	    /* c.fldsp fa7, 8(sp) keeps, but looks as others do */
	};
	unsigned int i;

	for (i = 0; i + 1 < sizeof(others) / sizeof(*others); i++)
		CHECK_EQ(on(others[i], RV_A7), RV_KEEPS);
	CHECK_EQ(on(others[i], RV_A7), RV_CHANGES);
	CHECK_EQ(on(0x9882, 1), RV_CHANGES);
	CHECK_EQ(on(0x8882, 1), RV_KEEPS);
}

TEST(short_forms_write_their_eight_registers)
{
	CHECK_EQ(on(0x4108, 10), RV_CHANGES); /* c.lw a0, 0(a0) */
	CHECK_EQ(on(0x4108, 11), RV_KEEPS);
	CHECK_EQ(on(0x0028, 10), RV_CHANGES); /* c.addi4spn a0, sp, 8 */
	CHECK_EQ(on(0xc108, 10), RV_KEEPS); /* c.sw a0, 0(a0) */
	CHECK_EQ(on(0x8d0d, 10), RV_CHANGES); /* c.sub a0, a1 */
	CHECK_EQ(on(0x8d0d, RV_A7), RV_KEEPS);
}
