// SPDX-License-Identifier: GPL-2.0-only
#include "trace/masters.h"
#include "base/array.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct master_device {
	char *name;
	enum stf_initiator initiator;
	unsigned int index;
};

/* The record has 16 bits for a size; a power of two keeps pieces aligned. */
enum { PIECE = 1 << 15, INDEX_MAX = 255 };

const char masters_legend[] =
	"bus masters: addresses are physical, contents are not known; attributes: 1 "
	"memory mapped for a device, 2 handed over to it again, 3 sampled on another "
	"hart, +0x100 the address is the one on the device's bus";

void masters_free(struct masters *masters)
{
	unsigned int i;

	for (i = 0; i < masters->nr; i++)
		free(masters->devices[i].name);
	free(masters->devices);
}

/* A name like 0000:00:01.0: domain, bus, device, function. */
static bool is_pci(const char *name, unsigned int size)
{
	static const char form[] = "xxxx:xx:xx.x";
	unsigned int i;

	if (size != sizeof(form) - 1)
		return false;
	for (i = 0; i < size; i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)name[i]) :
				     name[i] != form[i])
			return false;
	return true;
}

/* Its place in the table, where a new one is added; -1: out of memory. */
static int find_device(struct masters *masters, const char *name,
		       unsigned int size)
{
	struct master_device *d;
	unsigned int i;

	for (i = 0; i < masters->nr; i++) {
		d = &masters->devices[i];
		if (!strncmp(d->name, name, size) && !d->name[size])
			return i;
	}
	if (!array_room(&masters->devices, masters->nr, &masters->cap,
			sizeof(*d)))
		return -1;
	d = &masters->devices[masters->nr];
	d->name = strndup(name, size);
	if (!d->name)
		return -1;
	d->initiator = is_pci(name, size) ? STF_INITIATOR_PCIE :
					    STF_INITIATOR_DMA;
	/* What is more than the record can tell apart shares the last index. */
	d->index = masters->next[d->initiator];
	if (d->index < INDEX_MAX)
		masters->next[d->initiator]++;
	return masters->nr++;
}

static int push(struct master_queue *queue, const struct master_access *access)
{
	struct master_access *v = queue->v;

	if (queue->first > queue->nr) {
		memmove(v, v + queue->first, queue->nr * sizeof(*v));
		queue->first = 0;
	}
	if (!array_room(&queue->v, queue->first + queue->nr, &queue->cap,
			sizeof(*v)))
		return PD_ENOMEM;
	queue->v[queue->first + queue->nr++] = *access;
	return 0;
}

static int push_pieces(struct master_queue *queue, struct master_access access,
		       uint64_t size)
{
	while (size) {
		access.access.size = size < PIECE ? size : PIECE;
		if (push(queue, &access))
			return PD_ENOMEM;
		access.access.address += access.access.size;
		size -= access.access.size;
	}
	return 0;
}

/* No device moves more at once: a damaged recording may say so. */
#define SIZE_MAX_BYTES (UINT64_C(1) << 32)

/* What push_pieces() makes of a piece of memory. */
static uint64_t accesses_of(const struct side_dma *dma, uint64_t size)
{
	return (size + PIECE - 1) / PIECE * (dma->dir == SIDE_DMA_BOTH ? 2 : 1);
}

int masters_add_dma(struct masters *masters, struct master_queue *queue,
		    const struct side_dma *dma)
{
	struct master_access access = { 0 };
	unsigned int i;
	int ret = 0;

	/* What comes back was counted when it was handed over. */
	if (dma->op == SIDE_DMA_SYNC_CPU)
		return 0;
	access.device =
		find_device(masters, dma->device, dma->device_size);
	if (access.device < 0)
		return PD_ENOMEM;
	masters->unknown += dma->left_out;
	access.access.initiator =
		masters->devices[access.device].initiator;
	access.access.index = masters->devices[access.device].index;
	access.access.attributes =
		(dma->op == SIDE_DMA_MAP ? MASTER_MAP : MASTER_SYNC) |
		(dma->physical ? 0 : MASTER_BUS_ADDRESS);
	for (i = 0; i < dma->nr && !ret; i++) {
		uint64_t size;

		side_dma_piece(dma, i, &access.access.address, &size);
		if (size > SIZE_MAX_BYTES) {
			masters->unknown++;
			continue;
		}
		/* Nothing may be sampled there any more, and memory has an end. */
		if (queue->nr + accesses_of(dma, size) > MASTERS_WAITING_MAX) {
			masters->left_out += accesses_of(dma, size);
			continue;
		}
		access.access.access = STF_ACCESS_READ;
		if (dma->dir != SIDE_DMA_FROM_DEVICE)
			ret = push_pieces(queue, access, size);
		access.access.access = STF_ACCESS_WRITE;
		if (dma->dir != SIDE_DMA_TO_DEVICE && !ret)
			ret = push_pieces(queue, access, size);
	}
	return ret;
}

int masters_add_hart(struct master_queue *queue, uint32_t cpu, uint64_t addr,
		     enum stf_access access, unsigned int bytes)
{
	const struct master_access a = {
		.access = { .address = addr,
			    .size = bytes,
			    .initiator = STF_INITIATOR_CORE,
			    .index = cpu < INDEX_MAX ? cpu : INDEX_MAX,
			    .attributes = MASTER_SAMPLE,
			    .access = access },
		.device = -1,
	};

	return push(queue, &a);
}

char *masters_describe(const struct masters *masters, int device)
{
	const struct master_device *d = &masters->devices[device];
	char *text;

	if (asprintf(&text, "bus master %s %u is %s",
		     d->initiator == STF_INITIATOR_PCIE ? "PCIe" : "DMA",
		     d->index, d->name) < 0)
		return NULL;
	return text;
}
