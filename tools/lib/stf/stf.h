/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libstf: read and write Simple Trace Format (STF) traces.
 *
 * Three layers, each usable alone:
 *	records		struct stf_record, read with stf_reader_next() and
 *			written with stf_write()
 *	instructions	struct stf_inst, read with stf_inst_iter_next(): opcode,
 *			PC, next PC, mode, process, and the records of its group
 *	containers	plain .stf and chunked .zstf, told by name when written
 *			and by content when read
 *
 * The layout on disk is that of the reference library, version 1.6, which is
 * what existing traces hold; where the written specification differs, an option
 * selects it.
 *
 * Functions that can fail return 0 or more on success and a negative enum
 * stf_err otherwise; the text that belongs to it says what is wrong, where (the
 * byte offset), and names the file. There is no global state: objects may be
 * used from any thread, each from one at a time.
 *
 * A program that was built against an older header works with a newer library of the
 * same soname, from version 0.1 on:
 *
 * - A structure whose first member is `size` can get members at its end. The program
 *   sets size to the sizeof that it was built with. The library reads members behind
 *   that as 0, and writes nothing behind it. A structure that is longer than the
 *   library knows is taken if the rest is 0; else the call fails and says that the
 *   library is older than the program.
 * - struct stf_inst can get members at its end. The program says once how long its
 *   own is, to stf_inst_iter_new(): a size for each instruction would have a price
 *   for each.
 * - struct stf_record keeps its size, so that an array of records needs no size
 *   either. It can get new kinds of records, as members of its union. What a kind has
 *   more than the union has room for is pointed to, as PTEs are today. Members of a
 *   kind do not change.
 * - struct stf_params belongs to the library, and can get members at its end.
 * - All other structures keep their members. Numbers keep their meaning. Enumerations
 *   can get new ones, which a program has to expect.
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

/* What is declared here, and nothing else, is exported by the shared library. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The version that the writer declares. */
#define STF_VERSION_MAJOR 1
#define STF_VERSION_MINOR 6

enum stf_err {
	STF_E_INVAL = -1, /* a bad argument or a call out of place */
	STF_E_NOMEM = -2,
	STF_E_IO = -3, /* the system's own error is in the text */
	STF_E_NOT_STF = -4, /* neither an STF trace nor a .zstf container */
	STF_E_VERSION = -5, /* older than 1.2, or 2.0 and later */
	STF_E_CUT = -6, /* the trace ends inside a record or a group */
	STF_E_DESC = -7, /* an unknown record descriptor */
	STF_E_VALUE = -8, /* a field holds what the format does not define */
	STF_E_CONTAINER = -9, /* the .zstf container is broken */
	STF_E_ORDER = -10, /* the record may not stand here */
};

/* Returns "bad argument", "no memory", ...; never NULL. */
const char *stf_strerror(int err);

/* What went wrong, where there is no object to ask: opening and closing. The text of a
 * very long path lacks its end. */
struct stf_error {
	int code; /* enum stf_err, 0 if nothing did */
	char text[320];
};

/* ---------------------------------------------------------------- records */

/* The descriptor: a record's first byte. */
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

/* Instruction encoding mode, INST_IEM. */
enum stf_iem {
	STF_IEM_RV32 = 1,
	STF_IEM_RV64 = 2,
};

/* TRACE_INFO: who made or changed the trace. */
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
	/* The first of the numbers for examples; Pegasus used it, too. */
	STF_GEN_STF_TRANSACTION_EXAMPLE = 0x40,
};

/* TRACE_INFO_FEATURE. */
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
#define STF_FEATURE_EVENT64 UINT64_C(0x80000) /* EVENT ids have 64 bits */
#define STF_FEATURE_TRANSACTIONS UINT64_C(0x100000)

/*
 * EVENT ids, as libstf shows them: always in the 64-bit form. In a trace
 * without STF_FEATURE_EVENT64 the two type bits are 31 and 30 on disk, and the
 * number has 30 bits.
 */
