/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libstf: read, write and check traces in the Simple Trace Format (STF).
 *
 * A trace is a sequence of records. The first records are its header. The records
 * after the header form groups, one for each instruction. The last record of a group
 * is the opcode of the instruction.
 *
 * The library has three layers. Each of them can be used alone:
 *	records		struct stf_record. stf_reader_next() reads it and
 *			stf_write() writes it.
 *	instructions	struct stf_inst. stf_inst_iter_next() reads the opcode, the
 *			PC, the next PC, the mode and the process of an instruction,
 *			and stf_inst_iter_record() the records of its group.
 *	containers	plain .stf, chunked .zstf, gzip and xz. The name of the file
 *			selects the container that is written. The reader recognizes
 *			the container from its content.
 *
 * The layout on disk is the layout of the reference library, version 1.6. Existing
 * traces have this layout. Where the written specification differs, an option selects
 * it. libstf(3) lists the differences.
 *
 * Functions that can fail return 0 or more on success, and a negative enum stf_err on
 * failure. A text then names the file, the place in it (a byte offset) and what is
 * wrong. The library has no global state. Any thread can use an object, but only one
 * thread at a time.
 *
 * Beginning with version 0.1, a program that was built with an older header works with
 * a newer library that has the same soname:
 *
 * - A structure whose first member is `size` can get new members at its end. The
 *   program sets size to the sizeof of the structure that it was built with. The
 *   library uses 0 for the members that the program's structure does not have, and
 *   writes nothing after the structure. If the structure is longer than the one that
 *   the library knows, the library accepts it if the rest is 0. Otherwise the call
 *   fails with STF_E_INVAL and says that the library is older than the program.
 * - struct stf_inst can get new members at its end. The program passes the size of its
 *   own structure once, to stf_inst_iter_new(). If each instruction had a size, reading
 *   would take longer.
 * - struct stf_record keeps its size. Therefore, an array of records needs no size
 *   either. A new kind of record becomes a new member of its union. If a kind needs
 *   more room than the union has, the record points to the rest, as it does for page
 *   table entries today. The members of an existing kind do not change.
 * - struct stf_params and struct stf_group belong to the library and can get new members
 *   at their ends.
 * - All other structures keep their members. Numbers keep their meaning. Enumerations
 *   can get new numbers, so a program must expect numbers that it does not know.
 */
#ifndef STF_STF_H
#define STF_STF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library exports only what this header declares. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The version of STF that the writer writes into the header. */
#define STF_VERSION_MAJOR 1
#define STF_VERSION_MINOR 6

enum stf_err {
	STF_E_INVAL = -1, /* a bad argument, or a call at the wrong time */
	STF_E_NOMEM = -2, /* not enough memory */
	STF_E_IO = -3, /* the text contains the error of the system */
	STF_E_NOT_STF = -4, /* neither an STF trace nor a container of one */
	STF_E_VERSION = -5, /* a version before 1.2, or 2.0 and later */
	STF_E_CUT = -6, /* the trace ends inside a record or a group */
	STF_E_DESC = -7, /* a record has an unknown descriptor */
	/* a field has a value that the format does not define */
	STF_E_VALUE = -8,
	STF_E_CONTAINER = -9, /* the container is broken */
	STF_E_ORDER = -10, /* the record must not stand at this place */
};

/*
 * Returns the meaning of an error code: "bad argument", "no memory", ... Returns
 * "unknown error" for other negative numbers, and never NULL. The text is static.
 */
const char *stf_strerror(int err);

/*
 * The error of a function that opens or closes a trace, because there is no reader or
 * writer to ask then. If a path is very long, its end is missing from the text.
 */
struct stf_error {
	int code; /* enum stf_err, or 0 on success */
	char text[320];
};

/* ---------------------------------------------------------------- records */

/* The descriptor is the first byte of a record. It tells the kind of the record. */
enum stf_desc {
	STF_IDENTIFIER = 1,
	STF_VERSION = 2,
	STF_COMMENT = 3,
	STF_ISA = 4,
	STF_INST_IEM = 5,
	STF_TRACE_INFO = 6,
	STF_TRACE_INFO_FEATURE = 7,
	STF_PROCESS_ID_EXT = 8,
	STF_FORCE_PC = 9,
	STF_VLEN_CONFIG = 10,
	STF_PROTOCOL_ID = 11,
	STF_CLOCK_ID = 12,
	STF_ISA_EXTENDED = 13,
	STF_END_HEADER = 19,
	STF_INST_PC_TARGET = 31,
	STF_INST_REG = 40,
	STF_INST_READY_REG = 41,
	STF_PAGE_TABLE_WALK = 50,
	STF_INST_MEM_ACCESS = 60,
	STF_INST_MEM_CONTENT = 61,
	STF_BUS_MASTER_ACCESS = 62,
	STF_BUS_MASTER_CONTENT = 63,
	STF_EVENT = 100,
	STF_EVENT_PC_TARGET = 101,
	STF_INST_MICROOP = 230,
	STF_INST_32 = 240,
	STF_INST_16 = 241,
	STF_TRANSACTION = 250,
	STF_TRANSACTION_DEPENDENCY = 251,
};

enum stf_isa {
	STF_ISA_RISCV = 1,
	STF_ISA_ARM = 2,
	STF_ISA_X86 = 3,
	STF_ISA_POWER = 4,
};

/* The instruction encoding mode (INST_IEM). */
enum stf_iem {
	STF_IEM_RV32 = 1,
	STF_IEM_RV64 = 2,
};

/* The program that made or changed the trace (TRACE_INFO). */
enum stf_generator {
	STF_GEN_QEMU = 1,
	STF_GEN_ANDROID_EMULATOR = 2,
	STF_GEN_GEM5 = 3,
	STF_GEN_PTE_GEN = 4,
	STF_GEN_IMPERAS = 5,
	STF_GEN_SPIKE = 6,
	STF_GEN_STF_EXTRACT = 7,
	STF_GEN_STF_MERGE = 8,
	STF_GEN_STF_FILTER_EVT = 9,
	STF_GEN_ATHENA = 10,
	STF_GEN_STF_MORPH = 11,
	STF_GEN_DROMAJO = 12,
	STF_GEN_PEGASUS = 13,
	STF_GEN_STF_TRANSACTION_EXTRACT = 14,
	/* The first of the numbers for examples. Pegasus used this number, too. */
	STF_GEN_STF_TRANSACTION_EXAMPLE = 0x40,
};

/* The bits of TRACE_INFO_FEATURE. */
#define STF_FEATURE_PHYSICAL_ADDRESS UINT64_C(0x1)
#define STF_FEATURE_DATA_ATTRIBUTE UINT64_C(0x2)
#define STF_FEATURE_OPERAND_VALUE UINT64_C(0x4)
#define STF_FEATURE_EVENT UINT64_C(0x8)
#define STF_FEATURE_SYSTEMCALL_VALUE UINT64_C(0x10)
#define STF_FEATURE_RV64 UINT64_C(0x20)
#define STF_FEATURE_INT_DIV_OPERAND_VALUE UINT64_C(0x40)
#define STF_FEATURE_SAMPLING UINT64_C(0x80)
#define STF_FEATURE_PTE UINT64_C(0x100)
#define STF_FEATURE_SIMPOINT UINT64_C(0x200)
#define STF_FEATURE_PROCESS_ID UINT64_C(0x400)
#define STF_FEATURE_PTE_ONLY UINT64_C(0x800)
#define STF_FEATURE_NEED_POST_PROCESS UINT64_C(0x1000)
#define STF_FEATURE_REG_STATE UINT64_C(0x2000)
#define STF_FEATURE_MICROOP UINT64_C(0x4000)
#define STF_FEATURE_MULTI_THREAD UINT64_C(0x8000)
#define STF_FEATURE_MULTI_CORE UINT64_C(0x10000)
#define STF_FEATURE_PTE_HW_AD UINT64_C(0x20000)
#define STF_FEATURE_VEC UINT64_C(0x40000)
#define STF_FEATURE_EVENT64 UINT64_C(0x80000) /* the ids of EVENT have 64 bits */
#define STF_FEATURE_TRANSACTIONS UINT64_C(0x100000)

/*
 * The two type bits of an EVENT id. libstf always uses the 64-bit form of the id. In a
 * trace without STF_FEATURE_EVENT64, the type bits on disk are bits 31 and 30, and the
 * number of the event has 30 bits.
 */
#define STF_EVENT_INTERRUPT (UINT64_C(1) << 63)
#define STF_EVENT_SPECIAL (UINT64_C(1) << 62)

