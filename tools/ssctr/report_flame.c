// SPDX-License-Identifier: GPL-2.0-only
/* The flame graph of ssctr report's page. */
#include "report_flame.h"
#include "base/array.h"
#include "base/plain.h"
#include "base/text.h"
#include "page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Boxes of less than 1/2000, which is 0.05 %, would make a large page that shows no more. */
enum { NARROWEST = 2000, LISTED = 10 };

void flame_free(struct flame *flame)
{
	free(flame->boxes);
	free(flame->names);
	free(flame->stacks.v);
	hash_free(&flame->index);
	hash_free(&flame->name_index);
	*flame = (struct flame){ 0 };
}

/* --- boxes --- */

/* Functions of one name are one, as in `ssctr callstacks`. UINT32_MAX: out of memory. */
static uint32_t name_of(struct flame *flame, const char *text)
{
	const uint32_t hash = hash_bytes(0, text, strlen(text));
	struct hash_slot *slot;

	if (!hash_room(&flame->name_index) ||
	    !array_room(&flame->names, flame->nr_names, &flame->cap_names,
			sizeof(*flame->names)))
		return UINT32_MAX;
	hash_for_each(&flame->name_index, slot, hash)
		if (!strcmp(flame->names[slot->number - 1].text, text))
			return slot->number - 1;
	hash_put(&flame->name_index, slot, hash, flame->nr_names);
	flame->names[flame->nr_names] = (struct flame_name){ text, 0 };
	return flame->nr_names++;
}

/* The box of a name below another one. UINT32_MAX: out of memory. */
static uint32_t box_of(struct flame *flame, uint32_t parent, uint32_t name)
{
	const uint32_t hash = hash_u64((uint64_t)parent << 32 | name);
	struct hash_slot *slot;

	if (name == UINT32_MAX || !hash_room(&flame->index) ||
	    !array_room(&flame->boxes, flame->nr, &flame->cap,
			sizeof(*flame->boxes)))
		return UINT32_MAX;
	hash_for_each(&flame->index, slot, hash) {
		const struct flame_box *box = &flame->boxes[slot->number - 1];

		if (box->parent == parent && box->name == name)
			return slot->number - 1;
	}
	hash_put(&flame->index, slot, hash, flame->nr);
	flame->boxes[flame->nr] =
		(struct flame_box){ .name = name, .parent = parent };
	return flame->nr++;
}

/* The outermost function is the last of a call stack. */
static bool add_stack(struct flame *flame, const struct calls *calls,
		      const struct calls_stack *stack)
{
	uint32_t at = 0, i, k;

	flame->boxes[0].samples += stack->samples;
	for (i = stack->nr; i-- > 0;) {
		const struct calls_frame *f =
			&calls->frames[calls->chains[stack->first + i]];

		for (k = f->nr_lines; k-- > 0;) {
			const char *name = calls->lines[f->first_line + k].name;

			at = box_of(flame, at, name_of(flame, name));
			if (at == UINT32_MAX)
				return false;
			flame->boxes[at].samples += stack->samples;
		}
	}
	flame->boxes[at].ended += stack->samples;
	return true;
}

static bool is_shown(const struct flame *flame, uint32_t box)
{
	return flame->boxes[box].samples * NARROWEST >= flame->boxes[0].samples;
}

/* The least frequent first, since each is put before those that are there already. */
static void link_boxes(struct flame *flame, const struct count_list *ranked)
{
	struct flame_box *box, *parent;
	size_t i;

	for (i = ranked->nr; i-- > 0;) {
		const uint32_t number = ranked->v[i].number;

		box = &flame->boxes[number];
		parent = &flame->boxes[box->parent];
		if (is_shown(flame, number)) {
			flame->names[box->name].shown = 1;
			if (!number)
				continue;
			box->next = parent->child;
			parent->child = number;
		} else if (is_shown(flame, box->parent)) {
			/* Samples are in at most one such box: it has all that is below. */
			flame->left_out += box->samples;
		}
	}
}

