// SPDX-License-Identifier: GPL-2.0-only
#include "profile/internal.h"
#include "base/outfile.h"
#include "profile/gcov.h"
#include "profile/go.h"
#include "profile/llvm.h"
#include "profile/probe_file.h"
#include "profile/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_llvm(struct prof_job *job, FILE *file)
{
	return prof_write_llvm(&job->lined[BY_LLVM_LINE], file);
}

static int write_llvm_ext(struct prof_job *job, FILE *file)
{
	return prof_write_llvm_ext(&job->lined[BY_LLVM_LINE], file);
}

static int write_gcov(struct prof_job *job, FILE *file)
{
	return prof_write_gcov(&job->lined[BY_GCC_LINE], job->opts.gcov_version,
			       file);
}

static int write_profgen(struct prof_job *job, FILE *file)
{
	prof_write_profgen(&job->prof, file);
	return 0;
}

static int write_bolt(struct prof_job *job, FILE *file)
{
	prof_write_bolt(&job->prof, file);
	return 0;
}

static int write_go(struct prof_job *job, FILE *file)
{
	return prof_go_write(&job->go, file);
}

static const struct format {
	const char *name;
	enum by by;
	int (*write)(struct prof_job *job, FILE *file); /* 0 or PD_ENOMEM */
} formats[PROF_NR_FORMATS] = {
	[PROF_FORMAT_LLVM] = { "llvm", BY_LLVM_LINE, write_llvm },
	[PROF_FORMAT_LLVM_EXT] = { "llvm-ext", BY_LLVM_LINE, write_llvm_ext },
	[PROF_FORMAT_GCOV] = { "gcov", BY_GCC_LINE, write_gcov },
	[PROF_FORMAT_PROFGEN] = { "profgen", BY_ADDRESS, write_profgen },
	[PROF_FORMAT_BOLT] = { "bolt", BY_ADDRESS, write_bolt },
	[PROF_FORMAT_GO] = { "go", BY_CALL, write_go },
};

const char *prof_format_name(enum prof_format format)
{
	return formats[format].name;
}

bool prof_has_format(const struct prof_opts *opts, enum prof_format format)
{
	unsigned int i;

	for (i = 0; i < opts->nr_formats; i++)
		if (opts->formats[i] == format)
			return true;
	return false;
}

static int check_format(struct prof_job *job, const struct format *format)
{
	if (!job->code->module || format->by != BY_ADDRESS)
		return 0;
	return error_set(
		job->error, ERROR_INPUT,
		"%s: --format %s needs addresses, and a kernel module has none before it is loaded; use llvm, llvm-ext or gcov",
		job->code->path, format->name);
}

int prof_job_check_formats(struct prof_job *job)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < job->opts.nr_formats; i++)
		ret = check_format(job, &formats[job->opts.formats[i]]);
	return ret;
}

static int refuse_build(struct prof_job *job, unsigned int other)
{
	const struct prof_binary *b = &job->places.binaries[other];
	char recorded[2 * sizeof(b->build_id) + 1], own[17];
	unsigned int size;
	const uint8_t *id = img_file_build_id(job->code->file, &size);

	img_print_build_id(recorded, b->build_id, b->build_id_size);
	recorded[16] = 0;
	img_print_build_id(own, id, size < 8 ? size : 8);
	return error_set(
		job->error, ERROR_INPUT,
		"%s: not the build of %s that was recorded: the build ids are %s... and %s...%s",
		job->code->path, b->name, own, recorded,
		b->kernel	 ? "" :
		!job->opts.stale ? "; --stale uses the functions that are the same" :
				   "; --stale needs the file of the recorded build: name a place that has it with --code");
}

/* Which of two programs is meant? */
static int refuse_name(struct prof_job *job)
{
	unsigned int first = PROF_FIRST_BINARY;

	while (!job->is_mine[first])
		first++;
	return error_set(
		job->error, ERROR_INPUT,
		"%s: may be %s or %s, and no build id tells which; give the path of one of them, and the folder above it with --symfs",
		job->code->asked, job->places.binaries[first].name,
		job->places.binaries[job->other].name);
}

