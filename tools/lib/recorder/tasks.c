// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/tasks.h"
#include "perfdata/module.h"
#include "perfdata/writer.h"

#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
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
	MISC_FORK_EXEC =
		1 << 13, /* a task that was made up: it inherits nothing */
	MISC_MMAP_BUILD_ID = 1 << 14,
	BUILD_ID_MAX = 20,
	KERNEL_PID = -1,
};

struct record {
	struct perf_event_header header;
	uint8_t body[PATH_MAX + 256];
	size_t size; /* of the body */
};

static void put(struct record *r, const void *p, size_t size)
{
	memcpy(r->body + r->size, p, size);
	r->size += size;
}

static void put32(struct record *r, uint32_t v)
{
	put(r, &v, sizeof(v));
}

static void put64(struct record *r, uint64_t v)
{
	put(r, &v, sizeof(v));
}

/* A text that ends with a NUL, filled up to 8 bytes. */
static void put_text(struct record *r, const char *text)
{
	size_t n = strlen(text);

	put(r, text, n < PATH_MAX ? n : PATH_MAX - 1);
	do
		r->body[r->size++] = 0;
	while (r->size % 8);
}

static int write_record(struct rcd_past *past, struct record *r, uint32_t type,
			uint16_t misc)
{
	memset(r->body + r->size, 0, past->trailer);
	r->size += past->trailer;
	r->header = (struct perf_event_header){ type, misc,
						sizeof(r->header) + r->size };
	return pdw_write(past->w, r, r->header.size);
}

/* A file of a process. NULL if it has ended. */
static FILE *open_of(pid_t pid, pid_t tid, const char *name)
{
	char path[96];

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid,
			 (int)tid, name);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

