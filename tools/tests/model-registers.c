// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reference model's registers: sections "CSRs", "Entry Registers" and
 * "Supervisor CTR Clear Instruction". Bits are written as numbers, from the figures.
 */
#include "model-build.h"

/* "Machine Control Transfer Records Control Register Format", bit by bit. */
#define M_FIELDS 0x0000ff3e00001b87ull
/* Bits 2 and 9 are read-only 0 in sctrctl. */
#define S_FIELDS (M_FIELDS & ~0x204ull)

static void jump(struct model *m, uint64_t from)
{
	CHECK_EQ(go(m, 11, MODEL_U, from, from + 0x100), MODEL_RECORDED);
}

TEST(all_is_0_at_the_start)
{
	struct model m;

	model_init(&m, NULL);
	CHECK_EQ(model_read_csr(&m, 0x14e), 0);
	CHECK_EQ(model_read_csr(&m, 0x14f), 0);
	CHECK_EQ(model_read_csr(&m, 0x15f), 0);
	CHECK_EQ(model_read_csr(&m, 0x24e), 0);
	CHECK_EQ(model_read_csr(&m, 0x34e), 0);
	CHECK_EQ(model_depth(&m), 16);
	CHECK_NO_RECORD(&m, 0);
}

/* "Machine Control Transfer Records Control Register Format" */
TEST(mctrctl_keeps_its_fields_alone)
{
	struct model m;

	model_init(&m, NULL);
	model_write_csr(&m, 0x34e, ~0ull);
	CHECK_EQ(model_read_csr(&m, 0x34e), M_FIELDS);
	model_write_csr(&m, 0x34e, 0);
	CHECK_EQ(model_read_csr(&m, 0x34e), 0);
}

/* "Supervisor Control Transfer Records Control Register (sctrctl)" */
TEST(sctrctl_is_mctrctl_without_m_and_mte)
{
	struct model m;

	model_init(&m, NULL);
	model_write_csr(&m, 0x14e, ~0ull);
	CHECK_EQ(model_read_csr(&m, 0x14e), S_FIELDS);
	CHECK_EQ(model_read_csr(&m, 0x34e), S_FIELDS);
	model_write_csr(&m, 0x34e, ~0ull);
	CHECK_EQ(model_read_csr(&m, 0x14e), S_FIELDS);
	model_write_csr(&m, 0x14e, 0);
	CHECK_EQ(model_read_csr(&m, 0x34e), 0x204);
}

/* "Virtual Supervisor Control Transfer Records Control Register Format" */
TEST(vsctrctl_is_a_register_of_its_own)
{
	struct model m;

	model_init(&m, NULL);
	model_write_csr(&m, 0x24e, ~0ull);
	CHECK_EQ(model_read_csr(&m, 0x24e), S_FIELDS);
	CHECK_EQ(model_read_csr(&m, 0x14e), 0);
	model_write_csr(&m, 0x14e, 2);
	CHECK_EQ(model_read_csr(&m, 0x24e), S_FIELDS);
}

/* "All fields are optional except for M, S, U, and BPFRZ." */
TEST(a_hart_may_have_but_m_s_u_and_bpfrz)
{
	const struct model_hart hart = { .depths = 1, .cce_bits = -1 };
	struct model m;

	model_init(&m, &hart);
	model_write_csr(&m, 0x34e, ~0ull);
	CHECK_EQ(model_read_csr(&m, 0x34e), 0x807);
	model_write_csr(&m, 0x24e, ~0ull);
	CHECK_EQ(model_read_csr(&m, 0x24e), 0x803);
	jump(&m, 0x1000);
	CHECK_RECORD(&m, 0, 0, 0x1000ull, 0x1100); /* TYPE reports 0 */
	CHECK_EQ(entry_of(&m, 0).data, 0);
}

