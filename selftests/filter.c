// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which branches an event is shown: those that its filter asks for, all of them,
 * and no other. The instruction at each source says what is right.
 */
#include <linux/perf_event.h>

#include "harness.h"
#include "sampler.h"
#include "transfer.h"
#include "work.h"

#define U		PERF_SAMPLE_BRANCH_USER
#define K		PERF_SAMPLE_BRANCH_KERNEL
#define TYPED		PERF_SAMPLE_BRANCH_TYPE_SAVE
#define ANY		PERF_SAMPLE_BRANCH_ANY
#define ANY_CALL	PERF_SAMPLE_BRANCH_ANY_CALL
#define ANY_RETURN	PERF_SAMPLE_BRANCH_ANY_RETURN
#define IND_CALL	PERF_SAMPLE_BRANCH_IND_CALL
#define COND		PERF_SAMPLE_BRANCH_COND
#define IND_JUMP	PERF_SAMPLE_BRANCH_IND_JUMP
#define CALL		PERF_SAMPLE_BRANCH_CALL

/* What there is in zoo.S, and what shows it besides ANY. */
#define SITES(_site)							\
	_site(not_taken,	COND,		0, NEVER)		\
	_site(not_taken_c,	COND,		0, NEVER)		\
	_site(taken,		COND,		COND, ALWAYS)		\
	_site(taken_c,		COND,		COND, ALWAYS)		\
	_site(again,		COND,		COND, ALWAYS)		\
	_site(jump,		UNCOND,		0, ALWAYS)		\
	_site(jump_c,		UNCOND,		0, ALWAYS)		\
	_site(link_jump,	UNCOND,		0, ALWAYS)		\
	_site(ind_jump,		IND,		IND_JUMP, ALWAYS)	\
	_site(ind_jump_c,	IND,		IND_JUMP, ALWAYS)	\
	_site(ind_link_jump,	IND,		IND_JUMP, ALWAYS)	\
	_site(call,		CALL,		ANY_CALL | CALL, ALWAYS) \
	_site(call_t0,		CALL,		ANY_CALL | CALL, ALWAYS) \
	_site(ind_call,		IND_CALL,	ANY_CALL | IND_CALL, ALWAYS) \
	_site(ind_call_c,	IND_CALL,	ANY_CALL | IND_CALL, ALWAYS) \
	_site(ind_call_t0,	IND_CALL,	ANY_CALL | IND_CALL, ALWAYS) \
	_site(ind_call_same,	IND_CALL,	ANY_CALL | IND_CALL, ALWAYS) \
	_site(swap,	IND_CALL, ANY_CALL | IND_CALL | ANY_RETURN, ALWAYS) \
	_site(swap_t0,	IND_CALL, ANY_CALL | IND_CALL | ANY_RETURN, ALWAYS) \
	_site(swap_c,	IND_CALL, ANY_CALL | IND_CALL | ANY_RETURN, ALWAYS) \
	_site(ret,		RET,		ANY_RETURN, ALWAYS)	\
	_site(ret_c,		RET,		ANY_RETURN, ALWAYS)	\
	_site(ret_t0,		RET,		ANY_RETURN, ALWAYS)	\
	_site(ret_other,	RET,		ANY_RETURN, ALWAYS)

#define NEVER	false
#define ALWAYS	true

#define DECLARE_SITE(_name, _type, _filters, _taken)			\
	extern const char zoo_##_name[];
SITES(DECLARE_SITE)

