// SPDX-License-Identifier: GPL-2.0-only
#include "profile/binary.h"
#include "profile/array.h"
#include "profile/module.h"
#include "image/symtab.h"
#include "riscv/rv_insn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_addr(const void *va, const void *vb)
{
	const struct prof_segment *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static const char *read_segments(struct prof_code *code)
{
	Elf *elf = img_elf(code->file);
	size_t i, nr;
	GElf_Ehdr eh;

	if (gelf_getehdr(elf, &eh) && eh.e_type == ET_REL)
		return prof_module_segments(code);
	if (elf_getphdrnum(elf, &nr))
		return "a damaged ELF file";
	code->segments = calloc(nr ? nr : 1, sizeof(*code->segments));
	if (!code->segments)
		return "out of memory";
	for (i = 0; i < nr; i++) {
		struct prof_segment *s = &code->segments[code->nr_segments];
		GElf_Phdr ph;
		uint64_t len;

		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) ||
		    !img_code(code->file, ph.p_offset, &len))
			continue;
		*s = (struct prof_segment){ ph.p_vaddr, ph.p_offset,
					    ph.p_filesz < len ? ph.p_filesz :
								len, NULL };
		code->nr_segments++;
	}
	if (!code->nr_segments)
		return "has no code";
	qsort(code->segments, code->nr_segments, sizeof(*code->segments),
	      by_addr);
	return NULL;
}

static int by_start(const void *va, const void *vb)
{
	const struct prof_symbol *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* Of several names the shortest, as of aliases and their versions. */
	if (strlen(a->name) != strlen(b->name))
		return strlen(a->name) < strlen(b->name) ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The functions of .symtab: false if the file has none. */
static bool read_symbols(struct prof_code *code, Elf *elf, uint64_t moved)
{
	struct prof_symbol *v = NULL, *grown;
	size_t nr = 0, cap = 0, i;
	struct img_symtab table;
	const char *name;
	GElf_Sym sym;

	if (!img_symtab_open(&table, elf, SHT_SYMTAB))
		return false;
	while ((name = img_symtab_next(&table, &sym))) {
		uint64_t start = sym.st_value + moved;

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size ||
		    (code->module &&
		     !prof_module_addr(code, elf, sym.st_shndx, &start)))
			continue;
		grown = prof_grow(v, nr, &cap, sizeof(*v));
		if (!grown)
			break;
		v = grown;
		v[nr++] = (struct prof_symbol){ start, start + sym.st_size,
						name };
	}
	if (nr)
		qsort(v, nr, sizeof(*v), by_start);
	for (i = 0; i < nr; i++)
		if (!i || v[code->nr_symbols - 1].start != v[i].start)
			v[code->nr_symbols++] = v[i];
	code->symbols = v;
	return true;
}

const char *prof_code_open(struct prof_code *code, const char *path,
			   const char *symfs, const char *build_id_dir)
{
	char *real = realpath(path, NULL);
	uint64_t moved;
	const char *why;
	Elf *debug;

	*code = (struct prof_code){ .path = path };
	if (!real)
		return strerror(errno);
	/* Its debug files are looked for beside it, with the same root. */
	if (symfs && strncmp(real, symfs, strlen(symfs)))
		symfs = NULL;
	code->img = img_new(symfs);
	if (code->img) {
		img_set_origin(code->img, NULL, build_id_dir);
		code->file = img_file(code->img,
				      real + (symfs ? strlen(symfs) : 0), NULL,
				      0);
	}
	free(real);
	if (!code->file)
		return "out of memory";
	if (img_file_state(code->file) != IMG_OK) {
		if (img_file_state(code->file) == IMG_NOT_ELF &&
		    prof_module_is_packed(path))
			return "a compressed module; unpack it first, by xz -dk, zstd -d or gzip -dk";
		why = strrchr(img_file_error(code->file), ':');
		return why ? why + 2 : "not an ELF file";
	}
	code->rv32 = img_file_bits(code->file) == 32;
	why = read_segments(code);
	if (why)
		return why;
	code->text_base = code->segments[0].addr & ~UINT64_C(0xfff);
	if (!read_symbols(code, img_elf(code->file), 0)) {
		debug = img_debug_elf(code->file, &moved);
		if (debug)
			read_symbols(code, debug, moved);
	}
	return NULL;
}

