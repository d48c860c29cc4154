// SPDX-License-Identifier: GPL-2.0-only
#include "profile/binary.h"
#include "image/module.h"
#include "riscv/rv_insn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char prof_no_memory[] = "out of memory";
const char prof_no_file[] = "No such file or directory; name a place that has it with --code";

static const char *read_segments(struct prof_code *code)
{
	Elf *elf = img_elf(code->file);
	const char *why;

	if (img_is_unlinked(elf)) {
		why = img_module_segments(elf, &code->segments);
		code->module = !why;
		return why || img_has_code(elf) ? why :
			"has no code, because it is the debug file of a module; name the module instead, and this file is found";
	}
	if (!img_has_code(elf))
		return "has no code, because it is the debug file of a program; name the program with -b, and this file with --code";
	if (!img_read_segments(&code->segments, elf, PF_X))
		return "a damaged ELF file";
	return code->segments.nr ? NULL : "has no code";
}

/* False: out of memory. */
static bool read_symbols(struct prof_code *code)
{
	struct img_symbols symbols;
	const char *name;
	GElf_Sym sym;

	if (!img_file_symbols(code->file, &symbols))
		return true;
	while ((name = img_next_symbol(&symbols, &sym))) {
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size ||
		    (code->module &&
		     !img_module_addr(&code->segments, symbols.elf, sym.st_shndx,
				      &sym.st_value)))
			continue;
		if (!img_symtab_add(&code->symbols, sym.st_value, sym.st_size,
				    name, img_symbol_rank(&sym)))
			return false;
	}
	img_symtab_settle(&code->symbols, 0);
	return true;
}

/* What of an absolute path is behind the folder, from a slash on; NULL: it is not in it. */
static const char *path_below(const char *path, const char *folder)
{
	char *real = realpath(folder, NULL);
	const size_t size = real ? strlen(real) : 0;
	const bool is = real && !strncmp(path, real, size) && path[size] == '/';

	free(real);
	return is ? path + size : NULL;
}

/* The sections of a module have no addresses in the file. */
static void find_plt(struct prof_code *code)
{
	GElf_Shdr sh;

	if (code->module || !img_find_section(img_elf(code->file), SHT_PROGBITS, ".plt", &sh))
		return;
	code->plt = sh.sh_addr;
	code->plt_size = sh.sh_size;
}

/* What the file at hand has. NULL, or what is wrong with it. */
static const char *read_file(struct prof_code *code)
{
	const char *why;

	if (img_file_state(code->file) != IMG_OK) {
		if (img_file_state(code->file) == IMG_NOT_ELF &&
		    img_module_is_packed(code->path))
			return "a compressed module; unpack it first, by xz -dk, zstd -d or gzip -dk";
		why = strrchr(img_file_error(code->file), ':');
		return why ? why + 2 : "not an ELF file";
	}
	code->rv32 = img_file_bits(code->file) == 32;
	why = read_segments(code);
	if (why)
		return why;
	code->text_base = code->segments.v[0].addr & ~UINT64_C(0xfff);
	find_plt(code);
	return read_symbols(code) ? NULL : prof_no_memory;
}

const char *prof_code_open(struct prof_code *code, const char *name,
			   const struct samples_opts *samples)
{
	const char *symfs = samples->symfs, *below;
	struct stat st;
	char *real;

	*code = (struct prof_code){ .path = samples_find_file(samples, name), .asked = name };
	if (!code->path)
		return prof_no_memory;
	real = realpath(code->path, NULL);
	if (!real && errno == ENOENT)
		return prof_no_file;
	if (!real)
		return strerror(errno);
	if (!stat(real, &st) && S_ISDIR(st.st_mode)) {
		free(real);
		return "a folder, and not a file";
	}
	/*
	 * Its debug files are looked for beside it, with the same root, and also below symfs if
	 * that is another one.
	 */
	below = symfs ? path_below(real, symfs) : NULL;
	code->img = img_new(below ? symfs : NULL);
	if (code->img && (below || !symfs || img_add_place(code->img, symfs)) &&
	    samples_add_places(code->img, samples))
		code->file = img_file(code->img, below ?: real, NULL, 0);
	code->real = below ? strdup(below) : real;
	if (below)
		free(real);
	if (!code->file || !code->real)
		return prof_no_memory;
	return read_file(code);
}

const char *prof_code_open_build(struct prof_code *code, const char *name,
				 const uint8_t *build_id, unsigned int build_id_size,
				 const struct samples_opts *samples)
{
	const uint8_t *id;
	unsigned int size;

	*code = (struct prof_code){ .path = strdup(name),
				    .asked = name,
				    .img = img_new(samples->symfs) };
	if (code->path && code->img && samples_add_places(code->img, samples))
		code->file = img_file(code->img, name, build_id, build_id_size);
	if (!code->file)
		return prof_no_memory;
	/* A file without a build id would be accepted. */
	id = img_file_build_id(code->file, &size);
	if (!id || !img_same_build_id(build_id, build_id_size, id, size))
		return "another build";
	return read_file(code);
}

