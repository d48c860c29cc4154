/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the probes of a binary, in its sections or in those of its debug file, and in its
 * symbols.
 */
#ifndef PROFILE_PROBE_FILE_H
#define PROFILE_PROBE_FILE_H

#include "profile/probes.h"
#include "profile/profile.h"

/* Returns whether the binary has probes with known addresses. */
bool prof_has_probes(const struct prof_code *code);

/*
 * Read the probes of the functions in which the profile has ranges. Call
 * prof_probes_free() in every case.
 */
enum prof_probes_state prof_probes_open(struct prof_probes *probes,
					const struct prof *prof);

#endif
