// SPDX-License-Identifier: GPL-2.0-only
/* Counts files: what is written is read again, and nothing else is read. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "countfile-build.h"
#include "countfile/stream.h"

static struct error said;

TEST(what_was_written_is_read)
{
	unsigned int trial;
	struct content c;

	for (trial = 0; trial < 60; trial++) {
		content_make(&c, 1, one_of(1000), one_of(300), 1 + one_of(60));
		c.head.all_branches = one_of(2);
		content_write(test_path("a.counts"), &c);
		content_check(test_path("a.counts"), &c);
		content_free(&c);
	}
}

/* Several chunks of steps, and of samples. */
TEST(large_files_are_read)
{
	struct content c;

	content_make(&c, 1, 1, 20000, 1 << 20);
	content_write(test_path("a.counts"), &c);
	content_check(test_path("a.counts"), &c);
	content_free(&c);
}

TEST(a_file_without_steps)
{
	struct content c;

	content_make(&c, 1, 1, 0, 1);
	content_write(test_path("a.counts"), &c);
	content_check(test_path("a.counts"), &c);
	content_free(&c);
}

TEST(the_same_content_gives_the_same_bytes)
{
	struct content c;
	uint8_t *a, *b;
	size_t size, other;

	content_make(&c, 1, 1, 300, 50);
	content_write(test_path("a.counts"), &c);
	content_write(test_path("b.counts"), &c);
	a = bytes_of("a.counts", &size);
	b = bytes_of("b.counts", &other);
	CHECK_EQ(size, other);
	CHECK(!memcmp(a, b, size));
	free(a);
	free(b);
	content_free(&c);
}

/* ------------------------------------------------------------------ damage */

/* Read all of a file. Returns 0, or the error, whose text is in `said`. */
static int read_all(const char *name)
{
	struct cf_sample sample;
	struct cf_reader *r;
	struct cf_step step;
	int ret = cf_reader_open(&r, test_path(name), &said);

	if (ret)
		return ret;
	do
		ret = cf_read_step(r, &step, &said);
	while (ret > 0);
	while (!ret && (ret = cf_read_sample(r, &sample, &said)) > 0)
		ret = 0;
	cf_reader_close(r);
	return ret;
}

/* It is refused, with a text that names it and says this. */
static void refused(const char *name, const char *text)
{
	CHECK_EQ(read_all(name), ERROR_INPUT);
	if (strncmp(said.text, test_path(name), strlen(test_path(name))) ||
	    !strstr(said.text, text))
		test_fail(__FILE__, __LINE__, "no \"%s\" in \"%s\"", text, said.text);
}

static uint8_t *small_file(size_t *size)
{
	struct content c;

	content_make(&c, 1, 1, 20, 10);
	content_write(test_path("a.counts"), &c);
	content_free(&c);
	return bytes_of("a.counts", size);
}

TEST(a_file_that_is_cut_is_damaged)
{
	size_t size, n;
	uint8_t *v = small_file(&size);

	for (n = 0; n < size; n++) {
		put_bytes("cut.counts", v, n);
		refused("cut.counts", n < 8 ? "not a counts file" : "damaged: ");
	}
	put_bytes("cut.counts", v, n);
	CHECK_EQ(read_all("cut.counts"), 0);
	free(v);
}

TEST(a_file_with_a_changed_byte_is_damaged)
{
	size_t size, i;
	uint8_t *v = small_file(&size), bit;

	for (i = 0; i < size; i++) {
		bit = (uint8_t)(1 << one_of(8));
		v[i] ^= bit;
		put_bytes("flip.counts", v, size);
		refused("flip.counts", i < 8 ? "not a counts file" : "damaged: ");
		v[i] ^= bit;
	}
	free(v);
}

TEST(a_file_with_more_bytes_is_damaged)
{
	size_t size;
	uint8_t *v = small_file(&size), *more = calloc(1, size + 5);

	memcpy(more, v, size);
	put_bytes("more.counts", more, size + 5);
	refused("more.counts", "damaged: ");
	free(more);
	free(v);
}

/* Only a program that makes such files can do this, because the checksum is right. */
TEST(a_changed_byte_with_the_right_checksum_is_harmless)
{
	size_t size, i;
	uint8_t *v = small_file(&size), was;
	unsigned int trial;

	for (i = 8; i < size - 8; i++)
		for (trial = 0; trial < 3; trial++) {
			was = v[i];
			v[i] ^= (uint8_t)(1 + one_of(255));
			put_sealed("flip.counts", v, size);
			if (read_all("flip.counts"))
				CHECK(strstr(said.text, "flip.counts: "));
			v[i] = was;
		}
	free(v);
}

