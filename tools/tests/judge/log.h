/* SPDX-License-Identifier: GPL-2.0-only */
/* What judges of the log of transfers have in common. */
#ifndef JUDGE_LOG_H
#define JUDGE_LOG_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transfer_log.h"

#define NONE		UINT32_MAX

static inline const void *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	const void *data;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		perror(path);
		exit(2);
	}
	*size = st.st_size;
	data = mmap(NULL, st.st_size ? st.st_size : 1, PROT_READ, MAP_PRIVATE,
		    fd, 0);
	if (data == MAP_FAILED) {
		perror(path);
		exit(2);
	}
	close(fd);
	return data;
}

static inline void *allocate(size_t nr, size_t size)
{
	void *memory = calloc(nr, size);

	if (!memory) {
		fprintf(stderr, "no memory\n");
		exit(2);
	}
	return memory;
}

/* Room for one element more than nr. */
static inline void *grow(void *memory, size_t nr, size_t *room,
			 size_t size)
{
	if (nr < *room)
		return memory;
	*room = *room ? 2 * *room : 256;
	memory = realloc(memory, *room * size);
	if (!memory) {
		fprintf(stderr, "no memory\n");
		exit(2);
	}
	return memory;
}

static unsigned int nr_tests;

static inline bool report(bool passed, const char *name, const char *promise)
{
	printf("%sok %u %s: %s\n", passed ? "" : "not ", ++nr_tests, name,
	       promise);
	return passed;
}

/* A line of TAP: nothing was there to try the promise by. */
static inline void skip(const char *name, const char *promise, const char *reason)
{
	printf("ok %u %s: %s # SKIP %s\n", ++nr_tests, name, promise, reason);
}

struct log {
	const struct transfer_log_record *records;
	uint64_t nr;
};

static inline struct log open_log(const char *path)
{
	const struct transfer_log_header *header;
	struct log log;
	size_t size;

	header = map_file(path, &size);
	if (size < sizeof(*header) ||
	    memcmp(header->magic, TRANSFER_LOG_MAGIC, sizeof(header->magic)) ||
	    header->nr != (size - sizeof(*header)) / sizeof(*log.records) ||
	    header->nr >= NONE) {
		fprintf(stderr, "%s: not a whole log\n", path);
		exit(2);
	}
	log.records = (const void *)(header + 1);
	log.nr = header->nr;
	return log;
}

#endif
