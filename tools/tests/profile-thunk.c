// SPDX-License-Identifier: GPL-2.0-only
/* Which symbols are thunks, of which functions, and what their code does. */
#include "elf-build.h"
#include "profile/thunk.h"
#include "test.h"

enum { AT = ELFB_ADDR + ELFB_CODE };

/* As g++ 14 and, the last one, gdc 14 named them. */
TEST(thunks_are_known_by_their_names)
{
	static const char *const v[][2] = {
		{ "_ZThn16_N1M3runEl", "_ZN1M3runEl" },
		{ "_ZThn16_N2E21gEv", "_ZN2E21gEv" },
		{ "_ZTv0_n24_N1M1fEv", "_ZN1M1fEv" },
		{ "_ZTv0_n32_N1D1gEv", "_ZN1D1gEv" },
		{ "_ZTch0_h16_N1C5cloneEv", "_ZN1C5cloneEv" },
		{ "_ZTchn16_h16_N2E25cloneEv", "_ZN2E25cloneEv" },
		{ "_ZTch0_v0_n24_N1D5cloneEv", "_ZN1D5cloneEv" },
		{ "_ZTcv0_n24_v0_n24_N1D5cloneEv", "_ZN1D5cloneEv" },
		{ "_DTi16_D3app5dwork3Mul3runMFlZl", "_D3app5dwork3Mul3runMFlZl" },
	};
	size_t i, k;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++) {
		CHECK(prof_thunk_rest(v[i][0]));
		CHECK(!prof_thunk_rest(v[i][1]));
		for (k = 0; k < sizeof(v) / sizeof(*v); k++)
			CHECK_EQ(prof_is_thunk_of(v[i][0], v[k][1]), !strcmp(v[i][1], v[k][1]));
		CHECK(!prof_is_thunk_of(v[i][0], "N1M3runEl"));
	}
}

TEST(other_names_are_none)
{
	static const char *const v[] = {
		"", "_", "_Z", "_ZT", "_ZTV1M", "_ZTI1M", "_ZTS1M", "_ZTh", "_ZThn", "_ZThn16",
		"_ZTv0_", "_ZTv0_N1M3runEl", "_ZTc", "_ZTch0_", "_ZTch0_N1M3runEl", "_ZTW1x",
		"_DTi", "_DTi16", "_DTi16_main", "_D3app", "main", "_ZThx_N1M3runEl",
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++)
		CHECK(!prof_thunk_rest(v[i]) || !prof_is_thunk_of(v[i], "_ZN1M3runEl"));
	CHECK(!prof_thunk_rest("_ZTv0_N1M3runEl"));
	CHECK(!prof_thunk_rest("_ZTV1M"));
}

static bool jumps(const void *bytes, size_t size)
{
	struct elfb elf = { .code = bytes, .code_size = size };
	const struct samples_opts nowhere = SAMPLES_OPTS_INIT;
	const struct img_symbol symbol = { .start = AT, .end = AT + size };
	const char *path = test_path("x"), *why;
	struct prof_code code;
	bool ret;

	CHECK(elfb_write(&elf, path));
	why = prof_code_open(&code, path, &nowhere);
	if (why)
		test_fail(__FILE__, __LINE__, "%s", why);
	ret = prof_thunk_jumps(&code, &symbol);
	prof_code_close(&code);
	return ret;
}

TEST(a_thunk_that_jumps_is_told_from_one_with_a_body)
{
	/* addi a0, a0, -16; j +64, and as the linker leaves it where it is far: auipc t1; jr t1 */
	static const uint16_t near[] = { 0x1541, 0xa081 },
			      far[] = { 0x1541, 0x0317, 0x0000, 0x0067, 0x0003 },
	/* li a0, 1; blez a1, +8; j +64 */
			      body[] = { 0x4505, 0x5463, 0x00b0, 0xa081 },
	/* li a0, 1; ret */
			      leaf[] = { 0x4505, 0x8082 },
	/* li a0, 1; j +4, to the condition of a loop; nop; ret */
			      loop[] = { 0x4505, 0xa011, 0x0001, 0x8082 },
	/* li a0, 1, and no end */
			      cut[] = { 0x4505 };

	CHECK(jumps(near, sizeof(near)));
	CHECK(jumps(far, sizeof(far)));
	CHECK(!jumps(body, sizeof(body)));
	CHECK(!jumps(leaf, sizeof(leaf)));
	CHECK(!jumps(loop, sizeof(loop)));
	CHECK(!jumps(cut, sizeof(cut)));
}
