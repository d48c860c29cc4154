// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int stf_fail(struct stf_error *err, enum stf_err code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int stf_fail_errno(struct stf_error *err, const char *fmt, ...)
{
	int nr = errno;
	size_t len;
	va_list ap;

	err->code = STF_E_IO;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	/* %m is thread-safe, strerror() is not. */
	errno = nr;
	snprintf(err->text + len, sizeof(err->text) - len, ": %m");
	return STF_E_IO;
}
