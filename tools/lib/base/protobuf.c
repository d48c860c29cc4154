// SPDX-License-Identifier: GPL-2.0-only
#include "base/protobuf.h"
#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The last three bits of a field's key. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

enum { LONGEST_VARINT = 10 };

/* Returns where size more bytes go. NULL: out of memory. */
static uint8_t *more(struct pb *m, size_t size)
{
	if (!m->failed && m->cap - m->nr < size)
		m->failed = !array_cover(&m->v, m->nr + size, &m->cap, 1);
	if (m->failed)
		return NULL;
	m->nr += size;
	return m->v + m->nr - size;
}

void pb_varint(struct pb *m, uint64_t value)
{
	uint8_t *p = more(m, LONGEST_VARINT);

	if (!p)
		return;
	for (; value > 0x7f; value >>= 7)
		*p++ = value | 0x80;
	*p++ = value;
	m->nr = p - m->v;
}

void pb_number(struct pb *m, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	pb_varint(m, field << 3 | VARINT);
	pb_varint(m, value);
}

void pb_fixed64(struct pb *m, unsigned int field, uint64_t value)
{
	unsigned int i;
	uint8_t *p;

	if (!value)
		return;
	pb_varint(m, field << 3 | FIXED64);
	p = more(m, sizeof(value));
	for (i = 0; p && i < sizeof(value); i++)
		p[i] = value >> 8 * i;
}

void pb_append(struct pb *m, const void *bytes, size_t size)
{
	uint8_t *p = size ? more(m, size) : NULL;

	if (p)
		memcpy(p, bytes, size);
}

void pb_bytes(struct pb *m, unsigned int field, const void *bytes, size_t size)
{
	pb_varint(m, field << 3 | BYTES);
	pb_varint(m, size);
	pb_append(m, bytes, size);
}

static bool is_utf8(const char *s, size_t size)
{
	size_t i, n;

	for (i = 0; i < size; i += n) {
		n = text_utf8(s + i, size - i);
		if (!n)
			return false;
	}
	return true;
}

void pb_text(struct pb *m, unsigned int field, const char *s)
{
	static const char unknown[] = "\xef\xbf\xbd";
	const size_t size = strlen(s);
	struct pb clean = { 0 };
	size_t i, n;

	if (is_utf8(s, size)) {
		pb_bytes(m, field, s, size);
		return;
	}
	for (i = 0; i < size; i += n ?: 1) {
		n = text_utf8(s + i, size - i);
		pb_append(&clean, n ? s + i : unknown, n ?: sizeof(unknown) - 1);
	}
	pb_message(m, field, &clean);
	free(clean.v);
}

void pb_message(struct pb *m, unsigned int field, struct pb *inner)
{
	m->failed |= inner->failed;
	pb_bytes(m, field, inner->v, inner->nr);
	inner->nr = 0;
}

/* --- read --- */

static bool take_varint(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
	unsigned int shift;

	*value = 0;
	for (shift = 0; shift < 64 && *p < end; shift += 7) {
		*value |= (uint64_t)(**p & 0x7f) << shift;
		if (!(*(*p)++ & 0x80))
			return true;
	}
	return false;
}

static bool take_fixed(const uint8_t **p, const uint8_t *end, unsigned int size,
		       uint64_t *value)
{
	unsigned int i;

	if ((size_t)(end - *p) < size)
		return false;
	*value = 0;
	for (i = 0; i < size; i++)
		*value |= (uint64_t)*(*p)++ << 8 * i;
	return true;
}

bool pb_next(const uint8_t **p, const uint8_t *end, struct pb_field *field)
{
	uint64_t key;

	if (!take_varint(p, end, &key))
		return false;
	*field = (struct pb_field){ .nr = key >> 3 };
	switch (key & 7) {
	case VARINT:
		return take_varint(p, end, &field->number);
	case FIXED64:
		return take_fixed(p, end, 8, &field->number);
	case FIXED32:
		return take_fixed(p, end, 4, &field->number);
	case BYTES:
		if (!take_varint(p, end, &field->number) ||
		    field->number > (size_t)(end - *p))
			return false;
		field->bytes = *p;
		*p += field->number;
		return true;
	}
	return false;
}
