// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/points.h"
#include "base/file.h"
#include "base/library.h"

#include "recorder/points_shared.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The compiled program. By the blank ccache sees that a file comes in, and keeps no object. */
asm("	.section .rodata\n"
    "	.balign	8\n"
    "points_program:\n"
    "	.incbin \"" POINTS_PROGRAM "\"\n"
    "points_program_end:\n"
    "	.previous\n");
extern const char points_program[], points_program_end[];

/* Of libbpf, in the order of use. */
#define FUNCTIONS(_)                                                            \
	_(libbpf_set_print) _(bpf_object__open_mem) _(bpf_object__load)         \
	_(bpf_object__close) _(bpf_object__find_map_by_name) _(bpf_map__fd)     \
	_(bpf_map__initial_value) _(bpf_object__find_program_by_name)           \
	_(bpf_program__set_autoload) _(bpf_program__attach)                     \
	_(bpf_program__attach_kprobe_opts) _(bpf_program__attach_uprobe_opts)   \
	_(bpf_link__destroy) _(bpf_map_update_elem)

struct libbpf {
#define MEMBER(_name) typeof(&_name) _name;
	FUNCTIONS(MEMBER)
};

enum { MAX_LINKS = 4 + POINTS_MAX_PROBES };

struct points {
	struct libbpf lib;
	const struct points_opts *opts;
	struct bpf_object *object;
	struct bpf_link *links[MAX_LINKS];
	unsigned int nr_links;
};

static bool find_functions(struct libbpf *lib)
{
	void *library = library_open("libbpf.so.1");

#define FIND(_name) &&library_find(library, #_name, &lib->_name)
	return library FUNCTIONS(FIND);
}

/* What libbpf has to say is told by errno. */
static int be_quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static int cannot_load(int err, struct error *error)
{
	char jit[4];

	if (err == -EPERM || err == -EACCES)
		return error_set(error, ERROR_INPUT,
				 "the kernel does not let this user load BPF programs: run it as root, or with CAP_BPF and CAP_PERFMON, and with CAP_SYS_ADMIN if kernel.perf_event_paranoid is above 2");
	/* Some helpers are there for compiled programs alone. */
	if (err == -EINVAL &&
	    file_line(jit, sizeof(jit), "/proc/sys/net/core/bpf_jit_enable") && *jit == '0')
		return error_set(error, ERROR_INPUT,
				 "the kernel does not compile BPF programs: `sysctl net.core.bpf_jit_enable=1` lets it");
	if (err == -ENOSYS)
		return error_set(error, ERROR_INPUT, "this kernel has no BPF");
	return error_set(error, ERROR_INPUT, "the kernel does not load the BPF program: %s",
			 strerror(-err));
}

/* The module gives snapshots if it was told to when it was loaded. */
static int check_module(struct error *error)
{
	char text[8];

	if (!file_line(text, sizeof(text), "/sys/module/ssctr/parameters/bpf"))
		return error_set(error, ERROR_INPUT,
				 "the kernel module ssctr is not loaded: `modprobe ssctr bpf=1` loads it");
	if (*text != 'Y')
		return error_set(error, ERROR_INPUT,
				 "the kernel module ssctr does not serve BPF programs: load it by `modprobe -r ssctr && modprobe ssctr bpf=1`");
	return 0;
}

/* The program's only constant. */
static struct points_config *find_config(const struct points *p)
{
	size_t size;
	struct bpf_map *map = p->lib.bpf_object__find_map_by_name(p->object, ".rodata");
	void *config = map ? p->lib.bpf_map__initial_value(map, &size) : NULL;

	return config && size == sizeof(struct points_config) ? config : NULL;
}

static void configure(struct points_config *config, const struct points_opts *opts)
{
	size_t i, returns = 0;

	config->has_kernel = opts->has_kernel;
	config->exits = opts->exits;
	for (i = 0; i < POINTS_ERRORS; i++)
		config->errors[i] = opts->all_errors;
	for (i = 0; i < opts->nr_errors; i++)
		config->errors[opts->errors[i]] = true;
	for (i = 0; i < opts->nr_probes; i++)
		if (opts->probes[i].at_return) {
			config->returns[returns].any_negative = opts->probes[i].any_negative;
			config->returns[returns++].value = opts->probes[i].value;
		}
}

static struct bpf_program *program(const struct points *p, const char *name)
{
	return p->lib.bpf_object__find_program_by_name(p->object, name);
}

static int map_fd(const struct points *p, const char *name)
{
	return p->lib.bpf_map__fd(p->lib.bpf_object__find_map_by_name(p->object, name));
}

