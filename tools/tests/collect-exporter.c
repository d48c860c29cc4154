// SPDX-License-Identifier: GPL-2.0-only
/*
 * The export of a collector's files: each one once, whoever is killed. The collector of
 * these tests makes counts files by hand, and the receiver is export.py.
 */
#include "export-receiver.h"

#include "collect/exporter.h"
#include "collect/machine.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

static struct spool spool;
static struct exporter *exporter;
static struct exporter_opts opts;
static unsigned int timeout;
static struct error error;
static char said[4096];

/* What is waited for comes. On a busy machine it takes long. */
enum { MOST_NAPS = 30000 };

static void say(void *arg, const char *line)
{
	(void)arg;
	CHECK(strlen(said) + strlen(line) + 2 < sizeof(said));
	strcat(strcat(said, line), "\n");
}

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
}

/* What a killed collector has just forked may have the folder for another moment. */
static void open_spool(void)
{
	unsigned int i;

	for (i = 0; i < MOST_NAPS && spool_open(&spool, in_tmp("counts"), &error); i++) {
		spool_close(&spool, false);
		nap();
	}
	if (spool.dir < 0)
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

/* Begin as the service does. out is for pprof: a URL, or a folder below the test's. */
static void begin(const char *out)
{
	static char path[300];

	setenv("no_proxy", "127.0.0.1", 1);
	snprintf(path, sizeof(path), "%s", export_is_url(out) ? out : in_tmp(out));
	opts = (struct exporter_opts){ .out = { path }, .service = "s", .say = say,
					.timeout = timeout };
	said[0] = 0;
	open_spool();
	if (exporter_new(&exporter, &opts, &spool, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

static void end(void)
{
	exporter_free(exporter);
	spool_close(&spool, true);
}

static const char *url(void)
{
	static char text[64];

	CHECK_EQ(run("echo http://127.0.0.1:$(cat %s)/", in_tmp("in/port")), 0);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(run_out, "\n"), run_out);
	return text;
}

/* Without a shell, which would go on beside the next one when this process is killed. */
static int make_file(void *arg, const char *path, struct error *why)
{
	(void)why;
	make_counts("new", *(unsigned int *)arg);
	return rename(in_tmp("new"), path);
}

/* Write the next file, which has this number of samples. */
static void write_file(unsigned int nr)
{
	char name[SPOOL_NAME];

	CHECK_EQ(spool_write(&spool, name, make_file, &nr, &error), 0);
	exporter_written(exporter);
}

/* Go on until something was told. */
static void step_until(uint64_t now, const char *text)
{
	unsigned int i;

	for (i = 0; i < MOST_NAPS && !strstr(said, text); i++) {
		exporter_step(exporter, now);
		nap();
	}
	if (!strstr(said, text))
		test_fail(__FILE__, __LINE__, "'%s' is not in: %s", text, said);
}

/* The names with a suffix, without it and without the label. */
static const char *listed(const char *folder, const char *suffix)
{
	CHECK_EQ(run("cd %s && ls | sed -n 's/^[0-9a-f]*-\\?\\(.*\\).%s$/\\1/p' | sort | paste -sd ' '",
		     in_tmp(folder), suffix), 0);
	return run_out;
}

/* --- what goes where --- */

TEST(each_file_becomes_a_profile_in_a_folder)
{
	const uint64_t before = collect_machine_spent();

	begin("out");
	write_file(1);
	write_file(2);
	CHECK(exporter_end(exporter));
	CHECK_STR(listed("out", "pb.gz"), "0000000000 0000000001\n");
	CHECK_STR(said, "");
	/* What the child took is the collector's. */
	CHECK(collect_machine_spent() > before);
	end();
	check_profile("pprof", "out/*-0000000001.pb.gz", "^samples");
	CHECK(strstr(run_out, " 2\n"));
}

TEST(each_file_is_sent_once)
{
	serve("");
	begin(url());
	exporter_step(exporter, 0);
	write_file(1);
	CHECK(exporter_end(exporter));
	write_file(2);
	write_file(3);
	CHECK(exporter_end(exporter));
	CHECK_STR(listed("counts/export", "gz"), "\n");
	CHECK_STR(said, "");
	end();
	CHECK_STR(arrived("pprof"), "1 2 3");
	stop();
}

TEST(both_formats_at_once)
{
	serve("");
	begin(url());
	end();
	opts.out[EXPORT_OTLP] = opts.out[EXPORT_PPROF];
	opts.out[EXPORT_PPROF] = in_tmp("out");
	CHECK_EQ(spool_open(&spool, in_tmp("counts"), &error), 0);
	CHECK_EQ(exporter_new(&exporter, &opts, &spool, &error), 0);
	write_file(7);
	CHECK(exporter_end(exporter));
	CHECK_STR(listed("out", "pb.gz"), "0000000000\n");
	end();
	CHECK_STR(arrived("otlp"), "7");
	stop();
}

TEST(what_was_there_before_it_began_is_not_exported)
{
	begin("other");
	write_file(1);
	end();
	CHECK_EQ(run("rm -r %s", in_tmp("counts/export")), 0);
	begin("out");
	write_file(2);
	CHECK(exporter_end(exporter));
	CHECK_STR(listed("out", "pb.gz"), "0000000001\n");
	end();
}

/* Between the file and its export, the collector was killed. */
TEST(what_was_not_exported_is_exported_later)
{
	begin("out");
	write_file(1);
	write_file(2);
	end();
	begin("out");
	write_file(3);
	CHECK(exporter_end(exporter));
	CHECK_STR(listed("out", "pb.gz"), "0000000000 0000000001 0000000002\n");
	end();
}

/* As by --keep-size. */
static void rotate_all(void)
{
	spool_rotate(&spool, &(struct spool_keep){ .size = 1 });
}

TEST(files_that_went_before_they_were_exported_are_counted)
{
	unsigned int i;

	begin("out");
	for (i = 1; i <= 3; i++)
		write_file(i);
	rotate_all();
	CHECK(exporter_end(exporter));
	CHECK_STR(said, "2 counts files were removed before they were exported (pprof)\n");
	CHECK_STR(listed("out", "pb.gz"), "0000000002\n");
	end();
}

/* The next try has the same next file. */
TEST(files_that_went_are_counted_once)
{
	begin("out");
	write_file(1);
	write_file(2);
	rotate_all();
	CHECK_EQ(run("chmod 500 %s", in_tmp("out")), 0);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "1 counts files were removed before they were exported (pprof)\n"));
	said[0] = 0;
	CHECK_EQ(run("chmod 700 %s", in_tmp("out")), 0);
	CHECK(exporter_end(exporter));
	CHECK_STR(said, "exports again (pprof)\n");
	end();
}

/* The number of a file that a killed process did not complete is not used again. */
TEST(a_number_without_a_file_is_no_loss)
{
	begin("out");
	write_file(1);
	CHECK(exporter_end(exporter));
	end();
	CHECK_EQ(run("sed -i 's/^next 1$/next 2/' %s", in_tmp("counts/state")), 0);
	begin("out");
	write_file(2);
	CHECK(exporter_end(exporter));
	CHECK_STR(said, "");
	CHECK_STR(listed("out", "pb.gz"), "0000000000 0000000002\n");
	end();
}

TEST(a_damaged_file_is_told_and_costs_the_others_nothing)
{
	begin("out");
	write_file(1);
	write_file(2);
	CHECK_EQ(run("echo x >>$(ls %s/*-0000000000.counts)", in_tmp("counts")), 0);
	CHECK(exporter_end(exporter));
	CHECK(strstr(said, "not exported: "));
	CHECK(strstr(said, "0000000000.counts"));
	CHECK_STR(listed("out", "pb.gz"), "0000000001\n");
	end();
}

/* The spool has two others. Each of the next two files needs the room of one of them. */
static void fill_spool(void)
{
	CHECK_EQ(run("cd %s && ssctr export --service s --otlp ../1.gz *-0000000000.counts && "
		     "truncate -s 32M export/000000000001-1-2.otlp.gz && "
		     "truncate -s $((%d - $(stat -c %%s ../1.gz) * 3 / 2)) "
		     "export/000000000002-1-2.otlp.gz",
		     in_tmp("counts"), EXPORT_SPOOL_LIMIT), 0);
}

/* Begin with OTLP in place of pprof. */
static void begin_otlp(const char *out)
{
	begin(out);
	end();
	opts.out[EXPORT_OTLP] = opts.out[EXPORT_PPROF];
	opts.out[EXPORT_PPROF] = NULL;
	open_spool();
	CHECK_EQ(exporter_new(&exporter, &opts, &spool, &error), 0);
}

/* A line for each kind of event, and none hides another. */
TEST(what_happened_to_several_files_is_counted)
{
	unsigned int i;

	serve("partial:2:none partial:0:soon");
	begin_otlp(url());
	for (i = 1; i <= 4; i++)
		write_file(i);
	CHECK_EQ(run("for f in %s/*[23].counts; do echo x >>$f; done", in_tmp("counts")), 0);
	fill_spool();
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "2 files not exported; the first: "));
	CHECK(strstr(said, "0000000002.counts: "));
	CHECK(strstr(said, "2 profiles dropped, the oldest first, because "));
	CHECK(strstr(said, "the receiver left out 2 profiles: none\n"));
	CHECK(strstr(said, "the receiver says: soon\n"));
	end();
	stop();
}

