/* SPDX-License-Identifier: Apache-2.0 */
/* What a MatchSpec is made of, for the files that parse, write and match. */
#ifndef EB_CONDA_MATCHSPEC_PARTS_H
#define EB_CONDA_MATCHSPEC_PARTS_H

#include <stdint.h>

#include "once_text.h"
#include "pattern.h"
#include "verspec_term.h"
#include <envbuild/matchspec.h>
#include <envbuild/str.h>

/* A condition on the build number. */
struct eb_number {
	bool given;
	enum eb_term_op op;
	uint64_t value;
	struct eb_pattern pattern; /* with EB_TERM_PATTERN */
	char *text;
};

/* What is not given is NULL or of kind EB_PATTERN_NONE. */
struct eb_matchspec {
	struct eb_pattern name;
	char *channel_given;	   /* as written, without its subdir */
	struct eb_pattern channel; /* the same without credentials */
	char *subdir;
	bool subdir_by_key; /* then a channel's does not replace it */
	struct eb_verspec *version;
	struct eb_pattern build;
	struct eb_number build_number;
	struct eb_strv track_features, features; /* sorted, each once */
	struct eb_strv extras;			 /* as written */
	struct eb_strv flags;			 /* as written */
	struct eb_pattern *flag;		 /* of each of them */
	struct eb_pattern license, license_family;
	char *url, *clean_url; /* as written; without credentials */
	char *fn, *md5, *sha256, *when;
	struct eb_when *condition; /* of when, or NULL */
	char *text, *normal;	   /* made when they are asked for */
};

/* ---- matchspec_fields.c: one field by its name in brackets ------------- */

/* The value replaces an earlier one. Unknown keys are EB_INPUT. */
int eb_matchspec_set(struct eb_matchspec *m, const char *key, const char *value,
		     enum eb_strictness how, struct eb_error *err);
/* `with_build`: a build follows, which makes "=1.2" exact. */
int eb_matchspec_set_version(struct eb_matchspec *m, const char *value,
			     bool with_build, enum eb_strictness how,
			     struct eb_error *err);
int eb_matchspec_set_name(struct eb_matchspec *m, const char *name,
			  struct eb_error *err);

/* ---- matchspec_brackets.c ----------------------------------------------- */

/* Takes `[key=value,...]` out of the text and sets what it says. The fields
 * outside come first, so this is called twice: to take out, to set. */
int eb_matchspec_take_brackets(char *text, char **brackets,
			       struct eb_error *err);
int eb_matchspec_set_brackets(struct eb_matchspec *m, const char *brackets,
			      enum eb_strictness how, struct eb_error *err);

/* ---- matchspec_file.c: URLs and paths of package files ------------------ */

bool eb_matchspec_is_file(const char *text);
int eb_matchspec_set_file(struct eb_matchspec *m, const char *text,
			  struct eb_error *err);
/* Its URL. Paths become file URLs: "~/" is the home folder, others are relative
 * to the working folder. Caller frees. */
char *eb_package_url(const char *text, struct eb_error *err);
/* "%2B" as "+", in place; "%00" stays. */
void eb_percent_decode(char *s);

/* ---- matchspec_channel.c ------------------------------------------------ */ /* What conda calls the channel: short names for what lies below the default
										 * alias, "defaults" for its members. Caller frees. */
/* Is what stands before "://" no scheme? */
bool eb_matchspec_odd_scheme(const char *value);
char *eb_channel_conda_name(const char *channel);

/* ---- matchspec_when.c: CEP 43 ------------------------------------------- */

enum eb_when_kind { EB_WHEN_SPEC, EB_WHEN_AND, EB_WHEN_OR };

/* The sides of AND and OR are the numbers of earlier nodes. */
struct eb_when_node {
	enum eb_when_kind kind;
	struct eb_matchspec *m;
	uint32_t left, right;
};

struct eb_when {
	struct eb_when_node *node; /* the last is the whole */
	uint32_t n, alloc;
};

int eb_matchspec_set_when(struct eb_matchspec *m, enum eb_strictness how,
			  struct eb_error *err);
void eb_when_free(struct eb_when *w);

/* 1 it holds, 0 it does not, -1 nobody can tell yet. */
typedef int eb_when_fn(void *data, const struct eb_matchspec *m);
int eb_when_holds(const struct eb_when *w, eb_when_fn *holds, void *data);

/* ---- matchspec_text.c --------------------------------------------------- */

/* The caller's. */
char *eb_matchspec_make_text(const struct eb_matchspec *m);
char *eb_matchspec_make_normal(const struct eb_matchspec *m);

#endif
