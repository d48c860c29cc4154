// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr estimate`: from what a model measured in windows to the whole run. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/text.h"
#include "base/units.h"
#include "origin/coverage.h"
#include "phases/pairs.h"
#include "ssctr.h"
#include "windows/file.h"

enum {
	OPT_OUTPUT = 'o',
	OPT_ERROR = 256,
	OPT_CONFIDENCE,
	OPT_COUNTS,
	OPT_SEED,
};

/* Beyond it, t of one degree of freedom is no number that says anything. */
#define MOST_CONFIDENCE 99.9999999

static const struct opt options[] = {
	{ OPT_COUNTS, "counts", NULL,
	  "the values are counts in a window, such as mispredictions, and not means, such as cycles per instruction" },
	{ OPT_ERROR, "error", "PERCENT", "the error that you want at most (3)" },
	{ OPT_CONFIDENCE, "confidence", "PERCENT",
	  "how often the interval is to hold the truth (95)" },
	{ OPT_OUTPUT, "output", "FILE",
	  "write the windows that --error needs into this file: those that there are and random further ones" },
	{ OPT_SEED, "seed", "N", "begin with another random number (that of the windows)" },
	{ 'j', "json", NULL, "print one JSON object" },
	{ 0 }
};

static const struct cmd cmd = {
	.name = "estimate",
	.usage = "[option]... WINDOWS TABLE",
	.about =
		"Compute what a model would have measured in the whole run, with a confidence\n"
		"interval, from what it measured in windows. WINDOWS is the file that\n"
		"ssctr phases -o or ssctr stf wrote. TABLE has a line for each window: its number\n"
		"and a value. -: standard input.",
	.example =
		"  ssctr estimate windows.txt cpi.txt\n"
		"  ssctr estimate --counts --error 1 -o more.txt windows.txt misses.txt",
	.opts = options,
};

struct asked {
	const char *output, *windows, *table;
	double error, confidence; /* shares */
	uint64_t seed;
	bool counts, json, seeded;
};

/* What there is to show. */
struct found {
	struct windows_plan plan;
	struct windows_value *values;
	struct phases_estimate e;
	uint64_t needed[PHASES_MAX_CLUSTERS];
	bool reachable; /* the wanted error; only if the interval is known, as the next two */
	uint64_t more; /* windows; all that there are if the error cannot be reached */
	uint64_t every; /* of recorded windows, to have as many; 0: the error is not reachable */
};

/* From above 0 to below most, as a share. */
static bool take_percent(const struct cmd_opts *opts, double *share, double most)
{
	char *end;
	double value = strtod(opts->arg, &end);

	*share = value / 100;
	if (end != opts->arg && !*end && value > 0 && value < most)
		return true;
	cmd_usage(&cmd, "--%s %s: not a number of percent above 0 and below %.10g",
		  opts->words.opt->name, opts->arg, most);
	return false;
}

static bool take_option(struct asked *asked, const struct cmd_opts *opts, int id)
{
	switch (id) {
	case OPT_OUTPUT:
		asked->output = opts->arg;
		return true;
	case OPT_ERROR:
		return take_percent(opts, &asked->error, 1000);
	case OPT_CONFIDENCE:
		return take_percent(opts, &asked->confidence, MOST_CONFIDENCE);
	case OPT_SEED:
		asked->seeded = true;
		return cmd_opts_u64(opts, &asked->seed);
	}
	asked->counts |= id == OPT_COUNTS;
	asked->json |= id == 'j';
	return true;
}

/* --- reading --- */

static FILE *open_input(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;

	if (!file)
		cmd_error(&cmd, "%s: %s", path, strerror(errno));
	return file;
}

static int read_windows(const struct asked *asked, struct windows_plan *plan)
{
	FILE *file = open_input(asked->windows);
	struct error error;
	int ret;

	if (!file)
		return CMD_FAIL;
	ret = windows_file_read(plan, file, asked->windows, &error);
	fclose(file);
	return ret ? cmd_error(&cmd, "%s", error.text) : CMD_OK;
}

