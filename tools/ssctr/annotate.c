// SPDX-License-Identifier: GPL-2.0-only
/* ssctr annotate: the code of functions, and what each instruction did. */
#include "annotate.h"
#include "base/array.h"
#include "image/demangle.h"
#include "recording.h"
#include "screen.h"
#include "source_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_LIMIT = 'n',
	OPT_ALL = 'a',
	OPT_SOURCE = 0x2000,
	OPT_JSON,
};

static const struct opt options[] = {
	REC_OPTS,
	{ OPT_LIMIT, "limit", "N",
	  "show the N functions in which most instructions ran (default: 1)" },
	{ OPT_ALL, "all", NULL, "show also the instructions that did not run" },
	{ OPT_SOURCE, "source", "FOLDER",
	  "look for source files below FOLDER; repeatable" },
	{ OPT_JSON, "json", NULL, "print one JSON object" },
	REC_HOW_OPTS,
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "annotate",
	.usage = "[option]... [FUNCTION | FILE:LINE]...",
	.about =
		"Show the code of functions: how often each instruction ran, how often each\n"
		"branch was taken, where control came from and went, and the source lines.\n"
		"Without a function, show the function in which most instructions ran.",
	.example = "  ssctr annotate -i perf.data main | less -R\n"
		   "  ssctr annotate --source ~/src/sort sort.c:40",
	.opts = options,
};

/* --- which functions --- */

struct codes {
	struct annotated *v;
	size_t nr, cap;
	bool *has; /* by the number of the function */
};

/* False: out of memory. No function is there twice. */
static bool add_code(struct codes *codes, const struct hot *hot, uint32_t function)
{
	struct annotated code;

	if (codes->has[function])
		return true;
	if (!annotated_read(&code, hot, function))
		return false;
	if (!array_room(&codes->v, codes->nr, &codes->cap, sizeof(code))) {
		free(code.v);
		return false;
	}
	codes->v[codes->nr++] = code;
	codes->has[function] = true;
	return true;
}

static void drop_last(struct codes *codes)
{
	codes->has[codes->v[--codes->nr].function] = false;
	free(codes->v[codes->nr].v);
}

static bool is_named(const struct hot_function *f, const char *name)
{
	return f->known && img_is_named(f->name, f->demangled, name, strlen(name));
}

/* "sort.c:40": the line, and the length of the file's name; 0: it is none. */
static unsigned int split_line(const char *word, size_t *size)
{
	const char *colon = strrchr(word, ':');
	unsigned long line;
	char *end;

	if (!colon || colon == word || colon[-1] == ':' || colon[1] < '0' || colon[1] > '9')
		return 0;
	line = strtoul(colon + 1, &end, 10);
	*size = colon - word;
	return *end || line > UINT32_MAX ? 0 : line;
}

/* Is that the end of the path, from a name in it on? */
static bool ends_with(const char *path, const char *name, size_t size)
{
	const size_t all = strlen(path);

	return all >= size && !memcmp(path + all - size, name, size) &&
	       (all == size || path[all - size - 1] == '/');
}

static bool has_line(const struct hot *hot, const struct annotated *code,
		     const char *name, size_t size, unsigned int wanted)
{
	struct path_place at = code->start;
	unsigned int line;
	const char *path;
	size_t i;

	for (i = 0; i < code->nr; i++) {
		at.offset = code->start.offset + code->v[i].offset;
		if (code->v[i].runs && path_code_line(hot->code, &at, &path, &line) &&
		    line == wanted && ends_with(path, name, size))
			return true;
	}
	return false;
}

/* nr: how many of the row's codes are shown, which have that share. */
static void note_left_out(const struct hot *hot, uint32_t row, unsigned int nr, double share)
{
	const struct hot_function *f = &hot->functions[row];

	if (nr < f->sum.nr)
		cmd_error(&cmd, "%s (%s): %u of the %u codes with this name are left out: %.1f%% of all that ran",
			  hot_name(hot, row), f->binary, f->sum.nr - nr, f->sum.nr,
			  100 * fmax(0, f->sum.share - share));
}

/*
 * Of what a program made of one name, the codes that have a tenth of it or more, or else the
 * hottest one. Returns how many there were, or -1: out of memory.
 */
static int add_row(struct codes *codes, const struct hot *hot, uint32_t row)
{
	const double least = hot->functions[row].sum.share / 10;
	const struct hot_function *f;
	double share = 0;
	uint32_t function;
	int nr = 0;

	for (function = row; function != HOT_NO_FUNCTION; function = f->next) {
		f = &hot->functions[function];
		if (nr && (f->share <= 0 || f->share < least))
			break;
		if (!add_code(codes, hot, function))
			return -1;
		share += f->share;
		nr++;
	}
	note_left_out(hot, row, nr, share);
	return nr;
}

