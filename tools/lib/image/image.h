/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code that ran: the bytes and the symbols of mapped ELF files. The recording gives
 * the names of the files.
 *
 * The page offset of a mapping is an offset in the file. Therefore, callers ask for code
 * by its offset in the file: the byte at address A of a mapping is at pgoff + (A -
 * start). Only symbols need the section headers.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include "base/md5.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The reasons why there is no code. */
enum img_state {
	IMG_OK = 0,
	IMG_ANON, /* memory without a file: JIT, stack, heap */
	IMG_CHANGED, /* a jitdump has several codes for the address, and no time tells which */
	IMG_REPLACED, /* it took the place of other code, and it is not known which of them ran */
	IMG_WRITTEN, /* the program may have written over the code of a file */
	IMG_VDSO, /* the page that the kernel maps into each process */
	IMG_KERNEL, /* the kernel and its modules */
	IMG_MISSING, /* the file cannot be opened or read */
	IMG_NOT_ELF, /* not an ELF file, or a damaged one */
	IMG_CUT, /* an ELF file that ends before what its headers say it has */
	IMG_NOT_RISCV,
	IMG_BUILD_ID, /* the file is of another build than the one that ran */
	/* code that the kernel changes, so that its file does not tell it */
	IMG_PATCHED,
	IMG_MODULE, /* code of the kernel that is not in vmlinux */
	IMG_MADE, /* code that the kernel makes, such as BPF programs */
	IMG_UNMAPPED, /* it is not known what is at the address */
	IMG_NR_STATES,
};

struct img;
struct img_file;

/*
 * Make the object. symfs is a folder that is put before every name. It may be NULL, and
 * must exist as long as the object. Returns NULL if out of memory. img_free() accepts
 * NULL.
 */
struct img *img_new(const char *symfs);
void img_free(struct img *img);

/*
 * Add a place to look in if a file is missing or of another build. The place can be a
 * file, a folder with the file, a root folder, or a cache by build id, such as ~/.debug
 * of perf or its folder .build-id. Call this function before img_file(). The places are
 * searched in the order of the calls. They are searched for the build id first, and for
 * the name if the file has no build id. The path is copied. Returns false if out of
 * memory.
 */
bool img_add_place(struct img *img, const char *path);

/*
 * Set the release of the kernel. The modules of this release may include the page that
 * the kernel maps into each process (the vdso). NULL or "" means that the release is not
 * known. release is copied. Returns false if out of memory.
 */
bool img_set_release(struct img *img, const char *release);

/*
 * Set a copy of the machine's /proc/kcore for img_kernel_code(). `perf record --kcore`
 * makes such a copy. Errors in this file are reported like errors in other files. Returns
 * false if out of memory.
 */
bool img_set_kcore(struct img *img, const char *path);

/*
 * Set the file of the kernel, which has names and lines. img_kernel_code() uses it if there is no
 * kcore. Returns false if out of memory.
 */
bool img_set_vmlinux(struct img *img, const char *path);

/* Returns whether the file that img_set_vmlinux() has set is of this build. */
bool img_vmlinux_is_of(const struct img *img, const uint8_t *build_id,
		       unsigned int build_id_size);

/*
 * Set a list of the kernel's symbols for img_kernel_symbol(). It has the form of
 * /proc/kallsyms and System.map. Returns false if out of memory.
 */
bool img_set_kallsyms(struct img *img, const char *path);

/* The kernel that was recorded: one of its symbols, and its build id. */
struct img_kernel {
	const char *symbol; /* NULL: not known */
	uint64_t addr; /* the address of the symbol */
	const uint8_t *build_id;
	unsigned int build_id_size; /* bytes; 0: not known */
};

/*
 * Find the kernel's code around an address: *size bytes at *start. Returns IMG_OK if the
 * code is known. Returns IMG_KERNEL if there is neither a kcore nor a vmlinux,
 * IMG_UNMAPPED if kcore has nothing at the address, and IMG_PATCHED or IMG_MODULE if
 * vmlinux does not tell the code. For IMG_PATCHED, *size bytes at *start are what the kernel
 * changes. Otherwise returns the reason why the file cannot be used. `kernel` is used only
 * when vmlinux is read for the first time. *code is valid as long as img.
 */
