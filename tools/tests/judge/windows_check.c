// SPDX-License-Identifier: GPL-2.0-only
/*
 * Are windows true? Holds a trace of windows and its table against the log of all that the
 * program executed.
 *
 *   windows_check LOG WINDOW TRACE TABLE LEAST PERCENT [PID]...
 *
 * LOG is what the plug-in `transfers` wrote, WINDOW the number under which it logged the
 * program, which has one thread. The table has at least LEAST windows, PERCENT of those
 * that were begun. Each window must be a substring of what was executed, with its opcodes
 * and targets, and begin within 500 instructions of the place that the table tells. The weights must add up
 * to what was executed, and each window must lie in the part that it stands for.
 *
 * With PIDs, the recording is of harts, and WINDOW is a list of the numbers of these
 * programs, which have one thread each. Of the windows in the trace, those of the PIDs are
 * judged: each must be a substring of what its program executed. A hart's places and weights
 * are not compared, because the log does not have all that ran there.
 *
 * When all of this holds, the judge itself is tried: it must not believe windows with an
 * opcode changed, or with an instruction left out or twice.
 */
#include <inttypes.h>

#include "executed.h"
#include "log.h"
#include "trace.h"

enum { ECALL = 8 };

/*
 * How far from its place a window may be, in instructions. The place is that of the kernel's
 * counter, which also counts what came before the log. Loops fit at several places.
 */
enum { SLACK = 500 };

/* So many instructions more may be in a window that would end with a taken branch. */
enum { MORE = 16 };

struct insn {
	uint64_t pc;
	uint32_t opcode;
};

static struct insn *insns;
static size_t nr_insns, room_insns;

struct row {
	uint64_t number, start, length, weight, place, pid;
};

static struct row *rows;
static size_t nr_rows, room_rows;
static uint64_t size, every, complete, left_out, total;

static bool read_trace(const char *path)
{
	struct stf_reader *reader;
	struct stf_inst_iter *iter;
	struct stf_inst inst;
	int ret;

	iter = open_trace(path, &reader);
	while ((ret = stf_inst_iter_next(iter, &inst)) > 0) {
		insns = grow(insns, nr_insns, &room_insns, sizeof(*insns));
		insns[nr_insns++] = (struct insn){ inst.pc, inst.opcode };
	}
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
	return !ret;
}

static bool read_table(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];
	struct row row;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "size %" SCNu64, &size);
		sscanf(line, "every %" SCNu64, &every);
		sscanf(line, "left-out %" SCNu64, &left_out);
		sscanf(line, "phase 0 %" SCNu64 " %" SCNu64, &complete, &total);
		if (sscanf(line,
			   "recorded %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %" SCNu64,
			   &row.number, &row.start, &row.length, &row.weight,
			   &row.place, &row.pid) != 6)
			continue;
		rows = grow(rows, nr_rows, &room_rows, sizeof(*rows));
		rows[nr_rows++] = row;
	}
	fclose(file);
	return nr_rows && nr_rows == complete;
}

/* Where the program is. */
struct point {
	uint32_t step;
	uint64_t pc;
	uint64_t index; /* of the next instruction */
};

/* The next instruction that is executed. False: there is none. */
static bool execute(const struct stream *stream, struct point *at, struct insn *insn)
{
	const struct step *step = &stream->steps[at->step], *end = stream->steps + stream->nr;

	while (step < end && step->from == at->pc && step->kind == STEP_PAUSE &&
	       step->insn != ECALL) {
		at->pc = step->to;
		at->step++;
		step++;
	}
	if (step == end || at->pc == NOWHERE)
		return false;
	insn->pc = at->pc;
	insn->opcode = code_at(at->pc, step->at);
	at->index++;
	if (step->from == at->pc) {
		at->pc = step->to;
		at->step++;
	} else {
		at->pc += (insn->opcode & 3) == 3 ? 4 : 2;
	}
	return true;
}

static size_t count_same(const struct stream *stream, struct point at, const struct insn *from,
			 size_t nr)
{
	struct insn insn;
	size_t i;

	for (i = 0; i < nr && execute(stream, &at, &insn); i++)
		if (insn.pc != from[i].pc || insn.opcode != from[i].opcode)
			break;
	return i;
}

