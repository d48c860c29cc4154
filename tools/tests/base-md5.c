// SPDX-License-Identifier: GPL-2.0-only
/* The values are those of RFC 1321's own tests, and of coreutils' md5sum. */
#include "base/md5.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const char *hex(const void *p, size_t size)
{
	static char text[2 * MD5_SIZE + 1];
	uint8_t digest[MD5_SIZE];
	unsigned int i;

	md5(digest, p, size);
	for (i = 0; i < MD5_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return text;
}

static const char *of(const char *text)
{
	return hex(text, strlen(text));
}

TEST(short_texts_are_one_block)
{
	CHECK_STR(hex(NULL, 0), "d41d8cd98f00b204e9800998ecf8427e");
	CHECK_STR(of("a"), "0cc175b9c0f1b6a831c399e269772661");
	CHECK_STR(of("abc"), "900150983cd24fb0d6963f7d28e17f72");
	CHECK_STR(of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(the_number_of_bits_may_take_one_more_block)
{
	CHECK_STR(of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
		  "d174ab98d277d9f5a5611c2c9f419d9f");
	CHECK_STR(of("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
		  "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(each_length_around_a_block_is_right)
{
	uint8_t as[129];

	memset(as, 'a', sizeof(as));
	CHECK_STR(hex(as, 55), "ef1772b6dff9a122358552954ad0df65");
	CHECK_STR(hex(as, 56), "3b0c8ac703f828b04c6c197006d17218");
	CHECK_STR(hex(as, 63), "b06521f39153d618550606be297466d5");
	CHECK_STR(hex(as, 64), "014842d480b571495a4a0363793f7367");
	CHECK_STR(hex(as, 128), "e510683b3f5ffe4093d021808bc6ff70");
}
