// SPDX-License-Identifier: GPL-2.0-only
/* The .zstf container: what the writer makes, and what the reader says of it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "stf-trace.h"
#include "stf/stf_pool.h"

static struct bytes file;
static struct zstf z;

/* ------------------------------------------------------- the container's shape */

static uint64_t u64_at(size_t offset)
{
	uint64_t v = 0;
	unsigned int i;

	CHECK(offset + 8 <= file.n);
	for (i = 0; i < 8; i++)
		v |= (uint64_t)file.v[offset + i] << 8 * i;
	return v;
}

enum { ENTRY_OFFSET = 0, ENTRY_PC = 8, ENTRY_SIZE = 16 };

static uint64_t index_entry(uint64_t nr, unsigned int field)
{
	return u64_at(u64_at(Z_END) + 8 + 24 * nr + field);
}

static uint64_t load_container(const char *name)
{
	uint64_t end, n;

	file.n = read_file(in_tmpdir(name), file.v, sizeof(file.v));
	CHECK(!memcmp(file.v, "ZSTF", 4));
	end = u64_at(Z_END);
	n = u64_at(end);
	CHECK_EQ(end + 8 + 24 * n, file.n);
	return n;
}

/*
 * How many opcodes chunk nr inflates to. It has to be one zstd frame, lie right
 * behind the one before, and hold nothing behind the header but opcodes.
 */
static unsigned int opcodes_of_chunk(uint64_t nr)
{
	uint64_t end = u64_at(Z_END), n = u64_at(end);
	uint64_t from = index_entry(nr, ENTRY_OFFSET);
	uint64_t to = nr + 1 < n ? index_entry(nr + 1, ENTRY_OFFSET) : end;
	uint64_t size = index_entry(nr, ENTRY_SIZE);
	static uint8_t raw[1 << 17];
	unsigned int opcodes = 0;
	size_t i = 0;

	CHECK(nr ? from > Z_CHUNKS : from == Z_CHUNKS);
	CHECK_EQ(ZSTD_findFrameCompressedSize(file.v + from, to - from),
		 to - from);
	CHECK_EQ(ZSTD_decompress(raw, sizeof(raw), file.v + from, to - from),
		 size);
	if (!nr)
		while (raw[i++] != STF_END_HEADER)
			CHECK(i < size);
	for (; i < size; opcodes++) {
		CHECK(raw[i] == 240 || raw[i] == 241);
		i += raw[i] == 240 ? 5 : 3;
	}
	CHECK_EQ(i, size);
	return opcodes;
}

static void chunks_are_right(unsigned int insts, unsigned int per_chunk)
{
	unsigned int want = insts ? (insts + per_chunk - 1) / per_chunk : 1;
	struct stf_writer *w = start("t.zstf", per_chunk);
	struct result res;
	unsigned int nr;

	write_insts(w, insts);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(load_container("t.zstf"), want);
	CHECK_EQ(u64_at(Z_MARKERS), per_chunk);
	for (nr = 0; nr < want; nr++) {
		unsigned int rest = insts - nr * per_chunk;

		CHECK_EQ(opcodes_of_chunk(nr),
			 rest < per_chunk ? rest : per_chunk);
	}
	res = read_all(in_tmpdir("t.zstf"));
	CHECK_EQ(res.end, 0);
	CHECK_EQ(res.insts, insts);
}

TEST(chunks_hold_the_stated_number)
{
	static const unsigned int insts[] = { 0, 1, 6, 7, 8, 13, 14, 15, 21 };
	unsigned int i;

	for (i = 0; i < sizeof(insts) / sizeof(insts[0]); i++) {
		chunks_are_right(insts[i], 1);
		chunks_are_right(insts[i], 2);
		chunks_are_right(insts[i], 7);
		chunks_are_right(insts[i], 100000);
	}
}

