// SPDX-License-Identifier: GPL-2.0-only
#include "path/code.h"
#include "base/array.h"
#include "path/made.h"
#include "riscv/rv_insn.h"

#include <stdlib.h>
#include <string.h>

struct file {
	struct img_file *file; /* NULL: nobody has asked for it */
	uint64_t samples;
};

struct path_code {
	struct pd_space *space;
	struct img *img;
	struct file *files; /* by struct pd_dso.id */
	size_t cap_files;
	struct path_made *made;
	bool shows_names;
	uint64_t time;
};

struct path_code *path_code_new(struct pd_space *space, struct img *img)
{
	struct path_code *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->space = space;
	code->img = img;
	code->time = IMG_JIT_ANY_TIME;
	code->made = path_made_new(space, img);
	if (code->made)
		return code;
	free(code);
	return NULL;
}

void path_code_free(struct path_code *code)
{
	if (!code)
		return;
	path_made_free(code->made);
	free(code->files);
	free(code);
}

/* NULL: out of memory. */
static struct img_file *file_of(struct path_code *code,
				const struct pd_dso *dso)
{
	struct file *file;

	if (!array_cover(&code->files, dso->id, &code->cap_files,
			 sizeof(*code->files)))
		return NULL;
	file = &code->files[dso->id];
	if (!file->file) {
		file->file = img_file(code->img, dso->name, dso->build_id,
				      dso->build_id_size);
		if (file->file)
			img_file_add_samples(file->file, file->samples);
	}
	return file->file;
}

void path_code_set_time(struct path_code *code, uint64_t time)
{
	code->time = time;
}

/* The jitdump of a process. NULL: there is none, or out of memory. */
static struct img_file *jitdump_of(struct path_code *code, uint32_t pid)
{
	const struct pd_dso *dso = pd_space_jitdump(code->space, pid);

	return dso ? file_of(code, dso) : NULL;
}

/* Code that the process said it made; *file and *offset: where it is. */
static enum img_state jit_at(struct path_code *code, uint32_t pid,
			     uint64_t addr, struct img_file **file,
			     uint64_t *start, uint64_t *size, uint64_t *offset)
{
	*file = jitdump_of(code, pid);
	if (!*file)
		return IMG_ANON;
	return img_jit_code(*file, addr, code->time, start, size, offset);
}

/* Memory without a file: mapped, but with a name that is no path. */
static bool is_anon(const struct pd_map *map)
{
	return !map || map->dso->name[0] != '/' || map->dso->name[1] == '/' ||
	       img_is_anonymous(map->dso->name, map->dso->build_id_size);
}

static enum img_state jit_window(struct path_code *code, uint32_t pid,
				 uint64_t addr, struct path_window *window)
{
	enum img_state state;
	struct img_file *file;
	uint64_t offset, left;

	state = jit_at(code, pid, addr, &file, &window->start, &window->size,
		       &offset);
	if (state != IMG_OK)
		return state;
	window->code = img_code(file, offset, &left);
	window->rv32 = false;
	if (code->time != IMG_JIT_ANY_TIME)
		window->since = img_jit_since(file, window->start, window->size, offset);
	return IMG_OK;
}

static struct img_kernel kernel_of(const struct path_code *code)
{
	const struct pd_kernel at = pd_space_kernel(code->space);
	struct img_kernel kernel = { .symbol = at.symbol, .addr = at.addr };

	if (at.dso) {
		kernel.build_id = at.dso->build_id;
		kernel.build_id_size = at.dso->build_id_size;
	}
	return kernel;
}

static enum img_state kernel_window(struct path_code *code, uint64_t addr,
				    struct path_window *window)
{
	const struct img_kernel kernel = kernel_of(code);

	window->rv32 = false;
	return img_kernel_code(code->img, &kernel, addr, &window->start,
			       &window->size, &window->code);
}

/* An offset that no other place of the kernel has: that of the start of code that it makes. */
#define MADE_START (UINT64_C(1) << 63)

/* Is it in code that the kernel makes, such as a BPF program? */
static bool is_made(const struct path_place *place)
{
	return place->dso && place->dso->made && path_is_kernel(place->offset);
}

