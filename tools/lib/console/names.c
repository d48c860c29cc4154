// SPDX-License-Identifier: GPL-2.0-only
#include "console/names.h"
#include "base/array.h"
#include "image/elf.h"
#include "image/module.h"
#include "perfdata/module.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A function in a file. */
struct spot {
	struct img_file *file; /* NULL: not known */
	uint64_t addr;
	bool twice; /* there are several that it may be */
};

struct con_names {
	const struct con_log *log;
	struct img *img;
	struct img_kernel kernel;
	struct con_found *found;
	struct img_file **files; /* of each found */
	size_t nr_found, cap_found, cap_files;
	struct spot *spots; /* of each function */
	uint32_t *found_of; /* of each word of the log that is a module: its found, from 1 on */
};

/* --- functions in a file --- */

/* Where functions and labels of a file begin. */
struct label {
	uint64_t addr;
	unsigned int section;
};

struct labels {
	struct label *v; /* by address */
	size_t nr, cap;
};

/* The kernel leaves out what the assembler made, too. */
static bool is_label(const char *name, const GElf_Sym *sym)
{
	const unsigned int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_NOTYPE) && *name != '$' &&
	       strncmp(name, ".L", 2) != 0;
}

/*
 * The log tells the bytes up to the next function. Behind the last one of a section, this
 * depends on where loading put the next section.
 */
static bool fits(const struct labels *labels, const GElf_Sym *sym, uint64_t addr,
		 const struct con_function *f)
{
	const size_t next = array_upto(labels->v, labels->nr, sizeof(*labels->v), addr);
	const bool is_last = next == labels->nr ||
			     (*f->module && labels->v[next].section != sym->st_shndx);

	return is_last ? sym->st_size <= f->size : labels->v[next].addr - addr == f->size;
}

static void take_spot(struct con_names *names, const struct labels *labels,
		      struct img_file *file, const char *module, const char *name,
		      const GElf_Sym *sym, uint64_t addr)
{
	const struct con_function *f;
	uint32_t number = con_functions_named(names->log, name);

	for (; number != CON_NOWHERE; number = f->next) {
		struct spot *spot = &names->spots[number];

		f = &names->log->functions[number];
		if (strcmp(f->module, module) || !fits(labels, sym, addr, f))
			continue;
		spot->twice |= spot->file && spot->addr != addr;
		spot->file = file;
		spot->addr = addr;
	}
}

/* The symbols of a file. Those of a module have sections in place of addresses. */
struct reading {
	struct img_symbols symbols;
	struct img_segments segments;
	Elf *module; /* NULL: the kernel */
};

static bool begin_reading(struct reading *r, struct img_file *file, bool is_module)
{
	*r = (struct reading){ .module = is_module ? img_elf(file) : NULL };
	return (!is_module || !img_module_segments(r->module, &r->segments)) &&
	       img_file_symbols(file, &r->symbols);
}

/* The next label, and its address. NULL: there are no more. */
static const char *next_label(struct reading *r, GElf_Sym *sym, uint64_t *addr)
{
	const char *name;

	while ((name = img_next_symbol(&r->symbols, sym))) {
		*addr = sym->st_value;
		if (is_label(name, sym) &&
		    (!r->module ||
		     img_module_addr(&r->segments, r->module, sym->st_shndx, addr)))
			return name;
	}
	return NULL;
}

static bool read_labels(struct labels *labels, struct img_file *file, bool is_module)
{
	struct reading r;
	GElf_Sym sym;
	uint64_t addr;
	bool ok = true;

	if (begin_reading(&r, file, is_module))
		while (ok && next_label(&r, &sym, &addr)) {
			ok = array_room(&labels->v, labels->nr, &labels->cap,
					sizeof(*labels->v));
			if (ok)
				labels->v[labels->nr++] = (struct label){ addr, sym.st_shndx };
		}
	free(r.segments.v);
	if (labels->nr)
		qsort(labels->v, labels->nr, sizeof(*labels->v), array_order);
	return ok;
}

