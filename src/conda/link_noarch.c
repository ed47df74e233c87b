/* SPDX-License-Identifier: Apache-2.0 */
/* noarch: python, whose places depend on the environment's interpreter. */
#include <string.h>

#include <envbuild/json.h>

#include "link_int.h"

bool eb_link_may_be_python(const struct eb_record *r)
{
	if (r->noarch != EB_NOARCH_NONE)
		return r->noarch == EB_NOARCH_PYTHON;
	return r->subdir && strcmp(r->subdir, "noarch") == 0;
}

/* "noarch": {"type": "python", "entry_points": [...]} of link.json, whose
 * older name is package_metadata.json. */
static int read_link_json(const struct eb_package *p, json_t **out,
			  struct eb_error *err)
{
	const struct eb_package_info *info = eb_package_info(p, "link.json");
	eb_autofree char *name = NULL;

	if (!info)
		info = eb_package_info(p, "package_metadata.json");
	*out = NULL;
	if (!info)
		return 0;
	name = eb_asprintf("%s/info/%s", p->what, info->name);
	*out = eb_json_parse(info->text, info->size, name, err);
	return *out ? 0 : -1;
}

/* A record that says nothing leaves it to link.json. */
static bool is_python(const struct eb_record *r, const json_t *noarch)
{
	const char *type = eb_json_str(noarch, "type");

	if (r->noarch != EB_NOARCH_NONE)
		return r->noarch == EB_NOARCH_PYTHON;
	return eb_link_may_be_python(r) && type && strcmp(type, "python") == 0;
}

/* What a record does not say is not in the payload's key, and so cannot be
 * heeded; linked as it stands nothing would be where Python looks. */
static int check_plain(const struct eb_package *p, const struct eb_record *r,
		       const json_t *noarch, struct eb_error *err)
{
	const char *type = eb_json_str(noarch, "type");

	if (r->noarch != EB_NOARCH_NONE || !type || strcmp(type, "python") != 0)
		return 0;
	return eb_link_paths_refuse(p, "info/link.json",
				    "it says noarch: python, which the "
				    "package's record does not",
				    err);
}

static int find_places(const struct eb_package *p,
		       const struct eb_link_target *t,
		       struct eb_link_noarch *out, struct eb_error *err)
{
	if (!t->python_minor)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is made for any Python, and the "
				  "environment has none",
				  p->what);
	out->site_packages = t->site_packages
				     ? eb_strdup(t->site_packages)
				     : eb_asprintf("lib/python%s/site-packages",
						   t->python_minor);
	return eb_path_check(out->site_packages, p->what, err);
}

static int take_entry_points(const struct eb_package *p, const json_t *noarch,
			     struct eb_link_noarch *out, struct eb_error *err)
{
	const json_t *list = eb_json_arr(noarch, "entry_points");
	json_t *one;
	size_t i;

	json_array_foreach (list, i, one) {
		if (!json_is_string(one))
			return eb_link_paths_refuse(p, "info/link.json",
						    "an entry point is no text",
						    err);
		eb_strv_add(&out->entry_points, json_string_value(one));
	}
	return 0;
}

int eb_link_noarch_read(const struct eb_package *p, const struct eb_record *r,
			const struct eb_link_target *t,
			struct eb_link_noarch *out, struct eb_error *err)
{
	eb_autojson json_t *j = NULL;
	const json_t *noarch;

	*out = (struct eb_link_noarch){ 0 };
	if (read_link_json(p, &j, err) < 0)
		return -1;
	noarch = eb_json_obj(j, "noarch");
	if (!eb_link_may_be_python(r))
		return check_plain(p, r, noarch, err);
	out->python = is_python(r, noarch);
	if (!out->python)
		return 0;
	if (find_places(p, t, out, err) < 0)
		return -1;
	return take_entry_points(p, noarch, out, err);
}

void eb_link_noarch_release(struct eb_link_noarch *n)
{
	free(n->site_packages);
	eb_strv_release(&n->entry_points);
	*n = (struct eb_link_noarch){ 0 };
}

char *eb_link_noarch_map(const struct eb_link_noarch *n,
			 const struct eb_link_target *t, const char *path)
{
	const char *root = t->prefix + 1;

	if (n->python && eb_starts(path, "site-packages/"))
		return eb_asprintf("%s/%s%s", root, n->site_packages,
				   path + strlen("site-packages"));
	if (n->python && eb_starts(path, "python-scripts/"))
		return eb_asprintf("%s/bin%s", root,
				   path + strlen("python-scripts"));
	return eb_asprintf("%s/%s", root, path);
}
