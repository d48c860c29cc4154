// SPDX-License-Identifier: GPL-2.0-only
#include "origin/names.h"
#include "base/array.h"
#include "image/demangle.h"
#include "image/elf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_NAME "[kernel.kallsyms]"

struct names {
	struct img *img;
	/* One file, whose addresses were moved by bias. NULL: those of the trace */
	struct img_file *file;
	uint64_t bias;
	char *path;
	struct origin origin;
	struct img_file **files; /* by the index in origin.maps.files */
	size_t nr_files;
	/* The kernel that was told last; file: its index, plus 1; 0: none was. */
	struct {
		size_t file;
		uint64_t addr; /* of its symbol */
	} kernel;
	struct img_demangler *demangler; /* NULL: symbols are shown */
	/* The next address is mostly in the same function. */
	struct names_at last;
	uint32_t last_pid;
};

static bool parse(struct names *names, char *arg, struct error *error)
{
	char *at = strrchr(arg, '@'), *end;

	if (!at || strncmp(at + 1, "0x", 2))
		return true;
	errno = 0;
	names->bias = strtoull(at + 1, &end, 16);
	if (*end || errno) {
		error_set(error, ERROR_USAGE, "'%s' is not an address", at + 1);
		return false;
	}
	*at = 0;
	return true;
}

static bool load(struct names *names, const char *path, struct error *error)
{
	names->img = img_new(NULL);
	names->file = names->img ? img_open(names->img, path) : NULL;
	if (!names->file) {
		error_nomem(error);
		return false;
	}
	if (img_file_state(names->file) == IMG_OK)
		return true;
	error_set(error, ERROR_INPUT, "%s", img_file_error(names->file));
	return false;
}

struct names *names_open(const char *arg, struct error *error)
{
	struct names *names = calloc(1, sizeof(*names));
	char *copy = strdup(arg);

	error_nomem(error);
	if (names)
		names->path = copy;
	else
		free(copy);
	if (names && copy && parse(names, copy, error) && load(names, copy, error))
		return names;
	names_close(names);
	return NULL;
}

struct names *names_new(struct img *img)
{
	struct names *names = img ? calloc(1, sizeof(*names)) : NULL;

	if (names)
		names->img = img;
	else
		img_free(img);
	return names;
}

void names_close(struct names *names)
{
	if (!names)
		return;
	origin_free(&names->origin);
	free(names->files);
	free(names->path);
	img_demangler_free(names->demangler);
	img_free(names->img);
	free(names);
}

bool names_demangle(struct names *names)
{
	names->demangler = img_demangler_new();
	return names->demangler;
}

const char *names_shown(const struct names *names, const char *function)
{
	const char *shown = names->demangler ? img_demangled(names->demangler, function) : NULL;

	return shown ?: function;
}

const struct origin *names_origin(const struct names *names)
{
	return names->file ? NULL : &names->origin;
}

/* ---------------------------------------------------------- what is mapped */

static bool is_kernel(const char *name)
{
	return !strncmp(name, KERNEL_NAME, strlen(KERNEL_NAME));
}

/*
 * The kernel's own mapping tells where one of its symbols is. A trace that was joined can be
 * of several kernels, or boots.
 */
static void take_kernel(struct names *names, const char *comment, size_t size)
{
	const struct origin_maps *maps = &names->origin.maps;
	const struct origin_map *map;
	struct origin_mapping told;
	struct origin_line line;

	origin_line(&line, comment, size);
	if (!origin_read_mapping(&told, &line) || told.pid != ORIGIN_ALL)
		return;
	map = origin_maps_find(maps, ORIGIN_ALL, told.start);
	if (!map || !is_kernel(maps->files[map->file].name))
		return;
	names->kernel.file = map->file + 1;
	names->kernel.addr = told.offset;
}

static struct img_kernel kernel_of(const struct names *names)
{
	const struct origin_file *file;
	const char *symbol;

	if (!names->kernel.file)
		return (struct img_kernel){ 0 };
	file = &names->origin.maps.files[names->kernel.file - 1];
	symbol = file->name + strlen(KERNEL_NAME);
	return (struct img_kernel){ *symbol ? symbol : NULL, names->kernel.addr,
				    file->build_id, file->build_id_size };
}

static bool take(struct names *names, const char *comment, size_t size)
{
	const char *release;
	int key;

	if (names->file)
		return true;
	key = origin_take(&names->origin, comment, size);
	if (key == ORIGIN_MAP) {
		names->last.end = names->last.start;
		take_kernel(names, comment, size);
	}
	release = names->origin.texts[ORIGIN_KERNEL];
	if (key == ORIGIN_KERNEL && !img_set_release(names->img, release))
		return false;
	return key >= 0;
}

bool names_record(struct names *names, const struct stf_record *rec)
{
	return rec->desc != STF_COMMENT ||
	       take(names, rec->text.data, rec->text.size);
}

bool names_group(struct names *names, const struct stf_inst *inst,
		 struct stf_inst_iter *iter)
{
	struct stf_record rec;
	bool ok = true;