TEST(records_after_the_last_opcode_need_no_chunk)
{
	struct stf_writer *w = start("t.zstf", 7);
	struct result res;

	write_insts(w, 14);
	CHECK_EQ(stf_write_comment(w, "the end"), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(load_container("t.zstf"), 2);
	res = read_all(in_tmpdir("t.zstf"));
	CHECK_EQ(res.end, 0);
	CHECK_EQ(res.insts, 14);
}

TEST(the_index_has_the_pc_of_each_first_instruction)
{
	struct stf_writer *w = start("t.zstf", 2);

	write_insts(w, 3);
	CHECK_EQ(stf_write_pc_target(w, 0x500), 0);
	CHECK_EQ(stf_write_inst(w, 1, 2), 0); /* 2nd of chunk 1 */
	CHECK_EQ(stf_write_inst(w, 1, 2), 0);
	CHECK_EQ(stf_write_inst(w, 1, 2), 0); /* 2nd of chunk 2 */
	CHECK_EQ(stf_write_force_pc(w, 0x900), 0);
	CHECK_EQ(stf_write_inst(w, 1, 2), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(load_container("t.zstf"), 4);
	CHECK_EQ(index_entry(0, ENTRY_PC), 0);
	CHECK_EQ(index_entry(1, ENTRY_PC), START_PC + 6);
	CHECK_EQ(index_entry(2, ENTRY_PC), 0x500);
	CHECK_EQ(index_entry(3, ENTRY_PC), 0x900);
	CHECK_EQ(read_all(in_tmpdir("t.zstf")).end, 0);
}

TEST(a_killed_writer_leaves_a_readable_file)
{
	struct stf_writer *w = start_threads("t.zstf", 5, STF_NO_THREADS);
	struct result res;
	unsigned int n;

	for (n = 0; n < 23; n++) {
		write_insts(w, 1);
		if (n < 5)
			continue;
		res = read_all(temporary_name("t.zstf"));
		CHECK_EQ(res.end, 0);
		CHECK_EQ(res.insts, n / 5 * 5);
	}
	stf_writer_abort(w);
}

static uint64_t bytes_written, file_end;

static int64_t count_bytes(void *user, const void *data, size_t n)
{
	(void)user, (void)data;
	bytes_written += n;
	return (int64_t)n;
}

static int64_t count_bytes_at(void *user, const void *data, size_t n, uint64_t offset)
{
	if (offset + n > file_end)
		file_end = offset + n;
	return count_bytes(user, data, n);
}

/* The index of 3000 chunks has 72 kB. Written after each chunk, it would be 108 MB. */
TEST(what_is_written_grows_with_the_file)
{
	static const char *const comments[] = { "many chunks", NULL };
	const struct stf_write_calls calls = { .size = sizeof(calls),
					       .write = count_bytes,
					       .write_at = count_bytes_at };
	const struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
					.generator = STF_GEN_QEMU };
	struct stf_writer_opts opts = { .size = sizeof(opts), .chunk_markers = 1,
					.threads = STF_NO_THREADS };
	struct stf_writer *w;

	opts.container = STF_CONTAINER_ZSTF;
	w = stf_writer_open_calls(&calls, &opts, NULL);
	CHECK(w);
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	write_insts(w, 3000);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK(file_end >= 3000 * 24);
	CHECK(bytes_written <= 2 * file_end);
}

TEST(a_writer_killed_at_any_write_leaves_whole_chunks)
{
	static uint8_t bytes[1 << 16];
	unsigned int n, most = 0;
	pid_t pid;
	int status;

	test_tmpdir();
	for (n = 0; n < 40; n++) {
		struct result res;
		size_t size;

		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			struct stf_writer *w = start_threads("t.zstf", 3, 2);

			write_insts(w, n);
			kill(getpid(), SIGKILL);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFSIGNALED(status));
		snprintf((char *)bytes, sizeof(bytes), "%s.part-%ld.0",
			 in_tmpdir("t.zstf"), (long)pid);
		CHECK(!rename((char *)bytes, in_tmpdir("k.zstf")));
		size = read_file(in_tmpdir("k.zstf"), bytes, sizeof(bytes));
		res = read_all(in_tmpdir("k.zstf"));
		if (res.end) {
			CHECK_EQ(res.end, size < 20 ? STF_E_CUT :
						      STF_E_CONTAINER);
			CHECK(!res.insts);
		}
		CHECK(res.insts <= n && res.insts % 3 == 0);
		most = res.insts > most ? (unsigned int)res.insts : most;
	}
	CHECK(most > 0);
}

