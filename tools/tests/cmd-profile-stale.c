// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile --stale: what was recorded of another build. */
#include "counts-build.h"

/* The recorded build: load comes behind main. */
static const uint8_t old_id[20] = { 0xaa, 1 }, new_id[20] = { 0xbb, 2 };

/* 16 bytes in front; load as it was; main with another call, and a nop more at its end. */
static const uint16_t moved[] = {
	0x0001, 0x0001, 0x0001, 0x0001, 0x0001, 0x0001, 0x0001, 0x8082, /* 00: front */
	0x2583, 0x0005, 0x8082,						/* 10: load */
	0x0001,
	0x0505, 0x0463, 0x00b5, 0xf0ef, 0xff3f, 0x0073, 0x0000, 0x8082, /* 18: main */
	0x0001,
};

/* The names of main and load, in the recorded build and now. */
static const char *names[2][2] = { { "main", "load" }, { "main", "load" } };

static void write_build(const char *name, const uint16_t *of, size_t size, const uint8_t *id)
{
	elf.code = of;
	elf.code_size = size;
	elf.build_id = id;
	elf.build_id_size = 20;
	CHECK(elfb_write(&elf, test_path(name)));
}

/* The recording, and both builds: old/x and x. */
static void write_builds(const uint16_t *of, size_t size, uint64_t main_at, uint64_t main_size,
			 uint64_t load_at)
{
	begin();
	rec.data.n = 0;
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, old_id);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, test_path("perf.data")));
	pdb_free(&rec);
	elf.symbols[0].name = names[0][0];
	elf.symbols[1].name = names[0][1];
	write_build("old/x", code, sizeof(code), old_id);
	elf.nr_symbols = 0;
	elf.size = 0;
	if (main_size)
		add_function(names[1][0], main_at, main_size);
	add_function(names[1][1], load_at, 6);
	write_build("x", of, size, new_id);
}

static int profile(const char *options)
{
	return run("cd %s && ssctr profile --raw --symfs none -i perf.data -b x -f profgen -o - %s",
		   test_tmpdir(), options);
}

static void begin_moved(void)
{
	write_builds(moved, sizeof(moved), 0x18, 0x10, 0x10);
	CHECK_EQ(run("mkdir -p %s/none", test_tmpdir()), 0);
}

TEST(functions_that_are_the_same_have_their_counts_where_they_are_now)
{
	begin_moved();
	CHECK_EQ(profile("--stale --code old"), 0);
	CHECK_STR(run_out, "3\n1010-1014:1\n1018-101e:1\n1022-1026:1\n"
			   "3\n1014->1022:1\n101e->1010:1\n1026->1018:2\n");
	CHECK(strstr(run_err, "           4 to other builds, in functions that are the same: used\n"));
	CHECK(!strstr(run_err, "left out"));
}

static void profile_renamed(const char *was, const char *now)
{
	names[0][0] = was;
	names[1][0] = now;
	begin_moved();
	names[0][0] = names[1][0] = "main";
	CHECK_EQ(profile("--stale --code old"), 0);
}

/* As cargo makes them: another one for each version of a package. */
TEST(the_hash_of_a_crate_is_no_part_of_a_name)
{
	static const char same[] = "           4 to other builds, in functions that are the same: used\n";

	profile_renamed("_ZN5rwork4main17h0123456789abcdefE", "_ZN5rwork4main17hfedcba9876543210E");
	CHECK(strstr(run_err, same));
	profile_renamed("_RNvXs_Csj1RdJ0jcVzk_5rworkNtB4_3Mul3run",
			"_RNvXs_CsjKdJ0jcVzk9_5rworkNtB5_3Mul3run");
	CHECK(strstr(run_err, same));
}

