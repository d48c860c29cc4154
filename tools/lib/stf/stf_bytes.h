/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian numbers at any address, on hosts of either byte order. */
#ifndef STF_STF_BYTES_H
#define STF_STF_BYTES_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define STF_LE16(_v) __builtin_bswap16(_v)
#define STF_LE32(_v) __builtin_bswap32(_v)
#define STF_LE64(_v) __builtin_bswap64(_v)
#else
#define STF_LE16(_v) (_v)
#define STF_LE32(_v) (_v)
#define STF_LE64(_v) (_v)
#endif

static inline uint16_t stf_get16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return STF_LE16(v);
}

static inline uint32_t stf_get32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return STF_LE32(v);
}

static inline uint64_t stf_get64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return STF_LE64(v);
}

static inline void stf_put16(void *p, uint16_t v)
{
	v = STF_LE16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void stf_put32(void *p, uint32_t v)
{
	v = STF_LE32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void stf_put64(void *p, uint64_t v)
{
	v = STF_LE64(v);
	memcpy(p, &v, sizeof(v));
}

#endif
