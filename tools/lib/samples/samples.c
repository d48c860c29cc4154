// SPDX-License-Identifier: GPL-2.0-only
#include "samples/samples.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_kind(const struct samples *s, struct error *error)
{
	const char *arch = pd_text(s->pd, PD_ARCH);
	unsigned int i;

	if (arch[0] && strncmp(arch, "riscv", 5))
		return error_set(
			error, ERROR_INPUT,
			"%s: was recorded on %s, not on a RISC-V machine",
			s->path, arch);
	for (i = 0; i < pd_nr_attrs(s->pd); i++)
		if (pd_attr(s->pd, i)->sample_type & PERF_SAMPLE_BRANCH_STACK)
			return 0;
	return error_set(
		error, ERROR_INPUT,
		"%s: was recorded without branch stacks; record with `perf record -b COMMAND`",
		s->path);
}

/* The recording's own file of that name, if it is a folder that has the kernel. */
static const char *kernel_file(const struct samples *s, const char *name,
			       char **path)
{
	const char *dir = pd_kcore_dir(s->pd);

	if (!dir)
		return NULL;
	if (asprintf(path, "%s/%s", dir, name) < 0)
		*path = NULL;
	return *path;
}

/* Where code may be beside the files themselves. False: out of memory. */
static bool find_code(struct samples *s)
{
	const char *kallsyms = s->opts->kallsyms, *kcore = s->opts->kcore;

	if (!img_set_release(s->img, pd_text(s->pd, PD_OSRELEASE)) ||
	    !samples_add_places(s->img, s->opts))
		return false;
	kallsyms = kallsyms ?: kernel_file(s, "kallsyms", &s->kallsyms);
	if (kallsyms && !img_set_kallsyms(s->img, kallsyms))
		return false;
	kcore = kcore ?: kernel_file(s, "kcore", &s->kcore);
	if (kcore && !img_set_kcore(s->img, kcore))
		return false;
	return !s->opts->vmlinux || img_set_vmlinux(s->img, s->opts->vmlinux);
}

int samples_refuse_selection(const struct samples_opts *opts, const char *path,
			     struct error *error)
{
	const char *option = samples_selects_by(opts);

	return option ? error_set(
				error, ERROR_INPUT,
				"%s: a counts file has no samples from which %s could choose; leave the option out, or use recordings",
				path, option) :
			0;
}

/* What is not there is not looked at for hours. */
int samples_check_places(const struct samples_opts *opts, struct error *error)
{
	const char *missing = NULL;
	size_t i;

	if (opts->symfs && access(opts->symfs, X_OK))
		missing = opts->symfs;
	for (i = 0; i < opts->code.nr && !missing; i++)
		if (access(opts->code.v[i], R_OK))
			missing = opts->code.v[i];
	return missing ? error_set(error, ERROR_INPUT, "%s: %s", missing,
				   strerror(errno)) :
			 0;
}

bool samples_have(const struct samples *s, uint64_t field)
{
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(s->pd); i++)
		if (!(pd_attr(s->pd, i)->sample_type & field))
			return false;
	return true;
}

int samples_check_cpus(const struct samples *s, struct error *error)
{
	return samples_have(s, PERF_SAMPLE_CPU) ? 0 :
		error_set(error, ERROR_INPUT,
			  "%s: the samples do not tell on which CPU they were taken; record with -a or --sample-cpu",
			  s->path);
}

/* What shares of the recording's time are, in ns. */
static int set_times(struct samples *s, struct error *error)
{
	const struct samples_opts *opts = s->opts;
	uint64_t first, last;

	if ((opts->share_to || opts->time_from || opts->time_to != UINT64_MAX) &&
	    !samples_have(s, PERF_SAMPLE_TIME))
		return error_set(error, ERROR_INPUT,
				 "%s: the samples do not tell when they were taken, so --time cannot choose; record with -T",
				 s->path);
	if (!opts->share_to)
		return 0;
	if (!pd_span(s->pd, &first, &last))
		return error_set(
			error, ERROR_INPUT,
			"%s: the recording does not tell when it began and ended; give --time in seconds",
			s->path);
	s->time_from = first + (uint64_t)(opts->share_from * (last - first));
	s->time_to = first + (uint64_t)(opts->share_to * (last - first));
	return 0;
}

