/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pylock.toml that somebody else made, as pins for one target (PEP 751,
 * "Installation"): what its markers choose, without extras, with its default
 * groups.
 */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/pep440.h>
#include <envbuild/toml.h>

#include "pylock.h"

struct reading {
	struct eb_pylock_reader l;
	struct eb_marker_env env;
	struct eb_strv tags;
	char *dir;
	const json_t *groups;
};

static void release(struct reading *r)
{
	eb_marker_env_release(&r->env);
	eb_strv_release(&r->tags);
	free(r->dir);
}

/* 1, 0, -1 */
static int holds(const struct reading *r, const char *marker,
		 struct eb_error *err)
{
	eb_autofree char *plain = eb_pylock_marker(marker, r->groups);
	bool unknown = false;
	int rc = eb_marker_holds(plain, &r->env, NULL, &unknown, err);

	if (rc < 0)
		eb_err_prefix(err, "\"%s\", marker %s", r->l.name, marker);
	return rc;
}

static int check_format(const struct reading *r, const json_t *root,
			struct eb_error *err)
{
	const char *version = eb_json_str(root, "lock-version");

	if (!version || !eb_json_arr(root, "packages"))
		return eb_err_set(
			err, EB_INPUT, "\"%s\" is no pylock.toml: it has no %s",
			r->l.name, version ? "packages" : "lock-version");
	if (strncmp(version, "1.", 2) == 0 || strcmp(version, "1") == 0)
		return 0;
	return eb_err_set(err, EB_MACHINE,
			  "\"%s\" has lock-version %s; versions 1.x can be "
			  "read",
			  r->l.name, version);
}

static int check_python(const struct reading *r, const char *what,
			const char *range, struct eb_error *err)
{
	int rc = range ? eb_specifiers_contain(range, r->l.target->version,
					       EB_PRE_ALLOW, err)
		       : 1;

	if (rc < 0)
		return eb_err_prefix(err, "\"%s\", requires-python", r->l.name);
	if (rc == 1)
		return 0;
	return eb_err_set(err, EB_NO,
			  "\"%s\"%s%s is for Python %s; this one is %s",
			  r->l.name, *what ? ", package " : "", what, range,
			  r->l.target->version);
}

static int check_environments(const struct reading *r, const json_t *root,
			      struct eb_error *err)
{
	const json_t *list = eb_json_arr(root, "environments"), *e;
	size_t i;

	if (json_array_size(list) == 0)
		return 0;
	json_array_foreach (list, i, e) {
		const char *marker = json_string_value(e);
		int rc = marker ? holds(r, marker, err) : 0;

		if (rc)
			return rc < 0 ? -1 : 0;
	}
	return eb_err_set(err, EB_NO,
			  "\"%s\" was made for other environments than Python "
			  "%s on Linux %s",
			  r->l.name, r->l.target->version, r->l.target->arch);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct eb_pin *)a)->name,
		      ((const struct eb_pin *)b)->name);
}

static int one(const struct reading *r, const json_t *package,
	       struct eb_pip_result *out, struct eb_error *err)
{
	const char *marker = eb_json_str(package, "marker");
	const char *name = eb_json_str(package, "name");
	struct eb_pin *pin = &out->pin[out->n];
	int rc = marker ? holds(r, marker, err) : 1;

	if (rc < 1)
		return rc;
	out->n++;
	if (eb_pylock_pin(&r->l, package, pin, err) < 0 ||
	    check_python(r, name ? name : "", pin->requires_python, err) < 0)
		return -1;
	if (!pin->version)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", package \"%s\": it has no version, "
				  "and its place does not tell it",
				  r->l.name, pin->name);
	pin->requested = true;
	return 0;
}

static int check_once(const struct reading *r, const struct eb_pip_result *out,
		      struct eb_error *err)
{
	for (size_t i = 1; i < out->n; i++)
		if (strcmp(out->pin[i - 1].name, out->pin[i].name) == 0)
			return eb_err_set(err, EB_INPUT,
					  "\"%s\" has package \"%s\" twice for "
					  "this environment",
					  r->l.name, out->pin[i].name);
	return 0;
}

static int read_packages(const struct reading *r, const json_t *root,
			 struct eb_pip_result *out, struct eb_error *err)
{
	const json_t *list = eb_json_arr(root, "packages"), *package;
	size_t i;

	if (json_array_size(list) > EB_PYLOCK_PACKAGES)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has more than %d packages", r->l.name,
				  EB_PYLOCK_PACKAGES);
	out->pin = eb_calloc(json_array_size(list) + 1, sizeof *out->pin);
	json_array_foreach (list, i, package) {
		if (one(r, package, out, err) < 0)
			return -1;
	}
	if (out->n)
		qsort(out->pin, out->n, sizeof *out->pin, compare);
	return check_once(r, out, err);
}

static char *folder_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? eb_strndup(name,
				  (size_t)(slash - name) + (slash == name))
		     : eb_strdup(".");
}

int eb_pylock_read(const char *text, size_t len, const char *name,
		   const struct eb_python_target *t, struct eb_pip_result *out,
		   struct eb_error *err)
{
	struct reading r EB_CLEANUP(release) = { .dir = folder_of(name) };
	eb_autojson json_t *root = eb_toml_parse(text, len, name, err);
	const char *by;
	int rc;

	*out = (struct eb_pip_result){ 0 };
	if (!root || eb_tags_of(t, &r.tags, err) < 0)
		return -1;
	r.l = (struct eb_pylock_reader){
		.name = name, .dir = r.dir, .tags = &r.tags, .target = t
	};
	r.groups = eb_json_arr(root, "default-groups");
	eb_marker_env_of(t, &r.env);
	rc = check_format(&r, root, err);
	if (rc == 0)
		rc = check_python(&r, "", eb_json_str(root, "requires-python"),
				  err);
	if (rc == 0)
		rc = check_environments(&r, root, err);
	if (rc == 0)
		rc = read_packages(&r, root, out, err);
	by = eb_json_str(root, "created-by");
	out->resolver = eb_strdup(by ? by : "pylock");
	if (rc < 0)
		eb_pip_result_release(out);
	return rc;
}
