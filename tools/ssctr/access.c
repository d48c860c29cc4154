// SPDX-License-Identifier: GPL-2.0-only
#include "access.h"

#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"

static struct access csr_access(uint32_t opcode, bool rv32)
{
	const unsigned int funct3 = opcode >> 12 & 7;

	/* Neither csrrw and its kin, nor a hole between them. */
	if (!(funct3 & 3))
		return (struct access){ .rows = ACCESS_NO_ROW };
	return (struct access){
		.rows = ACCESS_ROW,
		.type = CSV_CSR_WRITE + (funct3 & 3) - 1,
		.size = rv32 ? 4 : 8,
		.reads = true,
		/* csrrs and csrrc with x0 or 0 only read. */
		.writes = (funct3 & 3) == 1 || opcode >> 15 & 31,
		.csr = opcode >> 20,
	};
}

static struct access amo_access(uint32_t opcode, unsigned int bytes)
{
	enum { LR = 2, SC = 3 };
	static const uint8_t types[32] = {
		[0] = CSV_AMO_ADD,  [1] = CSV_AMO_SWAP, [4] = CSV_AMO_XOR,
		[8] = CSV_AMO_OR,   [12] = CSV_AMO_AND, [16] = CSV_AMO_MIN,
		[20] = CSV_AMO_MAX, [24] = CSV_AMO_MIN, [28] = CSV_AMO_MAX,
	};
	const unsigned int funct5 = opcode >> 27;

	if (funct5 == LR)
		return (struct access){ .rows = ACCESS_NO_ROW };
	if (funct5 == SC)
		return (struct access){ .rows = ACCESS_ROW_IF_FAILED };
	if (!types[funct5] || !bytes || bytes > 8)
		return (struct access){ .rows = ACCESS_NO_FORM };
	return (struct access){ .rows = ACCESS_ROW,
				.type = types[funct5],
				.size = bytes,
				.reads = true,
				.writes = true };
}

struct access access_of(uint32_t opcode, unsigned int size, bool rv32)
{
	const struct rv_mem mem = rv_mem_of(opcode, size, rv32 ? RV_RV32 : 0);

	if (size == 4 && (opcode & 0x7f) == 0x73 && mem.way == RV_MEM_NONE)
		return csr_access(opcode, rv32);
	if (size == 4 && (opcode & 0x7f) == 0x2f)
		return amo_access(opcode, mem.bytes);
	if (mem.way == RV_MEM_NONE)
		return (struct access){ .rows = ACCESS_NO_ROW };
	if (!mem.bytes || mem.bytes > 8)
		return (struct access){ .rows = ACCESS_NO_FORM };
	return (struct access){
		.rows = ACCESS_ROW,
		.type = mem.way == RV_MEM_LOAD ? CSV_LOAD : CSV_STORE,
		.size = mem.bytes,
		.reads = mem.way == RV_MEM_LOAD,
		.writes = mem.way == RV_MEM_STORE,
	};
}

static bool is_csr(const struct access *access)
{
	return access->type >= CSV_CSR_WRITE && access->type <= CSV_CSR_CLEAR;
}

const char *access_mismatch(const struct access *access,
			    const struct csv_data *data)
{
	if (data->type != access->type)
		return "DTYPE is of another kind of instruction";
	if (data->size != access->size)
		return "DSIZE is of another size";
	if (is_csr(access) && data->address != access->csr)
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

int access_write(struct stf_writer *writer, const struct access *access,
		 const struct csv_data *data)
{
	struct stf_mem_access mem = { .address = data->address,
				      .size = data->size };
	int ret = 0;

	if (is_csr(access)) {
		ret = write_csr(writer, access->csr, data->read,
				STF_REG_SOURCE);
		if (!ret && access->writes)
			ret = write_csr(writer, access->csr, data->written,
					STF_REG_DEST);
		return ret;
	}
	if (access->reads) {
		mem.access = STF_ACCESS_READ;
		ret = stf_write_mem(writer, &mem, data->read);
	}
	if (!ret && access->writes) {
		mem.access = STF_ACCESS_WRITE;
		ret = stf_write_mem(writer, &mem, data->written);
	}
	return ret;
}

static void find_value(struct access_found *found, bool written, uint64_t value)
{
	if (found->data.size < 8)
		value &= (UINT64_C(1) << 8 * found->data.size) - 1;
	if (written) {
		found->data.written = value;
		found->writes++;
	} else {
		found->data.read = value;
		found->reads++;
	}
}

void access_find(struct access_found *found, const struct access *access,
		 const struct stf_record *rec)
{
	struct csv_data *data = &found->data;

	if (access->rows != ACCESS_ROW)
		return;
	data->type = access->type;
	data->size = access->size;
	switch (rec->desc) {
	case STF_INST_REG:
		if (!is_csr(access) || rec->reg.type != STF_REG_CSR ||
		    rec->reg.number != access->csr)
			return;
		data->address = access->csr;
		if (rec->reg.operand != STF_REG_STATE)
			find_value(found, rec->reg.operand == STF_REG_DEST,
				   rec->reg.value);
		return;
	case STF_INST_MEM_ACCESS:
		if (rec->mem_access.size != access->size ||
		    (found->reads + found->writes &&
		     data->address != rec->mem_access.address))
			found->misfit = true;
		data->address = rec->mem_access.address;
		found->direction = rec->mem_access.access;
		return;
	case STF_INST_MEM_CONTENT:
		if (!is_csr(access))
			find_value(found, found->direction == STF_ACCESS_WRITE,
				   rec->content);
		return;
	}
}

bool access_is_whole(const struct access_found *found,
		     const struct access *access)
{
	return !found->misfit && found->reads == access->reads &&
	       found->writes == access->writes;
}
