// SPDX-License-Identifier: GPL-2.0-only
/* Instructions as binutils assembles them, and what each does. */
#include <stdio.h>

#include "riscv/rv_class.h"
#include "riscv/rv_insn.h"
#include "test.h"

static const struct {
	uint32_t word;
	enum rv_class class;
} insns[] = {
	{ 0x00150513, RV_CLASS_INTEGER }, /* addi */
	{ 0x00005537, RV_CLASS_INTEGER }, /* lui */
	{ 0x00005517, RV_CLASS_INTEGER }, /* auipc */
	{ 0x0015051b, RV_CLASS_INTEGER }, /* addiw */
	{ 0x00c58533, RV_CLASS_INTEGER }, /* add */
	{ 0x40c5853b, RV_CLASS_INTEGER }, /* subw */
	{ 0x02c58533, RV_CLASS_MULTIPLY }, /* mul */
	{ 0x02c5d53b, RV_CLASS_MULTIPLY }, /* divuw */
	{ 0x0085b503, RV_CLASS_LOAD }, /* ld */
	{ 0x0085c503, RV_CLASS_LOAD }, /* lbu */
	{ 0x0085b507, RV_CLASS_LOAD }, /* fld */
	{ 0x00a5b423, RV_CLASS_STORE }, /* sd */
	{ 0x00a5a427, RV_CLASS_STORE }, /* fsw */
	{ 0x00b6252f, RV_CLASS_ATOMIC }, /* amoadd.w */
	{ 0x1005b52f, RV_CLASS_ATOMIC }, /* lr.d */
	{ 0x18b6352f, RV_CLASS_ATOMIC }, /* sc.d */
	{ 0x02c5f553, RV_CLASS_FLOAT }, /* fadd.d */
	{ 0x68c5f543, RV_CLASS_FLOAT }, /* fmadd.s */
	{ 0xe2050553, RV_CLASS_FLOAT }, /* fmv.x.d */
	{ 0x022180d7, RV_CLASS_VECTOR }, /* vadd.vv */
	{ 0x02057087, RV_CLASS_VECTOR }, /* vle64.v */
	{ 0x020500a7, RV_CLASS_VECTOR }, /* vse8.v */
	{ 0x0c05f557, RV_CLASS_VECTOR }, /* vsetvli */
	{ 0xfab502e3, RV_CLASS_BRANCH }, /* beq */
	{ 0x00078067, RV_CLASS_JUMP }, /* jr */
	{ 0xf9dff06f, RV_CLASS_JUMP }, /* j */
	{ 0xf99ff36f, RV_CLASS_JUMP }, /* jal */
	{ 0xf95ff0ef, RV_CLASS_CALL }, /* jal */
	{ 0x000780e7, RV_CLASS_CALL }, /* jalr */
	{ 0x000280e7, RV_CLASS_CALL }, /* jalr ra, t0 */
	{ 0x000082e7, RV_CLASS_JUMP }, /* jalr t0, ra */
	{ 0x00008067, RV_CLASS_RETURN }, /* ret */
	{ 0x0ff0000f, RV_CLASS_FENCE }, /* fence */
	{ 0x0000100f, RV_CLASS_FENCE }, /* fence.i */
	{ 0x00000073, RV_CLASS_SYSTEM }, /* ecall */
	{ 0x00100073, RV_CLASS_SYSTEM }, /* ebreak */
	{ 0xc0002573, RV_CLASS_SYSTEM }, /* rdcycle */
	{ 0x10500073, RV_CLASS_SYSTEM }, /* wfi */
	{ 0x30200073, RV_CLASS_SYSTEM }, /* mret */
	{ 0x10200073, RV_CLASS_SYSTEM }, /* sret */
	{ 0x12000073, RV_CLASS_SYSTEM }, /* sfence.vma */
	{ 0x0505, RV_CLASS_INTEGER }, /* addi */
	{ 0x4505, RV_CLASS_INTEGER }, /* li */
	{ 0x6505, RV_CLASS_INTEGER }, /* lui */
	{ 0x0506, RV_CLASS_INTEGER }, /* slli */
	{ 0x852e, RV_CLASS_INTEGER }, /* mv */
	{ 0x952e, RV_CLASS_INTEGER }, /* add */
	{ 0x8d0d, RV_CLASS_INTEGER }, /* sub */
	{ 0x0028, RV_CLASS_INTEGER }, /* addi */
	{ 0x0001, RV_CLASS_INTEGER }, /* nop */
	{ 0x2505, RV_CLASS_INTEGER }, /* addiw */
	{ 0x6588, RV_CLASS_LOAD }, /* ld */
	{ 0x4522, RV_CLASS_LOAD }, /* lw */
	{ 0x2522, RV_CLASS_LOAD }, /* fld */
	{ 0xc588, RV_CLASS_STORE }, /* sw */
	{ 0xe42a, RV_CLASS_STORE }, /* sd */
	{ 0xa42a, RV_CLASS_STORE }, /* fsd */
	{ 0xc101, RV_CLASS_BRANCH }, /* beqz */
	{ 0xfd7d, RV_CLASS_BRANCH }, /* bnez */
	{ 0xa001, RV_CLASS_JUMP }, /* j */
	{ 0x8782, RV_CLASS_JUMP }, /* jr */
	{ 0x9782, RV_CLASS_CALL }, /* jalr */
	{ 0x9282, RV_CLASS_CALL }, /* jalr t0 */
	{ 0x8082, RV_CLASS_RETURN }, /* ret */
	{ 0x9002, RV_CLASS_SYSTEM }, /* ebreak */
	/* By the specifications. */
	{ 0x9000, RV_CLASS_OTHER }, /* Zcb, reserved */
	{ 0x8000, RV_CLASS_LOAD }, /* c.lbu */
	{ 0x8400, RV_CLASS_LOAD }, /* c.lhu */
	{ 0x8800, RV_CLASS_STORE }, /* c.sb */
	{ 0x8c00, RV_CLASS_STORE }, /* c.sh */
	{ 0x9c41, RV_CLASS_MULTIPLY }, /* c.mul */
	{ 0x0000000b, RV_CLASS_OTHER }, /* custom-0 */
	{ 0x00002063, RV_CLASS_OTHER }, /* BRANCH with funct3 2 */
	{ 0x0000, RV_CLASS_SYSTEM }, /* c.unimp */
	{ 0x0000001f, RV_CLASS_OTHER }, /* the start of a longer one */
};

