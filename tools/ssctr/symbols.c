// SPDX-License-Identifier: GPL-2.0-only
#include "symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"

enum { MAX_SEGMENTS = 16, CACHE = 4096 };

/* Executable bytes: addresses to offsets in the file. */
struct segment {
	uint64_t start, end, offset;
};

/* What was found at a PC before. Programs come back to the same ones. */
struct cached {
	uint64_t pc;
	uint64_t from_start;
	const char *name;
	bool valid;
};

struct symbols {
	struct img *img;
	struct img_file *file;
	uint64_t bias;
	struct segment segments[MAX_SEGMENTS];
	unsigned int nr_segments;
	struct cached cache[CACHE];
};

static void add_segment(struct symbols *s, uint32_t type, uint32_t flags,
			uint64_t addr, uint64_t offset, uint64_t size)
{
	if (type != PT_LOAD || !(flags & PF_X) || !size ||
	    s->nr_segments == MAX_SEGMENTS)
		return;
	s->segments[s->nr_segments++] =
		(struct segment){ addr, addr + size, offset };
}

/* The header was checked when the file was opened; the table may lie outside. */
static void read_segments(struct symbols *s)
{
	bool wide = img_file_bits(s->file) == 64;
	uint64_t len, at, i, n, step;
	const uint8_t *p = img_code(s->file, 0, &len);
	Elf64_Ehdr eh64;
	Elf32_Ehdr eh32;

	if (!p || len < (wide ? sizeof(eh64) : sizeof(eh32)))
		return;
	memcpy(&eh64, p, wide ? sizeof(eh64) : sizeof(eh32));
	memcpy(&eh32, p, sizeof(eh32));
	at = wide ? eh64.e_phoff : eh32.e_phoff;
	n = wide ? eh64.e_phnum : eh32.e_phnum;
	step = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	for (i = 0; i < n && at <= len && step <= len - at; i++, at += step) {
		Elf64_Phdr h64;
		Elf32_Phdr h32;

		if (wide) {
			memcpy(&h64, p + at, step);
			add_segment(s, h64.p_type, h64.p_flags, h64.p_vaddr,
				    h64.p_offset, h64.p_filesz);
		} else {
			memcpy(&h32, p + at, step);
			add_segment(s, h32.p_type, h32.p_flags, h32.p_vaddr,
				    h32.p_offset, h32.p_filesz);
		}
	}
}

static bool parse(struct symbols *s, char *arg, char *error, unsigned int room)
{
	char *at = strrchr(arg, '@'), *end;

	if (!at || strncmp(at + 1, "0x", 2))
		return true;
	errno = 0;
	s->bias = strtoull(at + 1, &end, 16);
	if (*end || errno) {
		snprintf(error, room, "'%s' is no address", at + 1);
		return false;
	}
	*at = 0;
	return true;
}

static bool load(struct symbols *s, const char *name, char *error,
		 unsigned int room)
{
	s->img = img_new(NULL);
	s->file = s->img ? img_file(s->img, name, NULL, 0) : NULL;
	if (!s->file) {
		snprintf(error, room, "no memory");
		return false;
	}
	if (img_file_state(s->file) != IMG_OK) {
		snprintf(error, room, "%s", img_file_error(s->file));
		return false;
	}
	read_segments(s);
	return true;
}

struct symbols *symbols_open(const char *arg, char *error, unsigned int room)
{
	struct symbols *s = calloc(1, sizeof(*s));
	char *copy = strdup(arg);

	snprintf(error, room, "no memory");
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

static void look_up(struct symbols *s, struct cached *c, uint64_t pc)
{
	uint64_t addr = pc - s->bias;
	unsigned int i;

	*c = (struct cached){ .pc = pc, .valid = true };
	for (i = 0; i < s->nr_segments; i++) {
		const struct segment *seg = &s->segments[i];

		if (addr < seg->start || addr >= seg->end)
			continue;
		if (!img_symbol(s->file, addr - seg->start + seg->offset,
				&c->name, &c->from_start))
			c->name = NULL;
		return;
	}
}

bool symbols_find(struct symbols *s, uint64_t pc, const char **name,
		  uint64_t *from_start)
{
	struct cached *c = &s->cache[pc >> 1 & (CACHE - 1)];

	if (!c->valid || c->pc != pc)
		look_up(s, c, pc);
	*name = c->name;
	*from_start = c->from_start;
	return c->name;
}
