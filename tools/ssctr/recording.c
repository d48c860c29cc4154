// SPDX-License-Identifier: GPL-2.0-only
#include "recording.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rec_init(struct rec *rec, const struct cmd *cmd,
	      const struct rec_chooser *chooser)
{
	*rec = (struct rec){
		.cmd = cmd,
		.path = chooser ? chooser->path : "perf.data",
		.time_to = UINT64_MAX,
		.chooser = chooser,
		/* perf has a progress bar of its own. */
		.terminal = !chooser && isatty(STDERR_FILENO),
		.percent = UINT32_MAX,
	};
}

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

static bool parse_list(struct rec_list *list, const char *p)
{
	do {
		struct rec_range range, *v;

		if (!parse_u32(&p, &range.first))
			return false;
		range.last = range.first;
		if (*p == '-') {
			p++;
			if (!parse_u32(&p, &range.last))
				return false;
		}
		if (range.last < range.first)
			return false;
		v = realloc(list->v, (list->nr + 1) * sizeof(*v));
		if (!v)
			return false;
		list->v = v;
		list->v[list->nr++] = range;
	} while (*p++ == ',');
	return !p[-1];
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

static bool parse_times(struct rec *rec, const char *p)
{
	if (!parse_time(&p, &rec->time_from) || *p++ != ',' ||
	    !parse_time(&p, &rec->time_to) || *p)
		return false;
	return rec->time_from <= rec->time_to;
}

int rec_option(struct rec *rec, const struct cmd_opts *opts, int id)
{
	switch (id) {
	case REC_OPT_INPUT:
		if (rec->chooser)
			return cmd_usage(rec->cmd,
					 "-i %s: perf script has it already",
					 opts->arg);
		rec->path = opts->arg;
		return CMD_OK;
	case REC_OPT_SYMFS:
		rec->symfs = opts->arg;
		return CMD_OK;
	case REC_OPT_KCORE:
		rec->kcore = opts->arg;
		return CMD_OK;
	case REC_OPT_VMLINUX:
		rec->vmlinux = opts->arg;
		return CMD_OK;
	case REC_OPT_BUILD_ID_DIR:
		free(rec->build_id_dir);
		rec->build_id_dir = strdup(opts->arg);
		return rec->build_id_dir ? CMD_OK :
					   cmd_error(rec->cmd, "out of memory");
	case REC_OPT_PID:
		if (parse_list(&rec->pids, opts->arg))
			return CMD_OK;
		return cmd_usage(rec->cmd, "--pid %s: not a list like 1,4-7",
				 opts->arg);
	case REC_OPT_TID:
		if (parse_list(&rec->tids, opts->arg))
			return CMD_OK;
		return cmd_usage(rec->cmd, "--tid %s: not a list like 1,4-7",
				 opts->arg);
	case REC_OPT_CPU:
		if (parse_list(&rec->cpus, opts->arg))
			return CMD_OK;
		return cmd_usage(rec->cmd, "--cpu %s: not a list like 0,2-3",
				 opts->arg);
	case REC_OPT_TIME:
		if (parse_times(rec, opts->arg))
			return CMD_OK;
		return cmd_usage(rec->cmd,
				 "--time %s: not two times like 12.5,13",
				 opts->arg);
	default:
		return cmd_usage(rec->cmd, "option %d is not known", id);
	}
}

static int check_kind(struct rec *rec)
{
	const char *arch = pd_text(rec->pd, PD_ARCH);
	unsigned int i;

	if (arch[0] && strncmp(arch, "riscv", 5))
		return cmd_error(
			rec->cmd,
			"%s: was recorded on %s, not on a RISC-V machine",
			rec->path, arch);
	for (i = 0; i < pd_nr_attrs(rec->pd); i++)
		if (pd_attr(rec->pd, i)->sample_type & PERF_SAMPLE_BRANCH_STACK)
			return CMD_OK;
	return cmd_error(
		rec->cmd,
		"%s: was recorded without branch stacks; record with `perf record -b COMMAND`",
		rec->path);
}

/* Where code may be beside the files themselves. False: out of memory. */
static bool find_code(struct rec *rec)
{
	const char *home = getenv("HOME"), *dir = pd_kcore_dir(rec->pd);

	if (!rec->build_id_dir && home &&
	    asprintf(&rec->build_id_dir, "%s/.debug", home) < 0) {
		rec->build_id_dir = NULL;
		return false;
	}
	img_set_origin(rec->img, pd_text(rec->pd, PD_OSRELEASE),
		       rec->build_id_dir);
	if (!rec->kcore && dir) {
		if (asprintf(&rec->kcore_path, "%s/kcore", dir) < 0) {
			rec->kcore_path = NULL;
			return false;
		}
		rec->kcore = rec->kcore_path;
	}
	if (rec->kcore)
		return img_set_kcore(rec->img, rec->kcore);
	return !rec->vmlinux || img_set_vmlinux(rec->img, rec->vmlinux);
}

int rec_open(struct rec *rec)
{
	int ret = pd_open(&rec->pd, rec->path);

	if (ret)
		return cmd_error(rec->cmd, "%s: %s", rec->path,
				 pd_error(rec->pd));
	ret = check_kind(rec);
	if (ret)
		return ret;
	if (rec->symfs && access(rec->symfs, X_OK))
		return cmd_error(rec->cmd, "%s: %s", rec->symfs,
				 strerror(errno));
	rec->space = pd_space_new(rec->pd);
	rec->img = img_new(rec->symfs);
	if (rec->space && rec->img)
		rec->code = path_code_new(rec->space, rec->img);
	if (!rec->code || !find_code(rec))
		return cmd_error(rec->cmd, "out of memory");
	return CMD_OK;
}

static bool in_list(const struct rec_list *list, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (value >= list->v[i].first && value <= list->v[i].last)
			return true;
	return !list->nr;
}

static bool wanted(const struct rec *rec, const struct pd_event *ev)
{
	/* A sample without a time is in no time span but the whole. */
	return in_list(&rec->pids, ev->pid) && in_list(&rec->tids, ev->tid) &&
	       in_list(&rec->cpus, ev->cpu) && ev->time >= rec->time_from &&
	       ev->time <= rec->time_to;
}

static bool next_choice(struct rec *rec)
{
	if (!rec->has_chosen && !rec->chose_all) {
		rec->has_chosen = rec->chooser->next(rec->chooser->arg,
						     &rec->chosen) > 0;
		rec->chose_all = !rec->has_chosen;
	}
	return rec->has_chosen;
}

/* perf shows twice what it wrote twice, which pd_next() returns once. */
static bool is_copy(const struct rec *rec)
{
	const struct rec_key *a = &rec->chosen, *b = &rec->passed;

	return a->time == b->time && a->ip == b->ip && a->id == b->id &&
	       a->tid == b->tid && a->cpu == b->cpu;
}

static bool is_of(const struct rec_key *key, const struct pd_event *ev)
{
	const bool has_id = ev->attr->sample_type &
			    (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);

	return key->time == ev->time && key->ip == ev->sample.ip &&
	       key->tid == ev->tid && key->cpu == ev->cpu &&
	       (!has_id || key->id == ev->sample.id);
}

/*
 * Is the sample the one that was chosen next? Both sides read the recording in the
 * same order.
 */
static bool is_chosen(struct rec *rec, const struct pd_event *ev)
{
	while (next_choice(rec) && !is_of(&rec->chosen, ev)) {
		if (!is_copy(rec))
			return false;
		rec->has_chosen = false;
	}
	if (!rec->has_chosen)
		return false;
	rec->passed = rec->chosen;
	rec->has_chosen = false;
	return true;
}

static int end_choice(struct rec *rec)
{
	const struct rec_chooser *chooser = rec->chooser;

	while (next_choice(rec) && is_copy(rec))
		rec->has_chosen = false;
	if (rec->has_chosen) {
		cmd_error(rec->cmd,
			  "%s: perf script shows samples that are not in it, or in another order",
			  rec->path);
		return -1;
	}
	if (chooser->end(chooser->arg, pd_stats(rec->pd)->samples))
		return 0;
	cmd_error(rec->cmd, "%s: perf script stopped before its end", rec->path);
	return -1;
}

static void show_progress(struct rec *rec)
{
	uint64_t size = pd_size(rec->pd);
	unsigned int percent = size ? 100 * pd_position(rec->pd) / size : 0;

	if (!size || percent == rec->percent)
		return;
	rec->percent = percent;
	fprintf(stderr, "\r%s: %u %%\r", rec->path, percent);
}

static void clear_progress(struct rec *rec)
{
	if (rec->percent != UINT32_MAX)
		fputs("\r\033[K", stderr);
	rec->percent = UINT32_MAX;
}

int rec_next(struct rec *rec, struct pd_event *ev)
{
	int ret;

	while ((ret = pd_next(rec->pd, ev)) > 0) {
		if (ev->type != PERF_RECORD_SAMPLE) {
			if (!pd_space_event(rec->space, ev))
				continue;
			clear_progress(rec);
			cmd_error(rec->cmd, "out of memory");
			return -1;
		}
		if (rec->terminal && !(pd_stats(rec->pd)->samples & 0xfff))
			show_progress(rec);
		if ((!rec->chooser || is_chosen(rec, ev)) && wanted(rec, ev)) {
			path_code_set_time(rec->code,
					   ev->attr->monotonic ?
						   ev->time :
						   IMG_JIT_ANY_TIME);
			return 1;
		}
		rec->filtered++;
	}
	clear_progress(rec);
	if (ret < 0) {
		cmd_error(rec->cmd, "%s: %s", rec->path, pd_error(rec->pd));
		return -1;
	}
	return rec->chooser ? end_choice(rec) : 0;
}

bool rec_has_all_branches(const struct rec *rec)
{
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(rec->pd); i++) {
		const struct pd_attr *attr = pd_attr(rec->pd, i);

		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
		    !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY))
			return false;
	}
	return true;
}

