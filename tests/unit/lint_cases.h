/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of lint's rules: what each finds and what it leaves alone; and that
 * there are both for every rule. */
#ifndef TEST_LINT_CASES_H
#define TEST_LINT_CASES_H

#include "scratch.h"

#include <envbuild/lint.h>

static struct eb_strv rules_found, rules_left;

static inline const struct eb_lint_found *find(const struct eb_linted *l,
					       const char *rule)
{
	for (size_t i = 0; i < l->findings.n; i++)
		if (!strcmp(l->findings.v[i].rule->name, rule))
			return &l->findings.v[i];
	return NULL;
}

/* `text`: what was linted, for the message. */
static inline const struct eb_lint_found *must_find(const struct eb_linted *l,
						    const char *rule,
						    unsigned line,
						    const char *text)
{
	const struct eb_lint_found *f = find(l, rule);

	if (!f)
		fail_msg("%s does not find it in: %s", rule, text);
	if (f->line != line)
		fail_msg("%s: line %u, not %u: %s", rule, f->line, line,
			 f->what);
	assert_true(*f->what);
	assert_true(f->level <= f->rule->level);
	eb_strv_add(&rules_found, rule);
	return f;
}

static inline void must_leave(const struct eb_linted *l, const char *rule,
			      const char *text)
{
	const struct eb_lint_found *f = find(l, rule);

	if (f)
		fail_msg("%s finds \"%s\" in: %s", rule, f->what, text);
	eb_strv_add(&rules_left, rule);
}

/* To be called last: those that follow from `of`. */
static inline void every_rule_has_both(enum eb_rule_of of)
{
	const struct eb_rule *r;
	size_t n = 0;

	for (size_t i = 0; (r = eb_rule_at(i)); i++) {
		if (r->of != of)
			continue;
		n++;
		if (!eb_strv_has(&rules_found, r->name))
			fail_msg("%s: no test in which it finds", r->name);
		if (!eb_strv_has(&rules_left, r->name))
			fail_msg("%s: no test of what it leaves", r->name);
	}
	assert_true(n > 0);
	eb_strv_release(&rules_found);
	eb_strv_release(&rules_left);
}

#endif
