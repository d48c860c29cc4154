// SPDX-License-Identifier: GPL-2.0-only
/* ssctr diff: what changed, each figure derived by hand from the stacks. */
#include "cmd-page.h"

static int diff(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr diff --raw --symfs %s %s %s/old.data %s/new.data", dir, options, dir,
		   dir);
}

static void record_both(unsigned int nr)
{
	RECORD("old", nr, once);
	RECORD("new", nr, alone);
}

/*
 * Of 19 instructions leaf has 2 and twin has 1. The branch is taken twice of three times,
 * and then once of two. 400 samples: 3.29 sigmas are 0.061 for main, 0.051 for leaf, 0.038
 * for twin, and 0.113 for the branch.
 */
TEST(what_changed_by_more_than_chance_does_is_shown)
{
	record_both(400);
	CHECK_EQ(diff(""), 0);
	CHECK_SHOWS("8000 transfers in 400 samples of ");
	CHECK_SHOWS("/old.data, coverage not known\n");
	CHECK_SHOWS("2400 transfers in 400 samples of ");
	CHECK_SHOWS("\n3 of 3 functions changed\n\n"
		    "    old      new   change  function\n"
		    "  84.2%   100.0%    +15.8  main (/x)\n"
		    "  10.5%        -    -10.5  leaf (/x)\n"
		    "   5.3%        -     -5.3  twin (/x)\n");
	CHECK_SHOWS("\n1 of 1 loops changed\n\n"
		    "    old      new   change  old trips  new trips  loop\n");
	CHECK_SHOWS("          3          2  main+0x4\n");
	CHECK_SHOWS("\n1 of 1 branches changed: how often they are taken\n\n"
		    "    old      new   change  branch\n"
		    "  66.7%    50.0%    -16.7  main+0xa\n");
}

TEST(names_of_recordings_have_no_control_characters)
{
	const char *dir = test_tmpdir();

	record_both(40);
	CHECK_EQ(run("cd %s && n=\"$(printf 'a\\033[31m\\nb')\" && mv old.data \"$n\" && "
		     "ssctr diff --raw --symfs . \"$n\" new.data", dir), 0);
	CHECK_SHOWS(" samples of a?[31m?b, coverage not known\n");
	CHECK(!strchr(run_out, '\033'));
}

/* A tenth of the samples: 0.206, 0.178, 0.14; the branch 0.36. */
TEST(what_chance_may_do_is_not_called_a_change)
{
	record_both(40);
	CHECK_EQ(diff(""), 0);
	CHECK_SHOWS("\n0 of 3 functions changed\n\n0 of 1 loops changed\n\n"
		    "0 of 1 branches changed: how often they are taken\n");
	CHECK(!strstr(run_out, "main"));
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("\n0 of 3 functions changed\n\n"
		    "    old      new   change  function\n"
		    "  84.2%   100.0%    +15.8  main (/x)\n");
	CHECK_EQ(diff("--all -n 1"), 0);
	CHECK(!strstr(run_out, "leaf"));
}

/*
 * A share p of n samples varies by p (1 - p) / n, where p is at least 1 / (n + 2) and at most
 * 1 - 1 / (n + 2); 3.29 times the root of the sum of both is what a change has to exceed. These
 * are the numbers of samples where it first does, reckoned apart from ssctr.
 */
TEST(a_thousandth_of_what_is_only_chance_is_called_a_change)
{
	static const struct {
		unsigned int old, new, functions, branches;
	} cases[] = {
		{ 64, 64, 0, 0 }, { 65, 65, 1, 0 }, /* main */
		{ 101, 101, 1, 0 }, { 102, 102, 2, 0 }, /* leaf */
		{ 184, 184, 2, 0 }, { 185, 185, 2, 1 },
		{ 212, 212, 2, 1 }, { 213, 213, 3, 1 }, /* twin */
		{ 400, 21, 0, 0 }, { 400, 22, 1, 0 },
		{ 400, 34, 1, 0 }, { 400, 35, 2, 0 },
		{ 400, 124, 3, 0 }, { 400, 125, 3, 1 },
		{ 114, 400, 2, 0 }, { 115, 400, 2, 1 },
	};
	char want[128];
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		RECORD("old", cases[i].old, once);
		RECORD("new", cases[i].new, alone);
		CHECK_EQ(diff(""), 0);
		snprintf(want, sizeof(want), "\n%u of 3 functions changed\n", cases[i].functions);
		CHECK_SHOWS(want);
		snprintf(want, sizeof(want), "\n%u of 1 branches changed", cases[i].branches);
		CHECK_SHOWS(want);
	}
}