static enum img_state window_at(void *arg, uint32_t pid, uint64_t addr,
				struct path_window *window)
{
	struct path_code *code = arg;
	const struct pd_map *map = pd_space_find(code->space, pid, addr);
	struct img_file *file;
	uint64_t size;

	/* A kcore has what was there when it was copied. */
	if (map && map->dso->made)
		return IMG_MADE;
	if (map ? map->kernel : path_is_kernel(addr))
		return kernel_window(code, addr, window);
	if (is_anon(map)) {
		enum img_state state = jit_window(code, pid, addr, window);

		if (state != IMG_ANON)
			return state;
	}
	if (!map)
		return IMG_UNMAPPED;
	if (map->written)
		return IMG_WRITTEN;
	file = file_of(code, map->dso);
	if (!file)
		return IMG_MISSING;
	if (img_file_state(file) != IMG_OK)
		return img_file_state(file);
	window->code = img_code(file, map->pgoff, &size);
	if (!window->code || addr - map->start >= size)
		return IMG_UNMAPPED;
	window->start = map->start;
	window->size = map->end - map->start;
	if (window->size > size)
		window->size = size;
	window->rv32 = img_file_bits(file) == 32;
	window->since = map->since;
	return IMG_OK;
}

struct path_source path_code_source(struct path_code *code)
{
	return (struct path_source){ window_at, code };
}

/* Names that a program lists for code of the file go where the file has none. */
static void lend_names(struct path_code *code, uint32_t pid, const struct pd_map *map)
{
	struct img_file *dump, *file;

	if (!path_made_has_map(code->made, pid) && !pd_space_jitdump(code->space, pid))
		return;
	dump = jitdump_of(code, pid);
	file = file_of(code, map->dso);
	if (file)
		path_made_lend(code->made, pid, map, dump, file);
}

struct path_place path_code_stretch(struct path_code *code, uint32_t pid,
				    uint64_t addr, uint64_t *start,
				    uint64_t *size)
{
	const struct pd_map *map = pd_space_find(code->space, pid, addr);
	struct path_place place = { NULL, addr, NULL };
	uint64_t code_start, code_size, offset;
	bool anon = is_anon(map);
	struct img_file *file;

	*size = 0;
	if (anon && !path_is_kernel(addr)) {
		if (jit_at(code, pid, addr, &file, &code_start, &code_size,
			   &offset) == IMG_OK)
			return (struct path_place){
				pd_space_jitdump(code->space, pid),
				offset + (addr - code_start), NULL
			};
		place.perf_map = path_made_map(code->made, pid, addr);
		if (place.perf_map)
			return place;
	}
	if (!map)
		return place;
	/* Next to code that a program made may be some that is found otherwise. */
	if (!anon || path_is_kernel(map->start)) {
		*start = map->start;
		*size = map->end - map->start;
	}
	place.dso = map->dso;
	if (!anon && !map->kernel)
		lend_names(code, pid, map);
	/* The kernel, which is at one place only, and its modules go by the address. */
	if (map->dso->made)
		place.offset = MADE_START + (addr - map->start + map->pgoff);
	else if (!map->kernel)
		place.offset = addr - map->start + map->pgoff;
	return place;
}

struct path_place path_code_place(struct path_code *code, uint32_t pid,
				  uint64_t addr)
{
	uint64_t start, size;

	return path_code_stretch(code, pid, addr, &start, &size);
}

static const struct pd_dso *module_of(const struct path_code *code,
				      const struct path_place *place)
{
	return place->dso == pd_space_kernel(code->space).dso || is_made(place) ? NULL :
										  place->dso;
}

const char *path_code_binary(const struct path_code *code,
			     const struct path_place *place)
{
	if (place->perf_map)
		return "//anon";
	if (!path_is_kernel(place->offset))
		return place->dso ? place->dso->name : "[unknown]";
	if (is_made(place))
		return pd_made_binary(place->dso->name);
	return module_of(code, place) ? place->dso->name : "[kernel]";
}

const char *path_code_label(const struct path_code *code, const struct path_place *place)
{
	const char *name = path_code_binary(code, place);

	return place->dso && name == place->dso->name ? pd_space_label(code->space, place->dso) :
							name;
}

