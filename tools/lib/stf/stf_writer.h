/* SPDX-License-Identifier: BSD-2-Clause */
/* The structure of the writer. */
#ifndef STF_STF_WRITER_H
#define STF_STF_WRITER_H

#include "stf/stf_codec.h"
#include "stf/stf_order.h"
#include "stf/stf_sink.h"

struct stf_writer {
	struct stf_file file;
	struct stf_sink *sink;
	enum stf_container container;
	struct stf_codec codec;
	struct stf_order order;

	/*
	 * The records that are not stored yet. In a container, those of the current
	 * chunk.
	 */
	uint8_t *buf;
	size_t len;
	size_t room;
	size_t group; /* the start of the open group in buf */
	/* Before this offset in buf, there is room for any frequent record. */
	size_t quick_end;
	uint64_t markers; /* opcodes in the chunk */
	uint64_t full; /* how many opcodes complete a chunk */
	uint64_t chunk_pc; /* the PC of the first instruction in the chunk */

	/* The PC of the next opcode, and the PC after it if its group tells it. */
	uint64_t pc;
	uint64_t target;
	bool has_pc;
	bool has_target;

	bool riscv; /* ISA says so */

	uint8_t *meta; /* of the transaction that stf_write_transaction() writes */
	size_t meta_room; /* of how many elements */

	uint64_t records;
	uint64_t instructions;
	uint64_t put; /* bytes that the sink has got */
	/* The trace is lost, and each later call returns this error. */
	int failed;
	struct stf_error err;
	char *path; /* the name for messages */
};

/*
 * Refuse a record that a function of the writer has made from its arguments: the format does
 * not define the value of its field. Returns STF_E_VALUE.
 */
int stf_refuse_value(struct stf_writer *writer, enum stf_desc desc, const char *field,
		     uint64_t value);

#endif