enum img_state img_kernel_code(struct img *img, const struct img_kernel *kernel,
			       uint64_t addr, uint64_t *start, uint64_t *size,
			       const uint8_t **code);

/*
 * Returns one line that names the file of the kernel that was given and says why it cannot be used.
 * Returns "" if all can be used, or if there is none.
 */
const char *img_kernel_error(const struct img *img);

/* A module of the kernel, as the recording tells it. */
struct img_module {
	const char *name; /* [NAME], or the path of its file */
	const uint8_t *build_id;
	unsigned int build_id_size; /* bytes; 0: not known */
	uint64_t start; /* the address at which it was loaded */
};

/*
 * Find the function of the kernel at an address. Store its name in *name and the distance
 * from its start in bytes in *from_start. module is what is mapped there, or NULL for the
 * kernel itself. If img_set_kallsyms() was not called, the names come from one of these:
 * vmlinux, the kernel that runs on this machine if it is the same build, a list or a file in
 * one of the places, or a package of debug information. The first call for each build
 * searches for them. A list does not tell its build, so it is used for the first build that
 * is asked for. What such a list does not name in a module, the file of img_kernel_file()
 * does. Returns false if no function is known. *name is valid as long as img.
 */
bool img_kernel_symbol(struct img *img, const struct img_kernel *kernel,
		       const struct img_module *module, uint64_t addr, const char **name,
		       uint64_t *from_start);

/* Returns true if img_kernel_symbol() was called for this build and found no names of it. */
bool img_kernel_is_nameless(const struct img *img, const struct img_kernel *kernel);

/*
 * Returns one line that says why the kernel's functions have no names and what to do. If
 * img_kernel_symbol() was called for several builds, the line says how many have no names.
 * If they have names, it says the same of the modules in which no function has one. Returns
 * "" if all have names, or if it was not called. The line is valid until the next call.
 */
const char *img_kernel_names_error(const struct img *img);

/*
 * Find the file with the source lines of the kernel or of a module at an address. module
 * is NULL for the kernel itself. The file must have the build id of the recording. It is
 * the given vmlinux, or a file in one of the places, in a package of debug information or
 * in a cache by build id. Store the address as the file is linked in *linked, for
 * img_line_at(). Returns NULL if there is none. The file belongs to img.
 */
struct img_file *img_kernel_file(struct img *img, const struct img_kernel *kernel,
				 const struct img_module *module, uint64_t addr,
				 uint64_t *linked);

/*
 * Returns the file with this name. The first call opens the file, and img keeps it open.
 * If the recording has a build id, its build_id_size bytes must be equal to the build id
 * of the file. A file without a build id is accepted. If it cannot be used, and another
 * file with this build id was or will be opened, it has the content of that one. The name
 * is copied. The object belongs to img. Returns NULL if out of memory. A file that cannot
 * be used is returned, too, and img_file_state() tells the reason.
 */
struct img_file *img_file(struct img *img, const char *name,
			  const uint8_t *build_id, unsigned int build_id_size);

/*
 * Returns a file of this machine, whatever its name is. symfs is not put before the path.
 * Otherwise like img_file().
 */
struct img_file *img_open(struct img *img, const char *path);

/*
 * Returns whether a mapping with this name is memory without a file: the heap, a stack, or
 * code that a program has made. What has a build id in a memfd is a file.
 */
bool img_is_anonymous(const char *name, unsigned int build_id_size);

enum img_state img_file_state(const struct img_file *file);

/* Returns the path of the file that is used on this machine, or NULL if there is none. */
const char *img_file_path(const struct img_file *file);

/*
 * Returns one line that names the file and says why it cannot be used, or "" if it can be
 * used.
 */
