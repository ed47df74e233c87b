/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything about a definition that can be known before a build: findings
 * with a place, a level, what will happen, one fix and the rule's name.
 *
 *	FILE:LINE:COLUMN: error: what will happen; one fix [rule-name]
 *
 * An error is what makes a build or a start fail for certain. The rules of
 * this module look at texts alone; those that need the tables of bases or an
 * index are added by who knows them (build.h, eb_lint_base, eb_lint_index).
 * envbuild-lint(5) has the list.
 */
#ifndef EB_LINT_H
#define EB_LINT_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/azure.h>
#include <envbuild/buf.h>
#include <envbuild/error.h>
#include <envbuild/spec.h>

enum eb_level { EB_LEVEL_NOTE, EB_LEVEL_WARNING, EB_LEVEL_ERROR };
const char *eb_level_name(enum eb_level level);

/* What the findings of a rule follow from: the text alone, what is decided
 * about base and CUDA, what indexes have. */
enum eb_rule_of { EB_RULE_TEXT, EB_RULE_BASE, EB_RULE_INDEX };

/* The rules: a name, the level of its findings, what it looks for. */
struct eb_rule {
	const char *name;
	enum eb_level level;
	enum eb_rule_of of;
	const char *what;
};
/* One by its name; NULL: there is none. All: i from 0, NULL behind the last. */
const struct eb_rule *eb_rule_find(const char *name);
const struct eb_rule *eb_rule_at(size_t i);

/* A change that mends a finding without a doubt: bytes of a line. */
struct eb_edit {
	unsigned line, column; /* from 1; line 0: there is none */
	char *old;	       /* what stands there and goes; may be "" */
	char *text;	       /* what comes there; may hold line ends */
};

struct eb_lint_found {
	const struct eb_rule *rule;
	enum eb_level level; /* the rule's, or a lower one */
	char *file;
	unsigned line, column; /* 0: the file as a whole */
	char *what;	       /* what will happen */
	char *fix;	       /* what to do; or NULL */
	struct eb_edit edit;
};

struct eb_lint_list {
	struct eb_lint_found *v;
	size_t n, alloc;
};
void eb_lint_release(struct eb_lint_list *f);
/* By file, line, column, rule; what is there twice goes. */
void eb_lint_sort(struct eb_lint_list *f);
bool eb_lint_fails(const struct eb_lint_list *f); /* has an error */
/* `rule` must be one of the rules; `fix` NULL: nothing can be done. The
 * finding stays valid until the next one is added. */
struct eb_lint_found *eb_lint_add(struct eb_lint_list *f, const char *rule,
				  const char *file, unsigned line,
				  unsigned column, const char *fix,
				  const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));

/* The same where less is certain than the rule's level says. */
void eb_lint_lower(struct eb_lint_found *found, enum eb_level level);

struct eb_linted {
	struct eb_lint_list findings;
	struct eb_spec *spec;	/* NULL: it could not be read */
	struct eb_azure *azure; /* Azure's forms; it has the spec then */
};
void eb_linted_release(struct eb_linted *l);

/* Lints a definition of any form that can be built ("-": of standard input, a
 * conda file). What is wrong with the
 * text is a finding; -1 only where it cannot be had at all (EB_INPUT: no such
 * file, too large). */
int eb_lint(const char *path, const char *platform, struct eb_linted *out,
	    struct eb_error *err);
/* The same of a part of it (spec.h); `part` may be NULL. */
int eb_lint_part(const char *path, const char *platform,
		 const struct eb_spec_part *part, struct eb_linted *out,
		 struct eb_error *err);

/* The rules that look at the text of a conda environment alone; `file` is for
 * messages. */
void eb_lint_text(const char *text, size_t len, const char *file,
		  const char *platform, struct eb_lint_list *out);

/* Makes the safe changes in their files, each file whole or not at all;
 * *made: how many. Findings of one place twice are changed once. */
int eb_lint_fix(const struct eb_lint_list *f, size_t *made,
		struct eb_error *err);

#endif
