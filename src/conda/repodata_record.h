/* SPDX-License-Identifier: Apache-2.0 */
/* One record of a repodata map, read from the pull reader into a row. */
#ifndef EB_REPODATA_RECORD_H
#define EB_REPODATA_RECORD_H

#include "json_pull.h"
#include "repodata_int.h"

struct eb_rd_list {
	uint32_t *text;
	size_t n, alloc;
};

/* Kept between records, so that its lists are not allocated anew. */
struct eb_rd_draft {
	struct eb_rd_build *b;
	struct eb_json_pull *json;
	struct eb_rd_row row;
	const char *bad; /* what is wrong with it, or NULL */
	bool has_name, has_version, has_build;
	int64_t indexed; /* CEP 47; ms, 0 = absent */
	struct eb_rd_list depends, constrains, flags;
	struct eb_rd_list extras; /* pairs: group, dependency */
	char *fn;
	size_t fn_n, fn_alloc;
	uint32_t good_version[4096]; /* that were checked already */
};

void eb_rd_draft_init(struct eb_rd_draft *d, struct eb_rd_build *b,
		      struct eb_json_pull *json);
void eb_rd_draft_release(struct eb_rd_draft *d);
/* The value of the key `fn`, which lacks `ending` ("" or, of v3 records, that
 * of its file). What is wrong with the record alone is in
 * d->bad; -1 when the text cannot be read on. */
int eb_rd_draft_read(struct eb_rd_draft *d, struct eb_json_text fn,
		     const char *ending);
/* Append it to the index. */
int eb_rd_draft_keep(struct eb_rd_draft *d);

#endif
