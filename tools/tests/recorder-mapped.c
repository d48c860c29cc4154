// SPDX-License-Identifier: GPL-2.0-only
/* Build ids of mappings of which the kernel told the inode alone. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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
