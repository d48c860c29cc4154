/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accesses to memory by others than the hart that a trace is of: DMA, as the
 * kernel's tracepoints tell when it hands memory to a device, and other harts, where
 * samples hold the address of an access.
 *
 * A record's attributes say what it was told by: MASTER_MAP and the like.
 */
#ifndef TRACE_MASTERS_H
#define TRACE_MASTERS_H

#include "side/side.h"
#include "stf/stf.h"

enum {
	MASTER_MAP = 1, /* the memory was mapped for the device */
	MASTER_SYNC = 2, /* it was mapped before, and handed over again */
	MASTER_SAMPLE = 3, /* a sample on another hart */
	MASTER_BUS_ADDRESS = 0x100, /* as the device sees it: not the physical one */
};

/* What the attributes mean, for a trace's header. */
extern const char masters_legend[];

/* Device names, and the indices they have in all traces of a recording. */
struct masters {
	struct master_device *devices;
	size_t nr, cap;
	unsigned int next[256]; /* index of each initiator's next device */
	uint64_t left_out; /* pieces that the kernel did not record */
};

struct master_access {
	struct stf_bus_access access;
	/* Of masters->devices; -1: a hart. */
	int device;
};

/* Accesses that wait for the instruction they are written at: first in, first out. */
struct master_queue {
	struct master_access *v;
	size_t first, nr, cap;
};

void masters_free(struct masters *masters);

/*
 * What a DMA does to memory, put at the queue's end: a read where the device gets
 * data, a write where it gives some, in pieces of at most 32 KiB. Returns 0 or
 * PD_ENOMEM.
 */
int masters_add_dma(struct masters *masters, struct master_queue *queue,
		    const struct side_dma *dma);

/* An access of another hart. Returns 0 or PD_ENOMEM. */
int masters_add_hart(struct master_queue *queue, uint32_t cpu, uint64_t addr,
		     enum stf_access access, unsigned int bytes);

/* "bus master PCIe 0 is 0000:00:01.0", to be freed; NULL: out of memory. */
char *masters_describe(const struct masters *masters, int device);

#endif