void prof_code_close(struct prof_code *code)
{
	free(code->segments.v);
	free(code->symbols.v);
	img_free(code->img);
	free(code->path);
	free(code->real);
	*code = (struct prof_code){ 0 };
}

bool prof_code_addr(const struct prof_code *code, uint64_t offset,
		    uint64_t *addr)
{
	uint64_t len;
	size_t i;

	if (code->module) {
		*addr = IMG_MODULE_BASE + offset;
		return prof_code_bytes(code, *addr, &len);
	}
	for (i = 0; i < code->segments.nr; i++) {
		const struct img_segment *s = &code->segments.v[i];

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
	const struct img_segment *s = img_segment_at(&code->segments, addr);
	uint64_t left;

	if (!s)
		return NULL;
	*len = s->size - (addr - s->addr);
	return img_code(code->file, addr - s->addr + s->offset, &left);
}

bool prof_code_named(const struct prof_code *code, const char *name,
		     uint64_t *addr)
{
	return img_file_named(code->file, name, addr);
}

bool prof_is_flow_sensitive(const struct prof_code *code)
{
	uint64_t addr;

	return prof_code_named(code, "__llvm_fs_discriminator__", &addr);
}

static bool has_branch(const struct prof_code *code, uint64_t addr, struct rv_insn *insn)
{
	uint64_t len;
	const uint8_t *p = prof_code_bytes(code, addr, &len);

	return p && rv_decode(insn, p, len, code->rv32 ? RV_RV32 : 0) > 0 &&
	       (insn->xfer == RV_XFER_BRANCH || rv_is_jump(insn));
}

bool prof_code_branches(const struct prof_code *code, uint64_t addr)
{
	struct rv_insn insn;

	return has_branch(code, addr, &insn);
}

bool prof_code_calls(const struct prof_code *code, uint64_t addr)
{
	struct rv_insn insn;

	return has_branch(code, addr, &insn) && rv_is_call(&insn);
}

bool prof_code_returns(const struct prof_code *code, uint64_t addr)
{
	struct rv_insn insn;

	return has_branch(code, addr, &insn) && insn.xfer == RV_XFER_RETURN;
}

bool prof_code_is_indirect(const struct prof_code *code, uint64_t addr)
{
	enum { OPCODE_AND_RD = 0xfff, AUIPC = 0x17 };
	const uint8_t *before;
	struct rv_insn insn;
	uint32_t opcode;
	uint64_t len;

	if (!has_branch(code, addr, &insn) || !rv_is_indirect(&insn) ||
	    insn.xfer == RV_XFER_RETURN)
		return false;
	before = insn.size == 4 ? prof_code_bytes(code, addr - 4, &len) : NULL;
	if (!before)
		return true;
	rv_load(before, &opcode);
	return (opcode & OPCODE_AND_RD) != (AUIPC | (insn.raw >> 15 & 31) << 7);
}

bool prof_code_leads(const struct prof_code *code, uint64_t from, uint64_t to)
{
	struct rv_insn insn;
	uint64_t target;

	return has_branch(code, from, &insn) &&
	       (!rv_target(&insn, from, &target) || target == to);
}

unsigned int prof_code_nop_size(const struct prof_code *code, uint64_t addr)
{
	enum { C_NOP = 0x0001, NOP = 0x00000013 };
	struct rv_insn insn;
	uint64_t len;
	const uint8_t *p = prof_code_bytes(code, addr, &len);

	if (!p || rv_decode(&insn, p, len, code->rv32 ? RV_RV32 : 0) <= 0)
		return 0;
	return insn.raw == (insn.size == 2 ? C_NOP : NOP) ? insn.size : 0;
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
	const unsigned int flags = code->rv32 ? RV_RV32 : 0;
	struct rv_insn insn;
	const uint8_t *p;
	uint64_t len, at;

	if (end < start)
		return PATH_BACKWARDS;
	if (end - start > PATH_MAX_LINE)
		return PATH_TOO_FAR;
	p = prof_code_bytes(code, start, &len);
	if (!p || end - start >= len)
		return PATH_UNKNOWN_CODE;
	/* Behind an ecall the code goes on, without a record. */
	at = rv_run_on(p, end - start, len, flags);
	if (at >= end - start)
		return at == end - start ? PATH_OK : PATH_MISALIGNED;
	return rv_decode(&insn, p + at, len - at, flags) < 0 ? PATH_UNDEFINED : PATH_JUMP;
}

bool prof_code_in_plt(const struct prof_code *code, uint64_t addr)
{
	return addr - code->plt < code->plt_size;
}

const struct img_symbol *prof_code_symbol(const struct prof_code *code,
					  uint64_t addr)
{
	return img_symtab_find(&code->symbols, addr);
}