TEST(another_name_is_another_function)
{
	static const char *const v[][2] = {
		{ "_ZN5rwork4main17h0123456789abcdefE", "_ZN5rwork4mayn17h0123456789abcdefE" },
		/* This is not such a hash. */
		{ "_ZN5rwork4main17h0123456789abcdegE", "_ZN5rwork4main17h0123456789abcdehE" },
		{ "_RNvCsj1RdJ0jcVzk_5rwork3run", "_RNvCsj1RdJ0jcVzk_5rwork3rum" },
		{ "Csj1_main", "Csj2_main" },
		/* Nor is what looks like one in an identifier. */
		{ "_RNvCsj1RdJ0jcVzk_5rwork6B1_get", "_RNvCsj1RdJ0jcVzk_5rwork6B2_get" },
		{ "_RNvCsj1RdJ0jcVzk_5rwork7Cs1_get", "_RNvCsj1RdJ0jcVzk_5rwork7Cs2_get" },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++) {
		profile_renamed(v[i][0], v[i][1]);
		CHECK(strstr(run_err, " to other builds, in functions that are gone: left out\n"));
	}
}

/* Instances of a generic function have one name but for the hash, and may have equal code. */
static void profile_two(const char *first, const char *second, const char *was)
{
	static const uint16_t two[] = {
		0x0505, 0x0463, 0x00b5, 0xf0ef, 0xff3f, 0x0073, 0x0000, 0x8082, /* 00: main */
		0x2583, 0x0005, 0x8082,						/* 10: load */
		0x0001,
		0x0505, 0x0463, 0x00b5, 0xf0ef, 0xff3f, 0x0073, 0x0000, 0x8082, /* 18: main */
		0x0001,
	};

	names[0][0] = was;
	write_builds(two, sizeof(two), 0x18, 0x10, 0x10);
	names[0][0] = "main";
	elf.nr_symbols = elf.size = 0;
	add_function(first, 0, 0x10);
	add_function("load", 0x10, 6);
	add_function(second, 0x18, 0x10);
	write_build("x", two, sizeof(two), new_id);
	CHECK_EQ(run("mkdir -p %s/none", test_tmpdir()), 0);
	CHECK_EQ(profile("--stale --code old"), 0);
}

TEST(of_instances_the_one_with_the_hash_is_taken_or_none)
{
	static const char a[] = "_ZN5rwork4main17h0123456789abcdefE",
			  b[] = "_ZN5rwork4main17hfedcba9876543210E",
			  c[] = "_ZN5rwork4main17haaaaaaaaaaaaaaaaE";

	profile_two(b, a, a);
	CHECK(strstr(run_out, "\n1018-101e:1\n") && !strstr(run_out, "1000-"));
	profile_two(a, b, a);
	CHECK(strstr(run_out, "\n1000-1006:1\n") && !strstr(run_out, "1018-"));
	profile_two(a, b, c);
	CHECK(!strstr(run_out, "1018-") && !strstr(run_out, "1000-"));
	CHECK(strstr(run_err, "in functions that have changed: left out"));
}

TEST(a_function_that_has_changed_is_left_out)
{
	uint16_t changed[sizeof(moved) / sizeof(*moved)];

	/* main's first instruction adds another register. */
	memcpy(changed, moved, sizeof(moved));
	changed[12] = 0x0585;
	write_builds(changed, sizeof(changed), 0x18, 0x10, 0x10);
	CHECK_EQ(run("mkdir -p %s/none", test_tmpdir()), 0);
	CHECK_EQ(profile("--stale --code old"), 0);
	CHECK(strstr(run_out, "1\n1010-1014:1\n"));
	CHECK(!strstr(run_out, "1018"));
	CHECK(strstr(run_err, "           1 to other builds, in functions that are the same: used\n"));
	CHECK(strstr(run_err, "           3 to other builds, in functions that have changed: left out\n"));
}

TEST(a_function_that_is_gone_is_left_out)
{
	write_builds(moved, sizeof(moved), 0, 0, 0x10);
	CHECK_EQ(run("mkdir -p %s/none", test_tmpdir()), 0);
	CHECK_EQ(profile("--stale --code old"), 0);
	CHECK(strstr(run_err, "           3 to other builds, in functions that are gone: left out\n"));
}

