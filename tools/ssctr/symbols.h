/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of one ELF file, by the address at which they ran. */
#ifndef SSCTR_SYMBOLS_H
#define SSCTR_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols;

/*
 * arg is FILE or FILE@ADDRESS, ADDRESS (0x...) being what the file's addresses
 * were moved by when it was loaded, as position-independent programs are. NULL
 * with a text in error if it cannot be used.
 */
struct symbols *symbols_open(const char *arg, char *error, unsigned int room);
void symbols_close(struct symbols *symbols);

/* The function at pc, and how far into it. False if none is known. */
bool symbols_find(struct symbols *symbols, uint64_t pc, const char **name,
		  uint64_t *from_start);

/* Where the symbol of this name is. False if there is none. */
bool symbols_address(struct symbols *symbols, const char *name, uint64_t *pc);

#endif
