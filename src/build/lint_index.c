/* SPDX-License-Identifier: Apache-2.0 */
/* Lint against indexes: channels first, for they tell the Pythons; then the
 * pip section. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lint_base.h"
#include "lint_index.h"

#define WAIT_S 10 /* for an index that says nothing, unless --timeout does */

static unsigned wait_s(const struct eb_config *c)
{
	if (!c->timeout_ms)
		return WAIT_S;
	return (c->timeout_ms + 999) / 1000;
}

static void release(struct eb_looking *k)
{
	eb_channels_release(&k->channels);
	free(k->there);
	free(k->channel_at);
	eb_repodata_free(k->rd);
	eb_strv_release(&k->python);
	eb_http_free(k->http);
}

/* A copy may be older than what a build would ask for. */
static bool is_certain(const struct eb_looking *k)
{
	if (k->network || k->config->offline)
		return true;
	for (size_t i = 0; i < k->channels.n; i++)
		if (!eb_starts(k->channels.channel[i].canonical, "file://"))
			return false;
	return true;
}

struct eb_lint_found *eb_look_add(struct eb_looking *k, size_t spec,
				  const char *rule, const char *fix,
				  const char *fmt, ...)
{
	const struct eb_spec_line *at = &k->spec->conda_at[spec];
	eb_autofree char *what = NULL;
	struct eb_lint_found *f;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		eb_oom();
	va_end(ap);
	f = eb_lint_add(k->out, rule, eb_spec_place(k->spec, at), at->line,
			at->column, fix, "%s%s", what,
			is_certain(k) ? "" : ", as far as is known here");
	if (!is_certain(k))
		eb_lint_lower(f, EB_LEVEL_WARNING);
	return f;
}

int eb_lint_index(const struct eb_config *config, bool network,
		  struct eb_store *store, struct eb_linted *l,
		  struct eb_error *err)
{
	struct eb_looking k EB_CLEANUP(release) = {
		.config = config,
		.network = network && !config->offline,
		.store = store,
		.http_options = { .ca_file = config->ca_file,
				  .offline = !network || config->offline,
				  .stall_s = wait_s(config),
				  .tries = 1 },
		.out = &l->findings,
		.spec = eb_linted_spec(l),
	};

	if (!k.spec)
		return 0;
	if (eb_effective_channels(k.spec, config, &k.channels, err) < 0)
		return -1;
	k.http = eb_http_new(&k.http_options, NULL);
	eb_look_channels(&k);
	eb_look_python(&k);
	eb_look_conda(&k);
	if (eb_look_pip(&k, l, err) < 0)
		return -1;
	eb_lint_sort(&l->findings);
	return 0;
}