/*
 * Other builds of the binary become parts of it, as far as their functions are the same.
 * others gets which binaries are such builds.
 */
static void find_stale(struct prof_job *job, bool *others)
{
	size_t i;

	for (i = PROF_FIRST_BINARY; i < job->places.nr_binaries; i++) {
		struct prof_binary *b = &job->places.binaries[i];

		others[i] = !b->kernel &&
			    prof_match_is_other(&job->places, job->code, job->is_mine, i);
		if (others[i])
			b->stale = prof_stale_open(b, job->code, job->opts.samples);
		job->is_mine[i] |= b->stale != NULL;
	}
}

/* Returns false if out of memory. */
static bool use_stale(struct prof_job *job)
{
	const struct counts *counts = &job->counts;
	bool *others = calloc(job->places.nr_binaries, sizeof(*others));
	uint64_t addr;
	size_t i;

	if (!others)
		return false;
	find_stale(job, others);
	for (i = 0; i < counts->nr_steps; i++) {
		const struct count_step *s = &counts->steps[i];
		const unsigned int number = count_number_of(s->to);
		const struct prof_stale *stale = job->places.binaries[number].stale;

		if (stale)
			job->stale[prof_stale_addr(stale, count_offset_of(s->to), &addr)] += s->count;
		else if (others[number])
			job->not_found += s->count;
	}
	free(others);
	return true;
}

/* What is not used though its name is the binary's. Returns false if out of memory. */
static bool count_left_out(struct prof_job *job)
{
	uint64_t *to = calloc(job->places.nr_binaries, sizeof(*to));
	uint64_t most = 0;
	size_t i;

	if (!to)
		return false;
	for (i = 0; i < job->counts.nr_steps; i++)
		to[count_number_of(job->counts.steps[i].to)] += job->counts.steps[i].count;
	job->other_builds = job->without_id = job->other_paths = 0;
	job->other_kernels = false;
	job->other_name = NULL;
	for (i = PROF_FIRST_BINARY; i < job->places.nr_binaries; i++) {
		const struct prof_binary *b = &job->places.binaries[i];
		const enum prof_match match = prof_match_one(job->code, b);

		if (!to[i] || job->is_mine[i])
			continue;
		if (!job->opts.stale &&
		    prof_match_is_other(&job->places, job->code, job->is_mine, i)) {
			job->other_builds += to[i];
			job->other_kernels |= b->kernel;
			if (to[i] > most && !prof_match_is_named(&job->places, job->is_mine, i))
				job->other_name = b->name;
			most = to[i] > most ? to[i] : most;
		} else if (match >= PROF_MATCH_NAME && job->match == PROF_MATCH_ID) {
			job->without_id += to[i];
		} else if (match == PROF_MATCH_NAME && job->match == PROF_MATCH_PATH) {
			job->other_paths += to[i];
		}
	}
	free(to);
	return true;
}

static double share_of_misfits(const struct prof_job *job)
{
	const struct prof *prof = &job->prof;

	return prof->branches ? (double)prof->misfits / (double)prof->branches : 0;
}

void prof_job_note_left_out(const struct prof_job *job, struct notes *notes)
{
	notes_count(notes, prof_job_transfers(job, job->other_builds),
		    "to other builds of %s%s%s: left out%s", job->code->path,
		    job->other_name ? ", such as " : "", job->other_name ?: "",
		    job->other_kernels ? "" : "; --stale uses the functions that are the same");
	notes_count(notes, prof_job_transfers(job, job->without_id),
		    "to %s without a build id: left out, because they may be of another build; record with build ids, or make another profile of these recordings alone",
		    job->code->path);
	notes_count(notes, prof_job_transfers(job, job->prof.beyond),
		    "to or from code 4 GiB or more above the first executable segment of %s: left out, because a profile reaches only so far; link the program so that all its code is within 4 GiB, and record again",
		    job->code->path);
	if (share_of_misfits(job) >= IMG_LEAST_MISFITS)
		notes_count(notes, prof_job_transfers(job, job->prof.misfits),
			    "transfers (%.1f %% of those from %s) %s", 100 * share_of_misfits(job),
			    job->code->path, job->why_misfits);
	if (prof_has_format(&job->opts, PROF_FORMAT_LLVM))
		notes_count(notes, prof_llvm_unwritten(&job->lined[BY_LLVM_LINE]),
			    "functions or calls of functions that -f llvm leaves out, because the debug information of %s gives them names that would be other lines of the text; use -f llvm-ext",
			    job->code->path);
}

