// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's code as it was in memory: a copy of /proc/kcore, an ELF file whose
 * segments say at which addresses they were. Modules are in it, and what the kernel
 * patches in its own code, which the file on disk does not have.
 */
#include "image/internal.h"

bool img_set_kcore(struct img *img, const char *path)
{
	struct img_file *file = img->kcore = img_open(img, path);

	if (!file)
		return false;
	if (file->state == IMG_MISSING || file->state == IMG_NOT_ELF)
		img_add_remedy(file, "name a copy of /proc/kcore with --kcore, such as kcore_dir/kcore in a recording of `perf record --kcore`");
	if (file->state == IMG_OK &&
	    !img_read_segments(&file->segments, file->elf, 0))
		file->state = IMG_MISSING;
	return true;
}

const char *img_kernel_error(const struct img *img)
{
	const char *error = img->kcore ? img_file_error(img->kcore) : "";

	return *error || !img->vmlinux ? error : img_vmlinux_error(img->vmlinux);
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
	if (img->vmlinux)
		img_check_vmlinux(img->vmlinux, kernel);
	if (file->state != IMG_OK)
		return file->state;
	segment = img_segment_at(&file->segments, addr);
	if (!segment)
		return IMG_UNMAPPED;
	*start = segment->addr;
	*size = segment->size;
	*code = file->map + segment->offset;
	return IMG_OK;
}