/* A number of /proc/PID/status, or -1. */
static pid_t status_of(pid_t pid, const char *key)
{
	FILE *f = open_of(pid, 0, "status");
	char line[256];
	long value = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			value = strtol(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return value;
}

pid_t rcd_process_of(pid_t tid)
{
	return status_of(tid, "Tgid:");
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* The numbers that are names in a folder, sorted. */
static int numbers_in(const char *path, pid_t **out)
{
	DIR *dir = opendir(path);
	pid_t *v = NULL;
	struct dirent *e;
	int nr = 0;

	*out = NULL;
	if (!dir)
		return -1;
	while ((e = readdir(dir))) {
		char *end;
		long number = strtol(e->d_name, &end, 10);

		if (*end || number <= 0)
			continue;
		if (!(nr & (nr - 1))) {
			pid_t *more = realloc(v, (2 * nr + 1) * sizeof(*v));

			if (!more) {
				free(v);
				closedir(dir);
				return -1;
			}
			v = more;
		}
		v[nr++] = number;
	}
	closedir(dir);
	if (nr)
		qsort(v, nr, sizeof(*v), by_number);
	*out = v;
	return nr;
}

int rcd_threads(pid_t pid, pid_t **tids)
{
	char path[64];
	int nr;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	nr = numbers_in(path, tids);
	if (nr <= 0) {
		free(*tids);
		if (nr == 0 || errno == ENOENT)
			errno = ESRCH;
		return -1;
	}
	return nr;
}

static int write_thread(struct rcd_past *past, pid_t pid, pid_t tid,
			pid_t parent)
{
	struct record r = { .size = 0 };
	FILE *f = open_of(pid, tid, "comm");
	char name[16] = "";
	int ret;

	if (!f)
		return 0;
	if (!fgets(name, sizeof(name), f))
		name[0] = 0;
	fclose(f);
	name[strcspn(name, "\n")] = 0;
	put32(&r, pid);
	put32(&r, tid == pid ? parent : pid);
	put32(&r, tid);
	put32(&r, tid == pid ? parent : pid);
	put64(&r, 0);
	ret = write_record(past, &r, PERF_RECORD_FORK, MISC_FORK_EXEC);
	if (ret)
		return ret;
	r.size = 0;
	put32(&r, pid);
	put32(&r, tid);
	put_text(&r, name);
	return write_record(past, &r, PERF_RECORD_COMM, 0);
}

/* A file that is mapped again and again is read once. */
struct rcd_file {
	unsigned int major, minor;
	uint64_t inode;
	uint8_t field
		[24]; /* as MMAP2 has it: its size, and the build id from 4 on */
};

void rcd_past_end(struct rcd_past *past)
{
	free(past->files);
	past->files = NULL;
	past->nr_files = 0;
}

static void read_build_id(const char *path, uint8_t *field)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const void *id;
	ssize_t n = -1;
	Elf *elf;

	memset(field, 0, 24);
	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		n = dwelf_elf_gnu_build_id(elf, &id);
	if (n > 0 && n <= BUILD_ID_MAX) {
		field[0] = n;
		memcpy(field + 4, id, n);
	}
	elf_end(elf);
	close(fd);
}

/* The fields of a mapping that tell its file; true: by a build id. */
static bool put_file(struct rcd_past *past, struct record *r,
		     struct rcd_file *file, const char *path)
{
	size_t i;

	for (i = 0; i < past->nr_files; i++)
		if (past->files[i].inode == file->inode &&
		    past->files[i].major == file->major &&
		    past->files[i].minor == file->minor)
			break;
	if (i < past->nr_files) {
		*file = past->files[i];
	} else if (file->inode && path[0] == '/') {
		read_build_id(path, file->field);
		if (!(i & (i - 1))) {
			void *more = realloc(past->files,
					     (2 * i + 1) * sizeof(*file));

			if (more)
				past->files = more;
			else
				i = SIZE_MAX;
		}
		if (i != SIZE_MAX)
			past->files[past->nr_files++] = *file;
	}
	if (file->field[0]) {
		put(r, file->field, sizeof(file->field));
		return true;
	}
	put32(r, file->major);
	put32(r, file->minor);
	put64(r, file->inode);
	put64(r, 0);
	return false;
}

/* A line of /proc/PID/maps; those that are no code are passed by. */
static int write_mapping(struct rcd_past *past, pid_t pid, char *line)
{
	struct rcd_file file = { .inode = 0 };
	const char *name;
	uint64_t start, end, offset;
	struct record r = { .size = 0 };
	uint16_t misc = PERF_RECORD_MISC_USER;
	char modes[5];
	int at = 0;
	uint32_t prot;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &start, &end, modes, &offset, &file.major, &file.minor,
		   &file.inode, &at) < 7 ||
	    modes[2] != 'x')
		return 0;
	line[strcspn(line, "\n")] = 0;
	name = line[at] ? line + at : "//anon";
	put32(&r, pid);
	put32(&r, pid);
	put64(&r, start);
	put64(&r, end - start);
	put64(&r, offset);
	if (put_file(past, &r, &file, name))
		misc |= MISC_MMAP_BUILD_ID;
	prot = PROT_EXEC | (modes[0] == 'r' ? PROT_READ : 0) |
	       (modes[1] == 'w' ? PROT_WRITE : 0);
	put32(&r, prot);
	put32(&r, modes[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
	put_text(&r, name);
	return write_record(past, &r, PERF_RECORD_MMAP2, misc);
}

int rcd_write_process(struct rcd_past *past, pid_t pid)
{
	pid_t *tids, parent = status_of(pid, "PPid:");
	char *line = NULL;
	size_t room = 0;
	int nr, i, ret = 0;
	FILE *f;

	nr = rcd_threads(pid, &tids);
	if (nr < 0)
		return errno == ENOMEM ? -1 : 0;
	for (i = 0; i < nr && !ret; i++)
		ret = write_thread(past, pid, tids[i], parent);
	free(tids);
	f = open_of(pid, 0, "maps");
	while (f && !ret && getline(&line, &room, f) > 0)
		ret = write_mapping(past, pid, line);
	free(line);
	if (f)
		fclose(f);
	return ret;
}

int rcd_write_processes(struct rcd_past *past)
{
	pid_t *pids;
	int nr = numbers_in("/proc", &pids), i, ret = 0;

	if (nr < 0)
		return -1;
	for (i = 0; i < nr && !ret; i++)
		ret = rcd_write_process(past, pids[i]);
	free(pids);
	return ret;
}

static int write_kernel_map(struct rcd_past *past, uint64_t start,
			    uint64_t size, uint64_t offset, const char *name)
{
	struct record r = { .size = 0 };

	put32(&r, KERNEL_PID);
	put32(&r, 0);
	put64(&r, start);
	put64(&r, size);
	put64(&r, offset);
	put_text(&r, name);
	return write_record(past, &r, PERF_RECORD_MMAP,
			    PERF_RECORD_MISC_KERNEL);
}

/* Addresses of others than root are zeros, where the kernel hides them. */
static int write_text(struct rcd_past *past)
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
	if (!first || last <= first)
		return 0;
	return write_kernel_map(past, first, last - first, first,
				"[kernel.kallsyms]_text");
}

