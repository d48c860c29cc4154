// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the kernel's functions, and of its modules': of a list as /proc/kallsyms
 * and System.map are, or of its file. Neither has to be of the boot that was recorded:
 * where that had the kernel is told by a symbol. Traces and counts files can be of several
 * kernels.
 */
#include "base/array.h"
#include "base/buildid.h"
#include "image/internal.h"
#include "image/module.h"
#include "perfdata/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kernel_module {
	char *name; /* of the recording */
	uint8_t build_id[IMG_BUILD_ID_MAX];
	unsigned int build_id_size; /* 0: not known */
	bool looked;
	struct img_file *file; /* NULL: there is none of this build */
	bool asked, named; /* for names of its functions; there was one */
};

/* A build of the kernel, which may have run at several addresses. */
struct build {
	uint8_t build_id[IMG_BUILD_ID_MAX];
	unsigned int build_id_size; /* 0: not known */
	char *symbol; /* that recordings tell the address of */
	bool looked, looked_file;
	struct img_symtab list; /* by the addresses that the list has */
	/*
	 * The list's text, in which each name ends in a NUL, behind which stands the
	 * module's, as [name], if it is of one.
	 */
	char *text;
	uint64_t list_addr; /* where the list has the symbol */
	struct img_file *vmlinux; /* NULL: it is not known by a file */
	uint64_t file_addr; /* where that has the symbol */
	char *error; /* why no name is known; NULL */
};

struct img_ksyms {
	char *given; /* a list; NULL: none was */
	bool asked; /* for a name of the kernel itself */
	struct build *builds;
	size_t nr_builds, cap_builds;
	struct kernel_module *modules; /* those that were asked for */
	size_t nr_modules, cap_modules;
	char *error; /* what was told last */
};

static const char hidden[] =
	"has no addresses; read /proc/kallsyms as root, or with the sysctl kernel.kptr_restrict at 0";

/* NULL: out of memory. */
static struct img_ksyms *ksyms_of(struct img *img)
{
	if (!img->ksyms)
		img->ksyms = calloc(1, sizeof(*img->ksyms));
	return img->ksyms;
}

bool img_set_kallsyms(struct img *img, const char *path)
{
	struct img_ksyms *k = ksyms_of(img);

	if (!k)
		return false;
	free(k->given);
	k->given = strdup(path);
	return k->given;
}

static void free_build(struct build *build)
{
	if (build->vmlinux)
		img_free_file(build->vmlinux);
	free(build->list.v);
	free(build->text);
	free(build->symbol);
	free(build->error);
}

void img_free_ksyms(struct img_ksyms *k)
{
	if (!k)
		return;
	while (k->nr_builds--)
		free_build(&k->builds[k->nr_builds]);
	free(k->builds);
	while (k->nr_modules--) {
		free(k->modules[k->nr_modules].name);
		if (k->modules[k->nr_modules].file)
			img_free_file(k->modules[k->nr_modules].file);
	}
	free(k->modules);
	free(k->given);
	free(k->error);
	free(k);
}

/* The first reason that is told is the one of what was asked for first. */
static void refuse(struct build *build, const char *path, const char *why)
{
	if (!build->error && asprintf(&build->error, "%s: %s", path, why) < 0)
		build->error = NULL;
}

/* --- a list --- */

/* All of a file whose size is not known before, and two NULs. NULL, with errno. */
static char *read_text(const char *path)
{
	size_t len = 0, cap = 0, n = 1;
	FILE *file = fopen(path, "re");
	char *text = NULL, *more;

	while (file && n) {
		if (len + 2 >= cap) {
			cap = 2 * cap + (1 << 20);
			more = realloc(text, cap);
			if (!more) {
				fclose(file);
				file = NULL;
				break;
			}
			text = more;
		}
		n = fread(text + len, 1, cap - 2 - len, file);
		len += n;
	}
	if (!file || ferror(file)) {
		free(text);
		text = NULL;
	} else {
		text[len] = text[len + 1] = 0;
	}
	if (file)
		fclose(file);
	return text;
}

