/* SPDX-License-Identifier: Apache-2.0 */
/* uv's answer as pins: without what conda has already, with what the lines
 * ask for marked. */
#include "pip_resolve_int.h"

#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/pep440.h>
#include <envbuild/toml.h>

#include "pip_line.h"
#include "pylock_int.h"

const struct eb_pip_line *eb_resolve_line_of(const struct eb_resolving *z,
					     const char *name)
{
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];
		const char *is = eb_resolve_line_name(z, l);

		if (is && strcmp(is, name) == 0 && eb_resolve_line_holds(z, l))
			return l;
	}
	return NULL;
}

bool eb_resolve_line_holds(const struct eb_resolving *z,
			   const struct eb_pip_line *l)
{
	struct eb_marker_env env EB_CLEANUP(eb_marker_env_release) = { 0 };
	struct eb_error none = EB_ERROR_INIT;
	bool unknown = false;
	int rc;

	if (!l->marker)
		return true;
	eb_marker_env_of(&z->r->target, &env);
	rc = eb_marker_holds(l->marker, &env, NULL, &unknown, &none);
	eb_err_release(&none);
	return rc != 0;
}

/* --- paths
 * ---------------------------------------------------------------------- */

/* A path of a call elsewhere ends in one that was staged for it. */
char *eb_resolve_place(void *data, const char *path)
{
	const struct eb_resolving *z = data;

	for (size_t i = 0; i < z->made.staged.n; i++) {
		const char *staged = z->made.staged.v[i];
		const char *at = strstr(path, staged);
		const char *rest = at ? at + strlen(staged) : "";

		if (at && (at == path || at[-1] == '/') &&
		    (!*rest || *rest == '/'))
			return eb_asprintf("%s%s", z->made.local.v[i], rest);
	}
	return NULL;
}

/* --- one pin
 * --------------------------------------------------------------------- */

