// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_codec_parts.h"

#include "stf/stf_bytes.h"

static int bad(struct stf_codec *codec, const char *what)
{
	codec->fault = what;
	return STF_E_VALUE;
}

/* ------------------------------------------------------------------- texts */

int stf_text_decode(struct stf_text *text, struct stf_in *in)
{
	text->data = (const char *)stf_take(in, text->size);
	return text->data ? 0 : STF_E_CUT;
}

uint8_t *stf_text_encode(const struct stf_text *text, uint8_t *p)
{
	if (text->size)
		memcpy(p, text->data, text->size);
	return p + text->size;
}

static const uint8_t magic[3] = { 'S', 'T', 'F' };

int stf_magic_decode(struct stf_codec *codec, struct stf_in *in)
{
	const uint8_t *p = stf_take(in, sizeof(magic));

	if (!p)
		return STF_E_CUT;
	return memcmp(p, magic, sizeof(magic)) ? bad(codec, "the magic") : 0;
}

uint8_t *stf_magic_encode(uint8_t *p)
{
	memcpy(p, magic, sizeof(magic));
	return p + sizeof(magic);
}

/* ------------------------------------------------- numbers with a condition */

int stf_vlen_check(struct stf_codec *codec, uint32_t vlen)
{
	return vlen < STF_VLEN_MIN || vlen > STF_VLEN_MAX ?
		       bad(codec, "VLEN") : 0;
}

int stf_initiator_decode(struct stf_codec *codec, uint8_t *initiator)
{
	if (!codec->spec_initiators)
		return 0;
	if (*initiator >= STF_INITIATOR_ACCEL)
		return bad(codec, "the initiator type");
	++*initiator;
	return 0;
}

int64_t stf_bus_measure(struct stf_codec *codec,
			const struct stf_bus_access *bus)
{
	bool ok = codec->spec_initiators ?
			  bus->initiator >= STF_INITIATOR_CORE &&
				  bus->initiator <= STF_INITIATOR_ACCEL :
			  bus->initiator <= STF_INITIATOR_ICN;

	return ok ? 0 : bad(codec, "the initiator type");
}

/* The fixed fields stand before p already. */
uint8_t *stf_initiator_encode(const struct stf_codec *codec,
			      const struct stf_bus_access *bus, uint8_t *p)
{
	enum { TO_END = 1 + 4 + 1 + 1 }; /* type, index, attributes, access */

	if (codec->spec_initiators)
		p[-TO_END] = bus->initiator - 1;
	return p;
}

/* --------------------------------------------------------------- registers */

static bool known_vlen(struct stf_codec *codec, const struct stf_reg *reg)
{
	if (reg->type != STF_REG_VEC || codec->vlen)
		return true;
	codec->fault = "a vector register without a VLEN_CONFIG";
	return false;
}

int stf_reg_decode(struct stf_codec *codec, struct stf_reg *reg,
		   struct stf_in *in, struct stf_scratch *scratch)
{
	const uint8_t *p = stf_take(in, 1);
	unsigned int i, n;

	if (!p)
		return STF_E_CUT;
	reg->type = *p & 0xf;
	reg->operand = *p >> 4;
	reg->value = 0;
	reg->n_words = 0;
	reg->vector = NULL;
	if (!known_vlen(codec, reg))
		return STF_E_VALUE;
	n = reg->type == STF_REG_VEC ? stf_vector_words(codec->vlen) : 1;
	p = stf_take(in, n * 8);
	if (!p)
		return STF_E_CUT;
	if (reg->type != STF_REG_VEC) {
		reg->value = stf_get64(p);
		return 0;
	}
	for (i = 0; i < n; i++)
		scratch->words[i] = stf_get64(p + 8 * i);
	reg->n_words = (uint16_t)n;
	reg->vector = scratch->words;
	return 0;
}

int64_t stf_reg_measure(struct stf_codec *codec, const struct stf_reg *reg)
{
	if (reg->type > 0xf || reg->operand > 0xf)
		return bad(codec, "the register's type");
	if (reg->type != STF_REG_VEC)
		return 1 + 8;
	if (!known_vlen(codec, reg))
		return STF_E_VALUE;
	if (reg->n_words != stf_vector_words(codec->vlen))
		return bad(codec, "the vector's length");
	return 1 + 8 * reg->n_words;
}

uint8_t *stf_reg_encode(const struct stf_reg *reg, uint8_t *p)
{
	unsigned int i;

	*p++ = (uint8_t)(reg->operand << 4 | reg->type);
	if (reg->type != STF_REG_VEC) {
		stf_put64(p, reg->value);
		return p + 8;
	}
	for (i = 0; i < reg->n_words; i++, p += 8)
		stf_put64(p, reg->vector[i]);
	return p;
}

/* -------------------------------------------------------- page table walks */

