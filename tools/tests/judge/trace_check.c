// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is a trace true to the code? Holds each instruction of an STF trace against the
 * bytes of the file that was mapped there, by perf's own list of mappings and
 * the files' contents, read here without the product's libraries for either.
 *
 *   trace_check TRACE MAPS SYMFS LEAST
 *
 * MAPS is the output of `perf script --show-mmap-events`. At least LEAST
 * instructions must be there.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stf/stf.h"

#define MAX_MAPS 4096

static struct map {
	int pid;
	uint64_t start, end, pgoff;
	const uint8_t *file;	/* NULL: not a file that can be read */
	uint64_t size;
} maps[MAX_MAPS];
static unsigned int nr_maps;

static void map_file(struct map *map, const char *symfs, const char *name)
{
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s%s", symfs, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		map->file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		map->size = st.st_size;
		if (map->file == MAP_FAILED)
			map->file = NULL;
	}
	close(fd);
}

static void read_maps(const char *path, const char *symfs)
{
	FILE *file = fopen(path, "r");
	char line[4096];

	if (!file) {
		perror(path);
		exit(2);
	}
	while (fgets(line, sizeof(line), file)) {
		struct map *map = &maps[nr_maps];
		char *at = strstr(line, "PERF_RECORD_MMAP"), *name;
		uint64_t length;

		at = at ? strchr(at, ' ') : NULL;
		if (!at || sscanf(at, " %d/%*d: [0x%" SCNx64 "(0x%" SCNx64 ") @ %" SCNi64,
				  &map->pid, &map->start, &length,
				  (int64_t *)&map->pgoff) != 4)
			continue;
		line[strcspn(line, "\n")] = 0;
		name = strrchr(line, ' ') + 1;
		map->end = map->start + length;
		map->file = NULL;
		if (name[0] == '/' && name[1] != '/')
			map_file(map, symfs, name);
		if (map->file && ++nr_maps == MAX_MAPS)
			break;
	}
	fclose(file);
}

/* The bytes at @pc in any of the process's mappings agree with the opcode? */
static bool in_code(int pid, uint64_t pc, uint32_t opcode, unsigned int size)
{
	for (unsigned int i = 0; i < nr_maps; i++) {
		const struct map *map = &maps[i];
		uint64_t at = pc - map->start + map->pgoff;

		if (map->pid == pid && pc >= map->start && pc < map->end &&
		    at + size <= map->size &&
		    !memcmp(map->file + at, &opcode, size))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	uint64_t insts = 0, taken = 0, wrong_code = 0, wrong_target = 0;
	struct stf_inst inst, last = {};
	struct stf_inst_iter *iter;
	struct stf_reader *reader;
	struct stf_error err;
	int rc;

	if (argc != 5) {
		fprintf(stderr, "usage: trace_check TRACE MAPS SYMFS LEAST\n");
		return 2;
	}
	read_maps(argv[2], argv[3]);
	reader = stf_reader_open(argv[1], NULL, &err);
	if (!reader) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	while ((rc = stf_inst_iter_next(iter, &inst)) == 1) {
		insts++;
		if (!in_code(inst.process.pid, inst.pc, inst.opcode, inst.size) &&
		    !wrong_code++)
			printf("# at %#" PRIx64 ": no mapping has %#x there\n",
			       inst.pc, inst.opcode);
		/* After a taken branch stands the instruction at its target. */
		if (last.flags & STF_INST_F_TAKEN) {
			taken++;
			if (inst.pc != last.next_pc && !wrong_target++)
				printf("# %#" PRIx64 " leads to %#" PRIx64 ", but %#" PRIx64 " follows\n",
				       last.pc, last.next_pc, inst.pc);
		}
		last = inst;
	}
	if (rc < 0)
		printf("# %s\n", stf_reader_error(reader));
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
	printf("# %" PRIu64 " instructions, %" PRIu64 " taken branches, %u mappings\n",
	       insts, taken, nr_maps);
	printf("1..4\n");
	printf("%sok 1 the_trace_reads_to_its_end\n", rc < 0 ? "not " : "");
	printf("%sok 2 there_are_as_many_instructions_as_expected\n",
	       insts < strtoull(argv[4], NULL, 0) ? "not " : "");
	printf("%sok 3 each_opcode_is_what_the_file_has_at_its_pc\n",
	       wrong_code ? "not " : "");
	printf("%sok 4 each_target_is_the_next_instructions_pc\n",
	       wrong_target || !taken ? "not " : "");
	return 0;
}
