// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hart.h"
#include "mark.h"

PLUGIN_EXPORT int qemu_plugin_version = 7;

static const char *const names[HART_REGS] = {
	"pc", "priv", "satp", "sstatus", "scause", "stval", "ra", "sp", "tp",
	"a0", "a1", "a2", "a7",
};

static const char *const x_names[32] = {
	"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2",
	"a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9",
	"s10", "s11", "t3", "t4", "t5", "t6",
};

/* Harts are alike, so that the handles of one serve all. */
static struct qemu_plugin_register *handles[HART_REGS], *x_handles[32];

static void find_registers(const GArray *all, const char *const *wanted, unsigned int nr,
			   struct qemu_plugin_register **found)
{
	const qemu_plugin_reg_descriptor *regs = (const void *)all->data;

	for (unsigned int reg = 0; reg < nr; reg++) {
		for (unsigned int i = 0; i < all->len; i++)
			if (!strcmp(regs[i].name, wanted[reg]))
				found[reg] = regs[i].handle;
		if (found[reg])
			continue;
		fprintf(stderr, "plug-in: QEMU shows no register %s\n", wanted[reg]);
		exit(1);
	}
}

void hart_init(void)
{
	GArray *all = qemu_plugin_get_registers();

	find_registers(all, names, HART_REGS, handles);
	find_registers(all, x_names, 32, x_handles);
	g_array_free(all, 1);
}

static uint64_t read_register(struct qemu_plugin_register *handle)
{
	static __thread GByteArray *buf;
	uint64_t value = 0;

	if (!buf)
		buf = g_byte_array_new();
	g_byte_array_set_size(buf, 0);
	qemu_plugin_read_register(handle, buf);
	memcpy(&value, buf->data, buf->len < 8 ? buf->len : 8);
	return value;
}

uint64_t hart_read(enum hart_reg reg)
{
	return read_register(handles[reg]);
}

uint64_t hart_read_x(unsigned int nr)
{
	return read_register(x_handles[nr]);
}

void hart_find_marks(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb)
{
	size_t nr = qemu_plugin_tb_n_insns(tb);

	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t opcode = 0;

		qemu_plugin_insn_data(insn, &opcode, sizeof(opcode));
		if (opcode == MARK_INSN)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, cb, QEMU_PLUGIN_CB_R_REGS, NULL);
	}
}

const char *hart_argument(int argc, char **argv, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
			return argv[i] + length + 1;
	return NULL;
}

FILE *hart_open(int argc, char **argv, const char *plugin, const char *name)
{
	const char *path = hart_argument(argc, argv, name);
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!path)
		fprintf(stderr, "%s: want %s=FILE\n", plugin, name);
	else if (!file)
		fprintf(stderr, "%s: cannot write %s: %s\n", plugin, path,
			strerror(errno));
	return file;
}
