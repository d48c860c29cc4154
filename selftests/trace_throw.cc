// SPDX-License-Identifier: GPL-2.0-only
/* Exceptions thrown and caught through several frames. Needs no headers. */
struct Guard {
	explicit Guard(volatile long *count) : count(count) { ++*count; }
	~Guard() { --*count; }
	volatile long *count;
};

struct Shape {
	virtual long area(long n) const = 0;
};

struct Square : Shape {
	long area(long n) const override { return n * n; }
};

struct Oblong : Shape {
	long area(long n) const override
	{
		if (n % 7 == 0)
			throw n;
		return n * (n + 1);
	}
};

static volatile long live, caught;

__attribute__((noinline)) static long dive(const Shape &shape, long n, int depth)
{
	Guard guard(&live);

	return depth ? dive(shape, n, depth - 1) + 1 : shape.area(n);
}

int main()
{
	const Square square;
	const Oblong oblong;
	const Shape *const shapes[] = { &square, &oblong };
	long sum = 0;

	for (long i = 0; i < 1500; i++) {
		try {
			sum += dive(*shapes[i & 1], i, i % 5);
		} catch (long n) {
			caught = caught + 1;
			sum -= n;
		}
		try {
			if (i % 11 == 0)
				throw "text";
		} catch (const char *text) {
			sum += text[0];
		}
	}
	return live || !caught || !sum;
}
