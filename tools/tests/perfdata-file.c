// SPDX-License-Identifier: GPL-2.0-only
/* perf.data: the file's header, events, ids, features, and what is refused. */
#include "perfdata-build.h"
#include "perfdata/perfdata.h"
#include "test.h"


/* The error of opening what b holds. */
static int open_error(struct pdb *b, char *text)
{
	struct pd *pd;
	int ret = pd_open_memory(&pd, b->file.p, b->file.n);

	strcpy(text, pd_error(pd));
	pd_close(pd);
	pdb_free(b);
	return ret;
}

static void minimal(struct pdb *b)
{
	pdb_event(b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_comm(b, 0, 7, "x", 1);
}

TEST(open_reads_the_events)
{
	const uint64_t bst = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	struct pdb b = { 0 };
	const struct pd_attr *attr;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, bst);
	pdb_event(&b, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP, 0);
	b.events[1].attr.config = 0x1234;
	b.events[1].attr.type = 4;
	b.events[1].attr.exclude_kernel = 0;
	pdb_comm(&b, 0, 7, "x", 1);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_EQ(pd_nr_attrs(pd), 2);
	attr = pd_attr(pd, 0);
	CHECK_EQ(attr->sample_type, PDB_BRANCH_SAMPLE);
	CHECK_EQ(attr->branch_sample_type, bst);
	CHECK(attr->exclude_kernel && !attr->exclude_user);
	CHECK(attr->sample_id_all);
	attr = pd_attr(pd, 1);
	CHECK_EQ(attr->index, 1);
	CHECK_EQ(attr->type, 4);
	CHECK_EQ(attr->config, 0x1234);
	CHECK(!attr->exclude_kernel);
	pd_close(pd);
	pdb_free(&b);
}

TEST(open_takes_a_short_event_description)
{
	/* As the first version of the interface had it: 64 bytes. */
	struct pdb b = { 0 };
	uint8_t short_attr[PERF_ATTR_SIZE_VER0 + 16];
	struct pd *pd;
	size_t at;

	minimal(&b);
	pdb_finish(&b);
	at = 104 + 16;		/* after the ids */
	memcpy(short_attr, b.file.p + at, PERF_ATTR_SIZE_VER0);
	memcpy(short_attr + PERF_ATTR_SIZE_VER0,
	       b.file.p + at + sizeof(struct perf_event_attr), 16);
	memcpy(b.file.p + at, short_attr, sizeof(short_attr));
	pdb_set64(&b.file, 16, sizeof(short_attr));
	pdb_set64(&b.file, 32, sizeof(short_attr));
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_EQ(pd_attr(pd, 0)->sample_type, PDB_BRANCH_SAMPLE);
	CHECK_EQ(pd_attr(pd, 0)->branch_sample_type, 0);
	pd_close(pd);
	pdb_free(&b);
}

TEST(kernel_branches_follow_the_filter_then_the_event)
{
	struct pd_attr attr = { .exclude_kernel = true };

	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	CHECK(!pd_attr_has_kernel_branches(&attr));
	attr.exclude_kernel = false;
	CHECK(pd_attr_has_kernel_branches(&attr));
	attr.branch_sample_type |= PERF_SAMPLE_BRANCH_USER;
	CHECK(!pd_attr_has_kernel_branches(&attr));
	attr.branch_sample_type |= PERF_SAMPLE_BRANCH_KERNEL;
	attr.exclude_kernel = true;
	CHECK(pd_attr_has_kernel_branches(&attr));
}

TEST(a_sample_is_away_where_its_event_counts_and_records_nothing)
{
	struct pd_attr attr = { .sample_type = PDB_BRANCH_SAMPLE | PERF_SAMPLE_IP,
				.branch_sample_type = PERF_SAMPLE_BRANCH_ANY };
	const struct pd_event user = { .attr = &attr, .sample.ip = 0x10000 };
	const struct pd_event kernel = { .attr = &attr, .sample.ip = 0xffffffff80001000 };

	CHECK(!pd_is_away(&user) && !pd_is_away(&kernel));
	attr.branch_sample_type |= PERF_SAMPLE_BRANCH_USER;
	CHECK(!pd_is_away(&user) && pd_is_away(&kernel));
	/* It was due in user code. */
	attr.exclude_kernel = true;
	CHECK(!pd_is_away(&kernel));
	attr.exclude_kernel = false;
	attr.branch_sample_type |= PERF_SAMPLE_BRANCH_CALL_STACK;
	CHECK(!pd_is_away(&kernel));
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL;
	CHECK(pd_is_away(&user) && !pd_is_away(&kernel));
	attr.exclude_user = true;
	CHECK(!pd_is_away(&user));
	attr.exclude_user = false;
	attr.type = PERF_TYPE_SOFTWARE;
	CHECK(!pd_is_away(&user));
	attr.type = PERF_TYPE_HARDWARE;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IP;
	CHECK(!pd_is_away(&user));
}

