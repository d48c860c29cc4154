/* SPDX-License-Identifier: BSD-2-Clause */
/* Filling struct stf_error. */
#ifndef STF_STF_ERROR_H
#define STF_STF_ERROR_H

#include "stf/stf.h"

/* Set *err, if it is not NULL, and return code. */
int stf_fail(struct stf_error *err, enum stf_err code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with STF_E_IO and ": " and the text of errno at the end. */
int stf_fail_errno(struct stf_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "PATH: no memory" */
int stf_no_memory(struct stf_error *err, const char *path);

/* "a bad argument to FUNCTION()" */
int stf_bad_argument(struct stf_error *err, const char *function);

#endif