/* It is not sent again, so that nothing else tells it in the end. */
TEST(what_a_receiver_leaves_out_was_not_exported)
{
	serve("partial:0:soon partial:1:");
	begin_otlp(url());
	write_file(1);
	CHECK(exporter_end(exporter));
	CHECK_STR(said, "the receiver says: soon\n");
	said[0] = 0;
	write_file(2);
	CHECK(!exporter_end(exporter));
	CHECK_STR(said, "the receiver left out 1 profiles\n");
	end();
	stop();
}

TEST(with_a_new_label_it_begins_with_the_first_file)
{
	begin("out");
	write_file(1);
	write_file(2);
	CHECK(exporter_end(exporter));
	end();
	CHECK_EQ(run("rm %s", in_tmp("counts/state")), 0);
	begin("out");
	write_file(3);
	CHECK(exporter_end(exporter));
	CHECK_STR(listed("out", "pb.gz"), "0000000000 0000000000 0000000001\n");
	end();
}

TEST(old_profiles_go_with_old_files)
{
	begin("out");
	write_file(1);
	write_file(2);
	write_file(3);
	CHECK(exporter_end(exporter));
	write_text("out/mine.pb.gz", "");
	CHECK_EQ(run("touch -d @1000 %s/*-0000000000.pb.gz", in_tmp("out")), 0);
	exporter_rotate(exporter, &(struct spool_keep){ .now = time(NULL), .age = 3600 });
	CHECK_STR(listed("out", "pb.gz"), "0000000001 0000000002 mine\n");
	exporter_rotate(exporter, &(struct spool_keep){ .size = 1 });
	CHECK_STR(listed("out", "pb.gz"), "0000000002 mine\n");
	end();
}