/* Behind main, the recorded build has the linker's code and nothing else. */
TEST(the_procedure_linkage_table_is_no_function_that_is_gone)
{
	begin_moved();
	elf.nr_symbols = 0;
	elf.size = 0;
	add_function("main", 0x00, 0x10);
	elf.extra = ".plt";
	elf.extra_addr = ELFB_ADDR + ELFB_CODE + 0x12;
	elf.extra_size = 6;
	write_build("old/x", code, sizeof(code), old_id);
	elf.extra = NULL;
	CHECK_EQ(profile("--stale --code old"), 0);
	CHECK(!strstr(run_err, "functions that are gone"));
	CHECK(strstr(run_err, "           1 to other builds, in the procedure linkage table, which is no code of the program: left out\n"));
}

TEST(a_branch_to_another_place_of_the_function_is_a_change)
{
	uint16_t changed[sizeof(moved) / sizeof(*moved)];

	memcpy(changed, moved, sizeof(moved));
	changed[14] = 0x00b5;
	changed[13] = 0x0663; /* beq to 4 bytes on */
	write_builds(changed, sizeof(changed), 0x18, 0x10, 0x10);
	CHECK_EQ(run("mkdir -p %s/none", test_tmpdir()), 0);
	CHECK_EQ(profile("--stale --code old"), 0);
	CHECK(strstr(run_err, "           3 to other builds, in functions that have changed: left out\n"));
}

/* Other recorded code, of which load comes behind main and has this size. */
static void write_recorded(const uint16_t *of, size_t size, uint64_t main_size, uint64_t load_size)
{
	elf.nr_symbols = 0;
	elf.size = 0;
	add_function("main", 0, main_size);
	add_function("load", 0x12, load_size);
	write_build("old/x", of, size, old_id);
	CHECK_EQ(run("mkdir -p %s/none", test_tmpdir()), 0);
}

/* Nothing else of the jump differs, and it has but two bytes. */
TEST(a_jump_out_of_the_function_may_have_another_distance)
{
	uint16_t was[sizeof(code) / sizeof(*code)], is[sizeof(moved) / sizeof(*moved)];

	memcpy(was, code, sizeof(was));
	memcpy(is, moved, sizeof(is));
	was[0x10 / 2] = 0xa009; /* c.j to load, 2 bytes on */
	is[0x28 / 2] = 0xb7e5; /* c.j to load, 24 bytes back */
	write_builds(is, sizeof(is), 0x18, 0x12, 0x10);
	write_recorded(was, sizeof(was), 0x12, 6);
	CHECK_EQ(profile("--stale --code old"), 0);
	CHECK(strstr(run_err, "           4 to other builds, in functions that are the same: used\n"));
}

/* All that is fixed in the store is the same but for a bit, by which it has two bytes. */
TEST(an_instruction_of_another_size_is_a_change)
{
	static const uint16_t is[] = {
		0x0001, 0x0001, 0x0001, 0x0001, 0x0001, 0x8082,		/* 00: front */
		0x2583, 0x0005, 0x8082, 0x2022, 0x0000,			/* 0c: load */
		0x0001,
		0x0505, 0x0463, 0x00b5, 0xf0ef, 0xfeff, 0x0073, 0x0000, 0x8082, /* 18: main */
	};
	uint16_t was[sizeof(code) / sizeof(*code)];

	memcpy(was, code, sizeof(was));
	was[0x18 / 2] = 0x2023; /* sw zero, 0(zero) */
	was[0x1a / 2] = 0x0000;
	write_builds(is, sizeof(is), 0x18, 0x10, 0x0c);
	elf.nr_symbols = 0;
	elf.size = 0;
	add_function("main", 0x18, 0x10);
	add_function("load", 0x0c, 10);
	write_build("x", is, sizeof(is), new_id);
	write_recorded(was, sizeof(was), 0x10, 10);
	CHECK_EQ(profile("--stale --code old"), 0);
	CHECK(strstr(run_err, "           1 to other builds, in functions that have changed: left out\n"));
}

TEST(without_the_option_another_build_is_refused)
{
	begin_moved();
	CHECK_EQ(profile("--code old"), 1);
	CHECK(strstr(run_err, "x: not the build of /x that was recorded: the build ids are bb02000000000000... and aa01000000000000...; --stale uses the functions that are the same\n"));
}

