// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of the plug-in `transfers` as Spike's CSV of instructions: all that a
 * program of one thread executed in user mode, and the traps that it was left by.
 *
 *	log_csv LOG WINDOW
 */
#include <inttypes.h>

#include "executed.h"

#define INTERRUPT	(UINT64_C(1) << 63)

static void print_insn(uint64_t pc, uint32_t opcode)
{
	printf("1,%" PRIx64 ",%" PRIx32 ",0,0,0,0,0\n", pc, opcode);
}

static void print_trap(uint64_t pc, uint32_t opcode, uint32_t cause)
{
	bool interrupt = cause & TRANSFER_LOG_INTERRUPT;
	uint64_t ecause = cause & ~TRANSFER_LOG_INTERRUPT;

	printf("1,%" PRIx64 ",%" PRIx32 ",0,1,%" PRIx64 ",0,%u\n", pc, opcode,
	       ecause | (interrupt ? INTERRUPT : 0), interrupt);
}

int main(int argc, char **argv)
{
	const struct stream *stream = &streams[0];
	struct log log;
	uint64_t pc;

	if (argc != 3) {
		fprintf(stderr, "usage: log_csv LOG WINDOW\n");
		return 2;
	}
	log = open_log(argv[1]);
	if (!read_executed(&log, argv[2]) || nr_streams != 1 ||
	    !believe(stream)) {
		fprintf(stderr, "%s: window %s is no program of one thread\n",
			argv[1], argv[2]);
		return 1;
	}
	puts("VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT");
	pc = stream->start;
	for (size_t i = 0; i < stream->nr; i++) {
		const struct step *step = &stream->steps[i];

		while (pc != step->from) {
			uint32_t opcode = code_at(pc, step->at);

			print_insn(pc, opcode);
			pc += (opcode & 3) == 3 ? 4 : 2;
		}
		if (step->kind == STEP_TRANSFER)
			print_insn(pc, step->insn);
		else if (step->insn != NO_CAUSE)
			print_trap(pc, code_at(pc, step->at), step->insn);
		pc = step->to;
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("log_csv");
		return 1;
	}
	return 0;
}
