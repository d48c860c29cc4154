// SPDX-License-Identifier: GPL-2.0-only
#include "csv/data.h"

#include "csv/line.h"
#include "base/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

static const char header[] = "DRETIRE,DTYPE,DADDR,DSIZE,DATA";

static bool is_pair(unsigned int type)
{
	return type >= CSV_CSR_WRITE && type <= CSV_AMO_MIN;
}

/* --- reading --- */

struct csv_data_reader {
	struct csv_lines lines;
};

int csv_data_open(struct csv_data_reader **reader, const char *path)
{
	*reader = calloc(1, sizeof(**reader));
	if (!*reader)
		return CSV_ENOMEM;
	return csv_lines_open(&(*reader)->lines, path, header,
			      "a data trace of Spike's");
}

/* Up to 32 digits, to the end of the line: the value's upper and lower half. */
static bool take_value(const char *p, uint64_t value[2])
{
	const char *start = p;
	int d;

	value[0] = value[1] = 0;
	while ((d = csv_digit(*p)) >= 0) {
		value[1] = value[1] << 4 | value[0] >> 60;
		value[0] = value[0] << 4 | (unsigned int)d;
		p++;
	}
	return p != start && p - start <= 32 && !*p;
}

static uint64_t low_bytes(unsigned int bytes)
{
	return bytes < 8 ? (UINT64_C(1) << 8 * bytes) - 1 : UINT64_MAX;
}

static int parse(struct csv_lines *l, struct csv_data *data)
{
	uint64_t retired, type, size, value[2], most;
	const char *p = l->line;
	bool pair, too_long;

	if (!csv_number(&p, 16, ',', &retired) || retired > 1)
		return csv_lines_fail(l, CSV_EFORMAT, "DRETIRE is not 0 or 1");
	if (!csv_number(&p, 10, ',', &type) || type > CSV_SC_FAILED ||
	    (type > CSV_STORE && type < CSV_CSR_WRITE) ||
	    type == CSV_CSR_CLEAR + 1)
		return csv_lines_fail(l, CSV_EFORMAT,
				      "DTYPE is no type of access, in decimal");
	if (!csv_number(&p, 16, ',', &data->address))
		return csv_lines_fail(l, CSV_EFORMAT,
				      "DADDR is no hexadecimal number");
	pair = is_pair(type);
	if (!csv_number(&p, 10, ',', &size) || size < pair || size > 3u + pair)
		return csv_lines_fail(l, CSV_EFORMAT,
				      "DSIZE is not %d to %d, the logarithm of the bytes of %s",
				      pair, 3 + pair,
				      pair ? "two values" : "a value");
	size = 1 << (size - pair);
	if (!take_value(p, value))
		return csv_lines_fail(l, CSV_EFORMAT,
				      "DATA is no hexadecimal number, or there are not 5 columns");
	most = low_bytes(size);
	too_long = value[1] && !(pair && size == 8);
	if (pair && size < 8) {
		value[1] = value[0] >> 8 * size;
		value[0] &= most;
	}
	if (too_long || value[0] > most || value[1] > most)
		return csv_lines_fail(l, CSV_EFORMAT,
				      "DATA has more bytes than DSIZE says");
	data->type = type;
	data->size = size;
	data->read = type == CSV_LOAD || pair ? value[0] : 0;
	data->written = pair ? value[1] : type == CSV_LOAD ? 0 : value[0];
	return retired;
}

int csv_data_next(struct csv_data_reader *reader, struct csv_data *data)
{
	int ret;

	do {
		ret = csv_lines_next(&reader->lines);
		if (ret <= 0)
			return ret;
		ret = parse(&reader->lines, data);
	} while (!ret);
	return ret;
}

int csv_data_fail(struct csv_data_reader *reader, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return csv_lines_fail(&reader->lines, CSV_EFORMAT, "%s", text);
}

const char *csv_data_error(const struct csv_data_reader *reader)
{
	return reader ? reader->lines.error : "out of memory";
}

void csv_data_close(struct csv_data_reader *reader)
{
	if (!reader)
		return;
	csv_lines_close(&reader->lines);
	free(reader);
}

/* --- writing --- */

struct csv_data_writer {
	struct outfile out;
};

struct csv_data_writer *csv_data_writer_open(const char *path)
{
	struct csv_data_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	if (outfile_open(&w->out, path)) {
		free(w);
		return NULL;
	}
	fprintf(w->out.file, "%s\n", header);
	return w;
}

void csv_data_write(struct csv_data_writer *w, const struct csv_data *data)
{
	const bool pair = is_pair(data->type);
	const uint64_t one = data->type == CSV_LOAD ? data->read : data->written;
	FILE *f = w->out.file;

	fprintf(f, "1,%u,%" PRIx64 ",%u,", data->type, data->address,
		__builtin_ctz(data->size) + pair);
	if (pair && data->written)
		fprintf(f, "%" PRIx64 "%0*" PRIx64 "\n", data->written,
			2 * data->size, data->read);
	else
		fprintf(f, "%" PRIx64 "\n", pair ? data->read : one);
}

int csv_data_writer_close(struct csv_data_writer *w, bool keep)
{
	int ret = outfile_close(&w->out, keep);
	int error = errno;

	free(w);
	errno = error;
	return ret;
}
