// SPDX-License-Identifier: GPL-2.0-only
#include "tracecmp/queue.h"
#include "base/array.h"
#include "stats/executed.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_RING = 16 };

static bool grow(struct tcmp_queue *queue)
{
	size_t old = queue->mask + 1, new = 2 * old;
	struct tcmp_inst *v = calloc(new, sizeof(*v));
	uint64_t n;

	if (!v)
		return false;
	/* All of the old ring: what is not in use has room for records, too. */
	for (n = queue->read - old; n != queue->read; n++)
		v[n & (new - 1)] = queue->v[n & queue->mask];
	free(queue->v);
	queue->v = v;
	queue->mask = new - 1;
	return true;
}

/* The element for the next instruction. NULL: there is not enough memory. */
static struct tcmp_inst *next_element(struct tcmp_queue *queue)
{
	uint64_t oldest = queue->at > TCMP_BEFORE ? queue->at - TCMP_BEFORE : 0;

	if (queue->read - oldest > queue->mask && !grow(queue))
		return NULL;
	return &queue->v[queue->read & queue->mask];
}

/* ----------------------------------------------------------------- the records */

/* Where the record points to, and how many bytes are there. NULL: nowhere. */
static const void **pointer(struct stf_record *rec, size_t *size)
{
	*size = 0;
	switch (rec->desc) {
	case STF_COMMENT:
		*size = rec->text.size;
		return (const void **)&rec->text.data;
	case STF_EVENT:
		*size = rec->event.n_fields * sizeof(uint64_t);
		return (const void **)&rec->event.fields;
	case STF_PAGE_TABLE_WALK:
		*size = rec->page_walk.n_ptes * sizeof(struct stf_pte);
		return (const void **)&rec->page_walk.ptes;
	case STF_INST_REG:
		if (rec->reg.type != STF_REG_VEC)
			return NULL;
		*size = rec->reg.n_words * sizeof(uint64_t);
		return (const void **)&rec->reg.vector;
	}
	return NULL;
}

/* All start at a multiple of 8, as their numbers demand. */
static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static bool is_opcode(const struct stf_record *rec)
{
	return rec->desc == STF_INST_32 || rec->desc == STF_INST_16;
}

static bool make_room(struct tcmp_inst *own, struct stf_inst_iter *iter)
{
	size_t size, room = 0;
	struct stf_record rec;
	uint8_t *data;

	while (stf_inst_iter_record(iter, &rec) > 0) {
		pointer(&rec, &size);
		room += padded(size);
	}
	stf_inst_iter_again(iter);
	if (room <= own->room)
		return true;
	data = realloc(own->data, room);
	if (!data)
		return false;
	own->data = data;
	own->room = room;
	return true;
}

static void to_bytes(struct stf_record *rec, const struct stf_inst *inst,
		     const struct stf_params *params)
{
	if (rec->desc == STF_INST_MEM_ACCESS)
		rec->mem_access.size =
			(uint16_t)stats_access_bytes(&rec->mem_access, inst, stats_rv_flags(params),
						     params->mem_bits);
}

static bool copy_records(const struct tcmp_queue *queue, struct tcmp_inst *own)
{
	struct stf_inst_iter *iter = queue->iter;
	size_t size, used = 0;
	struct stf_record rec;
	const void **at;

	if (!make_room(own, iter))
		return false;
	while (stf_inst_iter_record(iter, &rec) > 0) {
		if (is_opcode(&rec))
			continue;
		if (!array_room(&own->records, own->nr, &own->cap, sizeof(rec)))
			return false;
		at = pointer(&rec, &size);
		if (at && size) {
			memcpy(own->data + used, *at, size);
			*at = own->data + used;
			used += padded(size);
		}
		if (queue->to_bytes)
			to_bytes(&rec, &own->inst, stf_reader_params(queue->reader));
		own->records[own->nr++] = rec;
	}
	return true;
}

