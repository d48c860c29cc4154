// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile: counts by address, and why there is no profile. */
#include "cmd-sample.h"

/* Addresses of the small program as it is linked. */
#define BASE "401"

static int profile(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr profile --raw -i %s/perf.data -b %s/x -o %s/out %s && cat %s/out*",
		   dir, dir, dir, options, dir);
}

static void check_no_profile(int line, const char *text)
{
	size_t n = strlen(run_err);
	DIR *dir = opendir(test_tmpdir());
	struct dirent *e;

	if (!strstr(run_err, text))
		test_fail(__FILE__, line, "no \"%s\" in: %s", text, run_err);
	if (!n || strchr(run_err, '\n') != run_err + n - 1)
		test_fail(__FILE__, line, "not one line: %s", run_err);
	while (dir && (e = readdir(dir)))
		if (!strncmp(e->d_name, "out", 3))
			test_fail(__FILE__, line, "%s is left", e->d_name);
	closedir(dir);
}

#define CHECK_NO_PROFILE(_text) check_no_profile(__LINE__, _text)

TEST(profgen_has_ranges_and_branches_from_the_text_base)
{
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	/* The segment starts at 0x400000, the code at 0x1000 in it. */
	CHECK_STR(run_out,
		  "3\n1000-1006:2\n100a-100e:2\n1012-1016:2\n"
		  "3\n1006->1012:2\n100e->1000:4\n1016->100a:2\n");
}

TEST(bolt_tells_where_a_line_was_entered_from)
{
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(profile("-f bolt"), 0);
	/* F: from inside of main; f: by a call or a return. */
	CHECK_STR(run_out,
		  "B " BASE "006 " BASE "012 1 0\n"
		  "B " BASE "00e " BASE "000 2 0\n"
		  "B " BASE "016 " BASE "00a 1 0\n"
		  "f " BASE "012 " BASE "016 1\n"
		  "F " BASE "000 " BASE "006 1\n"
		  "f " BASE "00a " BASE "00e 1\n");
}

TEST(mispredictions_are_bolt_s)
{
	static const uint64_t missed[][3] = {
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 | 1 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
	};

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, missed);
	add_sample(5, 2, MAP_AT + 0x02, 4, missed);
	write_files();
	CHECK_EQ(profile("-f bolt"), 0);
	CHECK(strstr(run_out, "B " BASE "00e " BASE "000 4 2\n"));
}

TEST(several_formats_come_from_one_reading)
{
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(profile("-f profgen,bolt"), 0);
	CHECK_EQ(run("cd %s && head -qn1 out.profgen out.bolt", test_tmpdir()),
		 0);
	CHECK_STR(run_out, "3\nB " BASE "006 " BASE "012 1 0\n");
}

TEST(counts_do_not_depend_on_where_the_file_is_mapped)
{
	static const uint64_t moved[][3] = {
		{ 0x7000000 + 0x16, 0x7000000 + 0x0a, 0 },
		{ 0x7000000 + 0x06, 0x7000000 + 0x12, 0 },
	};

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	pdb_mmap2(&rec, 6, 0x7000000, 0x1000, ELFB_CODE, "/x", 2);
	add_sample(6, 3, 0x7000000, 2, moved);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(strstr(run_out, "1012-1016:2\n"));
	CHECK(strstr(run_out, "1016->100a:2\n"));
}

TEST(merged_recordings_add_up)
{
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("mv %s/perf.data %s/second", test_tmpdir(), test_tmpdir()),
		 0);
	begin();
	rec.data.n = 0;
	/* Other files come first there, so that they have other numbers. */
	pdb_mmap2(&rec, 5, 0x900000, 0x1000, 0, "/a", 1);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr profile --raw -i %s/perf.data --merge %s/second -b %s/x "
		     "-f profgen -o -", test_tmpdir(), test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK_STR(run_out,
		  "3\n1000-1006:2\n100a-100e:2\n1012-1016:2\n"
		  "3\n1006->1012:2\n100e->1000:4\n1016->100a:2\n");
}