/* "Supervisor Control Transfer Records Depth Register Field Definitions" */
TEST(depths)
{
	static const struct {
		unsigned int depth, entries;
	} rows[] = { { 0, 16 }, { 1, 32 }, { 2, 64 }, { 3, 128 }, { 4, 256 } };
	unsigned int i, n;

	for (i = 0; i < 5; i++) {
		struct model m;

		start(&m, CTR_CTL_U);
		model_write_csr(&m, 0x15f, rows[i].depth);
		CHECK_EQ(model_read_csr(&m, 0x15f), rows[i].depth);
		/* "the hardware records transfers to entries 0..N-1" */
		for (n = 1; n <= rows[i].entries + 3; n++)
			jump(&m, n << 12);
		CHECK_RECORD(&m, 0, 11, (uint64_t)(n - 1) << 12,
			     ((n - 1) << 12) + 0x100);
		CHECK_RECORD(&m, rows[i].entries - 1, 11, 4ull << 12, 0x4100);
		CHECK_EQ(entry_of(&m, rows[i].entries).source, 0);
		CHECK_EQ(entry_of(&m, 255).source,
			 rows[i].entries == 256 ? 0x4001 : 0);
		/* 7 wraps of none: WRPTR is 3 after N + 3 records. */
		CHECK_EQ(wrptr(&m), 3);
	}
}

TEST(reserved_and_missing_depths_become_one_that_is_there)
{
	struct model_hart hart = { .depths = 1 << 1 | 1 << 3, .cce_bits = -1 };
	struct model m;
	unsigned int value;

	model_init(&m, &hart);
	CHECK_EQ(model_read_csr(&m, 0x15f), 1);
	for (value = 0; value < 8; value++) {
		model_write_csr(&m, 0x15f, value);
		CHECK(model_read_csr(&m, 0x15f) == 1 ||
		      model_read_csr(&m, 0x15f) == 3);
		CHECK(value != 1 || model_read_csr(&m, 0x15f) == 1);
	}
}

/* "Entry Registers read as '0' and are read-only ... in the range N to 255" */
TEST(entries_from_the_depth_on_are_read_only_0)
{
	const struct ctr_entry written = { 0x1001, 0x2000, 5 };
	struct model m;

	model_init(&m, NULL);
	model_write_entry(&m, 16, &written);
	model_write_entry(&m, 255, &written);
	CHECK_EQ(entry_of(&m, 16).source, 0);
	CHECK_EQ(entry_of(&m, 255).data, 0);
	CHECK_EQ(entry_of(&m, 0).source, 0);
	model_write_entry(&m, 15, &written);
	CHECK_EQ(entry_of(&m, 15).target, 0x2000);
}

/* "On depth changes, WRPTR holds an unspecified but legal value." */
TEST(wrptr_is_legal_after_a_depth_change)
{
	struct model m;

	model_init(&m, NULL);
	model_write_csr(&m, 0x15f, 4);
	model_write_csr(&m, 0x14f, 0xff);
	model_write_csr(&m, 0x15f, 0);
	CHECK(wrptr(&m) < 16);
}

/* "Supervisor Control Transfer Records Status Register Field Definitions" */
TEST(sctrstatus_has_the_bits_that_the_depth_needs)
{
	unsigned int depth;

	for (depth = 0; depth < 5; depth++) {
		struct model m;

		model_init(&m, NULL);
		model_write_csr(&m, 0x15f, depth);
		model_write_csr(&m, 0x14f, ~0ull);
		CHECK_EQ(model_read_csr(&m, 0x14f),
			 0x80000000u | ((16u << depth) - 1));
	}
}

TEST(wrptr_wraps_after_the_last_entry)
{
	struct model m;

	start(&m, CTR_CTL_U);
	model_write_csr(&m, 0x14f, 15);
	jump(&m, 0x1000);
	CHECK_EQ(wrptr(&m), 0);
}

TEST(wrptr_wraps_to_the_last_entry_when_decremented)
{
	struct model m;

	start(&m, CTR_CTL_U | CTR_CTL_RASEMU);
	CHECK_EQ(go(&m, 13, MODEL_U, 0x10, 0x20), MODEL_POPPED);
	CHECK_EQ(wrptr(&m), 15);
}

/* The note: "Y = (WRPTR - X - 1) % depth" */
TEST(logical_entries_count_back_from_wrptr)
{
	struct model m;
	unsigned int x, w;

	start(&m, CTR_CTL_U);
	for (w = 0; w < 16; w++) {
		model_write_csr(&m, 0x14f, w);
		for (x = 0; x < 16; x++)
			CHECK_EQ(model_physical(&m, x), (w + 31 - x) % 16);
	}
	jump(&m, 0x1000);
	/* The entry that WRPTR pointed at, 15, is logical entry 0 now. */
	CHECK_EQ(model_physical(&m, 0), 15);
	CHECK_RECORD(&m, 0, 11, 0x1000ull, 0x1100);
	model_write_csr(&m, 0x14f, 3);
	CHECK_RECORD(&m, 3, 11, 0x1000ull, 0x1100);
}

