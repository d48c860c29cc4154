/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls between functions as Go's compiler takes them: a profile of pprof in which each
 * sample is a call, with the called function and the line of the call.
 */
#ifndef PROFILE_GO_H
#define PROFILE_GO_H

#include "pprof/pprof.h"
#include "profile/lines.h"

#include <stdio.h>

/*
 * Make the profile. A call that was inlined counts as often as the first instruction of what
 * was inlined. Each call has the function that it is written in. Returns 0 or PD_ENOMEM.
 * Call pprof_free() in either case.
 */
int prof_go_make(struct pprof *pprof, const struct prof *prof, struct prof_lines *lines);

/* Write it. Returns 0 or PD_ENOMEM. An error of writing is in ferror(file). */
int prof_go_write(struct pprof *pprof, FILE *file);

#endif
