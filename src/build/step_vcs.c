/* SPDX-License-Identifier: Apache-2.0 */
/* A commit of a repository, as the lock names it, by this machine's git. */
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/file.h>

#include "git.h"
#include "step_source.h"

/* "git+https://..." is written so in requirements. */
static const char *plain_url(const char *url)
{
	return eb_starts(url, "git+") ? url + strlen("git+") : url;
}

static bool is_commit(const char *text)
{
	size_t n = text ? strspn(text, "0123456789abcdef") : 0;

	return n >= 40 && n <= 64 && !text[n];
}

static int check_kind(const struct eb_pin *pin, struct eb_error *err)
{
	if (pin->vcs && strcmp(pin->vcs, "git")) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\" lies in a repository of %s; only git is "
			   "known",
			   pin->url, pin->vcs);
		return eb_err_hint(err, "name an archive of it by its URL");
	}
	if (is_commit(pin->commit))
		return 0;
	return eb_err_set(err, EB_INPUT, "\"%s\" has no commit in the lock",
			  pin->url);
}

static int fetch(struct eb_build *b, const struct eb_git *g, const char *commit,
		 const char *dir, struct eb_error *err)
{
	char found[65];

	if (eb_git_check(b, g, err) < 0 || eb_git_clone(g, dir, err) < 0)
		return -1;
	if (eb_git_find(g, dir, commit, found, err) < 0) {
		err->code = EB_NETWORK; /* it was there */
		return eb_err_prefix(err, "\"%s\", fetching it by git",
				     g->shown);
	}
	return eb_git_checkout(g, dir, commit, err);
}

int eb_step_checkout(struct eb_build *b, const struct eb_pin *pin,
		     const char *dir, struct eb_error *err)
{
	const char *plain = plain_url(pin->url ? pin->url : "");
	eb_autofree char *key = NULL;
	char *url;
	int rc;

	if (check_kind(pin, err) < 0)
		return -1;
	key = eb_asprintf("%s %s", pin->commit, plain);
	for (size_t i = 0; i + 1 < b->fetched.n; i += 2)
		if (!strcmp(b->fetched.v[i], key))
			return eb_copy_tree(b->fetched.v[i + 1], dir, err);
	url = eb_fetch_login(b, plain);
	rc = fetch(b, &(struct eb_git){ url, plain }, pin->commit, dir, err);
	eb_secret_free(url);
	return rc;
}