TEST(threads_do_not_change_a_byte)
{
	static uint8_t one[1 << 17], many[1 << 17];
	unsigned int threads;
	size_t n;

	for (threads = 1; threads < 5; threads++) {
		struct stf_writer *w = start_threads("1.zstf", 7, STF_NO_THREADS);

		write_insts(w, 1000);
		CHECK_EQ(stf_writer_close(w, NULL), 0);
		w = start_threads("n.zstf", 7, threads);
		write_insts(w, 1000);
		CHECK_EQ(stf_writer_close(w, NULL), 0);
		n = read_file(in_tmpdir("1.zstf"), one, sizeof(one));
		CHECK_EQ(read_file(in_tmpdir("n.zstf"), many, sizeof(many)), n);
		CHECK(!memcmp(one, many, n));
	}
}

TEST(readers_with_any_number_of_threads_read_the_same)
{
	struct stf_writer *w = start("t.zstf", 7);
	struct result want;
	unsigned int i;

	write_insts(w, 1000);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	want = read_all(in_tmpdir("t.zstf"));
	CHECK_EQ(want.end, 0);
	for (i = 0; i < 6; i++) {
		struct stf_reader_opts opts = { .size = sizeof(opts) };
		struct stf_record rec;
		struct stf_reader *r;
		uint64_t sum = 0;
		int end;

		opts.threads = i == 5 ? STF_NO_THREADS : i;
		r = stf_reader_open(in_tmpdir("t.zstf"), &opts, NULL);
		CHECK(r);
		while ((end = stf_reader_next(r, &rec)) > 0)
			add_fields(&sum, &rec);
		stf_reader_close(r);
		CHECK_EQ(end, 0);
		CHECK_EQ(sum, want.sum);
	}
}

/* ------------------------------------------------ containers made by another */

/* `file` is a trace of n opcodes of 3 bytes after its header. */
static size_t make_trace(unsigned int n)
{
	size_t header;

	b_header(&file, FEATURES_RV64);
	header = file.n;
	while (n--)
		b_inst16(&file, 1);
	return header;
}

/* 3 chunks, of 2, 2 and 1 opcodes. */
static void make_container(void)
{
	size_t header = make_trace(5);

	z_start(&z, 2);
	z_chunk(&z, file.v, header + 6, 0);
	z_chunk(&z, file.v + header + 6, 6, START_PC + 4);
	z_chunk(&z, file.v + header + 12, 3, START_PC + 8);
	z_index(&z);
}

static struct result read_container(void)
{
	write_file(in_tmpdir("z.zstf"), z.b.v, z.b.n);
	return read_all(in_tmpdir("z.zstf"));
}

static void is_broken(const char *why)
{
	struct result res = read_container();

	CHECK_EQ(res.end, STF_E_CONTAINER);
	if (!strstr(res.text, why))
		test_fail(__FILE__, __LINE__, "%s", res.text);
}

static void set64(size_t offset, uint64_t v)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		z.b.v[offset + i] = (uint8_t)(v >> 8 * i);
}

static size_t z_end(void)
{
	size_t v = 0;
	unsigned int i;

	for (i = 0; i < 8; i++)
		v |= (size_t)z.b.v[Z_END + i] << 8 * i;
	return v;
}

TEST(a_container_made_by_hand_is_read)
{
	struct result res;

	make_container();
	res = read_container();
	CHECK_EQ(res.end, 0);
	CHECK_EQ(res.insts, 5);
	CHECK_EQ(res.records, 9 + 5);
}

TEST(a_container_is_told_by_content)
{
	make_container();
	write_file(in_tmpdir("z.stf"), z.b.v, z.b.n);
	CHECK_EQ(read_all(in_tmpdir("z.stf")).insts, 5);
}

TEST(broken_headers_of_containers)
{
	make_container();
	set64(Z_MARKERS, 0);
	is_broken("0 instructions per chunk");
	make_container();
	set64(Z_END, z.b.n);
	is_broken("index");
	make_container();
	set64(Z_END, UINT64_MAX);
	is_broken("index");
	make_container();
	set64(Z_END, 12);
	is_broken("index");
	make_container();
	set64(Z_END, z_end() - 1);
	is_broken("index");
}

