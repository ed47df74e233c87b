/* SPDX-License-Identifier: Apache-2.0 */
/* Where the members of a wheel go below the prefix (facts 4.3). */
#include <string.h>

#include "wheel_int.h"

int64_t eb_wheel_mtime(const struct eb_wheel_target *t)
{
	if (t->source_date_epoch && t->source_date_epoch < EB_FIXED_MTIME)
		return t->source_date_epoch;
	return EB_FIXED_MTIME;
}

char *eb_wheel_site(const struct eb_wheel_target *t)
{
	return eb_asprintf("%s/%s", t->prefix + 1, t->site_packages);
}

/* The letter of an ABI that this Python has in its paths, or "". */
static const char *abi_letter(const struct eb_wheel_target *t)
{
	eb_autofree char *free_threaded =
		eb_asprintf("python%st/", t->python_minor);

	if (strcmp(t->python_minor, "3.6") == 0 ||
	    strcmp(t->python_minor, "3.7") == 0)
		return "m";
	return strstr(t->site_packages, free_threaded) ? "t" : "";
}

char *eb_wheel_include(const struct eb_wheel_target *t)
{
	return eb_asprintf("python%s%s", t->python_minor, abi_letter(t));
}

/* The folder of a kind of data, without the prefix; NULL for an unknown one. */
static char *folder_of(const struct eb_wheel *w, const char *kind,
		       const struct eb_wheel_target *t)
{
	eb_autofree char *include = NULL;

	if (strcmp(kind, "purelib") == 0 || strcmp(kind, "platlib") == 0)
		return eb_asprintf("%s/", t->site_packages);
	if (strcmp(kind, "scripts") == 0)
		return eb_strdup("bin/");
	if (strcmp(kind, "data") == 0)
		return eb_strdup("");
	if (strcmp(kind, "headers") != 0)
		return NULL;
	include = eb_wheel_include(t);
	return eb_asprintf("include/%s/%s/", include, w->name.name);
}

/* What data must not be: another's metadata, or the environment's own. */
static int check_data_path(const struct eb_wheel *w, const char *member,
			   const char *path, const struct eb_wheel_target *t,
			   struct eb_error *err)
{
	eb_autofree char *site = eb_wheel_site(t), *top = NULL;
	const char *below = path + strlen(t->prefix + 1) + 1;

	if (eb_starts(below, "conda-meta/") || !strcmp(below, "conda-meta"))
		return eb_wheel_bad(w, err,
				    "has a member \"%s\", which would come "
				    "into conda-meta",
				    member);
	if (!eb_starts(path, site) || path[strlen(site)] != '/')
		return 0;
	below = path + strlen(site) + 1;
	top = eb_strndup(below, strcspn(below, "/"));
	if (!eb_ends(top, ".dist-info") && !eb_ends(top, ".egg-info"))
		return 0;
	return eb_wheel_bad(w, err,
			    "has a member \"%s\", which would come into the "
			    "metadata \"%s\"",
			    member, top);
}

static int map_data(const struct eb_wheel *w, const char *member,
		    const struct eb_wheel_target *t, struct eb_wheel_place *out,
		    struct eb_error *err)
{
	const char *kind = member + strlen(w->data) + 1;
	const char *slash = strchr(kind, '/');
	eb_autofree char *key = NULL, *folder = NULL;

	if (!slash)
		return eb_wheel_bad(w, err,
				    "has a member \"%s\" that is in no folder "
				    "of its data",
				    member);
	key = eb_strndup(kind, (size_t)(slash - kind));
	folder = folder_of(w, key, t);
	if (!folder)
		return eb_wheel_bad(w, err,
				    "has a member \"%s\"; there is no \"%s\" "
				    "among purelib, platlib, scripts, data and "
				    "headers",
				    member, key);
	out->script = strcmp(key, "scripts") == 0;
	out->path = eb_asprintf("%s/%s%s", t->prefix + 1, folder, slash + 1);
	if (eb_path_check(out->path, w->what, err) < 0)
		return -1;
	return check_data_path(w, member, out->path, t, err);
}

static bool is_in(const char *member, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(member, folder, n) == 0 && member[n] == '/';
}

int eb_wheel_map(const struct eb_wheel *w, const char *member,
		 const struct eb_wheel_target *t, struct eb_wheel_place *out,
		 struct eb_error *err)
{
	int rc = 0;

	*out = (struct eb_wheel_place){ 0 };
	if (is_in(member, w->dist_info) &&
	    eb_wheel_is_generated(member + strlen(w->dist_info) + 1))
		return 0;
	if (is_in(member, w->data)) {
		rc = map_data(w, member, t, out, err);
	} else {
		out->path = eb_asprintf("%s/%s/%s", t->prefix + 1,
					t->site_packages, member);
		rc = eb_path_check(out->path, w->what, err);
	}
	if (rc < 0)
		free(eb_steal(out->path));
	return rc;
}
