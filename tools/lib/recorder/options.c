// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse_tasks(struct rcd_pids *list, int id, const char *arg,
		       struct error *error)
{
	const char *s = arg;
	char *end;

	do {
		long value;

		errno = 0;
		value = strtol(s, &end, 10);
		/* strtol() takes blanks and signs, too. */
		if (*s < '0' || *s > '9' || errno || value <= 0 || value > INT32_MAX ||
		    (*end && *end != ','))
			return error_set(error, ERROR_USAGE,
					 "-%c %s: not a list of %s, such as 12,34", id, arg,
					 id == RCD_OPT_PID ? "processes" : "threads");
		if (!rcd_add_pid(list, value))
			return error_nomem(error);
		s = end + 1;
	} while (*end);
	return 0;
}

/* A number above 0. */
static int parse_number(uint64_t *value, int id, const char *arg,
			struct error *error)
{
	struct error why;

	if (opts_u64(arg, value, &why))
		return error_set(error, ERROR_USAGE, "-%c: %s", id, why.text);
	return *value ? 0 : error_set(error, ERROR_USAGE, "-%c 0: the %s must be at least 1", id,
				    id == RCD_OPT_COUNT ? "period" : "rate");
}

static int parse_freq(struct rcd_opts *opts, const char *arg, struct error *error)
{
	if (strcmp(arg, "max"))
		return parse_number(&opts->freq, RCD_OPT_FREQ, arg, error);
	opts->freq = UINT64_MAX;
	return 0;
}

static int parse_pages(struct rcd_opts *opts, const char *arg, struct error *error)
{
	struct error why;
	uint64_t n;

	if (opts_u64(arg, &n, &why) || !n || n & (n - 1) || n > RCD_MAX_PAGES)
		return error_set(error, ERROR_USAGE,
				 "-m %s: the number of pages must be a power of two, at most %d",
				 arg, RCD_MAX_PAGES);
	opts->pages = n;
	return 0;
}

static int parse_depth(struct rcd_opts *opts, const char *arg, struct error *error)
{
	struct error why;

	if (opts_u64(arg, &opts->depth, &why) || !opts->depth ||
	    opts->depth > RCD_MAX_DEPTH)
		return error_set(error, ERROR_USAGE, "--depth %s: the depth must be 1 to %d",
				 arg, RCD_MAX_DEPTH);
	return 0;
}

static int parse_filter(struct rcd_opts *opts, const char *arg, struct error *error)
{
	struct error why;

	opts->branches = rcd_branch_filter(arg, &why);
	return opts->branches ? 0 : error_set(error, ERROR_USAGE, "-j: %s", why.text);
}

static int parse_seed(struct windows *w, const char *arg, struct error *error)
{
	struct error why;

	w->has_seed = true;
	return opts_u64(arg, &w->seed, &why) ?
		       error_set(error, ERROR_USAGE, "--windows-seed: %s", why.text) : 0;
}

int rcd_option(struct rcd_opts *opts, int id, const char *arg,
	       struct error *error)
{
	switch (id) {
	case RCD_OPT_EVENT:
		if (opts->nr_events == RCD_MAX_LISTS)
			return error_set(error, ERROR_USAGE,
					 "too many -e; give one list of events, with commas between them");
		opts->events[opts->nr_events++] = arg;
		return 0;
	case RCD_OPT_COUNT:
		return parse_number(&opts->period, id, arg, error);
	case RCD_OPT_FREQ:
		return parse_freq(opts, arg, error);
	case RCD_OPT_FILTER:
		return parse_filter(opts, arg, error);
	case RCD_OPT_DEPTH:
		return parse_depth(opts, arg, error);
	case RCD_OPT_PID:
		return parse_tasks(&opts->pids, id, arg, error);
	case RCD_OPT_TID:
		return parse_tasks(&opts->tids, id, arg, error);
	case RCD_OPT_ALL:
		opts->all = true;
		return 0;
	case RCD_OPT_CPU:
		opts->cpus = arg;
		if (!*arg || arg[strspn(arg, "0123456789,-")])
			return error_set(error, ERROR_USAGE,
					 "-C %s: not a list of CPUs, such as 0,2-3", arg);
		return 0;
	case RCD_OPT_NO_INHERIT:
		opts->inherit = false;
		return 0;
	case RCD_OPT_PAGES:
		return parse_pages(opts, arg, error);
	case RCD_OPT_WINDOWS:
		return windows_parse(&opts->windows, arg, error);
	case RCD_OPT_PLACES:
		return windows_parse_places(&opts->windows, arg, error);
	case RCD_OPT_SEED:
		return parse_seed(&opts->windows, arg, error);
	default:
		return error_set(error, ERROR_USAGE, "option %d is not known", id);
	}
}

static int check_windows(const struct rcd_opts *opts, struct error *error)
{
	const struct windows *w = &opts->windows;

	if (!w->size)
		return w->has_seed || w->has_places ?
			       error_set(error, ERROR_USAGE,
					 "--windows-seed and --windows-places need --windows SIZE/EVERY") :
			       0;
	if (opts->nr_events || opts->period || opts->freq)
		return error_set(error, ERROR_USAGE,
				 "--windows cannot be used together with -e, -c and -F");
	if (opts->branches)
		return error_set(error, ERROR_USAGE,
				 "--windows cannot be used together with -j, because a window needs all branches");
	if (opts->use == RCD_FOR_PROFILE)
		return error_set(error, ERROR_USAGE,
				 "--windows cannot be used together with --for profile");
	if (opts->depth && opts->depth < WINDOWS_LEAST_SHOWN)
		return error_set(error, ERROR_USAGE,
				 "--depth %u: windows need a depth of at least %d",
				 (unsigned int)opts->depth, WINDOWS_LEAST_SHOWN);
	return 0;
}

int rcd_check_opts(const struct rcd_opts *opts, struct error *error)
{
	const int ret = check_windows(opts, error);

	if (ret)
		return ret;
	if (opts->period && opts->freq)
		return error_set(error, ERROR_USAGE, "-c and -F cannot be used together");
	if (rcd_is_of_cpus(opts) && (opts->pids.nr || opts->tids.nr))
		return error_set(error, ERROR_USAGE, "-p and -t cannot be used together with -a or -C");
	return 0;
}

void rcd_opts_free(struct rcd_opts *opts)
{
	free(opts->pids.v);
	free(opts->tids.v);
}
