/* SPDX-License-Identifier: GPL-2.0-only */
/* A jitdump, record by record, as programs that make code write it. */
#ifndef TESTS_JIT_BUILD_H
#define TESTS_JIT_BUILD_H

#include "perfdata-build.h"

static inline void jitb_begin(struct pdb_buf *b, uint32_t machine,
			      uint64_t flags)
{
	pdb_u32(b, 0x4a695444);
	pdb_u32(b, 1);
	pdb_u32(b, 40);
	pdb_u32(b, machine);
	pdb_u32(b, 0);
	pdb_u32(b, 5);
	pdb_u64(b, 1);
	pdb_u64(b, flags);
}

static inline void jitb_load(struct pdb_buf *b, uint64_t time, uint64_t addr,
			     uint64_t index, const char *name,
			     const void *code, size_t size)
{
	pdb_u32(b, 0);
	pdb_u32(b, 56 + strlen(name) + 1 + size);
	pdb_u64(b, time);
	pdb_u32(b, 5);
	pdb_u32(b, 5);
	pdb_u64(b, addr);
	pdb_u64(b, addr);
	pdb_u64(b, size);
	pdb_u64(b, index);
	pdb_put(b, name, strlen(name) + 1);
	pdb_put(b, code, size);
}

static inline void jitb_move(struct pdb_buf *b, uint64_t time, uint64_t from,
			     uint64_t to, uint64_t size, uint64_t index)
{
	pdb_u32(b, 1);
	pdb_u32(b, 64);
	pdb_u64(b, time);
	pdb_u32(b, 5);
	pdb_u32(b, 5);
	pdb_u64(b, to);
	pdb_u64(b, from);
	pdb_u64(b, to);
	pdb_u64(b, size);
	pdb_u64(b, index);
}

/* False: the file could not be written. */
static inline bool jitb_write(const struct pdb_buf *b, const char *path)
{
	FILE *file = fopen(path, "w");
	bool ok = file && fwrite(b->p, b->n, 1, file);

	return (!file || !fclose(file)) && ok;
}

#endif