TEST(without_the_file_of_the_recorded_build_it_is_refused_too)
{
	begin_moved();
	CHECK_EQ(profile("--stale"), 1);
	CHECK(strstr(run_err, "; --stale needs the file of the recorded build: name a place that has it with --code\n"));
}

TEST(where_nothing_is_the_same_there_is_no_profile)
{
	begin_moved();
	elf.nr_symbols = 0;
	elf.size = 0;
	add_function("other", 0, 0x28);
	write_build("x", moved, sizeof(moved), new_id);
	CHECK_EQ(profile("--stale --code old"), 1);
	CHECK(strstr(run_err, "x: none of the functions that ran in the recorded build is the same\n"));
}

/* A fleet has machines with either build. */
TEST(both_builds_add_up)
{
	static const uint64_t now[][3] = { { MAP_AT + 0x14, MAP_AT + 0x22, 0 },
					   { MAP_AT + 0x1e, MAP_AT + 0x10, 0 } };

	begin_moved();
	write_counts("perf.data", "old.counts");
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, new_id);
	add_sample(5, 2, MAP_AT + 0x22, 2, now);
	pdb_finish(&rec);
	CHECK(pdb_write(&rec, test_path("perf.data")));
	pdb_free(&rec);
	CHECK_EQ(profile("--stale --code old --merge old.counts"), 0);
	CHECK_STR(run_out, "3\n1010-1014:2\n1018-101e:1\n1022-1026:1\n"
			   "3\n1014->1022:2\n101e->1010:2\n1026->1018:2\n");
	CHECK_EQ(profile("--merge old.counts"), 0);
	CHECK(strstr(run_out, "1\n1010-1014:1\n2\n"));
	CHECK(strstr(run_err, "           4 to other builds of x: left out; --stale uses the functions that are the same\n"));
	CHECK_EQ(profile("--stale --merge old.counts"), 0);
	CHECK(strstr(run_err, "           4 to other builds whose files were not found: left out; name a place that has them with --code\n"));
}

/* The file of -b has another name than in the recording, or a file elsewhere has its name. */
TEST(other_builds_have_the_name_in_the_recording_or_are_named)
{
	static const uint64_t now[][3] = { { MAP_AT + 0x14, MAP_AT + 0x22, 0 },
					   { MAP_AT + 0x1e, MAP_AT + 0x10, 0 } };
	static const struct {
		const char *recorded, *file, *says;
	} tries[] = {
		{ "/x", "y", "           4 to other builds of y: left out; --stale " },
		{ "/d/x", "x", "           4 to other builds of x, such as /x: left out; --stale " },
	};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin_moved();
		write_counts("perf.data", "old.counts");
		rec = (struct pdb){ 0 };
		pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
		pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, tries[i].recorded, 1, new_id);
		add_sample(5, 2, MAP_AT + 0x22, 2, now);
		pdb_finish(&rec);
		CHECK(pdb_write(&rec, test_path("perf.data")));
		pdb_free(&rec);
		CHECK_EQ(run("cd %s && cp x y && ssctr profile --raw --symfs none -b %s -f profgen -o - --merge old.counts",
			     test_tmpdir(), tries[i].file), 0);
		CHECK(strstr(run_err, tries[i].says));
	}
}

/* Alone, the recording without build ids would be used by its name. */
TEST(what_has_no_build_id_is_left_out_beside_what_has_one_and_told)
{
	begin_moved();
	CHECK_EQ(run("cd %s && mv perf.data ids", test_tmpdir()), 0);
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && ssctr profile --raw -i ids --merge perf.data -b old/x -f profgen -o - | grep -c :1",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "5\n");
	CHECK(strstr(run_err, "           4 to old/x without a build id: left out, because they may be of another build; record with build ids, or make another profile of these recordings alone\n"));
	CHECK_EQ(run("cd %s && ssctr profile --raw -i ids --merge perf.data -b old/x -b old/x -f profgen -o two && "
		     "grep -c '^/x: 4 to old/x without a build id: left out' two/summary", test_tmpdir()), 0);
}

TEST(it_is_for_one_binary)
{
	CHECK_EQ(run("ssctr profile --stale --all -o y"), 2);
	CHECK(strstr(run_err, "--stale is for one binary; name it with -b"));
}
