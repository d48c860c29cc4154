// SPDX-License-Identifier: GPL-2.0-only
/*
 * .pseudo_probe_desc is a list of functions: number and checksum, 8 bytes each, the
 * name's length and the name.
 *
 * .pseudo_probe is a list of trees, a function each with what was inlined in it. A node
 * is the function's number, how many probes and how many branches it has, and these; a
 * branch begins with the probe of the call. A probe is its number, a byte of flags, and
 * the way from the probe before it. The first one's begins where the function does: at
 * the symbol whose name has the function's number, or, if the function was renamed or
 * split since it was numbered, the number that stands in a probe in front.
 *
 * Lengths and numbers of things are LEB128.
 */
#include "profile/probes.h"
#include "base/array.h"
#include "base/cursor.h"
#include "base/md5.h"

#include <stdlib.h>
#include <string.h>

/* A probe's byte of flags. */
enum {
	TYPE = 0x0f, /* 0: a block, else a call */
	SENTINEL = 0x20, /* the one in front, that says where the tree begins */
	HAS_DISCRIMINATOR = 0x40,
	IS_WAY = 0x80, /* what follows is no address, but the way from the last */
};

/* Inlining ends long before; damaged data does not. */
enum { MAX_DEPTH = 500 };

struct reader {
	struct prof_probes *probes;
	struct cursor in;
	const struct prof_probe_bytes *bytes;
	uint64_t addr; /* of the probe before */
	bool wanted; /* is the tree at work? */
	bool no_memory;
};

/* --- functions --- */

static uint32_t hash_guid(uint64_t guid)
{
	return hash_u64(guid);
}

/* PROF_NO_PROBED: nothing is known of it. */
static uint32_t find_func(const struct prof_probes *probes, uint64_t guid)
{
	struct hash_slot *slot;

	if (!probes->by_guid.nr)
		return PROF_NO_PROBED;
	hash_for_each(&probes->by_guid, slot, hash_guid(guid))
		if (probes->funcs[slot->number - 1].guid == guid)
			return slot->number - 1;
	return PROF_NO_PROBED;
}

/* The first of those with that number stays. */
static bool add_func(struct prof_probes *probes, const struct prof_probed *func)
{
	const uint32_t hash = hash_guid(func->guid);
	struct hash_slot *slot;

	if (!hash_room(&probes->by_guid) ||
	    !array_room(&probes->funcs, probes->nr_funcs, &probes->cap_funcs,
			sizeof(*func)))
		return false;
	hash_for_each(&probes->by_guid, slot, hash)
		if (probes->funcs[slot->number - 1].guid == func->guid)
			return true;
	hash_put(&probes->by_guid, slot, hash, probes->nr_funcs);
	probes->funcs[probes->nr_funcs++] = *func;
	return true;
}

static enum prof_probes_state read_funcs(struct prof_probes *probes,
					 struct cursor in)
{
	char *name;

	/* Each name takes less than its part of the section, so that a NUL fits. */
	probes->names = malloc(in.end - in.p);
	name = probes->names;
	if (!name)
		return PROF_PROBES_NO_MEMORY;
	while (in.p < in.end) {
		struct prof_probed func = { .guid = cursor_u64(&in), .name = name };
		const uint8_t *text;
		uint64_t size;

		func.checksum = cursor_u64(&in);
		size = cursor_uleb(&in);
		text = cursor_take(&in, size);
		if (in.cut || !text)
			return PROF_PROBES_DAMAGED;
		memcpy(name, text, size);
		name[size] = 0;
		name += size + 1;
		if (!add_func(probes, &func))
			return PROF_PROBES_NO_MEMORY;
	}
	return PROF_PROBES_OK;
}

/* --- where functions begin --- */

uint64_t prof_probe_guid(const char *name)
{
	uint8_t digest[MD5_SIZE];
	uint64_t guid = 0;
	unsigned int i;

	md5(digest, name, strlen(name));
	for (i = 0; i < 8; i++)
		guid |= (uint64_t)digest[i] << 8 * i;
	return guid;
}

/* False: no function that is wanted has that number. */
static bool find_start(const struct reader *r, uint64_t guid, uint64_t *addr)
{
	const struct prof_probe_start *starts = r->bytes->starts;
	size_t n = array_upto(starts, r->bytes->nr_starts, sizeof(*starts), guid);

	if (!n || starts[n - 1].guid != guid)
		return false;
	*addr = starts[n - 1].addr;
	return true;
}

/* --- probes --- */

static bool add_probe(struct reader *r, const struct prof_probe *probe)
{
	struct prof_probes *probes = r->probes;

	if (array_room(&probes->v, probes->nr, &probes->cap, sizeof(*probes->v)))
		probes->v[probes->nr++] = *probe;
	else
		r->no_memory = true;
	return !r->no_memory;
}

