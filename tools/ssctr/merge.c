// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr merge`: counts files and recordings as one counts file. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/units.h"
#include "merge.h"
#include "perfdata/perfdata.h"

enum {
	OPT_MEMORY = 256,
	OPT_THREADS,
	OPT_STRICT,
	OPT_FILES_FROM,
	OPT_WEIGHTED,
	OPT_HALF_LIFE,
	OPT_AT,
	OPT_DROP_BELOW,
	OPT_DSO,
	OPT_BUILD_ID,
	OPT_NO_KERNEL,
	MAX_THREADS = 256,
};

static const struct opt options[] = {
	{ 'o', "output", "FILE",
	  "write this counts file, or - for standard output; it can be one of the inputs" },
	{ OPT_FILES_FROM, "files-from", "FILE",
	  "also merge the files that FILE lists, one in each line; -: standard input" },
	{ OPT_STRICT, "strict", NULL,
	  "merge nothing if an input cannot be used (default: merge the others)" },
	{ OPT_WEIGHTED, "weighted-input", "N,FILE",
	  "also merge FILE, with its counts multiplied by N; repeatable" },
	{ OPT_HALF_LIFE, "half-life", "TIME",
	  "halve the counts of an input for each TIME that it is older than the newest one: 7d, 12h" },
	{ OPT_AT, "at", "TIME",
	  "compute ages for this time, which is a date in UTC or seconds since 1970" },
	{ OPT_DROP_BELOW, "drop-below", "N",
	  "leave out steps with fewer than N transfers in all inputs together" },
	{ OPT_DSO, "dso", "LIST",
	  "keep only transfers from or to these binaries: sort,libc.so.6,[kernel]" },
	{ OPT_BUILD_ID, "build-id", "LIST",
	  "keep only transfers from or to the binaries with these build ids, or with build ids that begin so" },
	{ OPT_NO_KERNEL, "no-kernel", NULL, "leave out transfers within the kernel" },
	{ OPT_MEMORY, "memory", "SIZE",
	  "use at most this much memory for the inputs (default: 256M)" },
	{ OPT_THREADS, "threads", "N",
	  "use N processors (default: all)" },
	SAMPLES_CODE_OPTS,
	{ 0 },
};

static const struct cmd cmd = {
	.name = "merge",
	.usage = "-o FILE [option]... INPUT...",
	.about =
		"Merge counts files into one. The order of the inputs, and in how many steps you\n"
		"merge them, do not change the result. An input can also be a recording, or a\n"
		"pipe with either of them. `ssctr info FILE` shows what a counts file has.",
	.example =
		"  ssctr merge -o week.counts monday.counts tuesday.counts wednesday.counts\n"
		"  ssctr merge -o fleet.counts --half-life 7d fleet.counts new/*.counts\n"
		"  ssctr profile -b ./program -o program.prof week.counts",
	.opts = options,
};

/* Words of comma-separated lists. */
struct list {
	char **v;
	size_t nr, cap;
};

/* An input with a factor. */
struct weighted {
	const char *path;
	double factor;
};

struct asked {
	const char *output, *files_from;
	struct cf_merge_opts merge;
	struct list dsos, build_ids;
	struct weighted *weighted;
	size_t nr_weighted, cap_weighted;
	struct rec rec;
};

/* ----------------------------------------------------------------- options */

static int add_words(struct list *list, const char *option, const char *arg)
{
	const char *left = arg, *word;
	size_t size;

	while ((word = opts_word(&left, &size))) {
		if (!size)
			return cmd_usage(&cmd, "--%s: '%s' has an empty word", option, arg);
		if (!array_room(&list->v, list->nr, &list->cap, sizeof(*list->v)))
			return cmd_error(&cmd, "out of memory");
		list->v[list->nr] = strndup(word, size);
		if (!list->v[list->nr])
			return cmd_error(&cmd, "out of memory");
		list->nr++;
	}
	return CMD_OK;
}

static int add_build_ids(struct list *list, const char *option, const char *arg)
{
	size_t i = list->nr;
	int ret = add_words(list, option, arg);

	for (; !ret && i < list->nr; i++)
		if (strspn(list->v[i], "0123456789abcdefABCDEF") != strlen(list->v[i]))
			ret = cmd_usage(&cmd, "--build-id: '%s' is not a build id; use hexadecimal digits",
					list->v[i]);
	return ret;
}