int samples_open(struct samples *s, const char *path,
		 const struct samples_opts *opts, struct error *error)
{
	int ret;

	*s = (struct samples){ .opts = opts,
			       .path = path,
			       .time_from = opts->time_from,
			       .time_to = opts->time_to,
			       .comms = { .lists = opts->comms.v,
					  .nr_lists = opts->comms.nr } };
	s->where.dsos.lists = opts->dsos.v;
	s->where.dsos.nr_lists = opts->dsos.nr;
	s->where.symbols.lists = opts->symbols.v;
	s->where.symbols.nr_lists = opts->symbols.nr;
	if (pd_open(&s->pd, path))
		return error_set(error, ERROR_INPUT, "%s: %s", path,
				 pd_error(s->pd));
	ret = check_kind(s, error);
	if (ret)
		return ret;
	ret = samples_check_places(opts, error) ?: set_times(s, error);
	if (!ret && opts->cpus.nr)
		ret = samples_check_cpus(s, error);
	if (ret)
		return ret;
	s->space = pd_space_new(s->pd);
	s->img = img_new(opts->symfs);
	if (s->space && s->img)
		s->code = path_code_new(s->space, s->img);
	if (!s->code || !find_code(s))
		return error_nomem(error);
	return 0;
}

void samples_close(struct samples *s)
{
	path_code_free(s->code);
	img_free(s->img);
	pd_space_free(s->space);
	samples_end_seek(s);
	pd_close(s->pd);
	comms_free(&s->comms);
	where_free(&s->where);
	coverage_free(&s->coverage);
	free(s->kallsyms);
	free(s->kcore);
	*s = (struct samples){ 0 };
}

/* --- one after the other --- */

bool samples_in_list(const struct samples_list *list, uint32_t value)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (value >= list->v[i].first && value <= list->v[i].last)
			return true;
	return !list->nr;
}

