// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of functions of BPF programs: BTF as Documentation/bpf/btf.rst of Linux has it. And
 * the names of trampolines, in lines as Linux writes them into /proc/kallsyms.
 */
#include "recorder/programs.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
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

static char found[256];

static int find(void *arg, uint64_t start, uint32_t size, const char *name)
{
	const size_t n = strlen(found);

	snprintf(found + n, sizeof(found) - n, "%" PRIx64 " %u %s\n", start, size, name);
	return arg ? 7 : 0;
}

static void write_list(const char *text)
{
	FILE *f = fopen(test_path("list"), "w");

	CHECK(f && fputs(text, f) >= 0);
	fclose(f);
	*found = 0;
}

TEST(trampolines_of_bpf_are_those_of_the_kernels_list)
{
	write_list("ffffffff80000000 T _text\n"
		   "ffffffff80001000 T bpf_dispatcher_xdp_func\n"
		   "ffffffff01000000 t bpf_trampoline_7\t[module]\n"
		   "ffffffff02000000 t bpf_prog_6deef7357e7b4530_enter\t[bpf]\n"
		   "ffffffff02000100 t bpf_trampoline_6442505898\t[bpf]\n"
		   "ffffffff02001000 t bpf_dispatcher_xdp\t[bpf]\n"
		   "ffffffff03000000 t ftrace_trampoline\t[__builtin__ftrace]\n");
	CHECK_EQ(rcd_each_trampoline(test_path("list"), find, NULL), 0);
	CHECK_STR(found, "ffffffff02000100 4096 bpf_trampoline_6442505898\n"
			 "ffffffff02001000 4096 bpf_dispatcher_xdp\n");
	CHECK_EQ(rcd_each_trampoline(test_path("list"), find, found), 7);
}

TEST(trampolines_whose_addresses_are_hidden_are_left_out)
{
	write_list("0000000000000000 t bpf_trampoline_6442505898\t[bpf]\n");
	CHECK_EQ(rcd_each_trampoline(test_path("list"), find, NULL), 0);
	CHECK_EQ(rcd_each_trampoline(test_path("no-list"), find, NULL), 0);
	CHECK_STR(found, "");
}
