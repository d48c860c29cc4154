// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int stf_fail(struct stf_error *err, enum stf_err code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int stf_fail_errno(struct stf_error *err, const char *fmt, ...)
{
	char reason[80];
	size_t len, most;
	va_list ap;

	/* %m is thread-safe, strerror() is not. */
	snprintf(reason, sizeof(reason), ": %m");
	most = sizeof(err->text) - 1 - strlen(reason);
	err->code = STF_E_IO;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	/* Of a name that is too long for the text the end is cut, not the reason. */
	len = strlen(err->text);
	strcpy(err->text + (len < most ? len : most), reason);
	return STF_E_IO;
}

int stf_no_memory(struct stf_error *err, const char *path)
{
	return stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
}

int stf_bad_argument(struct stf_error *err, const char *function)
{
	return stf_fail(err, STF_E_INVAL, "a bad argument to %s()", function);
}
