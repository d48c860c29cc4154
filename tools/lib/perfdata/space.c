// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/space.h"

#include <linux/perf_event.h>
#include <stdlib.h>

/*
 * The mappings of one address space, sorted by address, none overlapping. Shared
 * by a process and the children it forked until one of them changes it.
 */
struct maps {
	unsigned int refs;
	unsigned int nr, cap;
	struct pd_map v[];
};

struct process {
	struct process *next; /* in its bucket */
	uint32_t pid;
	bool gone;
	int threads;
	unsigned int hit; /* the mapping found last */
	struct maps *maps; /* NULL: none */
	const struct pd_dso *jitdump; /* NULL: none */
};

#define KERNEL_NAME "[kernel.kallsyms]"

struct dso_slot {
	uint32_t hash;
	struct pd_dso *dso; /* NULL: empty */
};

enum {
	NR_BUCKETS = 4096,
	/*
	 * A process that ended is kept for a while: samples of its last moments
	 * may follow its EXIT. In a long recording of a whole system, most of
	 * the memory would otherwise be the maps of the dead.
	 */
	NR_GONE = 256,
};

struct pd_space {
	struct pd *pd;
	struct process *buckets[NR_BUCKETS];
	struct process *last;
	struct process kernel;
	struct pd_kernel kernel_at;
	uint32_t gone[NR_GONE];
	unsigned int nr_gone; /* ever */
	struct dso_slot *dsos; /* open addressing */
	unsigned int nr_dsos, dsos_mask;
};

struct pd_space *pd_space_new(struct pd *pd)
{
	struct pd_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->pd = pd;
	space->kernel.pid = PD_NO_ID;
	return space;
}

static void put_maps(struct maps *maps)
{
	if (maps && !--maps->refs)
		free(maps);
}

void pd_space_free(struct pd_space *space)
{
	unsigned int i;

	if (!space)
		return;
	for (i = 0; i < NR_BUCKETS; i++) {
		while (space->buckets[i]) {
			struct process *proc = space->buckets[i];

			space->buckets[i] = proc->next;
			put_maps(proc->maps);
			free(proc);
		}
	}
	put_maps(space->kernel.maps);
	for (i = 0; space->dsos && i <= space->dsos_mask; i++)
		free(space->dsos[i].dso);
	free(space->dsos);
	free(space);
}

/* --- files --- */

static uint32_t hash_dso(const char *name, const uint8_t *id, unsigned int size)
{
	uint32_t hash = 2166136261u;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 16777619u;
	while (size--)
		hash = (hash ^ *id++) * 16777619u;
	return hash;
}

static bool grow_dsos(struct pd_space *space)
{
	unsigned int i, j, cap = space->dsos ? 2 * (space->dsos_mask + 1) : 256;
	struct dso_slot *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	for (i = 0; space->dsos && i <= space->dsos_mask; i++) {
		if (!space->dsos[i].dso)
			continue;
		j = space->dsos[i].hash & (cap - 1);
		while (slots[j].dso)
			j = (j + 1) & (cap - 1);
		slots[j] = space->dsos[i];
	}
	free(space->dsos);
	space->dsos = slots;
	space->dsos_mask = cap - 1;
	return true;
}

/*
 * perf appends to the kernel's name the symbol whose address it has put into the
 * page offset. NULL: another mapping's name.
 */
static const char *kernel_symbol(const struct pd_mmap *m)
{
	size_t n = strlen(KERNEL_NAME);

	return m->kernel && !strncmp(m->name, KERNEL_NAME, n) && m->name[n] ?
		       m->name + n :
		       NULL;
}

/* The one object for this name and build id. NULL: out of memory. */
static const struct pd_dso *find_dso(struct pd_space *space,
				     const struct pd_mmap *m)
{
	unsigned int i, size = m->build_id_size;
	const uint8_t *id = m->build_id;
	struct pd_dso *dso;
	size_t name_size;
	uint32_t hash;

	if (!size)
		id = pd_build_id(space->pd,
				 kernel_symbol(m) ? KERNEL_NAME : m->name,
				 &size);
	if (!id)
		size = 0;
	if (2 * (space->nr_dsos + 1) > space->dsos_mask && !grow_dsos(space))
		return NULL;
	hash = hash_dso(m->name, id, size);
	for (i = hash & space->dsos_mask; space->dsos[i].dso;
	     i = (i + 1) & space->dsos_mask) {
		dso = space->dsos[i].dso;
		if (space->dsos[i].hash == hash && dso->build_id_size == size &&
		    !strcmp(dso->name, m->name) &&
		    (!size || !memcmp(dso->build_id, id, size)))
			return dso;
	}
	name_size = strlen(m->name) + 1;
	dso = malloc(sizeof(*dso) + name_size);
	if (!dso)
		return NULL;
	/* The recording's own copies go when the next event is read. */
	*dso = (struct pd_dso){ .id = space->nr_dsos++,
				.name = memcpy(dso + 1, m->name, name_size),
				.build_id_size = size };
	if (size)
		memcpy(dso->build_id, id, size);
	space->dsos[i] = (struct dso_slot){ hash, dso };
	return dso;
}

