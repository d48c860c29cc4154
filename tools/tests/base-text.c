// SPDX-License-Identifier: GPL-2.0-only
/* Numbers as JSON has them, characters, and what a terminal takes of them. */
#include "base/plain.h"
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

/* The first and the last of each kind, and their neighbours, which are none. */
TEST(control_characters_are_those_of_a_terminal_and_of_the_direction)
{
	static const struct {
		const char *text;
		size_t n;
	} rows[] = {
		{ "a", 0 }, { "\x01", 1 }, { "\x1f", 1 }, { " ", 0 }, { "\x7f", 1 },
		{ "\xc2\x80", 2 }, { "\xc2\x9f", 2 }, { "\xc2\xa0", 0 },
		{ "\xd8\x9b", 0 }, { "\xd8\x9c", 2 }, { "\xd8\x9d", 0 }, /* U+061C */
		{ "\xe2\x80\x8d", 0 }, { "\xe2\x80\x8e", 3 }, /* U+200E */
		{ "\xe2\x80\x8f", 3 }, { "\xe2\x80\x90", 0 }, /* U+200F */
		{ "\xe2\x80\xa9", 0 }, { "\xe2\x80\xaa", 3 }, /* U+202A */
		{ "\xe2\x80\xae", 3 }, { "\xe2\x80\xaf", 0 }, /* U+202E */
		{ "\xe2\x81\xa5", 0 }, { "\xe2\x81\xa6", 3 }, /* U+2066 */
		{ "\xe2\x81\xa9", 3 }, { "\xe2\x81\xaa", 0 }, /* U+2069 */
		{ "\xe2\x81\x8e", 0 }, { "\xe2\x82\xac", 0 }, { "\xe3\x80\xae", 0 },
		{ "\xe2", 0 }, { "\xe2\x80", 0 }, { "\xe2\x81", 0 },
	};
	static struct text text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (plain_control(rows[i].text) != rows[i].n)
			test_fail(__FILE__, __LINE__, "row %zu: %zu", i, plain_control(rows[i].text));
	plain_text(&text, "a\xe2\x80\xae" "b\xe2\x81\xa6\xe2\x82\xac");
	text.buf[text.len] = 0;
	CHECK_STR(text.buf, "a?b?\xe2\x82\xac");
}

/* Cut before a character, and not within it. */
TEST(a_text_that_is_too_long_is_cut)
{
	static char text[2 * PLAIN_MOST], want[2 * PLAIN_MOST], shown[2 * PLAIN_MOST];
	FILE *file;
	size_t i;

	for (i = 0; i < 3; i++) {
		memset(text, 'a', sizeof(text));
		memcpy(text + PLAIN_MOST - i, "\xe2\x82\xac", 3);
		text[PLAIN_MOST + (i ? 3 : 0)] = 0;
		CHECK_EQ(plain_size(text), PLAIN_MOST - i);
		file = fmemopen(shown, sizeof(shown), "w");
		CHECK(file);
		plain_put(file, text);
		CHECK(!fclose(file));
		snprintf(want, sizeof(want), "%.*s%s", (int)(PLAIN_MOST - i), text, i ? "..." : "");
		CHECK_STR(shown, want);
	}
}
