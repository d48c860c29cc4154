/* SPDX-License-Identifier: GPL-2.0-only */
/* What JSON objects say of a recording. docs/report.md has the keys. */
#ifndef SSCTR_RECORDING_JSON_H
#define SSCTR_RECORDING_JSON_H

#include "base/text.h"
#include "recording.h"

/*
 * Behind a comma: what was lost, and rec_notes(). Call it behind all that names something.
 */
void rec_json(struct text *text, struct rec *rec, const struct hot *hot);

#endif
