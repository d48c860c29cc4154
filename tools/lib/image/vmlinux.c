// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's code from its file. What ran differs from it, as the kernel changes
 * its own code: alternatives for the hart's extensions, static keys, calls of the
 * function tracer, constants found at boot. It keeps lists of these places, and the
 * code there is not known: neither the bytes in the file nor others are given. A
 * file whose lists cannot be followed to the last entry is not used at all.
 *
 * The lists' forms are those of Linux 6.12 to 7.2 on RV64. Breakpoints of kprobes
 * and kgdb are in no list.
 */
#include "image/internal.h"
#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum symbol {
	TEXT,
	TEXT_END,
	ALTERNATIVES,
	ALTERNATIVES_END,
	STATIC_KEYS,
	STATIC_KEYS_END,
	TRACED,
	TRACED_END,
	/* Who uses these lists. */
	USES_ALTERNATIVES,
	USES_STATIC_KEYS,
	USES_TRACED,
	NR_SYMBOLS,
	NR_LISTS = 3,
};

static const char *const names[NR_SYMBOLS] = {
	[TEXT] = "_stext",
	[TEXT_END] = "_etext",
	[ALTERNATIVES] = "__alt_start",
	[ALTERNATIVES_END] = "__alt_end",
	[STATIC_KEYS] = "__start___jump_table",
	[STATIC_KEYS_END] = "__stop___jump_table",
	[TRACED] = "__start_mcount_loc",
	[TRACED_END] = "__stop_mcount_loc",
	[USES_ALTERNATIVES] = "apply_boot_alternatives",
	[USES_STATIC_KEYS] = "jump_label_init",
	[USES_TRACED] = "ftrace_init",
};

enum {
	ALTERNATIVE_SIZE = 16, /* struct alt_entry */
	STATIC_KEY_SIZE = 16, /* struct jump_entry */
	TRACED_SIZE = 8, /* an address */
	CALL_SIZE = 8, /* the least room that a traced function has for it */
	MAX_NOPS = 64, /* more than the most */
};

struct site {
	uint64_t start, end; /* addresses in the file */
};

struct img_vmlinux {
	struct img_file *file; /* one of img's */
	bool placed; /* or checked alone */
	uint64_t moved; /* where it ran, less where the file has it */
	struct site text;
	struct site *sites; /* sorted, without overlaps */
	size_t nr, cap;
	struct {
		bool known;
		uint64_t value;
	} symbols[NR_SYMBOLS], reference;
	unsigned int nr_constants; /* kinds of constants found at boot */
};

static const char other_lists[] =
	"its lists of the code that the kernel changes have an unknown form; record with perf record --kcore";

bool img_set_vmlinux(struct img *img, const char *path)
{
	struct img_vmlinux *v = calloc(1, sizeof(*v));

	if (!v)
		return false;
	img->vmlinux = v;
	v->file = img_open(img, path);
	return v->file;
}

bool img_vmlinux_is_of(const struct img *img, const uint8_t *build_id,
		       unsigned int build_id_size)
{
	unsigned int size = 0;
	const uint8_t *id = img->vmlinux ? img_file_build_id(img->vmlinux->file, &size) : NULL;

	return id && img_same_build_id(build_id, build_id_size, id, size);
}

void img_free_vmlinux(struct img_vmlinux *v)
{
	if (v)
		free(v->sites);
	free(v);
}

const char *img_vmlinux_path(const struct img_vmlinux *v)
{
	return v->file->name;
}

const char *img_vmlinux_error(const struct img_vmlinux *v)
{
	return img_file_error(v->file);
}

/* n bytes of the file at an address; NULL: they are not there. */
static const uint8_t *bytes_at(const struct img_vmlinux *v, uint64_t addr,
			       uint64_t n)
{
	const struct img_segment *segment =
		img_segment_at(&v->file->segments, addr);

	if (!segment || n > segment->size - (addr - segment->addr))
		return NULL;
	return v->file->map + segment->offset + (addr - segment->addr);
}

static const char *add_site(struct img_vmlinux *v, uint64_t addr, uint64_t size)
{
	if (!bytes_at(v, addr, size))
		return other_lists;
	if (!array_room(&v->sites, v->nr, &v->cap, sizeof(*v->sites)))
		return "out of memory";
	v->sites[v->nr++] = (struct site){ addr, addr + size };
	return NULL;
}

/* Two offsets from themselves: of the code, and of what may replace it. */
static const char *add_alternative(struct img_vmlinux *v, uint64_t addr,
				   const uint8_t *entry)
{
	uint16_t size;
	int32_t offset;

	memcpy(&offset, entry, 4);
	memcpy(&size, entry + 10, 2);
	return add_site(v, addr + offset, size);
}

