/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary that a profile is of: where its code is, at which addresses it was
 * linked, and its functions.
 */
#ifndef PROFILE_BINARY_H
#define PROFILE_BINARY_H

#include "image/elf.h"
#include "image/image.h"
#include "image/symtab.h"
#include "path/path.h"
#include "samples/samples.h"

#include <stdbool.h>
#include <stdint.h>

struct prof_code {
	struct img *img;
	struct img_file *file;
	char *path;
	bool rv32;
	bool module; /* of the kernel, whose addresses are of module.h's making */
	/* The page of the first executable segment, from which tools count. */
	uint64_t text_base;
	struct img_segments segments; /* executable bytes; of a module, sections */
	struct img_symtab symbols; /* functions, by address */
};

/*
 * Open an ELF file, as samples_find_file() finds it, where its debug file may be, too;
 * samples has to outlive it. Returns NULL, or one line that says what is wrong with it,
 * valid until prof_code_close(), which is to be called in every case.
 */
const char *prof_code_open(struct prof_code *code, const char *name,
			   const struct samples_opts *samples);
void prof_code_close(struct prof_code *code);

/*
 * The address of a byte of the file, or, of a module, of what lies so far behind
 * the start of its mapping; false if it is not executable.
 */
bool prof_code_addr(const struct prof_code *code, uint64_t offset,
		    uint64_t *addr);

/* The code at an address, *len bytes of its segment; NULL: there is none. */
const uint8_t *prof_code_bytes(const struct prof_code *code, uint64_t addr,
			       uint64_t *len);

/*
 * The address of a symbol of any kind, in the file or in its debug file; false if
 * there is none of that name.
 */
bool prof_code_named(const struct prof_code *code, const char *name,
		     uint64_t *addr);

/* Has LLVM left the variable there by which it marks flow-sensitive discriminators? */
bool prof_is_flow_sensitive(const struct prof_code *code);

/* Can the instruction at from be a branch, jump, call or return that leads to to? */
bool prof_code_leads(const struct prof_code *code, uint64_t from, uint64_t to);

/* Bytes of the instruction at an address; 0: there is none. */
unsigned int prof_code_insn_size(const struct prof_code *code, uint64_t addr);

/*
 * Can the hart have run in straight line from the instruction at start to the one
 * at end? PATH_OK, or why not.
 */
enum path_break prof_code_line(const struct prof_code *code, uint64_t start,
			       uint64_t end);

/* The function that an address is in; NULL: none. */
const struct img_symbol *prof_code_symbol(const struct prof_code *code,
					  uint64_t addr);

#endif