static int add_weighted(struct asked *asked, const char *arg)
{
	struct weighted *w;
	char *end;
	double factor = strtod(arg, &end);

	if (end == arg || *end != ',' || !end[1] || !(factor > 0) || factor > 1e6)
		return cmd_usage(&cmd, "--weighted-input %s: use a number above 0, a comma and a file",
				 arg);
	if (!array_room(&asked->weighted, asked->nr_weighted, &asked->cap_weighted, sizeof(*w)))
		return cmd_error(&cmd, "out of memory");
	asked->weighted[asked->nr_weighted++] = (struct weighted){ end + 1, factor };
	return CMD_OK;
}

static int take_memory(struct asked *asked, const char *arg)
{
	struct error error;
	uint64_t bytes;

	if (units_bytes(arg, &bytes, &error))
		return cmd_usage(&cmd, "--memory: %s", error.text);
	if (bytes < CF_MERGE_MEMORY_MIN || bytes > SIZE_MAX / 2)
		return cmd_usage(&cmd, "--memory %s: use at least 16M", arg);
	asked->merge.memory = (size_t)bytes;
	return CMD_OK;
}

static int take_threads(struct asked *asked, const struct cmd_opts *opts)
{
	uint64_t nr;

	if (!cmd_opts_u64(opts, &nr))
		return CMD_USAGE;
	if (!nr || nr > MAX_THREADS)
		return cmd_usage(&cmd, "--threads %s: use 1 to %d", opts->arg, MAX_THREADS);
	asked->merge.threads = (unsigned int)nr;
	return CMD_OK;
}

static int take_rule(struct asked *asked, const struct cmd_opts *opts, int id)
{
	struct error error;
	int ret = 0;

	switch (id) {
	case OPT_HALF_LIFE:
		ret = units_span(opts->arg, &asked->merge.half_life, &error);
		break;
	case OPT_AT:
		ret = units_time(opts->arg, &asked->merge.at, &error);
		break;
	case OPT_DROP_BELOW:
		return cmd_opts_u64(opts, &asked->merge.drop_below) ? CMD_OK : CMD_USAGE;
	case OPT_DSO:
		return add_words(&asked->dsos, opts->words.opt->name, opts->arg);
	case OPT_BUILD_ID:
		return add_build_ids(&asked->build_ids, opts->words.opt->name, opts->arg);
	default:
		asked->merge.selection.no_kernel = true;
	}
	if (!ret)
		return CMD_OK;
	return cmd_usage(&cmd, "--%s: %s", opts->words.opt->name, error.text);
}

static int take_option(struct asked *asked, const struct cmd_opts *opts, int id)
{
	switch (id) {
	case 'o':
		asked->output = opts->arg;
		return CMD_OK;
	case OPT_FILES_FROM:
		asked->files_from = opts->arg;
		return CMD_OK;
	case OPT_WEIGHTED:
		return add_weighted(asked, opts->arg);
	case OPT_STRICT:
		asked->merge.strict = true;
		return CMD_OK;
	case OPT_MEMORY:
		return take_memory(asked, opts->arg);
	case OPT_THREADS:
		return take_threads(asked, opts);
	}
	if (rec_has_option(id))
		return rec_option(&asked->rec, opts, id);
	return take_rule(asked, opts, id);
}

/* ------------------------------------------------------------------- merge */

static void say(void *arg, const char *text)
{
	(void)arg;
	cmd_error(&cmd, "%s", text);
}

static void print_notes(const struct cf_merge_result *result)
{
	/* Distances between samples may differ so much: those of a frequency do a little. */
	enum { FAR = 3 };
	struct notes notes = { 0 };

	notes_count(&notes, result->left_out, "transfers that the options leave out");
	notes_count(&notes, result->aged,
		    "inputs with nothing left, because they are too old for --half-life");
	if (result->most_distance > FAR * result->least_distance)
		notes_add(&notes, result->merged,
			  "inputs, of which one has a sample in %.0f events and one in %.0f, and each sample counts the same: record with the same period (-c), or use --weighted-input",
			  result->least_distance, result->most_distance);
	notes_write(&notes, stderr);
	notes_free(&notes);
}