/* A line of a list: "ffffffff80000000 T _text\t[module]". */
struct line {
	uint64_t addr;
	char type;
	char *name; /* and a NUL, and behind that the module's, if it is of one */
};

/* The line at *text, which goes on to the next one. False: it is none of a list. */
static bool read_line(char **text, struct line *line)
{
	char *p = *text, *end = strchrnul(p, '\n');

	*text = end + !!*end;
	*end = 0;
	errno = 0;
	line->addr = strtoull(p, &p, 16);
	if (errno || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	line->type = p[1];
	line->name = p + 3;
	line->name[strcspn(line->name, "\t ")] = 0;
	return true;
}

static bool ends_in(const char *name, const char *end)
{
	const size_t len = strlen(name), end_len = strlen(end);

	return len >= end_len && !strcmp(name + len - end_len, end);
}

/*
 * A list has no types, so labels of the kernel's linker script are like functions: where
 * sections begin and end, as __lock_text_start. A function that has such a name keeps it,
 * unless another one begins where it does.
 */
static bool is_label(const char *name)
{
	static const char *const names[] = { "_text", "_stext", "_etext", "_sinittext",
					     "_einittext" };
	static const char *const ends[] = { "_start", "_begin", "_end" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends_in(name, ends[i]))
			return true;
	return false;
}

/* As img_symbol_rank(), by the letter of nm(1). -1: it is no code. */
static int rank_of(const struct line *line)
{
	const int kind = is_label(line->name) ? IMG_RANK_LABEL : 0;

	/* Labels of the compiler and the assembler, and mapping symbols. */
	if (line->name[0] == '$' || !strncmp(line->name, ".L", 2))
		return -1;
	switch (line->type) {
	case 'T':
		return kind;
	case 'W':
	case 'w':
		return kind + 1;
	case 't':
		return kind + 2;
	default:
		return -1;
	}
}

static bool is_module(const char *name)
{
	return name[strlen(name) + 1] == '[';
}

/*
 * Those that are code, as the list has them, and the address of the symbol by which the
 * recording tells where the kernel was. Returns NULL, or what is wrong.
 */
static const char *read_lines(struct build *build)
{
	char *at = build->text;
	bool has_symbol = false;
	struct line line;
	int rank;

	build->list_addr = 0;
	while (*at) {
		if (!read_line(&at, &line))
			return "does not have the form of /proc/kallsyms";
		if (!strcmp(line.name, build->symbol)) {
			build->list_addr = line.addr;
			has_symbol = true;
		}
		rank = rank_of(&line);
		if (rank >= 0 && !img_symtab_add(&build->list, line.addr, 0, line.name, rank))
			return "out of memory";
	}
	if (!has_symbol)
		return "does not have the symbol by which the recording tells where the kernel was";
	return build->list_addr ? NULL : hidden;
}

/* False: there is no name in it, for a reason that may be told. */
static bool try_list(struct build *build, const char *path)
{
	const char *why;

	build->text = read_text(path);
	why = build->text ? read_lines(build) : strerror(errno);
	if (!why) {
		img_symtab_settle(&build->list, UINT64_MAX);
		return true;
	}
	refuse(build, path, why);
	free(build->text);
	free(build->list.v);
	build->text = NULL;
	build->list = (struct img_symtab){ 0 };
	return false;
}

/* Is it the kernel that runs here now? */
static bool runs_here(const struct build *build)
{
	uint8_t id[IMG_BUILD_ID_MAX];
	size_t size = buildid_of_notes("/sys/kernel/notes", id, sizeof(id));

	return size && img_same_build_id(build->build_id, build->build_id_size, id, size);
}

/* perf keeps the list of each kernel that it has recorded in its cache. */
static bool try_caches(struct img *img, struct build *build)
{
	char hex[2 * IMG_BUILD_ID_MAX + 1], *path;
	const char *folder;
	bool found = false;
	size_t i;

	img_print_build_id(hex, build->build_id, build->build_id_size);
	for (i = 1; !found && (folder = img_folder(img, i)); i++) {
		if (asprintf(&path, "%s/.build-id/%.2s/%s/kallsyms", folder,
			     hex, hex + 2) < 0)
			return false;
		found = !access(path, R_OK) && try_list(build, path);
		free(path);
	}
	return found;
}

/* --- its file --- */

/* A file that is opened becomes the one. False: it is another, and the caller's. */
static bool take_vmlinux(struct build *build, struct img_file *file)
{
	struct img_symbols symbols;
	unsigned int size;
	const char *name;
	GElf_Sym sym;

	/* Unlike a program's it has to be the one for certain. */
	if (file->state != IMG_OK || !file->elf ||
	    !img_find_build_id(file->elf, &size) ||
	    !img_file_symbols(file, &symbols))
		return false;
	while ((name = img_next_symbol(&symbols, &sym)))
		if (!strcmp(name, build->symbol)) {
			build->file_addr = sym.st_value;
			build->vmlinux = file;
			return true;
		}
	return false;
}

/* A file that is not among those that users are told of. NULL: out of memory. */
static struct img_file *new_file(struct img *img, const char *name, const uint8_t *build_id,
				 unsigned int build_id_size)
{
	struct img_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->img = img;
	file->name = strdup(name);
	file->build_id_size = build_id_size;
	memcpy(file->build_id, build_id, build_id_size);
	file->state = IMG_MISSING;
	if (file->name)
		return file;
	free(file);
	return NULL;
}

/* path: NULL: in one of the places, by its build id. */
static bool try_vmlinux(struct img *img, const char *path, struct build *build)
{
	struct img_file *file = new_file(img, "/vmlinux", build->build_id,
					 build->build_id_size);

	if (!file)
		return false;
	if (path)
		img_open_file(file, path);
	else
		img_look_in_places(file);
	if (file->state != IMG_OK && !path)
		img_open_debug_file(file);
	if (take_vmlinux(build, file))
		return true;
	img_free_file(file);
	return false;
}

/* Where packages of debug information have it, also if a place is their root folder. */
static bool try_packages(struct img *img, struct build *build)
{
	static const char *const names[] = {
		"%s/usr/lib/debug/boot/vmlinux-%s",
		"%s/usr/lib/debug/lib/modules/%s/vmlinux",
		"%s/usr/lib/modules/%s/vmlinux",
	};
	const char *folder;
	size_t i, at = 0;
	bool found;
	char *path;

	while (img->release && (folder = img_folder(img, at++)))
		for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
			if (asprintf(&path, names[i], folder, img->release) < 0)
				return false;
			found = !access(path, R_OK) && try_vmlinux(img, path, build);
			free(path);
			if (found)
				return true;
		}
	return false;
}