TEST(a_newer_version_is_named)
{
	size_t size;
	uint8_t *v = small_file(&size);

	v[8] = 2;
	put_sealed("new.counts", v, size);
	refused("new.counts", "has version 2 of the format, and this ssctr reads version 1");
	free(v);
}

/* A file whose head is not compressed, and has one more field at its end. */
static uint8_t *with_field(const char *tag, size_t *size)
{
	uint8_t *v = small_file(size), *more = calloc(1, *size + 5000), *p = more + 32;
	uint32_t stored, plain;

	memcpy(&plain, v + 24, sizeof(plain));
	memcpy(&stored, v + 28, sizeof(stored));
	CHECK(more && plain < 4000);
	memcpy(more, v, 32);
	if (stored == plain)
		memcpy(p, v + 32, plain);
	else
		CHECK_EQ(ZSTD_decompress(p, plain, v + 32, stored), plain);
	p += plain;
	memcpy(p, tag, 4);
	memcpy(p + 4, (uint8_t[8]){ 4, 0, 0, 0, 1, 2, 3, 4 }, 8);
	memcpy(p + 12, v + 32 + stored, *size - 32 - stored);
	*size += plain + 12 - stored;
	plain += 12;
	memcpy(more + 24, &plain, sizeof(plain));
	memcpy(more + 28, &plain, sizeof(plain));
	more[20]++;
	free(v);
	return more;
}

TEST(unknown_optional_fields_are_skipped)
{
	size_t size;
	uint8_t *v = with_field("xtra", &size);

	put_sealed("new.counts", v, size);
	if (read_all("new.counts"))
		test_fail(__FILE__, __LINE__, "%s", said.text);
	free(v);
}

TEST(unknown_required_fields_are_named)
{
	size_t size;
	uint8_t *v = with_field("XTRA", &size);

	put_sealed("new.counts", v, size);
	refused("new.counts", "has the field XTRA, which this ssctr does not know");
	free(v);
}

/* It says all by being there. */
TEST(a_field_of_missing_times_has_no_bytes)
{
	size_t size;
	uint8_t *v = with_field("untm", &size);

	put_sealed("new.counts", v, size);
	refused("new.counts", "damaged: the field untm of the head is wrong");
	free(v);
}

TEST(a_field_that_comes_twice_is_damage)
{
	size_t size;
	uint8_t *v = with_field("TIME", &size);

	put_sealed("new.counts", v, size);
	refused("new.counts", "damaged: ");
	free(v);
}

TEST(numbers_of_items_that_are_not_true_are_damage)
{
	const char *const text[] = { "damaged: the fields of the head are wrong",
				     "damaged: its end is wrong" };
	unsigned int i, wrong;
	size_t size, at;
	uint8_t *v;

	for (i = 0; i < 4; i++) {
		v = small_file(&size);
		/* The start, and the end: 16 bytes of a header, 24 of sums and 8 of a checksum. */
		at = (i < 2 ? 16 : size - 48) + 4;
		wrong = i % 2 ? v[at] + 1 : v[at] - 1;
		v[at] = (uint8_t)wrong;
		put_sealed("new.counts", v, size);
		refused("new.counts", text[i / 2]);
		free(v);
	}
}

TEST(a_time_that_ends_before_it_begins_is_damage)
{
	size_t size;
	/* Not compressed, so that the fields are where the page says. */
	uint8_t *v = with_field("xtra", &size), *time;
	uint32_t sources;

	memcpy(&sources, v + 36, sizeof(sources));
	time = v + 40 + sources + 8;
	memcpy(time, (uint8_t[16]){ 5, [8] = 3 }, 16);
	put_sealed("new.counts", v, size);
	refused("new.counts", "damaged: the times of the head are wrong");
	memcpy(time, (uint8_t[16]){ 5, [8] = 5 }, 16);
	put_sealed("new.counts", v, size);
	CHECK_EQ(read_all("new.counts"), 0);
	free(v);
}

TEST(what_comes_first_is_the_head)
{
	size_t size;
	uint8_t *v = small_file(&size);

	memcpy(v + 16, "STEP", 4);
	put_sealed("new.counts", v, size);
	refused("new.counts", "damaged: its head is wrong");
	free(v);
}

