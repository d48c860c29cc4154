/* SPDX-License-Identifier: GPL-2.0-only */
/* What is hot, as members of JSON objects. docs/report.md has their keys. */
#ifndef SSCTR_HOT_JSON_H
#define SSCTR_HOT_JSON_H

#include "base/text.h"
#include "hot/hot.h"

/* The members of a function: a binary, and its name if it has one. */
void hot_json_function(struct text *text, const struct hot *hot, uint32_t function);

/* A line of source, if it is known, and the functions that were inlined: behind a comma. */
void hot_json_line(struct text *text, const struct hot *hot, const struct path_place *at);

/* An object: a function's members, the offset and the line. name is written before it. */
void hot_json_place(struct text *text, const struct hot *hot, const char *name,
		    uint32_t place);

/* What was recorded of a transfer, if it was: its members behind a comma. */
void hot_json_flags(struct text *text, const struct hot *hot, const struct hot_edge *edge);

/* Of a loop, behind a comma: how often its head runs for each entry. */
void hot_json_trips(struct text *text, const struct hot_trips *trips);

#endif
