/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file that the plug-in `transfers` writes. In the host's byte order. In the
 * windows of a hart nothing is logged while its branch records are frozen.
 */
#ifndef PLUGIN_TRANSFER_LOG_H
#define PLUGIN_TRANSFER_LOG_H

#include <stdint.h>

#define TRANSFER_LOG_MAGIC	"ssctr-TL"

struct transfer_log_header {
	char magic[8];
	uint64_t nr;		/* records; UINT64_MAX until the log is whole */
};

enum transfer_log_kind {
	/* The instruction @insn at @from went to @to, which does not follow it. */
	TRANSFER_LOG_TRANSFER,
	/*
	 * A trap, taken at @from: before that instruction (interrupts), or by it.
	 * @to is the handler, @insn the cause, with bit 31 set for interrupts.
	 */
	TRANSFER_LOG_TRAP,
	/*
	 * The same into a mode that is not logged, with @insn 0: M mode, or in a window of
	 * a guest its host.
	 */
	TRANSFER_LOG_LEAVE,
	/*
	 * What is logged goes on at @to: after a trap, a freeze (@frozen), MARK_OPEN_*.
	 * In the window of a task @from is its thread pointer (tp).
	 */
	TRANSFER_LOG_RESUME,
	/*
	 * The instruction @insn stands at @from, and will be executed. Said of each
	 * before it is executed for the first time, and again when it has changed.
	 */
	TRANSFER_LOG_CODE,
	/*
	 * In the window of a hart: the kernel's task at @to runs from here on, and no
	 * longer that at @from. @frozen: nothing of the switch is logged.
	 */
	TRANSFER_LOG_TASK,
	/* The trap before was a page fault of @from, cause @insn: @to was not there. */
	TRANSFER_LOG_FAULT,
};

struct transfer_log_record {
	uint64_t from, to;
	uint32_t insn;		/* the opcode, 16 bits if compressed */
	uint8_t kind;
	uint8_t window;		/* of MARK_OPEN_* */
	uint8_t hart;
	uint8_t frozen;		/* of TRAP: branch records are, by this trap */
};

#define TRANSFER_LOG_INTERRUPT	(1u << 31)

#endif
