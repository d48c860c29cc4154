// SPDX-License-Identifier: GPL-2.0-only
#include "path/code.h"

#include <stdlib.h>

struct path_code {
	struct pd_space *space;
	struct img *img;
	struct img_file **files; /* by struct pd_dso.id */
	unsigned int nr_files;
};

struct path_code *path_code_new(struct pd_space *space, struct img *img)
{
	struct path_code *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->space = space;
	code->img = img;
	return code;
}

void path_code_free(struct path_code *code)
{
	if (!code)
		return;
	free(code->files);
	free(code);
}

/* NULL: out of memory. */
static struct img_file *file_of(struct path_code *code,
				const struct pd_dso *dso)
{
	if (dso->id >= code->nr_files) {
		unsigned int nr = pd_space_nr_dsos(code->space) * 2;
		struct img_file **files;

		files = realloc(code->files, nr * sizeof(*files));
		if (!files)
			return NULL;
		while (code->nr_files < nr)
			files[code->nr_files++] = NULL;
		code->files = files;
	}
	if (!code->files[dso->id])
		code->files[dso->id] =
			img_file(code->img, dso->name, dso->build_id,
				 dso->build_id_size);
	return code->files[dso->id];
}

static enum img_state window_at(void *arg, uint32_t pid, uint64_t addr,
				struct path_window *window)
{
	struct path_code *code = arg;
	const struct pd_map *map = pd_space_find(code->space, pid, addr);
	struct img_file *file;
	uint64_t size;

	if (map ? map->kernel : path_is_kernel(addr)) {
		window->rv32 = false;
		return img_kernel_code(code->img, addr, &window->start,
				       &window->size, &window->code);
	}
	if (!map)
		return IMG_UNMAPPED;
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
	return IMG_OK;
}

struct path_source path_code_source(struct path_code *code)
{
	return (struct path_source){ window_at, code };
}

struct path_place path_code_place(struct path_code *code, uint32_t pid,
				  uint64_t addr)
{
	const struct pd_map *map = pd_space_find(code->space, pid, addr);

	if (!map)
		return (struct path_place){ NULL, addr };
	return (struct path_place){ map->dso, addr - map->start + map->pgoff };
}

bool path_code_symbol(struct path_code *code, const struct path_place *place,
		      const char **name, uint64_t *offset)
{
	struct img_file *file;

	*offset = place->offset;
	if (!place->dso) {
		*name = path_is_kernel(place->offset) ? "[kernel]" :
							"[unknown]";
		return false;
	}
	*name = place->dso->name;
	file = file_of(code, place->dso);
	return file && img_symbol(file, place->offset, name, offset);
}

const uint8_t *path_code_bytes(struct path_code *code,
			       const struct path_place *place, uint64_t *len)
{
	struct img_file *file;

	file = place->dso ? file_of(code, place->dso) : NULL;
	return file ? img_code(file, place->offset, len) : NULL;
}
