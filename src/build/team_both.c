/* SPDX-License-Identifier: Apache-2.0 */
/* Two questions to the registry at once: neither needs the other's answer. */
#include <envbuild/pool.h>

#include "team_private.h"

int eb_team_both(struct eb_team *t, eb_job_fn *one, void *of_one,
		 eb_job_fn *other, void *of_other, struct eb_error *err)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_pool *aside;
	int rc, other_rc;

	if (t->single)
		return one(of_one, err) < 0 || other(of_other, err) < 0 ? -1
									: 0;
	aside = eb_pool_new(1);
	eb_pool_submit(aside, other, of_other);
	rc = one(of_one, err);
	other_rc = eb_pool_wait(aside, &why);
	eb_pool_free(aside);
	if (rc >= 0 && other_rc < 0)
		eb_err_move(err, &why);
	return rc < 0 || other_rc < 0 ? -1 : 0;
}