TEST(broken_indices_of_containers)
{
	make_container();
	set64(z_end(), 0);
	is_broken("0 chunks does not end with the file");
	make_container();
	set64(z_end(), 2);
	is_broken("2 chunks does not end with the file");
	make_container();
	set64(z_end(), UINT64_C(1) << 61);
	is_broken("does not end with the file");
	make_container();
	b8(&z.b, 0);
	is_broken("does not end with the file");
	make_container();
	set64(z_end() + 8, 4);
	is_broken("chunk 0 of the container lies outside");
	make_container();
	set64(z_end() + 8 + 24, UINT64_MAX);
	is_broken("chunk 0 of the container lies outside");
	make_container();
	set64(z_end() + 8 + 48, z_end() + 1);
	is_broken("chunk 1 of the container lies outside");
}

TEST(sizes_in_the_index_are_not_believed)
{
	size_t size;

	make_container();
	size = z_end() + 8 + ENTRY_SIZE;
	set64(size, 0);
	is_broken("impossible size");
	set64(size, UINT64_MAX);
	is_broken("impossible size");
	set64(size, UINT64_C(1) << 40);
	is_broken("impossible size");
	set64(size, z.size[0] + 1);
	is_broken("another size");
	set64(size, z.size[0] - 1);
	is_broken("does not inflate");
}

TEST(memory_for_a_chunk_has_a_limit)
{
	struct stf_reader_opts opts = { .size = sizeof(opts),
					.max_buffer = 100 };
	struct stf_error err;

	make_container();
	write_file(in_tmpdir("z.zstf"), z.b.v, z.b.n);
	CHECK(z.size[0] <= 100 || !stf_reader_open(in_tmpdir("z.zstf"), &opts,
						   &err));
	CHECK(z.size[0] > 40);
	opts.max_buffer = 40;
	CHECK(!stf_reader_open(in_tmpdir("z.zstf"), &opts, &err));
	CHECK_EQ(err.code, STF_E_NOMEM);
	CHECK(strstr(err.text, "limit"));
}

TEST(chunks_with_a_wrong_number_of_opcodes)
{
	size_t header = make_trace(5);

	z_start(&z, 3);
	z_chunk(&z, file.v, header + 6, 0);
	z_chunk(&z, file.v + header + 6, 9, 0);
	z_index(&z);
	is_broken("chunk 0 of the container holds fewer");
	z_start(&z, 1);
	z_chunk(&z, file.v, header + 3, 0);
	z_chunk(&z, file.v + header + 3, 6, 0);
	z_chunk(&z, file.v + header + 9, 3, 0);
	z_index(&z);
	is_broken("chunk 1 of the container holds more");
	z_start(&z, 2);
	z_chunk(&z, file.v, header + 6, 0);
	z_chunk(&z, file.v + header + 6, 9, 0);
	z_index(&z);
	is_broken("chunk 1 of the container holds more");
}

TEST(a_chunk_ends_with_an_opcode)
{
	size_t header = make_trace(1);

	b_pc(&file, 31, 0x500);
	b_inst16(&file, 1);
	z_start(&z, 1);
	z_chunk(&z, file.v, header + 3 + 9, 0);
	z_chunk(&z, file.v + header + 3 + 9, 3, 0);
	z_index(&z);
	is_broken("chunk 0 of the container does not end with an instruction");
	CHECK_EQ(read_insts(in_tmpdir("z.zstf")), STF_E_CONTAINER);
	/* Cut inside the record. */
	z_start(&z, 1);
	z_chunk(&z, file.v, header + 3 + 4, 0);
	z_chunk(&z, file.v + header + 3 + 4, 8, 0);
	z_index(&z);
	is_broken("chunk 0 of the container does not end with an instruction");
}

/* Behind the last instruction of the last chunk, or alone in a chunk. */
TEST(the_reserved_end_ends_the_last_chunk)
{
	size_t header, rest;
	struct result res;

	for (rest = 0; rest < 2; rest++) {
		header = make_trace(2 + rest);
		b8(&file, 255);
		z_start(&z, 2);
		z_chunk(&z, file.v, header + 6, 0);
		z_chunk(&z, file.v + header + 6, 3 * rest + 1, 0);
		z_index(&z);
		res = read_container();
		CHECK_EQ(res.end, 0);
		CHECK_EQ(res.insts, 2 + rest);
		CHECK_EQ(read_insts(in_tmpdir("z.zstf")), 0);
	}
}