/* From elsewhere into main's loop, and out of it: taken twice of three times, once of three. */
#define MAINLY	{ 0x40, 0x04, UNCOND, 0 }, { 0x0a, 0x04, COND, 0 }, { 0x0a, 0x04, COND, 0 }, \
		{ 0x0e, 0x40, UNCOND, 0 }
#define RARELY	{ 0x40, 0x04, UNCOND, 0 }, { 0x0a, 0x04, COND, 0 }, { 0x0c, 0x04, UNCOND, 0 }, \
		{ 0x0e, 0x40, UNCOND, 0 }
/* The same at the second instruction of caller: once of two, and three of four. */
#define HALF	{ 0x44, 0x12, UNCOND, 0 }, { 0x14, 0x12, COND, 0 }, \
		{ 0x16, 0x40, UNCOND, 0 }, { 0x44, 0x50, UNCOND, 0 }
#define MORE	{ 0x44, 0x12, UNCOND, 0 }, { 0x14, 0x12, COND, 0 }, { 0x14, 0x12, COND, 0 }, \
		{ 0x14, 0x12, COND, 0 }, { 0x16, 0x40, UNCOND, 0 }, { 0x44, 0x50, UNCOND, 0 }

/*
 * main's branch ran 18 times in 6 of the new samples: 3.29 sigmas are 0.37, and it changed by
 * 0.33. The other one changed less, but ran in all of them: 0.11.
 */
TEST(a_branch_that_few_samples_saw_is_not_sooner_called_changed)
{
	static const struct step old[] = { MAINLY, HALF };
	static const struct step new[] = { RARELY, MORE }, rest[] = { MORE };
	unsigned int i;

	begin_program();
	for (i = 0; i < 400; i++)
		ADD_STEPS(old);
	write_files();
	keep("old");
	begin_program();
	for (i = 0; i < 400; i++)
		if (i < 6)
			ADD_STEPS(new);
		else
			ADD_STEPS(rest);
	write_files();
	keep("new");
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("\n1 of 2 branches changed: how often they are taken\n\n"
		    "    old      new   change  branch\n"
		    "  50.0%    75.0%    +25.0  caller+0x2\n"
		    "  66.7%    33.3%    -33.3  main+0xa\n");
}

/* main is the same with another loop, and without one. */
TEST(what_is_in_one_recording_alone_has_no_figure_in_the_other)
{
	static const struct step straight[] = {
		{ 0x12, 0x00, 0, 0 }, { 0x0e, 0x14, 0, 0 },
	};

	RECORD("old", 200, once);
	RECORD("new", 200, straight);
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("\n1 of 1 loops changed\n\n"
		    "    old      new   change  old trips  new trips  loop\n");
	CHECK_SHOWS("          3          -  main+0x4\n");
	/* The branch has no probability in the new recording, so nothing is said of a change. */
	CHECK_SHOWS("\n0 of 0 branches changed: how often they are taken\n");
	CHECK(!strstr(run_out, "main+0xa"));
	CHECK_EQ(diff("--json"), 0);
	CHECK_SHOWS("\"loops\":[{\"changed\":true,\"old\":{\"share\":");
	CHECK_SHOWS("\"offset\":4}},\"new\":null}],\"branches\":[],");
	CHECK_EQ(run("cd %s && mv old.data a && mv new.data old.data && mv a new.data",
		     test_tmpdir()), 0);
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("          -          3  main+0x4\n");
	CHECK(!strstr(run_out, "main+0xa"));
	/* A limit of nothing leaves the numbers alone. */
	CHECK_EQ(diff("-n 0"), 0);
	CHECK_SHOWS("\n1 of 1 loops changed\n\n0 of 0 branches changed");
}