const char *samples_selects_by(const struct samples_opts *opts)
{
	const struct {
		const char *name;
		bool given;
	} options[] = {
		{ "--pid", opts->pids.nr },
		{ "--tid", opts->tids.nr },
		{ "--cpu", opts->cpus.nr },
		{ "--comm", opts->comms.nr },
		{ "--dso", opts->dsos.nr },
		{ "--symbol", opts->symbols.nr },
		{ "--time", opts->time_from || opts->time_to != UINT64_MAX || opts->share_to },
	};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

/* Is it of a process and thread that the options select? */
static bool is_of_thread(const struct samples *s, const struct pd_event *ev)
{
	return samples_in_list(&s->opts->pids, ev->pid) &&
	       samples_in_list(&s->opts->tids, ev->tid);
}

static bool is_wanted(const struct samples *s, const struct pd_event *ev)
{
	/* Without times, the span is the whole: see set_times(). */
	return is_of_thread(s, ev) &&
	       samples_in_list(&s->opts->cpus, ev->cpu) &&
	       comms_want(&s->comms, ev->tid) &&
	       ev->time >= s->time_from && ev->time <= s->time_to;
}

int samples_read_any(struct samples *s, struct pd_event *ev, struct error *error)
{
	enum { NOW_AND_THEN = 1 << 12 };
	int ret;

	while ((ret = pd_next(s->pd, ev)) > 0) {
		/* Of all of them together, the mappings say nothing. */
		if (!pd_is_outside(ev) && pd_space_event(s->space, ev))
			return error_nomem(error);
		if (ev->type == PERF_RECORD_SAMPLE)
			break;
		if (s->task && (ev->type == PERF_RECORD_FORK || ev->type == PERF_RECORD_EXIT))
			s->task(s->task_arg, ev);
		if (ev->type == PERF_RECORD_EXIT && is_of_thread(s, ev))
			coverage_thread_ended(&s->coverage);
		if (ev->type == PERF_RECORD_READ && !ev->time) {
			s->found_full += ev->read.lost;
			s->tells_full |= ev->attr->read_format & PD_READ_FORMAT_LOST;
		}
		if ((ev->type == PERF_RECORD_READ &&
		     !coverage_count(&s->coverage, ev)) ||
		    (ev->type == PERF_RECORD_LOST_SAMPLES && ev->attr && ev->lacks_cpu &&
		     !coverage_lacks(&s->coverage, ev)) ||
		    (ev->type == PERF_RECORD_FORK &&
		     !coverage_thread(&s->coverage, s->pd, ev)) ||
		    !comms_event(&s->comms, ev))
			return error_nomem(error);
	}
	if (!ret && !s->ended &&
	    !coverage_end(&s->coverage, s->pd, pd_stats(s->pd)->lost))
		return error_nomem(error);
	s->ended |= !ret;
	if (ret > 0 && ev->time > s->latest)
		s->latest = ev->time;
	if (ret < 0)
		return error_set(error, ERROR_INPUT, "%s: %s", s->path,
				 pd_error(s->pd));
	if (s->progress && (!ret || !(pd_stats(s->pd)->samples % NOW_AND_THEN)))
		s->progress(s->progress_arg);
	return ret;
}

int samples_take(struct samples *s, const struct pd_event *ev, struct error *error)
{
	int ret = is_wanted(s, ev);

	if (ret && pd_is_outside(ev)) {
		s->outside++;
		return 0;
	}
	path_code_set_time(s->code, ev->attr->monotonic ? ev->time :
							  IMG_JIT_ANY_TIME);
	if (ret)
		ret = where_wants(&s->where, s->code, ev);
	if (ret > 0)
		path_code_sample(s->code, ev->pid, ev->sample.ip);
	s->filtered += !ret;
	if (ret < 0 || (ret && !coverage_sample(&s->coverage, ev)))
		return error_nomem(error);
	if (ret && !s->shows_away && pd_is_away(ev)) {
		s->away++;
		return 0;
	}
	s->empty += ret && !ev->sample.nr_branches &&
		    ev->attr->sample_type & PERF_SAMPLE_BRANCH_STACK;
	return ret;
}

int samples_next(struct samples *s, struct pd_event *ev, struct error *error)
{
	int ret, wanted = 0;

	do {
		ret = samples_read_any(s, ev, error);
		if (ret > 0)
			wanted = samples_take(s, ev, error);
		if (ret > 0 && !wanted && s->left_out)
			s->left_out(s->left_out_arg, ev);
	} while (ret > 0 && !wanted);
	return wanted < 0 ? wanted : ret;
}

/* --- what is known of all --- */

/* In a group with :S, perf lets the leader sample, and its samples have the others' counts. */
static bool is_only_counted(const struct pd_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_READ && !attr->sample_period;
}

static bool leaves_out_branches(const struct pd_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK && !is_only_counted(attr) &&
	       !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY);
}

bool samples_have_all_branches(const struct samples *s)
{
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(s->pd); i++)
		if (leaves_out_branches(pd_attr(s->pd, i)))
			return false;
	return true;
}

uint64_t samples_filter(const struct samples *s)
{
	uint64_t filter = 0;
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(s->pd); i++)
		if (leaves_out_branches(pd_attr(s->pd, i)))
			filter |= pd_attr(s->pd, i)->branch_sample_type;
	return filter ? filter : PERF_SAMPLE_BRANCH_ANY;
}

/* Whether another event has the branches of this one, and those of a further mode. */
static bool is_part_of_another(const struct samples *s, const struct pd_attr *attr)
{
	unsigned int i;

	if (pd_attr_has_user_branches(attr) && pd_attr_has_kernel_branches(attr))
		return false;
	for (i = 0; i < pd_nr_attrs(s->pd); i++) {
		const struct pd_attr *other = pd_attr(s->pd, i);

		if (pd_attr_has_paths(other) && pd_attr_has_user_branches(other) &&
		    pd_attr_has_kernel_branches(other))
			return true;
	}
	return false;
}

bool samples_makes_path(struct samples *s, const struct pd_attr *attr)
{
	const bool user = pd_attr_has_user_branches(attr);
	const bool kernel = pd_attr_has_kernel_branches(attr);

	if (!(user && s->user) && !(kernel && s->kernel) && !is_part_of_another(s, attr)) {
		s->user = user ? attr : s->user;
		s->kernel = kernel ? attr : s->kernel;
	}
	return attr == s->user || attr == s->kernel;
}

