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

#include "pylock_int.h"

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

/* A wheel's name says what it is, too. */
static int check_name(const struct reading *r, const struct eb_pin *pin,
		      struct eb_error *err)
{
	struct eb_wheel_name w EB_CLEANUP(eb_wheel_name_release) = { 0 };
	int order = 0;

	if (pin->source != EB_PIN_WHEEL)
		return 0;
	if (eb_wheel_name_parse(pin->file, &w, err) < 0 ||
	    eb_pep440_compare(w.version, pin->version, &order, err) < 0)
		return eb_err_prefix(err, "\"%s\", package \"%s\"", r->l.name,
				     pin->name);
	if (order == 0 && strcmp(w.name, pin->name) == 0)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", package \"%s\" %s: its file \"%s\" is "
			  "another one's",
			  r->l.name, pin->name, pin->version, pin->file);
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
	if (!pin->version && pin->source <= EB_PIN_SDIST)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", package \"%s\": it has no version, "
				  "and its place does not tell it",
				  r->l.name, pin->name);
	pin->requested = true;
	return check_name(r, pin, err);
}

static int check_once(const struct reading *r, const struct eb_pip_result *out,
		      struct eb_error *err)
{
	for (size_t i = 1; i < out->n; i++)
		if (strcmp(out->pin[i - 1].name, out->pin[i].name) == 0) {
			eb_err_set(err, EB_INPUT,
				   "\"%s\" has package \"%s\" twice for this "
				   "environment",
				   r->l.name, out->pin[i].name);
			return eb_err_at(err, r->l.name, 1, 1);
		}
	return 0;
}

static int read_packages(const struct reading *r, const struct eb_pylock *l,
			 struct eb_pip_result *out, struct eb_error *err)
{
	const json_t *package;
	size_t i;

	out->pin =
		eb_calloc(json_array_size(l->packages) + 1, sizeof *out->pin);
	json_array_foreach (l->packages, i, package) {
		if (one(r, package, out, err) < 0)
			return eb_err_at(err, l->name, l->line[i], 1);
	}
	if (out->n)
		qsort(out->pin, out->n, sizeof *out->pin, compare);
	return check_once(r, out, err);
}

static int check_target(const struct reading *r, const json_t *root,
			struct eb_error *err)
{
	if (check_python(r, "", eb_json_str(root, "requires-python"), err) <
		    0 ||
	    check_environments(r, root, err) < 0)
		return eb_err_at(err, r->l.name, 1, 1);
	return 0;
}

int eb_pylock_pins(const struct eb_pylock *l, const struct eb_python_target *t,
		   struct eb_pip_result *out, struct eb_error *err)
{
	struct reading r EB_CLEANUP(release) = {
		.dir = eb_pylock_folder(l->name),
		.groups = eb_json_arr(l->root, "default-groups"),
	};
	const char *by = eb_json_str(l->root, "created-by");

	*out = (struct eb_pip_result){ 0 };
	if (eb_tags_of(t, &r.tags, err) < 0)
		return -1;
	r.l = (struct eb_pylock_reader){
		.name = l->name, .dir = r.dir, .tags = &r.tags, .target = t
	};
	eb_marker_env_of(t, &r.env);
	if (check_target(&r, l->root, err) < 0 ||
	    read_packages(&r, l, out, err) < 0) {
		eb_pip_result_release(out);
		return -1;
	}
	out->resolver = eb_printable(by ? by : "pylock");
	return 0;
}
