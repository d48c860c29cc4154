// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "stf/stf_inst.h"
#include "stf/stf_struct.h"

struct slot {
	struct stf_inst inst;
	/* The records of its group, if there is something for struct stf_group in them. */
	uint8_t *bytes;
	size_t size, room;
};

struct stf_replay {
	struct stf_inst_iter *iter;
	struct slot *slots; /* instruction i is in slot i % n */
	size_t n;
	/* Numbers of instructions: */
	uint64_t oldest; /* in the window */
	uint64_t next; /* returned by the next call */
	uint64_t end; /* the next one of the trace */
	/* The group of an instruction that came again. */
	struct stf_group group;
	struct stf_group_room room;
};

struct stf_replay *stf_replay_new(struct stf_inst_iter *iter, size_t n)
{
	struct stf_reader *reader = iter->reader;
	struct stf_replay *replay;

	if (!n) {
		stf_bad_argument(&reader->err, __func__);
		return NULL;
	}
	replay = calloc(1, sizeof(*replay));
	if (replay)
		replay->slots = calloc(n, sizeof(*replay->slots));
	if (!replay || !replay->slots) {
		stf_no_memory(&reader->err, reader->path);
		free(replay);
		return NULL;
	}
	replay->iter = iter;
	replay->n = n;
	replay->oldest = replay->next = replay->end = stf_inst_iter_number(iter);
	return replay;
}

static struct slot *slot_of(const struct stf_replay *replay, uint64_t index)
{
	return &replay->slots[index % replay->n];
}

static bool keep_bytes(struct slot *slot, const uint8_t *bytes, size_t size)
{
	if (size > slot->room) {
		uint8_t *more = realloc(slot->bytes, 2 * size);
		if (!more)
			return false;
		slot->bytes = more;
		slot->room = 2 * size;
	}
	memcpy(slot->bytes, bytes, size);
	slot->size = size;
	return true;
}

static int from_trace(struct stf_replay *replay, struct stf_inst *inst,
		      const struct stf_group **group)
{
	const unsigned int grouped = STF_INST_F_EVENT | STF_INST_F_EVENT_TARGET |
				     STF_INST_F_MODE | STF_INST_F_MEM |
				     STF_INST_F_BUS | STF_INST_F_COMMENT |
				     STF_INST_F_OTHER;
	struct stf_inst_iter *iter = replay->iter;
	struct stf_reader *reader = iter->reader;
	struct slot *slot = slot_of(replay, replay->end);
	int more = stf_inst_iter_next_group(iter, inst, group);

	if (more <= 0)
		return more;
	slot->size = 0;
	memcpy(&slot->inst, inst, iter->inst_size);
	if (inst->flags & grouped &&
	    !keep_bytes(slot, iter->group,
			(size_t)(reader->src->win.pos - iter->group)))
		return reader->failed =
			       stf_no_memory(&reader->err, reader->path);
	replay->next = ++replay->end;
	if (replay->end - replay->oldest > replay->n)
		replay->oldest++;
	return 1;
}

int stf_replay_next(struct stf_replay *replay, struct stf_inst *inst,
		    const struct stf_group **group)
{
	static const struct stf_group empty;
	struct stf_reader *reader = replay->iter->reader;
	const struct slot *slot;

	if (replay->next == replay->end)
		return from_trace(replay, inst, group);
	slot = slot_of(replay, replay->next);
	memcpy(inst, &slot->inst, replay->iter->inst_size);
	*group = &empty;
	if (slot->size) {
		*group = &replay->group;
		if (stf_group_fill(&replay->group, &replay->room, reader,
				   slot->bytes, slot->bytes + slot->size))
			return stf_no_memory(&reader->err, reader->path);
	}
	replay->next++;
	return 1;
}

bool stf_replay_back(struct stf_replay *replay, uint64_t index)
{
	if (index < replay->oldest || index > replay->end)
		return false;
	replay->next = index;
	return true;
}

void stf_replay_free(struct stf_replay *replay)
{
	size_t i;

	if (!replay)
		return;
	for (i = 0; i < replay->n; i++)
		free(replay->slots[i].bytes);
	free(replay->slots);
	stf_group_free(&replay->room);
	free(replay);
}
