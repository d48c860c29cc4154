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

bool img_read_segments(struct img_file *file)
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

const struct img_segment *img_find_segment(const struct img_file *file,
					   uint64_t addr)
{
	unsigned int i;

	for (i = 0; i < file->nr_segments; i++)
		if (addr - file->segments[i].addr < file->segments[i].size)
			return &file->segments[i];
	return NULL;
}

enum img_state img_kernel_code(struct img *img, const struct img_kernel *kernel,
			       uint64_t addr, uint64_t *start, uint64_t *size,
			       const uint8_t **code)
{
	struct img_file *file = img->kcore;
	const struct img_segment *segment;

	if (!file && img->vmlinux)
		return img_vmlinux_code(img->vmlinux, kernel, addr, start, size,
					code);
	if (!file)
		return IMG_KERNEL;
	if (file->state != IMG_OK)
		return file->state;
	if (!file->segments && !img_read_segments(file))
		return IMG_MISSING;
	segment = img_find_segment(file, addr);
	if (!segment)
		return IMG_UNMAPPED;
	*start = segment->addr;
	*size = segment->size;
	*code = file->map + segment->offset;
	return IMG_OK;
}
