// SPDX-License-Identifier: BSD-2-Clause
/* Numbers as words. */
#include "stf/stf.h"

#include <inttypes.h>
#include <stdio.h>

#include "stf/stf_layout.h"
#include "stf/stf_rules.h"

#define N_ELEMENTS(_array) (sizeof(_array) / sizeof((_array)[0]))

const char *stf_strerror(int err)
{
	static const char *const words[] = {
		[0] = "no error",
		[-STF_E_INVAL] = "bad argument",
		[-STF_E_NOMEM] = "no memory",
		[-STF_E_IO] = "input or output error",
		[-STF_E_NOT_STF] = "not an STF trace",
		[-STF_E_VERSION] = "unsupported STF version",
		[-STF_E_CUT] = "cut short",
		[-STF_E_DESC] = "unknown record",
		[-STF_E_VALUE] = "undefined value",
		[-STF_E_CONTAINER] = "broken container",
		[-STF_E_ORDER] = "record out of order",
	};
	unsigned int nr = err < 0 ? 0 - (unsigned int)err : 0;

	return nr < N_ELEMENTS(words) ? words[nr] : "unknown error";
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
		[STF_GEN_STF_TRANSACTION_EXAMPLE] = "STF_TRANSACTION_EXAMPLE",
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
#define NAME(_name, _fields) [STF_FAULT_##_name] = #_name,
	static const char *const names[] = { STF_FAULTS(NAME) };
#undef NAME

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