TEST(features_are_read)
{
	static const uint8_t id[24] = { 0xab, 1, 2, 3, [20] = 16 };
	struct pdb b = { 0 };
	struct pdb_buf *list;
	unsigned int size = 0;
	const uint8_t *found;
	struct pd *pd;

	minimal(&b);
	list = pdb_feature(&b, 2);
	/* Two entries; the second says how many bytes its id has. */
	pdb_u32(list, 67);
	pdb_u32(list, 2 | (36 + 8) << 16);
	pdb_u32(list, -1);
	pdb_put(list, id, 20);
	pdb_u32(list, 0);
	pdb_text(list, "/bin/a");
	pdb_u32(list, 67);
	pdb_u32(list, 2 | 1 << 15 | (36 + 8) << 16);
	pdb_u32(list, -1);
	pdb_put(list, id, 24);
	pdb_text(list, "/b");
	pdb_feature_text(&b, 3, "host");
	pdb_feature_text(&b, 4, "6.12.107+deb13-riscv64");
	pdb_feature_text(&b, 6, "riscv64");
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_STR(pd_text(pd, PD_HOSTNAME), "host");
	CHECK_STR(pd_text(pd, PD_OSRELEASE), "6.12.107+deb13-riscv64");
	CHECK_STR(pd_text(pd, PD_ARCH), "riscv64");
	found = pd_build_id(pd, "/bin/a", &size);
	CHECK(found && size == 20 && !memcmp(found, id, 20));
	found = pd_build_id(pd, "/b", &size);
	CHECK(found && size == 16 && !memcmp(found, id, 16));
	CHECK(!pd_build_id(pd, "/bin/b", &size));
	pd_close(pd);
	pdb_free(&b);
}

TEST(a_command_line_of_many_words_is_whole)
{
	enum { WORDS = 100000 };
	struct pdb b = { 0 };
	struct pdb_buf *list;
	const char *text;
	size_t size;
	struct pd *pd;
	unsigned int i;

	minimal(&b);
	list = pdb_feature(&b, 11);
	pdb_u32(list, WORDS);
	for (i = 0; i < WORDS; i++) {
		pdb_u32(list, 8);
		pdb_text(list, i % 2 ? "b.c" : "a.c");
	}
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	text = pd_text(pd, PD_CMDLINE);
	CHECK_EQ(strlen(text), 4 * WORDS - 1);
	for (i = 0; i < WORDS; i++)
		CHECK(!memcmp(text + 4 * i, i % 2 ? "b.c" : "a.c", 3) &&
		      text[4 * i + 3] == (i + 1 < WORDS ? ' ' : 0));
	text = pd_command(pd, &size);
	CHECK_EQ(size, 4 * WORDS);
	for (i = 0; i < WORDS; i++)
		CHECK_STR(text + 4 * i, i % 2 ? "b.c" : "a.c");
	pd_close(pd);
	pdb_free(&b);
}

TEST(the_wall_clock_is_told_in_files_and_pipes)
{
	uint64_t wall;
	unsigned int i;
	struct pdb b;
	struct pd *pd;

	for (i = 0; i < 2; i++) {
		struct pd_event ev;

		b = (struct pdb){ 0 };
		minimal(&b);
		pdb_clock_data(&b, 1000, UINT64_C(1700000000000000000));
		if (i)
			pdb_finish_pipe(&b);
		else
			pdb_finish(&b);
		CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
		CHECK(pd_next(pd, &ev) >= 0);
		CHECK(pd_wall_start(pd, &wall) && wall == UINT64_C(1700000000000000000));
		CHECK(pd_wall_time(pd, 1500, &wall) && wall == UINT64_C(1700000000000000500));
		CHECK(pd_wall_time(pd, 1, &wall) && wall == UINT64_C(1699999999999999001));
		CHECK(!pd_wall_time(pd, PD_NO_TIME, &wall));
		pd_close(pd);
		pdb_free(&b);
	}
}