static bool order_boxes(struct flame *flame)
{
	struct count_list ranked = { 0 };
	uint32_t shown = 0;
	size_t i;

	if (!count_rank(&ranked, &flame->boxes[0].samples, flame->nr,
			sizeof(*flame->boxes)))
		return false;
	link_boxes(flame, &ranked);
	free(ranked.v);
	for (i = 0; i < flame->nr_names; i++)
		if (flame->names[i].shown)
			flame->names[i].shown = ++shown;
	return count_rank(&flame->stacks, &flame->boxes[0].ended, flame->nr,
			  sizeof(*flame->boxes));
}

bool flame_make(struct flame *flame, const struct calls *calls)
{
	size_t i;

	*flame = (struct flame){ .others = calls->others, .without = calls->without,
				 .wrong = calls->wrong };
	/* No box has this parent, so that no other box is this one. */
	if (box_of(flame, UINT32_MAX, name_of(flame, "all")) == UINT32_MAX)
		return false;
	flame->boxes[0].parent = 0;
	for (i = 0; i < calls->nr_stacks; i++)
		if (!add_stack(flame, calls, &calls->stacks[i]))
			return false;
	return order_boxes(flame);
}

/* --- the section --- */

/*
 * A string of JSON in an element of HTML that is also XML: no name can end the element or
 * begin another one. Control characters are as page_text() has them.
 */
static void put_string(FILE *file, const char *s)
{
	size_t size = strlen(s);

	fputc('"', file);
	while (size) {
		const size_t control = plain_control(s);
		const size_t n = control ? control : text_utf8(s, size);

		if (control)
			fputc('?', file);
		else if (!n)
			fputs("\\ufffd", file);
		else if (strchr("\"\\<>&", *s))
			fprintf(file, "\\u%04x", (unsigned char)*s);
		else
			fwrite(s, 1, n, file);
		s += n ? n : 1;
		size -= n ? n : 1;
	}
	fputc('"', file);
}

/* Below, or to the right, or to the right of what is above. 0: this is the last one. */
static uint32_t next_box(const struct flame *flame, uint32_t at,
			 uint32_t *depth)
{
	if (flame->boxes[at].child) {
		++*depth;
		return flame->boxes[at].child;
	}
	for (; at && !flame->boxes[at].next; --*depth)
		at = flame->boxes[at].parent;
	return flame->boxes[at].next;
}

/*
 * Three numbers for each box: its depth, its name and its samples. A box comes before
 * those below it, so that nothing is nested, however deep the call stacks are.
 */
static void put_data(const struct flame *flame, FILE *file)
{
	uint32_t at = 0, depth = 0;
	const char *comma = "";
	size_t i;

	fputs("<script type=\"application/json\">{\"boxes\":[", file);
	do {
		const struct flame_box *box = &flame->boxes[at];

		fprintf(file, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu64, comma, depth,
			flame->names[box->name].shown - 1, box->samples);
		comma = ",\n";
	} while ((at = next_box(flame, at, &depth)));
	fputs("],\n\"names\":[", file);
	for (comma = "", i = 0; i < flame->nr_names; i++) {
		if (!flame->names[i].shown)
			continue;
		fputs(comma, file);
		put_string(file, flame->names[i].text);
		comma = ",\n";
	}
	fputs("]}</script>\n", file);
}

static void put_samples(const struct flame *flame, uint64_t samples, FILE *file)
{
	fprintf(file, "%.1f%%, %" PRIu64 " samples",
		100.0 * (double)samples / (double)flame->boxes[0].samples, samples);
}

/* The outermost function first, which is found anew for each, from below. */
static void put_chain(const struct flame *flame, uint32_t at, FILE *file)
{
	uint32_t above = 0, box;

	while (above != at) {
		for (box = at; flame->boxes[box].parent != above;)
			box = flame->boxes[box].parent;
		fputs(above ? " \xe2\x86\x92 " : "", file);
		page_text(file, flame->names[flame->boxes[box].name].text);
		above = box;
	}
}

