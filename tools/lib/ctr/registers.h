/* SPDX-License-Identifier: GPL-2.0-only */
/* Registers of Control Transfer Records by words, written in the course of a trace. */
#ifndef CTR_REGISTERS_H
#define CTR_REGISTERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct register_write {
	uint64_t at; /* before the instruction of this number */
	unsigned int csr; /* or REGISTER_V */
	uint64_t value;
};

/* No CSR: whether U and S of the trace are VU and VS. */
#define REGISTER_V	0

/* All 0 before the first. */
struct register_writes {
	struct register_write *v; /* by number, those of one in the order given */
	size_t nr, cap;
};

/*
 * Add "[NUMBER:]NAME=VALUE". NAME is that of a register, or "v". VALUE is a number,
 * for control registers also names of fields with '+' between them. Returns 0, or
 * ERROR_USAGE with a text if it is anything else, or ERROR_NOMEM.
 */
int register_writes_add(struct register_writes *writes, const char *text,
			struct error *error);

/* Is a control register written before the first instruction? */
bool register_writes_control(const struct register_writes *writes);

void register_writes_free(struct register_writes *writes);

#endif