TEST(a_wall_clock_of_another_version_is_not_believed)
{
	struct pdb b = { 0 };
	uint64_t wall;
	struct pd *pd;

	minimal(&b);
	pdb_clock_data(&b, 1000, 2000);
	*b.features[0].body.p = 2;
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK(!pd_wall_start(pd, &wall) && !pd_wall_time(pd, 1500, &wall));
	pd_close(pd);
	pdb_free(&b);
}

TEST(a_wall_clock_that_is_cut_is_an_error)
{
	struct pdb b = { 0 };
	struct pd *pd;

	minimal(&b);
	pdb_clock_data(&b, 1000, 2000);
	b.features[0].body.n--;
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), PD_ECORRUPT);
	pd_close(pd);
	pdb_free(&b);
}

TEST(without_features_texts_are_empty)
{
	struct pdb b = { 0 };
	unsigned int size;
	struct pd *pd;

	minimal(&b);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_STR(pd_text(pd, PD_HOSTNAME), "");
	CHECK_STR(pd_text(pd, PD_ARCH), "");
	CHECK(!pd_build_id(pd, "/bin/a", &size));
	pd_close(pd);
	pdb_free(&b);
}

TEST(missing_file_names_the_reason)
{
	struct pd *pd;

	CHECK_EQ(pd_open(&pd, "/nonexistent/perf.data"), PD_EIO);
	CHECK_STR(pd_error(pd), "No such file or directory");
	pd_close(pd);
}

TEST(empty_file_is_refused)
{
	char path[128];
	struct pdb b = { 0 };
	struct pd *pd;

	snprintf(path, sizeof(path), "%s/empty", test_tmpdir());
	CHECK(pdb_write(&b, path));
	CHECK_EQ(pd_open(&pd, path), PD_EFORMAT);
	CHECK_STR(pd_error(pd), "is empty");
	pd_close(pd);
}

TEST(other_files_are_refused)
{
	struct pdb b = { 0 };
	char text[256];

	pdb_text(&b.file, "\177ELF, certainly not a recording");
	CHECK_EQ(open_error(&b, text), PD_EFORMAT);
	CHECK(strstr(text, "not a perf.data file"));
}

TEST(folder_without_data_is_refused)
{
	struct pd *pd;

	CHECK_EQ(pd_open(&pd, test_tmpdir()), PD_EFORMAT);
	CHECK(strstr(pd_error(pd), "without a file `data`"));
	pd_close(pd);
}

TEST(pipe_mode_without_events_is_refused)
{
	struct pdb b = { 0 };
	char text[256];

	pdb_put(&b.file, "PERFILE2", 8);
	pdb_u64(&b.file, 16);
	CHECK_EQ(open_error(&b, text), PD_ECORRUPT);
	CHECK(strstr(text, "holds no events"));
}

/* perf record writes the size of the data, and what follows it, last. */
static void kill_writer(struct pdb *b, size_t missing)
{
	uint64_t at;

	memcpy(&at, b->file.p + 40, sizeof(at));
	pdb_set64(&b->file, 48, 0);
	b->file.n = at + b->data.n - missing;
}

TEST(what_a_killed_writer_left_is_read_as_far_as_it_goes)
{
	unsigned int missing;

	/* Whole records; and within the last one, and within its header. */
	for (missing = 0; missing < 3; missing++) {
		struct pdb b = { 0 };
		struct pd_event ev;
		struct pd *pd;

		minimal(&b);
		pdb_comm(&b, 0, 8, "y", 2);
		pdb_text(pdb_feature(&b, 3), "not read");
		pdb_finish(&b);
		kill_writer(&b,
			    missing < 2 ? missing : b.data.n - b.record - 4);
		CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
		CHECK(pd_stats(pd)->unfinished);
		CHECK_EQ(pd_next(pd, &ev), 1);
		CHECK_EQ(ev.pid, 7);
		if (!missing) {
			CHECK_EQ(pd_next(pd, &ev), 1);
			CHECK_EQ(ev.pid, 8);
		}
		CHECK_EQ(pd_next(pd, &ev), 0);
		pd_close(pd);
		pdb_free(&b);
	}
}

TEST(zeros_behind_what_was_written_are_its_end)
{
	static const uint8_t zeros[24];
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	minimal(&b);
	pdb_finish(&b);
	kill_writer(&b, 0);
	pdb_put(&b.file, zeros, sizeof(zeros));
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_EQ(pd_next(pd, &ev), 1);
	CHECK_EQ(pd_next(pd, &ev), 0);
	pd_close(pd);
	pdb_free(&b);
}

