/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of two recordings that are the same: those of one name in the same build,
 * which a build id tells, whatever the names of its files; then those of one name in
 * binaries of one name. Instances of a generic function may have one name. Of these, the
 * ones of one size are the same, and of the others the first ones are, and so on.
 */
#ifndef HOT_TWINS_H
#define HOT_TWINS_H

#include "hot/hot.h"

struct hot_twins {
	/* For each function of the old recording and of the new one: a number of its twin, too. */
	uint32_t *v[2];
	uint32_t nr; /* of these numbers */
};

/* Returns false if out of memory. Free *twins with hot_twins_free() in each case. */
bool hot_find_twins(const struct hot *old, const struct hot *now, struct hot_twins *twins);

void hot_twins_free(struct hot_twins *twins);

#endif
