// SPDX-License-Identifier: GPL-2.0-only
#include "windows/windows.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So that a name has room for all numbers, and sums for all products. */
#define MOST UINT64_C(1000000000000)

enum {
	/* The oldest branch of the first sample may be the last before it. */
	MORE_SAMPLES = 1,
	BRANCH_BYTES = 24,
	SAMPLE_BYTES = 128, /* of a sample without its branches */
	LEAST_PAGES = 128,
	MOST_BYTES = 64 << 20,
};

static const char *const places[] = {
	[WINDOWS_RANDOM] = "random",
	[WINDOWS_SYSTEMATIC] = "systematic",
};

/* A number with k, M or G behind it, up to `end`. Returns 0 if it is none. */
static uint64_t parse_number(const char *text, char end, const char **rest)
{
	static const struct {
		char suffix;
		uint64_t factor;
	} units[] = { { 'k', 1000 }, { 'M', 1000000 }, { 'G', 1000000000 } };
	char *at;
	uint64_t number;
	unsigned int i;

	if (*text < '0' || *text > '9')
		return 0;
	number = strtoull(text, &at, 10);
	if (number > MOST)
		return 0;
	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (*at == units[i].suffix && number <= MOST / units[i].factor) {
			number *= units[i].factor;
			at++;
			break;
		}
	*rest = at;
	return *at == end ? number : 0;
}

int windows_parse(struct windows *w, const char *arg, struct error *error)
{
	const char *rest;

	w->size = parse_number(arg, '/', &rest);
	w->every = w->size ? parse_number(rest + 1, '\0', &rest) : 0;
	if (!w->every)
		return error_set(error, ERROR_USAGE,
				 "--windows %s: not SIZE/EVERY in instructions, such as 200k/50M",
				 arg);
	if (w->every / 2 < w->size)
		return error_set(error, ERROR_USAGE,
				 "--windows %s: EVERY must be at least twice SIZE", arg);
	return 0;
}

int windows_parse_places(struct windows *w, const char *arg, struct error *error)
{
	unsigned int i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(arg, places[i])) {
			w->places = i;
			w->has_places = true;
			return 0;
		}
	return error_set(error, ERROR_USAGE, "--windows-places %s: use random or systematic",
			 arg);
}

static bool is_prime(unsigned int n)
{
	unsigned int i;

	for (i = 2; i * i <= n; i++)
		if (n % i == 0)
			return false;
	return n > 1;
}

unsigned int windows_period(unsigned int depth, unsigned int shown)
{
	const unsigned int spanned = shown ? 2 * (shown - 1) : 0;
	const unsigned int most = depth < spanned ? depth : spanned;
	unsigned int period = most - most / 8;

	while (period && !is_prime(period))
		period--;
	return period;
}

uint64_t windows_samples(const struct windows *w, unsigned int period)
{
	return (w->size + period - 1) / period + MORE_SAMPLES;
}

/* The random number n of those that follow from a seed. */
static uint64_t numbered(uint64_t seed, uint64_t n)
{
	uint64_t state = seed + n * RANDOM_STEP;

	return random_next(&state);
}

uint64_t windows_place(const struct windows *w, uint32_t number, uint64_t interval)
{
	const uint64_t which = w->places == WINDOWS_RANDOM ? interval : 0;

	return interval * w->every + 1 +
	       numbered(numbered(w->seed, number), which) % (w->every - w->size);
}

uint64_t windows_next(const struct windows *w, uint32_t number, uint64_t after)
{
	const uint64_t interval = after / w->every;
	const uint64_t place = windows_place(w, number, interval);

	return place > after ? place : windows_place(w, number, interval + 1);
}

uint64_t windows_wait(const struct windows *w, uint32_t number, uint64_t after,
		      unsigned int period)
{
	const uint64_t wait = windows_next(w, number, after) - after;

	return wait == period ? wait + 1 : wait;
}

unsigned int windows_pages(const struct windows *w, unsigned int period, unsigned int depth)
{
	const uint64_t samples = windows_samples(w, period);
	const uint64_t bytes = samples * (SAMPLE_BYTES + (uint64_t)depth * BRANCH_BYTES);
	const uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t pages = LEAST_PAGES;

	/* And what comes before it is drained. */
	while (pages * page < bytes + bytes / 4 && 2 * pages * page <= MOST_BYTES)
		pages *= 2;
	return pages;
}

bool windows_read_name(struct windows *w, unsigned int *period, const char *name)
{
	char text[16];
	struct error error;

	*w = (struct windows){ 0 };
	return name &&
	       sscanf(name,
		      "windows/size=%" SCNu64 ",every=%" SCNu64
		      ",period=%u,places=%15[a-z],seed=%" SCNu64,
		      &w->size, &w->every, period, text, &w->seed) == 5 &&
	       !windows_parse_places(w, text, &error) && w->size && w->every && *period &&
	       w->size <= MOST && w->every <= MOST;
}

void windows_name(const struct windows *w, unsigned int period, char *name, size_t size)
{
	snprintf(name, size,
		 "windows/size=%" PRIu64 ",every=%" PRIu64 ",period=%u,places=%s,seed=%" PRIu64 "/",
		 w->size, w->every, period, places[w->places], w->seed);
}
