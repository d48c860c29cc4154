// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"

#define PLACE_STRAIGHT	0x7000000000ull

extern const char place_loop[], place_loop_end[];
extern const char place_stay[], place_stay_end[];

static const uint16_t nop = 0x0001;
static const uint16_t ret = 0x8082;

static void *map(uint64_t place, size_t size)
{
	void *at = mmap((void *)place, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void *copy(uint64_t place, const char *code, const char *end)
{
	char *at = map(place, PLACE_SIZE);

	if (at) {
		memcpy(at, code, end - code);
		__builtin___clear_cache(at, at + (end - code));
	}
	return at;
}

void (*place_settle(uint64_t place))(uint64_t)
{
	return (void (*)(uint64_t))copy(place, place_loop, place_loop_end);
}

void place_move(uint64_t place, uint64_t *turns)
{
	void (*stay)(uint64_t *turns);

	stay = (void (*)(uint64_t *))copy(place, place_stay, place_stay_end);
	if (stay)
		stay(turns);
	_exit(1);
}

bool is_straight(uint64_t pc)
{
	return pc >= PLACE_STRAIGHT && pc < PLACE_STRAIGHT + PLACE_NOPS * sizeof(nop);
}

static void fill_nops(uint16_t *at, unsigned int nops)
{
	for (unsigned int i = 0; i < nops; i++)
		at[i] = nop;
}

void (*place_straight(unsigned int nops))(void)
{
	size_t size = (PLACE_NOPS + 1) * sizeof(nop);
	uint16_t *code = map(PLACE_STRAIGHT, size);

	if (code) {
		fill_nops(code, PLACE_NOPS);
		code[PLACE_NOPS] = ret;
		__builtin___clear_cache((char *)code, (char *)code + size);
	}
	return (void (*)(void))(code ? code + PLACE_NOPS - nops : NULL);
}

/* Enough for a few samples, and few enough to be read and translated at once. */
#define PROGRAM_NOPS	(1u << 20)

bool place_write_program(const char *path)
{
	static const uint32_t exit_0[] = {
		0x00000513,	/* li a0, 0 */
		0x05d00893,	/* li a7, 93 (exit) */
		0x00000073,	/* ecall */
	};
	size_t size = 4096 + PROGRAM_NOPS * sizeof(nop) + sizeof(exit_0);
	char *image = calloc(1, size);
	Elf64_Ehdr *header = (Elf64_Ehdr *)image;
	Elf64_Phdr *load = (Elf64_Phdr *)(header + 1);
	FILE *file = fopen(path, "w");
	bool whole;

	if (!image || !file)
		return false;
	*header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = PLACE_STRAIGHT,
		.e_phoff = sizeof(*header),
		.e_ehsize = sizeof(*header),
		.e_phentsize = sizeof(*load),
		.e_phnum = 1,
	};
	*load = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = 4096,
		.p_vaddr = PLACE_STRAIGHT,
		.p_filesz = size - 4096,
		.p_memsz = size - 4096,
		.p_align = 4096,
	};
	fill_nops((uint16_t *)(image + 4096), PROGRAM_NOPS);
	memcpy(image + size - sizeof(exit_0), exit_0, sizeof(exit_0));
	whole = fwrite(image, 1, size, file) == size;
	free(image);
	return !fclose(file) && whole && !chmod(path, 0755);
}
