/* SPDX-License-Identifier: Apache-2.0 */
/* A repository fetched, a commit of it found, its files and its version. */
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/pep440.h>
#include <envbuild/process.h>

#include "git_run.h"

#define SAID_MAX ((size_t)1 << 20)

/* --- fetched ----------------------------------------------------------------
 */
/* git shows its arguments to programs of its own: a login goes by variables. */
int eb_git_clone(const struct eb_git *g, const char *dir, struct eb_error *err)
{
	const char *const argv[] = { EB_GIT,	"clone",
				     "--quiet", "--no-checkout",
				     "--",	g->shown,
				     dir,	NULL };
	EB_AUTOBUF(said, SAID_MAX);

	return eb_git_run(g, argv, &said, err);
}

/* --- found ------------------------------------------------------------------
 */
static bool is_commit(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return n >= 40 && n <= 64 && !text[n];
}

/* 1, 0, -1 */
static int parse(const struct eb_git *g, const char *dir, const char *name,
		 char *out, struct eb_error *err)
{
	eb_autofree char *commit = eb_asprintf("%s^{commit}", name);
	const char *const argv[] = { EB_GIT,	 "-C",	    dir,    "rev-parse",
				     "--verify", "--quiet", commit, NULL };
	EB_AUTOBUF(said, SAID_MAX);
	char *text;
	int status = 0;

	if (eb_git_try(g, argv, &said, &status, err) < 0)
		return -1;
	text = eb_strip(said.data);
	if (status || !is_commit(text))
		return 0;
	strcpy(out, text);
	return 1;
}

/* Commits that no branch leads to, and refs of other kinds (refs/pull/1/head),
 * have to be asked for by name. 1, 0, -1. */
static int fetch(const struct eb_git *g, const char *dir, const char *revision,
		 char *out, struct eb_error *err)
{
	const char *const argv[] = { EB_GIT,	"-C",	  dir,	    "fetch",
				     "--quiet", "origin", revision, NULL };
	EB_AUTOBUF(said, SAID_MAX);
	int status = 0;

	if (!eb_starts(revision, "refs/") && !is_commit(revision))
		return 0;
	if (eb_git_try(g, argv, &said, &status, err) < 0)
		return -1;
	return status ? 0 : parse(g, dir, "FETCH_HEAD", out, err);
}

int eb_git_find(const struct eb_git *g, const char *dir, const char *revision,
		char *out, struct eb_error *err)
{
	const char *name = revision ? revision : "HEAD";
	eb_autofree char *branch = eb_asprintf("refs/remotes/origin/%s", name);
	eb_autofree char *tag = eb_asprintf("refs/tags/%s", name);
	const char *const tried[] = { branch, tag, name };
	int rc = 0;

	for (size_t i = 0; i < 3 && rc == 0 && *name != '-'; i++)
		rc = parse(g, dir, tried[i], out, err);
	if (rc == 0 && *name != '-')
		rc = fetch(g, dir, name, out, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	eb_err_set(err, EB_NO, "\"%s\" has no branch, tag or commit \"%s\"",
		   g->shown, name);
	return eb_err_hint(err, "`git ls-remote` shows what it has");
}

/* --- its files --------------------------------------------------------------
 */
static int check_commit(const struct eb_git *g, const char *dir,
			const char *commit, struct eb_error *err)
{
	char is[65] = "";
	int rc = parse(g, dir, "HEAD", is, err);

	if (rc < 0 || (rc && !strcmp(is, commit)))
		return rc < 0 ? -1 : 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", fetching it by git: it gave commit %s for "
			  "%s",
			  g->shown, is, commit);
}

int eb_git_checkout(const struct eb_git *g, const char *dir, const char *commit,
		    struct eb_error *err)
{
	const char *const checkout[] = { EB_GIT,     "-C",	dir,
					 "checkout", "--quiet", "--force",
					 "--detach", commit,	"--",
					 NULL };
	const char *const modules[] = { EB_GIT,	     "-C",	    dir,
					"submodule", "--quiet",	    "update",
					"--init",    "--recursive", NULL };
	EB_AUTOBUF(said, SAID_MAX);

	if (eb_git_run(g, checkout, &said, err) < 0 ||
	    eb_git_run(g, modules, &said, err) < 0)
		return -1;
	return check_commit(g, dir, commit, err);
}

/* --- its version ------------------------------------------------------------
 */
static char *ask(const char *const *argv)
{
	const struct eb_git g = { "file:", "" };
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(said, SAID_MAX);
	int status = 1;

	if (eb_git_try(&g, argv, &said, &status, &none) < 0 || status)
		return NULL;
	return eb_strdup(eb_strip(said.data));
}

/* "1.2rc1" of "v1.2rc1" or "name-1.2rc1"; NULL: it is no version. */
static char *version_of_tag(const char *tag)
{
	for (const char *p = tag; *p; p++) {
		struct eb_pep440 v = { 0 };
		char *text;

		if (*p < '0' || *p > '9' ||
		    (p > tag && !strchr("vV-_/", p[-1])))
			continue;
		if (eb_pep440_parse(p, strlen(p), &v) < 0)
			continue;
		text = eb_strdup(v.text);
		eb_pep440_release(&v);
		return text;
	}
	return NULL;
}

/* The next one: the last number of its release raised, without what follows;
 * of a pre-release it is that. */
static char *next_version(const char *version)
{
	size_t n = strspn(version, "0123456789.");
	eb_autofree char *release = eb_strndup(version, n);
	char *dot;
	uint64_t last;

	if (version[n] && version[n] != '+' && version[n] != '!')
		return eb_strdup(release);
	dot = strrchr(release, '.');
	if (eb_parse_u64(dot ? dot + 1 : release, UINT32_MAX, &last) < 0)
		return NULL;
	return eb_asprintf("%.*s%llu", dot ? (int)(dot + 1 - release) : 0,
			   release, (unsigned long long)last + 1);
}

/* "TAG-COMMITS-gHASH" */
static char *version_of(char *described)
{
	char *hash = strrchr(described, '-');
	char *count = NULL;
	eb_autofree char *version = NULL, *next = NULL;

	if (!hash)
		return NULL;
	*hash++ = '\0';
	count = strrchr(described, '-');
	if (!count)
		return NULL;
	*count++ = '\0';
	version = version_of_tag(described);
	if (!version || !strcmp(count, "0"))
		return eb_steal(version);
	next = next_version(version);
	return next ? eb_asprintf("%s.dev%s+%s", next, count, hash) : NULL;
}

char *eb_git_version(const char *dir)
{
	const char *const describe[] = { EB_GIT,     "-C",	dir,
					 "describe", "--tags",	"--long",
					 "--match",  "*[0-9]*", NULL };
	const char *const count[] = { EB_GIT,	 "-C",	 dir, "rev-list",
				      "--count", "HEAD", NULL };
	const char *const hash[] = { EB_GIT,	"-C",	dir, "rev-parse",
				     "--short", "HEAD", NULL };
	eb_autofree char *described = ask(describe);
	eb_autofree char *commits = NULL, *at = NULL;
	char *version = described ? version_of(described) : NULL;

	if (version)
		return version;
	commits = ask(count);
	at = ask(hash);
	return commits && at ? eb_asprintf("0.1.dev%s+g%s", commits, at) : NULL;
}
