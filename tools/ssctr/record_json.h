/* SPDX-License-Identifier: GPL-2.0-only */
/* An STF record in JSON. */
#ifndef SSCTR_RECORD_JSON_H
#define SSCTR_RECORD_JSON_H

#include "stf/stf.h"
#include "base/text.h"

/*
 * The members of a record, without braces. Numbers are decimal: 64-bit ones need
 * a reader that does not take them for floating-point. Members that repeat (an
 * event's fields, PTEs) are one array under their name.
 */
void record_json(struct text *text, const struct stf_record *rec);

#endif
