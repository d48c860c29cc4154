// SPDX-License-Identifier: GPL-2.0-only
/* Protocol buffers, byte by byte as the description of their encoding has them. */
#include "base/protobuf.h"
#include "test.h"

#include <stdlib.h>

static void check(int line, struct pb *m, const void *want, size_t size)
{
	if (m->failed || m->nr != size || (size && memcmp(m->v, want, size)))
		test_fail(__FILE__, line, "other bytes");
	free(m->v);
	*m = (struct pb){ 0 };
}

#define CHECK_BYTES(_m, _want) check(__LINE__, _m, _want, sizeof(_want) - 1)

/* 150 in field 1 is the example of the description. */
TEST(a_number_has_seven_bits_a_byte)
{
	struct pb m = { 0 };

	pb_number(&m, 1, 150);
	CHECK_BYTES(&m, "\x08\x96\x01");
	pb_number(&m, 1, 127);
	pb_number(&m, 16, 128);
	CHECK_BYTES(&m, "\x08\x7f\x80\x01\x80\x01");
	pb_number(&m, 2, UINT64_MAX);
	CHECK_BYTES(&m, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(no_field_has_the_number_0)
{
	struct pb m = { 0 };

	pb_number(&m, 1, 0);
	pb_fixed64(&m, 1, 0);
	CHECK_BYTES(&m, "");
	/* But an element of an array is there. */
	pb_varint(&m, 0);
	CHECK_BYTES(&m, "\0");
}

TEST(a_fixed_number_has_eight_bytes)
{
	struct pb m = { 0 };

	pb_fixed64(&m, 3, UINT64_C(0x0807060504030201));
	CHECK_BYTES(&m, "\x19\1\2\3\4\5\6\7\x08");
}

TEST(a_text_has_its_length)
{
	struct pb m = { 0 };

	pb_text(&m, 2, "testing");
	pb_text(&m, 2, "");
	CHECK_BYTES(&m, "\x12\7testing\x12\0");
}

/* Readers refuse a message with other bytes. */
TEST(a_text_is_utf_8)
{
	struct pb m = { 0 };

	pb_text(&m, 1, "a\xc3\xa4z");
	CHECK_BYTES(&m, "\x0a\4a\xc3\xa4z");
	pb_text(&m, 1, "a\xffz\xc3");
	CHECK_BYTES(&m, "\x0a\x08" "a\xef\xbf\xbdz\xef\xbf\xbd");
}

TEST(a_message_in_a_message)
{
	struct pb m = { 0 }, inner = { 0 };

	pb_number(&inner, 1, 150);
	pb_message(&m, 3, &inner);
	pb_message(&m, 3, &inner);
	free(inner.v);
	CHECK_BYTES(&m, "\x1a\3\x08\x96\x01\x1a\0");
}

TEST(what_failed_within_fails)
{
	struct pb m = { 0 }, inner = { .failed = true };

	pb_message(&m, 3, &inner);
	CHECK(m.failed);
	free(m.v);
}

static size_t read_all(const uint8_t *p, size_t size, struct pb_field *v, size_t max)
{
	const uint8_t *end = p + size;
	size_t nr = 0;

	while (nr < max && pb_next(&p, end, &v[nr]))
		nr++;
	return nr;
}

TEST(what_was_written_is_read)
{
	struct pb m = { 0 };
	struct pb_field v[5];

	pb_number(&m, 1, UINT64_MAX);
	pb_fixed64(&m, 2, 7);
	pb_text(&m, 300, "abc");
	pb_text(&m, 4, "");
	CHECK_EQ(read_all(m.v, m.nr, v, 5), 4);
	CHECK(v[0].nr == 1 && v[0].number == UINT64_MAX && !v[0].bytes);
	CHECK(v[1].nr == 2 && v[1].number == 7);
	CHECK(v[2].nr == 300 && v[2].number == 3 && !memcmp(v[2].bytes, "abc", 3));
	CHECK(v[3].nr == 4 && v[3].number == 0 && v[3].bytes);
	free(m.v);
}

/* In a copy of its own size, in which the sanitizer sees each byte that is not its own. */
TEST(a_damaged_message_ends)
{
	struct pb m = { 0 };
	struct pb_field v[16];
	unsigned int i;
	size_t size;

	pb_number(&m, 1, UINT64_MAX);
	pb_fixed64(&m, 2, 7);
	pb_text(&m, 300, "abc");
	for (size = 0; size <= m.nr; size++) {
		uint8_t *copy = malloc(size + 1);

		memcpy(copy + 1, m.v, size);
		CHECK(read_all(copy + 1, size, v, 16) <= 3);
		for (i = 0; i < 8 * size; i++) {
			copy[1 + i / 8] ^= 1 << i % 8;
			read_all(copy + 1, size, v, 16);
			copy[1 + i / 8] ^= 1 << i % 8;
		}
		free(copy);
	}
	free(m.v);
}