static bool has_stale(const struct prof_job *job)
{
	size_t i;

	for (i = 0; i < job->places.nr_binaries; i++)
		if (job->places.binaries[i].stale)
			return true;
	return false;
}

/* Where most of the transfers are, to be told when none is in the binary. */
static void most_counted(const struct prof_job *job, char *text, size_t size)
{
	enum { MOST = 3 };
	struct count_list list;
	size_t i, len = 0;

	*text = 0;
	prof_job_rank(job, &list);
	for (i = 0; i < list.nr && i < MOST && len < size; i++)
		len += snprintf(text + len, size - len,
				"%s %s (%" PRIu64 " transfers%s)",
				i ? "," : "; most are in",
				job->places.binaries[list.v[i].number].name,
				prof_job_transfers(job, list.v[i].count),
				prof_job_by_weight(job));
	free(list.v);
}

/* Is it known that this file ran, in all recordings? */
static bool is_rewritten(const struct prof_job *job)
{
	bool doubtful = job->match != PROF_MATCH_ID;
	size_t i;

	for (i = PROF_FIRST_BINARY; i < job->places.nr_binaries; i++)
		doubtful |= job->is_mine[i] && job->places.binaries[i].doubtful;
	return !doubtful;
}

/* How much of what ran in the binary fits its code, and why the rest does not. */
static void find_used(struct prof_job *job)
{
	const struct prof *prof = &job->prof;
	uint64_t bad = 0, most = 0;
	enum path_break i;

	for (i = 0; i < PATH_NR_BREAKS; i++) {
		bad += prof->bad_lines[i];
		if (prof->bad_lines[i] <= most)
			continue;
		most = prof->bad_lines[i];
		snprintf(job->why, sizeof(job->why),
			 "straight lines do not fit its code (%s), which may be of another build",
			 path_break_text(i));
	}
	job->used = prof->lines ? 1 - (double)bad / prof->lines : 1;
	job->why_misfits = img_misfit_text(is_rewritten(job));
}

/* Of another file, most branches are not there, though many lines fit by chance. */
static int check_misfits(struct prof_job *job)
{
	const double share = share_of_misfits(job);
	char why[512];

	snprintf(why, sizeof(why), "%.1f %% of the transfers from it %s", 100 * share,
		 job->why_misfits);
	return samples_check_used(job->opts.samples, job->code->path, job->counts.samples,
				  1 - share, why, job->error);
}

int prof_job_match(struct prof_job *job, unsigned int number)
{
	free(job->is_mine);
	job->is_mine = calloc(job->places.nr_binaries, sizeof(*job->is_mine));
	if (!job->is_mine)
		return error_nomem(job->error);
	if (number) {
		prof_match_recorded(&job->places, number, job->is_mine);
		job->match = prof_match_one(job->code, &job->places.binaries[number]);
		job->other = 0;
	} else {
		job->match = prof_match(&job->places, job->code, job->is_mine, &job->other);
	}
	return 0;
}

/* Whether what was recorded is this binary. */
static int check_match(struct prof_job *job)
{
	if (job->opts.stale && !use_stale(job))
		return error_nomem(job->error);
	if (job->match == PROF_MATCH_NAME && job->other)
		return refuse_name(job);
	if (job->match == PROF_MATCH_BUILD && !has_stale(job))
		return refuse_build(job, job->other);
	if (job->match == PROF_MATCH_BUILD && !job->stale[PROF_STALE_SAME])
		return error_set(job->error, ERROR_INPUT,
				 "%s: none of the functions that ran in the recorded build is the same",
				 job->code->path);
	return 0;
}

