/* SPDX-License-Identifier: GPL-2.0-only */
/* CSVs by their lines, in the test's own folder, where it works. */
#ifndef TESTS_CSV_BUILD_H
#define TESTS_CSV_BUILD_H

#include <stdio.h>
#include <unistd.h>

#include "csv/csv.h"
#include "test.h"

#define INSNS "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
#define DATA "DRETIRE,DTYPE,DADDR,DSIZE,DATA\n"

/* Names of files are short from here on, also in errors. */
static inline void begin(void)
{
	CHECK(!chdir(test_tmpdir()));
}

static inline void write_text(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

/* What is in the file; "" if there is none. */
static inline const char *content(const char *name)
{
	static char text[4096];
	FILE *f = fopen(name, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = 0;
	if (f)
		fclose(f);
	return text;
}

#endif