TEST(a_tag_that_is_no_text_is_damage)
{
	size_t size;
	uint8_t *v = with_field("\1\2\3\4", &size);

	put_sealed("new.counts", v, size);
	refused("new.counts", "damaged: the fields of the head are wrong");
	free(v);
}

/* The chunk with this tag, whose content is not compressed. */
static uint8_t *find_chunk(uint8_t *v, size_t size, const char *tag)
{
	uint8_t *p = memmem(v, size, tag, 4);

	CHECK(p && !memcmp(p + 8, p + 12, 4));
	return p;
}

/* The numbers of a column, in a chunk of so many columns. */
static uint8_t *find_column(uint8_t *chunk, unsigned int nr_columns, unsigned int column)
{
	uint8_t *p = chunk + 16 + 4 * nr_columns;
	unsigned int i;

	for (i = 0; i < column; i++)
		p += chunk[16 + 4 * i];
	return p;
}

TEST(a_type_of_branches_that_there_is_not_is_damage)
{
	struct cf_step step = { 2, 2, 4, 8, 6, 31, .seen = 1 };
	struct cf_head head;
	uint32_t new_number[ALL_BINARIES];
	struct cf_writer *w;
	struct content c;
	size_t size;
	uint8_t *v;

	content_make(&c, 1, 1, 0, 1);
	c.has[2] = true;
	content_add_step(&c, &step);
	content_write(test_path("a.counts"), &c);
	CHECK_EQ(read_all("a.counts"), 0);
	v = bytes_of("a.counts", &size);
	*find_column(find_chunk(v, size, "STEP"), 11, 5) = 32;
	put_sealed("b.counts", v, size);
	refused("b.counts", "damaged: a step is wrong");
	free(v);
	head = content_head(&c, new_number);
	step.type = 32;
	CHECK_EQ(cf_writer_open(&w, test_path("c.counts"), &head, &said), 0);
	CHECK_EQ(cf_write_step(w, &step, &said), ERROR_INPUT);
	CHECK_EQ(cf_writer_close(w, false, &said), 0);
	content_head_free(&head);
	content_free(&c);
}

/* The second step or sample becomes the first one again. */
TEST(what_is_not_sorted_is_damage)
{
	struct content c;
	size_t size;
	uint8_t *v;

	content_make(&c, 1, 1, 0, 1);
	c.has[2] = true;
	content_add_step(&c, &(struct cf_step){ 2, 2, 4, 8, 6, 1, .seen = 1 });
	content_add_step(&c, &(struct cf_step){ 2, 2, 8, 12, 6, 1, .seen = 1 });
	content_add_sample(&c, &(struct cf_sample){ 2, 4, 1 });
	content_add_sample(&c, &(struct cf_sample){ 2, 8, 1 });
	content_write(test_path("a.counts"), &c);
	content_free(&c);
	v = bytes_of("a.counts", &size);
	find_column(find_chunk(v, size, "STEP"), 11, 2)[1] = 0;
	put_sealed("b.counts", v, size);
	refused("b.counts", "damaged: the steps are not sorted");
	free(v);
	v = bytes_of("a.counts", &size);
	find_column(find_chunk(v, size, "SAMP"), 3, 1)[1] = 0;
	put_sealed("b.counts", v, size);
	refused("b.counts", "damaged: the samples are not sorted");
	find_column(find_chunk(v, size, "SAMP"), 3, 1)[1] = 4;
	find_column(find_chunk(v, size, "SAMP"), 3, 2)[1] = 2;
	put_sealed("b.counts", v, size);
	refused("b.counts", "damaged: its samples are not those that it counts");
	find_column(find_chunk(v, size, "SAMP"), 3, 0)[0] = 100;
	put_sealed("b.counts", v, size);
	refused("b.counts", "damaged: a sample is wrong");
	find_column(find_chunk(v, size, "STEP"), 11, 6)[1] = 2;
	put_sealed("b.counts", v, size);
	refused("b.counts", "damaged: its steps are not those that it counts");
	free(v);
}

