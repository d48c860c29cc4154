// SPDX-License-Identifier: GPL-2.0-only
#include "path/made.h"
#include "base/array.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Parents that are asked; there may be a circle of them. */
enum { GENERATIONS = 8 };

struct process {
	uint32_t pid;
	struct img_file *map; /* NULL: there is none */
	bool lacks; /* a name was asked for, and there is no map */
	/* samples, in the process that ran; of PATH_MADE_SEVERAL, in that of the map */
	uint64_t samples[PATH_MADE_NR];
};

/* Names of a list that a file has got. */
struct loan {
	struct img_file *list, *file;
	uint64_t start, end, offset;
};

struct path_made {
	struct pd_space *space;
	struct img *img;
	struct process *processes; /* all that were asked for */
	size_t nr, cap;
	struct hash pids;
	struct loan *loans;
	size_t nr_loans, cap_loans;
	struct hash loan_index;
	uint64_t samples;
};

struct path_made *path_made_new(struct pd_space *space, struct img *img)
{
	struct path_made *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->space = space;
	made->img = img;
	return made;
}

void path_made_free(struct path_made *made)
{
	if (!made)
		return;
	free(made->processes);
	hash_free(&made->pids);
	free(made->loans);
	hash_free(&made->loan_index);
	free(made);
}

/* NULL: out of memory. */
static struct process *process_of(struct path_made *made, uint32_t pid)
{
	struct hash_slot *slot;

	if (!hash_room(&made->pids) || !array_room(&made->processes, made->nr, &made->cap,
						   sizeof(*made->processes)))
		return NULL;
	hash_for_each(&made->pids, slot, hash_u64(pid))
		if (made->processes[slot->number - 1].pid == pid)
			return &made->processes[slot->number - 1];
	hash_put(&made->pids, slot, hash_u64(pid), made->nr);
	made->processes[made->nr] = (struct process){
		.pid = pid, .map = img_perf_map(made->img, pid)
	};
	return &made->processes[made->nr++];
}

/* The perf maps of a process and of its parents, one after the other. NULL: no more. */
struct maps {
	uint32_t pid;
	unsigned int generation;
};

static struct process *next_process(struct path_made *made, struct maps *maps)
{
	struct process *proc;

	if (maps->generation++ == GENERATIONS || maps->pid == PD_NO_ID)
		return NULL;
	proc = process_of(made, maps->pid);
	maps->pid = pd_space_parent(made->space, maps->pid);
	return proc;
}

static struct img_file *next_map(struct path_made *made, struct maps *maps)
{
	const struct process *proc;

	while ((proc = next_process(made, maps)))
		if (proc->map)
			return proc->map;
	return NULL;
}

static void note_lack(struct path_made *made, uint32_t pid)
{
	struct maps maps = { .pid = pid };
	struct process *proc;

	while ((proc = next_process(made, &maps)))
		proc->lacks = true;
}

/* The process whose map has a name for an address of this one. NULL: there is none. */
static struct process *find_namer(struct path_made *made, uint32_t pid, uint64_t addr)
{
	struct maps maps = { .pid = pid };
	struct process *proc;
	const char *name;
	uint64_t offset;

	while ((proc = next_process(made, &maps)))
		if (proc->map && img_symbol(proc->map, addr, &name, &offset))
			return proc;
	note_lack(made, pid);
	return NULL;
}

struct img_file *path_made_map(struct path_made *made, uint32_t pid, uint64_t addr)
{
	const struct process *proc = find_namer(made, pid, addr);

	return proc ? proc->map : NULL;
}

/* --- names of files --- */

/* False: it was there before, or out of memory. */
static bool add_loan(struct path_made *made, const struct loan *loan)
{
	const uint32_t hash = hash_bytes(0, loan, sizeof(*loan));
	struct hash_slot *slot;

	if (!hash_room(&made->loan_index) || !array_room(&made->loans, made->nr_loans,
							 &made->cap_loans, sizeof(*loan)))
		return false;
	hash_for_each(&made->loan_index, slot, hash)
		if (!memcmp(&made->loans[slot->number - 1], loan, sizeof(*loan)))
			return false;
	hash_put(&made->loan_index, slot, hash, made->nr_loans);
	made->loans[made->nr_loans++] = *loan;
	return true;
}

static void lend(struct path_made *made, struct img_file *list, const struct pd_map *map,
		 struct img_file *file)
{
	const struct loan loan = { list, file, map->start, map->end, map->pgoff };

	if (add_loan(made, &loan))
		img_lend_names(list, file, map->start, map->end, map->pgoff);
}

void path_made_lend(struct path_made *made, uint32_t pid, const struct pd_map *map,
		    struct img_file *dump, struct img_file *file)
{
	struct maps maps = { .pid = pid };
	struct img_file *list;

	if (dump)
		lend(made, dump, map, file);
	while ((list = next_map(made, &maps)))
		lend(made, list, map, file);
}