static void remove_export(const char *what)
{
	begin("out");
	write_file(1);
	CHECK(exporter_end(exporter));
	CHECK_EQ(run("rm -r %s/%s", in_tmp("counts"), what), 0);
	write_file(2);
	write_file(3);
	step_until(0, "counts/export were removed\n");
	CHECK(exporter_end(exporter));
	CHECK_STR(listed("out", "pb.gz"), "0000000000 0000000001 0000000002\n");
	end();
	CHECK_EQ(run("rm -r %s %s", in_tmp("counts"), in_tmp("out")), 0);
}

TEST(what_was_removed_is_made_again_and_no_file_left_out)
{
	remove_export("export");
	remove_export("export/*");
}

TEST(what_cannot_be_exported_in_the_end_is_left_to_the_next_process)
{
	unsigned int i;

	/* Also if the last try has failed, and nobody has looked. */
	for (i = 0; i < 2; i++) {
		begin("out");
		write_file(1);
		CHECK_EQ(run("rm -rf %s; touch %s", in_tmp("out"), in_tmp("out")), 0);
		if (i)
			exporter_step(exporter, 0);
		CHECK_EQ(run("sleep 0.3"), 0);
		CHECK(!exporter_end(exporter));
		CHECK(strstr(said, "; the next ssctr collect tries again\n"));
		CHECK(!strstr(said, "minutes"));
		end();
		CHECK_EQ(run("rm -r %s %s", in_tmp("counts"), in_tmp("out")), 0);
	}
	begin("http://127.0.0.1:1/");
	write_file(1);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "cannot export (pprof): "));
	CHECK(strstr(said, "; the next ssctr collect tries again\n"));
	CHECK(!strstr(said, "minutes"));
	end();
}