unsigned int rec_depth(const struct rec *rec)
{
	const char *caps = pd_text(rec->pd, PD_CPU_CAPS), *at;

	/* A word of its own: "branches=256". */
	for (at = caps; (at = strstr(at, "branches=")); at++)
		if (at == caps || at[-1] == ' ')
			return strtoul(at + strlen("branches="), NULL, 10);
	return 0;
}

void rec_summary(const struct rec *rec)
{
	const struct pd_stats *stats = pd_stats(rec->pd);
	unsigned int i, nr = img_nr_files(rec->img);
	uint64_t lost = stats->lost + stats->lost_samples;

	if (lost < stats->lost_in_all)
		lost = stats->lost_in_all;
	if (rec->filtered)
		fprintf(stderr,
			"%12" PRIu64 " samples left out by the options\n",
			rec->filtered);
	if (stats->unknown_id)
		fprintf(stderr,
			"%12" PRIu64
			" samples of an event that the recording does not describe\n",
			stats->unknown_id);
	if (stats->guests)
		fprintf(stderr,
			"%12" PRIu64
			" samples of virtual machines, whose code is not known here\n",
			stats->guests);
	if (lost)
		fprintf(stderr, "%12" PRIu64 " events lost while recording\n",
			lost);
	if (stats->again)
		fprintf(stderr,
			"%12" PRIu64 " records that perf wrote twice, used once\n",
			stats->again);
	if (stats->throttled)
		fprintf(stderr,
			"%12" PRIu64
			" times the kernel throttled the sampling\n",
			stats->throttled);
	for (i = 0; i < nr; i++) {
		const char *why = img_file_error(img_file_at(rec->img, i));

		if (*why)
			fprintf(stderr, "not used: %s\n", why);
	}
}

void rec_end(struct rec *rec)
{
	path_code_free(rec->code);
	img_free(rec->img);
	pd_space_free(rec->space);
	pd_close(rec->pd);
	if (rec->kcore_path)
		rec->kcore = NULL;
	free(rec->kcore_path);
	rec->code = NULL;
	rec->img = NULL;
	rec->space = NULL;
	rec->pd = NULL;
	rec->kcore_path = NULL;
	rec->filtered = 0;
	rec->chooser = NULL;
}

void rec_close(struct rec *rec)
{
	rec_end(rec);
	free(rec->build_id_dir);
	free(rec->pids.v);
	free(rec->tids.v);
	free(rec->cpus.v);
}