TEST(a_cut_last_chunk_says_where)
{
	size_t header = make_trace(3);
	struct result res;

	z_start(&z, 2);
	z_chunk(&z, file.v, header + 6, 0);
	z_chunk(&z, file.v + header + 6, 2, 0);
	z_index(&z);
	res = read_container();
	CHECK_EQ(res.end, STF_E_CUT);
	CHECK(strstr(res.text, "in chunk 1 at byte 0: the trace ends inside INST_16"));
}

TEST(damage_inside_a_chunk_is_seen)
{
	struct result whole, res;
	size_t n, end;

	write_samples("t.zstf", 2);
	load_container("t.zstf");
	whole = read_all(in_tmpdir("t.zstf"));
	end = u64_at(Z_END);
	for (n = Z_CHUNKS; n < end; n++) {
		file.v[n] ^= 1;
		write_file(in_tmpdir("flip.zstf"), file.v, file.n);
		res = read_all(in_tmpdir("flip.zstf"));
		/* A frame has a few bits that mean nothing. */
		CHECK(res.end == STF_E_CONTAINER ||
		      (!res.end && res.sum == whole.sum));
		file.v[n] ^= 1;
	}
}

/* ------------------------------------------------------------------ recovering */

TEST(without_an_index_whole_chunks_are_read)
{
	struct stf_reader *r;
	struct stf_stats stats = { .size = sizeof(stats) };
	struct result res;
	size_t end;

	make_container();
	end = z.offset[2];
	set64(Z_END, 0);
	res = read_container();
	CHECK_EQ(res.end, 0);
	CHECK_EQ(res.insts, 5);
	r = stf_reader_open(in_tmpdir("z.zstf"), NULL, NULL);
	CHECK(r);
	stf_reader_stats(r, &stats);
	CHECK(stats.recovered);
	CHECK_EQ(stats.chunks, 3);
	stf_reader_close(r);
	/* The last chunk cut: the others are there. */
	z.b.n = end + 5;
	res = read_container();
	CHECK_EQ(res.end, 0);
	CHECK_EQ(res.insts, 4);
	z.b.n = z.offset[1] - 1;
	res = read_container();
	CHECK_EQ(res.end, STF_E_CONTAINER);
	CHECK(strstr(res.text, "no whole chunk"));
}

/* --------------------------------------------------------------------- seeking */

static void seek_everywhere(const char *name, unsigned int n, bool back)
{
	static uint64_t pcs[400];
	struct stf_reader *r = stf_reader_open(in_tmpdir(name), NULL, NULL);
	struct stf_inst_iter *iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	struct stf_inst inst;
	unsigned int i;

	for (i = 0; stf_inst_iter_next(iter, &inst) > 0; i++)
		pcs[i] = inst.pc;
	CHECK_EQ(i, n);
	for (i = 0; i < 200; i++) {
		uint64_t to = test_random() % n;

		if (!back) {
			stf_inst_iter_free(iter);
			stf_reader_close(r);
			r = stf_reader_open(in_tmpdir(name), NULL, NULL);
			iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
		}
		CHECK_EQ(stf_inst_iter_seek(iter, to), 1);
		for (; to < n && test_random() % 4; to++) {
			CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
			CHECK_EQ(inst.index, to);
			CHECK_EQ(inst.pc, pcs[to]);
		}
	}
	/* The end is a place, and what is behind it is the end. */
	CHECK_EQ(stf_inst_iter_seek(iter, n), 1);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	CHECK_EQ(stf_inst_iter_seek(iter, n + 100), 0);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

/* A trace without END_HEADER is read, if not praised. */
TEST(a_trace_whose_header_does_not_end_can_be_sought)
{
	struct stf_inst_iter *iter;
	struct stf_record rec;
	struct stf_reader *r;
	struct stf_inst inst;
	size_t header = make_trace(9);

	CHECK_EQ(file.v[header - 1], STF_END_HEADER);
	memmove(file.v + header - 1, file.v + header, file.n - header);
	write_file(in_tmpdir("t.stf"), file.v, file.n - 1);
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	iter = stf_inst_iter_new(r, sizeof(inst));
	CHECK_EQ(stf_inst_iter_seek(iter, 0), 1);
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 0);
	CHECK_EQ(stf_inst_iter_seek(iter, 5), 1);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.index, 5);
	CHECK_EQ(inst.pc, START_PC + 10);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