/* Where the tree begins is known by now, or it is passed over. */
static bool read_probe(struct reader *r, uint32_t scope)
{
	struct prof_probe probe = { .scope = scope, .id = cursor_uleb(&r->in) };
	uint8_t flags = 0;

	cursor_copy(&r->in, &flags, 1);
	probe.is_call = flags & TYPE;
	if (flags & IS_WAY)
		probe.addr = r->addr + cursor_sleb(&r->in);
	else
		probe.addr = cursor_u64(&r->in) + r->bytes->moved;
	if (flags & HAS_DISCRIMINATOR)
		probe.discriminator = cursor_uleb(&r->in);
	if (r->in.cut)
		return false;
	if (flags & SENTINEL && !(flags & IS_WAY))
		r->wanted = find_start(r, probe.addr - r->bytes->moved, &r->addr);
	else
		r->addr = probe.addr;
	return !r->wanted || flags & SENTINEL || add_probe(r, &probe);
}

static bool read_node(struct reader *r, struct prof_probe_scope *scope,
		      uint64_t *nr_inlined)
{
	struct prof_probes *probes = r->probes;
	const uint64_t guid = cursor_u64(&r->in);
	uint64_t nr;

	scope->func = find_func(probes, guid);
	if (scope->parent == PROF_NO_PROBED)
		r->wanted = find_start(r, guid, &r->addr);
	nr = cursor_uleb(&r->in);
	*nr_inlined = cursor_uleb(&r->in);
	if (r->in.cut)
		return false;
	if (!array_room(&probes->scopes, probes->nr_scopes, &probes->cap_scopes,
			sizeof(*scope))) {
		r->no_memory = true;
		return false;
	}
	probes->scopes[probes->nr_scopes++] = *scope;
	for (; nr; nr--)
		if (!read_probe(r, probes->nr_scopes - 1))
			return false;
	return true;
}

/* A function with all that was inlined in it. */
static bool read_tree(struct reader *r)
{
	struct {
		uint32_t scope;
		uint64_t nr_left; /* what was inlined in it, and is not read yet */
	} stack[MAX_DEPTH];
	struct prof_probe_scope scope = { .parent = PROF_NO_PROBED };
	const size_t first = r->probes->nr_scopes, nr = r->probes->nr;
	unsigned int depth = 0;

	stack[0].scope = first;
	if (!read_node(r, &scope, &stack[0].nr_left))
		return false;
	while (depth || stack[0].nr_left) {
		if (!stack[depth].nr_left) {
			depth--;
			continue;
		}
		stack[depth].nr_left--;
		scope.parent = stack[depth].scope;
		scope.call = cursor_uleb(&r->in);
		if (++depth == MAX_DEPTH)
			return false;
		stack[depth].scope = r->probes->nr_scopes;
		if (!read_node(r, &scope, &stack[depth].nr_left))
			return false;
	}
	if (!r->wanted) {
		r->probes->nr_scopes = first;
		r->probes->nr = nr;
	}
	return true;
}

static int by_addr(const void *va, const void *vb)
{
	const struct prof_probe *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->scope != b->scope)
		return a->scope < b->scope ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static struct cursor cursor_of(const void *p, size_t size)
{
	return (struct cursor){ .p = p,
				.end = (const uint8_t *)p + size,
				.swap = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ };
}

enum prof_probes_state prof_probes_read(struct prof_probes *probes,
					const struct prof_probe_bytes *bytes)
{
	struct reader r = { .probes = probes,
			    .in = cursor_of(bytes->trees, bytes->trees_size),
			    .bytes = bytes };
	enum prof_probes_state state;

	*probes = (struct prof_probes){ 0 };
	state = read_funcs(probes, cursor_of(bytes->funcs, bytes->funcs_size));
	while (state == PROF_PROBES_OK && r.in.p < r.in.end)
		if (!read_tree(&r))
			state = r.no_memory ? PROF_PROBES_NO_MEMORY :
					      PROF_PROBES_DAMAGED;
	if (state == PROF_PROBES_OK && probes->nr)
		qsort(probes->v, probes->nr, sizeof(*probes->v), by_addr);
	return state;
}

const struct prof_probed *prof_probed_func(const struct prof_probes *probes,
					   uint64_t guid)
{
	uint32_t func = find_func(probes, guid);

	return func == PROF_NO_PROBED ? NULL : &probes->funcs[func];
}

void prof_probes_free(struct prof_probes *probes)
{
	free(probes->v);
	free(probes->scopes);
	free(probes->funcs);
	free(probes->names);
	hash_free(&probes->by_guid);
	*probes = (struct prof_probes){ 0 };
}
