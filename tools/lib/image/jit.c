// SPDX-License-Identifier: GPL-2.0-only
#include "image/internal.h"
#include "image/jit.h"
#include "base/array.h"
#include "perfdata/space.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The dump's header, and what each record starts with. */
enum {
	MAGIC = 0x4a695444, /* "JiTD" */
	HEADER_SIZE_AT = 8,
	HEADER_MACHINE_AT = 12,
	HEADER_FLAGS_AT = 32,
	HEADER_MIN = 40,
	FLAG_ARCH_TIME = 1, /* times are of some clock of the CPU's */
	RECORD_SIZE_AT = 4,
	RECORD_TIME_AT = 8,
	RECORD_MIN = 16,
	CODE_LOAD = 0,
	CODE_MOVE = 1,
};

/* Fields of the records, from their start. */
enum {
	LOAD_ADDR_AT = 32,
	LOAD_SIZE_AT = 40,
	LOAD_INDEX_AT = 48,
	LOAD_NAME_AT = 56,
	MOVE_NEW_AT = 40,
	MOVE_SIZE_AT = 48,
	MOVE_INDEX_AT = 56,
	MOVE_END = 64,
};

/* A perf map: what is read of it. */
enum { MAP_MAX = 64 << 20 };

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The slot of the last code with this index, or for it. NULL: out of memory. */
static struct hash_slot *find_index(const struct img_file *file, struct hash *by_index,
				    uint64_t index)
{
	const uint32_t hash = hash_u64(index);
	struct hash_slot *slot;

	if (!hash_room(by_index))
		return NULL;
	hash_for_each(by_index, slot, hash)
		if (file->jit[slot->number - 1].index == index)
			break;
	return slot;
}

static bool add_code(struct img_file *file, struct hash *by_index, const struct img_jit *jit)
{
	struct hash_slot *slot = find_index(file, by_index, jit->index);

	if (!slot || !array_room(&file->jit, file->nr_jit, &file->cap_jit, sizeof(*file->jit)))
		return false;
	if (slot->number)
		slot->number = file->nr_jit + 1;
	else
		hash_put(by_index, slot, hash_u64(jit->index), file->nr_jit);
	file->jit[file->nr_jit++] = *jit;
	return true;
}

/* A method: its name, a NUL, and its bytes. */
static bool load_code(struct img_file *file, struct hash *by_index, const uint8_t *p,
		      uint32_t size)
{
	struct img_jit jit = { 0 };
	const uint8_t *nul;

	if (size < LOAD_NAME_AT)
		return true;
	nul = memchr(p + LOAD_NAME_AT, 0, size - LOAD_NAME_AT);
	jit.size = get64(p + LOAD_SIZE_AT);
	if (!nul || jit.size > (uint64_t)(p + size - (nul + 1)))
		return true;
	jit.start = get64(p + LOAD_ADDR_AT);
	jit.time = get64(p + RECORD_TIME_AT);
	jit.index = get64(p + LOAD_INDEX_AT);
	jit.offset = nul + 1 - file->map;
	jit.name = (const char *)p + LOAD_NAME_AT;
	return add_code(file, by_index, &jit);
}

static bool move_code(struct img_file *file, struct hash *by_index, const uint8_t *p,
		      uint32_t size)
{
	const struct hash_slot *slot;
	struct img_jit jit;

	if (size < MOVE_END)
		return true;
	slot = find_index(file, by_index, get64(p + MOVE_INDEX_AT));
	if (!slot || !slot->number)
		return slot;
	jit = file->jit[slot->number - 1];
	jit.start = get64(p + MOVE_NEW_AT);
	jit.time = get64(p + RECORD_TIME_AT);
	if (get64(p + MOVE_SIZE_AT) < jit.size)
		jit.size = get64(p + MOVE_SIZE_AT);
	return add_code(file, by_index, &jit);
}

static int by_start(const void *va, const void *vb)
{
	const struct img_jit *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* By address, with the furthest end of all before: what covers one is found. */
static void sort_code(struct img_file *file)
{
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < file->nr_jit; i++)
		file->jit[i].order = i;
	if (file->nr_jit)
		qsort(file->jit, file->nr_jit, sizeof(*file->jit), by_start);
	for (i = 0; i < file->nr_jit; i++) {
		struct img_jit *jit = &file->jit[i];

		if (jit->size > UINT64_MAX - jit->start)
			jit->size = UINT64_MAX - jit->start;
		if (jit->start + jit->size > end)
			end = jit->start + jit->size;
		jit->furthest = end;
	}
}

