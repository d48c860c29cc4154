/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was mapped where, in which process, during the recording. Pass the events in the
 * order of pd_next(). Ask for mappings between two events.
 */
#ifndef PERFDATA_SPACE_H
#define PERFDATA_SPACE_H

#include "perfdata/perfdata.h"

/*
 * A mapped file, or another name that the kernel gives a mapping: "[vdso]", "//anon", ..., or
 * code that it makes itself.
 */
struct pd_dso {
	/* numbers from 0 on, without gaps, in a struct pd_space */
	unsigned int id;
	/*
	 * With a build id, which tells whether a file is the one, without the kernel's word
	 * for one that was removed or replaced while it was mapped.
	 */
	const char *name;
	unsigned int build_id_size; /* bytes; 0: not known */
	uint8_t build_id[20];
	/* of the file whose code was mapped first; inode 0: not told */
	uint64_t inode, device;
	/*
	 * Code of several files had this name, and the recording does not tell their build
	 * ids.
	 */
	bool several;
	/*
	 * Code that ran in it and is not in a file of its build id was written by the program:
	 * the kernel told the build id with the mapping, or the code became writable.
	 */
	bool rewritten;
	/*
	 * Code that the kernel made, such as a BPF program: it is in no file, and the name is
	 * that of its function.
	 */
	bool made;
	/* Another object of the space has this name, and another build id. */
	bool shares_name;
	char *label; /* of pd_space_label(); NULL: not asked for */
};

struct pd_map {
	uint64_t start;
	uint64_t end; /* the first address after the mapping */
	uint64_t pgoff; /* the offset in the file that start has */
	uint32_t prot;
	bool kernel;
	/*
	 * The program may have written over the code: a file that was mapped as code became
	 * writable, too.
	 */
	bool written;
	/*
	 * When this took the place of something else, in ns as the events' times; 0: nothing
	 * else is known to have been there.
	 */
	uint64_t since;
	const struct pd_dso *dso;
};

/* Where the kernel was during the recording. */
struct pd_kernel {
	const struct pd_dso *dso; /* NULL: the recording does not tell it */
	const char *symbol; /* "_text" or "_stext" */
	uint64_t addr; /* the address of this symbol */
};

struct pd_space;

/*
 * Returns the length of a file's name without the word " (deleted)". The kernel appends it
 * to the name of a file that was removed or replaced while it was mapped.
 */
size_t pd_name_length(const char *name);

/*
 * Make the object. pd must exist as long as it. pd is NULL if the events come from nowhere
 * else than the caller. Returns NULL if out of memory.
 */
struct pd_space *pd_space_new(struct pd *pd);
void pd_space_free(struct pd_space *space);

/*
 * Take MMAP, KSYMBOL, FORK, EXIT and COMM events. Samples and other events tell only that their
 * process lives, so that its mappings are kept. Pointers from pd_space_find() are not
 * valid after this call. Returns 0 or PD_ENOMEM.
 */
int pd_space_event(struct pd_space *space, const struct pd_event *ev);

/*
 * Returns how many mappings of forked processes were left out, since copies of what their parents
 * had mapped took too much memory. Of a process with one, only the mappings of its parent are known.
 */
uint64_t pd_space_left_out(const struct pd_space *space);

/* Returns a number that grows whenever a mapping may have changed. */
uint64_t pd_space_changes(const struct pd_space *space);

/*
 * Returns the mapping that contains an address of process pid, or NULL. A mapping that is
 * not executable is only known where code was mapped before it.
 */
const struct pd_map *pd_space_find(struct pd_space *space, uint32_t pid,
				   uint64_t addr);

struct pd_kernel pd_space_kernel(const struct pd_space *space);

/*
 * Returns what code that the kernel made is shown as a part of: "[bpf]", as the kernel's list of
 * symbols has it, or "[kernel]". name is that of its struct pd_dso.
 */
const char *pd_made_binary(const char *name);

/* Returns whether the name is the name of a jitdump: jit-PID.dump, in any folder. */
bool pd_is_jitdump(const char *name);

/*
 * Returns the jitdump (jit-PID.dump) that process pid has mapped last, or NULL. By
 * mapping it, the process tells that it writes the code that it makes to this file.
 */
const struct pd_dso *pd_space_jitdump(struct pd_space *space, uint32_t pid);

/*
 * Returns the process that pid was forked from and from which it has its memory. Returns
 * PD_NO_ID if there is none, or if pid has started another program since. Numbers of
 * processes are used again, so that the parents of parents may form a circle.
 */
uint32_t pd_space_parent(struct pd_space *space, uint32_t pid);

unsigned int pd_space_nr_dsos(const struct pd_space *space);

/* Returns the object with this id, which is less than pd_space_nr_dsos(). */
const struct pd_dso *pd_space_dso(const struct pd_space *space, unsigned int id);

/*
 * Returns a name that tells the object apart from the others, for people: its name, and if
 * shares_name is set, the first 8 digits of its build id in brackets. Ask when all events were
 * passed. It is valid as long as space.
 */
const char *pd_space_label(struct pd_space *space, const struct pd_dso *dso);

#endif