/* This event has one metadata field, an enum stf_mode. */
#define STF_EVENT_MODE_CHANGE STF_EVENT_SPECIAL

/* The exceptions of RISC-V. Such a number is the id of an EVENT. */
enum stf_fault {
	STF_FAULT_INST_ADDR_MISALIGN = 0,
	STF_FAULT_INST_ADDR_FAULT = 1,
	STF_FAULT_ILLEGAL_INST = 2,
	STF_FAULT_BREAKPOINT = 3,
	STF_FAULT_LOAD_ADDR_MISALIGN = 4,
	STF_FAULT_LOAD_ACCESS_FAULT = 5,
	STF_FAULT_STORE_ADDR_MISALIGN = 6,
	STF_FAULT_STORE_ACCESS_FAULT = 7,
	STF_FAULT_USER_ECALL = 8,
	STF_FAULT_SUPERVISOR_ECALL = 9,
	STF_FAULT_HYPERVISOR_ECALL = 10,
	STF_FAULT_MACHINE_ECALL = 11,
	STF_FAULT_INST_PAGE_FAULT = 12,
	STF_FAULT_LOAD_PAGE_FAULT = 13,
	STF_FAULT_STORE_PAGE_FAULT = 15,
	STF_FAULT_DOUBLE_TRAP = 16,
	STF_FAULT_SOFTWARE_CHECK = 18,
	STF_FAULT_HARDWARE_ERROR = 19,
	STF_FAULT_GUEST_INST_PAGE_FAULT = 20,
	STF_FAULT_GUEST_LOAD_PAGE_FAULT = 21,
	STF_FAULT_VIRTUAL_INST = 22,
	STF_FAULT_GUEST_STORE_PAGE_FAULT = 23,
};

/* The numbers of interrupts. OR them with STF_EVENT_INTERRUPT to get an event id. */
enum stf_int {
	STF_INT_USER_SOFTWARE = 0,
	STF_INT_SUPERVISOR_SOFTWARE = 1,
	STF_INT_HYPERVISOR_SOFTWARE = 2,
	STF_INT_MACHINE_SOFTWARE = 3,
	STF_INT_USER_TIMER = 4,
	STF_INT_SUPERVISOR_TIMER = 5,
	STF_INT_HYPERVISOR_TIMER = 6,
	STF_INT_MACHINE_TIMER = 7,
	STF_INT_USER_EXT = 8,
	STF_INT_SUPERVISOR_EXT = 9,
	STF_INT_HYPERVISOR_EXT = 10,
	STF_INT_MACHINE_EXT = 11,
	STF_INT_COPROCESSOR = 12,
	STF_INT_COUNTER_OVERFLOW = 13,
	STF_INT_PLATFORM_0 = 16, /* PLATFORM_n is 16 + n */
};

enum stf_mode {
	STF_MODE_USER = 0,
	STF_MODE_SUPERVISOR = 1,
	STF_MODE_HYPERVISOR = 2,
	STF_MODE_MACHINE = 3,
	STF_MODE_UNKNOWN = 4, /* there was no MODE_CHANGE yet; never on disk */
};

enum stf_reg_type {
	STF_REG_INT = 1,
	STF_REG_FP = 2,
	STF_REG_VEC = 3,
	STF_REG_CSR = 4,
};

enum stf_reg_operand {
	STF_REG_STATE = 1,
	STF_REG_SOURCE = 2,
	STF_REG_DEST = 3,
};

/* The number that the PC has among the integer registers. */
#define STF_REG_PC 0x20

enum stf_access {
	STF_ACCESS_READ = 1,
	STF_ACCESS_WRITE = 2,
};

/*
 * The initiators of bus accesses, with the numbers of the reference library. In the
 * written specification, CORE is 0, and only the specification has ACCEL. The option
 * spec_initiators of the reader and the writer selects the specification.
 */
enum stf_initiator {
	STF_INITIATOR_INVALID = 0,
	STF_INITIATOR_CORE = 1,
	STF_INITIATOR_GPU = 2,
	STF_INITIATOR_DMA = 3,
	STF_INITIATOR_PCIE = 4,
	STF_INITIATOR_SRIO = 5,
	STF_INITIATOR_ICN = 6,
	STF_INITIATOR_ACCEL = 7, /* only with spec_initiators */
};

enum stf_protocol {
	STF_PROTOCOL_NONE = 0,
	STF_PROTOCOL_TILELINK = 1,
};

enum stf_tl_channel {
	STF_TL_A = 1,
	STF_TL_B = 2,
	STF_TL_C = 3,
	STF_TL_D = 4,
	STF_TL_E = 5,
};

/* VLEN in bits. The vector specification allows at most 65536 bits. */
#define STF_VLEN_MIN 64
#define STF_VLEN_MAX 65536

/* A text that is not terminated by NUL. */
struct stf_text {
	const char *data;
	uint32_t size; /* bytes; at most 65535 in CLOCK_ID and TRACE_INFO */
};

struct stf_version {
	uint32_t major;
	uint32_t minor;
};

struct stf_trace_info {
	uint8_t generator; /* enum stf_generator */
	uint8_t major;
	uint8_t minor;
	uint8_t patch;
	struct stf_text text;
};

/*
 * The content of PROCESS_ID_EXT. The specification calls the three words TGID, TID and
 * ASID. All tools read and write them as hart, pid and tid.
 */
struct stf_process {
	uint32_t hart;
	uint32_t pid;
	uint32_t tid;
};

struct stf_clock {
	uint8_t id; /* 0 is reserved */
	struct stf_text name;
};

struct stf_reg {
	uint16_t number; /* 0 to 31, STF_REG_PC, or the address of a CSR */
	uint8_t type; /* enum stf_reg_type */
	uint8_t operand; /* enum stf_reg_operand */
	uint64_t value; /* not used for STF_REG_VEC */
	/* Only for STF_REG_VEC: VLEN bits, rounded up to whole words of 64 bits. */
	uint16_t n_words;
	const uint64_t *vector;
};

struct stf_pte {
	uint64_t address; /* the physical address of the entry */
	uint64_t value; /* the entry */
};

struct stf_page_walk {
	uint64_t va; /* the virtual address */
	/* the index of the first instruction that used the page */
	uint64_t first_index;
	uint32_t page_size; /* bytes */
	uint8_t n_ptes;
	const struct stf_pte *ptes; /* the last one is the leaf */
};

struct stf_mem_access {
	uint64_t address;
	uint16_t size; /* bytes; see also mem_bits in struct stf_params */
	uint16_t attributes;
	uint8_t access; /* enum stf_access */
};

struct stf_bus_access {
	uint64_t address;
	uint16_t size; /* bytes */
	uint8_t initiator; /* enum stf_initiator */
	uint8_t index; /* the number among the initiators of this type */
	uint32_t attributes;
	uint8_t access; /* enum stf_access */
};

struct stf_event {
	uint64_t id; /* always in the 64-bit form: see STF_EVENT_INTERRUPT */
	uint8_t n_fields;
	const uint64_t *fields; /* the metadata */
};

struct stf_microop {
	uint8_t size; /* bytes */
	uint32_t opcode;
};

struct stf_tilelink {
	/* enum stf_tl_channel. Each other field is used in the channels that it names. */
	uint8_t channel;
	uint8_t code; /* A to D */
	uint8_t param; /* A to D */
	uint8_t size; /* A to D */
	uint64_t source; /* A to D */
	uint64_t address; /* A to C */
	uint64_t sink; /* D, E */
	uint16_t data_size; /* bytes of data; A to D */
	uint16_t mask_bits; /* bits of mask; A, B */
	const uint8_t *data;
	const uint8_t *mask; /* the lowest bit of a byte comes first */
};

struct stf_transaction {
	uint64_t id;
	uint64_t cycle_delta;
	uint8_t clock; /* the id of a CLOCK_ID */
	uint16_t n_meta; /* elements of meta */
	uint32_t meta_size; /* bytes of meta */
	const uint8_t *meta; /* see stf_meta_get() and stf_meta_put() */
	/* if the protocol is STF_PROTOCOL_TILELINK */
	struct stf_tilelink tilelink;
};

struct stf_dependency {
	uint64_t id;
	uint64_t cycle_delta;
	uint8_t clock;
};

/*
 * A record of any kind. desc tells which member of the union is used. The comments
 * beside the members name these kinds. IDENTIFIER and END_HEADER use no member.
 *
 * The data that a record points to belong to the reader, if a reader returned the
 * record. They stay valid until the next call with this reader.
 */
