/* SPDX-License-Identifier: Apache-2.0 */
/* The files of an unpacked image against what its packages say of them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/image.h>

#include "verify_claims.h"

#define PREFIX "/opt/env"

/* Where the environment lies: as the image's variables have it. */
static char *prefix_of(const json_t *config)
{
	const char *said = eb_config_env(config, "CONDA_PREFIX");
	const char *prefix = said && *said == '/' && said[1] ? said : PREFIX;
	size_t n = strlen(prefix);

	while (n > 1 && prefix[n - 1] == '/')
		n--;
	return eb_strndup(prefix, n);
}

/* 1; 0: there is none. */
static int open_image(struct eb_claims *c, const char *rootfs,
		      struct eb_error *err)
{
	eb_autofd int there = -1;

	c->root = open(rootfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (c->root < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", opening",
				    rootfs);
	there = eb_inside(c->root, c->prefix, O_PATH | O_DIRECTORY, true);
	if (there >= 0)
		return 1;
	if (errno != ENOENT && errno != ENOTDIR)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", opening in the image",
				    c->what->prefix);
	eb_finding_note(c->out, "files", NULL,
			"not checked: the image has no \"%s\"",
			c->what->prefix);
	return 0;
}

int eb_verify_files(const char *rootfs, const json_t *config,
		    struct eb_verified *what, struct eb_findings *out,
		    struct eb_error *err)
{
	struct eb_claims c EB_CLEANUP(
		eb_claims_release) = { .root = -1, .out = out, .what = what };
	int got;

	what->prefix = prefix_of(config);
	c.prefix = what->prefix + 1;
	got = open_image(&c, rootfs, err);
	if (got <= 0)
		return got;
	if (eb_verify_conda(&c, err) < 0)
		return -1;
	eb_claims_sort(&c);
	if (eb_verify_records(&c, err) < 0)
		return -1;
	eb_claims_sort(&c);
	if (eb_verify_changed(&c, err) < 0 || eb_verify_match(&c, err) < 0)
		return -1;
	eb_verify_case(&c);
	return eb_verify_stray(&c, err);
}
