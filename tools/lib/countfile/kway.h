/* SPDX-License-Identifier: GPL-2.0-only */
/* Merge sorted inputs into one sorted sequence, in which each key comes once. */
#ifndef COUNTFILE_KWAY_H
#define COUNTFILE_KWAY_H

#include "countfile/feed.h"

/* Where the merged items go. All return 0 or ERROR_* with a text. */
struct cf_sink {
	int (*step)(void *arg, const struct cf_step *step, struct error *error);
	int (*sample)(void *arg, const struct cf_sample *sample, struct error *error);
	void *arg;
};

/*
 * Merge all items of the inputs. Returns 0, or ERROR_* with a text. If an input is the
 * reason, its number is stored in *failed. Otherwise *failed does not change.
 */
int cf_kway(struct cf_feed *feeds, size_t nr, const struct cf_sink *sink,
	    uint32_t *failed, struct error *error);

#endif
