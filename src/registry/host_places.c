/* SPDX-License-Identifier: Apache-2.0 */
/* Repositories, and the places where each is read and written. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <envbuild/reference.h>

#include "registry_int.h"

static int check_name(const char *host, const char *name, struct eb_error *err)
{
	eb_autofree char *text = eb_asprintf("%s/%s", host, name);
	struct eb_reference ref = { 0 };
	bool same;

	if (eb_reference_parse(text, &ref, err) < 0) {
		eb_reference_release(&ref);
		return -1;
	}
	same = ref.kind == EB_REF_REGISTRY && !ref.tag && !ref.has_digest &&
	       strcmp(ref.registry, host) == 0 &&
	       strcmp(ref.repository, name) == 0;
	eb_reference_release(&ref);
	return same ? 0
		    : eb_err_set(err, EB_USAGE,
				 "\"%s\" is not a repository of a registry",
				 text);
}

static struct eb_repository *repository_new(struct eb_registry *r,
					    const char *host, const char *name)
{
	struct eb_repository *repo = eb_calloc(1, sizeof *repo);

	repo->registry = r;
	repo->host = eb_strdup(host);
	repo->name = eb_strdup(name);
	repo->text = eb_asprintf("%s/%s", host, name);
	repo->next = r->repository;
	r->repository = repo;
	return repo;
}

int eb_repository_open(struct eb_registry *r, const char *host,
		       const char *name, struct eb_repository **out,
		       struct eb_error *err)
{
	struct eb_repository *repo;

	if (check_name(host, name, err) < 0)
		return -1;
	pthread_mutex_lock(&r->lock);
	for (repo = r->repository; repo; repo = repo->next) {
		if (strcmp(repo->host, host) == 0 &&
		    strcmp(repo->name, name) == 0)
			break;
	}
	*out = repo ? repo : repository_new(r, host, name);
	pthread_mutex_unlock(&r->lock);
	return 0;
}

const char *eb_repository_host(const struct eb_repository *repo)
{
	return repo->host;
}

const char *eb_repository_name(const struct eb_repository *repo)
{
	return repo->name;
}

const char *eb_repository_text(const struct eb_repository *repo)
{
	return repo->text;
}

bool eb_repository_same_host(const struct eb_repository *a,
			     const struct eb_repository *b)
{
	return strcasecmp(a->host, b->host) == 0;
}

static void forget(struct eb_repository *repo)
{
	int i;

	for (i = 0; i < 2; i++) {
		eb_places_release(repo->place[i], repo->n_read[i]);
		free(repo->read[i]);
		repo->place[i] = NULL;
		repo->read[i] = NULL;
		repo->n_read[i] = 0;
	}
}

void eb_repositories_free(struct eb_repository *repo)
{
	while (repo) {
		struct eb_repository *next = repo->next;

		forget(repo);
		free(repo->host);
		free(repo->name);
		free(repo->text);
		free(repo);
		repo = next;
	}
}

static int find_read(struct eb_repository *repo, int kind, struct eb_error *err)
{
	struct eb_place *p;
	size_t i, n;

	if (eb_places_find(repo->host, repo->name, kind == 1,
			   &repo->place[kind], &n, err) < 0)
		return -1;
	p = repo->place[kind];
	repo->n_read[kind] = n;
	repo->read[kind] = eb_calloc(n, sizeof *repo->read[kind]);
	for (i = 0; i < n; i++) {
		struct eb_where *w = &repo->read[kind][i];

		w->repository = p[i].repository;
		w->mirror = p[i].mirror;
		if (eb_host_find(repo->registry, p[i].host, p[i].insecure,
				 &w->host, err) < 0)
			return -1;
	}
	return 0;
}

/* What is written goes to the very name; what registries.conf says of TLS
 * holds there, too. */
static int find_home(struct eb_repository *repo, struct eb_error *err)
{
	struct eb_where *home = &repo->home;
	struct eb_host *last = repo->read[0][repo->n_read[0] - 1].host;

	home->repository = repo->name;
	if (strcasecmp(last->name, repo->host) == 0) {
		home->host = last;
		return 0;
	}
	return eb_host_find(repo->registry, repo->host, false, &home->host,
			    err);
}

static int find_all(struct eb_repository *repo, struct eb_error *err)
{
	int rc = 0;

	pthread_mutex_lock(&repo->registry->lock);
	if (!repo->known) {
		rc = find_read(repo, 0, err);
		if (rc == 0)
			rc = find_read(repo, 1, err);
		if (rc == 0)
			rc = find_home(repo, err);
		repo->known = rc == 0;
		if (rc < 0)
			forget(repo);
	}
	pthread_mutex_unlock(&repo->registry->lock);
	return rc;
}

int eb_repository_home(struct eb_repository *repo, struct eb_where *out,
		       struct eb_error *err)
{
	if (find_all(repo, err) < 0)
		return -1;
	*out = repo->home;
	return 0;
}

static void pass_by(struct eb_repository *repo, const struct eb_where *at,
		    int rc, struct eb_error *err)
{
	eb_detail(repo->registry->events, "%s/%s does not serve %s: %s",
		  at->host->name, at->repository, repo->text,
		  rc == 0 ? "not there" : err->message);
	eb_err_release(err);
}

/* Nothing that another place could make good. */
static bool is_ours(const struct eb_error *err)
{
	return err->code == EB_INTERRUPTED || err->code == EB_MACHINE ||
	       err->code == EB_USAGE;
}

static int read_in_order(struct eb_repository *repo,
			 const struct eb_where *place, size_t n,
			 eb_where_fn *fn, void *data, struct eb_error *err)
{
	size_t i;
	int rc;

	for (i = 0; i + 1 < n; i++) {
		struct eb_where at = place[i];

		at.tries = 2;
		rc = fn(&at, data, err);
		if (rc > 0 || (rc < 0 && is_ours(err)))
			return rc;
		pass_by(repo, &at, rc, err);
	}
	return fn(&place[i], data, err);
}

int eb_repository_read(struct eb_repository *repo, const char *ref,
		       eb_where_fn *fn, void *data, struct eb_error *err)
{
	int kind = eb_ref_is_digest(ref);

	if (find_all(repo, err) < 0)
		return -1;
	if (repo->written)
		return fn(&repo->home, data, err);
	return read_in_order(repo, repo->read[kind], repo->n_read[kind], fn,
			     data, err);
}

int eb_repository_ask(struct eb_repository *repo, const char *ref,
		      eb_where_fn *fn, void *data, struct eb_error *err)
{
	int kind = eb_ref_is_digest(ref), rc;
	struct eb_where at;
	struct eb_error other = EB_ERROR_INIT;
	size_t i, n;

	if (find_all(repo, err) < 0)
		return -1;
	n = repo->n_read[kind];
	if (repo->written || n == 1)
		return fn(&repo->home, data, err);
	at = repo->read[kind][n - 1];
	at.tries = 2;
	rc = fn(&at, data, err);
	if (rc >= 0 || err->code != EB_NETWORK)
		return rc;
	for (i = 0; i + 1 < n; i++) {
		at = repo->read[kind][i];
		at.tries = 2;
		rc = fn(&at, data, &other);
		if (rc > 0) {
			eb_err_release(err);
			return rc;
		}
		pass_by(repo, &at, rc, &other);
	}
	return -1;
}
