/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel module wrote into the kernel's log when the kernel died (oops=N): reports
 * with the last transfers. The log can be of dmesg, a serial console or pstore, with any
 * prefix before its lines, and parts of it may be missing.
 */
#ifndef CONSOLE_LOG_H
#define CONSOLE_LOG_H

#include "base/error.h"
#include "base/hash.h"
#include "last/steps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The name of functions, or of a module. Equal names are one word. */
struct con_word {
	char *text;
	uint32_t functions; /* the newest function of this name, or CON_NOWHERE */
};

/* A function as the log names it. */
struct con_function {
	const char *name, *module; /* words; the module is "" in the kernel itself */
	uint64_t size; /* bytes up to the next function */
	uint32_t module_word; /* the number of the module's word */
	uint32_t next; /* another function of the same name, or CON_NOWHERE */
};

enum {
	CON_ADDRESS = UINT32_MAX, /* no function, but an address */
	CON_USER = UINT32_MAX - 1, /* user code, whose address the log does not tell */
	CON_NOWHERE = UINT32_MAX, /* the number of no place */
};

/* A place in the code. Equal places have one number. */
struct con_place {
	uint32_t function; /* its number, CON_ADDRESS or CON_USER */
	uint64_t offset; /* from the function's start, or the address */
};

struct con_transfer {
	uint32_t from, to; /* places */
	enum last_end end; /* of the code before it */
	uint32_t times; /* in a row */
	bool after_gap; /* a line before it cannot be read */
};

/* One oops, or one panic. */
struct con_report {
	char what[256]; /* what the kernel said of it; "" is not known */
	char comm[32]; /* the task; "" is not known */
	uint32_t pid; /* of the task */
	bool panicked;
	int cpu; /* -1: not known */
	/* The transfers that the module had, or 0 if the log does not tell. */
	uint64_t said;
	bool none; /* it had none */
	char why[96]; /* as the module says why; "": it had some, or does not say */
	uint32_t epc; /* the place of the exception, or CON_NOWHERE */
	char caller[24]; /* who wrote the lines, if the log tells; otherwise "" */
	struct con_transfer *v; /* the oldest first */
	size_t nr, cap;
	uint64_t nr_records; /* with all repetitions */
	uint64_t nr_unread; /* lines that cannot be read */
	bool gap; /* the last line could not be read */
};

/* Set all members to 0 first. con_log_free() frees what they hold. */
struct con_log {
	struct con_report *reports; /* in the order of the log */
	size_t nr, cap;
	uint64_t nr_dropped; /* reports beyond CON_MAX_REPORTS */
	struct con_word *words;
	size_t nr_words, cap_words;
	struct con_function *functions;
	size_t nr_functions, cap_functions;
	struct con_place *places;
	size_t nr_places, cap_places;
	struct hash by_text, by_function, by_place;
};

enum {
	CON_MAX_REPORTS = 1000,
	CON_MAX_RECORDS = 256, /* of a hart, and so of a report */
};

/*
 * Read a log to its end. name is for the text of an error. Returns 0, ERROR_NOMEM,
 * ERROR_INPUT if it cannot be read, or ERROR_NOTHING if it has no report.
 */
int con_log_read(struct con_log *log, FILE *file, const char *name, struct error *error);
void con_log_free(struct con_log *log);

/* Returns a function of this name, or CON_NOWHERE. Its member next leads to the others. */
uint32_t con_functions_named(const struct con_log *log, const char *name);

/* Returns how many transfers are missing that the report should have. */
uint64_t con_missing(const struct con_report *report);

#endif
