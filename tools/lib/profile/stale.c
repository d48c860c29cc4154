// SPDX-License-Identifier: GPL-2.0-only
#include "profile/stale.h"
#include "base/hash.h"
#include "riscv/rv_insn.h"

#include <stdlib.h>
#include <string.h>

/* What became of a function. */
struct fate {
	enum prof_stale_kind kind;
	uint64_t start; /* in the other build, if it is the same */
};

struct prof_stale {
	struct prof_code was;
	const struct prof_code *now;
	struct hash by_name; /* of the functions of now */
	struct fate *fates; /* by function of was */
};

/* --- code --- */

/* The bits that are no constant. Compressed constants are too small for addresses. */
static uint32_t fixed_bits(const struct rv_insn *insn)
{
	if (insn->size == 2)
		return insn->xfer == RV_XFER_DIR_JUMP ? 0xe003 : 0xffff;
	switch (insn->raw & 0x7f) {
	case 0x37: /* lui */
	case 0x17: /* auipc */
	case 0x6f: /* jal */
		return 0xfff;
	case 0x03: /* loads */
	case 0x07:
	case 0x13: /* addi, ... */
	case 0x1b:
	case 0x67: /* jalr */
		return 0xfffff;
	case 0x23: /* stores */
	case 0x27:
	case 0x63: /* branches */
		return 0x1fff07f;
	default:
		return UINT32_MAX;
	}
}

/* Do they lead to the same place of the function, or both out of it? at: of both. */
static bool same_target(const struct rv_insn *a, const struct rv_insn *b, uint64_t at,
			uint64_t size)
{
	const uint64_t to_a = at + (uint64_t)(int64_t)a->offset,
		       to_b = at + (uint64_t)(int64_t)b->offset;

	if (!a->has_offset)
		return true;
	return to_a == to_b || (to_a >= size && to_b >= size);
}

static bool same_code(const uint8_t *was, const uint8_t *now, uint64_t size, unsigned int flags)
{
	struct rv_insn a, b;
	uint64_t at;

	for (at = 0; at < size; at += a.size) {
		if (rv_decode(&a, was + at, size - at, flags) < 0 ||
		    rv_decode(&b, now + at, size - at, flags) < 0)
			return !memcmp(was + at, now + at, size - at);
		if (a.raw != b.raw &&
		    ((a.raw ^ b.raw) & fixed_bits(&a) || a.xfer != b.xfer ||
		     !same_target(&a, &b, at, size)))
			return false;
	}
	return true;
}

static bool is_same(const struct prof_stale *s, const struct img_symbol *was,
		    const struct img_symbol *now)
{
	const uint64_t size = was->end - was->start;
	uint64_t len_was, len_now;
	const uint8_t *a, *b;

	if (now->end - now->start != size)
		return false;
	a = prof_code_bytes(&s->was, was->start, &len_was);
	b = prof_code_bytes(s->now, now->start, &len_now);
	return a && b && size <= len_was && size <= len_now &&
	       same_code(a, b, size, s->now->rv32 ? RV_RV32 : 0);
}

/* --- functions --- */

enum { MAX_NAME = 4096 }; /* longer names are compared as they are */

enum { RUST_HASH = 20 }; /* of the old names: "17h", 16 digits, "E" */

static bool is_rust_hash(const char *at)
{
	return !strncmp(at, "17h", 3) && strspn(at + 3, "0123456789abcdef") == RUST_HASH - 4 &&
	       at[RUST_HASH - 1] == 'E';
}

