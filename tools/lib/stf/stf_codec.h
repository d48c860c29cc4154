/* SPDX-License-Identifier: BSD-2-Clause */
/* Convert one record between its bytes and struct stf_record. */
#ifndef STF_STF_CODEC_H
#define STF_STF_CODEC_H

#include "stf/stf.h"

/* What the layout of a record depends on, in addition to the record. */
struct stf_codec {
	bool event64;
	/* 64 or 32 selects the size; 0: the features of the trace select it */
	unsigned int event_bits;
	bool spec_initiators;
	uint8_t protocol; /* enum stf_protocol */
	uint32_t vlen; /* bits */
	/* after STF_E_VALUE: the name of the field with the bad value */
	const char *fault;
};

/* The arrays of a decoded record, aligned and in the byte order of the host. */
struct stf_scratch {
	union {
		uint64_t words[STF_VLEN_MAX / 64];
		struct stf_pte ptes[UINT8_MAX];
	};
};

/* Take the size of EVENT ids from these features, unless the option sets it. */
static inline void stf_codec_features(struct stf_codec *codec,
				      uint64_t features)
{
	codec->event64 = codec->event_bits ? codec->event_bits == 64 :
					     features & STF_FEATURE_EVENT64;
}

/*
 * Take the size of EVENT ids from an option. Returns false if the option is not 0, 32 or
 * 64.
 */
static inline bool stf_codec_event_bits(struct stf_codec *codec,
					unsigned int event_bits)
{
	codec->event_bits = event_bits;
	codec->event64 = event_bits == 64;
	return !event_bits || event_bits == 32 || event_bits == 64;
}

/* Only 1.x from 1.2 on has these layouts. */
static inline bool stf_version_known(const struct stf_version *version)
{
	return version->major == 1 && version->minor >= 2;
}

/*
 * Decode the record at p. len is the number of bytes from p on, more than 0. Texts and
 * byte strings point into p, and arrays point into *scratch. Returns the length of the
 * record in bytes. Otherwise returns STF_E_CUT if len is too short, STF_E_DESC or
 * STF_E_VALUE.
 */
int64_t stf_decode(struct stf_codec *codec, const uint8_t *p, size_t len,
		   struct stf_record *rec, struct stf_scratch *scratch);

/*
 * Returns how many bytes stf_encode() will write. Otherwise returns STF_E_DESC, or
 * STF_E_VALUE if a field has a value that the format does not define or that is too
 * large.
 */
int64_t stf_measure(struct stf_codec *codec, const struct stf_record *rec);

/* Encode a record that stf_measure() has accepted. Returns the end of its bytes. */
uint8_t *stf_encode(const struct stf_codec *codec,
		    const struct stf_record *rec, uint8_t *p);

/* Returns the name of a record for messages. */
static inline const char *stf_desc_words(unsigned int desc)
{
	const char *name = stf_desc_name(desc);

	return name ? name : "a record of unknown kind";
}

/* Returns the number of words in the value of a vector register. vlen is in bits. */
static inline unsigned int stf_vector_words(uint32_t vlen)
{
	return (vlen + 63) / 64;
}

#endif
