// SPDX-License-Identifier: GPL-2.0-only
#include "phases/student.h"

#include <math.h>

enum { TERMS = 300, HALVINGS = 80, NORMAL = 100000 };

/*
 * The continued fraction 1 / (1 + t1 / (1 + t2 / ...)) of the incomplete beta function
 * (Abramowitz and Stegun, 26.5.8), from its front to its end by Lentz's method.
 */
static double fraction(double a, double b, double x)
{
	double f = 1, c = INFINITY, d = 1, term;
	int i;

	for (i = 1; i < TERMS; i++) {
		const double m = i / 2;

		if (i % 2)
			term = -(a + m) * (a + b + m) * x /
			       ((a + 2 * m) * (a + 2 * m + 1));
		else
			term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 / (1 + term * d);
		c = 1 + term / c;
		f *= c * d;
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return f;
}

/* The incomplete beta function, divided by the complete one. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	/* The fraction converges quickly on one side. */
	if (x < (a + 1) / (a + b + 2))
		return front * fraction(a, b, x) / a;
	return 1 - front * fraction(b, a, 1 - x) / b;
}

double phases_student_outside(double t, double freedom)
{
	if (freedom > NORMAL)
		return erfc(t / M_SQRT2);
	return beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double phases_student(double confidence, double freedom)
{
	double low = 0, high = 1;
	int i;

	while (phases_student_outside(high, freedom) > 1 - confidence && high < 1e9)
		high *= 2;
	for (i = 0; i < HALVINGS; i++) {
		const double middle = (low + high) / 2;

		if (phases_student_outside(middle, freedom) > 1 - confidence)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