#define STF_EVENT_INTERRUPT (UINT64_C(1) << 63)
#define STF_EVENT_SPECIAL (UINT64_C(1) << 62)

/* One metadata field: an enum stf_mode. */
#define STF_EVENT_MODE_CHANGE STF_EVENT_SPECIAL

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

/* To be ORed with STF_EVENT_INTERRUPT. */
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
	STF_INT_PLATFORM_0 = 16, /* and on: PLATFORM_n is 16 + n */
};

enum stf_mode {
	STF_MODE_USER = 0,
	STF_MODE_SUPERVISOR = 1,
	STF_MODE_HYPERVISOR = 2,
	STF_MODE_MACHINE = 3,
	STF_MODE_UNKNOWN = 4, /* no MODE_CHANGE so far; never on disk */
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

/* The number of the PC among the integer registers. */
#define STF_REG_PC 0x20

enum stf_access {
	STF_ACCESS_READ = 1,
	STF_ACCESS_WRITE = 2,
};

/*
 * Initiators of bus accesses, as the reference library numbers them. The
 * written specification counts from CORE = 0, and alone has ACCEL: see
 * spec_initiators in the options of reader and writer.
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

/* VLEN is at least 64 and, by the vector specification, at most 65536 bits. */
#define STF_VLEN_MIN 64
#define STF_VLEN_MAX 65536

/* Bytes that are not NUL-terminated. */
struct stf_text {
	const char *data;
	uint32_t size; /* CLOCK_ID and TRACE_INFO hold at most 65535 */
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
 * PROCESS_ID_EXT. The three words are TGID, TID and ASID in the specification;
 * all tools read and write them as below.
 */
struct stf_process {
	uint32_t hart;
	uint32_t pid;
	uint32_t tid;
};

struct stf_clock {
	uint8_t id; /* not 0 */
	struct stf_text name;
};

struct stf_reg {
	uint16_t number; /* 0 to 31, STF_REG_PC, or a CSR's address */
	uint8_t type; /* enum stf_reg_type */
	uint8_t operand; /* enum stf_reg_operand */
	uint64_t value; /* not for STF_REG_VEC */
	/* STF_REG_VEC only: VLEN bits, rounded up to whole words. */
	uint16_t n_words;
	const uint64_t *vector;
};

struct stf_pte {
	uint64_t address; /* physical, of the entry itself */
	uint64_t value;
};

struct stf_page_walk {
	uint64_t va;
	uint64_t first_index; /* of the first instruction that used the page */
	uint32_t page_size; /* bytes */
	uint8_t n_ptes;
	const struct stf_pte *ptes; /* the leaf last */
};

struct stf_mem_access {
	uint64_t address;
	uint16_t size; /* bytes, but see struct stf_params, mem_bits */
	uint16_t attributes;
	uint8_t access; /* enum stf_access */
};

struct stf_bus_access {
	uint64_t address;
	uint16_t size; /* bytes */
	uint8_t initiator; /* enum stf_initiator */
	uint8_t index; /* which of the initiators of that type */
	uint32_t attributes;
	uint8_t access; /* enum stf_access */
};

struct stf_event {
	uint64_t id; /* always in the 64-bit form, see STF_EVENT_INTERRUPT */
	uint8_t n_fields;
	const uint64_t *fields;
};

struct stf_microop {
	uint8_t size; /* bytes */
	uint32_t opcode;
};

struct stf_tilelink {
	uint8_t channel; /* enum stf_tl_channel; it says which fields are used */
	uint8_t code; /* A to D */
	uint8_t param; /* A to D */
	uint8_t size; /* A to D */
	uint64_t source; /* A to D */
	uint64_t address; /* A to C */
	uint64_t sink; /* D, E */
	uint16_t data_size; /* A to D; bytes */
	uint16_t mask_bits; /* A, B */
	const uint8_t *data;
	const uint8_t *mask; /* mask_bits bits, the lowest of a byte first */
};

struct stf_transaction {
	uint64_t id;
	uint64_t cycle_delta;
	uint8_t clock;
	uint16_t n_meta;
	uint32_t meta_size; /* bytes of meta */
	const uint8_t *meta; /* see stf_meta_get(), stf_meta_put() */
	struct stf_tilelink tilelink; /* in traces of STF_PROTOCOL_TILELINK */
};

struct stf_dependency {
	uint64_t id;
	uint64_t cycle_delta;
	uint8_t clock;
};

/*
 * Any record. Which member of the union is in use follows from desc; it is
 * named beside it. IDENTIFIER and END_HEADER have none.
 *
 * What a read record points at belongs to the reader, and stays valid until the
 * next call on it.
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
		uint64_t room[12]; /* for kinds to come */
	};
};

