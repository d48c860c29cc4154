// SPDX-License-Identifier: GPL-2.0-only
#include "image/internal.h"
#include "base/array.h"
#include "base/buildid.h"
#include "base/hex.h"
#include "perfdata/space.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* libelf keeps it in a global variable, and several threads may each have an img. */
static void set_elf_version(void)
{
	elf_version(EV_CURRENT);
}

struct img *img_new(const char *symfs)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct img *img = calloc(1, sizeof(*img));

	if (!img || pthread_once(&once, set_elf_version)) {
		free(img);
		return NULL;
	}
	img->symfs = symfs ? symfs : "";
	return img;
}

void img_unmap_file(struct img_file *file)
{
	if (file->map)
		munmap((void *)file->map, file->size);
	file->map = NULL;
	free(file->path);
	file->path = NULL;
}

void img_close_file(struct img_file *file)
{
	elf_end(file->elf);
	file->elf = NULL;
	img_unmap_file(file);
	free(file->jit);
	file->jit = NULL;
	file->nr_jit = file->cap_jit = 0;
	free(file->error);
	file->error = NULL;
	free(file->by_name);
	file->by_name = NULL;
}

void img_free_file(struct img_file *file)
{
	img_free_source(file->source);
	if (file->debug) {
		img_close_file(file->debug);
		free(file->debug);
	}
	img_close_file(file);
	free(file->symbols.v);
	free(file->lent.v);
	free(file->several.v);
	free(file->names);
	free(file->unnamed);
	free(file->segments.v);
	free(file->name);
	free(file);
}

void img_free(struct img *img)
{
	size_t i;

	if (!img)
		return;
	for (i = 0; i < img->nr; i++)
		img_free_file(img->files[i]);
	img_free_vmlinux(img->vmlinux);
	img_free_ksyms(img->ksyms);
	img_free_places(img);
	free(img->release);
	free(img->files);
	hash_free(&img->by_name);
	free(img);
}

void img_refuse_file(struct img_file *file, enum img_state state,
		     const char *path, const char *why)
{
	file->state = state;
	if (asprintf(&file->error, "%s: %s", path, why) < 0)
		file->error = NULL;
}

/* False if the file has a build id, and it is another one. */
static bool check_build_id(const struct img_file *file)
{
	unsigned int size;
	const uint8_t *id;

	if (!file->build_id_size)
		return true;
	id = img_find_build_id(file->elf, &size);
	return !id ||
	       img_same_build_id(file->build_id, file->build_id_size, id, size);
}

/* Those who look for the file that ran need all digits. */
static void refuse_build(struct img_file *file, const char *path)
{
	char id[2 * IMG_BUILD_ID_MAX + 1], why[256];

	snprintf(why, sizeof(why),
		 "another build than the one that was recorded, whose build id is %s; name the file that ran, or a folder that has it, with --code",
		 hex_text(id, file->build_id, file->build_id_size));
	img_refuse_file(file, IMG_BUILD_ID, path, why);
}

/* A copy that was interrupted, or the disk was full. What is there would pass for all of it. */
static bool is_whole(struct img_file *file, const char *path)
{
	const uint64_t missing = img_missing_bytes(file->elf);
	char why[256];

	if (!missing)
		return true;
	snprintf(why, sizeof(why),
		 "an incomplete copy, at whose end %" PRIu64 " bytes are missing; name the whole file, or a folder that has it, with --code",
		 missing);
	img_refuse_file(file, IMG_CUT, path, why);
	return false;
}

static void read_elf(struct img_file *file, const char *path)
{
	const char *why;
	GElf_Ehdr eh;

	file->elf = img_open_elf(file->map, file->size, &why);
	if (!file->elf || !gelf_getehdr(file->elf, &eh)) {
		img_refuse_file(file, IMG_NOT_ELF, path, why);
		return;
	}
	if (eh.e_machine != EM_RISCV || eh.e_ident[EI_DATA] != ELFDATA2LSB) {
		img_refuse_file(file, IMG_NOT_RISCV, path,
		       "not RISC-V code; name the file that ran, or a folder that has it, with --code");
		return;
	}
	if (!check_build_id(file)) {
		refuse_build(file, path);
		return;
	}
	if (!is_whole(file, path))
		return;
	file->bits = gelf_getclass(file->elf) == ELFCLASS32 ? 32 : 64;
	file->state = IMG_OK;
}