/*
 * The module at a place, or another kernel, and where it was loaded. False: it is the kernel
 * itself, or another module is there by now.
 */
static bool find_module(struct path_code *code, const struct path_place *place,
			struct img_module *module)
{
	const struct pd_dso *dso = module_of(code, place);
	const struct pd_map *map = dso ? pd_space_find(code->space, PD_NO_ID, place->offset) :
					 NULL;

	if (!map || map->dso != dso)
		return false;
	*module = (struct img_module){ dso->name, dso->build_id, dso->build_id_size,
				       map->start - map->pgoff };
	return true;
}

static bool kernel_symbol(struct path_code *code, const struct path_place *place,
			  const char **name, uint64_t *offset)
{
	const struct img_kernel kernel = kernel_of(code);
	struct img_module module;

	if (!module_of(code, place))
		return img_kernel_symbol(code->img, &kernel, NULL, place->offset, name, offset);
	if (!find_module(code, place, &module))
		return false;
	*offset = place->offset - module.start;
	return img_kernel_symbol(code->img, &kernel, &module, place->offset, name, offset);
}

bool path_code_symbol(struct path_code *code, const struct path_place *place,
		      const char **name, uint64_t *offset)
{
	struct img_file *file;

	*name = path_code_binary(code, place);
	*offset = place->offset;
	if (place->perf_map)
		return img_symbol(place->perf_map, place->offset, name, offset);
	if (is_made(place)) {
		*name = place->dso->name;
		*offset = place->offset - MADE_START;
		return true;
	}
	if (path_is_kernel(place->offset))
		return kernel_symbol(code, place, name, offset);
	file = place->dso ? file_of(code, place->dso) : NULL;
	return file && img_symbol(file, place->offset, name, offset);
}

const char *path_code_stripped(struct path_code *code, const struct path_place *place)
{
	struct img_file *file = NULL;

	if (place->dso && !place->perf_map && !path_is_kernel(place->offset))
		file = file_of(code, place->dso);
	return file && img_file_is_stripped(file) ? img_file_path(file) : NULL;
}

uint64_t path_code_size(struct path_code *code, const struct path_place *place)
{
	struct img_file *file = place->perf_map;
	struct img_function function;

	if (!file && place->dso && !path_is_kernel(place->offset))
		file = file_of(code, place->dso);
	return file && img_function(file, place->offset, &function) ? function.to - function.from :
								      0;
}

/* The file with the lines of the kernel's code; *addr: where the file has it. */
static struct img_file *kernel_file(struct path_code *code, const struct path_place *place,
				    uint64_t *addr)
{
	const struct img_kernel kernel = kernel_of(code);
	struct img_module module;

	if (is_made(place))
		return NULL;
	if (!module_of(code, place))
		return img_kernel_file(code->img, &kernel, NULL, place->offset, addr);
	return find_module(code, place, &module) ?
		       img_kernel_file(code->img, &kernel, &module, place->offset, addr) :
		       NULL;
}

bool path_code_line(struct path_code *code, const struct path_place *place,
		    const char **path, unsigned int *line)
{
	struct img_file *file;
	uint64_t addr;

	if (path_is_kernel(place->offset)) {
		file = kernel_file(code, place, &addr);
		return file && img_line_at(file, addr, path, line);
	}
	file = place->dso ? file_of(code, place->dso) : NULL;
	return file && img_line(file, place->offset, path, line);
}

bool path_code_built(struct path_code *code, const struct path_place *place,
		     struct img_built *built)
{
	struct img_file *file;
	uint64_t addr;

	if (path_is_kernel(place->offset)) {
		file = kernel_file(code, place, &addr);
		return file && img_built_at(file, addr, built);
	}
	file = place->dso ? file_of(code, place->dso) : NULL;
	return file && img_built(file, place->offset, built);
}

size_t path_code_frames(struct path_code *code, const struct path_place *place,
			struct img_frame *v, size_t max)
{
	struct img_file *file;
	uint64_t addr;

	if (path_is_kernel(place->offset)) {
		file = kernel_file(code, place, &addr);
		return file ? img_frames_at(file, addr, v, max) : 0;
	}
	file = place->dso ? file_of(code, place->dso) : NULL;
	return file ? img_frames(file, place->offset, v, max) : 0;
}

