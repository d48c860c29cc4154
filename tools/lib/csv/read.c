// SPDX-License-Identifier: GPL-2.0-only
#include "csv/csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct csv_reader {
	FILE *file;
	const char *path;
	struct error *error;
	char *line; /* the one at work, without its end */
	size_t room;
	uint64_t nr; /* of the line at work, 1 and on */
};

const char *const csv_headers[] = {
	[CSV_INSNS] =
		"VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT",
	[CSV_DATA] = "DRETIRE,DTYPE,DADDR,DSIZE,DATA",
};

/* --- lines and numbers --- */

int csv_fail(struct csv_reader *r, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(r->error, ERROR_INPUT, "%s:%llu: %s", r->path,
			 (unsigned long long)r->nr, what);
}

/* 1, 0 at the end, ERROR_INPUT. */
static int any_line(struct csv_reader *r)
{
	ssize_t n = getline(&r->line, &r->room, r->file);

	if (n < 0)
		return ferror(r->file) ? csv_fail(r, "%s", strerror(errno)) : 0;
	r->nr++;
	while (n && (r->line[n - 1] == '\n' || r->line[n - 1] == '\r'))
		r->line[--n] = 0;
	if ((size_t)n != strlen(r->line))
		return csv_fail(r, "a NUL in a line");
	return 1;
}

/* The same, but not an empty line. */
static int next_line(struct csv_reader *r)
{
	int ret;

	do
		ret = any_line(r);
	while (ret > 0 && !*r->line);
	return ret;
}

/* The value of a hexadecimal digit, or -1. */
static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * A number of the base 10 or 16 that ends at the character end, and has at most
 * 16 digits. False, and *p left alone, if there is none; else *p is behind it and,
 * unless end is 0, behind end.
 */
static bool number(const char **p, unsigned int base, char end, uint64_t *value)
{
	const char *s = *p;
	uint64_t v = 0;
	int d;

	while ((d = digit(*s)) >= 0 && d < (int)base) {
		v = v * base + d;
		s++;
	}
	if (s == *p || s - *p > 16 || *s != end)
		return false;
	*p = s + !!end;
	*value = v;
	return true;
}

/* --- the rows: 1, 0 for one that is not valid, ERROR_INPUT --- */

static int parse_insn(struct csv_reader *r, struct csv_insn *insn)
{
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
	static const char *const names[] = { "VALID", "ADDRESS", "INSN",
					     "PRIVILEGE", "EXCEPTION", "ECAUSE",
					     "TVAL", "INTERRUPT" };
	uint64_t v[NR_COLUMNS];
	const char *p = r->line;
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++)
		if (!number(&p, 16, i == NR_COLUMNS - 1 ? 0 : ',', &v[i]))
			return csv_fail(r, "column %s is not a hexadecimal number, or there are not %d columns",
					names[i], NR_COLUMNS);
	if (!v[VALID])
		return 0;
	if (v[INSN] > ((v[INSN] & 3) == 3 ? UINT32_MAX : UINT16_MAX))
		return csv_fail(r, "INSN has more bits than an instruction of its length");
	if (v[PRIVILEGE] > 3)
		return csv_fail(r, "PRIVILEGE is not 0, 1, 2 or 3");
	if (v[EXCEPTION] > 1 || v[INTERRUPT] > 1 || v[VALID] > 1)
		return csv_fail(r, "VALID, EXCEPTION or INTERRUPT is not 0 or 1");
	if (v[INTERRUPT] && !v[EXCEPTION])
		return csv_fail(r, "INTERRUPT without EXCEPTION");
	*insn = (struct csv_insn){ .address = v[ADDRESS],
				   .insn = v[INSN],
				   .privilege = v[PRIVILEGE],
				   .exception = v[EXCEPTION],
				   .interrupt = v[INTERRUPT] };
	if (insn->exception) {
		insn->ecause = v[ECAUSE];
		insn->tval = v[TVAL];
	}
	return 1;
}