/* The lists have other names now. */
static void lend_again(struct path_made *made)
{
	const struct loan *loan;
	size_t i;

	for (i = 0; i < made->nr_loans; i++)
		img_return_names(made->loans[i].file);
	for (i = 0; i < made->nr_loans; i++) {
		loan = &made->loans[i];
		img_lend_names(loan->list, loan->file, loan->start, loan->end, loan->offset);
	}
}

void path_made_refresh(struct path_made *made, bool changed)
{
	struct process *proc;
	size_t i;

	for (i = 0; i < made->nr; i++) {
		proc = &made->processes[i];
		if (proc->map)
			changed |= img_reread_perf_map(proc->map);
		else if (proc->lacks)
			proc->map = img_perf_map(made->img, proc->pid);
		/* Who runs on lacks it again, and who has ended is left alone. */
		proc->lacks = false;
	}
	if (changed)
		lend_again(made);
}

/* --- what has no name --- */

bool path_made_has_map(struct path_made *made, uint32_t pid)
{
	struct maps maps = { .pid = pid };

	return next_map(made, &maps);
}

void path_made_count(struct path_made *made)
{
	made->samples++;
}

void path_made_count_nameless(struct path_made *made, uint32_t pid, enum path_made_why why)
{
	struct process *proc = process_of(made, pid);

	if (proc)
		proc->samples[why]++;
}

bool path_made_count_named(struct path_made *made, uint32_t pid, uint64_t addr)
{
	struct process *proc = find_namer(made, pid, addr);

	if (proc && img_has_several_names(proc->map, addr))
		proc->samples[PATH_MADE_SEVERAL]++;
	return proc;
}

/* The process that has most of them, and how many all have. */
static const struct process *find_most(const struct path_made *made, enum path_made_why why,
				       uint64_t *all)
{
	const struct process *most = made->processes;
	size_t i;

	*all = 0;
	for (i = 0; i < made->nr; i++) {
		*all += made->processes[i].samples[why];
		if (made->processes[i].samples[why] > most->samples[why])
			most = &made->processes[i];
	}
	return most;
}

static const char *remedy(enum path_made_why why)
{
	static const char *const remedies[] = {
		[PATH_MADE_CHANGED] =
			"the code changed, and the times of its jitdump are not those of the recording; record with `perf record -k mono` or `ssctr record`",
		[PATH_MADE_NO_LIST] =
			" is missing; copy it into a folder and name that with --code, or let the program write a jitdump (docs/report.md)",
		[PATH_MADE_MEMFD] =
			"if this is a program, the recording does not tell its build id; record with `ssctr record`, and name the program's file with --code; if a program made the code, its list /tmp/perf-PID.map is missing (docs/report.md)",
		[PATH_MADE_NOT_LISTED] =
			"neither its jitdump nor its perf map has it (docs/report.md)",
		[PATH_MADE_SEVERAL] =
			", and only the last name is shown; let the program write a jitdump, and record with `perf record -k mono` or `ssctr record` (docs/report.md)",
		[PATH_MADE_IN_KERNEL] =
			"they may have been loaded while it ran; record as root with -a, after they are loaded (docs/report.md)",
	};

	return remedies[why];
}

bool path_made_text(const struct path_made *made, enum path_made_why why, const char **kind,
		    char *text, size_t size)
{
	char list[128] = "";
	uint64_t all;
	const struct process *most = find_most(made, why, &all);
	const double percent = all ? 100.0 * (double)all / (double)made->samples : 0;
	const uint32_t parent = all ? pd_space_parent(made->space, most->pid) : PD_NO_ID;

	if (percent < 0.05)
		return false;
	if (why == PATH_MADE_NO_LIST && parent != PD_NO_ID)
		snprintf(list, sizeof(list),
			 "its list /tmp/perf-%" PRIu32 ".map, or /tmp/perf-%" PRIu32 ".map of its parent,",
			 most->pid, parent);
	else if (why == PATH_MADE_NO_LIST)
		snprintf(list, sizeof(list), "its list /tmp/perf-%" PRIu32 ".map", most->pid);
	else if (why == PATH_MADE_SEVERAL)
		snprintf(list, sizeof(list),
			 "its list /tmp/perf-%" PRIu32 ".map has several names for %" PRIu64 " address%s",
			 most->pid, img_several_names(most->map),
			 img_several_names(most->map) == 1 ? "" : "es");
	*kind = why == PATH_MADE_SEVERAL ? "names may be wrong" : "not named";
	if (why == PATH_MADE_IN_KERNEL) {
		snprintf(text, size,
			 "%.1f %% of the samples, in modules or BPF programs of which the recording does not tell: %s",
			 percent, remedy(why));
		return true;
	}
	snprintf(text, size,
		 "%.1f %% of the samples, in %s, most of them in process %" PRIu32 ": %s%s", percent,
		 why == PATH_MADE_MEMFD ? "files in memory (/memfd:...)" : "code that programs made",
		 most->pid, list, remedy(why));
	return true;
}
