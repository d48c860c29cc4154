/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of a log in files of the kernel and of its modules: source lines, inlined
 * functions and code. The log has no addresses, so it does not matter where the kernel was.
 * It has no build ids either. A function of a file is taken if the next one is as far away as
 * the log tells.
 */
#ifndef CONSOLE_NAMES_H
#define CONSOLE_NAMES_H

#include "console/log.h"
#include "image/image.h"

struct con_names;

/* How many functions of the kernel or of a module the files have. */
struct con_found {
	const char *module; /* "" is the kernel; valid as long as the log */
	const char *path; /* of the file; NULL: there is none */
	uint32_t nr, nr_found; /* functions of the log, and of these in the file */
	/* of those that were not found, how many are in the file several times, with this size */
	uint32_t nr_twice;
};

/*
 * Find the functions of a log. vmlinux is the kernel's file, and NULL if there is none.
 * Modules are searched in nr places, which are files or folders: NAME.ko, or NAME.ko.debug.
 * Returns 0, ERROR_NOMEM, or ERROR_INPUT if vmlinux cannot be used or is of another kernel.
 * log must exist as long as *names. con_names_free() accepts NULL.
 */
int con_names_new(struct con_names **names, const struct con_log *log, const char *vmlinux,
		  const char *const *places, size_t nr, struct error *error);
void con_names_free(struct con_names *names);

/* Returns what was found for module number i. Returns NULL if there are no more. */
const struct con_found *con_names_found(const struct con_names *names, size_t i);

/*
 * Returns the file with a place, and stores its address in *addr as the file is linked.
 * Returns NULL if it is not known.
 */
struct img_file *con_names_file(const struct con_names *names, uint32_t place, uint64_t *addr);

/*
 * Returns the code at a place, up to where the file tells it no longer, and stores its
 * length in bytes in *len. The code of modules is not known, because loading changes it.
 * Returns NULL if the code is not known.
 */
const uint8_t *con_names_code(const struct con_names *names, uint32_t place, uint64_t *len);

#endif
