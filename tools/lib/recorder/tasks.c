// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/tasks.h"
#include "base/array.h"
#include "base/buildid.h"
#include "base/file.h"
#include "base/hash.h"
#include "perfdata/module.h"
#include "perfdata/writer.h"
#include "recorder/mapped.h"
#include "recorder/programs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	MISC_FORK_EXEC = 1 << 13, /* a task that was made up: it inherits nothing */
	KERNEL_PID = -1,
};

/*
 * A record of these fields, and of a text, if it ends in one: with a NUL, and filled
 * up to 8 bytes.
 */
static int write_record(struct rcd_past *past, uint32_t type, uint16_t misc,
			const void *fields, size_t size, const char *text)
{
	struct {
		struct perf_event_header header;
		uint8_t body[PATH_MAX + 256];
	} r = { 0 };

	memcpy(r.body, fields, size);
	if (text) {
		size_t n = strnlen(text, PATH_MAX - 1);

		memcpy(r.body + size, text, n);
		size = (size + n + 8) / 8 * 8;
	}
	r.header = (struct perf_event_header){
		type, misc, sizeof(r.header) + size + past->trailer
	};
	return pdw_write(past->w, &r, r.header.size);
}

/* A number of /proc/PID/status, or -1. key is what stands before it. */
static pid_t status_of(pid_t pid, const char *key)
{
	char text[2048], *at = NULL;

	if (file_read(text, sizeof(text), "/proc/%d/status", (int)pid) > 0)
		at = strstr(text, key);
	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

pid_t rcd_process_of(pid_t tid)
{
	return status_of(tid, "\nTgid:");
}

bool rcd_add_pid(struct rcd_pids *pids, pid_t pid)
{
	if (!array_room(&pids->v, pids->nr, &pids->cap, sizeof(pid)))
		return false;
	pids->v[pids->nr++] = pid;
	return true;
}

bool rcd_each_pid_once(struct rcd_pids *pids)
{
	struct hash seen = { 0 };
	size_t nr = 0, i;
	bool ok = true;

	for (i = 0; i < pids->nr && (ok = hash_room(&seen)); i++) {
		const uint32_t hash = hash_u64(pids->v[i]);
		struct hash_slot *slot;

		hash_for_each(&seen, slot, hash)
			if (pids->v[slot->number - 1] == pids->v[i])
				break;
		if (slot->number)
			continue;
		hash_put(&seen, slot, hash, nr);
		pids->v[nr++] = pids->v[i];
	}
	pids->nr = nr;
	hash_free(&seen);
	return ok;
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* Add the numbers that are names in a folder, sorted. 0, or a negative errno. */
static int numbers_in(struct rcd_pids *pids, const char *path)
{
	DIR *dir = opendir(path);
	size_t before = pids->nr;
	struct dirent *e;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (e = readdir(dir))) {
		char *end;
		long number = strtol(e->d_name, &end, 10);

		if (!*end && number > 0 && !rcd_add_pid(pids, number))
			ret = -ENOMEM;
	}
	closedir(dir);
	if (pids->nr > before)
		qsort(pids->v + before, pids->nr - before, sizeof(*pids->v),
		      by_number);
	return ret;
}

/* Its TID may be higher than those of the others, if PIDs were used again. */
static void put_first(pid_t *tids, size_t nr, pid_t leader)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (tids[i] == leader) {
			memmove(tids + 1, tids, i * sizeof(*tids));
			tids[0] = leader;
		}
}

int rcd_threads(struct rcd_pids *tids, pid_t pid)
{
	size_t before = tids->nr;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	ret = numbers_in(tids, path);
	if (tids->nr > before)
		put_first(tids->v + before, tids->nr - before, pid);
	return ret == -ENOENT || (!ret && tids->nr == before) ? -ESRCH : ret;
}

int rcd_write_name(struct rcd_past *past, pid_t pid, pid_t tid, const char *name)
{
	const struct {
		uint32_t pid, tid;
	} comm = { pid, tid };
	char cut[16];

	snprintf(cut, sizeof(cut), "%s", name);
	return write_record(past, PERF_RECORD_COMM, 0, &comm, sizeof(comm), cut);
}

static int write_thread(struct rcd_past *past, pid_t pid, pid_t tid,
			pid_t parent)
{
	const bool first = tid == pid;
	const struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} fork = { pid, first ? parent : pid, tid, first ? parent : pid, 0 };
	char name[16];

	if (!file_line(name, sizeof(name), "/proc/%d/task/%d/comm", (int)pid,
		       (int)tid))
		return 0;
	return write_record(past, PERF_RECORD_FORK, MISC_FORK_EXEC, &fork,
			    sizeof(fork), NULL) ?:
	       rcd_write_name(past, pid, tid, name);
}

