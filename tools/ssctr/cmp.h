/* SPDX-License-Identifier: GPL-2.0-only */
/* How `ssctr cmp` shows what differs, for people and for programs. */
#ifndef SSCTR_CMP_H
#define SSCTR_CMP_H

#include "dump.h"
#include "tracecmp/tracecmp.h"

struct cmp_report {
	const char *names[2]; /* of the traces */
	uint64_t limit; /* show so many differences */
	uint64_t shown;
	uint64_t bound;
	struct dump dump; /* with the text */
};

enum { CMP_MAX_LINES = 5 }; /* of instructions that only one trace has */

void cmp_text_difference(struct cmp_report *report,
			 const struct tcmp_difference *difference);
void cmp_text_end(struct cmp_report *report, const struct tcmp_result *result);

void cmp_json_difference(struct cmp_report *report,
			 const struct tcmp_difference *difference);
void cmp_json_end(struct cmp_report *report, const struct tcmp_result *result);

#endif
