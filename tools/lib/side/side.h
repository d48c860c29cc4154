/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording has beside the branch stacks: system calls, faults, interrupts, DMA and
 * signals. The kernel's tracepoints and software events tell them. This works for recordings
 * of any kernel.
 */
#ifndef SIDE_H
#define SIDE_H

#include "perfdata/perfdata.h"
#include "riscv/rv_exec.h"
#include "tracepoint/tracepoint.h"

enum side_kind {
	SIDE_NONE, /* an event of another kind */
	SIDE_SYSCALL, /* raw_syscalls:sys_enter */
	SIDE_SYSCALL_END, /* raw_syscalls:sys_exit */
	SIDE_FAULT, /* exceptions:page_fault_*, page-faults with addresses */
	SIDE_INTERRUPT, /* irq:irq_handler_entry */
	SIDE_DMA, /* dma:dma_map_*, dma:dma_sync_* */
	SIDE_SIGNAL, /* signal:signal_deliver */
};

/* Which events of a kind a recording has. */
enum side_extent {
	SIDE_NO_EVENTS,
	SIDE_SOME_EVENTS, /* others happened, or may have happened */
	SIDE_ALL_EVENTS, /* all that happened, where the recording has no loss */
};

/* What a DMA function of the kernel does with a buffer. */
enum side_dma_op {
	SIDE_DMA_MAP, /* the device gets it now */
	SIDE_DMA_SYNC_DEVICE, /* the device gets it again */
	SIDE_DMA_SYNC_CPU, /* the harts get it back: the device has written */
};

/* The enum dma_data_direction of the kernel. */
enum side_dma_dir {
	SIDE_DMA_BOTH,
	SIDE_DMA_TO_DEVICE,
	SIDE_DMA_FROM_DEVICE,
};

struct side_dma {
	enum side_dma_op op;
	enum side_dma_dir dir;
	const char *device; /* the name has device_size bytes and no NUL */
	unsigned int device_size;
	unsigned int nr; /* pieces of memory; see side_dma_piece() */
	unsigned int left_out; /* pieces that the kernel did not record */
	/* the addresses are physical; otherwise they are those of the bus */
	bool physical;
	/* Only for side_dma_piece(). */
	const uint8_t *addrs, *sizes;
	const struct tp_field *addr_field, *size_field;
	uint64_t addr, size;
};

struct side_fault {
	uint64_t pc; /* the PC of the instruction; 0: not known */
	uint64_t addr; /* the address that it could not access */
	struct rv_regs regs; /* the registers of the user code */
};

struct side_signal {
	/* the next instruction of the interrupted user code; 0: not known */
	uint64_t pc;
	uint64_t handler; /* 0: it has none */
};

struct side_event {
	enum side_kind kind;
	bool switches; /* a system call that switches an event of perf's on or off */
	union {
		uint64_t
			/* the number of the system call that starts or ends */
			syscall;
		struct side_fault fault;
		unsigned int cause; /* scause without its top bit */
		struct side_dma dma;
		struct side_signal signal;
	};
};

struct side;

/*
 * Make the object. pd must exist as long as it. Returns 0 and sets *side, PD_ECORRUPT if
 * the descriptions of the tracepoints are damaged, or PD_ENOMEM.
 */
int side_new(struct side **side, struct pd *pd);

/* side may be NULL. */
void side_free(struct side *side);

/* Returns whether the recording has an event of this kind. */
bool side_has(const struct side *side, enum side_kind kind);

/*
 * Returns which events of this kind were recorded. The n-th last one is that of the n-th
 * last trap only if all of them were.
 */
enum side_extent side_extent(const struct side *side, enum side_kind kind);

/*
 * Store what a sample tells beside its branch stack. *out is valid as long as *ev.
 * Returns false, with SIDE_NONE in out->kind, if the sample is of another event, or if
 * its raw data are too short.
 */
bool side_read(struct side *side, const struct pd_event *ev,
	       struct side_event *out);

/* Returns the user's registers in a sample. On 32-bit harts, no register is known. */
struct rv_regs side_regs(const struct pd_sample *sample);

/*
 * Store piece i of a DMA: its address, and its size in bytes. i must be less than
 * dma->nr.
 */
void side_dma_piece(const struct side_dma *dma, unsigned int i, uint64_t *addr,
		    uint64_t *size);

#endif
