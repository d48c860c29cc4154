/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a profile, as they are written or sent. */
#ifndef EXPORT_BODY_H
#define EXPORT_BODY_H

#include "export/export.h"

struct body {
	uint8_t *v;
	size_t size;
	uint64_t begin, end; /* the profile's time, s since 1970 */
};

/*
 * Make the profile of a counts file, compressed by gzip if gzip is set. The caller frees
 * body->v. Returns 0, or ERROR_* with a text that names the file.
 */
int body_make(struct body *body, const char *counts, const struct export_opts *opts,
	      bool gzip, struct notes *notes, struct error *error);

/*
 * Check that bytes are a whole stream of gzip. path is for the text. Returns 0, ERROR_INPUT if
 * they are not, or ERROR_OUTPUT if it cannot be found out.
 */
int body_check(const uint8_t *v, size_t size, const char *path, struct error *error);

/* Returns whether a name is that of a file by gzip. */
bool body_is_gzip(const char *path);

#endif