TEST(a_file_is_no_folder)
{
	write_text("out", "");
	CHECK_EQ(spool_open(&spool, in_tmp("counts"), &error), 0);
	opts = (struct exporter_opts){ .out = { in_tmp("out") }, .say = say };
	CHECK_EQ(exporter_new(&exporter, &opts, &spool, &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "/out: profiles go into a folder or to a URL, and this is a file"));
	end();
}

/* The files of running processes, of other folders and of others stay. */
TEST(what_a_killed_process_did_not_complete_is_removed)
{
	const pid_t dead = fork();
	char own[SPOOL_NAME], made[4096];

	if (!dead)
		_exit(0);
	CHECK_EQ(waitpid(dead, NULL, 0), dead);
	begin("out");
	spool_name(&spool, 7, ".pb.gz", own);
	end();
	snprintf(made, sizeof(made),
		 "cd %s && touch counts/export/pprof.next.part-%d.0 counts/export/otlp.next.part-%d.0 "
		 "out/%s.part-%d.3 out/%s.part-1.0 out/%s out/mine.part-%d.0 "
		 "out/00%.30s-0000000007.pb.gz.part-%d.0",
		 test_tmpdir(), dead, dead, own, dead, own, own, dead, own, dead);
	CHECK_EQ(run("%s", made), 0);
	begin("out");
	CHECK_EQ(run("cd %s && find out counts/export -type f | sed 's/%.32s/OWN/; s/-%d/-PID/; "
		     "s/00%.30s/OTHER/' | LC_ALL=C sort", test_tmpdir(), own, dead, own), 0);
	CHECK_STR(run_out, "counts/export/otlp.next.part-PID.0\n"
			   "counts/export/pprof.next\n"
			   "out/OTHER-0000000007.pb.gz.part-PID.0\n"
			   "out/OWN-0000000007.pb.gz\n"
			   "out/OWN-0000000007.pb.gz.part-1.0\n"
			   "out/mine.part-PID.0\n");
	end();
}

/* --- what fails --- */

/* One line when it fails, none as long as it does, and one when it works again. */
TEST(a_receiver_that_is_away_is_told_once)
{
	serve("404 404 404 404");
	begin(url());
	write_file(1);
	step_until(0, "cannot export (pprof): ");
	said[0] = 0;
	write_file(2);
	write_file(3);
	CHECK(!exporter_end(exporter));
	CHECK(!exporter_end(exporter));
	CHECK_STR(said, "");
	CHECK_EQ(run("ls %s | wc -l", in_tmp("counts/export")), 0);
	CHECK_STR(run_out, "4\n"); /* three profiles, and the number */
	CHECK(!exporter_end(exporter));
	CHECK(exporter_end(exporter));
	CHECK_STR(said, "exports again (pprof)\n");
	end();
	CHECK_STR(arrived("pprof"), "1 1 1 1 1 2 3");
	stop();
}

/* What is refused is gone, and so this is not the failure that may end. */
TEST(each_refusal_is_told_also_while_others_wait)
{
	serve("400 404 413 200");
	begin(url());
	write_file(1);
	write_file(2);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "the receiver refused 1 profiles, which are not sent again: http://127.0.0.1:"));
	CHECK(strstr(said, "/: HTTP 400\ncannot export (pprof): http://127.0.0.1:"));
	CHECK(strstr(said, "; 1 profiles wait in "));
	said[0] = 0;
	write_file(3);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "the receiver refused 1 profiles, which are not sent again: "));
	CHECK(strstr(said, "/: HTTP 413\nexports again (pprof)\n"));
	end();
	CHECK_STR(arrived("pprof"), "1 2 2 3");
	stop();
}

