// SPDX-License-Identifier: GPL-2.0-only
#include "page.h"
#include "tally/note.h"
#include "base/outfile.h"
#include "base/plain.h"
#include "base/text.h"
#include "base/units.h"
#include "hot_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Is the character, of n bytes, of a script that is written from right to left? */
static bool is_from_right(const char *s, size_t n)
{
	/* The first and the last of each block, which UTF-8 keeps in their order. */
	static const char *const blocks[][2] = {
		{ "\xd6\x90", "\xe0\xa3\xbf" }, /* U+0590, U+08FF */
		{ "\xef\xac\x9d", "\xef\xb7\xbf" }, /* U+FB1D, U+FDFF */
		{ "\xef\xb9\xb0", "\xef\xbb\xbf" }, /* U+FE70, U+FEFF */
		{ "\xf0\x90\xa0\x80", "\xf0\x90\xbf\xbf" }, /* U+10800, U+10FFF */
		{ "\xf0\x9e\xa0\x80", "\xf0\x9e\xbf\xbf" }, /* U+1E800, U+1EFFF */
	};
	size_t i;

	for (i = 0; n > 1 && i < sizeof(blocks) / sizeof(*blocks); i++)
		if (strncmp(s, blocks[i][0], n) >= 0 && strncmp(s, blocks[i][1], n) <= 0)
			return true;
	return false;
}

static void put_escaped(FILE *file, const char *s, size_t n, bool quoted)
{
	if (*s == '<')
		fputs("&lt;", file);
	else if (*s == '>')
		fputs("&gt;", file);
	else if (*s == '&')
		fputs("&amp;", file);
	else if (*s == '"' && quoted)
		fputs("&quot;", file);
	else if (plain_control(s))
		fputc('?', file); /* as plain_put() */
	else if (!n)
		fputs("&#xfffd;", file);
	else
		fwrite(s, 1, n, file);
}

/* quoted: as the value of an attribute, which has no elements. */
static void put_text(FILE *file, const char *s, bool quoted)
{
	size_t size = plain_size(s);
	const bool whole = !s[size];
	bool apart = false;

	while (size) {
		const size_t control = plain_control(s);
		size_t n = control ? control : text_utf8(s, size);

		if (!quoted && is_from_right(s, n) != apart) {
			fputs(apart ? "</bdi>" : "<bdi>", file);
			apart = !apart;
		}
		put_escaped(file, s, n, quoted);
		s += n ? n : 1;
		size -= n ? n : 1;
	}
	fputs(apart ? "</bdi>" : "", file);
	fputs(whole ? "" : "...", file);
}

/* Text from right to left is kept apart, since it would turn what follows around, too. */
void page_text(FILE *file, const char *s)
{
	put_text(file, s, false);
}

void page_name(FILE *file, const char *name)
{
	enum { LONGEST_NAME = 60 };

	if (strlen(name) <= LONGEST_NAME) {
		page_text(file, name);
		return;
	}
	fputs("<span class=\"name\" title=\"", file);
	put_text(file, name, true);
	fputs("\">", file);
	page_text(file, name);
	fputs("</span>", file);
}

void page_place(FILE *file, const struct hot *hot, uint32_t place)
{
	hot_put_place(file, hot, place, page_name);
}

void page_function(FILE *file, const struct hot *hot, uint32_t function)
{
	hot_put_function(file, hot, function, page_name);
}

void page_cell(FILE *file, const char *text)
{
	fputs("<td>", file);
	page_text(file, text);
	fputs("</td>", file);
}

void page_name_cell(FILE *file, const char *name)
{
	fputs("<td>", file);
	page_name(file, name);
	fputs("</td>", file);
}

void page_place_cell(FILE *file, const struct hot *hot, uint32_t place)
{
	fputs("<td>", file);
	page_place(file, hot, place);
	fputs("</td>", file);
}

void page_number_cell(FILE *file, uint64_t value)
{
	fprintf(file, "<td class=\"n\">%" PRIu64 "</td>", value);
}

