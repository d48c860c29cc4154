// SPDX-License-Identifier: GPL-2.0-only
#include "ctr_cause.h"
#include "prove.h"
#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"

static __u32 any_word(void)
{
	__u32 insn = nondet_u64() & ~0U;

	ASSUME((insn & 3) == 3);
	return insn;
}

static __u32 any_compressed(void)
{
	__u32 insn = nondet_u64() & ~0U;

	ASSUME((insn & 3) != 3);
	return insn;
}

/* f: none but a fetch can fault. d: its data can. ?: it may be illegal. */
static enum ctr_cause cause_of_letter(char letter)
{
	return letter == 'f' ? CTR_CAUSE_FETCH :
	       letter == 'd' ? CTR_CAUSE_DATA :
			       CTR_CAUSE_UNKNOWN;
}

/*
 * The ISA manual's table "RISC-V base opcode map, inst[1:0]=11" in its own order, a
 * row for inst[6:5] and a column for inst[4:2]. F: a width says whether it is scalar
 * or a vector. S: system instructions.
 */
static const char base_map[4][9] = {
	"dF??fff?", /* LOAD LOAD-FP . MISC-MEM OP-IMM AUIPC OP-IMM-32 . */
	"dF?dfff?", /* STORE STORE-FP . AMO OP LUI OP-32 . */
	"????????", /* MADD MSUB NMSUB NMADD OP-FP OP-V . . */
	"ff?fS???", /* BRANCH JALR . JAL SYSTEM OP-VE . . */
};

PROVE(each_word_has_the_cause_that_the_opcode_map_gives_it)
{
	__u32 insn = any_word();
	char letter = base_map[insn >> 5 & 3][insn >> 2 & 7];
	unsigned int width = insn >> 12 & 7;
	enum ctr_cause want;

	if (letter == 'F') /* half, word, double, quad; others are vectors' */
		letter = width >= 1 && width <= 4 ? 'd' : '?';
	want = cause_of_letter(letter);
	if (letter == 'S' && insn >> 7 == 0)
		want = CTR_CAUSE_ECALL;
	if (letter == 'S' && insn >> 7 == 1 << 13)
		want = CTR_CAUSE_BREAKPOINT;
	CHECK(ctr_cause_of(insn) == want);
}

/*
 * "RVC opcode map" for RV64: a row for inst[1:0], a column for inst[15:13]. The
 * reserved place of quadrant 0 is Zcb's loads and stores.
 */
static const char compressed_map[3][9] = {
	"fddddddd", /* ADDI4SPN FLD LW LD (Zcb) FSD SW SD */
	"ffffffff", /* ADDI ADDIW LI LUI/ADDI16SP MISC-ALU J BEQZ BNEZ */
	"fdddfddd", /* SLLI FLDSP LWSP LDSP J[AL]R/MV/ADD FSDSP SWSP SDSP */
};

PROVE(each_compressed_one_has_the_cause_that_the_opcode_map_gives_it)
{
	__u32 insn = any_compressed();
	__u32 half = insn & 0xffff;
	char letter = compressed_map[half & 3][half >> 13];
	enum ctr_cause want = cause_of_letter(letter);

	if (half == 0)	/* "defined illegal instruction" */
		want = CTR_CAUSE_UNKNOWN;
	if (half == (4U << 13 | 1 << 12 | 2))	/* C.EBREAK */
		want = CTR_CAUSE_BREAKPOINT;
	CHECK(ctr_cause_of(insn) == want);
}

PROVE(what_follows_a_compressed_one_changes_nothing)
{
	__u32 insn = any_compressed();

	CHECK(ctr_cause_of(insn) == ctr_cause_of(insn & 0xffff));
}

/* Those that read and write traces decode instructions by themselves. */
static void agrees_with_the_decoder(__u32 word, unsigned int size)
{
	enum ctr_cause cause = ctr_cause_of(word);
	struct rv_mem mem = rv_mem_of(word, size, 0);
	struct rv_insn insn;

	ASSUME(rv_decode_word(&insn, word, 0) == (int)size);
	if (rv_is_jump(&insn) || insn.xfer == RV_XFER_BRANCH)
		CHECK(cause == CTR_CAUSE_FETCH);
	if (insn.xfer == RV_XFER_TRAP_RETURN)
		CHECK(cause == CTR_CAUSE_UNKNOWN);
	if (cause == CTR_CAUSE_ECALL || cause == CTR_CAUSE_BREAKPOINT)
		CHECK(rv_always_traps(&insn));
	if (cause == CTR_CAUSE_FETCH)
		CHECK(mem.way == RV_MEM_NONE && !rv_always_traps(&insn));
	if (cause == CTR_CAUSE_DATA)
		CHECK(insn.xfer == RV_XFER_NONE);
}

PROVE(a_word_is_what_the_decoder_of_traces_takes_it_for)
{
	__u32 insn = any_word();
	struct rv_mem mem = rv_mem_of(insn, 4, 0);
	bool is_system = (insn & 0x7f) == 0x73; /* hlv, hsv: may be illegal */

	agrees_with_the_decoder(insn, 4);
	/* A vector's size is not told. */
	if (mem.bytes && !is_system)
		CHECK(ctr_cause_of(insn) == CTR_CAUSE_DATA);
	if (ctr_cause_of(insn) == CTR_CAUSE_DATA)
		CHECK(mem.way != RV_MEM_NONE);
}

PROVE(a_compressed_one_is_what_the_decoder_of_traces_takes_it_for)
{
	__u32 insn = any_compressed();
	struct rv_mem mem = rv_mem_of(insn & 0xffff, 2, 0);
	bool is_zcb = (insn & 0xe003) == 0x8000; /* half of them reserved */

	agrees_with_the_decoder(insn & 0xffff, 2);
	if (mem.way != RV_MEM_NONE)
		CHECK(ctr_cause_of(insn) == CTR_CAUSE_DATA);
	if (ctr_cause_of(insn) == CTR_CAUSE_DATA)
		CHECK(mem.way != RV_MEM_NONE || is_zcb);
}