/* The note on emulation: increment WRPTR, then write logical entry 0. */
TEST(software_can_add_a_record)
{
	struct model m;

	start(&m, CTR_CTL_U);
	jump(&m, 0x1000);
	model_write_csr(&m, 0x14f, 2);
	model_write_entry(&m, 0, &(struct ctr_entry){ 0x3001, 0x4000, 9 });
	CHECK_RECORD(&m, 0, 9, 0x3000ull, 0x4000);
	CHECK_RECORD(&m, 1, 11, 0x1000ull, 0x1100);
}

/* "Control Transfer Record Metadata Register Format", "MISP is read-only 0 ..." */
TEST(entries_keep_the_fields_that_are_there)
{
	const struct model_hart some = { .depths = 1, .types = true,
					 .cce_bits = 2 };
	const struct ctr_entry ones = { ~0ull, ~0ull, ~0ull };
	struct model m;

	model_init(&m, NULL);
	model_write_entry(&m, 0, &ones);
	CHECK_EQ(entry_of(&m, 0).source, ~0ull);
	CHECK_EQ(entry_of(&m, 0).target, ~1ull);
	CHECK_EQ(entry_of(&m, 0).data, 0xffff800f);
	model_init(&m, &some);
	model_write_entry(&m, 0, &ones);
	CHECK_EQ(entry_of(&m, 0).data, 0x3fff800f);
}

/* "Control Transfer Record Target Register": MISP is not implemented. */
TEST(odd_addresses_set_no_flags)
{
	struct model m;

	start(&m, CTR_CTL_U);
	go(&m, 5, MODEL_U, 0x1001, 0x2001);
	CHECK_EQ(entry_of(&m, 0).source, 0x1001); /* V */
	CHECK_EQ(entry_of(&m, 0).target, 0x2000);
}

/* "Supervisor CTR Clear Instruction" */
TEST(sctrclr_zeroes_the_entries_of_all_depths)
{
	struct model m;
	unsigned int i;

	start(&m, CTR_CTL_U);
	model_write_csr(&m, 0x15f, 4);
	for (i = 0; i < 256; i++)
		jump(&m, 0x1000);
	model_write_csr(&m, 0x15f, 0);
	model_write_csr(&m, 0x14f, 0x80000005);
	model_clear(&m);
	CHECK_EQ(model_read_csr(&m, 0x14f), 0x80000005);
	model_write_csr(&m, 0x15f, 4);
	for (i = 0; i < 256; i++) {
		CHECK_EQ(entry_of(&m, i).source, 0);
		CHECK_EQ(entry_of(&m, i).target, 0);
		CHECK_EQ(entry_of(&m, i).data, 0);
	}
}

TEST(sctrclr_is_an_instruction)
{
	/* SYSTEM, funct12 0x104, the rest 0 */
	struct model_insn insn = { .pc = 0x10, .next = 0x14,
				   .insn = 0x104u << 20 | 0x73,
				   .mode = MODEL_S, .next_mode = MODEL_S };
	struct model m;

	start(&m, CTR_CTL_U);
	jump(&m, 0x1000);
	/* "raises an illegal-instruction exception in U-mode" */
	insn.mode = MODEL_U;
	insn.trap = CTR_TYPE_EXCEPTION;
	insn.cause = 2;
	model_step(&m, &insn);
	CHECK_RECORD(&m, 0, 11, 0x1000ull, 0x1100);
	insn.mode = MODEL_S;
	insn.trap = CTR_TYPE_NONE;
	CHECK_EQ(model_step(&m, &insn), MODEL_NOTHING);
	CHECK_EQ(entry_of(&m, 0).source, 0);
}

TEST(other_csrs_are_not_there)
{
	struct model m;

	start(&m, CTR_CTL_U);
	model_write_csr(&m, 0x300, ~0ull);
	CHECK_EQ(model_read_csr(&m, 0x300), 0);
	CHECK_EQ(model_read_csr(&m, 0x14e), 1);
}