void page_begin_bar_cell(FILE *file, double share)
{
	fprintf(file, "<td class=\"n bar\" style=\"--part:%.0f%%\">", 100 * share);
}

/* --- what is said of the recording --- */

static void put_fact(FILE *file, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(file, "<dt>%s</dt><dd>", name);
	page_text(file, value);
	fputs("</dd>\n", file);
}

/* A name can be long: it has the options of the event. */
static void put_event(FILE *file, const struct pd_attr *attr)
{
	fputs("<dt>event</dt><dd>", file);
	page_text(file, attr->name ?: "?");
	fprintf(file, ", %s %" PRIu64 "</dd>\n",
		attr->freq ? "samples a second:" : "a sample every",
		attr->sample_period);
}

static void put_recording(FILE *file, const struct samples *samples)
{
	const struct pd *pd = samples->pd;
	unsigned int i;

	put_fact(file, "recording", samples->path);
	put_fact(file, "command", pd_text(pd, PD_CMDLINE));
	put_fact(file, "machine", pd_text(pd, PD_HOSTNAME));
	put_fact(file, "kernel", pd_text(pd, PD_OSRELEASE));
	for (i = 0; i < pd_nr_attrs(pd); i++)
		if (!pd_attr_is_tracking(pd_attr(pd, i)))
			put_event(file, pd_attr(pd, i));
}

static void put_counts(FILE *file, const char *path, const struct cf_head *head)
{
	const uint64_t periods = tally_periods(head), sources = tally_sources(head);
	char text[128];
	size_t i;

	put_fact(file, "counts file", path);
	snprintf(text, sizeof(text), "%" PRIu64 " %s of %" PRIu64 " source%s", periods,
		 periods == 1 ? "recording or period" : "recordings or periods", sources,
		 sources == 1 ? "" : "s");
	put_fact(file, "counted", text);
	for (i = 0; i < head->nr_events; i++)
		put_fact(file, "event", head->events[i].name);
	put_fact(file, "not in it", "call stacks, threads, and how far trip counts vary");
}

void page_facts(FILE *file, const struct rec *rec, const struct hot *hot)
{
	const double coverage = rec_coverage(rec);
	char text[128];

	fputs("<dl>\n", file);
	if (rec->counts)
		put_counts(file, rec->path, cf_reader_head(rec->counts));
	else
		put_recording(file, &rec->samples);
	snprintf(text, sizeof(text), "%" PRIu64 " transfers in %" PRIu64 " samples",
		 hot->transfers, hot->samples);
	put_fact(file, "branch stacks", hot->transfers ? text : "");
	snprintf(text, sizeof(text), "%" PRIu64 " samples", hot->call_stacks);
	put_fact(file, "call stacks of the hart", hot->call_stacks ? text : "");
	snprintf(text, sizeof(text), "%" PRIu64 " more samples, which show nothing of what ran",
		 hot->empty);
	put_fact(file, "empty branch stacks", hot->empty ? text : "");
	snprintf(text, sizeof(text), "%" PRIu64 " (%.1f%%)",
		 hot_transfers(hot, hot->mispredicted),
		 hot->weight ? 100.0 * (double)hot->mispredicted / (double)hot->weight : 0);
	put_fact(file, "mispredicted", hot->has_predictions ? text : "");
	if (coverage < 0)
		snprintf(text, sizeof(text), "not known");
	else
		snprintf(text, sizeof(text),
			 "%.1f%% of what the event counted lies between the samples",
			 units_percent(coverage));
	put_fact(file, "coverage", text);
	put_fact(file, "kinds of branches", rec_kinds(rec, text, sizeof(text)));
	fputs("</dl>\n", file);
}

void page_notes(FILE *file, const struct notes *notes)
{
	size_t i;

	if (!notes->nr)
		return;
	fputs("<ul class=\"notes\">\n", file);
	for (i = 0; i < notes->nr; i++) {
		const struct note *note = &notes->v[i];

		if (note->kind)
			fprintf(file, "<li>%s: ", note->kind);
		else
			fprintf(file, "<li>%" PRIu64 " ", note->number);
		page_text(file, note->text);
		fputs("</li>\n", file);
	}
	fputs("</ul>\n", file);
}

