// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MD5 of source files, which DWARF 5 may have in the line table's list of files, as clang
 * writes it. libdw does not tell it.
 */
#include "image/sums.h"
#include "base/cursor.h"
#include "image/elf.h"

#include <dwarf.h>
#include <string.h>

enum { MOST_FIELDS = 16 }; /* of a file */

/* The fields that each folder or each file has. */
struct fields {
	struct {
		uint64_t what, form;
	} v[MOST_FIELDS];
	unsigned int nr;
};

static uint8_t read_u8(struct cursor *c)
{
	uint8_t v = 0;

	cursor_copy(c, &v, sizeof(v));
	return v;
}

static bool read_fields(struct cursor *c, struct fields *fields)
{
	unsigned int i;

	fields->nr = read_u8(c);
	if (fields->nr > MOST_FIELDS)
		return false;
	for (i = 0; i < fields->nr; i++) {
		fields->v[i].what = cursor_uleb(c);
		fields->v[i].form = cursor_uleb(c);
	}
	return true;
}

/* Returns the value of a field, and steps over it. NULL: it is cut, or has an unknown form. */
static const uint8_t *read_field(struct cursor *c, uint64_t form, unsigned int offset_size)
{
	const uint8_t *end;

	switch (form) {
	case DW_FORM_data1:
		return cursor_take(c, 1);
	case DW_FORM_data2:
		return cursor_take(c, 2);
	case DW_FORM_data4:
		return cursor_take(c, 4);
	case DW_FORM_data8:
		return cursor_take(c, 8);
	case DW_FORM_data16:
		return cursor_take(c, MD5_SIZE);
	case DW_FORM_line_strp:
	case DW_FORM_strp:
		return cursor_take(c, offset_size);
	case DW_FORM_udata:
		cursor_uleb(c);
		return c->cut ? NULL : c->p;
	case DW_FORM_block:
		return cursor_take(c, cursor_uleb(c));
	case DW_FORM_string:
		end = memchr(c->p, 0, c->end - c->p);
		return end ? cursor_take(c, end + 1 - c->p) : NULL;
	default:
		return NULL;
	}
}

/* Step over a list, up to an element of it. Returns the MD5 of this element, or NULL. */
static const uint8_t *read_list(struct cursor *c, unsigned int offset_size, uint64_t wanted)
{
	const uint8_t *value, *md5 = NULL;
	struct fields fields;
	uint64_t nr, i;
	unsigned int k;

	if (!read_fields(c, &fields))
		return NULL;
	nr = cursor_uleb(c);
	for (i = 0; i < nr && i <= wanted && !c->cut; i++)
		for (k = 0; k < fields.nr; k++) {
			value = read_field(c, fields.v[k].form, offset_size);
			if (!value) {
				c->cut = true;
				return NULL;
			}
			if (i == wanted && fields.v[k].what == DW_LNCT_MD5 &&
			    fields.v[k].form == DW_FORM_data16)
				md5 = value;
		}
	return c->cut ? NULL : md5;
}

/* The MD5 of a file of the line table that begins at c. */
static const uint8_t *find_md5(struct cursor *c, uint64_t number)
{
	unsigned int offset_size = 4;
	uint16_t version = 0;

	if (cursor_u32(c) == UINT32_MAX) {
		cursor_u64(c);
		offset_size = 8;
	}
	cursor_copy(c, &version, sizeof(version));
	if (version != 5)
		return NULL;
	/* The sizes of an address and of a segment, and that of the header. */
	cursor_take(c, 2 + offset_size);
	/* Five numbers, and the operands of each opcode below the last of them. */
	cursor_take(c, 5);
	cursor_take(c, (uint8_t)(read_u8(c) - 1));
	/* Of all folders. */
	read_list(c, offset_size, UINT64_MAX);
	return c->cut ? NULL : read_list(c, offset_size, number);
}

/* Of a unit, by the name that libdw has for it. */
static bool find_number(Dwarf_Die *unit, const char *path, size_t *number)
{
	Dwarf_Files *files;
	size_t nr;

	if (dwarf_getsrcfiles(unit, &files, &nr))
		return false;
	for (*number = 0; *number < nr; ++*number) {
		const char *name = dwarf_filesrc(files, *number, NULL, NULL);

		if (name && !strcmp(name, path))
			return true;
	}
	return false;
}

bool img_source_md5(Dwarf *dwarf, Dwarf_Die *unit, const char *path, uint8_t md5[MD5_SIZE])
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;
	GElf_Shdr sh;
	Elf_Scn *scn = img_find_section(dwarf_getelf(dwarf), SHT_NULL, ".debug_line", &sh);
	Elf_Data *data = scn && !(sh.sh_flags & SHF_COMPRESSED) ? elf_getdata(scn, NULL) : NULL;
	const uint8_t *found;
	struct cursor c;
	size_t number;

	if (!data || !data->d_buf || !find_number(unit, path, &number) ||
	    !dwarf_attr(unit, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &offset) ||
	    offset >= data->d_size)
		return false;
	c = (struct cursor){ .p = (const uint8_t *)data->d_buf + offset,
			     .end = (const uint8_t *)data->d_buf + data->d_size };
	found = find_md5(&c, number);
	if (found)
		memcpy(md5, found, MD5_SIZE);
	return found;
}
