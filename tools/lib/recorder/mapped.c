// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/mapped.h"
#include "base/array.h"
#include "base/buildid.h"

#include <elf.h>
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
	hash_free(&files->index);
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

bool rcd_ask_name(int maps, uint64_t address, char *name, size_t size)
{
	struct mapping_query query = {
		.size = sizeof(query),
		.address = address,
		.name_size = size,
		.name = (uintptr_t)name,
	};

	return !ioctl(maps, MAPPING_QUERY, &query) && query.name_size;
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

/* One after the other: a program header, or a section's, as far as its bytes go. */
struct part {
	uint32_t type;
	uint64_t offset, size, align;
};

/* Where the headers of a file are. */
struct tables {
	bool is32;
	uint64_t segments, sections;
	uint16_t nr_segments, nr_sections;
};

static bool read_tables(int fd, struct tables *tables)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr in32;
		Elf64_Ehdr in64;
	} head = { 0 };

	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(head.in32) ||
	    memcmp(head.ident, ELFMAG, SELFMAG) || head.ident[EI_DATA] != ELFDATA2LSB)
		return false;
	if (head.ident[EI_CLASS] == ELFCLASS32)
		*tables = (struct tables){ true, head.in32.e_phoff, head.in32.e_shoff,
					   head.in32.e_phnum, head.in32.e_shnum };
	else
		*tables = (struct tables){ false, head.in64.e_phoff, head.in64.e_shoff,
					   head.in64.e_phnum, head.in64.e_shnum };
	return true;
}

static struct part segment(const void *table, size_t i, bool is32)
{
	const Elf32_Phdr *in32 = table;
	const Elf64_Phdr *in64 = table;

	return is32 ? (struct part){ in32[i].p_type, in32[i].p_offset, in32[i].p_filesz,
				     in32[i].p_align } :
		      (struct part){ in64[i].p_type, in64[i].p_offset, in64[i].p_filesz,
				     in64[i].p_align };
}

static struct part section(const void *table, size_t i, bool is32)
{
	const Elf32_Shdr *in32 = table;
	const Elf64_Shdr *in64 = table;

	return is32 ? (struct part){ in32[i].sh_type, in32[i].sh_offset, in32[i].sh_size,
				     in32[i].sh_addralign } :
		      (struct part){ in64[i].sh_type, in64[i].sh_offset, in64[i].sh_size,
				     in64[i].sh_addralign };
}

/* What is read at a time, and of a file's notes in all: programs have much less. */
enum { READ_MAX = 1 << 16 };

struct search {
	int fd;
	bool is32;
	size_t left; /* bytes of notes that it reads at most */
	union rcd_file *file;
	uint64_t table[READ_MAX / 8];
	uint8_t notes[READ_MAX];
};

static bool read_notes(struct search *search, const struct part *part)
{
	const uint8_t *id;
	size_t size = 0;
	ssize_t n;

	if (part->offset > INT64_MAX)
		return false;
	n = pread(search->fd, search->notes, part->size < search->left ? part->size : search->left,
		  part->offset);
	if (n <= 0)
		return false;
	search->left -= n;
	id = buildid_in_notes(search->notes, n, part->align, &size);
	if (id)
		take(search->file, id, size);
	return id;
}

/* In the notes that a table of headers has. */
static bool read_table(struct search *search, uint64_t offset, size_t nr, size_t entry,
		       uint32_t note, struct part (*part_of)(const void *, size_t, bool))
{
	ssize_t n;
	size_t i;

	if (nr > sizeof(search->table) / entry)
		nr = sizeof(search->table) / entry;
	if (offset > INT64_MAX)
		return false;
	n = pread(search->fd, search->table, nr * entry, offset);
	for (i = 0; n > 0 && i < n / entry && search->left; i++) {
		const struct part part = part_of(search->table, i, search->is32);

		if (part.type == note && read_notes(search, &part))
			return true;
	}
	return false;
}

/*
 * The kernel looks at program headers only, and not at pages that are not in memory.
 * Anybody can map a file of any size, most of which may be holes. So what is read of it has
 * bounds. Where the file has no build id, *file stays as it is.
 */
static void read_build_id(union rcd_file *file, const char *path)
{
	const int fd = open_file(path, file->inode.inode);
	struct search *search;
	struct tables tables;

	if (fd < 0)
		return;
	search = malloc(sizeof(*search));
	if (search && read_tables(fd, &tables)) {
		search->fd = fd;
		search->is32 = tables.is32;
		search->left = sizeof(search->notes);
		search->file = file;
		if (!read_table(search, tables.segments, tables.nr_segments,
				tables.is32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr), PT_NOTE,
				segment))
			read_table(search, tables.sections, tables.nr_sections,
				   tables.is32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr),
				   SHT_NOTE, section);
	}
	free(search);
	close(fd);
}

/* A file that is known, or NULL with the slot for it. There is room. */
static const struct rcd_known_file *look_for(const struct rcd_files *files,
					     const union rcd_file *key, uint32_t hash,
					     struct hash_slot **slot)
{
	hash_for_each(&files->index, *slot, hash) {
		const struct rcd_known_file *file = &files->v[(*slot)->number - 1];

		if (!memcmp(&file->key, key, sizeof(*key)))
			return file;
	}
	return NULL;
}

bool rcd_find_build_id(struct rcd_files *files, union rcd_file *file, int maps, uint64_t address,
		       const char *path)
{
	const uint32_t hash = hash_bytes(0, file, sizeof(*file));
	struct rcd_known_file known = { *file, *file };
	const struct rcd_known_file *before;
	struct hash_slot *slot;
	bool room;

	if (!file->inode.inode || path[0] != '/')
		return false;
	/* Without memory it is read again. */
	room = hash_room(&files->index) &&
	       array_room(&files->v, files->nr, &files->cap, sizeof(known));
	before = room ? look_for(files, file, hash, &slot) : NULL;
	if (before) {
		known = *before;
	} else {
		if (maps >= 0)
			ask_build_id(maps, address, &known.file);
		if (!memcmp(&known.key, &known.file, sizeof(known.key)))
			read_build_id(&known.file, path);
		if (room) {
			hash_put(&files->index, slot, hash, files->nr);
			files->v[files->nr++] = known;
		}
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
