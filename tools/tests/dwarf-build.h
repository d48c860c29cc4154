/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug information made by hand, DWARF 4, of one unit: functions, functions that
 * were inlined, and rows of the line table.
 *
 *	struct dwb b = { 0 };
 *
 *	dwb_begin(&b, "/src/x.c", START, SIZE);
 *	inner = dwb_abstract(&b, "inner", 20);
 *	dwb_function(&b, "outer", "_Z5outer", 10, START, 0x20);
 *	dwb_inlined(&b, inner, START + 8, 4, 12, 2);
 *	dwb_leave(&b);
 *	dwb_row(&b, START, 11, 0);
 *	dwb_finish(&b, START + SIZE);
 *	dwb_sections(&b, &elf);
 */
#ifndef TESTS_DWARF_BUILD_H
#define TESTS_DWARF_BUILD_H

#include "elf-build.h"
#include "perfdata-build.h"

#include <dwarf.h>

enum { DWB_MAX_ADDRS = 512 };

struct dwb {
	const char *second; /* one more file of the line table; NULL: none */
	const uint8_t *md5; /* of the first file: the line table is one of DWARF 5; NULL: none */
	struct pdb_buf info, line, ranges;
	int last_line;
	/* Where the code's addresses are, for files that are not linked. */
	struct {
		bool line; /* in line, not in info */
		size_t at;
	} addrs[DWB_MAX_ADDRS];
	unsigned int nr_addrs;
};

enum {
	DWB_UNIT = 1,
	DWB_FUNCTION,
	DWB_ABSTRACT,
	DWB_INLINED,
	DWB_SKELETON,
	DWB_SPLIT_UNIT,
	DWB_COPY,
	DWB_BLOCK,
	DWB_NAMESPACE,
	DWB_CLASS,
	DWB_INLINED_IN,
	DWB_AROUND,
	DWB_PARTS,
	DWB_CLOSURE,
	DWB_ARTIFICIAL,
	DWB_SHARED,
	DWB_LISTED_UNIT,
	DWB_LISTED_FUNCTION,
	DWB_LISTED_INLINED,
	DWB_ASSEMBLY_UNIT,
	DWB_REF_ALT = 0x1f20, /* DW_FORM_GNU_ref_alt */
	DWB_DWO_NAME = 0x2130, /* DW_AT_GNU_dwo_name */
	DWB_DWO_ID = 0x2131, /* DW_AT_GNU_dwo_id */
	DWB_DISCRIMINATOR = 0x2136, /* DW_AT_GNU_discriminator */
	DWB_COLUMN = 6, /* of the names of functions */
	DWB_UNIT_ID = 0x1234, /* of what is in a .dwo file */
};

static inline void dwb_u8(struct pdb_buf *b, uint8_t v)
{
	pdb_put(b, &v, 1);
}

