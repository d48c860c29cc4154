// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_values.h"

#include "stf/stf_rules.h"

bool stf_features_defined(uint64_t features)
{
	/* The lowest bit is the next one. */
	for (; features; features &= features - 1)
		if (!stf_feature_name(features & -features))
			return false;
	return true;
}

int stf_event_fields(uint64_t id)
{
#define FIELDS(_name, _fields) [STF_FAULT_##_name] = 1 + (_fields),
	static const int8_t faults[] = { STF_FAULTS(FIELDS) };
#undef FIELDS

	if (id & STF_EVENT_INTERRUPT) {
		id &= ~STF_EVENT_INTERRUPT;
		return id <= STF_INT_COUNTER_OVERFLOW ||
		       (id >= STF_INT_PLATFORM_0 && id < 4096) ? 1 : -1;
	}
	return id < sizeof(faults) ? faults[id] - 1 : -1;
}