TEST(a_recording_that_has_nothing_of_the_program_is_told)
{
	begin();
	rec.data.n = 0;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/other", 1);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("mv %s/perf.data %s/second", test_tmpdir(), test_tmpdir()),
		 0);
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr profile --raw -i %s/perf.data --merge %s/second -b %s/x "
		     "-f profgen -o -", test_tmpdir(), test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(strstr(run_err, " 1 recordings without a transfer in "));
	CHECK(strstr(run_err, "/second\n"));
	CHECK_EQ(run("ssctr profile --raw -i %s/perf.data -b %s/x -f profgen -o -", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK(!strstr(run_err, "recordings without"));
}

TEST(the_same_recording_is_not_counted_twice)
{
	const char *dir = test_tmpdir();

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && cp perf.data copy && ssctr profile -b x -f bolt -o out --merge copy", dir), 1);
	CHECK(strstr(run_err, " count the same recording or period; leave out one of them, so that nothing is counted twice\n"));
	CHECK(strstr(run_err, "perf.data") && strstr(run_err, "copy"));
	CHECK_EQ(run("cd %s && test ! -e out && ssctr merge perf.data -o counts 2>run.merge && "
		     "ssctr profile -b x -f bolt -o out --merge counts", dir), 1);
	CHECK(strstr(run_err, " count the same recording or period; "));
	CHECK_EQ(run("cd %s && cp counts more && ssctr profile counts -b x -f bolt -o out --merge more", dir), 1);
	CHECK(strstr(run_err, " count the same recording or period; "));
}

/* Nothing of these inputs can be counted, so it is told before that. */
TEST(what_is_wrong_with_the_inputs_is_told_before_they_are_counted)
{
	static const char lost[] = ": this is the input, which would be lost; name another file\n";
	const char *dir = test_tmpdir();

	begin();
	write_files();
	CHECK_EQ(run("cd %s && echo damaged >a && cp a b && mkdir t && cp a t/data && : >t/data.0", dir), 0);
	CHECK_EQ(run("cd %s && ssctr profile a --merge b -b x -f bolt -o out", dir), 1);
	CHECK(strstr(run_err, "a and b count the same recording or period; ") ||
	      strstr(run_err, "b and a count the same recording or period; "));
	CHECK_EQ(run("cd %s && ssctr profile perf.data --merge t --merge t -b x -f bolt -o out", dir), 1);
	CHECK(strstr(run_err, "t and t count the same recording or period; "));
	CHECK_EQ(run("cd %s && ssctr profile a -b x -f bolt -o a", dir), 1);
	CHECK(strstr(run_err, "-o a") && strstr(run_err, lost));
	CHECK_EQ(run("cd %s && cp a p.bolt && ssctr profile p.bolt -b x -f bolt,profgen -o p", dir), 1);
	CHECK(strstr(run_err, "-o p.bolt") && strstr(run_err, lost));
}

/* A thread that had nothing to record. */
TEST(folders_with_empty_data_can_be_merged)
{
	const char *dir = test_tmpdir();

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && mkdir t && mv perf.data t/data && : >t/data.0", dir), 0);
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && ssctr profile --raw -i t --merge perf.data -b x -f profgen -o -", dir), 0);
	CHECK(strstr(run_out, "1016->100a:2\n"));
}

TEST(of_several_formats_all_are_written_or_none)
{
	const char *dir = test_tmpdir();

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && mkdir p.profgen && ssctr profile -b x -f bolt,profgen -o p", dir), 1);
	CHECK(strstr(run_err, "p.profgen: Is a directory\n"));
	CHECK_EQ(run("cd %s && ls p.*", dir), 0);
	CHECK_STR(run_out, "");
	CHECK_EQ(run("cd %s && rmdir p.profgen && ssctr profile -b x -f profgen,bolt -o p && ls p.*", dir), 0);
	CHECK_STR(run_out, "p.bolt\np.profgen\n");
}

/* Two that ran, and one of them is not there. */
static void write_two_as(const char *name)
{
	enum { OTHER_AT = 0x900000 };
	static const uint64_t other[][3] = {
		{ OTHER_AT + 0x0e, OTHER_AT + 0x00, PERF_BR_RET << 20 },
		{ OTHER_AT + 0x16, OTHER_AT + 0x0a, PERF_BR_RET << 20 },
	};

	begin();
	pdb_mmap2(&rec, 5, OTHER_AT, 0x1000, ELFB_CODE, name, 1);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	add_sample(5, 2, OTHER_AT + 0x02, 2, other);
	write_files();
}

static void write_two(void)
{
	write_two_as("/lib/other");
}

TEST(all_binaries_have_their_profiles_in_a_folder)
{
	const char *dir = test_tmpdir();

	write_two();
	CHECK_EQ(run("cd %s && ssctr profile --all --raw --symfs . -f bolt,profgen -o all", dir), 0);
	CHECK(strstr(run_err, " 1 binaries have a profile; all/summary has a line"));
	CHECK(strstr(run_err, " 1 binaries have no profile\n"));
	CHECK_EQ(run("cd %s/all && ls && cat summary", dir), 0);
	CHECK_STR(run_out,
		  "summary\nx.bolt\nx.profgen\n"
		  "recording perf.data: 2 samples of the event, whose coverage is not known: perf writes no count for the event; record with `ssctr record`\n"
		  "/x: all/x, 4 transfers, 100.0 % of its straight lines, used because of its name; no build id tells whether it is the file that ran\n"
		  "/lib/other: not found, or not as it was recorded; name a place that has it with --code\n");
	CHECK_EQ(run("cd %s && ssctr profile -b /x --raw --symfs . -f bolt,profgen -o one 2>&- && "
		     "cmp one.bolt all/x.bolt && cmp one.profgen all/x.profgen", dir), 0);
}

/* A name is of the recording, and may have any character. */
TEST(the_summary_has_a_line_of_plain_text_for_each_binary)
{
	const char *dir = test_tmpdir();

	write_two_as("/lib/a\033[31m\nb");
	CHECK_EQ(run("cd %s && ssctr profile --all --raw --symfs . -f bolt -o all && cat all/summary",
		     dir), 0);
	CHECK(strstr(run_out, "\n/lib/a?[31m?b: not found, or not as it was recorded; "));
	CHECK_EQ(run("cd %s && mkdir lib && cp x \"lib/$(printf 'a\\033[31m\\nb')\" && "
		     "n=\"$(printf 'r\\033\\nr')\" && mv perf.data \"$n\" && "
		     "ssctr profile -i \"$n\" --all --raw --symfs . -f bolt,llvm -o two && cat two/summary",
		     dir), 0);
	CHECK(!strncmp(run_out, "recording r??r: 2 samples ", 26));
	CHECK(strstr(run_out, "\n/lib/a?[31m?b: two/a?[31m?b, "));
	CHECK(strstr(run_out, "\n/lib/a?[31m?b: -f llvm: "));
	CHECK(!strchr(run_out, '\033'));
}

/* x has no debug information, which BOLT does not need. */
TEST(formats_without_debug_information_are_written_where_others_cannot_be)
{
	const char *dir = test_tmpdir();

	write_two();
	CHECK_EQ(run("cd %s && ssctr profile -b x --raw -f bolt -o x.bolt && "
		     "ssctr profile --all --raw --symfs . -f llvm,bolt,gcov -o all", dir), 0);
	CHECK(strstr(run_err, " 1 binaries have a profile; all/summary has a line"));
	CHECK(strstr(run_err, " 1 of them do not have all formats; all/summary says why\n"));
	CHECK_EQ(run("cd %s/all && ls && cmp x.bolt ../x.bolt && grep -c '^/x: -f llvm,gcov: ./x: no debug information' summary",
		     dir), 0);
	CHECK_STR(run_out, "summary\nx.bolt\n1\n");
	CHECK_EQ(run("cd %s && ssctr profile -b x --raw -f go,bolt -o p", dir), 1);
	CHECK(strstr(run_err, "ssctr profile: -f go: x: no debug information"));
	CHECK(strstr(run_err, "; the other formats are written\n"));
	CHECK_EQ(run("cd %s && ls p.* && cmp p.bolt x.bolt", dir), 0);
	CHECK_STR(run_out, "p.bolt\n");
	CHECK_EQ(run("cd %s && cp x y && ssctr profile -b x -b y --raw -f bolt,llvm -o two", dir), 1);
	CHECK(strstr(run_err, "ssctr profile: -f llvm: x: no debug information"));
	CHECK_EQ(run("cd %s && ls two && ssctr profile -b x -f llvm,gcov -o no; ls no.*", dir), 2);
	CHECK_STR(run_out, "summary\nx.bolt\n");
	CHECK(!strstr(run_err, "-f llvm"));
}

TEST(each_binary_that_is_named_has_its_profile_in_a_folder)
{
	const char *dir = test_tmpdir();

	write_two();
	CHECK_EQ(run("cd %s && mkdir lib && cp x lib/other && "
		     "ssctr profile --raw --symfs . -b /x -b /lib/other -f bolt,profgen -o two", dir), 0);
	CHECK(strstr(run_err, " 2 binaries have a profile; two/summary has a line"));
	CHECK_EQ(run("cd %s && ls two && ssctr profile --all --raw --symfs . "
		     "-f bolt,profgen -o each && diff -r -x summary two each", dir), 0);
	CHECK_STR(run_out, "other.bolt\nother.profgen\nsummary\nx.bolt\nx.profgen\n");
	CHECK_EQ(run("cd %s && ssctr profile -b x -b x -f bolt -o same && ls same", dir), 0);
	CHECK_STR(run_out, "summary\nx.bolt\n");
}

TEST(a_binary_that_is_named_and_did_not_run_is_an_error_beside_the_others)
{
	const char *dir = test_tmpdir();

	write_two();
	CHECK_EQ(run("cd %s && cp x never && ssctr profile --raw -b never -b x -f bolt -o two", dir), 1);
	CHECK(strstr(run_err, "ssctr profile: never: no transfer in it was recorded; most are in /x (4 transfers)"));
	CHECK(strstr(run_err, "; 1 other profiles are in two\n"));
	CHECK_EQ(run("cd %s && ls two && grep -c never: two/summary", dir), 0);
	CHECK_STR(run_out, "summary\nx.bolt\n1\n");
	CHECK_EQ(run("cd %s && cp x also && ssctr profile -b never -b also -f bolt -o none; ls none", dir), 2);
	CHECK(strstr(run_err, "none of 2 binaries that -b names has a profile: never: no transfer"));
	CHECK_EQ(run("cd %s && ssctr profile -b x -b not-there -f bolt -o none; ls none", dir), 2);
	CHECK(strstr(run_err, "not-there: No such file or directory"));
}

/* Two programs whose paths end in the same name; a ran three times as often as b. */
static void write_same_names(void)
{
	enum { OTHER_AT = 0x900000 };
	static const uint64_t other[][3] = {
		{ OTHER_AT + 0x0e, OTHER_AT + 0x00, PERF_BR_RET << 20 },
		{ OTHER_AT + 0x16, OTHER_AT + 0x0a, PERF_BR_RET << 20 },
	};
	unsigned int i;

	begin();
	rec.data.n = 0;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/a/x", 1);
	pdb_mmap2(&rec, 5, OTHER_AT, 0x1000, ELFB_CODE, "/b/x", 1);
	for (i = 1; i < 4; i++)
		add_sample(5, i, MAP_AT + 0x02, 4, loop);
	add_sample(5, 4, OTHER_AT + 0x02, 2, other);
	write_files();
	CHECK_EQ(run("cd %s && mkdir a b && cp x a && cp x b", test_tmpdir()), 0);
}

TEST(a_program_that_is_named_by_its_path_has_only_its_own_counts)
{
	const char *dir = test_tmpdir();

	write_same_names();
	CHECK_EQ(run("cd %s && ssctr profile --raw --symfs . -b /b/x -f profgen -o -", dir), 0);
	CHECK_STR(run_out, "1\n100a-100e:1\n2\n100e->1000:1\n1016->100a:1\n");
	CHECK(strstr(run_err, "          12 to programs of the same name at other paths: left out, because no build id tells that they are the same\n"));
	CHECK_EQ(run("cd %s && ssctr profile --raw --symfs . -b a/x -f profgen -o - | grep -c :3", dir), 0);
	CHECK_STR(run_out, "5\n");
}

TEST(a_name_that_two_programs_have_is_refused)
{
	const char *dir = test_tmpdir();

	write_same_names();
	CHECK_EQ(run("cd %s && ssctr profile --raw -b x -f profgen -o out", dir), 1);
	CHECK_NO_PROFILE("x: may be /a/x or /b/x, and no build id tells which; give the path of one of them, and the folder above it with --symfs\n");
}

TEST(programs_of_one_name_have_profiles_of_their_own)
{
	const char *dir = test_tmpdir();

	write_same_names();
	CHECK_EQ(run("cd %s && ssctr profile --all --raw --symfs . -f profgen -o all && "
		     "grep -o '^/[^,]*, [0-9]*' all/summary && tail -n 1 all/x.profgen all/x-2.profgen", dir), 0);
	CHECK_STR(run_out, "/a/x: all/x, 12\n/b/x: all/x-2, 2\n"
			   "==> all/x.profgen <==\n1016->100a:3\n\n"
			   "==> all/x-2.profgen <==\n1016->100a:1\n");
	CHECK_EQ(run("cd %s && ssctr profile --raw --symfs . -b /b/x -b /a/x -f profgen -o two && "
		     "diff -x summary all two", dir), 0);
}

/* The file of the recorded build has another name, and another file has the name. */
static void write_renamed(void)
{
	static const uint8_t id[20] = { 0xaa, 1 }, other[20] = { 0xbb, 2 };
	const char *dir = test_tmpdir();

	begin();
	rec.data.n = 0;
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	elf.build_id = id;
	elf.build_id_size = sizeof(id);
	write_files();
	CHECK_EQ(run("cd %s && mkdir code && mv x code/renamed", dir), 0);
	elf.build_id = other;
	elf.size = 0;
	CHECK(elfb_write(&elf, test_path("x")));
}

TEST(all_finds_a_file_by_its_build_id_whatever_its_name_is)
{
	const char *dir = test_tmpdir();

	write_renamed();
	CHECK_EQ(run("cd %s && ssctr profile --all --raw --symfs . --code code -f profgen -o all && "
		     "ls all && grep -c '4 transfers, 100.0 %% of its straight lines$' all/summary", dir), 0);
	CHECK_STR(run_out, "summary\nx-aa010000.profgen\n1\n");
	/* perf's cache */
	CHECK_EQ(run("cd %s && mkdir -p home/.debug/.build-id/aa/%s && "
		     "mv code/renamed home/.debug/.build-id/aa/%s/elf && "
		     "HOME=home ssctr profile --all --raw --symfs . -f profgen -o cached && diff all/*.profgen cached/*.profgen",
		     dir, "01000000000000000000000000000000000000", "01000000000000000000000000000000000000"), 0);
	CHECK_EQ(run("cd %s && ssctr profile --all --raw --symfs . -f profgen -o none", dir), 1);
	CHECK(strstr(run_err, "/x: not found, or not as it was recorded"));
}

/* /d/x, which is not there, and its file in a place, alone and beside another one. */
TEST(a_name_in_the_recording_is_found_by_its_build_id)
{
	static const uint8_t id[20] = { 0xaa, 1 };
	static const char profile_of[] =
		"cd %s && ssctr profile --raw -b %s --code code -f profgen -o %s";
	const char *dir = test_tmpdir();

	begin();
	rec.data.n = 0;
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/d/x", 1, id);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	elf.build_id = id;
	elf.build_id_size = sizeof(id);
	write_files();
	CHECK_EQ(run("cd %s && ssctr profile --raw -b x -f profgen -o direct && mkdir code && mv x code/renamed", dir), 0);
	CHECK_EQ(run(profile_of, dir, "/d/x", "by_path && cmp direct by_path"), 0);
	CHECK(strstr(run_err, "           4 from or to /d/x: "));
	CHECK_EQ(run(profile_of, dir, "x", "by_name && cmp direct by_name"), 0);
	CHECK_EQ(run(profile_of, dir, "x -b code/renamed", "two && cmp direct two/x-aa010000.profgen"), 0);
	/* It is no input before it is found. */
	CHECK_EQ(run(profile_of, dir, "x", "code/renamed"), 1);
	CHECK_SAYS("-o code/renamed: this is the input");
	CHECK_EQ(run(profile_of, dir, "/e/x", "none"), 1);
	CHECK_SAYS("/e/x: No such file or directory, and no place of --code has a build of this name that was recorded");
	CHECK_EQ(run("cd %s && ssctr profile -b x -i nothing -o none", dir), 1);
	CHECK_SAYS("x: No such file or directory; name a place that has it with --code");
	CHECK_EQ(run("cd %s && ssctr profile -b code -o none", dir), 1);
	CHECK_SAYS("code: a folder, and not a file\n");
}

TEST(where_none_of_all_has_a_profile_no_folder_is_left)
{
	const char *dir = test_tmpdir();

	write_two();
	CHECK_EQ(run("cd %s && ssctr profile --all --symfs . -o all", dir), 1);
	CHECK(strstr(run_err, "none of 2 binaries that ran has a profile: ./x: no debug information"));
	CHECK_EQ(run("ls %s/all", dir), 2);
	CHECK_EQ(run("cd %s && echo >all && ssctr profile --all -f bolt --symfs . -o all", dir), 1);
	CHECK_EQ(run("cd %s && mkdir mine && ssctr profile --all --symfs . -o mine", dir), 1);
	CHECK_EQ(run("rmdir %s/mine", dir), 0);
	CHECK_EQ(run("ssctr profile --all -o -"), 2);
	CHECK_EQ(run("ssctr profile --all -b x -o y"), 2);
}

/*
 * Of three lines of 3, 3 and 2 instructions: the youngest transfer is none's, and the
 * others are told in as many transfers as there were.
 */
TEST(counts_are_weighed_and_told_in_transfers)
{
	const char *dir = test_tmpdir();

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr profile -i %s/perf.data -b %s/x -f profgen -o - | tr -s '0-9' N",
		     dir, dir), 0);
	CHECK(strstr(run_err, "           4 transfers, of which, by weight\n"
			      "           4 from or to "));
	CHECK_EQ(run("ssctr profile -i %s/perf.data -b %s/x -f profgen -o - | grep -c ':[0-9]\\{4\\}'",
		     dir, dir), 0);
}

