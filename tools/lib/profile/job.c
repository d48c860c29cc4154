// SPDX-License-Identifier: GPL-2.0-only
#include "profile/internal.h"
#include "base/array.h"
#include "base/plain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool keep_code(struct prof_job *job, const struct prof_code *code)
{
	return prof_inputs_add(&job->inputs, img_file_path(code->file));
}

/*
 * Each as the machine that recorded names it, or as this one does. If there are places, one that
 * is not there is opened when a recording tells its build id: see open_own().
 */
static int open_binaries(struct prof_job *job)
{
	const char *why;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < job->opts.nr_binaries; i++) {
		job->code = &job->own[i].code;
		why = prof_code_open(job->code, job->opts.binaries[i],
				     job->opts.samples);
		if (why == prof_no_file && job->opts.samples->code.nr)
			continue;
		ret = why ? error_set(job->error, ERROR_INPUT, "%s: %s",
				      job->code->path, why) :
			    prof_job_check_formats(job);
		if (!ret && !keep_code(job, job->code))
			ret = error_nomem(job->error);
	}
	return ret;
}

uint64_t prof_job_transfers(const struct prof_job *job, uint64_t weight)
{
	return count_transfers(weight, job->counts.weight, job->counts.entries);
}

const char *prof_job_by_weight(const struct prof_job *job)
{
	return job->opts.raw ? "" : " by weight";
}

bool prof_job_rank(const struct prof_job *job, struct count_list *list)
{
	uint64_t *sums = calloc(job->places.nr_binaries, sizeof(*sums));
	bool done;
	size_t i;

	*list = (struct count_list){ 0 };
	for (i = 0; sums && i < job->counts.nr_steps; i++) {
		const struct count_step *s = &job->counts.steps[i];

		if (count_number_of(s->to) >= PROF_FIRST_BINARY)
			sums[count_number_of(s->to)] += s->count;
	}
	done = sums && count_rank(list, sums, job->places.nr_binaries, sizeof(*sums));
	free(sums);
	return done;
}

/* Why there can be no profile, if there can be none. */
static int check_counts(struct prof_job *job)
{
	const struct counts *counts = &job->counts;

	if (!counts->entries && counts->call_stacks)
		return error_set(job->error, ERROR_INPUT, "%s: " SAMPLES_CALL_STACKS,
				 job->recording);
	if (!counts->samples)
		return error_set(job->error, ERROR_INPUT, "%s: no sample%s%s", job->recording,
				 job->left_out ? " that the options select" :
						 " with a branch stack",
				 job->left_out ? "" : job->none);
	if (!counts->entries && counts->empty < counts->samples)
		return error_set(job->error, ERROR_INPUT, "%s: " SAMPLES_LEFT_OUT, job->recording);
	if (!counts->entries)
		return error_set(
			job->error, ERROR_INPUT, "%s: the branch stacks of all %" PRIu64
			      " samples are empty",
			job->recording, counts->samples);
	/* Nothing tells what ran between the transfers. */
	if (job->depth < 2)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: each stack has one transfer only, so no straight line is known; record more branches in each sample",
			job->recording);
	if (job->filtered_by)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: some kinds of branches were not recorded, so it is not known what ran between two branches; record with `perf record -b` or `-j any,u`",
			job->filtered_by);
	return 0;
}

static bool is_named(const struct prof_binary *b, const char *name)
{
	return !strcmp(strchr(name, '/') ? b->name : basename(b->name), name);
}

/*
 * Open one that was asked for by its name in the recording. False: the name is another one, or
 * no place has a file with this build id, or *why is prof_no_memory.
 */
static bool open_own(struct prof_job *job, size_t i, const struct prof_binary *b, const char **why)
{
	struct prof_code *code = &job->own[i].code;

	if (b->kernel || !b->build_id_size || !is_named(b, job->opts.binaries[i]))
		return false;
	prof_code_close(code);
	*why = prof_code_open_build(code, b->name, b->build_id, b->build_id_size,
				    job->opts.samples);
	if (!*why && !keep_code(job, code))
		*why = prof_no_memory;
	if (*why)
		prof_code_close(code);
	return !*why;
}

