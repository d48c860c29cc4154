/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction reads and writes, in memory and of CSRs: what Spike's data
 * trace has to tell of it, by its opcode, and how STF says that.
 */
#ifndef SSCTR_ACCESS_H
#define SSCTR_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "csv/data.h"
#include "stf/stf.h"

enum access_rows {
	ACCESS_NO_ROW, /* lr and sc that stores, too: Spike writes none */
	ACCESS_ROW,
	ACCESS_ROW_IF_FAILED, /* sc */
	/*
	 * More than a row can tell, or a number that depends: vectors, amocas,
	 * cbo.zero.
	 */
	ACCESS_NO_FORM,
};

struct access {
	uint8_t rows; /* enum access_rows; the others are set for ACCESS_ROW */
	uint8_t type; /* enum csv_dtype */
	uint8_t size; /* bytes of a value */
	bool reads, writes;
	uint16_t csr; /* for types of CSRs */
};

/* Of an instruction that retires. size: 2 or 4, bytes. */
struct access access_of(uint32_t opcode, unsigned int size, bool rv32);

/* Is this the row of such an access? NULL, or what is wrong with it. */
const char *access_mismatch(const struct access *access,
			    const struct csv_data *data);

/*
 * Write the records of an ACCESS_ROW: memory as INST_MEM_ACCESS with its content,
 * what is read first, a CSR as INST_REG, source and destination. What the
 * instruction does not write is left out. Returns as stf_write().
 */
int access_write(struct stf_writer *writer, const struct access *access,
		 const struct csv_data *data);

/* The way back: what an instruction's group has of an access. */
struct access_found {
	struct csv_data data;
	uint8_t reads, writes; /* how many */
	uint8_t direction; /* of the INST_MEM_ACCESS whose content comes next */
	bool misfit; /* another size, or several addresses */
};

/* All 0 before the group's first record. */
void access_find(struct access_found *found, const struct access *access,
		 const struct stf_record *rec);

/* Is it all that the row needs? */
bool access_is_whole(const struct access_found *found,
		     const struct access *access);

#endif