struct stf_record {
	uint8_t desc; /* enum stf_desc */
	union {
		struct stf_version version; /* VERSION */
		struct stf_text text; /* COMMENT, ISA_EXTENDED */
		uint16_t isa; /* ISA */
		uint16_t iem; /* INST_IEM */
		struct stf_trace_info trace_info; /* TRACE_INFO */
		uint64_t features; /* TRACE_INFO_FEATURE */
		struct stf_process process; /* PROCESS_ID_EXT */
		uint64_t pc; /* FORCE_PC, INST_PC_TARGET, EVENT_PC_TARGET */
		uint32_t vlen; /* VLEN_CONFIG; bits */
		uint8_t protocol; /* PROTOCOL_ID */
		struct stf_clock clock; /* CLOCK_ID */
		struct stf_reg reg; /* INST_REG */
		uint16_t ready_reg; /* INST_READY_REG */
		struct stf_page_walk page_walk; /* PAGE_TABLE_WALK */
		struct stf_mem_access mem_access; /* INST_MEM_ACCESS */
		struct stf_bus_access bus_access; /* BUS_MASTER_ACCESS */
		uint64_t content; /* INST_MEM_CONTENT, BUS_MASTER_CONTENT */
		struct stf_event event; /* EVENT */
		struct stf_microop microop; /* INST_MICROOP */
		uint32_t opcode; /* INST_32, INST_16 */
		struct stf_transaction transaction; /* TRANSACTION */
		struct stf_dependency dependency; /* ..._DEPENDENCY */
		uint64_t room[12]; /* for kinds that may be added later */
	};
};

/* One element of a transaction's metadata. type is 0 to 3. The value has 1 << type bytes. */
struct stf_meta {
	uint8_t type;
	uint64_t value;
};

/* stf_meta_put() writes at most this number of bytes. */
#define STF_META_MAX 9

/*
 * Read the element at p into *meta. len is the number of bytes from p to the end of the
 * metadata. Returns the length of the element in bytes, its type included, or STF_E_CUT
 * if the element is longer than len, or STF_E_VALUE if its type is not defined.
 */
int stf_meta_get(const uint8_t *p, size_t len, struct stf_meta *meta);

/*
 * Write the element to p, where STF_META_MAX bytes must be free. Returns the length of
 * the element in bytes, its type included, or STF_E_VALUE if its type is not defined.
 */
int stf_meta_put(uint8_t *p, const struct stf_meta *meta);

/*
 * These functions return names from the specification: "INST_MEM_ACCESS", "EVENT64",
 * "SPIKE", ... They return NULL for an unknown number. stf_feature_name() takes a value
 * in which one bit is set. The texts are static.
 */
const char *stf_desc_name(unsigned int desc);
const char *stf_feature_name(uint64_t bit);
const char *stf_generator_name(unsigned int generator);
const char *stf_initiator_name(unsigned int initiator);
const char *stf_mode_name(unsigned int mode); /* "U", "S", "H", "M" */

/*
 * Write the name of an event to buf: "USER_ECALL", "INT_COUNTER_OVERFLOW",
 * "INT_PLATFORM_3" or "MODE_CHANGE". If the id has no name, write its number
 * ("FAULT_0x30"). buf must have STF_EVENT_NAME_MAX bytes. Returns buf.
 */
#define STF_EVENT_NAME_MAX 40
char *stf_event_name(uint64_t id, char *buf);

/*
 * Read field i of a record, for example to print it. Count i up from 0. Returns the name
 * of the field, or NULL if the record has no field i. If *text is NULL after the call,
 * the field is a number, which is in *value. Otherwise the field is the *value bytes at
 * *text, which belong to the record. If a record has several elements (the metadata of
 * an event, PTEs), their fields come one after the other and have the same names.
 */
const char *stf_record_field(const struct stf_record *rec, unsigned int i,
			     uint64_t *value, const char **text);

/* --------------------------------------------------------------- the reader */

struct stf_reader;

struct stf_reader_opts {
	size_t size; /* sizeof(struct stf_reader_opts) */
	bool spec_initiators; /* in this trace, the initiator CORE is 0 */
	/*
	 * The size of EVENT ids in bits. 0: STF_FEATURE_EVENT64 of the trace tells the
	 * size. Otherwise 32 or 64, for a trace whose features do not tell it. By
	 * specification 1.3, all ids have 32 bits. By the draft of the next version, all
	 * ids have 64 bits.
	 */
	unsigned int event_bits;
	/*
	 * The largest buffer for one chunk, in bytes. For a trace that is not a .zstf,
	 * the largest buffer for one record or group. 0: 1 GiB.
	 */
	uint64_t max_buffer;
	/*
	 * The number of threads that decompress the chunks of a .zstf, at most 64. 0: one
	 * thread for each CPU, at most 8, and none on a machine with one CPU.
	 * STF_NO_THREADS: none. Without threads, the thread of the caller does it.
	 */
	unsigned int threads;
	/*
	 * The name of the trace in messages. NULL: its path. A trace without a path is
	 * named "(descriptor)", "(memory)" and the like.
	 */
	const char *name;
};

/* For the option `threads` of the reader and the writer: use no threads. */
#define STF_NO_THREADS UINT_MAX

/* What the header has told so far. Members that it did not tell are 0. */
struct stf_params {
	struct stf_version version;
	uint16_t isa; /* enum stf_isa */
	uint16_t iem; /* enum stf_iem */
	uint64_t features;
	uint32_t vlen; /* bits */
	uint8_t protocol; /* enum stf_protocol */
	bool header_ended; /* the reader has read END_HEADER */
	/*
	 * Dromajo made the trace. It writes most sizes of INST_MEM_ACCESS in bits, and the
	 * others in bytes. Only the instruction tells the unit of a size.
	 */
	bool mem_bits;
};

enum stf_container {
	/* The end of the name selects it: .zstf, .gz, .xz, or plain for other names. */
	STF_CONTAINER_AUTO = 0,
	STF_CONTAINER_PLAIN,
	STF_CONTAINER_ZSTF,
	/* a plain trace, compressed by gzip; needs libz.so.1 */
	STF_CONTAINER_GZ,
	/* a plain trace, compressed by xz; needs liblzma.so.5 */
	STF_CONTAINER_XZ,
	/* a plain trace, compressed by zstd; can only be read */
	STF_CONTAINER_ZSTD,
};

struct stf_stats {
	size_t size; /* sizeof(struct stf_stats) */
	enum stf_container container;
	/*
	 * The bytes of the trace as it is stored. The reader of a .zstf with an index
	 * tells the size of the whole .zstf, all others what was read or written so far.
	 */
	uint64_t file_bytes;
	uint64_t trace_bytes; /* the uncompressed bytes of all records so far */
	uint64_t chunks; /* chunks in the container; 0 for a plain trace */
	/* opcodes in a chunk, as the container's header tells it */
	uint64_t chunk_markers;
	uint64_t records; /* records so far */
	uint64_t instructions; /* instructions so far */
	/* The writer of a .zstf was killed. The reader reads the complete chunks. */
	bool recovered;
};

/*
 * Open a trace. The path "-" is standard input. The first bytes of the trace tell its
 * container. This function checks the identifier and the version. opts may be NULL.
 * Returns the reader, which the caller frees with stf_reader_close(). On failure,
 * returns NULL and stores the reason in *err, if err is not NULL: STF_E_INVAL,
 * STF_E_NOMEM, STF_E_IO, STF_E_NOT_STF, STF_E_VERSION, STF_E_CUT or STF_E_CONTAINER.
 */
struct stf_reader *stf_reader_open(const char *path,
				   const struct stf_reader_opts *opts,
				   struct stf_error *err);

/*
 * Open a trace from a descriptor, at its current offset. Otherwise like
 * stf_reader_open(). The descriptor belongs to the caller, who can close it at once,
 * because the reader has a copy of it. The reader uses the index of a .zstf if the
 * descriptor is a regular file. Everything else is a stream, in which the reader cannot
 * seek.
 */
struct stf_reader *stf_reader_open_fd(int fd, const struct stf_reader_opts *opts,
				      struct stf_error *err);

/*
 * Open a trace in memory: size bytes at data. Otherwise like stf_reader_open(). The
 * reader does not copy the memory, and records may point into it. The memory belongs to
 * the caller, who must not change it until the reader is closed.
 */
struct stf_reader *stf_reader_open_memory(const void *data, size_t size,
					  const struct stf_reader_opts *opts,
					  struct stf_error *err);