/* One element of a transaction's metadata: 1 << type bytes, type 0 to 3. */
struct stf_meta {
	uint8_t type;
	uint64_t value;
};

/* The longest that stf_meta_put() writes. */
#define STF_META_MAX 9

/* The element at p, of which len bytes are there. Returns its length in bytes,
 * or STF_E_CUT or STF_E_VALUE. */
int stf_meta_get(const uint8_t *p, size_t len, struct stf_meta *meta);

/* Write the element at p, where STF_META_MAX bytes are free. Returns its length
 * in bytes, or STF_E_VALUE for a bad type. */
int stf_meta_put(uint8_t *p, const struct stf_meta *meta);

/* Names as in the specification: "INST_MEM_ACCESS", "EVENT64", "SPIKE", ...
 * Returns NULL for unknown numbers; a feature is given as its one bit. */
const char *stf_desc_name(unsigned int desc);
const char *stf_feature_name(uint64_t bit);
const char *stf_generator_name(unsigned int generator);
const char *stf_initiator_name(unsigned int initiator);
const char *stf_mode_name(unsigned int mode); /* "U", "S", "H", "M" */

/*
 * "USER_ECALL", "INT_COUNTER_OVERFLOW", "INT_PLATFORM_3", "MODE_CHANGE"; where
 * the id has no name, its number ("FAULT_0x30"). Returns buf, which takes
 * STF_EVENT_NAME_MAX bytes.
 */
#define STF_EVENT_NAME_MAX 40
char *stf_event_name(uint64_t id, char *buf);

/*
 * The fields of a record one after the other, for printing: field i of rec, 0
 * and on. Returns its name, or NULL if there is none any more. The value is in
 * *value, or, where *text is not NULL afterwards, in *value bytes at *text.
 * Fields of elements (an event's metadata, PTEs) follow each other with the
 * same names.
 */
const char *stf_record_field(const struct stf_record *rec, unsigned int i,
			     uint64_t *value, const char **text);

/* --------------------------------------------------------------- the reader */

struct stf_reader;

struct stf_reader_opts {
	size_t size; /* sizeof(struct stf_reader_opts) */
	bool spec_initiators; /* the trace counts initiators from CORE = 0 */
	/*
	 * The size of EVENT ids: 0 for what STF_FEATURE_EVENT64 says of the
	 * trace; 32 or 64 where it does not say it, as by the specification 1.3
	 * all have 32 bits, and by its successor all have 64.
	 */
	unsigned int event_bits;
	/*
	 * The most memory one chunk or, where the trace is not a file but a
	 * stream, one record may take, in bytes. 0: 1 GiB.
	 */
	uint64_t max_buffer;
	/*
	 * Threads that decompress the chunks of a .zstf. 0: one for each CPU,
	 * at most 8; STF_NO_THREADS: none, all is done in the caller's.
	 */
	unsigned int threads;
	/* The trace's name in messages. NULL: its path, or what stands for one. */
	const char *name;
};

/* In the options of reader and writer: no threads. */
#define STF_NO_THREADS UINT_MAX

/* What the header said so far; 0 for what it did not. */
struct stf_params {
	struct stf_version version;
	uint16_t isa; /* enum stf_isa */
	uint16_t iem; /* enum stf_iem */
	uint64_t features;
	uint32_t vlen; /* bits */
	uint8_t protocol; /* enum stf_protocol */
	bool header_ended; /* END_HEADER was read */
	/*
	 * Most sizes of INST_MEM_ACCESS are in bits: Dromajo made the trace. Others are
	 * in bytes all the same, and only the instruction tells which.
	 */
	bool mem_bits;
};

