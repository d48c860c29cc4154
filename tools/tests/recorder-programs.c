// SPDX-License-Identifier: GPL-2.0-only
/* The names of functions of BPF programs: BTF as Documentation/bpf/btf.rst of Linux has it. */
#include "recorder/programs.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* kind << 24 | number of members */
#define INFO(_kind, _nr) ((uint32_t)(_kind) << 24 | (_nr))

static const uint32_t types[] = {
	1, INFO(1, 0), 4, 32, /* 1: int, and 4 bytes of its bits */
	0, INFO(2, 0), 1, /* 2: a pointer to it */
	0, INFO(3, 0), 0, 1, 1, 5, /* 3: an array of five */
	5, INFO(4, 2), 8, 0, 1, 0, 0, 1, 32, /* 4: struct pair with two members */
	0, INFO(13, 1), 1, 0, 2, /* 5: a prototype with one parameter */
	10, INFO(12, 1), 5, /* 6: the function on_enter */
	5, INFO(6, 1), 4, 1, 7, /* 7: enum pair with one value */
	5, INFO(19, 1), 8, 1, 7, 0, /* 8: the same, of 64 bits */
	5, INFO(14, 0), 1, 1, /* 9: a variable */
	5, INFO(15, 1), 4, 9, 0, 4, /* 10: its section */
	5, INFO(17, 0), 9, 0xffffffff, /* 11: a tag of the variable */
	19, INFO(12, 0), 5, /* 12: the function blend */
	25, INFO(12, 0), 5, /* 13: a function whose name has no end */
	1000, INFO(12, 0), 5, /* 14: a function whose name is nowhere */
};
static const char strings[] = "\0int\0pair\0on_enter\0blend\0no end";

enum { HEAD = 24, STRINGS = sizeof(strings) - 1, SIZE = HEAD + sizeof(types) + STRINGS };

/* Of its exact size, so that the sanitizer sees every read beyond it. */
static uint8_t *make(void)
{
	const struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t size, types, types_size, strings, strings_size;
	} head = { 0xeb9f, 1, 0, HEAD, 0, sizeof(types), sizeof(types), STRINGS };
	uint8_t *btf = malloc(SIZE);

	CHECK(btf);
	memcpy(btf, &head, HEAD);
	memcpy(btf + HEAD, types, sizeof(types));
	memcpy(btf + HEAD + sizeof(types), strings, STRINGS);
	return btf;
}

TEST(a_type_has_its_name_behind_types_of_each_kind)
{
	uint8_t *btf = make();

	CHECK_STR(rcd_btf_name(btf, SIZE, 1), "int");
	CHECK_STR(rcd_btf_name(btf, SIZE, 4), "pair");
	CHECK_STR(rcd_btf_name(btf, SIZE, 6), "on_enter");
	CHECK_STR(rcd_btf_name(btf, SIZE, 12), "blend");
	free(btf);
}

TEST(what_is_not_there_has_no_name)
{
	uint8_t *btf = make();
	uint32_t type;

	CHECK(!rcd_btf_name(btf, SIZE, 0));
	CHECK(!rcd_btf_name(btf, SIZE, 2));
	for (type = 13; type < 20; type++)
		CHECK(!rcd_btf_name(btf, SIZE, type));
	CHECK(!rcd_btf_name(btf, SIZE, UINT32_MAX));
	btf[0] = 0;
	CHECK(!rcd_btf_name(btf, SIZE, 1));
	free(btf);
}

TEST(damaged_btf_has_a_name_or_none)
{
	unsigned int at, size;
	uint8_t *btf, *cut;

	for (size = 0; size < SIZE; size++) {
		btf = make();
		cut = malloc(size ?: 1);
		CHECK(cut);
		memcpy(cut, btf, size);
		CHECK(!rcd_btf_name(cut, size, 12));
		free(cut);
		free(btf);
	}
	for (at = 0; at < SIZE; at++) {
		btf = make();
		btf[at] ^= 1 + test_random() % 255;
		rcd_btf_name(btf, SIZE, 12);
		btf[at] = 0xff;
		rcd_btf_name(btf, SIZE, 12);
		free(btf);
	}
}
