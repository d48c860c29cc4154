/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IMAGE_INTERNAL_H
#define IMAGE_INTERNAL_H

#include "image/image.h"

#include <libelf.h>

struct img_symbol {
	uint64_t start, end; /* file offsets */
	const char *name;
	unsigned int rank; /* the lower, the better the name */
};

/* A method in a jitdump. */
struct img_jit {
	uint64_t start, size; /* addresses */
	uint64_t furthest; /* the end of this and of all before it */
	uint64_t offset; /* of its code, in the dump */
	uint64_t time, index;
	const char *name;
	unsigned int order; /* in the dump */
};

struct img_segment {
	uint64_t addr, size, offset;
};

struct img {
	const char *symfs;
	const char *release; /* of the kernel; NULL: not known */
	const char *build_id_dir; /* NULL: none */
	struct img_file *kcore; /* NULL: none; one of files */
	struct img_vmlinux *vmlinux; /* NULL: none */
	struct img_file **files;
	unsigned int nr, cap;
	struct img_file **slots; /* the same by name: open addressing */
	unsigned int slots_mask;
};

struct img_file {
	struct img *img;
	enum img_state state;
	char *name; /* as in the recording */
	char *error; /* NULL: none */
	uint8_t build_id[20]; /* as in the recording */
	unsigned int build_id_size;
	uint32_t hash;
	const uint8_t *map;
	uint64_t size;
	unsigned int bits;
	Elf *elf;
	bool has_symbols; /* read already */
	struct img_symbol *symbols; /* sorted, without overlaps */
	size_t nr_symbols, cap_symbols;
	char *plt_names;
	struct img_file *debug; /* that has its symbols; NULL: not looked for */
	struct img_jit *jit; /* of a jitdump, by address */
	unsigned int nr_jit, cap_jit;
	bool jit_any_time; /* its times are of another clock */
	struct img_segment *segments; /* of the kernel; NULL: not read yet */
	unsigned int nr_segments;
};

/* An empty entry in the list of files; NULL: out of memory. */
struct img_file *img_new_file(struct img *img, const char *name);

/* Map and check it. What is wrong with it is noted in the file. */
void img_open_file(struct img_file *file, const char *path);

/* It cannot be used. path is what was opened, not always the recording's name. */
void img_refuse_file(struct img_file *file, enum img_state state,
		     const char *path, const char *why);

/* Fill file->segments; false: out of memory or a damaged file. */
bool img_read_segments(struct img_file *file);

/* The segment of an address; NULL: none. */
const struct img_segment *img_find_segment(const struct img_file *file,
					   uint64_t addr);

/* As img_kernel_code(); img->vmlinux is set. */
enum img_state img_vmlinux_code(struct img_vmlinux *vmlinux,
				const struct img_kernel *kernel, uint64_t addr,
				uint64_t *start, uint64_t *size,
				const uint8_t **code);
void img_free_vmlinux(struct img_vmlinux *vmlinux);

/* The build id in the file's notes, *size bytes; NULL: none. */
const uint8_t *img_find_build_id(Elf *elf, unsigned int *size);

void img_unmap_file(struct img_file *file);

/* Map DIR/NAME, and no more: false if that cannot be done. */
bool img_map_file(struct img_file *file, const char *dir, const char *name);

/* What a mapped jitdump holds. NULL, or what is wrong; file->state says it, too. */
const char *img_read_jitdump(struct img_file *file);
void img_read_jit_symbols(struct img_file *file);

/* Fill file->symbols. Out of memory or a damaged table: as many as there are. */
void img_read_symbols(struct img_file *file);

#endif