/* A line of /proc/PID/maps; those that are no code are passed by. */
static int write_mapping(struct rcd_past *past, pid_t pid, int maps, char *line)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
		union rcd_file file;
		uint32_t prot, flags;
	} map = { .pid = pid, .tid = pid };
	uint16_t misc = PERF_RECORD_MISC_USER;
	char modes[5], own[PATH_MAX];
	const char *name;
	uint64_t end;
	int at = 0;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &map.start, &end, modes, &map.offset, &map.file.inode.major,
		   &map.file.inode.minor, &map.file.inode.inode, &at) < 7 ||
	    modes[2] != 'x')
		return 0;
	line[strcspn(line, "\n")] = 0;
	name = line[at] ? line + at : "//anon";
	/* A line feed of a name is \012 here, and everything else is as it is, also a backslash. */
	if (strstr(name, "\\012") && rcd_ask_name(maps, map.start, own, sizeof(own)))
		name = own;
	map.size = end - map.start;
	map.prot = PROT_EXEC | (modes[0] == 'r' ? PROT_READ : 0) |
		   (modes[1] == 'w' ? PROT_WRITE : 0);
	map.flags = modes[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	if (rcd_find_build_id(past->files, &map.file, maps, map.start, name))
		misc |= RCD_MISC_BUILD_ID;
	return write_record(past, PERF_RECORD_MMAP2, misc, &map, sizeof(map),
			    name);
}

int rcd_write_process(struct rcd_past *past, pid_t pid)
{
	pid_t parent = status_of(pid, "\nPPid:");
	struct rcd_pids tids = { 0 };
	char path[64], *line = NULL;
	size_t room = 0, i;
	int ret = 0;
	FILE *f;

	if (rcd_threads(&tids, pid) == -ENOMEM)
		ret = error_nomem(past->error);
	for (i = 0; i < tids.nr && !ret; i++)
		ret = write_thread(past, pid, tids.v[i], parent);
	free(tids.v);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && !ret && getline(&line, &room, f) > 0)
		ret = write_mapping(past, pid, fileno(f), line);
	free(line);
	if (f)
		fclose(f);
	return ret;
}

int rcd_write_processes(struct rcd_past *past)
{
	struct rcd_pids pids = { 0 };
	int ret = numbers_in(&pids, "/proc");
	size_t i;

	if (ret == -ENOMEM)
		ret = error_nomem(past->error);
	else if (ret)
		ret = error_set(past->error, ERROR_INPUT, "/proc: %s",
				strerror(-ret));
	for (i = 0; i < pids.nr && !ret; i++)
		ret = rcd_write_process(past, pids.v[i]);
	free(pids.v);
	return ret;
}

static int write_kernel_map(struct rcd_past *past, uint64_t start,
			    uint64_t size, uint64_t offset, const char *name)
{
	const struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
	} map = { KERNEL_PID, 0, start, size, offset };

	return write_record(past, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
			    &map, sizeof(map), name);
}

/* Addresses of others than root are zeros, where the kernel hides them. */
static void find_text(uint64_t text[2])
{
	FILE *f = fopen("/proc/kallsyms", "re");
	uint64_t address, first = 0, last = 0;
	char name[256], type;

	while (f && !(first && last) &&
	       fscanf(f, "%" SCNx64 " %c %255s%*[^\n]", &address, &type,
		      name) == 3) {
		if (!strcmp(name, "_text"))
			first = address;
		else if (!strcmp(name, "_etext"))
			last = address;
	}
	if (f)
		fclose(f);
	text[0] = first;
	text[1] = last;
}

static int write_text(struct rcd_past *past)
{
	struct rcd_known *known = past->known;
	const uint64_t *text = known->text;

	if (!known->has_text)
		find_text(known->text);
	known->has_text = true;
	if (!text[0] || text[1] <= text[0])
		return 0;
	return write_kernel_map(past, text[0], text[1] - text[0], text[0],
				"[kernel.kallsyms]_text");
}

struct rcd_module {
	char name[64];
	char file[320]; /* as recordings name it: its path, or [name] */
	uint64_t start, size;
};

