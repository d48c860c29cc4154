// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a plain trace, for the checker: it reads as far as the reader
 * does, what it finds lies in the trace, and a trace that the writer takes has
 * no fault of order.
 */
#include <string.h>

#include "fuzz.h"

/* What the writer refuses. */
static const uint8_t refused[] = {
	STF_RULE_NO_ISA, STF_RULE_NO_IEM, STF_RULE_NO_TRACE_INFO,
	STF_RULE_NO_FEATURES, STF_RULE_NO_END_HEADER, STF_RULE_HEADER_TWICE,
	STF_RULE_HEADER_LATE, STF_RULE_GROUP_ORDER, STF_RULE_GROUP_OPEN,
	STF_RULE_MEM_NO_CONTENT, STF_RULE_MEM_NO_ACCESS,
	STF_RULE_BUS_NO_CONTENT, STF_RULE_BUS_NO_ACCESS,
	STF_RULE_EVENT_TARGET_ALONE, STF_RULE_KIND_MIXED,
};

static struct fuzz_end read_records(bool *writable)
{
	struct stf_reader *r = fuzz_open(0, false);
	struct stf_writer *w;
	struct stf_record rec;
	struct fuzz_end end;
	bool taken = true;
	int more;

	if (!r)
		return (struct fuzz_end){ .code = 1 };
	w = stf_writer_open("/dev/null", NULL, NULL);
	demand(w, "/dev/null can be written");
	while ((more = stf_reader_next(r, &rec)) > 0)
		taken = taken && !stf_write(w, &rec);
	end = fuzz_end(r, more);
	stf_reader_close(r);
	*writable = !stf_writer_close(w, NULL) && taken;
	return end;
}

static struct fuzz_end check(struct stf_check *res)
{
	struct stf_reader *r = fuzz_open(0, false);
	struct fuzz_end end;

	demand(r, "what was opened opens again");
	memset(res, 0x55, sizeof(*res));
	res->size = sizeof(*res);
	end = fuzz_end(r, stf_check(r, res));
	stf_reader_close(r);
	return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_end end, checked;
	struct stf_check res;
	bool writable;
	unsigned int i;

	if (size && *data != STF_IDENTIFIER)
		return -1;
	fuzz_file(data, size);
	end = read_records(&writable);
	if (end.code > 0)
		return 0;
	checked = check(&res);
	demand(same_end(&end, &checked), "the checker reads the whole trace");
	for (i = 0; i < STF_N_RULES; i++) {
		const struct stf_found *f = &res.found[i];

		demand(!f->count || (f->offset <= end.bytes &&
				     f->record <= end.records &&
				     f->instruction <= end.instructions),
		       "a finding lies in the trace");
	}
	for (i = 0; i < sizeof(refused) && writable && !end.code; i++)
		demand(!res.found[refused[i]].count,
		       stf_rule_name(refused[i]));
	return 0;
}
