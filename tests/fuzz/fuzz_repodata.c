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
	struct eb_rd_scan scan = { 0 };
	unsigned source =
		eb_rd_source_add(rd, 0, "https://c.example/x", "linux-64",
				 "https://c.example/x/linux-64/");
	int rc = eb_rd_scan(rd, source, eb_stream_mem(data, size), "input",
			    &scan, NULL, &err);

	fuzz_verdict(rc, &err);
	FUZZ_CHECK(rc == 0 || eb_repodata_count(rd) == 0);
	ask(rd);
	return 0;
}