/* Up to 32 digits, to the end of the line: the value's lower and upper half. */
static bool take_value(const char *p, uint64_t value[2])
{
	const char *start = p;
	int d;

	value[0] = value[1] = 0;
	while ((d = digit(*p)) >= 0) {
		value[1] = value[1] << 4 | value[0] >> 60;
		value[0] = value[0] << 4 | (unsigned int)d;
		p++;
	}
	return p != start && p - start <= 32 && !*p;
}

static int parse_data(struct csv_reader *r, struct csv_data *data)
{
	uint64_t retired, type, size, value[2], most;
	const char *p = r->line;
	bool pair, too_long;

	if (!number(&p, 16, ',', &retired) || retired > 1)
		return csv_fail(r, "DRETIRE is not 0 or 1");
	if (!number(&p, 10, ',', &type) || type > CSV_SC_FAILED ||
	    (type > CSV_STORE && type < CSV_CSR_WRITE) ||
	    type == CSV_CSR_CLEAR + 1)
		return csv_fail(r, "DTYPE is not a decimal type of access");
	if (!number(&p, 16, ',', &data->address))
		return csv_fail(r, "DADDR is not a hexadecimal number");
	pair = csv_is_pair(type);
	if (!number(&p, 10, ',', &size) || size < pair || size > 3u + pair)
		return csv_fail(r, "DSIZE is not %d to %d, the logarithm of the bytes of %s",
				pair, 3 + pair, pair ? "two values" : "a value");
	size = 1 << (size - pair);
	if (!take_value(p, value))
		return csv_fail(r, "DATA is not a hexadecimal number, or there are not 5 columns");
	most = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
	too_long = value[1] && !(pair && size == 8);
	if (pair && size < 8) {
		value[1] = value[0] >> 8 * size;
		value[0] &= most;
	}
	if (too_long || value[0] > most || value[1] > most)
		return csv_fail(r, "DATA has more bytes than DSIZE says");
	data->type = type;
	data->size = size;
	data->read = type == CSV_LOAD || pair ? value[0] : 0;
	data->written = pair ? value[1] : type == CSV_LOAD ? 0 : value[0];
	return retired;
}

int csv_next_insn(struct csv_reader *r, struct csv_insn *insn)
{
	int ret;

	while ((ret = next_line(r)) > 0) {
		ret = parse_insn(r, insn);
		if (ret)
			break;
	}
	return ret;
}

int csv_next_data(struct csv_reader *r, struct csv_data *data)
{
	int ret;

	while ((ret = next_line(r)) > 0) {
		ret = parse_data(r, data);
		if (ret)
			break;
	}
	return ret;
}

/* --- files --- */

static bool open_file(struct csv_reader *r, enum csv_kind kind)
{
	int ret;

	r->file = strcmp(r->path, "-") ? fopen(r->path, "re") : stdin;
	if (!r->file) {
		error_set(r->error, ERROR_INPUT, "%s: %s", r->path,
			  strerror(errno));
		return false;
	}
	ret = any_line(r);
	if (ret > 0 && !strcasecmp(r->line, csv_headers[kind]))
		return true;
	if (!ferror(r->file))
		csv_fail(r, "not %s trace of Spike, which starts with \"%s\"",
			 kind == CSV_INSNS ? "an instruction" : "a data",
			 csv_headers[kind]);
	return false;
}

struct csv_reader *csv_open(const char *path, enum csv_kind kind,
			    struct error *error)
{
	struct csv_reader *r = calloc(1, sizeof(*r));

	if (!r) {
		error_nomem(error);
		return NULL;
	}
	r->path = path;
	r->error = error;
	if (open_file(r, kind))
		return r;
	csv_close(r);
	return NULL;
}

void csv_close(struct csv_reader *r)
{
	if (!r)
		return;
	if (r->file && r->file != stdin)
		fclose(r->file);
	free(r->line);
	free(r);
}