const char *img_read_jitdump(struct img_file *file)
{
	const uint8_t *p = file->map, *end = p + file->size;
	struct hash by_index = { 0 };
	uint32_t size;

	if (file->size < HEADER_MIN || get32(p) != MAGIC) {
		file->state = IMG_NOT_ELF;
		return "not a jitdump of a little-endian machine";
	}
	if (get32(p + HEADER_MACHINE_AT) != EM_RISCV) {
		file->state = IMG_NOT_RISCV;
		return "not RISC-V code";
	}
	file->jit_any_time = get64(p + HEADER_FLAGS_AT) & FLAG_ARCH_TIME;
	/* The program may have ended in the middle of a record. */
	for (size = get32(p + HEADER_SIZE_AT);
	     size <= end - p && end - (p + size) >= RECORD_MIN;) {
		bool ok = true;

		p += size;
		size = get32(p + RECORD_SIZE_AT);
		if (size < RECORD_MIN || size > end - p)
			break;
		if (get32(p) == CODE_LOAD)
			ok = load_code(file, &by_index, p, size);
		else if (get32(p) == CODE_MOVE)
			ok = move_code(file, &by_index, p, size);
		if (!ok)
			break;
	}
	hash_free(&by_index);
	sort_code(file);
	file->bits = 64;
	file->state = IMG_OK;
	return NULL;
}

enum img_state img_jit_code(const struct img_file *dump, uint64_t addr,
			    uint64_t time, uint64_t *start, uint64_t *size,
			    uint64_t *offset)
{
	const struct img_jit *found = NULL;
	bool any_time = time == IMG_JIT_ANY_TIME || dump->jit_any_time;
	size_t n;

	if (dump->state != IMG_OK)
		return dump->state;
	n = array_upto(dump->jit, dump->nr_jit, sizeof(*dump->jit), addr);
	for (; n && dump->jit[n - 1].furthest > addr; n--) {
		const struct img_jit *jit = &dump->jit[n - 1];

		if (addr - jit->start >= jit->size ||
		    (!any_time && jit->time > time))
			continue;
		if (any_time && found)
			return IMG_CHANGED; /* it held one after the other */
		if (!found || jit->order > found->order)
			found = jit;
	}
	if (!found)
		return IMG_ANON;
	*start = found->start;
	*size = found->size;
	*offset = found->offset;
	return IMG_OK;
}

/* From the first that begins behind the code back to the last that reaches into it. */
static const struct img_jit *before(const struct img_file *dump, size_t *n, uint64_t start)
{
	while (*n && dump->jit[*n - 1].furthest > start) {
		const struct img_jit *jit = &dump->jit[--*n];

		if (jit->start + jit->size > start)
			return jit;
	}
	return NULL;
}

uint64_t img_jit_since(const struct img_file *dump, uint64_t start, uint64_t size,
		       uint64_t offset)
{
	const size_t end = array_upto(dump->jit, dump->nr_jit, sizeof(*dump->jit),
				      start + size - 1);
	const struct img_jit *jit, *own = NULL;
	size_t n = end;

	while (!dump->jit_any_time && !own && (jit = before(dump, &n, start)))
		own = jit->start == start && jit->offset == offset ? jit : NULL;
	n = end;
	while (own && (jit = before(dump, &n, start)))
		if (jit->order < own->order)
			return own->time;
	return 0;
}

/* --- names --- */

/* What was told last about a place holds. `told` is its number in the list. */
static bool add_symbol(struct img_symtab *table, uint64_t start, uint64_t size,
		       const char *name, size_t told)
{
	return !size || img_symtab_add(table, start, size, name, -(int)told);
}

void img_read_jit_symbols(struct img_file *file)
{
	size_t i;

	for (i = 0; i < file->nr_jit; i++)
		if (!add_symbol(&file->symbols, file->jit[i].offset,
				file->jit[i].size, file->jit[i].name, file->jit[i].order))
			break;
	img_symtab_settle_list(&file->symbols);
}

/* Anybody may have made the file, which may have holes and so be larger than the disk. */
static uint64_t length_of_map(struct img_file *file)
{
	free(file->error);
	file->error = NULL;
	if (file->size > MAP_MAX)
		img_refuse_file(file, file->state, file->path, "what follows the first 64 MiB");
	/* A hole reads as NULs, and a list has none. */
	return strnlen((const char *)file->map, file->size < MAP_MAX ? file->size : MAP_MAX);
}

/* Lines "START SIZE name", the numbers hexadecimal without a prefix. */
static void read_map(struct img_file *file)
{
	const uint64_t size = length_of_map(file);
	char *names = malloc(size + 1), *end;

	if (!names)
		return;
	/* The names stay where they are, each with a NUL for its line's end. */
	file->names = names;
	memcpy(names, file->map, size);
	end = names + size;
	*end = 0;
	while (names < end) {
		char *nl = memchr(names, '\n', end - names), *at;
		uint64_t start, len;

		if (!nl)
			break;
		*nl = 0;
		start = strtoull(names, &at, 16);
		len = *at == ' ' ? strtoull(at, &at, 16) : 0;
		if (*at == ' ' && at[1] && len <= UINT64_MAX - start &&
		    !add_symbol(&file->symbols, start, len, at + 1, file->symbols.nr))
			break;
		names = nl + 1;
	}
	img_several_find(&file->several, &file->symbols);
	img_symtab_settle_list(&file->symbols);
}