const char *img_file_error(const struct img_file *file);

/*
 * Returns one line if the file was accepted because of its name, without a build id to
 * compare. Otherwise returns "".
 */
const char *img_file_by_name(const struct img_file *file);

/*
 * Add to the number of samples that were taken in the file, which tells how much it matters.
 * It is 0 if nobody has counted.
 */
void img_file_add_samples(struct img_file *file, uint64_t nr);
uint64_t img_file_samples(const struct img_file *file);

/*
 * Returns one line that says why inlined functions of the file, or its source lines, have no
 * names. Returns "" if nothing is missing in what img_frames() was asked for.
 */
const char *img_file_unnamed(struct img_file *file);

/*
 * Returns the size of the file's addresses in bits, 32 or 64. Only for files with the
 * state IMG_OK.
 */
unsigned int img_file_bits(const struct img_file *file);

/* Returns a state in words: "the vdso", "a file that cannot be read", ... */
const char *img_state_text(enum img_state state);

/*
 * Returns what it means that branches of a recording start where the file has none, and what to
 * do: another file ran, or, if it is known that this one did (rewritten, as of struct pd_dso),
 * the program has changed its code.
 */
const char *img_misfit_text(bool rewritten);

/* What recordings have that tell build ids. */
#define IMG_ITS_BUILD_ID "the build id of a file that has one (link it with -Wl,--build-id)"

/* The right file has no such branches. Of another one, some addresses have a branch by chance. */
#define IMG_LEAST_MISFITS 0.01

/*
 * Returns the bytes of the file from offset on. *len is the number of bytes up to the end
 * of the file. Returns NULL if the file cannot be used or ends before offset. The bytes
 * are valid as long as img.
 */
const uint8_t *img_code(const struct img_file *file, uint64_t offset,
			uint64_t *len);

/*
 * Find the function at an offset in the file. Store its name in *name and the distance
 * from its start in bytes in *from_start. Entries of the procedure linkage table are
 * called NAME@plt. Returns false if no function is known. *name is valid as long as img.
 */
bool img_symbol(struct img_file *file, uint64_t offset, const char **name,
		uint64_t *from_start);

/*
 * Find the source line at an offset in the file, by the debug information. Store the file
 * in *path and the number of the line in *line. For inlined code, this is the line of the
 * innermost function. Returns false if no line is known. *path is valid as long as img.
 */
bool img_line(struct img_file *file, uint64_t offset, const char **path,
	      unsigned int *line);

/* What the debug information tells of the source file of a line. */
struct img_built {
	const char *path; /* of the file on this machine that has the debug information */
	bool has_md5; /* of the source file, in DWARF 5 */
	uint8_t md5[MD5_SIZE];
};

/* Find this at an offset in the file, like img_line(). */
bool img_built(struct img_file *file, uint64_t offset, struct img_built *built);

/*
 * A function that runs at an address: the function that contains the address, or a
 * function that was inlined there.
 */
struct img_frame {
	/* the name in the source, without parameters; NULL: not known */
	const char *name;
	/* The name that the linker uses. NULL: it is the same as name, or not known. */
	const char *symbol;
	const char *path; /* the file of the line */
	/*
	 * The line of the address. For a function that contains an inlined one: the line
	 * of the call.
	 */
	unsigned int line;
	unsigned int start; /* the line where the function is declared; 0: not known */
};

/*
 * Store the functions at an offset in the file in v, at most max. The innermost function
 * comes first: first the inlined functions, and at last the function that contains the
 * code. Returns the number of functions, or 0 if no line is known. The names are valid as
 * long as img.
 */
size_t img_frames(struct img_file *file, uint64_t offset, struct img_frame *v, size_t max);

/* Like img_line(), img_built() and img_frames(), at an address as the file is linked. */
bool img_line_at(struct img_file *file, uint64_t addr, const char **path,
		 unsigned int *line);
