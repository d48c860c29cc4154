// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last: the branches before a program died, or before another point. */
#include "last.h"
#include "record.h"
#include "source_line.h"

#include "base/plain.h"
#include "base/tempfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_INPUT = 'i',
	OPT_OUTPUT = 'o',
	OPT_PID = 'p',
	OPT_KERNEL = 'k',
	OPT_LIMIT = 'n',
	OPT_ERRNO = 0x2000,
	OPT_AT,
	OPT_RETURNS,
	OPT_DEPTH,
	OPT_JSON,
	OPT_HTML,
	OPT_CONSOLE,
};

enum { MAX_ERRORS = 64, DEPTH = 64 /* that a screen or two can show */ };

static const struct opt options[] = {
	{ OPT_PID, "pid", "LIST", "follow these processes: 12,34" },
	{ OPT_ERRNO, "errno", "LIST",
	  "stop at system calls that fail with these errors: ENOENT,EINVAL or all" },
	{ OPT_AT, "at", "FUNCTION",
	  "stop where FUNCTION is called: main, libc.so.6:malloc, kernel:do_exit; repeatable" },
	{ OPT_RETURNS, "returns", "FUNCTION[=N]",
	  "stop where FUNCTION returns N, or a negative number if there is no N; repeatable" },
	{ OPT_KERNEL, "kernel", NULL, "record the branches of the kernel, too" },
	{ OPT_LIMIT, "limit", "N", "show the last N of these points (default: 1; 0: all)" },
	{ OPT_DEPTH, "depth", "N", "show at most N branches before a point (default: 64; 0: all)" },
	{ OPT_JSON, "json", NULL, "print one JSON object" },
	{ OPT_HTML, "html", "FILE", "write an HTML page to FILE" },
	{ OPT_OUTPUT, "output", "FILE", "keep the recording in FILE" },
	{ OPT_INPUT, "input", "FILE", "show the points of the recording FILE, and run nothing" },
	{ OPT_CONSOLE, "console", "FILE",
	  "show the branches in FILE, the log of a kernel that died (module parameter oops=64)" },
	SAMPLES_CODE_OPTS,
	REC_NAMES_OPT,
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "last",
	.usage = "[option]... [--] COMMAND [ARGUMENT]...\n"
		 "       ssctr last -p LIST [option]...\n"
		 "       ssctr last -i FILE [option]...\n"
		 "       ssctr last --console FILE [option]...",
	.about =
		"Run a command, or follow processes, and show the last branches before one of them\n"
		"died: by a signal, or with an exit status that is not 0. Show them as the calls,\n"
		"the returns and the source lines that ran, the newest last. --errno, --at and\n"
		"--returns select other points. A BPF program in the kernel takes the branches, so\n"
		"the module must be loaded with bpf=1, and the user must be allowed to use BPF.",
	.example = "  ssctr last -- ./program\n"
		   "  ssctr last --errno EINVAL --kernel -- ./program\n"
		   "  ssctr last --returns parse=0 -n 0 -o parse.data -- ./program\n"
		   "  ssctr timeline parse.data -o parse.json",
	.opts = options,
	.takes_command = true,
};

/* What the options say. */
struct wishes {
	struct record record;
	struct points_opts points;
	struct points_probe probes[POINTS_MAX_PROBES];
	int errors[MAX_ERRORS];
	char *names[POINTS_MAX_PROBES]; /* of the probes, to be freed */
	struct img *img; /* of the probes' files; NULL: none was opened */
	bool json, reads;
	const char *console; /* the log that is read; NULL: none */
	bool has_limit, has_depth;
	const char *html;
	char path[TEMPFILE_PATH]; /* of a recording that is not kept; "": it is */
};

/* --- the whole --- */

uint64_t last_lost(const struct last *last)
{
	return samples_lost(&last->rec.samples) + samples_lost_tracking(&last->rec.samples);
}

