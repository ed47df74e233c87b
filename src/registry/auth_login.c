/* SPDX-License-Identifier: Apache-2.0 */
/* Logins, looked up once a repository. */
#include <string.h>

#include <envbuild/mem.h>

#include "auth_int.h"

bool eb_auth_given_counts(const struct eb_auth *a, const char *host)
{
	return !a->login_host || !strcmp(a->login_host, host) ||
	       (eb_host_is_hub(a->login_host) && eb_host_is_hub(host));
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const struct eb_auth_login *known(struct eb_auth *a,
					 const struct eb_scope *scope)
{
	const struct eb_auth_login *l = a->logins;

	while (l && (strcmp(l->host, scope->host) ||
		     !same(l->repository, scope->repository)))
		l = l->next;
	return l;
}

static int find(struct eb_auth *a, const struct eb_scope *scope,
		struct eb_credential *out, struct eb_error *err)
{
	bool given = eb_auth_given_counts(a, scope->host);

	if (!given || !a->user)
		return eb_credential_look(scope->host, scope->repository, given,
					  out, err);
	*out = (struct eb_credential){
		.user = eb_strdup(a->user),
		.password = eb_strdup(a->password ? a->password : ""),
		.from = eb_strdup("--username"),
	};
	return 1;
}

static int look(struct eb_auth *a, const struct eb_scope *scope,
		struct eb_credential *out, struct eb_error *err)
{
	int found = find(a, scope, out, err);

	if (found != 1 || !out->user || !strchr(out->user, ':'))
		return found;
	eb_err_set(err, EB_INPUT,
		   "%s, reading the login of \"%s\": a user's name cannot hold "
		   "a colon",
		   out->from, scope->host);
	eb_credential_release(out);
	return -1;
}

/* With the lock held: a helper is run once, whoever else waits for it. */
static int login(struct eb_auth *a, const struct eb_scope *scope,
		 const struct eb_credential **out, struct eb_error *err)
{
	const struct eb_auth_login *l = known(a, scope);
	struct eb_auth_login *new;
	struct eb_credential c;
	int found;

	if (!l) {
		found = look(a, scope, &c, err);
		if (found < 0)
			return -1;
		new = eb_malloc(sizeof *new);
		*new = (struct eb_auth_login){
			.next = a->logins,
			.host = eb_strdup(scope->host),
			.repository = eb_strdup(scope->repository),
			.found = found,
			.credential = c,
		};
		l = a->logins = new;
	}
	*out = l->found ? &l->credential : NULL;
	return l->found;
}

int eb_auth_login(struct eb_auth *a, const struct eb_scope *scope,
		  const struct eb_credential **out, struct eb_error *err)
{
	int found;

	*out = NULL;
	if (scope->anonymous)
		return 0;
	pthread_mutex_lock(&a->login_lock);
	found = login(a, scope, out, err);
	pthread_mutex_unlock(&a->login_lock);
	return found;
}
