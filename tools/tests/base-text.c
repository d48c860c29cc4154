// SPDX-License-Identifier: GPL-2.0-only
/* Numbers as JSON has them, and characters. */
#include "base/text.h"
#include "test.h"

static const char *json_dec(uint64_t value)
{
	static struct text text;

	text.len = 0;
	text_json_dec(&text, "\"a\":", value);
	text.buf[text.len] = 0;
	return text.buf;
}

TEST(json_numbers_that_readers_would_round_are_strings)
{
	CHECK_STR(json_dec(0), "\"a\":0");
	CHECK_STR(json_dec(UINT64_C(1) << 53), "\"a\":9007199254740992");
	CHECK_STR(json_dec((UINT64_C(1) << 53) + 1), "\"a\":\"9007199254740993\"");
	CHECK_STR(json_dec(UINT64_MAX), "\"a\":\"18446744073709551615\"");
}

TEST(a_character_of_utf_8_is_what_the_standard_has)
{
	static const struct {
		const char *text;
		size_t n;
	} rows[] = {
		{ "a", 1 }, { "\xc2\x80", 2 }, { "\xe0\xa0\x80", 3 }, { "\xf0\x90\x80\x80", 4 },
		{ "\xed\x9f\xbf", 3 }, { "\xee\x80\x80", 3 }, { "\xf4\x8f\xbf\xbf", 4 },
		/* longer than need be, halves of a pair, too large, cut, none at all */
		{ "\xc1\xbf", 0 }, { "\xe0\x9f\xbf", 0 }, { "\xf0\x8f\xbf\xbf", 0 },
		{ "\xed\xa0\x80", 0 }, { "\xed\xbf\xbf", 0 }, { "\xf4\x90\x80\x80", 0 },
		{ "\xe2\x82", 0 }, { "\xe2z\x80", 0 }, { "\x80", 0 }, { "\xff", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_EQ(text_utf8(rows[i].text, strlen(rows[i].text)), rows[i].n);
}