int prof_job_derive(struct prof_job *job)
{
	struct counts part, *counts = &job->counts;
	int ret = check_match(job);
	char most[1024];
	size_t i;

	if (ret)
		return ret;
	for (i = 0; i < job->places.nr_binaries; i++) {
		struct prof_binary *b = &job->places.binaries[i];

		if (job->is_mine[i] && b->symbol &&
		    !prof_code_named(job->code, b->symbol, &b->symbol_addr))
			return error_set(
				job->error, ERROR_INPUT,
				"%s: has no symbol %s, from which the recording counts the kernel's addresses",
				job->code->path, b->symbol);
	}
	if (!job->opts.all && !count_left_out(job))
		return error_nomem(job->error);
	if (prof_is_folder(&job->opts)) {
		if (!prof_parts_take(&job->parts, counts, job->is_mine, &part))
			return error_nomem(job->error);
		job->part = part.steps;
		counts = &part;
	} else {
		/* prof_derive() uses up what tells it. */
		most_counted(job, most, sizeof(most));
	}
	if (prof_derive(&job->prof, counts, &job->places, job->is_mine, job->code))
		return error_nomem(job->error);
	if (!job->prof.entries && job->prof.beyond)
		return error_set(job->error, ERROR_INPUT,
				 "%s: all that was recorded in it is 4 GiB or more above its first executable segment, and a profile reaches only so far; link the program so that all its code is within 4 GiB, and record again",
				 job->code->path);
	if (!job->prof.entries) {
		if (prof_is_folder(&job->opts))
			most_counted(job, most, sizeof(most));
		return error_set(job->error, ERROR_INPUT,
				 "%s: no transfer in it was recorded%s",
				 job->code->path, most);
	}
	job->by_name = job->match == PROF_MATCH_NAME || job->match == PROF_MATCH_PATH;
	find_used(job);
	if (!job->prof.lines)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: no stack has two transfers in a row with code of it in between, so no straight line is known; record more samples",
			job->code->path);
	if (!job->prof.nr_ranges)
		return error_set(
			job->error, ERROR_PARTIAL,
			"%s: none of the %" PRIu64
			" straight lines between two transfers fits its code",
			job->code->path, prof_job_transfers(job, job->prof.lines));
	return samples_check_used(job->opts.samples, job->code->path,
				  job->counts.samples, job->used, job->why,
				  job->error) ?:
	       check_misfits(job);
}

static int refuse_form(struct prof_job *job)
{
	return error_set(
		job->error, ERROR_INPUT,
		"%s: the debug information is compressed in a form that ssctr does not know (ch_type %u); unpack it with objcopy --decompress-debug-sections",
		job->code->path, img_unknown_form(job->code->file));
}

#define NEEDS_LINES                                                            \
	"build it with -g (with clang, also -fdebug-info-for-profiling), and record again"

static int refuse_without_lines(struct prof_job *job)
{
	struct img_file *file = job->code->file;
	char own[17];
	const char *link;
	unsigned int size;
	const uint8_t *id = img_file_build_id(file, &size);

	if (img_unknown_form(file))
		return refuse_form(job);
	if (!img_lacks_debug_file(file, &link) || (!link && !id))
		return error_set(
			job->error, ERROR_INPUT,
			"%s: no debug information, neither in it nor in a debug file; " NEEDS_LINES,
			job->code->path);
	if (link)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: stripped, and its debug file %s was not found, or is of another build; name this file, or a folder that has it, with --code",
			job->code->path, link);
	img_print_build_id(own, id, size < 8 ? size : 8);
	return error_set(
		job->error, ERROR_INPUT,
		"%s: stripped, and no debug file with its build id (%s...) was found; name this file, or a folder that has it, with --code; if there is none, " NEEDS_LINES,
		job->code->path, own);
}

