/* SPDX-License-Identifier: Apache-2.0 */
/* The placeholder in one file of a package: from the spool to its end. */
#include <inttypes.h>

#include "link_int.h"
#include "prefix_replace.h"

#define GROWTH_MAX ((uint64_t)1 << 30) /* that a text may become longer */

struct range {
	struct eb_spool *spool;
	uint64_t offset, size;
};

struct appending {
	struct eb_spool *spool;
	struct eb_sha256 sha;
	uint64_t size, max;
	const char *what, *path;
};

static int read_range(void *data, uint64_t offset, void *p, size_t n,
		      struct eb_error *err)
{
	const struct range *r = data;

	return eb_spool_read(r->spool, r->offset + offset, p, n, err);
}

static int append(void *data, const void *p, size_t n, struct eb_error *err)
{
	struct appending *a = data;

	if (n > a->max - a->size)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", replacing the prefix in \"%s\": it "
				  "grows beyond %" PRIu64 " bytes",
				  a->what, a->path, a->max);
	a->size += n;
	eb_sha256_add(&a->sha, p, n);
	return eb_spool_add(a->spool, p, n, err);
}

/* The entry's content becomes what the pass wrote behind all else. */
static int pass(const struct eb_prefix_job *job, unsigned encoding,
		struct eb_entry *e, struct eb_error *err)
{
	struct range range = { e->spool, e->offset, e->size };
	const struct eb_prefix_source source = { read_range, &range, e->size };
	struct appending to = { .spool = e->spool,
				.max = e->size + GROWTH_MAX,
				.what = job->what,
				.path = job->path };
	const struct eb_prefix_sink sink = { append, &to };
	uint64_t offset = eb_spool_size(e->spool);

	eb_sha256_init(&to.sha);
	if (eb_prefix_pass(job, encoding, &source, &sink, err) < 0)
		return -1;
	eb_sha256_end(&to.sha, &e->sha256);
	e->offset = offset;
	e->size = to.size;
	return 0;
}

int eb_link_replace(const struct eb_package *p, const struct eb_link_path *l,
		    const char *prefix, struct eb_entry *e,
		    struct eb_error *err)
{
	const struct eb_prefix_job job = { .placeholder = l->placeholder,
					   .prefix = prefix,
					   .text = l->text,
					   .what = p->what,
					   .path = l->path };
	struct range range = { e->spool, e->offset, e->size };
	const struct eb_prefix_source source = { read_range, &range, e->size };
	unsigned found;

	if (eb_prefix_look(&job, &source, &found, err) < 0)
		return -1;
	for (unsigned i = 0; i < EB_PREFIX_ENCODINGS; i++) {
		if (found & 1u << i && pass(&job, i, e, err) < 0)
			return -1;
	}
	return 0;
}
