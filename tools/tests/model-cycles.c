// SPDX-License-Identifier: GPL-2.0-only
/* The reference model, section "Cycle Counting". */
#include "model-build.h"

/* The figure "Control Transfer Record Metadata Register Format". */
static unsigned int ccv(const struct model *m, unsigned int i)
{
	return entry_of(m, i).data >> 15 & 1;
}

static unsigned int ccm(const struct model *m, unsigned int i)
{
	return entry_of(m, i).data >> 16 & 0xfff;
}

static unsigned int cce(const struct model *m, unsigned int i)
{
	return entry_of(m, i).data >> 28 & 0xf;
}

/* "The elapsed cycle count can then be calculated by software", its formula. */
static unsigned int elapsed(const struct model *m, unsigned int i)
{
	if (cce(m, i) == 0)
		return ccm(m, i);
	return (4096 + ccm(m, i)) << (cce(m, i) - 1);
}

static void jump(struct model *m)
{
	CHECK_EQ(go(m, 11, MODEL_U, 2, 4), MODEL_RECORDED);
}

/* A hart with so many bits of CCE that has made its first record. */
static void ready(struct model *m, int cce_bits)
{
	const struct model_hart hart = { .depths = 1, .control = ~0ull,
					 .types = true,
					 .cce_bits = (int8_t)cce_bits };

	model_init(m, &hart);
	model_write_csr(m, CTR_CSR_SCTRCTL, CTR_CTL_U);
	jump(m);
}

TEST(cycles_since_the_record_before)
{
	struct model m;

	ready(&m, 4);
	model_pass(&m, MODEL_U, 5);
	model_pass(&m, MODEL_U, 2);
	jump(&m);
	CHECK_EQ(ccv(&m, 0), 1);
	CHECK_EQ(elapsed(&m, 0), 7);
	jump(&m);
	CHECK_EQ(ccv(&m, 0), 1);
	CHECK_EQ(elapsed(&m, 0), 0);
}

/* "CCE holds 0 if ... less than 4096, otherwise ... most significant one ... - 11" */
TEST(the_encoding)
{
	static const struct {
		uint32_t cycles;
		unsigned int cce, ccm;
	} rows[] = {
		{ 0, 0, 0 },
		{ 1, 0, 1 },
		{ 4095, 0, 4095 },
		{ 4096, 1, 0 }, /* bit 12; CCM is bits 11:0 */
		{ 8191, 1, 4095 },
		{ 8192, 2, 0 }, /* bit 13; CCM is bits 12:1 */
		{ 8193, 2, 0 },
		{ 8194, 2, 1 },
		{ 16383, 2, 4095 },
		{ 16384 + 4 * 3 + 3, 3, 3 }, /* "the bottom 2 bits ... not" */
		{ 1 << 26, 15, 0 },
		{ (1 << 26) + (5 << 14), 15, 5 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct model m;

		ready(&m, 4);
		model_pass(&m, MODEL_U, rows[i].cycles);
		jump(&m);
		CHECK_EQ(cce(&m, 0), rows[i].cce);
		CHECK_EQ(ccm(&m, 0), rows[i].ccm);
	}
}

/* The table "Cycle Counter Size Options", and "The CC value saturates". */
static void check_size(int bits, unsigned int max)
{
	struct model m;

	ready(&m, bits);
	model_pass(&m, MODEL_U, max);
	jump(&m);
	CHECK_EQ(elapsed(&m, 0), max);
	model_pass(&m, MODEL_U, UINT32_MAX);
	model_pass(&m, MODEL_U, UINT32_MAX);
	jump(&m);
	CHECK_EQ(elapsed(&m, 0), max);
	CHECK_EQ(ccm(&m, 0), 4095);
	CHECK_EQ(cce(&m, 0), (1u << bits) - 1);
	CHECK_EQ(ccv(&m, 0), 1);
}

TEST(no_cce_bits_count_to_4095)
{
	check_size(0, 4095);
}

TEST(one_cce_bit_counts_to_8191)
{
	check_size(1, 8191);
}

TEST(two_cce_bits_count_to_32764)
{
	check_size(2, 32764);
}

TEST(three_cce_bits_count_to_524224)
{
	check_size(3, 524224);
}

TEST(four_cce_bits_count_to_134201344)
{
	check_size(4, 134201344);
}

/* The note: the reported value is an undercount by less than 2^(CCE-1). */
TEST(any_count_is_rounded_down_to_its_granularity)
{
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		uint32_t cycles = test_random() >> (37 + test_random() % 20);
		uint32_t unit = 1;
		struct model m;

		while (cycles / unit >= 8192)
			unit *= 2;
		ready(&m, 4);
		model_pass(&m, MODEL_U, cycles);
		jump(&m);
		CHECK_EQ(elapsed(&m, 0), cycles - cycles % unit);
	}
}

