// SPDX-License-Identifier: GPL-2.0-only
/* The rows of `ssctr stat --interval`, each printed when its interval ends. */
#include "stat.h"

#include <inttypes.h>

/* The columns: their names, and the place of their value. */
struct column {
	const char *name;
	uint64_t value;
};

enum { N_OTHERS = 9, N_COLUMNS = N_OTHERS + RV_N_CLASSES };

static void columns_of(const struct tstat_interval *i, struct column *v)
{
	unsigned int k;

	*v++ = (struct column){ "start", i->start };
	*v++ = (struct column){ "instructions", i->instructions };
	*v++ = (struct column){ "user", i->user };
	*v++ = (struct column){ "gaps", i->gaps };
	*v++ = (struct column){ "conditional", i->conditional.ran };
	*v++ = (struct column){ "taken", i->conditional.taken };
	*v++ = (struct column){ "wrong_counter", i->conditional.wrong_counter };
	*v++ = (struct column){ "wrong_gshare", i->conditional.wrong_gshare };
	*v++ = (struct column){ "not_predicted", i->further };
	for (k = 0; k < RV_N_CLASSES; k++)
		*v++ = (struct column){ rv_class_name(k), i->classes[k] };
}

void stat_intervals_json(void *arg, const struct tstat_interval *interval)
{
	struct stat_report *report = arg;
	struct column v[N_COLUMNS];
	struct text *t = &report->text;
	unsigned int k;

	columns_of(interval, v);
	for (k = 0; k < N_COLUMNS; k++) {
		text_fmt(t, k ? ",\"%s\":" : "{\"%s\":", v[k].name);
		text_json_dec(t, "", v[k].value);
	}
	text_str(t, "}");
	text_line(t);
}

/* A row, and before the first one a row of names. */
static void put_row(struct stat_report *report, const struct tstat_interval *interval,
		    const char *between, int width)
{
	struct column v[N_COLUMNS];
	struct text *t = &report->text;
	unsigned int k;

	columns_of(interval, v);
	for (k = 0; k < N_COLUMNS && !interval->start; k++)
		text_fmt(t, "%s%*s", k ? between : "", width, v[k].name);
	if (!interval->start)
		text_line(t);
	for (k = 0; k < N_COLUMNS; k++)
		text_fmt(t, "%s%*" PRIu64, k ? between : "", width, v[k].value);
	text_line(t);
}

void stat_intervals_csv(void *arg, const struct tstat_interval *interval)
{
	put_row(arg, interval, ",", 0);
}

/* Columns that are as wide as their numbers may be. */
void stat_intervals_text(void *arg, const struct tstat_interval *interval)
{
	put_row(arg, interval, " ", 13);
}
