// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr phases` found. */
#include <inttypes.h>
#include <string.h>

#include "origin/coverage.h"
#include "phases.h"
#include "windows/file.h"

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static uint64_t window_length(const struct windows_plan *plan)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < plan->nr_strata; i++)
		sum += plan->strata[i].window_length;
	return sum;
}

void phases_text(struct text *t, const struct windows_plan *plan, size_t blocks)
{
	const struct windows_stratum *s = plan->strata;
	char held[ORIGIN_TEXT_MAX];
	unsigned int k;
	size_t i;

	text_fmt(t, "intervals    %zu of %" PRIu64 " %s\n", plan->nr, plan->size, plan->unit);
	text_fmt(t, "blocks       %zu\nphases       %u\n", blocks, plan->nr_strata);
	text_fmt(t, "coverage     %s\n",
		 origin_coverage_text(held, sizeof(held), plan->coverage ?: -1));
	if (plan->repeated > 0)
		text_fmt(t, "repeated     %" PRId64 " instructions " ORIGIN_REPEATED "\n",
			 plan->repeated);
	text_fmt(t, "windows      %zu, %.2f %% of these intervals, %s\n\nPhases\n", plan->windows,
		 percent(window_length(plan), plan->length),
		 plan->choice == WINDOWS_CHOICE_RANDOM ? "random in each phase" :
							 "the most typical of each phase");
	text_str(t, " phase  intervals     share   spread  windows\n");
	for (k = 0; k < plan->nr_strata; k++, s++)
		text_fmt(t, "%6u %10" PRIu64 " %7.2f %% %8.4f %8" PRIu64 "\n", k, s->intervals,
			 percent(s->length, plan->length), s->spread, s->windows);
	text_str(t, "\nWindows\n interval             start       length  phase    weight\n");
	for (i = 0; i < plan->nr; i++)
		if (plan->v[i].chosen)
			text_fmt(t, "%9zu %17" PRIu64 " %12" PRIu64 " %6" PRIu32 "  %.6f\n", i,
				 plan->v[i].start, plan->v[i].length,
				 plan->v[i].stratum,
				 windows_weight(plan, i));
}

static void put_phases(struct text *t, const struct windows_plan *plan)
{
	unsigned int i;

	text_str(t, ",\"phases\":[");
	for (i = 0; i < plan->nr_strata; i++) {
		const struct windows_stratum *s = &plan->strata[i];

		text_json_dec(t, i ? ",{\"intervals\":" : "{\"intervals\":", s->intervals);
		text_json_dec(t, ",\"length\":", s->length);
		text_fmt(t, ",\"spread\":%.6g", s->spread);
		text_json_dec(t, ",\"windows\":", s->windows);
		text_str(t, "}");
	}
	text_str(t, "]");
}

static void put_windows(struct text *t, const struct windows_plan *plan)
{
	bool first = true;
	size_t i;

	text_str(t, ",\"windows\":[");
	for (i = 0; i < plan->nr; i++) {
		const struct windows_interval *v = &plan->v[i];

		if (!v->chosen)
			continue;
		text_json_dec(t, first ? "{\"interval\":" : ",{\"interval\":", i);
		text_json_dec(t, ",\"start\":", v->start);
		text_json_dec(t, ",\"length\":", v->length);
		text_json_dec(t, ",\"phase\":", v->stratum);
		text_fmt(t, ",\"weight\":%.9g", windows_weight(plan, i));
		if (v->samples) {
			text_json_dec(t, ",\"samples\":", v->samples);
			text_json_dec(t, ",\"from_ns\":", v->from);
			text_json_dec(t, ",\"to_ns\":", v->to);
		}
		text_str(t, "}");
		first = false;
	}
	text_str(t, "]");
}

void phases_json(struct text *t, const struct windows_plan *plan, size_t blocks)
{
	size_t i;

	text_json_str(t, "{\"source\":", plan->source);
	text_json_str(t, ",\"unit\":", plan->unit);
	text_json_str(t, ",\"cut_options\":", plan->filter);
	text_json_dec(t, ",\"size\":", plan->size);
	text_json_dec(t, ",\"length\":", plan->length);
	text_json_share(t, ",\"coverage\":", plan->coverage ?: -1);
	text_json_known(t, ",\"repeated\":", plan->repeated);
	text_json_dec(t, ",\"blocks\":", blocks);
	text_json_str(t, ",\"choice\":", windows_choice_name(plan->choice));
	text_json_dec(t, ",\"seed\":", plan->seed);
	text_json_dec(t, ",\"warmup\":", plan->warmup);
	put_phases(t, plan);
	put_windows(t, plan);
	text_str(t, ",\"phase_of_interval\":[");
	for (i = 0; i < plan->nr; i++)
		text_json_dec(t, i ? "," : "", plan->v[i].stratum);
	text_str(t, "]}");
	text_line(t);
}