/* A jump or a nop of 4 bytes, at an offset from the entry. */
static const char *add_static_key(struct img_vmlinux *v, uint64_t addr,
				  const uint8_t *entry)
{
	int32_t offset;

	memcpy(&offset, entry, 4);
	return add_site(v, addr + offset, 4);
}

/*
 * The compiler's nops at a function's start, and those before it if the kernel
 * keeps data there. 0: none, as of weak functions that another replaced.
 */
static const char *add_traced(struct img_vmlinux *v, uint64_t addr,
			      const uint8_t *entry)
{
	static const uint8_t c_nop[] = { 0x01, 0x00 };
	static const uint8_t nop[] = { 0x13, 0x00, 0x00, 0x00 };
	unsigned int size = 0;
	const uint8_t *p;
	uint64_t at;

	(void)addr;
	memcpy(&at, entry, sizeof(at));
	if (!at)
		return NULL;
	while (size < MAX_NOPS && (p = bytes_at(v, at + size, sizeof(nop)))) {
		if (!memcmp(p, c_nop, sizeof(c_nop)))
			size += sizeof(c_nop);
		else if (!memcmp(p, nop, sizeof(nop)))
			size += sizeof(nop);
		else
			break;
	}
	return size < CALL_SIZE ? other_lists : add_site(v, at, size);
}

static const char *read_list(struct img_vmlinux *v, unsigned int list)
{
	static const struct {
		unsigned int size; /* of an entry */
		const char *(*add)(struct img_vmlinux *v, uint64_t addr,
				   const uint8_t *entry);
	} forms[NR_LISTS] = {
		{ ALTERNATIVE_SIZE, add_alternative },
		{ STATIC_KEY_SIZE, add_static_key },
		{ TRACED_SIZE, add_traced },
	};
	const unsigned int first = ALTERNATIVES + 2 * list;
	uint64_t at = v->symbols[first].value;
	uint64_t end = v->symbols[first + 1].value;
	size_t before = v->nr;
	const uint8_t *p;
	const char *why;

	/* Without one there must be nobody who uses it. */
	if (at == end)
		return v->symbols[USES_ALTERNATIVES + list].known ? other_lists :
								    NULL;
	p = end > at ? bytes_at(v, at, end - at) : NULL;
	if (!p || (end - at) % forms[list].size)
		return other_lists;
	for (; at != end; at += forms[list].size, p += forms[list].size) {
		why = forms[list].add(v, at, p);
		if (why)
			return why;
	}
	/* A kernel that is relocated at boot may leave all to that. */
	return v->nr == before ? other_lists : NULL;
}

/* Offsets, each from itself, of the code that loads a constant found at boot. */
static const char *read_constants(struct img_vmlinux *v, const GElf_Shdr *sh,
				  unsigned int size)
{
	const uint8_t *p = bytes_at(v, sh->sh_addr, sh->sh_size);
	uint64_t at;

	if (sh->sh_size % 4 || (sh->sh_size && !p))
		return other_lists;
	for (at = 0; at < sh->sh_size; at += 4) {
		const char *why;
		int32_t offset;

		memcpy(&offset, p + at, 4);
		why = add_site(v, sh->sh_addr + at + offset, size);
		if (why)
			return why;
	}
	v->nr_constants--;
	return NULL;
}

static const char *read_all_constants(struct img_vmlinux *v)
{
	const char *why = NULL;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (!why && (scn = img_next_section(v->file->elf, scn, &sh))) {
		const char *name = img_section_name(v->file->elf, &sh);

		if (!strncmp(name, "runtime_ptr_", 12))
			why = read_constants(v, &sh, 16);
		else if (!strncmp(name, "runtime_shift_", 14))
			why = read_constants(v, &sh, 4);
	}
	/* One of another kind, or without a section of its own. */
	return !why && v->nr_constants ? other_lists : why;
}

static void take_symbol(struct img_vmlinux *v, const char *name, uint64_t value,
			const char *reference)
{
	unsigned int i;

	if (!strcmp(name, reference)) {
		v->reference.known = true;
		v->reference.value = value;
	}
	for (i = 0; i < NR_SYMBOLS; i++) {
		if (strcmp(name, names[i]))
			continue;
		v->symbols[i].known = true;
		v->symbols[i].value = value;
	}
	v->nr_constants += !strncmp(name, "__start_runtime_", 16);
}

