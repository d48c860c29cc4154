/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command line of `perf record` tells of the events beside the branches. */
#ifndef SIDE_COMMAND_H
#define SIDE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Return whether perf may have left out some of these events because of --filter. words are
 * the words of the command, each with a NUL behind it, in size bytes. event is what all names
 * of the event contain.
 */
bool side_command_filters(const char *words, size_t size, const char *event);

#endif
