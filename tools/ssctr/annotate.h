/* SPDX-License-Identifier: GPL-2.0-only */
/* How `ssctr annotate` shows the functions that it was asked for. */
#ifndef SSCTR_ANNOTATE_H
#define SSCTR_ANNOTATE_H

#include "annotated.h"
#include "image/listing.h"
#include "recording.h"

struct annotate {
	struct hot hot;
	struct rec *rec;
	struct img_listing *listing;
	const char *lacking; /* a source file that is not found; NULL: none */
	bool lacks_more; /* of them */
	struct rv_disasm *disasm; /* NULL: opcodes must do */
	bool all; /* instructions that did not run, too */
	bool colours;
};

void annotate_text(struct annotate *annotate, const struct annotated *code);

/* One object, whose keys docs/annotate.md describes. */
void annotate_json(struct annotate *annotate, const struct annotated *codes, size_t nr);

#endif
