// SPDX-License-Identifier: GPL-2.0-only
/* Events and filters by perf's words. */
#include "recorder/event.h"
#include "test.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>

static struct rcd_events events;
static struct error error;

static const struct rcd_event *one(const char *list)
{
	rcd_free_events(&events);
	if (rcd_add_events(&events, list, &error))
		test_fail(__FILE__, __LINE__, "%s: %s", list, error.text);
	CHECK_EQ(events.nr, 1);
	CHECK_STR(events.v[0].name, list);
	CHECK_EQ(events.v[0].attr.size, sizeof(struct perf_event_attr));
	return &events.v[0];
}

static void none(const char *list, const char *text)
{
	rcd_free_events(&events);
	CHECK_EQ(rcd_add_events(&events, list, &error), ERROR_USAGE);
	if (!strstr(error.text, text))
		test_fail(__FILE__, __LINE__, "%s: %s", list, error.text);
	rcd_free_events(&events);
}

TEST(events_of_the_hardware_and_the_kernel_have_their_names)
{
	const struct rcd_event *e = one("cycles");

	CHECK_EQ(e->attr.type, PERF_TYPE_HARDWARE);
	CHECK_EQ(e->attr.config, PERF_COUNT_HW_CPU_CYCLES);
	CHECK(rcd_is_hardware(e) && !e->has_modes);
	CHECK_EQ(one("instructions")->attr.config, PERF_COUNT_HW_INSTRUCTIONS);
	CHECK_EQ(one("branches")->attr.config,
		 PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	e = one("page-faults");
	CHECK_EQ(e->attr.type, PERF_TYPE_SOFTWARE);
	CHECK_EQ(e->attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	CHECK(!rcd_is_hardware(e));
	rcd_free_events(&events);
}

TEST(letters_behind_the_colon_are_modes)
{
	const struct rcd_event *e = one("cycles:u");

	CHECK(e->has_modes && !e->attr.exclude_user && e->attr.exclude_kernel &&
	      e->attr.exclude_hv);
	e = one("cycles:k");
	CHECK(e->attr.exclude_user && !e->attr.exclude_kernel);
	e = one("cycles:uk");
	CHECK(!e->attr.exclude_user && !e->attr.exclude_kernel);
	e = one("cycles:P");
	CHECK(!e->has_modes && !e->attr.exclude_kernel);
	rcd_free_events(&events);
	none("cycles:x", "no event 'cycles:x'");
}

/* As perf 6.1 and 7.x set the bits for the same words (perf record -vv). */
TEST(letters_select_virtual_machines_or_the_host)
{
	static const struct {
		const char *list;
		bool no_host, no_guest, no_user, no_kernel;
	} v[] = {
		{ "cycles:G", true, false, false, false },
		{ "cycles:H", false, true, false, false },
		{ "cycles:GH", false, false, false, false },
		{ "cycles:uG", true, false, false, true },
		{ "cycles:Gu", true, false, false, true },
		{ "cycles:uH", false, true, false, true },
		{ "cycles:kGH", false, false, true, false },
		{ "page-faults/period=7/G", true, false, false, false },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++) {
		const struct perf_event_attr *attr = &one(v[i].list)->attr;

		if (attr->exclude_host != v[i].no_host || attr->exclude_guest != v[i].no_guest ||
		    attr->exclude_user != v[i].no_user || attr->exclude_kernel != v[i].no_kernel)
			test_fail(__FILE__, __LINE__, "%s: not host %d, not guest %d", v[i].list,
				  attr->exclude_host, attr->exclude_guest);
	}
	CHECK(!one("cycles:G")->has_modes);
	rcd_free_events(&events);
}

TEST(a_raw_event_is_a_number)
{
	const struct rcd_event *e = one("r1a2B:u");

	CHECK_EQ(e->attr.type, PERF_TYPE_RAW);
	CHECK_EQ(e->attr.config, 0x1a2b);
	CHECK(e->attr.exclude_kernel);
	rcd_free_events(&events);
	none("rxyz", "no event 'rxyz'");
}

TEST(terms_stand_between_slashes)
{
	const struct rcd_event *e = one("page-faults/period=7/u");

	CHECK_EQ(e->attr.sample_period, 7);
	CHECK(e->has_period && e->attr.exclude_kernel);
	rcd_free_events(&events);
	none("page-faults/period/", "'page-faults' does not have 'period'");
	none("page-faults/period=1", "no second /");
	none("nopmu/event=1/", "no PMU 'nopmu'");
}

static void describe(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "pmus/fake/%s", name);
	file = fopen(test_path(path), "w");
	CHECK(file && fprintf(file, "%s\n", text) > 0 && !fclose(file));
}

/* A PMU in the place of those that this system has. */
static void mount_pmu(void)
{
	char from[256];

	describe("type", "42");
	describe("format/event", "config:0-7,32-35");
	describe("format/flag", "config1:5");
	describe("format/high", "config2:60-63");
	describe("format/wrong", "config:x");
	describe("events/both", "event=0x123,flag=1");
	snprintf(from, sizeof(from), "%s/pmus", test_tmpdir());
	if ((unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(from, RCD_PMUS, NULL, MS_BIND, NULL))
		test_skip("no folder can be mounted");
}

TEST(a_term_of_a_pmu_goes_where_its_format_says)
{
	const struct rcd_event *e;

	mount_pmu();
	e = one("fake/event=0xabc,flag,high=9/u");
	CHECK_EQ(e->attr.type, 42);
	CHECK_EQ(e->attr.config, UINT64_C(0xa000000bc));
	CHECK_EQ(e->attr.config1, 1 << 5);
	CHECK_EQ(e->attr.config2, UINT64_C(9) << 60);
	CHECK(e->attr.exclude_kernel);
	CHECK_EQ(one("fake/event=4095/")->attr.config, UINT64_C(0xf000000ff));
	e = one("fake/both,config2=3/");
	CHECK_EQ(e->attr.config, UINT64_C(0x100000023));
	CHECK_EQ(e->attr.config1, 1 << 5);
	CHECK_EQ(e->attr.config2, 3);
	rcd_free_events(&events);
	none("fake/event=4096/", "'fake' does not have 'event=4096'");
	none("fake/flag=2/", "'fake' does not have 'flag=2'");
	none("fake/wrong=1/", "'fake' does not have 'wrong=1'");
	none("fake/other=1/", "'fake' does not have 'other=1'");
	CHECK(!umount2(RCD_PMUS, MNT_DETACH));
}

TEST(a_list_has_commas_but_not_those_between_slashes)
{
	rcd_free_events(&events);
	CHECK(!rcd_add_events(&events, "cycles/config=1,period=3/,faults:u",
			      &error));
	CHECK_EQ(events.nr, 2);
	CHECK_EQ(events.v[0].attr.sample_period, 3);
	CHECK_EQ(events.v[0].attr.config, 1);
	CHECK_STR(events.v[1].name, "faults:u");
	rcd_free_events(&events);
	none("cycles,,faults", "no event ''");
	none("", "no event ''");
	none("cycles,", "no event ''");
}

TEST(a_name_that_is_too_long_is_none)
{
	char name[400];

	memset(name, 'c', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	none(name, "no event 'cccc");
	none("nosystem:noevent", "nosystem:noevent");
}

TEST(filters_have_perfs_words)
{
	CHECK_EQ(rcd_branch_filter("any,u", &error),
		 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	CHECK_EQ(rcd_branch_filter("any_call,any_ret", &error),
		 PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN);
	CHECK_EQ(rcd_branch_filter("cond,save_type,hw_index,priv", &error),
		 PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_TYPE_SAVE |
			 PERF_SAMPLE_BRANCH_HW_INDEX |
			 PERF_SAMPLE_BRANCH_PRIV_SAVE);
	/* Modes alone: of any kind, as perf has it. */
	CHECK_EQ(rcd_branch_filter("u", &error),
		 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	CHECK_EQ(rcd_branch_filter("any,uu", &error), 0);
	CHECK_STR(error.text, "there is no filter 'uu'");
	CHECK_EQ(rcd_branch_filter("", &error), 0);
	CHECK_STR(error.text, "there is no filter ''");
}
