// SPDX-License-Identifier: GPL-2.0-only
/* Traces compressed as a whole: gz, xz and zstd, with the usual tools as peers. */
#include <stdlib.h>
#include <sys/stat.h>

#include "stf-trace.h"

static bool have(const char *tool)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", tool);
	return !system(command);
}

/* Run a shell command in the test's folder. */
static bool run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && { %s; } 2>/dev/null",
		 test_tmpdir(), command);
	return !system(line);
}

static void needs(const char *tool)
{
	if (!have(tool))
		test_skip("the tool to compare with is not installed");
}

static void write_trace(const char *name)
{
	struct stf_writer *w = start(name, 0);

	write_insts(w, 20000);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

static void same_as_plain(const char *name, enum stf_container container)
{
	struct result want = read_all(in_tmpdir("t.stf"));
	struct result got = read_all(in_tmpdir(name));
	struct stf_stats stats = { .size = sizeof(stats) };
	struct stf_reader *r;

	if (got.end)
		test_fail(__FILE__, __LINE__, "%s", got.text);
	CHECK_EQ(want.records, got.records);
	CHECK_EQ(want.sum, got.sum);
	r = stf_reader_open(in_tmpdir(name), NULL, NULL);
	CHECK(r);
	stf_reader_stats(r, &stats);
	CHECK_EQ(stats.container, container);
	stf_reader_close(r);
}

TEST(gzip_reads_what_is_written_and_the_other_way_round)
{
	needs("gzip");
	write_trace("t.stf");
	write_trace("w.stf.gz");
	CHECK(run("gzip -dc w.stf.gz | cmp - t.stf"));
	same_as_plain("w.stf.gz", STF_CONTAINER_GZ);
	CHECK(run("gzip -c t.stf >r.any"));
	same_as_plain("r.any", STF_CONTAINER_GZ);
}

TEST(xz_reads_what_is_written_and_the_other_way_round)
{
	needs("xz");
	write_trace("t.stf");
	write_trace("w.stf.xz");
	CHECK(run("xz -dc w.stf.xz | cmp - t.stf"));
	same_as_plain("w.stf.xz", STF_CONTAINER_XZ);
	CHECK(run("xz -c t.stf >r.any"));
	same_as_plain("r.any", STF_CONTAINER_XZ);
}

TEST(what_zstd_made_is_read)
{
	needs("zstd");
	write_trace("t.stf");
	CHECK(run("zstd -qc t.stf >r.any"));
	same_as_plain("r.any", STF_CONTAINER_ZSTD);
	/* As pzstd begins. */
	CHECK(run("{ printf '\\120\\052\\115\\030\\004\\000\\000\\000size'; zstd -qc t.stf; } >r.any"));
	same_as_plain("r.any", STF_CONTAINER_ZSTD);
}

TEST(pieces_one_behind_the_other_are_one_trace)
{
	static const char *const tools[] = { "gzip", "xz", "zstd" };
	static const enum stf_container containers[] = {
		STF_CONTAINER_GZ, STF_CONTAINER_XZ, STF_CONTAINER_ZSTD
	};
	char command[200];
	unsigned int i;

	write_trace("t.stf");
	for (i = 0; i < 3; i++) {
		if (!have(tools[i]))
			continue;
		snprintf(command, sizeof(command),
			 "head -c 1000 t.stf | %s -c >r.any && tail -c +1001 t.stf | %s -c >>r.any",
			 tools[i], tools[i]);
		CHECK(run(command));
		same_as_plain("r.any", containers[i]);
	}
}

TEST(cut_anywhere_it_is_an_error)
{
	static const char *const names[] = { "t.stf.gz", "t.stf.xz" };
	static uint8_t bytes[1 << 16];
	unsigned int i;
	size_t n, size;

	for (i = 0; i < 2; i++) {
		struct stf_writer *w = start(names[i], 0);

		write_insts(w, 30);
		CHECK_EQ(stf_writer_close(w, NULL), 0);
		size = read_file(in_tmpdir(names[i]), bytes, sizeof(bytes));
		for (n = 0; n < size; n++) {
			write_file(in_tmpdir("cut"), bytes, n);
			CHECK(read_all(in_tmpdir("cut")).end < 0);
		}
	}
}

TEST(damaged_anywhere_it_is_an_error_or_a_trace)
{
	static const char *const names[] = { "t.stf.gz", "t.stf.xz" };
	static uint8_t bytes[1 << 16];
	unsigned int i, k;
	size_t size;

	for (i = 0; i < 2; i++) {
		struct stf_writer *w = start(names[i], 0);

		write_insts(w, 30);
		CHECK_EQ(stf_writer_close(w, NULL), 0);
		size = read_file(in_tmpdir(names[i]), bytes, sizeof(bytes));
		for (k = 0; k < 300; k++) {
			size_t at = test_random() % size;
			uint8_t was = bytes[at];

			bytes[at] ^= (uint8_t)(1 + test_random() % 255);
			write_file(in_tmpdir("bad"), bytes, size);
			read_all(in_tmpdir("bad"));
			bytes[at] = was;
		}
	}
}
