/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a package and linking it: what the fuzzers of both kinds of archive
 * share. The first byte says how much the input has behind it: `r`, it is the
 * archive as it lies on a disk; else it is what the compression would hide,
 * and is compressed here, for no mutation passes a checksum. */
#ifndef FUZZ_PACKAGE_H
#define FUZZ_PACKAGE_H

#include <envbuild/link.h>

#include "../unit/make_package.h"
#include "fuzz.h"

#define FUZZ_FILE_MAX ((uint64_t)16 << 20)

static inline void fuzz_link(struct eb_package *p, const struct eb_record *r)
{
	const struct eb_link_target t = {
		.prefix = "/opt/env",
		.python_minor = "3.7",
		.site_packages = "lib/python3.7/site-packages",
	};
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_entries out = { 0 };
	int rc = eb_link_payload(p, r, &t, &out, NULL, &err);

	fuzz_verdict(rc, &err);
	for (size_t i = 0; rc == 0 && i < out.n; i++)
		FUZZ_CHECK(eb_path_is_below(out.entry[i].path, "opt/env") &&
			   !strstr(out.entry[i].path, "/../"));
	eb_entries_release(&out);
}

static inline void fuzz_archive(const struct eb_buf *archive, const char *fn)
{
	const struct eb_package_limits limits = { 1000, FUZZ_FILE_MAX,
						  FUZZ_FILE_MAX };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofd int fd = make_fd(archive);
	struct eb_package p = { 0 };
	struct eb_record r;
	int rc;

	make_record(&r, fn, archive);
	r.noarch = archive->len % 2 ? EB_NOARCH_PYTHON : EB_NOARCH_NONE;
	eb_package_window(fd, fn);
	rc = eb_package_read(fd, &r, &limits, "/tmp", 1 << 20, &p, &err);
	fuzz_verdict(rc, &err);
	if (rc == 0)
		fuzz_link(&p, &r);
	eb_package_release(&p);
	eb_record_release(&r);
}

#endif