static bool take_records(const struct tcmp_queue *queue, struct tcmp_inst *own)
{
	own->nr = 0;
	if (!own->inst.flags)
		return true;
	if (own->inst.flags != STF_INST_F_TAKEN)
		return copy_records(queue, own);
	if (!array_room(&own->records, 0, &own->cap, sizeof(*own->records)))
		return false;
	own->records[0].desc = STF_INST_PC_TARGET;
	own->records[0].pc = own->inst.next_pc;
	own->nr = 1;
	return true;
}

/* ------------------------------------------------------------------- the queue */

/* Where to jump to by the index of a .zstf, one chunk before the start. 0: not at all. */
static uint64_t jump_to(struct stf_reader *reader, uint64_t start)
{
	struct stf_stats stats = { .size = sizeof(stats) };

	stf_reader_stats(reader, &stats);
	if (stats.container != STF_CONTAINER_ZSTF || !stats.chunks ||
	    start <= 2 * stats.chunk_markers)
		return 0;
	return start - stats.chunk_markers - 1;
}

/* Read up to the start. Returns like stf_inst_iter_next(), and the last instruction. */
static int pass(struct tcmp_queue *queue, uint64_t start, struct stf_inst *last)
{
	int more;

	do
		more = stf_inst_iter_next(queue->iter, last);
	while (more > 0 && last->index + 1 < start);
	return more;
}

static bool is_known(const struct stf_inst *inst)
{
	const struct stf_process *p = &inst->process;

	return inst->mode != STF_MODE_UNKNOWN && (p->hart || p->pid || p->tid);
}

/*
 * The mode and the process at the start are what was told before it. If one chunk does not
 * tell them, all that is before it may. Returns like stf_inst_iter_seek().
 */
static int go_to(struct tcmp_queue *queue, uint64_t start)
{
	uint64_t near = jump_to(queue->reader, start);
	int there = near ? stf_inst_iter_seek(queue->iter, near) : 1;
	struct stf_inst last;

	if (there > 0)
		there = pass(queue, start, &last);
	if (there <= 0 || !near || is_known(&last))
		return there;
	there = stf_inst_iter_seek(queue->iter, 0);
	return there > 0 ? pass(queue, start, &last) : there;
}

int tcmp_queue_open(struct tcmp_queue *queue, struct stf_reader *reader,
		    uint64_t start, const struct stf_select *filter,
		    struct error *error)
{
	int there = 1;

	queue->reader = reader;
	queue->filter = filter;
	queue->v = calloc(FIRST_RING, sizeof(*queue->v));
	queue->mask = FIRST_RING - 1;
	queue->iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	if (!queue->v || !queue->iter)
		return error_nomem(error);
	if (start)
		there = go_to(queue, start);
	if (there < 0)
		return error_set(error, ERROR_INPUT, "%s", stf_reader_error(reader));
	if (!there)
		return ERROR_NOTHING;
	return 0;
}

int tcmp_queue_read(struct tcmp_queue *queue, uint64_t i, struct error *error)
{
	struct tcmp_inst *own;
	int more = 1;

	while (queue->at + i >= queue->read && !queue->ended) {
		own = next_element(queue);
		if (!own)
			return error_nomem(error);
		do
			more = stf_inst_iter_next(queue->iter, &own->inst);
		while (more > 0 && queue->filter &&
		       !stf_select_passes(queue->filter, &own->inst));
		if (more < 0)
			return error_set(error, ERROR_INPUT, "%s",
					 stf_reader_error(queue->reader));
		own->end = queue->ended = !more;
		if (own->end)
			own->inst = (struct stf_inst){ .flags = UINT16_MAX };
		if (!take_records(queue, own))
			return error_nomem(error);
		queue->read++;
	}
	return 0;
}

const struct tcmp_inst *tcmp_queue_before(const struct tcmp_queue *queue,
					  unsigned int i)
{
	return i > queue->at ? NULL : &queue->v[(queue->at - i) & queue->mask];
}

void tcmp_queue_close(struct tcmp_queue *queue)
{
	size_t i;

	for (i = 0; queue->v && i <= queue->mask; i++) {
		free(queue->v[i].records);
		free(queue->v[i].data);
	}
	free(queue->v);
	stf_inst_iter_free(queue->iter);
	*queue = (struct tcmp_queue){ 0 };
}