struct module {
	char name[64];
	char file[320]; /* as recordings name it: its path, or [name] */
	uint64_t start, size;
};

/* /proc/modules: name size users by state address. */
static struct module *read_modules(size_t *nr)
{
	FILE *f = fopen("/proc/modules", "re");
	struct module m, *v = NULL;

	*nr = 0;
	while (f && fscanf(f, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64 "%*[^\n]",
			   m.name, &m.size, &m.start) == 3) {
		if (!(*nr & (*nr - 1))) {
			struct module *more =
				realloc(v, (2 * *nr + 1) * sizeof(*v));

			if (!more)
				break;
			v = more;
		}
		snprintf(m.file, sizeof(m.file), "[%s]", m.name);
		v[(*nr)++] = m;
	}
	if (f)
		fclose(f);
	return v;
}

static int by_start(const void *va, const void *vb)
{
	const struct module *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* A path that is too long is none. */
static void set_file(struct module *m, const char *folder, const char *path)
{
	char file[sizeof(m->file)];
	size_t n = snprintf(file, sizeof(file), "%s/%s", folder, path);

	if (n < sizeof(file))
		memcpy(m->file, file, n + 1);
}

static void find_files(struct module *v, size_t nr)
{
	char *line = NULL, folder[128], path[512];
	struct utsname name;
	size_t room = 0, i;
	FILE *f = NULL;

	if (!uname(&name)) {
		snprintf(folder, sizeof(folder), "/lib/modules/%s",
			 name.release);
		snprintf(path, sizeof(path), "%s/modules.dep", folder);
		f = fopen(path, "re");
	}
	while (f && getline(&line, &room, f) > 0) {
		line[strcspn(line, ":\n")] = 0;
		for (i = 0; i < nr; i++)
			if (pd_names_module(line, v[i].name))
				set_file(&v[i], folder, line);
	}
	free(line);
	if (f)
		fclose(f);
}

/*
 * What the kernel has as a module's size is not all behind its start, so that one
 * may reach over the next: in order of their starts readers see each start.
 */
static struct module *list_modules(size_t *nr)
{
	struct module *v = read_modules(nr);

	if (*nr)
		qsort(v, *nr, sizeof(*v), by_start);
	find_files(v, *nr);
	return v;
}

int rcd_write_kernel(struct rcd_past *past)
{
	int ret = write_text(past);
	struct module *v;
	size_t nr, i;

	if (ret)
		return ret;
	v = list_modules(&nr);
	for (i = 0; i < nr && !ret; i++)
		if (v[i].start)
			ret = write_kernel_map(past, v[i].start, v[i].size, 0,
					       v[i].file);
	free(v);
	return ret;
}

/* The build id in a file of ELF notes. Returns its size, 0 if there is none. */
static size_t read_notes(const char *path, uint8_t *id)
{
	uint8_t notes[4096];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(notes, 1, sizeof(notes), f) : 0, at = 0;

	if (f)
		fclose(f);
	while (n >= 12 && at <= n - 12) {
		uint32_t head[3]; /* sizes of name and text, type */
		size_t name, text;

		memcpy(head, notes + at, sizeof(head));
		name = at + 12;
		if (head[0] > n || head[1] > n)
			break;
		text = name + (head[0] + 3) / 4 * 4;
		at = text + (head[1] + 3) / 4 * 4;
		if (at > n)
			break;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 &&
		    !memcmp(notes + name, "GNU", 4) &&
		    head[1] <= BUILD_ID_MAX) {
			memcpy(id, notes + text, head[1]);
			return head[1];
		}
	}
	return 0;
}

int rcd_add_kernel_build_ids(struct pdw *w)
{
	uint8_t id[BUILD_ID_MAX];
	size_t size = read_notes("/sys/kernel/notes", id), nr, i;
	struct module *v;
	char path[512];
	int ret = 0;

	if (!size)
		return 0;
	ret = pdw_add_build_id(w, true, "[kernel.kallsyms]", id, size);
	v = list_modules(&nr);
	for (i = 0; i < nr && !ret; i++) {
		snprintf(path, sizeof(path),
			 "/sys/module/%s/notes/.note.gnu.build-id", v[i].name);
		size = read_notes(path, id);
		if (size)
			ret = pdw_add_build_id(w, true, v[i].file, id, size);
	}
	free(v);
	return ret;
}
