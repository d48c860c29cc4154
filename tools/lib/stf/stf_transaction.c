// SPDX-License-Identifier: BSD-2-Clause
/* Transactions with the other records of their groups. */
#include <stdlib.h>
#include <string.h>

#include "stf/stf_group.h"
#include "stf/stf_struct.h"
#include "stf/stf_writer.h"

/* ---------------------------------------------------------------------- reading */

struct stf_transaction_iter {
	struct stf_reader *reader;
	struct stf_process process;
	/* What the group points to, and how many elements there is room for. */
	struct stf_meta *meta;
	struct stf_dependency *dependencies;
	struct stf_text *comments;
	size_t n_meta, n_dependencies, n_comments;
};

struct stf_transaction_iter *stf_transaction_iter_new(struct stf_reader *reader)
{
	struct stf_transaction_iter *iter = calloc(1, sizeof(*iter));

	if (!iter) {
		stf_no_memory(&reader->err, reader->path);
		return NULL;
	}
	iter->reader = reader;
	iter->process = reader->process;
	return iter;
}

/* A record before the TRANSACTION: count it. Returns 0 or STF_E_ORDER. */
static int count(struct stf_transaction_iter *iter, const struct stf_record *rec,
		 struct stf_transaction_group *group)
{
	struct stf_window *win = &iter->reader->src->win;

	switch (rec->desc) {
	case STF_PROCESS_ID_EXT:
		iter->process = rec->process;
		group->has_process = true;
		return 0;
	case STF_COMMENT:
		group->n_comments++;
		return 0;
	case STF_TRANSACTION_DEPENDENCY:
		group->n_dependencies++;
		return 0;
	case STF_END_HEADER:
		/* The header is no part of the first group. */
		win->keep = win->pos;
		*group = (struct stf_transaction_group){ 0 };
		return 0;
	}
	if (rec->desc < STF_END_HEADER)
		return 0;
	return stf_reader_fail(iter->reader, STF_E_ORDER,
			       "a trace of instructions has no transactions");
}

/* The records before the TRANSACTION, which lie from p to end, were counted. */
static int take_others(struct stf_transaction_iter *iter,
		       struct stf_transaction_group *group, const uint8_t *p,
		       const uint8_t *end)
{
	struct stf_dependency *dependency;
	struct stf_reader *reader = iter->reader;
	struct stf_text *comment;
	struct stf_record rec;

	if (!group->n_dependencies && !group->n_comments)
		return 0;
	if (!stf_make_room(&iter->dependencies, &iter->n_dependencies,
			   group->n_dependencies, sizeof(*dependency)) ||
	    !stf_make_room(&iter->comments, &iter->n_comments,
			   group->n_comments, sizeof(*comment)))
		return reader->failed =
			       stf_no_memory(&reader->err, reader->path);
	dependency = iter->dependencies;
	comment = iter->comments;
	while (p < end) {
		/* They were decoded before. */
		p += stf_decode(&reader->codec, p, (size_t)(end - p), &rec,
				&reader->scratch);
		if (rec.desc == STF_TRANSACTION_DEPENDENCY)
			*dependency++ = rec.dependency;
		if (rec.desc == STF_COMMENT)
			*comment++ = rec.text;
	}
	group->dependencies = iter->dependencies;
	group->comments = iter->comments;
	return 0;
}

static int take_transaction(struct stf_transaction_iter *iter,
			    struct stf_transaction_group *group,
			    const struct stf_transaction *t)
{
	struct stf_reader *reader = iter->reader;
	const uint8_t *p = t->meta, *end = p + t->meta_size;
	size_t i;

	group->index = reader->instructions - 1;
	group->transaction = *t;
	if (!stf_make_room(&iter->meta, &iter->n_meta, t->n_meta,
			   sizeof(*iter->meta)))
		return reader->failed =
			       stf_no_memory(&reader->err, reader->path);
	for (i = 0; i < t->n_meta; i++)
		p += stf_meta_get(p, (size_t)(end - p), &iter->meta[i]);
	group->meta = iter->meta;
	return 0;
}