TEST(the_summary_tells_transfers_by_weight)
{
	const char *dir = test_tmpdir();

	write_two();
	CHECK_EQ(run("cd %s && ssctr profile --all --symfs . -f bolt -o all && "
		     "grep -c ' transfers by weight, 100.0 %% of its straight lines' all/summary", dir), 0);
	CHECK_STR(run_out, "1\n");
}

/* Code that takes 3 of 299 samples, 1.003 %, is in none of them in 296^299 / 299^299 = 5 %. */
TEST(few_samples_are_told)
{
	unsigned int i, nr;

	for (nr = 299; nr <= 300; nr++) {
		begin();
		for (i = 1; i <= nr; i++)
			add_sample(5, i, MAP_AT + 0x02, 4, loop);
		write_files();
		CHECK_EQ(profile("-f profgen"), 0);
		CHECK(strstr(run_err, nr < 300 ?
			"         299 samples, which are few: code that takes 1 % of the time may be missing, as if it never ran; record longer, or with a shorter period\n" :
			"         300 samples\n"));
	}
}

TEST(stacks_of_one_transfer_are_an_error_of_the_recording)
{
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 1, loop);
	add_sample(5, 2, MAP_AT + 0x02, 1, loop);
	add_sample(5, 3, MAP_AT + 0x02, 0, loop);
	write_files();
	CHECK_EQ(profile("-f bolt --allow-partial"), 1);
	CHECK_NO_PROFILE("/perf.data: each stack has one transfer only, so no straight line is known; record more branches in each sample\n");
	CHECK_EQ(run("cd %s && ssctr profile -b x -f bolt -o out", test_tmpdir()), 1);
	CHECK_NO_PROFILE("perf.data: each stack has one transfer only, so no straight line is known; record more branches in each sample\n");
	CHECK_EQ(run("cd %s && ssctr merge --symfs . -o a.counts perf.data", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr profile -i a.counts -b x -f bolt -o out", test_tmpdir()), 1);
	CHECK_NO_PROFILE("a.counts: each stack has one transfer only, so no straight line is known; record more branches in each sample\n");
}

/* One of its transfers is in the program, and it is the only sample. */
TEST(a_deeper_stack_of_which_a_merge_keeps_one_transfer_is_not_one_of_one_transfer)
{
	static const uint64_t into[][3] = {
		{ 0x900000, MAP_AT + 0x0a, 0 },
		{ 0x900100, 0x8ffff0, 0 },
	};

	begin();
	add_sample(5, 1, MAP_AT + 0x0a, 2, into);
	write_files();
	CHECK_EQ(run("cd %s && ssctr merge --symfs . -o a.counts perf.data && ssctr merge --dso x -o x.counts a.counts && ssctr info x.counts | grep -c '^transfers  *1$'",
		     test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr profile --raw -i x.counts -b x -f bolt -o out", test_tmpdir()), 1);
	CHECK_NO_PROFILE("x: no stack has two transfers in a row with code of it in between");
}

/* The program is left at once, and comes back by another transfer. */
TEST(transfers_without_a_line_between_them_are_an_error_of_the_recording)
{
	static const uint64_t away[][3] = {
		{ 0x900000, MAP_AT + 0x0a, 0 },
		{ MAP_AT + 0x0e, 0x900010, 0 },
	};

	begin();
	add_sample(5, 1, MAP_AT + 0x0a, 2, away);
	write_files();
	CHECK_EQ(profile("-f bolt --allow-partial"), 1);
	CHECK_NO_PROFILE("no stack has two transfers in a row with code of it in between");
}

TEST(what_crosses_into_the_kernel_is_no_branch)
{
	static const uint64_t trap[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x0a, 0 },
		{ KERNEL_AT + 4, MAP_AT + 0x12, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x12, KERNEL_AT, PERF_BR_IRQ << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, 0 },
	};

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, trap);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	/* The lines before and after it are real. */
	CHECK_STR(run_out, "2\n1012-1012:1\n1012-1016:1\n"
			   "2\n1006->1012:1\n1016->100a:1\n");
	CHECK(strstr(run_err, " 2 between it and the kernel"));
	CHECK_EQ(profile("-f bolt"), 0);
	CHECK(strstr(run_out, "f " BASE "012 " BASE "016 1\n"));
}

TEST(other_binaries_are_outside)
{
	static const uint64_t call[][3] = {
		{ 0x900010, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x18, 0x900000, PERF_BR_IND_CALL << 20 },
		{ 0x900020, MAP_AT + 0x18, 0 },
		{ 0x900030, 0x900020, 0 },
	};

	begin();
	pdb_mmap2(&rec, 5, 0x900000, 0x1000, 0, "/lib", 1);
	add_sample(5, 1, MAP_AT + 0x0a, 4, call);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK_STR(run_out, "1\n1018-1018:1\n2\n"
			   "ffffffffffc00001->100a:1\n"
			   "ffffffffffc00001->1018:1\n");
	CHECK_EQ(profile("-f bolt"), 0);
	CHECK_STR(run_out, "B " BASE "018 X:0 1 0\nB X:0 " BASE "00a 1 0\n"
			   "B X:0 " BASE "018 1 0\nf " BASE "018 " BASE
			   "018 1\n");
}

/* How long its lines are is not known, and weights are by length. */
/* The same code once more, 4 GiB above the first: a second segment of the file. */
static void write_far(void)
{
	enum { FAR_OFFSET = 0x2000 };
	static uint16_t both[(FAR_OFFSET - ELFB_CODE) / 2 + sizeof(code) / 2];
	Elf64_Phdr *ph = (Elf64_Phdr *)(elf.file + sizeof(Elf64_Ehdr));
	char path[128];
	FILE *file;

	write_files();
	memcpy(both, code, sizeof(code));
	memcpy(both + (FAR_OFFSET - ELFB_CODE) / 2, code, sizeof(code));
	elf.code = both;
	elf.code_size = sizeof(both);
	elfb_finish(&elf);
	ph[0].p_filesz = ph[0].p_memsz = FAR_OFFSET;
	ph[1] = ph[0];
	ph[1].p_offset = FAR_OFFSET;
	ph[1].p_vaddr = ELFB_ADDR + UINT64_C(0x100000000);
	ph[1].p_filesz = ph[1].p_memsz = sizeof(code);
	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	file = fopen(path, "w");
	CHECK(file && fwrite(elf.file, elf.size, 1, file) == 1 && !fclose(file));
}

TEST(code_beyond_4_gib_is_left_out_and_told)
{
	static const uint64_t far[][3] = {
		{ 0x30000 + 0x0e, 0x30000 + 0x00, PERF_BR_RET << 20 },
		{ 0x30000 + 0x16, 0x30000 + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x06, 0x30000 + 0x12, PERF_BR_CALL << 20 },
	};
	char want[256];

	begin();
	pdb_mmap2(&rec, 5, 0x30000, 0x1000, 0x2000, "/x", 2);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	add_sample(5, 4, 0x30000 + 0x02, 3, far);
	write_far();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK_STR(run_out,
		  "3\n1000-1006:1\n100a-100e:1\n1012-1016:1\n"
		  "3\n1006->1012:1\n100e->1000:2\n1016->100a:1\n");
	snprintf(want, sizeof(want),
		 " 3 to or from code 4 GiB or more above the first executable segment of %s/x: left out",
		 test_tmpdir());
	CHECK(strstr(run_err, want));
	begin();
	rec.data.n = 0;
	pdb_mmap2(&rec, 5, 0x30000, 0x1000, 0x2000, "/x", 2);
	add_sample(5, 4, 0x30000 + 0x02, 2, far);
	write_far();
	CHECK_EQ(run("rm %s/out", test_tmpdir()), 0);
	CHECK_EQ(profile("-f profgen"), 1);
	CHECK_NO_PROFILE("all that was recorded in it is 4 GiB or more above its first executable segment");
}

TEST(a_file_whose_code_is_not_found_is_told)
{
	const char *dir = test_tmpdir();

	begin();
	pdb_mmap2(&rec, 5, 0x900000, 0x1000, 0, "/lib", 1);
	add_sample(5, 1, MAP_AT + 0x0a, 2, (const uint64_t[][3]){
		{ 0x900010, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ 0x900030, 0x900000, 0 } });
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr profile -i %s/perf.data --symfs %s -b %s/x -f bolt -o %s/out",
		     dir, dir, dir, dir), 0);
	CHECK(strstr(run_err, "           1 files whose code was not found, so the weights of their lines are less sure; the first is "));
	CHECK(strstr(run_err, "/lib: No such file or directory"));
	CHECK_EQ(run("ssctr merge --symfs %s -o %s/a.counts %s/perf.data", dir, dir, dir), 0);
	CHECK(strstr(run_err, "/lib: No such file or directory"));
	CHECK_EQ(run("ssctr merge --symfs %s -o %s/a.counts %s/perf.data 2>&1 | grep -c 'not used'", dir, dir, dir), 0);
	CHECK_STR(run_out, "1\n");
}