static int by_start(const void *va, const void *vb)
{
	const struct rcd_module *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* A path that is too long is none. */
static void find_files(struct rcd_module *v, size_t nr)
{
	char *line = NULL, folder[128], path[sizeof(v->file)];
	struct utsname name;
	size_t room = 0, i;
	FILE *f;

	uname(&name); /* which does not fail */
	snprintf(folder, sizeof(folder), "/lib/modules/%s", name.release);
	snprintf(path, sizeof(path), "%s/modules.dep", folder);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0) {
		line[strcspn(line, ":\n")] = 0;
		if (snprintf(path, sizeof(path), "%s/%s", folder, line) >=
		    (int)sizeof(path))
			continue;
		for (i = 0; i < nr; i++)
			if (pd_names_module(line, v[i].name))
				strcpy(v[i].file, path);
	}
	free(line);
	if (f)
		fclose(f);
}

/*
 * /proc/modules: name size users by state address.
 *
 * What the kernel has as a module's size is not all behind its start, so that one
 * may reach over the next: in order of their starts readers see each start.
 */
static struct rcd_module *read_modules(size_t *nr)
{
	FILE *f = fopen("/proc/modules", "re");
	struct rcd_module m, *v = NULL;
	size_t cap = 0;

	*nr = 0;
	while (f && fscanf(f, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64 "%*[^\n]",
			   m.name, &m.size, &m.start) == 3) {
		if (!array_room(&v, *nr, &cap, sizeof(*v)))
			break;
		snprintf(m.file, sizeof(m.file), "[%s]", m.name);
		v[(*nr)++] = m;
	}
	if (f)
		fclose(f);
	if (*nr)
		qsort(v, *nr, sizeof(*v), by_start);
	return v;
}

static bool are_known(const struct rcd_known *known, const struct rcd_module *v, size_t nr)
{
	const struct rcd_module *old = known->modules;
	size_t i;

	for (i = 0; i < nr && nr == known->nr_modules; i++)
		if (v[i].start != old[i].start || v[i].size != old[i].size ||
		    strcmp(v[i].name, old[i].name))
			return false;
	return nr == known->nr_modules;
}

/* Their files are looked up when a module has come or gone. */
static void find_modules(struct rcd_known *known)
{
	size_t nr;
	struct rcd_module *v = read_modules(&nr);

	if (are_known(known, v, nr)) {
		free(v);
		return;
	}
	free(known->modules);
	find_files(v, nr);
	known->modules = v;
	known->nr_modules = nr;
}

void rcd_known_free(struct rcd_known *known)
{
	free(known->modules);
	*known = (struct rcd_known){ 0 };
}

static int write_program(void *arg, uint64_t start, uint32_t size, const char *name)
{
	const struct {
		uint64_t start;
		uint32_t size;
		uint16_t type, flags;
	} symbol = { start, size, PERF_RECORD_KSYMBOL_TYPE_BPF, 0 };

	return write_record(arg, PERF_RECORD_KSYMBOL, 0, &symbol, sizeof(symbol), name);
}

int rcd_write_kernel(struct rcd_past *past)
{
	const struct rcd_known *known = past->known;
	int ret = write_text(past);
	size_t i;

	find_modules(past->known);
	for (i = 0; i < known->nr_modules && !ret; i++) {
		const struct rcd_module *m = &known->modules[i];

		if (m->start)
			ret = write_kernel_map(past, m->start, m->size, 0, m->file);
	}
	return ret ?: rcd_each_program(write_program, past);
}

int rcd_add_kernel_build_ids(struct pdw *w, struct rcd_known *known)
{
	uint8_t id[RCD_BUILD_ID_MAX];
	size_t size = buildid_of_notes("/sys/kernel/notes", id, sizeof(id)), i;
	char path[512];
	int ret;

	if (!size)
		return 0;
	ret = pdw_add_build_id(w, true, "[kernel.kallsyms]", id, size);
	/* The kernel tells it of files alone. */
	size = buildid_of_vdso(id, sizeof(id));
	if (!ret && size)
		ret = pdw_add_build_id(w, false, "[vdso]", id, size);
	find_modules(known);
	for (i = 0; i < known->nr_modules && !ret; i++) {
		const struct rcd_module *m = &known->modules[i];

		snprintf(path, sizeof(path),
			 "/sys/module/%s/notes/.note.gnu.build-id", m->name);
		size = buildid_of_notes(path, id, sizeof(id));
		if (size)
			ret = pdw_add_build_id(w, true, m->file, id, size);
	}
	return ret;
}
