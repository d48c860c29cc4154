// SPDX-License-Identifier: GPL-2.0-only
/* Numbers as JSON has them. */
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
