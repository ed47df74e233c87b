/* SPDX-License-Identifier: Apache-2.0 */
/* Which indexes there are: pip's settings and the section's own. */
#include "index_int.h"

#include <envbuild/mem.h>

#include "pip_line.h"

/* Without an index no URL of one is left, as with pip. */
static void settle(struct eb_indexes *out, struct eb_events *events)
{
	if (out->no_index) {
		eb_wipe(eb_steal(out->url));
		eb_wipe_all(&out->extra);
	}
	for (size_t i = 0; i < out->trusted_host.n; i++)
		eb_warn(events,
			"\"%s\": its TLS certificate is not checked, as "
			"trusted-host in pip's settings asks for",
			out->trusted_host.v[i]);
	for (size_t i = 0; i < out->source.n; i++)
		eb_detail(events, "pip's settings of \"%s\" are followed",
			  out->source.v[i]);
}

int eb_indexes_read_in(const char *etc, const struct eb_pip_set *set,
		       struct eb_indexes *out, struct eb_events *events,
		       struct eb_error *err)
{
	struct eb_index_settings s EB_CLEANUP(
		eb_index_settings_release) = { 0 };

	*out = (struct eb_indexes){ 0 };
	if (eb_index_settings_read(etc, &s, events, err) < 0)
		return -1;
	if (eb_index_settings_apply(&s, out, events, err) < 0) {
		eb_indexes_release(out);
		return -1;
	}
	if (set)
		eb_index_set_apply(set, out);
	settle(out, events);
	out->asked = eb_index_keyring_new();
	return 0;
}

int eb_indexes_read(const struct eb_pip_set *set, struct eb_indexes *out,
		    struct eb_events *events, struct eb_error *err)
{
	return eb_indexes_read_in("/etc", set, out, events, err);
}

void eb_indexes_release(struct eb_indexes *x)
{
	eb_wipe(x->url);
	eb_wipe_all(&x->extra);
	eb_wipe_all(&x->find_links);
	eb_wipe_all(&x->direct);
	eb_wipe(x->proxy);
	eb_strv_release(&x->trusted_host);
	free(x->ca_file);
	free(x->client_cert);
	free(x->keyring);
	eb_strv_release(&x->no_binary);
	eb_strv_release(&x->only_binary);
	eb_strv_release(&x->source);
	eb_index_keyring_free(x->asked);
	*x = (struct eb_indexes){ 0 };
}