/* What the recording lacks, and which files could not be used. Returns whether it lacks anything. */
void last_note(const struct last *last, struct notes *notes)
{
	if (last->names)
		return;
	if (last->by_probe)
		notes_say(notes, "a probe at a return",
			  "it is of --returns or of another tracer; it replaces return addresses, so code that unwinds the stack cannot read them (an exception of C++, backtrace(), pthread_exit(), pthread_cancel()); give --returns only for functions that are not on the stack then, or use --at, and end other tracers with such a probe in the program");
	notes_count(notes, last_lost(last),
		    "points or mappings were lost, because the buffers were full; choose fewer points");
	if (pd_stats(last->rec.samples.pd)->unfinished)
		notes_say(notes, "not whole",
			  "the end of the recording is missing, because its writer was killed or its output was cut; the points before it are known");
	samples_note_files(last->rec.samples.img, notes);
}

/* Returns whether the recording may have had more points. */
static bool tell_recording(const struct last *last)
{
	struct notes notes = { 0 };

	last_note(last, &notes);
	notes_write(&notes, stderr);
	notes_free(&notes);
	return last_lost(last) || pd_stats(last->rec.samples.pd)->unfinished;
}

/* Source files that are not what was built, of lines that are shown. */
static void tell_sources(const struct last *last)
{
	struct notes notes = { 0 };

	source_note(last->listing, "", &notes);
	notes_write(&notes, stderr);
	notes_free(&notes);
}

static void tell(const struct last *last, const struct wishes *wishes)
{
	/* Both may go to one file. */
	fflush(stdout);
	if (last->others)
		fprintf(stderr, "%" PRIu64 " more point%s not shown: -n 0 shows all\n",
			last->others, last->others == 1 ? " is" : "s are");
	if (wishes->console)
		last_tell_files(last);
	else
		tell_recording(last);
	tell_sources(last);
	if (!wishes->console && !*wishes->path && !wishes->reads) {
		fputs("the recording is in ", stderr);
		plain_line(stderr, wishes->record.opts.output);
	}
}

/* In the form that was asked for, which also a list without points has. */
static int put_points(struct last *last, const struct wishes *wishes)
{
	if (wishes->html)
		return last_html(last, wishes->html);
	if (wishes->json)
		last_json(last);
	else
		last_text(last);
	return CMD_OK;
}

/* A recording of something else does not tell whether anybody died. */
static bool may_have_points(const struct last *last)
{
	const struct pd *pd = last->rec.samples.pd;
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(pd); i++)
		if (last_has_points(pd_attr(pd, i)))
			return true;
	return false;
}

/* Which points a recording would have if they had been reached is not in it. */
static int show_none(struct last *last, const struct wishes *wishes)
{
	const struct points_opts *points = &wishes->points;
	const bool chosen = points->nr_probes || points->nr_errors || points->all_errors;
	bool lacks;
	int ret;

	if (wishes->reads && !may_have_points(last))
		return cmd_error(&cmd, "%s: not a recording of `ssctr last -o`, so it does not tell whether a process died",
				 last->rec.path);
	lacks = !wishes->console && tell_recording(last);
	fprintf(stderr, "ssctr last: no process was killed%s%s%s\n",
		points->exits ? ", and none exited with another status than 0" : "",
		chosen || wishes->reads ? ", and no other point was reached" : "",
		lacks ? ", as far as the recording tells" : "");
	ret = put_points(last, wishes);
	return ret ? ret : wishes->reads ? CMD_FAIL : CMD_OK;
}

static int show(struct last *last, const struct wishes *wishes)
{
	int ret = wishes->console ? last_read_log(last, wishes->console) : last_read_points(last);

	if (ret)
		return ret;
	if (!last->nr)
		return show_none(last, wishes);
	if (!last->rec.how.mangled)
		last->demangler = img_demangler_new();
	last->listing = img_listing_new();
	last->disasm = rv_disasm_new(&(struct error){ 0 });
	if (!last->listing)
		return cmd_error(&cmd, "out of memory");
	ret = put_points(last, wishes);
	tell(last, wishes);
	return ret;
}

