// SPDX-License-Identifier: GPL-2.0-only
/* XXH64, compared with the one that zstd puts at the end of its frames. */
#include <stdlib.h>
#include <zstd.h>

#include "base/xxh64.h"
#include "test.h"

static uint64_t hash(const void *p, size_t size)
{
	struct xxh64 x;

	xxh64_begin(&x);
	xxh64_add(&x, p, size);
	return xxh64_end(&x);
}

/* From the algorithm's specification and its reference implementation. */
TEST(the_known_checksums)
{
	CHECK_EQ(hash("", 0), UINT64_C(0xef46db3751d8e999));
	CHECK_EQ(hash("a", 1), UINT64_C(0xd24ec4f1a98c6e5b));
	CHECK_EQ(hash("abc", 3), UINT64_C(0x44bc2cf5ad770999));
}

/* A frame ends with the low 32 bits of the checksum of its content. */
static uint32_t by_zstd(const uint8_t *p, size_t size)
{
	static uint8_t out[4096];
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	const uint8_t *end;
	size_t n;

	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(ctx, out, sizeof(out), p, size);
	ZSTD_freeCCtx(ctx);
	CHECK(!ZSTD_isError(n));
	end = out + n;
	return end[-4] | end[-3] << 8 | end[-2] << 16 | (uint32_t)end[-1] << 24;
}

TEST(each_size_has_the_checksum_of_zstd)
{
	uint8_t bytes[300];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)test_random();
	for (i = 0; i <= sizeof(bytes); i++)
		CHECK_EQ((uint32_t)hash(bytes, i), by_zstd(bytes, i));
}

TEST(pieces_have_the_checksum_of_the_whole)
{
	uint8_t bytes[300];
	struct xxh64 x;
	size_t i, n;
	unsigned int trial;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)test_random();
	for (trial = 0; trial < 100; trial++) {
		xxh64_begin(&x);
		for (i = 0; i < sizeof(bytes); i += n) {
			n = test_random() % 70;
			n = n < sizeof(bytes) - i ? n : sizeof(bytes) - i;
			xxh64_add(&x, bytes + i, n);
		}
		CHECK_EQ(xxh64_end(&x), hash(bytes, sizeof(bytes)));
	}
}