TEST(what_failed_is_tried_again_ten_minutes_later)
{
	serve("404");
	begin(url());
	write_file(1);
	step_until(100, "cannot export");
	exporter_step(exporter, 699);
	nap();
	CHECK_EQ(run("wc -l <%s", in_tmp("in/log")), 0);
	CHECK_STR(run_out, "1\n");
	step_until(700, "exports again");
	end();
	stop();
}

/* The collector goes on meanwhile, and tells it when the patience is over. */
TEST(a_receiver_that_has_no_time_is_told_and_gets_it_later)
{
	serve("503+3600");
	begin(url());
	write_file(1);
	step_until(0, "cannot export (pprof): ");
	CHECK(strstr(said, "HTTP 503; the receiver asks to wait for 3600 s; 1 profiles wait in "));
	step_until(600, "exports again");
	end();
	CHECK_STR(arrived("pprof"), "1 1");
	stop();
}

/* The next try exports the file that the last one did not. */
static void comes_later(void)
{
	CHECK(exporter_end(exporter));
	CHECK_STR(listed("out", "pb.gz"), "0000000000\n");
	end();
}

/* Also for root, because the process has no capabilities. */
TEST(a_receiver_has_as_much_time_as_was_asked_for)
{
	serve("hang");
	timeout = 1;
	begin(url());
	write_file(1);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, " timed out after 1"));
	CHECK(strstr(said, "; give the receiver more time with --timeout; 1 profiles wait in "));
	CHECK(exporter_end(exporter));
	end();
	CHECK_STR(arrived("pprof"), "1 1");
	stop();
}

TEST(a_folder_that_cannot_be_written_loses_nothing)
{
	begin("out");
	CHECK_EQ(run("chmod 500 %s", in_tmp("out")), 0);
	write_file(1);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "cannot export (pprof): "));
	CHECK(strstr(said, "Permission denied; the next ssctr collect tries again"));
	CHECK_EQ(run("chmod 700 %s", in_tmp("out")), 0);
	comes_later();
}

/* As a folder of another user is for root, whose capabilities the process gave up. */
TEST(files_that_cannot_be_reached_are_told_and_exported_later)
{
	begin("out");
	write_file(1);
	CHECK_EQ(run("chmod 0 %s", in_tmp("counts")), 0);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "/pprof.next: Permission denied"));
	CHECK_EQ(run("chmod 700 %s", in_tmp("counts")), 0);
	comes_later();
}

TEST(a_file_that_cannot_be_found_for_now_is_exported_later)
{
	begin("out");
	write_file(1);
	CHECK_EQ(run("f=$(ls %s/*-0000000000.counts) && mv $f %s && ln -s $f $f", in_tmp("counts"),
		     in_tmp("slow")), 0);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "0000000000.counts: this is not a regular file"));
	CHECK_EQ(run("mv %s $(echo %s/*-0000000000.counts)", in_tmp("slow"), in_tmp("counts")), 0);
	comes_later();
}

TEST(a_link_in_place_of_the_folder_of_what_waits_is_refused)
{
	begin("out");
	end();
	CHECK_EQ(run("cd %s && mv export ../away && ln -s ../away export && rm ../away/*",
		     in_tmp("counts")), 0);
	open_spool();
	CHECK_EQ(exporter_new(&exporter, &opts, &spool, &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "/export: Not a directory"));
	end();
	CHECK_EQ(run("ls %s", in_tmp("away")), 0);
	CHECK_STR(run_out, "");
}

