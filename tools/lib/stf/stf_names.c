// SPDX-License-Identifier: BSD-2-Clause
/* Numbers as words. */
#include "stf/stf.h"

#include <inttypes.h>
#include <stdio.h>

#include "stf/stf_layout.h"

#define N_ELEMENTS(_array) (sizeof(_array) / sizeof((_array)[0]))

const char *stf_strerror(int err)
{
	switch (err) {
	case STF_E_INVAL:
		return "bad argument";
	case STF_E_NOMEM:
		return "no memory";
	case STF_E_IO:
		return "input or output error";
	case STF_E_NOT_STF:
		return "not an STF trace";
	case STF_E_VERSION:
		return "unsupported STF version";
	case STF_E_CUT:
		return "cut short";
	case STF_E_DESC:
		return "unknown record";
	case STF_E_VALUE:
		return "undefined value";
	case STF_E_CONTAINER:
		return "broken container";
	case STF_E_ORDER:
		return "record out of order";
	}
	return err < 0 ? "unknown error" : "no error";
}

const char *stf_desc_name(unsigned int desc)
{
#define NAME(_name, _fixed, _part) [STF_##_name] = #_name,
	static const char *const names[] = { STF_LAYOUT(NAME) };
#undef NAME

	return desc < N_ELEMENTS(names) ? names[desc] : NULL;
}

const char *stf_feature_name(uint64_t bit)
{
	static const char *const names[] = {
		"PHYSICAL_ADDRESS", "DATA_ATTRIBUTE", "OPERAND_VALUE", "EVENT",
		"SYSTEMCALL_VALUE", "RV64", "INT_DIV_OPERAND_VALUE", "SAMPLING",
		"PTE", "SIMPOINT", "PROCESS_ID", "PTE_ONLY",
		"NEED_POST_PROCESS", "REG_STATE", "MICROOP", "MULTI_THREAD",
		"MULTI_CORE", "PTE_HW_AD", "VEC", "EVENT64", "TRANSACTIONS",
	};
	unsigned int nr;

	if (!bit || bit & (bit - 1))
		return NULL;
	nr = (unsigned int)__builtin_ctzll(bit);
	return nr < N_ELEMENTS(names) ? names[nr] : NULL;
}

const char *stf_generator_name(unsigned int generator)
{
	static const char *const names[] = {
		[STF_GEN_QEMU] = "QEMU",
		[STF_GEN_ANDROID_EMULATOR] = "ANDROID_EMULATOR",
		[STF_GEN_GEM5] = "GEM5",
		[STF_GEN_PTE_GEN] = "PTE_GEN",
		[STF_GEN_IMPERAS] = "IMPERAS",
		[STF_GEN_SPIKE] = "SPIKE",
		[STF_GEN_STF_EXTRACT] = "STF_EXTRACT",
		[STF_GEN_STF_MERGE] = "STF_MERGE",
		[STF_GEN_STF_FILTER_EVT] = "STF_FILTER_EVT",
		[STF_GEN_ATHENA] = "ATHENA",
		[STF_GEN_STF_MORPH] = "STF_MORPH",
		[STF_GEN_DROMAJO] = "DROMAJO",
		[STF_GEN_PEGASUS] = "PEGASUS",
		[STF_GEN_STF_TRANSACTION_EXTRACT] = "STF_TRANSACTION_EXTRACT",
	};

	return generator < N_ELEMENTS(names) ? names[generator] : NULL;
}

const char *stf_initiator_name(unsigned int initiator)
{
	static const char *const names[] = {
		"INVALID", "CORE", "GPU", "DMA", "PCIE", "SRIO", "ICN", "ACCEL",
	};

	return initiator < N_ELEMENTS(names) ? names[initiator] : NULL;
}

const char *stf_mode_name(unsigned int mode)
{
	static const char *const names[] = { "U", "S", "H", "M" };

	return mode < N_ELEMENTS(names) ? names[mode] : NULL;
}