/*
 * Functions of the caller that read a trace. They return the number of bytes that they
 * have read, 1 or more. At the end of the trace, they return 0. On an error, they return
 * -1 and set errno. If errno is EINTR, the reader calls the function again. The reader
 * calls them only while the caller is in a function of the reader, and in the same
 * thread. The object that `user` points to belongs to the caller.
 */
struct stf_read_calls {
	size_t size; /* sizeof(struct stf_read_calls) */
	void *user; /* the first argument of the functions */
	/* Read the next bytes of a stream, at most n. May be NULL if there is read_at. */
	int64_t (*read)(void *user, void *buf, size_t n);
	/*
	 * Read at most n bytes at this offset in bytes. The trace has `length` bytes.
	 * NULL: the trace is a stream. A .zstf in a stream is read from its start to its
	 * end. Functions that need its index fail, because the index is at the end.
	 */
	int64_t (*read_at)(void *user, void *buf, size_t n, uint64_t offset);
	uint64_t length; /* bytes; only for read_at */
};

/*
 * Open a trace that these functions read. Otherwise like stf_reader_open(). The reader
 * copies *calls.
 */
struct stf_reader *stf_reader_open_calls(const struct stf_read_calls *calls,
					 const struct stf_reader_opts *opts,
					 struct stf_error *err);

/*
 * Read the next record. The records of the header are included. Returns 1 if it has read
 * a record, and 0 at the end of the trace. Otherwise returns STF_E_CUT, STF_E_DESC,
 * STF_E_VALUE, STF_E_VERSION (the header has a second VERSION, which is not supported),
 * STF_E_CONTAINER, STF_E_IO or STF_E_NOMEM. After an error, every later call returns the
 * same error. A header record after the end of the header is returned, but has no effect.
 * The last record of a trace by specification 1.3, STFReserveEndRecord (255), is the end.
 */
int stf_reader_next(struct stf_reader *reader, struct stf_record *rec);

/*
 * Read the next records, at most n, in one call, which is faster. n must be greater
 * than 0. Some hundred are enough. The data that the records point to stay valid until
 * the next call with this reader. Returns the number of records, which can be less than
 * n before the end, too. Returns 0 and errors like stf_reader_next(). Before an error,
 * earlier calls have returned all records that stand before it.
 */
int stf_reader_read(struct stf_reader *reader, struct stf_record *recs,
		    unsigned int n);

/*
 * Returns the text of the last error, with the file and the place, or "" if there was no
 * error. The text belongs to the reader.
 */
const char *stf_reader_error(const struct stf_reader *reader);

/* Returns what the header has told so far, never NULL. It belongs to the reader. */
const struct stf_params *stf_reader_params(const struct stf_reader *reader);
/*
 * Fill in *stats with what was read so far. The caller sets stats->size before the call,
 * and this function does not change it.
 */
void stf_reader_stats(const struct stf_reader *reader, struct stf_stats *stats);

/* Free the reader. reader may be NULL. */
void stf_reader_close(struct stf_reader *reader);

/* ----------------------------------------------------- instructions of a trace */

struct stf_inst_iter;

/* The flags of struct stf_inst. They tell which records are in the instruction's group. */
enum stf_inst_flags {
	/* INST_PC_TARGET: a taken branch or a jump */
	STF_INST_F_TAKEN = 1 << 0,
	STF_INST_F_EVENT = 1 << 1, /* EVENT that is not a MODE_CHANGE */
	STF_INST_F_EVENT_TARGET = 1 << 2, /* EVENT_PC_TARGET */
	STF_INST_F_MODE = 1 << 3, /* EVENT MODE_CHANGE */
	STF_INST_F_FORCE_PC = 1 << 4, /* FORCE_PC, before the instruction */
	/*
	 * The FORCE_PC is not at the start of the trace, and its PC is not the one that
	 * the instruction before leads to. Instructions are missing before this one. Where
	 * the process changes, the instruction before is the last one of the same thread, on
	 * this hart or on any. The first instruction of a thread has no gap before it. A
	 * trace of more than 10,000 threads may have this flag at each change to some of them.
	 */
	STF_INST_F_GAP = 1 << 5,
	STF_INST_F_PROCESS = 1 << 6, /* PROCESS_ID_EXT */
	STF_INST_F_MEM = 1 << 7, /* INST_MEM_ACCESS */
	STF_INST_F_BUS = 1 << 8, /* BUS_MASTER_ACCESS */
	STF_INST_F_COMMENT = 1 << 9, /* COMMENT */
	STF_INST_F_OTHER = 1 << 10, /* any other record */
};

struct stf_inst {
	uint64_t index; /* the first instruction of the trace has index 0 */
	uint64_t pc;
	uint64_t next_pc; /* the PC that this instruction leads to */
	uint32_t opcode;
	uint8_t size; /* bytes: 2 or 4 */
	/*
	 * The enum stf_mode in which the instruction executes. A MODE_CHANGE is valid
	 * from the next instruction on. In the first group and in a group with FORCE_PC,
	 * it tells the mode of its own instruction (specification, EventRecord), unless it
	 * is the only one in the group and belongs to a trap.
	 */
	uint8_t mode;
	uint16_t flags; /* enum stf_inst_flags */
	struct stf_process process; /* all 0 before the first PROCESS_ID_EXT */
};

/*
 * Make an iterator over the instructions of a trace. Call this function directly after
 * the trace was opened, or after the program has read the header, up to END_HEADER. The
 * reader belongs to the caller, who must not read from it as long as the iterator
 * exists. inst_size is sizeof(struct stf_inst). Returns the iterator, which the caller
 * frees with stf_inst_iter_free(). Returns NULL if there is not enough memory, or if
 * inst_size is less than the size in version 0.1. stf_reader_error() has the text.
 */
struct stf_inst_iter *stf_inst_iter_new(struct stf_reader *reader,
					size_t inst_size);

/*
 * Read the next instruction. Returns 1 if it has read an instruction, and 0 at the end
 * of the trace. Returns the errors of stf_reader_next(), STF_E_ORDER if an instruction
 * comes before any FORCE_PC or the trace consists of transactions, and STF_E_CUT if the
 * last group has no opcode. stf_reader_error() has the text.
 */
int stf_inst_iter_next(struct stf_inst_iter *iter, struct stf_inst *inst);

/*
 * Go to instruction `index`. The next call of stf_inst_iter_next() returns it. In a
 * complete .zstf that is a file, lies in memory or is read by read_at, this function
 * reads one chunk. In all other traces, it reads all instructions before, and it cannot
 * go back. After a jump in a .zstf, the mode and the process are unknown
 * (STF_MODE_UNKNOWN and 0) until the trace tells them again, and the first instruction of
 * the chunk and the first ones of threads do not tell whether there is a gap before them:
 * they do not have STF_INST_F_GAP.
 * Returns 1 on success, and 0 if the trace has fewer than `index` instructions. The next
 * instruction is then the end. Returns STF_E_INVAL if it cannot go back in this trace. The
 * iterator then continues from its current place. Also returns the errors of
 * stf_inst_iter_next().
 */
int stf_inst_iter_seek(struct stf_inst_iter *iter, uint64_t index);

/*
 * Read the next record in the group of the instruction that stf_inst_iter_next() has
 * returned. The last record of the group is the opcode. After the end of the trace, read
 * the records after the last opcode. Returns 1 if it has read a record. Returns 0 after
 * the last record, before the first instruction and after an error.
 */
int stf_inst_iter_record(struct stf_inst_iter *iter, struct stf_record *rec);

/*
 * Go back to the first record of the group that stf_inst_iter_record() reads, so that a
 * program can look at the group before it decides what to do with it.
 */
void stf_inst_iter_again(struct stf_inst_iter *iter);

/* An access to memory with its content. */
struct stf_mem {
	struct stf_mem_access access;
	uint32_t n_contents; /* one for 8 bytes of the access, as a rule */
	const uint64_t *contents;
};

/* The same for an access of another bus master. */
struct stf_bus {
	struct stf_bus_access access;
	uint32_t n_contents;
	const uint64_t *contents;
};

/* An EVENT, also a MODE_CHANGE. */
struct stf_trap {
	struct stf_event event;
	bool has_target; /* an EVENT_PC_TARGET follows the event */
	uint64_t target;
};

/*
 * The records of an instruction's group by kind, each kind in the order of the trace. What
 * struct stf_inst tells is not in it: the opcode, the PCs and the process. A content
 * without an access and header records are not in it either.
 *
 * The group and its arrays belong to the iterator and are valid until its next call. An
 * array that has no element may be NULL. The structure can get new members at its end.
 */
