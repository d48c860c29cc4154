// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's code as it was in memory: a copy of /proc/kcore, an ELF file whose
 * segments say at which addresses they were. Modules are in it, and what the kernel
 * patches in its own code, which the file on disk does not have.
 */
#include "image/internal.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>

/* NULL if out of memory; a file that cannot be used tells why. */
static struct img_file *open_kcore(struct img *img, const char *path)
{
	struct img_file *file = img_new_file(img, path);

	if (file)
		img_open_file(file, path);
	return file;
}

bool img_set_kcore(struct img *img, const char *path)
{
	img->kcore = open_kcore(img, path);
	return img->kcore;
}

static bool read_segments(struct img_file *file)
{
	size_t i, nr;

	if (elf_getphdrnum(file->elf, &nr))
		return false;
	file->segments = calloc(nr ? nr : 1, sizeof(*file->segments));
	if (!file->segments)
		return false;
	for (i = 0; i < nr; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(file->elf, i, &ph) || ph.p_type != PT_LOAD ||
		    ph.p_offset >= file->size)
			continue;
		/* The copy of a machine's memory may be cut short. */
		if (ph.p_filesz > file->size - ph.p_offset)
			ph.p_filesz = file->size - ph.p_offset;
		file->segments[file->nr_segments++] = (struct img_segment){
			ph.p_vaddr, ph.p_filesz, ph.p_offset
		};
	}
	return true;
}

enum img_state img_kernel_code(struct img *img, uint64_t addr, uint64_t *start,
			       uint64_t *size, const uint8_t **code)
{
	struct img_file *file = img->kcore;
	unsigned int i;

	if (!file)
		return IMG_KERNEL;
	if (file->state != IMG_OK)
		return file->state;
	if (!file->segments && !read_segments(file))
		return IMG_MISSING;
	for (i = 0; i < file->nr_segments; i++) {
		const struct img_segment *s = &file->segments[i];

		if (addr - s->addr >= s->size)
			continue;
		*start = s->addr;
		*size = s->size;
		*code = file->map + s->offset;
		return IMG_OK;
	}
	return IMG_UNMAPPED;
}
