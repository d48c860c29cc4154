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

	text_str(text, name);
	put_address(text, "{\"address\":", pc);
	text_json_str(text, ",\"function\":", where.function ?: "");
	text_json_str(text, ",\"binary\":", where.binary);
	if (where.path) {
		text_json_str(text, ",\"file\":", where.path);
		text_json_dec(text, ",\"line\":", where.line);
	}
	text_str(text, "}");
	free(where.function);
}

static void put_step(struct text *text, const struct last *last,
		     const struct last_shown *shown, const struct last_step *step)
{
	char end[64];

	put_where(text, last, "{\"from\":", &step->at, step->pc);
	put_where(text, last, ",\"last\":", &step->last_at, step->last);
	text_json_dec(text, ",\"instructions\":", step->nr_insns);
	text_json_dec(text, ",\"depth\":", step->depth);
	text_json_str(text, ",\"end\":", last_end_text(shown, step, end, sizeof(end)));
	if (step->to)
		put_address(text, ",\"to\":", step->to);
	if (step->times > 1) {
		text_json_dec(text, ",\"steps\":", step->loop);
		text_json_dec(text, ",\"times\":", step->times);
	}
	text_str(text, "}");
}

static void put_point(struct text *text, const struct last *last,
		      const struct last_shown *shown)
{
	static const char *const kinds[LAST_NR_KINDS] = {
		[LAST_SIGNAL] = "signal", [LAST_EXIT] = "exit", [LAST_SYSCALL] = "syscall",
		[LAST_ENTRY] = "entry", [LAST_RETURN] = "return",
	};
	char *title = last_title(last, shown);
	size_t i;

	text_json_str(text, "{\"kind\":", kinds[shown->point.kind]);
	text_json_str(text, ",\"what\":", title ?: "");
	free(title);
	text_json_str(text, ",\"comm\":", shown->comm);
	text_json_dec(text, ",\"pid\":", shown->pid);
	text_json_dec(text, ",\"tid\":", shown->tid);
	text_fmt(text, ",\"number\":%d,\"value\":%lld", shown->point.number,
		 (long long)shown->point.value);
	put_address(text, ",\"addr\":", shown->point.addr);
	put_address(text, ",\"ip\":", shown->ip);
	text_json_dec(text, ",\"branches\":", shown->steps.nr_transfers);
	text_json_dec(text, ",\"instructions\":", shown->steps.nr_insns);
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
	text_str(&text, "}");
	text_line(&text);
	text_flush(&text);
}