/* Of /a/x and /a/y, both with a function main, and of /b/x and /b/y. */
TEST(a_binary_is_the_same_by_the_last_part_of_its_name)
{
	const char *dir = test_tmpdir();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const uint64_t from = i ? 0x20000 : MAP_AT;
		const uint64_t branches[][3] = {
			{ from + 0x0e, 0x30000, (uint64_t)RET << 20 },
			{ from + 0x0a, from + 0x04, (uint64_t)COND << 20 },
			{ 0x30010, from + 0x04, (uint64_t)CALL << 20 },
			{ from + 0x08, 0x30000, (uint64_t)CALL << 20 },
			{ 0x30010, from + 0x04, (uint64_t)CALL << 20 },
		};
		unsigned int k;

		begin_program();
		pdb_free(&rec);
		rec = (struct pdb){ 0 };
		pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
		pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, i ? "/b/x" : "/a/x", 1);
		pdb_mmap2(&rec, 5, 0x20000, 0x1000, ELFB_CODE, i ? "/b/y" : "/a/y", 1);
		for (k = 0; k < 200; k++)
			add_sample(5, 2, MAP_AT, 5, branches);
		write_files();
		keep(i ? "new" : "old");
		CHECK_EQ(run("cd %s && mkdir %c && cp x %c/x && cp x %c/y", dir, "ab"[i],
			     "ab"[i], "ab"[i]), 0);
	}
	CHECK_EQ(diff(""), 0);
	/* 13 instructions of lines; and 6 of what is in no binary, to which there is no path. */
	CHECK_SHOWS("\n2 of 3 functions changed\n\n"
		    "    old      new   change  function\n"
		    "  68.4%        -    -68.4  main (/a/x)\n"
		    "      -    68.4%    +68.4  main (/b/y)\n");
	/* With the same binary in both, what was seen in it is the same. */
	CHECK_EQ(run("cd %s && cp old.data new.data && sed -i s,/a/x,/b/x, new.data && cd - >&2",
		     dir), 0);
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("\n0 of 2 functions changed\n\n"
		    "    old      new   change  function\n");
	CHECK_SHOWS("  68.4%    68.4%     +0.0  main (/b/x)\n");
	CHECK_SHOWS("  31.6%    31.6%     +0.0  [unknown]\n");
	CHECK_SHOWS("\n0 of 1 branches changed");
}

/* The program in this file, of the build of this id. also: what else has the name; or NULL. */
static void record_builds(const char *name, const char *file, const uint8_t *id,
			  const uint8_t *also)
{
	unsigned int i;

	begin_build(id);
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, file, 1, id);
	if (also)
		pdb_mmap2_id(&rec, 7, MAP_AT, 0x1000, ELFB_CODE, file, 1, also);
	for (i = 0; i < 200; i++)
		ADD_STEPS(once);
	write_files();
	keep(name);
	CHECK_EQ(run("cd %s && mv x .%s", test_tmpdir(), file), 0);
}

static void record_file(const char *name, const char *file, const uint8_t *id)
{
	record_builds(name, file, id, NULL);
}

TEST(a_build_is_the_same_whatever_its_files_are_called)
{
	static const uint8_t one[20] = { 1 }, two[20] = { 2 };

	record_file("old", "/release", one);
	record_file("new", "/program", one);
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("\n0 of 3 functions changed\n\n"
		    "    old      new   change  function\n"
		    "  84.2%    84.2%     +0.0  main (/program)\n");
	CHECK_SHOWS("\n0 of 1 loops changed\n");
	CHECK_SHOWS("  66.7%    66.7%     +0.0  main+0xa\n");
	CHECK(!strstr(run_err, "not compared"));
	/* Another build under another name may be anything. */
	record_file("new", "/program", two);
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("  84.2%        -    -84.2  main (/release)\n"
		    "      -    84.2%    +84.2  main (/program)\n");
	CHECK(strstr(run_err, "not compared: 100.0% of the old recording is in /release and 100.0% of the new one is in /program"));
	/* Another build under the same name is compared. */
	record_file("new", "/release", two);
	CHECK_EQ(run("cd %s && mkdir new && mv release new", test_tmpdir()), 0);
	record_file("old", "/release", one);
	CHECK_EQ(run("ssctr diff --raw --symfs %s --code %s/new %s/old.data %s/new.data",
		     test_tmpdir(), test_tmpdir(), test_tmpdir(), test_tmpdir()), 0);
	CHECK_SHOWS("\n0 of 3 functions changed\n");
}