unsigned int pd_space_nr_dsos(const struct pd_space *space)
{
	return space->nr_dsos;
}

/* --- processes --- */

static struct process **bucket(struct pd_space *space, uint32_t pid)
{
	return &space->buckets[pid % NR_BUCKETS];
}

static struct process *find_process(struct pd_space *space, uint32_t pid)
{
	struct process *proc = space->last;

	if (proc && proc->pid == pid)
		return proc;
	for (proc = *bucket(space, pid); proc; proc = proc->next) {
		if (proc->pid == pid) {
			space->last = proc;
			return proc;
		}
	}
	return NULL;
}

static struct process *get_process(struct pd_space *space, uint32_t pid)
{
	struct process *proc = find_process(space, pid);

	if (proc) {
		proc->gone = false;
		return proc;
	}
	proc = calloc(1, sizeof(*proc));
	if (!proc)
		return NULL;
	proc->pid = pid;
	proc->threads = 1;
	proc->next = *bucket(space, pid);
	*bucket(space, pid) = proc;
	return proc;
}

static void forget_process(struct pd_space *space, uint32_t pid)
{
	struct process **link = bucket(space, pid), *proc;

	while (*link && (*link)->pid != pid)
		link = &(*link)->next;
	proc = *link;
	if (!proc || !proc->gone)
		return;
	*link = proc->next;
	if (space->last == proc)
		space->last = NULL;
	put_maps(proc->maps);
	free(proc);
}

static void bury_process(struct pd_space *space, struct process *proc)
{
	unsigned int i = space->nr_gone++ % NR_GONE;
	uint32_t oldest = space->gone[i];

	proc->gone = true;
	space->gone[i] = proc->pid;
	if (space->nr_gone > NR_GONE && oldest != proc->pid)
		forget_process(space, oldest);
}

static void clear_maps(struct process *proc)
{
	put_maps(proc->maps);
	proc->maps = NULL;
	proc->jitdump = NULL;
}

/* --- mappings --- */

