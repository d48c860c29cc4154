// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of every kind with random contents, written and read. That the layout
 * is the right one is for stf-record.c to say.
 *
 * STF_RANDOM_FILES is the number of small files, each of its own kind (4000).
 */
#include <stdlib.h>

#include "stf-build.h"
#include "stf/stf.h"

/*
 * A stream that can be had twice: once to write it, once to compare what is
 * read with it.
 */
static uint64_t state;

static void rewind_random(void)
{
	state = test_seed();
}

static uint64_t rnd(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t words[1024];
static struct stf_pte ptes[255];
static uint8_t blob[65536];

static struct stf_text random_text(uint32_t most)
{
	struct stf_text text = { (const char *)blob,
				 (uint32_t)(rnd() % (most + 1)) };

	return text;
}

static void fill(void *p, size_t n)
{
	uint8_t *b = p;

	while (n--)
		*b++ = (uint8_t)(rnd() >> 16);
}

static void random_meta(struct stf_transaction *t)
{
	unsigned int i;

	t->n_meta = (uint16_t)(rnd() % 5);
	t->meta = blob + 4096;
	t->meta_size = 0;
	for (i = 0; i < t->n_meta; i++) {
		struct stf_meta meta = { (uint8_t)(rnd() & 3),
					 rnd() };

		t->meta_size += (uint32_t)stf_meta_put(
			blob + 4096 + t->meta_size, &meta);
	}
}

static void random_transaction(struct stf_transaction *t)
{
	struct stf_tilelink tl;

	fill(t, sizeof(*t));
	random_meta(t);
	fill(&tl, sizeof(tl));
	tl.channel = (uint8_t)(1 + rnd() % 5);
	tl.data_size = (uint16_t)(rnd() % 300);
	tl.mask_bits = (uint16_t)(rnd() % 300);
	tl.data = blob;
	tl.mask = blob + 100;
	t->tilelink = tl;
}

/* A record of the given kind with anything that a trace may hold. */
static void random_record(struct stf_record *r, unsigned int desc)
{
	fill(r, sizeof(*r));
	r->desc = (uint8_t)desc;
	switch (desc) {
	case STF_COMMENT:
		r->text = random_text(300);
		break;
	case STF_INST_REG:
		r->reg.type = (uint8_t)(1 + (rnd() & 3));
		r->reg.operand &= 0xf;
		r->reg.n_words = 5;
		r->reg.vector = words;
		break;
	case STF_PAGE_TABLE_WALK:
		r->page_walk.ptes = ptes;
		break;
	case STF_BUS_MASTER_ACCESS:
		r->bus_access.initiator %= 7;
		break;
	case STF_EVENT:
		if (rnd() & 1)
			r->event.id &= STF_EVENT_INTERRUPT | 0x1f;
		r->event.id |= 1; /* no MODE_CHANGE */
		r->event.fields = words;
		break;
	case STF_INST_16:
		r->opcode &= 0xffff;
		break;
	case STF_TRANSACTION:
		random_transaction(&r->transaction);
		break;
	}
}

/* All fields are the same, by way of the printed ones and of the scalars. */
static void same(const struct stf_record *a, const struct stf_record *b)
{
	const char *name_a, *name_b, *text_a, *text_b;
	uint64_t value_a, value_b;
	unsigned int i = 0;

	CHECK_EQ(a->desc, b->desc);
	do {
		name_a = stf_record_field(a, i, &value_a, &text_a);
		name_b = stf_record_field(b, i, &value_b, &text_b);
		CHECK(!name_a == !name_b);
		if (!name_a)
			return;
		CHECK_STR(name_a, name_b);
		CHECK_EQ(value_a, value_b);
		CHECK(!text_a == !text_b);
		CHECK(!text_a || !memcmp(text_a, text_b, value_a));
	} while (++i);
}

struct kinds {
	const uint8_t *v;
	unsigned int n;
};

static void write_records(struct stf_writer *w, const struct kinds *kinds,
			  unsigned int n)
{
	struct stf_record want;
	unsigned int i;

	for (i = 0; i < n; i++) {
		random_record(&want, kinds->v[i % kinds->n]);
		if (stf_write(w, &want))
			test_fail(__FILE__, __LINE__, "%s",
				  stf_writer_error(w));
	}
}

static void compare_records(struct stf_reader *r, const struct kinds *kinds,
			    unsigned int n)
{
	struct stf_record want, got;
	unsigned int i;

	for (i = 0; i < n; i++) {
		random_record(&want, kinds->v[i % kinds->n]);
		if (stf_reader_next(r, &got) != 1)
			test_fail(__FILE__, __LINE__, "record %u: %s", i,
				  stf_reader_error(r));
		same(&got, &want);
	}
	CHECK_EQ(stf_reader_next(r, &got), 0);
}

static void write_one(struct stf_writer *w, struct stf_record r)
{
	if (stf_write(w, &r))
		test_fail(__FILE__, __LINE__, "%s", stf_writer_error(w));
}

static void write_header(struct stf_writer *w, bool transactions)
{
	write_one(w, (struct stf_record){ .desc = STF_IDENTIFIER });
	write_one(w, (struct stf_record){ .desc = STF_VERSION,
					  .version = { 1, 6 } });
	write_one(w, (struct stf_record){ .desc = STF_COMMENT,
					  .text = { "x", 1 } });
	write_one(w, (struct stf_record){ .desc = STF_ISA, .isa = 1 });
	write_one(w, (struct stf_record){ .desc = STF_INST_IEM, .iem = 2 });
	write_one(w, (struct stf_record){ .desc = STF_TRACE_INFO });
	write_one(w, (struct stf_record){ .desc = STF_TRACE_INFO_FEATURE,
					  .features = FEATURES_RV64 });
	write_one(w, (struct stf_record){ .desc = STF_VLEN_CONFIG,
					  .vlen = 320 });
	if (transactions)
		write_one(w, (struct stf_record){ .desc = STF_PROTOCOL_ID,
						  .protocol = 1 });
	else
		write_one(w, (struct stf_record){ .desc = STF_FORCE_PC });
	write_one(w, (struct stf_record){ .desc = STF_END_HEADER });
}

/* n records of these kinds, one after the other, written and read. */
static void survive(const char *name, uint64_t chunk_markers,
		    const struct kinds *kinds, unsigned int n,
		    bool transactions)
{
	struct stf_writer_opts opts = { .size = sizeof(opts),
					.chunk_markers = chunk_markers };
	struct stf_writer *w = stf_writer_open(in_tmpdir(name), &opts, NULL);
	struct stf_record skipped;
	struct stf_reader *r;

	CHECK(w);
	rewind_random();
	fill(words, sizeof(words));
	fill(ptes, sizeof(ptes));
	fill(blob, sizeof(blob));
	write_header(w, transactions);
	write_records(w, kinds, n);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	r = stf_reader_open(in_tmpdir(name), NULL, NULL);
	CHECK(r);
	do
		CHECK_EQ(stf_reader_next(r, &skipped), 1);
	while (skipped.desc != STF_END_HEADER);
	rewind_random();
	fill(words, sizeof(words));
	fill(ptes, sizeof(ptes));
	fill(blob, sizeof(blob));
	compare_records(r, kinds, n);
	stf_reader_close(r);
}

/* In an order that makes whole groups. */
static const uint8_t inst_kinds[] = {
	3, 8, 9, 31, 40, 41, 50, 60, 61, 62, 63, 100, 101, 230, 240, 241,
};
static const uint8_t transaction_kinds[] = { 3, 8, 251, 251, 250, 250 };

static const struct kinds insts = { inst_kinds, sizeof(inst_kinds) };
static const struct kinds transactions = { transaction_kinds,
					   sizeof(transaction_kinds) };

TEST(random_records_survive_plain)
{
	survive("random.stf", 0, &insts, 16 * 600, false);
}

TEST(random_records_survive_in_chunks)
{
	survive("random.zstf", 1, &insts, 16 * 50, false);
	survive("random.zstf", 7, &insts, 16 * 600, false);
}

TEST(random_transactions_survive)
{
	survive("random.stf", 0, &transactions, 6 * 300, true);
	survive("random.zstf", 9, &transactions, 6 * 300, true);
}

/* ------------------------------------------------------------ many small files */

enum { MOST_TRIES = 60, PLAIN_ROOM = 1 << 18 };

/* A record is made again from its seed when what was read is compared. */
struct made {
	uint8_t desc;
	uint64_t seed;
};

struct sample {
	bool transactions;
	bool spec_initiators;
	bool event64;
	enum stf_container container;
	uint64_t chunk_markers;
	uint32_t vlen;
	unsigned int n;
	struct made made[MOST_TRIES + 32];
};

static bool written[256];

static void random_header_record(struct stf_record *r, const struct sample *f)
{
	switch (r->desc) {
	case STF_VERSION:
		r->version.major = 1;
		r->version.minor = (uint32_t)(2 + rnd() % 20);
		break;
	case STF_ISA_EXTENDED:
		r->text = random_text(300);
		break;
	case STF_TRACE_INFO:
		r->trace_info.text = random_text(300);
		break;
	case STF_CLOCK_ID:
		r->clock.name = random_text(300);
		break;
	case STF_TRACE_INFO_FEATURE:
		r->features &= ~STF_FEATURE_EVENT64;
		if (f->event64)
			r->features |= STF_FEATURE_EVENT64;
		break;
	case STF_VLEN_CONFIG:
		r->vlen = f->vlen;
		break;
	case STF_PROTOCOL_ID:
		r->protocol = STF_PROTOCOL_TILELINK;
		break;
	}
}

static void remake(struct stf_record *r, const struct sample *f,
		   const struct made *made)
{
	state = made->seed;
	random_record(r, made->desc);
	random_header_record(r, f);
	if (r->desc == STF_INST_REG && r->reg.type == STF_REG_VEC)
		r->reg.n_words = (uint16_t)((f->vlen + 63) / 64);
	if (r->desc == STF_EVENT && !f->event64)
		r->event.id &= STF_EVENT_INTERRUPT | 0x3fffffff;
	if (r->desc == STF_BUS_MASTER_ACCESS && f->spec_initiators)
		r->bus_access.initiator++;
}

/* Write one more record. False if it may not stand there. */
static bool add(struct sample *f, struct stf_writer *w, unsigned int desc)
{
	struct made made = { (uint8_t)desc, test_random() };
	struct stf_record r;
	int err;

	remake(&r, f, &made);
	err = stf_write(w, &r);
	if (err && err != STF_E_ORDER)
		test_fail(__FILE__, __LINE__, "%s", stf_writer_error(w));
	if (!err) {
		f->made[f->n++] = made;
		written[desc] = true;
	}
	return !err;
}

static void add_header(struct sample *f, struct stf_writer *w)
{
	static const uint8_t wanted[] = {
		STF_IDENTIFIER, STF_VERSION, STF_ISA, STF_INST_IEM,
		STF_TRACE_INFO, STF_TRACE_INFO_FEATURE, STF_VLEN_CONFIG,
	};
	static const uint8_t possible[] = {
		STF_COMMENT, STF_TRACE_INFO, STF_PROCESS_ID_EXT,
		STF_ISA_EXTENDED, STF_CLOCK_ID,
	};
	unsigned int i;

	for (i = 0; i < sizeof(wanted); i++) {
		CHECK(add(f, w, wanted[i]));
		if (i > 1 && !(test_random() & 3))
			add(f, w, possible[test_random() % sizeof(possible)]);
	}
	CHECK(add(f, w, f->transactions ? STF_PROTOCOL_ID : STF_FORCE_PC));
	CHECK(add(f, w, STF_END_HEADER));
}

static void write_sample(struct sample *f, const char *path)
{
	static const uint8_t insts[] = {
		3, 8, 9, 31, 40, 41, 50, 60, 61, 62, 63, 100, 101, 230, 240, 241,
	};
	static const uint8_t closing[] = { 61, 63, 240 };
	struct stf_writer_opts opts = {
		.size = sizeof(opts), .container = f->container,
		.chunk_markers = f->chunk_markers, .threads = STF_NO_THREADS,
		.spec_initiators = f->spec_initiators,
	};
	struct stf_writer *w = stf_writer_open(path, &opts, NULL);
	unsigned int tries = (unsigned int)(test_random() % MOST_TRIES), i;

	CHECK(w);
	f->n = 0;
	add_header(f, w);
	while (tries--) {
		if (f->transactions)
			add(f, w, test_random() & 1 ? 250 : 251);
		else
			add(f, w, insts[test_random() % sizeof(insts)]);
	}
	if (f->transactions)
		add(f, w, STF_TRANSACTION);
	for (i = 0; i < sizeof(closing) && !f->transactions; i++)
		add(f, w, closing[i]);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

static struct stf_reader *open_sample(const struct sample *f, const char *path)
{
	struct stf_reader_opts opts = {
		.size = sizeof(opts), .threads = STF_NO_THREADS,
		.spec_initiators = f->spec_initiators,
	};
	struct stf_reader *r = stf_reader_open(path, &opts, NULL);

	CHECK(r);
	return r;
}

/* The records are those that were written, and make the same file again. */
static void compare_sample(const struct sample *f, const char *path,
			   const char *copy)
{
	struct stf_reader *r = open_sample(f, path);
	struct stf_writer_opts opts = {
		.size = sizeof(opts), .container = f->container,
		.chunk_markers = f->chunk_markers, .threads = STF_NO_THREADS,
		.spec_initiators = f->spec_initiators,
	};
	struct stf_writer *w = stf_writer_open(copy, &opts, NULL);
	struct stf_record want, got;
	unsigned int i;

	CHECK(w);
	for (i = 0; i < f->n; i++) {
		if (stf_reader_next(r, &got) != 1)
			test_fail(__FILE__, __LINE__, "record %u: %s", i,
				  stf_reader_error(r));
		remake(&want, f, &f->made[i]);
		same(&got, &want);
		CHECK_EQ(stf_write(w, &got), 0);
	}
	CHECK_EQ(stf_reader_next(r, &got), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	stf_reader_close(r);
}

static void compare_bytes(const char *path, const char *copy)
{
	static uint8_t a[PLAIN_ROOM], b[PLAIN_ROOM];
	size_t n = read_file(path, a, sizeof(a));

	CHECK_EQ(read_file(copy, b, sizeof(b)), n);
	CHECK(!memcmp(a, b, n));
}

TEST(files_of_random_records_survive)
{
	const char *wish = getenv("STF_RANDOM_FILES");
	unsigned long files = wish ? strtoul(wish, NULL, 0) : 4000;
	char path[300], copy[300];
	unsigned int i;

	strcpy(path, in_tmpdir("random"));
	strcpy(copy, in_tmpdir("copy"));
	rewind_random();
	fill(words, sizeof(words));
	fill(ptes, sizeof(ptes));
	fill(blob, sizeof(blob));
	memset(written, 0, sizeof(written));
	while (files--) {
		struct sample f = {
			.transactions = !(test_random() % 5),
			.spec_initiators = test_random() & 1,
			.event64 = test_random() & 1,
			.container = test_random() & 1 ? STF_CONTAINER_PLAIN :
							STF_CONTAINER_ZSTF,
			.chunk_markers = 1 + test_random() % 20,
			.vlen = (uint32_t)(64 + test_random() % 2000),
		};

		write_sample(&f, path);
		compare_sample(&f, path, copy);
		compare_bytes(path, copy);
	}
	for (i = 0; i < 256; i++)
		if (written[i] != !!stf_desc_name(i))
			test_fail(__FILE__, __LINE__, "record %u was not tried",
				  i);
}

TEST(every_kind_of_record_is_tried_here)
{
	/* What is not random is tried in stf-record.c. */
	static const uint8_t header[] = {
		1, 2, 4, 5, 6, 7, 10, 11, 12, 13, 19,
	};
	bool tried[256] = { false };
	unsigned int i;

	for (i = 0; i < sizeof(header); i++)
		tried[header[i]] = true;
	for (i = 0; i < insts.n; i++)
		tried[insts.v[i]] = true;
	for (i = 0; i < transactions.n; i++)
		tried[transactions.v[i]] = true;
	for (i = 0; i < 256; i++)
		CHECK_EQ(tried[i], stf_desc_name(i) != NULL);
}
