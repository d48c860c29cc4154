/* SPDX-License-Identifier: GPL-2.0-only */
/* How `ssctr info` shows what it counts, for people and for programs. */
#ifndef SSCTR_INFO_H
#define SSCTR_INFO_H

#include "base/error.h"
#include "base/text.h"
#include "stats/stats.h"

#include <stdbool.h>

/*
 * The header's records are printed as they are read, the rest at the end. ended: the trace
 * was read to its end.
 */
void info_text_header(struct text *text, const struct stf_record *rec);
void info_text(struct text *text, const struct stats *stats, bool ended);

void info_json_header(struct text *text, const struct stf_record *rec);
void info_json(struct text *text, const struct stats *stats, bool ended);

/* All of a counts file. Returns 0, or ERROR_* with a text. */
int info_counts(const char *path, bool json, struct error *error);

#endif
