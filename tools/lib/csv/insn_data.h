/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction reads and writes in memory and in CSRs. Its opcode tells what
 * Spike's data trace must contain for it, and how STF contains the same.
 */
#ifndef CSV_INSN_DATA_H
#define CSV_INSN_DATA_H

#include "csv/csv.h"
#include "stf/stf.h"

enum insn_data_rows {
	/* also lr, and sc that stores: Spike writes no row for them */
	INSN_DATA_NO_ROW,
	INSN_DATA_ROW,
	INSN_DATA_ROW_IF_FAILED, /* sc */
	/*
	 * The row cannot tell it, or the number of rows varies: vectors, amocas,
	 * cbo.zero.
	 */
	INSN_DATA_NO_FORM,
};

struct insn_data {
	/* enum insn_data_rows; the other members are set only for ..._ROW */
	uint8_t rows;
	uint8_t type; /* enum csv_dtype */
	uint8_t size; /* bytes of one value */
	bool reads, writes;
	bool mem_bits; /* sizes in the trace may be in bits */
	uint16_t csr; /* for the types of CSRs */
};

/* Returns it for an instruction that retires. size is 2 or 4 bytes. */
struct insn_data insn_data_of(uint32_t opcode, unsigned int size, bool rv32);

/* Compare a row with the access. Returns NULL if it is its row, or what is wrong with it. */
const char *insn_data_mismatch(const struct insn_data *of,
			       const struct csv_data *row);

/*
 * Write the records of an INSN_DATA_ROW. Memory becomes an INST_MEM_ACCESS with its
 * content, and the read comes first. A CSR becomes an INST_REG for the source and one for
 * the destination. What the instruction does not write is left out. Returns like
 * stf_write().
 */
int insn_data_write(struct stf_writer *writer, const struct insn_data *of,
		    const struct csv_data *row);

/* The other direction: what the group of an instruction tells about an access. */
struct insn_data_found {
	struct csv_data row;
	uint8_t reads, writes; /* how many of them were found */
	uint8_t direction; /* of the INST_MEM_ACCESS whose content comes next */
	bool misfit; /* another size, or several addresses */
};

/* Take a record of the group. Set all members of *found to 0 before the first record. */
void insn_data_find(struct insn_data_found *found, const struct insn_data *of,
		    const struct stf_record *rec);

/* Returns whether everything was found that the row needs. */
bool insn_data_is_whole(const struct insn_data_found *found,
			const struct insn_data *of);

#endif
