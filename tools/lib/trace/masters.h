/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory accesses of others than the hart of the trace. One kind is DMA: the kernel's
 * tracepoints tell when it gives memory to a device. The other kind is accesses of other
 * harts, if samples contain their address.
 *
 * The attributes of a record tell its origin: MASTER_MAP and others.
 */
#ifndef TRACE_MASTERS_H
#define TRACE_MASTERS_H

#include "side/side.h"
#include "stf/stf.h"

enum {
	MASTER_MAP = 1, /* the memory was mapped for the device */
	/* the memory was mapped before, and was given to the device again */
	MASTER_SYNC = 2,
	MASTER_SAMPLE = 3, /* a sample on another hart */
	/* The address is the one that the device uses, and not the physical one. */
	MASTER_BUS_ADDRESS = 0x100,
};

/* The meaning of the attributes, for the header of a trace. */
extern const char masters_legend[];

/*
 * The names of the devices, and their indices, which are the same in all traces of a
 * recording.
 */
struct masters {
	struct master_device *devices;
	size_t nr, cap;
	/* for each kind of initiator, the index of its next device */
	unsigned int next[256];
	uint64_t left_out; /* accesses without room */
	uint64_t unknown; /* pieces of memory that the kernel did not record, or a size that is none */
};

struct master_access {
	struct stf_bus_access access;
	/* The number in masters->devices. -1: a hart. */
	int device;
};

/* DMA is left out if more accesses would wait then. */
enum { MASTERS_WAITING_MAX = 1 << 20 };

/* A queue of accesses that wait for the instruction at which they are written. */
struct master_queue {
	struct master_access *v;
	size_t first, nr, cap;
};

void masters_free(struct masters *masters);

/*
 * Add the accesses of a DMA to the end of the queue, in pieces of at most 32 KiB. An
 * access is a read if the device gets data, and a write if the device gives data. Returns
 * 0 or PD_ENOMEM.
 */
int masters_add_dma(struct masters *masters, struct master_queue *queue,
		    const struct side_dma *dma);

/* Add an access of another hart. Returns 0 or PD_ENOMEM. */
int masters_add_hart(struct master_queue *queue, uint32_t cpu, uint64_t addr,
		     enum stf_access access, unsigned int bytes);

/*
 * Returns a text such as "bus master PCIe 0 is 0000:00:01.0". The caller frees it.
 * Returns NULL if out of memory.
 */
char *masters_describe(const struct masters *masters, int device);

#endif
