// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reference model, section "Behavior": "Privilege Mode Transitions" with its
 * subsections, and "Freeze".
 */
#include "model-build.h"

#define U	CTR_CTL_U
#define S	CTR_CTL_S
#define M	CTR_CTL_M
#define STE	CTR_CTL_STE
#define MTE	CTR_CTL_MTE

enum { ECALL = 8, BREAKPOINT = 3, TIMER = 5, LCOFI = 13 };

static void set(struct model *m, uint64_t mctrctl, uint64_t vsctrctl)
{
	model_init(m, NULL);
	model_write_csr(m, CTR_CSR_MCTRCTL, mctrctl);
	model_write_csr(m, CTR_CSR_VSCTRCTL, vsctrctl);
}

/* --- "Behavior": what qualifies --- */

TEST(only_enabled_modes_are_recorded)
{
	static const struct {
		enum model_mode mode;
		uint64_t mctrctl, vsctrctl;
	} rows[] = {
		{ MODEL_U, U, 0 },  { MODEL_S, S, 0 },	{ MODEL_M, M, 0 },
		{ MODEL_VU, 0, U }, { MODEL_VS, 0, S },
	};
	unsigned int in, enabled;

	for (in = 0; in < 5; in++)
		for (enabled = 0; enabled < 5; enabled++) {
			struct model m;

			set(&m, rows[enabled].mctrctl, rows[enabled].vsctrctl);
			CHECK_EQ(go(&m, 11, rows[in].mode, 0x10, 0x20),
				 in == enabled ? MODEL_RECORDED :
						 MODEL_NOTHING);
		}
}

TEST(older_entries_are_pushed_down_and_the_oldest_is_lost)
{
	struct model m;
	unsigned int i;

	start(&m, U);
	for (i = 0; i < 17; i++)
		go(&m, 11, MODEL_U, 0x1000 * i, 0x20);
	for (i = 0; i < 16; i++)
		CHECK_RECORD(&m, i, 11, 0x1000ull * (16 - i), 0x20);
}

TEST(an_instruction_that_traps_does_not_complete)
{
	const struct model_insn insn = {
		.pc = 0x1000, .next = KERNEL,
		.insn = 0x8082, /* ret */
		.mode = MODEL_U, .next_mode = MODEL_S,
		.trap = CTR_TYPE_EXCEPTION, .cause = 12,
	};
	struct model m;

	start(&m, U);
	CHECK_EQ(model_step(&m, &insn), MODEL_NOTHING);
	CHECK_EQ(wrptr(&m), 0);
	start(&m, U | S);
	CHECK_EQ(model_step(&m, &insn), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 1, 0x1000ull, KERNEL);
}

/* --- "Trap and Trap Return Recording", a test a cell --- */

TEST(trap_enabled_to_enabled)
{
	struct model m;

	set(&m, U | S, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, ECALL), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 1, 0x1000ull, 0x2000);
	CHECK_EQ(cross(&m, 2, MODEL_S, MODEL_S, TIMER), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 2, 0x1000ull, 0x2000);
}

TEST(trap_enabled_to_disabled)
{
	struct model m;

	set(&m, U, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, ECALL), MODEL_NOTHING);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_M, TIMER), MODEL_NOTHING);
	CHECK_NO_RECORD(&m, 0);
}

TEST(trap_disabled_to_enabled)
{
	struct model m;

	set(&m, S, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, ECALL), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 1, 0ull, 0x2000);
}

TEST(trap_disabled_to_disabled)
{
	struct model m;

	set(&m, M | STE | MTE, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, ECALL), MODEL_NOTHING);
	set(&m, U | STE | MTE, 0);
	CHECK_EQ(cross(&m, 2, MODEL_S, MODEL_M, TIMER), MODEL_NOTHING);
}

TEST(trap_return_enabled_to_enabled)
{
	struct model m;

	set(&m, U | S, 0);
	CHECK_EQ(cross(&m, 3, MODEL_S, MODEL_U, 0), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 3, 0x1000ull, 0x2000);
}

TEST(trap_return_enabled_to_disabled)
{
	struct model m;

	set(&m, S, 0);
	CHECK_EQ(cross(&m, 3, MODEL_S, MODEL_U, 0), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 3, 0x1000ull, 0);
}

TEST(trap_return_disabled_to_enabled)
{
	struct model m;

	set(&m, U | STE | MTE, 0);
	CHECK_EQ(cross(&m, 3, MODEL_S, MODEL_U, 0), MODEL_NOTHING);
}

TEST(trap_return_disabled_to_disabled)
{
	struct model m;

	set(&m, U, 0);
	CHECK_EQ(cross(&m, 3, MODEL_M, MODEL_S, 0), MODEL_NOTHING);
}