/* All that have the line, as add_all() says. */
static int add_lines(struct codes *codes, const struct hot *hot, uint32_t row, const char *name,
		     size_t size, unsigned int line)
{
	const size_t before = codes->nr;
	uint32_t function;
	int found = 0;

	for (function = row; function != HOT_NO_FUNCTION;
	     function = hot->functions[function].next) {
		if (!add_code(codes, hot, function))
			return -1;
		if (codes->nr > before && !has_line(hot, &codes->v[codes->nr - 1], name, size, line))
			drop_last(codes);
		else
			found++;
	}
	return found;
}

/*
 * All that ran and have the name, or the line if it is not 0, of a file whose name has this
 * size. Returns how many there were, or -1: out of memory.
 */
static int add_all(struct codes *codes, const struct hot *hot, const char *name, size_t size,
		   unsigned int line)
{
	const struct count_list *list = &hot->lists[HOT_FUNCTIONS];
	int found = 0, nr;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const uint32_t row = list->v[i].number;
		const struct hot_function *f = &hot->functions[row];

		if (!f->known || (!line && !is_named(f, name)))
			continue;
		nr = line ? add_lines(codes, hot, row, name, size, line) :
			    add_row(codes, hot, row);
		if (nr < 0)
			return -1;
		found += nr;
	}
	return found;
}

/* All that are meant. Returns 0 if there was one, or an exit status. */
static int add_named(struct codes *codes, const struct hot *hot, const char *name)
{
	size_t size = 0;
	const unsigned int line = split_line(name, &size);
	/* Names that a JIT gives may end like a line. */
	int found = add_all(codes, hot, name, size, 0);

	if (!found && line)
		found = add_all(codes, hot, name, size, line);
	if (found)
		return found > 0 ? CMD_OK : cmd_error(&cmd, "out of memory");
	return cmd_error(&cmd, line ? "%s: no code of this line was recorded, and no function has this name; lines are known only if the program was built with -g" :
				      "%s: no such function was recorded; `ssctr report --by functions` lists the functions; if the compiler inlined it, name one of its source lines, such as x.c:40",
			 name);
}

/* What to do if code of the kernel is missing. What was named and cannot be used says why. */
static const char *kernel_remedy(const struct hot *hot, const struct path_place *place)
{
	const char *error = path_code_kernel_error(hot->code);
	uint64_t len;

	if (*error)
		return error;
	switch (path_code_state(hot->code, place, &len)) {
	case IMG_MODULE:
		return "the kernel's file does not have it; record with perf record --kcore";
	case IMG_UNMAPPED:
		return "the copy of /proc/kcore does not have it; record with perf record --kcore";
	default:
		return "name the kernel's code with --kcore or --vmlinux";
	}
}

/* What to do if the code at a place is missing. */
static const char *remedy(const struct hot *hot, const struct path_place *place)
{
	return place->perf_map ?
		       "a perf map has only names; let the program write a jitdump, which has the code, too (docs/report.md)" :
	       place->dso && place->dso->made ?
		       "recordings do not have the code of BPF programs, nor other code that the kernel makes" :
	       path_is_kernel(place->offset) ? kernel_remedy(hot, place) :
					       "name the place of the program with --code";
}

static int lacks_code(const struct hot *hot, uint32_t function, const struct path_place *start)
{
	return cmd_error(&cmd, "%s (%s): the code is not known; %s", hot_name(hot, function),
			 hot->functions[function].binary, remedy(hot, start));
}

/* None of the hottest can be shown. The first one that has a name tells what to do. */
static int lacks_all(const struct hot *hot)
{
	const struct count_list *list = &hot->lists[HOT_FUNCTIONS];
	const char *error = path_code_kernel_error(hot->code);
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const uint32_t function = list->v[i].number;
		const struct path_place start = hot_address(hot, function, 0);

		if (hot->functions[function].known)
			return lacks_code(hot, function, &start);
	}
	if (list->nr && path_is_kernel(hot->places[hot->functions[list->v[0].number].first].at.offset))
		return cmd_error(&cmd, "the names and the code of what ran are not known; %s",
				 *error ? error : "name the kernel's file with --vmlinux");
	return cmd_error(&cmd, "the names and the code of what ran are not known; name the place of the programs with --code");
}

