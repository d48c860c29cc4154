/* SPDX-License-Identifier: BSD-2-Clause */
/* Fill in struct stf_error. */
#ifndef STF_STF_ERROR_H
#define STF_STF_ERROR_H

#include "stf/stf.h"

/* Set *err, if err is not NULL. Returns code. */
int stf_fail(struct stf_error *err, enum stf_err code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Set *err with STF_E_IO. ": " and the text of errno follow the message. Returns
 * STF_E_IO.
 */
int stf_fail_errno(struct stf_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The message is "PATH: no memory". Returns STF_E_NOMEM. */
int stf_no_memory(struct stf_error *err, const char *path);

/* The message is "a bad argument to FUNCTION()". Returns STF_E_INVAL. */
int stf_bad_argument(struct stf_error *err, const char *function);

#endif
