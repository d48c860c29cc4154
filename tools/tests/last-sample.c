// SPDX-License-Identifier: GPL-2.0-only
/* last/sample: samples for the file, of what the BPF program writes. */
#include "last/sample.h"
#include "test.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* As the kernel writes it: the fixed words, the size of the raw data, and that. */
static struct {
	struct perf_event_header header;
	uint64_t fixed[6];
	uint32_t size;
	uint8_t raw[sizeof(struct last_raw)];
} __attribute__((packed)) record;

static uint64_t sample[LAST_SAMPLE_WORDS];
static struct last_raw raw;

static size_t make(void)
{
	uint32_t size = LAST_RAW_HEAD + raw.nr * sizeof(*raw.branches);

	memset(&record, 0, sizeof(record));
	record.header.type = PERF_RECORD_SAMPLE;
	for (unsigned int i = 0; i < 6; i++)
		record.fixed[i] = 100 + i;
	record.size = size;
	memcpy(record.raw, &raw, size);
	record.header.size = offsetof(typeof(record), raw) + size;
	return last_make_sample(sample, &record, record.header.size);
}

static void begin(enum last_kind kind, unsigned int nr)
{
	memset(&raw, 0, sizeof(raw));
	raw.point.kind = kind;
	raw.nr = nr;
	for (unsigned int i = 0; i < LAST_NR_REGS; i++)
		raw.regs[i] = 0x1000 + i;
	for (unsigned int i = 0; i < nr; i++) {
		raw.branches[i].from = 0x2000 + 16 * i;
		raw.branches[i].to = 0x3000 + 16 * i;
		raw.branches[i].flags = i;
	}
}

/* The words of the sample, by the man page of perf_event_open. */
enum { HEADER, ID, IP, TID, TIME, CPU, PERIOD, RAW, STACK = RAW + 6 };

TEST(a_sample_has_the_fields_in_the_order_of_the_kernel)
{
	struct perf_event_header header;
	const uint64_t *regs = &sample[STACK + 1 + 3 * 2];
	uint32_t raw_size;

	begin(LAST_SIGNAL, 2);
	raw.point.addr = 0x77;
	CHECK_EQ(make(), 8 * (STACK + 1 + 3 * 2 + 1 + LAST_NR_REGS));
	memcpy(&header, sample, sizeof(header));
	CHECK_EQ(header.type, PERF_RECORD_SAMPLE);
	CHECK_EQ(header.misc, PERF_RECORD_MISC_USER);
	CHECK_EQ(header.size, 8 * (STACK + 1 + 3 * 2 + 1 + LAST_NR_REGS));
	CHECK_EQ(sample[ID], 100);
	CHECK_EQ(sample[TID], 102);
	CHECK_EQ(sample[PERIOD], 105);
	/* perf adds the size to the raw data and fills up to whole words. */
	memcpy(&raw_size, &sample[RAW], sizeof(raw_size));
	CHECK_EQ((raw_size + 4) % 8, 0);
	CHECK_EQ(memcmp((uint8_t *)&sample[RAW] + 4, &raw.point, sizeof(raw.point)), 0);
	CHECK_EQ(sample[STACK], 2);
	CHECK_EQ(memcmp(&sample[STACK + 1], raw.branches, 2 * 24), 0);
	CHECK_EQ(regs[0], PERF_SAMPLE_REGS_ABI_64);
	CHECK_EQ(memcmp(&regs[1], raw.regs, sizeof(raw.regs)), 0);
}

TEST(a_sample_is_where_the_thread_was)
{
	begin(LAST_SIGNAL, 1);
	CHECK(make());
	CHECK_EQ(sample[IP], 0x1000);
	CHECK_EQ(sample[STACK + 2], 0x3000);
}

TEST(a_return_leads_to_where_it_would_have_without_the_probe)
{
	begin(LAST_RETURN, 2);
	CHECK(make());
	CHECK_EQ(sample[STACK + 2], 0x1000);
	CHECK_EQ(sample[STACK + 5], 0x3010);
}

