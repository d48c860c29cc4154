// SPDX-License-Identifier: GPL-2.0-only
/* Build ids of mappings of which the kernel told the inode alone. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf-build.h"
#include "recorder/mapped.h"
#include "test.h"

static const uint8_t id[20] = { 0xc0, 0xff, 0xee, [19] = 9 };
static struct rcd_files files;
static struct rcd_mapping in, out;
static char path[256];

/* A record of code in a file of this name, whose build id is in a section. */
static void begin(const char *name)
{
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	CHECK(elfb_write_section_id(path, id) && !stat(path, &st));
	in = (struct rcd_mapping){
		.header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 0 },
		.pid = 7, .tid = 8, .start = 0x10000, .size = 0x1000,
		.file.inode = { 8, 1, st.st_ino, 3 },
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
	};
	strcpy(in.name, path);
	in.header.size = offsetof(struct rcd_mapping, name) + (strlen(path) + 8) / 8 * 8 + 32;
}

TEST(a_build_id_that_the_kernel_did_not_find_is_added)
{
	begin("go");
	CHECK(rcd_add_build_id(&files, &out, &in));
	CHECK_EQ(out.file.build_id.size, 20);
	CHECK(!memcmp(out.file.build_id.id, id, 20));
	CHECK_EQ(out.header.misc, PERF_RECORD_MISC_USER | RCD_MISC_BUILD_ID);
	/* All else stays as it is. */
	out.file = in.file;
	out.header.misc = in.header.misc;
	CHECK(!memcmp(&in, &out, in.header.size));
	rcd_files_free(&files);
}

TEST(a_file_is_read_once)
{
	begin("once");
	CHECK(rcd_add_build_id(&files, &out, &in));
	unlink(path);
	CHECK(rcd_add_build_id(&files, &out, &in));
	CHECK_EQ(files.nr, 1);
	in.file.inode.generation++;
	CHECK(!rcd_add_build_id(&files, &out, &in));
	rcd_files_free(&files);
}

TEST(many_files_are_told_apart_and_looked_for_once)
{
	enum { MANY = 5000 };
	unsigned int i;

	begin("many");
	CHECK(rcd_add_build_id(&files, &out, &in));
	unlink(path);
	in.file.inode.inode++;
	for (i = 0; i < 2 * MANY; i++) {
		in.file.inode.generation = i % MANY;
		CHECK(!rcd_add_build_id(&files, &out, &in));
	}
	CHECK_EQ(files.nr, 1 + MANY);
	rcd_files_free(&files);
}

/* As after an upgrade, or in another root folder. */
TEST(another_file_of_the_name_tells_nothing)
{
	begin("other");
	in.file.inode.inode++;
	CHECK(!rcd_add_build_id(&files, &out, &in));
	rcd_files_free(&files);
}

TEST(what_has_one_or_needs_none_stays)
{
	begin("known");
	in.header.misc |= RCD_MISC_BUILD_ID;
	CHECK(!rcd_add_build_id(&files, &out, &in));
	begin("data");
	in.prot = PROT_READ;
	CHECK(!rcd_add_build_id(&files, &out, &in));
	begin("sample");
	in.header.type = PERF_RECORD_SAMPLE;
	CHECK(!rcd_add_build_id(&files, &out, &in));
	begin("memory");
	strcpy(in.name, "//anon");
	in.file.inode.inode = 0;
	CHECK(!rcd_add_build_id(&files, &out, &in));
	begin("short");
	in.header.size = offsetof(struct rcd_mapping, name);
	CHECK(!rcd_add_build_id(&files, &out, &in));
	CHECK_EQ(files.nr, 0); /* none was looked for */
	rcd_files_free(&files);
}

/* Nobody writes into it: who opens it would wait. */
TEST(what_is_no_file_any_more_is_not_read)
{
	struct stat st;

	begin("fifo");
	unlink(path);
	CHECK(!mkfifo(path, 0600) && !stat(path, &st));
	in.file.inode.inode = st.st_ino;
	CHECK(!rcd_add_build_id(&files, &out, &in));
	rcd_files_free(&files);
}

/* The file was written anew. */
static void set_inode(void)
{
	struct stat st;

	CHECK(!stat(path, &st));
	in.file.inode.inode = st.st_ino;
}

/* Make the file one of these headers, with nothing behind them but a hole up to `size`. */
static void begin_hole(const char *name, const Elf64_Ehdr *eh, const Elf64_Phdr *ph, uint64_t size)
{
	int fd;

	begin(name);
	fd = open(path, O_RDWR | O_TRUNC);
	CHECK(fd >= 0 && write(fd, eh, sizeof(*eh)) == sizeof(*eh) &&
	      write(fd, ph, sizeof(*ph)) == sizeof(*ph) && !ftruncate(fd, size) && !close(fd));
	set_inode();
}

static const Elf64_Ehdr head = {
	.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
	.e_type = ET_DYN, .e_machine = EM_RISCV, .e_version = EV_CURRENT, .e_phoff = sizeof(head),
	.e_ehsize = sizeof(head), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
};

/* In KB. */
static long most_memory(void)
{
	struct rusage usage;

	CHECK(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_maxrss;
}

/* Each user can make one of a few KB on the disk. */
TEST(a_file_of_holes_takes_no_memory)
{
	const Elf64_Phdr note = { .p_type = PT_NOTE, .p_offset = 0x10001, .p_filesz = 256 << 20,
				  .p_align = 4 };
	const Elf64_Shdr first = { .sh_size = (64 << 20) / sizeof(first) };
	Elf64_Ehdr sections = head;
	const long before = most_memory();
	int fd;

	begin_hole("notes", &head, &note, 0x10001 + note.p_filesz);
	CHECK(!rcd_add_build_id(&files, &out, &in));
	/* As many sections as the first one says. */
	sections.e_shoff = 0x10000;
	sections.e_shentsize = sizeof(first);
	begin_hole("sections", &sections, &note, 0x10000 + (64 << 20));
	fd = open(path, O_WRONLY);
	CHECK(fd >= 0 && pwrite(fd, &first, sizeof(first), 0x10000) == sizeof(first) && !close(fd));
	CHECK(!rcd_add_build_id(&files, &out, &in));
	CHECK(most_memory() - before < 16 << 10);
	rcd_files_free(&files);
}

TEST(the_build_id_of_a_program_of_32_bits_is_found)
{
	static struct elfb b;
	unsigned int i;

	/* In a program header, and in a section alone. */
	for (i = 0; i < 2; i++) {
		begin(i ? "section32" : "header32");
		unlink(path);
		b = (struct elfb){ .code = "", .build_id = id, .build_id_size = 20, .is32 = true,
				   .section_build_id = i };
		CHECK(elfb_write(&b, path));
		set_inode();
		CHECK(rcd_add_build_id(&files, &out, &in));
		CHECK(!memcmp(out.file.build_id.id, id, 20));
	}
	rcd_files_free(&files);
}
