/* SPDX-License-Identifier: Apache-2.0 */
/* `recent`, read in the background: who has to make an image wants it soon. */
#include <string.h>

#include <envbuild/pool.h>

#include "team_private.h"

struct eb_ahead {
	struct eb_team *team;
	struct eb_pool *pool;
	struct eb_recent recent;
	int rc;
	struct eb_error err;
};

static int read_recent(void *arg, struct eb_error *err)
{
	struct eb_ahead *a = arg;

	(void)err; /* told to whoever asks */
	a->rc = eb_team_get_recent(a->team, &a->recent, &a->err);
	return 0;
}

void eb_team_ahead(struct eb_team *t)
{
	struct eb_ahead *a;

	if (t->ahead)
		return;
	a = eb_calloc(1, sizeof *a);
	a->team = t;
	a->pool = eb_pool_new(1);
	t->ahead = a;
	eb_pool_submit(a->pool, read_recent, a);
}

/* After the first call there is no thread, and `rc` and `recent` stay. */
static void finish(struct eb_ahead *a)
{
	if (a->pool)
		eb_pool_free(a->pool);
	a->pool = NULL;
}

int eb_team_recent(struct eb_team *t, const struct eb_recent **out,
		   struct eb_error *err)
{
	struct eb_ahead *a;

	eb_team_ahead(t);
	a = t->ahead;
	finish(a);
	*out = a->rc < 0 ? NULL : &a->recent;
	if (eb_err_is_set(&a->err))
		eb_err_move(err, &a->err);
	return a->rc;
}

const struct eb_recent *eb_team_recent_seen(struct eb_team *t)
{
	if (!t->ahead)
		return NULL;
	finish(t->ahead);
	return t->ahead->rc < 0 ? NULL : &t->ahead->recent;
}

void eb_team_ahead_free(struct eb_ahead *a)
{
	if (!a)
		return;
	finish(a);
	eb_recent_release(&a->recent);
	eb_err_release(&a->err);
	free(a);
}
