/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compress or decompress a stream of bytes: stf_filter_zstd.c, stf_filter_gz.c and
 * stf_filter_xz.c.
 */
#ifndef STF_STF_FILTER_H
#define STF_STF_FILTER_H

#include "stf/stf_error.h"

struct stf_filter {
	/*
	 * Take bytes from in, write bytes to out, and move both. last means that no bytes
	 * come after in. Returns 1 if a whole stream was finished, and 0 if not.
	 * Otherwise returns an error whose text is set.
	 */
	int (*step)(struct stf_filter *filter, bool last);
	void (*close)(struct stf_filter *filter);
	const uint8_t *in;
	size_t n_in;
	uint8_t *out;
	size_t n_out;
	const char *path; /* for messages; belongs to the caller */
	struct stf_error *err;
};

/* pack means to compress. Each function returns NULL with *err set on failure. */
struct stf_filter *stf_filter_gz(bool pack, const char *path,
				 struct stf_error *err);
struct stf_filter *stf_filter_xz(bool pack, const char *path,
				 struct stf_error *err);
struct stf_filter *stf_filter_unzstd(const char *path, struct stf_error *err);

/* Returns the filter of a container that is not plain. zstd can only be decompressed. */
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