static bool try_given(struct img *img, struct build *build)
{
	return img->vmlinux && try_vmlinux(img, img_vmlinux_path(img->vmlinux), build);
}

/* --- modules --- */

static bool is_of(const struct kernel_module *own, const struct img_module *module)
{
	return own->build_id_size == module->build_id_size &&
	       !memcmp(own->build_id, module->build_id, own->build_id_size) &&
	       !strcmp(own->name, module->name);
}

/* NULL: out of memory. */
static struct kernel_module *module_of(struct img_ksyms *k, const struct img_module *module)
{
	struct img_module known = *module;
	struct kernel_module *own;
	size_t i;

	if (known.build_id_size > IMG_BUILD_ID_MAX)
		known.build_id_size = 0;
	for (i = 0; i < k->nr_modules; i++)
		if (is_of(&k->modules[i], &known))
			return &k->modules[i];
	if (!array_room(&k->modules, i, &k->cap_modules, sizeof(*own)))
		return NULL;
	own = &k->modules[i];
	*own = (struct kernel_module){ .name = strdup(known.name),
				       .build_id_size = known.build_id_size };
	if (!own->name)
		return NULL;
	if (own->build_id_size)
		memcpy(own->build_id, known.build_id, own->build_id_size);
	k->nr_modules++;
	return own;
}

