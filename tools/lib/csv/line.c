// SPDX-License-Identifier: GPL-2.0-only
#include "csv/line.h"

#include "csv/csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int csv_lines_fail(struct csv_lines *l, int code, const char *fmt, ...)
{
	int n = snprintf(l->error, sizeof(l->error), "%s:%llu: ", l->path,
			 (unsigned long long)l->nr);
	va_list ap;

	if (n < 0 || n >= (int)sizeof(l->error))
		n = 0;
	va_start(ap, fmt);
	vsnprintf(l->error + n, sizeof(l->error) - n, fmt, ap);
	va_end(ap);
	l->failed = code;
	return code;
}

/* 1, 0 at the end, CSV_E*. */
static int any_line(struct csv_lines *l)
{
	ssize_t n = getline(&l->line, &l->room, l->file);

	if (n < 0)
		return ferror(l->file) ? csv_lines_fail(l, CSV_EIO, "%s",
							strerror(errno)) :
					 0;
	l->nr++;
	while (n && (l->line[n - 1] == '\n' || l->line[n - 1] == '\r'))
		l->line[--n] = 0;
	if ((size_t)n != strlen(l->line))
		return csv_lines_fail(l, CSV_EFORMAT, "a NUL in a line");
	return 1;
}

int csv_lines_open(struct csv_lines *l, const char *path, const char *header,
		   const char *what)
{
	int ret;

	l->path = path;
	l->file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!l->file) {
		snprintf(l->error, sizeof(l->error), "%s: %s", path,
			 strerror(errno));
		return l->failed = CSV_EIO;
	}
	ret = any_line(l);
	if (ret == CSV_EIO)
		return ret;
	if (ret <= 0 || strcasecmp(l->line, header))
		return csv_lines_fail(l, CSV_EFORMAT,
				      "not %s, which starts with \"%s\"", what,
				      header);
	return 0;
}

int csv_lines_next(struct csv_lines *l)
{
	int ret;

	do {
		ret = l->failed ? l->failed : any_line(l);
	} while (ret > 0 && !*l->line);
	return ret;
}

void csv_lines_close(struct csv_lines *l)
{
	if (l->file && l->file != stdin)
		fclose(l->file);
	free(l->line);
}

int csv_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool csv_number(const char **p, unsigned int base, char end, uint64_t *value)
{
	const char *s = *p;
	uint64_t v = 0;
	int d;

	while ((d = csv_digit(*s)) >= 0 && d < (int)base) {
		v = v * base + d;
		s++;
	}
	if (s == *p || s - *p > 16 || *s != end)
		return false;
	*p = s + !!end;
	*value = v;
	return true;
}