/* The one of those that were asked for that matches best; NULL: none does, or as open_own(). */
static struct prof_code *find_own(struct prof_job *job, const struct prof_binary *b,
				  const char **why)
{
	enum prof_match match, best = PROF_MATCH_BUILD;
	struct prof_code *code = NULL;
	size_t i;

	for (i = 0; i < job->opts.nr_binaries; i++) {
		if (!job->own[i].code.file && !open_own(job, i, b, why)) {
			if (*why == prof_no_memory)
				return NULL;
			continue;
		}
		match = prof_match_one(&job->own[i].code, b);
		if (match > best) {
			best = match;
			code = &job->own[i].code;
		}
	}
	return code;
}

/* The file of the kernel's build, as reports find it for source lines: its name is none. */
static const char *kernel_path(struct prof_job *job, const struct prof_binary *b)
{
	const struct img_kernel kernel = { .symbol = b->symbol, .build_id = b->build_id,
					   .build_id_size = b->build_id_size };
	struct img *img = job->places.img;
	struct img_file *file;
	uint64_t linked;

	/* Only here: the code of the vdso is to be found as a tally finds it. */
	if (job->samples && !img_set_release(img, pd_text(job->samples->pd, PD_OSRELEASE)))
		return NULL;
	file = img_kernel_file(img, &kernel, NULL, 0, &linked);
	img_set_release(img, NULL);
	return file ? img_file_path(file) : NULL;
}

static bool open_kernel(struct prof_job *job, struct prof_code *code,
			const struct prof_binary *b, const char **why)
{
	const char *path = kernel_path(job, b);

	if (path)
		*why = prof_code_open(code, path, job->opts.samples);
	if (path && !*why && prof_match_one(code, b) == PROF_MATCH_ID)
		return true;
	prof_code_close(code);
	return false;
}

/* By its build id, whatever its name is; or by its name, if one of them has no build id. */
static bool open_recorded(struct prof_job *job, struct prof_code *code,
			  const struct prof_binary *b, const char **why)
{
	if (b->build_id_size) {
		*why = prof_code_open_build(code, b->name, b->build_id, b->build_id_size,
					    job->opts.samples);
		if (!*why)
			return true;
	}
	prof_code_close(code);
	if (*why == prof_no_memory)
		return false;
	if (b->symbol)
		return open_kernel(job, code, b, why);
	*why = prof_code_open(code, b->name, job->opts.samples);
	if (!*why && prof_match_one(code, b) >= PROF_MATCH_NAME)
		return true;
	prof_code_close(code);
	return false;
}

/* Its code; NULL: it is not there, or not what is asked for, or *why is prof_no_memory. */
static struct prof_code *find_code(struct prof_job *job,
				   const struct prof_binary *b, const char **why)
{
	struct prof_code *code;

	if (!job->opts.all)
		return find_own(job, b, why);
	code = calloc(1, sizeof(*code));
	if (!code)
		*why = prof_no_memory;
	else if (open_recorded(job, code, b, why)) {
		if (keep_code(job, code))
			return code;
		*why = prof_no_memory;
		prof_code_close(code);
	}
	free(code);
	return NULL;
}

struct prof_code *prof_job_code(struct prof_job *job, unsigned int number)
{
	struct prof_binary *b = &job->places.binaries[number];
	const char *why = NULL;
	struct seen *seen;

	if (number < PROF_FIRST_BINARY ||
	    !array_cover(&job->seen, number, &job->cap_seen, sizeof(*seen)))
		return NULL;
	seen = &job->seen[number];
	if (seen->state == NOT_ASKED) {
		seen->code = find_code(job, b, &why);
		seen->state = why == prof_no_memory ? NO_MEMORY :
			      seen->code && (!b->symbol ||
					     prof_code_named(seen->code, b->symbol,
							     &b->symbol_addr)) ?
				      FITS :
				      FITS_NOT;
	}
	return seen->state == FITS ? seen->code : NULL;
}

/* To be struct counts.find and code. */
static bool find(void *arg, uint32_t pid, uint64_t addr, struct count_map *map)
{
	struct prof_job *job = arg;
	const bool done = prof_places_find(&job->places, pid, addr, map);

	/* As in a tally: each address that is not mapped is a place of its own. */
	if (done && !map->size)
		map->offset = addr;
	return done;
}

