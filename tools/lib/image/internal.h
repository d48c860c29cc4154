/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IMAGE_INTERNAL_H
#define IMAGE_INTERNAL_H

#include "base/hash.h"
#include "image/elf.h"
#include "image/image.h"
#include "image/symtab.h"

/* A method in a jitdump. */
struct img_jit {
	uint64_t start, size; /* addresses */
	uint64_t furthest; /* the end of this and of all before it */
	uint64_t offset; /* of its code, in the dump */
	uint64_t time, index;
	const char *name;
	unsigned int order; /* in the dump */
};

enum { IMG_BUILD_ID_MAX = 20 };

struct img {
	const char *symfs;
	const char *release; /* of the kernel; NULL: not known */
	struct img_place *places; /* in the order in which they are looked at */
	size_t nr_places, cap_places;
	struct img_file *kcore; /* NULL: none; one of files */
	struct img_vmlinux *vmlinux; /* NULL: none */
	struct img_ksyms *ksyms; /* NULL: no name of the kernel was asked for */
	struct img_file **files;
	size_t nr, cap;
	struct hash by_name; /* of those that img_file() gave */
};

struct img_file {
	struct img *img;
	enum img_state state;
	char *name; /* as in the recording */
	char *error; /* NULL: none */
	char *by_name; /* what is to be told of one without a build id; NULL */
	uint8_t build_id[IMG_BUILD_ID_MAX]; /* as in the recording */
	unsigned int build_id_size;
	const uint8_t *map;
	uint64_t size;
	unsigned int bits;
	Elf *elf;
	bool has_symbols; /* read already */
	struct img_symtab symbols; /* by offset */
	char *names; /* that are not in the file as they are given */
	struct img_file *debug; /* that has its symbols; NULL: not looked for */
	struct img_source *source; /* its lines; NULL: not looked for */
	struct img_jit *jit; /* of a jitdump, by address */
	size_t nr_jit, cap_jit;
	bool jit_any_time; /* its times are of another clock */
	/* Of the kernel all; of others those with code, read with the symbols. */
	struct img_segments segments;
};

/* An empty entry in the list of files; NULL: out of memory. */
struct img_file *img_new_file(struct img *img, const char *name);

/* Map and check it. What is wrong with it is noted in the file. */
void img_open_file(struct img_file *file, const char *path);

/* It cannot be used. path is what was opened, not always the recording's name. */
void img_refuse_file(struct img_file *file, enum img_state state,
		     const char *path, const char *why);

/* As img_kernel_code(); img->vmlinux is set. */
enum img_state img_vmlinux_code(struct img_vmlinux *vmlinux,
				const struct img_kernel *kernel, uint64_t addr,
				uint64_t *start, uint64_t *size,
				const uint8_t **code);
void img_free_vmlinux(struct img_vmlinux *vmlinux);
const char *img_vmlinux_path(const struct img_vmlinux *vmlinux);

void img_free_ksyms(struct img_ksyms *ksyms);

void img_free_source(struct img_source *source);

/* The address, as linked, of code at an offset. False: there is none. */
bool img_code_addr(struct img_file *file, uint64_t offset, uint64_t *addr);

/* All of it, which must not be in the list of files. */
void img_free_file(struct img_file *file);

void img_unmap_file(struct img_file *file);

/* What was opened, and what is wrong with it, but not what it is called. */
void img_close_file(struct img_file *file);

/*
 * A file that is not where the recording names it, or of another build, becomes the
 * one that is in a place, if there is one.
 */
void img_look_in_places(struct img_file *file);

/*
 * In a place: the *at-th file with that build id that has no code, but may have the
 * symbols. NULL: there is no more.
 */
const char *img_debug_place(struct img *img, size_t *at, const uint8_t *id,
			    unsigned int size);

/* Folders that names are below: 0 is symfs, the others are places. NULL: no more. */
const char *img_folder(const struct img *img, size_t i);

void img_free_places(struct img *img);

/* Map DIR/NAME, and no more: false if that cannot be done. */
bool img_map_file(struct img_file *file, const char *dir, const char *name);

/* What a mapped jitdump holds. NULL, or what is wrong; file->state says it, too. */
const char *img_read_jitdump(struct img_file *file);
void img_read_jit_symbols(struct img_file *file);

#endif
