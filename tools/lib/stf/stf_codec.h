/* SPDX-License-Identifier: BSD-2-Clause */
/* One record between its bytes and struct stf_record. */
#ifndef STF_STF_CODEC_H
#define STF_STF_CODEC_H

#include "stf/stf.h"

/* What a record's layout depends on, beside the record. */
struct stf_codec {
	bool event64;
	unsigned int event_bits; /* 64 or 32 whatever the trace says; or 0 */
	bool spec_initiators;
	uint8_t protocol; /* enum stf_protocol */
	uint32_t vlen; /* bits */
	const char *fault; /* after STF_E_VALUE: what holds a bad value */
};

/* Arrays of a decoded record, aligned and in the host's byte order. */
struct stf_scratch {
	union {
		uint64_t words[STF_VLEN_MAX / 64];
		struct stf_pte ptes[UINT8_MAX];
	};
};

/* Take the size of EVENT ids from these features, if it is not given. */
static inline void stf_codec_features(struct stf_codec *codec,
				      uint64_t features)
{
	codec->event64 = codec->event_bits ? codec->event_bits == 64 :
					     features & STF_FEATURE_EVENT64;
}

/*
 * Take the size of EVENT ids from an option. Returns false if it is none of 0,
 * 32 and 64.
 */
static inline bool stf_codec_event_bits(struct stf_codec *codec,
					unsigned int event_bits)
{
	codec->event_bits = event_bits;
	codec->event64 = event_bits == 64;
	return !event_bits || event_bits == 32 || event_bits == 64;
}

/*
 * Decode the record at p, of which len bytes are there (more than 0). Texts and
 * byte strings point into p, arrays into *scratch. Returns the record's length
 * in bytes, or STF_E_CUT (len is too short), STF_E_DESC or STF_E_VALUE.
 */
int64_t stf_decode(struct stf_codec *codec, const uint8_t *p, size_t len,
		   struct stf_record *rec, struct stf_scratch *scratch);

/*
 * How many bytes stf_encode() will write. Returns STF_E_DESC, or STF_E_VALUE
 * for a field that the format does not define or that does not fit.
 */
int64_t stf_measure(struct stf_codec *codec, const struct stf_record *rec);

/* Encode a record that stf_measure() took. Returns the end of its bytes. */
uint8_t *stf_encode(const struct stf_codec *codec,
		    const struct stf_record *rec, uint8_t *p);

/* A record's name for messages. */
static inline const char *stf_desc_words(unsigned int desc)
{
	const char *name = stf_desc_name(desc);

	return name ? name : "a record of unknown kind";
}

/* Words of a vector register's content. */
static inline unsigned int stf_vector_words(uint32_t vlen)
{
	return (vlen + 63) / 64;
}

#endif
