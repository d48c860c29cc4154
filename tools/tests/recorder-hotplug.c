// SPDX-License-Identifier: GPL-2.0-only
/* CPUs that come online. What the kernel sends, the guests test (selftests/recorder.sh). */
#include "base/file.h"
#include "recorder/hotplug.h"
#include "test.h"

static struct hotplug h = HOTPLUG_INIT;

TEST(messages_name_cpus)
{
	hotplug_message(&h, "online@/devices/system/cpu/cpu12");
	hotplug_message(&h, "offline@/devices/system/cpu/cpu13");
	hotplug_message(&h, "online@/devices/system/memory/memory14");
	hotplug_message(&h, "add@/devices/system/cpu/cpu15");
	hotplug_message(&h, "online@/devices/system/cpu/cpu3");
	hotplug_message(&h, "online@/devices/system/cpu/cpu12");
	CHECK_EQ(h.nr, 2);
	CHECK_EQ(h.cpus[0], 12);
	CHECK_EQ(h.cpus[1], 3);
	hotplug_free(&h);
}

TEST(lists_name_cpus)
{
	static const int all[] = { 0, 2, 3, 4, 70 };
	size_t i;

	hotplug_list(&h, "0,2-4,70\n");
	CHECK_EQ(h.nr, 5);
	for (i = 0; i < 5; i++)
		CHECK_EQ(h.cpus[i], all[i]);
	hotplug_list(&h, "");
	CHECK_EQ(h.nr, 5);
	hotplug_free(&h);
}

/* One of this machine's CPUs is always online. */
TEST(in_the_end_it_is_what_is_online)
{
	char list[4096];

	hotplug_listen(&h);
	hotplug_take(&h);
	CHECK_EQ(h.nr, 0);
	hotplug_end(&h);
	if (!file_line(list, sizeof(list), "/sys/devices/system/cpu/online"))
		test_skip("this machine does not tell which CPUs are online");
	CHECK(h.nr);
	hotplug_free(&h);
	CHECK_EQ(h.fd, -1);
}
