// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plug-in `reads`: counts the kernel's reads of addresses that a program in the
 * guest names (MARK_WATCH in mark.h).
 *
 *   -plugin reads.so,out=FILE
 *
 * FILE has a line "START READS" for each time that addresses were named, the start in
 * hexadecimal. Addresses that are named again are counted anew from there.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hart.h"
#include "mark.h"

#define MAX_RANGES	16

static struct range {
	uint64_t start, end;
	uint64_t reads;
} ranges[MAX_RANGES];

/* Harts read while one adds. */
static unsigned int nr_ranges;
static FILE *file;

static void count(unsigned int index, qemu_plugin_meminfo_t info, uint64_t address,
		  void *data)
{
	unsigned int i = __atomic_load_n(&nr_ranges, __ATOMIC_ACQUIRE);

	(void)index, (void)info, (void)data;
	while (i--) {
		if (address < ranges[i].start || address >= ranges[i].end)
			continue;
		__atomic_add_fetch(&ranges[i].reads, 1, __ATOMIC_RELAXED);
		return;
	}
}

static void heed_mark(unsigned int index, void *data)
{
	(void)index, (void)data;
	if (hart_read(HART_A0) != MARK_WATCH || nr_ranges == MAX_RANGES)
		return;
	ranges[nr_ranges].start = hart_read(HART_A1);
	ranges[nr_ranges].end = hart_read(HART_A2);
	__atomic_store_n(&nr_ranges, nr_ranges + 1, __ATOMIC_RELEASE);
}

static void translate(struct qemu_plugin_tb *tb, void *data)
{
	enum hart_priv priv = hart_read(HART_PRIV);

	(void)data;
	if (priv == HART_U)
		hart_find_marks(tb, heed_mark);
	if (priv != HART_S)
		return;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		qemu_plugin_register_vcpu_mem_cb(
			qemu_plugin_tb_get_insn(tb, i), count,
			QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, NULL);
}

static void init_hart(unsigned int index, void *data)
{
	(void)index, (void)data;
	hart_init();
}

static void finish(void *data)
{
	(void)data;
	for (unsigned int i = 0; i < nr_ranges; i++)
		fprintf(file, "%" PRIx64 " %" PRIu64 "\n", ranges[i].start,
			ranges[i].reads);
	if (ferror(file) | fclose(file)) {
		fprintf(stderr, "reads: cannot write its file: %s\n",
			strerror(errno));
		exit(1);
	}
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc,
			char **argv)
{
	(void)info;
	file = hart_open(argc, argv, "reads", "out");
	if (!file)
		return 1;
	qemu_plugin_register_vcpu_init_cb(id, init_hart, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
