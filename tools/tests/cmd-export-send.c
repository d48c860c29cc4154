// SPDX-License-Identifier: GPL-2.0-only
/* ssctr export to a receiver. */
#include "export-receiver.h"

#include <time.h>

/* Export, with $URL of the receiver; the proxy of this machine does not matter. */
static int export(const char *options)
{
	return run("cd %s; export no_proxy=127.0.0.1 URL=http://127.0.0.1:$(cat in/port); "
		   "ssctr export %s", test_tmpdir(), options);
}

/* What the receiver has answered, in this order. */
static const char *answers(void)
{
	CHECK_EQ(run("sed 's/.*answer=//' %s | paste -sd ' '", in_tmp("in/log")), 0);
	return run_out;
}

static void make_numbered(unsigned int nr)
{
	char name[32];

	snprintf(name, sizeof(name), "%u.counts", nr);
	make_counts(name, nr);
}

static const char *spooled(void)
{
	CHECK_EQ(run("ls -A %s | tr '\\n' ' '", in_tmp("spool")), 0);
	return run_out;
}

/* --- what is sent --- */

TEST(a_profile_of_pprof_is_posted)
{
	serve("200");
	make_numbered(7);
	CHECK_EQ(export("--pprof \"$URL/ingest?name=a&from={begin}&until={end}\" 7.counts"), 0);
	CHECK(strstr(run_err, "\n           1 profile sent\n"));
	CHECK_STR(requests(), "POST /ingest?name=a&from=1007&until=2007 "
			      "type=application/octet-stream coding=None auth=None answer=200\n");
	CHECK_STR(arrived("pprof"), "7");
	CHECK_EQ(run("head -c 2 %s | od -An -tx1", in_tmp("in/body-1")), 0);
	CHECK_STR(run_out, " 1f 8b\n");
	stop();
}

/* It would be one of 1970. */
TEST(a_profile_without_a_time_is_not_sent_to_a_url_with_a_time)
{
	static const char *const urls[] = { "?from={begin}", "?until={end}" };
	char options[96];
	unsigned int i;

	serve("");
	begin_counts();
	hand.head.begin = hand.head.end = 0;
	add_sample(2, 0x1000, 7);
	end_counts("7.counts");
	for (i = 0; i < 2; i++) {
		snprintf(options, sizeof(options), "--pprof \"$URL/%s\" --spool spool 7.counts", urls[i]);
		CHECK_EQ(export(options), 1);
		CHECK_SAYS("7.counts: the URL has {begin} or {end}, and the time of the profile is not known; "
			   "leave them out, or record with `ssctr record` or with `perf record -k mono`");
	}
	CHECK_STR(requests(), "");
	CHECK_STR(spooled(), "");
	CHECK_EQ(export("--pprof $URL/ 7.counts"), 0);
	CHECK_STR(arrived("pprof"), "7");
	stop();
}

TEST(a_profile_of_otlp_is_posted)
{
	serve("200");
	make_numbered(7);
	CHECK_EQ(export("--otlp $URL/v1development/profiles 7.counts"), 0);
	CHECK_STR(requests(), "POST /v1development/profiles type=application/x-protobuf "
			      "coding=gzip auth=None answer=200\n");
	CHECK_STR(arrived("otlp"), "7");
	stop();
}

TEST(of_several_files_each_is_named_before_what_is_told_of_it)
{
	serve("");
	make_numbered(7);
	make_numbered(8);
	CHECK_EQ(export("--pprof $URL/ 7.counts 8.counts"), 0);
	CHECK(!strncmp(run_err, "7.counts:\n ", 11));
	CHECK(strstr(run_err, "\n           1 profile sent\n8.counts:\n "));
	CHECK_EQ(export("--pprof $URL/ 7.counts"), 0);
	CHECK(!strstr(run_err, "7.counts:"));
	stop();
}

TEST(a_scheme_may_have_capital_letters)
{
	serve("200");
	make_numbered(7);
	CHECK_EQ(export("--otlp HTTP://${URL#http://}/a 7.counts"), 0);
	CHECK_STR(requests(), "POST /a type=application/x-protobuf "
			      "coding=gzip auth=None answer=200\n");
	stop();
}