bool img_built_at(struct img_file *file, uint64_t addr, struct img_built *built);
size_t img_frames_at(struct img_file *file, uint64_t addr, struct img_frame *v,
		     size_t max);

/* A function, and a range of addresses, as the file is linked, that belongs to it alone. */
struct img_function {
	const char *name; /* valid as long as img */
	uint64_t start; /* of the function */
	uint64_t from, to; /* another function may lie before or behind, in the same one */
};

/*
 * Find the function at an address, as the file is linked. Returns false if no function is
 * known.
 */
bool img_function_at(struct img_file *file, uint64_t addr,
		     struct img_function *function);

/* Like img_function_at(), at an offset in the file. Its start is an offset, too. */
bool img_function(struct img_file *file, uint64_t offset,
		  struct img_function *function);

/*
 * Returns the build id in the file's notes, which has *size bytes. Returns NULL if there
 * is no build id or the file cannot be used.
 */
const uint8_t *img_file_build_id(const struct img_file *file,
				 unsigned int *size);

/*
 * Returns the object of libelf, for data that img does not read. Returns NULL if the file
 * cannot be used.
 */
struct Elf *img_elf(const struct img_file *file);

/*
 * Like img_elf(), for the file that has the symbols and the debug information of a
 * stripped file. Add *moved to its addresses. Returns NULL if there is no such file.
 */
struct Elf *img_debug_elf(struct img_file *file, uint64_t *moved);

/*
 * Returns the debug information of the file, or of its debug file. It belongs to img. Add
 * *moved to its addresses. Of a module, the addresses are those of image/module.h. Returns
 * NULL if there is none. *damaged then tells whether there is some that is damaged.
 */
struct Dwarf *img_dwarf(struct img_file *file, uint64_t *moved, bool *damaged);

/*
 * Returns whether the file is stripped, and its debug file was not found. Stores the name of the
 * debug file, or NULL if only the build id tells which it is. Only after img_dwarf().
 */
bool img_lacks_debug_file(const struct img_file *file, const char **name);

/*
 * Returns the name of the file with parts of this debug information that `dwz -m` made, if it
 * was not found. Otherwise returns NULL. Only after img_dwarf().
 */
const char *img_missing_alt(const struct img_file *file);

/*
 * Returns the number (ch_type) of the form in which some or all of this debug information is
 * compressed, if it cannot be read because of that. Otherwise returns 0. Only after img_dwarf().
 */
unsigned int img_unknown_form(const struct img_file *file);

struct img_symbols;

/*
 * Open the .symtab of this file, or of its debug file, to read it symbol by symbol.
 * Returns false if there is none.
 */
bool img_file_symbols(struct img_file *file, struct img_symbols *symbols);

/* The same, or the .dynsym if there is none: of a file that was stripped. */
bool img_file_some_symbols(struct img_file *file, struct img_symbols *symbols);

/*
 * Returns whether the file can be used, but has no symbols here or in a debug file, or only
 * those that other files need. This is never so of the kernel's files.
 */
bool img_file_is_stripped(struct img_file *file);

/* Returns whether a file has its symbols packed in .gnu_debugdata, where nobody looks here. */
bool img_has_packed_symbols(const char *path);

/*
 * Store the address of a symbol of any kind, from .symtab of this file or of its debug
 * file. Returns false if there is no symbol with this name.
 */
bool img_file_named(struct img_file *file, const char *name, uint64_t *addr);

/*
 * Find the functions that a user means by a name: that with this symbol, or else those that
 * img_is_named() accepts. Returns how many there are at different addresses, up to the room in
 * symbols, which get a symbol of each. They are valid as long as the file.
 */
enum { IMG_MAX_NAMED = 8 };
struct img_demangler;
size_t img_find_named(struct img_file *file, struct img_demangler *demangler, const char *name,
		      const char *symbols[IMG_MAX_NAMED]);

/* All files that were asked for so far, in the order of their first use. */
unsigned int img_nr_files(const struct img *img);
struct img_file *img_file_at(const struct img *img, unsigned int index);

#endif
