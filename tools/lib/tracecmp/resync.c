// SPDX-License-Identifier: GPL-2.0-only
#include "tracecmp/resync.h"
#include "base/array.h"

#include <stdlib.h>

bool tcmp_same_inst(const struct tcmp_resync *resync, const struct tcmp_inst *a,
		    const struct tcmp_inst *b)
{
	if (a->end || b->end)
		return a->end && b->end;
	return (resync->any_pc || a->inst.pc == b->inst.pc) &&
	       (resync->any_opcode || (a->inst.opcode == b->inst.opcode &&
				       a->inst.size == b->inst.size));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* A hash of the instructions from i on, as far as tcmp_same_inst() looks at them. */
static uint64_t gram(const struct tcmp_resync *resync, const struct tcmp_queue *queue,
		     uint64_t i)
{
	uint64_t hash = 0, last = i + TCMP_AGREE;

	for (; i < last; i++) {
		const struct tcmp_inst *own = tcmp_queue_get(queue, i);

		hash = mix(hash, own->end);
		if (own->end)
			continue;
		hash = mix(hash, resync->any_pc ? 0 : own->inst.pc);
		hash = mix(hash, resync->any_opcode ? 0 : own->inst.opcode);
	}
	return hash;
}

static int add_gram(struct tcmp_resync *resync, unsigned int side,
		    struct tcmp_queue *queue, uint64_t i, struct error *error)
{
	int ret = tcmp_queue_read(queue, i + TCMP_AGREE - 1, error);

	if (ret)
		return ret;
	if (!array_room(&resync->grams[side], i, &resync->cap[side], sizeof(uint64_t)))
		return error_nomem(error);
	resync->grams[side][i] = gram(resync, queue, i);
	return 0;
}

static bool agree(const struct tcmp_resync *resync, const struct tcmp_queue *a,
		  uint64_t i, const struct tcmp_queue *b, uint64_t j)
{
	unsigned int n;

	for (n = 0; n < TCMP_AGREE; n++)
		if (!tcmp_same_inst(resync, tcmp_queue_get(a, i + n),
				    tcmp_queue_get(b, j + n)))
			return false;
	return true;
}

/* The first i up to last at which a agrees with b at j. Above last: there is none. */
static uint64_t search(const struct tcmp_resync *resync, const struct tcmp_queue *a,
		       unsigned int side, uint64_t last, const struct tcmp_queue *b,
		       uint64_t j)
{
	const uint64_t *grams = resync->grams[side];
	uint64_t i, wanted = resync->grams[!side][j];

	for (i = 0; i <= last; i++)
		if (grams[i] == wanted && agree(resync, a, i, b, j))
			break;
	return i;
}

int tcmp_resync_find(struct tcmp_resync *resync, struct tcmp_queue *a,
		     struct tcmp_queue *b, uint64_t bound, uint64_t *na, uint64_t *nb,
		     struct error *error)
{
	uint64_t d, i, j;
	int ret = 0;

	for (d = 0; d <= bound; d++) {
		ret = add_gram(resync, 0, a, d, error);
		if (!ret)
			ret = add_gram(resync, 1, b, d, error);
		if (ret)
			return ret;
		i = search(resync, a, 0, d, b, d);
		j = search(resync, b, 1, d, a, d);
		if (i > d && j > d)
			continue;
		*na = i <= j ? i : d;
		*nb = i <= j ? d : j;
		return 1;
	}
	return 0;
}

void tcmp_resync_free(struct tcmp_resync *resync)
{
	free(resync->grams[0]);
	free(resync->grams[1]);
}