/* "Only cycles while CTR is active are counted" */
TEST(cycles_of_modes_that_are_not_enabled_do_not_count)
{
	struct model m;

	ready(&m, 4);
	model_pass(&m, MODEL_S, 100);
	model_pass(&m, MODEL_VU, 100);
	model_pass(&m, MODEL_DEBUG, 100);
	model_pass(&m, MODEL_U, 3);
	jump(&m);
	CHECK_EQ(elapsed(&m, 0), 3);
	CHECK_EQ(ccv(&m, 0), 1);
}

TEST(cycles_while_frozen_do_not_count)
{
	struct model m;

	ready(&m, 4);
	model_pass(&m, MODEL_U, 3);
	model_write_csr(&m, CTR_CSR_SCTRSTATUS, 1u << 31);
	model_pass(&m, MODEL_U, 100);
	model_write_csr(&m, CTR_CSR_SCTRSTATUS, 0);
	model_pass(&m, MODEL_U, 4);
	jump(&m);
	CHECK_EQ(elapsed(&m, 0), 7);
}

/* "The next record will have CCV=0 after a write to xctrctl, or ... SCTRCLR" */
TEST(a_write_to_a_control_register_resets_the_counter)
{
	static const unsigned int csrs[] = { CTR_CSR_SCTRCTL, CTR_CSR_MCTRCTL,
					     CTR_CSR_VSCTRCTL };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct model m;

		ready(&m, 4);
		model_pass(&m, MODEL_U, 3);
		model_write_csr(&m, csrs[i], CTR_CTL_U);
		model_pass(&m, MODEL_U, 4);
		jump(&m);
		CHECK_EQ(ccv(&m, 0), 0);
		CHECK(elapsed(&m, 0) != 7);
		model_pass(&m, MODEL_U, 5);
		jump(&m);
		CHECK_EQ(ccv(&m, 0), 1);
		CHECK_EQ(elapsed(&m, 0), 5);
	}
}

TEST(other_writes_do_not)
{
	struct model m;

	ready(&m, 4);
	model_pass(&m, MODEL_U, 3);
	model_write_csr(&m, CTR_CSR_SCTRSTATUS, 7);
	model_write_csr(&m, CTR_CSR_SCTRDEPTH, 0);
	jump(&m);
	CHECK_EQ(ccv(&m, 0), 1);
	CHECK_EQ(elapsed(&m, 0), 3);
}

TEST(sctrclr_resets_the_counter)
{
	struct model m;

	ready(&m, 4);
	model_pass(&m, MODEL_U, 3);
	model_clear(&m);
	model_pass(&m, MODEL_U, 4);
	jump(&m);
	CHECK_EQ(ccv(&m, 0), 0);
	CHECK(elapsed(&m, 0) != 7);
	jump(&m);
	CHECK_EQ(ccv(&m, 0), 1);
}

/* "scenarios where active cycles might not be counted" */
TEST(what_is_missed_makes_the_count_invalid)
{
	struct model m;

	ready(&m, 4);
	model_miss(&m);
	jump(&m);
	CHECK_EQ(ccv(&m, 0), 0);
	jump(&m);
	CHECK_EQ(ccv(&m, 0), 1);
}

/* All fields of ctrdata are optional. */
TEST(a_hart_that_does_not_count)
{
	struct model m;

	ready(&m, MODEL_NO_CYCLES);
	model_pass(&m, MODEL_U, 100);
	jump(&m);
	CHECK_EQ(entry_of(&m, 0).data, 11);
}

TEST(an_instruction_s_cycles_are_its_mode_s)
{
	struct model_insn insn = { .pc = 2, .next = 4, .insn = 0xa001,
				   .cycles = 6, .mode = MODEL_U };
	struct model m;

	ready(&m, 4);
	CHECK_EQ(model_step(&m, &insn), MODEL_RECORDED);
	CHECK_EQ(elapsed(&m, 0), 6);
	/* A trap's are those of the mode that it leaves. */
	insn.trap = CTR_TYPE_EXCEPTION;
	insn.next_mode = MODEL_S;
	model_step(&m, &insn);
	insn.trap = CTR_TYPE_NONE;
	insn.mode = insn.next_mode;
	model_step(&m, &insn);
	insn.mode = insn.next_mode = MODEL_U;
	model_step(&m, &insn);
	CHECK_EQ(elapsed(&m, 0), 12);
}
