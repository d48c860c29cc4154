/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lines of which functions an instruction is of, by the debug information:
 * its own and, where it was inlined, those of the calls that it was inlined by.
 */
#ifndef PROFILE_LINES_H
#define PROFILE_LINES_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* An address that no function has. */
#define PROF_NO_SCOPE UINT32_MAX

/* A function as it was compiled, or a copy of one that was inlined. */
struct prof_scope {
	const char *name; /* as the linker has it */
	const char *file; /* in which it is declared; NULL: not known */
	uint32_t parent; /* in which it was inlined; PROF_NO_SCOPE: it was not */
	uint32_t line; /* at which it is declared */
	uint32_t call_line; /* in the parent; 0: not known */
	uint32_t call_discriminator;
	/* No call: a part of the parent that was split off and came back. */
	bool split;
	uint64_t entry; /* its first instruction's address; 0: unknown */
	uint32_t unit;
	/* What all copies of the function are copies of; NULL: name is certain. */
	const void *origin;
};

/* Addresses of the same scope. */
struct prof_span {
	uint64_t start, end; /* end: the first one after */
	uint32_t scope;
};

struct prof_unit;

struct prof_lines {
	struct prof_scope *scopes;
	struct prof_span *spans; /* by address, without overlaps */
	size_t nr_scopes, cap_scopes;
	size_t nr_spans, cap_spans;
	struct prof_unit *units;
	bool has_wide; /* discriminators may be longer than libdw has them */
	size_t nr_units, cap_units;
	struct Dwarf *dwarf;
	int fd; /* of the binary, by which libdw knows its name; -1: none */
	struct prof_module_debug *module; /* has dwarf; NULL: it is no module */
	/* Units of code that ran whose functions are in a file that is not there. */
	unsigned int nr_missing;
	char *missing; /* the first one's; NULL: none */
	bool unread_dwp; /* there is a .dwp file, but libdw is too old for it */
	bool without_ends; /* such a file is there, but has no sizes of functions */
	uint64_t moved; /* to be added to the debug information's addresses */
};

enum prof_lines_state {
	PROF_LINES_OK,
	PROF_LINES_NONE, /* no debug information, here or in a debug file */
	PROF_LINES_DAMAGED,
	PROF_LINES_NO_MEMORY,
};

/*
 * Read what is known of the functions in which the profile has ranges or to which
 * its branches lead. prof_lines_close() is to be called in every case.
 */
enum prof_lines_state prof_lines_open(struct prof_lines *lines,
				      const struct prof *prof);
void prof_lines_close(struct prof_lines *lines);

/* The innermost scope of an address; NULL: none. */
const struct prof_span *prof_lines_span(const struct prof_lines *lines,
					uint64_t addr);

/*
 * The source line of an instruction in a scope, and the discriminator as the
 * compiler gave it. False if there is none: line 0 is none.
 */
bool prof_lines_line(struct prof_lines *lines, uint32_t scope, uint64_t addr,
		     uint32_t *line, uint32_t *discriminator);

#endif
