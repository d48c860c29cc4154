/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of each record. The codec, the sizes, the names and the printed fields are
 * all made from this one table.
 *
 *	R(NAME, FIXED, PART)
 *
 * FIXED has the fields after the descriptor, packed and little-endian:
 *	U8(m), U16(m), U32(m), U64(m)	a number, in member m of the record
 *	L16(m), L32(m)			the length in bytes of the text m, which
 *					follows them
 *
 * PART has what follows them, or what must also be done. Each part has its own code in
 * stf_codec_parts.c:
 *	NONE()
 *	TEXT(m)			the bytes of a struct stf_text
 *	MAGIC()			"STF"
 *	VLEN()			checks the number
 *	INITIATOR()		converts between the two numberings
 *	REG()			u8 operand << 4 | type, then one u64, or for a
 *				vector VLEN bits in whole u64
 *	PTES()			n_ptes times u64 address, u64 value
 *	EVENT()			id (u64 or, without EVENT64, u32), u8 n, n times
 *				u64
 *	TRANSACTION()		n_meta times {u8 type, value}, then by protocol
 *
 * To use the table, define these macros, expand STF_LAYOUT(R), and include
 * stf_layout_end.h, which undefines them.
 */
#ifndef STF_STF_LAYOUT_H
#define STF_STF_LAYOUT_H

#define STF_LAYOUT(R)                                                          \
	R(IDENTIFIER, , MAGIC())                                               \
	R(VERSION, U32(version.major) U32(version.minor), NONE())              \
	R(COMMENT, L32(text), TEXT(text))                                      \
	R(ISA, U16(isa), NONE())                                               \
	R(INST_IEM, U16(iem), NONE())                                          \
	R(TRACE_INFO, U8(trace_info.generator) U8(trace_info.major)            \
		      U8(trace_info.minor) U8(trace_info.patch)                \
		      L16(trace_info.text), TEXT(trace_info.text))             \
	R(TRACE_INFO_FEATURE, U64(features), NONE())                           \
	R(PROCESS_ID_EXT, U32(process.hart) U32(process.pid) U32(process.tid), \
	  NONE())                                                              \
	R(FORCE_PC, U64(pc), NONE())                                           \
	R(VLEN_CONFIG, U32(vlen), VLEN())                                      \
	R(PROTOCOL_ID, U8(protocol), NONE())                                   \
	R(CLOCK_ID, U8(clock.id) L16(clock.name), TEXT(clock.name))            \
	R(ISA_EXTENDED, L32(text), TEXT(text))                                 \
	R(END_HEADER, , NONE())                                                \
	R(INST_PC_TARGET, U64(pc), NONE())                                     \
	R(INST_REG, U16(reg.number), REG())                                    \
	R(INST_READY_REG, U16(ready_reg), NONE())                              \
	R(PAGE_TABLE_WALK, U64(page_walk.va) U64(page_walk.first_index)        \
			   U32(page_walk.page_size) U8(page_walk.n_ptes),      \
	  PTES())                                                              \
	R(INST_MEM_ACCESS, U64(mem_access.address) U16(mem_access.size)        \
			   U16(mem_access.attributes) U8(mem_access.access),   \
	  NONE())                                                              \
	R(INST_MEM_CONTENT, U64(content), NONE())                              \
	R(BUS_MASTER_ACCESS, U64(bus_access.address) U16(bus_access.size)      \
			     U8(bus_access.initiator) U8(bus_access.index)     \
			     U32(bus_access.attributes) U8(bus_access.access), \
	  INITIATOR())                                                         \
	R(BUS_MASTER_CONTENT, U64(content), NONE())                            \
	R(EVENT, , EVENT())                                                    \
	R(EVENT_PC_TARGET, U64(pc), NONE())                                    \
	R(INST_MICROOP, U8(microop.size) U32(microop.opcode), NONE())          \
	R(INST_32, U32(opcode), NONE())                                        \
	R(INST_16, U16(opcode), NONE())                                        \
	R(TRANSACTION, U64(transaction.id) U64(transaction.cycle_delta)        \
		       U8(transaction.clock) U16(transaction.n_meta),          \
	  TRANSACTION())                                                       \
	R(TRANSACTION_DEPENDENCY, U64(dependency.id)                           \
				  U64(dependency.cycle_delta)                  \
				  U8(dependency.clock), NONE())

#endif
