/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shards: the input is MessagePack, read as a shard and as an index. What is
 * kept of it can be written and read again.
 */
#include <zstd.h>

#include <unistd.h>

#include <envbuild/file.h>

#include "conda/msgpack_json.h"
#include "conda/repodata_shards_int.h"
#include "fuzz.h"

static void names(void *data, const char *name)
{
	(void)data;
	FUZZ_CHECK(*name && strlen(name) < EB_RD_MAX_NAME);
}

static void as_shard(const void *z, size_t n)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	size_t bad = 0;
	eb_autofree struct eb_rd_head *h = eb_rd_shard_read(
		z, n, "https://c.example/x/", "input", &bad, NULL, &err);

	fuzz_verdict(h ? 0 : -1, &err);
	if (!h)
		return;
	FUZZ_CHECK(eb_rd_segment_ok(h, h->size));
	for (uint32_t i = 0; i < 2 * h->n_names; i++)
		eb_rd_each_need(h, eb_rd_text(h, eb_rd_groups(h)[i / 2].name),
				i % 2, names, NULL);
}

static void as_index(const void *z, size_t n)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	char url[] = "https://c.example/x/", key[] = "input";
	struct eb_rd_job job = { .dir_url = url, .at_url = url };
	struct eb_rd_file file = { .key = key };
	eb_autofd int fd = eb_unnamed_file("/tmp", &err);
	eb_autofree struct eb_rd_bundle *b = NULL;

	FUZZ_CHECK(fd >= 0 && write(fd, z, n) == (ssize_t)n);
	b = eb_rd_shards_index(&job, &file, fd, n, &err);
	fuzz_verdict(b ? 0 : -1, &err);
	if (!b)
		return;
	FUZZ_CHECK(eb_rd_bundle_ok(b, b->size));
	for (uint32_t i = 0; i < b->n; i++)
		FUZZ_CHECK(eb_rd_bundle_find(
			b, eb_rd_bundle_text(b, eb_rd_entries(b)[i].name)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t room = ZSTD_compressBound(size), n;
	eb_autofree char *z = eb_malloc(room);

	n = ZSTD_compress(z, room, data, size, 1);
	FUZZ_CHECK(!ZSTD_isError(n));
	as_shard(z, n);
	as_index(z, n);
	return 0;
}
