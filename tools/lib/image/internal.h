/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IMAGE_INTERNAL_H
#define IMAGE_INTERNAL_H

#include "base/hash.h"
#include "image/elf.h"
#include "image/image.h"
#include "image/several.h"
#include "image/symtab.h"

#include <sys/types.h>

/* A method in a jitdump. */
struct img_jit {
	uint64_t start, size; /* the addresses of its code */
	/* the highest end of this method and all methods before it */
	uint64_t furthest;
	uint64_t offset; /* the offset of its code in the dump */
	uint64_t time, index;
	const char *name;
	unsigned int order; /* its number in the dump */
};

enum { IMG_BUILD_ID_MAX = 20 };

struct img {
	const char *symfs;
	char *release; /* the release of the kernel; NULL: not known */
	struct img_place *places; /* in the order in which they are searched */
	size_t nr_places, cap_places;
	struct img_file *kcore; /* one of `files`; NULL: none */
	struct img_vmlinux *vmlinux; /* NULL: none */
	/* NULL: nobody has asked for a name of the kernel */
	struct img_ksyms *ksyms;
	struct img_file **files;
	size_t nr, cap;
	struct hash by_name; /* the files that img_file() returned */
};

struct img_file {
	struct img *img;
	enum img_state state;
	char *name; /* the name in the recording */
	char *path; /* the file that is mapped; NULL: none */
	char *error; /* NULL: no error */
	/* the message about a file without a build id; NULL: none */
	char *by_name;
	uint64_t samples; /* see img_file_add_samples() */
	char *unnamed; /* see img_file_unnamed(); NULL: not made */
	uint8_t build_id[IMG_BUILD_ID_MAX]; /* the build id in the recording */
	unsigned int build_id_size;
	const uint8_t *map;
	uint64_t size;
	uid_t owner; /* of the file that is mapped */
	unsigned int bits;
	Elf *elf;
	bool has_symbols; /* the symbols were read */
	struct img_symtab symbols; /* by offset */
	struct img_symtab lent; /* see img_lend_names() */
	struct img_several several; /* of a perf map */
	char *names; /* names that are not in the file in this form */
	/* the file that has its symbols; NULL: not searched */
	struct img_file *debug;
	struct img_source *source; /* its source lines; NULL: not searched */
	struct img_jit *jit; /* the methods of a jitdump, by address */
	size_t nr_jit, cap_jit;
	bool jit_any_time; /* the times in the jitdump are of another clock */
	/*
	 * For the kernel, all segments. For other files, the segments with code, which
	 * are read together with the symbols.
	 */
	struct img_segments segments;
};

/* Add an empty entry to the list of files. Returns NULL if out of memory. */
struct img_file *img_new_file(struct img *img, const char *name);

/* Map the file and check it. Errors are stored in the file. */
void img_open_file(struct img_file *file, const char *path);

/*
 * Mark the file as unusable. path is the file that was opened, which is not always the
 * recording's name.
 */
void img_refuse_file(struct img_file *file, enum img_state state,
		     const char *path, const char *why);

/* Say what to do about it, too. */
void img_add_remedy(struct img_file *file, const char *remedy);

/* Like img_kernel_code(). img->vmlinux must be set. */
enum img_state img_vmlinux_code(struct img_vmlinux *vmlinux,
				const struct img_kernel *kernel, uint64_t addr,
				uint64_t *start, uint64_t *size,
				const uint8_t **code);

/* Refuse the file if it is of another kernel. It then serves for names and lines alone. */
void img_check_vmlinux(struct img_vmlinux *vmlinux, const struct img_kernel *kernel);
void img_free_vmlinux(struct img_vmlinux *vmlinux);
const char *img_vmlinux_path(const struct img_vmlinux *vmlinux);
const char *img_vmlinux_error(const struct img_vmlinux *vmlinux);

void img_free_ksyms(struct img_ksyms *ksyms);

void img_free_source(struct img_source *source);

/* Store the address, as linked, of the code at an offset. Returns false if there is none. */
bool img_code_addr(struct img_file *file, uint64_t offset, uint64_t *addr);

/*
 * Replace a file that is missing by its debug file, which is searched by the build id of
 * the recording. Returns false if there is none.
 */
bool img_open_debug_file(struct img_file *file);

/* Free the whole file, which must not be in the list of files. */
void img_free_file(struct img_file *file);

void img_unmap_file(struct img_file *file);

/* Free what was opened and the errors, but not the name. */
void img_close_file(struct img_file *file);

/*
 * If a file is missing at the recording's name, or is of another build, replace it by the
 * file in one of the places, if there is one.
 */
void img_look_in_places(struct img_file *file);

/*
 * One build may have run under several names: copies, or one name in each mount namespace. If
 * one of them could be opened, those that could not be become copies of it.
 */
void img_share_copies(struct img_file *file);

/*
 * Returns the file number *at, in one of the places, that has this build id and may have
 * the symbols. Files without code come first, and then those that were not stripped. Adds 1
 * to *at. Returns NULL if there are no more.
 */
const char *img_debug_place(struct img *img, size_t *at, const uint8_t *id,
			    unsigned int size);

/* Returns a file in one of the places that has this build id, or NULL. */
const char *img_place_with_id(struct img *img, const uint8_t *id, unsigned int size);

/*
 * Open the file to which `dwz -m` moved what several debug files share: *alt, which is empty.
 * .gnu_debugaltlink has its name and its build id. Returns false if it is not found.
 */
bool img_open_alt_file(struct img *img, struct img_file *alt, const char *name,
		       const uint8_t *id, unsigned int size);

/*
 * The folders that names lie below. Folder 0 is symfs, the others are the places. Returns
 * NULL if there are no more.
 */
const char *img_folder(const struct img *img, size_t i);

void img_free_places(struct img *img);

/* Map DIR/NAME without checking it. Returns false if that fails. */
bool img_map_file(struct img_file *file, const char *dir, const char *name);

/* Read a mapped jitdump. Returns NULL, or what is wrong. file->state then tells it, too. */
const char *img_read_jitdump(struct img_file *file);
void img_read_jit_symbols(struct img_file *file);

#endif
