/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own, which is the working folder meanwhile, for all tests of
 * a program (cmocka_run_group_tests(tests, scratch_set_up,
 * scratch_tear_down)) or for one. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT

static char *scratch;

static inline int scratch_set_up(void **state)
{
	AUTOERR(err);

	*state = scratch = eb_make_tempdir("/tmp", "envbuild-test-", &err);
	return scratch ? chdir(scratch) : -1;
}

static inline int scratch_tear_down(void **state)
{
	AUTOERR(err);
	int rc = chdir("/") + eb_remove_tree(scratch, &err);

	(void)state;
	free(scratch);
	return rc;
}

/* A file in it; folders of its name must be there. */
static inline void scratch_put(const char *name, const char *text)
{
	AUTOERR(err);

	if (eb_write_file(name, text, strlen(text), 0644, &err) < 0)
		fail_msg("%s", err.message);
}

#endif
