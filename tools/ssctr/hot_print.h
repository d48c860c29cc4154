/* SPDX-License-Identifier: GPL-2.0-only */
/* What is hot, for people. */
#ifndef SSCTR_HOT_PRINT_H
#define SSCTR_HOT_PRINT_H

#include "hot/hot.h"

#include <stdio.h>

/* "main (sort)". */
void hot_print_function(FILE *file, const struct hot *hot, uint32_t function);

/* "main+0x12". */
void hot_print_offset(FILE *file, const struct hot *hot, uint32_t place);

/* " (sort)", if a function of another binary has the same name, or else nothing. */
void hot_print_binary(FILE *file, const struct hot *hot, uint32_t function);

/*
 * " (sort.c:40)", or nothing where no line is known; of code that was inlined " (sort.c:40 in
 * swap)".
 */
void hot_print_line(FILE *file, const struct hot *hot, uint32_t place);

/* The last three. */
void hot_print_place(FILE *file, const struct hot *hot, uint32_t place);

/* What prints a name. Between names there are no characters that a page would have to escape. */
typedef void hot_put(FILE *file, const char *name);

void hot_put_function(FILE *file, const struct hot *hot, uint32_t function, hot_put *put);
void hot_put_place(FILE *file, const struct hot *hot, uint32_t place, hot_put *put);

/* Of a loop: the mean of its trips, or "-", and what they lie between, or "". */
void hot_trips_text(const struct hot_trips *t, char mean[24], char range[40]);

#endif
