// SPDX-License-Identifier: GPL-2.0-only
/* Discriminators of more than 24 bits, from the programs of line tables. */
#include "dwarf-build.h"
#include "profile/wide.h"
#include "test.h"

static struct prof_wide wide;

static void free_wide(void)
{
	free(wide.v);
	wide = (struct prof_wide){ 0 };
}

/* One sequence from 0x1000 on, by special opcodes and each way to advance. */
static void put_program(struct pdb_buf *b)
{
	pdb_put(b, "\0\11\2\0\20\0\0\0\0\0\0", 11);
	/* set_discriminator 0x1000001, and a special opcode: one byte on, one line on */
	pdb_put(b, "\0\5\4\x81\x80\x80\x08\x21", 8);
	pdb_put(b, "\2\4\1", 3); /* advance_pc 4, copy: the discriminator is 0 again */
	pdb_put(b, "\0\6\4\xff\xff\xff\xff\x0f\10\1", 10); /* const_add_pc, copy */
	pdb_put(b, "\0\5\4\xff\xff\xff\7\11\0\1\1", 11); /* 24 bits: not wide */
	pdb_put(b, "\5\7\0\2\x80\1", 6); /* set_column; what nobody knows */
	pdb_put(b, "\0\5\4\x82\x80\x80\x10\1", 8);
	pdb_put(b, "\0\1\1", 3);
}

/* The header of a version; line_base -5, line_range 14, opcode_base 13. */
static void put_table(struct pdb_buf *b, unsigned int version)
{
	const size_t start = b->n;
	size_t header;

	pdb_u32(b, 0);
	pdb_u16(b, version);
	if (version >= 5)
		pdb_put(b, "\10\0", 2);
	header = b->n;
	pdb_u32(b, 0);
	pdb_put(b, version >= 4 ? "\1\1" : "\1", version >= 4 ? 2 : 1);
	pdb_put(b, "\1\xfb\16\15\0\1\1\1\1\0\0\0\1\0\0\1", 16);
	pdb_put(b, "tables of files", 16);
	dwb_set32(b, header, b->n - header - 4);
	put_program(b);
	dwb_set32(b, start, b->n - start - 4);
}

static void check_version(unsigned int version)
{
	struct pdb_buf b = { 0 };

	put_table(&b, version);
	pdb_put(&b, "the next unit", 13);
	CHECK(prof_wide_read(&wide, b.p, b.n, false));
	CHECK_EQ(wide.nr, 3);
	/* 0x21 is 33 - 13 = 20: 20 / 14 bytes on. */
	CHECK_EQ(wide.v[0].addr, 0x1001);
	CHECK_EQ(wide.v[0].discriminator, 0x1000001);
	/* 4 on, and (255 - 13) / 14 = 17. */
	CHECK_EQ(wide.v[1].addr, 0x1001 + 4 + 17);
	CHECK_EQ(wide.v[1].discriminator, UINT32_MAX);
	CHECK_EQ(wide.v[2].addr, 0x1001 + 4 + 17 + 0x100);
	CHECK_EQ(wide.v[2].discriminator, 0x2000002);
	CHECK_EQ(prof_wide_find(&wide, 0x1001, 1), 0x1000001);
	CHECK_EQ(prof_wide_find(&wide, 0x1001, 2), 2);
	CHECK_EQ(prof_wide_find(&wide, 0x1005, 0), 0);
	free_wide();
	free(b.p);
}

TEST(all_versions_have_their_discriminators)
{
	check_version(3);
	check_version(4);
	check_version(5);
}

TEST(what_is_damaged_ends_the_table)
{
	struct pdb_buf b = { 0 };
	size_t n, i;
	char *cut;

	put_table(&b, 4);
	for (n = 0; n < b.n; n++) {
		/* At the end of what is allocated, where reading on is seen. */
		cut = malloc(n ? n : 1);
		memcpy(cut, b.p, n);
		CHECK(prof_wide_read(&wide, cut, n, false));
		CHECK_EQ(wide.nr, 0);
		free(cut);
	}
	/* Each byte in turn is each other one. */
	for (i = 0; i < 256 * b.n; i++) {
		uint8_t was = b.p[i / 256];

		b.p[i / 256] = i;
		CHECK(prof_wide_read(&wide, b.p, b.n, false));
		b.p[i / 256] = was;
		free_wide();
	}
	free(b.p);
}