TEST(every_kind_of_instruction_has_its_class)
{
	unsigned int i;

	for (i = 0; i < sizeof(insns) / sizeof(insns[0]); i++)
		if (rv_class(insns[i].word, 0) != insns[i].class)
			test_fail(__FILE__, __LINE__, "%x is no %s",
				  insns[i].word,
				  rv_class_name(insns[i].class));
}

TEST(what_depends_on_the_hart)
{
	CHECK_EQ(rv_class(0x2505, 0), RV_CLASS_INTEGER); /* c.addiw */
	CHECK_EQ(rv_class(0x2505, RV_RV32), RV_CLASS_CALL); /* c.jal */
	CHECK_EQ(rv_class(0xa002, 0), RV_CLASS_STORE); /* c.fsdsp */
	CHECK_EQ(rv_class(0xa002, RV_ZCM), RV_CLASS_JUMP); /* cm.jt */
	CHECK_EQ(rv_class(0xbe42, RV_ZCM), RV_CLASS_RETURN); /* cm.popret */
}

TEST(of_a_short_instruction_16_bits_count)
{
	CHECK_EQ(rv_class(0xffff0505, 0), RV_CLASS_INTEGER);
}

TEST(all_classes_have_names)
{
	unsigned int i;

	for (i = 0; i < RV_N_CLASSES; i++)
		CHECK(rv_class_name(i) && *rv_class_name(i));
	CHECK(!rv_class_name(RV_N_CLASSES));
}
