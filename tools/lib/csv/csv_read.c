// SPDX-License-Identifier: GPL-2.0-only
#include "csv/csv.h"
#include "csv/line.h"

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
	struct csv_lines lines;
};

bool csv_is_header(const char *start, size_t size)
{
	return size >= sizeof(header) - 1 &&
	       !strncasecmp(start, header, sizeof(header) - 1);
}

int csv_reader_open(struct csv_reader **reader, const char *path)
{
	*reader = calloc(1, sizeof(**reader));
	if (!*reader)
		return CSV_ENOMEM;
	return csv_lines_open(&(*reader)->lines, path, header,
			      "an instruction trace of Spike's");
}

static int parse(struct csv_lines *l, struct csv_row *row)
{
	static const char *const names[] = { "VALID", "ADDRESS", "INSN",
					     "PRIVILEGE", "EXCEPTION", "ECAUSE",
					     "TVAL", "INTERRUPT" };
	uint64_t v[NR_COLUMNS];
	const char *p = l->line;
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++)
		if (!csv_number(&p, 16, i == NR_COLUMNS - 1 ? 0 : ',', &v[i]))
			return csv_lines_fail(l, CSV_EFORMAT,
					      "column %s is no hexadecimal number, or there are not %d columns",
					      names[i], NR_COLUMNS);
	if (!v[VALID])
		return 0;
	if (v[INSN] > ((v[INSN] & 3) == 3 ? UINT32_MAX : UINT16_MAX))
		return csv_lines_fail(l, CSV_EFORMAT,
				      "INSN has more bits than an instruction of its length");
	if (v[PRIVILEGE] > 3)
		return csv_lines_fail(l, CSV_EFORMAT,
				      "PRIVILEGE is not 0, 1 or 3");
	if (v[EXCEPTION] > 1 || v[INTERRUPT] > 1 || v[VALID] > 1)
		return csv_lines_fail(l, CSV_EFORMAT,
				      "VALID, EXCEPTION or INTERRUPT is not 0 or 1");
	if (v[INTERRUPT] && !v[EXCEPTION])
		return csv_lines_fail(l, CSV_EFORMAT,
				      "INTERRUPT without EXCEPTION");
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

int csv_reader_next(struct csv_reader *reader, struct csv_row *row)
{
	int ret;

	do {
		ret = csv_lines_next(&reader->lines);
		if (ret <= 0)
			return ret;
		ret = parse(&reader->lines, row);
	} while (!ret);
	return ret;
}

const char *csv_reader_error(const struct csv_reader *reader)
{
	return reader ? reader->lines.error : "out of memory";
}

void csv_reader_close(struct csv_reader *reader)
{
	if (!reader)
		return;
	csv_lines_close(&reader->lines);
	free(reader);
}
