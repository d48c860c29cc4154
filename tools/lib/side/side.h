/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording holds beside the branch stacks: system calls, faults,
 * interrupts and DMA, as the kernel's tracepoints and software events tell them,
 * whichever kernel it was.
 */
#ifndef SIDE_H
#define SIDE_H

#include "perfdata/perfdata.h"
#include "riscv/rv_exec.h"
#include "tracepoint/tracepoint.h"

enum side_kind {
	SIDE_NONE, /* an event that tells nothing of this */
	SIDE_SYSCALL, /* raw_syscalls:sys_enter */
	SIDE_SYSCALL_END, /* raw_syscalls:sys_exit */
	SIDE_FAULT, /* exceptions:page_fault_*, page-faults with addresses */
	SIDE_INTERRUPT, /* irq:irq_handler_entry */
	SIDE_DMA, /* dma:dma_map_*, dma:dma_sync_* */
};

/* What a buffer was given for. */
enum side_dma_op {
	SIDE_DMA_MAP, /* to the device, from now on */
	SIDE_DMA_SYNC_DEVICE, /* to the device again */
	SIDE_DMA_SYNC_CPU, /* back to the harts: the device has written */
	SIDE_DMA_NR_OPS,
};

/* The kernel's enum dma_data_direction. */
enum side_dma_dir {
	SIDE_DMA_BOTH,
	SIDE_DMA_TO_DEVICE,
	SIDE_DMA_FROM_DEVICE,
};

struct side_dma {
	enum side_dma_op op;
	enum side_dma_dir dir;
	const char *device; /* its name has device_size bytes and no NUL */
	unsigned int device_size;
	unsigned int nr; /* pieces of memory; see side_dma_piece() */
	unsigned int left_out; /* pieces that the kernel did not record */
	bool physical; /* their addresses are: else they are the bus's */
	/* For side_dma_piece(). */
	const uint8_t *addrs, *sizes;
	const struct tp_field *addr_field, *size_field;
	uint64_t addr, size;
};

struct side_fault {
	uint64_t pc; /* of the instruction; 0: not known */
	uint64_t addr; /* that it could not reach */
	struct rv_regs regs; /* of the user's code */
};

struct side_event {
	enum side_kind kind;
	union {
		uint64_t
			syscall; /* its number, when it starts and when it ends */
		struct side_fault fault;
		unsigned int cause; /* scause, without its top bit */
		struct side_dma dma;
	};
};

struct side;

/*
 * pd has to outlive it. Returns 0 with *side set, PD_ECORRUPT if the descriptions
 * of its tracepoints are damaged, or PD_ENOMEM.
 */
int side_new(struct side **side, struct pd *pd);

/* NULL is allowed. */
void side_free(struct side *side);

/* Does the recording have an event of that kind? */
bool side_has(const struct side *side, enum side_kind kind);

/*
 * What a sample says beside its branch stack; valid as long as *ev. Returns false
 * with SIDE_NONE if it is of no such event, or its raw data is too short.
 */
bool side_read(struct side *side, const struct pd_event *ev,
	       struct side_event *out);

/* The user's registers, as a sample has them; none are known on 32-bit harts. */
struct rv_regs side_regs(const struct pd_sample *sample);

/* Piece i of a DMA: its address, and its size in bytes. i < dma->nr. */
void side_dma_piece(const struct side_dma *dma, unsigned int i, uint64_t *addr,
		    uint64_t *size);

#endif
