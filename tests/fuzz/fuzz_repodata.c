/* SPDX-License-Identifier: Apache-2.0 */
/* repodata.json: every record that is kept can be asked for, and is found by
 * its name. */
#include <envbuild/stream.h>

#include "conda/repodata_int.h"
#include "fuzz.h"

static void ask(const struct eb_repodata *rd)
{
	for (size_t i = 0; i < eb_repodata_count(rd); i++) {
		const struct eb_record *r = eb_repodata_record(rd, i, NULL);
		const uint32_t *list = NULL;
		size_t n = eb_repodata_by_name(rd, r->name, &list), k = 0;

		while (k < n && list[k] != i)
			k++;
		FUZZ_CHECK(k < n);
		FUZZ_CHECK(*r->version && r->fn && r->url);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_repodata_free_ptr)
	struct eb_repodata *rd = eb_repodata_new();
	EB_CLEANUP(eb_rd_build_free_ptr)
	struct eb_rd_build *b =
		eb_rd_build_new("https://c.example/x/linux-64/");
	struct eb_rd_scan scan = { 0 };
	unsigned source =
		eb_rd_source_add(rd, 0, "https://c.example/x", "linux-64",
				 "https://c.example/x/linux-64/");
	int rc = eb_rd_scan(b, eb_stream_mem(data, size), "input", &scan, NULL,
			    &err);

	fuzz_verdict(rc, &err);
	if (rc < 0)
		return 0;
	rd->source[source].map.p = eb_rd_seal_memory(b);
	rd->source[source].head = rd->source[source].map.p;
	FUZZ_CHECK(eb_rd_segment_ok(rd->source[source].head,
				    rd->source[source].head->size));
	ask(rd);
	return 0;
}
