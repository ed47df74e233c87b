/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of a pip section: its lines, and what of it conda brings too. */
#include <string.h>

#include <envbuild/requirement.h>

#include "lint_private.h"

/* `numpy=1.24` below pip: is conda's, and can only mean `==`. */
static const char *single_equals(const char *text)
{
	const char *at = strchr(text, '=');

	if (!at || at == text || at[1] == '=' || strchr("=<>!~", at[-1]))
		return NULL;
	return strchr(at + 1, '=') ? NULL : at;
}

static void offer(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		  struct eb_lint_found *f, const char *old, const char *with)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_requirement q EB_CLEANUP(eb_requirement_release) = { 0 };
	eb_autofree char *text = eb_lint_changed(n->text, old, with);

	if (text && eb_requirement_parse(text, &q, &ignored) == 0)
		eb_lint_edit(d, n, f, old, with);
}

static void bad_line(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		     const struct eb_error *err)
{
	struct eb_lint_found *f = eb_lint_at(d, n, "bad-pip-requirement",
					     err->hint, "%s", err->message);

	if (strstr(n->text, "~=="))
		offer(d, n, f, "~==", "~=");
	else if (strstr(n->text, "=>"))
		offer(d, n, f, "=>", ">=");
	else if (single_equals(n->text))
		offer(d, n, f, "=", "==");
}

struct pip_lines {
	struct eb_strv name, loose;
	const struct eb_yaml_node *first_loose;
};

static void release(struct pip_lines *l)
{
	eb_strv_release(&l->name);
	eb_strv_release(&l->loose);
}

static bool is_loose(const struct eb_requirement *q)
{
	return q->kind == EB_REQ_REQUIREMENT && q->name &&
	       !strpbrk(q->text, "<>=~@");
}

static void lint_names(const struct eb_lint_doc *d,
		       const struct eb_yaml_node *n, const char *name,
		       const struct eb_strv *conda, struct pip_lines *l)
{
	if (eb_strv_has(&l->name, name))
		eb_lint_at(d, n, "duplicate-package", "keep one line",
			   "\"%s\" is asked for twice: both lines have to hold",
			   name);
	else if (eb_strv_has(conda, name))
		eb_lint_at(d, n, "duplicate-package",
			   "keep it on one of the two sides",
			   "\"%s\" is asked for from conda too: the one that "
			   "conda installs is replaced where they differ",
			   name);
	eb_strv_add(&l->name, name);
}

static void lint_line(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		      const struct eb_strv *conda, struct pip_lines *l)
{
	struct eb_requirement q EB_CLEANUP(eb_requirement_release) = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (eb_requirement_parse(n->text, &q, &err) < 0) {
		bad_line(d, n, &err);
		return;
	}
	eb_lint_pip_urls(d, n);
	if (q.name && !strstr(q.text, ";"))
		lint_names(d, n, q.name, conda, l);
	if (!is_loose(&q))
		return;
	if (!l->first_loose)
		l->first_loose = n;
	eb_strv_add(&l->loose, q.name);
}

void eb_lint_pip(const struct eb_lint_doc *d, const struct eb_yaml_node *list,
		 const struct eb_strv *names)
{
	struct pip_lines l EB_CLEANUP(release) = { 0 };

	for (size_t i = 0; i < list->n; i++)
		if (list->item[i]->type == EB_YAML_SCALAR &&
		    !eb_yaml_is_null(list->item[i]))
			lint_line(d, list->item[i], names, &l);
	if (l.loose.n)
		eb_lint_at(d, l.first_loose, "unpinned",
			   "write NAME==VERSION, or keep the lock: envbuild "
			   "lock",
			   "\"%s\"%s: the version is the newest of the day "
			   "when it is resolved",
			   l.loose.v[0],
			   l.loose.n > 1 ? " and others name no version"
					 : " names no version");
}
