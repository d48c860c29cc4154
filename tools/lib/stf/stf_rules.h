/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of the checker: RULE(NAME, text). A rule is a requirement of the
 * specification ("shall", "must", "not allowed", reserved values) that the trace alone
 * can prove or disprove. The text says what is wrong.
 */
#ifndef STF_STF_RULES_H
#define STF_STF_RULES_H

#define STF_RULES(RULE)                                                        \
	/* The header group. */                                                \
	RULE(NO_COMMENT, "the header has no COMMENT")                          \
	RULE(NO_ISA, "the header has no ISA")                                  \
	RULE(NO_IEM, "the header has no INST_IEM")                             \
	RULE(NO_TRACE_INFO, "the header has no TRACE_INFO")                    \
	RULE(NO_FEATURES, "the header has no TRACE_INFO_FEATURE")              \
	RULE(NO_PROCESS, "no PROCESS_ID_EXT before the first instruction")     \
	RULE(NO_FORCE_PC, "no FORCE_PC before the first instruction")          \
	RULE(NO_END_HEADER, "the header is not ended by END_HEADER")           \
	RULE(NO_MODE, "no MODE_CHANGE says the privilege mode of the start")   \
	RULE(IEM_BEFORE_ISA, "INST_IEM stands before ISA")                     \
	RULE(HEADER_TWICE, "a header record that may occur only once is repeated") \
	RULE(HEADER_LATE, "a header record behind END_HEADER")                 \
	RULE(HEADER_FOREIGN, "a record in the header that does not belong there") \
	RULE(COMMENT_NUL, "a COMMENT ends in NUL")                             \
	RULE(ISA_VALUE, "a reserved value of ISA")                             \
	RULE(IEM_VALUE, "a reserved value of INST_IEM")                        \
	RULE(GENERATOR_VALUE, "a reserved or unknown generator")               \
	RULE(FEATURE_VALUE, "feature bits that are not defined")               \
	RULE(FEATURE_RV64, "the RV64 feature and INST_IEM disagree")           \
	RULE(FEATURE_CLEAR, "a kind of record whose feature bit is clear")     \
	RULE(FEATURE_PTE, "the PTE feature, but memory and no PAGE_TABLE_WALK")\
	RULE(NO_VLEN, "vector instructions without a VLEN_CONFIG")             \
	/* Groups of records. */                                               \
	RULE(GROUP_ORDER, "descriptors of a group decrease")                   \
	RULE(GROUP_OPEN, "the last group has no opcode")                       \
	RULE(KIND_MIXED, "instructions and transactions in one trace")         \
	RULE(MEM_NO_CONTENT, "INST_MEM_ACCESS without an INST_MEM_CONTENT")    \
	RULE(MEM_NO_ACCESS, "INST_MEM_CONTENT without an INST_MEM_ACCESS")     \
	RULE(MEM_CONTENTS, "not one INST_MEM_CONTENT for each 8 bytes")        \
	RULE(MEM_TYPE, "a reserved type of INST_MEM_ACCESS")                   \
	RULE(MEM_MISSING, "a load or store without INST_MEM_ACCESS")           \
	RULE(MEM_FOREIGN, "INST_MEM_ACCESS at an instruction without memory")  \
	RULE(MEM_DIRECTION, "a load that writes or a store that reads")        \
	RULE(BUS_NO_CONTENT, "BUS_MASTER_ACCESS without its content")          \
	RULE(BUS_NO_ACCESS, "BUS_MASTER_CONTENT without its access")           \
	RULE(BUS_CONTENTS, "not one BUS_MASTER_CONTENT for each 8 bytes")      \
	RULE(BUS_TYPE, "a reserved type of BUS_MASTER_ACCESS")                 \
	RULE(BUS_INITIATOR, "an undefined initiator of BUS_MASTER_ACCESS")     \
	RULE(REG_TYPE, "a reserved register type")                             \
	RULE(REG_OPERAND, "a reserved register operand type")                  \
	RULE(REG_NUMBER, "a register number that its type does not have")      \
	RULE(EVENT_ID, "an event id that is not defined")                      \
	RULE(EVENT_FIELDS, "an event without the fields that it must have")    \
	RULE(EVENT_TARGET_ALONE, "EVENT_PC_TARGET without an EVENT")           \
	RULE(MODE_VALUE, "a MODE_CHANGE without one of the four modes")        \
	/* Instructions; RISC-V only. */                                       \
	RULE(INST_WIDTH, "INST_16 and INST_32 disagree with the opcode")       \
	RULE(JUMP_NO_TARGET, "a jump without INST_PC_TARGET")                  \
	RULE(TARGET_FOREIGN, "INST_PC_TARGET at an instruction that is neither branch nor jump") \
	RULE(TARGET_WRONG, "INST_PC_TARGET is not where the branch leads")     \
	/* Transactions. */                                                    \
	RULE(CLOCK_VALUE, "clock 0 is reserved")                               \
	RULE(CLOCK_FOREIGN, "CLOCK_ID in a trace of instructions")             \
	RULE(FEATURE_TRANSACTIONS, "the TRANSACTIONS feature and PROTOCOL_ID disagree") \
	/* What tools of the reference library crash on. */                    \
	RULE(EVENT_NO_TARGET, "an EVENT without EVENT_PC_TARGET, on which stf_extract crashes") \
	RULE(TARGET_SKIPPED, "a taken branch whose target does not follow, on which stf_branch_dump aborts") \
	RULE(FSDSP_POPRET, "no fault: c.fsdsp without its access, which stf_branch_dump takes for cm.popret") \
	/* The container. */                                                   \
	RULE(INDEX_PC, "the index of the .zstf has another PC than the chunk begins with")

/* The exceptions: FAULT(NAME, minimum number of fields in its EVENT). */
#define STF_FAULTS(FAULT)                                                      \
	FAULT(INST_ADDR_MISALIGN, 1)                                           \
	FAULT(INST_ADDR_FAULT, 1)                                              \
	FAULT(ILLEGAL_INST, 3)                                                 \
	FAULT(BREAKPOINT, 1)                                                   \
	FAULT(LOAD_ADDR_MISALIGN, 3)                                           \
	FAULT(LOAD_ACCESS_FAULT, 3)                                            \
	FAULT(STORE_ADDR_MISALIGN, 3)                                          \
	FAULT(STORE_ACCESS_FAULT, 3)                                           \
	FAULT(USER_ECALL, 1)                                                   \
	FAULT(SUPERVISOR_ECALL, 1)                                             \
	FAULT(HYPERVISOR_ECALL, 1)                                             \
	FAULT(MACHINE_ECALL, 1)                                                \
	FAULT(INST_PAGE_FAULT, 2)                                              \
	FAULT(LOAD_PAGE_FAULT, 3)                                              \
	FAULT(STORE_PAGE_FAULT, 3)                                             \
	FAULT(DOUBLE_TRAP, 0)                                                  \
	FAULT(SOFTWARE_CHECK, 0)                                               \
	FAULT(HARDWARE_ERROR, 0)                                               \
	FAULT(GUEST_INST_PAGE_FAULT, 2)                                        \
	FAULT(GUEST_LOAD_PAGE_FAULT, 3)                                        \
	FAULT(VIRTUAL_INST, 3)                                                 \
	FAULT(GUEST_STORE_PAGE_FAULT, 3)

#endif
