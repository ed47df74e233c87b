/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of the lines that say which Python. */
#include <stdio.h>
#include <string.h>

#include <envbuild/matchspec.h>

#include "lint_private.h"

/* The day from which a version gets no fixes (the release schedules of
 * PEP 373, 429, 478, 494, 537, 569, 596). A newer one is not in the table
 * before that day has come. */
static const struct {
	unsigned major, minor;
	const char *day;
} ends[] = {
	{ 2, 7, "2020-01-01" }, { 3, 4, "2019-03-18" }, { 3, 5, "2020-09-30" },
	{ 3, 6, "2021-12-23" }, { 3, 7, "2023-06-27" }, { 3, 8, "2024-10-07" },
	{ 3, 9, "2025-10-31" },
};

static bool is_python(const struct eb_yaml_node *n)
{
	size_t len = strlen("python");

	return n->type == EB_YAML_SCALAR && !strncmp(n->text, "python", len) &&
	       (!n->text[len] || strchr("=<>!~ [", n->text[len]));
}

/* "3.6.2" of "python=3.6.2", "python==3.6.2", "python 3.6.2.*". */
static bool read_version(const char *text, unsigned v[3])
{
	const char *at = text + strspn(text, "python");
	int n;

	at += strspn(at, "= ");
	v[2] = ~0u;
	n = sscanf(at, "%3u.%3u.%3u", &v[0], &v[1], &v[2]);
	return n >= 2 && *at >= '0' && *at <= '9';
}

static void lint_end(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		     const unsigned v[3])
{
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (ends[i].major == v[0] && ends[i].minor == v[1])
			eb_lint_at(d, n, "python-end-of-life",
				   "take a newer one where the packages allow "
				   "it",
				   "Python %u.%u has got no fixes since %s",
				   v[0], v[1], ends[i].day);
}

/* The Python that the base's Dockerfile installs by conda: "python=3.8". */
static bool read_docker(const char *dockerfile, unsigned v[3])
{
	const char *at = dockerfile ? strstr(dockerfile, "conda ") : NULL;

	at = at ? strstr(at, " python=") : NULL;
	return at && read_version(at + 1, v);
}

static void lint_docker(const struct eb_lint_doc *d,
			const struct eb_yaml_node *n, const unsigned v[3])
{
	unsigned base[3];

	if (read_docker(d->dockerfile, base) &&
	    (base[0] != v[0] || base[1] != v[1]))
		eb_lint_at(d, n, "several-pythons",
			   "install it in one of the two places",
			   "the Dockerfile installs Python %u.%u, too", base[0],
			   base[1]);
}

static bool is_torch(const struct eb_yaml_node *n)
{
	return n->type == EB_YAML_SCALAR &&
	       (eb_starts(n->text, "torch=") || eb_starts(n->text, "torch~") ||
		eb_starts(n->text, "torch>") || !strcmp(n->text, "torch"));
}

static bool asks_torch(const struct eb_yaml_node *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct eb_yaml_node *n = list->item[i];
		const struct eb_yaml_node *pip =
			n->type == EB_YAML_MAP ? eb_yaml_get(n, "pip") : NULL;

		for (size_t k = 0; pip && k < pip->n; k++)
			if (is_torch(pip->item[k]))
				return true;
	}
	return false;
}

/* Wheels of torch import what typing has from 3.6.6 on (users' reports). */
static void lint_patch(const struct eb_lint_doc *d,
		       const struct eb_yaml_node *n, const unsigned v[3])
{
	if (v[0] == 3 && v[1] == 6 && v[2] < 6)
		eb_lint_at(d, n, "python-patch-too-low", "write python=3.6",
			   "wheels of torch were reported to fail at import "
			   "with Python 3.6.%u, and not from 3.6.6 on",
			   v[2]);
}

void eb_lint_python(const struct eb_lint_doc *d,
		    const struct eb_yaml_node *list,
		    const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *first = NULL;
	unsigned v[3];

	for (size_t i = 0; list && i < list->n; i++) {
		const struct eb_yaml_node *n = list->item[i];

		if (!is_python(n))
			continue;
		if (first)
			eb_lint_at(d, n, "several-pythons", "keep one line",
				   "line %u asks for Python already",
				   first->line);
		first = n;
		if (!read_version(n->text, v))
			continue;
		lint_end(d, n, v);
		lint_docker(d, n, v);
		if (asks_torch(list))
			lint_patch(d, n, v);
	}
	if (!first)
		eb_lint_at(d, list ? list : map, "no-python",
			   "add python=VERSION",
			   "no line says which Python: the newest of the day "
			   "when a package needs one, or none at all");
}