static int read_table(const struct asked *asked, struct found *f)
{
	FILE *file = open_input(asked->table);
	struct error error;
	size_t i;
	int ret;

	if (!file)
		return CMD_FAIL;
	f->values = calloc(f->plan.nr, sizeof(*f->values));
	ret = f->values ? windows_table_read(f->values, &f->plan, file, asked->table, &error) :
			  error_nomem(&error);
	fclose(file);
	if (ret)
		return cmd_error(&cmd, "%s", error.text);
	for (i = 0; asked->counts && i < f->plan.nr; i++)
		f->values[i].mean /= (double)f->plan.v[i].length;
	return CMD_OK;
}

/* --- printing --- */

static bool has_interval(const struct phases_estimate *e)
{
	return !isinf(e->half);
}

static void print_interval(const struct asked *asked, const struct found *f)
{
	const struct phases_estimate *e = &f->e;
	const double all = (double)f->plan.length;

	printf("%.10g %% interval    %.6g to %.6g", 100 * asked->confidence, e->mean - e->half,
	       e->mean + e->half);
	if (e->mean)
		printf(", +- %.2f %%", 100 * (e->half / fabs(e->mean)));
	printf("\nwhole run        %.6g +- %.3g in %" PRIu64 " %s\n", e->mean * all,
	       e->half * all, f->plan.length, f->plan.unit);
	printf(f->reachable ? "windows more     %" PRIu64 " for +- %g %%\n" :
	       f->more	    ? "windows more     all %" PRIu64 " that are left are too few for +- %g %%\n" :
			      "windows more     %" PRIu64 " are left for +- %g %%\n",
	       f->more, 100 * asked->error);
	if (f->more && f->every)
		printf("record with      --windows %" PRIu64 "/%" PRIu64 "\n", f->plan.size,
		       f->every);
}

static void print_text(const struct asked *asked, const struct found *f)
{
	const struct phases_estimate *e = &f->e;
	char held[ORIGIN_TEXT_MAX];

	printf("windows          %zu of %zu have a value, ", e->windows, f->plan.windows);
	if (f->plan.recorded)
		printf("%" PRIu64 " were left out\n", f->plan.left_out);
	else
		printf("in %u phases\n", f->plan.nr_strata);
	/* Recorded windows stand for all that ran, unless the file says otherwise. */
	if (f->plan.recorded && f->plan.coverage > 0)
		printf("coverage         %.1f %% of what ran\n",
		       units_percent(f->plan.coverage));
	if (!f->plan.recorded)
		printf("coverage         %s\n",
		       origin_coverage_text(held, sizeof(held), f->plan.coverage ?: -1));
	if (f->plan.repeated > 0)
		printf("repeated         %" PRId64 " instructions, shown more than once\n",
		       f->plan.repeated);
	printf("mean             %.6g, by %s\n", e->mean, f->plan.unit);
	if (has_interval(e))
		print_interval(asked, f);
	else
		printf("whole run        %.6g in %" PRIu64 " %s, with an error that is not known\n",
		       e->mean * (double)f->plan.length, f->plan.length, f->plan.unit);
}

static void put_double(struct text *t, const char *name, double value)
{
	text_str(t, name);
	text_fmt(t, isfinite(value) ? "%.9g" : "null", value);
}