#define NEEDS_DECLARED                                                         \
	"build it with -g (rustc: -C debuginfo=2; or clang with -g1 and -fdebug-info-for-profiling)"

/* What compilers read is by function and line. */
static int open_lines(struct prof_job *job)
{
	const enum prof_lines_state state = prof_lines_open(&job->lines, &job->prof);

	/* Another format may ask once more. */
	if (state != PROF_LINES_OK)
		prof_lines_close(&job->lines);
	switch (state) {
	case PROF_LINES_OK:
		prof_lines_sum(&job->lines, &job->prof, job->known);
		return 0;
	case PROF_LINES_NONE:
		return refuse_without_lines(job);
	case PROF_LINES_DAMAGED:
		return error_set(job->error, ERROR_INPUT, "%s: damaged debug information",
				 job->code->path);
	default:
		return error_nomem(job->error);
	}
}

static int open_probes(struct prof_job *job)
{
	switch (prof_probes_open(&job->probes, &job->prof)) {
	case PROF_PROBES_OK:
		return 0;
	case PROF_PROBES_DAMAGED:
		return error_set(job->error, ERROR_INPUT, "%s: damaged pseudo-probes",
				 job->code->path);
	default:
		return error_nomem(job->error);
	}
}

static bool is_for_llvm(const struct prof_job *job)
{
	return prof_has_format(&job->opts, PROF_FORMAT_LLVM) ||
	       prof_has_format(&job->opts, PROF_FORMAT_LLVM_EXT);
}

void prof_job_note_lines(const struct prof_job *job, struct notes *notes)
{
	const struct img_split *split = &job->lines.split;
	const char *alt = img_missing_alt(job->code->file);
	const uint64_t unlined = job->known[PROF_NOTHING];
	const uint64_t undeclared = job->known[PROF_FUNCTION];
	const uint64_t assembly = job->known[PROF_ASSEMBLY];
	const struct prof_alike *alike = &job->alike;

	notes_count(notes, job->probes.nr, "pseudo-probes, which the profile uses");
	notes_count(notes, job->nr_off,
		    "of them are not at an instruction, because the linker moved the code: build with -mno-relax");
	/* A library that was linked in may have none, and nobody can build it with them. */
	notes_count(notes, prof_job_transfers(job, job->unprobed),
		    "straight lines (%.1f %%) are in code without pseudo-probes, of which the profile has nothing; build it with -fpseudo-probe-for-profiling",
		    100.0 * (double)job->unprobed / (double)job->prof.lines);
	notes_count(notes, prof_job_transfers(job, unlined),
		    "straight lines (%.1f %%) are in code without debug information, of which the profile has nothing%s",
		    100.0 * (double)unlined / (double)job->prof.lines,
		    split->nr_missing || alt ? "" : "; build it with -g");
	/* A compiler's own functions have no line, and are no loss. */
	if (undeclared > job->prof.lines / 100)
		notes_count(notes, prof_job_transfers(job, undeclared),
			    "straight lines (%.1f %%) are in functions that begin on no known line, so compilers do not find their counts; " NEEDS_DECLARED,
			    100.0 * (double)undeclared / (double)job->prof.lines);
	if (assembly > job->prof.lines / 100)
		notes_count(notes, prof_job_transfers(job, assembly),
			    "straight lines (%.1f %%) are in assembly code, whose counts compilers do not use",
			    100.0 * (double)assembly / (double)job->prof.lines);
	if (alike->lines > job->prof.lines / 100)
		notes_count(notes, prof_job_transfers(job, alike->lines),
			    "straight lines (%.1f %%) are in functions that have the name of a hotter function in another file, and count together with it: %zu such %s, %s%s; %s",
			    100.0 * (double)alike->lines / (double)job->prof.lines, alike->nr,
			    alike->nr == 1 ? "name" : "names", alike->nr == 1 ? "" : "such as ",
			    alike->first,
			    is_for_llvm(job) ? "build it with clang's -funique-internal-linkage-names" :
					       "give them different names");
	notes_count(notes, !!alt,
		    "file was not found, to which dwz -m moved debug information: %s; name it, or a folder that has it, with --code",
		    alt ?: "");
	notes_count(notes, split->nr_missing,
		    "units without lines, because the files with their functions were not found, or are of another build: %s; put the .dwo files of this build beside the program",
		    split->missing ? split->missing : "no name");
}