TEST(the_header_is_in_no_instructions_group)
{
	struct stf_writer *w = start("t.zstf", 7);
	struct stf_inst_iter *iter;
	struct stf_record rec;
	struct stf_reader *r;

	write_insts(w, 30);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	r = stf_reader_open(in_tmpdir("t.zstf"), NULL, NULL);
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	CHECK_EQ(stf_inst_iter_seek(iter, 0), 1);
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 0);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

/* All chunks that came are whole; the header says that there are more. */
TEST(a_stream_that_ends_between_two_chunks_is_cut)
{
	struct stf_reader *r;
	struct stf_record rec;
	int ends[2], end;

	make_container();
	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(write(ends[1], z.b.v, z.offset[1]), z.offset[1]);
	close(ends[1]);
	r = stf_reader_open_fd(ends[0], NULL, NULL);
	CHECK(r);
	while ((end = stf_reader_next(r, &rec)) > 0)
		;
	CHECK_EQ(end, STF_E_CUT);
	CHECK(strstr(stf_reader_error(r), "is cut short"));
	stf_reader_close(r);
}

TEST(seeking_finds_every_instruction)
{
	struct stf_writer *w = start("t.zstf", 7);

	write_insts(w, 300);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	seek_everywhere("t.zstf", 300, true);
	w = start("t.stf", 0);
	write_insts(w, 300);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	seek_everywhere("t.stf", 300, false);
}

TEST(seeking_jumps_over_damage)
{
	struct stf_reader *r;
	struct stf_inst_iter *iter;
	struct stf_inst inst;

	make_container();
	memset(z.b.v + z.offset[1], 0, z.offset[2] - z.offset[1]);
	write_file(in_tmpdir("z.zstf"), z.b.v, z.b.n);
	r = stf_reader_open(in_tmpdir("z.zstf"), NULL, NULL);
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	CHECK_EQ(stf_inst_iter_seek(iter, 4), 1);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.index, 4);
	CHECK_EQ(inst.pc, START_PC + 8);
	CHECK_EQ(inst.mode, STF_MODE_UNKNOWN);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	CHECK_EQ(stf_inst_iter_seek(iter, 0), 1);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.pc, START_PC);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