/* --- the page --- */

static const char style[] =
	":root { color-scheme: light dark; --bar: #cfe3ff; --hot: #b00020; --faint: #707070; }\n"
	"@media (prefers-color-scheme: dark) { :root { --bar: #24446e; --hot: #ff8a80; --faint: #999999; } }\n"
	"body { font-family: sans-serif; margin: 1em; line-height: 1.4; }\n"
	"dl { display: grid; grid-template-columns: max-content auto; gap: 0 1em; }\n"
	"dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }\n"
	".beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20em, 100%), 1fr)); gap: 0 2em; }\n"
	".scroll, details { overflow-x: auto; }\n"
	"table { border-collapse: collapse; font-family: monospace; }\n"
	"td, th { padding: 0 1em 0 0; text-align: left; white-space: nowrap; }\n"
	"th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid; }\n"
	".n { text-align: right; }\n"
	".bar { --to: to left; background: linear-gradient(var(--to), var(--bar) var(--part), transparent var(--part)) content-box; }\n"
	"table:not(.code) .bar { --to: to right; min-width: clamp(5em, 12vw, 10em); }\n"
	/* The width of which the ends of long names are not shown. */
	"td .name { display: inline-block; max-width: clamp(24ch, 30vw, 60ch); overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; }\n"
	".hot td:nth-child(3) { color: var(--hot); font-weight: bold; }\n"
	".source td, .note td { color: var(--faint); white-space: pre; padding-left: 2em; max-width: 0; }\n"
	".code td:nth-child(3) { max-width: 24em; overflow: hidden; text-overflow: ellipsis; }\n"
	".code td:nth-child(4) { white-space: normal; min-width: 25em; }\n"
	"summary { font-family: monospace; cursor: pointer; overflow-wrap: anywhere; }\n"
	"input { width: 100%; max-width: 30em; font-size: 1em; padding: 0.3em; box-sizing: border-box; }\n"
	"label { margin-right: 1em; } select { max-width: 100%; font-size: 1em; }\n"
	".thread { border-top: 1px solid var(--faint); padding-top: 0.5em; margin-top: 0.5em; }\n"
	/* Paper cannot be scrolled. */
	"@media print {\n"
	"	:root { color-scheme: light; --bar: #cfe3ff; --hot: #b00020; --faint: #707070; }\n"
	"	.scroll, details { overflow: visible; }\n"
	"	body { print-color-adjust: exact; } input, #filters { display: none; }\n"
	"	table { font-size: 70%; }\n"
	"	td:not(.n) { white-space: normal; overflow-wrap: anywhere; min-width: 5.5em; }\n"
	"	td .name { display: inline; }\n"
	"	.source td, .note td { white-space: pre-wrap; }\n"
	"	.code td:nth-child(3) { max-width: none; }\n"
	"}\n";

/*
 * No bracket and no ampersand, so that the page is XML, too. At the start it shows what is
 * selected, since a browser may have kept what was selected before.
 */
