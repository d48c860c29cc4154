/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are not those that ran. Where neither the recording nor the file tells a build id,
 * a file is found by its name, and another one may have had this name when it ran: it was
 * replaced since then, or is that of a container.
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