static void close_last(struct last *last)
{
	size_t i;

	for (i = 0; i < last->nr; i++)
		free(last->v[i].steps.v);
	free(last->v);
	hash_free(&last->by_pid);
	free(last->processes);
	con_names_free(last->names);
	con_log_free(&last->log);
	rv_disasm_free(last->disasm);
	img_listing_free(last->listing);
	img_demangler_free(last->demangler);
	path_free(last->path);
	rec_close(&last->rec);
}

/* Where nobody asked to keep it: a file without a name, which no signal leaves behind. */
static int output_for_once(struct wishes *wishes)
{
	struct error error;
	const int fd = tempfile_open();

	if (fd < 0) {
		tempfile_error(&error);
		return cmd_error(&cmd, "%s", error.text);
	}
	tempfile_path(fd, wishes->path);
	wishes->record.opts.output = wishes->path;
	return CMD_OK;
}

/* The command's own exit status is passed on. */
static int record_and_show(struct last *last, struct wishes *wishes, char **command)
{
	struct rcd_opts *opts = &wishes->record.opts;
	int status = 0, ret = *opts->output ? CMD_OK : output_for_once(wishes);

	if (ret)
		return ret;
	opts->points = &wishes->points;
	wishes->record.quiet = true;
	wishes->record.goes_on = &status;
	ret = record_run(&cmd, &wishes->record, command);
	if (!ret) {
		last->rec.path = opts->output;
		ret = show(last, wishes);
	}
	return ret ? ret : status;
}

/* --- options --- */

/* Of these, strerrorname_np() knows the other name. */
static const struct {
	const char *name;
	int error;
} other_names[] = {
	{ "EWOULDBLOCK", EWOULDBLOCK }, { "ENOTSUP", ENOTSUP }, { "EDEADLOCK", EDEADLOCK },
};

/* Returns the error whose name are these n characters, or 0. */
static int find_error(const char *name, size_t n)
{
	const char *known;
	size_t i;
	int error;

	for (i = 0; i < sizeof(other_names) / sizeof(*other_names); i++)
		if (strlen(other_names[i].name) == n && !strncmp(other_names[i].name, name, n))
			return other_names[i].error;
	for (error = 1; error < 4096; error++) {
		known = strerrorname_np(error);
		if (known && strlen(known) == n && !strncmp(known, name, n))
			return error;
	}
	return 0;
}

static int parse_errors(struct wishes *wishes, const char *list)
{
	struct points_opts *points = &wishes->points;

	if (!strcmp(list, "all")) {
		points->all_errors = true;
		return CMD_OK;
	}
	do {
		const size_t n = strcspn(list, ",");
		const int error = find_error(list, n);

		if (!error)
			return cmd_usage(&cmd, "--errno: there is no error '%.*s'; `man errno` has a list",
					 (int)n, list);
		if (points->nr_errors == MAX_ERRORS)
			return cmd_usage(&cmd, "--errno: at most %d errors; or give all", MAX_ERRORS);
		wishes->errors[points->nr_errors++] = error;
		list += n + (list[n] == ',');
	} while (*list);
	return CMD_OK;
}

/* [FILE:]FUNCTION[=N]; the command's own functions have path "", until it is known. */
static int parse_probe(struct wishes *wishes, char *arg, bool at_return)
{
	const char *option = at_return ? "--returns" : "--at";
	struct points_probe *probe = &wishes->probes[wishes->points.nr_probes];
	char *value = at_return ? strchr(arg, '=') : NULL, *end = arg + strlen(arg);
	char *colon = strchr(arg, ':');

	if (wishes->points.nr_probes == POINTS_MAX_PROBES) {
		free(arg);
		return cmd_usage(&cmd, "%s: at most %d functions", option, POINTS_MAX_PROBES);
	}
	wishes->names[wishes->points.nr_probes++] = arg;
	*probe = (struct points_probe){ .path = "", .symbol = arg, .at_return = at_return,
					.any_negative = !value };
	if (value) {
		*value++ = 0;
		probe->value = strtoll(value, &end, 0);
	}
	/* A C++ function has two colons in its name. */
	if (colon && colon[1] != ':') {
		*colon = 0;
		probe->path = strcmp(arg, "kernel") ? arg : NULL;
		probe->symbol = colon + 1;
	}
	if (!*probe->symbol || *end || (value && !*value))
		return cmd_usage(&cmd, "%s: not FUNCTION or FILE:FUNCTION%s", option,
				 at_return ? ", with =N behind it or without" : "");
	return CMD_OK;
}