/* NULL: there is none of this build. */
static struct img_file *open_module(struct img *img, const struct kernel_module *module)
{
	struct img_file *file;
	unsigned int size;
	char *path;

	if (!module->build_id_size)
		return NULL;
	file = new_file(img, module->name, module->build_id, module->build_id_size);
	if (!file)
		return NULL;
	if (*module->name == '/' && asprintf(&path, "%s%s", img->symfs, module->name) >= 0) {
		img_open_file(file, path);
		free(path);
	}
	if (file->state != IMG_OK)
		img_look_in_places(file);
	/* Distributions compress modules, but not their debug files. */
	if (file->state != IMG_OK)
		img_open_debug_file(file);
	if (file->state == IMG_OK && file->elf && img_is_unlinked(file->elf) &&
	    img_find_build_id(file->elf, &size))
		return file;
	img_free_file(file);
	return NULL;
}

static struct img_file *file_of_module(struct img *img, struct kernel_module *module)
{
	if (!module->looked)
		module->file = open_module(img, module);
	module->looked = true;
	return module->file;
}

/* The address in its file, as image/module.h has it. */
static uint64_t linked_in(const struct img_module *module, uint64_t addr)
{
	return addr - module->start + IMG_MODULE_BASE;
}

/* --- all of them --- */

static unsigned int id_size(const struct img_kernel *kernel)
{
	return kernel->build_id_size <= IMG_BUILD_ID_MAX ? kernel->build_id_size : 0;
}

static struct build *find_build(const struct img_ksyms *k, const struct img_kernel *kernel)
{
	const unsigned int size = id_size(kernel);
	size_t i;

	for (i = 0; i < k->nr_builds; i++)
		if (k->builds[i].build_id_size == size &&
		    img_same_build_id(k->builds[i].build_id, size, kernel->build_id, size) &&
		    !strcmp(k->builds[i].symbol, kernel->symbol))
			return &k->builds[i];
	return NULL;
}

/* NULL: the recording does not tell where it was, or out of memory. */
static struct build *build_of(struct img_ksyms *k, const struct img_kernel *kernel)
{
	const unsigned int size = id_size(kernel);
	struct build *build;

	if (!kernel->symbol)
		return NULL;
	build = find_build(k, kernel);
	if (build || !array_room(&k->builds, k->nr_builds, &k->cap_builds, sizeof(*build)))
		return build;
	build = &k->builds[k->nr_builds];
	*build = (struct build){ .build_id_size = size, .symbol = strdup(kernel->symbol) };
	if (!build->symbol)
		return NULL;
	if (size)
		memcpy(build->build_id, kernel->build_id, size);
	k->nr_builds++;
	return build;
}

/* A list does not tell which build it is of: it is taken for that of the first one. */
static bool is_of_given(const struct img_ksyms *k, const struct build *build)
{
	return k->given && build == k->builds;
}

static void look(struct img *img, struct build *build)
{
	struct img_ksyms *k = img->ksyms;

	build->looked = true;
	if (is_of_given(k, build)) {
		try_list(build, k->given);
		return;
	}
	if (!build->build_id_size || try_given(img, build))
		return;
	if ((*img->symfs || !runs_here(build) || !try_list(build, "/proc/kallsyms")) &&
	    !try_caches(img, build) && !try_packages(img, build))
		try_vmlinux(img, NULL, build);
}