/* Returns false if out of memory. */
static bool find_spots(struct con_names *names, struct img_file *file, const char *module)
{
	struct labels labels = { 0 };
	struct reading r;
	const char *name;
	GElf_Sym sym;
	uint64_t addr;

	if (!read_labels(&labels, file, *module)) {
		free(labels.v);
		return false;
	}
	if (begin_reading(&r, file, *module))
		while ((name = next_label(&r, &sym, &addr)))
			take_spot(names, &labels, file, module, name, &sym, addr);
	free(r.segments.v);
	free(labels.v);
	return true;
}

/* --- files --- */

static struct img_file *open_module(struct img *img, const char *path)
{
	struct img_file *file = access(path, R_OK) ? NULL : img_open(img, path);

	return file && img_file_state(file) == IMG_OK && img_is_unlinked(img_elf(file)) ?
		       file : NULL;
}

static bool is_file_of(const char *name, const char *module, const char *end)
{
	const size_t n = strlen(module);

	return strlen(name) == n + strlen(end) && !strcmp(name + n, end) &&
	       pd_names_module(name, module);
}

/* In a folder, under a name that it may have. The path is that of the file. */
static struct img_file *look_for(struct img *img, const char *folder, const char *module,
				 const char *end, char *path, size_t size)
{
	struct img_file *file = NULL;
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && !file && (e = readdir(dir)))
		if (is_file_of(e->d_name, module, end) &&
		    snprintf(path, size, "%s/%s", folder, e->d_name) < (int)size)
			file = open_module(img, path);
	if (dir)
		closedir(dir);
	return file;
}

static struct img_file *look_in_folder(struct img *img, const char *folder, const char *module,
				       char *path, size_t size)
{
	struct img_file *file = look_for(img, folder, module, ".ko.debug", path, size);

	return file ? file : look_for(img, folder, module, ".ko", path, size);
}

static struct img_file *find_module(struct img *img, const char *module,
				    const char *const *places, size_t nr, char *path, size_t size)
{
	struct img_file *file = NULL;
	struct stat st;
	size_t i;

	for (i = 0; i < nr && !file; i++) {
		if (stat(places[i], &st))
			continue;
		snprintf(path, size, "%s", places[i]);
		if (S_ISDIR(st.st_mode))
			file = look_in_folder(img, places[i], module, path, size);
		else if (pd_names_module(places[i], module))
			file = open_module(img, path);
	}
	return file;
}

/* --- the whole --- */

static bool add_module(struct con_names *names, const char *module)
{
	const size_t i = names->nr_found;

	if (!array_room(&names->found, i, &names->cap_found, sizeof(*names->found)) ||
	    !array_room(&names->files, i, &names->cap_files, sizeof(*names->files)))
		return false;
	names->found[i] = (struct con_found){ .module = module };
	names->files[i] = NULL;
	names->nr_found++;
	return true;
}

/* The kernel comes first, and then each module once. */
static bool add_modules(struct con_names *names)
{
	const struct con_log *log = names->log;
	size_t i;

	if (!add_module(names, ""))
		return false;
	for (i = 0; i < log->nr_functions; i++) {
		const struct con_function *f = &log->functions[i];
		uint32_t *found = &names->found_of[f->module_word];

		if (*found)
			continue;
		if (*f->module && !add_module(names, f->module))
			return false;
		*found = *f->module ? names->nr_found : 1;
	}
	return true;
}

static void count_found(struct con_names *names)
{
	size_t i;

	for (i = 0; i < names->log->nr_functions; i++) {
		const uint32_t word = names->log->functions[i].module_word;
		struct con_found *found = &names->found[names->found_of[word] - 1];

		found->nr++;
		if (names->spots[i].twice) {
			names->spots[i].file = NULL;
			found->nr_twice++;
		}
		found->nr_found += !!names->spots[i].file;
	}
}

