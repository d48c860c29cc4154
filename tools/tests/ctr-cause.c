// SPDX-License-Identifier: GPL-2.0-only
/* Encodings by GNU as, in comments what it was given. */
#include "test.h"
#include "ctr_cause.h"

TEST(ecall_and_nothing_like_it_is_a_system_call)
{
	CHECK_EQ(ctr_cause_of(0x00000073), CTR_CAUSE_ECALL);
	CHECK_EQ(ctr_cause_of(0x10200073), CTR_CAUSE_UNKNOWN);	/* sret */
	CHECK_EQ(ctr_cause_of(0x10500073), CTR_CAUSE_UNKNOWN);	/* wfi */
	CHECK_EQ(ctr_cause_of(0xc0102573), CTR_CAUSE_UNKNOWN);	/* rdtime a0 */
}

TEST(both_ebreaks_are_breakpoints)
{
	CHECK_EQ(ctr_cause_of(0x00100073), CTR_CAUSE_BREAKPOINT);
	CHECK_EQ(ctr_cause_of(0x9002), CTR_CAUSE_BREAKPOINT);
	CHECK_EQ(ctr_cause_of(0xffff9002), CTR_CAUSE_BREAKPOINT);
}

TEST(loads_stores_and_atomics_fault_on_data)
{
	static const __u32 insns[] = {
		0x0005b503,	/* ld a0,0(a1) */
		0x00a58023,	/* sb a0,0(a1) */
		0x00b6252f,	/* amoadd.w a0,a1,(a2) */
		0x1005b52f,	/* lr.d a0,(a1) */
		0x0005b507,	/* fld fa0,0(a1) */
		0x00059507,	/* flh fa0,0(a1) */
		0x0005c507,	/* flq fa0,0(a1) */
		0x00a5a027,	/* fsw fa0,0(a1) */
	};

	for (unsigned int i = 0; i < sizeof(insns) / sizeof(insns[0]); i++)
		CHECK_EQ(ctr_cause_of(insns[i]), CTR_CAUSE_DATA);
}

TEST(compressed_loads_and_stores_fault_on_data)
{
	static const __u32 insns[] = {
		0x6188,		/* c.ld a0,0(a1) */
		0x4188,		/* c.lw a0,0(a1) */
		0x2188,		/* c.fld fa0,0(a1) */
		0xe188,		/* c.sd a0,0(a1) */
		0xc188,		/* c.sw a0,0(a1) */
		0xa188,		/* c.fsd fa0,0(a1) */
		0x8188,		/* c.lbu a0,0(a1) */
		0x6502,		/* c.ldsp a0,0(sp) */
		0x4502,		/* c.lwsp a0,0(sp) */
		0x2502,		/* c.fldsp fa0,0(sp) */
		0xe02a,		/* c.sdsp a0,0(sp) */
		0xc02a,		/* c.swsp a0,0(sp) */
		0xa02a,		/* c.fsdsp fa0,0(sp) */
	};

	for (unsigned int i = 0; i < sizeof(insns) / sizeof(insns[0]); i++)
		CHECK_EQ(ctr_cause_of(insns[i]), CTR_CAUSE_DATA);
}

TEST(what_raises_nothing_was_not_fetched)
{
	static const __u32 insns[] = {
		0x00c58533,	/* add a0,a1,a2 */
		0x02c5c533,	/* div a0,a1,a2 */
		0x0015051b,	/* addiw a0,a0,1 */
		0x00001517,	/* auipc a0,1 */
		0x00b50463,	/* beq a0,a1,.+8 */
		0x000080e7,	/* jalr ra,0(ra) */
		0x008000ef,	/* jal ra,.+8 */
		0x0808,		/* c.addi4spn a0,sp,16 */
		0x050a,		/* c.slli a0,2 */
		0x852e,		/* c.mv a0,a1 */
		0x8082,		/* c.ret */
		0x0505,		/* c.addi a0,1 */
		0xa001,		/* c.j . */
	};

	for (unsigned int i = 0; i < sizeof(insns) / sizeof(insns[0]); i++)
		CHECK_EQ(ctr_cause_of(insns[i]), CTR_CAUSE_FETCH);
}

TEST(what_may_be_illegal_is_unknown)
{
	static const __u32 insns[] = {
		0x0000,		/* unimp, compressed */
		0xc0001073,	/* unimp */
		0x02058507,	/* vle8.v v10,(a1) */
		0x0205d507,	/* vle16.v v10,(a1) */
		0x0205e507,	/* vle32.v v10,(a1) */
		0x0205f507,	/* vle64.v v10,(a1) */
		0x02a50557,	/* vadd.vv v10,v10,v10 */
		0x0015200f,	/* cbo.clean (a0) */
		0x02a57553,	/* fadd.d fa0,fa0,fa0 */
	};

	for (unsigned int i = 0; i < sizeof(insns) / sizeof(insns[0]); i++)
		CHECK_EQ(ctr_cause_of(insns[i]), CTR_CAUSE_UNKNOWN);
}
