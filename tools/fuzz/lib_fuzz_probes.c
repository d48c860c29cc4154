// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as the sections of pseudo-probes: two bytes that say how large the first one
 * is, .pseudo_probe_desc, .pseudo_probe. The first function of each is asked for.
 */
#include "base/array.h"
#include "profile/probes.h"

#include "fuzz.h"

#include <string.h>

static uint64_t first_guid(const uint8_t *p, size_t size)
{
	uint64_t guid = 0;

	if (size >= sizeof(guid))
		memcpy(&guid, p, sizeof(guid));
	return guid;
}

static void look_at(const struct prof_probes *probes)
{
	size_t i;

	for (i = 0; i < probes->nr_funcs; i++)
		demand(strlen(probes->funcs[i].name) <= 1 << 16,
		       "a name ends");
	for (i = 0; i < probes->nr_scopes; i++) {
		const struct prof_probe_scope *sc = &probes->scopes[i];

		demand(sc->func == PROF_NO_PROBED || sc->func < probes->nr_funcs,
		       "a scope is of a function");
		demand(sc->parent == PROF_NO_PROBED || sc->parent < i,
		       "a scope is behind what it is in");
	}
	for (i = 0; i < probes->nr; i++) {
		demand(probes->v[i].scope < probes->nr_scopes,
		       "a probe has a scope");
		demand(!i || probes->v[i - 1].addr <= probes->v[i].addr,
		       "probes are in order");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof_probe_start starts[2];
	struct prof_probe_bytes bytes = { .starts = starts, .nr_starts = 2 };
	struct prof_probes probes;

	if (size < 2)
		return 0;
	bytes.funcs = data + 2;
	bytes.funcs_size = data[0] | data[1] << 8;
	if (bytes.funcs_size > size - 2)
		bytes.funcs_size = size - 2;
	bytes.trees = data + 2 + bytes.funcs_size;
	bytes.trees_size = size - 2 - bytes.funcs_size;
	starts[0] = (struct prof_probe_start){
		first_guid(bytes.funcs, bytes.funcs_size), 0x1000
	};
	starts[1] = (struct prof_probe_start){
		first_guid(bytes.trees, bytes.trees_size), 0x2000
	};
	qsort(starts, 2, sizeof(*starts), array_order);
	if (prof_probes_read(&probes, &bytes) == PROF_PROBES_OK)
		look_at(&probes);
	prof_probes_free(&probes);
	return 0;
}
