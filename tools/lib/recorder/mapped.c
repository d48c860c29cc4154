// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/mapped.h"
#include "base/array.h"
#include "image/elf.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that is mapped again and again is read once. */
struct rcd_known_file {
	union rcd_file key, file;
};

void rcd_files_free(struct rcd_files *files)
{
	free(files->v);
	*files = (struct rcd_files){ 0 };
}

/* An id of no bytes, or of too many, is none. */
static void take(union rcd_file *file, const uint8_t *id, unsigned int size)
{
	if (!size || size > RCD_BUILD_ID_MAX)
		return;
	*file = (union rcd_file){ .build_id.size = size };
	memcpy(file->build_id.id, id, size);
}

/* struct procmap_query of linux/fs.h, which kernels have from 6.11 on. */
struct mapping_query {
	uint64_t size;
	uint64_t flags; /* 0: the mapping that has this address */
	uint64_t address;
	uint64_t start, end, modes, page_size, offset, inode;
	uint32_t major, minor;
	uint32_t name_size, build_id_size; /* room, and then what was written */
	uint64_t name, build_id; /* addresses of buffers */
};
#define MAPPING_QUERY _IOWR('f', 17, struct mapping_query)

/*
 * The build id of what is mapped. The path may have another file by now, after an
 * upgrade, or for this process, if the other one has another root folder. maps is the
 * file /proc/PID/maps. Where the kernel knows none, *file stays as it is.
 */
static void ask_build_id(int maps, uint64_t address, union rcd_file *file)
{
	uint8_t id[RCD_BUILD_ID_MAX];
	struct mapping_query query = {
		.size = sizeof(query),
		.address = address,
		.build_id_size = sizeof(id),
		.build_id = (uintptr_t)id,
	};

	if (!ioctl(maps, MAPPING_QUERY, &query))
		take(file, id, query.build_id_size);
}

/*
 * Open what is mapped. The path may be another file's by now, or a FIFO's, whose writer
 * nobody waits for. Devices are not compared: on some file systems stat() tells another
 * one than the kernel does.
 */
static int open_file(const char *path, uint64_t inode)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_ino != inode)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_ino != inode)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * The kernel looks at program headers only, and not at pages that are not in memory.
 * Where the file has no build id, *file stays as it is.
 */
static void read_build_id(union rcd_file *file, const char *path)
{
	const int fd = open_file(path, file->inode.inode);
	const uint8_t *id;
	unsigned int size;
	Elf *elf;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	id = elf ? img_find_build_id(elf, &size) : NULL;
	if (id)
		take(file, id, size);
	elf_end(elf);
	close(fd);
}

bool rcd_find_build_id(struct rcd_files *files, union rcd_file *file, int maps, uint64_t address,
		       const char *path)
{
	struct rcd_known_file known = { *file, *file };
	size_t i;

	if (!file->inode.inode || path[0] != '/')
		return false;
	for (i = 0; i < files->nr; i++)
		if (!memcmp(&files->v[i].key, file, sizeof(*file)))
			break;
	if (i < files->nr) {
		known = files->v[i];
	} else {
		if (maps >= 0)
			ask_build_id(maps, address, &known.file);
		if (!memcmp(&known.key, &known.file, sizeof(known.key)))
			read_build_id(&known.file, path);
		/* Without memory it is read again. */
		if (array_room(&files->v, i, &files->cap, sizeof(known)))
			files->v[files->nr++] = known;
	}
	*file = known.file;
	return memcmp(&known.key, &known.file, sizeof(known.key));
}

bool rcd_add_build_id(struct rcd_files *files, struct rcd_mapping *out, const void *record)
{
	const struct rcd_mapping *in = record;

	if (in->header.type != PERF_RECORD_MMAP2 || in->header.misc & RCD_MISC_BUILD_ID ||
	    in->header.size <= offsetof(struct rcd_mapping, name) ||
	    in->header.size > sizeof(*out) || !(in->prot & PROT_EXEC))
		return false;
	memcpy(out, in, in->header.size);
	out->header.misc |= RCD_MISC_BUILD_ID;
	return rcd_find_build_id(files, &out->file, -1, 0, out->name);
}
