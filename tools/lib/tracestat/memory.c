// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/memory.h"

void tstat_memory_inst(struct tstat_memory *memory, const struct stf_inst *inst,
		       enum rv_class class)
{
	if (class != RV_CLASS_LOAD && class != RV_CLASS_STORE &&
	    class != RV_CLASS_ATOMIC)
		return;
	memory->instructions++;
	memory->without_access += !(inst->flags & STF_INST_F_MEM);
}

bool tstat_memory_access(struct tstat_memory *memory, uint32_t pid,
			 const struct stf_mem_access *access, unsigned int bytes)
{
	struct tstat_accesses *n = access->access == STF_ACCESS_WRITE ?
					   &memory->writes : &memory->reads;

	n->count++;
	n->bytes += bytes;
	if (bytes <= TSTAT_MAX_ACCESS)
		n->sizes[bytes]++;
	else
		n->longer++;
	return tstat_footprint_use(&memory->data, pid, access->address, bytes);
}

void tstat_memory_free(struct tstat_memory *memory)
{
	tstat_footprint_free(&memory->data);
}
