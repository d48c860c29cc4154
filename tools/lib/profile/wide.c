// SPDX-License-Identifier: GPL-2.0-only
/* The program of a line table, DWARF 2 to 5, run for its addresses and discriminators. */
#include "profile/wide.h"
#include "base/array.h"
#include "base/cursor.h"

#include <stdlib.h>

enum { KEPT = 0xffffff };

/* The opcodes that matter, as the standard has them, and LLVM's and GCC's discriminator. */
enum {
	COPY = 1,
	ADVANCE_PC = 2,
	CONST_ADD_PC = 8,
	FIXED_ADVANCE_PC = 9,
	END_SEQUENCE = 1, /* behind a 0 */
	SET_ADDRESS = 2,
	SET_DISCRIMINATOR = 4,
};

struct program {
	struct prof_wide *wide;
	struct cursor in;
	const uint8_t *lengths; /* of the opcodes from 1 on: their numbers */
	uint8_t opcode_base, line_range, min_size;
	uint64_t addr;
	uint32_t discriminator;
};

static uint8_t get_u8(struct cursor *in)
{
	uint8_t v = 0;

	cursor_copy(in, &v, 1);
	return v;
}

static uint16_t get_u16(struct cursor *in)
{
	uint16_t v = 0;

	cursor_copy(in, &v, 2);
	return in->swap ? __builtin_bswap16(v) : v;
}

/* A length or an offset of sections. */
static uint64_t get_size(struct cursor *in, bool is_64)
{
	return is_64 ? cursor_u64(in) : cursor_u32(in);
}

/* False: damaged. */
static bool read_header(struct program *p)
{
	uint64_t size = cursor_u32(&p->in);
	const bool is_64 = size == UINT32_MAX;
	struct cursor header;
	unsigned int version;

	if (is_64)
		size = cursor_u64(&p->in);
	if (!cursor_has(&p->in, size))
		return false;
	p->in.end = p->in.p + size;
	version = get_u16(&p->in);
	if (version >= 5)
		cursor_take(&p->in, 2); /* sizes of addresses and selectors */
	size = get_size(&p->in, is_64);
	if (!cursor_has(&p->in, size))
		return false;
	/* Behind it the program begins; what is passed over are the tables of files. */
	header = (struct cursor){ .p = p->in.p, .end = p->in.p + size };
	p->in.p += size;
	p->min_size = get_u8(&header);
	cursor_take(&header, version >= 4 ? 3 : 2); /* and where lines begin */
	p->line_range = get_u8(&header);
	p->opcode_base = get_u8(&header);
	if (!p->line_range || !p->opcode_base)
		return false;
	p->lengths = cursor_take(&header, p->opcode_base - 1);
	return p->lengths;
}

static void advance(struct program *p, uint64_t opcode)
{
	p->addr += (opcode - p->opcode_base) / p->line_range * p->min_size;
}

static bool add_row(struct program *p)
{
	struct prof_wide *wide = p->wide;
	const struct prof_wide_row row = { p->addr, p->discriminator };

	p->discriminator = 0;
	if (row.discriminator <= KEPT)
		return true;
	if (!array_room(&wide->v, wide->nr, &wide->cap, sizeof(row)))
		return false;
	wide->v[wide->nr++] = row;
	return true;
}

static void run_extended(struct program *p)
{
	const uint64_t size = cursor_uleb(&p->in);
	struct cursor in = p->in;

	if (!cursor_take(&p->in, size) || !size)
		return;
	in.end = in.p + size;
	switch (get_u8(&in)) {
	case END_SEQUENCE:
		p->addr = 0;
		p->discriminator = 0;
		break;
	case SET_ADDRESS:
		p->addr = get_size(&in, size > 8);
		break;
	case SET_DISCRIMINATOR:
		p->discriminator = cursor_uleb(&in);
		break;
	}
}

/* False: out of memory. */
static bool run_standard(struct program *p, uint8_t opcode)
{
	unsigned int i;

	switch (opcode) {
	case COPY:
		return add_row(p);
	case ADVANCE_PC:
		p->addr += cursor_uleb(&p->in) * p->min_size;
		break;
	case CONST_ADD_PC:
		advance(p, 255);
		break;
	case FIXED_ADVANCE_PC:
		p->addr += get_u16(&p->in);
		break;
	default:
		for (i = 0; i < p->lengths[opcode - 1]; i++)
			cursor_uleb(&p->in);
	}
	return true;
}

bool prof_wide_read(struct prof_wide *wide, const void *bytes, size_t size, bool swap)
{
	struct program p = {
		.wide = wide,
		.in = { .p = bytes, .end = (const uint8_t *)bytes + size, .swap = swap },
	};
	bool done = true;

	if (!read_header(&p))
		return true;
	while (done && p.in.p < p.in.end) {
		const uint8_t opcode = get_u8(&p.in);

		if (opcode >= p.opcode_base) {
			advance(&p, opcode);
			done = add_row(&p);
		} else if (opcode) {
			done = run_standard(&p, opcode);
		} else {
			run_extended(&p);
		}
	}
	if (wide->nr)
		qsort(wide->v, wide->nr, sizeof(*wide->v), array_order);
	return done;
}

uint32_t prof_wide_find(const struct prof_wide *wide, uint64_t addr,
			uint32_t discriminator)
{
	size_t n = array_upto(wide->v, wide->nr, sizeof(*wide->v), addr);

	for (; n && wide->v[n - 1].addr == addr; n--)
		if ((wide->v[n - 1].discriminator & KEPT) == discriminator)
			return wide->v[n - 1].discriminator;
	return discriminator;
}
