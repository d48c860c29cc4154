// SPDX-License-Identifier: GPL-2.0-only
/* Recordings to profiles, without a command line. */
#include "cmd-sample.h"
#include "profile/options.h"

static struct error error;
static struct samples_opts samples_opts;
static struct prof_opts opts;
static char recording[128], binary[128], output[128];
static const char *binaries[] = { binary, "/nothing" };

static void start(void)
{
	write_files();
	snprintf(recording, sizeof(recording), "%s/perf.data", test_tmpdir());
	snprintf(binary, sizeof(binary), "%s/x", test_tmpdir());
	snprintf(output, sizeof(output), "%s/out", test_tmpdir());
	samples_opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	opts = (struct prof_opts){ .binaries = binaries, .nr_binaries = 1,
				   .output = output, .raw = true,
				   .samples = &samples_opts,
				   .formats = { PROF_FORMAT_PROFGEN },
				   .nr_formats = 1 };
}

/* The recording, so many times. Returns what prof_job_close() does. */
static int profile(unsigned int times, struct notes *notes)
{
	struct prof_job *job = prof_job_open(&opts, &error);
	struct samples s;
	int ret = job ? 0 : ERROR_INPUT;

	for (; !ret && times--; samples_close(&s)) {
		ret = samples_open(&s, recording, &samples_opts, &error);
		if (!ret)
			ret = prof_job_add(job, &s);
	}
	if (!ret)
		ret = prof_job_close(job);
	if (!ret && notes)
		prof_job_note(job, notes);
	prof_job_free(job);
	return ret;
}

/* At ELFB_ADDR, by hand: what loop's four transfers and the three lines between them are. */
TEST(each_recording_adds_its_counts)
{
	struct notes notes = { 0 };

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	start();
	CHECK_EQ(profile(3, &notes), 0);
	CHECK_EQ(run("cat %s", output), 0);
	CHECK_STR(run_out, "3\n1000-1006:3\n100a-100e:3\n1012-1016:3\n"
			   "3\n1006->1012:3\n100e->1000:6\n1016->100a:3\n");
	CHECK_EQ(notes.v[0].number, 3);
	CHECK(!strncmp(notes.v[0].text, "samples, which are few: ", 24));
	CHECK_EQ(notes.v[1].number, 12);
	notes_free(&notes);
}

TEST(a_binary_that_is_not_there_is_told_at_the_start)
{
	begin();
	start();
	opts.nr_binaries = 2;
	CHECK(!prof_job_open(&opts, &error));
	CHECK_STR(error.text, "/nothing: No such file or directory; name a place that has it with --code");
}

TEST(a_recording_without_samples_has_no_profile)
{
	begin();
	start();
	CHECK_EQ(profile(1, NULL), ERROR_INPUT);
	CHECK(strstr(error.text, "no sample with a branch stack"));
	/* The counter never interrupted. */
	begin();
	pdb_count(&rec, 0, UINT32_MAX, 4321, 0);
	start();
	CHECK_EQ(profile(1, NULL), ERROR_INPUT);
	CHECK(strstr(error.text, "no sample with a branch stack, though the event happened 4321 times; record with a shorter period"));
	CHECK_EQ(run("ls %s", output), 2);
}

TEST(options_that_make_no_sense_are_named)
{
	opts = (struct prof_opts)PROF_OPTS_INIT;
	CHECK_EQ(prof_check_opts(&opts, &error), ERROR_USAGE);
	CHECK_STR(error.text, "no program is given; name it with -b, or use --all");
	CHECK_EQ(prof_option(&opts, PROF_OPT_BINARY, "x", &error), 0);
	CHECK_EQ(prof_option(&opts, PROF_OPT_OUTPUT, "-", &error), 0);
	CHECK_EQ(prof_check_opts(&opts, &error), 0);
	CHECK_EQ(prof_option(&opts, PROF_OPT_FORMAT, "llvm,bolt", &error), 0);
	CHECK_EQ(opts.nr_formats, 2);
	CHECK_EQ(opts.formats[1], PROF_FORMAT_BOLT);
	CHECK_EQ(prof_check_opts(&opts, &error), ERROR_USAGE);
	CHECK_STR(error.text, "several formats cannot be written to standard output; name a file with -o");
	CHECK_EQ(prof_option(&opts, PROF_OPT_FORMAT, "llvm,llvm", &error),
		 ERROR_USAGE);
	CHECK_EQ(prof_option(&opts, PROF_OPT_FORMAT, "llv", &error), ERROR_USAGE);
	CHECK_EQ(prof_option(&opts, PROF_OPT_GCOV_VERSION, "4", &error),
		 ERROR_USAGE);
	CHECK_STR(error.text, "--gcov-version 4: use 2 or 3");
	CHECK_EQ(prof_option(&opts, PROF_OPT_BINARY, "y", &error), 0);
	CHECK_EQ(prof_check_opts(&opts, &error), ERROR_USAGE);
	CHECK_STR(error.text, "profiles of several binaries cannot be written to standard output; name a folder with -o");
	prof_opts_free(&opts);
}
