/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MD5 (RFC 1321). LLVM numbers functions with it. It does not protect against an
 * attacker.
 */
#ifndef BASE_MD5_H
#define BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { MD5_SIZE = 16 };

void md5(uint8_t digest[MD5_SIZE], const void *p, size_t size);

#endif
