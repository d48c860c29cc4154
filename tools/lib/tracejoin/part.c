// SPDX-License-Identifier: GPL-2.0-only
#include "tracejoin/part.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int open_reader(struct tjoin_part *part, const struct stf_reader_opts *opts,
		       struct error *error)
{
	struct stf_error err;

	part->reader = stf_reader_open(part->path, opts, &err);
	if (part->reader)
		return 0;
	return error_set(error, ERROR_INPUT, "%s%s", err.text,
			 err.code == STF_E_IO ? file_remedy(errno) : "");
}

int tjoin_part_open(struct tjoin_part *part, const struct stf_reader_opts *opts,
		    struct error *error)
{
	int ret = open_reader(part, opts, error);

	if (ret)
		return ret;
	ret = tcut_header_read(&part->header, part->reader, part->path, error);
	if (!ret)
		part->params = *stf_reader_params(part->reader);
	return ret;
}

void tjoin_part_rest(struct tjoin_part *part)
{
	struct stat st;

	if (!strcmp(part->path, "-") || stat(part->path, &st) ||
	    !S_ISREG(st.st_mode))
		return;
	stf_reader_close(part->reader);
	part->reader = NULL;
}

int tjoin_part_start(struct tjoin_part *part, const struct stf_reader_opts *opts,
		     struct error *error)
{
	int ret = part->reader ? 0 : open_reader(part, opts, error);

	if (ret)
		return ret;
	part->iter = stf_inst_iter_new(part->reader, sizeof(part->inst));
	return part->iter ? tjoin_part_next(part, error) : error_nomem(error);
}

int tjoin_part_next(struct tjoin_part *part, struct error *error)
{
	int more = stf_inst_iter_next(part->iter, &part->inst);

	if (more < 0)
		return error_set(error, ERROR_INPUT, "%s",
				 stf_reader_error(part->reader));
	part->has_inst = more;
	part->ended = !more;
	return 0;
}

void tjoin_part_close(struct tjoin_part *part)
{
	stf_inst_iter_free(part->iter);
	stf_reader_close(part->reader);
	origin_tell_free(&part->tell);
	part->iter = NULL;
	part->reader = NULL;
	part->tell = (struct origin_tell){ 0 };
}
