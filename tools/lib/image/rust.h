/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of Rust. rustc's older form, which it uses unless it is told otherwise, looks
 * like C++: _ZN, the parts of the path with their lengths, a hash as the last part, E.
 */
#ifndef IMAGE_RUST_H
#define IMAGE_RUST_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a symbol has the form v0, which RFC 2603 describes. */
bool img_rust_is_v0(const char *symbol);

/*
 * Returns the number of bytes of a symbol of Rust. What follows was appended by compilers,
 * such as .cold.
 * Returns 0 if the symbol is not Rust's.
 */
size_t img_rust_size(const char *symbol);

/*
 * Returns the name that a symbol of the older form stands for, without the hash. Only call
 * this if img_rust_size() is not 0. The caller frees the name. Returns NULL if out of memory.
 */
char *img_rust_legacy(const char *symbol);

#endif