/* Thread 1 runs at first, and instructions are missing where it goes on with the third. */
TEST(after_a_jump_only_the_thread_that_runs_tells_of_gaps)
{
	static const struct {
		unsigned int tid;
		uint64_t pc;
		bool gap;
	} insts[] = {
		{ 1, 0x100, false }, { 1, 0x102, false }, { 1, 0x200, true },
		{ 2, 0x300, false }, { 2, 0x400, true },  { 1, 0x202, false },
		{ 1, 0x500, true },
	};
	enum { N = sizeof(insts) / sizeof(insts[0]) };
	struct stf_writer *w = start("t.zstf", 2);
	struct stf_inst_iter *iter;
	struct stf_reader *r;
	struct stf_inst inst;
	unsigned int i, to;

	for (i = 0; i < N; i++) {
		if (!i || insts[i].tid != insts[i - 1].tid)
			CHECK_EQ(stf_write_process(w, 0, 1, insts[i].tid), 0);
		CHECK_EQ(stf_write_force_pc(w, insts[i].pc), 0);
		CHECK_EQ(stf_write_inst(w, 1, 2), 0);
	}
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	r = stf_reader_open(in_tmpdir("t.zstf"), NULL, NULL);
	iter = stf_inst_iter_new(r, sizeof(inst));
	for (to = 0; to < N; to++) {
		CHECK_EQ(stf_inst_iter_seek(iter, to), 1);
		for (i = to; i < N; i++) {
			/* The first one of a chunk does not tell, if it is come to by a jump. */
			const bool unknown = to && i == to / 2 * 2;

			CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
			CHECK_EQ(!!(inst.flags & STF_INST_F_GAP), insts[i].gap && !unknown);
		}
	}
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

TEST(seeking_needs_no_end_of_the_header)
{
	struct stf_reader *r;
	struct stf_inst_iter *iter;
	struct stf_inst inst;
	size_t header;
	uint64_t i;

	b_header(&file, FEATURES_RV64);
	header = --file.n;
	for (i = 0; i < 5; i++)
		b_inst16(&file, 1);
	z_start(&z, 2);
	z_chunk(&z, file.v, header + 6, 0);
	z_chunk(&z, file.v + header + 6, 6, START_PC + 4);
	z_chunk(&z, file.v + header + 12, 3, START_PC + 8);
	z_index(&z);
	write_file(in_tmpdir("z.zstf"), z.b.v, z.b.n);
	for (i = 0; i <= 5; i++) {
		r = stf_reader_open(in_tmpdir("z.zstf"), NULL, NULL);
		iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
		CHECK_EQ(stf_inst_iter_seek(iter, i), 1);
		CHECK_EQ(stf_inst_iter_next(iter, &inst), i < 5);
		CHECK(i == 5 || (inst.index == i && inst.pc == START_PC + 2 * i));
		/* And back, when the first instruction was read already. */
		CHECK_EQ(stf_inst_iter_seek(iter, 3), 1);
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
		CHECK(inst.index == 3 && inst.pc == START_PC + 6);
		CHECK_EQ(stf_inst_iter_seek(iter, 0), 1);
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
		CHECK(inst.index == 0 && inst.pc == START_PC);
		stf_inst_iter_free(iter);
		stf_reader_close(r);
	}
}

TEST(a_plain_trace_is_not_sought_backwards)
{
	struct stf_writer *w = start("t.stf", 0);
	struct stf_reader *r;
	struct stf_inst_iter *iter;
	struct stf_inst inst;

	write_insts(w, 10);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	r = stf_reader_open(in_tmpdir("t.stf"), NULL, NULL);
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	CHECK_EQ(stf_inst_iter_seek(iter, 5), 1);
	CHECK_EQ(stf_inst_iter_seek(iter, 4), STF_E_INVAL);
	CHECK(strstr(stf_reader_error(r), "t.stf: cannot go back to instruction 4"));
	CHECK(strstr(stf_reader_error(r), "index at its end"));
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.index, 5);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

/* ------------------------------------------------------------------ memory */

static void fill(void *user, struct stf_slot *slot, unsigned int worker)
{
	(void)user;
	(void)worker;
	memset(slot->out, 1, slot->out_room);
}

/* So memory is that of the jobs at a time, and not that of all slots. */
TEST(a_buffer_that_was_taken_back_is_used_for_the_next_job)
{
	struct stf_pool *pool = stf_pool_new(0, 4, fill, NULL);
	uint8_t *outs[2] = { NULL, NULL };
	struct stf_slot *slot;
	unsigned int i;

	CHECK(pool);
	for (i = 0; i < 20; i++) {
		/* After the first two jobs, one is always submitted. */
		slot = stf_pool_slot(pool);
		CHECK(slot);
		CHECK(stf_pool_grow(pool, slot, 1000, 2000));
		if (i < 2)
			outs[i] = slot->out;
		CHECK(slot->out == outs[i % 2]);
		stf_pool_submit(pool);
		if (i)
			CHECK(stf_pool_take(pool)->out == outs[(i + 1) % 2]);
	}
	stf_pool_free(pool);
}

TEST(large_chunks_wait_for_those_before_them)
{
	struct stf_pool *pool = stf_pool_new(0, 3, fill, NULL);
	struct stf_slot *slot = stf_pool_slot(pool);

	CHECK(stf_pool_grow(pool, slot, 6 << 20, 6 << 20));
	stf_pool_submit(pool);
	slot = stf_pool_slot(pool);
	CHECK(!stf_pool_too_much(pool, slot, 4 << 20));
	CHECK(stf_pool_too_much(pool, slot, (4 << 20) + 1));
	/* When the first one is taken back, its buffers are those of the next job. */
	stf_pool_take(pool);
	slot = stf_pool_slot(pool);
	CHECK(!stf_pool_too_much(pool, slot, 16 << 20));
	stf_pool_free(pool);
}