unsigned int samples_depth(const struct samples *s)
{
	const char *caps = pd_text(s->pd, PD_CPU_CAPS), *at;

	/* A word of its own: "branches=256". */
	for (at = caps; (at = strstr(at, "branches=")); at++)
		if (at == caps || at[-1] == ' ')
			return strtoul(at + strlen("branches="), NULL, 10);
	return 0;
}

uint64_t samples_lost(const struct samples *s)
{
	const struct pd_stats *stats = pd_stats(s->pd);
	const uint64_t lost = stats->lost + stats->lost_samples;

	return (lost < stats->lost_in_all ? stats->lost_in_all : lost) - stats->lost_tracking;
}

/* `ssctr record` tells the sum of both kinds, and with the counts the kernel's alone. */
bool samples_were_dropped(const struct samples *s)
{
	const uint64_t lost = pd_stats(s->pd)->lost_in_all;

	return s->tells_full && lost > s->found_full && lost - s->found_full > lost / 2;
}

uint64_t samples_lost_tracking(const struct samples *s)
{
	return pd_stats(s->pd)->lost_tracking;
}

uint64_t samples_losses(const struct samples *s)
{
	const struct pd_stats *stats = pd_stats(s->pd);

	return stats->lost + stats->lost_samples + stats->throttled +
	       stats->late;
}

/* So code of one of them may get the names of the other. */
static void note_several(const struct pd_space *space, struct notes *notes)
{
	const struct pd_dso *dso;
	const char *first = NULL;
	unsigned int nr = 0, i;

	for (i = pd_space_nr_dsos(space); i--;) {
		dso = pd_space_dso(space, i);
		if (!dso->several || img_is_anonymous(dso->name, dso->build_id_size))
			continue;
		first = dso->name;
		nr++;
	}
	if (first)
		notes_add(notes, nr,
			  "names were those of several files, so code may have the names of another file; the first is %s; record with `perf record --buildid-mmap` or `ssctr record`, which tell " IMG_ITS_BUILD_ID
			  ", or do not replace files while they run",
			  first);
}

static void note_nameless(const struct path_code *code, struct notes *notes)
{
	const char *kind;
	unsigned int at = 0;
	char text[512];

	while (path_code_next_nameless(code, &at, &kind, text, sizeof(text)))
		notes_say(notes, kind, "%s", text);
}

void samples_note(const struct samples *s, struct notes *notes)
{
	const struct pd_stats *stats = pd_stats(s->pd);

	if (stats->no_last_round)
		notes_add(notes, pd_position(s->pd),
			  "bytes of a pipe without its last round: either its writer was killed and the end is missing, or `perf inject` wrote it and it is whole; they were used");
	else if (stats->unfinished && !stats->left)
		notes_add(notes, pd_position(s->pd),
			  "bytes of a recording whose end is missing, because its writer was killed or its output was cut; they were used");
	notes_count(notes, stats->bad_build_ids,
		    "damaged list of build ids, so that files may be known by their names alone");
	notes_count(notes, s->filtered, "samples left out by the options");
	notes_count(notes, stats->unknown_id,
		    "samples of an event that the recording does not describe");
	notes_count(notes, stats->guests,
		    "samples of virtual machines, whose code is not known here");
	notes_count(notes, samples_lost(s), "events lost while recording");
	notes_count(notes, samples_lost_tracking(s),
		    "records of mappings, processes and threads lost while recording, so code may have no name or a wrong one; record with larger buffers (-m)");
	notes_count(notes, stats->hurried,
		    "events used after newer ones, because the recording unpacks to far too much without the end of a round");
	notes_count(notes, stats->again,
		    "records that perf wrote twice, used once");
	notes_count(notes, stats->throttled,
		    "times the kernel throttled the sampling");
	if (s->space) {
		notes_count(notes, pd_space_left_out(s->space),
			    "mappings left out, because too many forked processes have many, so code may have no name or a wrong one");
		note_several(s->space, notes);
	}
	if (s->img)
		samples_note_files(s->img, notes);
	if (s->code)
		note_nameless(s->code, notes);
}

void samples_write_notes(const struct samples *s, struct notes *notes,
			 FILE *file)
{
	samples_note(s, notes);
	notes_write(notes, file);
}