static inline void dwb_uleb(struct pdb_buf *b, uint64_t v)
{
	do {
		dwb_u8(b, (v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
}

static inline void dwb_sleb(struct pdb_buf *b, int64_t v)
{
	bool more = true;

	while (more) {
		uint8_t byte = v & 0x7f;

		v >>= 7;
		more = !((v == 0 && !(byte & 0x40)) ||
			 (v == -1 && byte & 0x40));
		dwb_u8(b, byte | (more ? 0x80 : 0));
	}
}

static inline void dwb_string(struct pdb_buf *b, const char *s)
{
	pdb_put(b, s, strlen(s) + 1);
}

static inline void dwb_set32(struct pdb_buf *b, size_t at, uint32_t v)
{
	memcpy(b->p + at, &v, sizeof(v));
}

static inline void dwb_addr(struct dwb *b, struct pdb_buf *buf, uint64_t addr)
{
	if (b->nr_addrs == DWB_MAX_ADDRS)
		abort();
	b->addrs[b->nr_addrs].line = buf == &b->line;
	b->addrs[b->nr_addrs++].at = buf->n;
	pdb_u64(buf, addr);
}

static inline void dwb_begin_unit(struct dwb *b)
{
	pdb_u32(&b->info, 0); /* its size: set at the end */
	pdb_u16(&b->info, 4);
	pdb_u32(&b->info, 0);
	dwb_u8(&b->info, 8);
}

/* With its MD5, as clang writes it: the numbers 0 and 1 are the unit's own file. */
static inline void dwb_begin_lines_5(struct dwb *b, const char *file)
{
	const char *const files[] = { file, file, b->second };
	static const uint8_t none[16];
	unsigned int i, nr = b->second ? 3 : 2;

	pdb_u32(&b->line, 0);
	pdb_u16(&b->line, 5);
	pdb_put(&b->line, "\10\0", 2);
	pdb_u32(&b->line, 0); /* the header's rest: set below */
	pdb_put(&b->line, "\1\1\1\xfb\16\15\0\1\1\1\1\0\0\0\1\0\0\1", 18);
	dwb_u8(&b->line, 1);
	dwb_uleb(&b->line, DW_LNCT_path);
	dwb_uleb(&b->line, DW_FORM_string);
	dwb_uleb(&b->line, 1);
	dwb_string(&b->line, "/");
	dwb_u8(&b->line, 3);
	dwb_uleb(&b->line, DW_LNCT_path);
	dwb_uleb(&b->line, DW_FORM_string);
	dwb_uleb(&b->line, DW_LNCT_directory_index);
	dwb_uleb(&b->line, DW_FORM_udata);
	dwb_uleb(&b->line, DW_LNCT_MD5);
	dwb_uleb(&b->line, DW_FORM_data16);
	dwb_uleb(&b->line, nr);
	for (i = 0; i < nr; i++) {
		dwb_string(&b->line, files[i]);
		dwb_uleb(&b->line, 0);
		pdb_put(&b->line, i < 2 ? b->md5 : none, 16);
	}
	dwb_set32(&b->line, 8, b->line.n - 12);
	b->last_line = 1;
}

static inline void dwb_begin_lines(struct dwb *b, const char *file)
{
	if (b->md5) {
		dwb_begin_lines_5(b, file);
		return;
	}
	pdb_u32(&b->line, 0);
	pdb_u16(&b->line, 4);
	pdb_u32(&b->line, 0); /* the header's rest: set below */
	pdb_put(&b->line, "\1\1\1\xfb\16\15\0\1\1\1\1\0\0\0\1\0\0\1", 18);
	dwb_u8(&b->line, 0); /* no folders */
	dwb_string(&b->line, file);
	pdb_put(&b->line, "\0\0\0", 3);
	if (b->second) {
		dwb_string(&b->line, b->second);
		pdb_put(&b->line, "\0\0\0", 3);
	}
	dwb_u8(&b->line, 0); /* no more files */
	dwb_set32(&b->line, 6, b->line.n - 10);
	b->last_line = 1;
}

static inline void dwb_begin(struct dwb *b, const char *file, uint64_t start,
			     uint64_t size)
{
	dwb_begin_unit(b);
	dwb_uleb(&b->info, DWB_UNIT);
	dwb_string(&b->info, file);
	pdb_u32(&b->info, 0);
	dwb_addr(b, &b->info, start);
	pdb_u64(&b->info, size);
	dwb_begin_lines(b, file);
}

/* A unit whose rows are here and whose functions are in the file dwo, in dir. */
static inline void dwb_begin_skeleton(struct dwb *b, const char *file,
				      const char *dwo, const char *dir,
				      uint64_t start, uint64_t size)
{
	dwb_begin_unit(b);
	dwb_uleb(&b->info, DWB_SKELETON);
	dwb_string(&b->info, dwo);
	dwb_string(&b->info, dir);
	pdb_u64(&b->info, DWB_UNIT_ID);
	pdb_u32(&b->info, 0);
	dwb_addr(b, &b->info, start);
	pdb_u64(&b->info, size);
	dwb_begin_lines(b, file);
}

/* What is in that file. */
static inline void dwb_begin_split(struct dwb *b, const char *file)
{
	dwb_begin_unit(b);
	dwb_uleb(&b->info, DWB_SPLIT_UNIT);
	dwb_string(&b->info, file);
	pdb_u64(&b->info, DWB_UNIT_ID);
}

/* file: 1, or 2 for the second one of the line table. */
static inline void dwb_function_of(struct dwb *b, unsigned int file, const char *name,
				   const char *linkage, unsigned int line, uint64_t start,
				   uint64_t size)
{
	dwb_uleb(&b->info, DWB_FUNCTION);
	dwb_string(&b->info, name);
	dwb_string(&b->info, linkage);
	dwb_uleb(&b->info, file);
	dwb_uleb(&b->info, line);
	dwb_addr(b, &b->info, start);
	pdb_u64(&b->info, size);
}

static inline void dwb_function(struct dwb *b, const char *name,
				const char *linkage, unsigned int line,
				uint64_t start, uint64_t size)
{
	dwb_function_of(b, 1, name, linkage, line, start, size);
}

/* A function in two parts, of which the first is told first, without a linkage name. */
static inline void dwb_parts(struct dwb *b, const char *name, unsigned int line,
			     const uint64_t (*parts)[2])
{
	unsigned int i;

	dwb_uleb(&b->info, DWB_PARTS);
	dwb_string(&b->info, name);
	dwb_uleb(&b->info, line);
	pdb_u32(&b->info, b->ranges.n);
	/* Of these, the addresses are whole ones. */
	pdb_u64(&b->ranges, UINT64_MAX);
	pdb_u64(&b->ranges, 0);
	for (i = 0; i < 2; i++) {
		pdb_u64(&b->ranges, parts[i][0]);
		pdb_u64(&b->ranges, parts[i][0] + parts[i][1]);
	}
	pdb_u64(&b->ranges, 0);
	pdb_u64(&b->ranges, 0);
}

/*
 * A list of so many ranges of this size, each of which begins so much behind the one before;
 * returns what dwb_listed() takes. They are told by their distance from the first.
 */
static inline uint32_t dwb_list(struct dwb *b, uint64_t start, uint64_t size, uint64_t step,
				unsigned int nr)
{
	const uint32_t at = b->ranges.n;
	unsigned int i;

	pdb_u64(&b->ranges, UINT64_MAX);
	pdb_u64(&b->ranges, start);
	/* One from 0 to 0 ends the list. */
	for (i = 0; i < nr; i++) {
		pdb_u64(&b->ranges, i * step);
		pdb_u64(&b->ranges, i * step + size);
	}
	pdb_u64(&b->ranges, 0);
	pdb_u64(&b->ranges, 0);
	return at;
}

/* DWB_LISTED_FUNCTION or DWB_LISTED_INLINED, without parts. The latter has no name. */
static inline void dwb_listed(struct dwb *b, unsigned int what, uint32_t list)
{
	dwb_uleb(&b->info, what);
	if (what == DWB_LISTED_FUNCTION)
		dwb_string(&b->info, "listed");
	pdb_u32(&b->info, list);
}

/* One more unit, behind the one that is finished, with its rows. */
static inline void dwb_listed_unit(struct dwb *b, uint32_t list)
{
	const size_t at = b->info.n;

	dwb_begin_unit(b);
	dwb_listed(b, DWB_LISTED_UNIT, list);
	pdb_u32(&b->info, 0);
	dwb_set32(&b->info, at, b->info.n - at - 4);
}

/* A function that is only inlined; returns what dwb_inlined() takes. */
static inline uint32_t dwb_abstract(struct dwb *b, const char *name,
				    unsigned int line)
{
	uint32_t at = b->info.n;

	dwb_uleb(&b->info, DWB_ABSTRACT);
	dwb_string(&b->info, name);
	dwb_uleb(&b->info, line);
	dwb_uleb(&b->info, DWB_COLUMN);
	return at;
}

/*
 * A lambda as GCC tells it: a function without a line, in a class that has one. Returns what
 * dwb_inlined() and dwb_copy() take.
 */
static inline uint32_t dwb_lambda(struct dwb *b, unsigned int class_line)
{
	uint32_t at;

	dwb_uleb(&b->info, DWB_CLOSURE);
	dwb_uleb(&b->info, class_line);
	at = b->info.n;
	dwb_uleb(&b->info, DWB_ARTIFICIAL);
	dwb_string(&b->info, "operator()");
	dwb_u8(&b->info, 0);
	return at;
}

/* A function that is only inlined, with functions in it, up to dwb_leave(). */
static inline uint32_t dwb_abstract_around(struct dwb *b, const char *name, unsigned int line)
{
	uint32_t at = b->info.n;

	dwb_uleb(&b->info, DWB_AROUND);
	dwb_string(&b->info, name);
	dwb_uleb(&b->info, line);
	return at;
}

/* An abstract function that is not inlined everywhere: its code. */
static inline void dwb_copy(struct dwb *b, uint32_t abstract, uint64_t start,
			    uint64_t size)
{
	dwb_uleb(&b->info, DWB_COPY);
	pdb_u32(&b->info, abstract);
	dwb_addr(b, &b->info, start);
	pdb_u64(&b->info, size);
}

/* The same for an abstract function in the file that .gnu_debugaltlink names. */
static inline void dwb_shared(struct dwb *b, uint32_t abstract, uint64_t start, uint64_t size)
{
	dwb_uleb(&b->info, DWB_SHARED);
	pdb_u32(&b->info, abstract);
	dwb_addr(b, &b->info, start);
	pdb_u64(&b->info, size);
}

static inline void dwb_inlined_at(struct dwb *b, uint32_t abstract,
				  uint64_t start, uint64_t size,
				  unsigned int call_line, unsigned int column,
				  unsigned int discriminator)
{
	dwb_uleb(&b->info, DWB_INLINED);
	pdb_u32(&b->info, abstract);
	dwb_addr(b, &b->info, start);
	pdb_u64(&b->info, size);
	dwb_uleb(&b->info, call_line);
	dwb_uleb(&b->info, column);
	dwb_uleb(&b->info, discriminator);
}

static inline void dwb_inlined(struct dwb *b, uint32_t abstract, uint64_t start,
			       uint64_t size, unsigned int call_line,
			       unsigned int discriminator)
{
	dwb_inlined_at(b, abstract, start, size, call_line, 3, discriminator);
}

/* The same, of another file: a number of the line table's. */
static inline void dwb_inlined_in(struct dwb *b, uint32_t abstract, uint64_t start, uint64_t size,
				  unsigned int call_file, unsigned int call_line)
{
	dwb_uleb(&b->info, DWB_INLINED_IN);
	pdb_u32(&b->info, abstract);
	dwb_addr(b, &b->info, start);
	pdb_u64(&b->info, size);
	dwb_uleb(&b->info, call_file);
	dwb_uleb(&b->info, call_line);
}

/* A block of a function, a namespace or a class: DWB_BLOCK and so on. */
static inline void dwb_enter(struct dwb *b, unsigned int what)
{
	dwb_uleb(&b->info, what);
}

/* Leave one of these, a function, or an inlined one. */
static inline void dwb_leave(struct dwb *b)
{
	dwb_u8(&b->info, 0);
}

/* From here on the code is of that line. */
static inline void dwb_row(struct dwb *b, uint64_t addr, int line,
			   unsigned int discriminator)
{
	pdb_put(&b->line, "\0\11", 2);
	dwb_u8(&b->line, DW_LNE_set_address);
	dwb_addr(b, &b->line, addr);
	dwb_u8(&b->line, DW_LNS_advance_line);
	dwb_sleb(&b->line, line - b->last_line);
	b->last_line = line;
	if (discriminator) {
		struct pdb_buf op = { 0 };

		dwb_u8(&op, DW_LNE_set_discriminator);
		dwb_uleb(&op, discriminator);
		dwb_u8(&b->line, 0);
		dwb_uleb(&b->line, op.n);
		pdb_put(&b->line, op.p, op.n);
		free(op.p);
	}
	dwb_u8(&b->line, DW_LNS_copy);
}

static inline void dwb_finish(struct dwb *b, uint64_t end)
{
	dwb_leave(b);
	dwb_set32(&b->info, 0, b->info.n - 4);
	if (!b->line.n)
		return;
	pdb_put(&b->line, "\0\11", 2);
	dwb_u8(&b->line, DW_LNE_set_address);
	dwb_addr(b, &b->line, end);
	pdb_put(&b->line, "\0\1\1", 3);
	dwb_set32(&b->line, 0, b->line.n - 4);
}

/*
 * One more unit of assembly code, behind the one that is finished, with its rows: with a function, as
 * GNU as tells it, or NULL, as clang does.
 */
static inline void dwb_assembly_unit(struct dwb *b, const char *function, uint64_t start,
				     uint64_t size)
{
	const size_t at = b->info.n;

	dwb_begin_unit(b);
	dwb_uleb(&b->info, DWB_ASSEMBLY_UNIT);
	pdb_u16(&b->info, DW_LANG_Mips_Assembler);
	pdb_u32(&b->info, 0);
	dwb_addr(b, &b->info, start);
	pdb_u64(&b->info, size);
	if (function) {
		dwb_function(b, function, function, 0, start, size);
		dwb_leave(b);
	}
	dwb_leave(b);
	dwb_set32(&b->info, at, b->info.n - at - 4);
}

static inline void dwb_sections(const struct dwb *b, struct elfb *elf)
{
	static uint8_t abbrev[1024];
	static const uint16_t entries[][18] = {
		{ DWB_UNIT, DW_TAG_compile_unit, 1, DW_AT_name, DW_FORM_string,
		  DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc,
		  DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8 },
		{ DWB_FUNCTION, DW_TAG_subprogram, 1, DW_AT_name,
		  DW_FORM_string, DW_AT_linkage_name, DW_FORM_string,
		  DW_AT_decl_file, DW_FORM_udata, DW_AT_decl_line,
		  DW_FORM_udata, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		  DW_FORM_data8 },
		{ DWB_ABSTRACT, DW_TAG_subprogram, 0, DW_AT_name,
		  DW_FORM_string, DW_AT_decl_line, DW_FORM_udata,
		  DW_AT_decl_column, DW_FORM_udata },
		{ DWB_INLINED, DW_TAG_inlined_subroutine, 1,
		  DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc,
		  DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_call_line,
		  DW_FORM_udata, DW_AT_call_column, DW_FORM_udata,
		  DWB_DISCRIMINATOR, DW_FORM_udata },
		{ DWB_COPY, DW_TAG_subprogram, 1, DW_AT_abstract_origin,
		  DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		  DW_FORM_data8 },
		{ DWB_SKELETON, DW_TAG_compile_unit, 0, DWB_DWO_NAME,
		  DW_FORM_string, DW_AT_comp_dir, DW_FORM_string, DWB_DWO_ID,
		  DW_FORM_data8, DW_AT_stmt_list, DW_FORM_sec_offset,
		  DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8 },
		{ DWB_SPLIT_UNIT, DW_TAG_compile_unit, 1, DW_AT_name,
		  DW_FORM_string, DWB_DWO_ID, DW_FORM_data8 },
		{ DWB_BLOCK, DW_TAG_lexical_block, 1 },
		{ DWB_NAMESPACE, DW_TAG_namespace, 1 },
		{ DWB_CLASS, DW_TAG_class_type, 1 },
		{ DWB_INLINED_IN, DW_TAG_inlined_subroutine, 1,
		  DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc,
		  DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_call_file,
		  DW_FORM_udata, DW_AT_call_line, DW_FORM_udata },
		{ DWB_AROUND, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string,
		  DW_AT_decl_line, DW_FORM_udata },
		{ DWB_PARTS, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string,
		  DW_AT_decl_line, DW_FORM_udata, DW_AT_ranges, DW_FORM_sec_offset },
		{ DWB_CLOSURE, DW_TAG_structure_type, 1, DW_AT_decl_line, DW_FORM_udata },
		{ DWB_ARTIFICIAL, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string,
		  DW_AT_artificial, DW_FORM_flag_present },
		{ DWB_SHARED, DW_TAG_subprogram, 1, DW_AT_abstract_origin, DWB_REF_ALT,
		  DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8 },
		{ DWB_LISTED_UNIT, DW_TAG_compile_unit, 0, DW_AT_ranges, DW_FORM_sec_offset,
		  DW_AT_stmt_list, DW_FORM_sec_offset },
		{ DWB_LISTED_FUNCTION, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string,
		  DW_AT_ranges, DW_FORM_sec_offset },
		{ DWB_LISTED_INLINED, DW_TAG_inlined_subroutine, 0, DW_AT_ranges,
		  DW_FORM_sec_offset },
		{ DWB_ASSEMBLY_UNIT, DW_TAG_compile_unit, 1, DW_AT_language,
		  DW_FORM_data2, DW_AT_stmt_list, DW_FORM_sec_offset,
		  DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8 },
	};
	struct pdb_buf buf = { 0 };
	size_t i, k;

	for (i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		dwb_uleb(&buf, entries[i][0]);
		dwb_uleb(&buf, entries[i][1]);
		dwb_u8(&buf, entries[i][2]);
		for (k = 3; k < 18 && entries[i][k]; k++)
			dwb_uleb(&buf, entries[i][k]);
		pdb_put(&buf, "\0\0", 2);
	}
	dwb_u8(&buf, 0);
	if (buf.n > sizeof(abbrev))
		abort();
	memcpy(abbrev, buf.p, buf.n);
	elf->debug[0] = (struct elfb_bytes){ abbrev, buf.n };
	elf->debug[1] = (struct elfb_bytes){ b->info.p, b->info.n };
	elf->debug[2] = (struct elfb_bytes){ b->line.p, b->line.n };
	elf->debug[3] = (struct elfb_bytes){ b->ranges.p, b->ranges.n };
	free(buf.p);
}

static inline void dwb_free(struct dwb *b)
{
	free(b->info.p);
	free(b->line.p);
	free(b->ranges.p);
	*b = (struct dwb){ 0 };
}

#endif
