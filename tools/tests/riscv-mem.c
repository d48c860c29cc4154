// SPDX-License-Identifier: GPL-2.0-only
/* Loads and stores and their widths; the encodings are an assembler's. */
#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"
#include "test.h"

static const struct {
	uint32_t opcode;
	enum rv_mem_way way;
	unsigned int bytes;
} cases[] = {
	{ 0x00050583, RV_MEM_LOAD, 1 }, /* lb a1, 0(a0) */
	{ 0x00055583, RV_MEM_LOAD, 2 }, /* lhu a1, 0(a0) */
	{ 0x00052583, RV_MEM_LOAD, 4 }, /* lw a1, 0(a0) */
	{ 0x00053583, RV_MEM_LOAD, 8 }, /* ld a1, 0(a0) */
	{ 0x00b50023, RV_MEM_STORE, 1 }, /* sb a1, 0(a0) */
	{ 0x00b53023, RV_MEM_STORE, 8 }, /* sd a1, 0(a0) */
	{ 0x00052587, RV_MEM_LOAD, 4 }, /* flw fa1, 0(a0) */
	{ 0x00053587, RV_MEM_LOAD, 8 }, /* fld fa1, 0(a0) */
	{ 0x00b53027, RV_MEM_STORE, 8 }, /* fsd fa1, 0(a0) */
	{ 0x02056007, RV_MEM_LOAD, 0 }, /* vle32.v v0, (a0) */
	{ 0x02056027, RV_MEM_STORE, 0 }, /* vse32.v v0, (a0) */
	{ 0x100525af, RV_MEM_LOAD, 4 }, /* lr.w a1, (a0) */
	{ 0x18c535af, RV_MEM_STORE, 8 }, /* sc.d a1, a2, (a0) */
	{ 0x00c525af, RV_MEM_STORE, 4 }, /* amoadd.w a1, a2, (a0) */
	{ 0x00b50533, RV_MEM_NONE, 0 }, /* add a0, a0, a1 */
	{ 0x00000073, RV_MEM_NONE, 0 }, /* ecall */
	{ 0x410c, RV_MEM_LOAD, 4 }, /* c.lw a1, 0(a0) */
	{ 0x610c, RV_MEM_LOAD, 8 }, /* c.ld a1, 0(a0) */
	{ 0x210c, RV_MEM_LOAD, 8 }, /* c.fld fa1, 0(a0) */
	{ 0xc10c, RV_MEM_STORE, 4 }, /* c.sw a1, 0(a0) */
	{ 0xe10c, RV_MEM_STORE, 8 }, /* c.sd a1, 0(a0) */
	{ 0x45a2, RV_MEM_LOAD, 4 }, /* c.lwsp a1, 8(sp) */
	{ 0xe42e, RV_MEM_STORE, 8 }, /* c.sdsp a1, 8(sp) */
	{ 0x0505, RV_MEM_NONE, 0 }, /* c.addi a0, 1 */
	{ 0x8082, RV_MEM_NONE, 0 }, /* c.jr ra */
	{ 0x0028, RV_MEM_NONE, 0 }, /* c.addi4spn a0, sp, 8 */
	{ 0x814c, RV_MEM_LOAD, 1 }, /* c.lbu a1, 1(a0) */
	{ 0x852c, RV_MEM_LOAD, 2 }, /* c.lhu a1, 2(a0) */
	{ 0x856c, RV_MEM_LOAD, 2 }, /* c.lh a1, 2(a0) */
	{ 0x894c, RV_MEM_STORE, 1 }, /* c.sb a1, 1(a0) */
	{ 0x8d2c, RV_MEM_STORE, 2 }, /* c.sh a1, 2(a0) */
	{ 0x8d6c, RV_MEM_NONE, 0 }, /* reserved */
	{ 0x9d75, RV_MEM_NONE, 0 }, /* c.not a0 */
	{ 0x9d61, RV_MEM_NONE, 0 }, /* c.zext.b a0 */
	{ 0x600545f3, RV_MEM_LOAD, 1 }, /* hlv.b a1, (a0) */
	{ 0x641545f3, RV_MEM_LOAD, 2 }, /* hlv.hu a1, (a0) */
	{ 0x683545f3, RV_MEM_LOAD, 4 }, /* hlvx.wu a1, (a0) */
	{ 0x6c0545f3, RV_MEM_LOAD, 8 }, /* hlv.d a1, (a0) */
	{ 0x62b54073, RV_MEM_STORE, 1 }, /* hsv.b a1, (a0) */
	{ 0x66b54073, RV_MEM_STORE, 2 }, /* hsv.h a1, (a0) */
	{ 0x6ab54073, RV_MEM_STORE, 4 }, /* hsv.w a1, (a0) */
	{ 0x6eb54073, RV_MEM_STORE, 8 }, /* hsv.d a1, (a0) */
	{ 0x12000073, RV_MEM_NONE, 0 }, /* sfence.vma */
	{ 0x22000073, RV_MEM_NONE, 0 }, /* hfence.vvma */
	{ 0x16b50073, RV_MEM_NONE, 0 }, /* sinval.vma a0, a1 */
	{ 0x60051073, RV_MEM_NONE, 0 }, /* csrw hstatus, a0 */
	{ 0x0045200f, RV_MEM_STORE, 0 }, /* cbo.zero (a0) */
	{ 0x0015200f, RV_MEM_NONE, 0 }, /* cbo.clean (a0) */
	{ 0x0ff0000f, RV_MEM_NONE, 0 }, /* fence */
	{ 0x00356013, RV_MEM_NONE, 0 }, /* prefetch.w 0(a0) */
};

TEST(loads_and_stores_have_a_way_and_a_width)
{
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t opcode = cases[i].opcode;
		struct rv_mem mem =
			rv_mem_of(opcode, (opcode & 3) == 3 ? 4 : 2, 0);

		if (mem.way != cases[i].way || mem.bytes != cases[i].bytes)
			test_fail(__FILE__, __LINE__, "0x%x: way %d, %u bytes",
				  opcode, mem.way, mem.bytes);
	}
}

TEST(rv32_has_single_precision_in_place_of_64_bit_words)
{
	CHECK_EQ(rv_mem_of(0x610c, 2, RV_RV32).bytes, 4); /* c.flw fa1, 0(a0) */
	CHECK_EQ(rv_mem_of(0xe42e, 2, RV_RV32).bytes, 4); /* c.fswsp fa1, 8(sp) */
	CHECK_EQ(rv_mem_of(0x210c, 2, RV_RV32).bytes, 8); /* c.fld fa1, 0(a0) */
	CHECK_EQ(rv_mem_of(0x410c, 2, RV_RV32).bytes, 4); /* c.lw a1, 0(a0) */
}
