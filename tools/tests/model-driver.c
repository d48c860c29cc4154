// SPDX-License-Identifier: GPL-2.0-only
/* What the driver makes of the reference model's records is what was executed. */
#include "ctr_filter.h"
#include "model-build.h"

static struct perf_branch_entry decode(const struct model *m)
{
	const struct ctr_entry_context context = { .tells_misp = false };
	struct ctr_entry entry = entry_of(m, 0);
	struct perf_branch_entry perf;

	CHECK(ctr_entry_valid(&entry));
	ctr_entry_to_perf(&entry, &context, &perf);
	return perf;
}

TEST(each_type_is_decoded_as_what_it_was)
{
	static const struct {
		enum ctr_type type;
		unsigned int perf;
	} rows[] = {
		{ CTR_TYPE_INTERRUPT, PERF_BR_IRQ },
		{ CTR_TYPE_TRAP_RETURN, PERF_BR_ERET },
		{ CTR_TYPE_NOT_TAKEN, PERF_BR_COND },
		{ CTR_TYPE_TAKEN, PERF_BR_COND },
		{ CTR_TYPE_IND_CALL, PERF_BR_IND_CALL },
		{ CTR_TYPE_DIR_CALL, PERF_BR_CALL },
		{ CTR_TYPE_IND_JUMP, PERF_BR_IND },
		{ CTR_TYPE_DIR_JUMP, PERF_BR_UNCOND },
		{ CTR_TYPE_CO_SWAP, PERF_BR_IND_CALL },
		{ CTR_TYPE_RETURN, PERF_BR_RET },
		{ CTR_TYPE_IND_LINK_JUMP, PERF_BR_IND },
		{ CTR_TYPE_DIR_LINK_JUMP, PERF_BR_UNCOND },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_branch_entry perf;
		struct model m;

		start(&m, CTR_CTL_U | CTR_CTL_NTBREN);
		go(&m, rows[i].type, MODEL_U, USER, USER + 0x40);
		perf = decode(&m);
		CHECK_EQ(perf.type, rows[i].perf);
		CHECK_EQ(perf.from, USER);
		CHECK_EQ(perf.to, USER + 0x40);
		CHECK_EQ(perf.mispred | perf.predicted, 0);
		CHECK_EQ(perf.cycles, 0);
		CHECK_EQ(perf.priv, PERF_BR_PRIV_USER);
	}
}

TEST(a_trap_from_a_mode_that_is_not_recorded_has_no_source)
{
	struct model_transfer trap = { USER, KERNEL, CTR_TYPE_EXCEPTION,
				       MODEL_U, MODEL_S, 8 };
	struct perf_branch_entry perf;
	struct model m;

	start(&m, CTR_CTL_S);
	model_transfer(&m, &trap);
	perf = decode(&m);
	CHECK_EQ(perf.from, 0);
	CHECK_EQ(perf.to, KERNEL);
	CHECK_EQ(perf.priv, PERF_BR_PRIV_KERNEL);
}

TEST(an_external_trap_has_no_target)
{
	struct model_transfer trap = { USER, KERNEL, CTR_TYPE_INTERRUPT,
				       MODEL_U, MODEL_S, 5 };
	struct perf_branch_entry perf;
	struct model m;

	start(&m, CTR_CTL_U | CTR_CTL_STE);
	model_transfer(&m, &trap);
	perf = decode(&m);
	CHECK_EQ(perf.from, USER);
	CHECK_EQ(perf.to, 0);
	CHECK_EQ(perf.type, PERF_BR_IRQ);
}

/* Exact below 4096; above it less than what passed, by less than one in 4096. */
TEST(any_number_of_cycles_is_decoded)
{
	unsigned int i;

	for (i = 0; i < 5000; i++) {
		uint32_t want = test_random() >> (37 + test_random() % 26);
		struct ctr_entry entry;
		uint32_t got;
		struct model m;

		start(&m, CTR_CTL_U);
		go(&m, CTR_TYPE_TAKEN, MODEL_U, USER, USER + 8);
		entry = entry_of(&m, 0);
		CHECK_EQ(ctr_entry_cycles(&entry), 0); /* CCV=0 */
		model_pass(&m, MODEL_U, want);
		go(&m, CTR_TYPE_TAKEN, MODEL_U, USER, USER + 8);
		entry = entry_of(&m, 0);
		got = ctr_entry_cycles(&entry);
		CHECK(got <= want && want - got <= want / 4096);
		CHECK(want >= 8192 || got == want);
	}
}

/* --- what an event sees --- */

static uint64_t random_pc(enum model_mode mode)
{
	return (mode == MODEL_S ? KERNEL : USER) + (test_random() & 0xffe);
}