/* Everybody may write to /tmp. The rule is perf's. */
static bool is_trusted(const struct img_file *map)
{
	return !map->owner || map->owner == geteuid();
}

/* named: the caller named the folder. The file tells if there is a list that is not used. */
static bool map_trusted(struct img_file *file, const char *dir, const char *name, bool named)
{
	if (!img_map_file(file, dir, name))
		return false;
	if (named || is_trusted(file))
		return true;
	free(file->error);
	img_refuse_file(file, file->state, file->path,
			"a perf map of another user, who may have written any names into it; if you trust it, name its folder with --code");
	img_unmap_file(file);
	return false;
}

/* In a folder, below a root folder, or the place itself. */
static bool map_list(struct img_file *file, const char *name)
{
	const char *base = strrchr(name, '/'), *folder;
	size_t i;

	for (i = 0; (folder = img_folder(file->img, i)); i++) {
		const char *end = i ? strrchr(folder, '/') : NULL;

		if (map_trusted(file, folder, name, i) ||
		    (i && map_trusted(file, folder, base, true)) ||
		    (end && !strcmp(end, base) && map_trusted(file, folder, "", true)))
			return true;
	}
	return false;
}

struct img_file *img_perf_map(struct img *img, uint32_t pid)
{
	struct img_file *file;
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%" PRIu32 ".map", pid);
	file = img_new_file(img, name);
	if (!file)
		return NULL;
	/* Most processes have none; that is no fault of the recording's. */
	if (!map_list(file, name) && !file->error) {
		img->nr--;
		img_free_file(file);
		return NULL;
	}
	file->has_symbols = true;
	file->state = IMG_OK;
	if (file->map)
		read_map(file);
	return file;
}

/* A program has written more to its list. False: it has not. */
static bool map_again(struct img_file *file)
{
	struct img_file now = { .img = file->img };
	struct stat st;

	if (!file->path || stat(file->path, &st) || (uint64_t)st.st_size == file->size ||
	    !img_map_file(&now, file->path, ""))
		return false;
	if (!pd_is_jitdump(file->name) && now.owner != file->owner && !is_trusted(&now)) {
		img_unmap_file(&now);
		return false;
	}
	img_unmap_file(file);
	file->path = now.path;
	file->map = now.map;
	file->size = now.size;
	file->owner = now.owner;
	free(file->symbols.v);
	file->symbols = (struct img_symtab){ 0 };
	free(file->several.v);
	file->several = (struct img_several){ 0 };
	return true;
}

bool img_reread_perf_map(struct img_file *file)
{
	if (!map_again(file))
		return false;
	free(file->names);
	file->names = NULL;
	read_map(file);
	return true;
}

bool img_has_several_names(const struct img_file *map, uint64_t addr)
{
	return img_several_has(&map->several, addr);
}

uint64_t img_several_names(const struct img_file *map)
{
	return map->several.starts;
}

bool img_reread_jitdump(struct img_file *file)
{
	if (!pd_is_jitdump(file->name) || file->state != IMG_OK || !map_again(file))
		return false;
	file->has_symbols = false;
	file->nr_jit = 0;
	img_read_jitdump(file);
	return true;
}

/* A name in a list, by address. Returns false if there is no number i. */
static bool listed(const struct img_file *list, size_t i, struct img_symbol *name)
{
	const struct img_jit *jit = list->jit;

	if (i >= (jit ? list->nr_jit : list->symbols.nr))
		return false;
	*name = jit ? (struct img_symbol){ .start = jit[i].start,
					   .end = jit[i].start + jit[i].size,
					   .name = jit[i].name,
					   .rank = -(int)jit[i].order } :
		      list->symbols.v[i];
	return true;
}

bool img_lend_names(struct img_file *list, struct img_file *to, uint64_t start,
		    uint64_t end, uint64_t offset)
{
	const size_t first =
		!start	  ? 0 :
		list->jit ? array_upto(list->jit, list->nr_jit, sizeof(*list->jit), start - 1) :
			    array_upto(list->symbols.v, list->symbols.nr,
				       sizeof(*list->symbols.v), start - 1);
	const size_t before = to->lent.nr;
	struct img_symbol name;
	bool ok = true;
	size_t i;

	for (i = first; ok && listed(list, i, &name) && name.start < end; i++) {
		if (name.end > end)
			name.end = end;
		ok = add_symbol(&to->lent, name.start - start + offset,
				name.end - name.start, name.name, before - name.rank);
	}
	return img_symtab_settle_list(&to->lent) && ok;
}

void img_return_names(struct img_file *file)
{
	free(file->lent.v);
	file->lent = (struct img_symtab){ 0 };
}