enum stf_container {
	/* By the name: .zstf, .gz, .xz, else plain. */
	STF_CONTAINER_AUTO = 0,
	STF_CONTAINER_PLAIN,
	STF_CONTAINER_ZSTF,
	STF_CONTAINER_GZ, /* a plain trace, compressed; needs libz.so.1 */
	STF_CONTAINER_XZ, /* the same; needs liblzma.so.5 */
	STF_CONTAINER_ZSTD, /* the same; only read */
};

struct stf_stats {
	size_t size; /* sizeof(struct stf_stats) */
	enum stf_container container;
	uint64_t file_bytes; /* of the file; of a stream, what was read so far */
	uint64_t trace_bytes; /* records so far, uncompressed */
	uint64_t chunks; /* in the container; 0 for a plain trace */
	uint64_t chunk_markers; /* per chunk, by the container's header */
	uint64_t records; /* so far */
	uint64_t instructions; /* so far */
	/* The writer of a .zstf was killed; what it left whole is read. */
	bool recovered;
};

/*
 * Open a trace, whose container is told by its first bytes. "-" is standard
 * input. The identifier and the version are checked here. opts may be NULL.
 * Returns the reader, or NULL, with the reason in *err (if not NULL):
 * STF_E_INVAL, STF_E_NOMEM, STF_E_IO, STF_E_NOT_STF, STF_E_VERSION, STF_E_CUT,
 * STF_E_CONTAINER.
 */
struct stf_reader *stf_reader_open(const char *path,
				   const struct stf_reader_opts *opts,
				   struct stf_error *err);

/*
 * The same from a descriptor, from where it stands. It stays the caller's and may be
 * closed at once: the reader has a copy of its own. A .zstf in a regular file is read by
 * its index; what is no regular file is a stream, in which it cannot be sought.
 */
struct stf_reader *stf_reader_open_fd(int fd, const struct stf_reader_opts *opts,
				      struct stf_error *err);

/*
 * The same from memory, without a copy. The memory stays the caller's, and has to stay
 * as it is until the reader is closed; records may point into it.
 */
struct stf_reader *stf_reader_open_memory(const void *data, size_t size,
					  const struct stf_reader_opts *opts,
					  struct stf_error *err);

/*
 * The caller's functions that read a trace. They return how many bytes, 1 or more, or 0
 * at the end, or -1 with errno set (EINTR: they are called again). They are called only
 * while the caller is in a function of the reader, in the same thread. What `user` points
 * to stays the caller's.
 */
struct stf_read_calls {
	size_t size; /* sizeof(struct stf_read_calls) */
	void *user; /* for the functions */
	/* The next bytes of a stream, at most n. NULL: there is read_at. */
	int64_t (*read)(void *user, void *buf, size_t n);
	/*
	 * At most n bytes from this offset on, in a trace of `length` bytes in all.
	 * NULL: the trace is a stream. A .zstf in a stream is read from its start
	 * to its end: what takes its index, which is at the end, fails.
	 */
	int64_t (*read_at)(void *user, void *buf, size_t n, uint64_t offset);
	uint64_t length;
};

/* The same from these functions; *calls is copied. */
struct stf_reader *stf_reader_open_calls(const struct stf_read_calls *calls,
					 const struct stf_reader_opts *opts,
					 struct stf_error *err);

/*
 * The next record, the header's included. Returns 1, or 0 at the end of the
 * trace, or STF_E_CUT, STF_E_DESC, STF_E_VALUE, STF_E_VERSION (of a second
 * VERSION), STF_E_CONTAINER, STF_E_IO, STF_E_NOMEM. Once it failed it goes on
 * returning the same. Header records behind the header are returned, and change
 * nothing.
 */
int stf_reader_next(struct stf_reader *reader, struct stf_record *rec);

