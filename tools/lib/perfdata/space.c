// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/space.h"
#include "base/array.h"
#include "base/hash.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/*
 * The mappings of one address space, sorted by address, none overlapping. Shared
 * by a process and the children it forked until one of them changes it.
 *
 * A program may have any number of them, at any addresses, and no event tells that one is
 * gone. So they are in about as many pieces as a piece has room for. All pieces but the last
 * one are full, and each is a ring: to put a mapping in or to take one out moves mappings of
 * one piece, and one from each piece behind it to the next.
 */
struct maps {
	unsigned int refs;
	unsigned int nr, cap;
	unsigned int copied; /* of the process from which it was forked */
	unsigned int shift; /* a piece has room for 1 << shift */
	unsigned int *heads; /* where each piece begins in its ring */
	struct pd_map v[];
};

struct process {
	uint32_t pid;
	uint32_t parent; /* whose memory it has; PD_NO_ID: it has its own */
	unsigned int workers; /* threads that run, besides the leader */
	bool leader_ended;
	bool execs; /* it starts a program, of which nothing is mapped yet */
	bool buried; /* its pid is in pd_space.graves */
	bool stirs; /* something was heard of it after its end */
	unsigned int hit; /* the mapping found last */
	struct maps *maps; /* NULL: none */
	const struct pd_dso *jitdump; /* NULL: none */
};

#define KERNEL_NAME "[kernel.kallsyms]"

/*
 * The maps of a process that ended are kept for a while: samples of its last moments
 * may follow its EXIT. In a long recording of a whole system, most of the memory would
 * otherwise be the maps of the dead.
 *
 * A process has ended when its leader has, and each other thread that is known. Where
 * a FORK is lost, this may be believed of a process that goes on. So each sample and each
 * event after the end has it kept for as long again. Where an EXIT is lost, the maps are
 * kept until the pid is used again.
 */
enum { NR_GRAVES = 256 };

/*
 * A child copies the maps of its parent when it maps code itself. All such copies that are kept
 * have at most so many mappings, of 64 bytes. 40,000 servers that live and have forked from one
 * with 100 mappings take as many.
 */
enum { MOST_COPIED = 1 << 22 };