struct stf_group {
	uint32_t n_mems;
	uint32_t n_regs;
	uint32_t n_traps;
	uint32_t n_buses;
	uint32_t n_walks;
	uint32_t n_microops;
	uint32_t n_ready_regs;
	uint32_t n_comments;
	const struct stf_mem *mems; /* INST_MEM_ACCESS, INST_MEM_CONTENT */
	const struct stf_reg *regs; /* INST_REG: states, sources and destinations */
	const struct stf_trap *traps; /* EVENT, EVENT_PC_TARGET */
	const struct stf_bus *buses; /* BUS_MASTER_ACCESS, BUS_MASTER_CONTENT */
	const struct stf_page_walk *walks; /* PAGE_TABLE_WALK */
	const struct stf_microop *microops; /* INST_MICROOP */
	const uint16_t *ready_regs; /* INST_READY_REG */
	const struct stf_text *comments; /* COMMENT */
};

/*
 * Read the next instruction like stf_inst_iter_next(), and its group. Sets *group to the
 * group if it returns 1. This takes less time than to read the records one by one, and
 * allocates memory only if a group is larger than those before. stf_inst_iter_record()
 * can read the same records. Returns like stf_inst_iter_next(), or STF_E_NOMEM.
 */
int stf_inst_iter_next_group(struct stf_inst_iter *iter, struct stf_inst *inst,
			     const struct stf_group **group);

/*
 * The kinds of branches. The numbers are the transfer types of the RISC-V specification of
 * control transfer records. The link registers are ra and t0.
 */
enum stf_branch_kind {
	STF_BRANCH_NONE = 0, /* not a branch */
	STF_BRANCH_TRAP_RETURN = 3, /* sret, mret, ... */
	STF_BRANCH_CONDITIONAL = 5,
	STF_BRANCH_INDIRECT_CALL = 8,
	STF_BRANCH_DIRECT_CALL = 9,
	STF_BRANCH_INDIRECT_JUMP = 10,
	STF_BRANCH_DIRECT_JUMP = 11,
	STF_BRANCH_CO_SWAP = 12, /* returns by one link register and sets the other */
	STF_BRANCH_RETURN = 13,
	STF_BRANCH_OTHER_INDIRECT = 14, /* puts the next PC into another register */
	STF_BRANCH_OTHER_DIRECT = 15, /* the same */
};

struct stf_branch {
	uint8_t kind; /* enum stf_branch_kind */
	bool taken; /* INST_PC_TARGET; of a trap return, also EVENT_PC_TARGET */
	/*
	 * It is not taken here, but its group has an event. The trace does not tell what
	 * the branch did. If it was only interrupted, it comes again.
	 */
	bool interrupted;
	bool has_target;
	/* Where it leads if it is taken. 0 if the trace and the opcode do not tell it. */
	uint64_t target;
};

/*
 * Store in *branch what kind of branch an instruction is, and what it did. iem is
 * enum stf_iem, from struct stf_params. Returns true if the instruction is a branch.
 * Otherwise returns false, and kind is STF_BRANCH_NONE. If a trap follows an indirect jump
 * in its own group, inst does not have the target of the jump. has_target is then false.
 * cm.jt, cm.jalt and cm.popret (Zcmt, Zcmp) share their opcodes with c.fsdsp, and are
 * branches if they are taken.
 */
bool stf_inst_branch(const struct stf_inst *inst, unsigned int iem,
		     struct stf_branch *branch);

/*
 * Read instructions like stf_inst_iter_next() up to the next one that is a branch, taken or
 * not. Store what it did in *branch, always with the target of a jump that is taken.
 * Returns like stf_inst_iter_next().
 */
int stf_inst_iter_next_branch(struct stf_inst_iter *iter, struct stf_inst *inst,
			      struct stf_branch *branch);

/* Returns the name of a kind: "indirect call", ... or NULL for an unknown number. */
const char *stf_branch_name(unsigned int kind);

/* An INST_MEM_ACCESS, with its INST_MEM_CONTENT. */
struct stf_inst_access {
	uint64_t index; /* of the instruction */
	uint64_t address;
	uint64_t content; /* 0 if the trace does not tell it */
	uint16_t size; /* as in struct stf_mem_access */
	uint16_t attributes;
	uint8_t access; /* enum stf_access */
	bool has_content;
};

/* An EVENT. */
struct stf_inst_event {
	uint64_t index; /* of the instruction */
	uint64_t id; /* as in struct stf_event */
	uint64_t fields[4]; /* the first of the metadata; 0 for those that are missing */
	uint8_t n_fields; /* of the record, which can have more than 4 */
};

/* Arrays of the caller, for stf_inst_iter_read() and stf_select_read(). */
struct stf_inst_block {
	size_t size; /* sizeof(struct stf_inst_block) */
	/* The elements have the size that stf_inst_iter_new() got. */
	struct stf_inst *insts;
	size_t max_insts; /* the number of elements that the array has room for */
	/* NULL: the caller does not want accesses, or events. */
	struct stf_inst_access *accesses;
	size_t max_accesses;
	struct stf_inst_event *events;
	size_t max_events;
	/* The elements that the function has filled in. */
	size_t n_insts;
	size_t n_accesses;
	size_t n_events;
};

/*
 * Read the next instructions into an array, and their accesses and events into two more.
 * It reads until an array is full. If this is the array of accesses or of events, some
 * may be missing for the last instruction: the next call then begins with these. To read
 * only these, set max_insts to 0. Returns 1 if it has filled in any element. Returns 0 at
 * the end of the trace, or if max_insts is 0 and nothing was missing. Returns the errors
 * of stf_inst_iter_next(), and STF_E_INVAL if block->size is not allowed or an array that
 * is wanted has no room. Before an error, earlier calls have returned all instructions
 * that stand before it.
 */
int stf_inst_iter_read(struct stf_inst_iter *iter, struct stf_inst_block *block);

/* Free the iterator, but not its reader. iter may be NULL. */
void stf_inst_iter_free(struct stf_inst_iter *iter);

/* ---------------------------------------------- instructions that come again */

struct stf_replay;

/*
 * Make a window over the instructions of an iterator. A model reads ahead in it, and goes
 * back when it discards instructions (a flush). The window has the last `n` instructions
 * that were read, with their groups. n must be greater than 0. The iterator belongs to the
 * caller, who must not use it as long as the window exists. Returns the window, which the
 * caller frees with stf_replay_free(). Returns NULL if there is not enough memory, or if n
 * is 0. stf_reader_error() has the text.
 */
struct stf_replay *stf_replay_new(struct stf_inst_iter *iter, size_t n);

/*
 * Read the next instruction and its group, from the window after stf_replay_back(), and
 * otherwise from the trace. The group is valid until the next call with this window.
 * Returns like stf_inst_iter_next_group(). After the end and after an error, the program
 * can still go back.
 */
int stf_replay_next(struct stf_replay *replay, struct stf_inst *inst,
		    const struct stf_group **group);

/*
 * Go to the instruction with the number `index` in the trace. The next call of
 * stf_replay_next() returns it. index can be the number of any instruction in the window, or
 * the one after the last. Returns true. Returns false, and goes nowhere, if the window does
 * not have this instruction.
 */
bool stf_replay_back(struct stf_replay *replay, uint64_t index);

/* Free the window, but not its iterator. replay may be NULL. */
void stf_replay_free(struct stf_replay *replay);

/* -------------------------------------------------- a selection of instructions */

/* The PCs from start to start + size - 1. */
struct stf_pc_range {
	uint64_t start;
	uint64_t size; /* bytes */
};

/* What an instruction is at which a window begins or ends. */
enum stf_place_kind {
	STF_PLACE_NONE = 0,
	STF_PLACE_PC, /* an instruction at this PC */
	STF_PLACE_OPCODE, /* one with this opcode, for example a marker */
	STF_PLACE_EVENT, /* one whose group has an EVENT with this id */
};

struct stf_place {
	uint32_t kind; /* enum stf_place_kind */
	uint64_t value; /* the PC, the opcode, or the id as in struct stf_event */
};

/*
 * Which instructions of a trace a program wants. Members that are 0 select everything.
 *
 * The filters look at one instruction alone. Instructions that they do not let pass do not
 * count for the windows. Only `start` counts all instructions of the trace.
 */
struct stf_select_opts {
	size_t size; /* sizeof(struct stf_select_opts) */

