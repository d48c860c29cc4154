/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values that the format defines. The checker looks for others, and so do the
 * writer's functions that make a record from their arguments. stf_write() does not,
 * because it also copies what a reader has read.
 */
#ifndef STF_STF_VALUES_H
#define STF_STF_VALUES_H

#include "stf/stf.h"

static inline bool stf_isa_defined(uint16_t isa)
{
	return isa && isa <= STF_ISA_POWER;
}

static inline bool stf_iem_defined(uint16_t iem)
{
	return iem == STF_IEM_RV32 || iem == STF_IEM_RV64;
}

/* The direction of an access. */
static inline bool stf_access_defined(uint8_t access)
{
	return access == STF_ACCESS_READ || access == STF_ACCESS_WRITE;
}

static inline bool stf_initiator_defined(uint8_t initiator)
{
	return initiator != STF_INITIATOR_INVALID && stf_initiator_name(initiator);
}

/* Of a clock: CLOCK_ID and transactions. */
static inline bool stf_clock_defined(uint8_t clock)
{
	return clock;
}

/* The size in bytes of a RISC-V instruction. */
static inline bool stf_width_defined(uint32_t opcode, unsigned int size)
{
	return (size == 4) == ((opcode & 3) == 3);
}

bool stf_features_defined(uint64_t features);

/*
 * Returns how many fields the specification's table of RISC-V's events demands. Returns -1
 * if it has no event with this id. STF_EVENT_MODE_CHANGE is not in the table.
 */
int stf_event_fields(uint64_t id);

#endif