/* A loop of a branch, in files without symbols, of these builds. NULL: not told. */
static void record_nameless(const uint8_t *old_id, const uint8_t *new_id)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const uint8_t *id = i ? new_id : old_id;

		begin_build(id);
		elf.nr_symbols = 0;
		if (id)
			pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, i ? "/b/x" : "/a/x", 1, id);
		else
			pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, i ? "/b/x" : "/a/x", 1);
		add_sample(5, 2, MAP_AT, 2, branch_twice);
		write_files();
		keep(i ? "new" : "old");
		CHECK_EQ(run("cd %s && mkdir -p %s && mv x %s", test_tmpdir(), i ? "b" : "a",
			     i ? "b" : "a"), 0);
	}
}

/* The name with the first digits of the build id is for people. */
TEST(a_name_that_two_builds_of_one_recording_have_is_the_same)
{
	static const uint8_t one[20] = { 1 }, two[20] = { 2 }, three[20] = { 3 };

	record_file("new", "/program", two);
	CHECK_EQ(run("cd %s && mkdir new && mv program new", test_tmpdir()), 0);
	record_builds("old", "/program", one, three);
	CHECK_EQ(run("ssctr diff --raw --symfs %s --code %s/new --all %s/old.data %s/new.data",
		     test_tmpdir(), test_tmpdir(), test_tmpdir(), test_tmpdir()), 0);
	CHECK_SHOWS("  84.2%    84.2%     +0.0  main (/program)\n");
}

/* The folder may be that of a version. */
TEST(so_is_one_without_symbols)
{
	record_nameless(NULL, NULL);
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("\n0 of 1 functions changed\n\n"
		    "    old      new   change  function\n"
		    " 100.0%   100.0%     +0.0  /b/x\n");
	CHECK_SHOWS("\n0 of 1 branches changed");
	CHECK(!strstr(run_err, "not compared"));
}

/* At one offset, they have nothing in common. */
TEST(the_places_of_two_builds_without_symbols_are_not_compared)
{
	static const uint8_t one[20] = { 1 }, two[20] = { 2 };

	record_nameless(one, two);
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS(" 100.0%   100.0%     +0.0  /b/x\n");
	CHECK_SHOWS("\n0 of 0 loops changed\n");
	CHECK_SHOWS("\n0 of 0 branches changed");
	CHECK(strstr(run_err, "not compared: 0 loops and 2 branches: /b/x is of another build in each recording, "));
	record_nameless(one, one);
	CHECK_EQ(diff("--all"), 0);
	CHECK_SHOWS("\n0 of 1 branches changed");
	CHECK(!strstr(run_err, "not compared"));
}

TEST(the_coverage_of_both_is_told)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin_program();
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT, .time = 2, .pid = 5, .period = 100,
			.nr_branches = 4, .branches = loop });
		pdb_count(&rec, 0, UINT32_MAX, i ? 400 : 200, 0);
		write_files();
		keep(i ? "new" : "old");
	}
	CHECK_EQ(diff(""), 0);
	CHECK_SHOWS("old.data, coverage 50.0%\n");
	CHECK_SHOWS("new.data, coverage 25.0%\n");
	CHECK(strstr(run_err, "which cover 50.0 % of its count of 200"));
	CHECK(strstr(run_err, "which cover 25.0 % of its count of 400"));
	CHECK_EQ(diff("--json"), 0);
	cut_notes();
	CHECK_SHOWS("\"coverage\":0.500000},\"new\":{");
	CHECK_SHOWS("\"coverage\":0.250000},\"notes\":[]}");
}