TEST(headers_come_from_a_file)
{
	serve("200");
	make_numbered(7);
	write_text("headers", "Authorization: Bearer secret \r\n\nX-Scope-OrgID: a\n");
	CHECK_EQ(export("--otlp $URL/ --headers headers 7.counts"), 0);
	CHECK(strstr(requests(), " auth=Bearer secret answer=200\n"));
	write_text("headers", "X: 1\nsecret\n");
	CHECK_EQ(export("--otlp $URL/ --headers headers 7.counts"), 1);
	CHECK_SAYS("headers: line 2 is not a header; write NAME: VALUE");
	CHECK_EQ(export("--otlp $URL/ --headers none 7.counts"), 1);
	CHECK_SAYS("none: No such file or directory");
	stop();
}

TEST(what_a_receiver_of_otlp_leaves_out_is_told)
{
	serve("partial:2:'no calls' partial:0:soon partial:1:");
	make_numbered(7);
	make_numbered(8);
	CHECK_EQ(export("--otlp $URL/ 7.counts 8.counts"), 1);
	CHECK(strstr(run_err, "\n           2 profiles that the receiver left out: no calls\n"));
	CHECK(strstr(run_err, "\nthe receiver says: soon\n"));
	CHECK_EQ(export("--otlp $URL/ 7.counts"), 1);
	CHECK(strstr(run_err, "\n           1 profiles that the receiver left out\n"));
	CHECK_STR(answers(), "partial:2:no calls partial:0:soon partial:1:\n");
	stop();
}

/* By the specification of OTLP. All was taken. */
TEST(what_a_receiver_says_about_what_it_took_is_a_warning)
{
	serve("partial:0:soon");
	make_numbered(7);
	CHECK_EQ(export("--otlp $URL/ 7.counts"), 0);
	CHECK(strstr(run_err, "\n           1 profile sent\nthe receiver says: soon\n"));
	stop();
}

/* Each with its own words, also if it says something else about the next one. */
TEST(what_a_receiver_leaves_out_has_its_own_reason)
{
	serve("429 429 partial:3:'no calls' partial:0:soon");
	make_numbered(7);
	make_numbered(8);
	CHECK_EQ(export("--otlp $URL/ --spool spool --retry 0 7.counts 8.counts"), 1);
	CHECK_EQ(export("--otlp $URL/ --spool spool"), 1);
	CHECK_STR(run_err, "           2 profiles sent\n"
			   "           3 profiles that the receiver left out: no calls\n"
			   "the receiver says: soon\n");
	stop();
}

/* --- what is tried again --- */

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

TEST(a_receiver_that_asks_to_wait_is_waited_for)
{
	double begin;

	serve("429+2");
	make_numbered(7);
	begin = seconds();
	CHECK_EQ(export("--pprof $URL/ 7.counts"), 0);
	CHECK(seconds() - begin >= 2);
	CHECK_STR(arrived("pprof"), "7 7");
	CHECK(strstr(requests(), "answer=429+2\n"));
	CHECK(strstr(run_out, "answer=200\n"));
	stop();
}

TEST(who_asks_to_wait_for_longer_than_there_is_time_is_not_waited_for)
{
	double begin;

	serve("503+3600");
	make_numbered(7);
	begin = seconds();
	CHECK_EQ(export("--pprof $URL/ --retry 600 7.counts"), 1);
	CHECK(seconds() - begin < 600);
	CHECK_SAYS("HTTP 503; the receiver asks to wait for 3600 s");
	stop();
}

TEST(what_passes_is_tried_again)
{
	static const char *const passing[] = { "502", "503:busy", "504", "408", "close",
					       "half503", "half100" };
	unsigned int i;

	make_numbered(7);
	for (i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
		serve(passing[i]);
		CHECK_EQ(export("--pprof $URL/ 7.counts"), 0);
		requests();
		CHECK(strchr(run_out, '\n') != strrchr(run_out, '\n'));
		stop();
	}
}