/*
 * The next records, at most n (more than 0), in one call, which is faster; some
 * hundred are enough. What they point at stays valid until the next call on the
 * reader. Returns how many, fewer than n whenever that is convenient, or 0 or an
 * error as stf_reader_next() does; those before the error were returned by then.
 */
int stf_reader_read(struct stf_reader *reader, struct stf_record *recs,
		    unsigned int n);

/* Returns the text of the last error, with the file and the place; "" if none. */
const char *stf_reader_error(const struct stf_reader *reader);

/* Returns what the header said; never NULL, the reader's. */
const struct stf_params *stf_reader_params(const struct stf_reader *reader);
/* Fill in *stats but for its size, which is set: what was read so far. */
void stf_reader_stats(const struct stf_reader *reader, struct stf_stats *stats);

/* Free the reader. NULL is allowed. */
void stf_reader_close(struct stf_reader *reader);

/* ----------------------------------------------------- instructions of a trace */

struct stf_inst_iter;

/* struct stf_inst.flags: what stands in the instruction's group. */
enum stf_inst_flags {
	STF_INST_F_TAKEN = 1 << 0, /* INST_PC_TARGET: a branch or jump, taken */
	STF_INST_F_EVENT = 1 << 1, /* EVENT, other than a MODE_CHANGE */
	STF_INST_F_EVENT_TARGET = 1 << 2, /* EVENT_PC_TARGET */
	STF_INST_F_MODE = 1 << 3, /* EVENT MODE_CHANGE */
	STF_INST_F_FORCE_PC = 1 << 4, /* FORCE_PC, in front of it */
	/* The FORCE_PC is no start of the trace and leads elsewhere than the
	 * instruction before: something is missing here. */
	STF_INST_F_GAP = 1 << 5,
	STF_INST_F_PROCESS = 1 << 6, /* PROCESS_ID_EXT */
	STF_INST_F_MEM = 1 << 7, /* INST_MEM_ACCESS */
	STF_INST_F_BUS = 1 << 8, /* BUS_MASTER_ACCESS */
	STF_INST_F_COMMENT = 1 << 9, /* COMMENT */
	STF_INST_F_OTHER = 1 << 10, /* any other record */
};

struct stf_inst {
	uint64_t index; /* 0 and on */
	uint64_t pc;
	uint64_t next_pc; /* where this instruction leads */
	uint32_t opcode;
	uint8_t size; /* bytes: 2 or 4 */
	/*
	 * enum stf_mode, in which it executes. A MODE_CHANGE holds from the
	 * next instruction on, or, where it states the mode at a start (the
	 * first group, or one with FORCE_PC), for its own.
	 */
	uint8_t mode;
	uint16_t flags; /* enum stf_inst_flags */
	struct stf_process process; /* 0s before the first PROCESS_ID_EXT */
};

/*
 * Iterate over the instructions of a trace that was just opened, or of which
 * the header was read, up to END_HEADER. The reader stays the caller's, but is
 * not to be used itself as long as the iterator lives. inst_size is
 * sizeof(struct stf_inst). Returns NULL if there is no memory, or inst_size is
 * none; the text is stf_reader_error()'s.
 */
struct stf_inst_iter *stf_inst_iter_new(struct stf_reader *reader,
					size_t inst_size);

/*
 * The next instruction. Returns 1, or 0 at the end, or an error as
 * stf_reader_next() does, or STF_E_ORDER for an instruction before any FORCE_PC
 * and for a trace of transactions. The text is stf_reader_error()'s.
 */
int stf_inst_iter_next(struct stf_inst_iter *iter, struct stf_inst *inst);

/*
 * Go to instruction `index`: stf_inst_iter_next() returns it next. Through a
 * .zstf in a file this takes the reading of one chunk; in other traces all
 * before it is read, and going back is not possible. After a jump into a .zstf
 * mode and process are unknown (STF_MODE_UNKNOWN, 0s) until the trace says them
 * again. Returns 1, or 0 if the trace has fewer instructions, STF_E_INVAL for
 * going back where that is not possible, after which the iterator goes on from
 * where it was, or an error as stf_inst_iter_next().
 */