/* cat a.data b.data >c.data */
TEST(another_recording_behind_the_first_is_refused)
{
	static const uint8_t zeros[512];
	static const char *const starts[] = { "PERFILE2", "2ELIFREP" };
	char text[256], at[32];
	unsigned int i;

	for (i = 0; i < 8; i++) {
		struct pdb b = { 0 };

		minimal(&b);
		if (i / 2 % 2) {
			struct pdb_buf *host = pdb_feature(&b, 3);

			pdb_u32(host, 8);
			pdb_text(host, "abcdefg");
		}
		pdb_finish(&b);
		if (i / 4)
			pdb_put(&b.file, zeros, sizeof(zeros));
		snprintf(at, sizeof(at), "at offset 0x%zx: ", b.file.n);
		pdb_put(&b.file, starts[i % 2], 8);
		CHECK_EQ(open_error(&b, text), PD_EUNSUPPORTED);
		CHECK(strstr(text, at));
		CHECK(strstr(text, "another recording begins here, and a file can hold only one"));
	}
}

/* A tool may have filled up a block, or added something that we do not know. */
TEST(other_bytes_behind_a_recording_do_not_matter)
{
	static const uint8_t zeros[9000];
	static const char *const ends[] = { "P", "PERFILE", "XPERFILE2" };
	unsigned int i;

	for (i = 0; i < 6; i++) {
		struct pdb b = { 0 };
		struct pd *pd;

		minimal(&b);
		pdb_finish(&b);
		if (i < 3)
			pdb_put(&b.file, zeros, sizeof(zeros));
		pdb_put(&b.file, ends[i % 3], strlen(ends[i % 3]));
		CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
		pd_close(pd);
		pdb_free(&b);
	}
}

TEST(another_recording_behind_one_of_a_killed_writer_is_refused)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	minimal(&b);
	pdb_finish(&b);
	kill_writer(&b, 0);
	pdb_put(&b.file, "PERFILE2", 8);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_EQ(pd_next(pd, &ev), PD_EUNSUPPORTED);
	CHECK(strstr(pd_error(pd), "another recording begins here"));
	pd_close(pd);
	pdb_free(&b);
}

TEST(a_recording_that_is_whole_does_not_pass_for_one_of_a_killed_writer)
{
	struct pdb b = { 0 };
	struct pd *pd;

	minimal(&b);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK(!pd_stats(pd)->unfinished);
	pd_close(pd);
	pdb_free(&b);
}

TEST(a_writer_that_was_killed_before_the_first_record_left_nothing)
{
	struct pdb b = { 0 };
	char text[256];

	minimal(&b);
	pdb_finish(&b);
	kill_writer(&b, b.data.n);
	CHECK_EQ(open_error(&b, text), PD_ECORRUPT);
	CHECK(strstr(text, "did not end"));
}

TEST(cut_file_names_the_offset)
{
	struct pdb b = { 0 };
	char text[256];

	minimal(&b);
	pdb_finish(&b);
	b.file.n -= 8;
	CHECK_EQ(open_error(&b, text), PD_ECORRUPT);
	CHECK(strstr(text, "at offset 0x28: "));
	CHECK(strstr(text, "cut short"));
}

TEST(sections_that_wrap_around_are_refused)
{
	static const size_t sizes[] = { 32, 48 };
	struct pdb b;
	char text[256];
	size_t i;

	for (i = 0; i < 2; i++) {
		b = (struct pdb){ 0 };
		minimal(&b);
		pdb_finish(&b);
		pdb_set64(&b.file, sizes[i], UINT64_MAX - 15);
		CHECK_EQ(open_error(&b, text), PD_ECORRUPT);
		CHECK(strstr(text, "beyond the file's end"));
	}
}

TEST(a_text_longer_than_its_section_is_refused)
{
	struct pdb b = { 0 };
	struct pdb_buf *body;
	char text[256];

	minimal(&b);
	body = pdb_feature(&b, 3);
	pdb_u32(body, 9);
	pdb_text(body, "host");
	pdb_finish(&b);
	CHECK_EQ(open_error(&b, text), PD_ECORRUPT);
	CHECK(strstr(text, "beyond its section"));
}