TEST(a_link_in_place_of_a_profile_is_not_followed)
{
	begin("out");
	CHECK_EQ(run("f=$(ls %s/pprof.next) && ln -s ../precious %s/$(cat $f).pb.gz",
		     in_tmp("counts/export"), in_tmp("out")), 0);
	write_file(1);
	CHECK(!exporter_end(exporter));
	CHECK(strstr(said, "-0000000000.pb.gz: this is not a regular file"));
	CHECK_EQ(run("! test -e %s && rm %s/*", in_tmp("precious"), in_tmp("out")), 0);
	comes_later();
}

TEST(a_link_in_place_of_the_next_number_is_not_followed)
{
	begin("out");
	end();
	CHECK_EQ(run("cd %s && mv pprof.next note && ln -s note pprof.next && echo x >note",
		     in_tmp("counts/export")), 0);
	open_spool();
	CHECK_EQ(exporter_new(&exporter, &opts, &spool, &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "/pprof.next: this is not a regular file"));
	end();
	CHECK_EQ(run("cat %s", in_tmp("counts/export/note")), 0);
	CHECK_STR(run_out, "x\n");
}

/* Also for root, as above. */
TEST(a_profile_that_waits_and_cannot_be_read_holds_up_nothing)
{
	serve("404");
	begin(url());
	write_file(1);
	CHECK(!exporter_end(exporter));
	said[0] = 0;
	write_file(2);
	CHECK_EQ(run("chmod 0 %s/0*1-*", in_tmp("counts/export")), 0);
	CHECK(!exporter_end(exporter));
	CHECK(!strncmp(said, "1 profiles that waited cannot be read, and are not sent; the first: ", 68));
	CHECK(strstr(said, "-2001.pprof.gz: Permission denied\nexports again (pprof)\n"));
	CHECK_STR(listed("counts/export", "unreadable"), "1001-2001.pprof.gz\n");
	CHECK_STR(listed("counts/export", "gz"), "\n");
	end();
	CHECK_EQ(run("wc -l <%s", in_tmp("in/log")), 0);
	CHECK_STR(run_out, "2\n");
	stop();
}

/* --- who hangs, and who is killed --- */

/* The only child of a process, or 0. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "r");
	CHECK(file);
	if (fscanf(file, "%d", &child) != 1)
		child = 0;
	fclose(file);
	return child;
}

/* It is gone, or nobody has asked how it ended. */
static bool has_ended(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return true;
	CHECK_EQ(fscanf(file, "%*d %*s %c", &state), 1);
	fclose(file);
	return state == 'Z' || state == 'X';
}

static void wait_for(bool (*is)(pid_t pid), pid_t pid)
{
	unsigned int i;

	for (i = 0; i < MOST_NAPS && !is(pid); i++)
		nap();
	CHECK(is(pid));
}

static bool is_asked(pid_t pid)
{
	struct stat st;

	(void)pid;
	return !stat(in_tmp("in/log"), &st) && st.st_size;
}

/* How many files were written. */
static unsigned int nr_files(void)
{
	CHECK_EQ(run("ls %s | grep -c counts$; true", in_tmp("counts")), 0);
	return atoi(run_out);
}

/* Where fsync() does not take most of the time, kills fall everywhere. */
static void work_in_memory(void)
{
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
}

/* Of most ms. Half of the kills are to come while the file is written. */
static unsigned int draw_patience(unsigned int most, unsigned int nr)
{
	return one_of(nr % 2 ? most : most / 8);
}

/* A slow machine needs longer for a file. */
static unsigned int longer(unsigned int most, unsigned int kills)
{
	return nr_files() < kills / 4 && most < 60000 ? most + most / 2 : most;
}

