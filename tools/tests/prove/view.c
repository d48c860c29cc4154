// SPDX-License-Identifier: GPL-2.0-only
/* All that an event is shown of a record: at a glance, or after a closer look. */
#include "ctr_view.h"
#include "prove.h"

static ctr_filter_t any_filter(void)
{
	return nondet_u64() & ~0U;
}

static struct ctr_entry any_entry(void)
{
	return (struct ctr_entry){ nondet_u64(), nondet_u64(), nondet_u64() };
}

static struct ctr_view view_of(ctr_filter_t filter)
{
	struct ctr_view view = {};

	ctr_view_set(&view, filter, nondet_u64() & 1);
	return view;
}

/* A branch entry, and its words. */
union shown {
	struct perf_branch_entry perf;
	__u64 words[3];
};

static bool show_closely(const struct ctr_view *view, struct ctr_entry entry,
			 union shown *shown)
{
	struct ctr_entry_context context = view->context;
	__u64 cause = nondet_u64();

	ASSUME(cause <= CTR_CAUSE_FETCH);
	context.cause = (enum ctr_cause)cause;
	if (!ctr_filter_pass(view->filter, &entry))
		return false;
	ctr_entry_to_perf(&entry, &context, &shown->perf);
	return true;
}

static bool show(const struct ctr_view *view, const struct ctr_entry *entry,
		 union shown *shown)
{
	return ctr_view_quick(view, entry, &shown->perf) ||
	       show_closely(view, *entry, shown);
}

PROVE(what_is_shown_at_a_glance_is_what_a_closer_look_shows)
{
	struct ctr_view view = view_of(any_filter());
	struct ctr_entry entry = any_entry();
	union shown quick, closely;

	ASSUME(ctr_view_quick(&view, &entry, &quick.perf));
	CHECK(show_closely(&view, entry, &closely));
	CHECK(quick.words[0] == closely.words[0]);
	CHECK(quick.words[1] == closely.words[1]);
	CHECK(quick.words[2] == closely.words[2]);
}

/* It is no help if it never answers. */
PROVE(a_glance_is_enough_for_all_that_is_clear)
{
	struct ctr_view view = view_of(any_filter());
	struct ctr_entry entry = any_entry();
	union shown quick, closely;

	ASSUME(show_closely(&view, entry, &closely));
	ASSUME(ctr_entry_type(&entry) != CTR_TYPE_EXCEPTION);
	ASSUME(entry.source >> 63 == entry.target >> 63);
	ASSUME(!ctr_entry_mispredicted(&entry));
	CHECK(ctr_view_quick(&view, &entry, &quick.perf));
}

PROVE(a_view_follows_its_filter)
{
	ctr_filter_t filter = any_filter();
	bool tells_misp = nondet_u64() & 1;
	struct ctr_view view = view_of(any_filter()), fresh = {};
	unsigned int side = nondet_u64() & 1, type = nondet_u64() & 15;

	ASSUME(filter != 0);
	ctr_view_set(&view, filter, tells_misp);
	ctr_view_set(&fresh, filter, tells_misp);
	CHECK(view.filter == filter);
	CHECK(view.context.tells_misp == tells_misp);
	CHECK(view.context.no_flags == !(filter & CTR_FILTER_FLAGS));
	CHECK(view.context.no_cycles == !(filter & CTR_FILTER_CYCLES));
	CHECK(view.max_cycles == fresh.max_cycles);
	CHECK(view.flags[side][type] == fresh.flags[side][type]);
}

static ctr_filter_t any_filter_of(__u64 modes)
{
	__u64 bits = nondet_u64();
	ctr_filter_t filter;

	ASSUME((bits & (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)) ==
	       modes);
	ASSUME(ctr_filter_parse(bits, &filter) == 0);
	return filter;
}

PROVE(an_event_of_user_code_is_shown_no_kernel_address)
{
	struct ctr_view view = view_of(any_filter_of(PERF_SAMPLE_BRANCH_USER));
	struct ctr_entry entry = any_entry();
	union shown shown;

	ASSUME(show(&view, &entry, &shown));
	CHECK(shown.perf.from < 1ULL << 63);
	CHECK(shown.perf.to < 1ULL << 63);
	CHECK(shown.perf.priv != PERF_BR_PRIV_KERNEL);
}

PROVE(an_event_of_the_kernel_is_shown_no_user_address)
{
	struct ctr_view view = view_of(any_filter_of(PERF_SAMPLE_BRANCH_KERNEL));
	struct ctr_entry entry = any_entry();
	union shown shown;

	ASSUME(show(&view, &entry, &shown));
	CHECK(shown.perf.from == 0 || shown.perf.from >= 1ULL << 63);
	CHECK(shown.perf.to == 0 || shown.perf.to >= 1ULL << 63);
	CHECK(shown.perf.priv == PERF_BR_PRIV_KERNEL);
}