/* The first mapping that ends after addr. */
static unsigned int find_index(const struct maps *maps, uint64_t addr)
{
	unsigned int low = 0, high = maps->nr;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (maps->v[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Make the maps the process's own, with room for two more. False: no memory. */
static bool own_maps(struct process *proc)
{
	struct maps *old = proc->maps, *maps;
	unsigned int nr = old ? old->nr : 0;
	unsigned int cap = nr + 2 < 16 ? 16 : (nr + 2) * 3 / 2;

	if (old && old->refs == 1 && nr + 2 <= old->cap)
		return true;
	if (old && old->refs == 1) {
		maps = realloc(old, sizeof(*maps) + cap * sizeof(*maps->v));
		if (!maps)
			return false;
	} else {
		maps = malloc(sizeof(*maps) + cap * sizeof(*maps->v));
		if (!maps)
			return false;
		maps->refs = 1;
		maps->nr = nr;
		if (nr)
			memcpy(maps->v, old->v, nr * sizeof(*maps->v));
		put_maps(old);
	}
	maps->cap = cap;
	proc->maps = maps;
	return true;
}

/* Replace n mappings at i by nr_new others. There is room. */
static void replace(struct maps *maps, unsigned int i, unsigned int n,
		    const struct pd_map *new, unsigned int nr_new)
{
	memmove(&maps->v[i + nr_new], &maps->v[i + n],
		(maps->nr - i - n) * sizeof(*maps->v));
	memcpy(&maps->v[i], new, nr_new * sizeof(*new));
	maps->nr += nr_new - n;
}

static bool continues(const struct pd_map *a, const struct pd_map *b)
{
	return a->end == b->start && a->dso == b->dso && a->prot == b->prot &&
	       a->pgoff + (a->end - a->start) == b->pgoff;
}

/*
 * A new mapping covers what was there before. One that goes on where its
 * neighbour ends, in the file too, becomes one with it, so that code which lies
 * across the border is found whole.
 */
static bool add_map(struct process *proc, struct pd_map map)
{
	struct pd_map new[3];
	struct maps *maps;
	unsigned int first, end, n = 0;

	if (!own_maps(proc))
		return false;
	maps = proc->maps;
	first = end = find_index(maps, map.start);
	while (end < maps->nr && maps->v[end].start < map.end)
		end++;
	if (first < end && maps->v[first].start < map.start) {
		new[n] = maps->v[first];
		new[n++].end = map.start;
	} else if (first && maps->v[first - 1].end == map.start) {
		new[n++] = maps->v[--first];
	}
	if (n && continues(&new[0], &map)) {
		map.start = new[0].start;
		map.pgoff = new[0].pgoff;
		n = 0;
	}
	new[n++] = map;
	if (first < end && maps->v[end - 1].end > map.end) {
		const struct pd_map *cut = &maps->v[end - 1];

		new[n] = *cut;
		new[n].start = map.end;
		new[n++].pgoff += map.end - cut->start;
	} else if (end < maps->nr && maps->v[end].start == map.end) {
		new[n++] = maps->v[end++];
	}
	if (n > 1 && continues(&new[n - 2], &new[n - 1])) {
		new[n - 2].end = new[n - 1].end;
		n--;
	}
	replace(maps, first, end - first, new, n);
	return true;
}

bool pd_is_jitdump(const char *name)
{
	const char *base = strrchr(name, '/');
	size_t digits;

	base = base ? base + 1 : name;
	if (strncmp(base, "jit-", 4))
		return false;
	digits = strspn(base + 4, "0123456789");
	return digits && !strcmp(base + 4 + digits, ".dump");
}

static int event_mmap(struct pd_space *space, const struct pd_event *ev)
{
	const struct pd_mmap *m = &ev->mmap;
	struct pd_map map = {
		.start = m->start,
		.end = m->start + m->len,
		.pgoff = m->pgoff,
		.prot = m->prot,
		.kernel = m->kernel,
	};
	struct process *proc;

	if (map.end < map.start)
		map.end = UINT64_MAX;
	if (map.end == map.start)
		return 0;
	map.dso = find_dso(space, m);
	proc = m->kernel ? &space->kernel : get_process(space, ev->pid);
	if (!map.dso || !proc || !add_map(proc, map))
		return PD_ENOMEM;
	if (pd_is_jitdump(m->name))
		proc->jitdump = map.dso;
	if (kernel_symbol(m))
		space->kernel_at = (struct pd_kernel){
			map.dso, map.dso->name + strlen(KERNEL_NAME), m->pgoff
		};
	return 0;
}

static int event_fork(struct pd_space *space, const struct pd_event *ev)
{
	struct process *parent, *child;

	child = get_process(space, ev->pid);
	if (!child)
		return PD_ENOMEM;
	if (ev->pid == ev->task.ppid) {
		child->threads++;
		return 0;
	}
	child->threads = 1;
	clear_maps(child);
	if (ev->task.keeps_no_maps)
		return 0;
	parent = find_process(space, ev->task.ppid);
	if (parent)
		child->jitdump = parent->jitdump;
	if (parent && parent->maps) {
		child->maps = parent->maps;
		child->maps->refs++;
	}
	return 0;
}

int pd_space_event(struct pd_space *space, const struct pd_event *ev)
{
	struct process *proc;

	switch (ev->type) {
	case PERF_RECORD_MMAP:
		return event_mmap(space, ev);
	case PERF_RECORD_FORK:
		return event_fork(space, ev);
	case PERF_RECORD_COMM:
		proc = get_process(space, ev->pid);
		if (!proc)
			return PD_ENOMEM;
		if (ev->comm.exec)
			clear_maps(proc);
		return 0;
	case PERF_RECORD_EXIT:
		proc = find_process(space, ev->pid);
		if (proc && !proc->gone && --proc->threads <= 0)
			bury_process(space, proc);
		return 0;
	default:
		return 0;
	}
}

static const struct pd_map *find_map(struct process *proc, uint64_t addr)
{
	const struct maps *maps = proc->maps;
	const struct pd_map *map;

	if (!maps)
		return NULL;
	if (proc->hit < maps->nr) {
		map = &maps->v[proc->hit];
		if (addr - map->start < map->end - map->start)
			return map;
	}
	proc->hit = find_index(maps, addr);
	map = &maps->v[proc->hit];
	return proc->hit < maps->nr && map->start <= addr ? map : NULL;
}

const struct pd_map *pd_space_find(struct pd_space *space, uint32_t pid,
				   uint64_t addr)
{
	struct process *proc = find_process(space, pid);
	const struct pd_map *map = proc ? find_map(proc, addr) : NULL;

	return map ? map : find_map(&space->kernel, addr);
}

struct pd_kernel pd_space_kernel(const struct pd_space *space)
{
	return space->kernel_at;
}

const struct pd_dso *pd_space_jitdump(struct pd_space *space, uint32_t pid)
{
	const struct process *proc = find_process(space, pid);

	return proc ? proc->jitdump : NULL;
}