TEST(lines_that_cannot_be_are_left_out)
{
	/* Over a jump, backwards, into an instruction: in time from below. */
	static const uint64_t bad[][3] = {
		{ MAP_AT + 0x04, MAP_AT + 0x00, 0 },
		{ MAP_AT + 0x06, MAP_AT + 0x00, 0 },
		{ MAP_AT + 0x0e, MAP_AT + 0x12, 0 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, 0 },
		{ MAP_AT + 0x16, MAP_AT + 0x00, 0 },
	};

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 5, bad);
	write_files();
	CHECK_EQ(profile("-f profgen"), 3);
	CHECK_NO_PROFILE("only 25.0 % of what 1 samples show could be used");
	CHECK_EQ(profile("-f profgen --allow-partial"), 0);
	CHECK(strstr(run_err, "1 samples, of which only 25.0 % could be used: straight lines do not fit its code ("));
	CHECK(!strncmp(run_out, "1\n100a-100e:1\n5\n", 16));
	CHECK(strstr(run_err, "1 straight lines left out: an unconditional jump"));
	CHECK(strstr(run_err, "1 straight lines left out: the next source is before"));
	CHECK(strstr(run_err, "1 straight lines left out: the next source is inside"));
}

TEST(a_recording_without_branch_stacks_is_refused)
{
	begin();
	rec.events[0].attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	add_sample(5, 1, MAP_AT, 0, NULL);
	write_files();
	CHECK_EQ(profile("-f bolt"), 1);
	CHECK_NO_PROFILE("perf record -b");
}