const uint8_t *path_code_bytes(struct path_code *code,
			       const struct path_place *place, uint64_t *len)
{
	struct path_window window;
	struct img_file *file;

	if (is_made(place))
		return NULL;
	if (path_is_kernel(place->offset)) {
		if (kernel_window(code, place->offset, &window) != IMG_OK)
			return NULL;
		*len = window.start + window.size - place->offset;
		return window.code + (place->offset - window.start);
	}
	file = place->dso ? file_of(code, place->dso) : NULL;
	return file ? img_code(file, place->offset, len) : NULL;
}

enum img_state path_code_state(struct path_code *code, const struct path_place *place,
			       uint64_t *len)
{
	struct path_window window = { 0 };
	enum img_state state;
	struct img_file *file;

	*len = 0;
	if (path_is_kernel(place->offset)) {
		state = kernel_window(code, place->offset, &window);
		if (state == IMG_PATCHED)
			*len = window.start + window.size - place->offset;
		return state;
	}
	file = place->dso ? file_of(code, place->dso) : NULL;
	return file ? img_file_state(file) : IMG_UNMAPPED;
}

const char *path_code_kernel_error(const struct path_code *code)
{
	return img_kernel_error(code->img);
}

unsigned int path_code_flags(struct path_code *code, const struct path_place *place)
{
	struct img_file *file = NULL;

	if (place->dso && !path_is_kernel(place->offset))
		file = file_of(code, place->dso);
	return file && img_file_bits(file) == 32 ? RV_RV32 : 0;
}

/* --- what has no name --- */

/* A file that nobody needs is not opened for that. */
static void count_in_file(struct path_code *code, const struct pd_dso *dso)
{
	struct file *file;

	if (!array_cover(&code->files, dso->id, &code->cap_files, sizeof(*code->files)))
		return;
	file = &code->files[dso->id];
	file->samples++;
	if (file->file)
		img_file_add_samples(file->file, 1);
}

void path_code_refresh(struct path_code *code)
{
	bool changed = false;
	size_t i;

	for (i = 0; i < code->cap_files; i++)
		if (code->files[i].file)
			changed |= img_reread_jitdump(code->files[i].file);
	path_made_refresh(code->made, changed);
}

void path_code_show_names(struct path_code *code)
{
	code->shows_names = true;
}

void path_code_sample(struct path_code *code, uint32_t pid, uint64_t ip)
{
	const struct pd_map *map;
	uint64_t start, size, offset;
	struct img_file *file;
	enum img_state state;

	if (!code->shows_names)
		return;
	path_made_count(code->made);
	map = pd_space_find(code->space, pid, ip);
	if (map)
		count_in_file(code, map->dso);
	/* What the kernel's files have is mapped, if the recording tells where the kernel was. */
	if (!map && path_is_kernel(ip) && pd_space_kernel(code->space).dso)
		path_made_count_nameless(code->made, pid, PATH_MADE_IN_KERNEL);
	if (!map || map->kernel || !img_is_anonymous(map->dso->name, map->dso->build_id_size))
		return;
	state = jit_at(code, pid, ip, &file, &start, &size, &offset);
	/* A line about the jitdump itself tells if it cannot be used. */
	if ((state != IMG_ANON && state != IMG_CHANGED) ||
	    path_made_count_named(code->made, pid, ip))
		return;
	path_made_count_nameless(code->made, pid,
				 state == IMG_CHANGED ? PATH_MADE_CHANGED :
				 pd_space_jitdump(code->space, pid) ||
						 path_made_has_map(code->made, pid) ?
							PATH_MADE_NOT_LISTED :
				 strncmp(map->dso->name, "/memfd:", 7) ? PATH_MADE_NO_LIST :
									 PATH_MADE_MEMFD);
}

bool path_code_next_nameless(const struct path_code *code, unsigned int *at,
			     const char **kind, char *text, size_t size)
{
	while (*at < PATH_MADE_NR)
		if (path_made_text(code->made, (*at)++, kind, text, size))
			return true;
	return false;
}
