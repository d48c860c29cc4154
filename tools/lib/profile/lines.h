/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The source lines and functions of an instruction, from the debug information: its own
 * line and, if it was inlined, the lines of the calls that inlined it.
 */
#ifndef PROFILE_LINES_H
#define PROFILE_LINES_H

#include "image/split.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* The scope of an address that belongs to no function. */
#define PROF_NO_SCOPE UINT32_MAX

/* A function as it was compiled, or an inlined copy of a function. */
struct prof_scope {
	const char *name; /* the name that the linker uses */
	const char *file; /* the file with the declaration; NULL: not known */
	/* The scope in which it was inlined. PROF_NO_SCOPE: it was not inlined. */
	uint32_t parent;
	/* the line from which compilers count, mostly of the declaration; 0: not known */
	uint32_t line;
	uint32_t call_line; /* the line in the parent; 0: not known */
	uint32_t call_discriminator;
	/*
	 * This is not a call, but a part of the parent that was split off and inlined
	 * again.
	 */
	bool split;
	uint64_t entry; /* the address at which it is entered; 0: it was inlined */
	uint64_t start; /* where its code begins, which may be behind nops at the entry */
	uint32_t unit;
	bool linked; /* name is certain */
	bool lineless; /* the debug information has only the first line for all the code */
	/* the function of which this function and others are copies */
	const void *origin;
};

/* A range of addresses in the same scope. */
struct prof_span {
	uint64_t start, end; /* end: the first address after the range */
	uint32_t scope;
};

/* What is known of code. */
enum prof_known {
	PROF_NOTHING,
	/* that it is of an assembler, so that compilers do not use its counts */
	PROF_ASSEMBLY,
	/* its function, and not on which line this begins, as after clang's -g1 */
	PROF_FUNCTION,
	/* this line, too, from which compilers count */
	PROF_FIRST_LINE,
	PROF_NR_KNOWN,
};

struct prof_unit;

struct prof_lines {
	struct prof_scope *scopes;
	struct prof_span *spans; /* ordered by address, without overlaps */
	size_t nr_scopes, cap_scopes;
	size_t nr_spans, cap_spans;
	/* the code of assemblers, ordered by address, without scopes */
	struct prof_span *assembly;
	size_t nr_assembly, cap_assembly;
	/* the nops at the entries of functions, ordered by address, which have no lines */
	struct prof_span *nops;
	size_t nr_nops, cap_nops;
	struct prof_unit *units;
	bool has_wide; /* discriminators may be longer than libdw can read */
	size_t nr_units, cap_units;
	struct Dwarf *dwarf; /* of the binary; NULL: none */
	/* what is missing in the units whose code ran */
	struct img_split split;
	uint64_t moved; /* to add to the addresses of the debug information */
};

enum prof_lines_state {
	PROF_LINES_OK,
	/* no debug information, in the binary or in a debug file */
	PROF_LINES_NONE,
	PROF_LINES_DAMAGED,
	PROF_LINES_NO_MEMORY,
};

/*
 * Read the functions in which the profile has ranges or to which its branches lead. Call
 * prof_lines_close() in every case.
 */
enum prof_lines_state prof_lines_open(struct prof_lines *lines,
				      const struct prof *prof);
void prof_lines_close(struct prof_lines *lines);

/* Returns the innermost scope of an address, or NULL. */
const struct prof_span *prof_lines_span(const struct prof_lines *lines,
					uint64_t addr);

/* Returns the function of an address, or of the nops at its entry, or PROF_NO_SCOPE. */
uint32_t prof_lines_function(const struct prof_lines *lines, uint64_t addr);

/*
 * Store the counts of the straight lines, by what is known of the code in which they begin. Those in
 * the procedure linkage table are in none of them.
 */
void prof_lines_sum(const struct prof_lines *lines, const struct prof *prof,
		    uint64_t counts[PROF_NR_KNOWN]);

/* Returns the scope of the function itself that a scope was inlined into. */
uint32_t prof_lines_outermost(const struct prof_lines *lines, uint32_t scope);

/*
 * Returns the function that is entered at an address, or PROF_NO_SCOPE. A part that was split
 * off has its function's name, but who comes there had entered it before. behind_nops: as if it
 * were entered where the debug information begins it, behind the nops at its entry.
 */
uint32_t prof_lines_entered(const struct prof_lines *lines, const struct prof_code *code,
			    uint64_t addr, bool behind_nops);

/*
 * Store the source line of an instruction in a scope, and the discriminator that the
 * compiler gave it. Returns false if there is no line. Line 0 is no line.
 */
bool prof_lines_line(struct prof_lines *lines, uint32_t scope, uint64_t addr,
		     uint32_t *line, uint32_t *discriminator);

#endif