static void print_json(const struct asked *asked, const struct found *f)
{
	struct text text = { 0 }, *t = &text;
	const struct phases_estimate *e = &f->e;

	text_json_dec(t, "{\"windows\":", e->windows);
	text_json_dec(t, ",\"missing\":", e->missing);
	text_json_dec(t, ",\"left_out\":", f->plan.left_out);
	text_json_str(t, ",\"choice\":", windows_choice_name(f->plan.choice));
	text_json_dec(t, ",\"phases\":", f->plan.nr_strata);
	text_json_dec(t, ",\"joined_phases\":", e->joined);
	text_json_share(t, ",\"coverage\":", f->plan.coverage ?: -1);
	text_json_known(t, ",\"repeated\":", f->plan.repeated);
	put_double(t, ",\"mean\":", e->mean);
	put_double(t, ",\"half\":", e->half);
	put_double(t, ",\"low\":", e->mean - e->half);
	put_double(t, ",\"high\":", e->mean + e->half);
	put_double(t, ",\"confidence\":", asked->confidence);
	put_double(t, ",\"freedom\":", e->freedom);
	text_json_dec(t, ",\"length\":", f->plan.length);
	text_json_str(t, ",\"unit\":", f->plan.unit);
	put_double(t, ",\"total\":", e->mean * (double)f->plan.length);
	put_double(t, ",\"wanted_error\":", asked->error);
	if (f->reachable)
		text_json_dec(t, ",\"more_windows\":", f->more);
	else
		text_str(t, ",\"more_windows\":null");
	if (f->more && f->every)
		text_json_dec(t, ",\"wanted_every\":", f->every);
	text_str(t, "}");
	text_line(t);
	text_flush(t);
}

/* What the numbers lack. */
static void tell(const struct asked *asked, const struct found *f)
{
	const struct phases_estimate *e = &f->e;

	if (e->missing)
		cmd_error(&cmd, "%zu windows have no value and are left out; if they are not a random part of the windows, the result is wrong",
			  e->missing);
	if (has_interval(e) && !f->reachable && f->plan.recorded)
		cmd_error(&cmd, "+- %g %% cannot be reached with windows of %" PRIu64 " instructions, because at most half of a run can be in windows; record smaller windows, or allow a larger error",
			  100 * asked->error, f->plan.size);
	else if (has_interval(e) && !f->reachable)
		cmd_error(&cmd, "+- %g %% cannot be reached, because windows without a value leave too few others; let the model run these windows, or allow a larger error",
			  100 * asked->error);
	if (has_interval(e) && e->joined)
		cmd_error(&cmd, "%u phases have too few windows to tell how much they vary; they are joined with others, which makes the interval wider",
			  e->joined);
	if (f->plan.coverage > 0 && f->plan.coverage < ORIGIN_ENOUGH)
		cmd_error(&cmd, "the windows are from %.1f %% of what ran; the result says nothing about the rest",
			  100 * f->plan.coverage);
	if (f->plan.repeated > 0)
		cmd_error(&cmd, "the result is of a trace in which %" PRId64 " instructions " ORIGIN_REPEATED,
			  f->plan.repeated);
	if (f->plan.left_out)
		cmd_error(&cmd, "%" PRIu64 " recorded windows were not complete; complete ones of the same thread or CPU, if there are any, stand for their parts of the run, and the result is right only if these are alike",
			  f->plan.left_out);
	if (has_interval(e) && f->plan.choice == WINDOWS_CHOICE_SYSTEMATIC)
		cmd_error(&cmd, "the windows are at systematic places, so the interval is a guess from the differences of neighbours; it is too small if the program is in step with the windows");
	if (f->plan.choice == WINDOWS_CHOICE_REPRESENTATIVE)
		cmd_error(&cmd, "the error is not known, because the windows are representative and not random; `ssctr phases` without --representative chooses random ones");
	else if (!has_interval(e))
		cmd_error(&cmd, "the error is not known, because only one window has a value");
}

/* --- the work --- */

/* With so many windows, and as many left out as before. */
static double every_for(const struct found *f, double windows)
{
	return (double)f->plan.every * (double)f->e.windows / windows;
}

/* Half of a run at most is in windows, as windows_parse() demands. */
static void find_every(const struct asked *asked, struct found *f)
{
	const uint64_t needed = phases_pairs_needed(&f->e, asked->error * fabs(f->e.mean));
	const double least = 2 * (double)f->plan.size;
	uint64_t most;

	f->every = (uint64_t)every_for(f, (double)needed);
	f->reachable = needed == f->e.windows || (double)f->every >= least;
	if (f->reachable) {
		f->more = needed - f->e.windows;
		return;
	}
	f->every = 0;
	most = (uint64_t)every_for(f, least);
	f->more = most > f->e.windows ? most - f->e.windows : 0;
}

