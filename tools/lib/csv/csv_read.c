// SPDX-License-Identifier: GPL-2.0-only
#include "csv/csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char header[] =
	"VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT";

enum {
	VALID,
	ADDRESS,
	INSN,
	PRIVILEGE,
	EXCEPTION,
	ECAUSE,
	TVAL,
	INTERRUPT,
	NR_COLUMNS,
};

struct csv_reader {
	FILE *file;
	const char *path;
	char *line;
	size_t room;
	uint64_t nr; /* of the line at work */
	int failed;
	char error[512];
};

__attribute__((format(printf, 3, 4))) static int
fail(struct csv_reader *r, int code, const char *fmt, ...)
{
	int n = snprintf(r->error, sizeof(r->error), "%s:%llu: ", r->path,
			 (unsigned long long)r->nr);
	va_list ap;

	if (n < 0 || n >= (int)sizeof(r->error))
		n = 0;
	va_start(ap, fmt);
	vsnprintf(r->error + n, sizeof(r->error) - n, fmt, ap);
	va_end(ap);
	r->failed = code;
	return code;
}

bool csv_is_header(const char *start, size_t size)
{
	return size >= sizeof(header) - 1 &&
	       !strncasecmp(start, header, sizeof(header) - 1);
}

/* The next line without its end: its length, -1 at the end of the file. */
static ssize_t next_line(struct csv_reader *r)
{
	ssize_t n = getline(&r->line, &r->room, r->file);

	if (n < 0)
		return n;
	r->nr++;
	while (n && (r->line[n - 1] == '\n' || r->line[n - 1] == '\r'))
		r->line[--n] = 0;
	return n;
}

static int end_of_file(struct csv_reader *r)
{
	return ferror(r->file) ? fail(r, CSV_EIO, "%s", strerror(errno)) : 0;
}

int csv_reader_open(struct csv_reader **out, const char *path)
{
	struct csv_reader *r = *out = calloc(1, sizeof(*r));
	ssize_t n;

	if (!r)
		return CSV_ENOMEM;
	r->path = path;
	r->file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!r->file) {
		snprintf(r->error, sizeof(r->error), "%s: %s", path,
			 strerror(errno));
		return r->failed = CSV_EIO;
	}
	n = next_line(r);
	if (n < 0 && end_of_file(r))
		return r->failed;
	if (n != sizeof(header) - 1 || !csv_is_header(r->line, n))
		return fail(r, CSV_EFORMAT,
			    "not an instruction trace of Spike's, which starts with \"%s\"",
			    header);
	return 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number of 1 to 16 digits up to the next comma or the end. */
static bool take(const char **p, uint64_t *value, bool last)
{
	const char *start = *p, *s = start;
	uint64_t v = 0;
	int d;

	while ((d = digit(*s)) >= 0) {
		v = v << 4 | d;
		s++;
	}
	if (s == start || s - start > 16 || *s != (last ? 0 : ','))
		return false;
	*p = s + !last;
	*value = v;
	return true;
}

static int parse(struct csv_reader *r, struct csv_row *row)
{
	static const char *const names[] = { "VALID", "ADDRESS", "INSN",
					     "PRIVILEGE", "EXCEPTION", "ECAUSE",
					     "TVAL", "INTERRUPT" };
	uint64_t v[NR_COLUMNS];
	const char *p = r->line;
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++)
		if (!take(&p, &v[i], i == NR_COLUMNS - 1))
			return fail(r, CSV_EFORMAT,
				    "column %s is no hexadecimal number, or there are not %d columns",
				    names[i], NR_COLUMNS);
	if (!v[VALID])
		return 0;
	if (v[INSN] > ((v[INSN] & 3) == 3 ? UINT32_MAX : UINT16_MAX))
		return fail(r, CSV_EFORMAT,
			    "INSN has more bits than an instruction of its length");
	if (v[PRIVILEGE] > 3)
		return fail(r, CSV_EFORMAT, "PRIVILEGE is not 0, 1 or 3");
	if (v[EXCEPTION] > 1 || v[INTERRUPT] > 1 || v[VALID] > 1)
		return fail(r, CSV_EFORMAT,
			    "VALID, EXCEPTION or INTERRUPT is not 0 or 1");
	if (v[INTERRUPT] && !v[EXCEPTION])
		return fail(r, CSV_EFORMAT, "INTERRUPT without EXCEPTION");
	*row = (struct csv_row){ .address = v[ADDRESS],
				 .insn = v[INSN],
				 .privilege = v[PRIVILEGE],
				 .exception = v[EXCEPTION],
				 .interrupt = v[INTERRUPT] };
	if (row->exception) {
		row->ecause = v[ECAUSE];
		row->tval = v[TVAL];
	}
	return 1;
}

int csv_reader_next(struct csv_reader *r, struct csv_row *row)
{
	int ret = 0;

	while (!ret) {
		ssize_t n;

		if (r->failed)
			return r->failed;
		n = next_line(r);
		if (n < 0)
			return end_of_file(r);
		if ((size_t)n != strlen(r->line))
			return fail(r, CSV_EFORMAT, "a NUL in a line");
		/* An empty line at the end is no harm. */
		if (n)
			ret = parse(r, row);
	}
	return ret;
}

const char *csv_reader_error(const struct csv_reader *r)
{
	return r ? r->error : "out of memory";
}

void csv_reader_close(struct csv_reader *r)
{
	if (!r)
		return;
	if (r->file && r->file != stdin)
		fclose(r->file);
	free(r->line);
	free(r);
}
