// SPDX-License-Identifier: GPL-2.0-only
#include "image/internal.h"
#include "perfdata/space.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct img *img_new(const char *symfs)
{
	struct img *img = calloc(1, sizeof(*img));

	if (!img || elf_version(EV_CURRENT) == EV_NONE) {
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
}

static void free_file(struct img_file *file)
{
	if (file->debug) {
		elf_end(file->debug->elf);
		img_unmap_file(file->debug);
		free(file->debug);
	}
	elf_end(file->elf);
	img_unmap_file(file);
	free(file->symbols);
	free(file->plt_names);
	free(file->segments);
	free(file->jit);
	free(file->error);
	free(file->name);
	free(file);
}

void img_free(struct img *img)
{
	unsigned int i;

	if (!img)
		return;
	for (i = 0; i < img->nr; i++)
		free_file(img->files[i]);
	img_free_vmlinux(img->vmlinux);
	free(img->files);
	free(img->slots);
	free(img);
}

void img_refuse_file(struct img_file *file, enum img_state state,
		     const char *path, const char *why)
{
	file->state = state;
	if (asprintf(&file->error, "%s: %s", path, why) < 0)
		file->error = NULL;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n--)
		if (*p++)
			return false;
	return true;
}

/* Recordings may fill a short id up with zeroes. */
static bool same_build_id(const struct img_file *file, const uint8_t *id,
			  size_t size)
{
	size_t n = size < file->build_id_size ? size : file->build_id_size;

	return !memcmp(file->build_id, id, n) &&
	       all_zero(file->build_id + n, file->build_id_size - n) &&
	       all_zero(id + n, size - n);
}

/* Among the notes at an offset of the file; NULL: none. */
static const uint8_t *build_id_at(Elf *elf, uint64_t offset, uint64_t n,
				  uint64_t align, unsigned int *size)
{
	size_t at = 0, next, name, desc;
	Elf_Data *data;
	GElf_Nhdr nh;

	data = elf_getdata_rawchunk(elf, offset, n,
				    align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	while (data && (next = gelf_getnote(data, at, &nh, &name, &desc))) {
		const uint8_t *buf = data->d_buf;

		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 &&
		    !memcmp(buf + name, "GNU", 4)) {
			*size = nh.n_descsz;
			return buf + desc;
		}
		at = next;
	}
	return NULL;
}

const uint8_t *img_find_build_id(Elf *elf, unsigned int *size)
{
	const uint8_t *id = NULL;
	Elf_Scn *scn = NULL;
	GElf_Phdr ph;
	GElf_Shdr sh;
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return NULL;
	for (i = 0; i < nr && !id; i++)
		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_NOTE)
			id = build_id_at(elf, ph.p_offset, ph.p_filesz,
					 ph.p_align, size);
	/* A module of the kernel has sections alone. */
	while (!nr && !id && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
			id = build_id_at(elf, sh.sh_offset, sh.sh_size,
					 sh.sh_addralign, size);
	return id;
}

/* False if the file has a build id, and it is another one. */
static bool check_build_id(const struct img_file *file)
{
	unsigned int size;
	const uint8_t *id;

	if (!file->build_id_size)
		return true;
	id = img_find_build_id(file->elf, &size);
	return !id || same_build_id(file, id, size);
}

static void read_elf(struct img_file *file, const char *path)
{
	GElf_Ehdr eh;

	/* libelf only reads, though its argument is not const. */
	file->elf = elf_memory((char *)file->map, file->size);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
	    !gelf_getehdr(file->elf, &eh)) {
		img_refuse_file(file, IMG_NOT_ELF, path, "not an ELF file");
		return;
	}
	if (eh.e_machine != EM_RISCV || eh.e_ident[EI_DATA] != ELFDATA2LSB) {
		img_refuse_file(file, IMG_NOT_RISCV, path,
		       "not RISC-V code; name the root folder of the machine that recorded with --symfs");
		return;
	}
	if (!check_build_id(file)) {
		img_refuse_file(file, IMG_BUILD_ID, path,
		       "another build than the one that was recorded (the build ids differ)");
		return;
	}
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

