// SPDX-License-Identifier: GPL-2.0-only
/* Data that is read from its front, and may be cut short. */
#include "base/cursor.h"
#include "test.h"

static const uint8_t data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };

static struct cursor all(void)
{
	return (struct cursor){ .p = data, .end = data + sizeof(data) };
}

TEST(numbers_come_one_after_the_other)
{
	struct cursor c = all(), other = all();
	uint32_t v;
	uint64_t w;

	memcpy(&v, data, sizeof(v));
	memcpy(&w, data + 4, sizeof(w));
	CHECK_EQ(cursor_u32(&c), v);
	CHECK_EQ(cursor_u64(&c), w);
	CHECK(c.p == data + 12 && !c.cut);
	other.swap = true;
	CHECK_EQ(cursor_u32(&other), __builtin_bswap32(v));
	CHECK_EQ(cursor_u64(&other), __builtin_bswap64(w));
}

TEST(what_does_not_fit_leaves_nothing)
{
	struct cursor c = all();

	CHECK(cursor_take(&c, 14) == data);
	CHECK(!c.cut);
	CHECK(cursor_take(&c, 0) == data + 14);
	CHECK(!c.cut);
	c = all();
	CHECK(cursor_u64(&c));
	CHECK_EQ(cursor_u64(&c), 0);
	CHECK(c.cut);
	/* There were six bytes; none of them is taken for something else. */
	CHECK_EQ(cursor_u32(&c), 0);
	CHECK(!cursor_take(&c, 1));
}

TEST(an_array_of_too_many_is_none)
{
	struct cursor c = all();

	CHECK(cursor_array(&c, 3, 4) == data);
	CHECK(c.p == data + 12);
	c = all();
	CHECK(!cursor_array(&c, 4, 4) && c.cut);
	c = all();
	CHECK(!cursor_array(&c, UINT64_MAX / 8 + 2, 8) && c.cut);
	c = all();
	CHECK(!cursor_take(&c, UINT64_MAX) && c.cut);
}

static struct cursor of(const uint8_t *p, size_t n)
{
	return (struct cursor){ .p = p, .end = p + n };
}

/* The examples of the DWARF standard, table 7.7 and 7.8, and the longest numbers. */
TEST(leb128_has_as_many_bytes_as_it_needs)
{
	static const uint8_t u[] = { 2, 127, 0x80, 1, 0x81, 1, 0xb9, 0x64 };
	static const uint8_t s[] = { 2,	   0x7e, 0xff, 0,    0x81, 0x7f,
				     0x80, 1,	 0x80, 0x7f, 0x81, 1 };
	static const uint8_t most[] = { 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff, 1 };
	static const uint8_t least[] = { 0x80, 0x80, 0x80, 0x80, 0x80,
					 0x80, 0x80, 0x80, 0x80, 0x7f };
	struct cursor c = of(u, sizeof(u));

	CHECK_EQ(cursor_uleb(&c), 2);
	CHECK_EQ(cursor_uleb(&c), 127);
	CHECK_EQ(cursor_uleb(&c), 128);
	CHECK_EQ(cursor_uleb(&c), 129);
	CHECK_EQ(cursor_uleb(&c), 12857);
	CHECK(c.p == c.end && !c.cut);
	c = of(s, sizeof(s));
	CHECK_EQ(cursor_sleb(&c), 2);
	CHECK_EQ(cursor_sleb(&c), -2);
	CHECK_EQ(cursor_sleb(&c), 127);
	CHECK_EQ(cursor_sleb(&c), -127);
	CHECK_EQ(cursor_sleb(&c), 128);
	CHECK_EQ(cursor_sleb(&c), -128);
	CHECK_EQ(cursor_sleb(&c), 129);
	CHECK(c.p == c.end && !c.cut);
	c = of(most, sizeof(most));
	CHECK(cursor_uleb(&c) == UINT64_MAX && !c.cut);
	c = of(least, sizeof(least));
	CHECK(cursor_sleb(&c) == INT64_MIN && !c.cut);
}

TEST(leb128_that_does_not_end_is_cut)
{
	static const uint8_t endless[12] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					     0xff, 0xff, 0xff, 0xff, 0xff, 0 };
	struct cursor c = of(endless, sizeof(endless));

	CHECK_EQ(cursor_uleb(&c), 0);
	CHECK(c.cut);
	c = of(endless, 3);
	CHECK_EQ(cursor_sleb(&c), 0);
	CHECK(c.cut);
	c = of(endless, 0);
	CHECK_EQ(cursor_uleb(&c), 0);
	CHECK(c.cut);
}