/*
 * Search from *at on, up to instruction `last`. Returns whether it is there, at *at. *most is
 * how many instructions were the same at the best place.
 */
static bool find(const struct stream *stream, struct point *at, const struct insn *from,
		 size_t nr, uint64_t last, size_t *most)
{
	struct insn insn;

	*most = 0;
	while (at->index <= last) {
		const size_t same = count_same(stream, *at, from, nr);

		if (same > *most)
			*most = same;
		if (same == nr)
			return true;
		if (!execute(stream, at, &insn))
			return false;
	}
	return false;
}

static bool find_near(const struct stream *stream, struct point *at, const struct insn *from,
		      size_t nr, size_t *most)
{
	return find(stream, at, from, nr, at->index + 2 * SLACK, most);
}

static bool go_to(const struct stream *stream, struct point *at, uint64_t index)
{
	struct insn insn;

	while (at->index < index)
		if (!execute(stream, at, &insn))
			return false;
	return true;
}

/* What must not be believed of a window that is true. */
static unsigned int count_believed(const struct stream *stream, struct point from,
				   const struct row *row)
{
	struct insn *lie = allocate(row->length + 1, sizeof(*lie));
	const struct insn *truth = insns + row->start;
	const size_t at = 1 + row->number * 7919 % (row->length - 2);
	unsigned int believed = 0;
	struct point place;
	size_t most;

	memcpy(lie, truth, row->length * sizeof(*lie));
	lie[at].opcode ^= 1 << 9;
	place = from;
	believed += find_near(stream, &place, lie, row->length, &most);
	memcpy(lie + at, truth + at + 1, (row->length - at - 1) * sizeof(*lie));
	place = from;
	believed += find_near(stream, &place, lie, row->length - 1, &most);
	memcpy(lie, truth, at * sizeof(*lie));
	memcpy(lie + at, truth + at - 1, (row->length - at + 1) * sizeof(*lie));
	place = from;
	believed += find_near(stream, &place, lie, row->length + 1, &most);
	free(lie);
	return believed;
}

/* What the program with this PID executed; NULL: it is none of them. */
static const struct stream *stream_of(uint64_t pid, const char *windows, char **pids, int nr)
{
	for (int k = 0; k < nr; k++, windows += strcspn(windows, ",") + 1) {
		if (strtoull(pids[k], NULL, 0) != pid)
			continue;
		for (unsigned int i = 0; i < nr_streams; i++)
			if (streams[i].window == strtoul(windows, NULL, 0))
				return &streams[i];
	}
	return NULL;
}

/*
 * In what the program executed behind its window before, whose place is *place. *place is set
 * to where it is.
 */
static bool find_behind(const struct stream *stream, struct point *place, const struct row *row,
			size_t *most)
{
	struct point at = *place;

	*most = 0;
	if (!at.index)
		at.pc = stream->start;
	if (row->start + row->length > nr_insns ||
	    !find(stream, &at, insns + row->start, row->length, UINT64_MAX, most))
		return false;
	*place = at;
	return true;
}

/* The last judgements, of nr windows. @wanted: LEAST PERCENT. */
static void report_end(const char *name, uint64_t nr, char **wanted, bool true_windows,
		       unsigned int tried, unsigned int believed)
{
	report(nr >= strtoull(wanted[0], NULL, 0), name, "there are enough windows");
	report(nr_rows * 100 >= (nr_rows + left_out) * strtoull(wanted[1], NULL, 0), name,
	       "enough of them are complete");
	printf("# %u of %u changed windows believed\n", believed, tried);
	report(true_windows && tried && !believed, name,
	       "windows that are not true are told from those that are");
	printf("1..%u\n", nr_tests);
}