/* What the kernel and perf call mappings that are no files. */
static enum img_state kind_of(const char *name)
{
	static const char *const anon[] = {
		"//anon", "/anon_hugepage", "/memfd:",
		"/SYSV",  "/dev/zero",	    "anon_inode:",
	};
	size_t i;

	if (!strncmp(name, "[vdso", 5))
		return IMG_VDSO;
	if (!strncmp(name, "[kernel", 7) || !strncmp(name, "[guest", 6))
		return IMG_KERNEL;
	for (i = 0; i < sizeof(anon) / sizeof(*anon); i++)
		if (!strncmp(name, anon[i], strlen(anon[i])))
			return IMG_ANON;
	return name[0] == '/' ? IMG_OK : IMG_ANON;
}

/* Forget what was opened, to try another file. */
static void reset(struct img_file *file)
{
	elf_end(file->elf);
	file->elf = NULL;
	img_unmap_file(file);
	free(file->error);
	file->error = NULL;
}

/*
 * perf keeps what it recorded by build id: DIR/.build-id/ab/cdef.../elf, and the
 * page of the kernel's in each process as .../vdso. False: out of memory.
 */
static bool try_build_id_dir(struct img *img, struct img_file *file,
			     const char *kind)
{
	struct img_file other = *file;
	char hex[2 * sizeof(file->build_id) + 1];
	unsigned int i, size = file->build_id_size;
	char *path;

	if (!img->build_id_dir || !size)
		return true;
	for (i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", file->build_id[i]);
	if (asprintf(&path, "%s/.build-id/%.2s/%s/%s", img->build_id_dir, hex,
		     hex + 2, kind) < 0)
		return false;
	other.elf = NULL;
	other.map = NULL;
	other.error = NULL;
	img_open_file(&other, path);
	free(path);
	if (other.state == IMG_OK) {
		reset(file);
		*file = other;
	} else {
		reset(&other);
	}
	return true;
}

/* Kernel packages bring the page's file along, by the kernel's release. */
static bool load_vdso(struct img *img, struct img_file *file)
{
	static const char *const names[] = { "vdso.so", "vdso64.so",
					     "vdso32.so" };
	unsigned int i;
	char *path;

	if (!try_build_id_dir(img, file, "vdso"))
		return false;
	for (i = 0; i < 3 && img->release && file->state != IMG_OK; i++) {
		if (asprintf(&path, "%s/usr/lib/modules/%s/vdso/%s", img->symfs,
			     img->release, names[i]) < 0)
			return false;
		img_open_file(file, path);
		free(path);
		/* Another build is worth telling, a file that is not there not. */
		if (file->state == IMG_BUILD_ID)
			return true;
		if (file->state != IMG_OK) {
			reset(file);
			file->state = IMG_VDSO;
		}
	}
	return true;
}

static bool load(struct img *img, struct img_file *file)
{
	char *path;

	file->state = kind_of(file->name);
	if (file->state == IMG_VDSO)
		return load_vdso(img, file);
	if (file->state != IMG_OK)
		return true;
	if (asprintf(&path, "%s%s", img->symfs, file->name) < 0)
		return false;
	img_open_file(file, path);
	free(path);
	return file->state == IMG_OK || try_build_id_dir(img, file, "elf");
}

void img_set_origin(struct img *img, const char *release,
		    const char *build_id_dir)
{
	img->release = release && release[0] ? release : NULL;
	img->build_id_dir = build_id_dir;
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 16777619u;
	return hash;
}

static bool grow(struct img *img)
{
	unsigned int i, j, cap = img->cap ? 2 * img->cap : 64;
	struct img_file **files, **slots;

	files = realloc(img->files, cap * sizeof(*files));
	if (!files)
		return false;
	img->files = files;
	slots = calloc(2 * cap, sizeof(*slots));
	if (!slots)
		return false;
	for (i = 0; i < img->nr; i++) {
		j = files[i]->hash & (2 * cap - 1);
		while (slots[j])
			j = (j + 1) & (2 * cap - 1);
		slots[j] = files[i];
	}
	free(img->slots);
	img->slots = slots;
	img->slots_mask = 2 * cap - 1;
	img->cap = cap;
	return true;
}

/* Not found by name. */
struct img_file *img_new_file(struct img *img, const char *name)
{
	struct img_file *file;

	if (img->nr == img->cap && !grow(img))
		return NULL;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->name = strdup(name);
	file->img = img;
	if (!file->name) {
		free(file);
		return NULL;
	}
	img->files[img->nr++] = file;
	return file;
}

struct img_file *img_file(struct img *img, const char *name,
			  const uint8_t *build_id, unsigned int build_id_size)
{
	uint32_t hash = hash_name(name);
	struct img_file *file;
	unsigned int i;

	if (build_id_size > sizeof(file->build_id))
		build_id_size = sizeof(file->build_id);
	if (img->nr == img->cap && !grow(img))
		return NULL;
	for (i = hash & img->slots_mask; img->slots[i];
	     i = (i + 1) & img->slots_mask) {
		file = img->slots[i];
		if (file->hash == hash && !strcmp(file->name, name) &&
		    file->build_id_size == build_id_size &&
		    (!build_id_size ||
		     !memcmp(file->build_id, build_id, build_id_size)))
			return file;
	}
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->img = img;
	file->hash = hash;
	file->build_id_size = build_id_size;
	if (build_id_size)
		memcpy(file->build_id, build_id, build_id_size);
	file->name = strdup(name);
	if (!file->name || !load(img, file)) {
		free_file(file);
		return NULL;
	}
	img->slots[i] = file;
	img->files[img->nr++] = file;
	return file;
}

enum img_state img_file_state(const struct img_file *file)
{
	return file->state;
}

const char *img_file_error(const struct img_file *file)
{
	return file->error ? file->error : "";
}

unsigned int img_file_bits(const struct img_file *file)
{
	return file->bits;
}

const char *img_state_text(enum img_state state)
{
	static const char *const texts[IMG_NR_STATES] = {
		[IMG_OK] = "code",
		[IMG_ANON] = "memory without a file",
		[IMG_VDSO] = "the vdso",
		[IMG_KERNEL] = "the kernel; record with perf record --kcore",
		[IMG_MISSING] = "a file that cannot be read",
		[IMG_NOT_ELF] = "a file that is not ELF",
		[IMG_NOT_RISCV] = "a file that is not RISC-V code",
		[IMG_BUILD_ID] = "a file of another build",
		[IMG_PATCHED] = "code that the kernel changes at run time",
		[IMG_MODULE] =
			"a module, or code that the kernel made; record with perf record --kcore",
		[IMG_UNMAPPED] = "nothing mapped",
	};

	return texts[state];
}

const uint8_t *img_code(const struct img_file *file, uint64_t offset,
			uint64_t *len)
{
	if (file->state != IMG_OK || offset >= file->size)
		return NULL;
	*len = file->size - offset;
	return file->map + offset;
}

bool img_symbol(struct img_file *file, uint64_t offset, const char **name,
		uint64_t *from_start)
{
	size_t low = 0, high;

	if (file->state != IMG_OK)
		return false;
	if (!file->has_symbols)
		img_read_symbols(file);
	high = file->nr_symbols;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->symbols[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || offset >= file->symbols[low - 1].end)
		return false;
	*name = file->symbols[low - 1].name;
	*from_start = offset - file->symbols[low - 1].start;
	return true;
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

const struct img_file *img_file_at(const struct img *img, unsigned int index)
{
	return img->files[index];
}