/* The newest branch of the program has nothing to do with it. */
TEST(a_return_of_a_kernel_function_changes_no_branch)
{
	begin(LAST_RETURN, 2);
	raw.point.kernel_ip = 0xffffffff80000000;
	CHECK(make());
	CHECK_EQ(sample[IP], 0x1000);
	CHECK_EQ(sample[STACK + 2], 0x3000);
	/* Nor is what the function itself did left out. */
	raw.has_kernel = true;
	raw.branches[1].to = 0xffffffff80000000;
	CHECK(make());
	CHECK_EQ(sample[STACK], 2);
}

TEST(a_sample_of_the_kernel_is_where_the_newest_branch_led)
{
	struct perf_event_header header;

	begin(LAST_SYSCALL, 2);
	raw.has_kernel = true;
	raw.branches[0].to = 0xffffffff80000000;
	CHECK(make());
	memcpy(&header, sample, sizeof(header));
	CHECK_EQ(header.misc, PERF_RECORD_MISC_KERNEL);
	CHECK_EQ(sample[IP], 0xffffffff80000000);
}

TEST(what_is_behind_the_entry_of_a_kernel_function_is_left_out)
{
	begin(LAST_ENTRY, 3);
	raw.has_kernel = true;
	raw.branches[1].to = 0xffffffff80000000;
	raw.point.kernel_ip = 0xffffffff80000000;
	CHECK(make());
	CHECK_EQ(sample[IP], 0xffffffff80000000);
	CHECK_EQ(sample[STACK], 2);
	CHECK_EQ(sample[STACK + 1], 0x2010);
	CHECK_EQ(sample[STACK + 4], 0x2020);
}

/* The trap of a probe, from which the kernel's path to the BPF program begins. */
static void trap_at(unsigned int i, uint64_t from)
{
	raw.has_kernel = true;
	raw.branches[i].from = from;
	raw.branches[i].to = 0xffffffff80000000;
	while (i--) {
		raw.branches[i].from = 0xffffffff80000010;
		raw.branches[i].to = 0xffffffff80000020;
	}
}

TEST(what_is_behind_the_trap_of_a_probe_is_left_out)
{
	begin(LAST_ENTRY, 4);
	trap_at(1, 0x1000);
	CHECK(make());
	CHECK_EQ(sample[IP], 0x1000);
	CHECK_EQ(sample[STACK], 2);
	CHECK_EQ(sample[STACK + 1], 0x2020);
	CHECK_EQ(sample[STACK + 2], 0x3020);
	/* A return led to the probe's page, and would have led to the caller. */
	begin(LAST_RETURN, 4);
	trap_at(1, 0x3020);
	CHECK(make());
	CHECK_EQ(sample[IP], 0x1000);
	CHECK_EQ(sample[STACK], 2);
	CHECK_EQ(sample[STACK + 2], 0x1000);
	CHECK_EQ(sample[STACK + 5], 0x3030);
	/* The buffer may have nothing before it. */
	begin(LAST_RETURN, 2);
	trap_at(1, 0x3020);
	CHECK(make());
	CHECK_EQ(sample[IP], 0x1000);
	CHECK_EQ(sample[STACK], 0);
}

TEST(a_full_stack_fits)
{
	begin(LAST_SIGNAL, LAST_MAX_BRANCHES);
	CHECK(make() && make() <= sizeof(sample));
}

static void set_nr(uint64_t nr)
{
	memcpy(record.raw + offsetof(struct last_raw, nr), &nr, sizeof(nr));
}

TEST(what_is_cut_or_too_large_is_no_sample)
{
	begin(LAST_SIGNAL, 3);
	CHECK(make());
	for (size_t size = 0; size < record.header.size; size++)
		CHECK_EQ(last_make_sample(sample, &record, size), 0);
	begin(LAST_SIGNAL, 3);
	make();
	set_nr(LAST_MAX_BRANCHES + 1);
	CHECK_EQ(last_make_sample(sample, &record, record.header.size), 0);
	set_nr(4);
	CHECK_EQ(last_make_sample(sample, &record, record.header.size), 0);
}
