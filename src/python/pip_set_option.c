/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a requirements file, taken into the set. */
#include <string.h>

#include <envbuild/mem.h>

#include "pip_line.h"

/* ---- pairs of lists that exclude each other
 * ---------------------------------------------------- */

static void drop(struct eb_strv *list, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i], name) == 0)
			free(list->v[i]);
		else
			list->v[kept++] = list->v[i];
	list->n = kept;
	if (list->v)
		list->v[kept] = NULL;
}

/* ":all:" empties both and stands alone, ":none:" empties this one. */
static void add_name(struct eb_strv *to, struct eb_strv *other,
		     const char *text)
{
	eb_autofree char *name =
		*text == ':' ? eb_strdup(text) : eb_project_name(text);

	if (strcmp(name, ":none:") == 0) {
		eb_strv_release(to);
		return;
	}
	if (strcmp(name, ":all:") == 0) {
		eb_strv_release(to);
		eb_strv_release(other);
	}
	drop(other, name);
	if (*name && !eb_strv_has(to, name))
		eb_strv_add(to, name);
}

/* With ":all:" in a list, names behind it say nothing unless ":none:" is
 * there, too. */
static void add_names(struct eb_strv *to, struct eb_strv *other,
		      const char *value)
{
	struct eb_strv part EB_CLEANUP(eb_strv_release) = { 0 };
	bool none = false;

	eb_strv_split(&part, value, ",");
	for (size_t i = 0; i < part.n; i++)
		none |= strcmp(eb_strip(part.v[i]), ":none:") == 0;
	for (size_t i = 0; i < part.n; i++) {
		add_name(to, other, part.v[i]);
		if (!none && strcmp(part.v[i], ":all:") == 0)
			return;
	}
}

/* ---- the options
 * -------------------------------------------------------------------------------
 */

/* pip looks below the file's folder first, and so do we only. */
static int add_links(struct eb_pip_set *s, const char *value, const char *dir,
		     struct eb_error *err)
{
	eb_autofree char *path = NULL;

	if (eb_pip_is_url(value) && strncasecmp(value, "file:", 5) != 0) {
		eb_strv_add(&s->find_links, value);
		return 0;
	}
	if (eb_pip_is_remote(dir)) {
		eb_err_set(err, EB_INPUT,
			   "--find-links: a folder of this machine, in a file "
			   "from the network");
		return eb_err_hint(err, "write it in the definition itself");
	}
	if (eb_pip_is_url(value)) {
		eb_strv_take(&s->find_links, eb_pip_absolute_url(dir, value));
		return 0;
	}
	path = eb_pip_absolute(dir, value);
	eb_strv_add(&s->find_links, path);
	return 0;
}

static bool set_flag(struct eb_pip_set *s, const char *name)
{
	const struct {
		const char *name;
		bool *flag, value;
	} flags[] = {
		{ "--no-index", &s->no_index, true },
		{ "--pre", &s->pre, true },
		{ "--prefer-binary", &s->prefer_binary, true },
		{ "--require-hashes", &s->require_hashes, true },
		{ "--no-require-hashes", &s->require_hashes, false },
	};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(flags[i].name, name) == 0) {
			*flags[i].flag = flags[i].value;
			return true;
		}
	return false;
}

static bool set_names(struct eb_pip_set *s, const char *name, const char *value)
{
	const struct {
		const char *name;
		struct eb_strv *to, *other;
	} lists[] = {
		{ "--no-binary", &s->no_binary, &s->only_binary },
		{ "--only-binary", &s->only_binary, &s->no_binary },
		{ "--all-releases", &s->all_releases, &s->only_final },
		{ "--only-final", &s->only_final, &s->all_releases },
	};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(lists[i].name, name) == 0) {
			add_names(lists[i].to, lists[i].other, value);
			return true;
		}
	return false;
}

static int set_option(struct eb_pip_set *s, const char *name, const char *value,
		      const char *dir, struct eb_error *err)
{
	if (set_flag(s, name) || set_names(s, name, value))
		return 0;
	if (strcmp(name, "--index-url") == 0) {
		eb_wipe(s->index_url);
		s->index_url = eb_strdup(value);
	} else if (strcmp(name, "--extra-index-url") == 0) {
		eb_strv_add(&s->extra_index, value);
	} else if (strcmp(name, "--trusted-host") == 0) {
		eb_strv_add(&s->trusted_host, value);
	} else if (strcmp(name, "--find-links") == 0) {
		return add_links(s, value, dir, err);
	}
	return 0;
}

int eb_pip_set_options(struct eb_pip_set *s, const struct eb_pip_options *o,
		       const char *dir, struct eb_error *err)
{
	for (size_t i = 0; i < o->name.n; i++)
		if (set_option(s, o->name.v[i], o->value.v[i], dir, err) < 0)
			return -1;
	return 0;
}
