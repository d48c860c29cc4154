// SPDX-License-Identifier: GPL-2.0-only
/* The operands of instructions: what the assembly names, encoded by GNU as or LLVM. */
#include <stdio.h>

#include "riscv/rv_insn.h"
#include "riscv/rv_operands.h"
#include "test.h"

struct row {
	const char *assembly;
	uint32_t opcode;
	const char *operands; /* sources > destination */
};

static const struct row rows[] = {
	{ "ld a0, 8(sp)", 0x00813503, "x2 > x10" },
	{ "flw fa0, 4(s0)", 0x00442507, "x8 > f10" },
	{ "vle32.v v8, (a0)", 0x02056407, "x10 > v8" },
	{ "vlse64.v v8, (a0), a1", 0x0ab57407, "x10 x11 > v8" },
	{ "vluxei32.v v8, (a0), v4, v0.t", 0x04456407, "x10 v4 v0 > v8" },
	{ "vse8.v v8, (a0)", 0x02050427, "x10 v8 >" },
	{ "vsuxei8.v v8, (a0), v4", 0x06450427, "x10 v8 v4 >" },
	{ "fence", 0x0ff0000f, ">" },
	{ "cbo.zero (a0)", 0x0045200f, "x10 >" },
	{ "cbo.clean (a0)", 0x0015200f, "x10 >" },
	{ "prefetch.r 0(a0)", 0x00156013, "x10 >" },
	{ "addi sp, sp, -64", 0xfc010113, "x2 > x2" },
	{ "li t0, 5", 0x00500293, "> x5" },
	{ "nop", 0x00000013, ">" },
	{ "auipc gp, 1", 0x00001197, "> x3" },
	{ "lui t6, 1", 0x00001fb7, "> x31" },
	{ "addiw a0, a1, 1", 0x0015851b, "x11 > x10" },
	{ "sd ra, 8(sp)", 0x00113423, "x2 x1 >" },
	{ "fsd fs0, 0(a5)", 0x0087b027, "x15 f8 >" },
	{ "amoadd.w a0, a1, (a2)", 0x00b6252f, "x12 x11 > x10" },
	{ "lr.d a0, (a2)", 0x1006352f, "x12 > x10" },
	{ "sc.d a0, a1, (a2)", 0x18b6352f, "x12 x11 > x10" },
	{ "amocas.d a0, a1, (a2)", 0x28b6352f, "x12 x11 x10 > x10" },
	{ "amocas.q a0, a2, (a4)", 0x28c7452f, "x14 x12 x10 > x10" },
	{ "ssamoswap.d a0, a1, (a2)", 0x48b6352f, "x12 x11 > x10" },
	{ "add a0, a1, a2", 0x00c58533, "x11 x12 > x10" },
	{ "mulw s1, s2, s3", 0x033904bb, "x18 x19 > x9" },
	{ "fmadd.d fa0, fa1, fa2, fa3", 0x6ac5f543, "f11 f12 f13 > f10" },
	{ "fnmsub.s fa0, fa1, fa2, fa3", 0x68c5f54b, "f11 f12 f13 > f10" },
	{ "fadd.d fa0, fa1, fa2", 0x02c5f553, "f11 f12 > f10" },
	{ "fsgnj.s fa0, fa1, fa2", 0x20c58553, "f11 f12 > f10" },
	{ "fsqrt.d fa0, fa1", 0x5a05f553, "f11 > f10" },
	{ "fcvt.d.s fa0, fa1", 0x42058553, "f11 > f10" },
	{ "feq.d a0, fa1, fa2", 0xa2c5a553, "f11 f12 > x10" },
	{ "fcvt.w.d a0, fa1, rtz", 0xc2059553, "f11 > x10" },
	{ "fcvt.d.l fa0, a1", 0xd225f553, "x11 > f10" },
	{ "fmv.x.d a0, fa1", 0xe2058553, "f11 > x10" },
	{ "fmv.d.x fa0, a1", 0xf2058553, "x11 > f10" },
	{ "fclass.s a0, fa1", 0xe0059553, "f11 > x10" },
	{ "fli.d fa0, 1.0", 0xf2180553, "> f10" },
	{ "beq a0, a1, .", 0x00b50063, "x10 x11 >" },
	{ "jalr t1, 0(a1)", 0x00058367, "x11 > x6" },
	{ "jal t1, .", 0x0000036f, "> x6" },
	{ "ecall", 0x00000073, ">" },
	{ "csrrw a0, sepc, a1", 0x14159573, "x11 > x10" },
	{ "csrrwi a0, sepc, 3", 0x1411d573, "> x10" },
	{ "sret", 0x10200073, ">" },
	{ "sfence.vma a0, a1", 0x12b50073, "x10 x11 >" },
	{ "sinval.vma a0, a1", 0x16b50073, "x10 x11 >" },
	{ "hfence.vvma a0, a1", 0x22b50073, "x10 x11 >" },
	{ "hfence.gvma a0, a1", 0x62b50073, "x10 x11 >" },
	{ "hinval.vvma a0, a1", 0x26b50073, "x10 x11 >" },
	{ "hinval.gvma a0, a1", 0x66b50073, "x10 x11 >" },
	{ "sfence.w.inval", 0x18000073, ">" },
	{ "sfence.inval.ir", 0x18100073, ">" },
	{ "wrs.nto", 0x00d00073, ">" },
	{ "hlv.w a0, (a1)", 0x6805c573, "x11 > x10" },
	{ "hsv.w a0, (a1)", 0x6aa5c073, "x11 x10 >" },
	{ "sspush ra", 0xce104073, "x1 >" },
	{ "sspopchk ra", 0xcdc0c073, "x1 >" },
	{ "ssrdp t0", 0xcdc042f3, "> x5" },
	{ "mop.rr.1 a0, a1, a2", 0x86c5c573, "x11 x12 > x10" },
	{ "mop.r.3 a0, a1", 0x81f5c573, "x11 > x10" },
	{ "vsetvli a0, a1, e32, m1, ta, ma", 0x0d05f557, "x11 > x10" },
	{ "vsetivli a0, 4, e32, m1, ta, ma", 0xcd027557, "> x10" },
	{ "vsetvl a0, a1, a2", 0x80c5f557, "x11 x12 > x10" },
	{ "vadd.vv v8, v4, v6", 0x02430457, "v6 v4 > v8" },
	{ "vadd.vx v8, v4, a0", 0x02454457, "x10 v4 > v8" },
	{ "vadd.vi v8, v4, 3, v0.t", 0x0041b457, "v4 v0 > v8" },
	{ "vfadd.vf v8, v4, fa0", 0x02455457, "f10 v4 > v8" },
	{ "vfmacc.vv v8, v4, v6", 0xb2621457, "v4 v6 v8 > v8" },
	{ "vmacc.vx v8, a0, v6, v0.t", 0xb4656457, "x10 v6 v8 v0 > v8" },
	{ "vwmacc.vv v8, v4, v6", 0xf6622457, "v4 v6 v8 > v8" },
	{ "vmv.x.s a0, v4", 0x42402557, "v4 > x10" },
	{ "vmv.s.x v4, a0", 0x42056257, "x10 > v4" },
	{ "vfmv.f.s fa0, v4", 0x42401557, "v4 > f10" },
	{ "vfmv.s.f v4, fa0", 0x42055257, "f10 > v4" },
	{ "vmv.v.x v8, a0", 0x5e054457, "x10 > v8" },
	{ "vmv.v.v v8, v4", 0x5e020457, "v4 > v8" },
	{ "vmv.v.i v8, 3", 0x5e01b457, "> v8" },
	{ "vfmv.v.f v8, fa0", 0x5e055457, "f10 > v8" },
	{ "vid.v v8", 0x5208a457, "> v8" },
	{ "vid.v v8, v0.t", 0x5008a457, "v0 > v8" },
	{ "viota.m v8, v4", 0x52482457, "v4 > v8" },
	{ "vmerge.vxm v8, v4, a0, v0", 0x5c454457, "x10 v4 v0 > v8" },
	{ "vzext.vf2 v8, v4", 0x4a432457, "v4 > v8" },
	{ "vfsqrt.v v8, v4", 0x4e401457, "v4 > v8" },
	{ "vfcvt.x.f.v v8, v4", 0x4a409457, "v4 > v8" },
	{ "vcpop.m a0, v4", 0x42482557, "v4 > x10" },
	{ "vredsum.vs v8, v4, v6", 0x02432457, "v6 v4 > v8" },
	{ "vaesdm.vv v8, v4", 0xa2402477, "v4 v8 > v8" },
	{ "vaesdm.vs v8, v4", 0xa6402477, "v4 v8 > v8" },
	{ "vaesdf.vv v8, v4", 0xa240a477, "v4 v8 > v8" },
	{ "vaesdf.vs v8, v4", 0xa640a477, "v4 v8 > v8" },
	{ "vaesem.vv v8, v4", 0xa2412477, "v4 v8 > v8" },
	{ "vaesem.vs v8, v4", 0xa6412477, "v4 v8 > v8" },
	{ "vaesef.vv v8, v4", 0xa241a477, "v4 v8 > v8" },
	{ "vaesef.vs v8, v4", 0xa641a477, "v4 v8 > v8" },
	{ "vaesz.vs v8, v4", 0xa643a477, "v4 v8 > v8" },
	{ "vaeskf1.vi v8, v4, 3", 0x8a41a477, "v4 > v8" },
	{ "vaeskf2.vi v8, v4, 3", 0xaa41a477, "v4 v8 > v8" },
	{ "vsha2ms.vv v8, v4, v6", 0xb6432477, "v6 v4 v8 > v8" },
	{ "vsha2ch.vv v8, v4, v6", 0xba432477, "v6 v4 v8 > v8" },
	{ "vsha2cl.vv v8, v4, v6", 0xbe432477, "v6 v4 v8 > v8" },
	{ "vsm3me.vv v8, v4, v6", 0x82432477, "v6 v4 > v8" },
	{ "vsm3c.vi v8, v4, 3", 0xae41a477, "v4 v8 > v8" },
	{ "vsm4k.vi v8, v4, 3", 0x8641a477, "v4 > v8" },
	{ "vsm4r.vv v8, v4", 0xa2482477, "v4 v8 > v8" },
	{ "vsm4r.vs v8, v4", 0xa6482477, "v4 v8 > v8" },
	{ "vgmul.vv v8, v4", 0xa248a477, "v4 v8 > v8" },
	{ "vgmul.vs v8, v4", 0xa648a477, "v4 v8 > v8" },
	{ "vghsh.vv v8, v4, v6", 0xb2432477, "v6 v4 v8 > v8" },
	{ "vghsh.vs v8, v4, v6", 0x8e432477, "v6 v4 v8 > v8" },
	{ "vclmul.vv v8, v4, v6", 0x32432457, "v6 v4 > v8" },
	{ "vbrev8.v v8, v4", 0x4a442457, "v4 > v8" },
	{ "vfwmaccbf16.vv v8, v4, v6", 0xee621457, "v4 v6 v8 > v8" },
	{ "vfwmaccbf16.vf v8, fa0, v6", 0xee655457, "f10 v6 v8 > v8" },
	{ "vwmul.vv v8, v4, v6", 0xee432457, "v6 v4 > v8" },
	{ "vwmul.vx v8, v4, a0", 0xee456457, "x10 v4 > v8" },
	{ "vfwmul.vv v8, v4, v6", 0xe2431457, "v6 v4 > v8" },
	{ "vnclip.wx v8, v4, a0", 0xbe454457, "x10 v4 > v8" },
	{ "vslideup.vx v8, v4, a0", 0x3a454457, "x10 v4 v8 > v8" },
	{ "vslideup.vi v8, v4, 3, v0.t", 0x3841b457, "v4 v8 v0 > v8" },
	{ "vslide1up.vx v8, v4, a0", 0x3a456457, "x10 v4 > v8" },
	{ "vfslide1up.vf v8, v4, fa0", 0x3a455457, "f10 v4 > v8" },
	{ "vslidedown.vi v8, v4, 3", 0x3e41b457, "v4 > v8" },
	{ "vrgatherei16.vv v8, v4, v6", 0x3a430457, "v6 v4 > v8" },
	{ "c.addi4spn a0, sp, 16", 0x0808, "x2 > x10" },
	{ "c.fld fa0, 8(a1)", 0x2588, "x11 > f10" },
	{ "c.lw a0, 4(a1)", 0x41c8, "x11 > x10" },
	{ "c.ld a0, 8(a1)", 0x6588, "x11 > x10" },
	{ "c.lbu a0, 0(a1)", 0x8188, "x11 > x10" },
	{ "c.lh a0, 0(a1)", 0x85c8, "x11 > x10" },
	{ "c.sb a0, 0(a1)", 0x8988, "x11 x10 >" },
	{ "c.sh a0, 0(a1)", 0x8d88, "x11 x10 >" },
	{ "c.fsd fa0, 8(a1)", 0xa588, "x11 f10 >" },
	{ "c.sw a0, 4(a1)", 0xc1c8, "x11 x10 >" },
	{ "c.sd a0, 8(a1)", 0xe588, "x11 x10 >" },
	{ "c.nop", 0x0001, ">" },
	{ "c.addi t0, 1", 0x0285, "x5 > x5" },
	{ "c.addiw t0, 1", 0x2285, "x5 > x5" },
	{ "c.li t0, 1", 0x4285, "> x5" },
	{ "c.lui t0, 1", 0x6285, "> x5" },
	{ "c.sspush ra", 0x6081, "x1 >" },
	{ "c.sspopchk t0", 0x6281, "x5 >" },
	{ "c.mop.3", 0x6181, ">" },
	{ "c.addi16sp sp, 16", 0x6141, "x2 > x2" },
	{ "c.srli a0, 1", 0x8105, "x10 > x10" },
	{ "c.andi a0, 1", 0x8905, "x10 > x10" },
	{ "c.sub a0, a1", 0x8d0d, "x10 x11 > x10" },
	{ "c.addw a0, a1", 0x9d2d, "x10 x11 > x10" },
	{ "c.mul a0, a1", 0x9d4d, "x10 x11 > x10" },
	{ "c.zext.b a0", 0x9d61, "x10 > x10" },
	{ "c.j .", 0xa001, ">" },
	{ "c.beqz a0, .", 0xc101, "x10 >" },
	{ "c.slli t0, 1", 0x0286, "x5 > x5" },
	{ "c.fldsp fa0, 8(sp)", 0x2522, "x2 > f10" },
	{ "c.lwsp t0, 4(sp)", 0x4292, "x2 > x5" },
	{ "c.ldsp ra, 8(sp)", 0x60a2, "x2 > x1" },
	{ "c.jr t0", 0x8282, "x5 >" },
	{ "c.mv t0, t1", 0x829a, "x6 > x5" },
	{ "c.ebreak", 0x9002, ">" },
	{ "c.jalr t0", 0x9282, "x5 > x1" },
	{ "c.add t0, t1", 0x929a, "x5 x6 > x5" },
	{ "c.fsdsp fa0, 8(sp)", 0xa42a, "x2 f10 >" },
	{ "c.swsp t0, 4(sp)", 0xc216, "x2 x5 >" },
	{ "c.sdsp ra, 8(sp)", 0xe406, "x2 x1 >" },
};

