/* SPDX-License-Identifier: Apache-2.0 */
/* Why a registry does not let us in, in words. */
#include <envbuild/mem.h>

#include "auth_int.h"

static const char *action(const struct eb_scope *scope)
{
	if (scope->remove)
		return "delete in";
	return scope->push ? "push to" : "pull from";
}

int eb_auth_no_login(struct eb_auth *a, const struct eb_scope *scope,
		     struct eb_error *err)
{
	eb_autofree char *places = NULL;

	if (scope->anonymous)
		return eb_err_set(err, EB_REFUSED,
				  "the mirror \"%s\" asks for a login, and "
				  "mirrors get none",
				  scope->host);
	places = eb_credential_places(eb_auth_given_counts(a, scope->host));
	eb_err_set(err, EB_REFUSED,
		   "no credentials were found for \"%s\" (looked in: %s)",
		   scope->host, places);
	return eb_err_hint(err,
			   "--username with --password-stdin gives them, "
			   "`docker login %s` or `podman login %s` keeps "
			   "them",
			   scope->host, scope->host);
}

int eb_auth_wrong_login(const struct eb_scope *scope,
			const struct eb_credential *login, const char *said,
			struct eb_error *err)
{
	return eb_err_set(err, EB_REFUSED,
			  "the credentials of %s for \"%s\" are wrong%s%s",
			  login->from, scope->host, said ? ": " : "",
			  said ? said : "");
}

int eb_auth_no_permission(const struct eb_scope *scope,
			  const struct eb_credential *login, const char *said,
			  struct eb_error *err)
{
	if (scope->repository && scope->mount_from)
		eb_err_set(err, EB_REFUSED,
			   "no permission to mount from \"%s/%s\" in "
			   "\"%s/%s\"%s%s",
			   scope->host, scope->mount_from, scope->host,
			   scope->repository, said ? ": " : "",
			   said ? said : "");
	else
		eb_err_set(err, EB_REFUSED,
			   "no permission to %s \"%s%s%s\"%s%s", action(scope),
			   scope->host, scope->repository ? "/" : "",
			   scope->repository ? scope->repository : "",
			   said ? ": " : "", said ? said : "");
	return eb_err_hint(err, "logged in with the credentials of %s",
			   login->from);
}