/* For those who read the page without a script, which removes this list. */
static void put_list(const struct flame *flame, FILE *file)
{
	size_t i;

	fputs("<div class=\"stacks\">\n<p>The most frequent call stacks, the outermost function first:</p>\n<ol>\n",
	      file);
	for (i = 0; i < flame->stacks.nr && i < LISTED; i++) {
		fputs("<li>", file);
		put_samples(flame, flame->stacks.v[i].count, file);
		fputs(": ", file);
		put_chain(flame, flame->stacks.v[i].number, file);
		fputs("</li>\n", file);
	}
	fputs("</ol>\n</div>\n", file);
}

void flame_put_section(const struct flame *flame, FILE *file)
{
	fputs("<h2>Call stacks</h2>\n"
	      "<div class=\"calls\">\n<div class=\"flame\" hidden=\"hidden\">\n"
	      "<p>A box is a function. Below it are the functions that it called. The width of a box is its share of the samples. Click on a box to enlarge it.</p>\n"
	      "<p><button type=\"button\" class=\"reset\">Reset</button></p>\n"
	      "<p class=\"about\"></p>\n"
	      "<div class=\"boxes\"></div>\n",
	      file);
	if (flame->left_out) {
		fputs("<p>Boxes narrower than 0.05% are left out (", file);
		put_samples(flame, flame->left_out, file);
		fputs(").</p>\n", file);
	}
	fputs("</div>\n", file);
	put_list(flame, file);
	if (flame->others)
		fprintf(file, "<p>%" PRIu64 " samples of other events are left out, because these have no branch stacks.</p>\n",
			flame->others);
	if (flame->without)
		fprintf(file, "<p>%" PRIu64 " samples are left out, because they have no call stack.</p>\n",
			flame->without);
	if (flame->wrong)
		fprintf(file, "<p>%" PRIu64 " samples have wrong callers, because the hart cannot follow the calls of this program.</p>\n",
			flame->wrong);
	put_data(flame, file);
	fputs("</div>\n", file);
}

/* --- how it looks, and what it does --- */

const char flame_style[] =
	":root { --lightness: 78%; } @media (prefers-color-scheme: dark) { :root { --lightness: 27%; } }\n"
	".boxes { position: relative; max-height: 80vh; overflow: hidden auto; font: 0.8rem/1.6 monospace; }\n"
	".boxes button { position: absolute; height: 1.6em; border: 0; border-radius: 0; padding: 0;"
	" box-shadow: inset -1px -1px Canvas; font: inherit; text-align: left; text-indent: 3px;"
	" white-space: nowrap; overflow: hidden; cursor: pointer;"
	" color: CanvasText; background: hsl(var(--hue), 60%, var(--lightness)); }\n"
	".boxes button[hidden] { display: none; }\n"
	".boxes .above { opacity: 0.6; }\n"
	".boxes .found { background: var(--hot); color: Canvas; }\n"
	".boxes button:hover, .boxes button:focus { outline: 2px solid CanvasText; outline-offset: -2px; }\n"
	".about, .stacks li { font-family: monospace; overflow-wrap: anywhere; }\n"
	".about { display: block; height: 2.8em; overflow-y: auto; }\n"
	"@media print { :root { --lightness: 78%; } .boxes { max-height: none; } .reset { display: none; } }\n";

/*
 * A part of the page's script, without brackets and ampersands. Tab reaches one box; the
 * arrow keys lead to the others. The boxes of a subtree are those from at up to end. What has
 * the focus must not be hidden, not even for a moment.
 */
