/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of a trace: of one ELF file, or of all files that the comments of the
 * trace say were mapped (origin/origin.h), in each process.
 */
#ifndef ORIGIN_NAMES_H
#define ORIGIN_NAMES_H

#include "base/error.h"
#include "image/image.h"
#include "origin/origin.h"
#include "stf/stf.h"

struct names;

/*
 * Open an ELF file. arg is FILE or FILE@ADDRESS. ADDRESS (0x...) is what the addresses of
 * the file were moved by when it was loaded, as those of position-independent programs
 * are. Returns NULL with a text if the file cannot be used.
 */
struct names *names_open(const char *arg, struct error *error);

/*
 * Name what the trace says was mapped. img finds the files, and belongs to the object from
 * now on, also on failure. Pass the trace to names_record() and names_group(). Returns NULL if out of
 * memory.
 */
struct names *names_new(struct img *img);
void names_close(struct names *names);

/*
 * Translate the names of C++ and Rust functions for names_shown(). Returns false if out of
 * memory.
 */
bool names_demangle(struct names *names);

/*
 * Pass a record of the header, and the group of each instruction. Only comments have an
 * effect. Return false if out of memory.
 */
bool names_record(struct names *names, const struct stf_record *rec);
bool names_group(struct names *names, const struct stf_inst *inst,
		 struct stf_inst_iter *iter);

/* Returns what the comments have told, or NULL for the names of one file. */
const struct origin *names_origin(const struct names *names);

struct names_at {
	const char *function; /* NULL: not known. Valid as long as names. */
	uint64_t function_start; /* the address of the function */
	/* The same in the file: the offset, or the address in the kernel and in one ELF file. */
	uint64_t function_offset;
	const char *file; /* the mapped file; NULL: not known. Valid as long as names. */
	/* All addresses from start up to end are in the same function and file. */
	uint64_t start, end;
};

/* Find what is at an address in a process. Returns false if out of memory. */
bool names_find(struct names *names, uint32_t pid, uint64_t pc, struct names_at *at);

/*
 * Returns the name to show for a function of names_find(): that in the source, or the
 * symbol if names_demangle() was not called. It is valid as long as names.
 */
const char *names_shown(const struct names *names, const char *function);

enum names_found { NAMES_NONE, NAMES_ONE, NAMES_SEVERAL };

/*
 * Find the address of the symbol with this name in the file of names_open(), or of the one for
 * which names_shown() gives this name. Returns how many addresses have it; of several
 * symbols with this name, the first one is taken. *pc is only set for NAMES_ONE.
 */
enum names_found names_address(struct names *names, const char *name, uint64_t *pc);

/*
 * Returns a line that says why the functions of a file have no names, or NULL after the
 * last one. *at is 0 for the first call.
 */
const char *names_error(const struct names *names, unsigned int *at);

#endif
