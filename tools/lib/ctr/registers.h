/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse the writes of CTR registers that happen during a trace. */
#ifndef CTR_REGISTERS_H
#define CTR_REGISTERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct register_write {
	/* the write happens before the instruction with this number */
	uint64_t at;
	unsigned int csr; /* or REGISTER_V */
	uint64_t value;
};

/* This is not a CSR. It tells whether U and S of the trace are VU and VS. */
#define REGISTER_V	0

/* Set all members to 0 first. */
struct register_writes {
	/* ordered by `at`; writes with the same number keep their order */
	struct register_write *v;
	size_t nr, cap;
};

/*
 * Add a write of the form "[NUMBER:]NAME=VALUE". NAME is the name of a register, or "v".
 * VALUE is a number. For control registers, it can also be names of fields with '+'
 * between them. Returns 0, or ERROR_USAGE or ERROR_NOMEM with a text.
 */
int register_writes_add(struct register_writes *writes, const char *text,
			struct error *error);

/* Returns whether a control register is written before the first instruction. */
bool register_writes_control(const struct register_writes *writes);

void register_writes_free(struct register_writes *writes);

#endif