static const struct row rv32_rows[] = {
	{ "c.jal .", 0x2001, "> x1" },
	{ "c.flw fa0, 4(a1)", 0x61c8, "x11 > f10" },
	{ "c.fsw fa0, 4(a1)", 0xe1c8, "x11 f10 >" },
	{ "c.flwsp fa0, 4(sp)", 0x6512, "x2 > f10" },
	{ "c.fswsp fa0, 4(sp)", 0xe22a, "x2 f10 >" },
};

/* Encodings that are no instructions, or are custom. */
static const struct row unknown_rows[] = {
	{ "c.unimp", 0, ">" },
	{ "custom-0", 0x0ab5050b, ">" },
	{ "OP-VE of funct6 0x1f", 0x7e432477, ">" },
	{ "OP-VE of funct6 0x24", 0x92432477, ">" },
	{ "OP-VE of funct6 0x27", 0x9e432477, ">" },
	{ "OP-VE of funct6 0x30", 0xc2432477, ">" },
	{ "vaesdm.vv with a mask", 0xa0402477, ">" },
	{ "vsha2ms with funct3 0", 0xb6430477, ">" },
};

static void print(char **at, uint8_t reg)
{
	*at += sprintf(*at, "%c%u", "xfv"[reg / 32], reg % 32u);
}

