// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_codec.h"

#include "stf/stf_bytes.h"
#include "stf/stf_codec_parts.h"
#include "stf/stf_layout.h"

/* The fixed fields' size is a sum: "0 U64(a) U8(b)" becomes 0 + 8 + 1. */
#define U8(_m) +1
#define U16(_m) +2
#define U32(_m) +4
#define U64(_m) +8
#define L16(_m) +2
#define L32(_m) +4

#define FIXED_BYTES(_name, _fixed, _part) FIXED_##_name = 0 _fixed,
enum { STF_LAYOUT(FIXED_BYTES) };
#include "stf/stf_layout_end.h"

#define NONE() 0
#define TEXT(_m) stf_text_decode(&rec->_m, &in)
#define MAGIC() stf_magic_decode(codec, &in)
#define VLEN() stf_vlen_check(codec, rec->vlen)
#define INITIATOR() stf_initiator_decode(codec, &rec->bus_access.initiator)
#define REG() stf_reg_decode(codec, &rec->reg, &in, scratch)
#define PTES() stf_ptes_decode(&rec->page_walk, &in, scratch)
#define EVENT() stf_event_decode(codec, &rec->event, &in, scratch)
#define TRANSACTION() stf_transaction_decode(codec, &rec->transaction, &in)

#define U8(_m) rec->_m = *in.p, in.p += 1;
#define U16(_m) rec->_m = stf_get16(in.p), in.p += 2;
#define U32(_m) rec->_m = stf_get32(in.p), in.p += 4;
#define U64(_m) rec->_m = stf_get64(in.p), in.p += 8;
#define L16(_m) rec->_m.size = stf_get16(in.p), in.p += 2;
#define L32(_m) rec->_m.size = stf_get32(in.p), in.p += 4;

#define DECODE(_name, _fixed, _part)                                           \
	case STF_##_name:                                                      \
		if (len < 1 + FIXED_##_name)                                   \
			return STF_E_CUT;                                      \
		_fixed                                                         \
		err = (_part);                                                 \
		break;

int64_t stf_decode(struct stf_codec *codec, const uint8_t *p, size_t len,
		   struct stf_record *rec, struct stf_scratch *scratch)
{
	struct stf_in in = { .p = p + 1, .end = p + len };
	int err;

	rec->desc = *p;
	switch (*p) {
		STF_LAYOUT(DECODE)
	default:
		return STF_E_DESC;
	}
	return err ? err : in.p - p;
}

#include "stf/stf_layout_end.h"

#define NONE() 0
#define TEXT(_m) rec->_m.size
#define MAGIC() 3
#define VLEN() stf_vlen_check(codec, rec->vlen)
#define INITIATOR() stf_bus_measure(codec, &rec->bus_access)
#define REG() stf_reg_measure(codec, &rec->reg)
#define PTES() rec->page_walk.n_ptes * 16
#define EVENT() stf_event_measure(codec, &rec->event)
#define TRANSACTION() stf_transaction_measure(codec, &rec->transaction)

/* Members are at least as wide as their fields; where wider, they must fit. */
#define U8(_m) wide |= (uint64_t)rec->_m >> 8;
#define U16(_m) wide |= (uint64_t)rec->_m >> 16;
#define U32(_m) wide |= (uint64_t)rec->_m >> 32;
#define U64(_m)
#define L16(_m) wide |= rec->_m.size >> 16;
#define L32(_m)

#define MEASURE(_name, _fixed, _part)                                          \
	case STF_##_name:                                                      \
		size = 1 + FIXED_##_name;                                      \
		_fixed                                                         \
		part = (_part);                                                \
		break;

int64_t stf_measure(struct stf_codec *codec, const struct stf_record *rec)
{
	int64_t size, part;
	uint64_t wide = 0;

	switch (rec->desc) {
		STF_LAYOUT(MEASURE)
	default:
		return STF_E_DESC;
	}
	if (wide) {
		codec->fault = "a field's size";
		return STF_E_VALUE;
	}
	return part < 0 ? part : size + part;
}

#include "stf/stf_layout_end.h"

#define NONE() p
#define TEXT(_m) stf_text_encode(&rec->_m, p)
#define MAGIC() stf_magic_encode(p)
#define VLEN() p
#define INITIATOR() stf_initiator_encode(codec, &rec->bus_access, p)
#define REG() stf_reg_encode(&rec->reg, p)
#define PTES() stf_ptes_encode(&rec->page_walk, p)
#define EVENT() stf_event_encode(codec, &rec->event, p)
#define TRANSACTION() stf_transaction_encode(&rec->transaction, p)

#define U8(_m) *p = (uint8_t)rec->_m, p += 1;
#define U16(_m) stf_put16(p, (uint16_t)rec->_m), p += 2;
#define U32(_m) stf_put32(p, rec->_m), p += 4;
#define U64(_m) stf_put64(p, rec->_m), p += 8;
#define L16(_m) stf_put16(p, (uint16_t)rec->_m.size), p += 2;
#define L32(_m) stf_put32(p, rec->_m.size), p += 4;

#define ENCODE(_name, _fixed, _part)                                           \
	case STF_##_name:                                                      \
		_fixed                                                         \
		return _part;

uint8_t *stf_encode(const struct stf_codec *codec,
		    const struct stf_record *rec, uint8_t *p)
{
	*p++ = rec->desc;
	switch (rec->desc) {
		STF_LAYOUT(ENCODE)
	}
	return p;
}