TEST(a_recording_does_not_differ_from_itself)
{
	RECORD("old", 400, once);
	RECORD("new", 400, once);
	CHECK_EQ(diff(""), 0);
	CHECK_SHOWS("\n0 of 3 functions changed\n\n0 of 1 loops changed\n\n0 of 1 branches changed");
}

/* Always three times round and always twice: no share has to differ for that. */
TEST(loops_with_other_trips_changed)
{
	static const struct step twice[] = {
		{ 0x12, 0x00, 0, 0 },
		{ 0x06, 0x10, 0, 0 }, { 0x10, 0x08, 0, 0 }, { 0x0a, 0x04, 0, 0 },
		{ 0x06, 0x16, 0, 0 }, { 0x16, 0x08, 0, 0 },
		{ 0x0e, 0x14, 0, 0 },
	};

	RECORD("old", 120, once);
	RECORD("new", 120, twice);
	CHECK_EQ(diff(""), 0);
	CHECK_SHOWS("\n0 of 3 functions changed\n\n1 of 1 loops changed\n");
	CHECK_SHOWS("          3          2  main+0x4\n");
}

/* Of another build, in which main is four bytes longer, and of another folder. */
static const uint16_t longer[] = {
	0x0001, 0x0001, 0x0001, 0x0001, /* 00: c.nop, four times   main */
	0x0001,			/* 08: c.nop                its loop */
	0x9782,			/* 0a: c.jalr a5 */
	0x0001,			/* 0c: c.nop */
	0xfd6d,			/* 0e: c.bnez a0, 0x08 */
	0x0001,			/* 10: c.nop */
	0x8082,			/* 12: ret */
};

static void record_build(const char *name, uint8_t first, const uint16_t *its, size_t size,
			 unsigned int loop)
{
	const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ loop + 6, loop, COND, 0 }, { loop + 6, loop, COND, 0 },
		{ loop + 10, 0x44, RET, 0 },
	};
	static const uint64_t at = ELFB_ADDR + ELFB_CODE;
	const uint8_t id[20] = { first };
	struct dwb debug = { 0 };
	char path[512];
	unsigned int i;

	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
	elf = (struct elfb){ .code = its, .code_size = size, .build_id_size = 20,
			     .build_id = id };
	add_function("main", 0, size);
	for (i = 0; i < 200; i++)
		ADD_STEPS(steps);
	snprintf(path, sizeof(path), "/%s/x.c", name);
	dwb_begin(&debug, path, at, size);
	dwb_row(&debug, at, 11, 0);
	dwb_row(&debug, at + loop, 12, 0);
	dwb_row(&debug, at + loop + 8, 13, 0);
	dwb_finish(&debug, at + size);
	dwb_sections(&debug, &elf);
	write_files();
	dwb_free(&debug);
	keep(name);
	snprintf(path, sizeof(path), "%s/x", name);
	CHECK_EQ(run("mv %s/x %s", test_tmpdir(), test_path(path)), 0);
}

TEST(another_build_has_the_same_loops_by_their_lines)
{
	const char *dir = test_tmpdir();

	record_build("old", 1, program, 0x10, 0x04);
	record_build("new", 2, longer, sizeof(longer), 0x08);
	CHECK_EQ(run("ssctr diff --raw --all --code %s/old/x --code %s/new/x %s/old.data %s/new.data",
		     dir, dir, dir, dir), 0);
	CHECK_SHOWS("\n0 of 1 loops changed\n\n");
	CHECK_SHOWS("       ~3.0       ~3.0  main+0x8 (x.c:12)\n");
	CHECK_SHOWS("\n0 of 1 branches changed: how often they are taken\n\n"
		    "    old      new   change  branch\n"
		    "  66.7%    66.7%     +0.0  main+0xe (x.c:12)\n");
}

/* Of one build places are the same by their offsets: two loops of one line are not mixed up. */
TEST(the_same_build_has_the_same_places)
{
	const char *dir = test_tmpdir();

	record_build("old", 1, program, 0x10, 0x04);
	record_build("new", 1, program, 0x10, 0x02);
	CHECK_EQ(run("ssctr diff --raw --all --json --code %s/old/x %s/old.data %s/new.data",
		     dir, dir, dir), 0);
	CHECK_SHOWS("\"loops\":[{\"changed\":true,\"old\":null,\"new\":{\"share\":");
}