const struct eb_installed *eb_resolve_installed(const struct eb_pip_request *r,
						const char *name)
{
	size_t low = 0, high = r->n_installed;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = strcmp(name, r->installed[mid].name);

		if (order == 0)
			return &r->installed[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static bool is_condas(const struct eb_installed *c, const char *version,
		      bool direct)
{
	struct eb_error none = EB_ERROR_INIT;
	int order = 1;

	if (!c || direct || !version ||
	    eb_pep440_compare(c->version, version, &order, &none) < 0)
		eb_err_release(&none);
	return order == 0;
}

bool eb_resolve_beside_conda(const struct eb_pip_request *r, const char *name,
			     const char *version, bool direct,
			     struct eb_strv *replaced)
{
	const struct eb_installed *conda = eb_resolve_installed(r, name);

	if (is_condas(conda, version, direct))
		return false;
	if (conda && !eb_strv_has(replaced, conda->package))
		eb_strv_add(replaced, conda->package);
	return true;
}

/* Of a folder: its own words, else what uv found out about it. */
char *eb_resolve_folder_version(const struct eb_resolving *z,
				const struct eb_pin *pin)
{
	struct eb_error none = EB_ERROR_INIT;
	eb_autofree char *dir = eb_pip_file_path(pin->url);
	eb_autofree char *file =
		eb_asprintf("%s/%s%spyproject.toml", dir ? dir : "",
			    pin->subdirectory ? pin->subdirectory : "",
			    pin->subdirectory ? "/" : "");
	eb_autojson json_t *root = NULL;
	EB_AUTOBUF(text, EB_MAX_METADATA);
	struct eb_pep440 v = { 0 };
	const char *said = NULL;
	char *version = NULL;

	if (eb_path_exists(file) &&
	    eb_read_file(file, text.max, &text, &none) == 0)
		root = eb_toml_parse(text.data, text.len, file, &none);
	eb_err_release(&none);
	said = eb_json_str(eb_json_obj(root, "project"), "version");
	for (size_t i = 0; !said && i < z->log.n; i++)
		if (z->log.edge[i].who &&
		    strcmp(z->log.edge[i].who, pin->name) == 0)
			said = z->log.edge[i].who_version;
	if (said && eb_pep440_parse(said, strlen(said), &v) == 0)
		version = eb_strdup(v.text);
	eb_pep440_release(&v);
	return version ? version : eb_strdup("0");
}

const struct eb_pip_line *eb_resolve_line_of_pin(const struct eb_resolving *z,
						 const struct eb_pin *pin)
{
	const struct eb_pip_line *l =
		pin->name ? eb_resolve_line_of(z, pin->name) : NULL;
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; !l && pin->direct && i < set->n; i++) {
		const char *path = set->requirement[i].path;
		eb_autofree char *real = path ? realpath(path, NULL) : NULL;
		eb_autofree char *is = eb_pip_file_path(pin->url);

		if (!set->requirement[i].name && real && is &&
		    strcmp(real, is) == 0)
			l = &set->requirement[i];
	}
	return l;
}

static void take_line(const struct eb_resolving *z, struct eb_pin *pin)
{
	const struct eb_pip_line *l = eb_resolve_line_of_pin(z, pin);

	pin->requested = l != NULL;
	pin->editable = l && l->editable;
	if (l && pin->build)
		eb_strv_copy(&pin->build->setting, &l->setting);
}

static void complete(const struct eb_resolving *z, struct eb_pin *pin)
{
	const char *why;

	eb_resolve_put_back(z, pin);
	if (!pin->version)
		pin->version = eb_resolve_folder_version(z, pin);
	if (pin->source >= EB_PIN_VCS) {
		free(pin->file);
		pin->file = eb_asprintf("%s-%s", pin->name, pin->version);
	}
	why = eb_uv_log_yanked(&z->log, pin->name, pin->version);
	if (why && !pin->yanked)
		pin->yanked = eb_strdup(why);
	take_line(z, pin);
}

static int one(struct eb_resolving *z, const struct eb_pylock_reader *l,
	       const json_t *package, struct eb_pip_result *out,
	       struct eb_error *err)
{
	const char *said = eb_json_str(package, "name");
	eb_autofree char *name = eb_project_name(said ? said : "");
	struct eb_pin *pin = &out->pin[out->n];
	const struct eb_pip_line *line = eb_resolve_line_of(z, name);
	bool direct = !eb_json_arr(package, "wheels") &&
		      !eb_json_obj(package, "sdist");

	if (!eb_resolve_beside_conda(z->r, name,
				     eb_json_str(package, "version"), direct,
				     &out->replaced))
		return 0;
	out->n++;
	if (eb_pylock_pin(l, package, pin, err) < 0)
		return line ? eb_err_at(err, line->file, line->line,
					line->column)
			    : -1;
	complete(z, pin);
	return eb_resolve_check_hashes(z, pin, err);
}

/* --- the whole
 * --------------------------------------------------------------------- */

static json_t *read_file(const struct eb_resolving *z, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(z->made.dir, "pylock.toml");
	EB_AUTOBUF(text, EB_UV_ANSWER);
	struct stat st;
	json_t *root;

	/* written elsewhere, it could be anything */
	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
		eb_err_set(err, EB_STEP,
			   "\"uv\" gave no answer: \"%s\" is no "
			   "file",
			   path);
		return NULL;
	}
	if (eb_read_file(path, text.max, &text, err) < 0)
		return NULL;
	root = eb_toml_parse(text.data, text.len, "pylock.toml", err);
	if (root && json_array_size(eb_json_arr(root, "packages")) >
			    EB_PYLOCK_PACKAGES) {
		eb_err_set(err, EB_NO,
			   "the pip section asks for more than %d "
			   "projects",
			   EB_PYLOCK_PACKAGES);
		json_decref(eb_steal(root));
	}
	return root;
}

static json_t *read_answer(const struct eb_resolving *z, struct eb_error *err)
{
	return z->answer ? json_incref(z->answer) : read_file(z, err);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct eb_pin *)a)->name,
		      ((const struct eb_pin *)b)->name);
}

int eb_resolve_answer(struct eb_resolving *z, struct eb_pip_result *out,
		      struct eb_error *err)
{
	eb_autojson json_t *root = read_answer(z, err);
	const json_t *packages = eb_json_arr(root, "packages"), *package;
	struct eb_pylock_reader l = { .name = "pylock.toml",
				      .dir = z->made.dir,
				      .tags = &z->tags,
				      .target = &z->r->target,
				      .hashes = eb_resolve_hashes_of,
				      .place = eb_resolve_place,
				      .data = z };
	size_t i;

	if (!root)
		return -1;
	out->pin = eb_calloc(json_array_size(packages) + 1, sizeof *out->pin);
	json_array_foreach (packages, i, package) {
		if (one(z, &l, package, out, err) < 0)
			return -1;
	}
	if (out->n)
		qsort(out->pin, out->n, sizeof *out->pin, compare);
	eb_strv_sort(&out->replaced);
	if (eb_resolve_facts(z, out->pin, out->n, err) < 0)
		return -1;
	return eb_resolve_bytes(z, out->pin, out->n, err);
}
