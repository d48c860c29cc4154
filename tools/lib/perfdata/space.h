/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was mapped where, in which process, while the recording ran. Feed it the
 * events in the order pd_next() delivers them; ask it between two of them.
 */
#ifndef PERFDATA_SPACE_H
#define PERFDATA_SPACE_H

#include "perfdata/perfdata.h"

/* A mapped file, or what the kernel calls one: "[vdso]", "//anon", ... */
struct pd_dso {
	unsigned int id; /* 0 and up, without gaps, in a struct pd_space */
	const char *name;
	unsigned int build_id_size; /* 0: not known */
	uint8_t build_id[20];
};

struct pd_map {
	uint64_t start;
	uint64_t end; /* the first address after it */
	uint64_t pgoff; /* the file's byte at start */
	uint32_t prot;
	bool kernel;
	const struct pd_dso *dso;
};

/* Where the kernel was when it was recorded. */
struct pd_kernel {
	const struct pd_dso *dso; /* NULL: the recording does not say */
	const char *symbol; /* "_text" or "_stext" */
	uint64_t addr; /* of that symbol */
};

struct pd_space;

/* pd has to outlive it. NULL: out of memory. */
struct pd_space *pd_space_new(struct pd *pd);
void pd_space_free(struct pd_space *space);

/*
 * Take in MMAP, FORK, EXIT and COMM; other events change nothing.
 * Returns 0 or PD_ENOMEM. Pointers from pd_space_find() are void after it.
 */
int pd_space_event(struct pd_space *space, const struct pd_event *ev);

/* The mapping of an address, as process pid sees it; NULL if there is none. */
const struct pd_map *pd_space_find(struct pd_space *space, uint32_t pid,
				   uint64_t addr);

struct pd_kernel pd_space_kernel(const struct pd_space *space);

/* Is it a jitdump's name, jit-PID.dump in whichever folder? */
bool pd_is_jitdump(const char *name);

/*
 * The jitdump (jit-PID.dump) that process pid mapped last, by which it says that
 * it writes its own code there; NULL if there is none.
 */
const struct pd_dso *pd_space_jitdump(struct pd_space *space, uint32_t pid);

unsigned int pd_space_nr_dsos(const struct pd_space *space);

#endif