	if (!(inst->flags & STF_INST_F_COMMENT))
		return true;
	while (ok && stf_inst_iter_record(iter, &rec) > 0)
		ok = names_record(names, &rec);
	stf_inst_iter_again(iter);
	return ok;
}

/* NULL: out of memory. */
static struct img_file *file_of(struct names *names, uint32_t number)
{
	const struct origin_file *file = &names->origin.maps.files[number];

	if (!array_cover(&names->files, number, &names->nr_files,
			 sizeof(*names->files)))
		return NULL;
	if (!names->files[number])
		names->files[number] = img_file(names->img, file->name,
						file->build_id,
						file->build_id_size);
	return names->files[number];
}

/* A function of the kernel, of whose end nothing is known. */
static void find_in_kernel(struct names *names, const struct origin_map *map, uint64_t pc,
			   struct names_at *at)
{
	const struct origin_file *origin = &names->origin.maps.files[map->file];
	const struct img_module module = { origin->name, origin->build_id,
					   origin->build_id_size, map->start - map->offset };
	const struct img_kernel kernel = kernel_of(names);
	const char *file = origin->name;
	uint64_t from_start;

	if (img_kernel_symbol(names->img, &kernel, is_kernel(file) ? NULL : &module, pc,
			      &at->function, &from_start))
		at->function_start = at->function_offset = pc - from_start;
	else
		at->function = NULL;
	at->file = is_kernel(file) ? "[kernel]" : file;
	at->start = pc;
	at->end = pc + 1;
}

/* Both the mapping, which `at` has, and the function end somewhere. */
static void take_function(struct names_at *at, const struct img_function *function,
			  uint64_t moved)
{
	const uint64_t from = function->from + moved, end = function->to + moved;

	at->function = function->name;
	at->function_start = function->start + moved;
	at->function_offset = function->start;
	at->start = from > at->start ? from : at->start;
	at->end = end < at->end ? end : at->end;
}

static bool find_mapped(struct names *names, uint32_t pid, uint64_t pc,
			struct names_at *at)
{
	const struct origin_maps *maps = &names->origin.maps;
	const struct origin_map *map = origin_maps_find(maps, pid, pc);
	struct img_function function;
	struct img_file *file;

	if (!map)
		return true;
	if (map->pid == ORIGIN_ALL) {
		find_in_kernel(names, map, pc, at);
		return true;
	}
	file = file_of(names, map->file);
	if (!file)
		return false;
	at->file = maps->files[map->file].name;
	at->start = map->start;
	at->end = map->end;
	if (img_function(file, pc - map->start + map->offset, &function))
		take_function(at, &function, map->start - map->offset);
	else
		*at = (struct names_at){ .file = at->file, .start = pc, .end = pc + 1 };
	return true;
}

static void find_linked(struct names *names, uint64_t pc, struct names_at *at)
{
	struct img_function function;

	if (!img_function_at(names->file, pc - names->bias, &function))
		return;
	at->function_start = function.start + names->bias;
	at->start = function.from + names->bias;
	at->end = function.to + names->bias;
	at->function = function.name;
	at->function_offset = function.start;
	at->file = names->path;
}

bool names_find(struct names *names, uint32_t pid, uint64_t pc, struct names_at *at)
{
	const struct names_at none = { .start = pc, .end = pc + 1 };
	struct names_at *last = &names->last;

	if (pc - last->start >= last->end - last->start ||
	    (!names->file && pid != names->last_pid)) {
		*last = none;
		names->last_pid = pid;
		if (names->file)
			find_linked(names, pc, last);
		else if (!find_mapped(names, pid, pc, last))
			return false;
	}
	*at = *last;
	return true;
}

static bool is_shown_as(const struct names *names, const char *symbol, const char *name)
{
	char *shown = names->demangler ? img_demangle(names->demangler, symbol) : NULL;
	const bool same = shown && !strcmp(shown, name);

	free(shown);
	return same;
}

enum names_found names_address(struct names *names, const char *name, uint64_t *pc)
{
	enum names_found found = NAMES_NONE;
	uint64_t first = 0;
	struct img_symbols all;
	const char *its;
	GElf_Sym sym;

	if (!img_file_some_symbols(names->file, &all))
		return NAMES_NONE;
	while ((its = img_next_symbol(&all, &sym)))
		if (!strcmp(its, name)) {
			*pc = sym.st_value + names->bias;
			return NAMES_ONE;
		}
	img_file_some_symbols(names->file, &all);
	while ((its = img_next_symbol(&all, &sym))) {
		if (!is_shown_as(names, its, name))
			continue;
		/* A constructor has two symbols at one place. */
		if (found && sym.st_value != first)
			found = NAMES_SEVERAL;
		else if (!found)
			found = NAMES_ONE;
		first = sym.st_value;
	}
	if (found == NAMES_ONE)
		*pc = first + names->bias;
	return found;
}

const char *names_error(const struct names *names, unsigned int *at)
{
	while (*at < img_nr_files(names->img)) {
		const char *error = img_file_error(img_file_at(names->img, (*at)++));

		if (*error)
			return error;
	}
	if (*at == img_nr_files(names->img)) {
		++*at;
		if (*img_kernel_names_error(names->img))
			return img_kernel_names_error(names->img);
	}
	return NULL;
}
