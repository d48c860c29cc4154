// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_struct.h"

#include <string.h>

/* More is no size: the program did not set it. */
enum { LONGEST = 4096 };

static size_t size_of(const void *structure)
{
	size_t size;

	memcpy(&size, structure, sizeof(size));
	return size;
}

int stf_struct_take(void *own, size_t own_size, size_t first,
		    const void *passed, const char *function,
		    struct stf_error *err)
{
	size_t size = passed ? size_of(passed) : 0, i;

	if (!passed)
		return 0;
	if (size < first || size > LONGEST)
		return stf_bad_argument(err, function);
	for (i = own_size; i < size; i++)
		if (((const char *)passed)[i])
			return stf_fail(err, STF_E_INVAL,
					"%s(): the library libstf is older than the program, which asks for what it cannot do; install a newer libstf",
					function);
	memcpy(own, passed, size < own_size ? size : own_size);
	return 0;
}

void stf_struct_give(void *to, const void *own, size_t own_size)
{
	size_t size = size_of(to);

	if (size > own_size)
		size = own_size;
	if (size > sizeof(size))
		memcpy((char *)to + sizeof(size),
		       (const char *)own + sizeof(size), size - sizeof(size));
}
