/* SPDX-License-Identifier: BSD-2-Clause */
/* Load libraries that are used if they are installed. libstf needs only libzstd. */
#ifndef STF_STF_LOAD_H
#define STF_STF_LOAD_H

#include "stf/stf_error.h"

struct stf_symbol {
	const char *name;
	void *function; /* where the address of the function is stored */
};

/*
 * Load a library and find functions in it. It stays loaded. Returns 0, or STF_E_INVAL
 * with the text set: "PATH: REASON; install it, or HINT".
 */
int stf_load(const char *library, const struct stf_symbol *symbols,
	     unsigned int n, const char *hint, const char *path,
	     struct stf_error *err);

#endif