static int take_probe(struct wishes *wishes, const char *arg, bool at_return)
{
	char *copy = strdup(arg);

	return copy ? parse_probe(wishes, copy, at_return) : cmd_error(&cmd, "out of memory");
}

static int take(struct last *last, struct wishes *wishes, const struct cmd_opts *words, int id)
{
	switch (id) {
	case OPT_INPUT:
		wishes->reads = true;
		last->rec.path = words->arg;
		return CMD_OK;
	case OPT_OUTPUT:
		wishes->record.opts.output = words->arg;
		return CMD_OK;
	case OPT_PID:
		return record_option(&cmd, &wishes->record.opts, RCD_OPT_PID, words->arg);
	case OPT_ERRNO:
		return parse_errors(wishes, words->arg);
	case OPT_AT:
	case OPT_RETURNS:
		return take_probe(wishes, words->arg, id == OPT_RETURNS);
	case OPT_KERNEL:
		wishes->points.has_kernel = true;
		return CMD_OK;
	case OPT_CONSOLE:
		wishes->console = words->arg;
		return CMD_OK;
	case OPT_LIMIT:
		wishes->has_limit = true;
		return cmd_opts_u64(words, &last->limit) ? CMD_OK : CMD_USAGE;
	case OPT_DEPTH:
		wishes->has_depth = true;
		return cmd_opts_u64(words, &last->depth) ? CMD_OK : CMD_USAGE;
	case OPT_JSON:
		wishes->json = true;
		return CMD_OK;
	case OPT_HTML:
		wishes->html = words->arg;
		return CMD_OK;
	default:
		return rec_option(&last->rec, words, id);
	}
}

/* Functions without a file are the command's, or the followed process's. */
static int find_program(struct wishes *wishes, const struct cmd_opts *words, char *link)
{
	const char *program = words->argc ? words->argv[0] : NULL;
	size_t i;

	if (!program && wishes->record.opts.pids.nr == 1) {
		sprintf(link, "/proc/%d/exe", (int)wishes->record.opts.pids.v[0]);
		program = link;
	}
	for (i = 0; i < wishes->points.nr_probes; i++) {
		struct points_probe *probe = &wishes->probes[i];

		if (!probe->path || *probe->path)
			continue;
		if (!program)
			return cmd_usage(&cmd, "%s: give the file, too: FILE:%s", probe->symbol,
					 probe->symbol);
		probe->path = program;
	}
	return CMD_OK;
}

/* Only the file of a path is found here. */
static int find_symbol(struct wishes *wishes, struct img_demangler *demangler,
		       struct points_probe *probe)
{
	const char *option = probe->at_return ? "--returns" : "--at";
	const char *symbols[IMG_MAX_NAMED];
	char text[1024];
	struct img_file *file;
	size_t nr, i, len = 0;

	if (!probe->path || !strchr(probe->path, '/'))
		return CMD_OK;
	file = img_open(wishes->img, probe->path);
	if (!file)
		return cmd_error(&cmd, "out of memory");
	nr = img_find_named(file, demangler, probe->symbol, symbols);
	if (nr > 1) {
		for (i = 0; i < nr && len < sizeof(text); i++)
			len += snprintf(text + len, sizeof(text) - len, "%s%s", i ? ", " : "",
					symbols[i]);
		return cmd_error(&cmd, "%s %s: %s has several functions of this name; write the symbol of one: %s%s",
				 option, probe->symbol, probe->path, text,
				 nr == IMG_MAX_NAMED ? ", ..." : "");
	}
	if (nr)
		probe->symbol = symbols[0];
	return CMD_OK;
}

