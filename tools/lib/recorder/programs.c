// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/programs.h"

#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel allows so many functions in a program, and names of so many bytes. */
enum { MOST_FUNCTIONS = 256, NAME_SIZE = 512 };

/* --- BTF --- */

/* What follows a struct btf_type, in bytes: for each member, or once. */
static size_t size_behind(uint32_t info)
{
	static const struct {
		uint8_t once, each;
	} sizes[] = {
		[BTF_KIND_INT] = { 4, 0 },	[BTF_KIND_ARRAY] = { 12, 0 },
		[BTF_KIND_STRUCT] = { 0, 12 },	[BTF_KIND_UNION] = { 0, 12 },
		[BTF_KIND_ENUM] = { 0, 8 },	[BTF_KIND_FUNC_PROTO] = { 0, 8 },
		[BTF_KIND_VAR] = { 4, 0 },	[BTF_KIND_DATASEC] = { 0, 12 },
		[BTF_KIND_DECL_TAG] = { 4, 0 }, [BTF_KIND_ENUM64] = { 0, 12 },
		[31] = { 0, 0 },
	};
	const unsigned int kind = BTF_INFO_KIND(info);

	return sizes[kind].once + (size_t)BTF_INFO_VLEN(info) * sizes[kind].each;
}

/* Where the type begins, in bytes from the first one, or `size`. */
static size_t find_type(const uint8_t *types, size_t size, uint32_t type)
{
	struct btf_type t;
	size_t at = 0;

	/* Number 0 is void, which is not there. */
	while (--type) {
		if (size - at < sizeof(t))
			return size;
		memcpy(&t, types + at, sizeof(t));
		at += sizeof(t);
		if (size_behind(t.info) > size - at)
			return size;
		at += size_behind(t.info);
	}
	return at;
}

const char *rcd_btf_name(const uint8_t *btf, size_t size, uint32_t type)
{
	const uint8_t *strings;
	struct btf_header head;
	struct btf_type t;
	size_t at;

	if (!type || size < sizeof(head))
		return NULL;
	memcpy(&head, btf, sizeof(head));
	if (head.magic != BTF_MAGIC || head.hdr_len > size)
		return NULL;
	btf += head.hdr_len;
	size -= head.hdr_len;
	if (head.type_off > size || head.type_len > size - head.type_off ||
	    head.str_off > size || head.str_len > size - head.str_off)
		return NULL;
	at = find_type(btf + head.type_off, head.type_len, type);
	if (head.type_len - at < sizeof(t))
		return NULL;
	memcpy(&t, btf + head.type_off + at, sizeof(t));
	strings = btf + head.str_off;
	if (t.name_off >= head.str_len || !strings[t.name_off] ||
	    !memchr(strings + t.name_off, 0, head.str_len - t.name_off))
		return NULL;
	return (const char *)strings + t.name_off;
}

/* --- the kernel --- */