static const uint8_t *bytes_at(void *arg, count_place place, uint64_t *len)
{
	struct prof_job *job = arg;
	const unsigned int number = count_number_of(place);
	const struct prof_binary *b = &job->places.binaries[number];
	/* As a tally finds it; so both have the same weights. */
	const uint8_t *bytes = prof_places_code(&job->places, place, len);
	const struct prof_code *code;
	uint64_t addr;

	if (bytes)
		return bytes;
	code = prof_job_code(job, number);
	if (!code || !prof_linked_addr(code, b, place, &addr))
		return NULL;
	return prof_code_bytes(code, addr, len);
}

static bool begin_places(struct prof_job *job)
{
	if (!prof_places_init(&job->places))
		return false;
	job->places.img = img_new(job->opts.samples->symfs);
	job->places.vmlinux = job->opts.samples->vmlinux;
	return job->places.img &&
	       samples_add_places(job->places.img, job->opts.samples) &&
	       (!job->places.vmlinux ||
		img_set_vmlinux(job->places.img, job->places.vmlinux)) &&
	       prof_inputs_add(&job->inputs, job->opts.samples->vmlinux) &&
	       prof_inputs_add(&job->inputs, job->opts.samples->kcore) &&
	       prof_inputs_add(&job->inputs, job->opts.samples->kallsyms);
}

static int add_input(struct prof_job *job, const char *path)
{
	if (!prof_inputs_add(&job->inputs, path))
		return error_nomem(job->error);
	/* Its label takes a reading, which is of no use if there is no other input. */
	return job->opts.nr_merge ?
		       prof_inputs_count_file(&job->inputs, path, job->error) : 0;
}

/* So that nobody waits for an error that can be told at the start. */
static int check_inputs(struct prof_job *job)
{
	int ret = job->opts.input ? add_input(job, job->opts.input) : 0;
	size_t i;

	for (i = 0; !ret && i < job->opts.nr_merge; i++)
		ret = add_input(job, job->opts.merge[i]);
	if (!ret && !prof_is_folder(&job->opts))
		ret = prof_job_check_outputs(job);
	return ret ?: prof_inputs_check(&job->inputs, job->error);
}

struct prof_job *prof_job_open(const struct prof_opts *opts,
			       struct error *error)
{
	struct prof_job *job = calloc(1, sizeof(*job));

	if (!job) {
		error_nomem(error);
		return NULL;
	}
	job->opts = *opts;
	job->own = calloc(opts->nr_binaries + 1, sizeof(*job->own));
	job->error = error;
	job->counts = (struct counts){ .find = find,
				       .arg = job,
				       .weighed = !opts->raw,
				       .code = bytes_at };
	if (prof_is_folder(opts))
		job->recorded = open_memstream(&job->recorded_text, &job->recorded_size);
	if (!job->own || !begin_places(job) || (prof_is_folder(opts) && !job->recorded))
		error_nomem(error);
	else if (!open_binaries(job) && !check_inputs(job))
		return job;
	prof_job_free(job);
	return NULL;
}

void prof_job_begin(struct prof_job *job, const struct samples *samples)
{
	job->samples = samples;
	job->recording = samples->path;
	if (!samples_have_all_branches(samples))
		job->filtered_by = samples->path;
	prof_places_begin(&job->places, samples->space);
	/* So that the order of recordings has no effect. */
	count_restart(&job->counts);
}

int prof_job_sample(struct prof_job *job, const struct pd_event *ev)
{
	job->counts.maps = prof_places_maps(&job->places);
	if (!ev->sample.has_branches)
		return 0;
	if (job->depth < ev->sample.nr_branches && !count_is_call_stack(ev))
		job->depth = ev->sample.nr_branches;
	return count_later(&job->counts, ev) ? 0 : error_nomem(job->error);
}

void prof_job_look_for_part(struct prof_job *job, const unsigned int *numbers, size_t nr)
{
	size_t i;

	/* Another build of the binary may be a part of it. */
	if (prof_is_folder(&job->opts) || job->opts.stale)
		return;
	for (i = 0; i < nr; i++)
		if (numbers[i] && prof_job_code(job, numbers[i]))
			return;
	if (!job->nr_strangers++)
		job->stranger = job->recording;
}