int stf_ptes_decode(struct stf_page_walk *walk, struct stf_in *in,
		    struct stf_scratch *scratch)
{
	const uint8_t *p = stf_take(in, walk->n_ptes * 16u);
	unsigned int i;

	if (!p)
		return STF_E_CUT;
	for (i = 0; i < walk->n_ptes; i++, p += 16)
		scratch->ptes[i] = (struct stf_pte){ stf_get64(p),
						     stf_get64(p + 8) };
	walk->ptes = scratch->ptes;
	return 0;
}

uint8_t *stf_ptes_encode(const struct stf_page_walk *walk, uint8_t *p)
{
	unsigned int i;

	for (i = 0; i < walk->n_ptes; i++, p += 16) {
		stf_put64(p, walk->ptes[i].address);
		stf_put64(p + 8, walk->ptes[i].value);
	}
	return p;
}

/* ------------------------------------------------------------------ events */

#define TYPE_BITS (STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL)
#define TYPE_SHIFT 32 /* from bits 31 and 30 to 63 and 62 */
#define NUMBER_32 UINT32_C(0x3fffffff)

int stf_event_decode(struct stf_codec *codec, struct stf_event *event,
		     struct stf_in *in, struct stf_scratch *scratch)
{
	unsigned int id_size = codec->event64 ? 8 : 4, i;
	const uint8_t *p = stf_take(in, id_size + 1);

	if (!p)
		return STF_E_CUT;
	if (codec->event64) {
		event->id = stf_get64(p);
	} else {
		uint32_t id = stf_get32(p);

		event->id = (uint64_t)(id & ~NUMBER_32) << TYPE_SHIFT |
			    (id & NUMBER_32);
	}
	event->n_fields = p[id_size];
	p = stf_take(in, event->n_fields * 8u);
	if (!p)
		return STF_E_CUT;
	for (i = 0; i < event->n_fields; i++)
		scratch->words[i] = stf_get64(p + 8 * i);
	event->fields = scratch->words;
	return 0;
}

int64_t stf_event_measure(struct stf_codec *codec,
			  const struct stf_event *event)
{
	if (!codec->event64 && event->id & ~TYPE_BITS & ~(uint64_t)NUMBER_32)
		return bad(codec, "the event id, for a trace of 32-bit ids,");
	/* Readers index a table of four modes with it. */
	if (event->id == STF_EVENT_MODE_CHANGE &&
	    (event->n_fields != 1 || event->fields[0] > STF_MODE_MACHINE))
		return bad(codec, "the mode");
	return (codec->event64 ? 8 : 4) + 1 + event->n_fields * 8;
}

uint8_t *stf_event_encode(const struct stf_codec *codec,
			  const struct stf_event *event, uint8_t *p)
{
	unsigned int i;

	if (codec->event64) {
		stf_put64(p, event->id);
		p += 8;
	} else {
		stf_put32(p, (uint32_t)((event->id & TYPE_BITS) >> TYPE_SHIFT |
					(event->id & NUMBER_32)));
		p += 4;
	}
	*p++ = event->n_fields;
	for (i = 0; i < event->n_fields; i++, p += 8)
		stf_put64(p, event->fields[i]);
	return p;
}

/* ------------------------------------------------------------ transactions */

int stf_meta_get(const uint8_t *p, size_t len, struct stf_meta *meta)
{
	unsigned int i, n;

	if (!len)
		return STF_E_CUT;
	if (*p > 3)
		return STF_E_VALUE;
	n = 1u << *p;
	if (len - 1 < n)
		return STF_E_CUT;
	meta->type = *p;
	meta->value = 0;
	for (i = 0; i < n; i++)
		meta->value |= (uint64_t)p[1 + i] << 8 * i;
	return (int)(1 + n);
}

int stf_meta_put(uint8_t *p, const struct stf_meta *meta)
{
	unsigned int i, n;

	if (meta->type > 3)
		return STF_E_VALUE;
	n = 1u << meta->type;
	*p = meta->type;
	for (i = 0; i < n; i++)
		p[1 + i] = (uint8_t)(meta->value >> 8 * i);
	return (int)(1 + n);
}

static const uint8_t *take_meta(struct stf_codec *codec, unsigned int n,
				struct stf_in *in, int *err)
{
	const uint8_t *start = in->p;
	struct stf_meta meta;

	for (; n; n--) {
		*err = stf_meta_get(in->p, (size_t)(in->end - in->p), &meta);
		if (*err < 0) {
			if (*err == STF_E_VALUE)
				codec->fault = "the metadata's type";
			return NULL;
		}
		in->p += *err;
	}
	*err = 0;
	return start;
}

static bool has_data(const struct stf_tilelink *tl)
{
	return tl->channel >= STF_TL_A && tl->channel <= STF_TL_D;
}

static bool has_address(const struct stf_tilelink *tl)
{
	return tl->channel >= STF_TL_A && tl->channel <= STF_TL_C;
}

