/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sections of pseudo-probes made by hand: functions, and trees of what was inlined.
 *
 *	struct prb b = { 0 };
 *
 *	prb_func(&b, "main", 7);
 *	prb_tree(&b, "main", 2, 1);
 *	prb_probe(&b, 1, PRB_BLOCK, 0);
 *	prb_probe(&b, 2, PRB_BLOCK, 4);
 *	prb_inlined(&b, 3, "inner", 1, 0);
 *	prb_probe(&b, 1, PRB_BLOCK, 4);
 */
#ifndef TESTS_PROBE_BUILD_H
#define TESTS_PROBE_BUILD_H

#include "dwarf-build.h"
#include "profile/probes.h"

struct prb {
	struct pdb_buf funcs, trees;
};

/* Types and attributes; LLVM's, but for the way, which is told by what is called. */
enum {
	PRB_BLOCK = 0,
	PRB_INDIRECT_CALL = 1,
	PRB_DIRECT_CALL = 2,
	PRB_SENTINEL = 0x20,
	PRB_DISCRIMINATOR = 0x40,
	PRB_WAY = 0x80,
};

static inline void prb_func(struct prb *b, const char *name, uint64_t checksum)
{
	pdb_u64(&b->funcs, prof_probe_guid(name));
	pdb_u64(&b->funcs, checksum);
	dwb_uleb(&b->funcs, strlen(name));
	pdb_put(&b->funcs, name, strlen(name));
}

static inline void prb_tree(struct prb *b, const char *name, uint64_t nr_probes,
			    uint64_t nr_inlined)
{
	pdb_u64(&b->trees, prof_probe_guid(name));
	dwb_uleb(&b->trees, nr_probes);
	dwb_uleb(&b->trees, nr_inlined);
}

/* The same, inlined at a probe of the node around it. */
static inline void prb_inlined(struct prb *b, uint32_t call, const char *name,
			       uint64_t nr_probes, uint64_t nr_inlined)
{
	dwb_uleb(&b->trees, call);
	prb_tree(b, name, nr_probes, nr_inlined);
}

/* So many bytes behind the probe before. */
static inline void prb_probe(struct prb *b, uint32_t id, uint8_t type, int64_t way)
{
	dwb_uleb(&b->trees, id);
	dwb_u8(&b->trees, type | PRB_WAY);
	dwb_sleb(&b->trees, way);
}

/* At an address, as before LLVM 15. */
static inline void prb_probe_at(struct prb *b, uint32_t id, uint8_t type,
				uint64_t addr)
{
	dwb_uleb(&b->trees, id);
	dwb_u8(&b->trees, type);
	pdb_u64(&b->trees, addr);
}

/* One in front: the tree begins where that symbol is. */
static inline void prb_sentinel(struct prb *b, const char *symbol)
{
	prb_probe_at(b, 0, PRB_SENTINEL, prof_probe_guid(symbol));
}

static inline void prb_sections(const struct prb *b, struct elfb *elf)
{
	elf->probes[0] = (struct elfb_bytes){ b->funcs.p, b->funcs.n };
	elf->probes[1] = (struct elfb_bytes){ b->trees.p, b->trees.n };
}

static inline void prb_free(struct prb *b)
{
	free(b->funcs.p);
	free(b->trees.p);
	*b = (struct prb){ 0 };
}

#endif