	/* The filters. */
	unsigned int modes; /* a set of 1 << enum stf_mode; 0: all */
	bool by_hart; /* only instructions of process.hart, ... */
	bool by_pid;
	bool by_tid;
	struct stf_process process;
	/* The PC is in one of n_ranges ranges. Each of them costs time. 0: any PC. */
	const struct stf_pc_range *ranges;
	size_t n_ranges;

	/* The windows. */
	uint64_t start; /* the number of the first instruction in the trace */
	uint64_t limit; /* the most instructions of a window; 0: no limit */
	/*
	 * There is one window, unless one of the following members says where the next
	 * window begins: `every` instructions after the beginning of the window before, at
	 * each instruction at `from`, or, if only the numbers of windows are set, directly
	 * after the window before. `every` needs a limit, which is not larger, and cannot
	 * be used with `from`. Windows do not overlap.
	 */
	uint64_t every;
	struct stf_place from; /* a window includes the instruction with which it begins */
	struct stf_place to; /* and the one with which it ends, which is behind `from` */
	uint64_t first_window; /* only windows from this one on; 1 is the first */
	uint64_t last_window; /* no window after this one; 0: all of them */
};

enum stf_selected {
	STF_SELECT_SKIP = 0, /* the instruction is not selected */
	STF_SELECT_TAKE = 1, /* it is selected */
	STF_SELECT_BEGIN = 2, /* it is selected, and is the first of a window */
};

struct stf_select;

/*
 * Make a selection. It copies *opts and the ranges. opts may be NULL: everything. Returns
 * the selection, which the caller frees with stf_select_free(). On failure, returns NULL and
 * stores the reason in *err, if err is not NULL: STF_E_NOMEM, or STF_E_INVAL if the options
 * contradict each other or opts->size is not allowed.
 */
struct stf_select *stf_select_new(const struct stf_select_opts *opts,
				  struct stf_error *err);

/*
 * Read on to the next instruction that is selected. If group is not NULL, read like
 * stf_inst_iter_next_group(), and otherwise like stf_inst_iter_next(). All calls for a
 * selection must be with the same iterator. Returns 1 if it has read an instruction, and 0
 * at the end of the trace or, without reading more, after the last window. Otherwise returns
 * the errors of stf_inst_iter_next_group().
 *
 * It reads all instructions before the start. To leave them out by the index of a .zstf,
 * call stf_inst_iter_seek() first. The mode and the process are then unknown at first.
 */
int stf_select_next(struct stf_select *select, struct stf_inst_iter *iter,
		    struct stf_inst *inst, const struct stf_group **group);

/*
 * Read the next instructions that are selected into arrays, like stf_inst_iter_read(). Only
 * these instructions, and their accesses and events, are in the arrays. Otherwise returns
 * like stf_select_next().
 */
int stf_select_read(struct stf_select *select, struct stf_inst_iter *iter,
		    struct stf_inst_block *block);

/*
 * Returns whether the filters let an instruction pass. It depends on nothing that was
 * decided before.
 */
bool stf_select_passes(const struct stf_select *select, const struct stf_inst *inst);

/*
 * Decide about an instruction that the program has read. Call it once for each instruction,
 * in the order of the trace. The iterator is the one that has returned this instruction
 * last. If a place is an event, the function reads the records of the group, and goes back
 * to the first one. iter may be NULL: no instruction has events.
 */
enum stf_selected stf_select_decide(struct stf_select *select,
				    const struct stf_inst *inst,
				    struct stf_inst_iter *iter);

/*
 * Returns how many of the next instructions are selected and in the same window, whatever
 * they are. stf_write_groups() can copy so many.
 */
uint64_t stf_select_sure(const struct stf_select *select);

/*
 * Go on behind the next n instructions without a decision about each of them. n must not be
 * larger than stf_select_sure().
 */
void stf_select_skip(struct stf_select *select, uint64_t n);

/*
 * Returns the number of the window that has begun last, 1 for the first, or 0 if none has
 * begun. Windows before first_window count.
 */
uint64_t stf_select_window(const struct stf_select *select);

/* Returns whether this window is selected and has not ended. */
bool stf_select_is_inside(const struct stf_select *select);

/* Returns whether no later instruction can be selected. */
bool stf_select_is_done(const struct stf_select *select);

/* Free the selection. select may be NULL. */
void stf_select_free(struct stf_select *select);

/* ------------------------------------------------ addresses of page-table walks */

/*
 * What the page-table entry of a page tells. The bits up to STF_PAGE_DIRTY are those of
 * the entry. STF_PAGE_GLOBAL is also set if an entry on the way to the leaf has it.
 */
enum stf_page_flags {
	STF_PAGE_VALID = 1 << 0,
	STF_PAGE_READ = 1 << 1,
	STF_PAGE_WRITE = 1 << 2,
	STF_PAGE_EXEC = 1 << 3,
	STF_PAGE_USER = 1 << 4, /* user mode can access the page */
	STF_PAGE_GLOBAL = 1 << 5, /* the page is in all address spaces */
	STF_PAGE_ACCESSED = 1 << 6, /* at the time of the walk */
	STF_PAGE_DIRTY = 1 << 7, /* the same */
};

struct stf_page {
	uint64_t va; /* the first virtual address of the page */
	uint64_t pa; /* the physical address of this byte */
	uint64_t size; /* bytes; a power of two, from 4 KiB to 1 GiB */
	uint64_t pte; /* the leaf, as in the trace */
	uint32_t flags; /* enum stf_page_flags */
};

struct stf_pages;

/*
 * Make an empty map from virtual to physical addresses. It has at most max_pages pages, of
 * about 64 bytes each. A page fault takes the room of a page. 0: 262144. The map uses at
 * most 16777216. Returns the map, which the caller frees with stf_pages_free(), or NULL if
 * there is not enough memory.
 */
struct stf_pages *stf_pages_new(size_t max_pages);

/*
 * Put the page of a PAGE_TABLE_WALK into the map, in place of what the map had there.
 * `space` is a number that the caller gives to the address space: the pid of the process,
 * as a rule. A trace that tells no processes has one space. The leaf must have the layout
 * of Sv32, Sv39, Sv48 or Sv57. If the map is full, it forgets the page whose walk was the
 * longest ago. Returns 1 if the walk leads to a page. Returns 0 if it ends in a page fault
 * by its leaf, which is not valid, not a leaf, or not aligned. Its addresses then have no
 * page. Returns STF_E_VALUE if the walk has no entry, or if its page size is not a power of
 * two from 4 KiB to 1 GiB, and STF_E_NOMEM. After these two, the map is as before.
 */
int stf_pages_take(struct stf_pages *pages, uint64_t space,
		   const struct stf_page_walk *walk);

/*
 * Store in *page the page of a virtual address, by the walks so far. The physical address
 * is page->pa + (va - page->va). Returns true. Returns false, and does not change *page, if
 * the map has no page there.
 */
bool stf_pages_find(const struct stf_pages *pages, uint64_t space, uint64_t va,
		    struct stf_page *page);

/* Returns how many pages the map has forgotten because it was full. */
uint64_t stf_pages_lost(const struct stf_pages *pages);

/* Free the map. pages may be NULL. */
void stf_pages_free(struct stf_pages *pages);

/* ------------------------------------------------------- transactions of a trace */

struct stf_transaction_iter;

/*
 * A transaction with the other records of its group. stf_transaction_iter_next() fills it
 * in, and stf_write_transaction() writes it.
 */
struct stf_transaction_group {
	size_t size; /* sizeof(struct stf_transaction_group) */
	/* The first transaction of the trace has index 0. Not used for writing. */
	uint64_t index;
	struct stf_transaction transaction;
	/*
	 * The transaction.n_meta elements of its metadata. For writing, NULL: those at
	 * transaction.meta.
	 */
	const struct stf_meta *meta;
	/* TRANSACTION_DEPENDENCY: the transactions that must be fulfilled before this one */
	uint32_t n_dependencies;
	uint32_t n_comments;
	const struct stf_dependency *dependencies;
	const struct stf_text *comments; /* COMMENT */
	bool has_process; /* the group has a PROCESS_ID_EXT, with this process */
	/* For reading, that of the last PROCESS_ID_EXT. All 0 before the first one. */
	struct stf_process process;
};

/*
 * Make an iterator over the transactions of a trace, that is, of a trace with PROTOCOL_ID.
 * Call this function directly after the trace was opened, or after the program has read the
 * header, up to END_HEADER. The reader belongs to the caller, who must not read from it as
 * long as the iterator exists. Returns the iterator, which the caller frees with
 * stf_transaction_iter_free(). Returns NULL if there is not enough memory.
 * stf_reader_error() has the text.
 */
