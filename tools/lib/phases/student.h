/* SPDX-License-Identifier: GPL-2.0-only */
/* Student's t distribution. */
#ifndef PHASES_STUDENT_H
#define PHASES_STUDENT_H

/*
 * Returns t such that a random number with this distribution lies between -t and t with a
 * probability of confidence, above 0 and below 1. The degrees of freedom, 1 or more, need
 * not be whole. INFINITY stands for the normal distribution.
 */
double phases_student(double confidence, double freedom);

/* Returns the probability that it lies outside of -t to t, from 0 on: the other way round. */
double phases_student_outside(double t, double freedom);

#endif
