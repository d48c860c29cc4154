/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction reads and writes, in memory and of CSRs: what Spike's data
 * trace has to tell of it, by its opcode, and how STF says that.
 */
#ifndef CSV_INSN_DATA_H
#define CSV_INSN_DATA_H

#include "csv/csv.h"
#include "stf/stf.h"

enum insn_data_rows {
	INSN_DATA_NO_ROW, /* lr and sc that stores, too: Spike writes none */
	INSN_DATA_ROW,
	INSN_DATA_ROW_IF_FAILED, /* sc */
	/*
	 * More than a row can tell, or a number that depends: vectors, amocas,
	 * cbo.zero.
	 */
	INSN_DATA_NO_FORM,
};

struct insn_data {
	uint8_t rows; /* enum insn_data_rows; the others are set for ..._ROW */
	uint8_t type; /* enum csv_dtype */
	uint8_t size; /* bytes of a value */
	bool reads, writes;
	bool mem_bits; /* sizes in the trace may be in bits */
	uint16_t csr; /* for types of CSRs */
};

/* Of an instruction that retires. size: 2 or 4, bytes. */
struct insn_data insn_data_of(uint32_t opcode, unsigned int size, bool rv32);

/* Is this the row of such an access? NULL, or what is wrong with it. */
const char *insn_data_mismatch(const struct insn_data *of,
			       const struct csv_data *row);

/*
 * Write the records of an INSN_DATA_ROW: memory as INST_MEM_ACCESS with its content,
 * what is read first, a CSR as INST_REG, source and destination. What the
 * instruction does not write is left out. Returns as stf_write().
 */
int insn_data_write(struct stf_writer *writer, const struct insn_data *of,
		    const struct csv_data *row);

/* The way back: what an instruction's group has of an access. */
struct insn_data_found {
	struct csv_data row;
	uint8_t reads, writes; /* how many */
	uint8_t direction; /* of the INST_MEM_ACCESS whose content comes next */
	bool misfit; /* another size, or several addresses */
};

/* All 0 before the group's first record. */
void insn_data_find(struct insn_data_found *found, const struct insn_data *of,
		    const struct stf_record *rec);

/* Is it all that the row needs? */
bool insn_data_is_whole(const struct insn_data_found *found,
			const struct insn_data *of);

#endif
