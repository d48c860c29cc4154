// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a plain trace of transactions. What the writer takes of them can be read
 * again, and is the same.
 */
#include <string.h>

#include "fuzz.h"

static struct stf_transaction_iter *iterate(struct stf_reader *r)
{
	struct stf_transaction_iter *iter = stf_transaction_iter_new(r);

	demand(iter, "there is memory");
	return iter;
}

static struct stf_transaction_group next_group(struct stf_transaction_iter *iter, int *more)
{
	struct stf_transaction_group group = { .size = sizeof(group) };

	*more = stf_transaction_iter_next(iter, &group);
	return group;
}

/* --- comparing --- */

static bool same_bytes(const void *a, const void *b, size_t size)
{
	return !size || !memcmp(a, b, size);
}

static bool same_tilelink(const struct stf_tilelink *a, const struct stf_tilelink *b)
{
	return a->channel == b->channel && a->code == b->code && a->param == b->param &&
	       a->size == b->size && a->source == b->source && a->address == b->address &&
	       a->sink == b->sink && a->data_size == b->data_size &&
	       a->mask_bits == b->mask_bits && same_bytes(a->data, b->data, a->data_size) &&
	       same_bytes(a->mask, b->mask, (a->mask_bits + 7u) / 8);
}

static bool same_transaction(const struct stf_transaction *a, const struct stf_transaction *b)
{
	return a->id == b->id && a->cycle_delta == b->cycle_delta && a->clock == b->clock &&
	       a->n_meta == b->n_meta && a->meta_size == b->meta_size &&
	       same_bytes(a->meta, b->meta, a->meta_size) &&
	       same_tilelink(&a->tilelink, &b->tilelink);
}

static bool same_meta(const struct stf_transaction_group *a,
		      const struct stf_transaction_group *b)
{
	unsigned int i;

	for (i = 0; i < a->transaction.n_meta; i++)
		if (a->meta[i].type != b->meta[i].type || a->meta[i].value != b->meta[i].value)
			return false;
	return true;
}

static bool same_dependencies(const struct stf_transaction_group *a,
			      const struct stf_transaction_group *b)
{
	const struct stf_dependency *x = a->dependencies, *y = b->dependencies;
	uint32_t i;

	for (i = 0; i < a->n_dependencies; i++)
		if (x[i].id != y[i].id || x[i].cycle_delta != y[i].cycle_delta ||
		    x[i].clock != y[i].clock)
			return false;
	return true;
}

static bool same_comments(const struct stf_transaction_group *a,
			  const struct stf_transaction_group *b)
{
	uint32_t i;

	for (i = 0; i < a->n_comments; i++)
		if (a->comments[i].size != b->comments[i].size ||
		    !same_bytes(a->comments[i].data, b->comments[i].data, a->comments[i].size))
			return false;
	return true;
}

static bool same_process(const struct stf_process *a, const struct stf_process *b)
{
	return a->hart == b->hart && a->pid == b->pid && a->tid == b->tid;
}

static void compare(const struct stf_transaction_group *a,
		    const struct stf_transaction_group *b)
{
	demand(a->index == b->index && a->has_process == b->has_process &&
		       same_process(&a->process, &b->process),
	       "a transaction keeps its place and its process");
	demand(a->n_comments == b->n_comments && same_comments(a, b) &&
		       a->n_dependencies == b->n_dependencies && same_dependencies(a, b),
	       "a transaction keeps the other records of its group");
	demand(same_transaction(&a->transaction, &b->transaction) && same_meta(a, b),
	       "a transaction is written as it was read");
}

/* --- copying --- */

/* Returns what the header's records, up to END_HEADER, came to: 0 if all were taken. */
static int copy_header(struct stf_reader *r, struct stf_writer *w)
{
	struct stf_record rec;
	int more, err = 0;

	while (!err && (more = stf_reader_next(r, &rec)) > 0) {
		err = stf_write(w, &rec);
		if (rec.desc == STF_END_HEADER)
			return err;
	}
	return 1;
}

/* Returns how many transactions the writer took. */
static uint64_t copy(struct stf_reader *r, struct stf_writer *w)
{
	struct stf_transaction_iter *iter;
	struct stf_transaction_group group;
	uint64_t n = 0;
	int more;

	if (copy_header(r, w))
		return 0;
	iter = iterate(r);
	for (group = next_group(iter, &more); more > 0; group = next_group(iter, &more)) {
		demand(group.index == n, "transactions are numbered");
		if (stf_write_transaction(w, &group)) {
			demand(*stf_writer_error(w), "an error has a text");
			break;
		}
		n++;
	}
	demand(more >= 0 || *stf_reader_error(r), "an error has a text");
	stf_transaction_iter_free(iter);
	return n;
}

static void compare_all(struct stf_reader *have, struct stf_reader *want, uint64_t n)
{
	struct stf_transaction_iter *a = iterate(want), *b = iterate(have);
	struct stf_transaction_group x, y;
	int more;

	while (n--) {
		x = next_group(a, &more);
		demand(more > 0, "what was read can be read again");
		y = next_group(b, &more);
		demand(more > 0, "what was written can be read");
		compare(&x, &y);
	}
	stf_transaction_iter_free(a);
	stf_transaction_iter_free(b);
}

static void copy_to(int fd)
{
	struct stf_reader *r = fuzz_open(0, false), *have;
	struct stf_writer *w;
	struct stf_error err;
	uint64_t n;

	if (!r)
		return;
	w = stf_writer_open_fd(fd, NULL, NULL);
	demand(w, "the copy can be written");
	n = copy(r, w);
	stf_reader_close(r);
	/* Records of a group that was not completed may stand at the end. */
	if (stf_writer_close(w, NULL) || !n)
		return;
	r = fuzz_open(0, false);
	have = fuzz_opened(stf_reader_open(fuzz_fd_path(fd), NULL, &err), &err);
	demand(r && have, "both can be read");
	compare_all(have, r, n);
	stf_reader_close(r);
	stf_reader_close(have);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;

	if (!size || *data != STF_IDENTIFIER)
		return -1;
	fuzz_file(data, size);
	fd = memfd_create("copy", MFD_CLOEXEC);
	demand(fd >= 0, "there is memory");
	copy_to(fd);
	close(fd);
	return 0;
}
