// SPDX-License-Identifier: GPL-2.0-only
/* ssctr-profile.so: what perf script shows → profiles for compilers and BOLT. */
#include "plugin.h"

const struct plugin plugin = {
	.name = "profile",
	.description = "Profiles for clang, GCC and BOLT from branch stacks",
	.longer =
		"perf script --dlfilter ssctr-profile.so --dlarg -b --dlarg PROGRAM\n"
		"        --dlarg -o --dlarg FILE\n"
		"Options are those of `ssctr profile`, a --dlarg for each word.",
	.run = cmd_profile_of,
};
