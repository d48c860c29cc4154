/* SPDX-License-Identifier: GPL-2.0-only */
/* Find out whether a sample was taken in a wanted binary and function. */
#ifndef SAMPLES_WHERE_H
#define SAMPLES_WHERE_H

#include "base/error.h"
#include "base/hash.h"
#include "image/demangle.h"
#include "path/code.h"
#include "perfdata/perfdata.h"

/* What is known of a name, by its address: path_code_symbol() returns the same one again. */
struct where_name {
	const char *name;
	bool wanted;
};

struct where_names {
	const char **lists; /* names like "a,b"; the caller's */
	size_t nr_lists; /* 0: all are wanted */
	struct where_name *v;
	size_t nr, cap;
	struct hash index;
};

/* Set all members to 0 first, except the lists. */
struct where {
	struct where_names dsos; /* by path or by its last part; "[kernel]" */
	/* Symbols, or the names in the source of C++, with or without parameters. */
	struct where_names symbols;
	struct img_demangler *demangler;
};

/* Returns 1 if a sample is wanted, 0 if it is not, or ERROR_NOMEM. */
int where_wants(struct where *where, struct path_code *code,
		const struct pd_event *ev);

void where_free(struct where *where);

#endif