int stf_inst_iter_seek(struct stf_inst_iter *iter, uint64_t index);

/*
 * The records of the group of the instruction just returned, in order, its
 * opcode as the last; after the end of the trace, those that follow the last
 * opcode. Returns 1, or 0 after the last, before the first instruction and after
 * an error.
 */
int stf_inst_iter_record(struct stf_inst_iter *iter, struct stf_record *rec);

/* Free the iterator. NULL is allowed. */
void stf_inst_iter_free(struct stf_inst_iter *iter);

/* -------------------------------------------------------------- the checker */

/* What can be wrong with a trace that can be read; stf_rule_text() says it. */
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
	/* No fault of the trace, but of readers. */
	STF_RULE_FSDSP_POPRET,
	STF_N_RULES
};

/* Returns "MEM_MISSING"; NULL for an unknown number. */
const char *stf_rule_name(unsigned int rule);

/* Returns "a load or store without INST_MEM_ACCESS"; NULL for an unknown
 * number. */
const char *stf_rule_text(unsigned int rule);

/* How often a rule is broken, and where for the first time. */
struct stf_found {
	uint64_t count;
	uint64_t offset; /* of the record, in the uncompressed trace; bytes */
	uint64_t record; /* its number, 0 and on */
	uint64_t instruction; /* to whose group it belongs, 0 and on */
	uint64_t pc; /* of that, as far as it is known; else 0 */
};

struct stf_check {
	size_t size; /* sizeof(struct stf_check); the rest is the checker's */
	uint8_t last_desc;
	struct stf_found found[STF_N_RULES];
};

/*
 * Read a trace that was just opened to its end and check it. Returns 0, with
 * what was found in *check, or an error as stf_reader_next() does; then *check
 * is about what came before. STF_E_INVAL for a reader that was read from.
 */
int stf_check(struct stf_reader *reader, struct stf_check *check);

/* --------------------------------------------------------------- the writer */

struct stf_writer;

struct stf_writer_opts {
	size_t size; /* sizeof(struct stf_writer_opts) */
	enum stf_container container;
	uint64_t chunk_markers; /* .zstf: opcodes per chunk; 0: 100000 */
	int level; /* .zstf: zstd's, 1 to 19; 0: 3 */
	bool spec_initiators; /* count initiators from CORE = 0 */
	unsigned int event_bits; /* as in struct stf_reader_opts */
	/*
	 * Threads that compress the chunks of a .zstf. 0: one for each CPU, at
	 * most 8; STF_NO_THREADS: none, all is done in the caller's.
	 */
	unsigned int threads;
	const char *name; /* as in struct stf_reader_opts */
};

/* The header, for stf_write_header(). */
struct stf_header {
	size_t size; /* sizeof(struct stf_header) */
	const char *const *comments; /* NULL-terminated; one at least */
	uint16_t isa; /* 0: STF_ISA_RISCV */
	uint16_t iem; /* 0: STF_IEM_RV64 */
	uint8_t generator; /* enum stf_generator */
	uint8_t gen_major;
	uint8_t gen_minor;
	uint8_t gen_patch;
	const char *gen_text; /* the producer, in words */
	/* STF_FEATURE_RV64 and _EVENT64 are added for STF_IEM_RV64. */
	uint64_t features;
	uint32_t vlen; /* bits; 0: no VLEN_CONFIG */
	const char *isa_string; /* NULL: no ISA_EXTENDED */
	const struct stf_process *process; /* NULL: none */
	uint64_t pc; /* of the first instruction: FORCE_PC */
};

/*
 * Create a trace. It is written under a temporary name beside path and gets its
 * name in stf_writer_close(). "-" is standard output, plain. What is no regular
 * file (a pipe, /dev/null) is written directly. A .zstf is readable at any time
 * between two chunks, under its temporary name too. opts may be NULL. Returns
 * the writer, or NULL, with the reason in *err (if not NULL): STF_E_INVAL,
 * STF_E_NOMEM, STF_E_IO.
 */
