// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_load.h"

#include <dlfcn.h>
#include <sys/auxv.h>

/* A static program has no interpreter, and crashes in dlopen(). */
static bool is_dynamic(void)
{
	return getauxval(AT_BASE);
}

int stf_load(const char *library, const struct stf_symbol *symbols,
	     unsigned int n, const char *hint, const char *path,
	     struct stf_error *err)
{
	void *handle = is_dynamic() ? dlopen(library, RTLD_NOW | RTLD_LOCAL) :
				      NULL;
	unsigned int i;

	if (!handle)
		return stf_fail(err, STF_E_INVAL,
				"%s: the library %s is needed, and cannot be loaded; install it, or %s",
				path, library, hint);
	for (i = 0; i < n; i++) {
		void *function = dlsym(handle, symbols[i].name);

		if (!function)
			return stf_fail(err, STF_E_INVAL,
					"%s: the library %s has no %s()", path,
					library, symbols[i].name);
		/* C has no cast from an object's pointer to a function's. */
		*(void **)symbols[i].function = function;
	}
	return 0;
}
