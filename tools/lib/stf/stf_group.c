// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_group.h"

#include <stdlib.h>
#include <string.h>

bool stf_make_room(void *array, size_t *room, size_t n, size_t size)
{
	void **v = array;

	if (n <= *room)
		return true;
	free(*v);
	*room = 0;
	*v = n > SIZE_MAX / size ? NULL : malloc(n * size);
	if (!*v)
		return false;
	*room = n;
	return true;
}

static bool make_all_room(struct stf_group_room *room,
			  const struct stf_group *n, size_t words)
{
#define MAKE_ROOM(_array, _n, _type)                                           \
	stf_make_room(&room->_array, &room->_n, n->_n, sizeof(_type)) &&
	return STF_GROUP_ARRAYS(MAKE_ROOM)
		stf_make_room(&room->words, &room->n_words, words,
			      sizeof(uint64_t));
#undef MAKE_ROOM
}

bool stf_group_start(struct stf_group_room *room)
{
	const struct stf_group n = { .n_mems = STF_GROUP_QUICK,
				     .n_regs = STF_GROUP_QUICK };

	return make_all_room(room, &n, STF_GROUP_QUICK);
}

/* Count what a record adds to the arrays. Returns its words. */
static size_t count(struct stf_group *n, const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_INST_MEM_ACCESS:
		n->n_mems++;
		return 0;
	case STF_BUS_MASTER_ACCESS:
		n->n_buses++;
		return 0;
	case STF_INST_MEM_CONTENT:
	case STF_BUS_MASTER_CONTENT:
		return 1;
	case STF_INST_REG:
		n->n_regs++;
		return rec->reg.n_words;
	case STF_EVENT:
		n->n_traps++;
		return rec->event.n_fields;
	case STF_PAGE_TABLE_WALK:
		n->n_walks++;
		return rec->page_walk.n_ptes * 2u;
	case STF_INST_MICROOP:
		n->n_microops++;
		return 0;
	case STF_INST_READY_REG:
		n->n_ready_regs++;
		return 0;
	case STF_COMMENT:
		n->n_comments++;
		return 0;
	}
	return 0;
}

/* What is being filled in. */
struct fill {
	struct stf_group n; /* so far; only the counts */
	struct stf_group_room *room;
	uint64_t *word; /* the next free one */
};

/* Copy n words, and return where they are now. */
static const void *keep(struct fill *f, const void *words, size_t n)
{
	uint64_t *to = f->word;

	if (n)
		memcpy(to, words, n * sizeof(*to));
	f->word += n;
	return to;
}

static void take_trap(struct fill *f, const struct stf_event *event)
{
	struct stf_trap *trap = &f->room->traps[f->n.n_traps++];

	*trap = (struct stf_trap){ .event = *event };
	trap->event.fields = keep(f, event->fields, event->n_fields);
}

static void take_reg(struct fill *f, const struct stf_reg *reg)
{
	struct stf_reg *to = &f->room->regs[f->n.n_regs++];

	*to = *reg;
	if (reg->n_words)
		to->vector = keep(f, reg->vector, reg->n_words);
}

static void take_walk(struct fill *f, const struct stf_page_walk *walk)
{
	struct stf_page_walk *to = &f->room->walks[f->n.n_walks++];

	*to = *walk;
	to->ptes = keep(f, walk->ptes, walk->n_ptes * 2u);
}

/*
 * A content belongs to the access before, if nothing stands between them that has words,
 * too. It then lies behind the contents that the access has already.
 */
static void take_content(struct fill *f, uint64_t content,
			 const uint64_t *contents, uint32_t *n_contents)
{
	if (contents + *n_contents != f->word)
		return;
	++*n_contents;
	*f->word++ = content;
}

/* What belongs to the element before. */
static void take_more(struct fill *f, const struct stf_record *rec)
{
	const struct stf_group *n = &f->n;
	struct stf_trap *trap;
	struct stf_mem *mem;
	struct stf_bus *bus;

	if (rec->desc == STF_INST_MEM_CONTENT && n->n_mems) {
		mem = &f->room->mems[n->n_mems - 1];
		take_content(f, rec->content, mem->contents, &mem->n_contents);
	}
	if (rec->desc == STF_BUS_MASTER_CONTENT && n->n_buses) {
		bus = &f->room->buses[n->n_buses - 1];
		take_content(f, rec->content, bus->contents, &bus->n_contents);
	}
	if (rec->desc == STF_EVENT_PC_TARGET && n->n_traps) {
		trap = &f->room->traps[n->n_traps - 1];
		trap->has_target = true;
		trap->target = rec->pc;
	}
}

static void take(struct fill *f, const struct stf_record *rec)
{
	struct stf_group_room *room = f->room;

	switch (rec->desc) {
	case STF_INST_MEM_ACCESS:
		room->mems[f->n.n_mems++] = (struct stf_mem){
			.access = rec->mem_access, .contents = f->word };
		break;
	case STF_BUS_MASTER_ACCESS:
		room->buses[f->n.n_buses++] = (struct stf_bus){
			.access = rec->bus_access, .contents = f->word };
		break;
	case STF_INST_REG:
		take_reg(f, &rec->reg);
		break;
	case STF_EVENT:
		take_trap(f, &rec->event);
		break;
	case STF_PAGE_TABLE_WALK:
		take_walk(f, &rec->page_walk);
		break;
	case STF_INST_MICROOP:
		room->microops[f->n.n_microops++] = rec->microop;
		break;
	case STF_INST_READY_REG:
		room->ready_regs[f->n.n_ready_regs++] = rec->ready_reg;
		break;
	case STF_COMMENT:
		room->comments[f->n.n_comments++] = rec->text;
		break;
	default:
		take_more(f, rec);
	}
}

int stf_group_fill(struct stf_group *group, struct stf_group_room *room,
		   struct stf_reader *reader, const uint8_t *p,
		   const uint8_t *end)
{
	struct fill f = { .room = room };
	struct stf_group n = { 0 };
	struct stf_record rec;
	const uint8_t *at;
	size_t words = 0;
	int64_t size;

	for (at = p; at < end; at += size) {
		size = stf_decode(&reader->codec, at, (size_t)(end - at), &rec,
				  &reader->scratch);
		if (size <= 0) /* cannot be: it was decoded before */
			return (int)size;
		words += count(&n, &rec);
	}
	/* One at least, so that there is an address for what has none. */
	if (!make_all_room(room, &n, words + 1))
		return STF_E_NOMEM;
	f.word = room->words;
	for (at = p; at < end; at += size) {
		size = stf_decode(&reader->codec, at, (size_t)(end - at), &rec,
				  &reader->scratch);
		take(&f, &rec);
	}
	*group = n;
#define POINT(_array, _n, _type) group->_array = room->_array;
	STF_GROUP_ARRAYS(POINT)
#undef POINT
	return 0;
}

void stf_group_free(struct stf_group_room *room)
{
#define FREE(_array, _n, _type) free(room->_array);
	STF_GROUP_ARRAYS(FREE)
#undef FREE
	free(room->words);
}
