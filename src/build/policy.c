/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of the system's configuration: which prefixes are allowed. */
#include <string.h>

#include "build_private.h"

/* "ghcr.io/team" allows "ghcr.io/team/x", not "ghcr.io/teammate". */
static bool below(const char *what, const char *prefix)
{
	size_t n = strlen(prefix);

	if (!n || strncmp(what, prefix, n))
		return false;
	return strchr("/:@", what[n]) || prefix[n - 1] == '/' ||
	       prefix[n - 1] == ':';
}

static bool allowed(const struct eb_policy_list *list, const char *what)
{
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
	eb_err_set(err, EB_REFUSED, "\"%s\" is not allowed by the policy", what);
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

int eb_policy_lock(const struct eb_config *config, const struct eb_lock *lock,
		   struct eb_error *err)
{
	if (lock->base_reference &&
	    eb_policy_check(&config->policy.bases, "bases",
			    lock->base_reference, err) < 0)
		return -1;
	for (size_t i = 0; i < lock->n; i++)
		if (eb_policy_channel(config, lock->package[i].record.channel,
				      err) < 0)
			return -1;
	return 0;
}