static bool wants_syscalls(const struct points_opts *opts)
{
	return opts->all_errors || opts->nr_errors;
}

static int load(struct points *p, struct error *error)
{
	const struct libbpf *lib = &p->lib;
	struct points_config *config;
	int err;

	p->object = lib->bpf_object__open_mem(points_program,
					      points_program_end - points_program, NULL);
	if (!p->object)
		return cannot_load(-errno, error);
	config = find_config(p);
	if (!config)
		return cannot_load(-EINVAL, error);
	configure(config, p->opts);
	if (!wants_syscalls(p->opts))
		lib->bpf_program__set_autoload(program(p, "at_syscall"), false);
	if (!p->opts->inherit)
		lib->bpf_program__set_autoload(program(p, "at_fork"), false);
	err = lib->bpf_object__load(p->object);
	return err ? cannot_load(err, error) : 0;
}

int points_new(struct points **out, const struct points_opts *opts, struct error *error)
{
	struct points *p = calloc(1, sizeof(*p));
	int ret = p ? check_module(error) : error_nomem(error);

	*out = p;
	if (ret)
		return ret;
	p->opts = opts;
	if (!find_functions(&p->lib))
		return error_set(error, ERROR_INPUT,
				 "libbpf.so.1 is not installed: install the package libbpf1");
	p->lib.libbpf_set_print(be_quiet);
	return load(p, error);
}

void points_free(struct points *p)
{
	unsigned int i;

	if (!p)
		return;
	for (i = 0; i < p->nr_links; i++)
		p->lib.bpf_link__destroy(p->links[i]);
	if (p->object)
		p->lib.bpf_object__close(p->object);
	free(p);
}

static int update(struct points *p, const char *map, const void *key, const void *value,
		  struct error *error)
{
	if (!p->lib.bpf_map_update_elem(map_fd(p, map), key, value, BPF_ANY))
		return 0;
	return error_set(error, ERROR_INPUT, "the BPF map '%s': %s", map, strerror(errno));
}

int points_follow(struct points *p, pid_t pid, struct error *error)
{
	const char yes = 1;

	return update(p, "processes", &pid, &yes, error);
}

int points_write_to(struct points *p, int cpu, int fd, struct error *error)
{
	return update(p, "rings", &cpu, &fd, error);
}

static bool keep(struct points *p, struct bpf_link *link)
{
	if (link)
		p->links[p->nr_links++] = link;
	return link;
}

static int start_probe(struct points *p, const struct points_probe *probe, unsigned int cookie,
		       struct error *error)
{
	struct bpf_program *prog = program(p, probe->at_return ? "at_return" : "at_entry");
	LIBBPF_OPTS(bpf_kprobe_opts, kernel, .bpf_cookie = cookie,
		    .retprobe = probe->at_return);
	LIBBPF_OPTS(bpf_uprobe_opts, user, .bpf_cookie = cookie,
		    .retprobe = probe->at_return, .func_name = probe->symbol);
	struct bpf_link *link;

	if (probe->path)
		link = p->lib.bpf_program__attach_uprobe_opts(prog, -1, probe->path, 0, &user);
	else
		link = p->lib.bpf_program__attach_kprobe_opts(prog, probe->symbol, &kernel);
	if (keep(p, link))
		return 0;
	if (errno == ENOENT)
		return error_set(error, ERROR_INPUT, "%s has no function '%s'%s",
				 probe->path ?: "the kernel", probe->symbol,
				 probe->path && !strchr(probe->path, '/') ?
					 "; write a function of C++ or Rust as its symbol, or the path of the file" :
					 "");
	return error_set(error, ERROR_INPUT, "no probe can be placed at '%s' in %s: %s",
			 probe->symbol, probe->path ?: "the kernel", strerror(errno));
}

int points_start(struct points *p, struct error *error)
{
	const char *const names[] = {
		"at_signal", "at_exit", p->opts->inherit ? "at_fork" : NULL,
		wants_syscalls(p->opts) ? "at_syscall" : NULL,
	};
	unsigned int returns = 0;
	int ret = 0;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i] &&
		    !keep(p, p->lib.bpf_program__attach(program(p, names[i]))))
			return error_set(error, ERROR_INPUT,
					 "the BPF program '%s' cannot be attached: %s", names[i],
					 strerror(errno));
	for (i = 0; i < p->opts->nr_probes && !ret; i++) {
		const struct points_probe *probe = &p->opts->probes[i];

		ret = start_probe(p, probe, returns, error);
		returns += probe->at_return;
	}
	return ret;
}
