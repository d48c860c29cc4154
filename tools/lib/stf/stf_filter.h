/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compressor or decompressor of a stream of bytes: stf_filter_zstd.c,
 * stf_filter_gz.c, stf_filter_xz.c.
 */
#ifndef STF_STF_FILTER_H
#define STF_STF_FILTER_H

#include "stf/stf_error.h"

struct stf_filter {
	/*
	 * Take from in, give to out, and move both on. last: nothing comes
	 * after in. Returns 1 when a whole stream was finished, 0 if not yet, or
	 * an error whose text is set.
	 */
	int (*step)(struct stf_filter *filter, bool last);
	void (*close)(struct stf_filter *filter);
	const uint8_t *in;
	size_t n_in;
	uint8_t *out;
	size_t n_out;
	const char *path; /* for messages; the caller's */
	struct stf_error *err;
};

/* pack: compress. Each returns NULL with *err set. */
struct stf_filter *stf_filter_gz(bool pack, const char *path,
				 struct stf_error *err);
struct stf_filter *stf_filter_xz(bool pack, const char *path,
				 struct stf_error *err);
struct stf_filter *stf_filter_unzstd(const char *path, struct stf_error *err);

/* That of a container which is not plain. zstd is only decompressed. */
static inline struct stf_filter *stf_filter_new(enum stf_container container,
						bool pack, const char *path,
						struct stf_error *err)
{
	switch (container) {
	case STF_CONTAINER_GZ:
		return stf_filter_gz(pack, path, err);
	case STF_CONTAINER_XZ:
		return stf_filter_xz(pack, path, err);
	default:
		return stf_filter_unzstd(path, err);
	}
}

#endif