static const char *fault_name(uint64_t nr)
{
	static const char *const names[] = {
		[STF_FAULT_INST_ADDR_MISALIGN] = "INST_ADDR_MISALIGN",
		[STF_FAULT_INST_ADDR_FAULT] = "INST_ADDR_FAULT",
		[STF_FAULT_ILLEGAL_INST] = "ILLEGAL_INST",
		[STF_FAULT_BREAKPOINT] = "BREAKPOINT",
		[STF_FAULT_LOAD_ADDR_MISALIGN] = "LOAD_ADDR_MISALIGN",
		[STF_FAULT_LOAD_ACCESS_FAULT] = "LOAD_ACCESS_FAULT",
		[STF_FAULT_STORE_ADDR_MISALIGN] = "STORE_ADDR_MISALIGN",
		[STF_FAULT_STORE_ACCESS_FAULT] = "STORE_ACCESS_FAULT",
		[STF_FAULT_USER_ECALL] = "USER_ECALL",
		[STF_FAULT_SUPERVISOR_ECALL] = "SUPERVISOR_ECALL",
		[STF_FAULT_HYPERVISOR_ECALL] = "HYPERVISOR_ECALL",
		[STF_FAULT_MACHINE_ECALL] = "MACHINE_ECALL",
		[STF_FAULT_INST_PAGE_FAULT] = "INST_PAGE_FAULT",
		[STF_FAULT_LOAD_PAGE_FAULT] = "LOAD_PAGE_FAULT",
		[STF_FAULT_STORE_PAGE_FAULT] = "STORE_PAGE_FAULT",
		[STF_FAULT_DOUBLE_TRAP] = "DOUBLE_TRAP",
		[STF_FAULT_SOFTWARE_CHECK] = "SOFTWARE_CHECK",
		[STF_FAULT_HARDWARE_ERROR] = "HARDWARE_ERROR",
		[STF_FAULT_GUEST_INST_PAGE_FAULT] = "GUEST_INST_PAGE_FAULT",
		[STF_FAULT_GUEST_LOAD_PAGE_FAULT] = "GUEST_LOAD_PAGE_FAULT",
		[STF_FAULT_VIRTUAL_INST] = "VIRTUAL_INST",
		[STF_FAULT_GUEST_STORE_PAGE_FAULT] = "GUEST_STORE_PAGE_FAULT",
	};

	return nr < N_ELEMENTS(names) ? names[nr] : NULL;
}

static const char *int_name(uint64_t nr)
{
	static const char *const names[] = {
		[STF_INT_USER_SOFTWARE] = "USER_SOFTWARE",
		[STF_INT_SUPERVISOR_SOFTWARE] = "SUPERVISOR_SOFTWARE",
		[STF_INT_HYPERVISOR_SOFTWARE] = "HYPERVISOR_SOFTWARE",
		[STF_INT_MACHINE_SOFTWARE] = "MACHINE_SOFTWARE",
		[STF_INT_USER_TIMER] = "USER_TIMER",
		[STF_INT_SUPERVISOR_TIMER] = "SUPERVISOR_TIMER",
		[STF_INT_HYPERVISOR_TIMER] = "HYPERVISOR_TIMER",
		[STF_INT_MACHINE_TIMER] = "MACHINE_TIMER",
		[STF_INT_USER_EXT] = "USER_EXT",
		[STF_INT_SUPERVISOR_EXT] = "SUPERVISOR_EXT",
		[STF_INT_HYPERVISOR_EXT] = "HYPERVISOR_EXT",
		[STF_INT_MACHINE_EXT] = "MACHINE_EXT",
		[STF_INT_COPROCESSOR] = "COPROCESSOR",
		[STF_INT_COUNTER_OVERFLOW] = "COUNTER_OVERFLOW",
	};

	return nr < N_ELEMENTS(names) ? names[nr] : NULL;
}

char *stf_event_name(uint64_t id, char *buf)
{
	uint64_t nr = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	const char *prefix = "", *name, *unnamed = "FAULT_0x%" PRIx64;

	if (id == STF_EVENT_MODE_CHANGE) {
		name = "MODE_CHANGE";
	} else if (id & STF_EVENT_SPECIAL) {
		name = NULL;
		unnamed = "SPECIAL_0x%" PRIx64;
		nr = id & ~STF_EVENT_SPECIAL;
	} else if (id & STF_EVENT_INTERRUPT) {
		prefix = "INT_";
		name = int_name(nr);
		unnamed = "INT_0x%" PRIx64;
		if (nr >= STF_INT_PLATFORM_0) {
			unnamed = "INT_PLATFORM_%" PRIu64;
			nr -= STF_INT_PLATFORM_0;
		}
	} else {
		name = fault_name(nr);
	}
	if (name)
		snprintf(buf, STF_EVENT_NAME_MAX, "%s%s", prefix, name);
	else
		snprintf(buf, STF_EVENT_NAME_MAX, unnamed, nr);
	return buf;
}