/* Is a name of the list one of what the recording has there? */
static bool fits(const char *name, const char *module)
{
	char own[64];

	if (!is_module(name) || !module)
		return !is_module(name) && !module;
	snprintf(own, sizeof(own), "%s", name + strlen(name) + 2);
	own[strcspn(own, "]")] = 0;
	return pd_names_module(module, own);
}

/* A list of another boot does not tell where the modules were. */
static bool find_in_list(const struct build *build, uint64_t moved, const char *module,
			 uint64_t addr, const char **name, uint64_t *from_start)
{
	const struct img_symbol *symbol = img_symtab_find(&build->list, addr - moved);

	if (!symbol || (moved && is_module(symbol->name)) || !fits(symbol->name, module))
		return false;
	*name = symbol->name;
	*from_start = addr - moved - symbol->start;
	return true;
}

static bool find_in_file(struct img_file *file, uint64_t linked, const char **name,
			 uint64_t *from_start)
{
	struct img_function function;

	if (!img_function_at(file, linked, &function))
		return false;
	*name = function.name;
	*from_start = linked - function.start;
	return true;
}

/* module: NULL: the kernel itself. */
static bool find_in_build(struct img *img, const struct img_kernel *kernel, const char *module,
			  uint64_t addr, const char **name, uint64_t *from_start)
{
	struct build *build = build_of(img->ksyms, kernel);

	/* A trace may tell it later, when the kernel itself runs. */
	if (!build)
		return false;
	if (!build->looked)
		look(img, build);
	if (build->text || !build->vmlinux)
		return find_in_list(build, kernel->addr - build->list_addr, module, addr, name,
				    from_start);
	return !module && find_in_file(build->vmlinux, addr - (kernel->addr - build->file_addr),
				       name, from_start);
}

bool img_kernel_symbol(struct img *img, const struct img_kernel *kernel,
		       const struct img_module *module, uint64_t addr, const char **name,
		       uint64_t *from_start)
{
	struct img_ksyms *k = ksyms_of(img);
	struct kernel_module *own;
	struct img_file *file;

	if (!k)
		return false;
	if (!module) {
		k->asked = true;
		return find_in_build(img, kernel, NULL, addr, name, from_start);
	}
	own = module_of(k, module);
	if (!own)
		return false;
	own->asked = true;
	if (find_in_build(img, kernel, module->name, addr, name, from_start))
		return own->named = true;
	file = file_of_module(img, own);
	if (!file || !find_in_file(file, linked_in(module, addr), name, from_start))
		return false;
	return own->named = true;
}

static bool has_names(const struct build *build)
{
	return build->text || build->vmlinux;
}

bool img_kernel_is_nameless(const struct img *img, const struct img_kernel *kernel)
{
	const struct build *build = NULL;

	if (img->ksyms && kernel->symbol)
		build = find_build(img->ksyms, kernel);
	return build && build->looked && !has_names(build);
}

/* What to do about a build without names. */
static const char *remedy(const struct build *build)
{
	if (!build)
		return "the recording does not tell where the kernel was; record as root, with the sysctl kernel.kptr_restrict at 0 or 1, and an event that counts the kernel, too";
	if (!build->build_id_size)
		return "the recording does not have the kernel's build id, by which its file is known; name a copy of its /proc/kallsyms with --kallsyms";
	return "read the recording as root on the machine that made it, or name a copy of its /proc/kallsyms with --kallsyms, or its vmlinux with --vmlinux";
}

/* A file that cannot be read at all has a line of its own. */
static bool is_given_other(const struct img *img, const struct build *build)
{
	return build && build->build_id_size && img->vmlinux && !*img_vmlinux_error(img->vmlinux);
}