struct stf_transaction_iter *stf_transaction_iter_new(struct stf_reader *reader);

/*
 * Read the next transaction with its group. The caller sets group->size before the call,
 * and this function does not change it. All that the group points to is valid until the
 * next call. Returns 1 if it has read a transaction. Returns 0 at the end of the trace. The
 * group then has only the comments after the last transaction. Returns the errors of
 * stf_reader_next(), STF_E_ORDER if the trace has records of instructions, and STF_E_CUT if
 * it ends after a TRANSACTION_DEPENDENCY. stf_reader_error() has the text.
 */
int stf_transaction_iter_next(struct stf_transaction_iter *iter,
			      struct stf_transaction_group *group);

/* Free the iterator, but not its reader. iter may be NULL. */
void stf_transaction_iter_free(struct stf_transaction_iter *iter);

/*
 * Returns the name that a CLOCK_ID of the header gives to a clock, or NULL if the header
 * has no such CLOCK_ID, or as long as it was not read. The name belongs to the reader.
 */
const struct stf_text *stf_reader_clock(const struct stf_reader *reader, uint8_t id);

/* -------------------------------------------------------------- the checker */

/* What can be wrong with a trace that can be read. stf_rule_text() describes each rule. */
enum stf_rule {
	STF_RULE_NO_COMMENT,
	STF_RULE_NO_ISA,
	STF_RULE_NO_IEM,
	STF_RULE_NO_TRACE_INFO,
	STF_RULE_NO_FEATURES,
	STF_RULE_NO_PROCESS,
	STF_RULE_NO_FORCE_PC,
	STF_RULE_NO_END_HEADER,
	STF_RULE_NO_MODE,
	STF_RULE_IEM_BEFORE_ISA,
	STF_RULE_HEADER_TWICE,
	STF_RULE_HEADER_LATE,
	STF_RULE_HEADER_FOREIGN,
	STF_RULE_COMMENT_NUL,
	STF_RULE_ISA_VALUE,
	STF_RULE_IEM_VALUE,
	STF_RULE_GENERATOR_VALUE,
	STF_RULE_FEATURE_VALUE,
	STF_RULE_FEATURE_RV64,
	STF_RULE_FEATURE_CLEAR,
	STF_RULE_FEATURE_PTE,
	STF_RULE_NO_VLEN,
	STF_RULE_GROUP_ORDER,
	STF_RULE_GROUP_OPEN,
	STF_RULE_KIND_MIXED,
	STF_RULE_MEM_NO_CONTENT,
	STF_RULE_MEM_NO_ACCESS,
	STF_RULE_MEM_CONTENTS,
	STF_RULE_MEM_TYPE,
	STF_RULE_MEM_MISSING,
	STF_RULE_MEM_FOREIGN,
	STF_RULE_MEM_DIRECTION,
	STF_RULE_BUS_NO_CONTENT,
	STF_RULE_BUS_NO_ACCESS,
	STF_RULE_BUS_CONTENTS,
	STF_RULE_BUS_TYPE,
	STF_RULE_BUS_INITIATOR,
	STF_RULE_REG_TYPE,
	STF_RULE_REG_OPERAND,
	STF_RULE_REG_NUMBER,
	STF_RULE_EVENT_ID,
	STF_RULE_EVENT_FIELDS,
	STF_RULE_EVENT_TARGET_ALONE,
	STF_RULE_MODE_VALUE,
	STF_RULE_INST_WIDTH,
	STF_RULE_JUMP_NO_TARGET,
	STF_RULE_TARGET_FOREIGN,
	STF_RULE_TARGET_WRONG,
	STF_RULE_CLOCK_VALUE,
	STF_RULE_CLOCK_FOREIGN,
	STF_RULE_FEATURE_TRANSACTIONS,
	STF_RULE_EVENT_NO_TARGET,
	STF_RULE_TARGET_SKIPPED,
	/* This is not a fault of the trace, but of a program that reads it. */
	STF_RULE_FSDSP_POPRET,
	STF_RULE_INDEX_PC,
	STF_N_RULES
};

/* Returns the name of a rule, such as "MEM_MISSING", or NULL for an unknown number. */
const char *stf_rule_name(unsigned int rule);

/*
 * Returns what is wrong, such as "a load or store without INST_MEM_ACCESS", or NULL for
 * an unknown number.
 */
const char *stf_rule_text(unsigned int rule);

/* How often a rule is broken, and the record that breaks it for the first time. */
struct stf_found {
	uint64_t count;
	uint64_t offset; /* of the record, in bytes in the uncompressed trace */
	uint64_t record; /* the number of the record; the first one is 0 */
	/* The record belongs to the group of this instruction. The first one is 0. */
	uint64_t instruction;
	uint64_t pc; /* the PC of this instruction, or 0 if it is not known */
};

struct stf_check {
	/* sizeof(struct stf_check); the checker sets all other members */
	size_t size;
	uint8_t last_desc; /* for the checker only */
	struct stf_found found[STF_N_RULES]; /* by enum stf_rule */
};

/*
 * Check a trace and store the findings in *check. Call this function directly after the
 * trace was opened. It reads the trace to its end. Returns 0 if it has read the whole
 * trace, with or without findings. Otherwise returns an error of stf_reader_next(). *check
 * then has the findings up to the error. Returns STF_E_INVAL, and does not change *check,
 * if the program has already read a record or if check->size is not allowed.
 */
int stf_check(struct stf_reader *reader, struct stf_check *check);

/* --------------------------------------------------------------- the writer */

struct stf_writer;

struct stf_writer_opts {
	size_t size; /* sizeof(struct stf_writer_opts) */
	enum stf_container container;
	uint64_t chunk_markers; /* .zstf: opcodes in a chunk; 0: 100000 */
	int level; /* .zstf: the level of zstd, 1 to 19; 0: 3 */
	bool spec_initiators; /* write the initiator CORE as 0 */
	unsigned int event_bits; /* as in struct stf_reader_opts */
	/*
	 * The number of threads that compress the chunks of a .zstf, at most 64. 0: one
	 * thread for each CPU, at most 8, and none on a machine with one CPU.
	 * STF_NO_THREADS: none. Without threads, the thread of the caller does it.
	 */
	unsigned int threads;
	const char *name; /* as in struct stf_reader_opts */
};

/* The content of a header, for stf_write_header(). */
struct stf_header {
	size_t size; /* sizeof(struct stf_header) */
	const char *const *comments; /* at least one; NULL after the last one */
	uint16_t isa; /* 0: STF_ISA_RISCV; see also protocol */
	uint16_t iem; /* 0: STF_IEM_RV64; see also protocol */
	uint8_t generator; /* enum stf_generator; not 0 */
	uint8_t gen_major;
	uint8_t gen_minor;
	uint8_t gen_patch;
	const char *gen_text; /* the text of TRACE_INFO; NULL: an empty text */
	/* STF_FEATURE_*. For STF_IEM_RV64, the writer adds the features RV64 and EVENT64. */
	uint64_t features;
	uint32_t vlen; /* bits; 0: no VLEN_CONFIG */
	const char *isa_string; /* NULL: no ISA_EXTENDED */
	const struct stf_process *process; /* NULL: no PROCESS_ID_EXT */
	/* The PC of the first instruction, for FORCE_PC. Not used for transactions. */
	uint64_t pc;
	/*
	 * A trace of transactions: enum stf_protocol, for PROTOCOL_ID. The writer then adds
	 * the feature TRANSACTIONS. It writes no FORCE_PC, and ISA and INST_IEM only if isa
	 * and iem are not 0. 0: a trace of instructions.
	 */
	uint8_t protocol;
	const struct stf_clock *clocks; /* n_clocks of them, for CLOCK_ID */
	size_t n_clocks;
};

/*
 * Create a trace. The writer writes a temporary file in the same folder, and
 * stf_writer_close() renames it to path. If path is not a regular file (a pipe,
 * /dev/null), the writer writes to it directly. The path "-" is standard output, which
 * gets a plain trace. A .zstf is readable at any time between two chunks, also under its
 * temporary name. opts may be NULL. Returns the writer, which stf_writer_close() or
 * stf_writer_abort() frees. On failure, returns NULL and stores the reason in *err, if
 * err is not NULL: STF_E_INVAL, STF_E_NOMEM or STF_E_IO.
 */