/* The kernel's probes know symbols, and people know names. */
static int find_symbols(struct wishes *wishes)
{
	struct img_demangler *demangler;
	int ret = CMD_OK;
	size_t i;

	if (!wishes->points.nr_probes)
		return CMD_OK;
	demangler = img_demangler_new();
	wishes->img = img_new(NULL);
	if (!demangler || !wishes->img)
		ret = cmd_error(&cmd, "out of memory");
	for (i = 0; i < wishes->points.nr_probes && !ret; i++)
		ret = find_symbol(wishes, demangler, &wishes->probes[i]);
	img_demangler_free(demangler);
	return ret;
}

/* Is anything said of a recording that is to be made? */
static bool wants_points(const struct wishes *wishes)
{
	const struct points_opts *points = &wishes->points;

	return points->nr_probes || points->nr_errors || points->all_errors || points->has_kernel;
}

static int run(struct last *last, struct wishes *wishes, const struct cmd_opts *words)
{
	const bool attaches = rcd_attaches(&wishes->record.opts);
	char link[32];
	int ret;

	if (wishes->json && wishes->html)
		return cmd_usage(&cmd, "--json and --html: give one of them");
	if (wishes->console) {
		if (words->argc || attaches || wishes->reads || *wishes->record.opts.output ||
		    wants_points(wishes))
			return cmd_usage(&cmd, "--console: a log is read, so give no COMMAND, -p, -i, -o, -k, --errno, --at or --returns");
		return show(last, wishes);
	}
	if (wishes->reads) {
		if (words->argc || attaches)
			return cmd_usage(&cmd, "-i: nothing is run, and no process is followed");
		if (*wishes->record.opts.output || wants_points(wishes))
			return cmd_usage(&cmd, "-i: the recording has its points, so give no -o, -k, --errno, --at or --returns");
		return show(last, wishes);
	}
	if (!words->argc && !attaches)
		return cmd_usage(&cmd, "nothing to follow is given; give a COMMAND or -p");
	if (!strcmp(wishes->record.opts.output, "-"))
		return cmd_usage(&cmd, "-o -: a recording that is shown, too, needs a file");
	ret = find_program(wishes, words, link);
	if (!ret)
		ret = find_symbols(wishes);
	wishes->points.exits = !wishes->points.nr_probes && !wishes->points.nr_errors &&
			       !wishes->points.all_errors;
	return ret ? ret : record_and_show(last, wishes, words->argc ? words->argv : NULL);
}

int cmd_last(int argc, char **argv)
{
	struct wishes wishes = { .record.opts = RCD_OPTS_INIT };
	struct last last = { .limit = 1, .depth = DEPTH };
	struct cmd_opts words;
	int id, ret = CMD_OK;
	size_t i;

	wishes.points.errors = wishes.errors;
	wishes.points.probes = wishes.probes;
	wishes.points.inherit = true;
	wishes.record.opts.output = "";
	wishes.record.opts.nr_words = argc;
	wishes.record.opts.words = argv;
	rec_init(&last.rec, &cmd);
	cmd_opts_init(&words, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&words)) >= 0)
		ret = take(&last, &wishes, &words, id);
	/* A log has little enough for all to be shown. */
	if (!last.limit || (wishes.console && !wishes.has_limit))
		last.limit = UINT64_MAX;
	if (!last.depth || (wishes.console && !wishes.has_depth))
		last.depth = UINT64_MAX;
	if (!ret)
		ret = id == CMD_OPT_EXIT ? words.status : run(&last, &wishes, &words);
	close_last(&last);
	rcd_opts_free(&wishes.record.opts);
	for (i = 0; i < wishes.points.nr_probes; i++)
		free(wishes.names[i]);
	img_free(wishes.img);
	return ret;
}
