// SPDX-License-Identifier: GPL-2.0-only
/* Which registers a part of a trace knows, by the records before it. */
#include "stf-build.h"
#include "stf/stf.h"
#include "tracecut/regs.h"

static struct bytes in;
static struct tcut_regs *regs;

static void b_operand(unsigned int operand, unsigned int type, unsigned int number,
		      uint64_t value)
{
	b8(&in, 40);
	b16(&in, number);
	b8(&in, operand << 4 | type);
	b64(&in, value);
}

static void b_reg(unsigned int type, unsigned int number, uint64_t value)
{
	b_operand(STF_REG_DEST, type, number, value);
}

static void b_vector(unsigned int number, uint64_t low, uint64_t high)
{
	b_reg(STF_REG_VEC, number, low);
	b64(&in, high);
}

static void begin(void)
{
	b_vector_header(&in);
	regs = tcut_regs_new();
	CHECK(regs);
}

/* Take the records of one instruction. */
static void take(void)
{
	struct stf_reader *reader;
	struct stf_inst_iter *iter;
	struct stf_inst inst;

	b_inst32(&in, 0x13);
	reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	CHECK(reader);
	iter = stf_inst_iter_new(reader, sizeof(inst));
	CHECK(iter);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	tcut_regs_before(regs, &inst);
	CHECK(tcut_regs_after(regs, &inst, iter));
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

static bool has(unsigned int type, unsigned int number, uint64_t value)
{
	const struct stf_reg reg = { .type = type, .number = number, .value = value };

	return tcut_regs_has(regs, &reg);
}

static bool has_vector(unsigned int number, unsigned int words, uint64_t low, uint64_t high)
{
	const uint64_t vector[] = { low, high };
	const struct stf_reg reg = { .type = STF_REG_VEC, .number = number,
				     .n_words = words, .vector = vector };

	return tcut_regs_has(regs, &reg);
}

/* What an instruction reads was there before what it writes, whatever the order of records. */
TEST(a_register_has_what_was_written_last)
{
	begin();
	b_reg(STF_REG_INT, 5, 1);
	b_operand(STF_REG_SOURCE, STF_REG_INT, 5, 2);
	b_operand(STF_REG_SOURCE, STF_REG_INT, 6, 3);
	take();
	CHECK(has(STF_REG_INT, 5, 1));
	CHECK(has(STF_REG_INT, 6, 3));
	tcut_regs_free(regs);
}

TEST(registers_of_each_bank_are_known_by_their_values)
{
	static const unsigned int banks[] = { STF_REG_INT, STF_REG_FP, STF_REG_CSR };
	unsigned int i, k;

	begin();
	for (i = 0; i < 3; i++)
		b_reg(banks[i], 31, 100 + i);
	take();
	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++)
			CHECK_EQ(has(banks[i], 31, 100 + k), i == k);
	for (i = 0; i < 3; i++)
		CHECK(!has(banks[i], 30, 100 + i) && !has(banks[i], 30, 0));
	tcut_regs_forget(regs);
	for (i = 0; i < 3; i++)
		CHECK(!has(banks[i], 31, 100 + i));
	tcut_regs_free(regs);
}

TEST(a_vector_register_is_known_by_all_of_its_words)
{
	begin();
	b_vector(31, 7, 8);
	take();
	CHECK(has_vector(31, 2, 7, 8));
	CHECK(!has_vector(31, 2, 7, 9));
	CHECK(!has_vector(31, 1, 7, 8));
	CHECK(!has_vector(30, 2, 7, 8));
	tcut_regs_forget(regs);
	CHECK(!has_vector(31, 2, 7, 8));
	tcut_regs_free(regs);
}

TEST(the_last_value_counts)
{
	begin();
	b_reg(STF_REG_INT, 5, 1);
	b_reg(STF_REG_INT, 5, 2);
	b_vector(5, 1, 2);
	b_vector(5, 3, 4);
	take();
	CHECK(has(STF_REG_INT, 5, 2) && !has(STF_REG_INT, 5, 1));
	CHECK(has_vector(5, 2, 3, 4) && !has_vector(5, 2, 1, 2));
	tcut_regs_free(regs);
}

TEST(what_risc_v_does_not_have_is_not_known)
{
	begin();
	b_reg(STF_REG_INT, STF_REG_PC, 7);
	b_reg(STF_REG_CSR, 4095, 7);
	b_reg(STF_REG_CSR, 4096, 7);
	take();
	CHECK(!has(STF_REG_INT, STF_REG_PC, 7));
	CHECK(has(STF_REG_CSR, 4095, 7));
	CHECK(!has(STF_REG_CSR, 4096, 7));
	tcut_regs_free(regs);
}