/* "Standard dependencies on FROZEN and transfer type inhibits also apply" */
TEST(partial_records_depend_on_the_inhibits)
{
	struct model m;

	set(&m, S | CTR_CTL_EXCINH | CTR_CTL_TRETINH, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, ECALL), MODEL_NOTHING);
	CHECK_EQ(cross(&m, 3, MODEL_S, MODEL_U, 0), MODEL_NOTHING);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, TIMER), MODEL_RECORDED);
	set(&m, S | CTR_CTL_INTRINH, 0);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, TIMER), MODEL_NOTHING);
}

TEST(nothing_of_debug_mode_is_recorded)
{
	struct model m;

	set(&m, U | S | M | MTE | STE, 0);
	CHECK_EQ(go(&m, 11, MODEL_DEBUG, 2, 4), MODEL_NOTHING);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_DEBUG, 3), MODEL_NOTHING);
	CHECK_EQ(cross(&m, 3, MODEL_DEBUG, MODEL_U, 0), MODEL_NOTHING);
}

/* --- "External Traps" --- */

/*
 * The table "External Trap Enable Requirements" has, for each pair of modes, which
 * enables it takes: with them the trap is recorded, and without any one it is not.
 */
enum { NEED_MTE = 1, NEED_STE = 2, NEED_VSTE = 4, ALL = 7 };

static enum model_effect external(struct model *m, enum model_mode from,
				  enum model_mode to, unsigned int enables)
{
	/* The source mode, whichever of the two registers has it. */
	set(m, (from == MODEL_U ? U : from == MODEL_S ? S : 0) |
	       (enables & NEED_MTE ? MTE : 0) | (enables & NEED_STE ? STE : 0),
	    (from == MODEL_VU ? U : from == MODEL_VS ? S : 0) |
	       (enables & NEED_VSTE ? STE : 0));
	return cross(m, 1, from, to, ECALL);
}

static void check_external(enum model_mode from, enum model_mode to,
			   unsigned int needs)
{
	unsigned int enables;

	for (enables = 0; enables <= ALL; enables++) {
		bool recorded = (enables & needs) == needs;
		struct model m;

		CHECK_EQ(external(&m, from, to, enables),
			 recorded ? MODEL_RECORDED : MODEL_NOTHING);
		/* "In records for external traps, the ctrtarget.PC is 0." */
		if (recorded)
			CHECK_RECORD(&m, 0, 1, 0x1000ull, 0);
		else
			CHECK_NO_RECORD(&m, 0);
	}
}

TEST(external_trap_u_to_s)
{
	check_external(MODEL_U, MODEL_S, NEED_STE);
}

TEST(external_trap_u_to_m)
{
	check_external(MODEL_U, MODEL_M, NEED_MTE | NEED_STE);
}

TEST(external_trap_s_to_m)
{
	check_external(MODEL_S, MODEL_M, NEED_MTE);
}

TEST(external_trap_vu_to_vs)
{
	check_external(MODEL_VU, MODEL_VS, NEED_VSTE);
}

TEST(external_trap_vu_to_hs)
{
	check_external(MODEL_VU, MODEL_S, NEED_STE | NEED_VSTE);
}

TEST(external_trap_vu_to_m)
{
	check_external(MODEL_VU, MODEL_M, NEED_MTE | NEED_STE | NEED_VSTE);
}

TEST(external_trap_vs_to_hs)
{
	check_external(MODEL_VS, MODEL_S, NEED_STE);
}

TEST(external_trap_vs_to_m)
{
	check_external(MODEL_VS, MODEL_M, NEED_MTE | NEED_STE);
}

/* "external trap recording does not depend on EXCINH/INTRINH" */
TEST(external_traps_pass_the_inhibits)
{
	struct model m;

	set(&m, U | STE | CTR_CTL_EXCINH | CTR_CTL_INTRINH, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, ECALL), MODEL_RECORDED);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, TIMER), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 2, 0x1000ull, 0);
}

/* "Enables recording of traps to S-mode when S=0" */
TEST(ste_changes_nothing_where_s_is_recorded)
{
	struct model m;

	set(&m, U | S | STE, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, ECALL), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 1, 0x1000ull, 0x2000);
	set(&m, U | S | STE | CTR_CTL_EXCINH, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, ECALL), MODEL_NOTHING);
}

/* "No mechanism exists for recording external trap returns" */
TEST(external_trap_returns_are_not_recorded)
{
	struct model m;

	set(&m, U | STE | MTE, STE);
	CHECK_EQ(cross(&m, 3, MODEL_M, MODEL_U, 0), MODEL_NOTHING);
}

/* --- "Virtualization Mode Transitions" --- */