/* Any transfer of U and S: traps into S, returns from it, all others in one mode. */
static struct model_transfer random_transfer(enum model_mode mode)
{
	static const enum ctr_type types[] = { 1, 2, 3, 4, 5, 8, 9, 10,
					       11, 12, 13, 14, 15 };
	struct model_transfer t = { .mode = mode, .next = mode };

	do
		t.type = types[test_random() % 13];
	while (t.type == CTR_TYPE_TRAP_RETURN && mode == MODEL_U);
	if (t.type < CTR_TYPE_TRAP_RETURN)
		t.next = MODEL_S;
	else if (t.type == CTR_TYPE_TRAP_RETURN)
		t.next = test_random() % 4 ? MODEL_U : MODEL_S;
	t.cause = 8;
	t.from = random_pc(t.mode);
	t.to = random_pc(t.next);
	return t;
}

/*
 * A hart that records what one event wants, and one that records all there is and
 * whose records are filtered by software, show the event the same.
 */
static void check_filter(uint64_t branch_sample_type)
{
	enum model_mode mode = MODEL_U;
	struct model one, all;
	ctr_filter_t filter;
	unsigned int i, seen = 0;

	CHECK_EQ(ctr_filter_parse(branch_sample_type, &filter), 0);
	start(&one, ctr_filter_sctrctl(filter, ~0ull));
	start(&all, CTR_CTL_U | CTR_CTL_S | CTR_CTL_NTBREN);
	for (i = 0; i < 3000; i++) {
		struct model_transfer t = random_transfer(mode);
		bool want = model_transfer(&one, &t) == MODEL_RECORDED;
		bool got = model_transfer(&all, &t) == MODEL_RECORDED;
		struct ctr_entry entry = entry_of(&all, 0);

		got = got && ctr_filter_pass(filter, &entry);
		CHECK_EQ(got, want);
		if (want) {
			struct ctr_entry is = entry_of(&one, 0);

			seen++;
			CHECK_EQ(ctr_entry_from(&entry), ctr_entry_from(&is));
			CHECK_EQ(ctr_entry_to(&entry), ctr_entry_to(&is));
			CHECK_EQ(ctr_entry_type(&entry), ctr_entry_type(&is));
		}
		mode = t.next;
	}
	CHECK(seen > 10);
}

TEST(filtering_by_the_driver_is_what_the_hart_s_filter_does)
{
	static const uint64_t modes[] = {
		PERF_SAMPLE_BRANCH_USER,
		PERF_SAMPLE_BRANCH_KERNEL,
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL,
	};
	static const uint64_t kinds[] = {
		PERF_SAMPLE_BRANCH_ANY,	     PERF_SAMPLE_BRANCH_ANY_CALL,
		PERF_SAMPLE_BRANCH_IND_CALL, PERF_SAMPLE_BRANCH_ANY_RETURN,
		PERF_SAMPLE_BRANCH_COND,     PERF_SAMPLE_BRANCH_IND_JUMP,
		PERF_SAMPLE_BRANCH_CALL,
	};
	unsigned int i, j;

	for (i = 0; i < 3; i++)
		for (j = 0; j < 7; j++)
			check_filter(modes[i] | kinds[j]);
}

TEST(a_call_stack_shows_the_calls_that_have_not_returned)
{
	uint64_t callers[300];
	unsigned int i, depth = 0;
	ctr_filter_t filter;
	struct model m;

	CHECK_EQ(ctr_filter_parse(PERF_SAMPLE_BRANCH_USER |
					  PERF_SAMPLE_BRANCH_CALL_STACK,
				  &filter), 0);
	start(&m, ctr_filter_sctrctl(filter, ~0ull));
	model_write_csr(&m, CTR_CSR_SCTRDEPTH, 4);
	for (i = 0; i < 2000; i++) {
		uint64_t pc = random_pc(MODEL_U);

		if (depth && test_random() % 2) {
			depth--;
			go(&m, CTR_TYPE_RETURN, MODEL_U, pc, pc);
		} else if (depth && test_random() % 8 == 0) {
			callers[depth - 1] = pc;
			go(&m, CTR_TYPE_CO_SWAP, MODEL_U, pc, pc);
		} else if (depth < 256) {
			callers[depth++] = pc;
			go(&m, CTR_TYPE_DIR_CALL, MODEL_U, pc, pc + 64);
		}
	}
	for (i = 0; i < 256; i++) {
		struct ctr_entry entry = entry_of(&m, i);

		CHECK_EQ(ctr_entry_valid(&entry), i < depth);
		if (i >= depth)
			continue;
		CHECK(ctr_filter_pass(filter, &entry));
		CHECK_EQ(ctr_entry_from(&entry), callers[depth - 1 - i]);
	}
}
