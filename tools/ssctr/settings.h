/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ssctr model --set` says: registers written in the course of a trace. */
#ifndef SSCTR_SETTINGS_H
#define SSCTR_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctr/model.h"

struct setting {
	uint64_t at; /* before the instruction of this number */
	unsigned int csr; /* or SETTING_V */
	uint64_t value;
};

/* No CSR: whether U and S of the trace are VU and VS. */
#define SETTING_V	0

struct settings {
	struct setting *v; /* by number, those of one in the order given */
	size_t nr, next;
};

/*
 * Add "[NUMBER:]NAME=VALUE". NAME is that of a register, or "v". VALUE is a number,
 * for control registers also names of fields with '+' between them. False with a
 * line of text in error, of size bytes, if it is anything else.
 */
bool settings_add(struct settings *settings, const char *text, char *error,
		  size_t size);

/* Is a control register written before the first instruction? */
bool settings_have_control(const struct settings *settings);

/*
 * The next of the settings up to instruction `at`, whether V or not. NULL if there
 * is none.
 */
const struct setting *settings_next(struct settings *settings, uint64_t at);

void settings_free(struct settings *settings);

#endif
