/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of the system's configuration: which prefixes are allowed. */
#include <string.h>
#include <strings.h>

#include "build_private.h"
#include "conda_settings.h"

/* "ghcr.io/team" allows "ghcr.io/team/x", not "ghcr.io/teammate". */
static bool below(const char *what, const char *prefix)
{
	size_t n = strlen(prefix);

	if (!n || strncmp(what, prefix, n))
		return false;
	return strchr("/:@", what[n]) || prefix[n - 1] == '/' ||
	       prefix[n - 1] == ':';
}

/* "." or ".." between slashes, also as "%2e": it leads elsewhere than the
 * prefix says. */
static bool has_dots(const char *what)
{
	for (size_t n; *what; what += n + !!what[n]) {
		size_t dots = 0, i = 0;

		n = strcspn(what, "/?#");
		while (i < n &&
		       (what[i] == '.' ||
			(n - i >= 3 && !strncasecmp(what + i, "%2e", 3)))) {
			i += what[i] == '.' ? 1 : 3;
			dots++;
		}
		if (i == n && (dots == 1 || dots == 2))
			return true;
	}
	return false;
}

static bool allowed(const struct eb_policy_list *list, const char *what)
{
	if (list->set && has_dots(what))
		return false;
	for (size_t i = 0; i < list->prefix.n; i++)
		if (below(what, list->prefix.v[i]))
			return true;
	return !list->set;
}

int eb_policy_check(const struct eb_policy_list *list, const char *list_name,
		    const char *what, struct eb_error *err)
{
	if (allowed(list, what))
		return 0;
	eb_err_set(err, EB_REFUSED, "\"%s\" is not allowed by the policy",
		   what);
	return eb_err_hint(err, "%s lists what is, under policy: %s",
			   EB_SYSTEM_CONFIG, list_name);
}

/* A channel passes by its URL or by its name below the alias. */
int eb_policy_channel(const struct eb_config *config, const char *url,
		      struct eb_error *err)
{
	const struct eb_policy_list *list = &config->policy.channels;
	size_t n = strlen(config->channel_alias);

	if (!strncmp(url, config->channel_alias, n) && url[n] == '/' &&
	    allowed(list, url + n + 1))
		return 0;
	return eb_policy_check(list, "channels", url, err);
}

/* Shown without credentials. */
int eb_policy_index(const struct eb_config *config, const char *url,
		    struct eb_error *err)
{
	eb_autofree char *shown = eb_index_shown(url);

	return eb_policy_check(&config->policy.indexes, "indexes", shown, err);
}

static int check_pins(const struct eb_config *config,
		      const struct eb_lock *lock, struct eb_error *err)
{
	for (size_t i = 0; i < lock->n_pins; i++) {
		const struct eb_pin *p = &lock->pin[i];
		const char *url = p->index ? p->index : p->url;

		if (url && eb_policy_index(config, url, err) < 0)
			return -1;
	}
	return 0;
}

static int check_base(const struct eb_config *config, const char *asked,
		      const char *locked, struct eb_error *err)
{
	const char *base = asked ? asked : locked;

	return eb_policy_check(&config->policy.bases, "bases",
			       base ? base : "a base without name", err);
}

/* Of a base that is made, what it is made of. */
static int check_images(const struct eb_config *config,
			const struct eb_locked_dockerfile *d,
			struct eb_error *err)
{
	if (d->reference.n != d->n || d->unpinned.n)
		return eb_policy_check(&config->policy.bases, "bases",
				       "a base without name", err);
	for (size_t i = 0; i < d->n; i++)
		if (eb_policy_check(&config->policy.bases, "bases",
				    d->reference.v[i], err) < 0)
			return -1;
	return 0;
}

static int check_locked_base(const struct eb_config *config,
			     const struct eb_lock *lock, struct eb_error *err)
{
	const char *asked = lock->base_scratch ? "scratch" : config->base;

	if (lock->dockerfile.set)
		return check_images(config, &lock->dockerfile, err);
	return check_base(config, asked, lock->base_reference, err);
}

int eb_policy_lock(const struct eb_config *config, const struct eb_lock *lock,
		   struct eb_error *err)
{
	if (check_locked_base(config, lock, err) < 0 ||
	    (lock->has_build_base &&
	     check_base(config, config->build_base, lock->build_base_reference,
			err) < 0))
		return -1;
	if (lock->n && eb_condarc_check(config, err) < 0)
		return -1;
	/* What a lock says of the channel need not be where its files are. */
	for (size_t i = 0; i < lock->n; i++) {
		const struct eb_record *r = &lock->package[i].record;

		if (eb_condarc_check_channel(config, NULL, r->channel, err) <
			    0 ||
		    eb_policy_channel(config, r->url, err) < 0)
			return -1;
	}
	return check_pins(config, lock, err);
}