TEST(empty_stacks_are_told)
{
	begin();
	add_sample(5, 1, MAP_AT, 0, NULL);
	write_files();
	CHECK_EQ(profile("-f bolt"), 1);
	CHECK_NO_PROFILE("the branch stacks of all 1 samples are empty");
}

TEST(options_that_leave_nothing_are_told)
{
	begin();
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(profile("-f bolt --pid 77"), 1);
	CHECK_NO_PROFILE("no sample that the options select");
}

TEST(a_filtered_recording_gives_no_ranges)
{
	begin();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(profile("-f bolt"), 1);
	CHECK_NO_PROFILE("some kinds of branches were not recorded");
}

TEST(a_binary_that_did_not_run_is_told_with_those_that_did)
{
	begin();
	rec.data.n = 0;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/other", 1);
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(profile("-f bolt"), 1);
	CHECK_NO_PROFILE("no transfer in it was recorded; most are in /other (4 transfers)");
}

static const uint8_t id_a[20] = { 0xaa, 1, 2, 3, 4, 5, 6, 7, 8 };
static const uint8_t id_b[20] = { 0xbb, 1, 2, 3, 4, 5, 6, 7, 8 };

static void begin_with_id(const uint8_t *id, const char *name)
{
	begin();
	elf.build_id = id_a;
	elf.build_id_size = 20;
	rec.data.n = 0;
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, name, 1, id);
}

