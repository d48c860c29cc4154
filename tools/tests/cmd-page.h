/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of `ssctr report --html`, and what each such page must be. */
#ifndef TESTS_CMD_PAGE_H
#define TESTS_CMD_PAGE_H

#include "cmd-hot.h"

/* Every element is closed, and only names that are known are entities. */
static inline void check_page(int line)
{
	const char *open[32], *p = strchr(run_out, '>') + 1;
	unsigned int depth = 0;

	CHECK(!strncmp(run_out, "<!DOCTYPE html>\n", 16));
	for (; (p = strpbrk(p, "<>&")); p++) {
		size_t n = strcspn(p + 1, " >");
		const char *end = strpbrk(p + 1, "<>");

		if (*p == '&') {
			CHECK(!strncmp(p, "&lt;", 4) ||
			      !strncmp(p, "&gt;", 4) ||
			      !strncmp(p, "&amp;", 5) ||
			      !strncmp(p, "&quot;", 6) ||
			      !strncmp(p, "&#xfffd;", 8));
			continue;
		}
		if (*p == '>' || !end || *end != '>')
			test_fail(__FILE__, line, "stray bracket: %.40s", p);
		if (p[1] == '/') {
			if (!depth || strncmp(open[--depth], p + 2, n - 1))
				test_fail(__FILE__, line, "not open: %.40s", p);
		} else if (end[-1] != '/') {
			CHECK(depth < 32);
			open[depth++] = p + 1;
		}
		p = end;
	}
	CHECK_EQ(depth, 0);
	/* What can be jumped to. */
	p = strstr(run_out, "\n<main>\n");
	CHECK(p && !strstr(p + 2, "<main>"));
	/* It is complete in itself, and its only script its own. */
	CHECK(!strstr(run_out, "src=") && !strstr(run_out, "href="));
	p = strstr(run_out, "<script>\n'use strict';");
	CHECK(p && !strstr(p + 1, "<script"));
}

static inline void read_page(int line, const char *options)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s --html %s/p %s && cat %s/p",
		     dir, dir, dir, options, dir), 0);
	check_page(line);
}

#endif