static const char *read_names(struct img_vmlinux *v, const char *reference)
{
	struct img_symbols symbols;
	const char *name;
	GElf_Sym sym;

	if (img_open_symbols(&symbols, v->file->elf, SHT_SYMTAB))
		while ((name = img_next_symbol(&symbols, &sym)))
			take_symbol(v, name, sym.st_value, reference);
	if (!v->reference.known || !v->symbols[TEXT].known ||
	    !v->symbols[TEXT_END].known)
		return "has no symbol table with the kernel's _stext and _etext";
	v->text.start = v->symbols[TEXT].value;
	v->text.end = v->symbols[TEXT_END].value;
	if (v->text.end <= v->text.start ||
	    !bytes_at(v, v->text.start, v->text.end - v->text.start))
		return "has no code";
	return NULL;
}

static void join_sites(struct img_vmlinux *v)
{
	size_t i, nr = 0;

	if (!v->nr)
		return;
	qsort(v->sites, v->nr, sizeof(*v->sites), array_order);
	for (i = 1; i < v->nr; i++) {
		struct site *last = &v->sites[nr];

		if (v->sites[i].start > last->end)
			v->sites[++nr] = v->sites[i];
		else if (v->sites[i].end > last->end)
			last->end = v->sites[i].end;
	}
	v->nr = nr + 1;
}

/* Unlike a program's file it has to be the one for certain. */
static bool check_id(struct img_vmlinux *v, const struct img_kernel *kernel)
{
	char text[512], want[2 * 64 + 1], got[2 * 64 + 1];
	unsigned int size = 0;
	const uint8_t *id = img_find_build_id(v->file->elf, &size);

	if (!kernel->symbol || !kernel->build_id_size) {
		img_refuse_file(v->file, IMG_KERNEL, v->file->name,
				"the recording does not tell where its kernel was, or its build id");
		return false;
	}
	if (!size || size > 64 || kernel->build_id_size > 64) {
		img_refuse_file(v->file, IMG_BUILD_ID, v->file->name,
				"has no build id, and may be another kernel than the one that was recorded");
		return false;
	}
	if (size == kernel->build_id_size &&
	    !memcmp(id, kernel->build_id, size))
		return true;
	img_print_build_id(got, id, size);
	img_print_build_id(want, kernel->build_id, kernel->build_id_size);
	snprintf(text, sizeof(text),
		 "another kernel than the one that was recorded: its build id is %s, not %s",
		 got, want);
	img_refuse_file(v->file, IMG_BUILD_ID, v->file->name, text);
	return false;
}

/* Refuses the file, or makes it ready. */
static void place(struct img_vmlinux *v, const struct img_kernel *kernel)
{
	struct img_file *file = v->file;
	const char *why = NULL;
	unsigned int i;

	v->placed = true;
	if (!check_id(v, kernel))
		return;
	if (file->bits != 64)
		why = "not a kernel of 64 bits";
	else if (!img_read_segments(&file->segments, file->elf, 0))
		why = "has no code";
	else
		why = read_names(v, kernel->symbol);
	for (i = 0; i < NR_LISTS && !why; i++)
		why = read_list(v, i);
	if (!why)
		why = read_all_constants(v);
	if (why) {
		img_refuse_file(file, IMG_KERNEL, file->name, why);
		return;
	}
	join_sites(v);
	v->moved = kernel->addr - v->reference.value;
}

void img_check_vmlinux(struct img_vmlinux *v, const struct img_kernel *kernel)
{
	if (v->file->state == IMG_OK && !v->placed)
		check_id(v, kernel);
	v->placed = true;
}

enum img_state img_vmlinux_code(struct img_vmlinux *v,
				const struct img_kernel *kernel, uint64_t addr,
				uint64_t *start, uint64_t *size,
				const uint8_t **code)
{
	struct site window;
	size_t n;

	if (v->file->state == IMG_OK && !v->placed)
		place(v, kernel);
	if (v->file->state != IMG_OK)
		return v->file->state;
	addr -= v->moved;
	if (addr - v->text.start >= v->text.end - v->text.start)
		return IMG_MODULE;
	window = v->text;
	n = array_upto(v->sites, v->nr, sizeof(*v->sites), addr);
	if (n && v->sites[n - 1].end > addr) {
		*start = v->sites[n - 1].start + v->moved;
		*size = v->sites[n - 1].end - v->sites[n - 1].start;
		return IMG_PATCHED;
	}
	if (n < v->nr && v->sites[n].start < window.end)
		window.end = v->sites[n].start;
	if (n && v->sites[n - 1].end > window.start)
		window.start = v->sites[n - 1].end;
	*start = window.start + v->moved;
	*size = window.end - window.start;
	*code = bytes_at(v, window.start, *size);
	return IMG_OK;
}