/* What is left out, as its name or its code is not known, is said. */
static int add_hottest(struct codes *codes, const struct hot *hot, uint64_t limit)
{
	const struct count_list *list = &hot->lists[HOT_FUNCTIONS];
	double left_out = 0;
	uint32_t function;
	size_t i;

	for (i = 0; i < list->nr && codes->nr < limit; i++) {
		function = list->v[i].number;
		if (hot->functions[function].known && !add_code(codes, hot, function))
			return cmd_error(&cmd, "out of memory");
		if (codes->nr && !codes->v[codes->nr - 1].nr)
			drop_last(codes);
		if (!codes->nr || codes->v[codes->nr - 1].function != function)
			left_out += hot->functions[function].sum.share;
		else
			note_left_out(hot, function, 1, hot->functions[function].share);
	}
	if (!codes->nr && limit)
		return lacks_all(hot);
	if (left_out > 0)
		cmd_error(&cmd, "hotter code is left out, because its name or its instructions are not known: %.1f%% of all that ran",
			  100 * left_out);
	return CMD_OK;
}

static int choose(struct codes *codes, const struct hot *hot, const struct cmd_opts *opts,
		  uint64_t limit)
{
	int i, ret = CMD_OK;

	if (!opts->argc)
		ret = add_hottest(codes, hot, limit);
	for (i = 0; i < opts->argc && !ret; i++)
		ret = add_named(codes, hot, opts->argv[i]);
	return ret;
}

/* Without its code there is nothing to show. */
static int check(const struct codes *codes, const struct hot *hot)
{
	size_t i;

	for (i = 0; i < codes->nr; i++)
		if (!codes->v[i].nr)
			return lacks_code(hot, codes->v[i].function, &codes->v[i].start);
	return CMD_OK;
}

static void print(struct annotate *annotate, const struct codes *codes, bool json)
{
	size_t i, nr_changed = 0;
	struct error error;

	for (i = 0; i < codes->nr; i++)
		nr_changed += codes->v[i].nr_changed;
	annotated_note_changed(nr_changed, &annotate->rec->notes);
	annotate->disasm = rv_disasm_new(&error);
	if (!annotate->disasm)
		cmd_error(&cmd, "the output has opcodes and no assembly: %s", error.text);
	if (json)
		annotate_json(annotate, codes->v, codes->nr);
	for (i = 0; i < codes->nr && !json; i++) {
		if (i)
			putchar('\n');
		annotate_text(annotate, &codes->v[i]);
	}
	if (!json)
		source_note(annotate->listing, SOURCE_ADVICE, &annotate->rec->notes);
	if (annotate->lacking)
		cmd_error(&cmd, "lines without their text: %s%s not found; name a folder that has the source with --source",
			  annotate->lacking, annotate->lacks_more ? " and other files were" : " was");
	rv_disasm_free(annotate->disasm);
}

static int show(struct rec *rec, struct annotate *annotate, const struct cmd_opts *opts,
		uint64_t limit, bool json)
{
	struct codes codes = { .has = calloc(annotate->hot.nr_functions + 1, sizeof(bool)) };
	int ret;

	if (!codes.has)
		return cmd_error(&cmd, "out of memory");
	ret = choose(&codes, &annotate->hot, opts, limit) ?: check(&codes, &annotate->hot);
	if (!ret) {
		annotate->rec = rec;
		print(annotate, &codes, json);
		rec_printed(rec, &annotate->hot);
	}
	while (codes.nr)
		drop_last(&codes);
	free(codes.v);
	free(codes.has);
	return ret;
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate annotate = { .listing = img_listing_new() };
	uint64_t limit = 1;
	struct cmd_opts opts;
	int id, ret = CMD_OK;
	bool json = false, limited = false;
	struct rec rec;

	annotate.colours = screen_has(STDOUT_FILENO) && !getenv("NO_COLOR");
	rec_init(&rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	if (!annotate.listing)
		ret = cmd_error(&cmd, "out of memory");
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		switch (id) {
		case OPT_LIMIT:
			limited = true;
			if (!cmd_opts_u64(&opts, &limit))
				ret = CMD_USAGE;
			break;
		case OPT_ALL:
			annotate.all = true;
			break;
		case OPT_SOURCE:
			if (!img_listing_add(annotate.listing, opts.arg))
				ret = cmd_error(&cmd, "out of memory");
			break;
		case OPT_JSON:
			json = true;
			break;
		default:
			ret = rec_option(&rec, &opts, id);
		}
	}
	if (!ret && id == CMD_OPT_EXIT) {
		ret = opts.status;
	} else if (!ret && limited && opts.argc) {
		ret = cmd_usage(&cmd, "--limit chooses functions, and cannot be used if you name them");
	} else if (!ret) {
		rec_default(&rec);
		cmd_take_pipe(&rec.path);
		ret = rec_find_hot(&rec, &annotate.hot);
		if (!ret)
			ret = rec_needs_all(&rec, &annotate.hot);
		if (!ret)
			ret = show(&rec, &annotate, &opts, limit, json);
		hot_free(&annotate.hot);
	}
	img_listing_free(annotate.listing);
	rec_close(&rec);
	return ret;
}
