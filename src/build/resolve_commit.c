/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commit that a line of the pip section means, and its tree, which the
 * resolver reads: fetched once, and kept until the lock is made.
 */
#include <stdlib.h>
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/file.h>

#include "git.h"
#include "resolve_pip.h"

static int fetch(struct eb_build *b, const struct eb_git *g, const char *dir,
		 struct eb_pin *pin, struct eb_error *err)
{
	char commit[65];

	eb_note(b->events, "fetching \"%s\" by git", g->shown);
	if (eb_git_check(b, g, err) < 0 || eb_git_clone(g, dir, err) < 0 ||
	    eb_git_find(g, dir, pin->revision, commit, err) < 0 ||
	    eb_git_checkout(g, dir, commit, err) < 0)
		return -1;
	pin->commit = eb_strdup(commit);
	pin->version = eb_git_version(dir);
	return 0;
}

int eb_ask_commit(void *side, const char *url, struct eb_pin *pin, char **dir,
		  struct eb_error *err)
{
	struct eb_pip_side *s = side;
	struct eb_build *b = &s->build;
	eb_autofree char *made =
		eb_make_tempdir(eb_store_tmp(b->store), "commit-", err);
	eb_autofree char *real = made ? realpath(made, NULL) : NULL;
	char *login;
	int rc;

	if (!real)
		return -1;
	eb_strv_add(&s->folder, real);
	login = eb_fetch_login(b, url);
	rc = fetch(b, &(struct eb_git){ login, pin->url }, real, pin, err);
	eb_secret_free(login);
	if (rc < 0)
		return -1;
	eb_strv_addf(&b->fetched, "%s %s", pin->commit, pin->url);
	eb_strv_add(&b->fetched, real);
	*dir = eb_steal(real);
	return 0;
}

void eb_commits_release(struct eb_pip_side *s)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	for (size_t i = 0; i < s->folder.n; i++) {
		eb_remove_tree(s->folder.v[i], &ignored);
		eb_err_release(&ignored);
	}
	eb_strv_release(&s->folder);
	eb_strv_release(&s->build.fetched);
}