TEST(another_build_is_refused)
{
	begin_with_id(id_b, "/x");
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(profile("-f bolt"), 1);
	CHECK_NO_PROFILE("build ids are aa01020304050607... and bb01020304050607");
}

TEST(a_build_id_finds_it_under_any_name)
{
	begin_with_id(id_a, "/renamed");
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(strstr(run_out, "1012-1016:1\n"));
	CHECK(!strstr(run_err, "by its name"));
}

/* Of the same name, but it might be anything. */
static void add_stranger(void)
{
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/other/x", 1);
	add_sample(6, 2, MAP_AT, 4, loop);
}

TEST(where_a_build_id_fits_the_name_alone_does_not)
{
	begin_with_id(id_a, "/x");
	add_sample(5, 1, MAP_AT, 4, loop);
	add_stranger();
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(strstr(run_out, "1012-1016:1\n"));

	begin_with_id(id_a, "/x");
	rec.data.n = 0;
	add_stranger();
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 3, id_a);
	add_sample(5, 4, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(strstr(run_out, "1012-1016:1\n"));
}

TEST(what_no_build_id_tells_is_said)
{
	begin();
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(strstr(run_err, "used because of its name"));
}

TEST(code_that_does_not_fit_at_all_gives_no_profile)
{
	static const uint16_t jumps[sizeof(code) / 2] = { 0xa001, 0xa001 };
	static const uint64_t two[][3] = {
		{ MAP_AT + 0x0e, MAP_AT + 0x00, 0 },
		{ MAP_AT + 0x0e, MAP_AT + 0x00, 0 },
	};

	begin();
	elf.code = jumps;
	add_sample(5, 1, MAP_AT, 2, two);
	write_files();
	CHECK_EQ(profile("-f bolt"), 3);
	CHECK_NO_PROFILE("none of the 1 straight lines between two transfers fits");
}

