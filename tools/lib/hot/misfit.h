/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are not those that ran. Another one had the name then: it was replaced since, or was
 * that of a container. The recording tells no build id, or that of the wrong file, as the perf of
 * Linux 6.12 reads it at the end. Or the program has changed its code.
 */
#ifndef HOT_MISFIT_H
#define HOT_MISFIT_H

#include "hot/hot.h"

struct notes;

/*
 * Add a note for each file in which at least 1 % of the branches from it are no branches. Call
 * hot_find() before.
 */
void hot_note_misfits(const struct hot *hot, struct notes *notes);

#endif
