/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of a conda environment: channels, packages, what asks for what. */
#include <string.h>

#include <envbuild/matchspec.h>

#include "lint_private.h"

static bool is_map(const struct eb_yaml_node *n)
{
	return n && n->type == EB_YAML_MAP;
}

static const struct eb_yaml_node *list_of(const struct eb_yaml_node *map,
					  const char *key)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);

	return n && n->type == EB_YAML_LIST ? n : NULL;
}

/* ---- channels ----------------------------------------------------------- */

static const struct eb_yaml_node *
find_channel(const struct eb_yaml_node *channels, const char *name)
{
	for (size_t i = 0; channels && i < channels->n; i++) {
		const struct eb_yaml_node *n = channels->item[i];
		const char *last;

		if (n->type != EB_YAML_SCALAR)
			continue;
		last = strrchr(n->text, '/');
		if (!strcmp(last ? last + 1 : n->text, name))
			return n;
	}
	return NULL;
}

static void lint_channels(const struct eb_lint_doc *d,
			  const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *channels = list_of(map, "channels");
	const struct eb_yaml_node *own = find_channel(channels, "defaults");
	const struct eb_yaml_node *forge =
		find_channel(channels, "conda-forge");

	if (!channels || !channels->n)
		eb_lint_at(d, map, "no-channels", "write channels: [NAME]",
			   "without channels the configured ones are asked, "
			   "and these differ between machines");
	if (!own)
		own = find_channel(channels, "anaconda");
	if (own && forge)
		eb_lint_at(d, own->line > forge->line ? own : forge,
			   "mixed-channels", "keep one of the two",
			   "packages of \"%s\" and \"conda-forge\" were not "
			   "built to fit together",
			   own->text);
}

/* ---- packages ----------------------------------------------------------- */

/* Slips that have one meaning: ">=3.8" of "=>3.8". */
static void offer(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		  struct eb_lint_found *f, const char *old, const char *with)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *text = eb_lint_changed(n->text, old, with);
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m =
		text ? eb_matchspec_parse(text, EB_STRICT, &ignored) : NULL;

	if (m)
		eb_lint_edit(d, n, f, old, with);
}

static void bad_spec(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		     const struct eb_error *err)
{
	struct eb_lint_found *f = eb_lint_at(d, n, "bad-conda-spec", err->hint,
					     "%s", err->message);

	offer(d, n, f, "=>", ">=");
	if (!f->edit.line)
		offer(d, n, f, "~==", "~=");
}

static bool is_pinned(const struct eb_matchspec *m)
{
	return eb_matchspec_version(m) || eb_matchspec_build(m) ||
	       eb_matchspec_url(m);
}

struct asked {
	struct eb_strv name;  /* of every line that has one */
	struct eb_strv loose; /* those without a version */
	const struct eb_yaml_node *first_loose;
	bool cuda;
};

static void release(struct asked *a)
{
	eb_strv_release(&a->name);
	eb_strv_release(&a->loose);
}

static void lint_spec(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		      struct asked *a)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(n->text, EB_STRICT, &err);
	const char *name = m ? eb_matchspec_name(m) : NULL;

	if (!m) {
		bad_spec(d, n, &err);
		return;
	}
	if (!name)
		return;
	if (eb_strv_has(&a->name, name) && strcmp(name, "python"))
		eb_lint_at(d, n, "duplicate-package", "keep one line",
			   "\"%s\" is asked for twice: both lines have to hold",
			   name);
	eb_strv_add(&a->name, name);
	a->cuda |= !strcmp(name, "pytorch-cuda");
	if (is_pinned(m) || !strcmp(name, "python"))
		return;
	if (!strcmp(name, "pip")) {
		eb_lint_at(d, n, "pip-not-pinned", "write pip=VERSION",
			   "pip is the newest of the day when it is solved");
		return;
	}
	if (!a->first_loose)
		a->first_loose = n;
	eb_strv_add(&a->loose, name);
}

static void tell_loose(const struct eb_lint_doc *d, const struct asked *a)
{
	size_t n = a->loose.n;

	if (!n)
		return;
	eb_lint_at(d, a->first_loose, "unpinned",
		   "write NAME=VERSION, or keep the lock: envbuild lock",
		   "\"%s\"%s: the version is the newest of the day when it is "
		   "solved",
		   a->loose.v[0],
		   n > 1 ? " and others name no version" : " names no version");
}

/* ---- pip beside conda --------------------------------------------------- */

static const struct eb_yaml_node *pip_section(const struct eb_yaml_node *item)
{
	return is_map(item) ? list_of(item, "pip") : NULL;
}

static void lint_pip_itself(const struct eb_lint_doc *d,
			    const struct eb_yaml_node *item,
			    const struct asked *a)
{
	struct eb_lint_found *f;

	if (eb_strv_has(&a->name, "pip"))
		return;
	f = eb_lint_at(d, item, "pip-not-listed", "add \"- pip\"",
		       "conda and Azure ML want pip among the packages that "
		       "it is to install for; envbuild does without");
	eb_lint_insert(d, item, f, "- pip");
}

static void lint_items(const struct eb_lint_doc *d,
		       const struct eb_yaml_node *list)
{
	struct asked a EB_CLEANUP(release) = { 0 };

	for (size_t i = 0; i < list->n; i++)
		if (list->item[i]->type == EB_YAML_SCALAR &&
		    !eb_yaml_is_null(list->item[i]))
			lint_spec(d, list->item[i], &a);
	tell_loose(d, &a);
	for (size_t i = 0; i < list->n; i++) {
		const struct eb_yaml_node *pip = pip_section(list->item[i]);

		if (!pip)
			continue;
		lint_pip_itself(d, list->item[i], &a);
		eb_lint_pip(d, pip, &a.name);
	}
}

static void lint_cuda_channel(const struct eb_lint_doc *d,
			      const struct eb_yaml_node *map,
			      const struct eb_yaml_node *list)
{
	const struct eb_yaml_node *channels = list_of(map, "channels");

	for (size_t i = 0; i < list->n; i++) {
		const struct eb_yaml_node *n = list->item[i];

		if (n->type != EB_YAML_SCALAR ||
		    !eb_starts(n->text, "pytorch-cuda") || !channels ||
		    find_channel(channels, "nvidia"))
			continue;
		eb_lint_at(d, n, "channel-for-pytorch-cuda",
			   "add the channel nvidia",
			   "\"%s\" needs cuda-* packages, which the channel "
			   "\"nvidia\" has: nothing will be found",
			   n->text);
	}
}

void eb_lint_conda(const struct eb_lint_doc *d, const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *list = list_of(map, "dependencies");

	eb_lint_name(d, eb_yaml_get(map, "name"), EB_LEVEL_WARNING);
	if (!eb_yaml_get(map, "dependencies")) {
		eb_lint_at(d, map, "no-dependencies",
			   "list the packages: dependencies: [python]",
			   "there is no key \"dependencies\"");
		return;
	}
	lint_channels(d, map);
	eb_lint_python(d, list, map);
	if (!list)
		return;
	lint_items(d, list);
	lint_cuda_channel(d, map, list);
}
