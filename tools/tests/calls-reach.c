// SPDX-License-Identifier: GPL-2.0-only
/* Whether control can have come to a place after a call. */
#include "calls/reach.h"
#include "hot-build.h"

static struct calls_reach reach;

/* f, g and h, of 0x40 bytes each: c.nop, and at last ret. */
static void begin_three(void)
{
	static uint16_t code[0x80];
	unsigned int i;

	for (i = 0; i < 0x60; i++)
		code[i] = i % 0x20 == 0x1f ? 0x8082 : 0x0001;
	begin(code, sizeof(code));
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	add_function("h", 0x80, 0x40);
	find();
	reach = (struct calls_reach){ .code = code_of };
}

static int reaches(uint64_t called, uint64_t at)
{
	const struct path_place from = path_code_place(code_of, 5, MAP_AT + called),
				to = path_code_place(code_of, 5, MAP_AT + at);

	return calls_reach(&reach, &from, &to);
}

TEST(the_code_of_a_function_is_searched_once_for_all_its_addresses)
{
	uint64_t i;

	begin_three();
	for (i = 0; i < 0x40; i += 2) {
		CHECK_EQ(reaches(i, 0x40 + i), 0);
		CHECK_EQ(reaches(0x3e - i, i), 1);
		/* It is not known what is behind the functions. */
		CHECK_EQ(reaches(i, 0xc0 + i), 1);
		CHECK_EQ(reaches(0xc0 + i, i), 1);
	}
	CHECK_EQ(reach.nr_pairs, 2);
	CHECK_EQ(reaches(0x80, 0x44), 0);
	CHECK_EQ(reaches(0x40, 0x84), 0);
	CHECK_EQ(reach.nr_pairs, 4);
	calls_reach_free(&reach);
	end();
}