/* Nothing is allocated by a size that the file does not have. */
TEST(sizes_that_a_file_only_claims_are_refused)
{
	size_t size, chunk;
	uint32_t stored;
	uint8_t *v = small_file(&size);

	memcpy(&stored, v + 28, sizeof(stored));
	chunk = 32 + stored;
	CHECK(!memcmp(v + chunk, "STEP", 4));
	memset(v + chunk + 8, 0, 8);
	put_sealed("big.counts", v, size);
	refused("big.counts", "damaged: a chunk is wrong");
	free(v);
	v = small_file(&size);
	memcpy(&stored, v + 28, sizeof(stored));
	chunk = 32 + stored;
	v[chunk + 10] = 1;
	put_sealed("big.counts", v, size);
	refused("big.counts", "damaged: a chunk is wrong");
	v[chunk + 9] = 0xff;
	v[chunk + 10] = 0;
	put_sealed("big.counts", v, size);
	refused("big.counts", "damaged: the size of a chunk is wrong");
	v[chunk + 15] = 1;
	put_sealed("big.counts", v, size);
	refused("big.counts", "damaged: a chunk is cut");
	v[26] = 1;
	put_sealed("big.counts", v, size);
	refused("big.counts", "damaged: its head is wrong");
	v[27] = 0x7f;
	put_sealed("big.counts", v, size);
	refused("big.counts", "damaged: its head is wrong");
	free(v);
}

TEST(other_files_are_no_counts_files)
{
	put_bytes("empty", "", 0);
	refused("empty", "not a counts file");
	put_bytes("text", "SSCTRCT and not more", 20);
	refused("text", "not a counts file");
	put_bytes("perf", "PERFILE2, and long enough to be a recording or something else that is read, or not at all", 80);
	refused("perf", "not a counts file");
	CHECK(!cf_is_countfile(test_path("text")) && !cf_is_countfile(test_path("away")));
	CHECK_EQ(mkdir(test_path("folder"), 0777), 0);
	refused("folder", "not a counts file, but a folder");
	refused("away", strerror(ENOENT));
}

TEST(a_pipe_is_read)
{
	size_t size;
	uint8_t *v = small_file(&size);
	struct cf_reader *r;
	struct cf_step step;
	int fds[2], in = dup(0);

	CHECK(cf_is_countfile(test_path("a.counts")));
	CHECK(in >= 0 && !pipe(fds));
	CHECK_EQ(write(fds[1], v, size), (ssize_t)size);
	close(fds[1]);
	CHECK(dup2(fds[0], 0) == 0);
	CHECK_EQ(cf_reader_open(&r, "-", &said), 0);
	CHECK_EQ(cf_read_step(r, &step, &said), 1);
	cf_reader_close(r);
	CHECK(dup2(in, 0) == 0);
	close(fds[0]);
	close(in);
	free(v);
}