static int find_alike(struct prof_job *job, const struct prof_lines *lines,
		      enum prof_compiler compiler)
{
	prof_alike_free(&job->alike);
	return prof_alike_find(&job->alike, lines, &job->prof, compiler);
}

/* LLVM's profile of a program that has pseudo-probes is by these, and not by line. */
static int find_probes(struct prof_job *job)
{
	struct prof_samples *samples = &job->lined[BY_LLVM_LINE];
	enum prof_lines_state state;
	int ret = open_probes(job);
	struct prof_lines lines;

	if (ret)
		return ret;
	/* Without debug information calls have no targets, and all else is the same. */
	state = prof_lines_open(&lines, &job->prof);
	if (state == PROF_LINES_NO_MEMORY ||
	    prof_samples_make_by_probe(samples, &job->prof, &job->probes,
				       state == PROF_LINES_OK ? &lines : NULL,
				       &job->nr_off) ||
	    (state == PROF_LINES_OK && find_alike(job, &lines, PROF_LLVM)))
		ret = error_nomem(job->error);
	prof_lines_close(&lines);
	if (ret)
		return ret;
	if (job->nr_off > (1 - job->opts.samples->least) * job->probes.nr &&
	    !job->opts.samples->allow_partial)
		return error_set(
			job->error, ERROR_PARTIAL,
			"%s: %zu of %zu pseudo-probes are not at an instruction, because the linker moved the code after clang had computed their addresses; build it with -mno-relax and record again",
			job->code->path, job->nr_off, job->probes.nr);
	if (!samples->nr_bodies)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: the code that ran has no pseudo-probes, but the rest has; build all of it with -fpseudo-probe-for-profiling",
			job->code->path);
	job->unprobed = prof_unprobed(&job->prof, &job->probes);
	return 0;
}

/* Why nothing that ran has a line. */
static int refuse_unlined(struct prof_job *job)
{
	const struct img_split *split = &job->lines.split;
	const char *path = job->code->path, *alt = img_missing_alt(job->code->file);

	if (img_unknown_form(job->code->file))
		return refuse_form(job);
	if (alt)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: dwz -m moved debug information to %s, which was not found; name this file, or a folder that has it, with --code",
			path, alt);
	if (split->nr_missing && img_split_unread(path))
		return error_set(
			job->error, ERROR_INPUT,
			"%s: built with -gsplit-dwarf, and the elfutils of this machine cannot read %s.dwp; use elfutils 0.191 or newer, or put the .dwo files beside the program",
			path, path);
	if (split->missing)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: built with -gsplit-dwarf, and neither %s nor %s.dwp was found with the debug information of this build; put the .dwo files of this build beside the program, or pack them into this .dwp file",
			path, split->missing, path);
	if (split->without_ends)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: built with -gsplit-dwarf by a compiler that leaves the sizes of RISC-V functions out of .dwo files; build it without -gsplit-dwarf",
			path);
	return error_set(
		job->error, ERROR_INPUT,
		"%s: no debug information of the code that ran%s; build all of it with -g", path,
		job->known[PROF_ASSEMBLY] ?
			", except of assembly code, whose counts compilers do not use" : "");
}

