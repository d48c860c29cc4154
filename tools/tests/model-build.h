/* SPDX-License-Identifier: GPL-2.0-only */
/* A model and short ways to have it do and tell things. */
#ifndef TESTS_MODEL_BUILD_H
#define TESTS_MODEL_BUILD_H

#include "ctr/model.h"
#include "test.h"

#define USER	0x10000ull
#define KERNEL	0xffffffff80001000ull

/* A complete hart whose sctrctl is this. */
static inline void start(struct model *m, uint64_t sctrctl)
{
	model_init(m, NULL);
	model_write_csr(m, CTR_CSR_SCTRCTL, sctrctl);
}

/* A transfer within one mode. */
static inline enum model_effect go(struct model *m, enum ctr_type type,
				   enum model_mode mode, uint64_t from,
				   uint64_t to)
{
	return model_transfer(m, &(struct model_transfer){ .from = from,
							   .to = to,
							   .type = type,
							   .mode = mode,
							   .next = mode });
}

/* A trap or its return, from 0x1000 to 0x2000. */
static inline enum model_effect cross(struct model *m, enum ctr_type type,
				      enum model_mode mode,
				      enum model_mode next, uint64_t cause)
{
	return model_transfer(m, &(struct model_transfer){ .from = 0x1000,
							   .to = 0x2000,
							   .type = type,
							   .mode = mode,
							   .next = next,
							   .cause = cause });
}

static inline struct ctr_entry entry_of(const struct model *m, unsigned int i)
{
	struct ctr_entry entry;

	model_read_entry(m, i, &entry);
	return entry;
}

static inline unsigned int wrptr(const struct model *m)
{
	return model_read_csr(m, CTR_CSR_SCTRSTATUS) & 0xff;
}

static inline bool frozen(const struct model *m)
{
	return model_read_csr(m, CTR_CSR_SCTRSTATUS) >> 31 & 1;
}

/* Logical entry i is this record; V, TYPE: where the format's figures have them. */
#define CHECK_RECORD(_m, _i, _type, _from, _to)                                \
	do {                                                                   \
		struct ctr_entry _e = entry_of(_m, _i);                        \
		CHECK_EQ(_e.source, (_from) | 1);                              \
		CHECK_EQ(_e.target, _to);                                      \
		CHECK_EQ(_e.data & 0xf, _type);                                \
	} while (0)

#define CHECK_NO_RECORD(_m, _i) CHECK_EQ(entry_of(_m, _i).source & 1, 0)

#endif