static const char *text(const struct rv_operands *ops)
{
	static char buf[64];
	char *at = buf;
	unsigned int i;

	for (i = 0; i < ops->n_sources; i++, *at++ = ' ')
		print(&at, ops->sources[i]);
	*at++ = '>';
	for (i = 0; i < ops->n_dests; i++) {
		*at++ = ' ';
		print(&at, ops->dests[i]);
	}
	*at = 0;
	return buf;
}

static void check(const struct row *row, size_t nr, unsigned int flags)
{
	for (; nr--; row++) {
		unsigned int size = (row->opcode & 3) == 3 ? 4 : 2;
		struct rv_operands ops = rv_operands(row->opcode, size, flags);

		if (strcmp(text(&ops), row->operands))
			test_fail(__FILE__, __LINE__, "%s: %s, not %s", row->assembly,
				  text(&ops), row->operands);
	}
}

TEST(operands_are_those_of_the_assembly)
{
	check(rows, sizeof(rows) / sizeof(rows[0]), 0);
}

TEST(rv32_has_other_compressed_instructions)
{
	check(rv32_rows, sizeof(rv32_rows) / sizeof(rv32_rows[0]), RV_RV32);
}

TEST(what_is_not_known_has_no_operands)
{
	check(unknown_rows, sizeof(unknown_rows) / sizeof(unknown_rows[0]), 0);
}

/* 0 is no register, and there are 32 of each kind. */
TEST(any_opcode_has_operands_that_exist)
{
	unsigned int i, j;

	for (i = 0; i < 2000000; i++) {
		uint32_t opcode = (uint32_t)test_random();
		unsigned int size = (opcode & 3) == 3 ? 4 : 2;
		struct rv_operands ops = rv_operands(size == 2 ? opcode & 0xffff : opcode,
						     size, i & 1 ? RV_RV32 : 0);

		CHECK(ops.n_sources <= 4 && ops.n_dests <= 1);
		for (j = 0; j < ops.n_sources; j++)
			CHECK(ops.sources[j] && ops.sources[j] < 96);
		for (j = 0; j < ops.n_dests; j++)
			CHECK(ops.dests[j] && ops.dests[j] < 96);
	}
}