/* A profile has the distances of lines from their function's first one. */
static int check_declared(struct prof_job *job)
{
	const uint64_t *known = job->known;

	if (known[PROF_FIRST_LINE])
		return 0;
	if (known[PROF_FUNCTION])
		return error_set(
			job->error, ERROR_INPUT,
			"%s: the debug information does not tell on which lines functions begin, so no compiler finds their counts; " NEEDS_DECLARED,
			job->code->path);
	if (!known[PROF_ASSEMBLY])
		return 0;
	/* Nobody can build with -g what libc brings along to start a program. */
	if (known[PROF_ASSEMBLY] <= known[PROF_NOTHING])
		return refuse_unlined(job);
	return error_set(
		job->error, ERROR_INPUT,
		known[PROF_NOTHING] ?
			"%s: most of what ran is assembly code, whose counts compilers do not use, and the rest has no debug information; BOLT uses all of it (-f bolt)" :
			"%s: only assembly code ran, and compilers do not use its counts; BOLT does (-f bolt)",
		job->code->path);
}

static int find_calls(struct prof_job *job)
{
	if (prof_go_make(&job->go, &job->prof, &job->lines))
		return error_nomem(job->error);
	if (!job->go.nr_samples && !job->lines.nr_spans)
		return refuse_unlined(job);
	if (!job->go.nr_samples)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: no call between two functions with debug information was recorded; record more samples",
			job->code->path);
	return 0;
}

static int find_by_line(struct prof_job *job, enum by by, enum prof_compiler compiler)
{
	struct prof_samples *samples = &job->lined[by];

	if (prof_samples_make(samples, &job->prof, &job->lines, compiler) ||
	    find_alike(job, &job->lines, compiler))
		return error_nomem(job->error);
	return samples->nr_bodies ? 0 : refuse_unlined(job);
}

static int find_by(struct prof_job *job, enum by by)
{
	int ret;

	if (by == BY_ADDRESS || job->lined[by].nr_bodies)
		return 0;
	if (by == BY_LLVM_LINE && prof_has_probes(job->code))
		return find_probes(job);
	ret = (job->lines.dwarf ? 0 : open_lines(job)) ?: check_declared(job);
	if (ret)
		return ret;
	if (by == BY_CALL)
		return find_calls(job);
	return find_by_line(job, by,
			    by != BY_GCC_LINE			   ? PROF_LLVM :
			    job->opts.gcov_version == PROF_GCOV_2 ? PROF_GCC_15 :
								    PROF_GCC_16);
}

/* The format with this number, of those that were asked for. */
static const struct format *format_at(const struct prof_job *job, unsigned int i)
{
	return &formats[job->opts.formats[i]];
}

static bool is_lacking(const struct prof_job *job, unsigned int i)
{
	return *job->lacking[format_at(job, i)->by].text;
}

/* What one format needs, another one may not. An error if none can be written. */
static int find_lines(struct prof_job *job)
{
	int ret, first = 0;
	unsigned int i, nr = 0;

	for (i = 0; i < job->opts.nr_formats; i++) {
		const struct format *format = format_at(job, i);

		if (is_lacking(job, i))
			continue;
		ret = check_format(job, format) ?: find_by(job, format->by);
		if (ret && ret != ERROR_INPUT && ret != ERROR_PARTIAL)
			return ret;
		if (ret)
			job->lacking[format->by] = *job->error;
		else
			nr++;
		first = first ?: ret;
	}
	if (nr)
		return 0;
	*job->error = job->lacking[format_at(job, 0)->by];
	return first;
}

/* The formats from number i on for which the reason is the same. */
static void say_lacking(const struct prof_job *job, unsigned int i, FILE *file)
{
	const char *why = job->lacking[format_at(job, i)->by].text;
	unsigned int k;

	fprintf(file, "-f %s", format_at(job, i)->name);
	for (k = i + 1; k < job->opts.nr_formats; k++)
		if (!strcmp(job->lacking[format_at(job, k)->by].text, why))
			fprintf(file, ",%s", format_at(job, k)->name);
	fprintf(file, ": %s", why);
}

/* Whether the reason was told with a format before. */
static bool is_said(const struct prof_job *job, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < i; k++)
		if (!strcmp(job->lacking[format_at(job, k)->by].text,
			    job->lacking[format_at(job, i)->by].text))
			return true;
	return false;
}

/*
 * The formats that are not written, and why: "-f llvm,gcov: WHY", or "" if all are. NULL: out
 * of memory. The caller frees it.
 */
