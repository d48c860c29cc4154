// SPDX-License-Identifier: GPL-2.0-only
/* ssctr annotate for programs: one object. docs/annotate.md has its keys. */
#include "annotate.h"
#include "hot_json.h"
#include "recording_json.h"
#include "source_line.h"

#include <stdlib.h>

/* All its transfers, or to it alone the most frequent. */
static void transfers(struct text *text, const struct hot *hot, const struct hot_insn *insn)
{
	const struct hot_edge *e, *end;
	const char *comma = "";

	if (insn->edge) {
		text_str(text, ",\"to\":[");
		end = hot->edges + hot->places[insn->place + 1].first;
		for (e = hot->edges + hot->places[insn->place].first; e < end; e++) {
			text_str(text, comma);
			text_json_dec(text, "{\"count\":", hot_transfers(hot, e->count));
			hot_json_flags(text, hot, e);
			hot_json_place(text, hot, ",\"place\":", e->to);
			text_str(text, "}");
			comma = ",";
		}
		text_str(text, "]");
	}
	if (!insn->source)
		return;
	text_json_dec(text, ",\"came\":", hot_transfers(hot, insn->came));
	text_json_dec(text, ",\"from\":{\"count\":",
		      hot_transfers(hot, insn->source->count));
	hot_json_place(text, hot, ",\"place\":", insn->source->from);
	text_str(text, "}");
}

static void instruction(struct text *text, const struct annotate *annotate,
			const struct annotated *code, const struct hot_insn *insn)
{
	const struct hot_loop *loop = annotated_loop(&annotate->hot, insn);
	const struct hot *hot = &annotate->hot;
	const struct path_place at = annotated_place(code, insn);
	uint64_t taken, passed;
	unsigned int line;
	const char *path;
	char *assembly = annotated_insn(code, &annotate->hot, annotate->disasm, insn);

	text_json_dec(text, "{\"offset\":", insn->offset);
	if (insn->changed)
		text_json_dec(text, ",\"changed\":", insn->changed);
	else
		text_fmt(text, ",\"opcode\":\"%0*x\"", 2 * insn->insn.size, insn->insn.raw);
	if (annotate->disasm && assembly && !insn->changed)
		text_json_str(text, ",\"assembly\":", assembly);
	free(assembly);
	text_json_dec(text, ",\"runs\":", hot_transfers(hot, insn->runs));
	hot_json_line(text, hot, &at);
	/* The text is not here, but who reads the line looks it up. */
	if (path_code_line(hot->code, &at, &path, &line))
		source_compare(annotate->listing, hot->code, &at, path);
	if (hot_ways(hot, insn, &taken, &passed) && taken + passed) {
		text_json_dec(text, ",\"taken\":", hot_transfers(hot, taken));
		text_json_dec(text, ",\"passed\":", hot_transfers(hot, passed));
	}
	if (loop) {
		text_fmt(text, ",\"loop\":{\"share\":%.6f", loop->share);
		hot_json_trips(text, &loop->trips);
		text_str(text, "}");
	}
	transfers(text, hot, insn);
	text_str(text, "}");
}

void annotate_json(struct annotate *annotate, const struct annotated *codes, size_t nr)
{
	const struct hot *hot = &annotate->hot;
	static struct text text;
	size_t i, k;

	text_str(&text, "{\"functions\":[");
	for (i = 0; i < nr; i++) {
		const struct hot_function *f = &hot->functions[codes[i].function];

		text_str(&text, i ? ",{" : "{");
		hot_json_function(&text, hot, codes[i].function);
		text_json_dec(&text, ",\"entries\":", hot_transfers(hot, f->entries));
		text_fmt(&text, ",\"share\":%.6f,\"instructions\":[", f->share);
		for (k = 0; k < codes[i].nr; k++) {
			text_str(&text, k ? "," : "");
			instruction(&text, annotate, &codes[i], &codes[i].v[k]);
		}
		text_str(&text, "]}");
	}
	text_json_dec(&text, "],\"empty_samples\":", rec_empty(annotate->rec));
	text_json_share(&text, ",\"coverage\":", rec_coverage(annotate->rec));
	source_note(annotate->listing, SOURCE_ADVICE, &annotate->rec->notes);
	rec_json(&text, annotate->rec, hot);
	text_str(&text, "}");
	text_line(&text);
	text_flush(&text);
}
