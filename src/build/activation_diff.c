/* SPDX-License-Identifier: Apache-2.0 */
/* Two environments, before and after: what of the difference an image can have
 * in its own. */
#include <string.h>

#include <envbuild/json.h>

#include "build_private.h"

/* The shell's own. */
static const char *const shells[] = { "_", "OLDPWD", "PWD", "SHLVL", NULL };
/* What they say holds in any case. */
static const char *const kept[] = { "CONDA_DEFAULT_ENV", "CONDA_PREFIX",
				    "CONDA_PROMPT_MODIFIER", "CONDA_SHLVL",
				    NULL };

static bool among(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static bool is_name(const char *text)
{
	const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "abcdefghijklmnopqrstuvwxyz_";

	for (const char *p = text; *p; p++)
		if (!strchr(letters, *p) && (p == text || *p < '0' || *p > '9'))
			return false;
	return *text;
}

static char *name_of(const char *pair)
{
	return eb_strndup(pair, strcspn(pair, "="));
}

static const char *value_of(const char *pair)
{
	const char *eq = strchr(pair, '=');

	return eq ? eq + 1 : "";
}

/* NULL: it is not set. */
static const char *find(const struct eb_strv *list, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < list->n; i++)
		if (!strncmp(list->v[i], name, n) && list->v[i][n] == '=')
			return list->v[i] + n + 1;
	return NULL;
}

static void warn(json_t *warnings, const char *text)
{
	eb_autofree char *shown = eb_printable(text); /* UTF-8 in any case */

	json_array_append_new(warnings, json_string(shown));
}

static void warn_of(json_t *warnings, const char *name, const char *what)
{
	eb_autofree char *text = eb_asprintf("\"%s\" %s", name, what);

	warn(warnings, text);
}

/* bash has exported functions as "BASH_FUNC_NAME%%". */
static void set(const char *pair, json_t *to, json_t *warnings)
{
	eb_autofree char *name = name_of(pair);
	const char *value = value_of(pair);

	if (among(name, kept))
		warn_of(warnings, name, "stays as it is");
	else if (!is_name(name))
		warn_of(warnings, name,
			"is no variable that an image can have");
	else if (!eb_utf8_valid(value, strlen(value)))
		warn_of(warnings, name, "has a value that is not UTF-8");
	else
		json_object_set_new(to, name, json_string(value));
}

static void compare(const struct eb_strv *before, const struct eb_strv *after,
		    json_t *to, json_t *warnings)
{
	for (size_t i = 0; i < after->n; i++) {
		eb_autofree char *name = name_of(after->v[i]);
		const char *was = find(before, name);

		if (!among(name, shells) &&
		    (!was || strcmp(was, value_of(after->v[i])) != 0))
			set(after->v[i], to, warnings);
	}
}

static void find_unset(const struct eb_strv *before,
		       const struct eb_strv *after, json_t *to,
		       json_t *warnings)
{
	for (size_t i = 0; i < before->n; i++) {
		eb_autofree char *name = name_of(before->v[i]);

		if (among(name, shells) || find(after, name))
			continue;
		if (among(name, kept))
			warn_of(warnings, name, "stays as it is");
		else
			json_array_append_new(to, json_string(name));
	}
}

json_t *eb_activation_result(const struct eb_strv *before,
			     const struct eb_strv *after,
			     const struct eb_strv *warnings)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv was = { 0 }, is = { 0 };
	json_t *set_to = json_object(), *unset = json_array();
	json_t *told = json_array();

	eb_strv_copy(&was, before);
	eb_strv_copy(&is, after);
	eb_strv_sort(&was);
	eb_strv_sort(&is);
	compare(&was, &is, set_to, told);
	find_unset(&was, &is, unset, told);
	for (size_t i = 0; i < warnings->n; i++)
		warn(told, warnings->v[i]);
	return json_pack("{s:o, s:o, s:o}", "set", set_to, "unset", unset,
			 "warnings", told);
}