/* After half a second, one, two ... each by chance up to twice as long. */
TEST(the_time_between_two_tries_grows)
{
	double begin;

	serve("503 503");
	make_numbered(7);
	begin = seconds();
	CHECK_EQ(export("--pprof $URL/ 7.counts"), 0);
	CHECK(seconds() - begin >= 1.5);
	CHECK_STR(arrived("pprof"), "7 7 7");
	stop();
}

TEST(it_does_not_try_for_ever)
{
	serve("503:busy 503:busy 503:busy");
	make_numbered(7);
	CHECK_EQ(export("--pprof $URL/x?token=secret --retry 1 7.counts"), 1);
	CHECK_SAYS("/x: HTTP 503 (busy)");
	CHECK(!strstr(run_err, "secret"));
	stop();
}

/* No receiver has had a part in it. */
TEST(a_damaged_file_takes_no_patience_from_the_others)
{
	serve("503");
	make_numbered(7);
	write_text("bad.counts", "nonsense");
	CHECK_EQ(export("--otlp $URL/ bad.counts 7.counts"), 1);
	CHECK(strstr(run_err, "bad.counts: "));
	CHECK(strstr(run_err, "\n           1 profile sent\n"));
	CHECK_STR(answers(), "503 200\n");
	stop();
}

TEST(the_receiver_of_one_format_takes_no_patience_from_that_of_the_other)
{
	serve("503");
	make_numbered(7);
	CHECK_EQ(export("--pprof http://127.0.0.1:1/ --otlp $URL/ --retry 3 7.counts"), 1);
	CHECK(strstr(run_err, "\n           1 profile sent\n"));
	CHECK_STR(answers(), "503 200\n");
	stop();
}

/* The first one is waited for, the next two are tried once, and the last one is waited for. */
TEST(a_receiver_that_was_away_is_waited_for_again_when_it_has_taken_one)
{
	unsigned int i;

	serve("503+3600 503 200 503");
	for (i = 1; i <= 4; i++)
		make_numbered(i);
	CHECK_EQ(export("--pprof $URL/ 1.counts 2.counts 3.counts 4.counts"), 1);
	CHECK_STR(answers(), "503+3600 503 200 503 200\n");
	stop();
}

TEST(a_receiver_that_hangs_is_left)
{
	serve("hang");
	make_numbered(7);
	CHECK_EQ(export("--pprof $URL/ --timeout 1 --retry 0 7.counts"), 1);
	CHECK_SAYS("timed out after");
	CHECK(strstr(run_err, "; give the receiver more time with --timeout\n"));
	stop();
}

TEST(where_nobody_listens_it_is_said)
{
	serve("200");
	stop();
	make_numbered(7);
	CHECK_EQ(export("--pprof $URL/ --retry 0 7.counts"), 1);
	CHECK_SAYS("ssctr export: http://127.0.0.1:");
	CHECK_EQ(export("--pprof http://no-such-host.invalid/ --retry 0 7.counts"), 1);
	CHECK_SAYS("no-such-host.invalid");
}

/* --- what is not tried again --- */

/* Otherwise one profile would be sent for ever, and those after it would wait. */
TEST(the_status_of_an_answer_that_is_cut_decides)
{
	static const char *const taken[] = { "half200", "chunks" };
	unsigned int i;

	make_numbered(7);
	make_numbered(8);
	for (i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		serve(taken[i]);
		CHECK_EQ(export("--pprof $URL/ --spool spool 7.counts 8.counts"), 0);
		CHECK_STR(arrived("pprof"), "7 8");
		CHECK_STR(spooled(), "");
		stop();
	}
	serve("half400");
	CHECK_EQ(export("--pprof $URL/x --spool spool 7.counts 8.counts"), 1);
	CHECK(strstr(run_err, "/x: HTTP 400 (half); the receiver refused 1 profiles, which are not sent again\n"));
	CHECK(strstr(run_err, "\n           1 profile sent\n"));
	CHECK_STR(arrived("pprof"), "7 8");
	CHECK_STR(spooled(), "");
	stop();
}