void prof_code_close(struct prof_code *code)
{
	free(code->segments);
	free(code->symbols);
	img_free(code->img);
	*code = (struct prof_code){ 0 };
}

bool prof_code_addr(const struct prof_code *code, uint64_t offset,
		    uint64_t *addr)
{
	uint64_t len;
	unsigned int i;

	if (code->module) {
		*addr = PROF_MODULE_BASE + offset;
		return prof_code_bytes(code, *addr, &len);
	}
	for (i = 0; i < code->nr_segments; i++) {
		const struct prof_segment *s = &code->segments[i];

		if (offset - s->offset < s->size) {
			*addr = offset - s->offset + s->addr;
			return true;
		}
	}
	return false;
}

const uint8_t *prof_code_bytes(const struct prof_code *code, uint64_t addr,
			       uint64_t *len)
{
	unsigned int i;

	for (i = 0; i < code->nr_segments; i++) {
		const struct prof_segment *s = &code->segments[i];
		uint64_t left;

		if (addr - s->addr >= s->size)
			continue;
		*len = s->size - (addr - s->addr);
		return img_code(code->file, addr - s->addr + s->offset, &left);
	}
	return NULL;
}

static bool find_named(Elf *elf, const char *name, uint64_t *addr)
{
	struct img_symtab table;
	const char *its;
	GElf_Sym sym;

	if (!img_symtab_open(&table, elf, SHT_SYMTAB))
		return false;
	while ((its = img_symtab_next(&table, &sym))) {
		if (strcmp(its, name))
			continue;
		*addr = sym.st_value;
		return true;
	}
	return false;
}

bool prof_code_named(const struct prof_code *code, const char *name,
		     uint64_t *addr)
{
	uint64_t moved;
	Elf *debug;

	if (find_named(img_elf(code->file), name, addr))
		return true;
	debug = img_debug_elf(code->file, &moved);
	if (!debug || !find_named(debug, name, addr))
		return false;
	*addr += moved;
	return true;
}

bool prof_code_leads(const struct prof_code *code, uint64_t from, uint64_t to)
{
	struct rv_insn insn;
	uint64_t len, target;
	const uint8_t *p = prof_code_bytes(code, from, &len);

	return p &&
	       rv_decode(&insn, p, len, code->rv32 ? RV_RV32 : 0) > 0 &&
	       (insn.xfer == RV_XFER_BRANCH || rv_is_jump(&insn)) &&
	       (!rv_target(&insn, from, &target) || target == to);
}

unsigned int prof_code_insn_size(const struct prof_code *code, uint64_t addr)
{
	uint64_t len;
	const uint8_t *p = prof_code_bytes(code, addr, &len);
	unsigned int size;

	if (!p || len < 2)
		return 0;
	size = rv_insn_size(p[0] | p[1] << 8);
	return size <= len ? size : 0;
}

enum path_break prof_code_line(const struct prof_code *code, uint64_t start,
			       uint64_t end)
{
	const uint8_t *p;
	uint64_t len, at;

	if (end < start)
		return PATH_BACKWARDS;
	if (end - start > PATH_MAX_LINE)
		return PATH_TOO_FAR;
	p = prof_code_bytes(code, start, &len);
	if (!p || end - start >= len)
		return PATH_UNKNOWN_CODE;
	for (at = 0; at < end - start;) {
		const uint16_t parcel = p[at] | p[at + 1] << 8;
		struct rv_insn insn;
		int size;

		/* Of most instructions their first parcel is enough. */
		if (rv_runs_on(parcel)) {
			at += rv_insn_size(parcel);
			continue;
		}
		size = rv_decode(&insn, p + at, len - at,
				 code->rv32 ? RV_RV32 : 0);
		if (size < 0)
			return PATH_UNDEFINED;
		/* Behind an ecall the code goes on, without a record. */
		if (rv_never_falls_through(&insn))
			return PATH_JUMP;
		at += size;
	}
	return at == end - start ? PATH_OK : PATH_MISALIGNED;
}

const struct prof_symbol *prof_code_symbol(const struct prof_code *code,
					   uint64_t addr)
{
	unsigned int low = 0, high = code->nr_symbols;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (code->symbols[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || addr >= code->symbols[low - 1].end)
		return NULL;
	return &code->symbols[low - 1];
}