static void find_needed(const struct asked *asked, struct found *f)
{
	uint64_t known[PHASES_MAX_CLUSTERS] = { 0 };
	unsigned int k;
	size_t i;

	if (!has_interval(&f->e))
		return;
	if (f->plan.recorded) {
		find_every(asked, f);
		return;
	}
	f->reachable = phases_estimate_needed(&f->plan, f->values, asked->confidence,
					      asked->error * fabs(f->e.mean), f->needed);
	for (i = 0; i < f->plan.nr; i++)
		known[f->plan.v[i].stratum] += f->values[i].known;
	for (k = 0; k < f->plan.nr_strata; k++) {
		f->more += f->needed[k] - known[k];
		f->needed[k] += f->plan.strata[k].windows - known[k];
	}
}

static int write_windows(const struct asked *asked, struct found *f)
{
	struct outfile out;

	if (!has_interval(&f->e))
		return cmd_error(&cmd, "-o %s: not written, because the error is not known",
				 asked->output);
	if (!f->reachable)
		return cmd_error(&cmd, "-o %s: not written, because no windows make the error small enough",
				 asked->output);
	if (f->plan.recorded)
		return cmd_error(&cmd, "-o %s: not written, because recorded windows cannot be added to; record the run again with a smaller EVERY",
				 asked->output);
	phases_plan_choose(&f->plan, f->needed, asked->seeded ? asked->seed : f->plan.seed);
	if (outfile_open(&out, asked->output))
		return cmd_error(&cmd, "%s: %s", asked->output, strerror(errno));
	windows_file_write(&f->plan, out.file);
	if (outfile_close(&out, true))
		return cmd_error(&cmd, "cannot write %s: %s", asked->output, strerror(errno));
	return CMD_OK;
}

static int estimate(const struct asked *asked, struct found *f)
{
	struct error error;
	int ret = read_windows(asked, &f->plan);

	if (!ret)
		ret = read_table(asked, f);
	if (ret)
		return ret;
	if (phases_estimate(&f->plan, f->values, asked->confidence, &f->e, &error))
		return cmd_error(&cmd, "%s: %s", asked->table, error.text);
	find_needed(asked, f);
	/* With the file on standard output, the numbers would be in its way. */
	if (asked->output && !strcmp(asked->output, "-"))
		;
	else if (asked->json)
		print_json(asked, f);
	else
		print_text(asked, f);
	tell(asked, f);
	return asked->output ? write_windows(asked, f) : CMD_OK;
}

int cmd_estimate(int argc, char **argv)
{
	struct asked asked = { .error = 0.03, .confidence = 0.95 };
	struct found *f;
	struct cmd_opts opts;
	int id, ret;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0)
		if (!take_option(&asked, &opts, id))
			return CMD_USAGE;
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (opts.argc != 2)
		return cmd_usage(&cmd, "give two files: the windows and the table of values");
	if (!strcmp(opts.argv[0], "-") && !strcmp(opts.argv[1], "-"))
		return cmd_usage(&cmd, "standard input can be only one of the two files");
	if (asked.json && asked.output && !strcmp(asked.output, "-"))
		return cmd_usage(&cmd, "--json cannot be used with -o -, which writes the windows to standard output");
	asked.windows = opts.argv[0];
	asked.table = opts.argv[1];
	if (asked.output && !cmd_keeps_input(&cmd, asked.output, asked.table))
		return CMD_FAIL;
	f = calloc(1, sizeof(*f));
	ret = f ? estimate(&asked, f) : cmd_error(&cmd, "out of memory");
	if (f) {
		windows_file_free(&f->plan);
		free(f->values);
	}
	free(f);
	return ret;
}