static const char script[] =
	"'use strict';\n"
	"(function () {\n"
	"	function all(what) { return Array.from(document.querySelectorAll(what)); }\n"
	"	function value(row, column) {\n"
	"		var text = row.cells[column] ? row.cells[column].textContent : '';\n"
	"		var number = parseFloat(text.replace('~', ''));\n"
	"		return isNaN(number) ? text : number;\n"
	"	}\n"
	"	function order(a, b) {\n"
	"		if (typeof a === 'number' ? typeof b === 'number' : false) return b - a;\n"
	"		return String(a).localeCompare(String(b));\n"
	"	}\n"
	"	all('table:not(.code):not(.fixed)').forEach(function (table) {\n"
	"		var heads = Array.from(table.rows[0].cells);\n"
	"		heads.forEach(function (head, column) {\n"
	"			var button = document.createElement('button'), up = false;\n"
	"			button.type = 'button';\n"
	"			while (head.firstChild) button.appendChild(head.firstChild);\n"
	"			head.appendChild(button);\n"
	"			head.addEventListener('click', function () {\n"
	"				var rows = Array.from(table.rows).slice(1);\n"
	"				var least = !rows.some(function (row) { return typeof value(row, column) === 'number'; });\n"
	"				rows.sort(function (a, b) { return order(value(a, column), value(b, column)); });\n"
	"				if (up) rows.reverse();\n"
	"				heads.forEach(function (other) { other.removeAttribute('aria-sort'); });\n"
	"				head.setAttribute('aria-sort', least === up ? 'descending' : 'ascending');\n"
	"				up = !up;\n"
	"				rows.forEach(function (row) { row.parentNode.appendChild(row); });\n"
	"			});\n"
	"		});\n"
	"	});\n"
	"	var find = document.getElementById('find'), binary = document.getElementById('binary');\n"
	"	var thread = document.getElementById('thread'), filters = document.getElementById('filters');\n"
	"	function is_chosen(element) {\n"
	"		if (!element.hasAttribute('class')) return true;\n"
	"		if (binary ? binary.value : false) return element.classList.contains(binary.value);\n"
	"		return find.value ? true : !element.classList.contains('more');\n"
	"	}\n"
	"	function show(element, text) {\n"
	"		element.hidden = !(text.toLowerCase().includes(find.value.toLowerCase()) ? is_chosen(element) : false);\n"
	"	}\n"
	"	function show_all() {\n"
	"		all('table:not(.code) tr').forEach(function (row) {\n"
	"			if (row.cells[0].tagName === 'TD') show(row, row.textContent);\n"
	"		});\n"
	"		all('details:not(.thread)').forEach(function (element) {\n"
	"			show(element, element.firstElementChild.textContent);\n"
	"		});\n"
	"	}\n"
	"	function show_thread() {\n"
	"		document.getElementById('all').hidden = thread.value !== '';\n"
	"		document.getElementById('threads').hidden = thread.value === '';\n"
	"		all('.thread').forEach(function (element) {\n"
	"			element.hidden = element.id !== thread.value;\n"
	"			element.open = true;\n"
	"		});\n"
	"	}\n"
	"	find.addEventListener('input', show_all);\n"
	"	if (binary) binary.addEventListener('change', show_all);\n"
	"	if (thread) thread.addEventListener('change', show_thread);\n"
	"	if (filters) filters.hidden = false;\n"
	"	show_all();\n"
	"	if (thread) show_thread();\n"
	"})();\n";

void page_begin(FILE *file, const char *title, const char *more)
{
	fprintf(file,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		"<meta name=\"viewport\" content=\"width=device-width\"/>\n"
		"<title>%s</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n",
		title, style, more, title);
}

void page_search(FILE *file, const char *hint)
{
	fprintf(file, "<p><input id=\"find\" type=\"search\" placeholder=\"%s\"/></p>\n", hint);
}

void page_end(FILE *file, const char *more)
{
	fprintf(file, "</main>\n<script>\n%s%s</script>\n</body>\n</html>\n", script, more);
}

/* The rest of a page, which is written before its top. Returns NULL if out of memory. */
static char *make_rest(const struct page_parts *parts, void *arg, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	if (!file)
		return NULL;
	parts->rest(arg, file);
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}

int page_write(const struct cmd *cmd, const char *path, const struct page_parts *parts,
	       void *arg)
{
	struct outfile out;
	size_t size;
	char *rest = make_rest(parts, arg, &size);
	int ret = CMD_OK;

	if (!rest)
		return cmd_error(cmd, "out of memory");
	if (outfile_open(&out, path)) {
		ret = cmd_error(cmd, "%s: %s", path, strerror(errno));
	} else {
		parts->top(arg, out.file);
		fwrite(rest, 1, size, out.file);
		if (outfile_close(&out, true))
			ret = cmd_error(cmd, "%s: %s", path, strerror(errno));
	}
	free(rest);
	return ret;
}