static int end_of_trace(struct stf_transaction_iter *iter,
			struct stf_transaction_group *group)
{
	const struct stf_window *win = &iter->reader->src->win;

	if (group->n_dependencies)
		return stf_reader_fail(iter->reader, STF_E_CUT,
				       "the trace ends inside a transaction's group");
	return take_others(iter, group, win->keep, win->pos);
}

/* Returns like stf_transaction_iter_next(). */
static int read_group(struct stf_transaction_iter *iter,
		      struct stf_transaction_group *group)
{
	struct stf_reader *reader = iter->reader;
	struct stf_window *win = &reader->src->win;
	struct stf_record rec;
	size_t before = 0; /* bytes of the group before the record */
	int more, err;

	win->keep = win->pos;
	while ((more = stf_reader_step(reader, &rec)) > 0 &&
	       rec.desc != STF_TRANSACTION) {
		err = count(iter, &rec, group);
		if (err)
			return err;
		before = (size_t)(win->pos - win->keep);
	}
	if (more < 0)
		return more;
	if (!more)
		return end_of_trace(iter, group);
	err = take_others(iter, group, win->keep, win->keep + before);
	if (!err)
		err = take_transaction(iter, group, &rec.transaction);
	return err ? err : 1;
}

int stf_transaction_iter_next(struct stf_transaction_iter *iter,
			      struct stf_transaction_group *group)
{
	struct stf_transaction_group own = { 0 };
	int more;

	if (iter->reader->failed)
		return iter->reader->failed;
	more = read_group(iter, &own);
	if (more < 0)
		return more;
	own.process = iter->process;
	stf_struct_give(group, &own, sizeof(own));
	return more;
}

void stf_transaction_iter_free(struct stf_transaction_iter *iter)
{
	if (!iter)
		return;
	free(iter->meta);
	free(iter->dependencies);
	free(iter->comments);
	free(iter);
}

/* ---------------------------------------------------------------------- writing */

/* Returns the bytes of n elements, or a negative enum stf_err. */
static int64_t put_meta(struct stf_writer *writer, const struct stf_meta *meta,
			size_t n)
{
	size_t i, size = 0;
	int length;

	if (!stf_make_room(&writer->meta, &writer->meta_room, n, STF_META_MAX))
		return stf_no_memory(&writer->err, writer->path);
	for (i = 0; i < n; i++) {
		length = stf_meta_put(writer->meta + size, &meta[i]);
		if (length < 0)
			return stf_fail(&writer->err, length,
					"%s: TRANSACTION: the metadata's type cannot be written",
					writer->path);
		size += (size_t)length;
	}
	return (int64_t)size;
}

static int write_others(struct stf_writer *writer,
			const struct stf_transaction_group *group)
{
	const struct stf_process *p = &group->process;
	struct stf_record rec;
	uint32_t i;
	int err = 0;

	if (group->has_process)
		err = stf_write_process(writer, p->hart, p->pid, p->tid);
	rec.desc = STF_COMMENT;
	for (i = 0; !err && i < group->n_comments; i++) {
		rec.text = group->comments[i];
		err = stf_write(writer, &rec);
	}
	rec.desc = STF_TRANSACTION_DEPENDENCY;
	for (i = 0; !err && i < group->n_dependencies; i++) {
		rec.dependency = group->dependencies[i];
		err = stf_write(writer, &rec);
	}
	return err;
}

int stf_write_transaction(struct stf_writer *writer,
			  const struct stf_transaction_group *group)
{
	struct stf_transaction_group own = { 0 };
	struct stf_record rec;
	int64_t size;
	int err;

	err = stf_struct_take(&own, sizeof(own),
			      STF_SIZE_TO(struct stf_transaction_group, process),
			      group, __func__, &writer->err);
	if (err)
		return err;
	rec.desc = STF_TRANSACTION;
	rec.transaction = own.transaction;
	if (own.meta) {
		size = put_meta(writer, own.meta, own.transaction.n_meta);
		if (size < 0)
			return (int)size;
		rec.transaction.meta = writer->meta;
		rec.transaction.meta_size = (uint32_t)size;
	}
	err = write_others(writer, &own);
	return err ? err : stf_write(writer, &rec);
}