/*
 * Its lines fit, and its branches do not: nr times of those of three, the newest of which is of
 * right[] in `fit` stacks.
 */
static void write_misfits(unsigned int nr, unsigned int fit)
{
	static const uint64_t wrong[][3] = {
		{ MAP_AT + 0x0a, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ MAP_AT + 0x0e, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x12, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	};
	unsigned int i;

	for (i = 0; i < fit; i++)
		add_sample(5, 1 + i, MAP_AT + 0x02, 4, loop);
	for (i = 0; i < nr; i++)
		add_sample(5, 1 + fit + i, MAP_AT + 0x12, 3, wrong);
	write_files();
}

TEST(a_file_that_has_none_of_the_branches_gives_no_profile)
{
	begin();
	write_misfits(2, 3);
	/* Of 18 transfers, 4: an ecall calls nothing, and a load does not return. */
	CHECK_EQ(profile("-f profgen"), 3);
	CHECK_NO_PROFILE("/x: only 77.8 % of what 5 samples show could be used, but 90.0 % are needed: 22.2 % of the transfers from it start at no such branch in the file, so another file ran under this name");
	CHECK_EQ(profile("-f profgen --allow-partial"), 0);
	CHECK(strstr(run_err, "           4 transfers (22.2 % of those from "));
	/* A counts file tells the same of it. */
	CHECK_EQ(run("cd %s && ssctr merge -o c --symfs . perf.data && ssctr profile --raw -f profgen -b x -o out -i c",
		     test_tmpdir()), 3);
	CHECK(strstr(run_err, "x: only 77.8 % of what 5 samples show could be used"));
}

TEST(branches_that_are_not_in_the_file_are_told)
{
	begin();
	write_misfits(1, 5);
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(strstr(run_err, "           2 transfers (8.7 % of those from "));
	CHECK(strstr(run_err, "start at no such branch in the file, so another file ran under this name"));
	CHECK(strstr(run_err, "which tell the build id of a file that has one (link it with -Wl,--build-id)"));
	CHECK_EQ(run("cd %s && ssctr profile --raw --all --symfs . -i perf.data -f profgen -o all && cat all/summary",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "/x: 2 transfers (8.7 % of those from "));
	/* Of a few, the reason may be another one. */
	begin();
	write_misfits(1, 60);
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(!strstr(run_err, "no such branch"));
}

/* As a direct jump, the call leads to one place alone. */
TEST(a_branch_to_another_place_is_not_in_the_file)
{
	static const uint64_t call[][3] = {
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x0a, PERF_BR_CALL << 20 },
	};

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 2, call);
	write_files();
	CHECK_EQ(profile("-f profgen"), 3);
	CHECK_NO_PROFILE("50.0 % of the transfers from it start at no such branch in the file");
}

TEST(code_that_the_program_has_changed_is_told_from_another_file)
{
	static const uint8_t id[20] = { 0xab };

	begin();
	elf.build_id = id;
	elf.build_id_size = sizeof(id);
	rec.data.n = 0;
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
	write_misfits(1, 5);
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(strstr(run_err, "start at no such branch in the file: code of a file that the program made writable, and may have changed"));
	/* How a counts file knows the build id is not told. */
	CHECK_EQ(run("cd %s && ssctr merge -o c --symfs . perf.data && ssctr profile --raw -f profgen -b x -o out -i c",
		     test_tmpdir()), 0);
	CHECK(strstr(run_err, "start at no such branch in the file, so another file ran under this name, or the program has changed its code"));
}

TEST(a_wrong_size_of_symbols_does_no_harm)
{
	Elf64_Ehdr eh;
	Elf64_Shdr sh;
	char path[512];
	FILE *file;

	begin();
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	memcpy(&eh, elf.file, sizeof(eh));
	memcpy(&sh, elf.file + eh.e_shoff + sizeof(sh), sizeof(sh));
	sh.sh_entsize = 4000;
	memcpy(elf.file + eh.e_shoff + sizeof(sh), &sh, sizeof(sh));
	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	file = fopen(path, "w");
	CHECK(file && fwrite(elf.file, elf.size, 1, file) == 1);
	fclose(file);
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK(strstr(run_out, "1012-1016:1\n"));
}

TEST(a_binary_is_found_below_symfs)
{
	begin();
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr profile --raw -i %s/perf.data --symfs %s -b /x -f profgen -o -",
		     test_tmpdir(), test_tmpdir()), 0);
	CHECK(strstr(run_out, "1012-1016:1\n"));
}

TEST(what_is_missing_on_the_command_line_is_told)
{
	CHECK_EQ(run("ssctr profile -o x"), 2);
	CHECK_SAYS("name it with -b");
	CHECK_EQ(run("ssctr profile -b x"), 2);
	CHECK_SAYS("no output is given; name it with -o");
	CHECK_EQ(run("ssctr profile -b x -f nothing -o y"), 2);
	CHECK_SAYS("--format nothing: not a list of llvm, llvm-ext, gcov, profgen, bolt, go, each");
	CHECK_EQ(run("ssctr profile -b x -f bolt,profgen -o -"), 2);
	CHECK_SAYS("several formats cannot be written to standard output");
	CHECK_EQ(run("ssctr profile -b %s/none -o -", test_tmpdir()), 1);
	CHECK_SAYS("/none: No such file or directory");
}

