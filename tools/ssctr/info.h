/* SPDX-License-Identifier: GPL-2.0-only */
/* How `ssctr info` shows what it counts, for people and for programs. */
#ifndef SSCTR_INFO_H
#define SSCTR_INFO_H

#include "base/text.h"
#include "stats/stats.h"

/* The header's records are printed as they are read, the rest at the end. */
void info_text_header(struct text *text, const struct stf_record *rec);
void info_text(struct text *text, const struct stats *stats);

void info_json_header(struct text *text, const struct stf_record *rec);
void info_json(struct text *text, const struct stats *stats);

#endif
