/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary that a profile belongs to: its code, the addresses at which it was linked,
 * and its functions.
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
	/*
	 * The names that a recording has for it: as the user named it, and without
	 * symbolic links, both below symfs. asked is the caller's.
	 */
	const char *asked;
	char *real; /* NULL: it was found by its build id */
	bool rv32;
	/* a module of the kernel, whose addresses image/module.h defines */
	bool module;
	/* The page of the first executable segment. Tools count addresses from this page. */
	uint64_t text_base;
	/* the executable bytes; in a module, the sections */
	struct img_segments segments;
	struct img_symtab symbols; /* the functions, by address */
	uint64_t plt, plt_size; /* the procedure linkage table; 0: there is none */
};

/* The line of prof_code_open() and prof_code_open_build() if out of memory, and no other one. */
extern const char prof_no_memory[];

/* The line of prof_code_open() if there is no such file. code->file is then NULL. */
extern const char prof_no_file[];

/*
 * Open an ELF file. samples_find_file() searches it, and its debug file in the same
 * places. name and samples must exist as long as *code. Returns NULL, or one line that says
 * what is wrong with the file. The line is valid until prof_code_close(). Call
 * prof_code_close() in every case.
 */
const char *prof_code_open(struct prof_code *code, const char *name,
			   const struct samples_opts *samples);
void prof_code_close(struct prof_code *code);

/*
 * The same for the file that ran, which is found by its name and its build id. A file of
 * another build is not it.
 */
const char *prof_code_open_build(struct prof_code *code, const char *name,
				 const uint8_t *build_id, unsigned int build_id_size,
				 const struct samples_opts *samples);

/*
 * Store the address of the byte at an offset in the file. In a module, offset is the
 * distance from the start of its mapping. Returns false if the byte is not executable.
 */
bool prof_code_addr(const struct prof_code *code, uint64_t offset,
		    uint64_t *addr);

/*
 * Returns the code at an address, and in *len the number of bytes up to the end of its
 * segment. Returns NULL if there is none.
 */
const uint8_t *prof_code_bytes(const struct prof_code *code, uint64_t addr,
			       uint64_t *len);

/*
 * Store the address of a symbol of any kind, from the file or from its debug file.
 * Returns false if there is no symbol with this name.
 */
bool prof_code_named(const struct prof_code *code, const char *name,
		     uint64_t *addr);

/*
 * Returns whether the binary has the variable with which LLVM marks flow-sensitive
 * discriminators.
 */
bool prof_is_flow_sensitive(const struct prof_code *code);

/*
 * Returns whether the instruction at from can be a branch, jump, call or return that
 * leads to to.
 */
bool prof_code_leads(const struct prof_code *code, uint64_t from, uint64_t to);

/* Returns whether the instruction at addr is a branch, jump, call or return. */
bool prof_code_branches(const struct prof_code *code, uint64_t addr);

/* Returns whether the instruction at an address calls a function. */
bool prof_code_calls(const struct prof_code *code, uint64_t addr);

/* Returns whether the instruction at an address returns from a function. */
bool prof_code_returns(const struct prof_code *code, uint64_t addr);

/*
 * Returns whether the instruction at addr is a jump or call, but no return, whose target the code
 * does not tell. With the auipc before it, a jalr to what is far away tells its target.
 */
bool prof_code_is_indirect(const struct prof_code *code, uint64_t addr);

/* Returns the size of the nop at an address in bytes, or 0 if it is another instruction. */
unsigned int prof_code_nop_size(const struct prof_code *code, uint64_t addr);

/* Returns the size of the instruction at an address in bytes, or 0 if there is none. */
unsigned int prof_code_insn_size(const struct prof_code *code, uint64_t addr);

/*
 * Check whether the hart can have run in a straight line from the instruction at start to
 * the one at end. Returns PATH_OK, or the reason why not.
 */
enum path_break prof_code_line(const struct prof_code *code, uint64_t start,
			       uint64_t end);

/*
 * Returns whether an address is in the procedure linkage table. The linker makes it, so that
 * no option of a compiler gives it lines or pseudo-probes.
 */
bool prof_code_in_plt(const struct prof_code *code, uint64_t addr);

/* Returns the function that contains an address, or NULL. */
const struct img_symbol *prof_code_symbol(const struct prof_code *code,
					  uint64_t addr);

#endif