struct pd_space {
	struct pd *pd;
	uint64_t changes; /* events that are no samples */
	struct process *processes;
	size_t nr_processes, cap_processes;
	struct hash pid_hash;
	struct process *last; /* that was looked for; NULL: none */
	struct process kernel;
	struct pd_kernel kernel_at;
	uint32_t graves[NR_GRAVES]; /* pids of processes that have ended */
	uint64_t graves_seen; /* used or passed by, in turn */
	struct pd_dso **dsos; /* by id */
	size_t nr_dsos, cap_dsos;
	struct hash dso_hash;
	struct hash name_hash; /* the first object of each name */
	size_t nr_build_ids; /* of the recording's, which the dsos have */
	uint64_t copied; /* mappings in all maps that were copied */
	uint64_t left_out; /* mappings for which there were too many copies */
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

static void put_maps(struct pd_space *space, struct maps *maps)
{
	if (!maps || --maps->refs)
		return;
	space->copied -= maps->copied;
	free(maps);
}

void pd_space_free(struct pd_space *space)
{
	size_t i;

	if (!space)
		return;
	for (i = 0; i < space->nr_processes; i++)
		put_maps(space, space->processes[i].maps);
	free(space->processes);
	hash_free(&space->pid_hash);
	put_maps(space, space->kernel.maps);
	for (i = 0; i < space->nr_dsos; i++) {
		free(space->dsos[i]->label);
		free(space->dsos[i]);
	}
	free(space->dsos);
	hash_free(&space->dso_hash);
	hash_free(&space->name_hash);
	free(space);
}

/* --- files --- */

/* Whatever perf itself tells of the kernel is its code. */
static bool is_code(const struct pd_mmap *m)
{
	return m->kernel || m->prot & PROT_EXEC;
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

/*
 * A file that is replaced while it runs, or is in a container, may have the name of another.
 * Of data it does not matter.
 */
static const struct pd_dso *note_code(struct pd_dso *dso, const struct pd_mmap *m)
{
	if (!is_code(m))
		return dso;
	dso->rewritten |= m->build_id_size;
	if (!dso->inode) {
		dso->inode = m->inode;
		dso->device = m->device;
	} else if (m->inode && (m->inode != dso->inode || m->device != dso->device)) {
		dso->several = true;
	}
	return dso;
}

size_t pd_name_length(const char *name)
{
	static const char removed[] = " (deleted)";
	const size_t len = strlen(name), end = sizeof(removed) - 1;

	return len > end && !strcmp(name + len - end, removed) ? len - end : len;
}

/* What is known under this name and build id, or NULL with the slot for it. There is room. */
static struct pd_dso *look_for_dso(const struct pd_space *space, const char *name, size_t len,
				   const uint8_t *id, unsigned int size, bool made,
				   uint32_t *hash, struct hash_slot **slot)
{
	*hash = hash_bytes(0, name, len);
	if (size)
		*hash = hash_bytes(*hash, id, size);
	hash_for_each(&space->dso_hash, *slot, *hash) {
		struct pd_dso *dso = space->dsos[(*slot)->number - 1];

		if (dso->build_id_size == size && dso->made == made &&
		    !strncmp(dso->name, name, len) && !dso->name[len] &&
		    (!size || !memcmp(dso->build_id, id, size)))
			return dso;
	}
	return NULL;
}

/* There is room. What has no build id may be any of those that have the name. */
static void note_name(struct pd_space *space, struct pd_dso *dso)
{
	const uint32_t hash = hash_bytes(0, dso->name, strlen(dso->name));
	struct hash_slot *slot;

	hash_for_each(&space->name_hash, slot, hash) {
		struct pd_dso *first = space->dsos[slot->number - 1];

		if (strcmp(first->name, dso->name))
			continue;
		if (!first->build_id_size)
			slot->number = dso->id + 1;
		else if (dso->build_id_size &&
			 memcmp(first->build_id, dso->build_id, sizeof(dso->build_id)))
			first->shares_name = dso->shares_name = true;
		return;
	}
	hash_put(&space->name_hash, slot, hash, dso->id);
}

/* The name stands behind the object. */
static char *name_of(struct pd_dso *dso)
{
	return (char *)(dso + 1);
}

/*
 * The one object for this name and build id. made: as of struct pd_dso. NULL: out of memory.
 */
static const struct pd_dso *find_dso(struct pd_space *space, const struct pd_mmap *m, bool made)
{
	unsigned int size = m->build_id_size;
	const uint8_t *id = m->build_id;
	struct hash_slot *slot;
	struct pd_dso *dso;
	uint32_t hash;
	size_t len;

	if (!size && !made && space->pd)
		id = pd_build_id(space->pd,
				 kernel_symbol(m) ? KERNEL_NAME : m->name,
				 &size);
	if (!id)
		size = 0;
	if (!hash_room(&space->dso_hash) || !hash_room(&space->name_hash) ||
	    !array_room(&space->dsos, space->nr_dsos, &space->cap_dsos,
			sizeof(*space->dsos)))
		return NULL;
	len = size ? pd_name_length(m->name) : strlen(m->name);
	dso = look_for_dso(space, m->name, len, id, size, made, &hash, &slot);
	if (dso)
		return note_code(dso, m);
	dso = malloc(sizeof(*dso) + len + 1);
	if (!dso)
		return NULL;
	/* The recording's own copies go when the next event is read. */
	*dso = (struct pd_dso){ .id = space->nr_dsos, .name = name_of(dso),
				.build_id_size = size, .made = made };
	memcpy(name_of(dso), m->name, len);
	name_of(dso)[len] = '\0';
	if (size)
		memcpy(dso->build_id, id, size);
	hash_put(&space->dso_hash, slot, hash, dso->id);
	note_name(space, dso);
	space->dsos[space->nr_dsos++] = dso;
	return note_code(dso, m);
}

/* A file that is mapped and has no build id has this one. False: out of memory. */
static bool give_build_id(struct pd_space *space, const char *name, const uint8_t *id,
			  unsigned int size)
{
	struct hash_slot *slot;
	struct pd_dso *dso;
	uint32_t hash;
	size_t len;

	if (!strcmp(name, KERNEL_NAME) && space->kernel_at.dso)
		name = space->kernel_at.dso->name;
	if (!hash_room(&space->dso_hash))
		return false;
	dso = look_for_dso(space, name, strlen(name), NULL, 0, false, &hash, &slot);
	if (!dso || !size)
		return true;
	/* It stays in the slot of the name alone, where nothing without an id finds it now. */
	len = pd_name_length(name);
	if (!look_for_dso(space, name, len, id, size, false, &hash, &slot))
		hash_put(&space->dso_hash, slot, hash, dso->id);
	name_of(dso)[len] = '\0';
	memcpy(dso->build_id, id, size);
	dso->build_id_size = size;
	note_name(space, dso);
	space->changes++;
	return true;
}

/*
 * In a pipe, perf writes a build id before the first sample of its file. That may be
 * behind its mapping.
 */
static bool take_build_ids(struct pd_space *space)
{
	const uint8_t *id;
	unsigned int size;
	const char *name;

	while (space->pd &&
	       (name = pd_next_build_id(space->pd, &space->nr_build_ids, &id, &size)))
		if (!give_build_id(space, name, id, size))
			return false;
	return true;
}

const struct pd_dso *pd_space_dso(const struct pd_space *space, unsigned int id)
{
	return space->dsos[id];
}

unsigned int pd_space_nr_dsos(const struct pd_space *space)
{
	return space->nr_dsos;
}

const char *pd_space_label(struct pd_space *space, const struct pd_dso *dso)
{
	char **label = &space->dsos[dso->id]->label;
	const uint8_t *id = dso->build_id;

	if (!dso->shares_name || dso->build_id_size < 4)
		return dso->name;
	if (!*label && asprintf(label, "%s [%02x%02x%02x%02x]", dso->name, id[0], id[1], id[2],
				id[3]) < 0)
		*label = NULL;
	return *label ?: dso->name;
}

/* --- processes --- */

/* A process that is known, or NULL with the slot for it. */
static struct process *look_up(const struct pd_space *space, uint32_t pid,
			       struct hash_slot **slot)
{
	hash_for_each(&space->pid_hash, *slot, hash_u64(pid)) {
		struct process *proc = &space->processes[(*slot)->number - 1];

		if (proc->pid == pid)
			return proc;
	}
	return NULL;
}

static struct process *find_process(struct pd_space *space, uint32_t pid)
{
	struct hash_slot *slot;

	if (!space->last || space->last->pid != pid)
		space->last = space->nr_processes ? look_up(space, pid, &slot) :
						    NULL;
	return space->last;
}

/* All others may move by it. NULL: out of memory. */
static struct process *get_process(struct pd_space *space, uint32_t pid)
{
	struct process *proc;
	struct hash_slot *slot;

	if (!hash_room(&space->pid_hash) ||
	    !array_room(&space->processes, space->nr_processes,
			&space->cap_processes, sizeof(*proc)))
		return NULL;
	space->last = NULL;
	proc = look_up(space, pid, &slot);
	if (!proc) {
		hash_put(&space->pid_hash, slot, hash_u64(pid),
			 space->nr_processes);
		proc = &space->processes[space->nr_processes++];
		*proc = (struct process){ .pid = pid, .parent = PD_NO_ID };
	}
	return proc;
}

static void clear_maps(struct pd_space *space, struct process *proc)
{
	put_maps(space, proc->maps);
	proc->maps = NULL;
	proc->jitdump = NULL;
	proc->parent = PD_NO_ID;
}

static bool has_ended(const struct process *proc)
{
	return proc->leader_ended && !proc->workers;
}

/*
 * The next grave for a process. The one that it was for is forgotten, unless it lives,
 * because its pid was used again. A process that stirred meanwhile stays until its next turn.
 */
static uint32_t *take_grave(struct pd_space *space)
{
	for (;;) {
		uint32_t *grave = &space->graves[space->graves_seen++ % NR_GRAVES];
		struct process *proc;

		if (space->graves_seen <= NR_GRAVES)
			return grave;
		proc = find_process(space, *grave);
		if (!has_ended(proc)) {
			proc->buried = false;
			return grave;
		}
		if (!proc->stirs) {
			put_maps(space, proc->maps);
			*proc = (struct process){ .pid = proc->pid, .parent = PD_NO_ID };
			return grave;
		}
		proc->stirs = false;
	}
}

static void bury_process(struct pd_space *space, struct process *proc)
{
	/* Of a process before with its pid there may be a grave, which is older. */
	proc->stirs = proc->buried;
	if (proc->buried)
		return;
	*take_grave(space) = proc->pid;
	proc->buried = true;
}

/* --- mappings --- */

static struct pd_map *map_at(struct maps *maps, unsigned int i)
{
	const unsigned int piece = i >> maps->shift, mask = (1u << maps->shift) - 1;

	return &maps->v[(piece << maps->shift) + ((maps->heads[piece] + i) & mask)];
}

/* The first mapping that ends after addr. */
static unsigned int find_index(struct maps *maps, uint64_t addr)
{
	unsigned int low = 0, high = maps->nr;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (map_at(maps, middle)->end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* With room for at least nr, a power of two. The pieces are at most as many as one has room for. */
static struct maps *new_maps(unsigned int nr)
{
	enum { ONE_PIECE = 6 };
	unsigned int bits = 4, shift, cap;
	struct maps *maps;

	while (nr > 1u << bits)
		bits++;
	cap = 1u << bits;
	shift = bits <= ONE_PIECE ? bits : bits / 2 < ONE_PIECE ? ONE_PIECE : (bits + 1) / 2;
	maps = malloc(sizeof(*maps) + cap * sizeof(*maps->v) +
		      (cap >> shift) * sizeof(*maps->heads));
	if (!maps)
		return NULL;
	*maps = (struct maps){ .refs = 1, .cap = cap, .shift = shift,
			       .heads = (unsigned int *)&maps->v[cap] };
	memset(maps->heads, 0, (cap >> shift) * sizeof(*maps->heads));
	return maps;
}

static bool is_shared(const struct maps *maps)
{
	return maps && maps->refs > 1;
}

/* Make the maps the process's own, with room for two more. False: no memory. */
static bool own_maps(struct pd_space *space, struct process *proc)
{
	struct maps *old = proc->maps, *maps;
	const unsigned int nr = old ? old->nr : 0;

	if (old && !is_shared(old) && nr + 2 <= old->cap)
		return true;
	maps = new_maps(nr + 2);
	if (!maps)
		return false;
	for (; maps->nr < nr; maps->nr++)
		maps->v[maps->nr] = *map_at(old, maps->nr);
	if (old)
		maps->copied = is_shared(old) ? nr : old->copied;
	space->copied += maps->copied;
	put_maps(space, old);
	proc->maps = maps;
	return true;
}

static void turn(struct maps *maps, unsigned int piece, unsigned int by)
{
	maps->heads[piece] = (maps->heads[piece] + by) & ((1u << maps->shift) - 1);
}

/* There is room. */
static void insert(struct maps *maps, unsigned int i, const struct pd_map *new)
{
	const unsigned int piece = i >> maps->shift, begin = piece << maps->shift;
	unsigned int end = begin + (1u << maps->shift) - 1, last = maps->nr >> maps->shift, j;

	if (end > maps->nr)
		end = maps->nr;
	for (; last > piece; last--) {
		turn(maps, last, -1u);
		*map_at(maps, last << maps->shift) = *map_at(maps, (last << maps->shift) - 1);
	}
	/* Linux puts most mappings below all others. */
	if (i - begin < end - i) {
		turn(maps, piece, -1u);
		for (j = begin; j < i; j++)
			*map_at(maps, j) = *map_at(maps, j + 1);
	} else {
		for (j = end; j > i; j--)
			*map_at(maps, j) = *map_at(maps, j - 1);
	}
	*map_at(maps, i) = *new;
	maps->nr++;
}

static void delete(struct maps *maps, unsigned int i)
{
	const unsigned int last = --maps->nr >> maps->shift;
	unsigned int piece = i >> maps->shift;
	unsigned int end = (piece << maps->shift) + (1u << maps->shift) - 1;

	for (; i < end && i < maps->nr; i++)
		*map_at(maps, i) = *map_at(maps, i + 1);
	while (piece++ < last) {
		*map_at(maps, (piece << maps->shift) - 1) = *map_at(maps, piece << maps->shift);
		turn(maps, piece, 1);
	}
}

/* Replace n mappings at i by nr_new others. There is room. */
static void replace(struct maps *maps, unsigned int i, unsigned int n,
		    const struct pd_map *new, unsigned int nr_new)
{
	for (; n && nr_new; n--, nr_new--)
		*map_at(maps, i++) = *new++;
	for (; nr_new; nr_new--)
		insert(maps, i++, new++);
	/* To move all that follow takes less than to take out so many one by one. */
	if (n > 1u << maps->shift) {
		for (maps->nr -= n; i < maps->nr; i++)
			*map_at(maps, i) = *map_at(maps, i + n);
		return;
	}
	while (n--)
		delete(maps, i);
}

static bool continues(const struct pd_map *a, const struct pd_map *b)
{
	return a->end == b->start && a->dso == b->dso && a->prot == b->prot &&
	       a->since == b->since && a->written == b->written &&
	       a->pgoff + (a->end - a->start) == b->pgoff;
}

static bool is_writable_code(const struct pd_map *map)
{
	return map->prot & PROT_WRITE && map->prot & PROT_EXEC;
}

/*
 * A new mapping, at this time, takes the place of those from first to end. The same may be told
 * once more.
 */
static void note_place(struct maps *maps, unsigned int first, unsigned int end,
		       struct pd_map *map, uint64_t time)
{
	for (; first < end; first++) {
		const struct pd_map *old = map_at(maps, first);

		if (old->dso != map->dso ||
		    old->pgoff - old->start != map->pgoff - map->start) {
			map->since = time == PD_NO_TIME ? 0 : time;
			map->written = false;
			return;
		}
		if (old->since > map->since)
			map->since = old->since;
		map->written |= old->written || (is_writable_code(map) && old->prot & PROT_EXEC &&
						 !is_writable_code(old));
	}
}

/*
 * A new mapping covers what was there before. One that goes on where its
 * neighbour ends, in the file too, becomes one with it, so that code which lies
 * across the border is found whole.
 */
static bool add_map(struct pd_space *space, struct process *proc, struct pd_map map,
		    uint64_t time)
{
	struct pd_map new[3];
	struct maps *maps;
	unsigned int first, end, n = 0;

	if (!own_maps(space, proc))
		return false;
	maps = proc->maps;
	first = end = find_index(maps, map.start);
	while (end < maps->nr && map_at(maps, end)->start < map.end)
		end++;
	note_place(maps, first, end, &map, time);
	space->dsos[map.dso->id]->rewritten |= map.written;
	if (first < end && map_at(maps, first)->start < map.start) {
		new[n] = *map_at(maps, first);
		new[n++].end = map.start;
	} else if (first && map_at(maps, first - 1)->end == map.start) {
		new[n++] = *map_at(maps, --first);
	}
	if (n && continues(&new[0], &map)) {
		map.start = new[0].start;
		map.pgoff = new[0].pgoff;
		n = 0;
	}
	new[n++] = map;
	if (first < end && map_at(maps, end - 1)->end > map.end) {
		const struct pd_map *cut = map_at(maps, end - 1);

		new[n] = *cut;
		new[n].start = map.end;
		new[n++].pgoff += map.end - cut->start;
	} else if (end < maps->nr && map_at(maps, end)->start == map.end) {
		new[n++] = *map_at(maps, end++);
	}
	if (n > 1 && continues(&new[n - 2], &new[n - 1])) {
		new[n - 2].end = new[n - 1].end;
		n--;
	}
	replace(maps, first, end - first, new, n);
	return true;
}

const char *pd_made_binary(const char *name)
{
	return strncmp(name, "bpf_", strlen("bpf_")) ? "[kernel]" : "[bpf]";
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

static bool covers(struct maps *maps, const struct pd_map *map)
{
	const unsigned int first = maps ? find_index(maps, map->start) : 0;

	return maps && first < maps->nr && map_at(maps, first)->start < map->end;
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
	bool is_jitdump;

	if (map.end < map.start)
		map.end = UINT64_MAX;
	if (map.end == map.start)
		return 0;
	proc = m->kernel ? &space->kernel : get_process(space, ev->pid);
	if (!proc)
		return PD_ENOMEM;
	proc->execs = false;
	/* Nobody looks for data, of which perf record -d tells a lot. */
	is_jitdump = pd_is_jitdump(m->name);
	if (!is_code(m) && !is_jitdump && !covers(proc->maps, &map))
		return 0;
	map.dso = find_dso(space, m, false);
	if (!map.dso)
		return PD_ENOMEM;
	if (is_shared(proc->maps) && space->copied + proc->maps->nr > MOST_COPIED)
		space->left_out++;
	else if (!add_map(space, proc, map, ev->time))
		return PD_ENOMEM;
	if (is_jitdump)
		proc->jitdump = map.dso;
	if (kernel_symbol(m))
		space->kernel_at = (struct pd_kernel){
			map.dso, map.dso->name + strlen(KERNEL_NAME), m->pgoff
		};
	return 0;
}

/* --- code that the kernel makes --- */

/* Code that was made at this address, or NULL. *i is its index, or that of the next mapping. */
static struct pd_map *made_at(const struct pd_space *space, uint64_t addr, unsigned int *i)
{
	struct maps *maps = space->kernel.maps;
	struct pd_map *map;

	*i = maps ? find_index(maps, addr) : 0;
	map = maps && *i < maps->nr ? map_at(maps, *i) : NULL;
	return map && map->start <= addr && map->dso->made ? map : NULL;
}

/*
 * Of a trampoline of BPF, Linux tells the size of a page, in which other code may be before and
 * behind it. It tells the size of a program as it is.
 */
static bool knows_size(const struct pd_ksymbol *k)
{
	return !strncmp(k->name, "bpf_prog_", strlen("bpf_prog_"));
}

/* The end of new code: where other code begins, if its size is not known. */
static uint64_t end_of_made(const struct pd_space *space, const struct pd_ksymbol *k)
{
	const uint64_t end = k->len <= UINT64_MAX - k->start ? k->start + k->len : UINT64_MAX;
	struct maps *maps = space->kernel.maps;
	unsigned int i;

	if (!maps || knows_size(k))
		return end;
	for (i = find_index(maps, k->start); i < maps->nr; i++) {
		const struct pd_map *map = map_at(maps, i);

		if (map->start >= end)
			break;
		if (map->start > k->start && map->dso->made)
			return map->start;
	}
	return end;
}

static int add_made(struct pd_space *space, const struct pd_event *ev)
{
	const struct pd_ksymbol *k = &ev->ksymbol;
	const struct pd_mmap m = { .kernel = true, .name = k->name };
	struct pd_map map = { .start = k->start, .end = end_of_made(space, k),
			      .prot = PROT_READ | PROT_EXEC, .kernel = true }, *before;
	unsigned int i;

	before = made_at(space, k->start, &i);
	if (before && before->start < k->start)
		before->end = k->start;
	map.dso = find_dso(space, &m, true);
	return map.dso && add_map(space, &space->kernel, map, ev->time) ? 0 : PD_ENOMEM;
}

/* An interpreter's programs have no code. A damaged record may have an address of users'. */
static int event_ksymbol(struct pd_space *space, const struct pd_event *ev)
{
	const struct pd_ksymbol *k = &ev->ksymbol;
	const struct pd_map *map;
	unsigned int i;

	if (!k->len || !(k->start >> 63))
		return 0;
	if (!k->removed)
		return add_made(space, ev);
	map = made_at(space, k->start, &i);
	if (map && map->start == k->start)
		delete(space->kernel.maps, i);
	return 0;
}

static int event_fork(struct pd_space *space, const struct pd_event *ev)
{
	struct process *parent, *child;

	child = get_process(space, ev->pid);
	if (!child)
		return PD_ENOMEM;
	if (ev->pid == ev->task.ppid) {
		child->workers++;
		return 0;
	}
	/* Of tasks that ran before, a leader may be told after its threads. */
	if (!ev->task.keeps_no_maps)
		child->workers = 0;
	child->leader_ended = false;
	child->execs = false;
	clear_maps(space, child);
	if (ev->task.keeps_no_maps)
		return 0;
	child->parent = ev->task.ppid;
	parent = find_process(space, ev->task.ppid);
	if (parent)
		child->jitdump = parent->jitdump;
	if (parent && parent->maps) {
		child->maps = parent->maps;
		child->maps->refs++;
	}
	return 0;
}

static void event_exit(struct pd_space *space, const struct pd_event *ev)
{
	struct process *proc = find_process(space, ev->pid);

	if (!proc)
		return;
	/* Linux writes one, too, if the program may not be dumped, for example a set-uid one. */
	if (proc->execs) {
		proc->execs = false;
		return;
	}
	if (ev->tid == ev->pid)
		proc->leader_ended = true;
	else if (proc->workers)
		proc->workers--;
	if (has_ended(proc))
		bury_process(space, proc);
}

static void note_life(struct pd_space *space, uint32_t pid)
{
	struct process *proc = find_process(space, pid);

	if (proc)
		proc->stirs = true;
}

int pd_space_event(struct pd_space *space, const struct pd_event *ev)
{
	struct process *proc;

	if (!take_build_ids(space))
		return PD_ENOMEM;
	space->changes += ev->type != PERF_RECORD_SAMPLE;
	if (space->graves_seen)
		note_life(space, ev->pid);
	switch (ev->type) {
	case PERF_RECORD_MMAP:
		return event_mmap(space, ev);
	case PERF_RECORD_KSYMBOL:
		return event_ksymbol(space, ev);
	case PERF_RECORD_FORK:
		return event_fork(space, ev);
	case PERF_RECORD_COMM:
		proc = get_process(space, ev->pid);
		if (!proc)
			return PD_ENOMEM;
		if (ev->comm.exec) {
			/* The thread that starts a program becomes the leader, and is alone. */
			proc->leader_ended = false;
			proc->execs = true;
			proc->workers = 0;
			clear_maps(space, proc);
		}
		return 0;
	case PERF_RECORD_EXIT:
		event_exit(space, ev);
		return 0;
	default:
		return 0;
	}
}

uint64_t pd_space_left_out(const struct pd_space *space)
{
	return space->left_out;
}

uint64_t pd_space_changes(const struct pd_space *space)
{
	return space->changes;
}

static const struct pd_map *find_map(struct process *proc, uint64_t addr)
{
	struct maps *maps = proc->maps;
	const struct pd_map *map;

	if (!maps)
		return NULL;
	if (proc->hit < maps->nr) {
		map = map_at(maps, proc->hit);
		if (addr - map->start < map->end - map->start)
			return map;
	}
	proc->hit = find_index(maps, addr);
	if (proc->hit == maps->nr)
		return NULL;
	map = map_at(maps, proc->hit);
	return map->start <= addr ? map : NULL;
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

uint32_t pd_space_parent(struct pd_space *space, uint32_t pid)
{
	const struct process *proc = find_process(space, pid);

	return proc ? proc->parent : PD_NO_ID;
}