TEST(a_profile_that_is_refused_is_not_sent_again)
{
	serve("'400:unknown field'");
	make_numbered(7);
	CHECK_EQ(export("--pprof $URL/x --spool spool 7.counts"), 1);
	CHECK_SAYS("/x: HTTP 400 (unknown field); the receiver refused 1 profiles, which are not sent again");
	CHECK_STR(arrived("pprof"), "7");
	CHECK_STR(spooled(), "");
	stop();
}

/* Each with its own reason. */
TEST(a_refusal_is_told_also_if_the_next_profile_waits)
{
	serve("503 '400:first' '413:second' 429");
	make_numbered(1);
	make_numbered(2);
	make_numbered(3);
	make_numbered(4);
	/* None of the first three is taken at once. */
	CHECK_EQ(export("--pprof $URL/x --spool spool --retry 0 1.counts"), 1);
	CHECK_EQ(export("--pprof http://127.0.0.1:1/ --spool spool --retry 0 2.counts 3.counts"), 1);
	CHECK_EQ(export("--pprof $URL/x --spool spool --retry 0 4.counts"), 1);
	CHECK(strstr(run_err, "/x: HTTP 400 (first); the receiver refused 2 profiles, which are not sent again\n"));
	CHECK(strstr(run_err, "/x: HTTP 429; 2 profiles wait in spool\n"));
	CHECK_STR(arrived("pprof"), "1 1 2 3");
	stop();
}