static int ask(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static bool get_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr = { .info = { .bpf_fd = fd, .info_len = size,
					  .info = (uintptr_t)info } };

	return !ask(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* NULL: there is none. */
static uint8_t *read_btf(uint32_t id, uint32_t *size)
{
	union bpf_attr attr = { .btf_id = id };
	struct bpf_btf_info info = { 0 };
	const int fd = id ? ask(BPF_BTF_GET_FD_BY_ID, &attr) : -1;
	uint8_t *btf = NULL;

	/* Without room for it, the kernel tells its size. */
	if (fd >= 0 && get_info(fd, &info, sizeof(info)))
		btf = malloc(info.btf_size);
	*size = info.btf_size;
	info = (struct bpf_btf_info){ .btf = (uintptr_t)btf, .btf_size = *size };
	if (btf && (!get_info(fd, &info, sizeof(info)) || info.btf_size > *size)) {
		free(btf);
		btf = NULL;
	}
	if (fd >= 0)
		close(fd);
	return btf;
}

struct functions {
	struct bpf_prog_info info;
	uint64_t starts[MOST_FUNCTIONS];
	uint32_t sizes[MOST_FUNCTIONS];
	uint8_t tags[MOST_FUNCTIONS][BPF_TAG_SIZE];
	struct bpf_func_info types[MOST_FUNCTIONS];
};

static bool read_functions(int fd, struct functions *f)
{
	f->info = (struct bpf_prog_info){
		.nr_jited_ksyms = MOST_FUNCTIONS, .jited_ksyms = (uintptr_t)f->starts,
		.nr_jited_func_lens = MOST_FUNCTIONS, .jited_func_lens = (uintptr_t)f->sizes,
		.nr_prog_tags = MOST_FUNCTIONS, .prog_tags = (uintptr_t)f->tags,
		.nr_func_info = MOST_FUNCTIONS, .func_info = (uintptr_t)f->types,
		.func_info_rec_size = sizeof(*f->types),
	};
	/* The kernel may hide addresses. */
	return get_info(fd, &f->info, sizeof(f->info)) && f->info.jited_ksyms &&
	       f->info.jited_func_lens && f->info.nr_jited_ksyms <= MOST_FUNCTIONS &&
	       f->info.nr_jited_func_lens == f->info.nr_jited_ksyms &&
	       f->info.nr_prog_tags == f->info.nr_jited_ksyms;
}

/* As the kernel does: of a function without BTF, it has the name of the program, or F. */
static void make_name(const struct functions *f, unsigned int i, const uint8_t *btf,
		      uint32_t btf_size, char name[NAME_SIZE])
{
	const char *own = i ? "F" : f->info.name;
	/* The first function may have another one. perf takes that, and the kernel does not. */
	const uint8_t *tag = i ? f->tags[i] : f->info.tag;

	if (btf && f->info.nr_func_info == f->info.nr_jited_ksyms)
		own = rcd_btf_name(btf, btf_size, f->types[i].type_id) ?: own;
	snprintf(name, NAME_SIZE, "bpf_prog_%02x%02x%02x%02x%02x%02x%02x%02x%s%s", tag[0], tag[1],
		 tag[2], tag[3], tag[4], tag[5], tag[6], tag[7], *own ? "_" : "", own);
}

/* --- trampolines --- */

/* The kernel tells the size of a page for them. */
enum { TRAMPOLINE_SIZE = 4096 };

static bool is_trampoline(const char *name)
{
	return !strncmp(name, "bpf_trampoline_", strlen("bpf_trampoline_")) ||
	       !strncmp(name, "bpf_dispatcher_", strlen("bpf_dispatcher_"));
}

int rcd_each_trampoline(const char *list, rcd_found_fn *found, void *arg)
{
	FILE *f = fopen(list, "re");
	char *line = NULL, name[NAME_SIZE];
	uint64_t start;
	size_t room = 0;
	int ret = 0;

	while (f && !ret && getline(&line, &room, f) > 0)
		if (strstr(line, "\t[bpf]\n") &&
		    sscanf(line, "%" SCNx64 " %*c %511s", &start, name) == 2 && start &&
		    is_trampoline(name))
			ret = found(arg, start, TRAMPOLINE_SIZE, name);
	free(line);
	if (f)
		fclose(f);
	return ret;
}

/* A recorder that begins again and again reads the long list only if there may be some. */
static bool has_trampoline(uint32_t type)
{
	return type == BPF_PROG_TYPE_TRACING || type == BPF_PROG_TYPE_LSM ||
	       type == BPF_PROG_TYPE_XDP;
}

/* --- both --- */

int rcd_each_program(rcd_found_fn *found, void *arg)
{
	union bpf_attr next = { 0 };
	struct functions f = { 0 };
	bool lists = false;
	int ret = 0;

	while (!ret && !ask(BPF_PROG_GET_NEXT_ID, &next)) {
		union bpf_attr attr = { .prog_id = next.next_id };
		const int fd = ask(BPF_PROG_GET_FD_BY_ID, &attr);
		uint8_t *btf = NULL;
		uint32_t btf_size;
		unsigned int i;

		next = (union bpf_attr){ .start_id = next.next_id };
		/* It is gone. */
		if (fd < 0)
			continue;
		if (!read_functions(fd, &f))
			f.info.nr_jited_ksyms = 0;
		else
			btf = read_btf(f.info.btf_id, &btf_size);
		close(fd);
		/* Also one that is interpreted has a trampoline. */
		lists |= has_trampoline(f.info.type);
		for (i = 0; i < f.info.nr_jited_ksyms && !ret; i++) {
			char name[NAME_SIZE];

			/* What is interpreted has no code. */
			if (!f.sizes[i])
				continue;
			make_name(&f, i, btf, btf_size, name);
			ret = found(arg, f.starts[i], f.sizes[i], name);
		}
		free(btf);
	}
	return ret || !lists ? ret : rcd_each_trampoline("/proc/kallsyms", found, arg);
}
