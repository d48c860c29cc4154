/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of records that are not sequences of numbers: texts, registers, page table
 * entries, events and transactions. The table in stf_layout.h names them.
 */
#ifndef STF_STF_CODEC_PARTS_H
#define STF_STF_CODEC_PARTS_H

#include "stf/stf_codec.h"

/* The bytes of a record that are not decoded yet. */
struct stf_in {
	const uint8_t *p;
	const uint8_t *end;
};

/* Take n bytes. Returns their place, or NULL if fewer bytes are left. */
static inline const uint8_t *stf_take(struct stf_in *in, uint64_t n)
{
	const uint8_t *p = in->p;

	if (n > (uint64_t)(in->end - p))
		return NULL;
	in->p = p + n;
	return p;
}

/* The functions that decode return 0, STF_E_CUT or STF_E_VALUE. */
int stf_text_decode(struct stf_text *text, struct stf_in *in);
int stf_magic_decode(struct stf_codec *codec, struct stf_in *in);
int stf_vlen_check(struct stf_codec *codec, uint32_t vlen);
int stf_initiator_decode(struct stf_codec *codec, uint8_t *initiator);
int stf_reg_decode(struct stf_codec *codec, struct stf_reg *reg,
		   struct stf_in *in, struct stf_scratch *scratch);
int stf_ptes_decode(struct stf_page_walk *walk, struct stf_in *in,
		    struct stf_scratch *scratch);
int stf_event_decode(struct stf_codec *codec, struct stf_event *event,
		     struct stf_in *in, struct stf_scratch *scratch);
int stf_transaction_decode(struct stf_codec *codec, struct stf_transaction *t,
			   struct stf_in *in);

/* The functions that measure return the size of the part in bytes, or STF_E_VALUE. */
int64_t stf_bus_measure(struct stf_codec *codec,
			const struct stf_bus_access *bus);
int64_t stf_reg_measure(struct stf_codec *codec, const struct stf_reg *reg);
int64_t stf_event_measure(struct stf_codec *codec,
			  const struct stf_event *event);
int64_t stf_transaction_measure(struct stf_codec *codec,
				const struct stf_transaction *t);

/* The functions that encode return the end of the bytes. */
uint8_t *stf_text_encode(const struct stf_text *text, uint8_t *p);
uint8_t *stf_magic_encode(uint8_t *p);
uint8_t *stf_initiator_encode(const struct stf_codec *codec,
			      const struct stf_bus_access *bus, uint8_t *p);
uint8_t *stf_reg_encode(const struct stf_reg *reg, uint8_t *p);
uint8_t *stf_ptes_encode(const struct stf_page_walk *walk, uint8_t *p);
uint8_t *stf_event_encode(const struct stf_codec *codec,
			  const struct stf_event *event, uint8_t *p);
uint8_t *stf_transaction_encode(const struct stf_transaction *t, uint8_t *p);

#endif