/* Three loops of one line are told apart by their order, in builds whose offsets differ. */
TEST(loops_of_one_line_are_the_same_in_their_order)
{
	static const uint16_t three[] = {
		0x0001, 0xfd7d,		/* 00: c.nop; c.bnez a0, 0x00 */
		0x0001, 0xfd7d,		/* 04 */
		0x0001, 0xfd7d,		/* 08 */
		0x8082,			/* 0c: ret */
		0x0001, 0x0001,
	};
	const char *dir = test_tmpdir();
	unsigned int build, i, k, n;

	for (build = 0; build < 2; build++) {
		static const uint64_t at = ELFB_ADDR + ELFB_CODE;
		const uint8_t id[20] = { build + 1 };
		uint16_t code_of[sizeof(three) / 2 + 2] = { 0x0001, 0x0001 };
		const unsigned int moved = build ? 4 : 0;
		struct step steps[32] = { { 0x40, 0x00, CALL, 0 } };
		struct dwb debug = { 0 };

		memcpy(code_of + moved / 2, three, sizeof(three));
		/* Of the first one run, of the second two, of the third three. */
		for (n = 1, i = 0; i < 3; i++)
			for (k = 0; k <= i; k++)
				steps[n++] = (struct step){ moved + 4 * i + 2, moved + 4 * i,
							    COND, 0 };
		steps[n++] = (struct step){ moved + 0x0c, 0x44, RET, 0 };
		rec = (struct pdb){ 0 };
		pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
		pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
		elf = (struct elfb){ .code = code_of, .code_size = sizeof(code_of),
				     .build_id_size = 20, .build_id = id };
		add_function("main", 0, sizeof(code_of));
		for (i = 0; i < 50; i++)
			add_steps(steps, n);
		dwb_begin(&debug, "/src/x.c", at, sizeof(code_of));
		dwb_row(&debug, at, 11, 0);
		dwb_finish(&debug, at + sizeof(code_of));
		dwb_sections(&debug, &elf);
		write_files();
		dwb_free(&debug);
		keep(build ? "new" : "old");
		CHECK_EQ(run("mkdir -p %s/%u && mv %s/x %s/%u/x", dir, build, dir, dir, build), 0);
	}
	CHECK_EQ(run("ssctr diff --raw --all --json --code %s/0/x --code %s/1/x %s/old.data %s/new.data",
		     dir, dir, dir, dir), 0);
	CHECK(!strstr(run_out, "null,\"new\""));
	CHECK(!strstr(run_out, "\"new\":null"));
	for (i = 0; i < 3; i++) {
		char want[256];

		snprintf(want, sizeof(want), "\"offset\":%u,\"file\":\"/src/x.c\",\"line\":11}},"
			 "\"new\":{\"probability\":%.6f,\"place\":{\"binary\":\"/x\","
			 "\"function\":\"main\",\"offset\":%u,", 4 * i + 2,
			 (double)(i + 1) / (i + 2), 4 * i + 6);
		CHECK_SHOWS(want);
	}
}

/*
 * Two functions have the name f, as instances of a generic one may. One has 6 bytes, and the
 * other one 10. Their order is another one in the new build.
 */
