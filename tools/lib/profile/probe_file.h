/* SPDX-License-Identifier: GPL-2.0-only */
/* Which probes a binary has: its sections, or its debug file's, and its symbols. */
#ifndef PROFILE_PROBE_FILE_H
#define PROFILE_PROBE_FILE_H

#include "profile/probes.h"
#include "profile/profile.h"

/* Has it any, of which the addresses are known? */
bool prof_has_probes(const struct prof_code *code);

/*
 * Read those of the functions in which the profile has ranges. prof_probes_free() is
 * to be called in every case.
 */
enum prof_probes_state prof_probes_open(struct prof_probes *probes,
					const struct prof *prof);

#endif