struct stf_writer *stf_writer_open(const char *path,
				   const struct stf_writer_opts *opts,
				   struct stf_error *err);

/*
 * The same to a descriptor, from where it stands; plain, unless the options say
 * otherwise. It stays the caller's and may be closed at once: the writer has a copy of
 * its own. A .zstf takes a file that can be sought, is not open for appending, and has
 * no bytes behind that place. What was written stays after stf_writer_abort().
 */
struct stf_writer *stf_writer_open_fd(int fd, const struct stf_writer_opts *opts,
				      struct stf_error *err);

/*
 * The caller's functions that write a trace. They return how many bytes, 1 or more, or -1
 * with errno set (EINTR: they are called again). They are called only while the caller is
 * in a function of the writer, in the same thread. What `user` points to stays the
 * caller's.
 */
struct stf_write_calls {
	size_t size; /* sizeof(struct stf_write_calls) */
	void *user; /* for the functions */
	int64_t (*write)(void *user, const void *data, size_t n);
	/*
	 * At this offset. Only a .zstf is written with it, since its index at the end
	 * moves with each chunk. NULL: no .zstf can be written.
	 */
	int64_t (*write_at)(void *user, const void *data, size_t n,
			    uint64_t offset);
};

/* The same to these functions; *calls is copied. */
struct stf_writer *stf_writer_open_calls(const struct stf_write_calls *calls,
					 const struct stf_writer_opts *opts,
					 struct stf_error *err);

/*
 * Write one record. Returns 0, or
 *	STF_E_ORDER	it may not stand here, by the rules of the header and of
 *			an instruction's group; nothing is written
 *	STF_E_VALUE	a field holds what the format does not define, or what
 *			does not fit; nothing is written
 *	STF_E_IO, STF_E_NOMEM	the trace is lost; every later call fails too
 */
int stf_write(struct stf_writer *writer, const struct stf_record *rec);

/*
 * The whole header, in the right order, up to END_HEADER. The process is
 * repeated after END_HEADER, as some readers skip it in the header. A comment is
 * demanded, as the specification does; stf_write() takes a header without one,
 * so that traces of simulators can be copied. Returns as stf_write(), or
 * STF_E_INVAL for a wrong size and for no comment.
 */
int stf_write_header(struct stf_writer *writer, const struct stf_header *hdr);

/* stf_write() for single kinds of records; all return as it does. */
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

/* INST_32 or INST_16 by size, 4 or 2: closes the group. */
int stf_write_inst(struct stf_writer *writer, uint32_t opcode,
		   unsigned int size);

/*
 * The same for each instruction of a straight line: size bytes of RISC-V code as it
 * lies in memory. The last one leads to *target, which is the INST_PC_TARGET in its
 * group; NULL: to the next. STF_E_VALUE for an instruction that is cut short or
 * longer than 4 bytes; those before it are written.
 */
int stf_write_code(struct stf_writer *writer, const void *code, size_t size,
		   const uint64_t *target);

/*
 * The PC of the next opcode, if no FORCE_PC comes before it, in *pc. Returns
 * false, and leaves *pc alone, before the first FORCE_PC.
 */
bool stf_writer_pc(const struct stf_writer *writer, uint64_t *pc);

/* Returns the text of the last error, "" if none. */
const char *stf_writer_error(const struct stf_writer *writer);

/* Fill in *stats but for its size, which is set: what was written so far. */
void stf_writer_stats(const struct stf_writer *writer, struct stf_stats *stats);

/*
 * Complete the trace, give it its name, and free the writer, in any case.
 * Returns 0, or, with the text in *err (if not NULL) and no file left behind,
 * the earlier STF_E_IO or STF_E_NOMEM, or STF_E_ORDER when the header or a
 * group was not closed.
 */
int stf_writer_close(struct stf_writer *writer, struct stf_error *err);

/* Give up: remove what was written, free the writer. NULL is allowed. */
void stf_writer_abort(struct stf_writer *writer);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