static void record_instances(const char *name, unsigned int small, unsigned int large,
			     unsigned int runs_of_small)
{
	const uint8_t id[20] = { name[0], small };
	uint16_t its[8];
	struct step steps[16] = { { 0x40, large, CALL, 0 }, { large + 2, large, COND, 0 },
				  { large + 8, 0x44, RET, 0 } };
	unsigned int i, n = 3;

	memcpy(its + small / 2, (uint16_t[]){ 0x0001, 0xfd7d, 0x8082 }, 6);
	memcpy(its + large / 2, (uint16_t[]){ 0x0001, 0xfd7d, 0x0001, 0x0001, 0x8082 }, 10);
	if (runs_of_small)
		steps[n++] = (struct step){ 0x48, small, CALL, 0 };
	for (i = 1; i < runs_of_small; i++)
		steps[n++] = (struct step){ small + 2, small, COND, 0 };
	if (runs_of_small)
		steps[n++] = (struct step){ small + 4, 0x4c, RET, 0 };
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
	elf = (struct elfb){ .code = its, .code_size = sizeof(its), .build_id_size = 20,
			     .build_id = id };
	add_function("f", small, 6);
	add_function("f", large, 10);
	for (i = 0; i < 200; i++)
		add_steps(steps, n);
	write_files();
	keep(name);
	CHECK_EQ(run("mkdir -p %s/%s && mv %s/x %s/%s", test_tmpdir(), name, test_tmpdir(),
		     test_tmpdir(), name), 0);
}

static void diff_instances(void)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("ssctr diff --raw --all --code %s/old/x --code %s/new/x %s/old.data %s/new.data",
		     dir, dir, dir, dir), 0);
}

TEST(of_functions_of_one_name_those_of_one_size_are_the_same)
{
	record_instances("old", 0, 6, 9);
	record_instances("new", 10, 0, 9);
	diff_instances();
	CHECK_SHOWS("\n0 of 3 functions changed\n");
	CHECK_SHOWS("\n0 of 2 branches changed");
	/* One of them did not run in the new one. */
	record_instances("old", 0, 6, 9);
	record_instances("new", 10, 0, 0);
	diff_instances();
	CHECK_SHOWS("\n  65.5%        -    -65.5  f (/x)\n");
	CHECK_SHOWS("  50.0%    50.0%     +0.0  f+0x2\n");
}

TEST(json_has_both_sides)
{
	record_both(400);
	CHECK_EQ(diff("--json"), 0);
	cut_notes();
	CHECK(!strncmp(run_out, "{\"functions\":[{\"changed\":true,", 30));
	CHECK_SHOWS("],\"old\":{\"samples\":400,\"transfers\":8000,\"empty_samples\":0,\"coverage\":null},"
		    "\"new\":{\"samples\":400,\"transfers\":2400,\"empty_samples\":0,\"coverage\":null},"
		    "\"notes\":[]}\n");
	CHECK_SHOWS("{\"changed\":true,\"old\":{\"share\":0.105263,\"binary\":\"/x\","
		    "\"function\":\"leaf\"},\"new\":null}");
	CHECK_SHOWS("\"branches\":[{\"changed\":true,\"old\":{\"probability\":0.666667,\"place\":"
		    "{\"binary\":\"/x\",\"function\":\"main\",\"offset\":10}},"
		    "\"new\":{\"probability\":0.500000,\"place\":"
		    "{\"binary\":\"/x\",\"function\":\"main\",\"offset\":10}}}]");
}

/* --- the page --- */

static void read_diff_page(int line, const char *options)
{
	char all[256];

	snprintf(all, sizeof(all), "--html %s/p %s", test_tmpdir(), options);
	CHECK_EQ(diff(all), 0);
	CHECK_STR(run_out, "");
	CHECK_EQ(run("cat %s/p", test_tmpdir()), 0);
	check_page(line);
}

#define NUMBER(_text)	"<td class=\"n\">" _text "</td>"
#define BAR(_part, _text) "<td class=\"n bar\" style=\"--part:" _part "%\">" _text "</td>"