#define DESCRIBE_SITE(_name, _type, _filters, _taken)			\
	{ #_name, zoo_##_name, PERF_BR_##_type, _filters, _taken },
static const struct site {
	const char *name, *at;
	int type;
	uint64_t filters;
	bool taken;
} sites[] = { SITES(DESCRIBE_SITE) };

#define NR_SITES (sizeof(sites) / sizeof(sites[0]))

/* What an event was shown, over all samples of a recording. */
struct seen {
	uint64_t bits;		/* what it asked for */
	uint64_t entries;
	uint64_t sites[NR_SITES];
	uint64_t wrong_type;	/* the instruction's is another */
	uint64_t wrong_target;	/* the instruction leads elsewhere */
	uint64_t unwanted;	/* the filter does not ask for it */
	uint64_t wrong_mode;
	uint64_t torn;
	uint64_t complaints;
};

static bool selects(uint64_t bits, uint64_t filters)
{
	return bits & (ANY | filters);
}

static void complain(struct seen *seen, uint64_t *count, const char *what,
		     const struct perf_branch_entry *entry)
{
	++*count;
	if (seen->complaints++ < 5)
		ksft_print_msg("%s: %llx to %llx, type %u\n", what,
			       entry->from, entry->to, entry->type);
}

/* A side that the event is not shown is 0. */
static bool is_shown(uint64_t bits, uint64_t pc)
{
	return !pc || bits & (in_kernel(pc) ? K : U);
}

static void see_entry(struct seen *seen, const struct perf_branch_entry *entry)
{
	struct transfer transfer;

	seen->entries++;
	if (!is_shown(seen->bits, entry->from) ||
	    !is_shown(seen->bits, entry->to) || (!entry->from && !entry->to))
		complain(seen, &seen->wrong_mode, "wrong mode", entry);

	/* From a mode that is not shown: a trap that came from there. */
	if (!entry->from || !transfer_at(entry->from, &transfer)) {
		if (transfer_patched(entry->from))
			return;
		if (!selects(seen->bits, ANY_CALL))
			complain(seen, &seen->unwanted, "not asked for", entry);
		if (!in_kernel(entry->to))
			complain(seen, &seen->wrong_target, "a trap to a user",
				 entry);
		return;
	}
	/* A fault or an interrupt may hit any instruction before it is executed. */
	if (!transfer.trap && in_kernel(entry->to) && !in_kernel(entry->from))
		transfer = (struct transfer){
			.type = entry->type, .filters = ANY_CALL, .trap = true,
		};
	if (!transfer.trap && entry->type == PERF_BR_IRQ)
		transfer = (struct transfer){
			.type = entry->type, .filters = ANY_CALL, .trap = true,
		};
	if (transfer.type != entry->type)
		complain(seen, &seen->wrong_type, "wrong type", entry);
	if (transfer.target && transfer.target != entry->to)
		complain(seen, &seen->wrong_target, "wrong target", entry);
	if (!selects(seen->bits, transfer.filters))
		complain(seen, &seen->unwanted, "not asked for", entry);
}

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	seen->torn += !sample->whole;
	for (uint64_t i = 0; i < sample->nr; i++) {
		const struct perf_branch_entry *entry = &sample->entries[i];

		see_entry(seen, entry);
		for (unsigned int s = 0; s < NR_SITES; s++)
			seen->sites[s] += entry->from == (uintptr_t)sites[s].at;
	}
}

static struct sampler_recording recording_of(struct seen *seen, uint64_t config)
{
	struct sampler_recording recording = {
		.attr = sampler_attr(seen->bits | TYPED),
		.see = see,
		.data = seen,
	};

	recording.attr.config = config;
	recording.attr.exclude_kernel = !(seen->bits & K);
	/* Often, but with the zoo once around in between. */
	recording.attr.freq = 0;
	recording.attr.sample_period = 100000;
	return recording;
}

static void visit_zoo(void)
{
	zoo(500);
}

static void visit_zoo_and_kernel(void)
{
	zoo(20);
	work_syscalls(5);
}

static bool saw_all(const struct seen *seen)
{
	for (unsigned int s = 0; s < NR_SITES; s++)
		if (sites[s].taken && selects(seen->bits, sites[s].filters) &&
		    !seen->sites[s])
			return false;
	return true;
}

/*
 * Until all that is asked for was seen: how much code an emulated hart executes
 * before its first samples is anybody's guess.
 */
static int record_zoo(struct sampler_recording *recordings, unsigned int nr)
{
	unsigned int least, i, lacking;
	int err;

	for (least = 2; least < 500; least += 10) {
		err = sampler_record(recordings, nr, least, visit_zoo);
		if (err)
			return err;
		for (i = 0, lacking = 0; i < nr; i++)
			lacking += !saw_all(recordings[i].data);
		if (!lacking)
			break;
	}
	return 0;
}

/* All that is asked for in the zoo was seen, and nothing else of it. */
#define EXPECT_SITES(_seen)						\
	for (unsigned int s = 0; s < NR_SITES; s++) {			\
		bool wanted = sites[s].taken &&				\
			      selects((_seen).bits, sites[s].filters);	\
									\
		EXPECT_EQ(wanted, !!(_seen).sites[s])			\
			TH_LOG("%s, filter %llx", sites[s].name,	\
			       (unsigned long long)(_seen).bits);	\
	}

#define EXPECT_RIGHT(_seen)						\
	do {								\
		EXPECT_EQ(0, (_seen).wrong_type);			\
		EXPECT_EQ(0, (_seen).wrong_target);			\
		EXPECT_EQ(0, (_seen).unwanted);				\
		EXPECT_EQ(0, (_seen).wrong_mode);			\
		EXPECT_EQ(0, (_seen).torn);				\
	} while (0)

