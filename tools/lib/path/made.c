// SPDX-License-Identifier: GPL-2.0-only
#include "path/made.h"
#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>

/* Parents that are asked; there may be a circle of them. */
enum { GENERATIONS = 8 };

struct process {
	uint32_t pid;
	struct img_file *map; /* NULL: there is none */
};

struct path_made {
	struct pd_space *space;
	struct img *img;
	struct process *processes; /* all that were asked for */
	size_t nr, cap;
	struct hash pids;
};

struct path_made *path_made_new(struct pd_space *space, struct img *img)
{
	struct path_made *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->space = space;
	made->img = img;
	return made;
}

void path_made_free(struct path_made *made)
{
	if (!made)
		return;
	free(made->processes);
	hash_free(&made->pids);
	free(made);
}

/* NULL: out of memory. */
static struct process *process_of(struct path_made *made, uint32_t pid)
{
	struct hash_slot *slot;

	if (!hash_room(&made->pids) || !array_room(&made->processes, made->nr, &made->cap,
						   sizeof(*made->processes)))
		return NULL;
	hash_for_each(&made->pids, slot, hash_u64(pid))
		if (made->processes[slot->number - 1].pid == pid)
			return &made->processes[slot->number - 1];
	hash_put(&made->pids, slot, hash_u64(pid), made->nr);
	made->processes[made->nr] = (struct process){ pid, img_perf_map(made->img, pid) };
	return &made->processes[made->nr++];
}

struct img_file *path_made_map(struct path_made *made, uint32_t pid, uint64_t addr)
{
	const struct process *proc;
	const char *name;
	uint64_t offset;
	unsigned int i;

	for (i = 0; i < GENERATIONS && pid != PD_NO_ID; i++) {
		proc = process_of(made, pid);
		if (proc && proc->map && img_symbol(proc->map, addr, &name, &offset))
			return proc->map;
		pid = pd_space_parent(made->space, pid);
	}
	return NULL;
}