TEST(a_full_disk_is_reported)
{
	begin();
	add_sample(5, 1, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr profile -i %s/perf.data -b %s/x -f bolt -o /dev/full",
		     test_tmpdir(), test_tmpdir()), 1);
	CHECK(strstr(run_err, "/dev/full: No space left on device\n"));
}

/* A recording of a kernel, whose code is at address at. */
static const uint8_t kernel_id[24] = { 0xab, 0xcd, 3, [20] = 20 };

static void begin_kernel(uint64_t at)
{
	begin();
	elf.build_id = kernel_id;
	elf.build_id_size = 20;
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, at, 0x1000000, at,
		 "[kernel.kallsyms]_text", 0);
	pdb_build_id(&rec, PDB_MISC_KERNEL, kernel_id, "[kernel.kallsyms]");
}

/* The same transfers as in user code, to be moved there. */
static void add_kernel_sample(uint64_t at, unsigned int nr,
			      const uint64_t (*branches)[3])
{
	uint64_t moved[8][3];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		moved[i][0] = branches[i][0] - MAP_AT + at;
		moved[i][1] = branches[i][1] - MAP_AT + at;
		moved[i][2] = branches[i][2];
	}
	add_sample(5, 1, at + 0x02, nr, (const uint64_t (*)[3])moved);
}

#define LOOP_OF_KERNEL(_one, _two) \
	"3\n1000-1006:" _one "\n100a-100e:" _one "\n1012-1016:" _one "\n" \
	"3\n1006->1012:" _one "\n100e->1000:" _two "\n1016->100a:" _one "\n"

TEST(a_kernel_has_its_profile_wherever_it_was)
{
	const char *dir = test_tmpdir();
	char old[512], new[512];

	begin_kernel(KERNEL_AT + 0x7a00000);
	add_function("_text", 0, 0);
	elf.symbols[elf.nr_symbols - 1].info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	add_kernel_sample(KERNEL_AT + 0x7a00000, 4, loop);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK_STR(run_out, LOOP_OF_KERNEL("1", "2"));

	/* After another boot. */
	snprintf(old, sizeof(old), "%s/perf.data", dir);
	snprintf(new, sizeof(new), "%s/first.data", dir);
	CHECK(!rename(old, new));
	begin_kernel(KERNEL_AT);
	add_function("_text", 0, 0);
	add_kernel_sample(KERNEL_AT, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr profile --raw -i %s --merge %s -b %s/x -f profgen -o %s/out && cat %s/out",
		     old, new, dir, dir, dir), 0);
	CHECK_STR(run_out, LOOP_OF_KERNEL("2", "4"));
}

TEST(in_a_folder_a_kernels_profile_is_named_as_its_file)
{
	const char *dir = test_tmpdir();

	begin_kernel(KERNEL_AT);
	add_function("_text", 0, 0);
	add_kernel_sample(KERNEL_AT, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && mv x vmlinux && ssctr profile -b vmlinux -b vmlinux -f bolt -o of && "
		     "ls of | sed 's/-[0-9a-f]\\{8\\}\\./-ID./'", dir), 0);
	CHECK_STR(run_out, "summary\nvmlinux-ID.bolt\n");
}

/* What ways there are to it, but for the packages of a distribution. */
TEST(all_has_the_kernel_if_its_file_is_found)
{
	const char *dir = test_tmpdir();

	begin_kernel(KERNEL_AT);
	add_function("_text", 0, 0);
	add_kernel_sample(KERNEL_AT, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && mkdir places && mv x places/vmlinux && "
		     "for way in '--vmlinux places/vmlinux' '--code places/vmlinux' '--code places'; do "
		     "ssctr profile --raw --all $way -f profgen -o of || exit; "
		     "cat of/vmlinux-????????.profgen; rm -r of; done", dir), 0);
	CHECK_STR(run_out, LOOP_OF_KERNEL("1", "2") LOOP_OF_KERNEL("1", "2") LOOP_OF_KERNEL("1", "2"));
	CHECK_EQ(run("cd %s && ssctr profile --raw --all -f profgen -o of", dir), 1);
	CHECK(strstr(run_err, "[kernel.kallsyms]_text: not found, or not as it was recorded; name a place that has it with --code"));
}

TEST(the_code_before_the_kernels_symbol_is_its_own_too)
{
	begin();
	elf.build_id = kernel_id;
	elf.build_id_size = 20;
	add_function("_stext", 0x10, 0);
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x1000000, KERNEL_AT + 0x10,
		 "[kernel.kallsyms]_stext", 0);
	pdb_build_id(&rec, PDB_MISC_KERNEL, kernel_id, "[kernel.kallsyms]");
	add_kernel_sample(KERNEL_AT, 4, loop);
	write_files();
	CHECK_EQ(profile("-f profgen"), 0);
	CHECK_STR(run_out, LOOP_OF_KERNEL("1", "2"));
}

TEST(a_trap_within_the_kernel_is_no_branch)
{
	static const uint64_t trap[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x0a, 0 },
		/* An interrupt at the load, and one at a call that is not made. */
		{ MAP_AT + 0x12, MAP_AT + 0x12, PERF_BR_IRQ << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x00, PERF_BR_IRQ << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, 0 },
	};

	begin_kernel(KERNEL_AT);
	add_function("_text", 0, 0);
	add_kernel_sample(KERNEL_AT, 4, trap);
	write_files();
	CHECK_EQ(profile("-f profgen --allow-partial"), 0);
	CHECK(strstr(run_out, "2\n1006->1012:1\n1016->100a:1\n"));
	CHECK(strstr(run_err, " 2 by traps in the kernel"));
}

TEST(a_kernel_without_the_symbol_of_its_place_is_refused)
{
	const char *dir = test_tmpdir();

	begin_kernel(KERNEL_AT);
	add_kernel_sample(KERNEL_AT, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr profile -i %s/perf.data -b %s/x -o %s/out -f bolt",
		     dir, dir, dir), 1);
	CHECK_NO_PROFILE("/x: has no symbol _text, from which the recording counts");
}
