// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with what profiles have to tell: loops, inlined and static functions,
 * indirect calls, a switch, recursion, cold paths.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ROUNDS
#define ROUNDS 200
#endif

static uint64_t state = 88172645463325252;

static inline uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

enum op { ADD, SUB, MUL, XOR, SHIFT, JUMP, SKIP, END };

static uint64_t interpret(const uint8_t *code, size_t n)
{
	uint64_t acc = 1;
	size_t pc = 0, steps = 0;

	while (pc < n && steps++ < 400) {
		switch (code[pc] % 8) {
		case ADD:
			acc += code[pc];
			break;
		case SUB:
			acc -= code[pc] * 3;
			break;
		case MUL:
			acc *= 2654435761u;
			break;
		case XOR:
			acc ^= acc >> 13;
			break;
		case SHIFT:
			acc = acc << 3 | acc >> 61;
			break;
		case JUMP:
			if (acc & 1)
				pc = (pc * 7 + 3) % n;
			break;
		case SKIP:
			pc += acc & 3;
			break;
		case END:
			if (!(acc & 255))
				return acc;
			break;
		}
		pc++;
	}
	return acc;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void heap_down(uint32_t *v, size_t i, size_t n,
		      int (*cmp)(const void *, const void *))
{
	size_t child;

	while ((child = 2 * i + 1) < n) {
		uint32_t tmp;

		if (child + 1 < n && cmp(&v[child], &v[child + 1]) < 0)
			child++;
		if (cmp(&v[i], &v[child]) >= 0)
			return;
		tmp = v[i];
		v[i] = v[child];
		v[child] = tmp;
		i = child;
	}
}

static void heap_sort(uint32_t *v, size_t n)
{
	size_t i;

	for (i = n / 2; i-- > 0;)
		heap_down(v, i, n, by_value);
	for (i = n; i-- > 1;) {
		uint32_t tmp = v[0];

		v[0] = v[i];
		v[i] = tmp;
		heap_down(v, 0, i, by_value);
	}
}

struct node {
	struct node *left, *right;
	uint32_t key, count;
};

static struct node *insert(struct node *node, uint32_t key)
{
	if (!node) {
		node = calloc(1, sizeof(*node));
		if (!node)
			abort();
		node->key = key;
	}
	if (key < node->key)
		node->left = insert(node->left, key);
	else if (key > node->key)
		node->right = insert(node->right, key);
	else
		node->count++;
	return node;
}

static uint64_t sum(const struct node *node, uint32_t depth)
{
	return node ? node->count * depth + sum(node->left, depth + 1) +
			      sum(node->right, depth + 1) :
		      0;
}

static uint32_t hash_text(const char *s)
{
	uint32_t hash = 2166136261u;

	while (*s)
		hash = (hash ^ (uint8_t)*s++) * 16777619u;
	return hash;
}

static uint64_t half(uint64_t v)
{
	return v >> 1;
}

static uint64_t triple(uint64_t v)
{
	return 3 * v + 1;
}

static uint64_t rarely(uint64_t v)
{
	return v * v;
}

static uint64_t (*const steps[])(uint64_t) = { half, triple, rarely };

/* Calls by address, of which one is frequent. */
static uint64_t collatz(uint64_t v)
{
	uint64_t n = 0;

	while (v > 1 && n++ < 200)
		v = steps[n == 150 ? 2 : v & 1](v);
	return n;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS, i, j;
	static uint32_t values[4096];
	static uint8_t code[512];
	struct node *root = NULL;
	uint64_t out = 0;

	for (i = 0; i < rounds; i++) {
		char text[64];

		for (j = 0; j < sizeof(code); j++)
			code[j] = rnd() >> 24;
		for (j = 0; j < 40; j++)
			out += interpret(code + j, sizeof(code) - j);
		for (j = 0; j < 1024; j++)
			values[j] = rnd() >> 20;
		heap_sort(values, 1024);
		for (j = 0; j < 1024; j += 8)
			root = insert(root, values[j] % 5000);
		for (j = 0; j < 50; j++) {
			snprintf(text, sizeof(text), "%u-%u", i, j * values[j]);
			out += hash_text(text);
		}
		for (j = 1; j < 30; j++)
			out += collatz(j * (i + 1));
		if (out == 12345)
			puts("never");
	}
	out += sum(root, 1);
	printf("%llx\n", (unsigned long long)out);
	return 0;
}
