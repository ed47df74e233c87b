/* SPDX-License-Identifier: Apache-2.0 */
/* An environment that conda made, opened: the folder and its conda-meta. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include <envbuild/file.h>

#include "prefix_read.h"

#define MAX_FILE ((size_t)64 << 20) /* of conda-meta, of RECORD */

static int count_packages(struct eb_prefix *p, struct eb_error *err)
{
	struct eb_strv file EB_CLEANUP(eb_strv_release) = { 0 };

	if (eb_claims_list(&p->c, "conda-meta", ".json", &file, err) < 0)
		return -1;
	if (file.n > EB_PREFIX_PACKAGES)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has more than %d packages", p->dir,
				  EB_PREFIX_PACKAGES);
	if (file.n)
		return 0;
	eb_err_set(err, EB_INPUT,
		   "\"%s\" is no environment of conda: it has no "
		   "conda-meta/*.json",
		   p->dir);
	return eb_err_hint(err, "give the folder of the environment itself: "
				"CONDA_PREFIX where it is active");
}

/* What verify would only tell is wrong here. */
static int fail_on_finding(const struct eb_prefix *p, struct eb_error *err)
{
	for (size_t i = 0; i < p->found.n; i++) {
		const struct eb_finding *f = &p->found.v[i];

		if (!f->note)
			return eb_err_set(err, EB_INPUT, "\"%s\": \"%s\" %s",
					  p->dir, f->subject, f->text);
	}
	return 0;
}

int eb_prefix_open(struct eb_prefix *p, const char *dir,
		   eb_claims_record_fn *record, void *data,
		   struct eb_error *err)
{
	p->dir = dir;
	p->c = (struct eb_claims){ .root = open(dir, O_PATH | O_DIRECTORY |
							     O_CLOEXEC),
				   .prefix = ".",
				   .max = MAX_FILE,
				   .out = &p->found,
				   .what = &p->what,
				   .record = record,
				   .data = data };
	p->what.prefix = realpath(dir, NULL);
	if (p->c.root < 0 || !p->what.prefix)
		return eb_err_errno(err, EB_INPUT, errno, "\"%s\", opening",
				    dir);
	if (count_packages(p, err) < 0 || eb_verify_conda(&p->c, err) < 0)
		return -1;
	eb_claims_sort(&p->c);
	return fail_on_finding(p, err);
}

void eb_prefix_release(struct eb_prefix *p)
{
	eb_claims_release(&p->c);
	eb_findings_release(&p->found);
	eb_verified_release(&p->what);
}
