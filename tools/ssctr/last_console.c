// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last: the reports in the log of a kernel that died, in place of a recording. */
#include "last.h"
#include "base/array.h"
#include "base/plain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The newest reports that the user wants. The log keeps what they point to. */
static int show_reports(struct last *last)
{
	size_t i = last->log.nr > last->limit ? last->log.nr - last->limit : 0;

	last->others = i + last->log.nr_dropped;
	for (; i < last->log.nr; i++) {
		const struct con_report *report = &last->log.reports[i];
		struct last_shown *shown;

		if (!array_room(&last->v, last->nr, &last->cap, sizeof(*last->v)))
			return cmd_error(last->rec.cmd, "out of memory");
		shown = &last->v[last->nr++];
		*shown = (struct last_shown){
			.report = report,
			.point.kind = report->panicked ? LAST_PANIC : LAST_OOPS,
		};
		if (!con_find_steps(&shown->steps, &last->log, report, last->names, last->depth,
				    &shown->left))
			return cmd_error(last->rec.cmd, "out of memory");
	}
	return CMD_OK;
}

static int read_log(struct last *last, const char *path, struct error *error)
{
	const bool is_pipe = !strcmp(path, "-");
	FILE *file = is_pipe ? stdin : fopen(path, "r");
	int ret;

	if (!file)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	ret = con_log_read(&last->log, file, is_pipe ? "standard input" : path, error);
	if (!is_pipe)
		fclose(file);
	return ret;
}

int last_read_log(struct last *last, const char *path)
{
	const struct samples_opts *opts = &last->rec.opts;
	struct error error;
	int ret;

	if (opts->symfs || opts->kcore || opts->kallsyms)
		return cmd_usage(last->rec.cmd, "--console: the log has the names of functions; for source lines give --vmlinux and --code");
	ret = samples_check_places(opts, &error);
	if (!ret)
		ret = read_log(last, path, &error);
	if (!ret)
		ret = con_names_new(&last->names, &last->log, opts->vmlinux, opts->code.v,
				    opts->code.nr, &error);
	return ret ? cmd_error(last->rec.cmd, "%s", error.text) : show_reports(last);
}

static void tell_file(const struct con_found *found, uint32_t nr, const char *why)
{
	if (!nr)
		return;
	plain_put(stderr, found->path);
	fprintf(stderr, ": %" PRIu32 " of %" PRIu32 " functions have no source lines, because %s\n", nr,
		found->nr, why);
}

void last_tell_files(const struct last *last)
{
	const struct con_found *found;
	size_t i;

	for (i = 0; (found = con_names_found(last->names, i)); i++) {
		if (!found->path)
			continue;
		tell_file(found, found->nr - found->nr_found - found->nr_twice,
			  *found->module ? "they are not in this file or have another size there, or are gone after loading" :
					   "they are not in this file or have another size there");
		tell_file(found, found->nr_twice,
			  "this file has several functions with the same name and size");
	}
}

/* --- what a report lacks --- */

static bool lacks_lines(const struct con_report *report, struct last_sentence *sentence)
{
	const uint64_t missing = con_missing(report);

	if (!report->said)
		snprintf(sentence->text, sizeof(sentence->text),
			 "The log lacks the line that tells how many branches there were.");
	else
		snprintf(sentence->text, sizeof(sentence->text),
			 "The log lacks %" PRIu64 " of the %" PRIu64
			 " branches, so some of the code that looks straight may not be.",
			 missing, report->said);
	return missing || !report->said;
}

static void about_exception(const struct last_shown *shown, struct last_sentence *sentence)
{
	const size_t size = sizeof(sentence->text);

	if (shown->left.has_exception)
		snprintf(sentence->text, size,
			 "The kernel handled the exception in %" PRIu64 " more branches.",
			 shown->left.after);
	else if (shown->report->epc == CON_NOWHERE)
		snprintf(sentence->text, size,
			 "The log does not tell which instruction raised the exception, so the newest branches are those by which the kernel handled it.");
	else
		snprintf(sentence->text, size,
			 "The exception is not among the branches, so the newest of them are those by which the kernel handled it.");
}

size_t last_lacks(const struct last_shown *shown, struct last_sentence sentences[2])
{
	size_t nr = 0;

	if (!shown->report)
		return 0;
	if (shown->report->none) {
		snprintf(sentences[0].text, sizeof(sentences[0].text),
			 "No branch of the kernel was recorded%s%s.",
			 *shown->report->why ? ": " : "", shown->report->why);
		return 1;
	}
	nr += lacks_lines(shown->report, &sentences[0]);
	if (!shown->report->panicked)
		about_exception(shown, &sentences[nr++]);
	return nr;
}

bool last_address(const struct last *last, uint64_t pc, uint64_t *addr)
{
	const struct con_place *place;

	*addr = pc;
	if (!last->names)
		return true;
	place = &last->log.places[pc - 1];
	*addr = place->offset;
	return place->function == CON_ADDRESS || con_names_file(last->names, pc - 1, addr);
}
