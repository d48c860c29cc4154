/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code that ran: the bytes and the symbols of mapped ELF files, found by the
 * name that the recording gives them.
 *
 * A mapping's page offset is an offset in the file, so code is asked for by file
 * offset: the byte at address A of a mapping is at pgoff + (A - start). The
 * section headers are not needed, except for symbols.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why there is no code. */
enum img_state {
	IMG_OK = 0,
	IMG_ANON, /* memory without a file: JIT, stack, heap */
	IMG_VDSO, /* the kernel's page in each process */
	IMG_KERNEL, /* the kernel and its modules */
	IMG_MISSING, /* the file cannot be opened or read */
	IMG_NOT_ELF, /* or a damaged one */
	IMG_NOT_RISCV,
	IMG_BUILD_ID, /* another build of the file than the one that ran */
	IMG_PATCHED, /* code that the kernel changes: its file does not tell */
	IMG_MODULE, /* the kernel's, but not in vmlinux */
	IMG_UNMAPPED, /* nothing is known to be at the address */
	IMG_NR_STATES,
};

struct img;
struct img_file;

/*
 * symfs (may be NULL) is put before every name, and has to outlive the object.
 * Returns NULL if out of memory.
 */
struct img *img_new(const char *symfs);
void img_free(struct img *img);

/*
 * Where else to look for a file that is not there or of another build: a file, a folder
 * that has it, a root folder, or a cache by build id, as perf's ~/.debug is. Places are
 * looked at in the order of the calls, before img_file(): first for the build id, then,
 * for what has none, for the name. The path is copied. False: out of memory.
 */
bool img_add_place(struct img *img, const char *path);

/*
 * The kernel's release, among whose modules the page that it maps into each process may
 * be; NULL or "": not known. It has to outlive img.
 */
void img_set_release(struct img *img, const char *release);

/*
 * A copy of the machine's /proc/kcore, as `perf record --kcore` makes it, for
 * img_kernel_code(). What is wrong with it is told as of other files. False: out
 * of memory.
 */
bool img_set_kcore(struct img *img, const char *path);

/*
 * The kernel's file, for img_kernel_code() where there is no kcore. False: out of
 * memory.
 */
bool img_set_vmlinux(struct img *img, const char *path);

/*
 * A list of the kernel's symbols as /proc/kallsyms and System.map are, for
 * img_kernel_symbol(). False: out of memory.
 */
bool img_set_kallsyms(struct img *img, const char *path);

/* The kernel that was recorded: one of its symbols, and its build id. */
struct img_kernel {
	const char *symbol; /* NULL: not known */
	uint64_t addr; /* of the symbol */
	const uint8_t *build_id;
	unsigned int build_id_size; /* 0: not known */
};

/*
 * The kernel's code around an address: *size bytes at *start. Returns IMG_OK,
 * IMG_KERNEL without a kcore and a vmlinux, IMG_UNMAPPED where kcore has nothing,
 * IMG_PATCHED or IMG_MODULE where vmlinux does not tell, or why it cannot be used.
 * kernel is looked at where vmlinux is used for the first time. Valid as long as
 * img.
 */
enum img_state img_kernel_code(struct img *img, const struct img_kernel *kernel,
			       uint64_t addr, uint64_t *start, uint64_t *size,
			       const uint8_t **code);

/*
 * The function of the kernel at an address, and the bytes from its start. module is what
 * the recording calls the module that is mapped there; NULL: it is the kernel itself.
 * Where no list was set the names are those of vmlinux, of the kernel that runs here if
 * it is the same build, or of a list or a file in one of the places or in a package of
 * debug information, which is looked for at the first call. False if none is known.
 * *name is valid as long as img.
 */
bool img_kernel_symbol(struct img *img, const struct img_kernel *kernel,
		       const char *module, uint64_t addr, const char **name,
		       uint64_t *from_start);

/* One line that says why it knows no name and what to do; "" if it does, or was not asked. */
const char *img_kernel_names_error(const struct img *img);

/*
 * The file of that name, opened at the first call and kept. build_id_size bytes
 * of build_id, where the recording has it, have to agree with the file's own; a
 * file without one is taken as it is. The name is copied. The object belongs to
 * img. Returns NULL if out of memory; a file that cannot be used is returned,
 * with img_file_state() telling why.
 */
struct img_file *img_file(struct img *img, const char *name,
			  const uint8_t *build_id, unsigned int build_id_size);

/* A file of this machine, whatever its name is. Else as img_file(). */
struct img_file *img_open(struct img *img, const char *path);

enum img_state img_file_state(const struct img_file *file);

/* One line that names the file and says why it cannot be used; "" if it can. */
const char *img_file_error(const struct img_file *file);

/* One line where the file was taken for its name, as no build id tells; else "". */
const char *img_file_by_name(const struct img_file *file);

/* 32 or 64: the file's address size. Only for files in state IMG_OK. */
unsigned int img_file_bits(const struct img_file *file);

/* "the vdso", "a file that cannot be read", ...: what lies there. */
const char *img_state_text(enum img_state state);

/*
 * The file's bytes from offset on, *len of them up to its end. NULL if the file
 * cannot be used or does not reach so far. Valid as long as img.
 */
const uint8_t *img_code(const struct img_file *file, uint64_t offset,
			uint64_t *len);

/*
 * The function at a file offset: *name (valid as long as img) and the bytes from
 * its start to the offset. False if none is known. Entries of the procedure
 * linkage table are NAME@plt.
 */
bool img_symbol(struct img_file *file, uint64_t offset, const char **name,
		uint64_t *from_start);

/*
 * The line of source at a file offset, by the debug information: *path (valid as long
 * as img) and the line's number. Of inlined code, the line of the innermost function.
 * False if none is known.
 */
bool img_line(struct img_file *file, uint64_t offset, const char **path,
	      unsigned int *line);

/* A function that is running at an address: the one that has it, or one that was inlined. */
struct img_frame {
	const char *name; /* in the source, without parameters; NULL: not known */
	const char *symbol; /* by which it would be linked; NULL: as the name, or not known */
	const char *path; /* of the file of the line */
	unsigned int line; /* at the address; of the callers of inlined ones that of the call */
};

/*
 * The functions at a file offset, the innermost first: those that were inlined, and at last the
 * one that has the code; max at most. Valid as long as img. Returns how many; 0: no line is
 * known.
 */
size_t img_frames(struct img_file *file, uint64_t offset, struct img_frame *v, size_t max);

/* Addresses, as the file is linked, that are of one function and of no other. */
struct img_function {
	const char *name; /* valid as long as img */
	uint64_t start, size;
};

/* The same at an address. */
bool img_function_at(struct img_file *file, uint64_t addr,
		     struct img_function *function);

/* The build id in the file's notes, *size bytes; NULL: none, or no such file. */
const uint8_t *img_file_build_id(const struct img_file *file,
				 unsigned int *size);

/* libelf's own object, for what is not read here. NULL if it cannot be used. */
struct Elf *img_elf(const struct img_file *file);

/*
 * The same of the file in which a stripped file's symbols and debug information
 * are: NULL if there is none. *moved is to be added to its addresses.
 */
struct Elf *img_debug_elf(struct img_file *file, uint64_t *moved);

struct img_symbols;

/* Its .symtab, here or in a debug file, to be walked through. False: none. */
bool img_file_symbols(struct img_file *file, struct img_symbols *symbols);

/* All files asked for so far, in the order of their first use. */
unsigned int img_nr_files(const struct img *img);
const struct img_file *img_file_at(const struct img *img, unsigned int index);

#endif
