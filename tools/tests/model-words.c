// SPDX-License-Identifier: GPL-2.0-only
/* Register writes by words. */
#include "ctr/registers.h"
#include "test.h"

static struct error error;

static int add(struct register_writes *writes, const char *text)
{
	return register_writes_add(writes, text, &error);
}

TEST(registers_and_values)
{
	/* CSR numbers and bits are the specification's. */
	static const struct {
		const char *text;
		uint64_t at, value;
		unsigned int csr;
	} cases[] = {
		{ "sctrctl=5", 0, 5, 0x14e },
		{ "mctrctl=0x301", 0, 0x301, 0x34e },
		{ "vsctrctl=U", 0, 1, 0x24e },
		{ "sctrdepth=4", 0, 4, 0x15f },
		{ "sctrstatus=0x80000000", 0, 0x80000000, 0x14f },
		{ "v=1", 0, 1, REGISTER_V },
		{ "7:v=0", 7, 0, REGISTER_V },
		{ "0x10:sctrctl=U+S", 16, 3, 0x14e },
		{ "mctrctl=M+U+S", 0, 7, 0x34e },
		{ "sctrctl=RASEMU+STE", 0, 1 << 7 | 1 << 8, 0x14e },
		{ "mctrctl=MTE+BPFRZ+LCOFIFRZ", 0, 1 << 9 | 1 << 11 | 1 << 12,
		  0x34e },
		{ "sctrctl=EXCINH+INTRINH+TRETINH+NTBREN+TKBRINH", 0,
		  0x1full << 33, 0x14e },
		{ "sctrctl=INDCALLINH+DIRCALLINH+INDJMPINH+DIRJMPINH", 0,
		  0xfull << 40, 0x14e },
		{ "sctrctl=CORSWAPINH+RETINH+INDLJMPINH+DIRLJMPINH", 0,
		  0xfull << 44, 0x14e },
		{ "18446744073709551615:sctrctl=18446744073709551615",
		  UINT64_MAX, UINT64_MAX, 0x14e },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct register_writes writes = { .nr = 0 };

		if (add(&writes, cases[i].text))
			test_fail(__FILE__, __LINE__, "%s: %s", cases[i].text,
				  error.text);
		CHECK_EQ(writes.nr, 1);
		CHECK_EQ(writes.v[0].at, cases[i].at);
		CHECK_EQ(writes.v[0].csr, cases[i].csr);
		CHECK_EQ(writes.v[0].value, cases[i].value);
		register_writes_free(&writes);
	}
}

TEST(mistakes_are_named)
{
	static const char *const cases[][2] = {
		{ "sctrctl", "'sctrctl' is not REGISTER=VALUE" },
		{ "ctl=1", "'ctl' is not a register" },
		{ "sctrct=1", "'sctrct' is not a register" },
		{ "x:sctrctl=1", "'x' is not the number of an instruction" },
		{ ":sctrctl=1", "'' is not the number of an instruction" },
		{ "-1:sctrctl=1", "'-1' is not the number of an instruction" },
		{ "sctrctl=", "'' is not a number or field of a control register" },
		{ "sctrctl=U+X",
		  "'X' is not a number or field of a control register" },
		{ "sctrctl=U+",
		  "'' is not a number or field of a control register" },
		{ "sctrctl=5x",
		  "'5x' is not a number or field of a control register" },
		{ "sctrdepth=U", "'U' is not a number" },
		{ "v=18446744073709551616",
		  "'18446744073709551616' is not a number" },
		{ "sctrctl=1:2", "'1:2' is not a number or field of a control register" },
	};
	struct register_writes writes = { .nr = 0 };
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_EQ(add(&writes, cases[i][0]), ERROR_USAGE);
		CHECK_STR(error.text, cases[i][1]);
	}
	CHECK_EQ(writes.nr, 0);
	register_writes_free(&writes);
}

TEST(writes_stand_in_the_order_of_their_instructions)
{
	struct register_writes writes = { .nr = 0 };
	uint64_t i;

	CHECK_EQ(add(&writes, "9:sctrctl=0"), 0);
	CHECK_EQ(add(&writes, "5:sctrctl=1"), 0);
	CHECK_EQ(add(&writes, "9:sctrctl=2"), 0);
	CHECK_EQ(add(&writes, "5:sctrctl=3"), 0);
	for (i = 0; i < 100; i++)
		CHECK_EQ(add(&writes, "7:sctrctl=8"), 0);
	CHECK_EQ(writes.nr, 104);
	CHECK_EQ(writes.v[0].value, 1);
	CHECK_EQ(writes.v[1].value, 3);
	CHECK_EQ(writes.v[101].value, 8);
	CHECK_EQ(writes.v[102].value, 0);
	CHECK_EQ(writes.v[103].value, 2);
	CHECK(!register_writes_control(&writes));
	CHECK_EQ(add(&writes, "sctrdepth=1"), 0);
	CHECK_EQ(add(&writes, "v=1"), 0);
	CHECK(!register_writes_control(&writes));
	CHECK_EQ(add(&writes, "vsctrctl=0"), 0);
	CHECK(register_writes_control(&writes));
	register_writes_free(&writes);
}
