// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last for programs: one object. docs/last.md has its keys. */
#include "last.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

static void put_address(struct text *text, const char *name, uint64_t value)
{
	text_fmt(text, "%s\"0x%llx\"", name, (unsigned long long)value);
}

static void put_where(struct text *text, const struct last *last, const char *name,
		      const struct path_place *place, uint64_t pc)
{
	const struct last_where where = last_where(last, place);
	uint64_t addr;

	text_str(text, name);
	if (last_address(last, pc, &addr)) {
		put_address(text, "{\"address\":", addr);
		text_json_str(text, ",\"function\":", where.function ?: "");
	} else {
		text_json_str(text, "{\"function\":", where.function ?: "");
	}
	if (*where.inlined)
		text_json_str(text, ",\"inlined\":", where.inlined);
	text_json_str(text, ",\"binary\":", where.binary);
	if (where.path) {
		text_json_str(text, ",\"file\":", where.path);
		text_json_dec(text, ",\"line\":", where.line);
	}
	text_str(text, "}");
	free(where.function);
}

/* 0: their number is not known. */
static void put_insns(struct text *text, uint64_t nr)
{
	if (nr)
		text_json_dec(text, ",\"instructions\":", nr);
}

static void put_step(struct text *text, const struct last *last,
		     const struct last_shown *shown, const struct last_step *step)
{
	char end[64];
	uint64_t to;

	put_where(text, last, "{\"from\":", &step->at, step->pc);
	put_where(text, last, ",\"last\":", &step->last_at, step->last);
	put_insns(text, step->nr_insns);
	text_json_dec(text, ",\"depth\":", step->depth);
	text_json_str(text, ",\"end\":", last_end_text(shown, step, end, sizeof(end)));
	if (step->to && last_address(last, step->to, &to))
		put_address(text, ",\"to\":", to);
	if (step->times > 1) {
		text_json_dec(text, ",\"steps\":", step->loop);
		text_json_dec(text, ",\"times\":", step->times);
	}
	text_str(text, "}");
}

/* A point of a recording, but for its steps. */
static void put_sample(struct text *text, const struct last_shown *shown)
{
	text_json_str(text, ",\"comm\":", shown->comm);
	text_json_dec(text, ",\"pid\":", shown->pid);
	text_json_dec(text, ",\"tid\":", shown->tid);
	text_fmt(text, ",\"number\":%d,\"value\":%lld", shown->point.number,
		 (long long)shown->point.value);
	put_address(text, ",\"addr\":", shown->point.addr);
	put_address(text, ",\"ip\":", shown->ip);
}

/* A report of a log. What the log does not tell is left out. */
static void put_report(struct text *text, const struct last_shown *shown)
{
	const struct con_report *report = shown->report;

	if (*report->comm) {
		text_json_str(text, ",\"comm\":", report->comm);
		text_json_dec(text, ",\"pid\":", report->pid);
	}
	if (report->cpu >= 0)
		text_json_dec(text, ",\"cpu\":", report->cpu);
	if (report->said)
		text_json_dec(text, ",\"missing\":", con_missing(report));
	text_json_dec(text, ",\"unread\":", report->nr_unread);
	text_json_dec(text, ",\"after\":", shown->left.after);
}

static void put_point(struct text *text, const struct last *last,
		      const struct last_shown *shown)
{
	static const char *const kinds[LAST_NR_KINDS] = {
		[LAST_SIGNAL] = "signal", [LAST_EXIT] = "exit", [LAST_SYSCALL] = "syscall",
		[LAST_ENTRY] = "entry", [LAST_RETURN] = "return", [LAST_OOPS] = "oops",
		[LAST_PANIC] = "panic",
	};
	char *title = last_title(last, shown);
	size_t i;

	text_json_str(text, "{\"kind\":", kinds[shown->point.kind]);
	text_json_str(text, ",\"what\":", title ?: "");
	free(title);
	if (shown->report)
		put_report(text, shown);
	else
		put_sample(text, shown);
	text_json_dec(text, ",\"branches\":", shown->steps.nr_transfers);
	put_insns(text, shown->steps.nr_insns);
	text_str(text, ",\"steps\":[");
	for (i = 0; i < shown->steps.nr; i++) {
		text_str(text, i ? "," : "");
		text_line(text);
		put_step(text, last, shown, &shown->steps.v[i]);
	}
	text_str(text, "]}");
}

void last_json(const struct last *last)
{
	struct notes notes = { 0 };
	struct text text;
	size_t i;

	text.file = NULL;
	text.len = 0;
	text_str(&text, "{\"points\":[");
	for (i = 0; i < last->nr; i++) {
		text_str(&text, i ? "," : "");
		text_line(&text);
		put_point(&text, last, &last->v[i]);
	}
	text_str(&text, "]");
	text_json_dec(&text, ",\"others\":", last->others);
	if (!last->names) {
		text_json_dec(&text, ",\"lost\":", last_lost(last));
		text_str(&text, pd_stats(last->rec.samples.pd)->unfinished ?
					",\"read_to_end\":false" : ",\"read_to_end\":true");
		last_note(last, &notes);
		notes_json(&notes, &text);
		notes_free(&notes);
	}
	text_str(&text, "}");
	text_line(&text);
	text_flush(&text);
}
