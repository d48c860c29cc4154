// SPDX-License-Identifier: GPL-2.0-only
/* Traces that are cut, changed, or none at all: an error, never harm. */
#include "stf-trace.h"

static struct bytes file;

/* Make `file` the bytes of such a trace. */
static void load_samples(const char *name, uint64_t chunk_markers)
{
	write_samples(name, chunk_markers);
	file.n = read_file(in_tmpdir(name), file.v, sizeof(file.v));
}

/* Where the records of `file` end. */
static void record_ends(const char *name, bool *ends)
{
	struct stf_reader *r = stf_reader_open(in_tmpdir(name), NULL, NULL);
	struct stf_record rec;
	struct stf_stats stats = { .size = sizeof(stats) };

	CHECK(r);
	while (stf_reader_next(r, &rec) > 0) {
		stf_reader_stats(r, &stats);
		ends[stats.trace_bytes] = true;
	}
	CHECK_EQ(stats.trace_bytes, file.n);
	stf_reader_close(r);
}

TEST(a_plain_trace_cut_at_any_byte)
{
	static bool ends[1000];
	size_t n;

	load_samples("t.stf", 0);
	CHECK(file.n < sizeof(ends));
	memset(ends, 0, sizeof(ends));
	record_ends("t.stf", ends);
	for (n = 0; n < file.n; n++) {
		struct result res;
		int end;

		write_file(in_tmpdir("cut.stf"), file.v, n);
		res = read_all(in_tmpdir("cut.stf"));
		end = read_insts(in_tmpdir("cut.stf"));
		if (n < 13) { /* IDENTIFIER and VERSION */
			CHECK_EQ(res.end, STF_E_CUT);
			continue;
		}
		CHECK_EQ(res.end, ends[n] ? 0 : STF_E_CUT);
		CHECK(ends[n] || end == STF_E_CUT);
		CHECK(!end || end == STF_E_CUT);
	}
}

TEST(a_cut_inside_a_group_is_an_error_of_the_iterator)
{
	b_header(&file, FEATURES_RV64);
	b_inst16(&file, 1);
	b_pc(&file, 31, 0x500);
	write_file(in_tmpdir("cut.stf"), file.v, file.n);
	CHECK_EQ(read_all(in_tmpdir("cut.stf")).end, 0);
	CHECK_EQ(read_insts(in_tmpdir("cut.stf")), STF_E_CUT);
}

TEST(a_container_cut_at_any_byte)
{
	size_t n;

	load_samples("t.zstf", 2);
	CHECK_EQ(read_all(in_tmpdir("t.zstf")).end, 0);
	for (n = 0; n < file.n; n++) {
		struct result res;

		write_file(in_tmpdir("cut.zstf"), file.v, n);
		res = read_all(in_tmpdir("cut.zstf"));
		CHECK(res.end == STF_E_CUT || res.end == STF_E_NOT_STF ||
		      res.end == STF_E_CONTAINER);
		CHECK_EQ(res.insts, 0);
		CHECK(read_insts(in_tmpdir("cut.zstf")) < 0);
	}
}

/*
 * Whatever comes out, it comes out without harm: the sanitizers watch. One bit of three, which
 * other seeds begin elsewhere.
 */
static void flip_bits(const char *name)
{
	size_t n;

	for (n = test_random() % 3; n < file.n * 8; n += 3) {
		file.v[n / 8] ^= (uint8_t)(1 << n % 8);
		write_file(in_tmpdir(name), file.v, file.n);
		read_all(in_tmpdir(name));
		read_insts(in_tmpdir(name));
		file.v[n / 8] ^= (uint8_t)(1 << n % 8);
	}
}

TEST(a_plain_trace_with_any_bit_flipped)
{
	load_samples("t.stf", 0);
	flip_bits("flip.stf");
}

TEST(a_container_with_any_bit_flipped)
{
	load_samples("t.zstf", 2);
	flip_bits("flip.zstf");
}

TEST(any_bytes_after_a_header)
{
	unsigned int n, i;

	for (n = 0; n < 300; n++) {
		b_header(&file, FEATURES_RV64);
		for (i = 0; i < 300; i++)
			b8(&file, (unsigned int)test_random() & 0xff);
		write_file(in_tmpdir("any.stf"), file.v, file.n);
		read_all(in_tmpdir("any.stf"));
		read_insts(in_tmpdir("any.stf"));
	}
}

static struct result read_text(const char *text)
{
	write_file(in_tmpdir("no.stf"), text, strlen(text));
	return read_all(in_tmpdir("no.stf"));
}

TEST(what_is_no_trace_is_said_to_be_none)
{
	CHECK_EQ(read_text("").end, STF_E_CUT);
	CHECK(strstr(read_text("").text, "empty"));
	CHECK_EQ(read_text("PERFILE2").end, STF_E_NOT_STF);
	CHECK_EQ(read_text("\x1f\x8b\x08zzzzzzzzzzzzzzz").end, STF_E_CONTAINER);
	CHECK_EQ(read_text("\xfd" "7zXZ" "\x01zzz").end, STF_E_NOT_STF);
	CHECK_EQ(read_text("\x01STF\x03zzzzzzzzzzz").end, STF_E_NOT_STF);
}

TEST(files_that_cannot_be_opened)
{
	struct result res = read_all("/nonexistent/t.stf");

	CHECK_EQ(res.end, STF_E_IO);
	CHECK_STR(res.text, "/nonexistent/t.stf: No such file or directory");
	CHECK_EQ(read_all(test_tmpdir()).end, STF_E_IO);
	CHECK(strstr(read_all(test_tmpdir()).text, "Is a directory"));
}

TEST(bad_arguments)
{
	struct stf_writer_opts wopts = { .size = sizeof(wopts), .level = 20 };
	struct stf_reader_opts ropts = { .size = 1 };
	struct stf_error err;

	CHECK(!stf_reader_open(NULL, NULL, &err) && err.code == STF_E_INVAL);
	CHECK(!stf_reader_open("x", &ropts, &err) && err.code == STF_E_INVAL);
	CHECK(!stf_writer_open(NULL, NULL, &err) && err.code == STF_E_INVAL);
	CHECK(!stf_writer_open("x", &wopts, &err) && err.code == STF_E_INVAL);
	ropts = (struct stf_reader_opts){ .size = sizeof(ropts),
					  .event_bits = 48 };
	CHECK(!stf_reader_open("x", &ropts, &err) && err.code == STF_E_INVAL);
	wopts = (struct stf_writer_opts){ .size = sizeof(wopts),
					  .event_bits = 1 };
	CHECK(!stf_writer_open("x", &wopts, &err) && err.code == STF_E_INVAL);
	stf_reader_close(NULL);
	stf_writer_abort(NULL);
	stf_inst_iter_free(NULL);
}
