/* SPDX-License-Identifier: GPL-2.0-only */
/* Code of a KVM guest that reaches for the branch records of its host. */
#ifndef SELFTESTS_KVM_GUEST_H
#define SELFTESTS_KVM_GUEST_H

/* The guest's memory, where no code of its host is: the code, and behind it its tries. */
#define GUEST_START	0x12345600000
#define GUEST_TRIES	0x1000
#define GUEST_SIZE	0x20000

/* What it is to do before it calls its host by GUEST_CALL. */
#define GUEST_READ	1
#define GUEST_WRITE	2
#define GUEST_CALL	0x08000000	/* SBI: an extension that KVM leaves to programs */

/* Source and target of a record that the guest writes, as its host's kernel has them. */
#define GUEST_FORGED	(-0xfff)

/* In each mode it reads these registers, and each entry by four tries. */
#define GUEST_REGISTERS	5
#define GUEST_ENTRIES	256
#define GUEST_READS	(GUEST_REGISTERS + 4 * GUEST_ENTRIES)

#ifndef __ASSEMBLER__

#include <stdint.h>

struct guest_try {
	uint64_t value;
	uint64_t cause;		/* of the exception, or 0 */
};

extern const char guest_begin[], guest_end[];

#endif

#endif
