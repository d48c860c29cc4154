/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer's inside. */
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

	/* Records not yet put: in a container, those of the chunk. */
	uint8_t *buf;
	size_t len;
	size_t room;
	size_t group; /* where in buf the open group starts */
	size_t quick_end; /* of buf: below, any frequent record has room */
	uint64_t markers; /* opcodes in the chunk */
	uint64_t full; /* how many close it */
	uint64_t chunk_pc; /* of its first instruction */

	/* The PC of the next opcode, and what its group says of the one after. */
	uint64_t pc;
	uint64_t target;
	bool has_pc;
	bool has_target;

	uint64_t records;
	uint64_t instructions;
	uint64_t put; /* bytes handed to the sink */
	int failed; /* the trace is lost: what every later call returns */
	struct stf_error err;
	char *path; /* the name for messages */
};

#endif