FIXTURE(filter)
{
	struct seen seen;
};

FIXTURE_VARIANT(filter)
{
	uint64_t bits;
};

#define FILTER(_name, _bits)						\
	FIXTURE_VARIANT_ADD(filter, _name) { .bits = _bits }

FILTER(any, ANY);
FILTER(any_call, ANY_CALL);
FILTER(any_return, ANY_RETURN);
FILTER(ind_call, IND_CALL);
FILTER(cond, COND);
FILTER(ind_jump, IND_JUMP);
FILTER(call, CALL);

FIXTURE_SETUP(filter)
{
	self->seen.bits = variant->bits;
}

FIXTURE_TEARDOWN(filter)
{
}

TEST_F(filter, shows_all_that_it_asks_for_in_user_code)
{
	struct sampler_recording recording;

	self->seen.bits |= U;
	recording = recording_of(&self->seen, PERF_COUNT_HW_CPU_CYCLES);
	ASSERT_EQ(0, record_zoo(&recording, 1));
	EXPECT_RIGHT(self->seen);
	EXPECT_SITES(self->seen);
}

TEST_F(filter, shows_nothing_else_in_the_kernel)
{
	struct sampler_recording recording;

	self->seen.bits |= K;
	recording = recording_of(&self->seen, PERF_COUNT_HW_CPU_CYCLES);
	ASSERT_EQ(0, sampler_record(&recording, 1, 200, visit_zoo_and_kernel));
	EXPECT_RIGHT(self->seen);
	/*
	 * A kernel that was not relaxed at its link calls by auipc and jalr, and
	 * jumps through a register now and then only.
	 */
	if (variant->bits != CALL && variant->bits != IND_JUMP)
		EXPECT_LT(100, self->seen.entries);
}

TEST_F(filter, shows_nothing_else_in_both_modes)
{
	struct sampler_recording recording;

	self->seen.bits |= U | K;
	recording = recording_of(&self->seen, PERF_COUNT_HW_CPU_CYCLES);
	ASSERT_EQ(0, sampler_record(&recording, 1, 200, visit_zoo_and_kernel));
	EXPECT_RIGHT(self->seen);
	EXPECT_LT(100, self->seen.entries);
}

static const uint64_t kinds[] = { ANY, ANY_CALL, ANY_RETURN, IND_CALL, COND,
				  IND_JUMP, CALL };

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

TEST(every_combination_shows_what_any_of_its_filters_does)
{
	for (unsigned int set = 1; set < 1u << NR_KINDS; set++) {
		struct seen seen = { .bits = U };
		struct sampler_recording recording;

		for (unsigned int i = 0; i < NR_KINDS; i++)
			if (set >> i & 1)
				seen.bits |= kinds[i];
		recording = recording_of(&seen, PERF_COUNT_HW_CPU_CYCLES);
		ASSERT_EQ(0, record_zoo(&recording, 1));
		EXPECT_RIGHT(seen);
		EXPECT_SITES(seen);
	}
}

TEST(two_events_at_once_each_have_their_own_view)
{
	for (unsigned int i = 0; i < NR_KINDS * NR_KINDS; i++) {
		struct seen one = { .bits = U | kinds[i / NR_KINDS] };
		struct seen other = { .bits = U | kinds[i % NR_KINDS] };
		struct sampler_recording recordings[] = {
			recording_of(&one, PERF_COUNT_HW_CPU_CYCLES),
			recording_of(&other, PERF_COUNT_HW_INSTRUCTIONS),
		};

		ASSERT_EQ(0, record_zoo(recordings, 2));
		EXPECT_RIGHT(one);
		EXPECT_RIGHT(other);
		EXPECT_SITES(one);
		EXPECT_SITES(other);
	}
}

TEST(two_events_at_once_each_see_their_own_mode)
{
	static const uint64_t modes[] = { U, K, U | K };

	for (unsigned int i = 0; i < 9; i++) {
		struct seen one = { .bits = ANY | modes[i / 3] };
		struct seen other = { .bits = ANY | modes[i % 3] };
		struct sampler_recording recordings[] = {
			recording_of(&one, PERF_COUNT_HW_CPU_CYCLES),
			recording_of(&other, PERF_COUNT_HW_INSTRUCTIONS),
		};

		ASSERT_EQ(0, sampler_record(recordings, 2, 50,
					    visit_zoo_and_kernel));
		EXPECT_RIGHT(one);
		EXPECT_RIGHT(other);
	}
}

TEST_HARNESS_MAIN