/* The figures are those of what_changed_by_more_than_chance_does_is_shown. */
TEST(the_page_says_what_the_text_says)
{
	record_both(400);
	read_diff_page(__LINE__, "");
	CHECK_SHOWS("<h2>Old</h2>\n<dl>\n<dt>recording</dt><dd>");
	CHECK_SHOWS("/old.data</dd>\n");
	CHECK_SHOWS("<dt>branch stacks</dt><dd>8000 transfers in 400 samples</dd>\n"
		    "<dt>coverage</dt><dd>not known</dd>\n");
	CHECK_SHOWS("<h2>New</h2>\n<dl>\n<dt>recording</dt><dd>");
	CHECK_SHOWS("<dt>branch stacks</dt><dd>2400 transfers in 400 samples</dd>\n");
	CHECK_SHOWS("larger than chance makes it in one of a thousand cases");
	CHECK_SHOWS("<strong>3 of 3 functions changed.</strong>");
	CHECK_SHOWS("<th>old</th><th>new</th><th>change</th><th>function</th></tr>\n"
		    "<tr>" BAR("84", "84.2%") BAR("100", "100.0%") NUMBER("+15.8")
		    "<td>main (/x)</td></tr>\n"
		    "<tr>" BAR("11", "10.5%") NUMBER("-") NUMBER("-10.5")
		    "<td>leaf (/x)</td></tr>\n"
		    "<tr>" BAR("5", "5.3%") NUMBER("-") NUMBER("-5.3")
		    "<td>twin (/x)</td></tr>\n</table>\n");
	CHECK_SHOWS("<strong>1 of 1 loops changed.</strong>");
	CHECK_SHOWS(NUMBER("3") NUMBER("2") "<td>main+0x4</td></tr>\n</table>\n");
	CHECK_SHOWS("<strong>1 of 1 branches changed.</strong>");
	CHECK_SHOWS("<tr>" BAR("67", "66.7%") BAR("50", "50.0%") NUMBER("-16.7")
		    "<td>main+0xa</td></tr>\n</table>\n");
	CHECK(!strstr(run_out, "largest changes are shown"));
	read_diff_page(__LINE__, "-n 2");
	CHECK_SHOWS("<strong>3 of 3 functions changed.</strong> The 2 largest changes are shown;");
	CHECK(!strstr(run_out, "twin"));
}

/* As in what_chance_may_do_is_not_called_a_change. */
TEST(the_page_marks_what_may_be_chance)
{
	record_both(40);
	read_diff_page(__LINE__, "");
	CHECK_SHOWS("<strong>0 of 3 functions changed.</strong>");
	CHECK_SHOWS("What may be chance is left out; <code>--all</code> shows it.");
	CHECK(!strstr(run_out, "<table"));
	read_diff_page(__LINE__, "--all");
	CHECK_SHOWS("<strong>0 of 3 functions changed.</strong>");
	CHECK_SHOWS(NUMBER("+15.8") "<td>may be chance</td><td>main (/x)</td></tr>\n");
	record_both(400);
	read_diff_page(__LINE__, "--all");
	CHECK_SHOWS(NUMBER("+15.8") "<td>yes</td><td>main (/x)</td></tr>\n");
}

TEST(names_are_escaped_in_the_page)
{
	record_both(400);
	CHECK_EQ(run("cd %s && sed -i 's,/x\\x00,/<\\x00,' old.data new.data && mv x '<'",
		     test_tmpdir()), 0);
	read_diff_page(__LINE__, "");
	CHECK_SHOWS("<td>main (/&lt;)</td>");
}

TEST(a_page_is_there_whole_or_not_at_all)
{
	const char *dir = test_tmpdir();

	record_both(400);
	CHECK_EQ(diff("--html /dev/full"), 1);
	CHECK_SAYS("ssctr diff: /dev/full: No space left on device");
	CHECK_EQ(diff("--html /none/p --json"), 2);
	CHECK_SAYS("--json and --html cannot be used together");
	CHECK_EQ(run("ssctr diff --html %s/p %s/old.data %s/none.data", dir, dir, dir), 1);
	CHECK_EQ(run("test -e %s/p", dir), 1);
}

TEST(two_recordings_with_all_branches_are_asked_for)
{
	const char *dir = test_tmpdir();

	RECORD("old", 1, once);
	CHECK_EQ(run("ssctr diff %s/old.data", dir), 2);
	CHECK_SAYS("ssctr diff: two recordings are needed, and 1 given; see `ssctr diff --help`");
	CHECK_EQ(run("ssctr diff %s/old.data %s/nothing.data", dir, dir), 1);
	CHECK_SAYS("/nothing.data: No such file or directory");
	begin_program();
	record_calls_alone();
	ADD_STEPS(once);
	write_files();
	keep("new");
	CHECK_EQ(diff(""), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("/new.data: some kinds of branches were not recorded");
}
