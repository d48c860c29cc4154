/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is used here of QEMU's interface for TCG plug-ins, version 7, and of GLib.
 * Declared anew: binary packages of QEMU bring no header, and the symbols are
 * found in the QEMU process.
 */
#ifndef PLUGIN_API_H
#define PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT	__attribute__((visibility("default")))

/* QEMU looks for these two. A status that is not 0 ends QEMU. */
extern PLUGIN_EXPORT int qemu_plugin_version;
struct qemu_info_t;
PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info,
				      int argc, char **argv);

/* GLib's growing arrays, as far as their layout is public. */
typedef struct {
	char *data;
	unsigned int len;
} GArray;

typedef struct {
	uint8_t *data;
	unsigned int len;
} GByteArray;

GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int length);
char *g_array_free(GArray *array, int free_segment);

/* A word for each hart, to be looked at by translated code itself. */
struct qemu_plugin_scoreboard;
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
				  unsigned int hart);

/* Registers of the hart that runs the callback. */
struct qemu_plugin_register;
typedef struct {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
	bool is_readonly;
} qemu_plugin_reg_descriptor;

GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *handle,
			       GByteArray *buf);

/* A block of code and its instructions, when it is translated. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest,
			     size_t size);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* Callbacks. What they are registered with comes back as their last argument. */
typedef void (*qemu_plugin_udata_cb_t)(void *data);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int hart, void *data);
typedef void (*qemu_plugin_tb_trans_cb_t)(struct qemu_plugin_tb *tb, void *data);

enum qemu_plugin_discon_type {
	QEMU_PLUGIN_DISCON_INTERRUPT = 1,
	QEMU_PLUGIN_DISCON_EXCEPTION = 2,
};

typedef void (*qemu_plugin_discon_cb_t)(unsigned int hart,
					enum qemu_plugin_discon_type type,
					uint64_t from, uint64_t to, void *data);

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
};

typedef uint32_t qemu_plugin_meminfo_t;
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int hart,
					  qemu_plugin_meminfo_t info,
					  uint64_t address, void *data);

enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_NE = 3,
};

void qemu_plugin_register_vcpu_init_cb(uint64_t id,
				       qemu_plugin_vcpu_udata_cb_t cb, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   qemu_plugin_tb_trans_cb_t cb,
					   void *data);
void qemu_plugin_register_vcpu_discon_cb(uint64_t id,
					 enum qemu_plugin_discon_type type,
					 qemu_plugin_discon_cb_t cb, void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_plugin_udata_cb_t cb,
				    void *data);
void qemu_plugin_register_flush_cb(uint64_t id, qemu_plugin_udata_cb_t cb,
				   void *data);

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags,
					    void *data);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
						 qemu_plugin_vcpu_udata_cb_t cb,
						 enum qemu_plugin_cb_flags flags,
						 enum qemu_plugin_cond cond,
						 qemu_plugin_u64 entry,
						 uint64_t imm, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
					       qemu_plugin_vcpu_udata_cb_t cb,
					       enum qemu_plugin_cb_flags flags,
					       enum qemu_plugin_cond cond,
					       qemu_plugin_u64 entry,
					       uint64_t imm, void *data);

#endif