/* @args: WINDOW TRACE TABLE LEAST PERCENT. */
static int judge_harts(char **args, char **pids, int nr_pids)
{
	const char *name = strrchr(args[1], '/') ? strrchr(args[1], '/') + 1 : args[1];
	uint64_t wrong = 0, of_programs = 0;
	unsigned int believed = 0, tried = 0;
	struct point places[sizeof(streams) / sizeof(*streams)] = {};
	bool all = true, log = (int)nr_streams == nr_pids;

	for (unsigned int i = 0; i < nr_streams; i++)
		log = log && believe(&streams[i]);
	report(log, name, "the log is a path through the code");
	report(read_trace(args[1]), name, "the trace reads to its end");
	report(read_table(args[2]), name, "the table has the windows that it counts");
	for (size_t i = 0; i < nr_rows; i++) {
		const struct stream *stream = stream_of(rows[i].pid, args[0], pids, nr_pids);
		size_t most;

		if (!stream)
			continue;
		if (!find_behind(stream, &places[stream - streams], &rows[i], &most)) {
			printf("# window %zu: only %zu of %" PRIu64 " instructions ran so\n", i,
			       most, rows[i].length);
			wrong++;
			continue;
		}
		if (of_programs++ % 8)
			continue;
		tried += 3;
		believed += count_believed(stream, places[stream - streams], &rows[i]);
	}
	for (unsigned int i = 0; i < nr_streams; i++)
		all = all && places[i].index;
	printf("# %s: %zu windows of %" PRIu64 " instructions, %" PRIu64
	       " left out; %" PRIu64 " of the programs\n",
	       name, nr_rows, size, left_out, of_programs);
	report(!wrong && of_programs, name, "each window was executed exactly so");
	report(all, name, "each program has windows");
	report_end(name, of_programs, args + 3, !wrong, tried, believed);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t wrong = 0, furthest = 0, apart = 0, weights = 0, start = 0;
	unsigned int believed = 0, tried = 0;
	const struct stream *stream = &streams[0];
	struct point at = { 0 };
	const char *name;
	struct log log;
	bool whole;

	if (argc < 7) {
		fprintf(stderr, "usage: windows_check LOG WINDOW TRACE TABLE LEAST PERCENT [PID]...\n");
		return 2;
	}
	log = open_log(argv[1]);
	name = strrchr(argv[3], '/') ? strrchr(argv[3], '/') + 1 : argv[3];
	if (!read_executed(&log, argv[2])) {
		fprintf(stderr, "%s: window %s is empty\n", argv[1], argv[2]);
		return 2;
	}
	if (argc > 7)
		return judge_harts(argv + 2, argv + 7, argc - 7);
	report(nr_streams == 1 && believe(stream), name, "the log is a path through the code");
	report(read_trace(argv[3]), name, "the trace reads to its end");
	whole = read_table(argv[4]);
	report(whole, name, "the table has the windows that it counts");
	at.pc = stream->start;
	for (size_t i = 0; i < nr_rows; i++) {
		const struct row *row = &rows[i];
		struct point from;
		uint64_t off;
		size_t most;

		apart += row->number != i || row->start != start || row->length < size ||
			 row->length > size + MORE ||
			 row->place < weights || row->place >= weights + row->weight;
		start += row->length;
		weights += row->weight;
		go_to(stream, &at, row->place > SLACK ? row->place - SLACK : 0);
		from = at;
		if (start > nr_insns ||
		    !find_near(stream, &from, insns + row->start, row->length, &most)) {
			printf("# window %zu: only %zu of %" PRIu64 " instructions ran so\n", i,
			       most, row->length);
			wrong++;
			continue;
		}
		off = from.index > row->place ? from.index - row->place :
						row->place - from.index;
		furthest = off > furthest ? off : furthest;
		if (i % 16)
			continue;
		tried += 3;
		believed += count_believed(stream, at, row);
	}
	printf("# %s: %zu windows of %" PRIu64 " instructions, %" PRIu64
	       " left out; %" PRIu64 " instructions ran, and %" PRIu64
	       " were counted; windows begin up to %" PRIu64 " from their places\n",
	       name, nr_rows, size, left_out, stream->nr_insns, total, furthest);
	report(!wrong && start == nr_insns, name,
	       "each window was executed exactly so, at its place");
	report(!apart && weights == total, name, "each window lies in what it stands for");
	report(total > stream->nr_insns * 0.999 && total < stream->nr_insns * 1.001, name,
	       "the weights add up to what was executed");
	report_end(name, nr_rows, argv + 5, !wrong, tried, believed);
	return 0;
}
