// SPDX-License-Identifier: GPL-2.0-only
/*
 * What C++ makes of functions, for profiles: templates, lambdas, virtual functions, unnamed
 * namespaces with the same names in them, exceptions, coroutines, and parts that hardly run.
 * Deterministic; prints a sum.
 */
#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

uint32_t state = 1;

uint32_t next()
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

/* Three classes with a run() each: of 94, 50 and 0 in a hundred. */
struct Often {
	static long run(uint32_t n)
	{
		long sum = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += next() % 100 < 94 ? i : -1;
		return sum;
	}
};

struct Even {
	static long run(uint32_t n)
	{
		long sum = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += next() & 1 ? i : 7;
		return sum;
	}
};

struct Never {
	static long run(uint32_t n)
	{
		long sum = 0;

		for (uint32_t i = 0; i < n; i++)
			if (next() == 0)
				sum += i;
		return sum;
	}
};

template <class T> long twice(uint32_t n)
{
	return T::run(n) + T::run(n / 3);
}

struct Shape {
	virtual ~Shape() = default;
	virtual long area() const = 0;
};

struct Square : Shape {
	long side = 3;
	long area() const override { return side * side; }
};

struct Steps : Shape {
	long width = 9;
	long area() const override
	{
		long sum = 0;

		for (long i = 1; i < width; i += 2)
			sum += i;
		return sum;
	}
};

/* The part that runs mostly is worth inlining alone. */
long seldom(const std::vector<long> &v, size_t at)
{
	if (at < v.size()) [[likely]]
		return v[at];
	long sum = 0;
	for (long x : v)
		sum += x & 3;
	return sum;
}

long checked(uint32_t value)
{
	if (value % 200 == 0)
		throw std::runtime_error("divides");
	return value % 200;
}

struct Numbers {
	struct promise_type {
		long value = 0;
		Numbers get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(long v)
		{
			value = v;
			return {};
		}
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
	std::coroutine_handle<promise_type> handle;
};

Numbers collatz(long n)
{
	while (n > 1) {
		co_yield n;
		n = n & 1 ? 3 * n + 1 : n / 2;
	}
}

long walk(long n)
{
	Numbers numbers = collatz(n);
	long sum = 0;

	while (numbers.handle.resume(), !numbers.handle.done())
		sum += numbers.handle.promise().value;
	numbers.handle.destroy();
	return sum;
}

}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 20;
	std::vector<std::unique_ptr<Shape>> shapes;
	std::vector<long> v;
	long sum = 0;

	for (int i = 0; i < 64; i++)
		if (i % 3)
			shapes.push_back(std::make_unique<Square>());
		else
			shapes.push_back(std::make_unique<Steps>());
	for (int round = 0; round < rounds; round++) {
		sum += twice<Often>(90) + twice<Even>(60) + twice<Never>(30);
		for (const auto &shape : shapes)
			sum += shape->area();
		v.clear();
		for (int i = 0; i < 100; i++)
			v.push_back(next() % 1000);
		std::sort(v.begin(), v.end(),
			  [](long a, long b) { return a % 100 < b % 100; });
		std::for_each(v.begin(), v.end(), [&](long x) {
			if (x % 10 < 7)
				sum += x;
			else
				sum -= x;
		});
		for (size_t i = 0; i < 102; i++)
			sum += seldom(v, i);
		for (int i = 0; i < 50; i++)
			try {
				sum += checked(next());
			} catch (const std::runtime_error &) {
				sum--;
			}
		sum += walk(27 + round % 5);
	}
	printf("%ld\n", sum);
	return 0;
}