TEST(what_the_user_can_mend_waits)
{
	static const struct {
		const char *answer, *says;
	} all[] = {
		{ "401", "HTTP 401; give the receiver's credentials in a file with --headers; 1 profiles wait in spool" },
		{ "404", "HTTP 404; the URL needs the path at which the receiver takes profiles; 1 profiles wait in spool" },
		{ "302", "HTTP 302; use the URL to which the receiver has moved; 1 profiles wait in spool" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		serve(all[i].answer);
		make_numbered(7);
		CHECK_EQ(export("--pprof $URL/ --spool spool 7.counts"), 1);
		CHECK_SAYS(all[i].says);
		CHECK_STR(arrived("pprof"), "7");
		CHECK_EQ(export("--pprof $URL/ --spool spool"), 0);
		CHECK_STR(arrived("pprof"), "7 7");
		stop();
	}
}

/* --- the spool --- */

TEST(what_waits_is_sent_first_and_in_order)
{
	serve("429 429 429");
	make_numbered(1);
	make_numbered(2);
	make_numbered(3);
	make_numbered(4);
	CHECK_EQ(export("--pprof $URL/ --spool spool --retry 0 1.counts 2.counts 3.counts"), 1);
	CHECK(strstr(run_err, "1 profiles wait in spool"));
	CHECK(strstr(run_err, "3 profiles wait in spool"));
	CHECK_STR(spooled(), "000000000001-1001-2001.pprof.gz 000000000002-1002-2002.pprof.gz "
			     "000000000003-1003-2003.pprof.gz ");
	/* Each of the three tries was for the oldest one. */
	CHECK_STR(arrived("pprof"), "1 1 1");
	CHECK_EQ(export("--pprof \"$URL/?from={begin}\" --spool spool --retry 0 4.counts"), 0);
	CHECK(strstr(run_err, "\n           4 profiles sent\n"));
	CHECK_STR(arrived("pprof"), "1 1 1 1 2 3 4");
	CHECK(strstr(requests(), "/?from=1002 "));
	CHECK_STR(spooled(), "");
	stop();
}

/* As by a disk that was full, or by another program. */
TEST(what_is_no_whole_file_of_gzip_is_not_sent)
{
	serve("");
	make_numbered(7);
	CHECK_EQ(run("cd %s && mkdir spool && echo x | gzip >whole && : >spool/000000000001-1-2.pprof.gz && "
		     "head -c 9 whole >spool/000000000002-1-2.pprof.gz && "
		     "head -c -1 whole >spool/000000000003-1-2.pprof.gz && "
		     "echo x >spool/000000000004-1-2.pprof.gz && "
		     "head -c 200000 /dev/zero | gzip >spool/000000000005-1-2.pprof.gz",
		     test_tmpdir()), 0);
	CHECK_EQ(export("--pprof $URL/ --spool spool 7.counts"), 1);
	CHECK(strstr(run_err, "spool/000000000001-1-2.pprof.gz: its end is missing; "
			      "4 profiles cannot be read, and are not sent: "));
	CHECK(strstr(run_err, "           2 profiles sent\n"));
	CHECK_STR(spooled(), "000000000001-1-2.pprof.gz.unreadable 000000000002-1-2.pprof.gz.unreadable "
			     "000000000003-1-2.pprof.gz.unreadable 000000000004-1-2.pprof.gz.unreadable ");
	stop();
}

/* Let 1 to nr wait. */
static void make_waiting(unsigned int nr)
{
	char options[96];
	unsigned int i;

	for (i = 1; i <= nr; i++) {
		make_numbered(i);
		snprintf(options, sizeof(options),
			 "--pprof http://127.0.0.1:1/ --spool spool --retry 0 %u.counts", i);
		CHECK_EQ(export(options), 1);
	}
}

TEST(a_profile_that_the_receiver_never_takes_holds_up_no_other)
{
	serve("504 504 200 504 200");
	make_numbered(1);
	make_numbered(2);
	make_numbered(3);
	CHECK_EQ(export("--pprof $URL/x --spool spool --retry 0 1.counts 2.counts 3.counts"), 1);
	CHECK(strstr(run_err, "/x: HTTP 504; 1 profiles wait in spool\n"));
	CHECK_STR(arrived("pprof"), "1 1 2 1 3");
	CHECK_STR(spooled(), "000000000001-1001-2001.pprof.gz ");
	CHECK_EQ(export("--pprof $URL/x --spool spool"), 0);
	CHECK_STR(arrived("pprof"), "1 1 2 1 3 1");
	CHECK_STR(spooled(), "");
	stop();
}

/* The receiver breaks off, has no time or refuses: each is about one of them. */
TEST(several_profiles_that_are_not_taken_hold_up_no_other)
{
	serve("close 200 hang '400:no'");
	make_waiting(5);
	CHECK_EQ(export("--pprof $URL/x --spool spool --timeout 1 --retry 0"), 1);
	CHECK(strstr(run_err, "; 2 profiles wait in spool\n"));
	CHECK(strstr(run_err, "/x: HTTP 400 (no); the receiver refused 1 profiles, "));
	CHECK_STR(arrived("pprof"), "1 2 3 4 5");
	CHECK_STR(spooled(), "000000000001-1001-2001.pprof.gz 000000000003-1003-2003.pprof.gz ");
	stop();
}

/* Profiles that are alike are neighbours. */
TEST(three_profiles_in_a_row_that_are_not_taken_hold_up_no_other)
{
	serve("504 504 504 200 200");
	make_waiting(5);
	CHECK_EQ(export("--pprof $URL/ --spool spool --retry 0"), 1);
	CHECK(strstr(run_err, "; 3 profiles wait in spool\n"));
	CHECK_STR(arrived("pprof"), "1 2 3 4 5");
	stop();
}

/* Of more, it is more likely that the receiver takes none. */
TEST(behind_a_profile_that_is_not_taken_the_next_three_are_tried_once_each)
{
	const char *all;

	serve("504 504 504 504 504 504 504 504");
	make_waiting(5);
	CHECK_EQ(export("--pprof $URL/ --spool spool --retry 2"), 1);
	CHECK(strstr(run_err, "; 5 profiles wait in spool\n"));
	all = arrived("pprof");
	CHECK(!strncmp(all, "1 1", 3));
	CHECK_STR(strchr(all, '2') ?: "", "2 3 4");
	stop();
}

/* Also for root, from whom what lets it read all files is taken. */
TEST(what_cannot_be_read_holds_up_nothing)
{
	serve("200");
	make_numbered(7);
	CHECK_EQ(run("mkdir %s && echo x >%s/000000000001-1-2.pprof.gz && chmod 0 %s/*",
		     in_tmp("spool"), in_tmp("spool"), in_tmp("spool")), 0);
	setenv("AS", geteuid() ? "env" :
				 "setpriv --bounding-set=-dac_override,-dac_read_search", 1);
	if (run("$AS true"))
		test_skip("root cannot give up what lets it read all files");
	CHECK_EQ(run("cd %s; export no_proxy=127.0.0.1 URL=http://127.0.0.1:$(cat in/port); "
		     "$AS ssctr export --pprof $URL/ --spool spool 7.counts", test_tmpdir()), 1);
	CHECK(strstr(run_err, "ssctr export: spool/000000000001-1-2.pprof.gz: Permission denied; "
			      "1 profiles cannot be read, and are not sent: "
			      "their names end in .unreadable now\n"));
	CHECK(strstr(run_err, "\n           1 profile sent\n") ||
	      !strncmp(run_err, "           1 profile sent\n", 26));
	CHECK_STR(answers(), "200\n");
	CHECK_STR(spooled(), "000000000001-1-2.pprof.gz.unreadable ");
	CHECK_EQ(export("--pprof $URL/ --spool spool"), 0);
	CHECK_STR(run_err, "");
	stop();
}

TEST(each_format_waits_for_itself)
{
	serve("503 503");
	make_numbered(1);
	CHECK_EQ(export("--pprof $URL/a --otlp $URL/b --spool spool --retry 0 1.counts"), 1);
	CHECK_STR(spooled(), "000000000001-1001-2001.otlp.gz 000000000001-1001-2001.pprof.gz ");
	CHECK_EQ(export("--otlp $URL/b --spool spool"), 0);
	CHECK_STR(spooled(), "000000000001-1001-2001.pprof.gz ");
	CHECK(strstr(requests(), "/b type=application/x-protobuf coding=gzip auth=None answer=200"));
	stop();
}

/* The receiver has it, and does not answer. */
TEST(a_process_that_is_killed_loses_nothing)
{
	serve("hang");
	make_numbered(1);
	make_numbered(2);
	export("--pprof $URL/ --spool spool 1.counts & pid=$!; "
	       "for i in $(seq 6000); do [ -s in/log ] && break; sleep 0.05; done; kill -9 $pid");
	CHECK_STR(spooled(), "000000000001-1001-2001.pprof.gz ");
	CHECK_EQ(export("--pprof $URL/ --spool spool 2.counts"), 0);
	CHECK_STR(arrived("pprof"), "1 1 2");
	stop();
}

/* Killed at any time: what was whole in the spool comes, and nothing else stays there. */
TEST(after_random_kills_all_that_waited_has_come)
{
	char options[128];
	unsigned int i;

	serve("");
	for (i = 1; i <= 20; i++) {
		make_numbered(i);
		snprintf(options, sizeof(options),
			 "--pprof $URL/ --spool spool %u.counts & sleep 0.%03u; kill -9 $!; wait; "
			 "ls spool | grep 'gz$' | cut -d - -f 2 >>seen", i, one_of(300));
		export(options);
	}
	CHECK_EQ(export("--pprof $URL/ --spool spool"), 0);
	CHECK_STR(spooled(), "");
	write_text("arrived", arrived("pprof"));
	CHECK_EQ(run("cd %s && for begin in $(grep '^1...$' seen); do "
		     "grep -qw $((begin - 1000)) arrived || exit; done", test_tmpdir()), 0);
	stop();
}

/* --- https --- */

TEST(https_trusts_whom_it_is_told)
{
	char answers[300];

	make_numbered(7);
	if (run("cd %s && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
		"-addext subjectAltName=IP:127.0.0.1 -keyout key -out ca.pem && "
		"cat key ca.pem >both.pem", test_tmpdir()))
		test_skip("there is no openssl here");
	snprintf(answers, sizeof(answers), "--tls %s", in_tmp("both.pem"));
	serve(answers);
	CHECK_EQ(export("--pprof https${URL#http}/ --ca ca.pem 7.counts"), 0);
	CHECK_STR(arrived("pprof"), "7");
	CHECK_EQ(export("--pprof https${URL#http}/ --retry 0 7.counts"), 1);
	CHECK_SAYS("ssctr export: https://127.0.0.1:");
	CHECK_STR(arrived("pprof"), "7");
	stop();
}