static int open_vmlinux(struct con_names *names, const char *path, struct error *error)
{
	struct img_file *file = img_open(names->img, path);
	struct img_kernel *kernel = &names->kernel;

	if (!file || !img_set_vmlinux(names->img, path))
		return error_nomem(error);
	if (img_file_state(file) != IMG_OK)
		return error_set(error, ERROR_INPUT, "%s", img_file_error(file));
	/* It is where its file says: only distances from functions are asked for. */
	kernel->symbol = "_stext";
	kernel->build_id = img_file_build_id(file, &kernel->build_id_size);
	if (!img_file_named(file, kernel->symbol, &kernel->addr))
		return error_set(error, ERROR_INPUT,
				 "%s: this is not the file of a kernel with its symbols", path);
	names->files[0] = file;
	names->found[0].path = path;
	return 0;
}

static int find_files(struct con_names *names, const char *vmlinux, const char *const *places,
		      size_t nr, struct error *error)
{
	char path[4096];
	size_t i;
	int ret;

	names->img = img_new(NULL);
	names->spots = calloc(names->log->nr_functions + 1, sizeof(*names->spots));
	names->found_of = calloc(names->log->nr_words + 1, sizeof(*names->found_of));
	if (!names->img || !names->spots || !names->found_of || !add_modules(names))
		return error_nomem(error);
	ret = vmlinux ? open_vmlinux(names, vmlinux, error) : 0;
	for (i = 1; i < names->nr_found && !ret; i++) {
		names->files[i] = find_module(names->img, names->found[i].module, places, nr,
					      path, sizeof(path));
		if (names->files[i])
			names->found[i].path = strdup(path);
	}
	return ret;
}

int con_names_new(struct con_names **result, const struct con_log *log, const char *vmlinux,
		  const char *const *places, size_t nr, struct error *error)
{
	struct con_names *names = calloc(1, sizeof(*names));
	size_t i;
	int ret;

	*result = names;
	if (!names)
		return error_nomem(error);
	names->log = log;
	ret = find_files(names, vmlinux, places, nr, error);
	for (i = 0; i < names->nr_found && !ret; i++)
		if (names->files[i] &&
		    !find_spots(names, names->files[i], names->found[i].module))
			ret = error_nomem(error);
	if (!ret)
		count_found(names);
	if (!ret && vmlinux && names->found[0].nr && !names->found[0].nr_found &&
	    !names->found[0].nr_twice)
		ret = error_set(error, ERROR_INPUT,
				"%s: this is another kernel than that of the log; no function has the size that the log tells",
				vmlinux);
	return ret;
}

void con_names_free(struct con_names *names)
{
	size_t i;

	if (!names)
		return;
	for (i = 1; i < names->nr_found; i++)
		free((char *)names->found[i].path);
	free(names->found);
	free(names->files);
	free(names->spots);
	free(names->found_of);
	img_free(names->img);
	free(names);
}

/* --- answers --- */

const struct con_found *con_names_found(const struct con_names *names, size_t i)
{
	return i < names->nr_found ? &names->found[i] : NULL;
}

struct img_file *con_names_file(const struct con_names *names, uint32_t place, uint64_t *addr)
{
	const struct con_place *at = &names->log->places[place];
	const struct spot *spot;

	if (at->function >= CON_USER)
		return NULL;
	spot = &names->spots[at->function];
	*addr = spot->addr + at->offset;
	return spot->file;
}

const uint8_t *con_names_code(const struct con_names *names, uint32_t place, uint64_t *len)
{
	uint64_t addr, start, size;
	const uint8_t *code;
	struct img_file *file = con_names_file(names, place, &addr);

	if (!file || file != names->files[0] ||
	    img_kernel_code(names->img, &names->kernel, addr, &start, &size, &code) != IMG_OK)
		return NULL;
	*len = size - (addr - start);
	return code + (addr - start);
}
