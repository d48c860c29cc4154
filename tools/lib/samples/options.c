// SPDX-License-Identifier: GPL-2.0-only
#include "samples/options.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Digits only: strtoul() would take signs and blanks. */
static bool parse_u32(const char **p, uint32_t *value)
{
	uint64_t v = 0;

	if (**p < '0' || **p > '9')
		return false;
	while (**p >= '0' && **p <= '9') {
		v = v * 10 + (*(*p)++ - '0');
		if (v > UINT32_MAX)
			return false;
	}
	*value = v;
	return true;
}

static int parse_list(struct samples_list *list, const char *name,
		      const char *example, const char *arg, struct error *error)
{
	const char *p = arg;

	do {
		struct samples_range range;

		if (!parse_u32(&p, &range.first))
			break;
		range.last = range.first;
		if (*p == '-' && (p++, !parse_u32(&p, &range.last)))
			break;
		if (range.last < range.first)
			break;
		if (!array_room(&list->v, list->nr, &list->cap,
				sizeof(*list->v)))
			return error_nomem(error);
		list->v[list->nr++] = range;
		if (!*p)
			return 0;
	} while (*p++ == ',');
	return error_set(error, ERROR_USAGE, "--%s %s: not a list like %s",
			 name, arg, example);
}

/* Seconds with a fraction, to nanoseconds. An empty text changes nothing. */
static bool parse_time(const char **p, uint64_t *ns)
{
	uint64_t v = 0, unit = 1000000000;
	uint32_t seconds;

	if (!**p || **p == ',')
		return true;
	if (!parse_u32(p, &seconds))
		return false;
	if (**p == '.') {
		(*p)++;
		while (**p >= '0' && **p <= '9') {
			unit /= 10;
			v += unit * (*(*p)++ - '0');
		}
	}
	*ns = seconds * UINT64_C(1000000000) + v;
	return true;
}

/* "10%-20%". False: it is none. */
static bool parse_shares(struct samples_opts *opts, const char *arg)
{
	char *end;

	if (*arg < '0' || *arg > '9')
		return false;
	opts->share_from = strtod(arg, &end) / 100;
	if (strncmp(end, "%-", 2) || end[2] < '0' || end[2] > '9')
		return false;
	opts->share_to = strtod(end + 2, &end) / 100;
	return !strcmp(end, "%") && opts->share_from < opts->share_to &&
	       opts->share_to <= 1;
}

static int parse_times(struct samples_opts *opts, const char *arg,
		       struct error *error)
{
	const char *p = arg;

	if (strchr(arg, '%')) {
		if (parse_shares(opts, arg))
			return 0;
	} else if (parse_time(&p, &opts->time_from) && *p++ == ',' &&
		   parse_time(&p, &opts->time_to) && !*p &&
		   opts->time_from <= opts->time_to) {
		opts->share_to = 0;
		return 0;
	}
	return error_set(error, ERROR_USAGE,
			 "--time %s: not two times like 12.5,13 or 10%%-20%%", arg);
}

static int parse_least(struct samples_opts *opts, const char *arg,
		       struct error *error)
{
	char *end;
	double percent = strtod(arg, &end);

	if (*arg < '0' || *arg > '9' || *end || percent > 100)
		return error_set(error, ERROR_USAGE,
				 "--least %s: not a number from 0 to 100", arg);
	opts->least = percent / 100;
	return 0;
}

static int add_word(struct samples_words *words, const char *arg,
		    struct error *error)
{
	if (!array_room(&words->v, words->nr, &words->cap, sizeof(*words->v)))
		return error_nomem(error);
	words->v[words->nr++] = arg;
	return 0;
}

int samples_option(struct samples_opts *opts, int id, const char *arg,
		   struct error *error)
{
	switch (id) {
	case SAMPLES_OPT_SYMFS:
		opts->symfs = arg;
		return 0;
	case SAMPLES_OPT_KCORE:
		if (!strcmp(arg, "/proc/kcore"))
			return error_set(
				error, ERROR_USAGE,
				"--kcore /proc/kcore: memory cannot be read as a file; give a copy, or record with `perf record --kcore`, which makes one");
		opts->kcore = arg;
		return 0;
	case SAMPLES_OPT_VMLINUX:
		opts->vmlinux = arg;
		return 0;
	case SAMPLES_OPT_KALLSYMS:
		opts->kallsyms = arg;
		return 0;
	case SAMPLES_OPT_CODE:
		return add_word(&opts->code, arg, error);
	case SAMPLES_OPT_PID:
		return parse_list(&opts->pids, "pid", "1,4-7", arg, error);
	case SAMPLES_OPT_TID:
		return parse_list(&opts->tids, "tid", "1,4-7", arg, error);
	case SAMPLES_OPT_COMM:
		return add_word(&opts->comms, arg, error);
	case SAMPLES_OPT_DSO:
		return add_word(&opts->dsos, arg, error);
	case SAMPLES_OPT_SYMBOL:
		return add_word(&opts->symbols, arg, error);
	case SAMPLES_OPT_CPU:
		return parse_list(&opts->cpus, "cpu", "0,2-3", arg, error);
	case SAMPLES_OPT_TIME:
		return parse_times(opts, arg, error);
	case SAMPLES_OPT_LEAST:
		return parse_least(opts, arg, error);
	case SAMPLES_OPT_ALLOW_PARTIAL:
		opts->allow_partial = true;
		return 0;
	default:
		return error_set(error, ERROR_USAGE, "option %d is not known",
				 id);
	}
}

void samples_opts_free(struct samples_opts *opts)
{
	free(opts->pids.v);
	free(opts->tids.v);
	free(opts->cpus.v);
	free(opts->comms.v);
	free(opts->dsos.v);
	free(opts->symbols.v);
	free(opts->code.v);
}