static const char base_62[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* A letter, digits of base 62 and '_'. Returns the size of all, or 0 if it is something else. */
static size_t base_62_size(const char *at)
{
	const size_t digits = strspn(at + 1, base_62);

	return at[1 + digits] == '_' ? digits + 2 : 0;
}

/* An identifier: how long it is, perhaps '_', and so many bytes. Returns the size of all, or 0. */
static size_t identifier_size(const char *at)
{
	const size_t digits = strspn(at, "0123456789");
	const size_t size = digits && digits < 5 ? strtoul(at, NULL, 10) : 0;
	const size_t head = digits + (at[digits] == '_');

	return size && strnlen(at + head, size) == size ? head + size : 0;
}

/*
 * Copy a name without what is different in each version of a Rust crate: the hash in old names,
 * and in new ones ("_R") the number of the crate, "Cs...", and places in the name itself,
 * "B...", which move with it.
 */
static const char *stable_name(const char *name, char *copy, size_t size)
{
	const bool is_new = !strncmp(name, "_R", 2);
	const char *at = name;
	size_t n = 0, skip, keep;

	if ((!is_new && strncmp(name, "_ZN", 3)) || strlen(name) >= size)
		return name;
	for (; *at; at += keep + skip) {
		keep = skip = 0;
		if (is_new && *at == 'B')
			skip = base_62_size(at);
		else if (is_new && !strncmp(at, "Cs", 2))
			skip = base_62_size(at + 1) + !!base_62_size(at + 1);
		else if (is_new)
			keep = identifier_size(at);
		else if (is_rust_hash(at))
			skip = RUST_HASH;
		keep = keep || skip ? keep : 1;
		memcpy(copy + n, at, keep);
		n += keep;
	}
	copy[n] = 0;
	return copy;
}

static bool same_name(const char *a, const char *b)
{
	char one[MAX_NAME], two[MAX_NAME];

	return !strcmp(stable_name(a, one, sizeof(one)), stable_name(b, two, sizeof(two)));
}

static uint32_t hash_of(const char *name)
{
	char copy[MAX_NAME];

	name = stable_name(name, copy, sizeof(copy));
	return hash_bytes(0, name, strlen(name));
}

static bool index_names(struct prof_stale *s)
{
	const struct img_symtab *table = &s->now->symbols;
	struct hash_slot *slot;
	uint32_t hash;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (!hash_room(&s->by_name))
			return false;
		hash = hash_of(table->v[i].name);
		/* Several static functions may have one name. */
		slot = hash_first(&s->by_name, hash);
		while (slot->number)
			slot = hash_next(&s->by_name, slot);
		hash_put(&s->by_name, slot, hash, i);
	}
	return true;
}

static struct fate fate_of(const struct prof_stale *s, const struct img_symbol *was)
{
	struct fate fate = { .kind = PROF_STALE_GONE }, alike = fate;
	bool several = false, exact = false;
	struct hash_slot *slot;

	if (!s->by_name.nr)
		return fate;
	hash_for_each(&s->by_name, slot, hash_of(was->name)) {
		const struct img_symbol *now = &s->now->symbols.v[slot->number - 1];

		if (!same_name(now->name, was->name))
			continue;
		fate.kind = PROF_STALE_CHANGED;
		if (!strcmp(now->name, was->name)) {
			exact = true;
			if (is_same(s, was, now))
				return (struct fate){ PROF_STALE_SAME, now->start };
		} else if (is_same(s, was, now)) {
			several = alike.kind == PROF_STALE_SAME;
			alike = (struct fate){ PROF_STALE_SAME, now->start };
		}
	}
	/* Of a generic function, several instances may have one name without the hash. */
	return alike.kind == PROF_STALE_SAME && !several && !exact ? alike : fate;
}

static bool find_fates(struct prof_stale *s)
{
	const struct img_symtab *table = &s->was.symbols;
	size_t i;

	s->fates = malloc((table->nr + 1) * sizeof(*s->fates));
	if (!s->fates || !index_names(s))
		return false;
	for (i = 0; i < table->nr; i++)
		s->fates[i] = fate_of(s, &table->v[i]);
	return true;
}

struct prof_stale *prof_stale_open(const struct prof_binary *recorded,
				   const struct prof_code *now,
				   const struct samples_opts *samples)
{
	struct prof_stale *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->now = now;
	if (!prof_code_open_build(&s->was, recorded->name, recorded->build_id,
				  recorded->build_id_size, samples) &&
	    s->was.rv32 == now->rv32 && find_fates(s))
		return s;
	prof_stale_free(s);
	return NULL;
}

void prof_stale_free(struct prof_stale *s)
{
	if (!s)
		return;
	prof_code_close(&s->was);
	hash_free(&s->by_name);
	free(s->fates);
	free(s);
}

enum prof_stale_kind prof_stale_addr(const struct prof_stale *s, uint64_t offset,
				     uint64_t *addr)
{
	const struct img_symbol *symbol;
	const struct fate *fate;
	uint64_t was;
	const bool known = prof_code_addr(&s->was, offset, &was);

	symbol = known ? prof_code_symbol(&s->was, was) : NULL;
	if (!symbol)
		return known && prof_code_in_plt(&s->was, was) ? PROF_STALE_PLT : PROF_STALE_GONE;
	fate = &s->fates[symbol - s->was.symbols.v];
	*addr = fate->start + (was - symbol->start);
	return fate->kind;
}