/* Of so many builds; the first one of those: NULL: the recording tells none. */
static int write_error(const struct img *img, char **error, size_t nr, size_t all,
		       const struct build *first)
{
	char id[2 * IMG_BUILD_ID_MAX + 1];

	if (all <= 1 && is_given_other(img, first)) {
		img_print_build_id(id, first->build_id, first->build_id_size);
		return asprintf(error, "the kernel's functions have no names: %s is of another build, or has no symbols; name the vmlinux with the build id %s, or a copy of its /proc/kallsyms with --kallsyms",
				img_vmlinux_path(img->vmlinux), id);
	}
	if (all <= 1)
		return asprintf(error, "the kernel's functions have no names: %s", remedy(first));
	img_print_build_id(id, first->build_id, first->build_id_size);
	return asprintf(error, "the functions of %zu of %zu kernels have no names; the first one has the build id %s: %s",
			nr, all, *id ? id : "-", first->error ?: remedy(first));
}

/* Of another build than the one with the names. Who has a counts file tells it. */
static bool is_other_kernel(const struct kernel_module *module)
{
	return !strncmp(module->name, "[kernel", 7);
}

static int write_module_error(char **error, size_t nr, const struct kernel_module *first)
{
	char id[2 * IMG_BUILD_ID_MAX + 1], others[64] = "";

	if (nr > 1)
		snprintf(others, sizeof(others), ", and those of %zu more modules,", nr - 1);
	if (!first->build_id_size)
		return asprintf(error, "the functions of the module %s%s have no names: the recording does not have the build id by which the file of a module is known",
				first->name, others);
	img_print_build_id(id, first->build_id, first->build_id_size);
	return asprintf(error, "the functions of the module %s (build id %s)%s have no names; name the file of a module, which must not be compressed, or a folder that has it, with --code",
			first->name, id, others);
}

/* Where the kernel itself has names, or is not asked for. */
static const char *module_names_error(struct img_ksyms *k)
{
	const struct kernel_module *first = NULL;
	size_t i, nr = 0;

	for (i = 0; i < k->nr_modules; i++) {
		if (!k->modules[i].asked || k->modules[i].named ||
		    is_other_kernel(&k->modules[i]))
			continue;
		first = first ?: &k->modules[i];
		nr++;
	}
	if (!nr)
		return "";
	free(k->error);
	if (write_module_error(&k->error, nr, first) < 0)
		k->error = NULL;
	return k->error ?: "out of memory";
}

const char *img_kernel_names_error(const struct img *img)
{
	struct img_ksyms *k = img->ksyms;
	const struct build *first = NULL;
	size_t i, nr = 0, all = 0;

	for (i = 0; k && i < k->nr_builds; i++) {
		if (!k->builds[i].looked)
			continue;
		all++;
		if (has_names(&k->builds[i]))
			continue;
		first = first ?: &k->builds[i];
		nr++;
	}
	if (!k)
		return "";
	if (all ? !nr : !k->asked)
		return module_names_error(k);
	if (all == 1 && first->error)
		return first->error;
	free(k->error);
	if (write_error(img, &k->error, nr, all, first) < 0)
		k->error = NULL;
	return k->error ?: "out of memory";
}

/* --- the files with their lines --- */

/* Its names may be of a list, for which no file was looked for. */
static struct img_file *find_vmlinux(struct img *img, struct build *build)
{
	if (!build->looked_file && !build->vmlinux && build->build_id_size &&
	    !try_given(img, build) && !try_packages(img, build))
		try_vmlinux(img, NULL, build);
	build->looked_file = true;
	return build->vmlinux;
}

struct img_file *img_kernel_file(struct img *img, const struct img_kernel *kernel,
				 const struct img_module *module, uint64_t addr,
				 uint64_t *linked)
{
	struct img_ksyms *k = ksyms_of(img);
	struct img_file *file = NULL;
	struct build *build;

	if (k && module) {
		struct kernel_module *own = module_of(k, module);

		*linked = linked_in(module, addr);
		return own ? file_of_module(img, own) : NULL;
	}
	build = k ? build_of(k, kernel) : NULL;
	if (build)
		file = find_vmlinux(img, build);
	if (file)
		*linked = addr - (kernel->addr - build->file_addr);
	return file;
}
