/* SPDX-License-Identifier: GPL-2.0-only */
/* Code at places of its own in the address space, to tell whose a record is. */
#ifndef SELFTESTS_PLACE_H
#define SELFTESTS_PLACE_H

/* Instructions of two bytes, of which QEMU executes a thousand in a microsecond. */
#define PLACE_STRETCH	60000
#define PLACE_SIZE	(1 << 18)

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#define PLACE(_nr)	(0x1000000000ull * ((_nr) + 1))

static inline bool is_at(uint64_t pc, uint64_t place)
{
	return pc >= place && pc < place + PLACE_SIZE;
}

/* A loop of as many rounds as it is told, at @place. NULL if it cannot be had. */
void (*place_settle(uint64_t place))(uint64_t rounds);

/*
 * Go to @place and stay there until killed, with a turn now and then, counted in
 * *@turns, after which the CPU is offered to others.
 */
void place_move(uint64_t place, uint64_t *turns) __attribute__((noreturn));

/*
 * A function without a branch but its return, of @nops instructions of two bytes:
 * nothing in it pushes older records out. PLACE_NOPS, the most there can be, take
 * some milliseconds. NULL if it cannot be had.
 */
#define PLACE_NOPS	(4u << 20)
void (*place_straight(unsigned int nops))(void);
bool is_straight(uint64_t pc);

/*
 * A program at @path that is nothing but such code, and exits with status 0.
 * False if it cannot be written.
 */
bool place_write_program(const char *path);

#endif /* __ASSEMBLER__ */

#endif
