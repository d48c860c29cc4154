/* SPDX-License-Identifier: GPL-2.0-only */
/* Code and symbols at an address of a process: address space and images joined. */
#ifndef PATH_CODE_H
#define PATH_CODE_H

#include "image/image.h"
#include "image/jit.h"
#include "path/path.h"
#include "perfdata/space.h"

struct path_code;

/* Both have to outlive it. NULL: out of memory. */
struct path_code *path_code_new(struct pd_space *space, struct img *img);
void path_code_free(struct path_code *code);

/*
 * When the addresses asked for from now on were in use: for code that a program
 * makes itself. ns of CLOCK_MONOTONIC; IMG_JIT_ANY_TIME: not known.
 */
void path_code_set_time(struct path_code *code, uint64_t time);

/* To be given to path_new(). */
struct path_source path_code_source(struct path_code *code);

/* An address made independent of where a process has the file mapped. */
struct path_place {
	const struct pd_dso *dso; /* NULL: nothing mapped; as long as space */
	uint64_t offset; /* in the file; without one, and in the kernel, the address */
	struct img_file *perf_map; /* that names the address; NULL: none */
};

struct path_place path_code_place(struct path_code *code, uint32_t pid,
				  uint64_t addr);

/*
 * The same; and the *size bytes at *start around the address are, for now, all as
 * far apart in the file as in the process. 0: that is not known.
 */
struct path_place path_code_stretch(struct path_code *code, uint32_t pid,
				    uint64_t addr, uint64_t *start,
				    uint64_t *size);

/*
 * What a place is in: the file's or the module's name, "[kernel]", "//anon" for code
 * of a perf map, or "[unknown]". As long as space.
 */
const char *path_code_binary(const struct path_code *code,
			     const struct path_place *place);

/*
 * The function at a place, and the bytes from its start; where none is known the
 * binary, and place->offset. *name is valid as long as space and images are. Returns
 * whether it is a function.
 */
bool path_code_symbol(struct path_code *code, const struct path_place *place,
		      const char **name, uint64_t *offset);

/*
 * The line of source at a place, by debug information; *path as the name above. False:
 * it is not known, as in the kernel and in code that a program makes.
 */
bool path_code_line(struct path_code *code, const struct path_place *place,
		    const char **path, unsigned int *line);

/* The functions at a place with those that were inlined, as img_frames(). */
size_t path_code_frames(struct path_code *code, const struct path_place *place,
			struct img_frame *v, size_t max);

/* The code at a place, *len bytes; NULL if it is not known. */
const uint8_t *path_code_bytes(struct path_code *code,
			       const struct path_place *place, uint64_t *len);

#endif
