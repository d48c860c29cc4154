// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a unit's table of lines; the first one says of which byte order. */
#include "profile/wide.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof_wide wide = { 0 };
	size_t i;

	if (!size)
		return 0;
	demand(prof_wide_read(&wide, data + 1, size - 1, *data & 1),
	       "there is memory");
	for (i = 0; i < wide.nr; i++) {
		const struct prof_wide_row *row = &wide.v[i];

		demand(!i || row[-1].addr <= row->addr, "rows are in order");
		demand(row->discriminator > 0xffffff, "others are not kept");
		demand((prof_wide_find(&wide, row->addr,
				       row->discriminator & 0xffffff) &
			0xffffff) == (row->discriminator & 0xffffff),
		       "what is found begins with what is known");
	}
	free(wide.v);
	return 0;
}
