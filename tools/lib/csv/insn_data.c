// SPDX-License-Identifier: GPL-2.0-only
#include "csv/insn_data.h"

#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"

static struct insn_data csr_data(uint32_t opcode, bool rv32)
{
	const unsigned int funct3 = opcode >> 12 & 7;

	/* Neither csrrw and its kin, nor a hole between them. */
	if (!(funct3 & 3))
		return (struct insn_data){ .rows = INSN_DATA_NO_ROW };
	return (struct insn_data){
		.rows = INSN_DATA_ROW,
		.type = CSV_CSR_WRITE + (funct3 & 3) - 1,
		.size = rv32 ? 4 : 8,
		.reads = true,
		/* csrrs and csrrc with x0 or 0 only read. */
		.writes = (funct3 & 3) == 1 || opcode >> 15 & 31,
		.csr = opcode >> 20,
	};
}

static struct insn_data amo_data(uint32_t opcode, unsigned int bytes)
{
	enum { LR = 2, SC = 3 };
	static const uint8_t types[32] = {
		[0] = CSV_AMO_ADD,  [1] = CSV_AMO_SWAP, [4] = CSV_AMO_XOR,
		[8] = CSV_AMO_OR,   [12] = CSV_AMO_AND, [16] = CSV_AMO_MIN,
		[20] = CSV_AMO_MAX, [24] = CSV_AMO_MIN, [28] = CSV_AMO_MAX,
	};
	const unsigned int funct5 = opcode >> 27;

	if (funct5 == LR)
		return (struct insn_data){ .rows = INSN_DATA_NO_ROW };
	if (funct5 == SC)
		return (struct insn_data){ .rows = INSN_DATA_ROW_IF_FAILED };
	if (!types[funct5] || !bytes || bytes > 8)
		return (struct insn_data){ .rows = INSN_DATA_NO_FORM };
	return (struct insn_data){ .rows = INSN_DATA_ROW,
				   .type = types[funct5],
				   .size = bytes,
				   .reads = true,
				   .writes = true };
}

struct insn_data insn_data_of(uint32_t opcode, unsigned int size, bool rv32)
{
	const struct rv_mem mem = rv_mem_of(opcode, size, rv32 ? RV_RV32 : 0);

	if (size == 4 && (opcode & 0x7f) == 0x73 && mem.way == RV_MEM_NONE)
		return csr_data(opcode, rv32);
	if (size == 4 && (opcode & 0x7f) == 0x2f)
		return amo_data(opcode, mem.bytes);
	if (mem.way == RV_MEM_NONE)
		return (struct insn_data){ .rows = INSN_DATA_NO_ROW };
	if (!mem.bytes || mem.bytes > 8)
		return (struct insn_data){ .rows = INSN_DATA_NO_FORM };
	return (struct insn_data){
		.rows = INSN_DATA_ROW,
		.type = mem.way == RV_MEM_LOAD ? CSV_LOAD : CSV_STORE,
		.size = mem.bytes,
		.reads = mem.way == RV_MEM_LOAD,
		.writes = mem.way == RV_MEM_STORE,
	};
}

static bool is_csr(const struct insn_data *of)
{
	return of->type >= CSV_CSR_WRITE && of->type <= CSV_CSR_CLEAR;
}

const char *insn_data_mismatch(const struct insn_data *of,
			       const struct csv_data *row)
{
	if (row->type != of->type)
		return "DTYPE is of another kind of instruction";
	if (row->size != of->size)
		return "DSIZE is of another size";
	if (is_csr(of) && row->address != of->csr)
		return "DADDR is another CSR";
	return NULL;
}

static int write_csr(struct stf_writer *writer, uint16_t csr, uint64_t value,
		     enum stf_reg_operand operand)
{
	const struct stf_record rec = { .desc = STF_INST_REG,
					.reg = { .number = csr,
						 .type = STF_REG_CSR,
						 .operand = operand,
						 .value = value } };

	return stf_write(writer, &rec);
}

static int write_mem(struct stf_writer *writer, const struct csv_data *row,
		     uint64_t value, enum stf_access access)
{
	const struct stf_mem_access mem = { .address = row->address,
					    .size = row->size,
					    .access = access };

	return stf_write_mem(writer, &mem, value);
}

int insn_data_write(struct stf_writer *writer, const struct insn_data *of,
		    const struct csv_data *row)
{
	const bool csr = is_csr(of);
	int ret = 0;

	if (of->reads)
		ret = csr ? write_csr(writer, of->csr, row->read,
				      STF_REG_SOURCE) :
			    write_mem(writer, row, row->read, STF_ACCESS_READ);
	if (ret || !of->writes)
		return ret;
	return csr ? write_csr(writer, of->csr, row->written, STF_REG_DEST) :
		     write_mem(writer, row, row->written, STF_ACCESS_WRITE);
}

static void find_value(struct insn_data_found *found, bool written,
		       uint64_t value)
{
	if (found->row.size < 8)
		value &= (UINT64_C(1) << 8 * found->row.size) - 1;
	if (written) {
		found->row.written = value;
		found->writes++;
	} else {
		found->row.read = value;
		found->reads++;
	}
}

void insn_data_find(struct insn_data_found *found, const struct insn_data *of,
		    const struct stf_record *rec)
{
	struct csv_data *row = &found->row;

	if (of->rows != INSN_DATA_ROW)
		return;
	row->type = of->type;
	row->size = of->size;
	switch (rec->desc) {
	case STF_INST_REG:
		if (!is_csr(of) || rec->reg.type != STF_REG_CSR ||
		    rec->reg.number != of->csr)
			return;
		row->address = of->csr;
		if (rec->reg.operand != STF_REG_STATE)
			find_value(found, rec->reg.operand == STF_REG_DEST,
				   rec->reg.value);
		return;
	case STF_INST_MEM_ACCESS:
		if ((rec->mem_access.size != of->size &&
		     !(of->mem_bits && rec->mem_access.size == 8 * of->size)) ||
		    (found->reads + found->writes &&
		     row->address != rec->mem_access.address))
			found->misfit = true;
		row->address = rec->mem_access.address;
		found->direction = rec->mem_access.access;
		return;
	case STF_INST_MEM_CONTENT:
		if (!is_csr(of))
			find_value(found, found->direction == STF_ACCESS_WRITE,
				   rec->content);
		return;
	}
}

bool insn_data_is_whole(const struct insn_data_found *found,
			const struct insn_data *of)
{
	return !found->misfit && found->reads == of->reads &&
	       found->writes == of->writes;
}