/* Map the file. NULL, or why it could not be, with its state. */
static const char *map_file(struct img_file *file, const char *path)
{
	struct stat st;
	void *map;
	int fd;

	file->state = IMG_MISSING;
	/* A name in a recording may be a FIFO's: do not wait for its writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st)) {
		const char *why = strerror(errno);

		if (fd >= 0)
			close(fd);
		return why;
	}
	if (S_ISDIR(st.st_mode)) {
		close(fd);
		return "a folder, and not a file";
	}
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		file->state = IMG_NOT_ELF;
		close(fd);
		return "not an ELF file";
	}
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return strerror(errno);
	file->map = map;
	file->size = st.st_size;
	file->owner = st.st_uid;
	file->path = strdup(path);
	return NULL;
}

bool img_map_file(struct img_file *file, const char *dir, const char *name)
{
	enum img_state state = file->state;
	const char *why;
	char *path;

	if (asprintf(&path, "%s%s", dir, name) < 0)
		return false;
	why = map_file(file, path);
	free(path);
	file->state = state;
	return !why;
}

void img_open_file(struct img_file *file, const char *path)
{
	const char *why = map_file(file, path);

	if (why)
		img_refuse_file(file, file->state, path, why);
	else if (pd_is_jitdump(file->name)) {
		why = img_read_jitdump(file);
		if (why)
			img_refuse_file(file, file->state, path, why);
	} else {
		read_elf(file, path);
	}
}

/*
 * What the kernel and perf call mappings that are no files. A program that runs from memory
 * is a file, which has a build id and may be elsewhere, too.
 */
static enum img_state kind_of(const char *name, unsigned int build_id_size)
{
	static const char *const anon[] = {
		"//anon", "/anon_hugepage",
		"/SYSV",  "/dev/zero",	    "anon_inode:",
	};
	size_t i;

	if (!strncmp(name, "[vdso", 5))
		return IMG_VDSO;
	if (!strncmp(name, "[kernel", 7) || !strncmp(name, "[guest", 6))
		return IMG_KERNEL;
	if (!strncmp(name, "/memfd:", 7) && !build_id_size)
		return IMG_ANON;
	for (i = 0; i < sizeof(anon) / sizeof(*anon); i++)
		if (!strncmp(name, anon[i], strlen(anon[i])))
			return IMG_ANON;
	return name[0] == '/' ? IMG_OK : IMG_ANON;
}

bool img_is_anonymous(const char *name, unsigned int build_id_size)
{
	return kind_of(name, build_id_size) == IMG_ANON;
}

/* Bytes of this process. What is not mapped is no error of this program. */
static bool read_own(void *to, size_t size, uint64_t at)
{
	const int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	const ssize_t got = fd < 0 ? -1 : pread(fd, to, size, at);

	if (fd >= 0)
		close(fd);
	return got == (ssize_t)size;
}

/* perf records no build id of the vdso. The release tells the kernel, as it does for packages. */
static bool is_own_vdso(const struct img *img, const struct img_file *file)
{
	uint8_t id[IMG_BUILD_ID_MAX];
	const size_t id_size = buildid_of_vdso(id, sizeof(id));
	struct utsname here;

	if (file->build_id_size || !id_size)
		return id_size &&
		       img_same_build_id(file->build_id, file->build_id_size, id, id_size);
	return !*img->symfs && img->release && !uname(&here) &&
	       !strcmp(here.release, img->release);
}

/* If this process has the same vdso, it is whole in its memory: section headers come last. */
static bool take_own_vdso(const struct img *img, struct img_file *file)
{
	const ElfW(Ehdr) *elf = (const void *)getauxval(AT_SYSINFO_EHDR);
	void *map;

	if (!is_own_vdso(img, file))
		return false;
	file->size = elf->e_shoff + (uint64_t)elf->e_shnum * elf->e_shentsize;
	map = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return false;
	file->map = map;
	file->path = strdup(file->name);
	if (read_own(map, file->size, (uintptr_t)elf))
		read_elf(file, file->name);
	if (file->state == IMG_OK)
		return true;
	img_close_file(file);
	file->state = IMG_VDSO;
	return false;
}

/*
 * Kernel packages bring the page's file along, by the kernel's release: Debian's is that with the
 * debug information.
 */
static bool load_vdso(struct img *img, struct img_file *file)
{
	static const char *const folders[] = { "/usr/lib/modules", "/usr/lib/debug/lib/modules" };
	static const char *const names[] = { "vdso.so", "vdso64.so",
					     "vdso32.so" };
	unsigned int i;
	char *path;

	img_look_in_places(file);
	if (file->state != IMG_OK && take_own_vdso(img, file))
		return true;
	for (i = 0; i < 6 && img->release && file->state != IMG_OK; i++) {
		if (asprintf(&path, "%s%s/%s/vdso/%s", img->symfs, folders[i / 3],
			     img->release, names[i % 3]) < 0)
			return false;
		img_open_file(file, path);
		free(path);
		/* Another build is worth telling, a file that is not there not. */
		if (file->state == IMG_BUILD_ID)
			return true;
		if (file->state != IMG_OK) {
			img_close_file(file);
			file->state = IMG_VDSO;
		}
	}
	return true;
}

void img_add_remedy(struct img_file *file, const char *remedy)
{
	char *error = file->error;

	if (error && asprintf(&file->error, "%s; %s", error, remedy) < 0)
		file->error = NULL;
	free(error);
}

/* Where it might be is for the user to say. Without a build id, only its name tells the file. */
static void add_remedy(struct img_file *file)
{
	const char *name = basename(file->name);
	char id[2 * IMG_BUILD_ID_MAX + 1], *remedy;
	int ret;

	if (file->build_id_size)
		ret = asprintf(&remedy, "name the file (build id %s), or a folder that has it, with --code",
			       hex_text(id, file->build_id, file->build_id_size));
	else
		ret = asprintf(&remedy, "name a file with the name %.*s, or a folder that has it, with --code%s",
			       (int)pd_name_length(name), name,
			       pd_is_jitdump(name) ? "" :
						     "; or record with `ssctr record`, which tells " IMG_ITS_BUILD_ID);
	if (ret < 0)
		return;
	img_add_remedy(file, remedy);
	free(remedy);
}

static bool load(struct img *img, struct img_file *file)
{
	char *path;

	file->state = kind_of(file->name, file->build_id_size);
	if (file->state == IMG_VDSO)
		return load_vdso(img, file);
	if (file->state != IMG_OK)
		return true;
	if (asprintf(&path, "%s%s", img->symfs, file->name) < 0)
		return false;
	img_open_file(file, path);
	free(path);
	if (file->state != IMG_OK)
		img_look_in_places(file);
	img_share_copies(file);
	if (file->state == IMG_MISSING)
		add_remedy(file);
	return true;
}

bool img_set_release(struct img *img, const char *release)
{
	free(img->release);
	img->release = release && release[0] ? strdup(release) : NULL;
	return img->release || !release || !release[0];
}

/* Not found by name. */
struct img_file *img_new_file(struct img *img, const char *name)
{
	struct img_file *file = NULL;

	if (array_room(&img->files, img->nr, &img->cap, sizeof(*img->files)))
		file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->img = img;
	file->name = strdup(name);
	if (!file->name) {
		free(file);
		return NULL;
	}
	return img->files[img->nr++] = file;
}

struct img_file *img_file(struct img *img, const char *name,
			  const uint8_t *build_id, unsigned int build_id_size)
{
	uint32_t hash = hash_bytes(0, name, strlen(name));
	struct hash_slot *slot;
	struct img_file *file;

	if (build_id_size > IMG_BUILD_ID_MAX)
		build_id_size = IMG_BUILD_ID_MAX;
	if (!hash_room(&img->by_name))
		return NULL;
	hash_for_each(&img->by_name, slot, hash) {
		file = img->files[slot->number - 1];
		if (!strcmp(file->name, name) &&
		    file->build_id_size == build_id_size &&
		    (!build_id_size ||
		     !memcmp(file->build_id, build_id, build_id_size)))
			return file;
	}
	file = img_new_file(img, name);
	if (!file)
		return NULL;
	file->build_id_size = build_id_size;
	if (build_id_size)
		memcpy(file->build_id, build_id, build_id_size);
	if (!load(img, file)) {
		img->nr--;
		img_free_file(file);
		return NULL;
	}
	hash_put(&img->by_name, slot, hash, img->nr - 1);
	return file;
}

struct img_file *img_open(struct img *img, const char *path)
{
	struct img_file *file = img_new_file(img, path);

	if (file)
		img_open_file(file, path);
	return file;
}

const char *img_file_path(const struct img_file *file)
{
	return file->path;
}

enum img_state img_file_state(const struct img_file *file)
{
	return file->state;
}

const char *img_file_error(const struct img_file *file)
{
	return file->error ? file->error : "";
}

const char *img_file_by_name(const struct img_file *file)
{
	return file->by_name ? file->by_name : "";
}

void img_file_add_samples(struct img_file *file, uint64_t nr)
{
	file->samples += nr;
}

uint64_t img_file_samples(const struct img_file *file)
{
	return file->samples;
}

unsigned int img_file_bits(const struct img_file *file)
{
	return file->bits;
}

const char *img_state_text(enum img_state state)
{
	static const char *const texts[IMG_NR_STATES] = {
		[IMG_OK] = "code",
		[IMG_ANON] =
			"memory without a file; a program that makes code can write it to a jitdump (docs/report.md)",
		[IMG_CHANGED] =
			"code that a program made and changed; record with perf record -k mono, or with ssctr record",
		[IMG_REPLACED] =
			"code that took the place of other code at its addresses since the sample before; record with a shorter period (-c)",
		[IMG_WRITTEN] = "code of a file that the program made writable, and may have changed",
		[IMG_VDSO] = "the vdso",
		[IMG_KERNEL] = "the kernel; record with perf record --kcore, or only user code (-e cycles:u)",
		[IMG_MISSING] = "a file that cannot be read",
		[IMG_NOT_ELF] = "a file that is not ELF",
		[IMG_CUT] = "a file whose end is missing",
		[IMG_NOT_RISCV] = "a file that is not RISC-V code",
		[IMG_BUILD_ID] = "a file of another build",
		[IMG_PATCHED] =
			"code that the kernel changes at run time; record with perf record --kcore, or only user code (-e cycles:u)",
		[IMG_MODULE] =
			"a module, or code that the kernel made; record with perf record --kcore, or only user code (-e cycles:u)",
		[IMG_MADE] =
			"code of BPF programs, or other code that the kernel makes, which recordings do not have",
		[IMG_UNMAPPED] = "nothing mapped",
	};

	return texts[state];
}

const char *img_misfit_text(bool rewritten)
{
	return rewritten ?
		"start at no such branch in the file: code of a file that the program made writable, and may have changed, so what is shown of it may be wrong" :
		"start at no such branch in the file, so another file ran under this name, or the program has changed its code, and what is shown of it is wrong; record with `ssctr record`, or with --buildid-mmap, which tell " IMG_ITS_BUILD_ID;
}

const uint8_t *img_code(const struct img_file *file, uint64_t offset,
			uint64_t *len)
{
	if (file->state != IMG_OK || offset >= file->size)
		return NULL;
	*len = file->size - offset;
	return file->map + offset;
}

const uint8_t *img_file_build_id(const struct img_file *file,
				 unsigned int *size)
{
	return file->state == IMG_OK && file->elf ?
		       img_find_build_id(file->elf, size) :
		       NULL;
}

struct Elf *img_elf(const struct img_file *file)
{
	return file->state == IMG_OK ? file->elf : NULL;
}

unsigned int img_nr_files(const struct img *img)
{
	return img->nr;
}

struct img_file *img_file_at(const struct img *img, unsigned int index)
{
	return img->files[index];
}