TEST(cut_lists_in_the_header_are_errors)
{
	/* cmdline, the events' names, and what the PMU can do. */
	static const unsigned int bits[] = { 11, 12, 28, 31 };
	struct pdb_buf *body;
	char text[256];
	size_t i, n;

	for (i = 0; i < 4; i++) {
		for (n = 0; n < 32; n += 4) {
			struct pdb b = { 0 };

			minimal(&b);
			body = pdb_feature(&b, bits[i]);
			pdb_u32(body, 9);	/* so many elements */
			pdb_u32(body, 4);
			pdb_text(body, "abc");
			pdb_u32(body, 4);
			pdb_text(body, "def");
			pdb_u32(body, 99);
			body->n = n + 4;
			pdb_finish(&b);
			CHECK_EQ(open_error(&b, text), PD_ECORRUPT);
			CHECK(strstr(text, "beyond its section"));
		}
	}
}

TEST(events_with_ids_at_different_places_are_refused)
{
	struct pdb b = { 0 };
	char text[256];

	pdb_event(&b, PERF_SAMPLE_IP | PERF_SAMPLE_ID, 0);
	pdb_event(&b, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID, 0);
	pdb_comm(&b, 0, 7, "x", 1);
	pdb_finish(&b);
	CHECK_EQ(open_error(&b, text), PD_EUNSUPPORTED);
	CHECK(strstr(text, "events 0 and 1"));
}

TEST(trace_data_is_passed_by)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	minimal(&b);
	pdb_begin(&b, PDB_AUXTRACE, 0);
	pdb_u64(&b.data, 24);	/* bytes that follow the record */
	pdb_u64(&b.data, 0);
	pdb_end(&b);
	memset(b.data.p + b.data.n - 8, 0xff, 8);
	pdb_u64(&b.data, UINT64_MAX);
	pdb_u64(&b.data, UINT64_MAX);
	pdb_u64(&b.data, UINT64_MAX);
	pdb_comm(&b, 0, 8, "y", 2);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_EQ(pd_next(pd, &ev), 1);
	CHECK_EQ(ev.pid, 7);
	CHECK_EQ(pd_next(pd, &ev), 1);
	CHECK_EQ(ev.pid, 8);
	CHECK_EQ(pd_next(pd, &ev), 0);
	CHECK_EQ(pd_next(pd, &ev), 0);
	CHECK_EQ(pd_position(pd), pd_size(pd));
	pd_close(pd);
	pdb_free(&b);
}

TEST(trace_data_beyond_the_end_is_an_error)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	minimal(&b);
	pdb_begin(&b, PDB_AUXTRACE, 0);
	pdb_u64(&b.data, 8);
	pdb_end(&b);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_EQ(pd_next(pd, &ev), PD_ECORRUPT);
	CHECK(strstr(pd_error(pd), "beyond the events' end"));
	pd_close(pd);
	pdb_free(&b);
}

/* MiB of a file that are in this process's memory. */
static double resident(const char *path)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	unsigned long kib, end, sum = 0;
	bool inside = false;
	char line[512];

	CHECK(file);
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx", &kib, &end) == 2)
			inside = strstr(line, path);
		if (inside && sscanf(line, "Rss: %lu", &kib) == 1)
			sum += kib;
	}
	fclose(file);
	return (double)sum / 1024;
}

/* Of 24 MiB, in rounds larger than what is kept in any case. */
TEST(memory_does_not_grow_with_the_file)
{
	enum { ROUNDS = 12, PER_ROUND = 2500, DEPTH = 32 };
	static const uint64_t stack[DEPTH][3];
	double most = 0, now;
	struct pdb b = { 0 };
	struct pd_event ev;
	char path[128];
	struct pd *pd;
	int ret, i, k;

	pdb_event(&b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	for (i = 0; i < ROUNDS; i++) {
		for (k = 0; k < PER_ROUND; k++)
			pdb_sample(&b, 0, &(struct pdb_sample){
				.time = 1 + i * PER_ROUND + k,
				.nr_branches = DEPTH, .branches = stack });
		pdb_round(&b);
	}
	pdb_finish(&b);
	snprintf(path, sizeof(path), "%s/long", test_tmpdir());
	CHECK(pdb_write(&b, path));
	pdb_free(&b);
	CHECK_EQ(pd_open(&pd, path), 0);
	for (i = 0; (ret = pd_next(pd, &ev)) > 0; i++) {
		now = i % PER_ROUND ? 0 : resident(path);
		most = now > most ? now : most;
	}
	CHECK_EQ(ret, 0);
	CHECK_EQ(i, ROUNDS * PER_ROUND);
	if (most < 1 || most > 9)
		test_fail(__FILE__, __LINE__, "%.1f MiB", most);
	pd_close(pd);
}