static char *text_of_lacking(const struct prof_job *job)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	unsigned int i, nr = 0;

	if (!file)
		return NULL;
	for (i = 0; i < job->opts.nr_formats; i++) {
		if (!is_lacking(job, i) || is_said(job, i))
			continue;
		if (nr++)
			fputs("; ", file);
		say_lacking(job, i, file);
	}
	return fclose(file) ? NULL : text;
}

/* --- the files --- */

struct output {
	struct outfile file;
	char *path;
};

/* NULL: out of memory. The caller frees it. */
static char *output_path(const struct prof_job *job, enum prof_format format)
{
	const char *path = job->output ?: job->opts.output;
	char *full;

	if (job->opts.nr_formats == 1 && !job->output)
		return strdup(path);
	return asprintf(&full, "%s.%s", path, formats[format].name) < 0 ? NULL : full;
}

int prof_job_check_outputs(struct prof_job *job)
{
	unsigned int i;
	char *path;
	int ret = 0;

	for (i = 0; !ret && i < job->opts.nr_formats; i++) {
		path = output_path(job, job->opts.formats[i]);
		ret = path ? prof_inputs_keep(&job->inputs, path, job->error) :
			     error_nomem(job->error);
		free(path);
	}
	return ret;
}

static int output_error(struct prof_job *job, const struct output *out, int error)
{
	return error_set(job->error, ERROR_OUTPUT, "%s: %s", out->path, strerror(error));
}

/* All of it, but not yet under its name. After an error there is nothing to close. */
static int write_one(struct prof_job *job, enum prof_format format, struct output *out)
{
	int ret = 0, error;

	out->path = output_path(job, format);
	if (!out->path)
		return error_nomem(job->error);
	if (outfile_open(&out->file, out->path)) {
		ret = output_error(job, out, errno);
		free(out->path);
		return ret;
	}
	if (formats[format].write(job, out->file.file))
		ret = error_nomem(job->error);
	error = ret ? 0 : outfile_flush(out->file.file);
	if (error)
		ret = output_error(job, out, error);
	if (!ret)
		return 0;
	outfile_close(&out->file, false);
	free(out->path);
	return ret;
}

/* All files that can be made, or none. */
static int write_all(struct prof_job *job)
{
	struct output outputs[PROF_NR_FORMATS];
	unsigned int i, nr = 0;
	int ret = 0;

	for (i = 0; !ret && i < job->opts.nr_formats; i++) {
		if (is_lacking(job, i))
			continue;
		ret = write_one(job, job->opts.formats[i], &outputs[nr]);
		nr += !ret;
	}
	for (i = 0; i < nr; i++) {
		if (outfile_close(&outputs[i].file, !ret) && !ret)
			ret = output_error(job, &outputs[i], errno);
		free(outputs[i].path);
	}
	return ret;
}

/* From what was counted to the files of the binary at work. */
int prof_job_make(struct prof_job *job)
{
	const int ret = prof_job_check_outputs(job) ?: prof_job_derive(job) ?: find_lines(job);

	if (ret)
		return ret;
	/* Before there are files, which an error would have to remove. */
	job->why_lacking = text_of_lacking(job);
	return job->why_lacking ? write_all(job) : error_nomem(job->error);
}

void prof_job_forget(struct prof_job *job)
{
	unsigned int i;

	for (i = 0; i < NR_BY; i++)
		prof_samples_free(&job->lined[i]);
	pprof_free(&job->go);
	job->go = (struct pprof){ 0 };
	prof_lines_close(&job->lines);
	prof_alike_free(&job->alike);
	prof_probes_free(&job->probes);
	memset(job->lacking, 0, sizeof(job->lacking));
	free(job->why_lacking);
	job->why_lacking = NULL;
	job->nr_off = 0;
	job->unprobed = 0;
	memset(job->known, 0, sizeof(job->known));
	prof_free(&job->prof);
	free(job->part);
	free(job->output);
	job->part = NULL;
	job->output = NULL;
}