/* The note's example: VU to HS, both enabled: vsctrctl's filter decides. */
TEST(leaving_a_guest_is_filtered_by_vsctrctl)
{
	struct model m;

	set(&m, S, U | CTR_CTL_EXCINH);
	CHECK_EQ(cross(&m, 1, MODEL_VU, MODEL_S, ECALL), MODEL_NOTHING);
	set(&m, S | CTR_CTL_EXCINH, U);
	CHECK_EQ(cross(&m, 1, MODEL_VU, MODEL_S, ECALL), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 1, 0x1000ull, 0x2000);
}

TEST(entering_a_guest_is_filtered_by_vsctrctl)
{
	struct model m;

	set(&m, S, S | CTR_CTL_TRETINH);
	CHECK_EQ(cross(&m, 3, MODEL_S, MODEL_VS, 0), MODEL_NOTHING);
	set(&m, S | CTR_CTL_TRETINH, S);
	CHECK_EQ(cross(&m, 3, MODEL_S, MODEL_VS, 0), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 3, 0x1000ull, 0x2000);
	set(&m, M | CTR_CTL_TRETINH, U);
	CHECK_EQ(cross(&m, 3, MODEL_M, MODEL_VU, 0), MODEL_RECORDED);
}

TEST(both_registers_say_which_side_is_shown)
{
	struct model m;

	set(&m, S, 0);
	CHECK_EQ(cross(&m, 1, MODEL_VS, MODEL_S, ECALL), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 1, 0ull, 0x2000);
	CHECK_EQ(cross(&m, 3, MODEL_S, MODEL_VS, 0), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 3, 0x1000ull, 0);
	set(&m, 0, S);
	CHECK_EQ(cross(&m, 1, MODEL_VS, MODEL_S, ECALL), MODEL_NOTHING);
	CHECK_EQ(cross(&m, 3, MODEL_S, MODEL_VS, 0), MODEL_NOTHING);
	/* M, too: mctrctl.M */
	set(&m, M, S);
	CHECK_EQ(cross(&m, 2, MODEL_VS, MODEL_M, TIMER), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 2, 0x1000ull, 0x2000);
}

TEST(ras_emulation_between_hypervisor_and_guest_is_vsctrctl_s)
{
	struct model m;

	set(&m, S, S | CTR_CTL_RASEMU);
	CHECK_EQ(cross(&m, 1, MODEL_VS, MODEL_S, ECALL), MODEL_NOTHING);
	set(&m, S | CTR_CTL_RASEMU, S);
	CHECK_EQ(cross(&m, 1, MODEL_VS, MODEL_S, ECALL), MODEL_RECORDED);
}

TEST(inside_a_guest_vsctrctl_alone_counts)
{
	struct model m;

	set(&m, U | S | CTR_CTL_EXCINH | CTR_CTL_DIRJMPINH, U | S);
	CHECK_EQ(cross(&m, 1, MODEL_VU, MODEL_VS, ECALL), MODEL_RECORDED);
	CHECK_EQ(go(&m, 11, MODEL_VU, 2, 4), MODEL_RECORDED);
	set(&m, U | S, U | S | CTR_CTL_EXCINH | CTR_CTL_DIRJMPINH);
	CHECK_EQ(cross(&m, 1, MODEL_VU, MODEL_VS, ECALL), MODEL_NOTHING);
	CHECK_EQ(go(&m, 11, MODEL_VU, 2, 4), MODEL_NOTHING);
	CHECK_EQ(go(&m, 11, MODEL_U, 2, 4), MODEL_RECORDED);
}

/* --- "Freeze" --- */

TEST(nothing_is_recorded_while_frozen)
{
	struct model m;

	set(&m, U | S | STE | MTE, 0);
	model_write_csr(&m, CTR_CSR_SCTRSTATUS, 1u << 31);
	CHECK_EQ(go(&m, 11, MODEL_U, 2, 4), MODEL_NOTHING);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_M, 2), MODEL_NOTHING);
	CHECK_EQ(model_read_csr(&m, CTR_CSR_SCTRSTATUS), 1u << 31);
	/* until software clears it */
	model_write_csr(&m, CTR_CSR_SCTRSTATUS, 0);
	CHECK_EQ(go(&m, 11, MODEL_U, 2, 4), MODEL_RECORDED);
}

TEST(a_counter_overflow_freezes)
{
	static const enum model_mode targets[] = { MODEL_S, MODEL_M };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct model m;

		set(&m, U | S | M | CTR_CTL_LCOFIFRZ, 0);
		go(&m, 11, MODEL_U, 2, 4);
		CHECK_EQ(cross(&m, 2, MODEL_U, targets[i], LCOFI), MODEL_FROZE);
		CHECK(frozen(&m));
		CHECK_EQ(wrptr(&m), 1); /* "is not recorded" */
		CHECK_RECORD(&m, 0, 11, 2ull, 4);
		CHECK_EQ(go(&m, 11, targets[i], 2, 4), MODEL_NOTHING);
	}
}