const char flame_script[] =
	"document.querySelectorAll('.calls').forEach(function (calls) {\n"
	"	function part(what) { return calls.querySelector(what); }\n"
	"	var data = JSON.parse(part('script').textContent);\n"
	"	var place = part('.boxes'), about = part('.about');\n"
	"	var boxes = [], path = [], deepest = 0, current, i;\n"
	"	function tell(box) {\n"
	"		var name = document.createElement('bdi');\n"
	"		name.textContent = box.name;\n"
	"		about.replaceChildren(name, ': ' + (100 * box.samples / boxes[0].samples).toFixed(1) +\n"
	"			'%, ' + box.samples + ' samples');\n"
	"	}\n"
	"	function hue(name) {\n"
	"		var sum = 0;\n"
	"		Array.from(name).forEach(function (c) { sum = (sum * 31 + c.codePointAt(0)) % 9973; });\n"
	"		return sum % 60;\n"
	"	}\n"
	"	function select(box) {\n"
	"		current.element.tabIndex = -1;\n"
	"		current = box;\n"
	"		box.element.tabIndex = 0;\n"
	"	}\n"
	"	function show(box, left, width, above) {\n"
	"		box.element.hidden = false;\n"
	"		box.element.style.left = 100 * left + '%';\n"
	"		box.element.style.width = 100 * width + '%';\n"
	"		box.element.classList.toggle('above', above);\n"
	"	}\n"
	"	function contains(a, b) {\n"
	"		return Math.min(a.at, b.at) === a.at ? Math.max(a.end, b.end) === a.end : false;\n"
	"	}\n"
	"	function zoom(to) {\n"
	"		boxes.forEach(function (box) {\n"
	"			if (contains(to, box))\n"
	"				show(box, (box.left - to.left) / to.samples, box.samples / to.samples, false);\n"
	"			else if (contains(box, to)) show(box, 0, 1, true);\n"
	"			else box.element.hidden = true;\n"
	"		});\n"
	"		select(to);\n"
	"		tell(to);\n"
	"	}\n"
	"	function add(depth, name, samples) {\n"
	"		var parent = depth ? path[depth - 1] : null;\n"
	"		var box = { at: boxes.length, name: name, samples: samples, parent: parent,\n"
	"			left: parent ? parent.used : 0, children: [], element: document.createElement('button') };\n"
	"		box.used = box.left;\n"
	"		if (parent) {\n"
	"			parent.used += samples;\n"
	"			parent.children.push(box);\n"
	"		}\n"
	"		path.length = depth;\n"
	"		path.push(box);\n"
	"		deepest = Math.max(deepest, depth);\n"
	"		boxes.push(box);\n"
	"		path.forEach(function (above) { above.end = boxes.length; });\n"
	"		box.element.type = 'button';\n"
	"		box.element.tabIndex = -1;\n"
	"		box.element.textContent = name;\n"
	"		box.element.style.top = 1.6 * depth + 'em';\n"
	"		box.element.style.setProperty('--hue', hue(name));\n"
	"		box.element.addEventListener('click', function () { zoom(box); });\n"
	"		box.element.addEventListener('mouseenter', function () { tell(box); });\n"
	"		box.element.addEventListener('focus', function () { select(box); tell(box); });\n"
	"		box.element.addEventListener('keydown', function (event) { move(box, event); });\n"
	"		place.appendChild(box.element);\n"
	"	}\n"
	"	function move(box, event) {\n"
	"		var row = box.parent ? box.parent.children : [box], at = row.indexOf(box), to;\n"
	"		if (event.key === 'ArrowUp') to = box.parent;\n"
	"		else if (event.key === 'ArrowDown') to = box.children[0];\n"
	"		else if (event.key === 'ArrowLeft') to = row[at - 1];\n"
	"		else if (event.key === 'ArrowRight') to = row[at + 1];\n"
	"		else return;\n"
	"		event.preventDefault();\n"
	"		if (to ? to.element.hidden : true) return;\n"
	"		select(to);\n"
	"		tell(to);\n"
	"		to.element.focus();\n"
	"	}\n"
	"	for (i = 0; i !== data.boxes.length; i += 3)\n"
	"		add(data.boxes[i], data.names[data.boxes[i + 1]], data.boxes[i + 2]);\n"
	"	place.style.height = 1.6 * (deepest + 1) + 'em';\n"
	"	part('.reset').addEventListener('click', function () { zoom(boxes[0]); });\n"
	"	document.getElementById('find').addEventListener('input', function (event) {\n"
	"		var wanted = event.target.value.toLowerCase();\n"
	"		boxes.forEach(function (box) {\n"
	"			box.element.classList.toggle('found', wanted ? box.name.toLowerCase().includes(wanted) : false);\n"
	"		});\n"
	"	});\n"
	"	part('.stacks').remove();\n"
	"	part('.flame').hidden = false;\n"
	"	current = boxes[0];\n"
	"	zoom(boxes[0]);\n"
	"});\n";