/* Reports how it ended. refused: so many inputs could not even be opened. */
static int merge(const struct asked *asked, size_t refused)
{
	struct cf_merge_result result;
	struct error error;
	int ret = cf_merge(asked->output, &asked->merge, &result, &error);

	if (ret && ret != ERROR_PARTIAL)
		return cmd_error(&cmd, "%s", error.text);
	print_notes(&result);
	refused += result.refused;
	if (!refused)
		return CMD_OK;
	cmd_error(&cmd, "%zu of %zu inputs could not be merged; the output has the others",
		  refused, result.merged + refused);
	return CMD_PARTIAL;
}

static unsigned int processors(void)
{
	cpu_set_t set;
	int nr = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return nr < MAX_THREADS ? (unsigned int)nr : MAX_THREADS;
}

/* A counts file grows by merges into it. A recording would be lost. */
static int keep_recording(const char *output)
{
	if (!strcmp(output, "-") || !pd_is_recording(output))
		return CMD_OK;
	return cmd_error(&cmd, "-o %s: this is a recording, which would be lost; name another file",
			 output);
}

static int add_inputs(const struct asked *asked, struct merge_inputs *inputs,
		      const struct cmd_opts *opts)
{
	int ret = CMD_OK, i;
	size_t k;

	for (i = 0; !ret && i < opts->argc; i++)
		ret = merge_inputs_add(inputs, opts->argv[i], 1);
	for (k = 0; !ret && k < asked->nr_weighted; k++)
		ret = merge_inputs_add(inputs, asked->weighted[k].path,
				       asked->weighted[k].factor);
	if (!ret && asked->files_from)
		ret = merge_inputs_from(inputs, asked->files_from);
	return ret;
}

static int run(struct asked *asked, const struct cmd_opts *opts)
{
	struct merge_inputs inputs = { .rec = &asked->rec, .output = asked->output };
	struct cf_merge_opts *m = &asked->merge;
	int ret;

	/* All open files of a merge are needed at the same time. */
	file_raise_limit();
	ret = add_inputs(asked, &inputs, opts);
	if (!ret)
		ret = keep_recording(asked->output);
	if (!ret)
		ret = merge_inputs_count(&inputs, m->memory, m->threads);
	if (!ret && m->strict && inputs.refused)
		ret = CMD_FAIL;
	m->inputs = inputs.v;
	m->nr = inputs.nr;
	m->selection.names = (const char *const *)asked->dsos.v;
	m->selection.nr_names = asked->dsos.nr;
	m->selection.build_ids = (const char *const *)asked->build_ids.v;
	m->selection.nr_build_ids = asked->build_ids.nr;
	if (!ret)
		ret = merge(asked, inputs.refused);
	merge_inputs_free(&inputs);
	return ret;
}

static bool is_complete(const struct asked *asked, const struct cmd_opts *opts)
{
	if (!asked->output)
		cmd_usage(&cmd, "no output is given; name it with -o");
	else if (!opts->argc && !asked->nr_weighted && !asked->files_from)
		cmd_usage(&cmd, "no input is given; name the files to merge");
	else if (asked->merge.at && !asked->merge.half_life)
		cmd_usage(&cmd, "--at needs --half-life");
	else
		return true;
	return false;
}

static void free_list(struct list *list)
{
	while (list->nr)
		free(list->v[--list->nr]);
	free(list->v);
}

int cmd_merge(int argc, char **argv)
{
	struct asked asked = { .merge = { .memory = CF_MERGE_MEMORY,
					  .threads = processors(),
					  .say = say } };
	struct cmd_opts opts;
	int id, ret = CMD_OK;

	rec_init(&asked.rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0)
		ret = take_option(&asked, &opts, id);
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && !is_complete(&asked, &opts))
		ret = CMD_USAGE;
	else if (!ret && (!cmd_takes_binary(&cmd, asked.output) ||
			  !cmd_keeps_input(&cmd, asked.output, asked.files_from)))
		ret = CMD_FAIL;
	else if (!ret)
		ret = run(&asked, &opts);
	free_list(&asked.dsos);
	free_list(&asked.build_ids);
	free(asked.weighted);
	rec_close(&asked.rec);
	return ret;
}