TEST(a_breakpoint_freezes)
{
	static const enum model_mode targets[] = { MODEL_S, MODEL_M };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct model m;

		set(&m, U | S | M | CTR_CTL_BPFRZ, 0);
		CHECK_EQ(cross(&m, 1, MODEL_U, targets[i], BREAKPOINT),
			 MODEL_FROZE);
		CHECK(frozen(&m));
		CHECK_NO_RECORD(&m, 0);
	}
}

TEST(without_their_bits_they_are_recorded)
{
	struct model m;

	set(&m, U | S | CTR_CTL_BPFRZ, 0);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, LCOFI), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 2, 0x1000ull, 0x2000);
	set(&m, U | S | CTR_CTL_LCOFIFRZ, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, BREAKPOINT), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 1, 0x1000ull, 0x2000);
	CHECK(!frozen(&m));
}

/* Causes 13 and 3 are others where the sort of trap differs. */
TEST(a_page_fault_and_a_software_interrupt_do_not_freeze)
{
	struct model m;

	set(&m, U | S | CTR_CTL_BPFRZ | CTR_CTL_LCOFIFRZ, 0);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, 13), MODEL_RECORDED);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, 3), MODEL_RECORDED);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, TIMER), MODEL_RECORDED);
	CHECK(!frozen(&m));
}

/* Also as an external trap, and from and to modes that are not recorded. */
TEST(a_freezing_trap_is_never_recorded)
{
	struct model m;

	set(&m, U | STE | CTR_CTL_LCOFIFRZ, 0);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, LCOFI), MODEL_FROZE);
	CHECK_NO_RECORD(&m, 0);
	set(&m, CTR_CTL_LCOFIFRZ, 0);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, LCOFI), MODEL_FROZE);
	CHECK(frozen(&m));
}

/* "traps to VS-mode is determined by ... vsctrctl" */
TEST(in_a_guest_vsctrctl_freezes)
{
	struct model m;

	set(&m, 0, S | CTR_CTL_LCOFIFRZ | CTR_CTL_BPFRZ);
	CHECK_EQ(cross(&m, 2, MODEL_VU, MODEL_VS, LCOFI), MODEL_FROZE);
	set(&m, 0, S | CTR_CTL_LCOFIFRZ | CTR_CTL_BPFRZ);
	CHECK_EQ(cross(&m, 1, MODEL_VS, MODEL_VS, BREAKPOINT), MODEL_FROZE);
	set(&m, CTR_CTL_LCOFIFRZ | CTR_CTL_BPFRZ, S);
	CHECK_EQ(cross(&m, 2, MODEL_VS, MODEL_VS, LCOFI), MODEL_RECORDED);
	CHECK_EQ(cross(&m, 1, MODEL_VS, MODEL_VS, BREAKPOINT), MODEL_RECORDED);
	CHECK(!frozen(&m));
}

/* "sctrctl.LCOFIFRZ and sctrctl.BPFRZ determine whether CTR becomes frozen" */
TEST(out_of_a_guest_sctrctl_freezes)
{
	struct model m;

	set(&m, S | CTR_CTL_LCOFIFRZ, S);
	CHECK_EQ(cross(&m, 2, MODEL_VS, MODEL_S, LCOFI), MODEL_FROZE);
	set(&m, M | CTR_CTL_BPFRZ, S);
	CHECK_EQ(cross(&m, 1, MODEL_VU, MODEL_M, BREAKPOINT), MODEL_FROZE);
	set(&m, S, S | CTR_CTL_LCOFIFRZ | CTR_CTL_BPFRZ);
	CHECK_EQ(cross(&m, 2, MODEL_VS, MODEL_S, LCOFI), MODEL_RECORDED);
	CHECK_EQ(cross(&m, 1, MODEL_VS, MODEL_S, BREAKPOINT), MODEL_RECORDED);
	CHECK(!frozen(&m));
}

TEST(ras_emulation_freezes_too)
{
	struct model m;

	set(&m, U | CTR_CTL_RASEMU | CTR_CTL_LCOFIFRZ, 0);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_S, LCOFI), MODEL_FROZE);
	CHECK_EQ(go(&m, 9, MODEL_U, 2, 4), MODEL_NOTHING);
	CHECK_EQ(go(&m, 13, MODEL_U, 2, 4), MODEL_NOTHING);
	CHECK_EQ(wrptr(&m), 0);
}