void prof_job_keep_notes(struct prof_job *job, struct notes *notes)
{
	size_t i;

	for (i = 0; job->recorded && i < notes->nr; i++) {
		fputs("recording ", job->recorded);
		plain_put(job->recorded, job->recording);
		fprintf(job->recorded, ": %" PRIu64 " ", notes->v[i].number);
		plain_line(job->recorded, notes->v[i].text);
	}
	notes_free(notes);
}

int prof_job_end(struct prof_job *job)
{
	int ret = count_settle(&job->counts) ? 0 : error_nomem(job->error);
	struct notes notes = { 0 };

	prof_places_end(&job->places);
	prof_job_look_for_part(job, job->places.numbers, job->places.cap_numbers);
	job->left_out += job->samples->filtered;
	samples_none(job->samples, job->none, sizeof(job->none));
	samples_note_events(job->samples, &notes);
	samples_note_coverage(job->samples, &notes);
	prof_job_keep_notes(job, &notes);
	job->samples = NULL;
	return ret;
}

int prof_job_add(struct prof_job *job, struct samples *samples)
{
	struct pd_event ev;
	int ret;

	prof_job_begin(job, samples);
	while ((ret = samples_next(samples, &ev, job->error)) > 0) {
		ret = prof_job_sample(job, &ev);
		if (ret)
			break;
	}
	/* Then nothing more can be counted. */
	return ret == ERROR_NOMEM ? ret : prof_job_end(job) ?: ret;
}

/* A format that was asked for has to be there. */
static int check_lacking(struct prof_job *job)
{
	if (!*job->why_lacking)
		return 0;
	return error_set(job->error, ERROR_INPUT, "%s; the other formats are written",
			 job->why_lacking);
}

/* One that was asked for and was not found; NULL: there is none. */
static const char *not_found(const struct prof_job *job)
{
	size_t i;

	for (i = 0; i < job->opts.nr_binaries; i++)
		if (!job->own[i].code.file)
			return job->opts.binaries[i];
	return NULL;
}

/* Now the build ids of all that was recorded are known. */
static int check_own(struct prof_job *job)
{
	unsigned int number;

	for (number = PROF_FIRST_BINARY; not_found(job) && number < job->places.nr_binaries; number++)
		if (!prof_job_code(job, number) &&
		    (number >= job->cap_seen || job->seen[number].state == NO_MEMORY))
			return error_nomem(job->error);
	return not_found(job) ? error_set(job->error, ERROR_INPUT,
					  "%s: No such file or directory, and no place of --code has a build of this name that was recorded",
					  not_found(job)) : 0;
}

int prof_job_close(struct prof_job *job)
{
	int ret = check_counts(job) ?: check_own(job);

	if (ret)
		return ret;
	if (prof_is_folder(&job->opts))
		ret = prof_job_make_folder(job);
	else
		ret = prof_job_match(job, 0) ?: prof_job_make(job) ?: check_lacking(job);
	/* What was asked for by name has to be there. */
	if (!ret && !job->opts.all && (job->nr_without || job->nr_lacking))
		ret = error_set(job->error, ERROR_INPUT,
				"%s; %u other profiles are in %s",
				job->why_not.text, job->nr_made,
				job->opts.output);
	return ret;
}

const char *prof_job_taken_by_name(const struct prof_job *job)
{
	return job->by_name && !prof_is_folder(&job->opts) ? job->code->path : NULL;
}

/* Of which the length of a line, and so its weight, is not known. */
static void note_codeless(struct prof_job *job, struct notes *notes)
{
	const char *first = NULL;
	uint64_t nr = 0;
	unsigned int i;

	for (i = PROF_FIRST_BINARY; !job->opts.raw && i < job->places.nr_binaries; i++) {
		const struct img_file *file = job->places.binaries[i].file;

		if (!file || !*img_file_error(file) || prof_job_code(job, i))
			continue;
		if (!nr++)
			first = img_file_error(file);
	}
	if (nr)
		notes_add(notes, nr,
			  "files whose code was not found, so the weights of their lines are less sure; the first is %s",
			  first);
}