struct stf_writer *stf_writer_open(const char *path,
				   const struct stf_writer_opts *opts,
				   struct stf_error *err);

/*
 * Returns the container that stf_writer_open() selects for a file of this name:
 * STF_CONTAINER_PLAIN, _ZSTF, _GZ or _XZ. With it, a program that writes a trace by its
 * own functions selects the container by the same rule. NULL: STF_CONTAINER_PLAIN.
 */
enum stf_container stf_container_by_name(const char *path);

/*
 * Write a trace to a descriptor, at its current offset. Otherwise like stf_writer_open().
 * The trace is plain unless the options select another container. The descriptor belongs
 * to the caller, who can close it at once, because the writer has a copy of it. A .zstf
 * needs a file in which the writer can seek, which is not open for appending, and which
 * has no bytes after the current offset. stf_writer_abort() does not remove what was
 * written.
 */
struct stf_writer *stf_writer_open_fd(int fd, const struct stf_writer_opts *opts,
				      struct stf_error *err);

/*
 * Functions of the caller that write a trace. They return the number of bytes that they
 * have written, 1 or more. On an error, they return -1 and set errno. If errno is EINTR,
 * the writer calls the function again. The writer calls them only while the caller is in
 * a function of the writer, and in the same thread. The object that `user` points to
 * belongs to the caller.
 */
struct stf_write_calls {
	size_t size; /* sizeof(struct stf_write_calls) */
	void *user; /* the first argument of the functions */
	/* Write the next n bytes of a stream. */
	int64_t (*write)(void *user, const void *data, size_t n);
	/*
	 * Write n bytes at this offset in bytes. Only a .zstf needs this function, because
	 * its index at the end moves with each chunk. NULL: a .zstf cannot be written.
	 */
	int64_t (*write_at)(void *user, const void *data, size_t n,
			    uint64_t offset);
};

/*
 * Write a trace with these functions. Otherwise like stf_writer_open(). The trace is plain
 * unless the options select another container. The writer copies *calls.
 */
struct stf_writer *stf_writer_open_calls(const struct stf_write_calls *calls,
					 const struct stf_writer_opts *opts,
					 struct stf_error *err);

/*
 * Write one record. Returns 0 on success. Otherwise returns
 *	STF_E_ORDER	The rules of the header and of an instruction's group do not
 *			allow the record at this place. Nothing is written.
 *	STF_E_VALUE	The record has no place for the value of a field, or readers could
 *			not go on behind it: a version, a protocol, a mode, or a vector.
 *			Nothing is written.
 *	STF_E_IO, STF_E_NOMEM
 *			The trace is lost. Every later call fails, too.
 *
 * stf_write() and stf_write_records() write other values that the format does not define,
 * so that a program can copy a trace that has them. stf_check() finds them. The functions
 * below that make a record from their arguments refuse such values with STF_E_VALUE.
 */
int stf_write(struct stf_writer *writer, const struct stf_record *rec);

/*
 * Write n records in one call, which is faster. Returns like stf_write(). If a record is
 * refused, those before it are written, and those behind it are not. stf_writer_stats()
 * tells how many records are written.
 */
int stf_write_records(struct stf_writer *writer, const struct stf_record *recs,
		      size_t n);

/*
 * Write the whole header in the right order, up to END_HEADER. This function repeats the
 * process after END_HEADER, because some readers ignore it in the header. It requires a
 * comment, as the specification does. stf_write() accepts a header without a comment, so
 * that a program can copy the traces of simulators. Returns like stf_write(), STF_E_VALUE
 * if the format does not define isa, iem, a bit of features or the id of a clock, or if
 * generator is 0, and STF_E_INVAL if hdr->size is not allowed or if there is no comment.
 * generator can be a number that enum stf_generator does not have.
 */
int stf_write_header(struct stf_writer *writer, const struct stf_header *hdr);

/*
 * These functions make a record from their arguments and write it. stf_write_mem() and
 * stf_write_bus() write two records: the access, and then its content. If the second
 * record is refused, the first one may be written already. All return like stf_write(), and
 * STF_E_VALUE if the format does not define the type of an access, the initiator or, in a
 * trace of RISC-V, the id of an event.
 */
int stf_write_comment(struct stf_writer *writer, const char *text);
int stf_write_process(struct stf_writer *writer, uint32_t hart, uint32_t pid,
		      uint32_t tid);
int stf_write_force_pc(struct stf_writer *writer, uint64_t pc);
int stf_write_pc_target(struct stf_writer *writer, uint64_t pc);
int stf_write_mem(struct stf_writer *writer, const struct stf_mem_access *access,
		  uint64_t content);
int stf_write_bus(struct stf_writer *writer, const struct stf_bus_access *access,
		  uint64_t content);
int stf_write_event(struct stf_writer *writer, uint64_t id,
		    const uint64_t *fields, uint8_t n_fields);
int stf_write_mode_change(struct stf_writer *writer, enum stf_mode mode);
int stf_write_event_target(struct stf_writer *writer, uint64_t pc);

/*
 * Write a transaction: its process, if has_process is set, its comments, its dependencies,
 * and then the TRANSACTION, which closes the group. If a record is refused, those before it
 * are written already. Returns like stf_write(), or STF_E_INVAL if group->size is not
 * allowed.
 */
int stf_write_transaction(struct stf_writer *writer,
			  const struct stf_transaction_group *group);

/*
 * Write INST_32 if size is 4 bytes, or INST_16 if it is 2 bytes. The opcode closes the
 * group. Returns like stf_write(), and STF_E_VALUE for another size, or if RISC-V's
 * instruction with this opcode has another size.
 */
int stf_write_inst(struct stf_writer *writer, uint32_t opcode,
		   unsigned int size);

/*
 * Write INST_32 or INST_16 for each instruction of a straight line. code points to size
 * bytes of RISC-V code, as they lie in memory. If target is not NULL, the last
 * instruction leads to *target, and its group gets an INST_PC_TARGET. Otherwise the last
 * instruction leads to the next one. Returns like stf_write(). Returns STF_E_VALUE if an
 * instruction is not complete or is longer than 4 bytes. The instructions before it are
 * then written. Returns STF_E_INVAL if size is 0 and target is not NULL, because no
 * instruction leads there.
 */
int stf_write_code(struct stf_writer *writer, const void *code, size_t size,
		   const uint64_t *target);

/*
 * Copy the groups of the next instructions, at most n, from the iterator's trace to the
 * writer's. This is several times faster than to read and write their records. The
 * function continues as long as
 *	- the PC of the instruction is in *range. range may be NULL: any PC is allowed.
 *	- the group has only an opcode, INST_PC_TARGET, INST_REG that is not a vector, and
 *	  pairs of INST_MEM_ACCESS and INST_MEM_CONTENT. The process and the mode do not
 *	  change in such a group.
 * It also stops at the end of a buffer, and has no errors. It copies nothing if the
 * next PC of the writer is not that of the iterator, inside a header, or if a group is
 * open in the writer. Returns the number of instructions that it has copied, which can be
 * 0. The caller then reads the next instruction with stf_inst_iter_next(), which returns
 * errors and the end of the trace, and writes its records with stf_write().
 */
uint64_t stf_write_groups(struct stf_writer *writer, struct stf_inst_iter *iter,
			  uint64_t n, const struct stf_pc_range *range);

/*
 * Store the PC of the next opcode in *pc. It is correct if no FORCE_PC comes before the
 * opcode. Returns true, or false before the first FORCE_PC, and then does not change *pc.
 */
bool stf_writer_pc(const struct stf_writer *writer, uint64_t *pc);

/*
 * Returns the text of the last error, or "" if there was no error. The text belongs to
 * the writer.
 */
const char *stf_writer_error(const struct stf_writer *writer);

/*
 * Fill in *stats with what was written so far. The caller sets stats->size before the
 * call, and this function does not change it.
 */
void stf_writer_stats(const struct stf_writer *writer, struct stf_stats *stats);

/*
 * Complete the trace, rename the temporary file, and free the writer, also on failure.
 * Returns 0 if the trace is complete. Otherwise removes the temporary file and stores the
 * reason in *err, if err is not NULL: STF_E_IO or STF_E_NOMEM, which may have occurred in
 * an earlier call, or STF_E_ORDER if the header or the last group is not complete.
 */
int stf_writer_close(struct stf_writer *writer, struct stf_error *err);

/*
 * Free the writer without completing the trace. Remove the temporary file. What was
 * written directly, to a descriptor or to functions, stays. writer may be NULL.
 */
void stf_writer_abort(struct stf_writer *writer);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
