/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Projects among the files of a package, whoever made it: the metadata that
 * lies in site-packages in one of three forms.
 */
#include <string.h>

#include <envbuild/pep440.h>
#include <envbuild/requirement.h>

#include "wheel_int.h"

static bool is_metadata(const char *below_site)
{
	eb_autofree char *top =
		eb_strndup(below_site, strcspn(below_site, "/"));
	const char *rest = below_site + strlen(top);

	if (eb_ends(top, ".dist-info"))
		return strcmp(rest, "/METADATA") == 0;
	if (eb_ends(top, ".egg-info"))
		return !*rest || strcmp(rest, "/PKG-INFO") == 0;
	return false;
}

void eb_wheel_find_metadata(const struct eb_entries *payload,
			    const struct eb_wheel_target *t,
			    struct eb_strv *paths)
{
	eb_autofree char *site = NULL;
	size_t n;

	if (!t->site_packages)
		return;
	site = eb_wheel_site(t);
	n = strlen(site);
	for (size_t i = 0; i < payload->n; i++) {
		const struct eb_entry *e = &payload->entry[i];

		if (e->type == EB_ENTRY_FILE && eb_starts(e->path, site) &&
		    e->path[n] == '/' && is_metadata(e->path + n + 1))
			eb_strv_add(paths, e->path);
	}
}

int eb_wheel_read_metadata(const char *text, size_t len, const char *what,
			   char **name, char **version, struct eb_error *err)
{
	eb_autofree char *said = eb_wheel_header(text, len, "Name");
	eb_autofree char *number = eb_wheel_header(text, len, "Version");
	struct eb_pep440 v;

	if (!said || !*said || !number || !*number)
		return eb_err_set(err, EB_INPUT, "\"%s\" does not say its %s",
				  what, said && *said ? "Version" : "Name");
	*name = eb_project_name(said);
	if (eb_pep440_parse(number, strlen(number), &v) < 0) {
		*version = eb_steal(number);
		return 0;
	}
	*version = eb_strdup(v.text);
	eb_pep440_release(&v);
	return 0;
}