/* What takes 3 of N samples on average is in none of them with a probability of 5 %. */
static void note_samples(const struct prof_job *job, struct notes *notes)
{
	enum { FEW = 300 };
	const uint64_t samples = job->counts.samples;

	if (samples >= FEW)
		notes_add(notes, samples, "samples");
	else
		notes_add(notes, samples,
			  "samples, which are few: code that takes %.0f %% of the time may be missing, as if it never ran; record longer, or with a shorter period",
			  samples > 3 ? 300.0 / (double)samples : 100.0);
}

void prof_job_note(struct prof_job *job, struct notes *notes)
{
	const struct prof *prof = &job->prof;
	unsigned int i;

	note_samples(job, notes);
	if (prof_is_folder(&job->opts)) {
		notes_add(notes, job->counts.entries, "transfers");
		notes_add(notes, job->nr_made,
			  "binaries have a profile; %s/summary has a line about each binary",
			  job->opts.output);
		notes_count(notes, job->nr_lacking,
			    "of them do not have all formats; %s/summary says why", job->opts.output);
		notes_count(notes, job->nr_without, "binaries have no profile");
		return;
	}
	notes_add(notes, job->counts.entries, "transfers, of which%s%s",
		  *prof_job_by_weight(job) ? "," : "", prof_job_by_weight(job));
	notes_add(notes, prof_job_transfers(job, prof->entries),
		  "from or to %s: %zu branches, %zu ranges", job->code->path,
		  prof->nr_branches, prof->nr_ranges);
	notes_count(notes, prof_job_transfers(job, job->stale[PROF_STALE_SAME]),
		    "to other builds, in functions that are the same: used");
	notes_count(notes, prof_job_transfers(job, job->stale[PROF_STALE_CHANGED]),
		    "to other builds, in functions that have changed: left out");
	notes_count(notes, prof_job_transfers(job, job->stale[PROF_STALE_GONE]),
		    "to other builds, in functions that are gone: left out");
	notes_count(notes, prof_job_transfers(job, job->stale[PROF_STALE_PLT]),
		    "to other builds, in the procedure linkage table, which is no code of the program: left out");
	notes_count(notes, prof_job_transfers(job, job->not_found),
		    "to other builds whose files were not found: left out; name a place that has them with --code");
	prof_job_note_left_out(job, notes);
	notes_count(notes, prof_job_transfers(job, job->other_paths),
		    "to programs of the same name at other paths: left out, because no build id tells that they are the same");
	if (prof->crossing)
		notes_add(notes, prof_job_transfers(job, prof->crossing),
			  "between it and the kernel: left out, because they are not branches");
	if (prof->traps)
		notes_add(notes, prof_job_transfers(job, prof->traps),
			  "by traps in the kernel, or by code that it changed at run time: left out");
	for (i = 0; i < PATH_NR_BREAKS; i++)
		if (prof->bad_lines[i])
			notes_add(notes, prof_job_transfers(job, prof->bad_lines[i]),
				  "straight lines left out: %s",
				  path_break_text(i));
	notes_count(notes, job->nr_strangers,
		    "recordings without a transfer in %s: %s", job->code->path,
		    job->stranger);
	samples_note_used(job->opts.samples, job->counts.samples, job->used,
			  job->why, notes);
	prof_job_note_lines(job, notes);
	note_codeless(job, notes);
}

void prof_job_free(struct prof_job *job)
{
	size_t i;

	if (!job)
		return;
	prof_job_forget(job);
	for (i = 0; i < job->cap_seen; i++) {
		free(job->seen[i].output);
		if (job->opts.all && job->seen[i].code) {
			prof_code_close(job->seen[i].code);
			free(job->seen[i].code);
		}
	}
	for (i = 0; i < job->places.nr_binaries; i++)
		prof_stale_free(job->places.binaries[i].stale);
	for (i = 0; job->own && i < job->opts.nr_binaries; i++)
		prof_code_close(&job->own[i].code);
	free(job->own);
	count_free(&job->counts);
	img_free(job->places.img);
	prof_places_free(&job->places);
	prof_inputs_free(&job->inputs);
	prof_parts_free(&job->parts);
	if (job->recorded)
		fclose(job->recorded);
	free(job->recorded_text);
	free(job->is_mine);
	free(job->seen);
	free(job);
}
