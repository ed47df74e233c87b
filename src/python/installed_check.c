/* SPDX-License-Identifier: Apache-2.0 */
/* Do the requirements of installed projects hold? What `pip check` asks:
 * without extras, pre-releases count, a URL asks for the name alone. */
#include <string.h>

#include <envbuild/installed.h>
#include <envbuild/pep440.h>
#include <envbuild/requirement.h>

#include "wheel_int.h"

struct check {
	const struct eb_installed *project, *asking;
	size_t n;
	const struct eb_marker_env *env;
	struct eb_strv *out;
};

static const struct eb_installed *find(const struct check *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->project[i].name, name))
			return &c->project[i];
	return NULL;
}

static void join(const struct eb_strv *specifiers, struct eb_buf *out)
{
	for (size_t i = 0; i < specifiers->n; i++)
		eb_buf_addf(out, "%s%s", i ? "," : "", specifiers->v[i]);
}

static int judge(const struct check *c, const char *text,
		 const struct eb_pep508 *r, struct eb_error *err)
{
	const struct eb_installed *by = c->asking, *have;
	EB_AUTOBUF(range, EB_MAX_TEXT);
	int holds = 1;

	if (r->marker)
		holds = eb_marker_holds(r->marker, c->env, NULL, NULL, err);
	if (holds <= 0)
		return holds;
	have = find(c, r->name);
	if (!have) {
		eb_strv_addf(c->out,
			     "%s %s requires %s, which is not "
			     "installed",
			     by->name, by->version, text);
		return 0;
	}
	join(&r->specifiers, &range);
	holds = eb_specifiers_contain(range.data, have->version, EB_PRE_ALLOW,
				      err);
	if (holds == 0)
		eb_strv_addf(c->out,
			     "%s %s requires %s, but %s %s is "
			     "installed",
			     by->name, by->version, text, have->name,
			     have->version);
	return holds;
}

static void check_one(const struct check *c, const char *text)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };

	if (eb_pep508_parse(text, &r, &why) == 0 &&
	    judge(c, text, &r, &why) >= 0)
		return;
	eb_strv_addf(c->out,
		     "%s %s requires \"%s\", which cannot be "
		     "understood: %s",
		     c->asking->name, c->asking->version, text, why.message);
}

void eb_installed_check(const struct eb_installed *project, size_t n,
			const struct eb_marker_env *env, struct eb_strv *out)
{
	struct check c = { .project = project, .n = n, .env = env, .out = out };

	for (size_t i = 0; i < n; i++) {
		c.asking = &project[i];
		for (size_t k = 0; k < project[i].requires.n; k++)
			check_one(&c, project[i].requires.v[k]);
	}
}