/* A process that begins, writes a file, exports, and is then killed after so many ms. */
static void run_and_kill(const char *out, unsigned int nr, unsigned int ms)
{
	const pid_t pid = fork();

	if (!pid) {
		/* Not after a test that failed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		begin(out);
		write_file(nr);
		for (;;) {
			exporter_step(exporter, 0);
			nap();
		}
	}
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

/* The child neither stays nor keeps the folder. */
TEST(a_receiver_that_hangs_holds_up_nothing)
{
	const char *to;
	pid_t pid, child;

	serve("hang hang");
	to = url();
	pid = fork();
	if (!pid) {
		begin(to);
		write_file(1);
		exporter_step(exporter, 0);
		for (;;)
			nap();
	}
	wait_for(is_asked, 0);
	child = child_of(pid);
	CHECK(child);
	CHECK(!has_ended(child));
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	wait_for(has_ended, child);
	begin(to);
	end();
	stop();
}

/* The export waits at this file, because nobody writes into a pipe. */
static void make_slow(unsigned int nr)
{
	CHECK_EQ(run("f=$(ls %s/*-%010u.counts) && mv $f %s && mkfifo $f", in_tmp("counts"), nr,
		     in_tmp("slow")), 0);
}

static void make_fast(unsigned int nr)
{
	CHECK_EQ(run("mv %s $(ls %s/*-%010u.counts)", in_tmp("slow"), in_tmp("counts"), nr), 0);
}

/* The exporter is called when it is time to begin, and its child ends by a signal. */
static void begin_and_end_by(uint64_t now, int signal)
{
	pid_t child;

	exporter_step(exporter, now);
	child = child_of(getpid());
	CHECK(child);
	CHECK_EQ(kill(child, signal), 0);
	wait_for(has_ended, child);
}

/* As a service manager does at a stop, which ends all processes of the service. */
TEST(who_ends_the_export_loses_no_profile)
{
	begin("out");
	write_file(1);
	make_slow(0);
	begin_and_end_by(0, SIGTERM);
	begin_and_end_by(600, SIGTERM);
	make_fast(0);
	CHECK(exporter_end(exporter));
	CHECK_STR(said, "");
	CHECK_STR(listed("out", "pb.gz"), "0000000000\n");
	end();
}

/* The system may have no memory for it. */
TEST(a_file_at_which_the_export_dies_twice_is_told_and_left_out)
{
	begin("out");
	write_file(1);
	write_file(2);
	make_slow(0);
	begin_and_end_by(0, SIGKILL);
	begin_and_end_by(600, SIGKILL);
	CHECK(exporter_end(exporter));
	CHECK(strstr(said, "0000000000.counts, at which the process died twice"));
	CHECK_STR(listed("out", "pb.gz"), "0000000001\n");
	end();
}

/*
 * Files that were written come once each. The receiver is away, because HTTP cannot
 * promise more than once at least.
 */
TEST(after_random_kills_each_file_waits_once)
{
	unsigned int i, files, most = 400; /* ms */

	work_in_memory();
	serve("");
	for (i = 1; i <= 25; i++) {
		run_and_kill("http://127.0.0.1:1/", i, draw_patience(most, i));
		most = longer(most, i);
	}
	begin(url());
	CHECK(exporter_end(exporter));
	end();
	files = nr_files();
	printf("# %u files, the last within %u ms\n", files, most);
	CHECK(files > 3);
	arrived("pprof");
	CHECK_EQ(run("sed -n 's/^samples .* //p' %s | sort -n | uniq | wc -l", in_tmp("said")), 0);
	CHECK_EQ(atoi(run_out), files);
	CHECK_EQ(run("sed -n 's/^samples .* //p' %s | wc -l", in_tmp("said")), 0);
	CHECK_EQ(atoi(run_out), files);
	stop();
}

TEST(after_random_kills_all_profiles_are_in_the_folder)
{
	char counts[4096];
	unsigned int i, most = 400; /* ms */

	work_in_memory();
	test_tmpdir();
	/* A process is there until somebody has waited for it, and here this is done at once. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (i = 1; i <= 25; i++) {
		run_and_kill("out", i, draw_patience(most, i));
		while (waitpid(-1, NULL, 0) > 0)
			;
		most = longer(most, i);
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	begin("out");
	CHECK(exporter_end(exporter));
	snprintf(counts, sizeof(counts), "%s", listed("counts", "counts"));
	CHECK(strlen(counts) > 10);
	CHECK_STR(listed("out", "pb.gz"), counts);
	end();
	CHECK_EQ(run("cd %s && find out counts/export -name '*part*'", test_tmpdir()), 0);
	CHECK_STR(run_out, "");
}