TEST(an_open_pipe_is_recognized_by_its_path)
{
	size_t size;
	uint8_t *v = small_file(&size);
	struct cf_reader *r;
	char path[32];
	int fds[2];

	CHECK(!pipe(fds));
	CHECK_EQ(write(fds[1], v, size), (ssize_t)size);
	close(fds[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", fds[0]);
	CHECK(cf_is_countfile(path) && cf_is_countfile(path));
	CHECK_EQ(cf_reader_open(&r, path, &said), 0);
	cf_reader_close(r);
	CHECK(!cf_is_countfile(path)); /* it is empty */
	close(fds[0]);
	free(v);
}

/* ------------------------------------------------------------------ writer */

/* The writer refuses this, and leaves no file. */
static void cannot_write(const struct cf_step *steps, unsigned int nr, const char *text)
{
	uint32_t new_number[ALL_BINARIES];
	struct content c;
	struct cf_head head;
	struct cf_writer *w;
	unsigned int i;
	int ret = 0;

	content_make(&c, 1, 1, 0, 1);
	memset(c.has, 0, sizeof(c.has));
	c.has[0] = c.has[1] = c.has[2] = true;
	head = content_head(&c, new_number);
	head.entries = 2;
	CHECK_EQ(cf_writer_open(&w, test_path("a.counts"), &head, &said), 0);
	for (i = 0; !ret && i < nr; i++)
		ret = cf_write_step(w, &steps[i], &said);
	if (!ret)
		ret = cf_writer_close(w, true, &said);
	else
		CHECK_EQ(cf_writer_close(w, false, &(struct error){ "" }), 0);
	CHECK_EQ(ret, ERROR_INPUT);
	if (!strstr(said.text, text))
		test_fail(__FILE__, __LINE__, "no \"%s\" in \"%s\"", text, said.text);
	CHECK(access(test_path("a.counts"), F_OK));
	content_head_free(&head);
	content_free(&c);
}

TEST(the_writer_refuses_what_a_reader_would_refuse)
{
	struct cf_step s[2] = { { .from_binary = 2, .to_binary = 2, .seen = 1 } };

	cannot_write(s, 1, "not those that the head counts");
	s[1] = s[0];
	cannot_write(s, 2, "not sorted");
	s[1].to = 2;
	s[1].from_binary = 1;
	cannot_write(s, 2, "not sorted");
	s[1].from_binary = 3;
	cannot_write(s, 2, "does not have");
	s[0].seen = 0;
	cannot_write(s, 1, "wrong");
	s[0] = (struct cf_step){ .from_binary = 2, .to_binary = 1, .to = 4, .seen = 2 };
	cannot_write(s, 1, "wrong");
	s[0] = (struct cf_step){ .from_binary = 2, .to_binary = 2, .seen = 2, .timed = 3 };
	cannot_write(s, 1, "wrong");
	s[0] = (struct cf_step){ .from_binary = 2, .to_binary = 2, .seen = 2, .cycles = 3 };
	cannot_write(s, 1, "wrong");
}

/* A file that is one chunk of samples, each at the next byte. The first has this count. */
static int read_chunk(unsigned int nr, uint64_t first, size_t size)
{
	uint8_t *v = calloc(1, size), *counts = v + 12 + 2 * nr;
	struct cf_unpacker unpacker = { 0 };
	struct cf_packer packer = { 0 };
	struct cf_in in = { .name = "a", .unpacker = &unpacker, .nr_binaries = CF_FIRST_BINARY + 1 };
	struct cf_sample sample;
	unsigned int i;
	int ret;

	CHECK(v);
	cf_put32(v, nr);
	cf_put32(v + 4, nr);
	cf_put32(v + 8, (uint32_t)(size - 12 - 2 * nr));
	v[12] = CF_FIRST_BINARY;
	memset(v + 12 + nr, 1, nr);
	memset(v + size - nr + 1, 1, nr - 1);
	for (; counts < v + size - nr; first >>= 7)
		*counts++ = (uint8_t)(first | 0x80);
	*counts = (uint8_t)first;
	CHECK(cf_pack(&packer, "SAMP", nr, v, size));
	put_bytes("chunk", packer.out, packer.size);
	in.end = packer.size;
	in.fd = open(test_path("chunk"), O_RDONLY | O_CLOEXEC);
	CHECK(in.fd >= 0);
	for (i = 0; (ret = cf_in_sample(&in, &sample, &said)) > 0; i++)
		CHECK_EQ(sample.offset, i + 1);
	CHECK_EQ(i, ret ? 0 : nr);
	close(in.fd);
	cf_in_free(&in);
	cf_packer_free(&packer);
	cf_unpacker_free(&unpacker);
	free(v);
	return ret;
}

TEST(a_chunk_has_at_most_64_kilobytes)
{
	/* Sizes of three columns, and in each a byte for each sample; but the first count. */
	CHECK_EQ(read_chunk(21841, 1 << 7, 65536), 0);
	CHECK_EQ(read_chunk(21841, 1 << 14, 65537), ERROR_INPUT);
	CHECK_STR(said.text, "a: damaged: a chunk is wrong");
}

TEST(a_full_disk_leaves_no_file)
{
	struct rlimit limit;
	struct content c;
	uint32_t new_number[ALL_BINARIES];
	struct cf_head head;
	struct cf_writer *w;
	struct cf_step step;
	size_t i;
	int ret;

	/* With all binaries before the steps: without one that has places, a few steps are all. */
	content_make(&c, 1, 1, 0, 0);
	memset(c.has, 1, sizeof(c.has));
	for (i = 0; i < 5000; i++) {
		step = random_step(&c, 1 << 20);
		content_add_step(&c, &step);
	}
	content_sort(&c);
	head = content_head(&c, new_number);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &limit));
	limit.rlim_cur = 20000;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	ret = cf_writer_open(&w, test_path("a.counts"), &head, &said);
	for (i = 0; !ret && i < c.nr_steps; i++)
		ret = cf_write_step(w, &c.steps[i], &said);
	if (!ret)
		ret = cf_writer_close(w, true, &said);
	else
		cf_writer_close(w, false, &(struct error){ "" });
	limit.rlim_cur = limit.rlim_max;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK_EQ(ret, ERROR_OUTPUT);
	CHECK(strstr(said.text, "a.counts") && strstr(said.text, strerror(EFBIG)));
	CHECK(access(test_path("a.counts"), F_OK));
	content_head_free(&head);
	content_free(&c);
}
