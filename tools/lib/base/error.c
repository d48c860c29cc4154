// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *error, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return code;
}

int error_nomem(struct error *error)
{
	return error_set(error, ERROR_NOMEM, "out of memory");
}