static bool has_mask(const struct stf_tilelink *tl)
{
	return tl->channel == STF_TL_A || tl->channel == STF_TL_B;
}

static bool has_sink(const struct stf_tilelink *tl)
{
	return tl->channel == STF_TL_D || tl->channel == STF_TL_E;
}

static int tilelink_decode(struct stf_codec *codec, struct stf_tilelink *tl,
			   struct stf_in *in)
{
	const uint8_t *p = stf_take(in, 1);

	if (!p)
		return STF_E_CUT;
	*tl = (struct stf_tilelink){ .channel = *p };
	if (*p < STF_TL_A || *p > STF_TL_E)
		return bad(codec, "the TileLink channel");
	if (has_data(tl)) {
		p = stf_take(in, 3 + 8 + 2);
		if (!p)
			return STF_E_CUT;
		tl->code = p[0];
		tl->param = p[1];
		tl->size = p[2];
		tl->source = stf_get64(p + 3);
		tl->data_size = stf_get16(p + 11);
		tl->data = stf_take(in, tl->data_size);
		if (!tl->data)
			return STF_E_CUT;
	}
	if (has_address(tl)) {
		p = stf_take(in, 8);
		if (!p)
			return STF_E_CUT;
		tl->address = stf_get64(p);
	}
	if (has_mask(tl)) {
		p = stf_take(in, 2);
		if (!p)
			return STF_E_CUT;
		tl->mask_bits = stf_get16(p);
		tl->mask = stf_take(in, (tl->mask_bits + 7u) / 8);
		if (!tl->mask)
			return STF_E_CUT;
	}
	if (has_sink(tl)) {
		p = stf_take(in, 8);
		if (!p)
			return STF_E_CUT;
		tl->sink = stf_get64(p);
	}
	return 0;
}

static int64_t tilelink_measure(struct stf_codec *codec,
				const struct stf_tilelink *tl)
{
	int64_t size = 1;

	if (tl->channel < STF_TL_A || tl->channel > STF_TL_E)
		return bad(codec, "the TileLink channel");
	if (has_data(tl))
		size += 3 + 8 + 2 + tl->data_size;
	if (has_address(tl))
		size += 8;
	if (has_mask(tl))
		size += 2 + (tl->mask_bits + 7) / 8;
	if (has_sink(tl))
		size += 8;
	return size;
}

static uint8_t *put_bytes(uint8_t *p, const uint8_t *data, size_t n)
{
	if (n)
		memcpy(p, data, n);
	return p + n;
}

static uint8_t *tilelink_encode(const struct stf_tilelink *tl, uint8_t *p)
{
	*p++ = tl->channel;
	if (has_data(tl)) {
		*p++ = tl->code;
		*p++ = tl->param;
		*p++ = tl->size;
		stf_put64(p, tl->source);
		stf_put16(p + 8, tl->data_size);
		p = put_bytes(p + 10, tl->data, tl->data_size);
	}
	if (has_address(tl)) {
		stf_put64(p, tl->address);
		p += 8;
	}
	if (has_mask(tl)) {
		stf_put16(p, tl->mask_bits);
		p = put_bytes(p + 2, tl->mask, (tl->mask_bits + 7u) / 8);
	}
	if (has_sink(tl)) {
		stf_put64(p, tl->sink);
		p += 8;
	}
	return p;
}

/* What follows the metadata is only known with the protocol. */
static bool known_protocol(struct stf_codec *codec)
{
	if (codec->protocol == STF_PROTOCOL_TILELINK)
		return true;
	codec->fault = codec->protocol ? "the protocol" :
					 "a TRANSACTION without a PROTOCOL_ID";
	return false;
}

int stf_transaction_decode(struct stf_codec *codec, struct stf_transaction *t,
			   struct stf_in *in)
{
	int err;

	if (!known_protocol(codec))
		return STF_E_VALUE;
	t->meta = take_meta(codec, t->n_meta, in, &err);
	if (err)
		return err;
	t->meta_size = (uint32_t)(in->p - t->meta);
	return tilelink_decode(codec, &t->tilelink, in);
}

int64_t stf_transaction_measure(struct stf_codec *codec,
				const struct stf_transaction *t)
{
	/* Without metadata the pointer may be NULL. */
	const uint8_t *meta = t->meta_size ? t->meta : magic;
	struct stf_in in = { .p = meta, .end = meta + t->meta_size };
	int64_t size;
	int err;

	if (!known_protocol(codec))
		return STF_E_VALUE;
	take_meta(codec, t->n_meta, &in, &err);
	if (err || in.p != in.end)
		return bad(codec, "the metadata");
	size = tilelink_measure(codec, &t->tilelink);
	return size < 0 ? size : size + t->meta_size;
}

uint8_t *stf_transaction_encode(const struct stf_transaction *t, uint8_t *p)
{
	p = put_bytes(p, t->meta, t->meta_size);
	return tilelink_encode(&t->tilelink, p);
}
