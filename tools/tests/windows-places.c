// SPDX-License-Identifier: GPL-2.0-only
/* Where windows are, and how they are taken. */
#include <unistd.h>

#include "test.h"
#include "windows/windows.h"

static struct windows w;
static struct error error;

static void parse(const char *arg)
{
	w = (struct windows){ .seed = 7 };
	if (windows_parse(&w, arg, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

TEST(a_size_and_an_interval_are_parsed)
{
	parse("200k/50M");
	CHECK_EQ(w.size, 200000);
	CHECK_EQ(w.every, 50000000);
	parse("1/2");
	CHECK_EQ(w.size, 1);
	CHECK_EQ(w.every, 2);
	parse("3M/1G");
	CHECK_EQ(w.size, 3000000);
	CHECK_EQ(w.every, 1000000000);
}

TEST(what_is_no_size_and_interval_is_refused)
{
	static const char *const wrong[] = { "",	"200k",	 "/50M", "200k/", "0/5",  "5/0",
					     "-1/5",	"1/5x",	 "1x/5", "1/5/9", "1 /5", "k/M",
					     "99999G/99999999G", "1/99999999999999999999999", "1/999999999999G" };
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_EQ(windows_parse(&w, wrong[i], &error), ERROR_USAGE);
		CHECK(strstr(error.text, "not SIZE/EVERY in instructions, such as 200k/50M"));
	}
	CHECK_EQ(windows_parse(&w, "3/5", &error), ERROR_USAGE);
	CHECK(strstr(error.text, "EVERY must be at least twice SIZE"));
}

TEST(places_are_random_or_systematic)
{
	w = (struct windows){ .places = WINDOWS_SYSTEMATIC };
	CHECK_EQ(windows_parse_places(&w, "random", &error), 0);
	CHECK_EQ(w.places, WINDOWS_RANDOM);
	CHECK_EQ(windows_parse_places(&w, "systematic", &error), 0);
	CHECK_EQ(w.places, WINDOWS_SYSTEMATIC);
	CHECK_EQ(windows_parse_places(&w, "often", &error), ERROR_USAGE);
	CHECK(strstr(error.text, "use random or systematic"));
}

/* The largest primes up to 14, 28, 56, 112 and 224. */
TEST(a_period_is_a_prime_below_the_depth)
{
	CHECK_EQ(windows_period(16, 16), 13);
	CHECK_EQ(windows_period(32, 32), 23);
	CHECK_EQ(windows_period(64, 64), 53);
	CHECK_EQ(windows_period(128, 128), 109);
	CHECK_EQ(windows_period(256, 256), 223);
	CHECK_EQ(windows_period(1, 256), 0);
	CHECK_EQ(windows_period(0, 0), 0);
}

/* With a branch in each second instruction, a period has fewer than a sample shows. */
TEST(a_period_fits_into_what_a_sample_shows)
{
	unsigned int shown;

	CHECK_EQ(windows_period(256, 128), 223);
	CHECK_EQ(windows_period(16, 8), 13);
	CHECK_EQ(windows_period(256, 32), 53);
	CHECK_EQ(windows_period(256, 16), 23);
	for (shown = 2; shown <= 256; shown++) {
		CHECK(windows_period(256, shown) > 1);
		CHECK(windows_period(256, shown) / 2 < shown);
	}
	CHECK_EQ(windows_period(256, 1), 0);
	CHECK_EQ(windows_period(256, 0), 0);
}

TEST(a_window_has_samples_for_all_of_it)
{
	parse("1000/5000");
	CHECK_EQ(windows_samples(&w, 100), 11);
	CHECK_EQ(windows_samples(&w, 101), 11);
	CHECK_EQ(windows_samples(&w, 99), 12);
}

TEST(each_interval_holds_its_window)
{
	uint64_t i, differ = 0;

	parse("200/1000");
	for (i = 0; i < 10000; i++) {
		const uint64_t place = windows_place(&w, 0, i);

		CHECK(place > i * 1000 && place + 200 <= (i + 1) * 1000);
		differ += place % 1000 != windows_place(&w, 0, i + 1) % 1000;
	}
	CHECK(differ > 9900);
}

/* Of 800 places, each has its share of the windows. */
TEST(random_places_are_everywhere)
{
	unsigned int counts[8] = { 0 }, i;

	parse("200/1000");
	for (i = 0; i < 8000; i++)
		counts[(windows_place(&w, 3, i) - 1) % 1000 / 100]++;
	for (i = 0; i < 8; i++)
		CHECK(counts[i] > 850 && counts[i] < 1150);
}

TEST(systematic_places_are_the_same_in_each_interval)
{
	uint64_t i;

	parse("200/1000");
	w.places = WINDOWS_SYSTEMATIC;
	for (i = 1; i < 100; i++)
		CHECK_EQ(windows_place(&w, 0, i), i * 1000 + windows_place(&w, 0, 0));
}

TEST(a_seed_gives_the_same_places_again)
{
	unsigned int same = 0, i;
	struct windows other;

	parse("200/1000");
	other = w;
	other.seed = 8;
	for (i = 0; i < 1000; i++) {
		const struct windows again = w;

		CHECK_EQ(windows_place(&w, 1, i), windows_place(&again, 1, i));
		same += windows_place(&w, 1, i) == windows_place(&other, 1, i);
		/* Nor do two threads share them. */
		same += windows_place(&w, 1, i) == windows_place(&w, 2, i);
	}
	CHECK(same < 20);
}

TEST(the_next_place_is_the_first_behind)
{
	uint64_t after, interval;

	parse("200/1000");
	for (after = 0; after < 20000; after += 1 + test_random() % 300) {
		const uint64_t next = windows_next(&w, 0, after);

		CHECK(next > after);
		for (interval = 0; windows_place(&w, 0, interval) <= after; interval++)
			;
		CHECK_EQ(next, windows_place(&w, 0, interval));
	}
}

TEST(a_ring_holds_a_window)
{
	parse("200k/50M");
	/* 898 samples with 128 branches of 24 bytes need 2.8 MB and some room. */
	CHECK_EQ(windows_pages(&w, 223, 128) * sysconf(_SC_PAGESIZE), 4 << 20);
	parse("1k/50M");
	CHECK_EQ(windows_pages(&w, 223, 128), 128);
	parse("1G/50G");
	CHECK_EQ(windows_pages(&w, 223, 128) * sysconf(_SC_PAGESIZE), 64 << 20);
}

TEST(a_name_tells_how_windows_were_taken)
{
	unsigned int period;
	struct windows read;
	char name[128];

	parse("200k/50M");
	windows_name(&w, 223, name, sizeof(name));
	CHECK_STR(name, "windows/size=200000,every=50000000,period=223,places=random,seed=7/");
	CHECK(windows_read_name(&read, &period, name));
	CHECK_EQ(read.size, 200000);
	CHECK_EQ(read.every, 50000000);
	CHECK_EQ(period, 223);
	CHECK_EQ(read.places, WINDOWS_RANDOM);
	CHECK_EQ(read.seed, 7);
	/* The longest one has room in an event's name. */
	parse("500G/1000G");
	w.seed = UINT64_MAX;
	w.places = WINDOWS_SYSTEMATIC;
	windows_name(&w, 251, name, sizeof(name));
	CHECK(strlen(name) < sizeof(name) - 1);
	CHECK_EQ(name[strlen(name) - 1], '/');
	CHECK(windows_read_name(&read, &period, name));
	CHECK_EQ(read.places, WINDOWS_SYSTEMATIC);
	CHECK_EQ(read.seed, UINT64_MAX);
}

TEST(other_names_are_of_other_events)
{
	static const char *const others[] = { "instructions:u", "windows/", "windows/size=5/",
					      "windows/size=0,every=0,period=0,",
					      "windows/size=x,every=5,period=1,",
					      "windows/size=5,every=20,period=1,places=some,seed=1/" };
	unsigned int period, i;
	struct windows read;

	CHECK(!windows_read_name(&read, &period, NULL));
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		CHECK(!windows_read_name(&read, &period, others[i]));
}


TEST(the_way_to_a_place_is_never_as_long_as_the_period)
{
	uint64_t after, place, equal = 0;

	parse("250/500");
	for (after = 0; after < 5000; after++) {
		place = windows_next(&w, 0, after);
		equal += place == after + 100;
		CHECK_EQ(windows_wait(&w, 0, after, 100),
			 place == after + 100 ? 101 : place - after);
	}
	CHECK(equal);
}
