// SPDX-License-Identifier: BSD-2-Clause
/* A record's fields one by one, for printing. */
#include "stf/stf.h"

#include <string.h>

#include "stf/stf_layout.h"

struct out {
	uint64_t *value;
	const char **text;
};

static const char *number(struct out *out, const char *name, uint64_t value)
{
	*out->value = value;
	return name;
}

static const char *bytes(struct out *out, const char *name, const void *data,
			 uint64_t size)
{
	*out->value = size;
	*out->text = data ? data : "";
	return name;
}

/* "reg.number" is field "number". */
static const char *last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static const char *reg_field(const struct stf_reg *reg, unsigned int i,
			     struct out *out)
{
	if (i == 0)
		return number(out, "type", reg->type);
	if (i == 1)
		return number(out, "operand", reg->operand);
	i -= 2;
	if (reg->type == STF_REG_VEC)
		return i < reg->n_words ?
			       number(out, "value", reg->vector[i]) : NULL;
	return i ? NULL : number(out, "value", reg->value);
}

static const char *pte_field(const struct stf_page_walk *walk, unsigned int i,
			     struct out *out)
{
	if (i / 2 >= walk->n_ptes)
		return NULL;
	if (i % 2)
		return number(out, "pte", walk->ptes[i / 2].value);
	return number(out, "pte_address", walk->ptes[i / 2].address);
}

static const char *event_field(const struct stf_event *event, unsigned int i,
			       struct out *out)
{
	if (!i)
		return number(out, "id", event->id);
	if (i > event->n_fields)
		return NULL;
	return number(out, "field", event->fields[i - 1]);
}

static const char *tilelink_field(const struct stf_tilelink *tl, unsigned int i,
				  struct out *out)
{
	if (i == 0)
		return number(out, "channel", tl->channel);
	if (tl->channel == STF_TL_E)
		return i == 1 ? number(out, "sink", tl->sink) : NULL;
	switch (i) {
	case 1:
		return number(out, "code", tl->code);
	case 2:
		return number(out, "param", tl->param);
	case 3:
		return number(out, "size", tl->size);
	case 4:
		return number(out, "source", tl->source);
	case 5:
		return bytes(out, "data", tl->data, tl->data_size);
	case 6:
		return tl->channel == STF_TL_D ?
			       number(out, "sink", tl->sink) :
			       number(out, "address", tl->address);
	case 7:
		if (tl->channel <= STF_TL_B)
			return bytes(out, "mask", tl->mask,
				     (tl->mask_bits + 7u) / 8);
	}
	return NULL;
}

static const char *transaction_field(const struct stf_transaction *t,
				     unsigned int i, struct out *out)
{
	const uint8_t *p = t->meta;
	struct stf_meta meta;

	if (i >= t->n_meta)
		return tilelink_field(&t->tilelink, i - t->n_meta, out);
	do {
		int n = stf_meta_get(p, STF_META_MAX, &meta);

		if (n < 0)
			return NULL;
		p += n;
	} while (i--);
	return number(out, "meta", meta.value);
}

#define NONE() NULL
#define TEXT(_m) i ? NULL : bytes(&out, "text", rec->_m.data, rec->_m.size)
#define MAGIC() NULL
#define VLEN() NULL
#define INITIATOR() NULL
#define REG() reg_field(&rec->reg, i, &out)
#define PTES() pte_field(&rec->page_walk, i, &out)
#define EVENT() event_field(&rec->event, i, &out)
#define TRANSACTION() transaction_field(&rec->transaction, i, &out)

#define NUMBER(_m)                                                             \
	if (!i--)                                                              \
		return number(&out, last_part(#_m), rec->_m);
#define U8(_m) NUMBER(_m)
#define U16(_m) NUMBER(_m)
#define U32(_m) NUMBER(_m)
#define U64(_m) NUMBER(_m)
#define L16(_m)
#define L32(_m)

#define FIELD(_name, _fixed, _part)                                            \
	case STF_##_name:                                                      \
		_fixed                                                         \
		return _part;

const char *stf_record_field(const struct stf_record *rec, unsigned int i,
			     uint64_t *value, const char **text)
{
	struct out out = { .value = value, .text = text };

	*text = NULL;
	switch (rec->desc) {
		STF_LAYOUT(FIELD)
	}
	return NULL;
}
