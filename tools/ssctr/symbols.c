// SPDX-License-Identifier: GPL-2.0-only
#include "symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/elf.h"
#include "image/image.h"

struct symbols {
	struct img *img;
	struct img_file *file;
	uint64_t bias;
	struct img_function last; /* mostly the next address is in it, too */
};

static bool parse(struct symbols *s, char *arg, char *error, unsigned int room)
{
	char *at = strrchr(arg, '@'), *end;

	if (!at || strncmp(at + 1, "0x", 2))
		return true;
	errno = 0;
	s->bias = strtoull(at + 1, &end, 16);
	if (*end || errno) {
		snprintf(error, room, "'%s' is not an address", at + 1);
		return false;
	}
	*at = 0;
	return true;
}

static bool load(struct symbols *s, const char *name, char *error,
		 unsigned int room)
{
	s->img = img_new(NULL);
	s->file = s->img ? img_open(s->img, name) : NULL;
	if (!s->file) {
		snprintf(error, room, "out of memory");
		return false;
	}
	if (img_file_state(s->file) != IMG_OK) {
		snprintf(error, room, "%s", img_file_error(s->file));
		return false;
	}
	return true;
}

struct symbols *symbols_open(const char *arg, char *error, unsigned int room)
{
	struct symbols *s = calloc(1, sizeof(*s));
	char *copy = strdup(arg);

	snprintf(error, room, "out of memory");
	if (s && copy && parse(s, copy, error, room) &&
	    load(s, copy, error, room)) {
		free(copy);
		return s;
	}
	free(copy);
	symbols_close(s);
	return NULL;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	img_free(s->img);
	free(s);
}

bool symbols_find(struct symbols *s, uint64_t pc, const char **name,
		  uint64_t *from_start)
{
	uint64_t addr = pc - s->bias;

	if (addr - s->last.start >= s->last.size &&
	    !img_function_at(s->file, addr, &s->last))
		return false;
	*name = s->last.name;
	*from_start = addr - s->last.start;
	return true;
}

bool symbols_address(struct symbols *s, const char *name, uint64_t *pc)
{
	struct img_symbols all;
	const char *its;
	GElf_Sym sym;

	if (!img_file_symbols(s->file, &all))
		return false;
	while ((its = img_next_symbol(&all, &sym)))
		if (!strcmp(its, name)) {
			*pc = sym.st_value + all.moved + s->bias;
			return true;
		}
	return false;
}
