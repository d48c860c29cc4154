// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording to measure `ssctr profile` and its peers with, and the program that
 * it is of: prof_gen PROGRAM RECORDING SAMPLES BRANCHES [WALK]
 *
 * The program is made of blocks of three instructions and a branch, 32 of which
 * are a function that ends in a jump by register to one of a few others. A walk
 * through it, at random, gives the stacks, 32 transfers each. Walks with other numbers are
 * other runs of the same program.
 */
#include "../tests/perfdata-build.h"

#include <elf.h>
#include <inttypes.h>

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

enum { BLOCK = 16, FUNCTION = 32, DEPTH = 32, BASE = 0x10000, TEXT = 0x1000,
       PER_ROUND = 512 };

static uint64_t state = 88172645463325252;
static uint32_t *targets; /* of each block's branch, by block */
static uint32_t nr_blocks;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static bool is_last(uint32_t block)
{
	return block % FUNCTION == FUNCTION - 1;
}

static uint64_t addr_of(uint32_t block)
{
	return BASE + TEXT + (uint64_t)block * BLOCK;
}

static uint32_t encode_bne(int32_t offset)
{
	uint32_t o = offset;

	return 0x00b51063 | (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 |
	       (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7;
}

/* Branches stay in their function. */
static void choose_targets(void)
{
	uint32_t i;

	for (i = 0; i < nr_blocks; i++)
		targets[i] = i - i % FUNCTION + rnd() % FUNCTION;
}

/* The function that a function's end leads to, this time. */
static uint32_t next_function(uint32_t function)
{
	uint64_t hash = (function * 4 + rnd() % 4 + 1) *
			UINT64_C(0x9e3779b97f4a7c15);

	return (hash >> 32) % (nr_blocks / FUNCTION);
}

static bool write_file(const char *path, const struct pdb_buf *b)
{
	FILE *file = fopen(path, "w");
	bool ok = file && fwrite(b->p, b->n, 1, file);

	return (!file || !fclose(file)) && ok;
}

static size_t put_aligned(struct pdb_buf *b, const void *p, size_t n)
{
	size_t at;

	while (b->n % 8)
		pdb_put(b, "", 1);
	at = b->n;
	pdb_put(b, p, n);
	return at;
}

static bool write_program(const char *path)
{
	static const char names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
	uint64_t size = (uint64_t)nr_blocks * BLOCK;
	Elf64_Ehdr eh = { .e_type = ET_EXEC, .e_machine = EM_RISCV,
			  .e_version = 1, .e_entry = BASE + TEXT,
			  .e_phoff = sizeof(eh), .e_ehsize = sizeof(eh),
			  .e_flags = EF_RISCV_RVC,
			  .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			  .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5,
			  .e_shstrndx = 4 };
	const Elf64_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
				.p_vaddr = BASE, .p_paddr = BASE,
				.p_filesz = TEXT + size,
				.p_memsz = TEXT + size, .p_align = 0x1000 };
	Elf64_Shdr sh[5] = {
		{ 0 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_addr = BASE + TEXT, .sh_offset = TEXT, .sh_size = size,
		  .sh_addralign = 4 },
		{ .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_link = 3,
		  .sh_info = 1, .sh_addralign = 8,
		  .sh_entsize = sizeof(Elf64_Sym) },
		{ .sh_name = 15, .sh_type = SHT_STRTAB, .sh_addralign = 1 },
		{ .sh_name = 23, .sh_type = SHT_STRTAB, .sh_addralign = 1 },
	};
	struct pdb_buf b = { 0 }, syms = { 0 }, strings = { 0 };
	static const uint8_t zero[TEXT];
	uint32_t i;
	bool ok;

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = 1;
	pdb_put(&b, zero, TEXT);
	for (i = 0; i < nr_blocks; i++) {
		int32_t offset = (int64_t)(targets[i] - (int64_t)i) * BLOCK -
				 (BLOCK - 4);

		pdb_u32(&b, 0x00150513); /* addi a0, a0, 1 */
		pdb_u32(&b, 0x00158593); /* addi a1, a1, 1 */
		pdb_u32(&b, 0x00160613); /* addi a2, a2, 1 */
		/* jalr zero, 0(a0) */
		pdb_u32(&b, is_last(i) ? 0x00050067 : encode_bne(offset));
	}
	pdb_put(&syms, zero, sizeof(Elf64_Sym));
	pdb_put(&strings, "", 1);
	for (i = 0; i < nr_blocks; i += FUNCTION) {
		char name[32];
		const Elf64_Sym sym = {
			strings.n, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1,
			addr_of(i), FUNCTION * BLOCK
		};

		pdb_put(&syms, &sym, sizeof(sym));
		pdb_put(&strings, name,
			snprintf(name, sizeof(name), "f%u", i / FUNCTION) + 1);
	}
	sh[2].sh_size = syms.n;
	sh[2].sh_offset = put_aligned(&b, syms.p, syms.n);
	sh[3].sh_size = strings.n;
	sh[3].sh_offset = put_aligned(&b, strings.p, strings.n);
	sh[4].sh_size = sizeof(names);
	sh[4].sh_offset = put_aligned(&b, names, sizeof(names));
	eh.e_shoff = put_aligned(&b, sh, sizeof(sh));
	memcpy(b.p, &eh, sizeof(eh));
	memcpy(b.p + sizeof(eh), &ph, sizeof(ph));
	ok = write_file(path, &b);
	free(b.p);
	free(syms.p);
	free(strings.p);
	return ok;
}

/* Go on to the next transfer. */
static uint32_t walk(uint32_t block, uint64_t *from, uint64_t *to)
{
	/* Branches are taken as often as not. */
	while (!is_last(block) && rnd() & 1)
		block++;
	*from = addr_of(block) + BLOCK - 4;
	block = is_last(block) ? next_function(block / FUNCTION) * FUNCTION :
				 targets[block];
	*to = addr_of(block);
	return block;
}

static bool write_recording(const char *path, const char *program,
			    uint64_t samples)
{
	uint64_t stack[DEPTH][3], i;
	char *real = realpath(program, NULL);
	struct pdb rec = { 0 };
	uint32_t block = 0;
	bool ok;
	int k;

	if (!real)
		return false;
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY |
						   PERF_SAMPLE_BRANCH_USER);
	pdb_comm(&rec, 0, 100, "bench", 1);
	pdb_mmap2(&rec, 100, BASE,
		  (TEXT + (uint64_t)nr_blocks * BLOCK + 0xfff) &
			  ~UINT64_C(0xfff),
		  0, real, 2);
	free(real);
	for (i = 0; i < samples; i++) {
		for (k = DEPTH - 1; k >= 0; k--) {
			block = walk(block, &stack[k][0], &stack[k][1]);
			stack[k][2] = 0;
		}
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = stack[0][1], .time = 1000 * (i + 1), .pid = 100,
			.tid = 100, .nr_branches = DEPTH,
			.branches = (const uint64_t (*)[3])stack });
		if (i % PER_ROUND == PER_ROUND - 1)
			pdb_round(&rec);
	}
	pdb_finish(&rec);
	ok = pdb_write(&rec, path);
	pdb_free(&rec);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t samples;

	if (argc != 5 && argc != 6) {
		fprintf(stderr,
			"usage: prof_gen PROGRAM RECORDING SAMPLES BRANCHES [WALK]\n");
		return 2;
	}
	samples = strtoull(argv[3], NULL, 10);
	nr_blocks = (strtoul(argv[4], NULL, 10) + FUNCTION - 1) / FUNCTION *
		    FUNCTION;
	targets = malloc((nr_blocks + 1) * sizeof(*targets));
	if (!targets || !nr_blocks)
		return 1;
	choose_targets();
	if (argc > 5)
		state ^= strtoull(argv[5], NULL, 10) << 20;
	if (!write_program(argv[1]) ||
	    !write_recording(argv[2], argv[1], samples)) {
		perror("prof_gen");
		return 1;
	}
	free(targets);
	return 0;
}
