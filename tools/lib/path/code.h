/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the code, the symbols and the source lines at an address of a process. This joins
 * the address spaces of a recording (pd_space) with the files of the programs (img).
 */
#ifndef PATH_CODE_H
#define PATH_CODE_H

#include "image/image.h"
#include "image/jit.h"
#include "path/path.h"
#include "perfdata/space.h"

struct path_code;

/*
 * Make the object. space and img must exist as long as it. Returns NULL if out of memory.
 * path_code_free() frees the object; it accepts NULL.
 */
struct path_code *path_code_new(struct pd_space *space, struct img *img);
void path_code_free(struct path_code *code);

/*
 * Set the time of the addresses that the next calls ask for. Code that a program makes
 * itself depends on the time. time is in ns of CLOCK_MONOTONIC, or IMG_JIT_ANY_TIME if it
 * is not known. IMG_JIT_ANY_TIME is the default.
 */
void path_code_set_time(struct path_code *code, uint64_t time);

/* Returns the code source that path_new() needs. It is valid as long as code. */
struct path_source path_code_source(struct path_code *code);

/* An address that does not depend on where a process has mapped the file. */
struct path_place {
	/* NULL: nothing is mapped there; valid as long as space */
	const struct pd_dso *dso;
	/*
	 * The offset in the file in bytes. In the kernel and in memory without a file:
	 * the address. In code that the kernel makes, which may be at several addresses: the
	 * distance from its start, with the highest bit set.
	 */
	uint64_t offset;
	/* The perf map that names the address. NULL: there is none. */
	struct img_file *perf_map;
};

struct path_place path_code_place(struct path_code *code, uint32_t pid,
				  uint64_t addr);

/*
 * Like path_code_place(). In addition, store a range of *size bytes at *start around the
 * address. At present, all addresses in this range are as far apart in the file as in the
 * process. A size of 0 means that the range is not known.
 */
struct path_place path_code_stretch(struct path_code *code, uint32_t pid,
				    uint64_t addr, uint64_t *start,
				    uint64_t *size);

/*
 * Returns what contains a place: the name of the file or of the module, "[kernel]",
 * "[bpf]", "//anon" for code that a perf map names, or "[unknown]". The name is valid as long as
 * space.
 */
const char *path_code_binary(const struct path_code *code,
			     const struct path_place *place);

/*
 * Returns the same for people, who have to tell files of one name apart: see
 * pd_space_label().
 */
const char *path_code_label(const struct path_code *code, const struct path_place *place);

/*
 * Store the function at a place in *name, and the distance in bytes from its start in
 * *offset. If no function is known, store the binary and place->offset, or in a module of the
 * kernel the distance from where it was loaded. *name is valid as long as space and img.
 * Returns whether *name is a function.
 */
bool path_code_symbol(struct path_code *code, const struct path_place *place,
		      const char **name, uint64_t *offset);

/*
 * Returns the path of the file at a place if functions have no names because the file has
 * no symbols (img_file_is_stripped()), or else NULL. It is valid as long as img.
 */
const char *path_code_stripped(struct path_code *code, const struct path_place *place);

/*
 * Returns the number of bytes of the function at a place, or 0 if it is not known. Functions
 * that lie in it end it. It is never known in the kernel.
 */
uint64_t path_code_size(struct path_code *code, const struct path_place *place);

/*
 * Store the source line at a place, from the debug information: the file in *path and the
 * number of the line in *line. *path is valid as long as img. Returns false if the line
 * is not known. It is never known in code that a program makes itself.
 */
bool path_code_line(struct path_code *code, const struct path_place *place,
		    const char **path, unsigned int *line);

/* Find what the debug information tells of the source file of this line (image.h). */
bool path_code_built(struct path_code *code, const struct path_place *place,
		     struct img_built *built);

/* Store the functions at a place in v, the inlined ones included. See img_frames(). */
size_t path_code_frames(struct path_code *code, const struct path_place *place,
			struct img_frame *v, size_t max);

/*
 * Returns the code at a place and stores its length in bytes in *len. Returns NULL if the
 * code is not known.
 */
const uint8_t *path_code_bytes(struct path_code *code,
			       const struct path_place *place, uint64_t *len);

/*
 * Returns IMG_OK if path_code_bytes() knows the code at a place, or else why it does not. For
 * IMG_PATCHED, store in *len how many bytes from the place on the kernel changes.
 */
enum img_state path_code_state(struct path_code *code, const struct path_place *place,
			       uint64_t *len);

/* Like img_kernel_error(). */
const char *path_code_kernel_error(const struct path_code *code);

/*
 * Returns the flags for rv_decode() of the code at a place: RV_RV32 in a file whose addresses
 * have 32 bits, such as a program of 32 bits on a kernel of 64 bits. Otherwise 0.
 */
unsigned int path_code_flags(struct path_code *code, const struct path_place *place);

/*
 * Read again what has changed of the perf maps and jitdumps of programs that make code while they
 * run. Names and code that were told before are not valid any more, so that nobody may have a
 * struct path with this code.
 */
void path_code_refresh(struct path_code *code);

/*
 * Say that names of places will be shown. From then on, path_code_sample() counts a
 * sample that was taken at ip, at the time that is set, also for img_file_samples(). Without
 * names, it does nothing.
 */
void path_code_show_names(struct path_code *code);
void path_code_sample(struct path_code *code, uint32_t pid, uint64_t ip);

/*
 * Write a line on the counted samples that are in memory without a file, or where the recording
 * does not tell of code of the kernel, and have no name, or perhaps a wrong one: their share, why,
 * and what to do. *kind becomes "not named" or "names may be wrong". There is one line for each
 * reason. *at is 0 for the first call. Returns false if there are no more.
 */
bool path_code_next_nameless(const struct path_code *code, unsigned int *at,
			     const char **kind, char *text, size_t size);

#endif
