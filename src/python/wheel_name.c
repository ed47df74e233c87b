/* SPDX-License-Identifier: Apache-2.0 */
/* Names of wheels and sdists: name-version(-build)?-python-abi-platform.whl
 * (PEP 427, 625). */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/requirement.h>
#include <envbuild/tags.h>

#include "pep440_key.h"

#define MAX_TAGS 4096 /* of one name: sets multiply */

/* ---- the parts
 * ---------------------------------------------------------------
 */

/* Letters of any alphabet, digits, "_" and ".", no "__". */
static bool is_name(const char *s)
{
	if (!*s || strstr(s, "__"))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '.' &&
		    (unsigned char)*s < 0x80)
			return false;
	return true;
}

static char *normal_version(const char *s)
{
	struct eb_pep440_key k EB_CLEANUP(eb_pep440_key_release) = { 0 };

	return eb_pep440_key_read(s, strlen(s), &k) < 0 ? NULL
							: eb_steal(k.text);
}

/* "01abc" is 1abc; what does not begin with a digit is none. */
static char *normal_build(const char *s)
{
	if (!isdigit((unsigned char)*s))
		return NULL;
	while (*s == '0' && isdigit((unsigned char)s[1]))
		s++;
	return eb_strdup(s);
}

/* ---- tags
 * --------------------------------------------------------------------
 */

static bool is_identifier(const char *s)
{
	if (isdigit((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

/* "py2.py3" in lower case; no item may be empty or look like a path. */
static int read_set(const char *text, struct eb_strv *out)
{
	eb_strv_split(out, text, ".");
	for (size_t i = 0; i < out->n; i++) {
		if (!*out->v[i] || strpbrk(out->v[i], "/\t\r\n"))
			return -1;
		eb_lower(out->v[i]);
	}
	return 0;
}

static int multiply(char **part, struct eb_strv *out)
{
	struct eb_strv python EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv abi EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv platform EB_CLEANUP(eb_strv_release) = { 0 };

	if (read_set(part[0], &python) < 0 || read_set(part[1], &abi) < 0 ||
	    read_set(part[2], &platform) < 0 || python.n > MAX_TAGS ||
	    abi.n > MAX_TAGS || platform.n > MAX_TAGS ||
	    (uint64_t)python.n * abi.n * platform.n > MAX_TAGS)
		return -1;
	for (size_t i = 0; i < python.n; i++) {
		if (!is_identifier(python.v[i]))
			return -1;
		for (size_t j = 0; j < abi.n; j++)
			for (size_t k = 0; k < platform.n; k++)
				eb_strv_addf(out, "%s-%s-%s", python.v[i],
					     abi.v[j], platform.v[k]);
	}
	eb_strv_sort(out);
	eb_strv_unique(out);
	return 0;
}

/* ---- names
 * -------------------------------------------------------------------
 */

/* NULL, or what is wrong. */
static const char *read_parts(const struct eb_strv *part,
			      struct eb_wheel_name *out)
{
	if (part->n != 5 && part->n != 6)
		return "there are not five or six parts with \"-\" between";
	if (!is_name(part->v[0]) ||
	    !eb_utf8_valid(part->v[0], strlen(part->v[0])))
		return "the first part is not the name of a project";
	out->name = eb_project_name(part->v[0]);
	out->version = normal_version(part->v[1]);
	if (!out->version)
		return "the second part is no version (PEP 440)";
	if (part->n == 6) {
		out->build = normal_build(part->v[2]);
		if (!out->build)
			return "the third part, the build, begins with no "
			       "digit";
	}
	if (multiply(part->v + part->n - 3, &out->tags) < 0)
		return "the last three parts are not the tags of a wheel";
	return NULL;
}

int eb_wheel_name_parse(const char *file, struct eb_wheel_name *out,
			struct eb_error *err)
{
	struct eb_strv part EB_CLEANUP(eb_strv_release) = { 0 };
	const char *why = "it does not end with \".whl\"";

	memset(out, 0, sizeof *out);
	if (eb_ends(file, ".whl")) {
		eb_autofree char *stem =
			eb_strndup(file, strlen(file) - strlen(".whl"));

		eb_strv_split(&part, stem, "-");
		why = read_parts(&part, out);
	}
	if (!why)
		return 0;
	eb_wheel_name_release(out);
	eb_err_set(err, EB_INPUT, "\"%s\", reading as the name of a wheel: %s",
		   file, why);
	return eb_err_hint(err, "it is NAME-VERSION-PYTHON-ABI-PLATFORM.whl, "
				"with -BUILD behind the version where there "
				"is one");
}

void eb_wheel_name_release(struct eb_wheel_name *w)
{
	free(w->name);
	free(w->version);
	free(w->build);
	eb_strv_release(&w->tags);
	memset(w, 0, sizeof *w);
}

int eb_sdist_name_parse(const char *file, char **name, char **version,
			struct eb_error *err)
{
	size_t end = eb_ends(file, ".tar.gz") ? 7
		     : eb_ends(file, ".zip")  ? 4
					      : 0;
	eb_autofree char *stem = eb_strndup(file, strlen(file) - end);
	char *dash = strrchr(stem, '-');

	if (end && dash && dash > stem) {
		*dash = '\0';
		*version = normal_version(dash + 1);
		if (*version) {
			*name = eb_project_name(stem);
			return 0;
		}
	}
	*name = *version = NULL;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading as the name of a source "
			  "distribution: it is not NAME-VERSION.tar.gz or .zip",
			  file);
}
